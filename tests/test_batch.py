"""Answering a run's calls by file: what is due is written, replies are imported, and the run goes on."""

from __future__ import annotations

import json
import re
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from batch_server import BatchServer
from conftest import Cli, Place
from memtriage.core.chat import Call, Message, Schema
from memtriage.models.cache import call_key
from memtriage.models.held import DueCall
from memtriage.models.reply_files import BadReply, cache_entry, call_line, read_line
from memtriage.models.scripted import StubServer, content
from memtriage.models.spec import ModelSpec

QUIET = ("-q", "--no-report")
INTERNAL = ("facts", "notes", "graph", "struct", "lme", "mdfile")


@pytest.fixture(autouse=True)
def _surroundings(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    for name in ("MEMTRIAGE_API_KEY", "MEMTRIAGE_PRICES", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def reader() -> Iterator[StubServer]:
    with StubServer(content) as found:
        yield found


@pytest.fixture
def writer() -> Iterator[StubServer]:
    with StubServer("memory") as found:
        yield found


def rows(file: str | Path) -> list[dict[str, Any]]:
    """The records of a file of JSON lines, without their seals."""
    lines = (json.loads(line) for line in Path(file).read_text().splitlines())
    return [{key: value for key, value in line.items() if key != "seal"} for line in lines]


def write(file: str, lines: list[Any]) -> str:
    Path(file).write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return file


def chat(url: str, body: dict[str, Any]) -> dict[str, Any]:
    """The server's answer to one exported call."""
    sent = urllib.request.Request(
        f"{url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(sent) as answer:
        found: dict[str, Any] = json.loads(answer.read())
        return found


def openai_reply(line: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "b", "custom_id": line["custom_id"], "response": response, "error": None}


def by_hand(cli: Cli, run: str, servers: dict[str, StubServer]) -> list[dict[str, int]]:
    """Answer every round of a run from files, each call by the server of its model; the rounds, by stage."""
    rounds = []
    while (told := json.loads(cli("batch", "export", run, "--json", "--out", "calls.jsonl").out))["due"]:
        rounds.append(told["stages"])
        lines = rows("calls.jsonl")
        assert len(lines) == told["due"]
        assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
        replies = [openai_reply(line, chat(servers[line["body"]["model"]].url, line["body"])) for line in lines]
        cli("batch", "import", run, write("replies.jsonl", replies), *QUIET)
    return rounds


def verdicts(run: str) -> str:
    """The verdicts as they are on disk, without the seconds that retrieval took, and the seals that cover them."""
    return re.sub(r'"(seconds|seal)":[^,}]+', "", Path(run, "verdicts.jsonl").read_text())


# ---------------------------------------------------------------------- the same as live


def test_a_run_answered_by_file_has_the_verdicts_of_the_live_one(
    cli: Cli, reader: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = (
        "--suite",
        "memfail/coexisting",
        "--rows",
        "8",
        "--k",
        "5,10",
        "--system",
        "bm25",
        "--system",
        "dense",
        "-q",
        "--no-report",
    )
    models = ("--answer", f"{reader.url}#reader", "--judge", f"{reader.url}#judge")
    cli("run", *asked, *models, "--out", "live")
    calls = reader.count()
    monkeypatch.setenv("MEMTRIAGE_CACHE", "other.db")
    held = cli("run", *asked, *models, "--out", "held", "--hold")
    assert reader.count() == calls  # nothing was asked
    assert "memtriage batch export held" in held.err
    rounds = by_hand(cli, "held", {"reader": reader, "judge": reader})
    assert verdicts("held") == verdicts("live")
    assert list(rounds[0]) == ["answer/answer"]
    assert all(stage.startswith("judge/") for each in rounds[1:] for stage in each)
    assert sum(sum(each.values()) for each in rounds) == calls
    assert reader.count() == 2 * calls


def test_what_systems_ask_inside_is_answered_by_file_too(
    cli: Cli, reader: StubServer, writer: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    systems = tuple(part for name in INTERNAL for part in ("--system", name))
    asked = ("--suite", "memfail/long-hop", "--rows", "2", "--k", "5", *systems, *QUIET)
    models = ("--internal", f"{writer.url}#writer", "--answer", f"{reader.url}#reader")
    cli("run", *asked, *models, "--out", "live")
    live = rows(Path("live", "memories.jsonl"))
    monkeypatch.setenv("MEMTRIAGE_CACHE", "other.db")
    cli("run", *asked, *models, "--out", "held", "--hold")
    rounds = by_hand(cli, "held", {"writer": writer, "reader": reader})
    assert verdicts("held") == verdicts("live")
    assert sorted(rows(Path("held", "memories.jsonl")), key=str) == sorted(live, key=str)
    # A store's next call depends on its last reply, so each is in a round with the next call of every other store.
    assert len(rounds[0]) > 1
    assert all(stage.startswith("internal/") for each in rounds[:-1] for stage in each)
    assert list(rounds[-1]) == ["answer/answer"]


# ---------------------------------------------------------------------- without any endpoint


def by_place(line: dict[str, Any]) -> dict[str, Any]:
    """A person who reads the question and says the place that the right memory names."""
    data = line["messages"][-1]["content"]
    thing = re.search(r"keep the (\w+)\?", data)
    assert thing is not None
    said = re.search(rf"keeps the {thing[1]} in the (\w+)\.", data)
    return {"custom_id": line["custom_id"], "reply": {"answer": said[1] if said else "I don't know", "used": []}}


def test_a_person_can_answer_without_any_model(cli: Cli, place: Place) -> None:
    asked = ("--suite", "tiny/end", "--rows", "6", "--k", "3", "--system", "bm25", *QUIET)
    told = cli("run", *asked, "--answer", "offline/me", "--judge", "offline/me", "--out", "run")
    assert "6 calls are due in round 1: 6 answer (answer)" in told.err
    assert not Path("run", "verdicts.jsonl").exists()
    told = cli("resume", "run", "--json")
    assert json.loads(told.out) == {"due": 6, "round": 1, "rounds_left": 1, "stages": {"answer/answer": 6}}
    cli("batch", "export", "run", "--format", "plain", "--out", "calls.jsonl")
    lines = rows("calls.jsonl")
    assert {(line["role"], line["model"]) for line in lines} == {("answer", "offline/me")}
    told = cli("batch", "import", "run", write("replies.jsonl", [by_place(line) for line in lines]), *QUIET)
    assert "6 replies taken, 0 due calls without one" in told.err
    assert "1 call is due in round 2: 1 judge (reasoning)" in told.err
    cli("batch", "export", "run", "--format", "plain")
    grants = [{"id": n, "reason": "that is the place", "witness": [], "verdict": True} for n in range(1, 7)]
    [due] = rows(Path("run", "calls.jsonl"))
    judged = [{"custom_id": due["custom_id"], "reply": {"results": grants}}]
    cli("batch", "import", "run", write("replies.jsonl", judged), *QUIET)
    found = rows(Path("run", "verdicts.jsonl"))
    assert [(each["verdict"], each["answered_by"]) for each in found] == [("correct", "offline/me")] * 6
    assert "nothing is due" in cli("batch", "export", "run").err


def test_a_model_by_file_needs_the_cache_and_a_run(cli: Cli) -> None:
    asked = ("--suite", "tiny/end", "--rows", "2", "--k", "3", "--system", "bm25", *QUIET)
    told = cli("run", *asked, "--answer", "offline/me", "--no-cache", code=1)
    assert "leave out --no-cache" in told.err
    told = cli("chat", "--system", "bm25", "--answer", "offline/me", code=1)
    assert "only a run waits for" in told.err


# ---------------------------------------------------------------------- bad lines


def test_bad_lines_are_told_by_row_and_the_rest_is_taken(cli: Cli) -> None:
    asked = ("--suite", "tiny/end", "--rows", "6", "--k", "3", "--system", "bm25", *QUIET)
    cli("run", *asked, "--answer", "offline/me", "--out", "run")
    cli("batch", "export", "run", "--format", "plain", "--out", "calls.jsonl")
    good = [by_place(line) for line in rows("calls.jsonl")]
    id = good[2]["custom_id"]
    file = write(
        "replies.jsonl",
        [
            good[0],
            "{not json",
            good[0],
            {"custom_id": "f" * 64, "reply": "attic"},
            {"custom_id": id, "reply": {"answered": "attic"}},
            {"custom_id": id, "response": {"status_code": 500, "body": {"error": {"message": "busy"}}}, "error": None},
            {"custom_id": id, "result": {"type": "expired"}},
            {"custom_id": id, "response": None, "error": {"code": "batch_expired", "message": "too late"}},
            {"custom_id": id},
            {"reply": "attic"},
            "",
            good[1],
        ],
    )
    told = cli("batch", "import", "run", file, *QUIET, code=1).err
    assert "2 replies taken, 4 due calls without one" in told
    problems = dict(re.findall(r"error: replies\.jsonl, row (\d+): (.*)", told))
    assert list(problems) == ["2", "3", "4", "5", "6", "7", "8", "9", "10"]
    assert "not JSON" in problems["2"]
    assert "given twice" in problems["3"]
    assert "not among the calls that are due" in problems["4"]
    assert "doesn't fit the schema" in problems["5"]
    assert "busy" in problems["6"]
    assert "expired" in problems["7"]
    assert "too late" in problems["8"]
    assert "none of response (OpenAI), result (Anthropic) and reply (plain)" in problems["9"]
    assert "no object with a custom_id" in problems["10"]
    assert "4 calls are due in round 2" in told
    # The same file may grow: what was taken before is known, and no error.
    told = cli("batch", "import", "run", write("replies.jsonl", good), *QUIET).err
    assert "4 replies taken, 2 were known, 0 due calls without one" in told
    assert len(rows(Path("run", "verdicts.jsonl"))) == 6


def test_a_file_without_a_usable_reply_changes_nothing(cli: Cli) -> None:
    asked = ("--suite", "tiny/end", "--rows", "2", "--k", "3", "--system", "bm25", *QUIET)
    cli("run", *asked, "--answer", "offline/me", "--out", "run")
    before = Path("run", "due.json").read_bytes()
    cli("batch", "import", "run", write("replies.jsonl", ["[]"]), *QUIET, code=1)
    assert "can't be read" in cli("batch", "import", "run", "nowhere.jsonl", code=1).err
    assert Path("run", "due.json").read_bytes() == before


def test_judging_again_by_file_goes_on_with_that_judge(cli: Cli, reader: StubServer) -> None:
    asked = ("--suite", "memfail/coexisting", "--rows", "4", "--k", "5", "--system", "bm25", *QUIET)
    cli("run", *asked, "--answer", f"{reader.url}#reader", "--judge", f"{reader.url}#judge", "--out", "run")
    told = cli("judge", "run", "--judge", "offline/second", *QUIET)
    assert "judge (" in told.err
    by_hand(cli, "run", {"second": reader})
    assert {each["judged_by"] for each in rows(Path("run", "verdicts.jsonl"))} == {"offline/second"}


# ---------------------------------------------------------------------- formats

SCHEMA = Schema("colour", {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]})
CALL = Call("judge", "storage", (Message("system", "Be brief."), Message("user", "Which colour?")), SCHEMA, 50)


def due(model: str, call: Call = CALL) -> DueCall:
    return DueCall(call_key(ModelSpec.parse(model), call), model, call)


def test_calls_are_written_as_each_provider_wants_them() -> None:
    closed = {**SCHEMA.json, "additionalProperties": False}
    asked = due("offline/gpt-5?temperature=0")
    assert call_line(asked, "openai") == {
        "custom_id": asked.id,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "gpt-5",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which colour?"}],
            "temperature": 0.0,
            "max_completion_tokens": 50,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "colour", "schema": closed, "strict": True},
            },
        },
    }
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", asked.id)  # what both providers allow as custom_id
    assert call_line(due("anthropic/claude-sonnet-4-5"), "anthropic")["params"] == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 50,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Which colour?"}]}],
        "tools": [{"name": "colour", "description": "Gives the reply.", "input_schema": closed}],
        "tool_choice": {"type": "tool", "name": "colour"},
    }


def entry(reply: dict[str, Any]) -> Any:
    return cache_entry(CALL, read_line(json.dumps({"custom_id": "x", **reply}).encode()))


def message(stop: str, *content: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 9, "output_tokens": 4}
    told = {"model": "claude-x", "role": "assistant", "content": list(content), "stop_reason": stop, "usage": usage}
    return {"result": {"type": "succeeded", "message": told}}


def test_replies_are_read_in_every_format() -> None:
    used = {"type": "tool_use", "id": "t", "name": "colour", "input": {"colour": "red"}}
    found = entry(message("tool_use", {"type": "text", "text": "Let me see."}, used))
    assert (found.data, found.input, found.output, found.model) == ({"colour": "red"}, 9, 4, "claude-x")
    body = {
        "model": "gpt-x",
        "choices": [{"message": {"content": '{"colour": "red"}'}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
    found = entry({"response": {"status_code": 200, "body": body}, "error": None})
    assert (found.data, found.input, found.output, found.model) == ({"colour": "red"}, 7, 3, "gpt-x")
    for plain in ('{"colour": "red"}', {"colour": "red"}, '```json\n{"colour": "red"}\n```'):
        assert entry({"reply": plain}).data == {"colour": "red"}


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (message("max_tokens", {"type": "text", "text": '{"colour": "re'}), "cut off"),
        (message("refusal"), "refused"),
        ({"result": {"type": "errored", "error": {"message": "no such model"}}}, "no such model"),
        ({"reply": "  "}, "empty"),
        ({"reply": '{"colour": 3}'}, "doesn't fit the schema"),
        ({"response": {"status_code": 200, "body": {"choices": []}}}, "no message"),
    ],
)
def test_a_reply_that_is_no_good_says_why(reply: dict[str, Any], told: str) -> None:
    with pytest.raises(BadReply, match=told):
        entry(reply)


def test_a_due_call_survives_its_file() -> None:
    asked = due("offline/x")
    again = DueCall.of(json.loads(json.dumps(asked.record())))
    assert again == asked
    assert call_key(ModelSpec.parse(again.model), again.call) == asked.id


# ---------------------------------------------------------------------- the batch endpoints

FULL = ("--suite", "memfail/coexisting", "--rows", "8", "--k", "5,10", "--system", "bm25", "--system", "dense")
PRICES = {name: {"input": 1.0, "output": 4.0} for name in ("reader", "judge")}


@pytest.fixture
def priced(place: Place) -> None:
    place.write("prices.json", json.dumps(PRICES))


def models_at(url: str) -> tuple[str, ...]:
    return ("--answer", f"{url}#reader", "--judge", f"{url}#judge")


def alike(run: str, url: str) -> str:
    """The verdicts of a run, with the address of its models made neutral."""
    return verdicts(run).replace(url, "URL")


def cost(run: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(run, "cost.json").read_text())["total"]
    return found


def test_batches_give_the_verdicts_of_the_live_run_for_half_the_bill(
    cli: Cli, reader: StubServer, priced: None
) -> None:
    cli("run", *FULL, *models_at(reader.url), "--out", "live", *QUIET)
    calls = reader.count()
    with BatchServer(reader.url) as server:
        told = cli("run", *FULL, *models_at(server.url), "--out", "batch", "--batch", "--no-report").err
        assert alike("batch", server.url) == alike("live", reader.url)
    live, batched = cost("live"), cost("batch")
    assert live["dollars"] > 0
    assert batched["dollars"] == pytest.approx(live["dollars"] / 2, rel=1e-9)
    assert (batched["calls"], batched["input_tokens"]) == (live["calls"], live["input_tokens"])
    assert calls == sum(len(batch["lines"]) for batch in server.batches.values()) == len(server.sent)
    answers = len(server.batches["batch1"]["lines"])
    assert re.search(rf"batch1: {answers} calls sent to .*#reader; done by .* UTC at the latest", told)
    assert f"{calls - answers} calls in {len(server.batches) - 1} batches and {len(server.batches) - 1} rounds" in told


def test_lines_that_fail_expire_or_make_no_sense_are_sent_again(cli: Cli, reader: StubServer) -> None:
    cli("run", *FULL, *models_at(reader.url), "--out", "live", *QUIET)
    faults = ("error", "expired", "nonsense", None, None)
    with BatchServer(reader.url, lambda sent, id: faults[int(id, 16) % 5] if sent == 1 else None) as server:
        cli("run", *FULL, *models_at(server.url), "--out", "batch", "--batch", *QUIET)
        assert alike("batch", server.url) == alike("live", reader.url)
        assert set(server.sent.values()) == {1, 2}
        assert all((sent == 2) == (faults[int(id, 16) % 5] is not None) for id, sent in server.sent.items())


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_waits_for_the_same_batch_again(
    cli: Cli, place: Place, reader: StubServer, how: signal.Signals
) -> None:
    with BatchServer(reader.url) as server:
        server.held.set()
        child = place.start("run", *FULL, *models_at(server.url), "--out", "run", "--batch", *QUIET)
        server.wait_for_polls(3)
        child.kill(how)
        seen = child.ended()
        assert how == signal.SIGKILL or "memtriage resume run" in seen.err
        assert list(server.batches) == ["batch1"]
        server.held.clear()
        cli("resume", "run", *QUIET)
        assert set(server.sent.values()) == {1}  # nothing was sent twice
        assert Path("run", "verdicts.jsonl").exists()
        calls = sum(len(batch["lines"]) for batch in server.batches.values())
        assert cost("run")["calls"] == calls == len(server.sent)


def test_a_batch_whose_acknowledgement_was_lost_is_found_again(cli: Cli, reader: StubServer) -> None:
    with BatchServer(reader.url) as server:
        server.lose_answers = 1
        cli("run", *FULL, *models_at(server.url), "--out", "run", "--batch", *QUIET)
        assert set(server.sent.values()) == {1}


def test_a_batch_that_is_refused_is_an_error_that_resuming_tries_again(cli: Cli, reader: StubServer) -> None:
    with BatchServer(reader.url) as server:
        server.refuse = "the enqueued token limit is reached"
        asked = ("--suite", "memfail/coexisting", "--rows", "4", "--k", "5", "--system", "bm25")
        told = cli("run", *asked, "--answer", f"{server.url}#reader", "--out", "run", "--batch", *QUIET, code=1)
        assert "the enqueued token limit is reached" in told.err
        assert len(server.batches) == 1
        server.refuse = None
        cli("resume", "run", *QUIET)
        assert len(server.batches) == 2
        assert set(server.sent.values()) == {1}


def test_batches_that_nobody_may_ask_for_stop_the_run_and_are_not_sent_again(cli: Cli, reader: StubServer) -> None:
    busy = [True]

    class Busy(BatchServer):
        def get(self, path: str) -> tuple[int, Any]:
            if busy[0] and path.startswith("/v1/batches/"):
                return 429, {"error": {"message": "slow down, try again in 99999s"}}
            return super().get(path)

    with Busy(reader.url) as server:
        asked = ("--suite", "memfail/coexisting", "--rows", "4", "--k", "5", "--system", "bm25")
        told = cli("run", *asked, "--answer", f"{server.url}#reader", "--out", "run", "--batch", *QUIET, code=1)
        assert f"stopped: can't check on the batches at {server.url}" in told.err
        busy[0] = False
        cli("resume", "run", *QUIET)
        assert set(server.sent.values()) == {1}


def test_an_endpoint_without_batches_is_named(cli: Cli, reader: StubServer) -> None:
    told = cli("run", *FULL, *models_at(reader.url), "--batch", *QUIET, code=1).err
    assert "has no batches, leave out --batch" in told


def test_a_cost_limit_knows_that_batches_cost_half(cli: Cli, reader: StubServer, priced: None) -> None:
    cli("run", *FULL, *models_at(reader.url), "--out", "live", *QUIET)
    limit = str(0.75 * cost("live")["dollars"])
    with BatchServer(reader.url) as server:
        cli("run", *FULL, *models_at(server.url), "--out", "batch", "--batch", "--max-cost", limit, *QUIET)
        assert alike("batch", server.url) == alike("live", reader.url)


# ---------------------------------------------------------------------- Anthropic's batches

CLAUDE = ("--answer", "anthropic/claude-sonnet-4-5", "--judge", "anthropic/claude-sonnet-4-5")


@pytest.fixture
def claude(reader: StubServer, place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    place.write("prices.json", json.dumps({"claude-sonnet-4-5": {"input": 3.0, "output": 15.0}, **PRICES}))
    with BatchServer(reader.url) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-right")
        yield server


def stages(run: str) -> list[tuple[Any, ...]]:
    names = ("probe", "system", "k", "verdict", "right", "answer")
    return [tuple(each.get(name) for name in names) for each in rows(Path(run, "verdicts.jsonl"))]


def test_anthropics_batches_do_the_same(cli: Cli, reader: StubServer, claude: BatchServer) -> None:
    cli("run", *FULL, *models_at(reader.url), "--out", "live", *QUIET)
    cli("run", *FULL, *CLAUDE, "--out", "batch", "--batch", *QUIET)
    assert stages("batch") == stages("live")
    total = cost("batch")
    # $3 and $15 per million tokens, and half of that in a batch.
    full = (3 * total["input_tokens"] + 15 * total["output_tokens"]) / 1_000_000
    assert total["dollars"] == pytest.approx(full / 2, rel=1e-6)
    assert set(claude.sent.values()) == {1}
    assert not any("sk-ant" in path.read_text(errors="replace") for path in Path("batch").rglob("*") if path.is_file())


def test_anthropics_lines_may_fail_and_its_acknowledgement_get_lost(cli: Cli, claude: BatchServer) -> None:
    faults = ("error", "expired", "nonsense", None, None)
    claude.fault = lambda sent, id: faults[int(id, 16) % 5] if sent == 1 else None
    claude.lose_answers = 1
    cli("run", *FULL, *CLAUDE, "--out", "batch", "--batch", *QUIET)
    assert {each["verdict"] for each in rows(Path("batch", "verdicts.jsonl"))} & {"error"} == set()
    assert all(sent == (1 if faults[int(id, 16) % 5] is None else 2) for id, sent in claude.sent.items())


def test_a_wrong_key_is_told_once_and_never_shown(
    cli: Cli, claude: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-wrong-but-secret")
    told = cli("run", *FULL, *CLAUDE, "--out", "run", "--batch", *QUIET, code=1)
    assert "the key was not accepted" in told.err
    assert "wrong-but-secret" not in told.err + told.out
    assert not claude.batches


def test_models_without_batches_are_refused_before_anything_is_asked(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-not-a-key-at-all")
    asked = ("--suite", "tiny/end", "--rows", "2", "--k", "3", "--system", "bm25")
    told = cli("run", *asked, "--answer", "gemini/gemini-2.5-flash", "--batch", "--out", "run", *QUIET, code=1).err
    assert "gemini/gemini-2.5-flash has no batches" in told
    told = cli("run", *asked, "--answer", "openai/gpt-5", "--batch", "--no-cache", "--out", "no", *QUIET, code=1).err
    assert "leave out --no-cache" in told
    assert not Path("run").exists()
