"""Filled stores, saved in a run directory, so that a killed run can go on without storing again.

Loading one may run code, as with pickle. So a store is loaded only if it is just as this user saved it on this machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtriage.host import origin
from memtriage.host.files import make_private, read_inside, refuse_odd, write_inside
from memtriage.record.manifest import Unit
from memtriage.systems.adapted import Adapted

_CONTENT = "store"
_RECORD = "saved.json"


def place_of(run: Path, unit: Unit) -> Path:
    """Where the store of a system in an episode is saved."""
    return run / "stores" / hashlib.sha256("\0".join(unit).encode()).hexdigest()[:16]


def save(system: Adapted, place: Path, identity: Mapping[str, Any]) -> None:
    """Save a store; `identity` says which one it is. A kill leaves nothing that would be taken for one."""
    part = place.with_suffix(".part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        make_private(part.parent)
        (part / _CONTENT).mkdir(parents=True)
        system.save(part / _CONTENT)
        record = origin.marked({**identity, "files": _hashes(part / _CONTENT)})
        write_inside(part, _RECORD, json.dumps(record).encode())
        shutil.rmtree(place, ignore_errors=True)
        part.rename(place)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def load(system: Adapted, place: Path, identity: Mapping[str, Any]) -> None:
    """Load a store that `save` saved; ValueError if it is another one, was changed or comes from elsewhere."""
    refuse_odd(place.parent)
    for folder, _, _ in os.walk(place):
        refuse_odd(Path(folder))  # what loads it would follow a link
    record = json.loads(read_inside(place, _RECORD))
    expected = {**identity, "files": _hashes(place / _CONTENT), origin.MARK: record.get(origin.MARK)}
    if record != expected or not origin.made_here(record):
        raise ValueError("it was changed, or saved by somebody else")
    system.load(place / _CONTENT)


def _hashes(folder: Path) -> dict[str, str]:
    """The hashes of all files in a folder and below."""
    files = (Path(at, name) for at, _, names in os.walk(folder) for name in names)
    return {str(file.relative_to(folder)): _hash(file) for file in sorted(files)}


def _hash(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
