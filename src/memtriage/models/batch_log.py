"""Which calls were sent in which batch: kept in the run directory, so that nothing is sent, and paid for, twice."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path

from memtriage.core.errors import BadRun
from memtriage.host.files import open_inside, read_inside, write_inside
from memtriage.host.sealed import open_line, seal_line

BATCHES = "batches.jsonl"


@dataclass(frozen=True, slots=True)
class Sending:
    """A batch that was about to be sent when the process ended: nobody knows whether the provider has it."""

    upload: str
    calls: tuple[str, ...]
    at: datetime


class BatchLog:
    """The batches of one model in a run; every step is on disk before the next one is made."""

    def __init__(self, path: Path, model: str) -> None:
        self._path = path / BATCHES
        self._model = model
        self._places: dict[str, str] = {}
        self._known: set[str] = set()
        self.unsure: Sending | None = None
        for record in self._records():
            try:
                if record["model"] == model:
                    self._take(record)
            except (KeyError, TypeError, ValueError) as error:
                raise BadRun(f"{self._path} can't be read ({error!r}); it says which batches were paid for") from error

    @classmethod
    def begin(cls, path: Path) -> None:
        """Mark a run as one whose calls go out in batches."""
        open_inside(path, BATCHES, "a").close()

    @classmethod
    def is_there(cls, path: Path) -> bool:
        """Whether the calls of a run go out in batches."""
        return (path / BATCHES).exists()

    @property
    def known(self) -> frozenset[str]:
        """The ids of all batches that were sent."""
        return frozenset(self._known)

    def batch_of(self, call: str) -> str | None:
        """The batch that a call was sent in last, unless its line failed there."""
        return self._places.get(call)

    def calls_in(self, batch: str) -> list[str]:
        """The calls of a batch whose lines have not failed."""
        return [call for call, place in self._places.items() if place == batch]

    def sending(self, upload: str, calls: Sequence[str]) -> None:
        """A batch is about to be sent."""
        self._write({"event": "sending", "upload": upload, "calls": list(calls)})

    def sent(self, batch: str, calls: Sequence[str]) -> None:
        """The provider has taken a batch."""
        self._write({"event": "sent", "batch": batch, "calls": list(calls)})

    def never_sent(self) -> None:
        """The batch that was about to be sent never arrived."""
        self._write({"event": "never sent"})

    def failed(self, batch: str, calls: Iterable[str]) -> None:
        """These lines of a batch brought no reply; they may be sent again."""
        if listed := list(calls):
            self._write({"event": "failed", "batch": batch, "calls": listed})

    def _write(self, record: dict[str, object]) -> None:
        record = {**record, "model": self._model, "at": datetime.now(UTC).isoformat(timespec="seconds")}
        with open_inside(self._path.parent, BATCHES, "a") as file:
            file.write(seal_line(json.dumps(record).encode() + b"\n", file.tell()))
            file.flush()
            os.fsync(file.fileno())
        self._take(record)

    def _take(self, record: dict[str, object]) -> None:
        calls = record.get("calls")
        listed = tuple(str(call) for call in calls) if isinstance(calls, list) else ()
        batch = str(record.get("batch", ""))
        match record["event"]:
            case "sending":
                self.unsure = Sending(str(record["upload"]), listed, datetime.fromisoformat(str(record["at"])))
            case "sent":
                self.unsure = None
                self._known.add(batch)
                self._places |= dict.fromkeys(listed, batch)
            case "never sent":
                self.unsure = None
            case "failed":
                for call in listed:
                    if self._places.get(call) == batch:
                        del self._places[call]

    def _records(self) -> list[dict[str, object]]:
        try:
            raw = read_inside(self._path.parent, BATCHES)
        except FileNotFoundError:
            return []
        lines = raw.splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):  # a kill in the middle of a line: what it told did not happen yet
            write_inside(self._path.parent, BATCHES, b"".join(lines := lines[:-1]))
        starts = accumulate(map(len, lines), initial=0)
        try:
            return [json.loads(open_line(line, start)) for line, start in zip(lines, starts, strict=False)]
        except ValueError as error:
            raise BadRun(f"{self._path} can't be read ({error}); it says which batches were paid for") from error
