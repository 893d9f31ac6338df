"""The words that generators draw from: data files beside a suite's code, read when they are first asked for.

A list is a text file with an item a line. Records are TOML; where a record holds a list, it is a text of several lines
with an item a line; a line of a table has ` | ` between its cells, and several values on one line have ` / ` between
them. Blank lines and lines that start with `# ` are for people; `""` is the empty item.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

FOLDER = "words"
"""Where a suite keeps its words, below its package."""


def items(text: str) -> tuple[str, ...]:
    """The items of a text, one a line.

    >>> items("a fern\\n# not a plant\\n\\n#hashtag\\n")
    ('a fern', '#hashtag')
    """
    lines = [line for line in map(str.strip, text.splitlines()) if line and (line[0] != "#" or line[1:2].strip())]
    return tuple(["" if line == '""' else line for line in lines])


def values(line: str) -> tuple[str, ...]:
    """The values on one line, with ` / ` between them.

    >>> values("a fern / a rubber plant")
    ('a fern', 'a rubber plant')
    """
    return tuple(line.split(" / "))


def table(text: str) -> list[list[str]]:
    """The cells of a table, line by line; cells at the end of a line may be left out.

    >>> table("tacos | plural\\nThai | mass | food")
    [['tacos', 'plural'], ['Thai', 'mass', 'food']]
    """
    return [line.split(" | ") for line in items(text)]


@cache
def word_list(package: str, name: str) -> tuple[str, ...]:
    """The items of `words/NAME.txt` in a suite's package."""
    return items(_text(package, f"{name}.txt"))


@cache
def records(package: str, name: str) -> dict[str, Any]:
    """What `words/NAME.toml` in a suite's package holds; it is shared, so don't change it."""
    import tomllib

    return tomllib.loads(_text(package, f"{name}.toml"))


@cache
def lists(package: str, name: str) -> dict[str, tuple[str, ...]]:
    """The lists of `words/NAME.toml` in a suite's package, by key."""
    return {key: items(text) for key, text in records(package, name).items()}


def _text(package: str, file: str) -> str:
    return _folder(package).joinpath(file).read_text(encoding="utf-8")


@cache
def _folder(package: str) -> Traversable:
    return files(package).joinpath(FOLDER)
