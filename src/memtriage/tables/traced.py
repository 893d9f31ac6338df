"""Each fact that a question needs, traced through a system: was it encoded, maintained, retrieved, answered right?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from memtriage.core.amount import K
from memtriage.core.verdict import FactVerdict, ProbeVerdict, StageState

State = Literal["pass", "fail", "uncertain", "n/a"]


@dataclass(frozen=True, slots=True)
class Traced:
    """A fact on its way from what was said to the answer.

    `encoding`: it was written into the store, whole, at some time. `maintenance`: it was still there when the question
    was asked. `retrieval`: it came back. `answering`: the answer to the question was right. A stage behind one that
    failed is n/a. `outdated` marks a fact that is no longer true, and came back without what says so.
    """

    suite: str
    task: str
    system: str
    episode: str
    probe: str
    k: K
    question: str
    gold: str
    answer: str
    fact: str
    text: str
    outdated: bool
    encoding: State
    maintenance: State
    retrieval: State
    answering: State


def traced(probes: Iterable[ProbeVerdict]) -> Iterator[Traced]:
    """The facts of each question, in the order of the verdicts; those that were outdated and came back, last."""
    for probe in probes:
        for fact in probe.facts:
            yield _line(probe, fact.fact, fact.text, False, *_stages(fact))
        for id in probe.stale:
            yield _line(probe, id, id, True, "pass", "pass", "pass")


def _line(
    probe: ProbeVerdict, fact: str, text: str, outdated: bool, encoding: State, maintenance: State, retrieval: State
) -> Traced:
    answering: State = "n/a" if probe.right is None else "pass" if probe.right else "fail"
    named = (probe.suite, probe.task, probe.system, probe.episode, probe.probe, probe.k)
    asked = (probe.question, probe.gold, probe.answer or "")
    return Traced(*named, *asked, fact, text, outdated, encoding, maintenance, retrieval, answering)


def _stages(fact: FactVerdict) -> tuple[State, State, State]:
    """Encoding, maintenance and retrieval of a fact."""
    if fact.lost == "later":
        return "pass", "fail", "n/a"
    storage: StageState = fact.stages.get("storage", "n/a")
    summary: StageState = fact.stages.get("summary", "n/a")
    if storage == "fail" or summary == "fail":
        return "fail", "n/a", "n/a"
    kept: State = "pass" if storage == summary == "pass" else storage if storage != "pass" else summary
    return kept, kept, fact.stages.get("retrieval", "n/a")
