"""Call caches, damaged: by accident, by another program, or by hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

from memtriage.models.cache import CacheEntry

Damage = Callable[[Path, Random], None]
"""Changes a cache file. The random numbers say where."""


def entry(number: int) -> CacheEntry:
    """The reply that belongs to a key of `filled`."""
    data = {"verdict": "stored", "number": number} if number % 2 else None
    return CacheEntry(
        f"reply {number} Zoë", 10 + number, 2 * number, number / 8, "m-2026", data, 1_700_000_000.0 + number
    )


def filled(size: int = 40) -> dict[str, CacheEntry]:
    """Replies by their keys, for a cache that is to be damaged."""
    return {f"{number:064x}": entry(number) for number in range(size)}


def damages() -> dict[str, Damage]:
    """Every kind of damage, by its name. The file is closed and holds `filled` replies."""
    return {**whole_files(), **dict(_files())}


def whole_files() -> dict[str, Damage]:
    """The kinds of damage after which the file is still a sound database."""
    return {**values(), **dict(_rows()), **dict(_tables())}


def _sql(*statements: str) -> Damage:
    """Run statements; KEY and OTHER stand for two keys."""

    def damage(path: Path, rng: Random) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("pragma writable_schema = on")
            keys = [f"x'{f'{number:064x}'.encode().hex()}'" for number in rng.sample(range(40), 2)]
            for statement in statements:
                one = statement.replace("KEY", f"cast({keys[0]} as text)")
                connection.execute(one.replace("OTHER", f"cast({keys[1]} as text)"))
            connection.execute("pragma wal_checkpoint(truncate)")

    return damage


def values() -> dict[str, Damage]:
    """The kinds of damage that change a value of a reply."""
    return dict(_values())


def _values() -> Iterator[tuple[str, Damage]]:
    """One value of one reply, or of all of them."""
    changes = {
        "a letter of the text": "text = replace(text, 'reply', 'rePly')",
        "an empty text": "text = ''",
        "another text": "text = 'no'",
        "a number for a text": "text = 5",
        "bytes for a text": "text = x'00ff'",
        "a text that is not UTF-8": "text = cast(x'72ff65fe' as text)",
        "a zero byte in a text": "text = cast(x'72650070' as text)",
        "a huge text": "text = hex(zeroblob(20000))",
        "another verdict": 'data = \'{"verdict": "mangled"}\'',
        "data that is no JSON": "data = '{'",
        "data that is no object": "data = '[1]'",
        "deep data": "data = printf('%.*c', 20000, '[')",
        "no data": "data = case when data is null then '{}' end",
        "another number of tokens": "input = input + 1",
        "tokens for nothing": "output = -1 - output",
        "the largest number": "input = 9223372036854775807",
        "a fraction of a token": "output = 0.5",
        "a text for a number": "input = 'many'",
        "bytes for a number": "output = x'01'",
        "other seconds": "seconds = seconds + 1",
        "endless seconds": "seconds = 9e999",
        "a text for seconds": "seconds = 'soon'",
        "another day": "made_at = made_at + 86400",
        "another model": "model = 'm-2025'",
        "a scripted model": "model = model || ' (scripted)'",
        "another seal": "seal = '0123456789abcdef0123456789abcdef'",
        "an empty seal": "seal = ''",
        "a seal of bytes": "seal = x'00'",
        "the seal of another": "seal = (select seal from replies where key = OTHER)",
    }
    for name, change in changes.items():
        yield name, _sql(f"update replies set {change} where key = KEY")
        yield f"{name}, everywhere", _sql(f"update replies set {change}")


def _rows() -> Iterator[tuple[str, Damage]]:
    swap = "update replies set key = 'aside' where key = KEY", "update replies set key = KEY where key = OTHER"
    yield "two replies swapped", _sql(*swap, "update replies set key = OTHER where key = 'aside'")
    yield (
        "a reply under another key",
        _sql("delete from replies where key = OTHER", swap[0], "update replies set key = OTHER where key = 'aside'"),
    )
    yield "a reply taken out", _sql("delete from replies where key = KEY")
    yield "all replies taken out", _sql("delete from replies")
    yield "a claim for ever", _sql("insert into claims values (KEY, 'somebody 1 2 3', 9e18)")
    yield "a claim of nonsense", _sql("insert into claims values (KEY, x'00ff', 'soon')")


_COPY = "create table kept as select * from replies", "drop table replies"


def _tables() -> Iterator[tuple[str, Damage]]:
    yield "no table", _sql("drop table replies")
    yield "no claims", _sql("drop table claims")
    yield "a table with other columns", _sql("drop table replies", "create table replies (key text, said text)")
    yield "a table with a column more", _sql("alter table replies add column more text")
    yield "a column with another name", _sql("alter table replies rename column text to said")
    yield "a table without rules", _sql(*_COPY, "create table replies as select * from kept")
    yield (
        "a view",
        _sql(
            *_COPY,
            "create view replies as "
            "select key, 'no' as text, data, input, output, seconds, made_at, model, seal from kept",
        ),
    )
    yield (
        "a view of an endless table",
        _sql(
            *_COPY,
            "create view replies as with recursive n(x) as (select 1 union all select x + 1 from n) select x from n",
        ),
    )
    yield "a trigger", _sql("create trigger t after insert on replies begin update replies set text = 'no'; end")
    yield (
        "a trigger named like the table",
        _sql("create trigger replies_ after delete on claims begin delete from replies; end"),
    )
    yield "an index", _sql("create index i on replies (text)")
    yield (
        "a definition that was edited",
        _sql("update sqlite_master set sql = replace(sql, 'output', 'putout') where name = 'replies'"),
    )
    yield (
        "a table of an earlier version beside ours",
        _sql(
            "create table calls (key text primary key, text text not null, data text, input integer not null, "
            "output integer not null, seconds real not null, made_at real not null, model text not null) without rowid",
            "insert into calls select key, 'no', data, input, output, seconds, made_at, model from replies",
            "delete from replies",
        ),
    )
    yield "a view of an earlier version's name", _sql("create view calls as select * from replies")
    yield "an earlier version", _sql("pragma user_version = 0")
    yield "a negative version", _sql("pragma user_version = -7")


def _bytes(change: Callable[[bytearray, Random], bytes | bytearray]) -> Damage:
    return lambda path, rng: path.write_bytes(bytes(change(bytearray(path.read_bytes()), rng))) and None


def _flip(content: bytearray, rng: Random) -> bytearray:
    for _ in range(3):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return content


def _zero(content: bytearray, rng: Random) -> bytearray:
    start = rng.randrange(len(content) // 512) * 512
    content[start : start + 512] = bytes(512)
    return content


def _files() -> Iterator[tuple[str, Damage]]:
    yield "an empty file", _bytes(lambda content, rng: b"")
    yield "not a database", _bytes(lambda content, rng: rng.randbytes(5000))
    yield "a page of HTML", _bytes(lambda content, rng: b"<html>Sign in</html>" * 300)
    yield "only a header", _bytes(lambda content, rng: content[:100])
    yield "a torn header", _bytes(lambda content, rng: rng.randbytes(100) + content[100:])
    yield "another page size", _bytes(lambda content, rng: content[:16] + b"\x02\x00" + content[18:])
    for number in range(4):
        yield f"cut off, {number}", _bytes(lambda content, rng: content[: rng.randrange(len(content))])
        yield f"flipped bits, {number}", _bytes(_flip)
        yield f"a block of zeros, {number}", _bytes(_zero)
