"""The shortcut audit: guesses that need no memory are found where they work, and only there."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from memtriage.cli.main import app
from memtriage.core.episode import Probe
from memtriage.suites.kit.shortcuts import Quiz, guessable, quizzes_of, shortcuts
from memtriage.suites.memfail.generate.rows import stream
from memtriage.suites.memfail.released.files import csv_path, write_rows
from memtriage.suites.memfail.rows import ConditionalRow

WORDS = "amber birch cedar delta ember fjord glade haven inlet jetty knoll lagoon".split()


def fair(seed: int = 1, rows: int = 200, options: int = 5) -> list[Quiz]:
    rng = Random(seed)
    return [
        Quiz(
            row,
            " ".join(rng.sample(WORDS, 4)) + "?",
            tuple(" ".join(rng.sample(WORDS, 2)) for _ in range(options)),
            rng.randrange(options),
        )
        for row in range(1, rows + 1)
    ]


def test_fair_questions_hardly_ever_have_a_shortcut() -> None:
    # one dataset in a hundred may look guessable by luck; 5 of these 40 would be 1 in 20,000
    assert sum(bool(shortcuts(fair(seed, rows=100))) for seed in range(40)) < 5


def test_a_commonest_place_is_found_and_counted_on_rows_it_was_not_learned_from() -> None:
    # 40 rows, 30 of them with the first option right; every tenth part has more firsts among the other rows
    quizzes = [Quiz(row, "?", ("one thing", "two thing"), int(row % 4 == 0)) for row in range(1, 41)]
    found = shortcuts(quizzes)[0]
    assert (found.guess, found.right, found.of, found.chance) == ("the commonest answer", 30, 40, 0.5)
    assert found.rows[:4] == (1, 2, 3, 5)
    assert "balance the right answers" in str(found)


def test_a_word_of_the_question_gives_yes_and_no_away() -> None:
    rng = Random(3)
    quizzes = []
    for row in range(1, 101):
        no = rng.random() < 0.5
        asked = f"{' '.join(rng.sample(WORDS, 3))} {'tonight' if no else 'today'}?"
        quizzes.append(Quiz(row, asked, ("yes", "no"), int(no)))
    (found,) = shortcuts(quizzes)
    assert (found.guess, found.right) == ("the words of the question", 100)
    assert set(found.telling[:2]) == {"‘today’", "‘tonight’"}


def test_an_uneven_answer_is_one_shortcut_and_not_also_one_of_words() -> None:
    rng = Random(4)
    quizzes = [
        Quiz(row, " ".join(rng.sample(WORDS, 3)), ("yes", "no"), int(rng.random() < 0.8)) for row in range(1, 201)
    ]
    assert [found.guess for found in shortcuts(quizzes)] == ["the commonest answer"]


def test_right_options_with_a_word_of_their_own_and_long_ones_are_found() -> None:
    worded = [
        quiz._replace(options=tuple(f"{o} the" if i == quiz.correct else o for i, o in enumerate(quiz.options)))
        for quiz in fair()
    ]
    found = {f.guess: f for f in shortcuts(worded)}
    assert found["the words of the options"].right == 200
    assert found["the words of the options"].telling[0] == "‘the’"
    long = [quiz._replace(options=tuple("x" * (9 if i == quiz.correct else 3) for i in range(5))) for quiz in fair(2)]
    assert "the longest option" in {f.guess for f in shortcuts(long)}


def test_few_rows_say_nothing() -> None:
    assert shortcuts([Quiz(row, "?", ("a", "b"), 0) for row in range(1, 20)]) == []


def test_questions_of_any_suite_by_kind() -> None:
    plain = Probe("p", "Does it rain?", "No, it is dry.", (("f",),))
    probes = [
        plain,
        replace(plain, id="q", gold="Yes."),
        replace(plain, id="r", gold="I don't know Ann.", scoring="abstain", cluster="p"),
        replace(plain, id="s", choices=("x", "y"), correct_choice="B", scoring="choice", text="Which?\n\nA. x\nB. y"),
        replace(plain, id="t", choices=("x", "y"), correct_choice="A", scoring="choice"),
        replace(plain, id="u", text="Who?", gold="Bo", choices=("A. Al", "B. Bo"), scoring="exact"),
        replace(plain, id="v", gold="Heat", choices=tuple(f"film {n}" for n in range(40)), scoring="titles"),
    ]
    found = quizzes_of(probes)
    assert found["yes or no"] == [Quiz(1, plain.text, ("yes", "no"), 1), Quiz(2, plain.text, ("yes", "no"), 0)]
    assert [quiz.correct for quiz in found["known or not"]] == [0, 0, 1]
    assert found["known or not"][2].row == 1
    assert found["choices"][0] == Quiz(3, "Which?", ("x", "y"), 1)
    assert found["choices"][2:] == [Quiz(5, "Who?", ("Al", "Bo"), 1)], "and a catalogue is no set of options"


def test_how_often_declining_is_right_is_a_suite_s_choice_but_its_words_must_not_tell() -> None:
    rng = Random(5)
    plain = Probe("p", "", "Ulm", (("f",),))

    def asked(n: int, cue: str) -> Probe:
        unknown = n % 5 == 0
        words = " ".join(rng.sample(WORDS, 3)) + (cue if unknown else "")
        return replace(plain, id=str(n), text=words, scoring="abstain" if unknown else "free")

    assert guessable(asked(n, "") for n in range(200)) == []
    (problem,) = guessable(asked(n, " at all") for n in range(200))
    assert not problem.is_error
    assert problem.message.startswith("known or not: the words of the question (by ‘")


@pytest.mark.parametrize(
    "asked",
    [
        "meme/personal-life --rows 30 --option filler=none",
        "longmemeval/oracle --rows 60",
        "memoryagentbench/detective --rows 71 --option length=2k",
    ],
)
def test_validate_finds_no_shortcut_in_what_other_suites_generate(tmp_path: Path, asked: str) -> None:
    suite, out = asked.split()[0], str(tmp_path)
    assert CliRunner().invoke(app, ["data", "generate", *asked.split(), "--out", out, "-q"]).exit_code == 0
    said = CliRunner().invoke(app, ["data", "validate", out, "--suite", suite.partition("/")[0]])
    assert said.exit_code == 0
    assert "[shortcut]" not in said.output


def test_validate_prints_a_shortcut_with_rows_and_remedy_and_still_passes(tmp_path: Path) -> None:
    rows = list(islice(stream("conditional-easy", 5, 60), 60))
    told = [
        replace(row, question=f"{'Frankly' if row.condition_met == 'yes' else 'Honestly'}, {row.question}")
        for row in rows
        if isinstance(row, ConditionalRow)
    ]
    write_rows(told, csv_path(tmp_path, "conditional-easy"), "conditional-easy")
    result = CliRunner().invoke(app, ["data", "validate", str(tmp_path)])
    said = " ".join(result.output.split())
    assert result.exit_code == 0
    assert "‘frankly’" in said
    assert "‘honestly’" in said
    assert "word the questions of all answers alike [warning: shortcut]" in said
