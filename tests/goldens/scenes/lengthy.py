"""The same at length: more rows, more seeds, every system. Played only where all scenes are asked for."""

from __future__ import annotations

import json

from goldens.play import FOUR, asked_models, big, rows, show, tasks
from goldens.stage import Scene


@big
def rows_at_length(s: Scene) -> None:
    """Rows as many and as long as the papers have them, and more seeds."""
    rows(s, "memfail", "")
    rows(s, "meme", "--rows 4 --filler 32k", seeds=("42",))
    rows(s, "meme/expedition", "--rows 2 --filler 8k --option phrasing=implicit", seeds=("42",))
    rows(s, "longmemeval/oracle", "")
    rows(s, "longmemeval", "--rows 12", seeds=("42",))
    rows(s, "longmemeval/m", "--rows 2", seeds=("42",))
    for task in "sh-docqa mh-docqa longmemeval eventqa icl recommendation summarization detective".split():
        length = "--length 200k" if task in ("recommendation", "eventqa") else ""
        rows(s, f"memoryagentbench/{task}", length, seeds=("42",))
    seeds = [str(seed) for seed in range(100, 106)]
    rows(s, "memfail", "--rows 25", "memfail-more", seeds)
    rows(s, "meme", "--rows 3 --filler none", "meme-more", seeds)
    rows(s, "longmemeval/oracle", "--rows 60", "longmemeval-more", seeds)


@big
def rows_factconsolidation(s: Scene) -> None:
    """Numbered facts at many seeds and lengths. How near a context comes to its length may change at a few of them."""
    for kind in ("sh", "mh"):
        task = f"memoryagentbench/factconsolidation-{kind}"
        rows(s, task, "", f"{kind}-262k", seeds=("42",))
        for length in ("1k", "6k", "32k"):
            rows(s, task, f"--rows 20 --length {length}", f"{kind}-{length}", [str(seed) for seed in range(8)])


@big
def triage(s: Scene) -> None:
    """The default run."""
    s.cli("run --out a --parallel 1 -q")
    s.run("a")
    s.page("report", "a/report.html")
    show(s, "a", "task family system k probe fact store latency N", tables="task probe")


@big
def suites_at_length(s: Scene) -> None:
    """Every suite with more rows and every system that needs no model."""
    systems = f"{FOUR} --system hybrid --system none --system full-context --system gold-facts --parallel 1 -q"
    rules = "facts:summarise=rules notes:summarise=rules graph:summarise=rules struct:summarise=rules lme"
    more = " ".join(
        f"--system {name}" for name in f"{rules} bm25:granularity=sentence dense:granularity=session".split()
    )
    for name, suite in {
        "memfail": "memfail --rows 12",
        "meme": "meme --rows 2 --filler 3000",
        "expedition": "meme/expedition --rows 2 --filler none --option phrasing=none",
        "longmemeval": "longmemeval --rows 14 --sessions 6",
        "memoryagentbench": "memoryagentbench --rows 6 --length 6k",
    }.items():
        s.cli(f"run --suite {suite} {systems} {more} --k 3,10 --out {name} --seed 11", code=None)
        s.run(name)
        for by in "task family system k probe fact store latency".split():
            s.view(f"{name}-{by}", f"show {name} --by {by} --json")
    for name in ("longmemeval", "memoryagentbench"):
        s.view(f"{name}-measure", f"show {name} --by measure --json")


@big
def models_at_length(s: Scene) -> None:
    """Every suite answered and judged, with designs that write with a model among the systems."""
    models = f"{asked_models(s)} --internal {s.model('writer', 'memory')} --parallel 1 -q --no-report"
    names = "bm25 dense oracle gold-facts none facts notes graph struct mdfile wiki lme memorybank ld-agent memwalker"
    systems = " ".join(f"--system {name}" for name in names.split())
    kinds = (
        "sh-docqa mh-docqa longmemeval eventqa icl summarization detective factconsolidation-sh factconsolidation-mh"
    )
    for name, suite in {
        "memfail": "--suite memfail --rows 6",
        "meme": "--suite meme --rows 2 --filler none",
        "longmemeval": "--suite longmemeval/oracle --rows 20",
        "memoryagentbench": f"{tasks(kinds)} --rows 3 --length 4k",
    }.items():
        s.cli(f"run {suite} {systems} --k 3 {models} --out {name} --seed 12", code=None)
        s.run(name)
        s.view(f"{name}-task", f"show {name} --json")
        s.view(f"{name}-outcome", f"show {name} --by outcome --json")
        s.view(f"{name}-cost", f"show {name} --by cost --json")
        s.heard(name)
        s.view(f"{name}-explain", f"explain {name} --failed --limit 40 --json {asked_models(s)}")
        s.heard(f"{name}-explain")
        s.cli(f"judge {name} --judge {s.model('strict')} --paper-exact --out {name}-exact -q --no-report", code=None)
        s.run(f"{name}-exact")
        s.heard(f"{name}-exact")


@big
def calibration_at_length(s: Scene) -> None:
    s.view("memfail", "calibrate --json")
    s.view("meme", "calibrate --suite meme --rows 3 --json")
    s.view("longmemeval", "calibrate --suite longmemeval/oracle --rows 40 --json")
    s.view("judge", f"calibrate --rows 10 --per-kind 4 --judge {s.model('judge')} --json", code=None)
    exact = f"calibrate --rows 4 --per-kind 2 --paper-exact --judge {s.model('strict')} --json"
    s.view("judge-exact", exact, code=None)
    s.heard("judge")


@big
def time_ranges(s: Scene) -> None:
    """Many questions about times, read by rules, and many answers graded by words."""
    systems = "--system lme --system lme:value=facts --system bm25"
    s.cli(f"run --suite longmemeval/oracle --rows 150 {systems} --k 3 --out a --parallel 1 -q --no-report", code=None)
    s.run("a")
    s.cli("data generate longmemeval/oracle --rows 200 --seed 5 --out d -q")
    [data] = s.files("d/longmemeval_*.json")
    questions = json.loads(data.read_bytes())
    golds = [str(question["answer"]) for question in questions]
    said = [(gold, f"I think it is {gold}.", golds[n - 1], "I don't know.", "7")[n % 5] for n, gold in enumerate(golds)]
    s.write(
        "h.jsonl", [{"question_id": q["question_id"], "hypothesis": a} for q, a in zip(questions, said, strict=True)]
    )
    s.view("score", f"score longmemeval h.jsonl --data {data} --json", code=None)


@big
def checks(s: Scene) -> None:
    """Every system is served fairly, and what it saves it can load."""
    writer = s.model("writer", "memory")
    for name in "none echo gold-facts full-context bm25 dense hybrid oracle".split():
        s.view(name, f"check {name} --sessions 4 --json", code=None)
    for name in "facts notes graph struct mdfile wiki lme memorybank ld-agent memwalker".split():
        s.view(name, f"check {name} --sessions 4 --internal {writer} --json", code=None)
    s.heard("asked")


@big
def author_of_chats(s: Scene) -> None:
    """Chats that a model is to write, and that are told without one where it can't."""
    author = s.model("author", "schema")
    s.cli(f"data generate meme --rows 1 --filler none --model {author} --out d -q")
    s.rows("meme", "d")
    s.heard("asked")
