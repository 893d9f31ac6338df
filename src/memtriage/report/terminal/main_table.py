"""The main table of a run: by task, system, k or family, or split by a tag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from rich.console import Console

from memtriage.core.errors import BadInput, unknown
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.answers import pair_lines
from memtriage.report.terminal.standings import print_headline
from memtriage.report.terminal.view import Source, View
from memtriage.tables import table as scoring
from memtriage.tables.families import families, family_heading, family_order

Tagged = list[tuple[str, scoring.Row]]


def _rows(source: Source) -> list[scoring.Row]:
    return list(source.counts().rows)


def _draw(source: Source, console: Console) -> None:
    counts = source.counts()
    terminal.print_table(counts.rows, console, source.by)
    for line in pair_lines(counts.pairs):
        console.print(terminal.plain(line))
    print_headline(counts.standings, console)


def _by_family(source: Source) -> Tagged:
    """The rows sorted by family of memory; nothing is averaged."""
    family = families(source.run)
    rows = _rows(source)
    order = {system: number for number, system in enumerate(dict.fromkeys(row.system for row in rows))}
    # the sort is stable, so tasks and k keep their order
    rows.sort(key=lambda row: (*family_order(family.get(row.system, "")), order[row.system]))
    return [(family.get(row.system, ""), row) for row in rows]


def _draw_families(source: Source, console: Console) -> None:
    tagged = _by_family(source)
    groups = {row.system: family_heading(family) for family, row in tagged}
    terminal.print_table([row for _, row in tagged], console, groups=groups)


def by_tag(source: Source, views: Iterable[str]) -> View:
    """The view of a tag: one table for each of its values."""
    tagged = scoring.by_tag(source.verdicts(), source.stores(), source.by)
    if not tagged:
        tags = {tag for verdict in source.verdicts() for tag in verdict.tags}
        raise BadInput(unknown("--by", source.by, {*views, *tags}))
    return replace(_tagged(source.by, "", lambda _: tagged), draw=partial(_draw_tags, tagged))


def _draw_tags(tagged: Tagged, source: Source, console: Console) -> None:
    for value in dict.fromkeys(value for value, _ in tagged):
        console.rule(terminal.plain(f"{source.by} = {value}"), align="left")
        terminal.print_table([row for other, row in tagged if other == value], console)


def _tagged(by: str, what: str, rows: Any) -> View:
    def records(source: Source) -> Iterator[dict[str, Any]]:
        return ({by: value, **scoring.row_json(row)} for value, row in rows(source))

    def as_json(source: Source) -> Any:
        return {"schema": "memtriage.tagged-table/2", "by": by, "rows": list(records(source))}

    return View(by, what, _draw_families, records=records, as_json=as_json)


VIEWS = (
    *(
        View(
            by,
            f"success and where the rest was lost, a block for each {by}",
            _draw,
            as_json=lambda source: scoring.table_json(_rows(source)),
            as_csv=lambda source: terminal.table_csv(_rows(source)),
        )
        for by in terminal.SPLITS
    ),
    _tagged("family", "the same, with systems of one kind of memory below each other", _by_family),
)
