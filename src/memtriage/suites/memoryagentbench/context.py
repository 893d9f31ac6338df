"""A long context and the questions about it: what generators make, loaders read, and `episodes` turns into episodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memtriage.core.episode import Scoring
from memtriage.suites.memoryagentbench.kinds import Kind

VERSION = "3"
"""Of the suite; it changes when what the suite asks changes."""

PACKAGE = "memtriage.suites.memoryagentbench"
"""Whose word files the generators read."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of the context that a question may need: its sentences word for word, and where it begins in the text.

    `details` are the phrases without which it is no longer the same; by default all of it.
    """

    id: str
    text: str
    start: int
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """One question about a context.

    `golds` are all the answers that count. `needed` lists sets of passage ids, any one of which is enough to answer;
    `outdated` pairs a passage that no longer holds with those any one of which says so. `text` is what a retriever is
    asked; `options` are shown only to whoever answers.
    """

    id: str
    text: str
    golds: tuple[str, ...]
    scoring: Scoring
    needed: tuple[tuple[str, ...], ...] = ()
    outdated: tuple[tuple[str, tuple[str, ...]], ...] = ()
    options: tuple[str, ...] = ()
    asked_at: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Context:
    """A long text, the passages of it that questions need, and the questions. `source` names it as the paper does.

    `titles` are all those there are, where recommendations are asked for: what an answer names is matched with them.
    """

    id: str
    kind: Kind
    source: str
    text: str
    passages: tuple[Passage, ...]
    queries: tuple[Query, ...]
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    titles: tuple[str, ...] = ()


def length_label(tokens: int) -> str:
    """How tables name a length.

    >>> length_label(262_144), length_label(1_440_000), length_label(800)
    ('262k', '1.44M', '800')
    """
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.3g}M"
    return f"{tokens // 1_000}k" if tokens >= 1_000 else str(tokens)
