"""What can be had from Python, a line of JSON each."""

import inspect
import json

from mine import Every

import memtriage


def told(*values):
    print(json.dumps(values, default=str))


told(sorted(memtriage.__all__))
for name in ("run", "resume", "load"):
    told(name, str(inspect.signature(getattr(memtriage, name))))
for name in ("Episode", "Fact", "Memory", "Probe", "Session", "Turn"):
    told(name, [str(each) for each in inspect.signature(getattr(memtriage, name)).parameters])
run = memtriage.run(
    Every(),
    {"three": Every(3), "sentences": "bm25:granularity=sentence"},
    "bm25",
    suite="memfail/long-hop",
    k=[2, 4],
    rows=4,
    seed=5,
    out="p",
)
told(run.table())
told(run.probes)
told(run.errors, run.stopped, run.notes, run.problems, run.notices, run.unfinished, run.cost)
again = memtriage.load("p")
told(again.table() == run.table())
told(memtriage.resume("p", {"Every": Every(), "three": Every(3), "sentences": "bm25:granularity=sentence"}).table())
judged = memtriage.run(
    "bm25",
    suite=["memfail/persona", "memfail/coexisting"],
    k=2,
    rows=2,
    answer="openai/reader",
    judge="openai/judge",
    repeats=2,
    out="q",
)
told(judged.table(), judged.probes, judged.cost, judged.notices)
