"""The views of single probes and facts, a line each, and of facts on their way through the stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from textwrap import shorten

from rich.console import Console
from rich.table import Table

from memtriage.core.amount import k_text
from memtriage.core.errors import BadInput
from memtriage.report.terminal.tables import plain, print_facts, print_probes
from memtriage.report.terminal.view import Source, View
from memtriage.tables.table import fact_records, records
from memtriage.tables.traced import Traced, traced

_LONGEST = 70
_MARKS = {"pass": "yes", "fail": "no", "uncertain": "?", "n/a": "–"}
_STAGES = ("encoding", "maintenance", "retrieval", "answering")


def _draw_stages(source: Source, console: Console) -> None:
    """Print each question with its facts, system by system, and then how far the facts of each system came."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for number, ((_, question, gold), lines) in enumerate(groupby(_by_question(source), _question)):
        own = list(lines)
        for line in own:
            for stage in _STAGES:
                counts.setdefault((line.system, stage), Counter())[getattr(line, stage)] += not line.outdated
        if number < source.limit:
            console.print(plain(f"{question} ({gold})", "bold"))
            console.print(_stage_grid(own))
    grid = _grid("system", *_STAGES)
    for system in dict.fromkeys(system for system, _ in counts):
        grid.add_row(plain(system), *(_share(counts[system, stage]) for stage in _STAGES))
    console.print(grid)
    console.print(
        "Facts that a question needs: written into the store, still there when it was asked, brought back, and the "
        "question answered right. Shares are of those that reached a stage. Outdated: no longer true, and came back "
        "without what says so.",
        style="dim",
    )


def _by_question(source: Source) -> list[Traced]:
    """The facts, the systems that were asked the same below each other."""
    found = list(traced(source.verdicts()))
    if not found:
        raise BadInput("--by stage needs questions whose facts are known")
    places = {key: place for place, key in enumerate(dict.fromkeys(map(_question, found)))}
    return sorted(found, key=lambda line: places[_question(line)])


def _question(line: Traced) -> tuple[str, str, str]:
    return line.probe, line.question, line.gold


def _stage_grid(lines: Sequence[Traced]) -> Table:
    grid = _grid("system", "k", "fact", *_STAGES)
    for line in lines:
        fact = f"outdated: {line.fact}" if line.outdated else shorten(f"{line.fact}: {line.text}", _LONGEST)
        marks = (_MARKS[getattr(line, stage)] for stage in _STAGES)
        grid.add_row(plain(line.system), k_text(line.k), plain(fact), *marks)
    return grid


def _share(counts: Counter[str]) -> str:
    reached = counts["pass"] + counts["fail"] + counts["uncertain"]
    return f"{counts['pass']:,} of {reached:,}" if reached else "–"


def _grid(*headings: str) -> Table:
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in headings:
        worded = heading in ("system", "fact")
        grid.add_column(heading, justify="left" if worded else "right", overflow="fold", no_wrap=not worded)
    return grid


VIEWS = (
    View(
        "probe",
        "a line for each question: its verdict and why",
        lambda source, console: print_probes(source.verdicts(), console, source.limit),
        "probes",
        lambda source: records(source.verdicts()),
    ),
    View(
        "fact",
        "a line for each fact that a question needs: where it was lost, and why",
        lambda source, console: print_facts(source.verdicts(), console, source.limit),
        "facts",
        lambda source: fact_records(source.verdicts()),
    ),
    View(
        "stage",
        "each fact of a question on its way: encoded, maintained, retrieved, answered; system by system",
        _draw_stages,
        "stages",
        lambda source: [asdict(line) for line in traced(source.verdicts())],
    ),
)
