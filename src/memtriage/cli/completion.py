"""What a shell proposes for an unfinished word: systems, suites, views, runs. Quick, and without a network."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

Proposal = str | tuple[str, str]
"""A word, or a word and what it stands for."""


def systems(incomplete: str) -> list[str]:
    """Built-ins, plug-ins and libraries, by name; entry points are not loaded."""
    return _matching(incomplete, {*_registered("memtriage.systems"), *_libraries()})


def suites(incomplete: str) -> list[str]:
    """Suites by name, and the tasks of one behind its slash."""
    name, slash, _ = incomplete.partition("/")
    if not slash:
        return _matching(incomplete, [*_registered("memtriage.suites"), *_suite_files(incomplete)])
    from memtriage import registry
    from memtriage.core.errors import MemtriageError

    try:
        return _matching(incomplete, [task.name for task in registry.suite(name).tasks])
    except MemtriageError:
        return []


def libraries(incomplete: str) -> list[str]:
    """The libraries that can be installed."""
    return _matching(incomplete, _libraries())


def installed_libraries(incomplete: str) -> list[str]:
    """The libraries that are installed here."""
    from memtriage.systems.libraries import environments

    return [name for name in libraries(incomplete) if environments.place(name).exists()]


def views(incomplete: str) -> list[Proposal]:
    """The values of `show --by`, with what each shows."""
    from memtriage.report.terminal.show import VIEWS

    return [(name, view.what) for name, view in VIEWS.items() if name.startswith(incomplete)]


def verdicts(incomplete: str) -> list[Proposal]:
    """The verdicts, with what each means."""
    from memtriage.core.verdict import KINDS

    return [(kind.verdict, kind.meaning) for kind in KINDS if kind.verdict.startswith(incomplete)]


def trace_formats(incomplete: str) -> list[str]:
    """The formats that `diagnose --from` takes."""
    from memtriage.diagnose.importers.formats import FORMATS

    return _matching(incomplete, FORMATS)


def runs(incomplete: str) -> list[str]:
    """Run directories that the word may become, newest first, and folders in which more of them may be."""
    folder = Path(incomplete if incomplete.endswith("/") else os.path.dirname(incomplete))
    places = [folder] if incomplete else [Path("runs"), Path()]
    found = [child for place in places for child in _folders(place)]
    own = [child for child in found if (child / "run.json").is_file()]
    own.sort(key=lambda path: -path.stat().st_mtime)
    above = sorted(f"{child}/" for child in found if child not in own)
    return [text for text in (*map(str, own), *above) if text.startswith(incomplete)]


def _folders(place: Path) -> Iterator[Path]:
    try:
        yield from (child for child in place.iterdir() if child.is_dir() and not child.name.startswith("."))
    except OSError:
        return


def _suite_files(incomplete: str) -> list[str]:
    kinds = (".yaml", ".yml", ".json", ".jsonl", ".toml")
    return [child.name for child in Path().iterdir() if child.suffix in kinds] if incomplete else []


def _libraries() -> list[str]:
    from memtriage.systems.libraries.catalog import names

    return names()


def _registered(group: str) -> list[str]:
    return [point.name for point in entry_points(group=group)]


def _matching(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in set(names) if name.startswith(incomplete))
