"""What sealing costs, as the benchmark of the record measures it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from drills.engine import Broke, Case, Part

BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "record.py"
MOST = 3.0
"""By how many per cent seals may make a run longer."""


def cheap(case: Case) -> None:
    """Runs with and without seals, in turn."""
    done = subprocess.run([sys.executable, str(BENCHMARK)], capture_output=True, text=True, cwd=case.folder)
    found = re.search(r"^a run: .*?: ([+-][0-9.]+)%", done.stdout, re.MULTILINE)
    if found is None:
        raise Broke(f"the benchmark said nothing: {done.stdout} {done.stderr}")
    case.counts[f"benchmark: seals add {found[1]} % to a run"] += 1
    if float(found[1]) >= MOST:
        raise Broke(f"seals add {found[1]} % to a run, at most {MOST} % are promised")


PARTS = (Part("sealing", "what seals add to a run's time", 1, cheap, seconds=600),)
