"""Conditional-Facts generators: every structural rule of the dataset, checked from the outside."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.suites.memfail.generate import conditional
from memtriage.suites.memfail.generate.conditional import CATEGORIES, generate
from memtriage.suites.memfail.paper import condition_types, pet_condition_types
from memtriage.suites.memfail.rows import ConditionalRow, EntityCategory

SEEDS = (0, 1, 42)
FORBIDDEN = r"\b(only when|unless|except when|but only if|whenever|if|only after|only if)\b"
CONDITIONAL = r"\b(only|unless|except when|whenever|if)\b"


@cache
def rows(seed: int, variant: conditional.Variant, count: int = 320) -> tuple[ConditionalRow, ...]:
    return tuple(islice(generate(seed, variant), count))


def sentences(essay: str) -> list[str]:
    return re.split(r"(?<=[.!?]) (?=[A-Z])", essay)


@pytest.fixture(params=SEEDS)
def easy(request: pytest.FixtureRequest) -> tuple[ConditionalRow, ...]:
    return rows(request.param, "easy")


@pytest.fixture(params=SEEDS)
def hard(request: pytest.FixtureRequest) -> tuple[ConditionalRow, ...]:
    return rows(request.param, "hard")


def test_there_are_32_condition_types_and_9_for_pets() -> None:
    assert len(set(condition_types())) == len(condition_types()) == 32
    assert len(set(pet_condition_types())) == 9
    assert set(pet_condition_types()) < set(condition_types())


def test_an_easy_essay_says_the_whole_rule_in_one_sentence(easy: tuple[ConditionalRow, ...]) -> None:
    for row in easy:
        told = sentences(row.essay)
        (rule,) = row.evidence
        assert 5 <= len(told) <= 8, row.essay
        assert told.count(rule) == 1
        assert row.entity in rule
        assert row.condition in rule
        assert re.search(r"\b(only|at most)\b", rule, re.IGNORECASE)
        assert row.behavior.split(" ", 1)[1] in rule  # verbs inflect, the rest of the behavior does not
        for other in told:
            assert other == rule or not re.search(CONDITIONAL, other, re.IGNORECASE), other


def test_a_hard_essay_spreads_the_rule_over_three_sentences_that_are_not_neighbors(
    hard: tuple[ConditionalRow, ...],
) -> None:
    for row in hard:
        told = sentences(row.essay)
        assert 8 <= len(told) <= 12, row.essay
        places = [told.index(sentence) for sentence in row.evidence]
        assert len(places) == 3
        assert all(later - earlier >= 2 for earlier, later in pairwise(places)), row.essay
        assert not re.search(FORBIDDEN, row.essay, re.IGNORECASE), row.essay


def test_no_sentence_of_a_hard_essay_holds_both_behavior_and_trigger(hard: tuple[ConditionalRow, ...]) -> None:
    for row in hard:
        first, second = row.details
        assert not any(first in sentence and second in sentence for sentence in row.evidence)
        link = row.evidence[2]
        assert first not in link
        assert second not in link
        assert row.behavior.endswith(row.details)


@pytest.mark.parametrize("variant", ["easy", "hard"])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_detail_stands_once_and_in_the_evidence(seed: int, variant: conditional.Variant) -> None:
    for row in rows(seed, variant):
        assert row.details
        for detail in row.details:
            assert sum(detail in sentence for sentence in row.evidence) == 1
            assert row.essay.casefold().count(detail.casefold()) == 1
        assert row.entity in sentences(row.essay)[0]
        assert row.entity in row.question
        assert not re.search(r"[{}\[\]|]|  ", row.essay + row.question + row.ground_truth_answer + row.condition)


@pytest.mark.parametrize("seed", SEEDS)
def test_easy_and_hard_share_their_specs(seed: int) -> None:
    shared = "entity entity_category behavior condition_type condition".split()
    shared += "question_context condition_met".split()
    for easy, hard in zip(rows(seed, "easy"), rows(seed, "hard"), strict=True):
        assert [getattr(easy, field) for field in shared] == [getattr(hard, field) for field in shared]
        assert easy.essay != hard.essay


def test_answers_agree_with_the_condition_and_are_balanced(easy: tuple[ConditionalRow, ...]) -> None:
    for row in easy:
        assert row.ground_truth_answer.startswith("Yes — " if row.condition_met == "yes" else "No — ")
        assert row.question_context in row.question
        assert row.question.endswith("?")
    for end in range(2, len(easy), 2):
        assert sum(row.condition_met == "yes" for row in easy[:end]) == end // 2


def test_all_condition_types_come_round_and_pets_get_theirs(easy: tuple[ConditionalRow, ...]) -> None:
    for start in range(0, len(easy), 32):
        assert {row.condition_type for row in easy[start : start + 32]} == set(condition_types())
    assert {row.entity_category for row in easy} == {"person", "pet", "character"}
    assert {row.condition_type for row in easy if row.entity_category == "pet"} <= set(pet_condition_types())


def test_entities_and_rules_do_not_repeat(easy: tuple[ConditionalRow, ...]) -> None:
    assert len({row.entity for row in easy}) == len(easy)
    assert len({row.behavior for row in easy}) > 0.9 * len(easy)
    assert len({(row.behavior, row.condition) for row in easy}) == len(easy)


def test_a_number_in_the_question_is_on_the_right_side_of_its_threshold() -> None:
    """Read thresholds back from the texts, independently of how they were made."""
    below = re.compile(r"(?:below|colder than|quieter than|slower than|under) (-?\d+)")
    above = re.compile(r"(?:above|warmer than|over|more than|longer than) (-?\d+)")
    least = re.compile(r"at least (-?\d+)")
    checked = 0
    for row in rows(5, "easy", 1500):
        offered = re.search(r"-?\d+", row.question_context)
        for pattern, holds in ((below, int.__lt__), (above, int.__gt__), (least, int.__ge__)):
            threshold = pattern.search(row.condition)
            if offered and threshold:
                met = holds(int(offered.group()), int(threshold.group(1)))
                assert met == (row.condition_met == "yes"), row
                checked += 1
    assert checked > 200


@pytest.mark.parametrize("category", ["person", "character", "pet"])
def test_pools_are_wide_and_every_line_of_them_can_be_told(category: EntityCategory) -> None:
    kinds = pet_condition_types() if category == "pet" else condition_types()
    assert all(len(conditional._conditions(category, kind)) >= 4 for kind in kinds)
    acts = conditional._behaviors(category)
    assert len({act.object for act in acts}) == len(acts) >= 50
    for act in acts:
        assert act.gerund.split()[0].endswith("ing")
        assert act.third.split()[0].endswith("s")
        assert act.kind in conditional._kinds()
    for condition in (condition for kind in kinds for condition in conditional._conditions(category, kind)):
        assert sum(map(condition.suits, (*acts, *(conditional._behaviors("common") if category != "pet" else ())))) > 20


def test_an_act_that_takes_a_place_is_not_asked_for_elsewhere() -> None:
    away = [c for c in conditional._conditions("person", "location") if c.anywhere]
    home = [act for act in conditional._behaviors("common") if "home" in act.tags]
    assert away
    assert home
    assert not any(condition.suits(act) for condition in away for act in home)


@pytest.mark.parametrize("variant", ["easy", "hard"])
def test_sentences_around_a_rule_neither_repeat_nor_contradict_one_another(variant: conditional.Variant) -> None:
    together = [
        {mark for told in sentences(row.essay) for mark in conditional._marks(told)} for row in rows(4, variant)
    ]
    for number, (one, other) in enumerate(
        conditional.table(conditional.records("memtriage.suites.memfail", "conditional/clashes")["apart"])
    ):
        assert one != other
        both = sum({f"apart {number} 0", f"apart {number} 1"} <= marks for marks in together)
        assert both <= len(together) // 50  # a rule may say what it likes


def test_a_pet_keeps_its_breed_and_a_cat_is_not_told_of_as_a_dog() -> None:
    unlike = {"cat": r"\b(walks|car rides|at the park|ride along|whistle)\b", "dog": r"\b(windowsill|sill|tuna)\b"}
    read = {"cat": 0, "dog": 0}
    for easy, hard in zip(rows(6, "easy", 160), rows(6, "hard", 160), strict=True):
        if easy.entity_category == "pet":
            breeds = {(s, b) for s in unlike for b in conditional._breeds(s) if b in sentences(easy.essay)[0]}
            assert any(breed in sentences(hard.essay)[0] for _, breed in breeds), (easy.essay, hard.essay)
            ((species, _), *_others) = breeds
            read[species] += 1
            for row in (easy, hard):
                around = " ".join(sentence for sentence in sentences(row.essay) if sentence not in row.evidence)
                assert not re.search(unlike[species], around), row.essay
    assert min(read.values()) > 5


def test_nobody_has_gone_over_a_limit_that_the_rule_sets() -> None:
    """Who does it at most three times has not done it four times."""
    capped = [c for c in conditional._conditions("person", "frequency_cap") if "[at most" in c.condition]
    assert len(capped) == 3
    for condition in capped:
        assert isinstance(condition.variants, conditional.Threshold)
        assert list(condition.variants.missed_by) == [0]


def test_what_a_question_offers_does_not_tell_the_answer() -> None:
    """Everything offered where a condition is met is offered where it is missed, too, and as often."""
    told = [
        condition
        for category in CATEGORIES
        for kind in (pet_condition_types() if category == "pet" else condition_types())
        for condition in conditional._conditions(category, kind)
    ]
    for condition in told:
        offers: dict[bool, list[str]] = {}
        for met in (True, False):
            rng = Random(f"{condition.condition}{met}")
            offers[met] = [conditional._values(rng, condition.variants, met)["offered"] for _ in range(200)]
        assert set(offers[True]) == set(offers[False]), condition.condition
        if isinstance(condition.variants, conditional.Cases):
            _, good, bad = zip(*condition.variants.values, strict=True)
            assert sorted(good) == sorted(bad), condition.condition


def test_no_question_says_now_twice_or_leaves_open_who_is_meant() -> None:
    for row in rows(5, "easy", 1500):
        assert len(re.findall(r"\bnow\b", row.question, re.IGNORECASE)) < 2, row.question
        scene, _, asked = row.question.partition(". ")
        if re.search(r"\b(brother|boss|grandmother|child|someone)\b", scene):
            assert row.entity in asked, row.question


def test_every_condition_marks_its_trigger_and_keeps_it_out_of_its_link() -> None:
    links = {row.evidence[2] for row in rows(9, "hard", 1500)}
    assert len(links) > 1400
    for condition in (
        c for kind in condition_types() for who in CATEGORIES for c in conditional._conditions(who, kind)
    ):
        marked = (condition.condition, *condition.scattered, *condition.scenes)
        assert all(text.count("[") == text.count("]") == 1 for text in marked), condition
        assert not {gap for link in condition.links for gap in re.findall(r"{(\w+)}", link)} - {"he", "him", "his"}


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(), variant=st.sampled_from(["easy", "hard"]))
def test_the_same_seed_gives_the_same_rows(seed: int, variant: conditional.Variant) -> None:
    assert list(islice(generate(seed, variant), 5)) == list(islice(generate(seed, variant), 5))


def test_another_seed_gives_other_rows() -> None:
    assert not {row.essay for row in rows(1, "easy", 100)} & {row.essay for row in rows(2, "easy", 100)}


@pytest.mark.parametrize("variant", ["easy", "hard"])
def test_no_two_essays_are_near_duplicates(variant: conditional.Variant) -> None:
    words = [frozenset(row.essay.casefold().split()) for row in rows(3, variant, 400)]
    closest = max(len(a & b) / len(a | b) for i, a in enumerate(words) for b in words[:i])
    assert closest < 0.8


@pytest.mark.parametrize("variant", ["easy", "hard"])
def test_a_question_about_a_limit_says_what_was_done_how_often(variant: conditional.Variant) -> None:
    """ "Ann has already sung show tunes four times this week. Would she do it again?", and no "only at most"."""
    rows = [row for row in islice(generate(3, variant), 400) if row.condition_type == "frequency_cap"]
    assert len(rows) > 5
    for row in rows:
        context, act = row.question_context, row.behavior.split(" ", 1)[1]
        told, asked = re.split(r"\. |; | — ", row.question)
        assert context in told
        assert act in told, row.question
        assert "again" in asked
        assert not re.search(
            r"\bonly\b.*\bat most\b|\bdid this\b|\bdone this\b", f"{row.essay} {row.ground_truth_answer}"
        )
