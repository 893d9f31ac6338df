"""The bill of a run on disk: `bill.jsonl` has every change as it happened, `cost.json` what they add up to.

A reply is on the bill before anything else is done with it, so a kill hides nothing that was paid for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from memtriage.config import Limits
from memtriage.core.errors import BadRun
from memtriage.host.files import read_inside
from memtriage.host.sealed import BrokenSeal, open_document, seal_document
from memtriage.models.current import models_in_use
from memtriage.record.files import Damaged
from memtriage.record.journal import Log, damaged, first_problem, json_line, records, replace_file

if TYPE_CHECKING:
    from memtriage.models.bill import Bill, Charge
    from memtriage.models.ledger import Ledger

BILL = "bill.jsonl"
COST = "cost.json"

_COVERS = "bill_bytes"
"""The field of cost.json that says how much of bill.jsonl it covers."""


_Amounts = dict[str, int | float | dict[str, int] | None]


class _Cost(TypedDict):
    """What readers of cost.json rely on; there may be more."""

    roles: dict[str, dict[str, _Amounts]]
    total: _Amounts
    bill_bytes: int
    notes: NotRequired[dict[str, list[str]]]
    scripted: NotRequired[list[str]]


_COST = TypeAdapter(_Cost)


@contextmanager
def keep_bill(path: Path, ledger: Ledger) -> Iterator[None]:
    """Write what happens in a ledger to the bill in a folder, after what earlier sessions wrote there."""
    if ledger.is_kept:
        yield
        return
    file = _BillFile(path / BILL)
    ledger.keep(_bill(path), file.write)
    try:
        yield
    except BaseException:
        with suppress(BadRun):  # what went wrong first is what has to be told
            _close(path, ledger)
        raise
    else:
        _close(path, ledger)
    finally:
        file.close()


def write_bill(path: Path, ledger: Ledger | None = None) -> str | None:
    """Bring a run's cost.json up to date; returns why its models were stopped, if they were."""
    if ledger is None:
        models = models_in_use()
        if models is None:
            return None
        ledger = models.ledger
    _write_cost(path, ledger.snapshot())
    return ledger.stopped


def rebuild_cost(path: Path) -> bool:
    """Make cost.json from bill.jsonl; False if no model was asked."""
    return _write_cost(path, _added_up(path).snapshot())


def check_cost(path: Path) -> None:
    """Check that the cost.json of a finished run is what its bill.jsonl adds up to; Damaged if it is not."""
    cost, bill = _cost(path), _added_up(path)
    added_up = {**bill.snapshot(), _COVERS: _size(path)} if bill.accounts else None
    if added_up is not None and cost is None:
        raise Damaged(path / COST, "it is missing")
    if cost is not None and cost != added_up:
        raise Damaged(path / COST, f"it is not what {BILL} adds up to")


def read_bill(path: Path) -> dict[str, Any] | None:
    """The bill of a run, by role and stage; None if no model was asked."""
    cost = _cost(path)
    size = _size(path)
    if cost is not None and cost.pop(_COVERS) == size:
        return cost
    bill = _added_up(path)
    return bill.snapshot() if bill.accounts else None


def spent(path: Path) -> Decimal:
    """The dollars that a run has cost so far, with what it may have cost when it was killed."""
    bill = read_bill(path) or {}
    parts = (bill.get(part, {"dollars": 0})["dollars"] for part in ("total", "under_way"))
    return sum((Decimal(str(dollars)) for dollars in parts), Decimal(0))


def limits_of_run(path: Path, limits: Limits) -> Limits:
    """The limits for a run that is continued: its cost limit stays unless there is a new one."""
    return limits if limits.max_cost is not None else replace(limits, max_cost=_bill(path).max_cost)


class _BillFile:
    """The file of a bill, which is opened with its first record."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log: Log | None = None

    def write(self, record: Mapping[str, Any]) -> None:
        self._log = self._log or Log(self._path)
        self._log.append(json_line(record))

    def close(self) -> None:
        if self._log is not None:
            self._log.close()


def _bill(path: Path) -> Bill:
    """What a run's bill.jsonl adds up to; BadRun if it was damaged or cut."""
    _cost(path)
    return _added_up(path)


def charges(path: Path) -> Iterator[Charge]:
    """What is on the bill of a run, one charge at a time; together they are what `read_bill` adds up."""
    from memtriage.models.bill import Bill

    _cost(path)
    yield from _charged(path, Bill())


def _added_up(path: Path) -> Bill:
    from memtriage.models.bill import Bill

    bill = Bill()
    for _ in _charged(path, bill):
        pass
    return bill


def _charged(path: Path, bill: Bill) -> Iterator[Charge]:
    """Add every record of a run's bill.jsonl to a bill."""
    for start, record in records(path / BILL):
        try:
            charge = bill.add(record)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise damaged(path / BILL, start, error) from error
        if charge is not None:
            yield charge


def _close(path: Path, ledger: Ledger) -> None:
    if ledger.close():
        _write_cost(path, ledger.snapshot())


def _write_cost(path: Path, bill: Mapping[str, Any]) -> bool:
    """Write cost.json, unless no model was asked."""
    if bill["roles"]:
        replace_file(path / COST, seal_document({**bill, _COVERS: _size(path)}))
    return bool(bill["roles"])


def _cost(path: Path) -> dict[str, Any] | None:
    """What cost.json says, if it is there; BadRun if it was changed, or covers more than there is."""
    file = path / COST
    try:
        cost = open_document(read_inside(path, COST))
    except FileNotFoundError:
        return None
    except BrokenSeal as broken:
        raise Damaged(file, broken) from broken
    try:
        _COST.validate_python(cost)
    except ValidationError as error:
        raise Damaged(file, first_problem(error)) from error
    if cost[_COVERS] > _size(path):
        raise Damaged(path / BILL, f"it is shorter than it was when {COST} was made from it")
    return cost


def _size(path: Path) -> int:
    file = path / BILL
    return file.stat().st_size if file.exists() else 0
