"""A mirror that means harm: it redirects, trickles, sends without end, or sends something else the second time."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic

import pytest

from conftest import Cli
from memtriage.core.errors import BadInput
from memtriage.suites.kit import hub
from memtriage.suites.kit.hub import download
from memtriage.suites.longmemeval.released.pull import pull_longmemeval
from memtriage.suites.memfail.released.pull import pull_memfail
from test_longmemeval_files import entry, serve
from test_memfail_pull import Site, pauses, serve_memfail, site  # noqa: F401

INSIDE = "127.0.0.2"
"""An address of this machine that stands for a private network; 127.0.0.1 is made to pass for a public one."""


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take 127.0.0.1 for an address of the internet, as there is none here."""
    real = hub._is_inner
    monkeypatch.setattr(hub, "_is_inner", lambda address: address != "127.0.0.1" and real(address))


@contextmanager
def served(
    answer: Callable[[BaseHTTPRequestHandler], None], host: str = "127.0.0.1"
) -> Iterator[tuple[str, list[str]]]:
    """A server that answers every request like this, and the paths it was asked for."""
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            answer(self)

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer((host, 0), Answers)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://{host}:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def to(location: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", location)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def says(body: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


SPELLINGS = [
    f"http://{INSIDE}:{{port}}/x",
    "http://2130706434:{port}/x",
    "http://0177.0.0.2:{port}/x",
    "http://0x7f.2:{port}/x",
    f"http://[::ffff:{INSIDE}]:{{port}}/x",
    "http://[::1]:{port}/x",
    "http://[fe80::1]:{port}/x",
    "http://[fd00::1]:{port}/x",
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.1:{port}/x",
    "http://0.0.0.0:{port}/x",
    "http://inside.example:{port}/x",
]


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize("location", SPELLINGS)
def test_a_redirect_does_not_lead_into_a_private_network(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    real = socket.getaddrinfo

    def named(host: str, *rest: object, **more: object) -> object:
        return real(INSIDE if host == "inside.example" else host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", named)
    with served(says(b"secret"), INSIDE) as (inner, inner_asked):
        target = location.format(port=inner.rpartition(":")[2])
        with (
            served(to(target)) as (url, asked),
            pytest.raises(BadInput, match="private network, where no mirror should send you"),
        ):
            download(url, {"a": "a"}, "v1", tmp_path)
    assert len(asked) == 1
    assert inner_asked == []
    assert not (tmp_path / "a").exists()


@pytest.mark.usefixtures("public")
def test_a_name_that_means_another_address_once_it_was_checked_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    looked_up: list[str] = []
    real = socket.getaddrinfo

    def rebinding(host: str, *rest: object, **more: object) -> object:
        looked_up.append(host)
        if host == "rebinding.example":
            host = "127.0.0.1" if looked_up.count(host) == 1 else INSIDE
        return real(host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with served(says(b"secret"), INSIDE) as (inner, inner_asked):
        target = f"http://rebinding.example:{inner.rpartition(':')[2]}/x"
        with (
            served(to(target)) as (url, _),
            pytest.raises(BadInput, match="private network, where no mirror should send you"),
        ):
            download(url, {"a": "a"}, "v1", tmp_path)
    assert inner_asked == []
    assert looked_up.count("rebinding.example") == 2


def test_a_mirror_that_the_user_named_may_redirect_inside_its_network(tmp_path: Path) -> None:
    with served(says(b"data"), INSIDE) as (inner, _), served(to(f"{inner}/elsewhere")) as (url, _):
        (found,) = download(url, {"a": "a"}, "v1", tmp_path)
    assert found.path.read_bytes() == b"data"


@pytest.mark.usefixtures("public")
def test_a_redirect_on_the_same_server_is_followed(tmp_path: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        (says(b"data") if handler.path == "/moved" else to("/moved"))(handler)

    with served(answer) as (url, asked):
        download(url, {"a": "a"}, "v1", tmp_path)
    assert asked == ["/v1/a", "/moved"]


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:,x", "", "http://[", "http:// "])
def test_a_redirect_leads_only_to_web_addresses(location: str, tmp_path: Path) -> None:
    with served(to(location)) as (url, asked), pytest.raises(BadInput, match="redirects"):
        download(url, {"a": "a"}, "v1", tmp_path)
    assert len(asked) <= 8
    assert not (tmp_path / "a").exists()


def test_a_redirect_does_not_lead_from_https_to_http() -> None:
    way = hub._Connections("https://127.0.0.1", 60)
    with pytest.raises(BadInput, match="plain http"):
        way._redirected("https://127.0.0.1/v1/a", "http://127.0.0.1/v1/a")
    assert way._redirected("http://127.0.0.1/v1/a", "https://127.0.0.1/b") == "https://127.0.0.1/b"


@pytest.mark.parametrize("where", ["head", "body"])
def test_a_mirror_that_trickles_is_given_up_in_time(where: str, tmp_path: Path) -> None:
    stop = threading.Event()

    def trickle(handler: BaseHTTPRequestHandler) -> None:
        if where == "body":
            handler.send_response(200)
            handler.send_header("Content-Length", "1000000")
            handler.end_headers()
        else:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        while not stop.wait(0.02):
            try:
                handler.wfile.write(b"x")
            except OSError:
                return

    began = monotonic()
    with served(trickle) as (url, _):
        with pytest.raises(BadInput, match=r"not downloaded within 0\.005 minutes \(--max-minutes\)"):
            download(url, {"a": "a"}, "v1", tmp_path, max_minutes=0.005)
        stop.set()
    assert monotonic() - began < 5


@pytest.mark.parametrize("announced", [True, False])
def test_a_mirror_that_sends_without_end_is_given_up(
    announced: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "_LARGEST", 1 << 20)

    def flood(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        if announced:
            handler.send_header("Content-Length", str(1 << 40))
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(bytes(1 << 16))
        except OSError:
            return

    with served(flood) as (url, _), pytest.raises(BadInput, match="sends more than 1048576 bytes"):
        download(url, {"a": "a"}, "v1", tmp_path)
    assert max((file.stat().st_size for file in tmp_path.iterdir()), default=0) <= 1 << 20 or announced


# ------------------------------------------------------------------ pinned on first use


def test_a_file_that_changed_since_its_first_pull_is_refused(site: Site, cli: Cli, tmp_path: Path) -> None:  # noqa: F811
    first, second = (json.dumps([entry(f"q{n}")]).encode() for n in (1, 2))
    pull = ("data", "pull", "longmemeval", "--out", str(tmp_path / "d"), "--endpoint", site.url, "-q")
    serve(site, "s", first)
    cli(*pull)
    cli(*pull)  # the same again is fine
    serve(site, "s", second)
    told = cli(*pull, code=1).err
    assert hashlib.sha256(first).hexdigest()[:16] in told
    assert hashlib.sha256(second).hexdigest()[:16] in told
    assert "--accept-changed" in told
    assert (tmp_path / "d" / "longmemeval_s_cleaned.json").read_bytes() == first
    cli(*pull, "--accept-changed")
    assert (tmp_path / "d" / "longmemeval_s_cleaned.json").read_bytes() == second
    cli(*pull)  # what was accepted is pinned in its place


def test_files_that_belong_together_are_pinned_too(site: Site, tmp_path: Path) -> None:  # noqa: F811
    serve_memfail(site, tmp_path / "origin")
    out = pull_memfail(tmp_path / "out", endpoint=site.url)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    address = next(address for address in site.files if "coexisting" in address)
    site.files[address] += b"\r\n"
    with pytest.raises(BadInput, match="is not what it was on"):
        pull_memfail(out, endpoint=site.url)
    assert {path: path.read_bytes() for path in before} == before


def test_another_revision_may_hold_other_files(site: Site, tmp_path: Path) -> None:  # noqa: F811
    serve(site, "s", json.dumps([entry("q1")]).encode())
    pull_longmemeval(tmp_path, mirror=site.url)
    address, body = next(iter(site.files.items()))
    site.files[address.replace("/main/", "/v2/")] = json.dumps([entry("q2")]).encode()
    pull_longmemeval(tmp_path, "v2", site.url)
    assert b"q2" in (tmp_path / "longmemeval_s_cleaned.json").read_bytes() != body


def test_a_pulled_file_that_was_changed_on_this_machine_is_told(site: Site, cli: Cli, tmp_path: Path) -> None:  # noqa: F811
    serve(site, "s", json.dumps([entry("q1")]).encode())
    pull_longmemeval(tmp_path / "d", mirror=site.url)
    file = tmp_path / "d" / "longmemeval_s_cleaned.json"
    validate = ("data", "validate", "--suite", "longmemeval")
    for path in (file, file.parent):
        cli(*validate, str(path))
    file.write_bytes(file.read_bytes() + b"\n")
    for path in (file, file.parent):
        assert "is not the file that was pulled on" in cli(*validate, str(path), code=1).err
