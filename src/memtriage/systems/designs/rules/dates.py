"""Dates by rule: which days a text speaks of.

It knows the everyday expressions of English (yesterday, last Tuesday, two weeks ago, in March, on the 3rd, 3/22, at
Christmas) and reckons them from the day on which they were said. What it isn't sure of, it leaves out: a wrong range
hides the right memory, a missing one only doesn't help.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from memtriage.systems.designs.rules.holidays import HOLIDAYS, holiday


@dataclass(frozen=True, slots=True)
class Span:
    """Days from a first to a last one, both included."""

    start: date
    end: date

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1

    def touches(self, other: Span, slack: int = 0) -> bool:
        """Whether the two share a day, or miss each other by no more than `slack` days."""
        return (self.start - other.end).days <= slack and (other.start - self.end).days <= slack


@dataclass(frozen=True, slots=True)
class Mention:
    """An expression of time in a text: its words, where they begin, and the days they stand for."""

    text: str
    start: int
    span: Span


def day(stamp: str | None) -> date | None:
    """The day of a timestamp such as 2023-05-30T23:40 or 2023/05/30 (Tue) 23:40; None where it names none.

    >>> day("2023/05/30 (Tue) 23:40")
    datetime.date(2023, 5, 30)
    """
    found = re.match(r"\s*(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)", stamp or "")
    return _date(*map(int, found.groups())) if found else None


def mentions(text: str, today: date) -> list[Mention]:
    """The expressions of time in a text, in order, as meant by someone who wrote it on that day.

    >>> [str(each.span.start) for each in mentions("I ran on the 3rd and rested yesterday.", date(2023, 5, 20))]
    ['2023-05-03', '2023-05-19']
    """
    found = []
    for match, resolve in _expressions(text):
        span = resolve(match, today, _looks_ahead(text[max(0, match.start() - _CONTEXT) : match.start()], match[0]))
        if span is not None:
            found.append(Mention(match[0].strip(), match.start(), span))
    return found


# ------------------------------------------------------------------ which way an expression points

_MARKER = re.compile(
    r"\b(?P<future>will|'ll|gonna|going to|plan(?:s|ning)?|upcoming|soon|coming up|scheduled|about to|looking forward"
    r"|hop(?:e|ing) to|want(?:ing)? to|next|due|deadline|booked for|in time for|ready for|prepar(?:e|ing) for)\b"
    r"|\b(?P<past>was|were|did|had|went|got|bought|met|made|took|came|saw|began|won|ran|gave|found|left|spent|read"
    r"|flew|held|ago|last|just|recently|since|\w{3,}ed)\b",
    re.IGNORECASE,
)


_CONTEXT = 160
"""How many characters before an expression are looked at for which way it points."""


def _looks_ahead(before: str, own: str) -> bool:
    """Whether the sentence speaks of what is to come: the nearest marker before the expression decides."""
    sentence = re.split(r"[.!?]\s", before)[-1].replace("’", "'") + own
    markers = list(_MARKER.finditer(sentence))
    return bool(markers) and markers[-1]["future"] is not None


# ------------------------------------------------------------------ the expressions

Resolve = Callable[[re.Match[str], date, bool], Span | None]

_MONTHS = {name: n for n, name in enumerate(calendar.month_name) if name}
_SHORT = {name[:3].lower(): n for name, n in _MONTHS.items()}
_WEEKDAYS = {name.lower(): n for n, name in enumerate(calendar.day_name)}
_COUNTS = {
    word: n
    for n, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split(), 1
    )
} | {"a": 1, "an": 1, "twenty": 20, "thirty": 30}
_VAGUE = {"couple": (2, 3), "few": (2, 5), "several": (3, 7)}

_MONTH = rf"(?:{'|'.join(_MONTHS)})"
_ANY_MONTH = rf"(?:{'|'.join(_MONTHS)}|(?:{'|'.join(_SHORT)}|sept)\.?)"
_WEEKDAY = rf"(?:{'|'.join(_WEEKDAYS)})"
_COUNT = rf"(?:\d{{1,3}}|(?:a )?couple(?: of)?|(?:a )?few|several|{'|'.join(_COUNTS)})"
_UNIT = r"(?:minute|hour|day|night|week|weekend|month|year)"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_PART_OF_DAY = r"(?:morning|afternoon|evening|night)"
_PART = r"(?:early|mid|late|(?:beginning|start|middle|end)\s+of)"


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _days_later(start: date, days: int) -> date:
    """So many days later; the calendar's first or last day where it ends."""
    try:
        return start + timedelta(days=days)
    except OverflowError:
        return date.max if days > 0 else date.min


def _months_later(start: date, months: int) -> date:
    """The same day so many months later, or the last one of a shorter month."""
    count = min(max(start.year * 12 + start.month - 1 + months, 12), 9999 * 12 + 11)
    year, month = divmod(count, 12)
    return date(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))


def _month(year: int, month: int) -> Span:
    return Span(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def _week(around: date, later: int = 0) -> Span:
    """Monday to Sunday, so many weeks later."""
    monday = _days_later(around, 7 * later - around.weekday())
    return Span(monday, _days_later(monday, 6))


def _one(found: date | None) -> Span | None:
    return None if found is None else Span(found, found)


def _nearest(occurs: Callable[[int], Span | None], today: date, ahead: bool) -> Span | None:
    """The latest occurrence of a yearly date, or the next one if the sentence looks ahead."""
    years = range(today.year, today.year + 5) if ahead else range(today.year, today.year - 5, -1)
    for year in years:
        span = occurs(year) if date.min.year <= year <= date.max.year else None
        if span is not None and (span.end >= today if ahead else span.start <= today):
            return span
    return None


def _count(text: str) -> tuple[int, int]:
    """A number, or the numbers that a vague word may stand for."""
    if text.isdigit():
        return int(text), int(text)
    word = text.lower().removeprefix("a ").removesuffix(" of")
    return _VAGUE.get(word) or (_COUNTS[word], _COUNTS[word])


def _back(today: date, unit: str, n: int) -> date:
    if unit in ("month", "year"):
        return _months_later(today, -n * (12 if unit == "year" else 1))
    return _days_later(today, -n * {"week": 7, "weekend": 7, "day": 1, "night": 1}.get(unit, 0))


_TOLERANCE = {"week": 3, "weekend": 3, "month": 7, "year": 45}
"""How many days people are off who say that something was so many weeks, months or years ago."""


def _ago(m: re.Match[str], today: date, ahead: bool) -> Span:
    low, high = _count(m["count"])
    unit = m["unit"].lower()
    off = _TOLERANCE.get(unit, 0)
    return Span(_days_later(_back(today, unit, high), -off), min(_days_later(_back(today, unit, low), off), today))


def _past(m: re.Match[str], today: date, ahead: bool) -> Span:
    return Span(_back(today, m["unit"].lower(), _count(m["count"] or "one")[1]), today)


def _hence(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    if m["inside"] and not ahead:
        return None  # done in two weeks: how long it took
    low, high = _count(m["count"])
    unit = m["unit"].lower()
    off = _TOLERANCE.get(unit, 0)
    return Span(max(today, _days_later(_back(today, unit, -low), -off)), _days_later(_back(today, unit, -high), off))


def _near_day(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    word = " ".join(m[0].lower().split())
    away = {"the day before yesterday": -2, "the day after tomorrow": 2, "yesterday": -1, "last night": -1}
    if word.startswith("yesterday"):
        word = "yesterday"
    return _one(_days_later(today, 1 if word.startswith("tomorrow") else away.get(word, 0)))


def _relative(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    """Last week, this month, next year, the past weekend."""
    which, unit = m["which"].lower(), m["unit"].lower()
    later = {"last": -1, "past": -1, "previous": -1, "this past": -1, "next": 1, "this coming": 1}.get(which, 0)
    if unit == "weekend" and which in ("past", "this past") and today.weekday() >= 5:
        later = 0 if today.weekday() == 6 else -1
    if unit == "week":
        return _week(today, later)
    if unit == "weekend":
        week = _week(today, 0 if later > 0 and today.weekday() < 5 else later)
        return Span(_days_later(week.start, 5), week.end)
    if unit == "month":
        there = _months_later(today, later)
        return _month(there.year, there.month)
    year = min(max(today.year + later, 1), 9999)
    return Span(date(year, 1, 1), date(year, 12, 31))


def _weekday(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    which, wanted = (m["which"] or "on").lower(), _WEEKDAYS[m["weekday"].lower()]
    since = (today.weekday() - wanted) % 7
    if which in ("next", "this coming", "coming") or (ahead and which not in ("last", "past", "this past")):
        return _one(_days_later(today, 7 - since))
    if which == "this":
        return _one(_days_later(today, wanted - today.weekday()))
    return _one(_days_later(today, -(since or (7 if which in ("last", "past", "this past") else 0))))


def _number_of_month(name: str) -> int:
    return _SHORT[name[:3].lower()]


def _day_number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def _day_of_month(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    """March 3rd, 3 March 2023, March 3-5."""
    month, first = _number_of_month(m["month"]), _day_number(m["day"])
    last = _day_number(m["last"]) if m.groupdict().get("last") else first

    def in_year(year: int) -> Span | None:
        start, end = _date(year, month, first), _date(year, month, last)
        return Span(start, end) if start and end and start <= end else None

    return in_year(int(m["year"])) if m["year"] else _nearest(in_year, today, ahead)


_THIRDS = {"early": (1, 10), "mid": (11, 20), "late": (21, 31)}


def _month_alone(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    """In March, last May, early June, in March and April."""
    first = _number_of_month(m["month"])
    lead = (m["lead"] or "").lower()

    def in_year(year: int) -> Span | None:
        return _month(year, first)

    span = in_year(int(m["year"])) if m["year"] else _nearest(in_year, today, ahead or lead == "next")
    if span is None:
        return None
    if lead == "last" and not m["year"] and span.end >= today:
        span = _month(max(span.start.year - 1, 1), first)
    if m["until"]:
        other = _number_of_month(m["until"])
        year = span.start.year + (other < first)
        return Span(span.start, _month(min(int(m["until_year"] or year), 9999), other).end)
    part = (m["part"] or m["only"] or "").lower()
    if not part:
        return span
    named = {"beginning": "early", "start": "early", "middle": "mid", "end": "late"}
    low, high = _THIRDS[named.get(part.split()[0], part)]
    return Span(_days_later(span.start, low - 1), min(_days_later(span.start, high - 1), span.end))


def _day_alone(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    """On the 3rd: of this month, or of the one before (after) where that day hasn't come (is over)."""
    number = _day_number(m["day"])
    for later in (0, 1, 2) if ahead else (0, -1, -2):
        there = _months_later(today.replace(day=1), later)
        found = _date(there.year, there.month, number)
        if found is not None and (found >= today if ahead else found <= today):
            return _one(found)
    return None


def _numeric(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    """3/22, 3/22/23; the month comes first unless it can't."""
    month, number = int(m["first"]), int(m["second"])
    if month > 12:
        month, number = number, month
    if m["year"]:
        year = int(m["year"])
        return _one(_date(year + 2000 if year < 100 else year, month, number))
    return _nearest(lambda year: _one(_date(year, month, number)), today, ahead)


def _full(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    return _one(_date(int(m["year"]), int(m["month"]), int(m["day"])))


def _season(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    begins = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}[m["season"].lower()]

    def in_year(year: int) -> Span | None:
        if year >= date.max.year:
            return None
        start = date(year, begins, 1)
        return Span(start, _days_later(_months_later(start, 3), -1))

    if m["year"]:
        return in_year(int(m["year"]))
    which = m["which"].lower()
    span = _nearest(in_year, today, which == "next" or (ahead and which != "last"))
    if span is not None and which == "last" and span.end >= today:
        return in_year(max(span.start.year - 1, 1))
    return span


def _year(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    return Span(date(int(m["year"]), 1, 1), date(int(m["year"]), 12, 31))


def _holiday(m: re.Match[str], today: date, ahead: bool) -> Span | None:
    def in_year(year: int) -> Span | None:
        return _one(holiday(m["holiday"], year))

    return in_year(int(m["year"])) if m["year"] else _nearest(in_year, today, ahead)


_RULES: tuple[tuple[re.Pattern[str], Resolve], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), resolve)
    for pattern, resolve in (
        (r"(?<!\d)(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?!\d)", _full),
        (r"(?<![\d/$.])(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>\d{4}|\d\d)(?![\d/])", _numeric),
        (
            r"\b(?:on|since|by|until|till|around|before|after|from|dated|between)\s+"
            r"(?P<first>\d{1,2})/(?P<second>\d{1,2})(?![\d/%])(?P<year>)(?!\s+(?:of|cups?|tsp|tbsp|inch))",
            _numeric,
        ),
        (
            rf"\b(?P<month>{_ANY_MONTH})\s+(?:the\s+)?(?P<day>{_DAY})(?:\s*(?:-|–|to|through)\s*(?P<last>{_DAY}))?"
            rf"(?!\d|%|[:.]\d)(?:,?\s+(?P<year>{_YEAR}))?\b",
            _day_of_month,
        ),
        (rf"\b(?P<day>{_DAY})\s+(?:of\s+)?(?P<month>{_MONTH})(?:,?\s+(?P<year>{_YEAR}))?\b", _day_of_month),
        (
            rf"\b(?:(?P<lead>in|since|by|until|till|during|around|before|after|last|this|next|throughout|between"
            rf"|from(?=\s+{_MONTH}\s*(?:to|through|until|-|–)))\s+(?:the\s+)?(?:(?P<part>{_PART})[\s-]+)?|(?P<only>{_PART})[\s-]+)"
            rf"(?P<month>{_MONTH})(?!\s+(?:the\s+)?\d{{1,2}}(?!\d))(?!['’])(?:,?\s+(?P<year>{_YEAR}))?"
            rf"(?:\s*(?:,|and|or|to|through|until|-|–)\s*(?P<until>{_MONTH})(?:,?\s+(?P<until_year>{_YEAR}))?)?\b",
            _month_alone,
        ),
        (
            r"\b(?:on|by|since|until|from|before|after)\s+the\s+(?P<day>\d{1,2}(?:st|nd|rd|th))\b(?!\s+(?:of\s+(?!this|last)"
            r"|floor|day|attempt|try|street|st|ave|page|place|grade|time|week|month|year|anniversary|birthday|century))",
            _day_alone,
        ),
        (
            r"\bthe day before yesterday\b|\byesterday(?: (?:morning|afternoon|evening))?\b|\blast night\b"
            r"|\b(?:earlier )?today\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b"
            r"|\bthe day after tomorrow\b|\btomorrow(?: (?:morning|afternoon|evening|night))?\b",
            _near_day,
        ),
        (rf"\b(?P<count>{_COUNT})\s+(?P<unit>{_UNIT})s?\s+(?:ago|back)\b", _ago),
        (
            rf"\b(?:the\s+|these\s+)?(?:last|past|previous)\s+(?P<count>{_COUNT})\s+"
            r"(?P<unit>day|night|week|weekend|month|year)s?\b",
            _past,
        ),
        (r"\bthe\s+(?:last|past)\s+(?P<count>)(?P<unit>week|month|year)\b", _past),
        (
            rf"\b(?:(?P<inside>in)\s+(?P<count>{_COUNT})\s+(?P<unit>{_UNIT})s?)\b",
            _hence,
        ),
        (rf"\b(?P<count>{_COUNT})\s+(?P<unit>{_UNIT})s?\s+(?P<inside>)from (?:now|today)\b", _hence),
        (
            r"\b(?P<which>this past|this coming|last|past|previous|this|next)\s+(?P<unit>week|weekend|month|year)\b"
            r"(?!['’-])",
            _relative,
        ),
        (
            rf"(?<!every )(?<!each )\b(?P<which>this past|this coming|coming|last|past|this|next|on|since|by|until)\s+"
            rf"(?P<weekday>{_WEEKDAY})\b(?!['’]s|\s+{_PART_OF_DAY}s\b)",
            _weekday,
        ),
        (
            rf"(?<!every )(?<!each )(?P<which>)\b(?P<weekday>{_WEEKDAY})\s+{_PART_OF_DAY}\b(?!['’]s)",
            _weekday,
        ),
        (
            rf"\b(?P<which>this past|last|this|next|in(?: the)?|since(?: the)?)\s+"
            rf"(?P<season>spring|summer|fall|autumn|winter)(?:\s+(?:of\s+)?(?P<year>{_YEAR}))?\b(?!\s+(?:break|cleaning))",
            _season,
        ),
        (rf"\b(?:in|since|during|of|by|until|before|after|around)\s+(?P<year>{_YEAR})\b(?![-/\d])", _year),
        (
            rf"\b(?:on|last|this|this past|over|since|before|after|during|around|at)\s+(?:the\s+)?"
            rf"(?P<holiday>{HOLIDAYS})(?:,?\s+(?:of\s+)?(?P<year>{_YEAR}))?\b",
            _holiday,
        ),
    )
)
_HINT = re.compile(
    rf"\d/\d|\d-\d|\d(?:st|nd|rd|th)\b|\b(?:{_YEAR}|ago|back|last|past|previous|this|next|in|today|tonight|from now)\b"
    rf"|day\b|yesterday|tomorrow|weekend|{_ANY_MONTH}|spring|summer|fall|autumn|winter|christmas|easter|halloween|thanksgiving|eve\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 14)
def _expressions(text: str) -> tuple[tuple[re.Match[str], Resolve], ...]:
    """What looks like time in a text: at each place the longest expression, none inside another."""
    return tuple(_apart(text)) if _HINT.search(text) else ()


def _apart(text: str) -> Iterator[tuple[re.Match[str], Resolve]]:
    found = [(match, resolve) for pattern, resolve in _RULES for match in pattern.finditer(text)]
    end = 0
    for match, resolve in sorted(found, key=lambda each: (each[0].start(), -each[0].end())):
        if match.start() >= end:
            yield match, resolve
            end = match.end()
