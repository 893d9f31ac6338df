"""The key by which a run names a memory: a hash of its content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from memtriage.core.memory import Memory


def content_key(memory: Memory) -> str:
    """The key of a memory's content: the same id, text and source turns give the same key.

    The creation time is left out, as the same session may have other dates in other episodes.
    """
    return _key_of_known(memory.id, memory.text, memory.sources)


@lru_cache(maxsize=4096)  # the same memories come back for many questions
def _key_of_known(id: str, text: str, sources: tuple[str, ...]) -> str:
    return _key(id, text, sources)


def has_key(record: Mapping[str, Any], key: str) -> bool:
    """Whether a recorded memory is the one with this key."""
    try:
        return _key(record["id"], record["text"], record["sources"]) == key
    except (KeyError, TypeError):
        return False


def _key(id: str, text: str, sources: Sequence[str]) -> str:
    content = "\0".join((id, text, *sources)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:20]
