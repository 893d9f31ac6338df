"""The bill: accounts per role and stage, added up from records that can be kept in a file.

Every change is one record, written as it happens. A request is recorded before it is sent, and again when it has been
paid for or has failed. One without an end was under way when its process died, and one whose reply was lost timed out
or lost its connection: both may have been paid for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple, get_args

from memtriage.core.chat import Role, Trouble
from memtriage.core.trace import Usage
from memtriage.models.prices import price_date, price_source

NOTHING = Decimal(0)

Owner = tuple[str, ...]
"""Who a call was made for, such as a store's system and episode; empty if nobody said."""

_OWNER: ContextVar[Owner] = ContextVar("owner", default=())


@contextmanager
def asking_for(owner: Owner) -> Iterator[None]:
    """Have accounts that are opened within the block belong to somebody: the bill says whose calls they were."""
    before = _OWNER.set(owner)
    try:
        yield
    finally:
        _OWNER.reset(before)


@dataclass(slots=True)
class Account:
    """What one stage of one role took.

    `unpriced` counts paid replies whose price nobody knows, `cut` texts of which a model only got the beginning,
    `damaged` replies that were damaged in the cache. What `saved` begins with is what replies from the cache would have
    taken; it is counted for stores and answers, and is no part of the bill.
    """

    calls: int = 0
    cached: int = 0
    retries: int = 0
    errors: Counter[Trouble] = field(default_factory=Counter)
    input: int = 0
    output: int = 0
    dollars: Decimal = NOTHING
    unpriced: int = 0
    cut: int = 0
    damaged: int = 0
    cached_input: int = 0
    reasoning: int = 0
    saved_input: int = 0
    saved_output: int = 0
    saved: Decimal = NOTHING
    saved_unpriced: int = 0
    owner: Owner = field(default_factory=_OWNER.get)

    def add(self, other: Account) -> None:
        """Add another account to this one."""
        self.errors.update(other.errors)
        for name in _AMOUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def record(self) -> dict[str, Any]:
        """The account as a record of the bill; what is zero is left out."""
        found: dict[str, Any] = {name: amount for name in _COUNTS if (amount := getattr(self, name))}
        if self.dollars:
            found["dollars"] = str(self.dollars)
        if self.errors:
            found["errors"] = dict(self.errors)
        return found

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Account:
        """The account in a record; ValueError if it is not one."""
        counts: dict[str, Any] = {name: _count(record[name]) for name in _COUNTS if name in record}
        errors = Counter({_trouble(name): _count(count) for name, count in record.get("errors", {}).items()})
        return cls(**counts, errors=errors, dollars=_dollars(record.get("dollars", "0")))

    def snapshot(self) -> dict[str, Any]:
        """The account as plain values. Parts of the input and output stand there only where an endpoint named them."""
        parts = {
            "texts_cut": self.cut,
            "damaged_replies": self.damaged,
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
        paid = Usage(self.calls, self.cached, self.errors.total(), self.input, self.output, dollars)
        saved = None if self.saved_unpriced else float(self.saved)
        return paid + Usage(cached_input=self.saved_input, cached_output=self.saved_output, cached_dollars=saved)


_AMOUNTS = tuple(each.name for each in fields(Account) if each.name not in ("errors", "owner"))
_COUNTS = tuple(name for name in _AMOUNTS if name != "dollars" and not name.startswith("saved"))


class Charge(NamedTuple):
    """What one record puts on the bill, and for whom."""

    role: Role
    stage: str
    account: Account
    owner: Owner


class Bill:
    """What the records of a bill add up to, over all sessions of a run: a run begins one each time it is continued."""

    def __init__(self) -> None:
        self.accounts: dict[tuple[Role, str], Account] = {}
        self.owners: dict[Owner, Account] = {}
        self.notes: dict[Role, dict[str, None]] = {}
        self.scripted: set[Role] = set()
        """The roles in which the scripted server answered, in the place of a model."""
        self.max_cost: Decimal | None = None
        self.max_errors: int | None = None
        self.stopped: str | None = None
        self._prices: Mapping[str, str] | None = None
        self._under_way: dict[str, Decimal | None] = {}
        self._lost: dict[str, list[Decimal | None]] = {}
        self._paid: set[str] = set()
        self._paid_before_a_kill: set[str] = set()

    @property
    def spent(self) -> Decimal:
        """The dollars spent so far, as far as prices are known."""
        return sum((account.dollars for account in self.accounts.values()), NOTHING)

    @property
    def unsure(self) -> Account:
        """Requests whose replies were lost, so that nobody knows whether they were paid for: the most they cost."""
        lost = [dollars for each in self._lost.values() for dollars in each]
        known = [dollars for dollars in lost if dollars is not None]
        return Account(calls=len(lost), dollars=sum(known, NOTHING), unpriced=len(lost) - len(known))

    def is_under_way(self, request: str) -> bool:
        """Whether a request was sent and has not ended."""
        return request in self._under_way

    def add(self, record: Mapping[str, Any]) -> Charge | None:
        """Add a record, and return what it charges, if anything; ValueError if it is not one."""
        if "session" in record:
            self._begin(record["session"])
        elif "closed" in record:
            # Whatever was paid for is in the cache by now.
            self._paid.clear()
            self._end()
        elif "stopped" in record:
            self.stopped = _text(record["stopped"])
        elif "sent" in record:
            dollars = record["dollars"]
            self._under_way[_text(record["sent"])] = None if dollars is None else _dollars(dollars)
        elif "unpaid" in record:
            self._under_way.pop(_text(record["unpaid"]), None)
        elif "lost" in record:
            self._lose(_text(record["lost"]))
        else:
            return self._add_to_role(record)
        return None

    def records(self) -> Iterator[dict[str, Any]]:
        """Records that add up to these accounts, requests and notes."""
        for (role, stage), account in self.accounts.items():
            yield {"role": role, "stage": stage, **account.record()}
        for role, notes in self.notes.items():
            yield from ({"role": role, "note": note} for note in notes)
        yield from ({"role": role, "scripted": True} for role in sorted(self.scripted))
        for request, estimates in self._lost.items():
            for dollars in estimates:
                yield from (sent(request, dollars), {"lost": request})
        yield from (sent(request, dollars) for request, dollars in self._under_way.items())

    def snapshot(self) -> dict[str, Any]:
        """Everything as a plain dict, for cost.json and reports."""
        total = Account()
        roles: dict[str, dict[str, Any]] = {}
        for (role, stage), account in sorted(self.accounts.items()):
            total.add(account)
            roles.setdefault(role, {})[stage] = account.snapshot()
        found: dict[str, Any] = {
            "total": total.snapshot(),
            "roles": roles,
            "max_cost": None if self.max_cost is None else float(self.max_cost),
            "max_errors": self.max_errors,
            "stopped": self.stopped,
            "scripted": sorted(self.scripted),
        }
        unsure = self.unsure
        if unsure.calls:
            may_cost = {"dollars": float(unsure.dollars), "price_unknown": unsure.unpriced > 0}
            found["under_way"] = {"calls": unsure.calls, **may_cost}
        if self.notes:
            found["notes"] = {role: sorted(each) for role, each in sorted(self.notes.items())}
        if self.accounts:  # else there is nothing to price, and no need to load the table
            found["prices"] = dict(self._prices or prices())
        return found

    def _begin(self, session: Mapping[str, Any]) -> None:
        self._paid_before_a_kill |= self._paid  # the session before was not closed
        self._paid.clear()
        self._end()
        limit, errors = session["max_cost"], session["max_errors"]
        self.max_cost = None if limit is None else _dollars(limit)
        self.max_errors = None if errors is None else _count(errors)
        self._prices = {name: _text(session["prices"][name]) for name in ("source", "date")}
        self.stopped = None

    def _end(self) -> None:
        for request in list(self._under_way):
            self._lose(request)

    def _lose(self, request: str) -> None:
        self._lost.setdefault(request, []).append(self._under_way.pop(request))

    def _add_to_role(self, record: Mapping[str, Any]) -> Charge | None:
        role: Role = record["role"]
        if role not in get_args(Role):
            raise ValueError(f"there is no role {role!r}")
        if "note" in record:
            self.notes.setdefault(role, {})[_text(record["note"])] = None
        elif "scripted" in record:
            self.scripted.add(role)
        else:
            charge = Charge(
                role, _text(record["stage"]), Account.of(record), tuple(map(_text, record.get("for") or ()))
            )
            if not self._charge(role, charge.stage, charge.account, record.get("paid")):
                return None
            if charge.owner:
                self.owners.setdefault(charge.owner, Account()).add(charge.account)
            return charge
        return None

    def _charge(self, role: Role, stage: str, account: Account, paid: str | None) -> bool:
        """Add to an account, unless it is there already; returns whether it was added.

        A request that was paid for just before a kill, and whose reply was lost, is sent again under the same
        Idempotency-Key. It is on the bill already; only an endpoint that ignores the key is paid twice.
        """
        if paid is not None:
            self._under_way.pop(_text(paid), None)
            dollars = None if account.unpriced else account.dollars
            if paid in self._lost:  # now it is known what such a request costs
                self._lost[paid] = [dollars] * len(self._lost[paid])
            if paid in self._paid_before_a_kill:
                self._paid_before_a_kill.discard(paid)
                self._lost.setdefault(paid, []).append(dollars)
                return False
            self._paid.add(paid)
        self.accounts.setdefault((role, stage), Account()).add(account)
        return True


def sent(request: str, dollars: Decimal | None) -> dict[str, Any]:
    """The record of a request that is about to be sent, and what it may cost."""
    return {"sent": request, "dollars": None if dollars is None else str(dollars)}


def prices() -> dict[str, str]:
    """Which table prices come from."""
    return {"source": price_source(), "date": price_date().isoformat()}


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


def _dollars(value: Any) -> Decimal:
    try:
        amount = Decimal(_text(value))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise ValueError(f"{value!r} is not an amount of dollars")
    return amount


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def _trouble(name: Any) -> Trouble:
    if name not in get_args(Trouble):
        raise ValueError(f"there is no trouble {name!r}")
    found: Trouble = name
    return found
