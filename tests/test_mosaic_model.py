"""mosaic with a model: what it takes from a reply, what it refuses, what it costs, and what it does without one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.chat import ModelError
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.memory import Question
from memtriage.core.trace import Usage
from memtriage.models.current import use_models
from memtriage.models.scripted import Reply, Request, StubServer
from memtriage.models.scripted.data_block import data_block
from memtriage.models.system_models import SystemModels
from memtriage.systems.adapted import adapt
from memtriage.systems.designs.facts import Facts
from memtriage.systems.designs.mosaic.system import Mosaic

Told = Mapping[str, Mapping[str, Any]]
NOW = Session("now", (), "2026-06-01T09:00:00")


def session(number: int, *said: str) -> Session:
    turns = tuple(Turn("user", text, f"s{number}/{n}") for n, text in enumerate(said))
    return Session(f"s{number}", turns, f"2026-03-{number + 1:02}T10:00:00")


def numbered(data: Mapping[str, Any]) -> dict[str, int]:
    """The sentences that a request shows, with their numbers."""
    said = [each for day in data["said"] for each in day["sentences"]]
    return {each["text"]: each["n"] for each in (*data["earlier"], *said)}


def says(told: Told) -> Callable[[Request], Any]:
    """A model that says this of sentences, wherever it is shown them; `changes` are sentences."""

    def script(request: Request) -> Any:
        data = data_block(request)
        assert data is not None
        number = numbered(data)
        usual = {"kind": "state", "subject": "user", "value": "", "date": "", "hangs_on": []}
        new = {each["text"] for day in data["said"] for each in day["sentences"]}
        return {
            "statements": [
                {
                    **{**usual, **about, "n": number[text]},
                    "changes": [number[each] for each in about.get("changes", ()) if each in number],
                }
                for text, about in told.items()
                if text in new
            ]
        }

    return script


@pytest.fixture
def models() -> Iterator[None]:
    with SystemModels(cache=None) as inside, use_models(inside):
        yield


def stored(script: Any, *sessions: Session, **options: Any) -> Mosaic:
    with StubServer(script) as server:
        system = Mosaic(internal=f"{server.url}#scripted", **options)
        for each in sessions:
            system.store_conversation(each)
        system.settle()
    return system


def brought(system: Mosaic, query: str, k: int = 2) -> list[str]:
    return [memory.id for memory in system.retrieve_memories(query, NOW, k)]


GYM = "I swim at the Lido."
DESK = "They gave me a desk in Rye."
ROOM = "We sit in the old mill."
HIDDEN: Told = {
    ROOM: {"category": "office", "value": "the old mill"},
    GYM: {"category": "gym", "value": "the Lido", "hangs_on": ["office"]},
    DESK: {"category": "office", "kind": "change", "value": "Rye", "changes": [ROOM]},
}
TALK = ("The soup was too salty.", "There was fog on the river.", "I lost an umbrella.", "A film about otters.")


@pytest.mark.parametrize("batch", [1, 100])
def test_a_dependency_that_nobody_put_into_words_is_followed(models: None, batch: int) -> None:
    told = (session(1, ROOM, GYM, *TALK), session(2, DESK))
    system = stored(says(HIDDEN), *told, batch=batch)
    gym, desk = system.retrieve_memories("Where do I swim, at the Lido?", NOW, 2)
    assert {gym.id: gym.why, desk.id: desk.why} == {"s2/0": "dependency of s1/1", "s1/1": "seed; voided by s2/0"}
    assert [(event.kind, event.entry.id) for event in system.memory.history("s1/0")] == [("replaced", "s2/0")]
    rules = Mosaic()
    for each in told:
        rules.store_conversation(each)
    assert rules.memory.history("s1/1") == []
    assert system.usage().calls == (2 if batch == 1 else 1)


def test_a_request_to_forget_voids_the_sentence_that_the_model_names(models: None) -> None:
    said = {
        "My code is 4711.": {"category": "locker code", "value": "4711"},
        "Oh, and strike what I said about numbers.": {
            "category": "locker code",
            "kind": "forget",
            "changes": ["My code is 4711."],
        },
    }
    system = stored(says(said), session(1, "My code is 4711.", *TALK), session(2, list(said)[1]))
    assert [(event.kind, event.entry.id) for event in system.memory.history("s1/0")] == [("voided", "s2/0")]


def test_things_of_a_kind_come_together_and_small_talk_stays_behind(models: None) -> None:
    drinks = ("Mate gets me through the morning.", "Nothing beats a cold rooibos.", "I swear by buttermilk.")
    said = {text: {"category": "drink", "value": text} for text in drinks}
    others = {f"Shelf {n} holds tins of paint.": {"category": "shelf", "value": "paint"} for n in range(12)}
    system = stored(says({**said, **others}), session(1, *drinks, *others, "I drink to that, ha!"), batch=1)
    assert set(brought(system, "Which drinks do I like?", 3)) == {"s1/0", "s1/1", "s1/2"}


def test_a_second_value_replaces_nothing_unless_the_model_says_so(models: None) -> None:
    said = {text: {"category": "hobby", "value": text} for text in ("I carve spoons.", "I ring bells.")}
    system = stored(says(said), session(1, *said))
    assert system.memory.history("s1/0") == []


def test_somebody_elses_change_is_not_the_speakers(models: None) -> None:
    said = {
        GYM: {"category": "gym", "value": "the Lido", "hangs_on": ["job"]},
        "Ada has a new post.": {"category": "job", "kind": "change", "subject": "Ada", "value": "post"},
    }
    assert stored(says(said), session(1, *said)).memory.history("s1/0") == []


def test_when_something_takes_place_is_found_by_the_models_date(models: None) -> None:
    said = {
        f"The {what} is on the {n}th day after.": {"category": "event", "date": f"2026-0{n}-10", "value": what}
        for n, what in ((4, "regatta"), (5, "concert"))
    }
    system = stored(says(said), session(1, *said))
    assert brought(system, "Which event is in May?", 1) == ["s1/1"]


def test_an_answer_takes_one_call_that_shows_what_voids_what(models: None) -> None:
    shown: list[Any] = []

    def script(request: Request) -> Any:
        data = data_block(request) or {}
        if data["task"] == "statement_list":
            return says(HIDDEN)(request)
        shown.append(data)
        return {"answer": "The Lido, but that is uncertain now."}

    with StubServer(script) as server:
        system = Mosaic(internal=f"{server.url}#scripted")
        system.store_conversation(session(1, ROOM, GYM))
        system.store_conversation(session(2, DESK))
        given = system.answer(Question("Where do I swim?", NOW, 3, instruction="One line."))
    assert given.text == "The Lido, but that is uncertain now."
    assert system.usage().calls == 2
    (asked,) = shown
    assert (asked["query"], asked["asked_at"][:10]) == ("Where do I swim?", "2026-06-01")
    assert asked["form"].endswith("One line.")
    by_text = {each["text"]: each for each in asked["memories"]}
    assert by_text[GYM]["voided_by"] == by_text[DESK]["n"]
    assert by_text[DESK]["day"] == "2026-03-03"


def test_an_answer_that_can_t_be_read_is_put_together_by_rule(models: None) -> None:
    def script(request: Request) -> Any:
        return says(HIDDEN)(request) if "statement_list" in request.text else Reply(text="No.")

    with StubServer(script) as server:
        system = Mosaic(internal=f"{server.url}#scripted")
        system.store_conversation(session(1, ROOM, GYM))
        assert system.answer(Question("Where do I swim?", NOW, 1)).text == GYM
    assert "rules did its work: 1" in system.notices()[-1]


# What a model may get wrong


def test_a_reply_that_can_t_be_read_leaves_the_work_to_the_rules_and_is_counted(models: None) -> None:
    told = (
        session(1, "My gym is the Lido, because of my job; if my job changes, so will this."),
        session(2, "I have a new job."),
    )
    system = stored(lambda request: Reply(text="I'd rather not."), *told)
    assert [event.entry.id for event in system.memory.history("s1/0")] == ["s2/0"]
    assert system.notices() == ["replies of the model that could not be read, so that rules did its work: 1"]


def test_numbers_and_kinds_that_were_made_up_are_left_out_and_counted(models: None) -> None:
    usual = {"subject": "user", "value": "x", "date": "soon", "hangs_on": []}
    reply = {
        "statements": [
            {**usual, "n": 1, "kind": "change", "category": "gym", "changes": [1, 2, 99, -1]},
            {**usual, "n": 7, "kind": "state", "category": "gym", "changes": []},
            {**usual, "n": 2, "kind": "state", "category": "…", "changes": []},
        ]
    }
    system = stored(lambda request: reply, session(1, GYM, DESK))
    assert [each.told is not None for id in ("s1/0", "s1/1") for _, each in system.memory.statements(id)] == [
        True,
        False,
    ]
    assert system.notices()[1:] == [
        "numbers that the model made up: 4",
        "statements of the model that fit no sentence: 2",
    ]
    assert [memory.text for memory in system.get_all_memories()] == [GYM, DESK]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 9) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
RECORD = st.fixed_dictionaries(
    {
        "n": st.integers(-1, 5) | JSON,
        "kind": st.sampled_from(["state", "rule", "tie", "change", "retraction", "forget", "plan"]) | JSON,
        **{name: st.sampled_from(["gym", "office", ""]) | JSON for name in ("subject", "category", "value", "date")},
        "hangs_on": st.lists(st.sampled_from(["gym", "office"]), max_size=2) | JSON,
        "changes": st.lists(st.integers(-1, 5), max_size=3) | JSON,
    }
)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(RECORD, max_size=4), min_size=2, max_size=2))
def test_nothing_that_a_model_says_loses_or_changes_what_was_said(replies: list[Any]) -> None:
    system = Mosaic()
    said = iter(replies)
    system.memory.annotate = system._annotated
    system._ask = lambda ask: {"statements": next(said)}  # type: ignore[method-assign]
    for number, texts in enumerate(((ROOM, GYM), (DESK, "Which gym?"))):
        system.store_conversation(session(number, *texts))
    kept = [memory.text for memory in system.get_all_memories()]
    assert kept == [ROOM, GYM, DESK, "Which gym?"]
    assert sorted(brought(system, "Where do I swim?", 4)) == ["s0/0", "s0/1", "s1/0", "s1/1"]


def test_an_endpoint_that_fails_is_an_error_and_what_waited_goes_on_waiting(models: None) -> None:
    def script(request: Request) -> Any:
        return Reply(status=400, text="no") if "Rye" in request.text else says(HIDDEN)(request)

    with StubServer(script) as server:
        system = Mosaic(internal=f"{server.url}#scripted", batch=3)
        system.store_conversation(session(1, ROOM, GYM))
        with pytest.raises(ModelError):
            system.store_conversation(session(2, DESK))
        system.settle()
        assert [memory.id for memory in system.get_all_memories()] == ["s1/0", "s1/1"]
        with pytest.raises(BadInput, match="holds an entry 's1/0' already"):
            system.store_conversation(session(1, ROOM))


# What a strong model said


def found_at_5(told: Told | None, episode: Mapping[str, Any]) -> dict[str, bool]:
    """Of the questions on an episode: whether all that they need came among the first five."""
    with StubServer(says(told or {})) as server:
        system = Mosaic(internal=f"{server.url}#scripted" if told else "")
        found = {}
        for each in episode["sessions"]:
            turns = tuple(Turn(role, text, id) for id, role, text in each["turns"])
            system.store_conversation(Session(each["id"], turns, each["at"]))
            last = each is episode["sessions"][-1]
            for asked in episode["questions"]:
                if asked["after"] == each["id"] or (last and asked["after"] is None):
                    came = {memory.id for memory in system.retrieve_memories(asked["text"], NOW, 5)}
                    found[asked["id"]] = any(came.issuperset(need) for need in asked["needs"])
    return found


def test_recorded_replies_bring_more_of_what_is_needed_than_rules_do(models: None) -> None:
    recorded = json.loads((Path(__file__).parent / "recordings" / "mosaic.json").read_text(encoding="utf-8"))
    by_model, by_rules = (
        {id: found for episode in recorded["episodes"] for id, found in found_at_5(told, episode).items()}
        for told in (recorded["told"], None)
    )
    assert len(by_model) == 32
    assert sum(by_model.values()) >= 30
    assert sum(by_model.values()) > sum(by_rules.values())
    of_changes = [found for id, found in by_model.items() if "cascade" in id or "absence" in id or "deletion" in id]
    assert all(of_changes)


# Keeping, and going without


def test_what_the_model_said_is_saved_and_asked_for_once(models: None, tmp_path: Path) -> None:
    system = stored(says(HIDDEN), session(1, ROOM, GYM, *TALK), session(2, DESK))
    system.save(tmp_path)
    again = Mosaic(internal="http://127.0.0.1:9/v1#nobody")
    again.load(tmp_path)
    asked = "Where do I swim, at the Lido?"
    assert again.retrieve_memories(asked, NOW, 9) == system.retrieve_memories(asked, NOW, 9)
    assert [event.entry.id for event in again.memory.history("s1/1")] == ["s2/0"]
    with pytest.raises(BadInput, match="build the system with the same settings"):
        Mosaic().load(tmp_path)


def test_without_a_model_or_with_rules_nobody_is_asked(models: None) -> None:
    with StubServer("memory") as server:
        system = adapt(Mosaic(internal=f"{server.url}#scripted", summarise="rules"))
        system.store_conversation(session(1, GYM))
        assert (system.usage(), server.requests) == (Usage(), ())
    with pytest.raises(BadInput, match="summarise step of mosaic 'verbatim'"):
        Mosaic(summarise="verbatim")


def test_it_never_takes_more_calls_or_tokens_than_extracting_facts_does(models: None) -> None:
    sessions = [session(n, f"I bought {n} herons.", f"My aunt keeps bees in hive {n}. They hum.") for n in range(12)]
    spent = {}
    with StubServer("memory") as server:
        for build, options in ((Facts, {}), (Mosaic, {"batch": 1}), (Mosaic, {})):
            system: Any = build(internal=f"{server.url}#scripted", **options)
            for each in sessions:
                system.store_conversation(each)
            if isinstance(system, Mosaic):
                system.settle()
            used = system.usage()
            spent[build.name, *options] = (used.calls, used.input_tokens + used.output_tokens)
    assert spent["mosaic", "batch"][0] == 12
    assert spent["mosaic",][0] == 1
    assert spent["facts",][0] == 23
    assert spent["mosaic",][1] < spent["mosaic", "batch"][1] < spent["facts",][1]
