"""The measures of a ranking of memories, by the turns that the memories come from.

A memory stands for the user's turn among its sources: it may be the turn itself, its round, or a fact drawn from it.
One that comes from the assistant's turns alone takes up its rank and is never what was looked for. One over several of
the user's turns says nothing about turns, and is measured by its sessions only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memtriage.core.episode import Episode, Probe
from memtriage.core.trace import Trace
from memtriage.metrics.retrieval import by_name, session_values, turn_values

Sources = Callable[[Collection[str]], Mapping[str, tuple[str, ...]]]
"""Gives the turns that memories come from, by their content keys."""

Gap = Literal["", "no user-side target", "no sources", "sessions only"]
"""Why measures are not there: nothing the user said is looked for, or the memories don't say (apart enough) whence."""

GAP_TAG = "ranking"
"""The tag of a verdict that says so."""

USER = "user"

_Item = tuple[list[str], list[str]]
"""One ranked memory: the user's turns that it comes from, and all its sessions."""


@dataclass(frozen=True, slots=True)
class RankingMeasures:
    """The measures of one ranking, by name, and why some or all are not there."""

    measures: Mapping[str, float] = field(default_factory=dict)
    gap: Gap = ""


class RankingMeter:
    """One episode laid out to measure rankings of what was kept of it."""

    def __init__(self, episode: Episode, sources: Sources | None = None) -> None:
        self._sources = sources
        measured = any(probe.targets for probe in episode.probes)
        turns = [(turn, session.id) for session in episode.sessions for turn in session.turns] if measured else []
        self._session_of = {turn.id: session for turn, session in turns}
        self._said = {turn.id for turn, _ in turns if turn.role == USER}

    def measure(self, probe: Probe, trace: Trace) -> RankingMeasures:
        """The measures of what a probe brought, where the ranking was recorded.

        They are LongMemEval's: turns of the user count, and questions without such a target are left out.
        """
        if not probe.targets:
            return RankingMeasures()
        gold = {turn for turn in probe.targets if turn in self._said}
        if not gold:
            return RankingMeasures(gap="no user-side target")
        if trace.error is not None or (trace.retrieved and not trace.ranking):
            return RankingMeasures()  # asked at a smaller k too: the ranking stands at the largest
        items = self._items(trace.ranking)
        if items is None:
            return RankingMeasures(gap="no sources")
        depth = _depth(trace)
        sessions = {turn: self._session_of[turn] for turn in gold}
        spanning = any(len(turns) > 1 for turns, _ in items)
        measures = by_name("session", session_values(items, sessions, depth=depth, by_session=spanning))
        if spanning:
            return RankingMeasures(measures, "sessions only")
        # None is what only the assistant said: it takes up its rank.
        turns = (turns[0] if turns else None for turns, _ in items)
        return RankingMeasures(measures | by_name("turn", turn_values(turns, set[str | None](gold), depth=depth)))

    def _items(self, ranking: Sequence[str]) -> list[_Item] | None:
        """The ranked memories by their sources; None where one names no turn, for it could be what was looked for."""
        sources = self._sources(ranking) if self._sources is not None else {}
        items: list[_Item] = []
        for key in ranking:
            turns = [turn for turn in dict.fromkeys(sources.get(key, ())) if turn in self._session_of]
            if not turns:
                return None
            sessions = dict.fromkeys(self._session_of[turn] for turn in turns)
            items.append(([turn for turn in turns if turn in self._said], list(sessions)))
        return items


def _depth(trace: Trace) -> float:
    """Up to which k a ranking that ends has nothing more to bring: any, or that at which it was asked for more."""
    if trace.ranked_all:
        return math.inf
    return trace.k if len(trace.ranking) < trace.k else 0
