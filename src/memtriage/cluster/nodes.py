"""The nodes of a Ray cluster, asked whether they can fill the stores of a run, and the mailbox of those stores."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from memtriage.cluster.connection import first_line
from memtriage.cluster.mailbox import Mailbox
from memtriage.cluster.shipping import Shipped
from memtriage.cluster.worker import check_node, versions
from memtriage.core.errors import BadInput
from memtriage.systems.error_line import error_line

CHECKED = 120.0
"""How many seconds nodes have to say whether they are ready; each starts Python for it."""


class NodeCheck:
    """Asks all nodes at once; until their answers are needed, they start Python and load what stores need.

    The mailbox starts meanwhile as well, where the run is.
    """

    def __init__(self, systems: Collection[Shipped]) -> None:
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self._ray = ray
        different = {each.digest: each for each in systems}
        self.systems = frozenset(different)
        """Digests of the systems that were asked about."""
        self.mailbox = _mailbox(ray, NodeAffinitySchedulingStrategy)
        self.mailbox.wake.remote()
        check = ray.remote(num_cpus=0)(check_node)
        sent = ray.put(list(different.values()))
        self._asked = {
            check.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote(
                sent, versions()
            ): node["NodeManagerAddress"]
            for node in ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU")
        }

    def refuse_unready(self) -> None:
        """Refuse to begin if a node lacks something."""
        ray = self._ray
        for answer, host in self._asked.items():
            try:
                problems = ray.get(answer, timeout=CHECKED)
            except ray.exceptions.RayTaskError as error:
                problems = [f"it can't run this: {error_line(error.cause)}"]
            except ray.exceptions.RayError as error:
                problems = [f"it does not run memtriage: {first_line(error)}"]
            if problems:
                raise BadInput(f"node {host} of the cluster: {'; '.join(problems)}")


def _mailbox(ray: Any, on: Any) -> Any:
    """An actor where the run is, or on the head for one outside; if that node is lost, the run is lost anyway."""
    near = on(ray.get_runtime_context().get_node_id(), soft=False)
    return ray.remote(num_cpus=0, max_concurrency=100_000, scheduling_strategy=near)(Mailbox).remote()
