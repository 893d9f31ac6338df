"""What counts as the same word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.text.words import Words, is_number, stem, tokens, vague_stems, well_formed, words, words_in


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("twenty-five boats", "25 boats"),
        ("thirty one steps", "31 steps"),
        ("eleven gulls", "11 gulls"),
        ("40% salt", "forty percent salt"),
        ("5 p.m.", "5pm"),
        ("5p.m.", "5 PM"),
        ("5:00 pm", "5 p.m."),
        ("8/10 effort", "8 out of 10 effort"),
        ("eight out of ten effort", "8/10 effort"),
        ("1,200 crates", "1200 crates"),
        ("it’s Odo’s barge", "it's Odo's barge"),
        ("－５℃", "-5°C"),
        ("−5 °C", "minus five °C"),
        ("ﬁsh ponds", "fish pond"),
        ("tem\u00adper\u200bature", "temperature"),
    ],
)
def test_the_same_said_in_another_spelling_gives_the_same_stems(one: str, other: str) -> None:
    assert words(one).stems == words(other).stems


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("below -5 degrees", "below 5 degrees"),
        ("3.5 km", "35 km"),
        ("5:30 pm", "5 pm"),
        ("twenty and five", "25"),
        ("below ten", "above ten"),
        ("after lunch", "before lunch"),
        ("O'Brien", "O'Hara"),
    ],
)
def test_what_differs_stays_different(one: str, other: str) -> None:
    assert words(one) != words(other)


@pytest.mark.parametrize(
    "text", ["can't swim", "cannot swim", "can not swim", "won’t swim", "doesn't swim", "isnʼt swim"]
)
def test_contractions_open_into_a_negation(text: str) -> None:
    assert words(text) == Words(("swim",), ("not",), ("not@0",))


def test_a_name_with_an_apostrophe_stays_a_name() -> None:
    assert words("D'Angelo's").stems == ("dangelo",)
    assert words("O'Brien").stems == ("obrien",)


def test_where_a_negation_and_a_link_stand_is_part_of_the_wording() -> None:
    assert words("she sings when it is not dark") != words("she does not sing when it is dark")
    assert words("the tug is towed by the barge") != words("the tug towed the barge")
    assert words("the tug is towed by the barge").links == {"by"}


def test_function_words_carry_nothing_and_comparators_stay() -> None:
    assert words("If it is the one of his, then").stems == ("1",)
    assert words("until after every more").stems == ("until", "after", "everi", "more")


def test_numbers_are_known_and_vague_words_are_stems() -> None:
    assert is_number("25")
    assert not is_number("boat")
    assert stem("somewhere") in vague_stems()


def test_control_characters_only_separate() -> None:
    assert tokens("a\x00b\x1bc\u2028d") == ["a", "b", "c", "d"]
    assert words("\x00\x07").stems == ()


@pytest.mark.parametrize(
    ("text", "stems"),
    [("'", 0), ("a'", 1), ("1,", 1), ("p.", 1_000_000), ("-", 0)],
)
def test_a_million_repetitions_are_read_to_the_end(text: str, stems: int) -> None:
    """Reading that takes the square of the length would not end today."""
    assert len(words_in.__wrapped__(text * 1_000_000, None).stems) == stems


@given(st.text())
def test_words_never_raise_and_are_deterministic(text: str) -> None:
    first = words(text)
    words_in.cache_clear()
    assert words(text) == first
    assert all(first.stems)
    assert list(first.polarity) == sorted(first.polarity)


@given(st.lists(st.integers(0, 99_999), min_size=1, max_size=8))
def test_numbers_are_their_own_stems(numbers: list[int]) -> None:
    text = " and ".join(map(str, numbers))
    assert words(text).stems == tuple(map(str, numbers))
    assert words(" ".join(words(text).stems)).stems == words(text).stems


@given(st.text())
def test_well_formed_text_keeps_its_length_and_encodes(text: str) -> None:
    assert len(well_formed(text + "\ud800")) == len(text) + 1
    assert well_formed(text + "\ud800").encode()
