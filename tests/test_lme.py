"""The LongMemEval design: what each control point changes, what rules find, and what a model may do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.chat import ModelError
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem
from memtriage.core.memory import Memory
from memtriage.models.current import use_models
from memtriage.models.scripted import Reply, Request, StubServer
from memtriage.models.scripted.data_block import data_block
from memtriage.models.system_models import SystemModels
from memtriage.systems.adapted import misfit, traits_of
from memtriage.systems.designs.lme.memory import LME
from memtriage.systems.designs.rules.dates import Span, day, mentions
from memtriage.systems.designs.rules.holidays import holiday
from memtriage.systems.designs.rules.keyphrases import Keyphrases
from memtriage.systems.designs.rules.statements import events, facts, summary
from memtriage.systems.designs.rules.time_ranges import time_range
from memtriage.systems.designs.turns import turns_by_round
from memtriage.systems.libraries.catalog import steps

Talk = tuple[tuple[str, str], ...]
SAID = date(2023, 5, 24)  # a Wednesday
ANY_TEXT = st.text(st.characters(codec=None), max_size=120)  # lone surrogates and control characters included


def chat(id: str, at: str | None, *messages: str) -> Session:
    """A session in which user and assistant take turns; a message that begins with > is the assistant's."""
    turns = (
        Turn("assistant" if text.startswith(">") else "user", text.lstrip("> "), f"{id}_{n}")
        for n, text in enumerate(messages, 1)
    )
    return Session(id, tuple(turns), at)


HISTORY = (
    chat(
        "barn",
        "2023-03-04T10:00",
        "Which primer lasts longest on old wood? By the way, I painted my uncle's barn last Saturday.",
        "> Try linseed oil primer; a zamboni is not needed.",
        "Thanks, that helps.",
        "> You're welcome.",
    ),
    chat(
        "cello",
        "2023-04-20T09:00",
        "> Welcome back to the conservatory desk!",
        "I'm looking for some tips on rosin. I practise the cello with my neighbour Odo before breakfast.",
        "> Use a dark rosin in summer.",
    ),
    chat(
        "boat",
        "2023-05-22T18:30",
        "Can you write a poem about rain?",
        "> Rain, rain.",
        "I also sold a wooden kayak yesterday for $340, it was too long for my garage.",
        "> Congratulations on the sale!",
    ),
)


def filled(history: tuple[Session, ...] = HISTORY, **choices: Any) -> LME:
    system = LME(**choices)
    for session in history:
        system.store_conversation(session)
    return system


def retrieved(system: LME, question: str, at: str | None = "2023-05-24T12:00", k: int = 99) -> list[Memory]:
    return system.retrieve_memories(question, Session("now", (), at), k)


def ids(memories: list[Memory]) -> list[str]:
    return [memory.id for memory in memories]


# Dates


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("I ran today.", "2023-05-24", "2023-05-24"),
        ("I ran yesterday evening.", "2023-05-23", "2023-05-23"),
        ("I ran the day before yesterday.", "2023-05-22", "2023-05-22"),
        ("We ate out last night.", "2023-05-23", "2023-05-23"),
        ("I bought it last Tuesday.", "2023-05-23", "2023-05-23"),
        ("I bought it last Wednesday.", "2023-05-17", "2023-05-17"),
        ("I bought it on Friday.", "2023-05-19", "2023-05-19"),
        ("I will buy it on Friday.", "2023-05-26", "2023-05-26"),
        ("We met this past Saturday.", "2023-05-20", "2023-05-20"),
        ("We met Saturday morning.", "2023-05-20", "2023-05-20"),
        ("We hiked last weekend.", "2023-05-20", "2023-05-21"),
        ("We hiked last week.", "2023-05-15", "2023-05-21"),
        ("We moved last month.", "2023-04-01", "2023-04-30"),
        ("We moved last year.", "2022-01-01", "2022-12-31"),
        ("I start next week.", "2023-05-29", "2023-06-04"),
        ("I saw it 10 days ago.", "2023-05-14", "2023-05-14"),
        ("I saw it two weeks ago.", "2023-05-07", "2023-05-13"),
        ("I saw it a month ago.", "2023-04-17", "2023-05-01"),
        ("I saw it a couple of days ago.", "2023-05-21", "2023-05-22"),
        ("I've been ill for the past three weeks.", "2023-05-03", "2023-05-24"),
        ("I moved here in March.", "2023-03-01", "2023-03-31"),
        ("I moved here in November.", "2022-11-01", "2022-11-30"),
        ("I'm going to move in June.", "2023-06-01", "2023-06-30"),
        ("I moved in mid-February.", "2023-02-11", "2023-02-20"),
        ("It closed at the end of April.", "2023-04-21", "2023-04-30"),
        ("It closed in March 2021.", "2021-03-01", "2021-03-31"),
        ("I flew on March 15th.", "2023-03-15", "2023-03-15"),
        ("I flew on the 3rd of March, 2020.", "2020-03-03", "2020-03-03"),
        ("The fair ran March 3-5.", "2023-03-03", "2023-03-05"),
        ("I flew on the 3rd.", "2023-05-03", "2023-05-03"),
        ("I flew on the 30th.", "2023-04-30", "2023-04-30"),
        ("I had trouble on 3/22.", "2023-03-22", "2023-03-22"),
        ("I had trouble on 12/3/22.", "2022-12-03", "2022-12-03"),
        ("Invoice of 2023/05/01, paid.", "2023-05-01", "2023-05-01"),
        ("I learned it last summer.", "2022-06-01", "2022-08-31"),
        ("I graduated in 2019.", "2019-01-01", "2019-12-31"),
        ("We flew on Valentine's Day.", "2023-02-14", "2023-02-14"),
        ("We flew home over Thanksgiving.", "2022-11-24", "2022-11-24"),
        ("I went to church on Ash Wednesday.", "2023-02-22", "2023-02-22"),
        ("I'll be done in two weeks.", "2023-06-04", "2023-06-10"),
    ],
)
def test_expressions_of_time_are_reckoned_from_the_day_they_were_said(text: str, first: str, last: str) -> None:
    assert [(str(each.span.start), str(each.span.end)) for each in mentions(text, SAID)] == [(first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "I may march on.",
        "Use 1/2 cup of flour.",
        "I practise every Sunday, and on Saturday mornings.",
        "I finished it in two weeks.",
        "It is on the 3rd floor.",
        "April is a friend of mine.",
        "Take 3 of the 20 pages, or 50/50.",
        "The fall broke my wrist.",
        "Leap on February 30th!",
        "",
    ],
)
def test_what_names_no_day_gives_none(text: str) -> None:
    assert mentions(text, SAID) == []


@given(ANY_TEXT, st.dates())
@settings(max_examples=60, deadline=None)
def test_no_text_and_no_day_upsets_the_calendar(text: str, said: date) -> None:
    spoken = (
        f"{text} 999 years ago, last year, next year, in two months I will, on the 31st, last winter, on Easter {text}"
    )
    assert all(each.span.start <= each.span.end for each in mentions(spoken, said))
    time_range(spoken, said)


@pytest.mark.parametrize(("year", "sunday"), [(2000, "04-23"), (2019, "04-21"), (2023, "04-09"), (2024, "03-31")])
def test_easter_falls_where_the_almanac_says(year: int, sunday: str) -> None:
    assert str(holiday("Easter", year)) == f"{year}-{sunday}"


def test_the_day_of_a_timestamp_is_read_in_either_spelling() -> None:
    assert day("2023/05/30 (Tue) 23:40") == day("2023-05-30T23:40:00") == date(2023, 5, 30)
    assert day(None) is day("soon") is day("2023-02-30") is None


# Time ranges


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did I plant last weekend?", "2023-05-20", "2023-05-21"),
        ("Which shoes did I polish last month?", "2023-04-01", "2023-04-30"),
        ("Where did I sail most in March and April?", "2023-03-01", "2023-04-30"),
        ("What was the first concert I heard in February, the trio or the choir?", "2023-02-01", "2023-02-28"),
        ("I mentioned a race two months ago. Which one was it?", "2023-03-17", "2023-03-31"),
        ("How many pies did I bake in the past three weeks?", "2023-05-03", "2023-05-24"),
        ("What did I sell between March 3rd and April 5th?", "2023-03-03", "2023-04-05"),
        ("How many plays have I seen since January?", "2023-01-01", "2023-05-24"),
        ("Which books did I finish before March?", "0001-01-01", "2023-03-01"),
        ("Whom did I meet at lunch last Wednesday?", "2023-05-17", "2023-05-17"),
        ("Which restaurant did you recommend last weekend?", "2023-05-20", "2023-05-21"),
        ("How many days did I spend at fairs in April?", "2023-04-01", "2023-04-30"),
        ("With whom did I dance on Valentine's day?", "2023-02-14", "2023-02-14"),
    ],
)
def test_a_question_that_names_a_time_has_a_range(question: str, first: str, last: str) -> None:
    found = time_range(question, SAID)
    assert found == Span(date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "question",
    [
        "How many weeks ago did I start rowing?",
        "How long ago did I see the play in March?",
        "How long had I been rowing when I bought the boat?",
        "How many days passed between the fair and the regatta?",
        "How many days before the 'Sunny Sundays' run did I buy shoes?",
        "Which did I plant first, the beans or the peas?",
        "How many boats do I own now?",
        "What is my dog's name?",
        "Which race did I run most recently?",
        "What did I think of 'Last Friday in May'?",
        "What time do I get up on Saturday mornings?",
        "What should I cook this weekend?",
        "Where could I go in spring?",
        "Can you suggest a show for next month?",
        "How old was I when I moved in 2019?",
        "What do I have to do today?",
    ],
)
def test_a_question_without_a_time_has_none(question: str) -> None:
    assert time_range(question, SAID) is None


# What rules extract


def test_facts_are_what_the_user_states_about_themselves() -> None:
    text = (
        "Can you recommend a frame? By the way, I painted a barn in May. Thanks! I'll check those out. "
        "I'm restoring a canoe and was wondering if you could name a varnish. Also, my cousin Ida lent me her sander. "
        "The weather is nice. Do I need a permit? Please tell me more."
    )
    assert facts(text) == (
        "I painted a barn in May.",
        "I'm restoring a canoe",
        "My cousin Ida lent me her sander.",
    )
    assert facts("I'm after a lens, by the way I just sold my old tripod.")[-1] == "I just sold my old tripod."
    assert facts("") == facts("What now?") == ()


def test_a_summary_keeps_the_central_sentences_in_their_order() -> None:
    text = "Hm. My sourdough starter died. The starter needs flour. Nice hat. Feed the sourdough starter flour daily."
    assert (
        summary(text) == "My sourdough starter died. The starter needs flour. Feed the sourdough starter flour daily."
    )
    assert summary("One. Two.") == "One. Two."


def test_events_are_sentences_with_their_days() -> None:
    found = events("Hi. By the way, I sold the kayak yesterday. It was long.", SAID)
    assert found == [(Span(date(2023, 5, 23), date(2023, 5, 23)), "I sold the kayak yesterday.")]


def test_keyphrases_prefer_rare_words_and_never_depend_on_what_comes_later() -> None:
    heard = Keyphrases()
    for _ in range(5):
        heard.learn("The weather report says rain. Another weather report.")
    first = heard.of("The weather report mentioned a brass sextant.")
    assert first[0] == "brass sextant"
    again = Keyphrases(heard.texts, heard.holding)
    assert again.of("The weather report mentioned a brass sextant.") == first


def test_a_text_that_stands_in_many_stores_is_worked_on_once() -> None:
    history = tuple(chat(f"once{n}", "2023-05-01T10:00", f"I own {n} lamps.") for n in range(3))
    filled(history)
    before = facts.cache_info().misses
    filled(history)
    assert facts.cache_info().misses == before


# Control points


def test_it_fits_the_interface_and_says_what_it_is() -> None:
    system = LME()
    assert misfit(system) is None
    assert all(steps(LME.traits.architecture).values())
    assert traits_of(system).ranks_all
    assert not traits_of(system).parallel
    assert (system.value, system.key, system.query, system.traits.reading) == (
        "round",
        ("value", "fact"),
        "time",
        "con-json",
    )
    assert "without a model" in system.notices()[0]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"value": "rounds"}, "did you mean 'round'"),
        ({"key": "value+facts"}, "did you mean 'fact'"),
        ({"query": "times"}, "did you mean 'time'"),
        ({"reading": "json"}, "con-json"),
        ({"retriever": "bm52"}, "did you mean 'bm25'"),
        ({"merge": "ranks"}, "did you mean 'rank'"),
        ({"slack": -1}, "at least 0"),
        ({"summarise": "verbatim"}, "rules"),
    ],
)
def test_a_choice_that_does_not_exist_is_named(choice: Mapping[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        LME(**choice)


def test_rounds_hold_a_users_turn_and_the_answers_to_it() -> None:
    assert [[turn.id for turn in each] for each in turns_by_round(HISTORY[1])] == [["cello_1"], ["cello_2", "cello_3"]]
    kept = filled().get_all_memories()
    assert ids(kept) == ["barn_1", "barn_3", "cello_1", "cello_2", "boat_1", "boat_3"]
    assert kept[3].sources == ("cello_2", "cello_3")
    assert kept[3].created_at == "2023-04-20T09:00"
    assert "user: I'm looking for" in kept[3].text
    assert "assistant: Use a dark rosin" in kept[3].text


def test_the_value_decides_what_is_kept() -> None:
    assert ids(filled(value="session").get_all_memories()) == ["barn", "cello", "boat"]
    assert filled(value="session").get_all_memories()[2].text == HISTORY[2].text
    told = filled(value="facts").get_all_memories()
    assert [memory.text for memory in told] == [
        "I painted my uncle's barn last Saturday.",
        "I practise the cello with my neighbour Odo before breakfast.",
        "I also sold a wooden kayak yesterday for $340, it was too long for my garage.",
    ]
    assert told[2].sources == ("boat_3",)  # of the round, only what the user said was read
    short = filled(value="summary").get_all_memories()
    assert ids(short) == ["barn#summary", "cello#summary", "boat#summary"]
    assert not any("linseed" in memory.text for memory in short)


@pytest.mark.parametrize("retriever", ["bm25", "dense", "hybrid"])
@pytest.mark.parametrize("value", ["session", "round", "summary", "facts"])
@pytest.mark.parametrize("key", ["value", "summary", "keyphrase", "fact", "events", "value+fact+events"])
@pytest.mark.parametrize("merge", ["key", "rank"])
def test_every_combination_ranks_all_it_holds(retriever: str, value: str, key: str, merge: str) -> None:
    system = filled(retriever=retriever, value=value, key=key, merge=merge)
    everything = ids(retrieved(system, "What did I sell yesterday?"))
    assert sorted(everything) == sorted(ids(system.get_all_memories()))
    assert len(set(everything)) == len(everything)
    assert ids(retrieved(system, "What did I sell yesterday?", k=2)) == everything[:2]
    assert everything == ids(
        retrieved(filled(retriever=retriever, value=value, key=key, merge=merge), "What did I sell yesterday?")
    )


@pytest.mark.parametrize("value", ["session", "round", "summary", "facts"])
@pytest.mark.parametrize("key", ["value", "summary", "keyphrase", "fact", "events", "value+fact"])
def test_a_word_of_the_assistant_never_finds_anything(value: str, key: str) -> None:
    """Zamboni, linseed and conservatory are the assistant's; with the words alone, all items then tie at nothing."""
    system = filled(value=value, key=key, retriever="bm25", query="question")
    assert all((memory.score or 0) <= 0 for memory in retrieved(system, "zamboni linseed conservatory congratulations"))


def test_keys_alone_and_expanded_find_different_things() -> None:
    history = (
        chat("a", "2023-05-01T10:00", "Which glue holds oak? By the way, I own a lathe."),
        chat("b", "2023-05-02T10:00", "Is a lathe loud? I like tea with my toast."),
    )
    question = "Which lathe do I own?"
    expanded = filled(history, key="value+fact", retriever="bm25")
    plain = filled(history, key="value", retriever="bm25")
    alone = filled(history, key="fact", retriever="bm25")
    assert ids(retrieved(expanded, question))[0] == ids(retrieved(alone, question))[0] == "a_1"
    assert {m.id: m.score for m in retrieved(alone, "loud glue")} == {"a_1": 0.0, "b_1": 0.0}  # only questions say that
    lead = {
        id: scores["a_1"] / scores["b_1"] for id, scores in (("plain", _scores(plain)), ("more", _scores(expanded)))
    }
    assert lead["more"] > lead["plain"]  # what is a fact weighs more once it stands in front


def _scores(system: LME) -> dict[str, float]:
    return {memory.id: memory.score or 0.0 for memory in retrieved(system, "lathe")}


def test_events_in_a_key_answer_to_their_date_in_words() -> None:
    with_events = filled(key="value+events", retriever="bm25", query="question")
    without = filled(key="value", retriever="bm25", query="question")
    assert retrieved(with_events, "What happened on May 21, 2023?")[0].id == "boat_3"
    assert (retrieved(without, "May 2023")[0].score or 0) == 0


def test_rank_merging_keeps_a_key_per_piece() -> None:
    long = "My hat is red. " + " ".join(f"I met person number {n} at a fair." for n in range(60))
    history = (chat("x", None, long), chat("y", None, "My scarf is red and warm and soft."))
    apart = filled(history, key="fact", merge="rank", retriever="dense")
    joined = filled(history, key="fact", merge="key", retriever="dense")
    assert ids(retrieved(apart, "My hat is red.", None))[0] == "x_1"
    assert ids(retrieved(joined, "My hat is red.", None))[0] == "y_1"


# Time


TWICE = (
    chat("may", "2023-05-20T10:00", "I bought a bowl at the pottery fair."),
    chat("march", "2023-03-11T10:00", "I bought a vase at the pottery fair, and a pottery bowl too."),
    chat("told", "2023-05-10T10:00", "Back in March I bought a jug at the pottery fair."),
)


@pytest.mark.parametrize("retriever", ["bm25", "dense", "hybrid"])
def test_items_of_the_asked_time_come_first_and_none_is_dropped(retriever: str) -> None:
    question = "What did I buy at the pottery fair in March?"
    found = ids(retrieved(filled(TWICE, retriever=retriever, query="time"), question))
    assert set(found[:2]) == {"march_1", "told_1"}
    assert found[2] == "may_1"
    assert ids(retrieved(filled(TWICE, retriever=retriever), "Which pottery did I buy?")) == ids(
        retrieved(filled(TWICE, retriever=retriever, query="question"), "Which pottery did I buy?")
    )


def test_the_range_has_two_days_of_slack_that_can_be_set() -> None:
    history = (
        chat("edge", "2023-04-02T10:00", "A bowl."),
        chat("out", "2023-04-03T10:00", "I bought a bowl at the pottery fair, a bowl!"),
    )
    question = "Which bowl did I buy in March?"
    assert ids(retrieved(filled(history), question)) == ["edge_1", "out_1"]
    assert ids(retrieved(filled(history, slack=0), question)) == ids(
        retrieved(filled(history, query="question"), question)
    )


def test_without_a_date_of_the_question_there_is_no_range() -> None:
    question = "What did I buy at the pottery fair in March?"
    assert ids(retrieved(filled(TWICE), question, None)) == ids(
        retrieved(filled(TWICE, query="question"), question, None)
    )


def test_a_whole_year_is_in_no_short_range() -> None:
    history = (
        chat("year", "2023-05-01T10:00", "Last year I bought a pottery bowl, a bowl!"),
        chat("day", "2023-05-01T11:00", "I bought one on June 3rd, 2022."),
    )
    assert ids(retrieved(filled(history), "Which bowl did I buy in June 2022?"))[0] == "day_1"
    assert ids(retrieved(filled(history), "Which bowl did I buy in 2022?"))[0] == "year_1"


# Over time and on disk


@given(st.lists(st.lists(ANY_TEXT, max_size=3), max_size=4), st.sampled_from(["round", "session", "facts", "summary"]))
@settings(max_examples=25, deadline=None)
def test_what_comes_later_changes_nothing_that_is_kept(sessions: list[list[str]], value: str) -> None:
    history = [chat(f"s{n}", "2023-05-01T10:00", *texts) for n, texts in enumerate(sessions)]
    system = LME(value=value, key="value+keyphrase+fact", retriever="bm25")
    kept: list[Memory] = []
    for session in history:
        system.store_conversation(session)
        assert system.get_all_memories()[: len(kept)] == kept
        kept = system.get_all_memories()
        retrieved(system, "what?")
    again = filled(tuple(history), value=value, key="value+keyphrase+fact", retriever="bm25")
    assert retrieved(again, "what did I say?") == retrieved(system, "what did I say?")
    if value == "round":
        assert [t for m in kept for t in m.sources] == [t.id for s in history for t in s.turns if t.text.strip()]


@pytest.mark.parametrize("merge", ["key", "rank"])
def test_a_saved_store_goes_on_where_it_was(tmp_path: Path, merge: str) -> None:
    choices: dict[str, Any] = {"key": "value+keyphrase+fact", "merge": merge}
    system = filled(HISTORY[:2], **choices)
    system.save(tmp_path)
    loaded = LME(**choices)
    loaded.store_conversation(HISTORY[2])  # to be gone after the loading
    loaded.load(tmp_path)
    question = "What did I paint last March?"
    assert retrieved(loaded, question) == retrieved(system, question)
    assert loaded.get_all_memories() == system.get_all_memories()
    for each in (system, loaded):
        each.store_conversation(HISTORY[2])
    assert retrieved(loaded, question) == retrieved(system, question)
    loaded.reset()
    assert loaded.get_all_memories() == retrieved(loaded, question) == []


def test_a_store_of_other_choices_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    filled().save(tmp_path)
    with pytest.raises(BadInput, match="same settings"):
        LME(value="session").load(tmp_path)
    record = json.loads((tmp_path / "memory.json").read_text())
    record["state"]["items"][0]["spans"] = [["soon", "later"]]
    (tmp_path / "memory.json").write_text(json.dumps(record))
    system = filled()
    with pytest.raises(BadInput, match="damaged"):
        system.load(tmp_path)
    assert len(system.get_all_memories()) == 6
    with pytest.raises(BadInput, match="no saved memory system"):
        system.load(tmp_path / "nowhere")


# With a model

Script = Callable[[Mapping[str, Any]], Any]


@pytest.fixture
def model() -> Iterator[Callable[[Mapping[str, Script | Any]], tuple[str, list[Mapping[str, Any]]]]]:
    """A scripted model: replies by task, and everything that was put to it."""
    opened: list[Any] = []

    def start(replies: Mapping[str, Script | Any]) -> tuple[str, list[Mapping[str, Any]]]:
        seen: list[Mapping[str, Any]] = []

        def script(request: Request) -> Any:
            data = data_block(request)
            assert data is not None
            seen.append(data)
            said = replies[str(data["task"])]
            return said(data) if callable(said) else said

        server = StubServer(script)
        opened.append(server)
        return f"{server.__enter__().url}#scripted", seen

    with SystemModels(cache=None) as inside, use_models(inside):
        yield start
    for server in opened:
        server.__exit__(None, None, None)


def each_item(**reply: Any) -> Script:
    return lambda data: {"items": [{"item": item["item"], **reply} for item in data["items"]]}


QUIET = each_item(events=[])


def test_a_model_reads_the_users_side_only_and_its_facts_become_keys(model: Any) -> None:
    internal, seen = model(
        {
            "lme_fact": lambda data: {"items": [{"item": len(data["items"]), "facts": ["The user owns a falcon."]}]},
            "lme_events": QUIET,
            "lme_time_range": {"start": "", "end": ""},
        }
    )
    system = filled(internal=internal, retriever="bm25")
    assert system.summarise == "model"
    assert system.traits.parallel
    assert system.usage().calls == 6
    shown = json.dumps(seen)
    assert "painted my uncle" in shown
    assert not any(word in shown for word in ("zamboni", "linseed", "conservatory", "Congratulations"))
    found = retrieved(system, "Who owns a falcon?")
    assert {memory.id for memory in found if (memory.score or 0) > 0} == {"barn_3", "cello_2", "boat_3"}
    assert not any("falcon" in memory.text for memory in found)  # keys are never shown


def test_a_models_events_and_range_decide_the_order(model: Any) -> None:
    internal, seen = model(
        {
            "lme_fact": each_item(facts=[]),
            "lme_events": lambda data: {
                "items": [
                    {"item": 1, "events": [{"date": "2021-07-01", "event": "x"}, {"date": "July", "event": "y"}]}
                    if "cello" in str(data)
                    else {"item": 7, "events": []}
                ]
            },
            "lme_time_range": {"start": "2021/06/20", "end": "2021-06-30"},
        }
    )
    system = filled(internal=internal)
    assert ids(retrieved(system, "What was then?"))[0] == "cello_2"
    retrieved(system, "What was then?", k=1)
    assert [data["task"] for data in seen].count("lme_time_range") == 1  # one question, whatever k
    assert seen[-1] == {"task": "lme_time_range", "question": "What was then?", "asked_at": "2023-05-24T12:00"}


@pytest.mark.parametrize(
    "reply",
    [
        {"start": "", "end": ""},
        {"start": "2023-05-24", "end": "2023-05-24"},
        {"start": "2023-05-02", "end": "2023-05-01"},
    ],
)
def test_a_models_range_that_is_none_prunes_nothing(model: Any, reply: Mapping[str, str]) -> None:
    internal, _ = model({"lme_fact": each_item(facts=[]), "lme_events": QUIET, "lme_time_range": reply})
    system = filled(internal=internal)
    plain = filled(internal=internal, query="question")
    assert ids(retrieved(system, "the barn?")) == ids(retrieved(plain, "the barn?"))


def test_a_model_writes_summaries_and_keyphrases_where_they_are_chosen(model: Any) -> None:
    internal, seen = model(
        {
            "lme_summary": each_item(summary="A  quiet\nday."),
            "lme_keyphrase": each_item(keyphrases=["falconry", "falconry", ""]),
        }
    )
    system = filled(internal=internal, value="summary", key="value+keyphrase", query="question", retriever="bm25")
    assert [memory.text for memory in system.get_all_memories()] == ["A quiet day."] * 3
    assert all((memory.score or 0) > 0 for memory in retrieved(system, "falconry"))
    assert {data["task"] for data in seen} == {"lme_summary", "lme_keyphrase"}


def test_a_failing_model_leaves_the_store_as_it_was(model: Any) -> None:
    internal, _ = model({"lme_fact": each_item(facts=["I row."]), "lme_events": lambda _: Reply(status=401)})
    system = LME(internal=internal)
    with pytest.raises(ModelError):
        system.store_conversation(HISTORY[0])
    assert system.get_all_memories() == []


def test_a_model_that_is_asked_for_and_missing_is_named() -> None:
    with pytest.raises(BadSystem, match=r"--internal.*lme:summarise=rules"):
        LME(summarise="model")


def test_rules_can_be_chosen_beside_a_model(model: Any) -> None:
    internal, seen = model({})
    assert ids(retrieved(filled(internal=internal, summarise="rules"), "barn"))[0] == "barn_1"
    assert seen == []


def test_other_prompts_may_be_brought(model: Any, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps({"lme_fact": "Only colours."}))
    (tmp_path / "bad.json").write_text(json.dumps({"lme_facts": "Only colours."}))
    internal, _ = model({"lme_fact": each_item(facts=[]), "lme_events": QUIET})
    filled(internal=internal, prompts=str(tmp_path / "p.json")).save(tmp_path / "kept")
    with pytest.raises(BadInput, match="same settings"):
        LME(internal=internal).load(tmp_path / "kept")
    with pytest.raises(BadInput, match="did you mean 'lme_fact'"):
        LME(internal=internal, prompts=str(tmp_path / "bad.json"))
