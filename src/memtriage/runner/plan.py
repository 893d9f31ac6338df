"""What a run will do, checked before anything is stored, and written down so that it can be repeated."""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memtriage import registry as plugins
from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.suite import Request
from memtriage.host.version import commit, installed
from memtriage.registry import SystemSpec
from memtriage.runner.reading import reading_of
from memtriage.runner.store_life import Build, Settings
from memtriage.systems.adapted import Adapted, traits_of
from memtriage.text.tokens import TOKENIZER
from memtriage.text.words import well_formed

_RECORDED = ("bm25s", "PyStemmer", "wordllama", "numpy", "bpe-openai")


@dataclass(frozen=True, slots=True)
class Plan:
    """Suites, systems and settings of a run."""

    suites: tuple[str, ...]
    systems: tuple[SystemSpec, ...]
    request: Request
    settings: Settings
    command: str = ""
    grading: Mapping[str, Any] | None = None
    models: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.systems:
            raise BadInput("no system to test; name one with --system, or see `memtriage systems`")
        labels = [spec.label for spec in self.systems]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise BadInput(
                f"system {twice!r} is named twice; from Python, tell two of a kind apart with a dict of names"
            )


def ks(values: Iterable[int]) -> tuple[int, ...]:
    """The k of a run: whole numbers from 1 on, ascending, each once."""
    chosen = list(values)
    wrong = [k for k in chosen if not isinstance(k, int) or isinstance(k, bool)]
    if wrong:
        raise BadInput(f"k must be whole numbers, as in k=[5, 10], not {wrong[0]!r}")
    chosen = sorted(set(chosen))
    if not chosen:
        raise BadInput("no k; give at least one, as in --k 5,10")
    if chosen[0] < 1:
        raise BadInput(f"k must be at least 1, not {chosen[0]}")
    return tuple(chosen)


def lay_out(plan: Plan) -> tuple[dict[str, Any], Iterator[Episode]]:
    """The manifest of a run, and its episodes one by one. Systems are tried at once; bad data is found on the way."""
    systems = [_fits(spec, plan) for spec in plan.systems]
    data: dict[str, Any] = {}
    return _manifest(plan, data, systems), _episodes(plan, data)


def _episodes(plan: Plan, data: dict[str, Any]) -> Iterator[Episode]:
    """The episodes of every task; what is known of the tasks is put into `data`."""
    probes = 0
    for name in plan.suites:
        for task in plugins.tasks(name)[1]:
            if task.name in data:  # named twice, as in memfail and memfail/long-hop
                continue
            loaded = task.load(plan.request)
            data[task.name] = loaded.provenance
            for episode in loaded.episodes:
                probes += len(episode.probes)
                yield episode
    if not probes:
        raise BadInput(f"suite {', '.join(plan.suites)} has no probes to ask; are there rows in the data?")


def _fits(spec: SystemSpec, plan: Plan) -> dict[str, Any]:
    """Build a system once, as the run will: what doesn't fit is found now, not after an hour.

    Gives what the manifest says of it, with the way of reading that it asks for, if it does.
    """
    built = plugins.with_models(spec, plan.models).build()
    try:
        if plan.settings.answers and "answer" not in built.capabilities:
            raise BadInput(f"system {spec.label!r} has no answer(); name a model with --answer, or leave it out")
        reading = reading_of(built.traits.reading, f"system {spec.label!r}")
        return describe(spec) | ({"reading": str(reading)} if reading else {})
    finally:
        built.close()


def _manifest(plan: Plan, data: dict[str, Any], systems: list[dict[str, Any]]) -> dict[str, Any]:
    request = plan.request
    return {
        "memtriage": version("memtriage"),
        "commit": commit(),
        "python": platform.python_version(),
        "packages": {name: installed(name) for name in _RECORDED},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": well_formed(plan.command),
        "suites": list(plan.suites),
        "seed": request.seed,
        "rows": request.rows,
        "data": well_formed(str(request.data)) if request.data else None,
        "options": dict(request.options),
        "ks": list(plan.settings.ks),
        "answers": plan.settings.answers,
        "looks": plan.settings.looks,
        "tokenizer": TOKENIZER,
        "systems": systems,
        "tasks": data,
        "grading": dict(plan.grading) if plan.grading else None,
        "models": dict(plan.models),
    }


def describe(spec: SystemSpec) -> dict[str, Any]:
    """A system as the manifest names it; a stranger's source file with its hash."""
    target = spec.factory
    module = getattr(target, "__module__", "") or ""
    found: dict[str, Any] = {"label": spec.label, "class": f"{module}.{getattr(target, '__qualname__', '?')}"}
    if family := traits_of(target).family:
        found["family"] = family
    if callable(record := getattr(target, "record", None)):
        found |= record()
    if not module.startswith("memtriage."):
        with suppress(TypeError, OSError):  # an instance, or a class of a notebook: no file to hash
            source = inspect.getsourcefile(target)
            if source:
                found["source_sha256"] = hashlib.sha256(Path(source).read_bytes()).hexdigest()
    return found


def continued(manifest: Mapping[str, Any], objects: Mapping[str, SystemSpec]) -> tuple[dict[str, Build], Settings]:
    """The systems and settings of a recorded run, refused where they are no longer the same."""
    if manifest["memtriage"] != version("memtriage"):
        raise BadRun(
            f"the run was made by memtriage {manifest['memtriage']}, this is {version('memtriage')}; "
            "resume it with that version, or run again"
        )
    builds: dict[str, Build] = {}
    for recorded in manifest["systems"]:
        spec = plugins.with_models(objects.get(recorded["label"]) or _named(recorded), manifest.get("models") or {})
        now = describe(spec) | {key: recorded.get(key) for key in ("reading", "family")}  # told, not what it does
        changed = [key for key in sorted({*now, *recorded}) if now.get(key) != recorded.get(key)]
        if changed:
            raise BadRun(f"system {spec.label!r} changed since the run began ({', '.join(changed)}); run again")
        for number, name in enumerate(storings(spec.label, manifest)):
            builds[name] = plugins.with_models(spec, {"repeat": str(number) if number else ""}).build
    return builds, Settings(tuple(manifest["ks"]), manifest["answers"], manifest["looks"])


def used(models: Mapping[str, str], systems: Iterable[SystemSpec]) -> None:
    """Refuse a model for the inside of systems that none of them would use."""
    given = {name: model for name, model in models.items() if model}
    taken = {name for spec in systems for name in plugins.with_models(spec, given).arguments}
    idle = next((name for name in given if name not in taken), None)
    if idle is not None:
        option = "--internal" if idle == "internal" else "--embed"
        raise BadInput(f"{option} {given[idle]}: none of the systems takes a model of that kind")


def can_begin(systems: Iterable[SystemSpec], models: Mapping[str, str]) -> None:
    """Refuse systems that say of themselves that they can't begin: a library that is not installed, say."""
    for spec in systems:
        if callable(refuse := getattr(spec.factory, "refuse", None)):
            refuse(plugins.with_models(spec, models).arguments)


def storings(label: str, manifest: Mapping[str, Any]) -> list[str]:
    """The journal's name for every storing of a system: itself, then `bm25 #2` and so on where storing is repeated."""
    grading = manifest.get("grading")
    times = grading["repeats"]["ingest"] if grading else 1
    return [label if n == 0 else f"{label} #{n + 1}" for n in range(times)]


def _named(recorded: Mapping[str, Any]) -> SystemSpec:
    try:
        return plugins.system(recorded["label"])
    except BadInput as error:
        raise BadRun(
            f"system {recorded['label']!r} of the run can't be found again ({error}); "
            "a run of an object made in Python resumes with memtriage.resume(path, system)"
        ) from error


def same(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> None:
    """Refuse a manifest that was edited after the run began, naming what differs."""
    if before is None or before == now:
        return
    keys = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
    parts = [f"{key}: {_short(before.get(key))} became {_short(now.get(key))}" for key in keys]
    raise BadRun(f"run.json was changed after the run began ({'; '.join(parts)}); put it back, or run again")


def specs_of(systems: Iterable[object]) -> tuple[SystemSpec, ...]:
    """Specs for what Python callers pass; a dict gives its systems names of their own."""
    found: list[SystemSpec] = []
    for system in systems:
        named = system.items() if isinstance(system, Mapping) else ((None, system),)
        found += [spec_of(one, label) for label, one in named]
    return tuple(found)


def spec_of(system: object, label: str | None = None) -> SystemSpec:
    """A spec for what Python callers pass: a text, a class, a factory or an instance."""
    if isinstance(system, str):
        system = plugins.system(system)
    if isinstance(system, SystemSpec):
        return replace(system, label=label or system.label)
    if callable(system) and (inspect.isclass(system) or not hasattr(system, "store_conversation")):
        return SystemSpec(label or str(getattr(system, "__name__", "system")), system)
    return SystemSpec(label or type(system).__name__, _Again(system))


class _Again:
    """Builds fresh systems from one instance: by its reset, or from a copy taken before its first use."""

    def __init__(self, system: object) -> None:
        self._system = system
        self.__module__ = type(system).__module__
        self.__qualname__ = type(system).__qualname__
        self.traits = traits_of(system)
        self._pristine = None if hasattr(system, "reset") else _copy(system)

    def __call__(self) -> object:
        if self._pristine is not None:
            return _copy(self._pristine)
        reset = Adapted(self._system)
        reset.reset()
        reset.close()
        return self._system


def _copy(system: object) -> object:
    import copy

    try:
        return copy.deepcopy(system)
    except Exception as error:
        name = type(system).__name__
        raise BadInput(
            f"{name} has no reset() and can't be copied ({error}); give it a reset(), or pass the class {name}"
        ) from error


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
