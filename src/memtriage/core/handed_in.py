"""Answers from elsewhere, handed in as a file to be matched with questions and graded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from memtriage.core.episode import Probe


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer that was handed in, and its question."""

    probe: Probe
    answer: str


@dataclass(frozen=True, slots=True)
class AnswerSheet:
    """A file of answers, matched with its questions.

    `corrected` holds corrected probes, by id, for those whose gold answer is known to be wrong; `errata` is the version
    of that list. `missing` are unanswered question ids, `strangers` answered ids without a question. `problems` say
    what could not be read, and where.
    """

    given: tuple[GivenAnswer, ...]
    missing: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    corrected: Mapping[str, Probe] = field(default_factory=dict, hash=False)
    errata: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """The grade of an answer: right or wrong (None: undecided), by whom and why; `error` if grading failed."""

    given: GivenAnswer
    right: bool | None
    by: Literal["words", "judge"]
    why: str
    error: str | None = None


class Scorer(Protocol):
    """How a suite grades answers from elsewhere."""

    def read(self, answers: Path, data: Path) -> AnswerSheet:
        """The answers of a file, matched with the questions of a data file."""

    def by_words(self, probe: Probe, answer: str) -> tuple[bool, str] | None:
        """Whether an answer is right, and why; None if words alone can't decide."""

    def groups(self, marks: Sequence[Mark]) -> Mapping[str, Sequence[Mark]]:
        """The groups of questions whose accuracies the suite's own tools print and average, in their order."""

    def log(self, marks: Sequence[Mark], judge: str) -> Iterator[Mapping[str, object]]:
        """The settled answers, one record each, as the suite's own tools read them."""
