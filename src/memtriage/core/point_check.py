"""What became of the points that sessions should leave behind, of what else was kept, and of answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memtriage.core.amount import K
from memtriage.core.episode import Point

Outcome = Literal["correct", "hallucinated", "omitted", "other"]
"""How an update or an answer turned out."""


@dataclass(frozen=True, slots=True)
class PointFinding:
    """What became of a point, at least and at most: 2 it is there, 1 a part of it or changed, 0 nothing of it.

    Of an update that was judged, `outcome` says what went wrong.
    """

    point: Point
    low: int
    high: int
    why: str = ""
    outcome: Outcome | None = None
    judged: bool = False

    @property
    def open(self) -> bool:
        return self.low < self.high


@dataclass(frozen=True, slots=True)
class MemoryScore:
    """A memory that came with a session: how much of it was said, at least and at most (0 to 2).

    `target` says whether it is about something that should be kept; None if nobody was asked.
    """

    key: str
    session: str
    low: int
    high: int
    target: bool | None = None


@dataclass(frozen=True, slots=True)
class AnswerFinding:
    """How an answer failed, if it did; None where it couldn't be judged."""

    probe: str
    k: K
    kind: str
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class PointCheck:
    """One store: its points, updates apart, the memories that came, and the answers if a judge was asked."""

    suite: str
    task: str
    system: str
    episode: str
    error: str = ""
    na: str = ""
    points: tuple[PointFinding, ...] = ()
    updates: tuple[PointFinding, ...] = ()
    memories: tuple[MemoryScore, ...] = ()
    answers: tuple[AnswerFinding, ...] = ()
