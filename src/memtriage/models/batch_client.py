"""A chat model that is asked in batches: half the price, and hours instead of seconds.

Calls wait until no task can go on without a reply; then all of them are sent as one batch. What a model is asked can
depend on what it said before, so a run takes several such rounds. What was sent is in the run's log: a run that is
stopped and resumed waits for the same batch.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from time import perf_counter
from typing import Any

from memtriage.core.chat import ModelError
from memtriage.core.errors import BadInput
from memtriage.models.batch_log import BatchLog
from memtriage.models.batch_services import AnthropicBatches, BatchService, BatchState, Line, OpenAIBatches
from memtriage.models.client import Client
from memtriage.models.endpoint import ApiPath, Endpoint, Sent, with_extra
from memtriage.models.failures import Failure, GaveUp, HttpAnswer, status_failure
from memtriage.models.held import quiet
from memtriage.models.idempotency_key import IdempotencyKey
from memtriage.models.spec import ModelSpec
from memtriage.models.transport import WireTrouble

Tell = Callable[[str, bool], None]
"""Hears what is known of a batch, and whether something happened to it."""

PRICE_SHARE = Decimal("0.5")
"""What a call in a batch costs, as a share of its usual price, at every provider that has batches."""

_FIRST_POLL, _FIRST_POLL_HERE, _LONGEST_POLL, _SLOWER = 5.0, 0.02, 120.0, 1.5
"""Seconds between questions after a batch: at first, on this machine, at most, and how much longer each is."""

_TRIES, _PATIENCE = 5, 60
"""How often a failed request is made again: to send a batch, and to hear of one that was sent."""


@dataclass(slots=True)
class BatchTotals:
    """How many calls went out, in how many batches and rounds."""

    rounds: int = 0
    batches: int = 0
    calls: int = 0


class BatchClient(Client):
    """A chat model whose calls are sent in batches; `tell` hears what becomes of them."""

    price_share = PRICE_SHARE
    may_be_lost = False  # the log of batches knows

    def __init__(self, spec: ModelSpec, *, run: Path, tell: Tell, **settings: Any) -> None:
        refuse_without_batches(spec, settings.get("cache") is not None)
        self._run, self._tell = run, tell
        super().__init__(spec, **settings)

    def _open(self, **settings: Any) -> Endpoint:
        return BatchEndpoint(self.spec, log=BatchLog(self._run, self.name), tell=self._tell, **settings)

    @property
    def totals(self) -> BatchTotals:
        """What was sent so far."""
        assert isinstance(self.endpoint, BatchEndpoint)
        return self.endpoint.totals


def refuse_without_batches(spec: ModelSpec, cached: bool) -> None:
    """Refuse a model that can't be asked in batches."""
    if spec.kind != "remote" or spec.wire not in ("openai", "azure", "anthropic"):
        raise BadInput(f"{spec.name} has no batches; leave out --batch, or answer by file: memtriage batch export")
    if not cached:
        raise BadInput("the replies of a batch are kept in the cache; leave out --no-cache, or --batch")


@dataclass(slots=True)
class _Waiting:
    """One call that waits for its line."""

    id: str
    request: Mapping[str, Any]
    line: asyncio.Future[Line]


class BatchEndpoint(Endpoint):
    """An endpoint whose requests are collected and sent as batches."""

    def __init__(self, spec: ModelSpec, *, log: BatchLog, tell: Tell, **settings: Any) -> None:
        super().__init__(spec, **settings)
        self._service: BatchService = AnthropicBatches() if spec.wire == "anthropic" else OpenAIBatches()
        self._log = log
        self._tell = tell
        self._arrived = 0
        self._waiting: list[_Waiting] = []
        self._given: set[tuple[str, str]] = set()
        self._sending = asyncio.Lock()
        self._collecting: asyncio.Task[None] | None = None
        self._rounds: set[asyncio.Task[None]] = set()
        self._first_poll = _FIRST_POLL_HERE if spec.on_this_machine else _FIRST_POLL
        self.totals = BatchTotals()

    async def send(
        self, path: ApiPath, build: Callable[[], dict[str, Any]], key: IdempotencyKey, *, again: bool = False
    ) -> Sent:
        """The reply in a batch; Failure says what went wrong."""
        if self._fatal is not None:
            raise self._fatal.final()
        started, body = perf_counter(), build()
        line = await self._line(key.call, with_extra(self._written(path, body)[1], self._extra))
        if isinstance(line, Failure):
            raise line
        if line.status != 200:
            raise status_failure(line, self.spec.model, self.url)
        key.answered()
        self._answered = True
        return self._read(path, body, line, started)

    async def aclose(self) -> None:
        """Stop waiting. Batches that were sent go on without us, and a resumed run finds them."""
        tasks = [task for task in (self._collecting, *self._rounds) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await super().aclose()

    def _pause(self, failure: Failure, failures: int) -> float:
        return 0.0  # the next batch is pause enough

    async def _line(self, id: str, request: Mapping[str, Any]) -> Line:
        waiting = _Waiting(id, request, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._arrived += 1
        if self._collecting is None or self._collecting.done():
            self._collecting = asyncio.create_task(self._collect())
        return await waiting.line

    async def _collect(self) -> None:
        """Wait until no task can go on, then begin a round with all calls that wait."""
        await quiet(lambda: self._arrived)
        waiting = [each for each in self._waiting if not each.line.done()]
        self._waiting = []
        round = asyncio.create_task(self._round(waiting))
        self._rounds.add(round)
        round.add_done_callback(self._rounds.discard)

    async def _round(self, waiting: Sequence[_Waiting]) -> None:
        """Get the lines of some calls: from batches under way, and from new ones."""
        if not waiting:
            return
        try:
            async with self._sending:
                batches = await self._batches_of(waiting)
            await asyncio.gather(*(self._fetch(batch, calls) for batch, calls in batches.items()))
        except Exception as error:
            for each in waiting:
                if not each.line.done():
                    each.line.set_exception(error if isinstance(error, ModelError) else _unexpected(error))

    async def _batches_of(self, waiting: Sequence[_Waiting]) -> dict[str, list[_Waiting]]:
        """The batches that some calls are in; calls that are in none are sent."""
        await self._find_unsure()
        batches: dict[str, list[_Waiting]] = {}
        new: list[_Waiting] = []
        for each in waiting:
            batch = self._log.batch_of(each.id)
            # A line is given out once: whoever asks again, after a bad reply, means a new one.
            if batch is None or (batch, each.id) in self._given:
                new.append(each)
            else:
                batches.setdefault(batch, []).append(each)
        self.totals.rounds += 1
        for part in self._parts(new):
            state = await self._send_batch({each.id: each.request for each in part})
            batches[state.id] = part
        return batches

    def _parts(self, calls: Sequence[_Waiting]) -> list[list[_Waiting]]:
        """The calls in parts that fit into one batch each. A call that two tasks ask for is sent once."""
        parts: list[list[_Waiting]] = []
        size, ids = 0, set[str]()
        for each in calls:
            own = len(json.dumps(each.request))
            full = len(ids) >= self._service.most_calls or size + own > self._service.most_bytes
            if not parts or full:
                parts.append([])
                size, ids = 0, set()
            parts[-1].append(each)
            ids.add(each.id)
            size += own
        return parts

    async def _send_batch(self, requests: Mapping[str, Mapping[str, Any]]) -> BatchState:
        try:
            upload = await self._service.prepare(self._http(_TRIES), requests)
            self._log.sending(upload, list(requests))
            # Not tried again: whether a lost answer meant a batch is for `find` to say.
            state = await self._service.create(self._http(0), upload, requests)
        except Failure as failure:
            raise self._explained(failure) from None
        self._log.sent(state.id, list(requests))
        self.totals.batches += 1
        self.totals.calls += len(requests)
        self._tell(f"{state.id}: {len(requests)} calls sent to {self.spec.name}{_latest(state)}", True)
        return state

    async def _find_unsure(self) -> None:
        """Look for the batch that was being sent when an earlier process ended, or when its answer was lost."""
        unsure = self._log.unsure
        if unsure is None:
            return
        state = await self._service.find(
            self._http(_TRIES), unsure.upload, len(unsure.calls), unsure.at, self._log.known
        )
        if state is None:
            self._log.never_sent()
        else:
            self._log.sent(state.id, unsure.calls)

    async def _fetch(self, batch: str, calls: Sequence[_Waiting]) -> None:
        """Wait for a batch and hand out its lines."""
        state = await self._wait_for(batch)
        lines = await self._service.lines(self._http(_PATIENCE), state) if state.status != "failed" else {}
        words = f"the batch {batch} ended as {state.status} without a reply to this call"
        lost = Failure("server", f"{words}{': ' if state.problem else ''}{state.problem}", again=False)
        found = {each.id: lines.get(each.id, lost) for each in calls}
        self._log.failed(batch, [id for id, line in found.items() if not _is_reply(line)])
        replies = sum(_is_reply(line) for line in found.values())
        self._tell(f"{batch}: {state.status}, {replies} of {len(found)} calls have a reply", True)
        for each in calls:
            self._given.add((batch, each.id))
            if not each.line.done():
                each.line.set_result(found[each.id])

    async def _wait_for(self, batch: str) -> BatchState:
        pause, started = self._first_poll, datetime.now(UTC)
        first: BatchState | None = None
        while True:
            state = await self._service.state(self._http(_PATIENCE), batch)
            first = first or state
            if state.ended:
                return state
            self._tell(_progress(state, first, started), False)
            await asyncio.sleep(pause)
            pause = min(_LONGEST_POLL, pause * _SLOWER)

    def _explained(self, failure: Failure) -> Failure:
        if failure.trouble not in ("not_a_model_server", "bad_request"):
            return failure
        words = f"{failure}; if {self.url} has no batches, leave out --batch, or answer by file: memtriage batch export"
        return Failure("bad_request", words, again=False)

    def _http(self, tries: int) -> _Http:
        return _Http(self, tries, self._first_poll)

    def outage(self, failure: Failure) -> GaveUp:
        """Stop, as nobody can say how the batches are doing. What was sent is in the log: a resumed run asks for it."""
        words = f"can't check on the batches at {self.url}: {failure}"
        self.ledger.give_up(words)
        return GaveUp("outage", words, failure.answer)

    async def request(self, work: Callable[[Any, dict[str, Any]], Any]) -> str:
        """What a request to the batch endpoint brings, as text."""
        import openai

        try:
            async with asyncio.timeout(self.timeout):
                return str(await work(self._client(), self._authorisation("", b"") | self._headers))
        except (openai.APIError, TimeoutError, WireTrouble) as error:
            failure = self._failure(error, self.timeout)
        raise failure


class _Http:
    """Requests about batches, made again where that may help."""

    def __init__(self, endpoint: BatchEndpoint, tries: int, pause: float) -> None:
        self._endpoint = endpoint
        self._tries = tries
        self._pause = pause

    async def get(self, path: str) -> str:
        return await self._again(lambda sdk, headers: sdk.get(path, cast_to=str, options={"headers": headers}))

    async def post(self, path: str, body: Mapping[str, Any]) -> str:
        def send(sdk: Any, headers: dict[str, Any]) -> Any:
            return sdk.post(path, cast_to=str, body=body, options={"headers": headers})

        return await self._again(send)

    async def upload(self, name: str, content: bytes) -> str:
        def send(sdk: Any, headers: dict[str, Any]) -> Any:
            return sdk.post(
                "/files",
                cast_to=str,
                body={"purpose": "batch"},
                files=[("file", (name, content))],
                options={"headers": {**headers, "Content-Type": "multipart/form-data"}},
            )

        return await self._again(send)

    async def _again(self, work: Callable[[Any, dict[str, Any]], Any]) -> str:
        pause = self._pause
        for left in range(self._tries, -1, -1):
            try:
                return await self._endpoint.request(work)
            except Failure as failure:
                too_long = (failure.wait or 0.0) > self._endpoint.breaker.patience
                if failure.again and (too_long or (self._tries and not left)):
                    raise self._endpoint.outage(failure) from None
                if not failure.again or not left:
                    raise
                await asyncio.sleep(max(pause, failure.wait or 0.0))
                pause = min(_LONGEST_POLL, pause * _SLOWER)
        raise AssertionError("the last try returns or raises")


def _is_reply(line: Line) -> bool:
    return isinstance(line, HttpAnswer) and line.status == 200


def _unexpected(error: Exception) -> Failure:
    return Failure("server", f"waiting for a batch raised {type(error).__name__}: {error}", again=False)


def _latest(state: BatchState) -> str:
    return f"; done by {state.expires:%Y-%m-%d %H:%M} UTC at the latest" if state.expires else ""


def _progress(state: BatchState, first: BatchState, started: datetime) -> str:
    """How far a batch is and, once some of it is done, when the rest may be."""
    words = f"{state.id}: {state.status}, {state.done} of {state.total} done"
    seconds = (datetime.now(UTC) - started).total_seconds()
    if (gained := state.done - first.done) > 0 and seconds > 0:
        minutes = (state.total - state.done) * seconds / gained / 60
        return f"{words}, about {minutes:.0f} min left"
    return words + _latest(state)
