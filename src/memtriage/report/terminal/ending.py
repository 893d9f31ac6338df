"""What a run ends with in the terminal: a table that fits, its conclusion, and commands to look further."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.console import Console

from memtriage.core.amount import K
from memtriage.core.verdict import FAILURES, STAGES, ProbeVerdict
from memtriage.host.shell import shell_word
from memtriage.pipeline.run import Run
from memtriage.report.headline import stage_in_words, weakest_stage
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.show import show
from memtriage.report.terminal.standings import print_headline
from memtriage.tables.summary import FEW_ROWS, Counts


class NextStep(NamedTuple):
    """A command to paste, and what it shows."""

    command: str
    shows: str


def print_ending(run: Run, console: Console) -> list[NextStep]:
    """Print the table of a run, or what it comes to if that is long; returns what to look at next."""
    counts = run.counts()
    if len(counts.rows) <= FEW_ROWS:
        show(run, console)
    else:
        terminal.print_table(counts.overall, console)
        print_headline(counts.standings, console)
    return list(_next_steps(run, counts))


def _next_steps(run: Run, counts: Counts) -> Iterator[NextStep]:
    path = shell_word(run.path)
    if len(counts.rows) > FEW_ROWS:
        yield NextStep(f"memtriage show {path}", f"all {len(counts.rows)} rows, by task and k")
    losing = ((row, stage) for row in counts.standings.contestants if (stage := weakest_stage(row)))
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
    if counts.measured:
        which = "recall and NDCG" if any("/" in name for name in counts.measured) else ", ".join(counts.measured)
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
