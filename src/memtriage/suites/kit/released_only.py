"""Data tools of suites that only read released files: they generate nothing, and say where the files are to be had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from memtriage.core.chat import ChatModel
from memtriage.core.errors import BadInput
from memtriage.core.suite import Step


class ReleasedOnly:
    """Refuses to make rows; a suite adds `validate` and `pull`."""

    not_generated: str
    """What to do instead."""

    def generate(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        options: Mapping[str, str] | None = None,
    ) -> NoReturn:
        raise BadInput(self.not_generated)

    async def write(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        model: ChatModel,
        options: Mapping[str, str] | None = None,
    ) -> NoReturn:
        raise BadInput(self.not_generated)
