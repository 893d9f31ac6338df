"""Whether an answer is right: by its letter, by its words, or as a judge says, and what follows for the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from memtriage.core.episode import Episode, Fact, Probe
from memtriage.core.rubric import JUDGED_AS, Stage
from memtriage.core.trace import Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose.judge.prompts import Case, Ruling
from memtriage.diagnose.judge.staged import Outcome, Unjudged
from memtriage.diagnose.scored import with_answer
from memtriage.diagnose.stages import reasoned, right_letter
from memtriage.metrics.verbatim import in_order, normal, verbatim


def judged_as(probe: Probe, task: str) -> str:
    """The task by whose rubric a probe is judged: the one it names, its own, or its episode's."""
    return probe.tags.get(JUDGED_AS) or probe.task or task


class AnswerCases:
    """Makes of an answer to one of an episode's probes what a judge has to know of it."""

    def __init__(self, episode: Episode) -> None:
        self._facts: Mapping[str, Fact] = {fact.id: fact for fact in episode.facts}
        self._probes = {probe.id: probe for probe in episode.probes}

    def of(self, probe: Probe, answer: str, facts: tuple[Fact, ...] = ()) -> Case:
        """The case of one answer; `facts` are those it could rest on."""
        values = probe.golds if probe.scoring == "points" else tuple(self._values(probe))
        return Case(facts, (), probe.text, probe.gold, answer, values, tuple(self._old(probe)))

    def _values(self, probe: Probe) -> Iterator[str]:
        """What a right answer is made of, in order: what the gold answer has of each fact of the first set."""
        for id in probe.sufficient[0] if probe.sufficient else ():
            yield _told(self._facts[id], probe.gold)

    def _old(self, probe: Probe) -> Iterator[str]:
        """What was right once: the answer to the earlier probe, or what the outdated facts told."""
        if probe.given:
            yield self._probes[probe.given].gold
        else:
            yield from (_told(self._facts[old.fact], probe.gold) for old in probe.outdated)


def _told(fact: Fact, gold: str) -> str:
    there = [detail for detail in fact.details if normal(detail) in normal(gold)]
    return ", ".join(there) or next(iter(fact.details), fact.text)


def by_words(stage: Stage | None, case: Case) -> Ruling | None:
    """What words settle of an answer without a judge; None where they don't."""
    answer = case.answer or ""
    if stage == "verbatim":
        there = verbatim(case.gold or "", answer)
        return Ruling(there, (), f"the text is {'' if there else 'not '}there word for word")
    if stage == "history":
        match in_order(case.values, answer):
            case True:
                return Ruling(True, (), "every value is named, in order", 1.0)
            case False:
                return Ruling(False, (), "there is no answer", 0.0)
    return None


def graded_by_letter(probe: Probe, trace: Trace, verdict: ProbeVerdict) -> ProbeVerdict:
    """The verdict with what the letter of the trace's answer says."""
    if verdict.verdict == "error":
        return verdict
    right = right_letter(probe, trace.answer or "")
    judged = replace(verdict, right=right, credit=float(right))
    if verdict.verdict != "correct":
        return judged
    word, facts = reasoned(probe, trace, verdict.facts)
    return replace(judged, verdict=word, facts=facts)


def graded_by(outcome: Outcome | None, verdict: ProbeVerdict) -> ProbeVerdict:
    """The verdict with what was found of the answer; None where nobody asked, as an earlier stage had failed.

    The verdict stays that of the first stage that failed: an answer can be right without what was needed for it.
    """
    if outcome is None or verdict.verdict == "error":
        return verdict
    if isinstance(outcome, Unjudged):
        return replace(verdict, verdict="error", error=f"the answer could not be judged: {outcome.why}", credit=None)
    credit = float(outcome.verdict) if outcome.credit is None else outcome.credit
    return with_answer(verdict, outcome.verdict, credit, outcome.why, outcome.measures)
