"""The output of studies: progress, the table of a sweep, estimates, tuned prompts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.core.amount import k_text
from memtriage.report.terminal import commands
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.machine_readable import Form, csv_text, print_json
from memtriage.report.terminal.progress import RunProgress
from memtriage.studies.optimize import Optimized, optimized_json
from memtriage.studies.sweep import SCHEMA, Sweep, SweepWatcher
from memtriage.tables.sweep import CREDIT, SEED, SweepRow, measures_named, sweep_row_flat, sweep_row_json

NONE = "–"


class SweepProgress(RunProgress, SweepWatcher):
    """One progress bar for all runs of a sweep. The steps of later runs are estimated from earlier ones."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        self._weights: list[int] = []
        self._steps: dict[int, int] = {}
        self._now = 0
        self._name = ""

    def cells(self, weights: Sequence[int]) -> None:
        self._weights = list(weights)
        self._task = self._progress.add_task("starting", total=None)

    def cell(self, number: int, name: str) -> None:
        self._now, self._name = number, name
        if self._task is not None:  # also count steps that a run skipped, such as questions to a broken store
            self._progress.update(self._task, completed=sum(self._steps.get(n, 0) for n in range(number)))
        self._say("loading")

    def begin(self, path: Path, steps: int) -> None:
        self.path = path
        self._steps[self._now] = steps
        if self._task is not None:
            self._progress.update(self._task, total=round(self.total))

    @property
    def total(self) -> float:
        """The estimated number of steps of the whole sweep."""
        known = sum(self._steps.values())
        weight = sum(self._weights[number] for number in self._steps)
        ahead = sum(weight for number, weight in enumerate(self._weights) if number not in self._steps)
        return known + (known / weight * ahead if weight else 0)

    def _say(self, text: str) -> None:
        super()._say(f"{self._now + 1}/{len(self._weights)} {self._name}: {text}")


def show_sweep(sweep: Sweep, form: Form, console: Console, measures: Sequence[str] = ()) -> None:
    """Print a sweep's table: a row for each task, system, k and values; with `measures`, these instead of success."""
    rows = sweep.rows()
    named = measures_named(rows, measures) if measures else []
    if form == "json":
        flat = [sweep_row_json(row) for row in rows]
        print_json({"schema": SCHEMA, "suites": sweep.suites, "axes": sweep.axes, "left": sweep.left, "rows": flat})
        return
    if form == "csv":
        print(csv_text(sweep_row_flat(row) for row in rows), end="")
        return
    for task, over in dict.fromkeys((row.task, row.over) for row in rows):
        own = [row for row in rows if (row.task, row.over) == (task, over)]
        console.print(terminal.plain(task if over == "task" else f"{task}, {over}", "bold"))
        console.print(_measure_grid(own, sweep, named) if named else _grid(own, sweep))
    for line in _measure_caption(rows, sweep) if named else _caption(rows, sweep):
        console.print(terminal.plain(line, "dim"))


def show_folder(path: Path, form: Form, console: Console, measures: Sequence[str] = ()) -> None:
    """Print the sweep in a folder again."""
    show_sweep(Sweep(path), form, console, measures)


def show_estimates(found: Sequence[tuple[str, Any]], total: Any, as_json: bool, console: Console) -> None:
    """Print the estimate of a sweep: by run, then by stage."""
    if as_json:
        cells = [{"cell": name, **estimate.rows()[-1]} for name, estimate in found]
        record = {"schema": "memtriage.sweep-estimate/1", "cells": cells, "rows": total.rows()}
        print_json({**record, "assumptions": list(total.assumptions)})
        return
    grid = _columns("run", "calls", "dollars")
    for name, estimate in found:
        last = estimate.rows()[-1]
        grid.add_row(terminal.plain(name), _range(last["calls"], "{:,}"), _range(last["dollars"], "${:.4f}"))
    console.print(grid)
    commands.estimate(total, False, console)


def show_optimized(found: Optimized, as_json: bool, console: Console) -> None:
    """Print the scores of tuned prompts on held-out episodes, next to the original ones."""
    if as_json:
        print_json(optimized_json(found))
        return
    grid = _columns("held out", "n", "before", "95 %", "after", "95 %", "after − before", "95 %", "p")
    for each in (*found.tasks, found.whole):
        cells = [each.task, str(each.before.n)]
        cells += [terminal.percent(each.before.success), _interval(*each.before.interval)]
        cells += [terminal.percent(each.after.success), _interval(*each.after.interval)]
        change = each.difference
        cells += [NONE, NONE] if change is None else [f"{100 * change.value:+.1f}", _interval(*change.interval)]
        grid.add_row(*map(terminal.plain, [*cells, f"{each.p:.3f}"]))
    console.print(grid)
    for line in _notes(found):
        console.print(terminal.plain(line, "dim"))


def _notes(found: Optimized) -> list[str]:
    scores = f"{terminal.percent(found.trials[0].score)} before, {terminal.percent(found.best.score)} at best"
    lines = [f"training: {len(found.trials)} sets of prompts on {len(found.train)} episodes, {scores}"]
    if not found.changed:
        lines.append("no proposal did better in training; the prompts stay as they are")
    for moment, held in (("before", found.before), ("after", found.after)):
        if held.uncertain or held.errors:
            lines.append(f"{moment}: {held.uncertain} uncertain and {held.errors} errors are no success, but widen it")
    lines.append(
        "`all` pools the probes of all tasks; the difference is paired (Newcombe; exact McNemar): an error is no "
        "success, and a pair with something uncertain is left out"
    )
    if found.usage.calls or found.usage.cached:
        cost = "unknown" if found.usage.dollars is None else f"${found.usage.dollars:.4f}"
        lines.append(f"proposing took {found.usage.calls} calls ({found.usage.cached} from the cache), {cost}")
    return lines


def _grid(rows: Sequence[SweepRow], sweep: Sweep) -> Table:
    varied = [name for name in sweep.axes if name != SEED]
    judged = any(row.accuracy is not None for row in rows)
    repeated = any(row.runs > 1 for row in rows)
    asked = any(row.calls for row in rows)
    headings = ["system", "k", *varied, "n", *(["runs"] if repeated else []), "success", "95 %"]
    headings += ["SD"] if repeated else []
    headings += ["right", "95 %", *(["SD"] if repeated else [])] if judged else []
    asked_twice = any(row.trivial is not None for row in rows)
    headings += ["trivial"] if asked_twice else []
    brought = any(row.context_tokens for row in rows)
    headings += ["ctx"] if brought else []
    headings += ["calls/ep", "$/ep"] if asked else []
    counted = [name for name in ("uncertain", "errors") if any(getattr(row, name) for row in rows)]
    headings += counted
    grid = _columns(*headings)
    for row in rows:
        values = dict(row.values)
        cells = [row.system, k_text(row.k), *(values.get(name) or NONE for name in varied), str(row.n)]
        cells += [str(row.runs)] if repeated else []
        cells += [terminal.percent(row.success), _interval(row.low, row.high)]
        cells += [_sd(row.sd)] if repeated else []
        if judged:
            cells += [terminal.percent(row.accuracy), _interval(row.accuracy_low, row.accuracy_high)]
            cells += [_sd(row.accuracy_sd)] if repeated else []
        cells += [terminal.percent(row.trivial)] if asked_twice else []
        cells += [_tokens(row)] if brought else []
        cells += [f"{row.calls:,.1f}", _dollars(row)] if asked else []
        cells += [str(getattr(row, name)) for name in counted]
        grid.add_row(*map(terminal.plain, cells))
    return grid


def _measure_grid(rows: Sequence[SweepRow], sweep: Sweep, names: Sequence[str]) -> Table:
    varied = [name for name in sweep.axes if name != SEED]
    shown = [name for name in names if any(name in row.measures for row in rows)]
    headings = (name.replace("/", "/\n").replace("@", "\n@") for name in shown)
    grid = _columns("system", "k", *varied, "ctx", *(part for name in headings for part in ("n", name)))
    for row in rows:
        values = dict(row.values)
        cells = [row.system, k_text(row.k), *(values.get(name) or NONE for name in varied), _tokens(row)]
        for found in (row.measures.get(name) for name in shown):
            cells += (
                [str(found.n), f"{100 * found.mean:.1f} {_interval(found.low, found.high)}"] if found else [NONE] * 2
            )
        grid.add_row(*map(terminal.plain, cells))
    return grid


def _columns(*headings: str) -> Table:
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for number, heading in enumerate(headings):
        grid.add_column(Text(heading), justify="left" if number == 0 else "right", overflow="fold")
    return grid


def _caption(rows: Sequence[SweepRow], sweep: Sweep) -> list[str]:
    depths = sorted({row.depth for row in rows})
    lines = [f"depth {', '.join(depths)}; success: all that a question needs went through every stage"] if rows else []
    lines += _common_caption(rows, sweep)
    if any(row.uncertain or row.errors for row in rows):
        lines.append("errors and what is uncertain are no success; intervals reach from all failed to all right")
    if any(row.accuracy is not None for row in rows):
        lines.append("right: the answer was right, whatever was retrieved for it")
    if any(row.trivial is not None for row in rows):
        lines.append("trivial: right after the change, but not known before it; no success")
    if any(row.calls for row in rows):
        lines.append(
            "calls and dollars per episode: storing it and all its questions at every k; from the cache is free"
        )
    measures = dict.fromkeys(name for row in rows for name in row.measures if name != CREDIT)
    if measures:
        shown = ", ".join(list(measures)[:3])
        lines.append(f"{len(measures)} measures ({shown}, …) are in --json and --csv; --measure NAME,… prints them")
    return lines + _unfinished(sweep)


def _measure_caption(rows: Sequence[SweepRow], sweep: Sweep) -> list[str]:
    lines = ["percent with 95 % intervals, over n questions; an error counts as 0"]
    lines.append("rankings are measured at the depth in their name, whatever k is")
    return [*lines, *_common_caption(rows, sweep), *_unfinished(sweep)]


def _common_caption(rows: Sequence[SweepRow], sweep: Sweep) -> list[str]:
    lines = []
    if any(row.context_tokens for row in rows):
        lines.append("ctx: the mean number of tokens that came back for a question")
    if any(row.over != "task" for row in rows):
        lines.append("all: pooled, every question counts alike; mean of tasks, every task does")
    if any(row.runs > 1 for row in rows):
        lines.append(
            f"means over {SEED}s {', '.join(sweep.axes.get(SEED, []))} with their standard deviation in points; "
            "intervals over the probes of all of them together"
        )
    return lines


def _unfinished(sweep: Sweep) -> list[str]:
    if not sweep.left:
        return []
    done = len(sweep.cells) - len(sweep.left)
    return [f"{done} of {len(sweep.cells)} runs are finished; the same sweep again goes on"]


def _tokens(row: SweepRow) -> str:
    return NONE if row.context_tokens is None else f"{row.context_tokens:,.0f}"


def _interval(low: float | None, high: float | None) -> str:
    return NONE if low is None or high is None else f"{100 * low:.0f}–{100 * high:.0f}"


def _sd(value: float | None) -> str:
    return NONE if value is None else f"{100 * value:.1f}"


def _range(bounds: tuple[Any, Any] | None, form: str) -> str:
    """A range, or one number if both ends are the same."""
    return "unknown" if bounds is None else " – ".join(dict.fromkeys(form.format(bound) for bound in bounds))


def _dollars(row: SweepRow) -> str:
    if not row.calls and not row.dollars:
        return NONE
    return "unknown" if row.dollars is None else f"{row.dollars:.4f}"
