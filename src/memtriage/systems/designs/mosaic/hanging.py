"""What a statement hangs on, and how much of that a report tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtriage.systems.designs.mosaic.kept import Recent
from memtriage.systems.designs.mosaic.statements import Statement, Stems
from memtriage.systems.designs.mosaic.text_index import WordIndex

DIRECT = 0.5
"""How much of what a statement hangs on a report has to name."""
PLAIN = 0.9
"""The same for a sentence that doesn't say that it is news."""
EVENT = 0.8
"""What it counts that an event changes a thing by its nature, beside being told so."""
WHOLE = 0.75
"""How much of what a statement hangs on an event has to change by its nature."""
SAME = 0.6
"""How much of a condition another one has to name to be the same."""

Form = tuple[tuple[Stems, ...], Stems, Stems]


@dataclass(frozen=True, slots=True, eq=False)
class Hangs:
    """What a statement hangs on: all that says how a report reaches it. Statements that hang on the same share one."""

    clauses: tuple[Stems, ...]
    names: tuple[Stems, ...]
    """The names in each clause."""
    things: tuple[Stems, ...]
    """What else is in each clause."""
    every_name: Stems
    coming: Stems
    """The names of what a rule says will come."""


def form_of(statement: Statement) -> Form:
    """What a statement hangs on, the names in it, and those of what it says will come, if it is a rule."""
    coming = statement.about & statement.names if statement.kind == "rule" else frozenset()
    return statement.clauses, statement.names, coming


def hanging(statement: Statement, forms: Recent[Form, Hangs]) -> Hangs:
    """What a statement hangs on; one that is known already, if another one hangs on the same."""
    form = clauses, names, coming = form_of(statement)
    found = forms.get(form)
    if found is None:
        held = tuple(clause & names for clause in clauses)
        things = tuple(clause - names for clause in clauses)
        found = Hangs(clauses, held, things, frozenset().union(*held), coming)
        forms.put(form, found)
    return found


def news_for(words: WordIndex, hangs: Hangs, told: Stems, meant: Stems) -> float:
    """How much of what a statement hangs on is told by news, or changed by such an event."""
    parts = tuple(zip(hangs.clauses, hangs.names, hangs.things, strict=True))
    strength = max((_named(words, *part, told) for part in parts if not part[0].isdisjoint(told)), default=0.0)
    strength = max(strength, _come_true(words, hangs, told))
    if strength < EVENT and any(words.share_from(WHOLE, thing or clause, meant) for clause, _, thing in parts):
        return EVENT
    return strength


def plain_for(words: WordIndex, hangs: Hangs, told: Stems, meant: Stems) -> float:
    """The same for a sentence that doesn't say that it is news; 0 where it may only repeat what is known.

    It may, where what the other one hangs on has no name, or one that is told.
    """
    if not hangs.every_name or not hangs.every_name.isdisjoint(told):
        return 0.0
    strength = _come_true(words, hangs, told)
    for clause in hangs.clauses:
        if not clause.isdisjoint(told):
            strength = max(strength, words.share_from(PLAIN, clause, told))
    return strength


def _come_true(words: WordIndex, hangs: Hangs, told: Stems) -> float:
    """How much of what a rule said would come has come, if it is enough."""
    return 0.9 * words.share_from(DIRECT, hangs.coming, told) if hangs.coming else 0.0


def _named(words: WordIndex, clause: Stems, names: Stems, thing: Stems, told: Stems) -> float:
    """How much of what a statement hangs on is told, if it is enough; its names alone are nearly enough."""
    return max(
        words.share_from(DIRECT, clause, told),
        0.9 * words.share_from(DIRECT, names, told) if names else 0.0,
        0.8 * words.share_from(DIRECT, thing, told) if names and thing else 0.0,
    )


def hang_alike(words: WordIndex, clauses: Sequence[Stems], others: Sequence[Stems]) -> float:
    """How much of a condition others name, if it is enough to be the same."""
    shares = (words.share_from(SAME, clause, other) for clause in clauses for other in others)
    return max(shares, default=0.0)
