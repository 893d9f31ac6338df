"""What a system takes to fill a store and to be asked: model calls, tokens and seconds, side by side.

Calls and tokens are counted as if there were no cache, so that a repeated run shows the same. The model that answers
is not the system's, and is left out.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memtriage.core.trace import Usage
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.tables.costs import knows_cached


@dataclass(frozen=True, slots=True)
class Effort:
    """One system's effort, per store that was filled and per question that was asked (each k is a question of its own).

    Stores that broke are only counted. Questions that ended in an error have no time; their calls were made, and count.
    Tokens are None where it is not known what replies from the cache took.
    """

    suite: str
    system: str
    family: str
    stores: int
    broken: int
    store_calls: float | None
    store_tokens: float | None
    store_seconds: float | None
    questions: int
    errors: int
    question_calls: float | None
    question_tokens: float | None
    question_seconds: float | None


def efforts(
    stores: Iterable[StoreSummary], verdicts: Iterable[ProbeVerdict], families: Mapping[str, str]
) -> list[Effort]:
    """One row per suite and system, in the order of the stores."""
    filled: dict[tuple[str, str], list[StoreSummary]] = defaultdict(list)
    for store in stores:
        filled[store.suite, store.system].append(store)
    asked: dict[tuple[str, str], list[float | None]] = defaultdict(list)
    for verdict in verdicts:
        if not verdict.repeat and not verdict.judge_repeat:  # asked once, however often it was answered and judged
            asked[verdict.suite, verdict.system].append(verdict.seconds)
    return [
        _effort(suite, system, families.get(system, ""), own, asked[suite, system])
        for (suite, system), own in filled.items()
    ]


def _effort(suite: str, system: str, family: str, stores: list[StoreSummary], asked: list[float | None]) -> Effort:
    whole = [store for store in stores if store.error is None]
    seconds = [took for took in asked if took is not None]
    storing = sum((store.ingest_usage for store in whole if store.ingest_usage is not None), Usage())
    asking = sum((store.retrieve_usage for store in whole if store.retrieve_usage is not None), Usage())
    return Effort(
        suite,
        system,
        family,
        len(whole),
        len(stores) - len(whole),
        *_share(storing, len(whole)),
        statistics.fmean(store.ingest_seconds for store in whole) if whole else None,
        len(seconds),
        len(asked) - len(seconds),
        *_share(asking, len(asked)),
        statistics.fmean(seconds) if seconds else None,
    )


def _share(used: Usage, count: int) -> tuple[float | None, float | None]:
    """The calls and tokens of one of `count`."""
    if not count:
        return None, None
    tokens = used.input_tokens + used.output_tokens + used.cached_input + used.cached_output
    return (used.calls + used.cached) / count, tokens / count if knows_cached(used) else None
