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
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter, ValidationError

from memtriage.host.files import open_inside, read_inside
from memtriage.host.sealed import BrokenSeal, open_document, seal_document
from memtriage.record.files import FILES, NEEDED, PACKABLE, PACKED, SEALED, SESSIONS, Damaged, FileSeal, Kind
from memtriage.record.journal import first_problem, records, replace_file
from memtriage.record.lines import PackedPart, hash_of, pack

SEAL = "seal.json"
FORMAT = "memtriage.seal/1"


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

    def records(self, name: str) -> int:
        """How many records a file has, plain and packed."""
        return sum(self.files[each].records for each in (name, name + PACKED) if each in self.files)

    def refuse_other_sizes(self, path: Path, *kinds: Kind) -> None:
        """Refuse files that are missing, cut or too long: a look at their sizes, without reading them."""
        for name in self.files:
            if FILES[name] in kinds:
                self._refuse_other_size(path, name)

    def refuse_other(self, path: Path, name: str) -> None:
        """Refuse a file that is not, in its sealed part, what its run was finished with; this reads it through."""
        self._refuse_other_size(path, name)
        with open_inside(path, name, "r") as file:
            if hash_of(file, self.files[name].bytes) != self.files[name].sha256:
                _name_line(path / name)
                raise Damaged(path / name, f"{SEAL} has another hash for it")

    def refuse_any_other(self, path: Path) -> None:
        """Refuse a run of which any sealed file is not what it was finished with."""
        for name in self.files:
            self.refuse_other(path, name)

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
        plain = {name.removesuffix(PACKED) for name in seal.files}
        if not plain >= NEEDED or not seal.files.keys() <= set(SEALED) or seal.digest != digest:
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
    try:
        left = _name_line(file)
    except Damaged as damaged:
        return damaged
    if left in (0, sealed.records):
        return Damaged(file, f"it has {size} bytes, and {SEAL} says {sealed.bytes}")
    return Damaged(file, f"it has {left} records, and {SEAL} says {sealed.records}")


def _name_line(file: Path) -> int:
    """Name the first line of a file that is not as it was written: Damaged. If all are, returns how many there are."""
    plain = file.name.removesuffix(PACKED)
    if not plain.endswith(".jsonl") or plain == SESSIONS:  # these lines are not sealed: episodes name their hashes
        return 0
    return sum(1 for _ in records(file.with_name(plain)))


def write_seal(path: Path, grading: Mapping[str, Any], written: Mapping[str, FileSeal] | None = None) -> RunSeal:
    """Seal a finished run: count and hash its files as they are now, except for those that were just `written`.

    Files that have become large are packed first.
    """
    for name in PACKABLE:
        pack(path / name, before=lambda: remove_seal(path))  # as it names the plain file
    there = [name for name in SEALED if _belongs(path, name)]
    files = {name: _sealed(path, name, (written or {}).get(name)) for name in there}
    seal = RunSeal(grading, files)
    listed = {name: asdict(file) for name, file in files.items()}
    content = {"format": FORMAT, "digest": seal.digest, "grading": dict(grading), "files": listed}
    replace_file(path / SEAL, seal_document(content))
    return seal


def _belongs(path: Path, name: str) -> bool:
    """Whether a file is part of the run: all that are needed are, so that a missing one is an error."""
    return os.path.lexists(path / name) or (name in NEEDED and not os.path.lexists(path / (name + PACKED)))


def remove_seal(path: Path) -> None:
    """Mark a run as not finished."""
    with suppress(FileNotFoundError):
        os.unlink(path / SEAL)


def _sealed(path: Path, name: str, written: FileSeal | None) -> FileSeal:
    with open_inside(path, name, "r") as file:
        if written is None or written.bytes != os.fstat(file.fileno()).st_size:
            written = _seal_of(file, path / name)
        os.fsync(file.fileno())  # nothing is sealed that a power cut could still take away
    return written


def _seal_of(file: BinaryIO, path: Path) -> FileSeal:
    """The seal of an open file."""
    size = os.fstat(file.fileno()).st_size
    count = 1
    if path.name.endswith(".jsonl"):
        count = sum(block.count(b"\n") for block in iter(partial(file.read, 1 << 20), b""))
    elif path.suffix == PACKED:
        count = sum(1 for _ in PackedPart(path, file).lines())
    return FileSeal(count, size, hash_of(file, size))
