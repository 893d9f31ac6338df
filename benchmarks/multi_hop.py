"""Chains of facts without a model: how often every link of a chain is among what a system brings back.

python benchmarks/multi_hop.py                                # every section that has its data
python benchmarks/multi_hop.py long-hop --memfail DIR         # the folder with MemFail's released files
python benchmarks/multi_hop.py generated --seeds 5            # chains that were generated, from so many seeds
python benchmarks/multi_hop.py facts --facts DIR              # the folder with the released 6k context

Success is what memtriage calls it: the k retrieved memories hold all facts that a question needs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from memoryagentbench import DEFAULT_FACTS, examined, rate

from memtriage import registry as plugins
from memtriage.core.episode import Episode
from memtriage.core.suite import Request
from memtriage.suites.memoryagentbench import fact_contexts
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.generate import factconsolidation
from memtriage.suites.memoryagentbench.kinds import Kind

DEFAULT_MEMFAIL = Path(__file__).parents[2] / "shared" / "data" / "memfail"
KIND: Kind = "factconsolidation-mh"
KS = (5, 10, 20)
SYSTEMS = ("bm25", "dense", "graph:summarise=rules", "raptor:summarise=rules", "hipporag:summarise=rules")


def table(title: str, episodes: Sequence[Episode], systems: Sequence[str], ks: Sequence[int] = KS) -> None:
    """A line for each system: its success at each k, with 95 % intervals."""
    count = sum(len(each.probes) for each in episodes)
    print(
        f"{title}: {count} questions\n  {'system':<50}" + "".join(f"{f'k = {k}':<18}" for k in ks) + "store, ask in s"
    )
    for system in systems:
        found = [examined(each, system, ks) for each in episodes]
        verdicts = [verdict for each in found for verdict in each.verdicts]
        cells = [rate([v.verdict == "correct" for v in verdicts if v.k == k]) for k in ks]
        clock = f"{sum(each.storing for each in found):.1f}, {sum(each.asking for each in found):.1f}"
        print(f"  {system:<48}" + "".join(f"{cell:<18}" for cell in cells) + clock, flush=True)


def long_hop(chosen: argparse.Namespace) -> None:
    """MemFail's released chains."""
    if not chosen.memfail.is_dir():
        print(f"long-hop, released: no files at {chosen.memfail}")
        return
    table("long-hop, released", _chains(Request(data=chosen.memfail)), chosen.systems)


def generated(chosen: argparse.Namespace) -> None:
    """Generated chains, as many as the paper has for each seed; a store for each seed."""
    made = [each for seed in _seeds(chosen) for each in _chains(Request(seed=seed))]
    table(f"long-hop, generated, {chosen.seeds} seeds from {chosen.first} on", made, chosen.systems)


def facts(chosen: argparse.Namespace) -> None:
    """FactConsolidation, multi-hop: the released 6k context, and generated ones; a memory is one fact."""
    systems = [
        f"{each}{',' if ':' in each else ':'}granularity=sentence"
        for each in chosen.systems
        if not each.startswith("graph")
    ]
    context, asked = (chosen.facts / f"factconsolidation_6k_{part}" for part in ("context.txt", "questions_40.json"))
    if context.exists():
        rows = [row for row in json.loads(asked.read_bytes()) if "_mh_" in row["source"]]
        mine = [(row["qa_pair_id"], row["question"], tuple(row["golds"])) for row in rows]
        text = context.read_text(encoding="utf-8")
        told = episode(fact_contexts.released_context("mh", KIND, KIND, text, mine, {}))
        table("FactConsolidation, multi-hop, released 6k", [told], systems)
    else:
        print(f"FactConsolidation, released: no context at {chosen.facts}")
    made = [episode(next(factconsolidation.contexts(6_000, 100, seed, {}, KIND))) for seed in _seeds(chosen)]
    table(f"FactConsolidation, multi-hop, generated 6k, {chosen.seeds} seeds from {chosen.first} on", made, systems)


def _seeds(chosen: argparse.Namespace) -> range:
    return range(chosen.first, chosen.first + chosen.seeds)


def _chains(request: Request) -> list[Episode]:
    task = next(task for task in plugins.suite("memfail").tasks if task.name == "memfail/long-hop")
    return list(task.load(request).episodes)


SECTIONS: dict[str, Callable[[argparse.Namespace], None]] = {
    "long-hop": long_hop,
    "generated": generated,
    "facts": facts,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument(
        "--memfail", type=Path, default=DEFAULT_MEMFAIL, help="the folder with MemFail's released files"
    )
    parser.add_argument("--facts", type=Path, default=DEFAULT_FACTS, help="the folder with the released 6k context")
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds generated rows come from")
    parser.add_argument("--first", type=int, default=201, help="the first of them")
    parser.add_argument("--system", dest="systems", action="append", help="instead of the usual ones; may be repeated")
    given = parser.parse_args()
    given.systems = given.systems or list(SYSTEMS)
    for name in given.sections or SECTIONS:
        SECTIONS[name](given)
