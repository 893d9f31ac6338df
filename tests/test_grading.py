"""The full depth from Python, over real HTTP: answers, judges, what they cost, and what survives faults and kills."""

from __future__ import annotations

import io
import json
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from conftest import Place
from memtriage import api
from memtriage.config import Limits, Repeats
from memtriage.core.errors import BadInput, MemtriageError
from memtriage.models.scripted import KINDS, Faults, Recorded, Reply, Request, Script, StubServer, content
from memtriage.record.seal import write_seal
from memtriage.record.verdicts import write_verdicts
from memtriage.report.html.page import about_run
from memtriage.report.terminal import commands
from memtriage.tables.variance import spreads

REWORDS = '''
from mems import Keeps
from memtriage import Memory


class Rewords(Keeps):
    """Keeps in its own words, drops every seventh turn and the place of every fifth."""

    def __init__(self):
        self.kept, self.seen = [], 0

    def store_conversation(self, conversation):
        for turn in conversation.turns:
            self.seen += 1
            words = turn.text.rstrip(".").split()
            owner, thing, place = words[0], words[3], words[6]
            where = "somewhere" if self.seen % 5 == 0 else f"to be found in the {place}"
            if self.seen % 7:
                self.kept.append(Memory(turn.id, f"{where}: the {thing} which {owner} keeps"))
'''

SYSTEM = "words.py:Rewords"


@pytest.fixture
def place(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The fresh folder with a memory that rewords, a cache of its own, and no key or price from outside."""
    place.write("words.py", REWORDS)
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    for name in ("MEMTRIAGE_API_KEY", "MEMTRIAGE_PRICES", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(content) as found:
        yield found


def graded(server: StubServer, out: str, **wanted: Any) -> api.Run:
    """A small run at full depth; the rewording memory leaves something to judge at every stage."""
    models = {"answer": f"{server.url}#reader", "judge": f"{server.url}#judge"}
    asked: dict[str, Any] = {"suite": "tiny/end", "k": [3], "rows": 24, **models, **wanted}
    return api.run(*asked.pop("systems", (SYSTEM,)), out=out, **asked)


def verdicts(run: api.Run) -> list[dict[str, Any]]:
    """All that a run found, without what a clock says."""
    return [{**asdict(v), "seconds": None} for v in run.verdicts()]


def of_model(name: str) -> Any:
    def asked(seen: Recorded) -> bool:
        return bool(seen.body["model"] == name)

    return asked


def stages(run: api.Run) -> dict[str, int]:
    assert run.cost is not None
    return {f"{r}/{s}": account["calls"] for r, stages in run.cost["roles"].items() for s, account in stages.items()}


# ---------------------------------------------------------------------- answering and judging


def test_a_full_run_asks_every_stage_and_a_second_one_asks_nothing(place: Place, server: StubServer) -> None:
    first = graded(server, "first")
    asked = server.count()
    assert {v.depth for v in first.verdicts()} == {"full"}
    assert first.stopped is None
    assert first.errors == 0
    found = Counter(v.verdict for v in first.verdicts())
    assert found["not_stored"] == 3
    assert found["summary_error"] == 4
    assert found["uncertain"] == 0
    assert stages(first)["answer/answer"] == server.count(of_model("reader")) == 24
    assert {"judge/storage", "judge/summary"} <= stages(first).keys()
    assert sum(stages(first).values()) == asked
    assert first.cost is not None
    assert first.cost["total"]["input_tokens"] > 1000
    assert [row["n"] for row in first.table()] == [24]

    second = graded(server, "second")
    assert server.count() == asked
    assert verdicts(second) == verdicts(first)
    assert sum(stages(second).values()) == 0
    assert second.cost is not None
    assert second.cost["total"]["dollars"] == 0
    assert about_run(second.manifest, ()).depth == "full"
    assert "everything a probe needs was retrieved and the answer was right." in second.report().read_text()


def test_verdicts_by_differently_worded_prompts_are_not_compared_in_silence(place: Place, server: StubServer) -> None:
    def printed(a: api.Run, b: api.Run) -> str:
        console = Console(file=io.StringIO(), width=300, color_system=None)
        commands.compare(api.compare(a, b), 5, False, console)
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    first, second = graded(server, "first", rows=6), graded(server, "second", rows=6)
    assert all(v.prompts for v in first.verdicts())
    assert "different words" not in printed(first, second)
    write_verdicts(second.path, [replace(v, prompts="") for v in first.verdicts()], [])  # from before it was recorded
    write_seal(second.path, {})
    assert "asked in different words (tiny/end)" in printed(first, api.load("second"))
    plain = api.run(SYSTEM, suite="tiny/end", k=[3], rows=6, out="plain")
    assert not any(v.prompts for v in plain.verdicts())


def test_without_the_cache_everything_is_asked_again(place: Place, server: StubServer) -> None:
    first = graded(server, "first", rows=6)
    asked = server.count()
    second = graded(server, "second", rows=6, limits=Limits(use_cache=False))
    assert server.count() == 2 * asked
    assert verdicts(second) == verdicts(first)


@pytest.mark.parametrize("task", ["long-hop", "coexisting", "persona", "conditional-easy", "conditional-hard"])
def test_every_task_goes_through_at_full_depth(place: Place, server: StubServer, task: str) -> None:
    run = graded(server, "run", systems=("bm25", "oracle"), suite=f"memfail/{task}", rows=8, k=[5])
    found = list(run.verdicts())
    assert {v.depth for v in found} == {"full"}
    assert not {"error", "uncertain"} & {v.verdict for v in found}
    assert {v.answered_by for v in found} == {f"{server.url}#reader"}
    assert {v.judged_by for v in found} == {f"{server.url}#judge"}
    assert all(v.answer for v in found)
    paid = stages(run)
    if task == "long-hop":  # a letter needs no judge
        assert not server.count(of_model("judge"))
    else:
        assert sum(paid.values()) == server.count(ok=True)


def test_with_an_answer_or_a_judge_alone_the_depth_stays_memory(place: Place, server: StubServer) -> None:
    answered = graded(server, "answered", judge=None)
    assert {v.depth for v in answered.verdicts()} == {"memory"}, "nobody could grade the answers"
    assert all(v.answer for v in answered.verdicts())
    assert not server.count(of_model("judge"))

    judged = graded(server, "judged", answer=None)
    assert {v.depth for v in judged.verdicts()} == {"memory"}
    assert {v.verdict for v in judged.verdicts()} >= {"not_stored", "summary_error", "correct"}
    assert not any(v.answer for v in judged.verdicts())
    assert server.count(of_model("reader")) == 24


# ---------------------------------------------------------------------- kills and faults


QUIETLY = ("--concurrency", "4", "-q", "--no-report")
MANY = 96
"""Rows that take 67 calls, more than `killed` lets through where every answer on its way was still taken in."""


def killed(place: Place, server: StubServer, answers: list[int], script: Script = content) -> Iterator[None]:
    """A run that is killed and resumed, time and again: each time after so many answers, with more questions open."""
    assert sum(answers) < 60, "too few questions would be left for the last kill"
    models = ("--answer", f"{server.url}#reader", "--judge", f"{server.url}#judge")
    whole = ("run", "--suite", "tiny/end", "--rows", f"{MANY}", "--k", "3", "--system", SYSTEM, *models, "--out", "run")
    left = 0

    def answer(request: Request) -> Any:
        nonlocal left
        left -= 1
        if left <= 0:
            server.faults = Faults().first(10**6, ["timeout"])  # from now on nobody is answered
        return script(request)

    server.script = answer
    for number, allowed in enumerate(answers):
        left, sent, server.faults = allowed, server.count(), Faults()
        child = place.start(*(("resume", "run") if number else whole), *QUIETLY)
        while not server.wait_for(sent + allowed + 1, timeout=1):
            assert child.running, "it was finished before it could be killed"
        child.kill()
        assert child.ended().code == -9
        yield
    server.faults, server.script = Faults(), script


def test_killed_twenty_times_it_ends_the_same(place: Place, server: StubServer) -> None:
    undisturbed = graded(server, "calm", rows=MANY, limits=Limits(cache=place.path / "calm.db"))
    before = server.count()
    rng = random.Random(7)
    for _ in killed(place, server, [rng.randint(1, 4) for _ in range(20)]):
        pass
    place.cli("resume", "run", *QUIETLY)
    assert verdicts(api.load("run")) == verdicts(undisturbed)
    bodies = Counter(json.dumps(seen.body, sort_keys=True) for seen in server.requests[before:] if seen.ok)
    assert len(bodies) == before


def test_killed_twenty_times_against_a_server_that_remembers_nothing_is_paid_twice(place: Place) -> None:
    """An answer that was on its way in the moment of a kill is sent again by its Idempotency-Key."""
    with StubServer(content) as server:
        undisturbed = verdicts(graded(server, "calm", rows=MANY, limits=Limits(cache=place.path / "calm.db")))
        paid, port = server.count(ok=True), server.port
    rng = random.Random(23)
    with StubServer(content, port=port, idempotent=True) as server:
        for _ in killed(place, server, [rng.randint(1, 4) for _ in range(20)]):
            pass
        place.cli("resume", "run", *QUIETLY)
        assert verdicts(api.load("run")) == undisturbed
        assert server.count(ok=True) == paid


def test_an_answer_that_was_taken_in_is_never_asked_for_again(place: Place) -> None:
    """Every reply carries a mark of its own, so that the cache tells after a kill which ones had been taken in."""
    asked: dict[str, str] = {}

    def marked(request: Request) -> Any:
        reply = content(request)
        mark = f"mark{len(asked):06}"
        asked[mark] = json.dumps(request.body, sort_keys=True)
        if not isinstance(reply, Mapping):
            return replace(reply, text=f"{reply.text} {mark}")
        results = [{**one, "reason": f"{one['reason']} {mark}"} for one in reply.get("results", ())]
        said = {key: f"{reply[key]} {mark}" for key in ("answer", "reason") if key in reply}
        return {**reply, **said, **({"results": results} if results else {})}

    rng = random.Random(11)
    with StubServer(content) as server:
        taken: set[str] = set()
        sent = 0
        for _ in killed(place, server, [rng.randint(4, 7) for _ in range(8)], marked):
            again = {json.dumps(one.body, sort_keys=True) for one in server.requests[sent:]} & taken
            assert not again
            sent = server.count()
            with closing(sqlite3.connect(place.path / "cache.db")) as cache:
                taken = {asked[mark] for mark in re.findall(r"mark[0-9]{6}", "\n".join(cache.iterdump()))}
        assert taken


def test_three_faults_in_ten_change_nothing(place: Place, server: StubServer) -> None:
    calm = graded(server, "calm", rows=60, limits=Limits(cache=place.path / "calm.db"))
    calls = server.count()
    kinds = [kind for kind in KINDS if kind != "timeout"]  # that one is a matter of the clock
    server.faults = Faults(retry_after=0.02).rate(0.3, seed=3, kinds=kinds, at_most=3)
    rough = graded(server, "rough", rows=60)
    assert verdicts(rough) == verdicts(calm)
    assert {seen.fault for seen in server.requests[calls:] if seen.fault} == set(kinds)
    assert rough.cost is not None
    assert rough.cost["total"]["retries"] >= 0.2 * calls
    assert rough.cost["total"]["calls"] == calls
    assert rough.cost["total"]["errors"] == {}


def test_only_errors_are_asked_again(place: Place) -> None:
    def picky(request: Any) -> Any:
        refused = "keep the violin" in request.last_user and request.body["model"] == "reader"
        return Reply("", refusal="No.") if refused else content(request)

    with StubServer(picky) as server:
        run = graded(server, "picky", rows=12)
        failed = [v for v in run.verdicts() if v.verdict == "error"]
        assert len(failed) == run.errors >= 2
        assert {v.depth for v in failed} == {"full"}
        assert all("refusal" in (v.error or "") for v in failed)
        assert run.table()[0]["n"] == 12
        assert run.table()[0]["error"] == len(failed)
        sound = {v.probe: v.verdict for v in run.verdicts() if v.verdict != "error"}

        asked = server.count(of_model("reader"))
        server.script = content
        again = api.resume("picky")
        assert again.errors == 0
        assert server.count(of_model("reader")) - asked == len(failed)
        assert {v.probe: v.verdict for v in again.verdicts() if v.probe in sound} == sound


# ---------------------------------------------------------------------- another judge


def test_another_judge_grades_and_nothing_else_is_asked(place: Place, server: StubServer) -> None:
    first = graded(server, "run")
    answers = server.count(of_model("reader"))
    again = api.judge("run", f"{server.url}#other")
    assert server.count(of_model("reader")) == answers
    assert server.count(of_model("other")) == server.count(of_model("judge")) > 0
    assert {v.judged_by for v in again.verdicts()} == {f"{server.url}#other"}
    assert {v.answered_by for v in again.verdicts()} == {f"{server.url}#reader"}
    assert [v.verdict for v in again.verdicts()] == [v["verdict"] for v in verdicts(first)]

    exact = api.judge("run", f"{server.url}#third", paper_exact=True)
    assert server.count(of_model("third")) > server.count(of_model("other"))
    assert server.count(of_model("reader")) == answers
    assert exact.cost is not None
    assert again.cost is not None
    assert exact.errors == 0


def test_a_run_without_models_gets_its_answers_later(place: Place, server: StubServer) -> None:
    at_once = graded(server, "at-once")
    reader, judge = (f"{server.url}#{name}" for name in ("reader", "judge"))
    graded(server, "later", answer="", judge="")
    later = api.judge("later", judge, answer=reader)
    told = [[(v.probe, v.system, v.verdict, v.answer, v.depth) for v in run.verdicts()] for run in (at_once, later)]
    assert told[0] == told[1]
    assert {v.answered_by for v in later.verdicts()} == {reader}
    asked = server.count(of_model("reader"))
    api.judge("later", f"{server.url}#other")
    assert server.count(of_model("reader")) == asked, "answered once"


def test_the_papers_way_finds_the_same_and_costs_more(place: Place, server: StubServer) -> None:
    ours = graded(server, "ours", systems=("mems.py:Keeps",), k=[1, 3])
    theirs = graded(server, "theirs", systems=("mems.py:Keeps",), k=[1, 3], paper_exact=True)
    right = [[v.verdict == "correct" for v in run.verdicts()] for run in (ours, theirs)]
    assert right[0] == right[1]
    assert any(right[0])
    spent = [run.cost["roles"]["judge"] for run in (ours, theirs) if run.cost]
    ours_in, theirs_in = (sum(account["input_tokens"] for account in role.values()) for role in spent)
    assert theirs_in > 3 * ours_in


# ---------------------------------------------------------------------- repeats


def test_repeated_answers_are_asked_apart_and_pooled(place: Place, server: StubServer) -> None:
    run = graded(server, "run", rows=8, repeats=2)
    assert server.count(of_model("reader")) == 16
    found = list(run.verdicts())
    assert Counter(v.repeat for v in found) == {0: 8, 1: 8}
    assert [row["n"] for row in run.table()] == [16]
    [spread] = spreads(found)
    assert spread.repeats == 2
    assert spread.answer_sd == 0
    assert spread.ingest_sd is None
    assert spread.judge_sd is None


def test_storing_answering_and_judging_repeat_on_their_own(place: Place, server: StubServer) -> None:
    flips = Counter[str]()

    def fickle(request: Any) -> Any:
        """A judge that changes its mind about an answer whenever it is asked again."""
        if request.body["model"] == "judge" and '"answer"' in request.last_user:
            flips[request.last_user] += 1
            return {"verdict": flips[request.last_user] % 2 == 1, "witness": [], "reason": "a mood"}
        return content(request)

    server.script = fickle
    run = graded(server, "run", rows=6, repeats="ingest=2,answer=2,judge=2", systems=("mems.py:Keeps",))
    found = list(run.verdicts())
    assert Counter((v.ingest_repeat, v.repeat, v.judge_repeat) for v in found) == {
        (i, a, j): 6 for i in (0, 1) for a in (0, 1) for j in (0, 1)
    }
    assert {v.system for v in found} == {"mems.py:Keeps"}
    [spread] = spreads(found)
    assert spread.repeats == 8
    assert spread.judge_sd
    assert spread.judge_sd > 0.5
    assert spread.ingest_sd == 0
    asked = server.count()
    again = api.resume("run")
    assert server.count() == asked
    assert verdicts(again) == [{**asdict(v), "seconds": None} for v in found]


@pytest.mark.parametrize("text", ["0", "x", "ingest=0", "answer=2,answers=3", "", "-1", "judge=two"])
def test_unreadable_repeats_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--repeats"):
        Repeats.parse(text)


# ---------------------------------------------------------------------- budgets


def test_an_unknown_price_is_refused_before_anything_is_done(place: Place, server: StubServer) -> None:
    with pytest.raises(MemtriageError, match=r"price of .* is unknown"):
        graded(server, "run", answer="https://models.invalid/v1#who", limits=Limits(max_cost=Decimal(1)))
    assert not Path("run").exists()
    assert not server.count()


def test_a_missing_key_is_reported_before_anything_is_done(place: Place, server: StubServer) -> None:
    with pytest.raises(MemtriageError, match="OPENAI_API_KEY"):
        graded(server, "run", judge="openai/gpt-5-mini")
    assert not Path("run").exists()
    assert not server.count()


def test_at_the_limit_it_stops_and_with_a_higher_one_it_finishes(
    place: Place, server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = {"reader": {"input": 100, "output": 100}, "judge": {"input": 100, "output": 100}}
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(place.write("own.json", json.dumps(prices))))
    limit = Decimal("0.50")
    first = graded(server, "run", limits=Limits(max_cost=limit, concurrency=4))
    assert first.stopped is not None
    assert "limit of $0.5" in first.stopped
    assert first.cost is not None
    assert 0 < first.cost["total"]["dollars"] <= limit
    paid = server.count(ok=True)
    assert 0 < paid < 24

    second = api.resume("run", limits=Limits(max_cost=Decimal(100)))
    assert second.stopped is None
    assert second.errors == 0
    bodies = Counter(json.dumps(seen.body, sort_keys=True) for seen in server.requests)
    assert set(bodies.values()) == {1}, "what was paid for is not asked again"
    whole = graded(server, "whole")
    assert verdicts(second) == verdicts(whole)


def test_bad_replies_are_paid_for_within_the_limit(
    place: Place, server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reply that has to be asked for again costs as much as a good one."""
    prices = {"reader": {"input": 100, "output": 100}, "judge": {"input": 100, "output": 100}}
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(place.write("own.json", json.dumps(prices))))
    server.faults = Faults().rate(1.0, 0, ["empty"])
    limit = Decimal("0.60")
    run = graded(server, "run", limits=Limits(max_cost=limit, concurrency=8))
    assert run.cost is not None
    assert 0 < run.cost["total"]["dollars"] <= limit
    assert run.stopped is not None


def test_too_many_errors_stop_it_and_it_can_go_on(place: Place, server: StubServer) -> None:
    server.faults = Faults().rate(1.0, 0, ["refusal"])
    first = graded(server, "run", limits=Limits(max_errors=3, concurrency=2))
    assert first.stopped is not None
    assert "3 failed calls" in first.stopped
    assert server.count() < 40
    server.faults = Faults()
    assert api.resume("run").errors == 0


# ---------------------------------------------------------------------- estimates


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_estimate_asks_nothing_and_counts_what_the_run_asks(place: Place, server: StubServer, repeats: int) -> None:
    models = {"answer": f"{server.url}#reader", "judge": f"{server.url}#judge"}
    asked: dict[str, Any] = {"suite": "tiny/end", "k": [3], "rows": 12, **models, "repeats": repeats}
    estimate = api.dry_run(SYSTEM, **asked)
    assert not server.count()
    assert not (place.path / "runs").exists()
    run = api.run(SYSTEM, out="run", **asked)
    told = {f"{stage.role}/{stage.stage}": (stage.low.calls, stage.high.calls) for stage in estimate.stages}
    paid = stages(run)
    assert told["answer/answer"] == (12 * repeats, 12 * repeats) == (paid["answer/answer"],) * 2
    judged = sum(calls for stage, calls in paid.items() if stage.startswith("judge"))
    low, high = (sum(calls[n] for stage, calls in told.items() if stage.startswith("judge")) for n in (0, 1))
    assert low <= judged <= high
    after = api.dry_run(SYSTEM, **asked)
    assert all(stage.low.calls == 0 for stage in after.stages if stage.role == "answer")


# ---------------------------------------------------------------------- how a model is named


def test_a_timeout_is_kept_and_a_password_is_not(place: Place, server: StubServer) -> None:
    """The run itself uses both; a manifest holds only what may be shown."""
    url = server.url.replace("://", "://someone:s3cret-word@")
    run = graded(server, "run", rows=4, answer=f"{url}#reader", judge=f"{server.url}#judge?temperature=0&timeout=7.5")
    assert run.errors == 0
    assert run.manifest["grading"]["judge"] == f"{server.url}#judge?temperature=0&timeout=7.5"
    assert {v.judged_by for v in run.verdicts()} == {f"{server.url}#judge?temperature=0"}
    held = b"".join(file.read_bytes() for file in place.path.rglob("*") if file.is_file())
    assert b"s3cret-word" not in held
    with pytest.raises(BadInput, match="is not kept on disk"):
        api.resume("run")
