"""A run whose stores are filled on a Ray cluster: one on this machine, or any other.

A store is a task. The run itself stays here: it alone writes the run directory, store by store in the order of one
machine, so that both come to the same files. It also makes all calls to models: stores ask through a mailbox, so there
is one cache, one limit per endpoint, one budget and one bill, and keys stay here.
"""

from __future__ import annotations

import os
import re
import secrets
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtriage.cluster.connection import REACHED, first_line
from memtriage.cluster.in_order import Store, StoresInOrder
from memtriage.cluster.shipping import Shipped, ship
from memtriage.cluster.store_task import News, StoreTask
from memtriage.cluster.worker import Mailbox, check_node, run_task, versions
from memtriage.config import Needs
from memtriage.core.errors import BadInput, BadRun, MemtriageError
from memtriage.core.memory import Traits
from memtriage.host.environment import child_environment, passed, withheld
from memtriage.host.masks import known
from memtriage.record.manifest import Unit
from memtriage.runner.store_runner import Build, StoreJob
from memtriage.systems.error_line import error_line

if TYPE_CHECKING:
    from concurrent.futures import Future

    from memtriage.core.episode import Episode
    from memtriage.models.borrowed import Loan
    from memtriage.models.system_models import SystemModels

CHECKED = 120.0
"""How many seconds nodes have to say whether they are ready; each starts Python for it."""

_GIGABYTE = 1 << 30
_OWN = re.compile(r"memtriage\.systems\.(baselines|retrieval|designs|mixing)\.")
"""Systems that keep everything in their own process, so that any number of their stores can be filled at once."""


@dataclass(slots=True)
class _System:
    """A system of the run as the cluster gets it. Without `spread`, one store at a time is filled."""

    shipped: Shipped
    options: Mapping[str, Any]
    spread: bool
    busy: int = 0


class RayScheduler(StoresInOrder):
    """Runs stores on the cluster that `opened` is connected to; a `Scheduler`."""

    def __init__(
        self,
        models: SystemModels,
        systems: Mapping[str, Build],
        needs: Needs,
        interrupt: Callable[[], None],
        stop: threading.Event,
        named: Callable[[Unit], tuple[str, int] | None] = lambda _: None,
        paper_exact: bool = False,
    ) -> None:
        super().__init__(stop, named, paper_exact)
        self._builds = systems
        self._needs = needs
        self._interrupt = interrupt
        self._models = models
        self._run = secrets.token_hex(8)
        self._systems: dict[str, _System] = {}
        self._episode: tuple[str, Any] = ("", None)

    def __enter__(self) -> RayScheduler:
        import ray

        self._ray = ray
        self._submit = ray.remote(run_task)
        self._post = _Post(ray, self._models, self._hear)
        try:
            self._systems = {name: self._system(build) for name, build in self._builds.items()}
            self._refuse_unready()
        except BaseException:
            self._post.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        try:
            if error is None:
                while self._stores and not self.stop.is_set():
                    self._advance()
        except BaseException:
            self._break_off()
            raise
        if error is not None or self._stores:
            self._break_off()
        self._post.close()

    def start(self, job: StoreJob, first: bool) -> None:
        system = self._systems[job.unit[0]]
        self._taken_in(job, self._put(job.episode))
        room = max(4, 2 * self._room(system))
        self._advance(wait=False)
        while not self.stop.is_set() and (self._unfinished() >= room or len(self._stores) >= 64 + 4 * room):
            self._advance()

    def _system(self, build: Build) -> _System:
        """What the cluster has to know of a system; building it here tells, and finds mistakes before they travel."""
        built = build()
        try:
            traits, own = built.traits, _OWN.match(type(built.system).__module__) is not None
        finally:
            built.close()
        return _System(ship(build), _options(traits, self._needs), spread=own or traits.parallel)

    def _refuse_unready(self) -> None:
        """Refuse to begin if a node lacks something, or if no node has what a system needs."""
        ray = self._ray
        nodes = [node for node in ray.nodes() if node["Alive"]]
        for name, system in self._systems.items():
            if (lacking := _lacking(system.options, nodes)) is not None:
                raise BadInput(
                    f"a store of {name} needs {lacking}, and no node of the cluster has that; "
                    "ask for less with --needs, or add a node"
                )
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        check = ray.remote(num_cpus=0)(check_node)
        systems = ray.put(list({each.shipped.digest: each.shipped for each in self._systems.values()}.values()))
        asked = {
            check.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote(
                systems, versions()
            ): node["NodeManagerAddress"]
            for node in nodes
            if node["Resources"].get("CPU")
        }
        for answer, host in asked.items():
            try:
                problems = ray.get(answer, timeout=CHECKED)
            except ray.exceptions.RayTaskError as error:
                problems = [f"it can't run this: {error_line(error.cause)}"]
            except ray.exceptions.RayError as error:
                problems = [f"it does not run memtriage: {first_line(error)}"]
            if problems:
                raise BadInput(f"node {host} of the cluster: {'; '.join(problems)}")

    def _put(self, episode: Episode) -> Any:
        """The episode in the cluster's memory, once for all systems."""
        if self._episode[0] != episode.id:
            self._episode = (episode.id, self._ray.put(episode))
        return self._episode[1]

    def _room(self, system: _System) -> int:
        """How many stores of a system the processors of the cluster have room for now."""
        processors = self._ray.cluster_resources().get("CPU", 1.0)
        return max(1, int(processors / (system.options["num_cpus"] or 1.0)))

    def _begin_due(self) -> None:
        """Submit the stores that wait, in their order, as far as their systems allow."""
        for store in self._stores:
            system = self._systems[store.job.unit[0]]
            if store.task is None and store.outcome is None and (system.spread or not system.busy):
                system.busy += 1
                store.task = self._submitted(store, system)

    def _submitted(self, store: Store, system: _System) -> Any:
        job = store.job
        environment = {name: os.environ[name] for name in passed()}
        hidden = [value for value in environment.values() if value in known()]
        task = StoreTask(
            *(self._run, system.shipped, job.unit, job.before, job.settings, store.attempt, environment, hidden),
            named=self._named(job.unit),
            paper_exact=self._paper_exact,
        )
        options = {**system.options, "max_retries": 0, "scheduling_strategy": self._strategy(store.node)}
        return self._submit.options(**options).remote(task, store.episode, self._post.mailbox)

    def _strategy(self, avoided: str) -> Any:
        """Anywhere; or after a loss, on another node if there is one."""
        if not avoided:
            return "SPREAD"
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        others = [node["NodeID"] for node in self._ray.nodes() if node["Alive"] and node["NodeID"] != avoided]
        return NodeAffinitySchedulingStrategy(others[0], soft=True) if others else "SPREAD"

    def _advance(self, wait: bool = True) -> None:
        """Take what is finished, write what is due, and submit what may begin; wait a moment for it if asked to."""
        if self._post.problem is not None:
            raise self._post.problem
        self._begin_due()
        tasks = {store.task: store for store in self._stores if store.task is not None}
        if tasks:
            ready, _ = self._ray.wait(list(tasks), num_returns=1, timeout=0.2 if wait else 0)
            for task in ready:
                self._take(tasks[task])
        self._write_due()
        self._begin_due()

    def _take(self, store: Store) -> None:
        """What became of a store. One that was lost is begun again, once."""
        errors = self._ray.exceptions
        task, store.task = store.task, None
        self._systems[store.job.unit[0]].busy -= 1
        try:
            self._ended(store, self._ray.get(task))
        except errors.RayTaskError as error:
            if isinstance(error.cause, errors.RayError):  # its mailbox was lost on the way
                self._lose(store, first_line(error.cause))
            else:
                raise error.cause from None
        except errors.RayError as error:
            self._lose(store, first_line(error))

    def _hint(self, broken: str) -> str:
        unseen = withheld(broken, {**child_environment(), **dict.fromkeys(passed(), "")})
        return f"; a cluster sees a variable of yours if you name it: --pass-env {unseen[0]}" if unseen else ""

    def _break_off(self) -> None:
        self.stop.set()
        self._post.close()
        for store in self._stores:
            if store.task is not None:
                with suppress(Exception):  # it may have ended by itself
                    self._ray.cancel(store.task, force=True)
        self._interrupt()


class _Post:
    """Takes what stores ask and tell from their mailbox, and has the run's models answer."""

    def __init__(self, ray: Any, models: SystemModels, hear: Callable[[Iterable[News]], None]) -> None:
        self.problem: MemtriageError | None = None
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        # Where the run is, or the head for one outside, and nowhere else: if that node is lost, the run is lost anyway.
        near = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        actor = ray.remote(num_cpus=0, max_concurrency=100_000, scheduling_strategy=near)(Mailbox)
        self.mailbox = actor.remote()
        self._ray, self._models, self._hear = ray, models, hear
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="memtriage-mailbox", daemon=True)
        self._thread.start()

    def close(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            self._thread.join(REACHED)
            self._ray.kill(self.mailbox)

    def _serve(self) -> None:
        from memtriage.models.borrowed import lend

        while not self._closed.is_set():
            try:
                asked, news = self._ray.get(self.mailbox.take.remote(0.5))
                self._hear(news)
                for number, request in asked:
                    self._models.begin(lend(self._models, request)).add_done_callback(self._reply_to(number))
            except Exception as error:
                if not self._closed.is_set():
                    self.problem = BadRun(f"the cluster was lost ({first_line(error)}); what was done is kept")
                return

    def _reply_to(self, number: int) -> Callable[[Future[Loan]], None]:
        def reply(loan: Future[Loan]) -> None:
            with suppress(Exception):  # the models were closed, or the cluster is gone; either is told elsewhere
                self.mailbox.reply.remote(number, loan.result())

        return reply


def _options(traits: Traits, needs: Needs) -> dict[str, Any]:
    """What a store asks of a node: what the user says, or else what its system declares."""
    cpus = traits.cpus if needs.cpus is None else needs.cpus
    gpus = traits.gpus if needs.gpus is None else needs.gpus
    memory = traits.memory_gb if needs.memory_gb is None else needs.memory_gb
    options = {"num_cpus": cpus, "num_gpus": gpus, "memory": int(memory * _GIGABYTE)}
    return {name: amount for name, amount in options.items() if amount or name == "num_cpus"}


def _lacking(options: Mapping[str, Any], nodes: Collection[Mapping[str, Any]]) -> str | None:
    """What no node has of what a store needs."""
    names = {"num_cpus": "CPU", "num_gpus": "GPU", "memory": "memory"}
    wanted = {names[name]: amount for name, amount in options.items()}
    if any(all(node["Resources"].get(name, 0) >= amount for name, amount in wanted.items()) for node in nodes):
        return None
    said = {"CPU": "{:g} processors", "GPU": "{:g} GPUs", "memory": "{:g} GB of memory"}
    amounts = {name: amount / _GIGABYTE if name == "memory" else amount for name, amount in wanted.items()}
    return " and ".join(said[name].format(amount) for name, amount in amounts.items())
