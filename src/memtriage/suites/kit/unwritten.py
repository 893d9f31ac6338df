"""For suites whose rows no model writes here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memtriage.core.chat import ChatModel
from memtriage.core.errors import BadInput
from memtriage.core.suite import Step


class Unwritten:
    """The part of `DataTools` that refuses to have rows written by a model."""

    async def write(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        model: ChatModel,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        raise BadInput("no model writes rows of this suite; leave --model out to generate them by seed")
