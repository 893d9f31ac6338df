"""What models cost per episode: to store it, to retrieve from it, and to answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memtriage.core.trace import Usage
from memtriage.core.verdict import StoreSummary

STAGES = ("ingest", "retrieve", "answer")


@dataclass(frozen=True, slots=True)
class StageCost:
    """The cost of one stage of one system, per episode. Cached replies are counted, but cost nothing.

    `dollars` is None where a price is unknown. Retrieving and answering count all questions, at every k and repeat.
    """

    suite: str
    system: str
    stage: str
    episodes: int
    calls: float
    cached: float
    input_tokens: float
    output_tokens: float
    dollars: float | None


def costs(stores: Iterable[StoreSummary]) -> list[StageCost]:
    """One row per system and stage in which it asked a model; systems in order of appearance."""
    systems: dict[tuple[str, str], list[StoreSummary]] = {}
    for store in stores:
        systems.setdefault((store.suite, store.system), []).append(store)
    return [
        _cost(suite, system, stage, len(members), used)
        for (suite, system), members in systems.items()
        for stage in STAGES
        if (used := _used(members, stage)) is not None
    ]


def _used(stores: Sequence[StoreSummary], stage: str) -> Usage | None:
    found = [used for store in stores if (used := getattr(store, f"{stage}_usage")) is not None]
    return sum(found, Usage()) if found else None


def _cost(suite: str, system: str, stage: str, episodes: int, used: Usage) -> StageCost:
    return StageCost(
        suite,
        system,
        stage,
        episodes,
        calls=used.calls / episodes,
        cached=used.cached / episodes,
        input_tokens=used.input_tokens / episodes,
        output_tokens=used.output_tokens / episodes,
        dollars=None if used.dollars is None else used.dollars / episodes,
    )
