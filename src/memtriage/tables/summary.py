"""What a run comes to, counted once when it is finished and kept in `summary.json`.

Tables and conclusions need nothing else, so a large run is shown without being read. It is sealed with the run. One
that other code counted is not used, and `verify` counts again.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.host.files import read_inside
from memtriage.host.sealed import BrokenSeal, open_document, seal_document
from memtriage.host.version import installed_version
from memtriage.metrics.ranking import GAP_TAG
from memtriage.record.files import SUMMARY, Damaged
from memtriage.record.journal import first_problem, replace_file
from memtriage.registry import unscored
from memtriage.tables.measures import MeasureRow, measure_rows
from memtriage.tables.outcomes import Outcomes, outcomes
from memtriage.tables.standings import Standings, standings
from memtriage.tables.table import Row, table

FORMAT = "memtriage.summary/1"

FEW_ROWS = 24
"""A run with more rows than this shows one for each system, over all tasks and at the largest k."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What verdicts come to.

    `overall` has a row for each ranked system over all tasks that count, if there are more than a few `rows`. `pairs`
    counts the outcomes of questions asked before and after a change, by system; `measured` are the names of all
    measures; `reasons` says why probes could not be graded, and how many.
    """

    rows: tuple[Row, ...]
    overall: tuple[Row, ...]
    standings: Standings
    measures: tuple[MeasureRow, ...]
    outcomes: tuple[Outcomes, ...]
    pairs: Mapping[str, Mapping[str, int]]
    measured: tuple[str, ...]
    reasons: Mapping[str, int]

    def kept(self) -> Counts:
        """The same with the best systems paired already, so that the probes are not needed for that."""
        return replace(self, standings=replace(self.standings, asked={}, paired=self.standings.pairs()))


@dataclass(frozen=True, slots=True)
class Summary:
    """What a finished run comes to: its counts, and what its journal says of its stores.

    `stopped` says why it ended before its time, if it did; `unfinished` that stores are left to be filled or asked.
    """

    counts: Counts
    notes: tuple[str, ...]
    notices: Mapping[str, tuple[str, ...]]
    unfinished: bool
    stopped: str | None


def counts_of(verdicts: Callable[[], Iterable[ProbeVerdict]], stores: Iterable[StoreSummary]) -> Counts:
    """Count the verdicts of a run; they are read twice, and more often only if there is more to count."""
    stores = list(stores)
    pairs: dict[str, Counter[str]] = {}
    measured: set[str] = set()
    reasons: Counter[str] = Counter()
    answered = ranked = False

    def counted() -> Iterator[ProbeVerdict]:
        nonlocal answered, ranked
        for verdict in verdicts():
            if "pair" in verdict.tags:
                pairs.setdefault(verdict.system, Counter())[verdict.tags["pair"]] += 1
            if verdict.verdict == "error":
                reasons[_reason(verdict)] += 1
            if verdict.measures:
                measured.update(verdict.measures)
            answered |= verdict.depth == "full"
            ranked |= GAP_TAG in verdict.tags
            yield verdict

    rows = table(counted(), stores)
    found = standings(verdicts(), rows)
    return Counts(
        tuple(rows),
        tuple(_overall(verdicts, stores, found)) if len(rows) > FEW_ROWS else (),
        found,
        tuple(measure_rows(verdicts())) if measured or ranked else (),
        tuple(outcomes(verdicts())) if answered else (),
        pairs,
        tuple(sorted(measured)),
        reasons,
    )


def _overall(
    verdicts: Callable[[], Iterable[ProbeVerdict]], stores: Iterable[StoreSummary], found: Standings
) -> Iterator[Row]:
    """A row for each system, over all tasks that count and at its largest k: best first, floor and ceilings last."""
    ranked = [(row.system, row.k, row.depth) for row in found.ranked]
    wanted = set(ranked)
    tasks = {verdict.task for verdict in verdicts()}
    counted = {task for task in tasks if not unscored(task)} or tasks
    pooled = (v for v in verdicts() if v.task in counted and (v.system, v.k, v.depth) in wanted)
    rows = {(row.system, row.k, row.depth): row for row in table(pooled, stores, ("system", "k", "depth"))}
    for row in (rows[key] for key in ranked if key in rows):
        yield replace(row, task=f"all {len(counted)} tasks") if len(counted) > 1 else row


def error_reasons(verdicts: Iterable[ProbeVerdict]) -> Counter[str]:
    """Why probes could not be graded, with counts."""
    return Counter(_reason(verdict) for verdict in verdicts if verdict.verdict == "error")


def _reason(verdict: ProbeVerdict) -> str:
    facts = (fact.why for fact in verdict.facts if fact.verdict == "error")
    reason = verdict.error or next(facts, "no reason is recorded")
    return re.sub(r"^session \S+ was not stored: ", "a session was not stored: ", reason)  # one reason, however often


_SUMMARY = TypeAdapter(Summary)


def write_summary(path: Path, summary: Summary) -> None:
    """Keep a summary beside its run; the run is to be sealed again."""
    content = _SUMMARY.dump_python(summary, mode="json")
    replace_file(path / SUMMARY, seal_document({"format": FORMAT, "counted_by": counted_by(), **content}))


def read_summary(path: Path) -> Summary | None:
    """The summary of a sealed run; None if other code counted it. Damaged if it is not one."""
    try:
        content = open_document(read_inside(path, SUMMARY))
        if content.pop("format", None) != FORMAT or content.pop("counted_by", None) != counted_by():
            return None
        return _SUMMARY.validate_python(content)
    except (BrokenSeal, ValidationError) as error:
        why = first_problem(error) if isinstance(error, ValidationError) else error
        raise Damaged(path / SUMMARY, why) from error


@cache
def counted_by() -> str:
    """What a summary depends on beside the run: memtriage's version, and the code that counts."""
    digest = hashlib.sha256((installed_version("memtriage") or "").encode())
    for room in ("tables", "metrics", "record"):
        folder = files(f"memtriage.{room}")
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.endswith(".py"):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:32]
