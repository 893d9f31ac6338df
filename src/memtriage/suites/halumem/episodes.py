"""From a user to an episode: dated sessions, points that each should leave behind, and questions along the way.

Points are told in the third person, so several facts stand for one: the point as it is written, without the user's
name, and the words of the user (for interference, of the assistant) in which it was said. The file doesn't say which
words these are. They are looked up: the message of the session that shares most with the point, if that is at least
half of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from memtriage.core.episode import Episode, Fact, Outdated, Point, Probe, Session, Turn
from memtriage.core.rubric import JUDGED_AS
from memtriage.suites.halumem.reading import BOUNDARY, SUITE, Asked, Kept, Sitting, User
from memtriage.suites.kit.evidence import Sought, likeliest, told_by
from memtriage.suites.kit.phrases import TRIM
from memtriage.text.words import words

TASK = f"{SUITE}/qa"
UNTOLD = f"{SUITE}/untold"
"""The rubric of questions about something that was never told."""

INSTRUCTION = (
    "Answer in one short sentence. If the question takes something for granted that isn't so, say what is so. If "
    "nothing that is remembered tells it, say that you don't know."
)
"""What the answering model is told with every question: the same for all, as the kind of a question is no input."""

_SHARED = 0.5
"""A message tells a point if it has this share of its words."""

_CANDIDATES = 2
"""So many messages of a session are looked at closely."""

_MOST_SETS = 64
"""With more ways to combine wordings of points, only all of one kind or all of another count."""


def episode(user: User) -> tuple[Episode, list[str]]:
    """The episode of a user, and what is odd about it."""
    laid = _Laid(user)
    return laid.episode(), laid.remarks


class _Laid:
    """A user's sessions on their way to an episode."""

    def __init__(self, user: User) -> None:
        self._user = user
        self._facts: dict[str, Fact] = {}
        self._known: dict[str, Point] = {}  # the latest point with a text
        self.remarks: list[str] = []

    def episode(self) -> Episode:
        sessions: list[Session] = []
        probes: list[Probe] = []
        for sitting in self._user.sittings:
            if sitting.said:
                turns = [Turn(role, text, f"{_id(sitting)}/{n}") for n, (role, text) in enumerate(sitting.said)]
                sessions.append(Session(_id(sitting), tuple(turns), sitting.start))
                self._keep(sitting)
            for asked in sitting.asked:
                if sessions:
                    probes.append(self._probe(sitting, asked, sessions[-1].id))
                else:
                    self.remarks.append(f"{self._user.id}, session {sitting.number}: it asks before anything was said")
        return Episode(self._user.id, TASK, tuple(sessions), tuple(self._facts.values()), tuple(probes))

    def _keep(self, sitting: Sitting) -> None:
        stems = [frozenset(words(said.text).stems) for said in sitting.said]
        for number, kept in enumerate(sitting.kept):
            id = f"{_id(sitting)}/p{number}"
            said = _said(id, kept, sitting, stems, self._user.name)
            also = tuple(f for f in _also(id, kept.text, self._user.name) if not said or f.text != said.text)
            self._facts |= {fact.id: fact for fact in also}
            if said:
                self._facts[said.id] = said
            point = Point(
                id,
                kept.text,
                (),  # no turn says it in these words
                (kept.text.strip(TRIM),),
                session=_id(sitting),
                kind=kept.kind,
                importance=kept.importance,
                said=said.id if said else "",
                also=tuple(fact.id for fact in also),
                replaces=kept.replaces,
                wanted=kept.wanted,
            )
            self._facts[id] = point
            if kept.wanted:
                self._known[kept.text] = point

    def _probe(self, sitting: Sitting, asked: Asked, after: str) -> Probe:
        points = [point for text in asked.evidence if (point := self._known.get(text))]
        if len(points) < len(asked.evidence):
            self.remarks.append(
                f"{self._user.id}, session {sitting.number}, question {asked.index}: "
                f"{len(asked.evidence) - len(points)} of its evidence is no memory point so far"
            )
        whole = len(points) == len(asked.evidence) and all(point.said for point in points)
        return Probe(
            id=f"{self._user.id}/{_id(sitting)}/q{asked.index}",
            text=asked.text,
            gold=asked.answer,
            sufficient=tuple(_sets(points)) if whole and points else (),
            scoring="abstain" if asked.kind == BOUNDARY else "free",
            after=after,
            cluster=self._user.id,
            tags={
                "type": asked.kind,
                **({"difficulty": asked.difficulty} if asked.difficulty else {}),
                **({JUDGED_AS: UNTOLD} if asked.kind == BOUNDARY else {}),
            },
            outdated=tuple(self._outdated(points)) if whole else (),
            asked_at=sitting.end,
            targets=tuple(dict.fromkeys(t for p in points if p.said for t in self._facts[p.said].turns)),
            instruction=INSTRUCTION,
        )

    def _outdated(self, points: Sequence[Point]) -> Iterator[Outdated]:
        """What the points took the place of, as far as it was told here."""
        for new in points:
            for old in filter(None, map(self._known.get, new.replaces)):
                if old is not new and old not in points:
                    yield from (Outdated(id, new.wordings) for id in old.wordings)


def _id(sitting: Sitting) -> str:
    return f"s{sitting.number}"


def _sets(points: Sequence[Point]) -> Iterator[tuple[str, ...]]:
    """The sets of facts that are enough: of each point, any of its wordings."""
    wordings = [point.wordings for point in points]
    if prod(map(len, wordings)) <= _MOST_SETS:
        yield from product(*wordings)
    else:
        yield tuple(point.said for point in points)
        yield tuple(point.id for point in points)
        yield tuple(point.wordings[-1] for point in points)


def _also(id: str, text: str, name: str) -> Iterator[Fact]:
    """A point without the name of the user: memories call them so, or "the user", or nothing at all."""
    own = _in_first_person(text, name)
    if own != text:
        yield Fact(f"{id}/own", own, (), (own.strip(TRIM),))


def _said(id: str, kept: Kept, sitting: Sitting, stems: Sequence[frozenset[str]], name: str) -> Fact | None:
    """The words in which a point was told; None if no message has enough of them.

    The user's name tells nothing. Every word of the sentences counts: the file names no details, and a phrase that
    point and message share may be all but the word that matters.
    """
    side = "user" if kept.wanted else "assistant"
    sought = _without(kept.text, name)
    wanted = frozenset(words(sought).stems)
    own = [n for n, said in enumerate(sitting.said) if said.role == side]
    near = sorted(own, key=lambda n: -len(wanted & stems[n]))[:_CANDIDATES]
    near = [n for n in near if len(wanted & stems[n]) >= _SHARED * len(wanted)]
    if not near or not wanted:
        return None
    asked = Sought(sought, sought)
    best = near[likeliest([sitting.said[n].text for n in near], asked)]
    fact = told_by(sitting.said[best].text, asked).fact(f"{id}/said", f"{_id(sitting)}/{best}")
    return replace(fact, details=tuple(text.strip(TRIM) for text in fact.evidence))


def _in_first_person(text: str, name: str) -> str:
    """A point as if the user told it, whom memories call by their name or not.

    >>> _in_first_person("Odile Baptiste feeds Odile's heron.", "Odile Baptiste")
    'I feeds my heron.'
    """
    return _named(name).sub(lambda found: "my " if found[1] else "I ", text) if name else text


def _without(text: str, name: str) -> str:
    """A text without a name, whole or in parts.

    >>> _without("Odile Baptiste's heron knows Odile.", "Odile Baptiste")
    'heron knows .'
    """
    return _named(name).sub("", text) if name else text


def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, [name, *name.split()]))})(['’]s)?(?!\w)\s*")
