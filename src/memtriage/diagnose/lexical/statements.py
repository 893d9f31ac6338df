"""The rewritten memories of a store, read as statements."""

from __future__ import annotations

from collections.abc import Iterable

from memtriage.diagnose.lexical.alignment import weight
from memtriage.diagnose.lexical.statement import Statement, statement

_NEAREST = 24


class Statements:
    """The rewritten memories of a store as statements, found again by the forms they use."""

    def __init__(self) -> None:
        self._statements: dict[int, Statement] = {}
        self._using: dict[str, list[int]] = {}

    def add(self, number: int, text: str) -> None:
        """Add a memory."""
        read = statement(text)
        self._statements[number] = read
        for form in {unit.form for unit in read.units if unit.kind != "self"}:
            self._using.setdefault(form, []).append(number)

    def __contains__(self, number: int) -> bool:
        return number in self._statements

    def __getitem__(self, number: int) -> Statement:
        return self._statements[number]

    def near(self, fact: Statement, scope: Iterable[int]) -> list[int]:
        """The memories that share most with a fact, rare forms counting more; those that share nothing are left out."""
        within = set(scope)
        scores: dict[int, float] = {}
        for form, unit in {unit.form: unit for unit in fact.units if unit.kind != "self"}.items():
            using = self._using.get(form, ())
            for number in using:
                if number in within:
                    scores[number] = scores.get(number, 0.0) + weight(unit) / (1 + len(using)) ** 0.5
        return sorted(scores, key=lambda n: (-scores[n], n))[:_NEAREST]
