"""The topics users talk about: the paper's 164 attributes in five categories (its table 2).

>>> len(attributes()), len(set(map(category, attributes())))
(164, 5)
>>> related("media/book") >= {"recreation/reading"}
True
"""

from __future__ import annotations

from functools import cache
from typing import Any

from memtriage.suites.kit.words import items, records

PACKAGE = __package__
"""Below which this suite's words are."""


@cache
def attributes() -> tuple[str, ...]:
    """All attributes, each written `group/name`."""
    return tuple(f"{group}/{name}" for group, record in groups().items() for name in items(record["names"]))


def groups() -> dict[str, Any]:
    """The groups that attributes stand in, with their categories and names."""
    return dict(records(PACKAGE, "attributes")["groups"])


def group(attribute: str) -> str:
    """The group an attribute stands in: `media` for `media/book`."""
    return attribute.partition("/")[0]


def category(attribute: str) -> str:
    """The category an attribute belongs to: `belongings` for `owned/cars`."""
    return str(groups()[group(attribute)]["category"])


@cache
def related(attribute: str) -> frozenset[str]:
    """The attribute itself and those so near that telling of one may count as telling of the other."""
    near = map(items, records(PACKAGE, "attributes")["related"].values())
    return frozenset({attribute, *(name for names in near if attribute in names for name in names)})
