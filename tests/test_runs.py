"""Runs from Python and from the command line: what is graded, what is an error, and what is said about it."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas  # type: ignore[import-untyped]
import pytest

import memtriage
from conftest import Cli, Place
from memtriage import Memory, Session
from memtriage.core.errors import BadInput, BadRun, BadSystem
from memtriage.tables.table import SCHEMA


class Keeps:
    """Keeps every turn; finds by shared words."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def store_conversation(self, conversation: Session) -> None:
        self.kept += [Memory(t.id, t.text) for t in conversation.turns]

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
        asked = set(query.lower().strip("?").split())
        return sorted(self.kept, key=lambda m: -len(asked & set(_text(m).lower().strip(".").split())))[:k]

    def get_all_memories(self) -> Any:
        return list(self.kept)


def _text(memory: Any) -> str:
    return str(memory.text if isinstance(memory, Memory) else memory["text"] if isinstance(memory, dict) else memory)


def run(*systems: object, rows: int = 12, k: Any = 3, suite: Any = "tiny/end", **more: Any) -> memtriage.Run:
    return memtriage.run(*systems, suite=suite, rows=rows, k=k, **more)


def outcomes(found: memtriage.Run) -> Counter[str]:
    return Counter(v.verdict for v in found.verdicts())


class ClosesOnce(Keeps):
    """The first instance, on which a run tries the class, can be closed; those of its episodes can't."""

    closed = 0

    def close(self) -> None:
        type(self).closed += 1
        if self.closed > 1:
            raise RuntimeError("the lid is stuck")


def test_a_store_that_can_t_be_closed_spoils_neither_its_answers_nor_the_run(place: Place) -> None:
    ClosesOnce.closed = 0
    found = run(ClosesOnce, Keeps)
    assert ClosesOnce.closed > 1
    stuck, other = outcomes(found), outcomes(run(Keeps))
    assert stuck == other + other
    assert "error" not in stuck


# What a system may return


class Strings(Keeps):
    def store_conversation(self, conversation: Session) -> None:
        self.kept += [t.text for t in conversation.turns]


class Dicts(Keeps):
    def store_conversation(self, conversation: Session) -> None:
        self.kept += [{"text": t.text, "id": t.id, "score": 1} for t in conversation.turns]


class Tuples(Keeps):
    def get_all_memories(self) -> Any:
        return tuple(self.kept)


class Wrapped(Keeps):
    """As some libraries answer: {"results": [...]}."""

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
        return {"results": [{"memory": m.text, "id": m.id} for m in super().retrieve_memories(query, conversation, k)]}

    def get_all_memories(self) -> Any:
        return {"results": [{"memory": m.text, "id": m.id} for m in self.kept]}


class Async(Keeps):
    async def store_conversation(self, conversation: Session) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        super().store_conversation(conversation)

    async def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
        await asyncio.sleep(0)
        return super().retrieve_memories(query, conversation, k)

    async def get_all_memories(self) -> Any:
        return list(self.kept)


@pytest.mark.parametrize("system", [Keeps, Strings, Dicts, Tuples, Wrapped, Async])
@pytest.mark.parametrize("suite", ["tiny/end", "tiny/along"])
def test_a_faithful_memory_succeeds_whatever_form_it_returns(place: Place, system: type, suite: str) -> None:
    assert outcomes(run(system, suite=suite)) == {"correct": 12}


def test_an_async_memory_runs_inside_a_running_event_loop(place: Place) -> None:
    """As in a notebook, where a loop is already running in the thread that calls memtriage."""

    async def notebook() -> memtriage.Run:
        return run(Async)

    assert outcomes(asyncio.run(notebook())) == {"correct": 12}


@pytest.mark.parametrize("odd", [5, [1, 2], "one string", {"a": 1}, [None], [{"no": "text"}], [b"bytes"], object()])
def test_what_is_not_memories_is_an_error_that_names_the_function(place: Place, odd: object) -> None:
    class Odd(Keeps):
        def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
            return odd

    found = run(Odd, rows=4)
    assert outcomes(found) == {"error": 4}
    assert found.errors == 4
    assert all("Odd.retrieve_memories returned" in (v.error or "") for v in found.verdicts())


def test_nothing_retrieved_is_a_failure_of_retrieval_and_no_error(place: Place) -> None:
    class Mute(Keeps):
        def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
            return None

    assert outcomes(run(Mute)) == {"not_retrieved": 12}


def test_odd_values_inside_a_memory_are_recorded_as_text(place: Place) -> None:
    import datetime

    import numpy

    class Odd(Keeps):
        def store_conversation(self, conversation: Session) -> None:
            for turn in conversation.turns:
                when: Any = datetime.datetime(2026, 1, 5)
                ids: Any = [turn.id, 7]
                self.kept.append(Memory(len(self.kept), turn.text, when, ids, numpy.float32(0.5)))  # type: ignore[arg-type]

    found = run(Odd, rows=4)
    assert outcomes(found) == {"correct": 4}
    assert {r.score for v in found.verdicts() for r in v.retrieved} == {0.5}


HOSTILE = "<script>alert(1)</script> [bold]x[/bold] \x1b[31mred\x07\x00 lone \ud83d surrogate ‮ שלום"


def test_hostile_text_reaches_verdicts_and_show_unharmed(place: Place, cli: Cli) -> None:
    class Hostile(Keeps):
        def store_conversation(self, conversation: Session) -> None:
            self.kept += [
                Memory(f"{t.id}\ud800", f"{t.text} {HOSTILE}", "\udfff", ("\udfff",)) for t in conversation.turns
            ]

        def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
            if conversation.id == "query-p2":
                raise RuntimeError(HOSTILE)
            return super().retrieve_memories(query, conversation, k)

    found = run(Hostile, rows=4, out="run")
    assert outcomes(found) == {"correct": 3, "error": 1}
    assert "<script>alert(1)</script>" in (place.path / "run" / "memories.jsonl").read_text()
    for by in ("task", "probe", "fact", "K"):
        shown = cli("show", "run", "--by", by).out
        assert "\x1b" not in shown
        assert "\x00" not in shown
    assert "alert(1)" in cli("show", "run", "--by", "probe").out
    body = f"    def retrieve_memories(self, q, c, k): raise ValueError({HOSTILE!r})\n"
    place.write("loud.py", f"from mems import Keeps\n\n\nclass Loud(Keeps):\n{body}")
    told = cli("run", "--suite", "tiny/end", "--rows", "2", "--system", "loud.py:Loud", code=1).err
    assert "alert(1)" in told
    assert "\x1b" not in told
    for form in ("--csv", "--json"):
        assert "alert(1)" in cli("show", "run", "--by", "probe", form).out
    page = Path(cli("report", "run").out.strip()).read_text()
    assert "<script>alert(1)</script>" not in page


def test_turns_of_a_megabyte_are_stored_and_graded(place: Place) -> None:
    found = run(Keeps, rows=3, options={"big": "1000000"})
    assert outcomes(found) == {"correct": 3}


# How many come back


def test_more_than_k_are_cut_and_noted(place: Place) -> None:
    class Generous(Keeps):
        def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
            return super().retrieve_memories(query, conversation, 12)

    found = run(Generous, k=[1, 3])
    assert {v.k: v.k_returned for v in found.verdicts()} == {1: 1, 3: 3}
    assert [note for note in found.notes if "more than the k=1" in note]
    assert [note for note in found.notes if "more than the k=3" in note]


def test_a_k_beyond_the_store_is_noted_and_no_error(place: Place) -> None:
    found = run(Keeps, k=[50])
    assert outcomes(found) == {"correct": 12}
    (note,) = found.notes
    assert note.endswith(" on tiny/end/one: k=50 is more than the memories in the store; all of them count")
    (note,) = run(Keeps, "bm25", k=[50, 100, 60]).notes
    assert note.endswith(
        ", bm25 on tiny/end/one: k=50, 60 and 100 are more than the memories in the store; all of them count"
    )


# Errors belong to where they happen

BAD = """
from mems import Keeps


class Bad(Keeps):
    def store_conversation(self, conversation):
        if conversation.id == "s37":
            raise OSError("the database is gone")
        super().store_conversation(conversation)
"""


def test_a_session_that_raises_spoils_only_its_own_probes(place: Place, cli: Cli) -> None:
    place.write("bad.py", BAD)
    told = cli("run", "--suite", "tiny/end", "--system", "bad.py:Bad", "--k", "5", "--out", "run", "-q", code=1)
    assert "session s37 raised OSError: the database is gone" in told.err
    found = memtriage.load("run")
    assert [v.probe for v in found.verdicts() if v.verdict == "error"] == ["p37"]
    assert outcomes(found) == {"correct": 39, "error": 1}
    assert "s37" in next(v.error or "" for v in found.verdicts() if v.probe == "p37")
    assert found.errors == 1


def test_a_probe_that_raises_is_an_error_of_its_own(place: Place) -> None:
    class Bad(Keeps):
        def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
            if conversation.id == "query-p5" and k == 3:
                raise TimeoutError("too slow")
            return super().retrieve_memories(query, conversation, k)

    found = run(Bad, k=[1, 3])
    errors = [(v.probe, v.k, (v.error or "").partition(", at ")[0]) for v in found.verdicts() if v.verdict == "error"]
    assert errors == [("p5", 3, "asking raised TimeoutError: too slow")]


def test_a_store_that_cannot_be_looked_into_is_an_error_not_a_loss(place: Place) -> None:
    class Bad(Keeps):
        def get_all_memories(self) -> Any:
            raise PermissionError("not yours")

    found = run(Bad)
    assert outcomes(found) == {"error": 12}
    assert all("PermissionError: not yours" in (v.error or "") for v in found.verdicts())


def test_a_look_that_fails_on_the_way_costs_nothing_but_dates(place: Place) -> None:
    class Shaky(Keeps):
        looked = 0

        def get_all_memories(self) -> Any:
            type(self).looked += 1
            if type(self).looked == 2:
                raise TimeoutError("503")
            return super().get_all_memories()

    found = run(Shaky)
    assert outcomes(found) == {"correct": 12}
    assert any("503" in note for note in found.notes)


def test_a_proxy_that_answers_to_every_name_is_not_shown_the_gold(place: Place) -> None:
    revealed: list[object] = []

    class Proxy:
        def __init__(self) -> None:
            self.inner = Keeps()

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            if name == "reveal":
                return revealed.append
            return getattr(self.inner, name, lambda *_: None)

        def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
            return self.inner.retrieve_memories(query, conversation, 12)

    found = run(Proxy, k=2)
    assert revealed == []
    assert {v.k_returned for v in found.verdicts()} == {2}


def test_an_empty_store_is_an_error_unless_keeping_nothing_is_the_point(place: Place) -> None:
    class Forgets(Keeps):
        def store_conversation(self, conversation: Session) -> None:
            pass

    forgets = run(Forgets)
    assert outcomes(forgets) == {"error": 12}
    assert all("settle()" in (v.error or "") for v in forgets.verdicts())
    assert outcomes(run("none")) == {"not_stored": 12}


def test_an_empty_store_names_the_error_that_left_it_empty(place: Place) -> None:
    class Trips(Keeps):
        def store_conversation(self, conversation: Session) -> None:
            if conversation.id == "s1":
                raise OSError("the reply was cut off")

    assert {(v.error or "").partition(", at ")[0] for v in run(Trips).verdicts() if "s1" not in v.probe} >= {
        "the store is empty after 12 sessions; 1 of them failed to be stored, the first: OSError: the reply was cut off"
    }


def test_without_get_all_memories_two_stages_are_not_applicable(place: Place) -> None:
    class Blind:
        def __init__(self) -> None:
            self.inner = Keeps()

        def store_conversation(self, conversation: Session) -> None:
            self.inner.store_conversation(conversation)

        def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
            found: Sequence[Memory] = self.inner.retrieve_memories(query, conversation, k)
            return [] if conversation.id == "query-p3" else found

    found = list(run(Blind).verdicts())
    assert Counter(v.verdict for v in found) == {"correct": 11, "not_retrieved": 1}
    for verdict in found:
        for fact in verdict.facts:
            assert fact.stages["storage"] == fact.stages["summary"] == "n/a"
    lost = next(v for v in found if v.probe == "p3")
    assert "get_all_memories" in lost.facts[0].why


def test_five_sessions_in_a_row_that_raise_end_the_store(place: Place) -> None:
    stored: list[str] = []

    class Broken(Keeps):
        def store_conversation(self, conversation: Session) -> None:
            stored.append(conversation.id)
            raise ConnectionError("refused")

    found = run(Broken, Keeps)
    assert stored == ["s1", "s2", "s3", "s4", "s5"]
    verdicts = Counter((v.system, v.verdict) for v in found.verdicts())
    assert verdicts == {("Broken", "error"): 12, ("Keeps", "correct"): 12}
    assert all("gave up after 5" in (v.error or "") for v in found.verdicts() if v.system == "Broken")


def test_four_in_a_row_are_lived_with(place: Place) -> None:
    class Shaky(Keeps):
        def store_conversation(self, conversation: Session) -> None:
            if int(conversation.id[1:]) % 5:
                raise ConnectionError("refused")
            super().store_conversation(conversation)

    assert outcomes(run(Shaky)) == {"correct": 2, "error": 10}


@pytest.mark.parametrize("end", [SystemExit(0), asyncio.CancelledError(), MemoryError(), RecursionError("deep")])
def test_a_system_that_ends_the_process_is_an_error_like_any_other(place: Place, end: BaseException) -> None:
    class Ends(Keeps):
        def store_conversation(self, conversation: Session) -> None:
            if conversation.id == "s2":
                raise end
            super().store_conversation(conversation)

        def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
            if conversation.id == "query-p5":
                raise end
            return super().retrieve_memories(query, conversation, k)

    found = run(Ends)
    assert {v.probe for v in found.verdicts() if v.verdict == "error"} == {"p2", "p5"}
    assert type(end).__name__ in next(v.error or "" for v in found.verdicts() if v.probe == "p5")


def test_settle_is_waited_for(place: Place) -> None:
    class Late(Keeps):
        def __init__(self) -> None:
            super().__init__()
            self.waiting: list[Session] = []

        def store_conversation(self, conversation: Session) -> None:
            self.waiting.append(conversation)

        def settle(self) -> None:
            for session in self.waiting:
                super().store_conversation(session)
            self.waiting.clear()

    assert outcomes(run(Late, suite="tiny/along")) == {"correct": 12}


def test_a_loss_is_dated(place: Place) -> None:
    class Window(Keeps):
        def store_conversation(self, conversation: Session) -> None:
            super().store_conversation(conversation)
            self.kept = self.kept[-4:]

    found = run(Window, looks=12)
    first = next(v for v in found.verdicts() if v.probe == "p1").facts[0]
    assert (first.verdict, first.lost, first.lost_after) == ("not_stored", "later", "s5")
    assert outcomes(found) == {"not_stored": 8, "correct": 4}


# From Python


def test_an_instance_without_reset_is_copied_and_stays_as_it_was(place: Place) -> None:
    mine = Keeps()
    found = run(mine, suite=["tiny/end", "tiny/along"])
    assert mine.kept == []
    assert outcomes(found) == {"correct": 24}
    assert {s.memories for s in found.stores()} == {12}, "each episode begins with an empty store"


def test_an_instance_with_reset_is_reset_for_every_episode(place: Place) -> None:
    class Resets(Keeps):
        resets = 0

        def reset(self) -> None:
            type(self).resets += 1
            self.kept.clear()

    mine = Resets()
    found = run(mine, suite=["tiny/end", "tiny/along"])
    assert {s.memories for s in found.stores()} == {12}
    assert Resets.resets >= 2
    assert len(mine.kept) == 12, "it is the same instance that was used"


def test_an_instance_that_can_be_neither_reset_nor_copied_is_refused(place: Place) -> None:
    import threading

    class Locked(Keeps):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()

    with pytest.raises(BadInput, match=r"reset\(\).*class Locked"):
        run(Locked())


def test_two_systems_make_one_table_that_pandas_takes(place: Place) -> None:
    found = run(Keeps(), "none", k=[1, 3])
    table = pandas.DataFrame(found.table())
    assert list(table.columns) == SCHEMA["properties"]["rows"]["items"]["required"]
    assert table.set_index(["system", "k"]).correct.to_dict() == {
        ("Keeps", 1): 12, ("Keeps", 3): 12, ("none", 1): 0, ("none", 3): 0,
    }  # fmt: skip
    probes = pandas.DataFrame(found.probes)
    assert len(probes) == 48
    assert {"system", "k", "probe", "verdict"} <= set(probes.columns)
    assert found.errors == 0
    assert not found.unfinished
    assert pandas.DataFrame(memtriage.load(found.path).table()).equals(table)


def test_a_run_of_an_object_resumes_with_the_object(place: Place) -> None:
    class Stops(Keeps):
        stop = True

        def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
            if self.stop and conversation.id == "query-p6":
                raise KeyboardInterrupt
            return super().retrieve_memories(query, conversation, k)

    with pytest.raises(KeyboardInterrupt):
        run(Stops(), out="run")
    with pytest.raises(BadRun, match=r"memtriage\.resume\(path, system\)"):
        memtriage.resume("run")
    assert memtriage.load("run").unfinished
    Stops.stop = False
    found = memtriage.resume("run", Stops())
    assert outcomes(found) == {"correct": 12}
    assert not found.unfinished


def test_resume_refuses_another_class_under_the_same_name(place: Place) -> None:
    run(Keeps(), out="run")
    other = type("Keeps", (Strings,), {})
    other.__qualname__ = "elsewhere.Keeps"
    with pytest.raises(BadRun, match="changed since the run began"):
        memtriage.resume("run", other())


@pytest.mark.parametrize("k", [0, -1, [], [0, 5], "five", [2.5], [None], True])
def test_a_k_that_is_no_k_is_refused(place: Place, k: Any) -> None:
    with pytest.raises(BadInput, match="k"):
        run(Keeps, k=k)


def test_the_same_system_twice_is_refused(place: Place) -> None:
    with pytest.raises(BadInput, match="twice"):
        run("bm25", "bm25")


@pytest.mark.parametrize("nothing", [42, None, object(), "", "  "])
def test_what_is_no_system_is_refused(place: Place, nothing: object) -> None:
    with pytest.raises((BadInput, BadSystem)):
        run(nothing)


def test_a_task_named_twice_runs_once(place: Place) -> None:
    found = run(Keeps, suite=["tiny/end", "tiny", "tiny/along"])
    assert [e["id"] for e in found.manifest["episodes"]] == ["tiny/end/one", "tiny/along/one"]
    assert outcomes(found) == {"correct": 24}


def test_a_class_whose_source_is_nowhere_runs(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one typed into a notebook or a prompt."""
    import linecache

    source = "from mems import Keeps\nclass Typed(Keeps):\n    pass\ndef make():\n    return Typed()\n"
    linecache.cache["<cell 1>"] = (len(source), None, source.splitlines(True), "<cell 1>")
    module = importlib.util.module_from_spec(importlib.machinery.ModuleSpec("cell", None))
    monkeypatch.setitem(__import__("sys").modules, "cell", module)
    exec(compile(source, "<cell 1>", "exec"), module.__dict__)
    assert outcomes(run(module.Typed, module.make)) == {"correct": 24}


def test_the_manifest_says_what_was_run(place: Place, cli: Cli) -> None:
    cli("run", "--suite", "tiny/end", "--system", "mems.py:Keeps", "--rows", "4", "--seed", "7", "--out", "run", "-q")
    manifest = json.loads((place.path / "run" / "run.json").read_text())
    assert manifest["command"].startswith("memtriage run --suite tiny/end")
    assert manifest["seed"] == 7
    assert manifest["ks"] == [5, 10, 20]
    assert len(manifest["systems"][0]["source_sha256"]) == 64


def test_two_of_a_kind_are_told_apart_by_name(place: Place) -> None:
    found = run({"one": Keeps(), "two": Keeps()})
    assert {v.system for v in found.verdicts()} == {"one", "two"}
    with pytest.raises(memtriage.core.errors.BadInput, match="dict of names"):
        run(Keeps(), Keeps())
