"""Read traces recorded by another tool, diagnose them with a judge, or estimate what that would cost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memtriage.config import Grading, Limits
from memtriage.core.chat import ChatModel
from memtriage.core.errors import BadInput
from memtriage.diagnose.imported_traces import (
    ImportedStore,
    ImportedTraces,
    Loader,
    converted,
    imported,
    judge_traces,
    load_stores,
)
from memtriage.diagnose.importers.formats import OWN, Import, ImportedFile, gold_template, read_import, recognize
from memtriage.diagnose.published_stores import load_published
from memtriage.diagnose.trace_format import grouped
from memtriage.pipeline.bill import limits_of_run
from memtriage.pipeline.dry_run import estimate_judging
from memtriage.pipeline.estimate import Estimate
from memtriage.pipeline.models import check_models, open_models


@dataclass(frozen=True, slots=True)
class TraceFile:
    """A file of another tool, how it is to be read, and what stands beside it.

    `source` is its format; without one, its content tells. `data` are the episodes of `suite` that it is about; the
    rest is as in `Import`.
    """

    path: Path
    source: str = ""
    gold: Path | None = None
    answers: Path | None = None
    searches: tuple[str, ...] = ()
    ks: tuple[int, ...] = ()
    system: str = ""
    data: Path | None = None
    suite: str = "meme"

    def stores(self, judged: bool, tell: Callable[[str], None]) -> list[ImportedStore]:
        """Its stores with their questions; `tell` hears what is missing in it. `judged` if a judge will grade."""
        if self.data is not None:
            self._refuse("--data says what the file is about")
            return load_published(self.path, self.suite, self.data)
        if self._source == OWN:
            self._refuse("a file of trace lines says everything itself", but="--from")
            return load_stores(self.path, judged)
        found = self._imported(tell, judged)
        if not found.questions:
            raise BadInput(
                f"{self.path}: nobody says what right answers need, and no question has an answer that could be "
                "graded; write a file with its questions (--gold-template gold.jsonl), fill in the facts, and give it "
                "with --gold gold.jsonl"
            )
        return converted(grouped(self.path, found.lines, judged))

    def gold_template(self, tell: Callable[[str], None]) -> list[dict[str, Any]]:
        """A gold line for each question of the file, to be filled in."""
        if self.data is not None or self._source == OWN:
            why = "--data says what the file is about" if self.data else "a file of trace lines says everything itself"
            raise BadInput(f"{why}; leave out --gold-template, or name its format with --from")
        return gold_template(self._imported(tell))

    @property
    def _source(self) -> str:
        return self.source or recognize(self.path)

    def _imported(self, tell: Callable[[str], None], judged: bool = False) -> ImportedFile:
        source = self._source
        how = Import(source, self.gold, self.answers, self.searches, self.ks, self.system, judged)
        found = read_import(self.path, how)
        if not self.source:
            tell(f"read as {source}; --from names another format")
        for note in found.notes:
            tell(note)
        return found

    def _refuse(self, why: str, but: str = "") -> None:
        given = {
            "--from": self.source,
            "--gold": self.gold,
            "--answers": self.answers,
            "--searches": self.searches,
            "--k": self.ks,
            "--system": self.system,
        }
        if option := next((option for option, value in given.items() if value and option != but), None):
            raise BadInput(f"{why}; leave out {option}, or name its format with --from")


def judge_file(
    path: Path,
    judge: str,
    *,
    paper_exact: bool = False,
    limits: Limits | None = None,
    bill: Path | None = None,
    done: Callable[[], None] = lambda: None,
    load: Loader | None = None,
) -> ImportedTraces:
    """Stage verdicts for every trace in a JSON-lines file; a judge decides what words can't, and grades answers.

    What was asked before is in the cache: the same again costs nothing, and goes on where it was stopped. With `bill`,
    what it costs is added to the bill in that folder.
    """
    grading, limits = Grading(judge=judge, paper_exact=paper_exact), limits or Limits()
    stores = load(path) if load else load_stores(path, judged=True)
    check_models(grading, limits if bill is None else limits_of_run(bill, limits))
    with open_models(grading, limits, bill=bill) as models:
        assert models.judge is not None  # one was named
        verdicts = models.runner.run(judge_traces(stores, models.judge, paper_exact, done))
        ledger = models.ledger
        return replace(imported(stores, verdicts), cost=ledger.snapshot(), stopped=ledger.stopped)


def estimate_file(
    path: Path, judge: str, *, paper_exact: bool = False, limits: Limits | None = None, load: Loader | None = None
) -> Estimate:
    """Estimate what judging the traces of a file would cost; nothing is asked."""
    stores = load(path) if load else load_stores(path, judged=True)

    def work(model: ChatModel) -> Awaitable[object]:
        return judge_traces(stores, model, paper_exact)

    return estimate_judging(judge, work, limits or Limits(), staged=True)
