"""An OpenAI-compatible address on 127.0.0.1 for libraries in processes of their own.

A library is given the address of a gate. What it asks goes on to the user's endpoint with the user's key and model,
through the same cache, limits and bill as every other call, and is counted for this gate. What fails for good is told
to the library as the endpoint would tell it, and to memtriage as well, since libraries swallow errors.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import secrets
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from memtriage.core.chat import FINGERPRINT, ModelError, Trouble
from memtriage.core.errors import MemtriageError
from memtriage.core.trace import Usage
from memtriage.host.masks import GATE
from memtriage.models.bill import Account
from memtriage.models.embedders import Embedder
from memtriage.models.failures import GaveUp, message_in
from memtriage.models.gateway.embeddings import BadEmbeddingRequest, VectorSource, embeddings_reply, vector_source
from memtriage.models.gateway.relay import Relay, RelayPath
from memtriage.models.gateway.stream import chat_events, response_events
from memtriage.models.http_server import (
    INVALID_REQUEST,
    HttpRequest,
    HttpResponse,
    HttpServer,
    error_response,
    json_response,
)
from memtriage.models.keys import scrub
from memtriage.models.ledger import tallied
from memtriage.models.openai_format import model_body, models_body
from memtriage.text.words import well_formed

log = logging.getLogger(__name__)

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, Any]], Any]

_MOST_TROUBLES = 1000
# The status a library gets where the endpoint sent none: none of these makes an SDK try again by itself.
_STATUS: Mapping[Trouble, int] = {"timeout": 504, "budget": 402, "refusal": 400, "context": 400, "bad_request": 400}
_BAD_GATEWAY = 502


class Gate:
    """One library's way to the models of a run.

    >>> with models.gate(internal="openai/gpt-4.1-mini", embed="wordllama") as gate:  # doctest: +SKIP
    ...     client = openai.OpenAI(**{k: gate.models()["internal"][k] for k in ("base_url", "api_key")})
    """

    def __init__(self, gateway: Gateway, relays: Sequence[Relay], vectors: VectorSource | None, repeat: int) -> None:
        self.token = GATE + secrets.token_urlsafe(18)
        self._gateway = gateway
        self._relays = {relay.path: relay for relay in relays}
        self._vectors = vectors
        self._repeat = repeat
        self._account = Account()
        self._troubles: list[str] = []
        self._lock = threading.Lock()
        self._scripted = False

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._gateway.port}/{self.token}/v1"

    @property
    def usage(self) -> Usage:
        """What went through this gate; embedding in this process takes nothing and is not counted."""
        return self._account.usage()

    @property
    def scripted(self) -> bool:
        """Whether a reply came from the scripted server: it proves plumbing, not quality, and reports must say so."""
        return self._scripted

    def troubles(self) -> list[str]:
        """The calls that failed for good since this was last asked, however the library handled them."""
        with self._lock:
            found, self._troubles = self._troubles, []
        return found

    def models(self) -> dict[str, dict[str, Any]]:
        """The models as a library's process is told of them; the size of vectors is asked for once."""
        access = {"base_url": self.url, "api_key": self.token}  # what is given as a key is shown in no message
        found: dict[str, dict[str, Any]] = {}
        for relay in self._relays.values():
            found["internal"] = {**access, "model": relay.spec.model}
            if relay.spec.provider == "openai" and relay.spec.base_url == "https://api.openai.com/v1":
                found["internal"]["provider"] = "openai"
        if self._vectors is not None:
            size = self._gateway.run(self._counted(self._vectors.size()))
            found["embed"] = {**access, "model": self._vectors.model, "dimensions": size}
        return found

    def close(self) -> None:
        """Refuse every further request."""
        self._gateway.forget(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    async def answer(self, method: str, path: str, body: bytes) -> HttpResponse:
        """The response to one request; whatever goes wrong is a response, too."""
        try:
            return await self._counted(self._routed(method, path, body))
        except BadEmbeddingRequest as problem:
            return self._refused(problem.trouble, 400, str(problem))
        except ModelError as error:
            self._trouble(f"{error.trouble}: {error}")
            return _failed(error)
        except MemtriageError as error:
            return self._refused("server", 500, str(error))
        except Exception as error:  # an embedder of the user's own may raise anything
            log.exception("a request of a library could not be served")
            return self._refused("server", 500, f"{type(error).__name__}: {error}")

    async def _counted(self, work: Coroutine[Any, Any, T]) -> T:
        with tallied(self._account):
            return await work

    async def _routed(self, method: str, path: str, body: bytes) -> HttpResponse:
        match method, path:
            case "GET", "/models":
                return json_response(200, models_body(self._names()))
            case "GET", _ if path.startswith("/models/"):
                return json_response(200, model_body(path.removeprefix("/models/")))
            case "POST", "/chat/completions" | "/responses" as relayed:
                return await self._relay(relayed, _read(body))
            case "POST", "/embeddings":
                return await self._embed(_read(body))
        return self._refused("bad_request", 404, f"{method} {path} is not served here; chat and embeddings are")

    def _names(self) -> list[str]:
        found = [relay.spec.model for relay in self._relays.values()]
        return list(dict.fromkeys([*found, *([self._vectors.model] if self._vectors is not None else ())]))

    async def _relay(self, path: RelayPath, body: dict[str, Any]) -> HttpResponse:
        if path not in self._relays:
            raise BadEmbeddingRequest("no model was named for the inside of this system; name one with --internal")
        asked = body.get("messages")
        if path == "/chat/completions" and not (isinstance(asked, list) and asked and _all_objects(asked)):
            raise BadEmbeddingRequest("messages must be a list with at least one message")
        relayed = await self._relays[path].ask(body, self._repeat)
        if relayed.problem is not None:
            self._trouble(f"{relayed.problem.trouble}: {relayed.problem}")
        self._scripted = self._scripted or relayed.body.get("system_fingerprint") == FINGERPRINT
        if not body.get("stream"):
            return json_response(200, relayed.body)
        options = body.get("stream_options")
        usage = isinstance(options, Mapping) and bool(options.get("include_usage"))
        events = response_events(relayed.body) if path == "/responses" else chat_events(relayed.body, usage=usage)
        return HttpResponse(200, events, content_type="text/event-stream", stream=True)

    async def _embed(self, body: dict[str, Any]) -> HttpResponse:
        if self._vectors is None:
            raise BadEmbeddingRequest("no embedder was named for this system; name one with --embed")
        return json_response(200, await embeddings_reply(self._vectors, body))

    def _refused(self, trouble: Trouble, status: int, words: str) -> HttpResponse:
        self._account.errors[trouble] += 1
        self._trouble(f"{trouble}: {scrub(words)}")
        kind = INVALID_REQUEST if status < 500 else "server_error"
        return error_response(status, scrub(words), kind, x_should_retry="false")

    def _trouble(self, text: str) -> None:
        with self._lock:
            if len(self._troubles) < _MOST_TROUBLES:
                self._troubles.append(text)


class Gateway:
    """The server behind all gates, on the event loop that `run` reaches."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._gates: dict[str, Gate] = {}
        self._server = HttpServer(self._serve)

    @property
    def port(self) -> int:
        """The port it listens on; 0 before the first gate."""
        return self._server.port

    def gate(self, relays: Sequence[Relay], embedder: Embedder | None, repeat: int = 0) -> Gate:
        """A new gate; the first one opens the port."""
        if not self.port:
            self.run(self._server.listen())
        gate = Gate(self, relays, vector_source(embedder) if embedder is not None else None, repeat)
        self._gates[gate.token] = gate
        return gate

    def forget(self, gate: Gate) -> None:
        """Close a gate."""
        self._gates.pop(gate.token, None)

    async def aclose(self) -> None:
        """Stop listening and break every connection."""
        self._gates.clear()
        await self._server.aclose()

    async def _serve(self, incoming: HttpRequest, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await self._answer(incoming)).to_bytes(incoming.keep_alive))
        await writer.drain()

    async def _answer(self, incoming: HttpRequest) -> HttpResponse:
        token, _, path = incoming.path.lstrip("/").partition("/")
        given = token.encode()
        gate = None
        for known, each in self._gates.items():  # all of them, each in the same time: how long it takes tells nothing
            if hmac.compare_digest(known.encode(), given):
                gate = each
        if gate is None:
            return error_response(401, "this address is not known, or no longer", INVALID_REQUEST, "invalid_api_key")
        return await gate.answer(incoming.method, "/" + path.removeprefix("v1").strip("/"), incoming.body)


def _read(body: bytes) -> dict[str, Any]:
    """The JSON object of a request."""
    try:
        read = json.loads(body, parse_constant=_no_constant)
        if b"\\ud" in body.lower():  # half of a character can't be sent on
            read = _repaired(read)
    except (ValueError, RecursionError):
        raise BadEmbeddingRequest("the body of the request is not JSON") from None
    if not isinstance(read, dict):
        raise BadEmbeddingRequest("the body of the request is not a JSON object")
    return read


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _repaired(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [_repaired(each) for each in value]
    return {well_formed(name): _repaired(each) for name, each in value.items()} if isinstance(value, dict) else value


def _all_objects(messages: list[Any]) -> bool:
    return all(isinstance(message, dict) for message in messages)


def _failed(error: ModelError) -> HttpResponse:
    """A failure as the endpoint told it, for a library that knows how to read it."""
    answer = error.answer if isinstance(error, GaveUp) else None
    if answer is None:
        status = _STATUS.get(error.trouble, _BAD_GATEWAY)
        return error_response(status, str(error), "memtriage", error.trouble, x_should_retry="false")
    given = _error_of(answer.text)
    kind, code = (str(given[name]) if given.get(name) is not None else None for name in ("type", "code"))
    words = scrub(message_in(answer)) or str(error)
    return error_response(answer.status, words, kind or INVALID_REQUEST, code, x_should_retry="false")


def _error_of(text: str) -> Mapping[str, Any]:
    try:
        error = json.loads(text)["error"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}
