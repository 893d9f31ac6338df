"""HTTP services as memory systems: in memtriage's own words, and by a mapping; a real server on 127.0.0.1."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from memtriage import api
from memtriage import registry as plugins
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem, StoreLost
from memtriage.core.memory import Answered, Question
from memtriage.core.trace import Usage
from memtriage.systems.adapted import Adapted
from memtriage.systems.remote.service import Service
from raw_server import Peer, RawServer, response

Asked = tuple[str, str, Any, dict[str, str]]
Answer = Callable[[str, str, Any, dict[str, str]], tuple[int, bytes]]


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], tuple[str, list[Asked]]]]:
    """Starts a server that answers with a function; gives its address and what it was asked."""
    servers: list[ThreadingHTTPServer] = []

    def start(answer: Answer) -> tuple[str, list[Asked]]:
        seen: list[Asked] = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(size)) if size else None
                asked = (self.command, self.path, body, dict(self.headers))
                seen.append(asked)
                status, said = answer(*asked)
                self.send_response(status)
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            do_GET = do_POST = do_DELETE = handle_any

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}", seen

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def store_texts(system: Adapted, *texts: str) -> None:
    for number, text in enumerate(texts):
        system.store_conversation(Session(f"s{number}", (Turn("user", text, f"s{number}/0"),), "2026-01-05T09:00:00Z"))


def own() -> Answer:
    """A service in memtriage's own words."""
    stores: dict[str, list[str]] = {}

    def answer(method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, bytes]:
        kept = stores.setdefault(body["scope"], [])
        match path:
            case "/memory/hello":
                said: Any = {
                    "capabilities": ["store", "retrieve", "answer", "all", "reset"],
                    "notices": ["it is a toy"],
                }
            case "/memory/store":
                kept += [turn["text"] for turn in body["session"]["turns"]]
                said = None
            case "/memory/retrieve":
                said = {"memories": [{"text": text, "id": text[:3], "score": 1} for text in kept[: body["k"]]]}
            case "/memory/answer":
                found = [text for text in kept if body["query"] in text]
                used = {"calls": 1, "input_tokens": 7, "output_tokens": 2, "dollars": 0.25}
                said = {"text": f"{body['instruction']} {found[0]}", "memories": found, "usage": used}
            case "/memory/all":
                said = {"memories": kept}
            case "/memory/reset":
                kept.clear()
                said = None
            case _:
                return 404, b"no such page"
        return 200, json.dumps({"ok": said}).encode()

    return answer


def test_a_service_in_our_own_words(serve: Callable[[Answer], tuple[str, list[Asked]]]) -> None:
    url, seen = serve(own())
    one, other = plugins.system(f"{url}/memory").build(), plugins.system(f"{url}/memory").build()
    assert one.notices() == ("it is a toy",)
    assert "settle" not in one.capabilities
    store_texts(one, "Odo rows.", "Ines bakes.")
    store_texts(other, "Selma keeps bees.")
    assert [m.text for m in one.get_all_memories()] == ["Odo rows.", "Ines bakes."]
    assert [m.text for m in one.retrieve_memories("x", Session("q", (Turn("user", "x", "q/0"),)), 1)] == ["Odo rows."]
    assert [m.text for m in other.get_all_memories()] == ["Selma keeps bees."]
    one.close()
    assert seen[-1][1] == "/memory/reset"
    other.close()


def test_a_service_answers_itself(serve: Callable[[Answer], tuple[str, list[Asked]]]) -> None:
    url, seen = serve(own())
    system = plugins.system(f"{url}/memory").build()
    store_texts(system, "Odo rows.", "Ines bakes.")
    answered = system.answer_alone(Question("Ines", Session("q", (), "2026-01-06"), 5, instruction="Shortly:"))
    assert answered.text == "Shortly: Ines bakes."
    assert [memory.text for memory in answered.memories or ()] == ["Ines bakes."]
    assert system.usage() == Usage(calls=1, input_tokens=7, output_tokens=2, dollars=0.25)
    asked = seen[-1][2]
    assert (asked["session"]["timestamp"], asked["k"], asked["choices"]) == ("2026-01-06", 5, [])
    system.close()


def test_a_mapped_service_answers_itself(serve: Callable[[Answer], tuple[str, list[Asked]]], tmp_path: Path) -> None:
    replies = [{"reply": {"text": "At seven.", "from": [{"body": "Odo rows."}]}}, {"answer": "At six."}, {"odd": 1}]
    url, seen = serve(lambda *_: (200, json.dumps(replies[len(seen) - 1]).encode()))
    steps = "[store]\npath = '/a'\n[retrieve]\npath = '/b'\n[answer]\npath = '/ask'\n"
    asked = "arguments = {q = '{question}', n = '{k}'}\n"
    (tmp_path / "told.toml").write_text(f"base = '{url}'\n{steps}{asked}text = 'reply.text'\nitems = 'reply.from'\n")
    (tmp_path / "untold.toml").write_text(f"base = '{url}'\n{steps}{asked}")
    question = Question("When?", Session("q", ()), 3, instruction="Briefly.")
    told = plugins.system(f"http:{tmp_path / 'told.toml'}").build()
    answered = told.answer_alone(question)
    told.close()
    assert (answered.text, [memory.text for memory in answered.memories or ()]) == ("At seven.", ["Odo rows."])
    assert seen[0][2] == {"q": "When?\n\nBriefly.", "n": 3}
    untold = plugins.system(f"http:{tmp_path / 'untold.toml'}").build()
    assert untold.answer_alone(question) == Answered("At six.", None)
    with pytest.raises(BadSystem, match="no text in what came back as an answer"):
        untold.answer_alone(question)
    untold.close()


MAPPING = """
base = "{url}/v2"
[headers]
Authorization = "Token ${{NOTES_KEY}}"
[store]
path = "/users/{{scope}}/notes"
each = "turn"
arguments = {{ body = "{{text}}", at = "{{timestamp}}" }}
[retrieve]
method = "GET"
path = "/users/{{scope}}/notes"
arguments = {{ q = "{{query}}", n = "{{k}}", asked = "{{timestamp}}" }}
items = "found"
text = "note.body"
[all]
method = "GET"
path = "/users/{{scope}}/notes"
[reset]
method = "DELETE"
path = "/users/{{scope}}"
"""


def notes() -> Answer:
    """Somebody else's service."""
    stores: dict[str, list[dict[str, str]]] = {}

    def answer(method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, bytes]:
        if headers.get("Authorization") != "Token s3cret-key-99":
            return 401, b'{"detail": "who are you, s3cret-key-99?"}'
        parts = urlsplit(path)
        _, version, _, user, *_ = parts.path.split("/")
        assert version == "v2"
        kept = stores.setdefault(unquote(user), [])
        if method == "POST":
            kept.append(body)
        elif method == "DELETE":
            kept.clear()
            return 204, b""
        elif parts.query:
            n = int(parse_qs(parts.query)["n"][0])
            return 200, json.dumps({"found": [{"note": note} for note in kept[:n]]}).encode()
        return 200, json.dumps({"data": kept}).encode()

    return answer


def test_a_service_by_a_mapping(
    serve: Callable[[Answer], tuple[str, list[Asked]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTES_KEY", "s3cret-key-99")
    url, seen = serve(notes())
    file = tmp_path / "notes.toml"
    file.write_text(MAPPING.format(url=url))
    one, other = plugins.system(f"http:{file}").build(), plugins.system(f"http:{file}").build()
    store_texts(one, "Odo rows.", "Ines bakes.")
    store_texts(other, "Selma keeps bees.")
    question = Session("q", (Turn("user", "x", "q/0"),), "2026-01-06")
    assert [m.text for m in one.retrieve_memories("x?&", question, 1)] == ["Odo rows."]
    assert seen[-1][1].endswith("?q=x%3F%26&n=1&asked=2026-01-06")
    assert [m.text for m in one.get_all_memories()] == ["Odo rows.", "Ines bakes."]
    assert [m.text for m in other.get_all_memories()] == ["Selma keeps bees."]
    one.close()
    other.close()
    assert seen[0][2] == {"body": "Odo rows.", "at": "2026-01-05T09:00:00Z"}


def test_what_a_service_refuses_is_told_without_the_key(
    serve: Callable[[Answer], tuple[str, list[Asked]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, _ = serve(lambda method, path, body, headers: (401, b"bad key s3cret-key-77"))
    monkeypatch.setenv("NOTES_KEY", "s3cret-key-77")
    file = tmp_path / "notes.toml"
    file.write_text(MAPPING.format(url=url))
    system = plugins.system(f"http:{file}").build()
    with pytest.raises(BadSystem, match="401") as told_off:
        store_texts(system, "Odo rows.")
    assert "s3cret" not in str(told_off.value)
    with pytest.raises(BadSystem):
        system.close()


def test_nobody_there_and_nonsense(serve: Callable[[Answer], tuple[str, list[Asked]]], tmp_path: Path) -> None:
    with pytest.raises(BadSystem, match="can't be reached"):
        plugins.system("http://127.0.0.1:9").build()
    url, _ = serve(lambda method, path, body, headers: (200, b"<html>"))
    with pytest.raises(BadSystem, match="not JSON"):
        plugins.system(url).build()
    with pytest.raises(BadInput, match="can't be read"):
        plugins.system("http:no_such.toml")
    file = tmp_path / "m.toml"
    file.write_text('[store]\npath = "/a"\n[retrieve]\npath = "/b"\n')
    with pytest.raises(BadInput, match="address is missing"):
        plugins.system(f"http:{file}")


def test_a_service_that_hangs_is_given_up_and_not_waited_for_at_every_question(
    serve: Callable[[Answer], tuple[str, list[Asked]]], tmp_path: Path
) -> None:
    over = threading.Event()

    def answer(method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, bytes]:
        if path == "/retrieve":
            over.wait(30)
        stored = any(path == "/store" and told["scope"] == body["scope"] for _, path, told, _ in seen)
        return 200, json.dumps({"memories": [{"text": "something"}] if stored else []}).encode()

    url, seen = serve(answer)
    build = lambda: Service(url, timeout=0.1)  # noqa: E731
    run = api.run({"service": build}, suite="memfail/coexisting", rows=20, k=[5, 10], out=tmp_path / "run")
    over.set()
    assert len(list(run.verdicts())) == 40
    (verdict, *_) = (v for v in run.verdicts() if "lost twice" in (v.error or ""))
    assert f"{url} did not answer within 0.1 s, 3 times in a row" in (verdict.error or "")
    assert sum(path == "/retrieve" for _, path, _, _ in seen) == 6


@pytest.mark.parametrize("where", ["head", "body", "after a redirect"])
def test_a_service_that_trickles_is_given_up_in_time(where: str) -> None:
    """Each byte comes in time; only the whole answer never does."""
    done = threading.Event()

    def trickle(peer: Peer) -> None:
        while (asked := peer.receive()) is not None:
            if asked.get("do") == "hello":
                peer.send(response(b'{"ok": {}}'))
                continue
            if where == "after a redirect" and len(peer.requests) == 2:
                peer.send(response(b"", "307 Temporary Redirect", "Location: /elsewhere"))
                continue
            peer.send(b"HTTP/1.1 200 OK\r\n" + (b"X-Slow: " if where == "head" else b"Content-Length: 9999\r\n\r\n"))
            while not done.wait(0.02):
                peer.send(b"1")

    with RawServer(trickle) as server:
        service = Service(server.url, timeout=0.3)
        try:
            for _ in range(2):
                began = time.monotonic()
                with pytest.raises(BadSystem, match=r"did not answer within 0\.3 s"):
                    service.get_all_memories()
                assert time.monotonic() - began < 5
            with pytest.raises(StoreLost, match=r"did not answer within 0\.3 s, 3 times in a row"):
                service.get_all_memories()
        finally:
            done.set()
            service.close()


def test_a_slow_answer_within_the_time_is_taken(serve: Callable[[Answer], tuple[str, list[Asked]]]) -> None:
    url, _ = serve(lambda *asked: (time.sleep(0.1), (200, b'{"ok": {"memories": ["a"]}}'))[1])
    service = Service(url, timeout=2)
    assert [service.get_all_memories() for _ in range(3)] == [["a"]] * 3
    service.close()
