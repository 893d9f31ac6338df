"""How long the histories are, and what they are filled with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.kit.localized import OPTION, language_of, option
from memtriage.suites.kit.options import count_of, refuse_unknown
from memtriage.suites.longmemeval.attributes import PACKAGE
from memtriage.text.language import ENGLISH

Size = Literal["s", "m", "oracle"]
SIZES: tuple[Size, ...] = get_args(Size)
"""How much history a question has: about 50 sessions, about 500, or its evidence alone."""

OPTIONS = {
    "sessions": "chats in a history, with the evidence (default: s as many as fit 115,000 tokens, m 500)",
    "tokens": "tokens in a history, at the most (s: 115000)",
    "pool": "how many other chats there are to sample from (default 2000, more where histories need it)",
    "mixture": "shares of talk, tasks and simulated chats among the others (default 25/25/50)",
    **option(PACKAGE),
}
S_TOKENS = 115_000
M_SESSIONS = 500
S_CHAT_TOKENS, M_CHAT_TOKENS = 1_250, 2_950
"""The median of chats that tell nothing about the user. By the paper a chat of M's histories has 3,000 tokens on
average (1.5 million in 500 of them), one of S's 2,300 (115,000 in 50); simulated ones are as long in both."""
POOL = 2_000
MIXTURE = (25, 25, 50)
"""The paper's: a quarter each of the two kinds of public chats, and half simulated ones."""

_TYPICAL = 1_500
"""Tokens that a chat has, somewhat below the mean; the pool is sized by it."""

_AMPLE = 4
"""How many times as large as a history its pool is at least; some of it bears on what a question is about."""


@dataclass(frozen=True, slots=True)
class HistoryPlan:
    """The options, understood: how far histories go (None: no limit), and what they are sampled from."""

    size: Size
    sessions: int | None
    tokens: int | None
    pool: int
    mixture: tuple[int, int, int]
    language: str = ENGLISH

    @classmethod
    def of(cls, size: str, options: Mapping[str, str]) -> HistoryPlan:
        """What a size and options ask for.

        >>> HistoryPlan.of("m", {}).sessions, HistoryPlan.of("s", {}).tokens
        (500, 115000)
        >>> HistoryPlan.of("s", {"sessions": "50"}).tokens is None
        True
        """
        known = next((name for name in SIZES if name == size), None)
        if known is None:
            raise BadInput(unknown("size of histories", size, SIZES))
        refuse_unknown(options, OPTIONS, "suite longmemeval")
        sessions = count_of(options, "sessions")
        tokens = count_of(options, "tokens")
        if known == "oracle":
            if sessions or tokens:
                raise BadInput("longmemeval/oracle has the evidence alone: leave out sessions and tokens, or choose s")
            sessions = 0
        elif not sessions and not tokens:
            sessions, tokens = (M_SESSIONS, None) if known == "m" else (None, S_TOKENS)
        longest = sessions if sessions is not None else (tokens or 0) // _TYPICAL
        return cls(
            known,
            sessions,
            tokens,
            count_of(options, "pool") or max(POOL, _AMPLE * longest),
            _mixture(options.get("mixture", "")),
            language_of(options, PACKAGE),
        )

    def provenance(self) -> dict[str, object]:
        """What a run or a file records of this."""
        return {
            "size": self.size,
            "sessions": self.sessions,
            "tokens": self.tokens,
            "pool": self.pool,
            "mixture": "/".join(map(str, self.mixture)),
            **({OPTION: self.language} if self.language != ENGLISH else {}),
        }


def _mixture(text: str) -> tuple[int, int, int]:
    if not text:
        return MIXTURE
    parts = text.replace(":", "/").replace(",", "/").split("/")
    if len(parts) != len(MIXTURE) or not all(part.strip().isascii() and part.strip().isdigit() for part in parts):
        raise BadInput(f"mixture={text} is no mixture; write three shares, such as mixture=25/25/50")
    talk, task, simulated = (int(part) for part in parts)
    if talk + task + simulated != 100:
        raise BadInput(f"mixture={text} adds up to {talk + task + simulated}; the shares must make 100")
    return talk, task, simulated
