"""Measures how well false memories are found: planted inventions and contradictions, and stores that have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memtriage.core.episode import Episode
from memtriage.diagnose.lexical.contradictions import LiveMemory, contradictions
from memtriage.diagnose.lexical.said import Said
from memtriage.diagnose.lexical.support import State, support
from memtriage.metrics.statistics import Interval, wilson
from memtriage.validate.planted_inventions import contradicting, controls, inventions, without_outdated
from memtriage.validate.planted_memories import StyleChoice
from memtriage.validate.planted_rewritings import Told

CONTROLS = ("verbatim", "rewritten")
"""What was planted without inventing anything."""


@dataclass(frozen=True, slots=True)
class MemoriesCalibration:
    """What was found of memories, by what was planted; and of pairs: planted ones, those found, and false ones."""

    found: Mapping[tuple[str, State], int]
    pairs: int = 0
    pairs_found: int = 0
    pairs_false: int = 0

    @property
    def kinds(self) -> list[str]:
        """What was planted, controls first."""
        planted = dict.fromkeys(kind for kind, _ in self.found)
        return [*(kind for kind in CONTROLS if kind in planted), *(kind for kind in planted if kind not in CONTROLS)]

    def count(self, kind: str, state: State) -> int:
        return self.found.get((kind, state), 0)

    def n(self, kind: str) -> int:
        return sum(n for (planted, _), n in self.found.items() if planted == kind)

    @property
    def committed(self) -> int:
        """Planted inventions and rewritten controls that were called supported or invented."""
        return sum(n for (kind, state), n in self.found.items() if state != "uncertain" and kind != "verbatim")

    @property
    def right(self) -> int:
        """Those of them that were called what they are."""
        return sum(
            n
            for (kind, state), n in self.found.items()
            if kind != "verbatim" and state == ("supported" if kind in CONTROLS else "invented")
        )

    @property
    def rightness(self) -> Interval:
        return wilson(self.right, self.committed)

    def alarm(self, kind: str) -> Interval:
        """The share of a control that was called invented."""
        return wilson(self.count(kind, "invented"), self.n(kind))


@dataclass(slots=True)
class MemoriesTally:
    """Counts so far."""

    found: Counter[tuple[str, State]] = field(default_factory=Counter)
    pairs: list[int] = field(default_factory=lambda: [0, 0, 0])

    @property
    def calibration(self) -> MemoriesCalibration:
        return MemoriesCalibration(self.found, *self.pairs)

    def test(self, episode: Episode, strangers: Sequence[Told], granularity: str, rewritten: bool, seed: int) -> None:
        """Test an episode: its controls, and everything that can be planted in it."""
        said = Said(episode.sessions)
        style: StyleChoice | None = "mixed" if rewritten else None
        for planted in (
            *controls(episode, granularity, style, seed),
            *inventions(episode, strangers, style, seed),
        ):
            self.found[planted.kind, support(planted.text, said).state] += 1
        for one, other in contradicting(episode):
            self.pairs[0] += 1
            self.pairs[1] += self._pairs([one, other], episode, said)
        self.pairs[2] += self._pairs(without_outdated(episode, "mixed", seed), episode, said)

    @staticmethod
    def _pairs(texts: Sequence[str], episode: Episode, said: Said) -> int:
        memories = [LiveMemory(f"m{n}", text) for n, text in enumerate(texts)]
        return sum(1 for _ in contradictions(memories, episode, said))
