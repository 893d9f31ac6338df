"""Reads the messages of a chat of any size one by one, whatever lists and objects they are nested in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, loads, open_input

_BLOCK = 1 << 20
_LARGEST = 1 << 26
"""The most bytes of one message."""

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}"]', re.DOTALL)
"""A whole string, a brace, or the beginning of a string that doesn't end here."""


def innermost_objects(path: Path) -> Iterator[dict[str, Any]]:
    """Every object in a JSON file that holds no other object, in order; a few blocks of the file are in memory."""
    depth, buffer, bare = 0, b"", True
    with open_input(path) as file:
        while True:
            try:
                block = file.read(_BLOCK)
            except OSError as error:
                raise BadInput(f"{path} can't be read: {error.strerror or error}") from error
            if bare and block.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"[", b"{"):
                raise BadInput(f"{path} is no JSON list of messages")
            bare = False
            buffer += block
            start, done = -1, len(buffer)
            opened = 0  # braces of an object that is not finished in this buffer are counted again with the next one
            for token in _TOKEN.finditer(buffer):
                match token[0]:
                    case b"{":
                        depth, opened, start = depth + opened, 1, token.start()
                    case b"}":
                        if start >= 0:
                            yield _object(path, buffer[start : token.end()])
                            opened, start = 0, -1
                        else:
                            depth -= 1
                    case b'"':  # it goes on in the next block
                        done = token.start()
                        break
                if depth < 0:
                    raise BadInput(f"{path} is no JSON: it closes an object that it never opened")
            buffer = buffer[start if start >= 0 else done :]
            if not block:
                break
            if len(buffer) > _LARGEST:
                raise BadInput(f"{path} has a message of more than {_LARGEST >> 20} MB; is it the right file?")
    if depth or buffer:
        raise BadInput(f"{path} ends in the middle of a message; is it complete?")


def _object(path: Path, raw: bytes) -> dict[str, Any]:
    try:
        found = loads(raw)
    except BadJson as error:
        raise BadInput(f"{path} is no JSON: {error}") from error
    return dict(found)
