"""MemoryAgentBench at memory-only depth: what its figures are, printed section by section.

python benchmarks/memoryagentbench.py                                     # every section
python benchmarks/memoryagentbench.py test-time-learning --icl FOLDER     # BANKING77's two files are in the folder
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtriage import registry as plugins
from memtriage.core.episode import Episode, Session, Turn
from memtriage.core.memory import Memory
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose.store import diagnose
from memtriage.diagnose.votes import MEASURE
from memtriage.host.process_memory import resident
from memtriage.metrics.statistics import wilson
from memtriage.suites.memoryagentbench import fact_contexts, fact_questions, numbered_facts
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.generate import factconsolidation, icl
from memtriage.suites.memoryagentbench.generate.plan import MAKERS
from memtriage.systems.adapted import adapt

DEFAULT_FACTS = Path(__file__).parents[2] / "shared" / "data" / "memoryagentbench"
DEFAULT_ICL = Path(__file__).parents[2] / "shared" / "data" / "icl"

SHOTS, QUESTIONS, SEED = 5_900, 100, 42
NEIGHBOURS = (5, 10, 20)
PAPER = {
    "GPT-4o (all in context)": 96,
    "BM25": 89,
    "Contriever": 89,
    "Text-Embed-3-Large": 90,
    "Mem0": 35,
    "Self-RAG": 19,
}
"""The paper's accuracies on BANKING77 in per cent, each with a model that reads and answers."""


@dataclass(frozen=True, slots=True)
class Timed:
    """The verdicts on one system, and the seconds that storing, asking and diagnosing took."""

    verdicts: Sequence[ProbeVerdict]
    storing: float
    asking: float
    diagnosing: float


def examined(told: Episode, system: str, ks: Sequence[int]) -> Timed:
    """One system put through one episode and diagnosed, in this process."""
    memory = adapt(plugins.system(system).build())
    began = time.perf_counter()
    for session in told.sessions:
        memory.store_conversation(session)
    memory.settle()
    kept = {m.id: m for m in memory.get_all_memories()}
    stored = time.perf_counter()
    traces = list(_traces(told, memory.retrieve_memories, ks))
    asked = time.perf_counter()
    history = History(
        Ingest(len(told.sessions), stored - began, memories=len(kept)),
        (Snapshot("end", told.sessions[-1].id, None, tuple(kept)),),
    )
    verdicts = list(
        diagnose(told, history, traces, lambda keys: {k: kept[k].text for k in keys}, "memoryagentbench", system)
    )
    return Timed(verdicts, stored - began, asked - stored, time.perf_counter() - asked)


def _traces(told: Episode, retrieve: Callable[[str, Session, int], list[Memory]], ks: Sequence[int]) -> Iterator[Trace]:
    for probe in told.probes:
        asking = Session("query", (Turn("user", probe.text, "query/0"),))
        for k in ks:
            found = retrieve(probe.text, asking, k)
            shown = tuple(Retrieved(m.id, rank, m.score) for rank, m in enumerate(found, 1))
            yield Trace(probe.id, k, "end", shown)


def rate(values: Sequence[bool]) -> str:
    """A share in per cent with its Wilson interval.

    >>> rate([True, True])
    '100 % [34, 100]'
    """
    low, high = wilson(sum(values), len(values))
    return f"{100 * sum(values) / len(values):.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


def test_time_learning(folders: Mapping[str, Path]) -> None:
    """BANKING77: how often most of the examples brought back have the right label."""
    train, test = (folders["icl"] / f"banking77_{part}.csv" for part in ("train", "test"))
    if not train.exists():
        print(f"test-time learning: BANKING77 is not at {folders['icl']}")
        return
    options = {"from": str(train), "test": str(test), "shots": str(SHOTS)}
    began = time.perf_counter()
    told = episode(next(icl.contexts(MAKERS["icl"].length, QUESTIONS, SEED, options)))
    made = time.perf_counter() - began
    print(f"test-time learning: BANKING77, {SHOTS} examples, {len(told.probes)} questions (made in {made:.1f} s)")
    print(f"  {'system':<30}{'k':>3}  {'majority right':<20}{'label among them':<20}seconds: store, ask, diagnose")
    for system in ("bm25:granularity=paragraph", "dense:granularity=paragraph"):
        found = examined(told, system, NEIGHBOURS)
        for k in NEIGHBOURS:
            at = [verdict for verdict in found.verdicts if verdict.k == k]
            voted = rate([verdict.measures[MEASURE] == 1 for verdict in at])
            there = rate([verdict.verdict == "correct" for verdict in at])
            clock = f"{found.storing:.1f}, {found.asking:.1f}, {found.diagnosing:.1f}" if k == NEIGHBOURS[0] else ""
            print(f"  {system:<30}{k:>3}  {voted:<20}{there:<20}{clock}")
    print("  goal: dense at least 80 %; the paper, with a model that answers: ", end="")
    print(", ".join(f"{name} {accuracy}" for name, accuracy in PAPER.items()))


def selective_forgetting(folders: Mapping[str, Path]) -> None:
    """The released 6k context: do its gold answers follow, and how often does every newest fact come back."""
    context, asked = (
        folders["facts"] / f"factconsolidation_6k_{part}" for part in ("context.txt", "questions_40.json")
    )
    if not context.exists():
        print(f"selective forgetting: the released context is not at {folders['facts']}")
        return
    text, rows = context.read_text(encoding="utf-8"), json.loads(asked.read_bytes())
    world = numbered_facts.read(text, context.name)
    odd = [r for r in rows if {c.answer for c in fact_questions.derive(world, r["question"])} != set(r["golds"])]
    print(f"selective forgetting: {len(world.stated)} facts; {len(rows) - len(odd)} of {len(rows)} gold answers follow")
    for row in odd:
        print(f"  exception: {row['qa_pair_id']}")
    print(f"  {'system':<32}{'k':>3}  {'single-hop: every newest fact':<32}multi-hop")
    for system in ("bm25:granularity=sentence", "dense:granularity=sentence", "bm25", "dense"):
        verdicts: dict[str, Sequence[ProbeVerdict]] = {}
        for hops, kind in (("sh", "factconsolidation-sh"), ("mh", "factconsolidation-mh")):
            mine = [(r["qa_pair_id"], r["question"], tuple(r["golds"])) for r in rows if f"_{hops}_" in r["source"]]
            told = episode(fact_contexts.released_context(hops, kind, kind, text, mine, {}))  # type: ignore[arg-type]
            verdicts[hops] = examined(told, system, (2, 5, 10)).verdicts
        shown = system if ":" in system else f"{system}, 512-token chunks"
        for k in (2, 5, 10):
            cells = [rate([v.verdict == "correct" for v in verdicts[hops] if v.k == k]) for hops in verdicts]
            print(f"  {shown:<32}{k:>3}  {cells[0]:<32}{cells[1]}")


def long_contexts(folders: Mapping[str, Path]) -> None:
    """How long contexts of growing length take to store, ask and diagnose, and what stays in memory."""
    print("long contexts: FactConsolidation, 100 questions, k = 10, 512-token chunks; seconds, and s per 100k tokens")
    for tokens in (65_000, 131_000, 262_000, 524_000, 1_048_000, 1_400_000):
        for system in ("bm25", "dense"):
            told = episode(next(factconsolidation.contexts(tokens, QUESTIONS, SEED, {})))
            began, before = time.perf_counter(), resident() or 0
            found = examined(told, system, (10,))
            took = time.perf_counter() - began
            grown = max(0, (resident() or 0) - before)
            print(
                f"  {tokens:>9,} tokens  {system:<6} stored {found.storing:5.1f}  asked {found.asking:5.1f}  "
                f"diagnosed {found.diagnosing:5.1f}  in all {took:5.1f}  per 100k {1e5 * took / tokens:5.2f}  "
                f"grown {grown / 1e6:4.0f} MB"
            )


SECTIONS: dict[str, Callable[[Mapping[str, Path]], None]] = {
    "test-time-learning": test_time_learning,
    "selective-forgetting": selective_forgetting,
    "long-contexts": long_contexts,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--icl", type=Path, default=DEFAULT_ICL, help="the folder with BANKING77's two files")
    parser.add_argument("--facts", type=Path, default=DEFAULT_FACTS, help="the folder with the released 6k context")
    chosen = parser.parse_args()
    for name in chosen.sections or SECTIONS:
        SECTIONS[name]({"icl": chosen.icl, "facts": chosen.facts})
