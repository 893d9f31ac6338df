"""What an MCP server's tools are for, guessed from their names and arguments; a mapping file overrules it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memtriage.core.errors import BadSystem
from memtriage.systems.remote.mapping import Step, Steps

_RETRIEVE = ("search", "retrieve", "recall", "query", "find", "lookup", "ask", "get_relevant")
_STORE = ("add", "store", "save", "remember", "insert", "create", "write", "memorize", "memorise", "record", "ingest")
_ALL = ("get_all", "list_all", "list", "read_graph", "all", "dump", "export", "get_memories", "browse")
_RESET = ("delete_all", "clear", "reset", "wipe", "forget_all", "purge", "remove_all")
_CHANGE = ("update", "edit", "set", "delete", "remove", "forget", "move", "merge", "link", "put", "append", "upsert")
_QUERY = ("query", "q", "search", "search_query", "question", "text", "prompt", "input", "keyword", "content")
_TEXT = ("text", "content", "memory", "data", "message", "observation", "fact", "note", "information", "input", "body")
_COUNT = ("limit", "k", "top_k", "topk", "n", "n_results", "num_results", "max_results", "count", "size")
_SCOPE = (
    "user_id",
    "userid",
    "user",
    "namespace",
    "session_id",
    "agent_id",
    "group_id",
    "project",
    "collection",
    "scope",
)

_GRAPH = Steps(
    {
        "store": Step(
            "create_entities",
            each="turn",
            arguments={
                "entities": [{"name": "{turn}", "entityType": "{role}", "observations": ["{text}"]}],
            },
        ),
        "retrieve": Step(
            "search_nodes", arguments={"query": "{query}"}, items="entities", text="observations", id="name"
        ),
        "all": Step("read_graph", items="entities", text="observations", id="name"),
    },
    environment={"MEMORY_FILE_PATH": "{home}/memory.json"},
)
"""The reference knowledge-graph server: every turn an entity with one observation."""

_NODES = Step(items="entities", text="observations", id="name", about="name", kind="entityType", edges="relations")
_DRIVEN_GRAPH = replace(
    _GRAPH,
    steps={
        "retrieve": replace(_NODES, tool="search_nodes", arguments={"query": "{query}"}),
        "all": replace(_NODES, tool="read_graph"),
    },
)
"""The same server in the hands of a model: what an observation is about stands in its entity's name."""


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool as a server lists it."""

    name: str
    properties: Mapping[str, Any]
    required: Sequence[str]
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    read_only: bool | None = None

    @property
    def reads(self) -> bool:
        """Whether it changes nothing: the server says so or, where it says nothing, the tool's name does."""
        if self.read_only is not None:
            return self.read_only
        return not any(_says(self.name, verb) for verb in (*_STORE, *_RESET, *_CHANGE))


def guess_steps(tools: Sequence[ServerTool], server: str, driven: bool = False) -> Steps:
    """A mapping for the tools of a server; refused with their names where none searches or none stores.

    If a model uses the tools (`driven`), it finds those by itself.
    """
    if {"create_entities", "search_nodes", "read_graph"} <= {tool.name for tool in tools}:
        return _DRIVEN_GRAPH if driven else _GRAPH
    found = {
        "store": _first(tools, _STORE, _store),
        "retrieve": _first(tools, _RETRIEVE, _retrieve),
        "all": _first(tools, _ALL, _plain),
        "reset": _first(tools, _RESET, _plain),
    }
    for name, what in (("retrieve", "search"), ("store", "store")):
        if found[name] is None and not driven:
            listed = ", ".join(tool.name for tool in tools) or "none"
            raise BadSystem(
                f"{server} has no tool to {what} memories with (its tools: {listed}); "
                f"name the right ones in a mapping file: mcp[map=memory.toml]:…, see docs/mcp-and-http.md"
            )
    return Steps({name: step for name, step in found.items() if step is not None})


def _first(tools: Sequence[ServerTool], verbs: Sequence[str], make: Any) -> Step | None:
    """The tool whose name says one of the verbs most plainly, and whose arguments can be filled."""
    for verb in verbs:
        named = [tool for tool in tools if _says(tool.name, verb)]
        for tool in sorted(named, key=lambda tool: ("memor" not in tool.name.lower(), len(tool.name))):
            step: Step | None = make(tool)
            if step is not None:
                return step
    return None


def _says(name: str, verb: str) -> bool:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_")
    return re.search(rf"(?:^|_){verb}(?:_|$|s_|s$)", words) is not None


def _retrieve(tool: ServerTool) -> Step | None:
    query = _property(tool, _QUERY, "string")
    if query is None:
        return None
    arguments: dict[str, Any] = {query: "{query}"}
    if (count := _property(tool, _COUNT, "integer", "number")) is not None:
        arguments[count] = "{k}"
    return _filled(tool, arguments)


def _store(tool: ServerTool) -> Step | None:
    if (messages := _property(tool, ("messages", "conversation", "turns"), "array")) is not None:
        return _filled(tool, {messages: "{messages}"})
    text = _property(tool, _TEXT, "string")
    if text is None:
        return None
    return _filled(tool, {text: "{text}"}, each="turn")


def _plain(tool: ServerTool) -> Step | None:
    arguments: dict[str, Any] = {}
    if (count := _property(tool, _COUNT, "integer", "number")) is not None:
        arguments[count] = 10_000
    return _filled(tool, arguments)


def scope_argument(tool: ServerTool) -> str | None:
    """The argument that names the store, such as user_id."""
    return _property(tool, _SCOPE, "string")


def _filled(tool: ServerTool, arguments: dict[str, Any], each: str = "session") -> Step | None:
    """The step, if nothing that the tool demands is left open."""
    scope = scope_argument(tool)
    if scope is not None and scope not in arguments:
        arguments[scope] = "{scope}"
    if any(name not in arguments for name in tool.required):
        return None
    return Step(tool.name, each=each, arguments=arguments)


def _property(tool: ServerTool, names: Sequence[str], *kinds: str) -> str | None:
    """The first of these arguments that the tool takes, of a fitting kind."""
    for name in names:
        for own, schema in tool.properties.items():
            if own.lower() == name and _kinds(schema) & {*kinds}:
                return own
    return None


def _kinds(schema: Any) -> set[str]:
    """The JSON types that an argument may have."""
    options = [schema, *schema.get("anyOf", ())] if isinstance(schema, Mapping) else []
    kinds = [each.get("type") for each in options if isinstance(each, Mapping)]
    return {one for kind in kinds for one in (kind if isinstance(kind, list) else [kind]) if isinstance(one, str)}
