"""The views of what systems take, by family: `--latency` has times and peak memory, `--by effort` calls and tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.table import Table

from memtriage.core.errors import BadInput
from memtriage.record.reader import RunReader
from memtriage.report.terminal.tables import plain
from memtriage.report.terminal.view import Source, View
from memtriage.tables.effort import Effort, efforts
from memtriage.tables.families import families, family_heading, family_order, in_own_process
from memtriage.tables.latency import LatencyRow, TimedQuestion, latencies

NONE = "–"
_ROOMY = 120
"""The terminal width from which all numbers of an answered run fit beside a system's name."""


def _latencies(source: Source) -> list[LatencyRow]:
    stores, run = source.stores(), source.run
    if not stores:
        raise BadInput("--latency needs a run that filled stores; traces of others don't say how long that took")
    rows = latencies(stores, source.verdicts(), _answering(run), families(run), in_own_process(run))
    return sorted(rows, key=lambda row: family_order(row.family))  # stable: tasks and systems keep their order


def _draw(source: Source, console: Console) -> None:
    rows = _latencies(source)
    for task in dict.fromkeys(store.task for store in source.stores()):
        console.print(plain(task, "bold"))
        console.print(_grid([row for row in rows if row.task == task], console.width))
    for line in _caption(rows):
        console.print(plain(line, "dim"))


def _record(row: LatencyRow | Effort) -> dict[str, Any]:
    """A row as a flat record, seconds rounded to microseconds."""
    return {key: round(value, 6) if isinstance(value, float) else value for key, value in asdict(row).items()}


def _answering(run: object) -> dict[TimedQuestion, float]:
    """How long the last answering model took for each question, averaged over repeats."""
    opened = getattr(run, "reader", None)
    if not isinstance(opened, RunReader):
        return {}
    seconds_by_question: dict[TimedQuestion, list[float]] = {}
    with opened as reader:
        for model in reader.answered_by()[-1:]:
            for unit in reader.units:
                system, again = reader.system_and_repeat(unit[0])
                for (probe, k, _), answer in reader.answers(unit, model).items():
                    if answer.error is None:
                        seconds_by_question.setdefault((system, again, unit[1], probe, k), []).append(answer.seconds)
    return {asked: fmean(seconds) for asked, seconds in seconds_by_question.items()}


def _grid(rows: Sequence[LatencyRow], width: int) -> Table:
    """A line per system below its family; with separate times for retrieving and answering if a model answered.

    Standard deviations are left out if the terminal is too narrow for them.
    """
    answered = any(row.answered for row in rows)
    lost = any(row.broken or row.errors for row in rows)
    gpu = any(row.gpu_bytes is not None for row in rows)
    columns = [_columns(row, answered, lost, not answered or width >= _ROOMY, gpu) for row in rows]
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    grid.add_column("system", overflow="fold")
    for name, _ in columns[0] if columns else ():
        grid.add_column(name, justify="right", no_wrap=True)
    for family in dict.fromkeys(row.family for row in rows):
        grid.add_row(plain(family_heading(family), "bold"))
        for row, cells in zip(rows, columns, strict=True):
            if row.family == family:
                grid.add_row(plain(f"  {row.system}"), *(text for _, text in cells))
    return grid


def _columns(row: LatencyRow, answered: bool, lost: bool, deviations: bool, gpu: bool) -> list[tuple[str, str]]:
    """The headings and cells of a row."""

    def timed(name: str, mean: float | None, sd: float | None) -> list[tuple[str, str]]:
        return [(name, _seconds(mean)), *([("SD", _seconds(sd))] if deviations else [])]

    peak = NONE if row.peak_bytes is None else f"{row.peak_bytes / 1e6:,.1f} MB{'*' if row.process else ''}"
    apart = [*timed("retrieve", row.retrieval, row.retrieval_sd), *timed("answer", row.answering, row.answering_sd)]
    return [
        ("stores", f"{row.stores:,}"),
        *timed("M.C. s", row.construction, row.construction_sd),
        ("asked", f"{row.answered or row.questions:,}"),
        *timed("Q.E. s", row.execution, row.execution_sd),
        *(apart if answered else ()),
        ("peak", peak),
        *([("GPU", NONE if row.gpu_bytes is None else f"{row.gpu_bytes / 1e6:,.0f} MB")] if gpu else ()),
        *((("broken", f"{row.broken:,}"), ("errors", f"{row.errors:,}")) if lost else ()),
    ]


def _seconds(seconds: float | None) -> str:
    """Seconds as the paper prints them, with more digits for shorter times.

    >>> [_seconds(x) for x in (1089.2, 12.84, 0.4711, 0.00021, None)]
    ['1,089', '12.8', '0.47', '0.0002', '–']
    """
    if seconds is None:
        return NONE
    if seconds >= 100:
        return f"{seconds:,.0f}"
    return f"{seconds:.1f}" if seconds >= 10 else f"{seconds:.2f}" if seconds >= 0.1 else f"{seconds:.4f}"


def _caption(rows: Sequence[LatencyRow]) -> Iterator[str]:
    asked = "retrieving and the model's answer" if any(row.answered for row in rows) else "retrieving alone"
    yield (
        "M.C.: memory construction, seconds per store. "
        f"Q.E.: query execution, seconds per question at every k: {asked}. SD: over stores, over questions."
    )
    if len({row.system for row in rows if not row.process}) > 1:
        yield (
            "Built-in systems share a cache of what they compute from a text (words, vectors), so the first system "
            "pays for all. To compare times, run each system on its own."
        )
    if any(row.peak_bytes is not None for row in rows):
        yield "Peak: how much the run's process grew at most while a store was filled and asked; the largest store's."
    if any(row.gpu_bytes is not None for row in rows):
        yield "GPU: the peak that torch counted in the run's process, or what nvidia-smi listed for a full store."
    else:
        yield "GPU memory: n/a, as neither torch with CUDA nor nvidia-smi saw these systems use any."
    if any(row.process and row.peak_bytes is not None for row in rows):
        yield "* the whole of a process of its own, with the library it runs."
    if any(row.seen < row.stores for row in rows):
        yield f"{NONE} of peaks: not seen, as stores were filled at the same time (--parallel 1) or are kept elsewhere."


def _efforts(source: Source) -> list[Effort]:
    stores = source.stores()
    if not stores:
        raise BadInput("--by effort needs a run that filled stores; traces of others don't say what that took")
    rows = efforts(stores, source.verdicts(), families(source.run))
    return sorted(rows, key=lambda row: (row.suite, family_order(row.family)))  # stable: systems keep their order


def _draw_efforts(source: Source, console: Console) -> None:
    rows = _efforts(source)
    lost = any(row.broken or row.errors for row in rows)
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    grid.add_column("system", overflow="fold")
    taken = ("calls", "tokens", "s")
    names = (f"{each}\n{step}" for step in ("to fill", "to ask") for each in taken)
    for name in (*names, *(("broken", "errors") if lost else ())):
        grid.add_column(name, justify="right", no_wrap=True)
    for suite, family in dict.fromkeys((row.suite, row.family) for row in rows):
        grid.add_row(plain(family_heading(family), "bold"))
        for row in rows:
            if (row.suite, row.family) == (suite, family):
                grid.add_row(plain(f"  {row.system}"), *_effort_cells(row, lost))
    console.print(grid)
    console.print(
        "To fill: the mean of all stores. To ask: the mean of all questions, at every k. Calls and tokens (in and out) "
        "are those of models inside the system, as they would be without the cache; a model that answers is left out.",
        style="dim",
    )


def _effort_cells(row: Effort, lost: bool) -> Iterator[str]:
    for calls, tokens, seconds in (
        (row.store_calls, row.store_tokens, row.store_seconds),
        (row.question_calls, row.question_tokens, row.question_seconds),
    ):
        yield NONE if calls is None else f"{calls:,.1f}".removesuffix(".0")
        yield NONE if tokens is None else f"{tokens:,.0f}"
        yield _seconds(seconds)
    if lost:
        yield from (f"{row.broken:,}", f"{row.errors:,}")


VIEWS = (
    View(
        "effort",
        "what filling a store and asking a question take: model calls, tokens and seconds, systems by family",
        _draw_efforts,
        "effort",
        lambda source: map(_record, _efforts(source)),
    ),
    View(
        "latency",
        "seconds to build a store and to ask a question, and the most memory",
        _draw,
        "latency",
        lambda source: map(_record, _latencies(source)),
    ),
)
