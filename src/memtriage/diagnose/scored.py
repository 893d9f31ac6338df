"""Answers that words alone grade: by holding a gold text, by being one, or by the titles they list first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtriage.core.episode import Episode, Probe, Scoring
from memtriage.core.verdict import ProbeVerdict, StageState
from memtriage.metrics.answers import all_inside, best, contains, exact_flexible, exact_strict, f1
from memtriage.metrics.titles import Titles, recalls

WORDED: frozenset[Scoring] = frozenset({"contains", "exact", "titles"})
"""Ways to score that need no judge."""

RANK = 5
"""So many titles of a list count."""

_MORE: Mapping[str, Mapping[str, Callable[[str, Sequence[str]], float]]] = {"eventqa": {"EventQA_recall": all_inside}}
"""Further measures of single tasks, by the last part of a task's name."""


@dataclass(frozen=True, slots=True)
class Graded:
    """What was found of an answer: whether it is right, its share of what was wanted, why, and every measure of it."""

    right: bool
    credit: float
    why: str
    measures: Mapping[str, float] = field(default_factory=dict)


def grade(probe: Probe, answer: str, task: str = "", titles: Titles | None = None) -> Graded:
    """The grade of an answer to a probe that words grade; `titles` are those that exist, where that is known."""
    golds = probe.golds or (probe.gold,)
    if probe.scoring == "titles":
        return _listed(recalls(answer, golds, titles))
    measures = {
        "SubEM": best(contains, answer, golds),
        "EM": best(exact_strict, answer, golds),
        "EM_flexible": best(exact_flexible, answer, golds),
        "F1": best(lambda said, gold: f1(said, gold).f1, answer, golds),
    }
    more = _MORE.get(task.rpartition("/")[2], {})
    measures |= {name: float(measure(answer, golds)) for name, measure in more.items()}
    held = probe.scoring == "contains"
    credit = measures["SubEM" if held else "EM_flexible"]
    why = "a gold answer" if credit == 1 else "no gold answer"
    return Graded(credit == 1, credit, f"{why} stands in it" if held else f"it is {why}", measures)


class Grades:
    """Grades the answers to an episode's probes by words.

    Where an episode's probes are scored by titles, the `choices` of any of them are the titles that exist.
    """

    def __init__(self, episode: Episode) -> None:
        self._task = episode.task
        known = [title for probe in episode.probes if probe.scoring == "titles" for title in probe.choices]
        self._titles = Titles(known) if known else None

    def of(self, probe: Probe, answer: str) -> Graded:
        """The grade of an answer to a probe that words grade."""
        return grade(probe, answer, probe.task or self._task, self._titles)

    def graded(self, probe: Probe, answer: str, verdict: ProbeVerdict) -> ProbeVerdict:
        """The verdict with what words say of an answer."""
        if verdict.verdict == "error":
            return verdict
        found = self.of(probe, answer)
        return with_answer(verdict, found.right, found.credit, found.why, found.measures)


def _listed(measures: dict[str, float]) -> Graded:
    credit = measures[f"Recall@{RANK}"]
    why = f"of the titles wanted, {credit:.0%} are among the first {RANK} listed"
    return Graded(credit > 0, credit, why, measures)


def with_answer(
    verdict: ProbeVerdict, right: bool, credit: float, why: str, measures: Mapping[str, float] | None = None
) -> ProbeVerdict:
    """The verdict with what was found of the answer.

    It stays that of the first stage that failed: an answer can be right without what was needed for it.
    """
    judged = replace(verdict, right=right, credit=credit, measures={**verdict.measures, **(measures or {})})
    if verdict.verdict != "correct":
        return judged
    state: StageState = "pass" if right else "fail"
    facts = tuple(
        replace(fact, stages={**fact.stages, "reasoning": state}) if fact.verdict == "correct" else fact
        for fact in verdict.facts
    )
    if right:
        return replace(judged, facts=facts)
    told = f"everything needed was retrieved, but the answer is not right: {why}"
    misread = (replace(f, verdict="reasoning_error", why=told) if f.verdict == "correct" else f for f in facts)
    return replace(judged, verdict="reasoning_error", facts=tuple(misread))
