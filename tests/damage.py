"""Files of a run, changed: by accident, or by somebody who seals what they changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from memtriage.host.sealed import open_document, seal_document
from memtriage.record.journal import json_line, records, sealed_lines

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
