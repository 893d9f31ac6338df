"""mosaic in the OpenAI Agents SDK: a session whose words are remembered, and tools for an agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memtriage.core.errors import install_extra
from memtriage.mosaic import Entry, MosaicMemory
from memtriage.mosaic.tools import memory_functions, now

try:
    from agents import FunctionTool, Session, SQLiteSession, function_tool
except ImportError as error:
    needed = install_extra("agents")
    raise ImportError(f"mosaic in the Agents SDK needs openai-agents; install it with: {needed}") from error

if TYPE_CHECKING:
    from agents import TResponseInputItem
    from agents.memory import SessionSettings


class MosaicSession:
    """A conversation that is kept item by item, and whose words are in a memory as well.

    `items` is the session that keeps the items as they are, calls of tools among them; left out, they last as long as
    this process. What the user and the assistant said also goes into the memory, and is found there from other
    conversations.
    """

    def __init__(self, session_id: str, memory: MosaicMemory, items: Session | None = None) -> None:
        self.session_id = session_id
        self.memory = memory
        self.items: Session = SQLiteSession(session_id) if items is None else items

    @property
    def session_settings(self) -> SessionSettings | None:
        """How many items are sent along, among others."""
        return self.items.session_settings

    @session_settings.setter
    def session_settings(self, settings: SessionSettings | None) -> None:
        self.items.session_settings = settings

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The conversation, or its last items, oldest first."""
        return await self.items.get_items(limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keep items, and remember what the user and the assistant said in them."""
        at = now()
        said = [_said(item) for item in items]
        self.memory.add_all([Entry("", text, role, self.session_id, at) for role, text in said if text.strip()])
        await self.items.add_items(items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item back, and forget what was said in it."""
        item = await self.items.pop_item()
        if item is not None:
            role, text = _said(item)
            lines = _lines(text)
            for pieces in reversed(self._kept()):
                if pieces[0].role == role and [line for piece in pieces for line in _lines(piece.text)] == lines:
                    self._forget([pieces])
                    break
        return item

    async def clear_session(self) -> None:
        """Drop the conversation, and forget everything that was said in it."""
        await self.items.clear_session()
        self._forget(self._kept())

    def _kept(self) -> list[list[Entry]]:
        """The memory's entries of this conversation; a long list is kept in pieces."""
        kept: dict[str, list[Entry]] = {}
        for entry in self.memory.of_session(self.session_id):
            kept.setdefault(entry.id.partition("#")[0], []).append(entry)
        return list(kept.values())

    def _forget(self, kept: Iterable[Sequence[Entry]]) -> None:
        with self.memory.batch():
            for pieces in kept:
                for piece in pieces:
                    self.memory.forget(piece.id)


def memory_tools(memory: MosaicMemory, *, session: str = "", k: int = 5) -> list[FunctionTool]:
    """The tools `remember` and `recall`, for an agent that decides itself what to keep and what to look up."""
    return [function_tool(function) for function in memory_functions(memory, session=session, k=k)]


def _said(item: Mapping[str, Any]) -> tuple[str, str]:
    """Who said what in an item; nothing in one that is no message of the user's or the assistant's."""
    role, content = item.get("role"), item.get("content")
    if role not in ("user", "assistant"):
        return "", ""
    if isinstance(content, str):
        return role, content
    texts = [part.get("text") for part in content or () if isinstance(part, Mapping)]
    return role, "\n".join(text for text in texts if isinstance(text, str))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
