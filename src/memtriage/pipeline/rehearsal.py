"""Scripted stand-ins for the models inside systems, so that a dry run can count their calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memtriage.core.chat import Tokens
from memtriage.models.prices import price
from memtriage.models.spec import ModelSpec, names_endpoint
from memtriage.pipeline.bill import read_bill
from memtriage.pipeline.estimate import Amount, StageEstimate

_MODEL_NAME = "stands-in"
InnerRole = Literal["internal", "embed"]
_INNER_ROLES: tuple[InnerRole, ...] = ("internal", "embed")


@dataclass(frozen=True, slots=True)
class StandIns:
    """The names of the stand-ins and of the real models, by role."""

    names: dict[str, str]
    real: dict[str, str]

    def stages(self, path: Path) -> list[StageEstimate]:
        """What the stand-ins used in a run, at the prices of the real models."""
        bill = (read_bill(path) or {"roles": {}})["roles"]
        return [
            _stage(role, stage, account, ModelSpec.parse(self.real[role]))
            for role in _INNER_ROLES
            for stage, account in bill.get(role, {}).items()
            if self.real[role]
        ]


def _stage(role: InnerRole, stage: str, account: dict[str, Any], spec: ModelSpec) -> StageEstimate:
    tokens = Tokens(account["input_tokens"], account["output_tokens"])
    amount = Amount(account["calls"], tokens.input, tokens.output, price(spec, tokens))
    return StageEstimate(role, stage, spec.label, amount, amount)


@contextmanager
def stand_ins(internal: str = "", embed: str = "") -> Iterator[StandIns]:
    """Serve stand-ins for the models that would cost something; local embedders stay."""
    from memtriage.models.scripted import StubServer

    real = {"internal": internal, "embed": embed if names_endpoint(embed) else ""}
    if not any(real.values()):
        yield StandIns({"internal": internal, "embed": embed}, real)
        return
    with StubServer("memory", keep=0) as server:
        names = {role: f"{server.url}#{_MODEL_NAME}-{role}" if spec else "" for role, spec in real.items()}
        yield StandIns({"internal": names["internal"], "embed": names["embed"] or embed}, real)
