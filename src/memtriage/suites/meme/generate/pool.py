"""Filler chats from a file of the user's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.suites.kit.filler.chats import Filler, Talk

_ROLES = ("user", "assistant", "system")


def read_pool(path: Path) -> tuple[Filler, ...]:
    """The fillers of a file: a JSON list of sessions, each a list of {role, content}; or one session per line."""
    text = read_text(path)
    talks = dict.fromkeys(_talk(row, f"{path}: {where}") for where, row in _rows(text, path))
    if not talks:
        raise BadInput(f"{path}: the filler pool holds no session; give a list of sessions of {{role, content}}")
    return tuple(Filler.of(talk) for talk in talks)


def _rows(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Each session with its place: a numbered row of a list, or a numbered line."""
    try:
        whole = loads(text)
    except BadJson:
        yield from _lines(text, path)
        return
    if not isinstance(whole, list):
        raise BadInput(f"{path}: a filler pool is a list of sessions, not {type(whole).__name__}")
    if whole and all(isinstance(entry, dict) for entry in whole):
        whole = [whole]  # a file of lines with a single one: it is the session itself
    yield from ((f"session {number}", row) for number, row in enumerate(whole, start=1))


def _lines(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", loads(line)
        except BadJson as error:
            raise BadInput(f"{path}: line {number} is not JSON ({error}); write one session per line") from None


def _talk(row: Any, where: str) -> Talk:
    if not isinstance(row, list) or not row:
        raise BadInput(f"{where}: a session is a list of {{role, content}} with at least one turn")
    return tuple(_turn(turn, f"{where}, turn {number}") for number, turn in enumerate(row, start=1))


def _turn(turn: Any, where: str) -> tuple[str, str]:
    if not isinstance(turn, dict) or not {"role", "content"} <= turn.keys():
        raise BadInput(f"{where}: a turn needs role and content")
    role, content = turn["role"], turn["content"]
    if role not in _ROLES:
        raise BadInput(f"{where}: role {role!r} is none of {', '.join(_ROLES)}")
    if not isinstance(content, str) or not content.strip():
        raise BadInput(f"{where}: content must be a text that isn't empty")
    return role, content
