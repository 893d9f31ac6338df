"""The letter an answer chose: the three steps, in their order, on friendly and hostile answers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.metrics.letters import KEYS, parse_choice

LETTERS = st.sampled_from("ABCDE")


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ('{"selected_choice": "D"}', "D"),
        ('  {"choice": "c"}\n', "C"),
        ('{"answer": "B. by the lake"}', "B"),
        ('{"answer": "Option E"}', "E"),
        ('{"answer": "(A)"}', "A"),
        ('{"choice": "A", "selected_choice": "B"}', "B"),  # the first key wins, not the first written
        ('{"selected_choice": null, "answer": "C"}', "C"),
        ('{"selected_choice": 3, "answer": ["A"], "choice": "E"}', "E"),
        ('```json\n{"selected_choice": "A"}\n```', "A"),
        ('Not B. {"selected_choice": "D"} rather than C', "D"),
        ('{"result": {"choice": "B"}}', "B"),
        ('{"selected_choice": "B", "others": {"choice": "C"}} as I said', "B"),
        ('[{"answer": "B"}]', "B"),
        ('{"broken": {"answer": "C"}, oops', "C"),
        ('{"why": "a } and a { inside", "answer": "E"} thanks', "E"),
        ('{{"answer": "D"}}', "D"),
        ('First {"answer": "A"}, on second thought {"answer": "B"}', "B"),
        ('{"why": "two\nlines", "answer": "E"}', "E"),
        ("It can't be A; the answer is C.", "C"),
        ("**B**", "B"),
        ("b", None),
        ("CABBAGE and DEED", None),
        ("F", None),
        ("", None),
        ("{}", None),
        ("null", None),
    ],
)
def test_each_answer_gives_its_letter(answer: str, letter: str | None) -> None:
    assert parse_choice(answer) == letter


def test_an_article_in_a_json_answer_is_not_taken_for_the_letter_before_a_better_key() -> None:
    assert parse_choice('{"answer": "A walk", "choice": "D"}') == "D"


def test_other_letters_can_be_allowed() -> None:
    assert parse_choice("G", letters="FGH") == "G"
    assert parse_choice('{"answer": "A"}', letters="FGH") is None
    assert parse_choice("]", letters="]^-") == "]"
    assert parse_choice("A", letters="") is None


@given(st.text())
def test_any_text_gives_a_letter_or_none(answer: str) -> None:
    assert parse_choice(answer) in {None, *"ABCDE"}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner),
    )
)
def test_any_json_gives_a_letter_or_none(value: object) -> None:
    assert parse_choice(json.dumps(value)) in {None, *"ABCDE"}


@given(LETTERS, st.sampled_from(KEYS), st.text(alphabet="abc {}[]\"'\\:,\n"))
def test_an_object_at_the_end_of_prose_is_found(letter: str, key: str, prose: str) -> None:
    # Lower-case prose holds no letter of its own, so whichever step finds one, it is this.
    assert parse_choice(prose + "\n" + json.dumps({key: letter})) == letter


@given(LETTERS, st.sampled_from(KEYS), st.text())
def test_a_whole_json_answer_wins_over_everything_in_it(letter: str, key: str, reason: str) -> None:
    assert parse_choice(json.dumps({"why": reason, key: letter, "rejected": "A, B, C, D or E"})) == letter


@pytest.mark.parametrize(
    "hostile",
    ["{" * 100_000, '{"' * 100_000, '{"a":' * 100_000, "[" * 100_000, '{"a":x' * 50_000, '{"a":' + "9" * 200_000 + "}"],
    ids=["braces", "quotes", "nested", "arrays", "broken", "digits"],
)
def test_the_letter_after_a_long_hostile_text_is_found(hostile: str) -> None:
    """Reading that takes the square of the length would not end within the patience of anybody."""
    assert parse_choice(hostile + "\n C") == "C"
