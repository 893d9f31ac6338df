"""The LoCoMo suite: what two people told each other over months, and whether a memory finds it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, unknown
from memtriage.core.suite import DataTable, Loaded, Request, Suite, Task
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.kit.options import refuse_unknown, switch_of
from memtriage.suites.locomo import errata
from memtriage.suites.locomo.counts import counted
from memtriage.suites.locomo.data import NOT_GENERATED, LoCoMoFiles
from memtriage.suites.locomo.episodes import SUITE as NAME
from memtriage.suites.locomo.episodes import Layout
from memtriage.suites.locomo.grading import PaperScores, rubrics
from memtriage.suites.locomo.reading import LOCOMO, Reader, remarks

VERSION = "1"
ROWS = 10
OPTIONS = {
    "captions": "yes (default) to tell what shared photos show, as the paper does; no to leave it out",
    "gold": "corrected (default) mends the mistakes that are known in LoCoMo's questions; as-released keeps them",
    "stores": "one (default) for both people, or speakers: one for each of them",
}
GOLDS = ("corrected", "as-released")
STORES = ("one", "speakers")


def load(request: Request) -> Loaded:
    """The conversations of a file, one at a time."""
    refuse_unknown(request.options, OPTIONS, f"suite {NAME}")
    gold, stores = request.options.get("gold", GOLDS[0]), request.options.get("stores", STORES[0])
    if gold not in GOLDS:
        raise BadInput(unknown("gold", gold, GOLDS))
    if stores not in STORES:
        raise BadInput(unknown("way to keep stores", stores, STORES))
    captions = switch_of(request.options, "captions", True)
    if request.data is None:
        raise BadInput(NOT_GENERATED)
    path = LOCOMO.find(request.data)
    known, mended = errata.load(), gold == "corrected"
    provenance: dict[str, object] = {
        "suite_version": VERSION,
        "source": "files",
        "file": str(path),
        "sha256": sha256(path),
        "rows": 0,
        "errata": known.version if mended else "off",
        "captions": captions,
        "stores": stores,
    }
    layout = Layout(captions, stores == "speakers", known, mended=mended)
    return Loaded(_read(path, request.rows, layout, provenance), provenance)


def _read(path: Path, rows: int | None, layout: Layout, provenance: dict[str, object]) -> Iterator[Episode]:
    """The episodes of a file; what is only known at the end is put into `provenance`."""
    reader = Reader(path)
    mended: Counter[str] = Counter()
    odd: list[str] = []
    read = 0
    for talk in reader.conversations():
        if read == rows:
            break
        read += 1
        asked = layout.questions(talk)
        mended.update(tag for question in asked.values() if (tag := question.tags.get("errata")))
        mended["left out"] += len(talk.questions) - len(asked)
        odd += (f"{path}: {remark}" for remark in remarks(talk, asked.values()))
        yield from layout.episodes(talk)
    provenance |= {"rows": read, "mended": dict(+mended), "problems": [*reader.problems, *odd]}


def statistics(tasks: Sequence[str], request: Request) -> Iterator[DataTable]:
    """The paper's counts of its conversations, and of its questions by kind."""
    if request.data is None:
        raise BadInput(NOT_GENERATED)
    talks = list(Reader(LOCOMO.find(request.data)).conversations())[: request.rows]
    yield counted("LoCoMo", talks)


SUITE = Suite(
    name=NAME,
    title="LoCoMo: what two people told each other over months, when it was, and what was never said",
    paper="arXiv:2402.17753",
    licence="CC BY-NC 4.0 (released data and code); nothing of it comes with memtriage",
    version=VERSION,
    tasks=(Task(f"{NAME}/qa", "ten conversations of up to 32 sessions, 1,986 questions", ROWS, load, OPTIONS),),
    data=LoCoMoFiles(),
    rubrics=rubrics(),
    scorer=PaperScores(),
    statistics=statistics,
)
