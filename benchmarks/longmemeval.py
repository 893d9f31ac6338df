"""LongMemEval's flat retrieval against the official way of doing it, on the same files: speed, recall, peak memory.

    pip install rank_bm25                                   # what the official way stands on; used here alone
    python benchmarks/longmemeval.py                        # S and M, a few minutes
    python benchmarks/longmemeval.py --size s --questions 100,400 --pool 20000

The files are this project's own, with generated histories in the official format. `flat-bm25` does what the paper's
script does: the whole file in memory, and for every question a fresh index of rank_bm25 over what the user said, split
at blanks. `bm25` and `dense` read one question at a time, and keep what the user said in this project's systems. Each
line is a process of its own, on one core, and times are those of the processor. Rankings are measured by the same code
on both sides, which does the official measures faster than the script; that is in its favour.

Reading is all it takes from the file to something that can be stored: a list of entries there, an episode here. The
rest is to store, index, rank and measure. How often a session recurs decides how much there is to save: `--pool` says
how many there are to draw from. "late" is the rest in the second half of the questions, by when most were seen;
goals are for that.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memtriage.episode import Episode, Session, Turn
from memtriage.score.retrieval import KS, Values, folded, plain
from memtriage.suites.longmemeval.complaints import Complaints
from memtriage.suites.longmemeval.files import Entries
from memtriage.suites.longmemeval.generate import generated
from memtriage.suites.longmemeval.layout import episode
from memtriage.suites.longmemeval.question import turn_id
from memtriage.suites.longmemeval.reading import Reader
from memtriage.suites.longmemeval.writing import lines
from memtriage.systems.bm25 import BM25
from memtriage.systems.dense import Dense

SIZES = ("s", "m")
QUESTIONS = {"s": "100,400", "m": "25,100"}
GOALS = {"s": 3, "m": 10}
OFFICIAL = "flat-bm25"
SYSTEMS: dict[str, Callable[..., BM25 | Dense]] = {"bm25": BM25, "dense": Dense}
WAYS = (OFFICIAL, *SYSTEMS)
GRANULARITIES = ("turn", "session")
SEED = 6
ALL = 1 << 30
DEEP = 2 * KS[-1]
"""Memories to ask for at first: in a large store mostly enough to see as many sessions as the measures look at."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table: what reading took and what all else did, in seconds, and that of the second half."""

    way: str
    granularity: str
    questions: int
    reading: float
    rest: float
    late: float
    peak_mb: float
    recall: dict[str, float]


class Clock:
    """Processor time, question by question."""

    def __init__(self) -> None:
        self.reading = 0.0
        self.rest: list[float] = []
        self._last = time.process_time()

    def read(self) -> None:
        """What passed since the last time went into reading."""
        self.reading += self._passed()

    def asked(self) -> None:
        """What passed since the last time went into one question."""
        self.rest.append(self._passed())

    def late(self) -> float:
        """What a question took in the second half."""
        half = self.rest[len(self.rest) // 2 :]
        return sum(half) / len(half)

    def _passed(self) -> float:
        before, self._last = self._last, time.process_time()
        return self._last - before


# --- the two ways -------------------------------------------------------------------------------------------------


class Recall:
    """The measures of rankings, added up; questions without anything to find on the user's side don't count."""

    def __init__(self) -> None:
        self.count = 0
        self._sums: dict[str, float] = {}

    def add(self, granularity: str, ranking: Iterable[tuple[str, str]], gold: dict[str, str]) -> None:
        """`ranking` gives each place's turn ("" for a whole session) and session, `gold` each gold turn's session."""
        if not gold:
            return
        self.count += 1
        ranked = list(ranking)
        if granularity == "turn":
            self._sum("turn", plain((turn for turn, _ in ranked), gold, KS))
            self._sum("session", folded((((turn,), (session,)) for turn, session in ranked), gold, KS))
        else:
            self._sum("session", plain((session for _, session in ranked), set(gold.values()), KS))

    def means(self) -> dict[str, float]:
        return {name: total / self.count for name, total in self._sums.items()}

    def _sum(self, level: str, values: dict[int, Values]) -> None:
        for k in (5, 10):
            name = f"{level}@{k}"
            self._sums[name] = self._sums.get(name, 0.0) + values[k].recall_all


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
        recall.add(granularity, (ids[place] for place in order), gold)
        clock.asked()
    return clock, recall


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
        recall.add(granularity, _ranking(memory, asked, granularity), _gold(asked))
        clock.asked()
    return clock, recall


def _read(file: Path) -> Iterator[Episode]:
    complaints = Complaints(file)
    reader = Reader(complaints)
    for number, entry in Entries(file, complaints.of_file):
        if question := reader.question(number, entry):
            yield episode(question, "s")
    assert not complaints.lines(), complaints.lines()


def _ranking(memory: BM25 | Dense, asked: Episode, granularity: str) -> list[tuple[str, str]]:
    """What stands at each place, as deep as the measures look: what comes at any k is the beginning of one ranking."""
    (probe,) = asked.probes
    for most in (DEEP, ALL) if len(asked.sessions) > DEEP else (ALL,):
        found = memory.retrieve_memories(probe.text, Session("now", (), probe.asked_at), most)
        if granularity == "session":
            places = [("", one.id) for one in found]
        else:
            places = [(one.id, one.id.rpartition("_")[0]) for one in found]
        if len({session for _, session in places}) >= KS[-1]:
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
    clock, recall = official(file, granularity) if way == OFFICIAL else ours(file, way, granularity)
    rest, count = sum(clock.rest), len(clock.rest)
    return Measured(way, granularity, count, clock.reading, rest, clock.late(), _peak_mb(), recall.means())


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


def compared(size: str, questions: list[int], pool: int, ways: list[str], folder: Path) -> None:
    """Every way through files of so many questions, side by side."""
    for count in questions:
        file = folder / f"longmemeval_{size}.json"
        _run("--write", file, size, count, pool)
        print(f"\n{size.upper()}: {count} questions, {file.stat().st_size >> 20:,} MB")
        print(f"  {'':18}{'per question, ms':>27}{'questions/s':>22}{'peak':>10}  recall_all")
        print(f"  {'':18}{'reading':>9}{'rest':>9}{'late':>9}{'rest':>11}{'with reading':>13}")
        for granularity in GRANULARITIES:
            base: Measured | None = None
            for way in ways:
                found = Measured(**json.loads(_run("--one", file, way, granularity)))
                base = found if way == OFFICIAL else base
                _print(found, base, GOALS[size])


def _run(*arguments: object) -> str:
    """What this script says to these arguments. A process starts with its parent's peak: keep that small."""
    command = [sys.executable, __file__, *map(str, arguments)]
    finished = subprocess.run(command, check=False, capture_output=True, text=True)
    if finished.returncode:
        sys.exit(finished.stderr.strip())
    return finished.stdout


def _print(found: Measured, base: Measured | None, goal: float) -> None:
    reading, rest = (1000 * seconds / found.questions for seconds in (found.reading, found.rest))
    recall = "  ".join(f"{name} {value:.3f}" for name, value in found.recall.items())
    print(
        f"  {found.way:10}{found.granularity:8}{reading:9.1f}{rest:9.1f}{1000 * found.late:9.1f}"
        f"{1000 / rest:11.0f}{1000 / (rest + reading):13.0f}{found.peak_mb:7.0f} MB  {recall}"
        f"{_against(found, base, goal)}",
        flush=True,
    )


def _against(found: Measured, base: Measured | None, goal: float) -> str:
    if base is None or base is found:
        return ""
    times, late = base.rest / found.rest, base.late / found.late
    all_in_all = (base.rest + base.reading) / (found.rest + found.reading)
    held = all(found.recall[name] >= base.recall[name] for name in base.recall)
    goals = f" (goal {goal:g}: {'ok' if late >= goal and held else 'BELOW'})" if found.way == "bm25" else ""
    return f"  rest {times:.1f} x, late {late:.1f} x{goals}, with reading {all_in_all:.1f} x"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, action="append", help="default: both")
    parser.add_argument("--questions", help="how many, such as 50,200")
    parser.add_argument("--pool", type=int, default=0, help="chats to draw from; default: the suite's own")
    parser.add_argument("--way", choices=WAYS, action="append", help="default: all")
    parser.add_argument("--one", nargs=3, metavar=("FILE", "WAY", "GRANULARITY"), help="one line, as JSON")
    parser.add_argument("--write", nargs=4, metavar=("FILE", "SIZE", "QUESTIONS", "POOL"), help="only make a file")
    chosen = parser.parse_args()
    if chosen.write:
        path, size, count, pool = chosen.write
        with Path(path).open("wb") as opened:
            opened.writelines(lines(generated(size, int(count), SEED, {"pool": pool} if int(pool) else {})))
    elif chosen.one:
        file, way, granularity = chosen.one
        print(json.dumps(asdict(measure(Path(file), way, granularity))))
    else:
        for size in chosen.size or SIZES:
            counts = [int(count) for count in (chosen.questions or QUESTIONS[size]).split(",")]
            with tempfile.TemporaryDirectory() as folder:
                compared(size, counts, chosen.pool, chosen.way or list(WAYS), Path(folder))


if __name__ == "__main__":
    main()
