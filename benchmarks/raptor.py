"""How long raptor's tree takes to build without a model, beside one flat sweep of mixtures over the same vectors.

    python benchmarks/raptor.py                    # 10,000 chunks of a made-up context: some minutes
    python benchmarks/raptor.py --chunks 2000

The peer is what RAPTOR's own code does once for each cluster: a Gaussian mixture with every number of components from 1
to 49, fitted to the reduced vectors with scikit-learn's defaults. Both run on one thread; seconds at work are those of
the processor, which others on the machine don't change much. The tree must be at work for less than two minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from memtriage import registry
from memtriage.core.episode import Session
from memtriage.core.suite import Request
from memtriage.systems.designs.raptor.clusters import reduced
from memtriage.systems.designs.raptor.memory import Raptor

LIMIT = 120.0
QUESTIONS = 20
TOKENS_PER_CHUNK = 90
"""What a chunk of at most 100 tokens holds on average, as it ends with a sentence."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--no-peer", action="store_true", help="leave out the flat sweep")
    arguments = parser.parse_args()
    system = filled(arguments.chunks)
    begun, working = time.perf_counter(), time.process_time()
    system.settle()
    seconds, working = time.perf_counter() - begun, time.process_time() - working
    tree = system._tree
    print(f"chunks: {tree.leaves:,}   layers: {' > '.join(f'{len(layer):,}' for layer in tree.layers)}")
    print(f"summaries by rule: {len(tree.nodes):,}")
    print(f"tree: {seconds:.1f} s, of which {working:.1f} s at work")
    begun = time.process_time()
    for _ in range(QUESTIONS):
        system.retrieve_memories("Which of them was built first?", Session("now", ()), 10)
    print(f"a question: {(time.process_time() - begun) / QUESTIONS * 1000:.1f} ms at work")
    if not arguments.no_peer:
        flat, components = sweep(system)
        print(f"flat sweep: {flat:.1f} s at work (lowest BIC: {components} components)")
        print(f"tree / flat sweep: {working / flat:.2f}")
    if working > LIMIT:
        sys.exit(f"the tree took more than {LIMIT:.0f} s at work")


def filled(chunks: int) -> Raptor:
    """A store of so many chunks of a made-up context."""
    task = registry.tasks("memoryagentbench/sh-docqa")[1][0]
    (episode,) = task.load(Request(rows=1, options={"length": str(chunks * TOKENS_PER_CHUNK)})).episodes
    system = Raptor(summarise="rules")
    begun = time.perf_counter()
    for session in episode.sessions:
        system.store_conversation(session)
        if len(system._leaves) >= chunks:
            break
    print(f"storing: {time.perf_counter() - begun:.1f} s")
    return system


def sweep(system: Raptor) -> tuple[float, int]:
    """The seconds that the flat sweep takes, and the number of components that it settles on."""
    begun = time.process_time()
    points = reduced(system._leaf_matrix())
    bics = {}
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        for count in range(1, 50):
            bics[count] = GaussianMixture(count, random_state=0).fit(points).bic(points)
    return time.process_time() - begun, min(bics, key=lambda count: bics[count])


if __name__ == "__main__":
    main()
