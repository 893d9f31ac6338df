"""Questions about one fact: told by the user, told by the assistant, a preference, or a fact that has changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random
from typing import TypeVar

from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.generate.catalogue import (
    Listing,
    UserFact,
    listings,
    phrases,
    preferences,
    rotas,
    user_facts,
)
from memtriage.suites.longmemeval.generate.chats import as_aside
from memtriage.suites.longmemeval.generate.values import capitalized, in_words, name_pools
from memtriage.suites.longmemeval.outline import Outline, Statement
from memtriage.suites.longmemeval.question import QuestionType

T = TypeVar("T")

_LIST_QUESTIONS = {"place": "list_by_place", "said": "list_by_remark", "name": "list_by_name"}
"""What is asked of a list, and the phrases that ask it."""
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "last")
_ROTA = 0.15
"""How often the assistant gives a rota rather than a list."""
_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def pick_unused(pool: Iterable[T], name: Callable[[T], str], rng: Random, used: set[str]) -> T:
    """One of a pool that has not been used; when all have, any of them."""
    options = list(pool)
    if not options:
        raise BadInput("there is nothing to ask a question about")
    left = [option for option in options if name(option) not in used] or options
    found = rng.choice(left)
    used.add(name(found))
    return found


def user_outline(rng: Random, used: set[str], abstention: bool) -> Outline:
    """A question about something the user told once."""
    pool = [fact for fact in user_facts() if fact.swap] if abstention else user_facts()
    fact = pick_unused(pool, lambda one: f"fact:{one.key}", rng, used)
    value = fact.values.draw(rng)
    statement = _statement(fact, value, rng.choice(fact.tells), rng, abstention)
    if abstention:
        return _false_premise_outline("single-session-user", fact, (statement,), value)
    return Outline(
        f"user {fact.key}",
        "single-session-user",
        fact.ask,
        capitalized(fact.answer.format(value=value)),
        (statement,),
        tags={"op": "recall"},
    )


def update_outline(rng: Random, used: set[str], abstention: bool) -> Outline:
    """A question about something that has changed since it was first told."""
    pool = [fact for fact in user_facts() if fact.update and (fact.swap or not abstention)]
    fact = pick_unused(pool, lambda one: f"fact:{one.key}", rng, used)
    old = fact.values.draw(rng)
    new = fact.values.draw(rng, but=old)
    former = bool(fact.ask_former) and not abstention and rng.random() < 0.2
    statements = (
        _statement(fact, old, rng.choice(fact.tells), rng, abstention, outdated=not former and not abstention),
        _statement(fact, new, fact.update, rng, abstention),
    )
    if abstention:
        return _false_premise_outline("knowledge-update", fact, statements, new)
    return Outline(
        f"update {fact.key}",
        "knowledge-update",
        fact.ask_former if former else fact.ask,
        capitalized(fact.answer.format(value=old if former else new)),
        statements,
        ordered=True,
        tags={"op": "former" if former else "present"},
    )


def preference_outline(rng: Random, used: set[str], abstention: bool) -> Outline:
    """A question for advice that a taste told earlier should shape; the answer is a rubric."""
    preference = pick_unused(preferences(), lambda one: f"preference:{one.number}", rng, used)
    value = preference.values.draw(rng)
    statement = Statement(
        preference.attribute,
        capitalized(preference.tell.format(value=value)),
        (value,) if not preference.tell.startswith("{value}") else (capitalized(value),),
        frozenset({preference.attribute}),
        (value,),
    )
    answer = rng.choice(phrases("preference_rubrics")).format(rubric=preference.rubric.format(value=value))
    return Outline(
        f"preference {preference.attribute} {preference.number}",
        "single-session-preference",
        preference.ask,
        answer,
        (statement,),
        tags={"op": "preference"},
    )


def assistant_outline(rng: Random, used: set[str], abstention: bool) -> Outline:
    """A question about an entry of a list or of a rota that the assistant gave."""
    if rng.random() < _ROTA:
        return _rota_outline(rng, used)
    options = [(listing, op) for listing in listings() for op in _LIST_QUESTIONS]
    listing, op = pick_unused(options, lambda one: f"list:{one[0].number}:{one[1]}", rng, used)
    count = rng.randint(5, 7)
    names = rng.sample(name_pools()[listing.names], count)
    remarks = rng.sample(listing.remarks, count)
    entries = enumerate(zip(names, remarks, strict=True), start=1)
    lines = [f"{number}. {name}: it {remark}." for number, (name, remark) in entries]
    place = rng.randrange(count)
    shown = _PLACES[-1] if place == count - 1 else _PLACES[place]
    ask = rng.choice(phrases(_LIST_QUESTIONS[op]))
    text = ask.format(title=listing.title, one=listing.one, place=shown, remark=remarks[place], name=names[place])
    statement = Statement(
        listing.attribute,
        lines[place],
        (names[place], remarks[place]),
        frozenset({f"{listing.attribute}#list{listing.number}"}),
        (names[place],),
        role="assistant",
        prompt=listing.request,
        body=_list_body(listing, lines, rng),
    )
    answer = f"It {remarks[place]}" if op == "name" else names[place]
    return Outline(
        f"assistant {listing.number} {op}", "single-session-assistant", text, answer, (statement,), tags={"op": op}
    )


def _rota_outline(rng: Random, used: set[str]) -> Outline:
    rota = pick_unused(rotas(), lambda one: f"rota:{one.title}", rng, used)
    names = rng.sample(name_pools()["name"], 5)
    pairs = [(names[day], names[(day + 2) % 5]) for day in range(5)]
    first, second = rota.jobs
    lines = [f"{day}: {one} {first}, {two} {second}." for day, (one, two) in zip(_WEEK, pairs, strict=True)]
    place, side = rng.randrange(5), rng.randrange(2)
    text = rng.choice(phrases("rota_by_day")).format(title=rota.title, job=rota.jobs[side], day=_WEEK[place])
    statement = Statement(
        rota.attribute,
        lines[place],
        (_WEEK[place], pairs[place][side]),
        frozenset({f"{rota.attribute}#rota"}),
        (pairs[place][side],),
        role="assistant",
        prompt=rota.request.format(names=f"{', '.join(names[:4])} and {names[4]}"),
        body="\n\n".join((f"Here is a draft of {rota.title}:", "\n".join(lines), rng.choice(phrases("list_ends")))),
    )
    answer = pairs[place][side]
    return Outline(f"rota {rota.title}", "single-session-assistant", text, answer, (statement,), tags={"op": "rota"})


def _list_body(listing: Listing, lines: list[str], rng: Random) -> str:
    intro = rng.choice(phrases("list_intros")).format(title=listing.title)
    return "\n\n".join((f"{intro} {in_words(len(lines))} in all.", "\n".join(lines), rng.choice(phrases("list_ends"))))


def _statement(
    fact: UserFact, value: str, template: str, rng: Random, abstention: bool, outdated: bool = False
) -> Statement:
    text = as_aside(template.format(value=value), rng)
    # Where the premise is false, nothing close to it may be told elsewhere, so the whole attribute is out of bounds.
    keys = frozenset({fact.attribute if abstention else fact.key})
    shown = value if value in text else capitalized(value)
    return Statement(fact.attribute, text, (shown,), keys, (value,), outdated=outdated)


def _false_premise_outline(
    type: QuestionType, fact: UserFact, statements: tuple[Statement, ...], value: str
) -> Outline:
    """The question with a word exchanged, which makes its premise false."""
    assert fact.swap is not None
    told, untold = fact.swap
    text = re.sub(rf"\b{re.escape(told)}(?!\w)", untold, fact.ask, count=1)
    answer = (
        f'You did not tell me anything about "{_without_genitive(untold)}". '
        f'What you did tell me concerned "{_without_genitive(told)}": {fact.answer.format(value=value)}.'
    )
    return Outline(
        f"{'user' if type == 'single-session-user' else 'update'} {fact.key} {untold}",
        type,
        text,
        answer,
        statements,
        abstention=True,
        ordered=len(statements) > 1,
        untold=(_without_genitive(untold),),
        tags={"op": "abstain"},
    )


def _without_genitive(word: str) -> str:
    return word.removesuffix("'s")
