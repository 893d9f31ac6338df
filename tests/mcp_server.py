"""A small MCP memory server made with the official SDK, for the tests; what it offers depends on its first argument."""

from __future__ import annotations

import sys

from mcp.server.mcpserver import MCPServer

kind = sys.argv[1] if len(sys.argv) > 1 else "whole"
server = MCPServer("notes")
kept: list[dict[str, str]] = []


@server.tool()
def add_memory(text: str, user_id: str = "") -> str:
    """Remember a text."""
    if "crash" in text:
        raise ValueError("out of ink")
    kept.append({"id": str(len(kept)), "memory": text, "user_id": user_id})
    return "ok"


if kind != "deaf":

    @server.tool()
    def search_memories(query: str, limit: int = 3, user_id: str = "") -> list[dict[str, str]]:
        """Find texts that share words with a query."""
        asked = set(query.lower().strip("?").split())
        mine = [note for note in kept if note["user_id"] == user_id]
        return sorted(mine, key=lambda note: -len(asked & set(note["memory"].lower().strip(".").split())))[:limit]


if kind == "whole":

    @server.tool()
    def list_memories(user_id: str = "") -> list[dict[str, str]]:
        """Everything."""
        return [note for note in kept if note["user_id"] == user_id]


if kind == "answering":

    @server.tool()
    def ask(question: str, user_id: str = "") -> dict[str, object]:
        """Answer a question from the newest text."""
        mine = [note for note in kept if note["user_id"] == user_id]
        return {"answer": f"{question} -> {mine[-1]['memory']}", "sources": mine[-1:]}


if __name__ == "__main__":
    if len(sys.argv) > 2:
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run("stdio")
