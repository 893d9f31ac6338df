"""The bill: what was asked, what it took and what it cost, per role and stage, and when spending stops."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from memtriage.core.chat import ModelError, Role, Tokens, Trouble
from memtriage.core.errors import BadInput
from memtriage.core.trace import Usage
from memtriage.models.prices import price, price_date, price_source
from memtriage.models.spec import ModelSpec

_NOTHING = Decimal(0)


@dataclass(slots=True)
class Account:
    """What one stage of one role took.

    `unpriced` counts paid replies whose price nobody knows, `cut` texts of which a model only got the beginning.
    """

    calls: int = 0
    cached: int = 0
    retries: int = 0
    errors: Counter[Trouble] = field(default_factory=Counter)
    input: int = 0
    output: int = 0
    dollars: Decimal = _NOTHING
    unpriced: int = 0
    cut: int = 0
    cached_input: int = 0
    reasoning: int = 0

    def add(self, other: Account) -> None:
        """Add another account to this one."""
        self.calls += other.calls
        self.cached += other.cached
        self.retries += other.retries
        self.errors.update(other.errors)
        self.input += other.input
        self.output += other.output
        self.dollars += other.dollars
        self.unpriced += other.unpriced
        self.cut += other.cut
        self.cached_input += other.cached_input
        self.reasoning += other.reasoning

    def snapshot(self) -> dict[str, Any]:
        """The account as plain values. Parts of the input and output stand there only where an endpoint named them."""
        parts = {
            "texts_cut": self.cut,
            "cached_input_tokens": self.cached_input,
            "reasoning_tokens": self.reasoning,
        }
        return {
            "calls": self.calls,
            "cached": self.cached,
            "retries": self.retries,
            "errors": dict(sorted(self.errors.items())),
            "input_tokens": self.input,
            "output_tokens": self.output,
            "dollars": float(self.dollars),
            "price_unknown": self.unpriced > 0,
            **{name: count for name, count in parts.items() if count},
        }

    def usage(self) -> Usage:
        """The account as traces keep it: what was paid for; replies from the cache are only counted."""
        dollars = None if self.unpriced else float(self.dollars)
        return Usage(self.calls, self.cached, self.errors.total(), self.input, self.output, dollars)


_TALLY: ContextVar[Account | None] = ContextVar("tally", default=None)


@contextmanager
def tallied(account: Account) -> Iterator[None]:
    """Count what is asked within the block, and in the tasks begun there, on this account as well."""
    before = _TALLY.set(account)
    try:
        yield
    finally:
        _TALLY.reset(before)


def tally_failure(trouble: Trouble) -> None:
    """Count a failed call for someone who only joined it."""
    if (account := _TALLY.get()) is not None:
        account.errors[trouble] += 1


class Ledger:
    """Accounts per role and stage, shared by all clients of a run, with a budget that holds under concurrency.

    A call reserves what it may cost before it is sent. When spent and reserved money together reach `max_cost`, a
    call waits for those under way to be settled, and if there is no room then, it and all later ones are refused.
    """

    def __init__(self, *, max_cost: Decimal | float | str | None = None, max_errors: int | None = None) -> None:
        self.max_cost = None if max_cost is None else Decimal(str(max_cost))
        self.max_errors = max_errors
        self.stopped: str | None = None
        self.scripted: set[Role] = set()
        """The roles in which the scripted server answered, in the place of a model."""
        self._accounts: dict[tuple[Role, str], Account] = {}
        self._notes: dict[Role, dict[str, None]] = {}
        self._reserved = _NOTHING
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._lock = threading.RLock()

    @property
    def spent(self) -> Decimal:
        """The dollars spent so far, as far as prices are known."""
        return sum((account.dollars for account in self._each()), _NOTHING)

    @property
    def errors(self) -> int:
        """How many calls failed for good; those that the budget refused are not among them."""
        return sum(account.errors.total() - account.errors["budget"] for account in self._each())

    @property
    def exhausted(self) -> bool:
        """Whether nothing should be sent again: work was stopped, or one more try could pass the limit."""
        with self._lock:
            return self.stopped is not None or not self._fits(_NOTHING)

    def admit(self, spec: ModelSpec) -> None:
        """Refuse a model of unknown price where there is a limit on cost: the limit couldn't be kept."""
        if self.max_cost is not None and price(spec, Tokens(1, 1)) is None:
            raise BadInput(
                f"the price of {spec.name!r} is unknown, so a cost limit of ${self.max_cost} can't be kept; "
                "give its price in prices.json (or the file MEMTRIAGE_PRICES names) "
                f'as {{"{spec.model}": {{"input": …, "output": …}}}} in dollars per million tokens, or drop the limit'
            )

    @asynccontextmanager
    async def reserved(self, dollars: Decimal) -> AsyncIterator[None]:
        """Set money aside for a call while it is under way; ModelError("budget") when there is none left."""
        await self._set_aside(dollars)
        try:
            yield
        finally:
            with self._lock:
                self._reserved -= dollars
            self._wake()

    def answered(self, role: Role, stage: str) -> None:
        """A call was answered by the endpoint."""
        self._add(role, stage, Account(calls=1))

    def hit(self, role: Role, stage: str) -> None:
        """A call was answered for nothing: from the cache, or by an identical call under way."""
        self._add(role, stage, Account(cached=1))

    def retried(self, role: Role, stage: str) -> None:
        """A request was sent again."""
        self._add(role, stage, Account(retries=1))

    def cut(self, role: Role, stage: str, texts: int) -> None:
        """So many texts were longer than a model takes, and only their beginnings were sent."""
        self._add(role, stage, Account(cut=texts))

    def failed(self, role: Role, stage: str, trouble: Trouble) -> None:
        """A call could not be answered."""
        self._add(role, stage, Account(errors=Counter([trouble])))
        if self.max_errors is not None and self.errors >= self.max_errors and self.stopped is None:
            self._stop(f"stopped after {self.errors} failed calls (the limit is {self.max_errors})")

    def spend(self, role: Role, stage: str, spec: ModelSpec, tokens: Tokens, share: Decimal = Decimal(1)) -> None:
        """The endpoint sent a reply, good or bad, that has to be paid for, at this share of the usual price."""
        dollars = price(spec, tokens)
        dollars = None if dollars is None else dollars * share
        paid = Account(
            input=tokens.input,
            output=tokens.output,
            dollars=dollars or _NOTHING,
            unpriced=dollars is None,
            cached_input=tokens.cached,
            reasoning=tokens.reasoning,
        )
        self._add(role, stage, paid)

    def note(self, role: Role, note: str) -> None:
        """Keep what the user should know of the model in a role, once."""
        with self._lock:
            self._notes.setdefault(role, {})[note] = None

    def absorb(self, other: Ledger) -> None:
        """Take over the accounts of another ledger, which is empty then, and what stopped it."""
        with other._lock:
            moved, other._accounts = other._accounts, {}
            notes, other._notes = other._notes, {}
        with self._lock:
            self.stopped = self.stopped or other.stopped
            for (role, stage), account in moved.items():
                self._account(role, stage).add(account)
            for role, each in notes.items():
                self._notes.setdefault(role, {}).update(each)

    def snapshot(self) -> dict[str, Any]:
        """Everything as a plain dict, for run.json and reports."""
        total = Account()
        roles: dict[str, dict[str, Any]] = {}
        with self._lock:
            for (role, stage), account in sorted(self._accounts.items()):
                total.add(account)
                roles.setdefault(role, {})[stage] = account.snapshot()
            notes = {role: sorted(each) for role, each in sorted(self._notes.items())}
        return {
            "total": total.snapshot(),
            "roles": roles,
            "max_cost": None if self.max_cost is None else float(self.max_cost),
            "max_errors": self.max_errors,
            "stopped": self.stopped,
            "scripted": sorted(self.scripted),
            **({"notes": notes} if notes else {}),
            "prices": {"source": price_source(), "date": price_date().isoformat()},
        }

    def _each(self) -> Iterator[Account]:
        with self._lock:
            return iter(list(self._accounts.values()))

    def _account(self, role: Role, stage: str) -> Account:
        return self._accounts.setdefault((role, stage), Account())

    def _add(self, role: Role, stage: str, more: Account) -> None:
        """Write to the stage's account, and to the one that `tallied` names."""
        with self._lock:
            self._account(role, stage).add(more)
            if (account := _TALLY.get()) is not None:
                account.add(more)

    def _stop(self, why: str) -> None:
        self.stopped = why
        self._wake()

    async def _set_aside(self, dollars: Decimal) -> None:
        while True:
            if self.stopped is not None:
                raise ModelError("budget", self.stopped)
            with self._lock:
                if self._fits(dollars):
                    self._reserved += dollars
                    return
                if not self._reserved:
                    self._stop(f"stopped at ${self.spent:.4f}: the next call could pass the limit of ${self.max_cost}")
                    continue
                settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiting.append(settled)
            await settled

    def _fits(self, dollars: Decimal) -> bool:
        return self.max_cost is None or self.spent + self._reserved + dollars <= self.max_cost

    def _wake(self) -> None:
        with self._lock:
            waiting = list(self._waiting)
            self._waiting.clear()
        for settled in waiting:
            # Clients in other threads have loops of their own.
            settled.get_loop().call_soon_threadsafe(_settle, settled)


def _settle(settled: asyncio.Future[None]) -> None:
    if not settled.done():
        settled.set_result(None)
