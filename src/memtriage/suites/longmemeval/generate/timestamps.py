"""When the chats of a history were held: in its order, around the days that the evidence fixes.

Chats whose day is known are anchors: those before and after them stay on their side. Without anchors a history is
spread over May 2023, as in the paper. Times are whole minutes and strictly ascending, and the question comes last.

>>> from random import Random
>>> times, asked = resolve([None, 3, None, 0], None, Random(1))
>>> (asked.date() - times[1].date()).days, times == sorted(times), times[-1].date() == asked.date()
(3, True, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from random import Random

from memtriage.core.errors import BadInput

DAY = 24 * 60
"""Minutes."""

_ORIGIN = datetime(2023, 5, 1)
_MAY = 31
_LAST_DAYS = 7
"""Where nothing says when a question is asked, it is one of the last days of May 2023."""

_MONTH = 30
"""Over how many days the chats before the first anchor are spread at the most."""

_EARLY, _LATE = 7 * 60, 23 * 60
"""Between these minutes of a day people talk most, so anchors are put there if there is room."""


def resolve(days: Sequence[int | None], asked_on: date | None, rng: Random) -> tuple[list[datetime], datetime]:
    """The time of each chat of a history, and of the question.

    `days` says for each chat how many days before the question's day it was held, None where any day will do.
    """
    asked_day = _number_of(asked_on) if asked_on else rng.randint(_MAY - _LAST_DAYS, _MAY - 1)
    anchors: list[int | None] = [None if day is None else asked_day - day for day in days]
    limits = _limits([*anchors, asked_day], asked_on is None)
    times = _drawn(limits, [*(day is not None for day in anchors), True], rng)
    moments = [_ORIGIN + timedelta(minutes=minute) for minute in times]
    return moments[:-1], moments[-1]


def room(first: int, second: int) -> int:
    """How many chats fit between two that are so many days before the question, with room to spare."""
    return max(0, (abs(first - second) + 1) * DAY // 4)


def _limits(days: Sequence[int | None], in_may: bool) -> list[tuple[int, int]]:
    """For each chat the first and the last minute at which it can be held; the question stands last."""
    lowest = _start(days, in_may)
    earliest: list[int] = []
    for day in days:
        after = earliest[-1] + 1 if earliest else lowest
        earliest.append(after if day is None else max(after, day * DAY))
    latest: list[int] = []
    for day in reversed(days):
        before = latest[-1] - 1 if latest else (days[-1] or 0) * DAY + DAY - 1
        latest.append(before if day is None else min(before, day * DAY + DAY - 1))
    limits = list(zip(earliest, reversed(latest), strict=True))
    for place, (low, high) in enumerate(limits):
        if low > high:
            raise BadInput(
                f"{len(days) - 1} chats can't be held in this order: there is no minute left for number {place + 1}; "
                "ask for fewer sessions, or for evidence further apart"
            )
    return limits


def _start(days: Sequence[int | None], in_may: bool) -> int:
    """The first minute of the history: in May, or a month before the first day that is known."""
    free = next(place for place, day in enumerate(days) if day is not None)
    first = days[free] or 0
    open_ended = in_may and free == len(days) - 1  # nothing but the question has a day
    begins = 0 if open_ended else first - min(_MONTH, 1 + free)
    return min(begins * DAY, first * DAY - 2 * free) if free else first * DAY


def _drawn(limits: Sequence[tuple[int, int]], fixed: Sequence[bool], rng: Random) -> list[int]:
    """Ascending minutes within the limits: the anchors first, then what lies between them."""
    times: list[int] = []
    for place, (low, high) in enumerate(limits):
        if not fixed[place]:
            continue
        waiting = place - len(times)
        floor = (times[-1] if times else limits[0][0] - 1) + waiting
        minute = _hour(max(low, floor + 1), high, rng)
        between = range((times[-1] + 1) if times else limits[0][0], minute)
        times += sorted(rng.sample(between, waiting))
        times.append(minute)
    return times


def _hour(low: int, high: int, rng: Random) -> int:
    """A minute within the limits, by day where that is possible."""
    midnight = high - high % DAY
    day_low, day_high = max(low, midnight + _EARLY), min(high, midnight + _LATE)
    return rng.randint(day_low, day_high) if day_low <= day_high else rng.randint(low, high)


def _number_of(day: date) -> int:
    return (day - _ORIGIN.date()).days
