"""A memory as one SQLite file."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.systems.designs.mosaic.database import FORMAT, SCHEMA, Database

MARK = 0x4D4F5341
"""SQLite's application id of these files."""


class SqliteFile(Database):
    """Write-ahead log, synced at every commit; what is deleted is overwritten."""

    def __init__(self, path: Path, wait: float) -> None:
        super().__init__()
        self.where, self._wait = str(path), wait
        if path.is_dir():
            raise BadInput(f"{path} is a folder, not a file of mosaic's")
        if not path.parent.is_dir():
            raise BadInput(f"{path} can't be made: there is no folder {path.parent}")
        with suppress(OSError):  # what can't be made or read, SQLite says
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))  # its log has the same rights as the file
        with self._told():
            self._connection = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        self._begin(writing=False)  # so that all is of one moment: another process may be making the file now
        ((mark,),) = self._all("pragma application_id")
        ((format,),) = self._all("pragma user_version")
        ((tables,),) = self._all("select count(*) from sqlite_master")
        self._rollback()
        if mark != MARK and (mark or tables):
            raise BadInput(f"{self.where} is a database of another program, not a memory of mosaic's")
        if mark == MARK and format != FORMAT:
            raise BadInput(
                f"{self.where} has format {format} of mosaic's files, this memtriage reads {FORMAT}; "
                + ("update memtriage" if format > FORMAT else "read it with the memtriage that wrote it")
            )
        self._write_ahead()
        for setting in ("synchronous = full", "secure_delete = on", "mmap_size = 4294967296", "cache_size = -65536"):
            self._all(f"pragma {setting}")
        if not tables:
            with self.writing():
                ((tables,),) = self._all("select count(*) from sqlite_master")  # another process may have been faster
                if not tables:
                    for statement in SCHEMA.format(bytes="blob", packed=" without rowid").split(";"):
                        self._all(statement)
                    self._all(f"pragma application_id = {MARK}")
                    self._all(f"pragma user_version = {FORMAT}")

    def _write_ahead(self) -> None:
        """Keep a write-ahead log. If others open a new file at the same moment, SQLite refuses instead of waiting."""
        until = time.monotonic() + self._wait
        while True:
            try:
                self._all("pragma journal_mode = wal")
                return
            except BadInput as error:
                if "locked" not in str(error.__cause__) or time.monotonic() > until:
                    raise
            time.sleep(0.01)

    def close(self) -> None:
        self._connection.close()

    def really_gone(self) -> None:
        self._all("pragma wal_checkpoint(truncate)")

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._told():
            return self._connection.execute(sql, values).fetchall()

    def _many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._told():
            self._connection.executemany(sql, rows)

    def _begin(self, writing: bool) -> None:
        self._all("begin immediate" if writing else "begin")

    def _rollback(self) -> None:
        if self._connection.in_transaction:
            self._connection.rollback()

    def _among(self, places: Sequence[int]) -> tuple[str, Any]:
        return "place in (select value from json_each(?))", json.dumps(list(places))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn SQLite's errors into a sentence with the file's name."""
        try:
            yield
        except sqlite3.Error as error:
            told = str(error)
            if "locked" in told:
                raise BadInput(
                    f"{self.where} is being written by another process or memory, for more than {self._wait:g} s; "
                    "try again, or open it with a longer wait"
                ) from error
            if "not a database" in told:
                raise BadInput(f"{self.where} is no memory of mosaic's: {told}") from error
            if "malformed" in told or "no such table" in told:
                raise BadInput(f"{self.where} is damaged: {told}; put back a copy of it") from error
            raise BadInput(f"{self.where} can't be used: {told}") from error
