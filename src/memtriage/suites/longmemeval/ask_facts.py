"""Questions about one fact: told by the user, told by the assistant, a preference, or a fact that has changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random
from typing import TypeVar

from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.chat import slipped
from memtriage.suites.longmemeval.lists_pools import ROTAS
from memtriage.suites.longmemeval.outline import Outline, Statement
from memtriage.suites.longmemeval.scenes import Listing, Slot, listings, slots, tastes
from memtriage.suites.longmemeval.values import draw, name_pool, sentence, word_of

T = TypeVar("T")

_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "last")
_BY_PLACE = (
    "You once listed {title} for me. What was the {place} {one} you named?",
    "I'm going back to the {title} you suggested. Which {one} stood in {place} place on your list?",
    "Could you remind me of the {place} {one} when you gave me ideas for {title}?",
)
_BY_SAID = (
    "Among the {title} that you put together for me, which {one} was it that {said}?",
    "I remember you telling me about {title}. What was the name of the {one} that {said}?",
    "We went over {title} a while ago. Can you tell me again which {one} {said}?",
)
_BY_NAME = (
    "When you listed {title}, what did you tell me about {name}?",
    "You mentioned {name} among the {title}. What was special about it?",
    "Looking at your earlier list of {title}, what was your remark on {name}?",
)
_LIST_INTROS = ("Here are some {title}:", "These {title} come to mind:", "I'd look at the following {title}:")
_LIST_ENDS = (
    "Do check the details yourself before you decide, since such things change.",
    "Let me know if you'd like more of the same kind, or something different.",
    "I can narrow this down if you tell me what matters most to you.",
)
_BY_DAY = (
    "You drew up {title} for me. Who was {job} on {day}?",
    "Looking at {title} from our earlier chat, whom did you put {job} for {day}?",
    "I've lost {title} that you wrote. Can you tell me who is {job} on {day}?",
)
_ROTA = 0.15
_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_RUBRICS = (
    "The user would prefer an answer that draws on what they told earlier: {rubric}.",
    "A good answer makes use of the user's earlier remark and suggests {rubric}.",
    "The reply should be personal: {rubric}. Advice that ignores this would miss the point.",
)


def fresh(pool: Iterable[T], name: Callable[[T], str], rng: Random, used: set[str]) -> T:
    """One of a pool that has not been used; when all have, any of them."""
    options = list(pool)
    if not options:
        raise BadInput("there is nothing to ask a question about")
    left = [option for option in options if name(option) not in used] or options
    found = rng.choice(left)
    used.add(name(found))
    return found


def user_seed(rng: Random, used: set[str], abstention: bool) -> Outline:
    """A question about something the user told once."""
    pool = [slot for slot in slots() if slot.swap] if abstention else slots()
    slot = fresh(pool, lambda one: f"slot:{one.key}", rng, used)
    value = draw(slot.values, rng)
    statement = _told(slot, value, rng.choice(slot.tells), rng, abstention)
    if abstention:
        return _swapped("single-session-user", slot, (statement,), value)
    return Outline(
        f"user {slot.key}",
        "single-session-user",
        slot.ask,
        sentence(slot.answer.format(v=value)),
        (statement,),
        tags={"op": "recall"},
    )


def update_seed(rng: Random, used: set[str], abstention: bool) -> Outline:
    """A question about something that has changed since it was first told."""
    pool = [slot for slot in slots() if slot.now and (slot.swap or not abstention)]
    slot = fresh(pool, lambda one: f"slot:{one.key}", rng, used)
    old = draw(slot.values, rng)
    new = draw(slot.values, rng, but=old)
    former = bool(slot.ask_former) and not abstention and rng.random() < 0.2
    statements = (
        _told(slot, old, rng.choice(slot.tells), rng, abstention, outdated=not former and not abstention),
        _told(slot, new, slot.now, rng, abstention),
    )
    if abstention:
        return _swapped("knowledge-update", slot, statements, new)
    return Outline(
        f"update {slot.key}",
        "knowledge-update",
        slot.ask_former if former else slot.ask,
        sentence(slot.answer.format(v=old if former else new)),
        statements,
        ordered=True,
        tags={"op": "former" if former else "present"},
    )


def preference_seed(rng: Random, used: set[str], abstention: bool) -> Outline:
    """A question for advice that a taste told earlier should shape; the answer is a rubric."""
    taste = fresh(tastes(), lambda one: f"taste:{one.number}", rng, used)
    value = draw(taste.values, rng)
    statement = Statement(
        taste.attribute,
        sentence(taste.tell.format(x=value)),
        (value,) if not taste.tell.startswith("{x}") else (sentence(value),),
        frozenset({taste.attribute}),
        (value,),
    )
    answer = rng.choice(_RUBRICS).format(rubric=taste.rubric.format(x=value))
    return Outline(
        f"preference {taste.attribute} {taste.number}",
        "single-session-preference",
        taste.ask,
        answer,
        (statement,),
        tags={"op": "preference"},
    )


def assistant_seed(rng: Random, used: set[str], abstention: bool) -> Outline:
    """A question about an entry of a list or of a rota that the assistant gave."""
    if rng.random() < _ROTA:
        return _rota_seed(rng, used)
    options = [(listing, op) for listing in listings() for op in ("place", "said", "name")]
    listing, op = fresh(options, lambda one: f"list:{one[0].number}:{one[1]}", rng, used)
    count = rng.randint(5, 7)
    names = rng.sample(name_pool(listing.pool), count)
    said = rng.sample(listing.said, count)
    lines = [f"{number}. {name}: it {about}." for number, (name, about) in enumerate(zip(names, said, strict=True), 1)]
    place = rng.randrange(count)
    shown = _PLACES[-1] if place == count - 1 else _PLACES[place]
    ask = rng.choice({"place": _BY_PLACE, "said": _BY_SAID, "name": _BY_NAME}[op])
    text = ask.format(title=listing.title, one=listing.one, place=shown, said=said[place], name=names[place])
    statement = Statement(
        listing.attribute,
        lines[place],
        (names[place], said[place]),
        frozenset({f"{listing.attribute}#list{listing.number}"}),
        (names[place],),
        role="assistant",
        prompt=listing.request,
        body=_list_body(listing, lines, rng),
    )
    answer = f"It {said[place]}" if op == "name" else names[place]
    return Outline(
        f"assistant {listing.number} {op}", "single-session-assistant", text, answer, (statement,), tags={"op": op}
    )


def _rota_seed(rng: Random, used: set[str]) -> Outline:
    rota = fresh(ROTAS, lambda one: f"rota:{one[2]}", rng, used)
    attribute, request, title, first, second = rota
    names = rng.sample(name_pool("NAME"), 5)
    pairs = [(names[day], names[(day + 2) % 5]) for day in range(5)]
    lines = [f"{day}: {one} {first}, {two} {second}." for day, (one, two) in zip(_WEEK, pairs, strict=True)]
    place, side = rng.randrange(5), rng.randrange(2)
    text = rng.choice(_BY_DAY).format(title=title, job=(first, second)[side], day=_WEEK[place])
    statement = Statement(
        attribute,
        lines[place],
        (_WEEK[place], pairs[place][side]),
        frozenset({f"{attribute}#rota"}),
        (pairs[place][side],),
        role="assistant",
        prompt=request.format(names=f"{', '.join(names[:4])} and {names[4]}"),
        body="\n\n".join((f"Here is a draft of {title}:", "\n".join(lines), rng.choice(_LIST_ENDS))),
    )
    answer = pairs[place][side]
    return Outline(f"rota {title}", "single-session-assistant", text, answer, (statement,), tags={"op": "rota"})


def _list_body(listing: Listing, lines: list[str], rng: Random) -> str:
    intro = rng.choice(_LIST_INTROS).format(title=listing.title)
    return "\n\n".join((f"{intro} {word_of(len(lines))} in all.", "\n".join(lines), rng.choice(_LIST_ENDS)))


def _told(slot: Slot, value: str, template: str, rng: Random, abstention: bool, outdated: bool = False) -> Statement:
    text = slipped(template.format(v=value), rng)
    # Where the premise is false, nothing close to it may be told elsewhere, so the whole attribute is out of bounds.
    keys = frozenset({slot.attribute if abstention else slot.key})
    shown = value if value in text else sentence(value)
    return Statement(slot.attribute, text, (shown,), keys, (value,), outdated=outdated)


def _swapped(type: str, slot: Slot, statements: tuple[Statement, ...], value: str) -> Outline:
    """The question with a word exchanged, which makes its premise false."""
    assert slot.swap is not None
    told, untold = slot.swap
    text = re.sub(rf"\b{re.escape(told)}(?!\w)", untold, slot.ask, count=1)
    answer = (
        f'You did not tell me anything about "{_bare(untold)}". '
        f'What you did tell me concerned "{_bare(told)}": {slot.answer.format(v=value)}.'
    )
    return Outline(
        f"{'user' if type == 'single-session-user' else 'update'} {slot.key} {untold}",
        "single-session-user" if type == "single-session-user" else "knowledge-update",
        text,
        answer,
        statements,
        abstention=True,
        ordered=len(statements) > 1,
        untold=(_bare(untold),),
        tags={"op": "abstain"},
    )


def _bare(word: str) -> str:
    return word.removesuffix("'s")
