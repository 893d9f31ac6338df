"""What is wrong with an installed library, and how to fix it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memtriage.core.errors import BadSystem, MemtriageError, StoreLost
from memtriage.systems.libraries import environments
from memtriage.systems.libraries.catalog import Library

_NEEDS = {
    "internal": "a model that writes memories: --internal openai/gpt-4.1-mini",
    "embed": "an embedding model: --embed openai/text-embedding-3-small, or the bundled wordllama where none is given",
    "address": "a running server: give its address",
    "source": "a source checkout: give its folder",
}

_PATIENCE = 300.0
"""Seconds an adapter may take to import its library."""

_SHOWN = 5
"""How many packages with a wrong version are listed one by one."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check: its state, what was found, and what to do if it failed."""

    outcome: Literal["ok", "warning", "problem"]
    what: str
    seen: str
    mend: str = ""


def examine(library: Library) -> list[CheckResult]:
    """Look at everything that can be off, cheapest first; what can't work without the one before is left out."""
    found = list(_environment(library))
    if not any(finding.outcome == "problem" for finding in found):
        found += _adapter(library)
    if library.unavailable and library.installable:
        found.append(CheckResult("warning", "library", library.unavailable))
    return [*found, *_needs(library), *_variables(library)]


def _environment(library: Library) -> Iterator[CheckResult]:
    now = environments.status(library)
    reinstall = environments.command("install", library)
    match now.state:
        case "unavailable":
            yield CheckResult("problem", "install", f"{library.name} can't be installed by name", now.why)
            return
        case "absent" | "incomplete" | "outdated":
            yield CheckResult("problem", "install", now.why, reinstall)
            return
    record = now.installed
    assert record is not None
    yield CheckResult("ok", "install", f"complete, of {record.date}; took {record.seconds:.0f} s")
    try:
        running, packages = environments.versions(library)
    except MemtriageError as error:
        yield CheckResult("problem", "Python", str(error), f"{reinstall} --force")
        return
    yield CheckResult("ok", "Python", running)
    yield from (CheckResult("warning", "data", each) for each in record.missing)
    differences = environments.differing(library, packages)
    for line in differences[:_SHOWN]:
        yield CheckResult("problem", "packages", line, f"{reinstall} --force")
    if len(differences) > _SHOWN:
        yield CheckResult("problem", "packages", f"and {len(differences) - _SHOWN} more", f"{reinstall} --force")
    if not differences:
        pinned = len(environments.pins(library))
        itself = f"{library.package} {library.version}, " if library.package else ""
        yield CheckResult("ok", "packages", f"{itself}all {pinned} as pinned")
    yield CheckResult("ok", "disk", f"{environments.size(library) / 1e6:,.0f} MB in {environments.folder(library)}")


def _adapter(library: Library) -> Iterator[CheckResult]:
    """Start the adapter and let it say hello, with models that are named and never asked."""
    from memtriage.systems.remote.connection import Connection
    from memtriage.systems.remote.process import PROTOCOL

    reinstall = f"{environments.command('install', library)} --force"
    line = Connection(environments.adapter_command(library), library.process_environment, None, library.name)
    try:
        home = str(line.home / "stores")
        hello = line.ask("hello", _PATIENCE, dict, protocol=PROTOCOL, options={}, models=_models(library), home=home)
    except StoreLost as error:
        yield CheckResult("problem", "adapter", str(error), reinstall)
        return
    except BadSystem as error:
        raised = str(error).startswith(f"{library.name}: hello raised")
        yield (
            CheckResult("problem", "adapter", str(error), reinstall)
            if raised
            else CheckResult("warning", "adapter", str(error))
        )
        return
    finally:
        line.end()
    yield CheckResult("ok", "adapter", f"answers as {hello.get('name')} {hello.get('version') or ''}".strip())
    for notice in hello.get("notices") or ():
        yield CheckResult("warning", "notice", str(notice))


def _models(library: Library) -> dict[str, object]:
    nobody = {"base_url": "http://127.0.0.1:9/v1", "api_key": "none", "model": "none"}
    return {
        "internal": nobody if "internal" in library.needs else None,
        "embed": {**nobody, "dimensions": 256} if "embed" in library.needs else None,
    }


def _needs(library: Library) -> Iterator[CheckResult]:
    for need in library.needs:
        yield CheckResult("ok", "needs", _NEEDS[need])


def _variables(library: Library) -> Iterator[CheckResult]:
    for name, purpose in library.variables.items():
        if os.environ.get(name, "").strip():
            yield CheckResult("ok", "variable", f"{name} is set")
        else:
            yield CheckResult("warning", "variable", f"{name} is not set: {purpose}", f"export {name}=…")
