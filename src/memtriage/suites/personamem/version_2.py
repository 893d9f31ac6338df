"""Reads PersonaMem, version 2: a CSV file with a question in each row, and a history of each persona in a file.

A row brings along the chat that reveals a preference, so its messages are looked up in the history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.suites.kit.tables import Row, csv_rows, literal
from memtriage.suites.personamem.history import SUITE, History, Message, Question
from memtriage.suites.personamem.version_1 import messages_of

SIZES = ("32k", "128k")
BENCHMARK = "benchmark/text/benchmark.csv"
GET = f"memtriage data pull {SUITE} --split v2-32k downloads it"

SESSION = 20
FORGET = "ask_to_forget"
NEEDED = ("persona_id", "user_query", "correct_answer", "incorrect_answers", "preference")
_TAGS = {
    "pref_type": "type",
    "topic_query": "topic",
    "conversation_scenario": "scenario",
    "who": "who",
    "updated": "updated",
    "sensitive_info": "sensitive",
    "persona_id": "persona_id",
}


def find(data: Path) -> tuple[Path, Path]:
    """The table that a path names, and the folder from which its links to histories go out."""
    if not data.exists():
        raise BadInput(f"{data} does not exist; give the folder that has {BENCHMARK} ({GET})")
    if not data.is_dir():
        inside = data.parent.parts[-2:] == ("benchmark", "text")
        return data, data.parents[2] if inside and len(data.parents) > 2 else data.parent
    for table in (data / BENCHMARK, data / "benchmark.csv"):
        if table.is_file():
            return table, data
    if any(data.glob("questions_*.csv")):
        raise BadInput(f"{data} holds version 1; run it with --suite {SUITE}/v1")
    raise BadInput(f"{data} has no {BENCHMARK}; {GET}")


def linked(row: Row, size: str) -> str:
    """The history that a row names, as a path below the folder; empty where it names none that may be read."""
    path = PurePosixPath(row.get(f"chat_history_{size}_link", "").strip())
    inside = path.suffix == ".json" and not path.is_absolute() and not {"..", "~"} & set(path.parts)
    return path.as_posix() if inside and "\\" not in path.as_posix() and path.as_posix().isprintable() else ""


def read_chat(path: Path) -> tuple[Message, ...]:
    """The messages of a history's file."""
    try:
        held = loads(read_text(path))
    except BadJson as error:
        raise BadInput(f"{path} is no JSON: {error}") from error
    messages = messages_of(held.get("chat_history") if isinstance(held, Mapping) else held)
    if not messages:
        raise BadInput(f"{path} has no chat_history with messages")
    return messages


@dataclass(slots=True)
class Reader:
    """Reads the table and its histories of one size, cut into sessions of so many messages."""

    table: Path
    folder: Path
    size: str = SIZES[0]
    session: int = SESSION
    problems: list[str] = field(default_factory=list)

    def links(self) -> dict[str, list[tuple[int, Row]]]:
        """The rows by the history that they name."""
        found: dict[str, list[tuple[int, Row]]] = defaultdict(list)
        for number, row in csv_rows(self.table, NEEDED, self.problems.append):
            if link := linked(row, self.size):
                found[link].append((number, row))
            else:
                self.problems.append(
                    f"{self.table}, row {number}: it names no history of {self.size} in the folder; it was left out"
                )
        return found

    def histories(self) -> Iterator[History]:
        """The histories that are asked about, in the order of the table."""
        read = 0
        for link, rows in self.links().items():
            try:
                history = self._history(link, rows)
            except BadInput as error:
                self.problems.append(f"{error}; the {len(rows)} questions about it were left out")
                continue
            read += 1
            yield history
        if not read:
            raise BadInput("\n".join(self.problems[:5]) or f"{self.table} asks nothing; {GET}")

    def _history(self, link: str, rows: Sequence[tuple[int, Row]]) -> History:
        path = self.folder / link
        root = self.folder.resolve()
        if not path.resolve().is_relative_to(root):
            raise BadInput(f"{path} leads out of {self.folder}")
        messages = read_chat(path)
        questions = []
        for number, row in rows:
            try:
                questions.append(self._question(number, row, messages))
            except BadInput as error:
                self.problems.append(f"{error}; it was left out")
        if not questions:
            raise BadInput(f"{path} has no question that can be asked")
        return History(PurePosixPath(link).stem, messages, tuple(questions), self._starts(messages))

    def _starts(self, messages: Sequence[Message]) -> frozenset[int]:
        """Where sessions begin: the files don't say, so it is the user's next message when one is long enough."""
        starts, last = {0}, 0
        for n, message in enumerate(messages):
            if message.role == "user" and n - last >= self.session:
                starts.add(n)
                last = n
        return frozenset(starts)

    def _question(self, number: int, row: Row, messages: Sequence[Message]) -> Question:
        where, id = f"{self.table}, row {number}", f"p{row['persona_id'].strip()}/r{number}"
        text, right = _query(row["user_query"]), row["correct_answer"].strip()
        if not text or not right:
            raise BadInput(f"{where}: it has no {'correct_answer' if text else 'user_query'}")
        try:
            wrong = literal(row["incorrect_answers"])
        except BadInput as error:
            raise BadInput(f"{where}: incorrect_answers can't be read: {error}") from error
        options = [right, *(w.strip() for w in (wrong if isinstance(wrong, list) else ()) if isinstance(w, str))]
        if not 2 <= len(options) <= 26 or len(set(options)) < len(options):
            raise BadInput(f"{where}: it takes a correct answer and at least one other, all different")
        Random(f"{SUITE}:{id}").shuffle(options)
        preference = row["preference"].strip()
        withheld = row.get("pref_type") == FORGET or preference.lower().startswith("do not")
        sensitive = row.get("sensitive_info", "").strip().lower() == "true"
        evidence = _places(row.get("related_conversation_snippet", ""), messages)
        if not evidence and not sensitive and row.get("related_conversation_snippet"):
            self.problems.append(f"{where}: the chat that reveals its preference is not in the history")
        return Question(
            id=id,
            text=text,
            options=tuple(options),
            right=options.index(right),
            end=len(messages),
            evidence=evidence,
            sought=preference,
            preference=preference,
            replaces=row.get("prev_pref", "").strip(),
            withheld=withheld or sensitive,
            tags={tag: row[name].strip() for name, tag in _TAGS.items() if row.get(name, "").strip()},
        )


def _query(text: str) -> str:
    """What the user says: the content of a message, or the text as it stands."""
    try:
        held: Any = literal(text)
    except BadInput:
        return text.strip()
    content = held.get("content") if isinstance(held, Mapping) else text
    return content.strip() if isinstance(content, str) else ""


def _places(snippet: str, messages: Sequence[Message]) -> tuple[int, ...]:
    """Where the user's messages of a chat stand in a history."""
    try:
        said = {m.text.strip() for m in messages_of(literal(snippet)) if m.role == "user" and m.text.strip()}
    except BadInput:
        return ()
    return tuple(n for n, m in enumerate(messages) if m.role == "user" and m.text.strip() in said)
