"""The tables and figures of the papers, as declarations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from memtriage.core.errors import BadInput, unknown
from memtriage.studies.exhibits import Exhibit, Paper

NAMES = ("memfail", "meme", "longmemeval", "memoryagentbench")


@cache
def papers() -> Mapping[str, Paper]:
    """The papers, by the name of their suite."""
    return {name: _module(name).PAPER for name in NAMES}


@cache
def exhibits() -> Mapping[str, Exhibit]:
    """Every table and figure, by id, in the order of the papers."""
    return {exhibit.id: exhibit for name in NAMES for exhibit in _module(name).EXHIBITS}


def find(id: str) -> Exhibit:
    """The exhibit of this id.

    >>> find("meme/table-2").title
    'Accuracy on the six tasks, and cost'
    """
    if id not in exhibits():
        raise BadInput(unknown("table or figure", id, list(exhibits())))
    return exhibits()[id]


def _module(name: str) -> Any:
    return import_module(f"memtriage.studies.papers.{name}")
