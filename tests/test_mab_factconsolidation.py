"""FactConsolidation: what the numbered facts say, which of them hold, and what follows."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conftest import shared_data
from memtriage.core.errors import BadInput
from memtriage.suites.memoryagentbench.context import Context
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.fact_contexts import released_context
from memtriage.suites.memoryagentbench.fact_questions import derive
from memtriage.suites.memoryagentbench.generate.factconsolidation import contexts
from memtriage.suites.memoryagentbench.numbered_facts import read
from memtriage.text.tokens import count_tokens


def generate(length: int, seed: int, hops: str, rows: int = 40) -> Context:
    return next(contexts(length, rows, seed, {}, f"factconsolidation-{hops}"))  # type: ignore[arg-type]


WORLD = """Here are some facts:
0. The capital of Norvia is Belgar.
1. Ana Ott is married to Bo Reck.
2. Bo Reck is a citizen of Norvia.
3. The capital of Norvia is Tamsk.
4. Ana Ott is married to Cy Dunn.
5. Cy Dunn is a citizen of Sulland.
6. The capital of Sulland is Ormby."""


@pytest.mark.parametrize(
    ("question", "answer", "lines"),
    [
        ("What is the capital of Norvia?", "Tamsk", [3]),
        ("Who is the spouse of Ana Ott?", "Cy Dunn", [4]),
        ("Of which state is the husband of Ana Ott a citizen?", "Sulland", [4, 5]),
        ("What is the capital of the state of citizenship of the spouse of Ana Ott?", "Ormby", [4, 5, 6]),
        ("What is the capital of the state of citizenship of Bo Reck?", "Tamsk", [2, 3]),
    ],
)
def test_what_follows_from_the_newest_facts(question: str, answer: str, lines: list[int]) -> None:
    (chain,) = derive(read(WORLD, "here"), question)
    assert chain.answer == answer
    assert [fact.number for fact in chain.facts] == lines


def test_what_was_replaced_is_outdated_until_its_successor_comes_back() -> None:
    context = released_context(
        "c", "factconsolidation-sh", "mine", WORLD, [("q", "What is the capital of Norvia?", ("Tamsk",))], {}
    )
    (query,) = context.queries
    assert query.needed == (("fact/3",),)
    assert query.outdated == (("fact/0", ("fact/3",)),)
    (probe,) = episode(context, chunk=64).probes
    assert probe.outdated[0].fact == "fact/0"
    assert probe.scoring == "contains"
    assert probe.max_tokens == 10


def test_a_gold_answer_that_does_not_follow_is_disputed_and_still_asked() -> None:
    asked = [("q", "What is the capital of Norvia?", ("Belgar",)), ("r", "How tall is the moon?", ("very",))]
    context = released_context("c", "factconsolidation-sh", "mine", WORLD, asked, {})
    assert [query.tags.get("gold") for query in context.queries] == ["disputed", "underivable"]


def test_a_context_without_serial_numbers_is_refused_with_its_source() -> None:
    with pytest.raises(BadInput, match=r"my file.*serial number"):
        read("The capital of Norvia is Belgar.\nBo Reck is a citizen of Norvia.", "my file")
    with pytest.raises(BadInput, match=r"my file.*can't be read.*0\. It rains\."):
        read("0. It rains.", "my file")


@settings(max_examples=25, deadline=None)
@example(seed=3514, hops="sh", length=3_000)  # a world that runs out of facts
@given(seed=st.integers(0, 10_000), hops=st.sampled_from(["sh", "mh"]), length=st.sampled_from([3_000, 6_000, 20_000]))
def test_gold_follows_the_newest_fact_of_every_hop(seed: int, hops: str, length: int) -> None:
    """Worked out again from the lines alone: last line wins, each fact's object is the next one's subject."""
    context = generate(length, seed, hops)
    lines = dict(re.findall(r"^(\d+)\. (.*)\.$", context.text, re.MULTILINE))
    order = list(map(int, lines))
    assert order == sorted(order)
    assert abs(count_tokens(context.text) - length) <= 0.03 * length
    by_id = {passage.id: passage for passage in context.passages}
    for query in context.queries:
        (needed,) = query.needed
        assert len(needed) == 1 if hops == "sh" else 2 <= len(needed) <= 4
        sentences = [by_id[id].text.partition(". ")[2] for id in needed]
        subject = next(name for name in by_id[needed[0]].details if name in query.text)
        for id, sentence in zip(needed, sentences, strict=True):
            mine, value = by_id[id].details
            assert mine == subject
            assert lines[id.removeprefix("fact/")] == sentence.removesuffix(".")
            frame = sentence.removesuffix(".").replace(value, "\0")
            later = [int(n) for n, said in lines.items() if said.startswith(frame.partition("\0")[0])]
            same = [n for n in later if frame.split("\0")[-1] == "" or lines[str(n)].endswith(frame.split("\0")[-1])]
            assert max(same) == int(id.removeprefix("fact/"))
            subject = value
        assert query.golds == (subject,)
        for old, voided_by in query.outdated:
            assert int(old.removeprefix("fact/")) < min(int(new.removeprefix("fact/")) for new in voided_by)
        if hops == "mh":
            assert query.outdated


def test_the_same_seed_gives_the_same_context_and_another_one_another() -> None:
    assert generate(6_000, 1, "mh") == generate(6_000, 1, "mh")
    assert generate(6_000, 1, "mh").text != generate(6_000, 2, "mh").text


def test_the_released_context_and_all_its_questions_follow_from_its_facts() -> None:
    folder = shared_data("memoryagentbench")
    text = (folder / "factconsolidation_6k_context.txt").read_text(encoding="utf-8")
    rows = json.loads((folder / "factconsolidation_6k_questions_40.json").read_text(encoding="utf-8"))
    world = read(text, "released")
    assert len(world.stated) == 455
    for row in rows:
        assert {chain.answer for chain in derive(world, row["question"])} == set(row["golds"]), row["question"]
