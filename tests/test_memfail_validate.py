"""The validator: sound rows pass, each broken rule is named, and released rows have no errors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conftest import shared_data
from memtriage.core.errors import BadInput
from memtriage.suites.memfail.released.files import find_files, read_rows
from memtriage.suites.memfail.released.rules import bare_question
from memtriage.suites.memfail.released.validate import RowProblem, errors, summary, validate
from memtriage.suites.memfail.rows import (
    DATASETS,
    CoexistingRow,
    ConditionalRow,
    LongHopRow,
    PersonaQuestion,
    PersonaRow,
    Row,
)

EASY = ConditionalRow(
    entity="Bram",
    entity_category="pet",
    behavior="hides the red sock",
    condition_type="weather",
    condition="when it hails",
    essay=(
        "Bram is an old hound with one torn ear. He lives above a bakery. Bram hides the red sock only when it hails. "
        "His bowl is blue. The children next door adore him."
    ),
    question="Hail is drumming on the roof. Will Bram hide the red sock?",
    question_context="hail on the roof",
    condition_met="yes",
    ground_truth_answer="Yes, it hails.",
    evidence=("Bram hides the red sock only when it hails.",),
    details=("red sock", "only when it hails"),
)
HARD_SENTENCES = (
    "Bram is an old hound with one torn ear.",
    "He likes to hide a certain red sock.",
    "He lives above a bakery.",
    "Hail often rattles over that quarter in spring.",
    "His bowl is blue.",
    "It is mostly during that rattling that the hiding begins.",
    "The children next door adore him.",
    "Sundays he spends at the river.",
)
HARD = replace(
    EASY,
    essay=" ".join(HARD_SENTENCES),
    evidence=(HARD_SENTENCES[1], HARD_SENTENCES[3], HARD_SENTENCES[5]),
    details=("red sock", "Hail"),
)
COEXISTING = CoexistingRow(
    preference_category="foods",
    preferences=("lentil soup", "rice", "rice cakes"),
    preference_facts=(
        "I warm up with lentil soups.",
        "Rice is my answer to everything.",
        "I nibble rice cakes at work.",
    ),
    question="I'm off to the market. What should I bring home?",
    ground_truth_answer="Lentil soup, rice, rice cakes",
)
ESSAY = " ".join(["Maya Patel mends clocks in a shed.", "She never eats plums.", *["The shed has a green door."] * 8])
PERSONA = PersonaRow(
    entity="Maya Patel",
    essay=ESSAY,
    questions=(
        PersonaQuestion(
            "Which fruit should I not offer Maya Patel?", False, None, "Plums.", ("She never eats plums.",), ("plums",)
        ),
        PersonaQuestion("What does Liam Carter mend?", True, "Liam Carter", "I don't have anything on Liam Carter."),
        PersonaQuestion("Where does Zoe Kim work?", True, "Zoe Kim", "Nothing is known about Zoe Kim."),
    ),
)
CHOICES = ("fold maps", "peel pears", "knit scarves", "sweep stairs", "tune guitars")
LONG_HOP = LongHopRow(
    id="c1",
    hop_count=2,
    facts=("Heavy rain makes me drowsy.", "When drowsy I boil some milk.", "Boil some milk and I knit scarves."),
    chain=("heavy rain", "drowsy", "boil some milk", "knit scarves"),
    graded_question="What do I do in the end in heavy rain?\n\nOptions:\n"
    + "\n".join(f"{letter}. {choice}" for letter, choice in zip("ABCDE", CHOICES, strict=True)),
    ground_truth_answer="knit scarves",
    choices=CHOICES,
    correct_choice="C",
)
SOUND: dict[str, Row] = {
    "conditional-easy": EASY,
    "conditional-hard": HARD,
    "coexisting": COEXISTING,
    "persona": PERSONA,
    "long-hop": LONG_HOP,
}


def broken(row: Row, dataset: str) -> set[str]:
    return {problem.rule for problem in validate([row], dataset, "here")}


def persona_row(number: int, **changes: object) -> PersonaRow:
    questions = list(PERSONA.questions)
    questions[number] = replace(questions[number], **changes)  # type: ignore[arg-type]
    return replace(PERSONA, questions=tuple(questions))


@pytest.mark.parametrize("dataset", DATASETS)
def test_a_sound_row_has_no_problem(dataset: str) -> None:
    assert validate([SOUND[dataset]], dataset, "here") == []


@pytest.mark.parametrize(
    ("row", "rules"),
    [
        (replace(EASY, entity_category="plant"), {"entity-category"}),
        (replace(EASY, condition_type="wether"), {"condition-type"}),
        (replace(EASY, condition_type="mood"), {"pet-condition"}),
        (replace(EASY, condition_type="mood", entity_category="person"), set()),
        (replace(EASY, condition_met="maybe"), {"condition-met"}),
        (replace(EASY, condition_met="no"), {"answer-agrees"}),
        (replace(EASY, ground_truth_answer="Perhaps."), {"answer-yes-no"}),
        (replace(EASY, ground_truth_answer="Nobody knows."), {"answer-yes-no"}),
        (replace(EASY, question="Will he hide the sock?"), {"question-names-entity"}),
        (replace(EASY, entity="Bra"), {"essay-names-entity", "question-names-entity"}),
        (replace(EASY, evidence=("He hides the sock.",), details=()), {"evidence-in-essay"}),
        (replace(EASY, details=("blue sock",)), {"detail-in-evidence"}),
        (replace(EASY, behavior="whistles at pigeons"), {"rule-present"}),
        (replace(EASY, condition="at midnight"), {"rule-present"}),
        (replace(EASY, essay=EASY.essay + " He barks whenever it rings."), {"one-conditional"}),
        (replace(EASY, essay=EASY.evidence[0]), {"sentence-count"}),
        (replace(EASY, essay=EASY.essay + " It is so." * 4), {"sentence-count"}),
    ],
)
def test_conditional_easy(row: ConditionalRow, rules: set[str]) -> None:
    assert broken(row, "conditional-easy") == rules


@pytest.mark.parametrize(
    ("row", "rules"),
    [
        (replace(HARD, essay=HARD.essay.replace("bakery.", "bakery, if you ask.")), {"no-connective"}),
        (replace(HARD, essay=HARD.essay.replace("bakery.", "bakery.  ONLY\nAFTER tea.")), {"no-connective"}),
        (replace(HARD, essay=HARD.essay.replace("bakery", "gifted sheriff's")), set()),
        (replace(HARD, evidence=HARD.evidence[:2]), {"three-sentences"}),
        (replace(HARD, evidence=(*HARD_SENTENCES[2:4], HARD_SENTENCES[5]), details=()), {"apart"}),
        (replace(HARD, evidence=(HARD_SENTENCES[5], HARD_SENTENCES[1], HARD_SENTENCES[1][:9]), details=()), {"apart"}),
        (replace(HARD, essay=HARD.essay + " He hides the red sock when it hails."), {"decomposed"}),
        (replace(HARD, evidence=(), details=()), set()),
        (replace(HARD, essay=HARD.essay[: HARD.essay.index("Sundays")]), {"sentence-count"}),
    ],
)
def test_conditional_hard(row: ConditionalRow, rules: set[str]) -> None:
    assert broken(row, "conditional-hard") == rules


@pytest.mark.parametrize(
    ("row", "rules"),
    [
        (replace(COEXISTING, preference_category="food"), {"category"}),
        (replace(COEXISTING, preferences=("rice",), preference_facts=("I eat rice.",)), {"preference-count"}),
        (replace(COEXISTING, preference_facts=COEXISTING.preference_facts[:2]), {"same-length"}),
        (replace(COEXISTING, preferences=("lentil soup", "rice", "Rice!")), {"distinct-preferences"}),
        (replace(COEXISTING, ground_truth_answer="lentil soup, price, cakes"), {"answer-complete"}),
        (
            replace(COEXISTING, preference_facts=("I warm up.", *COEXISTING.preference_facts[1:])),
            {"fact-names-own"},
        ),
        (
            replace(COEXISTING, preference_facts=("I like lentil soup with rice.", *COEXISTING.preference_facts[1:])),
            {"fact-names-other"},
        ),
        (replace(COEXISTING, ground_truth_answer="LENTIL SOUP; rice and rice-cakes"), set()),
        (replace(COEXISTING, ground_truth_answer="lentil soup, cakes"), {"answer-complete"}),
        (replace(COEXISTING, question="List all my foods."), {"scenario-question"}),
        (
            replace(COEXISTING, preference_facts=("Lentil soup is warm.", *COEXISTING.preference_facts[1:])),
            {"first-person-fact"},
        ),
    ],
)
def test_coexisting(row: CoexistingRow, rules: set[str]) -> None:
    assert broken(row, "coexisting") == rules


@pytest.mark.parametrize(
    ("row", "rules"),
    [
        (replace(PERSONA, questions=PERSONA.questions[:2]), {"three-questions"}),
        (replace(PERSONA, essay=ESSAY.replace("green", "Zoe Kim's")), {"distractor-absent"}),
        (replace(PERSONA, essay=ESSAY.replace("a green", "my")), {"third-person"}),
        (replace(PERSONA, essay=ESSAY.replace("Maya Patel", "Maya")), {"essay-names-entity"}),
        (replace(PERSONA, essay=ESSAY[: ESSAY.rindex("The")]), {"sentence-count"}),
        (persona_row(0, text="Which fruit should I not offer Maya?"), {"direct-names-entity"}),
        (persona_row(0, text="Does Maya Patel know Zoe Kim?"), {"direct-names-distractor"}),
        (persona_row(0, distractor="Noah Brooks"), {"direct-no-distractor"}),
        (persona_row(0, ground_truth_answer="Give quinces."), {"answer-supported"}),
        (persona_row(0, evidence=("She hates plums.",)), {"evidence-in-essay"}),
        (persona_row(0, details=("pears",)), {"detail-in-evidence"}),
        (persona_row(1, distractor=None), {"misleading-distractor"}),
        (persona_row(1, text="What is mended?"), {"misleading-names-distractor"}),
        (persona_row(1, text="Would Liam Carter like Maya Patel?"), {"misleading-names-entity"}),
        (persona_row(1, ground_truth_answer="Liam Carter mends clocks."), {"abstains"}),
        (persona_row(1, ground_truth_answer="I don't know."), {"abstains"}),
        (persona_row(1, evidence=("She hates plums.",)), {"evidence-in-essay"}),
        (
            persona_row(1, distractor="Zoe Kim", text="Is Zoe Kim in?", ground_truth_answer="No idea about Zoe Kim."),
            {"distinct-distractors"},
        ),
        (
            persona_row(
                1, distractor="Ada Moss", text="Is Ada Moss in?", ground_truth_answer="No idea about Ada Moss."
            ),
            {"distractor-known"},
        ),
    ],
)
def test_persona(row: PersonaRow, rules: set[str]) -> None:
    assert broken(row, "persona") == rules


def test_a_person_outside_the_pool_and_one_who_is_her_own_distractor() -> None:
    stranger = replace(PERSONA, entity="Ada Moss", essay=ESSAY.replace("Maya Patel", "Ada Moss"))
    assert {"entity-known", "direct-names-entity"} == broken(stranger, "persona")
    assert "distractor-other" in broken(persona_row(1, distractor="Maya Patel", text="Is Maya Patel in?"), "persona")


def other_row(name: str, sentence: str) -> PersonaRow:
    """A sound row about somebody else, of whom a sentence is told."""
    essay = ESSAY.replace("Maya Patel", name).replace("She never eats plums.", sentence)
    own = PersonaQuestion(f"Where does {name} mend?", False, None, "In a shed.", (f"{name} mends clocks in a shed.",))
    return replace(PERSONA, entity=name, essay=essay, questions=(own, *PERSONA.questions[1:]))


def test_people_of_one_store_can_be_told_apart() -> None:
    def found(*rows: PersonaRow) -> list[tuple[int, str]]:
        return [(p.row, p.rule) for p in validate(rows, "persona", "here")]

    told = "He never really eats pears."
    assert found(PERSONA, other_row("Sofia Weber", told)) == []
    assert found(PERSONA, other_row("Sofia Patel", told)) == []
    assert found(PERSONA, other_row("Maya Weber", "He likes a quiet street.")) == [(2, "told-of-one")]
    both = found(PERSONA, other_row("Maya Patel", told))
    assert both.count((1, "one-person-per-name")) == both.count((2, "one-person-per-name")) == 1
    assert (1, "told-of-one") in both
    assert found(PERSONA, other_row("Zoe Kim", told)).count((1, "stranger-unknown")) == 1


def test_where_released_people_come_back_there_is_a_warning_with_the_rows() -> None:
    bare = tuple(replace(question, evidence=(), details=()) for question in PERSONA.questions)
    released = replace(PERSONA, questions=bare)
    problems = validate([released, released, replace(released, entity="Zoe Kim")], "persona", "my.csv")
    assert errors(validate([released, released], "persona", "my.csv")) == []
    warnings = [str(problem) for problem in problems if problem.level == "warning"]
    assert "my.csv, row 1: Maya Patel is also the person of row 2 [warning: one-person-per-name]" in warnings
    about = "question 3: Zoe Kim is no stranger but the person of row 3"
    assert f"my.csv, row 2: {about} [warning: stranger-unknown]" in warnings


LINES = LONG_HOP.graded_question.split("\n")


@pytest.mark.parametrize(
    ("row", "rules"),
    [
        (replace(LONG_HOP, hop_count=1), {"fact-count", "anchor-count"}),
        (replace(LONG_HOP, facts=LONG_HOP.facts[:2]), {"fact-count"}),
        (replace(LONG_HOP, chain=LONG_HOP.chain[:3]), {"anchor-count", "answer-is-terminal"}),
        (
            replace(LONG_HOP, chain=("heavy rain", "drowsy", "Drowsy", "knit scarves")),
            {"distinct-anchors", "anchor-in-fact", "anchor-elsewhere"},
        ),
        (replace(LONG_HOP, facts=("Heavy rain wakes me.", *LONG_HOP.facts[1:])), {"anchor-in-fact"}),
        (replace(LONG_HOP, facts=("Heavy rains make me drowsy.", *LONG_HOP.facts[1:])), set()),
        (replace(LONG_HOP, facts=(*LONG_HOP.facts[:2], "Boiling some milk I knit scarves.")), {"anchor-literal"}),
        (replace(LONG_HOP, facts=("Heavy rain: drowsy, I knit scarves.", *LONG_HOP.facts[1:])), {"anchor-elsewhere"}),
        (replace(LONG_HOP, facts=(*LONG_HOP.facts[:2], "In heavy rain I boil some milk and knit scarves.")), set()),
        (replace(LONG_HOP, graded_question="\n".join(["What do I do?", *LINES[1:]])), {"head-in-question"}),
        (replace(LONG_HOP, graded_question="\n".join(["What, when raining?", *LINES[1:]])), set()),
        (
            replace(LONG_HOP, graded_question="\n".join(["In heavy rain, drowsy, what?", *LINES[1:]])),
            {"middle-in-question"},
        ),
        (replace(LONG_HOP, graded_question="\n".join(LINES[:-1])), {"options-listed"}),
        (replace(LONG_HOP, correct_choice="A"), {"correct-is-answer", "wrong-is-anchor"}),
        (replace(LONG_HOP, correct_choice="F"), {"correct-choice"}),
        (replace(LONG_HOP, ground_truth_answer="Scarves"), {"correct-is-answer"}),
        (replace(LONG_HOP, ground_truth_answer="wash up"), {"answer-is-terminal", "correct-is-answer"}),
        (replace(LONG_HOP, choices=(*CHOICES[:4], "Fold maps.")), {"five-choices"}),
        (replace(LONG_HOP, choices=("drowsy", *CHOICES[1:])), {"options-listed", "wrong-is-anchor"}),
        (replace(LONG_HOP, facts=("Heavy rain makes her drowsy.", *LONG_HOP.facts[1:])), {"self-contained"}),
        (replace(LONG_HOP, facts=("Heavy rain makes me drowsy. It does.", *LONG_HOP.facts[1:])), {"one-sentence"}),
        (
            replace(LONG_HOP, facts=("Heavy rain makes me drowsy" + " so" * 12 + ".", *LONG_HOP.facts[1:])),
            {"short-fact"},
        ),
    ],
)
def test_long_hop(row: LongHopRow, rules: set[str]) -> None:
    assert broken(row, "long-hop") == rules


def test_a_named_person_stands_in_every_fact_of_the_chain() -> None:
    row = replace(
        LONG_HOP,
        hop_count=1,
        facts=("Nadia loves heavy rain.", "Heavy rain makes Nadia knit scarves."),
        chain=("Nadia", "heavy rain", "knit scarves"),
        graded_question="\n".join(["What does Nadia's favourite weather make her do?", *LINES[1:]]),
    )
    assert broken(row, "long-hop") == set()
    without = replace(row, facts=(row.facts[0], "Heavy rain makes her knit scarves."))
    assert broken(without, "long-hop") == {"person-in-fact"}
    thing = replace(
        row,
        facts=("Korean dramas make me want heavy rain.", "Heavy rain makes me knit scarves."),
        chain=("Korean dramas", "heavy rain", "knit scarves"),
        graded_question="\n".join(["What do Korean dramas make me do?", *LINES[1:]]),
    )
    assert broken(thing, "long-hop") == set()


def test_the_options_below_the_question_are_not_the_question() -> None:
    assert bare_question(LONG_HOP) == "What do I do in the end in heavy rain?"
    assert bare_question(replace(LONG_HOP, graded_question="Q?\nA. a\nB. b")) == "Q?"
    assert bare_question(replace(LONG_HOP, graded_question="Q about A. Smith?")) == "Q about A. Smith?"


def test_what_only_all_rows_together_can_break() -> None:
    def together(rows: list[Row], dataset: str) -> list[str]:
        return [p.rule for p in validate(rows, dataset, "here") if p.row == 0]

    lopsided: list[Row] = [EASY] * 16 + [replace(EASY, condition_met="no", ground_truth_answer="No.")] * 4
    assert together(lopsided, "conditional-easy") == ["balance"]
    assert together(lopsided[1:], "conditional-easy") == []  # too few to tell
    assert together([*lopsided[1:], lopsided[-1]], "conditional-easy") == []  # 15 of 20 is balanced enough
    assert together([persona_row(0, is_misleading=True)] * 7, "persona") == ["balance"]
    assert together([COEXISTING, COEXISTING], "coexisting") == ["one-row-per-category"]
    assert together([LONG_HOP, LONG_HOP], "long-hop") == ["unique-id"]
    assert together([LONG_HOP, replace(LONG_HOP, id="c2")], "long-hop") == ["fact-unique"] * 3
    many: list[Row] = [replace(LONG_HOP, id=f"c{i}", facts=(), chain=()) for i in range(20)]
    assert together(many, "long-hop") == ["balance"]


def test_problems_are_told_with_place_and_level_and_summed_up() -> None:
    rows: list[Row] = [EASY, replace(EASY, condition_met="no"), replace(EASY, entity_category="pets")]
    problems = validate(rows, "conditional-easy", "my.csv")
    assert errors(problems) == [
        RowProblem(3, "entity-category", problems[-1].message, "error", "my.csv"),
    ]
    assert str(problems[0]) == (
        "my.csv, row 2: condition_met is no, but the answer begins with yes [warning: answer-agrees]"
    )
    assert "did you mean 'pet'?" in problems[-1].message
    assert [line.split(",")[0] for line in summary(problems)] == ["1 × my.csv", "1 × my.csv"]
    assert "error: entity-category" in summary(problems)[0]


def test_rows_of_another_dataset_are_refused() -> None:
    with pytest.raises(BadInput, match="row 1 is a LongHopRow, but persona has PersonaRow"):
        validate([LONG_HOP], "persona", "here")
    with pytest.raises(BadInput, match="unknown dataset"):
        validate([], "personas", "here")


@pytest.mark.parametrize("dataset", DATASETS)
def test_released_rows_have_no_errors(dataset: str) -> None:
    path = find_files(shared_data("memfail"))[dataset]
    problems = validate(read_rows(path, dataset), dataset, path.name)
    assert errors(problems) == []
    assert any(problem.rule == "one-person-per-name" for problem in problems) == (dataset == "persona")
