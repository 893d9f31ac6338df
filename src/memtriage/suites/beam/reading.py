"""Finds and reads released chats: folders with `chat.json` and their questions, or parquet files with a chat a row.

A chat in a folder is read from its file whenever somebody goes through it; a row of a parquet file is in memory.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.suites.beam.question import ABILITIES, Ability
from memtriage.suites.kit.json_stream import innermost_objects
from memtriage.suites.kit.parquet_rows import parquet_rows

CHATS = ("chat_trunecated.json", "chat.json")
"""What the file of a chat is called; the shortened one, in the authors' spelling, is the one that they ask about."""

ASKED = Path("probing_questions") / "probing_questions.json"
SIZES = ("100K", "500K", "1M", "10M")
_GET = "memtriage data pull beam downloads them, and memtriage data generate beam makes others"
_LONGEST = 4_000_000
"""The most characters of a row's questions."""

_MARK = re.compile(r"\s*->->[\s\d.,/()NA]*$")
_GOLDS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
_TESTED = ("instruction_being_tested", "preference_being_tested")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a file has it: `sources` are the messages that it rests on, by what they are to it.

    `facts` are exact ones, which generated files have.
    """

    where: str
    ability: Ability
    text: str
    gold: str
    rubric: tuple[str, ...]
    sources: Mapping[str, tuple[int, ...]] = field(default_factory=dict, hash=False)
    rests_on: str = ""
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    facts: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)

    @property
    def wanted(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(id for ids in self.sources.values() for id in ids))


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat that can be gone through as often as needed, and what is asked about it."""

    id: str
    size: str
    path: Path
    messages: Callable[[], Iterable[Mapping[str, Any]]]
    asked: tuple[Asked, ...]

    def sessions(self) -> Iterator[Session]:
        """What the user brings up, with all that follows from it, is a session; its day is that of its batch."""
        day: str | None = None
        turns: list[Turn] = []
        last, shift = -1, 0
        for message in self.messages():
            if "role" not in message:
                continue
            role, text = message.get("role"), str(message.get("content") or "").strip()
            if "->->" in text:  # a mark of how the chat was made
                text = _MARK.sub("", text)
            id = message.get("id")
            if role not in ("user", "assistant") or not isinstance(id, int):
                raise BadInput(f"{self.path}: a message has the role {role!r} and the id {id!r}; is this BEAM's file?")
            begins = role == "user" and message.get("question_type") in (None, "main_question")
            if id + shift <= last:  # the chat of a further plan, which counts from 0 again
                shift, begins = last + 1 - id, True
            last = id + shift
            if begins and turns:
                yield Session(f"c{turns[0].id}", tuple(turns), day)
                turns = []
            day = anchor_day(_text(message.get("time_anchor"))) or day
            if text:
                turns.append(Turn(role, text, str(last)))
        if turns:
            yield Session(f"c{turns[0].id}", tuple(turns), day)


@lru_cache(maxsize=1 << 10)
def anchor_day(anchor: str | None) -> str | None:
    """The day that a time anchor names.

    >>> anchor_day("March-15-2024"), anchor_day("soon")
    ('2024-03-15', None)
    """
    try:
        return datetime.strptime(str(anchor).strip(), "%B-%d-%Y").date().isoformat() if anchor else None
    except ValueError:
        return None


def find_chats(data: Path, size: str | None, problems: list[str]) -> Iterator[Chat]:
    """The chats below a path, smallest first; one that can't be used is reported and left out."""
    if not data.exists():
        raise BadInput(f"{data} does not exist; give the folder of the chats ({_GET})")
    places = [place for place in _places(data) if size is None or _size(place) in (size, "")]
    if not places:
        of_size = f" of size {size}" if size else ""
        raise BadInput(f"{data} has no chat.json beside {ASKED}, and no parquet file{of_size}; {_GET}")
    for place in places:
        try:
            if place.suffix == ".parquet":
                yield from _rows(place, problems)
            else:
                yield _folder(place, problems)
        except BadInput as error:
            problems.append(f"{error}; it was left out")


def _places(data: Path) -> list[Path]:
    if not data.is_dir():
        return [data] if data.suffix == ".parquet" else [data.parent] if data.name in CHATS else []
    if (data / ASKED).is_file():
        return [data]
    found = [path.parent.parent for path in data.rglob(ASKED.name) if path.parent.name == ASKED.parent.name]
    return sorted((*found, *data.rglob("*.parquet")), key=_order)


def _order(place: Path) -> tuple[int, int, str]:
    size = _size(place)
    number = re.search(r"\d+", place.name)
    return (SIZES.index(size) if size else len(SIZES), int(number[0]) if number else 0, str(place))


def _size(place: Path) -> str:
    """The size that a path names: 10M in chats/10M/3 and in 10M-00000-of-00001.parquet."""
    parts = [part.upper() for part in (re.split(r"[-.]", place.name)[0], *reversed(place.parts))]
    return next((part for part in parts if part in SIZES), "")


def _folder(place: Path, problems: list[str]) -> Chat:
    path = next((place / name for name in CHATS if (place / name).is_file()), place / CHATS[-1])
    try:
        asked = loads(read_text(place / ASKED))
    except BadJson as error:
        raise BadInput(f"{place / ASKED} is no JSON: {error}") from error
    questions = tuple(_questions(str(place / ASKED), asked, problems))
    size = _size(place)
    return Chat(f"{size}/{place.name}" if size else place.name, size, path, partial(innermost_objects, path), questions)


def _rows(path: Path, problems: list[str]) -> Iterator[Chat]:
    columns = ("conversation_id", "chat", "probing_questions")
    for number, row in enumerate(parquet_rows(path, columns, "BEAM"), start=1):
        where = f"{path.name}, row {number}"
        try:
            asked = tuple(_questions(where, literal(row["probing_questions"], where), problems))
        except BadInput as error:
            problems.append(f"{error}; it was left out")
            continue
        size, id = _size(path), str(row["conversation_id"] or number)
        yield Chat(f"{size}/{id}" if size else id, size, path, partial(tuple, tuple(_flat(row["chat"]))), asked)


def literal(text: object, where: str) -> Any:
    """Questions as a row has them: JSON, or a Python literal, which is read as data and never run."""
    if not isinstance(text, str):
        return text
    if len(text) > _LONGEST:
        raise BadInput(f"{where}: its questions have {len(text):,} characters; is this BEAM's file?")
    try:
        return loads(text)
    except BadJson:
        pass
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise BadInput(
            f"{where}: its questions are neither JSON nor a Python literal: {type(error).__name__}"
        ) from error


def _flat(chat: object) -> Iterator[Mapping[str, Any]]:
    """The messages in whatever a column nests them: batches, turns, and plans, of which all but one are empty."""
    if isinstance(chat, Mapping):
        if "role" in chat and "content" in chat:
            yield chat
        else:
            for part in chat.values():
                yield from _flat(part)
    elif isinstance(chat, list):
        for part in chat:
            yield from _flat(part)


def _questions(where: str, asked: object, problems: list[str]) -> Iterator[Asked]:
    if not isinstance(asked, Mapping):
        raise BadInput(f"{where}: the questions are no object with lists of them by ability")
    for name in asked:
        if name not in ABILITIES:
            problems.append(f"{where}: {name!r} is none of the ten abilities; its questions were left out")
    found = 0
    for ability in ABILITIES:
        rows = asked.get(ability, [])
        for number, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
            place = f"{where}, {ability} {number}"
            try:
                yield _question(place, ability, row)
                found += 1
            except BadInput as error:
                problems.append(f"{error}; it was left out")
    if not found:
        raise BadInput(f"{where}: there is no question that can be used")


def _question(where: str, ability: Ability, row: object) -> Asked:
    if not isinstance(row, Mapping):
        raise BadInput(f"{where}: it is no object")
    text, gold = _text(row.get("question")), next((str(row[key]).strip() for key in _GOLDS if _text(row.get(key))), "")
    listed = row.get("rubric")
    rubric = tuple(map(_text, listed)) if isinstance(listed, list) else (_text(listed),)
    if not text or not any(rubric):
        raise BadInput(f"{where}: it has no {'rubric' if text else 'question'}")
    types = [_text(value) for key, value in row.items() if str(key).endswith("_type")]
    tags = {"difficulty": _text(row.get("difficulty")), "type": types[0] if types else ""}
    facts = row.get("facts")
    return Asked(
        where,
        ability,
        text,
        gold or "; ".join(rubric),
        tuple(filter(None, rubric)),
        _sources(row.get("source_chat_ids")),
        next((_text(row[key]) for key in _TESTED if _text(row.get(key))), ""),
        {name: value for name, value in tags.items() if value},
        tuple(cast("list[Mapping[str, Any]]", facts)) if isinstance(facts, list) else (),
    )


def _sources(cited: object) -> dict[str, tuple[int, ...]]:
    """The messages that a question cites, by what they are to it; a plain list cites them as one thing."""
    parts = cited if isinstance(cited, Mapping) else {"": cited}
    return {str(name): tuple(dict.fromkeys(_numbers(ids))) for name, ids in parts.items()}


def _numbers(ids: object) -> Iterator[int]:
    if isinstance(ids, list | tuple):
        for id in ids:
            yield from _numbers(id)
    elif isinstance(ids, int) and not isinstance(ids, bool):
        yield ids
    elif isinstance(ids, str) and ids.strip().isdecimal() and len(ids) < 12:
        yield int(ids)


def _text(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
