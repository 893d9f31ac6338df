"""Pairs of probes: a system that never knew a fact gets no credit for having forgotten it.

A probe that names an earlier one (`given`) is settled together with it, at the same k and repeat. The pair's verdict is
the first stage that failed on either; its answer is right only if both are. The tag `pair` gives the outcome: credited,
knew_but_failed, trivial or never_knew, by the answers if both were graded (`right`), else by the stages. `credit`
follows the tag.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from memtriage.core.amount import K
from memtriage.core.episode import Episode
from memtriage.core.verdict import ProbeVerdict

PairOutcome = Literal["credited", "knew_but_failed", "trivial", "never_knew", "open"]

_ProbeKey = tuple[str, K, int, int, int]


class Pairs:
    """Holds verdicts back until that of the earlier probe is known."""

    def __init__(self, episode: Episode) -> None:
        self._given = {probe.id: probe.given for probe in episode.probes if probe.given}
        self._earlier = frozenset(self._given.values())
        self._known: dict[_ProbeKey, ProbeVerdict] = {}
        self._waiting: dict[_ProbeKey, list[ProbeVerdict]] = {}

    def add(self, verdict: ProbeVerdict) -> Iterator[ProbeVerdict]:
        """The verdicts that are final now: this one, those that waited for it, or none if it has to wait."""
        given = self._given.get(verdict.probe)
        if given is not None:
            earlier = _probe_key(verdict, given)
            if earlier in self._known:
                yield pair_verdict(verdict, self._known[earlier])
            else:
                self._waiting.setdefault(earlier, []).append(verdict)
            return
        yield verdict
        if verdict.probe in self._earlier:
            key = _probe_key(verdict, verdict.probe)
            self._known[key] = verdict
            yield from (pair_verdict(later, verdict) for later in self._waiting.pop(key, ()))

    def unpaired(self) -> Iterator[ProbeVerdict]:
        """Errors for the verdicts whose earlier probe was never asked."""
        for waiting in self._waiting.values():
            for verdict in waiting:
                why = "the probe it is given was not asked"
                tags = _tagged(verdict, "open")
                yield replace(verdict, verdict="error", error=why, credit=None, right=None, tags=tags)
        self._waiting.clear()


def pair_verdict(later: ProbeVerdict, earlier: ProbeVerdict) -> ProbeVerdict:
    """The later verdict, given the earlier one."""
    staged = _staged(later, earlier)
    if later.right is None or earlier.right is None:
        return replace(staged, right=None)
    outcome = _outcome(later.right, earlier.right)
    tags = _tagged(staged, outcome)
    return replace(staged, tags=tags, right=outcome == "credited", credit=later.credit if earlier.right else 0.0)


def _staged(later: ProbeVerdict, earlier: ProbeVerdict) -> ProbeVerdict:
    """The later verdict, given the stages of the earlier one."""
    open_ = ("error", "uncertain", "n/a")
    outcome: PairOutcome = "open"
    if later.verdict not in open_ and earlier.verdict not in open_:
        outcome = _outcome(later.verdict == "correct", earlier.verdict == "correct")
    tagged = replace(later, tags=_tagged(later, outcome))
    if outcome == "trivial":
        return replace(tagged, verdict=earlier.verdict, credit=0.0)
    if outcome == "open" and later.verdict not in ("error", "uncertain") and earlier.verdict in ("error", "uncertain"):
        return replace(tagged, verdict=earlier.verdict, error=earlier.error, credit=None)
    return tagged


def _outcome(later: bool, earlier: bool) -> PairOutcome:
    if earlier:
        return "credited" if later else "knew_but_failed"
    return "trivial" if later else "never_knew"


def _probe_key(verdict: ProbeVerdict, probe: str) -> _ProbeKey:
    return (probe, verdict.k, verdict.repeat, verdict.ingest_repeat, verdict.judge_repeat)


def _tagged(verdict: ProbeVerdict, outcome: PairOutcome) -> dict[str, str]:
    return {**verdict.tags, "pair": outcome}
