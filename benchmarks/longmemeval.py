"""LongMemEval's flat retrieval against the official way of doing it, on the same files: speed, recall, peak memory.

    pip install rank_bm25                                   # what the official way stands on; used here alone
    python benchmarks/longmemeval.py                        # S and M, a few minutes
    python benchmarks/longmemeval.py --size s --questions 50,200 --pool 50000

`flat-bm25` does what the paper's script does: the whole file in memory, for every question a fresh index of rank_bm25
over what the user said, split at blanks; with `+log` it also writes the script's log, which repeats every history.
`bm25` and `dense` read one question at a time and keep what the user said in this project's systems. Each line is a
process of its own, on one core; both are measured by the same code, and compared by the processor time they took.

How often a session recurs decides how much there is to save. The official S file is said to have 19,194 sessions at
23,867 places, as if drawn from about 52,000; the suite's own generator draws from 2,400. Both are measured.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from memtriage.episode import Session, Turn
from memtriage.score.retrieval import KS, Values, folded, plain
from memtriage.suites.longmemeval.complaints import Complaints
from memtriage.suites.longmemeval.files import Entries
from memtriage.suites.longmemeval.question import Chat, Dated, Evidence, Message, Question, turn_id
from memtriage.suites.longmemeval.reading import Reader
from memtriage.suites.longmemeval.writing import lines

Size = Literal["s", "m"]
SESSIONS: dict[Size, int] = {"s": 50, "m": 500}
QUESTIONS: dict[Size, str] = {"s": "50,200", "m": "50,200"}
GOALS: dict[Size, float] = {"s": 3, "m": 10}
OFFICIAL = "flat-bm25"
LOGGED = "flat-bm25+log"
WAYS = (OFFICIAL, LOGGED, "bm25", "dense")
GRANULARITIES = ("turn", "session")
POOLS = (2_400, 52_000)
SEED = 6

SYLLABLES = ("ba", "re", "mi", "lo", "ka", "ter", "sun", "vel", "dor", "est", "qua", "pli", "han", "or")
ENDS = ("", "", "", "", "", "s", "ed", "ing", ",")
SMALL = "the a of to and in is it you that with for on as this are be have not but my so can do at from".split()


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table. `seconds` are those of the processor, and `reading` the part that went to the file."""

    way: str
    granularity: str
    questions: int
    seconds: float
    reading: float
    peak_mb: float
    recall: dict[str, float]


# --- the histories ------------------------------------------------------------------------------------------------


def histories(size: Size, questions: int, seed: int, pool: int) -> Iterator[Question]:
    """Questions of one size, whose histories are drawn from the same pool of chats."""
    for number in range(questions):
        rng = random.Random(f"{seed}/{number}")
        told = [_evidence(f"{number}_{i}", rng) for i in range(rng.choice((1, 1, 2, 3)))]
        others = [_other(f"{seed}/{n}", n) for n in rng.sample(range(pool), SESSIONS[size] - len(told))]
        chats = [*others, *(chat for chat, _, _ in told)]
        rng.shuffle(chats)
        history = tuple(
            Dated(f"2023-{1 + i // 56:02}-{1 + i // 2 % 28:02}T1{i % 2}:00", c) for i, c in enumerate(chats)
        )
        asked = " ".join(f"what did I {verb} with the {thing}" for _, verb, thing in told)
        yield Question(
            id=f"q{number}",
            type="multi-session" if len(told) > 1 else "single-session-user",
            text=f"{asked.capitalize()}?",
            answer="it",
            asked_at="2024-01-01T10:00",
            history=history,
            answer_chats=tuple(chat.id for chat, _, _ in told),
            evidence=tuple(Evidence(c.id, 2, (c.messages[2].text.split(" ## ")[0],), ("it",)) for c, _, _ in told),
        )


def _evidence(id: str, rng: random.Random) -> tuple[Chat, str, str]:
    """A chat in which the user mentions something in passing, and the words it can be asked for with."""
    verb, first, second = rng.sample(_words(), 3)
    said = f"By the way, I {verb}ed it while the {first} {second}s were out. ## {_said(rng, 2)}"
    messages = list(_messages(rng))
    messages[2] = Message("user", said, has_answer=True)
    return Chat(f"answer_{id}", tuple(messages)), verb, f"{first} {second}"


@cache
def _other(seed: str, number: int) -> Chat:
    return Chat(f"talk_{number}", tuple(_messages(random.Random(seed))))


def _messages(rng: random.Random) -> Iterator[Message]:
    for _ in range(rng.randint(3, 7)):
        yield Message("user", _said(rng, rng.randint(1, 4)))
        yield Message("assistant", _said(rng, rng.randint(10, 34)))


def _said(rng: random.Random, sentences: int) -> str:
    return " ".join(rng.choices(_sentences(), k=sentences))


@cache
def _sentences() -> list[str]:
    """Sentences of which two words in five are small ones; the others are the rarer the further back they stand."""
    rng, words = random.Random(SEED), _words()
    return [
        " ".join(
            rng.choice(SMALL) if rng.random() < 0.4 else words[int(len(words) ** rng.random()) - 1] + rng.choice(ENDS)
            for _ in range(rng.randint(6, 22))
        ).capitalize()
        + "."
        for _ in range(40_000)
    ]


@cache
def _words() -> list[str]:
    rng = random.Random(SEED)
    return list(dict.fromkeys("".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(24_000)))


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


def official(file: Path, granularity: str, log: Path | None) -> tuple[Recall, float]:
    """The paper's way: everything in memory, rank_bm25 over blanks, an index for every question."""
    bm25 = _rank_bm25()
    recall, begun = Recall(), time.process_time()
    with file.open(encoding="utf-8") as opened:
        entries = json.load(opened)
    reading = time.process_time() - begun
    results = []
    for entry in entries:
        corpus, ids, gold = _corpus(entry, granularity)
        index = bm25([text.split(" ") for text in corpus])
        order = index.get_scores(entry["question"].split(" ")).argsort()[::-1]
        recall.add(granularity, (ids[place] for place in order), gold)
        results.append(entry | {"retrieval_results": [{"id": ids[p], "text": corpus[p]} for p in order]})
    if log is not None:
        with log.open("w", encoding="utf-8") as written:
            written.writelines(json.dumps(result) + "\n" for result in results)
    return recall, reading


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
    return corpus, ids, gold


def ours(file: Path, way: str, granularity: str) -> tuple[Recall, float]:
    """This project's way: a question at a time, its words and vectors from the sessions seen before."""
    from memtriage.plugins import system

    recall, spoken, reading = Recall(), Spoken(), 0.0
    spec = system(f"{way}:granularity={granularity}")
    begun = time.process_time()
    for question in _read(file):
        reading += time.process_time() - begun
        memory: Any = spec.build().system  # as it is, without the checks that strangers need
        sessions = [spoken.session(dated) for dated in question.history]
        for session in sessions:
            memory.store_conversation(session)
        memory.settle()
        found = memory.retrieve_memories(question.text, Session("now", (), question.asked_at), 1 << 30)
        session_of = {turn.id: session.id for session in sessions for turn in session.turns}
        ranking = (("" if len(m.sources) > 1 else m.sources[0], session_of[m.sources[0]]) for m in found)
        recall.add(granularity, ranking, _gold(question))
        begun = time.process_time()
    return recall, reading


def _read(file: Path) -> Iterator[Question]:
    complaints = Complaints(file)
    reader = Reader(complaints)
    for number, entry in Entries(file, complaints.of_file):
        if question := reader.question(number, entry):
            yield question
    assert not complaints.lines(), complaints.lines()


class Spoken:
    """What the user said in a chat; of one that was there lately, the same turns."""

    def __init__(self, most: int = 20_000) -> None:
        self._most = most
        self._turns: dict[int, tuple[Chat, tuple[Turn, ...]]] = {}

    def session(self, dated: Dated) -> Session:
        chat = dated.chat
        if id(chat) not in self._turns:
            if len(self._turns) >= self._most:
                self._turns.clear()
            said = ((i, message.text) for i, message in enumerate(chat.messages) if message.role == "user")
            self._turns[id(chat)] = chat, tuple(Turn("user", text, turn_id(chat.id, i)) for i, text in said)
        return Session(chat.id, self._turns[id(chat)][1], dated.at)


def _gold(question: Question) -> dict[str, str]:
    return {
        turn_id(dated.chat.id, i): dated.chat.id
        for dated in question.history
        for i, message in enumerate(dated.chat.messages)
        if message.has_answer and message.role == "user"
    }


def _rank_bm25() -> Any:
    try:
        from rank_bm25 import BM25Okapi  # type: ignore[import-not-found]
    except ImportError:
        sys.exit("the official way needs rank_bm25: pip install rank_bm25, or leave it out with --way bm25 --way dense")
    return BM25Okapi


# --- measuring ----------------------------------------------------------------------------------------------------


def measure(file: Path, way: str, granularity: str, questions: int) -> Measured:
    """One way through one file; imports and weights are loaded before the clock starts."""
    _warm_up(way)
    begun = time.process_time()
    if way in (OFFICIAL, LOGGED):
        recall, reading = official(file, granularity, file.with_suffix(".log") if way == LOGGED else None)
    else:
        recall, reading = ours(file, way, granularity)
    seconds = time.process_time() - begun
    return Measured(way, granularity, questions, seconds, reading, _peak_mb(), recall.means())


def _warm_up(way: str) -> None:
    if way in (OFFICIAL, LOGGED):
        _rank_bm25()
        return
    from memtriage.plugins import system

    memory = system(way).build()
    memory.store_conversation(Session("warm", (Turn("user", "a first sentence about nothing", "warm_1"),)))
    memory.settle()


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def compared(size: Size, questions: list[int], pool: int, ways: list[str], folder: Path) -> None:
    """Every way through files of so many questions, side by side."""
    for count in questions:
        file = folder / f"longmemeval_{size}.json"
        _run("--write", file, size, count, pool)
        print(
            f"\n{size.upper()}: {count} questions, sessions from a pool of {pool:,}; {file.stat().st_size >> 20:,} MB"
        )
        for granularity in GRANULARITIES:
            base: Measured | None = None
            for way in ways:
                found = _in_a_process(file, way, granularity, count)
                base = found if way == OFFICIAL else base
                _print(found, base, GOALS[size])


def _in_a_process(file: Path, way: str, granularity: str, questions: int) -> Measured:
    return Measured(**json.loads(_run("--one", file, way, granularity, questions)))


def _run(*arguments: object) -> str:
    """What this script says to these arguments. A process starts with its parent's peak: keep that small."""
    command = [sys.executable, __file__, *map(str, arguments)]
    finished = subprocess.run(command, check=False, capture_output=True, text=True)
    if finished.returncode:
        sys.exit(finished.stderr.strip())
    return finished.stdout


def _print(found: Measured, base: Measured | None, goal: float) -> None:
    recall = "  ".join(f"{name} {value:.3f}" for name, value in found.recall.items())
    each, reading = (1000 * seconds / found.questions for seconds in (found.seconds, found.reading))
    print(
        f"  {found.way:14}{found.granularity:8}{1000 / each:7.1f} questions/s ({reading:6.1f} ms reading,"
        f" {each - reading:6.1f} ms the rest) {found.peak_mb:6.0f} MB  {recall}{_against(found, base, goal)}",
        flush=True,
    )


def _against(found: Measured, base: Measured | None, goal: float) -> str:
    if base is None or base is found:
        return ""
    times = base.seconds / found.seconds
    rest = (base.seconds - base.reading) / (found.seconds - found.reading)
    held = all(found.recall[name] >= base.recall[name] for name in base.recall)
    goals = f" (goal {goal:g}: {'ok' if times >= goal and held else 'BELOW'})" if found.way == "bm25" else ""
    return f"  {times:.1f} x, without reading {rest:.1f} x{goals}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SESSIONS, action="append", help="default: both")
    parser.add_argument("--questions", help="how many, such as 50,200")
    parser.add_argument("--pool", type=int, action="append", help=f"chats to draw from; default {POOLS}")
    parser.add_argument("--way", choices=WAYS, action="append", help="default: all")
    parser.add_argument("--one", nargs=4, metavar=("FILE", "WAY", "GRANULARITY", "QUESTIONS"), help="one line, as JSON")
    parser.add_argument("--write", nargs=4, metavar=("FILE", "SIZE", "QUESTIONS", "POOL"), help="only make a file")
    chosen = parser.parse_args()
    if chosen.write:
        path, written, count, pool = chosen.write
        made = histories("m" if written == "m" else "s", int(count), SEED, int(pool))
        with Path(path).open("wb") as opened:
            opened.writelines(lines(made))
        return
    if chosen.one:
        file, way, granularity, count = chosen.one
        print(json.dumps(asdict(measure(Path(file), way, granularity, int(count)))))
        return
    for size in chosen.size or SESSIONS:
        for pool in chosen.pool or POOLS:
            counts = [int(count) for count in (chosen.questions or QUESTIONS[size]).split(",")]
            with tempfile.TemporaryDirectory() as folder:
                compared(size, counts, pool, chosen.way or list(WAYS), Path(folder))


if __name__ == "__main__":
    main()
