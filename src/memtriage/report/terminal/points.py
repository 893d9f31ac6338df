"""The view `show --by points`, and what `memtriage points` prints: HaluMem's measures, system by system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.core.errors import BadInput
from memtriage.diagnose.points import check_points
from memtriage.report.labels import short_labels
from memtriage.report.terminal.tables import plain
from memtriage.report.terminal.view import Source, View
from memtriage.tables.points import OUTCOMES, Outcomes, Points, Share, points

NONE = "no episode of this run says what its sessions should leave behind; HaluMem's do (docs/halumem.md)"
CAPTION = (
    "All in per cent. recall: points of which all was kept, with the 95 % interval; weighted: parts too, by "
    "importance; resistance: false points of which nothing was kept; accuracy: how much of what was kept was said; "
    "target: the same of memories about something to be kept. Where words leave anything open, least–most; "
    "`memtriage points RUN --judge MODEL` settles it, and tells target, F1 and how answers failed."
)

_MEASURES = 58
"""How many columns the measures of points take."""


def _rows(source: Source) -> list[Points]:
    reader = getattr(source.run, "reader", None)
    if reader is None:
        raise BadInput(f"--by {source.by} needs a run, whose stores were recorded")
    with reader:
        return known(points(check_points(reader)))


def known(rows: list[Points]) -> list[Points]:
    """The rows; a run without any is refused."""
    if not rows:
        raise BadInput(NONE)
    return rows


def print_points(rows: Iterable[Points], console: Console) -> None:
    """Print what was kept, what became of updates, points by type, and answers if they were judged."""
    listed = list(rows)
    labels = short_labels((row.system for row in listed), max(12, console.width - _MEASURES))
    found = [replace(row, system=labels[row.system]) for row in listed]
    headings = ("system", "n", "recall", "weighted", "resistance", "n/a", "errors")
    _grid(console, "points", headings, map(_kept, found))
    _grid(console, "memories", ("system", "n", "accuracy", "target", "F1"), map(_memories, found))
    if any(row.updates.correct.n for row in found):
        _grid(console, "updates", ("system", "n", *OUTCOMES), (_line(r.system, r.updates, OUTCOMES) for r in found))
    kinds = list(dict.fromkeys(kind for row in found for kind in row.kinds))
    lines = ([kind, row.system, _share(row.kinds[kind])] for kind in kinds for row in found if kind in row.kinds)
    _grid(console, "by type, updates included", ("type", "system", "right"), lines)
    if any(row.answers for row in found):
        outcomes = ("correct", "hallucinated", "omitted", "open")
        answers = (_line(f"{r.system} · k = {k}", r.answers[k], outcomes) for r in found for k in r.answers)
        _grid(console, "answers", ("system", "n", *outcomes), answers)
    console.print(Text(CAPTION, "dim"))


def _grid(console: Console, title: str, headings: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    grid = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for heading in headings:
        named = heading in ("system", "type")
        grid.add_column(heading, justify="left" if named else "right", overflow="fold")
    for line in lines:
        grid.add_row(*map(plain, line))
    console.print(plain(title, "bold"))
    console.print(grid)


def _kept(row: Points) -> list[str]:
    measures = [_share(row.recall), _range(row.weighted.least, row.weighted.most), _share(row.resistance)]
    counts = [str(row.na or "·"), str(row.errors or "·")]
    return [row.system, f"{row.recall.n + row.resistance.n:,}", *measures, *counts]


def _memories(row: Points) -> list[str]:
    means = [_range(mean.least, mean.most) for mean in (row.accuracy, row.target)]
    return [row.system, f"{row.accuracy.n:,}", *means, _range(row.f1, row.f1)]


def _share(share: Share) -> str:
    if not share.n:
        return "–"
    return f"{_range(share.least, share.most)} [{_range(share.low, share.high)}]"


def _range(least: float | None, most: float | None) -> str:
    """Bounds in per cent, without its sign.

    >>> _range(0.5, 0.75), _range(0.5, 0.5), _range(None, None)
    ('50.0–75.0', '50.0', '–')
    """
    if least is None or most is None:
        return "–"
    return f"{100 * least:.1f}" if least == most else f"{100 * least:.1f}–{100 * most:.1f}"


def _line(name: str, found: Outcomes, outcomes: Sequence[str]) -> list[str]:
    cells = [f"{found.counts[outcome]:,}" if found.counts.get(outcome) else "·" for outcome in outcomes]
    cells[0] = f"{cells[0]}: {_share(found.correct)}" if found.correct.n else cells[0]
    return [name, f"{found.correct.n:,}", *cells]


def record(row: Points) -> dict[str, Any]:
    """A row as JSON."""
    return {
        **{name: getattr(row, name) for name in ("suite", "task", "system", "stores", "na", "errors", "f1")},
        **{name: _share_record(getattr(row, name)) for name in ("recall", "resistance")},
        **{name: asdict(getattr(row, name)) for name in ("weighted", "accuracy", "target")},
        "updates": _outcomes_record(row.updates, OUTCOMES),
        "kinds": {kind: _share_record(share) for kind, share in row.kinds.items()},
        "answers": {str(k): _outcomes_record(found, (*OUTCOMES[:3], "open")) for k, found in row.answers.items()},
    }


def _share_record(share: Share) -> dict[str, Any]:
    return {**asdict(share), "least": share.least, "most": share.most}


def _outcomes_record(found: Outcomes, outcomes: Sequence[str]) -> dict[str, Any]:
    counts = {outcome: found.counts.get(outcome, 0) for outcome in outcomes}
    return {"n": found.correct.n, "counts": counts, "correct": _share_record(found.correct)}


def as_json(rows: Iterable[Points]) -> dict[str, Any]:
    """All rows as one JSON object."""
    return {"schema": "memtriage.points/1", "rows": [record(row) for row in rows]}


def _lines(rows: Iterable[Points]) -> Iterator[dict[str, Any]]:
    """A line for each measure of a system, for CSV."""
    for row in rows:
        about = {"task": row.task, "system": row.system}
        shares = {"recall": row.recall, "resistance": row.resistance, "updates correct": row.updates.correct}
        by_type = {f"right: {kind}": share for kind, share in row.kinds.items()}
        answers = {f"answers correct, k = {k}": found.correct for k, found in row.answers.items()}
        for measure, share in {**shares, **by_type, **answers}.items():
            yield {**about, "measure": measure, **_share_record(share)}
        for measure, mean in (("weighted recall", row.weighted), ("accuracy", row.accuracy), ("target", row.target)):
            unknown = dict.fromkeys(("hits", "open", "low", "high"))
            yield {**about, "measure": measure, **unknown, **asdict(mean)}


VIEWS = (
    View(
        "points",
        "what was kept of each session's memory points, and what became of updates (HaluMem)",
        lambda source, console: print_points(_rows(source), console),
        records=lambda source: _lines(_rows(source)),
        as_json=lambda source: as_json(_rows(source)),
    ),
)
