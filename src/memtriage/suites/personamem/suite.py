"""The PersonaMem suite: what a user told a chatbot over many sessions, and whether it answers them accordingly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.core.suite import DataTable, Loaded, Request, Suite, Task
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.kit.options import count_of, one_of, refuse_unknown, switch_of
from memtriage.suites.personamem import version_1, version_2
from memtriage.suites.personamem.data import NOT_GENERATED, PersonaMemFiles
from memtriage.suites.personamem.episodes import ANSWERS, Layout, Version
from memtriage.suites.personamem.grading import RUBRICS
from memtriage.suites.personamem.history import SUITE as NAME

VERSION = "1"
ROWS: dict[Version, int] = {"v1": 37, "v2": 200}
_BOTH = {
    "answers": "choice (default) among the released replies, or free: a reply in free words, which a judge grades",
    "persona": "yes (default) to tell the descriptions of the user in the histories, as the papers do; or no",
    "size": "which of PersonaMem's files: 32k, 128k, or 1M of v1 (default: the smallest in the folder)",
}
OPTIONS: dict[Version, dict[str, str]] = {
    "v1": _BOTH,
    "v2": {**_BOTH, "session_messages": "how many messages make a session of PersonaMem v2, at least (default 20)"},
}


def _load(version: Version, request: Request) -> Loaded:
    refuse_unknown(request.options, OPTIONS[version], f"suite {NAME}/{version}")
    layout = Layout(version, one_of(request.options, "answers", ANSWERS), switch_of(request.options, "persona", True))
    reader = _reader(version, request)
    files = [reader.questions, reader.contexts] if isinstance(reader, version_1.Reader) else [reader.table]
    provenance: dict[str, object] = {
        "suite_version": VERSION,
        "source": "files",
        "files": {str(path): sha256(path) for path in files},
        "rows": 0,
        "answers": layout.answers,
        "persona": layout.persona,
    }
    if isinstance(reader, version_2.Reader):
        provenance |= {"size": reader.size, "session_messages": reader.session}
    return Loaded(_read(reader, request.rows, layout, provenance), provenance)


def _reader(version: Version, request: Request) -> version_1.Reader | version_2.Reader:
    """What reads the files that a request names."""
    if request.data is None:
        raise BadInput(NOT_GENERATED)
    if version == "v1":
        size = one_of(request.options, "size", version_1.SIZES) if request.options.get("size") else ""
        return version_1.Reader(*version_1.find(request.data, size))
    session = count_of(request.options, "session_messages") or version_2.SESSION
    table, folder = version_2.find(request.data)
    there = [size for size in version_2.SIZES if (folder / "data" / f"chat_history_{size}").is_dir()]
    size = one_of(request.options, "size", version_2.SIZES) if request.options.get("size") else (*there, "32k")[0]
    return version_2.Reader(table, folder, size, session)


def _read(
    reader: version_1.Reader | version_2.Reader, rows: int | None, layout: Layout, provenance: dict[str, object]
) -> Iterator[Episode]:
    """The episodes of the files; what is only known at the end is put into `provenance`."""
    read = asked = located = 0
    for history in reader.histories():
        if read == rows:
            break
        read += 1
        episode = layout.episode(history)
        asked += len(episode.probes)
        located += sum(bool(probe.sufficient) for probe in episode.probes)
        yield episode
    provenance |= {"rows": read, "questions": asked, "with_facts": located, "problems": reader.problems}


def load_v1(request: Request) -> Loaded:
    """The histories of version 1, one at a time."""
    return _load("v1", request)


def load_v2(request: Request) -> Loaded:
    """The histories of version 2, one at a time."""
    return _load("v2", request)


def statistics(tasks: Sequence[str], request: Request) -> Iterator[DataTable]:
    """How many questions of each type there are, and of how many it is known where they were told."""
    for version in [name for name in ROWS if name in tasks]:
        asked: Counter[str] = Counter()
        located: Counter[str] = Counter()
        for history in _reader(version, request).histories():
            asked.update(question.tags.get("type", "") for question in history.questions)
            located.update(question.tags.get("type", "") for question in history.questions if question.evidence)
        rows = [(type, count, located[type]) for type, count in sorted(asked.items())]
        yield DataTable(
            f"PersonaMem {version}",
            ("type", "questions", "place known"),
            (*rows, ("all", asked.total(), located.total())),
        )


SUITE = Suite(
    name=NAME,
    title="PersonaMem: what a user told a chatbot over many sessions, and replies that suit them",
    paper="arXiv:2504.14225 (version 1), arXiv:2512.06688 (version 2)",
    licence="MIT (version 1), CC BY 4.0 (version 2); no data come with memtriage",
    version=VERSION,
    tasks=(
        Task(
            f"{NAME}/v1",
            "seven types of queries, asked in the middle of long histories",
            ROWS["v1"],
            load_v1,
            OPTIONS["v1"],
        ),
        Task(
            f"{NAME}/v2",
            "preferences that are revealed but not stated",
            ROWS["v2"],
            load_v2,
            OPTIONS["v2"],
            extra=True,
        ),
    ),
    data=PersonaMemFiles(),
    rubrics=RUBRICS,
    dated=False,
    statistics=statistics,
)
