"""OpenTelemetry traces in OTLP's JSON, with the conventions for generative AI: chats, tools, retrieval and memory.

The conventions are still in development. Read are those of today (gen_ai.input.messages, gen_ai.memory.records, ...),
the events of v1.36 and before, and the attributes that OpenLLMetry and OpenInference write.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.diagnose.importers.steps import Kind, Step, questions
from memtriage.diagnose.importers.values import memory, opened, read_values
from memtriage.diagnose.trace_format import Record

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("chat", "generate_content", "text_completion", "llm"), "model"),
    **dict.fromkeys(("retrieval", "search_memory", "retriever"), "search"),
    **dict.fromkeys(("execute_tool", "tool"), "tool"),
}
_WRITES = ("create_memory", "update_memory", "upsert_memory", "delete_memory", "create_memory_store")
_EVENTS = {"gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant", "gen_ai.choice": "assistant"}
_NUMBERED = re.compile(r"(?P<list>.+?)\.(?P<number>\d+)\.(?P<key>.+)")


def fits(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("resourceSpans", value.get("resourceLogs")), list)


def records(path: Path, searching: Collection[str], system: str, notes: list[str]) -> list[Record]:
    """The traces of a file, with the stores that it saw from their creation on."""
    spans = _spans(path)
    stores = _Stores(spans)
    steps = [stores.placed(span) for span in spans if span.operation not in _WRITES]
    if not steps:
        raise BadInput(f"{path} has no spans; export traces, not only logs or metrics")
    found = list(questions(path, steps, searching, system, notes))
    notes += stores.notes
    return [*stores.lines(path), *found]


@dataclass(slots=True)
class _Span:
    """One span, its attributes as plain values."""

    where: str
    trace: str
    id: str
    parent: str | None
    name: str
    start: float
    end: float | None
    attributes: dict[str, Any]
    messages: list[dict[str, Any]]
    error: str | None
    service: str

    @property
    def operation(self) -> str:
        kind = self.attributes.get("gen_ai.operation.name") or self.attributes.get("openinference.span.kind") or ""
        return str(kind).lower()

    @property
    def tool(self) -> str:
        return str(self.attributes.get("gen_ai.tool.name") or self.attributes.get("tool.name") or self.name)

    def first(self, *keys: str) -> Any:
        return next((self.attributes[key] for key in keys if self.attributes.get(key) is not None), None)

    def listed(self, prefix: str) -> list[dict[str, Any]]:
        """What stands flattened under a prefix: `prefix.0.content`, `prefix.1.content`, …"""
        found: dict[int, dict[str, Any]] = {}
        for key, value in self.attributes.items():
            match = _NUMBERED.fullmatch(key)
            if match and match["list"] == prefix:
                found.setdefault(int(match["number"]), {})[match["key"].rpartition(".")[2]] = value
        return [found[number] for number in sorted(found)]

    def step(self) -> Step:
        kind = _KINDS.get(self.operation, "other")
        asked = [one for one in self.messages if one["role"] == "user"]
        answered = [one for one in self.messages if one["role"] == "assistant"]
        given = self.first("gen_ai.input.messages", "gen_ai.prompt", "gen_ai.content.prompt")
        gave = self.first("gen_ai.output.messages", "gen_ai.completion", "gen_ai.content.completion")
        given = given or asked or self.listed("gen_ai.prompt") or self.listed("llm.input_messages")
        gave = gave or answered or self.listed("gen_ai.completion") or self.listed("llm.output_messages")
        if kind == "search":
            given = self.first("gen_ai.memory.query.text", "gen_ai.retrieval.query.text")
            gave = self.first("gen_ai.memory.records", "gen_ai.retrieval.documents")
            gave = gave if gave is not None else self.listed("retrieval.documents") or None
        elif kind == "tool":
            given, gave = self.first("gen_ai.tool.call.arguments"), self.first("gen_ai.tool.call.result")
        k = self.first("gen_ai.request.top_k") if kind == "search" else None
        return Step(
            where=self.where,
            trace=self.trace,
            id=self.id,
            parent=self.parent,
            kind=kind,
            name=self.tool,
            start=self.start,
            end=self.end,
            asked=given or self.first("input.value"),
            answered=gave if gave not in (None, []) else self.first("output.value"),
            error=self.error,
            k=int(k) if isinstance(k, int | float) and k >= 1 else None,
            system=self.service,
        )


@dataclass(slots=True)
class _Stores:
    """The memory stores whose whole life is in the file: what they held whenever they were searched."""

    spans: Sequence[_Span]
    notes: list[str] = field(default_factory=list)
    _looks: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    _searched: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        held: dict[str, dict[str, dict[str, Any]]] = {}
        begun: set[str] = set()
        partly: set[str] = set()
        for span in sorted(self.spans, key=lambda span: span.start):
            name = span.first("gen_ai.memory.store.id")
            if not isinstance(name, str):
                continue
            if span.operation == "create_memory_store":
                begun.add(name)
            elif span.operation in _WRITES and not _write(span, held.setdefault(name, {})):
                partly.add(name)
            elif span.operation == "search_memory" and name in begun and name not in partly:
                self._searched[span.id] = name, self._look(name, list(held.get(name, {}).values()), span.start)
        for name in sorted({*held} - begun):
            self.notes.append(
                f"store {name!r} was written to, but nothing shows its beginning (create_memory_store): "
                "whether a fact was stored is unknown"
            )
        for name in sorted(partly & begun):
            self.notes.append(f"store {name!r} was written to without gen_ai.memory.records: what it held is unknown")
            self._looks.pop(name, None)
            self._searched = {id: at for id, at in self._searched.items() if at[0] != name}

    def _look(self, name: str, memories: list[dict[str, Any]], at: float) -> str:
        looks = self._looks.setdefault(name, [])
        if not looks or looks[-1]["memories"] != memories:
            when = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
            looks.append({"after": f"{when} #{len(looks) + 1}", "memories": memories})
        return str(looks[-1]["after"])

    def placed(self, span: _Span) -> Step:
        """The step of a span; a search with its store and the state that it was in."""
        store, after = self._searched.get(span.id, (None, None))
        return replace(span.step(), store=store, after=after)

    def lines(self, path: Path) -> Iterator[Record]:
        for name, looks in self._looks.items():
            yield f"{path}, store {name!r}", {"store": name, "snapshots": looks}


def _write(span: _Span, held: dict[str, dict[str, Any]]) -> bool:
    """Do to a store what a span did to it; False if the span doesn't say what that was."""
    if span.operation == "delete_memory":
        return held.pop(str(span.first("gen_ai.memory.record.id")), None) is not None
    written = opened(span.first("gen_ai.memory.records"))
    if isinstance(written, Mapping):
        written = [written]
    if not isinstance(written, list):
        return False
    for number, one in enumerate(written, start=1):
        kept = memory(one, f"{span.where}, record {number}")
        if "text" not in kept:
            return False
        kept.pop("score", None)
        held[kept.get("id") or kept["text"]] = kept
    return True


# ------------------------------------------------------------------ OTLP


def _spans(path: Path) -> list[_Span]:
    spans: list[_Span] = []
    logged: list[tuple[str, dict[str, Any]]] = []
    for where, value in read_values(path):
        if not fits(value):
            raise BadInput(f"{where}: no OTLP export (an object with resourceSpans); is it the right file?")
        for group in _objects(value.get("resourceSpans")):
            resource = _attributes(_object(group.get("resource")).get("attributes"))
            service = str(resource.get("service.name") or "")
            for scope in _objects(group.get("scopeSpans") or group.get("instrumentationLibrarySpans")):
                spans += [_span(span, where, service) for span in _objects(scope.get("spans"))]
        for group in _objects(value.get("resourceLogs")):
            for scope in _objects(group.get("scopeLogs")):
                for log in _objects(scope.get("logRecords")):
                    body = _plain(_object(log.get("body")))
                    name = str(log.get("eventName") or "")
                    about = _attributes(log.get("attributes")) | (body if isinstance(body, dict) else {})
                    logged.append((str(log.get("spanId") or ""), {"event.name": name, **about}))
    by_id = {span.id: span for span in spans}
    for id, about in logged:
        if id in by_id:
            _take_event(by_id[id], str(about.pop("event.name", "")), about)
    return spans


def _span(span: Mapping[str, Any], where: str, service: str) -> _Span:
    id, trace = span.get("spanId"), span.get("traceId")
    if not isinstance(id, str) or not isinstance(trace, str) or not id or not trace:
        raise BadInput(f"{where}: a span has no spanId or no traceId; export it as OTLP JSON")
    place = f"{where}, span {id}"
    status = _object(span.get("status"))
    failed = status.get("code") in (2, "STATUS_CODE_ERROR")
    start = _seconds(span.get("startTimeUnixNano"), place)
    if start is None:
        raise BadInput(f"{place}: it has no startTimeUnixNano; export it as OTLP JSON")
    found = _Span(
        where=place,
        trace=trace,
        id=id,
        parent=str(span.get("parentSpanId") or "") or None,
        name=str(span.get("name") or ""),
        start=start,
        end=_seconds(span.get("endTimeUnixNano"), place),
        attributes=_attributes(span.get("attributes")),
        messages=[],
        error=(str(status.get("message") or "") or "the span ended with an error") if failed else None,
        service=service,
    )
    for event in _objects(span.get("events")):
        _take_event(found, str(event.get("name") or ""), _attributes(event.get("attributes")))
    return found


def _take_event(span: _Span, name: str, about: dict[str, Any]) -> None:
    """What an event tells of its span: a message, as it was until v1.36, or attributes that the span lacks."""
    name = name or str(about.get("event.name") or "")
    if name in _EVENTS:
        held = opened(about.get("message"))
        content = held.get("content") if isinstance(held, Mapping) else about.get("content") or held
        span.messages.append({"role": _EVENTS[name], "content": content})
        return
    for key, value in about.items():
        if key.startswith("gen_ai."):
            span.attributes.setdefault(key, value)


def _seconds(nanoseconds: Any, where: str) -> float | None:
    if nanoseconds in (None, ""):
        return None
    try:
        return int(nanoseconds) / 1e9
    except (TypeError, ValueError):
        raise BadInput(f"{where}: {str(nanoseconds)[:40]!r} is no time in nanoseconds") from None


def _attributes(pairs: Any) -> dict[str, Any]:
    return {str(pair.get("key")): _plain(_object(pair.get("value"))) for pair in _objects(pairs)}


def _plain(value: Mapping[str, Any], depth: int = 0) -> Any:
    """The plain value of an attribute: OTLP names the type of each."""
    if depth > 20:
        return None
    for key in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if key in value:
            return value[key]
    if "intValue" in value:
        number = str(value["intValue"])
        return int(number) if re.fullmatch(r"-?\d{1,20}", number) else None
    if "arrayValue" in value:
        return [_plain(one, depth + 1) for one in _objects(_object(value["arrayValue"]).get("values"))]
    if "kvlistValue" in value:
        pairs = _objects(_object(value["kvlistValue"]).get("values"))
        return {str(pair.get("key")): _plain(_object(pair.get("value")), depth + 1) for pair in pairs}
    return None


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _objects(values: Any) -> list[Mapping[str, Any]]:
    return [value for value in values if isinstance(value, Mapping)] if isinstance(values, list) else []
