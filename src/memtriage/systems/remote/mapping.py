"""How the calls of an MCP server or HTTP service are mapped to the three functions: a small TOML file.

    [store]                                # one call per `each`: turn or session
    tool = "add_memory"                    # of an MCP server; of an HTTP service: method = "POST", path = "/memories"
    each = "turn"
    arguments = { text = "{text}", user_id = "{scope}" }

    [retrieve]
    tool = "search_memory"
    arguments = { query = "{query}", limit = "{k}" }
    items = "results"                      # where the memories are in the reply; left out, it is looked for
    text = "memory"                        # and how their parts are called

    [answer]                               # where the other side answers questions itself
    tool = "ask"
    arguments = { question = "{question}" }
    text = "answer"                        # where its text is in the reply; `items`: where the memories are it used

    [all]
    [settle]
    [reset]

Values in braces are filled in: scope, home, query, k, text, role, turn, session, timestamp, messages (a list of
objects with role and content) and transcript; for an answer also question (the query with how to answer it),
instruction and choices. A text that is nothing but one of them becomes its value, a number or a
list. `{turn.…}` paths don't exist: what is not in the list above is refused.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput, BadSystem, unknown
from memtriage.host.inputs import read_text

STEPS = ("store", "retrieve", "answer", "all", "settle", "reset")
VALUES = frozenset(
    "scope home query k text role turn session timestamp messages transcript question instruction choices".split()
)
_HOLE = re.compile(r"\{([a-z]+)\}")
_TEXTS = ("memory", "text", "content", "fact", "observation", "observations", "summary", "value", "name", "body")
_IDS = ("id", "uuid", "memory_id", "key")
_TIMES = ("created_at", "timestamp", "createdAt", "time", "date")
_SCORES = ("score", "similarity", "relevance", "rank_score")
_FROM = ("from", "source", "subject", "head")
_RELATION = ("relationType", "relation", "type", "predicate", "label")
_TO = ("to", "target", "object", "tail")
_ANSWERS = ("answer", "response", "text", "content", "message", "output", "result", "results")
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the other side, and where in its reply the memories are.

    `about` is what their texts are about, and `kind` what it is: both are put before each text. `edges` is where
    relations are listed, each of which is a memory too.
    """

    tool: str = ""
    method: str = ""
    path: str = ""
    each: str = "session"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    items: str = ""
    text: str = ""
    id: str = ""
    score: str = ""
    created_at: str = ""
    why: str = ""
    about: str = ""
    kind: str = ""
    edges: str = ""


@dataclass(frozen=True, slots=True)
class Steps:
    """A whole mapping. `environment` is for servers that are started here; `base` is a service's address."""

    steps: Mapping[str, Step]
    environment: Mapping[str, str] = field(default_factory=dict)
    base: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Step:
        return self.steps[name]

    def __contains__(self, name: str) -> bool:
        return name in self.steps


NEEDED = ("store", "retrieve")


def read(path: Path, needed: Sequence[str] = NEEDED) -> Steps:
    """A mapping from its file; what is wrong is named with file and key."""
    try:
        raw = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"mapping {path} is not TOML: {error}") from error
    return parse(raw, str(path), needed)


def parse(raw: Mapping[str, Any], where: str, needed: Sequence[str] = NEEDED) -> Steps:
    """A mapping from what a file holds."""
    allowed = (*STEPS, "environment", "base", "headers")
    for key in raw:
        if key not in allowed:
            raise BadInput(f"{where}: {unknown('section', key, allowed)}")
    steps = {name: _step(raw[name], f"{where}: [{name}]") for name in STEPS if name in raw}
    for name in needed:
        if name not in steps:
            raise BadInput(f"{where}: [{name}] is missing; a memory system needs {' and '.join(needed)}")
    texts = {key: _texts(raw.get(key, {}), f"{where}: [{key}]") for key in ("environment", "headers")}
    return Steps(steps, texts["environment"], str(raw.get("base", "")), texts["headers"])


def _texts(raw: object, where: str) -> dict[str, str]:
    if not isinstance(raw, Mapping) or not all(isinstance(value, str) for value in raw.values()):
        raise BadInput(f"{where} must be names with texts")
    return {str(key): str(value) for key, value in raw.items()}


def _step(raw: object, where: str) -> Step:
    if not isinstance(raw, Mapping):
        raise BadInput(f"{where} must be a table")
    known = [each.name for each in fields(Step)]
    for key, value in raw.items():
        if key not in known:
            raise BadInput(f"{where}: {unknown('key', key, known)}")
        if key != "arguments" and not isinstance(value, str):
            raise BadInput(f"{where}: {key} must be a text")
    step = Step(**raw)
    if not isinstance(step.arguments, Mapping):
        raise BadInput(f"{where}: arguments must be a table")
    if step.each not in ("turn", "session"):
        raise BadInput(f"{where}: each must be turn or session, not {step.each!r}")
    if not step.tool and not step.path:
        raise BadInput(f"{where} names neither a tool nor a path")
    for hole in {*holes(step.arguments), *holes(step.path)}:
        if hole not in VALUES:
            raise BadInput(f"{where}: {unknown('value', hole, VALUES)}")
    return step


def holes(value: object) -> Iterator[str]:
    """The names of the values that a template asks for."""
    if isinstance(value, str):
        yield from _HOLE.findall(value)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from holes(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from holes(inner)


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """A template with its values in.

    >>> filled({"q": "{query}", "n": "{k}", "who": "user-{scope}"}, {"query": "where?", "k": 5, "scope": "a"})
    {'q': 'where?', 'n': 5, 'who': 'user-a'}
    """
    if isinstance(template, str):
        whole = _HOLE.fullmatch(template)
        if whole:
            return values.get(whole[1])
        return _HOLE.sub(lambda hole: str(values.get(hole[1], "")), template)
    if isinstance(template, Mapping):
        return {key: filled(value, values) for key, value in template.items()}
    if isinstance(template, Sequence):
        return [filled(value, values) for value in template]
    return template


def memories(reply: object, step: Step) -> list[dict[str, Any]]:
    """The memories in a reply: where the mapping says, or in the first list that looks like it."""
    found = _at(reply, step.items) if step.items else _list(reply)
    items = found if isinstance(found, list) else [] if found is None else [found]
    edges = _at(reply, step.edges) if step.edges else None
    listed = [memory for item in items for memory in _each(item, step)]
    return listed + [memory for edge in (edges if isinstance(edges, list) else ()) for memory in _edge(edge)]


def _edge(edge: object) -> Iterator[dict[str, Any]]:
    """A relation as a memory.

    >>> list(_edge({"from": "Mina", "relationType": "works at", "to": "Harbor Lab"}))
    [{'text': 'Mina -[works at]-> Harbor Lab'}]
    """
    if isinstance(edge, Mapping):
        ends = [_named(edge, "", names) for names in (_FROM, _RELATION, _TO)]
        if all(isinstance(end, str) for end in ends):
            yield {"text": f"{ends[0]} -[{ends[1]}]-> {ends[2]}"}


def answer(reply: object, step: Step) -> tuple[str, list[dict[str, Any]] | None]:
    """The answer in a reply, and the memories that it was made from; None where the mapping names no place for them.

    >>> answer({"response": "In the attic.", "sources": ["The kettle is in the attic."]}, Step("ask", items="sources"))
    ('In the attic.', [{'text': 'The kettle is in the attic.'}])
    """
    said = _at(reply, step.text) if step.text else _said(reply)
    if not isinstance(said, str):
        where = f" at {step.text!r}" if step.text else ""
        raise BadSystem(f"there is no text{where} in what came back as an answer; say where with [answer] text = …")
    return said, memories(reply, replace(step, text="")) if step.items else None


def _said(reply: object) -> object:
    """The text of an answer, in a reply that names it in one of the usual ways."""
    if isinstance(reply, list) and len(reply) == 1:
        return _said(reply[0])
    if isinstance(reply, Mapping):
        return next((reply[key] for key in _ANSWERS if isinstance(reply.get(key), str)), None)
    return reply


def _at(reply: object, path: str) -> object:
    """The values at a path such as `data.results`; every item of a list on the way is followed."""
    here: object = reply
    for name in path.split("."):
        if isinstance(here, list):
            inner = [each.get(name) for each in here if isinstance(each, Mapping)]
            here = [x for each in inner for x in (each if isinstance(each, list) else [each]) if x is not None]
        elif isinstance(here, Mapping):
            here = here.get(name)
        else:
            return None
    return here


def _list(reply: object, depth: int = 0) -> list[Any] | None:
    """The list of memories in a reply, wherever it is; a single memory is a list of one."""
    if isinstance(reply, list):
        return reply
    if not isinstance(reply, Mapping) or depth > _DEEPEST:
        return [reply] if isinstance(reply, str) and reply.strip() else None
    lists = [value for value in reply.values() if isinstance(value, list) and value]
    best = max(
        (found for found in lists if any(True for item in found for _ in _each(item, Step()))), key=len, default=None
    )
    if best is not None:
        return best
    for value in reply.values():
        if isinstance(value, Mapping) and (found := _list(value, depth + 1)):
            return found
    return [reply] if any(isinstance(reply.get(key), str) for key in _TEXTS) else None


def _each(item: object, step: Step) -> Iterator[dict[str, Any]]:
    """The memories that one entry holds: itself, or each of its observations."""
    if isinstance(item, str):
        if item.strip():
            yield {"text": item}
        return
    if not isinstance(item, Mapping):
        return
    inner = item.get("node") or item.get("entity") or item.get("payload") or item.get("document")
    source = inner if isinstance(inner, Mapping) and not _named(item, step.text, _TEXTS) else item
    content = _named(source, step.text, _TEXTS)
    about, kind = (_at(source, name) if name else None for name in (step.about, step.kind))
    subject = f"{about} ({kind})" if about and kind else str(about or "")
    if subject and content in (None, "", []):
        content, subject = subject, ""
    if content is None:
        return
    common = {
        "id": _named(source, step.id, _IDS) or _named(item, step.id, _IDS),
        "created_at": _named(source, step.created_at, _TIMES),
        "score": _named(item, step.score, _SCORES),
        "why": _at(item, step.why) if step.why else None,
    }
    texts = content if isinstance(content, list) else [content]
    for number, text in enumerate(each for each in texts if isinstance(each, str) and each.strip()):
        id = common["id"] if len(texts) == 1 or common["id"] is None else f"{common['id']}/{number}"
        kept = {key: value for key, value in {**common, "id": id}.items() if value is not None}
        yield {"text": f"{subject}: {text}" if subject else text, **kept}


def _named(item: Mapping[str, Any], name: str, guesses: Sequence[str]) -> Any:
    if name:
        return _at(item, name)
    return next((item[key] for key in guesses if item.get(key) not in (None, "", [])), None)


def values_of(session: Any, scope: str, home: str) -> dict[str, Any]:
    """What a session fills in."""
    messages = [{"role": turn.role, "content": turn.text} for turn in session.turns]
    return {
        "scope": scope,
        "home": home,
        "session": session.id,
        "timestamp": session.timestamp,
        "messages": messages,
        "transcript": "\n".join(f"{turn.role}: {turn.text}" for turn in session.turns),
    }


def question_values(question: Any) -> dict[str, Any]:
    """What a question fills in; it is memtriage's or an adapter's, which are alike."""
    return {
        "query": question.text,
        "text": question.whole,
        "question": question.whole,
        "instruction": question.how,
        "choices": list(question.choices),
        "k": question.k,
        "timestamp": question.session.timestamp,
    }


def calls(step: Step, session: Any, scope: str, home: str) -> Iterator[dict[str, Any]]:
    """The values of every call that stores a session: one for all of it, or one per turn."""
    common = values_of(session, scope, home)
    if step.each == "session":
        yield {**common, "text": common["transcript"], "role": "user", "turn": session.id}
        return
    for turn in session.turns:
        yield {**common, "text": turn.text, "role": turn.role, "turn": turn.id}
