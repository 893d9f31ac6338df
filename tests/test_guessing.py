"""Lettered questions: an answer that may say that it can't tell, and how often a guess was right."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from conftest import Cli, Place
from memtriage import api
from memtriage.config import Grading, Limits
from memtriage.core.chat import Reply, Tokens
from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.verdict import ProbeVerdict, Verdict
from memtriage.diagnose.answers import AnswerGrader
from memtriage.metrics.letters import CANT_TELL, says_cant_tell
from memtriage.metrics.statistics import wilson
from memtriage.models.client import Client
from memtriage.models.scripted import StubServer, content
from memtriage.report.terminal.show import show
from memtriage.runner.answer_prompts import answer_call, read_answer
from memtriage.tables.guessing import guessing
from memtriage.validate.interventions import intervene

PROBE = Probe("p", "What follows?\nA. tea\nB. rain\nC. sleep", "rain", (), "choice", ("tea", "rain", "sleep"), "B")
SEEN = [("k0", "After the tea the rain came.")]


def letters(probe: Probe, cant_tell: bool) -> Any:
    call, _ = answer_call(probe, SEEN, cant_tell=cant_tell)
    assert call.schema is not None
    return call.schema.json["properties"]


# ------------------------------------------------------------------ asking


def test_only_a_lettered_question_may_be_answered_with_cant_tell_and_only_where_the_run_allows_it() -> None:
    assert letters(PROBE, cant_tell=False)["selected_choice"]["enum"] == ["A", "B", "C"]
    assert letters(PROBE, cant_tell=True)["selected_choice"]["enum"] == ["A", "B", "C", CANT_TELL]
    usual, allowed = (answer_call(PROBE, SEEN, cant_tell=each)[0].messages for each in (False, True))
    assert usual == answer_call(PROBE, SEEN)[0].messages
    assert CANT_TELL not in usual[0].content
    assert CANT_TELL in allowed[0].content
    assert usual[1] == allowed[1]
    free = Probe("q", "What follows?", "rain", ())
    assert answer_call(free, SEEN, cant_tell=True) == answer_call(free, SEEN)


@pytest.mark.parametrize(
    ("text", "declines"),
    [
        ('{"selected_choice": "can\'t tell"}', True),
        ("I can’t tell.", True),
        ("I cannot tell from these memories", True),
        ("Can't tell for sure, but B", False),
        ('{"selected_choice": "B"}', False),
        ("You can tell by the rain: B", False),
        ("", False),
    ],
)
def test_an_answer_says_that_it_cant_tell_only_where_it_names_no_letter(text: str, declines: bool) -> None:
    assert says_cant_tell(text, "ABC") == declines
    grade = AnswerGrader((PROBE,)).by_scoring(PROBE, text)
    assert grade is not None
    assert grade.right == ("B" in text)
    assert (CANT_TELL in grade.why) == declines


def test_cant_tell_is_kept_as_the_answer() -> None:
    reply = Reply("", Tokens(0, 0), 0.0, False, {"selected_choice": CANT_TELL, "used": []})
    text, used = read_answer(PROBE, reply, {})
    assert (json.loads(text), used) == ({"selected_choice": CANT_TELL}, ())


def test_a_run_that_allows_it_says_so_and_asks_so(place: Place, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"suite": "memfail/long-hop", "rows": 3, "k": [5], "limits": Limits(cache=tmp_path / "c")}
    with StubServer(content) as server:
        asked["answer"] = f"{server.url}#reader"
        usual = api.run("none", "oracle", out="usual", **asked)
        assert not any(CANT_TELL in str(seen.body) for seen in server.requests)
        allowed = api.run("none", "oracle", out="allowed", cant_tell=True, **asked)
    assert (Grading.of_run(usual.manifest).cant_tell, Grading.of_run(allowed.manifest).cant_tell) == (False, True)
    assert not any(CANT_TELL in str(v.answer) for v in usual.verdicts())
    declined = {v.system for v in allowed.verdicts() if CANT_TELL in str(v.answer)}
    assert declined == {"none"}  # without a memory there is nothing to tell by
    assert all(v.right for v in allowed.verdicts() if v.system == "oracle")
    assert {v.choices for v in allowed.verdicts()} == {5}


def test_re_asking_offers_what_the_run_offered(place: Place) -> None:
    async def contexts(cant_tell: bool, url: str) -> dict[str, str]:
        async with Client(f"{url}#reader") as client:
            found = await intervene(PROBE, [], SEEN, None, client, cant_tell=cant_tell)
            return {ask.context: ask.answer or "" for ask in found.asks}

    with StubServer(content) as server:
        assert CANT_TELL in asyncio.run(contexts(True, server.url))["none"]
        assert CANT_TELL not in asyncio.run(contexts(False, server.url))["none"]


def test_it_goes_with_an_answering_model_and_not_with_the_papers_chain(place: Place, cli: Cli) -> None:
    with pytest.raises(BadInput, match="--answer"):
        api.run("bm25", suite="memfail/long-hop", rows=2, cant_tell=True)
    with pytest.raises(BadInput, match="--paper-exact"):
        api.run("bm25", suite="memfail/long-hop", rows=2, answer="openai/x", cant_tell=True, paper_exact=True)
    assert "--cant-tell" in cli("run", "--help").out


def test_a_manifest_from_before_the_option_reads_as_without_it() -> None:
    record = Grading(answer="openai/x").record()
    del record["cant_tell"]
    assert Grading.of_run({"grading": record}).cant_tell is False


# ------------------------------------------------------------------ guessing


def verdict(n: int, right: bool | None, stage: Verdict = "not_retrieved", **more: Any) -> ProbeVerdict:
    known: dict[str, Any] = {"task": "memfail/long-hop", "system": "bm25", "k": 5, "choices": 5, "answer": "B", **more}
    return ProbeVerdict(
        suite="memfail", episode="e", probe=f"p{n}", depth="full", verdict=stage, question="?", gold="g", facts=(),
        right=right, cluster=f"c{n}", **known,
    )  # fmt: skip


def test_right_answers_without_evidence_are_held_against_chance() -> None:
    probes = [
        *(verdict(n, True) for n in range(4)),
        *(verdict(n, False, "not_stored") for n in range(4, 10)),
        *(verdict(n, False, "summary_error", answer=CANT_TELL) for n in range(10, 13)),
        *(verdict(n, True, "correct") for n in range(20, 30)),  # with its evidence
        verdict(30, False, "reasoning_error"),
        verdict(31, None),  # not graded
        verdict(32, True, choices=0),  # not lettered
        verdict(33, True, "uncertain"),
    ]
    [row] = guessing(probes)
    assert (row.task, row.system, row.k, row.choices) == ("memfail/long-hop", "bm25", 5, 5)
    assert (row.n, row.cant_tell, row.guessed, row.right) == (13, 3, 10, 4)
    assert (row.share, row.chance) == (0.4, 0.2)
    assert (row.low, row.high) == pytest.approx(wilson(4, 10))
    assert row.against_chance == "as chance"  # from 17 % to 69 %
    [above] = guessing([verdict(n, True) for n in range(10)])
    [below] = guessing([verdict(n, False) for n in range(40)])
    assert (above.against_chance, below.against_chance) == ("above", "below")
    [open_] = guessing([verdict(1, False, answer=CANT_TELL)])
    assert (open_.guessed, open_.share, open_.against_chance) == (0, None, "")


def test_each_number_of_choices_has_a_chance_of_its_own() -> None:
    rows = guessing([verdict(1, True, choices=2), verdict(2, False, choices=5), verdict(3, True, choices=2)])
    assert [(row.choices, row.n, row.chance) for row in rows] == [(2, 2, 0.5), (5, 1, 0.2)]


class Run:
    """Verdicts, as a run has them."""

    def __init__(self, *verdicts: ProbeVerdict) -> None:
        self.verdicts, self.stores = list(verdicts), []


def test_guessing_is_a_view_of_show(capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(*(verdict(n, n < 9) for n in range(10)), verdict(11, False, answer=CANT_TELL))
    console = Console(file=io.StringIO(), width=100, color_system=None)
    show(run, console, "guessing")
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert "bm25 5 5 11 1 9 of 10 90.0 % 59.6–98.2 20.0 % above".split() in [line.split() for line in lines]
    show(run, console, "guessing", form="json")
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["rows"][0]["right"], told["rows"][0]["chance"]) == ("memtriage.guessing/1", 9, 0.2)
    with pytest.raises(BadInput, match="lettered"):
        show(Run(verdict(1, True, choices=0)), console, "guessing")
