"""How the lexical detector reads whole stores that a strong model wrote: what stays uncertain, and what it gets right.

    python benchmarks/rewritten_stores.py

`rewritten_stores.jsonl` holds ten stores of generated MemFail rows, in the styles of five memory systems. A strong
model wrote the memories from the conversations alone, told to lose something now and then; a second session of the same
model labelled every fact as stored, mangled or absent with the whole store before it.

`library_stores.jsonl` holds the stores that five libraries and `facts` made of other such rows with that model inside
them, told only what their own prompts say. Two more sessions labelled eight facts of each, and found all of them there.
Nothing was tuned on either.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from memtriage.core.suite import Request
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import Verdict
from memtriage.diagnose.store import diagnose
from memtriage.metrics.statistics import wilson
from memtriage.suites.memfail.suite import load

STORES = ("rewritten_stores.jsonl", "library_stores.jsonl")
LABELS: dict[Verdict, str] = {"correct": "stored", "summary_error": "mangled", "not_stored": "absent"}


def read(store: dict) -> Counter[tuple[str, str]]:
    """How often each label got each verdict in one store, with every memory retrieved."""
    [episode] = load(store["task"], Request(rows=store["rows"], seed=store["seed"])).episodes
    texts = {f"m{i}": text for i, text in enumerate(store["memories"])}
    last = episode.sessions[-1].id
    history = History(
        Ingest(len(episode.sessions), 0.0, memories=len(texts)), (Snapshot("end", last, None, tuple(texts)),)
    )
    retrieved = tuple(Retrieved(key, rank) for rank, key in enumerate(texts, start=1))
    traces = [Trace(probe.id, len(texts), "end", retrieved) for probe in episode.probes]
    verdicts = diagnose(episode, history, traces, lambda keys: {k: texts[k] for k in keys}, "memfail", store["style"])
    found = {fact.fact: LABELS.get(fact.verdict, "uncertain") for verdict in verdicts for fact in verdict.facts}
    return Counter((label, found[id]) for id, label in store["labels"].items() if id in found)


def report(file: str) -> None:
    """Print what the detector says of each store of a file, and of all together."""
    total: Counter[tuple[str, str]] = Counter()
    for line in Path(__file__).with_name(file).read_text("utf-8").splitlines():
        store = json.loads(line)
        counts = read(store)
        total += counts
        settled = sum(n for (_, found), n in counts.items() if found != "uncertain")
        right = sum(n for (label, found), n in counts.items() if label == found)
        print(f"{store['task']:18}{store['style']:12}{counts.total():4} facts, {settled:3} settled, {right:3} right")
    settled = sum(n for (_, found), n in total.items() if found != "uncertain")
    right = sum(n for (label, found), n in total.items() if label == found)
    open_, agree = wilson(total.total() - settled, total.total()), wilson(right, settled)
    print(f"uncertain {1 - settled / total.total():.1%} [{open_.low:.1%}-{open_.high:.1%}] of {total.total()}")
    print(f"right {right / settled:.1%} [{agree.low:.1%}-{agree.high:.1%}] of the {settled} settled")
    print({f"{label} -> {found}": n for (label, found), n in sorted(total.items())})


if __name__ == "__main__":
    for name in STORES:
        print(name)
        report(name)
