"""A run's checks, settled by a judge: what the commands `memories` and `points` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import AsyncIterator, Callable

    from memtriage.config import Limits
    from memtriage.core.chat import ChatModel

    class Judge(Protocol):
        """Asks a model, and counts what it could not settle, by reason."""

        @property
        def errors(self) -> Counter[str]: ...


J = TypeVar("J", bound="Judge")
C = TypeVar("C")


def judged(
    name: str, limits: Limits, judge: Callable[[ChatModel], J], check: Callable[[J], AsyncIterator[C]]
) -> tuple[list[C], Counter[str]]:
    """What a model by this name says, and what it could not be asked, by reason."""
    from memtriage.config import Grading
    from memtriage.pipeline.models import open_models

    with open_models(Grading(judge=name), limits) as models:
        assert models.judge is not None  # one was named
        asked = judge(models.judge)

        async def collect() -> list[C]:
            return [each async for each in check(asked)]

        return models.runner.run(collect()), asked.errors
