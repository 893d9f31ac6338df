"""Letta (the MemGPT of the paper) on a server of yours, one agent per store.

summarise: nothing with `memory=archival`; with `memory=agent` the agent itself decides what to write down
store:     archival passages with embeddings, and with `memory=agent` the agent's own memory blocks
retrieve:  semantic search over the passages; blocks come first, since an agent always sees them

What the adapter does for Letta's ways: archive and blocks of an agent outlive it, so all three are deleted; a listing
stops at 100 passages, so it is paged; a search stops at its own default, so k is asked for; a passage of more than
8192 tokens is refused, so a long session becomes several; an agent without an embedding model has no semantic search,
so one has to be named; writes are never repeated by the client, since a repeated insert is stored twice.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import letta_client
from letta_client import Letta
from memtriage_adapter import Info, Memory, Refused, Session, Settings, Turn, serve, trouble

OPTIONS = {
    "address": "where the Letta server is, such as http://127.0.0.1:8283; its key, if any, in LETTA_API_KEY",
    "memory": "archival: each session becomes a passage; agent: an agent reads the turns and keeps what it likes",
    "unit": "with memory=archival, what one passage holds: session (default) or turn",
    "embedding": "the server's embedding model, such as openai/text-embedding-3-small",
    "model": "the server's chat model, such as openai/gpt-4.1-mini; asked with memory=agent only, but always wanted",
    "agent_type": "with memory=agent, the kind of agent (default letta_v1_agent)",
    "max_steps": "with memory=agent, how often the agent may act on one session (default 20)",
    "request_timeout": "seconds to wait for one answer of the server (default 300)",
    "passage": "most characters of one passage; a longer session is cut between its turns (default 20000)",
    "page": "passages asked for at once when everything is listed (default 100)",
}
BLOCKS = {
    "persona": "I keep what I am told about the user, exactly as it was said, so that I can answer questions later.",
    "human": "",
}
TOOLS = ["archival_memory_insert", "archival_memory_search"]
NOTICE = "The Letta server calls its models itself: their tokens and cost are not counted here."


class Agent:
    """One store: an agent of its own on the server."""

    def __init__(self, settings: Settings) -> None:
        self.options = settings.options
        self.page = int(self.options.get("page", "100"))
        self.client = connect(settings)
        self.writer = self.client.with_options(max_retries=0)
        self.sources: dict[str, tuple[str, ...]] = {}
        with explained_errors(settings):
            self.agent = self.writer.agents.create(**self._agent_settings(settings.scope)).id

    def store_conversation(self, conversation: Session) -> None:
        if self.options.get("memory", "archival") == "agent":
            self._tell(conversation)
            return
        most = 0 if self.options.get("unit") == "turn" else int(self.options.get("passage", "20000"))
        for turns in pieces(conversation.turns, most):
            text = "\n".join(line(turn) for turn in turns)
            given: dict[str, Any] = {"created_at": conversation.timestamp} if conversation.timestamp else {}
            passages = self.writer.agents.passages.create(self.agent, text=text, tags=[conversation.id], **given)
            self.sources |= {passage.id: tuple(turn.id for turn in turns) for passage in passages if passage.id}

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        blocks = self._blocks()[:k]
        if len(blocks) == k or not query.strip():
            return blocks
        found = self.client.agents.passages.search(self.agent, query=query, top_k=k - len(blocks))
        return blocks + [
            Memory(hit.id, hit.content, hit.timestamp, self.sources.get(hit.id, ())) for hit in found.results
        ]

    def get_all_memories(self) -> list[Memory]:
        return self._blocks() + list(self._passages())

    def close(self) -> None:
        archives = list(self.client.archives.list(agent_id=self.agent))
        blocks = list(self.client.agents.blocks.list(self.agent))
        self.writer.agents.delete(self.agent)
        for archive in archives:
            self.writer.archives.delete(archive.id)
        for block in blocks:
            self.writer.blocks.delete(block.id)

    def _agent_settings(self, scope: str) -> dict[str, Any]:
        settings: dict[str, Any] = {"name": f"memtriage-{scope}-{time.time_ns():x}"[:120], "tags": ["memtriage"]}
        settings |= {key: self.options[key] for key in ("model", "embedding")}
        if self.options.get("memory", "archival") == "archival":
            return settings | {"include_base_tools": False, "memory_blocks": []}
        blocks = [{"label": label, "value": value} for label, value in BLOCKS.items()]
        kind = self.options.get("agent_type", "letta_v1_agent")
        return settings | {"agent_type": kind, "memory_blocks": blocks, "tools": TOOLS, "include_base_tools": True}

    def _tell(self, conversation: Session) -> None:
        messages: list[Any] = [{"role": _role(turn), "content": turn.text} for turn in conversation.turns]
        if conversation.timestamp:
            messages.insert(0, {"role": "system", "content": f"What follows was said at {conversation.timestamp}."})
        steps = int(self.options.get("max_steps", "20"))
        reply = self.writer.agents.messages.create(self.agent, messages=messages, max_steps=steps)
        reason = reply.stop_reason.stop_reason if reply.stop_reason else "end_turn"
        if reason not in ("end_turn", "tool_rule"):
            trouble(f"the agent stopped with {reason} in session {conversation.id}")

    def _blocks(self) -> list[Memory]:
        """What the agent wrote into its blocks; what they held at the start is no memory."""
        if self.options.get("memory", "archival") != "agent":
            return []
        blocks = self.client.agents.blocks.list(self.agent)
        written = [block for block in blocks if block.value.strip() and block.value != BLOCKS.get(block.label or "")]
        return [Memory(block.id, f"{block.label}: {block.value.strip()}") for block in written]

    def _passages(self) -> Iterator[Memory]:
        after: dict[str, Any] = {}
        while True:
            page = self.client.agents.passages.list(self.agent, limit=self.page, ascending=True, **after)
            for passage in page:
                when = passage.created_at.isoformat() if passage.created_at else None
                yield Memory(passage.id or "", passage.text, when, self.sources.get(passage.id or "", ()))
            if len(page) < self.page or not page[-1].id:
                return
            after = {"after": page[-1].id}


def pieces(turns: list[Turn], most: int) -> Iterator[list[Turn]]:
    """Turns in groups of at most so many characters; a turn is never cut."""
    piece: list[Turn] = []
    for turn in turns:
        if piece and sum(len(line(each)) + 1 for each in [*piece, turn]) > most:
            yield piece
            piece = []
        piece.append(turn)
    if piece:
        yield piece


def line(turn: Turn) -> str:
    return f"{turn.role}: {turn.text}"


def _role(turn: Turn) -> str:
    return turn.role if turn.role in ("user", "assistant", "system") else "user"


def connect(settings: Settings) -> Letta:
    """A client of the server; the key, where the server wants one, is in LETTA_API_KEY."""
    wait = float(settings.options.get("request_timeout", "300"))
    return Letta(base_url=address(settings), api_key=os.environ.get("LETTA_API_KEY"), timeout=wait)


def address(settings: Settings) -> str:
    if not settings.options.get("address"):
        raise Refused("letta needs the address of a server: letta:address=http://127.0.0.1:8283")
    return settings.options["address"].rstrip("/")


@contextmanager
def explained_errors(settings: Settings) -> Iterator[None]:
    """Says what to mend where the server isn't there or doesn't let us in."""
    try:
        yield
    except letta_client.APIConnectionError as error:
        raise Refused(f"no Letta server answers at {address(settings)}: start it or mend address= ({error})") from error
    except (letta_client.AuthenticationError, letta_client.PermissionDeniedError) as error:
        raise Refused(f"the Letta server at {address(settings)} wants a valid key in LETTA_API_KEY") from error
    except (letta_client.BadRequestError, letta_client.NotFoundError, letta_client.UnprocessableEntityError) as error:
        raise Refused(f"the Letta server at {address(settings)} made no agent: {error}") from error


def offered(settings: Settings, key: str, handles: list[str]) -> None:
    """Refuses a model that the server doesn't have, and a missing one."""
    chosen = settings.options.get(key)
    if chosen not in handles:
        problem = f"{key}={chosen} is not one of them" if chosen else f"{key}= is missing"
        raise Refused(
            f"letta works with the models of its server; {problem}. It offers: {', '.join(handles) or 'none'}"
        )


def prepare(settings: Settings) -> Info:
    """Asks the server for its version and its models before anything is stored."""
    for key, allowed in {"memory": ("archival", "agent"), "unit": ("session", "turn")}.items():
        if settings.options.get(key, allowed[0]) not in allowed:
            raise Refused(f"letta:{key}={settings.options[key]} is unknown; say {' or '.join(allowed)}")
    client = connect(settings).with_options(max_retries=0)
    with explained_errors(settings):
        server = client.health()
        offered(settings, "embedding", [str(model.handle) for model in client.models.embeddings.list()])
        offered(settings, "model", [str(model.handle) for model in client.models.list()])
    return Info(f"{letta_client.__version__} (server {server.version})", (NOTICE,))


if __name__ == "__main__":
    serve(Agent, name="letta", options=OPTIONS, prepare=prepare)
