"""Turns, sessions, facts, probes and episodes.

They are frozen, and checked once, when created: `Episode` makes sure that its parts fit together.
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
"""How an answer is scored: in free words, by a lettered choice, by declining to answer, by containing a gold text, by
being one, by the titles it lists first, or by the points a summary makes."""

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


class Turns(tuple[Turn, ...]):
    """Turns that are shared by many episodes, with their ids computed only once.

    If `numbered`, each id is `stem`, an underscore and a unique number, so turns with different stems can't share ids.
    """

    stem = ""

    @classmethod
    def numbered(cls, stem: str, messages: Iterable[tuple[int, str, str]]) -> Turns:
        """Turns from a number, a role and a text each; the numbers must differ."""
        turns = cls([Turn(role, text, f"{stem}_{number}") for number, role, text in messages])
        turns.stem = stem
        return turns

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset([turn.id for turn in self])


@dataclass(frozen=True, slots=True)
class Session:
    """Turns that belong together, and when they were said (ISO 8601)."""

    id: str
    turns: tuple[Turn, ...]
    timestamp: str | None = None

    @property
    def text(self) -> str:
        """The whole session as one text; roles are only named if there are several turns."""
        if len(self.turns) == 1:
            return self.turns[0].text
        return "\n".join(f"{turn.role}: {turn.text}" for turn in self.turns)


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
    not measured. `golds` are all accepted answers (`gold` is the one to show), or the titles or points that a right
    answer names. `instruction` tells the answering model, but not the retriever, how to answer; `max_tokens` limits the
    answer if it is not 0.
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
    """

    id: str
    task: str
    sessions: tuple[Session, ...]
    facts: tuple[Fact, ...]
    probes: tuple[Probe, ...]
    coarse: tuple[Session, ...] = ()

    def __post_init__(self) -> None:
        where = f"episode {self.id!r}"
        all_sessions = (*self.sessions, *self.coarse)
        sessions = _unique([s.id for s in all_sessions], f"{where}: session id")
        turns = _turn_ids(all_sessions, f"{where}: turn id")
        facts = _unique([f.id for f in self.facts], f"{where}: fact id")
        probes = _unique([p.id for p in self.probes], f"{where}: probe id")
        for fact in self.facts:
            _check_known(fact.turns, turns, f"{where}: fact {fact.id!r} names turn")
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
        return turns is not None and id in turns.ids


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
