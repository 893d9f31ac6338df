"""Find out where an LLM memory system fails: never stored, mangled, not retrieved, or misread.

import memtriage

run = memtriage.run(MyMemory(), suite="memfail", k=[5, 10])
run.show()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.memory import Answered, Memory, MemorySystem, Question, Traits

if TYPE_CHECKING:
    from memtriage.api import (
        Run,
        check,
        compare,
        diagnose,
        dry_run,
        gate,
        judge,
        load,
        mix,
        resume,
        run,
        save_baseline,
        sweep,
    )
    from memtriage.config import Limits

__all__ = [
    "Answered",
    "Episode",
    "Fact",
    "Limits",
    "Memory",
    "MemorySystem",
    "Probe",
    "Question",
    "Run",
    "Session",
    "Traits",
    "Turn",
    "check",
    "compare",
    "diagnose",
    "dry_run",
    "gate",
    "judge",
    "load",
    "mix",
    "resume",
    "run",
    "save_baseline",
    "sweep",
]

_LAZY = {name for name in __all__ if name not in globals()}


def __getattr__(name: str) -> Any:
    """Import the API on first use, so that importing memtriage stays fast."""
    if name in _LAZY:
        from memtriage import api

        return getattr(api, name)
    raise AttributeError(f"module 'memtriage' has no attribute {name!r}")


def __dir__() -> list[str]:
    """All public names, those that are not imported yet as well."""
    return sorted({*globals(), *_LAZY})
