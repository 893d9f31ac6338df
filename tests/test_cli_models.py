"""The commands of the full depth, as a user types them, against a scripted server over real HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Child, Cli, Place
from memtriage import api
from memtriage.models.scripted import FaultKind, Faults, StubServer, content
from test_memfail_written import Author

KEY = "sk-proj-Q7w9ZkeyThatMustNotBeSeen42"


@pytest.fixture(autouse=True)
def _surroundings(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    for name in ("MEMTRIAGE_API_KEY", "MEMTRIAGE_PRICES", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(content) as found:
        yield found


def models(server: StubServer) -> tuple[str, ...]:
    return ("--answer", f"{server.url}#reader", "--judge", f"{server.url}#judge")


def whole(*more: str, rows: int = 8) -> tuple[str, ...]:
    task = ("--suite", "memfail/coexisting", "--rows", str(rows), "--k", "5", "--system", "bm25")
    return ("run", *task, "--out", "run", "-q", *more)


def asked_of(server: StubServer, model: str) -> int:
    return server.count(lambda seen: bool(seen.body["model"] == model))


# ---------------------------------------------------------------------- the whole way


def test_a_run_prints_its_table_and_its_bill_and_writes_them(cli: Cli, server: StubServer) -> None:
    seen = cli(*whole(*models(server)))
    assert "depth full" in seen.out
    assert f"model calls: {server.count(ok=True)} (0 from the cache)" in seen.out
    told = seen.err.splitlines()
    assert len(told) == 2
    assert all("scripted server" in line and "plumbing" in line for line in told)
    held = {path.name for path in Path("run").iterdir()}
    assert {"run.json", "verdicts.jsonl", "cost.json", "report.html"} <= held
    shown = json.loads(cli("show", "run", "--json").out)
    assert [row["depth"] for row in shown["rows"]] == ["full"]
    asked = server.count()
    again = cli(*whole(*models(server), "--out", "again"))
    assert f"model calls: 0 ({asked} from the cache)" in again.out
    assert server.count() == asked


def test_a_run_can_be_judged_again_and_shows_its_repeats(cli: Cli, server: StubServer) -> None:
    cli(*whole(*models(server), "--repeats", "2", rows=4))
    answers = asked_of(server, "reader")
    assert answers == 8
    cli("judge", "run", "--judge", f"{server.url}#other", "--repeats", "2", "-q")
    assert asked_of(server, "reader") == answers
    assert asked_of(server, "other") > 0
    lines = [json.loads(line) for line in Path("run/verdicts.jsonl").read_text().splitlines()]
    assert {line["judged_by"] for line in lines if "judged_by" in line} == {f"{server.url}#other"}
    assert "answer" in cli("show", "run", "--by", "repeats").out
    cli("judge", "run", "--judge", f"{server.url}#exact", "--paper-exact", "-q")
    assert asked_of(server, "exact") > asked_of(server, "other")


def test_a_dry_run_says_what_it_would_take_and_sends_nothing(
    cli: Cli, place: Place, server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = {name: {"input": 1, "output": 2} for name in ("reader", "judge")}
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(place.write("own.json", json.dumps(prices))))
    seen = cli(*whole(*models(server), "--dry-run"))
    assert not server.count()
    assert not Path("run").exists()
    assert "$" in seen.out
    told = json.loads(cli(*whole(*models(server), "--dry-run", "--json")).out)
    assert '"calls"' in json.dumps(told)
    cli(*whole(*models(server)))
    assert asked_of(server, "reader") == 8


def test_no_key_is_ever_written_or_printed(cli: Cli, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(content, faults=Faults(key=KEY)) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        seen = [cli(*whole("--answer", "openai/gpt-5-mini", "--judge", "openai/gpt-5-mini"))]
        assert server.count(ok=True) > 8
        server.faults = Faults(key="another")
        monkeypatch.setenv("MEMTRIAGE_API_KEY", KEY)
        seen.append(cli("judge", "run", "--judge", f"{server.url}#other", "-q", code=1))
        assert "key was not accepted" in seen[1].err
        seen.append(cli("explain", "run", "--failed"))
    for one in seen:
        assert KEY not in one.out + one.err
    files = [file for file in place.path.rglob("*") if file.is_file()]
    assert any(file.name == "cache.db" for file in files)
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


# ---------------------------------------------------------------------- what is wrong is said in one message


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        (Faults(key="sk-right"), "the key was not accepted"),
        (Faults(models=("something-else",)), "has no model 'reader'"),
        (Faults().rate(1.0, 0, ["html"]), "is not an OpenAI-compatible endpoint"),
    ],
)
@pytest.mark.usefixtures("no_pauses")
def test_an_endpoint_that_is_not_right_stops_the_run(cli: Cli, faults: Faults, message: str) -> None:
    with StubServer(content, faults=faults) as server:
        seen = cli(*whole(*models(server), rows=40), code=1)
        assert server.count() < 40, "it is not asked again and again"
        assert message in seen.err
        assert len(seen.err.strip().splitlines()) == 1
        server.faults = Faults()
        again = cli("resume", "run", "-q")
        assert "depth full" in again.out


@pytest.mark.usefixtures("no_pauses")
def test_an_endpoint_where_nobody_listens_is_one_message(cli: Cli) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        seen = cli(*whole("--answer", f"{url}#reader", "--judge", f"{url}#judge"), code=1)
    assert f"no connection to {url} (connection refused); check that it is running" in seen.err
    assert len(seen.err.strip().splitlines()) == 1


def test_a_judge_that_the_endpoint_does_not_have_is_reported_with_the_reason(cli: Cli, server: StubServer) -> None:
    server.faults = Faults(models=("reader",))
    seen = cli(*whole(*models(server)), code=1)
    assert "probes could not be graded" in seen.err
    assert "has no model 'judge'" in seen.err
    assert "error" in seen.out


def test_a_judge_that_answers_in_prose_gives_errors_and_no_verdicts(cli: Cli, server: StubServer) -> None:
    with StubServer(lambda request: "Well, one might say that it does.") as prose:
        seen = cli(*whole("--answer", f"{server.url}#reader", "--judge", f"{prose.url}#judge"), code=1)
    assert "not the JSON object asked for" in seen.err
    verdicts = [v.verdict for v in api.load("run").verdicts()]
    assert "error" in verdicts
    assert "reasoning_error" not in verdicts


def test_an_endpoint_without_json_modes_ends_as_one_with_them(cli: Cli, server: StubServer) -> None:
    server.faults = Faults(json_schema=False, json_object=False)
    cli(*whole(*models(server)))
    found = list(api.load("run").verdicts())
    assert {v.depth for v in found} == {"full"}
    assert "error" not in {v.verdict for v in found}


def test_a_context_that_is_too_small_is_an_error_of_those_probes(cli: Cli, server: StubServer) -> None:
    server.faults = Faults(context=435)  # longer than some of the prompts, shorter than others
    seen = cli(*whole(*models(server)), code=1)
    assert "longer than the context" in seen.err
    found = list(api.load("run").verdicts())
    assert {v.depth for v in found} == {"full"}
    errors = [v for v in found if v.verdict == "error"]
    assert 0 < len(errors) < len(found)
    assert all("context" in (v.error or "") for v in errors)
    before = server.count()
    server.faults = Faults()
    cli("resume", "run", "-q")
    assert server.count() - before <= 2 * len(errors), "only those are asked again, and judged"


def test_a_limit_on_cost_needs_a_price(cli: Cli, server: StubServer) -> None:
    far = "https://models.invalid/v1#who"
    seen = cli(*whole("--answer", far, "--judge", f"{server.url}#judge", "--max-cost", "1"), code=1)
    assert "price of" in seen.err
    assert "prices.json" in seen.err
    assert not Path("run").exists()
    assert not server.count()


def test_the_limit_on_cost_stops_cleanly_and_a_higher_one_goes_on(
    cli: Cli, place: Place, server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = {name: {"input": 100, "output": 100} for name in ("reader", "judge")}
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(place.write("own.json", json.dumps(prices))))
    seen = cli(*whole(*models(server), "--max-cost", "0.2"), code=1)
    assert re.search(r"stopped: at \$0\.\d+: the next call could pass the limit of \$0\.2", seen.err)
    assert "memtriage resume run" in seen.err
    paid = server.count()
    assert 0 < paid < 8
    done = cli("resume", "run", "-q", "--max-cost", "50")
    assert "depth full" in done.out
    assert "depth memory" not in done.out
    assert asked_of(server, "reader") == 8


def test_the_limit_on_errors_stops_the_run_and_sends_nothing_more(cli: Cli, server: StubServer) -> None:
    server.faults = Faults().rate(1.0, 0, ["refusal"])
    seen = cli(*whole(*models(server), "--max-errors", "2", "--concurrency", "1"), code=1)
    assert "stopped: after 2 failed calls" in seen.err
    assert server.count() <= 14, "what waits to be sent again is given up"


@pytest.mark.parametrize("kind", ["500", "empty", "reset"])
def test_one_fault_per_request_goes_unnoticed(cli: Cli, server: StubServer, kind: FaultKind) -> None:
    server.faults = Faults(retry_after=0.01).first(1, [kind])
    seen = cli(*whole(*models(server), rows=4))
    assert "error" not in seen.err
    assert server.count(fault=kind) >= 4


@pytest.mark.parametrize("wrong", ["gpt-5", "openai/", "http://127.0.0.1:1/v1", "nobody/model", "offline"])
def test_a_model_name_that_cannot_be_read_is_an_error_before_anything_is_written(cli: Cli, wrong: str) -> None:
    seen = cli(*whole("--answer", wrong), code=1)
    assert seen.err.startswith("error: ")
    assert not Path("run").exists()


# ---------------------------------------------------------------------- the other commands


def test_explain_asks_only_the_models_it_is_given(cli: Cli, server: StubServer) -> None:
    cli(*whole(*models(server)))
    failed = [v.probe for v in api.load("run").verdicts() if v.verdict != "correct"]
    asked = server.count()
    assert failed[0] in cli("explain", "run", "--probe", failed[0]).out
    told = json.loads(cli("explain", "run", "--failed", "--json").out)
    assert len(told["probes"]) == len(failed)
    assert told["agreement"] is None
    assert server.count() == asked, "without a model nothing is asked"
    asked_again = json.loads(cli("explain", "run", "--failed", "--json", *models(server)).out)
    assert asked_again["agreement"] is not None
    assert server.count() > asked
    assert cli("explain", "run", "--failed", "-q", *models(server)).out
    assert "nowhere" in cli("explain", "run", "--probe", "nowhere", code=1).err
    assert "--probe" in cli("explain", "run", code=1).err


def test_calibrate_reports_a_judges_false_accepts_and_asks_nothing_twice(cli: Cli, server: StubServer) -> None:
    of = ("calibrate", "--suite", "memfail/persona", "--rows", "4", "--per-kind", "2", "-q")
    seen = cli(*of, "--judge", f"{server.url}#judge")
    assert "Cohen's κ" in seen.out
    assert "false accepts" in seen.out
    asked = server.count()
    assert asked > 0
    assert json.loads(cli(*of, "--judge", f"{server.url}#judge", "--json").out)["schema"].startswith("memtriage.")
    assert server.count() == asked


def test_a_judge_is_tested_on_rewritten_memories_within_its_budget(
    cli: Cli, place: Place, server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = ("calibrate", "--rewritten", "--rows", "2", "-q", "--json", "--judge", f"{server.url}#judge")
    found = json.loads(cli(*of).out)
    names = [score["detector"] for score in found["scores"]]
    assert names[0] == f"judge {server.url}#judge"
    assert names[2].endswith("then the judge")
    assert found["scores"][0]["strict"]["n"] == found["pairs"]
    asked = server.count()
    assert json.loads(cli(*of).out) == found
    assert server.count() == asked
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(place.write("own.json", '{"judge": {"input": 100, "output": 100}}')))
    stopped = cli(*of, "--no-cache", "--max-cost", "0.2", "--concurrency", "1", code=1)
    judged = json.loads(stopped.out)["scores"][0]["strict"]
    assert judged["errors"] > 0
    assert judged["n"] + judged["errors"] == found["pairs"]
    assert "could not be judged" in stopped.err


def test_labels_through_a_pipe_are_compared_with_judge_and_detector(cli: Cli, place: Place, server: StubServer) -> None:
    cli(*whole(*models(server)))

    def piped() -> None:
        source = place.write("labels.txt", "1\n2\n3\n")
        sys.stdin = source.open()

    seen = Child(place.path, ("audit", "run", "--sample", "3", "--labeller", "Ada"), piped).ended(0)
    assert f"Ada and judge {server.url}#judge" in seen.out
    assert "Cohen's κ" in seen.out
    told = cli("audit", "run", "--json").out
    assert json.loads(told)
    assert "Ada" in told
    assert "Ada and lexical detector" in cli("audit", "run", "--agreement").out


def test_rows_written_by_a_model_are_valid_and_asked_for_once(cli: Cli) -> None:
    with StubServer(Author()) as author:
        of = ("data", "generate", "memfail/coexisting", "--rows", "4", "--model", f"{author.url}#author", "-q")
        cli(*of, "--out", "made")
        asked = author.count()
        assert asked > 0
        cli(*of, "--out", "again")
        assert author.count() == asked
        assert "ok" in cli("data", "validate", "made").out
        author.faults = Faults(key="other")
        seen = cli(*of, "--out", "third", "--no-cache", code=1)
        assert "key was not accepted" in seen.err
        assert not list(Path("third").glob("**/*.*"))


def test_the_stub_serves_until_it_is_interrupted(place: Place, cli: Cli) -> None:
    command = [sys.executable, "-m", "memtriage", "serve-stub", "content", "--port", "0", "--log"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as stub:
        assert stub.stdout is not None
        url = stub.stdout.readline().split()[0]
        try:
            cli(*whole("--answer", f"{url}#reader", "--judge", f"{url}#judge", rows=4))
        finally:
            os.kill(stub.pid, signal.SIGINT)
        out, err = stub.communicate(timeout=300)
    assert stub.returncode == 0
    assert "stopped" in out
    assert err.count("POST /v1/chat/completions 200") >= 4
    assert "Traceback" not in err


def test_a_stub_that_cannot_be_served_is_an_error(cli: Cli, place: Place, server: StubServer) -> None:
    assert "port" in cli("serve-stub", "echo", "--port", str(server.port), code=1).err
    assert cli("serve-stub", "no-such-script", "--port", "0", code=1).err.startswith("error: ")
    bad: dict[str, Any] = {"reply": 3}
    assert cli("serve-stub", str(place.write("r.json", json.dumps(bad))), "--port", "0", code=1).err


def test_two_gradings_can_be_compared(cli: Cli, server: StubServer) -> None:
    cli(*whole(*models(server)))
    before = server.count(path="/v1/chat/completions")
    cli("judge", "run", "--judge", f"{server.url}#other", "--out", "again", "-q", "--no-report")
    answers = [r for r in server.requests[before:] if r.body and r.body.get("model") == "reader"]
    assert answers == []
    assert {v.judged_by for v in api.load("again").verdicts()} == {f"{server.url}#other"}
    assert {v.judged_by for v in api.load("run").verdicts()} == {f"{server.url}#judge"}
    assert "p" in cli("compare", "run", "again").out
    assert "is not empty" in cli("judge", "run", "--judge", f"{server.url}#other", "--out", "again", code=1).err


def test_a_model_that_no_system_would_use_is_refused(cli: Cli) -> None:
    told = cli("run", "--rows", "2", "--suite", "memfail/long-hop", "--system", "bm25", "--embed", "openai/x", code=1)
    assert "--embed openai/x: none of the systems takes a model of that kind" in told.err
