"""What goes over the wire to an endpoint: every call gets its own answer, and nothing is carried to another place."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memtriage import registry
from memtriage.core.chat import Call, Message, ModelError, Reply
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadSystem, StoreLost
from memtriage.models.cache import Cache
from memtriage.models.client import Client
from memtriage.models.embedding_client import EmbeddingClient
from memtriage.models.ledger import Ledger
from raw_server import Peer, RawServer, chunked, completion, response


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MEMTRIAGE_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


def question(text: str) -> Call:
    return Call("answer", "answer", (Message("user", text),))


def prompt_of(body: Any) -> str:
    return str(body["messages"][-1]["content"])


def answer_to(peer: Peer, body: Any) -> bytes:
    return completion(f"the answer to {prompt_of(body)}", f"c-{peer.number}-{len(peer.requests)}")


def ask_in_turn(spec: str, calls: int, between: Callable[[], Any] = lambda: None, **options: Any) -> list[Any]:
    """The answers to calls that are made one after the other, or what went wrong with them."""

    async def work() -> list[Any]:
        found: list[Any] = []
        async with Client(spec, backoff=0.001, **options) as client:
            for number in range(calls):
                try:
                    found.append((await client.ask(question(f"question {number}"))).text)
                except ModelError as error:
                    found.append(error)
                await asyncio.to_thread(between)
            return found

    return asyncio.run(work())


RIGHT = [f"the answer to question {number}" for number in range(8)]

TOO_MUCH: dict[str, Callable[[bytes], bytes]] = {
    "the response twice": lambda body: response(body) * 2,
    "the response three times": lambda body: response(body) * 3,
    "garbage behind it": lambda body: response(body) + b"\r\n\r\n<!-- garbage -->",
    "one more byte": lambda body: response(body) + b"x",
    "half of another response": lambda body: response(body) + response(body)[:40],
    "a 100 Continue behind it": lambda body: response(body) + b"HTTP/1.1 100 Continue\r\n\r\n",
    "chunks twice": lambda body: chunked(body) * 2,
    "chunks, then a response": lambda body: chunked(body) + response(body),
    "a long response twice": lambda body: response(body + b" " * 100_000) * 2,
}


@pytest.mark.parametrize("kind", TOO_MUCH)
def test_what_comes_behind_a_response_is_no_answer_to_the_next_call(kind: str, tmp_path: Path) -> None:
    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            peer.send(TOO_MUCH[kind](answer_to(peer, body)))

    with RawServer(serve) as server, Cache(tmp_path / "calls.sqlite") as cache:
        ledger = Ledger()
        assert ask_in_turn(server.spec, 8, cache=cache, ledger=ledger) == RIGHT
        assert server.count == 8, "nothing had to be asked twice"
        if kind != "a long response twice":  # which may be noticed by the pool, which says nothing
            assert "sent answers that nobody asked for" in str(ledger.snapshot()), "it is told"
        assert ask_in_turn(server.spec, 8, cache=cache) == RIGHT, "the cache holds each answer under its own question"
        assert server.count == 8


def test_a_copy_that_comes_while_the_connection_is_idle_is_no_answer_to_the_next_call() -> None:
    sent = threading.Semaphore(0)

    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            peer.send(response(answer_to(peer, body)))
            peer.send(response(answer_to(peer, body)))
            sent.release()

    with RawServer(serve) as server:
        assert ask_in_turn(server.spec, 8, lambda: sent.acquire(timeout=10)) == RIGHT
        assert server.count == 8


@pytest.mark.parametrize("kind", ["a response", "chunks"])
def test_a_copy_that_comes_after_the_next_request_is_found_out_and_asked_again(kind: str, tmp_path: Path) -> None:
    """On the wire it is the answer to the next request: only that it says again what was said gives it away."""
    write = {"a response": response, "chunks": chunked}[kind]

    def serve(peer: Peer) -> None:
        before = b""
        while (body := peer.receive()) is not None:
            now = write(answer_to(peer, body))
            peer.send(before or now)
            before = now

    with RawServer(serve) as server, Cache(tmp_path / "calls.sqlite") as cache:
        assert ask_in_turn(server.spec, 8, cache=cache) == RIGHT
        assert server.count == 9, "one call was asked again; after that each call has a connection of its own"
        assert ask_in_turn(server.spec, 8, cache=cache) == RIGHT


def test_a_server_that_says_the_same_to_everybody_is_asked_again_once() -> None:
    def serve(peer: Peer) -> None:
        while peer.receive() is not None:
            peer.send(response(completion("yes", "always the same")))

    with RawServer(serve) as server:
        assert ask_in_turn(server.spec, 8) == ["yes"] * 8
        assert server.count == 9
        assert len(server.peers) == 2, "and its connections are kept"


def test_a_length_that_is_too_short_spoils_no_later_answer() -> None:
    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            whole = answer_to(peer, body)
            peer.send(response(whole, length=len(whole) // 2 if prompt_of(body) == "question 1" else None))

    with RawServer(serve) as server:
        found = ask_in_turn(server.spec, 4, max_retries=2)
    assert [found[0], *found[2:]] == [RIGHT[0], *RIGHT[2:4]]
    assert "sent a broken or cut-off reply" in str(found[1])


def test_a_100_continue_before_a_response_does_no_harm() -> None:
    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            peer.send(b"HTTP/1.1 100 Continue\r\n\r\n" + response(answer_to(peer, body)))

    with RawServer(serve) as server:
        assert ask_in_turn(server.spec, 8) == RIGHT
        assert len(server.peers) == 1


@pytest.mark.parametrize("write", [response, chunked])
def test_a_good_server_is_asked_over_one_connection(write: Callable[[bytes], bytes]) -> None:
    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            peer.send(write(answer_to(peer, body)))

    with RawServer(serve) as server:
        assert len(ask_in_turn(server.spec, 50)) == 50
        assert len(server.peers) == 1


def test_calls_at_once_each_get_their_own_answer_from_a_server_that_sends_everything_twice() -> None:
    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            peer.send(response(answer_to(peer, body)) * 2)

    async def work(spec: str) -> list[Reply]:
        async with Client(spec, backoff=0.001) as client:
            return await asyncio.gather(*(client.ask(question(f"question {number}")) for number in range(60)))

    with RawServer(serve) as server:
        assert [reply.text for reply in asyncio.run(work(server.spec))] == [
            f"the answer to question {number}" for number in range(60)
        ]


def test_under_tls_a_copy_in_a_record_of_its_own_is_no_answer_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost")
    names = ("-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem")
    try:
        subprocess.run(["openssl", *made, *names], check=True, capture_output=True, cwd=tmp_path)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("openssl makes no certificate here")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")

    def serve(peer: Peer) -> None:
        # Both records are made before either is sent, and go out in one piece.
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        inside = context.wrap_bio(incoming, outgoing, server_side=True)

        class Tls:
            def recv(self, size: int) -> bytes:
                while True:
                    try:
                        return inside.read(size)
                    except ssl.SSLWantReadError:
                        flush()
                        if not (received := raw.recv(1 << 16)):
                            return b""
                        incoming.write(received)

            def close(self) -> None:
                raw.close()

        def flush() -> None:
            if outgoing.pending:
                raw.sendall(outgoing.read())

        raw, peer.connection = peer.connection, Tls()  # type: ignore[assignment]
        while (body := peer.receive()) is not None:
            for _ in range(2):
                inside.write(response(answer_to(peer, body)))
            flush()

    with RawServer(serve) as server:
        assert ask_in_turn(server.spec.replace("http://127.0.0.1", "https://localhost"), 8) == RIGHT
        assert server.count == 8


# ---------------------------------------------------------------------- redirects


@pytest.fixture
def elsewhere() -> Any:
    """Another origin, which remembers everything that is brought to it."""

    def serve(peer: Peer) -> None:
        while peer.receive() is not None:
            peer.send(response(completion("thank you", str(len(peer.requests)))))

    with RawServer(serve) as server:
        yield server


def redirecting(status: str, location: str) -> Callable[[Peer], None]:
    def serve(peer: Peer) -> None:
        while peer.receive() is not None:
            peer.send(response(b"{}", status, f"Location: {location}"))

    return serve


REDIRECTS = ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"]


@pytest.mark.parametrize("status", REDIRECTS)
def test_no_prompt_is_carried_to_another_origin(status: str, elsewhere: RawServer) -> None:
    with RawServer(redirecting(status, f"{elsewhere.url}/v1/chat/completions?key=abc#there")) as server:
        found = ask_in_turn(server.spec, 2)
        assert server.count == 1, "it is not tried again, and other calls fail at once"
    assert elsewhere.peers == []
    assert f"redirects to {elsewhere.url}/v1/chat/completions, which was not followed" in str(found[0])
    assert "use it instead" in str(found[0])
    assert "abc" not in str(found[0])


@pytest.mark.parametrize("place", ["https://127.0.0.1:{port}/v1", "http://localhost:{port}/v1", "//127.0.0.1:1/v1"])
def test_another_scheme_name_or_port_of_the_same_host_is_another_origin(place: str) -> None:
    def serve(peer: Peer) -> None:
        _, port = peer.connection.getsockname()
        redirecting("307 Temporary Redirect", place.format(port=port))(peer)

    with RawServer(serve) as server:
        (found,) = ask_in_turn(server.spec, 1)
        assert "which was not followed" in str(found)
        assert server.count == 1


def test_embeddings_are_not_carried_to_another_origin(elsewhere: RawServer) -> None:
    async def work(spec: str) -> None:
        async with EmbeddingClient(spec, backoff=0.001) as client:
            await client.embed(["a secret"])

    away = redirecting("308 Permanent Redirect", f"{elsewhere.url}/v1/embeddings")
    with RawServer(away) as server, pytest.raises(ModelError, match="which was not followed"):
        asyncio.run(work(server.spec))
    assert elsewhere.peers == []


def test_a_redirect_within_the_same_origin_is_followed() -> None:
    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            moved = len(peer.requests) % 2 == 1
            peer.send(
                response(b"{}", "307 Temporary Redirect", "Location: /v2/chat/completions")
                if moved
                else response(answer_to(peer, body))
            )

    with RawServer(serve) as server:
        assert ask_in_turn(server.spec, 2) == RIGHT[:2]


def test_what_was_said_to_a_memory_service_is_not_carried_to_another_origin(elsewhere: RawServer) -> None:
    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            away = f"Location: {elsewhere.url}/store?token=abc"
            peer.send(response(b"{}") if body["do"] == "hello" else response(b"", "307 Temporary Redirect", away))

    with RawServer(serve) as server:
        system = registry.system(server.url).build()
        with pytest.raises(BadSystem, match=f"redirects to {elsewhere.url}/store, which was not followed"):
            system.store_conversation(Session("s", (Turn("user", "a secret", "s/0"),), "2026-01-05T09:00:00Z"))
        with suppress(BadSystem):  # it would have to forget the store, and that request is sent on as well
            system.close()
    assert elsewhere.peers == []


def test_a_memory_service_may_send_requests_on_to_itself() -> None:
    def serve(peer: Peer) -> None:
        while peer.receive() is not None:
            memories = b'{"memories": ["the kettle is blue"]}'
            first = len(peer.requests) % 2 == 1
            peer.send(response(b"", "307 Temporary Redirect", "Location: ./again/") if first else response(memories))

    with RawServer(serve) as server:
        system = registry.system(server.url).build()
        assert [memory.text for memory in system.get_all_memories()] == ["the kettle is blue"]
        system.close()


@pytest.mark.parametrize("status", REDIRECTS[:3])
def test_a_memory_service_that_moved_for_good_is_told_and_not_taken_for_empty(status: str) -> None:
    told = pytest.raises(BadSystem, match=f"answered POST /hello with {status[:3]}")
    with RawServer(redirecting(status, "/elsewhere")) as server, told:
        registry.system(server.url).build()


def test_what_comes_behind_a_reply_of_a_memory_service_is_no_answer_to_the_next_request() -> None:
    sent = threading.Semaphore(0)

    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            said = response(b'{"memories": ["%s"]}' % body.get("query", "none").encode())
            peer.send(said)
            peer.send(said)
            sent.release()

    with RawServer(serve) as server:
        system = registry.system(server.url).build()
        session = Session("s", (), "2026-01-05T09:00:00Z")
        for query in ("one", "two", "three", "four"):
            assert sent.acquire(timeout=10)
            assert [memory.text for memory in system.retrieve_memories(query, session, 5)] == [query]
        system.close()


def test_what_is_said_to_an_mcp_server_is_not_carried_to_another_origin(elsewhere: RawServer) -> None:
    pytest.importorskip("mcp")
    with RawServer(redirecting("307 Temporary Redirect", f"{elsewhere.url}/mcp")) as server:
        with pytest.raises((BadSystem, StoreLost)):
            registry.system(f"mcp:{server.url}/mcp").build().get_all_memories()
        assert server.count
    assert elsewhere.peers == []


# ---------------------------------------------------------------------- charsets


@pytest.mark.parametrize(
    "charset", ["hex", "zlib", "undefined", "idna", "no-such-thing", "bz2", "", "utf-8;x", "\u00e9"]
)
def test_a_charset_that_is_none_does_no_harm(charset: str) -> None:
    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            good = response(answer_to(peer, body).replace(b"answer", "ans\u00fcwer".encode()))
            peer.send(good.replace(b"application/json", f"application/json; charset={charset}".encode("latin-1")))

    with RawServer(serve) as server:
        assert ask_in_turn(server.spec, 1) == ["the ans\u00fcwer to question 0"]


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "hex", "ascii"])
def test_bytes_that_are_no_text_are_a_malformed_reply(charset: str) -> None:
    def serve(peer: Peer) -> None:
        while peer.receive() is not None:
            bad = response(b"{\xff\xfe\x80\x81")
            peer.send(bad.replace(b"application/json", f"application/json; charset={charset}".encode()))

    with RawServer(serve) as server:
        (found,) = ask_in_turn(server.spec, 1, max_retries=1)
    assert isinstance(found, ModelError)
    assert found.trouble in ("malformed", "not_a_model_server")
