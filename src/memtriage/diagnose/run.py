"""The verdicts of a whole run, from its records: nothing is stored, retrieved or answered again.

By words alone, stores are diagnosed one after the other; with a judge, several at the same time. What words say of the
first stores can be found out ahead, while their answers are on their way.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from time import perf_counter
from typing import Any

from memtriage.core.amount import K
from memtriage.core.chat import ChatModel, Tokens
from memtriage.core.episode import Episode
from memtriage.core.memory_check import MemoryCheck
from memtriage.core.trace import Answer, History, Trace, Usage
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.diagnose.judge.staged import Judge
from memtriage.diagnose.store import PARALLEL_WINDOWS, Settled, by_words, diagnose, judge_store
from memtriage.host.event_loop import LoopRunner
from memtriage.metrics.ranking import Sources
from memtriage.models.held import Runs
from memtriage.models.prices import price
from memtriage.models.spec import ModelSpec
from memtriage.record.encoded import Encoded
from memtriage.record.manifest import Unit
from memtriage.record.reader import RunReader

_PARALLEL_STORES = 16
"""How many stores are judged at the same time, if they are small."""

_SMALL, _LARGEST_SHARE = 2_500, 4
"""How many memories a small store has; a larger one takes the place of several, but never of more than this."""

_WIDE_STORES, _WIDE_WINDOWS = 256, 10_000
"""How many stores, and how many parts of each, are judged at the same time if calls are collected."""

_QUEUE_SIZE = 512
"""How many verdicts of a store may wait for the stores before it."""

_AHEAD = 50_000
"""How much is kept of what is found out ahead: verdicts, and the memories that came back in them."""

_STEP, _PAUSE = 0.002, 0.004
"""Seconds for which work goes on ahead, and then lets others go on: replies that are read, calls that go out."""

_LONG_STEP = 0.25
"""A step that can't be kept shorter than this would keep replies waiting, and ends the work ahead."""


@dataclass(frozen=True, slots=True)
class DiagnosisSettings:
    """How a run is diagnosed: whose answers are graded, by which judge, and how often.

    A `wide` diagnosis judges as much as possible at once, so that the judge's calls can be collected.
    """

    answered_by: ModelSpec | None = None
    judge: ChatModel | None = None
    paper_exact: bool = False
    judgings: int = 1
    wide: bool = False
    price_share: Decimal = Decimal(1)


@dataclass(frozen=True, slots=True)
class DiagnosedStore:
    """What words say of a store, where it was filled and diagnosed in another process."""

    verdicts: Sequence[Encoded]
    summary: StoreSummary
    check: MemoryCheck


Made = Callable[[Unit], DiagnosedStore | None]
"""What words say of a store if that was found out already."""


class RunDiagnosis:
    """The verdicts of a run, and a summary of each store once its verdicts are done."""

    def __init__(self, reader: RunReader, settings: DiagnosisSettings | None = None, made: Made | None = None) -> None:
        self._reader = reader
        self._made = made
        self._settings = settings or DiagnosisSettings()
        answered_by = self._settings.answered_by
        self._answered_by = answered_by.label if answered_by else ""
        self._sources = sources_of(reader)
        self._episode: Episode | None = None
        self._summaries: dict[Unit, StoreSummary] = {}
        self.checks: dict[Unit, MemoryCheck] = {}
        """What stores made up, of those where that is known by now."""
        self._settled: dict[Unit, Settled] = {}

    async def settle_ahead(self) -> None:
        """Find out what words say of the first stores, in small steps between which others can go on."""
        began = perf_counter()
        for _ in self._ahead():
            seconds = perf_counter() - began
            if seconds > _LONG_STEP:
                return
            if seconds > _STEP:
                await asyncio.sleep(max(_PAUSE, seconds))
                began = perf_counter()

    def _ahead(self) -> Iterator[None]:
        """One step after the other of what words say of the first stores; whole stores are kept."""
        left = _AHEAD
        for unit in self._reader.units:
            store = self._unanswered(unit)
            found: dict[tuple[str, K], ProbeVerdict] = {}
            for verdict in by_words(**store, traces=self._traces(unit, store["episode"])):
                found[verdict.probe, verdict.k] = verdict
                left -= 1 + len(verdict.retrieved)
                if left < 0:
                    return
                yield
            self._settled[unit] = found
            yield

    @property
    def stores(self) -> Iterator[StoreSummary]:
        """The summaries of the stores that are done when they are asked for, in the order of the run."""
        return (self._summaries[unit] for unit in self._reader.units if unit in self._summaries)

    def verdicts(self, runner: Runs | None = None) -> Iterator[ProbeVerdict | Encoded]:
        """All verdicts, store by store; a judge is asked in the runner's event loop."""
        if self._settings.judge is None:
            for unit in self._reader.units:
                yield from self._by_words(unit)
            return
        with ExitStack() as stack:
            loop = runner or stack.enter_context(LoopRunner())
            stream = self._judged()
            while (verdicts := loop.run(_next(stream))) is not None:
                yield from verdicts

    def _by_words(self, unit: Unit) -> Iterator[ProbeVerdict | Encoded]:
        if self._made is not None and (made := self._made(unit)) is not None:
            yield from made.verdicts
            self._summaries[unit], self.checks[unit] = made.summary, made.check
            return
        store = self._store(unit)
        traces = store.asking.add(self._traces(unit, store.arguments["episode"]))
        for verdict in diagnose(**store.arguments, traces=traces, paper_exact=self._settings.paper_exact):
            yield replace(verdict, ingest_repeat=store.repeat) if store.repeat else verdict
        self._summaries[unit] = self._summary(store)

    async def _judged(self) -> AsyncIterator[Sequence[ProbeVerdict]]:
        """The verdicts of every store in order, some at a time, while the next stores are already being judged."""
        async with AsyncExitStack() as stack:
            streams: deque[tuple[_Prefetch, int]] = deque()
            left = deque(self._reader.units)
            room = _WIDE_STORES if self._settings.wide else _PARALLEL_STORES
            places_of = lru_cache(maxsize=1)(self._places)  # whoever comes next may have to wait
            while left or streams:
                while left and room >= (places := places_of(left[0])):
                    size = 0 if self._settings.wide else _QUEUE_SIZE
                    stream = _Prefetch(self._judged_store(left.popleft()), size)
                    stack.push_async_callback(stream.stop)
                    streams.append((stream, places))
                    room -= places
                stream, places = streams.popleft()
                async for verdicts in stream:
                    yield verdicts
                room += places

    def _places(self, unit: Unit) -> int:
        """How many places a store takes among those that are judged at the same time."""
        if self._settings.wide:
            return 1
        return min(_LARGEST_SHARE, 1 + (self._reader.history(unit).ingest.memories or 0) // _SMALL)

    async def _judged_store(self, unit: Unit) -> AsyncIterator[ProbeVerdict]:
        store = self._store(unit)
        assert self._settings.judge is not None
        most_windows = _WIDE_WINDOWS if self._settings.wide else PARALLEL_WINDOWS
        for judging in range(self._settings.judgings):
            judge = Judge(self._settings.judge, paper_exact=self._settings.paper_exact, repeat=judging)
            traces = self._traces(unit, store.arguments["episode"])
            counted = store.asking.add(traces) if judging == 0 else traces
            async for verdict in judge_store(
                **store.arguments, traces=counted, judge=judge, windows_at_once=most_windows
            ):
                yield replace(verdict, ingest_repeat=store.repeat, judge_repeat=judging)
        self._summaries[unit] = self._summary(store)

    def _traces(self, unit: Unit, episode: Episode) -> Iterator[Trace]:
        return in_asked_order(self._reader.traces(unit), episode)

    def _unanswered(self, unit: Unit) -> dict[str, Any]:
        """What is known of a store without its answers."""
        if self._episode is None or self._episode.id != unit[1]:
            self._episode = self._reader.episode(unit[1])
        self._reader.refuse_unknown_probes(unit, self._episode)
        return {
            "episode": self._episode,
            "history": self._reader.history(unit),
            "texts": self._reader.texts,
            "suite": self._episode.task.partition("/")[0],
            "system": self._reader.system_and_repeat(unit[0])[0],
            "sources": self._sources,
        }

    def _store(self, unit: Unit) -> _Store:
        answers = self._reader.answers(unit, self._answered_by) if self._answered_by else {}
        arguments = {
            **self._unanswered(unit),
            "answers": tuple(answers.values()),
            "answered_by": self._answered_by,
            "settled": self._settled.pop(unit, None),
        }
        return _Store(arguments, self._reader.system_and_repeat(unit[0])[1], AskingTotals())

    def _summary(self, store: _Store) -> StoreSummary:
        model, arguments = self._settings.answered_by, store.arguments
        usage = answer_usage(model, arguments["answers"], self._settings.price_share) if model else None
        return summary(arguments["episode"], arguments["system"], arguments["history"], store.asking, usage)


def in_asked_order(traces: Iterable[Trace], episode: Episode) -> Iterator[Trace]:
    """The traces in the order of the suite's questions, which are asked in the order of time."""
    if not any(probe.after for probe in episode.probes):
        return iter(traces)
    place = {probe.id: number for number, probe in enumerate(episode.probes)}
    return iter(sorted(traces, key=lambda trace: place[trace.probe]))


@dataclass(frozen=True, slots=True)
class _Store:
    """One store of a run: the arguments of its diagnosis, the repetition of storing, and the totals of asking."""

    arguments: Mapping[str, Any]
    repeat: int
    asking: AskingTotals


async def _next(stream: AsyncIterator[Sequence[ProbeVerdict]]) -> Sequence[ProbeVerdict] | None:
    return await anext(stream, None)


class _Prefetch:
    """A stream that is read ahead, up to `size` verdicts; 0 is no limit."""

    def __init__(self, stream: AsyncIterator[ProbeVerdict], size: int) -> None:
        self._queue: asyncio.Queue[ProbeVerdict | BaseException | None] = asyncio.Queue(size)
        self._task = asyncio.create_task(self._fill(stream))

    async def _fill(self, stream: AsyncIterator[ProbeVerdict]) -> None:
        try:
            async for verdict in stream:
                await self._queue.put(verdict)
        except Exception as error:
            await self._queue.put(error)
        else:
            await self._queue.put(None)

    async def __aiter__(self) -> AsyncIterator[Sequence[ProbeVerdict]]:
        """All that have come, as often as any come: running the loop for each takes longer than what it brings."""
        while True:
            items = [await self._queue.get()]
            while not self._queue.empty():
                items.append(self._queue.get_nowait())
            last = items[-1]
            if verdicts := [item for item in items if isinstance(item, ProbeVerdict)]:
                yield verdicts
            if isinstance(last, BaseException):
                raise last
            if last is None:
                return

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def sources_of(reader: RunReader) -> Sources:
    """Looks up the turns that a run's memories come from; cached, as stores share memories."""

    @lru_cache(maxsize=1 << 14)
    def turns(key: str) -> tuple[str, ...]:
        return tuple(reader.memory(key).get("sources") or ())

    return lambda keys: {key: turns(key) for key in keys}


def answer_usage(model: ModelSpec, answers: tuple[Answer, ...], share: Decimal = Decimal(1)) -> Usage:
    """What a model used for these answers, at this share of its price; cached ones cost nothing."""
    usage = Usage()
    for answer in answers:
        tokens = Tokens(answer.input_tokens, answer.output_tokens)
        dollars = price(model, tokens)
        if answer.error is not None:
            usage += Usage(errors=1)
        elif answer.cached:
            saved = None if dollars is None else float(dollars)
            usage += Usage(cached=1, cached_input=tokens.input, cached_output=tokens.output, cached_dollars=saved)
        else:
            known = None if dollars is None else float(dollars * share)
            usage += Usage(1, 0, 0, tokens.input, tokens.output, known)
    return usage


class AskingTotals:
    """Totals of time, memory and the system's own models over the traces of a store."""

    def __init__(self) -> None:
        self.queries = 0
        self.seconds = 0.0
        self.usage: Usage | None = None
        self.peak_bytes: int | None = None

    def add(self, traces: Iterator[Trace]) -> Iterator[Trace]:
        """The same traces, each added to the totals."""
        for trace in traces:
            if trace.seconds is not None:
                self.queries += 1
                self.seconds += trace.seconds
            if trace.usage is not None:
                self.usage = trace.usage if self.usage is None else self.usage + trace.usage
            self.peak_bytes = largest_known(self.peak_bytes, trace.peak_bytes)
            yield trace


def summary(
    episode: Episode, system: str, history: History, asking: AskingTotals, answering: Usage | None = None
) -> StoreSummary:
    """The summary of one store: its size, and the time and model usage of storing, asking and answering."""
    ingest = history.ingest
    return StoreSummary(
        suite=episode.task.partition("/")[0],
        task=episode.task,
        system=system,
        episode=episode.id,
        sessions=ingest.sessions,
        memories=ingest.memories,
        tokens=ingest.tokens,
        ingest_seconds=ingest.seconds,
        query_seconds=round(asking.seconds, 6),
        queries=asking.queries,
        error=ingest.error,
        ingest_usage=ingest.usage,
        retrieve_usage=asking.usage,
        answer_usage=answering,
        peak_bytes=largest_known(ingest.peak_bytes, asking.peak_bytes),
        gpu_bytes=ingest.gpu_bytes,
    )


def largest_known(*amounts: int | None) -> int | None:
    """The largest of the amounts that are not None.

    >>> largest_known(None, 3, 2), largest_known(None)
    (3, None)
    """
    return max((amount for amount in amounts if amount is not None), default=None)
