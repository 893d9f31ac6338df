"""The JSON object in what a model wrote: found, repaired where that is safe, and checked against its schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from memtriage.core.chat import ModelError
from memtriage.text.words import well_formed

_DEPTH = 64
_FALSE_STARTS = 32

_SPACE = " \t\r\n\ufeff\u00a0"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LITERALS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_]\w*")
_OPEN_THOUGHT = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSE_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


def parse(text: str, schema: Mapping[str, Any], *, close: bool = True) -> dict[str, Any]:
    """The object that the text holds, fitting the schema; ModelError("malformed") where there is none.

    Where there are several, the last one counts: models think aloud before they answer. `close` also takes an
    object whose end is missing; its last words may then be missing too.

    >>> parse("Sure! ```json\\n{'ok': True,}\\n```", {"type": "object", "properties": {"ok": {"type": "boolean"}}})
    {'ok': True}
    """
    # A reply that is one whole object is taken as it is: its strings may contain tags and braces.
    candidates = _whole(text) or _objects(without_thoughts(text), close=close)
    problem = "it holds no JSON object"
    found: dict[str, Any] | None = None
    for candidate in candidates:
        try:
            checked = _fit(candidate, schema, "$")
        except _Misfit as misfit:
            problem = str(misfit)
        except RecursionError:
            problem = "it is nested too deeply"
        else:
            found = checked
    if found is None:
        _give_up(problem, text)
    return found


def without_thoughts(text: str) -> str:
    """The text without the thinking some models put before their answer, even where its opening tag is missing."""
    kept: list[str] = []
    position = 0
    while (opening := _OPEN_THOUGHT.search(text, position)) is not None:
        kept.append(text[position : opening.start()])
        closing = _CLOSE_THOUGHT.search(text, opening.end())
        if closing is None:
            return "".join(kept).strip()
        position = closing.end()
    kept.append(text[position:])
    rest = "".join(kept)
    closings = list(_CLOSE_THOUGHT.finditer(rest))
    return (rest[closings[-1].end() :] if closings else rest).strip()


def strict_form(schema: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """The schema closed to further properties, and whether an endpoint's strict mode can take it."""
    strict = True

    def close(part: Mapping[str, Any]) -> dict[str, Any]:
        nonlocal strict
        closed = dict(part)
        if "properties" in closed:
            closed["properties"] = {name: close(each) for name, each in closed["properties"].items()}
            closed.setdefault("additionalProperties", False)
            strict = strict and set(closed["properties"]) == set(closed.get("required", ()))
        if isinstance(closed.get("items"), Mapping):
            closed["items"] = close(closed["items"])
        return closed

    return close(schema), strict


def description(schema: Mapping[str, Any]) -> str:
    """The schema as a request in words, for endpoints that can't be bound to it."""
    return (
        "Reply with one JSON object and nothing else: no prose around it and no code fence. "
        f"It has to follow this JSON schema:\n{json.dumps(schema, ensure_ascii=False, default=dict)}"
    )


class _Misfit(Exception):
    """An object that isn't what the schema asks for."""


class _Unreadable(Exception):
    """A place where no object can be read."""


def _give_up(problem: str, text: str) -> NoReturn:
    start = " ".join(text[:80].split())
    raise ModelError("malformed", f"the reply is not the JSON object asked for: {problem} (it begins {start!r})")


def _whole(text: str) -> list[dict[str, Any]]:
    try:
        whole = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_without_conflicts)
    except (ValueError, RecursionError, _Unreadable):
        return []
    return [whole] if isinstance(whole, dict) else []


def _objects(text: str, *, close: bool) -> list[dict[str, Any]]:
    """All objects of a text that aren't inside another one. A bounded number of passes, so the time is linear."""
    found: list[dict[str, Any]] = []
    position = 0
    false_starts = 0
    while false_starts < _FALSE_STARTS and (start := text.find("{", position)) >= 0:
        reader = _Reader(text, start)
        try:
            read = reader.object(0)
            # Reading past the end means that the object was not closed.
            if close or reader.at <= len(text):
                found.append(read)
            position = reader.at
        except _Unreadable:
            false_starts += 1
            position = start + 1
    return found


def _no_constant(name: str) -> NoReturn:
    raise _Unreadable(name)


def _without_conflicts(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object that these pairs make; _Unreadable where a name has two different values."""
    read: dict[str, Any] = {}
    for name, value in pairs:
        if name in read and read[name] != value:
            raise _Unreadable(f"{name} twice")
        read[name] = value
    return read


class _Reader:
    """Reads an object leniently: any kind of quotes, loose commas, an end that is cut off."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def object(self, depth: int) -> dict[str, Any]:
        if depth > _DEPTH:
            raise _Unreadable("too deep")
        self.at += 1
        pairs: list[tuple[str, Any]] = []
        while (char := self._next()) not in ("}", ""):
            if char == ",":
                self.at += 1
                continue
            name = self._name(char)
            if self._next() == "":
                break
            if self._next() != ":":
                raise _Unreadable("no colon")
            self.at += 1
            if self._next() == "":
                break
            value = self._value(depth)
            if value is not _CUT_OFF:
                pairs.append((name, value))
            if self._next() not in (",", "}", ""):
                raise _Unreadable("no comma")
        self.at += 1
        return _without_conflicts(pairs)

    def _list(self, depth: int) -> list[Any]:
        if depth > _DEPTH:
            raise _Unreadable("too deep")
        self.at += 1
        values: list[Any] = []
        while (char := self._next()) not in ("]", ""):
            if char == ",":
                self.at += 1
                continue
            value = self._value(depth)
            if value is not _CUT_OFF:
                values.append(value)
            if self._next() not in (",", "]", ""):
                raise _Unreadable("no comma")
        self.at += 1
        return values

    def _next(self) -> str:
        text, at, end = self.text, self.at, len(self.text)
        while at < end and text[at] in _SPACE:
            at += 1
        self.at = at
        return text[at] if at < end else ""

    def _name(self, char: str) -> str:
        if char in _QUOTES:
            return self._string(char)
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise _Unreadable("no name")
        self.at = word.end()
        return word.group()

    def _value(self, depth: int) -> Any:
        char = self._next()
        if char in _QUOTES:
            return self._string(char)
        if char == "{":
            return self.object(depth + 1)
        if char == "[":
            return self._list(depth + 1)
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            return self._number(number.group())
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise _Unreadable("no value")
        self.at = word.end()
        if word.group() in _LITERALS:
            return _LITERALS[word.group()]
        if self.at == len(self.text):
            return _CUT_OFF
        raise _Unreadable("a bare word")

    @staticmethod
    def _number(text: str) -> int | float:
        try:
            return json.loads(text)  # type: ignore[no-any-return]
        except ValueError as error:
            raise _Unreadable("a number") from error

    def _string(self, opening: str) -> str:
        closing = _QUOTES[opening]
        stops = _STOPS[closing]
        parts: list[str] = []
        start = self.at + 1
        while (stop := stops.search(self.text, start)) is not None:
            parts.append(self.text[start : stop.start()])
            start = stop.end()
            if stop.group() == "\\":
                start = self._escape(start, parts)
            elif closing == '"' or self._ends_string(start):
                self.at = start
                return _paired("".join(parts))
            else:
                parts.append(stop.group())
        parts.append(self.text[start:])
        self.at = len(self.text)
        return _paired("".join(parts))

    def _ends_string(self, at: int) -> bool:
        """Whether the quote before this place closes its string: an apostrophe has a letter behind it."""
        while at < len(self.text) and self.text[at] in _SPACE:
            at += 1
        return at >= len(self.text) or self.text[at] in ",:}]"

    def _escape(self, at: int, parts: list[str]) -> int:
        char = self.text[at : at + 1]
        if char == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", code := self.text[at + 1 : at + 5]):
            parts.append(chr(int(code, 16)))
            return at + 5
        parts.append(_ESCAPES.get(char, char))
        return at + 1


def _paired(text: str) -> str:
    """The text with escaped surrogate pairs made one character."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_CUT_OFF = object()
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_STOPS = {closing: re.compile(rf"\\|{closing}") for closing in _QUOTES.values()}


def _fit(value: Any, schema: Mapping[str, Any], path: str) -> Any:
    """The value as the schema wants it, or a _Misfit that says where it differs."""
    value = _typed(value, schema, path)
    if "enum" in schema:
        return _allowed(value, schema["enum"], path)
    if isinstance(value, dict):
        return _members(value, schema, path)
    if isinstance(value, list):
        return [_fit(each, schema.get("items", {}), f"{path}[{number}]") for number, each in enumerate(value)]
    return _text(value)


def _typed(value: Any, schema: Mapping[str, Any], path: str) -> Any:
    wanted = schema.get("type")
    kinds = [wanted] if isinstance(wanted, str) else wanted or ()
    if not kinds or any(_is(value, kind) for kind in kinds):
        return int(value) if isinstance(value, float) and "number" not in kinds and "integer" in kinds else value
    raise _Misfit(f"{path} is {_kind(value)}, not {' or '.join(kinds)}")


def _is(value: Any, kind: str) -> bool:
    if kind == "integer":
        return (isinstance(value, int) and not isinstance(value, bool)) or (
            isinstance(value, float) and value.is_integer()
        )
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, _TYPES[kind])


_TYPES: Mapping[str, type] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
}


def _kind(value: Any) -> str:
    return next((name for name in (*_TYPES, "integer", "number") if _is(value, name)), type(value).__name__)


def _members(value: dict[str, Any], schema: Mapping[str, Any], path: str) -> dict[str, Any]:
    properties = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        raise _Misfit(f"{path}.{missing[0]} is missing")
    # What nobody asked for is left out where the schema is closed, and kept as it is where it is open.
    closed = schema.get("additionalProperties", not properties) is False
    return {
        well_formed(name): _fit(each, properties.get(name, {}), f"{path}.{name}")
        for name, each in value.items()
        if name in properties or not closed
    }


def _allowed(value: Any, choices: list[Any], path: str) -> Any:
    for choice in choices:
        if value == choice and isinstance(value, bool) == isinstance(choice, bool):
            return choice
    if isinstance(value, str):
        near = [choice for choice in choices if isinstance(choice, str) and _plain(choice) == _plain(value)]
        if len(near) == 1:
            return near[0]
    raise _Misfit(f"{path} is {str(value)[:40]!r}, not one of {', '.join(map(str, choices))}")


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]+", "_", text.strip().casefold())


def _text(value: Any) -> Any:
    return well_formed(value) if isinstance(value, str) else value
