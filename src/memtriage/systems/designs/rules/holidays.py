"""Holidays that people date things by, and when they fall."""

from __future__ import annotations

import calendar
import re
import tomllib
from datetime import date, timedelta
from importlib.resources import files
from typing import Any

_DAYS: dict[str, dict[str, Any]] = tomllib.loads(
    (files(__package__) / "words/holidays.toml").read_text(encoding="utf-8")
)
_FIXED, _NTH_WEEKDAY, _BY_EASTER = _DAYS["fixed"], _DAYS["nth_weekday"], _DAYS["by_easter"]
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
