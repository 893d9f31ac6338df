"""Reads days and times: names of months and weekdays, times of day, and what `yesterday` was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache

from memtriage.text.language import spoken

MONTHS = tuple("january february march april may june july august september october november december".split())
_WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
_MONTH = {m: m for m in MONTHS} | {m[:3]: m for m in MONTHS} | {"sept": "september"}
_WEEKDAY = {d[:3]: d for d in _WEEKDAYS}
_HALF_OF_DAY = re.compile(r"([ap])\.?m", re.IGNORECASE)
_TODAY = ("this morning", "this afternoon", "this evening", "tonight")
_PERIOD = re.compile(r"(last|next|this) (week|month|year)")
_RELATIVE = re.compile(
    r"\b(?:the day before yesterday|the day after tomorrow|yesterday|today|tomorrow|tonight"
    rf"|this (?:morning|afternoon|evening)|(?:last|next|this) (?:week|month|year|{'|'.join(_WEEKDAYS)})"
    r"|(?:an?|\d+) (?:day|week|month|year)s? ago|in (?:an?|\d+) (?:day|week|month|year)s?)\b",
    re.IGNORECASE,
)


def date_name(word: str, capital: bool) -> str:
    """The month or weekday that a word in lower case names, written out; nothing if it names none.

    Without a capital, `may` and `march` are words, and so is anything of three letters.

    >>> date_name("sept", False), date_name("tues", True), date_name("may", False)
    ('september', 'tuesday', '')
    """
    if word in _MONTH and (capital or (len(word) > 3 and word != "march")):
        return _MONTH[word]
    day = word.rstrip("s")
    if day in _WEEKDAYS:
        return day
    return _WEEKDAY.get(day, "") if capital else ""


def clock_time(text: str) -> str:
    """A time of day in 24 hours, with a question mark if it may be either half of the day.

    >>> clock_time("5 pm"), clock_time("17:00"), clock_time("5:00")
    ('17:00', '17:00', '5:00?')
    """
    digits = re.findall(r"\d+", text)
    hour, minute = int(digits[0]), int(digits[1]) if len(digits) > 1 else 0
    half = _HALF_OF_DAY.search(text)
    if half:
        hour = hour % 12 + (12 if half[1] in "pP" else 0)
    return f"{hour}:{minute:02d}" if half or hour > 12 else f"{hour}:{minute:02d}?"


def relative_dates(text: str, said: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where a text names a date as seen from the day it was said (ISO 8601): start, end, and what is known of the date.

    >>> list(relative_dates("We met yesterday.", "2024-03-01"))
    [(7, 16, ('29', 'february'))]
    """
    language = spoken()
    named = (
        ((found.start(), found.end(), found[0]) for found in _RELATIVE.finditer(text))
        if language is None
        else language.relative_dates(text)
    )
    for start, end, phrase in named:
        parts = _resolved(phrase.lower(), said)
        if parts:
            yield start, end, parts


@lru_cache(maxsize=1 << 12)
def _resolved(text: str, said: str) -> tuple[str, ...]:
    """The day, month or year that a relative date stands for, as far as it names them."""
    import dateparser

    period = _PERIOD.fullmatch(text)
    if period:
        plain = {"last": f"1 {period[2]} ago", "next": f"in 1 {period[2]}", "this": "today"}[period[1]]
    else:
        plain = "today" if text in _TODAY else text
    ahead = text.startswith(("next", "this", "in ", "tom"))
    try:
        base = datetime.combine(date.fromisoformat(said[:10]), datetime.min.time())
    except ValueError:
        return ()
    settings = {
        "RELATIVE_BASE": base,
        "PREFER_DATES_FROM": "future" if ahead else "past",
    }
    found = dateparser.parse(plain, languages=["en"], settings=settings)
    if found is None:
        return ()
    if "year" in text:
        return (str(found.year),)
    if "month" in text:
        return (MONTHS[found.month - 1],)
    if "week" in text:
        # `3 weeks ago` names a month at most, and `last week` may be in either of two.
        return (MONTHS[found.month - 1],) if "ago" in text or text.startswith("in ") else ()
    return str(found.day), MONTHS[found.month - 1]
