"""Markdown files that exist only here: a small file system for an agent's tools, and the memories that its lines are.

Paths are names in a table, never of the disk. A file is read line by line: headings, and labels such as `Travel:`, are
shown with the lines below them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from memtriage.systems.tool_loop import Action, RefusedAction, Tool, brief, text_of

MOST = 200_000
"""How many characters a file, and what is written at once, may have."""

MOST_FILES = 1_000
_HITS = 50

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)", re.DOTALL)
_STAMP = re.compile(r"\A\[[^\]\n]*\] ?")
_ORNAMENT = re.compile(r"[-*_=`~#>|+:\s]*")


# ------------------------------------------------------------------ lines


@dataclass(frozen=True, slots=True)
class FileLine:
    """One line of a file: its place, its text, and the headings and labels above it.

    The id rests on the words, of the line and above it, and not on the place: a line that moves stays the same.
    """

    numbers: range
    text: str
    above: tuple[str, ...]
    id: str

    @property
    def in_context(self) -> str:
        """The line as a reader without the file needs it; a heading whose words it repeats is left out."""
        own_words = _words_in(self.text)
        unsaid = [each for each in self.above if not _words_in(each) <= own_words]
        return f"{' > '.join(unsaid)}: {self.text}" if unsaid else self.text


def lines_of(text: str, *, paragraphs: bool = False) -> list[FileLine]:
    r"""What a file says, line by line. A heading or label is a line of its own only where nothing is below it.

    With `paragraphs`, plain lines that follow each other are one.

    >>> [line.in_context for line in lines_of("# Trips\n- Rome in May\n- Food:\n  - figs\n\n## Plans\n")]
    ['Trips: Rome in May', 'Trips > Food: figs', 'Trips: Plans']
    """
    open: list[tuple[_Block, int]] = []
    labelled: list[tuple[_Block, tuple[str, ...]]] = []
    above_something: set[int] = set()
    blocks = _paragraphs(_blocks(text)) if paragraphs else (block for block in _blocks(text) if block.text)
    for place, block in enumerate(blocks):
        while open and open[-1][0].depth >= block.depth:
            open.pop()
        above_something.update(number for _, number in open)
        labelled.append((block, tuple(label.name for label, _ in open)))
        if block.label:
            open.append((block, place))
    return _lines((block, above) for place, (block, above) in enumerate(labelled) if place not in above_something)


def items_of(text: str) -> list[FileLine]:
    r"""The items of a file that `item` wrote, word for word and without their stamps.

    >>> [line.text for line in items_of("# 2026-05-01\n\n" + item("one:\ntwo", "09:00"))]
    ['one:\ntwo']
    """
    return _items(text, 0, {})


class TextFile:
    """A file whose lines are read once."""

    def __init__(self, text: str, read: Callable[[str], list[FileLine]]) -> None:
        self.text = text
        self._read = read

    @cached_property
    def lines(self) -> list[FileLine]:
        return self._read(self.text)


class ItemFile:
    """A file that only gets items, at its end; each is read when it comes, and what stands above it never again."""

    def __init__(self, text: str = "") -> None:
        self._pieces = [text]
        self._breaks = text.count("\n")
        self._seen: dict[str, int] = {}
        self.lines = _items(text, 0, self._seen)

    @property
    def text(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def append(self, text: str, stamp: str) -> FileLine:
        """Add an item, and give the line that it is."""
        piece = f"{item(text, stamp)}\n"
        new = _items(piece, self._breaks, self._seen)
        self._pieces.append(piece)
        self._breaks += piece.count("\n")
        self.lines += new
        return new[0]


def item(text: str, stamp: str) -> str:
    r"""A text as one item of a list, with a stamp before it. Its line breaks become hard breaks and can be read back.

    >>> print(item("one\ntwo", "2026-05-01"))
    - [2026-05-01] one\
      two
    """
    pieces = (piece + "\\" * _slashes(piece) for piece in text.split("\n"))
    return f"- [{stamp}] " + "\\\n  ".join(pieces)


def numbered(text: str) -> str:
    """A file with numbered lines, so that a reader can name them."""
    return "\n".join(f"{n}: {line}" for n, line in enumerate(text.split("\n"), 1) if line.strip())


def day(timestamp: str | None) -> str:
    """The day of a time, safe to name a file with; `undated` where there is none.

    >>> day("2026/05/01 (Fri) 09:30"), day(None)
    ('2026-05-01', 'undated')
    """
    found = re.match(r"([0-9]{4})[-/.]([0-9]{2})[-/.]([0-9]{2})(?![0-9])", timestamp or "")
    return "-".join(found.groups()) if found else "undated"


def hour(timestamp: str | None) -> str:
    """Hour and minute of a time.

    >>> hour("2026-05-01T09:30:00+00:00"), hour("2026/05/01 (Fri) 9:30"), hour("2026-05-01")
    ('09:30', '9:30', 'undated')
    """
    found = re.search(r"(?<![0-9:+])([0-9]{1,2}:[0-9]{2})(?![0-9])", timestamp or "")
    return found[1] if found else "undated"


def slug(title: str) -> str:
    """A title as the name of a file; titles that differ, but for capitals, have names that differ.

    >>> slug("Marcus Lee")
    'marcus-lee'
    """
    plain = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-")
    return plain if plain and plain == title.lower().replace(" ", "-") else f"{plain or 'x'}-{_digest(title)[:6]}"


@dataclass(frozen=True, slots=True)
class _Block:
    """A heading, an item of a list or a plain line; the deeper, the further below. Without a text it is a gap."""

    numbers: range
    text: str
    depth: int = 0
    label: bool = False
    plain: bool = False

    @property
    def name(self) -> str:
        """A heading or label as it is shown with the lines below it."""
        return self.text.strip("*_").rstrip(":").strip("*_ ")


_BELOW_HEADINGS = 10
_GAP = _Block(range(0), "")


def _blocks(text: str) -> Iterator[_Block]:
    for numbers, line in _unbroken(text):
        if _ORNAMENT.fullmatch(line):
            yield _GAP
        elif heading := _HEADING.fullmatch(line):
            yield _Block(numbers, heading[2].strip(), len(heading[1]), label=True)
        elif listed := _ITEM.fullmatch(line):
            yield _below(numbers, listed[2].strip(), _BELOW_HEADINGS + 1 + 2 * _width(listed[1]), plain=False)
        else:
            stripped = line.strip()
            indented = line[: line.find(stripped)]
            yield _below(numbers, stripped, _BELOW_HEADINGS + 2 * _width(indented), plain=True)


def _below(numbers: range, text: str, depth: int, plain: bool) -> _Block:
    return _Block(numbers, text, depth, text.rstrip("*_").endswith(":"), plain)


def _width(space: str) -> int:
    return len(space.expandtabs(4))


def _paragraphs(blocks: Iterable[_Block]) -> Iterator[_Block]:
    """Plain lines that follow each other as one block."""
    waiting: _Block | None = None
    for block in blocks:
        if waiting is not None and block.plain:
            numbers = range(waiting.numbers.start, block.numbers.stop)
            waiting = replace(waiting, numbers=numbers, text=f"{waiting.text}\n{block.text}", label=block.label)
            continue
        if waiting is not None:
            yield waiting
        waiting = block if block.plain else None
        if block.text and not block.plain:
            yield block
    if waiting is not None:
        yield waiting


def _unbroken(text: str) -> Iterator[tuple[range, str]]:
    """The lines with their numbers from 1 on; after a hard break (a backslash) an indented line goes on."""
    listed = text.split("\n")
    begun, start = "", 1
    for number, line in enumerate(listed, 1):
        piece = line[2:] if number > start else line
        slashes = _slashes(piece)
        bare = piece[: len(piece) - slashes]
        if slashes % 2 and number < len(listed) and listed[number].startswith("  "):
            begun += bare + "\\" * (slashes // 2) + "\n"
            continue
        yield range(start, number + 1), begun + bare + "\\" * (slashes if slashes % 2 else slashes // 2)
        begun, start = "", number + 1


def _slashes(text: str) -> int:
    return len(text) - len(text.rstrip("\\"))


def _items(text: str, before: int, seen: dict[str, int]) -> list[FileLine]:
    """The items of a part of a file that stands below so many lines; `seen` are the ids above it, and grows."""
    found = (block for block in _blocks(text) if block.text and block.depth > _BELOW_HEADINGS)
    lines = _lines(((replace(block, label=False), ()) for block in found), seen)
    return [
        replace(
            line,
            text=_STAMP.sub("", line.text, count=1),
            numbers=range(line.numbers.start + before, line.numbers.stop + before),
        )
        for line in lines
    ]


def _lines(blocks: Iterable[tuple[_Block, tuple[str, ...]]], seen: dict[str, int] | None = None) -> list[FileLine]:
    seen = {} if seen is None else seen
    found = []
    for block, above in blocks:
        text = block.name if block.label else block.text
        if not text:
            continue
        id = _digest("\0".join((*above, text)))[:12]
        seen[id] = seen.get(id, 0) + 1
        found.append(FileLine(block.numbers, text, above, id if seen[id] == 1 else f"{id}-{seen[id]}"))
    return found


def _words_in(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# ------------------------------------------------------------------ files


class Pages:
    """Files by name, and the tools that work on them. Only names that fit `writable` can ever come to be."""

    def __init__(self, files: Mapping[str, str], writable: re.Pattern[str], usual: str = "") -> None:
        self.files = dict(files)
        self._writable = writable
        self._usual = usual  # the file meant where none is named

    def tools(self, *names: str) -> dict[str, Tool]:
        """Some of the tools, by name."""
        known = {
            "list": Tool(lambda action: self.listing(), shows=True),
            "read": Tool(lambda action: self.text(self.path_of(action)), shows=True),
            "search": Tool(lambda action: self.search(text_of(action)), shows=True),
            "write": Tool(self._write),
            "append": Tool(self._append),
            "edit": Tool(self._edit),
        }
        return {name: known[name] for name in names}

    def listing(self) -> str:
        """The names of the files, with their sizes."""
        return "\n".join(f"{name} ({len(text)} characters)" for name, text in self.files.items()) or "no files yet"

    def text(self, path: str) -> str:
        """What a file holds."""
        if path not in self.files:
            some = ", ".join(list(self.files)[:20]) or "none yet"
            raise RefusedAction(f"there is no file {brief(path)}; files: {some}{' …' if len(self.files) > 20 else ''}")
        return self.files[path]

    def search(self, wanted: str) -> str:
        """The lines that hold a text, in small letters or capitals, with their files and numbers."""
        hits = [f"{path}:{n}: {line}" for path, n, line in self.hits(wanted)]
        return "\n".join(hits) or "no line holds it"

    def hits(self, wanted: str) -> list[tuple[str, int, str]]:
        """The first lines that hold a text: file, number, line."""
        if not wanted.strip():
            raise RefusedAction("`text` names what to look for")
        sought, found = wanted.strip().lower(), []
        for path, text in self.files.items():
            for number, line in enumerate(text.split("\n"), 1):
                if sought in line.lower():
                    found.append((path, number, line))
        return found[:_HITS]

    def path_of(self, action: Action) -> str:
        """The file that an action is about."""
        return text_of(action, "path").strip() or self._usual

    def _write(self, action: Action) -> str:
        return self._put(self.path_of(action), text_of(action))

    def _append(self, action: Action) -> str:
        path = self.path_of(action)
        before, new = self.files.get(path, ""), text_of(action)
        gap = "" if not before or before.endswith("\n") else "\n"
        return self._put(path, f"{before}{gap}{new}" + ("" if new.endswith("\n") else "\n"), len(new))

    def _edit(self, action: Action) -> str:
        path, old = self.path_of(action), text_of(action, "old")
        before = self.text(path)
        times = before.count(old) if old else 0
        if times != 1:
            raise RefusedAction(f"`old` must stand in {path} exactly once; it stands there {times} times")
        return self._put(path, before.replace(old, text_of(action)))

    def _put(self, path: str, text: str, written: int | None = None) -> str:
        if not self._writable.fullmatch(path):
            raise RefusedAction(f"{brief(path)} can't be written")
        if len(text) > MOST or (written or 0) > MOST:
            raise RefusedAction(f"{path} would have {len(text)} characters; at most {MOST} are taken")
        if path not in self.files and len(self.files) >= MOST_FILES:
            raise RefusedAction(f"there are {MOST_FILES} files already")
        self.files[path] = text
        return f"{path} now has {len(text)} characters"


class PageReader:
    """Reads files to a model and remembers which lines it was shown: only those can it name."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._shown: set[tuple[str, int]] = set()

    def tools(self, *names: str) -> dict[str, Tool]:
        """`read` and `search` with numbered lines, and whatever else only looks."""
        known = {
            **self._pages.tools("list"),
            "read": Tool(lambda action: self._read(self._pages.path_of(action)), shows=True),
            "search": Tool(lambda action: self._search(text_of(action)), shows=True),
        }
        return {name: known[name] for name in names}

    def shown(self, path: str, number: int) -> bool:
        """Whether the model has seen this line."""
        return (path, number) in self._shown

    def _read(self, path: str) -> str:
        text = self._pages.text(path)
        self._shown.update((path, number) for number in range(1, text.count("\n") + 2))
        return numbered(text) or "it is empty"

    def _search(self, wanted: str) -> str:
        hits = self._pages.hits(wanted)
        self._shown.update((path, number) for path, number, _ in hits)
        return "\n".join(f"{path}:{n}: {line}" for path, n, line in hits) or "no line holds it"
