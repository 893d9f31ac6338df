"""Find out where an LLM memory system fails: never stored, mangled, not retrieved, or misread.

import memtriage

run = memtriage.run(MyMemory(), suite="memfail", k=[5, 10])
run.show()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.memory import Memory, MemorySystem, Traits

if TYPE_CHECKING:
    from memtriage.api import Run, load, resume, run

__all__ = [
    "Episode",
    "Fact",
    "Memory",
    "MemorySystem",
    "Probe",
    "Run",
    "Session",
    "Traits",
    "Turn",
    "load",
    "resume",
    "run",
]

_LATER = {"Run", "load", "resume", "run"}


def __getattr__(name: str) -> Any:
    """Load the engine only when it is asked for, so that importing stays fast."""
    if name in _LATER:
        from memtriage import api

        return getattr(api, name)
    raise AttributeError(f"module 'memtriage' has no attribute {name!r}")
