"""What a store made up: memories that nothing said supports, and pairs of memories that can't both hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FindingKind = Literal["invented", "contradicting"]


@dataclass(frozen=True, slots=True)
class MemoryFinding:
    """An invented memory, or two that contradict each other.

    `words` are those that nothing supports, or the values that rule each other out. `nearest` is what was said that
    comes nearest, in `session` and `turn`; of two memories, what was said last. `other_key` and `other_text` are the
    second of two.
    """

    kind: FindingKind
    key: str
    text: str
    why: str
    words: tuple[str, ...] = ()
    nearest: str = ""
    session: str = ""
    turn: str = ""
    other_key: str = ""
    other_text: str = ""
    detector: str = "lexical"


@dataclass(frozen=True, slots=True)
class MemoryCheck:
    """One store at its end, held against what was said.

    `memories` is None if the store could not be listed; `na` then says why. `contradicting` counts pairs. A store that
    raised has an `error`, and its memories are counted as far as there are any.
    """

    suite: str
    task: str
    system: str
    episode: str
    ingest_repeat: int = 0
    memories: int | None = None
    supported: int = 0
    invented: int = 0
    uncertain: int = 0
    contradicting: int = 0
    findings: tuple[MemoryFinding, ...] = ()
    na: str = ""
    error: str = ""
    judged_by: str = ""
