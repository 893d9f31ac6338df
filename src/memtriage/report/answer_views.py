"""What `show` prints about answers: right or wrong against retrieved or not, what they cost, and pairs of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from memtriage.diagnose.verdict import ProbeVerdict, StoreSummary
from memtriage.errors import BadInput
from memtriage.report.flat import Form, print_rows
from memtriage.report.terminal import plain
from memtriage.score.costs import StageCost, costs
from memtriage.score.outcomes import outcomes

_PAIRS = {
    "credited": "credited",
    "knew_but_failed": "knew but failed",
    "never_knew": "never knew",
    "trivial": "trivial",
    "open": "open",
}


def show_outcomes(verdicts: Iterable[ProbeVerdict], form: Form, console: Console) -> None:
    """Per task, system and k: everything needed retrieved or not, against the answer right or wrong."""
    found = outcomes(verdicts)
    if not found:
        raise BadInput("--by outcome needs answers that were judged; run with --answer and --judge")
    if form != "table":
        print_rows("outcomes", [asdict(row) for row in found], form)
        return
    headings = ("task", "system", "k", "n", "retrieved,\nright", "retrieved,\nwrong", "missing,\nright")
    grid = _grid(*headings, "missing,\nwrong", "not\njudged", "open")
    for row in found:
        counts = (row.retrieved_right, row.retrieved_wrong, row.missing_right, row.missing_wrong)
        numbers = (row.k, row.n, *counts, row.unjudged, row.open)
        grid.add_row(plain(row.task), plain(row.system), *(f"{n:,}" for n in numbers))
    console.print(grid)
    console.print("Retrieved: all that the question needs came back. Missing: something did not.", style="dim")


def show_costs(stores: Sequence[StoreSummary], form: Form, console: Console) -> None:
    """Per system: what models took for an episode, to store it, to retrieve from it and to answer."""
    found = costs(stores)
    if form != "table":
        print_rows("costs", [asdict(row) for row in found], form)
        return
    grid = _grid("system", "stage", "episodes", "tokens in", "tokens out", "dollars")
    for (suite, system), episodes in Counter((store.suite, store.system) for store in stores).items():
        own = [row for row in found if (row.suite, row.system) == (suite, system)]
        for row in own:
            amounts = (f"{row.input_tokens:,.0f}", f"{row.output_tokens:,.0f}", _dollars(row))
            grid.add_row(plain(system), row.stage, f"{episodes:,}", *amounts)
        if not own:
            grid.add_row(plain(system), "no model", f"{episodes:,}", "–", "–", "–")
    console.print(grid)
    console.print(
        "Per episode, as paid for: replies from the cache cost nothing. Retrieving and answering count every question "
        "at every k and repeat.",
        style="dim",
    )


def _dollars(cost: StageCost) -> str:
    return "unknown" if cost.dollars is None else f"{cost.dollars:.5f}"


def _grid(*headings: str) -> Table:
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in headings:
        named = heading in ("task", "system", "stage")
        grid.add_column(heading, justify="left" if named else "right", overflow="fold", no_wrap=not named)
    return grid


class PairCount:
    """Counts how pairs of probes went while verdicts stream by."""

    def __init__(self) -> None:
        self._found: Counter[str] = Counter()

    def counted(self, verdicts: Iterable[ProbeVerdict]) -> Iterator[ProbeVerdict]:
        """The same verdicts, counted on the way."""
        for verdict in verdicts:
            if "pair" in verdict.tags:
                self._found[verdict.tags["pair"]] += 1
            yield verdict

    @property
    def line(self) -> str:
        """How they went, in one line; empty where there are no pairs."""
        told = [f"{self._found[name]:,} {word}" for name, word in _PAIRS.items() if self._found[name] or name != "open"]
        return f"Asked before and after a change: {', '.join(told)}." if self._found else ""


def flat(store: StoreSummary) -> dict[str, Any]:
    """A store as one line of a table, with a column for each number of its usages."""
    record: dict[str, Any] = {}
    for name, value in asdict(store).items():
        record |= {f"{name}_{part}": n for part, n in value.items()} if isinstance(value, dict) else {name: value}
    return record
