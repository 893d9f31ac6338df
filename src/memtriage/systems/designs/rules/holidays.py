"""Holidays that people date things by, and when they fall."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

_FIXED = {
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "new year's": (1, 1),
    "valentine's day": (2, 14),
    "valentine's": (2, 14),
    "valentines day": (2, 14),
    "st patrick's day": (3, 17),
    "april fools' day": (4, 1),
    "cinco de mayo": (5, 5),
    "juneteenth": (6, 19),
    "independence day": (7, 4),
    "4th of july": (7, 4),
    "fourth of july": (7, 4),
    "halloween": (10, 31),
    "veterans day": (11, 11),
}
_NTH_WEEKDAY = {  # month, weekday (0 = Monday), which one (-1: the last), days after it
    "mother's day": (5, 6, 2, 0),
    "father's day": (6, 6, 3, 0),
    "memorial day": (5, 0, -1, 0),
    "labor day": (9, 0, 1, 0),
    "thanksgiving day": (11, 3, 4, 0),
    "thanksgiving": (11, 3, 4, 0),
    "black friday": (11, 3, 4, 1),
    "cyber monday": (11, 3, 4, 4),
}
_BY_EASTER = {
    "shrove tuesday": -47,
    "ash wednesday": -46,
    "palm sunday": -7,
    "maundy thursday": -3,
    "good friday": -2,
    "easter sunday": 0,
    "easter monday": 1,
    "easter": 0,
}
_NAMES = sorted((*_FIXED, *_NTH_WEEKDAY, *_BY_EASTER), key=len, reverse=True)
HOLIDAYS = (
    "(?:" + "|".join(re.escape(name).replace("'", "['’]").replace(r"st\ p", r"st\.?\ p") for name in _NAMES) + ")"
)
"""The names of the holidays as a pattern; the longest come first."""


def holiday(name: str, year: int) -> date | None:
    """The day of a holiday in a year; None for one that isn't known.

    >>> str(holiday("Ash Wednesday", 2023))
    '2023-02-22'
    """
    plain = " ".join(name.lower().replace("’", "'").replace(".", "").split())
    if plain in _FIXED:
        return date(year, *_FIXED[plain])
    if plain in _NTH_WEEKDAY:
        return _nth_weekday(year, *_NTH_WEEKDAY[plain])
    if plain in _BY_EASTER:
        return _easter(year) + timedelta(days=_BY_EASTER[plain])
    return None


def _nth_weekday(year: int, month: int, weekday: int, nth: int, after: int) -> date:
    days = [week[weekday] for week in calendar.monthcalendar(year, month) if week[weekday]]
    return date(year, month, days[nth if nth < 0 else nth - 1]) + timedelta(days=after)


def _easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (the anonymous computus)."""
    golden, century, rest = year % 19, year // 100, year % 100
    leap, skipped = century // 4, century % 4
    moon = (19 * golden + century - leap - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * skipped + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, offset = divmod(moon + weekday - 7 * late + 114, 31)
    return date(year, month, offset + 1)
