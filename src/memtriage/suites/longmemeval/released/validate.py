"""Files of questions checked: what the reader complains about, and for generated ones what the generator promises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Problem
from memtriage.suites.kit.shortcuts import guessable
from memtriage.suites.longmemeval.conflicts import ChatIndex, Gold
from memtriage.suites.longmemeval.episodes import episode
from memtriage.suites.longmemeval.question import Chat, Question
from memtriage.suites.longmemeval.released import files
from memtriage.suites.longmemeval.released.complaints import Complaints
from memtriage.suites.longmemeval.released.reading import QuestionReader

_ERRORS = frozenset({"file", "left out", "twice", "gone", "evidence", "time", "sessions", "marks"})
"""What makes a question useless, or its gold wrong; the rest can be lived with."""

_NAMED = 3
"""How many of the chats that conflict with a question are named."""


def check_files(path: Path) -> Iterator[Checked]:
    """Each file of questions that a path names or a folder holds."""
    found = [path] if path.is_file() else sorted(one for one in path.glob("*") if one.is_file() and files.size_of(one))
    if not found:
        raise BadInput(f"{path} has no file of questions; they are called longmemeval_s.json or the like")
    for file in found:
        yield _check_file(file)


def _check_file(path: Path) -> Checked:
    complaints = Complaints(path)
    reader = QuestionReader(complaints)
    rows = 0
    probes: list[Probe] = []
    try:
        for number, entry in files.Entries(path, complaints.of_file, chats=True):
            rows += 1
            question = reader.question(number, entry)
            if question is not None:
                probes += episode(question, _task(path)).probes
            if question is not None and isinstance(entry, Mapping) and "memtriage" in entry:
                for kind, what in _broken(question):
                    complaints.add(kind, question.id, what)
        if not rows and not complaints.has_file_problem():
            complaints.of_file("holds no questions")
    except BadInput as error:  # nothing in the file can be read
        return Checked(_task(path), path, rows, (Problem(str(error), True),))
    problems = tuple(Problem(line, kind in _ERRORS) for kind, line in complaints.by_kind())
    return Checked(_task(path), path, rows, (*problems, *guessable(probes)))


def _task(path: Path) -> str:
    size = files.size_of(path)
    return f"longmemeval/{size}" if size else "longmemeval"


def _broken(question: Question) -> Iterator[tuple[str, str]]:
    """Which of the generator's promises a question breaks, by kind."""
    times = [dated.at for dated in question.history]
    if any(later <= earlier for earlier, later in pairwise([*times, question.asked_at])):
        yield "time", "its chats and the question are not in strict order of time"
    own = set(question.answer_chats)
    if own != {evidence.chat for evidence in question.evidence} and not question.abstention:
        yield "sessions", "its evidence is not that of its evidence sessions"
    marked = {
        (dated.chat.id, n) for dated in question.history for n, m in enumerate(dated.chat.messages) if m.has_answer
    }
    if not question.abstention and marked != {(one.chat, one.message) for one in question.evidence}:
        yield "marks", "has_answer marks other messages than those of its evidence"
    gold = Gold.of_question(question)
    clashes = [
        dated.chat.id
        for dated in question.history
        if dated.chat.id not in own and gold.conflict(_index(dated.chat)) is not None
    ]
    if clashes:
        yield "clash", f"{len(clashes)} other chats may tell of its evidence: {', '.join(clashes[:_NAMED])}"


@lru_cache(maxsize=1 << 12)
def _index(chat: Chat) -> ChatIndex:
    return ChatIndex.of(chat)
