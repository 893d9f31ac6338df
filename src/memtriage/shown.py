"""What the Python API returns: runs, comparisons and the rest, which show themselves in a terminal and a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memtriage import studies
from memtriage.core.verdict import KIND
from memtriage.diagnose.imported_traces import ImportedTraces
from memtriage.host.files import read_inside
from memtriage.host.sealed import is_page_of
from memtriage.pipeline import estimate as estimating
from memtriage.pipeline import run as pipeline
from memtriage.runner.check import Check
from memtriage.tables import gate as gating
from memtriage.tables import mixture, pairs
from memtriage.tables.summary import error_reasons
from memtriage.tables.table import row_json, table

if TYPE_CHECKING:
    import pandas
    import polars
    from rich.console import Console

    from memtriage.core.verdict import ProbeVerdict, StoreSummary
    from memtriage.export.files import Written
    from memtriage.report.html.page import About

_PROBLEMS = 20
"""How many problems of the data a report lists; run.json has all of them."""


class Run(pipeline.Run):
    """A finished run: its directory, its table, its probes.

    >>> run = memtriage.run("bm25", suite="memfail/long-hop", k=[5])  # doctest: +SKIP
    >>> run.to_pandas()  # doctest: +SKIP
    """

    def show(self, by: str = "task", verdict: str | None = None, limit: int = 50) -> None:
        """Print the table, or another view: `by` is what `memtriage show --by` takes, such as probe, cost or hop."""
        from rich.console import Console

        from memtriage.report.terminal.show import show

        show(self, Console(), by, verdict, limit)

    def __repr__(self) -> str:
        systems = ", ".join(system["label"] for system in self.manifest["systems"])
        return f"<Run {self.path}: {systems} on {', '.join(self.manifest['suites'])}>"

    def _repr_html_(self) -> str:
        """The table, as notebooks show it."""
        from memtriage.report.notebook import run_html, text_html

        if self.reader.seal is None:
            return text_html(f"{self!r} is not finished; memtriage.resume({str(self.path)!r}) goes on")
        counts = self.counts()
        errors = [f"{times:,} x {reason}" for reason, times in self.reasons.most_common(3)]
        stopped = [f"stopped: {self.stopped}"] if self.stopped else []
        notes = (*stopped, *errors, *_notice_lines(self.notices), *self.notes[:3], f"{self.path}")
        return run_html(counts.standings, counts.rows, notes)

    def report(self, out: Path | None = None, again: bool = True) -> Path:
        """Write the HTML report, by default into the run directory; a page that is there stays, unless `again`."""
        from memtriage.diagnose.false_memories import memory_checks
        from memtriage.report.html.false_memories import made_up
        from memtriage.report.html.page import write_report

        page = self.path / "report.html"
        if out is None and not again and self.reader.seal is not None and _is_page(page, self.reader.seal.digest):
            return page
        with self.reader as reader:
            counts = self.counts()
            return write_report(
                out or page,
                reader.verdicts(),
                reader.stores(),
                counts.rows,
                reader.texts,
                self.about(),
                counts.standings,
                counts.measures,
                counts.outcomes,
                reader.seal.digest if reader.seal else "",
                made_up(memory_checks(reader)),
            )

    def about(self) -> About:
        """What reports say about the run: where its data comes from, how to repeat it, and what to know about it."""
        from memtriage.report.html.page import about_run

        return about_run(self.manifest, (*_notice_lines(self.notices), *self.notes, *self.problems[:_PROBLEMS]))

    def to_pandas(self, what: str = "probes") -> pandas.DataFrame:
        """A table of the run as a data frame: probes, facts, memories, invented, retrieved, stores, calls, table.

        >>> run.to_pandas("facts").groupby(["system", "verdict"]).size()  # doctest: +SKIP
        """
        from memtriage.export.frames import to_pandas
        from memtriage.export.tables import extract

        with self.reader as reader:
            return to_pandas(extract(reader, what))

    def to_polars(self, what: str = "probes") -> polars.DataFrame:
        """The same as a polars data frame."""
        from memtriage.export.frames import to_polars
        from memtriage.export.tables import extract

        with self.reader as reader:
            return to_polars(extract(reader, what))

    def export(
        self,
        folder: str | Path,
        form: Literal["parquet", "csv", "jsonl", "hf", "inspect"] = "parquet",
        tables: Sequence[str] = (),
    ) -> list[Written]:
        """Write tables of the run, by default all, into a folder: a file each, or with `hf` a dataset for the Hub.

        >>> run.export("tables")  # doctest: +SKIP
        """
        from memtriage.export.write import write

        with self.reader as reader:
            return write(reader, Path(folder), form, tables)


def _is_page(file: Path, digest: str) -> bool:
    """Whether a file is the page of the run with this digest, as it was written."""
    try:
        return is_page_of(read_inside(file.parent, file.name), digest)
    except OSError:
        return False


class _Shown(ABC):
    """A result that prints itself, and shows the same in a notebook."""

    @abstractmethod
    def _draw(self, console: Console) -> None: ...

    def show(self) -> None:
        """Print it."""
        from rich.console import Console

        self._draw(Console())

    def _repr_html_(self) -> str:
        from memtriage.report.notebook import printed_html

        return printed_html(self._draw)


class Comparison(pairs.Comparison, _Shown):
    """Two runs compared: a cell per task and k, and the probes that only one side got right."""

    def __repr__(self) -> str:
        a, b = self.names
        better = Counter(cell.better for cell in self.cells)
        told = f"B better on {better['B']} of {len(self.cells)} tests, worse on {better['A']}"
        return f"<Comparison of A, {a}, with B, {b}: {told}; {len(self.flips)} of {self.paired} probes differ>"

    def _draw(self, console: Console) -> None:
        from memtriage.report.terminal import commands

        commands.compare(self, 20, False, console)


class Gate(gating.Gate, _Shown):
    """A run held against a baseline: a cell per task and k, what it must reach, and what it may cost."""

    def __repr__(self) -> str:
        from memtriage.report.gate_text import headline

        return f"<Gate {self.name} against {self.baseline}: {headline(self)}>"

    def _draw(self, console: Console) -> None:
        from memtriage.report.terminal.gate import print_gate

        print_gate(self, 20, console)


class Mixtures(mixture.Mixtures, _Shown):
    """What several memories would be worth together."""

    def _draw(self, console: Console) -> None:
        from memtriage.report.terminal.mixture import print_mixtures

        print_mixtures(self, console)


class Sweep(studies.Sweep, _Shown):
    """A grid of runs: its axes, its runs, its table."""

    def _draw(self, console: Console) -> None:
        from memtriage.report.terminal.studies import show_sweep

        show_sweep(self, "table", console)


class Estimate(estimating.Estimate, _Shown):
    """What a run would take in model calls, tokens and dollars."""

    def _draw(self, console: Console) -> None:
        from memtriage.report.terminal import commands

        commands.estimate(self, False, console)


@dataclass(frozen=True, slots=True)
class SystemCheck(_Shown):
    """What was tried on a system, and how it went."""

    system: str
    checks: tuple[Check, ...]

    @property
    def fits(self) -> bool:
        """Whether nothing is in the way of a run."""
        return all(check.outcome != "problem" for check in self.checks)

    def _draw(self, console: Console) -> None:
        from memtriage.report.terminal import commands

        commands.checks(self.system, self.checks, False, console)


@dataclass(frozen=True)
class Diagnosis(ImportedTraces):
    """What was found in traces of another tool: verdicts, stores, cost, and what is to be known about the file."""

    source: Path = Path()
    notes: tuple[str, ...] = ()
    written: tuple[Path, ...] = ()

    def show(self, by: str = "task", verdict: str | None = None, limit: int = 50) -> None:
        """Print the table, or another view: `by` is what `memtriage diagnose --by` takes."""
        from rich.console import Console

        from memtriage.report.terminal.show import show

        show(self, Console(), by, verdict, limit)

    def __repr__(self) -> str:
        from memtriage.text.words import counted

        counts = Counter(probe.verdict for probe in self.verdicts)
        told = ", ".join(f"{count} {KIND[verdict].label}" for verdict, count in counts.most_common())
        return f"<Diagnosis of {self.source}: {counted(len(self.verdicts), 'verdict')} ({told})>"

    def _repr_html_(self) -> str:
        from memtriage.report.notebook import run_html
        from memtriage.tables.standings import standings

        rows = table(self.verdicts, self.stores)
        return run_html(standings(self.verdicts, rows), rows, (*self.notes, str(self.source)))

    def table(self) -> list[dict[str, Any]]:
        """The table as records: one per task, system and k."""
        return [row_json(row) for row in table(self.verdicts, self.stores)]

    @property
    def reasons(self) -> Counter[str]:
        """Why probes could not be diagnosed, with counts."""
        return error_reasons(self.verdicts)

    def to_pandas(self, what: str = "probes") -> pandas.DataFrame:
        """Probes, facts, stores or the table as a pandas data frame, with the columns that a run's have."""
        from memtriage.export.frames import to_pandas
        from memtriage.export.tables import extract

        return to_pandas(extract(_Read(self.verdicts, self.stores), what))

    def to_polars(self, what: str = "probes") -> polars.DataFrame:
        """The same as a polars data frame."""
        from memtriage.export.frames import to_polars
        from memtriage.export.tables import extract

        return to_polars(extract(_Read(self.verdicts, self.stores), what))


class _Read:
    """Verdicts and stores that are in memory, behind the functions by which a run is read."""

    def __init__(self, verdicts: Sequence[ProbeVerdict], stores: Sequence[StoreSummary]) -> None:
        self.verdicts = lambda: verdicts
        self.stores = lambda: stores


def _notice_lines(notices: Mapping[str, Sequence[str]]) -> list[str]:
    """The notices about systems, one line each; a notice that several systems share is one line."""
    systems: dict[str, list[str]] = {}
    for system, own in notices.items():
        for notice in own:
            systems.setdefault(notice, []).append(system)
    return [f"{', '.join(names)}: {notice}" for notice, names in systems.items()]
