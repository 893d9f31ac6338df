"""A real HTTP server on 127.0.0.1 that answers chat and embedding requests exactly as a test says."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal


@dataclass(frozen=True)
class Answer:
    """What to send back: a body (JSON, or text as it is), or something worse."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after: threading.Event | None = None
    breaks: Literal["no", "reset", "short", "never"] = "no"


NEVER = Answer(breaks="never")
"""No answer at all, until the server closes."""


def says(
    text: str | None, *, finish: str = "stop", usage: bool = True, after: threading.Event | None = None, **message: Any
) -> Answer:
    """A well-formed completion, sent `after` an event where one is given."""
    body: dict[str, Any] = {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
    }
    if usage:
        body["usage"] = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
    return Answer(body, after=after)


def error(status: int, message: str, **more: Any) -> Answer:
    """An error in the usual shape."""
    headers = more.pop("headers", {})
    return Answer({"error": {"message": message, "type": "invalid_request_error", **more}}, status, headers)


def prompt(body: Mapping[str, Any]) -> str:
    """The last message of a request."""
    return str(body["messages"][-1]["content"])


Decide = Callable[[int, Mapping[str, Any]], Answer]


class ModelServer:
    """Serves while the `with` lasts. `decide(number, body)` answers the number-th request, counted from 0."""

    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self.bodies: list[Mapping[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.paths: list[str] = []
        self.raw: list[bytes] = []
        self.at_once = 0
        self.peak = 0
        self._arrived = threading.Condition()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def spec(self) -> str:
        return f"{self.url}#served-model"

    @property
    def count(self) -> int:
        return len(self.bodies)

    def wait_for(self, requests: int) -> None:
        """Wait until this many requests have arrived in all."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: self.count >= requests, 60), f"{self.count} of {requests} came"

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _take(self, path: str, headers: Mapping[str, str], content: bytes) -> int:
        with self._arrived:
            self.raw.append(content)
            self.bodies.append(json.loads(content))
            self.headers.append(headers)
            self.paths.append(path)
            self.at_once += 1
            self.peak = max(self.peak, self.at_once)
            self._arrived.notify_all()
            return len(self.bodies) - 1

    def _done(self) -> None:
        with self._arrived:
            self.at_once -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                number = outer._take(self.path, {name.lower(): value for name, value in self.headers.items()}, content)
                try:
                    answer = outer.decide(number, outer.bodies[number])
                    if answer.after is not None:
                        answer.after.wait(60)
                    if answer.breaks == "never":
                        outer._closing.wait()
                        self.close_connection = True
                    else:
                        self._send(answer, number)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
                finally:
                    outer._done()

            def _send(self, answer: Answer, number: int) -> None:
                if answer.breaks == "reset":
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()
                    self.close_connection = True
                    return
                text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
                content = text.encode()
                self.send_response(answer.status)
                kind = "application/json" if not text.startswith("<") else "text/html"
                # As real endpoints do: no two responses are the same.
                for name, value in {"content-type": kind, "x-request-id": f"r-{number}", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                if answer.breaks == "short":
                    content = content[: len(content) // 2]
                    self.close_connection = True
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        pass
