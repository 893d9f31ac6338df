"""The views of `show` about answers: outcomes, pairs and costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from memtriage.core.amount import k_text
from memtriage.core.errors import BadInput
from memtriage.core.verdict import StoreSummary
from memtriage.report.terminal.tables import percent, plain
from memtriage.report.terminal.view import Source, View
from memtriage.tables.costs import costs
from memtriage.tables.guessing import Guessing, guessing
from memtriage.tables.outcomes import Outcomes, outcomes
from memtriage.tables.paired import Paired, paired

_PAIRS = {
    "credited": "credited",
    "knew_but_failed": "knew but failed",
    "never_knew": "never knew",
    "trivial": "trivial",
    "open": "open",
}


def _outcomes(source: Source) -> Sequence[Outcomes]:
    found = outcomes(source.verdicts())
    if not found:
        raise BadInput("--by outcome needs answers that were judged; run with --answer and --judge")
    return found


def _draw_outcomes(source: Source, console: Console) -> None:
    found = _outcomes(source)
    headings = ("system", "k", "n", "retrieved,\nright", "retrieved,\nwrong", "missing,\nright")
    for task in dict.fromkeys(row.task for row in found):
        grid = _grid(*headings, "missing,\nwrong", "not\njudged", "open")
        for row in (row for row in found if row.task == task):
            counts = (row.retrieved_right, row.retrieved_wrong, row.missing_right, row.missing_wrong)
            numbers = (row.n, *counts, row.unjudged, row.open)
            grid.add_row(plain(row.system), k_text(row.k), *(f"{n:,}" for n in numbers))
        console.print(plain(task, "bold"))
        console.print(grid)
    console.print("Retrieved: all that the question needs came back. Missing: something did not.", style="dim")


def _guessing(source: Source) -> Sequence[Guessing]:
    found = guessing(source.verdicts())
    if not found:
        raise BadInput("--by guessing needs answers to lettered questions that lack their evidence; run with --answer")
    return found


def _draw_guessing(source: Source, console: Console) -> None:
    found = _guessing(source)
    for task in dict.fromkeys(row.task for row in found):
        grid = _grid("system", "k", "choices", "n", "can't\ntell", "right", "share", "95 %", "chance", "")
        for row in (row for row in found if row.task == task):
            interval = f"{100 * row.low:.1f}–{100 * row.high:.1f}"
            counts = (f"{n:,}" for n in (row.choices, row.n, row.cant_tell))
            shares = (f"{row.right} of {row.guessed}", percent(row.share), interval, percent(row.chance))
            grid.add_row(plain(row.system), k_text(row.k), *counts, *shares, row.against_chance)
        console.print(plain(task, "bold"))
        console.print(grid)
    console.print(
        "n: lettered questions of which something needed was lost. Above chance: they can be answered without it.",
        style="dim",
    )


def _pairs(source: Source) -> Sequence[Paired]:
    found = paired(source.verdicts())
    if not found:
        raise BadInput("--by pair needs questions that are asked before and after a change, as suite meme has them")
    return found


def _draw_pairs(source: Source, console: Console) -> None:
    found = _pairs(source)
    for task in dict.fromkeys(row.task for row in found):
        grid = _grid(
            "system", "k", "filler", "n", *(word.replace(" ", "\n", 1) for word in _PAIRS.values()), "trivial %"
        )
        for row in (row for row in found if row.task == task):
            counts = (f"{getattr(row, name):,}" for name in _PAIRS)
            rate = "–" if row.trivial_rate is None else f"{100 * row.trivial_rate:.1f}"
            grid.add_row(plain(row.system), k_text(row.k), plain(row.filler or "–"), f"{row.n:,}", *counts, rate)
        console.print(plain(task, "bold"))
        console.print(grid)
    console.print(
        "Only what was known before and is right after is credited; trivial: right after, but never known.", style="dim"
    )


def _draw_costs(source: Source, console: Console) -> None:
    stores = source.stores()
    found = costs(stores)
    grid = _grid(
        "system",
        "stage",
        "epi-\nsodes",
        "paid\nin",
        "paid\nout",
        "paid\n$",
        "all\nin",
        "all\nout",
        "all\n$",
        "vs\nbase",
    )
    for (suite, system), episodes in Counter((store.suite, store.system) for store in stores).items():
        own = [row for row in found if (row.suite, row.system) == (suite, system)]
        for row in own:
            paid = (_tokens(row.input_tokens), _tokens(row.output_tokens), _dollars(row.dollars))
            everything = (_tokens(row.all_input), _tokens(row.all_output), _dollars(row.all_dollars))
            ratio = "" if row.vs_base is None else f"{row.vs_base:.1f}×"
            grid.add_row(plain(system), plain(row.stage), f"{episodes:,}", *paid, *everything, ratio)
        if not own:
            grid.add_row(plain(system), "no model", f"{episodes:,}", *("–" for _ in range(6)))
    console.print(grid)
    console.print(
        "Tokens and dollars per episode. Paid: replies from the cache cost nothing. All: as it would be without the "
        "cache, at list prices; vs base: against the first system with a model. Retrieving and answering count every "
        "question at every k and repeat.",
        style="dim",
    )


def _tokens(count: float | None) -> str:
    return "–" if count is None else f"{count:,.0f}"


def _dollars(dollars: float | None) -> str:
    return "unknown" if dollars is None else f"{dollars:.4f}"


def _grid(*headings: str) -> Table:
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in headings:
        named = heading in ("task", "system", "stage")
        grid.add_column(heading, justify="left" if named else "right", overflow="fold", no_wrap=not named)
    return grid


def pair_lines(pairs: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The outcomes of pairs, one line per system; empty if there are no pairs."""
    lines = [f"  {system}: {_count_text(Counter(counts))}" for system, counts in pairs.items()]
    return ["Asked before and after a change, over all tasks and k:", *lines] if lines else []


def _count_text(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[name]:,} {word}" for name, word in _PAIRS.items() if counts[name] or name != "open")


def flat_store(store: StoreSummary) -> dict[str, Any]:
    """A store as a flat record, with a column for each number of its usages."""
    record: dict[str, Any] = {}
    for name, value in asdict(store).items():
        record |= {f"{name}_{part}": n for part, n in value.items()} if isinstance(value, dict) else {name: value}
    return record


VIEWS = (
    View(
        "outcome",
        "everything needed retrieved or not, against the answer right or wrong",
        _draw_outcomes,
        "outcomes",
        lambda source: [asdict(row) for row in _outcomes(source)],
    ),
    View(
        "guessing",
        "lettered questions without their evidence: right answers against chance",
        _draw_guessing,
        "guessing",
        lambda source: [asdict(row) for row in _guessing(source)],
    ),
    View(
        "pair",
        "how questions went that were asked before and after a change",
        _draw_pairs,
        "pairs",
        lambda source: [asdict(row) for row in _pairs(source)],
    ),
    View(
        "cost",
        "what models took for an episode, to store it, to retrieve from it and to answer; with and without the cache",
        _draw_costs,
        "costs",
        lambda source: [asdict(row) for row in costs(source.stores())],
    ),
)
