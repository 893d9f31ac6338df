"""Damaged files for every command that reads one: a result or a sentence, within seconds and 2 GB, and no traceback."""

from __future__ import annotations

import os
import resource
import shutil
import sys
from functools import cache
from pathlib import Path
from random import Random

from drills.command import Home
from drills.engine import Broke, Case, Part

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzz import Target, attempt, damaged, run_command, targets

MEMORY = 2 * 1024**3


def prepare(shared: Path) -> None:
    """Good files of every kind, and a good run."""
    import drills.preloaded  # noqa: F401

    home = Home(shared / "home")
    os.environ.update(home.env)
    run = ("run", "--suite", "memfail/coexisting", "--rows", "2", "--system", "bm25", "--k", "1", "-q", "--no-report")
    if problem := run_command([*run, "--out", str(shared / "run")]):
        raise Broke(problem)


@cache
def _targets(shared: Path) -> list[Target]:
    """Every target of the tests, and every file of a run with the commands that read it; the quick ones four times."""
    import drills.preloaded  # noqa: F401

    os.environ.update(Home(shared / f"home-{os.getpid()}").env)
    found = targets(shared / f"good-{os.getpid()}")
    run = shared / "run"
    for file in sorted(run.rglob("*")):
        if file.is_file() and file.name not in (".lock", "report.html"):
            found += list(_of_a_run(run, str(file.relative_to(run)), file.read_bytes()))
    slow = ("run ", "prompts", "prices", "resume ", "parquet", "labelled", "filler")
    return [target for target in found for _ in range(1 if target.name.startswith(slow) else 4)]


def _of_a_run(run: Path, name: str, good: bytes) -> list[Target]:
    def beside(place: Path) -> None:
        shutil.copytree(run, place / "run")

    commands = {"show": ("show", "{place}/run"), "resume": ("resume", "{place}/run", "-q", "--no-report")}
    return [
        Target(f"{command} {name}", f"run/{name}", good, arguments, prepare=beside)
        for command, arguments in commands.items()
    ]


def damaged_file(case: Case) -> None:
    """One damaged file, read by its command in this process."""
    listed = _targets(case.shared)
    target = listed[case.number % len(listed)]
    content = damaged(target.good, Random(case.rng.getrandbits(64)))
    problem = attempt(target, content, case.folder)
    if problem:
        (case.folder / "content").write_bytes(content)
        raise Broke(f"{target.name}: {problem}")
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if used > MEMORY:
        raise Broke(f"{target.name}: {used / 1024**3:.1f} GB")


PARTS = (
    Part(
        "fuzz",
        "damaged files for every command that reads one",
        100_000,
        damaged_file,
        seconds=20,
        prepare=prepare,
        memory=MEMORY,
    ),
)
