"""The seven types of questions in another language, each with its statements and a gold answer worked out from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from memtriage.suites.kit.localized import capital, filled, grammar
from memtriage.suites.kit.templates import marked
from memtriage.suites.kit.words import items, values
from memtriage.suites.longmemeval.attributes import PACKAGE
from memtriage.suites.longmemeval.outline import Outline, Statement

Record = Mapping[str, Any]

LONGEST_WAIT = 40
"""Days that lie between an event and the question about it, at the most."""


def words_of(code: str) -> Record:
    """The grammar of a language."""
    return grammar(PACKAGE, code, "questions")


def draw_outline(code: str, type: str, rng: Random, used: set[str], abstention: bool) -> Outline:
    """A new question of a type; `used` remembers what has been asked, so that it comes again only when all has."""
    return _DRAW[type](words_of(code), rng, used, abstention)


def _user(words: Record, rng: Random, used: set[str], abstention: bool) -> Outline:
    record = _fresh(words["single"], rng, used)
    value = rng.choice(values(record["values"]))
    told = _statement(record["key"], filled(record["tell"], {"v": value}), rng, words)
    answer = capital(told.details[0])
    return _asked("single-session-user", words, record, record["ask"], answer, (told,), abstention)


def _assistant(words: Record, rng: Random, used: set[str], _: bool) -> Outline:
    record = _fresh(words["advice"], rng, used)
    ordinals = words["ordinals"].split()
    chosen = rng.sample(values(record["items"]), len(ordinals))
    place = rng.randrange(len(ordinals))
    listed = [
        filled(words["suggestion"], {"nth": nth, "item": item}) for nth, item in zip(ordinals, chosen, strict=True)
    ]
    told = Statement(
        attribute=record["key"],
        text=listed[place],
        details=(chosen[place],),
        keys=frozenset({record["key"]}),
        values=(chosen[place],),
        role="assistant",
        prompt=record["prompt"],
        body=" ".join(listed),
    )
    question = filled(words["recall"], {"what": record["what"], "nth": ordinals[place]})
    return _asked("single-session-assistant", words, record, question, capital(chosen[place]), (told,), False)


def _preference(words: Record, rng: Random, used: set[str], _: bool) -> Outline:
    record = _fresh(words["preference"], rng, used)
    told = _statement(record["key"], record["tell"], rng, words)
    return _asked("single-session-preference", words, record, record["ask"], record["gold"], (told,), False)


def _several(words: Record, rng: Random, used: set[str], abstention: bool) -> Outline:
    record = _fresh(words["collection"], rng, used)
    things = rng.sample(values(record["things"]), rng.randint(2, 4))
    numbers = [rng.choice(record["numbers"].split()) for _ in things]
    told = [
        _statement(record["key"], filled(record["tell"], {"t": thing, "n": number}), rng, words)
        for thing, number in zip(things, numbers, strict=True)
    ]
    total = rng.random() < 0.5
    unit = marked(record["tell"])[1][1].replace("{n}", "").strip()
    answer = f"{sum(map(int, numbers))} {unit}" if total else str(len(things))
    question = record["total" if total else "count"]
    return _asked("multi-session", words, record, question, answer, told, abstention, op="sum" if total else "count")


def _update(words: Record, rng: Random, used: set[str], abstention: bool) -> Outline:
    record = _fresh(words["update"], rng, used)
    pool = values(record["values"])
    before, after = (pool[n] for n in sorted(rng.sample(range(len(pool)), 2)))
    told = (
        _statement(record["key"], filled(record["tell"], {"v": before}), rng, words, outdated=True),
        _statement(record["key"], filled(record["news"], {"v": after}), rng, words),
    )
    answer = capital(filled(record["answer"], {"v": after}))
    return _asked("knowledge-update", words, record, record["ask"], answer, told, abstention, ordered=True)


def _time(words: Record, rng: Random, used: set[str], abstention: bool) -> Outline:
    frames = words["events"]
    done = [{"key": f"tat/{text}", "done": text} for text in items(frames["done"])]
    first, second = (_fresh(done, rng, used) for _ in range(2))
    late = rng.randrange(2, LONGEST_WAIT // 2)
    early = late + rng.randrange(2, LONGEST_WAIT // 2)
    told = [
        _statement(one["key"], filled(frames["today"], {"done": one["done"]}), rng, words, days_before=days)
        for one, days in ((first, early), (second, late))
    ]
    names = {"a": first["done"], "b": second["done"]}
    ways: Sequence[tuple[str, str, Sequence[Statement]]] = (
        (frames["between"], filled(frames["days"], {"n": str(early - late)}), told),
        (frames["ago"], filled(frames["since"], {"n": str(early)}), told[:1]),
        (_either(frames["first"], names, rng), capital(first["done"]), told),
    )
    question, answer, statements = ways[0] if abstention else rng.choice(ways)
    missing = next(one["done"] for one in done if one not in (first, second))
    record = {"never": filled(frames["untold"], {"a": missing}), "missing": missing, "key": first["key"]}
    asked = filled(question, names)
    return _asked("temporal-reasoning", words, record, asked, answer, statements, abstention, ordered=True, op="time")


def _either(template: str, names: Mapping[str, str], rng: Random) -> str:
    """A question for one of two, named in either order."""
    one, other = rng.sample(list(names.values()), 2)
    return filled(template, {"a": one, "b": other})


_DRAW: dict[str, Callable[[Record, Random, set[str], bool], Outline]] = {
    "single-session-user": _user,
    "single-session-assistant": _assistant,
    "single-session-preference": _preference,
    "multi-session": _several,
    "knowledge-update": _update,
    "temporal-reasoning": _time,
}


def _fresh(records: Sequence[Record], rng: Random, used: set[str]) -> Record:
    """A record that was not asked about yet; when all were, they come again."""
    left = [record for record in records if record["key"] not in used]
    if not left:
        used.difference_update(record["key"] for record in records)
        left = list(records)
    record = rng.choice(left)
    used.add(record["key"])
    return record


def _statement(
    key: str, tell: str, rng: Random, words: Record, outdated: bool = False, days_before: int | None = None
) -> Statement:
    """What a user lets slip, with a lead or without."""
    text, details = marked(filled(rng.choice(items(words["asides"])), {"fact": tell}))
    keys = frozenset({key})
    return Statement(key, text, details, keys, values=details, outdated=outdated, days_before=days_before)


def _asked(
    type: Any,
    words: Record,
    record: Record,
    question: str,
    answer: str,
    statements: Sequence[Statement],
    abstention: bool,
    ordered: bool = False,
    op: str = "",
) -> Outline:
    """A question about what was told, or with `abstention` about something near it that was not."""
    if abstention:
        question, answer = record["never"], filled(words["untold"], {"missing": record["missing"]})
    return Outline(
        id_hint=record["key"],
        type=type,
        text=question,
        answer=answer,
        statements=tuple(statements),
        abstention=abstention,
        ordered=ordered,
        untold=(record["missing"],) if abstention else (),
        tags={"op": op or type},
    )
