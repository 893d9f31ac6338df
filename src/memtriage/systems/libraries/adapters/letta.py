"""Letta (the MemGPT of the paper) on a server of yours, one agent per store.

summarise: the agent reads each session and decides what to write down; nothing with `memory=archival`
store:     core memory (blocks that are always in its context), archival passages with embeddings, and recall memory,
           which is every message that was exchanged; with `memory=archival` passages alone
retrieve:  the blocks first, since an agent always sees them, then its archive and its messages searched, in turn

What the adapter does for Letta's ways: archive and blocks of an agent outlive it, so all three are deleted; a listing
stops at 100 passages, so it is paged; a search stops at its own default, so k is asked for; a passage of more than
8192 tokens is refused, so a long session becomes several; an agent without an embedding model has no semantic search,
so one has to be named; writes are never repeated by the client, since a repeated insert is stored twice. Messages and
passages are dated by the server's clock, so the adapter keeps the times of their sessions. A server of one's own finds
messages only by a part of their text, in words that the agent picks; here every longer word of the question is such a
part, and what has most of them comes first. A question that the agent answers stays in its history, which can't be
helped; what it changes in its memory while it answers is put back.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import letta_client
from letta_client import Letta
from memtriage_adapter import Answered, Info, Memory, Question, Refused, Session, Settings, Turn, serve, trouble

OPTIONS = {
    "address": "where the Letta server is, such as http://127.0.0.1:8283; its key, if any, in LETTA_API_KEY",
    "memory": "agent (default), which has core, archival and recall memory; or archival: each session a passage",
    "unit": "with memory=archival, what one passage holds: session (default) or turn",
    "embedding": "the server's embedding model, such as openai/text-embedding-3-small",
    "model": "the server's chat model, such as openai/gpt-4.1-mini; not asked with memory=archival, but always wanted",
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
ARCHIVE = "Letta is used as a bare archive: no agent reads, writes or recalls anything"


class Agent:
    """One store: an agent of its own on the server."""

    def __init__(self, settings: Settings) -> None:
        self.options = settings.options
        self.acts = self.options.get("memory", "agent") == "agent"
        self.page = int(self.options.get("page", "100"))
        self.client = connect(settings)
        self.writer = self.client.with_options(max_retries=0)
        self.sources: dict[str, tuple[str, ...]] = {}
        self.dates: dict[str, str | None] = {}
        self.history: dict[str, Memory] = {}
        self.asked: set[str] = set()
        self.last_message = self.last_passage = ""
        self.searches_messages = True
        with explained_errors(settings):
            self.agent = self.writer.agents.create(**self._agent_settings(settings.scope)).id

    def store_conversation(self, conversation: Session) -> None:
        if self.acts:
            self._tell(conversation)
            return
        most = 0 if self.options.get("unit") == "turn" else int(self.options.get("passage", "20000"))
        for turns in pieces(conversation.turns, most):
            text = "\n".join(line(turn) for turn in turns)
            given: dict[str, Any] = {"created_at": conversation.timestamp} if conversation.timestamp else {}
            passages = self.writer.agents.passages.create(self.agent, text=text, tags=[conversation.id], **given)
            self.sources |= {passage.id: tuple(turn.id for turn in turns) for passage in passages if passage.id}

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        blocks = self._blocks()
        if not query.strip():
            return blocks[:k]
        found = self.client.agents.passages.search(self.agent, query=query, top_k=k)
        passages = [
            Memory(hit.id, hit.content, self._date(hit.id, hit.timestamp), self._turns(hit.id)) for hit in found.results
        ]
        return (blocks + interleaved(passages, self._recalled(query, k)))[:k]

    def get_all_memories(self) -> list[Memory]:
        return self._blocks() + list(self._passages()) + list(self._messages())

    def answer(self, question: Question) -> Answered:
        """What the agent says; its memory is as it was before."""
        if not self.acts:
            raise Refused("letta answers itself only as an agent; leave out memory=archival")
        before = {block.id: block.value for block in self.client.agents.blocks.list(self.agent)}
        asked: list[Any] = [{"role": "user", "content": question.whole}]
        reply = self.writer.agents.messages.create(self.agent, messages=asked, max_steps=self._steps)
        said = [_text(each) for each in reply.messages if each.message_type == "assistant_message"]
        for block in self.client.agents.blocks.list(self.agent):
            if block.value != before.get(block.id, block.value):
                self.writer.blocks.update(block.id, value=before[block.id])
        for passage in list(self._passages(self.last_passage)):
            self.writer.agents.passages.delete(passage.id, agent_id=self.agent)
        for message in self._messages(self.last_message):
            self.last_message = message.id
            self.asked.add(message.id)
        self._check(reply, f"question {question.session.id}")
        usage = reply.usage
        tokens = {"input_tokens": usage.prompt_tokens or 0, "output_tokens": usage.completion_tokens or 0}
        return Answered("\n".join(said), None, {"calls": usage.step_count or 0, **tokens})

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
        if not self.acts:
            return settings | {"include_base_tools": False, "memory_blocks": []}
        blocks = [{"label": label, "value": value} for label, value in BLOCKS.items()]
        kind = self.options.get("agent_type", "letta_v1_agent")
        return settings | {"agent_type": kind, "memory_blocks": blocks, "tools": TOOLS, "include_base_tools": True}

    @property
    def _steps(self) -> int:
        return int(self.options.get("max_steps", "20"))

    def _tell(self, conversation: Session) -> None:
        messages: list[Any] = [{"role": _role(turn), "content": turn.text} for turn in conversation.turns]
        if conversation.timestamp:
            messages.insert(0, {"role": "system", "content": f"What follows was said at {conversation.timestamp}."})
        reply = self.writer.agents.messages.create(self.agent, messages=messages, max_steps=self._steps)
        waiting = list(conversation.turns)
        for message in self._messages(self.last_message):
            if waiting and message.text == line(waiting[0]):
                self.sources[message.id] = (waiting.pop(0).id,)
            self.dates[message.id] = conversation.timestamp
            self.last_message = message.id
            self.history[message.id] = replace(
                message, created_at=conversation.timestamp, sources=self._turns(message.id)
            )
        for passage in self._passages(self.last_passage):
            self.dates[passage.id] = conversation.timestamp
            self.last_passage = passage.id
        self._check(reply, f"session {conversation.id}")

    def _check(self, reply: Any, what: str) -> None:
        reason = reply.stop_reason.stop_reason if reply.stop_reason else "end_turn"
        if reason not in ("end_turn", "tool_rule"):
            trouble(f"the agent stopped with {reason} in {what}")

    def _recalled(self, query: str, k: int) -> list[Memory]:
        """Messages that the question finds: by the server's search where it has one, else by the question's words."""
        if not self.acts:
            return []
        if self.searches_messages:
            try:
                hits = self.client.messages.search(
                    query=query, agent_id=self.agent, limit=min(k + len(self.asked), 100)
                )
                return [self.history[hit.message_id] for hit in hits if hit.message_id in self.history][:k]
            except letta_client.BadRequestError:  # only Letta's own service searches messages by meaning
                self.searches_messages = False
        words = {word.lower() for word in re.findall(r"\w{4,}", query)}
        matches = {id: sum(word in each.text.lower() for word in words) for id, each in self.history.items()}
        newest = [id for id in reversed(self.history) if matches[id]]
        return [self.history[id] for id in sorted(newest, key=lambda id: -matches[id])][:k]

    def _blocks(self) -> list[Memory]:
        """What the agent wrote into its blocks; what they held at the start is no memory."""
        if not self.acts:
            return []
        blocks = self.client.agents.blocks.list(self.agent)
        written = [block for block in blocks if block.value.strip() and block.value != BLOCKS.get(block.label or "")]
        return [Memory(block.id, f"{block.label}: {block.value.strip()}") for block in written]

    def _passages(self, last: str = "") -> Iterator[Memory]:
        """The archive, or what came after this passage, oldest first."""
        after: dict[str, Any] = {"after": last} if last else {}
        while True:
            page = self.client.agents.passages.list(self.agent, limit=self.page, ascending=True, **after)
            for passage in page:
                id = passage.id or ""
                when = passage.created_at.isoformat() if passage.created_at else None
                yield Memory(id, passage.text, self._date(id, when), self._turns(id))
            if len(page) < self.page or not page[-1].id:
                return
            after = {"after": page[-1].id}

    def _messages(self, last: str = "") -> Iterator[Memory]:
        """What was said to the agent and by it, or what came after this message, oldest first; no question of ours."""
        if not self.acts:
            return
        after: dict[str, Any] = {"after": last} if last else {}
        for message in self.client.agents.messages.list(self.agent, order="asc", limit=self.page, **after):
            role = {"user_message": "user", "assistant_message": "assistant"}.get(message.message_type or "")
            if role and message.id not in self.asked:
                when = message.date.isoformat() if message.date else None
                text = f"{role}: {_text(message)}"
                yield Memory(message.id, text, self._date(message.id, when), self._turns(message.id))

    def _date(self, id: str, otherwise: str | None) -> str | None:
        return self.dates.get(id, otherwise)

    def _turns(self, id: str) -> tuple[str, ...]:
        return self.sources.get(id, ())


def interleaved(*lists: list[Memory]) -> list[Memory]:
    """The first of each list, then the second of each."""
    longest = max(map(len, lists))
    return [each[rank] for rank in range(longest) for each in lists if rank < len(each)]


def _text(message: Any) -> str:
    """A message's content, which may come in parts."""
    parts = message.content
    return parts if isinstance(parts, str) else "".join(getattr(part, "text", "") for part in parts or ())


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
    for key, allowed in {"memory": ("agent", "archival"), "unit": ("session", "turn")}.items():
        if settings.options.get(key, allowed[0]) not in allowed:
            raise Refused(f"letta:{key}={settings.options[key]} is unknown; say {' or '.join(allowed)}")
    client = connect(settings).with_options(max_retries=0)
    with explained_errors(settings):
        server = client.health()
        offered(settings, "embedding", [str(model.handle) for model in client.models.embeddings.list()])
        offered(settings, "model", [str(model.handle) for model in client.models.list()])
    return Info(
        f"{letta_client.__version__} (server {server.version})",
        (NOTICE, *([ARCHIVE] * (settings.options.get("memory") == "archival"))),
    )


if __name__ == "__main__":
    serve(Agent, name="letta", options=OPTIONS, prepare=prepare)
