"""The entry point of the `memtriage` command."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import typer

from memtriage.cli import (
    batch,
    calibrate,
    data,
    data_draft,
    diagnose,
    gate,
    leaks,
    reproduce,
    run,
    score,
    show,
    studies,
    systems,
    trust,
    try_out,
    verify,
)
from memtriage.cli.app import INTERRUPTED, app
from memtriage.host.masks import mask
from memtriage.host.temporary import clear_abandoned

GROUPS = (
    run,
    batch,
    show,
    gate,
    verify,
    diagnose,
    trust,
    calibrate,
    studies,
    reproduce,
    leaks,
    score,
    try_out,
    data,
    data_draft,
    systems,
)
"""Importing these modules registers their commands on `app`; help lists them in this order."""

_PLACE = {group.__name__: place for place, group in enumerate(GROUPS)}
app.registered_commands.sort(key=lambda command: _PLACE[command.callback.__module__] if command.callback else 0)


def main() -> None:
    """Run the `memtriage` command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # don't fail on a narrow locale or an odd file name
    clear_abandoned()
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
