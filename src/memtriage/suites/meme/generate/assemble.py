"""Evidence and filler sessions put together: five that matter, and around them as much other talk as asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.kit.filler.chats import Filler, draw_fillers
from memtriage.suites.meme.generate.chats import evidence_sessions
from memtriage.suites.meme.generate.conflicts import Conflict, GoldWords
from memtriage.suites.meme.skeleton import Skeleton
from memtriage.suites.meme.transcript import EvidenceSession, Transcript, session_of
from memtriage.text.tokens import tokens_in

_FIRST_DAY = datetime(2025, 1, 6)
_WEEKS = (4, 8)
_PER_DAY = 6
_OPENS, _CLOSES = 7 * 60, 23 * 60
"""The hours of the day, in minutes, in which people chat."""

_PASSED_OVER = 8
"""How many fillers that don't fit a gap are put aside before it is left as it is."""


def parse_filler(size: str | int) -> int:
    """How many tokens of filler a size names.

    >>> [parse_filler(size) for size in ("none", "32k", "1.5k", 900)]
    [0, 32000, 1500, 900]
    """
    text = str(size).strip().lower()
    if text in ("none", ""):
        return 0
    return 0 if text == "0" else tokens_in(text, "filler")


SessionWriter = Callable[[Skeleton, int, Sequence[str], Sequence[str]], tuple[EvidenceSession, ...]]
"""Writes the evidence sessions of an episode, given the seed, and the ids and times of the sessions."""


def assemble(
    skeleton: Skeleton,
    seed: int,
    filler_tokens: int | str,
    pool: Sequence[Filler] | None = None,
    write: SessionWriter = evidence_sessions,
) -> Transcript:
    """An episode in words: its evidence sessions with fillers before, between and after them.

    Fillers come from the pool, or are generated where none is given. The same seed gives the same episode. `write`
    puts the evidence into words.
    """
    rng = Random(f"assemble:{skeleton.id}:{seed}")
    gaps = _gaps(skeleton, parse_filler(filler_tokens), rng, pool)
    order = _order(gaps.filled)
    times = _times(len(order), rng)
    width = max(2, len(str(len(order))))
    ids = [f"s{number:0{width}d}" for number in range(1, len(order) + 1)]
    places = [place for place, filler in enumerate(order) if filler is None]
    evidence = write(skeleton, seed, [ids[place] for place in places], [times[place] for place in places])
    following = iter(evidence)
    sessions = tuple(
        session_of(id, filler.turns, time) if filler else next(following).session
        for id, filler, time in zip(ids, order, times, strict=True)
    )
    return Transcript(
        sessions=sessions,
        evidence=tuple(one.session.id for one in evidence),
        turns={number: turn for one in evidence for number, turn in one.turns.items()},
        filler_tokens=sum(filler.tokens for filler in order if filler),
        dropped=dict(sorted(gaps.dropped.items())),
    )


@dataclass(slots=True)
class _Gaps:
    filled: list[list[Filler]]
    dropped: Counter[Conflict]


def _gaps(skeleton: Skeleton, budget: int, rng: Random, pool: Sequence[Filler] | None) -> _Gaps:
    """Fillers before each evidence session and after the last, about as many tokens at each place.

    What one gap has too much or too little of, the next makes up for.
    """
    dropped: Counter[Conflict] = Counter()
    source = draw_fillers(skeleton.domain, rng) if pool is None else _shuffled(pool, rng)
    stock = _Stock(_harmless(source, GoldWords.of(skeleton), dropped))
    count = len(skeleton.sessions) + 1
    filled: list[list[Filler]] = []
    placed = 0
    for number in range(1, count + 1):
        gap = stock.take(round(budget * number / count) - placed)
        placed += sum(filler.tokens for filler in gap)
        filled.append(gap)
    if stock.empty and placed < budget and not stock.waiting:
        raise BadInput(
            f"episode {skeleton.id!r}: the filler pool ran out at {placed:,} of {budget:,} tokens "
            f"({dropped.total()} sessions were kept out for touching its facts); add sessions or ask for less"
        )
    return _Gaps(filled, dropped)


def _shuffled(pool: Sequence[Filler], rng: Random) -> Iterator[Filler]:
    """The distinct fillers of a pool in random order."""
    distinct = list(dict.fromkeys(pool))
    return iter(rng.sample(distinct, len(distinct)))


def _harmless(source: Iterator[Filler], gold: GoldWords, dropped: Counter[Conflict]) -> Iterator[Filler]:
    for filler in source:
        kind = gold.conflict(filler.turns)
        if kind is None:
            yield filler
        else:
            dropped[kind] += 1


@dataclass(slots=True)
class _Stock:
    """Fillers to take from; one that is too large for a gap waits for another."""

    source: Iterator[Filler]
    waiting: list[Filler] = field(default_factory=list)
    empty: bool = False

    def take(self, budget: int) -> list[Filler]:
        """Fillers that come as near to the budget as the next few allow."""
        gap: list[Filler] = []
        passed: list[Filler] = []
        while len(passed) < _PASSED_OVER:
            if budget <= 0:
                break
            filler = self._next()
            if filler is None:
                break
            if filler.tokens <= 2 * budget:
                gap.append(filler)
                budget -= filler.tokens
            else:
                passed.append(filler)
        self.waiting.extend(passed)
        return gap

    def _next(self) -> Filler | None:
        if self.waiting:
            return self.waiting.pop(0)
        filler = next(self.source, None)
        self.empty = filler is None
        return filler


def _order(gaps: Sequence[Sequence[Filler]]) -> list[Filler | None]:
    """All sessions in order; None stands for the next evidence session."""
    order: list[Filler | None] = list(gaps[0])
    for gap in gaps[1:]:
        order.extend((None, *gap))
    return order


def _times(count: int, rng: Random) -> list[str]:
    """Increasing moments over some weeks, all in waking hours."""
    days = max(rng.randint(*_WEEKS) * 7, count // _PER_DAY + 1)
    start = _FIRST_DAY + timedelta(days=rng.randrange(28))
    moments = rng.sample(range(days * (_CLOSES - _OPENS)), count)
    return [_moment(start, moment) for moment in sorted(moments)]


def _moment(start: datetime, minutes: int) -> str:
    day, minute = divmod(minutes, _CLOSES - _OPENS)
    return (start + timedelta(days=day, minutes=_OPENS + minute)).isoformat()
