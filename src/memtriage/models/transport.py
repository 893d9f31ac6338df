"""The connections to an endpoint: every request gets its own answer, and goes to nobody but the place that was named.

A kept-alive connection carries answers in order and without a name. An endpoint that sends one answer twice shifts all
later ones, and each would be cached under the wrong question. So a connection on which anything came that was not asked
for is closed before the next request goes out. A copy that arrives after that request looks like its answer; it is
known by being the same, byte for byte, as the answer before it. That call is asked again on a new connection.

An endpoint that did either once gets a new connection for every request.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from memtriage.models.keys import scrub

_NAMED = b"\r\nidempotency-key:"
"""In the head of every request that asks a model; others, such as how a batch is doing, are answered alike."""

_LARGEST_READ = 1 << 20


@dataclass(slots=True)
class Progress:
    """How far a request got: whether anything of it was `sent`, so that the endpoint may have answered it."""

    sent: bool = False


PROGRESS: ContextVar[Progress | None] = ContextVar("progress", default=None)
"""That of the request which the current task makes."""


class WireTrouble(Exception):
    """An answer that is not to be read, whatever it says."""


class SentElsewhere(WireTrouble):
    """The endpoint answered with a redirect to another origin. `place` is where it points, without a query."""

    def __init__(self, place: str) -> None:
        super().__init__(f"sent elsewhere, to {place}")
        self.place = place


class SameAnswer(WireTrouble):
    """The answer is the one that the connection brought before, to another request."""

    def __init__(self) -> None:
        super().__init__("the same answer as to the request before; it is asked again on a new connection")


class Transport:
    """Watches over the connections of one HTTP client of the SDK; `tell` hears what the user should know, once.

    >>> client = Transport(print).client(timeout=60)                                # doctest: +SKIP
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.keeps_connections = True
        """Until the endpoint sends what was not asked for."""
        self.may_repeat = False
        """Whether the endpoint is known to say the same to different requests."""
        self._doubted: dict[str, str] = {}

    def client(self, **options: Any) -> Any:
        """An HTTP client for the OpenAI SDK."""
        from openai import DefaultAsyncHttpxClient

        client: Any = DefaultAsyncHttpxClient(**options, event_hooks={"response": [self._seen]})
        # There is no public way to give a network backend to a client that honours the environment's proxies.
        for transport in (client._transport, *client._mounts.values()):
            if transport is not None:
                pool = transport._pool
                # httpcore2, or httpcore with the SDK before version 3; both may be installed
                errors = import_module(type(pool).__module__.partition(".")[0])
                pool._network_backend = _WatchedBackend(pool._network_backend, self, errors)
        return client

    async def _seen(self, response: Any) -> None:
        """Look at a response before anybody reads it, or follows where it points."""
        if response.has_redirect_location:
            _refuse_elsewhere(response)
            return
        await response.aread()
        try:
            b"{}".decode(response.encoding or "utf-8")  # refuses codecs that make no text, such as zlib
            _ = response.text
        except Exception:  # a charset that is none, or that raises whatever it likes at what it can't read
            response.encoding = "utf-8"
        stream = response.extensions.get("network_stream")
        if response.status_code == 200 and isinstance(stream, _WatchedStream):
            self._compare(response.request.headers.get("idempotency-key", ""), stream)

    def _compare(self, request: str, stream: _WatchedStream) -> None:
        if stream.repeats:
            self._doubted[request] = stream.digest
            raise SameAnswer
        doubted = self._doubted.pop(request, None)
        if doubted == stream.digest:
            self.may_repeat = True
        elif doubted is not None:
            self.distrust()

    def distrust(self) -> None:
        """Give every request a connection of its own from now on."""
        if self.keeps_connections:
            self.keeps_connections = False
            self._tell("sent answers that nobody asked for; since then every call gets its own connection")


def _refuse_elsewhere(response: Any) -> None:
    try:
        place = response.request.url.join(response.headers["location"])
    except Exception:  # whatever the client raises at an address that is none, it raises again when it follows it
        return
    if _origin(place) != _origin(response.request.url):
        raise SentElsewhere(scrub(str(place.copy_with(query=None, fragment=None, userinfo=b""))))


def _origin(url: Any) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)


class _WatchedBackend:
    """Opens connections that are watched."""

    def __init__(self, backend: Any, owner: Transport, errors: Any) -> None:
        self._backend = backend
        self._owner = owner
        self._errors = errors

    async def connect_tcp(self, *args: Any, **options: Any) -> _WatchedStream:
        return _WatchedStream(await self._backend.connect_tcp(*args, **options), self._owner, self._errors)

    async def connect_unix_socket(self, *args: Any, **options: Any) -> _WatchedStream:
        return _WatchedStream(await self._backend.connect_unix_socket(*args, **options), self._owner, self._errors)

    async def sleep(self, seconds: float) -> None:
        await self._backend.sleep(seconds)


class _WatchedStream:
    """One connection. What is read is parsed a second time, beside the client, to see where each answer ends."""

    def __init__(self, stream: Any, owner: Transport, errors: Any) -> None:
        self._stream = stream
        self._owner = owner
        self._errors = errors
        self._parser: Any = None
        self._hash = hashlib.blake2b(digest_size=16)
        self._used = False
        self._named = False
        self._leftover = False
        self.digest = ""
        self.repeats = False
        """Whether the last answer is the one before it."""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer and self._parser is None:
            if self._used and not await self._is_clean():
                # The pool takes another connection. Nothing of the request was sent.
                raise self._errors.ConnectionNotAvailable
            self._begin(buffer)
        await self._stream.write(buffer, timeout)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        # Taken in one piece, nothing is left where it can't be seen.
        received: bytes = await self._stream.read(max(max_bytes, _LARGEST_READ), timeout)
        self._follow(received)
        return received

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(self, *args: Any, **options: Any) -> _WatchedStream:
        return _WatchedStream(await self._stream.start_tls(*args, **options), self._owner, self._errors)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    async def _is_clean(self) -> bool:
        """Whether nothing came that was not asked for; otherwise the endpoint's connections are no longer kept."""
        if self._owner.keeps_connections and not self._leftover and not self.repeats:
            try:
                received = await self._stream.read(_LARGEST_READ, 0.0)
            except self._errors.ReadTimeout:
                return True
            if not received:  # closed by the endpoint, which it may
                return False
            self._leftover = True
        if self._leftover:
            self._owner.distrust()
        return False

    def _begin(self, head: bytes) -> None:
        import h11

        method = head.partition(b" ")[0].decode("ascii", "replace")
        self._parser = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LARGEST_READ)
        self._parser.send(h11.Request(method=method, target="/", headers=[("Host", "x")]))
        self._parser.send(h11.EndOfMessage())
        self._named = _NAMED in head.lower()
        if (progress := PROGRESS.get()) is not None and method != "CONNECT":  # that one is for a proxy
            progress.sent = True
        self._hash = hashlib.blake2b(digest_size=16)

    def _follow(self, received: bytes) -> None:
        """Go along with an answer; at its end, see what else there is."""
        import h11

        if self._parser is None:
            self._leftover = self._leftover or bool(received)
            return
        try:
            self._parser.receive_data(received)
            ended = any(isinstance(event, h11.EndOfMessage) for event in _events(self._parser))
        except h11.RemoteProtocolError:  # no HTTP: the client finds that out as well, and closes the connection
            self._parser, self._used, self._leftover = None, True, True
            return
        if not ended:
            self._hash.update(received)
            return
        rest = self._parser.trailing_data[0]
        self._hash.update(received[: len(received) - len(rest)])
        before, self.digest = self.digest, self._hash.hexdigest()
        self.repeats = self._named and self._used and self.digest == before and not self._owner.may_repeat
        self._parser, self._used, self._leftover = None, True, bool(rest)


def _events(parser: Any) -> Iterator[Any]:
    """What the parser makes of the bytes it has."""
    import h11

    while (event := parser.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
        yield event
        if isinstance(event, h11.EndOfMessage | h11.ConnectionClosed):
            return
