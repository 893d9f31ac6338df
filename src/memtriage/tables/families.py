"""The kinds of memory that a run's systems are, as tables group them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memtriage.systems.libraries.catalog import FAMILIES

NO_FAMILY = "of no family"
"""The heading of floors, ceilings and whatever doesn't say what it is."""

_ELSEWHERE = ("memtriage.systems.libraries.", "memtriage.systems.remote.", "memtriage.systems.outside.")
"""How their classes begin; the last is that of runs made before `remote` had its name."""


def families(run: object) -> dict[str, str]:
    """The family of each system of a run, by its label; "" where it has none."""
    return {str(each["label"]): str(each.get("family") or "") for each in _systems(run)}


def elsewhere(run: object) -> frozenset[str]:
    """The systems of a run that are in processes of their own, by their labels."""
    return frozenset(str(each["label"]) for each in _systems(run) if str(each.get("class")).startswith(_ELSEWHERE))


def place(family: str) -> tuple[int, str]:
    """What families are sorted by: MemoryAgentBench's first, in its order, and those that have none last."""
    known: Mapping[str, int] = {name: number for number, name in enumerate(FAMILIES)}
    return known.get(family, len(known) + (not family)), family


def heading(family: str) -> str:
    """A family as tables name it."""
    return family or NO_FAMILY


def _systems(run: object) -> Iterable[Mapping[str, Any]]:
    """The systems as the run's manifest describes them; somebody else's traces have none."""
    manifest = getattr(run, "manifest", None)
    return manifest["systems"] if isinstance(manifest, Mapping) else ()
