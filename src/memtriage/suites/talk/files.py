"""Talk's data files: LoCoMo's layout, with the phrases that answer each question beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Problem, Step
from memtriage.suites.kit.datasets import json_list, write_data_file
from memtriage.suites.kit.moments import written
from memtriage.suites.kit.options import count_of, refuse_unknown
from memtriage.suites.kit.unwritten import Unwritten
from memtriage.suites.locomo.conversation import ADVERSARIAL, Conversation, Question
from memtriage.suites.locomo.reading import Reader, Source
from memtriage.suites.talk.generate import conversation
from memtriage.suites.talk.layout import SUITE
from memtriage.suites.talk.plan import FEWEST, MOST
from memtriage.suites.talk.questions import Asked
from memtriage.suites.talk.validate import problems

ROWS = 10
"""Conversations, as many as LoCoMo has."""

TALK = Source("talk.json", "talk", "memtriage data generate talk writes one")
MADE_BY = {
    "sessions": f"how many sessions a conversation has, {FEWEST} to {MOST} (default 19 to 32, drawn)",
    "months": "over how many months they are spread (default: one session every six to ten days)",
}
"""The options of what is generated."""

_CONFIG = "generation_config.json"


def generated(rows: int, seed: int, options: Mapping[str, str]) -> Iterator[Conversation]:
    """So many conversations; each depends on the seed and its own number alone."""
    sessions, months = count_of(options, "sessions"), count_of(options, "months")
    if sessions is not None and not FEWEST <= sessions <= MOST:
        raise BadInput(f"sessions must be between {FEWEST} and {MOST}, not {sessions}")
    if months is not None and months > 10 * 12:
        raise BadInput(f"months must be at most 120, not {months}")
    return (conversation(seed, number, sessions, months) for number in range(rows))


class TalkReader(Reader):
    """Reads talk's file: LoCoMo's, and what answers each question."""

    def question(self, where: str, index: int, row: Any, known: set[str]) -> Question | None:
        found = super().question(where, index, row, known)
        if found is None:
            return None
        told = row.get("told", {})
        good = isinstance(told, dict) and all(
            turn in found.evidence and isinstance(each, list) and each and all(isinstance(x, str) and x for x in each)
            for turn, each in told.items()
        )
        if not good:
            self.problems.append(f"{where}: what is told is no list of phrases for each turn of its evidence; left out")
        phrases = {turn: tuple(each) for turn, each in told.items()} if good else {}
        misleading = row.get("adversarial_answer")
        same = {each.name: getattr(found, each.name) for each in fields(Question)}
        return Asked(**same, told=phrases, misleading=misleading if isinstance(misleading, str) else "")


def record_of(talk: Conversation) -> dict[str, Any]:
    """A conversation as it stands in a file."""
    record: dict[str, Any] = {"speaker_a": talk.speakers[0], "speaker_b": talk.speakers[1]}
    for sitting in talk.sittings:
        record[f"{sitting.id}_date_time"] = _released_date(sitting.at or "")
        record[sitting.id] = [
            {"speaker": said.speaker, "dia_id": said.id, "text": said.text}
            | ({"blip_caption": said.caption} if said.caption else {})
            for said in sitting.said
        ]
    return {"sample_id": talk.id, "conversation": record, "qa": [_asked_record(one) for one in talk.questions]}


def _asked_record(question: Question) -> dict[str, Any]:
    record: dict[str, Any] = {
        "question": question.text,
        "category": question.category,
        "evidence": list(question.evidence),
    }
    if question.category != ADVERSARIAL:
        record["answer"] = question.answer
    if isinstance(question, Asked):
        record |= {"told": question.told} if question.told else {}
        record |= {"adversarial_answer": question.misleading} if question.misleading else {}
    return record


def _released_date(iso: str) -> str:
    """A moment as LoCoMo writes it.

    >>> _released_date("2023-05-08T13:56")
    '1:56 pm on 8 May, 2023'
    """
    at = datetime.fromisoformat(iso)
    day, month, year = written(at.date()).split()
    return f"{at.hour % 12 or 12}:{at:%M} {'am' if at.hour < 12 else 'pm'} on {day} {month}, {year}"


class TalkFiles(Unwritten):
    """Talk's data file: one with all conversations, and what made it beside it."""

    def generate(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        chosen = dict(options or {})
        refuse_unknown(chosen, MADE_BY, f"{SUITE}'s data files")
        wanted = ROWS if rows is None else rows

        def stepping() -> Iterator[Conversation]:
            for done, talk in enumerate(generated(wanted, seed, chosen)):
                step(SUITE, done / wanted)
                yield talk

        config = {"conversations": wanted, "seed": seed, **chosen}
        paths = write_data_file(SUITE, out / TALK.file, out / _CONFIG, json_list(map(record_of, stepping())), config)
        step("done", 1.0)
        return paths

    def validate(self, path: Path) -> Iterator[Checked]:
        file = TALK.find(path)
        reader = TalkReader(file, TALK)
        talks: list[Conversation] = []
        found: list[Problem] = []
        try:
            for talk in reader.conversations():
                talks.append(talk)
            found = [Problem(f"{file}: {text}", severe) for text, severe in problems(talks)]
        except BadInput as error:
            reader.problems = [str(error)]
        yield Checked(f"{SUITE}/qa", file, len(talks), (*(Problem(text, True) for text in reader.problems), *found))

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        raise BadInput("talk has no released files: all of it is generated, with memtriage data generate talk")
