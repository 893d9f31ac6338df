"""Answers that the stub server gave before, by Idempotency-Key: who comes back after a kill gets them again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from memtriage.models.http_server import Answer, error_answer

_MOST = 10_000


@dataclass(slots=True)
class Turn:
    """One request's turn. `answer` is what was answered before; `given` is what is to be kept."""

    answer: Answer | None = None
    given: Answer | None = None


class Replays:
    """Good answers by key, and keys whose answer is being made: who brings one of those waits for it."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[Any, Answer]] = {}
        self._making: dict[str, asyncio.Event] = {}

    @asynccontextmanager
    async def turn(self, key: str | None, request: Any) -> AsyncIterator[Turn]:
        """The turn of a request, which may have been answered already; without a key it never was."""
        if key is None:
            yield Turn()
            return
        while (making := self._making.get(key)) is not None:
            await making.wait()
        if key in self._given:
            yield Turn(self._again(key, request))
            return
        self._making[key] = asyncio.Event()
        turn = Turn()
        try:
            yield turn
        finally:
            if turn.given is not None:
                self._keep(key, request, turn.given)
            self._making.pop(key).set()

    def _again(self, key: str, request: Any) -> Answer:
        before, answer = self._given[key]
        if before != request:
            return error_answer(422, "this Idempotency-Key was used for another request", "idempotency_error")
        return replace(answer, fault="replayed", latency=0.0)

    def _keep(self, key: str, request: Any, answer: Answer) -> None:
        self._given[key] = request, answer
        if len(self._given) > _MOST:
            del self._given[next(iter(self._given))]
