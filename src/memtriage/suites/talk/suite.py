"""The talk suite: made-up conversations in LoCoMo's style, with its kinds of questions and its scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, unknown
from memtriage.core.suite import DataTable, Loaded, Request, Suite, Task
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.kit.options import refuse_unknown, switch_of
from memtriage.suites.locomo.conversation import Conversation
from memtriage.suites.locomo.counts import counted
from memtriage.suites.locomo.grading import PaperScores, rubrics
from memtriage.suites.talk.files import MADE_BY, ROWS, TALK, TalkFiles, TalkReader, generated
from memtriage.suites.talk.layout import SUITE as NAME
from memtriage.suites.talk.layout import TalkLayout

VERSION = "1"
STORES = ("one", "speakers")
OPTIONS = {
    "captions": "yes (default) to tell what shared photos show; no to leave it out, with the questions about it",
    "stores": "one (default) for both people, or speakers: one for each of them",
    **MADE_BY,
}


def load(request: Request) -> Loaded:
    """The conversations, generated or from a file, one at a time."""
    refuse_unknown(request.options, OPTIONS, f"suite {NAME}")
    stores = request.options.get("stores", STORES[0])
    if stores not in STORES:
        raise BadInput(unknown("way to keep stores", stores, STORES))
    captions = switch_of(request.options, "captions", True)
    about: dict[str, object] = {"suite_version": VERSION, "captions": captions, "stores": stores}
    layout = TalkLayout(captions, stores == "speakers")
    if request.data is not None:
        path = _file(request.data, request)
        about |= {"source": "files", "file": str(path), "sha256": sha256(path), "rows": 0}
        return Loaded(_read(path, request.rows, layout, about), about)
    rows = ROWS if request.rows is None else request.rows
    made_by = _made_by(request)
    about |= {"source": "generated", "seed": request.seed, "rows": rows, **made_by}
    talks = generated(rows, request.seed, made_by)
    return Loaded((episode for talk in talks for episode in layout.episodes(talk)), about)


def _made_by(request: Request) -> dict[str, str]:
    return {name: value for name, value in request.options.items() if name in MADE_BY}


def _file(data: Path, request: Request) -> Path:
    path = TALK.find(data)
    if refused := sorted(_made_by(request)):
        raise BadInput(f"{path} brings its own conversations; leave out the option {', '.join(refused)}")
    return path


def _read(path: Path, rows: int | None, layout: TalkLayout, about: dict[str, object]) -> Iterator[Episode]:
    """The episodes of a file; what is only known at the end is put into `about`."""
    reader = TalkReader(path, TALK)
    read = 0
    for talk in reader.conversations():
        if read == rows:
            break
        read += 1
        yield from layout.episodes(talk)
    about |= {"rows": read, "problems": list(reader.problems)}


def statistics(tasks: Sequence[str], request: Request) -> Iterator[DataTable]:
    """LoCoMo's counts: sessions, turns, photos, and questions by kind."""
    refuse_unknown(request.options, OPTIONS, f"suite {NAME}")
    talks: list[Conversation]
    if request.data is not None:
        talks = list(TalkReader(_file(request.data, request), TALK).conversations())[: request.rows]
    else:
        rows = ROWS if request.rows is None else request.rows
        talks = list(generated(rows, request.seed, _made_by(request)))
    yield counted("Talk", talks)


SUITE = Suite(
    name=NAME,
    title="Talk: months of chat between two people in LoCoMo's style, made up by rules",
    paper="in the style of arXiv:2402.17753",
    licence="generated conversations are yours",
    version=VERSION,
    tasks=(Task(f"{NAME}/qa", "conversations of 19 to 32 sessions, some 120 questions each", ROWS, load, OPTIONS),),
    data=TalkFiles(),
    rubrics=rubrics(NAME),
    scorer=PaperScores(NAME, TALK),
    statistics=statistics,
)
