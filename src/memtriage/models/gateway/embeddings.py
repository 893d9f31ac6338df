"""The gateway's /embeddings: vectors from an endpoint, or computed in this process, in either encoding."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from memtriage.core.chat import Trouble
from memtriage.core.errors import MemtriageError
from memtriage.models.embedders import Embedder, query_vector
from memtriage.models.embedding_client import EmbeddingClient
from memtriage.models.endpoint_embedder import EndpointEmbedder
from memtriage.models.openai_format import embeddings_body

# These parameters don't change the vectors.
_IGNORED = ("model", "input", "encoding_format", "user")
QUERY = "#query"
"""Stands behind the model's name where a library asks for the vectors of queries."""


class BadEmbeddingRequest(MemtriageError):
    """A request that can't be served, as the library is told."""

    def __init__(self, message: str, trouble: Trouble = "bad_request") -> None:
        super().__init__(message)
        self.trouble: Trouble = trouble


class VectorSource(Protocol):
    """Where vectors come from."""

    model: str

    async def size(self) -> int: ...

    async def embed(self, texts: Sequence[str], more: Mapping[str, Any], *, query: bool) -> list[list[float]]: ...


def vector_source(embedder: Embedder) -> VectorSource:
    """The source behind an embedder."""
    if isinstance(embedder, EndpointEmbedder):
        return _Remote(embedder.client)
    return _Offline(embedder)


async def embeddings_reply(source: VectorSource, body: Mapping[str, Any]) -> dict[str, Any]:
    """What /embeddings returns; BadEmbeddingRequest says what is wrong with the request.

    A library's request doesn't say whether it stores or searches. One whose model's name ends in `#query` searches.
    """
    from memtriage.text.tokens import count_all

    texts = _texts(body.get("input"))
    more = {name: value for name, value in body.items() if name not in _IGNORED and value is not None}
    vectors = await source.embed(texts, more, query=str(body.get("model")).endswith(QUERY))
    return embeddings_body(source.model, vectors, count_all(texts), packed=body.get("encoding_format") == "base64")


class _Remote:
    """An endpoint's vectors; texts embedded before cost nothing."""

    def __init__(self, client: EmbeddingClient) -> None:
        self.model = client.spec.model
        self._client = client
        self._size: int | None = None

    async def size(self) -> int:
        if self._size is None:
            self._size = len((await self._client.embed(["dimensions"]))[0])
        return self._size

    async def embed(self, texts: Sequence[str], more: Mapping[str, Any], *, query: bool) -> list[list[float]]:
        # Libraries name the size that a model has anyway, which many endpoints would refuse.
        if "dimensions" in more and more["dimensions"] == await self.size():
            more = {name: value for name, value in more.items() if name != "dimensions"}
        return await self._client.embed(texts, more, query=query)


class _Offline:
    """Vectors computed in this process, beside the event loop and one request at a time."""

    def __init__(self, embedder: Embedder) -> None:
        self.model = embedder.name
        self._embedder = embedder
        self._lock = asyncio.Lock()

    async def size(self) -> int:
        return int(self._embedder.dimensions)

    async def embed(self, texts: Sequence[str], more: Mapping[str, Any], *, query: bool) -> list[list[float]]:
        size, asked = await self.size(), more.get("dimensions")
        if asked is not None and asked != size:
            raise BadEmbeddingRequest(
                f"{self.model} makes vectors of {size} numbers, not {asked}; set the store to {size}, "
                "or name another embedder with --embed"
            )
        async with self._lock:
            if query:
                return await asyncio.to_thread(lambda: [query_vector(self._embedder, text).tolist() for text in texts])
            rows: list[list[float]] = (await asyncio.to_thread(self._embedder.embed, texts)).tolist()
        return rows


def _texts(given: object) -> list[str]:
    """The texts to embed: one or several, each as text or as token numbers."""
    if isinstance(given, str) or (isinstance(given, list) and given and isinstance(given[0], int)):
        given = [given]
    if not isinstance(given, list) or not given:
        raise BadEmbeddingRequest("input must be a text or a list of texts")
    return [text if isinstance(text, str) else _decoded(text) for text in given]


def _decoded(tokens: object) -> str:
    """The text behind token numbers, which some libraries send after counting them."""
    from memtriage.text.tokens import decoded

    if not isinstance(tokens, list) or not all(isinstance(n, int) and not isinstance(n, bool) for n in tokens):
        raise BadEmbeddingRequest("every input must be a text or a list of token numbers")
    try:
        return decoded(tokens)
    except ValueError:
        raise BadEmbeddingRequest("input holds numbers that are no tokens of cl100k_base; send texts") from None
