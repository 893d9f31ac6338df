"""Finished calls are kept: by what was asked, through crashes and crowds, and without any key."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from memtriage.core.chat import Call, Message, Schema
from memtriage.core.errors import BadInput
from memtriage.models import cache as module
from memtriage.models.cache import Cache, CacheEntry, call_key, default_path, embedding_key
from memtriage.models.spec import ModelSpec

SPEC = ModelSpec.parse("http://127.0.0.1:1/v1#m?temperature=0")
CALL = Call("judge", "storage", (Message("system", "Be brief."), Message("user", "Is it stored?")))
ENTRY = CacheEntry("yes", 10, 2, 0.5, "m-2026", {"verdict": "stored", "said": "Zoë"})


def test_what_is_put_comes_back(tmp_path: Path) -> None:
    with Cache(tmp_path / "deep" / "calls.sqlite") as cache:
        assert not cache.path.exists()
        assert cache.get("k") is None
        cache.put("k", ENTRY)
        kept = cache.get("k")
        assert kept is not None
        assert kept.made_at > 0
        assert replace(kept, made_at=0.0) == ENTRY
        assert cache.size().entries == 1
        assert cache.size().bytes > 0
        assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600
    with Cache(cache.path) as again:
        assert again.get("k") is not None


def test_forgetting_some_or_all(tmp_path: Path) -> None:
    with Cache(tmp_path / "calls.sqlite") as cache:
        assert cache.size().entries == 0
        for name in "abc":
            cache.put(name, ENTRY)
        assert cache.forget(["a", "z"]) == 1
        assert cache.get("a") is None
        assert cache.forget() == 2
        assert cache.size().entries == 0


def test_the_key_holds_all_that_can_change_a_reply_and_nothing_else() -> None:
    schema = Schema("verdict", {"type": "object", "properties": {"a": {"type": "string"}}})
    different = [
        (SPEC, CALL),
        (ModelSpec.parse("http://127.0.0.1:2/v1#m?temperature=0"), CALL),
        (ModelSpec.parse("http://127.0.0.1:1/v1#n?temperature=0"), CALL),
        (ModelSpec.parse("http://127.0.0.1:1/v1#m?temperature=1"), CALL),
        (ModelSpec.parse("http://127.0.0.1:1/v1#m?temperature=0&seed=1"), CALL),
        (ModelSpec.parse("http://127.0.0.1:1/v1#m?temperature=0&json=none"), CALL),
        (SPEC, replace(CALL, messages=CALL.messages[1:])),
        (SPEC, replace(CALL, messages=(Message("user", "Be brief."), CALL.messages[1]))),
        (SPEC, replace(CALL, schema=schema)),
        (SPEC, replace(CALL, schema=Schema("verdict", {"type": "object"}))),
        (SPEC, replace(CALL, max_tokens=5)),
        (SPEC, replace(CALL, repeat=1)),
    ]
    assert len({call_key(spec, call) for spec, call in different}) == len(different)
    same = [
        (SPEC, replace(CALL, role="answer", stage="other")),
        (ModelSpec.parse("http://ann:pw@127.0.0.1:1/v1/#m?temperature=0&timeout=3"), CALL),
    ]
    assert {call_key(spec, call) for spec, call in same} == {call_key(SPEC, CALL)}
    local = ModelSpec.parse("local/smollm2")
    assert call_key(local.at("http://127.0.0.1:5/v1"), CALL) == call_key(local.at("http://127.0.0.1:6/v1"), CALL)
    assert embedding_key(SPEC, "a") != embedding_key(SPEC, "b")


def test_the_default_place_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MEMTRIAGE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "memtriage" / "calls.sqlite"
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(tmp_path / "mine.db"))
    assert Cache().path == tmp_path / "mine.db"


@pytest.mark.parametrize("damage", ["no database", "torn pages"])
def test_a_damaged_file_is_moved_aside_and_a_new_one_begun(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "calls.sqlite"
    if damage == "no database":
        path.write_bytes(b"this was never a database, " * 100)
    else:
        with Cache(path) as cache:
            cache.put_all({f"k{number}": replace(ENTRY, text="x" * 500) for number in range(200)})
        content = bytearray(path.read_bytes())
        content[4096:] = b"\xff" * (len(content) - 4096)
        path.write_bytes(bytes(content))
    with Cache(path) as cache:
        cache.get("k5")
        cache.put("new", ENTRY)
        assert cache.get("new") is not None
        assert len(cache.notes) == 1
        assert "damaged" in cache.notes[0]
    assert (tmp_path / "calls.sqlite.damaged-1").exists()
    with Cache(path) as cache:
        assert cache.get("new") is not None
        assert not cache.notes


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="MEMTRIAGE_CACHE"):
        Cache(tmp_path / "file" / "calls.sqlite").get("k")


def test_many_threads_share_one_cache(tmp_path: Path) -> None:
    with Cache(tmp_path / "calls.sqlite") as cache:

        def work(who: int) -> None:
            for number in range(25):
                cache.put(f"{who}-{number}", ENTRY)
                assert cache.get(f"{who}-{number}") is not None

        threads = [threading.Thread(target=work, args=(who,)) for who in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert cache.size().entries == 200


def _fill(path: Path, who: int) -> None:
    with Cache(path) as cache:
        for number in range(100):
            cache.put(f"{who}-{number}", ENTRY)
            cache.put("shared", ENTRY)


def test_several_processes_share_one_cache(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_fill, args=(path, who)) for who in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    with Cache(path) as cache:
        assert cache.size().entries == 201


KILLED = """
import sys
from memtriage.models import cache as module
from memtriage.models.cache import Cache, CacheEntry
cache = Cache(sys.argv[1])
number = 0
while True:
    cache.put(f"k{number}", CacheEntry("yes", 1, 1, 0.1))
    print(number, flush=True)
    number += 1
"""


def test_a_second_cache_in_a_process_leaves_the_first_one_its_locks(tmp_path: Path) -> None:
    put = "import sys; from memtriage.models.cache import Cache, CacheEntry as E\n"
    put += "with Cache(sys.argv[1]) as cache: cache.put('other', E('yes', 1, 1, 0.1))"
    with Cache(tmp_path / "calls.sqlite") as first:
        first.put("a", ENTRY)
        with Cache(first.path) as second:
            second.put("b", ENTRY)
        # Without the locks of the first, the other process thinks it is alone, and takes the log away when it leaves.
        subprocess.run([sys.executable, "-c", put, str(first.path)], check=True)
        assert first.path.with_name("calls.sqlite-wal").exists()
        first.put("c", ENTRY)
    with Cache(first.path) as again:
        assert again.size().entries == 4


def test_a_row_of_another_key_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Cache(tmp_path / "calls.sqlite") as cache:
        cache.put("a", ENTRY)
        cache.put("b", ENTRY)
        rows = module._rows
        monkeypatch.setattr(module, "_rows", lambda connection, keys: rows(connection, ["b"]))  # as a torn index does
        assert cache.get("a") is None
        assert cache.notes
        monkeypatch.undo()
        assert cache.get("b") is not None


def test_what_was_put_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        done = [int(process.stdout.readline()) for _ in range(150)][-1]
        os.kill(process.pid, signal.SIGKILL)
        done = max([done, *(int(line) for line in process.stdout.read().split() if line.isdigit())][-1:])
    with Cache(path) as cache:
        assert all(cache.get(f"k{number}") is not None for number in range(done))
        assert not cache.notes
    with sqlite3.connect(path) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
    connection.close()
