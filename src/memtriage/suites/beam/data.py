"""BEAM's data files: chats generated in the released layout, and the released ones, downloaded and checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Problem, Step
from memtriage.suites.beam.episodes import episode
from memtriage.suites.beam.generate.chat import SIZES, GeneratedChat, generated
from memtriage.suites.beam.question import ABILITIES, SUITE, TASK, Question
from memtriage.suites.beam.reading import ASKED, CHATS, find_chats
from memtriage.suites.kit.datasets import write_data_file, write_file
from memtriage.suites.kit.hub import Downloaded
from memtriage.suites.kit.options import splits_of
from memtriage.suites.kit.pull import Pull, Terms, byte_progress, dataset, must_be
from memtriage.suites.kit.shortcuts import guessable
from memtriage.suites.kit.unwritten import Unwritten

FILES = {
    size: (f"Mohammadta/BEAM{'-10M' if size == '10M' else ''}", f"data/{size}-00000-of-00001.parquet") for size in SIZES
}
"""Where each size is served: the datasets that the authors name, and the places that such files usually have."""


class BEAMFiles(Unwritten):
    """BEAM's files: a folder for each chat, or a parquet file for each size."""

    def generate(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        chats = generated(seed, rows, options or {})
        return [path for chat in chats for path in _write(chat, len(chats), out / str(chat.number + 1), step)]

    def validate(self, path: Path) -> Iterator[Checked]:
        problems: list[str] = []
        probes: list[Probe] = []
        rows = 0
        try:
            for chat in find_chats(path, None, problems):
                try:
                    probes += episode(chat, problems).probes
                    rows += 1
                except BadInput as error:
                    problems.append(str(error))
        except BadInput as error:
            problems.append(str(error))
        found = [Problem(text, "which is not in the chat" not in text) for text in problems]
        yield Checked(TASK, path, rows, (*found, *guessable(probes)))

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        terms, rest = Terms.of(options)
        for size in splits_of(rest, tuple(FILES), ("100K",), SUITE):
            name, served = FILES[size]
            pull = Pull(SUITE, dataset(name, endpoint), revision, out, byte_progress(step), terms)
            pull.fetch_each({served: f"{size}.parquet"}, _read)
        return out


def _read(file: Downloaded) -> dict[str, object]:
    """How many chats and questions a file has; all of it must be readable."""
    with must_be("a file of BEAM", file):
        problems: list[str] = []
        chats = questions = 0
        for chat in find_chats(file.path, None, problems):
            episode(chat, problems)
            chats, questions = chats + 1, questions + len(chat.asked)
        if not chats:
            raise BadInput("; ".join(problems[:3]) or "it holds no chat")
    return {"chats": chats, "questions": questions}


def _write(chat: GeneratedChat, of: int, folder: Path, step: Step) -> list[Path]:
    """One chat in the released layout, a session at a time; its questions come last, when the places are known."""
    places: dict[str, int] = {}

    def pieces() -> Iterator[bytes]:
        id = 0
        for number, part in enumerate(chat.parts(), start=1):
            if part.told is not None:
                places[part.told.id] = id
            messages: list[dict[str, object]] = []
            for role, text in part.talk:
                messages.append({"role": role, "id": id, "content": text})
                id += 1
            anchor = f"{part.at:%B-%d-%Y}"
            messages[0] |= {"question_type": "main_question", "time_anchor": anchor}
            for follow in messages[2::2]:
                follow["question_type"] = "followup_question"
            batch = {"batch_number": number, "time_anchor": anchor, "turns": [messages]}
            yield (b"[" if number == 1 else b",\n") + json.dumps(batch, ensure_ascii=False).encode()
            if part.told is not None:
                step(TASK, (chat.number + part.told.place) / of)
        yield b"]\n"

    about = {"seed": chat.seed, "number": chat.number, "tokens": chat.tokens}
    written = write_data_file(SUITE, folder / CHATS[-1], folder / "config.json", pieces(), about)
    asked = {
        ability: [_row(chat, q, places) for q in chat.plan.questions if q.ability == ability] for ability in ABILITIES
    }
    write_file(folder / ASKED, (json.dumps(asked, indent=1, ensure_ascii=False) + "\n").encode())
    return [*written, folder / ASKED]


def _row(chat: GeneratedChat, question: Question, places: Mapping[str, int]) -> dict[str, object]:
    told = {each.id: each for each in chat.plan.told}
    old = [each.fact for each in question.outdated]
    facts = [
        {
            "id": id,
            "text": told[id].text,
            "chat_id": places[id],
            "details": told[id].details,
            "subject": told[id].subject,
            "outdated": id in old,
        }
        for id in (*question.needed, *old)
    ]
    return {
        "question": question.text,
        "answer": question.gold,
        "rubric": question.nuggets,
        "source_chat_ids": [places[id] for id in question.needed],
        "facts": facts,
    }
