"""Texts as vectors from an endpoint: in batches, each text paid for once."""

from __future__ import annotations

import asyncio
import base64
from array import array
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from memtriage.models.cache import Cache, Entry, embedding_key
from memtriage.models.chat import ModelError, Role, Tokens
from memtriage.models.endpoint import BACKOFF, MAX_RETRIES, Endpoint
from memtriage.models.failures import Failure
from memtriage.models.ledger import Ledger
from memtriage.models.limiter import CEILING, Limiter
from memtriage.models.prices import price
from memtriage.models.spec import ModelSpec
from memtriage.words import well_formed

_BATCH = 128


class Embeddings:
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

    @property
    def name(self) -> str:
        """The model as tables and files name it, without any key."""
        return self.spec.label

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, in order; texts embedded before cost nothing."""
        # Endpoints refuse an empty text; a blank stands in for it.
        wanted = [well_formed(text) if text.strip() else " " for text in texts]
        keys = {text: embedding_key(self.spec, text) for text in wanted}
        vectors = self._kept(keys)
        missing = [text for text in keys if text not in vectors]
        if keys and not missing:
            self.ledger.hit(self._role, self._stage)
        batches = [missing[start : start + self._batch] for start in range(0, len(missing), self._batch)]
        for made in await asyncio.gather(*(self._embed(batch, keys) for batch in batches)):
            vectors.update(made)
        return [vectors[text] for text in wanted]

    async def aclose(self) -> None:
        """Close the connections; the cache stays open for others."""
        await self._endpoint.aclose()

    async def __aenter__(self) -> Embeddings:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"Embeddings({self.name!r})"

    def _kept(self, keys: Mapping[str, str]) -> dict[str, list[float]]:
        if self.cache is None:
            return {}
        entries = self.cache.get_all(list(keys.values()))
        return {text: _unpacked(entries[key].text) for text, key in keys.items() if key in entries}

    async def _embed(self, batch: list[str], keys: Mapping[str, str]) -> dict[str, list[float]]:
        async def attempt(again: bool) -> tuple[list[array[float]], Tokens, float]:
            body = {"model": self.spec.model, "input": batch, "encoding_format": "float"}
            sent = await self._endpoint.send("/embeddings", body, again=again)
            tokens = _tokens(sent.body, batch)
            self.ledger.spend(self._role, self._stage, self.spec, tokens)
            return _vectors(sent.body, len(batch), self._endpoint.url), tokens, sent.seconds

        try:
            async with self.ledger.reserved(_estimate(self.spec, self.ledger, batch)):
                made, tokens, seconds = await self._endpoint.persist(attempt, self._role, self._stage)
        except ModelError as error:
            self.ledger.failed(self._role, self._stage, error.trouble)
            raise
        self.ledger.answered(self._role, self._stage)
        if self.cache is not None:
            share = tokens.input // len(batch)
            self.cache.put_all(
                {
                    keys[text]: Entry(_packed(vector), share, 0, seconds, self.spec.model)
                    for text, vector in zip(batch, made, strict=True)
                }
            )
        return {text: vector.tolist() for text, vector in zip(batch, made, strict=True)}


def _estimate(spec: ModelSpec, ledger: Ledger, batch: list[str]) -> Decimal:
    if ledger.max_cost is None:
        return Decimal(0)
    return price(spec, _tokens({}, batch)) or Decimal(0)


def _tokens(body: Mapping[str, Any], batch: list[str]) -> Tokens:
    usage = body.get("usage")
    given = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if isinstance(given, int):
        return Tokens(max(0, given), 0)
    from memtriage.models.tokens import count_all

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
