"""Right and wrong answers, by whether everything needed was retrieved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memtriage.core.amount import K, k_order
from memtriage.core.verdict import FAILURES, ProbeVerdict
from memtriage.tables.depth import at_graded_depth
from memtriage.tables.table import REFERENCES

Outcome = Literal["retrieved_right", "retrieved_wrong", "missing_right", "missing_wrong", "unjudged", "open"]

_Key = tuple[str, str, str, K]
"""Suite, task, system, k."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The counts of one task, system and k: everything needed retrieved or not, and the answer right or wrong.

    `unjudged` counts answers that were not graded; `open` counts errors and probes for which it is uncertain what was
    retrieved. A probe that is only credited together with an earlier one counts as a pair.
    """

    suite: str
    task: str
    system: str
    k: K
    n: int
    retrieved_right: int
    retrieved_wrong: int
    missing_right: int
    missing_wrong: int
    unjudged: int
    open: int


def outcomes(probes: Iterable[ProbeVerdict]) -> list[Outcomes]:
    """The counts per task, system and k; no rows if no answer was judged.

    If a suite has several tasks, their sum follows as `SUITE/all`.
    """
    cells: dict[_Key, Counter[Outcome]] = {}
    for probe in at_graded_depth(probes):
        if probe.depth == "full":
            cells.setdefault((probe.suite, probe.task, probe.system, probe.k), Counter())[outcome(probe)] += 1
    several = {suite for suite in {key[0] for key in cells} if len({key[1] for key in cells if key[0] == suite}) > 1}
    for (suite, _, system, k), counts in list(cells.items()):
        if suite in several:
            cells.setdefault((suite, f"{suite}/all", system, k), Counter()).update(counts)
    judged = any(count for cell in cells.values() for name, count in cell.items() if name not in ("unjudged", "open"))
    return [_row(key, cells[key]) for key in _sorted_keys(cells)] if judged else []


def _sorted_keys(cells: Iterable[_Key]) -> list[_Key]:
    """Tasks and systems by first appearance, floor and ceilings last; k ascending."""
    keys = list(cells)
    tasks, systems = (list(dict.fromkeys(key[place] for key in keys)) for place in (1, 2))
    systems.sort(key=REFERENCES.__contains__)
    return sorted(keys, key=lambda key: (tasks.index(key[1]), systems.index(key[2]), k_order(key[3])))


def outcome(probe: ProbeVerdict) -> Outcome:
    """The outcome of one probe."""
    if probe.verdict != "correct" and probe.verdict not in FAILURES:
        return "open"
    if probe.right is None:
        return "unjudged"
    if probe.verdict in ("correct", "reasoning_error"):
        return "retrieved_right" if probe.right else "retrieved_wrong"
    return "missing_right" if probe.right else "missing_wrong"


def _row(key: _Key, counts: Counter[Outcome]) -> Outcomes:
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
