"""Data from files, sweeps, calibration, and other people's traces."""

from __future__ import annotations

import json

from goldens.play import scene
from goldens.stage import Scene


@scene
def files(s: Scene) -> None:
    """Generated files read back, with and without what only this project writes into them."""
    s.cli("data generate memfail --rows 3 --seed 9 --out d/memfail -q")
    s.cli("run --suite memfail --data d/memfail --rows 2 --system bm25 --k 2 --out memfail -q --no-report")
    s.run("memfail")
    s.cli("data generate meme --rows 1 --filler 1000 --seed 9 --out d/meme -q")
    s.cli("run --suite meme --data d/meme --filler 1k --system bm25 --k 3 --out meme -q --no-report")
    s.run("meme")
    s.cli("data generate longmemeval --rows 12 --sessions 4 --seed 9 --option pool=40 --out d/lme -q")
    [data] = s.files("d/lme/longmemeval_*.json")
    s.cli(f"run --suite longmemeval --data {data} --rows 10 --system bm25 --k 2 --out lme -q --no-report")
    s.run("lme")
    entries = json.loads(data.read_bytes())
    for entry in entries:
        entry.pop("memtriage")
    entries[0]["haystack_dates"][0] = "13th of May"
    entries[1].pop("answer")
    entries[2]["answer_session_ids"].append("nowhere")
    entries[3]["haystack_sessions"][0] = []
    released = s.write("longmemeval_s.json", entries)
    s.cli(f"run --suite longmemeval --data {released} --system bm25 --k 2 --out released -q --no-report", code=None)
    s.run("released")
    s.table("validate", f"data validate {released} --suite longmemeval", code=None)
    s.cli("data generate memoryagentbench --rows 2 --length 4k --seed 9 --out d/mab -q")
    s.cli("run --suite memoryagentbench --data d/mab --system bm25 --k 2 --out mab -q --no-report --chunk 256")
    s.run("mab")
    s.python("to_parquet.py")
    s.cli("run --suite memoryagentbench --data d/parquet --system bm25 --k 2 --out parquet -q --no-report")
    s.run("parquet")


@scene
def sweeps(s: Scene) -> None:
    sweep = "sweep --suite meme/personal-life --rows 1 --system bm25 --system dense --k 2,4 --filler none,1500"
    s.view("sweep", f"{sweep} --vary granularity=turn,session --out a -q --json")
    s.csv("sweep.csv", f"{sweep} --vary granularity=turn,session --out a -q --csv")
    s.view("show", "show a --json")
    s.table("show", "show a")
    s.text("sweep.json", s.path / "a" / "sweep.json")
    s.keep("runs", "files", {"files": [str(f.relative_to(s.path)) for f in s.files("a/*/run.json")]}, "")
    models = f"--vary judge={s.model('judge')},{s.model('strict')} --answer {s.model('reader')}"
    study = f"sweep --suite memfail/persona --rows 2 --system bm25 --k 2 --ceiling --vary seed=1,2 {models}"
    s.view("dry-run", f"{study} --out b --dry-run --json")
    s.view("judged", f"{study} --out b -q --json")


@scene
def calibration(s: Scene) -> None:
    s.view("calibrate", "calibrate --rows 8 --json")
    s.table("calibrate", "calibrate --suite memfail/persona --rows 6 --rate 0.8 --granularity sentence -q")
    s.view("calibrate-meme", "calibrate --suite meme/personal-life --rows 1 --seed 3 --json")
    judge = f"calibrate --suite memfail --rows 2 --per-kind 1 --judge {s.model('judge')}"
    s.view("judge", f"{judge} --json", code=None)
    s.table("judge", f"{judge} -q", code=None)
    s.heard("judge")


def _traces(choices: int) -> list[dict[str, object]]:
    """Traces of somebody else: a store with something mangled, a lettered question, an error."""
    letters = "ABCDEFGH"[:choices]
    kept = ["Nora naps below 12 degrees.", "Nora plays the cello.", "Odo rows on Mondays only."]
    naps = {"text": "Nora naps only below 10 degrees.", "details": ["below 10 degrees", "naps"], "subject": "Nora"}
    cello = {"text": "Nora plays the cello.", "details": ["the cello"], "subject": "Nora", "id": "c"}
    rows = {"text": "Odo rows on Mondays only.", "details": ["on Mondays only", "rows"], "subject": "Odo"}
    asked = {"question": "Which instrument?", "facts": [cello], "choices": [f"option {a}" for a in letters]}
    return [
        {"store": "s1", "memories": kept, "conversations": ["Nora naps only below 10 degrees. Nora plays the cello."]},
        {"probe": "q1", "question": "Will Nora nap?", "store": "s1", "k": 1, "retrieved": kept[1:2], "facts": [naps]},
        {
            "probe": "q2",
            "question": "What and when?",
            "store": "s1",
            "k": 2,
            "retrieved": kept[:2],
            "facts": [cello, rows],
        },
        {
            "probe": "q3",
            "question": "When?",
            "retrieved": kept,
            "facts": [rows],
            "gold": "on Mondays",
            "tags": {"N": "1"},
        },
        {"probe": "q4", "question": "When?", "retrieved": [], "facts": [rows], "error": "it broke", "system": "other"},
        {"probe": "q5", "retrieved": kept, "answer": letters[-2], "correct_choice": letters[-2], **asked},
        {"probe": "q6", "retrieved": kept, "answer": f"It is ({letters[0]}).", "correct_choice": letters[-2], **asked},
        {
            "probe": "q7",
            "question": "Either?",
            "store": "s1",
            "k": 1,
            "retrieved": [{"text": kept[1], "id": "m", "score": 0.5}],
            "facts": [cello, {**rows, "id": "r"}],
            "sufficient": [["c"], ["r"]],
        },
    ]


def _diagnosed(s: Scene, choices: int) -> None:
    s.write("traces.jsonl", _traces(choices))
    for by in ("task", "system", "probe", "fact"):
        s.view(f"by-{by}", f"diagnose traces.jsonl --by {by} --json", code=None)
    s.table("by-fact", "diagnose traces.jsonl --by fact --out found", code=None)
    s.verdicts("found", s.path / "found")
    s.page("report", "found/report.html")


@scene
def traces(s: Scene) -> None:
    _diagnosed(s, 4)


@scene
def traces_of_eight_letters(s: Scene) -> None:
    """Letters beyond E, which may come to be read."""
    _diagnosed(s, 8)
