"""Memobase by its address: one user per store, with a profile and events.

summarise: Memobase fills in the user's profile and writes short notes (gists) of what happened, by a model
store:     profile entries by topic and sub-topic, merged by a model; events with embeddings
retrieve:  profile entries that a model picks for the query, and the gists nearest to it

What the adapter does for Memobase's ways: chats lie in a buffer until it is full, so `settle` flushes it and waits;
chats that failed are told; a profile is cut at 1000 tokens and a list of events at 10, so all is asked for; a search
drops what is less similar than 0.2, so nothing is dropped; the client puts a query into the address as it is, so it
is quoted first; the client waits a minute only, so it is made to wait longer.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
from memobase import ChatBlob, MemoBaseClient
from memobase.core.blob import BlobType
from memobase.error import ServerError
from memtriage_adapter import Info, Memory, Refused, Session, Settings, serve, trouble

OPTIONS = {
    "address": "where Memobase is, such as http://127.0.0.1:8019; the key is read from MEMOBASE_API_KEY",
    "retrieve": "both (default), profile or events: what a query brings back",
    "ratio": "with retrieve=both, the profile's share of k, 0 to 1 (default 0.6, as in Memobase's own context)",
    "pick": "true (default): a model picks the profile entries for the query; false: the newest come first, no model",
    "threshold": "least similarity of an event, -1 to 1 (default -1: none is dropped)",
    "days": "how far back events are looked for (default 36500)",
    "wait": "seconds that settle waits for chats that are being taken in (default 540)",
    "poll": "seconds between two questions whether it is done (default 2)",
    "request_timeout": "seconds to wait for one answer (default 540)",
}
MANY = 1_000_000
"""More tokens and events than a store has: Memobase has no pages, only limits."""
NOTICE = "Memobase calls its models itself: their tokens and cost are not counted here."


class UserMemory:
    """One store: a user of its own."""

    def __init__(self, settings: Settings) -> None:
        self.options = settings.options
        self.memobase = connect(settings)
        with explained_errors(settings):
            self.id = self.memobase.add_user({"made_by": "memtriage", "scope": settings.scope}, id=str(uuid4()))
        self.user = self.memobase.get_user(self.id, no_get=True)

    def store_conversation(self, conversation: Session) -> None:
        at = {"created_at": conversation.timestamp} if conversation.timestamp else {}
        roles = {"assistant": "assistant"}
        messages = [{"role": roles.get(turn.role, "user"), "content": turn.text, **at} for turn in conversation.turns]
        if messages:
            self.user.insert(ChatBlob(messages=messages), sync=True)

    def settle(self) -> None:
        """Empties the buffer and waits until everything in it is taken in."""
        self.user.flush(BlobType.chat, sync=True)
        end = time.monotonic() + float(self.options.get("wait", "540"))
        while waiting := self.user.buffer(BlobType.chat, "processing") + self.user.buffer(BlobType.chat, "idle"):
            if time.monotonic() >= end:
                raise TimeoutError(f"Memobase is still at work on {len(waiting)} chats; give it longer with wait=")
            time.sleep(float(self.options.get("poll", "2")))
        if failed := self.user.buffer(BlobType.chat, "failed"):
            trouble(f"Memobase failed to take in {len(failed)} chats; its log says why")

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        if not query.strip():
            return []
        kinds = self.options.get("retrieve", "both")
        profile = self._profile(query) if kinds != "events" else []
        events = self._searched(query, k) if kinds != "profile" else []
        return shared(profile, events, k, float(self.options.get("ratio", "0.6")))

    def get_all_memories(self) -> list[Memory]:
        return self._profile() + self._events()

    def close(self) -> None:
        self.memobase.delete_user(self.id)

    def _profile(self, query: str = "") -> list[Memory]:
        picked = bool(query) and self.options.get("pick", "true") == "true"
        chats = [{"role": "user", "content": quote(json.dumps(query)[1:-1], safe="")}] if picked else None
        entries = self.user.profile(max_token_size=MANY, chats=chats)
        return [Memory(str(entry.id), entry.describe, iso(entry.updated_at)) for entry in entries]

    def _searched(self, query: str, k: int) -> list[Memory]:
        days, least = int(self.options.get("days", "36500")), float(self.options.get("threshold", "-1"))
        gists = self.user.search_event_gist(quote(query, safe=""), k, least, days)
        named = names(note(gist.gist_data.content) for gist in gists)
        return [
            Memory(name, text, iso(gist.created_at), (), gist.similarity)
            for gist, (name, text) in zip(gists, named, strict=True)
        ]

    def _events(self) -> list[Memory]:
        """The gists of all events, oldest first; Memobase lists events and searches gists, which are their lines."""
        events = reversed(self.user.event(topk=MANY))
        dated = [(line, event.created_at) for event in events for line in lines(event.event_data)]
        named = names(line for line, _ in dated)
        return [Memory(name, text, iso(at)) for (name, text), (_, at) in zip(named, dated, strict=True)]


def lines(data: Any) -> list[str]:
    """What an event says: its gists, else its summary, else what it changed in the profile."""
    tip = (data.event_tip or "").strip() if data else ""
    gists = [note(part) for part in tip.splitlines() if part.strip().startswith("-")]
    return gists or ([tip] if tip else [delta.content for delta in (data.profile_delta if data else ())])


def note(gist: str) -> str:
    return gist.strip().removeprefix("-").strip()


def names(texts: Iterable[str]) -> list[tuple[str, str]]:
    """An id for each text, the same wherever the text turns up, and another one for its repetition."""
    seen: Counter[str] = Counter()
    named: list[tuple[str, str]] = []
    for text in texts:
        seen[text] += 1
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        named.append((f"gist-{digest}-{seen[text]}", text))
    return named


def shared(profile: list[Memory], events: list[Memory], k: int, ratio: float) -> list[Memory]:
    """Profile entries and then events, each with its share of k; what one leaves, the other takes."""
    room = max(math.ceil(k * ratio), k - len(events))
    kept = profile[:room]
    return kept + events[: k - len(kept)]


def iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def address(settings: Settings) -> str:
    if not settings.options.get("address"):
        raise Refused("memobase needs the address of a server: memobase:address=http://127.0.0.1:8019")
    return settings.options["address"].rstrip("/")


def connect(settings: Settings) -> MemoBaseClient:
    """A client of the server; the key is in MEMOBASE_API_KEY."""
    key = os.environ.get("MEMOBASE_API_KEY", "").strip()
    if not key:
        raise Refused("memobase needs a key: set MEMOBASE_API_KEY")
    client = MemoBaseClient(project_url=address(settings), api_key=key)
    client.client.timeout = httpx.Timeout(float(settings.options.get("request_timeout", "540")), connect=10.0)
    return client


@contextmanager
def explained_errors(settings: Settings) -> Iterator[None]:
    """Says what to mend where Memobase isn't there or doesn't let us in."""
    try:
        yield
    except httpx.TransportError as error:
        raise Refused(f"no Memobase answers at {address(settings)}: start it or mend address= ({error})") from error
    except httpx.HTTPStatusError as error:
        if error.response.status_code in (401, 403):
            raise Refused(f"Memobase at {address(settings)} doesn't take the key in MEMOBASE_API_KEY") from error
        raise Refused(f"{address(settings)} doesn't answer as Memobase does: {error}") from error
    except (ValueError, ServerError) as error:
        raise Refused(f"Memobase at {address(settings)} doesn't work: {error}") from error


def prepare(settings: Settings) -> Info:
    """Looks whether Memobase is there and takes the key before anything is stored."""
    for key, allowed in {"retrieve": ("both", "profile", "events"), "pick": ("true", "false")}.items():
        if settings.options.get(key, allowed[0]) not in allowed:
            raise Refused(f"memobase:{key}={settings.options[key]} is unknown; say {', '.join(allowed)}")
    with explained_errors(settings):
        connect(settings).get_config()
    return Info(version("memobase"), (NOTICE,))


if __name__ == "__main__":
    serve(UserMemory, name="memobase", options=OPTIONS, prepare=prepare)
