"""Orders put to a model in batches; what breaks a rule goes back with the reason, a few times, and is then dropped.

Only the entries that broke a rule are asked for again, together with what was written and what was wrong with it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from memtriage.core.chat import ChatModel, ModelError
from memtriage.core.errors import BadInput
from memtriage.suites.kit.writing import ENDING, WritingPrompt, together
from memtriage.suites.memfail.released.validate import validate
from memtriage.suites.memfail.rows import ConditionalRow, PersonaRow, Row

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R", bound=Row)

Progress = Callable[[str, float], None]
"""Called with what is being written, and how much of it is done (0 to 1)."""

Spec = Mapping[str, Any]
"""What an order asks for, as it is put to the model."""

ROUNDS = 4
"""How often rows that were dropped are ordered again, the first time included."""

REFUSED = frozenset(
    "answer-agrees no-connective question-names-entity first-person-fact anchor-literal one-sentence person-in-fact "
    "wrong-is-anchor".split()
)
"""Rules that released rows break now and then, but that a row may not break while it can still be written again."""

MARKS = frozenset({"evidence-in-essay", "detail-in-evidence"})
"""Broken copies of the essay's words; a row is not lost for them, since alignment finds those words as well."""

_CONCURRENT_CALLS = 64
_TOO_LONG = ("context", "malformed")  # where half as many rows in one reply may help


class Rejected(Exception):
    """A row that breaks a rule. `fallback` is what can be used instead, should no attempt be better."""

    def __init__(self, rule: str, message: str, fallback: Any = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.fallback = fallback


@dataclass(frozen=True, slots=True)
class Order(Generic[T_co]):
    """One row to be written, and how the model's entry is read; reading raises Rejected."""

    id: int
    spec: Spec
    read: Callable[[Mapping[str, Any]], T_co]


@dataclass(slots=True)
class _Pending(Generic[T]):
    """An order that is not filled yet, and what was wrong the last time."""

    order: Order[T]
    rejected: Rejected | None = None
    previous: Mapping[str, Any] | None = None

    def data(self) -> dict[str, Any]:
        again = {"previous": self.previous, "problems": str(self.rejected).split("\n")} if self.previous else {}
        return {"row_id": self.order.id, **self.order.spec, **again}


@dataclass(slots=True)
class OrderWriter:
    """Puts orders to a model, in batches, and keeps count of calls and of what was dropped."""

    model: ChatModel
    dataset: str
    batch: int
    retries: int
    progress: Progress | None
    steps: int
    dropped: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    last_problem: str = ""
    """What was wrong with the row dropped last."""
    _done: int = 0
    _free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_CONCURRENT_CALLS))

    async def write(
        self, prompt: WritingPrompt, orders: Sequence[Order[T]], round: int, **shared: object
    ) -> dict[int, T]:
        """The orders that could be filled, by number; `round` tells a fresh start from earlier ones."""
        parts = [orders[start : start + self.batch] for start in range(0, len(orders), self.batch)]
        found = await together(self._batch(prompt, part, round, shared) for part in parts)
        return {id: value for part in found for id, value in sorted(part.items())}

    async def ask(self, prompt: WritingPrompt, data: Mapping[str, Any], repeat: int) -> Mapping[str, Any]:
        """One reply to one request."""
        async with self._free:
            self.calls += 1
            reply = await self.model.ask(prompt.call(data, repeat))
        return reply.data or {}

    def drop(self, rule: str, message: str, count: int = 1) -> None:
        """Count rows that are given up, and why."""
        self.dropped[rule] += count
        self.last_problem = message

    async def _batch(
        self, prompt: WritingPrompt, orders: Sequence[Order[T]], round: int, shared: Mapping[str, object]
    ) -> dict[int, T]:
        waiting = {order.id: _Pending(order) for order in orders}
        filled: dict[int, T] = {}
        tries = self.retries + 1
        await self._ask_until_filled(prompt, waiting, filled, range(tries), round * tries, shared)
        for id, pending in waiting.items():
            assert pending.rejected is not None
            if pending.rejected.fallback is None:
                self.drop(pending.rejected.rule, str(pending.rejected))
            else:
                filled[id] = pending.rejected.fallback
        return filled

    async def _ask_until_filled(
        self,
        prompt: WritingPrompt,
        waiting: dict[int, _Pending[T]],
        filled: dict[int, T],
        tries: range,
        repeat: int,
        shared: Mapping[str, object],
    ) -> None:
        """Ask until all orders are filled or the tries are used up; filled ones move from `waiting` to `filled`."""
        for number in tries:
            if not waiting:
                return
            data = {**shared, "orders": [pending.data() for pending in waiting.values()]}
            try:
                reply = await self.ask(prompt, data, repeat)
            except ModelError as error:
                if error.trouble in ENDING:
                    raise
                for pending in waiting.values():
                    pending.rejected = pending.rejected or Rejected(error.trouble, str(error))
                if error.trouble in _TOO_LONG and len(waiting) > 1:
                    # a prompt that is too long says nothing against the model: halving it costs no try
                    tries_left = range(number + (error.trouble != "context"), tries.stop)
                    for half in _halves(waiting):
                        await self._ask_until_filled(prompt, half, filled, tries_left, repeat, shared)
                        for id in waiting.keys() & filled.keys():
                            del waiting[id]
                    return
                continue  # an unanswered call keeps its number, so that the cache knows it when it is answered
            repeat += 1
            self._read_reply(reply, waiting, filled)

    def _read_reply(self, reply: Mapping[str, Any], waiting: dict[int, _Pending[T]], filled: dict[int, T]) -> None:
        entries: dict[int, Mapping[str, Any]] = {}
        for entry in reply.get("rows", ()):
            entries.setdefault(entry["row_id"], entry)
        for id, pending in list(waiting.items()):
            try:
                if id not in entries:
                    raise Rejected("missing", f"the reply has no entry with row_id {id}")
                pending.previous = clean({name: each for name, each in entries[id].items() if name != "row_id"})
                filled[id] = pending.order.read(pending.previous)
                del waiting[id]
                self._advance()
            except Rejected as rejected:
                pending.rejected = rejected

    def _advance(self) -> None:
        self._done += 1
        if self.progress is not None:
            self.progress(self.dataset, min(0.99, self._done / self.steps))


def _halves(waiting: Mapping[int, _Pending[T]]) -> Iterator[dict[int, _Pending[T]]]:
    items = list(waiting.items())
    middle = len(items) // 2
    yield dict(items[:middle])
    yield dict(items[middle:])


def clean(value: Any) -> Any:
    """Texts without line breaks, doubled spaces and characters that don't print, all the way down."""
    if isinstance(value, str):
        return "".join(char for char in " ".join(value.split()) if char.isprintable())
    if isinstance(value, list):
        return [clean(each) for each in value]
    if isinstance(value, Mapping):
        return {name: clean(each) for name, each in value.items()}
    return value


def validated(row: R, dataset: str, *, only: frozenset[str] | None = None, but: frozenset[str] = frozenset()) -> R:
    """The row, if it breaks no rule that counts; `only` and `but` say which count for an unfinished one."""
    broken = [
        problem
        for problem in validate([row], dataset, "written")
        if (problem.level == "error" or problem.rule in REFUSED)
        and (only is None or problem.rule in only)
        and problem.rule not in but
    ]
    if broken:
        fallback = _unmarked(row) if {problem.rule for problem in broken} <= MARKS else None
        raise Rejected(broken[0].rule, "\n".join(problem.message for problem in broken), fallback)
    return row


def _unmarked(row: Row) -> Row | None:
    match row:
        case ConditionalRow():
            return replace(row, evidence=(), details=())
        case PersonaRow():
            return replace(row, questions=tuple(replace(q, evidence=(), details=()) for q in row.questions))
        case _:
            return None


def require_filled(entry: Mapping[str, Any], *names: str) -> None:
    """Nothing that was asked for may be empty."""
    for name in names:
        value = entry[name]
        if not value or (isinstance(value, list) and not all(value)):
            raise Rejected("empty", f"{name} is empty, or something in it is")


def too_few_rows(writer: OrderWriter, got: int, rows: int) -> BadInput:
    """What to tell the user when a model can't write so many rows."""
    reasons = ", ".join(f"{count} × {rule}" for rule, count in writer.dropped.most_common(5))
    last = " ".join(writer.last_problem.split())[:200]
    return BadInput(
        f"{writer.model.name} wrote {got} of {rows} usable {writer.dataset} rows; dropped: {reasons or 'none'} "
        f"(the last: {last}); ask for fewer rows, in smaller batches, or another model"
    )
