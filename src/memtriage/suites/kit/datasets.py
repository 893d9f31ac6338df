"""Data files of suites: their hashes, writing them, and the records beside them of how they were made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from threading import Thread

from memtriage.core.errors import BadInput
from memtriage.host.files import failure_reason, write_whole
from memtriage.host.inputs import open_input
from memtriage.host.version import commit

_BLOCK = 1 << 23
"""Bytes that are hashed at once: beside other work, each block waits its turn twice."""


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    return _hashed(path)[0]


def _hashed(path: Path) -> tuple[str, int]:
    """The SHA-256 of a file, and how many bytes it has."""
    digest, block, size = hashlib.sha256(), bytearray(min(_BLOCK, path.stat().st_size + 1)), 0
    with open_input(path).detach() as file, memoryview(block) as view:
        while count := file.readinto(block):
            digest.update(view[:count])
            size += count
    return digest.hexdigest(), size


class Hashing:
    """The SHA-256 of a file and its size, worked out in the background.

    >>> hashing = Hashing(Path("longmemeval_m.json"))     # doctest: +SKIP
    >>> sha256, size = hashing.result()                   # doctest: +SKIP
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._result: tuple[str, int] | None = None
        self._error: Exception | None = None
        self._thread = Thread(target=self._work, name=f"sha256 {path.name}", daemon=True)
        self._thread.start()

    def result(self) -> tuple[str, int]:
        """The hash and the number of bytes that were hashed, as soon as they are known."""
        self._thread.join()
        if self._result is None:
            reason = failure_reason(self._error) if isinstance(self._error, OSError) else self._error
            raise BadInput(f"{self._path} can't be read: {reason}") from self._error
        return self._result

    def _work(self) -> None:
        try:
            self._result = _hashed(self._path)
        except Exception as error:
            self._error = error


def now() -> str:
    """This moment as records give it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_file(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Put a file in place in one step, so that a crash or a full disk leaves the old one or none."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise BadInput(f"{path} could not be written: {failure_reason(error)}") from error


def write_record(path: Path, record: Mapping[str, object]) -> None:
    """Write what is known of data files beside them, as JSON."""
    write_file(path, (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode())


def write_data_file(
    suite: str, path: Path, config: Path, pieces: Iterable[bytes], about: Mapping[str, object]
) -> list[Path]:
    """Write a data file piece by piece, and a record of how it was made; returns both paths."""
    digest = hashlib.sha256()

    def passing() -> Iterator[bytes]:
        for piece in pieces:
            digest.update(piece)
            yield piece

    write_file(path, passing())
    write_record(config, {**generator_record(suite), **about, "output": path.name, "sha256": digest.hexdigest()})
    return [path, config]


def json_list(records: Iterable[object]) -> Iterator[bytes]:
    """A JSON list with a record on each line, one at a time.

    >>> b"".join(json_list([{"a": 1}, {"b": 2}]))
    b'[\\n{"a": 1},\\n{"b": 2}\\n]\\n'
    """
    start = "[\n"
    for record in records:
        yield (start + json.dumps(record, ensure_ascii=False)).encode()
        start = ",\n"
    yield b"\n]\n"


def generator_record(suite: str) -> dict[str, object]:
    """What the record of a data file says about the generator."""
    return {
        "timestamp": now(),
        "git_commit": commit(),
        "generator": f"memtriage {suite}",
        "generator_version": version("memtriage"),
    }
