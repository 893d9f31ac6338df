"""Whether a store is empty before its first session, and if not, what it seems to share with other stores."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, MutableMapping, MutableSequence, MutableSet
from contextlib import suppress

from memtriage.core.memory import Memory
from memtriage.systems.adapted import Adapted
from memtriage.text.words import counted

_CONTAINERS = (MutableSequence, MutableMapping, MutableSet)


def leftover(system: Adapted) -> str | None:
    """What is wrong with a fresh store that holds something already; None if nothing is, or if that can't be seen.

    It is listed once more for that, which costs nothing: there should be nothing to list. A system whose listing
    writes is left alone, and one that keeps nothing, or starts filled on purpose, is not asked.
    """
    traits = system.traits
    unasked = traits.keeps_nothing or traits.starts_filled or traits.listing_writes
    if unasked or "get_all_memories" not in system.capabilities or not (found := system.get_all_memories()):
        return None
    memories, text = counted(len(found), "memory", "memories"), found[0].text
    example = text if len(text) <= 70 else f"{text[:67]}..."
    return f"a fresh store held {memories} before its first session, such as {example!r}: {shared(system, found)}"


def shared(system: Adapted, found: list[Memory]) -> str:
    """What stores seem to share, and what to do about it."""
    if cause := outside(system, found):
        return cause
    reset = "reset() may not empty it, or " if "reset" in system.capabilities else ""
    return (
        f"{reset}all stores share a class attribute, a global variable, a file or a database; "
        "give each its own. If it is meant, declare Traits(starts_filled=True)"
    )


def outside(system: Adapted, found: list[Memory]) -> str | None:
    """Which object outside of a store, in this process, holds its first memory, and what to do about it."""
    with suppress(Exception):  # of a stranger's objects
        return next(_holders(system.system, found[0].text), None)
    return None


def _holders(system: object, text: str) -> Iterator[str]:
    """Objects outside of an instance that hold this text: of its classes, of defaults, of its module."""
    kind = type(system)
    for owner in kind.__mro__:
        for name, value in vars(owner).items():
            if _holds(value, text):
                whose = f"{owner.__name__}.{name} belongs to the class"
                yield f"{whose}, so all stores share it; set self.{name} in __init__"
    for name, parameter in inspect.signature(kind).parameters.items():
        if _holds(parameter.default, text):
            yield (
                f"the default of {kind.__name__}(…, {name}=…) is one object that all stores share; "
                "make it None, and a new one in __init__"
            )
    for name, value in getattr(getattr(kind, "store_conversation", None), "__globals__", {}).items():
        if not name.startswith("__") and _holds(value, text):
            yield f"{name} is a variable of the module, so all stores share it; set it on self, in __init__"


def _holds(value: object, text: str) -> bool:
    return isinstance(value, _CONTAINERS) and repr(text)[1:-1] in repr(value)
