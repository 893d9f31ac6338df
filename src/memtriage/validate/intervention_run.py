"""Interventions on the failed probes of a run, and how well judged stages agree with causal ones."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtriage.core.amount import K
from memtriage.core.chat import ChatModel
from memtriage.core.episode import Episode, Fact, Probe
from memtriage.core.errors import BadInput, chosen, unknown
from memtriage.core.reading import reading_of
from memtriage.core.trace import Answer, History
from memtriage.core.verdict import FAILURES, SETTLED, ProbeVerdict, Verdict
from memtriage.diagnose.answers import AnswerGrader
from memtriage.diagnose.judge.staged import Judge, Unjudged
from memtriage.diagnose.memory_index import MemorySet
from memtriage.host.shell import shell_word
from memtriage.metrics.statistics import kappa
from memtriage.record.manifest import Unit
from memtriage.record.reader import RunReader
from memtriage.runner.reading import DatesShown, readings
from memtriage.text.language import ENGLISH
from memtriage.validate.interventions import (
    Dates,
    FreeGrader,
    Intervention,
    RecordedAnswer,
    SaidIndex,
    Ungraded,
    intervene,
)

AT_ONCE = 32
"""How many probes are re-asked at the same time; each makes up to four calls."""

GraderOf = Callable[[Episode], FreeGrader]
"""Gives the grader of an episode's answers."""


class JudgeGrader:
    """Grades answers by the last stage of a judge.

    >>> explain_run(reader, model, partial(JudgeGrader, Judge(client)))  # doctest: +SKIP
    """

    def __init__(self, judge: Judge, episode: Episode) -> None:
        self._judge = judge
        self._grader = AnswerGrader.of(episode)
        self._facts = {fact.id: fact for fact in episode.facts}

    async def right(self, probe: Probe, answer_text: str) -> bool | None:
        stage = self._grader.stage(probe)
        if stage is None:
            return None
        settled = self._grader.by_words(probe, answer_text)
        if settled is not None:
            return settled.right
        case = self._grader.case(probe, answer_text, tuple(self._facts[id] for id in probe.needed))
        [outcome] = await self._judge.grade_answers(stage, [case], self._grader.rules(probe))
        if isinstance(outcome, Unjudged):
            raise Ungraded(outcome.why)
        return outcome.verdict


@dataclass(frozen=True, slots=True)
class ExplainedProbe:
    """One probe of one system at one k: the judged verdict, and the intervention (None if not re-asked)."""

    verdict: ProbeVerdict
    probe: Probe
    facts: tuple[Fact, ...]
    intervention: Intervention | None = None
    why: str = ""

    @property
    def cause(self) -> Verdict | None:
        """The stage that failed according to the re-asks; None if unknown."""
        return self.intervention.cause if self.intervention else None


@dataclass(frozen=True, slots=True)
class CauseAgreement:
    """Judged and causal stages: `confusion[judged, causal]` counts the probes for which both are known."""

    confusion: Mapping[tuple[Verdict, Verdict], int]
    untold: int = 0
    unsettled: int = 0
    guessable: int = 0
    crowded: int = 0

    @property
    def compared(self) -> int:
        return sum(self.confusion.values())

    @property
    def agreed(self) -> int:
        return sum(n for (judged, causal), n in self.confusion.items() if judged == causal)

    @property
    def kappa(self) -> float:
        """Cohen's kappa between judged and causal stage; nan without a probe to compare."""
        return kappa(pair for pair, n in self.confusion.items() for _ in range(n))


def agreement(explained: Iterable[ExplainedProbe]) -> CauseAgreement:
    """How often the stage that a judge named is the one whose repair makes the answer right.

    Probes without a known cause (`untold`) and those without a settled verdict (`unsettled`) are left out.
    """
    confusion: Counter[tuple[Verdict, Verdict]] = Counter()
    counts: Counter[str] = Counter()
    for each in explained:
        if each.intervention is not None:
            counts["guessable"] += each.intervention.guessable is True
            counts["crowded"] += each.intervention.crowded
        if each.cause is None:
            counts["untold"] += 1
        elif each.verdict.verdict not in SETTLED:
            counts["unsettled"] += 1
        else:
            confusion[each.verdict.verdict, each.cause] += 1
    return CauseAgreement(confusion, counts["untold"], counts["unsettled"], counts["guessable"], counts["crowded"])


async def explain_run(
    reader: RunReader,
    model: ChatModel | None = None,
    grader: GraderOf | None = None,
    probes: Collection[str] | None = None,
    limit: int | None = None,
    *,
    system: str | None = None,
    k: K | None = None,
    at_once: int = AT_ONCE,
) -> AsyncIterator[ExplainedProbe]:
    """The probes with these ids, or all that failed, each with its interventions, in the order of the verdicts.

    `grader` grades free answers; without it, only those with letters are graded. `limit` is how many probes to take,
    evenly spread. Without a model nothing is asked, and the probes come without interventions.
    """
    chosen = Selection(reader, probes, system, k)
    if model is None:
        stores = _Stores(reader, None, None)
        for verdict in chosen.verdicts(limit):
            yield stores.unasked(verdict, "")
        return
    stores = _Stores(reader, model.name, grader)
    jobs = (stores.job(verdict, model) for verdict in chosen.verdicts(limit))
    async for explained in _in_order(jobs, max(1, at_once)):
        yield explained


class Selection:
    """The verdicts of a run to explain; raises BadInput for unknown probes, systems and k."""

    def __init__(
        self, reader: RunReader, probes: Collection[str] | None = None, system: str | None = None, k: K | None = None
    ) -> None:
        self._reader = reader
        self._probes = None if probes is None else set(probes)
        self._system = system
        self._k = k
        self._check()
        self.count = sum(1 for _ in self._matching())

    def verdicts(self, limit: int | None = None) -> Iterator[ProbeVerdict]:
        """The verdicts, or `limit` of them, evenly spread."""
        size = self.count if limit is None else min(limit, self.count)
        if size <= 0:
            return
        wanted = {i * self.count // size for i in range(size)}
        yield from (verdict for i, verdict in enumerate(self._matching()) if i in wanted)

    def _matching(self) -> Iterator[ProbeVerdict]:
        return (
            verdict
            for verdict in self._reader.verdicts()
            if (verdict.verdict in FAILURES if self._probes is None else verdict.probe in self._probes)
            and self._system in (None, verdict.system)
            and self._k in (None, verdict.k)
        )

    def _check(self) -> None:
        seen: dict[str, set[str]] = {"probe": set(), "system": set(), "k": set()}
        for verdict in self._reader.verdicts():
            seen["probe"].add(verdict.probe)
            seen["system"].add(verdict.system)
            seen["k"].add(str(verdict.k))
        if self._system is not None:
            self._system = chosen("--system", self._system, seen["system"])
        if self._k is not None and str(self._k) not in seen["k"]:
            raise BadInput(unknown("--k", str(self._k), seen["k"]))
        for probe in sorted((self._probes or set()) - seen["probe"]):
            raise BadInput(_unknown_probe(probe, seen["probe"], self._reader.path))


def _unknown_probe(probe: str, known: Collection[str], run: Path) -> str:
    """The message of `unknown`, without a list of thousands of ids."""
    message = unknown("probe", probe, known).partition(" (known:")[0]
    return f"{message}; list them with: memtriage show {shell_word(run)} --by probe"


class _Stores:
    """Reads what explanations need from a run, one store at a time."""

    def __init__(self, reader: RunReader, model: str | None, grader_of: GraderOf | None) -> None:
        self._reader = reader
        self._model = model
        self._grader_of = grader_of
        self._readings = readings(reader.manifest, reading_of((reader.manifest.get("grading") or {}).get("reading")))
        self._dates = DatesShown(reader.manifest)
        self._unit: Unit | None = None
        self._episode: Episode | None = None

    def unasked(self, verdict: ProbeVerdict, why: str) -> ExplainedProbe:
        probe, facts = self._needed(verdict)
        return ExplainedProbe(verdict, probe, facts, None, why)

    def job(self, verdict: ProbeVerdict, model: ChatModel) -> Coroutine[Any, Any, ExplainedProbe]:
        """The re-asking of one probe, with everything it needs already read."""
        if verdict.verdict == "error" and not verdict.facts:
            why = f"nothing can be re-asked: {verdict.error or 'it ended in an error'}"
            return _done(self.unasked(verdict, why))
        self._open((verdict.system, verdict.episode))
        probe, facts = self._needed(verdict)
        keys = list(dict.fromkeys(r.key for r in sorted(verdict.retrieved, key=lambda r: r.rank)))
        texts = self._reader.texts(keys)
        asking = intervene(
            probe,
            facts,
            [(key, texts[key]) for key in keys],
            self._held(verdict),
            model,
            self._grader,
            verdict.repeat,
            judged=verdict.facts,
            said=self._said,
            recorded=self._recorded(verdict),
            dates=Dates(self._created_at({r.key: r.created_at for r in verdict.retrieved}), self._said_at.get),
            until=self._dates.until(verdict.system, self._episode, probe) if self._episode else None,
            reading=self._readings.get(verdict.system),
            cant_tell=(self._reader.manifest.get("grading") or {}).get("cant_tell", False),
            by_rule=self._by_rule,
            language=self._episode.language if self._episode else ENGLISH,
        )
        return _explained(verdict, probe, facts, asking)

    def _created_at(self, retrieved: Mapping[str, str | None]) -> Callable[[str], str | None]:
        """When memories were created: as recorded when retrieved, else when their first source was said."""

        def at(key: str) -> str | None:
            if key in retrieved:
                return retrieved[key]
            return next((self._said_at.get(turn) for turn in self._reader.memory(key)["sources"]), None)

        return at

    def _needed(self, verdict: ProbeVerdict) -> tuple[Probe, tuple[Fact, ...]]:
        if self._episode is None or self._episode.id != verdict.episode:
            self._episode = self._reader.episode(verdict.episode)
            self._said = SaidIndex.of(self._episode)
            self._by_rule = AnswerGrader.of(self._episode)
            self._grader = self._grader_of(self._episode) if self._grader_of else None
            self._probes = {probe.id: probe for probe in self._episode.probes}
            sessions = (*self._episode.sessions, *self._episode.coarse)
            self._said_at = {turn.id: session.timestamp for session in sessions for turn in session.turns}
            self._facts = {fact.id: fact for fact in self._episode.facts}
        probe = self._probes[verdict.probe]
        return probe, tuple(self._facts[id] for id in probe.needed)

    def _open(self, unit: Unit) -> None:
        if unit == self._unit:
            return
        self._unit = unit
        self._history: History = self._reader.history(unit)
        self._snapshot_of = {(trace.probe, trace.k): trace.snapshot for trace in self._reader.traces(unit)}
        self._answers: Mapping[tuple[str, K, int], Answer] = self._reader.answers(unit, self._model or "")
        self._latest: tuple[str, MemorySet] | None = None

    def _held(self, verdict: ProbeVerdict) -> MemorySet | None:
        """The store's memories when the probe was asked; None if it can't be seen."""
        if self._history.ingest.blind or not self._history.snapshots:
            return None
        id = self._snapshot_of.get((verdict.probe, verdict.k)) or self._history.snapshots[-1].id
        if self._latest is None or self._latest[0] != id:
            self._latest = id, MemorySet.of(self._reader.texts(self._history.held_at(id)))
        return self._latest[1]

    def _recorded(self, verdict: ProbeVerdict) -> RecordedAnswer | None:
        """The recorded answer of this model, else of another model or of the system itself."""
        if verdict.answer is not None and verdict.answered_by == self._model:
            return RecordedAnswer(verdict.answer, verdict.answered_by)
        before = self._answers.get((verdict.probe, verdict.k, verdict.repeat))
        if before is not None and before.error is None:
            return RecordedAnswer(before.text, before.model)
        return None if verdict.answer is None else RecordedAnswer(verdict.answer, verdict.answered_by)


async def _done(explained: ExplainedProbe) -> ExplainedProbe:
    return explained


async def _explained(
    verdict: ProbeVerdict, probe: Probe, facts: tuple[Fact, ...], asking: Coroutine[Any, Any, Intervention]
) -> ExplainedProbe:
    return ExplainedProbe(verdict, probe, facts, await asking)


async def _in_order(jobs: Iterator[Coroutine[Any, Any, ExplainedProbe]], at_once: int) -> AsyncIterator[ExplainedProbe]:
    """The results in order, with at most `at_once` jobs running; the rest is cancelled if the caller stops."""
    waiting: deque[asyncio.Task[ExplainedProbe]] = deque()
    try:
        for job in jobs:
            waiting.append(asyncio.ensure_future(job))
            if len(waiting) >= at_once:
                yield await waiting.popleft()
        while waiting:
            yield await waiting.popleft()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
