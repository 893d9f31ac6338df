"""What programs see of the user's environment: enough to run, the variables that were named, and no secret beside."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Cli, Place
from memtriage.core.errors import BadInput, BadSystem
from memtriage.host.environment import child_environment, installer_environment, passing
from memtriage.models.local import LocalServer
from memtriage.registry import system
from memtriage.systems.libraries import catalog, environments
from memtriage.systems.libraries.doctor import examine
from memtriage.systems.remote.process import Process
from memtriage.systems.remote.running import close_all
from tiny_library import tiny

SECRETS = {
    "OPENAI_API_KEY": "sk-of-openai-0001",
    "AWS_SECRET_ACCESS_KEY": "of-aws-0002",
    "GITHUB_TOKEN": "ghp-of-github-0003",
    "MEMTRIAGE_API_KEY": "of-memtriage-0004",
    "DATABASE_URL": "postgres://me:secret-0005@db",
    "SSH_AUTH_SOCK": "/run/agent-0006",
    "https_proxy": "http://me:secret-0007@proxy:3128",
}
HARMLESS = {
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "HTTP_PROXY": "http://proxy:3128",
    "SSL_CERT_FILE": "/etc/ca.pem",
    "OPENBLAS_CORETYPE": "Haswell",  # what computes otherwise comes to another last digit
    "OMP_NUM_THREADS": "2",
}

TELLS = """
import json, os, pathlib
pathlib.Path({file!r}).write_text(json.dumps(dict(os.environ)))
"""

ADAPTER = """
from memtriage_adapter import serve

class Empty:
    def store_conversation(self, conversation):
        pass
    def retrieve_memories(self, query, conversation, k):
        return []

serve(Empty)
"""


@pytest.fixture(autouse=True)
def _shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A shell with secrets in its environment."""
    for name, value in {**SECRETS, **HARMLESS}.items():
        monkeypatch.setenv(name, value)
    yield
    close_all()


@pytest.fixture
def adapter(tmp_path: Path) -> Callable[[], dict[str, str]]:
    """Writes adapter.py, which writes down its environment; calling this reads what it wrote."""
    file = tmp_path / "seen.json"
    (tmp_path / "adapter.py").write_text(TELLS.format(file=str(file)) + ADAPTER)
    return lambda: dict(json.loads(file.read_text()))


def refuse_secrets(seen: dict[str, str], *but: str) -> None:
    assert not (SECRETS.keys() - set(but)) & seen.keys()
    values = " ".join(seen.values())
    assert not [name for name, value in SECRETS.items() if name not in but and value in values]


def test_a_process_sees_no_secret_and_all_that_it_needs_to_run(
    tmp_path: Path, adapter: Callable[[], dict[str, str]]
) -> None:
    system(f"proc:{sys.executable} {tmp_path / 'adapter.py'}").build().close()
    seen = adapter()
    refuse_secrets(seen)
    assert seen.items() >= HARMLESS.items()
    assert (seen["PATH"], seen["HOME"]) == (os.environ["PATH"], os.environ["HOME"])


def test_a_process_has_a_temporary_folder_of_its_own_that_goes_with_it(
    tmp_path: Path, adapter: Callable[[], dict[str, str]]
) -> None:
    system(f"proc:{sys.executable} {tmp_path / 'adapter.py'}").build().close()
    folder = Path(adapter()["TMPDIR"])
    assert folder.is_dir()
    assert folder != Path(os.environ.get("TMPDIR", "/tmp"))
    close_all()
    assert not folder.parent.exists()


def test_a_named_variable_is_passed_on_and_only_its_name_is_kept(
    cli: Cli, place: Place, adapter: Callable[[], dict[str, str]]
) -> None:
    named = ("--pass-env", "OPENAI_API_KEY", "--pass-env", "GITHUB_TOKEN")
    start = ("run", "--suite", "tiny/end", "--rows", "2", "--k", "1", "-q", "--no-report", "--out", "run")
    cli(*start, "--system", f"proc:{sys.executable} adapter.py", *named)
    seen = adapter()
    assert {name: seen.get(name) for name in ("OPENAI_API_KEY", "GITHUB_TOKEN")} == {
        name: SECRETS[name] for name in ("OPENAI_API_KEY", "GITHUB_TOKEN")
    }
    refuse_secrets(seen, "OPENAI_API_KEY", "GITHUB_TOKEN")
    assert json.loads((place.path / "run" / "run.json").read_text())["pass_env"] == ["OPENAI_API_KEY", "GITHUB_TOKEN"]
    written = b"".join(file.read_bytes() for file in (place.path / "run").rglob("*") if file.is_file())
    assert not [value for value in SECRETS.values() if value.encode() in written]
    assert "OPENAI_API_KEY" not in child_environment(), "it is passed on in that run only"


@pytest.fixture
def killed(place: Place) -> str:
    """A run that was killed before its process was started; gives the process's name."""
    place.write("kill.txt", "p1:1\n")
    command = f"proc:{sys.executable} adapter.py"
    start = ("run", "--suite", "tiny/end", "--rows", "2", "--k", "1", "-q", "--no-report", "--out", "run")
    systems = ("--system", "mems.py:Counted", "--system", command)
    assert place.start(*start, *systems, "--pass-env", "OPENAI_API_KEY", "--parallel", "1").ended().code == -9
    return command


def test_a_resumed_run_passes_on_what_it_passed_before(
    cli: Cli, adapter: Callable[[], dict[str, str]], killed: str
) -> None:
    cli("resume", "run", "-q", "--no-report")
    assert adapter()["OPENAI_API_KEY"] == SECRETS["OPENAI_API_KEY"]
    refuse_secrets(adapter(), "OPENAI_API_KEY")


def test_a_run_from_elsewhere_passes_nothing_on_by_itself(
    cli: Cli, adapter: Callable[[], dict[str, str]], killed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another machine"))
    named = ("resume", "run", "-q", "--no-report", "--system", "mems.py:Counted", "--system", killed)
    said = cli(*named, code=1).err
    assert "let its programs see the variable OPENAI_API_KEY" in said
    assert "--pass-env OPENAI_API_KEY" in said
    cli(*named, "--pass-env", "OPENAI_API_KEY")
    assert adapter()["OPENAI_API_KEY"] == SECRETS["OPENAI_API_KEY"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("NOT_SET_ANYWHERE", "--pass-env NOT_SET_ANYWHERE: no variable of that name is set; export it"),
        ("KEY=sk-1", "give the name of an environment variable, without its value"),
    ],
)
def test_a_name_that_can_not_be_passed_on_is_told(cli: Cli, name: str, told: str) -> None:
    assert told in cli("check", "bm25", "--pass-env", name, code=1).err
    with pytest.raises(BadInput, match="--pass-env"), passing([name]):
        pass


def test_an_adapter_that_misses_a_variable_says_which_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "needy.py").write_text("import os\nos.environ['GITHUB_TOKEN']\n")
    (tmp_path / "gone.py").write_text("raise SystemExit('no more room')\n")
    with pytest.raises(BadSystem, match=r"GITHUB_TOKEN is set here but was not passed on; --pass-env GITHUB_TOKEN"):
        Process([sys.executable, str(tmp_path / "needy.py")])
    with pytest.raises(BadSystem, match=r"it saw only PATH, HOME, .*; --pass-env NAME adds a variable$"):
        Process([sys.executable, str(tmp_path / "gone.py")])


def test_an_mcp_server_sees_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    file, server = tmp_path / "seen.json", tmp_path / "server.py"
    real = Path(__file__).with_name("mcp_server.py")
    server.write_text(
        f"{TELLS.format(file=str(file))}\nimport runpy\nrunpy.run_path({str(real)!r}, None, '__main__')\n"
    )
    system(f"mcp:{sys.executable} {server} whole").build().close()
    refuse_secrets(json.loads(file.read_text()))
    with passing(["GITHUB_TOKEN"]):
        system(f"mcp:{sys.executable} {server} whole").build().close()
    assert json.loads(file.read_text())["GITHUB_TOKEN"] == SECRETS["GITHUB_TOKEN"]


def test_the_server_of_a_local_model_sees_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from test_local import RUNTIME

    file = tmp_path / "seen.json"
    (tmp_path / "tells.py").write_text(TELLS.format(file=str(file)))
    (tmp_path / "xllamacpp.py").write_text(RUNTIME.format(load="import tells", devices=()))
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    with LocalServer(str(tmp_path / "model.gguf")):
        refuse_secrets(json.loads(file.read_text()))


def test_a_library_sees_the_variables_of_its_own_entry_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, seen = tiny(tmp_path, monkeypatch), tmp_path / "seen.json"
    script = made.adapters / "tiny-mem.py"
    script.write_text(TELLS.format(file=str(seen)) + script.read_text())
    monkeypatch.setenv("TINY_KEY", "of-tiny-0008")
    environments.install(made.library)
    assert not [found for found in examine(made.library) if found.outcome == "problem"]
    library = json.loads(seen.read_text())
    assert library["TINY_KEY"] == "of-tiny-0008"
    assert library["TINY_TELEMETRY"] == "off"
    refuse_secrets(library)


def test_every_key_that_an_adapter_reads_is_declared_in_its_entry() -> None:
    for name in catalog.names():
        library = catalog.library(name)
        text = library.script.read_text()
        declared = {*library.variables, *library.environment}
        for variable in ("ZEP_API_KEY", "MIRIX_API_KEY", "MEMOBASE_API_KEY", "LETTA_API_KEY", "NEO4J_PASSWORD"):
            assert variable not in text or variable in declared, (name, variable)


def test_pip_keeps_its_own_settings_and_sees_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://me:secret@index/simple")
    seen = installer_environment()
    assert seen["PIP_INDEX_URL"] == "https://me:secret@index/simple"
    refuse_secrets(seen, "https_proxy")
    assert seen["https_proxy"] == SECRETS["https_proxy"]
