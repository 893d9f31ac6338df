"""The models of a run: check them before it starts, and open them while it runs.

All model calls go through one cache, so grading again, or after a kill, costs only what is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memtriage.config import Grading, Limits, RunConfig
from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.host.environment import passing
from memtriage.host.event_loop import LoopRunner
from memtriage.models.current import models_in_use, use_models
from memtriage.models.spec import ModelSpec
from memtriage.pipeline.bill import keep_bill
from memtriage.runner.replies import Replier
from memtriage.runner.watcher import Watcher

if TYPE_CHECKING:
    from memtriage.models.batch_client import BatchTotals
    from memtriage.models.breaker import Tell
    from memtriage.models.cache import Cache
    from memtriage.models.client import Client
    from memtriage.models.held import DueCalls, HeldModel, Runs
    from memtriage.models.ledger import Ledger
    from memtriage.models.system_models import SystemModels


class BatchesOf(NamedTuple):
    """The run that batches belong to, and who hears of them."""

    run: Path
    tell: Callable[[str, bool], None]


class Models(NamedTuple):
    """The clients that answer and judge, their event loop, and the ledger they share."""

    runner: Runs
    answer: Client | HeldModel | None
    judge: Client | HeldModel | None
    ledger: Ledger
    wide: bool = False
    """Whether as many calls as possible should be under way at once, since they are collected."""

    @property
    def price_share(self) -> Decimal:
        """What answers cost, as a share of the usual price."""
        from memtriage.models.client import Client

        return self.answer.price_share if isinstance(self.answer, Client) else Decimal(1)

    def batch_totals(self) -> list[BatchTotals]:
        """What was sent in batches, by each model that was asked so."""
        from memtriage.models.batch_client import BatchClient

        return [model.totals for model in (self.answer, self.judge) if isinstance(model, BatchClient)]


def check_models(grading: Grading, limits: Limits, internal: str = "") -> None:
    """Refuse models that can't be used (no key, or a cost limit without a known price) before anything is stored."""
    from memtriage.models.batch_client import refuse_without_batches
    from memtriage.models.keys import key_for
    from memtriage.models.ledger import Ledger

    ledger = Ledger(max_cost=limits.max_cost, max_errors=limits.max_errors)
    specs = model_specs(grading, internal)
    for spec in specs.values():
        if spec.kind == "offline" and not spec.is_by_file:
            raise BadInput("model 'offline' answers nothing; leave the option out, or name a model")
        if limits.hold or spec.is_by_file:
            continue
        if limits.batch and spec is not specs.get("internal"):
            refuse_without_batches(spec, limits.use_cache)
        key_for(spec)
        ledger.admit(spec)


@contextmanager
def open_models(
    grading: Grading,
    limits: Limits,
    due: DueCalls | None = None,
    batches: BatchesOf | None = None,
    bill: Path | None = None,
    tell: Tell | None = None,
) -> Iterator[Models]:
    """Open the models that answer and judge; the calls of held ones are added to `due`, where the work can wait.

    With `batches`, the others are asked in batches. What they cost is on the ledger of the models inside systems,
    where these are in use, and with `bill` on the bill in that folder. `tell` hears of endpoints that are waited for.
    """
    from memtriage.models.batch_client import BatchClient
    from memtriage.models.breaker import Breaker
    from memtriage.models.client import Client
    from memtriage.models.held import HeldModel, HeldRunner
    from memtriage.models.ledger import Ledger
    from memtriage.models.limiter import Limiter
    from memtriage.models.local import resolve_all
    from memtriage.models.request import Capabilities

    systems = models_in_use()
    ledger = Ledger(max_cost=limits.max_cost, max_errors=limits.max_errors) if systems is None else systems.ledger
    with ExitStack() as stack:
        if bill is not None:
            stack.enter_context(keep_bill(bill, ledger))
        specs = model_specs(grading)
        if due is None and (by_file := next((spec for spec in specs.values() if spec.is_by_file), None)) is not None:
            raise BadInput(
                f"model {by_file.name!r} is answered by file, which only a run waits for; name another model"
            )
        held = {role: spec for role, spec in specs.items() if due is not None and due.holds(spec)}
        asked = {role: spec for role, spec in specs.items() if role not in held}
        resolved = dict(zip(asked, stack.enter_context(resolve_all(asked.values())), strict=True))
        cache = stack.enter_context(open_cache(limits))
        runner = stack.enter_context(LoopRunner())
        limiters: dict[str, Limiter] = {}
        breakers: dict[str, Breaker] = {}
        clients: dict[str, Client | HeldModel] = {
            role: HeldModel.of(spec, due, cache, ledger, stops=False) for role, spec in held.items() if due is not None
        }
        capabilities: dict[ModelSpec, Capabilities] = {}
        for role, spec in resolved.items():
            limiter = limiters.setdefault(spec.endpoint, Limiter(limits.concurrency))
            known = capabilities.setdefault(spec, Capabilities.expected(spec))
            settings: dict[str, Any] = {
                "cache": cache,
                "limiter": limiter,
                "breaker": breakers.setdefault(spec.endpoint, Breaker(limits.patience, tell)),
                "ledger": ledger,
                "capabilities": known,
            }
            if batches is None:
                clients[role] = Client(spec, **settings)
            else:
                clients[role] = BatchClient(spec, run=batches.run, tell=batches.tell, **settings)
            stack.callback(lambda client: runner.run(client.aclose()), clients[role])
        runs = HeldRunner(runner, due) if due is not None and held else runner
        yield Models(runs, clients.get("answer"), clients.get("judge"), ledger, wide=bool(held or batches))


def model_replier(config: RunConfig, watcher: Watcher | None) -> Replier | None:
    """The answering model as the one that replies while conversations are stored; None if there is no such model.

    It is opened for each episode, when that is about to be stored. What it costs is on the ledger of the models inside
    systems; replies are in the cache, so that a run which could not begin begins again for nothing.
    """
    from memtriage.runner.replies import with_replies

    def reply(episode: Episode, instruction: str) -> Episode:
        if config.limits.hold or ModelSpec.parse(config.grading.answer).is_by_file:
            raise BadInput(
                f"{episode.task}: replies are stored, and can't be imported from a file; leave them out: --replies no"
            )
        grading = Grading(answer=config.grading.answer)
        with open_models(grading, config.limits, tell=watcher.waiting if watcher else None) as models:
            assert models.answer is not None
            return models.runner.run(with_replies(episode, instruction, models.answer))

    return reply if config.grading.answer else None


@contextmanager
def open_system_models(limits: Limits, tell: Tell | None = None) -> Iterator[SystemModels]:
    """Open the models that systems use inside, within the limits of the run."""
    from memtriage.models.held import DueCalls
    from memtriage.models.ledger import Ledger
    from memtriage.models.system_models import SystemModels

    ledger = Ledger(max_cost=limits.max_cost, max_errors=limits.max_errors)
    with ExitStack() as stack:
        cache = stack.enter_context(open_cache(limits))
        models = stack.enter_context(
            SystemModels(
                cache=cache,
                ledger=ledger,
                concurrency=limits.concurrency,
                due=DueCalls(everything=limits.hold),
                patience=limits.patience,
                tell=tell,
            )
        )
        stack.enter_context(passing(limits.pass_env))
        yield stack.enter_context(use_models(models))


@contextmanager
def open_cache(limits: Limits, *, existing: bool = False) -> Iterator[Cache | None]:
    """Open the cache, if the limits allow one; with `existing`, only if the file exists."""
    from memtriage.models.cache import Cache, default_path

    where = limits.cache or default_path()
    if not limits.use_cache or (existing and not where.exists()):
        yield None
        return
    with closing(Cache(where)) as cache:
        yield cache


def model_specs(grading: Grading, internal: str = "") -> dict[str, ModelSpec]:
    """The specs of the named models, by role."""
    named = {"answer": grading.answer, "judge": grading.judge, "internal": internal}
    specs = {role: ModelSpec.parse(text) for role, text in named.items() if text}
    for spec in specs.values():
        if spec.hides_something:
            raise BadInput(
                f"the password of {spec.label} is not kept on disk; name the model again with it, such as "
                "memtriage resume RUN --answer URL"
            )
    return specs


def model_notices(bill: Mapping[str, Any] | None) -> dict[str, tuple[str, ...]]:
    """Notices about models: roles the scripted server played, texts that were cut, what endpoints would not take."""
    notice = "it was the scripted server, not a model: the run proves plumbing, not quality"
    names = {"answer": "the answering model", "judge": "the judge", "embed": "the embedding model"}
    found: dict[str, tuple[str, ...]] = {
        names[role]: (notice,) for role in (bill or {}).get("scripted", ()) if role in names
    }
    cut = (bill or {}).get("roles", {}).get("embed", {}).get("embed", {}).get("texts_cut", 0)
    if cut:
        said = f"{cut} text{' was' if cut == 1 else 's were'} longer than it takes; it got their beginning"
        found[names["embed"]] = (*found.get(names["embed"], ()), said)
    names["internal"] = "the model inside systems"
    for role, stages in (bill or {}).get("roles", {}).items():
        if damaged := sum(account.get("damaged_replies", 0) for account in stages.values()):
            said = f"{damaged} replies in the call cache were damaged; they were asked for again"
            if damaged == 1:
                said = "1 reply in the call cache was damaged; it was asked for again"
            found[names[role]] = (*found.get(names[role], ()), said)
    for role, notes in (bill or {}).get("notes", {}).items():
        found[names[role]] = (*found.get(names[role], ()), *notes)
    return found
