"""A server on 127.0.0.1 that writes raw bytes: what no HTTP library would send."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any, Self


class Peer:
    """One connection of a client. `requests` are the bodies that came over it."""

    def __init__(self, connection: socket.socket, number: int) -> None:
        self.connection = connection
        self.number = number
        self.requests: list[Mapping[str, Any]] = []
        self._buffer = b""

    def send(self, content: bytes) -> None:
        self.connection.sendall(content)

    def receive(self) -> Mapping[str, Any] | None:
        """The body of the next request; None once the client is gone."""
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if not self._more():
                return None
        head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        size = int(fields.get(b"content-length", b"0"))
        while len(self._buffer) < size:
            if not self._more():
                return None
        body, self._buffer = self._buffer[:size], self._buffer[size:]
        self.requests.append(json.loads(body or b"{}"))
        return self.requests[-1]

    def _more(self) -> bool:
        try:
            received = self.connection.recv(1 << 16)
        except OSError:
            return False
        self._buffer += received
        return bool(received)


class RawServer:
    """Serves while the `with` lasts: `serve` answers all requests of one connection."""

    def __init__(self, serve: Callable[[Peer], None]) -> None:
        self.peers: list[Peer] = []
        self._serve = serve
        self._listener = socket.create_server(("127.0.0.1", 0))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def spec(self) -> str:
        return f"{self.url}/v1#served-model"

    @property
    def count(self) -> int:
        """How many requests came."""
        return sum(len(peer.requests) for peer in self.peers)

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # a thread that still waits could come to accept for the next server
        self._listener.close()
        for peer in self.peers:
            peer.connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer = Peer(connection, len(self.peers))
            self.peers.append(peer)
            threading.Thread(target=self._answer, args=(peer,), daemon=True).start()

    def _answer(self, peer: Peer) -> None:
        try:
            self._serve(peer)
        except OSError:
            pass  # the client has had enough
        finally:
            peer.connection.close()


def completion(text: str, id: str) -> bytes:
    """A chat completion as JSON."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
    choices = [{"index": 0, "finish_reason": "stop", "message": message}]
    return json.dumps({"id": id, "object": "chat.completion", "choices": choices, "usage": usage}).encode()


def response(body: bytes, status: str = "200 OK", *headers: str, length: int | None = None) -> bytes:
    """A response with a length."""
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {length or len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def chunked(body: bytes) -> bytes:
    """A response in two chunks."""
    half = len(body) // 2
    parts = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:]))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + parts + b"0\r\n\r\n"
