"""What every generated Persona-Retrieval row promises, checked without the generator's own parts."""

from __future__ import annotations

import re
from itertools import islice
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.errors import BadInput
from memtriage.suites.kit.words import items, records
from memtriage.suites.memfail.cast import Cast, is_known
from memtriage.suites.memfail.dedup import deduplicate
from memtriage.suites.memfail.generate.persona import generate
from memtriage.suites.memfail.paper import PACKAGE, flavors
from memtriage.suites.memfail.released.rules import told_apart
from memtriage.suites.memfail.released.validate import errors, validate
from memtriage.suites.memfail.rows import PersonaQuestion, PersonaRow
from memtriage.text.sentences import sentences
from memtriage.text.tokens import count_tokens

ROWS = [row for seed in (0, 1, 42) for row in islice(generate(seed), 300)]
FIRST_PERSON = re.compile(r"\b(I|me|my|we|our|us|mine|myself|ours)\b", re.IGNORECASE)
NAMES = {kind: names.split() for kind, names in records(PACKAGE, "persona/names").items()}


def questions() -> list[tuple[PersonaRow, PersonaQuestion]]:
    return [(row, question) for row in ROWS for question in row.questions]


def name_words(text: str) -> set[str]:
    """The first and last names of the pool that a text uses."""
    return {name for names in NAMES.values() for name in names} & set(re.findall(r"[^\W\d_]+", text))


def test_names_are_different_and_go_together() -> None:
    every = [name for names in NAMES.values() for name in names]
    assert len(every) == len(set(every))
    assert is_known("Ava Thompson")
    assert not any(map(is_known, ("Ava", "Thompson", "Thompson Ava", "Ava Maria Thompson", "")))
    assert len(flavors()) == 30
    assert "a glassblower with severe pollen allergies" in flavors()


@settings(max_examples=15, deadline=None)
@given(st.integers(min_value=0, max_value=2**63))
def test_a_seed_names_its_rows(seed: int) -> None:
    assert list(islice(generate(seed), 3)) == list(islice(generate(seed), 3))
    assert next(generate(seed)) != next(generate(seed + 1))


def test_an_essay_has_ten_to_fifteen_sentences_and_opens_with_the_full_name() -> None:
    for row in ROWS:
        essay = sentences(row.essay)
        assert 10 <= len(essay) <= 15, row.essay
        assert row.entity in essay[0], row.essay


def test_an_essay_speaks_of_one_person_in_the_third_person() -> None:
    for row in ROWS:
        assert not FIRST_PERSON.search(row.essay), row.essay
        assert name_words(row.essay) == set(row.entity.split()), row.essay


def test_pronouns_fit_the_name() -> None:
    for row in ROWS:
        wrong = r"\b(he|him|himself|his)\b" if row.entity.split()[0] in NAMES["women"] else r"\b(she|hers|herself)\b"
        text = " ".join([row.essay, *(q.ground_truth_answer for q in row.questions if not q.is_misleading)])
        assert not re.search(wrong, text, re.IGNORECASE), text


def test_no_pattern_shows_through() -> None:
    for row in ROWS:
        texts = [row.essay, *(t for q in row.questions for t in (q.text, q.ground_truth_answer))]
        for text in texts:
            assert not re.search(r"[{}\[\]<>|]|\s\s|\s[.,;?]|\.\.", text), text
            assert text[0].isupper(), text
            assert not re.search(r"\b(\w+) \1\b", text), text
        for sentence in sentences(row.essay):
            assert sentence[0].isupper(), sentence
            assert sentence.endswith("."), sentence
        assert all(q.text.endswith(("?", ".")) and "?" in q.text for q in row.questions)


def test_what_follows_a_detail_is_set_apart() -> None:
    for _, question in questions():
        for detail in question.details:
            assert not re.search(rf"{re.escape(detail)}and\b", question.evidence[0]), question.evidence


def test_articles_fit_the_word_behind_them() -> None:
    silent = ("honest", "hour", "heir")
    for row in ROWS:
        for article, word in re.findall(r"\b([Aa]n?) ([a-z]\w*)", row.essay):
            vowel = word.startswith(silent) or (word[0] in "aeiou" and not word.startswith(("one", "uni", "use", "eu")))
            assert (article.lower() == "an") == vowel, f"{article} {word}"


def test_details_stand_once_in_the_essay_and_in_their_evidence() -> None:
    for row, question in questions():
        assert len(question.evidence) == 1
        assert question.evidence[0] in sentences(row.essay)
        assert question.details
        for detail in question.details:
            assert detail in question.evidence[0]
            assert row.essay.count(detail) == 1, (detail, row.essay)


def test_a_question_does_not_give_its_answer_away() -> None:
    for _, question in questions():
        for detail in question.details:
            assert detail.lower() not in question.text.lower(), question


def test_the_three_questions_probe_different_facts() -> None:
    for row in ROWS:
        assert len(row.questions) == 3
        assert len({question.evidence for question in row.questions}) == 3
        assert len({question.text for question in row.questions}) == 3


def test_a_direct_question_names_the_person_and_is_answered_from_the_essay() -> None:
    for row, question in questions():
        if question.is_misleading:
            continue
        assert question.distractor is None
        assert row.entity in question.text
        assert name_words(question.text) == set(row.entity.split())
        assert 1 <= len(sentences(question.ground_truth_answer)) <= 2
        answer = question.ground_truth_answer.lower()
        bare = [re.sub(r"^(best of|mile|ambulance) ", "", detail.lower()) for detail in question.details]
        assert all(detail in answer for detail in bare), question


def test_a_misleading_question_names_only_a_stranger() -> None:
    for _, question in questions():
        if not question.is_misleading:
            continue
        assert question.distractor is not None
        assert is_known(question.distractor)
        assert question.distractor in question.text
        assert name_words(question.text) == set(question.distractor.split())
        assert question.ground_truth_answer == f"I don't have information about {question.distractor}."
    for row in ROWS:
        strangers = [question.distractor for question in row.questions if question.distractor]
        assert len(strangers) == len(set(strangers))


@pytest.mark.parametrize("slot", [0, 1, 2])
def test_each_slot_is_misleading_half_of_the_time(slot: int) -> None:
    share = sum(row.questions[slot].is_misleading for row in ROWS) / len(ROWS)
    assert 0.43 < share < 0.57  # four standard errors


def test_a_store_has_nobody_twice_and_first_names_come_back() -> None:
    rows = list(islice(generate(8), 100))
    assert len({row.entity for row in rows}) == 100
    assert 40 <= len({row.entity.split()[0] for row in rows}) <= 62  # 51 on average
    assert len({row.entity.split()[1] for row in rows}) >= 80
    strangers = {question.distractor for row in rows for question in row.questions if question.distractor}
    assert not {name.split()[0] for name in strangers} & {row.entity.split()[0] for row in rows}


@settings(max_examples=5, deadline=None)
@given(st.integers(min_value=0, max_value=2**63))
def test_what_is_asked_about_one_person_is_told_of_no_namesake(seed: int) -> None:
    rows = list(islice(generate(seed), 300))
    for row in rows:
        namesakes = [r for r in rows if r is not row and r.entity.split()[0] == row.entity.split()[0]]
        for question in row.questions:
            [asked] = [trait for trait in TRAITS if trait.tells(question.evidence[0])]
            like = [trait for trait in TRAITS if trait == asked or trait.topics & asked.topics]
            told = [s for r in namesakes for s in sentences(r.essay) if any(trait.tells(s) for trait in like)]
            assert not told, (question, told)
    assert errors(validate(rows, "persona", "generated")) == []


class Trait(NamedTuple):
    """A trait of the word files: how essays tell it, as a pattern, and its topics."""

    said: re.Pattern[str]
    topics: frozenset[str]

    def tells(self, sentence: str) -> bool:
        """Whether a sentence tells the trait, whatever it goes on with."""
        return self.said.match(sentence) is not None


def traits(file: str) -> list[Trait]:
    found = []
    for record in records(PACKAGE, file)["traits"]:
        ways = [re.split(r"\{[^}]*\}", re.sub(r"[\[\]]", "", says[:-1])) for says in items(record["says"])]
        said = "|".join(".+".join(map(re.escape, way)) for way in ways)
        found.append(Trait(re.compile(said, re.IGNORECASE), frozenset(record.get("topics", "").split())))
    return found


TRAITS = [trait for file in ("persona/shared", *flavors().values()) for trait in traits(file)]


def test_three_thousand_people_can_be_told_apart() -> None:
    rows = list(islice(generate(42), 3_000))
    assert len({row.entity for row in rows}) == 3_000
    assert list(told_apart(rows)) == []


def test_when_nobody_is_left_it_says_so() -> None:
    people = iter(Cast(Random(1)).person, None)
    with pytest.raises(BadInput, match="ask for at most 10,000 persona rows"):
        list(islice(people, 100_000))


def test_essays_are_as_long_as_the_papers_and_hardly_alike() -> None:
    rows = list(islice(generate(5), 1000))
    tokens = sum(count_tokens(row.essay) for row in rows) / len(rows)
    assert 225 < tokens < 275
    assert len(deduplicate(rows, "persona").removed) <= 1
