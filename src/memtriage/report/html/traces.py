"""Write the HTML report of traces from another harness."""

from __future__ import annotations

from pathlib import Path

from memtriage.diagnose.imported_traces import ImportedTraces
from memtriage.report.html.false_memories import made_up
from memtriage.report.html.page import about_traces, write_report
from memtriage.tables.measures import measure_rows
from memtriage.tables.outcomes import outcomes
from memtriage.tables.standings import standings
from memtriage.tables.table import table


def write_page(found: ImportedTraces, source: Path, out: Path) -> Path:
    """Write report.html into a directory."""
    texts = found.texts
    rows = table(found.verdicts, found.stores)
    return write_report(
        out / "report.html",
        found.verdicts,
        found.stores,
        rows,
        lambda keys: {key: texts[key] for key in keys},
        about_traces(source, found.verdicts),
        standings(found.verdicts, rows),
        measure_rows(found.verdicts),
        outcomes(found.verdicts),
        made_up=made_up(found.checks),
    )
