"""Times as people say them, and the date that follows from the day on which they are said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_NUMBERS = {2: "two", 3: "three", 4: "four"}
_WEIGHTS = {"day": 12, "weekend": 4, "week": 3, "month": 4}
_DAY = timedelta(days=1)


class Moment(NamedTuple):
    """When something is: how it is said, which date that is, and the first and last day that it may mean."""

    said: str
    gold: str
    first: date
    last: date

    def known(self) -> dict[str, str]:
        """The time as templates have it, in the middle of a sentence and at its beginning."""
        return {"when": self.said, "When": self.said[0].upper() + self.said[1:]}


def past(rng: Random, told: date, after: date) -> Moment | None:
    """A time before the day it is told on, all of it later than `after`; None where no day lies between them."""
    kinds = {
        "day": [*_days(told, after)],
        "weekend": [*_weekend(told, after)],
        "week": [*_week(told, after)],
        "month": [*_month(told, after)],
    }
    known = [kind for kind, found in kinds.items() if found]
    if not known:
        return None
    [kind] = rng.choices(known, [_WEIGHTS[kind] for kind in known])
    return rng.choice(kinds[kind])


def ahead(rng: Random, told: date) -> Moment:
    """A day in the week to come."""
    days = rng.randint(1, 6)
    day = told + days * _DAY
    if days == 1:
        return _on("tomorrow", day)
    same_week = day.isocalendar()[:2] == told.isocalendar()[:2]
    return _on(f"this {DAYS[day.weekday()]}" if same_week else f"this coming {DAYS[day.weekday()]}", day)


def written(day: date) -> str:
    """A date as answers give it.

    >>> written(date(2023, 7, 4))
    '4 July 2023'
    """
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _on(said: str, day: date) -> Moment:
    return Moment(said, written(day), day, day)


def _days(told: date, after: date) -> Iterator[Moment]:
    for ago in range(1, 8):
        day = told - ago * _DAY
        if day <= after:
            return
        if ago == 1:
            yield _on("yesterday", day)
            continue
        if ago in _NUMBERS:
            yield _on(f"{_NUMBERS[ago]} days ago", day)
        same_week = day.isocalendar()[:2] == told.isocalendar()[:2]
        # in the same week, "last Friday" would be the one before for some
        yield _on(f"on {DAYS[day.weekday()]}" if same_week else f"last {DAYS[day.weekday()]}", day)


def _weekend(told: date, after: date) -> Iterator[Moment]:
    if 1 <= told.weekday() <= 4:  # on other days one may mean this weekend or the one before
        saturday = told - (told.weekday() + 2) * _DAY
        if saturday > after:
            for said in ("last weekend", "over the weekend"):
                yield Moment(said, f"the weekend of {written(saturday)}", saturday, saturday + _DAY)


def _week(told: date, after: date) -> Iterator[Moment]:
    monday = told - (told.weekday() + 7) * _DAY
    if monday > after:
        yield Moment("last week", f"the week before {written(told)}", monday, monday + 6 * _DAY)


def _month(told: date, after: date) -> Iterator[Moment]:
    last = told.replace(day=1) - _DAY
    if last.replace(day=1) > after:
        yield Moment("last month", f"{MONTHS[last.month - 1]} {last.year}", last.replace(day=1), last)
