"""MIRIX by its address: one user per store, six kinds of memory kept by agents of the server.

summarise: a meta agent hands each conversation to the agents of the kinds of memory, and they write the entries
store:     core, episodic, semantic, procedural, resource and knowledge entries of a user
retrieve:  MIRIX's search in each kind; the hits of the kinds are taken in turns, since their ranks don't compare

What the adapter does for MIRIX's ways: a conversation is queued, so `settle` asks the queue until it is empty, and
where a server doesn't show its queue, until the listing has stood still for a while; a listing stops at 50 entries of
a kind and a limit of 0 means all to one server and one to another, so the most is asked for and the counts are
compared; a search shortens entries, so they are completed from the listing; limits are per kind; a failed search
comes back as a success; clearing a user has had two names; the client would repeat a write that failed, and
doesn't; it logs to stdout, which is moved away.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from itertools import zip_longest
from pathlib import Path
from typing import Any

import requests
import yaml
from memtriage_adapter import Info, Memory, Refused, Session, Settings, serve, trouble

with redirect_stdout(sys.stderr):  # it logs a line to stdout as it is imported
    import mirix
    from mirix import MirixClient

OPTIONS = {
    "address": "where MIRIX is, such as http://127.0.0.1:8531; the key is read from MIRIX_API_KEY",
    "config": "a YAML or JSON file with MIRIX's llm_config and embedding_config, for its agents",
    "provider": "instead of config, a provider whose defaults the server knows, such as openai",
    "model": "with provider, the model (default: the server's)",
    "kinds": "all (default), or one kind to search: episodic, semantic, procedural, resource or knowledge",
    "method": "embedding or bm25: how to search (default: the server's)",
    "chaining": "true or false (default): whether the agents may take several steps on one conversation",
    "wait": "seconds that settle waits for the queue (default 540)",
    "poll": "seconds between two questions whether it is done (default 2)",
    "quiet": "how often in a row the listing is unchanged where the server doesn't show its queue (default 15)",
    "request_timeout": "seconds to wait for one answer (default 540)",
}
MOST = 1000
"""Entries of one kind that a server lists at once."""
NOTICE = "MIRIX calls its models itself: their tokens and cost are not counted here."


class UserMemory:
    """One store: a user of its own; the agents are shared."""

    def __init__(self, settings: Settings) -> None:
        self.options = settings.options
        self.mirix = connected(settings)
        self.queued = 0
        with explained_errors(settings):
            self.user = self.mirix.create_or_get_user(user_id=f"memtriage-{settings.scope}-{time.time_ns():x}")

    def store_conversation(self, conversation: Session) -> None:
        messages = [{"role": _role(turn.role), "content": turn.text} for turn in conversation.turns]
        if not messages:
            return
        reply = self.mirix.add(
            messages=messages,
            user_id=self.user,
            chaining=self.options.get("chaining") == "true",
            occurred_at=instant(conversation.timestamp),
            async_add=False,
        )
        if not reply.get("success", True):
            raise RuntimeError(f"MIRIX didn't take the conversation: {reply.get('message') or reply.get('error')}")
        self.queued += reply.get("status") == "queued"

    def settle(self) -> None:
        """Waits until the server's agents have worked off what was queued."""
        if not self.queued:
            return
        end = time.monotonic() + float(self.options.get("wait", "540"))
        for _ in self._at_work():
            if time.monotonic() >= end:
                raise TimeoutError("MIRIX is still at work on what was stored; give it longer with wait=")
            time.sleep(float(self.options.get("poll", "2")))
        self.queued = 0

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        if not query.strip():
            return []
        asked: dict[str, Any] = {"memory_type": self.options.get("kinds", "all"), "limit": k}
        found = self.mirix.search(self.user, query, search_method=self.options.get("method"), **asked)
        if not found.get("success", True):
            raise RuntimeError(f"MIRIX's search failed: {found.get('error')}")
        kinds: dict[str, list[Memory]] = {}
        whole = {memory.id: memory for memory in self.get_all_memories()}
        for hit in found.get("results") or ():
            memory = entry(str(hit.get("memory_type", "")), hit)
            kinds.setdefault(str(hit.get("memory_type", "")), []).append(whole.get(memory.id, memory))
        return in_turns(kinds.values())[:k]

    def get_all_memories(self) -> list[Memory]:
        listed = self._listed(MOST)
        if short(listed):
            listed = max(listed, self._listed(0), key=count)
        for kind, has, total in short(listed):
            trouble(f"MIRIX lists {has} of {total} {kind} memories")
        return [entry(kind, item) for kind, part in listed.items() for item in items(part) if entry_text(kind, item)]

    def close(self) -> None:
        try:
            self.mirix.clear_memory(self.user)
        except requests.HTTPError as error:
            if status(error) not in (404, 405):
                raise
            self.mirix._request("DELETE", f"/users/{self.user}/memories")

    def _listed(self, limit: int) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.mirix.list_memory_components(self.user, limit=limit).get("memories") or {}
        return found

    def _at_work(self) -> Iterator[None]:
        """Yields as long as the queue, or else the listing, is moving."""
        try:
            while any(trace["status"] in ("queued", "processing") for trace in self._traces()):
                yield
        except requests.HTTPError as error:
            if status(error) not in (404, 405):
                raise
            yield from self._moving()
            return
        for trace in self._traces():
            if trace["status"] == "failed" or trace.get("success") is False:
                trouble(f"MIRIX failed on a conversation: {trace.get('error_message') or 'no reason given'}")

    def _traces(self) -> list[dict[str, Any]]:
        asked = {"user_id": self.user, "limit": MOST}
        traces: list[dict[str, Any]] = self.mirix._request("GET", "/memory/queue-traces", params=asked) or []
        return traces

    def _moving(self) -> Iterator[None]:
        seen, same = "", 0
        while same < int(self.options.get("quiet", "15")):
            now = json.dumps(self._listed(MOST), sort_keys=True, default=str)
            seen, same = now, same + 1 if now == seen else 0
            yield


def entry_text(kind: str, item: Mapping[str, Any]) -> str:
    """What an entry says, heading first, as its kind holds it."""
    match kind:
        case "core":
            return f"{item['label']}: {item['value']}" if str(item.get("value") or "").strip() else ""
        case "knowledge" | "knowledge_vault":
            return joined(item.get("caption"), item.get("secret_value"))
        case "resource":
            return joined(item.get("title"), item.get("summary"), item.get("content"))
        case "procedural":
            return joined(item.get("summary"), item.get("steps"))
        case _:
            return joined(item.get("name"), item.get("summary"), item.get("details"))


def joined(*parts: Any) -> str:
    flat = ["\n".join(map(str, part)) if isinstance(part, list) else str(part or "").strip() for part in parts]
    return "\n".join(dict.fromkeys(part for part in flat if part))


def entry(kind: str, item: Mapping[str, Any]) -> Memory:
    when = item.get("occurred_at") or item.get("timestamp") or item.get("created_at")
    return Memory(str(item.get("id", "")), entry_text(kind, item), when)


def items(part: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The entries of one kind; core blocks may stand under scopes."""
    under = [item for scope in (part.get("scopes") or {}).values() for item in scope.get("items") or ()]
    return [*(part.get("items") or ()), *under]


def short(listed: Mapping[str, Any]) -> list[tuple[str, int, int]]:
    """The kinds of which there is more than was listed."""
    counts = [(kind, len(items(part)), int(part.get("total_count") or 0)) for kind, part in listed.items()]
    return [(kind, has, total) for kind, has, total in counts if has < total]


def count(listed: Mapping[str, Any]) -> int:
    return sum(len(items(part)) for part in listed.values())


def in_turns(ranked: Iterable[list[Memory]]) -> list[Memory]:
    """The best of each kind, then the second of each, and so on."""
    return [memory for rank in zip_longest(*ranked) for memory in rank if memory is not None]


def instant(timestamp: str | None) -> str | None:
    return timestamp if timestamp is None or "T" in timestamp else f"{timestamp}T00:00:00"


def _role(role: str) -> str:
    return "assistant" if role == "assistant" else "user"


def status(error: requests.RequestException) -> int:
    """The client hides the response in the cause of its error."""
    response = getattr(error.__cause__, "response", None)
    return int(response.status_code) if response is not None else 0


def address(settings: Settings) -> str:
    if not settings.options.get("address"):
        raise Refused("mirix needs the address of a server: mirix:address=http://127.0.0.1:8531")
    return settings.options["address"].rstrip("/")


def connected(settings: Settings) -> MirixClient:
    """A client with its agents ready; the key is in MIRIX_API_KEY. One serves all stores of the process."""
    if not CLIENT:
        key = os.environ.get("MIRIX_API_KEY", "").strip()
        if not key:
            raise Refused("mirix needs a key: set MIRIX_API_KEY")
        wait = float(settings.options.get("request_timeout", "540"))
        client = MirixClient(base_url=address(settings), api_key=key, timeout=wait, max_retries=0)
        with explained_errors(settings):
            client.initialize_meta_agent(**agents(settings), update_agents=True)
        CLIENT.append(client)
    return CLIENT[0]


CLIENT: list[MirixClient] = []


def agents(settings: Settings) -> dict[str, Any]:
    """With what the server's agents are made: a configuration, or a provider's defaults."""
    if path := settings.options.get("config"):
        try:
            return {"config": yaml.safe_load(Path(path).expanduser().read_text(encoding="utf-8"))}
        except (OSError, yaml.YAMLError) as error:
            raise Refused(f"mirix:config={path} can't be read: {error}") from error
    if provider := settings.options.get("provider"):
        return {"provider": provider, "model": settings.options.get("model")}
    raise Refused("mirix needs the models of its agents: mirix:config=FILE or mirix:provider=openai")


@contextmanager
def explained_errors(settings: Settings) -> Iterator[None]:
    """Says what to mend where MIRIX isn't there or doesn't let us in."""
    try:
        yield
    except (requests.ConnectionError, requests.Timeout) as error:
        raise Refused(f"no MIRIX answers at {address(settings)}: start it or mend address= ({error})") from error
    except (requests.HTTPError, requests.exceptions.RetryError) as error:
        if status(error) in (401, 403):
            raise Refused(f"MIRIX at {address(settings)} doesn't take the key in MIRIX_API_KEY: {error}") from error
        raise Refused(f"MIRIX at {address(settings)} refuses: {error}") from error
    except (TypeError, ValueError) as error:  # no agent came back: a key that may only read, or something else answers
        raise Refused(f"{address(settings)} gave no agent for this key: {error}") from error


def prepare(settings: Settings) -> Info:
    """Readies the agents before anything is stored."""
    connected(settings)
    return Info(mirix.__version__, (NOTICE,))


if __name__ == "__main__":
    serve(UserMemory, name="mirix", options=OPTIONS, prepare=prepare)
