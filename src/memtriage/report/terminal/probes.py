"""The views of single probes and facts, a line each."""

from __future__ import annotations

from memtriage.report.terminal.tables import print_facts, print_probes
from memtriage.report.terminal.view import View
from memtriage.tables.table import fact_records, records

VIEWS = (
    View(
        "probe",
        "a line for each question: its verdict and why",
        lambda source, console: print_probes(source.verdicts(), console, source.limit),
        "probes",
        lambda source: records(source.verdicts()),
    ),
    View(
        "fact",
        "a line for each fact that a question needs: where it was lost, and why",
        lambda source, console: print_facts(source.verdicts(), console, source.limit),
        "facts",
        lambda source: fact_records(source.verdicts()),
    ),
)
