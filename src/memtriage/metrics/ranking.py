"""Measures a ranking of memories by the turns that the memories come from.

A memory counts as the user's turn among its sources: it may be the turn itself, its round, or a fact drawn from it. One
that comes from assistant turns only takes up its rank but is never a hit. If a memory spans several user turns, the
ranking is only measured by session.
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
"""Gives the turns that memories come from, by content key."""

Gap = Literal["", "no user-side target", "no sources", "sessions only"]
"""Why measures are missing: no target is a user turn, or memories name no source turn or several user turns."""

GAP_TAG = "ranking"
"""The tag of a verdict that gives this reason."""

USER = "user"

_Item = tuple[list[str], list[str]]
"""One ranked memory: the user turns it comes from, and all its sessions."""


@dataclass(frozen=True, slots=True)
class RankingMeasures:
    """The measures of one ranking, by name, and why some or all are missing."""

    measures: Mapping[str, float] = field(default_factory=dict)
    gap: Gap = ""


class RankingMeter:
    """Measures rankings of the memories of one episode."""

    def __init__(self, episode: Episode, sources: Sources | None = None) -> None:
        self._sources = sources
        measured = any(probe.targets for probe in episode.probes)
        turns = [(turn, session.id) for session in episode.sessions for turn in session.turns] if measured else []
        self._session_of = {turn.id: session for turn, session in turns}
        self._user_turns = {turn.id for turn, _ in turns if turn.role == USER}

    def measure(self, probe: Probe, trace: Trace) -> RankingMeasures:
        """The measures of a probe's ranking, if it was recorded.

        They are LongMemEval's: only user turns count, and questions without such a target are left out.
        """
        if not probe.targets:
            return RankingMeasures()
        gold = {turn for turn in probe.targets if turn in self._user_turns}
        if not gold:
            return RankingMeasures(gap="no user-side target")
        if trace.error is not None or (trace.retrieved and not trace.ranking):
            return RankingMeasures()  # the ranking is only recorded at the largest k
        items = self._items(trace.ranking)
        if items is None:
            return RankingMeasures(gap="no sources")
        depth = _depth(trace)
        sessions = {turn: self._session_of[turn] for turn in gold}
        spanning = any(len(turns) > 1 for turns, _ in items)
        measures = by_name("session", session_values(items, sessions, depth=depth, by_session=spanning))
        if spanning:
            return RankingMeasures(measures, "sessions only")
        # None is a memory of assistant turns only: it takes up its rank.
        turns = (turns[0] if turns else None for turns, _ in items)
        return RankingMeasures(measures | by_name("turn", turn_values(turns, set[str | None](gold), depth=depth)))

    def _items(self, ranking: Sequence[str]) -> list[_Item] | None:
        """The ranked memories by their sources; None if one names no turn, as it could be a hit."""
        sources = self._sources(ranking) if self._sources is not None else {}
        items: list[_Item] = []
        for key in ranking:
            turns = [turn for turn in dict.fromkeys(sources.get(key, ())) if turn in self._session_of]
            if not turns:
                return None
            sessions = dict.fromkeys(self._session_of[turn] for turn in turns)
            items.append(([turn for turn in turns if turn in self._user_turns], list(sessions)))
        return items


def _depth(trace: Trace) -> float:
    """Up to which k the ranking is complete: any, or the k that was asked for if it is shorter than that."""
    if trace.ranked_all:
        return math.inf
    return trace.k if isinstance(trace.k, int) and len(trace.ranking) < trace.k else 0
