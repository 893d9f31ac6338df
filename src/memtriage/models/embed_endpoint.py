"""An embedding model behind an OpenAI-compatible endpoint, for systems that embed without knowing of clients."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from memtriage.core.trace import Usage
from memtriage.models.embed import Vectors, normalised
from memtriage.models.inside import Inside, current
from memtriage.models.ledger import Account, tallied
from memtriage.models.spec import ModelSpec


class EndpointEmbedder:
    """Embeds through `openai/text-embedding-3-small`, `http://host/v1#model` and the like; every text is paid for once.

    The client lives in the thread of an `Inside`, so that it also works inside somebody else's event loop.
    """

    def __init__(self, spec: str, inside: Inside | None = None) -> None:
        self.spec = ModelSpec.parse(spec)
        self.inside = inside or current()
        self.client = self.inside.embeddings(self.spec)
        self._account = Account()

    @property
    def name(self) -> str:
        return self.spec.label

    @property
    def usage(self) -> Usage:
        """What went through this object alone."""
        return self._account.usage()

    @cached_property
    def dimensions(self) -> int:
        """Asked of the endpoint once, with a word."""
        return len(self._vectors(["dimensions"])[0])

    def embed(self, texts: Sequence[str]) -> Vectors:
        return normalised(np.asarray(self._vectors(texts), dtype=np.float32).reshape(len(texts), -1))

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        return self.inside.run(self._embed(texts)) if texts else []

    async def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        with tallied(self._account):
            return await self.client.embed(texts)
