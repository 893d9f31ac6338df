"""Tune the prompts of a memory system on some episodes, and score them on others.

A system exposes its prompts as `prompts`, a mapping from names to texts or a function that returns one. It takes new
ones with `set_prompts(mapping)` or, without that, by assignment to `prompts`. A `Search` looks for better prompts;
memtriage comes with two of DSPy's (`memtriage.studies.optimize_dspy`).

>>> found = optimize("facts", suite="meme", internal="openai/gpt-4.1-mini", search=search)  # doctest: +SKIP
>>> found.before.success, found.after.success  # doctest: +SKIP
"""

from __future__ import annotations

import inspect
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, Protocol

from memtriage import registry
from memtriage.config import RunConfig
from memtriage.core.amount import K
from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.trace import Usage
from memtriage.core.verdict import ProbeVerdict
from memtriage.host.environment import passing
from memtriage.host.files import read_inside, write_inside
from memtriage.host.sealed import open_document, seal_document
from memtriage.metrics.statistics import Difference, Interval
from memtriage.pipeline.bill import spent
from memtriage.pipeline.models import check_models
from memtriage.pipeline.run import Run, resume
from memtriage.pipeline.trust import Named
from memtriage.record.manifest import claim
from memtriage.record.writer import create
from memtriage.registry import SystemSpec
from memtriage.runner import plan as planning
from memtriage.runner.watcher import Watcher
from memtriage.systems.designs.prompts import digest
from memtriage.tables.pairs import Pairs
from memtriage.tables.table import Tally, cluster_of, first_why

FILE = "optimize.json"
PROMPTS = "prompts.json"
SCHEMA = "memtriage.optimized/2"

Prompts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rollout:
    """What a system made of one episode with some prompts: its score, and the way it took there.

    `told` are the turns that tell facts, `kept` what it held in the end, `asked` the questions, `brought` what came
    back for each, and `findings` what became of each.
    """

    score: float
    told: str
    kept: str
    asked: str
    brought: str
    findings: str


class Evaluate(Protocol):
    """Runs the system with some prompts on training episodes."""

    def __call__(self, prompts: Prompts) -> Mapping[str, float]:
        """Each training episode's score, from 0 to 1. The prompts become a trial, and may be kept in the end."""

    def episode(self, prompts: Prompts, episode: str, repeat: int = 0) -> Rollout:
        """One episode alone; with another `repeat`, a system that takes one asks its model anew."""


class Search(Protocol):
    """Looks for better prompts: proposes some, has them evaluated, and proposes others based on the scores."""

    def __call__(self, start: Prompts, episodes: Sequence[str], evaluate: Evaluate) -> Usage:
        """Try any number of prompts, and return what its own models used. The prompts that score best are kept."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Prompts that were tried: their short name, their texts, and their score on the training episodes."""

    name: str
    prompts: Prompts
    score: float


@dataclass(frozen=True, slots=True)
class HeldOutScore:
    """A system's score on held-out episodes; what is `uncertain` and `errors` widen the interval of `success`."""

    n: int
    success: float | None
    interval: Interval
    uncertain: int
    errors: int


@dataclass(frozen=True, slots=True)
class ComparedTask:
    """One task (or all of them) on the held-out episodes, before and after tuning."""

    task: str
    before: HeldOutScore
    after: HeldOutScore
    difference: Difference | None
    p: float


@dataclass(frozen=True, slots=True)
class Optimized:
    """The prompts that did best in training, and their scores on held-out episodes."""

    path: Path
    system: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    trials: tuple[Trial, ...]
    best: Trial
    tasks: tuple[ComparedTask, ...]
    whole: ComparedTask
    usage: Usage
    stopped: str | None = None

    @property
    def before(self) -> HeldOutScore:
        return self.whole.before

    @property
    def after(self) -> HeldOutScore:
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
    k: K | Iterable[K] = (10,),
    train: int = 10,
    test: int = 10,
    out: str | Path | None = None,
    watcher: Watcher | None = None,
    **settings: Any,
) -> Optimized:
    """Tune a system's prompts on `train` episodes, and score them before and after on `test` others.

    All other settings are those of `memtriage.run`.

    Where a suite has one episode per task, the held-out ones are made with the next seed. The search maximises the
    share of probes that passed every stage; uncertain probes and errors count as failed there.
    """
    config = RunConfig.of(system, suite=suite, k=k, command="memtriage.optimize(…)", **settings)
    (spec,) = config.systems
    planning.refuse_unused_models(config.models, [spec])
    check_models(config.grading, config.limits, config.models["internal"])
    planning.refuse_unready_systems([spec], config.models)
    with passing(config.limits.pass_env):
        start = system_prompts(registry.with_models(spec, config.models))
    sets = _split_episodes(config, train, test)
    path = Path(out) if out is not None else default_path(config.suites, spec.label)
    with claim(path):
        _check_folder(path, config, sets)
        return _search(path, config, sets, start, search, watcher or Watcher())


def _search(path: Path, config: RunConfig, sets: Split, start: Prompts, search: Search, watcher: Watcher) -> Optimized:
    trials = _Trials(path, config, sets, watcher)
    trials(start)
    usage = search(start, [episode.id for episode in sets.train.episodes], trials)
    if trials.problem is not None:
        raise trials.problem
    best = max(trials.done.values(), key=lambda trial: trial.score)  # the first of equals: no change without a gain
    result = _compare(trials, config.systems[0], sets, best, usage)
    _write(result, config, sets)
    return result


def system_prompts(spec: SystemSpec) -> dict[str, str]:
    """The prompts that a system exposes; refused if it has none."""
    built = spec.build()
    try:
        result = getattr(built.system, "prompts", None)
        result = result() if callable(result) else result
    finally:
        built.close()
    if not isinstance(result, Mapping) or not result or not all(isinstance(text, str) for text in result.values()):
        raise BadInput(
            f"system {spec.label!r} exposes no prompts; give it `prompts`, a mapping from names to texts, "
            "and `set_prompts(mapping)` to take other ones"
        )
    return {str(name): text for name, text in result.items()}


class PromptedFactory:
    """A factory that builds a system with other prompts, and otherwise behaves like the system's own factory.

    A system that takes a `repeat` gets this one, if it is not 0: so its model is asked anew.
    """

    def __init__(self, factory: Callable[..., object], prompts: Prompts, repeat: int = 0) -> None:
        self._factory, self._prompts = factory, dict(prompts)
        self._repeat = {"repeat": repeat} if repeat and "repeat" in inspect.signature(factory).parameters else {}
        self.__module__ = getattr(factory, "__module__", "")
        self.__qualname__ = getattr(factory, "__qualname__", "?")
        self.__signature__ = inspect.signature(factory)

    def __call__(self, **arguments: object) -> object:
        system = self._factory(**{**arguments, **self._repeat})
        if callable(take := getattr(system, "set_prompts", None)):
            take(dict(self._prompts))
        else:
            system.prompts = dict(self._prompts)  # type: ignore[attr-defined]
        return system

    def record(self) -> dict[str, Any]:
        """The manifest's description of the system's own factory: other prompts don't make it another system."""
        result = planning.describe(SystemSpec("", self._factory))
        return {key: value for key, value in result.items() if key != "label"}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._factory, name)


def default_path(suites: Sequence[str], system: str) -> Path:
    """The default folder of an optimisation."""
    return Path("runs") / re.sub(r"[^a-z0-9]+", "-", "-".join(["optimize", *suites, system]).lower()).strip("-")


# ------------------------------------------------------------------ the episodes


@dataclass(frozen=True, slots=True)
class EpisodeSet:
    """Episodes to run on, and the manifest of such a run."""

    manifest: Mapping[str, Any] = field(repr=False)
    episodes: tuple[Episode, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Split:
    """Episodes to tune on, and others to score on."""

    train: EpisodeSet
    test: EpisodeSet


def split(
    episodes: Sequence[Episode], train: int, test: int, seed: int
) -> tuple[tuple[Episode, ...], tuple[Episode, ...]]:
    """Pick episodes to train on and others to test on, both with the tasks in even shares."""
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
    mixed: list[Episode] = []
    decks = [rng.sample(stratum, len(stratum)) for stratum in strata.values()]
    while any(decks):
        mixed += [deck.pop() for deck in decks if deck]
    return tuple(mixed[:train]), tuple(mixed[train : train + test])


def _split_episodes(config: RunConfig, train: int, test: int) -> Split:
    request = config.request
    own = next(filter(None, map(registry.suite_file, config.suites)), None)
    generated = request.data is None and own is None
    wanted = replace(request, rows=train + test) if request.rows is None and generated else request
    manifest, laid_out = planning.plan_run(replace(config, request=wanted))
    episodes = tuple(laid_out)
    if len({episode.task for episode in episodes}) < len(episodes):
        chosen, held_out = split(episodes, train, test, request.seed)
        return Split(EpisodeSet(manifest, chosen), EpisodeSet(manifest, held_out))
    if request.data is not None:
        raise BadInput(
            f"{request.data} holds one episode of each task, which can't be split; "
            "leave --data out, so that the held-out episodes are generated with another seed"
        )
    if own is not None:
        raise BadInput(f"{own} holds one store, which can't be split; give what is held out a store of its own")
    other = replace(config, request=replace(wanted, seed=request.seed + 1))
    manifest_held, other_episodes = planning.plan_run(other)
    return Split(EpisodeSet(manifest, episodes), EpisodeSet(manifest_held, tuple(other_episodes)))


# ------------------------------------------------------------------ runs


class _Trials:
    """Runs the system with different prompts, each once, and keeps the results."""

    def __init__(self, path: Path, config: RunConfig, sets: Split, watcher: Watcher) -> None:
        self.done: dict[str, Trial] = {}
        self.problem: BaseException | None = None
        self.stopped: str | None = None
        self.path, self._split_episodes, self._watcher = path, sets, watcher
        (self._spec,) = config.systems
        self._named = Named.of(config)
        self._limits = config.limits
        self._scores: dict[str, dict[str, float]] = {}
        self._rollouts: dict[tuple[str, str, int], Rollout] = {}
        self._lock = threading.Lock()  # a search may ask from several threads

    def __call__(self, prompts: Prompts) -> Mapping[str, float]:
        """The score of each training episode. After a fatal error, nothing more is run."""
        with self._lock:
            return self._train(prompts, digest(prompts))

    def episode(self, prompts: Prompts, episode: str, repeat: int = 0) -> Rollout:
        """What the system made of one training episode, in a run of its own."""
        number, one = next(found for found in enumerate(self._split_episodes.train.episodes) if found[1].id == episode)
        key = (digest(prompts), episode, repeat)
        with self._lock:
            if key not in self._rollouts:
                if self.problem is not None or self.stopped is not None:
                    return Rollout(0.0, "", "", "", "", "")
                alone = EpisodeSet(self._split_episodes.train.manifest, (one,))
                try:
                    run = self.run(f"episode{number}" + f"-again{repeat}" * bool(repeat), alone, prompts, repeat)
                except BaseException as error:  # kept, as a search may swallow it
                    self.problem = error
                    raise
                self._rollouts[key] = _rollout(one, run, self._episode_scores(run)[episode])
            return self._rollouts[key]

    def _train(self, prompts: Prompts, name: str) -> Mapping[str, float]:
        if name not in self._scores:
            if self.problem is not None or self.stopped is not None:
                return dict.fromkeys((episode.id for episode in self._split_episodes.train.episodes), 0.0)
            try:
                self._scores[name] = self._episode_scores(self.run("train", self._split_episodes.train, prompts))
            except BaseException as error:  # kept, as a search may swallow it
                self.problem = error
                raise
            self.done[name] = Trial(name, dict(prompts), _mean(self._scores[name].values()))
        return self._scores[name]

    def run(self, purpose: str, chosen: EpisodeSet, prompts: Prompts, repeat: int = 0) -> Run:
        """A run on these episodes with these prompts; an existing one is continued."""
        path = self.path / f"{purpose}-{digest(prompts)}"
        spec = replace(self._spec, factory=PromptedFactory(self._spec.factory, prompts, repeat))
        if not (path / "run.json").exists():
            create(path, chosen.manifest, chosen.episodes)
        others = sum(spent(each) for each in self.path.iterdir() if each != path and (each / "run.json").exists())
        limits = self._limits.after_spending(Decimal(others))
        run = resume(path, replace(self._named, systems=(spec,)), limits=limits, watcher=self._watcher)
        self.stopped = self.stopped or run.stopped
        if run.stopped and run.unfinished:
            why = run.stopped.removeprefix("stopped ")
            raise BadRun(f"stopped: {why}; what was done is kept, and the same command goes on")
        return run

    def _episode_scores(self, run: Run) -> dict[str, float]:
        """The share of correct probes in each episode; uncertain probes and errors count as failed."""
        counts = {entry["id"]: [0, 0] for entry in run.manifest["episodes"]}
        for verdict in run.verdicts():
            if verdict.verdict != "n/a":
                counts[verdict.episode][0] += verdict.verdict == "correct"
                counts[verdict.episode][1] += 1
        return {episode: right / n if n else 0.0 for episode, (right, n) in counts.items()}


_LONGEST = 8_000
"""How many characters of each part of a rollout are shown to a model that proposes prompts."""


def _rollout(episode: Episode, run: Run, score: float) -> Rollout:
    """What is recorded of one episode, in texts that a model can read."""
    telling = {turn for fact in episode.facts for turn in fact.turns}
    told = (f"{turn.role}: {turn.text}" for session in episode.sessions for turn in session.turns if turn.id in telling)
    with run.reader as reader:
        held = [key for unit in reader.units for key in reader.history(unit).held_at(None)]
        kept = reader.texts(dict.fromkeys(held)).values()
        verdicts = list(run.verdicts())
        texts = reader.texts({memory.key for verdict in verdicts for memory in verdict.retrieved})
        brought = [
            f"{verdict.question}\n" + "\n".join(f"- {texts[memory.key]}" for memory in verdict.retrieved)
            for verdict in verdicts
        ]
    findings = [f"{v.question} (gold answer: {v.gold}): {v.verdict}. {first_why(v)}".rstrip() for v in verdicts]
    parts = (told, kept, (verdict.question for verdict in verdicts), brought, findings)
    return Rollout(score, *("\n".join(part)[:_LONGEST] for part in parts))


def _compare(tried: _Trials, spec: SystemSpec, sets: Split, best: Trial, usage: Usage) -> Optimized:
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
        tasks=tuple(compare_task(task, _of_task(task, old), _of_task(task, new)) for task in tasks),
        whole=compare_task("all", old, new),
        usage=usage,
        stopped=tried.stopped,
    )


def compare_task(task: str, before: Sequence[ProbeVerdict], after: Sequence[ProbeVerdict]) -> ComparedTask:
    """Compare two runs over the same probes: both scores, and the paired difference.

    As in `memtriage compare`, an error is no success, and a pair in which a verdict is uncertain is left out.
    """
    earlier = {_question(v): v.verdict for v in before}
    pairs = Pairs()
    for v in after:
        if _question(v) in earlier:
            pairs.add(cluster_of(v), earlier[_question(v)], v.verdict)
    found = pairs.columns()
    difference = (
        None if found["difference"] is None else Difference(found["difference"], Interval(found["low"], found["high"]))
    )
    return ComparedTask(task, _score(before), _score(after), difference, found["p"])


def _score(verdicts: Iterable[ProbeVerdict]) -> HeldOutScore:
    tally = Tally()
    for verdict in verdicts:
        tally.add(verdict.verdict, cluster_of(verdict))
    counts = tally.verdicts
    return HeldOutScore(counts.total(), tally.success, tally.interval, counts["uncertain"], counts["error"])


def _of_task(task: str, verdicts: Sequence[ProbeVerdict]) -> list[ProbeVerdict]:
    return [verdict for verdict in verdicts if verdict.task == task]


def _question(verdict: ProbeVerdict) -> tuple[str, str, K, int]:
    return (verdict.episode, verdict.probe, verdict.k, verdict.repeat)


def _mean(values: Iterable[float]) -> float:
    result = list(values)
    return sum(result) / len(result) if result else 0.0


# ------------------------------------------------------------------ the disk


def _settings(config: RunConfig, sets: Split) -> dict[str, Any]:
    record = config.record()
    kept = {key: record[key] for key in ("suites", "seed", "rows", "data", "options")}
    files = {str(file): registry.suite(str(file)).version for file in map(registry.suite_file, config.suites) if file}
    return {
        "system": config.systems[0].label,
        **kept,
        **({"files": files} if files else {}),
        "k": record["ks"],
        "models": record["models"],
        "grading": record["grading"],
        "train": [episode.id for episode in sets.train.episodes],
        "test": [episode.id for episode in sets.test.episodes],
    }


def _check_folder(path: Path, config: RunConfig, sets: Split) -> None:
    """Refuse a folder with other settings, and list the differences; set up a new one."""
    now, file = _settings(config, sets), path / FILE
    if not file.exists():
        write_inside(path, FILE, seal_document({"schema": SCHEMA, "settings": now}))
        return
    try:
        before = dict(open_document(read_inside(path, FILE))["settings"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRun(f"{file} can't be read ({error}); choose another --out") from error
    changed = [f"{key}: {before.get(key)!r} became {now[key]!r}" for key in now if before.get(key) != now[key]]
    if changed:
        raise BadRun(f"{path} was begun with other settings ({'; '.join(changed)}); choose another --out")


def _write(result: Optimized, config: RunConfig, sets: Split) -> None:
    record = {**optimized_json(result), "settings": _settings(config, sets)}
    write_inside(result.path, FILE, seal_document(record))
    prompts = json.dumps(dict(result.best.prompts), indent=2, ensure_ascii=False)
    write_inside(result.path, PROMPTS, (prompts + "\n").encode())


def optimized_json(result: Optimized) -> dict[str, Any]:
    """The result in a stable schema."""
    return {
        "schema": SCHEMA,
        "system": result.system,
        "changed": result.changed,
        "best": result.best.name,
        "trials": [
            {"name": trial.name, "score": round(trial.score, 6), "prompts": dict(trial.prompts)}
            for trial in result.trials
        ],
        "rows": [_row(each) for each in (*result.tasks, result.whole)],
        "train": list(result.train),
        "test": list(result.test),
        "optimizer": {
            "calls": result.usage.calls,
            "input_tokens": result.usage.input_tokens,
            "output_tokens": result.usage.output_tokens,
            "dollars": result.usage.dollars,
        },
    }


def _row(each: ComparedTask) -> dict[str, Any]:
    row: dict[str, Any] = {"task": each.task}
    for moment, score in (("before", each.before), ("after", each.after)):
        success = None if score.success is None else round(score.success, 6)
        bounds = {"low": round(score.interval.low, 6), "high": round(score.interval.high, 6)}
        row[moment] = {"n": score.n, "success": success, **bounds, "uncertain": score.uncertain, "errors": score.errors}
    if each.difference is not None:
        low, high = each.difference.interval
        row["difference"] = {"value": round(each.difference.value, 6), "low": round(low, 6), "high": round(high, 6)}
    return {**row, "p": round(each.p, 6)}
