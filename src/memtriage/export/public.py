"""What may be published: names, errors and commands without folders of somebody's machine and addresses of its network.

What was said, asked, kept or answered stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from memtriage.export.tables import Extract, Record

_GAP = "…"
_PART = r"[^\s/\\:'\"<>|,;()\[\]{}=]+"
_PATH = re.compile(rf"(?<![\w./\\…~-])(?:file://|~|[A-Za-z]:)?(?:[/\\]{_PART})+[/\\]?")
_HOMES = re.compile(r"(?:[A-Za-z]:)?[/\\](?:home|Users)[/\\][^/\\]+[/\\]?|~[/\\]?")
_ADDRESS = re.compile(r"\b(https?|wss?)://[^\s'\"<>#,;()]+")


def public(text: str) -> str:
    """The text without the folders of a path and without the host of an address; a file keeps its name.

    >>> public("/home/ann/bench/mine.py:Mine"), public("proc:python ~/x/adapter.py --db /var/db/main")
    ('mine.py:Mine', 'proc:python adapter.py --db …')
    >>> public("http://gpu7.corp.example:8000/v1#qwen3-8b")
    'http://…#qwen3-8b'
    """
    home = str(Path.home())
    text = text.replace(home + "/", "~/") if len(home) > 1 else text  # its name may have spaces
    return _PATH.sub(lambda found: _last_part(found[0]), _ADDRESS.sub(rf"\1://{_GAP}", text))


def public_names(labels: Iterable[str]) -> dict[str, str]:
    """What systems are called in public, by label; two never have the same name."""
    names: dict[str, str] = {}
    for label in labels:
        name = shown = public(label)
        number = 1
        while shown in names.values():
            number += 1
            shown = f"{name} ({number})"
        names[label] = shown
    return names


def published(extract: Extract, systems: Mapping[str, str]) -> Extract:
    """The table as it may be published, with these names of systems."""
    own = {column.name for column in extract.columns if not column.content and column.name != "system"}

    def rows() -> Iterator[Record]:
        for row in extract.rows():
            shown = {name: _public(value) if name in own else value for name, value in row.items()}
            if row.get("system") is not None:
                shown["system"] = systems.get(row["system"]) or public(row["system"])
            yield shown

    return replace(extract, rows=rows)


def _public(value: object) -> object:
    if isinstance(value, str):
        return public(value)
    return [_public(each) for each in value] if isinstance(value, list) else value


def _last_part(path: str) -> str:
    """The file that a path leads to; nothing of it if that looks like a folder, whose name may be a user's."""
    last = re.split(r"[/\\]", path)[-1]
    is_file = re.fullmatch(r"[^.].*\.\w{1,8}", last) and not _HOMES.fullmatch(path)
    return last if is_file else _GAP
