"""Print the list of memory systems, and the findings of `systems doctor`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage import registry
from memtriage.core.errors import MemtriageError
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.machine_readable import print_json
from memtriage.systems.adapted import traits_of
from memtriage.systems.libraries import catalog, environments
from memtriage.systems.libraries.catalog import Library
from memtriage.systems.libraries.doctor import CheckResult

NEEDS = {
    "internal": "--internal",
    "embed": "--embed",
    "address": "a server",
    "source": "a checkout",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One system in the list. `state` is "built in", "plug-in", or the state of its library."""

    name: str
    summary: str
    family: str
    architecture: str
    needs: tuple[str, ...]
    arguments: str
    state: str
    version: str = ""
    bytes: int = 0
    next: str = ""
    """What to do before it can be used."""

    large: bool = False
    """Whether it takes an episode in its larger pieces."""


def entries(report: Callable[[MemtriageError], None]) -> list[Entry]:
    """All systems: built-ins, plug-ins and libraries. One that can't be loaded is reported and left out."""
    libraries = catalog.names()
    found: list[Entry] = []
    for name in [*(point for point in registry.registered(registry.SYSTEMS) if point not in libraries), *libraries]:
        try:
            found.append(entry_of(name))
        except MemtriageError as error:
            report(error)
    return found


def entry_of(name: str) -> Entry:
    """The line of one system."""
    if name in catalog.names():
        return _library(catalog.library(name))
    return _native(name, registry.registered(registry.SYSTEMS)[name].value)


def show(listed: Sequence[Entry], as_json: bool, console: Console) -> None:
    """Print the list, which fits 80 columns."""
    if as_json:
        print_json([asdict(entry) for entry in listed], indent=1)
        return
    rows = [[Text(column, style="bold") for column in ("system", "family", "needs", "here")]]
    for entry in listed:
        needs = ", ".join({**NEEDS, "source": "source"}.get(need, need) for need in entry.needs)
        rows.append([terminal.plain(cell) for cell in (entry.name, entry.family, needs, _here(entry))])
    _print(rows, console)
    notes = ["one of them, with its options: memtriage systems show NAME"]
    if any(entry.next.startswith("memtriage ") for entry in listed):
        notes += ["to install a library: memtriage systems install NAME"]
    notes += ["your own: my_memory.py:MyMemory, proc:COMMAND, mcp:SERVER or http://HOST"]
    for note in ("", *notes):
        console.print(terminal.plain(note))


def findings(found: Mapping[str, Sequence[CheckResult]], as_json: bool, console: Console) -> None:
    """Print the findings about libraries, and how to fix them."""
    if as_json:
        print_json({name: [asdict(each) for each in findings] for name, findings in found.items()}, indent=1)
        return
    marks = {"ok": ("ok", "green"), "warning": ("note", "yellow"), "problem": ("problem", "red")}
    for name, findings in found.items():
        console.print(terminal.plain(name, "bold"))
        rows = []
        for each in findings:
            seen = terminal.plain(each.seen + (f" → {each.mend}" if each.mend else ""))
            rows.append([Text("  ") + Text(*marks[each.outcome]), terminal.plain(each.what), seen])
        _print(rows, console)


def megabytes(count: int) -> str:
    """A size in MB or kB."""
    return f"{count / 1e6:,.0f} MB" if count >= 1e6 else f"{count / 1e3:,.0f} kB"


def _print(rows: Sequence[Sequence[Text]], console: Console) -> None:
    """Print rows as a table; if the output is not a terminal, each row is one line, however long."""
    if not console.is_terminal:
        widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
        for row in rows:
            print("  ".join(cell.plain.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        return
    grid = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for number in range(len(rows[0]) if rows else 0):
        grid.add_column(no_wrap=number < 2, overflow="fold")
    for row in rows:
        grid.add_row(*row)
    console.print(grid)


def _native(name: str, target: str) -> Entry:
    factory = registry.system(name).factory
    traits = traits_of(factory)
    return Entry(
        name=name,
        summary=(inspect.getdoc(factory) or "").partition("\n")[0],
        family=traits.family,
        architecture=traits.architecture,
        needs=traits.needs,
        arguments=_arguments(factory),
        state="built in" if target.startswith("memtriage.") else "plug-in",
        large=traits.takes_large_pieces,
    )


def _library(library: Library) -> Entry:
    now = environments.status(library)
    verb = {"absent": "install", "outdated": "install", "incomplete": "install"}.get(now.state)
    return Entry(
        name=library.name,
        summary=library.title,
        family=library.family,
        architecture=library.architecture,
        needs=library.needs,
        arguments=", ".join(library.options),
        state=now.state,
        version=now.installed.version if now.installed else library.version,
        bytes=now.installed.bytes if now.installed else 0,
        next=environments.command(verb, library) if verb else now.why,
        large=library.large,
    )


def _arguments(factory: Callable[..., object]) -> str:
    try:
        parameters = inspect.signature(factory).parameters.values()
    except ValueError:
        return ""
    return ", ".join(f"{p.name}={p.default}" for p in parameters if p.default is not inspect.Parameter.empty)


def _here(entry: Entry) -> str:
    if entry.state == "installed":
        return f"{entry.version}, {megabytes(entry.bytes)}"
    return "not installed" if entry.state == "absent" else entry.state


def table(libraries: Mapping[str, Library]) -> str:
    """The catalogue as a table for the documentation."""
    head = ["system", "what it is", "family", "summarise", "store", "retrieve", "needs", "install"]
    rows = [head, ["---"] * len(head)]
    for library in libraries.values():
        package = f"{library.package} {library.version}".strip()
        command = f"`{environments.command('install', library)}`" if library.installable else ""
        install = "; ".join(filter(None, (command, library.unavailable)))
        needs = ", ".join(
            f"`{NEEDS[need]}`" if need in ("internal", "embed") else NEEDS[need] for need in library.needs
        )
        what = f"{library.title} ({package})" if package else library.title
        rows.append([f"`{library.name}`", what, library.family, *library.steps.values(), needs, install])
    return _markdown(rows)


def served(libraries: Mapping[str, Library]) -> str:
    """How each library is used, and every departure from its users' way, as a table for the documentation."""
    head = ["system", "library", *catalog.ASPECTS, "not as its users do"]
    rows = [head, ["---"] * len(head)]
    for library in libraries.values():
        package = f"{library.package} {library.version}".strip() or library.title
        aspects = (library.served.get(aspect, "") for aspect in catalog.ASPECTS)
        rows.append([f"`{library.name}`", package, *aspects, "; ".join(library.departures) or "nothing known"])
    return _markdown(rows)


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    return "".join("| " + " | ".join(_cell(cell) for cell in row) + " |\n" for row in rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
