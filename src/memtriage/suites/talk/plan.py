"""What two people have to tell each other, and in which session each thing comes up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from random import Random
from typing import NamedTuple

from memtriage.suites.kit.moments import Moment, ahead, past
from memtriage.suites.kit.words import lists
from memtriage.suites.talk.stories import (
    PACKAGE,
    Beat,
    Listed,
    Story,
    Trait,
    drawn_slots,
    listed,
    named,
    small_talk,
    stories,
    traits,
)

FEWEST, MOST = 4, 60
"""Sessions that a conversation can have."""

DRAWN = (19, 32)
"""How many it has where nobody says; as many as LoCoMo's have."""

_DAY = timedelta(days=1)
_AGO = {"past": 64 * _DAY, "recent": 8 * _DAY}
"""How long ago the beginning of a story may be."""
_PRONOUNS = {"he": ("he", "his", "him"), "she": ("she", "her", "her")}


class Person(NamedTuple):
    name: str
    he: str
    his: str
    him: str

    def known(self) -> dict[str, str]:
        """The person as questions have it."""
        return {"who": self.name, "he": self.he, "his": self.his, "him": self.him}


class Part(NamedTuple):
    """Where something was told: the turn, and the phrases in it that tell it."""

    turn: str
    details: tuple[str, ...]


@dataclass(slots=True)
class Topic:
    """A beat that somebody tells in a session; `parts` are known once it is worded."""

    teller: int
    beat: Beat
    known: Mapping[str, str]
    session: int
    moment: Moment | None = None
    follows: bool = False
    small: bool = False
    parts: dict[str, Part] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """A story of one of the two, as far as it is told."""

    story: Story
    teller: int
    known: Mapping[str, str]
    topics: tuple[Topic, ...]


@dataclass(frozen=True, slots=True)
class ToldTrait:
    trait: Trait
    teller: int
    side: int
    topic: Topic


@dataclass(frozen=True, slots=True)
class ToldList:
    """What each of the two came to tell of one kind, by thing."""

    listed: Listed
    told: tuple[Mapping[str, Topic], Mapping[str, Topic]]

    @property
    def shared(self) -> list[str]:
        return [thing for thing in self.told[0] if thing in self.told[1]]


@dataclass(slots=True)
class Plan:
    """Two people, when they talk, and what they will tell."""

    people: tuple[Person, Person]
    dates: tuple[datetime, ...]
    told: list[Told] = field(default_factory=list)
    traits: list[ToldTrait] = field(default_factory=list)
    lists: list[ToldList] = field(default_factory=list)
    chatter: list[Topic] = field(default_factory=list)

    def topics(self) -> Iterator[Topic]:
        """Everything that is told, in no order."""
        for told in self.told:
            yield from told.topics
        yield from (each.topic for each in self.traits)
        for kind in self.lists:
            for things in kind.told:
                yield from things.values()
        yield from self.chatter


def plan(rng: Random, sessions: int | None, months: int | None) -> Plan:
    """A plan of so many sessions over so many months, or as many as LoCoMo's conversations have."""
    count = sessions or rng.randint(*DRAWN)
    people, names = _people(rng)
    made = Plan(people, _dates(rng, count, months))
    load: Counter[int] = Counter()
    _tell_stories(made, rng, names, load)
    _tell_lists(made, rng, load)
    _tell_traits(made, rng, load)
    chatter: list[Beat] = []
    for session in range(count):
        for _ in range(rng.choice((1, 1, 2))):
            chatter = chatter or rng.sample(small_talk(), len(small_talk()))
            teller = rng.randrange(2)
            made.chatter.append(Topic(teller, chatter.pop(), _names(people, teller), session, small=True))
    return made


def _people(rng: Random) -> tuple[tuple[Person, Person], dict[str, list[str]]]:
    """Two people with names of their own, and the names that are left for others, by gender."""
    pools = lists(PACKAGE, "names")
    kinds = [rng.choice(("he", "she")) for _ in range(2)]
    first = rng.choice(pools[kinds[0]])
    second = rng.choice([name for name in pools[kinds[1]] if name[0] != first[0]])
    others = {kind: [name for name in pool if name not in (first, second)] for kind, pool in pools.items()}
    for left in others.values():
        rng.shuffle(left)
    people = tuple(Person(name, *_PRONOUNS[kind]) for name, kind in zip((first, second), kinds, strict=True))
    return (people[0], people[1]), others


def _dates(rng: Random, count: int, months: int | None) -> tuple[datetime, ...]:
    """When the sessions are: at least three days apart, so that something can have happened."""
    day = datetime(rng.randint(2021, 2025), rng.randint(1, 12), rng.randint(1, 28))
    mean = max(3.5, (months * 30.4) / count) if months else rng.uniform(6, 10)
    found = []
    for _ in range(count):
        found.append(day.replace(hour=rng.randint(8, 21), minute=rng.randint(0, 59)))
        day += timedelta(days=max(3, round(rng.uniform(0.5, 1.5) * mean)))
    return tuple(found)


def _tell_stories(made: Plan, rng: Random, names: Mapping[str, list[str]], load: Counter[int]) -> None:
    """Stories in several beats and single details, no two about the same, shared out to both people."""
    count = len(made.dates)
    long = [story for story in stories() if len(story.beats) > 1]
    short = [story for story in stories() if len(story.beats) == 1]
    taken: set[str] = set()
    for pool, wanted in ((long, 2 * max(1, round(count / 5.5))), (short, 2 * max(1, count // 5))):
        teller = rng.randrange(2)
        for story in rng.sample(pool, len(pool)):
            if wanted and not story.about & taken:
                wanted -= 1
                taken |= story.about
                teller = 1 - teller
                known = drawn_slots(story, rng, names) | _names(made.people, teller)
                topics = tuple(_beats(made, story, teller, known, rng, load))
                made.told.append(Told(story, teller, known, topics))


def _beats(
    made: Plan, story: Story, teller: int, known: Mapping[str, str], rng: Random, load: Counter[int]
) -> Iterator[Topic]:
    """The beats of a story in the sessions they are told in; what would come after the last session is left out."""
    count = len(made.dates)
    room = max(1, count - 2 * (len(story.beats) - 1))
    session = _roomy(rng, range(room), load)
    before: Topic | None = None
    for beat in story.beats:
        if before is not None:
            low, high = map(int, beat.gap.split(".."))
            session += rng.randint(low, high)
            while before.moment and session < count and made.dates[session].date() <= before.moment.last + _DAY:
                session += 1
        if session >= count:
            return
        topic = Topic(teller, beat, known, session, follows=before is not None)
        topic.moment = _moment(rng, topic, before, [at.date() for at in made.dates])
        if topic.moment is not None:
            topic.known = {**known, **topic.moment.known()}
        load[session] += 1
        before = topic
        yield topic


def _moment(rng: Random, topic: Topic, before: Topic | None, dates: Sequence[date]) -> Moment | None:
    """When a beat happened: after the session in which the one before it was told, as nobody knew of it then."""
    told = dates[topic.session]
    if topic.beat.when == "ahead":
        return ahead(rng, told)
    if topic.beat.when not in _AGO:
        return None
    after = told - _AGO[topic.beat.when] if before is None else dates[before.session]
    if before is not None and before.moment is not None:
        after = max(after, before.moment.last)
    return past(rng, told, after)


def _tell_lists(made: Plan, rng: Random, load: Counter[int]) -> None:
    """Things of some kinds, most of them one person's, one of them both people's."""
    count = len(made.dates)
    for kind in rng.sample(listed(), 1 if count < 14 else 2):
        own = 2 if count < 24 else 3
        things = rng.sample(kind.things, 2 * own + 1)
        told: list[dict[str, Topic]] = []
        for teller in range(2):
            mine = [*things[teller * own : (teller + 1) * own], things[-1]]
            at = rng.sample(range(count), len(mine))
            found: dict[str, Topic] = {}
            for thing, session in zip(mine, at, strict=True):
                known = named("thing", thing) | _names(made.people, teller)
                topic = Topic(teller, kind.beat, known, session)
                topic.moment = past(rng, made.dates[session].date(), made.dates[session].date() - timedelta(days=15))
                if topic.moment is not None:
                    topic.known = {**known, **topic.moment.known()}
                load[session] += 1
                found[thing[""]] = topic
            told.append(found)
        made.lists.append(ToldList(kind, (told[0], told[1])))


def _tell_traits(made: Plan, rng: Random, load: Counter[int]) -> None:
    count = len(made.dates)
    each = max(1, count // 5)
    taken = frozenset[str]().union(*(told.story.about for told in made.told))
    free = [trait for trait in traits() if not trait.about & taken]
    for number, trait in enumerate(rng.sample(free, min(len(free), 2 * each))):
        teller, side = number % 2, rng.randrange(2)
        session = _roomy(rng, range(count), load)
        load[session] += 1
        beat = Beat(trait.sides[side], "", "", "trait", (), (), (), "")
        topic = Topic(teller, beat, _names(made.people, teller), session)
        made.traits.append(ToldTrait(trait, teller, side, topic))


def _names(people: tuple[Person, Person], teller: int) -> dict[str, str]:
    return {"me": people[teller].name, "you": people[1 - teller].name}


def _roomy(rng: Random, sessions: Iterable[int], load: Mapping[int, int]) -> int:
    """A session in which little is told so far, of some that are drawn."""
    known = list(sessions)
    return min((rng.choice(known) for _ in range(4)), key=lambda session: load.get(session, 0))
