"""What was found out about a fact among memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["found", "edited", "unsettled", "absent"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether some memories hold a fact, why, and the numbers of the memories that show it.

    `missing` are the words whose loss makes it edited. `confidence` is given where the fact was weighed as a whole. A
    `firm` finding rests on the very words of the fact and stays, whatever else may suggest otherwise.
    """

    state: State
    why: str
    memories: tuple[int, ...] = ()
    missing: frozenset[str] = frozenset()
    confidence: float | None = None
    firm: bool = False
