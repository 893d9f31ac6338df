"""The seal of a finished run, seal.json: what came of it, and one digest over all of it.

run.json says what was to be done. A run without a seal is not finished. The digest is a hash of what `sha256sum` prints
for the sealed files in the order of their names, and of the grading on a line of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter, ValidationError

from memtriage.host.files import open_inside, read_inside
from memtriage.host.sealed import BrokenSeal, open_document, seal_document
from memtriage.record.files import FILES, NEEDED, SEALED, SESSIONS, Damaged, Kind
from memtriage.record.journal import first_problem, records, replace_file

SEAL = "seal.json"
FORMAT = "memtriage.seal/1"


@dataclass(frozen=True, slots=True)
class FileSeal:
    """A file as it was when its run was finished."""

    records: int
    bytes: int
    sha256: str


class LineSeal:
    """The seal of a file of lines, made while these are written, so that it need not be read for that."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._records = self._bytes = 0

    def over(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The same lines."""
        for line in lines:
            self._add(line)
            yield line

    def _add(self, line: bytes) -> None:
        self._digest.update(line)
        self._records += 1
        self._bytes += len(line)

    def file(self) -> FileSeal:
        """The file so far."""
        return FileSeal(self._records, self._bytes, self._digest.hexdigest())


@dataclass(frozen=True, slots=True)
class RunSeal:
    """What a run had come to when it was finished; `grading` made its verdicts."""

    grading: Mapping[str, Any]
    files: Mapping[str, FileSeal]

    @property
    def digest(self) -> str:
        """One hash of everything: two runs with the same digest are the same, byte for byte."""
        listed = "".join(f"{self.files[name].sha256}  {name}\n" for name in sorted(self.files))
        grading = json.dumps(self.grading, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(f"{listed}{grading}\n".encode()).hexdigest()

    def refuse_other_sizes(self, path: Path, *kinds: Kind) -> None:
        """Refuse files that are missing, cut or too long: a look at their sizes, without reading them."""
        for name in self.files:
            if FILES[name] in kinds:
                self._refuse_other_size(path, name)

    def refuse_other(self, path: Path, name: str) -> None:
        """Refuse a file that is not, in its sealed part, what its run was finished with; this reads it through."""
        self._refuse_other_size(path, name)
        with open_inside(path, name, "r") as file:
            if _seal_of(file, name, self.files[name].bytes) != self.files[name]:
                raise Damaged(path / name, f"{SEAL} has another hash for it")

    def _refuse_other_size(self, path: Path, name: str) -> None:
        sealed = self.files[name]
        try:
            with open_inside(path, name, "r") as file:
                size = os.fstat(file.fileno()).st_size
        except FileNotFoundError:
            raise Damaged(path / name, "it is missing") from None
        if size < sealed.bytes or (size > sealed.bytes and FILES[name] != "appended"):
            raise _other_size(path / name, size, sealed)


_SEAL = TypeAdapter(RunSeal)


def read_seal(path: Path) -> RunSeal | None:
    """The seal of the run in a directory; None if it is not finished."""
    try:
        content = open_document(read_inside(path, SEAL))
        digest = content.pop("digest", None)
        if content.pop("format", None) != FORMAT:
            raise BrokenSeal(f"it is not of the format {FORMAT}")
        seal = _SEAL.validate_python(content)
        if not NEEDED <= seal.files.keys() <= set(SEALED) or seal.digest != digest:
            raise BrokenSeal("its digest is not that of its files")
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise Damaged(path / SEAL, first_problem(error)) from error
    except BrokenSeal as error:
        raise Damaged(path / SEAL, error) from error
    return seal


def _other_size(file: Path, size: int, sealed: FileSeal) -> Damaged:
    """The error for a file of another size, which names the first record that is not as it was, if there is one."""
    left = 0
    if file.suffix == ".jsonl" and file.name != SESSIONS:  # these lines are not sealed: episodes name their hashes
        try:
            left = sum(1 for _ in records(file))
        except Damaged as damaged:
            return damaged
    if left in (0, sealed.records):
        return Damaged(file, f"it has {size} bytes, and {SEAL} says {sealed.bytes}")
    return Damaged(file, f"it has {left} records, and {SEAL} says {sealed.records}")


def write_seal(path: Path, grading: Mapping[str, Any], written: Mapping[str, FileSeal] | None = None) -> RunSeal:
    """Seal a finished run: count and hash its files as they are now, except for those that were just `written`."""
    there = [name for name in SEALED if name in NEEDED or os.path.lexists(path / name)]
    files = {name: _sealed(path, name, (written or {}).get(name)) for name in there}
    seal = RunSeal(grading, files)
    listed = {name: asdict(file) for name, file in files.items()}
    content = {"format": FORMAT, "digest": seal.digest, "grading": dict(grading), "files": listed}
    replace_file(path / SEAL, seal_document(content))
    return seal


def remove_seal(path: Path) -> None:
    """Mark a run as not finished."""
    with suppress(FileNotFoundError):
        os.unlink(path / SEAL)


def _sealed(path: Path, name: str, written: FileSeal | None) -> FileSeal:
    with open_inside(path, name, "r") as file:
        if written is None or written.bytes != os.fstat(file.fileno()).st_size:
            written = _seal_of(file, name)
        os.fsync(file.fileno())  # nothing is sealed that a power cut could still take away
    return written


def _seal_of(file: BinaryIO, name: str, size: int | None = None) -> FileSeal:
    """The seal of an open file, or of its first `size` bytes."""
    digest, records, bytes = hashlib.sha256(), 0, 0
    while block := file.read(1 << 20 if size is None else min(1 << 20, size - bytes)):
        digest.update(block)
        records += block.count(b"\n")
        bytes += len(block)
    return FileSeal(records if name.endswith(".jsonl") else 1, bytes, digest.hexdigest())
