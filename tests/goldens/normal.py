"""What of an output is behaviour, and what is time, place or machine: the latter is struck out before hashing."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

STRUCK = "~"

MEASURED = frozenset(
    "seconds ingest_seconds query_seconds store_seconds retrieve_seconds construction construction_sd retrieval "
    "retrieval_sd answering answering_sd execution execution_sd peak_bytes seen".split()
)
"""Keys whose numbers are seconds or bytes of memory, or say how often these could be seen."""

MAKER = frozenset(
    "origin created memtriage commit git_commit python packages prices command generator_version counted_by".split()
)
"""Keys that say when, by whom and how, by which memtriage, and with which packages and prices something was made."""

BILLED = frozenset("sent paid unpaid bill_bytes".split())
"""Keys of a bill that follow from the port of a server, and from how often a request was put another way."""

_PORT = re.compile(r"(127\.0\.0\.1|localhost):\d+")
_TIME = re.compile(r"\b\d+(\.\d+)? m?s\b")
_MODULE = re.compile(r"^(\w+\.)+")
_DIGITS = 9
"""Significant digits of a number that are compared; the rest may differ between machines."""


class Normal:
    """Strikes out what may differ, and adds up the scores of what was retrieved, which are compared as a sum."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = sorted(places.items(), key=lambda place: -len(place[0]))
        self.scores = 0.0

    def text(self, text: str, timed: bool = False) -> str:
        """A text without ports and folders; of one that tells times also without these, and the blanks beside them."""
        for path, name in self._places:
            text = text.replace(path, name)
        text = _PORT.sub(r"\1:PORT", text)
        return re.sub(" +", " ", _TIME.sub("TIME", text)) if timed else text

    def value(self, value: Any, key: str = "") -> Any:
        """A value as read from JSON, with what may differ struck out."""
        if key in MAKER | BILLED or (key in MEASURED and (value is None or isinstance(value, int | float))):
            return STRUCK
        if isinstance(value, Mapping):
            return {self.text(name): self._member(value, name) for name in value if name != "seal"}  # it covers times
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if isinstance(value, float):
            return rounded(value)
        if isinstance(value, str):
            return self.text(_MODULE.sub("", value) if key == "class" else value, timed=key in MEASURED)
        return value

    def _member(self, owner: Mapping[str, Any], name: str) -> Any:
        value = owner[name]
        if name == "score" and isinstance(value, float) and owner.keys() & {"rank", "key", "text"}:
            self.scores += value
            return STRUCK
        return self.value(value, name)


def rounded(number: float) -> float | str:
    """A number with the digits that count.

    >>> rounded(0.1 + 0.2), rounded(2.0), rounded(float("nan"))
    (0.3, 2.0, 'nan')
    """
    if not math.isfinite(number):
        return str(number)
    return float(f"{number:.{_DIGITS}g}")


def canonical(value: Any) -> str:
    """A value as text, the same for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def sha256(text: str | bytes) -> str:
    """The hash of a text or of bytes."""
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")).hexdigest()


def short(value: Any) -> str:
    """A hash to tell parts apart by."""
    return sha256(canonical(value))[:8]


def lines(path: Path) -> list[Any]:
    """The objects of a file of JSON lines, packed or not."""
    packed = path.with_name(f"{path.name}.zst")
    parts = [] if packed.exists() and not path.exists() else [path.read_bytes()]
    if packed.exists():
        with zstandard.ZstdDecompressor().stream_reader(packed.read_bytes(), read_across_frames=True) as file:
            parts.insert(0, file.read())
    return [json.loads(line) for line in b"".join(parts).decode("utf-8").split("\n") if line]


def columns(rows: Sequence[Any]) -> dict[str, str]:
    """A short hash of each column of some records, so that a difference can be placed."""
    names = sorted({name for row in rows if isinstance(row, Mapping) for name in row})
    return {name: short([row.get(name) for row in rows if isinstance(row, Mapping)]) for name in names}


def digest(value: Any) -> dict[str, Any]:
    """The hash of a value, with short hashes of its parts."""
    parts: dict[str, Any] = {}
    if isinstance(value, Mapping):
        for name, part in value.items():
            if isinstance(part, list) and part and isinstance(part[0], Mapping):
                parts[f"{name}[]"] = {"rows": len(part), **columns(part)}
            else:
                parts[name] = short(part)
    elif isinstance(value, list):
        parts = {"rows": len(value), **columns(value)}
    return {"sha256": sha256(canonical(value)), "parts": parts}


def shape(values: Iterable[Any]) -> list[str]:
    """The key paths of some JSON values, each with the types found there; keys that are names of things are stars."""
    found: dict[str, set[str]] = {}

    def walk(value: Any, path: str) -> None:
        if isinstance(value, Mapping):
            found.setdefault(path, set()).add("object")
            for name, each in value.items():
                key = name if name.isidentifier() else "*"
                walk(each, f"{path}.{key}" if path else key)
        elif isinstance(value, list):
            found.setdefault(path, set()).add("list")
            for each in value:
                walk(each, f"{path}[]")
        else:
            names = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}
            found.setdefault(path, set()).add("any" if value == STRUCK else names[type(value)])

    for value in values:
        walk(value, "")
    return sorted(f"{path}: {'|'.join(sorted(types))}" for path, types in found.items() if path)


def verdict_counts(verdicts: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """How often each verdict was given, by task, system and k."""
    found: dict[str, Counter[str]] = {}
    for one in verdicts:
        found.setdefault(f"{one['task']} {one['system']} k={one['k']}", Counter())[one["verdict"]] += 1
    return {name: dict(sorted(counts.items())) for name, counts in sorted(found.items())}
