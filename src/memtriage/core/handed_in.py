"""Answers that were given elsewhere: handed in as a file, matched with the questions of a data file, and graded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from memtriage.core.episode import Probe


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer to a question, as somebody handed it in."""

    probe: Probe
    answer: str


@dataclass(frozen=True, slots=True)
class AnswerSheet:
    """A file of answers beside the questions it is about.

    `corrected` holds the probes, by id, whose gold answer is known to be wrong, as they should be (the version of the
    list of these is `errata`). `missing` were not answered, `strangers` are ids that the questions don't have.
    `problems` name what could not be read, and where.
    """

    given: tuple[GivenAnswer, ...]
    missing: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    corrected: Mapping[str, Probe] = field(default_factory=dict, hash=False)
    errata: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """What was found of an answer: right or wrong (None: not settled), by whom and why; `error` where nobody could."""

    given: GivenAnswer
    right: bool | None
    by: Literal["words", "judge"]
    why: str
    error: str | None = None


class Scorer(Protocol):
    """How a suite grades answers that were given elsewhere."""

    def read(self, answers: Path, data: Path) -> AnswerSheet:
        """The answers of a file, matched with the questions of a data file."""

    def by_words(self, probe: Probe, answer: str) -> tuple[bool, str] | None:
        """Whether an answer is right, and why, where words alone leave no doubt."""

    def groups(self, marks: Sequence[Mark]) -> Mapping[str, Sequence[Mark]]:
        """The groups of questions whose accuracies the suite's own tools print and average, in their order."""

    def log(self, marks: Sequence[Mark], judge: str) -> Iterator[Mapping[str, object]]:
        """The settled answers, one record each, as the suite's own tools read them."""
