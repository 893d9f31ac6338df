"""Probes that earn nothing alone: whoever never knew a thing can't be credited with having let go of it.

A probe that names an earlier one (`given`) is settled together with it, at the same k and repeat. The pair fails at
the first stage that failed on either; the tag `pair` says how: credited, knew_but_failed, trivial or never_knew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from memtriage.diagnose.verdict import ProbeVerdict
from memtriage.episode import Episode

Outcome = Literal["credited", "knew_but_failed", "trivial", "never_knew", "open"]

_Asked = tuple[str, int, int, int, int]


class Pairs:
    """Holds verdicts back until that of the probe they are given is known."""

    def __init__(self, episode: Episode) -> None:
        self._given = {probe.id: probe.given for probe in episode.probes if probe.given}
        self._wanted = frozenset(self._given.values())
        self._known: dict[_Asked, ProbeVerdict] = {}
        self._waiting: dict[_Asked, list[ProbeVerdict]] = {}

    def take(self, verdict: ProbeVerdict) -> Iterator[ProbeVerdict]:
        """A verdict, or what it was waiting for with all that waited."""
        given = self._given.get(verdict.probe)
        if given is not None:
            earlier = _asked(verdict, given)
            if earlier in self._known:
                yield settled(verdict, self._known[earlier])
            else:
                self._waiting.setdefault(earlier, []).append(verdict)
            return
        yield verdict
        if verdict.probe in self._wanted:
            asked = _asked(verdict, verdict.probe)
            self._known[asked] = verdict
            yield from (settled(later, verdict) for later in self._waiting.pop(asked, ()))

    def left(self) -> Iterator[ProbeVerdict]:
        """What waited in vain: the earlier probe was never asked, so that nothing can be credited."""
        for waiting in self._waiting.values():
            for verdict in waiting:
                why = "the probe it is given was not asked"
                yield replace(verdict, verdict="error", error=why, credit=None, tags=_tagged(verdict, "open"))
        self._waiting.clear()


def settled(later: ProbeVerdict, earlier: ProbeVerdict) -> ProbeVerdict:
    """The later verdict in the light of the earlier one."""
    outcome = _outcome(later, earlier)
    tagged = replace(later, tags=_tagged(later, outcome))
    if outcome == "trivial":
        return replace(tagged, verdict=earlier.verdict, credit=0.0)
    if outcome == "open" and later.verdict not in ("error", "uncertain") and earlier.verdict in ("error", "uncertain"):
        return replace(tagged, verdict=earlier.verdict, error=earlier.error, credit=None)
    return tagged


def _outcome(later: ProbeVerdict, earlier: ProbeVerdict) -> Outcome:
    open_ = ("error", "uncertain", "n/a")
    if later.verdict in open_ or earlier.verdict in open_:
        return "open"
    if earlier.verdict == "correct":
        return "credited" if later.verdict == "correct" else "knew_but_failed"
    return "trivial" if later.verdict == "correct" else "never_knew"


def _asked(verdict: ProbeVerdict, probe: str) -> _Asked:
    return (probe, verdict.k, verdict.repeat, verdict.ingest_repeat, verdict.judge_repeat)


def _tagged(verdict: ProbeVerdict, outcome: Outcome) -> dict[str, str]:
    return {**verdict.tags, "pair": outcome}
