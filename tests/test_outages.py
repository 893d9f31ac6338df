"""A run whose endpoint goes away, or that meets a limit: it stops cleanly, records no errors for it, and resuming
finishes it."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Place
from memtriage import api
from memtriage.config import Limits
from memtriage.core.episode import Session
from memtriage.core.memory import Traits
from memtriage.models.current import current_models
from memtriage.models.scripted import Faults, Reply, Request, Script, StubServer, content, extract
from memtriage.models.scripted.systems import native
from memtriage.record.reader import RunReader

PATIENCE = 0.4
HURRIED = "?timeout=0.2"


@pytest.fixture(autouse=True)
def _surroundings(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    for name in ("MEMTRIAGE_API_KEY", "MEMTRIAGE_PRICES"):
        monkeypatch.delenv(name, raising=False)


class Leaves:
    """A script that hangs after some requests of a model, or answers with a `status`, until it is back."""

    def __init__(self, script: Script, after: int, model: str = "", status: int | None = None) -> None:
        self._script, self._left, self._model, self._status = script, after, model, status
        self.back = threading.Event()
        self._lock = threading.Lock()
        self.answered: list[str] = []

    def __call__(self, request: Request) -> Any:
        with self._lock:
            if self._model in request.model:
                self._left -= 1
            if self._left >= 0 or self._model not in request.model or self.back.is_set():
                self.answered.append(request.text)
                return self._script(request)
        return Reply("too late", latency=60) if self._status is None else Reply("no", self._status)


class Library:
    """As libraries are: it asks through the gateway, and swallows what goes wrong."""

    traits = Traits(parallel=True)

    def __init__(self, internal: str = "") -> None:
        self._gate = current_models().gate(internal=internal)
        self._kept: list[str] = []

    def store_conversation(self, conversation: Session) -> None:
        self._ask(conversation.turns[0].text)
        self._kept += [turn.text for turn in conversation.turns]

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Sequence[str]:
        return self._kept[:k]

    def get_all_memories(self) -> Sequence[str]:
        return self._kept

    def troubles(self) -> list[str]:
        return self._gate.troubles()

    def _ask(self, text: str) -> None:
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
        head = {"Content-Type": "application/json", "Authorization": f"Bearer {self._gate.token}"}
        with suppress(urllib.error.HTTPError):
            urllib.request.urlopen(urllib.request.Request(self._gate.url + "/chat/completions", body, head)).read()


def whole(*more: str) -> tuple[str, ...]:
    task = ("--suite", "memfail/coexisting", "--rows", "12", "--k", "5", "--system", "bm25")
    return ("run", *task, "--out", "run", "-q", "--patience", "0.4s", *more)


def verdicts(path: str) -> list[tuple[str, str]]:
    return sorted((verdict.probe, verdict.verdict) for verdict in api.load(path).verdicts())


def errors_recorded(path: str) -> int:
    with RunReader(Path(path)) as reader:
        answers = [
            answer
            for unit in reader.units
            for model in reader.answered_by()
            for answer in reader.answers(unit, model).values()
        ]
        traces = [trace for unit in reader.units for trace in reader.traces(unit)]
        return sum(each.error is not None for each in [*answers, *traces])


def test_answers_stop_cleanly_and_go_on_where_they_stopped(cli: Cli) -> None:
    leaves = Leaves(content, 5)
    with StubServer(leaves) as server:
        models = ("--answer", f"{server.url}#reader{HURRIED}", "--judge", f"{server.url}#judge{HURRIED}")
        seen = cli(*whole(*models), code=1)
        assert "stopped: " in seen.err
        assert f"{server.url} has answered nothing for " in seen.err
        assert "`memtriage resume run` goes on" in seen.err
        assert errors_recorded("run") == 0
        leaves.back.set()
        cli("resume", "run", "-q")
        cli(*whole(*models), "--out", "straight", "--no-cache")
    assert verdicts("run") == verdicts("straight")


def test_replies_that_are_all_cut_off_stop_a_run_as_silence_does(cli: Cli) -> None:
    with StubServer(content, faults=Faults().rate(1.0, 0, ["truncated"])) as server:
        models = ("--answer", f"{server.url}#reader{HURRIED}", "--judge", f"{server.url}#judge{HURRIED}")
        seen = cli(*whole(*models), code=1)
        assert f"{server.url} has answered nothing for " in seen.err
        assert "sent a broken or cut-off reply" in seen.err
        assert errors_recorded("run") == 0
        server.faults = Faults()
        cli("resume", "run", "-q")
        assert api.load("run").errors == 0


def test_a_judge_that_is_down_costs_no_answer(cli: Cli) -> None:
    leaves = Leaves(content, 0, "judge")
    with StubServer(leaves) as server:
        models = ("--answer", f"{server.url}#reader{HURRIED}", "--judge", f"{server.url}#judge{HURRIED}")
        seen = cli(*whole(*models), code=1)
        assert "has answered nothing for " in seen.err
        with RunReader(Path("run")) as reader:
            (unit,) = reader.units
            assert len(reader.answers(unit, reader.answered_by()[-1])) == 12
        leaves.back.set()
        asked = len(leaves.answered)
        cli("resume", "run", "-q")
    assert not any("reader" in text for text in leaves.answered[asked:])
    assert api.load("run").errors == 0


@pytest.mark.parametrize("after", [0, 9])
def test_a_store_is_left_and_filled_on_resume(cli: Cli, after: int) -> None:
    task = ("--suite", "memfail/coexisting", "--rows", "12", "--k", "5", "--system", "facts", "--out", "run", "-q")
    leaves = Leaves(native.reply, after)
    with StubServer(leaves) as server:
        inside = ("--internal", f"{server.url}#small{HURRIED}", "--patience", "0.4s")
        seen = cli("run", *task, *inside, code=1)
        assert seen.err.count("has answered nothing for ") == 1
        assert "raised" not in seen.err
        assert seen.out == ""
        with RunReader(Path("run")) as reader:
            assert not any(reader.done(unit) or reader.stored(unit) for unit in reader.units)
        leaves.back.set()
        cli("resume", "run", "-q")
        cli("run", *task, *inside, "--out", "straight", "--no-cache")
    assert verdicts("run") == verdicts("straight")
    assert api.load("run").errors == 0


def test_a_library_that_swallows_the_outage_is_not_recorded_either(place: Place) -> None:
    leaves = Leaves(extract, 3)
    with StubServer(leaves) as server:
        settings: dict[str, Any] = {"suite": "memfail/coexisting", "rows": 12, "k": 5}
        named = {"library": lambda: Library(f"{server.url}#small{HURRIED}")}
        run = api.run(named, **settings, out=place.path / "run", limits=Limits(patience=PATIENCE))
        assert run.unfinished
        assert run.stopped is not None
        assert "has answered nothing" in run.stopped
        leaves.back.set()
        run = api.resume(place.path / "run", named)
        assert (run.unfinished, run.stopped, run.errors) == (False, None, 0)
        assert run.stores()[0].memories == len(run.reader.episode(run.manifest["episodes"][0]["id"]).sessions)


LIMITS = {"cost": Limits(max_cost=Decimal("0.01")), "errors": Limits(max_errors=2)}


@pytest.fixture
def priced(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(place.write("own.json", '{"small": {"input": 10, "output": 10}}')))


@pytest.mark.usefixtures("priced")
@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_leaves_stores_to_be_filled_on_resume(cli: Cli, limit: str) -> None:
    task = ("--suite", "memfail/coexisting", "--rows", "12", "--k", "5", "--system", "facts", "--out", "run", "-q")
    option = {"cost": ("--max-cost", "0.05"), "errors": ("--max-errors", "2")}[limit]
    leaves = Leaves(native.reply, 9 if limit == "errors" else 1000, status=400)
    with StubServer(leaves) as server:
        inside = ("--internal", f"{server.url}#small")
        seen = cli("run", *task, *inside, *option, code=1)
        asked = server.count(ok=True)
        assert asked > 0, "it stopped on the way, not before it began"
        assert "what was done is kept, and `memtriage resume run" in seen.err
        assert "raised" not in seen.err
        with RunReader(Path("run")) as reader:
            assert not any(reader.done(unit) or reader.stored(unit) for unit in reader.units)
        leaves.back.set()
        cli("resume", "run", "-q", *(("--max-cost", "50") if limit == "cost" else ()))
        assert api.load("run").errors == 0
        calls = server.count(ok=True)
        cli("run", *task, *inside, "--out", "straight", "--no-cache")
        assert server.count(ok=True) == 2 * calls, "what was paid for before the limit was not asked again"
    assert verdicts("run") == verdicts("straight")


@pytest.mark.usefixtures("priced")
@pytest.mark.parametrize("limit", LIMITS)
def test_a_library_that_swallows_a_limit_has_no_errors_recorded(place: Place, limit: str) -> None:
    leaves = Leaves(extract, 3 if limit == "errors" else 1000, status=400)
    with StubServer(leaves) as server:
        settings: dict[str, Any] = {"suite": "memfail/coexisting", "rows": 12, "k": 5}
        named = {"library": lambda: Library(f"{server.url}#small"), "bm25": "bm25"}
        run = api.run(named, **settings, out=place.path / "run", limits=LIMITS[limit])
        assert run.unfinished
        assert run.stopped is not None
        assert run.stopped.startswith("stopped ")
        leaves.back.set()
        run = api.resume(place.path / "run", named, limits=Limits(max_cost=Decimal(50)))
        assert (run.unfinished, run.stopped, run.errors) == (False, None, 0)
        sessions = len(run.reader.episode(run.manifest["episodes"][0]["id"]).sessions)
        assert {store.memories for store in run.stores()} == {sessions}


@pytest.mark.usefixtures("no_pauses")
def test_an_embedding_endpoint_that_leaves_stops_the_run(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(content) as server:
        url = server.url
    task = ("--suite", "memfail/coexisting", "--rows", "4", "--k", "5", "--system", "dense")
    seen = cli("run", *task, "--embed", f"{url}#small", "--out", "run", "-q", code=1)
    assert f"no connection to {url}" in seen.err
    assert len(seen.err.strip().splitlines()) == 1


def test_the_help_says_how_long_a_run_waits(cli: Cli) -> None:
    said = " ".join(cli("run", "--help").out.split())
    assert "stop cleanly: 30s, 10m, 1h. [default: 5m]" in said


@pytest.mark.parametrize("text", ["0", "-1", "soon", "1e9", "5 weeks"])
def test_a_time_that_is_none_is_refused(cli: Cli, text: str) -> None:
    assert "write 30s, 10m or 1h" in cli("resume", "run", "--patience", text, code=2).err
