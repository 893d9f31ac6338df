"""How many calls may be under way at once: more while the endpoint keeps up, fewer when it complains."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from statistics import median

CEILING = 32
START = 4

# A round is slow when it takes twice as long as the best one; below a twentieth of a second that is noise.
_SLOWER = 2.0
_NOISE_SECONDS = 0.05
# The best latency counts a little less each round, so that longer prompts later on don't hold the limit down.
_DECAY = 1.05


class Slot:
    """The right to make one call. Report how it went: `ok` or `limited`; otherwise the limit stays."""

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self.started = limiter.now()

    def ok(self, latency: float) -> None:
        """The call was answered after so many seconds."""
        self._limiter.rise(latency)

    def limited(self, retry_after: float | None = None) -> None:
        """The endpoint was overrun (429, 503, a timeout), and perhaps said how long to leave it alone."""
        self._limiter.fall(self.started, retry_after)


class Limiter:
    """First come, first served, up to a number that adapts between 1 and `ceiling`.

    It doubles every round at first, then grows by one a round; it stands still while answers take twice as long
    as the best round did, and halves (once a round) when a call is limited.
    """

    def __init__(self, ceiling: int = CEILING, *, start: int = START, clock: Callable[[], float] | None = None) -> None:
        if ceiling < 1:
            raise ValueError("a limiter's ceiling must be at least 1")
        self.ceiling = ceiling
        self.now = clock or time.monotonic
        self.in_flight = 0
        self.peak = 0
        self.limit = min(max(start, 1), ceiling)
        """How many calls may be under way now."""
        self._answered = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._doubling = True
        self._fell_at = float("-inf")
        self._paused_until = float("-inf")
        self._alarm: asyncio.TimerHandle | None = None
        self._round: list[float] = []
        self._round_size = self.limit
        self._best: float | None = None
        self._keeping_up = True

    @asynccontextmanager
    async def slot(self, *, again: bool = False) -> AsyncIterator[Slot]:
        """Wait for a turn, and hold it. A call that is made again goes before those still waiting."""
        await self._enter(again)
        try:
            yield Slot(self)
        finally:
            self.in_flight -= 1
            self._admit()

    def rise(self, latency: float) -> None:
        """Note an answered call, and grow if the limit holds calls back."""
        self._round.append(latency)
        if len(self._round) >= self._round_size:
            self._judge_round()
        if self._keeping_up and self.in_flight >= self.limit:
            self._grow()

    def fall(self, started: float, retry_after: float | None = None) -> None:
        """Halve, unless the call began before the last fall, so that one overrun counts once."""
        now = self.now()
        if retry_after is not None:
            self.pause(retry_after)
        if started >= self._fell_at:
            self.limit = max(1, self.limit // 2)
            self._answered = 0
            self._doubling = False
            self._fell_at = now
            self._begin_round()

    def pause(self, seconds: float) -> None:
        """Let no call begin for a while."""
        self._paused_until = max(self._paused_until, self.now() + seconds)

    def _grow(self) -> None:
        """One more for every answer doubles the number each round; one for a round of answers adds one."""
        self._answered += 1
        if self.limit < self.ceiling and (self._doubling or self._answered >= self.limit):
            self.limit += 1
            self._answered = 0
            self._admit()

    async def _enter(self, again: bool) -> None:
        if (again or not self._waiting) and self._open(self.now()):
            self._take()
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if again:
            self._waiting.appendleft(turn)
        else:
            self._waiting.append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.in_flight -= 1
            elif turn in self._waiting:
                self._waiting.remove(turn)
            self._admit()
            raise

    def _open(self, now: float) -> bool:
        return self.in_flight < self.limit and now >= self._paused_until

    def _take(self) -> None:
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)

    def _admit(self) -> None:
        now = self.now()  # once: a pause that ended between two looks at the clock would leave nobody to wake the rest
        while self._waiting and self._open(now):
            turn = self._waiting.popleft()
            if not turn.done():
                self._take()
                turn.set_result(None)
        pause = self._paused_until - now
        if self._waiting and pause > 0 and self._alarm is None:
            self._alarm = self._waiting[0].get_loop().call_later(pause, self._wake)

    def _wake(self) -> None:
        self._alarm = None
        self._admit()

    def _judge_round(self) -> None:
        typical = median(self._round)
        self._begin_round()
        best = typical if self._best is None else min(typical, self._best * _DECAY)
        self._best = best
        self._keeping_up = typical <= _SLOWER * best + _NOISE_SECONDS
        self._doubling = self._doubling and self._keeping_up

    def _begin_round(self) -> None:
        self._round.clear()
        self._round_size = self.limit


def retry_after(seconds: str | None, milliseconds: str | None = None, *, now: datetime | None = None) -> float | None:
    """What a Retry-After header asks for, in seconds: it holds a number or a date. None if it says nothing usable.

    >>> retry_after("2")
    2.0
    """
    for text, unit in ((milliseconds, 1000.0), (seconds, 1.0)):
        try:
            value = float(text or "") / unit
        except ValueError:
            continue
        return max(0.0, value) if value < float("inf") else None
    try:
        when = parsedate_to_datetime(seconds or "")
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())
