"""The runs that a viewer shows: their indexes, their progress and their comparisons."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

from memtriage import api
from memtriage.core.errors import MemtriageError
from memtriage.host.shell import shell_word
from memtriage.tables.compare import compare
from memtriage.tables.pairs import Comparison
from memtriage.view.index import Progress, RunIndex, build_index, index_file
from memtriage.view.pages import FLIPS_SHOWN, compare_page, waiting_page
from memtriage.view.progress import RunProgress
from memtriage.view.runs import Listed, Runs

Choice = tuple[str, str, str, str]
"""What is compared: the id of run A, its system, the id of run B, its system; "" pairs systems by their names."""


CHOOSE = "Choose two runs, or two systems of one run."
BEGIN = "Choose two runs, or two systems of one run, then press Compare; these two can be compared."
NOTHING = "There is nothing to compare: it takes two systems, or two runs that share a suite and a system."


class Library:
    """All runs below some folders. Indexes are made one at a time, in the background."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self.runs = Runs(roots)
        self._reading: dict[str, int] = {}
        self._failed: dict[str, str] = {}
        self._progress: dict[str, RunProgress] = {}
        self._lock = threading.Lock()
        self._one_at_a_time = threading.Lock()
        self.comparison = lru_cache(maxsize=32)(self._comparison)

    def index(self, run: Listed) -> RunIndex | None:
        """The index of a run, if it was made."""
        file = index_file(run.digest)
        if not run.digest or not file.exists():
            return None
        with suppress(OSError):
            os.utime(file)  # those that nobody uses are forgotten
        return RunIndex(file, run.path)

    def make_index(self, run: Listed, progress: Progress = lambda read: None) -> RunIndex:
        """The index of a run; if there is none, the run is read through."""
        return self.index(run) or RunIndex(build_index(api.load(run.path), progress), run.path)

    def begin_index(self, run: Listed) -> None:
        """Begin to read a run through, in the background; nothing if that is under way or has failed."""
        with self._lock:
            if run.digest in self._reading or run.digest in self._failed:
                return
            self._reading[run.digest] = 0
        threading.Thread(target=self._read, args=(run,), daemon=True).start()

    def _read(self, run: Listed) -> None:
        try:
            with self._one_at_a_time:
                self.make_index(run, lambda read: self._reading.update({run.digest: read}))
        except Exception as error:  # whatever it is, the page that waits has to be told
            known = isinstance(error, MemtriageError | OSError)
            self._failed[run.digest] = str(error) if known else f"{type(error).__name__}: {error}"
        finally:
            self._reading.pop(run.digest, None)

    def status(self, run: Listed) -> dict[str, Any]:
        """How a run stands, for a page that waits: ready, being read, failed, running or stopped."""
        if run.state == "broken":
            return {"state": "failed", "told": run.reason}
        if run.state == "finished":
            if self.index(run):
                return {"state": "ready", "told": ""}
            if run.digest in self._failed:
                return {"state": "failed", "told": self._failed.pop(run.digest)}  # asked again, it is tried again
            self.begin_index(run)
            told = "This run is read through once; after that it opens at once."
            return {"state": "reading", "told": told, "read": [self._reading.get(run.digest, 0), run.verdicts]}
        told = (
            "This run is going on."
            if run.state == "running"
            else f"This run is not finished. Go on with: memtriage resume {shell_word(run.path)}"
        )
        try:
            with self._lock:
                status = self._progress.setdefault(run.id, RunProgress(run.path)).status()
        except (MemtriageError, OSError) as error:
            return {"state": "failed", "told": str(error)}
        return {"state": run.state, "told": told, **status}

    def summaries(self, runs: Sequence[Listed]) -> dict[str, dict[str, Any]]:
        """What the runs that were read before come to: a headline, and how many verdicts are correct and errors."""
        indexes = ((run, self.index(run)) for run in runs if run.state == "finished")
        return {run.id: json.loads(index.kept("summary")) for run, index in indexes if index}

    def compared(self, choice: Choice) -> str:
        """The page that compares two runs or systems; if they can't be compared, it says why."""
        listed = self.runs.listed()
        by_id = {run.id: run for run in listed if run.state == "finished"}
        a, b = by_id.get(choice[0]), by_id.get(choice[2])
        chosen = {"a": a.id if a else "", "x": choice[1], "b": b.id if b else "", "y": choice[3]}
        if a is None or b is None:
            suggested = _suggestion(list(by_id.values()), a or b)
            return compare_page(listed, suggested or chosen, notes=[BEGIN if suggested else NOTHING])
        for run in (a, b):
            if self.index(run) is None and (status := self.status(run))["state"] != "failed":
                return waiting_page(run, status, home="../")
        if a == b and not (choice[1] and choice[3]):
            return compare_page(listed, chosen, notes=[CHOOSE])
        try:
            found, numbers, notes = self.comparison(a, choice[1], b, choice[3])
        except MemtriageError as error:
            return compare_page(listed, chosen, notes=[str(error)])
        return compare_page(listed, chosen, found, numbers, notes)

    def _comparison(
        self, a: Listed, x: str, b: Listed, y: str
    ) -> tuple[Comparison, list[tuple[int | None, int | None]], list[str]]:
        with self._one_at_a_time:
            one, two = self.make_index(a), self.make_index(b)
        pair = (x, y) if x and y else None
        sides = (x if pair else "", y if pair else "")
        found = compare(one.verdicts(sides[0]), two.verdicts(sides[1]), pair)
        numbers = [
            (
                one.number(f.suite, f.task, f.system_a, f.k, f.depth, f.episode, f.probe),
                two.number(f.suite, f.task, f.system_b, f.k, f.depth, f.episode, f.probe),
            )
            for f in found.flips[:FLIPS_SHOWN]
        ]
        reworded = ", ".join(found.judged_otherwise)
        told = f"The judges of A and B were asked in different words ({reworded}), which alone may matter."
        return found, numbers, [told] if reworded else []


def _suggestion(runs: Sequence[Listed], known: Listed | None) -> dict[str, str]:
    """What a comparison may begin with: a run and the newest one like it or, without any, its first two systems."""
    for run in [known] if known else runs:
        other = next((each for each in runs if each != run and _alike(each, run)), None)
        if other is not None:
            return {"a": other.id, "x": "", "b": run.id, "y": ""}
        if len(run.systems) > 1:
            return {"a": run.id, "x": run.systems[0], "b": run.id, "y": run.systems[1]}
    return {}


def _alike(a: Listed, b: Listed) -> bool:
    """Whether two runs share a suite and a system; where each has one system, these are paired whatever their names."""
    single = len(a.systems) == len(b.systems) == 1
    return bool(set(a.suites) & set(b.suites) and (single or set(a.systems) & set(b.systems)))


def choices(runs: Sequence[Listed], most_systems: int = 8) -> Iterator[tuple[str, Choice]]:
    """Comparisons with their names: systems of one run, and runs that share a suite and a system."""
    for run in runs:
        for x, y in combinations(run.systems[:most_systems], 2):
            yield f"{run.name}: {x} against {y}", (run.id, x, run.id, y)
    for a, b in combinations(reversed(runs), 2):
        if _alike(a, b):
            yield f"{a.name} against {b.name}", (a.id, "", b.id, "")
