"""What a view of a run is: one declaration for its table, its JSON and its CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rich.console import Console

from memtriage.core.amount import K
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.pipeline.run import Run
from memtriage.report.terminal.machine_readable import Form, csv_text, print_json
from memtriage.tables.summary import Counts, counts_of


class Verdicts(Protocol):
    """Anything with verdicts and stores: a run or imported traces."""

    @property
    def verdicts(self) -> Any: ...

    @property
    def stores(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Source:
    """The input of a view: a run, and which of its lines to show."""

    run: Verdicts
    by: str
    verdict: str | None = None
    limit: int = 50
    system: str | None = None
    k: K | None = None

    def verdicts(self) -> Iterable[ProbeVerdict]:
        """The verdicts to show."""
        found: Iterable[ProbeVerdict] = self.run.verdicts() if callable(self.run.verdicts) else self.run.verdicts
        if self.system is not None:
            found = (v for v in found if v.system == self.system)
        if self.k is not None:
            found = (v for v in found if v.k == self.k)
        if self.verdict is None:
            return found
        if self.by == "fact":
            kept = (replace(v, facts=tuple(f for f in v.facts if f.verdict == self.verdict)) for v in found)
            return (v for v in kept if v.facts)
        return (v for v in found if v.verdict == self.verdict)

    def stores(self) -> Sequence[StoreSummary]:
        """One summary per store."""
        found: Sequence[StoreSummary] = self.run.stores() if callable(self.run.stores) else self.run.stores
        return found

    def counts(self) -> Counts:
        """What all verdicts come to; a finished run has that counted already."""
        if isinstance(self.run, Run):
            return self.run.counts()
        return counts_of(Source(self.run, self.by).verdicts, self.stores())


@dataclass(frozen=True, slots=True)
class View:
    """One table that `show --by` prints: `draw` for the terminal, `records` for JSON and CSV.

    `as_json` and `as_csv` are for views whose records are not the same in both.
    """

    by: str
    what: str
    draw: Callable[[Source, Console], None]
    schema: str = ""
    records: Callable[[Source], Iterable[Mapping[str, Any]]] = lambda source: ()
    as_json: Callable[[Source], Any] | None = None
    as_csv: Callable[[Source], str] | None = None
    version: int = 1

    def show(self, source: Source, form: Form, console: Console) -> None:
        """Print it."""
        if form == "table":
            self.draw(source, console)
        elif form == "csv":
            print(self.as_csv(source) if self.as_csv else csv_text(self.records(source)), end="")
        elif self.as_json:
            print_json(self.as_json(source))
        else:
            print_json({"schema": f"memtriage.{self.schema}/{self.version}", "rows": list(self.records(source))})
