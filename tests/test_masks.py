"""Keys land nowhere: whatever sends one back, and in whatever form, it is masked before anything is written."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batch_server import BatchServer
from conftest import Cli, Place
from key_echoes import ALL_FORMS, FORMS, KEY, leaks, leaks_below, unpacked
from memtriage import registry
from memtriage.core.chat import Call, Message, ModelError, Reply, Schema
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem
from memtriage.core.memory import Memory, Question
from memtriage.host.masks import mask, mask_bytes, mask_json, mask_line, remember
from memtriage.host.sealed import open_document, seal_document
from memtriage.models.breaker import Breaker
from memtriage.models.cache import Cache, CacheEntry
from memtriage.models.client import Client
from memtriage.models.embedding_client import EmbeddingClient
from memtriage.models.keys import scrub
from memtriage.models.ledger import Ledger
from memtriage.models.scripted import Reply as Scripted
from memtriage.models.scripted import Request, StubServer, content
from memtriage.models.system_models import SystemModels
from memtriage.suites.kit import hub
from memtriage.suites.memfail.released.pull import pull_memfail
from memtriage.systems.adapted import adapt
from memtriage.systems.remote.process import Process
from memtriage.systems.remote.running import close_all
from model_server import Answer, ModelServer, error, says
from raw_server import Peer, RawServer, response
from test_batch import chat, openai_reply
from test_mirrors import says as sends
from test_mirrors import served, to
from test_optimize import Tries, careless, many, tuned  # noqa: F401

SESSION = Session("s1", (Turn("user", "I like tea.", "s1/0"),), "2026-01-05T09:00:00Z")


@pytest.fixture(autouse=True)
def _with_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMTRIAGE_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)


# ---------------------------------------------------------------------- the mask itself


@pytest.mark.parametrize("form", FORMS)
def test_a_key_is_masked_in_every_form(form: str) -> None:
    echoed = FORMS[form](KEY)
    assert leaks(f"before {echoed} after".encode()), "the search finds what it looks for"
    remember(KEY)
    masked = mask(f"before {echoed} after")
    assert leaks(masked.encode()) == []
    assert masked.startswith("before ")
    assert masked.endswith(" after")
    assert "[key]" in masked


@pytest.mark.parametrize("form", FORMS)
def test_a_key_is_masked_in_every_form_inside_json(form: str) -> None:
    remember(KEY)
    record = {"text": f"it is {FORMS[form](KEY)}.", "list": [1, {"more": FORMS[form](KEY)}], FORMS[form](KEY): 1.5}
    for ascii in (True, False):
        line = json.dumps(record, ensure_ascii=ascii).encode() + b"\n"
        for write in (mask_line, mask_bytes):
            masked = write(line)
            assert leaks(masked) == []
            assert json.loads(masked)["list"][0] == 1
    assert leaks(json.dumps(mask_json(record)).encode()) == []


@pytest.mark.parametrize("key", ["none", "test", "sk-1", "EMPTY", "x"])
def test_a_short_key_shreds_no_text(key: str) -> None:
    text = f"none of the tests is empty: {key}, sk-12, {key * 3}, x-ray"
    remember(key)
    assert mask(text) == text
    assert mask_line(json.dumps({"a": text}).encode()) == json.dumps({"a": text}).encode()
    assert scrub(f"the key {key} was refused, {key}s too") == f"the key [key] was refused, {key}s too"


def test_a_key_with_a_digit_that_may_be_words_is_masked_only_as_it_is() -> None:
    remember("password1")
    assert mask("pass word 1, drowssap") == "pass word 1, drowssap"
    assert mask("here: password1!") == "here: [key]!"


@pytest.mark.parametrize("word", ["not-needed", "lm-studio", "changeme", "postgres", "memtriage", "coexisting"])
def test_a_password_that_is_a_word_is_hidden_in_messages_and_changes_no_record(word: str, tmp_path: Path) -> None:
    remember(word)
    assert mask(f"here: {word}!") == f"here: {word}!"
    assert scrub(f"the key {word} was refused") == "the key [key] was refused"
    document = seal_document({"said": word, word: 1})
    assert open_document(document) == {"said": word, word: 1}


@given(st.text(max_size=300))
def test_text_without_a_key_stays_the_very_same(text: str) -> None:
    remember(KEY)
    assert mask(text) is text


@given(
    st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+=", min_size=8, max_size=120).map(
        "7{}".format
    ),
    st.text(max_size=40),
    st.text(max_size=40),
)
def test_any_key_is_masked_in_any_text(key: str, before: str, after: str) -> None:
    remember(key)
    masked = mask(before + key + after)
    assert key not in masked
    assert mask(mask(masked)) == mask(masked)


@given(st.binary(max_size=300))
def test_bytes_that_are_no_text_are_written_as_they_are(content: bytes) -> None:
    remember(KEY)
    assert mask_bytes(content) == content


def test_the_longer_of_two_keys_is_masked_whole() -> None:
    remember("abcdefgh12")
    remember("abcdefgh12-and-more-of-it")
    assert mask("abcdefgh12-and-more-of-it, abcdefgh12") == "[key], [key]"


# ---------------------------------------------------------------------- endpoints that send a key back


def question(schema: Schema | None = None) -> Call:
    return Call("answer", "answer", (Message("user", "Which key?"),), schema)


def asked(server: ModelServer, call: Call, folder: Path) -> tuple[str, Ledger]:
    """What a client says to one call, reply or error, with the cache in the folder."""
    ledger = Ledger()

    async def work() -> str:
        with Cache(folder / "calls.sqlite") as cache:
            hasty: dict[str, Any] = {"backoff": 0.001, "max_retries": 1, "breaker": Breaker(0.1)}
            async with Client(server.spec, cache=cache, ledger=ledger, **hasty) as client:
                try:
                    reply = await client.ask(call)
                except ModelError as problem:
                    return f"{problem!r} {problem} {getattr(problem, 'answer', None)} {getattr(problem, 'reply', None)}"
                return f"{reply.text} {json.dumps(reply.data)}"

    said = asyncio.run(work())
    (folder / "bill.json").write_text(json.dumps(ledger.snapshot(), default=str))
    return said, ledger


REASON = Schema("reason", {"type": "object", "properties": {"reason": {"type": "string"}}, "required": ["reason"]})


def _streamed(text: str) -> Answer:
    """A reply in pieces of seven letters, so that the key is cut in the middle."""
    pieces = [text[start : start + 7] for start in range(0, len(text), 7)]
    chunks = [{"id": "c", "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    chunks.append({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return Answer(events, headers={"content-type": "text/event-stream"})


def _with_fields(**more: str) -> Answer:
    good = says("fine")
    return Answer({**good.body, **more})


GOOD_REPLIES: dict[str, Callable[[], Answer]] = {
    "the text": lambda: says(ALL_FORMS),
    "the text, in parts": lambda: Answer(
        {**says("").body, "choices": [{"index": 0, "message": {"content": [{"type": "text", "text": ALL_FORMS}]}}]}
    ),
    "the name of the model": lambda: _with_fields(model=ALL_FORMS),
    "the fingerprint": lambda: _with_fields(system_fingerprint=ALL_FORMS),
    "the id": lambda: _with_fields(id=ALL_FORMS),
    "a stream cut in the middle of the key": lambda: _streamed(ALL_FORMS),
    "a header": lambda: Answer(says("fine").body, headers={"x-echo": KEY, "x-request-id": KEY}),
}

BAD_REPLIES: dict[str, Callable[[], Answer]] = {
    **{f"an error {status}": lambda status=status: error(status, ALL_FORMS) for status in (400, 401, 403, 404)},
    **{f"an error {status}": lambda status=status: error(status, ALL_FORMS) for status in (422, 429, 500, 503)},
    "an error's code and type": lambda: error(400, "no", code=ALL_FORMS, param=ALL_FORMS),
    "an error of a good status": lambda: Answer({"error": {"message": ALL_FORMS, "code": 502}}),
    "an error in text": lambda: Answer(f"no: {ALL_FORMS}", 500),
    "an HTML page": lambda: Answer(f"<html>{ALL_FORMS}</html>", 500),
    "an HTML page of a good status": lambda: Answer(f"<html>{ALL_FORMS}</html>"),
    "text where JSON belongs": lambda: Answer(f"your key is {ALL_FORMS}"),
    "a refusal": lambda: says("", refusal=ALL_FORMS),
    "a long error that is cut off in the key": lambda: error(400, "x" * 215 + KEY),
}


@pytest.mark.parametrize("place", GOOD_REPLIES)
def test_a_key_in_a_good_reply_is_masked_in_the_reply_and_the_cache(place: str, tmp_path: Path) -> None:
    with ModelServer(lambda *_: GOOD_REPLIES[place]()) as server:
        said, ledger = asked(server, question(), tmp_path)
    assert leaks(said.encode()) == []
    assert leaks_below(tmp_path) == {}
    if place != "a header":
        assert "sent a key back; it was masked" in json.dumps(ledger.snapshot(), default=str), "it is told"


@pytest.mark.parametrize("place", BAD_REPLIES)
def test_a_key_in_an_error_is_masked_in_the_message(place: str, tmp_path: Path) -> None:
    with ModelServer(lambda *_: BAD_REPLIES[place]()) as server:
        said, _ = asked(server, question(), tmp_path)
    assert "GaveUp" in said
    assert leaks(said.encode()) == []
    assert KEY[:8] not in said, "nor is a piece of it left where the message was cut"
    assert leaks_below(tmp_path) == {}


def test_a_key_in_a_structured_reply_is_masked(tmp_path: Path) -> None:
    with ModelServer(lambda *_: says(json.dumps({"reason": ALL_FORMS}))) as server:
        said, _ = asked(server, question(REASON), tmp_path)
    assert "[key]" in said
    assert leaks(said.encode()) == []
    assert leaks_below(tmp_path) == {}


def test_a_key_in_a_redirect_is_masked() -> None:
    def serve(peer: Peer) -> None:
        while peer.receive() is not None:
            peer.send(response(b"", "307 Temporary Redirect", f"Location: http://{KEY[:20]}@127.0.0.1:1/{KEY}?k={KEY}"))

    async def work(spec: str) -> None:
        async with Client(spec) as client:
            await client.ask(question())

    with RawServer(serve) as server, pytest.raises(ModelError, match="which was not followed") as refused:
        asyncio.run(work(server.spec))
    assert leaks(str(refused.value).encode()) == []
    assert KEY[:20] not in str(refused.value)


@pytest.mark.parametrize("answer", [error(400, ALL_FORMS), error(500, ALL_FORMS), Answer({"data": [ALL_FORMS]})])
def test_a_key_in_an_answer_of_an_embedder_is_masked(answer: Answer, tmp_path: Path) -> None:
    async def work(spec: str) -> None:
        with Cache(tmp_path / "calls.sqlite") as cache:
            async with EmbeddingClient(spec, cache=cache, backoff=0.001, max_retries=0) as client:
                await client.embed(["a text"])

    with ModelServer(lambda *_: answer) as server, pytest.raises(ModelError) as failed:
        asyncio.run(work(server.spec))
    assert leaks(str(failed.value).encode()) == []
    assert leaks_below(tmp_path) == {}


@pytest.mark.parametrize(
    "answer",
    [
        says(ALL_FORMS),
        says(None, tool_calls=[{"id": "1", "function": {"name": "keep", "arguments": json.dumps({"k": ALL_FORMS})}}]),
        error(400, ALL_FORMS, code=ALL_FORMS),
        error(401, ALL_FORMS, type=ALL_FORMS),
    ],
    ids=["text", "tool call", "error 400", "error 401"],
)
def test_a_library_behind_the_gateway_does_not_get_the_key(answer: Answer, tmp_path: Path) -> None:
    with (
        ModelServer(lambda *_: answer) as server,
        Cache(tmp_path / "calls.sqlite") as cache,
        SystemModels(cache=cache) as models,
        models.gate(internal=server.spec) as gate,
        openai.OpenAI(base_url=gate.url, api_key=gate.token, max_retries=0) as library,
    ):
        try:
            got = library.chat.completions.create(model="any", messages=[{"role": "user", "content": "Hi"}])
            said = got.model_dump_json()
        except openai.APIStatusError as problem:
            said = problem.response.text
        said += str(gate.troubles())
        assert leaks(said.encode()) == []
        assert leaks_below(tmp_path) == {}


def test_a_reply_that_was_cached_before_its_key_was_known_is_masked_when_read(tmp_path: Path) -> None:
    with Cache(tmp_path / "calls.sqlite") as cache:
        entry = CacheEntry(ALL_FORMS, 1, 1, 0.1, f"model {KEY}", {"reason": ALL_FORMS})
        cache.put("k", entry)
        assert cache.get("k") == replace(entry, made_at=cache.get("k").made_at)  # type: ignore[union-attr]
        remember(KEY)
        found = cache.get("k")
        assert found is not None
        assert leaks(json.dumps([found.text, found.model, found.data]).encode()) == []


def test_a_password_in_an_address_and_a_header_s_value_are_keys_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMTRIAGE_API_KEY")
    monkeypatch.setenv("PROXY_TOKEN", "t0ken-Of-the-proxy-998877")
    secrets = "pa55word-in-the-url", "t0ken-Of-the-proxy-998877"

    async def work(spec: str) -> Reply:
        async with Client(spec) as client:
            return await client.ask(question())

    with ModelServer(lambda *_: says(" ".join(secrets))) as server:
        named = server.spec.replace("http://", f"http://user:{secrets[0]}@") + "?header.X-Proxy=$PROXY_TOKEN"
        assert asyncio.run(work(named)).text == "[key] [key]"


def test_a_version_in_an_address_is_no_secret() -> None:
    """It may be a date, which people talk about."""

    async def work(spec: str) -> Reply:
        async with Client(spec) as client:
            return await client.ask(question())

    with ModelServer(lambda *_: says("We met on 2024-10-21, my application and I.")) as server:
        named = server.spec.replace("/v1#", "/v1?api-version=2024-10-21#") + "?header.X-Title=my application"
        assert asyncio.run(work(named)).text == "We met on 2024-10-21, my application and I."


# ---------------------------------------------------------------------- systems that give a key back


class Echoes:
    """Returns the key wherever a system can say something."""

    def store_conversation(self, conversation: Session) -> None:
        """Keep nothing."""

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Any]:
        return [Memory(f"id {ALL_FORMS}", ALL_FORMS, f"2026 {KEY}", (KEY, ALL_FORMS)), ALL_FORMS, {"text": ALL_FORMS}]

    def get_all_memories(self) -> list[Any]:
        return self.retrieve_memories("", SESSION, 1)

    def answer(self, question: Question) -> str:
        return ALL_FORMS

    def notices(self) -> list[str]:
        return [ALL_FORMS]

    def troubles(self) -> list[str]:
        return [ALL_FORMS]


def test_what_a_system_returns_has_no_key_in_it_and_that_is_told() -> None:
    remember(KEY)
    system = adapt(Echoes())
    returned = [system.retrieve_memories("q", SESSION, 5), system.get_all_memories(), system.troubles()]
    returned += [system.answer_alone(Question("q", SESSION, 5)), system.notices()]
    assert leaks(repr(returned).encode()) == []
    assert "Echoes gave a key back; it was masked" in system.notices()


ADAPTER = f"""
import os, sys
from memtriage_adapter import *
TEXT = {ALL_FORMS!r}

class Echoes:
    def store_conversation(self, conversation):
        sys.stderr.write(TEXT)
        sys.stderr.flush()
        trouble(TEXT)
        notice(TEXT)
        if "two" in conversation.id:
            raise RuntimeError(TEXT)
    def retrieve_memories(self, query, conversation, k):
        return [Memory("id " + TEXT, TEXT, None, (TEXT,))]
    def get_all_memories(self):
        return [Memory("id " + TEXT, TEXT, None, (TEXT,))]

serve(lambda settings: Echoes())
"""


def test_what_a_process_says_has_no_key_in_it(tmp_path: Path) -> None:
    remember(KEY)
    (tmp_path / "echoes.py").write_text(ADAPTER)
    system = adapt(Process([sys.executable, str(tmp_path / "echoes.py")], home=tmp_path / "home"))
    system.store_conversation(SESSION)
    with pytest.raises(BadSystem) as raised:
        system.store_conversation(Session("two", (), SESSION.timestamp))
    said = [system.get_all_memories(), system.troubles(), system.notices(), str(raised.value)]
    system.close()
    close_all()
    assert leaks(repr(said).encode()) == []
    assert list((tmp_path / "home").rglob("stderr.txt"))
    assert leaks_below(tmp_path / "home") == {}


def test_what_a_memory_service_says_has_no_key_in_it() -> None:
    remember(KEY)

    def serve(peer: Peer) -> None:
        while (body := peer.receive()) is not None:
            if body["do"] in ("hello", "reset"):
                peer.send(response(json.dumps({"notices": [ALL_FORMS]}).encode()))
            elif body["do"] == "store":
                peer.send(response(ALL_FORMS.encode(), "500 Internal Server Error"))
            elif body["do"] == "settle":
                peer.send(response(json.dumps({"error": {"message": ALL_FORMS}}).encode()))
            else:
                peer.send(response(json.dumps({"memories": [ALL_FORMS]}).encode()))

    with RawServer(serve) as server:
        system = adapt(registry.system(server.url).build())
        said = [system.get_all_memories(), system.retrieve_memories("q", SESSION, 5), system.notices()]
        for work in (lambda: system.store_conversation(SESSION), system.settle):
            with pytest.raises(BadSystem) as raised:
                work()
            said.append(mask(str(raised.value)))  # type: ignore[arg-type]
        assert leaks(repr(said).encode()) == []
        system.close()


MCP_SERVER = f"""
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
TEXT = {ALL_FORMS!r}
server = MCPServer("echoes", instructions=TEXT)

@server.tool()
def add_memory(text: str) -> str:
    if "crash" in text:
        raise ToolError(TEXT)
    return TEXT

@server.tool()
def search_memories(query: str) -> list[dict[str, str]]:
    return [{{"id": TEXT, "memory": TEXT}}]

@server.tool()
def list_memories() -> list[str]:
    return [TEXT]

server.run("stdio")
"""


def test_what_an_mcp_server_says_has_no_key_in_it(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    remember(KEY)
    (tmp_path / "echoes.py").write_text(MCP_SERVER)
    system = registry.system(f"mcp:{sys.executable} {tmp_path / 'echoes.py'}").build()
    system.store_conversation(SESSION)
    said = [system.retrieve_memories("q", SESSION, 5), system.get_all_memories()]
    with pytest.raises(BadSystem, match="add_memory failed") as raised:
        system.store_conversation(Session("two", (Turn("user", "crash", "two/0"),), SESSION.timestamp))
    said += [system.notices(), system.troubles(), str(raised.value)]  # type: ignore[list-item]
    system.close()
    close_all()
    assert "[key]" in repr(said[0])
    assert "[key]" in str(raised.value)
    assert leaks(repr(said).encode()) == []


# ---------------------------------------------------------------------- replies by file, and mirrors


TASK = ("--suite", "memfail/coexisting", "--rows", "2", "--k", "2", "--system", "bm25")


def echo(request: Request) -> object:
    """The model says the key wherever it can."""
    said = content(request)
    if request.schema is None:
        return ALL_FORMS
    return {"answer": ALL_FORMS, "used": []} if isinstance(said, Scripted) else _with_the_key(said)


@pytest.fixture
def kept(place: Place, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh folder, with the cache of calls in it."""
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "calls.sqlite"))
    return place.path


def test_a_key_in_a_line_of_a_batch_is_masked(place: Place, kept: Path) -> None:
    first: list[str] = []

    def fault(sent: int, id: str) -> str | None:
        first.append(id)
        return "error" if id == first[0] else None

    with StubServer(echo) as model, BatchServer(model.url, fault, ALL_FORMS) as server:
        models = ("--answer", f"{server.url}#reader", "--judge", f"{server.url}#judge")
        done = place.start("run", *TASK, *models, "--batch", "--out", "run").ended(1)
    assert "[key]" in done.err
    assert b"[key]" in (kept / "run/journal.jsonl").read_bytes()
    assert leaks((done.out + done.err).encode()) == []
    assert leaks_below(kept) == {}


def test_a_batch_that_fails_with_the_key_is_told_without_it(place: Place, kept: Path) -> None:
    with StubServer(echo) as model, BatchServer(model.url) as server:
        server.refuse = ALL_FORMS
        done = place.start("run", *TASK, "--answer", f"{server.url}#reader", "--batch", "--out", "run").ended(1)
    assert "[key]" in done.err
    assert leaks((done.out + done.err).encode()) == []
    assert leaks_below(kept) == {}


def test_a_key_in_an_imported_reply_is_masked(place: Place, kept: Path) -> None:
    said = ""
    with StubServer(echo) as server:
        models = ("--answer", f"{server.url}#reader", "--judge", f"{server.url}#judge")
        place.start("run", *TASK, *models, "--out", "run", "--hold").ended(0)
        for _ in range(3):  # answers, and two rounds of judgings
            place.start("batch", "export", "run", "-q").ended(0)
            lines = [json.loads(line) for line in (kept / "run/calls.jsonl").read_text().splitlines()]
            replies = [openai_reply(line, chat(server.url, line["body"])) for line in lines]
            wrong = [
                {"custom_id": ALL_FORMS, "reply": ALL_FORMS},
                {"custom_id": lines[0]["custom_id"], "error": ALL_FORMS},
            ]
            (kept / "replies.jsonl").write_text("".join(json.dumps(each) + "\n" for each in [*wrong, *replies]))
            done = place.start("batch", "import", "run", "replies.jsonl").ended()
            said += done.out + done.err
        said += place.start("show", "run", "--by", "probe", "--json").ended(0).out
    (kept / "replies.jsonl").unlink()  # which is what knows it
    assert "[key]" in said
    assert leaks(said.encode()) == []
    assert leaks_below(kept) == {}


def _refuses(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(403, KEY)
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def _breaks_off(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("ETag", f'"{KEY}"')
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.close_connection = True


MIRRORS = {
    "a reason": _refuses,
    "a redirect that leads nowhere": to(f"ftp://{KEY}"),
    "redirects without end": to(f"/{KEY}"),
    "a version": _breaks_off,
    "a file of another kind": sends(f"<html>{ALL_FORMS}</html>".encode()),
}


@pytest.mark.parametrize("where", MIRRORS)
def test_a_key_in_what_a_mirror_says_is_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    monkeypatch.setattr(hub, "sleep", lambda _: None)
    remember(KEY)
    with served(MIRRORS[where]) as (url, _), pytest.raises(BadInput) as refused:
        pull_memfail(tmp_path / "data", "main", url)
    assert leaks(str(refused.value).encode()) == []
    sent = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.csv*") if path.suffix != ".json"}
    assert leaks_below(tmp_path).keys() <= sent, "data files stay as they came"


def test_a_password_in_the_address_of_a_mirror_is_refused_and_not_shown(cli: Cli) -> None:
    said = cli("data", "pull", "memfail", "--endpoint", f"https://me:{KEY[:20]}@mirror.example", code=1).err
    assert (
        said == "error: the address of mirror.example has a password in it, which downloads don't use; leave it out\n"
    )


# ---------------------------------------------------------------------- studies


STUDIES = {
    "sweep": ("sweep", *TASK, "--vary", "seed=1,2", "--out", "out"),
    "leaks": ("leaks", "memfail/coexisting", "--rows", "2", "--run", "out"),
    "diagnose": ("diagnose", "traces.jsonl", "--out", "out"),
}
TRACE = {
    "probe": "p1",
    "question": "Where is the violin?",
    "facts": [{"text": "The violin is in the attic."}],
    "all_memories": ["The violin is upstairs, under the roof."],
    "retrieved": ["The violin is upstairs, under the roof."],
    "answer": "under the roof",
    "gold": "in the attic",
}


@pytest.mark.parametrize("study", STUDIES)
def test_a_key_that_models_say_is_in_no_file_of_a_study(place: Place, kept: Path, study: str) -> None:
    place.write("traces.jsonl", json.dumps(TRACE) + "\n")
    with StubServer(echo) as server:
        answer = () if study == "diagnose" else ("--answer", f"{server.url}#reader")
        done = place.start(*STUDIES[study], *answer, "--judge", f"{server.url}#judge").ended()
        assert server.count() > 0, done.err
    assert leaks((done.out + done.err).encode()) == []
    assert leaks_below(kept) == {}
    assert any(b"[key]" in path.read_bytes() for path in (kept / "out").rglob("*.json*"))


def test_a_key_in_a_tuned_prompt_is_in_no_file(many: Place) -> None:  # noqa: F811
    remember(KEY)
    with StubServer(careless) as server:
        tuned(server, Tries({"fact_list": f"CAREFULLY. {ALL_FORMS}"}))
    assert b"[key]" in (many.path / "opt/prompts.json").read_bytes()
    assert leaks_below(many.path) == {}


# ---------------------------------------------------------------------- a whole run


PLUGIN = f"""
TEXT = {ALL_FORMS!r}

class Echoes:
    def store_conversation(self, conversation):
        pass
    def retrieve_memories(self, query, conversation, k):
        return [{{"id": TEXT, "text": TEXT, "sources": [TEXT]}}]
    def get_all_memories(self):
        return [{{"id": TEXT, "text": TEXT, "sources": [TEXT]}}]

class Fails(Echoes):
    def retrieve_memories(self, query, conversation, k):
        raise RuntimeError(TEXT)
"""


def _with_the_key(said: Any) -> Any:
    """A judge's reply with the key where it gives reasons."""
    if isinstance(said, Mapping):
        return {name: _with_the_key(value) for name, value in said.items()}
    if isinstance(said, list):
        return [_with_the_key(value) for value in said]
    return ALL_FORMS if isinstance(said, str) and " " in said else said


def test_after_a_run_in_which_everybody_echoes_the_key_it_stands_nowhere(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model says it in answers and judgings, systems in memories and errors; every file is searched for it."""

    (place.path / "echoes.py").write_text(PLUGIN)
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "calls.sqlite"))
    outputs: list[str] = []
    with StubServer(echo) as server:
        model = f"{server.url}#echo"
        systems = ["--system", "echoes.py:Echoes", "--system", "echoes.py:Fails", "--system", "bm25"]
        models = ["--answer", model, "--judge", model]
        task = ["--suite", "memfail/coexisting", "--rows", "2", "--k", "2"]
        for arguments in (
            ["run", *task, *systems, *models, "--out", "runs/a"],
            ["show", "runs/a", "--by", "probe", "--json"],
            ["show", "runs/a", "--by", "fact", "--csv"],
            ["show", "runs/a", "--by", "store"],
        ):
            done = place.start(*arguments).ended()
            outputs += [done.out, done.err]
    text = "\n".join(outputs)
    assert leaks(text.encode()) == []
    assert "sent a key back; it was masked" in text
    assert "gave a key back; it was masked" in text
    (place.path / "echoes.py").unlink()  # which is the one who knows it
    assert leaks_below(place.path) == {}
    assert b"<base64> [key] <" in unpacked(place.path / "runs/a/report.html")
    assert b"[key]" in (place.path / "runs/a/journal.jsonl").read_bytes()
    assert any(b"[key]" in path.read_bytes() for path in place.path.rglob("calls.sqlite*"))
