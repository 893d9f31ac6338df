"""Mistakes that people make in a memory of their own: each is named, with its place, and told once."""

from __future__ import annotations

import re
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import memtriage
from conftest import Cli, Place
from memtriage import Session
from memtriage.config import Limits
from memtriage.core.errors import BadSystem
from memtriage.report.headline import headline
from memtriage.report.html.payload import rows_payload
from memtriage.runner.store_runner import StoreRunner
from memtriage.systems.error_line import error_line
from memtriage.systems.remote.process import Process
from memtriage.systems.remote.running import close_all
from memtriage.tables.standings import standings
from memtriage.tables.table import SCHEMA, table_json

KEEPS = """class Mine:
    def __init__(self):
        self.kept = []

    def store_conversation(self, conversation):
        self.kept += [turn.text for turn in conversation.turns]

    def retrieve_memories(self, query, conversation, k):
        return self.kept[:k]

    def get_all_memories(self):
        return self.kept
"""
"""A memory without a mistake; tests put one into a line of it."""


def run(*systems: object, rows: int = 12, k: Any = 3, suite: Any = "tiny/end", **more: Any) -> memtriage.Run:
    return memtriage.run(*systems, suite=suite, k=k, rows=rows, **more)


def mistaken(place: Place, right: str, wrong: str, name: str = "mine.py") -> str:
    """The memory with one line that is wrong, as a system to name."""
    assert right in KEEPS
    place.write(name, KEEPS.replace(right, wrong))
    return f"{name}:Mine"


def verdicts(found: memtriage.Run) -> Counter[str]:
    return Counter(verdict.verdict for verdict in found.verdicts())


# The place of an error


@pytest.mark.parametrize(
    ("right", "wrong", "line", "where"),
    [
        ("self.kept += [turn.text for turn in conversation.turns]", "{}[0]", 6, "store_conversation"),
        ("return self.kept[:k]", "{}[0]", 9, "retrieve_memories"),
        ("return self.kept\n", "{}[0]\n", 12, "get_all_memories"),
        ("    def get_all", "    def settle(self):\n        {}[0]\n\n    def get_all", 12, "settle"),
        ("return self.kept[:k]", "return ({}[0] for _ in range(k))", 9, "<genexpr>"),
    ],
)
def test_an_error_names_the_line_of_ones_own_code(place: Place, right: str, wrong: str, line: int, where: str) -> None:
    found = run(mistaken(place, right, wrong), rows=4)
    told = {verdict.error or verdict.facts[0].why for verdict in found.verdicts()}
    assert told
    assert all(f"KeyError: 0, at mine.py:{line} in {where}" in text for text in told)
    assert all(str(place.path) not in text and "\n" not in text for text in told)


def test_the_place_is_in_ones_own_code_though_a_library_raised(place: Place) -> None:
    system = mistaken(place, "return self.kept[:k]", "import json; return json.loads('no')")
    errors = {verdict.error for verdict in run(system, rows=2).verdicts()}
    assert errors == {
        "asking raised JSONDecodeError: Expecting value: line 1 column 1 (char 0), at mine.py:9 in retrieve_memories"
    }


def test_an_installed_memory_has_its_place_in_its_own_package(tmp_path: Path) -> None:
    for name, source in {
        "site-packages/acme/memory.py": "from vectors import search\ndef ask():\n    return search()\n",
        "site-packages/vectors.py": "def search():\n    return {}[0]\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    sys.path.insert(0, str(tmp_path / "site-packages"))
    try:
        from acme.memory import ask  # type: ignore[import-not-found]

        with pytest.raises(KeyError) as caught:
            ask()
    finally:
        sys.path.remove(str(tmp_path / "site-packages"))
    error = caught.value.with_traceback(caught.value.__traceback__.tb_next)  # without this test's own frame
    assert error_line(error) == "KeyError: 0, at acme/memory.py:3 in ask"


def test_an_error_of_memtriage_itself_has_no_place(place: Place) -> None:
    errors = {verdict.error for verdict in run(mistaken(place, "return self.kept[:k]", "return 5"), rows=2).verdicts()}
    assert errors == {
        "asking raised an error: Mine.retrieve_memories returned an int; return a list of strings or Memory objects"
    }


def test_one_that_can_t_be_built_or_imported_says_where(place: Place, cli: Cli) -> None:
    told = cli("check", mistaken(place, "self.kept = []", "self.kept = {}[0]", "built.py"), code=None)
    assert "KeyError: 0, at built.py:3 in __init__" in told.out + told.err
    told = cli("check", mistaken(place, "class Mine:", "{}[0]\nclass Mine:", "imported.py"), code=None)
    assert "KeyError: 0, at imported.py:1 in <module>" in told.out + told.err


@pytest.mark.parametrize(
    ("right", "wrong", "seen"),
    [
        (
            "self.kept += [turn.text for turn in conversation.turns]",
            "{}[0]",
            "store_conversation raised KeyError: 0, at m.py:6",
        ),
        ("return self.kept[:k]", "{}[0]", "retrieve_memories raised KeyError: 0, at m.py:9"),
    ],
)
def test_the_check_says_where_too(place: Place, cli: Cli, right: str, wrong: str, seen: str) -> None:
    told = cli("check", mistaken(place, right, wrong, "m.py"), code=None)
    assert seen in " ".join((told.out + told.err).split())


def test_a_process_tells_the_place_as_well(place: Place) -> None:
    source = KEEPS.replace("return self.kept[:k]", "{}[0]") + "\nfrom memtriage_adapter import serve\nserve(Mine)\n"
    memory = Process([sys.executable, str(place.write("theirs.py", source))], label="theirs")
    try:
        with pytest.raises(
            BadSystem, match=re.escape("theirs: retrieve raised KeyError: 0, at theirs.py:9 in retrieve_memories")
        ):
            memory.retrieve_memories("q", Session("q", ()), 1)
    finally:
        memory.close()
        close_all()


# Generators


class Yields:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def store_conversation(self, conversation: Session) -> Iterator[None]:
        for turn in conversation.turns:
            self.kept[turn.id] = turn.text
            yield

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
        asked = set(query.lower().strip("?").split())
        found = sorted(self.kept.values(), key=lambda text: -len(asked & set(text.lower().strip(".").split())))
        yield from found[:k]

    def get_all_memories(self) -> Any:
        return self.kept.values()


class YieldsAsync(Yields):
    async def store_conversation(self, conversation: Session) -> AsyncIterator[None]:  # type: ignore[override]
        for _ in super().store_conversation(conversation):
            yield

    async def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
        for text in super().retrieve_memories(query, conversation, k):
            yield text

    async def get_all_memories(self) -> Any:
        return {"results": map(str, self.kept.values())}


@pytest.mark.parametrize("system", [Yields, YieldsAsync])
def test_what_is_yielded_counts_as_what_is_returned(place: Place, system: type) -> None:
    assert verdicts(run(system)) == {"correct": 12}


def test_a_process_may_yield_as_well(place: Place) -> None:
    source = KEEPS.replace("return self.kept[:k]", "yield from self.kept[:k]").replace(
        "    def get_all_memories(self):\n        return self.kept",
        "    async def get_all_memories(self):\n        for each in self.kept: yield each",
    )
    file = place.write("theirs.py", source + "\nfrom memtriage_adapter import serve\nserve(Mine)\n")
    memory = Process([sys.executable, str(file)])
    try:
        memory.store_conversation(
            Session("s", (memtriage.Turn("user", "a", "s/0"), memtriage.Turn("user", "b", "s/1")))
        )
        assert [m.text for m in memory.retrieve_memories("q", Session("q", ()), 1)] == ["a"]
        assert [m.text for m in memory.get_all_memories()] == ["a", "b"]
    finally:
        memory.close()
        close_all()


# One sentence for each mistake

BOTH = ["tiny/end", "tiny/along"]


def test_an_error_is_told_once_however_often_it_was_raised(place: Place, cli: Cli) -> None:
    stored = "self.kept += [turn.text for turn in conversation.turns]"
    wrong = f"{{}}[0] if int(conversation.id[1:]) % 3 == 0 else None; {stored}"
    system = mistaken(place, stored, wrong)
    told = cli("run", *("--suite", BOTH[0], "--suite", BOTH[1]), "--system", system, "--k", "1", "--out", "run", code=1)
    sentence = (
        "mine.py:Mine: storing raised KeyError: 0, at mine.py:6 in store_conversation "
        "(in 26 sessions of 2 episodes, first in s3 of tiny/end/one)"  # 3, 6, … 39, twice
    )
    assert [line for line in told.err.splitlines() if "note:" in line and "raised" in line] == [f"note: {sentence}"]
    assert memtriage.load("run").notes == (sentence,)
    assert Path("run/report.html").read_text().count(sentence) == 1
    (line,) = [line for line in told.err.splitlines() if " x " in line and "KeyError" in line]
    assert "a session was not stored: KeyError: 0, at mine.py:6 in store_conversation" in line


def test_errors_of_one_line_are_one_mistake_whatever_they_say(place: Place) -> None:
    found = run(mistaken(place, "return self.kept[:k]", "return {}[query]"), rows=4, k=[1, 3])
    (note,) = found.notes
    assert note == (
        "mine.py:Mine: asking raised KeyError: 'Where does Marta keep the violin?', at mine.py:9 in retrieve_memories "
        "(in 4 questions, the words differ, first in p1 of tiny/end/one)"
    )


def test_two_mistakes_are_two_sentences_and_a_single_error_names_its_place(place: Place) -> None:
    wrong = "return [] if conversation.id > 'query-p2' else int('x') if conversation.id == 'query-p2' else {}[0]"
    found = run(mistaken(place, "return self.kept[:k]", wrong), rows=4)
    assert found.notes == (
        "mine.py:Mine on tiny/end/one: asking question p1 raised KeyError: 0, at mine.py:9 in retrieve_memories",
        "mine.py:Mine on tiny/end/one: asking question p2 raised "
        "ValueError: invalid literal for int() with base 10: 'x', at mine.py:9 in retrieve_memories",
    )


def test_a_store_that_can_t_be_listed_is_told_once_for_all_episodes(place: Place) -> None:
    found = run(mistaken(place, "return self.kept\n", "{}[0]\n"), suite=BOTH, rows=8)
    assert found.notes == (
        "mine.py:Mine on tiny/end/one: "
        "looking into the store while it filled raised KeyError: 0, at mine.py:12 in get_all_memories",
        "mine.py:Mine on tiny/end/one and 1 more: "
        "looking into the store raised KeyError: 0, at mine.py:12 in get_all_memories",
    )


def test_none_in_the_place_of_memories_is_counted(place: Place) -> None:
    wrong = "if 'Marta' in query: return None\n        return self.kept[:k]"
    found = run(mistaken(place, "return self.kept[:k]", wrong), suite=BOTH, rows=12, k=[1, 3])
    assert found.notices == {
        "mine.py:Mine": (
            "retrieve_memories returned None for 20 of 24 questions, which counts as nothing found; "
            "return [] if that is meant",
        )
    }
    assert not any("None" in note for note in found.notes)
    assert memtriage.load(found.path).notices == found.notices


def test_a_listing_without_a_return_is_named(place: Place) -> None:
    found = run(mistaken(place, "return self.kept\n", "self.kept\n"), rows=4)
    assert {verdict.error for verdict in found.verdicts()} == {
        "the store is empty after 4 sessions; get_all_memories returned None: does it end without a return?"
    }


def test_what_is_counted_by_store_is_one_notice(place: Place) -> None:
    wrong = """    def settle(self):
        self.times = getattr(self, "times", 0) + 1

    def notices(self):
        return ["a toy", f"turns kept: {len(self.kept)}", f"times that it settled: {self.times}"]

    def get_all"""
    found = run(mistaken(place, "    def get_all", wrong), rows=8, suite=BOTH)
    # along the way it is asked after the sessions 1, 5 and 8
    assert found.notices == {"mine.py:Mine": ("a toy", "turns kept: 8", "times that it settled: 1 to 3 in 2 stores")}


@pytest.mark.parametrize("function", ["notices", "usage", "troubles"])
def test_a_mistake_in_what_a_memory_tells_of_itself_costs_no_result(place: Place, function: str) -> None:
    wrong = f"    def {function}(self):\n        return {{}}[0]\n\n    def get_all"
    found = run(mistaken(place, "    def get_all", wrong), rows=2, suite=BOTH)
    assert verdicts(found) == {"correct": 4}
    assert found.notices == {"mine.py:Mine": (f"its {function}() raised KeyError: 0, at mine.py:12 in {function}",)}


def test_notes_of_older_runs_on_each_session_are_told_once_too(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StoreRunner, "_tell", lambda self, text: self._notes.setdefault(text))  # as they were recorded
    found = run(mistaken(place, "return self.kept[:k]", "return {}[0]"), rows=3, k=1)
    assert found.notes == (
        "mine.py:Mine: asking raised KeyError: 0, at mine.py:9 in retrieve_memories "
        "(in 3 questions, first in p1 of tiny/end/one)",
    )


# Stores that share what they hold

CLASS = ("    def __init__(self):\n        self.kept = []\n", "    kept = []\n")
DEFAULT = ("__init__(self):\n        self.kept = []", "__init__(self, kept=[]):\n        self.kept = kept")
GLOBAL = (
    "class Mine:\n    def __init__(self):\n        self.kept = []",
    "KEPT = []\n\nclass Mine:\n    kept = property(lambda self: KEPT, lambda self, kept: None)",
)
FILE = (
    "self.kept = []",
    "from pathlib import Path; self.file = Path('kept.txt')\n"
    "    kept = property(lambda self: self.file.read_text().splitlines() if self.file.exists() else [],\n"
    "        lambda self, kept: self.file.write_text('\\n'.join(kept)))",
)
CAUSES = [
    (CLASS, "Mine.kept belongs to the class, so all stores share it; set self.kept in __init__"),
    (DEFAULT, "the default of Mine(…, kept=…) is one object that all stores share; make it None, and a new one in"),
    (GLOBAL, "KEPT is a variable of the module, so all stores share it; set it on self, in __init__"),
    (FILE, "all stores share a class attribute, a global variable, a file or a database; give each its own."),
]


@pytest.mark.parametrize(("mistake", "cause"), CAUSES, ids=["class", "default", "global", "file"])
def test_stores_that_share_what_they_hold_are_refused_by_a_run(place: Place, mistake: Any, cause: str) -> None:
    found = run(mistaken(place, *mistake), "bm25", suite=BOTH, rows=4)
    told = Counter((v.system, v.task, v.verdict == "error") for v in found.verdicts())
    assert told == {
        **{("mine.py:Mine", task, task == "tiny/along"): 4 for task in BOTH},
        **{("bm25", task, False): 4 for task in BOTH},
    }
    (note,) = [note for note in found.notes if "fresh" in note]
    assert note.startswith(
        "mine.py:Mine on tiny/along/one: a fresh store held 4 memories before its first session, "
        f"such as 'Marta keeps the violin in the attic.': {cause}"
    )


@pytest.mark.parametrize(("mistake", "cause"), CAUSES[:3], ids=["class", "default", "global"])
def test_what_the_only_store_of_a_run_would_share_is_noted(place: Place, mistake: Any, cause: str) -> None:
    found = run(mistaken(place, *mistake), rows=4)
    assert "error" not in verdicts(found)
    (note,) = found.notes
    assert note.startswith("mine.py:Mine on tiny/end/one: a fresh store held 4 memories before its first session, ")
    assert cause in note


def test_what_stores_may_share_is_not_noted(place: Place) -> None:
    cache = "self.cache.update((turn.text, 1) for turn in conversation.turns); self.kept += ["
    system = mistaken(place, "self.kept += [", cache)
    place.write(
        "mine.py", (place.path / "mine.py").read_text().replace("class Mine:\n", "class Mine:\n    cache = {}\n")
    )
    assert run(system, rows=4).notes == ()


def test_the_check_names_what_stores_share(place: Place, cli: Cli) -> None:
    told = " ".join(cli("check", mistaken(place, *CLASS), code=1).out.split())
    assert "Mine.kept belongs to the class, so all stores share it; set self.kept in __init__" in told


def test_a_process_whose_stores_share_what_they_hold_is_refused(place: Place) -> None:
    file = place.write("theirs.py", KEEPS.replace(*CLASS) + "\nfrom memtriage_adapter import serve\nserve(Mine)\n")
    try:
        found = run(f"proc:{sys.executable} {file}", suite=BOTH, rows=4, limits=Limits(stores=1))
    finally:
        close_all()
    assert sum("a fresh store held 4 memories" in (verdict.error or "") for verdict in found.verdicts()) == 4


def test_a_store_that_starts_filled_on_purpose_may(place: Place) -> None:
    system = mistaken(place, "self.kept = []", "self.kept = ['I am a helpful memory.']")
    assert "such as 'I am a helpful memory.'" in {v.error or "" for v in run(system, rows=2).verdicts()}.pop()
    place.write("meant.py", (place.path / "mine.py").read_text() + "\n    starts_filled = True\n")
    found = run("meant.py:Mine", rows=2, k=5)
    assert (verdicts(found), found.notices) == ({"correct": 2}, {})


def test_one_that_can_t_list_an_empty_store_is_not_blamed(place: Place) -> None:
    wrong = "return list(self.kept) if self.kept else {}[0]\n"
    assert verdicts(run(mistaken(place, "return self.kept\n", wrong), rows=3)) == {"correct": 3}


def test_a_function_that_takes_other_arguments_is_named_with_its_place(place: Place, cli: Cli) -> None:
    system = mistaken(place, "(self, query, conversation, k)", "(self, query)")
    told = cli("run", "--suite", "tiny/end", "--system", system, code=1).err
    said = "Mine.retrieve_memories can't be called as retrieve_memories(query, conversation, k) (mine.py:8)"
    assert said in " ".join(told.split())


# Without get_all_memories


def test_what_can_t_be_listed_is_unknown_in_every_table_and_not_zero(place: Place, cli: Cli) -> None:
    system = mistaken(place, "    def get_all_memories(self):\n        return self.kept\n", "")
    found = run(system, "bm25", rows=6, k=1, out="run")
    blind, listed = found.table()
    assert (blind["not_stored"], blind["summary_error"], blind["not_retrieved"]) == (None, None, 5)
    assert (listed["not_stored"], listed["summary_error"], listed["not_retrieved"]) == (0, 0, 0)
    jsonschema.validate(table_json(found.rows()), SCHEMA)
    page = rows_payload(found.rows())
    assert dict(zip(page["fields"], page["rows"][0], strict=True))["not_stored"] is None  # drawn as a dash
    shown = cli("show", "run").out
    (row,) = [line.split() for line in shown.splitlines() if "mine.py:Mine  " in line]
    assert row[-6:-2] == ["–", "–", "5", "0"]
    assert "what was never stored is among the not retrieved" in " ".join(shown.split())
    csv = cli("show", "run", "--csv").out.splitlines()
    assert dict(zip(csv[0].split(","), csv[1].split(","), strict=True))["not_stored"] == ""


def test_where_a_memory_that_can_t_be_listed_loses_is_not_claimed(place: Place) -> None:
    system = mistaken(place, "    def get_all_memories(self):\n        return self.kept\n", "")
    found = run(system, rows=6, k=1)
    said = headline(standings(found.verdicts(), found.rows()))
    assert said.weakest == "mine.py:Mine loses most at storage or retrieval: 83\u00a0% of 6 probes fail there."


def test_the_check_finds_a_search_that_returns_none(place: Place, cli: Cli) -> None:
    told = " ".join(cli("check", mistaken(place, "return self.kept[:k]", "self.kept[:k]"), code=1).out.split())
    none = "retrieve_memories returned None: does it end without a return? If nothing is found, return []"
    assert "fit yet: 4 problems" in told
    assert none in told
    sometimes = mistaken(place, "return self.kept[:k]", "return None if 'kiln' in query else self.kept[:k]")
    found = memtriage.check(sometimes, sessions=16)  # one thing of eight is a kiln
    (problem,) = [one.seen for one in found.checks if one.outcome == "problem"]
    assert problem == none.replace("None:", "None for 2 of 16 questions:")


# Calls that don't come back

STORED = "self.kept += [turn.text for turn in conversation.turns]"
HANGS = "__import__('threading').Event().wait()"
SPINS = "while True: pass"
SWALLOWS = "\n        while True:\n            try: __import__('time').sleep(9)\n            except Exception: pass"


@pytest.mark.parametrize(
    ("right", "what"),
    [
        (STORED, "store_conversation"),
        ("return self.kept[:k]", "retrieve_memories"),
        ("return self.kept\n", "get_all_memories"),
    ],
)
def test_the_check_gives_up_on_a_call_too(place: Place, cli: Cli, right: str, what: str) -> None:
    told = cli("check", mistaken(place, right, f"{HANGS}\n"), "--call-timeout", "0.05s", code=1).out
    more = "if it only needs more time, allow it with --call-timeout"
    assert f"{what} took longer than 0.05 s, at mine.py:" in " ".join(told.split())
    assert more in " ".join(told.split())


@pytest.mark.parametrize(
    ("right", "wrong", "told", "parallel"),
    [
        (STORED, HANGS, "storing took longer than 0.2 s, at mine.py:6 in store_conversation", False),
        (STORED, SPINS, "storing took longer than 0.2 s, at mine.py:6 in store_conversation", False),
        (STORED, SWALLOWS, "storing took longer than 0.2 s, at mine.py:8 in store_conversation", False),
        ("return self.kept[:k]", HANGS, "asking took longer than 0.2 s, at mine.py:9 in retrieve_memories", False),
        ("return self.kept\n", f"{HANGS} if self.kept else None\n", "looking into the store took longer", False),
        (STORED, HANGS, "storing took longer than 0.2 s, at mine.py:6 in store_conversation", True),
        ("return self.kept[:k]", HANGS, "asking took longer than 0.2 s, at mine.py:9 in retrieve_memories", True),
    ],
    ids=["waits", "spins", "swallows", "asking", "listing", "waits in a thread", "asking in a thread"],
)
def test_a_call_that_hangs_is_given_up_and_the_run_goes_on(
    place: Place, right: str, wrong: str, told: str, parallel: bool
) -> None:
    system = mistaken(place, right, wrong)
    if parallel:
        place.write("mine.py", (place.path / "mine.py").read_text() + "\n    parallel = True\n")
    found = run(system, "bm25", rows=3, k=1, limits=Limits(call_timeout=0.2))
    by_system = Counter((v.system, v.verdict) for v in found.verdicts())
    assert by_system == {("mine.py:Mine", "error"): 3, ("bm25", "correct"): 3}
    errors = {v.error for v in found.verdicts() if v.system == "mine.py:Mine"}
    assert all((error or "").startswith(told) and "--call-timeout" in (error or "") for error in errors)
    assert len([note for note in found.notes if "took longer" in note]) == 1


def test_a_coroutine_that_hangs_is_given_up(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    wrong = "import asyncio; await asyncio.sleep(99)"
    source = KEEPS.replace(STORED, wrong).replace("def store", "async def store")
    place.write("mine.py", source)
    found = run("mine.py:Mine", rows=2, limits=Limits(call_timeout=0.2))
    assert {(v.error or "").partition(",")[0] for v in found.verdicts()} == {"storing took longer than 0.2 s"}
    assert capfd.readouterr().err == ""


def test_a_system_that_hangs_again_is_not_tried_for_every_store(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtriage.runner.scheduler.HUNG", 1)
    found = run(mistaken(place, STORED, HANGS), suite=BOTH, rows=2, k=1, limits=Limits(call_timeout=0.2))
    errors = {v.task: v.error or "" for v in found.verdicts()}
    assert errors["tiny/end"].startswith("storing took longer than 0.2 s")
    assert errors["tiny/along"] == (
        "it was not tried, as 1 stores of mine.py:Mine were given up because a call took too long"
    )


def test_a_store_that_was_given_up_is_filled_with_more_time(place: Place, cli: Cli) -> None:
    wrong = f"{HANGS} if __import__('pathlib').Path('slow').exists() else None; {STORED}"
    system = mistaken(place, STORED, wrong)
    place.write("slow", "")
    cli(
        "run",
        "--suite",
        "tiny/end",
        "--rows",
        "3",
        "--system",
        system,
        "--call-timeout",
        "0.2s",
        "--out",
        "run",
        code=1,
    )
    (place.path / "slow").unlink()
    cli("resume", "run", "--retry-errors", "--call-timeout", "1m", "--no-report")
    assert memtriage.load("run").errors == 0


def test_a_process_has_the_same_time(place: Place) -> None:
    source = KEEPS.replace(STORED, HANGS) + "\nfrom memtriage_adapter import serve\nserve(Mine)\n"
    system = f"proc:{sys.executable} {place.write('theirs.py', source)}"
    try:
        found = run(system, rows=2, limits=Limits(call_timeout=0.3))
    finally:
        close_all()
    assert all("no reply within 0.3 s" in (v.error or "") for v in found.verdicts())


def test_somebody_else_s_alarm_still_rings(place: Place) -> None:
    rang: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rang.append(number))
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        run(mistaken(place, STORED, STORED), rows=2)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 60
        signal.raise_signal(signal.SIGALRM)
        assert rang == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
