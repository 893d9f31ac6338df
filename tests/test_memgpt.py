"""The MemGPT agent: what it edits, what leaves its context and when, how it searches and answers, what it survives."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memtriage
from memtriage.core.chat import SCRIPTED, ModelError
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem
from memtriage.core.memory import Memory, Question
from memtriage.core.trace import Usage
from memtriage.models.current import use_models
from memtriage.models.scripted import Reply, Request, Script, StubServer
from memtriage.models.scripted.data_block import data_block
from memtriage.models.scripted.systems import memgpt as scripted
from memtriage.models.system_models import SystemModels
from memtriage.registry import SystemSpec
from memtriage.runner.check import check
from memtriage.systems.adapted import adapt, misfit
from memtriage.systems.designs.files.file_memory import LineOrigin
from memtriage.systems.designs.memgpt.agent import PERSONA, cut_into_passages
from memtriage.systems.designs.memgpt.memory import WARNING, MemGPT
from memtriage.systems.libraries.catalog import steps
from memtriage.systems.retrieval.bm25 import BM25
from memtriage.systems.retrieval.dense import Dense
from memtriage.text.tokens import count_all, count_tokens

NOW = Session("now", ())
NOWHERE = LineOrigin(None, ())
ANY_TEXT = st.text(st.characters(codec=None), max_size=120)


def talk(*texts: str, id: str = "s0", at: str | None = "2026-05-01T09:00:00") -> Session:
    return Session(id, tuple(Turn("user", text, f"{id}/{n}") for n, text in enumerate(texts)), at)


LIFE = (
    talk("Noor plays the cello.", "Odo repairs clocks in Graz.", id="s1"),
    talk("Odo keeps a heron named Pip.", id="s2", at="2026-05-02T10:30:00"),
    talk("I like plum dumplings.", id="s3", at="2026-05-02T18:00:00"),
    talk("Noor sold her cello.", id="s4", at="2026-05-04T08:00:00"),
)


def filled(system: Any, sessions: Sequence[Session] = LIFE) -> Any:
    adapted = adapt(system)
    for session in sessions:
        adapted.store_conversation(session)
    return system


def texts(memories: Sequence[Memory]) -> list[str]:
    return [memory.text for memory in memories]


def found(system: Any, query: str, k: int | None = 5) -> list[str]:
    return texts(system.retrieve_memories(query, NOW, k))


def saved(system: Any, path: Path) -> Any:
    system.save(path)
    return json.loads((path / "memory.json").read_text())


def usual(request: Request) -> Any:
    return scripted.reply(request)


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(usual) as served, SystemModels(cache=None) as inside, use_models(inside):
        yield served


@pytest.fixture
def short_prompts(tmp_path: Path) -> str:
    """Rules of one word each, so that a small window is nearly all queue."""
    file = tmp_path / "prompts.json"
    file.write_text(json.dumps({f"agent_{task}": "Act." for task in ("keep", "summary", "search", "answer")}))
    return str(file)


def with_model(server: StubServer, **more: Any) -> MemGPT:
    return MemGPT(internal=f"{server.url}#scripted", **more)


def act(tool: str, text: str = "", **more: Any) -> dict[str, Any]:
    unused = {"block": "", "old": "", "start": "", "end": "", "page": 0, "heartbeat": False}
    return {"tool": tool, "text": text, **unused, **more}


def step(*actions: Mapping[str, Any], thought: str = "") -> dict[str, Any]:
    return {"thought": thought, "actions": list(actions)}


def answering(**replies: list[Any]) -> Script:
    """A model that gives these replies by task, then nothing more to do; anything else is answered by the script."""
    waiting = {task: iter(said) for task, said in replies.items()}

    def script(request: Request) -> Any:
        data = data_block(request)
        task = str(data["task"]) if data else ""
        return next(waiting[task], step()) if task in waiting else scripted.reply(request)

    return script


def seen(server: StubServer, task: str = "") -> list[Mapping[str, Any]]:
    """The data of all requests so far, or of those of one task."""
    told = [json.loads(request.body["messages"][1]["content"].split("\n")[1]) for request in server.requests]
    return [data for data in told if task in ("", data["task"])]


def sizes(server: StubServer) -> list[int]:
    return [count_all(message["content"] for message in request.body["messages"]) for request in server.requests]


def results(data: Mapping[str, Any]) -> list[str]:
    return [message["result"] for message in data["queue"] if message["from"] == "tool"]


# What it is


def test_it_says_what_it_is_and_what_it_can_do_without_a_model(server: StubServer) -> None:
    assert all(steps(MemGPT.traits.architecture).values())
    assert (MemGPT.traits.family, MemGPT.traits.takes_large_pieces) == ("agentic", False)
    for part in ("Summarise:", "Store:", "Retrieve:"):
        assert part in (MemGPT.__doc__ or "")
    with pytest.raises(BadSystem, match=r"--internal.*memgpt:summarise=verbatim \(or summarise=rules\)"):
        MemGPT()
    free, modelled = MemGPT(summarise="verbatim"), with_model(server)
    assert misfit(free) is misfit(modelled) is None
    assert (free.traits.parallel, free.traits.ranks_all, free.traits.takes_native) == (False, True, False)
    assert (modelled.traits.parallel, modelled.traits.ranks_all, modelled.traits.takes_native) == (True, False, True)
    assert "answer" not in adapt(free).capabilities
    assert adapt(modelled).looks_for_itself
    assert free.usage() == Usage()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"ingest": "archiv"}, "did you mean 'archive'"),
        ({"per": "word"}, "per"),
        ({"window": "lots"}, "window must be a number of tokens"),
        ({"steps": 0}, "steps must be a whole number of at least 1"),
        ({"block": -1}, "block must be"),
        ({"window": 900}, "no room for the rules, core memory and a passage; name at least window="),
    ],
)
def test_what_can_not_be_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        MemGPT(summarise="verbatim", **wrong)


def test_the_smallest_window_that_it_names_is_taken() -> None:
    with pytest.raises(BadInput) as refused:
        MemGPT(summarise="verbatim", window=900)
    least = int(str(refused.value).partition("window=")[2].partition(",")[0])
    MemGPT(summarise="verbatim", window=least)
    with pytest.raises(BadInput):
        MemGPT(summarise="verbatim", window=least - 2)


@pytest.mark.parametrize("arguments", [{"summarise": "verbatim"}, {"summarise": "rules"}, {}, {"ingest": "archive"}])
def test_a_rehearsal_finds_nothing_wrong(arguments: dict[str, Any], server: StubServer) -> None:
    internal = {} if "summarise" in arguments else {"internal": f"{server.url}#scripted"}
    checks = list(check(SystemSpec("memgpt", MemGPT, {**arguments, **internal}), sessions=4))
    assert [each for each in checks if each.outcome == "problem"] == []
    complete = next(each for each in checks if each.what == "lists everything it was told")
    assert complete.outcome == "ok"


# Without a model


@given(st.lists(st.lists(ANY_TEXT, max_size=3), max_size=4), st.sampled_from([None, "2026-05-01", "soon"]))
@settings(max_examples=15, deadline=None)
def test_every_turn_is_kept_once_and_comes_back_from_disk(
    tmp_path_factory: pytest.TempPathFactory, sessions: list[list[str]], at: str | None
) -> None:
    said = [talk(*turns, id=f"s{n}", at=at) for n, turns in enumerate(sessions)]
    path = tmp_path_factory.mktemp("store")
    for mode in ("verbatim", "rules"):
        system = filled(MemGPT(summarise=mode), said)
        recalled = [memory for memory in system.get_all_memories() if memory.id.startswith("m")]
        turns = [turn for session in said for turn in session.turns if turn.text.strip()]
        assert [memory.sources for memory in recalled] == [(turn.id,) for turn in turns]
        assert [memory.text.isascii() and memory.text for memory in recalled] == [
            turn.text.isascii() and turn.text.strip() for turn in turns
        ]
        system.save(path)
        again = filled(MemGPT(summarise=mode))
        again.load(path)
        assert again.get_all_memories() == system.get_all_memories()
        assert filled(again).get_all_memories() == filled(system).get_all_memories()
        assert again.retrieve_memories("Who plays?", NOW, 4) == system.retrieve_memories("Who plays?", NOW, 4)


def test_messages_are_found_by_meaning_and_by_words_in_turn_and_k_brings_k() -> None:
    system = filled(MemGPT(summarise="verbatim"))
    assert system.always_shown() == []
    (heron,) = system.retrieve_memories("Who keeps a heron?", NOW, 1)
    assert (heron.text, heron.sources, heron.created_at) == (
        "Odo keeps a heron named Pip.",
        ("s2/0",),
        "2026-05-02T10:30:00",
    )
    by_meaning, by_words = found(filled(Dense()), "cello clocks"), found(filled(BM25()), "cello clocks", 3)
    in_turn = [text for pair in zip_longest(by_meaning, by_words) for text in pair if text]
    assert found(system, "cello clocks") == list(dict.fromkeys(in_turn))
    for k in (1, 3, 5, 9):
        assert found(system, "zzz", k) == found(system, "zzz", 9)[:k]
        assert len(set(found(system, "zzz", k))) == min(k, 5)
    with pytest.raises(BadInput, match="k must be"):
        found(system, "zzz", 0)


def test_by_rule_what_people_state_is_in_core_memory_and_its_oldest_lines_leave_it_for_the_archive() -> None:
    system = MemGPT(summarise="rules", block=60)
    filled(system, [talk("I like plum dumplings.", "Do you? I own a small red canoe.", id="s1")])
    assert system.agent.blocks["human"].text == "I like plum dumplings.\nI own a small red canoe."  # 47 characters
    assert texts(system.always_shown()) == ["I like plum dumplings.", "I own a small red canoe."]
    assert [memory.sources for memory in system.always_shown()] == [("s1/0",), ("s1/1",)]
    filled(system, [talk("I sold my old bike.", id="s2", at="2026-06-01")])  # 19 more, and a line break: 67
    assert system.agent.blocks["human"].text == "I own a small red canoe.\nI sold my old bike."
    (left,) = system.agent.archive.values()
    assert (left.text, left.sources, left.created_at) == ("I like plum dumplings.", ("s1/0",), "2026-05-01T09:00:00")
    filled(system, [talk("I sold my old bike.", id="s3")])
    assert system.agent.blocks["human"].text == "I own a small red canoe.\nI sold my old bike."  # said again, kept once
    filled(system, [talk(f"I collect {'very ' * 20}old stamps.", id="s4")])  # too long for any block
    assert texts(system.always_shown()) == []
    assert len(system.agent.archive) == 4


def test_stores_never_see_each_other_and_reset_forgets_everything() -> None:
    one, other = (filled(MemGPT(summarise="rules"), part) for part in (LIFE[:2], LIFE[2:]))
    assert not any("heron" in text for text in texts(other.get_all_memories()) + found(other, "heron", 9))
    one.reset()
    assert one.get_all_memories() == found(one, "heron") == one.always_shown() == []
    assert filled(one).get_all_memories() == filled(MemGPT(summarise="rules")).get_all_memories()


def test_a_strange_or_damaged_save_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    system = filled(MemGPT(summarise="verbatim"))
    before = system.get_all_memories()
    with pytest.raises(BadInput, match="holds no saved memory system"):
        system.load(tmp_path / "nowhere")
    MemGPT(summarise="verbatim", page=7).save(tmp_path / "other")
    with pytest.raises(BadInput, match="same settings"):
        system.load(tmp_path / "other")
    record = saved(system, tmp_path / "mine")
    state = record["state"]
    lost = [{"speaker": "user", "text": "x", "when": "", "result": "", "passage": "m99"}]
    for broken in (
        {},
        {**state, "order": [1]},
        {**state, "blocks": {}},
        {**state, "recall": [{"id": "m1"}]},
        {**state, "queue": lost},
    ):
        (tmp_path / "mine/memory.json").write_text(json.dumps({**record, "state": broken}))
        with pytest.raises(BadInput, match="damaged"):
            system.load(tmp_path / "mine")
    assert system.get_all_memories() == before
    assert len(found(system, "zzz", 9)) == 5


@pytest.mark.parametrize("tokens", [4, 9, 300])
def test_passages_are_cut_between_sentences_where_that_is_possible(tokens: int) -> None:
    text = "One is small. Two is as well!\nThree goes on and on and on and on and on and on. Four."
    pieces = cut_into_passages(text, tokens)
    assert all(count_tokens(piece) <= tokens for piece in pieces)
    assert "".join("".join(piece.split()) for piece in pieces) == "".join(text.split())
    if tokens == 9:
        assert pieces[0] == "One is small. Two is as well!"
        assert pieces[-1] == "Four."


# Core memory, edited by the agent


def test_the_agent_edits_its_blocks_and_their_lines_are_memories(server: StubServer, tmp_path: Path) -> None:
    first = step(
        act("core_memory_append", "Noor plays the cello.", block="human"),
        act("core_memory_append", "Noor's teacher is Odo.", block="human"),
        thought="Noor matters.",
    )
    second = step(act("core_memory_replace", "Noor sold her cello.", block="human", old="Noor plays the cello."))
    third = step(
        act("core_memory_replace", "", block="human", old="Noor's teacher is Odo."),
        act("core_memory_append", "I am brief.", block="persona"),
    )
    server.script = answering(agent_keep=[first, second, third])
    system = filled(with_model(server), LIFE[:1])
    assert system.agent.blocks["human"].text == "Noor plays the cello.\nNoor's teacher is Odo."
    filled(system, LIFE[3:])
    told = {memory.text: memory for memory in system.always_shown()}
    assert list(told) == ["Noor sold her cello.", "Noor's teacher is Odo."]  # persona is as it was: no memory
    assert (told["Noor sold her cello."].sources, told["Noor sold her cello."].created_at) == (
        ("s4/0",),
        "2026-05-04T08:00:00",
    )
    assert told["Noor's teacher is Odo."].sources == ("s1/0", "s1/1")
    shown = seen(server)[1]["core"]["human"]
    assert shown == {"text": "Noor plays the cello.\nNoor's teacher is Odo.", "characters": 44, "most": 2000}
    assert {"from": "thought", "text": "Noor matters."} in seen(server)[1]["queue"]
    filled(system, LIFE[1:2])
    assert texts(system.always_shown()) == ["I am brief.", "Noor sold her cello."]
    assert system.agent.blocks["persona"].text == f"{PERSONA}\nI am brief."
    again = with_model(server)
    system.save(tmp_path)
    again.load(tmp_path)
    assert again.agent == system.agent
    assert saved(again, tmp_path / "again") == saved(system, tmp_path / "first")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (act("core_memory_append", "x" * 41, block="human"), "human would have 41 characters, and at most 40 fit"),
        (act("core_memory_append", "x", block="self"), "there is no block 'self'; there are persona and human"),
        (act("core_memory_append", " ", block="human"), "`text` is empty"),
        (act("core_memory_replace", "x", block="human", old="tea"), "'tea' does not stand in the block human"),
        (act("core_memory_replace", "x", block="human"), "does not stand"),
        (act("archival_memory_insert", "\n"), "nothing was kept"),
        (act("archival_memory_search", ""), "what to look for"),
        (act("conversation_search", " "), "what to look for"),
        (act("conversation_search_date", start="soon"), "days, such as 2026-05-01"),
        (act("send_message", "Hello!"), "there is no tool 'send_message'"),
        (act("format_disk"), "there is no tool"),
    ],
)
def test_what_may_not_be_done_is_told_not_done_and_worth_another_step(
    server: StubServer, wrong: Mapping[str, Any], why: str
) -> None:
    right = act("archival_memory_insert", "Noor plays the cello.")
    server.script = answering(agent_keep=[step(wrong), step(right)])
    system = filled(with_model(server, block=40), LIFE[:1])
    assert len(server.requests) == 2
    (told,) = results(seen(server)[1])
    assert told.startswith("not carried out: ")
    assert why in told
    assert system.agent.blocks["human"].text == ""
    assert [passage.text for passage in system.agent.archive.values()] == ["Noor plays the cello."]


# Steps


def test_a_heartbeat_brings_another_step_that_sees_what_came_of_the_first(server: StubServer) -> None:
    filled(system := with_model(server), LIFE[:1])
    before = len(server.requests)
    look = act("conversation_search", "cello", heartbeat=True)
    note = act("archival_memory_insert", "Noor's cello came up again.")
    server.script = answering(agent_keep=[step(look), step(note)])
    filled(system, LIFE[3:])
    assert len(server.requests) - before == 2
    first, second = seen(server)[before:]
    new = [message for message in first["queue"] if message.get("new")]
    assert [message["from"] for message in new] == ["tool", "tool", "user"]  # it has not seen what its last calls did
    assert new[-1]["text"] == "Noor sold her cello."
    (result,) = [message for message in second["queue"] if message.get("new")]
    assert (result["from"], result["text"]) == ("tool", 'conversation_search {"text": "cello"}')
    assert result["result"].split("\n") == [
        "page 0, 2 of 2 that were found:",
        "[2026-05-01T09:00:00] user: Noor plays the cello.",
        "[2026-05-04T08:00:00] user: Noor sold her cello.",
    ]
    assert (first["steps_left"], second["steps_left"]) == (10, 9)


def test_without_a_heartbeat_the_result_waits_for_the_next_event(server: StubServer) -> None:
    server.script = answering(agent_keep=[step(act("conversation_search", "clocks")), step()])
    filled(with_model(server), LIFE[:2])
    assert len(server.requests) == 2
    assert "Odo repairs clocks in Graz." in results(seen(server)[1])[0]


@pytest.mark.parametrize("most", [1, 3])
def test_an_agent_that_never_stops_is_stopped_and_what_it_did_counts(server: StubServer, most: int) -> None:
    more = step(act("archival_memory_insert", "More.", heartbeat=True))
    server.script = answering(agent_keep=[more] * 9)
    system = filled(with_model(server, steps=most), LIFE[:1])
    assert len(server.requests) == len(system.agent.archive) == most
    assert [data["steps_left"] for data in seen(server)] == list(range(most, 0, -1))
    assert system.notices() == [SCRIPTED, "events and questions that ended for want of steps: 1"]


@pytest.mark.parametrize(("per", "events"), [("session", 1), ("turn", 3)])
def test_a_session_or_a_turn_is_one_event(server: StubServer, per: str, events: int) -> None:
    turns = (Turn("user", "Odo sings.", "s0/0"), Turn("assistant", "How nice!", "s0/1"), Turn("user", "Yes.", "s0/2"))
    system = filled(with_model(server, per=per), [Session("s0", (*turns, Turn("user", " ", "s0/3"))), NOW])
    assert len(server.requests) == events
    assert texts(system.get_all_memories())[-3:] == ["Odo sings.", "How nice!", "Yes."]
    assert [message["from"] for message in seen(server)[-1]["queue"] if message["from"] in ("user", "assistant")] == [
        "user",
        "assistant",
        "user",
    ]


# The window


def many(count: int) -> list[Session]:
    days = [f"2026-05-{n + 1:02}T09:00:00" for n in range(count)]
    more = "It stood in the reeds by the old mill all morning, and nobody saw it leave."
    return [talk(f"On day {n} the heron ate {n + 3} fish. {more}", id=f"s{n}", at=at) for n, at in enumerate(days)]


def quiet(server: StubServer, window: int, prompts: str, sessions: int) -> tuple[MemGPT, list[Mapping[str, Any]]]:
    """An agent that does nothing but read, and what it was shown."""
    server.script = answering(agent_keep=[step()] * 99)
    before = len(server.requests)
    system = filled(with_model(server, window=window, block=40, passage=40, prompts=prompts), many(sessions))
    return system, seen(server)[before:]


def test_it_is_warned_at_seven_tenths_of_the_window(server: StubServer, short_prompts: str) -> None:
    quiet(server, 100_000, short_prompts, 8)
    eighth = sizes(server)[7]
    enough = -(-eighth * 10 // 7)  # the smallest window of which the eighth prompt is no more than 70 %
    for window, warned in ((enough, []), (enough - 2, [WARNING])):
        _, shown = quiet(server, window, short_prompts, 8)
        assert len(shown) == 8
        told = [[m["text"] for m in data["queue"] if m["from"] == "system"] for data in shown]
        assert told == [[]] * 7 + [warned]


def test_messages_leave_the_context_at_the_first_token_too_many(server: StubServer, short_prompts: str) -> None:
    quiet(server, 100_000, short_prompts, 16)
    quiet(server, sizes(server)[-1] + 100, short_prompts, 16)  # warned, and not yet full
    size = sizes(server)[-1]
    system, shown = quiet(server, size, short_prompts, 16)
    assert [data["task"] for data in shown] == ["agent_keep"] * 16
    assert (sizes(server)[-1], system.agent.summary, len(system.agent.queue)) == (size, "", 17)  # with the warning
    system, shown = quiet(server, size - 1, short_prompts, 16)
    assert [data["task"] for data in shown] == ["agent_keep"] * 15 + ["agent_summary", "agent_keep"]
    gone, left = shown[-2]["messages"], shown[-1]["queue"]
    assert [m["text"] for m in [*gone, *left]] == [m["text"] for m in [*shown[-3]["queue"], left[-1]]]
    assert left[-1] == {"from": "user", "when": "2026-05-16T09:00:00", "text": many(16)[-1].turns[0].text, "new": True}
    assert sizes(server)[-1] <= size // 2 + count_tokens(system.agent.summary)
    one_more = count_tokens(json.dumps(gone[-1], separators=(",", ":")))
    assert sizes(server)[-1] - count_tokens(system.agent.summary) + one_more > (size - 1) // 2 - 20  # and no more left
    assert len(system.agent.recall) == 16
    assert texts(system.always_shown()) == [system.agent.summary] == [shown[-1]["summary"]]
    assert system.always_shown()[0].created_at == gone[-1].get("when", gone[-2].get("when"))


def test_the_summary_is_recursive_and_what_left_is_found_by_a_search(server: StubServer, short_prompts: str) -> None:
    system, shown = quiet(server, 1_000, short_prompts, 28)
    summed = [data for data in shown if data["task"] == "agent_summary"]
    assert len(summed) >= 2
    assert summed[0]["summary"] == ""
    assert summed[1]["summary"] == next(data["summary"] for data in shown if data.get("summary"))
    new = [m["text"] for data in shown if data["task"] == "agent_keep" for m in data["queue"] if m.get("new")]
    assert new.count(WARNING) in (len(summed), len(summed) + 1)  # before each time, and perhaps for the next one
    visible = [message["text"] for message in shown[-1]["queue"]]
    assert many(1)[0].turns[0].text not in visible
    look = act("conversation_search_date", start="2026-05-01", end="2026-05-02", heartbeat=True)
    server.script = answering(agent_keep=[step(look), step()])
    filled(system, [talk("What was first?", id="q", at="2026-06-01")])
    assert results(seen(server)[-1])[-1].split("\n")[1:] == [
        f"[2026-05-01T09:00:00] user: {many(1)[0].turns[0].text}",
        f"[2026-05-02T09:00:00] user: {many(2)[1].turns[0].text}",
    ]


def test_a_long_session_is_read_in_several_events_and_no_prompt_exceeds_the_window(
    server: StubServer, short_prompts: str
) -> None:
    long = " ".join(f"Chapter {n} tells of the heron's year {n}." for n in range(150))
    system = with_model(server, window=1_200, block=200, passage=40, prompts=short_prompts)
    filled(system, [talk("It begins.", long, "It ends.", id="s0"), *LIFE])
    assert len(server.requests) > 6
    assert max(sizes(server)) <= 1_200
    heard = [memory.text for memory in system.get_all_memories() if memory.id.startswith("m")]
    assert " ".join(heard) == " ".join(["It begins.", long, "It ends.", *(t.text for s in LIFE for t in s.turns)])
    told = [m["text"] for data in seen(server, "agent_keep") for m in data["queue"] if m.get("new")]
    assert [text for text in told if text in set(heard)] == heard  # each was shown as new, once


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "tool": st.sampled_from(
                    "core_memory_append core_memory_replace archival_memory_insert archival_memory_search "
                    "conversation_search conversation_search_date send_message rm".split()
                ),
                "block": st.sampled_from(["human", "persona", "x"]),
                "old": st.sampled_from(["", "a", "I"]),
                "text": st.text(max_size=30) | st.just("long words " * 60),
                "start": st.sampled_from(["", "2026-05-01"]),
                "end": st.sampled_from(["", "2026-05-09"]),
                "page": st.integers(-2, 3) | st.none() | st.booleans(),
                "heartbeat": st.booleans(),
            }
        ),
        max_size=25,
    )
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_agent_does_blocks_and_window_hold(short_prompts: str, actions: list[Any]) -> None:
    system = MemGPT(summarise="verbatim", window=1_500, block=120, passage=40, steps=4, prompts=short_prompts)
    system.summarise = "model"
    asked: list[int] = []

    def ask(put: Any) -> Any:
        asked.append(system._tokens(put))
        return {"summary": "So far."} if put.task == "agent_summary" else {"thought": "t", "actions": actions}

    system._ask = ask  # type: ignore[assignment,method-assign]
    filled(system, many(2))
    assert all(len(block.text) <= 120 for block in system.agent.blocks.values())
    assert all(count_tokens(passage.text) <= 40 for passage in system.agent.archive.values())
    assert max(asked) <= 1_500
    assert sorted(system._vectors.ids) == sorted(system.agent.archive)
    assert len(system.agent.recall) == 2


# The archive


def test_archival_memory_is_searched_by_meaning_page_by_page(server: StubServer) -> None:
    kept = [act("archival_memory_insert", f"Fact {n}: the heron ate {n} fish.") for n in range(6)]
    kept.append(act("archival_memory_insert", "Plum dumplings are made with curd."))
    pages = [act("archival_memory_search", "dumplings", page=n, heartbeat=True) for n in range(3)]
    server.script = answering(agent_keep=[step(*kept), step(*pages), step()])
    system = filled(with_model(server), LIFE[:2])
    first, second, third = (text.split("\n") for text in results(seen(server)[-1])[-3:])
    assert first[:2] == [
        "page 0, 5 of 7 that were found:",
        "[2026-05-01T09:00:00] Plum dumplings are made with curd.",
    ]
    assert (len(first), len(second)) == (6, 3)
    assert third == ["nothing on page 2: 7 were found"]
    assert len({*first[1:], *second[1:]}) == 7
    assert {memory.sources for memory in system.get_all_memories() if memory.id.startswith("a")} == {("s1/0", "s1/1")}


def test_a_step_brings_no_more_than_can_be_read_at_once(server: StubServer, short_prompts: str) -> None:
    system = with_model(server, window=1_500, block=40, passage=100, prompts=short_prompts)
    for n in range(12):
        text = f"Heron number {n} {'stands in the shallow water and waits ' * 8}"
        system._insert(system.agent, [(text, NOWHERE)])
    looks = [act("archival_memory_search", "heron", page=n, heartbeat=True) for n in range(3)]
    server.script = answering(agent_keep=[step(*looks), step()])
    filled(system, LIFE[:1])
    told = results(seen(server)[-1])
    assert "search again in the next one" in told[-1]
    assert not told[0].startswith("not carried out")
    assert max(sizes(server)) <= 1_500


def test_with_ingest_archive_nobody_reads_and_the_agent_only_searches(server: StubServer) -> None:
    system = with_model(server, ingest="archive", passage=12)
    long = talk("The heron stood in the pond. It waited for the fish. Then the rain came down on Graz.", id="s9")
    filled(system, [long, *LIFE])
    assert not server.requests
    assert system.always_shown() == []
    assert [passage.text for passage in system.agent.archive.values()][:2] == [
        "The heron stood in the pond.",
        "It waited for the fish.",
    ]
    assert {memory.sources for memory in system.get_all_memories()[:3]} == {("s9/0",)}
    assert found(system, "Who sold a cello?", 1) == ["Noor sold her cello."]
    assert [data["task"] for data in seen(server)] == ["agent_search"] * 2


# Asked


def test_k_counts_what_its_searches_bring_the_best_of_each_first(server: StubServer, tmp_path: Path) -> None:
    system = filled(with_model(server))
    before = saved(system, tmp_path / "before")
    looks = [
        act("conversation_search", "cello", heartbeat=True),
        act("conversation_search", "heron clocks", heartbeat=True),
        act("core_memory_append", "x", block="human"),  # may only look
        act("send_message", "Noor."),
    ]
    server.script = answering(agent_search=[step(*looks), step(act("conversation_search", "plum"))] * 3)
    everything = found(system, "Who plays what?", None)
    assert everything[0] == "Noor plays the cello."  # the best of each search, in their order
    assert everything[2] == "I like plum dumplings."
    assert set(everything) == {turn.text for session in LIFE for turn in session.turns}
    assert found(system, "Who plays what?", 2) == everything[:2]
    assert found(system, "Who plays what?", 99) == everything
    first, second = seen(server, "agent_search")[:2]
    assert (first["queue"], first["question"], first["asked_at"]) == ([], "Who plays what?", "")
    assert [result.partition(":")[0] for result in results(second)[-2:]] == ["not carried out"] * 2
    assert saved(system, tmp_path / "after") == before
    assert system.usage().calls == len(server.requests)


def test_an_empty_memory_is_not_searched(server: StubServer) -> None:
    assert found(with_model(server), "Anything?") == []
    assert not server.requests


def test_it_answers_from_its_whole_context_and_what_it_does_meanwhile_is_forgotten(
    server: StubServer, tmp_path: Path
) -> None:
    system = filled(with_model(server))
    before = saved(system, tmp_path / "before")
    calls = len(server.requests)
    server.script = answering(
        agent_answer=[
            step(
                act("archival_memory_insert", "Somebody asked about herons."),
                act("core_memory_append", "Asks about herons.", block="human"),
                act("archival_memory_search", "heron"),  # no heartbeat: an open question brings another step
            ),
            step(act("send_message", "Pip is a heron.")),
        ]
    )
    question = Question("Who is Pip?", Session("q", (), "2026-07-01"), 1, instruction="One sentence.")
    answered = system.answer(question)
    assert (answered.text, len(server.requests) - calls) == ("Pip is a heron.", 2)
    first, second = seen(server, "agent_answer")
    assert (first["question"], first["how"]) == (
        "Who is Pip?",
        "The question is asked on 2026-07-01. One sentence.",
    )
    assert {message["text"] for message in first["queue"]} >= {turn.text for s in LIFE for turn in s.turns}
    assert "Somebody asked about herons." in results(second)[-1]
    used = texts(answered.memories or ())
    assert {"I like plum dumplings.", "Odo keeps a heron named Pip."} <= set(used)  # core memory and the queue
    assert set(used) <= set(texts(system.get_all_memories()))  # not what it wrote down while it was asked
    assert saved(system, tmp_path / "after") == before
    assert "Somebody asked" not in "\n".join(found(system, "heron", 99))
    assert system.notices() == [SCRIPTED]


def test_a_question_left_open_is_an_empty_answer_and_every_report_says_so(server: StubServer) -> None:
    system = filled(with_model(server, steps=2), LIFE[:1])
    question = Question("Who?", NOW, 1)
    server.script = answering(agent_answer=[step()])
    assert system.answer(question).text == ""
    look = step(act("conversation_search", "cello"))
    server.script = answering(agent_answer=[look, look])
    assert system.answer(question).text == ""
    assert system.notices()[1:] == [
        "events and questions that ended for want of steps: 1",
        "questions that the agent left without an answer: 2",
    ]


# What goes wrong


def test_a_session_is_stored_as_a_whole_or_not_at_all(server: StubServer, tmp_path: Path) -> None:
    system = filled(with_model(server, per="turn"), LIFE[1:2])
    before = saved(system, tmp_path / "before")

    def script(request: Request) -> Any:
        return Reply("no", status=400) if "clocks" in request.text else scripted.reply(request)

    server.script = script
    with pytest.raises(ModelError):
        system.store_conversation(LIFE[0])  # its first turn went well
    assert saved(system, tmp_path / "after") == before
    server.script = usual
    assert "Noor plays the cello." not in found(system, "Who plays the cello?", 99)
    system.store_conversation(LIFE[0])
    assert found(system, "Who plays the cello?", 1) == ["Noor plays the cello."]


@pytest.mark.parametrize("nonsense", ["[]", '{"actions": 3}', '{"actions": [1, {"tool": 4, "page": "x"}]}', "{}"])
def test_a_reply_that_makes_no_sense_does_no_harm(server: StubServer, nonsense: str) -> None:
    server.script = lambda request: nonsense
    system = with_model(server, steps=2)
    try:
        system.store_conversation(LIFE[0])
    except ModelError:
        assert system.get_all_memories() == []
    else:
        assert len(system.get_all_memories()) == 2


def test_prompts_of_ones_own_are_used_and_told_apart_on_disk(
    server: StubServer, short_prompts: str, tmp_path: Path
) -> None:
    system = filled(with_model(server, prompts=short_prompts), LIFE[:1])
    assert server.requests[0].body["messages"][0]["content"].startswith("Act.\n")
    system.save(tmp_path / "store")
    with pytest.raises(BadInput, match="same settings"):
        with_model(server).load(tmp_path / "store")


# In a run


def test_it_runs_on_a_suite_with_and_without_a_model(tmp_path: Path) -> None:
    named = {
        "verbatim": "memgpt:summarise=verbatim",
        "rules": "memgpt:summarise=rules",
        "agent": "memgpt",
        "archive": "memgpt:ingest=archive",
    }
    with StubServer("memory") as served:
        run = memtriage.run(
            named, suite="memfail/long-hop", rows=3, k=[5], out=tmp_path / "run", internal=f"{served.url}#scripted"
        )
        assert run.errors == 0
        rows = {row["system"]: row for row in run.table()}
        assert set(rows) == set(named)
        assert all(row["not_stored"] == row["summary_error"] == 0 for row in rows.values())


def test_it_answers_for_itself_in_a_run(tmp_path: Path) -> None:
    with StubServer("memory") as served:
        run = memtriage.run(
            "memgpt",
            suite="memfail/long-hop",
            rows=2,
            k=[1],
            answers=True,
            out=tmp_path / "run",
            internal=f"{served.url}#scripted",
        )
    assert run.errors == 0
    assert {probe["depth"] for probe in run.probes} == {"full"}
    assert not any("don't tell what they were made from" in each for told in run.notices.values() for each in told)
