"""What a text says, whatever it is written like: its units in one form each, and the marks that turn it."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtriage.diagnose.lexical.lexicon import mark_kinds, phrases, rarity, rivals, word_form
from memtriage.diagnose.lexical.plain_text import plain_text
from memtriage.diagnose.lexical.statement import KIN, SELF, statement


def forms(text: str, said: str = "") -> list[str]:
    return [unit.form for unit in statement(text, said).units]


def kinds(text: str) -> dict[str, str]:
    return {unit.form: unit.kind for unit in statement(text).units}


def marks(text: str, kind: str) -> int:
    return statement(text).count(kind).total()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("She has twenty-five boats.", "She has 25 boats."),
        ("She has a dozen boats.", "She has 12 boats."),
        ("She owns 1,200 crates.", "She owns one thousand two hundred crates."),
        ("She earns 20k.", "She earns 20,000."),
        ("She earns 1000k.", "She earns 1000000."),
        ("She earns 1.5k.", "She earns 1500."),
        ("She came 3rd.", "She came third."),
        ("She rows twice.", "She rows 2 times."),
        ("She rows 2x a week.", "She rows 2 times a week."),
        ("She sold half of the boats.", "She sold 50 percent of the boats."),
        ("She leaves at 5 pm.", "She leaves at 17:00."),
        ("She leaves at 5:30 p.m.", "She leaves at 17:30."),
        ("She leaves at noon.", "She leaves at 12 pm."),
        ("She leaves at midnight.", "She leaves at 12 am."),
        ("She leaves at half past seven.", "She leaves at 7:30."),
        ("She left in Sept.", "She left in September."),
        ("She left on Tues.", "She left on Tuesday."),
        ("She can't swim.", "She cannot swim."),
        ("She is n't here.", "She isn't here."),
        ("She purchased a boat.", "She bought a boat."),
        ("It costs ≥ 20 euros.", "It costs at least 20 euros."),
        ("She’s Odo’s aunt.", "She's Odo's aunt."),
    ],
)
def test_the_same_in_another_spelling_has_the_same_forms(one: str, other: str) -> None:
    assert forms(one) == forms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("She leaves at 5 pm.", "She leaves at 5 am."),
        ("She has 25 boats.", "She has 2.5 boats."),
        ("She came first.", "She came third."),
        ("She left in May.", "She left in June."),
    ],
)
def test_what_differs_has_other_forms(one: str, other: str) -> None:
    assert forms(one) != forms(other)


def test_an_iso_date_has_the_parts_of_a_date_in_words() -> None:
    assert sorted(forms("We met on 2024-03-09.")) == sorted(forms("We met on 9 March 2024."))
    assert forms("Met: 2024-03-09T10:30:00Z") == forms("Met: 2024-03-09")
    assert forms("Met: 2024-03T10") == ["meet", "2024", "march"]
    assert forms("Met: 2024-13") == ["meet", "2024"]  # there is no such month


def test_a_relative_date_knows_its_day_if_the_day_it_was_said_is_known() -> None:
    def dates(text: str) -> tuple[str, ...]:
        return next(unit.dates for unit in statement(text, "2024-03-01").units if unit.kind == "date")

    assert dates("I saw Mina yesterday.") == ("29", "february")
    assert dates("I saw Mina three days ago.") == ("27", "february")
    assert dates("I saw Mina last Friday.") == ("23", "february")
    assert dates("I ran this morning.") == ("1", "march")
    assert dates("We move next month.") == ("april",)
    assert dates("We moved last year.") == ("2023",)
    assert all(not unit.dates for unit in statement("I saw Mina yesterday.").units)


def test_a_word_that_is_also_a_name_is_what_it_is_written_like() -> None:
    assert kinds("We may go in May.")["may"] == "date"
    assert forms("We may go.") == [SELF, "go"]
    assert kinds("The US office calls us.")["us."] == "name"
    assert forms("The US office calls us.")[-1] == SELF
    assert kinds("Our IT team says it works.")["it."] == "name"
    assert kinds("Will Frost will come.") == {"will": "name", "frost": "name", "come": "word"}
    assert marks("Will Frost came.", "plan") == 0
    assert kinds("Rose's boat sank.")["rose"] == "name"
    assert kinds("Boats sank.") == {"boat": "word", "sank": "word"}


def test_no_one_and_each_other_hold_no_number() -> None:
    assert "number" not in kinds("No one helps; they help one another and each other.").values()


@pytest.mark.parametrize("text", ["I like tea.", "The user likes tea.", "User: I like tea.", "We like tea."])
def test_the_user_is_one_person_however_named(text: str) -> None:
    assert forms(text) == [SELF, "like", "tea"]
    assert statement(text).about == (SELF,)


def test_each_sentence_is_about_somebody() -> None:
    read = statement("My sister likes tea. I like milk. Mina likes both. It rains. The user's brother left.")
    assert read.about == (KIN, SELF, "mina", "", KIN)


def test_markup_leaves_the_words() -> None:
    edge = "Mina -[WORKS_AT since 2019]-> Harbor Lab"
    assert plain_text(edge).split() == "Mina works at since 2019 Harbor Lab".split()
    assert forms("(Mina) --[WORKS AT]--> (Harbor Lab)") == forms("Mina works at Harbor Lab")
    assert forms("Mina | works_at | Harbor Lab") == forms("Mina works at Harbor Lab")
    assert (
        forms("**City:** _Oslo_\n# Work\n* baker")
        == forms("- city: Oslo\n- job: baker")
        == [
            "citi",
            "oslo",
            "work",
            "baker",
        ]
    )


def test_a_note_is_read_without_its_labels_and_keywords() -> None:
    note = "content: Mina bakes bread | context: Mina's weekends | keywords: flour, oven | tags: food"
    assert forms(note) == ["mina", "bake", "bread", "mina", "weekend"]


def test_the_lines_of_a_profile_are_sentences() -> None:
    read = statement("- name: Mina\n- city: Oslo")
    assert [(unit.form, unit.sentence) for unit in read.units] == [("mina", 0), ("citi", 1), ("oslo", 1)]


def test_a_negation_belongs_to_its_clause() -> None:
    read = statement("I don't eat fish, but I eat eggs.")
    clause = {unit.form: unit.clause for unit in read.units}
    assert read.count("negation", frozenset([clause["fish"]])) == {"not": 1}
    assert not read.count("negation", frozenset([clause["egg"]]))
    assert read.count("negation") == {"not": 1}


@pytest.mark.parametrize("text", ["I work on Mondays and not beyond.", "I work on Mondays, nothing else."])
def test_saying_that_nothing_else_counts_is_only(text: str) -> None:
    assert marks(text, "exclusive") == marks("I only work on Mondays.", "exclusive") == 1
    assert marks(text, "negation") == 0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Perhaps she moved.", "hedge"),
        ("She might move.", "hedge"),
        ("She is not sure.", "hedge"),
        ("She will move.", "plan"),
        ("She plans a move.", "plan"),
        ("She used to row.", "past"),
        ("She asked about boats.", "asked"),
        ("Did she row?", "asked"),
        ("She rows if it is dry.", "condition"),
        ("She rows unless it rains.", "exclusive"),
        ("She rows because it is dry.", "cause"),
        ("She has at least 3 boats.", "compare"),
        ("She has all boats.", "quantity"),
        ("She must row.", "modal"),
    ],
)
def test_words_that_turn_a_statement_are_marks(text: str, kind: str) -> None:
    assert marks(text, kind) == 1
    assert marks("She rows.", kind) == 0


def test_over_counts_as_more_than_only_before_a_number() -> None:
    assert "more_than" in forms("It costs over 20 euros.")
    assert forms("It flew over the roof.") == ["fli", "roof"]


def test_links_say_what_part_a_unit_plays() -> None:
    links = {unit.form: unit.link for unit in statement("We moved from Oslo to Bergen with Mina.").units}
    assert links == {SELF: "", "move": "", "oslo": "from", "bergen": "to", "mina": "with"}


def test_chinese_and_japanese_are_read_word_by_word() -> None:
    assert forms("私は毎朝コーヒーを飲みます。") == ["私は", "毎朝", "コーヒーを", "飲みます"]
    assert "周末" in forms("我喜欢在周末去爬山。")


def test_words_know_their_rivals() -> None:
    assert rivals("monday") >= {"tuesday", "sunday"}
    assert word_form("purchased") == word_form("acquire")
    assert rivals("teapot") == frozenset()
    assert rarity("the") < rarity("harbor") < rarity("qwertzu") == 1.0
    assert mark_kinds("teapot") == ()


def test_phrases_are_short_enough_to_be_found() -> None:
    from memtriage.diagnose.lexical.statement import _LONGEST_PHRASE

    assert max(map(len, phrases())) <= _LONGEST_PHRASE


SNIPPETS = st.sampled_from(
    """I user my sister's n't can't won't 1000k 2024-03T10 2024-13-45 5pm 99:99 half past dozen of yesterday ago in next
    year -[ ]-> {} | keywords: content: _ * # ≥ <3 $20 % & ½ ² ١٢ 3rd 90s 2x x3 İ ß 東京に行きました 我喜欢你 not
    beyond only if Will US at least more than no one each other ? . ; \u200b \ud800""".split()
)


@settings(max_examples=150, deadline=None)
@given(st.text() | st.lists(SNIPPETS, max_size=25).map(" ".join))
@example("")
@example("n't")
@example("\n")
@example("9" * 5000)
@example("in 99999999999 days")
def test_any_text_can_be_read(text: str) -> None:
    read = statement(text, "2024-03-01")
    assert all(unit.sentence < len(read.about) for unit in read.units)
    assert all(read.clauses[unit.clause] == unit.sentence for unit in read.units)
    assert all(0 <= mark.clause < len(read.clauses) for mark in read.marks)
    assert all(unit.form for unit in read.units)


def test_empty_text_says_nothing() -> None:
    assert statement("") == statement(" \n\t ")
    assert statement("").units == statement("").marks == statement("").about == ()


def test_a_very_long_text_is_read_in_little_time() -> None:
    started = time.monotonic()
    read = statement("Mina met seven friends in Oslo, not in Bergen. " * 2000)
    assert len(read.about) == 2000
    assert len(statement("old boats " * 10_000).units) == 20_000
    assert time.monotonic() - started < 20
