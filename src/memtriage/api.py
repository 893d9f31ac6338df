"""memtriage from Python: `run`, `resume`, `load`, and the `Run` they give."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.suite import Request
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.diagnose.of_run import diagnose_run
from memtriage.host.files import why
from memtriage.models.keys import scrub
from memtriage.pipeline.grading import (
    Grading,
    Means,
    Repeats,
    bill,
    embedder_label,
    grade,
    inside_of,
    label,
    of_run,
    ready,
)
from memtriage.record.directory import RunReader, RunWriter, create, hold
from memtriage.registry import SystemSpec
from memtriage.runner import plan as planning
from memtriage.runner.scheduler import execute
from memtriage.runner.store_life import Settings, Watcher, steps
from memtriage.systems.remote import running

if TYPE_CHECKING:
    from memtriage.models.system_models import SystemModels

DEFAULT_SYSTEMS = ("none", "bm25", "dense", "hybrid", "full-context", "oracle")
DEFAULT_KS = (5, 10, 20)

_SHOWN = 20
"""How many troubles of the data a report names; all of them are in run.json."""


class Run:
    """A finished run: its directory, its table, its probes.

    >>> run = memtriage.run("bm25", suite="memfail/long-hop", k=[5])  # doctest: +SKIP
    >>> pandas.DataFrame(run.probes)  # doctest: +SKIP
    """

    def __init__(self, path: Path, stopped: str | None = None) -> None:
        self.path = path
        self.stopped = stopped
        with RunReader(path) as reader:
            self.manifest = reader.manifest
            self.notes = tuple(reader.notes)
            self.problems = tuple(reader.problems)
            self.notices = {**reader.notices, **self._scripted()}
            self.unfinished = any(not reader.done(u) for u in _units(reader.manifest))

    @property
    def cost(self) -> dict[str, Any] | None:
        """What models took, by role and stage; None where none was asked."""
        file = self.path / "cost.json"
        found: dict[str, Any] | None = json.loads(file.read_bytes()) if file.exists() else None
        return found

    def _scripted(self) -> dict[str, tuple[str, ...]]:
        """The readers of the run that were no models at all."""
        told = "it was the scripted server, not a model: the run proves plumbing, not quality"
        names = {"answer": "the answering model", "judge": "the judge", "embed": "the embedding model"}
        roles = (self.cost or {}).get("scripted", ())
        return {names[role]: (told,) for role in roles if role in names}

    def verdicts(self) -> Iterable[ProbeVerdict]:
        """Every verdict, one by one from disk."""
        with RunReader(self.path) as reader:
            yield from reader.verdicts()

    def stores(self) -> list[StoreSummary]:
        """What each system kept of each episode."""
        with RunReader(self.path) as reader:
            return reader.stores()

    def rows(self) -> list[Any]:
        """The table as `memtriage.tables.table.Row` objects."""
        from memtriage.tables.table import table

        return table(self.verdicts(), self.stores())

    def table(self) -> list[dict[str, Any]]:
        """The table as records: one per task, system and k, ready for pandas."""
        from memtriage.tables.table import row_json

        return [row_json(row) for row in self.rows()]

    @property
    def probes(self) -> list[dict[str, Any]]:
        """One record per probe, system and k, ready for pandas."""
        from memtriage.tables.table import records

        return list(records(self.verdicts()))

    @property
    def errors(self) -> int:
        """How many probes could not be graded because something raised."""
        return self.reasons.total()

    @property
    def reasons(self) -> Counter[str]:
        """Why probes could not be graded, and how many each."""
        return Counter(_reason(verdict) for verdict in self.verdicts() if verdict.verdict == "error")

    def show(self) -> None:
        """Print the table."""
        from rich.console import Console

        from memtriage.report.terminal.tables import print_table

        print_table(self.rows(), Console())

    def report(self, out: Path | None = None) -> Path:
        """Write the HTML report, by default beside the verdicts."""
        from memtriage.report.html.page import write_report
        from memtriage.tables.measures import measure_rows
        from memtriage.tables.outcomes import outcomes

        with RunReader(self.path) as reader:
            return write_report(
                out or self.path / "report.html",
                reader.verdicts(),
                reader.stores(),
                self.rows(),
                reader.texts,
                about(reader.manifest, (*_noticed(self.notices), *self.notes, *self.problems[:_SHOWN])),
                measure_rows(reader.verdicts()),
                outcomes(reader.verdicts()),
            )


def run(
    *systems: object,
    suite: str | Sequence[str] = "memfail",
    k: int | Iterable[int] = DEFAULT_KS,
    seed: int = 42,
    rows: int | None = None,
    data: str | Path | None = None,
    out: str | Path | None = None,
    options: Mapping[str, str] | None = None,
    answers: bool = False,
    looks: int = 8,
    answer: str | None = None,
    judge: str | None = None,
    internal: str | None = None,
    embed: str | None = None,
    repeats: int | str = 1,
    reading: str | None = None,
    paper_exact: bool = False,
    means: Means | None = None,
    watcher: Watcher | None = None,
    command: str | None = None,
) -> Run:
    """Put memory systems to the test and diagnose what happened.

    A system is an object with the three functions, its class, a name as on the command line, or a dict that
    gives several of them names of their own. Without any, the built-in ones are compared. `answer` and `judge`
    name models (`openai/gpt-5-mini`, `http://127.0.0.1:8000/v1#qwen3-8b`, `local/smollm2`) for the full depth;
    `internal` and `embed` are handed to the systems that write or embed with a model of their own. `reading` is how
    the answering model reads what came back: `direct`, `con` (notes first), `direct-json` or `con-json`.
    """
    suites = (suite,) if isinstance(suite, str) else tuple(suite)
    specs = planning.specs_of(systems or DEFAULT_SYSTEMS)
    settings = Settings(planning.ks((k,) if isinstance(k, int) else k), answers, looks)
    request = Request(seed, rows, Path(data) if data is not None else None, dict(options or {}))
    grading = Grading(answer or "", judge or "", paper_exact, Repeats.parse(str(repeats)), _reading(reading, answer))
    told = scrub(command or "memtriage.run(…)")
    models = {"internal": label(internal or ""), "embedder": embedder_label(embed or "")}
    planning.used(models, specs)
    plan = planning.Plan(suites, specs, request, settings, told, grading.record(), models)
    if out is not None and (Path(out) / "run.json").exists():
        raise BadRun(f"{out} already holds a run; continue it with `memtriage resume {out}` or choose another --out")
    ready(grading, means or Means(), models["internal"])
    planning.can_begin(specs, models)
    with inside_of(means or Means()) as inside:
        manifest, episodes = planning.lay_out(plan)
        path = Path(out) if out is not None else _fresh(suites)
        create(path, manifest, _seen(episodes, watcher or Watcher()))
        return _carried_on(path, specs, means or Means(), watcher, inside, grading)


def resume(
    path: str | Path,
    *systems: object,
    retry_errors: bool = False,
    means: Means | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Continue a run where it stopped; what the journal holds is neither stored nor asked again.

    `retry_errors` also asks systems again what ended in an error, such as an outage. What a model could not
    answer is always tried again.
    """
    means = means or Means()
    with inside_of(means) as inside:
        return _carried_on(Path(path), planning.specs_of(systems), means, watcher, inside, retry_errors=retry_errors)


def _carried_on(
    path: Path,
    systems: Sequence[SystemSpec],
    means: Means,
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
        planning.same(reader.began, reader.manifest)
        builds, settings = planning.continued(reader.manifest, specs)
        watcher = watcher or Watcher()
        grading = grading or of_run(reader.manifest)
        ready(grading, means, (reader.manifest.get("models") or {}).get("internal", ""))
        watcher.begin(path, _steps(reader.manifest, grading, settings) * len(builds))
        try:
            with RunWriter(path, reader) as writer:
                execute(reader, writer, builds, settings, watcher, means.stores, lambda: _hang_up(inside))
        finally:
            running.close_all()
        return _graded(path, grading, means, watcher)


def _reading(reading: str | None, answer: str | None) -> str:
    """How a model is to read, if there is one."""
    from memtriage.runner.reading import reading_of

    chosen = reading_of(reading) or ""
    if chosen and not answer:
        raise BadInput(f"--reading {chosen} is how a model reads what came back; name one with --answer")
    return chosen


def _seen(episodes: Iterable[Episode], watcher: Watcher) -> Iterator[Episode]:
    """The same episodes; the watcher hears how many there are so far."""
    for number, episode in enumerate(episodes, start=1):
        watcher.laying_out(number)
        yield episode


def _hang_up(inside: SystemModels) -> None:
    """Break what systems wait for: their processes, and their models."""
    running.close_all()
    inside.close()


def dry_run(*systems: object, watcher: Watcher | None = None, **wanted: Any) -> Any:
    """What a run would take of its models: calls, tokens, dollars. Storing and retrieving, which are free, are done.

    Where systems write or embed with a model, the scripted one stands in for it, and what it is asked is counted.
    """
    from memtriage.pipeline.grading import estimate_run
    from memtriage.pipeline.rehearsal import stand_ins

    answer = wanted.pop("answer", None) or ""
    grading = Grading(
        answer,
        wanted.pop("judge", None) or "",
        wanted.pop("paper_exact", False),
        Repeats.parse(str(wanted.pop("repeats", 1))),
        _reading(wanted.pop("reading", None), answer),
    )
    means = wanted.pop("means", None) or Means()
    named = {"internal": wanted.pop("internal", None) or "", "embed": wanted.pop("embed", None) or ""}
    with tempfile.TemporaryDirectory(prefix="memtriage-") as folder, stand_ins(**named) as stand_in:
        path = Path(folder) / "run"
        times = f"ingest={grading.repeats.ingest}"
        quiet = replace(means, use_cache=False, max_cost=None)
        wanted |= stand_in.named
        run(*systems, out=path, repeats=times, watcher=watcher, means=quiet, **wanted)
        return estimate_run(path, grading, means, stand_in.stages(path))


def judge(
    path: str | Path,
    judge: str,
    *,
    paper_exact: bool = False,
    repeats: int = 1,
    out: str | Path | None = None,
    means: Means | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Grade a run again with another judge; nothing is stored, retrieved or answered again.

    With `out`, a copy of the run is graded there, so that the two gradings can be compared.
    """
    path = Path(path) if out is None else _copied(Path(path), Path(out))
    with hold(path), RunReader(path) as reader:
        before = of_run(reader.manifest)
        answered = reader.answered_by()
        times = replace(before.repeats, judge=repeats)
        grading = Grading(answered[-1] if answered else "", judge, paper_exact, times)
        watcher = watcher or Watcher()
        return _graded(path, grading, means or Means(), watcher, answer=False)


def _copied(path: Path, out: Path) -> Path:
    """A run as it was recorded, in a directory of its own; its bill begins anew."""
    RunReader(path).close()  # it is one
    if out.exists() and any(out.iterdir()):
        raise BadRun(f"{out} is not empty; choose another --out")
    graded = shutil.ignore_patterns("verdicts.jsonl", "stores.jsonl", "cost.json", "report.html", ".lock", "stores")
    shutil.copytree(path, out, ignore=graded, dirs_exist_ok=True)
    return out


def _graded(path: Path, grading: Grading, means: Means, watcher: Watcher, answer: bool = True) -> Run:
    if grading.needs_models:
        spent = grade(path, grading, means, watcher, answer)
        return Run(path, spent.stopped)
    watcher.diagnosing()
    with RunReader(path) as finished:
        diagnose_run(finished)
    return Run(path, bill(path))


def _steps(manifest: Mapping[str, Any], grading: Grading, settings: Settings) -> int:
    """How many steps each system takes: sessions, questions, and answers where a model gives them."""
    asked = sum(e["probes"] for e in manifest["episodes"]) * len(settings.ks)
    free = sum(steps(e["sessions"], e["probes"], settings) for e in manifest["episodes"])
    return free + (asked * grading.repeats.answer if grading.answer else 0)


def load(path: str | Path) -> Run:
    """A run that was made before."""
    return Run(Path(path))


def about(manifest: Mapping[str, Any], notes: Sequence[str]) -> Any:
    """What the report says about a run."""
    from memtriage.report.html.page import About

    sources = {task["source"] for task in manifest["tasks"].values()}
    made = f"generated with seed {manifest['seed']}" if sources == {"generated"} else _files(manifest["tasks"])
    return About(
        title=f"memtriage: {', '.join(manifest['suites'])}",
        created=manifest["created"],
        version=manifest["memtriage"],
        suite=", ".join(manifest["suites"]),
        data=made,
        command=manifest["command"],
        depth="full" if manifest["answers"] or of_run(manifest).answer else "memory",
        notes=tuple(notes),
    )


def _noticed(notices: Mapping[str, Sequence[str]]) -> list[str]:
    """What every report has to say about its systems, the same words for several systems said once."""
    said: dict[str, list[str]] = {}
    for system, each in notices.items():
        for notice in each:
            said.setdefault(notice, []).append(system)
    return [f"{', '.join(systems)}: {notice}" for notice, systems in said.items()]


def _files(tasks: Mapping[str, Any]) -> str:
    parts = [f"{Path(t['file']).name} (sha256 {t['sha256'][:12]}…)" for t in tasks.values() if "file" in t]
    return "released files " + ", ".join(parts)


def _reason(verdict: ProbeVerdict) -> str:
    facts = (fact.why for fact in verdict.facts if fact.verdict == "error")
    return verdict.error or next(facts, "no reason is recorded")


def _units(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    systems = [name for s in manifest["systems"] for name in planning.storings(s["label"], manifest)]
    return [(system, e["id"]) for e in manifest["episodes"] for system in systems]


def _fresh(suites: Sequence[str]) -> Path:
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
        except OSError as error:
            raise BadRun(f"{path} can't be made: {why(error)}") from error
    raise BadRun("no free name below runs/")


__all__ = ["DEFAULT_KS", "DEFAULT_SYSTEMS", "Run", "SystemSpec", "load", "resume", "run"]
