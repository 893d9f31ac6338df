"""The servers that memtriage runs on this machine: for programs here, not for web pages, and not to be held up."""

from __future__ import annotations

import json
import re
import signal
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from conftest import Place
from memtriage.models.scripted import StubServer, echo
from memtriage.models.system_models import SystemModels

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello."}]}).encode()


@pytest.fixture(params=["stub", "gateway"])
def address(request: pytest.FixtureRequest) -> Iterator[tuple[int, str]]:
    """The port and the path for chat of one of the servers."""
    with StubServer(echo) as stub:
        if request.param == "stub":
            yield stub.port, "/v1/chat/completions"
            return
        with SystemModels(cache=None) as models, models.gate(internal=f"{stub.url}#m") as gate:
            path = gate.url.partition("127.0.0.1:")[2]
            yield int(path.partition("/")[0]), f"/{path.partition('/')[2]}/chat/completions"


def ask(port: int, path: str, *headers: str, body: bytes = BODY, host: str | None = None) -> str:
    """What the server answers to a request with these headers."""
    named = f"127.0.0.1:{port}" if host is None else host
    head = [f"POST {path} HTTP/1.1", *([f"Host: {named}"] if named else []), "Connection: close", *headers]
    if not any(line.lower().startswith(("content-length", "transfer-encoding")) for line in headers):
        head.append(f"Content-Length: {len(body)}")
    with closing(socket.create_connection(("127.0.0.1", port), timeout=20)) as sock:
        sock.sendall("\r\n".join([*head, "", ""]).encode() + body)
        found = b""
        while block := sock.recv(1 << 16):
            found += block
    return found.decode()


def status(answer: str) -> int:
    return int(answer.split(" ", 2)[1])


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_a_program_on_this_machine_is_answered(address: tuple[int, str], name: str) -> None:
    assert status(ask(*address, host=f"{name}:{address[0]}")) == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", ""]
)
def test_a_name_that_was_bound_to_this_machine_is_refused(address: tuple[int, str], host: str) -> None:
    answer = ask(*address, host=host.format(port=address[0]))
    assert status(answer) == 421
    assert "Hello" not in answer


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:{port}"])
def test_a_web_page_is_refused(address: tuple[int, str], origin: str) -> None:
    answer = ask(*address, f"Origin: {origin.format(port=address[0])}")
    assert status(answer) == 403
    assert "access-control-allow" not in answer.lower()


@pytest.mark.parametrize(
    ("headers", "body", "code"),
    [
        (["Content-Length: 99999999999"], b"", 413),
        (["Content-Length: -1"], b"", 400),
        (["Content-Length: 1_0"], b"x" * 10, 400),
        (["Content-Length: ٣"], b"xxx", 400),
        (["Content-Length: 5", "Transfer-Encoding: chunked"], b"0\r\n\r\n", 400),
        (["Transfer-Encoding: chunked"], b"ffffffff\r\n", 413),
        (["Transfer-Encoding: chunked"], b"1" * 200_000, 400),
        (["Transfer-Encoding: chunked"], b"0\r\n" + b"a: b\r\n" * 1000, 431),
        (["X: " + "x" * 200_000], b"", 431),
    ],
)
def test_a_request_beyond_bounds_is_refused(
    address: tuple[int, str], headers: list[str], body: bytes, code: int
) -> None:
    try:
        found = status(ask(*address, *headers, body=body))
    except ConnectionError:  # refused before all of it was sent
        found = code
    assert found == code
    assert status(ask(*address)) == 200  # and the next one is answered


def test_slow_clients_hold_up_nobody(address: tuple[int, str]) -> None:
    port, path = address
    with ExitStack() as held:
        for number in range(200):
            sock = held.enter_context(closing(socket.create_connection(("127.0.0.1", port), timeout=20)))
            half = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 1000\r\n"
            sock.sendall(half.encode() if number % 2 else f"{half}\r\nx".encode())
        assert status(ask(port, path)) == 200


def test_a_body_that_never_arrives_is_given_up(address: tuple[int, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtriage.models.http_server._BODY_SECONDS", 0.05)
    port, path = address
    with closing(socket.create_connection(("127.0.0.1", port), timeout=20)) as sock:
        sock.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 1000\r\n\r\nx".encode())
        assert sock.recv(1 << 16).startswith(b"HTTP/1.1 408")


def test_the_gateway_knows_its_own_addresses_alone() -> None:
    with StubServer(echo) as stub, SystemModels(cache=None) as models:
        with models.gate(internal=f"{stub.url}#m") as gate, models.gate(internal=f"{stub.url}#m") as other:
            port = int(gate.url.split(":")[2].partition("/")[0])
            for token, code in {gate.token: 200, other.token: 200, gate.token[:-1]: 401, "é": 401, "": 401}.items():
                path = urllib.request.quote(f"/{token}/v1/chat/completions") if token != "é" else "/\xe9/v1/models"
                assert status(ask(port, path)) == code, token
        assert status(ask(port, f"/{gate.token}/v1/chat/completions")) == 401  # closed


def test_a_stub_with_a_token_answers_nobody_else() -> None:
    with StubServer(echo, token="k-1234") as stub:
        at = (stub.port, "/v1/chat/completions")
        assert status(ask(*at)) == 401
        assert status(ask(*at, "Authorization: Bearer k-123")) == 401
        assert stub.requests == ()
        assert status(ask(*at, "Authorization: Bearer k-1234")) == 200


def test_serve_stub_makes_up_a_token_and_prints_it(place: Place) -> None:
    child = place.start("serve-stub", "echo", "--port", "0", "--token", "new")
    out = next(place.path.glob("child-*/")) / "out"
    while child.running and "stop it" not in (out.read_text() if out.exists() else ""):
        pass
    key, url = re.search(r"key: (\S+)\n(http://127\.0\.0\.1:\d+/v1)", out.read_text()).groups()  # type: ignore[union-attr]

    def asked(bearer: str) -> int:
        request = urllib.request.Request(f"{url}/models", headers={"Authorization": f"Bearer {bearer}"})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    assert asked(key) == 200
    assert asked("anything") == 401
    child.kill(signal.SIGINT)
    assert child.ended(0).out.count(key) == 1
