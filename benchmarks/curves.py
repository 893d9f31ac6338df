"""What every built-in system costs as its store grows: processor seconds and memory, from 1e3 memories to 1e6.

    python benchmarks/curves.py                                   # all of them; about an hour on idle cores
    python benchmarks/curves.py --systems mdfile,wiki --to 10000  # a quick look at two
    python benchmarks/curves.py --keep curves.jsonl --plot docs/curves.svg   # goes on where it was stopped
    python benchmarks/curves.py --keep curves.jsonl --limit 0 --plot docs/curves.svg   # only draws what there is
    python benchmarks/curves.py --with-model                      # the same designs with a scripted model inside

A memory is a turn of some 16 words about one of many people, ten to a session, a session an hour. Each point is a
process of its own: it stores all turns, settles and asks a first question, as some make their index only then. Then it
asks another (`search`), stores one session more and asks again (`again`: what an index costs that is made anew).
Seconds are those of the processor, so that they hold on a busy machine; a point may take --limit of them. A curve ends
before the point that would take longer, or more memory than --memory. `exponent` is the slope through the points of the
last decade: 1 is linear, 2 quadratic. Models are scripted, in a process that is not counted.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
MODEL_SIZES = (100, 300, 1_000, 3_000)
TURNS = 10
"""Turns of a session."""
QUESTION = "Where does Barekami live now, and since when?"
SYLLABLES = "ba re mi lo ka ter sun vel dor ing est qua pli han or ly".split()

PLAIN = ("none", "echo", "gold-facts", "oracle", "full-context", "bm25", "dense", "hybrid", "mixture", "mosaic")
BY_RULES = (
    *("facts", "notes", "graph", "graphrag", "struct", "memgpt", "lme", "memorybank", "ld-agent", "memwalker"),
    *("raptor", "memorag", "self-rag", "hipporag"),
)
VERBATIM = ("mdfile", "wiki")
WITH_MODEL = ("mosaic", *BY_RULES, *VERBATIM)
ARGUMENTS = {
    **dict.fromkeys(PLAIN, ""),
    "mixture": "members=bm25+dense",
    **dict.fromkeys(BY_RULES, "summarise=rules"),
    **dict.fromkeys(VERBATIM, "summarise=verbatim"),
}
PATIENCE = 10
"""How many times the limit a point may take by the clock, on a machine that does other things too."""


@dataclass(frozen=True, slots=True)
class Point:
    """What a system took for so many memories."""

    system: str
    memories: int
    seconds: float
    search_ms: float
    again_ms: float
    peak_mb: float
    before_mb: float

    @property
    def per_thousand(self) -> float:
        """Seconds for a thousand memories."""
        return 1000 * self.seconds / self.memories

    @property
    def kb_each(self) -> float:
        """Memory for each of them, beside what the process had before."""
        return 1000 * (self.peak_mb - self.before_mb) / self.memories


Curve = list[Point]


def main() -> None:
    arguments = _arguments()
    if arguments.one:
        print(json.dumps(asdict(measure(arguments.one[0], int(arguments.one[1]), arguments.limit, arguments.model))))
        return
    known = _known(arguments.keep)
    curves: dict[str, Curve] = {}
    print(f"{'system':14} {'memories':>9} {'cpu s':>8} {'s per 1000':>10}", end=" ")
    print(f"{'search ms':>9} {'again ms':>9} {'peak MB':>8} {'kB each':>8}")
    with _scripted(arguments.with_model) as model:
        for name in _chosen(arguments.systems, WITH_MODEL if arguments.with_model else tuple(ARGUMENTS)):
            curves[name] = []
            label = f"{name} with a model" if model else name
            for point in _measured(name, label, model, known, arguments):
                curves[name].append(point)
                print(
                    f"{name:14} {point.memories:9} {point.seconds:8.2f} {point.per_thousand:10.3f} "
                    f"{point.search_ms:9.1f} {point.again_ms:9.1f} {point.peak_mb:8.0f} {point.kb_each:8.1f}",
                    flush=True,
                )
    print("\n" + table(curves))
    if arguments.plot and any(len(curve) > 1 for curve in curves.values()):
        arguments.plot.write_text(drawn(curves), encoding="utf-8")


# ------------------------------------------------------------------ one point


def measure(name: str, memories: int, limit: float = math.inf, model: str = "") -> Point:
    """Store so many turns in a fresh system, settle it and ask, and again after one session more."""
    from memtriage.registry import system, with_models

    spec = f"{name}:{ARGUMENTS[name]}" if ARGUMENTS[name] and not model else name
    memory = with_models(system(spec), {"internal": model, "embedder": "", "answer_model": "", "repeat": ""}).build()
    for session in sessions(5 * TURNS, -memories):  # loads weights and words; texts that no model was asked about
        memory.store_conversation(session)
    memory.settle()
    memory.retrieve_memories(QUESTION, session, 10)
    memory.reset()
    _reveal(memory.system, memories)
    before, spent = _peak_mb(), 0.0
    for some in batched(sessions(memories, 1)):
        began = time.process_time()
        for session in some:
            memory.store_conversation(session)
        spent += time.process_time() - began
        if spent > limit:
            sys.exit(f"not within {limit} s: {session.id}")
    began = time.process_time()
    memory.settle()
    memory.retrieve_memories(QUESTION, session, 10)
    spent += time.process_time() - began
    found = []
    for more in ([], list(sessions(TURNS, 2))):
        began = time.process_time()
        for session in more:
            memory.store_conversation(session)
        memory.settle()
        memory.retrieve_memories(f"{QUESTION} And who else?", session, 10)
        found.append(1000 * (time.process_time() - began))
    return Point(name, memories, spent, found[0], found[1], _peak_mb(), before)


def sessions(turns: int, number: int) -> Iterator[Any]:
    """So many turns, made up; a few people and words are common and most are rare, and more turns know more of both."""
    from memtriage.core.episode import Session, Turn

    rng = random.Random(f"{turns} {number}")
    people = [_word(rng, 2).title() for _ in range(10 + int(2 * math.sqrt(turns)))]
    vocabulary = [_word(rng, 1) for _ in range(2_000 + int(20 * math.sqrt(turns)))]
    start = datetime(2020, 1, 1)
    for first in range(0, turns, TURNS):
        id = f"{number}-s{first}"
        at = (start + timedelta(hours=first // TURNS)).isoformat()
        texts = (_said(rng, people, vocabulary) for _ in range(min(TURNS, turns - first)))
        yield Session(id, tuple(Turn("user", text, f"{id}/t{n}") for n, text in enumerate(texts)), at)


def batched(many: Iterator[Any], size: int = 1000) -> Iterator[list[Any]]:
    """So many at once, so that the clock is read seldom."""
    while some := list(islice(many, size)):
        yield some


def _said(rng: random.Random, people: Sequence[str], vocabulary: Sequence[str]) -> str:
    def some(count: int) -> str:
        return " ".join(vocabulary[int(len(vocabulary) * rng.random() ** 3)] for _ in range(count))

    def who() -> str:
        return people[int(len(people) * rng.random() ** 2)]

    ways = (
        lambda: f"{who()} moved to {who()} in 20{rng.randint(10, 25)} with the {some(2)}, and {some(6)}.",
        lambda: f"I told {who()} that the {some(1)} of {who()} is {some(2)} and not {some(3)}.",
        lambda: f"My {some(1)} likes {some(3)}. {who()} works at the {some(2)} for {rng.randint(2, 90)} days.",
        lambda: f"{who()} has {rng.randint(2, 900)} {some(2)} because {some(8)}.",
    )
    return rng.choice(ways)()


def _word(rng: random.Random, least: int) -> str:
    return "".join(rng.choices(SYLLABLES, k=rng.randint(least, 4)))


def _reveal(system: object, memories: int) -> None:
    """Let a system that sees the gold see some: every turn is a fact, and a question needs the last."""
    if not hasattr(system, "reveal"):
        return
    from memtriage.core.episode import Episode, Fact, Probe

    said = list(sessions(memories, 1))
    facts = tuple(Fact(turn.id, turn.text, (turn.id,), ()) for session in said for turn in session.turns)
    asked = Probe("p", QUESTION, "there", ((facts[-1].id,),))
    system.reveal(Episode("e", "curves/curve", tuple(said), facts, (asked,)))


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


# ------------------------------------------------------------------ many points


def _measured(
    name: str, label: str, model: str, known: Mapping[tuple[str, int], Point], arguments: argparse.Namespace
) -> Iterator[Point]:
    """The points of one curve, as far as it gets."""
    curve: Curve = []
    for size in MODEL_SIZES if model else SIZES:
        if size > arguments.to:
            return
        if (point := known.get((label, size))) is None:
            if curve and not _affordable(curve, size, arguments):
                return
            point = _in_a_process(name, size, model, arguments.limit)
            if isinstance(point, str):
                print(f"{name:14} {size:9} {point}", flush=True)
                return
            if arguments.keep:
                with arguments.keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({**asdict(point), "system": label}) + "\n")
        curve.append(point)
        yield point


def _affordable(curve: Curve, size: int, arguments: argparse.Namespace) -> bool:
    """Whether the next point will stay within its limits, going by those before it."""
    last = curve[-1]
    times = size / last.memories
    seconds = last.seconds * times ** max(1.0, exponent(curve[-2:]) or 1.0)
    memory = last.before_mb + (last.peak_mb - last.before_mb) * times
    if seconds <= arguments.limit and memory <= arguments.memory:
        return True
    print(f"{last.system:14} {size:9} would take about {seconds:.0f} s and {memory:.0f} MB", flush=True)
    return False


def _in_a_process(name: str, size: int, model: str, limit: int) -> Point | str:
    """One point, or why there is none."""
    command = [sys.executable, __file__, "--model", model, "--limit", str(limit), "--one", name, str(size)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE * limit)
    except subprocess.TimeoutExpired:
        return f"not within {PATIENCE * limit} s of the clock"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    return Point(**json.loads(done.stdout.splitlines()[-1]))


def exponent(curve: Curve) -> float | None:
    """The slope of seconds over memories, both as logarithms, through the points of the last decade.

    >>> round(exponent([Point("x", n, 3e-6 * n**2, 0, 0, 0, 0) for n in (100, 1000, 3000, 10000)]), 3)
    2.0
    """
    points = [
        (math.log(p.memories), math.log(max(p.seconds, 1e-9))) for p in curve if p.memories * 10.5 > curve[-1].memories
    ]
    if len(points) < 2:
        return None
    x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def table(curves: Mapping[str, Curve]) -> str:
    """A line for each system, in markdown."""
    sizes = sorted({point.memories for curve in curves.values() for point in curve})
    sizes = [size for size in sizes if str(size).strip("0") == "1"]
    lines = ["| system | " + " | ".join(f"{size:,}" for size in sizes) + " | exponent | kB each | search, again |"]
    lines.append("| --- " * (len(sizes) + 4) + "|")
    for name, curve in curves.items():
        if not curve:
            continue
        took = {point.memories: f"{point.seconds:.2g} s" for point in curve if point.seconds < 100}
        took |= {point.memories: f"{point.seconds:.0f} s" for point in curve if point.seconds >= 10}
        slope, last = exponent(curve), curve[-1]
        cells = [took.get(size, "") for size in sizes]
        cells.append("" if slope is None else f"{slope:.2f}")
        cells.append(f"{last.kb_each:.1f}")
        cells.append(f"{last.search_ms:,.0f}, {last.again_ms:,.0f} ms at {last.memories:,}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


# ------------------------------------------------------------------ the picture


def drawn(curves: Mapping[str, Curve]) -> str:
    """A small picture for each system, all on the same scales, with a grey line where a linear one would be."""
    shown = {name: curve for name, curve in curves.items() if len(curve) > 1}
    points = [point for curve in shown.values() for point in curve]
    across, wide, high, gap, left, top = 5, 150, 120, 24, 62, 30
    down = -(-len(shown) // across)
    width, height = left + across * (wide + gap), top + down * (high + gap + 16) + 20
    ends = [math.log10(end(p.memories for p in points)) for end in (min, max)]
    slowest = math.ceil(math.log10(max(p.seconds for p in points)))
    fastest = max(slowest - 6, math.floor(math.log10(min(p.seconds for p in points))))

    def x(memories: float) -> float:
        return (math.log10(memories) - ends[0]) / (ends[1] - ends[0]) * wide

    def y(seconds: float) -> float:
        share = (math.log10(max(seconds, 10.0**fastest)) - fastest) / (slowest - fastest)
        return high - max(0.0, min(1.0, share)) * high

    said = "Processor seconds over memories, on logarithmic scales, one small picture for each system"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{said}">',
        "<style>text { font: 11px system-ui, sans-serif; fill: #495057 } .name { font-size: 13px; font-weight: 600 }",
        "polyline { fill: none; stroke-width: 2; stroke: #4c6ef5 } circle { fill: #4c6ef5 } .above { stroke: #e8590c }",
        ".linear { stroke: #ced4da; stroke-width: 1.5 } .frame { fill: none; stroke: #dee2e6 }</style>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for place, (name, curve) in enumerate(shown.items()):
        right, below = left + place % across * (wide + gap), top + place // across * (high + gap + 16)
        slope = exponent(curve) or 0.0
        parts.append(f'<g transform="translate({right} {below})">')
        parts.append(f'<text class="name" y="-6">{escape(name)}</text>')
        parts.append(f'<text x="{wide}" y="-6" text-anchor="end">{slope:.2f}</text>')
        parts.append(f'<rect class="frame" width="{wide}" height="{high}"/>')
        if place % across == 0:
            for power in range(fastest, slowest + 1, 2):
                parts.append(f'<text x="-6" y="{y(10.0**power) + 4:.1f}" text-anchor="end">{10.0**power:g} s</text>')
        if place + across >= len(shown):
            for power in range(math.ceil(ends[0]), math.floor(ends[1]) + 1):
                anchor = {ends[0]: "start", ends[1]: "end"}.get(power, "middle")
                parts.append(f'<text x="{x(10**power):.1f}" y="{high + 15}" text-anchor="{anchor}">1e{power}</text>')
        first, last = curve[0], curve[-1]
        ray = f"{x(first.memories):.1f},{y(last.seconds * first.memories / last.memories):.1f}"
        parts.append(f'<polyline class="linear" points="{ray} {x(last.memories):.1f},{y(last.seconds):.1f}"/>')
        line = " ".join(f"{x(point.memories):.1f},{y(point.seconds):.1f}" for point in curve)
        above = ' class="above"' if slope > 1.2 else ""
        parts.append(f'<polyline{above} points="{line}"/>')
        parts += [f'<circle r="2.5" cx="{x(p.memories):.1f}" cy="{y(p.seconds):.1f}"/>' for p in curve]
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


# ------------------------------------------------------------------ the command


class _scripted:
    """A scripted model in a process of its own, if one is wanted, with a cache that is thrown away."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._server: subprocess.Popen[str] | None = None
        self._home = tempfile.TemporaryDirectory()

    def __enter__(self) -> str:
        if not self._wanted:
            return ""
        source = (
            "import time\nfrom memtriage.models.scripted import StubServer\n"
            "with StubServer('memory', keep=0) as server:\n print(server.url, flush=True)\n time.sleep(1e6)\n"
        )
        os.environ["MEMTRIAGE_CACHE"] = f"{self._home.name}/calls.sqlite"
        self._server = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
        assert self._server.stdout is not None
        return f"{self._server.stdout.readline().strip()}#memory"

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.kill()
            self._server.communicate()
        self._home.cleanup()


def _known(file: Path | None) -> dict[tuple[str, int], Point]:
    """The points that were kept, by label and size."""
    if file is None or not file.exists():
        return {}
    kept = [Point(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    return {(point.system, point.memories): point for point in kept}


def _chosen(text: str, names: Sequence[str]) -> list[str]:
    """The systems that are named, or all; one that is built in and not measured here would go unnoticed."""
    from memtriage import registry

    built_in = {name for name in registry.registered(registry.SYSTEMS) if registry.built_in_arguments(name) is not None}
    assert built_in <= set(ARGUMENTS), f"no curve for {', '.join(sorted(built_in - set(ARGUMENTS)))}"
    wanted = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := set(wanted) - set(names):
        sys.exit(f"no curve for {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return wanted or list(names)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", default="", help="names with commas between them; all without it")
    parser.add_argument("--to", type=int, default=SIZES[-1], help="the most memories")
    parser.add_argument("--limit", type=int, default=60, help="processor seconds for a point")
    parser.add_argument("--memory", type=int, default=8_000, help="megabytes for a point")
    parser.add_argument("--with-model", action="store_true", help="designs with a scripted model inside, to 3000")
    parser.add_argument("--keep", type=Path, help="a file for the points; those in it are not measured again")
    parser.add_argument("--plot", type=Path, help="where to draw the picture")
    parser.add_argument("--one", nargs=2, metavar=("SYSTEM", "MEMORIES"), help=argparse.SUPPRESS)
    parser.add_argument("--model", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
