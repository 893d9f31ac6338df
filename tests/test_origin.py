"""A run directory from elsewhere is data: it runs, imports and contacts nothing that is not named again."""

from __future__ import annotations

import importlib.util
import json
import os
import py_compile
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memtriage
from conftest import Cli, Place
from damage import unfinished
from foreign_runs import CASES, SECRETS, Trap, as_user, disarm, plant, rewrite_lines, set_traps, sprung, write_manifest
from memtriage import registry
from memtriage.cli.main import main
from memtriage.core.errors import BadInput, BadRun
from memtriage.host import origin
from memtriage.host.sealed import open_document, seal_document
from memtriage.host.shell import shell_word
from memtriage.models.scripted import StubServer, content
from memtriage.record.manifest import read_manifest
from memtriage.runner.plan import describe

TINY = ("--suite", "tiny/end", "--rows", "2", "--k", "1", "--out", "run", "-q", "--no-report")


@pytest.fixture
def trap() -> Iterator[Trap]:
    found = Trap()
    yield found
    found.close()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the harmless run is kept for all tests, once there is one."""
    return tmp_path_factory.mktemp("kept") / "run"


@pytest.fixture
def laid(place: Place, cli: Cli, trap: Trap, kept: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A folder with traps in it and a harmless run, and secrets in the environment."""
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    monkeypatch.setenv("OPENAI_BASE_URL", f"{trap.address}/v1")
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    set_traps(place.path, trap.address)
    if not kept.exists():
        cli("run", *TINY, "--out", str(kept), "--system", "bm25")
    shutil.copytree(kept, "run")
    return place


def as_made_elsewhere(place: Place, trap: Trap, name: str) -> None:
    plant(Path("run"), lambda manifest: CASES[name].fill(manifest, trap.address), state=place.path / "their-state")
    disarm(place.path, trap)


def resume(monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    """Resume the run, whatever comes of it."""
    monkeypatch.setattr(sys, "argv", ["memtriage", "resume", "run", "-q", "--no-report", *options])
    with pytest.raises(SystemExit):
        main()


RESUMING = (("resume", "run"), ("resume", "run", "--retry-errors", "--json"), ("resume", "run", "--batch"))


@pytest.mark.parametrize("name", CASES)
def test_a_directory_from_elsewhere_runs_imports_and_sends_nothing(
    laid: Place, cli: Cli, trap: Trap, name: str
) -> None:
    as_made_elsewhere(laid, trap, name)
    for arguments in RESUMING:
        said = cli(*arguments, code=1)
        assert sprung(laid.path, trap) == []
        assert "was not made by you on this machine" in said.err
        assert "name it again:" in said.err
        assert all(each.isprintable() for line in said.err.splitlines() for each in line)
        for value in SECRETS.values():
            assert value not in said.err
    said = cli("batch", "export", "run", code=0 if CASES[name].only_chats else 1)
    assert sprung(laid.path, trap) == []
    assert CASES[name].only_chats or "memtriage batch export run --" in said.err


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.works])
def test_what_is_named_again_may_run(laid: Place, trap: Trap, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Which also shows that the traps work."""
    as_made_elsewhere(laid, trap, name)
    resume(monkeypatch, *CASES[name].options(trap.address))
    assert sprung(laid.path, trap)


@pytest.mark.parametrize("name", ["a program", "a file with code", "a model that answers"])
def test_a_run_of_ones_own_goes_on_without_being_named(
    laid: Place, trap: Trap, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    plant(Path("run"), lambda manifest: CASES[name].fill(manifest, trap.address))
    disarm(laid.path, trap)
    resume(monkeypatch)
    assert sprung(laid.path, trap)


@pytest.mark.parametrize("name", ["a file with code", "a module"])
def test_a_file_with_code_that_was_changed_since_is_not_imported_unless_it_is_named(
    laid: Place, cli: Cli, trap: Trap, name: str
) -> None:
    """As when a run of ones own comes back with another file beside it: its mark still fits."""
    plant(Path("run"), lambda manifest: CASES[name].fill(manifest, trap.address))
    disarm(laid.path, trap)
    for file in ("evil.py", "evil_module.py"):
        laid.write(file, laid.path.joinpath(file).read_text() + "\n# changed\n")
    said = cli("resume", "run", "-q", code=1)
    assert sprung(laid.path, trap) == []
    assert "changed since the run began, so it was not imported" in said.err
    command = said.err.splitlines()[-1].split()
    assert command == ["memtriage", "resume", "run", "-q", *CASES[name].options(trap.address)]
    assert "its code was changed after the run began" in cli(*command[1:], code=1).err  # an empty store is an error
    assert sprung(laid.path, trap)


def test_what_is_imported_is_the_file_and_not_what_was_compiled_beside_it(laid: Place, cli: Cli, trap: Trap) -> None:
    laid.write("good.py", (laid.path / "evil.py").read_text().replace('Path("imported").touch()', ""))
    plant(Path("run"), lambda manifest: {**manifest, "systems": [describe(registry.system("good.py:M"))]})
    hidden = Path(importlib.util.cache_from_source("good.py"))
    hidden.parent.mkdir(exist_ok=True)
    py_compile.compile("evil.py", cfile=str(hidden), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    disarm(laid.path, trap)
    cli("resume", "run", "-q", "--no-report", code=1)  # an empty store is an error
    assert sprung(laid.path, trap) == []


def test_a_study_does_not_go_on_with_changed_code(laid: Place, cli: Cli) -> None:
    """Its table would compare what was made by different code, and nobody asked for that."""
    sweep = ("sweep", "--suite", "tiny/end", "--rows", "2", "--k", "1", "--out", "grid", "-q", "--vary", "seed=1,2")
    cli(*sweep, "--system", "mems.py:Keeps")
    unfinished(next(Path("grid").glob("*/run.json")).parent)
    laid.write("mems.py", (laid.path / "mems.py").read_text() + "\n# changed\n")
    said = cli(*sweep, "--system", "mems.py:Keeps", code=1)
    assert "changed since the run began (source_sha256); run again" in said.err
    assert "--system" not in said.err


def test_the_message_has_the_exact_command(laid: Place, cli: Cli, trap: Trap) -> None:
    label = "proc:sh -c 'touch ran; echo \"$HOME\"'"
    plant(
        Path("run"),
        lambda manifest: {**manifest, "systems": [{"label": "bm25"}, {"label": label}]},
        state=laid.path / "their-state",
    )
    command = cli("resume", "run", "-q", code=1).err.splitlines()[-1].strip()
    words = subprocess.run(["bash", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, check=True)
    assert words.stdout.splitlines() == ["memtriage", "resume", "run", "-q", "--system", label]


def test_the_message_says_what_to_put_in_for_a_password(laid: Place, cli: Cli, trap: Trap) -> None:
    model = "http://me:***@127.0.0.1:9/v1#m"
    plant(
        Path("run"),
        lambda manifest: {**manifest, "grading": {**manifest["grading"], "answer": model}},
        state=laid.path / "their-state",
    )
    said = cli("resume", "run", code=1).err.splitlines()
    assert said[-2] == ("If you trust all of that, name it again, with the password or value that *** stands for:")
    assert said[-1] == f"  memtriage resume run --answer '{model}'"


@given(st.text(alphabet=st.characters(exclude_characters="\x00", exclude_categories=["Cs"])))
def test_any_text_is_one_word_for_a_shell_and_shows_as_it_is(text: str) -> None:
    word = shell_word(text)
    assert word.isprintable()
    echoed = subprocess.run(
        ["bash", "-c", f"printf %s {word}"], capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=True
    )
    assert echoed.stdout == text.encode()


# ---------------------------------------------------------------------- harmless runs


@pytest.mark.parametrize(
    "system",
    [
        "none",
        "bm25:granularity=sentence,k1=1.2",
        "dense",
        "dense:embedder=wordllama",
        "hybrid",
        "facts:summarise=rules",
    ],
)
def test_our_own_systems_without_models_go_on(laid: Place, cli: Cli, trap: Trap, system: str) -> None:
    cli("run", *TINY, "--out", "theirs", "--system", system)
    whole = json.loads(cli("show", "theirs", "--json").out)
    plant(Path("theirs"), lambda manifest: manifest, state=laid.path / "their-state")
    cli("resume", "theirs", "-q", "--no-report")
    assert json.loads(cli("show", "theirs", "--json").out) == whole
    assert trap.seen == []


def test_a_manifest_gives_systems_no_other_arguments(laid: Place, cli: Cli, trap: Trap) -> None:
    def change(manifest: dict[str, Any]) -> dict[str, Any]:
        return {**manifest, "models": {"internal": "", "embedder": "", "granularity": "nonsense"}}

    plant(Path("run"), change, state=laid.path / "their-state")
    cli("resume", "run", "-q")


# ---------------------------------------------------------------------- other commands


@pytest.fixture
def judged(laid: Place, cli: Cli, trap: Trap) -> Iterator[StubServer]:
    """A finished run with answers and verdicts of a scripted server, from elsewhere; its manifest names the trap."""
    with StubServer(content) as server:
        answered = ("--answer", f"{server.url}#reader", "--judge", f"{server.url}#judge")
        with as_user(laid.path / "their-state"):
            cli("run", *TINY, "--out", "theirs", "--system", "none", "--system", "bm25", *answered)
        manifest = read_manifest(Path("theirs"))
        manifest["grading"] |= {"answer": f"{trap.address}/v1#m", "judge": f"{trap.address}/v1#m"}
        write_manifest(Path("theirs"), manifest)
        names = (f"{server.url}#reader".encode(), f"{trap.address}/v1#m".encode())
        rewrite_lines(Path("theirs/journal.jsonl"), lambda line: line.replace(*names))
        yield server


def test_explaining_a_run_from_elsewhere_asks_no_judge_of_its_own(
    judged: StubServer, laid: Place, cli: Cli, trap: Trap
) -> None:
    reader = ("--answer", f"{judged.url}#reader")
    before = judged.count()
    said = cli("explain", "theirs", "--failed", *reader, code=1)
    assert trap.seen == []
    assert judged.count() == before
    assert said.err.splitlines()[-1].strip() == (
        f"memtriage explain theirs --failed --answer '{judged.url}#reader' --judge '{trap.address}/v1#m'"
    )
    cli("explain", "theirs", "--failed", *reader, "--judge", f"{judged.url}#judge", "-q")
    cli("explain", "theirs", "--failed", "-q")
    assert trap.seen == []


def test_judging_a_run_from_elsewhere_asks_only_the_judge_that_is_named(
    judged: StubServer, laid: Place, cli: Cli, trap: Trap
) -> None:
    cli("judge", "theirs", "--judge", f"{judged.url}#other", "-q")
    cli("judge", "theirs", "--judge", f"{judged.url}#other", "--out", "copy", "-q")
    assert trap.seen == []
    assert not memtriage.load("copy").reader.made_here
    cli("resume", "copy", code=1)
    assert trap.seen == []


def test_reading_a_run_from_elsewhere_sends_nothing(judged: StubServer, laid: Place, cli: Cli, trap: Trap) -> None:
    for arguments in (
        ("show", "theirs"),
        ("show", "theirs", "--by", "cost"),
        ("report", "theirs"),
        ("compare", "theirs", "theirs", "--json"),
        ("audit", "theirs", "--agreement"),
        ("explain", "theirs", "--probe", "p1"),
    ):
        cli(*arguments)
    assert trap.seen == []


def test_due_calls_of_a_run_from_elsewhere_are_only_written_to_a_file(laid: Place, cli: Cli, trap: Trap) -> None:
    as_made_elsewhere(laid, trap, "a model that answers")
    cli("batch", "export", "run", "-q", "--format", "plain")
    due = [json.loads(line) for line in Path("run/calls.jsonl").read_text().splitlines()]
    replies = [{"custom_id": call["custom_id"], "reply": '{"answer": "the attic", "used": []}'} for call in due]
    laid.write("replies.jsonl", "".join(json.dumps(reply) + "\n" for reply in replies))
    cli("batch", "import", "run", "replies.jsonl", "-q")
    assert len(due) == 2
    assert trap.seen == []


def test_a_reply_is_not_taken_for_another_call_than_its_own(laid: Place, cli: Cli, trap: Trap) -> None:
    """A call under the id of another would put its reply into the cache, for all runs of this user."""
    as_made_elsewhere(laid, trap, "a model that answers")
    cli("batch", "export", "run", "-q", "--format", "plain")
    due = open_document(Path("run/due.json").read_bytes())
    second = due["calls"][1]["id"]
    due["calls"][0]["id"] = "0" * 64
    Path("run/due.json").write_bytes(seal_document(due))
    reply = '{"answer": "the attic", "used": []}'
    laid.write("r.jsonl", "".join(json.dumps({"custom_id": id, "reply": reply}) + "\n" for id in ("0" * 64, second)))
    said = cli("batch", "import", "run", "r.jsonl", "-q", code=1)
    assert "1 replies taken, 1 due calls without one" in said.err
    assert "row 1: " + "0" * 64 + " is not the id of the call" in said.err


def test_a_study_continues_a_run_from_elsewhere_only_with_what_it_names(
    laid: Place, cli: Cli, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = ("sweep", "--suite", "tiny/end", "--rows", "2", "--k", "1", "--out", "grid", "-q", "--system")
    with as_user(laid.path / "their-state"):
        cli(*sweep, "bm25", "--vary", "seed=1,2")
    run = next(Path("grid").glob("*/run.json"))
    (run.parent / "verdicts.jsonl").unlink()
    plant(
        run.parent,
        lambda manifest: CASES["a model that answers"].fill(manifest, trap.address),
        state=laid.path / "their-state",
    )
    assert "other settings" in cli(*sweep, "bm25", "--vary", "seed=1,2", code=1).err
    assert sprung(laid.path, trap) == []


# ---------------------------------------------------------------------- origin


def test_an_edited_manifest_of_ones_own_counts_as_from_elsewhere(laid: Place, cli: Cli, trap: Trap) -> None:
    manifest = read_manifest(Path("run"))
    assert memtriage.load("run").reader.made_here
    manifest["grading"]["judge"] = f"{trap.address}/v1#m"
    for file in ("journal.jsonl", "memories.jsonl"):
        Path("run", file).unlink()
    write_manifest(Path("run"), manifest)
    assert not memtriage.load("run").reader.made_here
    assert "was not made by you" in cli("resume", "run", code=1).err
    assert trap.seen == []


def test_a_run_that_was_moved_or_copied_here_stays_ones_own(laid: Place, cli: Cli) -> None:
    shutil.copytree("run", "elsewhere/copy")
    shutil.move("run", "moved")
    assert memtriage.load("moved").reader.made_here
    assert memtriage.load("elsewhere/copy").reader.made_here
    with as_user(laid.path / "another-machine"):
        assert not memtriage.load("moved").reader.made_here


def test_names_that_are_not_those_of_the_run_are_refused(laid: Place, cli: Cli) -> None:
    assert "unknown system of this run 'none'" in cli("resume", "run", "--system", "none", code=1).err
    assert "was made with --judge '', not with 'openai/m'" in cli("resume", "run", "--judge", "openai/m", code=1).err


def test_python_names_again_what_it_passes(laid: Place, trap: Trap) -> None:
    as_made_elsewhere(laid, trap, "a file with code")
    with pytest.raises(BadRun, match=r"import and run evil\.py:M"):
        memtriage.resume("run")
    assert sprung(laid.path, trap) == []
    with pytest.raises(BadInput, match="unknown system of this run"):
        memtriage.resume("run", "none")
    assert len(memtriage.resume("run", "evil.py:M").probes) == 2


@pytest.mark.parametrize("by", ["somebody else", "this user, and changed", "this user"])
def test_only_a_saved_store_of_ones_own_is_loaded(laid: Place, cli: Cli, by: str) -> None:
    """Loading may run code, as with pickle; any other store is filled again."""
    laid.write("kill.txt", "p2:1")
    with as_user(laid.path / "another-machine" if by == "somebody else" else None):
        laid.start("run", *TINY, "--out", "saved", "--system", "mems.py:Saved").code()
    (kept,) = Path("saved/stores").glob("*/*/kept.tsv")
    if by == "this user, and changed":
        kept.write_text(kept.read_text().replace("violin", "viola"))
    cli("resume", "saved", "--system", "mems.py:Saved", "-q", "--no-report")
    assert ("load" in laid.calls()) == (by == "this user")
    assert [row["correct"] for row in json.loads(cli("show", "saved", "--json").out)["rows"]] == [2]


def test_without_a_place_for_its_secret_a_run_works_and_says_so_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.path / "a-file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(place.path / "a-file"))
    code = "import memtriage\nfor out in ('a', 'b'): memtriage.run('bm25', suite='tiny/end', rows=2, k=1, out=out)"
    done = place.python(code, XDG_STATE_HOME=str(place.path / "a-file"))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("runs can't be marked as yours here") == 1
    assert not memtriage.load("a").reader.made_here


@pytest.mark.parametrize("spoil", ["open", "short", "linked"])
def test_a_secret_that_others_may_know_marks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    content = origin.marked({"a": 1})
    assert origin.made_here(content)
    file = origin.secret_file()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    if spoil == "open":
        file.chmod(0o644)
    elif spoil == "short":
        file.write_bytes(b"short")
    else:
        file.rename(tmp_path / "theirs")
        file.symlink_to(tmp_path / "theirs")
    assert not origin.made_here(content)
    assert origin.marked({"a": 1})["origin"] == ""


def test_processes_that_race_for_the_secret_agree_on_one(tmp_path: Path) -> None:
    code = "import sys; from memtriage.host import origin; sys.stdin.read(); print(origin.marked({'a': 1})['origin'])"
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    waiting, start = os.pipe()
    racing = [
        subprocess.Popen([sys.executable, "-c", code], env=env, stdin=waiting, stdout=subprocess.PIPE) for _ in range(4)
    ]
    os.close(waiting)
    os.close(start)
    marks = {each.communicate()[0].strip() for each in racing}
    assert [each.returncode for each in racing] == [0] * 4
    assert len(marks) == 1
    assert marks != {b""}
    assert [path.name for path in (tmp_path / "memtriage").iterdir()] == ["origin"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=4), st.text(min_size=1), JSON)
def test_a_mark_fits_what_was_written_and_nothing_else(content: dict[str, Any], key: str, value: Any) -> None:
    read_back = json.loads(json.dumps(origin.marked(content)))
    assert origin.made_here(read_back)
    changed = {**read_back, key: value}
    if key != "origin" and json.dumps(changed, sort_keys=True) != json.dumps(read_back, sort_keys=True):
        assert not origin.made_here(changed)
    assert not origin.made_here({**read_back, "origin": "0" * 64})
    assert not origin.made_here(content)
