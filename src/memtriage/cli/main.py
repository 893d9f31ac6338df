"""The entry point of the `memtriage` command."""

from __future__ import annotations

import io
import signal
import sys

import typer

# Importing a module registers its commands on `app`, in the order in which help lists them.
from memtriage.cli import data, leaks, run, score, show, studies, systems, trust, try_out
from memtriage.cli.app import INTERRUPTED, app

GROUPS = (run, show, trust, studies, leaks, score, try_out, data, systems)


def main() -> None:
    """Run the `memtriage` command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # don't fail on a narrow locale or an odd file name
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end like Ctrl-C: work is kept and can be resumed
    try:
        app()
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise SystemExit(INTERRUPTED) from None
