"""Any MCP memory server as a memory system: `mcp:npx some-memory-server`, `mcp:http://127.0.0.1:8000/mcp`.

summarise, store, retrieve: all three happen in the server; its tools are mapped onto the three functions, by guess or
by a mapping file, or a model uses them as they are meant to be used (`drive=model`). This module runs in a process of
its own, with a server of its own for every store.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO, TypeVar

from memtriage.core.errors import MemtriageError, install_extra, unknown
from memtriage.systems.remote import mapping
from memtriage.systems.remote.driver import ROUNDS, Called, Driver
from memtriage.systems.remote.guess_mapping import ServerTool, guess_steps, scope_argument
from memtriage.systems.remote.side.memtriage_adapter import (
    Answered,
    Info,
    Question,
    Refused,
    Session,
    Settings,
    notice,
    serve,
)
from memtriage.systems.tool_loop import RefusedAction

T = TypeVar("T")

OPTIONS = {
    "server": "command or URL",
    "map": "a mapping file",
    "drive": "who uses its tools: rules (the default: whole turns and questions go to mapped tools) or model",
    "rounds": f"how many replies of the model a conversation or question may take ({ROUNDS})",
}
_START = 60.0
_BAD_CALL = (-32601, -32602, -32603)
"""How a server says that it can't do what a call asks for."""
_OWN_FILE = {"MEMORY_FILE_PATH": "{home}/memory.json"}
"""Where the reference server, and others like it, keep what they know: a file for each store."""


class Server:
    """One server and its store. Everything is asked over one connection, opened when it is first needed."""

    def __init__(self, settings: Settings, steps: mapping.Steps | None) -> None:
        self._settings = settings
        self._target = settings.options["server"]
        self._steps = steps
        self._rounds = _driven_rounds(settings)
        self._driver: Driver | None = None
        self._client: Any = None
        self._done = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stderr: TextIO | None = None
        self.scoped = False
        """Whether a tool takes an argument that names the store; known once it was looked at."""

    async def store_conversation(self, conversation: Session) -> None:
        if self._rounds:
            await self._drive(lambda driver, call: driver.keep(conversation, call))
            return
        step = (await self._mapped())["store"]
        for values in mapping.calls(step, conversation, self._settings.scope, str(self._settings.home)):
            await self._call(step, values)

    async def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Any]:
        if self._rounds:
            returned = await self._drive(lambda driver, call: driver.find(query, conversation, call))
            return self._returned_memories(returned)[:k]
        step = (await self._mapped())["retrieve"]
        values = {**self._place(), "query": query, "k": k, "timestamp": conversation.timestamp}
        return mapping.memories(await self._call(step, values), step)

    async def answer(self, question: Question) -> Answered:
        if self._rounds:
            text, returned = await self._drive(lambda driver, call: driver.answer(question, call))
            return Answered(text, self._returned_memories(returned))
        step = (await self._mapped())["answer"]
        reply = await self._call(step, {**self._place(), **mapping.question_values(question)})
        return Answered(*mapping.answer(reply, step))

    async def get_all_memories(self) -> list[Any]:
        step = (await self._mapped())["all"]
        return mapping.memories(await self._call(step, self._place()), step)

    async def settle(self) -> None:
        steps = await self._mapped()
        if "settle" in steps:
            await self._call(steps["settle"], self._place())

    async def close(self) -> None:
        """Empty the store where the server can, and end the server."""
        steps = self._steps
        if self._client is not None and steps is not None and "reset" in steps:
            await self._call(steps["reset"], self._place())
        self._done.set()
        if self._task is not None:
            with suppress(Exception):  # a server that does not end politely is ended by the guard
                await self._task

    async def _drive(self, work: Callable[[Driver, Called], T]) -> T:
        """Have the model work in a thread, so that the server can be asked from it over its connection here."""
        await self._mapped()
        if self._driver is None:
            assert self._settings.internal is not None  # `Adapter.prepare` refuses to go without
            tools, said = await self._tools(), self._client.instructions or ""
            self._driver = Driver(self._settings.internal, tools, self._settings.scope, said, self._rounds)
        from mcp import MCPError

        driver, loop = self._driver, asyncio.get_running_loop()

        def call(tool: str, arguments: Mapping[str, Any]) -> Any:
            asked = asyncio.run_coroutine_threadsafe(self._client.call_tool(tool, dict(arguments)), loop)
            try:
                return _read(asked.result(), tool)
            except ToolFailed as error:
                raise RefusedAction(str(error)) from error
            except MCPError as error:
                if error.error.code not in _BAD_CALL:  # a server that is gone is no matter for the model
                    raise
                raise RefusedAction(str(error)) from error

        done = await asyncio.to_thread(work, driver, call)
        if not driver.finished:
            notice(f"the model was stopped after {self._rounds} rounds, before it was done; rounds=… allows more")
        return done

    def _returned_memories(self, returned: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
        """The memories that tools returned, in that order, each once: by the mapping, or else as texts."""
        steps = self._steps.steps if self._steps is not None else {}
        found: dict[str, dict[str, Any]] = {}
        for tool, reply in returned:
            mapped = sorted(steps.values(), key=lambda step: step.tool != tool)
            for step in (*mapped, mapping.Step(tool)):
                if memories := mapping.memories(reply, step):
                    for memory in memories:
                        found.setdefault(memory["text"], memory)
                    break
        return list(found.values())

    def _place(self) -> dict[str, Any]:
        return {"scope": self._settings.scope, "home": str(self._settings.home)}

    async def _mapped(self) -> mapping.Steps:
        """The mapping, with the server running."""
        if self._client is None:
            ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._hold(ready))
            self._client = await asyncio.wait_for(ready, _START)
        if self._steps is None:
            self._steps = guess_steps(await self._tools(), self._target, driven=bool(self._rounds))
        return self._steps

    async def look(self) -> mapping.Steps:
        """The mapping, with every tool that it names known to the server."""
        with (self._settings.home / "stderr.txt").open("w+", encoding="utf-8", errors="replace") as self._stderr:
            try:
                return await self._looked()
            finally:
                self._stderr.seek(0)
                sys.stderr.write(self._stderr.read())

    async def _looked(self) -> mapping.Steps:
        steps = await self._mapped()
        listed = await self._tools()
        self.scoped = any(scope_argument(tool) for tool in listed)
        tools = [tool.name for tool in listed]
        for name, step in steps.steps.items():
            if step.tool not in tools:
                raise Refused(f"the mapping's [{name}]: {unknown('tool', step.tool, tools)}")
        await self.close()
        return steps

    async def _hold(self, ready: asyncio.Future[Any]) -> None:
        """Keep the connection open in one task, as the SDK wants it."""
        from mcp import Client

        try:
            async with Client(self._transport()) as client:
                ready.set_result(client)
                await self._done.wait()
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(Refused(f"{self._target} can't be reached: {_innermost(error)}{self._stderr_tail()}"))

    def _stderr_tail(self) -> str:
        """What a server that did not come up wrote last, which often says why."""
        if self._stderr is None:
            return ""
        self._stderr.seek(0)
        lines = [line.strip() for line in self._stderr if line.strip()]
        return f"; it wrote: {lines[-1][:300]}" if lines else ""

    def _transport(self) -> Any:
        from mcp import StdioServerParameters, stdio_client

        if self._target.startswith(("http://", "https://")):
            return self._target
        command, *arguments = shlex.split(self._target)
        environment = dict(os.environ)
        environment.pop("PYTHONPATH", None)  # that is this process's, not the server's
        steps = self._steps
        wanted: Mapping[str, str] = steps.environment if steps is not None else _OWN_FILE
        environment |= {name: str(mapping.filled(text, self._place())) for name, text in wanted.items()}
        started = StdioServerParameters(command=command, args=arguments, env=environment, cwd=self._settings.home)
        return stdio_client(started, self._stderr or sys.stderr)

    async def _tools(self) -> list[ServerTool]:
        listed: list[ServerTool] = []
        cursor = None
        while True:
            page = await self._client.list_tools(cursor=cursor)
            for tool in page.tools:
                schema, hints = tool.input_schema or {}, tool.annotations
                taken = (schema.get("properties") or {}, schema.get("required") or ())
                reads = hints.read_only_hint if hints is not None else None
                listed.append(ServerTool(tool.name, *taken, tool.description or "", schema, reads))
            cursor = page.next_cursor
            if not cursor:
                return listed

    async def _call(self, step: mapping.Step, values: Mapping[str, Any]) -> Any:
        arguments = mapping.filled(step.arguments, values)
        result = await self._client.call_tool(step.tool, arguments)
        return _read(result, step.tool)


class ToolFailed(RuntimeError):
    """A tool of the server said that it failed."""


def _read(result: Any, tool: str) -> Any:
    """What a tool returned: structured if it is, else its texts, parsed where they are JSON."""
    texts = [part.text for part in result.content if isinstance(getattr(part, "text", None), str)]
    if result.is_error:
        raise ToolFailed(f"tool {tool} failed: {' '.join(texts)[:5000] or 'without a word'}")
    if result.structured_content is not None:
        return result.structured_content
    return [_parsed(text) for text in texts] if len(texts) > 1 else _parsed(texts[0]) if texts else None


def _driven_rounds(settings: Settings) -> int:
    """How many rounds a model that uses the tools may take; 0 if none does."""
    drive = settings.options.get("drive", "rules")
    if drive not in ("rules", "model"):
        raise Refused(unknown("drive", drive, ("rules", "model")))
    rounds = settings.options.get("rounds", str(ROUNDS))
    if not re.fullmatch("[1-9][0-9]{0,3}", rounds):
        raise Refused(f"rounds must be a whole number of at least 1, not {rounds!r}")
    return int(rounds) if drive == "model" else 0


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _innermost(error: BaseException) -> str:
    """What really happened, inside the groups in which it arrives."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


class Adapter:
    """Looks at the server once, then makes its stores."""

    def __init__(self) -> None:
        self._steps: mapping.Steps | None = None
        self._scoped = False

    def prepare(self, settings: Settings) -> Info:
        """Refuse what can't work before any store is made."""
        try:
            found = version("mcp")
        except ImportError:
            raise Refused(f"MCP servers need the package mcp; install it with: {install_extra('mcp')}") from None
        if not settings.options.get("server"):
            raise Refused("no server is named; write mcp:COMMAND or mcp:URL")
        driven = _driven_rounds(settings)
        if driven and settings.internal is None:
            raise Refused("drive=model needs a model that uses the server's tools; name one with --internal")
        path = settings.options.get("map")
        try:
            steps = mapping.read(Path(path), () if driven else mapping.NEEDED) if path else None
            asyncio.run(self._look(settings, steps))
        except MemtriageError as error:
            raise Refused(str(error)) from error
        return Info(f"mcp {found}", tuple(self._warnings(settings)))

    async def _look(self, settings: Settings, given: mapping.Steps | None) -> None:
        with tempfile.TemporaryDirectory(prefix="memtriage-") as home:
            server = Server(replace(settings, scope="look", home=Path(home)), given)
            self._steps, self._scoped = await server.look(), server.scoped

    def _warnings(self, settings: Settings) -> Iterator[str]:
        """What a report has to say of this server."""
        steps = self._steps
        if steps is None:
            return
        if _driven_rounds(settings):
            listing = steps["all"].tool if "all" in steps else "no tool"
            rounds = _driven_rounds(settings)
            yield f"the internal model uses its tools, for at most {rounds} rounds; {listing} lists what it holds"
            apart = self._scoped or "reset" in steps or bool(steps.environment)
        else:
            used = ", ".join(f"{name} = {step.tool}" for name, step in steps.steps.items())
            if not settings.options.get("map"):
                yield f"its tools were mapped by guess: {used}"
            apart = "scope" in {*mapping.holes(steps["store"].arguments)} or "reset" in steps or bool(steps.environment)
        if not apart:
            yield "no argument names a store and no tool empties it: run `memtriage check` to see whether stores leak"

    def make(self, settings: Settings) -> Server:
        server = Server(settings, self._steps)
        driven = _driven_rounds(settings)
        for do, name in (("all", "get_all_memories"), ("answer", "answer")):
            if not (driven and do == "answer") and (self._steps is None or do not in self._steps):
                setattr(server, name, None)  # what the server can't do, the store hasn't got
        return server


if __name__ == "__main__":
    adapter = Adapter()

    def make(settings: Settings):  # type: ignore[no-untyped-def]  # what it returns is seen from a store
        return adapter.make(settings)

    serve(make, name="mcp", options=OPTIONS, prepare=adapter.prepare)
