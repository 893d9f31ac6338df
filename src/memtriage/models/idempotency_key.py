"""The Idempotency-Key of requests, so that a lost answer is not paid for twice."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from typing import Any

from memtriage.models.cache import Cache, CacheEntry


class IdempotencyKey:
    """The key that a call's requests carry: a server that honours it repeats the answer it gave to that key before.

    It follows from what is asked, so a process that was killed and started again doesn't pay again for what was under
    way. After a bad answer the call's next request carries another key, and so does a later try at a call that failed.
    Without a cache a call can't be resumed, and its key is random.
    """

    def __init__(self, call: str, cache: Cache | None) -> None:
        self._cache = cache
        self._call = call if cache is not None else uuid.uuid4().hex
        before = cache.get(self._record) if cache is not None else None
        self._answers = before.output if before is not None else 0
        self._last: tuple[Mapping[str, Any], str, int, str] | None = None  # a request, and its key

    @property
    def call(self) -> str:
        """The call itself, whatever its requests say: its key in the cache, if there is one."""
        return self._call

    def of(self, path: str, body: Mapping[str, Any]) -> str:
        """The key for one request."""
        if self._last is None or self._last[0] is not body or self._last[1:3] != (path, self._answers):
            text = json.dumps([self._call, self._answers, path, body], sort_keys=True, default=dict)
            self._last = (body, path, self._answers, hashlib.sha256(text.encode()).hexdigest())
        return self._last[3]

    def answered(self) -> None:
        """An answer came, good or bad."""
        self._answers += 1

    def failed(self) -> None:
        """The call failed: the answers that came, if any, were no good."""
        if self._cache is not None and self._answers:
            self._cache.put(self._record, CacheEntry("", 0, self._answers, 0.0))

    @property
    def _record(self) -> str:
        return f"{self._call}:answers"
