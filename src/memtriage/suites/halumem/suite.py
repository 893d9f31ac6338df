"""The HaluMem suite: what a memory should keep of each session, what it should change, and what it must not make up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memtriage.core.episode import Episode, Point
from memtriage.core.errors import BadInput
from memtriage.core.rubric import GENERIC, Rubric
from memtriage.core.suite import DataTable, Loaded, Request, Suite, Task
from memtriage.suites.halumem.data import NOT_GENERATED, HaluMemFiles
from memtriage.suites.halumem.episodes import TASK, UNTOLD, episode
from memtriage.suites.halumem.reading import SIZES, Reader, find
from memtriage.suites.halumem.reading import SUITE as NAME
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.kit.options import one_of, refuse_unknown

VERSION = "1"
ROWS = 20
OPTIONS = {"size": "which of HaluMem's files: medium or long (default: medium, if it is in the folder)"}

_STATES = (
    "Does the answer say what `gold` says? Other words and more detail count. Where the question takes something for "
    "granted that isn't so, the answer must not go along with it. False if it names another thing, person or time, "
    "leaves out a part of what `gold` names, or says that it doesn't know."
)
_UNTOLD = (
    "What is asked was never told. Does the answer say that it doesn't know, or that it wasn't mentioned? False if it "
    "names something all the same."
)
_ANSWER = replace(GENERIC, last="answer", every_answer=True, reasoning=_STATES)

RUBRICS: Mapping[str, Rubric] = {TASK: _ANSWER, UNTOLD: replace(_ANSWER, last="untold", reasoning=_UNTOLD)}
"""What a judge is asked about an answer."""


def load(request: Request) -> Loaded:
    """The users of a file, one at a time."""
    path = _file(request)
    provenance: dict[str, object] = {
        "suite_version": VERSION,
        "source": "files",
        "file": str(path),
        "sha256": sha256(path),
        "rows": 0,
    }
    return Loaded(_read(path, request.rows, provenance), provenance)


def _file(request: Request) -> Path:
    refuse_unknown(request.options, OPTIONS, f"suite {NAME}")
    if request.data is None:
        raise BadInput(NOT_GENERATED)
    return find(request.data, one_of(request.options, "size", SIZES) if request.options.get("size") else "")


def _read(path: Path, rows: int | None, provenance: dict[str, object]) -> Iterator[Episode]:
    """The episodes of a file; what is only known at the end is put into `provenance`."""
    reader = Reader(path)
    odd: list[str] = []
    points: Counter[str] = Counter()
    read = 0
    for user in reader.users():
        if read == rows:
            break
        read += 1
        laid, remarks = episode(user)
        odd += (f"{path}: {remark}" for remark in remarks)
        own = [fact for fact in laid.facts if isinstance(fact, Point)]
        points.update(points=len(own), located=sum(bool(point.said) for point in own))
        yield laid
    provenance |= {"rows": read, **points, "problems": [*reader.problems, *odd]}


def statistics(tasks: Sequence[str], request: Request) -> Iterator[DataTable]:
    """How many points and questions of each type there are, and for how many points the words are known."""
    points: Counter[str] = Counter()
    located: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    with_facts: Counter[str] = Counter()
    for laid in load(request).episodes:
        for point in (fact for fact in laid.facts if isinstance(fact, Point)):
            kind = point.kind if point.wanted else "interference"
            points[kind] += 1
            located[kind] += bool(point.said)
        asked.update(probe.tags["type"] for probe in laid.probes)
        with_facts.update(probe.tags["type"] for probe in laid.probes if probe.sufficient)
    for title, all_of, known in (("memory points", points, located), ("questions", asked, with_facts)):
        rows = [(kind, count, known[kind]) for kind, count in sorted(all_of.items())]
        total = ("all", all_of.total(), known.total())
        yield DataTable(f"HaluMem: {title}", ("type", title, "words known"), (*rows, total))


SUITE = Suite(
    name=NAME,
    title="HaluMem: what a memory keeps of each session, what it changes, and what it makes up",
    paper="arXiv:2511.03506",
    licence="CC BY-NC-ND 4.0 (released data and code); nothing of it comes with memtriage",
    version=VERSION,
    tasks=(Task(TASK, "twenty users, about 70 or 120 sessions each, 3,467 questions", ROWS, load, OPTIONS),),
    data=HaluMemFiles(),
    rubrics=RUBRICS,
    statistics=statistics,
)
