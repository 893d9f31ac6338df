"""What models cost per episode: to store it, to retrieve from it, and to answer; as paid, and without the cache."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memtriage.core.trace import Usage
from memtriage.core.verdict import StoreSummary

STAGES = ("ingest", "retrieve", "answer")
ALL_STAGES = "all"


@dataclass(frozen=True, slots=True)
class StageCost:
    """The cost of one stage of one system, per episode; the stage "all" sums them up.

    `calls`, tokens and `dollars` are what was paid for: replies from the cache are only counted (`cached`).
    What starts with `all_` is as if there were no cache: it has what these took, at the list price. Dollars are None
    where a price is unknown; all of it is None in runs of earlier versions, which did not record what replies took.
    `vs_base` is `all_dollars` as a multiple of those of the first system that asked a model.

    Retrieving and answering count all questions, at every k and repeat.
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
    all_input: float | None
    all_output: float | None
    all_dollars: float | None
    vs_base: float | None = None


def costs(stores: Iterable[StoreSummary]) -> list[StageCost]:
    """One row per system and stage in which it asked a model, and one for all stages; systems as they appear."""
    systems: dict[tuple[str, str], list[StoreSummary]] = {}
    for store in stores:
        systems.setdefault((store.suite, store.system), []).append(store)
    found: list[StageCost] = []
    bases: dict[str, float | None] = {}
    for (suite, system), members in systems.items():
        used = {stage: usage for stage in STAGES if (usage := _used(members, stage)) is not None}
        if used:
            whole = sum(used.values(), Usage())
            base = bases.setdefault(suite, all_dollars(whole, len(members)))
            used[ALL_STAGES] = whole
            found += [_cost(suite, system, stage, len(members), usage, base) for stage, usage in used.items()]
    return found


def all_dollars(used: Usage, episodes: int = 1) -> float | None:
    """What it would cost per episode without the cache; None if that is not known."""
    if used.dollars is None or used.cached_dollars is None or not knows_cached(used):
        return None
    return (used.dollars + used.cached_dollars) / episodes


def knows_cached(used: Usage) -> bool:
    """Whether it is known what replies from the cache took; earlier versions only counted them."""
    return used.cached <= 0 or bool(used.cached_input or used.cached_output)


def _used(stores: Sequence[StoreSummary], stage: str) -> Usage | None:
    found = [used for store in stores if (used := getattr(store, f"{stage}_usage")) is not None]
    return sum(found, Usage()) if found else None


def _cost(suite: str, system: str, stage: str, episodes: int, used: Usage, base: float | None) -> StageCost:
    without_cache = all_dollars(used, episodes)
    known = knows_cached(used)
    return StageCost(
        suite,
        system,
        stage,
        episodes,
        calls=used.calls / episodes,
        cached=max(0, used.cached) / episodes,
        input_tokens=used.input_tokens / episodes,
        output_tokens=used.output_tokens / episodes,
        dollars=None if used.dollars is None else used.dollars / episodes,
        all_input=(used.input_tokens + used.cached_input) / episodes if known else None,
        all_output=(used.output_tokens + used.cached_output) / episodes if known else None,
        all_dollars=without_cache,
        vs_base=without_cache / base if stage == ALL_STAGES and base and without_cache is not None else None,
    )
