"""A whole run: planned, stored, asked, answered, diagnosed; begun, continued, or graded again by another judge."""

from __future__ import annotations

import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtriage.config import Grading, Limits, RunConfig
from memtriage.core.episode import Episode
from memtriage.core.errors import BadRun
from memtriage.core.reading import reading_of
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.diagnose.run import DiagnosisSettings, RunDiagnosis
from memtriage.models.spec import ModelSpec
from memtriage.pipeline.models import (
    COST,
    check_models,
    open_models,
    open_system_models,
    read_bill,
    take_over,
    write_bill,
)
from memtriage.record.directory import RunReader, RunWriter, create, hold, store_names
from memtriage.registry import SystemSpec, system_specs
from memtriage.runner import plan as planning
from memtriage.runner.answers import answer_run
from memtriage.runner.scheduler import execute
from memtriage.runner.store_runner import Settings, Watcher, steps
from memtriage.systems.remote import running
from memtriage.tables.table import Row, records, row_json, table

if TYPE_CHECKING:
    from memtriage.models.system_models import SystemModels


class Run:
    """A finished run: its directory, its table, its probes."""

    def __init__(self, path: Path, stopped: str | None = None, reader: RunReader | None = None) -> None:
        self.path = path
        self.stopped = stopped
        self.reader = reader or RunReader(path)
        self.manifest = self.reader.manifest
        self.notes = tuple(self.reader.notes)
        self.problems = tuple(self.reader.problems)
        self.notices = {**self.reader.notices, **self._scripted()}
        names = [name for each in store_names(self.manifest).values() for name in each]
        units = ((name, episode["id"]) for episode in self.manifest["episodes"] for name in names)
        self.unfinished = any(not self.reader.done(unit) for unit in units)
        self.reader.close()

    @property
    def cost(self) -> dict[str, Any] | None:
        """What models took, by role and stage; None where none was asked."""
        return read_bill(self.path)

    def _scripted(self) -> dict[str, tuple[str, ...]]:
        """The readers of the run that were no models at all."""
        notice = "it was the scripted server, not a model: the run proves plumbing, not quality"
        names = {"answer": "the answering model", "judge": "the judge", "embed": "the embedding model"}
        roles = (self.cost or {}).get("scripted", ())
        return {names[role]: (notice,) for role in roles if role in names}

    def verdicts(self) -> Iterable[ProbeVerdict]:
        """Every verdict."""
        return self.reader.verdicts()

    def stores(self) -> list[StoreSummary]:
        """What each system kept of each episode."""
        return self.reader.stores()

    def rows(self) -> list[Row]:
        """The table as rows."""
        return table(self.verdicts(), self.stores())

    def table(self) -> list[dict[str, Any]]:
        """The table as records: one per task, system and k, ready for pandas."""
        return [row_json(row) for row in self.rows()]

    @property
    def probes(self) -> list[dict[str, Any]]:
        """One record per probe, system and k, ready for pandas."""
        return list(records(self.verdicts()))

    @property
    def errors(self) -> int:
        """How many probes could not be graded because something raised."""
        return self.reasons.total()

    @property
    def reasons(self) -> Counter[str]:
        """Why probes could not be graded, and how many each."""
        return Counter(_reason(verdict) for verdict in self.verdicts() if verdict.verdict == "error")


def _reason(verdict: ProbeVerdict) -> str:
    facts = (fact.why for fact in verdict.facts if fact.verdict == "error")
    return verdict.error or next(facts, "no reason is recorded")


def run(config: RunConfig, out: str | Path | None = None, watcher: Watcher | None = None) -> Run:
    """Put memory systems to the test and diagnose what happened."""
    planning.refuse_unused_models(config.models, config.systems)
    if out is not None and (Path(out) / "run.json").exists():
        raise BadRun(f"{out} already holds a run; continue it with `memtriage resume {out}` or choose another --out")
    check_models(config.grading, config.limits, config.models["internal"])
    planning.refuse_unready_systems(config.systems, config.models)
    with open_system_models(config.limits) as inside:
        manifest, episodes = planning.plan_run(config)
        path = Path(out) if out is not None else _new_path(config.suites)
        create(path, manifest, _counted(episodes, watcher or Watcher()))
        return _carry_on(path, config.systems, config.limits, watcher, inside, config.grading)


def resume(
    path: str | Path,
    *systems: object,
    retry_errors: bool = False,
    limits: Limits | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Continue a run where it stopped; what the journal holds is neither stored nor asked again.

    `retry_errors` also asks systems again what ended in an error, such as an outage. What a model could not
    answer is always tried again.
    """
    limits = limits or Limits()
    with open_system_models(limits) as inside:
        return _carry_on(Path(path), system_specs(systems), limits, watcher, inside, retry_errors=retry_errors)


def run_or_resume(path: Path, config: RunConfig, watcher: Watcher | None = None, retry_errors: bool = False) -> Run:
    """A run in this place, begun or continued; a finished one is left as it is, one with other settings refused."""
    if not (path / "run.json").exists():
        return run(config, path, watcher)
    refuse_other(path, config)
    finished = finished_run(path)
    if finished is not None and not finished.errors:
        return finished
    return resume(path, *config.systems, retry_errors=retry_errors, limits=config.limits, watcher=watcher)


def finished_run(path: Path) -> Run | None:
    """The run in this place, if there is one and nothing is left to do for it."""
    with suppress(BadRun):
        found = Run(path)
        if not found.unfinished and (path / "verdicts.jsonl").exists():
            return found
    return None


def refuse_other(path: Path, config: RunConfig) -> None:
    """Refuse a run that was made with other settings, naming the differences."""
    now = {**config.record(), "systems": [spec.label for spec in config.systems]}
    try:
        manifest = RunReader(path).manifest
        before = {key: manifest[key] for key in now}
        before["systems"] = [system["label"] for system in before["systems"]]
    except (BadRun, OSError, ValueError, KeyError, TypeError) as error:
        raise BadRun(f"{path / 'run.json'} can't be read ({error}); delete {path}, or choose another --out") from error
    changed = [f"{key}: {before[key]!r} became {now[key]!r}" for key in now if before[key] != now[key]]
    if changed:
        raise BadRun(
            f"{path} was made with other settings ({'; '.join(changed)}); "
            "put them back, delete the folder, or choose another --out"
        )


def judge(
    path: str | Path,
    judge: str,
    *,
    paper_exact: bool = False,
    repeats: int = 1,
    out: str | Path | None = None,
    limits: Limits | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Grade a run again with another judge; nothing is stored, retrieved or answered again.

    With `out`, a copy of the run is graded there, so that the two gradings can be compared.
    """
    path = Path(path) if out is None else _copied(Path(path), Path(out))
    with hold(path), RunReader(path) as reader:
        before = Grading.of_run(reader.manifest)
        answered = reader.answered_by()
        times = replace(before.repeats, judge=repeats)
        grading = Grading(answered[-1] if answered else "", judge, paper_exact, times)
        return _grade(reader, grading, limits or Limits(), watcher or Watcher(), answering=False)


def _copied(path: Path, out: Path) -> Path:
    """A run as it was recorded, in a directory of its own; its bill begins anew."""
    RunReader(path).close()  # refuses what is no run
    if out.exists() and any(out.iterdir()):
        raise BadRun(f"{out} is not empty; choose another --out")
    graded = shutil.ignore_patterns("verdicts.jsonl", "stores.jsonl", COST, "report.html", ".lock", "stores")
    shutil.copytree(path, out, ignore=graded, dirs_exist_ok=True)
    return out


def _carry_on(
    path: Path,
    systems: Sequence[SystemSpec],
    limits: Limits,
    watcher: Watcher | None,
    inside: SystemModels,
    grading: Grading | None = None,
    retry_errors: bool = False,
) -> Run:
    """Do what is left of a run. A manifest knows no passwords, so a new run brings its models along."""
    specs = {spec.label: spec for spec in systems}
    with (
        hold(path),
        RunReader(path, forget_errors=retry_errors) as reader,
    ):  # held first: what another process writes meanwhile would be missed
        planning.refuse_changed_manifest(reader.original_manifest, reader.manifest)
        builds, settings = planning.resume_plan(reader.manifest, specs)
        watcher = watcher or Watcher()
        grading = grading or Grading.of_run(reader.manifest)
        check_models(grading, limits, (reader.manifest.get("models") or {}).get("internal", ""))
        watcher.begin(path, _steps(reader.manifest, grading, settings) * len(builds))
        try:
            with RunWriter(path, reader) as writer:
                execute(reader, writer, builds, settings, watcher, limits.stores, lambda: _interrupt(inside))
        finally:
            running.close_all()
        return _grade(reader, grading, limits, watcher)


def _grade(reader: RunReader, grading: Grading, limits: Limits, watcher: Watcher, answering: bool = True) -> Run:
    """Answer and judge what a run recorded, and write its verdicts. What was done before is not asked again.

    Without `answering`, the answers that the run holds are judged as they are.
    """
    if not grading.needs_models:
        watcher.diagnosing()
        found = RunDiagnosis(reader)
        reader.write_verdicts(found.verdicts(), found.stores)
        return Run(reader.path, write_bill(reader.path), reader)
    with open_models(grading if answering else replace(grading, answer=""), limits) as models:
        take_over(models.ledger)
        stopped = None
        if models.answer is not None:
            with RunWriter(reader.path, reader) as writer:
                watcher.answering(models.answer.name)
                answered = models.runner.run(
                    answer_run(
                        reader,
                        writer,
                        models.answer,
                        repeats=grading.repeats.answer,
                        watcher=watcher,
                        limit=4 * limits.concurrency,
                        reading=reading_of(grading.reading),
                    )
                )
                stopped = answered.stopped
        watcher.diagnosing()
        answered_by = ModelSpec.parse(grading.answer) if grading.answer else None
        depth = DiagnosisSettings(answered_by, models.judge, grading.paper_exact, grading.repeats.judge)
        found = RunDiagnosis(reader, depth)
        reader.write_verdicts(found.verdicts(models.runner), found.stores)
        write_bill(reader.path, models.ledger)
        return Run(reader.path, stopped or models.ledger.stopped, reader)


def _counted(episodes: Iterable[Episode], watcher: Watcher) -> Iterator[Episode]:
    """The same episodes; the watcher is told how many there are so far."""
    for number, episode in enumerate(episodes, start=1):
        watcher.loading(number)
        yield episode


def _interrupt(inside: SystemModels) -> None:
    """Break what systems wait for: their processes, and their models."""
    running.close_all()
    inside.close()


def _steps(manifest: Mapping[str, Any], grading: Grading, settings: Settings) -> int:
    """How many steps each system takes: sessions, questions, and answers where a model gives them."""
    asked = sum(e["probes"] for e in manifest["episodes"]) * len(settings.ks)
    free = sum(steps(e["sessions"], e["probes"], settings) for e in manifest["episodes"])
    return free + (asked * grading.repeats.answer if grading.answer else 0)


def _new_path(suites: Sequence[str]) -> Path:
    """A new run directory, named by time and suite; made at once, so that nobody else gets the same."""
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(suites).lower()).strip("-")
    base = f"{datetime.now():%Y%m%d-%H%M%S}-{name}"
    for number in range(1, sys.maxsize):
        path = Path("runs") / (base if number == 1 else f"{base}-{number}")
        try:
            path.mkdir(parents=True)
            return path
        except FileExistsError:
            continue
    raise AssertionError("there is always another number")
