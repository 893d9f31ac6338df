"""A proxy on 127.0.0.1 in front of a model server that breaks what HTTP itself promises, at a given rate."""

from __future__ import annotations

import random
import select
import socket
import threading
import time
from collections import Counter
from contextlib import suppress
from types import TracebackType
from typing import Self

KINDS = ("doubled", "garbage", "slow", "short")
"""The same response twice; bytes that are no HTTP; a response in drips; one that ends too early."""


class BreakingProxy:
    """Passes requests on, each over a connection of its own, and breaks a share of the responses."""

    def __init__(self, port: int, share: float, seed: int, kinds: tuple[str, ...] = KINDS) -> None:
        self._to, self.share, self._kinds = port, share, kinds
        self._dice = random.Random(seed)
        self._lock = threading.Lock()
        self.broken: Counter[str] = Counter()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self._open = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open = False
        self._listener.close()

    def _listen(self) -> None:
        while self._open:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError, ValueError):
            while request := _message(client):
                with socket.create_connection(("127.0.0.1", self._to)) as server:
                    server.sendall(request.replace(b":%d\r\n" % self.port, b":%d\r\n" % self._to, 1))
                    ready, _, _ = select.select([server, client], [], [])
                    if server not in ready:
                        return  # the client gave up first, and the server is to know
                    response = _message(server)
                if not response or not self._send(client, response):
                    return

    def _send(self, client: socket.socket, response: bytes) -> bool:
        """Send it, broken or not; whether the connection is still good for the next one."""
        with self._lock:
            kind = self._dice.choice(self._kinds) if self._dice.random() < self.share else ""
            late = self._dice.random() < 0.5
            self.broken[kind] += bool(kind)
        match kind:
            case "doubled":
                if late:
                    client.sendall(response)
                    time.sleep(0.005)
                    client.sendall(response)
                else:
                    client.sendall(response + response)
            case "garbage":
                client.sendall(self._dice.randbytes(200))
                return False
            case "slow":
                for start in range(0, len(response), 64):
                    client.sendall(response[start : start + 64])
                    time.sleep(0.002)
            case "short":
                client.sendall(response[: len(response) * 3 // 4])
                return False
            case _:
                client.sendall(response)
        return True


def _message(peer: socket.socket) -> bytes:
    """One HTTP message with a Content-Length, as it came; nothing if the peer is gone."""
    got = b""
    while b"\r\n\r\n" not in got:
        if not (more := peer.recv(65536)):
            return b""
        got += more
    head, _, body = got.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    wanted = int(lengths[0]) if lengths else 0
    while len(body) < wanted:
        if not (more := peer.recv(65536)):
            return head + b"\r\n\r\n" + body
        body += more
    return head + b"\r\n\r\n" + body
