"""Chats in which an assistant is put to work: it drafts, expands, cuts, tabulates and rewrites pieces of text.

>>> from random import Random
>>> from itertools import islice
>>> order, draft = next(exchanges(Random(3), size=800))
>>> len(order) < len(draft)
True
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import items, lists, records, table
from memtriage.suites.longmemeval.attributes import PACKAGE

_SECTION = 90
"""Roughly how many tokens a section of a draft has."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a piece of writing: its heading, and sentences it may consist of."""

    heading: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TaskKind:
    """A kind of piece that can be ordered on any of its subjects."""

    name: str
    gaps: tuple[str, ...]
    subjects: tuple[tuple[str, ...], ...]
    orders: tuple[str, ...]
    sections: tuple[Section, ...]

    @classmethod
    def of(cls, name: str, record: Mapping[str, Any]) -> TaskKind:
        """The kind that a record of the words describes."""
        gaps, *subjects = map(tuple, table(record["subjects"]))
        sections = tuple(Section(heading, items(text)) for heading, text in record["sections"].items())
        return cls(name, gaps, tuple(subjects), items(record["orders"]), sections)


@cache
def kinds() -> tuple[TaskKind, ...]:
    """The kinds of pieces there are.

    >>> len(kinds()) >= 10 and all(len(kind.subjects) > 6 for kind in kinds())
    True
    """
    return tuple(TaskKind.of(name, record) for name, record in records(PACKAGE, "tasks").items())


def exchanges(rng: Random, size: int) -> Iterator[tuple[str, str]]:
    """Orders and what the assistant delivers, on and on; `size` (in tokens) says how long the first piece may be."""
    parts = max(1, min(6, round(size / (2 * _SECTION))))
    while True:
        kind = rng.choice(kinds())
        subjects = rng.sample(kind.subjects, rng.randint(1, 3))
        for place, subject in enumerate(subjects):
            draft = _Draft.of(kind, subject, parts, rng)
            if place:
                yield rng.choice(_phrases("others")).format(other=subject[0]), draft.whole(rng)
            elif rng.random() < 0.25:
                yield f"{rng.choice(_phrases('rewrites'))}\n\n{draft.notes(rng)}", draft.whole(rng)
            else:
                yield draft.order(rng), draft.whole(rng)
            yield from draft.revisions(rng)


@dataclass(frozen=True, slots=True)
class _Draft:
    """One piece in its present wording: chosen sentences by section, and those held back."""

    kind: TaskKind
    values: Mapping[str, str]
    sections: tuple[Section, ...]
    held: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, kind: TaskKind, subject: Sequence[str], parts: int, rng: Random) -> _Draft:
        values = dict(zip(kind.gaps, subject, strict=True))
        count = min(parts, len(kind.sections))
        chosen = sorted(rng.sample(range(len(kind.sections)), count))
        sections, held = [], []
        for place in chosen:
            section = kind.sections[place]
            lines = [_sentence(line, values, rng) for line in section.lines]
            used = sorted(rng.sample(range(len(lines)), max(2, len(lines) - rng.randint(0, 2))))
            sections.append(Section(section.heading, tuple(lines[number] for number in used)))
            held.append(tuple(line for number, line in enumerate(lines) if number not in used))
        return cls(kind, values, tuple(sections), tuple(held))

    def order(self, rng: Random) -> str:
        request = _sentence(rng.choice(self.kind.orders), self.values, rng)
        if len(self.sections) > 2:
            return request
        return f"{request} For now only “{'” and “'.join(section.heading for section in self.sections)}”."

    def notes(self, rng: Random) -> str:
        """The sentences without order and headings, like jotted notes."""
        lines = [line for section in self.sections for line in section.lines]
        return " ".join(rng.sample(lines, len(lines)))

    def whole(self, rng: Random) -> str:
        shape = rng.choice(("## {}\n{}", "**{}**\n{}", "{}\n{}"))
        bullets = rng.random() < 0.4
        body = [shape.format(section.heading, _lines(section.lines, bullets)) for section in self.sections]
        return "\n\n".join(filter(None, (rng.choice(_phrases("leads")), *body, rng.choice(_phrases("closings")))))

    def revisions(self, rng: Random) -> Iterator[tuple[str, str]]:
        """Some of the things people ask for when a draft is there."""
        ways = [self._detail, self._shorter, self._table, self._questions, self._further]
        for way in rng.sample(ways, rng.randint(1, 3)):
            yield from way(rng)

    def _detail(self, rng: Random) -> Iterator[tuple[str, str]]:
        place = rng.randrange(len(self.sections))
        section = self.sections[place]
        whole = " ".join((*section.lines, *self.held[place]))
        yield rng.choice(_phrases("details")).format(part=section.heading), f"{section.heading}\n\n{whole}"

    def _shorter(self, rng: Random) -> Iterator[tuple[str, str]]:
        lines = [f"{section.heading}: {section.lines[0]}" for section in self.sections]
        yield rng.choice(_phrases("shorter")), "\n".join(lines)

    def _table(self, rng: Random) -> Iterator[tuple[str, str]]:
        rows = [f"| {section.heading} | {' '.join(section.lines[:2])} |" for section in self.sections]
        yield rng.choice(_phrases("tables")), "\n".join(["| Part | Content |", "| --- | --- |", *rows])

    def _questions(self, rng: Random) -> Iterator[tuple[str, str]]:
        lines = [line for section in self.sections for line in section.lines]
        doubts = _phrases("doubts")
        picked = rng.sample(lines, min(3, len(lines)))
        questions = [f"{number}. “{line}” {doubts[number % len(doubts)]}" for number, line in enumerate(picked, 1)]
        yield rng.choice(_phrases("questions")), "\n".join([rng.choice(_phrases("question_leads")), *questions])

    def _further(self, rng: Random) -> Iterator[tuple[str, str]]:
        rest = [" ".join(lines) for lines in self.held if lines]
        if rest:
            yield rng.choice(_phrases("further")), "\n\n".join(rest)


def _lines(lines: Sequence[str], bullets: bool) -> str:
    return "\n".join(f"- {line}" for line in lines) if bullets else " ".join(lines)


def _sentence(template: str, values: Mapping[str, str], rng: Random) -> str:
    text = draw(template, rng, known=values)
    return text[:1].upper() + text[1:]


def _phrases(kind: str) -> tuple[str, ...]:
    return lists(PACKAGE, "task_phrases")[kind]
