"""What a large run takes: seconds of CPU, peak memory and bytes of its directory, for every command that reads it.

A run of as many probes as asked for is laid out (stores of 1,000 made-up sentences, each asked for once), and then made
by `memtriage resume` with bm25 at k = 5, as any run is. Each command is a process of its own. With `--former COMMIT`,
the same is done with the code of that commit, step by step in turn, so that other work on the machine disturbs both
alike; `--full-context N` makes another run, in which each of 200 questions brings back all of N memories. `--written`
writes the run's records and verdicts instead of running anything, which is the quick way to a million probes.

    python benchmarks/record_scale.py --probes 10000 100000 --former 37d908f
    python benchmarks/record_scale.py --probes 1000000 --written
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STORE = 1_000
"""Memories in a store, and questions to it."""

WORDS = (
    "harbour lantern copper orchard violin marble ferry pepper attic winter saddle canyon kettle meadow pilot ribbon "
    "granite basil tunnel cello mirror quarry falcon ginger cabin velvet compass willow ember barrel candle anchor"
).split()
COMMANDS = ("show", "report", "resume", "verify", "compare")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--probes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--full-context", type=int, default=0, metavar="MEMORIES")
    parser.add_argument("--former", default="", metavar="COMMIT", help="Do the same with the code of this commit.")
    parser.add_argument("--written", action="store_true", help="Write the records of the run; ask no system.")
    parser.add_argument("--keep", type=Path, help="Leave the runs in this folder.")
    parser.add_argument("--lay-out", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.lay_out:
        system, probes, store, out = options.lay_out
        lay_out(system, int(probes), int(store), Path(out))
        if options.written:
            write_records(Path(out))
        return
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        sources = {"now": ROOT}
        if options.former:
            sources["former"] = folder / "code"
            git = ("git", "-C", str(ROOT), "worktree")
            subprocess.run([*git, "add", "--detach", sources["former"], options.former], check=True)
            stack.callback(lambda: subprocess.run([*git, "remove", "--force", sources["former"]], check=True))
        for probes in options.probes:
            measure(f"{probes:,} probes", ("bm25", probes, STORE), sources, folder, options.written)
        if options.full_context:
            title = f"200 probes, each with {options.full_context:,} memories"
            measure(title, ("full-context", 200, options.full_context), sources, folder)


def measure(
    title: str, made: tuple[str, int, int], sources: dict[str, Path], folder: Path, written: bool = False
) -> None:
    """Make one run with each code and time every command on it; prints a line for each."""
    print(f"\n{title}, load {os.getloadavg()[0]:.1f}\n{'':22}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}", flush=True)
    runs = {name: folder / f"{name}-{made[0]}-{made[1]}" for name in sources}
    for name, source in sources.items():
        more = ["--written"] if written else []
        found = python(source, str(Path(__file__).resolve()), *more, "--lay-out", *map(str, made), str(runs[name]))
        if written:
            print_line("written", name, found)
    for command in COMMANDS if written else ("run", *COMMANDS):
        for name, source in sources.items():
            run = str(runs[name])
            named = "resume" if command == "run" else command
            more = {"resume": ["-q"], "compare": [run]}.get(named, [])
            print_line(command, name, python(source, "-m", "memtriage", named, run, *more))
    for name, path in runs.items():
        sizes = {file.name: file.stat().st_size for file in path.iterdir() if file.suffix not in (".html", "")}
        sizes["episodes/"] = sum(file.stat().st_size for file in (path / "episodes").iterdir())
        whole = sum(sizes.values())
        listed = ", ".join(f"{file} {size / 1e6:.1f}" for file, size in sizes.items() if size > whole / 50)
        print(f"MB on disk {name:11}{whole / 1e6:8.1f}   {whole / made[1]:,.0f} bytes a probe ({listed})", flush=True)


def print_line(command: str, name: str, found: tuple[float, float, int]) -> None:
    cpu, wall, peak = found
    print(f"{command:10}{name:12}{cpu:8.1f}{wall:8.1f}{peak / 1e6:9.0f}", flush=True)


def python(source: Path, *arguments: str) -> tuple[float, float, int]:
    """Run Python on the code in a folder; returns its seconds of CPU and on the clock, and its peak memory in bytes."""
    environment = {**os.environ, "PYTHONPATH": str(source / "src")}
    began = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([sys.executable, *arguments], env=environment, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise SystemExit(f"{' '.join(arguments)} failed:\n{said.read().decode()[-2000:]}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss * 1024


def lay_out(system: str, probes: int, store: int, out: Path) -> None:
    """A run that is yet to be made, of this many probes in stores of this many memories."""
    from memtriage.config import RunConfig
    from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
    from memtriage.record.writer import create
    from memtriage.runner.plan import plan_run

    rng = random.Random(7)

    def episodes() -> Iterator[Episode]:
        for first in range(0, probes, store):
            numbers = range(first, first + store)
            said = {
                n: f"Thing {n} is kept in the {' '.join(rng.choices(WORDS, k=12))} of number {n * 7}." for n in numbers
            }
            yield Episode(
                f"large-{first // store:05}",
                "memfail/coexisting",
                tuple(Session(f"s{n}", (Turn("user", said[n], f"s{n}/0"),), "2026-01-05T10:00:00") for n in numbers),
                tuple(Fact(f"f{n}", said[n], (f"s{n}/0",), (f"number {n * 7}",), (said[n],)) for n in numbers),
                tuple(
                    Probe(f"q{n:07}", f"Where is thing {n} kept?", said[n], ((f"f{n}",),), cluster=f"c{n // 10}")
                    for n in numbers[: probes - first]
                ),
            )

    manifest, given = plan_run(RunConfig.of(system, suite="memfail/coexisting", rows=2, k=[5]))
    list(given)  # what is known of the data only at its end
    create(out, manifest, episodes())


def write_records(path: Path) -> None:
    """What a run would have recorded, and verdicts on it: two of three right, with four others behind the right one."""
    from memtriage.config import Grading
    from memtriage.core.memory import Memory
    from memtriage.core.trace import Ingest, Retrieved, Snapshot, Trace
    from memtriage.core.verdict import FactVerdict, ProbeVerdict, StoreSummary
    from memtriage.diagnose.false_memories import check_run
    from memtriage.pipeline.run import seal
    from memtriage.record.memory_checks import write_memory_checks
    from memtriage.record.reader import RunReader
    from memtriage.record.writer import RunWriter

    with RunReader(path) as reader:
        with RunWriter(path, reader) as writer:
            for episode in reader.episodes():
                unit = ("bm25", episode.id)
                keys = [
                    writer.memory(Memory(s.turns[0].id, s.turns[0].text, sources=(s.turns[0].id,)))
                    for s in episode.sessions
                ]
                writer.snapshot(unit, Snapshot(episode.id, episode.sessions[-1].id, None, tuple(keys)))
                writer.ingest(unit, Ingest(len(keys), 0.1, len(keys), 30 * len(keys)))
                for number, probe in enumerate(episode.probes):
                    found = [keys[(number + step) % len(keys)] for step in range(number % 3 == 0, 5)]
                    brought = tuple(Retrieved(key, rank, 9.5 / rank) for rank, key in enumerate(found, 1))
                    writer.trace(unit, Trace(probe.id, 5, episode.id, brought, 130, 0.0001))
                writer.done(unit, ())
        manifest = reader.manifest

        def verdicts() -> Iterator[ProbeVerdict]:
            for unit in reader.units:
                episode = reader.episode(unit[1])
                facts = {fact.id: fact for fact in episode.facts}
                for probe, trace in zip(episode.probes, reader.traces(unit), strict=True):
                    fact = facts[probe.sufficient[0][0]]
                    right = len(trace.retrieved) == 5
                    stages: dict[str, Any] = {
                        "storage": "pass",
                        "summary": "pass",
                        "retrieval": "pass" if right else "fail",
                    }
                    verdict: Any = "correct" if right else "not_retrieved"
                    why = "kept word for word, and retrieved" if right else "kept word for word, but not retrieved"
                    found = FactVerdict(
                        fact.id, fact.text, fact.details, verdict, why, stages, (trace.retrieved[0].key,)
                    )
                    yield ProbeVerdict(
                        *("memfail", episode.task, "bm25", episode.id, probe.id, 5, "memory", verdict),
                        *(probe.text, probe.gold, (found,), trace.retrieved, 5, 130, 0.0001),
                        cluster=probe.cluster,
                    )

        def stores() -> Iterator[StoreSummary]:
            for entry in manifest["episodes"]:
                yield StoreSummary("memfail", entry["task"], "bm25", entry["id"], 1000, 1000, 30_000, 0.1, 0.1, 1000)

        reader.write_verdicts(verdicts(), stores())
        write_memory_checks(path, check_run(reader))
        seal(reader, Grading.of_run(manifest))


if __name__ == "__main__":
    main()
