"""From rows to one episode: a shared store per dataset, each unit in a conversation of its own.

Storage order and question order are shuffled independently. Units of one row never share a
conversation, however many are packed into each.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from memtriage.core.episode import Episode, Fact, Probe, Scoring, Session, Turn
from memtriage.suites.memfail import facts
from memtriage.suites.memfail.rows import CoexistingRow, ConditionalRow, LongHopRow, PersonaRow, Row

_PREFIX = {"conditional-easy": "ce", "conditional-hard": "ch", "coexisting": "co", "persona": "pe", "long-hop": "lh"}
"""Ids differ between the tasks, so that a probe can be named without its task."""

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Unit:
    """One text to store, and the row it belongs to."""

    row: int
    text: str


def episodes(
    rows: Sequence[Row], dataset: str, seed: int, facts_per_conversation: int = 1, language: str = "en"
) -> Iterator[Episode]:
    """The one episode of a dataset; several, where preferences of one category would answer each other's questions."""
    first = 0
    for number, store in enumerate(_stores(rows), 1):
        named = f"-{number}" if number > 1 else ""
        yield replace(episode(store, dataset, seed, facts_per_conversation, first, named), language=language)
        first += len(store)


def _stores(rows: Sequence[Row]) -> Iterator[list[Row]]:
    store: list[Row] = []
    taken: set[str] = set()
    for row in rows:
        if isinstance(row, CoexistingRow):
            if row.preference_category in taken:
                yield store
                store, taken = [], set()
            taken.add(row.preference_category)
        store.append(row)
    yield store


def episode(
    rows: Sequence[Row], dataset: str, seed: int, facts_per_conversation: int = 1, first: int = 0, store: str = ""
) -> Episode:
    """One episode: everything stored, then every question asked. `first` rows came before these, in other stores."""
    units = [_Unit(i, text) for i, row in enumerate(rows) for text in _texts(row)]
    random.Random(f"storage:{dataset}:{seed}").shuffle(units)
    sessions, turn_of = _sessions(_packed(units, facts_per_conversation))
    gold: list[Fact] = []
    probes: list[Probe] = []
    for i, row in enumerate(rows):
        turns = [turn_of[(i, text)] for text in _texts(row)]
        row_facts, row_probes = _facts_and_probes(row, dataset, f"{_PREFIX[dataset]}{first + i + 1:04}", turns)
        gold += row_facts
        probes += row_probes
    random.Random(f"questions:{dataset}:{seed}").shuffle(probes)
    return Episode(
        id=f"memfail/{dataset}{store}",
        task=f"memfail/{dataset}",
        sessions=sessions,
        facts=tuple(gold),
        probes=tuple(probes),
    )


def _texts(row: Row) -> tuple[str, ...]:
    match row:
        case ConditionalRow() | PersonaRow():
            return (row.essay,)
        case CoexistingRow():
            return row.preference_facts
        case LongHopRow():
            return row.facts


def _packed(units: Sequence[_Unit], size: int) -> list[list[_Unit]]:
    """First fit: each unit goes to the first conversation with room and without its row."""
    full: list[list[_Unit]] = []
    unfilled: list[list[_Unit]] = []
    for unit in units:
        home = next((c for c in unfilled if all(other.row != unit.row for other in c)), None)
        if home is None:
            home = []
            unfilled.append(home)
        home.append(unit)
        if len(home) == size:
            unfilled.remove(home)
            full.append(home)
    return full + unfilled


def _sessions(conversations: Sequence[Sequence[_Unit]]) -> tuple[tuple[Session, ...], dict[tuple[int, str], str]]:
    sessions: list[Session] = []
    turn_of: dict[tuple[int, str], str] = {}
    for number, conversation in enumerate(conversations, start=1):
        id = f"s{number:04}"
        turns = tuple(Turn("user", unit.text, f"{id}/{i}") for i, unit in enumerate(conversation))
        turn_of |= {(unit.row, unit.text): turn.id for unit, turn in zip(conversation, turns, strict=True)}
        sessions.append(Session(id, turns, (_START + timedelta(hours=number)).isoformat()))
    return tuple(sessions), turn_of


def _facts_and_probes(row: Row, dataset: str, id: str, turns: Sequence[str]) -> tuple[list[Fact], list[Probe]]:
    match row:
        case ConditionalRow():
            fact = facts.conditional(row, f"{id}/rule", turns[0], hard=dataset == "conditional-hard")
            tags = {
                "condition_type": row.condition_type,
                "condition_met": row.condition_met,
                "entity": row.entity_category,
            }
            return [fact], [_probe(id, row.question, row.ground_truth_answer, [fact], tags)]
        case CoexistingRow():
            several = [facts.coexisting(row, i, f"{id}/{i + 1}", turn) for i, turn in enumerate(turns)]
            tags = {"N": str(len(turns)), "category": row.preference_category}
            return several, [_probe(id, row.question, row.ground_truth_answer, several, tags)]
        case PersonaRow():
            return _persona(row, id, turns[0])
        case LongHopRow():
            links = [facts.long_hop(row, i, f"{id}/{i + 1}", turn) for i, turn in enumerate(turns)]
            probe = Probe(
                id=row.id,
                text=row.graded_question,
                gold=row.ground_truth_answer,
                sufficient=(tuple(link.id for link in links),),
                scoring="choice",
                choices=row.choices,
                correct_choice=row.correct_choice,
                cluster=id,
                tags={"K": str(row.hop_count)},
            )
            return links, [probe]


def _persona(row: PersonaRow, id: str, turn: str) -> tuple[list[Fact], list[Probe]]:
    found: list[Fact] = []
    probes: list[Probe] = []
    for i, question in enumerate(row.questions, start=1):
        fact = facts.persona(row, question, f"{id}/{i}", turn)
        tags = {"query": "misleading" if question.is_misleading else "direct"}
        scoring: Scoring = "abstain" if question.is_misleading else "free"
        probe = _probe(f"{id}q{i}", question.text, question.ground_truth_answer, [fact], tags, id, scoring)
        found.append(fact)
        probes.append(probe)
    return found, probes


def _probe(
    id: str,
    text: str,
    gold: str,
    needed: Sequence[Fact],
    tags: dict[str, str],
    cluster: str = "",
    scoring: Scoring = "free",
) -> Probe:
    return Probe(
        id=id,
        text=text,
        gold=gold,
        sufficient=(tuple(f.id for f in needed),),
        scoring=scoring,
        cluster=cluster or id,
        tags=tags,
    )
