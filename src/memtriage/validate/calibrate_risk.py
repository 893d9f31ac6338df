"""How often a detector commits itself, and how often it is then wrong: coverage and risk, never one without the other.

A detector that calls everything uncertain is never wrong, and one that guesses covers everything, so neither number
says anything alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from memtriage.core.verdict import SETTLED, VERDICTS, FactVerdict, ProbeVerdict, Verdict
from memtriage.metrics.statistics import Interval, clustered

Detector = Callable[..., Iterator[ProbeVerdict]]
"""The function to calibrate, with the parameters and results of `diagnose`."""

_POINTS = 50
"""The most points of a risk-coverage curve."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One fact: the verdict that was expected, and the one that was found.

    `kind` names what was done to the fact: the fault, or the lossless rewriting. Outcomes of the same `group` are not
    independent. `error` verdicts say nothing about a detector and are counted separately.
    """

    group: str
    kind: str
    expected: Verdict
    found: Verdict
    style: str = ""
    confidence: float = 1.0
    why: str = ""

    @property
    def committed(self) -> bool:
        return self.found in SETTLED

    @property
    def wrong(self) -> bool:
        """Whether it names another stage than expected."""
        return self.committed and self.found != self.expected

    @property
    def misleading(self) -> bool:
        """Whether it calls an intact fact lost, or a lost one intact."""
        return self.committed and (self.found == "correct") != (self.expected == "correct")


def confidence_of(verdict: FactVerdict) -> float:
    """How sure a detector is of its verdict; 1 if it doesn't say."""
    stated: float | None = getattr(verdict, "confidence", None)
    return 1.0 if stated is None else stated


@dataclass(frozen=True, slots=True)
class Risk:
    """The share of facts that a detector committed itself on, and the share of these that it got wrong."""

    n: int
    committed: int
    wrong: int
    interval: Interval
    errors: int = 0

    @property
    def coverage(self) -> float | None:
        return self.committed / self.n if self.n else None

    @property
    def risk(self) -> float | None:
        return self.wrong / self.committed if self.committed else None


def risk_of(outcomes: Iterable[Outcome], lenient: bool = False) -> Risk:
    """Coverage and risk together; if `lenient`, only whether the fact is called intact counts, not the stage."""
    every = list(outcomes)
    judged = [o for o in every if o.found != "error"]
    committed = [(o.group, o.misleading if lenient else o.wrong) for o in judged if o.committed]
    wrong = sum(bad for _, bad in committed)
    return Risk(len(judged), len(committed), wrong, clustered(committed), len(every) - len(judged))


@dataclass(frozen=True, slots=True)
class KindScore:
    """The outcomes of one kind: what was expected of them, coverage and risk, and how often each verdict was found."""

    kind: str
    expected: Verdict
    risk: Risk
    found: dict[Verdict, int]


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Coverage and risk if only verdicts of at least this confidence count."""

    confidence: float
    risk: Risk


@dataclass(frozen=True, slots=True)
class Scorecard:
    """All outcomes of one detector."""

    detector: str
    outcomes: tuple[Outcome, ...]

    @property
    def strict(self) -> Risk:
        return risk_of(self.outcomes)

    @property
    def lenient(self) -> Risk:
        return risk_of(self.outcomes, lenient=True)

    @property
    def false_alarms(self) -> Risk:
        """Coverage and risk on the controls: a wrong verdict there is a false alarm."""
        return risk_of(o for o in self.outcomes if o.expected == "correct")

    @property
    def faults(self) -> Risk:
        """Coverage and risk on the faults: how often one is called something else than it is."""
        return risk_of(o for o in self.outcomes if o.expected != "correct")

    @property
    def confusion(self) -> dict[tuple[Verdict, Verdict], int]:
        counts = Counter((o.expected, o.found) for o in self.outcomes)
        return {(e, f): counts[e, f] for e in VERDICTS for f in VERDICTS if counts[e, f]}

    @property
    def kinds(self) -> list[KindScore]:
        """By kind: the controls first, then the faults by the stage at which they should be found."""
        return _by(self.outcomes, lambda o: o.kind)

    @property
    def styles(self) -> list[KindScore]:
        """The faults by the style that they stand in, and by expected stage."""
        return _by([o for o in self.outcomes if o.style and o.expected != "correct"], lambda o: o.style)

    @property
    def curve(self) -> list[CurvePoint]:
        """Risk at falling confidence and rising coverage; one point if the detector states no confidence."""
        committed = sorted((o for o in self.outcomes if o.committed), key=lambda o: -o.confidence)
        open_ = [o for o in self.outcomes if not o.committed]
        steps = [len(list(same)) for _, same in groupby(committed, key=lambda o: o.confidence)]
        least = len(committed) / _POINTS
        points: list[CurvePoint] = []
        end = shown = 0
        for step in steps:
            end += step
            if end - shown >= least or end == len(committed):
                unsure = [_withdrawn(o) for o in committed[end:]]
                points.append(CurvePoint(committed[end - 1].confidence, risk_of([*committed[:end], *unsure, *open_])))
                shown = end
        return points


def _withdrawn(outcome: Outcome) -> Outcome:
    return Outcome(outcome.group, outcome.kind, outcome.expected, "uncertain")


def _by(outcomes: Sequence[Outcome], key: Callable[[Outcome], str]) -> list[KindScore]:
    groups: dict[tuple[Verdict, str], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.expected, key(outcome)), []).append(outcome)
    return [
        KindScore(kind, expected, risk_of(group), _counts(group))
        for (expected, kind), group in sorted(groups.items(), key=lambda item: (VERDICTS.index(item[0][0]), item[0][1]))
    ]


def _counts(outcomes: Sequence[Outcome]) -> dict[Verdict, int]:
    counts = Counter(o.found for o in outcomes)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}
