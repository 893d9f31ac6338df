"""The families of memory systems, by which tables group them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memtriage.systems.libraries.catalog import FAMILIES

NO_FAMILY = "of no family"
"""The heading for systems without a family, such as floors and ceilings."""

_REMOTE_CLASSES = ("memtriage.systems.libraries.", "memtriage.systems.remote.", "memtriage.systems.outside.")
"""How the class names of such systems start; the last is from older runs, before `remote` was renamed."""


def families(run: object) -> dict[str, str]:
    """The family of each system of a run, by label; "" if it has none."""
    return {str(each["label"]): str(each.get("family") or "") for each in _systems(run)}


def in_own_process(run: object) -> frozenset[str]:
    """The labels of a run's systems that run in their own process."""
    return frozenset(str(each["label"]) for each in _systems(run) if str(each.get("class")).startswith(_REMOTE_CLASSES))


def family_order(family: str) -> tuple[int, str]:
    """A sort key for families: MemoryAgentBench's first, in its order, and systems without one last."""
    known: Mapping[str, int] = {name: number for number, name in enumerate(FAMILIES)}
    return known.get(family, len(known) + (not family)), family


def family_heading(family: str) -> str:
    """The heading of a family in tables."""
    return family or NO_FAMILY


def _systems(run: object) -> Iterable[Mapping[str, Any]]:
    """The systems in the run's manifest; imported traces have none."""
    manifest = getattr(run, "manifest", None)
    return manifest["systems"] if isinstance(manifest, Mapping) else ()
