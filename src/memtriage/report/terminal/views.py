"""What each command prints: the terminal tables, CSV, or JSON in a stable schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

from memtriage.core.errors import BadInput, unknown
from memtriage.core.suite import Checked, Suite
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.report.terminal import answers as answer_views
from memtriage.report.terminal import latency as latency_views
from memtriage.report.terminal import measures as measure_views
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.machine_readable import Form as Form
from memtriage.report.terminal.machine_readable import csv_text, print_json, print_rows
from memtriage.runner.check import Check
from memtriage.tables import compare as pairing
from memtriage.tables import table as scoring
from memtriage.tables.families import families, heading, place
from memtriage.tables.variance import spreads
from memtriage.validate.calibrate import Calibration


class Verdicts(Protocol):
    """Anything with verdicts and stores: a run, or somebody else's traces."""

    @property
    def verdicts(self) -> Any: ...

    @property
    def stores(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class View:
    """How a table is to be shown."""

    by: str = "task"
    verdict: str | None = None
    limit: int = 50
    form: Form = "table"


def show(run: Verdicts, view: View, console: Console) -> None:
    """Print verdicts as a table: by task, system or k, by measure, outcome or a tag, or a line per probe or fact."""
    if view.verdict is not None and view.verdict not in scoring.VERDICTS:
        raise BadInput(unknown("--verdict", view.verdict, scoring.VERDICTS))
    if view.verdict is not None and view.by not in ("probe", "fact"):
        raise BadInput("--verdict goes with --by probe or --by fact: a table of one verdict alone would mislead")
    if view.by in ("probe", "fact"):
        _one_by_one(_verdicts(run, view), view, console)
    elif view.by == "store":
        _show_stores(_stores(run), view, console)
    elif view.by == "repeats":
        _show_repeats(_verdicts(run, view), view, console)
    elif view.by == "outcome":
        answer_views.show_outcomes(_verdicts(run, view), view.form, console)
    elif view.by == "pair":
        answer_views.show_pairs(_verdicts(run, view), view.form, console)
    elif view.by == "measure":
        measure_views.show_measures(_verdicts(run, view), view.form, console)
    elif view.by == "cost":
        answer_views.show_costs(_stores(run), view.form, console)
    elif view.by == "latency":
        latency_views.show_latency(run, _stores(run), _verdicts(run, view), view.form, console)
    elif view.by == "family":
        _show_families(run, view, console)
    elif view.by in terminal.SPLITS:
        pairs = answer_views.PairCount()
        _rows(scoring.table(pairs.counted(_verdicts(run, view)), _stores(run)), view, console)
        for line in pairs.lines if view.form == "table" else ():
            console.print(terminal.plain(line))
    else:
        _tag(run, view, console)


def _verdicts(run: Verdicts, view: View) -> Iterable[ProbeVerdict]:
    found: Iterable[ProbeVerdict] = run.verdicts() if callable(run.verdicts) else run.verdicts
    if view.verdict is None:
        return found
    if view.by == "fact":
        kept = (replace(v, facts=tuple(f for f in v.facts if f.verdict == view.verdict)) for v in found)
        return (v for v in kept if v.facts)
    return (v for v in found if v.verdict == view.verdict)


def _stores(run: Verdicts) -> Sequence[StoreSummary]:
    found: Sequence[StoreSummary] = run.stores() if callable(run.stores) else run.stores
    return found


def _rows(rows: Sequence[scoring.Row], view: View, console: Console) -> None:
    match view.form:
        case "json":
            print_json(scoring.table_json(rows))
        case "csv":
            print(terminal.table_csv(rows), end="")
        case _:
            terminal.print_table(rows, console, view.by)


def _show_families(run: Verdicts, view: View, console: Console) -> None:
    """The table with the systems of each kind of memory below each other, under a heading; nothing is averaged."""
    of = families(run)
    rows = scoring.table(_verdicts(run, view), _stores(run))
    order = {system: number for number, system in enumerate(dict.fromkeys(row.system for row in rows))}
    rows.sort(key=lambda row: (*place(of.get(row.system, "")), order[row.system]))  # stable: tasks and k stay
    if view.form != "table":
        _print_tagged([(of.get(row.system, ""), row) for row in rows], view)
        return
    terminal.print_table(rows, console, groups={row.system: heading(of.get(row.system, "")) for row in rows})


def _one_by_one(verdicts: Iterable[ProbeVerdict], view: View, console: Console) -> None:
    flat = scoring.records if view.by == "probe" else scoring.fact_records
    match view.form:
        case "json":
            print_json({"schema": f"memtriage.{view.by}s/1", "rows": list(flat(verdicts))})
        case "csv":
            print(csv_text(flat(verdicts)), end="")
        case _:
            printer = terminal.print_probes if view.by == "probe" else terminal.print_facts
            printer(verdicts, console, view.limit)


def _show_stores(stores: Sequence[StoreSummary], view: View, console: Console) -> None:
    """What each system kept of each episode, and how long storing and asking took."""
    if view.form == "json":
        print_json({"schema": "memtriage.stores/1", "rows": [asdict(store) for store in stores]})
        return
    if view.form == "csv":
        print(csv_text(answer_views.flat(store) for store in stores), end="")
        return
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for column in ("task", "system", "sessions", "memories", "tokens", "ingest s", "ms/query"):
        named = column in ("task", "system")
        grid.add_column(column, justify="left" if named else "right", overflow="fold", no_wrap=not named)
    for store in stores:
        per_question = 1000 * store.query_seconds / store.queries if store.queries else None
        numbers = (store.sessions, store.memories, store.tokens)
        grid.add_row(
            terminal.plain(store.task),
            terminal.plain(store.system),
            *("–" if number is None else f"{number:,}" for number in numbers),
            f"{store.ingest_seconds:.3f}",
            "–" if per_question is None else f"{per_question:.2f}",
        )
    console.print(grid)


def _show_repeats(verdicts: Iterable[ProbeVerdict], view: View, console: Console) -> None:
    """Mean and standard deviation over repeats, and how much storing, answering and judging each add to it."""
    found = spreads(verdicts)
    if view.form != "table":
        print_rows("repeats", [asdict(spread) for spread in found], view.form)
        return
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for column in ("task", "system", "k", "repeats", "mean", "SD", "storing", "answering", "judging"):
        grid.add_column(column, justify="left" if column in ("task", "system") else "right", overflow="fold")
    for spread in found:
        sds = (spread.sd, spread.ingest_sd, spread.answer_sd, spread.judge_sd)
        grid.add_row(
            terminal.plain(spread.task),
            terminal.plain(spread.system),
            str(spread.k),
            str(spread.repeats),
            terminal.percent(spread.mean),
            *("–" if sd is None else f"{100 * sd:.1f}" for sd in sds),
        )
    console.print(grid)
    console.print("Standard deviations in points; a source that was not repeated has none.", style="dim")


def _tag(run: Verdicts, view: View, console: Console) -> None:
    """The table once more for each value of a tag."""
    tagged = scoring.by_tag(_verdicts(run, view), _stores(run), view.by)
    if not tagged:
        tags = sorted({tag for v in _verdicts(run, view) for tag in v.tags})
        others = ("family", "probe", "fact", "store", "repeats", "outcome", "pair", "cost", "latency", "measure")
        raise BadInput(unknown("--by", view.by, [*terminal.SPLITS, *others, *tags]))
    if view.form != "table":
        _print_tagged(tagged, view)
        return
    for value in dict.fromkeys(value for value, _ in tagged):
        console.rule(terminal.plain(f"{view.by} = {value}"), align="left")
        terminal.print_table([row for other, row in tagged if other == value], console)


def _print_tagged(tagged: Sequence[tuple[str, scoring.Row]], view: View) -> None:
    flat = [{view.by: value, **scoring.row_json(row)} for value, row in tagged]
    if view.form == "json":
        print_json({"schema": "memtriage.tagged-table/1", "by": view.by, "rows": flat})
    else:
        print(csv_text(flat), end="")


def compare(a: Any, b: Any, pair: tuple[str, str] | None, limit: int, as_json: bool, console: Console) -> None:
    """Print how two runs differ, probe by probe."""
    found = pairing.compare(a.verdicts(), b.verdicts(), pair)
    if as_json:
        print_json({"schema": "memtriage.comparison/1", **asdict(found)})
        return
    names = pair or (str(a.path), str(b.path))
    terminal.print_comparison(found, console, names, limit)


def cost(spent: Mapping[str, Any], console: Console, quiet: bool) -> None:
    """Print what models took: by role and stage, or in one line."""
    total = spent["total"]
    if not quiet:
        grid = Table(box=None, padding=(0, 1), header_style="bold")
        for column in ("role", "stage", "calls", "cached", "retries", "errors", "tokens in", "out", "dollars"):
            grid.add_column(column, justify="left" if column in ("role", "stage") else "right")
        for role, stages in spent["roles"].items():
            for stage, account in stages.items():
                grid.add_row(role, stage, *_account(account))
        console.print(grid)
    dated = f"prices of {spent['prices']['date']}"
    console.print(
        f"model calls: {total['calls']:,} ({total['cached']:,} from the cache), {_dollars(total)} ({dated})",
        highlight=False,
    )


def _account(account: Mapping[str, Any]) -> list[str]:
    counts = (account["calls"], account["cached"], account["retries"], sum(account["errors"].values()))
    tokens = (account["input_tokens"], account["output_tokens"])
    return [*(f"{n:,}" for n in counts), *(f"{n:,}" for n in tokens), _dollars(account)]


def _dollars(account: Mapping[str, Any]) -> str:
    known = f"${account['dollars']:.4f}"
    if not account["price_unknown"]:
        return known
    return f"{known} + unknown" if account["dollars"] else "unknown"


def estimate(found: Any, as_json: bool, console: Console) -> None:
    """Print what a run would take of its models."""
    rows = found.rows()
    if as_json:
        print_json({"schema": "memtriage.estimate/1", "rows": rows, "assumptions": list(found.assumptions)})
        return
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for column in rows[0] if rows else ("nothing to ask",):
        grid.add_column(column.replace("_", " "), justify="left" if column in ("role", "stage", "model") else "right")
    for row in rows:
        grid.add_row(*(_cell(value) for value in row.values()))
    console.print(grid)
    for assumption in found.assumptions:
        console.print(terminal.plain(assumption, "dim"))


def _cell(value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, tuple):
        low, high = (_cell(part) for part in value)
        return low if low == high else f"{low} – {high}"
    if isinstance(value, Decimal):
        return f"${value:.4f}"
    return f"{value:,.4f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def calibration(result: Calibration, console: Console) -> None:
    """Print the confusion matrix of a detector and what follows from it."""
    terminal.print_confusion(result.confusion, console, result.unfaulted)


def calibration_json(result: Calibration) -> dict[str, Any]:
    """The calibration in a stable schema."""
    return {
        "schema": "memtriage.calibration/1",
        "confusion": [{"planned": p, "found": f, "n": n} for (p, f), n in sorted(result.confusion.items())],
        "planted": result.planted,
        "attributed": result.attributed,
        "attribution": [round(result.attribution.low, 6), round(result.attribution.high, 6)],
        "clean": result.clean,
        "false_alarms": result.false_alarms,
        "alarm": [round(result.alarm.low, 6), round(result.alarm.high, 6)],
        "kappa": round(result.kappa, 6),
    }


def suites(found: Sequence[Suite], as_json: bool, console: Console) -> None:
    """List suites and their tasks."""
    if as_json:
        print_json([_suite_json(suite) for suite in found])
        return
    for suite in found:
        console.print(f"[bold]{suite.name}[/bold]  {suite.title}\n  {suite.paper}; {suite.licence}", highlight=False)
        grid = Table(box=None, show_header=False, padding=(0, 2))
        for task in suite.tasks:
            grid.add_row(task.name, f"{task.rows} rows", task.summary)
        console.print(grid)


def _suite_json(suite: Suite) -> dict[str, Any]:
    tasks = [{"name": t.name, "rows": t.rows, "summary": t.summary, "options": dict(t.options)} for t in suite.tasks]
    about = {"name": suite.name, "title": suite.title, "paper": suite.paper, "licence": suite.licence}
    return {**about, "version": suite.version, "tasks": tasks}


def checks(system: str, results: Sequence[Check], as_json: bool, console: Console) -> None:
    """Print what a rehearsal saw, and the verdict in one line."""
    if as_json:
        print_json({"system": system, "checks": [asdict(result) for result in results]})
        return
    marks = {"ok": "[green]ok[/green]", "warning": "[yellow]note[/yellow]", "problem": "[red]problem[/red]"}
    grid = Table(box=None, show_header=False, padding=(0, 2))
    for result in results:
        grid.add_row(marks[result.outcome], terminal.plain(result.what), terminal.plain(result.seen))
    console.print(grid)
    problems = sum(result.outcome == "problem" for result in results)
    verdict = f"{system} does not fit yet: {problems} problem(s)" if problems else f"{system} fits"
    console.print(terminal.plain(verdict, "bold"))


def validation(checked: Sequence[Checked], limit: int, console: Console) -> None:
    """Print which files keep the rules, and which rows don't."""
    for file in checked:
        errors = [p for p in file.problems if p.is_error]
        warnings = len(file.problems) - len(errors)
        state = f"{len(errors)} errors, {warnings} warnings" if file.problems else "ok"
        console.print(terminal.plain(f"{file.task}: {file.rows} rows, {state}  ({file.path})"))
        for problem in sorted(file.problems, key=lambda p: not p.is_error)[:limit]:
            console.print(terminal.plain(f"  {problem.message}"))
        if len(file.problems) > limit:
            console.print(f"  … and {len(file.problems) - limit} more")
