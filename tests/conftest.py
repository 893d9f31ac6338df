"""A tiny suite and misbehaving memory systems, installed the way a stranger would: as entry points and as files."""

from __future__ import annotations

import gc
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

import hypothesis
import numpy as np
import pytest
from drills.command import exit_code

from adapter_driver import adapter as adapter
from memtriage import registry
from memtriage.host import masks
from memtriage.pipeline import where

ROOT = Path(__file__).parents[1]
SHARED_DATA = Path(os.environ.get("MEMTRIAGE_SHARED_DATA") or ROOT.parent / "shared" / "data")

# A property test depends neither on chance nor on the clock; `make test-random` is where chance has its place.
EVERYWHERE = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("fixed", EVERYWHERE, derandomize=True)
hypothesis.settings.register_profile("random", EVERYWHERE, max_examples=500, print_blob=True)
hypothesis.settings.load_profile("fixed")


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: the collector need not go through them, nor through the rest so often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


@pytest.fixture(autouse=True, scope="session")
def _state_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests are another user: the secret that marks this user's runs stays as it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_the_disk() -> Iterator[None]:
    """Syncing guards against a power cut, which no test can make; a killed process loses nothing without it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def _one_process() -> Iterator[None]:
    """What a test puts in the place of a part is not there in other processes; tests of these ask for them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(where, "processors", lambda: 1)
        yield


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """A shell has its background jobs ignore Ctrl-C, and every process that a test starts would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No reply of another module's server, or of an earlier day's: ports come back."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMTRIAGE_CACHE", str(tmp_path_factory.mktemp("calls") / "calls.sqlite"))
        yield


@pytest.fixture(autouse=True)
def _own_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test has to hide, the others need not."""
    for name, value in (("_known", set()), ("_needles", ()), ("_patterns", ())):
        monkeypatch.setattr(masks, name, value)


@pytest.fixture(autouse=True)
def _no_rules_of_other_tests() -> None:
    """Rules are remembered by task; a test that puts other suites in place must not leave its own behind."""
    for remembered in (registry.rubric, registry.answer_measures, registry.unscored):
        remembered.cache_clear()


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are tried again at once: the endpoints of tests need not be spared."""
    from memtriage.models.call import MeteredModel

    assert MeteredModel.__init__.__kwdefaults__
    monkeypatch.setitem(MeteredModel.__init__.__kwdefaults__, "backoff", 0.001)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless browser; one per module, since Playwright's loop must not be left running for other tests."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on the path")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"], timeout=300_000)
        yield launched
        launched.close()


def shared_data(path: str) -> Path:
    """A file or folder of the released data, which is not part of the repository; without it the test is skipped."""
    found = SHARED_DATA / path
    if not found.exists():
        pytest.skip("the released data are not here; MEMTRIAGE_SHARED_DATA may name their folder")
    return found


SUITE = '''
"""Sessions that each say where one thing is kept; one question per session."""

from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.suite import Loaded, Request, Suite, Task

THINGS = "violin kettle compass lantern saddle mirror ribbon anchor hammer cello".split()
OWNERS = "Marta Oskar Pilar Ravi".split()
PLACES = "attic cellar garage pantry stable chapel".split()


def episode(task, sessions, along, big, name):
    facts, probes, talks = [], [], []
    for n in range(sessions):
        owner, thing, place = OWNERS[n // 10 % 4], THINGS[n % 10], PLACES[n % 6]
        text = f"{owner} keeps the {thing} in the {place}."
        id = f"s{n + 1}"
        talks.append(Session(id, (Turn("user", text + " blah blah" * (big // 10), f"{id}/0"),), "2026-01-05T09:00:00"))
        facts.append(Fact(f"f{n + 1}", text, (f"{id}/0",), (thing, place), subject=owner))
        tags = {"K": str(n % 3), "N": str(n % 2), "query": "direct"}
        after = id if along and n % 4 == 0 else None
        question = f"Where does {owner} keep the {thing}?"
        probes.append(Probe(f"p{n + 1}", question, place, ((f"f{n + 1}",),), after=after, tags=tags))
    return Episode(f"{task}/{name}", task, tuple(talks), tuple(facts), tuple(probes))


def load(task, along, request: Request):
    for option in request.options:
        if option != "big":
            raise BadInput(f"unknown option of suite tiny {option!r}")
    sessions = request.rows or 40
    big = int(request.options.get("big", 0))
    return Loaded((episode(task, sessions, along, big, "one"),), {"source": "generated", "rows": sessions})


SUITE = Suite(
    "tiny", "Where things are kept", "none", "MIT", "1",
    (
        Task("tiny/end", "asked at the end", 40, lambda r: load("tiny/end", False, r), {"big": "size of a turn"}),
        Task("tiny/along", "asked along the way", 40, lambda r: load("tiny/along", True, r)),
    ),
)
'''

SYSTEMS = '''
"""Memory systems that keep turns and misbehave on request."""

import os
import shutil
import signal
from pathlib import Path

from memtriage import Memory

HERE = Path(__file__).parent


def log(name, text):
    with (HERE / name).open("a") as file:
        file.write(text + "\\n")


class Keeps:
    """Keeps every turn; finds by shared words."""

    def __init__(self):
        self.kept = []

    def store_conversation(self, conversation):
        self.kept += [Memory(t.id, t.text) for t in conversation.turns]

    def retrieve_memories(self, query, conversation, k):
        asked = set(query.lower().strip("?").split())
        return sorted(self.kept, key=lambda m: -len(asked & set(m.text.lower().strip(".").split())))[:k]

    def get_all_memories(self):
        return list(self.kept)


class Counted(Keeps):
    """Writes down every call, and kills its own process where kill.txt says so, once for each of its lines."""

    def _maybe_die(self, where):
        file = HERE / "kill.txt"
        orders = file.read_text().split() if file.exists() else []
        if orders and orders[0] == where:
            file.write_text("\\n".join(orders[1:]))
            self.before_death(where)
            os.kill(os.getpid(), signal.SIGKILL)

    def before_death(self, where):
        pass

    def store_conversation(self, conversation):
        self._maybe_die(f"store:{conversation.id}")
        log("calls.txt", f"store {conversation.id}")
        super().store_conversation(conversation)

    def retrieve_memories(self, query, conversation, k):
        found = super().retrieve_memories(query, conversation, k)
        self._maybe_die(f"{conversation.id.removeprefix('query-')}:{k}")
        log("calls.txt", f"ask {conversation.id} {k}")
        return found


class Saved(Counted):
    """The same with save and load."""

    def save(self, path):
        half = len(self.kept) // 2
        lines = [f"{m.id}\\t{m.text}\\n" for m in self.kept]
        with (path / "kept.tsv").open("w") as file:
            file.writelines(lines[:half])
            file.flush()
            self._maybe_die("save")
            file.writelines(lines[half:])
        log("calls.txt", "save")

    def load(self, path):
        log("calls.txt", "load")
        lines = (path / "kept.tsv").read_text().splitlines()
        self.kept = [Memory(*line.split("\\t")) for line in lines]
'''


class Place:
    """A folder with the tiny suite, the misbehaving systems and whatever a test writes there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.env = {**os.environ, "PYTHONPATH": str(path), "COLUMNS": "200", "NO_COLOR": "1"}
        (path / "tiny_suite.py").write_text(SUITE)
        (path / "mems.py").write_text(SYSTEMS)
        info = path / "tiny-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
        (info / "entry_points.txt").write_text("[memtriage.suites]\ntiny = tiny_suite:SUITE\n")

    def write(self, name: str, text: str) -> Path:
        file = self.path / name
        file.write_text(text)
        return file

    def calls(self) -> list[str]:
        file = self.path / "calls.txt"
        return file.read_text().split("\n")[:-1] if file.exists() else []

    def start(self, *arguments: str) -> Child:
        """The command in a process of its own, forked so that nothing has to be imported again."""
        return Child(self.path, arguments)

    def cli(self, *arguments: str, code: int = 0) -> SimpleNamespace:
        """The command in a process of its own, to its end; no traceback may ever reach the user."""
        return self.start(*arguments).ended(code)

    def python(self, source: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """A fresh interpreter."""
        return subprocess.run(
            [sys.executable, "-c", source, *arguments],
            cwd=self.path,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=300,
        )


class Child:
    """A forked process that runs the command; it can be signalled, and killed for real."""

    def __init__(self, cwd: Path, arguments: tuple[str, ...], before: Callable[[], None] = lambda: None) -> None:
        warm()
        self._folder = Path(tempfile.mkdtemp(dir=cwd, prefix="child-"))
        self._code: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            gc.freeze()  # so that it leaves untouched, and shares, what is there already
            self._become(cwd, arguments, before)

    def _become(self, cwd: Path, arguments: tuple[str, ...], before: Callable[[], None]) -> NoReturn:
        code = 70
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.chdir(cwd)
            sys.argv = ["memtriage", *arguments]
            sys.modules["memtriage.cli.main"].app = _command()  # type: ignore[attr-defined]
            err = (self._folder / "err").open("w", errors="backslashreplace")  # as the real one is
            with (self._folder / "out").open("w") as sys.stdout, err as sys.stderr:
                before()
                code = exit_code()
        finally:
            os._exit(code)

    @property
    def running(self) -> bool:
        return self._wait(os.WNOHANG) is None

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        if self.running:
            os.kill(self.pid, number)

    def code(self) -> int:
        """How it ended; minus the signal where it was killed."""
        code = self._wait(0)
        assert code is not None
        return code

    def _wait(self, how: int) -> int | None:
        if self._code is None:
            pid, status = os.waitpid(self.pid, how)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code

    def ended(self, code: int | None = None) -> SimpleNamespace:
        found = self.code()
        out, err = ((self._folder / name).read_text(errors="replace") for name in ("out", "err"))
        assert "Traceback" not in err, err
        assert "Exception ignored" not in err, err
        assert code is None or found == code, (found, out, err)
        return SimpleNamespace(code=found, out=out, err=err)


NEEDED = (
    *("memtriage.api", "memtriage.cli.main", "memtriage.models.system_models", "memtriage.models.embedding_client"),
    *("memtriage.report.html.page", "memtriage.report.progress", "memtriage.report.terminal.commands"),
    *("memtriage.report.terminal.ending", "memtriage.report.terminal.progress", "memtriage.report.terminal.show"),
    *("memtriage.report.terminal.studies", "genai_prices"),
)


def warm() -> None:
    """Import and load before the fork what every command needs."""
    for name in NEEDED:
        importlib.import_module(name)
    from memtriage.diagnose.lexical.statement import statement
    from memtriage.report.html.page import _layout
    from memtriage.text.tokens import count_tokens

    _layout()
    statement("Marta keeps the kettle in the attic.")
    count_tokens("warm")
    _command()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A fresh folder, which is also the current one and on the import path."""
    found = Place(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    yield found
    for name in [
        name for name in sys.modules if name in ("tiny_suite", "mems") or name.startswith("memtriage_plugin_")
    ]:
        del sys.modules[name]


@cache
def _command() -> Callable[[], None]:
    """The command line, put together once: that takes longer than most commands."""
    from typer.main import get_command

    from memtriage.cli.main import app

    return get_command(app)


def without_locks(monkeypatch: pytest.MonkeyPatch, reason: int) -> None:
    """As on a file system that has no locks."""

    def refuse(*_: object) -> None:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr("fcntl.flock", refuse)


class Cli:
    """The command line in this process: fast, and any exception it lets through fails the test."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, code: int | None = 0) -> SimpleNamespace:
        from memtriage.cli.main import main

        self._monkeypatch.setattr("memtriage.cli.main.app", _command())
        self._monkeypatch.setattr(sys, "argv", ["memtriage", *arguments])
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = self._capsys.readouterr()
        found = int(ended.value.code or 0)
        assert code is None or found == code, (found, out, err)
        assert "Traceback" not in err
        return SimpleNamespace(code=found, out=out, err=err)


@pytest.fixture
def cli(place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line, run in a fresh folder."""
    return Cli(capsys, monkeypatch)


@pytest.fixture
def stub_transformers(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """sentence-transformers as far as it is asked for anything; what it is asked to load, and all texts it embeds."""
    asked: list[tuple[str, dict[str, Any]]] = []

    class Pooling:
        def __init__(self, size: int, pooling_mode: str = "cls") -> None:
            self.size, self.mode = size, pooling_mode

        def get_sentence_embedding_dimension(self) -> int:
            return self.size

    class SentenceTransformer(list[Pooling]):
        def __init__(self, place: str, **how: Any) -> None:
            super().__init__([Pooling(4)])
            asked.append((place, how))

        def get_sentence_embedding_dimension(self) -> int:
            return 4

        def encode(self, texts: Sequence[str], **how: Any) -> Any:
            asked.extend((text, {"pooling": self[0].mode, **how}) for text in texts)
            return np.array([[len(text), 2.0, 0.0, 0.0] for text in texts])

    quiet = SimpleNamespace(disable_progress_bar=lambda: None)
    for name, attributes in {
        "sentence_transformers": {"SentenceTransformer": SentenceTransformer},
        "transformers": {},
        "transformers.utils": {"logging": quiet},
    }.items():
        module = ModuleType(name)
        module.__dict__.update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
    return asked
