"""Finds two memories of one store that can't both hold, although what was said leaves only one of them true.

Two things may say so: the suite, which knows that one fact voids another, and what was said, where a later sentence
gives the same thing another value and says that it changed. A memory that is dated, numbered or marked as past
contradicts nothing, since a reader can tell which of the two holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from memtriage.core.episode import Episode, Fact
from memtriage.diagnose.lexical.alignment import align
from memtriage.diagnose.lexical.lexicon import word_form
from memtriage.diagnose.lexical.said import Line, Said
from memtriage.diagnose.lexical.statement import Statement, statement
from memtriage.text.words import words

_LONGEST = 240
"""Longer texts tell several things, and none is the frame of another."""
_LEAST_FRAME = 2
_MOST_ALIKE = 32
_ORDERED = re.compile(
    r"^\W*\d+[.)]\s|\b\d{4}-\d\d|\b(?:19|20)\d\d\b|\[[^\]]*\d[^\]]*\]"
    r"|\b(?:was|were|had|used to|formerly|former|previous(?:ly)?|old|ex|earlier|before|once|ago|until|since|no longer"
    r"|anymore|now|currently|recently|new|changed?|switch(?:ed)?|moved?|replaced?|traded|instead|updated?|correct(?:ed|ion)"
    r"|forgets?|delete[ds]?|removed?|cancel\w*|stopped|quit|left)\b",
    re.IGNORECASE,
)
"""What says in a memory itself that it has an order in time: a number, a date, or a word of change."""
_CHANGED = re.compile(
    r"\b(?:now|no longer|not anymore|anymore|any more|instead|actually|switch(?:ed)?|changed?|moved|replaced?|traded"
    r"|new|correction|correct that|scratch that|used to|as of today|from now on|these days|updated?)\b",
    re.IGNORECASE,
)
"""What says, when something is said, that it takes the place of something else."""
_CONDITION = re.compile(r"\b(?:if|unless|in case|should|would|whenever|provided|as long as|depend\w*)\b", re.IGNORECASE)
"""What says that something holds only where something else does."""
_MORE = re.compile(r"\b(?:also|too|another|as well|besides|additional(?:ly)?|second|both)\b", re.IGNORECASE)
_VALUES = ("number", "date", "time", "name")
_ONE_AT_A_TIME = frozenset(
    map(word_form, "live reside work employed name called married partner boss manager doctor dentist capital".split())
)
"""Words of which somebody has one at a time, so that two names rule each other out."""


@dataclass(frozen=True, slots=True)
class LiveMemory:
    """A memory at the end of a run, and its own date."""

    key: str
    text: str
    created: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two memories, what differs, and the line that settles it."""

    one: LiveMemory
    other: LiveMemory
    why: str
    words: tuple[str, ...]
    line: Line | None = None


def contradictions(memories: Sequence[LiveMemory], episode: Episode, said: Said) -> Iterator[Contradiction]:
    """The pairs that can't both hold, each once."""
    plain = [memory for memory in memories if len(memory.text) <= _LONGEST and not _ORDERED.search(memory.text)]
    read = [(memory, statement(memory.text)) for memory in plain]
    seen: set[frozenset[str]] = set()
    for found in (*_voided(read, episode, said), *_changed(read, said)):
        pair = frozenset((found.one.key, found.other.key))
        if pair not in seen and _in_no_order(found.one, found.other):
            seen.add(pair)
            yield found


def _in_no_order(one: LiveMemory, other: LiveMemory) -> bool:
    """Whether nothing says which of two memories is the later one. A clock that gave both the same day doesn't."""
    days = {one.created[:10], other.created[:10]}
    return "" in days or len(days) == 1


# ------------------------------------------------------------------ what the suite knows


def _voided(read: Sequence[tuple[LiveMemory, Statement]], episode: Episode, said: Said) -> Iterator[Contradiction]:
    """Memories of a fact and of the fact that took its place, where a question asks for the new value."""
    facts = {fact.id: fact for fact in episode.facts}
    pairs = {
        (old.fact, new)
        for probe in episode.probes
        for old in probe.outdated
        for new in old.voided_by
        if _asked_for(facts[new], " ".join((probe.gold, *probe.golds)))
    }
    holding: dict[str, list[tuple[LiveMemory, Statement]]] = {}
    for id in sorted({id for pair in pairs for id in pair}):
        holding[id] = [(memory, own) for memory, own in read if _holds(facts[id], memory, own)]
    for old, new in sorted(pairs):
        for (one, first), (other, second) in ((a, b) for a in holding[old] for b in holding[new]):
            if _CONDITION.search(other.text):  # a rule is no value
                continue
            both = one.key == other.key or _holds(facts[new], one, first) or _holds(facts[old], other, second)
            if not both:
                values = (facts[old].details[-1], facts[new].details[-1])
                yield Contradiction(one, other, "a later value took its place", values, _line(facts[new], said))


def _asked_for(fact: Fact, gold: str) -> bool:
    return any(detail.lower() in gold.lower() for detail in fact.details[-1:])


def _holds(fact: Fact, memory: LiveMemory, read: Statement) -> bool:
    """Whether a memory has every critical detail of a fact and its subject, undenied."""
    stems = set(words(memory.text).stems)
    needed = {stem for part in (*fact.details, fact.subject) for stem in words(part).stems}
    return bool(needed) and needed <= stems and not read.count("negation")


def _line(fact: Fact, said: Said) -> Line | None:
    return next((line for line in said.lines if line.turn in fact.turns and line.text in fact.evidence), None)


# ------------------------------------------------------------------ what was said to have changed

_Frame = tuple[object, ...]
"""What a memory says of what, without the value."""


def _changed(read: Iterable[tuple[LiveMemory, Statement]], said: Said) -> Iterator[Contradiction]:
    """Memories with one frame and another value, where the later of what was said says that it changed.

    Of two memories that are each other's denial, one is wrong whatever was said.
    """
    framed: dict[_Frame, list[tuple[LiveMemory, str]]] = {}
    for memory, own in read:
        if len(own.about) == 1 and not _CONDITION.search(memory.text):
            for frame, value in _frames(own):
                framed.setdefault(frame, []).append((memory, value))
    for frame, alike in framed.items():
        for (one, first), (other, second) in combinations(alike[:_MOST_ALIKE], 2):
            if one.key == other.key or first.lower() == second.lower():
                continue
            if frame[0] == "denied":
                yield Contradiction(
                    one, other, "one denies the other", (first or second,), _last_said(one, other, said)
                )
            elif (
                (later := _last_said(one, other, said)) and _CHANGED.search(later.text) and not _MORE.search(later.text)
            ):
                yield Contradiction(one, other, "it was said to have changed", (first, second), later)


def _frames(read: Statement) -> Iterator[tuple[_Frame, str]]:
    """The frames of a memory with their values: its last number, date or name, and whether it is denied."""
    forms = [unit.form for unit in read.units]
    if len(forms) > _LEAST_FRAME:
        yield ("denied", *sorted(forms)), "not" if read.count("negation") else ""
    values = [n for n, unit in enumerate(read.units) if unit.kind in _VALUES and n > 0]
    if not values or read.count("negation"):
        return
    place = values[-1]
    value, rest = read.units[place], sorted(forms[:place] + forms[place + 1 :])
    single = value.kind != "name" or not _ONE_AT_A_TIME.isdisjoint(rest)
    if len(rest) >= _LEAST_FRAME and single:
        yield (value.kind, value.link, *rest), value.surface


def _last_said(one: LiveMemory, other: LiveMemory, said: Said) -> Line | None:
    """The later one of the two lines that told what two memories tell; None if they can't be told apart."""
    first, second = _said_at(one.text, said), _said_at(other.text, said)
    return said.lines[max(first, second)] if first is not None and second is not None and first != second else None


def _said_at(text: str, said: Said) -> int | None:
    """Where what a memory tells was said: the last line that has all of its numbers, dates and names."""
    read = statement(text)
    exact = {n for n, unit in enumerate(read.units) if unit.kind in _VALUES}
    found = [
        place
        for place in said.nearest(words(text))
        if exact <= set(align(said.lines[place].statement, read).pairs.values())
    ]
    return max(found, default=None)
