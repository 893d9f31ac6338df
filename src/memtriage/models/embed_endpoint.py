"""An embedding model behind an OpenAI-compatible endpoint, for systems that embed without knowing of clients."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property

import numpy as np

from memtriage.models.cache import Cache
from memtriage.models.embed import Vectors, normalised
from memtriage.models.embeddings import Embeddings
from memtriage.models.ledger import Ledger
from memtriage.models.spec import ModelSpec

SPENT = Ledger()
"""What embedding took in this process; a run puts it on its bill."""


class EndpointEmbedder:
    """Embeds through `openai/text-embedding-3-small`, `http://host/v1#model` and the like; every text is paid for once.

    The client lives in a thread of its own, so that it also works inside somebody else's event loop.
    """

    def __init__(self, spec: str) -> None:
        self.spec = ModelSpec.parse(spec)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embed")
        self._loop = asyncio.new_event_loop()
        self._client = Embeddings(self.spec, cache=Cache(), ledger=SPENT)
        weakref.finalize(self, _close, self._thread, self._loop, self._client)

    @property
    def name(self) -> str:
        return self.spec.label

    @cached_property
    def dimensions(self) -> int:
        """Asked of the endpoint once, with a word."""
        return len(self._vectors(["dimensions"])[0])

    def embed(self, texts: Sequence[str]) -> Vectors:
        return normalised(np.asarray(self._vectors(texts), dtype=np.float32).reshape(len(texts), -1))

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        return self._thread.submit(self._embed, texts).result() if texts else []

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        return self._loop.run_until_complete(self._client.embed(texts))


def _close(thread: ThreadPoolExecutor, loop: asyncio.AbstractEventLoop, client: Embeddings) -> None:
    """Let go of connections and thread; at the very end of a process the thread is gone already."""
    with suppress(RuntimeError):
        thread.submit(loop.run_until_complete, client.aclose()).result(timeout=5)
    thread.shutdown(wait=True)
    loop.close()
