"""A call cache that was damaged: whatever was changed is asked for again, and told; nothing else is lost."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from conftest import Cli, Place, without_locks
from damage_cache import damages, filled, values, whole_files
from memtriage.core.errors import BadInput
from memtriage.models.cache import Cache, CacheEntry
from memtriage.models.scripted import StubServer, content

DAMAGES = damages()

OLD_TABLE = """
create table if not exists calls (
    key text primary key, text text not null, data text, input integer not null, output integer not null,
    seconds real not null, made_at real not null, model text not null
) without rowid
"""


@pytest.mark.parametrize("name", list(DAMAGES))
def test_what_was_damaged_is_never_used(tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture) -> None:
    path, replies = tmp_path / "calls.sqlite", filled()
    with Cache(path) as cache:
        cache.put_all(replies)
    DAMAGES[name](path, Random(name))
    with Cache(path) as cache:
        found = cache.look_up(list(replies))
        assert all(entry == replies[key] for key, entry in found.entries.items())
        assert bool(found.damaged or cache.notes) == bool(caplog.records), "and it is told"
        told = "1 damaged reply" if found.damaged == 1 else f"{found.damaged} damaged replies"
        assert (f"found {told} in the call cache {path}; asking for them again" in caplog.text) == bool(found.damaged)
        if name in values():
            assert found.damaged == len(replies) - len(found.entries) > 0
        cache.put_all(replies)
        assert cache.claim(list(replies), "me", time.time() + 5)
        cache.release("me")
        again = cache.look_up(list(replies))
        if name in whole_files():
            assert (again.entries, again.damaged) == (replies, 0), "it works as before"
        assert all(entry == replies[key] for key, entry in again.entries.items())


@pytest.mark.parametrize("reason", [errno.ENOLCK, errno.ENOTSUP])
@pytest.mark.parametrize("name", ["a reply", "a table"])
def test_a_damaged_cache_on_a_disk_without_locks_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reason: int
) -> None:
    path, replies = tmp_path / "calls.sqlite", filled()
    with Cache(path) as cache:
        cache.put_all(replies)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update replies set text = 'x'" if name == "a reply" else "drop table claims")
    without_locks(monkeypatch, reason)
    with Cache(path) as cache, pytest.raises(BadInput) as refused:
        cache.look_up(list(replies))
    assert str(refused.value) == (
        f"the call cache {path} is damaged, and can't be locked to mend it ({os.strerror(reason)}); "
        "name a file on another disk with MEMTRIAGE_CACHE"
    )


@pytest.mark.parametrize("reason", [errno.ENOLCK, errno.ENOTSUP])
def test_a_whole_cache_needs_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int) -> None:
    without_locks(monkeypatch, reason)
    with Cache(tmp_path / "calls.sqlite") as cache:
        cache.put_all(filled())
        assert cache.get_all(list(filled())) == filled()


def test_a_run_asks_again_for_a_damaged_reply_and_says_so(
    cli: Cli, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    with StubServer(content) as server:
        models = ("--answer", f"{server.url}#reader", "--judge", f"{server.url}#judge")
        run = ("run", "--suite", "memfail/coexisting", "--rows", "4", "--k", "5", "--system", "bm25", "-q", *models)
        first = cli(*run, "--out", "one", "--json")
        asked = server.count()
        with closing(sqlite3.connect("cache.db")) as connection, connection:
            connection.execute(
                "update replies set text = 'yes' where key in "
                "(select key from replies where model like 'reader%' order by key limit 1)"
            )
        second = cli(*run, "--out", "two", "--json")
        assert server.count() == asked + 1
    assert "the answering model: 1 reply in the call cache was damaged; it was asked for again" in second.err
    assert [row["correct"] for row in json.loads(first.out)["rows"]] == [
        row["correct"] for row in json.loads(second.out)["rows"]
    ]


def test_the_replies_of_an_earlier_version_are_taken_over_once(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(OLD_TABLE)
        put = "insert into calls values (?, ?, ?, ?, ?, ?, ?, ?)"
        connection.execute(put, ("good", "yes", '{"a": "Zoë"}', 10, 2, 0.5, 17.0, "m"))
        connection.execute(put, ("bytes", b"yes", None, 10, 2, 0.5, 17.0, "m"))
        connection.execute(put, ("broken", "yes", "{", 10, 2, 0.5, 17.0, "m"))
    good = CacheEntry("yes", 10, 2, 0.5, "m", {"a": "Zoë"}, 17.0)
    with Cache(path) as cache:
        assert cache.get_all(["good", "bytes", "broken"]) == {"good": good}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(OLD_TABLE)
        connection.execute("insert into calls values ('good', 'no', null, 1, 1, 1.0, 1.0, 'm')")
        connection.execute("insert into calls values ('more', 'no', null, 1, 1, 1.0, 1.0, 'm')")
    with Cache(path) as cache:
        assert cache.get_all(["good", "more"]) == {"good": good}, "a table that comes later is nobody's"


def test_a_cache_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with Cache(path) as cache:
        cache.put("k", CacheEntry("yes", 1, 1, 0.5))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma user_version = 3")
    before = path.read_bytes()
    with pytest.raises(BadInput, match="newer memtriage"):
        Cache(path).get("k")
    assert path.read_bytes() == before


def test_what_a_reply_says_always_fits(tmp_path: Path) -> None:
    odd = CacheEntry("a\ud800b\0", 1 << 70, 1 << 70, 1, "m\ud800", {"said": "\ud800"})
    with Cache(tmp_path / "calls.sqlite") as cache:
        cache.put("k", odd)
        kept = cache.get("k")
        assert kept is not None
        assert (kept.text, kept.input, kept.model, kept.data) == ("a?b\0", (1 << 63) - 1, "m?", odd.data)
