"""Looking into a store while it fills changes nothing: neither what a system does and costs, nor its verdicts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memtriage
from conftest import Place
from damage import MANIFEST
from memtriage import Memory, Session
from memtriage.core.episode import Episode, Fact, Probe, Turn
from memtriage.core.memory import Traits
from memtriage.core.trace import Usage
from memtriage.record.manifest import hold
from memtriage.record.reader import RunReader
from memtriage.record.writer import RunWriter, create
from memtriage.runner.store_runner import Before, Settings, StoreJob, StoreRunner
from memtriage.runner.watcher import Watcher
from memtriage.systems.adapted import adapt

WINDOW = 5
PROMPT = 1000


class Windowed:
    """Writes its buffer when five sessions wait in it, or when it settles; each time, a prompt has to be paid for."""

    def __init__(self) -> None:
        self.waiting: list[Memory] = []
        self.kept: list[Memory] = []
        self.tokens = 0
        self.settled = self.listed = 0

    def store_conversation(self, conversation: Session) -> None:
        self.waiting += [Memory(turn.id, turn.text) for turn in conversation.turns]
        if len(self.waiting) == WINDOW:
            self.write()

    def write(self) -> None:
        if self.waiting:
            self.tokens += PROMPT + len(self.waiting)
            self.kept += self.waiting
            self.waiting = []

    def settle(self) -> None:
        self.settled += 1
        self.write()

    def get_all_memories(self) -> list[Memory]:
        self.listed += 1
        return list(self.kept)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        asked = set(query.lower().strip("?").split())
        return sorted(self.kept, key=lambda m: -len(asked & set(m.text.lower().strip(".").split())))[:k]

    def usage(self) -> Usage:
        return Usage(input_tokens=self.tokens)


class Forgetful(Windowed):
    """Besides, it keeps no more than the newest eight memories."""

    def write(self) -> None:
        super().write()
        self.kept = self.kept[-8:]


class WritesToList(Windowed):
    """Writes its buffer to be able to list it, and says so."""

    traits = Traits(listing_writes=True)

    def get_all_memories(self) -> list[Memory]:
        self.write()
        return super().get_all_memories()


def outcome(run: memtriage.Run) -> tuple[Any, ...]:
    """What became of every fact, and what storing cost."""
    facts = [(v.probe, v.verdict, fact.verdict) for v in run.verdicts() for fact in v.facts]
    return facts, [(store.memories, store.ingest_usage) for store in run.stores()]


@pytest.mark.parametrize("suite", ["tiny/end", "tiny/along"])
@pytest.mark.parametrize("system", [Windowed, Forgetful, WritesToList])
def test_with_and_without_looks_a_store_is_the_same_and_costs_the_same(
    place: Place, system: type[Windowed], suite: str
) -> None:
    runs = [memtriage.run(system, suite=suite, rows=12, k=3, looks=looks) for looks in (0, 1, 8, 64)]
    assert len({str(outcome(run)) for run in runs}) == 1


def test_storing_costs_what_full_windows_cost(place: Place) -> None:
    """Twelve sessions are two full windows and a rest of two: three prompts, and one token for each session."""
    (store,) = memtriage.run(Windowed, suite="tiny/end", rows=12, k=3, looks=8).stores()
    assert store.ingest_usage == Usage(input_tokens=3 * PROMPT + 12)


def test_what_waits_while_a_store_is_looked_at_is_not_taken_for_lost(place: Place) -> None:
    run = memtriage.run(Windowed, suite="tiny/end", rows=12, k=3, looks=12)
    assert {fact.verdict for verdict in run.verdicts() for fact in verdict.facts} == {"correct"}


def test_a_loss_is_still_dated_by_the_looks(place: Place) -> None:
    """Sessions 1 to 5 are written after the fifth; writing the tenth leaves 3 to 10, and the rest 5 to 12."""
    run = memtriage.run(Forgetful, suite="tiny/end", rows=12, k=3, looks=12)
    lost = {v.probe: v.facts[0].lost_after for v in run.verdicts() if v.facts[0].verdict == "not_stored"}
    assert lost == {"p1": "s10", "p2": "s10", "p3": "s12", "p4": "s12"}
    assert {v.facts[0].lost for v in run.verdicts() if v.probe in lost} == {"later"}


# ------------------------------------------------------------------ where a store is looked at


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    numbers = iter(range(10**6))
    base = tmp_path_factory.mktemp("stores")
    return lambda: base / str(next(numbers))


class Diary(Windowed):
    """Notes after how many sessions it is asked to settle, to list and to retrieve."""

    def __init__(self) -> None:
        super().__init__()
        self.stored = 0
        self.calls: list[tuple[str, int]] = []

    def store_conversation(self, conversation: Session) -> None:
        self.stored += 1
        super().store_conversation(conversation)

    def settle(self) -> None:
        self.calls.append(("settle", self.stored))
        super().settle()

    def get_all_memories(self) -> list[Memory]:
        self.calls.append(("list", self.stored))
        return super().get_all_memories()

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        self.calls.append(("ask", self.stored))
        return super().retrieve_memories(query, conversation, k)


def calls(path: Any, sessions: int, looks: int, told: tuple[int, ...], asked: tuple[int, ...]) -> list[tuple[str, int]]:
    """What a store is called with, whose facts are told in these sessions and asked after those."""
    talks = tuple(Session(f"s{n}", (Turn("user", f"The lamp {n} is red.", f"s{n}/0"),)) for n in range(sessions))
    facts = tuple(Fact(f"f{n}", f"The lamp {n} is red.", (f"s{n}/0",), ("red",)) for n in told)
    needed = (tuple(fact.id for fact in facts),)
    probes = tuple(Probe(f"p{n}", "Which lamp?", "red", needed, after=f"s{n}") for n in asked)
    episode = Episode("e", "tiny/end", talks, facts, probes)
    create(path, {**MANIFEST, "systems": [{"label": "diary", "class": "Diary"}]}, [episode])
    with hold(path):
        reader = RunReader(path)
        with RunWriter(path, reader) as writer:
            diary = Diary()
            system = adapt(diary)
            job = StoreJob(
                lambda: system,
                ("diary", "e"),
                episode,
                Before.of(reader, ("diary", "e")),
                writer,
                Settings((3,), looks=looks),
                Watcher(),
            )
            StoreRunner(job, system).run()
    return diary.calls


@settings(max_examples=40)
@given(st.data())
def test_gold_has_no_say_in_when_a_system_is_called(folder: Any, data: st.DataObject) -> None:
    sessions = data.draw(st.integers(1, 30))
    looks = data.draw(st.integers(0, 40))
    places = st.lists(st.integers(0, sessions - 1), min_size=1, max_size=6, unique=True).map(sorted).map(tuple)
    asked = data.draw(places)
    one, other = (calls(folder(), sessions, looks, data.draw(places), asked) for _ in range(2))
    assert one == other
    settled = [number for what, number in one if what == "settle"]
    assert settled == sorted({number + 1 for number in asked} | {sessions}), "only before questions, and at the end"
    assert one[0] == ("list", 0), "a fresh store has to be empty"
    listed = {number for what, number in one[1:] if what == "list"} - set(settled)
    assert len(listed) <= looks
    if looks >= sessions:
        assert listed | set(settled) == set(range(1, sessions + 1))
