"""A suite file as a suite, under the name of the file, for every command that takes the name of a suite."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, DataTable, Loaded, Problem, Request, Suite, Task
from memtriage.host.inputs import read_input
from memtriage.suites.kit.options import refuse_unknown
from memtriage.suites.kit.shortcuts import guessable
from memtriage.suites.own.documents import parse
from memtriage.suites.own.format import VERSION, checked, listed
from memtriage.suites.own.layout import Findings, lay_out
from memtriage.text.tokens import count_tokens

ALL = "all"


@dataclass(frozen=True, slots=True)
class OwnData:
    """A suite file as it was read: its episodes, unless problems are errors, and what it is known by."""

    path: Path
    name: str
    sha256: str
    kinds: tuple[str, ...]
    episodes: tuple[Episode, ...]
    problems: tuple[Problem, ...]

    @property
    def questions(self) -> int:
        return self.count(None)

    def count(self, kind: str | None) -> int:
        """How many questions are of a kind; None stands for all."""
        probes = (probe for episode in self.episodes for probe in episode.probes)
        return sum(kind is None or probe.task == f"{self.name}/{kind}" for probe in probes)


def read_own(path: Path) -> OwnData:
    """Read and check a suite file."""
    try:
        stat = path.stat()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise BadInput(f"{path} can't be read: {why}; `memtriage data new FILE.yaml` writes an example") from error
    return _read(path, (stat.st_mtime_ns, stat.st_size, stat.st_ino))


@lru_cache(maxsize=4)  # a run asks for its suite several times
def _read(path: Path, state: tuple[int, ...]) -> OwnData:
    content = read_input(path)
    document = parse(path, content)
    suite = checked(document)
    findings = Findings(document)
    name = suite.name or suite_name(path)
    kinds = tuple(dict.fromkeys(question.task for _, store in suite.each_store() for question in store.questions))
    if ALL in kinds:
        findings.error((), f"{ALL!r} is no task; it names all questions together, so choose another word")
    episodes = lay_out(suite, name, kinds or ("questions",), findings)
    if any(problem.is_error for problem in findings.problems):
        episodes = []
    elif not any(episode.probes for episode in episodes):
        findings.warning((), "it has no questions yet; add some, each with its gold answer and the facts it needs")
    shortcuts = guessable(probe for episode in episodes for probe in episode.probes)
    problems = (*(Problem(f"{path}: {each.message}", False) for each in shortcuts), *findings.problems)
    return OwnData(path, name, hashlib.sha256(content).hexdigest(), kinds, tuple(episodes), problems)


def suite_name(path: Path) -> str:
    """The name of a suite whose file gives none.

    >>> suite_name(Path("chats/My Chats (2).yaml"))
    'my-chats-2'
    """
    return re.sub(r"[^a-z0-9_-]+", "-", path.stem.lower()).strip("-_")[:60] or "own"


def own_suite(path: Path) -> Suite:
    """The suite in a file; BadInput if anything in it is wrong."""
    data = read_own(path)
    errors = [problem.message for problem in data.problems if problem.is_error]
    if errors:
        raise BadInput(listed(errors))
    if not data.questions:
        raise BadInput(f"{path} has no questions yet; add some, each with its gold answer and the facts it needs")
    whole = data.kinds[0] if len(data.kinds) == 1 else ALL
    parts: list[tuple[str, str, str | None]] = [(whole, f"all {data.questions} questions of {path.name}", None)]
    parts += [(kind, f"its questions of this kind, of {path.name}", kind) for kind in data.kinds if len(data.kinds) > 1]
    return Suite(
        name=data.name,
        title=f"{path.name}: your own data",
        paper="none",
        licence="yours",
        version=data.sha256[:12],
        tasks=tuple(
            Task(f"{data.name}/{task}", summary, data.count(kind), partial(_load, data, kind), {}, kind is not None)
            for task, summary, kind in parts
        ),
        dated=any(session.timestamp for episode in data.episodes for session in episode.sessions),
        statistics=partial(_statistics, data),
    )


def validate_own(path: Path) -> Checked:
    """A suite file after validation: everything that is wrong with it, or only worth a look."""
    data = read_own(path)
    return Checked(data.name, path, data.questions, data.problems)


def _load(data: OwnData, kind: str | None, request: Request) -> Loaded:
    refuse_unknown(request.options, (), f"suite {data.path.name}")
    if request.data is not None:
        raise BadInput(f"{data.path} brings its own data; leave out --data {request.data}")
    episodes = list(_chosen(data, kind, request.rows))
    about = {
        "suite_version": data.sha256[:12],
        "source": "files",
        "file": str(data.path),
        "sha256": data.sha256,
        "format": VERSION,
        "stores": len(episodes),
        "rows": sum(len(episode.probes) for episode in episodes),
        "problems": [problem.message for problem in data.problems],
    }
    return Loaded(episodes, about)


def _chosen(data: OwnData, kind: str | None, rows: int | None) -> Iterator[Episode]:
    """The episodes with their questions of a kind, up to a number; a store of which nothing is asked is left out."""
    left, task = rows, f"{data.name}/{kind}"
    for episode in data.episodes:
        probes = tuple(probe for probe in episode.probes if kind is None or probe.task == task)[:left]
        if probes and kind is None:
            yield replace(episode, probes=probes)
        elif probes:
            yield replace(episode, probes=probes, task=task, id=f"{task}{episode.id.removeprefix(data.name)}")
        left = None if left is None else left - len(probes)


def _statistics(data: OwnData, tasks: Sequence[str], request: Request) -> Iterator[DataTable]:
    """How much is told and asked, by store and by kind of question."""
    kind = tasks[0] if tasks[0] != ALL and len(data.kinds) > 1 else None
    episodes = list(_chosen(data, kind, request.rows))
    yield DataTable(
        f"{data.name}: what is told",
        ("store", "sessions", "turns", "tokens", "facts", "questions"),
        tuple(
            (
                episode.id.removeprefix(f"{data.name}/{kind}/" if kind else f"{data.name}/"),
                len(episode.sessions),
                sum(len(session.turns) for session in episode.sessions),
                sum(count_tokens(turn.text) for session in episode.sessions for turn in session.turns),
                len(episode.facts),
                len(episode.probes),
            )
            for episode in episodes
        ),
    )
    probes = [probe for episode in episodes for probe in episode.probes]
    counts = Counter((probe.task.partition("/")[2], probe.scoring) for probe in probes)
    yield DataTable(
        f"{data.name}: what is asked",
        ("task", "scoring", "questions", "facts each", "with outdated facts"),
        tuple(
            (
                task,
                scoring,
                number,
                sum(len(probe.needed) for probe in mine) / number,
                sum(bool(probe.outdated) for probe in mine),
            )
            for (task, scoring), number in counts.items()
            for mine in [[p for p in probes if (p.task.partition("/")[2], p.scoring) == (task, scoring)]]
        ),
    )
