"""Sentences as a model reads them: their kind, what they are one of, what they hang on and what they change.

What the model says is added to what the rules say of a sentence; the sentence itself stays as it was said. Nothing in
a reply is taken on trust: sentences and numbers that were not shown are left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from memtriage.systems.designs.mosaic.prompts import KINDS
from memtriage.systems.designs.mosaic.statements import Annotation, Statement, stems, thing
from memtriage.systems.designs.replies import line, lines, number, records
from memtriage.systems.designs.rules.dates import day

EARLIER, LONGEST = 12, 200
"""How many earlier sentences the model is shown, and how many letters of each sentence."""
KNOWN = 60
"""How many nouns in use it is shown."""
MOST_WORDS = 60
"""Letters of a noun or a value; what is longer is none."""


@dataclass(slots=True)
class Shown:
    """The sentences that a model is shown under numbers: `places` are where they are kept, oldest first."""

    earlier: Sequence[tuple[str, str]]
    said: Sequence[tuple[str, str, str]]
    """Of each sentence its place, its day and its text."""
    faults: Counter[str] = field(default_factory=Counter)

    def as_earlier(self) -> list[dict[str, Any]]:
        return [{"n": n, "text": text[:LONGEST]} for n, (_, text) in enumerate(self.earlier, 1)]

    def as_said(self) -> list[dict[str, Any]]:
        numbered = enumerate(self.said, len(self.earlier) + 1)
        return [
            {"day": at, "sentences": [{"n": n, "text": text[: 3 * LONGEST]} for n, (_, _, text) in some]}
            for at, some in groupby(numbered, key=lambda each: each[1][1])
        ]

    def read(self, reply: Mapping[str, Any]) -> dict[str, Annotation]:
        """What a reply says of the sentences, by their places."""
        places = [place for place, *_ in (*self.earlier, *self.said)]
        found: dict[str, Annotation] = {}
        for record in records(reply, "statements"):
            n, kind = number(record, "n", len(places)), record.get("kind")
            category = _noun(line(record, "category"))
            if n is None or n <= len(self.earlier) or kind not in KINDS or not category:
                self.faults["statements of the model that fit no sentence"] += 1
                continue
            found.setdefault(
                places[n - 1],
                Annotation(
                    kind,
                    category,
                    _subject(line(record, "subject")),
                    line(record, "value")[: 3 * MOST_WORDS],
                    date if day(date := line(record, "date")) else "",
                    tuple(noun for each in lines(record, "hangs_on", 6) if (noun := _noun(each)) and noun != category),
                    tuple(places[other - 1] for other in self._before(record, n)),
                ),
            )
        return found

    def _before(self, record: Mapping[str, Any], n: int) -> list[int]:
        """The numbers of what a sentence changes: only what was said before it can be meant."""
        listed = record.get("changes")
        named = listed if isinstance(listed, list) else []
        kept = [other for each in named if (other := number({"it": each}, "it", n - 1)) is not None]
        self.faults["numbers that the model made up"] += len(named) - len(kept)
        return list(dict.fromkeys(kept))


def annotated(statement: Statement, told: Annotation, changes: Sequence[int]) -> Statement:
    """A statement with what a model says of it; `changes` are the numbers of those that it changes."""
    own = thing(told.category, told.subject)
    words, value = frozenset(stems(told.category)), frozenset(stems(told.value))
    clauses = tuple(frozenset((thing(noun),)) for noun in told.hangs_on)
    if not clauses and statement.kind == told.kind:
        clauses = statement.clauses
    kind = told.kind if clauses or told.kind not in ("rule", "tie") else "state"
    return replace(
        statement,
        kind=kind,
        stems=(*statement.stems, own),
        about=words | value | {own},
        clauses=clauses,
        names=statement.names | value,
        voids=frozenset(statement.stems) if kind in ("forget", "retraction") else frozenset(),
        news=kind == "change",
        leading=True,
        told=told,
        changes=tuple(changes),
    )


_SELF = re.compile(r"(?:the )?(?:user|speaker|me|i|self)?", re.IGNORECASE)


def _subject(text: str) -> str:
    return "" if _SELF.fullmatch(text) else text[:MOST_WORDS]


def _noun(text: str) -> str:
    return text.lower() if stems(text) and len(text) <= MOST_WORDS else ""
