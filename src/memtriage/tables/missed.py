"""Of the questions that a system could answer before a change, and not after it: what was missing in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memtriage.core.amount import K, k_order
from memtriage.core.verdict import FactVerdict, ProbeVerdict
from memtriage.suites.meme.facts import CHANGE
from memtriage.tables.scores import is_reference
from memtriage.tables.table import MERGED

Missing = Literal["change", "rule", "both", "answering", "open"]


@dataclass(frozen=True, slots=True)
class Missed:
    """The pairs of one task that a system knew before the change and failed after it, by what did not come back.

    `change`: what changed was missing, `rule`: what ties the fact to it, `both`: either. `answering`: both came back,
    and the answer is still wrong; None where no answers were graded. `open`: an error, or words can't tell.
    The system "all" sums up those that are no floor or ceiling.
    """

    suite: str
    task: str
    system: str
    k: K
    depth: str
    pairs: int
    cases: int
    change: int
    rule: int
    both: int
    answering: int | None
    open: int


def missed(probes: Iterable[ProbeVerdict]) -> list[Missed]:
    """One row per task, system and k, then one for all systems if there are several; tasks in order of appearance."""
    cells: dict[tuple[str, str, str, K, str], Counter[str]] = {}
    for probe in probes:
        if not _hangs_on_change(probe):
            continue
        systems = (probe.system,) if is_reference(probe.system) else (probe.system, MERGED)
        for system in systems:
            cell = cells.setdefault((probe.suite, probe.task, system, probe.k, probe.depth), Counter())
            cell["pairs"] += 1
            if knew_but_failed(probe):
                cell[missing(probe)] += 1
    alone = len({key[2] for key in cells if key[2] != MERGED and not is_reference(key[2])}) < 2
    tasks, systems_seen = (list(dict.fromkeys(key[place] for key in cells)) for place in (1, 2))
    order = [*(name for name in systems_seen if name != MERGED), *([] if alone else [MERGED])]
    kept = [key for key in cells if key[2] in order]
    kept.sort(key=lambda key: (tasks.index(key[1]), order.index(key[2]), k_order(key[3])))
    return [_row(*key, counts=cells[key]) for key in kept]


def knew_but_failed(probe: ProbeVerdict) -> bool:
    """Whether a question that depends on a change could be answered before it, and not after."""
    return probe.tags.get("pair") == "knew_but_failed" and _hangs_on_change(probe)


def _hangs_on_change(probe: ProbeVerdict) -> bool:
    return "pair" in probe.tags and any(fact.fact == CHANGE for fact in probe.facts)


def missing(probe: ProbeVerdict) -> Missing:
    """What did not come back of what a question after a change needs.

    Each step down from what changed can be told in several ways, as a rule or with a value; any one is enough.
    """
    ways: dict[str, list[FactVerdict]] = {}
    for fact in probe.facts:
        kind, _, entity = fact.fact.partition("/")
        if kind == "now" and _came_back(fact):  # a memory that states what follows needs neither
            return "answering"
        if kind != "now":
            ways.setdefault(entity, []).append(fact)
    lost = {entity for entity, facts in ways.items() if not any(map(_came_back, facts))}
    if any(fact.verdict in ("uncertain", "error", "n/a") for entity in lost for fact in ways[entity]):
        return "open"
    change, rule = "" in lost, bool(lost - {""})  # the change is about no entity
    return "both" if change and rule else "change" if change else "rule" if rule else "answering"


def _came_back(fact: FactVerdict) -> bool:
    return fact.verdict in ("correct", "reasoning_error")


def _row(suite: str, task: str, system: str, k: K, depth: str, counts: Counter[str]) -> Missed:
    cases = counts.total() - counts["pairs"]
    answering = counts["answering"] if depth == "full" else None
    shares = {name: counts[name] for name in ("change", "rule", "both", "open")}
    return Missed(suite, task, system, k, depth, counts["pairs"], cases, answering=answering, **shares)
