"""The manifest of a run, run.json: what the run does and what made it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from memtriage.core.errors import BadRun
from memtriage.host.files import NotPlain, clear_leftovers, open_inside, read_inside, refuse_odd
from memtriage.host.sealed import BrokenSeal, open_document
from memtriage.record.files import Damaged
from memtriage.record.journal import first_problem, write_failed

FORMAT = "memtriage.run/4"
_READ = (FORMAT, "memtriage.run/3")
"""Version 3 packed nothing, and wrote every list out."""

LOCK = ".lock"

Unit = tuple[str, str]
"""One store: a system's label and an episode's id."""

_MOST_REPEATS = 10_000

_Count = Annotated[int, Field(ge=0)]
_Repeats = Annotated[int, Field(ge=1, le=_MOST_REPEATS)]


class _Episode(TypedDict):
    id: str
    task: str
    file: str
    sha256: str
    sessions: _Count
    facts: _Count
    probes: _Count


class _System(TypedDict):
    label: str
    reading: NotRequired[str | None]


class _Task(TypedDict):
    """What a suite says of its data; there is always more."""

    source: NotRequired[str]
    problems: NotRequired[list[Any] | None]


class _AllRepeats(TypedDict):
    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    ingest: _Repeats
    answer: _Repeats
    judge: _Repeats


class _Grading(TypedDict):
    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    answer: str
    judge: str
    paper_exact: bool
    repeats: _AllRepeats
    reading: str
    cant_tell: bool


class _Manifest(TypedDict):
    """What readers and `resume` rely on; there may be more."""

    memtriage: str
    created: str
    command: str
    suites: list[str]
    seed: int
    ks: list[int | str]
    answers: bool
    looks: _Count
    systems: list[_System]
    tasks: dict[str, _Task]
    episodes: list[_Episode]
    grading: NotRequired[_Grading | None]
    models: NotRequired[dict[str, str] | None]
    dates: NotRequired[dict[str, bool] | None]


_MANIFEST = TypeAdapter(_Manifest)


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of the run in a directory; refused where there is none, or one of another version."""
    file = path / "run.json"
    try:
        raw = read_inside(path, "run.json")
        manifest: dict[str, Any] = json.loads(raw)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadRun(no_run(path)) from error
    except OSError as error:
        raise BadRun(f"{file} can't be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise Damaged(file, f"it is no JSON: {error}" if raw.strip() else "it is empty") from error
    if not isinstance(manifest, dict) or manifest.get("format") not in _READ:
        found = manifest.get("format", "no format") if isinstance(manifest, dict) else "no manifest"
        raise BadRun(
            f"{file} is of another version ({found}; this memtriage reads {FORMAT}); "
            "use the memtriage that made it, or run again"
        )
    try:
        manifest = open_document(raw)
    except BrokenSeal as broken:
        raise Damaged(file, broken) from broken
    try:
        _MANIFEST.validate_python(manifest, strict=True)
    except ValidationError as error:
        raise Damaged(file, first_problem(error)) from error
    return manifest


def no_run(path: Path) -> str:
    """What is said of a place that holds no run."""
    if not path.exists():
        return f"{path} is not there; name the folder of a run (`memtriage run` prints it at its end)"
    return f"{path} is not a run directory: it has no run.json"


def store_names(manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    """The journal's names for each system's stores: its label, and `bm25 #2` and so on where storing is repeated."""
    grading = manifest.get("grading")
    times = grading["repeats"]["ingest"] if grading else 1
    labels = [system["label"] for system in manifest["systems"]]
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
        except BlockingIOError as error:
            file.close()
            raise BadRun(f"{path} is in use by another memtriage; wait for it, or stop it") from error
        except OSError as error:
            file.close()
            raise BadRun(f"{path} can't be locked ({error.strerror}); choose a folder on another disk") from error
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # its last holder has just removed it, with all that was there
