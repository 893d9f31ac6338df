"""Answers graded by words: the metrics against an independent computation, and what they mean for a verdict."""

from __future__ import annotations

import asyncio
import io
import json
import random
import string
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from math import isclose
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from memtriage.core.chat import Reply, Tokens
from memtriage.core.episode import Episode, Fact, Probe, Scoring, Session, Turn
from memtriage.core.rubric import JUDGED_AS
from memtriage.core.trace import Answer, History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose.answers import AnswerGrader, last_stage
from memtriage.diagnose.judge.prompts import Case, prompt, rulings
from memtriage.diagnose.judge.staged import Judge
from memtriage.diagnose.store import diagnose, judge_store
from memtriage.metrics.answers import (
    all_inside,
    best,
    contains,
    exact,
    exact_flexible,
    exact_strict,
    f1,
    normalized,
    official,
    parsed,
)
from memtriage.metrics.titles import Titles, listed, recalls
from memtriage.models.client import Client
from memtriage.models.scripted import ContentJudge, StubServer
from memtriage.registry import rubric
from memtriage.report.terminal.show import show
from memtriage.runner.answer_prompts import answer_call, read_answer
from memtriage.suites.memoryagentbench.released.load import title_of
from memtriage.suites.memoryagentbench.rubrics import RUBRICS
from memtriage.tables.measures import measure_rows
from memtriage.tables.table import first_why, table

STRINGS = 10_000
TITLE = st.text("abAB é1", max_size=9)
PARTS = (
    "a an the A The AN yes no noanswer owl Owl OWL tin harbour 43 4.3 -7 label: Answer: answer: anthem theatre "
    "naïve Größe İzmir ﬁn _x_ it's U.S. (b) well-known — … « » “q” \n \t \u00a0 , . ! ? ; '' owl, the; A. ½ ²"
).split(" ")


def some(rng: random.Random, most: int = 7) -> str:
    return rng.choice(["", " ", "  ", "\n"]).join(rng.choice(PARTS) for _ in range(rng.randrange(most)))


# ------------------------------------------------------------------ the same, worked out another way


def plain_words(text: str) -> list[str]:
    """The words of a text that count, letter by letter."""
    kept = [letter for letter in text.lower() if letter not in string.punctuation]
    runs = [(word, "".join(letters)) for word, letters in groupby(kept, key=str.isalnum)]
    return "".join(" " if word and run in {"a", "an", "the"} else run for word, run in runs).split()


def plain_f1(answer: str, gold: str) -> float:
    said, wanted = plain_words(answer), plain_words(gold)
    if said != wanted and (["yes"] in (said, wanted) or ["no"] in (said, wanted) or ["noanswer"] in (said, wanted)):
        return 0.0
    left, hits = list(wanted), 0
    for word in said:
        if word in left:
            left.remove(word)
            hits += 1
    return 2 * hits / (len(said) + len(wanted)) if hits else 0.0


def plain_contains(answer: str, gold: str) -> bool:
    said, wanted = " ".join(plain_words(answer)), " ".join(plain_words(gold))
    return any(said[n : n + len(wanted)] == wanted for n in range(len(said) + 1))


def plain_parsed(answer: str) -> str:
    marked = next((n for n in range(len(answer)) if answer[n : n + 7].lower() == "answer:"), None)
    line = (answer if marked is None else answer[marked + 7 :]).split("\n")[0].strip()
    return line[7:].strip() if line[:7].lower() == "answer:" else line


def plain_distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = _next(row, i, x, b)
    return row[-1]


def _next(row: Sequence[int], i: int, x: str, b: str) -> list[int]:
    following = [i]
    for j, y in enumerate(b, start=1):
        following.append(min(row[j] + 1, following[-1] + 1, row[j - 1] + (x != y)))
    return following


def test_metrics_equal_an_independent_computation_on_ten_thousand_strings() -> None:
    rng = random.Random(7)
    seen = {"exact": 0, "contained": 0, "part": 0}
    for _ in range(STRINGS):
        answer, golds = some(rng), [some(rng, 4) for _ in range(rng.randrange(1, 4))]
        if rng.random() < 0.1:
            golds[0] = answer.upper()
        assert normalized(answer).split(" ") == (plain_words(answer) or [""])
        assert parsed(answer) == plain_parsed(answer)
        for gold in golds:
            assert exact(answer, gold) == (plain_words(answer) == plain_words(gold))
            assert contains(answer, gold) == plain_contains(answer, gold)
            assert isclose(f1(answer, gold).f1, plain_f1(answer, gold))
        found = best(lambda said, gold: f1(said, gold).f1, answer, golds)
        assert isclose(found, sorted(plain_f1(answer, gold) for gold in golds)[-1])
        for first, readings in ((False, [answer, plain_parsed(answer)]), (True, [plain_parsed(answer)])):
            pairs = [(said, gold) for said in readings for gold in golds]
            assert official(answer, golds, parse_first=first) == {
                "SubEM": float(any(plain_contains(*pair) for pair in pairs)),
                "EM": float(any(plain_words(said) == plain_words(gold) for said, gold in pairs)),
                "F1": pytest.approx(max(plain_f1(*pair) for pair in pairs)),
            }
        seen["exact"] += exact(answer, golds[0])
        seen["contained"] += contains(answer, golds[0]) and not exact(answer, golds[0])
        seen["part"] += 0 < f1(answer, golds[0]).f1 < 1
    assert min(seen.values()) > 200, seen  # all of it was put to the test


@settings(max_examples=300)
@given(st.text(max_size=40), st.text(max_size=20))
def test_metrics_equal_an_independent_computation_on_any_text(answer: str, gold: str) -> None:
    assert exact(answer, gold) == (plain_words(answer) == plain_words(gold))
    assert contains(answer, gold) == plain_contains(answer, gold)
    assert f1(answer, gold).f1 == pytest.approx(plain_f1(answer, gold))
    assert exact(answer, gold) <= exact_strict(answer, gold) <= exact_flexible(answer, gold)
    assert exact(answer, gold) <= contains(answer, gold)


def test_strict_implies_flexible() -> None:
    rng = random.Random(8)
    for _ in range(2_000):
        answer, gold = some(rng), some(rng, 3)
        assert exact_strict(answer, gold) <= exact_flexible(answer, gold)


def test_yes_and_no_are_worth_all_or_nothing() -> None:
    assert f1("Yes.", "yes").f1 == 1
    assert f1("yes of course", "yes").f1 == 0
    assert f1("no", "no way").f1 == 0
    assert f1("the noanswer", "noanswer").f1 == 1
    assert f1("way of it", "no way").f1 == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("answer", "gold", "strict", "flexible"),
    [
        ("43", "43", True, True),
        ("label: 43", "43", False, True),
        ("The label is 43.", "43", False, True),
        ("Label = 43", "43", False, True),
        ("**Label:** 43", "43", False, True),
        ("I would say 43 here", "43", False, True),
        ("43 or 44", "43", False, False),
        ("not 43, but 44", "43", False, False),
        ("It is certainly not 43.", "43", False, False),
        ("It isn't 43.", "43", False, False),
        ("No, it is no longer 43.", "43", False, False),
        ("43 because the card won't work", "43", False, True),
        ("Anything but 43.", "43", False, False),
        ("We can rule out 43.", "43", False, False),
        ("I think 43 is wrong here", "43", False, False),
        ("It is something other than 43", "43", False, False),
        ("The label is 43. I cannot be sure.", "43", False, True),
        ("43: card not working", "43", False, True),
        ("430", "43", False, False),
        ("4.3", "43", True, True),  # as the official normalisation has it
        ("Answer: Lake Orrin\nIt lies in the north.", "lake orrin", True, True),
        ("It lies in the north.\nSo the answer is Lake Orrin.", "lake orrin", False, True),
        ("Lake Orrin\nIt lies in the north.", "lake orrin", True, True),
        ("B", "B. The gardener", False, True),
        ("(b)", "B. The gardener", False, True),
        ("The gardener", "B. The gardener", False, True),
        ("B. The gardener", "The gardener", False, True),
        ("C. The gardener", "B. The gardener", False, False),
        ("A", "B. The gardener", False, False),
        ('{"answer": "B", "reasoning": "he ran"}', "B. The gardener", False, True),
        ('{"answer": "C", "reasoning": "not B"}', "B. The gardener", False, False),
        ("He ran.\nFinal answer: B", "B. The gardener", False, True),
        ("A. The cook\nOn second thought:\nAnswer: B", "A. The cook", False, False),
        ("The answer is B.\nHe ran.\nSo it must be him.", "B. The gardener", False, True),
        ("The answer is B.\nBut he was away.\nSo the answer is A.", "B. The gardener", False, False),
        ("B because he ran.\nHe was away.\nA. The cook", "B. The gardener", False, False),
        ("", "43", False, False),
        ("{", "43", False, False),
    ],
)
def test_an_answer_is_read_strictly_and_flexibly(answer: str, gold: str, strict: bool, flexible: bool) -> None:
    assert (exact_strict(answer, gold), exact_flexible(answer, gold)) == (strict, flexible)


def test_official_measures_are_the_best_of_the_answer_and_its_parsed_part() -> None:
    long = "I think it is in the north.\nAnswer: Lake Orrin"  # nine words that count, two of them right: F1 4/11
    assert official(long, ["Lake Orrin"]) == {"SubEM": 1, "EM": 1, "F1": 1}
    assert official("Lake Orrin, I think, in the north", ["Lake Orrin"])["F1"] == pytest.approx(2 * 2 / (6 + 2))
    told = "The next event:\nMara left."  # its parsed part is the first line
    assert official(told, ["Mara left."])["SubEM"] == 1
    assert official(told, ["Mara left."], parse_first=True) == {"SubEM": 0, "EM": 0, "F1": 0}
    assert official("4\n3", ["4 3"])["EM"] == 1
    assert official("4\n3", ["4 3"], parse_first=True) == {"SubEM": 0, "EM": 0, "F1": pytest.approx(2 / 3)}


def test_recall_of_events_overlooks_case_only() -> None:
    assert all_inside("Then MARA LEFT the house.", ["Mara left"])
    assert not all_inside("Then Mara left the house.", ["Mara left", "Mara wept"])
    assert not all_inside("Mara, left", ["Mara left"])
    assert not all_inside("anything", [])


# ------------------------------------------------------------------ titles


@settings(max_examples=300, deadline=None)
@given(known=st.lists(TITLE, max_size=12), name=TITLE)
def test_the_nearest_title_is_the_first_with_the_smallest_edit_distance(known: list[str], name: str) -> None:
    away = [plain_distance(name.lower(), title.lower()) for title in known]
    assert Titles(known).nearest(name) == (known[away.index(min(away))] if known else None)


def test_the_nearest_title_is_found_among_many_and_in_long_texts() -> None:
    rng = random.Random(10)
    known = ["".join(rng.choice("abcd ") for _ in range(rng.randrange(1, 14))) for _ in range(300)]
    titles = Titles(known)
    for _ in range(100):
        name = "".join(rng.choice("ABcdé ") for _ in range(rng.randrange(14)))
        away = [plain_distance(name.lower(), title.lower()) for title in known]
        assert titles.nearest(name) == known[away.index(min(away))]
    long = "x" * 300 + "abc" * 50
    assert Titles([long[:-2], long]).nearest(long[:200] + "q" + long[200:]) == long


@settings(max_examples=200, deadline=None)
@given(gold=TITLE, name=TITLE)
def test_without_a_list_of_titles_an_almost_gold_one_counts(gold: str, name: str) -> None:
    line = f"1. {name}"
    near = [plain_distance(each.lower(), gold.lower()) <= 0.2 * max(len(each), len(gold)) for each in listed(line)]
    assert recalls(line, [gold])["Recall@5"] == float(any(near))


def test_lists_are_read_as_models_write_them() -> None:
    assert listed("Sure, here:\n1. The Owl (1984)\n2) **Tin Harbour**\n\n3 - 12 Angry Geese\n4. 2001 Nights\n") == [
        "The Owl", "Tin Harbour", "12 Angry Geese", "2001 Nights"
    ]  # fmt: skip
    assert listed("The Owl, Tin Harbour,  (both good)") == ["The Owl", "Tin Harbour"]
    assert listed("- The Owl\n- Tin Harbour") == ["The Owl", "Tin Harbour"]
    assert listed("") == []
    assert title_of("<http://example.org/resource/The_Spider-Clan_(1984_film)>") == "The Spider Clan"


def test_recall_counts_gold_titles_among_the_first() -> None:
    known = Titles(["The Owl", "Tin Harbour", "Salt", "Salty", "Low Tide", "Ember"])
    answer = "1. the owll\n2. Salt (1990)\n3. Ember\n4. Low Tied\n5. Salty\n6. Tin Harbor"
    golds = ["Tin Harbour", "Salt", "The Owl"]
    assert recalls(answer, golds, known) == {"Recall@1": 1 / 3, "Recall@5": 2 / 3, "Recall@10": 1.0}
    assert recalls("I can't say", ["Tin Harbour"], known)["Recall@10"] == 0
    # without a list of what exists, only what is almost a gold title counts
    assert recalls("1. Tin Harbor\n2. Low Tide", ["Tin Harbour", "Low Hide Out"])["Recall@5"] == 0.5


# ------------------------------------------------------------------ verdicts

SAID = {"lake": "Lake Orrin lies in Belmar.", "label": "Where is my card?\nlabel: 43", "film": "I liked Tin Harbour."}
FACTS = tuple(Fact(id, text, (f"s-{id}/0",), ()) for id, text in SAID.items())
PROBES = (
    Probe("contains", "Which lake lies in Belmar?", "Lake Orrin", (("lake",),), "contains", golds=("Lake Orrin",)),
    Probe("exact", "Is my card lost?", "43", (("label",),), "exact", golds=("43",)),
    Probe("titles", "A film?", "", (("film",),), "titles", ("Tin Harbour", "Salt"), golds=("Tin Harbour", "Salt")),
    Probe("points", "Sum it up.", "Mara left Belmar.", (), "points", golds=("Mara left Belmar.", "Otto found a boat.")),
    Probe("unknown", "Who did it?", "The cook", (), "exact", golds=("The cook",)),
    Probe("silent", "Who?", "not told", (), "abstain"),
)


def episode(probes: Sequence[Probe] = PROBES, task: str = "memoryagentbench/summarization") -> Episode:
    sessions = tuple(Session(f"s-{id}", (Turn("user", text, f"s-{id}/0"),)) for id, text in SAID.items())
    return Episode("e", task, sessions, FACTS, tuple(probes))


def history() -> History:
    return History(Ingest(3, 0.0, 3), (Snapshot("end", "s-film", None, tuple(SAID)),))


def texts(keys: object) -> dict[str, str]:
    return SAID


def trace(probe: str, brought: Sequence[str] = tuple(SAID), answer: str | None = None, k: int = 5) -> Trace:
    return Trace(probe, k, "end", tuple(Retrieved(key, n) for n, key in enumerate(brought, start=1)), answer=answer)


def graded(probe: str, text: str, brought: Sequence[str] = tuple(SAID), judge: Judge | None = None) -> ProbeVerdict:
    """The verdict on a model's answer."""

    async def go() -> list[ProbeVerdict]:
        given = [Answer(probe, 5, "taker", text=text)]
        unit = judge_store(episode(), history(), [trace(probe, brought)], given, texts, "mab", "it", judge, "taker")
        return [verdict async for verdict in unit]

    [found] = asyncio.run(go())
    return found


def test_answers_that_words_grade_need_no_judge() -> None:
    right = graded("contains", "I think it is lake Orrin.")
    assert (right.verdict, right.right, right.credit, right.depth) == ("correct", True, 1.0, "full")
    assert right.measures == {"SubEM": 1.0, "EM": 0.0, "EM_flexible": 0.0, "F1": pytest.approx(0.5)}
    loose = graded("exact", "label: 43")
    assert (loose.verdict, loose.right, loose.measures["EM"], loose.measures["EM_flexible"]) == ("correct", True, 0, 1)
    half = graded("titles", "1. Tin Harbor\n2. Tin Harbour")
    assert (half.verdict, half.right, half.credit) == ("correct", True, 0.5)
    assert half.measures == {"Recall@1": 0.5, "Recall@5": 0.5, "Recall@10": 0.5}


def test_a_wrong_answer_is_misread_only_where_everything_was_there() -> None:
    there, gone = graded("contains", "Lake Ulm"), graded("contains", "Lake Ulm", ["film"])
    assert (there.verdict, there.right, there.facts[0].verdict) == ("reasoning_error", False, "reasoning_error")
    assert (gone.verdict, gone.right) == ("not_retrieved", False)
    lucky = graded("contains", "Lake Orrin", ["film"])
    assert (lucky.verdict, lucky.right, lucky.credit) == ("not_retrieved", True, 1.0)


def test_a_systems_own_answer_is_graded_too() -> None:
    traces = [trace("contains", answer="Lake Orrin"), trace("exact", answer="44"), trace("titles", answer=None)]
    found = {v.probe: v for v in diagnose(episode(), history(), traces, texts, "mab", "it")}
    assert (found["contains"].verdict, found["contains"].right, found["contains"].depth) == ("correct", True, "full")
    assert (found["exact"].verdict, found["exact"].right, found["exact"].credit) == ("reasoning_error", False, 0.0)
    assert (found["titles"].verdict, found["titles"].right, found["titles"].depth) == ("correct", None, "memory")


def test_where_nobody_knows_what_it_takes_no_store_is_blamed_or_praised() -> None:
    traces = [trace("unknown"), trace("silent")]
    found = {v.probe: v for v in diagnose(episode(), history(), traces, texts, "mab", "it")}
    assert (found["unknown"].verdict, found["unknown"].credit, found["silent"].verdict) == ("n/a", None, "n/a")
    assert "not known" in first_why(found["unknown"])
    answered = [graded("unknown", "The cook"), graded("unknown", "The maid")]
    assert [(v.verdict, v.right) for v in answered] == [("n/a", True), ("n/a", False)]
    [row] = table(answered, ())
    assert (row.na, row.success, row.accuracy, row.credit) == (2, None, 0.5, 0.5)


@pytest.mark.parametrize("scoring", ["contains", "exact", "titles", "choice"])
def test_no_stage_of_a_judge_grades_what_words_do(scoring: Scoring) -> None:
    assert last_stage(RUBRICS["memoryagentbench/summarization"], Probe("p", "?", "", (), scoring)) is None


def test_events_have_a_measure_of_their_own() -> None:
    probe = replace(PROBES[0], golds=("Lake Orrin",))
    graded = AnswerGrader((probe,), task="memoryagentbench/eventqa").by_scoring(probe, "lake orrin")
    assert graded is not None
    assert graded.measures["EventQA_recall"] == 1
    late = AnswerGrader((probe,), task="memoryagentbench/eventqa").by_scoring(probe, "Here it is:\nLake Orrin")
    assert late is not None
    assert (late.right, late.credit, late.measures["SubEM"], late.measures["EventQA_recall"]) == (False, 0, 0, 1)
    plain = AnswerGrader.of(episode()).by_scoring(probe, "lake orrin")
    assert plain is not None
    assert "EventQA_recall" not in plain.measures


# ------------------------------------------------------------------ summaries

SUMMARY = "Mara left Belmar. Otto danced. Otto danced again."


def summed(found: list[str], supported: list[str], fluent: bool) -> dict[str, object]:
    return {"reason": "so", "found": found, "supported": supported, "fluent": fluent}


def test_a_summary_is_worth_the_f1_of_its_points_and_sentences_if_it_can_be_read() -> None:
    case = Case((), (), "Sum it up.", "A long summary.", SUMMARY, ("Mara left Belmar.", "Otto found a boat."))
    asked = prompt("points", "rule", [case])
    data = json.loads(asked.call.messages[1].content.removeprefix("<<<DATA\n").removesuffix("\nDATA>>>"))
    assert [one["text"] for one in data["sentences"]] == ["Mara left Belmar.", "Otto danced.", "Otto danced again."]
    assert data["gold"] == "A long summary."
    [found] = rulings(asked, summed(["v1"], ["s1", "s1", "s9"], True))
    assert found is not None
    assert found.credit == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))
    assert found.measures == {
        "Points_recall": 0.5,
        "Points_precision": pytest.approx(1 / 3),
        "Fluency": 1.0,
        "Points_F1": found.credit,
    }
    assert not found.verdict
    [unread] = rulings(asked, summed(["v1", "v2"], ["s1", "s2", "s3"], False))
    assert unread is not None
    assert (unread.credit, unread.verdict) == (0.0, False)
    [best_of_all] = rulings(asked, summed(["v1", "v2"], ["s1", "s2", "s3"], True))
    assert best_of_all is not None
    assert (best_of_all.credit, best_of_all.verdict) == (1.0, True)
    [nothing] = rulings(prompt("points", "rule", [replace(case, answer="")]), summed([], [], True))
    assert nothing is not None
    assert (nothing.credit, nothing.measures["Fluency"]) == (0.0, 0.0)


def test_summaries_go_to_the_judge_and_come_back_with_their_measures() -> None:
    async def go(url: str) -> list[ProbeVerdict]:
        async with Client(f"{url}#judge", backoff=0.001, max_retries=0) as client:
            given = [Answer("points", 5, "taker", text="Mara left Belmar. Otto danced.")]
            unit = judge_store(
                episode(), history(), [trace("points")], given, texts, "mab", "it", Judge(client), "taker"
            )
            return [verdict async for verdict in unit]

    with StubServer(ContentJudge()) as server:
        [found] = asyncio.run(go(server.url))
        assert len(server.requests) == 1
    assert (found.verdict, found.right, found.depth) == ("n/a", True, "full")
    assert (found.measures["Points_recall"], found.measures["Fluency"]) == (0.5, 1.0)
    assert found.credit == found.measures["Points_F1"]
    assert graded("points", "Mara left Belmar.").right is None  # without a judge it stays open


def test_chats_are_judged_as_longmemeval_judges_them() -> None:
    assert RUBRICS["memoryagentbench/longmemeval"].last == "answer"
    probe = Probe("p", "Which now?", "tea", (), tags={JUDGED_AS: "longmemeval/knowledge-update"})

    async def go(url: str) -> list[ProbeVerdict]:
        async with Client(f"{url}#judge", backoff=0.001, max_retries=0) as client:
            given = [Answer("p", 5, "taker", text="tea")]
            own = episode([probe], "memoryagentbench/longmemeval")
            unit = judge_store(own, history(), [trace("p")], given, texts, "mab", "it", Judge(client), "taker")
            return [verdict async for verdict in unit]

    with StubServer(ContentJudge()) as server:
        [found] = asyncio.run(go(server.url))
        told = str(server.requests[0].body["messages"][0]["content"])
    assert found.right
    assert "update" in told
    assert rubric("longmemeval/knowledge-update").reasoning in told


# ------------------------------------------------------------------ means, and what is shown


def test_measures_of_answers_are_averaged_per_task_and_k() -> None:
    def one(id: str, k: int, value: float, **more: float) -> ProbeVerdict:
        found = graded("contains", "Lake Orrin")
        return replace(found, task="mab/docqa", probe=id, cluster=id, k=k, measures={"SubEM": value, **more})

    verdicts = [one("1", 2, 0.0), one("2", 2, 1.0), one("1", 5, 1.0), one("2", 5, 1.0, EM=0.5)]
    verdicts.append(replace(one("3", 5, 0.0), verdict="error", measures={}))
    rows = {(row.measure, row.k): row for row in measure_rows(verdicts)}
    assert set(rows) == {("SubEM", 2), ("SubEM", 5), ("EM", 5)}
    assert (rows["SubEM", 2].mean, rows["SubEM", 2].n) == (0.5, 2)
    assert (rows["SubEM", 5].mean, rows["SubEM", 5].n, rows["SubEM", 5].questions, rows["SubEM", 5].error) == (
        pytest.approx(2 / 3), 3, 3, 1
    )  # fmt: skip
    out = io.StringIO()
    show(SimpleNamespace(verdicts=verdicts, stores=[]), Console(file=out, width=120), "measure")
    assert "docqa" in out.getvalue()
    assert "SubEM" in out.getvalue()
    assert "50.0" in out.getvalue()
    assert "Recall_all" not in out.getvalue()


# ------------------------------------------------------------------ what the answering model is told


def test_whoever_answers_is_told_how_and_kept_short() -> None:
    memories = [("0f3a", "Lake Orrin lies in Belmar.")]
    told = replace(PROBES[0], instruction="Answer with the bare name.", max_tokens=10)
    call, _ = answer_call(told, memories)
    assert '"how_to_answer":"Answer with the bare name."' in call.messages[1].content.replace('": "', '":"')
    assert "how_to_answer" in call.messages[0].content
    assert "few sentences" not in call.messages[0].content
    assert call.max_tokens is not None
    assert 10 < call.max_tokens < 300
    bare, _ = answer_call(PROBES[0], memories)
    assert bare.max_tokens is None
    assert all("how_to_answer" not in message.content for message in bare.messages)


def test_what_goes_beyond_an_answers_length_is_not_graded() -> None:
    probe = Probe("p", "Who?", "Ann", (), scoring="contains", max_tokens=3)
    long = Reply("", Tokens(1, 1), 0.0, False, {"answer": "I think that it must have been Ann", "used": []})
    text, _ = read_answer(probe, long, {})
    assert text == "I think that"
    assert read_answer(replace(probe, max_tokens=0), long, {})[0].endswith("Ann")
