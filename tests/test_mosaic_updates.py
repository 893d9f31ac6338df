"""Everyday updates: what mosaic links, what it leaves alone, and the pairs on which that is measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.mosaic import MosaicMemory
from memtriage.systems.designs.mosaic.updates import overtakes, reading

PAIRS = Path(__file__).parents[1] / "benchmarks" / "updates"


def pairs(half: str, kind: str) -> list[tuple[str, str, str]]:
    lines = (PAIRS / f"{half}.txt").read_text(encoding="utf-8").splitlines()
    found = [line.split(" | ") for line in lines]
    return [(before, after, question) for each, before, after, question in found if each == kind]


def told(before: str, after: str) -> MosaicMemory:
    memory = MosaicMemory()
    memory.add(before, id="before")
    memory.add("The soup I cooked on Sunday was too salty.", id="soup")
    memory.add(after, id="after")
    return memory


@pytest.mark.parametrize(
    ("before", "after", "question"),
    [
        ("My dentist is Dr Abel.", "My dentist is now Dr Cole.", "Who is my dentist?"),
        ("My phone number is 123.", "My phone number is 456 now.", "What is my phone number?"),
        ("I live in Berlin.", "I moved to Lisbon.", "Where do I live?"),
        ("I am vegetarian.", "I am no longer vegetarian.", "Am I vegetarian?"),
        ("My favourite colour is blue.", "My favourite colour is green these days.", "What is my favourite colour?"),
        ("We have two cats.", "We have three cats now.", "How many cats do we have?"),
        ("I smoke about ten cigarettes a day.", "I quit smoking.", "Do I smoke?"),
        ("My rent is 900 euros.", "They raised my rent to 1,050 euros.", "How much is my rent?"),
        ("I take the bus to work.", "I cycle to work now instead of taking the bus.", "How do I get to work?"),
        ("My shoe size is 42.", "Correction: my shoe size is 43.", "What is my shoe size?"),
        ("My boss is Marta.", "Farid is our new boss.", "Who is my boss?"),
        ("I listen mostly to jazz.", "I used to listen mostly to jazz, now it's techno.", "What do I listen to?"),
    ],
)
def test_a_plain_update_comes_first_and_marks_what_it_overtook(before: str, after: str, question: str) -> None:
    memory = told(before, after)
    assert [(event.kind, event.entry.id) for event in memory.history("before")] == [("replaced", "after")]
    hits = memory.search(question, k=3)
    assert hits[0].entry.id == "after"
    assert {hit.entry.id: hit.voided_by for hit in hits} == {"after": None, "before": "after", "soup": None}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("My dentist is Dr Abel.", "My daughter's dentist is now Dr Cole."),
        ("I like hiking.", "I also like swimming now."),
        ("I live in Lyon.", "I'm going to move to Nice in the spring."),
        ("I live in Lyon.", "Should I move to Nice?"),
        ("I drive a Volvo.", "If I won the lottery I would drive a Porsche now."),
        ("I am vegetarian.", "My flatmate is no longer vegetarian."),
        ("My car is a Volvo.", "My car is ten years old now."),
        ("I work as a nurse.", "I used to work as a waiter."),
        ("I have four employees.", "I have two new customers now."),
        ("I play tennis with Ben.", "I play chess with Olga now."),
    ],
)
def test_what_is_no_update_overtakes_nothing(before: str, after: str) -> None:
    memory = told(before, after)
    assert memory.history("before") == []
    assert all(hit.voided_by is None for hit in memory.search(before, k=3))


def test_an_update_of_an_update_overtakes_the_latest_and_forgetting_it_brings_that_back() -> None:
    memory = MosaicMemory()
    for n, text in enumerate(("I live in Berlin.", "I live in Lyon now.", "I moved to Lisbon.")):
        memory.add(text, id=f"t{n}")
    assert [event.entry.id for event in memory.history("t0")] == ["t1"]
    assert [event.entry.id for event in memory.history("t1")] == ["t2"]
    assert memory.search("Where do I live?", k=1)[0].entry.id == "t2"
    memory.forget("t2")
    assert memory.history("t1") == []
    assert memory.search("Where do I live?", k=1)[0].entry.id == "t1"


def test_a_file_that_is_opened_again_links_what_comes_to_what_was_there(tmp_path: Path) -> None:
    with MosaicMemory.open(tmp_path / "me.mosaic") as memory:
        memory.add("I get up at six.", id="six")
        with memory.batch():
            memory.add_all([])
            for n in range(600):  # enough for parts to be written
                memory.add(f"Shelf {n} in the shed holds tins of grey paint.")
    with MosaicMemory.open(tmp_path / "me.mosaic") as memory:
        memory.add("I get up at seven these days.", id="seven")
        assert [event.entry.id for event in memory.history("six")] == ["seven"]
        memory.forget("seven")
        assert memory.history("six") == []


@pytest.mark.parametrize(("half", "least"), [("seen", 0.85), ("unseen", 0.75)])
def test_most_everyday_updates_are_linked_and_hardly_anything_else(half: str, least: float) -> None:
    """The figures of benchmarks/mosaic_updates.py, without the turns around."""

    def linked(kind: str) -> list[bool]:
        return [overtakes(reading(after), reading(before)) > 0 for before, after, _ in pairs(half, kind)]

    updates, others = linked("update"), linked("other")
    assert len(updates) >= 60
    assert len(others) >= 30
    assert sum(updates) >= least * len(updates)
    assert sum(others) <= 0.03 * len(others)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read_and_overtakes_nothing_it_has_nothing_in_common_with(one: str, other: str) -> None:
    overtakes(reading(one), reading(other))
    if not set(one.lower().split()) & set(other.lower().split()):
        assert overtakes(reading(f"My x{one}"), reading("I keep bees.")) == 0.0
