"""Reads LoCoMo's file: conversations with their sessions, and questions with the turns they rest on.

What is wrong with a part of the file is reported with its place, and the rest is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.suites.kit.dates import parse_date
from memtriage.suites.locomo.conversation import ADVERSARIAL, CATEGORIES, Conversation, Question, Said, Sitting

FILE = "locomo10.json"
_SESSION = re.compile(r"session_(\d{1,6})")
_TURN = re.compile(r"D\s*:?\s*(\d{1,6})\s*:\s*(\d{1,6})")
"""A turn as evidence names it; some have a colon too many, or a zero before the number."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file in LoCoMo's layout: its name, whose it is, and how to come by one."""

    file: str
    whose: str
    remedy: str

    def find(self, data: Path) -> Path:
        """The file that a path names: itself, or the one in its folder."""
        if not data.exists():
            raise BadInput(f"{data} does not exist; give {self.file} or its folder ({self.remedy})")
        if not data.is_dir():
            return data
        if (data / self.file).is_file():
            return data / self.file
        raise BadInput(f"{data} has no {self.file}; {self.remedy}")


LOCOMO = Source(FILE, "LoCoMo", "memtriage data pull locomo downloads it")


def turns_named(text: str) -> tuple[str, ...]:
    """The turns that a text names, each once.

    >>> turns_named("D8:6; D9:17"), turns_named("D:11:26 D30:05"), turns_named("D")
    (('D8:6', 'D9:17'), ('D11:26', 'D30:5'), ())
    """
    return tuple(dict.fromkeys(f"D{int(a)}:{int(b)}" for a, b in _TURN.findall(text)))


@dataclass(slots=True)
class Reader:
    """Reads one file; `problems` fills up while the conversations are read."""

    path: Path
    source: Source = LOCOMO
    problems: list[str] = field(default_factory=list)

    def conversations(self) -> Iterator[Conversation]:
        """The conversations that can be used, in the order of the file."""
        seen: set[str] = set()
        for number, sample in enumerate(self._samples(), start=1):
            try:
                found = self._conversation(number, sample)
                if found.id in seen:
                    raise BadInput(f"{self.path}, sample {number}: {found.id!r} stands in the file twice")
            except BadInput as error:
                self.problems.append(f"{error}; it was left out")
                continue
            seen.add(found.id)
            yield found
        if not seen:
            raise BadInput("\n".join(self.problems[:5]) or f"{self.path} holds no conversations; {self.source.remedy}")

    def _samples(self) -> list[Any]:
        try:
            found = loads(read_text(self.path))
        except BadJson as error:
            raise BadInput(f"{self.path} is no JSON: {error}; {self.source.remedy}") from error
        if isinstance(found, Mapping) and "conversation" in found:  # one conversation by itself
            return [found]
        if not isinstance(found, list):
            wanted = f"{self.source.whose}'s {self.source.file} ({self.source.remedy})"
            raise BadInput(f"{self.path} is no list of conversations; give {wanted}")
        return found

    def _conversation(self, number: int, sample: Any) -> Conversation:
        where = f"{self.path}, sample {number}"
        talk = sample.get("conversation") if isinstance(sample, Mapping) else None
        if not isinstance(talk, Mapping):
            raise BadInput(f"{where}: it has no conversation")
        id = _text(sample.get("sample_id")) or f"conversation-{number}"
        where = f"{where} ({id})"
        speakers = _text(talk.get("speaker_a")), _text(talk.get("speaker_b"))
        if not all(speakers) or speakers[0] == speakers[1]:
            raise BadInput(
                f"{where}: speaker_a and speaker_b must name two people, not {speakers[0]!r} and {speakers[1]!r}"
            )
        numbers = sorted(int(found[1]) for key in talk if (found := _SESSION.fullmatch(str(key))))
        sittings = tuple(one for n in numbers if (one := self._sitting(where, n, talk, speakers)) is not None)
        if not sittings:
            raise BadInput(f"{where}: its conversation has no session_1, session_2, … in which something is said")
        dates = [sitting.at for sitting in sittings if sitting.at is not None]
        if dates != sorted(dates):
            self.problems.append(
                f"{where}: its sessions are not in order of time; they are told in the order of their numbers"
            )
        asked = sample.get("qa")
        if not isinstance(asked, list):
            raise BadInput(f"{where}: its qa is no list of questions")
        known = {said.id for sitting in sittings for said in sitting.said}
        rows = (self.question(f"{where}, question {index}", index, row, known) for index, row in enumerate(asked))
        questions = tuple(question for question in rows if question is not None)
        if not questions:
            raise BadInput(f"{where}: it has no questions")
        return Conversation(id, speakers, sittings, questions)

    def _sitting(self, where: str, n: int, talk: Mapping[str, Any], speakers: tuple[str, str]) -> Sitting | None:
        where = f"{where}, session_{n}"
        rows = talk[f"session_{n}"]
        if not isinstance(rows, list):
            raise BadInput(f"{where}: it is no list of turns")
        said: dict[str, Said] = {}
        for i, row in enumerate(rows, start=1):
            if not isinstance(row, Mapping):
                raise BadInput(f"{where}, turn {i}: it is no object with speaker and text")
            speaker, text, caption = (_text(row.get(key)) for key in ("speaker", "text", "blip_caption"))
            if speaker not in speakers:
                raise BadInput(f"{where}, turn {i}: the speaker {speaker!r} is neither {speakers[0]} nor {speakers[1]}")
            (id,) = turns_named(_text(row.get("dia_id")))[:1] or (f"D{n}:{i}",)
            if id in said or not id.startswith(f"D{n}:"):
                raise BadInput(f"{where}, turn {i}: its dia_id {id} is that of another turn or session")
            if text or caption:
                said[id] = Said(id, speaker, text, caption)
        at = parse_date(talk.get(f"session_{n}_date_time"))
        if said and at is None:
            self.problems.append(f"{where}: its date can't be read; it has none")
        return Sitting(n, at, tuple(said.values())) if said else None

    def question(self, where: str, index: int, row: Any, known: set[str]) -> Question | None:
        text = _text(row.get("question")) if isinstance(row, Mapping) else ""
        category = row.get("category") if isinstance(row, Mapping) else None
        answer = _text(row.get("answer")) if isinstance(row, Mapping) else ""
        if not text:
            problem = "it has no question"
        elif not isinstance(category, int) or category not in CATEGORIES:
            problem = f"its category is {category!r}, not one of 1 to {len(CATEGORIES)}"
        elif not answer and category != ADVERSARIAL:
            problem = "it has no answer"
        else:
            listed = row.get("evidence")
            cited = " ".join(map(_text, listed)) if isinstance(listed, list) else _text(listed)
            named = turns_named(cited)
            strangers = *(turn for turn in named if turn not in known), *_TURN.sub(" ", cited).replace(";", " ").split()
            return Question(index, text, category, answer, tuple(t for t in named if t in known), cited, strangers)
        self.problems.append(f"{where}: {problem}; it was left out")
        return None


def _text(value: object) -> str:
    """A value as text; numbers are written out, anything else is none."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def remarks(talk: Conversation, questions: Iterable[Question]) -> Iterator[str]:
    """What is odd about questions that are used all the same."""
    for question in questions:
        if question.strangers:
            named = ", ".join(question.strangers)[:80]
            yield f"question {talk.question_id(question)}: its evidence names {named!r}, which is no turn"
