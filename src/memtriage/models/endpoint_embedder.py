"""An embedding model behind an endpoint, for code that embeds without knowing of event loops."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from memtriage.core.trace import Usage
from memtriage.models.bill import Account
from memtriage.models.embedders import Vectors, normalised
from memtriage.models.embedding_client import EmbeddingClient
from memtriage.models.embedding_presets import Similarity
from memtriage.models.ledger import tallied


class EndpointEmbedder:
    """Embeds through `openai/text-embedding-3-small`, `http://host/v1#model` and the like; every text is paid for once.

    `run` runs the client on the event loop it lives on, in another thread, so this also works inside an event loop.
    """

    def __init__(self, client: EmbeddingClient, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self.client = client
        self._run = run
        self._account = Account()

    @property
    def name(self) -> str:
        return self.client.name

    @property
    def usage(self) -> Usage:
        """What went through this object alone."""
        return self._account.usage()

    @cached_property
    def dimensions(self) -> int:
        """Found by embedding one word."""
        return len(self._vectors(["dimensions"])[0])

    @property
    def similarity(self) -> Similarity:
        return self.client.preset.similarity

    def embed(self, texts: Sequence[str]) -> Vectors:
        found = np.asarray(self._vectors(texts), dtype=np.float32).reshape(len(texts), -1)
        return found if self.similarity == "dot" else normalised(found)

    def embed_query(self, query: str) -> Vectors:
        found = np.asarray(self._vectors([query], query=True), dtype=np.float32)
        return (found if self.similarity == "dot" else normalised(found)).reshape(-1)

    def _vectors(self, texts: Sequence[str], *, query: bool = False) -> list[list[float]]:
        vectors: list[list[float]] = self._run(self._embed(texts, query)) if texts else []
        return vectors

    async def _embed(self, texts: Sequence[str], query: bool) -> list[list[float]]:
        with tallied(self._account):
            return await self.client.embed(texts, query=query)
