"""Rewritten memories: lossless rewritings lose nothing, planted faults change the meaning, and the plan knows both."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli, Place
from memtriage import registry
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.suite import Request
from memtriage.core.verdict import ProbeVerdict, Verdict
from memtriage.diagnose.store import diagnose
from memtriage.text.words import words
from memtriage.validate.calibrate import calibrate
from memtriage.validate.calibrate_rewritten import RewrittenTally
from memtriage.validate.planted_alterations import ALTERATIONS, Alteration, alter
from memtriage.validate.planted_english import bare, is_first_person, third_person
from memtriage.validate.planted_memories import FAULTS, RewrittenMemory, expected
from memtriage.validate.planted_rewritings import STYLES, Style, Told, rewrite

SUITES = ("memfail", "meme", "longmemeval/oracle", "memoryagentbench/sh-docqa", "memoryagentbench/detective",
          "memoryagentbench/factconsolidation-mh")  # fmt: skip


@cache
def episodes(suite: str, rows: int = 12) -> tuple[Episode, ...]:
    options = {"length": "16k"} if suite.startswith("memoryagentbench") else {}
    return tuple(e for task in registry.tasks(suite)[1] for e in task.load(Request(5, rows, None, options)).episodes)


def told(text: str, *details: str, subject: str = "", split: bool = False, said: str = "") -> Told:
    fact = Fact("row/1", text, ("t",), details or (text,), subject=subject, split=split)
    return Told.of(fact, datetime.fromisoformat(said) if said else None)


# ------------------------------------------------------------------ rewritings

REWRITINGS: list[tuple[Style, Told, tuple[str, ...]]] = [
    ("third_person", told("I'm allergic to nuts, and my sister carries them.", "nuts"),
     ("The user is allergic to nuts, and their sister carries them.",)),
    ("third_person", told("By the way, when I hum I never notice it.", "hum"),
     ("When the user hums they never notice it.",)),
    ("third_person", told("She keeps bees on the roof.", "bees", subject="Ada Byron"),
     ("Ada Byron keeps bees on the roof.",)),
    ("compressed", told("I carry the blue umbrella for a few days.", "blue umbrella"),
     ("User carries blue umbrella for a few days",)),
    ("compressed", told('I saw "The Heron of the Moor" at the cinema.', "The Heron of the Moor"),
     ('User saw "The Heron of the Moor" at cinema',)),
    ("reordered", told("At the market, I buy plums.", "plums"), ("The user buys plums at the market.",)),
    ("reordered", told("Ada hums only when it rains.", "it rains", subject="Ada"),
     ("It is only when it rains that Ada hums.",)),
    ("reordered", told("Once Nabil steeps tea, he turns sociable.", "steeps tea", subject="Nabil"),
     ("Nabil turns sociable once he steeps tea.",)),
    ("resolved_date", told("I planted figs this past Wednesday.", "figs", said="2026-03-14T10:00"),
     ("The user planted figs on March 11, 2026.",)),
    ("resolved_date", told("Yesterday I sold the van.", "sold the van", said="2026-03-01"),
     ("On February 28, 2026 the user sold the van.",)),
    ("resolved_date", told("I got a cat this past Saturday.", "a cat", said="2026-03-14"),
     ("The user got a cat on March 7, 2026.",)),
    ("profile_line", told("My blood type is A negative.", "A negative"), ("user's blood type: A negative",)),
    ("profile_line", told("Mina works at Harbor Lab.", "Harbor Lab", subject="Mina"), ("Mina: works at Harbor Lab",)),
    ("graph_edge", told("Mina works at Harbor Lab since 2019.", "Harbor Lab", subject="Mina"),
     ("Mina -[WORKS_AT since 2019]-> Harbor Lab",)),
    ("graph_edge", told("Mina was born in Leeds.", "Leeds", subject="Mina"), ("Mina -[WAS_BORN_IN]-> Leeds",)),
    ("markdown_note", told("Mina works at Harbor Lab.", "Harbor Lab", subject="Mina"), ("- works at Harbor Lab",)),
    ("split", told("I fitted a child seat, and now I have time for the rest.", "fitted a child seat"),
     ("The user fitted a child seat.", "Now the user has time for the rest.")),
]  # fmt: skip


@pytest.mark.parametrize(("style", "fact", "texts"), REWRITINGS)
def test_a_rewriting_says_the_same_in_another_form(style: Style, fact: Told, texts: tuple[str, ...]) -> None:
    found = rewrite(style, fact)
    assert found is not None
    assert found.texts == texts


@pytest.mark.parametrize(
    ("style", "fact"),
    [
        ("third_person", told("Ada keeps bees.", "bees", subject="Ada")),
        ("third_person", told("I put it down and read.", "put it down")),
        ("third_person", told("I thought of you.", "you")),
        ("reordered", told("Leila hums when nervous and doesn't notice.", "nervous", subject="Leila")),
        ("resolved_date", told("I sold the van yesterday.", "the van")),
        ("resolved_date", told("We meet on the last Thursday of the month.", "Thursday", said="2026-03-14")),
        ("profile_line", told("When it rains I hum.", "rains")),
        ("graph_edge", told("Mina bakes bread and sells it.", "bread", subject="Mina")),
        ("split", told("I like figs, so that is settled.", "settled")),
        ("markdown_note", told("Please keep this to the letter.", "letter")),
        ("merged", told("How long does it take?\nLabel: 4", "Label: 4")),
    ],
)
def test_what_a_rule_is_not_sure_of_is_left_alone(style: Style, fact: Told) -> None:
    assert rewrite(style, fact) is None


def test_a_lead_in_goes_but_not_a_condition() -> None:
    assert bare("Everyone knows that Ada hums only in May.", "Ada", ("May",)) == "Ada hums only in May."
    kept = "It is only when thunder is rumbling that Ada hums."
    assert bare(kept, "Ada", ("thunder is rumbling", "hums")) == kept


@given(st.lists(st.sampled_from("I my me we our carry went am don't the cat and , when She 'tis myself us".split())))
def test_nobody_in_the_third_person_says_i(parts: list[str]) -> None:
    found = third_person(" ".join(parts))
    assert found is None or not is_first_person(found)


@pytest.mark.parametrize("style", STYLES)
def test_a_rewriting_keeps_every_detail_and_every_number(style: Style) -> None:
    """Only a resolved date may replace words of a detail, and only those of the date."""
    seen = 0
    for suite in SUITES:
        for whole in episodes(suite):
            memory = RewrittenMemory(whole, style, 0.0, 1)
            texts: dict[str, str] = {}
            for text, ids in memory.memories:
                texts |= {id: texts.get(id, "") + " " + text for id in ids}
            for id in memory.styles:
                fact, kept = whole.fact(id), set(words(texts[id].replace("_", " ")).stems)
                seen += 1
                for detail in fact.details:
                    lost = set(words(detail).stems) - kept - set(words("this past yesterday morning today").stems)
                    assert not lost or style == "resolved_date", (detail, texts[id])
    assert seen >= 3


# ------------------------------------------------------------------ alterations

ALTERED: list[tuple[Alteration, Told, set[str]]] = [
    ("unit_changed", told("I ran for 95 minutes.", "95 minutes"), {"I ran for 95 hours."}),
    ("unit_changed", told("The pass costs $45.", "$45"), {"The pass costs €45."}),
    ("negated", told("Ada hums only when it rains.", "it rains", "hums", subject="Ada"),
     {"Ada never hums when it rains."}),
    ("negated", told("Ada only hums between 10pm and midnight.", "between 10pm and midnight", subject="Ada"),
     {"Ada never hums between 10pm and midnight."}),
    ("negated", told("I'm allergic to nuts.", "nuts"), {"I'm not allergic to nuts."}),
    ("negated", told("I am allergic to nuts.", "nuts"), {"I am not allergic to nuts."}),
    ("negated", told("The sport I do is hockey.", "hockey"), {"The sport I do is not hockey."}),
    ("negated", told("She won't eat figs.", "figs", subject="Ada"), {"Ada will eat figs."}),
    ("role_swapped", told("Lorwen Gray taught Mina Ito.", "Lorwen Gray", "Mina Ito"), {"Mina Ito taught Lorwen Gray."}),
    ("role_swapped", told("When I feel calm I bake bread.", "feel calm", "bake bread"),
     {"When I bake bread I feel calm."}),
    ("if_to_and", told("Ada hums only when thunder is rumbling.", "thunder is rumbling", "hums", subject="Ada"),
     {"Ada hums, and thunder is rumbling."}),
    ("plan_to_done", told("If my job changes, my commute will be the ferry.", "the ferry", "job"),
     {"My commute is the ferry now."}),
    ("plan_to_done", told("I plan to visit Leeds.", "Leeds"), {"I did visit Leeds."}),
    ("done_to_plan", told("I sold the van.", "the van"), {"I plan to sell the van."}),
    ("quantifier_changed", told("Ada naps at most twenty times a year.", "at most twenty times", subject="Ada"),
     {"Ada naps at least twenty times a year."}),
    ("detail_lost", told("Juno hums old songs only when she’s with friends.", "friends", subject="Juno"),
     {"Juno hums old songs."}),
    ("detail_lost", told("Ada hums old songs only after a long nap.", "a long nap", "hums", subject="Ada"),
     {"Ada hums old songs."}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "fact", "texts"), ALTERED)
def test_an_alteration_changes_what_is_said(kind: Alteration, fact: Told, texts: set[str]) -> None:
    found = alter(kind, fact, [], random.Random(0))
    assert found is not None
    assert found.text in texts


@pytest.mark.parametrize(
    ("kind", "fact"),
    [
        ("number_changed", told("I keep 40 hens and a goat.", "a goat")),
        ("number_changed", told("The mill was built in 1921.", "1921")),
        ("date_changed", told("I may leave in spring.", "leave in spring")),
        ("unit_changed", told("I keep 40 hens.", "40 hens")),
        ("negated", told("Nobody eats figs.", "figs")),
        ("negated", told("Ada collects saws and is sure that joints need glue.", "glue", subject="Ada")),
        ("negated", told("Napping helps me recharge when I'm tired.", "napping")),
        ("negated", told("I sold the van, and now I walk to work.", "walk to work")),
        ("role_swapped", told("Mina Ito is married to Lorwen Gray.", "Mina Ito", "Lorwen Gray")),
        ("if_to_and", told("When it rains, I like film noir.", "film noir")),
        ("plan_to_done", told("I sold the van.", "the van")),
        ("done_to_plan", told("I finished that; my book is Salt.", "Salt")),
        ("quantifier_changed", told("I feed every cat.", "cat")),
        ("detail_lost", told("Ada treasures old backpacks.", "old backpacks", subject="Ada")),
    ],
)
def test_an_alteration_that_does_not_fit_is_not_planted(kind: Alteration, fact: Told) -> None:
    assert alter(kind, fact, [], random.Random(0)) is None


def test_without_named_details_every_number_of_a_fact_matters() -> None:
    fact = Told.of(Fact("f", "I keep 40 hens and a goat.", ("t",), ()))
    found = alter("number_changed", fact, [], random.Random(0))
    assert found is not None
    assert "40" not in found.text


@given(st.integers(1, 999_999), st.integers(0, 9))
def test_a_changed_number_is_another_number(number: int, seed: int) -> None:
    if 1000 <= number < 2100:
        return  # may be a year
    fact = told(f"I counted {number:,} gulls.", f"{number:,} gulls")
    found = alter("number_changed", fact, [], random.Random(seed))
    assert found is not None
    assert found.text != fact.text
    assert len(found.text) == len(fact.text)


def test_a_changed_day_is_none_that_was_said() -> None:
    fact = told("Ada bakes on Mondays and Fridays.", "Mondays and Fridays", subject="Ada")
    for seed in range(20):
        found = alter("date_changed", fact, [], random.Random(seed))
        assert found is not None
        assert found.text.endswith("s and Fridays.")
        assert "Monday" not in found.text
        assert found.text.count("Friday") == 1


def test_a_swapped_name_is_that_of_another_fact() -> None:
    mine = told("Ada keeps bees.", "bees", subject="Ada Byron")
    other = told("Mina keeps hens.", "hens", subject="Mina Ito")
    found = alter(
        "entity_swapped", told("Ada Byron keeps bees.", "bees", subject="Ada Byron"), [other], random.Random(0)
    )
    assert found is not None
    assert found.text == "Mina Ito keeps bees."
    assert alter("entity_swapped", mine, [], random.Random(0)) is None


# ------------------------------------------------------------------ memories


@pytest.mark.parametrize("style", [*STYLES, "mixed"])
def test_a_memory_with_faults_differs_only_where_they_are_planted(style: Any) -> None:
    for whole in episodes("memfail"):
        sound, faulty = (RewrittenMemory(whole, style, rate, 3) for rate in (0.0, 0.7))
        assert faulty.memories == RewrittenMemory(whole, style, 0.7, 3).memories, "the same seed gives the same store"
        assert sound.styles == faulty.styles
        kept, changed = texts_by_fact(sound), texts_by_fact(faulty)
        for id in sound.said:
            fault = faulty.faults.get(id)
            untouched = fault is None or fault.kind in ("hide", "misread")
            if untouched and faulty.styles.get(id) in ("merged", "markdown_note"):
                continue  # a neighbour in the same memory may have a fault
            if untouched:
                assert changed[id] == kept[id]
            else:
                assert changed.get(id) != kept[id], fault


def texts_by_fact(memory: RewrittenMemory) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text, ids in memory.memories:
        for id in ids:
            found.setdefault(id, []).append(text)
    return found


def test_another_seed_gives_another_plan() -> None:
    whole = episodes("memfail")[0]
    plans = {
        tuple((id, f.kind) for id, f in RewrittenMemory(whole, "compressed", 0.7, n).faults.items()) for n in range(4)
    }
    assert len(plans) > 1


def test_every_fault_and_every_style_comes_up_and_all_suites_can_be_rewritten() -> None:
    kinds: Counter[str] = Counter()
    styles: Counter[str] = Counter()
    for suite in SUITES:
        of_suite: Counter[str] = Counter()
        for whole in episodes(suite):
            for style in STYLES:
                memory = RewrittenMemory(whole, style, 1.0, 1)
                of_suite.update(memory.styles.values())
                kinds.update(fault.kind for fault in memory.faults.values())
        assert sum(n > 0 for n in of_suite.values()) >= 4, (suite, of_suite)
        styles += of_suite
    assert set(styles) == set(STYLES)
    assert set(kinds) == set(FAULTS)
    assert set(ALTERATIONS) <= set(FAULTS)


def knowing(memories: dict[tuple[str, ...], RewrittenMemory]) -> Any:
    """A detector that knows the plan of the store it is shown."""

    def detector(episode: Episode, history: Any, traces: Any, texts: Any, *more: Any) -> Iterator[ProbeVerdict]:
        held = tuple(texts([key for step in history.snapshots for key in step.added]).values())
        memory = memories[held]
        for verdict in diagnose(episode, history, traces, texts, *more):
            facts = []
            for fact in verdict.facts:
                planted = memory.faults.get(fact.fact)
                facts.append(replace(fact, verdict=expected(planted.kind if planted else None)))
            yield replace(verdict, facts=tuple(facts))

    return detector


def test_who_knows_the_plan_is_always_right_and_who_says_correct_misses_every_fault() -> None:
    whole = episodes("memfail")[0]
    stores = [RewrittenMemory(whole, style, rate, 5) for style in STYLES for rate in (0.6, 0.0)]
    by_text = {tuple(text for text, _ in memory.memories): memory for memory in stores}
    tally = RewrittenTally()
    tally.test(whole, STYLES, 0.6, 5, knowing(by_text))
    score = tally.calibration.score
    assert (score.strict.coverage, score.strict.risk) == (1.0, 0.0)
    assert score.faults.n > 10

    def blithe(*args: Any) -> Iterator[ProbeVerdict]:
        for verdict in diagnose(*args):
            yield replace(verdict, facts=tuple(replace(f, verdict="correct") for f in verdict.facts))

    tally = RewrittenTally()
    tally.test(whole, STYLES, 0.6, 5, blithe)
    assert tally.calibration.score.faults.risk == 1.0
    assert tally.calibration.score.false_alarms.risk == 0.0


def test_every_fact_is_tested_or_counted_as_skipped() -> None:
    whole = episodes("memfail")[0]
    tally = RewrittenTally()
    tally.test(whole, STYLES, 0.5, 2, diagnose)
    found = tally.calibration
    for style in STYLES:
        sound = RewrittenMemory(whole, style, 0.0, 2)
        assert found.skipped.get(style, 0) == len(sound.said) - len(sound.styles)
        assert sum(o.style == style for o in found.score.outcomes) == 2 * len(sound.styles)


def test_an_overwritten_value_was_there_and_is_gone() -> None:
    """The later value stays, and is no proof of the earlier one."""
    turns = (Turn("user", "I have 210 followers.", "a/0"), Turn("user", "I have 350 followers.", "b/0"))
    facts = (
        Fact("value/f/1", turns[0].text, ("a/0",), ("210",)),
        Fact("value/f/2", turns[1].text, ("b/0",), ("350",)),
    )
    probe = Probe("p", "How many at first?", "210", (("value/f/1",),))
    sessions = (Session("a", turns[:1]), Session("b", turns[1:]))
    whole = Episode("e", "own/followers", sessions, facts, (probe,))
    memory = next(
        memory
        for memory in (RewrittenMemory(whole, "third_person", 1.0, seed) for seed in range(60))
        if [fault.kind for fault in memory.faults.values()] == ["overwritten"]
    )
    texts = memory.texts
    assert [*texts(memory.history.held_at("end")).values()] == ["The user has 350 followers."]
    assert "The user has 210 followers." in texts(memory.history.held_at("before")).values()
    [verdict] = diagnose(whole, memory.history, memory.traces(), texts, "own", "s")
    assert verdict.facts[0].verdict != "correct"
    assert expected("overwritten") == "not_stored"


def test_calibration_reports_rewritten_memories_beside_the_verbatim_one(place: Place, cli: Cli) -> None:
    found = json.loads(cli("calibrate", "--suite", "memfail/conditional-easy", "--rows", "20", "--json").out)
    rewritten = found["rewritten"]
    assert {kind["kind"] for kind in rewritten["kinds"]} > {"compressed", "negated", "hedged", "drop"}
    for kind in (*rewritten["kinds"], rewritten["faults"], rewritten["false_alarms"]):
        assert {"coverage", "risk", "interval"} <= kind.keys()
    shown = cli("calibrate", "--suite", "memfail/conditional-easy", "--rows", "20").out
    assert "planted faults" in shown
    assert "entity_swapped" in shown
    assert "false alarms on lossless rewritings" in shown
    alone = ("calibrate", "--suite", "memfail/conditional-easy", "--rows", "20", "--json", "--style")
    assert json.loads(cli(*alone, "none").out)["rewritten"] is None
    assert {s["style"] for s in json.loads(cli(*alone, "compressed").out)["rewritten"]["styles"]} == {"compressed"}
    assert "did you mean 'compressed'" in cli(*alone, "compresed", code=1).err


def test_calibration_by_default_is_of_the_verbatim_memory_alone() -> None:
    whole = episodes("memfail")[0]
    assert calibrate([whole]).rewritten is None
    found = calibrate([whole], styles=("compressed",)).rewritten
    assert found is not None
    verdicts: set[Verdict] = {outcome.expected for outcome in found.score.outcomes}
    assert {"correct", "summary_error"} <= verdicts
