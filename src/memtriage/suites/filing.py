"""What suites share that keep data files: their hashes, files as they are made, and beside them what made them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from threading import Thread

from memtriage.disk import why, write_whole
from memtriage.errors import BadInput
from memtriage.provenance import commit

_BLOCK = 1 << 23
"""Bytes that are hashed at once: beside other work, each block waits its turn twice."""


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest, block = hashlib.sha256(), bytearray(min(_BLOCK, path.stat().st_size + 1))
    with path.open("rb", buffering=0) as file, memoryview(block) as view:
        while count := file.readinto(block):
            digest.update(view[:count])
    return digest.hexdigest()


class Hashing:
    """The SHA-256 of a file, worked out while something else goes on; nobody has to wait for it to end.

    >>> hashing = Hashing(Path("longmemeval_m.json"))     # doctest: +SKIP
    >>> hashing.result()                                  # doctest: +SKIP
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._result: str | OSError = ""
        self._thread = Thread(target=self._work, name=f"sha256 {path.name}", daemon=True)
        self._thread.start()

    def result(self) -> str:
        """The hash, as soon as it is known."""
        self._thread.join()
        if isinstance(self._result, OSError):
            raise BadInput(f"{self._path} can't be read: {why(self._result)}") from self._result
        return self._result

    def _work(self) -> None:
        try:
            self._result = sha256(self._path)
        except OSError as error:
            self._result = error


def now() -> str:
    """This moment as records give it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_file(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Put a file in place in one step, so that a crash or a full disk leaves the old one or none."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise BadInput(f"{path} could not be written: {why(error)}") from error


def write_record(path: Path, record: Mapping[str, object]) -> None:
    """Write what is known of data files beside them, as JSON."""
    write_file(path, (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode())


def file_away(suite: str, path: Path, config: Path, pieces: Iterable[bytes], told: Mapping[str, object]) -> list[Path]:
    """Write a data file piece by piece, and a record of what made it; gives both paths."""
    digest = hashlib.sha256()

    def passing() -> Iterator[bytes]:
        for piece in pieces:
            digest.update(piece)
            yield piece

    write_file(path, passing())
    write_record(config, {**made_by(suite), **told, "output": path.name, "sha256": digest.hexdigest()})
    return [path, config]


def made_by(suite: str) -> dict[str, object]:
    """What a data file records about its maker."""
    return {
        "timestamp": now(),
        "git_commit": commit(),
        "generator": f"memtriage {suite}",
        "generator_version": version("memtriage"),
    }
