"""The evaluator of FactConsolidation understands what facts and questions mean, in whatever words."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memtriage.suites.memoryagentbench.fact_questions import derive
from memtriage.suites.memoryagentbench.numbered_facts import read

ROOT = Path(__file__).parents[1]
benchmark: Any = SimpleNamespace(**runpy.run_path(str(ROOT / "benchmarks" / "fact_questions.py")))

WORLD = """Here is a list of facts:
0. The name of the current head of the Norvia government is Ada Holm.
1. The name of the current head of state in Norvia is Per Lund.
2. The chief executive officer of Ostra Inc. is Ada Holm.
3. Ada Holm is a citizen of Sulland.
4. Sulland is located in the continent of Oceania.
5. Norvia is located in the continent of Africa.
6. Captain Reed was created by Per Lund.
7. Per Lund is famous for The Salt Road.
8. Per Lund was born in the city of Tamsk.
9. Tamsk is located in the continent of Asia.
10. Ada Holm is employed by Ostra Inc..
11. Ada Holm worked in the city of Ormby.
12. Ostra Inc. was founded by Per Lund.
13. Ostra Inc. was founded in the city of Belgar.
14. The Prime Minister of Sulland is Ida Rask.
15. The mascot of Ostra Inc. is Pim the Otter."""


@pytest.mark.parametrize(
    ("question", "answer", "facts"),
    [
        ("Who is the chief executive of the country Norvia?", "Ada Holm", [0]),
        ("Who is the chief executive of Ostra Inc.?", "Ada Holm", [2]),
        ("What is the continent of origin of the chief executive officer of Ostra Inc.?", "Oceania", [2, 3, 4]),
        (
            "What is the significant creation associated with the creator of Captain Reed?",
            "The Salt Road",
            [6, 7],
        ),
        ("On which continent was the head of state of Norvia born?", "Asia", [1, 8, 9]),
        ("Who does Ada Holm work for?", "Ostra Inc.", [10]),
        ("Where did Ada Holm work?", "Ormby", [11]),
        ("Where was the employer of Ada Holm founded?", "Belgar", [10, 13]),
        ("Who founded the company where Ada Holm is employed?", "Per Lund", [10, 12]),
        ("Who is the prime minister of the country of citizenship of Ada Holm?", "Ida Rask", [3, 14]),
        ("What is the mascot of the employer of Ada Holm?", "Pim the Otter", [10, 15]),
    ],
)
def test_a_question_is_read_by_what_it_means(question: str, answer: str, facts: list[int]) -> None:
    chains = derive(read(WORLD, "here"), question)
    assert {chain.answer for chain in chains} == {answer}
    assert [fact.number for fact in chains[0].facts] == facts


@pytest.mark.parametrize("question", ["How heavy is Norvia?", "Who painted the moon?", "Norvia?"])
def test_a_question_about_something_else_has_no_answer(question: str) -> None:
    assert derive(read(WORLD, "here"), question) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The author of Vesper is Ann Lee",
        "Vesper was penned by Ann Lee",
        "Ann Lee wrote Vesper",
        "Vesper's author is Ann Lee",
        "Ann Lee is the writer of Vesper",
        "The person who wrote Vesper is Ann Lee",
        "Vesper has Ann Lee as its author",
    ],
)
def test_a_fact_is_the_same_in_other_words(sentence: str) -> None:
    (fact,) = read(f"7. {sentence}.", "here").stated
    assert (fact.relation.name, fact.subject, fact.object) == ("author", "Vesper", "Ann Lee")


def test_what_a_thing_is_settles_what_a_sentence_says_of_it() -> None:
    text = """0. Ann Lee wrote Vesper.
1. Ann Lee was born in Rome.
2. The language of Vesper is Welsh.
3. The language of Ann Lee is Dutch."""
    assert [fact.relation.name for fact in read(text, "here").stated[2:]] == ["language-written", "speaks"]


def test_a_later_fact_in_other_words_replaces_an_earlier_one() -> None:
    world = read("0. The capital of Norvia is Belgar.\n1. Tamsk is the capital of Norvia.", "here")
    (chain,) = derive(world, "Which city serves as capital of Norvia?")
    assert chain.answer == "Tamsk"
    assert [old.object for old in world.outdated(chain.facts[0])] == ["Belgar"]


def test_questions_in_words_of_others_are_answered() -> None:
    """A part of the benchmark: contexts that tell and ask in wordings that the lexicon doesn't know as such."""
    asked = right = 0
    for sheet in benchmark.sheets(contexts=4, questions=60, seed=11):
        world = read(sheet.text, "a made-up context")
        asked += len(sheet.questions)
        right += sum(benchmark.answer(world, each.text) == each.gold for each in sheet.questions)
    assert asked == 240
    assert right >= 0.98 * asked
