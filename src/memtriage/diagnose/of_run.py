"""Diagnose a whole run from what it recorded, without asking or storing anything again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from memtriage.core.trace import Life, Trace, Usage
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.diagnose.stages import diagnose
from memtriage.metrics.ranking import Sources
from memtriage.record.directory import RunReader, write_verdicts


def diagnose_run(reader: RunReader) -> None:
    """Write the verdicts and the store summaries of a run, one store after the other."""
    stores: list[StoreSummary] = []
    write_verdicts(reader.path, _verdicts(reader, stores), stores)


def _verdicts(reader: RunReader, stores: list[StoreSummary]) -> Iterator[ProbeVerdict]:
    episode = None
    sources = sources_of(reader)
    for unit in reader.units:
        (system, again), episode_id = repeat_of(unit[0]), unit[1]
        if episode is None or episode.id != episode_id:
            episode = reader.episode(episode_id)
        suite = episode.task.partition("/")[0]
        life, clock = reader.life(unit), Clock()
        traces = clock.timed(reader.traces(unit))
        for verdict in diagnose(episode, life, traces, reader.texts, suite, system, sources):
            yield replace(verdict, ingest_repeat=again)
        stores.append(summary(suite, episode.task, system, episode_id, life, clock))


def sources_of(reader: RunReader) -> Sources:
    """Where a run's memories come from; those of the stores looked at last are kept at hand, for many share them."""

    @lru_cache(maxsize=1 << 14)
    def turns(key: str) -> tuple[str, ...]:
        return tuple(reader.memory(key).get("sources") or ())

    return lambda keys: {key: turns(key) for key in keys}


def repeat_of(system: str) -> tuple[str, int]:
    """A system's label and the number of its repeat: the journal calls the second storing of bm25 `bm25 #2`."""
    found = re.fullmatch(r"(.+) #(\d+)", system)
    return (found[1], int(found[2]) - 1) if found else (system, 0)


class Clock:
    """Adds up what asking took, in time, memory and models inside the system, while traces stream by."""

    def __init__(self) -> None:
        self.queries = 0
        self.seconds = 0.0
        self.usage: Usage | None = None
        self.peak_bytes: int | None = None

    def timed(self, traces: Iterator[Trace]) -> Iterator[Trace]:
        for trace in traces:
            if trace.seconds is not None:
                self.queries += 1
                self.seconds += trace.seconds
            if trace.usage is not None:
                self.usage = trace.usage if self.usage is None else self.usage + trace.usage
            self.peak_bytes = most(self.peak_bytes, trace.peak_bytes)
            yield trace


def summary(
    suite: str, task: str, system: str, episode: str, life: Life, clock: Clock, answering: Usage | None = None
) -> StoreSummary:
    """What a system kept of an episode, how long storing and asking took, and what models took for it."""
    ingest = life.ingest
    return StoreSummary(
        suite=suite,
        task=task,
        system=system,
        episode=episode,
        sessions=ingest.sessions,
        memories=ingest.memories,
        tokens=ingest.tokens,
        ingest_seconds=ingest.seconds,
        query_seconds=round(clock.seconds, 6),
        queries=clock.queries,
        error=ingest.error,
        ingest_usage=ingest.usage,
        retrieve_usage=clock.usage,
        answer_usage=answering,
        peak_bytes=most(ingest.peak_bytes, clock.peak_bytes),
    )


def most(*amounts: int | None) -> int | None:
    """The largest of those that are known.

    >>> most(None, 3, 2), most(None)
    (3, None)
    """
    return max((amount for amount in amounts if amount is not None), default=None)
