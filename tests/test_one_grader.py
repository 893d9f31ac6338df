"""One answer, one grade: a run, a graded run, an intervention, a leak check and imported traces all say the same."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from memtriage.core.chat import Call, Reply, Tokens
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.trace import Answer, History, Ingest, Retrieved, Snapshot, Trace
from memtriage.diagnose.answers import AnswerGrader
from memtriage.diagnose.imported_traces import diagnose_file
from memtriage.diagnose.memory_index import MemorySet
from memtriage.diagnose.store import diagnose, judge_store
from memtriage.validate.interventions import intervene
from memtriage.validate.leaks import LeakProbe, graded_by_words

SAID = "Mara keeps her skis at the ferry house."
FACT = Fact("f", SAID, ("t",), ("the ferry house",))
EIGHT = Probe(
    "eight", "Where are the skis?", "the ferry house", (("f",),), "choice", tuple("abcdefgh"), "G", task="x/letters"
)
FILMS = ("The Owl", "Tin Harbour", "The Long Rope", "Owls of Glass")
LISTS = Probe("lists", "Which films are there?", "", (), "titles", FILMS, golds=FILMS, task="x/films")
TITLES = Probe("films", "Which films?", "The Owl", (("f",),), "titles", golds=("The Owl",), task="x/films")
"""Only `LISTS` says which titles exist: "Owl" is nearest to "The Owl", though too far from it to be the same."""
HOLDS = Probe("holds", "Where are they?", "the ferry house", (("f",),), "contains", task="x/holds")


def episode(probe: Probe) -> Episode:
    return Episode("e", "x/y", (Session("s", (Turn("user", SAID, "t"),)),), (FACT,), (probe, LISTS))


class Says:
    """A model that always gives the same answer."""

    name = "says"

    def __init__(self, answer: str) -> None:
        self.answer = answer

    async def ask(self, call: Call) -> Reply:
        key = "selected_choice" if call.schema and call.schema.name == "choice" else "answer"
        return Reply(self.answer, Tokens(1, 1), 0.0, False, {key: self.answer, "used": []})


def grades(probe: Probe, answer: str) -> dict[str, bool | None]:
    """What every place that grades answers makes of one."""
    told = episode(probe)
    history = History(Ingest(1, 0.0, 1), (Snapshot("end", "s", None, ("m",)),))
    trace = Trace(probe.id, 1, "end", (Retrieved("m", 1),))
    given = [Answer(probe.id, 1, "says", text=answer)]

    def texts(keys: object) -> dict[str, str]:
        return {"m": SAID}

    async def judged() -> bool | None:
        stream = judge_store(told, history, [trace], given, texts, "x", "it", None, "says")
        [verdict] = [verdict async for verdict in stream]
        return verdict.right

    [own] = diagnose(told, history, [replace(trace, answer=answer)], texts, "x", "it")
    again = asyncio.run(
        intervene(probe, [FACT], [("m", SAID)], MemorySet.of({"m": SAID}), Says(answer), by_rule=AnswerGrader.of(told))
    )
    asked = LeakProbe("x/y", "e", probe.id, probe.text, probe.gold, len(probe.choices), answer=answer)
    [leak], _ = graded_by_words([(told, probe, asked)])
    alone = AnswerGrader.of(told).by_rule(probe, answer)
    return {
        "run": own.right,
        "graded run": asyncio.run(judged()),
        "explain": again.ask("retrieved").right,
        "leaks": leak.right,
        "grader": None if alone is None else alone.right,
    }


@pytest.mark.parametrize(
    ("probe", "answer", "right"),
    [
        (EIGHT, "G", True),
        (EIGHT, "It must be G.", True),
        (EIGHT, "H", False),
        (EIGHT, "B", False),
        (TITLES, "1. Owl", True),
        (TITLES, "1. Owl\n2. Tin Harbour", True),
        (TITLES, "1. The Long Rope", False),
        (HOLDS, "In the ferry house, I think.", True),
        (HOLDS, "In the attic.", False),
    ],
)
def test_an_answer_gets_the_same_grade_everywhere(probe: Probe, answer: str, right: bool) -> None:
    assert set(grades(probe, answer).values()) == {right}


@pytest.mark.parametrize(("answer", "right"), [("G", True), ("H", False), ("A", False)])
def test_traces_of_others_may_have_more_letters_than_five(tmp_path: Path, answer: str, right: bool) -> None:
    line = {
        "system": "it", "probe": "p", "question": "Where are the skis?", "gold": "the ferry house",
        "facts": [{"text": SAID}], "all_memories": [SAID], "retrieved": [SAID],
        "choices": list("abcdefgh"), "correct_choice": "G", "answer": answer,
    }  # fmt: skip
    file = tmp_path / "traces.jsonl"
    file.write_text(json.dumps(line) + "\n")
    [verdict] = diagnose_file(file).verdicts
    assert verdict.right is right
    assert verdict.verdict == ("correct" if right else "reasoning_error")
