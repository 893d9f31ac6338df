"""Plan a run: check its systems before anything is stored, and write its manifest."""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memtriage import registry
from memtriage.config import RunConfig, recorded_model
from memtriage.core.amount import NATIVE
from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.reading import reading_of
from memtriage.host.version import commit, installed_version
from memtriage.models.keys import scrub
from memtriage.record.manifest import store_names
from memtriage.registry import SystemSpec
from memtriage.runner.amounts import has_native
from memtriage.runner.replies import Replier
from memtriage.runner.store_runner import Build, Settings
from memtriage.systems.adapted import traits_of
from memtriage.text.tokens import TOKENIZER
from memtriage.text.words import well_formed

_NEW_CODE = "its code was changed after the run began, so its stores may come from different code"

_PACKAGES = ("bm25s", "PyStemmer", "wordllama", "numpy", "splintr-rs")


def plan_run(config: RunConfig, reply: Replier | None = None) -> tuple[dict[str, Any], Iterator[Episode]]:
    """The manifest of a run, and an iterator over its episodes.

    Systems are checked now; bad data is only found while iterating. `reply` adds the replies that a suite wants to be
    stored."""
    _refuse_double_files(config.suites)
    systems = [_check_system(spec, config) for spec in config.systems]
    if NATIVE in config.ks:
        _refuse_without_native(config, [each["label"] for each in systems if "native" not in each])
    data: dict[str, Any] = {}
    return _manifest(config, data, systems), _episodes(config, data, reply)


def _refuse_double_files(names: Sequence[str]) -> None:
    """Refuse two suite files with one name, and a file that is named as a whole and in part."""
    files: dict[str, Path] = {}
    for name in names:
        if (file := registry.suite_file(name)) is None:
            continue
        suite = registry.tasks(name)[0]
        if (other := files.setdefault(suite.name, file)) != file:
            raise BadInput(f"{other} and {file} are both called {suite.name!r}; change the name in one of them")
        if str(file) in names and any(each.startswith(f"{file}/") for each in names):
            raise BadInput(f"{file} is named as a whole and in part, and would be asked twice; keep one of them")


def _episodes(config: RunConfig, data: dict[str, Any], reply: Replier | None) -> Iterator[Episode]:
    """The episodes of every task; each task's provenance is put into `data`."""
    probes = 0
    for name in config.suites:
        for task in registry.tasks(name)[1]:
            if task.name in data:  # named twice, as in memfail and memfail/long-hop
                continue
            loaded = task.load(config.request)
            data[task.name] = loaded.provenance
            if loaded.replies and reply is None:
                raise BadInput(f"{task.name}: replies are stored, but there is no model for them; name one: --answer")
            for episode in loaded.episodes:
                probes += len(episode.probes)
                yield reply(episode, loaded.replies) if loaded.replies and reply else episode
    if not probes:
        raise BadInput(f"suite {', '.join(config.suites)} has no probes to ask; are there rows in the data?")


def _check_system(spec: SystemSpec, config: RunConfig) -> dict[str, Any]:
    """Build a system once, to find problems now and not after an hour.

    Returns its description for the manifest, with the reading that it asks for, if any.
    """
    built = registry.with_models(spec, {**config.models, "answer_model": recorded_model(config.grading.answer)}).build()
    try:
        if config.own_answers and "answer" not in built.capabilities:
            raise BadInput(f"system {spec.label!r} has no answer(); name a model with --answer, or leave it out")
        if config.own_answers and built.looks_for_itself and not all(isinstance(k, int) for k in config.ks):
            raise BadInput(
                f"system {spec.label!r} answers from what it finds by itself, however much that is; "
                "name numbers with --k, without native or --context-tokens"
            )
        reading_of(built.traits.reading, f"system {spec.label!r}")
        asked = NATIVE in config.ks and has_native(built.traits)
        native = {"native": built.traits.native_k or "its own"} if asked else {}
        return describe(spec) | ({"reading": built.traits.reading} if built.traits.reading else {}) | native
    finally:
        built.close()


def _refuse_without_native(config: RunConfig, without: Sequence[str]) -> None:
    """Refuse k = native if a system has no amount of its own, and nothing else is asked of it."""
    if without and (config.ks == (NATIVE,) or len(without) == len(config.systems)):
        raise BadInput(
            f"system {without[0]!r} has no amount of its own, so that it can't be asked at k = native; "
            "name a number, as in --k 5, or numbers beside it for systems that have one: --k 5,native"
        )


def _manifest(config: RunConfig, data: dict[str, Any], systems: list[dict[str, Any]]) -> dict[str, Any]:
    record = config.record()
    grading, models = record.pop("grading"), record.pop("models")
    return {
        "memtriage": version("memtriage"),
        "commit": commit(),
        "python": platform.python_version(),
        "packages": {name: installed_version(name) for name in _PACKAGES},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": well_formed(scrub(config.command)),
        **record,
        "tokenizer": TOKENIZER,
        "systems": systems,
        "dates": {task.name: suite.dated for suite, tasks in map(registry.tasks, config.suites) for task in tasks},
        "tasks": data,
        "grading": grading,
        "models": models,
        **({"pass_env": list(config.limits.pass_env)} if config.limits.pass_env else {}),
    }


def describe(spec: SystemSpec) -> dict[str, Any]:
    """A system as the manifest describes it.

    One that is not ours comes with the hash of the file that its class is in, and of the file that its name leads to,
    if that is another one.
    """
    target = spec.factory
    module = getattr(target, "__module__", "") or ""
    record: dict[str, Any] = {"label": spec.label, "class": f"{module}.{getattr(target, '__qualname__', '?')}"}
    if family := traits_of(target).family:
        record["family"] = family
    if callable(more := getattr(target, "record", None)):
        record |= more()
    if not module.startswith("memtriage."):
        with suppress(TypeError, OSError):  # an instance, or a class in a notebook, has no file to hash
            source = inspect.getsourcefile(target)
            if source:
                record["source_sha256"] = _sha256(Path(source))
    if (file := registry.source_file(spec.label)) and (named := _sha256(file)) != record.get("source_sha256"):
        record["file_sha256"] = named
    return record


def code_changed(recorded: Mapping[str, Any]) -> bool:
    """Whether the file that a recorded system's name leads to is no longer what it was; nothing is imported."""
    before = recorded.get("file_sha256") or recorded.get("source_sha256")
    file = registry.source_file(recorded["label"])
    return file is not None and _sha256(file) != before


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def resume_plan(
    manifest: Mapping[str, Any], objects: Mapping[str, SystemSpec], *, new_code: bool = False
) -> tuple[dict[str, Build], Settings]:
    """The systems and settings of a recorded run; refused if they are no longer the same.

    With `new_code`, those of `objects` that are named by a file may have another content than before, which the run
    will say.
    """
    builds: dict[str, Build] = {}
    # no other argument of a system comes from here, whatever the manifest has
    models = {name: model for name, model in (manifest.get("models") or {}).items() if name in ("internal", "embedder")}
    models["answer_model"] = str((manifest.get("grading") or {}).get("answer") or "")
    for recorded in manifest["systems"]:
        spec = registry.with_models(objects.get(recorded["label"]) or _find(recorded), models)
        # what these say doesn't change what a system does
        now = describe(spec) | {key: recorded.get(key) for key in ("reading", "family", "native")}
        changed = [key for key in sorted({*now, *recorded}) if not _same_part(key, now.get(key), recorded.get(key))]
        by_file = {*changed} <= {"source_sha256", "file_sha256"} and registry.source_file(spec.label) is not None
        if changed and not (by_file and new_code and spec.label in objects):
            again = (
                f", or name it again (--system {spec.label}) to go on with its new code" if by_file and new_code else ""
            )
            raise BadRun(f"system {spec.label!r} changed since the run began ({', '.join(changed)}); run again{again}")
        for number, name in enumerate(store_names(manifest)[spec.label]):
            of_repeat = registry.with_models(spec, {"repeat": str(number) if number else ""})
            builds[name] = Build(of_repeat, _NEW_CODE if changed else "")
    return builds, Settings(tuple(manifest["ks"]), manifest["answers"], manifest["looks"])


def _same_part(key: str, now: object, before: object) -> bool:
    """Whether a recorded property of a system is unchanged; memtriage's own classes may move between modules."""
    own = key == "class" and all(isinstance(name, str) and name.startswith("memtriage.") for name in (now, before))
    return own or now == before


def refuse_unused_models(models: Mapping[str, str], systems: Iterable[SystemSpec]) -> None:
    """Refuse an internal or embedding model that none of the systems would use."""
    given = {name: model for name, model in models.items() if model}
    accepted = {name for spec in systems for name in registry.with_models(spec, given).arguments}
    unused = next((name for name in given if name not in accepted), None)
    if unused is not None:
        option = "--internal" if unused == "internal" else "--embed"
        raise BadInput(f"{option} {given[unused]}: none of the systems takes a model of that kind")


def refuse_unready_systems(systems: Iterable[SystemSpec], models: Mapping[str, str]) -> None:
    """Refuse systems that report that they can't start, such as a library that is not installed."""
    for spec in systems:
        if callable(refuse := getattr(spec.factory, "refuse", None)):
            refuse(registry.with_models(spec, models).arguments)


def _find(recorded: Mapping[str, Any]) -> SystemSpec:
    try:
        return registry.system(recorded["label"])
    except BadInput as error:
        raise BadRun(
            f"system {recorded['label']!r} of the run can't be found again ({error}); "
            "a run of an object made in Python resumes with memtriage.resume(path, system)"
        ) from error


def refuse_other_version(manifest: Mapping[str, Any]) -> None:
    """Refuse to continue a run that another version of memtriage began."""
    if manifest["memtriage"] != version("memtriage"):
        raise BadRun(
            f"the run was made by memtriage {manifest['memtriage']}, this is {version('memtriage')}; "
            "resume it with that version, or run again"
        )


def refuse_changed_manifest(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> None:
    """Refuse a manifest that was edited after the run began, and say what differs."""
    if before is None or before == now:
        return
    keys = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
    parts = [f"{key}: {_short(before.get(key))} became {_short(now.get(key))}" for key in keys]
    raise BadRun(f"run.json was changed after the run began ({'; '.join(parts)}); put it back, or run again")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
