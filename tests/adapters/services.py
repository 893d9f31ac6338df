"""A small HTTP service on 127.0.0.1 for stand-ins of memory services: routes, a key, and a record of what was asked."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass(frozen=True)
class Call:
    """One request as it came in: query values are the last of their name."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    headers: dict[str, str]


class Problem(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status)
        self.status, self.body = status, body


class Service:
    """Subclasses fill `routes` with (method, pattern of the path, function of the call and the pattern's groups)."""

    key_header = "authorization"
    open_paths: tuple[str, ...] = ()

    def __init__(self, key: str = "") -> None:
        self.key = key
        self.calls: list[Call] = []
        self.routes: list[tuple[str, str, Callable[..., Any]]] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, call: Call) -> tuple[int, Any]:
        with self._lock:
            self.calls.append(call)
            if self.key and call.path not in self.open_paths and call.headers.get(self.key_header) != self.key:
                return 401, {"detail": "Unauthorized", "message": "Unauthorized"}
            for method, pattern, function in self.routes:
                if method == call.method and (found := re.fullmatch(pattern, call.path)):
                    try:
                        return 200, function(call, *map(unquote, found.groups()))
                    except Problem as problem:
                        return problem.status, problem.body
            return 404, {"detail": f"no {call.method} {call.path}"}

    def asked(self, method: str, pattern: str) -> list[Call]:
        """The requests that came to a path."""
        return [call for call in self.calls if call.method == method and re.fullmatch(pattern, call.path)]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            raw = self.rfile.read(size)
            url = urlsplit(self.path)
            query = {name: values[-1] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            call = Call(self.command, url.path, query, json.loads(raw) if raw else None, headers)
            status, body = service.answer(call)
            sent = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = respond

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    return Handler


def nearness(query: str, text: str) -> float:
    """The share of the query's words that a text has."""
    asked = set(re.findall(r"\w+", query.lower()))
    return len(asked & set(re.findall(r"\w+", text.lower()))) / max(len(asked), 1)


def refusing_address() -> str:
    """An address of this machine at which nobody listens."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = server.server_port
    server.server_close()
    return f"http://127.0.0.1:{port}"
