"""What importers share: files of JSON or JSON lines, and the texts in values whose shape differs from tool to tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.diagnose.trace_format import Record
from memtriage.host.inputs import BadJson, decoded, input_lines, loads, read_text
from memtriage.suites.kit.dates import parse_date

_ASKED = "question query input inputs prompt user_input text message content messages args kwargs".split()
_ANSWERED = "answer output outputs response result text content message completion generations choices messages".split()
_KEYS = {"user": _ASKED, "assistant": _ANSWERED}
"""Where the text of a step may stand: what it was asked, and what it answered."""

_ROLES = {
    **dict.fromkeys(("user", "human", "humanmessage", "humanmessagechunk"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "aimessage", "aimessagechunk"), "assistant"),
    **dict.fromkeys(("system", "developer", "systemmessage", "tool", "function", "toolmessage"), "other"),
}
_LISTS = "documents memories results records output outputs result docs nodes matches hits items data content".split()
_TEXTS = "page_content pageContent memory text content fact document chunk summary value body".split()
_IDS = ("id", "document_id", "doc_id", "record_id", "uuid")
_SCORES = ("score", "similarity", "relevance_score", "_score")
_DATES = ("timestamp", "date", "event_date", "valid_at", "created_at", "createdAt")


def read_values(path: Path) -> Iterator[Record]:
    """The values of a file with their places: JSON lines, the entries of a list, or the one object it is."""
    lines = input_lines(path)
    head = list(islice(lines, 2))  # two lines tell JSON lines from a document
    if not head:
        raise BadInput(f"{path} is empty; export it again")
    first = _loaded(head[0][1])
    if isinstance(first, dict | list) and (len(head) > 1 or isinstance(first, dict)):
        for number, raw in chain(head, lines):
            where = f"{path}, line {number}"
            value = _loaded(raw)
            if isinstance(value, BadJson):
                raise BadInput(f"{where}: not JSON: {value}; write one object per line, or a single JSON document")
            yield where, value
        return
    whole = _loaded(read_text(path)) if isinstance(first, BadJson) else first
    if isinstance(whole, BadJson):
        raise BadInput(f"{path}: not JSON: {whole}; was it cut short? export it again")
    if isinstance(whole, list):
        yield from ((f"{path}, entry {n}", value) for n, value in enumerate(whole, start=1))
    else:
        yield str(path), whole


def _loaded(raw: str | bytes) -> Any:
    try:
        return loads(decoded(raw, "it") if isinstance(raw, bytes) else raw, infinite=True)
    except BadJson as error:
        return error


def opened(value: Any) -> Any:
    """A value, or the JSON that its text holds: telemetry keeps objects as texts."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return loads(value, infinite=True)
        except BadJson:
            return value
    return value


def said(value: Any, role: str, depth: int = 0) -> str | None:
    """The text that a step was asked (`user`) or answered (`assistant`).

    >>> said({"messages": [{"role": "user", "content": "Where?"}, {"type": "ai", "content": "There."}]}, "user")
    'Where?'
    """
    value = opened(value)
    if isinstance(value, str):
        return value.strip() or None
    if depth > 6:
        return None
    if isinstance(value, list):
        roles = [_role(message) for message in value]
        if any(roles):
            texts = [_content(message) for message, whose in zip(value, roles, strict=True) if whose == role]
            return next((text for text in reversed(texts) if text), None)
        return said(value[0], role, depth + 1) if len(value) == 1 else None
    if not isinstance(value, Mapping):
        return None
    whose = _role(value)
    if whose:
        return _content(value) if whose == role else None
    found = (said(value[key], role, depth + 1) for key in _KEYS[role] if key in value)
    text = next((text for text in found if text), None)
    if text is None and len(value) == 1:
        (only,) = value.values()
        return only.strip() or None if isinstance(only, str) else None
    return text


def _role(message: Any) -> str | None:
    """Whose message it is; None if it is no message."""
    if not isinstance(message, Mapping):
        return None
    inner = message.get("kwargs")
    names = [message.get("role"), inner.get("type") if isinstance(inner, Mapping) else None, message.get("type")]
    if isinstance(message.get("id"), list) and message["id"]:
        names.append(message["id"][-1])
    found = (_ROLES.get(name.lower()) for name in names if isinstance(name, str))
    return next((role for role in found if role), None)


def _content(message: Mapping[str, Any]) -> str | None:
    for holder in (message, message.get("kwargs"), message.get("data")):
        if isinstance(holder, Mapping):
            for key in ("content", "parts", "text"):
                if text := _joined(holder.get(key)):
                    return text
    return None


def _joined(content: Any) -> str | None:
    """The text of a message in one piece or in parts."""
    if isinstance(content, str):
        return content.strip() or None
    if isinstance(content, Mapping):
        return _joined(content.get("text"))
    if isinstance(content, list):
        parts = [
            part if isinstance(part, str) else part.get("text") or part.get("content")
            for part in content
            if isinstance(part, str | Mapping)
        ]
        return "\n".join(part for part in parts if isinstance(part, str) and part.strip()) or None
    return None


def documents(value: Any, where: str) -> list[dict[str, Any]]:
    """What a search brought back, best first, as memories of the trace format; one without text has its id alone."""
    value = opened(value)
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return [memory(one, f"{where}, document {n}") for n, one in enumerate(value, start=1)]
    if isinstance(value, Mapping):
        for key in _LISTS:
            inner = opened(value.get(key))
            if isinstance(inner, list) or (isinstance(inner, Mapping | str) and key not in _TEXTS):
                return documents(inner, where)
        if not value:
            return []
    return [memory(value, where)]


def memory(value: Any, where: str) -> dict[str, Any]:
    """One thing that came back."""
    value = opened(value)
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, Mapping):
        raise BadInput(f"{where}: {str(value)[:40]!r} is no memory; a text or an object with one is expected")
    inner = value.get("kwargs")
    about = {**value, **inner} if isinstance(inner, Mapping) else dict(value)
    extra = about.get("metadata")
    both = {**(extra if isinstance(extra, Mapping) else {}), **about}
    found: dict[str, Any] = {}
    text = next((text for key in _TEXTS if (text := _joined(about.get(key)))), None)
    if text is not None:
        found["text"] = text
    id = next((both[key] for key in _IDS if isinstance(both.get(key), str | int)), None)
    if id is not None:
        found["id"] = str(id)
    if text is None and id is None:
        names = ", ".join(map(str, list(about)[:8]))
        raise BadInput(f"{where}: it has no text (its keys: {names}); record it as page_content, content or text")
    score = next((both[key] for key in _SCORES if _is_number(both.get(key))), None)
    date = next((date for key in _DATES if (date := parse_date(both.get(key)))), None)
    return found | ({"score": score} if score is not None else {}) | ({"date": date} if date else {})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
