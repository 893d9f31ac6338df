"""What the stub server answers: requests as scripts see them, replies, and the built-in scripts.

A script is a function that takes a `Request` and returns a `Reply`, a text, or an object that is sent as JSON.
"""

from __future__ import annotations

import ast
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput, unknown
from memtriage.models.stub_schema import filled
from memtriage.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class Request:
    """One chat request, the same whether it came to /chat/completions or to /responses."""

    path: str
    body: Mapping[str, Any]
    messages: tuple[tuple[str, str], ...]
    schema_name: str | None = None
    schema: Mapping[str, Any] | None = None
    json_object: bool = False

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def tools(self) -> dict[str, Mapping[str, Any]]:
        """The tools that the model may call: name and JSON schema of the arguments."""
        offered = self.body.get("tools")
        found = [tool.get("function", tool) for tool in offered if isinstance(tool, Mapping)] if offered else []
        return {str(tool.get("name")): tool.get("parameters") or {} for tool in found if isinstance(tool, Mapping)}

    @property
    def text(self) -> str:
        """Everything the prompt says."""
        return "\n".join(text for _, text in self.messages)

    @property
    def last_user(self) -> str:
        """The last thing the user said; the last message where no user speaks."""
        said = [text for role, text in self.messages if role == "user"]
        return said[-1] if said else self.messages[-1][1] if self.messages else ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server says: a text, calls of tools (name, arguments) or a refusal.

    With another status than 200 it is an error with that text.
    """

    text: str = ""
    status: int = 200
    refusal: str | None = None
    latency: float | None = None
    finish_reason: str = "stop"
    tools: tuple[tuple[str, Mapping[str, Any]], ...] = ()


Script = Callable[[Request], "Reply | str | Mapping[str, Any] | Sequence[Any]"]


def reply_of(said: object) -> Reply:
    """A script's result as a reply."""
    if isinstance(said, Reply):
        return said
    return Reply(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))


def parsed(path: str, body: Mapping[str, Any]) -> Request:
    """A request body of either chat endpoint; raises ValueError with what is wrong."""
    if path.endswith("/responses"):
        asked, listed = body.get("text", {}), body.get("input")
        wanted = asked.get("format") if isinstance(asked, Mapping) else None
        messages = [{"role": "user", "content": listed}] if isinstance(listed, str) else listed
        if isinstance(body.get("instructions"), str) and isinstance(messages, list):
            messages = [{"role": "system", "content": body["instructions"]}, *messages]
        nested = wanted
    else:
        wanted, messages = body.get("response_format"), body.get("messages")
        nested = wanted.get("json_schema") if isinstance(wanted, Mapping) else None
    kind = wanted.get("type") if isinstance(wanted, Mapping) else None
    request = Request(path, body, _messages(messages), json_object=kind == "json_object")
    if kind != "json_schema":
        return request
    if not isinstance(nested, Mapping) or not isinstance(nested.get("schema"), Mapping) or not nested.get("name"):
        raise ValueError("a response format of type json_schema needs a name and a schema")
    return replace(request, schema_name=str(nested["name"]), schema=nested["schema"])


def _messages(messages: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages must be a list with at least one message")
    if not all(isinstance(m, Mapping) and isinstance(m.get("role", "user"), str) for m in messages):
        raise ValueError("every message must be an object with a role and a content")
    return tuple((m.get("role", "user"), _content(m.get("content"))) for m in messages)


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(p["text"] for p in parts if isinstance(p, Mapping) and isinstance(p.get("text"), str))


# ------------------------------------------------------------------ built-in scripts


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
    found = list(dict.fromkeys(s for text in _said(request.last_user) for s in sentences(text)))
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


def _said(prompt: str) -> list[str]:
    """What the user said in a prompt: in its list of messages, its `user:` lines, its list of facts, or all of it."""
    section = _NEW_MESSAGES.search(prompt)
    text = section[1] if section else prompt.rpartition("Input:")[2]
    lists = list(_lists(text))
    for found in lists:
        spoken = [_content(m.get("content")) for m in found if isinstance(m, Mapping) and m.get("role") == "user"]
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


# ------------------------------------------------------------------ rules


@dataclass(frozen=True, slots=True)
class Rule:
    """If the prompt contains all of these texts, and model and schema are these, reply so."""

    answer: Script
    contains: tuple[str, ...] = ()
    model: str | None = None
    schema: str | None = None
    status: int = 200
    latency: float | None = None

    def fits(self, request: Request) -> bool:
        return (
            self.model in (None, request.model)
            and self.schema in (None, request.schema_name)
            and all(text in request.text for text in self.contains)
        )

    def reply(self, request: Request) -> Reply:
        said = reply_of(self.answer(request))
        if self.latency is not None:
            said = replace(said, latency=self.latency)
        return said if self.status == 200 else replace(said, status=self.status)


def rules(listed: Iterable[Rule | Mapping[str, Any]], default: Script = schema) -> Script:
    """The reply of the first rule that fits, and the default's where none does."""
    made = [rule if isinstance(rule, Rule) else _rule(rule, f"rule {n}") for n, rule in enumerate(listed, 1)]

    def script(request: Request) -> Reply:
        rule = next((rule for rule in made if rule.fits(request)), None)
        return rule.reply(request) if rule else reply_of(default(request))

    return script


def rules_file(path: Path) -> Script:
    """The rules in a JSON file."""
    try:
        listed = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"can't read the rules in {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON: {error}") from error
    if not isinstance(listed, list):
        raise BadInput(f"{path} must hold a list of rules: [{{'when': {{…}}, 'reply': …}}, …]")
    try:
        return rules(listed)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error


def builtin(name: str) -> Script:
    """A built-in script by its name."""
    from memtriage.models.stub_judge import ContentJudge, ContentReader, content
    from memtriage.models.stub_memory import memory

    known: dict[str, Script] = {
        "echo": echo,
        "schema": schema,
        "extract": extract,
        "memory": memory,
        "judge": ContentJudge(),
        "reader": ContentReader(),
        "content": content,
    }
    if name not in known:
        raise BadInput(unknown("script", name, known) + "; a file of rules ends in .json")
    return known[name]


def script_named(name: str) -> Script:
    """A built-in script by its name, or the rules in a .json file."""
    return rules_file(Path(name)) if name.endswith(".json") else builtin(name)


def _rule(rule: object, where: str) -> Rule:
    if not isinstance(rule, Mapping):
        raise BadInput(f"{where} is not an object")
    _only(rule, ("when", "reply", "status", "latency"), where)
    when = rule.get("when", {})
    if not isinstance(when, Mapping):
        raise BadInput(f"{where}: 'when' must be an object")
    _only(when, ("contains", "model", "schema"), f"{where}: 'when'")
    contains = when.get("contains", [])
    texts = [contains] if isinstance(contains, str) else contains
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadInput(f"{where}: 'contains' must be a text or a list of texts")
    return Rule(
        answer=_answer(rule.get("reply", ""), where),
        contains=tuple(texts),
        model=when.get("model"),
        schema=when.get("schema"),
        status=int(_number(rule.get("status", 200), 200, 599, f"{where}: 'status'")),
        latency=None if "latency" not in rule else _number(rule["latency"], 0, 3600, f"{where}: 'latency'"),
    )


def _answer(reply: object, where: str) -> Script:
    if isinstance(reply, str):
        return lambda request: reply
    if isinstance(reply, Mapping) and len(reply) == 1:
        [(kind, value)] = reply.items()
        if kind == "json":
            return lambda request: reply_of(json.dumps(value, ensure_ascii=False))
        if kind == "refusal":
            return lambda request: Reply(refusal=str(value))
        if kind == "script":
            return builtin(str(value))
    raise BadInput(f"{where}: 'reply' must be a text, {{'json': …}}, {{'refusal': …}} or {{'script': name}}")


def _only(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in given:
        if key not in known:
            raise BadInput(f"{where}: {unknown('key', str(key), known)}")


def _number(value: object, low: float, high: float, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise BadInput(f"{what} must be a number from {low} to {high}, not {value!r}")
    return value
