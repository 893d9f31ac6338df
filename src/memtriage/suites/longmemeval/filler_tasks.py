"""Chats in which an assistant is put to work: it drafts, expands, cuts, tabulates and rewrites pieces of text.

>>> from random import Random
>>> from itertools import islice
>>> order, draft = next(exchanges(Random(3), size=800))
>>> len(order) < len(draft)
True
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from memtriage.suites.kit.filler.topics import filled
from memtriage.suites.longmemeval.filler_task_pools import (
    CLOSINGS,
    CONTINUE,
    DETAILS,
    LEADS,
    OTHERS,
    QUESTION_LEADS,
    QUESTIONS,
    REWRITES,
    SHORTER,
    TABLES,
    TASKS,
)

_SECTION = 90
"""Roughly how many tokens a section of a draft has."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a piece of writing: its heading, and sentences it may consist of."""

    heading: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of piece that can be ordered on any of its subjects."""

    name: str
    slots: tuple[str, ...]
    subjects: tuple[tuple[str, ...], ...]
    orders: tuple[str, ...]
    sections: tuple[Section, ...]


@cache
def kinds() -> tuple[Kind, ...]:
    """The kinds of pieces there are.

    >>> len(kinds()) >= 10 and all(len(kind.subjects) > 6 for kind in kinds())
    True
    """
    whole = TASKS.replace("\n  ", " ")  # an indented line goes on with the one before
    return tuple(_kind(part.splitlines()) for part in re.split(r"^= ", whole, flags=re.MULTILINE)[1:])


def exchanges(rng: Random, size: int) -> Iterator[tuple[str, str]]:
    """Orders and what the assistant delivers, on and on; `size` (in tokens) says how long the first piece may be."""
    parts = max(1, min(6, round(size / (2 * _SECTION))))
    while True:
        kind = rng.choice(kinds())
        subjects = rng.sample(kind.subjects, rng.randint(1, 3))
        for place, subject in enumerate(subjects):
            draft = _Draft.of(kind, subject, parts, rng)
            if place:
                yield rng.choice(OTHERS).format(other=subject[0]), draft.whole(rng)
            elif rng.random() < 0.25:
                yield f"{rng.choice(REWRITES)}\n\n{draft.notes(rng)}", draft.whole(rng)
            else:
                yield draft.order(rng), draft.whole(rng)
            yield from draft.revisions(rng)


@dataclass(frozen=True, slots=True)
class _Draft:
    """One piece in its present wording: chosen sentences by section, and those held back."""

    kind: Kind
    slots: Mapping[str, str]
    sections: tuple[Section, ...]
    held: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, kind: Kind, subject: Sequence[str], parts: int, rng: Random) -> _Draft:
        slots = dict(zip(kind.slots, subject, strict=True))
        count = min(parts, len(kind.sections))
        chosen = sorted(rng.sample(range(len(kind.sections)), count))
        sections, held = [], []
        for place in chosen:
            section = kind.sections[place]
            lines = [_sentence(line, slots, rng) for line in section.lines]
            used = sorted(rng.sample(range(len(lines)), max(2, len(lines) - rng.randint(0, 2))))
            sections.append(Section(section.heading, tuple(lines[number] for number in used)))
            held.append(tuple(line for number, line in enumerate(lines) if number not in used))
        return cls(kind, slots, tuple(sections), tuple(held))

    def order(self, rng: Random) -> str:
        asked = _sentence(rng.choice(self.kind.orders), self.slots, rng)
        if len(self.sections) > 2:
            return asked
        return f"{asked} For now only “{'” and “'.join(section.heading for section in self.sections)}”."

    def notes(self, rng: Random) -> str:
        """The sentences without order and headings, as somebody jots them down."""
        lines = [line for section in self.sections for line in section.lines]
        return " ".join(rng.sample(lines, len(lines)))

    def whole(self, rng: Random) -> str:
        shape = rng.choice(("## {}\n{}", "**{}**\n{}", "{}\n{}"))
        bullets = rng.random() < 0.4
        body = [shape.format(section.heading, _lines(section.lines, bullets)) for section in self.sections]
        return "\n\n".join(filter(None, (rng.choice(LEADS), *body, rng.choice(CLOSINGS))))

    def revisions(self, rng: Random) -> Iterator[tuple[str, str]]:
        """Some of the things people ask for when a draft is there."""
        ways = [self._detail, self._shorter, self._table, self._questions, self._further]
        for way in rng.sample(ways, rng.randint(1, 3)):
            yield from way(rng)

    def _detail(self, rng: Random) -> Iterator[tuple[str, str]]:
        place = rng.randrange(len(self.sections))
        section = self.sections[place]
        told = " ".join((*section.lines, *self.held[place]))
        yield rng.choice(DETAILS).format(part=section.heading), f"{section.heading}\n\n{told}"

    def _shorter(self, rng: Random) -> Iterator[tuple[str, str]]:
        lines = [f"{section.heading}: {section.lines[0]}" for section in self.sections]
        yield rng.choice(SHORTER), "\n".join(lines)

    def _table(self, rng: Random) -> Iterator[tuple[str, str]]:
        rows = [f"| {section.heading} | {' '.join(section.lines[:2])} |" for section in self.sections]
        yield rng.choice(TABLES), "\n".join(["| Part | Content |", "| --- | --- |", *rows])

    def _questions(self, rng: Random) -> Iterator[tuple[str, str]]:
        lines = [line for section in self.sections for line in section.lines]
        picked = rng.sample(lines, min(3, len(lines)))
        asked = [f"{number}. “{line}” {_DOUBTS[number % len(_DOUBTS)]}" for number, line in enumerate(picked, 1)]
        yield rng.choice(QUESTIONS), "\n".join([rng.choice(QUESTION_LEADS), *asked])

    def _further(self, rng: Random) -> Iterator[tuple[str, str]]:
        rest = [" ".join(lines) for lines in self.held if lines]
        if rest:
            yield rng.choice(CONTINUE), "\n\n".join(rest)


_DOUBTS = (
    "Who is meant to do it?",
    "Is there a figure behind it?",
    "A newcomer may read it differently.",
    "It may be worth an example.",
)


def _lines(lines: Sequence[str], bullets: bool) -> str:
    return "\n".join(f"- {line}" for line in lines) if bullets else " ".join(lines)


def _sentence(pattern: str, slots: Mapping[str, str], rng: Random) -> str:
    text = filled(pattern, slots, rng)
    return text[:1].upper() + text[1:]


def _kind(lines: Sequence[str]) -> Kind:
    def after(mark: str) -> Iterator[str]:
        return (line[2:] for line in lines if line.startswith(mark))

    sections: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("# "):
            sections.append((line[2:], []))
        elif line.startswith("* "):
            sections[-1][1].append(line[2:])
    return Kind(
        name=lines[0].strip(),
        slots=tuple(next(after(": ")).split()),
        subjects=tuple(tuple(line.split(" | ")) for line in after("- ")),
        orders=tuple(after("! ")),
        sections=tuple(Section(heading, tuple(told)) for heading, told in sections),
    )
