"""An event loop whose time is counted, not waited for: twenty hours of sleeping pass at once."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """Whenever all tasks wait for a time, that time has come."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Selector(self))

    def time(self) -> float:
        return self.now


class _Selector(selectors.SelectSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        assert timeout is not None, "all tasks wait for something that never comes"
        self._loop.now += max(0.0, timeout)
        return super().select(0)


def run_virtually(work: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """What the work returns, and the seconds that it would have taken."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        result = runner.run(work)
        return result, runner.get_loop().time()
