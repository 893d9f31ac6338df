"""Whether an endpoint is asked at all: one that answers nobody is left alone by everybody, and in the end given up.

A failure may be one call's own, or the endpoint's. It is the endpoint's where nothing was answered in between: then
nothing more is sent, all calls wait together, and one tiny request after each pause finds out whether it is back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from memtriage.core.chat import PATIENCE, Trouble
from memtriage.models.failures import Failure, GaveUp

log = logging.getLogger(__name__)

Probe = Callable[[], Awaitable[None]]
"""Makes the tiny request; raises Failure."""

Tell = Callable[[str, bool], None]
"""Hears what is waited for, and whether that is news."""

# What an endpoint that is down, hangs or is overrun does. Any other failure is an answer, and shows that it is there.
_ABSENT: tuple[Trouble, ...] = ("connection", "timeout", "server", "rate_limit")
_NEITHER: tuple[Trouble, ...] = ("not_a_model_server",)
# So many failures of one kind in a row are no accident. A timeout is a long silence already.
_IN_A_ROW = 3
_CALLS_IN_VAIN = 5
_FIRST_PAUSE = 4  # times the backoff
_LONGEST_PAUSE = 30.0
# A server that works on one request at a time keeps the next one waiting for as long as that takes, and a bit more.
_SLACK = 1.5
_LONG = 365 * 86400.0


class Breaker:
    """Shared by all clients of an address, as its limiter is; for one event loop.

    Report every request: `answered` or `failed`. Before one is sent, `ready` waits while the endpoint is away, and
    raises GaveUp("outage") once it has been away for longer than `patience` seconds.
    """

    def __init__(self, patience: float = PATIENCE, tell: Tell | None = None) -> None:
        self.patience = patience
        self.lost: GaveUp | None = None
        """Why the endpoint was given up, if it was."""
        self.tell = tell or _log
        self._open = False
        self._failures = 0
        self._in_a_row = 0
        self._outages = 0
        self._calls_in_vain = 0
        self._ever = False
        self._since = 0.0
        self._counted = self._answered = float("-inf")
        self._last: Failure | None = None
        self._slowest = 0.0
        self._lock = asyncio.Lock()
        self._probing: asyncio.Task[None] | None = None

    @property
    def failing(self) -> bool:
        """Whether nothing was answered since the last failure."""
        return self._failures > 0

    @property
    def silence(self) -> float:
        """How many seconds the endpoint may be silent: those of `patience`, but twice the slowest call at least."""
        return max(self.patience, 2 * _SLACK * self._slowest)

    def answered(self, sent: float) -> None:
        """The endpoint answered a call that was sent at this time."""
        self._ever = True
        self._slowest = max(self._slowest, _now() - sent)
        self._close()

    def failed(self, failure: Failure, sent: float) -> None:
        """A request that was sent at this time failed."""
        if failure.trouble in _NEITHER:
            return
        if not _is_absent(failure):
            self.answered(sent)
            return
        if sent < self._answered:  # others were answered meanwhile, so it says nothing of the endpoint
            return
        now = _now()
        if not self._failures:
            self._since = now
        self._failures += 1
        alike = self._last is not None and self._last.trouble == failure.trouble
        self._last = failure
        if self._open or (sent < self._counted and failure.trouble != "timeout"):
            return  # it was under way when the one before failed: that is one trouble, not two
        self._counted = now
        self._in_a_row = self._in_a_row + 1 if alike else 1
        self._open = self._in_a_row >= _IN_A_ROW or failure.trouble == "timeout" or self._asks_too_much(failure)

    def call_failed(self, failure: Failure, name: str) -> None:
        """A call was given up although the endpoint is there: it may be too slow for anything but a tiny request."""
        self._calls_in_vain += failure.trouble == "timeout"
        if self._calls_in_vain >= _CALLS_IN_VAIN and not self._ever:
            self.give_up(
                f"{name} answers a short request, but none of {_CALLS_IN_VAIN} calls ({failure}); "
                "if it is just slow, give it more time: add ?timeout=3600 to the model's name"
            )

    def give_up(self, why: str) -> None:
        """Have every further call refused."""
        self._open = False
        self.lost = self.lost or GaveUp("outage", why, self._last.answer if self._last else None)

    async def ready(self, probe: Probe, name: str, backoff: float) -> bool:
        """Wait until the endpoint may be asked; says whether it was away, and not only one call's trouble."""
        waited, before = self._open, self._outages
        while self._open:
            async with self._lock:  # whoever is first tries, and the others wait for what comes of it
                if self._open:
                    await self._until_known(probe, name, backoff)
        if self.lost is not None:
            raise self.lost.fresh()
        return waited and self._outages > before

    async def _until_known(self, probe: Probe, name: str, backoff: float) -> None:
        # A task of its own: an answer to a call that is still under way ends it.
        self._probing = asyncio.create_task(self._try(probe, name, backoff))
        try:
            await asyncio.wait({self._probing})
        finally:
            self._probing.cancel()
        if not self._probing.cancelled():
            self._probing.result()

    async def _try(self, probe: Probe, name: str, backoff: float) -> None:
        """Pause and probe until the endpoint answers or is given up."""
        pause, told = _FIRST_PAUSE * backoff, False
        while self._open and self._last is not None:
            asked = 0.0 if self._asks_too_much(self._last) else self._last.wait or 0.0
            left = max(0.0, self._since + self._patience_after(self._last) - _now())
            seconds = min(left, max(pause, asked))
            self.tell(f"waiting for {name}: {seconds:.0f} s", False)
            await asyncio.sleep(seconds)
            try:
                await probe()
            except Failure as failure:
                if not _is_absent(failure):
                    break
                self._last = failure
                self._failures += 1
                self._outages += not told
                self._give_up_if_due(failure, name)
                if self._open and not told:
                    longest = spoken(self._patience_after(failure))
                    self.tell(f"{name} does not answer ({failure}); waiting up to {longest} for it", True)
                    told = True
                pause = min(_LONGEST_PAUSE, 2 * pause)
            else:
                break
        if told and self.lost is None:
            self.tell(f"{name} answers again", True)
        self._close()

    def _give_up_if_due(self, failure: Failure, name: str) -> None:
        away = _now() - self._since
        if self._asks_too_much(failure):
            self.give_up(f"{name} takes no calls {_until(failure.wait or 0.0)} ({failure}); resume the run then")
        elif away >= self._patience_after(failure):
            self.give_up(
                f"{name} has answered nothing for {spoken(away)}: {self._failures} requests failed, the last with "
                f"{failure.trouble!r} ({failure}); check that it is running (--patience sets how long to wait)"
            )

    def _patience_after(self, failure: Failure) -> float:
        return self.silence if failure.trouble == "timeout" else self.patience

    def _asks_too_much(self, failure: Failure) -> bool:
        return (failure.wait or 0.0) > self.patience

    def _close(self) -> None:
        self._open = False
        self._answered = _now()
        self._failures = self._in_a_row = 0
        if self._probing is not None and self._probing is not asyncio.current_task():
            self._probing.cancel()


def _is_absent(failure: Failure) -> bool:
    """Whether nothing came that could be read; a reply that was cut off is none either."""
    return failure.trouble in _ABSENT or (failure.trouble == "malformed" and failure.lost)


def spoken(seconds: float) -> str:
    """A time in words.

    >>> spoken(90), spoken(600), spoken(7200)
    ('90 s', '10 min', '2 h')
    """
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _until(seconds: float) -> str:
    if seconds > _LONG:
        return "for more than a year"
    return f"until {datetime.now(UTC) + timedelta(seconds=seconds):%Y-%m-%d %H:%M} UTC"


def _log(text: str, news: bool) -> None:
    if news:
        log.warning(text)


def _now() -> float:
    return asyncio.get_running_loop().time()
