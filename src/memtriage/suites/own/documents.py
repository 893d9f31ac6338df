"""Reads a suite file into plain values, and knows on which line each of them stands.

A file is data: YAML is read as events, so that nothing in it is built, expanded or executed. Each plain word of it is a
text, as `no`, `12` and `2026-03-02` are what they look like.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, decoded, loads

SUFFIXES = (".yaml", ".yml", ".json", ".jsonl", ".toml")

Loc = tuple[str | int, ...]
"""The way to a value: names of keys, and places in lists from 0 on."""

_DEEPEST = 20
_LARGEST_YAML = 1 << 26
_HEADER = frozenset(("memtriage", "name"))
_ONE = {"stores": "store", "sessions": "session", "turns": "turn", "facts": "fact", "questions": "question"}


@dataclass(frozen=True, slots=True)
class Document:
    """The values of a file, and the lines of those whose line is known."""

    path: Path
    values: Mapping[str, Any]
    lines: Mapping[Loc, int]

    def place(self, loc: Loc) -> str:
        """Where something stands, for people: the file, the line, and the store, session or question.

        >>> doc = Document(Path("my.yaml"), {"questions": [{"id": "home", "gold": 1}]}, {("questions", 0): 7})
        >>> doc.place(("questions", 0, "gold"))
        "my.yaml, line 7, question 'home', gold"
        """
        line = next((self.lines[loc[:n]] for n in range(len(loc), 0, -1) if loc[:n] in self.lines), None)
        words = [str(self.path), *([f"line {line}"] if line else [])]
        value: Any = self.values
        for n, part in enumerate(loc):
            value = _inside(value, part)
            if isinstance(part, int):
                id = value.get("id") if isinstance(value, Mapping) else None
                kind = _ONE.get(str(loc[n - 1]), str(loc[n - 1]))
                words.append(f"{kind} {_short(id)!r}" if isinstance(id, str) and id else f"{kind} {part + 1}")
            elif n + 1 == len(loc) or not isinstance(loc[n + 1], int):
                words.append(str(part))
        return ", ".join(words)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"


def _inside(value: Any, part: str | int) -> Any:
    try:
        return value[part]
    except (KeyError, IndexError, TypeError):
        return None


def parse(path: Path, content: bytes) -> Document:
    """The values of a file, read by the ending of its name."""
    text = decoded(content, str(path))
    if not text.strip():
        raise BadInput(f"{path} is empty; write an example with: memtriage data new {path.stem}-example.yaml")
    if re.match(r"\s*<(!doctype|html|\?xml)", text, re.IGNORECASE):
        raise BadInput(f"{path} is a web page or XML, not a suite file; download the file itself")
    match path.suffix.lower():
        case ".jsonl":
            return _json_lines(path, text)
        case ".json":
            return _document(path, _json(path, text))
        case ".toml":
            return _document(path, _toml(path, text))
    values, lines = _yaml(path, text)
    return _document(path, values, lines)


def _document(path: Path, values: Any, lines: Mapping[Loc, int] | None = None) -> Document:
    if not isinstance(values, dict):
        kind = "a list" if isinstance(values, list) else "a single value"
        raise BadInput(
            f"{path} holds {kind}; a suite file has the keys name and stores, or sessions, facts and questions "
            f"(docs/own-data.md). Logs and benchmarks become one with `memtriage data import {path} --from …`; "
            "released files of a suite are checked with --suite NAME"
        )
    return Document(path, values, lines or {})


def _json(path: Path, text: str) -> Any:
    try:
        return loads(text)
    except BadJson as error:
        raise BadInput(f"{path} is not JSON: {error}; mend it there, or write JSON lines into a .jsonl file") from error


def _json_lines(path: Path, text: str) -> Document:
    """One store on each line; the first one may hold `memtriage` and `name` instead."""
    values: dict[str, Any] = {"stores": []}
    lines: dict[Loc, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = loads(line)
        except BadJson as error:
            raise BadInput(f"{path}, line {number}: not JSON: {error}; write one store on each line") from error
        if not isinstance(row, dict):
            raise BadInput(f"{path}, line {number}: not an object; write one store on each line (docs/own-data.md)")
        if not values["stores"] and len(values) == 1 and row.keys() <= _HEADER:
            values |= row
            lines |= {(key,): number for key in row}
            continue
        lines["stores", len(values["stores"])] = number
        values["stores"].append(row)
    return Document(path, values, lines)


def _toml(path: Path, text: str) -> Any:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is nested too deeply"
        raise BadInput(f"{path} is not TOML: {why}; mend it there") from error


def _yaml(path: Path, text: str) -> tuple[Any, dict[Loc, int]]:
    try:
        import yaml
    except ImportError as error:
        raise BadInput(f"{path}: YAML needs PyYAML (pip install pyyaml); JSON, JSON lines and TOML do not") from error
    if len(text) > _LARGEST_YAML:
        raise BadInput(f"{path} is larger than {_LARGEST_YAML >> 20} MB, too large for YAML; write JSON lines (.jsonl)")
    loader = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
    building = _Building(path)
    try:
        for event in yaml.parse(text, Loader=loader):
            building.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise BadInput(f"{path}{line}: not YAML: {error.problem or error.context}; put texts in quotes") from error
    except yaml.reader.ReaderError as error:
        line_number = text.count("\n", 0, error.position) + 1
        raise BadInput(f"{path}, line {line_number}: a character that YAML does not allow; take it out") from error
    except yaml.YAMLError as error:
        raise BadInput(f"{path}: not YAML: {error}") from error
    return building.value, building.lines


class _Building:
    """Builds dicts, lists and texts out of YAML's events. Aliases, tags and names that come twice are refused."""

    def __init__(self, path: Path) -> None:
        self.value: Any = None
        self.lines: dict[Loc, int] = {}
        self._path = path
        self._open: list[tuple[dict[str, Any] | list[Any], Loc]] = []
        self._key: list[str | None] = []
        self._documents = 0

    def take(self, event: Any) -> None:
        line, kind = event.start_mark.line + 1, type(event).__name__
        if kind == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                self._refuse(line, "a second document begins here (---); keep one document in a file")
        elif kind == "AliasEvent":
            self._refuse(line, f"*{event.anchor} repeats another part of the file; write it out")
        elif kind in ("ScalarEvent", "MappingStartEvent", "SequenceStartEvent"):
            self._begin(event, kind, line)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._open.pop()
            self._key.pop()

    def _begin(self, event: Any, kind: str, line: int) -> None:
        if event.tag not in (None, "!"):
            self._refuse(line, f"the tag {event.tag} is not read; write plain texts, lists and keys")
        if len(self._open) >= _DEEPEST:
            self._refuse(line, f"nested more than {_DEEPEST} deep; check the indentation")
        value: Any = {} if kind == "MappingStartEvent" else [] if kind == "SequenceStartEvent" else _scalar(event)
        at = self._put(value, line)
        if at is not None and kind != "ScalarEvent":
            self._open.append((value, at))
            self._key.append(None)

    def _put(self, value: Any, line: int) -> Loc | None:
        """Put a value where it belongs; None if it is a key."""
        if not self._open:
            self.value = value
            return ()
        holder, at = self._open[-1]
        if isinstance(holder, list):
            at = (*at, len(holder))
            holder.append(value)
        elif (key := self._key[-1]) is None:
            if not isinstance(value, str):
                self._refuse(line, "a key must be a word; put texts with : or - in quotes")
            if value in holder:
                self._refuse(line, f"the key {_short(value)!r} stands twice; keep one of them")
            self._key[-1] = value
            return None
        else:
            at = (*at, key)
            holder[key] = value
            self._key[-1] = None
        self.lines[at] = line
        return at

    def _refuse(self, line: int, why: str) -> None:
        raise BadInput(f"{self._path}, line {line}: {why}")


def _scalar(event: Any) -> str | None:
    return None if event.implicit[0] and event.value in ("", "~", "null") else str(event.value)
