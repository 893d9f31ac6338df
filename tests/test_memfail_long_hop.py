"""Long-Hop: every generated chain keeps the dataset's rules, and no chain gets in another's way."""

from __future__ import annotations

import re
from itertools import islice, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.errors import BadInput
from memtriage.suites.memfail.generate.long_hop import generate
from memtriage.suites.memfail.generate.long_hop_anchors import Concept, Head, Step, Voice, gerund, third_person
from memtriage.suites.memfail.generate.long_hop_sentences import Anchor, Opening, ask
from memtriage.suites.memfail.rows import LongHopRow

PRONOUNS = {"he", "she", "him", "his", "her", "himself", "herself"}


def normal(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", "", text.lower()).split())


def question(row: LongHopRow) -> str:
    return row.graded_question.split("\n\nOptions:\n")[0]


def named(row: LongHopRow) -> bool:
    return all(row.chain[0] in fact for fact in row.facts)


@pytest.fixture(scope="module", params=[1, 42])
def rows(request: pytest.FixtureRequest) -> list[LongHopRow]:
    return list(islice(generate(request.param), 400))


def test_ids_count_per_hop_count() -> None:
    ids = [row.id for row in islice(generate(3), 7)]
    assert ids == [
        "longhop-1hop-000",
        "longhop-2hop-000",
        "longhop-3hop-000",
        "longhop-1hop-001",
        "longhop-2hop-001",
        "longhop-3hop-001",
        "longhop-1hop-002",
    ]


def test_hop_counts_are_followed_and_end_the_rows() -> None:
    assert [row.hop_count for row in generate(0, [3, 3, 1, 2])] == [3, 3, 1, 2]


@pytest.mark.parametrize("hops", [0, 4])
def test_an_impossible_hop_count_is_refused(hops: int) -> None:
    with pytest.raises(BadInput, match="1, 2 or 3 hops"):
        next(generate(0, [hops]))


@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_same_seed_same_rows_and_a_longer_run_starts_with_the_shorter(seed: int) -> None:
    assert list(islice(generate(seed), 12)) == list(islice(generate(seed), 20))[:12]


def test_seeds_differ() -> None:
    assert next(generate(1)) != next(generate(2))


@given(seed=st.integers(0, 10**6), hops=st.sampled_from([1, 2, 3]))
@settings(max_examples=40, deadline=None)
def test_anchors_stand_in_the_facts_they_border_and_nowhere_else(seed: int, hops: int) -> None:
    for row in generate(seed, [hops] * 3):
        assert len(row.facts) == hops + 1
        assert len({anchor.lower() for anchor in row.chain}) == len(row.chain) == hops + 2
        for place, anchor in enumerate(row.chain):
            holding = {i for i, fact in enumerate(row.facts) if normal(anchor) in normal(fact)}
            bordering = {i for i in (place - 1, place) if 0 <= i <= hops}
            assert holding == (set(range(hops + 1)) if place == 0 and named(row) else bordering)


def test_the_question_names_the_head_and_gives_nothing_away(rows: list[LongHopRow]) -> None:
    for row in rows:
        asked = normal(question(row))
        assert normal(row.chain[0]) in asked
        assert question(row).endswith("?")
        assert question(row).count("?") == 1
        assert not [anchor for anchor in row.chain[1:] if normal(anchor) in asked], row


@pytest.mark.parametrize(
    ("attitude", "step", "form", "written", "called"),
    [
        ("do", Step("act", ("make cookies",)), "gerund", "making cookies", False),
        ("food", Step("thing", ("lemon cookies",)), "thing", "lemon cookies", True),
    ],
)
def test_only_things_are_called_by_their_last_word(
    attitude: str, step: Step, form: str, written: str, called: bool
) -> None:
    """Whoever enjoys making cookies is not asked about "certain cookies"."""
    pascal = Voice("Pascal", "he", "him", "his", "himself")
    first = Anchor(Concept(step, step.texts[0]), form, written)
    last = Anchor(Concept(Step("feel", ("proud",)), "proud"), "feel_finite", "feels proud")
    opening = Opening(f"Pascal enjoys {written}.", "enjoys")
    asked = [ask(Random(i), Head(attitude, "treat", "after"), first, last, pascal, opening) for i in range(100)]
    assert any("cookies" in text for text in asked) == called


def test_one_answer_among_five_options_in_the_released_layout(rows: list[LongHopRow]) -> None:
    for row in rows:
        assert row.ground_truth_answer == row.chain[-1]
        assert len(set(row.choices)) == 5
        assert row.choices["ABCDE".index(row.correct_choice)] == row.chain[-1]
        assert "\n".join(row.graded_question.split("\n")[-5:]) == "\n".join(
            f"{letter}. {choice}" for letter, choice in zip("ABCDE", row.choices, strict=True)
        )


def test_answers_stand_at_every_letter(rows: list[LongHopRow]) -> None:
    counts = [sum(row.correct_choice == letter for row in rows) for letter in "ABCDE"]
    assert min(counts) > len(rows) / 10


def test_distractors_share_no_telling_word_with_facts_or_each_other(rows: list[LongHopRow]) -> None:
    light = set(
        "a an the my his her to in on at of for with by from up out off over some few more new old early short quick "
        "simple feel feels mood and little down after before into".split()
    )

    def words(text: str) -> set[str]:
        return set(normal(text).split()) - light

    for row in rows:
        told = words(" ".join(row.facts))
        wrong = [choice for choice in row.choices if choice != row.chain[-1]]
        assert not [choice for choice in wrong if words(choice) & told], row
        for i, choice in enumerate(wrong):
            assert not words(choice) & words(" ".join(wrong[i + 1 :])), row
            assert abs(len(choice.split()) - len(row.chain[-1].split())) <= 2


def test_facts_are_short_single_sentences_that_stand_alone(rows: list[LongHopRow]) -> None:
    for row in rows:
        for fact in row.facts:
            assert len(fact.split()) <= 17
            assert fact[0].isupper()
            assert fact.endswith(".")
            assert fact.count(".") == 1
            assert not re.search(r"[{}\[\]<>]|  ", fact)
            if set(normal(fact).split()) & PRONOUNS:
                assert row.chain[0] in fact, fact
            speaks = bool({"i", "me", "my", "im", "myself"} & set(normal(fact).split()))
            assert speaks != named(row), fact


def test_articles_agree_with_the_next_word(rows: list[LongHopRow]) -> None:
    for row in rows:
        for text in (*row.facts, question(row)):
            assert not re.search(r"\b[Aa] [aeio]", text), text
            assert not re.search(r"\b[Aa]n (?!hour)[^aeiou\W]", text), text


def test_relation_patterns_change_from_fact_to_fact(rows: list[LongHopRow]) -> None:
    """What is left of two neighbouring facts without their anchors and person differs."""
    for row in rows:
        frames = []
        for fact, anchors in zip(row.facts, zip(row.chain, row.chain[1:], strict=False), strict=True):
            text = normal(fact)
            for anchor in sorted((*anchors, row.chain[0]), key=len, reverse=True):
                text = text.replace(normal(anchor), "_")
            frames.append(text)
        assert all(one != two for one, two in pairwise(frames)), row.facts


def test_both_voices_are_common(rows: list[LongHopRow]) -> None:
    assert 0.35 < sum(map(named, rows)) / len(rows) < 0.55


def test_one_head_leads_to_one_end(rows: list[LongHopRow]) -> None:
    """Names are nobody else's, and the speaker's anchors never branch into another chain."""
    heads = [row.chain[0].lower() for row in rows]
    assert len(set(heads)) == len(heads)
    own = [row for row in rows if not named(row)]
    leading = [anchor for row in own for anchor in row.chain[:-1]]
    assert len(set(leading)) == len(leading)
    assert not {row.chain[-1] for row in own} & set(leading)


def test_no_two_facts_are_near_duplicates(rows: list[LongHopRow]) -> None:
    facts = [frozenset(normal(fact).split()) for row in rows for fact in row.facts]
    alike = sum(len(one & two) >= 0.7 * len(one | two) for i, one in enumerate(facts) for two in facts[i + 1 :])
    assert alike == 0


@pytest.mark.parametrize(
    ("verb", "ing", "third"),
    [
        ("bake bread", "baking bread", "bakes bread"),
        ("knit mittens", "knitting mittens", "knits mittens"),
        ("tidy my desk", "tidying my desk", "tidies my desk"),
        ("play chess", "playing chess", "plays chess"),
        ("wash the car", "washing the car", "washes the car"),
        ("lie on the couch", "lying on the couch", "lies on the couch"),
        ("go for a jog", "going for a jog", "goes for a jog"),
        ("drop in on a friend", "dropping in on a friend", "drops in on a friend"),
    ],
)
def test_verbs_take_their_forms(verb: str, ing: str, third: str) -> None:
    assert gerund(verb) == ing
    assert third_person(verb) == third
