"""Markdown files that exist only here: a small file system for an agent's tools, and the memories that its lines are.

Paths are names in a table, never of the disk. A file is read line by line: headings, and labels such as `Travel:`, are
told with the lines below them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from memtriage.systems.toolloop import Action, Refused, Tool, brief, text_of
from memtriage.words import words

MOST = 200_000
"""How many characters a file, and what is written at once, may have."""

MOST_FILES = 1_000
_HITS = 50

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_BULLET = re.compile(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)", re.DOTALL)
_STAMP = re.compile(r"\[[^\]\n]*\] ?")
_ORNAMENT = re.compile(r"[-*_=`~#>|+:\s]*")


# ------------------------------------------------------------------ lines


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that a file says: where it stands, what it says, and the headings and labels above it."""

    numbers: range
    text: str
    above: tuple[str, ...]
    id: str

    @property
    def told(self) -> str:
        """The line as a reader without the file needs it; a heading whose words it repeats is not told twice."""
        mine = set(words(self.text).stems)
        unsaid = [each for each in self.above if not set(words(each).stems) <= mine]
        return f"{' > '.join(unsaid)}: {self.text}" if unsaid else self.text


def bullet(text: str, stamp: str = "") -> str:
    r"""A text as one item of a list. Line breaks become hard breaks, so that it can be read back to the letter.

    >>> print(bullet("one\ntwo", "2026-05-01"))
    - [2026-05-01] one\
      two
    """
    pieces = (piece + "\\" * _slashes(piece) for piece in text.split("\n"))
    return f"- {f'[{stamp}] ' if stamp else ''}" + "\\\n  ".join(pieces)


def lines_of(text: str, *, paragraphs: bool = False, stamped: bool = False) -> list[Line]:
    r"""What a file says, line by line. A heading or label is a line of its own only where nothing is below it.

    `paragraphs` takes plain lines that follow each other as one. `stamped` leaves out the date before an item.
    The id of a line rests on its words and on what is above it, not on its place.

    >>> [line.told for line in lines_of("# Trips\n- Rome in May\n- Food:\n  - figs\n\n## Plans\n")]
    ['Trips: Rome in May', 'Trips > Food: figs', 'Trips > Plans']
    """
    found: list[_Item] = []
    open: list[_Item] = []
    for item in _items(text, paragraphs):
        while open and open[-1].depth >= item.depth:
            open.pop()
        item.above = tuple(each.text for each in open)
        for each in open:
            each.empty = False
        found.append(item)
        if item.label:
            open.append(item)
    return _told(item for item in found if item.empty or not item.label) if not stamped else _stamped(found)


def numbered(text: str) -> str:
    """A file as a reader is shown it who may name its lines."""
    return "\n".join(f"{n}: {line}" for n, line in enumerate(text.split("\n"), 1) if line.strip())


def day(timestamp: str | None) -> str:
    """The day of a time, safe to name a file with; `undated` where there is none.

    >>> day("2026/05/01 (Fri) 09:30"), day(None)
    ('2026-05-01', 'undated')
    """
    found = re.match(r"([0-9]{4})[-/.]([0-9]{2})[-/.]([0-9]{2})(?![0-9])", timestamp or "")
    return "-".join(found.groups()) if found else "undated"


def slug(title: str) -> str:
    """A title as the name of a file.

    >>> slug("Marcus Lee")
    'marcus-lee'
    """
    plain = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-")
    faithful = plain == title.lower().replace(" ", "-")
    return plain if plain and faithful else f"{plain or 'x'}-{_digest(title)[:6]}"


@dataclass(slots=True)
class _Item:
    """A heading, an item of a list or a plain line while a file is read; the deeper, the further below."""

    numbers: range
    text: str
    depth: int
    label: bool
    above: tuple[str, ...] = field(default=())
    empty: bool = True


def _items(text: str, paragraphs: bool) -> Iterator[_Item]:
    plain: _Item | None = None
    for numbers, line in _whole_lines(text):
        if _ORNAMENT.fullmatch(line):
            if plain is not None:
                yield plain
            plain = None
            continue
        item = _item(numbers, line)
        if not paragraphs or item.depth % 2 or item.depth < _BELOW_HEADINGS:
            if plain is not None:
                yield plain
                plain = None
            yield item
        elif plain is None:
            plain = item
        else:
            joined = f"{plain.text}\n{item.text}"
            plain = _Item(range(plain.numbers.start, numbers.stop), joined, plain.depth, item.label)
    if plain is not None:
        yield plain


_BELOW_HEADINGS = 10


def _item(numbers: range, line: str) -> _Item:
    if heading := _HEADING.fullmatch(line):
        return _Item(numbers, heading[2].strip(), len(heading[1]), label=True)
    if item := _BULLET.fullmatch(line):
        depth, text = _BELOW_HEADINGS + 1 + 2 * _indent(item[1]), item[2].strip()
    else:
        text = line.strip()
        depth = _BELOW_HEADINGS + 2 * _indent(line[: len(line) - len(line.lstrip())])
    label = text.rstrip("*_").endswith(":")
    return _Item(numbers, text, depth, label)


def _indent(space: str) -> int:
    return len(space.expandtabs(4))


def _whole_lines(text: str) -> Iterator[tuple[range, str]]:
    """The lines of a file with their numbers from 1 on; a hard break (a backslash) joins an indented line on."""
    waiting, start = "", 0
    listed = text.split("\n")
    for number, line in enumerate(listed, 1):
        piece = line[2:] if start else line
        slashes = _slashes(piece)
        following = listed[number] if number < len(listed) else ""
        kept = piece[: len(piece) - slashes] + "\\" * (slashes // 2 if start or slashes > 1 else slashes)
        if slashes % 2 and following.startswith("  "):
            waiting += piece[: len(piece) - slashes] + "\\" * (slashes // 2) + "\n"
            start = start or number
            continue
        yield range(start or number, number + 1), waiting + kept
        waiting, start = "", 0


def _slashes(text: str) -> int:
    return len(text) - len(text.rstrip("\\"))


def _told(items: Iterable[_Item]) -> list[Line]:
    seen: dict[str, int] = {}
    found = []
    for item in items:
        text = re.sub(r"(?<=.):$", "", item.text) if item.label else item.text
        above = tuple(each.rstrip("*_").rstrip(":").lstrip("*_") for each in item.above)
        id = _digest("\0".join((*above, text)))[:12]
        seen[id] = seen.get(id, 0) + 1
        found.append(Line(item.numbers, text, above, id if seen[id] == 1 else f"{id}-{seen[id]}"))
    return found


def _stamped(items: Iterable[_Item]) -> list[Line]:
    """The items of a file that was written word for word: nothing above them, and without their dates."""
    seen: dict[str, int] = {}
    found = []
    for item in items:
        if item.depth < _BELOW_HEADINGS:
            continue
        id = _digest(item.text)[:12]
        seen[id] = seen.get(id, 0) + 1
        text = _STAMP.sub("", item.text, count=1) if _STAMP.match(item.text) else item.text
        found.append(Line(item.numbers, text, (), id if seen[id] == 1 else f"{id}-{seen[id]}"))
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
