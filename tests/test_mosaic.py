"""mosaic: what its statements are, what hangs on what, how it is searched, and what it survives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.memory import Question
from memtriage.systems.adapted import adapt, misfit
from memtriage.systems.designs.mosaic import memory as mosaic_memory
from memtriage.systems.designs.mosaic.memory import Entry, Hit, MosaicMemory
from memtriage.systems.designs.mosaic.search import Ranking, Store, ranked
from memtriage.systems.designs.mosaic.statements import Statement, statements
from memtriage.systems.designs.mosaic.system import Mosaic

ANY_TEXT = st.text(st.characters(codec=None), max_size=200)  # lone surrogates and control characters included

SMALL_TALK = (
    "I watched a documentary about otters last night.",
    "The soup I cooked on Sunday was too salty.",
    "My neighbour plays the trombone in the evening.",
    "There was fog on the river this morning.",
    "I lost an umbrella on the tram.",
    "Our street has been dug up for a water main.",
)


def filled(*told: str, without: str = "", around: bool = True) -> MosaicMemory:
    """A memory that was told these things, with small talk between them; ids are t0, t1, …"""
    memory = MosaicMemory(without=without.split("+") if without else ())
    for n, text in enumerate(told):
        if around:
            memory.add(SMALL_TALK[n % len(SMALL_TALK)].replace("was", f"was, for the {n}th time,"), id=f"s{n}")
        memory.add(text, id=f"t{n}")
    return memory


def ids(hits: list[Hit]) -> list[str]:
    return [hit.entry.id for hit in hits]


# Statements


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My gym is the Lido.", "state"),
        ("If my job changes, my gym will be the Foundry.", "rule"),
        ("As soon as our lead changes, the reviewer becomes Ines.", "rule"),
        ("Under any other address, my doctor would be Dr Abel.", "rule"),
        ("I swim at the Lido because of my job.", "tie"),
        ("My commute is short — this depends on where I live; if that changes, so does this.", "tie"),
        ("I moved to Rye.", "change"),
        ("Ines is our new lead.", "change"),
        ("Please forget that.", "forget"),
        ("I told you that my gym is the Lido, but that was wrong.", "retraction"),
        ("I'm going to visit Hythe.", "plan"),
        ("Where is the Lido?", "question"),
    ],
)
def test_a_sentence_tells_by_its_form_what_it_does(text: str, kind: str) -> None:
    assert [each.kind for each in statements(text)] == [kind]


def test_a_tie_hangs_on_its_reason_and_on_its_condition() -> None:
    (tie,) = statements("My gym is the Lido, because of my knee; if my health changes, this changes too.")
    assert tie.about == {"gym", "lido"}
    assert tie.clauses == (frozenset({"knee"}), frozenset({"health"}))


def test_what_is_asked_around_a_fact_is_not_looked_for() -> None:
    found = statements("I see. My gym is the Lido. Do you swim?")
    assert [(each.kind, each.leading) for each in found] == [("state", False), ("state", True), ("question", False)]


@pytest.mark.parametrize("text", ["Hello again!", "Thanks again, bye for now.", "That's all for today, thank you."])
def test_a_greeting_tells_nothing(text: str) -> None:
    assert [each.quiet for each in statements(text)] == [True]


@pytest.mark.parametrize(
    "text",
    ["Hi, I'm allergic to nuts.", "I said goodbye to my job.", "I have a question about my dog Rex, who is four."],
)
def test_what_is_told_beside_a_greeting_counts(text: str) -> None:
    told = [each.quiet for each in statements(text)]
    assert told == ["question about" in text]  # one that asks about something was always a request


# Dependencies


def test_a_change_comes_with_the_two_rules_that_carry_it_to_what_is_asked() -> None:
    memory = filled(
        "My gym is the Lido, because of my training plan; if my training plan changes, so will this.",
        "If my health condition changes, my training plan will be rowing.",
        "If my training plan changes, my gym will be the Foundry.",
        "I was diagnosed with asthma; my health condition is not what it was.",
    )
    found = memory.search("Which gym do I go to?", k=4)
    assert set(ids(found)) == {"t0", "t1", "t2", "t3"}
    assert {hit.entry.id: (hit.why, hit.by) for hit in found}["t3"] == ("dependency", found[0].entry.id)
    assert {hit.entry.id: hit.voided_by for hit in found} == {"t0": "t3", "t1": None, "t2": None, "t3": None}
    assert [(event.kind, event.entry.id) for event in memory.history("t0")] == [("changed", "t3")]


def test_a_question_at_several_k_is_ranked_once_and_sees_what_came_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(store: Store, query: str, *more: Any) -> Ranking:
        asked.append(query)
        return ranked(store, query, *more)

    monkeypatch.setattr(mosaic_memory, "ranked", counted)
    memory = filled("I keep bees.", "My bees are called Ada and Bo.", "I sold the boat.")
    found = [ids(memory.search("What are my bees called?", k)) for k in (1, 3, 5)]
    assert found[0] == found[2][:1]
    assert found[1] == found[2][:3]
    assert len(asked) == 1
    memory.add("A third of my bees is called Cleo.", id="new")
    assert "new" in ids(memory.search("What are my bees called?", 3))
    memory.forget("new")
    assert ids(memory.search("What are my bees called?", 5)) == found[2]
    assert len(asked) == 3


def test_before_the_change_nothing_is_brought_along() -> None:
    memory = filled(
        "My gym is the Lido, because of my training plan; if my training plan changes, so will this.",
        "If my training plan changes, my gym will be the Foundry.",
    )
    found = memory.search("Which gym do I go to?", k=2)
    assert set(ids(found)) == {"t0", "t1"}
    assert all(hit.why != "dependency" and hit.voided_by is None for hit in found)
    assert memory.history("t0") == []


def test_a_report_that_names_only_the_old_value_reaches_rules_that_name_only_the_thing() -> None:
    memory = filled(
        "My doctor is Dr Abel, since my place of residence, Saltmarsh End, has no other.",
        "If my place of residence changes, my doctor will be Dr Zorn.",
        "I have moved out of Saltmarsh End.",
    )
    assert set(ids(memory.search("Who is my doctor?", k=3))) == {"t0", "t1", "t2"}


def test_a_plain_repetition_is_no_change() -> None:
    memory = filled(
        "My doctor is Dr Abel, because of my insurer, Concordia; if my insurer changes, so will this.",
        "My insurer is Concordia.",
    )
    assert memory.history("t0") == []


def test_someone_elses_event_changes_nothing_for_the_speaker() -> None:
    memory = filled(
        "My commute takes an hour — this depends on where I live in Rye; if I move, this would change.",
        "I was about to tell you, but then the queue moved.",
    )
    assert memory.history("t0") == []


def test_what_is_to_be_forgotten_comes_last_and_the_request_first() -> None:
    memory = filled("My locker code at the Lido is 4711.", "The Lido opens at nine.", "I like the Lido in winter.")
    memory.add("I told you that my locker code is 4711. Please delete that.", id="request")
    found = ids(memory.search("What is my locker code?", k=8))
    assert found[0] == "request"
    assert found[-1] == "t0"
    assert [event.kind for event in memory.history("t0")] == ["voided"]


def test_a_retraction_voids_what_it_names() -> None:
    memory = filled("The key is under the blue flowerpot.")
    memory.add("The key under the blue flowerpot: that was a mistake.", id="back")
    assert [(event.kind, event.entry.id) for event in memory.history("t0")] == [("voided", "back")]


def test_a_newer_value_takes_the_place_of_an_older_one_unless_the_past_is_asked_for() -> None:
    memory = filled(
        "I drive a Corvid Sedan.", "Update: I drive a Heron Compact.", "Now again — I drive a Wren Scooter."
    )
    assert ids(memory.search("What do I drive?", k=1)) == ["t2"]
    assert ids(memory.search("What did I drive, from the first car to the last?", k=3)) == ["t0", "t1", "t2"]


def test_several_things_of_a_kind_don_t_replace_each_other() -> None:
    memory = filled("I play the Spanish guitar.", "I play the Irish harp.", around=False)
    assert memory.history("t0") == []


def test_what_somebody_did_stays_done_whatever_they_do_next() -> None:
    memory = filled("Pelka bought the red bicycle from Anna.", "Pelka bought the blue sofa from Anna.")
    assert memory.history("t0") == []
    memory = filled("Pelka showed me the old mill near Rye.", "Pelka showed me the new quay near Deal.")
    assert memory.history("t0") == []


@pytest.mark.parametrize("said", ["Pelka lives in {}.", "Pelka moved to {}.", "The mayor of {} is Pelka."])
def test_what_lasts_until_it_changes_is_replaced(said: str) -> None:
    memory = filled(said.format("Rye"), said.format("Deal"))
    replaced = [event.kind for event in memory.history("t0")]
    assert replaced == ([] if said.startswith("The mayor") else ["replaced"])  # two towns have two mayors


def test_a_question_that_names_the_old_value_finds_it_with_the_new_one() -> None:
    memory = filled("Pelka lives in Rye.", "Pelka lives in Deal.")
    assert ids(memory.search("Where does Pelka live?", k=5))[0] == "t1"
    assert "t0" not in ids(memory.search("Where does Pelka live?", k=2))
    named = memory.search("Was it Rye where Pelka lived?", k=2)
    assert {hit.entry.id: hit.voided_by for hit in named} == {"t1": None, "t0": "t1"}


def test_a_question_in_parts_finds_each_of_them() -> None:
    memory = filled(
        "My hobby is marquetry.",
        "For sport I do korfball.",
        "I sing in a choir.",
        "I repair old radios.",
        "I like tea.",
    )
    found = ids(memory.search("Which hobby and which sport do I have?", k=2))
    assert set(found) == {"t0", "t1"}


def test_a_rule_whose_case_has_not_come_stands_behind_what_is() -> None:
    told = (
        "If our framework changes, our build tool will be Cordwain.",
        "As soon as our build tool changes, our build command becomes make parcels.",
        "The tool that we build everything with, and have for years, is called Millstone.",
    )
    memory = filled(*told)
    assert "t2" in ids(memory.search("Which build tool do we use?", k=2))
    assert ids(memory.search("What will our build tool be if our framework changes?", k=1)) == ["t0"]


NAMES = [f"{first}{last}" for first in ("Ka", "Lo", "Mer", "Tin", "Vor") for last in ("bel", "dun", "fen", "gra")]
THINGS = ("kite", "lamp", "loom", "raft", "bell", "harp", "drum", "sled", "oven", "mask", "vase")


def test_a_turn_is_found_by_the_names_in_it_however_many_there_are() -> None:
    told = [
        f"{NAMES[n % 20]} showed me the {THINGS[n % 11]} {THINGS[n // 11 % 11]} near {NAMES[n * 7 // 3 % 20]}ton."
        for n in range(1200)
    ]
    memory = MosaicMemory()
    with memory.batch():
        memory.add_all([Entry(f"t{n}", text, session=f"s{n // 20}") for n, text in enumerate(told)])
    for n in range(0, 1200, 97):
        person, _, _, _, thing, other, _, place = told[n].rstrip(".").split()
        found = memory.search(f"What did {person} show me near {place}, was it the {thing} {other}?", k=3)
        assert told[n] in [hit.entry.text for hit in found]


# Chains, relatives, times


CHAIN = (
    "Rainy Sundays make me bake bread.",
    "Baking bread leaves the kitchen warm.",
    "A warm kitchen draws the cat in.",
    "The cat in the house triggers a sneezing fit.",
)


def test_a_chain_is_followed_to_its_end() -> None:
    asked = "What do rainy Sundays lead to in the end: a sneezing fit, or a long walk?"
    memory = filled(*CHAIN)
    found = memory.search(asked, k=4)
    assert set(ids(found)) == {"t0", "t1", "t2", "t3"}
    assert {hit.why for hit in found} == {"chain"}
    assert set(ids(filled(*CHAIN, without="chains").search(asked, k=4))) != {"t0", "t1", "t2", "t3"}


def test_relatives_of_the_best_are_drawn_in_and_named_as_such() -> None:
    memory = MosaicMemory()
    for n in range(60):
        memory.add(f"Shelf {n} in the shed holds {n} tins of grey paint for boat {n}.", id=f"s{n}")
    for n, fruit in enumerate(("mangoes", "papayas", "bananas", "apricots")):
        memory.add(f"I adore {fruit}, a sweet ripe fruit.", id=f"f{n}")
    found = memory.search("Which sweet fruit should I buy?", k=4)
    assert set(ids(found)) == {"f0", "f1", "f2", "f3"}
    relatives = [hit for hit in memory.search("Any tips about grey mangoes?", k=20) if hit.why == "relative"]
    assert relatives
    assert all(hit.by is not None for hit in relatives)
    one_fact = memory.search("What did I say of grey mangoes?", k=3)
    assert all(hit.why == "seed" for hit in one_fact), "one fact is asked for: what fits best comes first"


def test_what_is_told_of_others_comes_after_what_the_speaker_asks_about() -> None:
    memory = MosaicMemory()
    memory.add("On holiday Ava reads novels by the sea, she says.", id="ava")
    memory.add("On holiday I read by the sea.", id="me")
    memory.add("The ferry is late.", id="ferry")
    assert ids(memory.search("Where by the sea do I read novels on holiday?", k=1)) == ["me"]
    assert ids(memory.search("Where by the sea does she read novels on holiday?", k=1)) == ["ava"]
    assert ids(memory.search("I wonder: where by the sea does Ava read novels?", k=1)) == ["ava"]


def test_one_entry_that_says_more_than_a_chain_comes_first() -> None:
    memory = filled(*CHAIN)
    memory.add(
        "Rainy Sundays have their order here, and each step leads to the next one until the evening, which is the end: "
        "first the bread that has to rise for hours, then a long walk by the canal with both of the dogs, and whoever "
        "stays at home has a sneezing fit over the old dust of the bookshelves upstairs before supper is ready.",
        id="all",
    )
    found = memory.search("What do rainy Sundays lead to in the end: a sneezing fit, or a long walk?", k=2)
    assert ids(found)[0] == "all"
    assert {hit.why for hit in found} == {"seed"}


def test_what_took_place_in_the_time_that_is_asked_for_comes_first() -> None:
    memory = MosaicMemory()
    for month, place in ((1, "Rye"), (2, "Hythe"), (3, "Deal"), (4, "Lydd")):
        memory.add(f"I went hiking near {place}.", id=place, at=f"2026-{month:02}-14")
    assert ids(memory.search("Where did I go hiking in February?", k=1, at="2026-05-01")) == ["Hythe"]
    assert ids(memory.search("Where did I go hiking in March and April?", k=2, at="2026-05-01")) in (
        ["Deal", "Lydd"],
        ["Lydd", "Deal"],
    )


def test_what_the_assistant_said_is_found_when_it_is_asked_for() -> None:
    memory = filled("I need a place to eat in Lydd.")
    memory.add("Try the Pilot, a seafood kitchen by the light railway.", id="reply", role="assistant")
    assert ids(memory.search("Can you remind me of the seafood kitchen you recommended?", k=1)) == ["reply"]


# Keeping and leaving out


def test_a_budget_of_tokens_cuts_where_the_next_would_not_fit() -> None:
    memory = filled(*CHAIN)
    assert 0 < len(memory.search("bread", k=8, tokens=20)) < 8
    assert memory.search("bread", k=8, tokens=1) == []


def test_a_long_numbered_list_is_kept_item_by_item() -> None:
    memory = MosaicMemory()
    memory.add("\n".join(f"{n}. The mayor of Town{n} is Person{n}." for n in range(10)), id="facts")
    assert [entry.id for entry in memory.get_all()] == [f"facts#{n}" for n in range(10)]
    assert ids(memory.search("Who is the mayor of Town7?", k=1)) == ["facts#7"]


def test_a_later_fact_of_a_list_replaces_an_earlier_one() -> None:
    memory = MosaicMemory()
    facts = [f"{n}. The mayor of Town{n} is Person{n}." for n in range(10)]
    memory.add("\n".join([*facts, "10. The mayor of Town7 is Ada Moor."]), id="facts")
    assert ids(memory.search("Who is the mayor of Town7?", k=1)) == ["facts#10"]
    assert [event.entry.id for event in memory.history("facts#7")] == ["facts#10"]


def test_what_is_forgotten_is_gone() -> None:
    memory = filled("My locker code is 4711.")
    assert memory.forget("t0")
    assert not memory.forget("t0")
    assert "t0" not in ids(memory.search("What is my locker code?", k=10))
    assert all("4711" not in entry.text for entry in memory.get_all())


def test_mistakes_are_named() -> None:
    memory = filled("My gym is the Lido.")
    with pytest.raises(BadInput, match="holds an entry 't0' already"):
        memory.add("Another gym.", id="t0")
    with pytest.raises(BadInput, match="holds no entry 'nowhere'"):
        memory.history("nowhere")
    with pytest.raises(BadInput, match="part of mosaic 'chain'; did you mean 'chains'"):
        Mosaic(without="chain")


def test_a_batch_that_can_t_be_kept_leaves_nothing_behind() -> None:
    memory = filled("My gym is the Lido.")
    with pytest.raises(BadInput):
        memory.add_all([Entry("new", "I moved to Rye."), Entry("t0", "Again.")])
    assert "new" not in {entry.id for entry in memory.get_all()}
    assert memory.history("t0") == []


def test_someone_elses_extractor_takes_the_place_of_the_rules() -> None:
    def extractor(text: str) -> list[Statement]:
        about, _, reason = text.partition(" <- ")
        if reason:
            return [
                Statement(
                    text,
                    "tie",
                    (*about.split(), *reason.split()),
                    frozenset(about.split()),
                    (frozenset(reason.split()),),
                )
            ]
        return [Statement(text, "change", tuple(text.split()), frozenset(text.split()), news=True)]

    memory = MosaicMemory(extractor=extractor)
    memory.add("gimnasio <- trabajo", id="tie")
    memory.add("trabajo panadero", id="news")
    assert [event.entry.id for event in memory.history("tie")] == ["news"]


# As a system


def session(number: int, *said: str) -> Session:
    turns = tuple(Turn("user", text, f"s{number}/{n}") for n, text in enumerate(said))
    return Session(f"s{number}", turns, f"2026-03-{number + 1:02}T10:00:00")


def test_it_is_a_system_like_any_other_and_names_its_sources(tmp_path: Path) -> None:
    system = Mosaic()
    assert misfit(system) is None
    system.store_conversation(session(1, "My gym is the Lido, because of my job; if my job changes, so will this."))
    system.store_conversation(session(2, "I have a new job."))
    found = system.retrieve_memories("Which gym?", session(3), 2)
    assert {(memory.id, memory.sources, memory.created_at) for memory in found} == {
        ("s1/0", ("s1/0",), "2026-03-02T10:00:00"),
        ("s2/0", ("s2/0",), "2026-03-03T10:00:00"),
    }
    system.save(tmp_path)
    again = Mosaic()
    again.load(tmp_path)
    assert again.retrieve_memories("Which gym?", session(3), 2) == found
    assert again.get_all_memories() == system.get_all_memories()
    again.store_conversation(session(4, "I swim on Tuesdays."))
    assert len(again.get_all_memories()) == 3


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        (("My gym is the Lido.", "The soup was salty."), "Which gym do I go to?", "My gym is the Lido."),
        (
            ("My gym is the Lido, because of my job; if my job changes, so will this.", "I have a new job."),
            "Which gym do I go to?",
            "It was: My gym is the Lido, because of my job; if my job changes, so will this. "
            "Then on 2026-03-03: I have a new job. So it is uncertain now.",
        ),
        (
            (
                "My gym is the Lido, because of my job; if my job changes, so will this.",
                "If my job changes, my gym will be the Foundry.",
                "I have a new job.",
            ),
            "Which gym do I go to?",
            "It was: My gym is the Lido, because of my job; if my job changes, so will this. "
            "Then on 2026-03-04: I have a new job. "
            "As was said before: If my job changes, my gym will be the Foundry.",
        ),
        (
            ("I drive a Corvid Sedan.", "Update: I drive a Heron Compact."),
            "What do I drive?",
            "Update: I drive a Heron Compact. Before: I drive a Corvid Sedan.",
        ),
        (
            ("My locker code at the Lido is 4711.", "I told you that my locker code is 4711. Please delete that."),
            "What is my locker code?",
            "You asked for that to be forgotten on 2026-03-03.",
        ),
        (
            ("The key is under the blue flowerpot.", "The key under the blue flowerpot: that was a mistake."),
            "Where is the key?",
            "That was taken back on 2026-03-03: The key under the blue flowerpot: that was a mistake.",
        ),
        ((), "Where is the key?", "I don't know."),
    ],
)
def test_asked_for_an_answer_it_says_what_was_said_and_what_became_of_it(
    told: tuple[str, ...], asked: str, answer: str
) -> None:
    system = Mosaic()
    for number, text in enumerate(told, 1):
        system.store_conversation(session(number, text))
    given = adapt(system).answer_alone(Question(asked, session(9, asked), 5))
    assert given.text == answer
    assert len(given.memories or ()) == len(told)


@pytest.mark.parametrize("damage", ["", "{", '{"settings": {}}', "[]"])
def test_a_damaged_file_is_named(tmp_path: Path, damage: str) -> None:
    system = Mosaic()
    system.store_conversation(session(1, "My gym is the Lido."))
    system.save(tmp_path)
    (tmp_path / "memory.json").write_text(damage)
    with pytest.raises(BadInput, match=str(tmp_path)):
        system.load(tmp_path)
    assert len(system.get_all_memories()) == 1


def test_entries_that_are_no_entries_are_named(tmp_path: Path) -> None:
    system = Mosaic()
    system.store_conversation(session(1, "My gym is the Lido."))
    system.save(tmp_path)
    kept = json.loads((tmp_path / "memory.json").read_text())
    kept["state"]["entries"][0]["text"] = 5
    (tmp_path / "memory.json").write_text(json.dumps(kept))
    with pytest.raises(BadInput, match="damaged"):
        system.load(tmp_path)


@settings(max_examples=40, deadline=None)
@given(st.lists(ANY_TEXT, max_size=6), ANY_TEXT)
def test_any_text_can_be_kept_and_asked_for(texts: list[str], query: str) -> None:
    system = adapt(Mosaic())
    system.store_conversation(session(1, *texts))
    said = [text for text in texts if text.strip()]
    assert [memory.text for memory in system.get_all_memories()] == said
    found = system.retrieve_memories(query, session(2, query), 10)
    assert sorted(memory.text for memory in found) == sorted(said)


@settings(max_examples=15, deadline=None)
@given(st.permutations(list(CHAIN + SMALL_TALK)), st.integers(1, 9))
def test_storing_in_one_go_or_bit_by_bit_comes_to_the_same(told: list[str], cut: int) -> None:
    whole, parts = MosaicMemory(), MosaicMemory()
    entries = [Entry(f"e{n}", text) for n, text in enumerate(told)]
    whole.add_all(entries)
    parts.add_all(entries[:cut])
    parts.search("What do rainy Sundays lead to?")
    parts.add_all(entries[cut:])
    assert ids(parts.search("What do rainy Sundays lead to?")) == ids(whole.search("What do rainy Sundays lead to?"))
