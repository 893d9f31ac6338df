"""The command `view`."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from memtriage.cli.app import app, command, say
from memtriage.core.errors import BadInput, install_extra


@command(app)
def view(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Run directories, or folders that hold some.", show_default="runs")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any free one.")] = 7717,
    host: Annotated[
        str, typer.Option(help="Where to listen; other machines can reach anything but this one.")
    ] = "127.0.0.1",
    open: Annotated[bool, typer.Option(help="Open it in your browser.")] = True,
    export: Annotated[
        Path | None, typer.Option(help="Write the same pages into this folder instead, for a wiki or Pages.")
    ] = None,
) -> None:
    """Look into your runs in a browser: filter, search, compare, and follow those that are going on."""
    roots = paths or [Path("runs")]
    if export is not None:
        from memtriage.view.export import export as write_pages

        typer.echo(str(write_pages(roots, export, lambda line: say(f"note: {line}"))))
        return

    if not (find_spec("starlette") and find_spec("uvicorn")):
        raise BadInput(f"memtriage view needs starlette and uvicorn; install them with: {install_extra('view')}")

    from memtriage.view.server import serve

    def ready(link: str, once: str, reachable: bool, has_runs: bool) -> None:
        if reachable:
            say(f"warning: whoever reaches {host} with this link can read these runs; nothing is encrypted")
        if not has_runs:
            say(f"note: there are no runs below {', '.join(map(str, roots))} yet; the page shows them once they begin")
        typer.echo(link)
        say("Ctrl-C ends it")
        if open and (sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            typer.launch(once)

    serve(roots, host, port, ready)
