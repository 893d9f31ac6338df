"""The released parquet files: found by name, checked for their columns, and read one row at a time.

A row holds a context of up to millions of tokens. Reading needs pyarrow, which is an extra and imported where used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput, install_extra
from memtriage.host.inputs import open_input
from memtriage.suites.longmemeval.public import Message
from memtriage.suites.memoryagentbench.kinds import SPECS, Competency, Kind

SPLITS: Mapping[Competency, str] = {
    "accurate-retrieval": "Accurate_Retrieval",
    "test-time-learning": "Test_Time_Learning",
    "long-range-understanding": "Long_Range_Understanding",
    "selective-forgetting": "Conflict_Resolution",
}
"""What the files of each competency are called."""

_NAME = re.compile(rf"({'|'.join(SPLITS.values())})(?:-(\d{{5}})-of-(\d{{5}}))?\.parquet", re.IGNORECASE)
_LISTS = ("qa_pair_ids", "question_dates", "question_types", "question_ids", "keypoints")
_SESSIONS = "haystack_sessions"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a context with its questions, the answers that count for each, and what else the file lists about them.

    `chats` are, for each question, those with messages that are marked as holding its answer, where any are.
    """

    path: Path
    number: int
    source: str
    context: str
    questions: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...]
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    chats: tuple[tuple[tuple[Message, ...], ...], ...] = ()

    @property
    def where(self) -> str:
        """The row for messages: file, number from 1, source."""
        return f"{self.path.name}, row {self.number} ({self.source})"

    def listed(self, name: str, question: int) -> str:
        """What a list of the row says of a question; "" where it says nothing."""
        values = self.lists.get(name, ())
        return values[question] if question < len(values) else ""


def has(data: Path, kind: Kind) -> bool:
    """Whether a folder has any file of a kind's competency; a single file may hold any kind."""
    split = SPLITS[SPECS[kind].competency].lower()
    names = [path.name for path in data.rglob("*.parquet")] if data.is_dir() else []
    return not data.is_dir() or any(found[1].lower() == split for name in names if (found := _NAME.fullmatch(name)))


def find(data: Path, kind: Kind) -> list[Path]:
    """The files that may hold contexts of a kind: the one given, or those of its competency anywhere below a folder."""
    split = SPLITS[SPECS[kind].competency]
    if not data.exists():
        raise BadInput(f"{data} does not exist; give the folder of the released files, such as {split}.parquet")
    if not data.is_dir():
        return [data]
    named = [(path, found) for path in sorted(data.rglob("*.parquet")) if (found := _NAME.fullmatch(path.name))]
    fitting = [(path, found) for path, found in named if found[1].lower() == split.lower()]
    if not fitting:
        others = f"there are {', '.join(path.name for path, _ in named)}" if named else "nor any other released file"
        raise BadInput(f"{data} has no {split}.parquet, nor {split}-00000-of-00001.parquet: {others}")
    _complete(data, split, [found for _, found in fitting])
    return [path for path, _ in fitting]


def _complete(data: Path, split: str, found: Sequence[re.Match[str]]) -> None:
    """Refuse shards of which one is missing: their questions would be missing too."""
    shards = {int(each[2]): int(each[3]) for each in found if each[2]}
    missing = [n for n in range(max(shards.values(), default=0)) if n not in shards]
    if missing:
        raise BadInput(f"{data}: of {split}'s {max(shards.values())} files, number {missing[0]:05d} is missing")


def rows(path: Path, sessions: bool = False) -> Iterator[Row | BadInput]:
    """The rows of a file, one in memory at a time; one that can't be used comes as the reason why.

    `sessions` are the marked chats, which are large and which only questions about chats have.
    """
    file = _opened(path)
    try:
        columns = _columns(path, file.schema_arrow, sessions)
        number = 0
        for batch in file.iter_batches(batch_size=1, columns=columns, use_threads=False):
            for record in batch.to_pylist():
                number += 1
                yield _row(path, number, record)
    except (OSError, ValueError, RuntimeError) as error:  # pyarrow's own errors are kinds of these
        raise BadInput(f"{path} can't be read: {error}") from error
    finally:
        file.close()


def check(path: Path) -> int:
    """The number of rows of a file with the right columns; any other is refused."""
    file = _opened(path)
    try:
        _columns(path, file.schema_arrow, sessions=False)
        return int(file.metadata.num_rows)
    finally:
        file.close()


def _opened(path: Path) -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise BadInput(
            f"{path.name} is a parquet file, which takes pyarrow to read; install it with: {install_extra('parquet')}"
        ) from error
    open_input(path).close()  # a pipe or a device never ends
    try:
        return parquet.ParquetFile(path, memory_map=True, pre_buffer=False)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} is no parquet file: {error}") from error


def _columns(path: Path, schema: Any, sessions: bool) -> list[str]:
    """The columns to read; a file without those that every row needs is refused."""
    import pyarrow

    types = {name: schema.field(name).type for name in schema.names}
    texts = (pyarrow.types.is_string, pyarrow.types.is_large_string)
    lists = (pyarrow.types.is_list, pyarrow.types.is_large_list)
    wrong = [name for name in ("context", "questions", "answers", "metadata") if name not in types]
    if not wrong:
        inner = {each.name for each in types["metadata"]} if pyarrow.types.is_struct(types["metadata"]) else set()
        fits = {
            "context": any(fit(types["context"]) for fit in texts),
            "questions": any(fit(types["questions"]) for fit in lists),
            "answers": any(fit(types["answers"]) for fit in lists),
            "metadata": "source" in inner,
        }
        wrong = [name for name, fit in fits.items() if not fit]
    if wrong:
        has = ", ".join(f"{name}: {type}"[:60] for name, type in types.items()) or "no columns"
        raise BadInput(
            f"{path} is no file of MemoryAgentBench: {', '.join(wrong)} is missing or of another type (it has {has}); "
            "rows have a context, lists of questions and answers, and metadata with a source"
        )
    extra = [*_LISTS, *([_SESSIONS] if sessions else [])]
    return ["context", "questions", "answers", "metadata.source", *(f"metadata.{n}" for n in extra if n in inner)]


def _row(path: Path, number: int, record: Mapping[str, Any]) -> Row | BadInput:
    metadata = record["metadata"] or {}
    source = str(metadata.get("source") or "no source")
    where = f"{path.name}, row {number} ({source})"
    context, questions, answers = record["context"], record["questions"] or [], record["answers"] or []
    if not isinstance(context, str) or not context.strip():
        return BadInput(f"{where}: the context is empty")
    if len(questions) == 1 and len(answers) > 1 and all(isinstance(answer, str) for answer in answers):
        answers = [answers]  # one question with several answers that count
    if not questions or len(questions) != len(answers):
        return BadInput(f"{where}: {len(questions)} questions, but answers to {len(answers)}")
    golds = tuple(_texts(answer) for answer in answers)
    lists = {name: _texts(metadata.get(name)) for name in _LISTS}
    return Row(path, number, source, context, _texts(questions), golds, lists, _chats(metadata, len(questions)))


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple("" if each is None else str(each) for each in value)
    return () if value is None else (str(value),)


def _chats(metadata: Mapping[str, Any], questions: int) -> tuple[tuple[tuple[Message, ...], ...], ...]:
    """The chats of each question that have a marked message; none where they are not given question by question."""
    asked = metadata.get(_SESSIONS) or []
    if len(asked) != questions:
        return ()
    found = (tuple(_messages(chat) for chat in chats or ()) for chats in asked)
    return tuple(tuple(chat for chat in chats if any(m.has_answer for m in chat)) for chats in found)


def _messages(chat: Sequence[Mapping[str, Any]] | None) -> tuple[Message, ...]:
    metadata = (each for each in chat or () if each and each.get("content"))
    return tuple(
        Message(str(each.get("role") or "user"), str(each["content"]).strip(), bool(each.get("has_answer")))
        for each in metadata
    )
