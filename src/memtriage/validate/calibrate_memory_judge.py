"""Measures how far a judge of false memories can be trusted: planted inventions, and memories that were said.

The judge decides about all of them, even where words would do. Half of each kind are, as far as there are so many,
memories of which words can't tell: a run asks a judge about nothing else, so these are counted separately too.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memtriage.core.episode import Episode
from memtriage.diagnose.judge.memories import MemoryJudge, OpenMemory
from memtriage.diagnose.lexical.said import Said
from memtriage.diagnose.lexical.support import State, Support, support
from memtriage.metrics.statistics import Interval, kappa, wilson
from memtriage.validate.calibrate_memories import CONTROLS
from memtriage.validate.planted_inventions import INVENTIONS, PlantedMemory, controls, inventions
from memtriage.validate.planted_memories import StyleChoice
from memtriage.validate.planted_rewritings import Told

KINDS = (*CONTROLS, *INVENTIONS)
Found = State | Literal["error"]


@dataclass(frozen=True, slots=True)
class JudgedMemory:
    """A planted memory, what a judge called it, and why. `open` says that words alone can't tell."""

    planted: PlantedMemory
    open: bool
    found: Found
    why: str = ""

    @property
    def expected(self) -> State:
        return "invented" if self.planted.invented else "supported"

    @property
    def committed(self) -> bool:
        return self.found in ("supported", "invented")

    @property
    def wrong(self) -> bool:
        return self.committed and self.found != self.expected


@dataclass(frozen=True, slots=True)
class MemoryJudgeCalibration:
    """What a judge called planted memories. Those that it could not judge are `errors` and in none of the shares."""

    outcomes: tuple[JudgedMemory, ...]

    @property
    def kinds(self) -> list[str]:
        """What was planted, controls first."""
        planted = {one.planted.kind for one in self.outcomes}
        return [kind for kind in KINDS if kind in planted]

    def of(self, kind: str) -> MemoryJudgeCalibration:
        return MemoryJudgeCalibration(tuple(one for one in self.outcomes if one.planted.kind == kind))

    @property
    def open(self) -> MemoryJudgeCalibration:
        """Those of which words can't tell."""
        return MemoryJudgeCalibration(tuple(one for one in self.outcomes if one.open))

    def count(self, found: Found) -> int:
        return sum(one.found == found for one in self.outcomes)

    @property
    def errors(self) -> int:
        return self.count("error")

    @property
    def n(self) -> int:
        return len(self.outcomes) - self.errors

    @property
    def committed(self) -> int:
        """Memories that it called supported or invented."""
        return sum(one.committed for one in self.outcomes)

    @property
    def wrong(self) -> int:
        return sum(one.wrong for one in self.outcomes)

    @property
    def coverage(self) -> Interval:
        return wilson(self.committed, self.n)

    @property
    def risk(self) -> Interval:
        return wilson(self.wrong, self.committed)

    @property
    def said(self) -> MemoryJudgeCalibration:
        """The controls; of these, wrong ones are false alarms."""
        return MemoryJudgeCalibration(tuple(one for one in self.outcomes if not one.planted.invented))

    @property
    def invented(self) -> MemoryJudgeCalibration:
        """The inventions; of these, wrong ones were passed."""
        return MemoryJudgeCalibration(tuple(one for one in self.outcomes if one.planted.invented))

    @property
    def kappa(self) -> float:
        """Cohen's kappa between what was planted and what it was called, where the judge committed itself."""
        return kappa((one.expected, one.found) for one in self.outcomes if one.committed)


async def judge_planted(
    episode: Episode, strangers: Sequence[Told], judge: MemoryJudge, per_kind: int, granularity: str, seed: int
) -> list[JudgedMemory]:
    """Plant up to `per_kind` memories of each kind in an episode, and ask the judge about them, in mixed order."""
    said = Said(episode.sessions)
    rng = random.Random(f"memory-judge:{episode.id}:{seed}")
    drawn = _Draw(per_kind, said, rng).draw(_planted(episode, strangers, granularity, seed))
    rng.shuffle(drawn)
    ruled = await judge.rule([OpenMemory(one.text, lexical) for one, lexical in drawn], said)
    return [
        JudgedMemory(one, lexical.state == "uncertain", found.state if found else "error", found.why if found else "")
        for (one, lexical), found in zip(drawn, ruled, strict=True)
    ]


def _planted(episode: Episode, strangers: Sequence[Told], granularity: str, seed: int) -> Iterator[PlantedMemory]:
    style: StyleChoice = "mixed"
    yield from controls(episode, granularity, style, seed)
    yield from inventions(episode, strangers, style, seed)


class _Draw:
    """Draws memories of each kind: of half of them words can't tell, and they are of different facts, if possible."""

    def __init__(self, per_kind: int, said: Said, rng: random.Random) -> None:
        self._per_kind = per_kind
        self._said = said
        self._rng = rng
        self._used: Counter[str] = Counter()

    def draw(self, planted: Iterator[PlantedMemory]) -> list[tuple[PlantedMemory, Support]]:
        pools: dict[str, list[tuple[PlantedMemory, Support]]] = {}
        for one in {one.text: one for one in planted}.values():
            pools.setdefault(one.kind, []).append((one, support(one.text, self._said)))
        rarest_first = sorted(pools.values(), key=len)
        return [drawn for pool in rarest_first for drawn in self._of_kind(pool)]

    def _of_kind(self, pool: list[tuple[PlantedMemory, Support]]) -> list[tuple[PlantedMemory, Support]]:
        self._rng.shuffle(pool)
        drawn: list[tuple[PlantedMemory, Support]] = []
        while pool and len(drawn) < self._per_kind:
            hard = len(drawn) % 2 == 0
            best = min(pool, key=lambda one: (hard and one[1].state != "uncertain", self._used[one[0].fact]))
            pool.remove(best)
            drawn.append(best)
            self._used[best[0].fact] += bool(best[0].fact)
        return drawn
