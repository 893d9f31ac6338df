"""mosaic as an MCP server: five tools over stdio, or over HTTP on this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, fields
from inspect import getdoc
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field, ValidationError

from memtriage.core.errors import BadInput, MemtriageError, unknown
from memtriage.host.version import installed_version
from memtriage.mosaic import Entry, MosaicMemory
from memtriage.mosaic.tools import now
from memtriage.systems.designs.rules.dates import day

LONGEST_TEXT, LONGEST_QUERY, LONGEST_NAME = 100_000, 10_000, 200
MOST_FOUND, MOST_LISTED = 100, 10_000

_INSTRUCTIONS = """\
A long-term memory of what was said. Call search_memory before you answer anything that may depend on earlier
conversations. Call add_memory for whatever the user says about themselves, their people, plans, preferences and
decisions, in the user's own words and whole sentences: "I have a new job as a baker", not "job: baker". Report changes
by adding them; the memory works out which earlier memories they overtake. Don't summarise, and don't forget a memory
because it is out of date: forget_memory is for what the user wants erased."""

Text = Annotated[
    str, Field(min_length=1, max_length=LONGEST_TEXT, description="What was said, word for word, in whole sentences.")
]
Query = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_QUERY, description="A whole question in the user's words: Where do I work?"),
]
Id = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, description="The id of a memory.")]
Session = Annotated[
    str, Field(max_length=LONGEST_NAME, description="A name for the conversation that it belongs to, if there is one.")
]
Said = Annotated[
    str | None, Field(max_length=LONGEST_NAME, description="When it was said, such as 2026-03-01; now if left out.")
]
Asked = Annotated[
    str | None,
    Field(max_length=LONGEST_NAME, description="When it is asked, for questions about last week; now if left out."),
]


@dataclass(frozen=True)
class Kept:
    """A memory: what was said, by whom, in which conversation and when."""

    id: str
    text: str
    role: str
    session: str
    at: str | None


@dataclass(frozen=True)
class Found(Kept):
    """A memory that was found: how well it fits, why it came, through which other one, and which one overtook it."""

    score: float
    why: str
    by: str | None
    voided_by: str | None


@dataclass(frozen=True)
class Happened:
    """What a later memory did to another one: changed, replaced or voided it."""

    kind: str
    memory: Kept


@dataclass(frozen=True)
class Added:
    """What `add_memory` returns."""

    id: str


@dataclass(frozen=True)
class FoundMemories:
    """What `search_memory` returns."""

    memories: list[Found]


@dataclass(frozen=True)
class ListedMemories:
    """What `list_memories` returns."""

    memories: list[Kept]
    total: int


@dataclass(frozen=True)
class Forgotten:
    """What `forget_memory` returns."""

    forgotten: str


@dataclass(frozen=True)
class History:
    """What `memory_history` returns."""

    events: list[Happened]


class _Server(MCPServer[Any]):
    """A server whose errors are one sentence."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        tool = self._tool_manager.get_tool(name)
        known = tuple(tool.parameters.get("properties", ())) if tool else tuple(arguments)
        for argument in arguments:
            if argument not in known:
                raise ToolError(unknown(f"argument of {name}", argument, known))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                first = cause.errors(include_url=False, include_context=False, include_input=False)[0]
                raise ToolError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
            if isinstance(cause, MemtriageError | ToolError):
                raise ToolError(str(cause)) from None
            raise


def serve_http(server: MCPServer[Any], listening: socket.socket) -> None:
    """Serve over HTTP on a socket that listens on this machine, until somebody ends it."""
    import uvicorn

    app = server.streamable_http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listening])


def mosaic_server(memory: MosaicMemory) -> MCPServer[Any]:
    """A server with a memory behind it: `.run("stdio")` or `.run("streamable-http", port=8000)`.

    Its tools are coroutines, so that the memory is used by one call at a time.
    """
    version = installed_version("memtriage") or ""
    server = _Server("mosaic", instructions=_INSTRUCTIONS, version=version, log_level="WARNING")

    def tool(title: str, **hints: Any) -> Callable[[Callable[..., Any]], None]:
        def register(function: Callable[..., Any]) -> None:
            known = ToolAnnotations(open_world_hint=False, **hints)
            server.add_tool(function, title=title, description=getdoc(function), annotations=known)

        return register

    @tool("Remember", read_only_hint=False, destructive_hint=False)
    async def add_memory(
        text: Text, role: Literal["user", "assistant"] = "user", session: Session = "", at: Said = None
    ) -> Added:
        """Keep something that was said, word for word, for later conversations.

        Add news and corrections as they are said; earlier memories that they overtake are found by themselves.
        """
        if not text.strip():
            raise ToolError("text is blank; say what to keep")
        return Added(memory.add(text, role=role, session=session, at=_time(at)))

    @tool("Search memories", read_only_hint=True)
    async def search_memory(
        query: Query,
        limit: Annotated[int, Field(ge=1, le=MOST_FOUND)] = 10,
        max_tokens: Annotated[int | None, Field(ge=1, description="Stop before the texts have more tokens.")] = None,
        at: Asked = None,
    ) -> FoundMemories:
        """Find the memories that bear most on a question, the best first.

        `voided_by` names a later memory that changed or replaced what this one says: believe the later one.
        `why` says how a memory came up: it fits the question (seed), continues a chain of facts (chain), is like
        the best ones (relative), or changes something that fits (dependency).
        """
        if not query.strip():
            raise ToolError("query is blank; ask something")
        hits = memory.search(query, limit, at=_time(at), tokens=max_tokens)
        return FoundMemories(
            [
                Found(**_parts(hit.entry), score=hit.score, why=hit.why, by=hit.by, voided_by=hit.voided_by)
                for hit in hits
            ]
        )

    @tool("List memories", read_only_hint=True)
    async def list_memories(
        limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 100,
        offset: Annotated[int, Field(ge=0, description="How many of the oldest to skip.")] = 0,
    ) -> ListedMemories:
        """List what is kept, oldest first, and say how much there is in total."""
        return ListedMemories([Kept(**_parts(entry)) for entry in memory.page(offset, limit)], len(memory))

    @tool("Forget a memory", read_only_hint=False, destructive_hint=True, idempotent_hint=True)
    async def forget_memory(id: Id) -> Forgotten:
        """Erase a memory for good. Only for what the user wants erased; what is out of date may stay."""
        if not memory.forget(id):
            raise ToolError(_NO_MEMORY.format(id))
        return Forgotten(id)

    @tool("History of a memory", read_only_hint=True)
    async def memory_history(id: Id) -> History:
        """What later memories did to this one, oldest first: changed what it hangs on, replaced or voided it."""
        try:
            events = memory.history(id)
        except BadInput:
            raise ToolError(_NO_MEMORY.format(id)) from None
        return History([Happened(event.kind, Kept(**_parts(event.entry))) for event in events])

    return server


_NO_MEMORY = "there is no memory {!r}; list_memories and search_memory give the ids there are"


def _parts(entry: Entry) -> dict[str, Any]:
    return {field.name: getattr(entry, field.name) for field in fields(Kept)}


def _time(at: str | None) -> str:
    if at is not None and day(at) is None:
        raise ToolError(f"at: {at!r} names no day; write it as 2026-03-01 or 2026-03-01T09:30")
    return at or now()
