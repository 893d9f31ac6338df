"""What was retrieved against what was answered: who was right for the right reason, and who without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memtriage.core.verdict import FAILURES, ProbeVerdict

Outcome = Literal["retrieved_right", "retrieved_wrong", "missing_right", "missing_wrong", "unjudged", "open"]

_Cell = tuple[str, str, str, int]
"""Suite, task, system, k."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One task, system and k: everything needed retrieved or not, against the answer right or wrong.

    `unjudged` answers are those that nobody graded; `open` are the probes of which words could not settle what was
    retrieved, and errors. Probes that are credited only with an earlier one count as the pair they are.
    """

    suite: str
    task: str
    system: str
    k: int
    n: int
    retrieved_right: int
    retrieved_wrong: int
    missing_right: int
    missing_wrong: int
    unjudged: int
    open: int


def outcomes(probes: Iterable[ProbeVerdict]) -> list[Outcomes]:
    """The four counts per task, system and k, tasks and systems as they come; none where no answer was judged.

    Where a suite has several tasks, their sum follows as `SUITE/all`.
    """
    cells: dict[_Cell, Counter[Outcome]] = {}
    for probe in probes:
        if probe.depth == "full":
            cells.setdefault((probe.suite, probe.task, probe.system, probe.k), Counter())[outcome(probe)] += 1
    several = {suite for suite in {key[0] for key in cells} if len({key[1] for key in cells if key[0] == suite}) > 1}
    for (suite, _, system, k), counted in list(cells.items()):
        if suite in several:
            cells.setdefault((suite, f"{suite}/all", system, k), Counter()).update(counted)
    judged = any(count for cell in cells.values() for name, count in cell.items() if name not in ("unjudged", "open"))
    return [_row(key, cells[key]) for key in _in_order(cells)] if judged else []


def _in_order(cells: Iterable[_Cell]) -> list[_Cell]:
    """Tasks and systems by first appearance, k ascending."""
    keys = list(cells)
    tasks, systems = (list(dict.fromkeys(key[place] for key in keys)) for place in (1, 2))
    return sorted(keys, key=lambda key: (tasks.index(key[1]), systems.index(key[2]), key[3]))


def outcome(probe: ProbeVerdict) -> Outcome:
    """In which of the cells a probe falls."""
    if probe.verdict != "correct" and probe.verdict not in FAILURES:
        return "open"
    if probe.right is None:
        return "unjudged"
    if probe.verdict in ("correct", "reasoning_error"):
        return "retrieved_right" if probe.right else "retrieved_wrong"
    return "missing_right" if probe.right else "missing_wrong"


def _row(key: _Cell, counts: Counter[Outcome]) -> Outcomes:
    return Outcomes(
        *key,
        n=counts.total(),
        retrieved_right=counts["retrieved_right"],
        retrieved_wrong=counts["retrieved_wrong"],
        missing_right=counts["missing_right"],
        missing_wrong=counts["missing_wrong"],
        unjudged=counts["unjudged"],
        open=counts["open"],
    )
