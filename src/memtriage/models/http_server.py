"""Just enough HTTP/1.1 for small servers on 127.0.0.1.

They are for programs on this machine. A web page in a browser here is not one: what it sends names another host, or
itself as its origin, and is refused before anything is read from it.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

_MAX_BODY = 64 << 20
"""The largest body read, in bytes."""

_MAX_HEAD = 1 << 16
"""The longest head of a request read, in bytes."""

_MOST_CONNECTIONS = 4096
_MOST_TRAILERS = 100
_BODY_SECONDS = 300.0
"""How long a client may take to send the body that it announced."""

_HERE = ("127.0.0.1", "localhost", "[::1]")

INVALID_REQUEST = "invalid_request_error"


class BadHttp(ValueError):
    """A request that isn't HTTP/1.1, or is too large."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One HTTP request; the path comes without its query, which may hold a key."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    keep_alive: bool


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """One HTTP response. Several parts are sent as a stream, one alone with its length."""

    status: int
    parts: tuple[bytes, ...]
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: bool = False
    latency: float = 0.0
    fault: str | None = None

    def to_bytes(self, keep_alive: bool) -> bytes:
        """The response as bytes."""
        lines = [f"HTTP/1.1 {self.status} {_phrase(self.status)}", f"Content-Type: {self.content_type}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        lines.append("Connection: " + ("keep-alive" if keep_alive else "close"))
        if self.stream:
            lines.append("Transfer-Encoding: chunked")
            body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in self.parts) + b"0\r\n\r\n"
        else:
            body = b"".join(self.parts)
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def json_response(status: int, value: Any, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """An answer that holds a JSON value."""
    return HttpResponse(status, (json.dumps(value).encode(),), headers=headers or {})


def error_response(
    status: int, message: str, kind: str = INVALID_REQUEST, code: str | None = None, **headers: str
) -> HttpResponse:
    """An error as OpenAI formats them."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return json_response(status, {"error": {"message": message, "type": kind, "param": None, "code": code}}, named)


class HttpServer:
    """Listens on 127.0.0.1; `serve` gets each request and writes the answer."""

    def __init__(
        self, serve: Callable[[HttpRequest, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
    ) -> None:
        self.port = 0
        self._serve = serve
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def listen(self, port: int = 0) -> None:
        """Open the port; 0 picks a free one."""

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(self._connections) >= _MOST_CONNECTIONS:
                writer.transport.abort()
                return
            task = asyncio.ensure_future(self._converse(reader, writer))
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
            task.add_done_callback(lambda _: writer.close())  # also where it was cancelled before it began

        self._server = await asyncio.start_server(connected, "127.0.0.1", port, limit=_MAX_HEAD, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]

    async def aclose(self) -> None:
        """Stop listening and break every connection."""
        if self._server is not None:
            self._server.close()
            await asyncio.sleep(0)  # connections accepted at the last moment are in the set after this
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, request after request, until either side ends it."""
        try:
            while (request := await read_request(reader, writer, self.port)) is not None:
                await self._serve(request, reader, writer)
                if not request.keep_alive or writer.is_closing():
                    break
        except BadHttp as problem:
            writer.write(error_response(problem.status, str(problem)).to_bytes(False))
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # the client is gone; there is nobody to tell
        except asyncio.CancelledError:
            writer.transport.abort()
            raise


async def read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> HttpRequest | None:
    """The next request on a connection to a port of this machine, None at its end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise BadHttp(431, "the head of the request is too long") from error
    first, *lines = head.decode("latin-1").strip("\r\n").split("\r\n")
    method, target, version = _first_line(first)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    _refuse_pages(headers, port)
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            body = await _body(reader, headers)
    except TimeoutError:
        raise BadHttp(408, "the body of the request did not arrive in time") from None
    keep = headers.get("connection", "").lower() != "close" and version == "HTTP/1.1"
    return HttpRequest(method, target.partition("?")[0][:1000], headers, body, keep)


def _refuse_pages(headers: Mapping[str, str], port: int) -> None:
    """Refuse what a web page made a browser send: by a name that was bound to this machine, or from another origin."""
    host = headers.get("host", "").lower()
    if host not in {f"{name}:{port}" for name in _HERE} and not (port == 80 and host in _HERE):
        raise BadHttp(421, "this server is for programs on this machine, which call it 127.0.0.1 or localhost")
    if "origin" in headers:
        raise BadHttp(403, "this server is not for web pages")


def _first_line(line: str) -> tuple[str, str, str]:
    match line.split(" "):
        case [method, target, ("HTTP/1.1" | "HTTP/1.0") as version]:
            return method, target, version
    raise BadHttp(400, "this is not an HTTP/1.1 request")


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if "transfer-encoding" in headers and "content-length" in headers:
        raise BadHttp(400, "the body has two lengths")
    if "chunked" in headers.get("transfer-encoding", "").lower():
        try:
            return await _chunks(reader)
        except ValueError as error:  # a line that never ends
            raise error if isinstance(error, BadHttp) else BadHttp(400, "a line of the body is too long") from error
    return await reader.readexactly(_size(headers.get("content-length", "0"), 10))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while True:
        size = _size((await reader.readline()).decode("latin-1").partition(";")[0].strip(), 16)
        if len(body) + size > _MAX_BODY:
            raise BadHttp(413, "the body is too large")
        body += await reader.readexactly(size)
        if size == 0:
            for _ in range(_MOST_TRAILERS):
                if not (await reader.readline()).strip():
                    return bytes(body)
            raise BadHttp(431, "the body has too many trailing headers")
        await reader.readexactly(2)


def _size(text: str, base: int) -> int:
    if not re.fullmatch(r"[0-9a-fA-F]{1,16}" if base == 16 else r"[0-9]{1,16}", text):
        raise BadHttp(400, "the length of the body is not a number")
    size = int(text, base)
    if size > _MAX_BODY:
        raise BadHttp(413, "the body is too large")
    return size


def break_connection(writer: asyncio.StreamWriter, sent: bytes) -> None:
    """Send half of a response, then break the connection the hard way."""
    writer.write(sent[: len(sent) - max(1, len(sent) // 3)])
    sock = writer.get_extra_info("socket")
    if sock is not None:  # lingering for no time makes the kernel send a reset instead of an orderly end
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def client_left(reader: asyncio.StreamReader) -> bool:
    """Whether the client has hung up."""
    return reader.at_eof() or reader.exception() is not None


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Status"
