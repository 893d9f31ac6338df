"""Prompts of a memory system, tuned on some episodes and scored on others.

A system exposes its prompts as `prompts`, a mapping (or a function that gives one) from names to texts, and takes other
ones by `set_prompts(mapping)`, or where there is none, by having that mapping set. Who looks for better ones is a
`Search`; the one that comes with memtriage is DSPy's (`memtriage.studies.optimize_dspy`).

>>> found = optimize("facts", suite="meme", internal="openai/gpt-4.1-mini", search=search)  # doctest: +SKIP
>>> found.before.success, found.after.success  # doctest: +SKIP
"""

from __future__ import annotations

import inspect
import json
import re
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Protocol

from memtriage import registry
from memtriage.config import RunConfig
from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.trace import Usage
from memtriage.core.verdict import SETTLED, ProbeVerdict
from memtriage.host.files import write_whole
from memtriage.metrics.statistics import Difference, Interval, mcnemar, paired_difference
from memtriage.pipeline.models import check_models, spent
from memtriage.pipeline.run import Run, resume
from memtriage.record.writer import create
from memtriage.registry import SystemSpec
from memtriage.runner import plan as planning
from memtriage.runner.store_runner import Watcher
from memtriage.systems.designs.prompts import digest
from memtriage.tables.table import Tally, cluster_of

FILE = "optimize.json"
PROMPTS = "prompts.json"
SCHEMA = "memtriage.optimized/1"

Prompts = Mapping[str, str]
Evaluate = Callable[[Prompts], Mapping[str, float]]
"""Runs the system with these prompts on the training episodes; the score of each, from 0 to 1."""


class Search(Protocol):
    """Looks for better prompts: proposes some, has them evaluated, proposes others in the light of that."""

    def __call__(self, start: Prompts, episodes: Sequence[str], evaluate: Evaluate) -> Usage:
        """Try as many prompts as it likes, and say what its own models took. Whatever scored best is kept."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Prompts that were tried: their short name, their words, and their score on the training episodes."""

    name: str
    prompts: Prompts
    score: float


@dataclass(frozen=True, slots=True)
class Held:
    """How the system did on held-out episodes; `uncertain` and `errors` are no part of success."""

    n: int
    success: float | None
    interval: Interval
    uncertain: int
    errors: int


@dataclass(frozen=True, slots=True)
class Compared:
    """One task (or all) on the held-out episodes, before and after."""

    task: str
    before: Held
    after: Held
    difference: Difference | None
    p: float


@dataclass(frozen=True, slots=True)
class Optimized:
    """The prompts that did best in training, and what they are worth on episodes they were not chosen by."""

    path: Path
    system: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    trials: tuple[Trial, ...]
    best: Trial
    tasks: tuple[Compared, ...]
    whole: Compared
    usage: Usage
    stopped: str | None = None

    @property
    def before(self) -> Held:
        return self.whole.before

    @property
    def after(self) -> Held:
        return self.whole.after

    @property
    def prompts_file(self) -> Path:
        """The best prompts, for `--system SYSTEM:prompts=FILE`."""
        return self.path / PROMPTS

    @property
    def changed(self) -> bool:
        """Whether any prompts did better than those the system came with."""
        return self.best.name != self.trials[0].name


def optimize(
    system: object,
    *,
    search: Search,
    suite: str | Sequence[str] = "meme",
    k: int | Iterable[int] = (10,),
    train: int = 10,
    test: int = 10,
    out: str | Path | None = None,
    watcher: Watcher | None = None,
    **settings: Any,
) -> Optimized:
    """Tune a system's prompts on `train` episodes, and score them before and after on `test` others.

    All other settings are those of `memtriage.run`.

    Where a suite makes one episode of a task, the held-out ones are made with the next seed. The score that is
    searched by is the share of probes that went through every stage; what words can't settle and errors count as
    failed there.
    """
    config = RunConfig.of(system, suite=suite, k=k, command="memtriage.optimize(…)", **settings)
    (spec,) = config.systems
    planning.refuse_unused_models(config.models, [spec])
    check_models(config.grading, config.limits, config.models["internal"])
    planning.refuse_unready_systems([spec], config.models)
    start = exposed(registry.with_models(spec, config.models))
    sets = _sets(config, train, test)
    path = Path(out) if out is not None else default_path(config.suites, spec.label)
    _same(path, config, sets)
    trials = _Trials(path, config, sets, watcher or Watcher())
    trials.train(start)
    usage = search(start, [episode.id for episode in sets.train.episodes], trials.train)
    if trials.problem is not None:
        raise trials.problem
    best = max(trials.done.values(), key=lambda trial: trial.score)  # of equals the first: no change without a gain
    found = _compared(trials, spec, sets, best, usage)
    _write(found, config, sets)
    return found


def exposed(spec: SystemSpec) -> dict[str, str]:
    """The prompts that a system exposes; refused where it has none."""
    built = spec.build()
    try:
        found = getattr(built.system, "prompts", None)
        found = found() if callable(found) else found
    finally:
        built.close()
    if not isinstance(found, Mapping) or not found or not all(isinstance(text, str) for text in found.values()):
        raise BadInput(
            f"system {spec.label!r} exposes no prompts; give it `prompts`, a mapping from names to texts, "
            "and `set_prompts(mapping)` to take other ones"
        )
    return {str(name): text for name, text in found.items()}


class Prompted:
    """Builds a system and gives it other prompts; in everything else it stands for the system's own factory."""

    def __init__(self, factory: Callable[..., object], prompts: Prompts) -> None:
        self._factory, self._prompts = factory, dict(prompts)
        self.__module__ = getattr(factory, "__module__", "")
        self.__qualname__ = getattr(factory, "__qualname__", "?")
        self.__signature__ = inspect.signature(factory)

    def __call__(self, **arguments: object) -> object:
        system = self._factory(**arguments)
        if callable(take := getattr(system, "set_prompts", None)):
            take(dict(self._prompts))
        else:
            system.prompts = dict(self._prompts)  # type: ignore[attr-defined]
        return system

    def record(self) -> dict[str, Any]:
        """What a manifest says of the system's own factory: other prompts don't make it another system."""
        found = planning.describe(SystemSpec("", self._factory))
        return {key: value for key, value in found.items() if key != "label"}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._factory, name)


def default_path(suites: Sequence[str], system: str) -> Path:
    """Where an optimisation goes that is given no place."""
    return Path("runs") / re.sub(r"[^a-z0-9]+", "-", "-".join(["optimize", *suites, system]).lower()).strip("-")


# ------------------------------------------------------------------ the episodes


@dataclass(frozen=True, slots=True)
class Set:
    """Episodes to run on, and the manifest of such a run."""

    manifest: Mapping[str, Any] = field(repr=False)
    episodes: tuple[Episode, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Sets:
    """Episodes to tune on, and others to score on."""

    train: Set
    test: Set


def split(
    episodes: Sequence[Episode], train: int, test: int, seed: int
) -> tuple[tuple[Episode, ...], tuple[Episode, ...]]:
    """So many episodes to train on and so many others, both with the tasks in even shares."""
    for name, size in (("train", train), ("test", test)):
        if size < 1:
            raise BadInput(f"--{name} must be at least 1, not {size}")
    if train + test > len(episodes):
        raise BadInput(
            f"{len(episodes)} episodes are not enough for {train} to train on and {test} to hold out; "
            "ask for fewer with --train and --test, or for more --rows"
        )
    rng = Random(f"split:{seed}")
    strata: dict[str, list[Episode]] = {}
    for episode in episodes:
        strata.setdefault(episode.task, []).append(episode)
    dealt: list[Episode] = []
    hands = [rng.sample(stratum, len(stratum)) for stratum in strata.values()]
    while any(hands):
        dealt += [hand.pop() for hand in hands if hand]
    return tuple(dealt[:train]), tuple(dealt[train : train + test])


def _sets(config: RunConfig, train: int, test: int) -> Sets:
    request = config.request
    wanted = replace(request, rows=train + test) if request.rows is None and request.data is None else request
    manifest, laid_out = planning.plan_run(replace(config, request=wanted))
    episodes = tuple(laid_out)
    if len({episode.task for episode in episodes}) < len(episodes):
        chosen, held = split(episodes, train, test, request.seed)
        return Sets(Set(manifest, chosen), Set(manifest, held))
    if request.data is not None:
        raise BadInput(
            f"{request.data} holds one episode of each task, which can't be split; "
            "leave --data out, so that the held-out episodes are generated with another seed"
        )
    other = replace(config, request=replace(wanted, seed=request.seed + 1))
    manifest_held, held_out = planning.plan_run(other)
    return Sets(Set(manifest, episodes), Set(manifest_held, tuple(held_out)))


# ------------------------------------------------------------------ runs


class _Trials:
    """Runs the system with prompts, each once, and keeps what came of it."""

    def __init__(self, path: Path, config: RunConfig, sets: Sets, watcher: Watcher) -> None:
        self.done: dict[str, Trial] = {}
        self.problem: BaseException | None = None
        self.stopped: str | None = None
        self.path, self._sets, self._watcher = path, sets, watcher
        (self._spec,) = config.systems
        self._limits = config.limits
        self._scores: dict[str, dict[str, float]] = {}
        self._one_by_one = threading.Lock()  # a search may ask again, from another thread, what takes long

    def train(self, prompts: Prompts) -> Mapping[str, float]:
        """The score of each training episode. Once something went wrong for good, nothing is run any more."""
        with self._one_by_one:
            return self._train(prompts, digest(prompts))

    def _train(self, prompts: Prompts, name: str) -> Mapping[str, float]:
        if name not in self._scores:
            if self.problem is not None or self.stopped is not None:
                return dict.fromkeys((episode.id for episode in self._sets.train.episodes), 0.0)
            try:
                self._scores[name] = self._scored(self.run("train", self._sets.train, prompts))
            except BaseException as error:  # a search may swallow it, but the end is the end
                self.problem = error
                raise
            self.done[name] = Trial(name, dict(prompts), _mean(self._scores[name].values()))
        return self._scores[name]

    def run(self, purpose: str, chosen: Set, prompts: Prompts) -> Run:
        """A run on these episodes with these prompts; one that is there already is continued or left as it is."""
        path = self.path / f"{purpose}-{digest(prompts)}"
        spec = replace(self._spec, factory=Prompted(self._spec.factory, prompts))
        if not (path / "run.json").exists():
            create(path, chosen.manifest, chosen.episodes)
        before = spent(path)
        run = resume(path, spec, limits=self._limits, watcher=self._watcher)
        self._limits = self._limits.after_spending(spent(path) - before)
        self.stopped = self.stopped or run.stopped
        return run

    def _scored(self, run: Run) -> dict[str, float]:
        """Of each episode the share of its probes that went well; what is uncertain or an error did not."""
        counts = {episode.id: [0, 0] for episode in self._sets.train.episodes}
        for verdict in run.verdicts():
            if verdict.verdict != "n/a":
                counts[verdict.episode][0] += verdict.verdict == "correct"
                counts[verdict.episode][1] += 1
        return {episode: right / n if n else 0.0 for episode, (right, n) in counts.items()}


def _compared(tried: _Trials, spec: SystemSpec, sets: Sets, best: Trial, usage: Usage) -> Optimized:
    trials = tuple(tried.done.values())
    old = list(tried.run("test", sets.test, trials[0].prompts).verdicts())
    new = list(tried.run("test", sets.test, best.prompts).verdicts()) if best is not trials[0] else old
    tasks = dict.fromkeys(verdict.task for verdict in old)
    return Optimized(
        path=tried.path,
        system=spec.label,
        train=tuple(episode.id for episode in sets.train.episodes),
        test=tuple(episode.id for episode in sets.test.episodes),
        trials=trials,
        best=best,
        tasks=tuple(compared(task, _of(task, old), _of(task, new)) for task in tasks),
        whole=compared("all", old, new),
        usage=usage,
        stopped=tried.stopped,
    )


def compared(task: str, before: Sequence[ProbeVerdict], after: Sequence[ProbeVerdict]) -> Compared:
    """Two runs over the same probes: both scores, and the difference over what both settled."""
    settled = {_asked(v): v for v in before if v.verdict in SETTLED}
    pairs: list[tuple[Hashable, bool, bool]] = [
        (cluster_of(v), settled[_asked(v)].verdict == "correct", v.verdict == "correct")
        for v in after
        if _asked(v) in settled and v.verdict in SETTLED
    ]
    lost, won = sum(one and not two for _, one, two in pairs), sum(two and not one for _, one, two in pairs)
    return Compared(task, _held(before), _held(after), paired_difference(pairs), mcnemar(lost, won))


def _held(verdicts: Iterable[ProbeVerdict]) -> Held:
    tally = Tally()
    for verdict in verdicts:
        tally.add(verdict.verdict, cluster_of(verdict))
    counts = tally.verdicts
    return Held(counts.total(), tally.success, tally.interval, counts["uncertain"], counts["error"])


def _of(task: str, verdicts: Sequence[ProbeVerdict]) -> list[ProbeVerdict]:
    return [verdict for verdict in verdicts if verdict.task == task]


def _asked(verdict: ProbeVerdict) -> tuple[str, str, int, int]:
    return (verdict.episode, verdict.probe, verdict.k, verdict.repeat)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


# ------------------------------------------------------------------ the disk


def _settings(config: RunConfig, sets: Sets) -> dict[str, Any]:
    record = config.record()
    kept = {key: record[key] for key in ("suites", "seed", "rows", "data", "options")}
    return {
        "system": config.systems[0].label,
        **kept,
        "k": record["ks"],
        "models": record["models"],
        "grading": record["grading"],
        "train": [episode.id for episode in sets.train.episodes],
        "test": [episode.id for episode in sets.test.episodes],
    }


def _same(path: Path, config: RunConfig, sets: Sets) -> None:
    """Refuse a folder in which something else was optimised, naming the differences; begin it where it is new."""
    now, file = _settings(config, sets), path / FILE
    if not file.exists():
        path.mkdir(parents=True, exist_ok=True)
        write_whole(file, (json.dumps({"schema": SCHEMA, "settings": now}, indent=2) + "\n").encode())
        return
    try:
        before = json.loads(file.read_bytes())["settings"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRun(f"{file} can't be read ({error}); choose another --out") from error
    changed = [f"{key}: {before.get(key)!r} became {now[key]!r}" for key in now if before.get(key) != now[key]]
    if changed:
        raise BadRun(f"{path} was begun with other settings ({'; '.join(changed)}); choose another --out")


def _write(found: Optimized, config: RunConfig, sets: Sets) -> None:
    record = {**optimized_json(found), "settings": _settings(config, sets)}
    write_whole(found.path / FILE, (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode())
    told = json.dumps(dict(found.best.prompts), indent=2, ensure_ascii=False)
    write_whole(found.path / PROMPTS, (told + "\n").encode())


def optimized_json(found: Optimized) -> dict[str, Any]:
    """The outcome in a stable schema."""
    return {
        "schema": SCHEMA,
        "system": found.system,
        "changed": found.changed,
        "best": found.best.name,
        "trials": [
            {"name": trial.name, "score": round(trial.score, 6), "prompts": dict(trial.prompts)}
            for trial in found.trials
        ],
        "rows": [_row(each) for each in (*found.tasks, found.whole)],
        "train": list(found.train),
        "test": list(found.test),
        "optimizer": {
            "calls": found.usage.calls,
            "input_tokens": found.usage.input_tokens,
            "output_tokens": found.usage.output_tokens,
            "dollars": found.usage.dollars,
        },
    }


def _row(each: Compared) -> dict[str, Any]:
    row: dict[str, Any] = {"task": each.task}
    for moment, held in (("before", each.before), ("after", each.after)):
        success = None if held.success is None else round(held.success, 6)
        bounds = {"low": round(held.interval.low, 6), "high": round(held.interval.high, 6)}
        row[moment] = {"n": held.n, "success": success, **bounds, "uncertain": held.uncertain, "errors": held.errors}
    if each.difference is not None:
        low, high = each.difference.interval
        row["difference"] = {"value": round(each.difference.value, 6), "low": round(low, 6), "high": round(high, 6)}
    return {**row, "p": round(each.p, 6)}
