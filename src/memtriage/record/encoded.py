"""The records of a store and its verdicts as the bytes that a run writes, made where the store is filled.

A long list of memories that came back before is not written again: its record names the line that has it. Where that
line will stand in a file is known only to whoever writes it, so an encoded record names it by its number in the store.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from memtriage.core.trace import Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.record.same_lists import WrittenList, with_place

_TRACE = TypeAdapter(Trace)
_VERDICT = TypeAdapter(ProbeVerdict)
_INGEST = TypeAdapter(Ingest)
_SNAPSHOT = TypeAdapter(Snapshot)

Data = tuple[bytes, Mapping[str, Any]]
"""What a record says as JSON, and the part of it that a reader's index needs."""


def encoded_snapshot(snapshot: Snapshot) -> Data:
    """What is recorded of a look into a store."""
    return _SNAPSHOT.dump_json(snapshot), {"id": snapshot.id, "base": snapshot.base}


def encoded_ingest(ingest: Ingest) -> Data:
    """What is recorded of how storing went."""
    without = None if ingest.gpu_bytes is not None else {"gpu_bytes"}  # few machines have any
    return _INGEST.dump_json(ingest, exclude=without), {"error": ingest.error, "failed": ingest.failed}


def encoded_done(notes: Collection[str], notices: Collection[str]) -> Data:
    """What is recorded at the end of a store."""
    data = {"notes": list(notes), "notices": list(notices)}
    return json.dumps(data).encode(), data


@dataclass(frozen=True, slots=True)
class Encoded:
    """A trace or a verdict of a store as JSON, its number there, and that of the one whose list it names, if any.

    `indexed` is the part of a trace that a reader's index needs.
    """

    data: bytes
    number: int
    same_as: int | None = None
    indexed: Mapping[str, Any] = field(default_factory=dict)


class Encoder:
    """Encodes the traces of a store, or its verdicts, in their order."""

    def __init__(self) -> None:
        self._count = 0
        self._written = WrittenList()

    def trace(self, trace: Trace) -> Encoded:
        indexed = {"probe": trace.probe, "k": trace.k, "error": trace.error, "returned_none": trace.returned_none}
        without: dict[str, Any] = {} if trace.returned_none else {"returned_none": True}  # a mistake, and rare
        return self._encoded(_TRACE, trace, without, indexed)

    def verdict(self, verdict: ProbeVerdict) -> Encoded:
        return self._encoded(_VERDICT, verdict, {}, {})

    def _encoded(
        self, kind: TypeAdapter[Any], one: Trace | ProbeVerdict, without: dict[str, Any], indexed: Mapping[str, Any]
    ) -> Encoded:
        number, self._count = self._count, self._count + 1
        same_as = self._written.place_of(one.retrieved)
        if same_as is None:
            self._written.wrote(one.retrieved, number)
            without |= _no_reasons(one.retrieved)
        else:
            without["retrieved"] = True
        return Encoded(kind.dump_json(one, exclude=without or None), number, same_as, indexed)


class Places:
    """Where the records of a store stand in a file."""

    def __init__(self) -> None:
        self._starts: dict[int, int] = {}

    def line(self, encoded: Encoded) -> bytes:
        """A record as it is written into the file."""
        if encoded.same_as is None:
            return encoded.data
        return with_place(encoded.data, self._starts[encoded.same_as])

    def wrote(self, encoded: Encoded, start: int) -> None:
        """Note the byte at which a record was written, if others may name it."""
        if encoded.same_as is None:
            self._starts[encoded.number] = start


def _no_reasons(retrieved: Iterable[Retrieved]) -> dict[str, Any]:
    """What pydantic is to leave out where no memory says why it came back, as most systems don't."""
    return {} if any(found.why for found in retrieved) else {"retrieved": {"__all__": {"why"}}}
