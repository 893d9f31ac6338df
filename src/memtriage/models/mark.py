"""What tells a server that a request was made before, so that nobody pays twice for an answer that got lost."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from typing import Any

from memtriage.models.cache import Cache, Entry


class Mark:
    """What a call's requests carry as Idempotency-Key: a server that honours it sends an answer it gave before.

    It follows from what is asked, so that who comes back after a kill doesn't pay again for what was under way. An
    answer that came and was no good is not wanted again: the next request of the call carries another key, and so do
    those of a later try at a call that was given up. Without a cache nobody comes back: each call is one of its own.
    """

    def __init__(self, call: str, cache: Cache | None) -> None:
        self._cache = cache
        self._call = call if cache is not None else uuid.uuid4().hex
        before = cache.get(self._record) if cache is not None else None
        self._answers = before.output if before is not None else 0

    def on(self, path: str, body: Mapping[str, Any]) -> str:
        """The key of one request."""
        text = json.dumps([self._call, self._answers, path, body], sort_keys=True, default=dict)
        return hashlib.sha256(text.encode()).hexdigest()

    def answered(self) -> None:
        """An answer came, good or bad."""
        self._answers += 1

    def given_up(self) -> None:
        """The call failed: the answers that came, if any, were no good."""
        if self._cache is not None and self._answers:
            self._cache.put(self._record, Entry("", 0, self._answers, 0.0))

    @property
    def _record(self) -> str:
        return f"{self._call}:answers"
