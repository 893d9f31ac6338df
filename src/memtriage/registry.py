"""Find suites and systems by name; built-ins and plug-ins use the same entry points.

A suite is named by an entry point (`memfail`, one of its tasks: `memfail/long-hop`), or by a file of one's own data
(`my.yaml`, `my.yaml/updates`).

A system is named by an entry point (`bm25`), by a file and a class (`my_memory.py:MyMemory`) or by
a module and a class (`package.module:MyMemory`), with constructor arguments after another colon:
`bm25:granularity=sentence,k1=1.2`. One that runs in another process is named by how to reach it:
`proc:COMMAND`, `mcp:SERVER`, `http://HOST`.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from memtriage.core.errors import BadInput, BadSystem, MemtriageError, unknown
from memtriage.core.memory import Traits
from memtriage.core.rubric import GENERIC, Rubric
from memtriage.core.suite import AnswerMeasure, Suite, Task
from memtriage.systems.adapted import Adapted, adapt, traits_of
from memtriage.systems.error_line import error_line

SYSTEMS = "memtriage.systems"
SUITES = "memtriage.suites"

_SUITE_FILE = re.compile(r"(?P<file>.*[^/]\.(?:ya?ml|jsonl?|toml))(?:/(?P<task>[^/]+))?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class SystemSpec:
    """A system to build. `label` is its name in every table, `text` what names it, if it is no object of Python's."""

    label: str
    factory: Callable[..., object]
    arguments: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    def build(self) -> Adapted:
        """A fresh instance."""
        try:
            return adapt(self.factory(**_convert_arguments(self.factory, self.arguments, self.label)))
        except MemtriageError:
            raise
        except TypeError as error:
            if not _arguments_misfit(self.factory, self.arguments):
                raise BadSystem(f"system {self.label!r} can't be built: {error_line(error)}") from error
            raise BadSystem(f"system {self.label!r}: {_signature_hint(self.factory, error)}") from error
        except (Exception, SystemExit) as error:
            raise BadSystem(f"system {self.label!r} can't be built: {error_line(error)}") from error


def with_models(spec: SystemSpec, models: Mapping[str, str]) -> SystemSpec:
    """The system with the run's models as arguments, where its constructor takes them and they are not set.

    A system that writes with a model takes `internal`, one that embeds takes `embedder`, one that has to know who
    will read its memories takes `answer_model`, and one whose model must be asked again when storing is repeated takes
    `repeat`.
    """
    try:
        takes = inspect.signature(spec.factory).parameters
    except (TypeError, ValueError):
        return spec
    more = {name: model for name, model in models.items() if model and name in takes and name not in spec.arguments}
    return replace(spec, arguments={**spec.arguments, **more})


def mixture(
    members: str = "",
    plan: str = "",
    c: float = 60,
    internal: str = "",
    embedder: str = "",
    answer_model: str = "",
    repeat: int = 0,
) -> object:
    """Several memories as one: their rankings fused, or the best of them for each question, by a learned plan."""
    from memtriage.systems.mixing.mixture import Mixture
    from memtriage.systems.mixing.router import Plan

    learned = Plan.read(Path(plan)) if plan else None
    specs = mixture_members(members)
    if learned and list(learned.members) != [spec.label for spec in specs]:
        raise BadInput(f"{plan} is a plan for {', '.join(learned.members)}; name the same members, or tune again")
    if c < 0:
        raise BadInput(f"system 'mixture': c must not be less than 0, not {c:g}")
    models = {"internal": internal, "embedder": embedder, "answer_model": answer_model, "repeat": str(repeat or "")}
    notes = [f"it chooses by the plan {Path(plan).name}, digest {learned.digest}"] if learned else []
    return Mixture({spec.label: with_models(spec, models).build() for spec in specs}, learned, c, notes)


mixture.traits = Traits(  # type: ignore[attr-defined]
    family="agentic",
    architecture=(
        "summarise: as its members; store: each member has its own; retrieve: reciprocal rank fusion of what all "
        "bring, or the member that a learned plan chooses"
    ),
)


def mixture_members(text: str) -> tuple[SystemSpec, ...]:
    """The members that `bm25+dense:granularity=sentence;roles=user` names: registered systems, with their arguments.

    >>> [(spec.label, spec.arguments) for spec in mixture_members("bm25+dense:granularity=sentence")]
    [('bm25', {}), ('dense:granularity=sentence', {'granularity': 'sentence'})]
    """
    specs = tuple(system(name.strip().replace(";", ",")) for name in re.split("[+,]", text) if name.strip())
    for spec in specs:
        name = _split_arguments(spec.label)[0]
        if name not in registered(SYSTEMS) or name == "mixture":
            raise BadInput(f"system 'mixture': {name!r} can't be a member; members are systems of `memtriage systems`")
    if len(specs) < 2 or len({spec.label for spec in specs}) < len(specs):
        raise BadInput("system 'mixture': name two or more different members, as in mixture:members=bm25+dense+graph")
    return specs


def registered(group: str) -> dict[str, EntryPoint]:
    """Everything registered under an entry-point group, by name."""
    return dict(_registered(group, _installed()))


@lru_cache(maxsize=16)
def _registered(group: str, _: object) -> dict[str, EntryPoint]:
    """Remembered until something is installed: a run asks dozens of times, and each answer reads a file per package."""
    return {point.name: point for point in entry_points(group=group)}


def _installed() -> tuple[object, ...]:
    """What changes as soon as a package is installed or removed: the metadata in the folders of the path."""
    return tuple((folder, _metadata(folder, _written(folder))) for folder in sys.path)


@lru_cache(maxsize=256)
def _metadata(folder: str, written: int) -> object:
    """The packages in a folder as it was last written, which a run that writes its files there doesn't change."""
    try:
        with os.scandir(folder or ".") as entries:
            found = [entry for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
            return tuple(sorted((entry.name, entry.stat().st_mtime_ns) for entry in found))
    except OSError:
        return written  # an archive, or nothing at all


def _written(folder: str) -> int:
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0


def suite(name: str) -> Suite:
    """The suite registered under this name, or in this file."""
    found = registered(SUITES)
    if (file := suite_file(name)) is not None:
        from memtriage.suites.own.suite import own_suite

        own = own_suite(file)
        if own.name in found:
            raise BadInput(f"{file}: {own.name!r} is a suite already; give the file another name in its first lines")
        return own
    if name not in found:
        raise BadInput(unknown("suite", name, found))
    loaded = _import(found[name].load, name, "suite")
    if not isinstance(loaded, Suite):
        raise BadInput(f"entry point {name!r} of {SUITES} is not a memtriage Suite")
    return loaded


def suite_file(name: str) -> Path | None:
    """The file that a suite's name stands for; None for the name of an installed suite. Reads nothing.

    >>> suite_file("chats/my.yaml"), suite_file("my.jsonl/updates"), suite_file("memfail/long-hop")
    (PosixPath('chats/my.yaml'), PosixPath('my.jsonl'), None)
    """
    named = _SUITE_FILE.fullmatch(name)
    return Path(named["file"]) if named else None


def tasks(name: str) -> tuple[Suite, tuple[Task, ...]]:
    """The suite and the tasks that `suite` or `suite/task` names; a suite may be a file."""
    named = _SUITE_FILE.fullmatch(name)
    head, task = (named["file"], named["task"]) if named else name.partition("/")[::2]
    chosen = suite(head)
    return chosen, chosen.select(task or None)


@lru_cache(maxsize=1024)
def rubric(task: str) -> Rubric:
    """The rubric of a task, by the task's full name: its suite's own, or the generic one.

    >>> rubric("memfail/coexisting").last
    'coverage'
    >>> rubric("yours/anything") is GENERIC
    True
    """
    head = task.partition("/")[0]
    return suite(head).rubrics.get(task, GENERIC) if head in registered(SUITES) else GENERIC


@lru_cache(maxsize=1024)
def answer_measures(task: str) -> Mapping[str, AnswerMeasure]:
    """The extra answer measures that a suite declares for a task, by the task's full name."""
    head = task.partition("/")[0]
    return suite(head).answer_measures.get(task, {}) if head in registered(SUITES) else {}


@lru_cache(maxsize=1024)
def unscored(task: str) -> bool:
    """Whether a task's probes are asked for the sake of others only, as its suite declares."""
    head = task.partition("/")[0]
    return head in registered(SUITES) and task in suite(head).unscored


@lru_cache(maxsize=1024)
def axes(task: str) -> tuple[str, str] | None:
    """Where a task stands on the two axes of its suite; None if the suite declares none for it."""
    head = task.partition("/")[0]
    return suite(head).axes.get(task) if head in registered(SUITES) else None


def group(task: str) -> str | None:
    """The group of tasks that a task is averaged with; None if its suite declares none for it."""
    head = task.partition("/")[0]
    return suite(head).groups.get(task) if head in registered(SUITES) else None


def system(text: str) -> SystemSpec:
    """The system that a command-line text names, with its constructor arguments.

    >>> system("bm25:granularity=sentence").arguments
    {'granularity': 'sentence'}
    """
    if not text.strip():
        raise BadInput("an empty system name; see `memtriage systems`")
    if _is_remote(text):
        from memtriage.systems.remote.prefixes import factory_for

        factory = factory_for(text)
        if factory is not None:
            return SystemSpec(label=text, factory=factory, text=text)
    target, arguments = _split_arguments(text)
    return SystemSpec(label=text, factory=_factory(target), arguments=arguments, text=text)


def names_system(label: str) -> bool:
    """Whether a label can name its system on the command line, unlike that of an object from Python. Imports nothing.

    >>> names_system("bm25:k1=2"), names_system("mine.py:Mine"), names_system("Mine")
    (True, True, False)
    """
    return _is_remote(label) or ":" in label or label in registered(SYSTEMS)


def _is_remote(text: str) -> bool:
    return re.match(r"(proc|mcp)(\[|:)|https?:", text) is not None


def built_in_arguments(text: str) -> dict[str, str] | None:
    """The arguments of a system of memtriage's own that runs in this process; None for any other. Imports nothing.

    >>> built_in_arguments("bm25:granularity=sentence"), built_in_arguments("mem0"), built_in_arguments("a.py:Mine")
    ({'granularity': 'sentence'}, None, None)
    """
    target, arguments = _split_arguments(text)
    point = registered(SYSTEMS).get(target)
    own = point is not None and re.match(r"memtriage\.systems\.(baselines|retrieval|designs)\.", point.value)
    return arguments if own else None


def source_file(text: str) -> Path | None:
    """The file with code that a system's name leads to; None for any other name, or if it is gone. Imports nothing.

    >>> source_file("nowhere.py:Mine"), source_file("bm25"), source_file("json.decoder:JSONDecoder").name
    (None, None, 'decoder.py')
    """
    where = code_of(text) or ""
    file = Path(where) if where.endswith(".py") else _module_file(where)
    return file if file and file.is_file() else None


def code_of(text: str) -> str | None:
    """The file or module with code that a system's name has in it; None for any other name. Imports nothing.

    >>> code_of("mine.py:Mine"), code_of("json.decoder:JSONDecoder:strict=false"), code_of("bm25:k1=2")
    ('mine.py', 'json.decoder', None)
    """
    try:
        return None if _is_remote(text) else _split_arguments(text)[0].rpartition(":")[0] or None
    except BadInput:  # a label that a Python caller chose
        return None


def _module_file(module: str) -> Path | None:
    """Where a module would be imported from; find_spec of importlib.util would import the packages around it."""
    parts, search = module.split("."), [str(Path.cwd()), *sys.path]
    for depth in range(1, len(parts) + 1):
        found = PathFinder.find_spec(".".join(parts[:depth]), search)
        search = list(found.submodule_search_locations or ()) if found else []
    return Path(found.origin) if found and found.origin else None


def forget_modules(names: Collection[str], folders: Iterable[Path]) -> None:
    """Have modules of these names imported anew if they came from one of the folders."""
    starts = tuple(f"{folder}/" for folder in folders)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in names and str(getattr(module, "__file__", "")).startswith(starts):
            del sys.modules[name]


def system_specs(systems: Iterable[object]) -> tuple[SystemSpec, ...]:
    """Specs for what Python callers pass; the keys of a dict are the labels of its systems."""
    specs: list[SystemSpec] = []
    for each in systems:
        labelled = each.items() if isinstance(each, Mapping) else ((None, each),)
        specs += [system_spec(system, label) for label, system in labelled]
    return tuple(specs)


def system_spec(given: object, label: str | None = None) -> SystemSpec:
    """The spec for a text, a class, a factory or an instance."""
    if isinstance(given, str):
        given = system(given)
    if isinstance(given, SystemSpec):
        return replace(given, label=label or given.label)
    if callable(given) and (inspect.isclass(given) or not hasattr(given, "store_conversation")):
        return SystemSpec(label or str(getattr(given, "__name__", "system")), given)
    return SystemSpec(label or type(given).__name__, _InstanceFactory(given))


class _InstanceFactory:
    """Turns one instance into a factory: calls its reset, or copies it as it was before its first use."""

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
    try:
        return copy.deepcopy(system)
    except Exception as error:
        name = type(system).__name__
        raise BadInput(
            f"{name} has no reset() and can't be copied ({error}); give it a reset(), or pass the class {name}"
        ) from error


def _split_arguments(text: str) -> tuple[str, dict[str, str]]:
    parts = text.split(":")
    if re.fullmatch(r"[A-Za-z]", parts[0]) and len(parts) > 1 and parts[1][:1] in "\\/":
        parts[:2] = [":".join(parts[:2])]  # a drive letter, not a separator
    takes_class = len(parts) > 1 and "=" not in parts[1] and parts[0] not in registered(SYSTEMS)
    target = ":".join(parts[:2]) if takes_class else parts[0]
    rest = ":".join(parts[2:] if takes_class else parts[1:])
    return target, _arguments(rest, text)


def _arguments(text: str, spec: str) -> dict[str, str]:
    if not text:
        return {}
    arguments: dict[str, str] = {}
    last = ""
    for part in text.split(","):
        key, equals, value = (each.strip() for each in part.partition("="))
        if equals and key.isidentifier():
            last = key
            arguments[key] = value
        elif last == "members":  # a list, as in members=bm25,dense:granularity=sentence
            arguments[last] += f",{part.strip()}"
        else:
            raise BadInput(f"system {spec!r}: {key!r} is not an argument; write name=value,name=value")
    return arguments


def _factory(target: str) -> Callable[..., object]:
    if ":" not in target:
        found = registered(SYSTEMS)
        if target not in found:
            if target.endswith(".py"):
                raise BadInput(f"system {target!r} names a file; add the class, as in {target}:MyMemory")
            raise BadInput(unknown("system", target, found))
        return _check_callable(_import(found[target].load, target), target)
    where, _, name = target.rpartition(":")
    if not where.endswith(".py") and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # as `python -m` would, so that packages in the current folder are found
    module = _import_file(where) if where.endswith(".py") else _import(lambda: importlib.import_module(where), target)
    if not hasattr(module, name):
        classes = [n for n, v in vars(module).items() if inspect.isclass(v) and v.__module__ == module.__name__]
        raise BadInput(f"{where}: {unknown('class', name, classes)}")
    return _check_callable(getattr(module, name), target)


def _check_callable(found: object, target: str) -> Callable[..., object]:
    if not callable(found):
        raise BadInput(f"system {target!r} is a {type(found).__name__}, not a class or a function that builds one")
    return found


def _import(load: Callable[[], object], target: str, kind: str = "system") -> Any:
    try:
        return load()
    except MemtriageError:
        raise
    except (Exception, SystemExit) as error:  # a script without a main guard may exit
        raise BadSystem(f"{kind} {target!r} can't be imported: {error_line(error)}") from error


def _import_file(where: str) -> ModuleType:
    path = Path(where)
    if not path.is_file():
        raise BadInput(f"system file {where!r} does not exist (looked in {Path.cwd()})")
    # two files of one name get two module names; hash the given text, so that a moved project keeps its names
    name = f"memtriage_plugin_{path.stem}_{hashlib.sha256(where.encode('utf-8', 'replace')).hexdigest()[:8]}"
    loader = SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None  # as it has a loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    # Compiled from the file itself, whose hash a run records; __pycache__ beside it may hold other code.
    _import(lambda: exec(loader.source_to_code(loader.get_data(str(path)), str(path)), vars(module)), where)
    return module


def _convert_arguments(factory: Callable[..., object], arguments: Mapping[str, str], label: str) -> dict[str, object]:
    """The arguments in the types of the constructor's annotations or defaults, such as window=5 as a number."""
    if not arguments:
        return {}
    try:
        parameters = inspect.signature(factory, eval_str=True).parameters
    except (NameError, TypeError, ValueError):  # no signature, or names only a type checker knows
        return dict(arguments)
    return {name: _convert(parameters.get(name), name, text, label) for name, text in arguments.items()}


def _convert(parameter: inspect.Parameter | None, name: str, text: str, label: str) -> object:
    if parameter is None:
        return text
    wanted = parameter.annotation if parameter.annotation is not inspect.Parameter.empty else type(parameter.default)
    if wanted is bool:
        if text.lower() not in _BOOLEANS:
            raise BadInput(f"system {label!r}: {name} must be true or false, not {text!r}")
        return _BOOLEANS[text.lower()]
    if wanted not in (int, float):
        return text
    try:
        number: object = wanted(text)
    except ValueError:
        kind = "a whole number" if wanted is int else "a number"
        raise BadInput(f"system {label!r}: {name} must be {kind}, not {text!r}") from None
    return number


_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _arguments_misfit(factory: Callable[..., object], arguments: Mapping[str, str]) -> bool:
    try:
        inspect.signature(factory).bind(**arguments)
    except TypeError:
        return True
    except ValueError:
        return False
    return False


def _signature_hint(factory: Callable[..., object], error: TypeError) -> str:
    parameters = [str(p) for p in inspect.signature(factory).parameters.values()]
    return f"{error}; its arguments are ({', '.join(parameters)})"
