"""Values for JSON schemas: plain ones for any schema, or known ones under the names it asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_DEEP = 8
"""Schemas may refer to themselves; below this depth only what is required is filled."""

_FORMATS = {
    "date": "2026-01-05",
    "time": "09:00:00Z",
    "date-time": "2026-01-05T09:00:00Z",
    "duration": "P1D",
    "email": "someone@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "192.0.2.1",
}

Schema = Mapping[str, Any]


def filled(schema: Schema) -> Any:
    """A small value that fits the schema.

    >>> filled({"type": "object", "properties": {"ok": {"type": "boolean"}, "n": {"type": "integer", "minimum": 3}}})
    {'ok': True, 'n': 3}
    """
    return _value(schema, schema, "text", 0)


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Other names that known values go by, and the values that a schema must have a field for."""

    aliases: Mapping[str, str]
    needed: frozenset[str]


class NoField(ValueError):
    """A schema without a field for what must be said; filling it with something else would be a lie."""


def fit_values(schema: Schema | None, known: Mapping[str, Any], how: FieldNames) -> dict[str, Any]:
    """The known values in the shape of a schema: under its names, in its types; what nobody knows is filled in.

    Without a schema the known values are returned.
    """
    return dict(known) if schema is None else _fit_object(schema, schema, known, how)


def _fit_object(schema: Any, root: Schema, known: Mapping[str, Any], how: FieldNames) -> dict[str, Any]:
    properties = _resolved(schema, root).get("properties", {})
    if not properties:
        return dict(known)
    source = {name: name if name in known else how.aliases.get(name, name) for name in properties}
    for key in how.needed & known.keys():
        if key not in source.values():
            raise NoField(f"the schema has no field for {key!r}, only {', '.join(properties)}")
    return {
        name: _fit_value(known[source[name]], inner, root, how)
        if source[name] in known
        else _value(inner, root, name, 1)
        for name, inner in properties.items()
    }


_YES_NO = (("yes", "no"), ("true", "false"), ("pass", "fail"), ("present", "absent"), ("correct", "incorrect"))


def _fit_value(value: Any, schema: Any, root: Schema, how: FieldNames) -> Any:
    """A known value in the type a schema asks for."""
    schema = _resolved(schema, root)
    kind = _type(schema)
    if isinstance(value, Mapping):
        return _fit_object(schema, root, value, how)
    if isinstance(value, list):
        return [_fit_value(item, schema.get("items", {}), root, how) for item in value]
    if isinstance(value, bool) and kind == "string":
        return _word_for(value, schema.get("enum", ()))
    if isinstance(value, str) and kind == "integer" and value.lstrip("-").isdecimal():
        return int(value)
    return str(value) if kind == "string" and value is not None else value


def _word_for(value: bool, allowed: Sequence[Any]) -> Any:
    by_name = {str(word).lower(): word for word in allowed}
    for yes, no in _YES_NO:
        if yes in by_name and no in by_name:
            return by_name[yes if value else no]
    return "yes" if value else "no"


def _resolved(schema: Any, root: Schema) -> Schema:
    """A schema without references, and of alternatives the first that isn't null."""
    for _ in range(32):  # a reference may lead in circles
        if not isinstance(schema, Mapping):
            return {}
        options = schema.get("anyOf") or schema.get("oneOf")
        if "$ref" in schema:
            schema = _referenced(str(schema["$ref"]), root)
        elif isinstance(options, list):
            schema = next((o for o in options if isinstance(o, Mapping) and o.get("type") != "null"), options[0])
        elif isinstance(schema.get("allOf"), list):
            schema = _merged([_resolved(part, root) for part in schema["allOf"]], schema)
        else:
            return schema
    return {}


def _merged(parts: Sequence[Schema], schema: Schema) -> Schema:
    whole: dict[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
    for part in parts:
        properties = {**whole.get("properties", {}), **part.get("properties", {})}
        whole = {**part, **whole}
        if properties:
            whole["properties"] = properties
    return whole


def _referenced(reference: str, root: Schema) -> Any:
    found: Any = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        if step:
            found = found.get(step.replace("~1", "/").replace("~0", "~"), {}) if isinstance(found, Mapping) else {}
    return found


def _type(schema: Schema) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "null")
    if kind is None:
        kind = "object" if "properties" in schema else "array" if "items" in schema else "string"
    return str(kind)


def _value(schema: Any, root: Schema, name: str, depth: int) -> Any:
    if depth > _DEEP and _nullable(schema, root):
        return None
    schema = _resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    for key in ("enum", "examples"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    if "default" in schema:
        return schema["default"]
    match _type(schema):
        case "object":
            return _object(schema, root, depth)
        case "array":
            return _array(schema, root, name, depth)
        case "integer" | "number" as kind:
            return _in_bounds(schema, kind == "integer")
        case "boolean":
            return True
        case "null":
            return None
    return _text(schema, name)


def _nullable(schema: Any, root: Schema) -> bool:
    if not isinstance(schema, Mapping):
        return False
    options = schema.get("anyOf") or schema.get("oneOf") or []
    kinds = [schema.get("type"), *(o.get("type") for o in options if isinstance(o, Mapping))]
    return any(kind == "null" or (isinstance(kind, list) and "null" in kind) for kind in kinds)


def _object(schema: Schema, root: Schema, depth: int) -> dict[str, Any]:
    wanted = schema.get("properties", {})
    if depth > _DEEP:
        wanted = {n: s for n, s in wanted.items() if n in schema.get("required", ())} if depth < 2 * _DEEP else {}
    return {name: _value(inner, root, name, depth + 1) for name, inner in wanted.items()}


def _array(schema: Schema, root: Schema, name: str, depth: int) -> list[Any]:
    least, most = schema.get("minItems", 0), schema.get("maxItems", 1)
    count = max(least, min(1, most) if depth <= _DEEP else 0) if depth < 2 * _DEEP else 0
    return [_value(schema.get("items", {}), root, name, depth + 1) for _ in range(min(count, 1000))]


def _in_bounds(schema: Schema, whole: bool) -> int | float:
    """The first plain number that keeps to every bound; 1 where none does."""
    step = schema.get("multipleOf", 1)
    low, above = schema.get("minimum", -math.inf), schema.get("exclusiveMinimum", -math.inf)
    high, below = schema.get("maximum", math.inf), schema.get("exclusiveMaximum", math.inf)
    floor, top = max(low, above), min(high, below)
    tries: list[Any] = [1, 0, step, floor, floor + step, top, top - step, (floor + top) / 2]
    for edge in (floor, top):
        if math.isfinite(edge):
            tries += [
                math.ceil(edge / step) * step,
                math.floor(edge / step + 1) * step,
                math.ceil(edge / step - 1) * step,
            ]
    for value in tries:
        if not math.isfinite(value) or (whole and value != int(value)):
            continue
        if low <= value <= high and above < value < below and ("multipleOf" not in schema or value % step == 0):
            return int(value) if whole else value
    return 1


def _text(schema: Schema, name: str) -> str:
    text = _FORMATS.get(str(schema.get("format")), name)
    text = text.ljust(min(schema.get("minLength", 0), 100_000), ".")
    return text[: schema.get("maxLength", len(text))]
