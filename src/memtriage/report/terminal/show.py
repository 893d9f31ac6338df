"""All views of `memtriage show`, by the name that `--by` takes."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

from memtriage.core.amount import K
from memtriage.core.errors import BadInput, chosen, unknown
from memtriage.core.verdict import VERDICTS, verdict_named
from memtriage.report.terminal import (
    answers,
    changes,
    context,
    false_memories,
    latency,
    main_table,
    measures,
    mixture,
    points,
    probes,
    repeats,
    standings,
    stores,
)
from memtriage.report.terminal.machine_readable import Form
from memtriage.report.terminal.view import Source, Verdicts, View

VIEWS: Mapping[str, View] = {
    view.by: view
    for part in (
        main_table,
        standings,
        context,
        probes,
        stores,
        repeats,
        measures,
        answers,
        changes,
        latency,
        mixture,
        false_memories,
        points,
    )
    for view in part.VIEWS
}
"""All views. To add one, declare it in a module of this package and add the module above."""


def show(
    run: Verdicts,
    console: Console,
    by: str = "task",
    verdict: str | None = None,
    limit: int = 50,
    form: Form = "table",
    system: str | None = None,
    k: K | None = None,
) -> None:
    """Print one view of a run; `by` names a view or a tag. Lists of probes and facts can be narrowed."""
    if verdict is not None:
        if (named := verdict_named(verdict)) is None:
            raise BadInput(unknown("--verdict", verdict, VERDICTS))
        verdict = named
    if verdict is not None and by not in ("probe", "fact"):
        raise BadInput("--verdict goes with --by probe or --by fact: a table of one verdict alone would mislead")
    if (k is not None or (system is not None and by != "invented")) and by not in ("probe", "fact"):
        raise BadInput("--system and --k go with --by probe or --by fact; tables have a row for each of them")
    every = Source(run, by)
    if system is not None:
        system = chosen("--system", system, (verdict.system for verdict in every.verdicts()))
    if k is not None and k not in (ks := {verdict.k for verdict in every.verdicts()}):
        raise BadInput(unknown("--k", str(k), map(str, ks)))
    source = Source(run, by, verdict, limit, system, k)
    view = VIEWS.get(by) or main_table.by_tag(source, VIEWS)
    view.show(source, form, console)
