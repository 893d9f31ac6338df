"""hipporag's walk on a large store: seconds for a question, beside other ways to work out the same PageRank.

python benchmarks/pagerank.py                      # 100,000 triples
python benchmarks/pagerank.py --triples 1000000 --walk-only

Every way starts from the same graph and ends at the same ranks to six digits, which is checked. `networkx` is its
pagerank(), which turns the graph into a matrix for each question; `power iteration` multiplies a matrix of scipy's that
is there already. The store is filled with sentences of made-up words, in which a few things are named often and most of
them once or twice.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from itertools import islice

import networkx
import numpy as np
from scipy.sparse import coo_array

from memtriage.core.episode import Session, Turn
from memtriage.systems.designs.hipporag.memory import HippoRAG
from memtriage.systems.designs.hipporag.pagerank import Links

LIMIT = 0.3
DAMPING, CLOSE = 0.5, 1e-9
QUESTIONS = 10
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()


def things(rng: random.Random, count: int) -> list[str]:
    """So many different names of two words."""
    found: dict[str, None] = {}
    while len(found) < count:
        one, other = ("".join(rng.choices(SYLLABLES, k=3)) for _ in range(2))
        found[f"{one} {other}"] = None
    return list(found)


def pairs(rng: random.Random, triples: int) -> list[tuple[int, int]]:
    """The ends of triples: half of them are any thing, the other half the better known ones."""
    count = max(2, triples // 2)
    ends = [(int(count * rng.random() ** 3), rng.randrange(count)) for _ in range(triples)]
    return [(one, other) for one, other in ends if one != other]


def walk(triples: int) -> None:
    """PageRank alone."""
    rng = random.Random(7)
    edges = pairs(rng, triples)
    phrases = 1 + max(max(pair) for pair in edges)
    joined = [(one, other, 1.0) for one, other in edges]
    for n, (one, other) in enumerate(edges):  # two triples to a passage
        joined += [(one, phrases + n // 2, 1.0), (other, phrases + n // 2, 1.0)]
    nodes = phrases + (len(edges) + 1) // 2
    starts = []
    for _ in range(QUESTIONS):
        start = np.zeros(nodes)
        start[rng.sample(range(phrases), 8)] = 0.5
        start[phrases:] = 0.05 * np.random.default_rng(rng.randrange(1 << 30)).random(nodes - phrases)
        starts.append(start)
    links = Links()
    links.join(joined)
    began = time.perf_counter()
    links.pagerank(starts[0], DAMPING)
    print(
        f"{len(edges):,} triples, {nodes:,} nodes, {len(joined):,} edges; the first question, with the matrix: ", end=""
    )
    print(f"{time.perf_counter() - began:.2f} s")
    ours = timed("hipporag", lambda: [links.pagerank(start, DAMPING) for start in starts])
    matrix = steps(joined, nodes)
    plain = timed("power iteration, scipy", lambda: [power(matrix, start) for start in starts], ours)
    graph = networkx.Graph()
    graph.add_nodes_from(range(nodes))
    for one, other, weight in joined:
        known = graph.get_edge_data(one, other, {"weight": 0.0})["weight"]
        graph.add_edge(one, other, weight=known + weight)
    tolerance = CLOSE / nodes  # networkx multiplies by the number of nodes
    theirs = timed("networkx", lambda: [ranked(graph, start, tolerance) for start in starts[:3]], ours)
    for mine, other in ((ours[1], plain[1]), (ours[1], theirs[1])):
        off = max(float(np.abs(one - two).max()) for one, two in zip(mine, other, strict=False))
        assert off < 1e-6, off
    print(f"  limit {LIMIT} s a question: ratio {ours[0] / LIMIT:.3f}  {'ok' if ours[0] <= LIMIT else 'OVER'}")


def question(triples: int) -> None:
    """A whole question in a filled store: the triples near it, the walk, the ranking."""
    rng = random.Random(7)
    edges = pairs(rng, triples)
    names = things(rng, 1 + max(max(pair) for pair in edges))
    said = [f"{names[one].capitalize()} makes me {names[other]}." for one, other in edges]
    store = HippoRAG(summarise="rules", granularity="sentence")
    began = time.perf_counter()
    texts = iter(said)
    for n in range(0, len(said), 200):
        store.store_conversation(Session(f"s{n}", (Turn("user", " ".join(islice(texts, 200)), f"s{n}/0"),)))
    stored = time.perf_counter()
    store.retrieve_memories("Anything at all?", Session("q", ()), 10)
    store.retrieve_memories(f"What does {names[0]} make me?", Session("q", ()), 10)
    ready = time.perf_counter()
    print(f"store of {len(said):,} passages: filled in {stored - began:.0f} s, first questions {ready - stored:.0f} s")
    asked = [f"When {names[rng.randrange(len(names))]}, what do I end up with?" for _ in range(QUESTIONS)]
    seconds, _ = timed("a whole question", lambda: [store.retrieve_memories(a, Session("q", ()), 10) for a in asked])
    print(f"  limit {LIMIT} s a question: ratio {seconds / LIMIT:.3f}  {'ok' if seconds <= LIMIT else 'OVER'}")


def timed(
    what: str, work: Callable[[], list[np.ndarray]], beside: tuple[float, object] | None = None
) -> tuple[float, list[np.ndarray]]:
    """Run it, print and return the seconds for one question."""
    began = time.perf_counter()
    found = work()
    each = (time.perf_counter() - began) / len(found)
    print(f"  {what:<26}{each:8.3f} s a question" + (f"   {each / beside[0]:6.1f} times hipporag" if beside else ""))
    return each, found


def steps(edges: list[tuple[int, int, float]], nodes: int) -> coo_array:
    one, other, weights = (np.array(part) for part in zip(*edges, strict=True))
    both = (np.concatenate([one, other]), np.concatenate([other, one]))
    matrix = coo_array((np.concatenate([weights, weights]), both), shape=(nodes, nodes)).tocsr()
    matrix.data /= np.asarray(matrix.sum(axis=0)).reshape(-1)[matrix.indices]
    return matrix


def power(matrix: coo_array, start: np.ndarray) -> np.ndarray:
    start = start / start.sum()
    stuck = np.asarray(matrix.sum(axis=0)).reshape(-1) == 0
    rank = start
    while True:
        following = DAMPING * (matrix @ rank + rank[stuck].sum() * start) + (1 - DAMPING) * start
        if np.abs(following - rank).sum() < CLOSE:
            return following
        rank = following


def ranked(graph: networkx.Graph, start: np.ndarray, tolerance: float) -> np.ndarray:
    found = networkx.pagerank(graph, DAMPING, personalization=dict(enumerate(start.tolist())), tol=tolerance)
    return np.array([found[n] for n in range(len(start))])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triples", type=int, default=100_000)
    parser.add_argument("--walk-only", action="store_true", help="leave out the filled store")
    given = parser.parse_args()
    walk(given.triples)
    if not given.walk_only:
        question(given.triples)
