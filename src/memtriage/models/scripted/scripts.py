"""Scripts as lists of rules, and scripts by name: a built-in one, or a .json file of rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput, unknown
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.models.scripted.judge import ContentJudge, ContentReader, content
from memtriage.models.scripted.memory import memory
from memtriage.models.scripted.replies import Reply, Request, Script, as_reply
from memtriage.models.scripted.simple import echo, extract, schema


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
        reply = as_reply(self.answer(request))
        if self.latency is not None:
            reply = replace(reply, latency=self.latency)
        return reply if self.status == 200 else replace(reply, status=self.status)


def rules(listed: Iterable[Rule | Mapping[str, Any]], default: Script = schema) -> Script:
    """The reply of the first rule that fits, and the default's where none does."""
    parsed = [rule if isinstance(rule, Rule) else _rule(rule, f"rule {n}") for n, rule in enumerate(listed, 1)]

    def script(request: Request) -> Reply:
        rule = next((rule for rule in parsed if rule.fits(request)), None)
        return rule.reply(request) if rule else as_reply(default(request))

    return script


def rules_file(path: Path) -> Script:
    """The rules in a JSON file."""
    try:
        listed = loads(read_text(path))
    except BadJson as error:
        raise BadInput(f"{path} is not JSON: {error}") from error
    if not isinstance(listed, list):
        raise BadInput(f"{path} must hold a list of rules: [{{'when': {{…}}, 'reply': …}}, …]")
    try:
        return rules(listed)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error


def builtin(name: str) -> Script:
    """A built-in script by its name."""
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
            return lambda request: as_reply(json.dumps(value, ensure_ascii=False))
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
