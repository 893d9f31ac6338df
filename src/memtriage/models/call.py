"""The one place where a call to a model is paid for.

Every call, whoever makes it, takes the same steps:

1. Its reply may be in the cache, or an identical call may be under way, here or in another process: then it costs
   nothing.
2. The dollars it may cost are reserved, within the limit on cost.
3. It is sent, in its turn, and sent again where that can help. Each reply is put on the bill, good or bad.
4. A good reply goes into the cache. An error never does.

The chat client, the gateway's relay and the embedding client only say what to send and how to read what comes back.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple, Self

from memtriage.core.chat import ModelError, Role, Tokens, Trouble
from memtriage.models.breaker import Breaker
from memtriage.models.cache import Cache, CacheEntry
from memtriage.models.claims import claimed
from memtriage.models.endpoint import BACKOFF, MAX_RETRIES, ApiPath, Endpoint, Sent
from memtriage.models.failures import Failure
from memtriage.models.idempotency_key import IdempotencyKey
from memtriage.models.in_flight import InFlight
from memtriage.models.ledger import Ledger
from memtriage.models.limiter import CEILING, Limiter
from memtriage.models.prices import price
from memtriage.models.request import Capabilities
from memtriage.models.spec import ModelSpec

_REQUEST_DIGITS = 16
"""As much of a request's Idempotency-Key as names it on the bill."""

USUAL_OUTPUT = 600
"""How many tokens a reply is expected to have where the call sets no limit."""

# Failures after which a request may be put another way.
_REPHRASABLE: tuple[Trouble, ...] = ("bad_request", "server", "not_a_model_server", "unknown_model")


class Exchange(ABC):
    """One request and how its reply is read. It may change between tries.

    `id` names it for the Idempotency-Key. Its reply brings the entries under `keys`. Where it has `capabilities`, they
    learn from what the endpoint rejects, and the request is put another way.
    """

    id: str
    keys: Sequence[str]
    path: ApiPath
    role: Role
    stage: str
    capabilities: Capabilities | None = None

    @abstractmethod
    def expected(self) -> Tokens:
        """About what it will take, so that the money can be reserved."""

    @abstractmethod
    def body(self) -> dict[str, Any]:
        """The request to send now."""

    def known(self, entries: Mapping[str, CacheEntry]) -> None:  # noqa: B027
        """Some of its entries have come from elsewhere, and need not be asked for."""

    def misfit(self) -> None:  # noqa: B027
        """The endpoint itself found the reply malformed; the next request may say more."""

    @abstractmethod
    def tokens(self, reply: dict[str, Any]) -> Tokens:
        """What the reply took, as the endpoint says, or else counted."""

    @abstractmethod
    def read(self, sent: Sent, tokens: Tokens) -> Mapping[str, CacheEntry]:
        """The entries in a reply. Raises Failure if it is no good, or AskAgain if the request was changed."""


class Brought(NamedTuple):
    """The entries that a call has brought, and whether that was for nothing: somebody else had asked for them."""

    entries: Mapping[str, CacheEntry]
    free: bool


class AskAgain(Exception):
    """The reply was no good, and the request has been changed: it is worth sending at once."""


class MeteredModel:
    """A model behind an endpoint whose calls are cached, limited, retried and paid for; for one event loop."""

    price_share = Decimal(1)
    """What its calls cost, as a share of the usual price."""
    may_be_lost = True
    """Whether nobody knows what became of a request without a reply: one that timed out, or was under way at a kill."""

    def __init__(
        self,
        spec: ModelSpec | str,
        *,
        cache: Cache | None = None,
        limiter: Limiter | None = None,
        breaker: Breaker | None = None,
        ceiling: int = CEILING,
        ledger: Ledger | None = None,
        max_retries: int = MAX_RETRIES,
        timeout: float | None = None,
        backoff: float = BACKOFF,
        seed: int = 0,
        capabilities: Capabilities | None = None,
    ) -> None:
        self.spec = ModelSpec.parse(spec) if isinstance(spec, str) else spec
        self.cache = cache
        self.ledger = ledger or Ledger()
        self.limiter = limiter or Limiter(ceiling)
        self.capabilities = capabilities or Capabilities.expected(self.spec)
        self.endpoint = self._open(
            limiter=self.limiter,
            breaker=breaker or Breaker(),
            ledger=self.ledger,
            max_retries=max_retries,
            timeout=timeout,
            backoff=backoff,
            seed=seed,
        )
        self.ledger.admit(self.spec)
        self._in_flight: InFlight[Brought] = InFlight()

    def _open(self, **settings: Any) -> Endpoint:
        """Where the model is reached."""
        return Endpoint(self.spec, **settings)

    @property
    def name(self) -> str:
        """The model as tables and files name it, without any key."""
        return self.spec.label

    @property
    def notes(self) -> list[str]:
        """What the endpoint would not take, and was asked without; and what else the user should know of it."""
        return [*self.capabilities.notes, *self.endpoint.notes]

    async def aclose(self) -> None:
        """Close the connections; the cache stays open for others."""
        await self.endpoint.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    async def _entries(
        self, keys: Sequence[str], role: Role, stage: str, exchanges: Callable[[Sequence[str]], Iterable[Exchange]]
    ) -> tuple[dict[str, CacheEntry], bool]:
        """The entries under these cache keys, and whether they were free.

        Entries that are neither in the cache nor brought by a call under way are paid for: `exchanges` says what to
        send for them.
        """
        entries = self._kept(keys, role, stage)
        missing = [key for key in keys if key not in entries]
        under_way = {key: call for key in missing if (call := self._in_flight.find(key)) is not None}
        new = [key for key in missing if key not in under_way]
        paid = [self._in_flight.start(each.keys, self._bring(each)) for each in (exchanges(new) if new else ())]
        replies = [call.reply(joined=False) for call in paid]
        replies += [call.reply(joined=True) for call in dict.fromkeys(under_way.values())]
        brought = await asyncio.gather(*replies)
        for each in brought:
            entries.update(each.entries)
        free = all(each.free for each in brought[: len(paid)])
        if keys and free:
            taken = Tokens(*(sum(getattr(one, kind) for one in entries.values()) for kind in ("input", "output")))
            self.ledger.hit(role, stage, self.spec, taken)
        return entries, free

    def _kept(self, keys: Sequence[str], role: Role, stage: str) -> dict[str, CacheEntry]:
        """The entries that the cache has; what is wrong with it is noted on the bill."""
        if self.cache is None:
            return {}
        found = self.cache.look_up(keys)
        if found.damaged:
            self.ledger.damaged(role, stage, found.damaged)
        for note in self.cache.notes:
            self.ledger.note(role, note)
        return found.entries

    async def _bring(self, exchange: Exchange) -> Brought:
        """Make a call, unless another process is making it: then wait for its reply."""
        if self.cache is None:
            return Brought(await self._pay(exchange), free=False)
        async with claimed(self.cache, exchange.keys):
            # Whoever had the claim before may have brought it.
            known = self._kept(exchange.keys, exchange.role, exchange.stage)
            if len(known) == len(exchange.keys):
                return Brought(known, free=True)
            exchange.known(known)
            return Brought(await self._pay(exchange), free=False)

    async def _pay(self, exchange: Exchange) -> Mapping[str, CacheEntry]:
        """Send a call, put it on the bill and its reply into the cache."""
        key = IdempotencyKey(exchange.id, self.cache)
        dollars = self._may_cost(exchange)
        try:
            async with self.ledger.reserved(dollars or Decimal(0)):
                send = partial(self._send, exchange, key, dollars)
                entries = await self.endpoint.with_retries(send, exchange.role, exchange.stage)
        except ModelError as error:
            key.failed()
            self.ledger.failed(exchange.role, exchange.stage, error.trouble)
            raise
        finally:
            for note in self.notes:
                self.ledger.note(exchange.role, note)
        if self.cache is not None:
            self.cache.put_all(entries)
        return entries

    async def _send(
        self, exchange: Exchange, key: IdempotencyKey, dollars: Decimal | None, again: bool
    ) -> Mapping[str, CacheEntry]:
        """One try at a call, in which the request may be put another way."""
        body: dict[str, Any] = {}
        request = ""

        def build() -> dict[str, Any]:
            nonlocal body, request
            body = exchange.body()
            request = key.of(exchange.path, body)[:_REQUEST_DIGITS]
            if self.may_be_lost:
                self.ledger.sending(request, dollars)
            return body

        while True:
            try:
                sent = await self.endpoint.send(exchange.path, build, key, again=again)
                tokens = exchange.tokens(sent.body)
            except asyncio.CancelledError:
                if self.may_be_lost:
                    self.ledger.unanswered(request, lost=True)
                raise
            except Failure as failure:
                if self.may_be_lost:
                    self.ledger.unanswered(request, lost=failure.lost)
                if failure.trouble == "malformed" and failure.answer is not None:
                    exchange.misfit()
                if not _learned(exchange, body, failure):
                    raise
                again = True
                continue
            good = False
            try:
                entries = exchange.read(sent, tokens)
                good = True
                return entries
            except AskAgain:
                again = True
                self.ledger.retried(exchange.role, exchange.stage)
            finally:
                # On the bill before it is in the cache: a kill in between must not hide what was paid.
                self.ledger.spend(
                    exchange.role, exchange.stage, self.spec, tokens, self.price_share, good=good, request=request
                )

    def _may_cost(self, exchange: Exchange) -> Decimal | None:
        """The dollars that a call may cost; None if its price is unknown."""
        dollars = price(self.spec, exchange.expected())
        return None if dollars is None else self.price_share * dollars


def _learned(exchange: Exchange, body: dict[str, Any], failure: Failure) -> bool:
    """Whether a rejected request will be put another way."""
    if exchange.capabilities is None or failure.answer is None or failure.trouble not in _REPHRASABLE:
        return False
    return exchange.capabilities.learn(body, failure.answer) and exchange.body() != body
