"""memtriage from Python: `run`, `resume`, `load`, `sweep`, and what they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtriage.config import Limits, RunConfig
from memtriage.pipeline import run as pipeline
from memtriage.runner.store_life import Watcher

if TYPE_CHECKING:
    from memtriage.pipeline.estimate import Estimate

_SHOWN = 20
"""How many troubles of the data a report names; all of them are in run.json."""


class Run(pipeline.Run):
    """A finished run: its directory, its table, its probes.

    >>> run = memtriage.run("bm25", suite="memfail/long-hop", k=[5])  # doctest: +SKIP
    >>> pandas.DataFrame(run.probes)  # doctest: +SKIP
    """

    def show(self) -> None:
        """Print the table."""
        from rich.console import Console

        from memtriage.report.terminal.tables import print_table

        print_table(self.rows(), Console())

    def report(self, out: Path | None = None) -> Path:
        """Write the HTML report, by default beside the verdicts."""
        from memtriage.report.html.page import about_run, write_report
        from memtriage.tables.measures import measure_rows
        from memtriage.tables.outcomes import outcomes

        with self.reader as reader:
            return write_report(
                out or self.path / "report.html",
                reader.verdicts(),
                reader.stores(),
                self.rows(),
                reader.texts,
                about_run(reader.manifest, (*_noticed(self.notices), *self.notes, *self.problems[:_SHOWN])),
                measure_rows(reader.verdicts()),
                outcomes(reader.verdicts()),
            )


def run(*systems: object, out: str | Path | None = None, watcher: Watcher | None = None, **settings: Any) -> Run:
    """Put memory systems to the test and diagnose what happened.

    Systems and settings are those of `memtriage.config.RunConfig.of`.

    >>> run("bm25", MyMemory(), suite="memfail", k=[5, 10], answer="openai/gpt-5-mini")  # doctest: +SKIP
    """
    return _of(pipeline.run(RunConfig.of(*systems, **settings), out, watcher))


def resume(
    path: str | Path,
    *systems: object,
    retry_errors: bool = False,
    limits: Limits | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Continue a run where it stopped; what the journal holds is neither stored nor asked again.

    `retry_errors` also asks systems again what ended in an error, such as an outage. What a model could not
    answer is always tried again.
    """
    return _of(pipeline.resume(path, *systems, retry_errors=retry_errors, limits=limits, watcher=watcher))


def judge(path: str | Path, judge: str, **settings: Any) -> Run:
    """Grade a run again with another judge; nothing is stored, retrieved or answered again.

    With `out`, a copy of the run is graded there, so that the two gradings can be compared.
    """
    return _of(pipeline.judge(path, judge, **settings))


def dry_run(*systems: object, watcher: Watcher | None = None, **settings: Any) -> Estimate:
    """What a run would take of its models: calls, tokens, dollars. Storing and retrieving, which are free, are done."""
    from memtriage.pipeline import dry_run

    return dry_run.dry_run(RunConfig.of(*systems, **settings), watcher)


def load(path: str | Path) -> Run:
    """A run that was made before."""
    return Run(Path(path))


def _of(found: pipeline.Run) -> Run:
    return Run(found.path, found.stopped, found.reader)


def _noticed(notices: Mapping[str, Sequence[str]]) -> list[str]:
    """What every report has to say about its systems, the same words for several systems said once."""
    systems: dict[str, list[str]] = {}
    for system, each in notices.items():
        for notice in each:
            systems.setdefault(notice, []).append(system)
    return [f"{', '.join(named)}: {notice}" for notice, named in systems.items()]
