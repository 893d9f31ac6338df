"""The full depth: words first, a judge for what they can't settle, and then whether the answer was right.

What a store holds of a fact is judged once, for every k and every repeat; what was brought back, once per trace.
Verdicts come in the order of the traces, a window of them at a time, with the next window already under way.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, TypeVar

from memtriage.diagnose.candidates import Shelf, Store
from memtriage.diagnose.judge import Asked, Judge, Kept, Outcome, Unjudged, settled
from memtriage.diagnose.judge_prompts import Case
from memtriage.diagnose.pairs import Pairs
from memtriage.diagnose.rubrics import Stage, rubric
from memtriage.diagnose.stages import Bench, Texts, credit_of, of_sets, reasoned, with_silence
from memtriage.diagnose.verdict import Depth, FactVerdict, ProbeVerdict, StageState
from memtriage.episode import Episode, Fact, Probe
from memtriage.trace import Answer, Life, Snapshot, Trace

T = TypeVar("T")

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
) -> AsyncIterator[ProbeVerdict]:
    """A verdict for every trace of one system in one episode, and for every repeat of its answer.

    `answers` are those of one model. Without a judge, what words can't settle stays uncertain, and only lettered
    answers are graded.
    """
    unit = _Unit(episode, life, answers, texts, suite, system, judge, answered_by)
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


@dataclass(frozen=True, slots=True)
class _Graded:
    """An answer that a judge has to grade, and the stage that does."""

    place: int
    repeat: int
    stage: Stage
    case: Case


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
    ) -> None:
        self._life = life
        self._texts = texts
        self._labels = (suite, system)
        self._judge = judge
        self._answered_by = answered_by
        self._bench = Bench(episode, life, texts)
        self._facts = {fact.id: fact for fact in episode.facts}
        self._probes = {probe.id: probe for probe in episode.probes}
        self._rules = rubric(episode.task)
        self._shelf = Shelf()
        self._stores: dict[str, Store] = {}
        self._kept: dict[tuple[str, str], asyncio.Task[Kept]] = {}
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
            _Open(place, fact, None if blind or judge.known_intact(fact) else traces[place].snapshot or last)
            for place, verdict in enumerate(lexical)
            for fact in verdict.facts
            if verdict.error is None and judge.open(fact)
        ]
        self._look_up(open_facts, judge, tasks)
        fetching: dict[tuple[int, str], asyncio.Task[dict[tuple[int, str], FactVerdict]]] = {}
        for group in _parted(open_facts, self._rules.batch):
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
        wanted: dict[str, dict[str, None]] = {}
        for one in open_facts:
            if one.snapshot is not None and (one.lexical.fact, one.snapshot) not in self._kept:
                wanted.setdefault(one.snapshot, {})[one.lexical.fact] = None
        for snapshot, ids in wanted.items():
            facts = [self._facts[id] for id in ids]
            for id, task in zip(ids, judge.keeping(facts, self._store(snapshot), self._rules, tasks), strict=True):
                self._kept[id, snapshot] = task

    async def _fetched(
        self, group: Sequence[_Open], traces: Sequence[Trace], judge: Judge
    ) -> dict[tuple[int, str], FactVerdict]:
        """The verdicts on some open facts: what the store held of them and, for those intact, what was brought back."""
        kept = [await self._kept[one.lexical.fact, one.snapshot] if one.snapshot is not None else None for one in group]
        reach = [n for n, held in enumerate(kept) if held is None or held.intact]
        asked = [self._asked(group[n], traces[group[n].place]) for n in reach]
        fetched = dict(zip(reach, await judge.retrieved(asked, self._rules), strict=True))
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
        return replace(verdict, facts=facts, verdict=word, error=error, credit=credit_of(probe, facts))

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
            stage = self._rules.last_stage(probe)
            for repeat, answer in enumerate(self._answered(trace)):
                if stage is not None and answer is not None and answer.error is None:
                    case = Case((), (), probe.text, probe.gold, answer.text)
                    by_stage.setdefault(stage, []).append(_Graded(place, repeat, stage, case))

        async def grade(group: Sequence[_Graded]) -> dict[tuple[int, int], Outcome]:
            right = [(one, verdict) for one in group if (verdict := await settling[one.place]).verdict == "correct"]
            cases = [replace(one.case, facts=self._behind(verdict)) for one, verdict in right]
            outcomes = await judge.answered(group[0].stage, cases, self._rules)
            return {(one.place, one.repeat): outcome for (one, _), outcome in zip(right, outcomes, strict=True)}

        groups = (group for graded in by_stage.values() for group in _parted(graded, self._rules.batch))
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
                graded = probe.scoring == "choice" or self._judge is not None
                depth: Depth = "full" if graded else said.depth
                yield replace(said, depth=depth, verdict="error", error=f"no answer: {answer.error}", answer=None)
            elif probe.scoring == "choice":
                yield _by_letter(probe, replace(trace, answer=answer.text), replace(said, depth="full"))
            elif self._judge is not None:
                yield _by_judge(replace(said, depth="full"), found.get(repeat))
            else:
                yield said

    def _unanswered(self, probe: Probe, verdict: ProbeVerdict) -> ProbeVerdict:
        """A trace that a model was to answer, and didn't, is an error: that the facts came back is not enough."""
        graded = probe.scoring == "choice" or self._judge is not None
        if not self._answered_by or not graded or verdict.verdict == "error":
            return verdict
        why = "it was not answered: the run stopped before"
        return replace(verdict, depth="full", verdict="error", error=why, answered_by=self._answered_by)


def _by_letter(probe: Probe, trace: Trace, verdict: ProbeVerdict) -> ProbeVerdict:
    if verdict.verdict != "correct":
        return verdict
    word, facts = reasoned(probe, trace, verdict.facts)
    return replace(verdict, verdict=word, facts=facts)


def _by_judge(verdict: ProbeVerdict, outcome: Outcome | None) -> ProbeVerdict:
    """The verdict with what the judge found of the answer; it was not asked where an earlier stage had failed."""
    if outcome is None:
        return verdict
    if isinstance(outcome, Unjudged):
        return replace(verdict, verdict="error", error=f"the answer could not be judged: {outcome.why}")
    state: StageState = "pass" if outcome.verdict else "fail"
    facts = tuple(
        replace(fact, stages={**fact.stages, "reasoning": state}) if fact.verdict == "correct" else fact
        for fact in verdict.facts
    )
    if outcome.verdict:
        return replace(verdict, facts=facts)
    why = f"everything needed was retrieved, but the answer is not right: {outcome.why}"
    misread = (replace(f, verdict="reasoning_error", why=why) if f.verdict == "correct" else f for f in facts)
    return replace(verdict, verdict="reasoning_error", facts=tuple(misread))


def _parted(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
