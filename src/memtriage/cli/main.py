"""The `memtriage` command: every group of commands registered, and one way in."""

from __future__ import annotations

import io
import signal
import sys

import typer

from memtriage.cli import data, leaks, run, score, show, studies, systems, trust, try_out
from memtriage.cli.app import INTERRUPTED, app

_GROUPS = (run, show, studies, score, leaks, data, systems, try_out, trust)
"""Each registers its commands on `app`."""


def main() -> None:
    """The `memtriage` command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a narrow locale or an odd file name is no reason to fail
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does: kept, tidied up, resumable
    try:
        app()
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise SystemExit(INTERRUPTED) from None
