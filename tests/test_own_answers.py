"""Systems that answer themselves: what they are asked, and what their answers count as made from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memtriage
from memtriage import Answered, Memory, Question, Session, registry
from memtriage.core.errors import BadInput, BadSystem
from memtriage.record.reader import RunReader
from memtriage.runner.check import check
from memtriage.systems.adapted import adapt
from memtriage.systems.retrieval.bm25 import BM25


class Seeker(BM25):
    """Looks for itself: finds three, answers B, and remembers what it was asked."""

    tells = True

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Question] = []
        self.searched: list[int] = []

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        self.searched.append(k)
        return super().retrieve_memories(query, conversation, k)

    def answer(self, question: Question) -> Answered:
        self.asked.append(question)
        found = super().retrieve_memories(question.text, question.session, 3)
        return Answered("B", tuple(found) if self.tells else None)


class Silent(Seeker):
    """The same, but it can't tell what it found."""

    tells = False


def run(system: Any, out: Path, **more: Any) -> memtriage.Run:
    settings: dict[str, Any] = {"suite": "memfail/long-hop", "rows": 2, "k": [1, 4], "answers": True, **more}
    return memtriage.run(system, out=out, **settings)


def retrieved(path: Path) -> dict[int, set[int]]:
    """How many memories were recorded as retrieved, by k."""
    found: dict[int, set[int]] = {}
    with RunReader(path) as reader:
        for unit in reader.units:
            for trace in reader.traces(unit):
                assert trace.answer == "B"
                found.setdefault(trace.k, set()).add(len(trace.retrieved))
    return found


def test_what_an_answer_was_made_from_is_what_was_retrieved(tmp_path: Path) -> None:
    system = Seeker()
    done = run(system, tmp_path / "a")
    assert retrieved(tmp_path / "a") == {1: {3}, 4: {3}}
    assert system.searched == []
    assert {question.k for question in system.asked} == {1, 4}
    assert all(len(question.choices) == 5 and question.choices[0] in question.text for question in system.asked)
    assert all(question.how.endswith("nothing else.") for question in system.asked)
    assert done.notices == {}
    assert {probe["depth"] for probe in done.probes} == {"full"}


def test_where_an_answer_does_not_tell_the_search_at_the_largest_k_counts_and_the_report_says_so(
    tmp_path: Path,
) -> None:
    system = Silent()
    done = run(system, tmp_path / "a")
    assert retrieved(tmp_path / "a") == {1: {4}, 4: {4}}
    assert set(system.searched) == {4}
    assert len(system.searched) == len({question.text for question in system.asked})
    (notices,) = done.notices.values()
    assert "what its search brings at k=4, the largest k of the run, counts as retrieved" in notices[0]


def test_the_form_of_an_answer_is_asked_for_apart_from_what_is_looked_up(tmp_path: Path) -> None:
    system = Seeker()
    run(system, tmp_path / "a", suite="memoryagentbench/icl", rows=1, k=1, options={"length": "6k"})
    assert system.asked
    for question in system.asked:
        assert question.instruction
        assert question.instruction not in question.text
        assert question.whole == f"{question.text}\n\n{question.instruction}"
        assert question.choices == ()


def test_an_answer_that_raises_is_an_error_of_its_question(tmp_path: Path) -> None:
    class Broken(Seeker):
        def answer(self, question: Question) -> Answered:
            raise ValueError("no model")

    done = run(Broken(), tmp_path / "a")
    assert {probe["verdict"] for probe in done.probes} == {"error"}
    assert all("ValueError: no model" in reason for reason in done.reasons)


def test_a_process_that_answers_is_run_like_any_other(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        "from memtriage_adapter import *\n"
        "class Newest:\n"
        "    def __init__(self): self.kept = []\n"
        "    def store_conversation(self, c): self.kept += [t.text for t in c.turns]\n"
        "    def retrieve_memories(self, query, conversation, k): raise ValueError('not needed')\n"
        "    def get_all_memories(self): return self.kept\n"
        "    def answer(self, question): return Answered('B', self.kept[-2:])\n"
        "serve(Newest)\n"
    )
    run(f"proc:python {adapter}", tmp_path / "a")
    assert retrieved(tmp_path / "a") == {1: {2}, 4: {2}}


@pytest.mark.parametrize(
    ("returned", "text", "memories"),
    [
        ("B", "B", None),
        (4, "4", None),
        ({"text": "B", "memories": ["one"]}, "B", ["one"]),
        (Answered("B", ()), "B", []),
    ],
)
def test_answers_come_in_several_shapes(returned: object, text: str, memories: list[str] | None) -> None:
    class Says(Seeker):
        def answer(self, question: Question) -> Any:
            return returned

    answered = adapt(Says()).answer_alone(Question("?", Session("q", ()), 1))
    assert answered.text == text
    assert (None if answered.memories is None else [memory.text for memory in answered.memories]) == memories


def test_an_answer_that_is_no_text_is_named() -> None:
    class Says(Seeker):
        def answer(self, question: Question) -> Any:
            return {"answer": "B"}

    with pytest.raises(BadSystem, match=r"Says\.answer returned nothing; return a text or a memtriage\.Answered"):
        adapt(Says()).answer_alone(Question("?", Session("q", ()), 1))


def test_a_system_without_an_answer_is_refused_before_anything_is_stored(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"'bm25' has no answer\(\)"):
        run("bm25", tmp_path / "a")


@pytest.mark.parametrize(
    ("answer", "outcome", "said"),
    [
        (lambda self, question: Answered("in the cellar", ()), "ok", "'in the cellar'; from 0 memories that it found"),
        (lambda self, question: "in the cellar", "ok", "it doesn't tell from which memories"),
        (lambda self, query, memories: memories[0].text, "ok", "from the 5 memories it was handed"),
        (lambda self, question: " ", "warning", "with an empty text"),
        (lambda self, question: 1 / 0, "problem", "answer raised ZeroDivisionError"),
    ],
)
def test_check_tries_the_answer(answer: Callable[..., Any], outcome: str, said: str) -> None:
    kind = type("Answers", (BM25,), {"answer": answer})
    (seen,) = [each for each in check(registry.SystemSpec("x", kind), 6) if each.what == "answers"]
    assert seen.outcome == outcome
    assert said in seen.seen


def test_the_adapter_file_and_memtriage_word_a_question_alike() -> None:
    from memtriage.systems.remote.side import memtriage_adapter as side

    for when in (None, "2026-03-02"):
        for choices in ((), ("a", "b")):
            for instruction in ("", "Be brief."):
                ours = Question("Where?", Session("q", (), when), 5, choices, instruction)
                theirs = side.Question("Where?", side.Session("q", [], when), 5, choices, instruction)
                assert (ours.how, ours.whole) == (theirs.how, theirs.whole)
