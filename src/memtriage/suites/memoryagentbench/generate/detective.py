"""Detective stories whose solution follows from clues that are spread over them.

A case is a set of clues, each a relation between people, places and things (who was seen where at what time, who
carried a key). Every answer follows from some of them and from no fewer. The clock by which a death is timed is fast;
whoever takes it at its word suspects the wrong people.

>>> story = next(contexts(8_000, 4, seed=1, options={}))
>>> len(story.queries), story.queries[0].golds[0] in " ".join(story.queries[0].options)
(4, True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.kit.words import lists
from memtriage.suites.memoryagentbench.context import PACKAGE, Context, Query, length_label
from memtriage.suites.memoryagentbench.generate.story import (
    Person,
    Scene,
    marked_sentence,
    people,
    spots,
    strangers,
    tell,
    towns,
)

MOST = 8
"""How many questions a story has at the most."""

_USUAL = 7
_LETTERS = "ABCD"
_HOURS = ("six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_PAST = {5: "five", 10: "ten", 15: "a quarter", 20: "twenty", 25: "twenty-five"}


@dataclass(frozen=True, slots=True)
class Clue:
    """Something that the story tells: a relation with its values, and the sentence that tells it."""

    id: str
    relation: str
    values: Mapping[str, str] = field(hash=False)
    sentence: str
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A question of a case: its answer, what else is offered, and the clues it takes."""

    kind: str
    text: str
    gold: str
    others: tuple[str, ...]
    needed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A crime with its clues in the order in which they turn up, and what may be asked about it."""

    victim: str
    house: str
    town: str
    suspects: tuple[str, ...]
    clues: tuple[Clue, ...]
    puzzles: tuple[Puzzle, ...]
    investigator: Person


def contexts(length: int, rows: int, seed: int, options: Mapping[str, str]) -> Iterator[Context]:
    """Stories of so many tokens each, with so many questions in all: about seven to a story."""
    if rows < 1:
        raise BadInput(f"detective: at least 1 question, not {rows}")
    stories = max(-(-rows // MOST), round(rows / _USUAL), 1)
    for number in range(stories):
        count = rows * (number + 1) // stories - rows * number // stories
        yield _context(f"detective-{seed}-{number + 1}", length, count)


def case(name: str) -> Case:
    """The case of a name; the same name gives the same case."""
    return _CaseBuilder(Random(f"case:{name}")).case()


def clock_words(minutes: int) -> str:
    """A time after six o'clock in words.

    >>> clock_words(200), clock_words(165), clock_words(180)
    ('twenty past nine', 'a quarter to nine', "nine o'clock")
    """
    hour, past = divmod(minutes, 60)
    if past == 0:
        return f"{_HOURS[hour]} o'clock"
    if past == 30:
        return f"half past {_HOURS[hour]}"
    return f"{_PAST[past]} past {_HOURS[hour]}" if past < 30 else f"{_PAST[60 - past]} to {_HOURS[hour + 1]}"


def _context(id: str, length: int, count: int) -> Context:
    drawn = case(id)
    rng = Random(f"detective:{id}:{length}")
    story = tell(_scenes(drawn, rng), length, rng, id)
    chosen = sorted(rng.sample(range(len(drawn.puzzles)), count))
    queries = tuple(_query(f"{id}/q{n}", drawn.puzzles[place], rng) for n, place in enumerate(chosen, 1))
    named = {clue for query in queries for needed in query.needed for clue in needed}
    passages = tuple(passage for passage in story.passages if passage.id in named)
    return Context(id, "detective", "detective_qa", story.text, passages, queries, {"length": length_label(length)})


def _scenes(drawn: Case, rng: Random) -> list[Scene]:
    others = strangers(12, rng)
    who = replace(drawn.investigator, goal="to learn the truth")
    corners = spots(len(drawn.clues), rng)
    return [
        Scene(clue.id, clue.sentence, clue.details, who, drawn.town, spot, rng.choice(others), learned=True)
        for clue, spot in zip(drawn.clues, corners, strict=True)
    ]


def _query(id: str, puzzle: Puzzle, rng: Random) -> Query:
    offered = [puzzle.gold, *puzzle.others]
    rng.shuffle(offered)
    lettered = tuple(f"{letter}. {text}" for letter, text in zip(_LETTERS, offered, strict=True))
    return Query(
        id=id,
        text=puzzle.text,
        golds=(puzzle.gold, lettered[offered.index(puzzle.gold)]),
        scoring="exact",
        needed=(puzzle.needed,),
        options=lettered,
        tags={"question": puzzle.kind, "clues": str(len(puzzle.needed))},
    )


class _CaseBuilder:
    """A case while it is being drawn up."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        cast = people(8, rng)
        self.detective, dead, *guests = cast
        self.victim = f"{dead.name} {dead.family}"
        self.guests = [guest.name for guest in guests]
        self.town, estate = towns(2, rng)
        self.house = f"{estate} House"
        self.clues: list[Clue] = []
        self.things = lists(PACKAGE, "detective/things")

    def case(self) -> Case:
        """Draw the parts one after the other; each adds its clues and gives its question."""
        self._clue("house", house=self.house, victim=self.victim, people=_listing(self.guests))
        parts: Sequence[Callable[[], Puzzle]] = (self._letter, self._debt, self._garment, self._alias, self._lie)
        found = [*self._murder(), *(part() for part in parts)]
        first, *rest = self.clues
        self.rng.shuffle(rest)
        rooted = (first, *rest)
        return Case(self.victim, self.house, self.town, tuple(self.guests), rooted, tuple(found), self.detective)

    def _murder(self) -> list[Puzzle]:
        """Who did it, when, and where somebody else was: a fast clock, three keys, and what witnesses saw."""
        rng = self.rng
        culprit, second, third, *free = rng.sample(self.guests, 6)
        rooms = rng.sample(self.things["rooms"], 11)
        scene, cabinet, *rooms = rooms
        fast = rng.choice((15, 20, 25, 35, 40))
        death = rng.randrange(180, 220, 5)  # from nine o'clock on
        stopped = death + fast
        clock = rng.choice(self.things["clocks"])
        at, shown = clock_words(death), clock_words(stopped)
        clocks = (
            self._clue("stopped", clock=clock, victim=self.victim, scene=scene, time=shown),
            self._clue("fast", clock=clock, minutes=_number(fast)),
        )
        means = (
            self._clue("wound", weapon=rng.choice(self.things["weapons"]), cabinet=cabinet),
            self._clue(
                "keys", cabinet=cabinet, **dict(zip("abc", rng.sample((culprit, second, third), 3), strict=True))
            ),
        )
        seen = {who: self._seen(who, rooms.pop(), at) for who in (second, third, *free[:2])}
        # By the clock's own time the culprit has an alibi, and one of the others with a key has none.
        places = {who: rooms.pop() for who in (culprit, third, free[0])}
        for who, room in places.items():
            self._seen(who, room, shown)
        watched, was = free[0], self._room(seen[free[0]])
        wrong = [room for room in (places[free[0]], self._room(seen[second]), self._room(seen[third])) if room != was]
        # The right time must not stand out by where it lies among the others.
        wrong_times = rng.sample((death - 50, death - 30, death - 15, stopped + 10, stopped + fast), 2)
        beside = rng.sample([who for who in self.guests if who not in (culprit, second)], 2)
        return [
            Puzzle(
                "culprit",
                f"Who killed {self.victim}?",
                culprit,
                (second, *beside),
                (*clocks, *means, seen[second], seen[third]),
            ),
            Puzzle(
                "time",
                f"At what time was {self.victim} killed?",
                at,
                (shown, *map(clock_words, wrong_times)),
                clocks,
            ),
            Puzzle(
                "whereabouts",
                f"Where was {watched} at the moment when {self.victim} was killed?",
                was,
                tuple(wrong),
                (*clocks, seen[watched]),
            ),
        ]

    def _letter(self) -> Puzzle:
        """Ink leads to a lodging, and the lodging to a guest."""
        rng = self.rng
        writers = rng.sample(self.guests, 3)
        inks, lodgings = rng.sample(self.things["inks"], 3), rng.sample(self.things["lodgings"], 3)
        written = self._clue("letter", victim=self.victim, ink=inks[0])
        sold = [self._clue("sold", ink=ink, lodging=home) for ink, home in zip(inks, lodgings, strict=True)]
        homes = [self._clue("lodges", who=who, lodging=home) for who, home in zip(writers, lodgings, strict=True)]
        text = f"Who wrote the letter that threatened {self.victim}?"
        return self._who("letter", text, writers, (written, sold[0], homes[0]))

    def _debt(self) -> Puzzle:
        owing = self.rng.sample(self.guests, 4)
        signs = self.rng.sample(self.things["signs"], 4)
        debt = self._clue("debt", victim=self.victim, sign=signs[0])
        seals = [self._clue("seal", who=who, sign=sign) for who, sign in zip(owing, signs, strict=True)]
        return self._who("debt", f"Who owed {self.victim} the most money?", owing, (debt, seals[0]))

    def _garment(self) -> Puzzle:
        owners = self.rng.sample(self.guests, 3)
        threads = self.rng.sample(self.things["threads"], 3)
        item = self.rng.choice(self.things["items"])
        left = self._clue("left", item=item, thread=threads[0])
        mended = [self._clue("mended", who=who, thread=thread) for who, thread in zip(owners, threads, strict=True)]
        return self._who("garment", f"Whose {item} lay under the window?", owners, (left, mended[0]))

    def _alias(self) -> Puzzle:
        marked = self.rng.sample(self.guests, 3)
        marks = self.rng.sample(self.things["marks"], 3)
        alias = self.rng.choice(self.things["aliases"])
        signed = self._clue("alias", alias=alias, mark=marks[0])
        known = [self._clue("mark", who=who, mark=mark) for who, mark in zip(marked, marks, strict=True)]
        return self._who("alias", f"Who travelled on the night ferry as {alias}?", marked, (signed, known[0]))

    def _lie(self) -> Puzzle:
        """A room in which nobody can have been."""
        used = {room for clue in self.clues for room in clue.values.values()}
        rooms = self.rng.sample([room for room in self.things["rooms"] if room not in used], 4)
        asked = self.rng.sample(self.guests, 4)
        claims = [self._clue("claims", who=who, room=room) for who, room in zip(asked, rooms, strict=True)]
        locked = self._clue("locked", room=rooms[0], witness=self.rng.choice(self.things["witnesses"]))
        return self._who("lie", "Who lied about where the hours before dinner were spent?", asked, (claims[0], locked))

    def _who(self, kind: str, text: str, named: Sequence[str], needed: tuple[str, ...]) -> Puzzle:
        """A question for the first of some guests; all of them are offered, and others to make it four."""
        right, *others = named
        spare = [guest for guest in self.guests if guest not in named]
        return Puzzle(kind, text, right, (*others, *self.rng.sample(spare, 4 - len(named))), needed)

    def _seen(self, who: str, room: str, time: str) -> str:
        return self._clue("seen", who=who, room=room, time=time, witness=self.rng.choice(self.things["witnesses"]))

    def _room(self, id: str) -> str:
        return next(clue.values["room"] for clue in self.clues if clue.id == id)

    def _clue(self, relation: str, **values: str) -> str:
        """Add a clue; gives its id."""
        template = self.rng.choice(lists(PACKAGE, "detective/clues")[relation])
        text, phrases = marked_sentence(template, values, self.rng)
        id = f"c{len(self.clues) + 1}"
        self.clues.append(Clue(id, relation, values, text, phrases))
        return id


def _listing(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _number(minutes: int) -> str:
    return {15: "fifteen", 20: "twenty", 25: "twenty-five", 35: "thirty-five", 40: "forty"}[minutes]
