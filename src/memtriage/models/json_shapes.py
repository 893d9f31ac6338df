"""JSON schemas of the replies that models are asked for, put together from a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def object_of(**properties: Any) -> dict[str, Any]:
    """The shape of an object with these properties and no others."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def list_of(items: Mapping[str, Any]) -> dict[str, Any]:
    """The shape of a list."""
    return {"type": "array", "items": items}


def objects_of(**properties: Any) -> dict[str, Any]:
    """The shape of a list of such objects."""
    return list_of(object_of(**properties))


def one_of(*values: str) -> dict[str, Any]:
    """The shape of a text that is one of these."""
    return {"type": "string", "enum": list(values)}


TEXT: Mapping[str, Any] = {"type": "string"}
TEXTS: Mapping[str, Any] = list_of(TEXT)
NUMBER: Mapping[str, Any] = {"type": "integer"}
NUMBERS: Mapping[str, Any] = list_of(NUMBER)
