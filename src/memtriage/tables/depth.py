"""At which depth an error counts: where the rest of its task is graded, so that no table loses it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from memtriage.core.verdict import ProbeVerdict, Verdict

OPEN: tuple[Verdict, ...] = ("uncertain", "error")
"""Verdicts on probes that were asked and are neither right nor wrong: either remains possible."""


class GradedTasks:
    """Finds the depth of errors.

    What fails while it is stored or retrieved never gets an answer, so its only verdict says `memory` although the
    answers of its task are graded, perhaps several to each probe. Such errors wait until all of the task was seen.
    """

    def __init__(self) -> None:
        self._repeats: dict[tuple[str, str], set[int]] = {}

    def waits(self, probe: ProbeVerdict) -> bool:
        """Whether this is an error whose depth is not known yet; anything else tells of its task."""
        if probe.depth == "full":
            self._repeats.setdefault((probe.suite, probe.task), set()).add(probe.repeat)
        return probe.depth != "full" and probe.verdict == "error"

    def settled(self, probe: ProbeVerdict) -> Iterator[ProbeVerdict]:
        """The error at the depth of its task, once for every answer that others of the task have."""
        repeats = self._repeats.get((probe.suite, probe.task))
        if repeats is None:
            yield probe
        for repeat in sorted(repeats or ()):
            yield replace(probe, depth="full", repeat=repeat)


def at_graded_depth(probes: Iterable[ProbeVerdict]) -> Iterator[ProbeVerdict]:
    """The same verdicts, errors at the depth of their task; those that had to wait come last."""
    tasks, waiting = GradedTasks(), []
    for probe in probes:
        if tasks.waits(probe):
            waiting.append(probe)
        else:
            yield probe
    for probe in waiting:
        yield from tasks.settled(probe)
