"""The manifest of a run, run.json: what the run does and what made it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from memtriage.core.errors import BadRun
from memtriage.host.files import NotPlain, clear_leftovers, open_inside, read_inside, refuse_odd
from memtriage.host.sealed import BrokenSeal, open_document
from memtriage.record.journal import write_failed

FORMAT = "memtriage.run/3"
LOCK = ".lock"
_MANIFEST = frozenset(
    "memtriage created command suites seed ks answers looks systems tasks episodes".split()
)  # what readers and `resume` rely on

Unit = tuple[str, str]
"""One store: a system's label and an episode's id."""


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of the run in a directory; refused where there is none, or one of another version."""
    file = path / "run.json"
    try:
        raw = read_inside(path, "run.json")
        manifest: dict[str, Any] = json.loads(raw)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadRun(f"{path} is not a run directory: it has no run.json") from error
    except (OSError, ValueError, RecursionError) as error:
        raise BadRun(f"{file} can't be read: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format", "no format") if isinstance(manifest, dict) else "no manifest"
        raise BadRun(
            f"{file} is of another version ({found}; this memtriage reads {FORMAT}); "
            "use the memtriage that made it, or run again"
        )
    try:
        manifest = open_document(raw)
    except BrokenSeal as broken:
        raise BadRun(f"{file} was changed ({broken}); put it back, or run again") from broken
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
    """Lock a run for this process until the returned file is closed, and clear what a killed one left in it."""
    read_manifest(path)
    file = claim(path)
    clear_leftovers(path, "episodes")
    for part in (path / "stores").glob("*.part"):  # stores that were being saved
        shutil.rmtree(part, ignore_errors=True)
    return file


def claim(path: Path) -> BinaryIO:
    """Lock a directory for this process until the returned file is closed; it is made if it is not there.

    A directory in which anything is not a plain file or folder is refused, as writing there would lead elsewhere.
    """
    while True:
        try:
            file = open_inside(path, LOCK, "a")
        except OSError as error:
            raise write_failed(path / LOCK, error) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            refuse_odd(path, "episodes")
        except NotPlain:
            file.close()
            raise
        except OSError as error:
            file.close()
            raise BadRun(f"{path} is in use by another memtriage; wait for it, or stop it") from error
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # its last holder has just removed it, with all that was there
