"""Texts as vectors from an endpoint: in batches, each text paid for once."""

from __future__ import annotations

import base64
from array import array
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from memtriage.core.chat import FINGERPRINT, Tokens
from memtriage.models.cache import CacheEntry, embedding_key
from memtriage.models.call import Exchange, MeteredModel
from memtriage.models.endpoint import Sent
from memtriage.models.failures import Failure
from memtriage.models.openai_format import packed_vector
from memtriage.text.tokens import count_all
from memtriage.text.words import well_formed


class EmbeddingClient(MeteredModel):
    """An embedding model behind an OpenAI-compatible endpoint; every text's vector is kept on its own."""

    batch = 128
    """How many texts go into one request."""

    async def embed(self, texts: Sequence[str], more: Mapping[str, Any] | None = None) -> list[list[float]]:
        """One vector per text, in order; texts embedded before, or just being embedded, cost nothing.

        `more` goes into the request as it is, such as dimensions.
        """
        # Endpoints refuse an empty text; a blank stands in for it.
        wanted = [well_formed(text) if text.strip() else " " for text in texts]
        keys = {text: embedding_key(self.spec, text, more) for text in wanted}
        text_of = {key: text for text, key in keys.items()}

        def batches(missing: Sequence[str]) -> Iterable[_EmbeddingExchange]:
            for start in range(0, len(missing), self.batch):
                part = {key: text_of[key] for key in missing[start : start + self.batch]}
                yield _EmbeddingExchange(self, part, more or {})

        entries, _ = await self._entries(list(text_of), _EmbeddingExchange.role, _EmbeddingExchange.stage, batches)
        vectors = {key: _unpacked(entry.text) for key, entry in entries.items()}
        return [vectors[keys[text]] for text in wanted]


class _EmbeddingExchange(Exchange):
    """One batch of texts, by their cache keys."""

    path = "/embeddings"
    role = "embed"
    stage = "embed"

    def __init__(self, client: EmbeddingClient, texts: Mapping[str, str], more: Mapping[str, Any]) -> None:
        self.keys = list(texts)
        self.id = sha256("".join(texts).encode()).hexdigest()
        self._client = client
        self._texts = list(texts.values())
        self._more = more

    def expected(self) -> Tokens:
        return Tokens(count_all(self._texts), 0)

    def body(self) -> dict[str, Any]:
        model = self._client.spec.model
        return {**self._more, "model": model, "input": self._texts, "encoding_format": "float"}

    def tokens(self, reply: dict[str, Any]) -> Tokens:
        usage = reply.get("usage")
        given = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        return Tokens(max(0, given), 0) if isinstance(given, int) else self.expected()

    def read(self, sent: Sent, tokens: Tokens) -> Mapping[str, CacheEntry]:
        if sent.body.get("system_fingerprint") == FINGERPRINT:
            self._client.ledger.scripted.add(self.role)
        vectors = _vectors(sent.body, len(self.keys), self._client.endpoint.url)
        share = tokens.input // len(self.keys)
        return {
            key: CacheEntry(packed_vector(vector), share, 0, sent.seconds, self._client.spec.model)
            for key, vector in zip(self.keys, vectors, strict=True)
        }


def _vectors(reply: Mapping[str, Any], count: int, url: str) -> list[array[float]]:
    try:
        ordered = sorted(enumerate(reply["data"]), key=lambda pair: pair[1].get("index", pair[0]))
        vectors = [array("f", each["embedding"]) for _, each in ordered]
    except (AttributeError, KeyError, TypeError, OverflowError):
        words = f"{url} sent embeddings that are not one list of numbers per text"
        raise Failure("malformed", words, again=True) from None
    if len(vectors) != count or len({len(vector) for vector in vectors}) != 1 or not vectors[0]:
        raise Failure("malformed", f"{url} sent {len(vectors)} vectors for {count} texts", again=True)
    return vectors


def _unpacked(text: str) -> list[float]:
    vector = array("f")
    vector.frombytes(base64.b64decode(text))
    return vector.tolist()
