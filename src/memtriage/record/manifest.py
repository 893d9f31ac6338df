"""The manifest of a run, run.json: what the run does and what made it."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from memtriage.core.errors import BadRun
from memtriage.record.journal import write_failed

FORMAT = "memtriage.run/2"
_MANIFEST = frozenset(
    "memtriage created command suites seed ks answers looks systems tasks episodes".split()
)  # what readers and `resume` rely on

Unit = tuple[str, str]
"""One store: a system's label and an episode's id."""


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of the run in a directory; refused where there is none, or one of another version."""
    file = path / "run.json"
    if not file.is_file():
        raise BadRun(f"{path} is not a run directory: it has no run.json")
    try:
        manifest: dict[str, Any] = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise BadRun(f"{file} can't be read: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format", "no format") if isinstance(manifest, dict) else "no manifest"
        raise BadRun(
            f"{file} is of another version ({found}; this memtriage reads {FORMAT}); "
            "use the memtriage that made it, or run again"
        )
    missing = sorted(_MANIFEST - manifest.keys())
    if missing:
        raise BadRun(f"{file} lacks {', '.join(missing)}; put it back, or run again")
    return manifest


def store_names(manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    """The journal's names for each system's stores: its label, and `bm25 #2` and so on where storing is repeated."""
    grading = manifest.get("grading")
    times = grading["repeats"]["ingest"] if grading else 1
    labels = [system["label"] for system in manifest["systems"] or ()]
    return {label: [label if n == 0 else f"{label} #{n + 1}" for n in range(times)] for label in labels}


def hold(path: Path) -> BinaryIO:
    """Lock a run for this process until the returned file is closed."""
    read_manifest(path)
    try:
        file = (path / ".lock").open("wb")
    except OSError as error:
        raise write_failed(path / ".lock", error) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise BadRun(f"{path} is in use by another memtriage; wait for it, or stop it") from error
    return file
