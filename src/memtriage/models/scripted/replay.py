"""Answers that the scripted server gave before, by Idempotency-Key."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from memtriage.models.http_server import HttpResponse, error_response

_MOST = 10_000


@dataclass(slots=True)
class RequestTurn:
    """One request's turn. `answer` is what was answered before; `given` is what is to be kept."""

    answer: HttpResponse | None = None
    given: HttpResponse | None = None


class Replays:
    """Good answers by key, and the keys whose answer is in progress: a second request with such a key waits for it."""

    def __init__(self) -> None:
        self._answers: dict[str, tuple[Any, HttpResponse]] = {}
        self._in_progress: dict[str, asyncio.Event] = {}

    @asynccontextmanager
    async def turn(self, key: str | None, request: Any) -> AsyncIterator[RequestTurn]:
        """The turn of a request, which may have been answered already; without a key it never was."""
        if key is None:
            yield RequestTurn()
            return
        while (in_progress := self._in_progress.get(key)) is not None:
            await in_progress.wait()
        if key in self._answers:
            yield RequestTurn(self._again(key, request))
            return
        self._in_progress[key] = asyncio.Event()
        turn = RequestTurn()
        try:
            yield turn
        finally:
            if turn.given is not None:
                self._keep(key, request, turn.given)
            self._in_progress.pop(key).set()

    def _again(self, key: str, request: Any) -> HttpResponse:
        before, answer = self._answers[key]
        if before != request:
            return error_response(422, "this Idempotency-Key was used for another request", "idempotency_error")
        return replace(answer, fault="replayed", latency=0.0)

    def _keep(self, key: str, request: Any, answer: HttpResponse) -> None:
        self._answers[key] = request, answer
        if len(self._answers) > _MOST:
            del self._answers[next(iter(self._answers))]
