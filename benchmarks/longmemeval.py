"""LongMemEval's flat retrieval against the official way of doing it, on the same files: speed, recall, peak memory.

    pip install rank_bm25                                   # what the official way stands on; used here alone
    python benchmarks/longmemeval.py --times 1              # S and M, some ten minutes and 9 GB for the official way
    python benchmarks/longmemeval.py --size s --questions 100,500 --pool 20000

The files are this project's own, with as many generated histories in the official format as the official files have.
`flat-bm25` does what the paper's script does: the whole file in memory, for every question a fresh index of rank_bm25
over what the user said, split at blanks, and its measures worked out for each k anew. `bm25` and `dense` read one
question at a time, and keep what the user said in this project's systems. Each line is a process of its own, and times
are those of the processor: the script can share its questions out to several processes, which changes none of them.
Left out are what the script writes to its log, and the hash of the file that a run works out beside the reading.

Reading is all it takes from the file to something that can be stored: a list of entries there, an episode here. Ranking
is to store, index and rank; measuring gives recall and NDCG at every k. How often a session recurs decides how much
there is to save: `--pool` says how many there are to draw from. With `--times` each line is measured so often, in
turns, and the fastest counts: other work on the machine makes both ways slower, but not alike.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memtriage.core.episode import Episode, Session, Turn
from memtriage.host.collector import collect_seldom
from memtriage.metrics.retrieval import KS, ValuesAtK, session_values, turn_values
from memtriage.suites.longmemeval.episodes import episode
from memtriage.suites.longmemeval.generate.questions import generate_questions
from memtriage.suites.longmemeval.question import turn_id
from memtriage.suites.longmemeval.released.complaints import Complaints
from memtriage.suites.longmemeval.released.files import Entries
from memtriage.suites.longmemeval.released.reading import QuestionReader
from memtriage.suites.longmemeval.released.writing import encode_questions
from memtriage.systems.retrieval.bm25 import BM25
from memtriage.systems.retrieval.dense import Dense

SIZES = ("s", "m")
QUESTIONS = {"s": "100,500", "m": "100,500"}
GOALS = {"s": 3, "m": 10}
OFFICIAL = "flat-bm25"
SYSTEMS: dict[str, Callable[..., BM25 | Dense]] = {"bm25": BM25, "dense": Dense}
WAYS = (OFFICIAL, *SYSTEMS)
GRANULARITIES = ("turn", "session")
SEED = 6
ALL = 1 << 30
DEEP = 2 * KS[-1]
"""Memories to ask for at first: mostly enough to see as many sessions as the measures look at, or all of the gold."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table; times in seconds."""

    way: str
    granularity: str
    questions: int
    reading: float
    ranking: float
    measuring: float
    peak_mb: float
    recall: dict[str, float]

    @property
    def all(self) -> float:
        return self.reading + self.ranking + self.measuring


class Clock:
    """Processor time, by what it went into."""

    def __init__(self) -> None:
        self.questions = 0
        self.reading = self.ranking = self.measuring = 0.0
        self._last = time.process_time()

    def read(self) -> None:
        self.reading += self._passed()

    def ranked(self) -> None:
        self.ranking += self._passed()

    def measured(self) -> None:
        self.measuring += self._passed()
        self.questions += 1

    def _passed(self) -> float:
        before, self._last = self._last, time.process_time()
        return self._last - before


# --- the two ways -------------------------------------------------------------------------------------------------


class Recall:
    """Means of recall_all; questions without anything to find on the user's side don't count."""

    def __init__(self) -> None:
        self._count = 0
        self._sums: dict[str, float] = {}

    def add(self, values: dict[str, dict[int, ValuesAtK]]) -> None:
        """The measures of one question by level and k."""
        self._count += bool(values)
        for level, found in values.items():
            for k in (5, 10):
                name = f"{level}@{k}"
                self._sums[name] = self._sums.get(name, 0.0) + found[k].recall_all

    def means(self) -> dict[str, float]:
        return {name: total / self._count for name, total in self._sums.items()}


def official(file: Path, granularity: str) -> tuple[Clock, Recall]:
    """The paper's way: everything in memory, rank_bm25 over blanks, an index for every question."""
    bm25 = _rank_bm25()
    clock, recall = Clock(), Recall()
    with file.open(encoding="utf-8") as opened:
        entries = json.load(opened)
    clock.read()
    for entry in entries:
        corpus, ids, gold = _corpus(entry, granularity)
        index = bm25([text.split(" ") for text in corpus])
        order = index.get_scores(entry["question"].split(" ")).argsort()[::-1]
        clock.ranked()
        recall.add(_officially(order, ids, gold, granularity) if gold else {})
        clock.measured()
    return clock, recall


def _officially(
    order: NDArray[np.intp], ids: list[tuple[str, str]], gold: dict[str, str], granularity: str
) -> dict[str, dict[int, ValuesAtK]]:
    """The measures as the script works them out: for every k by itself, over the whole corpus."""
    if granularity == "session":
        wanted = set(gold.values())
        return {"session": {k: _at(k, order, [session for _, session in ids], list(wanted)) for k in KS}}
    of_turns = {k: _at(k, order, [turn for turn, _ in ids], list(gold)) for k in KS}
    sessions = [(session, turn in gold) for turn, session in ids]
    evident = list({(session, True) for session in gold.values()})
    return {"turn": of_turns, "session": {k: _at(_grown(k, order, sessions), order, sessions, evident) for k in KS}}


def _grown(k: int, order: NDArray[np.intp], sessions: list[tuple[str, bool]]) -> int:
    """How many turns it takes to see k sessions."""
    places = k
    while places <= len(sessions) and len({sessions[place] for place in order[:places]}) < k:
        places += 1
    return places


def _at(k: int, order: NDArray[np.intp], ids: Sequence[Hashable], gold: Sequence[Hashable]) -> ValuesAtK:
    found = {ids[place] for place in order[:k]}
    relevant = [id in gold for id in ids]
    ideal, gained = _dcg(sorted(relevant, reverse=True)[:k]), _dcg([relevant[place] for place in order[:k]])
    return ValuesAtK(float(any(id in found for id in gold)), float(all(id in found for id in gold)), gained / ideal)


def _dcg(gains: list[bool]) -> float:
    values = np.asarray(gains, dtype=np.float64)
    return float(values[0] + np.sum(values[1:] / np.log2(np.arange(2, values.size + 1))))


def _corpus(entry: Any, granularity: str) -> tuple[list[str], list[tuple[str, str]], dict[str, str]]:
    corpus: list[str] = []
    ids: list[tuple[str, str]] = []
    gold: dict[str, str] = {}
    for session, messages in zip(entry["haystack_session_ids"], entry["haystack_sessions"], strict=True):
        said = [(turn_id(session, i), one) for i, one in enumerate(messages) if one["role"] == "user"]
        gold |= {turn: session for turn, one in said if one.get("has_answer")}
        if granularity == "turn":
            corpus += [one["content"] for _, one in said]
            ids += [(turn, session) for turn, _ in said]
        else:
            corpus.append(" ".join(one["content"] for _, one in said))
            ids.append(("", session))
    return corpus, ids, {} if entry["question_id"].endswith("_abs") else gold


def ours(file: Path, way: str, granularity: str) -> tuple[Clock, Recall]:
    """This project's way: a question at a time, with what is known of the sessions that were there before."""
    clock, recall = Clock(), Recall()
    for asked in _read(file):
        clock.read()
        memory = SYSTEMS[way](granularity=granularity, roles="user")
        for session in asked.sessions:
            memory.store_conversation(session)
        memory.settle()
        gold = _gold(asked)
        ranking = _ranking(memory, asked, granularity, gold)
        clock.ranked()
        recall.add(_measures(ranking, gold, granularity) if gold else {})
        clock.measured()
    return clock, recall


def _measures(
    ranking: list[tuple[str, str]], gold: dict[str, str], granularity: str
) -> dict[str, dict[int, ValuesAtK]]:
    if granularity == "session":
        return {"session": turn_values((session for _, session in ranking), set(gold.values()), KS)}
    return {
        "turn": turn_values((turn for turn, _ in ranking), gold, KS),
        "session": session_values((((turn,), (session,)) for turn, session in ranking), gold, KS),
    }


def _read(file: Path) -> Iterator[Episode]:
    complaints = Complaints(file)
    reader = QuestionReader(complaints)
    for number, entry in Entries(file, complaints.of_file, chats=True):
        if question := reader.question(number, entry):
            yield episode(question, "s")
    assert not complaints.lines(), complaints.lines()


def _ranking(memory: BM25 | Dense, asked: Episode, granularity: str, gold: dict[str, str]) -> list[tuple[str, str]]:
    """What stands at each place, as deep as the measures look: behind the last of the gold, nothing changes them."""
    (probe,) = asked.probes
    wanted = set(gold if granularity == "turn" else gold.values())
    for most in (DEEP, ALL):
        found = [one.id for one in memory.retrieve_memories(probe.text, Session("now", (), probe.asked_at), most)]
        places = [("", id) if granularity == "session" else (id, id.rpartition("_")[0]) for id in found]
        if wanted.issubset(found) or len({session for _, session in places}) >= KS[-1]:
            break
    return places


def _gold(asked: Episode) -> dict[str, str]:
    """The session of each turn of the user's that a question is about."""
    (probe,) = asked.probes
    wanted = {id.rpartition("_")[0] for id in probe.targets}
    return {
        turn.id: session.id
        for session in asked.sessions
        if session.id in wanted
        for turn in session.turns
        if turn.id in probe.targets and turn.role == "user"
    }


def _rank_bm25() -> Any:
    try:
        from rank_bm25 import BM25Okapi  # type: ignore[import-not-found]
    except ImportError:
        sys.exit("the official way needs rank_bm25: pip install rank_bm25, or leave it out with --way bm25 --way dense")
    return BM25Okapi


# --- measuring ----------------------------------------------------------------------------------------------------


def measure(file: Path, way: str, granularity: str) -> Measured:
    """One way through one file; imports and weights are loaded before the clock starts."""
    _warm_up(way)
    if way != OFFICIAL:
        collect_seldom()  # as `memtriage run` does
    clock, recall = official(file, granularity) if way == OFFICIAL else ours(file, way, granularity)
    times = clock.reading, clock.ranking, clock.measuring
    return Measured(way, granularity, clock.questions, *times, _peak_mb(), recall.means())


def _warm_up(way: str) -> None:
    if way == OFFICIAL:
        _rank_bm25()
        return
    memory = SYSTEMS[way]()
    memory.store_conversation(Session("warm", (Turn("user", "a first sentence about nothing", "warm_1"),)))
    memory.settle()


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def compared(size: str, questions: list[int], pool: int, ways: list[str], times: int, folder: Path) -> None:
    """Every way through files of so many questions, side by side."""
    for count in questions:
        file = folder / f"longmemeval_{size}.json"
        _run("--write", file, size, count, pool)
        print(f"\n{size.upper()}: {count} questions, {file.stat().st_size >> 20:,} MB; ms of the processor a question")
        heads = f"{'reading':>9}{'ranking':>9}{'measuring':>11}{'all':>8}{'questions/s':>13}{'peak':>10}"
        print(f"  {'':18}{heads}  recall_all")
        for granularity in GRANULARITIES:
            tried: dict[str, list[Measured]] = {way: [] for way in ways}
            for _ in range(times):
                for way in ways:
                    tried[way].append(Measured(**json.loads(_run("--one", file, way, granularity))))
            fastest = {way: min(found, key=lambda one: one.all) for way, found in tried.items()}
            for found in fastest.values():
                _print(found, fastest.get(OFFICIAL), GOALS[size])


def _run(*arguments: object) -> str:
    """What this script says to these arguments. A process starts with its parent's peak: keep that small."""
    command = [sys.executable, __file__, *map(str, arguments)]
    finished = subprocess.run(command, check=False, capture_output=True, text=True)
    if finished.returncode:
        sys.exit(finished.stderr.strip())
    return finished.stdout


def _print(found: Measured, base: Measured | None, goal: float) -> None:
    each = [1000 * seconds / found.questions for seconds in (found.reading, found.ranking, found.measuring, found.all)]
    recall = "  ".join(f"{name} {value:.3f}" for name, value in found.recall.items())
    print(
        f"  {found.way:10}{found.granularity:8}{each[0]:9.2f}{each[1]:9.2f}{each[2]:11.2f}{each[3]:8.2f}"
        f"{1000 / each[3]:13.0f}{found.peak_mb:7.0f} MB  {recall}{_against(found, base, goal)}",
        flush=True,
    )


def _against(found: Measured, base: Measured | None, goal: float) -> str:
    if base is None or base is found:
        return ""
    times, without = base.all / found.all, (base.reading + base.ranking) / (found.reading + found.ranking)
    held = all(found.recall[name] >= base.recall[name] for name in base.recall)
    goals = f" (goal {goal:g}: {'ok' if times >= goal and held else 'BELOW'})" if found.way == "bm25" else ""
    return f"  {times:.1f} x{goals}; ranking {base.ranking / found.ranking:.1f} x, all but measuring {without:.1f} x"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, action="append", help="default: both")
    parser.add_argument("--questions", help="how many, such as 50,200")
    parser.add_argument("--pool", type=int, default=0, help="chats to draw from; default: the suite's own")
    parser.add_argument("--way", choices=WAYS, action="append", help="default: all")
    parser.add_argument("--times", type=int, default=3, help="how often each line is measured; the fastest counts")
    parser.add_argument("--one", nargs=3, metavar=("FILE", "WAY", "GRANULARITY"), help="one line, as JSON")
    parser.add_argument("--write", nargs=4, metavar=("FILE", "SIZE", "QUESTIONS", "POOL"), help="only make a file")
    chosen = parser.parse_args()
    if chosen.write:
        path, size, count, pool = chosen.write
        with Path(path).open("wb") as opened:
            opened.writelines(
                encode_questions(generate_questions(size, int(count), SEED, {"pool": pool} if int(pool) else {}))
            )
    elif chosen.one:
        file, way, granularity = chosen.one
        print(json.dumps(asdict(measure(Path(file), way, granularity))))
    else:
        for size in chosen.size or SIZES:
            counts = [int(count) for count in (chosen.questions or QUESTIONS[size]).split(",")]
            with tempfile.TemporaryDirectory() as folder:
                compared(size, counts, chosen.pool, chosen.way or list(WAYS), chosen.times, Path(folder))


if __name__ == "__main__":
    main()
