"""Coexisting-Facts: every generated row keeps the rules of the paper, for any seed."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.suites.memfail.generate.coexisting import category_of, generate
from memtriage.suites.memfail.paper import categories
from memtriage.suites.memfail.rows import CoexistingRow
from memtriage.text.sentences import sentences

SEEDS = (0, 1, 2, 42)


def rows(seed: int, count: int) -> list[CoexistingRow]:
    return list(islice(generate(seed), count))


@pytest.fixture(scope="module")
def many() -> list[CoexistingRow]:
    return [row for seed in SEEDS for row in rows(seed, 300)]


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[\w'-]+", text.lower()))


def test_there_are_the_hundred_categories_of_the_paper() -> None:
    assert len(categories()) == 100
    assert {"foods", "sports to watch on TV", "tv show genres", "types of naps", "astrology interests"} <= set(
        categories()
    )


def test_the_same_seed_gives_the_same_rows_and_another_seed_does_not() -> None:
    assert rows(7, 120) == rows(7, 120)
    assert rows(7, 20) != rows(8, 20)


@pytest.mark.parametrize("seed", SEEDS)
def test_each_block_of_a_hundred_holds_every_category_once_in_a_new_order(seed: int) -> None:
    drawn = [row.preference_category for row in rows(seed, 300)]
    blocks = [drawn[start : start + 100] for start in (0, 100, 200)]
    assert all(sorted(block) == sorted(categories()) for block in blocks)
    assert blocks[0] != blocks[1] != blocks[2]


def test_the_number_of_preferences_is_uniform_from_two_to_five(many: list[CoexistingRow]) -> None:
    counts = Counter(len(row.preferences) for row in many)
    assert set(counts) == {2, 3, 4, 5}
    # 1,200 draws of probability 1/4: sd 15, so 60 is four of them
    assert all(abs(count - len(many) / 4) < 60 for count in counts.values())


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(min_value=-(2**40), max_value=2**40))
def test_statements_stand_alone_for_any_seed(seed: int) -> None:
    for row in rows(seed, 40):
        lowered = [name.lower() for name in row.preferences]
        assert len(set(lowered)) == len(lowered) == len(row.preference_facts)
        assert row.ground_truth_answer == ", ".join(row.preferences)
        for i, fact in enumerate(row.preference_facts):
            named = [name for name in lowered if name in fact.lower()]
            assert named == [lowered[i]], (named, fact)
            assert not any(lowered[i] in other for other in lowered[:i] + lowered[i + 1 :])
            assert re.search(r"\b(i|me|my|mine|myself|we|our)\b", fact.lower()), fact
            assert 1 <= len(sentences(fact)) <= 2, fact


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_questions_are_scenarios_that_give_nothing_away(seed: int) -> None:
    for row in rows(seed, 40):
        asked = row.question.lower()
        assert not any(name.lower() in asked for name in row.preferences), row
        assert 15 <= len(row.question.split()) <= 35, row.question
        assert row.question.endswith("?")
        assert row.question.count("?") == 1
        assert re.search(r"\b(i|me|my|mine|we|our)\b", asked), row.question
        assert "list all" not in asked


def test_every_sentence_is_filled_in_and_well_formed(many: list[CoexistingRow]) -> None:
    for row in many:
        for text in (row.question, *row.preference_facts):
            assert not re.search(r"[{}\[\]|]|  |\.\.|,,| [,.;?]", text), text
            assert text[0].isupper() or text[0].isdigit(), text
            assert not re.search(r"\b[Aa] [aeio](?!ne\b)", text), text
            assert not re.search(r"(?<![\w-])(\w+) \1\b", text.lower()), text


def test_a_statement_does_not_say_its_preference_twice(many: list[CoexistingRow]) -> None:
    for row in many:
        for name, fact in zip(row.preferences, row.preference_facts, strict=True):
            rest = words(fact.lower().replace(name.lower(), " ", 1))
            again = {word for word in words(name) if len(word) > 3} & rest - {"with", "that"}
            assert not again, fact


def test_what_tells_of_one_thing_names_no_other_of_its_category() -> None:
    """So any of them can stand in one row."""
    for category in map(category_of, categories()):
        for preference in category.preferences:
            others = [other.name for other in category.preferences if preference.name.lower() not in other.name.lower()]
            for statement in preference.statements:
                assert len(re.findall(rf"(?i)(?<!\w){re.escape(preference.name)}(?!\w)", statement)) == 1, statement
                named = [name for name in others if re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", statement)]
                assert not set(named) - {"Go", "tennis"}, statement  # "go-to", "table tennis"


def test_a_dataset_repeats_no_statement_and_no_question(many: list[CoexistingRow]) -> None:
    for start in range(0, len(many), 100):
        facts = [fact for row in many[start : start + 100] for fact in row.preference_facts]
        assert len(facts) == len(set(facts))
    for seed in SEEDS:
        questions = [row.question for row in rows(seed, 300)]
        assert len(questions) == len(set(questions))


def test_less_than_one_percent_of_two_thousand_questions_are_near_duplicates() -> None:
    kept: dict[str, list[frozenset[str]]] = {}
    dropped = 0
    for row in rows(11, 2000):
        new, seen = words(row.question), kept.setdefault(row.preference_category, [])
        if any(len(new & old) / len(new | old) >= 0.7 for old in seen):
            dropped += 1
        else:
            seen.append(new)
    assert dropped < 20


def test_statements_open_in_many_ways(many: list[CoexistingRow]) -> None:
    openings = Counter(fact.split()[0] for row in many for fact in row.preference_facts)
    assert len(openings) > 300
    assert openings.most_common(1)[0][1] < 0.4 * openings.total()


def test_every_category_has_enough_to_draw_from() -> None:
    for category in map(category_of, categories()):
        assert len(category.preferences) >= 10
        assert len({preference.name.lower() for preference in category.preferences}) == len(category.preferences)
        assert len(category.situations) >= 4
        assert sum(not situation.only_own for situation in category.situations) >= 2
        for preference in category.preferences:
            assert len(set(preference.statements)) >= 2, preference
