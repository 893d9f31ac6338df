"""How ingest grows: seconds and peak memory of systems, from a thousand turns to a hundred thousand, or a million.

    python benchmarks/ingest.py            # the retrieval systems, about a minute
    python benchmarks/ingest.py --quick    # up to ten thousand turns
    python benchmarks/ingest.py --all      # every design that runs without a model, up to a million turns

Each line is measured in a process of its own. `growth` compares the time per turn with the smallest
size: about 1 is linear. Importing and loading weights happens before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

SYSTEMS = ("bm25", "dense", "hybrid")
SIZES = (1_000, 10_000, 30_000, 100_000)
DESIGNS = (
    *("bm25", "dense", "hybrid", "full-context", "mdfile:summarise=verbatim", "wiki:summarise=verbatim", "lme"),
    *("facts:summarise=rules", "notes:summarise=rules", "graph:summarise=rules", "struct:summarise=rules"),
    *("memorybank:summarise=verbatim", "ld-agent:summarise=verbatim", "memwalker:summarise=verbatim"),
    *("memgpt:summarise=rules", "memorag:summarise=rules", "self-rag:summarise=rules", "hipporag:summarise=rules"),
    *("graphrag:summarise=rules", "raptor:summarise=rules"),
)
DESIGN_SIZES = (1_000, 10_000, 100_000, 1_000_000)
LIMIT = 300
"""Seconds that one line may take; a curve ends before the line that would take longer."""

UNICODE_SIZES = (1_000, 3_000, 10_000)
TURNS_PER_SESSION = 10
WORDS_PER_TURN = 20

LATIN = ("ba", "re", "mi", "lo", "ka", "ter", "sun", "vel", "dor", "ing", "est", "qua", "pli", "han", "or", "ly")
UNICODE = ("ба", "ре", "ми", "λο", "κα", "日", "本", "語", "한", "글", "é", "ñ", "ö", "🎈", "עב", "ما")


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table."""

    system: str
    script: str
    turns: int
    seconds: float
    query_ms: float
    peak_mb: float


def main() -> None:
    arguments = _arguments()
    if arguments.one:
        print(json.dumps(asdict(measure(arguments.one[0], arguments.one[1], int(arguments.one[2])))))
        return
    sizes = [size for size in SIZES if not arguments.quick or size <= 10_000]
    print(f"{'system':30} {'script':8} {'turns':>8} {'seconds':>8} {'turns/s':>9}", end=" ")
    print(f"{'growth':>7} {'query ms':>9} {'peak MB':>8}")
    if arguments.all or arguments.system:
        for system in arguments.system or DESIGNS:
            _print_growing(system, [size for size in DESIGN_SIZES if not arguments.quick or size <= 10_000])
        return
    for script, curve in (("latin", sizes), ("unicode", UNICODE_SIZES)):
        for system in SYSTEMS:
            _print_curve([_in_a_process(system, script, size) for size in curve])


def measure(name: str, script: str, turns: int) -> Measured:
    """Store so many turns in a fresh system, settle it, and ask once."""
    from memtriage.core.episode import Session, Turn
    from memtriage.registry import system

    memory = system(name).build()
    warm_up = Session("warm", (Turn("user", "a first sentence about nothing", "warm/t0"),))
    memory.store_conversation(warm_up)
    memory.settle()
    memory.reset()
    rng = random.Random(turns)
    vocabulary = _vocabulary(rng, LATIN if script == "latin" else UNICODE)

    spent = 0.0
    for i in range(0, turns, TURNS_PER_SESSION):
        texts = (_sentence(rng, vocabulary) for _ in range(min(TURNS_PER_SESSION, turns - i)))
        session = Session(f"s{i}", tuple(Turn("user", text, f"s{i}/t{j}") for j, text in enumerate(texts)))
        begun = time.perf_counter()
        memory.store_conversation(session)
        spent += time.perf_counter() - begun
    begun = time.perf_counter()
    memory.settle()
    spent += time.perf_counter() - begun
    begun = time.perf_counter()
    memory.retrieve_memories(_sentence(rng, vocabulary), warm_up, 10)
    asked = time.perf_counter() - begun
    return Measured(name, script, turns, spent, 1000 * asked, _peak_mb())


def _vocabulary(rng: random.Random, syllables: tuple[str, ...]) -> list[str]:
    return ["".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(20_000)]


def _sentence(rng: random.Random, vocabulary: list[str]) -> str:
    """Words of which a few are common and most are rare, as in any language."""
    count = rng.randint(WORDS_PER_TURN - 8, WORDS_PER_TURN + 8)
    return " ".join(vocabulary[int(len(vocabulary) * rng.random() ** 3)] for _ in range(count)) + "."


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _in_a_process(system: str, script: str, turns: int, limit: float | None = None) -> Measured:
    command = [sys.executable, __file__, "--one", system, script, str(turns)]
    finished = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit)
    return Measured(**json.loads(finished.stdout))


def _print_growing(system: str, sizes: list[int]) -> None:
    """One curve, line by line, as far as it gets in time."""
    curve: list[Measured] = []
    for size in sizes:
        if len(curve) > 1 and curve[-1].seconds * (size / curve[-1].turns) > LIMIT:
            return
        try:
            curve.append(_in_a_process(system, "latin", size, LIMIT))
        except subprocess.TimeoutExpired:
            print(f"{system:30} {'latin':8} {size:8} not within {LIMIT} s", flush=True)
            return
        except subprocess.CalledProcessError as error:
            print(f"{system:30} {'latin':8} {size:8} {error.stderr.strip().splitlines()[-1]}", flush=True)
            return
        _print_curve(curve, from_line=len(curve) - 1)


def _print_curve(curve: list[Measured], from_line: int = 0) -> None:
    base = curve[0].seconds / curve[0].turns
    for line in curve[from_line:]:
        growth = line.seconds / line.turns / base
        print(
            f"{line.system:30} {line.script:8} {line.turns:8} {line.seconds:8.2f} {line.turns / line.seconds:9.0f} "
            f"{growth:7.2f} {line.query_ms:9.1f} {line.peak_mb:8.0f}",
            flush=True,
        )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Ingest time and peak memory of systems.")
    parser.add_argument("--all", action="store_true", help="every design that runs without a model")
    parser.add_argument("--system", action="append", help="this system; may be repeated")
    parser.add_argument("--quick", action="store_true", help="stop at ten thousand turns")
    parser.add_argument("--one", nargs=3, metavar=("SYSTEM", "SCRIPT", "TURNS"), help="measure one line, as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    main()
