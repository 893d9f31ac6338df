"""How far a run that is not finished has come: read from its journal, which only grows, and from its bill."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from memtriage.core.errors import MemtriageError
from memtriage.pipeline.bill import read_bill
from memtriage.record.lines import BadFrame, Lines
from memtriage.record.manifest import read_manifest, store_names

_REASONS = 8
_BILL_SECONDS = 5.0


class RunProgress:
    """Counts what the journal of one run says, and reads only what came since it was last asked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._at = 0
        self._asked: set[tuple[Any, ...]] = set()
        self._answered = 0
        self._done: set[tuple[str, str]] = set()
        self._errors: Counter[str] = Counter()
        self._bill: tuple[float, dict[str, Any] | None] = (0.0, None)

    def status(self) -> dict[str, Any]:
        """Stores and questions that are done, of how many; errors with their reasons; what models cost so far."""
        manifest = read_manifest(self.path)
        self._read_on()
        names = store_names(manifest)
        probes = sum(episode["probes"] for episode in manifest["episodes"])
        stores = sum(map(len, names.values()))
        systems = [
            {
                "system": label,
                "done": sum((name, episode["id"]) in self._done for name in own for episode in manifest["episodes"]),
                "total": len(own) * len(manifest["episodes"]),
            }
            for label, own in names.items()
        ]
        return {
            "stores": [len(self._done), stores * len(manifest["episodes"])],
            "questions": [len(self._asked), stores * probes * len(manifest["ks"])],
            "answers": self._answered,
            "systems": systems,
            "errors": sum(self._errors.values()),
            "reasons": self._errors.most_common(_REASONS),
            "cost": self._cost(),
        }

    def _read_on(self) -> None:
        try:
            journal = Lines(self.path / "journal.jsonl")
        except FileNotFoundError:
            return
        with journal, suppress(BadFrame):
            for start, line in journal.lines(self._at):
                if not line.endswith(b"\n"):
                    break
                self._at = start + len(line)
                try:
                    self._count(from_json(line))
                except (ValueError, KeyError, TypeError, AttributeError):
                    self._errors["a line of journal.jsonl can't be read"] += 1

    def _count(self, entry: dict[str, Any]) -> None:
        if entry["kind"] == "begin":
            return
        data, store = entry["data"], (entry["system"], entry["episode"])
        match entry["kind"]:
            case "trace":
                self._asked.add((*store, data["probe"], data["k"]))
            case "answer":
                self._answered += 1
            case "done":
                self._done.add(store)
        for error in (data.get("error"), *(data.get("failed") or {}).values()):
            if error:
                self._errors[str(error)] += 1

    def _cost(self) -> str:
        """What models cost so far, in a few words; "" without any."""
        read, bill = self._bill
        if time.monotonic() - read > _BILL_SECONDS:
            try:
                bill = read_bill(self.path)
            except MemtriageError:  # it is being written
                bill = None
            self._bill = (time.monotonic(), bill)
        if bill is None:
            return ""
        total = bill["total"]
        unknown = " and what has no known price" if total["price_unknown"] else ""
        return f"{total['calls']:,} model calls, ${total['dollars']:.4f}{unknown}"
