"""Check a run directory whole: is everything in it what was written? And make again what can be made again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memtriage.config import Grading, Limits
from memtriage.core.errors import BadRun
from memtriage.host.files import read_inside
from memtriage.host.sealed import page_is_whole
from memtriage.host.shell import shell_word
from memtriage.models.batch_log import BATCHES, BatchLog
from memtriage.models.held import DUE, Waiting
from memtriage.pipeline.bill import COST, check_cost, rebuild_cost
from memtriage.pipeline.run import Run, diagnose_again, summary_of
from memtriage.record.counted import counted_records
from memtriage.record.files import MEMORY_CHECKS, PACKED, SEALED, SESSIONS, SUMMARY, Damaged
from memtriage.record.journal import records
from memtriage.record.manifest import read_manifest
from memtriage.record.memory_checks import read_memory_checks
from memtriage.record.reader import RunReader
from memtriage.record.seal import SEAL, RunSeal, read_seal, remove_seal
from memtriage.record.verdicts import STORES, VERDICTS, read_stores, read_verdicts

PAGE = "report.html"
_LABELS = "audit.jsonl"


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found in a run directory. A run that is `finished` has a digest."""

    path: Path
    damage: tuple[Damaged, ...]
    digest: str = ""
    records: int = 0

    @property
    def finished(self) -> bool:
        return bool(self.digest)

    @property
    def whole(self) -> bool:
        """Whether the run is finished, and everything in it is what was written."""
        return self.finished and not self.damage

    def names(self, file: str) -> bool:
        """Whether this file is damaged, plain or packed."""
        return any(each.file.name.removesuffix(PACKED) == file for each in self.damage)


def verify(path: Path) -> Verified:
    """Read a run directory through, and list what is not as it was written: the first thing of each file."""
    found: dict[Path, Damaged] = {}

    def check(step: Callable[[], object]) -> bool:
        try:
            step()
        except Damaged as damaged:
            found.setdefault(damaged.file, damaged)
            return False
        return True

    if not check(lambda: read_manifest(path)):
        return Verified(path, tuple(found.values()))
    seal = read_seal(path) if check(lambda: read_seal(path)) else None
    for name in SEALED:
        check(lambda name=name: _check_file(path, name, seal))  # type: ignore[misc]
    with RunReader(path, sealed=False) as reader:
        for entry in reader.manifest["episodes"]:
            check(lambda id=entry["id"]: reader.episode(id))  # type: ignore[misc]
        reader.close()  # sessions that it keeps are not needed again
        check(reader.check_records)
    if seal is not None:
        check(lambda: _read_through(read_verdicts(path, seal)))
        check(lambda: _read_through(read_stores(path, seal)))
        check(lambda: check_cost(path))
        if MEMORY_CHECKS in seal.files:
            check(lambda: _read_through(read_memory_checks(path, seal)))
        if not found:
            check(lambda: _check_summary(path))
    check(lambda: _as_damage(path / DUE, lambda: Waiting.read(path)))
    check(lambda: _as_damage(path / BATCHES, lambda: BatchLog(path, "")))
    check(lambda: _check_page(path))
    check(lambda: _read_through(counted_records(path / _LABELS)))
    count = sum(file.records for file in seal.files.values()) if seal else 0
    return Verified(path, tuple(found.values()), seal.digest if seal else "", count)


def rebuild(found: Verified, cache: Path | None = None) -> None:
    """Make verdicts, cost and seal again from what is whole; Damaged for what can't be made again. No model is asked.

    The page, which is no business of this room, is left to the caller.
    """
    path = found.path
    lost = next((each for each in found.damage if not each.rebuildable), None)
    if lost is not None:
        raise lost
    if found.names(DUE):
        (path / DUE).unlink()  # the run makes it again when it goes on
    if found.names(COST):
        rebuild_cost(path)
    if not any(map(found.names, (SEAL, VERDICTS, STORES, MEMORY_CHECKS, SUMMARY))):
        return
    recorded: Mapping[str, Any] = read_manifest(path)
    if found.names(SEAL):
        if Run(path, reader=RunReader(path, sealed=False)).unfinished:
            raise BadRun(f"{path} is not finished; finish it with: memtriage resume {shell_word(path)}")
        remove_seal(path)
    elif (seal := read_seal(path)) is not None and seal.grading:
        recorded = {"grading": seal.grading}
    try:
        grading = Grading.of_run(recorded)
    except (KeyError, TypeError, AttributeError) as error:
        raise Damaged(path / SEAL, f"its grading can't be read: {error}") from error
    diagnose_again(path, grading, replace(Limits(), hold=True, cache=cache))


def _check_file(path: Path, name: str, seal: RunSeal | None) -> None:
    """Check the records of a file, and the file as a whole if the run is finished."""
    if name.endswith(".jsonl") and name != SESSIONS:
        _read_through(records(path / name))
    if seal is not None and name in seal.files:
        seal.refuse_other(path, name)


def _read_through(checked: Iterable[object]) -> None:
    """Read all of what is checked while it is read; nothing of it is kept."""
    for _ in checked:
        pass


def _check_summary(path: Path) -> None:
    """Check that the summary of a run is what its verdicts and its journal come to, if this code counted it."""
    run = Run(path)
    if run.summary is not None and run.summary != (again := summary_of(run.reader, run.summary.stopped, keep=False)):
        parts = ("notes", "notices", "unfinished")
        odd = [name for name in parts if getattr(run.summary, name) != getattr(again, name)]
        raise Damaged(path / SUMMARY, f"its {(odd or ['counts'])[0]} are not those of the run")


def _as_damage(file: Path, read: Callable[[], object]) -> None:
    try:
        read()
    except BadRun as error:
        raise Damaged(file, error) from error


def _check_page(path: Path) -> None:
    try:
        whole = page_is_whole(read_inside(path, PAGE))
    except FileNotFoundError:
        return
    if not whole:
        raise Damaged(path / PAGE, "it is not the page that was written")
