"""The BEAM suite: one chat of up to ten million tokens, and ten things that a memory of it should be good for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.core.suite import Cell, DataTable, Loaded, Request, Suite, Task
from memtriage.suites.beam.data import BEAMFiles
from memtriage.suites.beam.episodes import episode
from memtriage.suites.beam.generate.chat import OPTIONS, ROWS, TOKENS, generated, size_of
from memtriage.suites.beam.question import ABILITIES, RUBRICS, TASK
from memtriage.suites.beam.question import SUITE as NAME
from memtriage.suites.beam.reading import find_chats
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.kit.options import refuse_unknown
from memtriage.text.tokens import count_tokens

VERSION = "1"


def load(request: Request) -> Loaded:
    """Generated chats, or those of files; each is read or made while somebody goes through it."""
    refuse_unknown(request.options, OPTIONS, f"suite {NAME}")
    about: dict[str, object] = {"suite_version": VERSION}
    if request.data is None:
        chats = generated(request.seed, request.rows, request.options)
        tokens = chats[0].tokens if chats else TOKENS
        about |= {"source": "generated", "seed": request.seed, "rows": len(chats), "tokens": tokens}
        return Loaded((chat.episode() for chat in chats), about)
    if "tokens" in request.options:
        raise BadInput("tokens is about generated chats; which of the released ones to use is said with size")
    about |= {"source": "files", "file": str(request.data), "rows": 0, "files": {}, "problems": []}
    return Loaded(_read(request.data, request.rows, size_of(request.options), about), about)


def _read(data: Path, rows: int | None, size: str | None, about: dict[str, object]) -> Iterator[Episode]:
    problems: list[str] = []
    files: dict[str, str] = {}
    about |= {"files": files, "problems": problems}
    read = 0
    for chat in find_chats(data, size, problems):
        if read == rows:
            break
        try:
            found = episode(chat, problems)
        except BadInput as error:
            problems.append(f"{error}; it was left out")
            continue
        if str(chat.path) not in files:
            files[str(chat.path)] = sha256(chat.path)
        read += 1
        about["rows"] = read
        yield found
    if not read:
        raise BadInput("\n".join(problems[:5]) or f"{data} holds no chats")


def statistics(tasks: Sequence[str], request: Request) -> Iterator[DataTable]:
    """The paper's counts of its chats, on average, by size."""
    counts: dict[str, list[Counter[str]]] = {}
    for one in load(request).episodes:
        count = Counter(questions=len(one.probes), nuggets=sum(len(probe.golds) for probe in one.probes))
        for session in one.sessions:
            count["sessions"] += 1
            for turn in session.turns:
                count.update({turn.role: 1, "tokens": count_tokens(turn.text)})
        counts.setdefault(one.id.partition("/")[0] if request.data else "generated", []).append(count)
    columns = ("chats", "user messages", "assistant messages", "sessions", "tokens", "questions", "nuggets")
    keys = ("user", "assistant", "sessions", "tokens", "questions", "nuggets")
    rows: list[tuple[Cell, ...]] = [
        (size, len(found), *(sum(one[key] for one in found) / len(found) for key in keys))
        for size, found in counts.items()
    ]
    yield DataTable("BEAM: each chat on average", ("size", *columns), tuple(rows))


SUITE = Suite(
    name=NAME,
    title="BEAM: ten abilities over one chat of up to ten million tokens",
    paper="arXiv:2510.27246",
    licence="not stated with the released data; nothing of it comes with memtriage",
    version=VERSION,
    tasks=(Task(TASK, f"one chat a store, {2 * len(ABILITIES)} questions on ten abilities", ROWS, load, OPTIONS),),
    data=BEAMFiles(),
    rubrics=RUBRICS,
    statistics=statistics,
)
