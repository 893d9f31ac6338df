"""Make a run from start to finish, continue one, or grade one again with another judge."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from memtriage import registry
from memtriage.config import Grading, Limits, RunConfig
from memtriage.core.episode import Episode
from memtriage.core.errors import BadRun
from memtriage.core.reading import reading_of
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.diagnose.false_memories import check_run
from memtriage.diagnose.run import DiagnosisSettings, Made, RunDiagnosis
from memtriage.host.environment import passed, passing
from memtriage.host.event_loop import beside
from memtriage.host.shell import shell_word
from memtriage.models.batch_log import BATCHES, BatchLog
from memtriage.models.held import DUE, CallsDue, DueCalls, Waiting
from memtriage.models.spec import ModelSpec
from memtriage.pipeline import where
from memtriage.pipeline.bill import BILL, keep_bill, limits_of_run, read_bill, write_bill
from memtriage.pipeline.models import (
    BatchesOf,
    Models,
    check_models,
    model_notices,
    model_replier,
    open_models,
    open_system_models,
)
from memtriage.pipeline.trust import Named, recorded_models
from memtriage.record.files import FILES, SUMMARY, Damaged
from memtriage.record.manifest import claim, hold, store_names
from memtriage.record.memory_checks import write_memory_checks
from memtriage.record.reader import RunReader
from memtriage.record.seal import SEAL
from memtriage.record.writer import RunWriter, copy, create
from memtriage.runner import plan as planning
from memtriage.runner.answers import answer_run
from memtriage.runner.replies import Replier
from memtriage.runner.scheduler import StoreScheduler, execute
from memtriage.runner.store_runner import Build, Settings, steps
from memtriage.runner.watcher import Watcher
from memtriage.systems.remote import running
from memtriage.tables.summary import Counts, Summary, counts_of, error_reasons, read_summary, write_summary
from memtriage.tables.table import Row, records, row_json, table

if TYPE_CHECKING:
    from memtriage.cluster.local_pool import Pool
    from memtriage.cluster.nodes import NodeCheck
    from memtriage.models.system_models import SystemModels


_COLLECTED = 10_000
"""How many questions wait for their answers at once where calls are collected."""


class Run:
    """A finished run: its directory, its table, its probes."""

    def __init__(self, path: Path, stopped: str | None = None, reader: RunReader | None = None) -> None:
        self.path = path
        self.stopped = stopped
        self.reader = reader or RunReader(path)
        self.manifest = self.reader.manifest
        self.summary = kept_summary(self.reader)
        """What was counted when the run was finished; None if that has to be counted anew."""
        told = self.summary or self.reader
        self.notes = tuple(told.notes)
        self.problems = tuple(self.reader.problems)
        self.notices = {**told.notices, **model_notices(self.cost)}
        self.unfinished = self.summary.unfinished if self.summary else _unfinished(self.reader)
        self.reader.close()

    @property
    def waiting(self) -> Waiting | None:
        """The calls whose replies have to be imported before the run can go on; None if there are none."""
        return Waiting.read(self.path)

    @property
    def cost(self) -> dict[str, Any] | None:
        """What models used, by role and stage; None if no model was asked."""
        return read_bill(self.path)

    def verdicts(self) -> Iterable[ProbeVerdict]:
        """All verdicts."""
        return self.reader.verdicts()

    def stores(self) -> list[StoreSummary]:
        """One summary per store."""
        return self.reader.stores()

    def counts(self) -> Counts:
        """What its verdicts come to."""
        return self.summary.counts if self.summary else counts_of(self.reader.verdicts, self.reader.stores())

    def rows(self) -> list[Row]:
        """The table as rows."""
        return list(self.summary.counts.rows) if self.summary else table(self.verdicts(), self.stores())

    @property
    def systems(self) -> frozenset[str] | None:
        """The systems that its verdicts are about; None if they have to be read for that."""
        return frozenset(row.system for row in self.summary.counts.rows) if self.summary else None

    def table(self) -> list[dict[str, Any]]:
        """The table as records: one per task, system and k, ready for pandas."""
        return [row_json(row) for row in self.rows()]

    @property
    def probes(self) -> list[dict[str, Any]]:
        """One record per probe, system and k, ready for pandas."""
        return list(records(self.verdicts()))

    @property
    def errors(self) -> int:
        """How many probes could not be graded because of an error."""
        return self.reasons.total()

    @property
    def reasons(self) -> Counter[str]:
        """Why probes could not be graded, with counts."""
        return Counter(self.summary.counts.reasons) if self.summary else error_reasons(self.verdicts())


def kept_summary(reader: RunReader) -> Summary | None:
    """The summary that a run was sealed with; None if it has none, or goes on since. Damaged if any file is."""
    if reader.seal is None or SUMMARY not in reader.seal.files or reader.grew:
        return None
    reader.seal.refuse_any_other(reader.path)
    return read_summary(reader.path)


def _unfinished(reader: RunReader) -> bool:
    """Whether a store is left to be filled or asked."""
    names = [name for each in store_names(reader.manifest).values() for name in each]
    units = ((name, episode["id"]) for episode in reader.manifest["episodes"] for name in names)
    return any(not reader.done(unit) for unit in units)


def run(
    config: RunConfig,
    out: str | Path | None = None,
    watcher: Watcher | None = None,
    replier: Replier | None = None,
) -> Run:
    """Test memory systems and diagnose where they fail.

    If replies are to be stored with what users say, the answering model gives them, or `replier` in its place.
    """
    planning.refuse_unused_models(config.models, config.systems)
    if out is not None and (Path(out) / "run.json").exists():
        raise BadRun(
            f"{out} already holds a run; continue it with `memtriage resume {shell_word(out)}` or choose another --out"
        )
    check_models(config.grading, config.limits, config.models["internal"])
    planning.refuse_unready_systems(config.systems, config.models)
    with (
        where.on_cluster(config.limits.on),
        open_system_models(config.limits, watcher.waiting if watcher else None) as system_models,
        where.workers_for(config) as workers,
    ):
        manifest, episodes = planning.plan_run(config, replier or model_replier(config, watcher))
        path = Path(out) if out is not None else _new_path(config.suites)
        with claim(path) as lock:
            create(path, manifest, _reported(episodes, watcher or Watcher()), config.toml())
            named = Named.of(config)
            return _continue(path, named, config.limits, watcher, system_models, lock=lock, workers=workers)


def resume(
    path: str | Path,
    named: Named,
    *,
    retry_errors: bool = False,
    limits: Limits | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Continue a run where it stopped; what the journal holds is neither stored nor asked again.

    `retry_errors` also repeats what ended in an error in a system, such as an outage. Questions that a model could
    not answer are always asked again. A run that was made elsewhere starts only what is `named`.
    """
    limits = limits or Limits()
    with (
        where.on_cluster(limits.on),
        open_system_models(limits, watcher.waiting if watcher else None) as system_models,
    ):
        return _continue(Path(path), named, limits, watcher, system_models, retry_errors=retry_errors)


def run_or_resume(path: Path, config: RunConfig, watcher: Watcher | None = None, retry_errors: bool = False) -> Run:
    """Start or continue the run at this path; a finished one is left alone, one with other settings refused."""
    if not (path / "run.json").exists():
        return run(config, path, watcher)
    refuse_other_settings(path, config)
    finished = finished_run(path)
    if finished is not None and not finished.errors:
        return finished
    return resume(path, Named.of(config), retry_errors=retry_errors, limits=config.limits, watcher=watcher)


def finished_run(path: Path) -> Run | None:
    """The run at this path, if there is one and it is finished."""
    if not (path / "run.json").exists():
        return None
    run = Run(path)
    return run if not run.unfinished and run.reader.seal is not None else None


def refuse_other_settings(path: Path, config: RunConfig) -> None:
    """Refuse a run that was made with other settings, and list the differences."""
    now = {**config.record(), "systems": [spec.label for spec in config.systems]}
    try:
        manifest = RunReader(path).manifest
        before = {key: manifest[key] for key in now}
        before["grading"] = Grading.of_run(manifest).record()  # with what older manifests don't name
        before["systems"] = [system["label"] for system in before["systems"]]
    except (BadRun, OSError, ValueError, KeyError, TypeError) as error:
        raise BadRun(f"{path / 'run.json'} can't be read ({error}); delete {path}, or choose another --out") from error
    changed = [f"{key}: {before[key]!r} became {now[key]!r}" for key in now if before[key] != now[key]]
    changed += [f"{file} was edited since" for file in _edited(manifest, config.suites)]
    if changed:
        raise BadRun(
            f"{path} was made with other settings ({'; '.join(changed)}); "
            "put them back, delete the folder, or choose another --out"
        )


def _edited(manifest: Mapping[str, Any], suites: Sequence[str]) -> Iterator[Path]:
    """The suite files that no longer hold what a run was made from."""
    for name in suites:
        if (file := registry.suite_file(name)) is not None:
            suite, tasks = registry.tasks(name)
            made = [(manifest["tasks"].get(task.name) or {}).get("suite_version") for task in tasks]
            if any(version != suite.version for version in made):
                yield file


def judge(
    path: str | Path,
    judge: str,
    *,
    answer: str = "",
    paper_exact: bool = False,
    repeats: int = 1,
    out: str | Path | None = None,
    limits: Limits | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Grade a run again with another judge; nothing is stored, retrieved or answered again.

    With `answer`, that model first answers from what was retrieved, which is how a run without models gets its
    answers later. With `out`, a copy of the run is graded there, so that the two gradings can be compared.
    """
    path, lock = (Path(path), hold(Path(path))) if out is None else (Path(out), _copied(Path(path), Path(out)))
    with lock, RunReader(path) as reader:
        reader.index()
        before = Grading.of_run(reader.manifest)
        answered = reader.answered_by()
        grading = replace(
            before,
            answer=answer or (answered[-1] if answered else ""),
            judge=judge,
            paper_exact=paper_exact,
            repeats=replace(before.repeats, judge=repeats),
        )
        limits = limits_of_run(path, limits or Limits())
        if answer:
            check_models(grading, limits, "")
        due = DueCalls(limits.hold)
        graded = _grade(reader, grading, limits, watcher or Watcher(), due, answering=bool(answer), again=True)
        return _finish(graded, grading)


def _copied(path: Path, out: Path) -> BinaryIO:
    """Copy a run without its verdicts and its bill, and lock the copy."""
    with RunReader(path) as reader:
        reader.index()  # raises if it is no run, or a damaged one
    made = {name for name, kind in FILES.items() if kind in ("result", "view")}
    return copy(path, out, {*made, SEAL, BILL, BATCHES})


def _continue(
    path: Path,
    named: Named,
    limits: Limits,
    watcher: Watcher | None,
    system_models: SystemModels,
    retry_errors: bool = False,
    lock: BinaryIO | None = None,
    workers: Pool | NodeCheck | None = None,
) -> Run:
    """Do what is left of a run; `workers` are processes that were started for it already."""
    with (
        lock or hold(path),
        RunReader(path, forget_errors=retry_errors) as reader,
    ):  # locked first, so that nothing written by another process is missed
        if not retry_errors and (done := _nothing_left(reader, named, limits)) is not None:
            return done
        with keep_bill(path, system_models.ledger):
            reader.index()
            planning.refuse_changed_manifest(reader.original_manifest, reader.manifest)
            planning.refuse_other_version(reader.manifest)
            named.refuse_others(reader, hold=limits.hold)
            specs = {spec.label: spec for spec in named.systems}
            builds, settings = planning.resume_plan(reader.manifest, specs, new_code=not named.as_before)
            settings = replace(settings, call_timeout=limits.call_timeout)
            watcher = watcher or Watcher()
            grading = named.grading_of(reader.manifest)
            check_models(grading, limits_of_run(path, limits), recorded_models(reader.manifest)["internal"])
            variables = _variables(reader)
            watcher.paying(lambda: system_models.ledger.spent)
            watcher.begin(path, _steps(reader.manifest, grading, settings) * len(builds))
            try:
                with passing(variables), RunWriter(path, reader) as writer:
                    left = _left(builds, reader)
                    scheduler = where.scheduler(limits, system_models, left, reader, grading, settings, workers)
                    rounds = execute(reader, writer, builds, settings, watcher, scheduler)
            finally:
                running.close_all()
            if system_models.ledger.halted.is_set():
                return Run(reader.path, write_bill(reader.path), reader)
            if rounds:
                return _wait(reader, system_models.due, grading, rounds)
            made = None if isinstance(scheduler, StoreScheduler) else scheduler.made
            graded = _grade(reader, grading, limits, watcher, system_models.due, made=made)
        return _finish(graded, grading)


def _left(builds: Mapping[str, Build], reader: RunReader) -> dict[str, Build]:
    """The systems of which a store is left to be filled or asked."""
    episodes = [episode["id"] for episode in reader.manifest["episodes"]]
    return {
        name: build for name, build in builds.items() if not all(reader.done((name, episode)) for episode in episodes)
    }


def _nothing_left(reader: RunReader, named: Named, limits: Limits) -> Run | None:
    """The run, if there is nothing to do: it was finished without an error and graded as it is to be, and is whole.

    Hashes of files tell the latter, so that none is parsed. A damaged run is left to whoever can name the damage.
    """
    grading = named.grading_of(reader.manifest)
    if reader.seal is None or reader.seal.grading != grading.record():
        return None
    try:
        summary = kept_summary(reader)
        if summary is None or summary.unfinished or summary.stopped or summary.counts.reasons:
            return None
        reader.refuse_any_other()
    except Damaged:
        return None
    planning.refuse_other_version(reader.manifest)
    named.refuse_others(reader, hold=limits.hold)
    specs = {spec.label: spec for spec in named.systems}
    planning.resume_plan(reader.manifest, specs, new_code=not named.as_before)  # refuses systems that changed
    check_models(grading, limits_of_run(reader.path, limits), recorded_models(reader.manifest)["internal"])
    return Run(reader.path, None, reader)


def _variables(reader: RunReader) -> list[str]:
    """The variables of the environment to pass on again; a run that was made elsewhere passes none by itself."""
    missing = [name for name in reader.manifest.get("pass_env") or () if name not in passed()]
    if not missing or not _unfinished(reader):
        return []
    if not reader.made_here:
        again = " ".join(f"--pass-env {name}" for name in missing)
        raise BadRun(f"{reader.path}: its systems saw {', '.join(missing)} of the environment; add {again}")
    return missing


def _wait(reader: RunReader, due: DueCalls, grading: Grading, rounds: int, again: bool = False) -> Run:
    """Stop a run that can't go on before replies are imported, and record what it waits for."""
    before = Waiting.read(reader.path)
    number = 1 if before is None else before.round + ({call.id for call in before.calls} != set(due.calls))
    Waiting(tuple(due.calls.values()), number, rounds, grading.record(), again).write(reader.path)
    return Run(reader.path, write_bill(reader.path), reader)


def _grade(
    reader: RunReader,
    grading: Grading,
    limits: Limits,
    watcher: Watcher,
    due: DueCalls,
    answering: bool = True,
    again: bool = False,
    made: Made | None = None,
) -> Run:
    """Answer and judge what a run recorded, and write its verdicts. Earlier answers are kept.

    Without `answering`, only the recorded answers are judged. `again` means with other models than the run's own.
    """
    try:
        graded = _graded(reader, grading, limits, watcher, due, answering, made)
    except CallsDue:
        return _wait(reader, due, grading, 1, again)
    (reader.path / DUE).unlink(missing_ok=True)
    return graded


def _finish(run: Run, grading: Grading) -> Run:
    """Seal a run, unless it waits for replies: the last step of all, when nothing more is written to its bill."""
    if run.waiting is None:
        seal(run.reader, grading, run.stopped)
        run.summary = kept_summary(run.reader)
    return run


def seal(reader: RunReader, grading: Grading, stopped: str | None = None) -> None:
    """Seal a run, count what it came to, and seal it with that; killed in between, it is sealed and counted later."""
    reader.finish(grading.record())
    write_summary(reader.path, summary_of(reader, stopped))
    reader.finish(grading.record(), new=SUMMARY)


def summary_of(reader: RunReader, stopped: str | None, keep: bool = True) -> Summary:
    """Count what a sealed run came to; `stopped` says why it ended before its time.

    The reader may `keep` the verdicts, if they are needed again.
    """
    counts = counts_of(lambda: reader.verdicts(keep), reader.stores())
    return Summary(counts.kept(), tuple(reader.notes), reader.notices, _unfinished(reader), stopped)


def _graded(
    reader: RunReader,
    grading: Grading,
    limits: Limits,
    watcher: Watcher,
    due: DueCalls,
    answering: bool,
    made: Made | None,
) -> Run:
    if not grading.needs_models:
        watcher.diagnosing()
        diagnosis = RunDiagnosis(reader, DiagnosisSettings(paper_exact=grading.paper_exact), made)
        reader.write_verdicts(diagnosis.verdicts(), diagnosis.stores)
        write_memory_checks(reader.path, check_run(reader, diagnosis.checks))
        return Run(reader.path, write_bill(reader.path), reader)
    batches = BatchesOf(reader.path, watcher.batch) if _in_batches(reader.path, limits) else None
    asked = grading if answering else replace(grading, answer="")
    with open_models(asked, limits, due, batches, reader.path, watcher.waiting) as models:
        watcher.paying(lambda: models.ledger.spent)
        try:
            diagnosis = RunDiagnosis(reader, _depth(grading, models, models.price_share))
            stopped = None
            if models.answer is not None:
                stopped = _answer(reader, grading, limits, watcher, models, diagnosis)
            watcher.diagnosing()
            reader.write_verdicts(diagnosis.verdicts(models.runner), diagnosis.stores)
            write_memory_checks(reader.path, check_run(reader))
        except CallsDue:
            write_bill(reader.path, models.ledger)
            raise
        write_bill(reader.path, models.ledger)
        for totals in models.batch_totals():
            if totals.rounds:
                watcher.batch(f"{totals.calls} calls in {totals.batches} batches and {totals.rounds} rounds", news=True)
        return Run(reader.path, stopped or models.ledger.stopped, reader)


def _depth(grading: Grading, models: Models, price_share: Decimal) -> DiagnosisSettings:
    answered_by = ModelSpec.parse(grading.answer) if grading.answer else None
    repeats = grading.repeats.judge
    return DiagnosisSettings(answered_by, models.judge, grading.paper_exact, repeats, models.wide, price_share)


def diagnose_again(path: Path, grading: Grading, limits: Limits) -> None:
    """Make the verdicts of a finished run again, from its records and the cache; nothing goes on its bill.

    The limits are to hold all calls: what the judge once said is in the cache, or the verdicts can't be made again.
    """
    from memtriage.models.batch_client import PRICE_SHARE

    due = DueCalls(limits.hold)
    share = PRICE_SHARE if BatchLog.is_there(path) else Decimal(1)
    with hold(path), RunReader(path) as reader:
        with open_models(replace(grading, answer=""), limits, due) as models:
            diagnosis = RunDiagnosis(reader, _depth(grading, models, share))
            try:
                reader.write_verdicts(diagnosis.verdicts(models.runner), diagnosis.stores)
            except CallsDue as waiting:
                calls = f"{len(due.calls)} replies of {grading.judge} that its verdicts rest on are not in the cache"
                raise BadRun(f"{path}: {calls}; memtriage resume {shell_word(path)} asks for them again") from waiting
        write_memory_checks(path, check_run(reader))
        seal(reader, grading)


def _in_batches(path: Path, limits: Limits) -> bool:
    """Whether answers and judgings go out in batches: if asked for, or if the run was begun so."""
    if limits.batch:
        BatchLog.begin(path)
    return limits.batch is not False and not limits.hold and BatchLog.is_there(path)


def _answer(
    reader: RunReader, grading: Grading, limits: Limits, watcher: Watcher, models: Models, diagnosis: RunDiagnosis
) -> str | None:
    """Have the model answer what it hasn't answered yet; returns why it stopped, if it did.

    While answers are on their way, the diagnosis may go ahead as far as it does without them.
    """
    assert models.answer is not None
    with RunWriter(reader.path, reader) as writer:
        watcher.answering(models.answer.name)
        answers = answer_run(
            reader,
            writer,
            models.answer,
            repeats=grading.repeats.answer,
            watcher=watcher,
            limit=_COLLECTED if models.wide else 4 * limits.concurrency,
            reading=reading_of(grading.reading),
            cant_tell=grading.cant_tell,
        )
        # Where calls are collected, they go out once nothing else is left to do: nobody waits for anything before that.
        work = answers if models.wide else beside(answers, diagnosis.settle_ahead())
        return models.runner.run(work).stopped


def _reported(episodes: Iterable[Episode], watcher: Watcher) -> Iterator[Episode]:
    """The same episodes, reported to the watcher as they pass."""
    for number, episode in enumerate(episodes, start=1):
        watcher.loading(number)
        yield episode


def _steps(manifest: Mapping[str, Any], grading: Grading, settings: Settings) -> int:
    """How many steps each system takes: sessions, questions and, where a model answers, answers."""
    asked = sum(e["probes"] for e in manifest["episodes"]) * len(settings.ks)
    free = sum(steps(e["sessions"], e["probes"], settings) for e in manifest["episodes"])
    return free + (asked * grading.repeats.answer if grading.answer else 0)


def _new_path(suites: Sequence[str]) -> Path:
    """Create a new run directory, named by time and suite; creating it reserves the name."""
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(suites).lower()).strip("-")
    base = f"{datetime.now():%Y%m%d-%H%M%S}-{name}"
    for number in range(1, sys.maxsize):
        path = Path("runs") / (base if number == 1 else f"{base}-{number}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir(0o700)
            return path
        except FileExistsError:
            continue
    raise AssertionError("there is always another number")
