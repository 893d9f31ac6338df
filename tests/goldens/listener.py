"""Stands between memtriage and the model servers, and writes down what models are asked."""

from __future__ import annotations

import json
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import SplitResult, urlsplit


class Listener:
    """Passes every request on to the server of the model it is for, and the answer back, until it is closed."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self._to: dict[str, SplitResult] = {}
        self._server = _Server(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def route(self, model: str, url: str) -> None:
        """Send what is for a model to the server at this address."""
        self._to[model] = urlsplit(url)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                self.onward: dict[str, HTTPConnection] = {}

            def finish(self) -> None:
                for connection in self.onward.values():
                    connection.close()
                super().finish()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                asked = json.loads(body)
                outer.heard.append([self.path.rsplit("/", 1)[-1], asked])
                connection = self._connection(asked["model"])
                connection.request("POST", self.path, body, {"content-type": "application/json"})
                answer = connection.getresponse()
                content = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("connection", "content-length", "transfer-encoding", "date", "server"):
                        self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def _connection(self, model: str) -> HTTPConnection:
                if model not in self.onward:
                    to = outer._to[model]
                    self.onward[model] = HTTPConnection(str(to.hostname), to.port)
                return self.onward[model]

            def log_message(self, *_: object) -> None:
                pass

        return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:  # a client that hangs up is its own affair
        pass
