"""Published stores: a MEME episode traced through several systems, stage by stage, as in the paper's figure 4."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Place
from test_meme_files import hub, saved

DEP = "I train at Hall Nine, as it is near Fennick; if I move, this changes."
RULE = "If my residence changes, I will train at Dune Gym."
CHANGE = "I have just moved to Ostrava Quay."
NOW = "The fitness facility is now Dune Gym."
ASKED = "Where do I train?"


def store(system: str, before: Sequence[str], after: Sequence[str]) -> dict[str, Any]:
    looks = [{"after": "f6", "memories": list(before)}, {"after": "ev7", "memories": list(after)}]
    return {"store": system, "episode": "pl_901", "system": system, "snapshots": looks}


def asked(store: str, *retrieved: str, moment: str = "after", **more: Any) -> dict[str, Any]:
    return {"store": store, "question": ASKED, "moment": moment, "retrieved": list(retrieved), "k": 2, **more}


def before(store: str) -> dict[str, Any]:
    return asked(store, DEP, moment="before", answer="Hall Nine", right=True)


LINES = [
    store("graph", [DEP, RULE], [DEP, RULE, CHANGE]),
    before("graph"),
    asked("graph", DEP, RULE, answer="Hall Nine", right=False),
    store("wiki", [DEP, RULE], [DEP, CHANGE]),
    before("wiki"),
    asked("wiki", DEP, CHANGE, answer="Hall Nine", right=False),
    store("vectors", [DEP, RULE], [DEP, RULE, CHANGE]),
    before("vectors"),
    asked("vectors", RULE, CHANGE, answer="Hall Nine", right=False),
    store("file", [DEP, RULE], [NOW, CHANGE]),
    before("file"),
    asked("file", NOW, answer="Dune Gym", right=True),
    store("forgetful", ["Nothing much."], ["Nothing much."]),
    asked("forgetful", "Nothing much.", answer="I don't know", right=False),
]


@pytest.fixture
def files(place: Place) -> Place:
    saved(place.path / "meme_filler32k.json", hub())
    return place


def written(place: Place, lines: Sequence[object]) -> str:
    place.write("stores.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    return "stores.jsonl"


def test_each_system_is_traced_through_the_stages_of_an_episode(files: Place, cli: Cli) -> None:
    command = ("diagnose", written(files, LINES), "--data", "meme_filler32k.json", "--suite", "meme", "--by", "stage")
    rows = json.loads(cli(*command, "--json").out)["rows"]
    way = {
        (row["system"], row["fact"]): tuple(row[s] for s in ("encoding", "maintenance", "retrieval", "answering"))
        for row in rows
        if row["task"] == "meme/cascade" and not row["outdated"]
    }
    rule, now = "rule/fitness_facility", "now/fitness_facility"
    assert way["graph", rule] == ("pass", "pass", "pass", "fail")
    assert way["graph", "change"] == ("pass", "pass", "fail", "fail")
    assert way["wiki", rule] == ("pass", "fail", "n/a", "fail")
    assert way["wiki", "change"] == ("pass", "pass", "pass", "fail")
    assert way["vectors", rule] == way["vectors", "change"] == ("pass", "pass", "pass", "fail")
    assert way["file", now] == ("pass", "pass", "pass", "pass")
    assert way["forgetful", "change"] == ("fail", "n/a", "n/a", "fail")
    outdated = {row["system"]: row["fact"] for row in rows if row["outdated"]}
    assert outdated == {"graph": "dep/fitness_facility"}, "with the change beside it, the old value is no trap"
    told = cli(*command).out
    assert "Where do I train? (Dune Gym)" in told
    assert "outdated: dep/fitness_facility" in told


def test_answers_before_and_after_are_settled_as_pairs(files: Place, cli: Cli) -> None:
    command = ("diagnose", written(files, LINES), "--data", "meme_filler32k.json")
    rows = json.loads(cli(*command, "--by", "probe", "--json").out)["rows"]
    found = {row["system"]: (row["verdict"], row["right"], row.get("tag_pair")) for row in rows if not _before(row)}
    assert found == {
        "graph": ("not_retrieved", False, "knew_but_failed"),
        "wiki": ("not_stored", False, "knew_but_failed"),
        "vectors": ("reasoning_error", False, "knew_but_failed"),
        "file": ("correct", True, "credited"),
        "forgetful": ("not_stored", False, None),  # nobody asked it before
    }
    missed = json.loads(cli(*command, "--by", "missed", "--json").out)["rows"]
    counts = {row["system"]: (row["change"], row["rule"], row["answering"]) for row in missed}
    assert counts["graph"] == (1, 0, 0)
    assert counts["wiki"] == (0, 1, 0)
    assert counts["vectors"] == (0, 0, 1)


def _before(row: dict[str, Any]) -> bool:
    return str(row["task"]) == "meme/before"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            {"store": "graph", "episode": "pl_902", "system": "g", "snapshots": [{"after": "f6", "memories": []}]},
            "twice",
        ),
        ({"store": "x", "episode": "pl_902", "system": "g", "snapshots": [{"after": "f6", "memories": []}]}, "pl_901"),
        (
            {"store": "x", "episode": "pl_901", "system": "g", "snapshots": [{"after": "f9", "memories": []}]},
            "no session",
        ),
        (store("x", [], []) | {"snapshots": store("x", [], [])["snapshots"][::-1]}, "in the order of the sessions"),
        (asked("nobody"), "'nobody' is not defined"),
        (asked("graph") | {"question": "What?"}, "has no question in these words"),
        (asked("graph") | {"probe": "pl_901/cascade/fitness"}, "did you mean 'pl_901/cascade/fitness_facility'"),
        (asked("graph"), "asked twice"),
        (asked("graph") | {"colour": "red"}, "colour"),
        ("x", "one JSON object"),
    ],
)
def test_a_wrong_line_is_named(files: Place, cli: Cli, line: object, said: str) -> None:
    seen = cli("diagnose", written(files, [*LINES, line]), "--data", "meme_filler32k.json", code=1)
    assert f"line {len(LINES) + 1}" in seen.err
    assert said in seen.err


def test_a_file_without_questions_and_data_without_episodes_are_refused(files: Place, cli: Cli) -> None:
    lone = written(files, LINES[:1])
    assert "holds no questions" in cli("diagnose", lone, "--data", "meme_filler32k.json", code=1).err
    other = ("--data", "meme_filler32k.json", "--suite", "meme/software-project")
    assert "holds no episodes of suite" in cli("diagnose", lone, *other, code=1).err


def test_the_page_and_the_verdicts_are_written(files: Place, cli: Cli) -> None:
    cli("diagnose", written(files, LINES), "--data", "meme_filler32k.json", "--out", "found")
    assert Path("found/verdicts.jsonl").exists()
    assert Path("found/report.html").exists()
