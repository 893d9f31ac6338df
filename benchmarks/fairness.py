"""What it costs a system to be looked at, and an answer to be without dates; the lines of docs/figures.md on both.

python benchmarks/fairness.py looks simplemem structmem:source=PATH  # tokens and verdicts with 0, 8 and 64 looks
python benchmarks/fairness.py dates                                  # order questions of MEME, with and without dates
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import memtriage
from memtriage.config import Limits
from memtriage.models.scripted import Request, StubServer


def looks(systems: list[str], suite: str = "memfail/coexisting", rows: int = 6) -> None:
    """Ingest calls and tokens, memories and verdicts of libraries, by the number of looks; the model is scripted."""
    for system in systems:
        for number in (0, 8, 64):
            with StubServer("memory") as server, tempfile.TemporaryDirectory() as folder:
                models = {"internal": f"{server.url}#chat", "embed": f"{server.url}#embed"}
                settings: dict[str, Any] = {"suite": suite, "rows": rows, "k": 5, "looks": number, **models}
                run = memtriage.run(system, out=Path(folder) / "run", limits=Limits(use_cache=False), **settings)
                (store,) = run.stores()
                verdicts = Counter(verdict.verdict for verdict in run.verdicts())
            used = store.ingest_usage
            tokens = used.input_tokens + used.output_tokens if used else 0
            name = system.partition(":")[0]
            print(f"{name}, {number} looks: {used and used.calls} calls, {tokens:,} tokens, {store.memories} memories")
            print(f"  {dict(verdicts)}")


def dates(rows: int = 12, k: int = 20) -> None:
    """How often an answer that reads memories off in the order of their days, or else as shown, has the right order."""
    suites = ["meme/personal-life", "meme/software-project"]
    for reading in ("dates", "nodates"):
        with StubServer(read_in_order) as server, tempfile.TemporaryDirectory() as folder:
            settings: dict[str, Any] = {"suite": suites, "rows": rows, "k": k, "options": {"filler": "none"}}
            answering = {"answer": f"{server.url}#reader", "reading": reading}
            run = memtriage.run("bm25", "dense", out=Path(folder) / "run", **settings, **answering)
            complete = [
                verdict
                for verdict in run.verdicts()
                if verdict.task == "meme/tracking" and all(fact.verdict == "correct" for fact in verdict.facts)
            ]
        right = 0
        for verdict in complete:
            places = [(verdict.answer or "").find(value) for value in verdict.gold.split(", then ")]
            right += places == sorted(places)
        print(f"{reading}: {right} of {len(complete)} order questions of which everything came back")


def read_in_order(request: Request) -> dict[str, Any]:
    """An answer that repeats the memories: by their days where they have any, otherwise as they come."""
    data = json.loads(request.last_user.removeprefix("<<<DATA\n").removesuffix("\nDATA>>>"))
    memories = sorted(data["memories"], key=lambda memory: memory.get("date", ""))
    return {"answer": " ".join(memory["text"] for memory in memories), "used": []}


if __name__ == "__main__":
    what, *named = sys.argv[1:] or ["dates"]
    looks(named) if what == "looks" else dates()
