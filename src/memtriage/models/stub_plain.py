"""How the scripted reader sees a prompt in plain text: headings at the margin, and below each what is quoted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memtriage.models.stub_replies import Request

_BLOCK = re.compile(r"^<<<DATA\n(.*)\nDATA>>>$", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"^(Question|Memory (\w+)|Options)(?:, [^\n]*)?:\n((?:> ?[^\n]*(?:\n|\Z))+)", re.MULTILINE)
_OPTION = re.compile(r"^([A-Z])\. (.*)$", re.MULTILINE)


def plain_block(request: Request) -> Mapping[str, Any] | None:
    """The question, memories and options of a prompt, as an object would hold them; None where there is no question."""
    for _, text in request.messages:
        if block := _BLOCK.search(text):
            return _read(block[1])
    return None


def _read(block: str) -> Mapping[str, Any] | None:
    found: dict[str, Any] = {"memories": []}
    for part in _PART.finditer(block):
        said = "\n".join(line.removeprefix(">").removeprefix(" ") for line in part[3].splitlines())
        if part[2]:
            found["memories"].append({"id": part[2], "text": said})
        elif part[1] == "Options":
            found["choices"] = dict(_OPTION.findall(said))
        else:
            found["question"] = said
    return found if "question" in found else None
