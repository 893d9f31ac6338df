"""Scripted models in the place of those inside systems, so that a dry run can count what they would be asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memtriage.core.chat import Tokens
from memtriage.models.prices import price
from memtriage.models.spec import ModelSpec, names_endpoint
from memtriage.pipeline.estimate import Amount, StageEstimate

_STANDS_IN = "stands-in"
Inner = Literal["internal", "embed"]
_INNER: tuple[Inner, ...] = ("internal", "embed")


@dataclass(frozen=True, slots=True)
class StandIns:
    """What to name instead of the real models, and what that took."""

    named: dict[str, str]
    real: dict[str, str]

    def stages(self, path: Path) -> list[StageEstimate]:
        """What a run took of the stand-ins, at the price of the real models."""
        file = path / "cost.json"
        bill: dict[str, Any] = json.loads(file.read_bytes())["roles"] if file.exists() else {}
        return [
            _stage(role, stage, account, ModelSpec.parse(self.real[role]))
            for role in _INNER
            for stage, account in bill.get(role, {}).items()
            if self.real[role]
        ]


def _stage(role: Inner, stage: str, account: dict[str, Any], spec: ModelSpec) -> StageEstimate:
    tokens = Tokens(account["input_tokens"], account["output_tokens"])
    amount = Amount(account["calls"], tokens.input, tokens.output, price(spec, tokens))
    return StageEstimate(role, stage, spec.label, amount, amount)


@contextmanager
def stand_ins(internal: str = "", embed: str = "") -> Iterator[StandIns]:
    """A scripted server for the models that would cost something; embedders that run here stay."""
    from memtriage.models.scripted import StubServer

    real = {"internal": internal, "embed": embed if names_endpoint(embed) else ""}
    if not any(real.values()):
        yield StandIns({"internal": internal, "embed": embed}, real)
        return
    with StubServer("memory", keep=0) as server:
        named = {role: f"{server.url}#{_STANDS_IN}-{role}" if spec else "" for role, spec in real.items()}
        yield StandIns({"internal": named["internal"], "embed": named["embed"] or embed}, real)
