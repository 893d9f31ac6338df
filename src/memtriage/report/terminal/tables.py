"""Tables for the terminal: where each system fails, readable at 80 columns and without colour.

Text from data, memories and models is never read as markup, and its control characters are made
visible.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from memtriage.core.amount import k_order, k_text
from memtriage.core.errors import BadInput, unknown
from memtriage.core.verdict import KIND, KINDS, VERDICTS, ProbeVerdict, Verdict
from memtriage.metrics.statistics import kappa, wilson
from memtriage.report.headline import points
from memtriage.report.labels import short_labels
from memtriage.report.terminal.machine_readable import csv_text, is_hidden
from memtriage.tables.pairs import ComparedCell, Comparison
from memtriage.tables.standings import REFERENCES
from memtriage.tables.table import IN_STORE, Row, columns_of, first_why, row_json

WIDE = 110
"""From this terminal width on, comparisons and confusion tables spell out their headings."""

ROOMY = 20
"""A table spells out its headings only if this many characters are left for the bar."""

SPLITS = ("task", "system", "k")


_DEPTHS = {
    "memory": "memory-only: success means all that a question needs was stored, intact and retrieved",
    "full": "full: success means all that a question needs was retrieved and the answer is right",
}
_ASCII = str.maketrans(
    {"█": "#", "–": "-", "·": "|", "…": "~", "→": ">", "−": "-", "κ": "k", "↵": " ", "�": "?", "\u00a0": " "}
)


def print_table(
    rows: Sequence[Row], console: Console, by: str = "task", groups: Mapping[str, str] | None = None
) -> None:
    """Print one block per task (or system, or k), with success, its interval and where the rest was lost.

    `groups` gives a heading for each system; rows are then grouped by heading, in the given order.
    """
    if by not in SPLITS:
        raise BadInput(unknown("way to split the table", by, SPLITS))
    if not rows:
        _print(console, Text("No probes to show."))
        return
    for block in _blocks(rows, by):
        _print(console, _block(block, by, console.width, groups), Text())
    _print(console, _legend(rows, console.width), *_caption(rows))


def print_probes(probes: Iterable[ProbeVerdict], console: Console, limit: int | None = 20) -> None:
    """Print one line per probe: its verdict, its question, and why."""
    grid = _grid("probe", "system", "k", "verdict", "question", "why")
    lines = (
        (plain(p.probe), plain(p.system), Text(k_text(p.k)), _verdict(p.verdict), plain(p.question), plain(_why(p)))
        for p in probes
    )
    _print_lines(console, grid, lines, limit)


def _why(probe: ProbeVerdict) -> str:
    return "right without its evidence: " * probe.right_without_evidence + first_why(probe)


def print_facts(probes: Iterable[ProbeVerdict], console: Console, limit: int | None = 20) -> None:
    """Print one line per fact that the probes need: where it was lost, and why."""
    grid = _grid("probe", "system", "k", "verdict", "fact", "why")
    lines = (
        (plain(p.probe), plain(p.system), Text(k_text(p.k)), _verdict(f.verdict), plain(f.text), plain(f.why))
        for p in probes
        for f in p.facts
    )
    _print_lines(console, grid, lines, limit)


def print_comparison(
    comparison: Comparison, console: Console, names: tuple[str, str] = ("A", "B"), limit: int | None = 20
) -> None:
    """Print how two sides differ per task and k, then the probes that only one of them got right."""
    pairs = {(cell.system_a, cell.system_b) for cell in comparison.cells}
    grid = _comparison_grid(comparison.cells, console.width, named=pairs != {names})
    _print(console, Text.assemble("A = ", plain(names[0]), "    B = ", plain(names[1]), style="bold"))
    _print(console, grid, *_comparison_caption(comparison.cells))
    _print(
        console,
        _note(
            f"{comparison.paired} probes paired. "
            f"Asked on one side only: {comparison.only_a} in A, {comparison.only_b} in B."
        ),
    )
    if not comparison.flips:
        return
    _print(console, Text("\nProbes that only one side got right", style="bold"))
    flips = _grid("probe", "k", "A", "B", "question", "why")
    lines = (
        (
            plain(f.probe),
            Text(k_text(f.k)),
            _verdict(f.verdict_a),
            _verdict(f.verdict_b),
            plain(f.question),
            plain(f.why),
        )
        for f in comparison.flips
    )
    _print_lines(console, flips, lines, limit)


def print_differences(cells: Sequence[ComparedCell], console: Console) -> None:
    """Print every two systems of a run, paired: by how much they differ, and how much it takes to show."""
    for k, depth in dict.fromkeys((cell.k, cell.depth) for cell in cells):
        own = [cell for cell in cells if (cell.k, cell.depth) == (k, depth)]
        heading = Text.assemble((f"k = {k_text(k)}", "bold"), (f"   depth {visible(depth)} · A → B", "dim"))
        _print(console, heading, _comparison_grid(own, console.width, named=True), Text())
    _print(console, *_comparison_caption(cells))


def print_confusion(
    matrix: Mapping[tuple[Verdict, Verdict], int], console: Console, unfaulted: Mapping[Verdict, int] | None = None
) -> None:
    """Print how a detector classified planted faults; `matrix[planted, called]` holds the counts.

    False alarms are counted among `unfaulted`, the verdicts on a memory without faults, or without
    that, among the facts of the matrix that had no fault planted.
    """
    used = {label for pair in matrix for label in pair}
    labels: list[Verdict] = [verdict for verdict in VERDICTS if verdict in used]
    wide = console.width >= WIDE
    grid = _grid("planted", *(KIND[label].label if wide else KIND[label].letter for label in labels), "n")
    for column in grid.columns[1:]:
        column.justify = "right"
    for planted in labels:
        counts = [matrix.get((planted, called), 0) for called in labels]
        if sum(counts):
            cells = (_count_cell(count, planted == called) for called, count in zip(labels, counts, strict=True))
            grid.add_row(KIND[planted].title, *cells, str(sum(counts)))
    if unfaulted is None:
        unfaulted = {called: n for (planted, called), n in matrix.items() if planted == "correct"}
    _print(console, grid, *_agreement_lines(matrix, unfaulted))
    if not wide:
        _print(console, _key(labels, console.width))


def say(console: Console, text: str) -> None:
    """Print a sentence about the results."""
    _print(console, plain(text, "bold"))


def table_csv(rows: Iterable[Row]) -> str:
    """The table as CSV, one column per field of `Row`; unknown values stay empty."""
    return csv_text((row_json(row) for row in rows), columns_of(Row))


def percent(share: float | None) -> str:
    """A share as a percentage.

    >>> percent(0.8731)
    '87.3 %'
    """
    return "–" if share is None or math.isnan(share) else f"{100 * share:.1f} %"


def plain(text: str, style: str = "") -> Text:
    """Untrusted text for the terminal: no markup, no escape sequences, on one line."""
    return Text("".join(_visible(character) for character in text), style=style)


def bar(row: Row, width: int) -> Text:
    """A row's outcomes as a stacked bar of `width` characters, a letter for each stage that failed."""
    shares = _shares([getattr(row, kind.column) for kind in KINDS], width)
    drawn = Text()
    for kind, cells in zip(KINDS, shares, strict=True):
        drawn.append(kind.letter * cells, kind.colour if kind is KINDS[0] else f"black on {kind.colour}")
    return drawn


def _shares(counts: Sequence[int], width: int) -> list[int]:
    """Characters per count, by largest remainder; every non-zero count gets at least one if there is room."""
    total = sum(counts)
    if not total:
        return [0] * len(counts)
    cells = [count * width // total for count in counts]
    by_remainder = sorted(range(len(counts)), key=lambda i: -(counts[i] * width % total))
    for i in by_remainder[: width - sum(cells)]:
        cells[i] += 1
    for i, count in enumerate(counts):
        largest = max(range(len(counts)), key=cells.__getitem__)
        if count and not cells[i] and cells[largest] > 1:
            cells[i], cells[largest] = 1, cells[largest] - 1
    return cells


@dataclass(frozen=True, slots=True)
class _Column:
    heading: str
    cells: list[Text]
    justify: Literal["left", "right"] = "right"
    most: int = 40
    least: int = 0

    @property
    def width(self) -> int:
        heading = max(self.least, *(cell_len(line) for line in self.heading.split("\n")))
        return min(max(heading, *(cell.cell_len for cell in self.cells)), self.most)


def _block(rows: Sequence[Row], by: str, width: int, groups: Mapping[str, str] | None = None) -> Table:
    """One table in the widest layout that fits, with rows grouped by k or by `groups`; the bar takes the rest."""
    rows = sorted(rows, key=lambda row: k_order(row.k)) if groups is None else rows
    label = 28 if width >= 90 else 16
    for wide, tokens in ((True, True), (False, True), (False, False)):
        before, after = _score_columns(rows, by, wide, label), _count_columns(rows, wide)
        before = [_widen(column, groups) if column.heading == "system" else column for column in before]
        after += _token_columns(rows, wide) if tokens else []
        gap = 2 if wide else 1
        room = width - sum(column.width + gap for column in (*before, *after)) - gap
        if room >= (ROOMY if wide else -gap):
            break
    # The bar repeats the counts, so a narrow terminal can do without it.
    bars = [_Column("outcomes", [bar(row, min(room, 40)) for row in rows], "left")] if room >= 8 else []
    return _draw(rows, [*before, *bars, *after], gap, _title(rows, by), groups)


def _widen(column: _Column, groups: Mapping[str, str] | None) -> _Column:
    """The column, wide enough for the group headings in it."""
    return replace(column, least=max(map(cell_len, groups.values()))) if groups else column


def _draw(
    rows: Sequence[Row], columns: Sequence[_Column], gap: int, title: Text, groups: Mapping[str, str] | None = None
) -> Table:
    padding = (0, gap - 1, 0, 0)
    grid = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=padding, show_edge=False)
    for column in columns:
        grid.add_column(
            Text(column.heading), justify=column.justify, vertical="bottom", no_wrap=True, overflow="ellipsis",
            width=column.width,
        )  # fmt: skip
    group = [row.k if groups is None else groups[row.system] for row in rows]
    for i in range(len(rows)):
        if groups is not None and (i == 0 or group[i] != group[i - 1]):
            heading = plain(str(group[i]), "bold")
            grid.add_row(*(heading if column.heading == "system" else Text() for column in columns))
        grid.add_row(
            *(column.cells[i] for column in columns), end_section=i + 1 < len(rows) and group[i] != group[i + 1]
        )
    return grid


def _score_columns(rows: Sequence[Row], by: str, wide: bool, label: int) -> list[_Column]:
    columns = [
        _Column(name, _labels([getattr(row, name) for row in rows], label), "left", label)
        for name in ("task", "system")
        if name != by and not (name == "task" and by == "k" and len({row.task for row in rows}) == 1)
    ]
    if by != "k":
        columns.insert(0, _Column("k", [Text(k_text(row.k)) for row in rows]))
    if len({row.n for row in rows}) > 1:
        columns.append(_Column("n", [Text(str(row.n)) for row in rows]))
    columns.append(_Column("success", [Text(percent(row.success), "bold") for row in rows]))
    interval = [Text(f"{100 * row.low:.1f}–{100 * row.high:.1f}" if row.asked else "–", "dim") for row in rows]
    columns.append(_Column("95 %\ninterval" if wide else "95 %", interval))
    return columns + _accuracy_columns(rows, wide)


def _labels(names: Sequence[str], most: int) -> list[Text]:
    shown = [visible(name) for name in names]
    short = short_labels(shown, most)
    return [Text(short[name]) for name in shown]


def _accuracy_columns(rows: Sequence[Row], wide: bool) -> list[_Column]:
    """The columns for accuracy; none if no answers were judged."""
    if all(row.accuracy is None for row in rows):
        return []
    shares = [Text(percent(row.accuracy), "bold") for row in rows]
    intervals = [
        Text("–" if row.accuracy is None else f"{100 * row.accuracy_low:.1f}–{100 * row.accuracy_high:.1f}", "dim")
        for row in rows
    ]
    heading = "accuracy" if wide else "acc."
    return [_Column(heading, shares), _Column("95 %\ninterval" if wide else "95 %", intervals)]


def _count_columns(rows: Sequence[Row], wide: bool) -> list[_Column]:
    """A column per failed stage; rare outcomes only get one if they happened."""
    columns = []
    for kind in KINDS[1:]:
        counts = [int(getattr(row, kind.column)) for row in rows]
        answered = kind.stage != "reasoning" or any(row.depth == "full" for row in rows)
        exceptional = kind.verdict in ("n/a", "error") or not answered
        if any(counts) or not exceptional:
            heading = "\n".join(f"{kind.letter} {kind.label}".rsplit(" ", 1)) if wide else kind.letter
            hidden = [row.blind and kind.column in IN_STORE for row in rows]
            cells = [
                Text("–" if unknown else str(n), kind.colour if n else "dim")
                for n, unknown in zip(counts, hidden, strict=True)
            ]
            columns.append(_Column(heading, cells))
    return columns


def _token_columns(rows: Sequence[Row], wide: bool) -> list[_Column]:
    per_memory = [Text("–" if r.tokens_per_memory is None else f"{r.tokens_per_memory:,.1f}") for r in rows]
    context = [Text("–" if r.context_tokens is None else f"{r.context_tokens:,.0f}") for r in rows]
    headings = ("tokens/\nmemory", "context\ntokens") if wide else ("tok/m", "ctx")
    columns = [_Column(headings[0], per_memory), _Column(headings[1], context)]
    if any(_beyond_k(row) for row in rows):
        columns.insert(1, _Column("items", [Text("–" if r.items is None else f"{r.items:,.1f}") for r in rows]))
    return columns


def _beyond_k(row: Row) -> bool:
    """Whether k doesn't say how many memories came back."""
    return isinstance(row.k, str) or (row.system not in REFERENCES and 0 < row.k < (row.items or 0))


def _blocks(rows: Sequence[Row], by: str) -> list[list[Row]]:
    blocks: dict[object, list[Row]] = {}
    for row in rows:
        blocks.setdefault((row.suite, getattr(row, by), row.depth), []).append(row)
    return list(blocks.values())


def _title(rows: Sequence[Row], by: str) -> Text:
    row = rows[0]
    name = f"k = {k_text(row.k)}" if by == "k" else str(getattr(row, by))
    size = f"   n = {row.n}" if len({r.n for r in rows}) == 1 else ""
    rest = f"   {visible(row.suite)} · depth {visible(row.depth)}{size}"
    return Text.assemble(plain(name, "bold not italic"), (rest, "dim not italic"))


def _legend(rows: Sequence[Row], width: int) -> Text:
    return _key([kind.column for kind in KINDS if any(getattr(row, kind.column) for row in rows)], width)


def _key(labels: Iterable[str], width: int) -> Text:
    """The legend of letters, with line breaks only between entries."""
    key, used = Text(), 0
    for label in labels:
        kind = KIND[label]
        entry = Text.assemble((visible(kind.letter), f"bold {kind.colour}"), " ", visible(kind.title))
        gap = "" if not used else "\n" if used + 3 + entry.cell_len > width else "   "
        used = entry.cell_len + (used + 3 if gap == "   " else 0)
        key.append(gap).append_text(entry)
    return key


def _caption(rows: Sequence[Row]) -> Iterator[Text]:
    for depth in dict.fromkeys(row.depth for row in rows):
        yield _note(f"Depth {_DEPTHS.get(depth, depth)}.")
    yield _note(
        "Success is correct / asked; n/a is not asked. Intervals: 95 % Wilson, wider where probes share a cluster."
    )
    if any(row.uncertain or row.error for row in rows):
        yield _note(
            "Errors and what is uncertain are no success, but may be one: intervals reach from the worst to the best "
            "case of them."
        )
    if any(row.blind for row in rows):
        yield _note("–: nobody knows all that these stores held, so what was never stored is among the not retrieved.")
    if any(row.accuracy is not None for row in rows):
        lucky = sum(row.right_without_evidence for row in rows)
        without = f" {lucky} answers are right without their evidence (--by outcome, --by guessing)." if lucky else ""
        yield _note(f"Accuracy: how often the answer was right, whatever was retrieved for it.{without}")
    if any(row.na for row in rows):
        yield _note("--by probe --verdict n/a lists the questions that are n/a, with the reason.")
    yield _note("Two rows may differ by chance: --by difference pairs them. Tokens are cl100k_base tokens.")


def _comparison_grid(cells: Sequence[ComparedCell], width: int, named: bool) -> Table:
    grid = _grid("task", "k", "n", "A %", "B %", "B − A", "95 % interval", "only\nA/B", "p", "min", "wins")
    if width < WIDE:
        grid.padding = 0
    for column in grid.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for cell in cells:
        grid.add_row(*_comparison_cells(cell, named))
    return grid


def _comparison_cells(cell: ComparedCell, named: bool) -> Iterator[Text]:
    systems = cell.system_a if cell.system_a == cell.system_b else f"{cell.system_a} → {cell.system_b}"
    yield Text.assemble(plain(cell.task), "\n", plain(systems, "dim")) if named else plain(cell.task)
    yield Text(k_text(cell.k))
    yield Text(str(cell.n))
    if cell.difference is None:
        yield from (Text("–") for _ in range(8))
        return
    yield Text(f"{100 * (cell.both_right + cell.only_a_right) / cell.n:.1f}")
    yield Text(f"{100 * (cell.both_right + cell.only_b_right) / cell.n:.1f}")
    yield Text(points(cell.difference), {"A": "bold red", "B": "bold green", "": ""}[cell.better])
    bounds = f"\n({_span(cell.least, cell.most)})" if cell.least != cell.most else ""
    yield Text(f"{points(cell.low)} to {points(cell.high)}{bounds}", "dim")
    yield Text(f"{cell.only_a_right}/{cell.only_b_right}")
    yield Text("<0.001" if cell.p < 0.001 else f"{cell.p:.3f}", "bold" if cell.better else "")
    yield Text(f"{100 * cell.detectable:.1f}")
    yield Text(cell.better or "?", "bold" if cell.better else "dim")


def _span(low: float | None, high: float | None) -> str:
    return f"{points(low or 0.0)} to {points(high or 0.0)}"


def _comparison_caption(cells: Sequence[ComparedCell]) -> Iterator[Text]:
    yield _note(
        "Differences in points with Newcombe's 95 % interval for paired proportions, wider where probes share a "
        "cluster; p is McNemar's exact test of the probes that only one side got right, each taken as independent. "
        "min: the smallest difference that these pairs can be expected to show (5 % level, 80 % power)."
    )
    errors = [sum(cell.errors_a for cell in cells), sum(cell.errors_b for cell in cells)]
    reasons: Counter[str] = Counter()
    for cell in cells:
        reasons.update(cell.excluded)
    left_out = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    yield _note(
        f"An error is no success of the side that raised it: {errors[0]} in A, {errors[1]} in B. "
        f"Left out on both sides: {left_out or 'none'}."
    )
    if any(cell.least != cell.most for cell in cells):
        yield _note(
            "In brackets: the difference if everything uncertain and every error were decided in favour of A, or of B."
        )
    yield _note(
        "wins: the side with p below 0.05 and an interval clear of 0, however errors and what is uncertain are "
        "decided; ? if the two cannot be told apart."
    )


def _agreement_lines(matrix: Mapping[tuple[Verdict, Verdict], int], unfaulted: Mapping[Verdict, int]) -> Iterator[Text]:
    """Kappa, the share of planted faults found at their stage, and the share of false alarms."""
    agreement = kappa(pair for pair, n in matrix.items() for _ in range(n))
    yield Text(f"Cohen's κ {'–' if math.isnan(agreement) else f'{agreement:.3f}'}")
    faults = sum(n for (planted, _), n in matrix.items() if planted != "correct")
    named = sum(n for (planted, called), n in matrix.items() if planted == called != "correct")
    yield Text(f"attributed {_share(named, faults)}")
    sound = sum(unfaulted.values())
    yield Text(f"false alarms {_share(sound - unfaulted.get('correct', 0), sound)}")


def _share(part: int, whole: int) -> str:
    low, high = wilson(part, whole)
    return f"{percent(part / whole if whole else None)} [{100 * low:.1f}–{100 * high:.1f}] ({part} of {whole})"


def visible(text: str) -> str:
    """The text with line breaks as ↵ and control, direction and broken characters as �."""
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character == "\n":
        return "↵"
    if character == "\t":
        return " "
    return "�" if is_hidden(character) else character


def _verdict(verdict: str) -> Text:
    return plain(KIND[verdict].label, KIND[verdict].colour)


def _count_cell(count: int, agrees: bool) -> Text:
    return Text(str(count) if count else "·", "dim" if not count else "bold green" if agrees else "bold red")


def _note(text: str) -> Text:
    return Text(visible(text), "dim")


def _grid(*headings: str) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    for heading in headings:
        grid.add_column(Text(heading), overflow="fold")
    return grid


def _print_lines(console: Console, grid: Table, lines: Iterable[Sequence[Text]], limit: int | None) -> None:
    """Print up to `limit` lines and say how many more there are."""
    left_out = 0
    for position, line in enumerate(lines):
        if limit is None or position < limit:
            grid.add_row(*line)
        else:
            left_out += 1
    _print(console, grid)
    if left_out:
        _print(console, _note(f"… and {left_out} more"))


class _Encodable:
    """A renderable in which characters that the terminal can't encode are replaced, one for one."""

    def __init__(self, renderable: RenderableType) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._renderable, options):
            if options.ascii_only:
                text = segment.text.translate(_ASCII).encode(options.encoding, "replace").decode(options.encoding)
                yield Segment(text, segment.style, segment.control)
            else:
                yield segment


def _print(console: Console, *renderables: RenderableType) -> None:
    for renderable in renderables:
        console.print(_Encodable(renderable))
