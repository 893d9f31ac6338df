"""How long a memory takes to build and to query, and its peak memory, per task and system.

MemoryAgentBench's tables 10 and 11 keep the two apart: construction is paid once for a store, execution for every
question. Times are those of the machine the run was made on.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memtriage.core.amount import K
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.metrics.statistics import MeanSD

TimedQuestion = tuple[str, int, str, str, K]
"""One question to one store: system, repeat of storing, episode, probe and k."""


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """One system in one task. Means are in seconds, with the sample standard deviation where there are two values.

    `construction` is over the stores that were filled; `broken` ones are left out. `retrieval` is over the questions
    that were asked, at every k, and `answering` over those that a model answered; `execution` is what a question takes
    in all, over the answered ones where a model answered and the asked ones otherwise. `errors` were not asked to the
    end. `peak_bytes` is that of the store that took most memory, None where none could be seen; `seen` counts those
    that could. `process` says that it is a process's whole peak, and not what this process grew. `gpu_bytes` is the
    memory of GPUs, of the store that took most.
    """

    suite: str
    task: str
    system: str
    family: str
    stores: int
    broken: int
    construction: float | None
    construction_sd: float | None
    questions: int
    errors: int
    retrieval: float | None
    retrieval_sd: float | None
    answered: int
    answering: float | None
    answering_sd: float | None
    execution: float | None
    execution_sd: float | None
    peak_bytes: int | None
    seen: int
    process: bool
    gpu_bytes: int | None = None


@dataclass(slots=True)
class _Times:
    """The measurements of one system in one task."""

    stores: list[StoreSummary] = field(default_factory=list)
    retrieval: list[float] = field(default_factory=list)
    answering: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    errors: int = 0


def latencies(
    stores: Sequence[StoreSummary],
    verdicts: Iterable[ProbeVerdict],
    answers: Mapping[TimedQuestion, float],
    families: Mapping[str, str],
    processes: frozenset[str] = frozenset(),
) -> list[LatencyRow]:
    """One row per task and system, in the order of the stores.

    A question counts towards the task of its episode. `answers` gives how long a model took to answer each question,
    averaged over repeats.
    """
    times: dict[tuple[str, str, str], _Times] = {}
    key_of_store: dict[tuple[str, str], tuple[str, str, str]] = {}
    for store in stores:
        key = (store.suite, store.task, store.system)
        times.setdefault(key, _Times()).stores.append(store)
        key_of_store[store.system, store.episode] = key
    for verdict in verdicts:
        row_key = key_of_store.get((verdict.system, verdict.episode))
        if row_key is not None and not verdict.repeat and not verdict.judge_repeat:  # answers and judges are repeated
            _count(times[row_key], verdict, answers)
    return [
        _row(key, measured, families.get(key[2], ""), key[2] in processes)
        for key, measured in times.items()
        if measured.stores
    ]


def _count(times: _Times, verdict: ProbeVerdict, answers: Mapping[TimedQuestion, float]) -> None:
    if verdict.seconds is None:
        times.errors += 1
        return
    times.retrieval.append(verdict.seconds)
    took = answers.get((verdict.system, verdict.ingest_repeat, verdict.episode, verdict.probe, verdict.k))
    if took is not None:
        times.answering.append(took)
        times.whole.append(verdict.seconds + took)


def _row(key: tuple[str, str, str], times: _Times, family: str, process: bool) -> LatencyRow:
    filled = [store for store in times.stores if store.error is None]
    peaks = [store.peak_bytes for store in filled if store.peak_bytes is not None]
    construction, construction_sd = _mean([store.ingest_seconds for store in filled])
    retrieval, retrieval_sd = _mean(times.retrieval)
    answering, answering_sd = _mean(times.answering)
    execution, execution_sd = _mean(times.whole or times.retrieval)
    return LatencyRow(
        *key,
        family,
        stores=len(filled),
        broken=len(times.stores) - len(filled),
        construction=construction,
        construction_sd=construction_sd,
        questions=len(times.retrieval),
        errors=times.errors,
        retrieval=retrieval,
        retrieval_sd=retrieval_sd,
        answered=len(times.answering),
        answering=answering,
        answering_sd=answering_sd,
        execution=execution,
        execution_sd=execution_sd,
        peak_bytes=max(peaks, default=None),
        seen=len(peaks),
        process=process,
        gpu_bytes=max((store.gpu_bytes for store in filled if store.gpu_bytes is not None), default=None),
    )


def _mean(values: Sequence[float]) -> MeanSD | tuple[None, None]:
    if not values:
        return None, None
    return MeanSD(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)
