"""What the viewer keeps of a finished run: where each probe is, what tables count, and the page without its probes.

A run directory is sealed, so this lies in the user's cache folder, in a file that is named by the run's digest. It is
made once, by reading the run through, and made again if the run is graded anew or memtriage changes. Facts and
retrieved memories stay in the run; a question's are read from there when it is opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memtriage import api
from memtriage.core.amount import K
from memtriage.core.errors import BadRun, MemtriageError
from memtriage.core.verdict import VERDICTS, ProbeVerdict
from memtriage.host.files import failure_reason, make_private
from memtriage.host.masks import mask_bytes
from memtriage.host.shell import shell_word
from memtriage.host.version import commit, installed_version
from memtriage.record import verdicts as record
from memtriage.record.files import Damaged
from memtriage.record.journal import damaged, records
from memtriage.record.lines import Lines
from memtriage.record.seal import RunSeal
from memtriage.report.headline import headline
from memtriage.report.html.page import fill_page, page_data
from memtriage.report.html.payload import TEXT_LIMITS, Sample, draw, encode, pack
from memtriage.tables.depth import at_graded_depth
from memtriage.tables.measures import measure_rows
from memtriage.tables.outcomes import outcomes
from memtriage.tables.standings import standings
from memtriage.tables.table import Row, first_why, row_json, table
from memtriage.view.pages import ASSETS, run_template

KEPT = 200
"""How many indexes stay in the cache; the ones that were not used for longest go first."""

_QUESTION_SHOWN, _GOLD_SHOWN = 500, 200
_MEMORIES_SHOWN = 20
_DAY = 86_400

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, content BLOB);
CREATE TABLE cells (id INTEGER PRIMARY KEY, suite, task, system, k, depth);
CREATE TABLE questions (id INTEGER PRIMARY KEY, suite, task, episode, probe, question, gold);
CREATE TABLE memories (id INTEGER PRIMARY KEY, key TEXT UNIQUE, text TEXT, folded TEXT);
CREATE TABLE read (
    start INTEGER, cell INTEGER, question INTEGER, verdict INTEGER, cluster, k_returned, context_tokens, answered,
    failed, own_depth, own_repeat, ingest_repeat, repeat, judge_repeat, credit, correct, measures, tags, why, judged_by,
    prompts, brought BLOB
);
"""
_SORTED = """
CREATE TABLE verdicts AS SELECT row_number() OVER (ORDER BY question, cell, rowid) - 1 AS n, * FROM read;
DROP TABLE read;
CREATE UNIQUE INDEX by_number ON verdicts (n);
CREATE INDEX by_question ON verdicts (question);
CREATE INDEX by_probe ON questions (episode, probe);
"""

Progress = Callable[[int], None]
"""Is told how many verdicts were read."""


@dataclass(frozen=True, slots=True)
class _Placed(ProbeVerdict):
    """A verdict, the byte of verdicts.jsonl at which it starts, and what it says there of its depth and repeat."""

    start: int = 0
    own_depth: str = ""
    own_repeat: int = 0


def index_folder() -> Path:
    """The folder of indexes: `view` in the user's cache folder for memtriage."""
    root = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(root) if root else Path.home() / ".cache") / "memtriage" / "view"


def index_file(digest: str) -> Path:
    """Where the index of a run with this digest lies, whether or not it is there."""
    return index_folder() / f"{hashlib.sha256(f'{digest} {_maker()}'.encode()).hexdigest()[:32]}.sqlite"


@cache
def _maker() -> str:
    """What an index depends on beside the run: memtriage's version, this module, and the page that is kept in it."""
    made_by = [installed_version("memtriage") or "", commit() or "", Path(__file__).read_text(encoding="utf-8")]
    return hashlib.sha256("\0".join([*made_by, *ASSETS.values()]).encode()).hexdigest()


def build_index(run: api.Run, progress: Progress = lambda read: None) -> Path:
    """Read a run through and keep what the viewer needs."""
    seal = run.reader.seal
    if seal is None:
        raise BadRun(f"{run.path} is not finished; finish it with: memtriage resume {shell_word(run.path)}")
    file = index_file(seal.digest)
    part = file.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")
    try:
        make_private(file.parent)
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(part, isolation_level=None)) as db:
            _build(db, run, seal, progress)
        os.replace(part, file)
    except MemtriageError:
        raise
    except OSError as error:
        raise BadRun(f"{file} can't be written: {failure_reason(error)} (XDG_CACHE_HOME names one)") from error
    except OverflowError as error:
        raise Damaged(run.path / record.VERDICTS, "a number in it is too large to be one") from error
    except sqlite3.Error as error:
        raise BadRun(f"{file} can't be written: {error}; XDG_CACHE_HOME names another folder") from error
    finally:
        part.unlink(missing_ok=True)
    _forget_old(file.parent)
    return file


def _forget_old(folder: Path) -> None:
    by_use = sorted(folder.glob("*.sqlite"), key=lambda file: file.stat().st_mtime, reverse=True)
    abandoned = (part for part in folder.glob("*.part") if part.stat().st_mtime < time.time() - _DAY)
    for file in (*by_use[KEPT:], *abandoned):
        file.unlink(missing_ok=True)


def _build(db: sqlite3.Connection, run: api.Run, seal: RunSeal, progress: Progress) -> None:
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _TABLES)
    db.execute("BEGIN")
    memories = _keep_memories(db, run.path, seal)
    _keep_verdicts(db, at_graded_depth(_placed(run.path, seal, progress)), memories)
    db.execute("COMMIT")
    db.executescript(_SORTED)
    rows = table(_slim(db), run.stores())
    found = standings(_slim(db), rows)
    base = page_data(run.stores(), rows, found)
    packed = pack(encode(Sample({}, Counter()), 0, lambda keys: {}) | base)
    page = fill_page(
        run_template(packed),
        Sample({}, Counter()),
        found,
        rows,
        run.about(),
        measure_rows(_slim(db)),
        outcomes(_slim(db)),
    )
    brought = [blob for (blob,) in db.execute("SELECT brought FROM verdicts ORDER BY n")]
    db.execute("ALTER TABLE verdicts DROP COLUMN brought")
    meta = {
        "brought": b"".join(brought),
        "counts": array("I", (len(blob) // 4 for blob in brought)).tobytes(),
        "page": page.encode(),
        "rows": _json([row_json(row) for row in rows]),
        "summary": _json({"headline": list(headline(found)), **_counted(db)}),
        "columns": _json(_columns(db, rows)),
    }
    db.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())


def _keep_memories(db: sqlite3.Connection, path: Path, seal: RunSeal) -> dict[str, int]:
    ids: dict[str, int] = {}

    def texts() -> Iterator[tuple[int, str, str, str]]:
        for start, memory in records(path / "memories.jsonl", seal.files):
            if not isinstance(memory.get("key"), str) or not isinstance(memory.get("text"), str):
                raise damaged(path / "memories.jsonl", start, "it lacks a key or a text")
            if memory["key"] not in ids:
                ids[memory["key"]] = len(ids)
                yield ids[memory["key"]], memory["key"], memory["text"], memory["text"].casefold()

    db.executemany("INSERT INTO memories VALUES (?, ?, ?, ?)", texts())
    return ids


def _placed(path: Path, seal: RunSeal, progress: Progress) -> Iterator[_Placed]:
    names = [field.name for field in fields(ProbeVerdict)]
    for count, (start, verdict) in enumerate(record.placed_verdicts(path, seal)):
        if count % 500 == 0:
            progress(count)
        own: dict[str, Any] = {"start": start, "own_depth": verdict.depth, "own_repeat": verdict.repeat}
        yield _Placed(**{name: getattr(verdict, name) for name in names}, **own)


def _keep_verdicts(db: sqlite3.Connection, probes: Iterable[ProbeVerdict], memories: Mapping[str, int]) -> None:
    cells: dict[tuple[Any, ...], int] = {}
    questions: dict[tuple[str, ...], int] = {}

    def lines() -> Iterator[tuple[Any, ...]]:
        for probe in probes:
            assert isinstance(probe, _Placed)
            cell = cells.setdefault((probe.suite, probe.task, probe.system, probe.k, probe.depth), len(cells))
            asked = (probe.suite, probe.task, probe.episode, probe.probe)
            if asked not in questions:
                questions[asked] = len(questions)
                db.execute(
                    "INSERT INTO questions VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (questions[asked], *asked, probe.question, probe.gold),
                )
            brought = array("I", (memories[item.key] for item in probe.retrieved if item.key in memories))
            yield (
                *(probe.start, cell, questions[asked], VERDICTS.index(probe.verdict), probe.cluster),
                *(probe.k_returned, probe.context_tokens, probe.answer is not None, probe.error is not None),
                *(
                    probe.own_depth,
                    probe.own_repeat,
                    probe.ingest_repeat,
                    probe.repeat,
                    probe.judge_repeat,
                    probe.credit,
                    probe.right,
                ),
                *(json.dumps(dict(probe.measures)), json.dumps(dict(probe.tags)), first_why(probe)),
                *(probe.judged_by, probe.prompts, brought.tobytes()),
            )

    db.executemany(f"INSERT INTO read VALUES ({', '.join('?' * 22)})", lines())
    db.executemany("INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?)", ((id, *cell) for cell, id in cells.items()))


_SLIM = """
SELECT suite, task, system, episode, probe, k, own_depth, verdict, q.question, k_returned, context_tokens, answered,
    failed, cluster, ingest_repeat, own_repeat, judge_repeat, credit, correct, measures, tags, why, judged_by, prompts,
    min(n)
FROM verdicts v JOIN (SELECT id, system, k FROM cells) c ON c.id = v.cell JOIN questions q ON q.id = v.question
WHERE ? IN ('', system) GROUP BY start ORDER BY start
"""
"""Each verdict as it was read, in that order: where one counts several times, tables see to that themselves."""


def _slim(db: sqlite3.Connection, system: str = "") -> Iterator[ProbeVerdict]:
    """The verdicts of all systems or of one, with all that tables count, and without facts and memories."""
    for line in db.execute(_SLIM, (system,)):
        (suite, task, name, episode, probe, k, depth, verdict, question, returned, tokens, answered, failed) = line[:13]
        (cluster, ingest, repeat, judge, credit, right, measures, tags, why, judged_by, prompts, _) = line[13:]
        yield ProbeVerdict(
            *(suite, task, name, episode, probe, k, depth, VERDICTS[verdict], question, ""),
            facts=(),
            k_returned=returned,
            context_tokens=tokens,
            answer="" if answered else None,
            error=why if failed else None,
            cluster=cluster,
            tags=json.loads(tags) if tags != "{}" else {},
            repeat=repeat,
            ingest_repeat=ingest,
            judge_repeat=judge,
            judged_by=judged_by,
            credit=credit,
            right=None if right is None else bool(right),
            measures=json.loads(measures) if measures != "{}" else {},
            why=why,
            prompts=prompts,
        )


def _counted(db: sqlite3.Connection) -> dict[str, int]:
    """How many verdicts are a success, and how many an error."""
    each = "SELECT verdict, min(n) FROM verdicts GROUP BY start"
    counts = dict(db.execute(f"SELECT verdict, count(*) FROM ({each}) GROUP BY verdict"))
    return {verdict: counts.get(VERDICTS.index(verdict), 0) for verdict in ("correct", "error")}


def _columns(db: sqlite3.Connection, rows: Sequence[Row]) -> dict[str, Any]:
    """Every verdict in three numbers: its row of the table, its question, and what it says; and the questions."""
    places = {(row.suite, row.task, row.system, row.k, row.depth): at for at, row in enumerate(rows)}
    row_of = {
        id: places[tuple(cell)] for id, *cell in db.execute("SELECT id, suite, task, system, k, depth FROM cells")
    }
    numbers = db.execute("SELECT cell, question, verdict FROM verdicts ORDER BY n").fetchall()
    asked = db.execute("SELECT episode, probe, question, gold FROM questions ORDER BY id")
    return {
        "row": [row_of[cell] for cell, _, _ in numbers],
        "question": [question for _, question, _ in numbers],
        "verdict": [verdict for _, _, verdict in numbers],
        "questions": [(episode, probe, q[:_QUESTION_SHOWN], gold[:_GOLD_SHOWN]) for episode, probe, q, gold in asked],
    }


class RunIndex:
    """The index of a run, open for reading; each question opens the file anew, so that threads can share this."""

    def __init__(self, file: Path, run: Path) -> None:
        self.file, self.run = file, run

    def kept(self, name: str) -> bytes:
        """A document that was made with the index: `page`, `columns`, `rows` or `summary`."""
        with self._open() as db:
            return _kept(db, name)

    def verdicts(self, system: str = "") -> Iterator[ProbeVerdict]:
        """The verdicts of all systems or of one, with all that tables count, and without facts and memories."""
        with self._open() as db:
            yield from _slim(db, system)

    @property
    def questions(self) -> int:
        with self._open() as db:
            return int(db.execute("SELECT count(*) FROM questions").fetchone()[0])

    def question(self, id: int) -> dict[str, Any] | None:
        """Everything about one question, for every system and k, in the form that the report's page reads."""
        if id.bit_length() > 62:  # beyond what a database counts
            return None
        with self._open() as db:
            placed = db.execute(
                "SELECT start, depth, repeat FROM verdicts JOIN cells ON id = cell WHERE question = ? ORDER BY n",
                (id,),
            ).fetchall()
            if not placed:
                return None
            with Lines(self.run / record.VERDICTS) as lines:
                probes = [
                    replace(record.verdict_at(lines, start), depth=depth, repeat=repeat)
                    for start, depth, repeat in placed
                ]
            return encode(draw(probes, self._rows), TEXT_LIMITS[0], lambda keys: _texts(db, keys))

    @property
    def _rows(self) -> list[Row]:
        return [Row(**row) for row in json.loads(self.kept("rows"))]

    def number(self, suite: str, task: str, system: str, k: K, depth: str, episode: str, probe: str) -> int | None:
        """The number under which the page shows a probe asked of a system at a k."""
        with self._open() as db:
            found = db.execute(
                "SELECT min(n) FROM verdicts v JOIN cells c ON c.id = v.cell JOIN questions q ON q.id = v.question "
                "WHERE q.episode = ? AND q.probe = ? AND (c.suite, c.task, c.system, c.k, c.depth) = (?, ?, ?, ?, ?)",
                (episode, probe, suite, task, system, k, depth),
            ).fetchone()
        return None if found is None else found[0]

    def search(self, text: str) -> dict[str, Any]:
        """The memories that hold a text, how often each came back, and the numbers of the verdicts they did so for."""
        with self._open() as db:
            wanted = "SELECT id, text FROM memories WHERE instr(folded, ?)"
            found: dict[int, str] = dict(db.execute(wanted, (text.casefold(),)))
            brought, owners = _brought(db)
        hits = np.isin(brought, np.fromiter(found, dtype=np.uint32, count=len(found)))
        times = Counter(
            dict(zip(*(part.tolist() for part in np.unique(brought[hits], return_counts=True)), strict=True))
        )
        first = sorted(found, key=lambda id: -times[id])[:_MEMORIES_SHOWN]
        memories = [(found[id], times[id]) for id in first]
        return {"found": len(found), "memories": memories, "numbers": np.unique(owners[hits]).tolist()}

    def memories(self) -> dict[str, Any]:
        """All memories, and which of them came back for each verdict, for pages that have no server to ask."""
        with self._open() as db:
            texts = [text for (text,) in db.execute("SELECT text FROM memories ORDER BY id")]
            brought, owners = _brought(db)
            (verdicts,) = db.execute("SELECT count(*) FROM verdicts").fetchone()
        ends = np.searchsorted(owners, np.arange(1, verdicts))
        return {"texts": texts, "brought": [part.tolist() for part in np.split(brought, ends)] if verdicts else []}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            db = sqlite3.connect(f"{self.file.as_uri()}?mode=ro", uri=True)
        except sqlite3.Error as error:
            raise BadRun(f"{self.file} can't be opened ({error}); remove it, and it is made again") from error
        try:
            yield db
        except sqlite3.Error as error:
            raise BadRun(f"{self.file} can't be read ({error}); remove it, and it is made again") from error
        finally:
            db.close()


def _brought(db: sqlite3.Connection) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """The memories that came back, verdict by verdict, and the number of the verdict for each of them."""
    brought, counts = (np.frombuffer(_kept(db, name), dtype=np.uint32) for name in ("brought", "counts"))
    return brought, np.repeat(np.arange(len(counts)), counts)


def _kept(db: sqlite3.Connection, name: str) -> bytes:
    (content,) = db.execute("SELECT content FROM meta WHERE name = ?", (name,)).fetchone()
    return bytes(content)


def _texts(db: sqlite3.Connection, keys: Collection[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    wanted = list(keys)
    for at in range(0, len(wanted), 500):
        some = wanted[at : at + 500]
        found.update(db.execute(f"SELECT key, text FROM memories WHERE key IN ({', '.join('?' * len(some))})", some))
    return found


def as_json(content: object) -> bytes:
    """A document as the pages read it, without any key in it."""
    return _json(content)


def _json(content: object) -> bytes:
    return mask_bytes(json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode("ascii"))
