"""What suites share that have a model write their data: prompts, patience, and work done side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from memtriage.models.chat import FATAL, Message, Schema
from memtriage.models.material import material

T = TypeVar("T")

ENDING = FATAL | {"budget"}
"""Troubles after which there is no point in asking on."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One kind of request: what it is counted as, what the model is told, and the reply's shape."""

    stage: str
    system: str
    schema: Schema

    def messages(self, data: Mapping[str, Any]) -> tuple[Message, ...]:
        """The request for these data."""
        return Message("system", self.system), Message("user", material(data))


async def together(jobs: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all jobs, in order; the first error calls off the others."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
