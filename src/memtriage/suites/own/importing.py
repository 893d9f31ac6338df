"""Makes suite files from other people's formats: LongMemEval, LoCoMo, and logs of ShareGPT, OpenAI and LangChain.

Benchmarks bring their questions along, with the sentences that matter found by alignment. Logs hold only what was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from itertools import islice
from pathlib import Path
from typing import Any

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, unknown
from memtriage.host.inputs import BadJson, input_lines, loads, read_text
from memtriage.suites.kit.datasets import write_file
from memtriage.suites.kit.dates import parse_date
from memtriage.suites.kit.evidence import Sought, told_by
from memtriage.suites.own.format import VERSION
from memtriage.suites.own.redacting import Redactor
from memtriage.suites.own.suite import suite_name
from memtriage.suites.own.writing import refuse_existing, written
from memtriage.text.words import words

_ROLES = {
    **dict.fromkeys(("user", "human", "humanmessage", "humanmessagechunk", "prompter"), "user"),
    **dict.fromkeys(("assistant", "gpt", "ai", "aimessage", "aimessagechunk", "chatgpt", "model", "bot"), "assistant"),
    **dict.fromkeys(("system", "developer", "systemmessage"), "system"),
    **dict.fromkeys(("tool", "function", "observation", "toolmessage", "functionmessage", "function_call"), "tool"),
}
_DATES = ("date", "timestamp", "created", "created_at", "create_time", "started_at")
_IDS = ("id", "conversation_id", "session_id", "thread_id")
_USERS = ("user_id", "user")
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d+)")
_DIALOGUE = re.compile(r"D\s*:?\s*(\d+)\s*:\s*(\d+)")


@dataclass(slots=True)
class Imported:
    """What was imported: the values of a suite file, and what had to be left out or changed."""

    values: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    @property
    def questions(self) -> int:
        return sum(len(store.get("questions", ())) for store in self.values["stores"])


def write_import(
    path: Path, source: str, out: Path, rows: int | None = None, redactor: Redactor | None = None
) -> Imported:
    """Read a file in somebody else's format, and write it as a suite file; redacted, if there is a redactor."""
    refuse_existing(out)
    imported = import_file(path, source, rows)
    if redactor is not None:
        imported.values["stores"] = redactor.stores(imported.values["stores"])
    write_file(out, written(out, imported.values))
    return imported


def import_file(path: Path, source: str, rows: int | None = None) -> Imported:
    """The stores of a file in somebody else's format; `rows` are the first so many entries or conversations."""
    if source not in SOURCES:
        raise BadInput(unknown("source", source, SOURCES))
    notes: list[str] = []
    stores = list(SOURCES[source](path, rows, notes))
    if not stores:
        raise BadInput("\n".join([f"{path} has nothing to import as {source}; is it the right file?", *notes[:5]]))
    return Imported({"memtriage": VERSION, "name": _free_name(path), "stores": stores}, notes)


def _free_name(path: Path) -> str:
    """A name after the file; not that of an installed suite, which a run would refuse."""
    name = suite_name(path)
    return f"my-{name}" if name in entry_points(group="memtriage.suites").names else name


# ------------------------------------------------------------------ LongMemEval


def _longmemeval(path: Path, rows: int | None, notes: list[str]) -> Iterator[dict[str, Any]]:
    from memtriage.suites.longmemeval.episodes import episode
    from memtriage.suites.longmemeval.released.complaints import Complaints
    from memtriage.suites.longmemeval.released.files import Entries
    from memtriage.suites.longmemeval.released.reading import QuestionReader

    complaints = Complaints(path)
    reader = QuestionReader(complaints)
    questions = (reader.question(number, entry) for number, entry in Entries(path, complaints.of_file, chats=True))
    for question in islice((question for question in questions if question is not None), rows):
        yield _store(episode(question, "s"))
    notes += complaints.lines()


def _store(episode: Episode) -> dict[str, Any]:
    """An episode with one probe as a store of a suite file."""
    (probe,) = episode.probes
    session_of = {turn.id: session.id for session in episode.sessions for turn in session.turns}
    needed = set(probe.needed)
    old = [outdated.fact for outdated in probe.outdated]
    facts = [
        {
            "id": fact.id,
            "evidence": list(fact.evidence),
            "details": list(fact.details),
            "session": session_of[fact.turns[0]],
            **({"replaces": old} if old and fact.id in needed else {}),
        }
        for fact in episode.facts
        if fact.id in needed or fact.id in old
    ]
    last = episode.sessions[-1].timestamp or ""
    return {
        "id": episode.id,
        "sessions": [
            {"id": session.id, "date": session.timestamp, "turns": [{turn.role: turn.text} for turn in session.turns]}
            for session in episode.sessions
        ],
        "facts": facts,
        "questions": [
            {
                "id": probe.id,
                "question": probe.text,
                "gold": probe.gold,
                "facts": [fact["id"] for fact in facts if fact["id"] in needed],
                "task": probe.task.partition("/")[2],
                # a few are dated before their history ends, and asked at its end all the same
                **({"date": probe.asked_at} if probe.asked_at and probe.asked_at >= last else {}),
                **({"scoring": "abstain"} if probe.scoring == "abstain" else {}),
            }
        ],
    }


# ------------------------------------------------------------------ LoCoMo


def _locomo(path: Path, rows: int | None, notes: list[str]) -> Iterator[dict[str, Any]]:
    found = _whole_json(path)
    samples = found if isinstance(found, list) else [found]
    for number, sample in enumerate(samples[:rows], start=1):
        where = f"{path}, sample {number}"
        talk = sample.get("conversation", sample) if isinstance(sample, Mapping) else None  # once it had no key
        if not isinstance(talk, Mapping):
            raise BadInput(f"{where}: it has no conversation; give LoCoMo's file, such as locomo10.json")
        yield _Sample(where, sample, talk, notes).store(number)


@dataclass(frozen=True, slots=True)
class _Sample:
    """One conversation of LoCoMo with its questions."""

    where: str
    sample: Mapping[str, Any]
    talk: Mapping[str, Any]
    notes: list[str]

    def store(self, number: int) -> dict[str, Any]:
        sessions = [self._session(n) for n in self._numbers()]
        if not sessions:
            raise BadInput(f"{self.where}: its conversation has no session_1, session_2, …; is it LoCoMo's file?")
        dated = all(session["date"] for session in sessions)
        if not dated:
            self.notes.append(f"{self.where}: not every session has a date that can be read; dates were left out")
        asked = self.sample.get("qa")
        questions = [
            self._question(n, one, sessions)
            for n, one in enumerate(asked if isinstance(asked, list) else (), start=1)
            if isinstance(one, Mapping) and str(one.get("question") or "").strip()
        ]
        return {
            "id": _id(self.sample.get("sample_id")) or f"conversation-{number}",
            "sessions": [
                {
                    "id": session["id"],
                    **({"date": session["date"]} if dated else {}),
                    "turns": [{turn["role"]: turn["text"]} for turn in session["turns"].values()],
                }
                for session in sessions
            ],
            "questions": questions,
        }

    def _numbers(self) -> list[int]:
        named = (_SESSION.fullmatch(str(key)) for key, value in self.talk.items() if value and isinstance(value, list))
        return sorted(int(match[1]) for match in named if match)

    def _session(self, n: int) -> dict[str, Any]:
        turns: dict[tuple[int, int], dict[str, str]] = {}
        for i, row in enumerate(self.talk[f"session_{n}"], start=1):
            if not isinstance(row, Mapping):
                raise BadInput(f"{self.where}, session_{n}, turn {i}: it is no object with speaker and text")
            speaker, text = str(row.get("speaker") or "").strip(), str(row.get("text") or "").strip()
            caption = str(row.get("blip_caption") or "").strip()
            said = " ".join(part for part in (text, f"[photo: {caption}]" if caption else "") if part)
            named = _DIALOGUE.fullmatch(str(row.get("dia_id") or "").strip())
            if said:
                role = "assistant" if speaker and speaker == str(self.talk.get("speaker_b")).strip() else "user"
                at = (int(named[1]), int(named[2])) if named else (n, i)
                turns[at] = {"role": role, "text": f"{speaker}: {said}" if speaker else said}
        if not turns:
            raise BadInput(f"{self.where}, session_{n}: nobody says anything in it")
        return {"id": f"session_{n}", "date": parse_date(self.talk.get(f"session_{n}_date_time")), "turns": turns}

    def _question(self, n: int, row: Mapping[str, Any], sessions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        category = row.get("category")
        kind = _CATEGORIES.get(category if isinstance(category, int) else 0, "questions")
        asked = str(row["question"]).strip()
        question = {"id": f"q{n}", "question": asked, "task": kind}
        answer = row.get("answer")
        if kind == "adversarial" or answer is None or not str(answer).strip():
            return {**question, "scoring": "abstain"}
        named = row.get("evidence")
        listed = " ".join(map(str, named)) if isinstance(named, list) else str(named or "")
        marked = {(int(a), int(b)) for a, b in _DIALOGUE.findall(listed)}
        facts = list(_aligned(asked, str(answer), kind == "temporal", sessions, marked))
        if not facts:
            self.notes.append(
                f"{self.where}, question {n}: its evidence {listed[:60]!r} is in no turn; it has no facts"
            )
        return {**question, "gold": str(answer).strip(), **({"facts": facts} if facts else {})}


def _aligned(
    asked: str, answer: str, timed: bool, sessions: Sequence[Mapping[str, Any]], marked: set[tuple[int, int]]
) -> Iterator[dict[str, Any]]:
    """The facts of a question whose evidence is named by turn: the sentences that matter there, and their details."""
    wanted = Sought(asked, answer, timed)
    for session in sessions:
        for at, turn in session["turns"].items():
            if at in marked and words(turn["text"]).stems:
                told = told_by(turn["text"], wanted)
                yield {"evidence": list(told.texts), "details": list(told.details), "session": session["id"]}


# ------------------------------------------------------------------ logs


@dataclass(frozen=True, slots=True)
class _Log:
    """A format of logs: where a conversation keeps its messages."""

    source: str
    messages: tuple[str, ...]

    def __call__(self, path: Path, rows: int | None, notes: list[str]) -> Iterator[dict[str, Any]]:
        """A store for each user that the log names, or one with all conversations as its sessions."""
        stores: dict[str, list[dict[str, Any]]] = {}
        skipped = 0
        for where, record in islice(self._records(path), rows):
            messages, about = self._conversation(record, where)
            turns = [
                turn for n, message in enumerate(messages, start=1) if (turn := _turn(message, f"{where}, message {n}"))
            ]
            skipped += len(messages) - len(turns)
            if turns:
                user = next((_id(about[key]) for key in _USERS if _id(about.get(key))), "")
                id = next((_id(about[key]) for key in _IDS if _id(about.get(key))), "")
                at = next((date for key in _DATES if (date := parse_date(about.get(key)))), None)
                stores.setdefault(user, []).append({"id": id, "date": at, "turns": turns})
        if skipped:
            notes.append(f"{path}: {skipped} messages without text (calls of tools, pictures) were left out")
        for user, sessions in stores.items():
            yield {**({"id": user} if user else {}), "sessions": _in_order(sessions, f"{path}: {user or 'it'}", notes)}

    def _records(self, path: Path) -> Iterator[tuple[str, Any]]:
        """The conversations of a file: JSON lines, a list of them, or a single one."""
        if path.suffix.lower() in (".jsonl", ".ndjson"):
            messages = []
            number = 0
            for number, line in input_lines(path):
                where = f"{path}, line {number}"
                try:
                    record = loads(line)
                except BadJson as error:
                    raise BadInput(f"{where}: not JSON: {error}; write a conversation on each line") from error
                if _is_message(record):
                    messages.append(record)
                else:
                    yield where, record
            if not number:
                raise _empty(path)
            if messages:  # a line for each message: together they are one conversation
                yield str(path), messages
            return
        found = _whole_json(path)
        if isinstance(found, list) and found and not all(map(_is_message, found)):
            yield from ((f"{path}, conversation {n}", record) for n, record in enumerate(found, start=1))
        else:
            yield str(path), found

    def _conversation(self, record: Any, where: str) -> tuple[list[Any], Mapping[str, Any]]:
        """The messages of a conversation, and what else is said of it."""
        if isinstance(record, list):
            return record, {}
        if isinstance(record, Mapping):
            if self.source == "openai" and isinstance(record.get("mapping"), Mapping):
                return _exported(record), record
            body = record.get("body") if self.source == "openai" else None
            holder = body if isinstance(body, Mapping) else record
            for key in self.messages:
                if isinstance(holder.get(key), list):
                    return holder[key], record
        keys = " or ".join(self.messages)
        others = [name for name in ("sharegpt", "openai", "langchain") if name != self.source]
        raise BadInput(
            f"{where}: no list of messages ({keys}); is it {self.source}? Else try --from {' or '.join(others)}"
        )


def _exported(record: Mapping[str, Any]) -> list[Any]:
    """The messages of a conversation as ChatGPT exports it: from its last message back to the first."""
    nodes, found = record["mapping"], []
    at, seen = record.get("current_node"), set()
    while isinstance(at, str) and at not in seen and isinstance(node := nodes.get(at), Mapping):
        seen.add(at)
        message = node.get("message")
        if isinstance(message, Mapping):
            author, content = message.get("author"), message.get("content")
            parts = content.get("parts") if isinstance(content, Mapping) else None
            role = author.get("role") if isinstance(author, Mapping) else None
            found.append({"role": role, "content": parts if isinstance(parts, list) else ""})
        at = node.get("parent")
    return found[::-1]


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and _role(value) is not None


def _role(message: Mapping[str, Any]) -> str | None:
    """Whose message it is; None if it doesn't say."""
    kind = message.get("id")  # LangChain's serialised objects end with the name of their class
    named = [
        message.get("role"),
        message.get("from"),
        message.get("type"),
        kind[-1] if isinstance(kind, list) and kind else 0,
    ]
    return next((_ROLES[one.lower()] for one in named if isinstance(one, str) and one.lower() in _ROLES), None)


def _turn(message: Any, where: str) -> dict[str, str] | None:
    """A message as a turn; None if it has no text."""
    role = _role(message) if isinstance(message, Mapping) else None
    if role is None:
        raise BadInput(
            f"{where}: it doesn't say whose it is; give it a role: {', '.join(sorted(set(_ROLES.values())))}"
        )
    inner = next((message[key] for key in ("data", "kwargs") if isinstance(message.get(key), Mapping)), message)
    text = next((_text(inner[key]) for key in ("content", "value", "text") if key in inner), "").strip()
    return {role: text} if text else None


def _text(content: Any) -> str:
    """The text of a message, whose content may be a list of parts."""
    if isinstance(content, list):
        return "\n".join(filter(None, map(_text, content)))
    if isinstance(content, Mapping):
        return (
            _text(content.get("text")) if content.get("type", "text") in ("text", "input_text", "output_text") else ""
        )
    return content if isinstance(content, str) else ""


def _in_order(sessions: list[dict[str, Any]], whose: str, notes: list[str]) -> list[dict[str, Any]]:
    """Sessions in order of time, with ids of their own; without dates unless all have one."""
    if all(session["date"] for session in sessions):
        sessions = sorted(sessions, key=lambda session: str(session["date"]))
    elif any(session["date"] for session in sessions):
        notes.append(f"{whose}: not every conversation has a date that can be read; dates were left out")
        sessions = [{**session, "date": None} for session in sessions]
    taken: set[str] = set()
    ordered = []
    for n, session in enumerate(sessions, start=1):
        id = session["id"] if session["id"] and session["id"] not in taken else f"s{n}"
        while id in taken:
            id += "+"
        taken.add(id)
        dated = {"date": session["date"]} if session["date"] else {}
        ordered.append({"id": id, **dated, "turns": session["turns"]})
    return ordered


def _id(value: object) -> str:
    """A value as an id; empty if it can't be one."""
    text = str(value).strip()[:200] if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if text.isprintable() else ""


def _empty(path: Path) -> BadInput:
    return BadInput(f"{path} is empty; give a file with conversations in it")


def _whole_json(path: Path) -> Any:
    text = read_text(path)
    if not text.strip():
        raise _empty(path)
    try:
        return loads(text)
    except BadJson as error:
        raise BadInput(f"{path} is not JSON: {error}; JSON lines end in .jsonl") from error


SOURCES: dict[str, Callable[[Path, int | None, list[str]], Iterator[dict[str, Any]]]] = {
    "longmemeval": _longmemeval,
    "locomo": _locomo,
    "sharegpt": _Log("sharegpt", ("conversations", "conversation", "items")),
    "openai": _Log("openai", ("messages", "input")),
    "langchain": _Log("langchain", ("messages", "history")),
}
"""The formats that can be imported, by name."""
