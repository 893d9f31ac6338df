"""A priced model server for drills: reader, judge and memory writer behind one address."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from decimal import Decimal
from pathlib import Path

from memtriage.models.scripted import StubServer, content
from memtriage.models.scripted.bodies import prompt_tokens
from memtriage.models.scripted.replies import Reply, Request, as_reply, parse_request
from memtriage.models.scripted.scripts import script_named
from memtriage.text.tokens import count_tokens

_MEMORY = script_named("memory")
PRICES = {"reader": (2, 8), "judge": (3, 12), "memory": (1, 4)}
"""Dollars per million tokens, read and written."""


def script(request: Request) -> Reply:
    """What each of the three models says."""
    return as_reply(_MEMORY(request) if request.body.get("model") == "memory" else content(request))


class Models(StubServer):
    """The server; it knows what its good answers cost."""

    def __init__(self, latency: float = 0.01, *, idempotent: bool = True) -> None:
        super().__init__(script, latency, idempotent=idempotent)

    def options(self, *roles: str) -> tuple[str, ...]:
        """The command's options for these roles."""
        names = {"answer": "reader", "judge": "judge", "internal": "memory"}
        return tuple(part for role in roles for part in (f"--{role}", f"{self.url}#{names[role]}"))

    def answered(self) -> int:
        """How many calls were answered, and paid for."""
        return self.count(ok=True)

    def twice(self) -> int:
        """How many of these had been answered before."""
        return sum(count - 1 for count in Counter(self.asked()).values())

    def asked(self) -> list[str]:
        """Each of these, as a digest of what was asked."""
        bodies = [json.dumps(seen.body, sort_keys=True) for seen in self.requests if seen.ok]
        return [hashlib.sha256(body.encode()).hexdigest()[:16] for body in bodies]

    def dollars(self) -> Decimal:
        """What the good answers cost in all."""
        total = Decimal(0)
        for seen in self.requests:
            if seen.ok:
                request = parse_request("/chat/completions", seen.body)
                read, written = PRICES[seen.body["model"]]
                total += read * prompt_tokens(request) + written * count_tokens(script(request).text)
        return total / 1_000_000


def price_file(folder: Path) -> str:
    """The prices as a file for MEMTRIAGE_PRICES."""
    file = folder / "drill-prices.json"
    file.write_text(json.dumps({name: {"input": read, "output": wrote} for name, (read, wrote) in PRICES.items()}))
    return str(file)
