"""mosaic's stores: writing, opening and searching at a thousand to a million turns, beside plain indexes.

python benchmarks/mosaic_store.py                                   # 1e3, 1e4 and 1e5 turns, in memory and in SQLite
python benchmarks/mosaic_store.py --turns 572000 --store sqlite     # a million statements: 20 minutes, 2 GB of disk
python benchmarks/mosaic_store.py --postgresql postgresql://host/name

Turns are sentences of MEME's generated chats, each with a sentence about a made-up name of its own; a question asks for
one of these, so that it is known which turn answers it. Times are milliseconds of this process's processor time,
which a busy machine hardly changes: to write a turn (many at once), to open, for the first question and for others.
`found` is how often in a hundred the turn was among the ten best, `bytes` the disk for a turn.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from memtriage import registry
from memtriage.core.suite import Request
from memtriage.systems.designs.mosaic.memory import Entry, MosaicMemory
from memtriage.systems.retrieval.dense import shared_embedder
from memtriage.text.sentences import sentences

SEED, QUESTIONS, K = 301, 60, 10
AT_ONCE = 10_000
"""Turns in one batch."""
Ask = Callable[[str], Sequence[int]]


class Said:
    """Varied turns without end, and questions about single ones."""

    def __init__(self, seed: int) -> None:
        self._chosen = random.Random(seed)
        task = next(task for task in registry.suite("meme").tasks if task.name == "meme/personal-life")
        told = [each for n in range(3) for each in task.load(Request(seed=seed + n, rows=10)).episodes]
        turns = [turn.text for each in told for session in each.sessions for turn in session.turns]
        self.pool = list(dict.fromkeys(part for text in turns for part in sentences(text) if len(part) < 200))
        words = list(dict.fromkeys(word for part in self.pool for word in re.findall(r"[a-z]{5,}", part)))
        self._things = words[:4000]
        self._names = [self._made() for _ in range(40_000)]
        self._places = [self._made() for _ in range(8_000)]

    def turns(self, count: int) -> Iterator[tuple[Entry, str]]:
        """Turns with the question that each answers."""
        chosen = self._chosen
        for n in range(count):
            name, place = self._often(self._names), self._often(self._places)
            thing, other = chosen.choice(self._things), chosen.choice(self._things)
            own = f"{name} showed me the {thing} {other} near {place}."
            text = f"{chosen.choice(self.pool)} {own}" if n % 4 else own
            question = f"What did {name} show me near {place}, was it the {thing}?"
            yield Entry(f"t{n}", text, "user", f"s{n // 20}", f"2026-{1 + n % 12:02}-{1 + n % 28:02}"), question

    def _often(self, words: Sequence[str]) -> str:
        """One of some words: a few are frequent, most are rare."""
        return words[int(len(words) * self._chosen.random() ** 3)]

    def _made(self) -> str:
        parts = (
            "ka",
            "lo",
            "mer",
            "tin",
            "sha",
            "vor",
            "bel",
            "dun",
            "ri",
            "os",
            "pel",
            "gra",
            "wy",
            "fen",
            "hu",
            "zan",
        )
        return "".join(self._chosen.choices(parts, k=self._chosen.randint(2, 4))).capitalize()


def main(chosen: argparse.Namespace) -> None:
    print(f"{'turns':>8}  {'':<22}{'write':>8}{'open':>9}{'first':>8}{'p50':>8}{'p95':>8}{'found':>7}{'bytes':>8}")
    for count in chosen.turns:
        said = Said(SEED)
        told = list(said.turns(count))
        picked = random.Random(SEED).sample(range(count), QUESTIONS)
        asked = [(n, told[n][1]) for n in picked]
        entries = [entry for entry, _ in told]
        del told
        with tempfile.TemporaryDirectory() as folder:
            for store in chosen.stores:
                STORES[store](store, entries, asked, chosen.folder or Path(folder), chosen)


def mosaic(
    store: str, entries: Sequence[Entry], asked: Sequence[tuple[int, str]], folder: Path, chosen: argparse.Namespace
) -> None:
    """mosaic in memory, in a file or in PostgreSQL."""
    path = folder / f"{len(entries)}.mosaic"
    there = path.exists() if store == "sqlite" else False  # from an earlier run, perhaps one that was stopped
    where = None if store == "memory" else str(path) if store == "sqlite" else chosen.postgresql
    user = "benchmark" if store == "sqlite" else f"{len(entries)} turns, {time.time()}"
    memory = MosaicMemory() if where is None else MosaicMemory.open(where, user=user)
    if not there:
        memory.add("Something to begin with.", id="first")
        memory.forget("first")  # the embedder is there now
    began = time.process_time()
    rest = islice(entries, len(memory), None)
    while batch := list(islice(rest, AT_ONCE)):
        before = time.process_time()
        with memory.batch():
            memory.add_all(batch)
        if chosen.progress:
            each = 1e3 * (time.process_time() - before) / len(batch)
            print(f"{len(memory):>8}  {'':<22}{each:8.3f}  {_peak_mb():.0f} MB", flush=True)
    wrote = float("nan") if there else time.process_time() - began
    opened = 0.0
    if where is not None:
        memory.close()
        began = time.process_time()
        memory = MosaicMemory.open(where, user=user)
        opened = time.process_time() - began
    size = path.stat().st_size if store == "sqlite" else 0
    print(f"{'':>10}{memory.statement_count:,} statements")
    _line(
        len(entries),
        f"mosaic, {store}",
        wrote,
        opened,
        lambda q: [_number(h.entry) for h in memory.search(q, K)],
        asked,
        size,
    )
    if chosen.sketches:
        _sketches(memory, [question for _, question in asked])
    if store != "memory":
        began, clock = single, _ = time.process_time(), time.perf_counter()
        for n in range(200):
            memory.add(f"{entries[n].text} Once more.", id=f"single{n} {began}")
        cpu, waited = time.process_time() - began, time.perf_counter() - clock
        print(f"{'':>10}single turns, each safe when it returns: {5 * cpu:.2f}; by the clock {5 * waited:.2f}")
        began = time.process_time()
        for n in range(10):
            memory.forget(f"single{n} {single}")
        print(f"{'':>10}forgetting one: {100 * (time.process_time() - began):.1f}", flush=True)
    memory.close()


def _sketches(memory: MosaicMemory, questions: Sequence[str]) -> None:
    """How many of the ten nearest sentences are among the thousand that their sketches say are nearest."""
    vectors = memory._vectors
    kept = []
    for question in questions[:20]:
        vector = vectors.embedded_query(question)
        nearest = np.argsort(-vectors.likeness(vector), kind="stable")[:10]
        kept.append(np.isin(nearest, np.argsort(-vectors.likely(vector), kind="stable")[:1000]).mean())
    print(
        f"{'':>10}of the ten nearest sentences {100 * np.mean(kept):.0f} % are among the 1000 nearest by their sketches"
    )


def words_alone(
    store: str, entries: Sequence[Entry], asked: Sequence[tuple[int, str]], folder: Path, chosen: argparse.Namespace
) -> None:
    """bm25s: the same texts by their words."""
    import bm25s

    began = time.process_time()
    index = bm25s.BM25()
    index.index(bm25s.tokenize([entry.text for entry in entries], show_progress=False), show_progress=False)
    wrote = time.process_time() - began
    index.save(folder / "bm25s")
    clock = time.process_time()
    index = bm25s.BM25.load(folder / "bm25s", mmap=True)
    opened = time.process_time() - clock

    def ask(question: str) -> list[int]:
        found, _ = index.retrieve(bm25s.tokenize(question, show_progress=False), k=K, show_progress=False, n_threads=1)
        return [int(n) for n in found[0]]

    size = sum(each.stat().st_size for each in (folder / "bm25s").iterdir())
    _line(len(entries), store, wrote, opened, ask, asked, size)


def vectors_alone(
    store: str, entries: Sequence[Entry], asked: Sequence[tuple[int, str]], folder: Path, chosen: argparse.Namespace
) -> None:
    """usearch: one vector for each turn, in a graph."""
    from usearch.index import Index

    embedder = shared_embedder("wordllama")
    began = time.process_time()
    index = Index(ndim=embedder.dimensions, metric="cos", dtype="f16")
    for start in range(0, len(entries), 1024):
        texts = [entry.text for entry in entries[start : start + 1024]]
        index.add(np.arange(start, start + len(texts)), np.asarray(embedder.embed(texts), dtype=np.float32))
    wrote = time.process_time() - began
    index.save(str(folder / "usearch"))
    clock = time.process_time()
    index.view(str(folder / "usearch"))
    opened = time.process_time() - clock

    def ask(question: str) -> list[int]:
        return [int(key) for key in index.search(np.asarray(embedder.embed([question]), dtype=np.float32)[0], K).keys]

    _line(len(entries), store, wrote, opened, ask, asked, (folder / "usearch").stat().st_size)


def fts5(
    store: str, entries: Sequence[Entry], asked: Sequence[tuple[int, str]], folder: Path, chosen: argparse.Namespace
) -> None:
    """SQLite's own full-text search, with stems."""
    path = folder / "fts5.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("create virtual table said using fts5 (text, tokenize = 'porter')")
    began = time.process_time()
    for start in range(0, len(entries), AT_ONCE):
        batch = [(entry.text,) for entry in entries[start : start + AT_ONCE]]
        connection.executemany("insert into said values (?)", batch)
        connection.commit()
    wrote = time.process_time() - began
    connection.close()
    clock = time.process_time()
    connection = sqlite3.connect(path)
    opened = time.process_time() - clock

    def ask(question: str) -> list[int]:
        words = " OR ".join(re.findall(r"\w+", question))
        rows = connection.execute("select rowid from said where said match ? order by rank limit ?", (words, K))
        return [rowid - 1 for (rowid,) in rows]

    _line(len(entries), store, wrote, opened, ask, asked, path.stat().st_size)
    connection.close()


def _line(
    count: int, name: str, wrote: float, opened: float, ask: Ask, asked: Sequence[tuple[int, str]], size: int
) -> None:
    """Ask all questions, and print what everything took."""
    took, found, first = [], 0, 0.0
    for n, (wanted, question) in enumerate([asked[0], *asked]):
        began = time.process_time()
        hits = ask(question)
        spent = 1e3 * (time.process_time() - began)
        if n:
            took.append(spent)
            found += wanted in hits
        else:
            first = spent  # whatever is only read for the first question
    p50, p95 = np.percentile(took, [50, 95])
    shown = f"{size / count:8.0f}" if size else f"{'':>8}"
    print(
        f"{count:>8}  {name:<22}{1e3 * wrote / count:8.3f}{1e3 * opened:9.1f}{first:8.1f}{p50:8.1f}{p95:8.1f}"
        f"{100 * found / len(asked):7.0f}{shown}",
        flush=True,
    )


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _number(entry: Entry) -> int:
    return int(entry.id[1:]) if entry.id.startswith("t") else -1


STORES = {
    "memory": mosaic,
    "sqlite": mosaic,
    "postgresql": mosaic,
    "bm25s": words_alone,
    "usearch": vectors_alone,
    "fts5": fts5,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--store", dest="stores", action="append", choices=STORES, help="may be repeated")
    parser.add_argument("--sketches", action="store_true", help="how well sketches find the nearest sentences")
    parser.add_argument("--progress", action="store_true", help="what a turn of each batch took, and the most memory")
    parser.add_argument("--postgresql", help="the address of a server that may be filled")
    parser.add_argument(
        "--folder", type=Path, help="where files are put and left; one that is there is filled up and measured"
    )
    given = parser.parse_args()
    given.stores = given.stores or [each for each in STORES if each != "postgresql" or given.postgresql]
    main(given)
