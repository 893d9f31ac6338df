"""The tables of MemoryAgentBench's paper about its data: metrics and lengths (1), contexts and questions (5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memtriage.core.errors import BadInput
from memtriage.core.suite import Cell, DataTable, Loaded, Request
from memtriage.suites.memoryagentbench.chunks import chunk_in
from memtriage.suites.memoryagentbench.grading import METRICS
from memtriage.suites.memoryagentbench.kinds import SPECS, Competency, Kind
from memtriage.text.tokens import count_all

COLUMNS_1 = ("Category", "Dataset", "Metrics", "AvgL.", "Description")
COLUMNS_5 = ("Capability", "Tasks", "# of Sequences : QAs", "Avg Len")

CAPABILITIES: dict[Competency, str] = {
    "accurate-retrieval": "Accurate Retrieval",
    "test-time-learning": "Test-time Learning",
    "long-range-understanding": "Long Range Understanding",
    "selective-forgetting": "Selective Forgetting",
}
TITLES: dict[Kind, str] = {
    "sh-docqa": "SH-Doc QA",
    "mh-docqa": "MH-Doc QA",
    "longmemeval": "LongMemEval (S*)",
    "eventqa": "EventQA",
    "icl": "MCC",
    "recommendation": "Movie Recommendation",
    "summarization": "∞Bench-Sum",
    "detective": "Detective QA",
    "factconsolidation-sh": "FactConsolidation-SH",
    "factconsolidation-mh": "FactConsolidation-MH",
}
"""The paper's names of the datasets."""

_METRICS = {"Recall@5": "Recall@5", "judge F1": "F1-Score"}
"""What the paper calls a metric that is not an accuracy."""


Loader = Callable[[Kind, Request], Loaded]


@dataclass(slots=True)
class _Counted:
    """The contexts of one dataset."""

    kind: Kind
    name: str
    contexts: int = 0
    questions: int = 0
    tokens: int = 0

    @property
    def length(self) -> str:
        """The mean length of a context, as the paper writes it."""
        mean = self.tokens / self.contexts
        return f"{mean / 1e6:.3g}M" if mean >= 1e6 else f"{mean / 1000:.0f}K"


def statistics(load: Loader, kinds: Sequence[Kind], request: Request) -> Iterator[DataTable]:
    """Tables 1 and 5 for generated contexts, or for those of files; of several kinds, those that are there."""
    counted: list[_Counted] = []
    missing: BadInput | None = None
    for kind in kinds:
        try:
            counted += _count(load, kind, request)
        except BadInput as error:
            if request.data is None or len(kinds) == 1:
                raise
            missing = error
    if not counted and missing is not None:
        raise missing
    first: list[tuple[Cell, ...]] = []
    fifth: list[tuple[Cell, ...]] = []
    for each in counted:
        spec = SPECS[each.kind]
        metric = _METRICS.get(METRICS[each.kind], "Accuracy")
        first.append((CAPABILITIES[spec.competency], each.name, metric, each.length, spec.summary))
        fifth.append((CAPABILITIES[spec.competency], each.name, f"{each.contexts} : {each.questions}", each.length))
    yield DataTable("MemoryAgentBench, table 1", COLUMNS_1, tuple(first))
    yield DataTable("MemoryAgentBench, table 5", COLUMNS_5, tuple(fifth))


def _count(load: Loader, kind: Kind, request: Request) -> list[_Counted]:
    """The datasets of a kind: several where its contexts come from several sources."""
    found: dict[str, _Counted] = {}
    for episode in load(kind, request).episodes:
        source = episode.probes[0].tags["source"] if episode.probes else ""
        counted = found.setdefault(source, _Counted(kind, TITLES[kind]))
        counted.contexts += 1
        counted.questions += len(episode.probes)
        counted.tokens += count_all([chunk_in(session, kind) for session in episode.sessions])
    if len(found) > 1:
        for source, counted in found.items():
            counted.name = f"{TITLES[kind]}: {source}"
    return list(found.values())
