"""What a generated chat tells, and what is asked about it: projects of the user's, with everything in its place.

All projects are told of in the same sentences. One question fits a thing that was told once, one that changed and one
that was never told, so that neither words nor form say what is tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache
from itertools import count, product
from random import Random
from typing import Any

from memtriage.core.episode import Outdated
from memtriage.suites.beam.question import Ability, Question
from memtriage.suites.kit.templates import marked
from memtriage.suites.kit.words import items, records, table

PACKAGE = "memtriage.suites.beam"
PROJECTS = 8
QUESTIONS = 2
"""Questions on each ability, as in the released chats."""

_MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday".split()
OWN = "own"
"""The topic of what is about the user alone; no question goes with it."""

_FIRST_DAY = date(2026, 2, 2)
"""The days that projects look forward to come after the chat."""


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that the user says: the sentence, what in it matters, of what, and where in the chat (0 to 1)."""

    id: str
    text: str
    details: tuple[str, ...]
    subject: str
    topic: str
    place: float = 0.0


@dataclass(frozen=True, slots=True)
class Project:
    """A project by its name, and what kind of thing it is."""

    name: str
    kind: str

    def __str__(self) -> str:
        return f"the {self.name} {self.kind}"

    def fill(self, template: str, **values: str) -> str:
        """A sentence about it."""
        return template.format(project=self, Project=_capital(str(self)), **values)


@dataclass(slots=True)
class Plan:
    """All that one chat tells on purpose, in the order of its places, and its questions."""

    told: list[Told] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    projects: tuple[Project, ...] = ()


def draw_plan(key: str) -> Plan:
    """The plan of the chat with this key; the same key gives the same plan."""
    return _Planner(Random(f"{key}:plan")).plan()


def other_told(key: str, group: int, known: Sequence[Project]) -> list[Told]:
    """What a chat tells of further projects, which nobody asks about: a group of four of them, in mixed order."""
    rng = Random(f"{key}:others:{group}")
    taken = {project.name for project in known}
    names, kinds = [name for name in _items("names") if name not in taken], _items("kinds")
    told: list[Told] = []
    for n in range(4 * group, 4 * group + 4):
        project = Project(names[n % len(names)], kinds[(n + 7 * (n // len(names))) % len(kinds)])
        writer = _Writer(rng)
        about = rng.sample(sorted(_words()["about"]), 4)
        told += (writer.attribute(project, name, writer.value(name)) for name in about)
        told += (writer.day(project, *each) for each in writer.days()[:2])
        for kind in ("setbacks", "steps"):
            told += (writer.told(project, _words()[kind], what=what) for what in _some(rng, kind, 2))
    rng.shuffle(told)
    return told


class _Writer:
    """Writes sentences about projects; places are given later."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self._ids = count(1)
        self._used: set[str] = set()

    def value(self, name: str) -> str:
        """A value for one of the things that a project has one of; none comes twice in a plan."""
        rng = self.rng
        while True:
            firms = rng.sample(_items("firms"), 2)
            value = str(_words()["about"][name]["value"]).format(
                amount=f"{50 * rng.randint(24, 196):,}",
                person=f"{rng.choice(_items('first_names'))} {rng.choice(_items('last_names'))}",
                hall=rng.choice(_items("halls")),
                hall_kind=rng.choice(_items("hall_kinds")),
                number=rng.randint(11, 79),
                firm=firms[0],
                firm2=firms[1],
                weekday=rng.choice(_WEEKDAYS),
                time=f"{rng.randint(9, 20)}:{rng.choice(('15', '30', '45'))}",
                letter=rng.choice("ABCDEFGH"),
                room=rng.randint(101, 899),
            )
            if value not in self._used:
                self._used.add(value)
                return value

    def days(self) -> list[tuple[str, date]]:
        """Three of the days that a project looks forward to, each later than the one before, in random order."""
        names = items(_words()["days"]["names"])
        at, found = _FIRST_DAY, []
        for n in sorted(self.rng.sample(range(len(names)), 3)):
            at += timedelta(days=self.rng.randint(9, 80))
            found.append((names[n], at))
        return self.rng.sample(found, len(found))

    def attribute(self, project: Project, name: str, value: str, form: str = "tell") -> Told:
        return self.told(project, _words()["about"][name], form, value=value)

    def day(self, project: Project, name: str, at: date) -> Told:
        return self.told(project, _words()["days"], day=name, date=written_date(at))

    def told(self, project: Project, words: Mapping[str, str], form: str = "tell", **values: str) -> Told:
        """Something about a project in one of the sentences that there are for it."""
        text, details = marked(project.fill(self.rng.choice(items(words[form])), **values))
        return Told(f"f{next(self._ids)}", text, details, project.name, words["topic"])

    def own(self, template: str) -> Told:
        text, details = marked(template)
        return Told(f"f{next(self._ids)}", text, details, "", OWN)


class _Planner:
    """Deals out to projects what is told of them and what is asked."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._write = _Writer(rng)
        names, kinds = rng.sample(_items("names"), PROJECTS), rng.sample(_items("kinds"), PROJECTS)
        self._projects = tuple(map(Project, names, kinds))
        self._plan = Plan(projects=self._projects)

    def plan(self) -> Plan:
        for part in (self._attributes, self._days, self._events, self._deeds, self._own):
            part()
        self._plan.told.sort(key=lambda told: told.place)
        self._plan.questions.sort(key=lambda question: question.ability)
        return self._plan

    def _tell(self, *told: Told, low: float = 0.02, high: float = 0.96) -> tuple[str, ...]:
        """Put what is told somewhere into the chat, in this order; returns the ids."""
        places = sorted(self._rng.uniform(low, high) for _ in told)
        self._plan.told += (replace(each, place=place) for each, place in zip(told, places, strict=True))
        return tuple(each.id for each in told)

    def _ask(
        self,
        ability: Ability,
        words: Mapping[str, str],
        values: Mapping[str, object],
        needed: Sequence[str] = (),
        each: Sequence[str] = ("",),
        outdated: tuple[Outdated, ...] = (),
    ) -> None:
        """Ask as the words have it; with several of `each`, there is a nugget for every one."""
        whole = {**values, "Project": _capital(str(values.get("project", "")))}
        nuggets = [
            line.format(each=one, Each=_capital(one), **whole) for one in each for line in items(words["nuggets"])
        ]
        text, gold = (words[name].format(**whole) for name in ("ask", "gold"))
        self._plan.questions.append(Question(ability, text, gold, tuple(nuggets), tuple(needed), outdated))

    def _attributes(self) -> None:
        """Told once, changed or never told; asked for alone, and together with others."""
        rng, write, about, asked = self._rng, self._write, _words()["about"], _words()["asked"]
        summed = [(one, "budget") for one in rng.sample(self._projects, 3)]
        shared = [(one, "accounts") for one in rng.sample(self._projects, rng.randint(3, 4))]
        person = write.value("accounts")
        cells = [cell for cell in product(self._projects, sorted(about)) if cell not in (*summed, *shared)]
        rng.shuffle(cells)
        untold, changed, once = cells[:12], cells[12:18], cells[18:]
        facts: dict[tuple[Project, str], str] = {}
        values: dict[tuple[Project, str], str] = {}
        for cell in (*once, *summed, *shared):
            values[cell] = person if cell in shared else write.value(cell[1])
            (facts[cell],) = self._tell(write.attribute(*cell, values[cell]))
        for n, cell in enumerate(changed):
            (old,) = self._tell(write.attribute(*cell, write.value(cell[1])), high=0.45)
            values[cell] = write.value(cell[1])
            (facts[cell],) = self._tell(write.attribute(*cell, values[cell], "change"), low=0.5)
            if n < QUESTIONS:
                words, outdated = about[cell[1]] | asked["told"], (Outdated(old, (facts[cell],)),)
                given: dict[str, object] = {"project": cell[0], "value": values[cell]}
                self._ask("knowledge_update", words, given, [facts[cell]], outdated=outdated)
        for cell in once[:QUESTIONS]:
            given = {"project": cell[0], "value": values[cell]}
            self._ask("information_extraction", about[cell[1]] | asked["told"], given, [facts[cell]])
        for project, name in untold[:QUESTIONS]:
            self._ask("abstention", about[name] | asked["untold"], {"project": project})
        whole = f"${sum(int(values[cell].strip('$').replace(',', '')) for cell in summed):,}"
        for words, those, each in ((asked["together"], summed, False), (asked["keeper"], shared, True)):
            names = [str(project) for project, _ in those]
            given = {"projects": _listed(names), "value": whole, "person": person}
            self._ask(
                "multi_session_reasoning", words, given, [facts[cell] for cell in those], names if each else ("",)
            )

    def _days(self) -> None:
        asked = self._rng.sample(self._projects, QUESTIONS)
        for project in self._projects:
            days = self._write.days()
            facts = {name: self._tell(self._write.day(project, name, at))[0] for name, at in days}
            if project in asked:
                (first, start), (last, end) = sorted(self._rng.sample(days, 2), key=lambda each: each[1])
                given: dict[str, object] = {
                    "project": project,
                    "first": first,
                    "last": last,
                    "count": (end - start).days,
                }
                given |= {"start": written_date(start), "end": written_date(end)}
                needed = [facts[first], facts[last]]
                self._ask("temporal_reasoning", _words()["asked"]["between"], given, needed)

    def _events(self) -> None:
        """Setbacks and steps of some projects, of which a few are asked about."""
        kinds: Mapping[str, Ability] = {"setbacks": "event_ordering", "steps": "summarization"}
        for kind, ability in kinds.items():
            for n, project in enumerate(self._rng.sample(self._projects, QUESTIONS + 3)):
                whats = _some(self._rng, kind, self._rng.randint(4, 6) if n < QUESTIONS else 2)
                facts = self._tell(*(self._write.told(project, _words()[kind], what=what) for what in whats))
                if n < QUESTIONS:
                    lines = "\n".join(f"{place}. {_capital(what)}." for place, what in enumerate(whats, start=1))
                    given = {"project": project, "lines": lines, "listed": _listed(whats)}
                    self._ask(ability, _words()["asked"][kind], given, facts, whats)

    def _deeds(self) -> None:
        """Done and denied: the denial comes later, so that no time in between can make both true."""
        words = _words()["deeds"]
        pairs = self._rng.sample(table(words["what"]), QUESTIONS + 4)
        projects = self._rng.sample(self._projects, QUESTIONS + 4)
        for n, (project, (did, done)) in enumerate(zip(projects, pairs, strict=True)):
            first, then = (self._write.told(project, words, form, did=did, done=done) for form in ("did", "never"))
            if n >= QUESTIONS:
                self._tell((first, then)[n % 2])
                continue
            facts = self._tell(first, high=0.5) + self._tell(then, low=0.5)
            given = {"project": project, "did": did, "done": done}
            self._ask("contradiction_resolution", _words()["asked"]["deed"], given, facts)

    def _own(self) -> None:
        kinds: Mapping[str, Ability] = {"instructions": "instruction_following", "preferences": "preference_following"}
        for name, ability in kinds.items():
            for n, row in enumerate(self._rng.sample(records(PACKAGE, "asked")[name], QUESTIONS + 1)):
                facts = self._tell(self._write.own(row["tell"]), high=0.8)
                if n < QUESTIONS:
                    self._ask(ability, row, {}, facts)


def written_date(at: date) -> str:
    """A date in words.

    >>> written_date(date(2026, 3, 4))
    '4 March 2026'
    """
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


@cache
def _items(name: str) -> tuple[str, ...]:
    return items(_words()[name])


def _words() -> dict[str, Any]:
    return records(PACKAGE, "projects")


def _some(rng: Random, kind: str, count: int) -> list[str]:
    return rng.sample(items(_words()[kind]["what"]), count)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
