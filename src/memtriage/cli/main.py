"""The entry point of the `memtriage` command."""

from __future__ import annotations

import io
import signal
import sys

import typer

from memtriage.cli import data, leaks, run, score, show, studies, systems, trust, try_out
from memtriage.cli.app import INTERRUPTED, app

_GROUPS = (run, show, studies, score, leaks, data, systems, try_out, trust)
"""Importing these modules registers their commands on `app`."""


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
