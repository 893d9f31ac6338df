"""The Python API: run and grade memory systems, look at results, compare them."""

from __future__ import annotations

import inspect
import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

import memtriage.diagnose
from memtriage import studies
from memtriage.config import Limits, RunConfig, RunSettings
from memtriage.core.errors import BadInput, unknown
from memtriage.diagnose.imported_traces import ImportedTraces
from memtriage.host.temporary import TemporaryFolder
from memtriage.pipeline import run as pipeline
from memtriage.pipeline.trust import Named
from memtriage.registry import system_specs
from memtriage.runner.check import SESSIONS
from memtriage.runner.watcher import Watcher
from memtriage.shown import Comparison as Comparison
from memtriage.shown import Diagnosis as Diagnosis
from memtriage.shown import Estimate as Estimate
from memtriage.shown import Gate as Gate
from memtriage.shown import Mixtures as Mixtures
from memtriage.shown import Run as Run
from memtriage.shown import Sweep as Sweep
from memtriage.shown import SystemCheck as SystemCheck
from memtriage.tables import compare as pairing
from memtriage.tables import gate as gating
from memtriage.tables.gate import MAX_DROP

if TYPE_CHECKING:
    from memtriage.core.verdict import ProbeVerdict
    from memtriage.pipeline.imported_traces import TraceFile
    from memtriage.record.results import Results
    from memtriage.report.progress import Progress

T = TypeVar("T")

_LINES = "traces.jsonl"
"""What traces are called that come as lines and not in a file."""


def run(
    *systems: object,
    out: str | Path | None = None,
    progress: Progress = "auto",
    watcher: Watcher | None = None,
    **settings: Unpack[RunSettings],
) -> Run:
    """Test memory systems and diagnose where they fail.

    Systems and settings are those of `memtriage.config.RunConfig.of`. Progress is shown in a terminal and in a
    notebook; with `progress=True` everywhere, with `progress=False` nowhere. A `watcher` of your own is told instead.

    >>> run("bm25", MyMemory(), suite="memfail", k=[5, 10], answer="openai/gpt-5-mini")  # doctest: +SKIP
    """
    from memtriage.report.progress import watching

    _refuse_unknown_settings("run", settings)
    config = RunConfig.of(*systems, **settings)
    with watching(progress, watcher) as watcher:
        return _with_report(pipeline.run(config, out, watcher))


def _refuse_unknown_settings(function: str, settings: Mapping[str, object]) -> None:
    """Refuse a misspelt setting as Python does, but with the name of the function that was called."""
    if strange := settings.keys() - RunSettings.__annotations__.keys():
        raise TypeError(f"memtriage.{function}: {unknown('setting', min(strange), RunSettings.__annotations__)}")


def resume(
    path: str | Path,
    *systems: object,
    answer: str = "",
    judge: str = "",
    internal: str = "",
    embed: str = "",
    retry_errors: bool = False,
    limits: Limits | None = None,
    progress: Progress = "auto",
    watcher: Watcher | None = None,
    command: str = "",
) -> Run:
    """Continue a run where it stopped; what the journal holds is neither stored nor asked again.

    `retry_errors` also repeats what ended in an error in a system, such as an outage. Questions that a model could
    not answer are always asked again. Of a run that was made elsewhere, only the systems and models that are named
    here are used; they have to be those of the run.
    """
    from memtriage.report.progress import watching

    named = Named(system_specs(systems), answer, judge, internal, embed, command)
    with watching(progress, watcher) as watcher:
        return _with_report(pipeline.resume(path, named, retry_errors=retry_errors, limits=limits, watcher=watcher))


def judge(
    path: str | Path,
    judge: str,
    *,
    answer: str = "",
    paper_exact: bool = False,
    repeats: int = 1,
    out: str | Path | None = None,
    limits: Limits | None = None,
    progress: Progress = "auto",
    watcher: Watcher | None = None,
) -> Run:
    """Grade a run again with another judge; nothing is stored, retrieved or answered again.

    With `answer`, that model first answers from what was retrieved, which is how a run without models gets its
    answers later. With `out`, a copy of the run is graded there, so that the two gradings can be compared.
    """
    from memtriage.report.progress import watching

    with watching(progress, watcher) as watcher:
        graded = pipeline.judge(
            path,
            judge,
            answer=answer,
            paper_exact=paper_exact,
            repeats=repeats,
            out=out,
            limits=limits,
            watcher=watcher,
        )
        return _with_report(graded)


def dry_run(
    *systems: object,
    progress: Progress = "auto",
    watcher: Watcher | None = None,
    **settings: Unpack[RunSettings],
) -> Estimate:
    """Estimate the model calls, tokens and dollars of a run. Storing and retrieving, which are free, really happen."""
    from memtriage.pipeline import dry_run
    from memtriage.report.progress import watching

    _refuse_unknown_settings("dry_run", settings)
    config = RunConfig.of(*systems, **settings)
    with watching(progress, watcher) as watcher:
        return _shown(Estimate, dry_run.dry_run(config, watcher))


def load(path: str | Path) -> Run:
    """Open a finished run."""
    return Run(Path(path))


def compare(a: Run | str | Path, b: Run | str | Path, systems: tuple[str, str] | None = None) -> Comparison:
    """Compare two runs probe by probe: McNemar's exact test for each task and k, and the probes that differ.

    Systems are paired by name, or as `systems` (one of A, one of B) says.

    >>> found = memtriage.compare("runs/a", "runs/b", systems=("bm25", "dense"))  # doctest: +SKIP
    >>> [(cell.task, cell.k, cell.difference, cell.p, cell.better) for cell in found.cells]  # doctest: +SKIP
    """
    one, two = _opened(a), _opened(b)
    known = None if one.systems is None or two.systems is None else (one.systems, two.systems)
    # verdicts of a run that is opened for this alone are not kept
    first, second = one.reader.verdicts(keep=one is a), two.reader.verdicts(keep=two is b)
    found = pairing.compare(first, second, systems, known)
    return _shown(Comparison, replace(found, names=systems or (str(one.path), str(two.path))))


def check(
    system: object,
    *,
    internal: str | None = None,
    embed: str | None = None,
    sessions: int = SESSIONS,
    limits: Limits | None = None,
) -> SystemCheck:
    """Check in a few minutes whether a memory system works with memtriage, on two small stores.

    The system is an object, its class, or a name as on the command line. `sessions` is how many small conversations
    are stored.

    >>> memtriage.check(MyMemory()).fits  # doctest: +SKIP
    True
    """
    from memtriage.pipeline.one_system import models_open, system_with_models
    from memtriage.runner.check import check

    if sessions < 3:
        raise BadInput(f"sessions must be at least 3, not {sessions}")
    limits = limits or Limits()
    with models_open(limits):
        spec = system_with_models(system, internal, embed)
        return SystemCheck(spec.label, tuple(check(spec, sessions, limits.call_timeout)))


class TraceOptions(TypedDict, total=False):
    """How a file of traces is to be read, as `memtriage.diagnose` says."""

    format: str | None
    gold: str | Path | None
    answers: str | Path | None
    searches: Sequence[str]
    k: int | Iterable[int]
    system: str | None
    data: str | Path | None
    suite: str


def diagnose(
    traces: str | Path | Iterable[Mapping[str, Any]],
    *,
    judge: str | None = None,
    paper_exact: bool = False,
    out: str | Path | None = None,
    limits: Limits | None = None,
    progress: Progress = "auto",
    watcher: Watcher | None = None,
    **reading: Unpack[TraceOptions],
) -> Diagnosis:
    """Say at which stage memories failed in traces that another harness or a tracing tool recorded.

    The traces are a file, or lines of docs/traces.md as dicts. `format` is the file's format (by default its content
    tells): traces, otel, langsmith, langfuse, mem0, memorybench or longmemeval. `gold` says what right answers need,
    `answers` is a file of answers or scores beside it, `searches` names the steps of telemetry that search the memory,
    `k` how many of a ranking count, `system` whose memory it was. `data` are episodes of `suite` that the traces are
    about. A `judge` decides what words can't, and grades answers. `out` is a folder for verdicts, report and cost.

    >>> memtriage.diagnose("traces.jsonl", judge="openai/gpt-5-mini", out="found")  # doctest: +SKIP
    """
    from memtriage.diagnose.imported_traces import diagnose_file
    from memtriage.pipeline.imported_traces import judge_file
    from memtriage.report.progress import watching

    if judge is None and paper_exact:
        raise BadInput("--paper-exact is about a judge; name one with --judge")
    notes: list[str] = []
    folder = None if out is None else Path(out)
    with _trace_file(traces, reading) as file, watching(progress, watcher) as watcher:
        stores = file.stores(judge is not None, _noting(notes, watcher))
        if judge is None:
            found = diagnose_file(file.path, lambda _: stores)
        else:
            watcher.judging(sum(len(store.traces) for store in stores))
            found = judge_file(
                file.path,
                judge,
                paper_exact=paper_exact,
                limits=limits,
                bill=folder,
                done=watcher.step,
                load=lambda _: stores,
            )
    source = Path(traces) if isinstance(traces, str | Path) else Path(_LINES)
    written = () if folder is None else _write_diagnosis(found, source, folder)
    return replace(_shown(Diagnosis, found), source=source, notes=tuple(notes), written=written)


def estimate_diagnosis(
    traces: str | Path | Iterable[Mapping[str, Any]],
    judge: str,
    *,
    paper_exact: bool = False,
    limits: Limits | None = None,
    watcher: Watcher | None = None,
    **reading: Unpack[TraceOptions],
) -> Estimate:
    """Estimate what judging traces would take in calls, tokens and dollars; nothing is asked."""
    from memtriage.pipeline.imported_traces import estimate_file

    with _trace_file(traces, reading) as file:
        stores = file.stores(True, _noting([], watcher or Watcher()))
        found = estimate_file(file.path, judge, paper_exact=paper_exact, limits=limits, load=lambda _: stores)
    return _shown(Estimate, found)


def gold_template(
    traces: str | Path, file: str | Path, *, watcher: Watcher | None = None, **reading: Unpack[TraceOptions]
) -> Path:
    """Write a file with the questions of traces, to be filled in with what right answers need: the `gold` of later."""
    from memtriage.host.files import write_whole
    from memtriage.suites.own.writing import refuse_existing

    with _trace_file(traces, reading) as found:
        lines = found.gold_template(_noting([], watcher or Watcher()))
    refuse_existing(Path(file))
    write_whole(Path(file), "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode())
    return Path(file)


@contextmanager
def _trace_file(traces: str | Path | Iterable[Mapping[str, Any]], reading: TraceOptions) -> Iterator[TraceFile]:
    """The traces as a file, with how it is to be read; lines are written into a temporary one."""
    from memtriage.pipeline.imported_traces import TraceFile

    unknown_options = reading.keys() - TraceOptions.__annotations__.keys()
    if unknown_options:
        raise BadInput(unknown("option", min(unknown_options), TraceOptions.__annotations__))
    if not isinstance(traces, str | Path):
        with TemporaryFolder("traces") as folder:
            file = folder / _LINES
            file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in traces), encoding="utf-8")
            try:
                with _trace_file(file, reading) as found:
                    yield found
            except BadInput as error:  # nobody knows the temporary file
                raise BadInput(str(error).replace(str(file), "traces")) from error
        return
    ks = reading.get("k") or ()
    gold, answers, data = reading.get("gold"), reading.get("answers"), reading.get("data")
    yield TraceFile(
        Path(traces),
        source=reading.get("format") or "",
        gold=Path(gold) if gold else None,
        answers=Path(answers) if answers else None,
        searches=tuple(reading.get("searches") or ()),
        ks=(ks,) if isinstance(ks, int) else tuple(ks),
        system=reading.get("system") or "",
        data=Path(data) if data else None,
        suite=reading.get("suite") or "meme",
    )


def _noting(notes: list[str], watcher: Watcher) -> Callable[[str], None]:
    """Who hears of what is to be known about a file: a list, and whoever watches."""

    def note(text: str) -> None:
        notes.append(text)
        watcher.note(text)

    return note


def _write_diagnosis(found: ImportedTraces, traces: Path, out: Path) -> tuple[Path, ...]:
    from memtriage.pipeline.bill import COST
    from memtriage.record.verdicts import VERDICTS, write_verdicts
    from memtriage.report.html.traces import write_page

    write_verdicts(out, found.verdicts, found.stores)
    cost = [out / COST] if found.cost and found.cost["roles"] else []
    return (out / VERDICTS, write_page(found, traces, out), *cost)


def sweep(
    *systems: object,
    vary: Mapping[str, Sequence[object]] | None = None,
    ceiling: bool = False,
    out: str | Path | None = None,
    retry_errors: bool = False,
    progress: Progress = "auto",
    watcher: Watcher | None = None,
    **settings: Unpack[RunSettings],
) -> Sweep:
    """Run a grid: every combination of the varied values is an ordinary run in one folder; a second call continues.

    `vary` names settings of `memtriage.run` (internal, embed, answer, judge, seed, rows, data), options of the suite,
    or arguments of systems. `ceiling` adds gold-facts, full-context and none. The rest is as in `memtriage.run`.

    >>> memtriage.sweep("bm25", suite="meme", vary={"filler": ["none", "32k"]})  # doctest: +SKIP
    """
    from memtriage.report.progress import watching

    with watching(progress, watcher) as watcher:
        how = {"vary": vary, "ceiling": ceiling, "out": out, "retry_errors": retry_errors}
        found = studies.sweep(*systems, **how, watcher=watcher, **settings)  # type: ignore[arg-type]
    return Sweep(found.path, found.stopped)


def mix(*paths: Run | str | Path) -> Mixtures:
    """What the memories of several runs would be worth together: the best one, the best for each task, any of them.

    The runs must be on the same data. A system that several runs have is named by its run.
    """
    from memtriage.tables.mixture import mixtures

    runs = [_opened(path) for path in paths]
    times = Counter(system["label"] for run in runs for system in run.manifest["systems"])

    def verdicts() -> Iterator[ProbeVerdict]:
        for run in runs:
            for verdict in run.verdicts():
                shared = times[verdict.system] > 1
                yield replace(verdict, system=f"{verdict.system} ({run.path})") if shared else verdict

    return _shown(Mixtures, mixtures(verdicts()))


def gate(
    new: Run | str | Path,
    baseline: Run | str | Path,
    *,
    max_drop: float = MAX_DROP,
    min_success: Mapping[str, float] | None = None,
    max_cost_rise: float | None = None,
    systems: tuple[str, str] | None = None,
    shared: bool = False,
    strict: bool = False,
) -> Gate:
    """Hold a run against a baseline, which is a run or a file: is it worse, not worse, or can't that be told?

    `max_drop` is in points of success, `min_success` in percent by task (`long-hop`, `long-hop@10` at one k, `all`),
    `max_cost_rise` in percent. `systems` holds one system against another (the baseline's, the new one's). With
    `shared`, what both have is compared instead of refusing other data, k or judges. If `strict`, too few probes fail.

    >>> found = memtriage.gate("runs/new", "baseline.jsonl", max_drop=3)  # doctest: +SKIP
    >>> found.failed, found.finding  # doctest: +SKIP
    (True, 'worse')
    """
    found = gating.gate(
        results(new),
        results(baseline),
        max_drop=max_drop,
        min_success=min_success,
        max_cost_rise=max_cost_rise,
        systems=systems,
        shared=shared,
        strict=strict,
    )
    return _shown(Gate, found)


def save_baseline(run: Run | str | Path, file: str | Path, *, tell: Callable[[str], object] = warnings.warn) -> Path:
    """Write what a run came to into one small file, for later runs to be held against; it may be committed.

    A run in which nothing is settled is refused. `tell` hears of systems with errors, which lets later runs pass less.
    """
    from memtriage.record.results import write_baseline

    found = results(run)
    for doubt in gating.baseline_doubts(found):
        tell(doubt)
    write_baseline(Path(file), found)
    return Path(file)


def results(source: Run | str | Path) -> Results:
    """What a run came to, from the run itself, its directory or a baseline file."""
    from memtriage.record.results import read_baseline, results_of

    if isinstance(source, str | Path):
        if not Path(source).exists():
            raise BadInput(
                f"{source} is not there; name a run directory, or a file of `memtriage gate --save-baseline`"
            )
        if not Path(source).is_dir():
            return read_baseline(Path(source))
        source = load(source)
    return results_of(source.reader, str(source.path))


def run_like(baseline: Run | str | Path, system: object, out: str | Path | None = None, **settings: Any) -> Run:
    """Run a system as a baseline was: its suites, seed, rows, options and k, unless `settings` say otherwise.

    Models and data files are not taken from a baseline, which may come from anywhere: name them.
    """
    before = results(baseline)
    for role in ("answer", "judge"):
        if before.grading.get(role) and not settings.get(role) and not settings.get("answers"):
            raise BadInput(f"the baseline has a model for {role}s ({before.grading[role]}); name it: {role}=…")
    own = {
        "suite": list(before.suites),
        "seed": before.seed,
        "rows": before.rows,
        "options": dict(before.options),
        "k": list(before.ks),
    }
    given = {name: value for name, value in settings.items() if value is not None}
    return run(system, out=out, **{**own, **given})


def _opened(run: Run | str | Path) -> Run:
    return load(run) if isinstance(run, str | Path) else run


def _shown(kind: type[T], found: Any) -> T:
    """A result as the class of ours that shows itself."""
    return kind(**{field.name: getattr(found, field.name) for field in fields(found)})


def _with_report(run: pipeline.Run) -> Run:
    return Run(run.path, run.stopped, run.reader)


class _Room(ModuleType):
    """The package `memtriage.diagnose`, which stands where the function of that name is looked for: both work."""

    __call__ = staticmethod(diagnose)
    __signature__ = inspect.signature(diagnose)


memtriage.diagnose.__class__ = _Room
