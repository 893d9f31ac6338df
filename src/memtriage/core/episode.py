"""The nouns every room shares: turns, sessions, facts, probes, episodes.

They are frozen and checked once, when they are made. `Episode` checks that its parts fit
together, so that nothing behind it has to ask again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from string import ascii_uppercase
from typing import Literal

from memtriage.core.errors import BadInput

Scoring = Literal["free", "choice", "abstain", "contains", "exact", "titles", "points"]
"""How an answer is scored: in its own words, by a lettered choice, or by declining to answer; by holding a gold text,
by being one, by the titles a list names first, or by the points a summary makes."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: str
    text: str
    id: str


class Turns(tuple[Turn, ...]):
    """Turns that stand in many histories: what every one of these asks of them is worked out once.

    Where `numbered`, their ids are `stem`, an underscore and a number each, none twice: turns with other stems have
    other ids.
    """

    stem = ""

    @classmethod
    def numbered(cls, stem: str, said: Iterable[tuple[int, str, str]]) -> Turns:
        """Turns of a number, a role and a text each; the numbers must differ."""
        turns = cls([Turn(role, text, f"{stem}_{number}") for number, role, text in said])
        turns.stem = stem
        return turns

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset([turn.id for turn in self])


@dataclass(frozen=True, slots=True)
class Session:
    """Turns that belong together, with the time at which they were said (ISO 8601)."""

    id: str
    turns: tuple[Turn, ...]
    timestamp: str | None = None

    @property
    def text(self) -> str:
        """The whole session as one text; roles are named only where there are several turns."""
        if len(self.turns) == 1:
            return self.turns[0].text
        return "\n".join(f"{turn.role}: {turn.text}" for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Fact:
    """One piece of gold information.

    `evidence` holds the sentences, word for word, with which the turns said it (by default the
    text itself). `details` are the critical details: phrases without which it is no longer the same
    fact. `subject` is the name a memory must carry to be about the right one; first-person facts
    have none. `split` allows the details to be spread over several memories. A `settled` fact was never said but
    follows from what was: a memory holds it only if it states it outright, not as what would be if something happened.
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


@dataclass(frozen=True, slots=True)
class Outdated:
    """A fact that no longer holds when a probe is asked, and the facts any one of which tells so."""

    fact: str
    voided_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """A graded question and what a memory must bring for it.

    `sufficient` lists sets of fact ids; having every fact of any one set is enough. `after` is the
    id of the session after which it is asked (None: after the last). Probes with the same `cluster`
    are not independent of each other, and intervals take that into account. `given` names an earlier
    probe: without success at that one, success at this one earns nothing. Bringing an `outdated` fact
    without what voids it is a finding of its own; a probe that is scored by declining to answer also
    succeeds where nothing outdated is brought. `task` is the probe's own where an episode holds several.
    `asked_at` is when it is asked (ISO 8601). `targets` are the turns that a retriever should rank first: where there
    are any, retrieval measures are taken. `golds` are all the answers that count (`gold` is the one to show), or the
    titles or points that a right answer names. `instruction` says how to answer, to whoever answers but not to a
    retriever; an answer takes no more than `max_tokens`, where given.
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
        """Whether the answer is one of lettered choices."""
        return self.scoring == "choice"

    @property
    def letters(self) -> str:
        """The letters that an answer may name: those of the choices as far as they are known, and at least five."""
        known = ascii_uppercase.find(self.correct_choice) + 1 if len(self.correct_choice) == 1 else 0
        return ascii_uppercase[: max(5, len(self.choices), known)]


@dataclass(frozen=True, slots=True)
class Episode:
    """One life of one memory store: sessions in order, and the probes asked along it.

    `coarse` tells the same in larger pieces, for systems that take such; facts name the turns of both tellings.
    """

    id: str
    task: str
    sessions: tuple[Session, ...]
    facts: tuple[Fact, ...]
    probes: tuple[Probe, ...]
    coarse: tuple[Session, ...] = ()

    def __post_init__(self) -> None:
        where = f"episode {self.id!r}"
        told = (*self.sessions, *self.coarse)
        sessions = _unique([s.id for s in told], f"{where}: session id")
        turns = _turn_ids(told, f"{where}: turn id")
        facts = _unique([f.id for f in self.facts], f"{where}: fact id")
        probes = _unique([p.id for p in self.probes], f"{where}: probe id")
        for fact in self.facts:
            _known(fact.turns, turns, f"{where}: fact {fact.id!r} names turn")
        for probe in self.probes:
            for needed in probe.sufficient:
                _known(needed, facts, f"{where}: probe {probe.id!r} needs fact")
            for old in probe.outdated:
                _known((old.fact, *old.voided_by), facts, f"{where}: probe {probe.id!r} outdates fact")
            _known(probe.targets, turns, f"{where}: probe {probe.id!r} has the target turn")
            if probe.given:
                _known((probe.given,), probes, f"{where}: probe {probe.id!r} is given probe")
            if probe.after is not None:
                _known((probe.after,), sessions, f"{where}: probe {probe.id!r} is asked after session")

    def fact(self, id: str) -> Fact:
        """The fact with this id."""
        return next(f for f in self.facts if f.id == id)


class _Stems:
    """The ids of turns that have a stem of their own in each session: told apart without looking at every one."""

    def __init__(self, turns: Mapping[str, Turns]) -> None:
        self._turns = turns

    def __contains__(self, id: object) -> bool:
        turns = self._turns.get(id.rpartition("_")[0]) if isinstance(id, str) else None
        return turns is not None and id in turns.ids


def _turn_ids(sessions: Sequence[Session], what: str) -> Container[str]:
    turns = {session.turns.stem: session.turns for session in sessions if type(session.turns) is Turns}
    if "" not in turns and len(turns) == len(sessions):
        return _Stems(turns)
    return _unique([turn.id for session in sessions for turn in session.turns], what)


def _unique(ids: list[str], what: str) -> set[str]:
    seen = set(ids)
    if len(seen) < len(ids):
        twice = next(id for id, times in Counter(ids).items() if times > 1)
        raise BadInput(f"{what} {twice!r} occurs twice")
    return seen


def _known(ids: Iterable[Hashable], among: Container[Hashable], what: str) -> None:
    for id in ids:
        if id not in among:
            raise BadInput(f"{what} {id!r}, which does not exist")
