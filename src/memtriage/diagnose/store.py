"""The verdicts on one store: by words first, by a judge for what words can't decide, then the grade of the answer.

Whether a store holds a fact is judged once for every k and repeat; whether it was retrieved, once per trace. Verdicts
come in the order of the traces, one window at a time, while the next window is already being judged.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, TypeVar

from memtriage.core.amount import K
from memtriage.core.episode import Episode, Fact, Probe
from memtriage.core.rubric import Rubric, Stage
from memtriage.core.trace import Answer, History, Trace
from memtriage.core.verdict import Depth, FactVerdict, ProbeVerdict
from memtriage.diagnose.answers import AnswerGrader, grade_of, with_grade
from memtriage.diagnose.judge.prompts import Case, digest
from memtriage.diagnose.judge.staged import Judge, Outcome, RetrievedFact, StoredFact, Unjudged, fact_verdict
from memtriage.diagnose.memory_index import MemoryIndex, MemorySet
from memtriage.diagnose.pairs import Pairs
from memtriage.diagnose.stages import StageFinder, Texts, best_set_verdict, credit_of, with_declining
from memtriage.metrics.ranking import Sources
from memtriage.text.language import speaking

T = TypeVar("T", "_OpenFact", "_OpenAnswer")

_StoreRules = tuple[str, str, int]
_StoredKey = tuple[str, str, _StoreRules]
"""A fact, a snapshot, and the rules by which it is judged."""

Settled = Mapping[tuple[str, K], ProbeVerdict]
"""What words say of every trace of a store, by probe and k."""

_ONLY_ANSWER = "a question to be declined: nothing that a memory brings is right, only an answer can be judged"

_WINDOW = 128
PARALLEL_WINDOWS = 4


def by_words(
    episode: Episode,
    history: History,
    traces: Iterable[Trace],
    texts: Texts,
    suite: str,
    system: str,
    sources: Sources | None = None,
) -> Iterator[ProbeVerdict]:
    """What words say of each trace of a store, up to retrieval: all that can be known before it is answered."""
    with speaking(episode.language):
        stages = StageFinder(episode, history, texts, sources)
    probes = {probe.id: probe for probe in episode.probes}
    for trace in traces:
        with speaking(episode.language):
            verdict = stages.verdict(probes[trace.probe], trace, suite, system)
        yield verdict


def diagnose(
    episode: Episode,
    history: History,
    traces: Iterable[Trace],
    texts: Texts,
    suite: str,
    system: str,
    sources: Sources | None = None,
    answers: Iterable[Answer] = (),
    answered_by: str = "",
    paper_exact: bool = False,
    settled: Settled | None = None,
) -> Iterator[ProbeVerdict]:
    """A verdict by words for every trace of one system in one episode; rankings are measured if `sources` is given.

    What words can't decide stays uncertain, and answers that only a judge can grade are not graded. With `paper_exact`,
    questions to be declined go through the stages like any other. What is `settled` is not looked for again.
    """
    with speaking(episode.language):
        store = StoreDiagnosis(
            episode, history, texts, suite, system, None, answers, answered_by, sources, paper_exact, settled
        )
    pairs = Pairs(episode)
    for trace in traces:
        with speaking(episode.language):
            found = list(store.by_words(trace))
        for verdict in found:
            yield from pairs.add(verdict)
    yield from pairs.unpaired()


async def judge_store(
    episode: Episode,
    history: History,
    traces: Iterable[Trace],
    answers: Iterable[Answer],
    texts: Texts,
    suite: str,
    system: str,
    judge: Judge | None,
    answered_by: str = "",
    sources: Sources | None = None,
    windows_at_once: int = PARALLEL_WINDOWS,
    settled: Settled | None = None,
) -> AsyncIterator[ProbeVerdict]:
    """The same with a judge: a verdict for every trace and every repeat of its answer.

    `answers` are those of one model. Without a judge, what words can't decide stays uncertain, and only answers with
    letters and those graded by words are graded.
    """
    with speaking(episode.language):
        store = StoreDiagnosis(
            episode, history, texts, suite, system, judge, answers, answered_by, sources, settled=settled
        )
    pairs = Pairs(episode)
    windows: deque[asyncio.Task[list[ProbeVerdict]]] = deque()
    stream = iter(traces)
    try:
        while (window := list(islice(stream, _WINDOW))) or windows:
            if window:
                with speaking(episode.language):
                    windows.append(asyncio.create_task(store.verdicts(window)))
            if not window or len(windows) >= windows_at_once:
                for verdict in await _first(windows):
                    for paired in pairs.add(verdict):
                        yield paired
        for paired in pairs.unpaired():
            yield paired
    finally:
        for task in windows:
            task.cancel()
        await asyncio.gather(*windows, return_exceptions=True)


async def _first(windows: deque[asyncio.Task[list[ProbeVerdict]]]) -> list[ProbeVerdict]:
    try:
        verdicts = await windows[0]
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    windows.popleft()
    return verdicts


@dataclass(frozen=True, slots=True)
class _OpenFact:
    """A fact of one trace that words could not decide."""

    place: int
    lexical: FactVerdict
    snapshot: str | None
    rules: Rubric


@dataclass(frozen=True, slots=True)
class _OpenAnswer:
    """An answer that a judge has to grade, and at which stage."""

    place: int
    repeat: int
    stage: Stage
    case: Case
    rules: Rubric


class StoreDiagnosis:
    """Diagnoses one store: judges its facts when traces need them, and grades the answers."""

    def __init__(
        self,
        episode: Episode,
        history: History,
        texts: Texts,
        suite: str,
        system: str,
        judge: Judge | None = None,
        answers: Iterable[Answer] = (),
        answered_by: str = "",
        sources: Sources | None = None,
        paper_exact: bool = False,
        settled: Settled | None = None,
    ) -> None:
        self._paper_exact = paper_exact or (judge is not None and judge.paper_exact)
        self._history = history
        self._texts = texts
        self._labels = (suite, system)
        self._judge = judge
        self._answered_by = answered_by
        self._settled = settled or {}
        self._stages = None if settled else StageFinder(episode, history, texts, sources)
        self._facts = {fact.id: fact for fact in episode.facts}
        self._probes = {probe.id: probe for probe in episode.probes}
        self._grader = AnswerGrader.of(episode)
        self._rules = {probe.id: self._grader.rules(probe) for probe in episode.probes}
        self._judged_with = {fact.id: fact.id for fact in episode.facts}
        if judge is not None and judge.judges_turns:
            self._judge_turns(episode)
        self._memories = MemoryIndex()
        self._stores: dict[str, MemorySet] = {}
        self._stored: dict[_StoredKey, asyncio.Task[StoredFact]] = {}
        self._answers: dict[tuple[str, K], list[Answer]] = {}
        for answer in answers:
            self._answers.setdefault((answer.probe, answer.k), []).append(answer)

    def _judge_turns(self, episode: Episode) -> None:
        """Put the turns that told a fact in its place, where the task's paper judges these.

        Facts of the same turns are judged as one: the first of them stands for all.
        """
        said = {turn.id: turn.text for session in (*episode.sessions, *episode.coarse) for turn in session.turns}
        first: dict[tuple[tuple[str, ...], str], str] = {}
        for probe in episode.probes:
            rules = self._rules[probe.id].paper_turns
            facts = [self._facts[id] for id in probe.needed]
            if rules is None or not all(fact.turns for fact in facts):
                continue
            self._rules[probe.id] = rules
            for fact in facts:
                told = "\n".join(said[turn] for turn in fact.turns)
                self._facts[fact.id] = Fact(fact.id, told, fact.turns, (), subject=fact.subject, split=True)
                self._judged_with[fact.id] = first.setdefault((fact.turns, fact.subject), fact.id)

    async def verdicts(self, traces: Sequence[Trace]) -> list[ProbeVerdict]:
        """The verdicts on a window of traces, in order."""
        if self._judge is None:
            return [verdict for trace in traces for verdict in self.by_words(trace)]
        lexical = [self._lexical(trace) for trace in traces]
        async with asyncio.TaskGroup() as tasks:
            settling = self._settle(traces, lexical, self._judge, tasks)
            grading = self._grade(traces, settling, self._judge, tasks)
        found: dict[tuple[int, int], Outcome] = {}
        for task in grading:
            found |= task.result()
        return [
            verdict
            for place, trace in enumerate(traces)
            for verdict in self._finished(
                trace,
                settling[place].result(),
                {repeat: outcome for (at, repeat), outcome in found.items() if at == place},
            )
        ]

    def by_words(self, trace: Trace) -> Iterator[ProbeVerdict]:
        """The verdicts on a trace without a judge, one per answer."""
        return self._finished(trace, self._lexical(trace), {})

    def _lexical(self, trace: Trace) -> ProbeVerdict:
        if self._stages is None:
            return self._settled[trace.probe, trace.k]
        return self._stages.verdict(self._probes[trace.probe], trace, *self._labels)

    # ------------------------------------------------------------------ what words could not decide

    def _settle(
        self, traces: Sequence[Trace], lexical: Sequence[ProbeVerdict], judge: Judge, tasks: asyncio.TaskGroup
    ) -> list[asyncio.Task[ProbeVerdict]]:
        """Every trace's verdict up to retrieval, with the judge's verdicts on facts that words could not decide."""
        hidden = self._history.ingest.blind is not None
        last = self._history.snapshots[-1].id if self._history.snapshots else ""
        open_facts = [
            _OpenFact(
                place,
                fact,
                None if hidden or judge.known_intact(fact) else traces[place].snapshot or last,
                self._rules[verdict.probe],
            )
            for place, verdict in enumerate(lexical)
            for fact in verdict.facts
            if verdict.error is None and judge.must_decide(fact)
        ]
        self._start_store_checks(open_facts, judge, tasks)
        fetching: dict[tuple[int, str], asyncio.Task[dict[tuple[int, str], FactVerdict]]] = {}
        for group in _groups(open_facts, judge):
            task = tasks.create_task(self._fetched(group, traces, judge))
            fetching |= {(one.place, one.lexical.fact): task for one in group}

        async def settle(place: int) -> ProbeVerdict:
            facts: list[FactVerdict] = []
            for fact in lexical[place].facts:
                key = (place, fact.fact)
                facts.append((await fetching[key])[key] if key in fetching else fact)
            return self._with_facts(lexical[place], tuple(facts))

        return [tasks.create_task(settle(place)) for place in range(len(traces))]

    def _start_store_checks(self, open_facts: Sequence[_OpenFact], judge: Judge, tasks: asyncio.TaskGroup) -> None:
        """Start the judge's check of each fact in the store, unless it is known or already running."""
        wanted: dict[tuple[str, _StoreRules], dict[str, Rubric]] = {}
        for one in open_facts:
            if one.snapshot is not None and (key := self._stored_key(one)) not in self._stored:
                wanted.setdefault((one.snapshot, one.rules.store_rules), {})[key[0]] = one.rules
        for (snapshot, store_rules), asked in wanted.items():
            facts = [self._facts[id] for id in asked]
            rules = next(iter(asked.values()))
            for id, task in zip(
                asked, judge.start_store_checks(facts, self._store(snapshot), rules, tasks), strict=True
            ):
                self._stored[id, snapshot, store_rules] = task

    def _stored_key(self, one: _OpenFact) -> _StoredKey:
        return (self._judged_with[one.lexical.fact], one.snapshot or "", one.rules.store_rules)

    async def _fetched(
        self, group: Sequence[_OpenFact], traces: Sequence[Trace], judge: Judge
    ) -> dict[tuple[int, str], FactVerdict]:
        """The verdicts on some open facts: whether they are in the store and, for those intact, among the retrieved."""
        kept = [await self._stored[self._stored_key(one)] if one.snapshot is not None else None for one in group]
        reach = [n for n, held in enumerate(kept) if held is None or held.intact]
        asked = [self._asked(group[n], traces[group[n].place]) for n in reach]
        fetched = dict(zip(reach, await judge.check_retrieval(asked, group[0].rules), strict=True))
        return {
            (one.place, one.lexical.fact): fact_verdict(
                self._facts[one.lexical.fact],
                kept[n],
                fetched.get(n),
                judge.detector,
                hidden=self._history.ingest.blind is not None,
                lost=self._lost(one.snapshot),
            )
            for n, one in enumerate(group)
        }

    def _asked(self, one: _OpenFact, trace: Trace) -> RetrievedFact:
        keys = tuple(dict.fromkeys(r.key for r in trace.retrieved))
        self._memories.put(self._texts([key for key in keys if key not in self._memories]))
        return RetrievedFact(
            self._facts[one.lexical.fact], self._probes[trace.probe].text, MemorySet(self._memories, keys)
        )

    def _store(self, snapshot: str) -> MemorySet:
        """What the store held at a snapshot."""
        if snapshot not in self._stores:
            held = self._history.held_at(snapshot)
            self._memories.put(self._texts([key for key in held if key not in self._memories]))
            self._stores[snapshot] = MemorySet(self._memories, held)
        return self._stores[snapshot]

    def _lost(self, snapshot: str | None) -> Literal["never"] | None:
        """Whether a missing fact was never there: certain if the store never removed anything, else unknown."""
        return None if any(step.removed for step in self._history.leading_to(snapshot)) else "never"

    def _with_facts(self, verdict: ProbeVerdict, facts: tuple[FactVerdict, ...]) -> ProbeVerdict:
        if facts == verdict.facts:
            return verdict
        probe = self._probes[verdict.probe]
        judged, error = best_set_verdict(probe, {fact.fact: fact for fact in facts})
        judged = with_declining(probe, judged, verdict.tags.get("stale", "no"))
        return replace(verdict, facts=facts, verdict=judged, error=error, credit=credit_of(probe, facts, judged))

    # ------------------------------------------------------------------ the answer

    def _grade(
        self,
        traces: Sequence[Trace],
        settling: Sequence[asyncio.Task[ProbeVerdict]],
        judge: Judge,
        tasks: asyncio.TaskGroup,
    ) -> list[asyncio.Task[dict[tuple[int, int], Outcome]]]:
        """Start the judge's grading of the answers; outcomes are by the places of the trace and of the answer."""
        by_stage: dict[Stage, list[_OpenAnswer]] = {}
        for place, trace in enumerate(traces):
            probe = self._probes[trace.probe]
            rules = self._rules[probe.id]
            stage = self._grader.stage(probe)
            for repeat, answer in enumerate(self._answered(trace)):
                if stage is None or answer is None or answer.error is not None:
                    continue
                if self._grader.by_words(probe, answer.text) is None:
                    case = self._grader.case(probe, answer.text)
                    by_stage.setdefault(stage, []).append(_OpenAnswer(place, repeat, stage, case, rules))

        async def grade(group: Sequence[_OpenAnswer]) -> dict[tuple[int, int], Outcome]:
            settled = [(one, await settling[one.place]) for one in group]
            judged = [(one, verdict) for one, verdict in settled if self._to_judge(one.rules, verdict)]
            cases = [replace(one.case, facts=self._supporting(verdict)) for one, verdict in judged]
            outcomes = await judge.grade_answers(group[0].stage, cases, group[0].rules)
            return {(one.place, one.repeat): outcome for (one, _), outcome in zip(judged, outcomes, strict=True)}

        groups = (group for graded in by_stage.values() for group in _answers_together(graded, judge))
        return [tasks.create_task(grade(group)) for group in groups]

    def _to_judge(self, rules: Rubric, verdict: ProbeVerdict) -> bool:
        """Whether an answer is judged: every one, but in the paper's chain only if all that is needed was retrieved."""
        if verdict.verdict in ("correct", "n/a"):
            return True
        return verdict.verdict != "error" and (rules.every_answer or not self._paper_exact)

    def _supporting(self, verdict: ProbeVerdict) -> tuple[Fact, ...]:
        """The facts that an answer is held against: those retrieved or, if some are missing, all that it needs."""
        retrieved = tuple(fact.fact for fact in verdict.facts if fact.verdict == "correct")
        gold = next(iter(self._probes[verdict.probe].sufficient), ())
        complete = verdict.verdict == "correct" and retrieved
        return tuple(self._facts[id] for id in (retrieved if complete or self._paper_exact else gold))

    def _declining(self, probe: Probe) -> bool:
        """Whether only an answer can be right: the question is to be declined, and no fact in a store is outdated."""
        return probe.scoring == "abstain" and not probe.outdated and not self._paper_exact

    def _answered(self, trace: Trace) -> list[Answer | None]:
        """The answers to a trace: a model's, the system's own, or None."""
        answers = self._answers.get((trace.probe, trace.k))
        if answers:
            return [*sorted(answers, key=lambda answer: answer.repeat)]
        return [None if trace.answer is None else Answer(trace.probe, trace.k, "", text=trace.answer)]

    def _finished(self, trace: Trace, verdict: ProbeVerdict, found: dict[int, Outcome]) -> Iterator[ProbeVerdict]:
        """The final verdicts of a trace, one per answer."""
        probe = self._probes[trace.probe]
        for graded in self._answer_verdicts(probe, trace, verdict, found):
            if self._declining(probe) and graded.right is None and graded.verdict != "error":
                yield replace(graded, verdict="n/a", credit=None, why=_ONLY_ANSWER)
            else:
                yield graded

    def _answer_verdicts(
        self, probe: Probe, trace: Trace, verdict: ProbeVerdict, found: dict[int, Outcome]
    ) -> Iterator[ProbeVerdict]:
        """The verdicts of a trace with the grades of its answers."""
        if probe.lettered and probe.choices:
            verdict = replace(verdict, choices=len(probe.choices))
        if self._judge:
            verdict = replace(verdict, judged_by=self._judge.name, prompts=digest(self._rules[probe.id]))
        for repeat, answer in enumerate(self._answered(trace)):
            if answer is None:
                yield self._unanswered(probe, verdict)
                continue
            label = (answer.model and self._answered_by) or answer.model
            answered = replace(verdict, answer=answer.text, repeat=answer.repeat, answered_by=label)
            if answer.error is not None:
                # It counts as an error among the graded answers, whatever the verdicts on its facts.
                depth: Depth = "full" if self._graded(probe) else answered.depth
                yield replace(answered, depth=depth, verdict="error", error=f"no answer: {answer.error}", answer=None)
            elif (grade := self._grader.by_scoring(probe, answer.text)) is not None:
                yield with_grade(replace(answered, depth="full"), grade, declining=self._declining(probe))
            elif self._graded(probe):
                yield self._judged(probe, replace(answered, depth="full"), found.get(repeat))
            else:
                yield answered

    def _judged(self, probe: Probe, verdict: ProbeVerdict, outcome: Outcome | None) -> ProbeVerdict:
        """The verdict with a judge's grade of the answer; unchanged if the answer was not to be judged."""
        if self._to_judge(self._rules[probe.id], verdict):
            grade = self._grader.by_words(probe, verdict.answer or "")
            if grade is not None:
                return with_grade(verdict, grade, declining=self._declining(probe))
        if outcome is None or verdict.verdict == "error":
            return verdict
        if isinstance(outcome, Unjudged):
            why = f"the answer could not be judged: {outcome.why}"
            return replace(verdict, verdict="error", error=why, credit=None)
        return with_grade(verdict, grade_of(outcome), declining=self._declining(probe))

    def _graded(self, probe: Probe) -> bool:
        """Whether answers to a probe are graded: always if by letter or words, else only with a judge.

        Word-for-word answers of a model need no judge.
        """
        stage = self._grader.stage(probe)
        return stage is None or self._judge is not None or (stage == "verbatim" and bool(self._answered_by))

    def _unanswered(self, probe: Probe, verdict: ProbeVerdict) -> ProbeVerdict:
        """The verdict on a trace without an answer: an error if a model should have answered it."""
        if not self._answered_by or not self._graded(probe) or verdict.verdict == "error":
            return verdict
        why = "it was not answered: the run stopped before"
        return replace(verdict, depth="full", verdict="error", error=why, answered_by=self._answered_by)


def _groups(items: Sequence[T], judge: Judge) -> Iterator[Sequence[T]]:
    """Items that may share a call: with the same rules, and no more of them than the judge takes at once."""
    alike: dict[Rubric, list[T]] = {}
    for item in items:
        alike.setdefault(item.rules, []).append(item)
    for rules, group in alike.items():
        size = judge.together(rules)
        yield from (group[start : start + size] for start in range(0, len(group), size))


def _answers_together(answers: Sequence[_OpenAnswer], judge: Judge) -> Iterator[Sequence[_OpenAnswer]]:
    """Answers that may share a call: the same answer, at several k, takes one place.

    Other answers to one question are in other calls, so that none is held against another.
    """
    same: dict[tuple[Rubric, Case], list[_OpenAnswer]] = {}
    for answer in answers:
        same.setdefault((answer.rules, answer.case), []).append(answer)
    rounds: list[list[_OpenAnswer]] = []
    asked: Counter[tuple[Rubric, str | None]] = Counter()
    for rules, case in same:
        times = asked[rules, case.question]
        asked[rules, case.question] += 1
        if times == len(rounds):
            rounds.append([])
        rounds[times].append(same[rules, case][0])
    for group in (group for each in rounds for group in _groups(each, judge)):
        yield [answer for first in group for answer in same[first.rules, first.case]]
