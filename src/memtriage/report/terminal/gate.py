"""The output of `gate`: what became of each task, and the probes that flipped."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.core.amount import k_text
from memtriage.report.gate_text import LABELS, cost_sentence, flip_words, floor_sentence, headline, hints, remark, where
from memtriage.report.headline import points
from memtriage.report.terminal.tables import plain, say
from memtriage.tables.gate import Finding, Gate, GateCell

_STYLES: Mapping[Finding, str] = {"worse": "bold red", "not_worse": "green", "undecided": "yellow"}


def print_gate(found: Gate, limit: int, console: Console) -> None:
    """Print a line for every test, why it failed or can't be told, the probes that flipped, and the result."""
    console.print(plain(f"{found.name} against {found.baseline}", "bold"))
    console.print(_grid(found))
    for cell in found.cells:
        if told := remark(cell, found):
            console.print(plain(f"{where(cell)}: {told}"))
    for floor in found.floors:
        console.print(plain(f"{where(floor)}: {floor_sentence(floor)}", "" if floor.held else "bold red"))
    for cost in found.costs:
        told = f"{cost.suite}, {cost.system}: {cost_sentence(cost)}"
        console.print(plain(told, "" if cost.held else "bold red"))
    _print_flips(found, limit, console)
    for hint in hints(found):
        console.print(plain(hint, "dim"))
    if found.only_new:
        console.print(plain(f"{found.only_new:,} probes of the new run are not in the baseline.", "dim"))
    console.print(
        plain(
            f"not worse: the interval excludes a drop of more than {found.max_drop:g} points, whatever becomes of what "
            "is open. worse: a drop that chance can't explain (McNemar's exact test, Holm's correction, 5 %); an error "
            "or a missing probe is no success. can't say: neither.",
            "dim",
        )
    )
    say(console, headline(found))


def _grid(found: Gate) -> Table:
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column("task", overflow="fold")
    for heading in ("k", "n", "before", "now", "change", "95 % interval", "lost/won", "p"):
        grid.add_column(heading, justify="right", no_wrap=True)
    grid.add_column("", no_wrap=True)
    for cell in found.cells:
        system = cell.system if cell.system == cell.system_before else f"{cell.system_before} → {cell.system}"
        name = Text.assemble(plain(cell.task), "\n", plain(system, "dim"))
        grid.add_row(name, *_numbers(cell), Text(LABELS[cell.finding], _STYLES[cell.finding]))
    return grid


def _numbers(cell: GateCell) -> tuple[str, ...]:
    if cell.before is None or cell.now is None or cell.difference is None:
        return (k_text(cell.k), "0", *"––––––")
    interval = f"{points(cell.low)} to {points(cell.high)}"
    shares = (f"{100 * cell.before:.1f}", f"{100 * cell.now:.1f}", points(cell.difference))
    p = "<0.001" if cell.p_holm < 0.001 else f"{cell.p_holm:.3f}"
    return (k_text(cell.k), f"{cell.n:,}", *shares, interval, f"{cell.lost}/{cell.won}", p)


def _print_flips(found: Gate, limit: int, console: Console) -> None:
    lost = [flip for flip in found.flips if flip.verdict_b != "correct"]
    if not lost or not limit:
        return
    console.print(Text("\nProbes that were right and are not now", "bold"))
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for heading in ("probe", "k", "now", "question and reason"):
        grid.add_column(heading, overflow="fold")
    for flip in lost[:limit]:
        probe, k, _, now, told = flip_words(flip)
        grid.add_row(plain(probe), k, plain(now), plain(told))
    console.print(grid)
    if len(lost) > limit:
        console.print(plain(f"… and {len(lost) - limit} more", "dim"))
