"""Print everything about one memory system: how it works, its options, what k counts, what it costs, where it is."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from memtriage import registry
from memtriage.core.errors import BadInput, unknown
from memtriage.core.memory import Traits
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.machine_readable import print_json
from memtriage.report.terminal.systems import NEEDS, Entry, entry_of, megabytes
from memtriage.systems.adapted import traits_of
from memtriage.systems.libraries import catalog

_PAGES = {
    **dict.fromkeys(("facts", "notes", "graph", "struct"), "native"),
    **dict.fromkeys(("mdfile", "wiki"), "files"),
    **dict.fromkeys(("dense", "hybrid"), "embedders"),
    **dict.fromkeys(("none", "echo", "bm25", "full-context", "oracle", "gold-facts"), ""),
}
"""The pages of systems that have none of their own name."""


@dataclass(frozen=True, slots=True)
class SystemDetails:
    """Everything about one system. `options` are its arguments, each with its default or a line of help."""

    entry: Entry
    title: str
    steps: dict[str, str]
    options: dict[str, str]
    k: str
    cost: str
    page: str = ""
    dates: str = ""
    departures: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """The same as JSON."""
        entry = self.entry
        return {
            "schema": "memtriage.system/1",
            **{name: getattr(entry, name) for name in ("name", "family", "needs", "state", "version", "bytes", "next")},
            **{name: getattr(self, name) for name in ("title", "steps", "options", "k", "cost", "dates")},
            **{name: getattr(self, name) for name in ("departures", "variables", "page")},
        }


def details(name: str) -> SystemDetails:
    """Everything about the system of this name: a built-in, a plug-in or a library."""
    points = registry.registered(registry.SYSTEMS)
    if name not in points and name not in catalog.names():
        raise BadInput(unknown("system", name, {*points, *catalog.names()}))
    entry = entry_of(name)
    steps = {step: text for step, text in catalog.steps(entry.architecture).items() if text}
    if name not in catalog.names():
        factory = registry.system(name).factory
        options = _arguments(factory)
        page = (
            f"docs/systems/{_PAGES.get(name, name)}.md" if entry.state == "built in" and _PAGES.get(name, name) else ""
        )
        cost = _cost(name, "internal" in options, "")
        return SystemDetails(entry, entry.summary, steps, options, _k(traits_of(factory)), cost, page)
    library = catalog.library(name)
    return SystemDetails(
        entry,
        library.title,
        steps,
        dict(library.options),
        library.served.get("k", ""),
        _cost(name, "internal" in library.needs, "a server" if "address" in library.needs else ""),
        f"docs/systems/{name}.md",
        library.served.get("dates", ""),
        library.departures,
        dict(library.variables),
    )


def show_details(found: SystemDetails, as_json: bool, console: Console) -> None:
    """Print it, folded to the width of the terminal."""
    if as_json:
        print_json(found.record(), indent=1)
        return
    entry = found.entry
    console.print(terminal.plain(entry.name, "bold") + terminal.plain(f"  {found.title}"))
    rows = {
        "family": entry.family,
        **found.steps,
        "k counts": found.k,
        "dates": found.dates,
        "needs": ", ".join(NEEDS.get(need, need) for need in entry.needs),
        "cost": found.cost,
        "here": _here(entry),
        "page": found.page,
    }
    _print_pairs(rows, console)
    for heading, listed in (("options", found.options), ("variables of the environment", found.variables)):
        if listed:
            console.print(f"\n{heading}")
            _print_pairs({f"  {name}": text or "–" for name, text in listed.items()}, console)
    if found.departures:
        console.print("\nnot as its users do")
        for line in found.departures:
            _print_pairs({"  ·": line}, console)


def _print_pairs(rows: dict[str, str], console: Console) -> None:
    grid = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in rows.items():
        if text:
            grid.add_row(terminal.plain(name), terminal.plain(text))
    console.print(grid)


def _arguments(factory: Any) -> dict[str, str]:
    try:
        parameters = inspect.signature(factory).parameters.values()
    except ValueError:
        return {}
    given = (each for each in parameters if each.default is not inspect.Parameter.empty)
    return {each.name: "" if each.default in (None, "") else f"{each.default} by default" for each in given}


def _k(traits: Traits) -> str:
    """What k counts for a system that runs in this process."""
    if traits.ignores_k:
        return "nothing: it returns as many memories as it likes, and all of them count"
    counted = "memories" if traits.lanes == 1 else f"memories in each of {traits.lanes} lists"
    native = (
        f"; native: {traits.native_k}" if traits.native_k else "; native: its own amount" if traits.takes_native else ""
    )
    return counted + native


def _cost(name: str, asks: bool, server: str) -> str:
    if server:
        return f"whatever {server} of its own asks its models; memtriage doesn't see those calls"
    if not asks:
        return "no model is asked"
    return f"calls of the model in --internal; how many: memtriage run --system {name} --internal MODEL --dry-run"


def _here(entry: Entry) -> str:
    if entry.state == "installed":
        return f"installed, {entry.version}, {megabytes(entry.bytes)}"
    state = "not installed" if entry.state == "absent" else entry.state
    return f"{state}; {entry.next}" if entry.next else state
