"""Grades answers, and nothing else does.

A probe's scoring (`SCORINGS`) says who decides: the letter of the answer, its words, or a judge. Each answer is graded
by itself; `with_grade` puts the grade into a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from memtriage.core.episode import Episode, Fact, Probe, Scoring
from memtriage.core.rubric import ANSWER_STAGES, JUDGED_AS, NUGGET_STAGES, Rubric, Stage
from memtriage.core.verdict import ProbeVerdict, StageState
from memtriage.diagnose.judge.prompts import Case, Ruling
from memtriage.metrics.answers import best, exact_flexible, official
from memtriage.metrics.letters import CANT_TELL, parse_choice, says_cant_tell
from memtriage.metrics.titles import Titles, recalls
from memtriage.metrics.verbatim import in_order, normal, verbatim
from memtriage.registry import answer_measures, rubric

RANK = 5
"""How many titles of a list count."""


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of an answer: whether it is right, its share of what was wanted, why, and its measures."""

    right: bool
    credit: float
    why: str
    by: Literal["letter", "words", "judge"]
    measures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScoringRule:
    """Who grades answers: `grade`, or else a judge at the stage `judged_at` (by default the rubric's last)."""

    grade: Callable[[Probe, str, Titles | None, Mapping[str, float]], Grade] | None = None
    judged_at: Stage | None = None


def _by_letter(probe: Probe, answer: str, _: Titles | None, __: Mapping[str, float]) -> Grade:
    letter = parse_choice(answer, probe.letters)
    right = letter == probe.correct_choice
    said = letter or (CANT_TELL if says_cant_tell(answer, probe.letters) else "no letter")
    return Grade(right, float(right), f"the answer was {said}, not {probe.correct_choice}", "letter")


def _by_gold(probe: Probe, answer: str, _: Titles | None, own: Mapping[str, float], *, decides: str, why: str) -> Grade:
    golds = probe.golds or (probe.gold,)
    flexible, measured = best(exact_flexible, answer, golds), official(answer, golds)
    measures = {"SubEM": 0.0, "EM": 0.0, "EM_flexible": flexible, **measured, **own}  # as tables list them
    credit = measures[decides]
    return Grade(credit == 1, credit, why.format("a" if credit == 1 else "no"), "words", measures)


def _by_titles(probe: Probe, answer: str, known: Titles | None, own: Mapping[str, float]) -> Grade:
    measures = recalls(answer, probe.golds or (probe.gold,), known)
    credit = measures[f"Recall@{RANK}"]
    why = f"of the titles wanted, {credit:.0%} are among the first {RANK} listed"
    return Grade(credit > 0, credit, why, "words", {**measures, **own})


SCORINGS: Mapping[Scoring, ScoringRule] = {
    "free": ScoringRule(),
    "abstain": ScoringRule(judged_at="abstention"),
    "points": ScoringRule(judged_at="points"),
    "nuggets": ScoringRule(judged_at="nuggets"),
    "choice": ScoringRule(_by_letter),
    "contains": ScoringRule(partial(_by_gold, decides="SubEM", why="{} gold answer stands in it")),
    "exact": ScoringRule(partial(_by_gold, decides="EM_flexible", why="it is {} gold answer")),
    "titles": ScoringRule(_by_titles),
}
"""All ways of scoring. To add one, name it in `core.episode.Scoring` and say here who grades it."""


def graded_by_words(probe: Probe) -> bool:
    """Whether answers to this probe are graded by words, not by a letter or a judge."""
    return SCORINGS[probe.scoring].grade is not None and not probe.lettered


def last_stage(rules: Rubric, probe: Probe) -> Stage | None:
    """The stage at which a judge grades answers to this probe; None if a letter or words do."""
    rule = SCORINGS[probe.scoring]
    if rule.grade is not None:
        return None
    others = {"abstention": ANSWER_STAGES, "nuggets": NUGGET_STAGES}.get(rule.judged_at or "", ())
    return rules.last if rule.judged_at is None or rules.last in others else rule.judged_at


class AnswerGrader:
    """Grades the answers to an episode's probes by rule, or prepares what a judge is asked.

    If probes are scored by titles, the `choices` of all of them are the known titles.
    """

    def __init__(self, probes: Iterable[Probe], facts: Iterable[Fact] = (), task: str = "") -> None:
        self._task = task
        self._facts = {fact.id: fact for fact in facts}
        self._probes = {probe.id: probe for probe in probes}
        known = [title for probe in self._probes.values() if probe.scoring == "titles" for title in probe.choices]
        self._titles = Titles(known) if known else None

    @classmethod
    def of(cls, episode: Episode) -> AnswerGrader:
        """The grader of an episode's answers."""
        return cls(episode.probes, episode.facts, episode.task)

    def rules(self, probe: Probe) -> Rubric:
        """The rubric of a probe: by its tag `judged_as`, else by its own task, else by its episode's task."""
        return rubric(probe.tags.get(JUDGED_AS) or probe.task or self._task)

    def stage(self, probe: Probe) -> Stage | None:
        """The stage at which a judge grades answers to a probe; None if no judge is needed."""
        return last_stage(self.rules(probe), probe)

    def by_scoring(self, probe: Probe, answer: str) -> Grade | None:
        """The grade of an answer by its letter or its words; None if the probe is scored by a judge.

        Where a suite has a measure of its own by the name of one of ours, its own counts.
        """
        grade = SCORINGS[probe.scoring].grade
        if grade is None:
            return None
        golds, own = probe.golds or (probe.gold,), answer_measures(probe.task or self._task)
        measures = {name: float(measure(answer, golds)) for name, measure in own.items()}
        return grade(probe, answer, self._titles, measures)

    def by_words(self, probe: Probe, answer: str) -> Grade | None:
        """The grade of an answer that words can decide although a judge would; None if they can't."""
        match self.stage(probe):
            case "verbatim":
                right = verbatim(probe.gold, answer)
                why = f"the text is {'' if right else 'not '}there word for word"
                return Grade(right, float(right), why, "words")
            case "history":
                match in_order(self._values(probe), answer, probe.text):
                    case True:
                        return Grade(True, 1.0, "every value is named, in order", "words")
                    case False:
                        return Grade(False, 0.0, "there is no answer", "words")
        return None

    def by_rule(self, probe: Probe, answer: str) -> Grade | None:
        """The grade of an answer without a judge, if there is one."""
        return self.by_scoring(probe, answer) or self.by_words(probe, answer)

    def case(self, probe: Probe, answer: str, facts: tuple[Fact, ...] = ()) -> Case:
        """What a judge is shown about an answer; `facts` are those that may support it."""
        return Case(facts, (), probe.text, probe.gold, answer, self._values(probe), tuple(self._former(probe)))

    def _values(self, probe: Probe) -> tuple[str, ...]:
        """The parts of a right answer, in order: what the gold answer says of each fact of the first sufficient set."""
        if probe.scoring == "points" or self.stage(probe) in NUGGET_STAGES:
            return probe.golds
        first = probe.sufficient[0] if probe.sufficient else ()
        return tuple(_value(self._facts[id], probe.gold) for id in first)

    def _former(self, probe: Probe) -> Iterator[str]:
        """What used to be right: the answer to the earlier probe, or the values of the outdated facts."""
        if probe.given:
            yield self._probes[probe.given].gold
        else:
            yield from (_value(self._facts[old.fact], probe.gold) for old in probe.outdated)


def _value(fact: Fact, gold: str) -> str:
    in_gold = [detail for detail in fact.details if normal(detail) in normal(gold)]
    return ", ".join(in_gold) or next(iter(fact.details), fact.text)


def grade_of(ruling: Ruling) -> Grade:
    """The grade that follows from a judge's ruling on an answer."""
    credit = float(ruling.verdict) if ruling.credit is None else ruling.credit
    return Grade(ruling.verdict, credit, ruling.why, "judge", ruling.measures or {})


def with_grade(verdict: ProbeVerdict, grade: Grade, *, declining: bool = False) -> ProbeVerdict:
    """The verdict with the grade of its answer.

    It still names the first stage that failed: an answer can be right although facts were missing. A question that is
    right only if it is declined (`declining`) needs no fact, so the answer alone decides.
    """
    if verdict.verdict == "error":
        return verdict
    measures = {**verdict.measures, **grade.measures}
    graded = replace(verdict, right=grade.right, credit=grade.credit, measures=measures)
    wrong = grade.why if grade.by == "letter" else f"the answer is not right: {grade.why}"
    if declining:
        return (
            replace(graded, verdict="correct") if grade.right else replace(graded, verdict="reasoning_error", why=wrong)
        )
    if verdict.verdict != "correct":
        return graded
    state: StageState = "pass" if grade.right else "fail"
    facts = tuple(
        replace(fact, stages={**fact.stages, "reasoning": state}) if fact.verdict == "correct" else fact
        for fact in verdict.facts
    )
    if grade.right:
        return replace(graded, facts=facts)
    why = f"everything needed was retrieved, but {wrong}"
    misread = (replace(f, verdict="reasoning_error", why=why) if f.verdict == "correct" else f for f in facts)
    return replace(graded, verdict="reasoning_error", facts=tuple(misread))
