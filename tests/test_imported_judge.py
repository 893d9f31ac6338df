"""`memtriage diagnose --judge`: traces of another harness before a judge over real HTTP, bill and limits."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Place
from memtriage.models.scripted import Faults, StubServer, content
from model_server import NEVER, ModelServer, error, says

KEY = "sk-proj-Z1keyThatMustNotBeSeen77"
RULE = {"text": "Ada only ever swims in the lake before 7 am.", "details": ["before 7 am"], "subject": "Ada"}
REWORDED = "Swims, lake: only before 7 am, says Ada's brother with a grin about morning fog."
TEA = "Ben likes tea."


def trace(probe: str, retrieved: list[str] = [REWORDED], **changes: Any) -> dict[str, Any]:  # noqa: B006
    asked = {"question": "It is 9 am. Will Ada swim in the lake?", "facts": [RULE]}
    return {"probe": probe, "store": "s", "k": 1, "retrieved": retrieved, **asked, **changes}


STORE = {"store": "s", "memories": [REWORDED, TEA], "conversations": [RULE["text"], TEA]}
GOLD = "No, Ada swims before 7 am."
LINES = [
    STORE,
    trace("reworded"),
    trace("elsewhere", [TEA]),
    trace("right", gold=GOLD, answer="No, Ada swims before 7 am, not later."),
    trace("wrong", gold=GOLD, answer="Yes, she will."),
    trace("declined", scoring="abstain", facts=[], answer="I have no information about that."),
    trace("made up", scoring="abstain", facts=[], answer="She swims before 7 am."),
    trace("graded", gold=GOLD, answer="Who knows?", right=True),
]


@pytest.fixture(autouse=True)
def _surroundings(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    for name in ("MEMTRIAGE_API_KEY", "MEMTRIAGE_PRICES", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    write(place, LINES)


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(content) as found:
        yield found


def write(place: Place, lines: list[dict[str, Any]]) -> None:
    place.write("traces.jsonl", "\n".join(map(json.dumps, lines)) + "\n")


def verdicts(out: str) -> dict[str, tuple[str, bool | None]]:
    return {row["probe"]: (row["verdict"], row["right"]) for row in json.loads(out)["rows"]}


def asked(server: StubServer) -> list[str]:
    """The stages that the judge was asked about, in alphabetical order."""
    return sorted(json.loads(block(seen.body))["stage"] for seen in server.requests)


def block(body: Any) -> str:
    return str(body["messages"][-1]["content"]).partition("<<<DATA\n")[2].rpartition("\nDATA>>>")[0]


def test_a_judge_settles_what_words_leave_open_and_grades_free_answers(cli: Cli, server: StubServer) -> None:
    alone = verdicts(cli("diagnose", "traces.jsonl", "--by", "probe", "--json").out)
    assert {alone[probe] for probe in ("reworded", "elsewhere", "right", "wrong")} == {("uncertain", None)}
    assert alone["graded"] == ("uncertain", True)
    found = cli("diagnose", "traces.jsonl", "--judge", f"{server.url}#judge", "--by", "probe", "--json")
    assert verdicts(found.out) == {
        "reworded": ("correct", None),
        "elsewhere": ("not_retrieved", None),
        "right": ("correct", True),
        "wrong": ("reasoning_error", False),
        "declined": ("correct", True),
        "made up": ("reasoning_error", False),
        "graded": ("correct", True),
    }
    # One fact in one store and among two retrieved sets, two free answers and two refusals; "Who knows?" has its grade.
    # Two answers to one question are in two calls.
    assert asked(server) == ["abstention"] * 2 + ["reasoning"] * 2 + ["retrieval", "storage", "summary"]


def test_the_bill_is_printed_and_written_and_nothing_is_asked_twice(cli: Cli, place: Place, server: StubServer) -> None:
    judge = ("--judge", f"{server.url}#judge", "--out", "found")
    seen = cli("diagnose", "traces.jsonl", *judge)
    assert "model calls: 7 (" in seen.out
    assert "scripted server" in seen.err
    assert json.loads((place.path / "found" / "cost.json").read_text())["total"]["calls"] == 7
    assert (place.path / "found" / "report.html").exists()
    lines = [json.loads(line) for line in (place.path / "found" / "verdicts.jsonl").read_text().splitlines()]
    assert {line["judged_by"] for line in lines} == {f"{server.url}#judge"}
    again = cli("diagnose", "traces.jsonl", *judge)
    assert "model calls: 7 (" in again.out, "the bill in the folder is that of both"
    assert len(server.requests) == 7
    assert json.loads((place.path / "found" / "cost.json").read_text())["total"]["calls"] == 7
    cli("diagnose", "traces.jsonl", "--judge", f"{server.url}#judge", "--no-cache")
    assert len(server.requests) == 14


def test_a_dry_run_asks_nothing_and_bounds_what_is_asked(cli: Cli, server: StubServer) -> None:
    judge = ("--judge", f"{server.url}#judge")
    told = json.loads(cli("diagnose", "traces.jsonl", *judge, "--dry-run", "--json").out)
    assert not server.requests
    least, most = next(row["calls"] for row in told["rows"] if row["role"] == "total")
    cli("diagnose", "traces.jsonl", *judge)
    assert least <= len(server.requests) <= most
    assert "--judge" in cli("diagnose", "traces.jsonl", "--dry-run", code=1).err


def test_the_limit_on_cost_stops_cleanly_and_a_higher_one_goes_on(
    cli: Cli, place: Place, server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = ("--judge", f"{server.url}#judge", "--concurrency", "1")
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(place.write("own.json", '{"judge": {"input": 100, "output": 100}}')))
    seen = cli("diagnose", "traces.jsonl", *judge, "--max-cost", "0.2", code=1)
    assert re.search(r"stopped: at \$0\.\d+: the next call could pass the limit of \$0\.2", seen.err)
    assert "the same command goes on" in seen.err
    paid = len(server.requests)
    assert 0 < paid < 7
    found = cli("diagnose", "traces.jsonl", *judge, "--max-cost", "50", "--by", "probe", "--json")
    assert "error" not in {verdict for verdict, _ in verdicts(found.out).values()}
    assert len(server.requests) == 7
    far = cli("diagnose", "traces.jsonl", "--judge", "https://models.invalid/v1#who", "--max-cost", "1", code=1)
    assert "prices.json" in far.err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_what_was_interrupted_goes_on_with_the_same_command(cli: Cli, place: Place, how: signal.Signals) -> None:
    yes = says('{"reason": "so it is", "witness": [], "verdict": true}')
    with ModelServer(lambda number, body: yes if number == 0 else NEVER) as server:
        command = ("diagnose", "traces.jsonl", "--judge", server.spec, "--concurrency", "1")
        child = place.start(*command)
        server.wait_for(2)
        child.kill(how)
        told = child.ended(130).err
        assert "Traceback" not in told
        assert "interrupted; what was done is kept, and the same command goes on" in told
        server.decide = lambda number, body: yes
        cli(*command)
        asked_again = [body["messages"] for body in server.bodies[2:]]
        assert server.bodies[0]["messages"] not in asked_again
        assert server.bodies[1]["messages"] in asked_again


def test_a_judge_that_fails_makes_errors_and_never_wrong_answers(cli: Cli) -> None:
    with ModelServer(lambda number, body: error(400, "I'd rather not")) as broken:
        seen = cli("diagnose", "traces.jsonl", "--judge", broken.spec, "--by", "probe", "--json", code=1)
    found = verdicts(seen.out)
    assert {found[probe][0] for probe in ("reworded", "right", "declined")} == {"error"}
    assert "probes could not be diagnosed" in seen.err
    assert "I'd rather not" in seen.err


def test_a_key_is_used_and_never_shown(cli: Cli, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(content, faults=Faults(key=KEY)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert "OPENAI_API_KEY" in cli("diagnose", "traces.jsonl", "--judge", "openai/gpt-5-mini", code=1).err
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        seen = cli("diagnose", "traces.jsonl", "--judge", "openai/gpt-5-mini?temperature=0", "--out", "found")
    assert re.search(r"model calls: 7 .* \$0\.0\d+", seen.out)
    assert KEY not in seen.out + seen.err
    assert all(KEY.encode() not in file.read_bytes() for file in (place.path / "found").iterdir())


@pytest.mark.parametrize("wrong", ["gpt-5", "openai/", "nobody/model", "offline"])
def test_a_judge_that_cannot_be_named_is_refused(cli: Cli, wrong: str) -> None:
    assert cli("diagnose", "traces.jsonl", "--judge", wrong, code=1).err.startswith("error: ")


def test_a_judge_needs_something_to_compare_answers_with(cli: Cli, place: Place, server: StubServer) -> None:
    write(place, [STORE, trace("bare", answer="No.")])
    cli("diagnose", "traces.jsonl")
    seen = cli("diagnose", "traces.jsonl", "--judge", f"{server.url}#judge", code=1)
    assert "traces.jsonl, line 2: a judge compares the answer with gold; give it, or leave the answer out" in seen.err
    assert not server.requests


def test_the_paper_s_way_shows_the_whole_store(cli: Cli, server: StubServer) -> None:
    cli("diagnose", "traces.jsonl", "--judge", f"{server.url}#judge", "--paper-exact")
    shown = [json.loads(block(seen.body)) for seen in server.requests if '"storage"' in block(seen.body)]
    assert [len(data["memories"]) for data in shown] == [2]


def test_many_small_stores_are_judged_side_by_side(cli: Cli, place: Place) -> None:
    lines = [{**trace(str(n)), "all_memories": [REWORDED, f"Ben has {n} cats."], "store": None} for n in range(12)]
    write(place, lines)
    with StubServer(content) as server:
        cli("diagnose", "traces.jsonl", "--judge", f"{server.url}#judge", "--concurrency", "8")
        assert server.peak > 1


def test_suites_lend_their_rules_by_task(cli: Cli, place: Place, server: StubServer) -> None:
    write(place, [STORE, trace("q", task="longmemeval/temporal-reasoning", gold=GOLD, answer=GOLD)])
    cli("diagnose", "traces.jsonl", "--judge", f"{server.url}#judge")
    assert "timing" in asked(server)
    assert not Path("found").exists()
