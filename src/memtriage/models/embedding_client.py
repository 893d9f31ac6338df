"""Texts as vectors from an endpoint: in batches, each text paid for once."""

from __future__ import annotations

import asyncio
import base64
from array import array
from collections.abc import Callable, Coroutine, Mapping, Sequence
from decimal import Decimal
from functools import partial
from hashlib import sha256
from typing import Any

from memtriage.core.chat import FINGERPRINT, ModelError, Role, Tokens
from memtriage.models.cache import Cache, Entry, embedding_key
from memtriage.models.endpoint import BACKOFF, MAX_RETRIES, Endpoint
from memtriage.models.failures import Failure
from memtriage.models.idempotency_key import IdempotencyKey
from memtriage.models.in_flight import Flights
from memtriage.models.ledger import Ledger
from memtriage.models.limiter import CEILING, Limiter
from memtriage.models.prices import price
from memtriage.models.spec import ModelSpec
from memtriage.text.words import well_formed

_BATCH = 128

Made = dict[str, list[float]]
"""Vectors by the key of their text."""


class EmbeddingClient:
    """An embedding model behind an OpenAI-compatible endpoint; every text's vector is kept on its own."""

    def __init__(
        self,
        spec: ModelSpec | str,
        *,
        cache: Cache | None = None,
        limiter: Limiter | None = None,
        ceiling: int = CEILING,
        ledger: Ledger | None = None,
        max_retries: int = MAX_RETRIES,
        timeout: float | None = None,
        backoff: float = BACKOFF,
        seed: int = 0,
        batch: int = _BATCH,
        role: Role = "embed",
        stage: str = "embed",
    ) -> None:
        self.spec = ModelSpec.parse(spec) if isinstance(spec, str) else spec
        self.cache = cache
        self.ledger = ledger or Ledger()
        self._endpoint = Endpoint(
            self.spec,
            limiter=limiter or Limiter(ceiling),
            ledger=self.ledger,
            max_retries=max_retries,
            timeout=timeout,
            backoff=backoff,
            seed=seed,
        )
        self.ledger.admit(self.spec)
        self._batch = batch
        self._role: Role = role
        self._stage = stage
        self._flights: Flights[Made] = Flights()
        self._under_way: dict[str, tuple[str, Callable[[], Coroutine[Any, Any, Made]]]] = {}

    @property
    def name(self) -> str:
        """The model as tables and files name it, without any key."""
        return self.spec.label

    async def embed(self, texts: Sequence[str], more: Mapping[str, Any] | None = None) -> list[list[float]]:
        """One vector per text, in order; texts embedded before, or just being embedded, cost nothing.

        `more` goes into the request as it is, such as dimensions.
        """
        # Endpoints refuse an empty text; a blank stands in for it.
        wanted = [well_formed(text) if text.strip() else " " for text in texts]
        keys = {text: embedding_key(self.spec, text, more) for text in wanted}
        vectors = self._kept(list(keys.values()))
        calls = self._calls({key: text for text, key in keys.items() if key not in vectors}, more or {})
        landed = await asyncio.gather(*(self._flights.join(batch, call) for batch, call in calls.items()))
        if keys and all(shared for _, shared in landed):
            self.ledger.hit(self._role, self._stage)
        for made, _ in landed:
            vectors.update(made)
        return [vectors[keys[text]] for text in wanted]

    async def aclose(self) -> None:
        """Close the connections; the cache stays open for others."""
        await self._endpoint.aclose()

    async def __aenter__(self) -> EmbeddingClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"EmbeddingClient({self.name!r})"

    def _kept(self, keys: Sequence[str]) -> Made:
        if self.cache is None:
            return {}
        return {key: _unpacked(entry.text) for key, entry in self.cache.get_all(keys).items()}

    def _calls(
        self, missing: Mapping[str, str], more: Mapping[str, Any]
    ) -> dict[str, Callable[[], Coroutine[Any, Any, Made]]]:
        """The batches, by name, that bring the missing texts: those under way that hold some, and new ones."""
        fresh = [key for key in missing if key not in self._under_way]
        for start in range(0, len(fresh), self._batch):
            part = {key: missing[key] for key in fresh[start : start + self._batch]}
            name = sha256("".join(part).encode()).hexdigest()
            self._under_way |= dict.fromkeys(part, (name, partial(self._embed, name, part, more)))
        return dict(self._under_way[key] for key in missing)

    async def _embed(self, name: str, part: Mapping[str, str], more: Mapping[str, Any]) -> Made:
        batch = list(part.values())
        mark = IdempotencyKey(name, self.cache)

        async def attempt(again: bool) -> tuple[list[array[float]], Tokens, float]:
            body = {**more, "model": self.spec.model, "input": batch, "encoding_format": "float"}
            sent = await self._endpoint.send("/embeddings", body, mark, again=again)
            tokens = _tokens(sent.body, batch)
            if sent.body.get("system_fingerprint") == FINGERPRINT:
                self.ledger.scripted.add(self._role)
            self.ledger.spend(self._role, self._stage, self.spec, tokens)
            return _vectors(sent.body, len(batch), self._endpoint.url), tokens, sent.seconds

        try:
            async with self.ledger.reserved(_estimate(self.spec, self.ledger, batch)):
                made, tokens, seconds = await self._endpoint.persist(attempt, self._role, self._stage)
        except ModelError as error:
            mark.failed()
            self.ledger.failed(self._role, self._stage, error.trouble)
            raise
        finally:
            for key in part:
                self._under_way.pop(key, None)
        self.ledger.answered(self._role, self._stage)
        if self.cache is not None:
            share = tokens.input // len(batch)
            packed = {key: _packed(vector) for key, vector in zip(part, made, strict=True)}
            self.cache.put_all({k: Entry(text, share, 0, seconds, self.spec.model) for k, text in packed.items()})
        return {key: vector.tolist() for key, vector in zip(part, made, strict=True)}


def _estimate(spec: ModelSpec, ledger: Ledger, batch: list[str]) -> Decimal:
    if ledger.max_cost is None:
        return Decimal(0)
    return price(spec, _tokens({}, batch)) or Decimal(0)


def _tokens(body: Mapping[str, Any], batch: list[str]) -> Tokens:
    usage = body.get("usage")
    given = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if isinstance(given, int):
        return Tokens(max(0, given), 0)
    from memtriage.text.tokens import count_all

    return Tokens(count_all(batch), 0)


def _vectors(body: Mapping[str, Any], count: int, url: str) -> list[array[float]]:
    data = body["data"]
    try:
        ordered = sorted(enumerate(data), key=lambda pair: pair[1].get("index", pair[0]))
        vectors = [array("f", each["embedding"]) for _, each in ordered]
    except (AttributeError, KeyError, TypeError, OverflowError):
        words = f"{url} sent embeddings that are not one list of numbers per text"
        raise Failure("malformed", words, again=True) from None
    if len(vectors) != count or len({len(vector) for vector in vectors}) != 1 or not vectors[0]:
        raise Failure("malformed", f"{url} sent {len(vectors)} vectors for {count} texts", again=True)
    return vectors


def _packed(vector: array[float]) -> str:
    return base64.b64encode(vector.tobytes()).decode()


def _unpacked(text: str) -> list[float]:
    vector = array("f")
    vector.frombytes(base64.b64decode(text))
    return vector.tolist()
