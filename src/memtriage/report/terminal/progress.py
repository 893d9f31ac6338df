"""Progress bars on standard error, with the time that is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.progress import TimeElapsedColumn as TimeElapsed
from rich.progress import TimeRemainingColumn as TimeLeft
from rich.text import Text

from memtriage.core.suite import Step
from memtriage.report.terminal.tables import plain, visible
from memtriage.runner.watcher import Watcher


class RunProgress(Watcher):
    """A progress bar for a run: the current store, how far it is, and the time left."""

    def __init__(self, quiet: bool) -> None:
        self._cost = _Cost()
        self._progress = _progress(quiet, MofNCompleteColumn(), self._cost)
        self._quiet = quiet
        self._task: TaskID | None = None
        self.path: Path | None = None

    def __enter__(self) -> RunProgress:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def loading(self, episodes: int) -> None:
        if self._task is None:
            self._task = self._progress.add_task("", total=None)
        self._progress.update(self._task, description="laying out episodes", completed=episodes)

    def begin(self, path: Path, steps: int) -> None:
        self.path = path
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task("starting", total=steps)

    def unit(self, system: str, episode: str) -> None:
        self._say(f"{system} · {episode}")

    def step(self, steps: int = 1) -> None:
        if self._task is not None:
            self._progress.advance(self._task, steps)

    def answering(self, model: str) -> None:
        self._say(f"{model} answers")

    def batch(self, text: str, news: bool = False) -> None:
        self._say(text)
        if news and not self._quiet:
            self._progress.console.print(plain(text), highlight=False, soft_wrap=True)

    waiting = batch

    def paying(self, spent: Callable[[], Decimal]) -> None:
        self._cost.spent = spent

    def diagnosing(self) -> None:
        self._say("diagnosing")

    def judging(self, traces: int) -> None:
        self._task = self._progress.add_task("judging", total=traces)

    def _say(self, text: str) -> None:
        if self._task is not None:
            self._progress.update(self._task, description=escape(visible(text)))


class _Cost(ProgressColumn):
    """What was spent so far, once something was."""

    spent: Callable[[], Decimal] = Decimal

    def render(self, task: Task) -> Text:
        return Text(dollars(self.spent()))


def dollars(spent: Decimal) -> str:
    """An amount of money in short; empty for none.

    >>> dollars(Decimal("0.01234")), dollars(Decimal("12.3")), dollars(Decimal(0))
    ('$0.0123', '$12.30', '')
    """
    return f"${spent:.{2 if spent >= 1 else 4}f}" if spent else ""


@contextmanager
def bar(what: str, total: int | None, quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar over a number of steps, if it is known; yields a function to call after each."""
    with _progress(quiet, MofNCompleteColumn()) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)


@contextmanager
def fraction_bar(what: str, quiet: bool) -> Iterator[Step]:
    """A bar over a fraction from 0 to 1, with the name of the current item."""
    with _progress(quiet) as progress:
        task = progress.add_task(what, total=1.0)
        yield lambda name, done: progress.update(task, description=escape(visible(f"{what} {name}")), completed=done)


def _progress(quiet: bool, *more: ProgressColumn) -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *more,
        TimeElapsed(),
        TextColumn("left"),
        TimeLeft(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,  # in a log, a bar is noise
    )
