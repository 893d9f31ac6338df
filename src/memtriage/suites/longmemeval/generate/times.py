"""Questions about time: from dates that are spoken, or from nothing but when a chat was held.

Days count back from the question's day. A spoken date (`on March 3rd`, `this past Tuesday`, `two days ago`) is seen
from the day of its chat, which is held up to a week after what it tells of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from random import Random

from memtriage.suites.longmemeval.generate.catalogue import Event, collections, events, phrases
from memtriage.suites.longmemeval.generate.facts import pick_unused
from memtriage.suites.longmemeval.generate.sums import draw_collection
from memtriage.suites.longmemeval.generate.values import (
    amount,
    capitalized,
    fill_names,
    in_words,
    ordinal,
    the,
    with_lead,
)
from memtriage.suites.longmemeval.outline import Outline, Statement

_OPS = {
    ("between", "explicit"): 36,
    ("order", "explicit"): 8,
    ("first", "explicit"): 8,
    ("between", "metadata"): 10,
    ("ago", "metadata"): 22,
    ("first", "metadata"): 12,
    ("order", "metadata"): 8,
    ("when", "metadata"): 26,
}
"""How often each question about time is asked, by what it asks for and where the dates come from."""
_FIRST_ASKED, _ASKED_DAYS = date(2023, 3, 20), 90
"""The first day on which a question with dates may be asked, and on how many days."""
_LATE = 6
"""How many days after an event it may be told of."""

_SAME_WORDS = 0.45
"""How often a question names a thing nearly in the words in which it was told."""
_PLACE_NAMED = re.compile(r" (?:at|from|by|on|to|with) \{[a-z]+\}(?= for|$)")
_SECOND_PERSON = (
    (r"\bI was\b", "you were"),
    (r"\bI\b", "you"),
    (r"\b[Mm]y\b", "your"),
    (r"\bour\b", "your"),
    (r"\bme\b", "you"),
    (r"^was\b", "were"),
)


def time_outline(rng: Random, used: set[str], abstention: bool) -> Outline:
    """A question about when things happened."""
    op, time = ("between", "explicit") if abstention else rng.choices(list(_OPS), list(_OPS.values()))[0]
    if op == "when":
        return _chat_dates_outline(rng, used)
    count = {"ago": 1, "order": 3}.get(op, 2)
    drawn: dict[str, Event] = {}
    while len(drawn) < count:
        event = _event(op, rng, used)
        drawn.setdefault(event.key, event)
    found = list(drawn.values())
    unit = "weeks" if op in ("between", "ago") and rng.random() < 0.35 else "days"
    days = _days(count, 7 if unit == "weeks" else 1, op == "ago", rng)
    asked = _FIRST_ASKED + timedelta(days=rng.randrange(_ASKED_DAYS)) if time == "explicit" else None
    statements = tuple(_statement(event, day, asked, rng) for event, day in zip(found, days, strict=True))
    if abstention:
        return _unanswerable_outline(found, statements, asked, unit, rng)
    return Outline(
        f"{op} {' '.join(event.key for event in found)}",
        "temporal-reasoning",
        _question_text(op, found, unit, rng),
        _answer(op, found, days, unit),
        tuple(sorted(statements, key=lambda one: -(one.days_before or 0))),
        ordered=True,
        asked_on=asked.isoformat() if asked else None,
        tags={"op": op, "time": time, "unit": unit},
    )


def spoken_date(day: date, seen_from: date, rng: Random) -> str:
    """A day in the words of someone who speaks a few days later.

    >>> from random import Random
    >>> sorted({spoken_date(date(2023, 3, 7), date(2023, 3, 9), Random(seed)) for seed in range(40)})
    ['on March 7th', 'this past Tuesday', 'two days ago']
    """
    days = (seen_from - day).days
    forms = [f"on {day:%B} {ordinal(day.day)}"] * 2
    if 1 <= days <= 6:
        forms.append(f"this past {day:%A}")
        forms.append("yesterday" if days == 1 else f"{in_words(days)} days ago")
        if day.isocalendar().week != seen_from.isocalendar().week:
            forms.append(f"last {day:%A}")
    return rng.choice(forms)


def _event(op: str, rng: Random, used: set[str]) -> Event:
    return _with_names(pick_unused(events(), lambda one: f"{op}:{one.key}", rng, used), rng)


def _with_names(event: Event, rng: Random) -> Event:
    """The event with its names filled in, and asked about in other words or nearly in the same."""
    asked, base = event.asked, event.base
    drawn = fill_names(event.told, rng)
    if rng.random() < _SAME_WORDS:
        plain = _PLACE_NAMED.sub("", event.told)
        asked, base = (plain, "") if "{" not in plain else (drawn, "")
    return replace(event, told=drawn, asked=asked, base=base)


def _days(count: int, step: int, ago: bool, rng: Random) -> list[int]:
    """Days before the question, the earliest first, a multiple of `step` apart."""
    if ago:
        return [step * rng.randint(2, 9) if step > 1 else rng.randint(3, 40)]
    last = rng.randint(2 + _LATE, 20)
    gaps = [step * rng.randint(1, 7) if step > 1 else rng.randint(3, 32) for _ in range(count - 1)]
    days = [last]
    for gap in gaps:
        days.append(days[-1] + gap)
    return days[::-1]


def _statement(event: Event, day: int, asked: date | None, rng: Random) -> Statement:
    told, tail = event.told, rng.choice(phrases("tails"))
    if asked is None:
        held, when = day, ""
        text = rng.choice(phrases("told_today")).format(told=told, tail=tail)
    else:
        held = day - rng.randint(1, _LATE)
        when = spoken_date(asked - timedelta(days=day), asked - timedelta(days=held), rng)
        text = rng.choice(phrases("told_later")).format(told=told, tail=tail, when=when, When=capitalized(when))
    text = (
        with_lead(rng.choice(phrases("event_leads")), text) if text.startswith(("I ", "It ", "On ", "This ")) else text
    )
    shown = when if when in text else capitalized(when)
    return Statement(
        event.attribute, text, tuple(filter(None, (told, shown))), frozenset({event.key}), (told,), days_before=held
    )


def _question_text(op: str, found: Sequence[Event], unit: str, rng: Random) -> str:
    shown = list(found)
    if op in ("first", "order"):
        rng.shuffle(shown)
    names = dict(zip("abc", (event.asked for event in shown), strict=False))
    pool = phrases(op)
    if not shown[0].base:
        pool = tuple(template for template in pool if "{base}" not in template)
    return rng.choice(pool).format(base=shown[0].base, unit=unit, **names)


def _answer(op: str, found: Sequence[Event], days: Sequence[int], unit: str) -> str:
    """The gold answer; `found` stands in the order of time."""
    per = 7 if unit == "weeks" else 1
    if op == "ago":
        return amount(days[0] // per, unit)
    if op == "between":
        return amount((days[0] - days[1]) // per, unit)
    if op == "first":
        return f"First you {_second_person(found[0].asked)}."
    first, second, third = (_second_person(event.asked) for event in found)
    return f"First you {first}, then you {second}, and last you {third}."


def _second_person(clause: str) -> str:
    for pattern, other in _SECOND_PERSON:
        clause = re.sub(pattern, other, clause)
    return clause


def _unanswerable_outline(
    found: list[Event], statements: tuple[Statement, ...], asked: date | None, unit: str, rng: Random
) -> Outline:
    """Two things are told, but the question is about one of them and a third."""
    others = [event for event in events() if event.attribute not in {one.attribute for one in found}]
    third = _with_names(rng.choice(others), rng)
    untold = _second_person(third.asked)
    in_order = sorted(statements, key=lambda one: -(one.days_before or 0))
    return Outline(
        f"between {found[0].key} {third.key}",
        "temporal-reasoning",
        rng.choice(phrases("between")).format(unit=unit, a=found[0].asked, b=third.asked),
        f"You did not mention that you {untold}; you only told me when you {_second_person(found[0].asked)}.",
        tuple(replace(one, keys=one.keys | {third.attribute}) for one in in_order),
        abstention=True,
        ordered=True,
        asked_on=asked.isoformat() if asked else None,
        untold=(third.told, third.asked),
        tags={"op": "abstain", "time": "explicit", "unit": unit},
    )


def _chat_dates_outline(rng: Random, used: set[str]) -> Outline:
    """Which of several things it was that happened at some time, when only the chats' dates tell.

    The one of that time is the evidence; the others are told on days well outside it.
    """
    found = pick_unused(collections(), lambda one: f"when:{one.attribute}", rng, used)
    items, _, statements = draw_collection(found, rng.randint(3, 5), rng)
    asked = _FIRST_ASKED + timedelta(days=rng.randrange(_ASKED_DAYS))
    when, day, first, last = rng.choice(_TIMES)(asked, rng)
    outside = [d for d in range(2, 95) if not first - _MARGIN <= d <= last + _MARGIN]
    days = [day, *rng.sample(outside, len(items) - 1)]
    with_days = zip(statements, days, strict=True)
    dated = (replace(one, days_before=held, distractor=number > 0) for number, (one, held) in enumerate(with_days))
    return Outline(
        f"when {found.attribute}",
        "temporal-reasoning",
        f"{found.asks['when']} {when}?",
        capitalized(the(items[0])),
        tuple(sorted(dated, key=lambda one: -(one.days_before or 0))),
        ordered=True,
        asked_on=asked.isoformat(),
        tags={"op": "when", "time": "metadata", "unit": "days"},
    )


_Period = tuple[str, int, int, int]
"""A time in words, the day it is told of, and the first and last day it may mean; in days before the question."""

_MARGIN = 5
"""How many days outside a time what is told beside it stays."""


def _days_ago(asked: date, rng: Random) -> _Period:
    days = rng.randint(4, 24)
    return f"{in_words(days)} days ago", days, days, days


def _weeks_ago(asked: date, rng: Random) -> _Period:
    weeks = rng.randint(2, 9)
    return f"{in_words(weeks)} weeks ago", 7 * weeks, 7 * weeks - 3, 7 * weeks + 3


def _last_month(asked: date, rng: Random) -> _Period:
    last = (asked - asked.replace(day=1)).days + 1
    first = last + (asked.replace(day=1) - timedelta(days=1)).day - 1
    return "last month", rng.randint(last, first), last, first


def _in_month(asked: date, rng: Random) -> _Period:
    month = (asked.replace(day=1) - timedelta(days=1)).replace(day=1) - timedelta(days=1)
    last = (asked - month).days
    first = last + month.day - 1
    return f"in {month:%B}", rng.randint(last, first), last, first


def _last_weekday(asked: date, rng: Random) -> _Period:
    """A day of the week before this one, so that it is last Tuesday however one counts."""
    days = asked.weekday() + rng.randint(1, 7)
    return f"last {asked - timedelta(days=days):%A}", days, days, days


_TIMES = (_days_ago, _days_ago, _weeks_ago, _weeks_ago, _last_month, _in_month, _last_weekday)
