"""A scripted OpenAI-compatible server on 127.0.0.1, to try adapters and test clients without a key or a bill.

    with StubServer(echo, latency=0.2, faults=Faults().first(1, ["429"])) as server:
        client = openai.OpenAI(base_url=server.url, api_key="any")

What it answers is decided by a script; what goes wrong by `Faults`. Of a request's headers nothing is kept but, where
the server is told to be idempotent, the Idempotency-Key.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Any, Literal, Self

from memtriage.core.errors import BadInput
from memtriage.models.http_server import (
    INVALID_REQUEST,
    HttpRequest,
    HttpResponse,
    HttpServer,
    break_connection,
    client_left,
    error_response,
    json_response,
)
from memtriage.models.openai_format import model_body, models_body
from memtriage.models.scripted.bodies import completion, cut_short, embeddings, events, prompt_tokens, response
from memtriage.models.scripted.faults import CONTENT_KINDS, Draw, FaultDraws, FaultKind, Faults
from memtriage.models.scripted.replay import Replays
from memtriage.models.scripted.replies import Reply, Request, Script, as_reply, parse_request
from memtriage.models.scripted.scripts import Rule, rules, script_named
from memtriage.models.scripted.simple import echo
from memtriage.text.tokens import count_tokens

Embedding = Literal["hash", "wordllama"]

_HTML = b"<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as the server saw it. `status` is None until it is answered, and for those that never are."""

    number: int
    method: str
    path: str
    body: Any
    time: float
    status: int | None = None
    fault: str | None = None
    seconds: float | None = None

    @property
    def ok(self) -> bool:
        """Whether it got a good answer."""
        return self.status == 200 and self.fault is None


class StubServer:
    """The server, in a thread of its own while the `with` lasts. `script`, `latency` and `faults` may be changed.

    `script` is a function, a list of rules, or the name of a built-in script or of a .json file of rules.
    The newest `keep` requests are kept in `requests`. An `idempotent` server repeats a good answer to a request with
    the same Idempotency-Key, and counts it once. With a `token`, only requests that bring it as their key are answered.
    """

    def __init__(
        self,
        script: Script | str | Sequence[Rule | Mapping[str, Any]] = echo,
        latency: float = 0.0,
        faults: Faults | None = None,
        port: int = 0,
        *,
        embedding: Embedding = "hash",
        log: Callable[[str], None] | None = None,
        keep: int | None = None,
        idempotent: bool = False,
        token: str | None = None,
    ) -> None:
        self.script: Script = _script(script)
        self.latency = latency
        self.faults = faults or Faults()
        self.port = port
        self.embedding = embedding
        self.idempotent = idempotent
        self.token = token
        self.peak = 0
        """The most requests that were under way at once."""
        self._log = log
        self._keep = keep
        self._records: dict[int, Recorded] = {}
        self._received = 0
        self._under_way = 0
        self._arrived = threading.Condition()
        self._attempts = FaultDraws()
        self._replays = Replays()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._released: asyncio.Event | None = None

    @property
    def url(self) -> str:
        """The address to give to a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> tuple[Recorded, ...]:
        """What was asked so far, in order."""
        with self._arrived:
            return tuple(self._records.values())

    def count(
        self,
        where: Callable[[Recorded], bool] | None = None,
        *,
        path: str | None = None,
        status: int | None = None,
        ok: bool | None = None,
        fault: str | None = None,
    ) -> int:
        """How many requests were like this; `path` is compared by its end: "/embeddings"."""
        return sum(
            (where is None or where(seen))
            and (path is None or seen.path.endswith(path))
            and (status is None or seen.status == status)
            and (ok is None or seen.ok == ok)
            and (fault is None or seen.fault == fault)
            for seen in self.requests
        )

    def wait_for(self, requests: int, timeout: float = 300.0) -> bool:
        """Wait until this many requests have arrived in all; False if they don't in time."""
        with self._arrived:
            return self._arrived.wait_for(lambda: self._received >= requests, timeout)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep every answer back until the block ends, to see what happens meanwhile."""
        assert self._loop is not None
        released = self._released = asyncio.Event()
        try:
            yield
        finally:
            self._released = None
            self._loop.call_soon_threadsafe(released.set)

    def start(self) -> Self:
        """Listen; returns once the port is open."""
        count_tokens("the vocabulary is loaded before the first request")
        opened = threading.Event()
        problem: list[OSError] = []

        def run() -> None:
            try:
                asyncio.run(self._listen(opened))
            except OSError as error:
                problem.append(error)
                opened.set()

        self._thread = threading.Thread(target=run, name="memtriage-stub", daemon=True)
        self._thread.start()
        opened.wait()
        if problem:
            self._thread.join()
            raise BadInput(f"can't listen on port {self.port}: {problem[0].strerror}; choose another") from problem[0]
        return self

    def close(self) -> None:
        """Stop listening and break what is under way."""
        if self._thread is None or not self._thread.is_alive() or self._loop is None or self._stop is None:
            return
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # -------------------------------------------------------------- connections

    async def _listen(self, opened: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = HttpServer(self._serve)
        await server.listen(self.port)
        self.port = server.port
        opened.set()
        await self._stop.wait()
        await server.aclose()

    async def _serve(self, incoming: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        started = time.perf_counter()
        if self.token is not None and not _has_key(incoming.headers, self.token):
            writer.write(_wrong_key().to_bytes(incoming.keep_alive))
            return await writer.drain()
        body, problem = _json(incoming)
        record = self._record_arrival(incoming, body)
        key = incoming.headers.get("idempotency-key") if self.idempotent else None
        async with self._replays.turn(key, (incoming.path, body)) as turn:
            with self._counted():
                answer = problem or turn.answer or self._answer(incoming, body, record.number)
                if answer.fault == "timeout":
                    self._record_end(replace(record, fault="timeout"), started)
                    await reader.read()
                    return
                if self._released is not None:
                    await self._released.wait()
                await asyncio.sleep(max(0.0, answer.latency - (time.perf_counter() - started)))
            if client_left(reader):
                self._record_end(replace(record, fault="left"), started)
                writer.close()
                return
            self._record_end(replace(record, status=answer.status, fault=answer.fault), started)
            turn.given = answer if answer.status == 200 and answer.fault is None else None
        if answer.fault == "reset":
            break_connection(writer, answer.to_bytes(incoming.keep_alive))
            return
        writer.write(answer.to_bytes(incoming.keep_alive))
        await writer.drain()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._under_way += 1
        self.peak = max(self.peak, self._under_way)
        try:
            yield
        finally:
            self._under_way -= 1

    def _record_arrival(self, incoming: HttpRequest, body: Any) -> Recorded:
        with self._arrived:
            self._received += 1
            record = Recorded(self._received, incoming.method, incoming.path, body, time.time())
            self._records[record.number] = record
            if self._keep is not None and len(self._records) > self._keep:
                del self._records[next(iter(self._records))]
            self._arrived.notify_all()
        return record

    def _record_end(self, record: Recorded, started: float) -> None:
        """Record how a request ended, before the answer goes out, so that a client with an answer finds it here."""
        seconds = time.perf_counter() - started
        with self._arrived:
            if record.number in self._records:
                self._records[record.number] = replace(record, seconds=seconds)
        if self._log is not None:
            path = record.path if record.path.isprintable() else ascii(record.path)
            outcome = " ".join(str(part) for part in (record.status or "-", record.fault or "") if part)
            self._log(f"{record.method} {path} {outcome} {seconds * 1000:.0f} ms")

    # -------------------------------------------------------------- answers

    def _answer(self, incoming: HttpRequest, body: Any, number: int) -> HttpResponse:
        faults = self.faults
        if faults.key is not None and not _has_key(incoming.headers, faults.key):
            return _wrong_key()
        match incoming.method, incoming.path.rstrip("/").removeprefix("/v1"):
            case "GET", "/models":
                return json_response(200, models_body(faults.models or ("stub",)))
            case "GET", path if path.startswith("/models/"):
                name = path.removeprefix("/models/")
                known = not faults.models or name in faults.models
                return json_response(200, model_body(name)) if known else _unknown_model(name)
            case "POST", "/chat/completions" | "/responses" | "/embeddings" as path:
                return self._model(path, body, number)
        return error_response(404, f"Invalid URL ({incoming.method} {incoming.path})")

    def _model(self, path: str, body: Any, number: int) -> HttpResponse:
        """The answer of a model, or the error that comes before it."""
        faults = self.faults
        if not isinstance(body, Mapping) or not isinstance(body.get("model"), str) or not body["model"]:
            return error_response(400, "you must provide a model parameter")
        if faults.models and body["model"] not in faults.models:
            return _unknown_model(body["model"])
        if faults.at_once is not None and self._under_way > faults.at_once:
            return replace(self._fault("429"), fault="429")
        try:
            if path == "/embeddings":
                return self._with_fault(path, body, lambda draw: self._embed(body, draw))
            request = parse_request(path, body)
            return self._rejected(request) or self._with_fault(
                path, body, lambda draw: self._chat(request, draw, number)
            )
        except ValueError as problem:
            return error_response(400, str(problem))

    def _rejected(self, request: Request) -> HttpResponse | None:
        """Why this endpoint can't take a request, if it can't."""
        faults = self.faults
        if (request.schema is not None and not faults.json_schema) or (request.json_object and not faults.json_object):
            kind = "json_object" if request.json_object else "json_schema"
            return error_response(400, f"Invalid parameter: 'response_format' of type '{kind}' is not supported")
        if request.path == "/responses" and request.body.get("stream"):
            return error_response(400, "streaming is only supported by /chat/completions")
        long = prompt_tokens(request) if faults.context is not None else 0
        if faults.context is not None and long > faults.context:
            message = (
                f"This model's maximum context length is {faults.context} tokens. "
                f"However, your messages resulted in {long} tokens. Please reduce the length of the messages."
            )
            return error_response(400, message, INVALID_REQUEST, "context_length_exceeded")
        return None

    def _with_fault(self, path: str, body: Mapping[str, Any], good: Callable[[Draw], HttpResponse]) -> HttpResponse:
        """A good answer, or what a fault makes of it."""
        draw = self._attempts.draw(self.faults, path, body)
        if path == "/embeddings" and draw.kind in CONTENT_KINDS:
            draw = replace(draw, kind="truncated")
        if draw.kind in ("timeout", "429", "500", "503", "html"):
            answer = replace(self._fault(draw.kind), latency=self.latency)
        else:
            answer = good(draw)
            if answer.status == 200 and draw.kind == "truncated":
                answer = _truncated(answer)
        return replace(answer, fault=draw.kind, latency=answer.latency + draw.jitter)

    def _fault(self, kind: FaultKind) -> HttpResponse:
        match kind:
            case "429":
                after = f"{self.faults.retry_after:g}"
                message = "Rate limit reached for requests."
                return error_response(429, message, "requests", "rate_limit_exceeded", Retry_After=after)
            case "500":
                return error_response(500, "The server had an error while processing your request.", "server_error")
            case "503":
                return error_response(503, "The engine is currently overloaded.", "server_error")
        return HttpResponse(200, (_HTML,), content_type="text/html; charset=utf-8")

    def _embed(self, body: Mapping[str, Any], draw: Draw) -> HttpResponse:
        return replace(json_response(200, embeddings(body, self.embedding)), latency=self.latency)

    def _chat(self, request: Request, draw: Draw, number: int) -> HttpResponse:
        reply = self._reply(request)
        latency = self.latency if reply.latency is None else reply.latency
        if reply.status != 200:
            return replace(_scripted_error(reply), latency=latency)
        reply = cut_short(reply, request.most_tokens)
        reply = self._damaged(reply, draw.kind)
        prompt = prompt_tokens(request)
        id = f"stub-{number}"
        if request.path == "/responses":
            return replace(json_response(200, response(request, reply, id, prompt)), latency=latency)
        if request.body.get("stream"):
            parts = events(request, reply, id, prompt)
            return HttpResponse(200, parts, content_type="text/event-stream", stream=True, latency=latency)
        return replace(json_response(200, completion(request, reply, id, prompt)), latency=latency)

    def _reply(self, request: Request) -> Reply:
        try:
            return as_reply(self.script(request))
        except Exception as error:  # a user's script may raise anything, and whoever asked should learn it
            return Reply(f"the script raised {type(error).__name__}: {error}", status=500)

    def _damaged(self, reply: Reply, kind: FaultKind | None) -> Reply:
        match kind:
            case "malformed":
                # without a closing brace no reader can make an object of it
                broken = '{"' + reply.text[: len(reply.text) // 2].lstrip('{["').replace("}", "")
                self._attempts.remember_broken(broken)
                return replace(reply, text=broken)
            case "empty":
                return replace(reply, text="")
            case "refusal":
                return replace(reply, text="", refusal="I'm sorry, but I can't help with that.")
        return reply


def serve(
    script: str = "echo",
    *,
    port: int = 8000,
    latency: float = 0.0,
    faults: Faults | None = None,
    embedding: Embedding = "hash",
    idempotent: bool = False,
    token: str | None = None,
    say: Callable[[str], None] | None = None,
    log: Callable[[str], None] | None = None,
) -> None:
    """Serve a script by its name, or the rules in a .json file, until interrupted."""
    say = say or partial(print, flush=True)
    with StubServer(
        script, latency, faults, port, embedding=embedding, log=log, keep=0, idempotent=idempotent, token=token
    ) as server:
        try:
            say(f"{server.url} answers with {script!r}; stop it with Ctrl-C")
            threading.Event().wait()
        except KeyboardInterrupt:
            say("stopped")


def _script(script: Script | str | Sequence[Rule | Mapping[str, Any]]) -> Script:
    if isinstance(script, str):
        return script_named(script)
    return script if callable(script) else rules(script)


def _json(incoming: HttpRequest) -> tuple[Any, HttpResponse | None]:
    """The body of a request, or why it can't be read."""
    if incoming.method != "POST":
        return None, None
    try:
        return json.loads(incoming.body), None
    except (ValueError, RecursionError):
        return None, error_response(400, "We could not parse the JSON body of your request.")


def _has_key(headers: Mapping[str, str], key: str) -> bool:
    given = headers.get("authorization", "").removeprefix("Bearer ")
    return hmac.compare_digest(given.encode("utf-8", "replace"), key.encode("utf-8", "replace"))


def _wrong_key() -> HttpResponse:
    return error_response(401, "Incorrect API key provided.", INVALID_REQUEST, "invalid_api_key")


def _unknown_model(name: str) -> HttpResponse:
    return error_response(
        404, f"The model '{name}' does not exist or you do not have access to it.", INVALID_REQUEST, "model_not_found"
    )


def _scripted_error(reply: Reply) -> HttpResponse:
    kind = "server_error" if reply.status >= 500 else INVALID_REQUEST
    return error_response(reply.status, reply.text or "scripted error", kind, "scripted", x_should_retry="false")


def _truncated(answer: HttpResponse) -> HttpResponse:
    """A body that ends too early, though the connection ends in good order."""
    if answer.stream:
        return replace(answer, parts=answer.parts[: len(answer.parts) // 2])
    [body] = answer.parts
    return replace(answer, parts=(body[: len(body) * 2 // 3],))
