"""How much comes back for a question: a number of memories, what fits a number of tokens, or the system's own."""

from __future__ import annotations

import re

K = int | str
"""`5` memories, `"500 tokens"` full of memories, or `"native"`: what the system hands its own users."""

NATIVE = "native"
_BUDGET = re.compile(r"([1-9]\d*) tokens")


def token_budget(k: K) -> int | None:
    """The tokens of a budget; None for any other k.

    >>> token_budget("500 tokens"), token_budget(5), token_budget("native")
    (500, None, None)
    """
    found = _BUDGET.fullmatch(k) if isinstance(k, str) else None
    return int(found[1]) if found else None


def k_order(k: K) -> tuple[int, int]:
    """A sort key: native, then token budgets, then counts, so that the largest count comes last.

    >>> sorted([20, "native", 5, "1000 tokens", "500 tokens"], key=k_order)
    ['native', '500 tokens', '1000 tokens', 5, 20]
    """
    if isinstance(k, int):
        return (2, k)
    return (1, token_budget(k) or 0) if k != NATIVE else (0, 0)


def k_text(k: K) -> str:
    """A k as tables and sentences show it; 0 stands for several.

    >>> [k_text(k) for k in (5, "native", "1000 tokens", 0)]
    ['5', 'native', '1,000 tok', 'all']
    """
    budget = token_budget(k)
    return f"{budget:,} tok" if budget else str(k or "all")


def parse_k(text: str) -> K | None:
    """A k as it is typed: 5, native, 500 tokens or 500t; None if it is none of these.

    >>> [parse_k(text) for text in ("5", "native", "500 tokens", "500t", "many")]
    [5, 'native', '500 tokens', '500 tokens', None]
    """
    text = text.strip()
    if text == NATIVE:
        return NATIVE
    found = re.fullmatch(r"(-?\d+)(?:\s*(t|tok|tokens))?", text)
    if not found:
        return None
    return f"{int(found[1])} tokens" if found[2] else int(found[1])
