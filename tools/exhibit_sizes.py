"""Measure how large the trials behind the papers' tables are: `python tools/exhibit_sizes.py` writes sizes.json.

Generated episodes are counted for a share of the rows, and the counts are multiplied.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from memtriage import registry
from memtriage.core.suite import Request
from memtriage.studies.exhibits import Runs, Trial
from memtriage.studies.papers import exhibits
from memtriage.text.tokens import count_tokens

FILE = Path(__file__).parents[1] / "src/memtriage/studies/papers/sizes.json"
ENOUGH = 3
"""So many rows of each task are counted at least."""


def measure(trial: Trial) -> dict[str, int]:
    """Count episodes, turns, tokens and questions of a trial at the paper's size, for one cell of its grid."""
    counted = dict.fromkeys(("episodes", "turns", "tokens", "questions"), 0.0)
    for name in trial.suite:
        for task in registry.tasks(name)[1]:
            rows = trial.rows or task.rows
            shared = name.startswith("memoryagentbench")  # many questions share a context, so a part says little
            sample = rows if shared else min(rows, max(ENOUGH, rows // 100))
            options = {
                **trial.options,
                **{axis.removeprefix("option."): values[-1] for axis, values in trial.vary.items()},
            }
            options = {option: value for option, value in options.items() if option in task.options}
            episodes = list(task.load(Request(rows=sample, options=options)).episodes)
            counted["episodes"] += len(episodes) * (rows / sample if len(episodes) > 1 else 1)  # one store for all rows
            for episode in episodes:
                turns = [turn.text for session in episode.sessions for turn in session.turns]
                found = {"turns": len(turns), "tokens": sum(map(count_tokens, turns)), "questions": len(episode.probes)}
                for what, number in found.items():
                    counted[what] += number * rows / sample
    return {what: round(number) for what, number in counted.items()}


def main() -> None:
    """Measure every trial that is not in the file yet; with `--again`, all of them."""
    known = {} if "--again" in sys.argv or not FILE.exists() else json.loads(FILE.read_text("utf-8"))
    trials = {t.id: t for one in exhibits().values() if isinstance(one.source, Runs) for t in one.source.trials}
    for id, trial in trials.items():
        if id not in known:
            known[id] = measure(trial)
            print(id, known[id])
    FILE.write_text(json.dumps({id: known[id] for id in sorted(trials)}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
