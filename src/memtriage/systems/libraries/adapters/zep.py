"""Zep, the service, by its address: one user with a graph of its own per store, one thread per session.

summarise: Zep finds the entities of the messages and the facts between them, dates them and ends what is contradicted
store:     a temporal graph per user: facts as edges, entities as nodes, messages as episodes
retrieve:  Zep's graph search over facts (or entities, or both), ranked by its reranker

What the adapter does for Zep's ways: messages are taken in later, so `settle` asks for the tasks until they are done,
sleeping in between; a failed task is told; listings come in pages; one call takes 30 messages of 4096 characters and a
query 400, so longer ones are cut up; the user's own entity is there before anything was said, so it is no memory yet;
deleting a user is a task as well, and it is waited for.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

import httpx
from memtriage_adapter import Info, Memory, Refused, Session, Settings, Turn, serve, trouble
from zep_cloud import AddMessage, Edge, Episode, Node, Zep
from zep_cloud.core.api_error import ApiError
from zep_cloud.errors import ForbiddenError, NotFoundError, UnauthorizedError

OPTIONS = {
    "address": "where Zep is, such as https://api.getzep.com/api/v4; the key is read from ZEP_API_KEY",
    "search": "edges (default), nodes or combined: what a query looks for",
    "list": "what counts as stored: facts+entities (default), also episodes",
    "dates": "ended (default), all or none: which dates of a fact its text shows",
    "reranker": "rrf (Zep's default), mmr, cross_encoder or episode_mentions",
    "mmr_lambda": "with reranker=mmr, 0 to 1: how much relevance counts against variety (default 0.5)",
    "batch": "messages handed over per call (default 30)",
    "characters": "most characters of one message; a longer turn becomes several (default 4096)",
    "query": "most characters of a query; a longer one is cut, and that is told (default 400)",
    "wait": "seconds that settle waits for Zep to take everything in (default 540)",
    "poll": "seconds between two questions whether it is done (default 2)",
    "request_timeout": "seconds to wait for one answer (default 60)",
    "page": "items asked for at once when everything is listed (default 100, Zep's most)",
}
ROLES = ("user", "assistant", "system", "function", "tool")
KINDS = ("facts", "entities", "episodes")
NOTICE = "Zep calls its models itself: their tokens and cost are not counted here."


class Graph:
    """One store: a user of its own, whose graph holds what was said."""

    def __init__(self, settings: Settings) -> None:
        self.options = settings.options
        self.zep = connect(settings)
        self.page = int(self.options.get("page", "100"))
        self.tasks: list[str] = []
        self.turns: dict[str, str] = {}
        with explained_errors(settings):
            user = self.zep.user.create(first_name="User", metadata={"made_by": "memtriage", "scope": settings.scope})
        self.user = require_uuid(user.uuid_, "user")
        self.graph = user.graph_uuid or self.user

    def store_conversation(self, conversation: Session) -> None:
        thread = require_uuid(self.zep.thread.create(user_uuid=self.user).uuid_, "thread")
        most = int(self.options.get("characters", "4096"))
        numbered = [(turn.id, message) for turn in conversation.turns for message in messages(turn, conversation, most)]
        size = int(self.options.get("batch", "30"))
        for start in range(0, len(numbered), size):
            some = numbered[start : start + size]
            added = self.zep.thread.add_messages(thread, messages=[message for _, message in some])
            ids = [message.uuid_ or "" for message in added.messages or ()]
            self.turns |= dict(zip(ids, (turn for turn, _ in some), strict=False))
            if added.task and added.task.uuid_:
                self.tasks.append(added.task.uuid_)

    def settle(self) -> None:
        """Waits until Zep has taken in what was handed over."""
        self.tasks = list(self._finished(self.tasks))
        if self.tasks:
            raise TimeoutError(
                f"Zep is still at work on {len(self.tasks)} calls after {self.options.get('wait', '540')} s; "
                "give it longer with wait="
            )

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        most = int(self.options.get("query", "400"))
        if len(query) > most:
            trouble(f"Zep takes queries of {most} characters; one of {len(query)} was cut")
        if not query.strip():
            return []
        asked: dict[str, Any] = {"query": query[:most], "page_size": min(k, 50), **self._ranked()}
        kinds = self.options.get("search", "edges")
        found: list[Memory] = []
        if kinds in ("edges", "combined"):
            found += [self._fact(edge) for edge in first(self.zep.graph.search_edges(self.graph, **asked), k)]
        if kinds in ("nodes", "combined"):
            found += [self._entity(node) for node in first(self.zep.graph.search_nodes(self.graph, **asked), k)]
        return sorted(found, key=lambda memory: -(memory.score or 0.0))[:k] if kinds == "combined" else found

    def get_all_memories(self) -> list[Memory]:
        kinds = kinds_in(self.options.get("list", "facts+entities"))
        listed: list[Memory] = []
        if "facts" in kinds:
            listed += [self._fact(edge) for edge in self.zep.graph.edge.list(self.graph, page_size=self.page)]
        if "entities" in kinds:
            nodes = self.zep.graph.node.list(self.graph, page_size=self.page)
            listed += [self._entity(node) for node in nodes if node.summary or node.episode_uuids]
        if "episodes" in kinds:
            listed += [self._episode(each) for each in self.zep.graph.episode.list(self.graph, page_size=self.page)]
        return listed

    def close(self) -> None:
        deletion = self.zep.user.delete(self.user)
        if deletion.task and deletion.task.uuid_ and list(self._finished([deletion.task.uuid_])):
            trouble(f"Zep has not yet deleted the user {self.user}")

    def _ranked(self) -> dict[str, Any]:
        if "reranker" not in self.options:
            return {}
        ranked: dict[str, Any] = {"reranker": self.options["reranker"]}
        if self.options["reranker"] == "mmr":
            ranked["mmr_lambda"] = float(self.options.get("mmr_lambda", "0.5"))
        return ranked

    def _finished(self, tasks: Iterable[str]) -> Iterator[str]:
        """Waits for tasks, and gives those that are still not done when the time is up."""
        end = time.monotonic() + float(self.options.get("wait", "540"))
        for uuid in tasks:
            while self._pending(uuid):
                if time.monotonic() >= end:
                    yield uuid
                    break
                time.sleep(float(self.options.get("poll", "2")))

    def _pending(self, uuid: str) -> bool:
        try:
            task = self.zep.task.get(uuid)
        except NotFoundError:  # a task of a deleted user goes with the user
            return False
        if task.status in ("failed", "partial"):
            why = task.error.message if task.error else "no reason given"
            trouble(f"Zep says {task.status} of {task.type or 'a task'}: {why}")
        return task.status not in ("succeeded", "failed", "partial")

    def _fact(self, edge: Edge) -> Memory:
        text = (edge.fact or edge.name or "") + validity(edge, self.options.get("dates", "ended"))
        score = edge.relevance if edge.relevance is not None else edge.score
        return Memory(edge.uuid_ or "", text, edge.valid_at or edge.created_at, self._turns(edge.episode_uuids), score)

    def _entity(self, node: Node) -> Memory:
        text = f"{node.name}: {node.summary}" if node.summary else str(node.name)
        score = node.relevance if node.relevance is not None else node.score
        return Memory(node.uuid_ or "", text, node.created_at, self._turns(node.episode_uuids), score)

    def _episode(self, episode: Episode) -> Memory:
        at = episode.reference_time or episode.created_at
        return Memory(episode.uuid_ or "", episode.content or "", at, self._turns([episode.uuid_ or ""]), episode.score)

    def _turns(self, episodes: Iterable[str] | None) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.turns[uuid] for uuid in episodes or () if uuid in self.turns))


def messages(turn: Turn, conversation: Session, most: int) -> Iterator[AddMessage]:
    """A turn as Zep takes it, cut up where it is too long."""
    role = turn.role if turn.role in ROLES else "user"
    for start in range(0, max(len(turn.text), 1), most):
        content = turn.text[start : start + most]
        yield AddMessage(role=role, name=role.title(), content=content, reference_time=instant(conversation.timestamp))


def instant(timestamp: str | None) -> str | None:
    """RFC 3339, which wants a zone."""
    if timestamp is None or re.search(r"(Z|[+-]\d\d:\d\d)$", timestamp):
        return timestamp
    return timestamp + ("Z" if "T" in timestamp else "T00:00:00Z")


def validity(edge: Edge, dates: str) -> str:
    """How long a fact held, as far as it is to be shown."""
    start = edge.valid_at[:10] if edge.valid_at and dates == "all" else None
    end = edge.invalid_at[:10] if edge.invalid_at and dates != "none" else None
    parts = [f"from {start}" if start else "", f"until {end}" if end else ""]
    return f" ({' '.join(part for part in parts if part)})" if any(parts) else ""


def first(pager: Iterable[Any], k: int) -> list[Any]:
    """The best k, over as many pages as that takes."""
    return [item for item, _ in zip(pager, range(k), strict=False)]


def kinds_in(listed: str) -> set[str]:
    kinds = set(filter(None, re.split(r"[+,\s]+", listed)))
    if not kinds or not kinds <= set(KINDS):
        raise Refused(f"zep:list={listed} is unknown; join some of {', '.join(KINDS)} with +")
    return kinds


def require_uuid(uuid: str | None, what: str) -> str:
    if not uuid:
        raise RuntimeError(f"Zep made a {what} without telling its uuid")
    return uuid


def address(settings: Settings) -> str:
    given = settings.options.get("address", "").rstrip("/")
    if not given:
        raise Refused("zep needs an address: zep:address=https://api.getzep.com/api/v4")
    return given if urlsplit(given).path.strip("/") else f"{given}/api/v4"


def connect(settings: Settings) -> Zep:
    """A client of the service; the key is in ZEP_API_KEY."""
    key = os.environ.get("ZEP_API_KEY", "").strip()
    if not key:
        raise Refused("zep needs a key: set ZEP_API_KEY")
    return Zep(base_url=address(settings), api_key=key, timeout=float(settings.options.get("request_timeout", "60")))


@contextmanager
def explained_errors(settings: Settings) -> Iterator[None]:
    """Says what to mend where Zep isn't there or doesn't let us in."""
    try:
        yield
    except httpx.TransportError as error:
        raise Refused(f"no Zep answers at {address(settings)}: mend address= ({error})") from error
    except (UnauthorizedError, ForbiddenError) as error:
        raise Refused(f"Zep at {address(settings)} doesn't take the key in ZEP_API_KEY") from error
    except NotFoundError as error:
        raise Refused(f"{address(settings)} doesn't speak Zep's API v4; a Zep before it isn't supported") from error
    except ApiError as error:
        raise RuntimeError(f"Zep answered {error.status_code}: {error.body}") from error


def prepare(settings: Settings) -> Info:
    """Looks whether Zep is there and takes the key before anything is stored."""
    kinds_in(settings.options.get("list", "facts+entities"))
    for key, allowed in {"search": ("edges", "nodes", "combined"), "dates": ("ended", "all", "none")}.items():
        if settings.options.get(key, allowed[0]) not in allowed:
            raise Refused(f"zep:{key}={settings.options[key]} is unknown; say {', '.join(allowed)}")
    with explained_errors(settings):
        connect(settings).user.list(page_size=1, request_options={"max_retries": 0})
    return Info(version("zep-cloud"), (NOTICE,))


if __name__ == "__main__":
    serve(Graph, name="zep", options=OPTIONS, prepare=prepare)
