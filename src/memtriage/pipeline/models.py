"""The models of a run: checked before it begins, opened while it lasts, and billed.

Everything asked of a model goes through one cache, so grading again, or after a kill, costs only what is new.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memtriage.config import Grading, Limits
from memtriage.core.errors import BadInput
from memtriage.host.files import write_whole
from memtriage.models.current import models_in_use, use_models
from memtriage.models.spec import ModelSpec

if TYPE_CHECKING:
    from memtriage.models.cache import Cache
    from memtriage.models.client import Client
    from memtriage.models.ledger import Ledger
    from memtriage.models.system_models import SystemModels

COST = "cost.json"

_LIMITS = ("max_cost", "max_errors", "stopped", "prices")
"""What a bill says of a session rather than of the run."""


class Models(NamedTuple):
    """Clients for who answers and who judges, their event loop, and the ledger they share."""

    runner: asyncio.Runner
    answer: Client | None
    judge: Client | None
    ledger: Ledger


def check_models(grading: Grading, limits: Limits, internal: str = "") -> None:
    """Refuse what can't be asked (no key, a limit on cost without a price) before anything is stored or written."""
    from memtriage.models.keys import key_for
    from memtriage.models.ledger import Ledger

    ledger = Ledger(max_cost=limits.max_cost, max_errors=limits.max_errors)
    for spec in model_specs(grading, internal).values():
        if spec.kind == "offline":
            raise BadInput("model 'offline' answers nothing; leave the option out, or name a model")
        key_for(spec)
        ledger.admit(spec)


@contextmanager
def open_models(grading: Grading, limits: Limits) -> Iterator[Models]:
    """The models that answer and judge, for as long as this lasts."""
    from memtriage.models.client import Client
    from memtriage.models.ledger import Ledger
    from memtriage.models.limiter import Limiter
    from memtriage.models.local import resolve_all

    ledger = Ledger(max_cost=limits.max_cost, max_errors=limits.max_errors)
    with ExitStack() as stack:
        wanted = model_specs(grading)
        served = dict(zip(wanted, stack.enter_context(resolve_all(wanted.values())), strict=True))
        cache = stack.enter_context(open_cache(limits))
        runner = stack.enter_context(asyncio.Runner())
        limiters: dict[str, Limiter] = {}
        clients: dict[str, Client] = {}
        for role, spec in served.items():
            limiter = limiters.setdefault(spec.endpoint, Limiter(limits.concurrency))
            clients[role] = Client(spec, cache=cache, limiter=limiter, ledger=ledger)
            stack.callback(lambda client: runner.run(client.aclose()), clients[role])
        yield Models(runner, clients.get("answer"), clients.get("judge"), ledger)


@contextmanager
def open_system_models(limits: Limits) -> Iterator[SystemModels]:
    """What systems may use of models while this lasts: within the same limits as those who answer and judge."""
    from memtriage.models.ledger import Ledger
    from memtriage.models.system_models import SystemModels

    ledger = Ledger(max_cost=limits.max_cost, max_errors=limits.max_errors)
    with ExitStack() as stack:
        cache = stack.enter_context(open_cache(limits))
        models = stack.enter_context(SystemModels(cache=cache, ledger=ledger, concurrency=limits.concurrency))
        yield stack.enter_context(use_models(models))


@contextmanager
def open_cache(limits: Limits, *, existing: bool = False) -> Iterator[Cache | None]:
    """The cache that limits allow, if any; with `existing`, only one that is there."""
    from memtriage.models.cache import Cache, default_path

    where = limits.cache or default_path()
    if not limits.use_cache or (existing and not where.exists()):
        yield None
        return
    with closing(Cache(where)) as cache:
        yield cache


def model_specs(grading: Grading, internal: str = "") -> dict[str, ModelSpec]:
    """The models that are named, by role."""
    named = {"answer": grading.answer, "judge": grading.judge, "internal": internal}
    specs = {role: ModelSpec.parse(text) for role, text in named.items() if text}
    for spec in specs.values():
        if spec.userinfo == "***":
            raise BadInput(
                f"the password of {spec.name} is not kept on disk; start the run again with the whole URL: "
                "what was asked before is in the cache and costs nothing"
            )
    return specs


# ------------------------------------------------------------------ the bill


def take_over(ledger: Ledger) -> None:
    """Put what the models inside systems took so far on a ledger, where it also counts towards its limits."""
    models = models_in_use()
    if models is not None and models.ledger is not ledger:
        ledger.absorb(models.ledger)


def write_bill(path: Path, ledger: Ledger | None = None) -> str | None:
    """Add to a run's bill what models took, those inside systems among them; gives what stopped them, if anything."""
    from memtriage.models.ledger import Ledger

    ledger = ledger or Ledger()
    take_over(ledger)
    accounts = ledger.snapshot()
    if accounts["roles"]:
        before = read_bill(path)
        total = accounts if before is None else added(before, accounts)
        write_whole(path / COST, (json.dumps(total, indent=2) + "\n").encode())
    return ledger.stopped


def read_bill(path: Path) -> dict[str, Any] | None:
    """What models took in a run, by role and stage; None where none was asked."""
    file = path / COST
    found: dict[str, Any] | None = json.loads(file.read_bytes()) if file.exists() else None
    return found


def spent(path: Path) -> Decimal:
    """The dollars that a run cost so far."""
    try:
        return Decimal(str((read_bill(path) or {})["total"]["dollars"]))
    except (OSError, ValueError, KeyError):
        return Decimal(0)


def added(before: Any, more: Any) -> Any:
    """Two bills as one: numbers added up, everything else as the later one has it."""
    if isinstance(before, dict) and isinstance(more, dict):
        return {
            key: added(before[key], more[key]) if key in before and key in more else {**before, **more}[key]
            for key in {**before, **more}
            if key not in _LIMITS
        } | {key: more[key] for key in _LIMITS if key in more}
    if isinstance(more, bool) or isinstance(before, bool):
        return before or more
    if isinstance(more, list) and isinstance(before, list):
        return sorted({*before, *more})
    return before + more if isinstance(before, int | float) and isinstance(more, int | float) else more
