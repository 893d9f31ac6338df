"""How much comes back: numbers of memories, what fits a number of tokens, and what a system gives its own users.

Each of the tiny suite's first nine sentences ("Marta keeps the violin in the attic.") has nine tokens.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import validate  # type: ignore[import-untyped]

import memtriage
from conftest import Place
from memtriage import Memory, Session, Turn
from memtriage.config import RunConfig
from memtriage.core.errors import BadInput
from memtriage.core.memory import Traits
from memtriage.core.verdict import ProbeVerdict, Verdict
from memtriage.models.scripted import ContentReader, StubServer
from memtriage.runner.amounts import retrieve
from memtriage.systems.adapted import adapt
from memtriage.systems.designs.chat.memorybank import MemoryBank
from memtriage.systems.libraries.catalog import libraries
from memtriage.tables.table import SCHEMA, table, table_json


class Keeps:
    """Keeps every turn, brings back the newest, and remembers with which k it was asked."""

    asked: list[Any]

    def __init__(self) -> None:
        self.kept: list[Memory] = []
        type(self).asked = []

    def store_conversation(self, conversation: Session) -> None:
        self.kept += [Memory(t.id, t.text) for t in conversation.turns]

    def retrieve_memories(self, query: str, conversation: Session, k: Any) -> Sequence[Memory]:
        self.asked.append(k)
        return self.kept[::-1][:k]

    def get_all_memories(self) -> list[Memory]:
        return self.kept


def run(*systems: object, rows: int = 9, **more: Any) -> memtriage.Run:
    return memtriage.run(*systems, suite="tiny/end", rows=rows, **more)


def back(found: memtriage.Run, system: str = "") -> dict[Any, set[tuple[int, int | None]]]:
    """By k, the pairs of memories and tokens that came back for questions."""
    pairs: dict[Any, set[tuple[int, int | None]]] = {}
    for verdict in found.verdicts():
        if system in ("", verdict.system):
            pairs.setdefault(verdict.k, set()).add((verdict.k_returned, verdict.context_tokens))
    return pairs


def correct(found: memtriage.Run, k: Any) -> int:
    return sum(verdict.verdict == "correct" for verdict in found.verdicts() if verdict.k == k)


# A number of tokens


def test_a_number_of_tokens_is_filled_with_as_many_memories_as_fit(place: Place) -> None:
    found = run(Keeps, context_tokens=[26, 27, 1000])
    assert back(found) == {"26 tokens": {(2, 18)}, "27 tokens": {(3, 27)}, "1000 tokens": {(9, 81)}}
    assert [correct(found, k) for k in ("26 tokens", "27 tokens", "1000 tokens")] == [2, 3, 9]


def test_a_system_is_asked_for_more_until_the_tokens_are_full_or_it_has_no_more(place: Place) -> None:
    run(Keeps, context_tokens=27)
    assert Keeps.asked == [1, 2, 4] * 9  # four of nine tokens are more than fit
    run(Keeps, context_tokens=300)
    assert Keeps.asked == [6, 12] * 9  # of twelve it had nine


def test_a_first_memory_that_does_not_fit_leaves_nothing_and_is_told(place: Place) -> None:
    found = run(Keeps, context_tokens=8)
    assert back(found) == {"8 tokens": {(0, 0)}}
    assert correct(found, "8 tokens") == 0
    assert [note for note in found.notes if "the first memory alone is larger than 8 tokens" in note]


def test_a_system_that_ignores_k_is_cut_at_the_tokens_too(place: Place) -> None:
    class All(Keeps):
        ignores_k = True

        def retrieve_memories(self, query: str, conversation: Session, k: Any) -> Sequence[Memory]:
            return super().retrieve_memories(query, conversation, 99)

    assert back(run(All, k=1, context_tokens=20)) == {1: {(9, 81)}, "20 tokens": {(2, 18)}}
    assert All.asked == [99, 99] * 9


def test_tokens_stand_in_for_the_default_k_and_beside_a_given_one() -> None:
    assert RunConfig.of("bm25", context_tokens="1k,500").ks == ("500 tokens", "1000 tokens")
    assert RunConfig.of("bm25", k=[5, "native"], context_tokens=[500]).ks == ("native", "500 tokens", 5)
    assert RunConfig.of("bm25").ks == (5, 10, 20)


@pytest.mark.parametrize("wrong", [0, -1, "many", 2.5, True])
def test_a_wrong_number_of_tokens_is_refused(wrong: Any) -> None:
    with pytest.raises(BadInput, match="context_tokens must be a number of tokens"):
        RunConfig.of("bm25", context_tokens=[wrong])


@given(st.lists(st.integers(1, 30), max_size=40), st.integers(1, 200))
def test_what_fits_is_the_longest_beginning_within_the_tokens(sizes: list[int], budget: int) -> None:
    class Sized(Keeps):
        def retrieve_memories(self, query: str, conversation: Session, k: Any) -> list[Memory]:
            return [Memory(str(n), "x" * size) for n, size in enumerate(sizes)][:k]

    found = retrieve(adapt(Sized()), "?", Session("q", ()), f"{budget} tokens", lambda m: len(m.text), 0)
    fitting = max(n for n in range(len(sizes) + 1) if sum(sizes[:n]) <= budget)
    assert [memory.id for memory in found.memories] == [str(n) for n in range(fitting)]


def test_a_killed_run_with_tokens_goes_on_and_ends_the_same(place: Place) -> None:
    command = ("--suite", "tiny/end", "--rows", "9", "--context-tokens", "20,40", "--system", "mems.py:Counted")
    place.write("kill.txt", "p2:1\np5:4")
    ended = place.start("run", *command, "-q", "--no-report", "--out", "run").ended()
    resumes = 0
    while ended.code == -signal.SIGKILL:
        resumes += 1
        ended = place.start("resume", "run", "-q", "--no-report").ended()
    assert resumes == 2
    place.cli("run", *command, "-q", "--no-report", "--out", "calm")
    killed, calm = (verdicts(place.path / name) for name in ("run", "calm"))
    assert killed == calm
    assert {(k, items, tokens) for _, k, items, tokens, _ in calm} == {("20 tokens", 2, 18), ("40 tokens", 4, 36)}


def verdicts(path: Path) -> list[Any]:
    lines = [json.loads(line) for line in (path / "verdicts.jsonl").read_text().splitlines()]
    return sorted((v["probe"], v["k"], v["k_returned"], v["context_tokens"], v["verdict"]) for v in lines)


def test_a_model_reads_what_fits_the_tokens_and_no_more(place: Place) -> None:
    with StubServer(ContentReader()) as server:
        found = run(Keeps, context_tokens=18, answer=f"{server.url}#any")
        prompts = [request.body["messages"][-1]["content"] for request in server.requests]
    assert [prompt.count(" keeps the ") for prompt in prompts] == [2] * 9
    assert all(verdict.answer and verdict.k == "18 tokens" for verdict in found.verdicts())


# The system's own amount


class Seven(Keeps):
    native_k = 7


class Own(Keeps):
    """Gives its users the newest memory and the oldest."""

    takes_native = True

    def retrieve_memories(self, query: str, conversation: Session, k: Any) -> Sequence[Memory]:
        self.asked.append(k)
        return [self.kept[-1], self.kept[0]] if k is None else self.kept[:k]


def test_native_is_the_number_a_system_declares(place: Place) -> None:
    found = run(Seven, k="native")
    assert Seven.asked == [7] * 9
    assert back(found) == {"native": {(7, 63)}}
    assert found.manifest["ks"] == ["native"]
    assert found.manifest["systems"][0]["native"] == 7


def test_a_system_with_more_than_a_number_is_asked_without_one(place: Place) -> None:
    found = run(Own, k=[1, "native"])
    assert Own.asked == [None, 1] * 9
    assert back(found) == {"native": {(2, 18)}, 1: {(1, 9)}}
    assert correct(found, "native") == 2
    assert found.manifest["systems"][0]["native"] == "its own"


def test_a_system_without_an_amount_of_its_own_refuses_native(place: Place) -> None:
    for asked in (["native"], [5, "native"]):
        with pytest.raises(BadInput, match=r"system 'bm25' has no amount of its own.*--k 5,native"):
            run("bm25", k=asked)
    with pytest.raises(BadInput, match="system 'bm25' has no amount of its own"):
        run("bm25", Seven, k="native")


def test_beside_systems_that_have_one_it_is_asked_its_numbers_and_that_is_told(place: Place) -> None:
    found = run("bm25", Seven, k=[2, "native"])
    assert back(found, "bm25") == {2: {(2, 18)}}
    assert back(found, "Seven") == {2: {(2, 18)}, "native": {(7, 63)}}
    assert [note for note in found.notes if "bm25" in note and "not asked at k = native" in note]


def test_full_context_gives_everything_natively(place: Place) -> None:
    assert back(run("full-context", k="native")) == {"native": {(9, 81)}}


def test_memorybank_has_overview_and_portrait_and_what_a_message_recalls() -> None:
    bank = MemoryBank(summarise="rules", near=2)
    said = ["I am a baker in Ghent.", "The green kettle stands in the attic.", "Odo rows across the harbour."]
    for number, text in enumerate(said):
        bank.store_conversation(Session(f"s{number}", (Turn("user", text, f"s{number}/0"),), f"2026-01-0{number + 1}"))
    query = Session("q", (Turn("user", "Where is the kettle?", "q/0"),), "2026-01-04")
    found = retrieve(adapt(bank), "Where is the kettle?", query, "native", lambda memory: 1, 0)
    assert sorted(memory.id for memory in found.always) == ["overview", "portrait"]
    assert found.memories == bank.retrieve_memories("Where is the kettle?", query, 2)


def test_a_wrong_k_names_what_it_may_be() -> None:
    with pytest.raises(BadInput, match=r"k must be whole numbers or native.*not 'lots'"):
        RunConfig.of("bm25", k=["lots"])


# Lanes


def test_a_system_of_three_lanes_brings_k_of_each(place: Place) -> None:
    class Lanes(Keeps):
        traits = Traits(lanes=3)

        def retrieve_memories(self, query: str, conversation: Session, k: int) -> Sequence[Memory]:
            return super().retrieve_memories(query, conversation, 3 * k + 1)

    found = run(Lanes, k=2)
    assert back(found) == {2: {(6, 54)}}
    assert [note for note in found.notes if "only the first 6 count" in note]


def test_a_library_s_entry_says_its_lanes_and_its_own_amount() -> None:
    entries = {name: (entry.lanes, entry.native_k, entry.takes_native) for name, entry in libraries().items()}
    assert (entries["lightrag"], entries["cognee"]) == ((3, 0, True), (3, 0, True))
    assert (entries["mem0"], entries["graphiti"], entries["zep"]) == ((1, 20, False), (1, 10, False), (1, 0, False))


# Tables


def verdict(k: Any, items: int, tokens: int, found: Verdict) -> ProbeVerdict:
    probe = ProbeVerdict("s", "s/t", "a", "e", f"p{items}", k, "memory", found, "?", "!", ())
    return replace(probe, k_returned=items, context_tokens=tokens)


def test_rows_have_the_mean_number_of_memories_and_any_k() -> None:
    rows = table(
        [verdict(5, 4, 40, "correct"), verdict(5, 1, 10, "not_retrieved"), verdict("native", 9, 90, "correct")], []
    )
    assert [(row.k, row.items, row.context_tokens, row.success) for row in rows] == [
        ("native", 9.0, 90.0, 1.0),
        (5, 2.5, 25.0, 0.5),
    ]
    validate(table_json(rows), SCHEMA)


def test_show_by_context_tells_memories_and_tokens_per_system_and_k(place: Place) -> None:
    place.cli(
        *("run", "--suite", "tiny/end", "--rows", "9", "--system", "bm25", "--system", "full-context"),
        *("--k", "2", "--k", "native", "--context-tokens", "30", "-q", "--out", "run"),
    )
    told = place.cli("show", "run", "--by", "context").out
    assert [line.split()[:8] for line in told.splitlines()[2:7]] == [
        ["native", "full-context", "9", "9.0", "9–9", "81", "81–81", "100.0"],
        ["30", "tok", "bm25", "9", "3.0", "3–3", "27", "27–27"],
        ["30", "tok", "full-context", "9", "3.0", "3–3", "27", "27–27"],
        ["2", "bm25", "9", "2.0", "2–2", "18", "18–18", "100.0"],
        ["2", "full-context", "9", "9.0", "9–9", "81", "81–81", "100.0"],
    ]
    found = json.loads(place.cli("show", "run", "--by", "context", "--json").out)
    assert found["schema"] == "memtriage.context/1"
    assert [(row["k"], row["system"], row["items"], row["tokens"], row["empty"]) for row in found["rows"]][:2] == [
        ("native", "full-context", 9, 81, 0),
        ("30 tokens", "bm25", 3, 27, 0),
    ]
    assert "30 tokens,memory,9,3.0,3,3,27.0,27,27,0," in place.cli("show", "run", "--by", "context", "--csv").out
    assert "items" in place.cli("show", "run").out
    assert "30 tok" in place.cli("show", "run", "--by", "difference").out
    assert "30 tok" in place.cli("show", "run", "--by", "overall").out
    assert "At k = 2: " in place.cli("show", "run").out  # ranked at the largest number of memories
    assert "500 tok" in (place.path / "run" / "report.html").read_text()


def test_runs_are_compared_at_the_same_number_of_tokens(place: Place) -> None:
    for system in ("bm25", "echo"):
        command = ("run", "--suite", "tiny/end", "--rows", "9", "--system", system, "--context-tokens", "30")
        place.cli(*command, "-q", "--no-report", "--out", system)
    found = json.loads(place.cli("compare", "bm25", "echo", "--json").out)
    (cell,) = found["cells"]
    assert (cell["k"], cell["n"], cell["both_right"], cell["only_a_right"]) == ("30 tokens", 9, 3, 6)
