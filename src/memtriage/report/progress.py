"""Progress of what was called from Python: a bar in a terminal, a line that changes in a notebook, else nothing."""

from __future__ import annotations

import html
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Literal

from rich.console import Console

from memtriage.core.errors import BadInput
from memtriage.report.html.page import visible
from memtriage.report.terminal.progress import RunProgress, dollars
from memtriage.runner.watcher import Watcher

Progress = bool | Literal["auto"]
"""Whether to show progress: "auto" shows it in a terminal and in a notebook, True everywhere, False nowhere."""


@contextmanager
def watching(progress: Progress, watcher: Watcher | None = None) -> Iterator[Watcher]:
    """Who follows a run: the given watcher, or one that shows progress where that makes sense."""
    if progress not in (True, False, "auto"):
        raise BadInput(f"progress must be True, False or 'auto', not {progress!r}")
    if watcher is not None or progress is False:
        yield watcher or Watcher()
        return
    console = Console(stderr=True)
    if console.is_jupyter:
        with _InNotebook() as shown:
            yield shown
    elif console.is_terminal or progress == "auto":
        with RunProgress(quiet=False) as bar:  # which shows nothing where there is no terminal
            yield bar
    else:
        with _InLog() as logged:
            yield logged


class _Meter(Watcher, ABC):
    """Keeps track of a run in one line: what is going on, how far it is, the time left and the cost so far."""

    pause = 0.0
    """How many seconds to wait between two lines."""

    def __init__(self) -> None:
        self.path: Path | None = None
        self._what = "starting"
        self._done = self._steps = 0
        self._began = time.monotonic()
        self._shown = float("-inf")
        self._spent: Callable[[], Decimal] = Decimal
        self._lock = threading.Lock()

    def __enter__(self) -> _Meter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None:
            self.show("", 1.0)
        elif self.path is not None and not isinstance(error, GeneratorExit):
            self.show(f"stopped; what was done is kept: memtriage.resume({str(self.path)!r}) goes on", None)

    @abstractmethod
    def show(self, line: str, share: float | None) -> None:
        """Show a line, and what share of the work is done, if that is known; nothing more comes after an empty one."""

    def loading(self, episodes: int) -> None:
        self._say(f"laying out episodes: {episodes:,}")

    def begin(self, path: Path, steps: int) -> None:
        self.path, self._steps, self._done, self._began = path, steps, 0, time.monotonic()
        self._say("starting")

    def unit(self, system: str, episode: str) -> None:
        self._say(f"{system} · {episode}")

    def step(self, steps: int = 1) -> None:
        self._done += steps
        self._say(self._what)

    def answering(self, model: str) -> None:
        self._say(f"{model} answers")

    def batch(self, text: str, news: bool = False) -> None:
        self._say(text)

    waiting = batch

    def diagnosing(self) -> None:
        self._say("diagnosing")

    def judging(self, traces: int) -> None:
        self._steps, self._done, self._began = traces, 0, time.monotonic()
        self._say("judging")

    def paying(self, spent: Callable[[], Decimal]) -> None:
        self._spent = spent

    def _say(self, what: str) -> None:
        self._what = what
        with self._lock:
            now = time.monotonic()
            if now - self._shown < self.pause:
                return
            self._shown = now
            share = min(self._done / self._steps, 1.0) if self._steps else None
            self.show(self._line(share, now - self._began), share)

    def _line(self, share: float | None, seconds: float) -> str:
        parts = [self._what]
        if share is not None:
            parts.append(f"{self._done:,} of {self._steps:,}")
        if share:
            parts.append(f"{_clock(seconds / share - seconds)} left")
        return ", ".join([*parts, *filter(None, [dollars(self._spent())])])


class _InNotebook(_Meter):
    """One line with a bar, which is replaced while the cell runs, and gone at its end."""

    pause = 0.2

    def __init__(self) -> None:
        super().__init__()
        from IPython.display import HTML, display

        self._html = HTML
        self._handle = display(HTML(""), display_id=True)

    def show(self, line: str, share: float | None) -> None:
        bar = "" if share is None else f'<progress value="{share:.4f}" style="width:14em"></progress> '
        self._handle.update(self._html(f"<div>{bar}{html.escape(visible(line))}</div>" if line else ""))


class _InLog(_Meter):
    """A line on standard error every ten seconds."""

    pause = 10.0

    def show(self, line: str, share: float | None) -> None:
        if line:
            print(f"memtriage: {visible(line)}", file=sys.stderr, flush=True)


def _clock(seconds: float) -> str:
    """A length of time.

    >>> _clock(75), _clock(3725)
    ('1:15', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
