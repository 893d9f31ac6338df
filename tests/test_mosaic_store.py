"""mosaic in a file and in PostgreSQL: what is kept, what survives, who may write, and what is gone when forgotten."""

from __future__ import annotations

import getpass
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtriage.core.errors import BadInput
from memtriage.systems.designs.mosaic import memory as memory_module
from memtriage.systems.designs.mosaic import search, text_index
from memtriage.systems.designs.mosaic.kept import Column, Derived, Links, Postings
from memtriage.systems.designs.mosaic.memory import Entry, MosaicMemory
from memtriage.systems.designs.mosaic.statements import Annotation, Statement

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)  # lone surrogates and control characters included
QUESTIONS = (
    "Which gym do I go to?",
    "What do rainy Sundays lead to in the end: a sneezing fit, or a long walk?",
    "What is my locker code?",
    "Who is the mayor of Town3?",
    "What did I drive, from the first to the last?",
    "Which fruit do I adore?",
    "Can you remind me of the kitchen you recommended?",
    "Where did I go hiking in February?",
)


def told(seed: int, count: int = 60) -> list[Entry]:
    """Things that were said, of every kind, in some order: rules, ties, changes, chains, facts, replies, questions."""
    chosen = random.Random(seed)
    said = [
        "My gym is the Lido, because of my training plan; if my training plan changes, so will this.",
        "If my health condition changes, my training plan will be rowing.",
        "If my training plan changes, my gym will be the Foundry.",
        "I was diagnosed with asthma; my health condition is not what it was.",
        "Rainy Sundays make me bake bread.",
        "Baking bread leaves the kitchen warm.",
        "A warm kitchen draws the cat in.",
        "The cat in the house triggers a sneezing fit.",
        "My locker code at the Lido is 4711.",
        "I told you that my locker code is 4711. Please delete that.",
        "I drive a Corvid Sedan.",
        "Update: I drive a Heron Compact.",
        "Now again — I drive a Wren Scooter.",
        "Do you like hiking? I went hiking near Hythe.",
        *(f"The mayor of Town{n} is Person{n}. I met them." for n in range(5)),
        "The mayor of Town3 is Ada Moor.",
        *(f"I adore {fruit}, a sweet ripe fruit." for fruit in ("mangoes", "papayas", "apricots")),
    ]
    said += [f"Shelf {n} in the shed holds {n} tins of grey paint." for n in range(count - len(said))]
    chosen.shuffle(said)
    return [
        Entry(
            f"e{n}", text, "assistant" if n % 9 == 8 else "user", f"s{n // 4}" if n % 3 else "", f"2026-0{1 + n % 4}-14"
        )
        for n, text in enumerate(said)
    ]


def found(memory: MosaicMemory) -> list[object]:
    """All that searches and histories tell."""
    hits = [
        [
            (hit.entry, round(hit.score, 5), hit.why, hit.by, hit.voided_by)
            for hit in memory.search(q, 20, at="2026-05-01")
        ]
        for q in QUESTIONS
    ]
    kept = memory.get_all()
    return [*hits, kept, [memory.history(entry.id) for entry in kept], [memory.kinds(entry.id) for entry in kept]]


def built(entries: list[Entry]) -> MosaicMemory:
    memory = MosaicMemory()
    memory.add_all(entries)
    return memory


@pytest.fixture(scope="module")
def server() -> Iterator[str | None]:
    """A PostgreSQL of our own, behind a socket in a temporary folder; None where there is none."""
    tools = [Path(path).parent for path in [shutil.which("initdb")] if path]
    tools += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if not tools:
        yield None
        return
    other = "nobody" if getpass.getuser() == "root" else None  # it refuses to run as root
    folder = Path(tempfile.mkdtemp(prefix="mosaic-pg-", dir="/tmp"))  # the path of a socket has to be short
    if other:
        shutil.chown(folder, other)
    data = folder / "data"

    def run(*command: str | Path) -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, cwd=folder, user=other)

    run(tools[0] / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-N", "--no-locale", "-E", "UTF8")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=20"
    run(tools[0] / "pg_ctl", "-D", data, "-w", "-o", options, "-l", folder / "log", "start")
    try:
        yield f"postgresql:///postgres?host={folder}&user=tester"
    finally:
        run(tools[0] / "pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)


_numbers = count()


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for a memory: a new file, or a new schema in our PostgreSQL."""
    if request.param == "sqlite":
        return str(tmp_path / "me.mosaic")
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    url = request.getfixturevalue("server")
    if url is None:
        pytest.skip("no PostgreSQL server is installed")
    import psycopg

    schema = f"test{next(_numbers)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"create schema {schema}")
    return f"{url}&options=-csearch_path%3D{schema}"


class Opened(Protocol):
    """Opens the memory at a place, and closes it when the test is over."""

    def __call__(self, **options: Any) -> MosaicMemory: ...


@pytest.fixture
def opened(where: str) -> Iterator[Opened]:
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(MosaicMemory.open(where, **options))


@pytest.fixture(params=[1, 7, 500], ids=lambda count: f"parts of {count}")
def parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """After how many entries what follows from them is written."""
    monkeypatch.setattr(memory_module, "WORKED_OUT_AGAIN", request.param)
    return int(request.param)


# What is kept


@pytest.mark.usefixtures("parts")
def test_a_reopened_memory_finds_what_one_in_memory_finds(where: str, opened: Opened) -> None:
    entries = told(1)
    memory = opened()
    for start in range(0, 40, 8):
        memory.add_all(entries[start : start + 8])
    assert found(memory) == found(built(entries[:40]))
    again = opened()  # the first one is still open, and has not been closed properly
    assert found(again) == found(built(entries[:40]))
    again.add_all(entries[40:])
    again.close()
    with MosaicMemory.open(where) as last:
        assert found(last) == found(built(entries))
        assert len(last) == len(entries)
    assert found(memory) == found(built(entries))


@pytest.mark.parametrize("seed", range(2))
def test_any_course_of_events_leaves_what_it_leaves_in_memory(
    opened: Opened, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = random.Random(seed)
    monkeypatch.setattr(memory_module, "WORKED_OUT_AGAIN", chosen.choice([2, 9]))
    entries = told(seed)
    plain, kept, other = MosaicMemory(), opened(), opened()
    while entries:
        step = chosen.random()
        if step < 0.5:
            some, entries = entries[: (taken := chosen.randint(1, 6))], entries[taken:]
            plain.add_all(some)
            chosen.choice([kept, other]).add_all(some)
        elif step < 0.7 and len(plain):
            id = chosen.choice(plain.get_all()).id
            assert plain.forget(id)
            assert chosen.choice([kept, other]).forget(id)
        elif step < 0.85:
            kept.close()
            kept = opened()
        else:
            assert [hit.entry.id for hit in other.search(QUESTIONS[0])] == [
                hit.entry.id for hit in plain.search(QUESTIONS[0])
            ]
    assert found(kept) == found(plain)
    assert found(other) == found(plain)
    assert found(opened()) == found(plain)


def test_whatever_the_indexes_keep_is_written(tmp_path: Path) -> None:
    memory = MosaicMemory.open(tmp_path / "me.mosaic")
    held = [
        value
        for part in (memory, memory._words, memory._graph, memory._vectors, memory._store.names)
        for value in vars(part).values()
    ]
    held += [getattr(memory._store, name) for name in type(memory._store).__slots__]
    written = {id(each) for each in (*memory._columns.values(), *memory._postings, *memory._links)}
    unwritten = [each for each in held if isinstance(each, Column | Postings | Links) and id(each) not in written]
    assert unwritten == [memory._words._session_lengths]  # which follows from two columns
    in_graph = {name for name, value in vars(memory._graph).items() if isinstance(value, dict | list | set)}
    assert in_graph == set(), "what the graph holds has to be a column, postings, links or derived"
    assert any(isinstance(each, Derived) for each in held)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ANY_TEXT, min_size=1, max_size=4), ANY_TEXT)
def test_any_text_comes_back_as_it_was(where: str, texts: list[str], id: str) -> None:
    with MosaicMemory.open(where) as memory:
        memory.clear()
        entries = [Entry(f"{id}{n}", text, session=id) for n, text in enumerate(texts)]
        memory.keep(entries)
    with MosaicMemory.open(where) as memory:
        assert memory.get_all() == [entry for entry in entries if entry.text.strip()]
        for entry in memory.get_all():
            assert memory.get(entry.id) == entry
            assert memory.forget(entry.id)


def test_a_page_and_a_session_are_listed_without_reading_the_rest(tmp_path: Path) -> None:
    with MosaicMemory.open(tmp_path / "a.mosaic") as memory:
        memory.add_all([Entry(f"t{n}", f"I saw {n} herons.", session=f"s{n % 3}") for n in range(600)])
        memory.forget("t4")
    with MosaicMemory.open(tmp_path / "a.mosaic") as memory:
        whole = memory.get_all()
        assert memory.page(0, 1000) == whole
        assert memory.page(3, 2) == whole[3:5] == [memory.get("t3"), memory.get("t5")]
        assert memory.page(599, 5) == []
        assert memory.of_session("s1") == [entry for entry in whole if entry.session == "s1"]
        assert memory.of_session("s9") == memory.of_session("") == []
    with MosaicMemory.open(tmp_path / "a.mosaic") as memory:
        memory.page(10, 5)
        assert len(memory._records._read) == 5


def test_every_user_has_a_memory_of_their_own(opened: Opened) -> None:
    ada, ben = opened(user="ada"), opened(user="ben")
    ada.add("My gym is the Lido.", id="gym")
    ben.add("My gym is the Foundry.", id="gym")
    assert [hit.entry.text for hit in ada.search("Which gym?")] == ["My gym is the Lido."]
    assert ben.users() == ["ada", "ben"]
    ada.clear()
    assert ada.get_all() == []
    assert ben.users() == ["ben"]
    ada.add("My gym is the Foundry.")
    assert ben.users() == ["ada", "ben"]
    ada.clear()
    assert opened(user="ada").add("My gym is the Lido.") == ada.get_all()[0].id == "m0"
    ada.clear()
    assert [entry.text for entry in opened(user="ben").get_all()] == ["My gym is the Foundry."]


def test_entries_without_ids_get_some(where: str) -> None:
    with MosaicMemory.open(where) as memory:
        assert [memory.add("One."), memory.add("Two.")] == ["m0", "m1"]
        with pytest.raises(BadInput, match="holds an entry 'm1' already"):
            memory.add("Two again.", id="m1")
        assert memory.add("Three.") == "m2"


# Forgetting


@pytest.mark.usefixtures("parts")
def test_what_is_forgotten_is_nowhere_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "me.mosaic"
    entries = told(4, 200)
    memory = MosaicMemory.open(path)
    memory.add_all(entries[:120])
    memory.add("If Zyxwvut Qwertzuiop changes, my Plughfoo will be Xyzzy9.", id="secretid", session="secretsession")
    memory.add_all(entries[120:])
    memory.search("Who is Zyxwvut Qwertzuiop?")
    assert b"zyxwvut" in b"".join(each.read_bytes() for each in tmp_path.iterdir()).lower()
    with memory.batch():
        assert memory.forget("secretid")
    for words in (b"zyxwvut", b"qwertzuiop", b"plughfoo", b"xyzzy9", b"secretid", b"secretsession"):
        assert all(words not in each.read_bytes().lower() for each in tmp_path.iterdir())
    assert found(memory) == found(MosaicMemory.open(path))


@pytest.mark.parametrize("where", ["postgresql"], indirect=True)
def test_what_is_forgotten_is_in_no_table_of_the_server(where: str, opened: Opened) -> None:
    import psycopg

    memory = opened()
    memory.add("My locker code is Zyxwvut.", id="secretid")
    memory.forget("secretid")
    with psycopg.connect(where) as connection:
        for table in ("entries", "vectors", "parts"):
            kept = connection.execute(f"select t::text from mosaic_{table} t").fetchall()
            assert all(b"zyxwvut".hex() not in row and "zyxwvut" not in row.lower() for (row,) in kept)


def test_forgetting_a_report_takes_back_what_it_did(where: str) -> None:
    with MosaicMemory.open(where) as memory:
        memory.add("My gym is the Lido, because of my job; if my job changes, so will this.", id="gym")
        memory.add("I have a new job as a baker.", id="job")
        memory.add("I drive a Corvid Sedan.", id="car")
        memory.add("Update: I drive a Heron Compact.", id="newer")
        assert [event.entry.id for event in memory.history("gym")] == ["job"]
        assert [event.kind for event in memory.history("car")] == ["replaced"]
        memory.forget("job")
        memory.forget("newer")
    with MosaicMemory.open(where) as memory:
        assert memory.history("gym") == memory.history("car") == []
        hit = memory.search("What do I drive?", k=1)[0]
        assert (hit.entry.id, hit.voided_by) == ("car", None)


# Several at once


def test_a_batch_is_there_as_a_whole_or_not_at_all(opened: Opened) -> None:
    memory, other = opened(), opened(wait=0.05)
    memory.add("I live in Rye.", id="rye")
    with memory.batch():
        memory.add("I live in Hythe.", id="hythe")
        assert len(memory) == 2
        assert [entry.id for entry in other.get_all()] == ["rye"]
        with pytest.raises(BadInput, match="is being written by another process or memory"):
            other.add("I live in Deal.", id="deal")
    assert [entry.id for entry in other.get_all()] == ["rye", "hythe"]
    with pytest.raises(KeyError), memory.batch():  # noqa: PT012 what comes before the failure matters
        memory.add("I live in Lydd.", id="lydd")
        raise KeyError
    assert [entry.id for entry in memory.get_all()] == [entry.id for entry in other.get_all()] == ["rye", "hythe"]
    memory.add("I live in Lydd.", id="lydd")
    assert len(other) == 3


def writer(where: str, prefix: str = "") -> tuple[int, int]:
    """A process of its own that adds entries one by one and writes a byte after each: its number, and what to read."""
    reader, told_by = os.pipe()
    process = os.fork()
    if process:
        os.close(told_by)
        return process, reader
    status = 1
    try:
        memory = MosaicMemory.open(where)
        for entry in told(9):
            memory.add_all([replace(entry, id=prefix + entry.id)])
            os.write(told_by, b".")
        status = 0
    finally:
        os._exit(status)


@pytest.mark.parametrize("after", [1, 17, 44])
def test_a_killed_writer_leaves_all_that_it_was_told_is_safe_and_nothing_half(
    where: str, after: int, monkeypatch: pytest.MonkeyPatch, opened: Opened
) -> None:
    monkeypatch.setattr(memory_module, "WORKED_OUT_AGAIN", 3)
    process, reader = writer(where)
    acknowledged = sum(len(os.read(reader, 1)) for _ in range(after))
    os.kill(process, signal.SIGKILL)
    acknowledged += len(os.read(reader, 1000))
    os.waitpid(process, 0)
    os.close(reader)
    memory = opened()
    kept = memory.get_all()
    assert after <= acknowledged <= len(kept) <= acknowledged + 1
    assert kept == told(9)[: len(kept)]
    assert found(memory) == found(built(kept))


def test_what_a_model_said_is_kept(opened: Opened) -> None:
    def annotate(entries: Sequence[Entry], read: list[list[Statement]]) -> list[list[Statement]]:
        kinds = [("hobby", ()), ("hobby", ()), ("gym", ()), ("gym", (2,)), ("", (0,))]
        (entry,), ((said,),) = entries, read
        noun, changes = kinds[int(entry.id)]
        told = Annotation(said.kind, noun, "me", "x", "2026-02-03", ("job",), ("0:0",)) if noun else None
        return [[replace(said, kind=said.kind if told else "forget", told=told, changes=changes)]]

    said = [
        "I row.",
        "I paint.",
        "I lift at the Lido.",
        "I lift at the Foundry now.",
        "Leave out what I said of boats.",
    ]
    plain, memory = MosaicMemory(annotate=annotate), opened(annotate=annotate)
    for each in (plain, memory):
        for n, text in enumerate(said):
            each.add(text, id=str(n))
    again = opened()
    assert again.statements("3") == plain.statements("3")
    assert [(event.kind, event.entry.id) for event in again.history("2")] == [("replaced", "3")]
    assert [(event.kind, event.entry.id) for event in again.history("0")] == [("voided", "4")]
    assert found(again) == found(memory) == found(plain)
    assert plain.forget("3")
    assert memory.forget("3")
    assert found(again) == found(memory) == found(plain)
    assert again.history("2") == []


def test_two_processes_write_without_harm(where: str, monkeypatch: pytest.MonkeyPatch, opened: Opened) -> None:
    monkeypatch.setattr(memory_module, "WORKED_OUT_AGAIN", 3)
    for process, reader in [writer(where, prefix) for prefix in ("a", "b")]:
        assert os.waitpid(process, 0)[1] == 0
        os.close(reader)
    memory = opened()
    kept = memory.get_all()
    for prefix in ("a", "b"):
        mine = [entry.id for entry in kept if entry.id.startswith(prefix)]
        assert mine == [prefix + entry.id for entry in told(9)]
    assert found(memory) == found(built(kept))


def test_many_processes_make_a_file_at_once(tmp_path: Path) -> None:
    for attempt in range(40):
        file = str(tmp_path / f"{attempt}.mosaic")
        processes = []
        for _ in range(4):
            process = os.fork()
            if not process:
                status = 1
                try:
                    MosaicMemory.open(file).close()
                    status = 0
                finally:
                    os._exit(status)
            processes.append(process)
        assert [os.waitpid(process, 0)[1] for process in processes] == [0] * 4


# Large stores


def test_a_large_store_finds_by_words_sketches_chains_and_dependencies(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = told(2, 400)
    exact = built(entries)
    monkeypatch.setattr(search, "EXACT_UP_TO", 100)
    monkeypatch.setattr(text_index, "EXACT_UP_TO", 100)
    monkeypatch.setattr(text_index, "FREQUENT", 50)
    monkeypatch.setattr(text_index, "SKETCHED_FROM", 100)
    monkeypatch.setattr(search, "POOL", 120)
    monkeypatch.setattr(memory_module, "WORKED_OUT_AGAIN", 60)
    memory = opened()
    for start in range(0, 400, 40):
        memory.add_all(entries[start : start + 40])
    memory = opened()
    for question in QUESTIONS:
        wanted = [hit.entry.id for hit in memory.search(question, 5)]
        monkeypatch.setattr(search, "EXACT_UP_TO", 10_000)
        assert len({*wanted} & {hit.entry.id for hit in exact.search(question, 5)}) >= 4
        monkeypatch.setattr(search, "EXACT_UP_TO", 100)
    assert len(memory.search(QUESTIONS[0], 400)) <= 130
    memory.forget(wanted[0])
    assert wanted[0] not in [hit.entry.id for hit in memory.search(QUESTIONS[-1], 20)]


# What can't be used


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    path = tmp_path / "me.mosaic"
    path.write_bytes(b"Dear diary, <b>today</b> I was \x1b[31mred\x1b[0m. " * 99)
    with pytest.raises(BadInput, match=r"me\.mosaic is no memory of mosaic's: file is not a database"):
        MosaicMemory.open(path)
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("create table songs (title)")
    with pytest.raises(BadInput, match="is a database of another program"):
        MosaicMemory.open(path)
    path.unlink()
    path.touch()
    MosaicMemory.open(path).close()  # an empty file is a memory that begins
    with sqlite3.connect(path) as connection:
        connection.execute("pragma user_version = 7")
    with pytest.raises(BadInput, match="has format 7 of mosaic's files, this memtriage reads 1; update memtriage"):
        MosaicMemory.open(path)
    with pytest.raises(BadInput, match="is a folder"):
        MosaicMemory.open(tmp_path)
    with pytest.raises(BadInput, match="there is no folder"):
        MosaicMemory.open(tmp_path / "nowhere" / "me.mosaic")


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_file_is_named_or_does_no_harm(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "me.mosaic"
    with MosaicMemory.open(path) as memory:
        memory.add_all(told(3, 200))
    data = bytearray(path.read_bytes())
    chosen = random.Random(seed)
    if seed == 0:
        data = data[: len(data) // 3]
    for _ in range(20):
        at = chosen.randrange(4096, len(data) - 200)
        data[at : at + 200] = chosen.randbytes(200)
    path.write_bytes(data)
    with pytest.raises(BadInput, match=r"me\.mosaic"):  # noqa: PT012 whoever notices it first
        for _ in range(3):
            with MosaicMemory.open(path) as memory:
                found(memory)
                memory.add_all(told(8, 300))


def test_another_embedder_is_refused(where: str) -> None:
    class Letters:
        name, dimensions = "letters", 2

        def embed(self, texts: list[str]) -> list[list[float]]:
            return [[len(text), 1.0] for text in texts]

    MosaicMemory.open(where).close()
    with pytest.raises(
        BadInput, match="was filled with the embedder 'wordllama' of 256 dimensions, not 'letters' of 2"
    ):
        MosaicMemory.open(where, embedder=Letters())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:s3cr%40t@127.0.0.1:1/x",
        "postgresql://ada:s3cr%40t@127.0.0.1:port/x",
        "postgresql://127.0.0.1:1/x?user=ada&password=s3cr%40t&nonsense=s3cr%40t",
    ],
)
def test_a_password_is_in_no_error(url: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(BadInput, match="can't be used") as error:
        MosaicMemory.open(url)
    assert "s3cr" not in str(error.value)
    assert error.value.__suppress_context__


def test_without_psycopg_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadInput, match=r"needs psycopg: pip install '\.\[postgres\]'"):
        MosaicMemory.open("postgresql://localhost/x")
