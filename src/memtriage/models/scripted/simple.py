"""The simple built-in scripts: echo, fill a schema, read replies from a list, extract sentences."""

from __future__ import annotations

import ast
import json
import re
import threading
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from memtriage.models.scripted.replies import Reply, Request, Script, text_of
from memtriage.models.scripted.schema_values import filled
from memtriage.text.sentences import sentences


def echo(request: Request) -> str:
    """Repeats the last user message."""
    return request.last_user


def schema(request: Request) -> str | Mapping[str, Any]:
    """Fills whatever JSON schema was asked for with plain values; without one, `{}` in JSON mode, else an echo."""
    if request.schema is not None:
        return json.dumps(filled(request.schema), ensure_ascii=False)
    return {} if request.json_object else echo(request)


def in_order(replies: Iterable[Reply | str | Mapping[str, Any]]) -> Script:
    """The given replies, one per request, in order; then an error that says that none is left."""
    waiting = iter(list(replies))
    lock = threading.Lock()

    def script(request: Request) -> Reply | str | Mapping[str, Any]:
        with lock:
            return next(waiting, Reply("the scripted list has no reply left", status=500))

    return script


def extract(request: Request) -> Mapping[str, Any]:
    """What the user said, sentence by sentence, in the shape that fact-extracting memories ask for.

    Understands the two generations of Mem0's prompts: `memory` holds the sentences as objects,
    `facts` as plain texts.
    """
    found = list(dict.fromkeys(s for text in _user_texts(request.last_user) for s in sentences(text)))
    memory = [
        {"id": str(n), "text": text, "event": "ADD", "attributed_to": "user", "linked_memory_ids": []}
        for n, text in enumerate(found)
    ]
    whole = {"memory": memory, "facts": found}
    wanted = (request.schema or {}).get("properties")
    return {key: whole[key] for key in whole if key in wanted} if isinstance(wanted, Mapping) else whole


_NEW_MESSAGES = re.compile(r"^#+ *New Messages *\n(.*?)(?=^#+ |\Z)", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_USER_LINE = re.compile(r"^(?:user|human) *: *(.*(?:\n(?!\w+ *:|\s*$).*)*)", re.MULTILINE | re.IGNORECASE)
_LISTS = 200


def _user_texts(prompt: str) -> list[str]:
    """What the user said in a prompt: in its list of messages, its `user:` lines, its list of facts, or all of it."""
    section = _NEW_MESSAGES.search(prompt)
    text = section[1] if section else prompt.rpartition("Input:")[2]
    lists = list(_lists(text))
    for found in lists:
        spoken = [text_of(m.get("content")) for m in found if isinstance(m, Mapping) and m.get("role") == "user"]
        if spoken:
            return spoken
    lines = [line.strip() for line in _USER_LINE.findall(text)]
    facts = next((found for found in lists if found and all(isinstance(f, str) for f in found)), [])
    return lines or facts or ([] if lists else [text.strip()])


def _lists(text: str) -> Iterable[list[Any]]:
    """The lists in a text, written as JSON or as Python writes them on one line; the last first."""
    starts = [found.start() for found in islice(re.finditer(r"\[\s*[\[{\"']|\[\]", text), _LISTS)]
    for start in reversed(starts):
        try:
            value = json.JSONDecoder().raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            value = _python_list(text[start:].partition("\n")[0])
        if isinstance(value, list):
            yield value


def _python_list(text: str) -> object:
    try:
        return ast.literal_eval(text[: text.rfind("]") + 1][:100_000])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
