"""Answers from elsewhere, handed in as a file to be matched with questions and graded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

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


class Graded(NamedTuple):
    """What an answer earns (0 to 1), why, and its measures by name."""

    credit: float
    why: str
    measures: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Mark:
    """The grade of an answer: what it earns of 1 (None: undecided), by whom and why; `error` if grading failed."""

    given: GivenAnswer
    credit: float | None
    by: Literal["words", "judge"]
    why: str
    error: str | None = None
    measures: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def right(self) -> bool | None:
        """Whether it earns all there is; None if that is undecided."""
        return None if self.credit is None else self.credit == 1


@dataclass(frozen=True, slots=True)
class ScoreGroup:
    """One line of a score: the mean of some marks, or the mean of other lines (`of`), whatever their sizes.

    `metric` names what the marks are credits of. A `group` is a part of the questions; a `mean` or the score of `all`
    of them stands out.
    """

    name: str
    marks: tuple[Mark, ...] = ()
    of: tuple[ScoreGroup, ...] = ()
    metric: str = "accuracy"
    kind: Literal["group", "mean", "all"] = "group"


class Scorer(Protocol):
    """How a suite grades answers from elsewhere."""

    def read(self, answers: Path, data: Path) -> AnswerSheet:
        """The answers of a file, matched with the questions of a data file."""

    def questions(self, data: Path, complain: Callable[[str], None]) -> Iterator[Probe]:
        """The questions of a data file, without what was said before them; what can't be read is named."""

    def by_words(self, probe: Probe, answer: str) -> Graded | None:
        """What an answer earns; None if words alone can't decide."""

    def groups(self, marks: Sequence[Mark]) -> Sequence[ScoreGroup]:
        """The lines of a score as the suite's own tools or its paper have them, in their order."""

    def log(self, marks: Sequence[Mark], judge: str) -> Iterator[Mapping[str, object]]:
        """The settled answers, one record each, as the suite's own tools read them."""
