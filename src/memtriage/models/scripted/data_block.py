"""The data in a prompt, as scripts read it: a JSON object, or plain text under headings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from memtriage.models.scripted.replies import Request

_START = re.compile(r"^[ \t]*<<<DATA[ \t]*\r?\n\s*(?=\{)", re.MULTILINE)
_END = re.compile(r"\s*?\n[ \t]*DATA>>>[ \t]*\r?$", re.MULTILINE)
_BLOCK = re.compile(r"^<<<DATA\n(.*)\nDATA>>>$", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"^(Question|Memory (\w+)|Options)(?:, [^\n]*)?:\n((?:> ?[^\n]*(?:\n|\Z))+)", re.MULTILINE)
_OPTION = re.compile(r"^([A-Z])\. (.*)$", re.MULTILINE)


def data_block(request: Request) -> Mapping[str, Any] | None:
    """The data of a prompt: the first JSON object between the marking lines in any of its messages.

    The object itself says where it ends, so a memory that holds the marks, quoted as JSON, changes nothing.
    """
    for _, text in request.messages:
        for start in _START.finditer(text):
            try:
                value, end = json.JSONDecoder().raw_decode(text, start.end())
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict) and _END.match(text, end):
                return value
    return None


def plain_block(request: Request) -> Mapping[str, Any] | None:
    """The question, memories and options of a prompt, as an object would hold them; None where there is no question."""
    for _, text in request.messages:
        if block := _BLOCK.search(text):
            return _read(block[1])
    return None


def _read(block: str) -> Mapping[str, Any] | None:
    found: dict[str, Any] = {"memories": []}
    for part in _PART.finditer(block):
        text = "\n".join(line.removeprefix(">").removeprefix(" ") for line in part[3].splitlines())
        if part[2]:
            found["memories"].append({"id": part[2], "text": text})
        elif part[1] == "Options":
            found["choices"] = dict(_OPTION.findall(text))
        else:
            found["question"] = text
    return found if "question" in found else None
