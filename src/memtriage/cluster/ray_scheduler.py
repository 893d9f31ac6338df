"""A run whose stores are filled on a Ray cluster: one on this machine, or any other.

A store is a task, or several neighbours are if they are quick. The run itself stays here: it alone writes the run
directory, store by store in the order of one machine, so that both come to the same files. It also makes all calls to
models: stores ask through a mailbox, so there is one cache, one limit per endpoint, one budget and one bill, and keys
stay here.
"""

from __future__ import annotations

import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtriage.cluster.connection import REACHED, first_line
from memtriage.cluster.in_order import Store, StoresInOrder, Times
from memtriage.cluster.local_scheduler import may_leave
from memtriage.cluster.nodes import NodeCheck
from memtriage.cluster.reports import News
from memtriage.cluster.shipping import Shipped, ship
from memtriage.cluster.store_task import StoreTask
from memtriage.cluster.worker import run_stores
from memtriage.config import Needs
from memtriage.core.errors import BadInput, BadRun, MemtriageError
from memtriage.core.memory import Traits
from memtriage.host.environment import child_environment, passed, withheld
from memtriage.host.masks import known
from memtriage.record.manifest import Unit
from memtriage.runner.store_runner import Build, StoreJob

if TYPE_CHECKING:
    from concurrent.futures import Future

    from memtriage.core.episode import Episode
    from memtriage.models.borrowed import Loan
    from memtriage.models.system_models import SystemModels

_TASK = 0.5
"""Seconds of work in a task of quick stores: long beside what a task costs, and soon done again. Where much is left it
is four times as much, and half at the end, so that all processors end together."""
_SHARES = 4
"""Into how many tasks for each processor what is left is shared out."""
_MOST = 64
"""How many stores go into one task at most."""

_LISTENED = 0.5
"""Seconds between two looks into the mailbox where no store asks for anything."""

_COUNTED = 2.0
"""Seconds between two looks at how large the cluster is, as it may grow."""

_GIGABYTE = 1 << 30
_OWN = re.compile(r"memtriage\.systems\.(baselines|retrieval|designs|mixing)\.")
"""Systems that keep everything in their own process, so that any number of their stores can be filled at once."""


@dataclass(slots=True)
class _System:
    """A system of the run as the cluster gets it. Without `spread`, one store at a time is filled."""

    shipped: Shipped
    options: Mapping[str, Any]
    spread: bool
    computes: bool
    """Whether its stores only compute, and wait for no model."""
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
        check: NodeCheck | None = None,
        left: int = 0,
    ) -> None:
        """`left` is how many stores are to be filled."""
        super().__init__(stop, named, paper_exact)
        self._check = check
        self._left = left
        self._builds = systems
        self._times = {name: Times() for name in systems}
        self._needs = needs
        self._interrupt = interrupt
        self._models = models
        self._run = secrets.token_hex(8)
        self._systems: dict[str, _System] = {}
        self._episode: tuple[str, Any] = ("", None)
        self._processors = (float("-inf"), 1.0)

    def __enter__(self) -> RayScheduler:
        import ray

        self._ray = ray
        self._submit = ray.remote(run_stores)
        self._systems = {name: self._system(build) for name, build in self._builds.items()}
        self._post = _Post(ray, self._models, self._hear, self._ready_nodes().mailbox)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        try:
            if error is None:
                while self._stores and not self.stop.is_set():
                    self._advance(last=True)
        except BaseException:
            self._break_off()
            raise
        if error is not None or self._stores:
            self._break_off()
        self._post.close()

    def start(self, job: StoreJob, first: bool) -> None:
        system = self._systems[job.unit[0]]
        self._left -= 1
        self._taken_in(job, self._put(job.episode))
        room = max(4, 2 * self._room(system))
        most = 64 + 4 * room
        if self._is_quick(self._stores[-1]):
            task = self._task_seconds()
            room *= 1 + int(task / max(self._times[job.unit[0]].mean, task / _MOST))
        self._advance(wait=False)
        while not self.stop.is_set() and (self._unfinished() >= room or len(self._stores) >= most):
            self._advance()

    def _system(self, build: Build) -> _System:
        """What the cluster has to know of a system; building it here tells, and finds mistakes before they travel."""
        built = build()
        try:
            traits, own = built.traits, _OWN.match(type(built.system).__module__) is not None
        finally:
            built.close()
        return _System(ship(build), _options(traits, self._needs), own or traits.parallel, may_leave(build))

    def _ready_nodes(self) -> NodeCheck:
        """The check of the nodes; BadInput if one of them lacks something, or if none has what a system needs."""
        nodes = [node for node in self._ray.nodes() if node["Alive"]]
        for name, system in self._systems.items():
            if (lacking := _lacking(system.options, nodes)) is not None:
                raise BadInput(
                    f"a store of {name} needs {lacking}, and no node of the cluster has that; "
                    "ask for less with --needs, or add a node"
                )
        systems = [system.shipped for system in self._systems.values()]
        check = self._check
        if check is None or not check.systems.issuperset(each.digest for each in systems):
            check = NodeCheck(systems)
        check.refuse_unready()
        return check

    def _put(self, episode: Episode) -> Any:
        """The episode in the cluster's memory, once for all systems."""
        if self._episode[0] != episode.id:
            self._episode = (episode.id, self._ray.put(episode))
        return self._episode[1]

    def _room(self, system: _System) -> int:
        """How many stores of a system the processors of the cluster have room for now."""
        counted, processors = self._processors
        if time.monotonic() - counted > _COUNTED:
            processors = self._ray.cluster_resources().get("CPU", 1.0)
            self._processors = (time.monotonic(), processors)
        return max(1, int(processors / (system.options["num_cpus"] or 1.0)))

    def _is_quick(self, store: Store) -> bool:
        """Whether a store may share a task: its system waits for nobody and was quick so far, and it was never lost."""
        name = store.job.unit[0]
        return self._systems[name].computes and not store.lost and self._times[name].mean <= _TASK / 2

    def _task_seconds(self) -> float:
        """How much work goes into a task of quick stores now."""
        known = [times for times in self._times.values() if times.stores]
        mean = sum(times.seconds for times in known) / max(1, sum(times.stores for times in known))
        waiting = sum(store.task is None and store.outcome is None for store in self._stores)
        share = mean * (self._left + waiting) / (_SHARES * self._processors[1])
        return min(max(share, _TASK / 2), 4 * _TASK)

    def _begin_due(self, all: bool) -> None:
        """Submit the stores that wait, in their order, as far as their systems allow.

        Neighbours that are quick go together. What is too little for a task waits for more, unless `all` are to begin.
        """
        together: list[Store] = []
        seconds, task = 0.0, self._task_seconds()
        for store in self._stores:
            system = self._systems[store.job.unit[0]]
            if store.task is not None or store.outcome is not None or (system.busy and not system.spread):
                continue
            if not self._is_quick(store):
                self._submitted([store])
                continue
            if together and system.options != self._systems[together[0].job.unit[0]].options:
                self._submitted(together)
                together, seconds = [], 0.0
            together.append(store)
            seconds += self._times[store.job.unit[0]].mean
            if seconds >= task or len(together) == _MOST:
                self._submitted(together)
                together, seconds, task = [], 0.0, self._task_seconds()
        if together and all:
            self._submitted(together)

    def _submitted(self, stores: Sequence[Store]) -> None:
        """Submit stores as one task."""
        episodes = list(dict.fromkeys(store.episode for store in stores))
        tasks = [(self._task(store), episodes.index(store.episode)) for store in stores]
        system = self._systems[stores[0].job.unit[0]]
        options = {**system.options, "max_retries": 0, "scheduling_strategy": self._strategy(stores[0].node)}
        task = self._submit.options(**options).remote(tasks, self._post.mailbox, *episodes)
        for store in stores:
            store.task = task
            self._systems[store.job.unit[0]].busy += 1

    def _task(self, store: Store) -> StoreTask:
        job, system = store.job, self._systems[store.job.unit[0]]
        environment = {name: os.environ[name] for name in passed()}
        hidden = [value for value in environment.values() if value in known()]
        return StoreTask(
            *(self._run, system.shipped, job.unit, job.before, job.settings, store.attempt, environment, hidden),
            named=self._named(job.unit),
            paper_exact=self._paper_exact,
        )

    def _strategy(self, avoided: str) -> Any:
        """Anywhere; or after a loss, on another node if there is one."""
        if not avoided:
            return "SPREAD"
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        others = [node["NodeID"] for node in self._ray.nodes() if node["Alive"] and node["NodeID"] != avoided]
        return NodeAffinitySchedulingStrategy(others[0], soft=True) if others else "SPREAD"

    def _advance(self, wait: bool = True, last: bool = False) -> None:
        """Take what is finished, write what is due, and submit what may begin; wait a moment for it if asked to."""
        if self._post.problem is not None:
            raise self._post.problem
        self._begin_due(last)
        tasks = {store.task: None for store in self._stores if store.task is not None}
        if wait and len(tasks) < self._processors[1]:
            self._begin_due(all=True)
        if tasks:
            ready, _ = self._ray.wait(list(tasks), num_returns=1, timeout=0.2 if wait else 0)
            for task in ready:
                self._take(task, [store for store in self._stores if store.task == task])
            if ready:
                self._begin_due(last)  # before anything is written, so that nobody waits for that
        self._write_due()

    def _take(self, task: Any, stores: Sequence[Store]) -> None:
        """What became of the stores of a task. Those that were lost are begun again, once, each by itself."""
        errors = self._ray.exceptions
        for store in stores:
            store.task = None
            self._systems[store.job.unit[0]].busy -= 1
        try:
            outcomes = self._ray.get(task)
        except errors.RayTaskError as error:
            if not isinstance(error.cause, errors.RayError):
                raise error.cause from None
            self._lose_all(stores, first_line(error.cause))  # their mailbox was lost on the way
        except errors.RayError as error:
            self._lose_all(stores, first_line(error))
        else:
            for store, outcome in zip(stores, outcomes, strict=True):
                if outcome.records:
                    self._times[store.job.unit[0]].add(outcome.seconds)
                self._ended(store, outcome)

    def _lose_all(self, stores: Sequence[Store], why: str) -> None:
        if not any(store.node for store in stores):
            self._post.hear()
        node = next((store.node for store in stores if store.node), "")
        for store in stores:
            store.node = node
            self._lose(store, why)

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

    def __init__(self, ray: Any, models: SystemModels, hear: Callable[[Iterable[News]], None], mailbox: Any) -> None:
        self.problem: MemtriageError | None = None
        self.mailbox = mailbox
        self._ray, self._models, self._hear = ray, models, hear
        self._closed = threading.Event()
        self._rounds = 0
        self._thread = threading.Thread(target=self._serve, name="memtriage-mailbox", daemon=True)
        self._thread.start()

    def close(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            self._ray.kill(self.mailbox)  # first, so that nobody waits for what it would still say
            self._thread.join(REACHED)

    def hear(self) -> None:
        """Wait until everything is heard that stores have told up to now."""
        until, patience = self._rounds + 2, time.monotonic() + REACHED  # one round may have looked before
        while self._rounds < until and self.problem is None and time.monotonic() < patience:
            time.sleep(0.02)

    def _serve(self) -> None:
        from memtriage.models.borrowed import lend

        while not self._closed.is_set():
            try:
                asked, news = self._ray.get(self.mailbox.take.remote(_LISTENED))
                self._hear(news)
                self._rounds += 1
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
