"""Diagnose a whole run from what it recorded, without asking or storing anything again."""

from __future__ import annotations

from collections.abc import Iterator

from memtriage.diagnose.stages import diagnose
from memtriage.diagnose.verdict import ProbeVerdict, StoreSummary
from memtriage.runner.directory import RunReader, write_verdicts
from memtriage.trace import Life, Trace


def diagnose_run(reader: RunReader) -> None:
    """Write the verdicts and the store summaries of a run, one store after the other."""
    stores: list[StoreSummary] = []
    write_verdicts(reader.path, _verdicts(reader, stores), stores)


def _verdicts(reader: RunReader, stores: list[StoreSummary]) -> Iterator[ProbeVerdict]:
    episode = None
    for unit in reader.units:
        system, episode_id = unit
        if episode is None or episode.id != episode_id:
            episode = reader.episode(episode_id)
        suite = episode.task.partition("/")[0]
        life, clock = reader.life(unit), _Clock()
        traces = clock.timed(reader.traces(unit))
        yield from diagnose(episode, life, traces, reader.texts, suite, system)
        stores.append(_summary(suite, episode.task, system, episode_id, life, clock))


class _Clock:
    """Adds up how long asking took while traces stream by."""

    def __init__(self) -> None:
        self.queries = 0
        self.seconds = 0.0

    def timed(self, traces: Iterator[Trace]) -> Iterator[Trace]:
        for trace in traces:
            if trace.seconds is not None:
                self.queries += 1
                self.seconds += trace.seconds
            yield trace


def _summary(suite: str, task: str, system: str, episode: str, life: Life, clock: _Clock) -> StoreSummary:
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
    )
