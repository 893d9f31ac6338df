"""A memory in PostgreSQL, for several processes and machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from memtriage.core.errors import BadInput, install_extra
from memtriage.systems.designs.mosaic.database import FORMAT, SCHEMA, Database

LOCK = 0x4D4F5341
"""The first half of the advisory locks' numbers; the second is the user's."""


class Postgres(Database):
    """Its own tables in the schema that the connection looks at; writers of one user wait for each other."""

    def __init__(self, url: str, wait: float) -> None:
        super().__init__()
        try:
            import psycopg
        except ImportError as error:
            raise BadInput(f"a memory in PostgreSQL needs psycopg: {install_extra('postgres')}") from error
        self._psycopg, self._url, self._wait = psycopg, url, wait
        self.where, self._secrets = _without_password(url)
        self._connection: Any = None
        with self.writing():
            ((found,),) = self._all("select to_regclass('mosaic_format')::text")
            if found is None:
                self._all("create table mosaic_format (version integer not null)")
                self._all("insert into mosaic_format values (?)", (FORMAT,))
                for statement in SCHEMA.format(bytes="bytea", packed="").split(";"):
                    if statement.strip():
                        self._all(statement)
                # As they are: most parts don't get smaller, and their length is asked for without reading them.
                self._all("alter table mosaic_parts alter column data set storage external")
                self._all("alter table mosaic_vectors alter column data set storage external")
            ((format,),) = self._all("select version from mosaic_format")
        if format != FORMAT:
            self.close()
            raise BadInput(f"{self.where} has format {format} of mosaic's tables, this memtriage reads {FORMAT}")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def really_gone(self) -> None:
        self._all("vacuum mosaic_entries, mosaic_vectors, mosaic_parts")

    def _connected(self) -> Any:
        if self._connection is None or self._connection.closed:
            self._connection = self._psycopg.connect(
                self._url, autocommit=True, connect_timeout=max(2, int(self._wait)), prepare_threshold=2
            )
        return self._connection

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._told():
            cursor = self._connected().execute(sql.replace("?", "%s"), values or None, binary=True)
            return cursor.fetchall() if cursor.description else []

    def _many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._told(), self._connected().cursor() as cursor:
            cursor.executemany(sql.replace("?", "%s"), list(rows))

    def _begin(self, writing: bool) -> None:
        if not writing:
            self._all("begin isolation level repeatable read, read only")
            return
        self._all("begin")
        try:
            self._all(f"set local lock_timeout = {int(1000 * self._wait)}")
            self._all("select pg_advisory_xact_lock(?, ?)", (LOCK, self._owner))
        except BaseException:
            self._rollback()
            raise

    def _rollback(self) -> None:
        if self._connection is not None and not self._connection.closed:
            self._connection.rollback()

    def _among(self, places: Sequence[int]) -> tuple[str, Any]:
        return "place = any(?)", list(places)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn PostgreSQL's errors into a sentence without the password."""
        try:
            yield
        except self._psycopg.errors.LockNotAvailable:
            raise BadInput(
                f"{self.where} is being written by another process or memory, for more than {self._wait:g} s; "
                "try again, or open it with a longer wait"
            ) from None
        except self._psycopg.Error as error:
            told = " ".join(str(error).split())
            for secret in self._secrets:
                told = told.replace(secret, "***")
            raise BadInput(f"{self.where} can't be used: {told}") from None


def _without_password(url: str) -> tuple[str, list[str]]:
    """An address as it may be shown, and what must not be."""
    parts = urlsplit(url)
    secrets = {*parse_qs(parts.query).get("password", ()), parts.password or ""}
    secrets |= {unquote(secret) for secret in secrets}
    shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return shown, sorted((secret for secret in secrets if secret), key=len, reverse=True)
