"""The views of `show` with which MEME's paper tells its results: scores, axes, what was missed, rewritten stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.core.amount import K, k_text
from memtriage.core.errors import BadInput
from memtriage.registry import group
from memtriage.report.terminal.tables import plain
from memtriage.report.terminal.view import Source, View
from memtriage.tables.missed import Missed, missed
from memtriage.tables.rewrites import Rewrites, rewrites
from memtriage.tables.scores import AxisScore, Score, axis_scores, scores
from memtriage.tables.table import MERGED, table

_NAMES = {MERGED: "(mean)"}


def _scores(source: Source) -> list[Score]:
    return scores(table(source.verdicts(), source.stores()))


def _draw_scores(source: Source, console: Console) -> None:
    found = _scores(source)
    for suite, depth in dict.fromkeys((score.suite, score.depth) for score in found):
        own = [score for score in found if (score.suite, score.depth) == (suite, depth)]
        console.print(plain(f"{suite} · {own[0].measure}", "bold"))
        for heading, columns in _sheets(own):
            if heading:
                console.print(plain(heading, "bold"))
            console.print(_score_grid(own, suite, columns))
    console.print(
        "Overall: the mean of the tasks, each counting alike"
        + (", first within each group and then of the groups" if any(score.group for score in found) else "")
        + ". (mean), of systems, leaves out floors and ceilings. --json has the intervals.",
        style="dim",
    )


def _sheets(found: Sequence[Score]) -> list[tuple[str, list[str]]]:
    """The tables of a suite with their columns: all tasks, or those of each group with their mean, then the means."""
    tasks = [task for task in dict.fromkeys(score.task for score in found if not score.group) if task != MERGED]
    groups = [name for name in dict.fromkeys(score.group for score in found) if name]
    if not groups:
        return [("", [*tasks, MERGED])]
    by_group = [(name, [*(task for task in tasks if group(task) == name), name]) for name in groups]
    return [*by_group, ("all groups", [*groups, MERGED])]


def _score_grid(found: Sequence[Score], suite: str, columns: Sequence[str]) -> Table:
    only_means = all("/" not in column for column in columns)
    headings = ("mean" if "/" not in column and column != MERGED and not only_means else column for column in columns)
    grid = _grid("system", "k", *("overall" if name == MERGED else _heading(name, suite) for name in headings))
    values = {(score.system, score.k, score.task): score for score in found}
    for system, k in _lines(found):
        cells = (values.get((system, k, column)) for column in columns)
        style = "dim" if system == MERGED else ""
        shown = ("–" if cell is None else f"{cell.value:.2f}" for cell in cells)
        grid.add_row(plain(_NAMES.get(system, system), style), k_text(k), *shown)
    return grid


def _heading(task: str, suite: str) -> str:
    """A task's name on several lines, so that six of them fit into 80 columns.

    >>> _heading("meme/aggregation", "meme")
    'aggrega-\\ntion'
    """
    words = task.removeprefix(f"{suite}/").replace("-", "-\n").split("\n")
    return "\n".join(word if len(word) < 9 else f"{word[:7]}-\n{word[7:]}" for word in words)


def _lines(found: Sequence[Score]) -> list[tuple[str, K]]:
    """The systems and k of a block, a system's k below each other and the mean of systems last."""
    lines = list(dict.fromkeys((score.system, score.k) for score in found))
    systems = list(dict.fromkeys(system for system, _ in lines))
    return sorted(lines, key=lambda line: (line[0] == MERGED, systems.index(line[0])))


def _axes(source: Source) -> list[AxisScore]:
    found = axis_scores(_scores(source))
    if not found:
        raise BadInput("--by quadrant needs a suite that places its tasks on two axes, as suite meme does")
    return found


def _draw_axes(source: Source, console: Console) -> None:
    found = _axes(source)
    places = list(dict.fromkeys((score.first, score.second) for score in found))
    places.sort(key=lambda place: MERGED in place)  # cells first, then what is averaged over an axis
    grid = _grid("system", "k", *("\n".join(word for word in place if word != MERGED) for place in places))
    values = {(score.system, score.k, score.depth, score.first, score.second): score.value for score in found}
    for system, k, depth in dict.fromkeys((score.system, score.k, score.depth) for score in found):
        cells = (values.get((system, k, depth, *place)) for place in places)
        shown = ("–" if value is None else f"{value:.2f}" for value in cells)
        grid.add_row(plain(_NAMES.get(system, system), "dim" if system == MERGED else ""), k_text(k), *shown)
    console.print(plain(found[0].measure, "bold"))
    console.print(grid)
    console.print("A cell is the mean of its tasks; an axis alone is the mean of its cells.", style="dim")


def _missed(source: Source) -> list[Missed]:
    found = missed(source.verdicts())
    if not found:
        raise BadInput("--by missed needs questions that depend on a change, as suite meme has them")
    return found


def _draw_missed(source: Source, console: Console) -> None:
    found = _missed(source)
    for task in dict.fromkeys(row.task for row in found):
        grid = _grid("system", "k", "pairs", "cases", "change", "rule", "both", "answering", "open")
        for row in (row for row in found if row.task == task):
            counts = (row.change, row.rule, row.both, row.answering, row.open)
            name = "all of these" if row.system == MERGED else row.system
            shown = (_part(count, row.cases) for count in counts)
            grid.add_row(plain(name), k_text(row.k), f"{row.pairs:,}", f"{row.cases:,}", *shown)
        console.print(plain(task, "bold"))
        console.print(grid)
    console.print(
        "Cases: known before the change, and failed after it. Change, rule, both: what did not come back. "
        "Answering: all of it came back, and the answer is wrong. Open: words can't tell, or an error.",
        style="dim",
    )


def _part(count: int | None, whole: int) -> str:
    if count is None:
        return "–"
    return f"{count:,} ({count / whole:.0%})" if whole else f"{count:,}"


def _rewrites(source: Source) -> list[Rewrites]:
    reader = getattr(source.run, "reader", None)
    found = [] if reader is None else rewrites(reader)
    if not found:
        raise BadInput("--by rewrite needs stores that were seen before and after a change, as in a run of suite meme")
    return found


def _draw_rewrites(source: Source, console: Console) -> None:
    found = _rewrites(source)
    for task in dict.fromkeys(row.task for row in found):
        grid = _grid("system", "stores", "wrote", "rewrote", "before", "after", "growth")
        for row in (row for row in found if row.task == task):
            wrote = (f"{count:,} ({count / row.stores:.0%})" for count in (row.wrote, row.rewrote))
            growth = "–" if row.delta is None else f"{100 * row.delta:+.0f} %"
            grid.add_row(
                plain(row.system), f"{row.stores:,}", *wrote, f"{row.before:,.0f}", f"{row.after:,.0f}", growth
            )
        console.print(plain("all tasks" if task == MERGED else task, "bold"))
        console.print(grid)
    console.print(
        "The session that changes or takes back what was told: stores that took anything in, stores in which something "
        "kept before is gone or reads differently, and their mean size in characters before and after it.",
        style="dim",
    )


def _rewrite_record(row: Rewrites) -> dict[str, Any]:
    return {**asdict(row), "delta": row.delta}


def _grid(*headings: str) -> Table:
    grid = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for heading in headings:
        named = heading == "system"
        shown = Text("\n").join(map(plain, heading.split("\n")))
        grid.add_column(shown, justify="left" if named else "right", overflow="fold", no_wrap=not named)
    return grid


VIEWS = (
    View(
        "score",
        "a line for each system, a column for each task, the mean of tasks and the mean of systems",
        _draw_scores,
        "scores",
        lambda source: [asdict(score) for score in _scores(source)],
    ),
    View(
        "quadrant",
        "scores by the two axes of a suite's tasks: MEME's entities and time",
        _draw_axes,
        "quadrants",
        lambda source: [asdict(score) for score in _axes(source)],
    ),
    View(
        "missed",
        "known before a change and failed after it: was the change missing, the rule, or neither?",
        _draw_missed,
        "missed",
        lambda source: [asdict(row) for row in _missed(source)],
    ),
    View(
        "rewrite",
        "what systems did to their stores in the session that changes something, and their size around it",
        _draw_rewrites,
        "rewrites",
        lambda source: [_rewrite_record(row) for row in _rewrites(source)],
    ),
)
