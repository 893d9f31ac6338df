"""Find the runs below some folders, and say how each of them stands."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memtriage.core.errors import BadInput, MemtriageError
from memtriage.record.manifest import LOCK
from memtriage.record.reader import RunReader
from memtriage.record.seal import SEAL
from memtriage.record.verdicts import VERDICTS

State = Literal["finished", "running", "stopped", "broken"]

_DEEPEST = 4
"""How many folders below the ones that were named runs are looked for; those of a sweep are two below it."""

_LOOKED_AT = ("run.json", SEAL, VERDICTS)
"""The files whose size and time say whether a run has to be looked at again."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A run as the list shows it; `reason` says what is wrong with a broken one."""

    id: str
    path: Path
    name: str
    state: State
    reason: str = ""
    created: str = ""
    suites: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    ks: tuple[int | str, ...] = ()
    verdicts: int = 0
    digest: str = ""


class Runs:
    """The runs below some folders, listed anew whenever they are asked for; only what changed is read again."""

    def __init__(self, roots: Sequence[Path]) -> None:
        for root in roots:
            if not root.is_dir():
                raise BadInput(f"{root} is not a folder; name a run directory, or a folder that holds some")
        self._roots = [root.resolve() for root in roots]
        self._seen: dict[Path, tuple[tuple[Any, ...], Listed]] = {}

    def listed(self) -> list[Listed]:
        """All runs, the newest first; those that can't be read come last."""
        found = {path: self._look(path, name) for root in self._roots for path, name in _below(root, root, _DEEPEST)}
        by_name = sorted(found.values(), key=lambda run: run.name)
        return sorted(by_name, key=lambda run: (run.state != "broken", run.created), reverse=True)

    def get(self, id: str) -> Listed | None:
        """The run with this id, if it is among those that are listed."""
        known = {run.id: run for _, run in list(self._seen.values())}
        if id in known and known[id].path.is_dir():
            return self._look(known[id].path, known[id].name)
        return next((run for run in self.listed() if run.id == id), None)

    def _look(self, path: Path, name: str) -> Listed:
        mark = (*(_mark(path / file) for file in _LOOKED_AT), not (path / SEAL).exists() and _is_locked(path))
        seen = self._seen.get(path)
        if seen is None or seen[0] != mark:
            seen = self._seen[path] = (mark, _read(path, name))
        return seen[1]


def _below(folder: Path, root: Path, depth: int) -> Iterator[tuple[Path, str]]:
    """The runs in a folder with their names; a link is not followed, and what can't be opened holds none."""
    if (folder / "run.json").is_file():
        yield folder, folder.name if folder == root else folder.relative_to(root).as_posix()
        return
    if not depth:
        return
    try:
        inside = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in inside:
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from _below(Path(entry.path), root, depth - 1)


def _read(path: Path, name: str) -> Listed:
    id = f"{_slug(path.name)}-{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}"
    try:
        with RunReader(path) as reader:
            manifest, seal = reader.manifest, reader.seal
            if seal is not None:
                seal.refuse_other_sizes(path, "result")
    except (MemtriageError, OSError) as error:
        return Listed(id, path, name, "broken", str(error))
    state: State = "finished" if seal else "running" if _is_locked(path) else "stopped"
    return Listed(
        *(id, path, name, state),
        **_told(manifest),
        verdicts=seal.records(VERDICTS) if seal else 0,
        digest=seal.digest if seal else "",
    )


def _told(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "created": manifest["created"],
        "suites": tuple(manifest["suites"]),
        "systems": tuple(system["label"] for system in manifest["systems"]),
        "ks": tuple(manifest["ks"]),
    }


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "run"


def _mark(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _is_locked(path: Path) -> bool:
    """Whether a process is at work in a run. The kernel's list tells, as trying the lock could get in its way."""
    try:
        inode = (path / LOCK).stat().st_ino
        locks = Path("/proc/locks").read_text(encoding="ascii")
    except OSError:
        return False
    return any(
        line.split()[1] == "FLOCK" and line.split()[5].rpartition(":")[2] == str(inode) for line in locks.splitlines()
    )
