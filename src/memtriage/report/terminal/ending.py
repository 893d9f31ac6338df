"""What a run ends with in the terminal: a table that fits, its conclusion, and commands to look further."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from rich.console import Console

from memtriage.core.amount import K
from memtriage.core.verdict import FAILURES, STAGES, ProbeVerdict
from memtriage.host.shell import shell_word
from memtriage.pipeline.run import Run
from memtriage.registry import unscored
from memtriage.report.headline import stage_in_words, weakest_stage
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.show import show
from memtriage.report.terminal.standings import print_headline
from memtriage.tables.standings import Standings, standings
from memtriage.tables.table import Row, table

FEW_ROWS = 24
"""A run with more rows than this shows one for each system, over all tasks and at the largest k."""


class NextStep(NamedTuple):
    """A command to paste, and what it shows."""

    command: str
    shows: str


def print_ending(run: Run, console: Console) -> list[NextStep]:
    """Print the table of a run, or what it comes to if that is long; returns what to look at next."""
    rows = run.rows()
    found = standings(run.verdicts(), rows)
    if len(rows) <= FEW_ROWS:
        show(run, console)
    else:
        terminal.print_table(overall_rows(run, found), console)
        print_headline(found, console)
    return list(_next_steps(run, rows, found))


def overall_rows(run: Run, found: Standings) -> list[Row]:
    """A row for each system, over all tasks that count and at its largest k: best first, floor and ceilings last."""
    ranked = [(row.system, row.k, row.depth) for row in found.ranked]
    wanted = set(ranked)
    tasks = {verdict.task for verdict in run.verdicts()}
    counted = {task for task in tasks if not unscored(task)} or tasks
    pooled = (v for v in run.verdicts() if v.task in counted and (v.system, v.k, v.depth) in wanted)
    rows = {(row.system, row.k, row.depth): row for row in table(pooled, run.stores(), ("system", "k", "depth"))}
    whole = f"all {len(counted)} tasks"
    named = (rows[key] for key in ranked if key in rows)
    return [replace(row, task=whole) if len(counted) > 1 else row for row in named]


def _next_steps(run: Run, rows: list[Row], found: Standings) -> Iterator[NextStep]:
    path = shell_word(run.path)
    if len(rows) > FEW_ROWS:
        yield NextStep(f"memtriage show {path}", f"all {len(rows)} rows, by task and k")
    losing = ((row, stage) for row in found.contestants if (stage := weakest_stage(row)))
    if (best := next(losing, None)) is not None:
        row, stage = best
        verdict = FAILURES[STAGES.index(stage)]
        asked = f"--system {shell_word(row.system)} --k {str(row.k).replace(' tokens', 't')}"
        lost = f"what {row.system} loses at {stage_in_words(row, verdict)}, its weakest stage"
        yield NextStep(f"memtriage show {path} --by probe {asked} --verdict {verdict}", lost)
        first = next((v for v in run.verdicts() if _lost(v, row.system, row.k, verdict)), None)
        if first is not None:
            yield NextStep(
                f"memtriage explain {path} --probe {shell_word(first.probe)} {asked}", "one of these, opened"
            )
    measured = {name for verdict in run.verdicts() for name in verdict.measures}
    if measured:
        which = "recall and NDCG" if any("/" in name for name in measured) else ", ".join(sorted(measured))
        yield NextStep(f"memtriage show {path} --by measure", which)


def _lost(probe: ProbeVerdict, system: str, k: K, verdict: str) -> bool:
    return (probe.system, probe.k, probe.verdict) == (system, k, verdict)


def print_next(steps: list[NextStep], console: Console) -> None:
    """Print commands, each below what it shows; a command is never broken, so that it can be pasted."""
    if steps:
        console.print()
    for step in steps:
        console.print(terminal.plain(f"{step.shows}:", "dim"))
        console.print(terminal.plain(f"  {step.command}"), soft_wrap=True)
