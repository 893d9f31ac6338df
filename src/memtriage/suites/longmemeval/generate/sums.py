"""Questions whose answer is spread over several chats: counts, totals, differences, the largest, joined figures."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from memtriage.suites.longmemeval.attributes import related
from memtriage.suites.longmemeval.generate.catalogue import Collection, Link, collections, links
from memtriage.suites.longmemeval.generate.chats import as_aside
from memtriage.suites.longmemeval.generate.facts import pick_unused
from memtriage.suites.longmemeval.generate.values import amount, capitalized, clock, minutes_of, number_in, the
from memtriage.suites.longmemeval.outline import Outline, Statement

_OPS = {"count": 32, "sum": 30, "diff": 18, "most": 8, "link": 12}
"""How often each way of putting several chats together is asked for."""
_CHATS = {"count": (2, 6), "sum": (2, 5), "diff": (2, 2), "most": (3, 4)}


def multi_session_outline(rng: Random, used: set[str], abstention: bool) -> Outline:
    """A question that needs two to six chats."""
    op = "diff" if abstention else rng.choices(list(_OPS), list(_OPS.values()))[0]
    if op == "link":
        return _link_outline(pick_unused(links(), lambda one: f"link:{one.ask}", rng, used), rng)
    found = pick_unused(collections(), lambda one: f"{op}:{one.attribute}", rng, used)
    return _unanswerable_outline(found, rng) if abstention else _collection_outline(found, op, rng)


def draw_collection(found: Collection, count: int, rng: Random) -> tuple[list[str], list[int], list[Statement]]:
    """Some things of a kind with their figures, no two alike, and the statements that tell them."""
    items = rng.sample(found.items, count)
    figures = rng.sample(found.figures, count)
    tells = [found.tells[(place + count) % len(found.tells)] for place in rng.sample(range(count), count)]
    statements = []
    for item, figure, tell in zip(items, figures, tells, strict=True):
        shown = amount(figure, found.unit)
        text = as_aside(tell.format(item=item, figure=shown), rng)
        named = item if item in text else capitalized(item)
        statements.append(Statement(found.attribute, text, (named, shown), related(found.attribute), (item, shown)))
    return items, figures, statements


def _collection_outline(found: Collection, op: str, rng: Random) -> Outline:
    items, figures, statements = draw_collection(found, rng.randint(*_CHATS[op]), rng)
    text = found.asks[op]
    if op == "diff":
        high, low = sorted((0, 1), key=lambda place: -figures[place])
        text = text.format(a=the(items[high]), b=the(items[low]))
    return Outline(
        f"{op} {found.attribute}",
        "multi-session",
        text,
        _answer(op, items, figures, found.unit),
        tuple(statements),
        tags={"op": op, "unit": found.unit},
    )


def _answer(op: str, items: Sequence[str], figures: Sequence[int], unit: str) -> str:
    if op == "count":
        return str(len(items))
    if op == "sum":
        return amount(sum(figures), unit)
    if op == "diff":
        return amount(abs(figures[0] - figures[1]), unit)
    return capitalized(the(items[figures.index(max(figures))]))


def _unanswerable_outline(found: Collection, rng: Random) -> Outline:
    """Two are told, but the question compares one of them with a third."""
    items, figures, statements = draw_collection(found, 2, rng)
    other = rng.choice([item for item in found.items if item not in items])
    shown = amount(figures[0], found.unit)
    return Outline(
        f"diff {found.attribute} {other}",
        "multi-session",
        found.asks["diff"].format(a=the(items[0]), b=the(other)),
        f"This can't be said from what you told me: you mentioned {the(items[0])} ({shown}), but never {the(other)}.",
        tuple(statements),
        abstention=True,
        untold=(the(other).removeprefix("the "),),
        tags={"op": "abstain", "unit": found.unit},
    )


def _link_outline(link: Link, rng: Random) -> Outline:
    first, second = (values.draw(rng) for values in link.values)
    texts = (as_aside(tell.format(a=first, b=second), rng) for tell in link.tells)
    statements = tuple(
        Statement(attribute, text, (value,), frozenset(link.attributes), (value,))
        for attribute, text, value in zip(link.attributes, texts, (first, second), strict=True)
    )
    return Outline(
        f"{link.op} {' '.join(link.attributes)}",
        "multi-session",
        link.ask,
        _link_answer(link, first, second),
        statements,
        tags={"op": link.op, "unit": link.unit},
    )


def _link_answer(link: Link, first: str, second: str) -> str:
    if link.op == "clock":
        return clock(minutes_of(first) + number_in(second))
    one, two = number_in(first), number_in(second)
    return amount({"plus": one + two, "minus": one - two, "times": one * two}[link.op], link.unit)
