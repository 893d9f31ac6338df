"""Rows laid out as one episode: a unit per conversation, shuffled by seed, without gold in any id."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request, Task
from memtriage.suites.memfail.episodes import episode
from memtriage.suites.memfail.generate.rows import generate_rows, stream
from memtriage.suites.memfail.rows import DATASETS, CoexistingRow, ConditionalRow, LongHopRow, PersonaRow, Row
from memtriage.suites.memfail.suite import SUITE
from memtriage.text.sentences import sentences


def rows(dataset: str, count: int = 12) -> list[Row]:
    return list(islice(stream(dataset, 3, count), count))


def texts(row: Row) -> tuple[str, ...]:
    match row:
        case CoexistingRow():
            return row.preference_facts
        case LongHopRow():
            return row.facts
        case ConditionalRow() | PersonaRow():
            return (row.essay,)


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_unit_has_its_own_conversation(dataset: str) -> None:
    made = rows(dataset)
    laid = episode(made, dataset, 1)
    assert all(len(s.turns) == 1 for s in laid.sessions)
    assert sorted(s.text for s in laid.sessions) == sorted(t for row in made for t in texts(row))
    said = {turn.id: turn.text for s in laid.sessions for turn in s.turns}
    for fact in laid.facts:
        assert all(sentence in said[fact.turns[0]] for sentence in fact.evidence)


@pytest.mark.parametrize("dataset", ["coexisting", "long-hop"])
def test_packing_never_joins_two_units_of_a_row(dataset: str) -> None:
    made = rows(dataset)
    row_of = {text: i for i, row in enumerate(made) for text in texts(row)}
    laid = episode(made, dataset, 1, facts_per_conversation=3)
    assert sum(len(s.turns) == 3 for s in laid.sessions) >= len(laid.sessions) - 3
    for session in laid.sessions:
        owners = [row_of[turn.text] for turn in session.turns]
        assert len(owners) == len(set(owners)) <= 3
    assert len([t for s in laid.sessions for t in s.turns]) == len(row_of)


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_layout_is_decided_by_the_seed(dataset: str) -> None:
    made = rows(dataset)
    assert episode(made, dataset, 1) == episode(made, dataset, 1)
    assert [s.text for s in episode(made, dataset, 1).sessions] != [s.text for s in episode(made, dataset, 2).sessions]


def test_questions_are_shuffled_apart_from_storage() -> None:
    made = rows("conditional-easy", 30)
    laid = episode(made, "conditional-easy", 1)
    asked = [probe.sufficient[0][0] for probe in laid.probes]
    turn_of = {fact.id: fact.turns[0] for fact in laid.facts}
    stored = [next(f for f, t in turn_of.items() if t == s.turns[0].id) for s in laid.sessions]
    assert sorted(asked) == sorted(stored)
    assert asked != stored
    assert asked != sorted(asked)
    assert stored != sorted(stored)


def _ids(laid: Episode) -> list[str]:
    turns = [turn.id for s in laid.sessions for turn in s.turns]
    return [*(s.id for s in laid.sessions), *turns, *(f.id for f in laid.facts), *(p.id for p in laid.probes)]


@pytest.mark.parametrize("dataset", DATASETS)
def test_ids_carry_no_gold(dataset: str) -> None:
    laid = episode(rows(dataset), dataset, 1)
    given_away = {"yes", "no"} | {p.correct_choice.lower() for p in laid.probes} - {""}
    for id in _ids(laid):
        parts = {part.strip("0123456789") for part in id.lower().replace("_", "/").replace("-", "/").split("/")}
        assert parts.isdisjoint(given_away)
        assert len(id) < 40


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_fact_is_asked_for_and_times_run_forward(dataset: str) -> None:
    laid = episode(rows(dataset), dataset, 1)
    needed = {id for p in laid.probes for ids in p.sufficient for id in ids}
    assert needed == {fact.id for fact in laid.facts}
    stamps = [s.timestamp or "" for s in laid.sessions]
    assert stamps == sorted(set(stamps))
    assert all(p.cluster for p in laid.probes)


def test_preferences_of_one_category_never_share_a_store() -> None:
    laid = list(_task("coexisting").load(Request(seed=3, rows=230)).episodes)
    assert [store.id for store in laid] == [f"memfail/coexisting{end}" for end in ("", "-2", "-3")]
    for store in laid:
        assert len({probe.tags["category"] for probe in store.probes}) == len(store.probes) <= 100
    ids = [probe.id for store in laid for probe in store.probes]
    assert len(set(ids)) == 230
    assert len(list(_task("persona").load(Request(seed=3, rows=120)).episodes)) == 1


def _task(name: str) -> Task:
    return next(task for task in SUITE.tasks if task.name == f"memfail/{name}")


def test_rows_like_the_released_have_their_shares() -> None:
    like = {"like": "released"}
    easy, hard = (
        next(iter(_task(f"conditional-{kind}").load(Request(rows=100, options=like)).episodes))
        for kind in ("easy", "hard")
    )
    assert Counter(probe.tags["condition_met"] for probe in easy.probes) == {"yes": 32, "no": 68}
    assert Counter(probe.tags["condition_met"] for probe in hard.probes) == {"yes": 49, "no": 51}
    rows, _ = generate_rows("persona", 5, 100, like_released=True)
    people = Counter(row.entity for row in rows if isinstance(row, PersonaRow))
    assert 50 <= len(people) <= 78  # 36 of 100 names come back
    lengths = [len(sentences(row.essay)) for row in rows if isinstance(row, PersonaRow)]
    assert 8 <= min(lengths) <= max(lengths) <= 11
    with pytest.raises(BadInput, match="like=released"):
        _task("persona").load(Request(options={"like": "mine"}))
