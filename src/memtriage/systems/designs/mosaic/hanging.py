"""What a statement hangs on, and how much of that a report tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
NEXT = 0.5
"""How much of a condition a changed statement has to be about."""
SAME = 0.6
"""How much of a condition another one has to name to be the same."""

MOST_FORMS = 100_000
"""How many different things that statements hang on are held; beyond that they are worked out again."""
FEW = 8
"""Up to how many are weighed one by one: sorting out those that may be near enough would take longer."""
WIDEST, PLAIN_PARTS, EVERY_PART = 12, 4, 10
"""How many stems and how many parts are held in tables; what hangs on more is weighed by itself."""

Form = tuple[tuple[Stems, ...], Stems, Stems]
Numbers = NDArray[np.int32]


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


class Forms:
    """What statements hang on, by the number of each statement. Of many, only those near enough are weighed."""

    def __init__(self, words: WordIndex, statement: Callable[[int], Statement]) -> None:
        self._words, self._statement = words, statement
        self._of: Numbers = np.full(64, -1, dtype=np.int32)  # the form of each statement, -1 where it isn't known
        self.clear()

    def clear(self) -> None:
        """Hold nothing; what is asked for again is worked out again."""
        self._of[:] = -1
        self._numbers: dict[Form, int] = {}
        self._held: list[Hangs] = []
        self._wide: set[int] = set()  # those that don't fit into the tables
        self._parts = _Table(WIDEST)  # the stems of each part, by number
        self._parts.append([])
        self._plain, self._every = _Table(PLAIN_PARTS), _Table(EVERY_PART)  # which parts each has
        self._words.unnumber()

    def put(self, number: int, statement: Statement) -> None:
        """Take in what a statement hangs on, so that it needn't be read again."""
        self._make_room(number)
        form = clauses, names, coming = form_of(statement)
        found = self._numbers.get(form)
        if found is None:
            found = self._numbers[form] = len(self._held)
            held = tuple(clause & names for clause in clauses)
            things = tuple(clause - names for clause in clauses)
            self._held.append(Hangs(clauses, held, things, frozenset().union(*held), coming))
            plain = [part for part in (*clauses, coming) if part]
            every = [*plain, *(part for part in (*held, *things) if part)]
            if len(plain) > PLAIN_PARTS or len(every) > EVERY_PART or max(map(len, plain), default=0) > WIDEST:
                self._wide.add(found)
                plain = every = []
            rows = [self._parts.append([self._words.number(stem) for stem in part]) for part in every]
            self._plain.append(rows[: len(plain)])
            self._every.append(rows)
        self._of[number] = found

    def weighed(
        self, numbers: Numbers, among: Stems, least: float, weigh: Callable[[Hangs], float], every_part: bool = False
    ) -> list[tuple[int, float]]:
        """Those of some statements that weigh at least so much, each with its weight.

        None may, unless `among` tells at least so much of one of its clauses or of what it says will come; with
        `every_part`, of the names in a clause or of what else is in it.
        """
        if not len(numbers):
            return []
        forms = self._forms(numbers)
        near = self._near(forms, among, least, every_part)
        strong = {form: weight for form in near if (weight := weigh(self._held[form])) >= least}
        if not strong:
            return []
        pairs = zip(numbers.tolist(), forms.tolist(), strict=True)
        return [(number, strong[form]) for number, form in pairs if form in strong]

    def _forms(self, numbers: Numbers) -> Numbers:
        if len(self._held) > MOST_FORMS:
            self.clear()
        self._make_room(int(numbers.max()))
        found: Numbers = self._of[numbers]
        unknown = numbers[found < 0].tolist()
        for number in unknown:
            self.put(number, self._statement(number))
        return self._of[numbers] if unknown else found

    def _near(self, forms: Numbers, among: Stems, least: float, every_part: bool) -> Iterable[int]:
        """The different ones that may weigh so much; a hair more than those that do."""
        different = set(forms.tolist())
        if len(different) <= FEW:
            return different
        looked_at = np.fromiter(different, np.intp, len(different))
        stems = self._parts.rows[(self._every if every_part else self._plain).rows[looked_at]]
        told = self._words.are(stems, among)
        some = told.any(axis=2)
        mass = self._words.masses(stems[some])
        near = (mass * told[some]).sum(axis=1) >= (least - 1e-6) * mass.sum(axis=1)
        found: list[int] = looked_at[np.nonzero(some)[0][near]].tolist()
        return {*found, *(different & self._wide)}

    def _make_room(self, number: int) -> None:
        if number >= len(self._of):
            more = np.full(max(number, len(self._of)), -1, dtype=np.int32)
            self._of = np.concatenate((self._of, more))


class _Table:
    """Rows of numbers that grow, filled up with 0."""

    def __init__(self, width: int) -> None:
        self._values: Numbers = np.zeros((64, width), dtype=np.int32)
        self._count = 0

    @property
    def rows(self) -> Numbers:
        """All rows by place, and room for more."""
        return self._values

    def append(self, numbers: Sequence[int]) -> int:
        """Add a row, and tell which it is."""
        place = self._count
        if place == len(self._values):
            self._values = np.concatenate((self._values, np.zeros_like(self._values)))
        self._values[place, : len(numbers)] = numbers
        self._count += 1
        return place


def news_for(words: WordIndex, told: Stems, meant: Stems, hangs: Hangs) -> float:
    """How much of what a statement hangs on is told by news, or changed by such an event."""
    parts = tuple(zip(hangs.clauses, hangs.names, hangs.things, strict=True))
    strength = max((_named(words, *part, told) for part in parts if not part[0].isdisjoint(told)), default=0.0)
    strength = max(strength, _come_true(words, hangs, told))
    if strength < EVENT and any(words.share_from(WHOLE, thing or clause, meant) for clause, _, thing in parts):
        return EVENT
    return strength


def plain_for(words: WordIndex, told: Stems, meant: Stems, hangs: Hangs) -> float:
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


def next_for(words: WordIndex, about: Stems, hangs: Hangs) -> float:
    """How much of what a statement hangs on a changed one is about, if it is enough to be what hangs on that."""
    return max(words.share_from(NEXT, clause, about) for clause in hangs.clauses)


def same_for(words: WordIndex, others: Sequence[Stems], hangs: Hangs) -> float:
    """How much of what a statement hangs on others hang on, if it is enough to be the same."""
    return hang_alike(words, hangs.clauses, others)


def hang_alike(words: WordIndex, clauses: Sequence[Stems], others: Sequence[Stems]) -> float:
    """How much of a condition others name, if it is enough to be the same."""
    shares = (words.share_from(SAME, clause, other) for clause in clauses for other in others)
    return max(shares, default=0.0)
