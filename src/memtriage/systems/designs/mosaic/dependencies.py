"""What hangs on what: which statement changes, voids or replaces which. Worked out when a statement is stored.

A rule hangs on its condition, a tie on its reason. A report of a change is held against what earlier statements hang
on; where it fits, they are changed by it, and so is whatever hangs on what they are about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from memtriage.systems.designs.mosaic.frames import ABOUT_OTHERS, frame_of, thing_of
from memtriage.systems.designs.mosaic.hanging import (
    DIRECT,
    NEXT,
    PLAIN,
    SAME,
    Forms,
    Numbers,
    hang_alike,
    news_for,
    next_for,
    plain_for,
    same_for,
)
from memtriage.systems.designs.mosaic.kept import Column, Derived, Links, Parts, Postings, Row
from memtriage.systems.designs.mosaic.statements import Statement, Stems, people, stems, tells_of_others, told_of
from memtriage.systems.designs.mosaic.text_index import WordIndex
from memtriage.systems.designs.mosaic.updates import Reading, may_go_without, overtakes, reading
from memtriage.systems.designs.mosaic.word_lists import EVENTS, VERBS_OF_CHANGE
from memtriage.systems.designs.rules.dates import day

TOPIC = 0.4
"""How much of what a rule is about another statement has to be about."""
CLEARER = 1.2
"""How much better a way over other statements has to fit than the report itself."""
LATER = 0.95
"""How strong a later report has to be beside an earlier one to take its place."""
LONGEST = 3
"""Statements on the way from a change to what it reaches in the end."""
TAKEN_BACK = 0.6
"""How much of a statement a request to forget has to name."""


MOST, MOST_NEAR = 100, 500
"""How many that share words with a statement are looked at, and how many of the latest of each word."""
MOST_CLAIMS, MOST_WORDS = 20, 6
"""How many of the latest that claim the same, or hold a word, may be overtaken, and how many words are looked up."""


@dataclass(frozen=True, slots=True)
class Change:
    """A later report changes what a statement hangs on; `way` are the statements between, the nearest first."""

    report: int
    strength: float
    way: tuple[int, ...] = ()


class DependencyGraph:
    """Statements by number, and the links between them."""

    def __init__(
        self, words: WordIndex, said: Callable[[int], Sequence[Statement]], parts: Parts | None = None
    ) -> None:
        self._words = words
        self._said = said
        self.entry_of = Column(np.int32)
        self.statements: Derived[Statement] = Derived(lambda: len(self.entry_of), self._statement)
        self._forms = Forms(words, self.statements.__getitem__)
        self.changed: Links[int, Change] = Links("changed", parts, astuple, _change)
        """By statement: the report that changes what it hangs on."""
        self.voided_by: Links[int, int] = Links("voided_by", parts)
        """By statement: the request to forget it, or the retraction."""
        self.replaced_by: Links[int, int] = Links("replaced_by", parts)
        """By statement: the next one that gives the same thing another value."""
        self.replaces: Links[int, int] = Links("replaces", parts)
        self.replaced = Column(np.int32)
        """The statements that another one has replaced, as that came; -1 where it was forgotten."""
        self.kind_entries, self.kind_numbers = Column(np.int32), Column(np.int32)
        """Entries that say something of a kind, and the number of its noun, which a model gave; -1 if forgotten."""
        self._kinds: Links[str, int] = Links("kinds", parts)
        self._hanging_on = Postings("hanging_on", parts)
        self._declared = Postings("declared", parts)
        self._reached = Postings("reached", parts)
        self._claimed_by = Postings("claims", parts)
        self._latest_of: Links[tuple[str, ...], int] = Links("latest_of", parts)

    @property
    def columns(self) -> dict[str, Column]:
        """What is kept as arrays."""
        return {
            "entry_of": self.entry_of,
            "replaced": self.replaced,
            "kind_entries": self.kind_entries,
            "kind_numbers": self.kind_numbers,
        }

    @property
    def postings(self) -> tuple[Postings, ...]:
        """What is kept by word or statement, as lists."""
        return self._hanging_on, self._declared, self._reached, self._claimed_by

    @property
    def links(self) -> tuple[Links[Any, Any], ...]:
        """What is kept by statement or form, as one value."""
        return self.changed, self.voided_by, self.replaced_by, self.replaces, self._latest_of, self._kinds

    def add(self, statement: Statement, entry: int) -> int:
        """Take in the next statement, and work out what it does to earlier ones."""
        number = len(self.entry_of)
        self.entry_of.append(entry)
        self.statements.put(number, statement)
        for stem in frozenset().union(*statement.clauses):
            self._hanging_on.add(stem, number)
        if statement.clauses:
            self._forms.put(number, statement)
        if kind := thing_of(statement):
            self._add_kind(kind, entry)
        if statement.kind == "rule":
            for stem in statement.about:
                self._declared.add(stem, number)
        if statement.kind in ("forget", "retraction"):
            self._take_back(number)
        elif statement.kind in ("change", "state", "tie"):
            if statement.kind != "tie" and (statement.told is None or statement.news or statement.changes):
                self._spread(number)
            self._replace(number)
            self._overtake(number)
            for key in _keys(statement):
                self._claimed_by.add(key, number)
        return number

    def of_entry(self, entry: int) -> range:
        """The statements of an entry."""
        return self.entry_of.run(entry)

    def reaches(self, number: int) -> bool:
        """Whether a statement changes or voids another one."""
        return str(number) in self._reached

    def forget(self, entry: int) -> list[Row]:
        """Take out what an entry says, and what it did to others; what changes in lists of a database is told."""
        rows: list[Row] = []
        self._forms.clear()
        for number in self.of_entry(entry):
            statement = self.statements[number]
            for stem in frozenset().union(*statement.clauses):
                rows += self._hanging_on.remove(stem, number)
            for stem in statement.about if statement.kind == "rule" else ():
                rows += self._declared.remove(stem, number)
            for key in _keys(statement):
                rows += self._claimed_by.remove(key, number)
            for other in self._reached.numbers(str(number)):
                if (change := self.changed.get(other)) and change.report == number:
                    self.changed.pop(other)
                if self.voided_by.get(other) == number:
                    self.voided_by.pop(other)
            before, after = self.replaces.pop(number), self.replaced_by.pop(number)
            if before is not None and after is not None:
                self.replaced_by[before], self.replaces[after] = after, before
            elif before is not None:
                self.replaced_by.pop(before)
                self._not_replaced(before)
            elif after is not None:
                self.replaces.pop(after)
            self._not_replaced(number)
            if (frame := frame_of(statement)) is not None and self._latest_of.get(frame) == number:
                self._latest_of.pop(frame)
                if before is not None:
                    self._latest_of[frame] = before
            self.changed.pop(number)
            self.voided_by.pop(number)
            self.statements.drop(number)
            if kind := thing_of(statement):
                self._drop_kind(kind, entry)
        return rows

    def _add_kind(self, kind: str, entry: int) -> None:
        number = self._kinds.get(kind)
        if number is None:
            number = self._kinds[kind] = int(self.kind_numbers.view.max(initial=-1)) + 1
        self.kind_entries.append(entry)
        self.kind_numbers.append(number)

    def _drop_kind(self, kind: str, entry: int) -> None:
        mine = self.kind_numbers.view == self._kinds.get(kind)
        for place in np.flatnonzero(mine & (self.kind_entries.view == entry)).tolist():
            self.kind_entries[place] = -1
        if (self.kind_entries.view[mine] < 0).all():
            self._kinds.pop(kind)

    def _not_replaced(self, number: int) -> None:
        for place in np.flatnonzero(self.replaced.view == number).tolist():
            self.replaced[place] = -1

    def _statement(self, number: int) -> Statement:
        entry = self.entry_of[number]
        return self._said(entry)[number - self.of_entry(entry).start]

    def versions(self, number: int) -> list[int]:
        """All statements that gave the same thing a value, oldest first."""
        while (before := self.replaces.get(number)) is not None:
            number = before
        found = [number]
        while (after := self.replaced_by.get(number)) is not None:
            number = after
            found.append(number)
        return found

    def given_up(self, number: int) -> Stems:
        """What a statement says that no later one of the same thing does: who names that asks for this one."""
        later = self.versions(number)
        later = later[later.index(number) + 1 :]
        return frozenset(self.statements[number].stems).difference(*(self.statements[each].stems for each in later))

    def becoming(self, number: int) -> list[int]:
        """The rules that may say what becomes of what a changed statement is about; itself, if it is one."""
        change = self.changed.get(number)
        if change is None or self.statements[number].kind == "rule":
            return [number]
        statement = self.statements[number]
        return [
            rule
            for rule in sorted(
                {
                    *self._hanging(frozenset().union(*statement.clauses)).tolist(),
                    *self._coming(statement.about).tolist(),
                }
            )
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
        return hang_alike(self._words, self.statements[rule].clauses, self.statements[number].clauses) > 0

    def _claimed(self, rule: int) -> float:
        """How much what a rule is about belongs to the statement that it fits best, if it fits one well."""
        report = self.changed[rule].report
        best = max(
            (
                self.topic(rule, tie)
                for tie in self._hanging(frozenset().union(*self.statements[rule].clauses)).tolist()
                if self.statements[tie].kind == "tie" and tie in self.changed and self.changed[tie].report == report
            ),
            default=0.0,
        )
        return best if best >= TOPIC else 0.0

    def _about_same(self, about: Stems) -> list[int]:
        """The rules about what some statements are about."""
        known: dict[Stems, bool] = {}  # people say the same again, so that much is alike
        found = []
        for rule in self._coming(about).tolist():
            thing = self._thing(rule)
            same = known.get(thing)
            if same is None:
                same = known[thing] = self._words.share_from(TOPIC, thing, about) >= TOPIC
            if same:
                found.append(rule)
        return found

    def _thing(self, number: int) -> Stems:
        statement = self.statements[number]
        return (statement.about - statement.names) or statement.about

    def hanging_on(self, statement: Statement, before: int) -> list[tuple[int, float]]:
        """The statements before a number that hang on what a statement tells, and how much of that it tells."""
        told = frozenset(statement.stems) - VERBS_OF_CHANGE
        happened = frozenset(stem for found in _HAPPENED.findall(statement.text) for stem in stems(found))
        meant = told.union(*(changed for events, changed in EVENTS if events & happened))
        enough = DIRECT if statement.news else PLAIN
        weigh = partial(news_for if statement.news else plain_for, self._words, told, meant)
        near = np.concatenate((self._hanging(meant), self._coming(told)))
        return self._forms.weighed(near[near < before], meant, enough, weigh, every_part=statement.news)

    def _spread(self, report: int) -> None:
        """Find what a report changes, and what hangs on that."""
        statement = self.statements[report]
        entry = self.entry_of[report]
        first = self.of_entry(entry).start  # what is said together changes nothing of it
        reached = {number: Change(report, 1.0) for number in statement.changes}
        for number, strength in self.hanging_on(statement, first):
            reached[number] = Change(report, strength)
        self._add_hanging_on_the_same(reached, report, first)
        self._add_following(reached, report, first)
        rules: dict[Stems, list[int]] = {}
        for number, change in list(reached.items()):  # a rule about the same thing, whatever it calls its condition
            if self.statements[number].kind == "tie":
                about = self.statements[number].about
                if about not in rules:
                    rules[about] = self._about_same(about)
                for rule in rules[about]:
                    if rule not in reached and self.entry_of[rule] not in (entry, self.entry_of[number]):
                        reached[rule] = Change(report, 0.9 * change.strength, change.way)
        for number in self._values_before(report):  # these are replaced
            del reached[number]
        reached = {number: change for number, change in reached.items() if not self._of_another(number, report)}
        for number, change in reached.items():  # a weaker report is rather about something else
            if change.strength >= LATER * _strength(self.changed.get(number)):
                self.changed[number] = change
                self._reached.add(str(report), number)

    def _of_another(self, number: int, report: int) -> bool:
        """Whether a report tells of somebody else than a statement about a him or a her."""
        told = self.statements[report]
        whom = told_of(told.text)
        if told.changes or whom == "nobody" or told_of(self.statements[number].text) != "others":
            return False
        names = self._people(number)
        if whom == "speaker":
            return bool(names) and not tells_of_others(told.text) and not any(name in told.text for name in names)
        others = self._people(report)
        return bool(names) and bool(others) and names.isdisjoint(others)

    def _people(self, number: int) -> frozenset[str]:
        """Whom the entry of a statement names: who is meant may stand in a sentence before."""
        return frozenset().union(*(people(each.text) for each in self._said(self.entry_of[number])))

    def _add_hanging_on_the_same(self, reached: dict[int, Change], report: int, first: int) -> None:
        """Add what hangs on the same as something that a report reaches."""
        strongest: dict[tuple[Stems, ...], float] = {}
        for number, change in reached.items():
            mine = self.statements[number].clauses
            strongest[mine] = max(change.strength, strongest.get(mine, 0.0))
        for mine, strength in strongest.items():
            together = frozenset().union(*mine)
            near = self._hanging(together)
            for other, same in self._forms.weighed(
                near[near < first], together, SAME, partial(same_for, self._words, mine)
            ):
                if strength * same > _strength(reached.get(other)):
                    reached[other] = Change(report, strength * same)

    def _add_following(self, reached: dict[int, Change], report: int, first: int) -> None:
        """Add what hangs on what something is about that a report reaches, and so on."""
        front = dict(reached)
        for _ in range(LONGEST):
            following: dict[int, Change] = {}
            for numbers in self._alike(front):
                number = numbers[0]
                change, about = front[number], self.statements[number].about
                near = self._hanging(about)
                for other, tied in self._forms.weighed(
                    near[near < first], about, NEXT, partial(next_for, self._words, about)
                ):
                    if other in change.way:
                        continue
                    if other != number:
                        through = number
                    elif len(numbers) > 1:
                        through = numbers[1]
                    else:
                        continue
                    found = Change(report, change.strength * tied, (through, *change.way))
                    if found.strength <= CLEARER * _strength(reached.get(other)):
                        continue  # it hangs on what changed, rather than on what follows from it
                    best = following.get(other)
                    if best is None or _better(self, found, best):
                        following[other] = found
            reached |= following
            front = following

    def _alike(self, front: dict[int, Change]) -> Iterable[list[int]]:
        """Statements that are reached alike and are about the same, together: what follows from one does from all."""
        groups: dict[tuple[Stems, bool, float, tuple[int, ...]], list[int]] = {}
        for number, change in front.items():
            statement = self.statements[number]
            key = statement.about, statement.kind == "rule", change.strength, change.way
            groups.setdefault(key, []).append(number)
        return groups.values()

    def _coming(self, told: Stems) -> Numbers:
        return self._most(self._declared, told)

    def _hanging(self, stems: Stems) -> Numbers:
        return self._most(self._hanging_on, stems)

    def _most(self, postings: Postings, stems: Stems) -> Numbers:
        """The statements that have one of some stems, in order; where they are many, those that have most of them."""
        counts = {stem: count for stem in stems if (count := postings.count(stem))}
        few = sum(counts.values()) <= MOST
        lists = [postings.latest(stem, MOST if few else MOST_NEAR) for stem in counts]
        if not lists or few:
            return np.unique(np.concatenate(lists)) if lists else _NONE
        bits = (len(lists) - 1).bit_length()
        of_stem = np.repeat(np.arange(len(lists)), [len(each) for each in lists])
        pairs = np.sort(np.concatenate(lists).astype(np.int64) << bits | of_stem)
        numbers: Numbers = (pairs >> bits).astype(np.int32)
        rarities = np.array([self._words.rarity(stem) for stem in counts])[pairs & ((1 << bits) - 1)]
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        numbers = numbers[first]
        if len(numbers) <= MOST:
            return numbers
        mass = np.add.reduceat(rarities, first).round(6)
        least = np.partition(mass, -MOST)[-MOST]
        best = mass > least
        best[np.flatnonzero(mass == least)[np.count_nonzero(best) - MOST :]] = True  # the latest of those just as good
        found: Numbers = numbers[best]
        return found

    def _take_back(self, request: int) -> None:
        """Void what a request to forget names."""
        told, entry = self.statements[request].voids, self.entry_of[request]
        for number in self.statements[request].changes:
            self._void(number, request)
        if self.statements[request].changes:
            return
        for number in (number for place in self._naming(told, entry) for number in self.of_entry(place)):
            said = frozenset(self.statements[number].stems)
            shared = said & told
            if len(shared) > 1 and self._words.share(said, told) > TAKEN_BACK:
                self._void(number, request)

    def _naming(self, told: Stems, entry: int) -> list[int]:
        """The latest entries before another one with any of some words, as far as they have two of them."""
        lists = [self._words.postings.latest(stem, 2 * MOST) for stem in told]
        near = np.unique(np.concatenate(lists)) if lists else _NONE
        near = near[near < entry]
        held = np.zeros(len(near), dtype=np.int32)
        for stem in told:
            held += self._words.postings.among(stem, near)
        found: list[int] = near[held > 1].tolist()
        return found

    def _void(self, number: int, request: int) -> None:
        self.voided_by[number] = request
        self._reached.add(str(request), number)

    def _values_before(self, number: int) -> list[int]:
        """The statements that gave another value to the same thing, as a model says."""
        statement = self.statements[number]
        return [each for each in statement.changes if thing_of(self.statements[each]) == thing_of(statement) != ""]

    def dates(self, entry: int) -> list[date]:
        """The days on which something that an entry tells takes place, as a model says."""
        told = [self.statements[number].told for number in self.of_entry(entry)]
        return [on for each in told if each and (on := day(each.date))]

    def alone(self, number: int) -> bool:
        """Whether nothing else is said in the entry of a statement."""
        others = [each for each in self.of_entry(self.entry_of[number]) if each != number]
        return not others or (
            self.statements[number].told is not None and all(self.statements[each].told is None for each in others)
        )

    def _replace(self, number: int) -> None:
        """Find the statement whose value this one replaces."""
        statement = self.statements[number]
        for named in self._values_before(number):
            self._put_before(named, number)
        frame = frame_of(statement)
        if frame is None:
            return
        before = self._latest_of.get(frame)
        told_anew = (statement.kind == "change" or frame[0] == ABOUT_OTHERS) and number not in self.replaces
        if before is not None and told_anew and self.statements[before].stems != statement.stems:
            self._put_before(before, number)
        self._latest_of[frame] = number

    def _overtake(self, number: int) -> None:
        """Find what a sentence overtakes that tells in everyday words of something that is no longer as it was."""
        statement = self.statements[number]
        if number in self.replaces or statement.told is not None:
            return
        mine = reading(statement.text)
        if not mine.over and not any(claim.new for claim in mine.claims):
            return
        near = {number for key in _keys(statement) for number in self._claimed_by.numbers(key, MOST_CLAIMS)}
        near |= self._overtaken_by_words(statement, mine)
        best, before = 0.0, -1
        for other in sorted(near, reverse=True):
            if other >= number or self.entry_of[other] == self.entry_of[number] or other in self.replaced_by:
                continue
            said = self.statements[other]
            if said.kind not in ("state", "change", "tie") or said.told is not None:
                continue
            sure = overtakes(mine, reading(said.text))
            if sure > best:
                best, before = sure, other
        if before >= 0:
            self._put_before(before, number)

    def _overtaken_by_words(self, statement: Statement, mine: Reading) -> set[int]:
        """The latest statements with the rarest words of a sentence, as far as it may overtake them.

        The lists of words and claims say which may be, so that others needn't be read.
        """
        named = frozenset(statement.stems).union(*(over.words for over in mine.over))
        known = sorted(each for each in named if self._words.count(each))  # in the same order in every process
        rarest = sorted(known, key=self._words.count)[:MOST_WORDS]
        if not rarest:
            return set()
        entries = np.unique(np.concatenate([self._words.postings.latest(stem, MOST_CLAIMS) for stem in rarest]))
        first, last = (np.searchsorted(self.entry_of.view, entries, side) for side in ("left", "right"))
        ended = np.zeros(len(entries), dtype=bool)
        for over in mine.over:
            held = np.zeros(len(entries))
            for word in over.words:
                held += 1 if may_go_without(word) else self._words.postings.among(word, entries)
            ended |= held >= over.least
        found = {number for n in np.flatnonzero(ended).tolist() for number in range(first[n], last[n])}
        if keys := dict.fromkeys(key for claim in mine.claims if claim.new for key in claim.replaced_keys):
            runs = zip(first.tolist(), last.tolist(), strict=True)
            numbers = np.array([number for run in runs for number in range(*run)], dtype=np.int32)
            for key in keys:
                found.update(numbers[self._claimed_by.among(key, numbers)].tolist())
        return found

    def _put_before(self, before: int, number: int) -> None:
        self.replaced_by[before] = number
        self.replaces[number] = before
        self.replaced.append(before)


_NONE: Numbers = np.zeros(0, dtype=np.int32)
_HAPPENED = re.compile(r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b((?:\W+[\w-]+){1,6})")
"""What is said of the speaker: an event of others changes nothing for them."""


def _keys(statement: Statement) -> list[str]:
    """By what the claims of a statement are looked up."""
    if statement.told is not None or statement.kind not in ("change", "state", "tie"):
        return []
    return list(dict.fromkeys(key for claim in reading(statement.text).claims for key in claim.keys))


def _change(kept: list[Any]) -> Change:
    report, strength, way = kept
    return Change(report, strength, tuple(way))


def _strength(change: Change | None) -> float:
    return change.strength if change else 0.0


def _better(graph: DependencyGraph, one: Change, other: Change) -> bool:
    """Whether one way is better: stronger, and rather by a rule than by a tie."""
    return _worth(graph, one) > _worth(graph, other)


def _worth(graph: DependencyGraph, change: Change) -> float:
    rules = sum(graph.statements[number].kind == "rule" for number in change.way)
    return change.strength * (1.0 + 0.2 * rules - 0.1 * len(change.way))
