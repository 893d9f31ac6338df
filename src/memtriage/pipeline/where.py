"""Where the stores of a run are filled: in this process, in others of this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from memtriage import registry
from memtriage.config import Grading, Limits, RunConfig
from memtriage.host.processors import processors
from memtriage.record.manifest import Unit
from memtriage.record.reader import RunReader
from memtriage.runner.scheduler import StoreScheduler
from memtriage.runner.store_runner import Build, Settings, steps
from memtriage.systems.remote import running

if TYPE_CHECKING:
    from memtriage.cluster.local_pool import Pool
    from memtriage.cluster.local_scheduler import LocalScheduler
    from memtriage.cluster.nodes import NodeCheck
    from memtriage.cluster.ray_scheduler import RayScheduler
    from memtriage.models.system_models import SystemModels


def on_cluster(on: str) -> AbstractContextManager[None]:
    """Be connected to the cluster that a run is on, if it is on one."""
    if not on:
        return nullcontext()
    from memtriage.cluster.connection import opened

    return opened(on)


def scheduler(
    limits: Limits,
    models: SystemModels,
    builds: Mapping[str, Build],
    reader: RunReader,
    grading: Grading,
    settings: Settings,
    workers: Pool | NodeCheck | None,
) -> StoreScheduler | LocalScheduler | RayScheduler:
    """Where the stores of a run are filled: here, in other processes, or on a cluster.

    What words can say of stores is said where they are filled.
    """

    def interrupt() -> None:
        """End whatever systems are waiting for: their processes and their models."""
        running.close_all()
        models.close()

    begun = set(reader.units)

    def named(unit: Unit) -> tuple[str, int] | None:
        return None if grading.needs_models or unit in begun else reader.system_and_repeat(unit[0])

    stop, exact = models.ledger.halted, grading.paper_exact
    if limits.on:
        from memtriage.cluster.nodes import NodeCheck
        from memtriage.cluster.ray_scheduler import RayScheduler

        check = workers if isinstance(workers, NodeCheck) else None
        left = len(_left(builds, reader))
        return RayScheduler(models, builds, limits.needs, interrupt, stop, named, exact, check, left)
    if (processes := _processes(limits, builds, reader, settings)) > 1:
        from memtriage.cluster.local_pool import Pool
        from memtriage.cluster.local_scheduler import LocalScheduler

        pool = workers if isinstance(workers, Pool) else Pool(processes)
        return LocalScheduler(pool, builds, interrupt, stop, named, exact)
    return StoreScheduler(limits.stores, interrupt, stop)


def workers_for(config: RunConfig) -> AbstractContextManager[Pool | NodeCheck | None]:
    """Processes for a run that will be large enough for them, so that they are ready when its episodes are made.

    On a cluster, nodes are asked whether they are ready for it, and start theirs for that.
    """
    limits, builds = config.limits, [Build(registry.with_models(spec, config.models)) for spec in config.systems]
    if limits.on:
        from memtriage.cluster.nodes import NodeCheck
        from memtriage.cluster.shipping import ship

        return nullcontext(NodeCheck([ship(build) for build in builds]))
    small = config.request.rows is not None or any(registry.suite_file(name) is not None for name in config.suites)
    if limits.jobs == 1 or (limits.jobs is None and small):
        return nullcontext()
    from memtriage.cluster.local_pool import Pool
    from memtriage.cluster.local_scheduler import may_leave
    from memtriage.cluster.shipping import ship

    if (count := limits.jobs or processors()) == 1 or not all(map(may_leave, builds)):
        return nullcontext()
    return Pool(count, [ship(build) for build in builds])


def _processes(limits: Limits, builds: Mapping[str, Build], reader: RunReader, settings: Settings) -> int:
    """How many processes fill the stores of a run: the number that was named, or as many as pay; 1 is none but this."""
    left = [steps(episode["sessions"], episode["probes"], settings) for episode in _left(builds, reader)]
    if limits.jobs == 1 or len(left) < 2:
        return 1
    from memtriage.cluster.local_scheduler import WORTH, may_leave

    if not all(map(may_leave, builds.values())) or (limits.jobs is None and sum(left) < WORTH):
        return 1
    return min(limits.jobs or processors(), len(left))


def _left(builds: Mapping[str, Build], reader: RunReader) -> list[Mapping[str, Any]]:
    """The episode of each store that is left to be filled."""
    episodes = reader.manifest["episodes"]
    return [episode for episode in episodes for name in builds if not reader.done((name, episode["id"]))]
