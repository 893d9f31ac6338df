"""The ledger of a session: it puts on the bill what was asked and what it cost, and says when spending stops."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from decimal import Decimal
from typing import Any

from memtriage.core.chat import ModelError, Role, Tokens, Trouble
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.trace import Usage
from memtriage.models.bill import NOTHING, Account, Bill, Owner, prices, sent
from memtriage.models.prices import price
from memtriage.models.spec import ModelSpec

_TALLY: ContextVar[Account | None] = ContextVar("tally", default=None)


@contextmanager
def tallied(account: Account) -> Iterator[None]:
    """Count what is asked within the block, and in the tasks begun there, on this account as well."""
    before = _TALLY.set(account)
    try:
        yield
    finally:
        _TALLY.reset(before)


def current_tally() -> Account | None:
    """The account that `tallied` names here."""
    return _TALLY.get()


def tally_failure(trouble: Trouble) -> None:
    """Count a failed call for someone who only joined it."""
    if (account := _TALLY.get()) is not None:
        account.errors[trouble] += 1


class Ledger:
    """The bill of one session, shared by all clients of a run, with a budget that holds under concurrency.

    A call reserves what it may cost before it is sent. When spent and reserved money together reach `max_cost`, a
    call waits for those under way to be settled, and if there is no room then, it and all later ones are refused.
    """

    def __init__(self, *, max_cost: Decimal | float | str | None = None, max_errors: int | None = None) -> None:
        self.max_cost = None if max_cost is None else Decimal(str(max_cost))
        self.max_errors = max_errors
        self.stopped: str | None = None
        self.outage = False
        """Whether work stopped because an endpoint answers nobody."""
        self.halted = threading.Event()
        """Set when work stopped, for whatever reason."""
        self.errors = 0
        """How many calls failed for good in this session; those that the budget or an outage stopped don't count."""
        self._bill = Bill()
        self._write: Callable[[Mapping[str, Any]], None] | None = None
        self._begun = False
        self._hits: Counter[tuple[Role, str]] = Counter()
        self._reserved = NOTHING
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._lock = threading.RLock()

    def keep(self, before: Bill, write: Callable[[Mapping[str, Any]], None]) -> None:
        """Go on with the bill of earlier sessions, and write every record from now on.

        What was counted so far comes first. Earlier spending counts towards `max_cost`; without a limit of its own,
        this session has the one before it.
        """
        with self._lock:
            so_far, self._bill, self._write = self._bill, before, write
            if self.max_cost is None:
                self.max_cost = before.max_cost
            if self.max_cost is not None:  # to be remembered even if nothing is asked before a kill
                self._begin()
            for record in so_far.records():
                self._log(record)

    @property
    def is_kept(self) -> bool:
        """Whether its records are written."""
        return self._write is not None

    def close(self) -> bool:
        """End the session in order, as what was paid for is in the cache; says whether there is anything on record."""
        with self._lock:
            self.settle()
            if self._begun:
                self._log({"closed": True})
            self._write = None
            return self._begun

    def settle(self) -> None:
        """Put on the bill what was answered for nothing; that is not worth a record each."""
        with self._lock:
            hits, self._hits = self._hits, Counter()
            for (role, stage), cached in hits.items():
                self._log({"role": role, "stage": stage, "cached": cached})

    @property
    def spent(self) -> Decimal:
        """The dollars spent so far, in all sessions, as far as prices are known."""
        with self._lock:
            return self._bill.spent

    @property
    def exhausted(self) -> bool:
        """Whether nothing should be sent again: work was stopped, or one more try could pass the limit."""
        with self._lock:
            return self.stopped is not None or not self._fits(NOTHING)

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

    def hit(self, role: Role, stage: str, spec: ModelSpec, tokens: Tokens) -> None:
        """A call was answered for nothing, from the cache or by an identical call under way; it would take `tokens`."""
        dollars = price(spec, tokens)
        answered = Account(cached=1, saved_input=tokens.input, saved_output=tokens.output, saved=dollars or NOTHING)
        answered.saved_unpriced = int(dollars is None)
        with self._lock:
            self._hits[role, stage] += 1
            _tally(answered)

    def retried(self, role: Role, stage: str) -> None:
        """A request was sent again."""
        self._add(role, stage, Account(retries=1))

    def cut(self, role: Role, stage: str, texts: int) -> None:
        """So many texts were longer than a model takes, and only their beginnings were sent."""
        self._add(role, stage, Account(cut=texts))

    def damaged(self, role: Role, stage: str, replies: int) -> None:
        """So many replies in the cache were damaged, and are asked for again."""
        self._add(role, stage, Account(damaged=replies))

    def failed(self, role: Role, stage: str, trouble: Trouble) -> None:
        """A call could not be answered."""
        self._add(role, stage, Account(errors=Counter([trouble])))
        with self._lock:
            self.errors += trouble not in ("budget", "outage")
            if self.max_errors is not None and self.errors >= self.max_errors and self.stopped is None:
                self._stop(f"stopped after {self.errors} failed calls (the limit is {self.max_errors})")

    def sending(self, request: str, dollars: Decimal | None) -> None:
        """A request is about to be sent, and may cost so much. It ends with `spend` or `unanswered`."""
        self._log(sent(request, dollars))

    def unanswered(self, request: str, *, lost: bool) -> None:
        """A request brought nothing. If its reply is `lost`, it may have been paid for, which counts for the limit."""
        with self._lock:
            if self._bill.is_under_way(request):
                self._log({"lost" if lost else "unpaid": request})

    def spend(
        self,
        role: Role,
        stage: str,
        spec: ModelSpec,
        tokens: Tokens,
        share: Decimal = Decimal(1),
        *,
        good: bool = True,
        request: str | None = None,
    ) -> None:
        """The endpoint sent a reply that has to be paid for, at this share of the usual price, `good` or not."""
        dollars = price(spec, tokens)
        paid = Account(
            calls=int(good),
            input=tokens.input,
            output=tokens.output,
            dollars=NOTHING if dollars is None else dollars * share,
            unpriced=int(dollars is None),
            cached_input=tokens.cached,
            reasoning=tokens.reasoning,
        )
        self._add(role, stage, paid, {} if request is None else {"paid": request})

    def note(self, role: Role, note: str) -> None:
        """Keep what the user should know of the model in a role, once."""
        with self._lock:
            if note not in self._bill.notes.get(role, {}):
                self._log({"role": role, "note": note})

    def was_scripted(self, role: Role) -> None:
        """The scripted server answered in this role, in the place of a model."""
        with self._lock:
            if role not in self._bill.scripted:
                self._log({"role": role, "scripted": True})

    def paid_for(self, owner: Owner) -> Usage:
        """What was paid for somebody, over all sessions."""
        with self._lock:
            return self._bill.owners.get(owner, Account()).usage()

    def snapshot(self) -> dict[str, Any]:
        """The bill of all sessions as a plain dict, for cost.json and reports."""
        with self._lock:
            self.settle()
            limit = None if self.max_cost is None else float(self.max_cost)
            session = {"max_cost": limit, "max_errors": self.max_errors, "stopped": self.stopped}
            return self._bill.snapshot() | session

    def _add(self, role: Role, stage: str, more: Account, named: Mapping[str, str] | None = None) -> None:
        """Write to the stage's account, and to the one that `tallied` names."""
        with self._lock:
            _tally(more)
            tally = _TALLY.get()
            owner = {"for": list(tally.owner)} if tally is not None and tally.owner else {}
            self._log({"role": role, "stage": stage, **(named or {}), **owner, **more.record()})

    def _begin(self) -> None:
        """Record that a session begins, before its first record: a run that asks no model has no bill."""
        self._begun = True
        limit = None if self.max_cost is None else str(self.max_cost)
        self._log({"session": {"max_cost": limit, "max_errors": self.max_errors, "prices": prices()}})

    def _log(self, record: Mapping[str, Any]) -> None:
        with self._lock:
            if self._write is None:
                self._bill.add(record)
                return
            if not self._begun:
                self._begin()
            self._bill.add(record)
            try:
                self._write(record)
            except BadRun as error:
                # What can't be written down is not to be spent.
                self._write = None
                self.stopped = str(error)
                self.halted.set()
                raise

    def give_up(self, why: str) -> None:
        """An endpoint answers nobody: nothing more is asked, and what is under way is left for later."""
        with self._lock:
            if self.stopped is None:
                self.outage = True
                self._stop(why)

    def _stop(self, why: str) -> None:
        self.stopped = why
        self.halted.set()
        self._log({"stopped": why})
        self._wake()

    async def _set_aside(self, dollars: Decimal) -> None:
        while True:
            if self.stopped is not None:
                raise ModelError("outage" if self.outage else "budget", self.stopped)
            with self._lock:
                if self._fits(dollars):
                    self._reserved += dollars
                    return
                if not self._reserved:
                    self._stop(self._too_much())
                    continue
                settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiting.append(settled)
            await settled

    def _fits(self, dollars: Decimal) -> bool:
        """Whether there is room for another call; requests that may have been paid for count as paid."""
        if self.max_cost is None:
            return True
        return self._bill.spent + self._bill.unsure.dollars + self._reserved + dollars <= self.max_cost

    def _too_much(self) -> str:
        unsure = self._bill.unsure
        more = f", and up to ${unsure.dollars:.4f} for replies that were lost" if unsure.dollars else ""
        return f"stopped at ${self.spent:.4f}{more}: the next call could pass the limit of ${self.max_cost}"

    def _wake(self) -> None:
        with self._lock:
            waiting = list(self._waiting)
            self._waiting.clear()
        for settled in waiting:
            # Clients in other threads have loops of their own.
            with suppress(RuntimeError):  # whoever waited is gone, and the loop with it
                settled.get_loop().call_soon_threadsafe(_settle, settled)


def _tally(more: Account) -> None:
    if (account := _TALLY.get()) is not None:
        account.add(more)


def _settle(settled: asyncio.Future[None]) -> None:
    if not settled.done():
        settled.set_result(None)
