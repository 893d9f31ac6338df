"""Files of a run, changed: by accident, or by somebody who seals what they changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from fuzz import damaged_values
from memtriage.host.sealed import open_document, seal_document
from memtriage.record.journal import json_line, records, sealed_lines
from memtriage.record.seal import write_seal

MANIFEST: Mapping[str, Any] = {
    **dict.fromkeys(("memtriage", "created", "command"), ""),
    **{"suites": [], "seed": 0, "ks": [5], "answers": False, "looks": 0, "tasks": {}, "systems": [{"label": "sys"}]},
}
"""The least that a run.json says."""


def unfinished(run: Path) -> Path:
    """Make a finished run one that was killed before it was sealed."""
    (run / "seal.json").unlink()
    return run


def edit_document(file: Path, **changes: Any) -> None:
    """Change a sealed JSON file and seal it again."""
    file.write_bytes(seal_document({**open_document(file.read_bytes()), **changes}))


def edit_lines(file: Path, edit: Callable[[list[dict[str, Any]]], Iterable[Any] | None]) -> None:
    """Change the records of a file of sealed lines, in place or as what `edit` returns, and seal them again."""
    found = [record for _, record in records(file)]
    file.write_bytes(b"".join(sealed_lines(map(json_line, edit(found) or found))))


def nonsense(run: Path, rng: Random) -> str:
    """Put nonsense into one record of a finished run and seal everything anew, as somebody who knows how; says where.

    Returns an empty text where chance made nothing that could be sealed.
    """
    file = rng.choice(sorted([*run.glob("*.jsonl"), *run.glob("episodes/*.json"), run / "run.json"]))
    try:
        if file.suffix == ".jsonl" and file.name != "sessions.jsonl":
            found = [record for _, record in records(file)]
            number = rng.randrange(len(found))
            found[number] = _nonsense(found[number], rng)
            file.write_bytes(b"".join(sealed_lines(map(json_line, found))))
        elif file.name == "run.json":
            file.write_bytes(seal_document(_nonsense(open_document(file.read_bytes()), rng)))
        else:
            lines = file.read_bytes().splitlines(keepends=True)
            number = rng.randrange(len(lines))
            lines[number] = json_line(_nonsense(json.loads(lines[number]), rng))
            file.write_bytes(b"".join(lines))
            listed = open_document((run / "run.json").read_bytes())["episodes"]
            for entry in listed:
                entry["sha256"] = hashlib.sha256((run / "episodes" / entry["file"]).read_bytes()).hexdigest()
            edit_document(run / "run.json", episodes=listed)
        write_seal(run, {})
    except (ValueError, TypeError, RecursionError):
        return ""
    return str(file)


def _nonsense(record: dict[str, Any], rng: Random) -> dict[str, Any]:
    changed = json.loads(damaged_values(json.dumps(record).encode(), rng))
    if not isinstance(changed, dict):
        raise ValueError("a record is an object")
    return changed
