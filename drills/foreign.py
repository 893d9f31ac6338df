"""Run directories that somebody else made: whatever is done with them, nothing is executed, imported or sent."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from drills.command import Home
from drills.engine import Broke, Case, Part

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from foreign_runs import CASES, SECRETS, Trap, disarm, plant, set_traps, sprung

COMMANDS = (
    ("resume", "run", "-q"),
    ("resume", "run", "--retry-errors", "--json"),
    ("resume", "run", "--batch"),
    ("batch", "export", "run"),
    ("explain", "run", "--failed"),
    ("show", "run"),
    ("report", "run"),
    ("compare", "run", "run"),
    ("verify", "run"),
)


def prepare(shared: Path) -> None:
    """A harmless run."""
    rows = ("--suite", "memfail/coexisting", "--rows", "2", "--k", "1", "-q", "--no-report")
    Home(shared).run("run", *rows, "--system", "bm25", "--out", "run").clean(0)


def nothing_happens(case: Case) -> None:
    """A manifest that names something to run or contact, sealed again, made elsewhere or edited here."""
    named = CASES[list(CASES)[case.number % len(CASES)]]
    trap = Trap()
    home = Home(case.folder, OPENAI_BASE_URL=f"{trap.address}/v1", **SECRETS)
    shutil.copytree(case.shared / "run", case.folder / "run")
    shutil.copytree(case.shared / "state", case.folder / "state")
    set_traps(case.folder, trap.address)
    os.chdir(case.folder)
    try:
        plant(Path("run"), lambda manifest: named.fill(manifest, trap.address), state=case.folder / "their-state")
        disarm(case.folder, trap)
        for command in COMMANDS:
            ended = home.run(*command, seconds=60).clean(0, 1)
            if caught := sprung(case.folder, trap):
                raise Broke(f"{' '.join(command)}: {caught}")
            if secret := [name for name, value in SECRETS.items() if value in ended.out + ended.err]:
                raise Broke(f"{' '.join(command)} printed {secret}")
            case.counts["commands"] += 1
    finally:
        os.chdir(case.folder.parent)
        trap.close()


PARTS = (Part("foreign", "run directories made elsewhere", len(CASES), nothing_happens, prepare=prepare),)
