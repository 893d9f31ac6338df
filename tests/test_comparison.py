"""What a memory keeps of a fact, what it loses and what it turns."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.diagnose.lexical.alignment import weight
from memtriage.diagnose.lexical.comparison import Comparison, compare
from memtriage.diagnose.lexical.reading import LABELS, MEANING, read
from memtriage.diagnose.lexical.statement import statement


def compared(fact: str, memory: str, said: str = "") -> Comparison:
    return compare(statement(fact, said), statement(memory))


def feature(name: str, fact: str, memory: str) -> float:
    return compared(fact, memory).features[name]


def gone(fact: str, memory: str, said: str = "") -> list[str]:
    return [unit.form for unit in compared(fact, memory, said).gone]


@pytest.mark.parametrize(
    ("fact", "memory"),
    [
        ("I drive a red car.", "User drives a red car"),
        ("I bought twelve boats.", "User purchased a dozen boats."),
        ("I leave at 5 pm.", "- leaves: 17:00"),
        ("I leave at 5 pm.", "User leaves at 5."),
        ("I leave at 5:00.", "User leaves at 17:00."),
        ("The break lasts 7 days.", "The break lasts a week."),
        ("The road is 1.5 km long.", "The road is 1,500 metres long."),
        ("The walk takes 90 minutes.", "The walk takes 1.5 hours."),
        ("The track is 1 mile long.", "The track is 1.6 km long."),
        ("Mina works at Harbor Lab since 2019.", "Mina -[WORKS_AT since 2019]-> Harbor Lab"),
        ("Mina represents Oslo.", "Mina is a representative of Oslo."),
    ],
)
def test_nothing_is_gone_that_is_said_in_another_form(fact: str, memory: str) -> None:
    assert gone(fact, memory) == []
    assert feature("cover", fact, memory) == 1.0


@pytest.mark.parametrize(
    ("fact", "memory", "lost"),
    [
        ("I drive a red car.", "User drives a blue car.", ["red"]),
        ("I leave at 5 pm.", "User leaves at 6 pm.", ["17:00"]),
        ("I leave at 5 pm.", "User leaves at 5 am.", ["17:00"]),
        ("I leave at 17:30.", "User leaves at 17:00.", ["17:30"]),
        ("The break lasts 7 days.", "The break lasts a month.", ["7", "day"]),
        ("I eat fish.", "", ["eat", "fish"]),
    ],
)
def test_what_a_memory_lacks_is_gone(fact: str, memory: str, lost: list[str]) -> None:
    assert gone(fact, memory) == lost


def test_yesterday_is_there_if_its_date_is() -> None:
    assert gone("I saw Mina yesterday.", "User saw Mina on 29 February.", "2024-03-01") == []
    assert gone("I saw Mina yesterday.", "User saw Mina on 28 February.", "2024-03-01") == ["yesterday"]
    assert gone("I saw Mina yesterday.", "User saw Mina on 29 February.") == ["yesterday"]


def test_what_stands_in_place_of_another_is_new_and_may_be_its_rival() -> None:
    found = compared("I drive a red car.", "User drives a blue car. It rains.")
    assert [unit.form for unit in found.new] == ["blue"]  # the rain is in no sentence that tells the fact
    assert (found.features["rivals"], found.features["replaced"]) == (1, 1)
    assert (found.features["gone_word"], found.features["new_word"], found.features["kept_word"]) == (1, 1, 2 / 3)


def test_places_say_where_the_fact_stands_in_the_memory() -> None:
    found = compared("Mina bakes bread.", "It rains in Oslo. Mina bakes good bread.")
    memory = statement("It rains in Oslo. Mina bakes good bread.").units
    assert [memory[place].form for place in found.places] == ["mina", "bake", "bread"]


def test_a_fact_in_two_sentences_is_found_in_both() -> None:
    fact, memory = "Mina bakes bread in Oslo.", "Mina bakes bread. Her town is Oslo. It rains."
    assert gone(fact, memory) == []
    assert feature("sentences", fact, memory) == 2
    assert 0.5 < feature("cover_best", fact, memory) < 1


def test_who_does_what_to_whom() -> None:
    told, turned = "Anna called Bruno yesterday.", "Bruno called Anna yesterday."
    for name in ("turned_names", "player_other", "neighbours_turned"):
        assert feature(name, told, told) == 0
        assert feature(name, told, turned) > 0
    assert feature("same_bag", told, turned)
    assert not feature("same_sequence", told, turned)


def test_from_and_to_are_no_small_words() -> None:
    assert feature("link_conflict", "I moved from Oslo to Bergen.", "User moved from Oslo to Bergen.") == 0
    assert feature("link_conflict", "I moved from Oslo to Bergen.", "User moved from Bergen to Oslo.") == 2


def test_whom_it_is_about() -> None:
    assert feature("about_same", "My sister likes tea.", "User's sister likes tea.")
    assert not feature("about_same", "My sister likes tea.", "User likes tea.")
    assert feature("kin_lost", "My sister likes tea.", "User likes tea.") == 1
    assert feature("about_kin", "I like tea.", "User's sister likes tea.")
    assert feature("about_other_name", "I like tea.", "Mina likes tea.")
    assert feature("player_other", "My sister lent me a drill.", "User lent their sister a drill.") > 0


@pytest.mark.parametrize(
    ("fact", "memory", "name"),
    [
        ("I eat fish.", "User does not eat fish.", "negation_added"),
        ("I never eat fish.", "User eats fish.", "negation_lost"),
        ("I eat fish.", "User does not eat fish.", "flipped"),
        ("I work on Mondays and not beyond.", "User works on Mondays.", "exclusive_lost"),
        ("I eat fish if it is fresh.", "User eats fresh fish.", "condition_lost"),
        ("I bought a boat.", "User might have bought a boat.", "hedge_added"),
        ("I bought a boat.", "User plans to buy a boat.", "plan_added"),
        ("I own a boat.", "User used to own a boat.", "past_added"),
        ("I own a boat.", "User asked about a boat to own.", "asked_added"),
        ("I always eat fish.", "User eats fish.", "quantity_lost"),
        ("I have at least 3 boats.", "User has 3 boats.", "compare_lost"),
    ],
)
def test_what_turns_a_statement_is_seen(fact: str, memory: str, name: str) -> None:
    assert feature(name, fact, memory) > 0
    assert feature("doubts", fact, memory) > 0
    assert feature(name, fact, fact) == 0


def test_a_negation_in_another_clause_flips_nothing() -> None:
    assert feature("flipped", "I eat eggs.", "User eats eggs, but not fish.") == 0
    assert feature("negation_added_near", "I eat eggs.", "User eats eggs, but not fish.") == 0
    assert feature("negation_added", "I eat eggs.", "User eats eggs, but not fish.") == 1


def test_the_only_in_other_words_is_still_there() -> None:
    fact, memory = "I work on Mondays and not beyond.", "User only works on Mondays."
    assert gone(fact, memory) == []
    assert feature("exclusive_lost", fact, memory) == feature("exclusive_added", fact, memory) == 0


def test_names_and_numbers_weigh_more_than_words_and_the_user_nothing() -> None:
    units = {unit.form: unit for unit in statement("I told Mina about qwertzu and bread.").units}
    user, name, rare, common = (units[form] for form in ("user", "mina", "qwertzu", "bread"))
    assert weight(name) > weight(rare) > weight(common) > weight(user) == 0


class Fixed:
    """A meaning that finds everything alike."""

    def likeness(self, words: Sequence[str], others: Sequence[str]) -> Sequence[float]:
        return [0.5] * len(words)

    def closeness(self, text: str, other: str) -> float:
        return 0.25


def test_meaning_is_asked_about_what_is_gone_and_new() -> None:
    found = compare(statement("Mina rows boats."), statement("Mina paddles canoes."), Fixed()).features
    assert (found["gone_like_mean"], found["gone_like_least"]) == (0.5, 0.5)
    assert (found["close"], found["rest_close"]) == (0.25, 0.25)
    assert found["cover"] < found["cover_soft"] < 1
    nothing_gone = compare(statement("Mina rows boats."), statement("Mina rows boats."), Fixed()).features
    assert (nothing_gone["gone_like_mean"], nothing_gone["rest_close"]) == (1.0, 1.0)
    assert "close" not in compared("Mina rows boats.", "Mina rows boats.").features


def test_word_vectors_know_what_is_close() -> None:
    near, far = MEANING.likeness(["puppy"], ["dog"]), MEANING.likeness(["puppy"], ["invoice"])
    assert near[0] > far[0]
    assert math.isclose(MEANING.closeness("a red car", "a red car"), 1.0, abs_tol=1e-5)


def test_a_reading_has_a_chance_for_each_label() -> None:
    fact = statement("I'm allergic to cashews.")
    same, other = read(fact, statement("User is allergic to cashews.")), read(fact, statement("User rows in Oslo."))
    for reading in (same, other):
        assert set(reading.chances) == set(LABELS)
        assert math.isclose(sum(reading.chances.values()), 1.0, abs_tol=1e-6)
        assert reading.confidence == reading.chances[reading.label] == max(reading.chances.values())
    assert (same.label, other.label) == ("states", "lacks")


PIECES = st.sampled_from(
    "I my sister Mina Bruno not only if 7 days a week 5 pm 17:00 may May 2024-03-09 from to -> . , ? 東京に行く".split()
)
TEXTS = st.text(max_size=40) | st.lists(PIECES, max_size=20).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS)
def test_any_two_texts_can_be_compared(fact: str, memory: str) -> None:
    found = compared(fact, memory)
    units = statement(memory).units
    assert all(math.isfinite(value) for value in found.features.values())
    assert list(found.features) == list(compared("Mina rows.", "Mina rows.").features)
    assert all(0 <= place < len(units) for place in found.places)
    assert 0 <= found.features["cover"] <= 1 + 1e-9
    assert set(found.gone) <= set(statement(fact).units)
    assert set(found.new) <= set(units)


@settings(max_examples=50, deadline=None)
@given(TEXTS)
def test_a_text_keeps_all_of_itself(text: str) -> None:
    found = compared(f"Mina rows. {text}", f"Mina rows. {text}")
    assert found.gone == found.new == ()
    assert math.isclose(found.features["cover"], 1)


def test_a_very_long_memory_is_compared_in_little_time() -> None:
    started = time.monotonic()
    memory = "Mina met seven friends in Oslo. " * 3000
    assert gone("Mina has friends in Bergen.", memory) == ["bergen"]
    assert gone("Bruno sings.", "old boats and " * 10_000) == ["bruno", "sing"]
    assert time.monotonic() - started < 20
