"""The entry point of the `memtriage` command."""

from __future__ import annotations

import io
import platform
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Annotated

import typer

from memtriage.cli import (
    batch,
    calibrate,
    data,
    data_draft,
    diagnose,
    export,
    gate,
    leaks,
    memories,
    points,
    reproduce,
    run,
    score,
    serve_mosaic,
    show,
    studies,
    systems,
    trust,
    try_out,
    tune,
    verify,
    view,
)
from memtriage.cli.app import INTERRUPTED, app
from memtriage.host.collector import collect_seldom
from memtriage.host.masks import mask
from memtriage.host.temporary import clear_abandoned
from memtriage.host.version import commit, installed_version

MODULES = (
    *(batch, calibrate, data, data_draft, diagnose, export, gate, leaks, memories, points, reproduce, run),
    *(score, serve_mosaic, show, studies, systems, trust, try_out, tune, verify, view),
)
"""Importing these modules registers their commands on `app`."""


def _print_version(wanted: bool) -> None:
    if wanted:
        checkout = f" ({made_from})" if (made_from := commit()) else ""
        typer.echo(f"memtriage {installed_version('memtriage')}{checkout}, Python {platform.python_version()}")
        raise typer.Exit


@app.callback()
def memtriage(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version, and the commit of a checkout."
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the `memtriage` command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # don't fail on a narrow locale or an odd file name
    clear_abandoned()
    collect_seldom()
    signal.signal(signal.SIGTERM, _terminated)
    with _masking("stdout"), _masking("stderr"):
        try:
            app()
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise SystemExit(INTERRUPTED) from None


class _Masking(io.TextIOWrapper):
    """A stream on which no key is shown."""

    def write(self, text: str) -> int:
        super().write(mask(text))
        return len(text)


@contextmanager
def _masking(name: str) -> Iterator[None]:
    """Show no key on a standard stream."""
    stream = getattr(sys, name)
    if not isinstance(stream, io.TextIOWrapper):  # closed from the start, or a test's
        yield
        return
    stream.flush()
    options = {"line_buffering": stream.line_buffering, "write_through": stream.write_through}
    masking = _Masking(stream.buffer, stream.encoding, stream.errors, newline="", **options)
    setattr(sys, name, masking)
    try:
        yield
    finally:
        setattr(sys, name, stream)
        with suppress(OSError):  # nobody listens any more
            masking.detach()


def _terminated(number: int, frame: FrameType | None) -> None:
    """End like Ctrl-C, with the handler in force now: work is kept and can be resumed. An event loop has its own."""
    interrupt = signal.getsignal(signal.SIGINT)
    (interrupt if callable(interrupt) else signal.default_int_handler)(number, frame)
