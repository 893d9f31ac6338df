"""Retrieve as much as a run asks for: k memories, as many as fit a number of tokens, or the system's own amount."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

from memtriage.core.amount import K, token_budget
from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.systems.adapted import Adapted

FIRST_SHARE = 50
"""A budget of tokens is first tried with a k of one memory per this many tokens."""


@dataclass(frozen=True, slots=True)
class Found:
    """The memories that count, how long the last call took that brought them, and what the user should know.

    `always` are those that the system shows whatever is asked; they don't count for k, but for a number of tokens.
    """

    memories: Sequence[Memory]
    seconds: float
    note: str = ""
    always: Sequence[Memory] = ()


def has_native(traits: Traits) -> bool:
    """Whether a system has an amount of its own: declared, or everything."""
    return traits.takes_native or traits.native_k > 0 or traits.ignores_k


def retrieve(
    system: Adapted, query: str, conversation: Session, k: K, size: Callable[[Memory], int], held: int
) -> Found:
    """Ask a store one question. `size` counts a memory's tokens; `held` is how many memories it is known to hold.

    A number of tokens is filled with the system's memories in its own order, up to the first that doesn't fit. A system
    is asked for more and more until that happens or it has no more.
    """

    def ask(k: int | None) -> tuple[list[Memory], float]:
        began = time.perf_counter()
        return system.retrieve_memories(query, conversation, k), time.perf_counter() - began

    traits, budget, always = system.traits, token_budget(k), system.always_shown()
    if budget is not None:
        sizes = list(accumulate(map(size, always)))
        always = always[: sum(1 for used in sizes if used <= budget)]
        left = budget - (sizes[len(always) - 1] if always else 0)
        return replace(_fill(ask, left, size, traits) if left else Found((), 0.0), always=always)
    if not isinstance(k, int):
        return Found(*ask(None if traits.takes_native else traits.native_k or 1), always=always)
    memories, seconds = ask(k)
    most = k * traits.lanes
    if traits.ignores_k:
        return Found(memories, seconds, always=always)
    note = ""
    if len(memories) > most:
        note = f"returned more than the k={k} memories asked for; only the first {most} count"
    elif len(memories) < k and 0 < held < k:
        note = f"k={k} is more than the memories in the store; all of them count"
    return Found(memories[:most], seconds, note, always)


def _fill(
    ask: Callable[[int | None], tuple[list[Memory], float]], budget: int, size: Callable[[Memory], int], traits: Traits
) -> Found:
    k, before = max(1, budget // FIRST_SHARE), -1
    while True:
        memories, seconds = ask(k)
        fitting = sum(1 for _ in takewhile(lambda used: used <= budget, accumulate(map(size, memories))))
        full, no_more = fitting < len(memories), len(memories) < k or len(memories) == before
        if full or no_more or traits.ignores_k or k >= budget:  # a memory takes a token or more
            too_large = f"the first memory alone is larger than {budget} tokens, so that none counts"
            return Found(memories[:fitting], seconds, too_large if full and not fitting else "")
        k, before = min(2 * k, budget), len(memories)
