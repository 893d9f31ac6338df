"""The gold facts of rows: what is annotated, and what alignment finds where nothing is."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from memtriage.suites.memfail import facts
from memtriage.suites.memfail.generate import conditional as generator
from memtriage.suites.memfail.generate import persona
from memtriage.suites.memfail.rows import CoexistingRow, ConditionalRow, LongHopRow, PersonaQuestion, PersonaRow
from memtriage.text.words import words

ESSAY = "Quill is a heron of some years. Quill stands on one leg only when the tide drops below 2 metres. He eats eels."


def row(**changes: str) -> ConditionalRow:
    kept = {
        "entity": "Quill",
        "entity_category": "pet",
        "behavior": "stands on one leg",
        "condition_type": "threshold",
        "condition": "when the tide falls below 2 metres",
        "essay": ESSAY,
        "question": "?",
        "question_context": "",
        "condition_met": "yes",
        "ground_truth_answer": "Yes.",
    }
    return ConditionalRow(**{**kept, **changes})


def test_a_rule_is_aligned_to_its_sentence_and_its_details() -> None:
    fact = facts.conditional(row(), "f", "t", hard=False)
    assert fact.evidence == (ESSAY.split(". ")[1] + ".",)
    assert fact.details == ("tide", "below 2 metres", "stands on one leg")
    assert (fact.subject, fact.split, fact.turns) == ("Quill", False, ("t",))


def test_a_hard_rule_is_aligned_to_the_sentences_of_habit_and_condition() -> None:
    essay = "Quill stands on one leg in the reeds. He eats eels. That starts when the tide drops below 2 metres."
    fact = facts.conditional(row(essay=essay), "f", "t", hard=True)
    assert fact.evidence == (
        "Quill stands on one leg in the reeds.",
        "That starts when the tide drops below 2 metres.",
    )
    assert fact.split


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("when it rains", "only when it rains"),
        ("only if it rains", "only if it rains"),
        ("Only at noon", "only at noon"),
        ("whenever it rains", "only when it rains"),
        ("immediately after lunch", "only immediately after lunch"),
        ("unless it rains", "unless it rains"),
    ],
)
def test_a_rule_says_that_its_condition_is_the_only_one(condition: str, told: str) -> None:
    fact = facts.conditional(row(condition=condition), "f", "t", hard=False)
    assert fact.text == f"Quill stands on one leg {told}."


@pytest.mark.parametrize("style", ["easy", "hard"])
def test_alignment_agrees_with_the_annotation(style: str) -> None:
    rows = list(islice(generator.generate(5, style), 150))  # type: ignore[arg-type]
    hard = style == "hard"
    agree = 0
    for made in rows:
        bare = facts.conditional(replace(made, evidence=(), details=()), "f", "t", hard)
        told = facts.conditional(made, "f", "t", hard)
        agree += set(bare.evidence) <= set(told.evidence)
    assert agree >= 0.95 * len(rows)


def test_persona_alignment_agrees_with_the_annotation_for_direct_questions() -> None:
    agree = total = 0
    for made in islice(persona.generate(5), 60):
        for question in made.questions:
            if question.is_misleading:
                continue
            bare = facts.persona(made, replace(question, evidence=(), details=()), "f", "t")
            total += 1
            agree += not set(bare.evidence).isdisjoint(question.evidence)
    assert agree >= 0.9 * total


def test_a_short_detail_is_not_swallowed_by_a_longer_word() -> None:
    made = row(condition="", essay="x")
    told = replace(made, evidence=("Quill hosts a Thursday party about art.",), details=("Thursday party", "art"))
    assert facts.conditional(told, "f", "t", hard=False).details == ("Thursday party", "art")


def test_a_preference_keeps_its_name_or_what_the_text_has_of_it() -> None:
    made = CoexistingRow("tea", ("mint tea", "black teas"), ("I drink mint tea.", "A black one is nice too."), "?", "!")
    assert facts.coexisting(made, 0, "f", "t").details == ("mint tea",)
    assert facts.coexisting(made, 1, "f", "t").details == ("black",)


def test_a_link_keeps_both_anchors_and_its_person() -> None:
    made = LongHopRow(
        "x",
        1,
        ("Ilse loves the fog horn.", "The fog horn wakes Ilse's gulls."),
        ("Ilse", "fog horn", "gulls"),
        "?",
        "",
        (),
        "A",
    )
    first, second = (facts.long_hop(made, i, f"f{i}", "t") for i in range(2))
    assert (first.details, second.details) == (("Ilse", "fog horn"), ("fog horn", "gulls"))
    assert first.subject == second.subject == "Ilse"


def test_a_misleading_question_is_shaped_after_one_sentence() -> None:
    essay = "Ada Moss repairs organs. She keeps a brass tuning fork in her left boot. Her bread is poor."
    question = PersonaQuestion("Which boot of mine holds the brass tuning fork?", True, "Bo Lind", "I don't know that.")
    fact = facts.persona(PersonaRow("Ada Moss", essay, (question,)), question, "f", "t")
    assert fact.evidence == ("She keeps a brass tuning fork in her left boot.",)
    assert (fact.subject, fact.split) == ("Ada Moss", True)


def test_runs_stop_at_words_the_phrase_lacks_and_at_negations() -> None:
    assert facts.runs("The red kite, not the blue kite, flies.", "red kite blue kite") == ("red kite", "blue kite")
    assert facts.runs("The red kite flies.", "red kite", but=("red",)) == ("kite",)
    assert facts.runs("", "red") == ()


def test_every_fact_has_details_with_words() -> None:
    for made in islice(generator.generate(9, "easy"), 40):
        bare = facts.conditional(replace(made, evidence=(), details=()), "f", "t", hard=False)
        assert bare.details
        assert all(words(detail).stems for detail in bare.details)
