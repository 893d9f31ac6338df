"""The full depth: words first, a judge for what they can't settle, and then whether the answer was right.

What a store holds of a fact is judged once, for every k and every repeat; what was brought back, once per trace.
Verdicts come in the order of the traces, a window of them at a time, with the next window already under way.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, TypeVar

from memtriage.core.episode import Episode, Fact, Probe
from memtriage.core.rubric import Rubric, Stage
from memtriage.core.trace import Answer, Life, Snapshot, Trace
from memtriage.core.verdict import Depth, FactVerdict, ProbeVerdict
from memtriage.diagnose.answered import AnswerCases, by_words, graded_by, graded_by_letter, judged_as
from memtriage.diagnose.judge.candidates import Shelf, Store
from memtriage.diagnose.judge.prompts import Case
from memtriage.diagnose.judge.staged import Asked, Judge, Kept, Outcome, settled
from memtriage.diagnose.pairs import Pairs
from memtriage.diagnose.scored import WORDED, Grades
from memtriage.diagnose.stages import Bench, Texts, credit_of, of_sets, with_silence
from memtriage.metrics.ranking import Sources
from memtriage.registry import rubric

T = TypeVar("T")

_Keeping = tuple[str, str, int]
_Kept = tuple[str, str, _Keeping]
"""A fact in a snapshot, under the rules by which it was judged."""

_WINDOW = 128
_UNDER_WAY = 2


async def judge_unit(
    episode: Episode,
    life: Life,
    traces: Iterable[Trace],
    answers: Iterable[Answer],
    texts: Texts,
    suite: str,
    system: str,
    judge: Judge | None,
    answered_by: str = "",
    sources: Sources | None = None,
) -> AsyncIterator[ProbeVerdict]:
    """A verdict for every trace of one system in one episode, and for every repeat of its answer.

    `answers` are those of one model. Without a judge, what words can't settle stays uncertain, and only lettered
    answers and those that words grade are graded.
    """
    unit = _Unit(episode, life, answers, texts, suite, system, judge, answered_by, sources)
    pairs = Pairs(episode)
    windows: deque[asyncio.Task[list[ProbeVerdict]]] = deque()
    stream = iter(traces)
    try:
        while window := list(islice(stream, _WINDOW)):
            windows.append(asyncio.create_task(unit.verdicts(window)))
            if len(windows) >= _UNDER_WAY:
                for verdict in await _first(windows):
                    for settled_one in pairs.take(verdict):
                        yield settled_one
        while windows:
            for verdict in await _first(windows):
                for settled_one in pairs.take(verdict):
                    yield settled_one
        for settled_one in pairs.left():
            yield settled_one
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
class _Open:
    """A fact of one trace that words left open."""

    place: int
    lexical: FactVerdict
    snapshot: str | None
    rules: Rubric


@dataclass(frozen=True, slots=True)
class _Graded:
    """An answer that a judge has to grade, the stage that does, and what is asked there."""

    place: int
    repeat: int
    stage: Stage
    case: Case
    rules: Rubric


class _Unit:
    """One store's life, its facts judged as traces ask for them."""

    def __init__(
        self,
        episode: Episode,
        life: Life,
        answers: Iterable[Answer],
        texts: Texts,
        suite: str,
        system: str,
        judge: Judge | None,
        answered_by: str,
        sources: Sources | None = None,
    ) -> None:
        self._life = life
        self._texts = texts
        self._labels = (suite, system)
        self._judge = judge
        self._answered_by = answered_by
        self._bench = Bench(episode, life, texts, sources)
        self._facts = {fact.id: fact for fact in episode.facts}
        self._probes = {probe.id: probe for probe in episode.probes}
        self._rules = {probe.id: rubric(judged_as(probe, episode.task)) for probe in episode.probes}
        self._cases = AnswerCases(episode)
        self._grades = Grades(episode)
        self._shelf = Shelf()
        self._stores: dict[str, Store] = {}
        self._kept: dict[_Kept, asyncio.Task[Kept]] = {}
        self._answers: dict[tuple[str, int], list[Answer]] = {}
        for answer in answers:
            self._answers.setdefault((answer.probe, answer.k), []).append(answer)

    async def verdicts(self, traces: Sequence[Trace]) -> list[ProbeVerdict]:
        """The verdicts on a window of traces, in order."""
        lexical = [self._lexical(trace) for trace in traces]
        if self._judge is None:
            return [v for t, one in zip(traces, lexical, strict=True) for v in self._finished(t, one, {})]
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

    def _lexical(self, trace: Trace) -> ProbeVerdict:
        return self._bench.verdict(self._probes[trace.probe], replace(trace, answer=None), *self._labels)

    # ------------------------------------------------------------------ what words left open

    def _settle(
        self, traces: Sequence[Trace], lexical: Sequence[ProbeVerdict], judge: Judge, tasks: asyncio.TaskGroup
    ) -> list[asyncio.Task[ProbeVerdict]]:
        """Every trace's verdict up to retrieval, with the facts that words left open settled by the judge."""
        blind = self._life.ingest.blind is not None
        last = self._life.snapshots[-1].id if self._life.snapshots else ""
        open_facts = [
            _Open(
                place,
                fact,
                None if blind or judge.known_intact(fact) else traces[place].snapshot or last,
                self._rules[verdict.probe],
            )
            for place, verdict in enumerate(lexical)
            for fact in verdict.facts
            if verdict.error is None and judge.open(fact)
        ]
        self._look_up(open_facts, judge, tasks)
        fetching: dict[tuple[int, str], asyncio.Task[dict[tuple[int, str], FactVerdict]]] = {}
        for group in _groups(open_facts, lambda one: one.rules):
            task = tasks.create_task(self._fetched(group, traces, judge))
            fetching |= {(one.place, one.lexical.fact): task for one in group}

        async def settle(place: int) -> ProbeVerdict:
            facts: list[FactVerdict] = []
            for fact in lexical[place].facts:
                key = (place, fact.fact)
                facts.append((await fetching[key])[key] if key in fetching else fact)
            return self._with_facts(lexical[place], tuple(facts))

        return [tasks.create_task(settle(place)) for place in range(len(traces))]

    def _look_up(self, open_facts: Sequence[_Open], judge: Judge, tasks: asyncio.TaskGroup) -> None:
        """Have the judge find out what the store held of each fact, unless it is known or under way already."""
        wanted: dict[tuple[str, _Keeping], dict[str, Rubric]] = {}
        for one in open_facts:
            if one.snapshot is not None and _kept_as(one) not in self._kept:
                wanted.setdefault((one.snapshot, one.rules.keeping), {})[one.lexical.fact] = one.rules
        for (snapshot, keeping), asked in wanted.items():
            facts = [self._facts[id] for id in asked]
            rules = next(iter(asked.values()))
            for id, task in zip(asked, judge.keeping(facts, self._store(snapshot), rules, tasks), strict=True):
                self._kept[id, snapshot, keeping] = task

    async def _fetched(
        self, group: Sequence[_Open], traces: Sequence[Trace], judge: Judge
    ) -> dict[tuple[int, str], FactVerdict]:
        """The verdicts on some open facts: what the store held of them and, for those intact, what was brought back."""
        kept = [await self._kept[_kept_as(one)] if one.snapshot is not None else None for one in group]
        reach = [n for n, held in enumerate(kept) if held is None or held.intact]
        asked = [self._asked(group[n], traces[group[n].place]) for n in reach]
        fetched = dict(zip(reach, await judge.retrieved(asked, group[0].rules), strict=True))
        return {
            (one.place, one.lexical.fact): settled(
                self._facts[one.lexical.fact],
                kept[n],
                fetched.get(n),
                judge.detector,
                blind=self._life.ingest.blind is not None,
                lost=self._lost(one.snapshot),
            )
            for n, one in enumerate(group)
        }

    def _asked(self, one: _Open, trace: Trace) -> Asked:
        keys = tuple(dict.fromkeys(r.key for r in trace.retrieved))
        self._shelf.put(self._texts([key for key in keys if key not in self._shelf]))
        return Asked(self._facts[one.lexical.fact], self._probes[trace.probe].text, Store(self._shelf, keys))

    def _store(self, snapshot: str) -> Store:
        """What the store held at a snapshot."""
        if snapshot not in self._stores:
            held: dict[str, None] = {}
            for step in self._chain(snapshot):
                held |= dict.fromkeys(step.added)
                for key in step.removed:
                    held.pop(key, None)
            self._shelf.put(self._texts([key for key in held if key not in self._shelf]))
            self._stores[snapshot] = Store(self._shelf, tuple(held))
        return self._stores[snapshot]

    def _chain(self, snapshot: str | None) -> list[Snapshot]:
        """The snapshots that lead to this one, oldest first."""
        by_id = {each.id: each for each in self._life.snapshots}
        chain: list[Snapshot] = []
        while snapshot and snapshot in by_id:
            chain.append(by_id[snapshot])
            snapshot = chain[-1].base
        return chain[::-1]

    def _lost(self, snapshot: str | None) -> Literal["never"] | None:
        """A fact that is not in a store that never gave anything up was never there; otherwise it is not known."""
        return None if any(step.removed for step in self._chain(snapshot)) else "never"

    def _with_facts(self, verdict: ProbeVerdict, facts: tuple[FactVerdict, ...]) -> ProbeVerdict:
        if facts == verdict.facts:
            return verdict
        probe = self._probes[verdict.probe]
        word, error = of_sets(probe, {fact.fact: fact for fact in facts})
        word = with_silence(probe, word, verdict.tags.get("stale", "no"))
        return replace(verdict, facts=facts, verdict=word, error=error, credit=credit_of(probe, facts, word))

    # ------------------------------------------------------------------ the answer

    def _grade(
        self,
        traces: Sequence[Trace],
        settling: Sequence[asyncio.Task[ProbeVerdict]],
        judge: Judge,
        tasks: asyncio.TaskGroup,
    ) -> list[asyncio.Task[dict[tuple[int, int], Outcome]]]:
        """Verdicts of the judge on the answers, by the trace's place and the answer's; as many share a call as fit."""
        by_stage: dict[Stage, list[_Graded]] = {}
        for place, trace in enumerate(traces):
            probe = self._probes[trace.probe]
            rules = self._rules[probe.id]
            stage = rules.last_stage(probe)
            for repeat, answer in enumerate(self._answered(trace)):
                if stage is not None and answer is not None and answer.error is None:
                    case = self._cases.of(probe, answer.text)
                    if by_words(stage, case) is None:
                        by_stage.setdefault(stage, []).append(_Graded(place, repeat, stage, case, rules))

        async def grade(group: Sequence[_Graded]) -> dict[tuple[int, int], Outcome]:
            settled = [(one, await settling[one.place]) for one in group]
            judged = [(one, verdict) for one, verdict in settled if _to_judge(one.rules, verdict)]
            cases = [replace(one.case, facts=self._behind(verdict)) for one, verdict in judged]
            outcomes = await judge.answered(group[0].stage, cases, group[0].rules)
            return {(one.place, one.repeat): outcome for (one, _), outcome in zip(judged, outcomes, strict=True)}

        groups = (group for graded in by_stage.values() for group in _groups(graded, lambda one: one.rules))
        return [tasks.create_task(grade(group)) for group in groups]

    def _behind(self, verdict: ProbeVerdict) -> tuple[Fact, ...]:
        """The facts that an answer could rest on."""
        return tuple(self._facts[fact.fact] for fact in verdict.facts if fact.verdict == "correct")

    def _answered(self, trace: Trace) -> list[Answer | None]:
        """The answers given from a trace: a model's, the system's own, or none."""
        given = sorted(self._answers.get((trace.probe, trace.k), ()), key=lambda answer: answer.repeat)
        if given:
            return list(given)
        return [None if trace.answer is None else Answer(trace.probe, trace.k, "", text=trace.answer)]

    def _finished(self, trace: Trace, verdict: ProbeVerdict, found: dict[int, Outcome]) -> Iterator[ProbeVerdict]:
        """A trace's verdicts, one per answer, with the last stage in."""
        probe = self._probes[trace.probe]
        verdict = replace(verdict, judged_by=self._judge.name if self._judge else "")
        for repeat, answer in enumerate(self._answered(trace)):
            if answer is None:
                yield self._unanswered(probe, verdict)
                continue
            label = (answer.model and self._answered_by) or answer.model
            said = replace(verdict, answer=answer.text, repeat=answer.repeat, answered_by=label)
            if answer.error is not None:
                # It stands among those that were graded, as the error it is, whatever its facts would have said.
                depth: Depth = "full" if self._graded(probe) else said.depth
                yield replace(said, depth=depth, verdict="error", error=f"no answer: {answer.error}", answer=None)
            elif probe.scoring == "choice":
                yield graded_by_letter(probe, replace(trace, answer=answer.text), replace(said, depth="full"))
            elif probe.scoring in WORDED:
                yield self._grades.graded(probe, answer.text, replace(said, depth="full"))
            elif self._graded(probe):
                yield graded_by(
                    self._by_words(probe, verdict, answer) or found.get(repeat), replace(said, depth="full")
                )
            else:
                yield said

    def _by_words(self, probe: Probe, verdict: ProbeVerdict, answer: Answer) -> Outcome | None:
        rules = self._rules[probe.id]
        if not _to_judge(rules, verdict):
            return None
        return by_words(rules.last_stage(probe), self._cases.of(probe, answer.text))

    def _graded(self, probe: Probe) -> bool:
        """Whether answers to a probe are graded here: by a letter or by words always, else by a judge."""
        stage = self._rules[probe.id].last_stage(probe)
        return stage is None or stage == "verbatim" or self._judge is not None

    def _unanswered(self, probe: Probe, verdict: ProbeVerdict) -> ProbeVerdict:
        """A trace that a model was to answer, and didn't, is an error: that the facts came back is not enough."""
        if not self._answered_by or not self._graded(probe) or verdict.verdict == "error":
            return verdict
        why = "it was not answered: the run stopped before"
        return replace(verdict, depth="full", verdict="error", error=why, answered_by=self._answered_by)


def _to_judge(rules: Rubric, verdict: ProbeVerdict) -> bool:
    """Whether an answer is judged: where everything needed was retrieved (or nobody knows what is), or whatever was."""
    return verdict.verdict in ("correct", "n/a") or (rules.every_answer and verdict.verdict != "error")


def _kept_as(one: _Open) -> _Kept:
    return (one.lexical.fact, one.snapshot or "", one.rules.keeping)


def _groups(items: Sequence[T], rules_of: Callable[[T], Rubric]) -> Iterator[Sequence[T]]:
    """Items that may share a call: under the same rules, and as many as those batch."""
    alike: dict[Rubric, list[T]] = {}
    for item in items:
        alike.setdefault(rules_of(item), []).append(item)
    for rules, group in alike.items():
        yield from (group[start : start + rules.batch] for start in range(0, len(group), rules.batch))
