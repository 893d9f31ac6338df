"""Files of episodes: find them, read one episode at a time, write them.

A file is a JSON list. Whole episodes bring their chats (`meme_filler32k.json`, and what this project writes); bare ones
(`episodes_*.json`) have their gold facts in a file beside them (`gold_facts_*.json`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, load_at, open_input
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.meme.released.reader import Object, domain_of, episode_id, read_skeleton
from memtriage.suites.meme.released.sessions import ReleasedEpisode, read_episode
from memtriage.suites.meme.skeleton import Skeleton

BARE, GOLD = "episodes", "gold_facts"
"""How the files of bare episodes and of their gold facts begin."""

DEFAULT = "32k"
"""The filler level of a folder that is read where it holds several and none is named."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class EpisodeFile:
    """A file of episodes; bare ones come with the file of their gold facts."""

    path: Path
    gold: Path | None = None

    def provenance(self) -> dict[str, object]:
        """The paths and hashes of the files."""
        found: dict[str, object] = {"file": str(self.path), "sha256": sha256(self.path)}
        if self.gold is not None:
            found |= {"gold_facts": str(self.gold), "gold_facts_sha256": sha256(self.gold)}
        return found


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One episode of a file, not yet parsed: its id, its domain, its record, and that of its gold facts."""

    id: str
    domain: str
    file: str
    record: Object
    gold: Object | None = None

    def episode(self) -> ReleasedEpisode:
        """The episode with its chats."""
        return read_episode(self.record, self.id, self.file)

    def skeleton(self) -> Skeleton:
        """The episode without chats."""
        if self.gold is None:
            return self.episode().skeleton
        return read_skeleton(self.record, self.gold, self.id, self.file)


def find(data: Path, filler: str | None = None) -> list[EpisodeFile]:
    """The files that a path names: itself, or those in a folder, of which whole episodes of one level of filler."""
    if not data.exists():
        raise BadInput(f"{data} does not exist; give a file of episodes or the folder that holds some")
    if data.is_file():
        return [_source(data)]
    written = sorted(data.glob("meme_*.json"))
    if written:
        return [EpisodeFile(_of_level(written, filler, data))]
    found = [_source(path) for path in sorted(data.glob(f"{BARE}*.json"))]
    if not found:
        raise BadInput(f"{data} holds neither meme_*.json (episodes with their chats) nor {BARE}_*.json (without)")
    return found


def find_all(data: Path) -> list[EpisodeFile]:
    """All files of episodes at a path, whatever their filler."""
    if not data.is_dir():
        return find(data)
    paths = (*sorted(data.glob("meme_*.json")), *sorted(data.glob(f"{BARE}*.json")))
    return [_source(path) for path in paths] or find(data)


def file_name(filler: str) -> str:
    """The name of a file of whole episodes with so much filler.

    >>> file_name("none"), file_name("32k")
    ('meme_nofiller.json', 'meme_filler32k.json')
    """
    return "meme_nofiller.json" if filler == "none" else f"meme_filler{filler}.json"


def read(source: EpisodeFile) -> Iterator[FileEntry]:
    """The episodes of a file, one at a time, so that no file is in memory as a whole."""
    gold = _gold(source.gold) if source.gold is not None else None
    seen: set[str] = set()
    for number, record in enumerate(_objects(source.path), start=1):
        id = episode_id(record, number)
        where = f"{source.path}: episode {id!r}"
        if id in seen:
            raise BadInput(f"{where} stands there twice")
        seen.add(id)
        facts = None if gold is None else gold.get(id)
        if gold is not None and facts is None:
            raise BadInput(f"{where} has no gold facts in {source.gold}")
        yield FileEntry(id, domain_of(record, where), str(source.path), record, facts)


def json_pieces(records: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Whole episodes as the pieces of a JSON list, one episode a line."""
    opening = b"[\n"
    for record in records:
        yield opening + json.dumps(record, ensure_ascii=False).encode()
        opening = b",\n"
    yield b"\n]\n" if opening == b",\n" else b"[]\n"


def _source(path: Path) -> EpisodeFile:
    if path.name.startswith(GOLD):
        raise BadInput(f"{path} holds gold facts; give the {path.name.replace(GOLD, BARE, 1)} that belongs to it")
    if not path.name.startswith(BARE):
        return EpisodeFile(path)
    gold = path.with_name(path.name.replace(BARE, GOLD, 1))
    if not gold.is_file():
        raise BadInput(f"{path}: its gold facts are missing; put {gold.name} beside it")
    return EpisodeFile(path, gold)


def _of_level(written: list[Path], filler: str | None, folder: Path) -> Path:
    """The one file of a level; if none is named, that of the default level or the only file."""
    wanted = file_name(filler or DEFAULT)
    for path in written:
        if path.name == wanted:
            return path
    if filler is None and len(written) == 1:
        return written[0]
    names = ", ".join(path.name for path in written)
    raise BadInput(f"{folder} has no {wanted}; there are {names}: name one of them, or its filler")


def _gold(path: Path) -> dict[str, Object]:
    return {episode_id(record, number): record for number, record in enumerate(_objects(path), start=1)}


def _objects(path: Path) -> Iterator[Object]:
    """The objects of a JSON list, read as they are needed."""
    try:
        with TextIOWrapper(open_input(path), encoding="utf-8-sig") as file:
            for number, found in enumerate(_JsonList(path, file).entries(), start=1):
                if not isinstance(found, dict):
                    raise BadInput(f"{path}: entry {number} is no object")
                yield found
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} can't be read: {error}") from error


class _JsonList:
    """A JSON list that is read block by block."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self._path = path
        self._file = file
        self._text = file.read(_BLOCK).lstrip()

    def entries(self) -> Iterator[object]:
        """The entries of the list, one after the other."""
        if not self._text.startswith("["):
            raise BadInput(f"{self._path} is no JSON list of episodes")
        self._text = self._text[1:]
        number = 0
        while self._next() != "]":
            number += 1
            yield self._entry(number)

    def _next(self) -> str:
        """The first character of the next entry, or the closing bracket."""
        self._text = self._text.lstrip(" \t\r\n,")
        if not self._text and self._more():
            return self._next()
        return self._text[:1]

    def _entry(self, number: int) -> object:
        while True:
            try:
                found, end = load_at(self._text)
            except BadJson as error:
                if not error.unfinished or not self._more():
                    raise BadInput(
                        f"{self._path}: entry {number} breaks off or is no JSON ({error}); get the file again"
                    ) from error
            else:
                self._text = self._text[end:]
                return found

    def _more(self) -> bool:
        """Read on, twice as far each time, so that parsing an entry again stays cheap."""
        block = self._file.read(max(_BLOCK, len(self._text)))
        self._text += block
        return bool(block)
