"""Tests detectors and judges on rewritten memories, with and without planted faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtriage.core.episode import Episode
from memtriage.core.verdict import FactVerdict, ProbeVerdict
from memtriage.diagnose.judge.staged import Judge
from memtriage.diagnose.store import judge_store
from memtriage.validate.calibrate_risk import Detector, Outcome, Scorecard, confidence_of
from memtriage.validate.planted_memories import RewrittenMemory, StyleChoice, expected

_SUITE, _SYSTEM = "calibration", "rewritten memories"


@dataclass(frozen=True, slots=True)
class RewrittenCalibration:
    """A detector's scorecard on rewritten memories, and how many facts could not be rewritten in each style."""

    score: Scorecard
    skipped: Mapping[StyleChoice, int]


@dataclass(slots=True)
class RewrittenTally:
    """Outcomes on rewritten memories so far."""

    outcomes: list[Outcome] = field(default_factory=list)
    skipped: Counter[StyleChoice] = field(default_factory=Counter)
    detector: str = ""

    @property
    def calibration(self) -> RewrittenCalibration:
        return RewrittenCalibration(Scorecard(self.detector, tuple(self.outcomes)), dict(self.skipped))

    def test(self, episode: Episode, styles: Sequence[StyleChoice], rate: float, seed: int, detector: Detector) -> None:
        """Test a detector on an episode in each style, with faults and without."""
        for style in styles:
            for share in (rate, 0.0):
                memory = RewrittenMemory(episode, style, share, seed)
                verdicts = detector(episode, memory.history, memory.traces(), memory.texts, _SUITE, _SYSTEM)
                self._add(episode, style, memory, verdicts)

    async def test_judge(self, episode: Episode, style: StyleChoice, rate: float, seed: int, judge: Judge) -> None:
        """Test a judge on an episode in a style, with faults and without."""
        for share in (rate, 0.0):
            memory = RewrittenMemory(episode, style, share, seed)
            stream = judge_store(episode, memory.history, memory.traces(), (), memory.texts, _SUITE, _SYSTEM, judge)
            self._add(episode, style, memory, [verdict async for verdict in stream])

    def _add(
        self, episode: Episode, style: StyleChoice, memory: RewrittenMemory, verdicts: Iterable[ProbeVerdict]
    ) -> None:
        """Count each fact once: for the probe that its fault was planted for, or else for the first that needs it.

        What is misread is a probe, so its verdict is that of all its facts.
        """
        found: dict[str, FactVerdict] = {}
        for verdict in verdicts:
            for fact in verdict.facts:
                planted = memory.faults.get(fact.fact)
                if planted and planted.probe == verdict.probe and planted.kind == "misread":
                    found[fact.fact] = replace(fact, verdict=verdict.verdict)
                elif fact.fact not in found or (planted and planted.probe == verdict.probe):
                    found[fact.fact] = fact
        for id, fact in found.items():
            if id not in memory.styles:
                if id in memory.said and memory.rate == 0:
                    self.skipped[style] += 1
                continue
            fault = memory.faults[id].kind if id in memory.faults else None
            self.detector = self.detector or fact.detector
            self.outcomes.append(
                Outcome(
                    group=f"{episode.id}:{id}",
                    kind=fault or memory.styles[id],
                    expected=expected(fault),
                    found=fact.verdict,
                    style=memory.styles[id],
                    confidence=confidence_of(fact),
                    why=fact.why,
                )
            )
