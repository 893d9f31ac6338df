"""Reads HaluMem's files: a user on each line, with sessions, what is to be kept of them, and questions.

What is wrong with a part of a line is reported with its place, and the rest is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, input_lines, loads
from memtriage.suites.kit.dates import parse_date

SUITE = "halumem"
SIZES = ("medium", "long")
FILES = {"medium": "HaluMem-Medium.jsonl", "long": "HaluMem-Long.jsonl"}
GET = f"memtriage data pull {SUITE} downloads it"

INTERFERENCE = "interference"
"""Where points come from that the assistant put forward and the user never confirmed."""

BOUNDARY = "Memory Boundary"
"""Questions about something that was never told."""


_NAME = re.compile(r"\bName:\s*([^;\n]{1,200})")


class Said(NamedTuple):
    """One turn of a session."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What should be kept of a session: its text, type, source and weight, and what it takes the place of."""

    text: str
    kind: str
    source: str
    importance: float
    replaces: tuple[str, ...] = ()

    @property
    def wanted(self) -> bool:
        return self.source != INTERFERENCE


@dataclass(frozen=True, slots=True)
class Asked:
    """A question after a session, with the points that answer it."""

    index: int
    text: str
    answer: str
    kind: str
    difficulty: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sitting:
    """One session: when it began and ended (ISO 8601, or None), what was said, what is to be kept, what is asked."""

    number: int
    start: str | None
    end: str | None
    said: tuple[Said, ...]
    kept: tuple[Kept, ...]
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class User:
    """A user, by what name points call them, and all sessions with them."""

    id: str
    name: str
    sittings: tuple[Sitting, ...]


def find(data: Path, size: str) -> Path:
    """The file that a path names: itself, or one in its folder (by default the first that is there)."""
    if not data.exists():
        raise BadInput(f"{data} does not exist; give {FILES['medium']} or its folder ({GET})")
    if not data.is_dir():
        return data
    for name in [FILES[size]] if size else FILES.values():
        if (data / name).is_file():
            return data / name
    raise BadInput(f"{data} has no {FILES[size or 'medium']}; {GET}")


@dataclass(slots=True)
class Reader:
    """Reads one file, a line at a time; `problems` fills up while users are read."""

    path: Path
    problems: list[str] = field(default_factory=list)

    def users(self) -> Iterator[User]:
        """The users that can be read, in the order of the file."""
        seen: set[str] = set()
        for number, line in input_lines(self.path):
            where = f"{self.path}, line {number}"
            try:
                user = self._user(where, line)
                if user.id in seen:
                    raise BadInput(f"{where}: the user {user.id!r} stands in the file twice")
            except BadInput as error:
                self.problems.append(f"{error}; it was left out")
                continue
            seen.add(user.id)
            yield user
        if not seen:
            raise BadInput("\n".join(self.problems[:5]) or f"{self.path} holds no users; {GET}")

    def _user(self, where: str, line: bytes) -> User:
        try:
            held = loads(line)
        except BadJson as error:
            raise BadInput(f"{where} is no JSON: {error}") from error
        sessions = held.get("sessions") if isinstance(held, Mapping) else None
        if not isinstance(sessions, list):
            raise BadInput(f"{where}: it is no user with a list of sessions; give a file of HaluMem ({GET})")
        id = _text(held.get("uuid")) or f"user-{where.rpartition(' ')[2]}"
        where = f"{where} ({id})"
        sittings = [self._sitting(f"{where}, session {n}", n, each) for n, each in enumerate(sessions)]
        if not any(sitting.said for sitting in sittings):
            raise BadInput(f"{where}: nothing is said in its sessions")
        named = _NAME.search(_text(held.get("persona_info")))
        return User(id, named[1].strip() if named else "", tuple(sittings))

    def _sitting(self, where: str, number: int, session: Any) -> Sitting:
        held = session if isinstance(session, Mapping) else {}
        if not held:
            self.problems.append(f"{where}: it is no object with a dialogue; it was left out")
        said = [
            Said("assistant" if turn.get("role") == "assistant" else "user", _text(turn.get("content")))
            for turn in _objects(held.get("dialogue"))
        ]
        start, end = parse_date(held.get("start_time")), parse_date(held.get("end_time"))
        if said and start is None:
            self.problems.append(f"{where}: its date can't be read; it has none")
        kept = [self._kept(f"{where}, point {n}", each) for n, each in enumerate(_objects(held.get("memory_points")))]
        asked = [
            self._asked(f"{where}, question {n}", n, each) for n, each in enumerate(_objects(held.get("questions")))
        ]
        return Sitting(
            number,
            start,
            end or start,
            tuple(each for each in said if each.text),
            tuple(each for each in kept if each is not None),
            tuple(each for each in asked if each is not None),
        )

    def _kept(self, where: str, point: Mapping[str, Any]) -> Kept | None:
        text, weight = _text(point.get("memory_content")), point.get("importance", 1.0)
        if not text:
            self.problems.append(f"{where}: it has no memory_content; it was left out")
            return None
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
            self.problems.append(
                f"{where}: its importance is {str(weight)[:20]!r}, not between 0 and 1; it counts as 1"
            )
            weight = 1.0
        old = point.get("original_memories")
        replaces = tuple(filter(None, map(_text, old))) if isinstance(old, list) else ()
        return Kept(
            text,
            _text(point.get("memory_type")) or "other",
            _text(point.get("memory_source")).lower(),
            float(weight),
            replaces if str(point.get("is_update")).lower() == "true" else (),
        )

    def _asked(self, where: str, index: int, row: Mapping[str, Any]) -> Asked | None:
        text, answer = _text(row.get("question")), _text(row.get("answer"))
        if not text or not answer:
            self.problems.append(f"{where}: it has no {'answer' if text else 'question'}; it was left out")
            return None
        evidence = tuple(filter(None, (_text(each.get("memory_content")) for each in _objects(row.get("evidence")))))
        kind, difficulty = _text(row.get("question_type")), _text(row.get("difficulty"))
        return Asked(index, text, answer, kind or "other", difficulty, evidence)


def _objects(listed: object) -> list[Mapping[str, Any]]:
    return [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []


def _text(value: object) -> str:
    """A value as text; numbers are written out, anything else is none."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
