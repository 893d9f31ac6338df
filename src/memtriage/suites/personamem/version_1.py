"""Reads PersonaMem, version 1: questions in a CSV file, and the histories that they share, one on each line of another.

Where the preference was told is not in the files, but follows from them: a question has the tokens of its context and
those since the message that told it, counted with GPT-4o's vocabulary message by message. The difference is the number
of tokens before that message; where it falls between two messages, and the whole count is right, that is the place.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, input_lines, loads
from memtriage.suites.kit.tables import Row, csv_rows, literal
from memtriage.suites.personamem.history import PERSONA, SUITE, History, Message, Question
from memtriage.text.tokens import count_tokens

SIZES = ("32k", "128k", "1M")
GET = f"memtriage data pull {SUITE} downloads it"
VOCABULARY = "o200k_base"
"""GPT-4o's, with which the files' tokens were counted."""

TYPES = {
    "recall_user_shared_facts": ("recalling_facts_mentioned_by_the_user",),
    "suggest_new_ideas": ("identifying_new_things_not_mentioned_by_the_user",),
    "acknowledge_latest_user_preferences": ("acknowledge_latest_preferences", "recalling_the_latest_user_preferences"),
    "track_full_preference_evolution": (
        "track_full_preference_updates",
        "tracking_the_full_sequence_of_preference_updates",
    ),
    "revisit_reasons_behind_preference_updates": ("recalling_the_reasons_behind_previous_updates",),
    "provide_preference_aligned_recommendations": ("recommendation_aligned_with_users_latest_preferences",),
    "generalize_to_new_scenarios": (
        "generalizing_to_new_scenarios",
        "generalizing_past_reasons_in_memory_to_new_scenarios",
    ),
}
"""The seven types of queries, each with the other names that the files have for it."""

_NAMED = {name: type for type, others in TYPES.items() for name in (type, *others)}
_ONE_PLACE = frozenset(TYPES) - {"suggest_new_ideas", "track_full_preference_evolution"}
"""Types for which one message is enough; the others take all that was ever told, and files point to its beginning."""

_WHOLE_SESSION = frozenset({"writing", "email", "coding"})
"""Topics whose questions point to the beginning of a session, not to what was told in it."""

NEEDED = (
    *("question_id", "question_type", "user_question_or_message", "correct_answer", "all_options"),
    *("shared_context_id", "end_index_in_shared_context"),
)
_LETTERED = re.compile(r"\s*\(([a-zA-Z])\)\s*")


def find(data: Path, size: str) -> tuple[Path, Path]:
    """The questions and the histories that a path names; in a folder, those of a size (by default the smallest)."""
    if not data.exists():
        raise BadInput(f"{data} does not exist; give questions_32k.csv or its folder ({GET})")
    if data.is_dir():
        sizes = [size] if size else [each for each in SIZES if (data / f"questions_{each}.csv").is_file()]
        if not sizes and (data / "benchmark").is_dir():
            raise BadInput(f"{data} holds version 2; run it with --suite {SUITE}/v2")
        questions = data / f"questions_{sizes[0] if sizes else SIZES[0]}.csv"
    else:
        questions = data
    contexts = questions.with_name(questions.name.replace("questions_", "shared_contexts_")).with_suffix(".jsonl")
    for path in (questions, contexts):
        if not path.is_file():
            raise BadInput(f"{path} is missing; {GET}")
    return questions, contexts


@dataclass(slots=True)
class Reader:
    """Reads the two files of one size; `problems` fills up while histories are read."""

    questions: Path
    contexts: Path
    problems: list[str] = field(default_factory=list)

    def histories(self) -> Iterator[History]:
        """The histories that are asked about, in the order of their file."""
        asked = self._asked()
        read = 0
        for number, line in input_lines(self.contexts):
            where = f"{self.contexts}, line {number}"
            for id, listed in self.line(where, line):
                if rows := asked.pop(id, None):
                    found = self._history(where, id, listed, rows)
                    read += found is not None
                    yield from [found] if found is not None else []
        for id, rows in asked.items():
            self.problems.append(
                f"{self.contexts} has no history {id[:40]!r}; the {len(rows)} questions about it were left out"
            )
        if not read:
            raise BadInput("\n".join(self.problems[:5]) or f"{self.questions} asks nothing; {GET}")

    def _asked(self) -> dict[str, list[tuple[str, Row]]]:
        """The rows of the questions by history, each with its place."""
        found: dict[str, list[tuple[str, Row]]] = defaultdict(list)
        for number, row in csv_rows(self.questions, NEEDED, self.problems.append):
            found[row["shared_context_id"]].append((f"{self.questions}, row {number}", row))
        return found

    def line(self, where: str, line: bytes) -> Iterator[tuple[str, Any]]:
        """The histories of a line of their file, by id."""
        try:
            held = loads(line)
        except BadJson as error:
            self.problems.append(f"{where} is no JSON: {error}; it was left out")
            return
        if isinstance(held, Mapping):
            yield from held.items()
        else:
            self.problems.append(f"{where} is no object with a history by its id; it was left out")

    def _history(self, where: str, id: str, listed: Any, rows: Sequence[tuple[str, Row]]) -> History | None:
        messages = messages_of(listed)
        if not messages:
            self.problems.append(f"{where}: {id[:40]!r} is no list of messages; it was left out")
            return None
        before = list(accumulate((count_tokens(text, VOCABULARY) for _, text in messages), initial=0))
        questions: dict[str, Question] = {}
        for place, row in rows:
            try:
                question = self._question(place, row, len(messages))
                if question.id in questions:
                    raise BadInput(f"{place}: the question {question.id!r} stands in the file twice")
            except BadInput as error:
                self.problems.append(f"{error}; it was left out")
            else:
                questions[question.id] = located(question, row, before)
        starts = {n for n, message in enumerate(messages) if message.role == PERSONA}
        cuts = starts | {question.end for question in questions.values()}
        return History(id, messages, tuple(questions.values()), frozenset(cuts)) if questions else None

    def _question(self, where: str, row: Row, messages: int) -> Question:
        text, id = row["user_question_or_message"].strip(), row["question_id"].strip()
        if not text or not id:
            raise BadInput(f"{where}: it has no {'question_id' if text else 'user_question_or_message'}")
        options, right = options_of(row, where)
        try:
            named = int(float(row["end_index_in_shared_context"]))
        except (ValueError, OverflowError):
            raise BadInput(
                f"{where}: end_index_in_shared_context is {row['end_index_in_shared_context'][:20]!r}, no number"
            ) from None
        end = len(range(messages)[:named])  # as the released script cuts, which takes a negative number from the end
        if end != named:
            self.problems.append(f"{where}: it is asked after message {named}, of {messages}; it was asked after {end}")
        if not end:
            raise BadInput(f"{where}: it is asked before anything was said")
        type = row["question_type"].strip()
        return Question(
            id=id,
            text=text,
            options=options,
            right=right,
            end=end,
            sought=options[right],
            tags={
                "type": _NAMED.get(type, type),
                **{name: row[name].strip() for name in ("topic", "persona_id") if row.get(name, "").strip()},
                **_distance(row.get("distance_to_ref_in_blocks", "")),
            },
        )


def _distance(text: str) -> dict[str, str]:
    """How many sessions ago it was told, as a tag."""
    return {"sessions_ago": f"{int(text):02d}"} if text.isascii() and text.isdigit() else {}


def options_of(row: Row, where: str) -> tuple[tuple[str, ...], int]:
    """The replies to choose from, without their letters, and which is right."""
    try:
        listed = literal(row["all_options"])
    except BadInput as error:
        raise BadInput(f"{where}: all_options can't be read: {error}") from error
    if not isinstance(listed, list) or not 2 <= len(listed) <= 26 or not all(isinstance(o, str) for o in listed):
        raise BadInput(f"{where}: all_options is no list of replies")
    lettered = [_LETTERED.match(option) for option in listed]
    letters = [found[1].lower() if found else "abcdefghijklmnopqrstuvwxyz"[n] for n, found in enumerate(lettered)]
    right = row["correct_answer"].strip().strip("()").lower()
    if letters.count(right) != 1:
        raise BadInput(f"{where}: the correct answer {row['correct_answer'][:20]!r} is not one of its options")
    texts = tuple(option[found.end() if found else 0 :].strip() for option, found in zip(listed, lettered, strict=True))
    if len(set(texts)) < len(texts):
        raise BadInput(f"{where}: two of its options are the same")
    return texts, letters.index(right)


def count_histories(path: Path) -> int:
    """How many histories a file has; all must be readable."""
    reader = Reader(path, path)
    found = [messages_of(held) for number, line in input_lines(path) for _, held in reader.line(f"line {number}", line)]
    if reader.problems or not all(found) or not found:
        raise BadInput("; ".join(reader.problems[:3]) or "it has no histories with messages")
    return len(found)


def messages_of(listed: Any) -> tuple[Message, ...]:
    """The messages of a list; what is none has no text, so that the others keep their places."""
    return tuple(_message(each) for each in listed) if isinstance(listed, list) else ()


def _message(each: Any) -> Message:
    if not isinstance(each, Mapping):
        return Message("user", "")
    role, content = each.get("role"), each.get("content")
    if isinstance(content, list):  # parts of a message: texts, and pictures
        parts = [part.get("text", "[shares a picture]") if isinstance(part, Mapping) else part for part in content]
        content = " ".join(part for part in parts if isinstance(part, str))
    return Message(
        role if role in ("user", "assistant", PERSONA) else "user", content if isinstance(content, str) else ""
    )


def located(question: Question, row: Row, before: Sequence[int]) -> Question:
    """The question with the message that told what it is about, if the row's tokens lead to one.

    `before` has the tokens before each message, and all of them at its end.
    """
    if question.tags["type"] not in _ONE_PLACE or question.tags.get("topic") in _WHOLE_SESSION:
        return question
    try:
        whole, since = int(row["context_length_in_tokens"]), int(row["distance_to_ref_in_tokens"])
    except (KeyError, ValueError):
        return question
    if before[question.end] + count_tokens(row["user_question_or_message"], VOCABULARY) != whole:
        return question
    place = bisect_left(before, whole - since + 1) - 1  # the last message with so many tokens before it
    if not 0 <= place < question.end or before[place] != whole - since:
        return question
    return replace(question, evidence=(place,))
