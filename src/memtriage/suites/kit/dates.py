"""Dates as released files write them, read and written."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2}(?:[.,]\d+)?)?\s*(?P<half>[ap]\.?m\b\.?)?"
_AFTER = rf"(?:(?:\s*,)?\s*(?:\([^)]*\)|at|on)?[\sT]*{_CLOCK})?"
_ZONE = r"\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
_MONTH = r"(?P<month>[A-Za-z]{3,9})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"

_FORMS = tuple(
    re.compile(form + _ZONE, re.IGNORECASE)
    for form in (
        rf"{_YEAR}[/.-](?P<month>\d{{1,2}})[/.-]{_DAY}(?:\s*\([^)]*\))?{_AFTER}",  # the official one, and ISO 8601
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY},?\s+{_YEAR}{_AFTER}",
        rf"{_WEEKDAY}{_DAY}\s+{_MONTH},?\s+{_YEAR}{_AFTER}",
        rf"{_CLOCK}\s*(?:,|on)?\s+{_DAY}\s+{_MONTH},?\s+{_YEAR}",
        rf"{_CLOCK}\s*(?:,|on)?\s+{_MONTH}\s+{_DAY},?\s+{_YEAR}",
        rf"{_DAY}\.(?P<month>\d{{1,2}})\.{_YEAR}{_AFTER}",
    )
)
_SLASHED = re.compile(rf"(?P<one>\d{{1,2}})[/-](?P<two>\d{{1,2}})[/-]{_YEAR}{_AFTER}{_ZONE}", re.IGNORECASE)
_MONTHS = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)}
_SECONDS = range(10**8, 10**10)
"""Numbers that can be seconds since 1970: from 1973 to 2286."""


def parse_date(value: object) -> str | None:
    """When something was, in ISO 8601 to the minute; None where the value can't be read as a date without guessing.

    Weekday and time zone are ignored: only the local time counts.

    >>> parse_date("2023/05/30 (Tue) 23:40"), parse_date("2023-05-30T23:40:12Z"), parse_date("May 30, 2023 11:40 pm")
    ('2023-05-30T23:40', '2023-05-30T23:40', '2023-05-30T23:40')
    >>> parse_date("05/06/2023") is None   # May or June?
    True
    """
    if isinstance(value, str):
        return _read(value.strip())
    if isinstance(value, int | float) and not isinstance(value, bool) and _SECONDS[0] <= value <= _SECONDS[-1]:
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%dT%H:%M")
    return None


def official_date(iso: str | None) -> str | None:
    """A moment with its weekday, in English whatever the locale.

    >>> official_date("2023-05-30T23:40")
    '2023/05/30 (Tue) 23:40'
    """
    if iso is None:
        return None
    at = datetime.fromisoformat(iso)
    return f"{at:%Y/%m/%d} ({_DAYS[at.weekday()]}) {at:%H:%M}"


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> str | None:
    if len(text) > 80:
        return None
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is not None:
            return _iso(found, found["month"], found["day"])
    found = _SLASHED.fullmatch(text)
    if found is None:
        return None
    one, two = int(found["one"]), int(found["two"])
    if one > 12 >= two:
        return _iso(found, found["two"], found["one"])
    if two > 12 >= one or one == two:
        return _iso(found, found["one"], found["two"])
    return None


def _iso(found: re.Match[str], month: str, day: str) -> str | None:
    hour, half = int(found["hour"] or 0), (found["half"] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    number = int(month) if month.isdigit() else _MONTHS.get(month[:3].lower(), 0)
    try:
        when = datetime(int(found["year"]), number, int(day), hour, int(found["minute"] or 0))
    except ValueError:
        return None
    return when.strftime("%Y-%m-%dT%H:%M") if when.year >= 1000 else None
