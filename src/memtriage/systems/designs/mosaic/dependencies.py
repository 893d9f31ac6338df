"""What hangs on what: which statement changes, voids or replaces which. Worked out when a statement is stored.

A rule hangs on its condition, a tie on its reason. A report of a change is held against what earlier statements hang
on; where it fits, they are changed by it, and so is whatever hangs on what they are about.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from memtriage.systems.designs.mosaic.statements import MOST_LETTERS, Statement, Stems, stems
from memtriage.systems.designs.mosaic.text_index import WordIndex
from memtriage.systems.designs.mosaic.word_lists import EVENTS, VERBS_OF_CHANGE

DIRECT = 0.5
"""How much of what a statement hangs on a report has to name."""
PLAIN = 0.9
"""The same for a sentence that doesn't say that it is news."""
EVENT = 0.8
"""What it counts that an event changes a thing by its nature, beside being told so."""
WHOLE = 0.75
"""How much of what a statement hangs on an event has to change by its nature."""
SAME = 0.6
"""How much of a condition another one has to name to be the same."""
TOPIC = 0.4
"""How much of what a rule is about another statement has to be about."""
NEXT = 0.5
"""How much of a condition a changed statement has to be about."""
CLEARER = 1.2
"""How much better a way over other statements has to fit than the report itself."""
LATER = 0.95
"""How strong a later report has to be beside an earlier one to take its place."""
LONGEST = 3
"""Statements on the way from a change to what it reaches in the end."""
TAKEN_BACK = 0.6
"""How much of a statement a request to forget has to name."""


@dataclass(frozen=True, slots=True)
class Change:
    """A later report changes what a statement hangs on; `way` are the statements between, the nearest first."""

    report: int
    strength: float
    way: tuple[int, ...] = ()


class DependencyGraph:
    """Statements by number, and the links between them."""

    def __init__(self, words: WordIndex) -> None:
        self._words = words
        self.statements: list[Statement] = []
        self.entry_of: list[int] = []
        self.of_entry: dict[int, list[int]] = defaultdict(list)
        self.changed: dict[int, Change] = {}
        """By statement: the report that changes what it hangs on."""
        self.voided_by: dict[int, int] = {}
        """By statement: the request to forget it, or the retraction."""
        self.replaced_by: dict[int, int] = {}
        """By statement: the next one that gives the same thing another value."""
        self.replaces: dict[int, int] = {}
        self._hanging_on: dict[str, list[int]] = defaultdict(list)
        self._declared: dict[str, list[int]] = defaultdict(list)
        self._latest_of: dict[tuple[str, ...], int] = {}

    def add(self, statement: Statement, entry: int) -> int:
        """Take in the next statement, and work out what it does to earlier ones."""
        number = len(self.statements)
        self.statements.append(statement)
        self.entry_of.append(entry)
        self.of_entry[entry].append(number)
        for stem in frozenset().union(*statement.clauses):
            self._hanging_on[stem].append(number)
        if statement.kind == "rule":
            for stem in statement.about:
                self._declared[stem].append(number)
        if statement.kind in ("forget", "retraction"):
            self._take_back(number)
        elif statement.kind in ("change", "state", "tie"):
            if statement.kind != "tie":
                self._spread(number)
            self._replace(number)
        return number

    def versions(self, number: int) -> list[int]:
        """All statements that gave the same thing a value, oldest first."""
        while number in self.replaces:
            number = self.replaces[number]
        found = [number]
        while number in self.replaced_by:
            number = self.replaced_by[number]
            found.append(number)
        return found

    def becoming(self, number: int) -> list[int]:
        """The rules that may say what becomes of what a changed statement is about; itself, if it is one."""
        change = self.changed.get(number)
        if change is None or self.statements[number].kind == "rule":
            return [number]
        statement = self.statements[number]
        return [
            rule
            for rule in sorted({*self._hanging(frozenset().union(*statement.clauses)), *self._coming(statement.about)})
            if self.statements[rule].kind == "rule"
            and rule in self.changed
            and not self._about_itself(rule)
            and self.changed[rule].report == change.report
            and (self._same_condition(rule, number) or self.topic(rule, number) >= TOPIC)
            and self.topic(rule, number) >= self._claimed(rule)
        ]

    def _about_itself(self, rule: int) -> bool:
        """Whether a rule only says what the thing in its condition will be."""
        return self._thing(rule) <= frozenset().union(*self.statements[rule].clauses)

    def topic(self, rule: int, number: int) -> float:
        """How much a statement is about what a rule is about."""
        return self._words.share(self._thing(rule), self.statements[number].about)

    def _same_condition(self, rule: int, number: int) -> bool:
        mine = self.statements[number].clauses
        return any(self._fits(clause, mine) >= SAME for clause in self.statements[rule].clauses)

    def _claimed(self, rule: int) -> float:
        """How much what a rule is about belongs to the statement that it fits best, if it fits one well."""
        report = self.changed[rule].report
        best = max(
            (
                self.topic(rule, tie)
                for tie in self._hanging(frozenset().union(*self.statements[rule].clauses))
                if self.statements[tie].kind == "tie" and tie in self.changed and self.changed[tie].report == report
            ),
            default=0.0,
        )
        return best if best >= TOPIC else 0.0

    def _about_same(self, number: int) -> list[int]:
        """The rules about what a statement is about."""
        return [
            rule
            for rule in self._coming(self.statements[number].about)
            if self.entry_of[rule] != self.entry_of[number] and self.topic(rule, number) >= TOPIC
        ]

    def _thing(self, number: int) -> Stems:
        statement = self.statements[number]
        return (statement.about - statement.names) or statement.about

    def _spread(self, report: int) -> None:
        """Find what a report changes, and what hangs on that."""
        statement = self.statements[report]
        told = frozenset(statement.stems) - VERBS_OF_CHANGE
        happened = frozenset(stem for found in _HAPPENED.findall(statement.text) for stem in stems(found))
        meant = told.union(*(changed for events, changed in EVENTS if events & happened))
        entry = self.entry_of[report]
        reached: dict[int, Change] = {}
        for number in dict.fromkeys((*self._hanging(meant), *self._coming(told))):
            clauses = self.statements[number].clauses
            strength = max(
                *(self._named(number, clause, told) for clause in clauses),
                *(EVENT * (self._words.share(self._nameless(number, clause), meant) >= WHOLE) for clause in clauses),
                self._come_true(number, told),
            )
            fits = strength >= DIRECT if statement.news else strength >= PLAIN and not self._said_before(number, told)
            if fits and self.entry_of[number] != entry:
                reached[number] = Change(report, strength)
        for number, change in list(reached.items()):  # others that hang on the same
            mine = self.statements[number].clauses
            for other in self._hanging(frozenset().union(*mine)):
                same = max(self._fits(clause, mine) for clause in self.statements[other].clauses)
                found = Change(report, change.strength * same)
                if same >= SAME and self.entry_of[other] != entry and found.strength > _strength(reached.get(other)):
                    reached[other] = found
        front = dict(reached)
        for _ in range(LONGEST):
            following: dict[int, Change] = {}
            for number, change in front.items():
                for other in self._hanging(self.statements[number].about):
                    if self.entry_of[other] == entry or other == number or other in change.way:
                        continue
                    tied = max(
                        self._words.share(clause, self.statements[number].about)
                        for clause in self.statements[other].clauses
                    )
                    found = Change(report, change.strength * tied, (number, *change.way))
                    known = following.get(other)
                    if tied < NEXT or found.strength <= CLEARER * _strength(reached.get(other)):
                        continue  # it hangs on what changed, rather than on what follows from it
                    if known is None or _better(self, found, known):
                        following[other] = found
            reached |= following
            front = following
        for number, change in list(reached.items()):  # a rule about the same thing, whatever it calls its condition
            if self.statements[number].kind == "tie":
                for rule in self._about_same(number):
                    if rule not in reached and self.entry_of[rule] != entry:
                        reached[rule] = Change(report, 0.9 * change.strength, change.way)
        for number, change in reached.items():  # a weaker report is rather about something else
            if change.strength >= LATER * _strength(self.changed.get(number)):
                self.changed[number] = change

    def _said_before(self, number: int, told: Stems) -> bool:
        """Whether a plain statement may only repeat what another one hangs on: it has no new name, or an old one."""
        held = [clause & self.statements[number].names for clause in self.statements[number].clauses]
        return not any(held) or any(names & told for names in held)

    def _nameless(self, number: int, clause: Stems) -> Stems:
        return (clause - self.statements[number].names) or clause

    def _come_true(self, number: int, told: Stems) -> float:
        """How much of what a rule said would come has come."""
        statement = self.statements[number]
        coming = statement.about & statement.names
        return 0.9 * self._words.share(coming, told) if statement.kind == "rule" and coming else 0.0

    def _named(self, number: int, clause: Stems, told: Stems) -> float:
        """How much of what a statement hangs on is told; its names alone are nearly enough."""
        names = clause & self.statements[number].names
        thing = clause - names
        return max(
            self._words.share(clause, told),
            0.9 * self._words.share(names, told) if names else 0.0,
            0.8 * self._words.share(thing, told) if names and thing else 0.0,
        )

    def _fits(self, clause: Stems, others: Iterable[Stems]) -> float:
        return max((self._words.share(clause, other) for other in others), default=0.0)

    def _coming(self, told: Stems) -> list[int]:
        return sorted({number for stem in told for number in self._declared.get(stem, ())})

    def _hanging(self, stems: Stems) -> list[int]:
        return sorted({number for stem in stems for number in self._hanging_on.get(stem, ())})

    def _take_back(self, request: int) -> None:
        """Void what a request to forget names."""
        told, entry = self.statements[request].voids, self.entry_of[request]
        near = {place for stem in told for place in self._words.holding(stem)[-200:] if place < entry}
        for number in (number for place in near for number in self.of_entry.get(place, ())):
            said = frozenset(self.statements[number].stems)
            shared = said & told
            if len(shared) > 1 and self._words.share(said, told) > TAKEN_BACK:
                self.voided_by[number] = request

    def _replace(self, number: int) -> None:
        """Find the statement whose value this one replaces."""
        statement = self.statements[number]
        frame = _frame(statement)
        if frame is None:
            return
        before = self._latest_of.get(frame)
        told_anew = statement.kind == "change" or frame[0] == _ABOUT_OTHERS
        if before is not None and told_anew and self.statements[before].stems != statement.stems:
            self.replaced_by[before] = number
            self.replaces[number] = before
        self._latest_of[frame] = number


_ABOUT_OTHERS, _ABOUT_SELF = "others", "self"
_LEAD = re.compile(r"^(?:\W*\d+[.)]\s+|[^—–:]{0,40}(?:[—–]|:)\s+)")
_WORD = r"[A-Z0-9#]\S*"
_LINK = r"\b(?:is|are|was|were|by|of|in|at|to|with|for|from|a|an|the)\s+"
_VALUE = re.compile(rf"^(?P<frame>.+?{_LINK}){_WORD}(?:\s+(?:(?:of|the|and|de|von)\s+)?{_WORD})*$")
_PLAIN_VALUE = re.compile(rf"^(?P<frame>.+{_LINK})(?:\S+\s+){{0,3}}\S+$")
_HAPPENED = re.compile(r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b((?:\W+[\w-]+){1,6})")
"""What is said of the speaker: an event of others changes nothing for them."""
_ME = re.compile(r"\bI\b|\b(?:my|we|our)\b|^(?:My|We|Our)\b")


def _frame(statement: Statement) -> tuple[str, ...] | None:
    """What a statement says without its value, which ends it; None where it has no such form.

    Others' facts are only known by a name in them. What the speaker says of themselves has to be a report of a change,
    as people have several hobbies.
    """
    text = _LEAD.sub("", statement.text).rstrip(".! ")
    if len(text) > MOST_LETTERS:
        return None
    found = _VALUE.match(text)
    if found and _ME.search(found["frame"]):
        words = stems(found["frame"])
        return (_ABOUT_SELF, *words) if words else None
    found = found or _PLAIN_VALUE.match(text)
    if found is None or _ME.search(text):
        return None
    words = stems(found["frame"])
    return (
        (_ABOUT_OTHERS, *words) if len(words) > 1 and re.search(r"[A-Z]", found["frame"].removeprefix("The ")) else None
    )


def _strength(change: Change | None) -> float:
    return change.strength if change else 0.0


def _better(graph: DependencyGraph, one: Change, other: Change) -> bool:
    """Whether one way is better: stronger, and rather by a rule than by a tie."""
    return _worth(graph, one) > _worth(graph, other)


def _worth(graph: DependencyGraph, change: Change) -> float:
    rules = sum(graph.statements[number].kind == "rule" for number in change.way)
    return change.strength * (1.0 + 0.2 * rules - 0.1 * len(change.way))
