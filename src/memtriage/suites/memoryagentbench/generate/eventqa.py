"""EventQA on made-up novels: what has happened to somebody is given, and what happens next is asked for.

Everything that happens turns on one thing of its own (a cracked blue whistle), so that no two events are the same, and
what is offered beside the right event is known never to happen to that person.

>>> book = next(contexts(6_000, 10, seed=1, options={}))
>>> len(book.queries), len(book.queries[0].options)
(10, 6)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.kit.words import lists, records
from memtriage.suites.memoryagentbench.context import PACKAGE, Context, Query, length_label
from memtriage.suites.memoryagentbench.event_questions import OPTIONS, PREVIOUS, event_query
from memtriage.suites.memoryagentbench.generate.plan import shares
from memtriage.suites.memoryagentbench.generate.story import (
    Person,
    Scene,
    people,
    sentence,
    spots,
    strangers,
    tell,
    towns,
)

_SCENE = 600
"""About how many tokens a scene has where there is room for more of them than are asked about."""

_TIGHT = 45
"""With fewer tokens than this for each question there is no room for anything but events."""

_CAST, _SMALL_CAST = 8, 4
_STAY = (2, 5)
"""For how many scenes in a row the story stays with somebody."""

_NEARBY = 20
"""From so many scenes before and after an event come the ones that happen to others and are offered beside it."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens to somebody: a kind, the thing it turns on, who else is there, and where."""

    who: Person
    kind: str
    thing: str
    other: str
    place: str
    spot: str

    def told(self) -> str:
        """The sentence by which the novel tells it."""
        return self._worded("told")

    def short(self) -> str:
        """The same in other words, as a reader would sum it up."""
        return self._worded("short")

    def _worded(self, form: str) -> str:
        known = {"OBJ": f"a {self.thing}", "OTHER": self.other, "PLACE": self.place, "SPOT": self.spot}
        return sentence(records(PACKAGE, "eventqa/events")[self.kind][form], {**self.who.forms, **known}, Random(0))


def contexts(length: int, rows: int, seed: int, options: Mapping[str, str]) -> Iterator[Context]:
    """Novels of so many tokens with so many questions in all."""
    if rows < 1:
        raise BadInput(f"eventqa: at least 1 question, not {rows}")
    for number, share in enumerate(shares("eventqa", rows, options), 1):
        yield _novel(f"eventqa-{seed}" + (f"-{number}" if number > 1 else ""), length, share)


def _novel(id: str, length: int, rows: int) -> Context:
    if length < rows * _TIGHT:
        raise BadInput(f"eventqa: {rows} questions take a novel of at least {rows * _TIGHT} tokens, not {length}")
    rng = Random(f"{id.replace('-', ':')}:{length}:{rows}")
    plot = draw_plot(length, rows, rng)
    story = tell(_scenes(plot.events, rng), length, rng, id)
    asked = _asked_places(plot.events, rows, rng)
    queries = tuple(_query(f"{id}/q{n}", plot, place, rng) for n, place in enumerate(asked, 1))
    named = {passage for query in queries for needed in query.needed for passage in needed}
    passages = tuple(passage for passage in story.passages if passage.id in named)
    return Context(id, "eventqa", "eventqa", story.text, passages, queries, {"length": length_label(length)})


@dataclass(frozen=True, slots=True)
class Plot:
    """The events of a novel in order, and what was drawn for it but never happens."""

    events: tuple[Event, ...]
    unused: tuple[str, ...]
    places: tuple[str, ...]
    others: tuple[str, ...]


def draw_plot(length: int, rows: int, rng: Random) -> Plot:
    """What happens in a novel of so many tokens, in order."""
    cast = people(_CAST if length >= rows * 100 and rows >= _CAST else _SMALL_CAST, rng)
    count = max(rows + len(cast), length // _SCENE)
    things = _things(count + rows * OPTIONS, rng)
    places, others = towns(24, rng), strangers(max(30, min(300, count // 3)), rng)
    kinds = tuple(records(PACKAGE, "eventqa/events"))
    events: list[Event] = []
    for who in _characters(cast, count, rng):
        # More and more places come into the story.
        place = rng.choice(places[: max(4, len(places) * len(events) // count)])
        [spot] = spots(1, rng)
        events.append(Event(who, rng.choice(kinds), things.pop(), rng.choice(others), place, spot))
    return Plot(tuple(events), tuple(things), tuple(places), tuple(others))


def _characters(cast: Sequence[Person], count: int, rng: Random) -> Iterator[Person]:
    """Whom each scene is about: the story stays with somebody for a few scenes, and comes back to everybody."""
    left = count
    while left:
        for who in rng.sample(cast, len(cast)):
            stay = min(left, rng.randint(*_STAY))
            yield from [who] * stay
            left -= stay


def _things(count: int, rng: Random) -> list[str]:
    """So many different things."""
    qualities, finishes, nouns = lists(PACKAGE, "eventqa/things").values()
    chosen = rng.sample(range(len(qualities) * len(finishes) * len(nouns)), count)
    parts = ((n // len(nouns) // len(finishes), n // len(nouns) % len(finishes), n % len(nouns)) for n in chosen)
    return [f"{qualities[quality]} {finishes[finish]} {nouns[noun]}" for quality, finish, noun in parts]


def _scenes(events: Sequence[Event], rng: Random) -> list[Scene]:
    scenes: list[Scene] = []
    latest: dict[str, str] = {}
    for number, event in enumerate(events, 1):
        name = event.who.name
        before = latest.get(name, "") if rng.random() < 0.6 else ""
        details = (name, event.thing, event.place)
        scenes.append(
            Scene(f"e{number}", event.told(), details, event.who, event.place, event.spot, event.other, before)
        )
        latest[name] = f"the {event.thing}"
    return scenes


def _asked_places(events: Sequence[Event], rows: int, rng: Random) -> list[int]:
    """The places of the events to ask for, spread over the novel; each has one of the same person before it."""
    seen: set[str] = set()
    able: list[int] = []
    for place, event in enumerate(events):
        if event.who.name in seen:
            able.append(place)
        seen.add(event.who.name)
    borders = [len(able) * n // rows for n in range(rows + 1)]
    return [able[rng.randrange(low, high)] for low, high in pairwise(borders)]


def _query(id: str, plot: Plot, place: int, rng: Random) -> Query:
    event = plot.events[place]
    before = [e.short() for e in plot.events[:place] if e.who == event.who][-PREVIOUS:]
    right = event.short()
    options = [right, *_wrong(plot, place, rng)]
    rng.shuffle(options)
    return event_query(id, event.who.name, before, right, options, place + 1, to=f" to {event.who.name}")


def _wrong(plot: Plot, place: int, rng: Random) -> list[str]:
    """Events that never happen to this person: what happens to others, and what happens to nobody."""
    event = plot.events[place]
    around = plot.events[max(0, place - _NEARBY) : place + _NEARBY]
    others = [e for e in around if e.who != event.who and e.kind != event.kind]
    chosen = rng.sample(others, min(len(others), (OPTIONS - 1) // 2))
    things = rng.sample(plot.unused, OPTIONS - 1 - len(chosen))
    places = sorted({other.place for other in around})
    kinds = tuple(records(PACKAGE, "eventqa/events"))
    made_up = [
        Event(event.who, rng.choice(kinds), thing, rng.choice(plot.others), rng.choice(places), event.spot)
        for thing in things
    ]
    moved = [replace(e, who=event.who) for e in chosen]
    return [e.short() for e in (*moved, *made_up)]
