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
    points = registry.registered(registry.SYSTEMS)
    found: list[Entry] = []
    for name in [*(point for point in points if point not in libraries), *libraries]:
        try:
            known = name in libraries
            found.append(_library(catalog.library(name)) if known else _native(name, points[name].value))
        except MemtriageError as error:
            report(error)
    return found


def show(listed: Sequence[Entry], as_json: bool, console: Console) -> None:
    """Print the list; one line per system if the output is not a terminal."""
    if as_json:
        print_json([asdict(entry) for entry in listed], indent=1)
        return
    rows = [[Text(column, style="bold") for column in ("system", "family", "how it works", "needs", "here")]]
    for entry in listed:
        needs = ", ".join(NEEDS.get(need, need) for need in entry.needs)
        cells = (entry.name, entry.family, _architecture(entry, console), needs, _here(entry, console))
        rows.append([_lines(cell) for cell in cells])
    _print(rows, console)
    if absent := [entry.name for entry in listed if entry.next.startswith("memtriage ")]:
        console.print(f"\ninstall: memtriage systems install {' '.join(absent)}", highlight=False, markup=False)
    own = "my_memory.py:MyMemory, proc:COMMAND, mcp:SERVER, http://HOST, or an entry point under memtriage.systems"
    console.print(f"\nyour own: {own}", highlight=False, soft_wrap=True)


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


def _architecture(entry: Entry, console: Console) -> str:
    """The three steps and the arguments: a line each on a terminal, otherwise all on one line."""
    lines = [f"{step}: {text}" for step, text in catalog.steps(entry.architecture).items() if text]
    lines = lines or [entry.architecture or entry.summary]
    lines += ["told in large pieces, where a suite has them"] if entry.large else []
    lines += [f"arguments: {entry.arguments}"] if entry.arguments else []
    return ("\n" if console.is_terminal else "; ").join(lines)


def _here(entry: Entry, console: Console) -> str:
    if entry.state == "installed":
        return f"{entry.version}, {megabytes(entry.bytes)}"
    if console.is_terminal and entry.next.startswith("memtriage "):
        return {"absent": "not installed"}.get(entry.state, entry.state)  # the command is below the table
    return "; ".join(filter(None, (entry.state if entry.state != "absent" else "", entry.next)))


def _lines(text: str) -> Text:
    return Text("\n").join(terminal.plain(line) for line in text.split("\n"))


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
