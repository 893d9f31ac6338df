"""Turns, sessions, facts, probes and episodes.

They are frozen, and checked once, when created: `Episode` makes sure that its parts fit together.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, repeat, zip_longest
from string import ascii_uppercase
from typing import Literal, overload

from memtriage.core.errors import BadInput

Scoring = Literal["free", "choice", "abstain", "contains", "exact", "titles", "points", "nuggets"]
"""How an answer is scored: in free words, by a lettered choice, by declining to answer, by containing a gold text, by
being one, by the titles it lists first, by the points a summary makes, or by the nuggets of a rubric that it meets."""

REPLY = "/reply"
"""How the ids of turns end that a model replied when the conversation was stored."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: str
    text: str
    id: str

    @property
    def is_reply(self) -> bool:
        """Whether a model replied this while the conversation was stored: it may repeat facts, but tells none."""
        return self.id.endswith(REPLY)


_ENDINGS = {number: f"_{number}" for number in range(1 << 8)}
"""How the ids of most turns end."""

_new = object.__new__
_put_role, _put_text, _put_id = (getattr(Turn, name).__set__ for name in ("role", "text", "id"))


class Turns(Sequence[Turn]):
    """Turns whose ids are `stem`, an underscore and a number of each, so turns with different stems can't share ids.

    They are kept as columns, and built when somebody first looks at them: of most, only the roles and texts are used.
    Equal to a tuple of the same turns.
    """

    __slots__ = ("_built", "_numbers", "roles", "stem", "texts")

    def __init__(self, stem: str, numbers: Sequence[int], roles: Sequence[str], texts: Sequence[str]) -> None:
        """Turns from a number, a role and a text each; the numbers must differ."""
        self.stem, self.roles, self.texts = stem, roles, texts
        self._numbers = numbers
        self._built: tuple[Turn, ...] | None = None

    def id(self, place: int) -> str:
        """The id of the turn at a place."""
        return f"{self.stem}_{self._numbers[place]}"

    def ids(self, places: Iterable[int]) -> list[str]:
        """The ids of the turns at some places."""
        stem, numbers = self.stem, self._numbers
        try:
            return [stem + _ENDINGS[numbers[place]] for place in places]  # in half of the time
        except KeyError:
            return [f"{stem}_{numbers[place]}" for place in places]

    @property
    def size(self) -> int:
        """About how many characters they have, without building or reading any."""
        size: int | None = getattr(self.texts, "size", None)
        return sum(map(len, self.texts)) if size is None else size

    def has(self, id: str) -> bool:
        """Whether one of the turns has this id."""
        stem, _, number = id.rpartition("_")
        return stem == self.stem and number.isdecimal() and int(number) in self._numbers and str(int(number)) == number

    @property
    def all(self) -> tuple[Turn, ...]:
        """All of them as a tuple, the same one each time."""
        if self._built is None:
            # All fields of one kind at a time takes six tenths of what a frozen class takes to set its own fields.
            built = tuple(map(_new, repeat(Turn, len(self.texts))))
            ids = map(f"{self.stem}_".__add__, map(str, self._numbers))
            for put, values in ((_put_role, self.roles), (_put_text, self.texts), (_put_id, ids)):
                deque(map(put, built, values), maxlen=0)
            self._built = built
        return self._built

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Turn, ...]: ...
    def __getitem__(self, index: int | slice) -> Turn | tuple[Turn, ...]:
        return self.all[index]

    def __iter__(self) -> Iterator[Turn]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.texts)

    def __eq__(self, other: object) -> bool:
        return self.all == (other.all if isinstance(other, Turns) else other)

    def __hash__(self) -> int:
        return hash(self.all)

    def __repr__(self) -> str:
        return repr(self.all)


@dataclass(frozen=True, slots=True)
class Session:
    """Turns that belong together, and when they were said (ISO 8601)."""

    id: str
    turns: Sequence[Turn]
    timestamp: str | None = None

    @property
    def text(self) -> str:
        """The whole session as one text; roles are only named if there are several turns."""
        if len(self.turns) == 1:
            return self.turns[0].text
        return "\n".join(f"{turn.role}: {turn.text}" for turn in self.turns)


class Streamed(Sequence[Session]):
    """Sessions that are made anew whenever somebody goes through them, so that a conversation of any length fits.

    `make` gives the same sessions each time, and vouches for ids of turns that differ: an episode only checks those
    that its facts and probes name. Going through them is cheap; a place in them is found by going there.

    >>> told = Streamed(lambda: (Session(f"s{n}", ()) for n in range(3)))
    >>> len(told), told[-1].id, [session.id for session in told[:2]]
    (3, 's2', ['s0', 's1'])
    """

    def __init__(self, make: Callable[[], Iterable[Session]]) -> None:
        self._make = make
        self._count: int | None = None

    def __iter__(self) -> Iterator[Session]:
        return iter(self._make())

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in self)
        return self._count

    @overload
    def __getitem__(self, index: int) -> Session: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Session, ...]: ...
    def __getitem__(self, index: int | slice) -> Session | tuple[Session, ...]:
        if isinstance(index, slice):
            places = range(*index.indices(len(self)))
            found = {place: one for place, one in enumerate(self) if place in places}
            return tuple(found[place] for place in places)
        place = index + len(self) if index < 0 else index
        found_one = next(islice(self, place, None), None) if place >= 0 else None
        if found_one is None:
            raise IndexError(f"there is no session {index}")
        return found_one

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return all(one == two for one, two in zip_longest(self, other))

    def __hash__(self) -> int:
        return hash(tuple(session.id for session in self))


@dataclass(frozen=True, slots=True)
class Fact:
    """One piece of gold information.

    `evidence` holds the exact sentences of the turns that state it (by default the text itself). `details` are the
    critical details: phrases without which it is no longer the same fact. `subject` is the name a memory must mention
    to be about the right person or thing; first-person facts have none. `split` allows the details to be spread over
    several memories. A `settled` fact was never said but follows from what was: a memory holds it only if it states it
    outright, not as something that would be true under a condition.
    """

    id: str
    text: str
    turns: tuple[str, ...]
    details: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    subject: str = ""
    split: bool = False
    settled: bool = False

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise BadInput(f"fact {self.id!r} has no text")
        if not self.evidence:
            object.__setattr__(self, "evidence", (self.text,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Point(Fact):
    """A fact that a memory should keep from the session that tells it, whether or not anything asks for it.

    It is counted by itself (`diagnose/points.py`). `session` tells it, `said` names the fact with the words in which
    that happened, if they are known, and `also` facts that come to the same; any of them will do. `kind` is what it is
    about, `importance` its weight. A point that `replaces` others is an update. One that is not `wanted` was put
    forward by somebody who can't know, and should not be kept.
    """

    session: str
    kind: str
    importance: float
    said: str = ""
    also: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    wanted: bool = True

    @property
    def wordings(self) -> tuple[str, ...]:
        """All facts that come to the same, the words that told it first."""
        return (*([self.said] if self.said else []), self.id, *self.also)


@dataclass(frozen=True, slots=True)
class Outdated:
    """A fact that is no longer true when a probe is asked; any one of the facts in `voided_by` says so."""

    fact: str
    voided_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """A graded question, and the facts a memory must retrieve for it.

    `sufficient` lists sets of fact ids; all facts of any one set are enough. `after` is the id of the session after
    which it is asked (None: after the last). Probes with the same `cluster` are not independent, which widens
    intervals. `given` names an earlier probe: this one earns credit only if that one succeeded too. Retrieving an
    `outdated` fact without a fact that voids it is reported; a probe that is scored by declining to answer also
    succeeds if nothing outdated is retrieved. `task` is the probe's own task if its episode has several. `asked_at` is
    when it is asked (ISO 8601). `targets` are the turns that a retriever should rank first; without any, rankings are
    not measured. `golds` are all accepted answers (`gold` is the one to show), or the titles, points or nuggets that a
    right answer has. `instruction` tells the answering model, but not the retriever, how to answer; `max_tokens` limits
    the answer if it is not 0.
    """

    id: str
    text: str
    gold: str
    sufficient: tuple[tuple[str, ...], ...]
    scoring: Scoring = "free"
    choices: tuple[str, ...] = ()
    correct_choice: str = ""
    after: str | None = None
    cluster: str = ""
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    task: str = ""
    given: str = ""
    outdated: tuple[Outdated, ...] = ()
    asked_at: str | None = None
    targets: tuple[str, ...] = ()
    golds: tuple[str, ...] = ()
    instruction: str = ""
    max_tokens: int = 0

    @property
    def lettered(self) -> bool:
        """Whether the answer is one of several lettered choices."""
        return self.scoring == "choice"

    @property
    def needed(self) -> tuple[str, ...]:
        """The ids of all facts in the sufficient sets, without duplicates."""
        return tuple(dict.fromkeys(id for ids in self.sufficient for id in ids))

    @property
    def letters(self) -> str:
        """The letters an answer may name: those of the known choices, and at least five."""
        known = ascii_uppercase.find(self.correct_choice) + 1 if len(self.correct_choice) == 1 else 0
        return ascii_uppercase[: max(5, len(self.choices), known)]


@dataclass(frozen=True, slots=True)
class Episode:
    """The sessions that one memory store is given, in order, and the probes asked along the way.

    `coarse` holds the same sessions in larger pieces, for systems that take those; facts name the turns of both.
    `sessions` are a tuple, or `Streamed` where a conversation is too long to be held.
    `language` is the code of the language that is spoken in it (`text/languages`).
    """

    id: str
    task: str
    sessions: Sequence[Session]
    facts: tuple[Fact, ...]
    probes: tuple[Probe, ...]
    coarse: tuple[Session, ...] = ()
    language: str = "en"

    def __post_init__(self) -> None:
        where = f"episode {self.id!r}"
        sessions, turns = _known_ids(self, where)
        facts = _unique([f.id for f in self.facts], f"{where}: fact id")
        probes = _unique([p.id for p in self.probes], f"{where}: probe id")
        for fact in self.facts:
            _check_known(fact.turns, turns, f"{where}: fact {fact.id!r} names turn")
            if isinstance(fact, Point):
                _check_known((fact.session,), sessions, f"{where}: point {fact.id!r} is told in session")
                _check_known(fact.wordings, facts, f"{where}: point {fact.id!r} comes to fact")
        for probe in self.probes:
            for needed in probe.sufficient:
                _check_known(needed, facts, f"{where}: probe {probe.id!r} needs fact")
            for old in probe.outdated:
                _check_known((old.fact, *old.voided_by), facts, f"{where}: probe {probe.id!r} outdates fact")
            _check_known(probe.targets, turns, f"{where}: probe {probe.id!r} has the target turn")
            if probe.given:
                _check_known((probe.given,), probes, f"{where}: probe {probe.id!r} is given probe")
            if probe.after is not None:
                _check_known((probe.after,), sessions, f"{where}: probe {probe.id!r} is asked after session")

    def fact(self, id: str) -> Fact:
        """The fact with this id."""
        return next(f for f in self.facts if f.id == id)


class _NumberedIds:
    """The turn ids of sessions that each have their own stem: unique without comparing them all."""

    def __init__(self, turns: Mapping[str, Turns]) -> None:
        self._turns = turns

    def __contains__(self, id: object) -> bool:
        turns = self._turns.get(id.rpartition("_")[0]) if isinstance(id, str) else None
        return turns is not None and turns.has(str(id))


def _known_ids(episode: Episode, where: str) -> tuple[set[str], Container[str]]:
    """The ids of all sessions and of all their turns; of streamed sessions only those that facts and probes name."""
    fine, coarse = episode.sessions, episode.coarse
    if isinstance(fine, Streamed):
        named = {turn for one in episode.facts for turn in one.turns}
        named |= {turn for one in episode.probes for turn in one.targets}
        ids: list[str] = []
        turns: list[str] = []
        for session in chain(fine, coarse):
            ids.append(session.id)
            turns.extend(turn.id for turn in session.turns if turn.id in named)
        return _unique(ids, f"{where}: session id"), _unique(turns, f"{where}: turn id")
    both = (*fine, *coarse)
    return _unique([session.id for session in both], f"{where}: session id"), _turn_ids(both, f"{where}: turn id")


def _turn_ids(sessions: Sequence[Session], what: str) -> Container[str]:
    turns = {session.turns.stem: session.turns for session in sessions if type(session.turns) is Turns}
    if "" not in turns and len(turns) == len(sessions):
        return _NumberedIds(turns)
    return _unique([turn.id for session in sessions for turn in session.turns], what)


def _unique(ids: list[str], what: str) -> set[str]:
    seen = set(ids)
    if len(seen) < len(ids):
        twice = next(id for id, times in Counter(ids).items() if times > 1)
        raise BadInput(f"{what} {twice!r} occurs twice")
    return seen


def _check_known(ids: Iterable[Hashable], among: Container[Hashable], what: str) -> None:
    for id in ids:
        if id not in among:
            raise BadInput(f"{what} {id!r}, which does not exist")
