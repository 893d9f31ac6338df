"""The command group `systems`: list systems; install, check and remove libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from memtriage.cli import completion
from memtriage.cli.app import FAILED, INTERRUPTED, AsJson, PassEnv, Quiet, app, command, open_console, say
from memtriage.cli.help import HelpGroup
from memtriage.core.errors import BadInput, MemtriageError

if TYPE_CHECKING:
    from memtriage.systems.libraries.catalog import Library
    from memtriage.systems.libraries.environments import Progress

systems_app = typer.Typer(
    cls=HelpGroup,
    help="List the memory systems; install, check or remove other people's libraries.",
    invoke_without_command=True,
    rich_markup_mode=None,
)
app.add_typer(systems_app, name="systems")

Names = Annotated[list[str], typer.Argument(help="Libraries, such as mem0.", autocompletion=completion.libraries)]
Installed = Annotated[
    list[str], typer.Argument(help="Libraries, such as mem0.", autocompletion=completion.installed_libraries)
]


@command(systems_app, "list")
def list_systems(as_json: AsJson = False) -> None:
    """List the memory systems: their kind, what each needs, and whether it is installed."""
    from memtriage.report.terminal import systems as systems_table

    systems_table.show(systems_table.entries(lambda error: say(f"note: {error}")), as_json, open_console())


@command(systems_app, "show")
def show_system(
    name: Annotated[str, typer.Argument(help="A system, such as bm25 or mem0.", autocompletion=completion.systems)],
    as_json: AsJson = False,
) -> None:
    """Show one system: how it works, its options, what k counts, what it costs, whether it is installed."""
    from memtriage.report.terminal.one_system import details, show_details

    show_details(details(name), as_json, open_console())


@systems_app.callback()
def systems(context: typer.Context, as_json: AsJson = False) -> None:
    if context.invoked_subcommand is None:
        list_systems(as_json=as_json)


@command(systems_app)
def install(
    names: Names,
    force: Annotated[bool, typer.Option("--force", help="Reinstall, even if it is installed.")] = False,
    quiet: Quiet = False,
) -> None:
    """Install libraries, each into its own environment, with pinned and hashed packages."""
    chosen = _libraries(names)
    failed = [library.name for library in chosen if not _install(library, force, quiet)]
    if failed:
        raise typer.Exit(FAILED)


@command(systems_app)
def doctor(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Libraries (default: all that are installed).", autocompletion=completion.installed_libraries
        ),
    ] = None,
    pass_env: PassEnv = None,
    as_json: AsJson = False,
) -> None:
    """Find problems with installed libraries, and say how to fix them."""
    from memtriage.host.environment import passing
    from memtriage.report.terminal import systems as systems_table
    from memtriage.systems.libraries import catalog, environments
    from memtriage.systems.libraries.doctor import examine

    chosen = _libraries(names or [])
    if not names:
        here = (name for name in catalog.names() if environments.place(name).exists())
        chosen = [catalog.library(name) for name in here]
        if not chosen and not as_json:
            typer.echo("no library is installed; memtriage systems lists them")
    with passing(pass_env or ()):
        findings = {library.name: examine(library) for library in chosen}
    systems_table.findings(findings, as_json, open_console())
    if any(finding.outcome == "problem" for each in findings.values() for finding in each):
        raise typer.Exit(FAILED)


@command(systems_app)
def remove(
    names: Installed,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
) -> None:
    """Delete the environments of libraries."""
    from memtriage.report.terminal.systems import megabytes
    from memtriage.systems.libraries import environments

    for library in _libraries(names):
        if not environments.folder(library).exists():
            typer.echo(f"{library.name} is not installed; there is nothing to remove")
            continue
        if not yes:
            folder = f"{environments.folder(library)} ({megabytes(environments.size(library))})"
            typer.confirm(f"delete {folder}?", abort=True)
        typer.echo(f"removed {library.name}: {megabytes(environments.remove(library))} freed")


def _libraries(names: Iterable[str]) -> list[Library]:
    """The libraries of these names, without duplicates; all names are checked before anything is done."""
    from memtriage import registry
    from memtriage.systems.libraries import catalog

    chosen = []
    for name in dict.fromkeys(names):
        if name not in catalog.names() and name in registry.registered(registry.SYSTEMS):
            raise BadInput(f"{name} comes with memtriage or a plug-in; there is nothing to install or remove")
        chosen.append(catalog.library(name))
    return chosen


def _install(library: Library, force: bool, quiet: bool) -> bool:
    """Install one library and report on it; returns whether it worked."""
    from memtriage.report.terminal.systems import megabytes
    from memtriage.systems.libraries import environments

    before = environments.status(library)
    try:
        with _show_progress(library.name, quiet) as progress:
            record = environments.install(library, progress=progress, force=force)
    except MemtriageError as error:
        say(f"error: {error}")
        return False
    except KeyboardInterrupt:
        again = environments.command("install", library)
        say(f"interrupted; nothing half-done of {library.name} is left; start again with: {again}")
        raise typer.Exit(INTERRUPTED) from None
    what = f"{library.title} {record.version}".strip()
    if record == before.installed:
        typer.echo(f"{library.name}: {what} is installed already ({megabytes(record.bytes)}); --force makes it anew")
    else:
        packages = len(environments.pins(library))
        typer.echo(
            f"{library.name}: {what} installed, {packages} packages, {megabytes(record.bytes)}, {record.seconds:.0f} s"
        )
    for note in (library.unavailable, *record.missing):
        if note:
            say(f"note: {note}")
    return True


@contextmanager
def _show_progress(name: str, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Show the progress of an install: one changing line on a terminal, otherwise a line per step."""
    from rich.markup import escape
    from rich.status import Status

    from memtriage.report.terminal.systems import megabytes

    console = open_console(stderr=True)
    seen: list[str] = []

    def line(at: Progress) -> str:
        fetched = f", {megabytes(at.bytes)}" if at.bytes else ""
        counted = f" {at.packages} of {at.of}" if at.packages else ""
        return f"{name}: {at.step}{counted}{fetched}, {at.seconds:.0f} s"

    def step(at: Progress) -> None:
        if at.step not in seen:
            seen.append(at.step)
            say(line(at))

    if quiet or not console.is_terminal:
        yield (lambda _: None) if quiet else step
        return
    with Status(f"{name}: starting", console=console) as status:
        yield lambda at: status.update(escape(line(at)))
