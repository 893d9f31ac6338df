"""The lines of a run's files, plain or packed, and read from any place.

A file that is large when its run is finished is packed: `journal.jsonl` becomes `journal.jsonl.zst`, zstd frames of
whole lines, one after the other (`zstdcat` prints them). A frame can be read without those before it. Places count the
bytes of the lines themselves, so packing changes no place and no seal. What is appended later stands in a plain
`journal.jsonl` again, whose first byte has the place behind the last packed line.
"""

from __future__ import annotations

import hashlib
import io
import os
import threading
from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import zstandard

from memtriage.host.files import open_inside, write_inside
from memtriage.host.processors import processors
from memtriage.host.sealed import BrokenSeal, check_line
from memtriage.record.files import FILES, PACKED, packable

LARGE = 4 << 20
"""A file up to this size stays plain."""

_FRAME = 256 << 10
_MOST = 256 << 20
"""The bytes of a frame: how many are packed together, and how many are ever unpacked at once. A longer line, if there
is one, makes a frame of its own."""

_CACHED_FRAMES = 16
_LEVEL = 3


class BadFrame(ValueError):
    """A part of a packed file that can't be unpacked; `start` is the byte of the lines where it begins."""

    def __init__(self, start: int, why: object) -> None:
        super().__init__(f"it can't be unpacked: {why}")
        self.start = start


class Lines:
    """A file of lines, open for reading; FileNotFoundError if it is there neither plain nor packed.

    `path` is that of the plain file, whether it is there or not.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts: list[PackedPart | PlainPart] = []
        plain = _opened(path)
        try:
            packed = _opened(packed_path(path)) if packable(path.name) else None
            if packed is not None and plain is not None and FILES[path.name] != "appended":
                packed.close()  # it has just been packed, or is about to be written anew
                packed = None
            end = 0
            if packed is not None:
                part = PackedPart(packed_path(path), packed)
                self.parts.append(part)
                end = part.end
            if plain is not None and end and _is_in(plain, end):
                plain.close()
            elif plain is not None:
                self.parts.append(PlainPart(path, plain, end))
        except BaseException:
            if plain is not None:
                plain.close()
            self.close()
            raise
        if not self.parts:
            raise FileNotFoundError(path)

    def lines(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Each line from a place on, with its own place; the last one even if it is unfinished."""
        for part in self.parts:
            yield from part.lines(start)

    def at(self, start: int) -> bytes:
        """The line at a place; empty behind the end."""
        part = next((part for part in reversed(self.parts) if part.start <= start), self.parts[0])
        return part.at(start)

    def part_of(self, start: int) -> Path:
        """The file that a place is in."""
        return next((part.path for part in reversed(self.parts) if part.start <= start), self.path)

    def close(self) -> None:
        for part in self.parts:
            part.file.close()

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PlainPart:
    """A plain file whose first byte has the place `start`."""

    def __init__(self, path: Path, file: BinaryIO, start: int) -> None:
        self.path, self.file, self.start = path, file, start
        self._lock = threading.Lock()

    def lines(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        start = max(start, self.start)
        self.file.seek(start - self.start)
        for line in self.file:
            yield start, line
            start += len(line)

    def at(self, start: int) -> bytes:
        with self._lock:
            self.file.seek(start - self.start)
            return self.file.readline()

    def end_of(self, size: int) -> int:
        """The place behind the first bytes of the file."""
        return self.start + size


@dataclass(frozen=True, slots=True)
class _Frame:
    """A frame: the place and the size of its lines, and where it is in the file."""

    start: int
    size: int
    at: int
    length: int


class PackedPart:
    """A packed file, whose first line has the place 0."""

    start = 0

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path, self.file = path, file
        self._lock = threading.Lock()
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._unpacker = zstandard.ZstdDecompressor()
        self._frames: list[_Frame] = []
        self._broken: BadFrame | None = None
        try:
            for frame in _frames(file.fileno()):
                self._frames.append(frame)
        except BadFrame as broken:  # told to whoever reads as far as this
            self._broken = broken
        self._starts = [frame.start for frame in self._frames]

    @property
    def end(self) -> int:
        """The place behind its last line."""
        return self._frames[-1].start + self._frames[-1].size if self._frames else 0

    def lines(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        for frame in self._frames:
            if frame.start + frame.size <= start:
                continue
            content = io.BytesIO(self._unpacked(frame))
            place = frame.start + content.seek(max(start - frame.start, 0))
            for line in content:
                yield place, line
                place += len(line)
        if self._broken is not None:
            raise self._broken

    def at(self, start: int) -> bytes:
        number = bisect_right(self._starts, start) - 1
        if number < 0 or start >= self.end:
            raise self._broken or BadFrame(start, "it ends before")
        with self._lock:
            content = self._cache.pop(number, None)
            if content is None:
                content = self._unpacked(self._frames[number])
            self._cache[number] = content
            if len(self._cache) > _CACHED_FRAMES:
                self._cache.popitem(last=False)
        offset = start - self._starts[number]
        return content[offset : content.find(b"\n", offset) + 1]

    def end_of(self, size: int) -> int:
        """The place behind the last frame that ends within the first bytes of the file."""
        return max((frame.start + frame.size for frame in self._frames if frame.at + frame.length <= size), default=0)

    def _unpacked(self, frame: _Frame) -> bytes:
        try:
            content = self._unpacker.decompress(
                os.pread(self.file.fileno(), frame.length, frame.at), max_output_size=frame.size
            )
        except zstandard.ZstdError as error:
            raise BadFrame(frame.start, error) from error
        if len(content) != frame.size or not content.endswith(b"\n"):
            raise BadFrame(frame.start, "it doesn't hold what it says")
        return content


def packed_path(path: Path) -> Path:
    """Where the lines of a file are when they are packed."""
    return path.with_name(path.name + PACKED)


def appended_at(path: Path, file: BinaryIO) -> int:
    """The place of a plain file's first byte; what has been packed already is taken out of it."""
    packed = _opened(packed_path(path)) if packable(path.name) else None
    if packed is None:
        return 0
    with packed:
        end = PackedPart(packed_path(path), packed).end
    if _is_in(file, end):
        file.truncate(0)
    return end


def pack(path: Path, before: Callable[[], None]) -> None:
    """Pack a file's lines, if they are many; `before` is called first.

    The plain file is removed last, so that no line is missing at any time.
    """
    plain = _opened(path)
    if plain is None:
        return
    with plain:
        if os.fstat(plain.fileno()).st_size <= LARGE:
            return
        before()
        packed = _opened(packed_path(path)) if FILES[path.name] == "appended" else None
        if packed is None:
            write_inside(path.parent, packed_path(path).name, _packed(plain), masked=False)
        else:
            with packed:
                end = PackedPart(packed_path(path), packed).end
                kept = iter(partial(packed.read, 1 << 20), b"")
                added: Iterable[bytes] = () if _is_in(plain, end) else _packed(plain)
                plain.seek(0)
                write_inside(path.parent, packed_path(path).name, chain(kept, added), masked=False)
    with suppress(FileNotFoundError):
        path.unlink()


def pack_bytes(content: bytes) -> bytes:
    """A frame of its own."""
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(content)


def unpack_bytes(packed: bytes) -> bytes:
    """What is in a frame; ValueError if it is damaged, or larger than any of ours."""
    try:
        size = zstandard.get_frame_parameters(packed).content_size
        if size > _MOST:
            raise ValueError(f"it can't be unpacked: {size} bytes are too many")
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=size, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise ValueError(f"it can't be unpacked: {error}") from error


def hash_of(file: BinaryIO, size: int) -> str:
    """The hash of the first bytes of a file."""
    digest = hashlib.sha256()
    file.seek(0)
    while size > 0 and (block := file.read(min(size, 1 << 20))):
        digest.update(block)
        size -= len(block)
    return digest.hexdigest()


def _opened(path: Path) -> BinaryIO | None:
    try:
        return open_inside(path.parent, path.name, "r")
    except FileNotFoundError:
        return None


def _is_in(plain: BinaryIO, end: int) -> bool:
    """Whether all lines of a plain file are the last ones of the packed one, which has `end` bytes of lines.

    That is so after a kill between packing them and removing the plain file. Seals tell, as they hold the place.
    """
    plain.seek(0)
    first, size = plain.readline(), os.fstat(plain.fileno()).st_size
    return bool(first) and size <= end and not _fits(first, end) and _fits(first, end - size)


def _fits(line: bytes, start: int) -> bool:
    try:
        check_line(line, start)
    except BrokenSeal:
        return False
    return True


def _packed(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Frames of whole lines, packed by all processors."""
    count = processors()
    with ThreadPoolExecutor(count) as pool:  # the packer lets other threads go on
        waiting: deque[Future[bytes]] = deque()
        for content in _framed(lines):
            waiting.append(pool.submit(pack_bytes, content))
            if len(waiting) > 2 * count:
                yield waiting.popleft().result()
        for frame in waiting:
            yield frame.result()


def _framed(lines: Iterable[bytes]) -> Iterator[bytes]:
    """What goes into each frame."""
    some: list[bytes] = []
    size = 0
    for line in lines:
        some.append(line)
        size += len(line)
        if size >= _FRAME:
            yield b"".join(some)
            some, size = [], 0
    if some:
        yield b"".join(some)


def _frames(file: int) -> Iterator[_Frame]:
    """The frames of a packed file, from their headers alone."""
    at, start, end = 0, 0, os.fstat(file).st_size
    while at < end:
        header = os.pread(file, 18, at)
        try:
            told = zstandard.get_frame_parameters(header)
            length = zstandard.frame_header_size(header)
        except zstandard.ZstdError as error:
            raise BadFrame(start, error) from error
        if not 0 < told.content_size <= _MOST or told.dict_id:
            raise BadFrame(start, "a frame of another kind")
        last = False
        while not last:
            block = int.from_bytes(os.pread(file, 3, at + length), "little")
            last, kind = bool(block & 1), block >> 1 & 3
            length += 3 + (1 if kind == 1 else block >> 3)
            if at + length > end:
                raise BadFrame(start, "it is cut off")
        length += 4 * told.has_checksum
        yield _Frame(start, told.content_size, at, length)
        at, start = at + length, start + told.content_size
