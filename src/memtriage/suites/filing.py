"""What suites share that write data files: the file as it is made, and beside it what made it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from memtriage.disk import why, write_whole
from memtriage.errors import BadInput
from memtriage.provenance import commit


def file_away(suite: str, path: Path, config: Path, pieces: Iterable[bytes], told: Mapping[str, object]) -> list[Path]:
    """Write a data file piece by piece, and a record of what made it; gives both paths."""
    digest = hashlib.sha256()

    def passing() -> Iterator[bytes]:
        for piece in pieces:
            digest.update(piece)
            yield piece

    try:
        write_whole(path, passing())
        about = {**made_by(suite), **told, "output": path.name, "sha256": digest.hexdigest()}
        write_whole(config, (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise BadInput(f"{path} could not be written: {why(error)}") from error
    return [path, config]


def made_by(suite: str) -> dict[str, object]:
    """What a data file records about its maker."""
    return {
        "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
        "git_commit": commit(),
        "generator": f"memtriage {suite}",
        "generator_version": version("memtriage"),
    }
