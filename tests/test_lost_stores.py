"""Stores whose process dies: filled again once, then an error; never silently short, never a wrong answer."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

import memtriage
from memtriage.record.reader import RunReader
from memtriage.systems.remote.running import close_all

ADAPTER = '''
import os, signal, sys
from memtriage_adapter import serve, trouble

ORDERS = {orders!r}

def order(where):
    """Whether to die here: each order is carried out once, by whichever process comes first."""
    for name in os.listdir(ORDERS):
        if name.partition("@")[0] == where:
            os.remove(os.path.join(ORDERS, name))
            return True
    return False

class Keeps:
    def __init__(self):
        self.kept = []
    def store_conversation(self, conversation):
        if order("store-" + conversation.id):
            os.kill(os.getpid(), signal.SIGKILL)
        if order("hide-" + conversation.id):
            trouble("the model said 503")
            return
        self.kept += [turn.text for turn in conversation.turns]
    def retrieve_memories(self, query, conversation, k):
        if order("ask"):
            os.kill(os.getpid(), signal.SIGKILL)
        asked = set(query.lower().strip("?").split())
        return sorted(self.kept, key=lambda text: -len(asked & set(text.lower().strip(".").split())))[:k]
    def get_all_memories(self):
        return self.kept

serve(Keeps)
'''


class Mortal:
    """A folder with an adapter that dies where it is told to."""

    def __init__(self, path: Path) -> None:
        self.orders = path / "orders"
        self.orders.mkdir()
        self.file = path / "adapter.py"
        self.file.write_text(ADAPTER.format(orders=str(self.orders)))
        self.system = f"proc:{sys.executable} {self.file}"
        self._given = 0

    def order(self, where: str) -> None:
        self._given += 1
        (self.orders / f"{where}@{self._given}").touch()


@pytest.fixture
def mortal(tmp_path: Path) -> Mortal:
    return Mortal(tmp_path)


@pytest.fixture(autouse=True)
def _ended() -> object:
    yield
    close_all()


def run(mortal: Mortal, out: Path, rows: int = 12, suite: str = "memfail/coexisting") -> memtriage.Run:
    return memtriage.run(mortal.system, suite=suite, k=[3], rows=rows, out=out)


def test_a_store_that_is_lost_once_is_filled_again(mortal: Mortal, tmp_path: Path) -> None:
    whole = run(mortal, tmp_path / "whole")
    (session,) = _sessions(tmp_path / "whole")[3:4]
    mortal.order(f"store-{session}")
    again = run(mortal, tmp_path / "again")
    assert again.table() == whole.table()
    assert any("filled again from the first session" in note for note in again.notes)
    mortal.order("ask")
    asked = run(mortal, tmp_path / "asked")
    assert asked.table() == whole.table()


def test_a_store_that_is_lost_twice_is_an_error_and_the_run_goes_on(mortal: Mortal, tmp_path: Path) -> None:
    whole = run(mortal, tmp_path / "whole")
    (session,) = _sessions(tmp_path / "whole")[3:4]
    mortal.order(f"store-{session}")
    mortal.order(f"store-{session}")
    broken = run(mortal, tmp_path / "broken")
    lost = [probe for probe in broken.probes if probe["verdict"] == "error"]
    assert lost
    assert all("lost twice" in probe["error"] for probe in lost)
    with RunReader(tmp_path / "broken") as reader:
        spoiled = {unit for unit in reader.units if reader.history(unit).ingest.error}
        assert len(spoiled) == 1
    others = {p["probe"]: p["verdict"] for p in whole.probes}
    assert all(p["verdict"] in ("error", others[p["probe"]]) for p in broken.probes)


def test_an_error_that_the_other_side_hid_is_no_failure_of_the_memory(mortal: Mortal, tmp_path: Path) -> None:
    whole = run(mortal, tmp_path / "whole")
    (session,) = _sessions(tmp_path / "whole")[3:4]
    mortal.order(f"hide-{session}")
    hidden = run(mortal, tmp_path / "hidden")
    before = {p["probe"]: p["verdict"] for p in whole.probes}
    changed = [p for p in hidden.probes if p["verdict"] != before[p["probe"]]]
    assert {p["verdict"] for p in changed} <= {"error", "correct"}  # others may be found, with less in the store
    assert any("503" in (p["error"] or "") for p in changed)
    assert any("hid an error" in note for note in hidden.notes)


def test_twenty_kills_and_no_store_silently_short(mortal: Mortal, tmp_path: Path) -> None:
    """Sixteen stores, twenty kills: each store is complete, as without kills, or marked as an error."""
    whole = run(mortal, tmp_path / "whole", 6)
    sessions = _sessions(tmp_path / "whole")
    for session in random.Random(7).choices(sessions, k=20):
        mortal.order(f"store-{session}")
    killed = memtriage.run(
        mortal.system, suite="memfail/coexisting", k=[3], rows=6, repeats="ingest=16", out=tmp_path / "killed"
    )
    assert not list(mortal.orders.iterdir())
    expected = {p["probe"]: p["verdict"] for p in whole.probes}
    outcomes: dict[int, dict[str, str]] = {}
    for verdict in killed.verdicts():
        outcomes.setdefault(verdict.ingest_repeat, {})[verdict.probe] = verdict.verdict
    with RunReader(tmp_path / "killed") as reader:
        lives = [reader.history(unit).ingest for unit in reader.units]
    assert sum(life.error is not None for life in lives) == sum(set(o.values()) == {"error"} for o in outcomes.values())
    assert all(set(o.values()) == {"error"} or o == expected for o in outcomes.values())
    assert len(outcomes) == 16
    assert 0 < sum(o == expected for o in outcomes.values()) < 16


def _sessions(path: Path) -> list[str]:
    with RunReader(path) as reader:
        return [session.id for episode in reader.episodes() for session in episode.sessions]


def test_a_command_that_is_no_adapter_is_told(cli: object, tmp_path: Path) -> None:
    told = cli("run", "--suite", "tiny/end", "--rows", "3", "--system", "proc:true", code=1)  # type: ignore[operator]
    assert "true" in told.err
    assert "Traceback" not in told.err


def test_what_is_recorded_of_a_process(mortal: Mortal, tmp_path: Path) -> None:
    run(mortal, tmp_path / "a", 3)
    manifest = json.loads((tmp_path / "a" / "run.json").read_bytes())
    (system,) = manifest["systems"]
    assert any(key.startswith("sha256 ") and key.endswith("adapter.py") for key in system)
