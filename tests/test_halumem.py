"""HaluMem: its files, what sessions should leave behind, and its own measures, worked out by hand."""

from __future__ import annotations

import copy
import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memtriage
from conftest import Cli
from memtriage.core.episode import Episode, Point, Session
from memtriage.core.errors import BadInput
from memtriage.core.point_check import MemoryScore, PointCheck, PointFinding
from memtriage.core.suite import Request
from memtriage.models.scripted import ContentReader, Reply, StubServer
from memtriage.models.scripted import Request as ModelRequest
from memtriage.suites.halumem.suite import SUITE
from memtriage.tables.points import points as rows_of
from test_memfail_pull import Site, site  # noqa: F401  (a fixture)


def point(text: str, kind: str = "Persona", weight: float = 1.0, **other: Any) -> dict[str, Any]:
    return {
        **{"index": 1, "memory_content": text, "memory_type": f"{kind} Memory", "memory_source": "primary"},
        **{"is_update": "False", "original_memories": [], "importance": weight},
        **other,
    }


HERON = "Odile Baptiste keeps a tame heron named Quill."
BAKERY = "Odile Baptiste bakes rye bread at the harbour bakery."
SISTER = "Odile Baptiste's sister Mirela lives in Bergen."
SKI = "Odile Baptiste skied in Chamonix every winter."
LIBRARY = "Odile Baptiste now works at the town library."
USER: dict[str, Any] = {
    "uuid": "u-1",
    "persona_info": "Name: Odile Baptiste; Gender: Female",
    "sessions": [
        {
            "start_time": "Sep 04, 2025, 09:00:00",
            "end_time": "Sep 04, 2025, 09:40:00",
            "dialogue": [
                {"role": "user", "content": "I'm Odile Baptiste. I keep a tame heron named Quill."},
                {"role": "assistant", "content": "A heron! Odile Baptiste skied in Chamonix every winter, I recall."},
                {"role": "user", "content": "I bake rye bread at the harbour bakery."},
                {"role": "assistant", "content": "Rye needs patience."},
            ],
            "memory_points": [
                point(HERON, "Persona", 1.0),
                point(BAKERY, "Event", 0.5),
                point(SKI, "Event", 0.5, memory_source="interference"),
            ],
            "questions": [
                {
                    **{"question": "Which bird does Odile keep?", "answer": "A heron.", "difficulty": "easy"},
                    **{"evidence": [{"memory_content": HERON}], "question_type": "Basic Fact Recall"},
                },
                {
                    **{"question": "What is Odile's blood type?", "answer": "Unknown.", "difficulty": "easy"},
                    **{"evidence": [], "question_type": "Memory Boundary"},
                },
            ],
        },
        {
            "start_time": "Oct 01, 2025, 18:00:00",
            "end_time": "Oct 01, 2025, 18:30:00",
            "is_generated_qa_session": True,
            "dialogue": [
                {"role": "user", "content": "Why is the sky blue?"},
                {"role": "assistant", "content": "Short waves are scattered more."},
            ],
            "memory_points": [],
        },
        {
            "start_time": "Nov 20, 2025, 12:00:00",
            "end_time": "Nov 20, 2025, 12:30:00",
            "dialogue": [
                {"role": "user", "content": "My sister Mirela lives in Bergen."},
                {"role": "assistant", "content": "Far north."},
                {"role": "user", "content": "I left the harbour bakery. I now work at the town library."},
                {"role": "assistant", "content": "Congratulations."},
            ],
            "memory_points": [
                point(SISTER, "Relationship", 0.25),
                point(LIBRARY, "Event", 0.75, is_update="True", original_memories=[BAKERY]),
            ],
            "questions": [
                {
                    **{"question": "Where does Odile work now?", "answer": "At the library.", "difficulty": "hard"},
                    **{"evidence": [{"memory_content": LIBRARY}], "question_type": "Dynamic Update"},
                },
                {
                    **{"question": "Which bird, and where is the sister?", "answer": "A heron; Bergen."},
                    **{"evidence": [{"memory_content": HERON}, {"memory_content": SISTER}]},
                    "question_type": "Multi-hop Inference",
                },
            ],
        },
    ],
}


def write(path: Path, *users: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(user) + "\n" for user in users or (USER,)), encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "HaluMem-Medium.jsonl")


def load(path: Path, rows: int | None = None, **options: str) -> tuple[list[Episode], dict[str, Any]]:
    loaded = SUITE.tasks[0].load(Request(data=path, rows=rows, options=options))
    return list(loaded.episodes), dict(loaded.provenance)


# ------------------------------------------------------------------ what a memory is told, should keep and is asked


def test_sessions_have_their_dates_and_questions_come_after_theirs(file: Path) -> None:
    (episode,), about = load(file)
    assert [(session.id, session.timestamp, len(session.turns)) for session in episode.sessions] == [
        ("s0", "2025-09-04T09:00", 4),
        ("s1", "2025-10-01T18:00", 2),
        ("s2", "2025-11-20T12:00", 4),
    ]
    asked = {probe.id: (probe.after, probe.asked_at, probe.scoring, probe.tags["type"]) for probe in episode.probes}
    assert asked == {
        "u-1/s0/q0": ("s0", "2025-09-04T09:40", "free", "Basic Fact Recall"),
        "u-1/s0/q1": ("s0", "2025-09-04T09:40", "abstain", "Memory Boundary"),
        "u-1/s2/q0": ("s2", "2025-11-20T12:30", "free", "Dynamic Update"),
        "u-1/s2/q1": ("s2", "2025-11-20T12:30", "free", "Multi-hop Inference"),
    }
    assert len({probe.instruction for probe in episode.probes}) == 1, "the type of a question must not show"
    assert (about["rows"], about["points"], about["located"], about["problems"]) == (1, 5, 5, [])


def test_a_point_stands_beside_the_words_in_which_it_was_said(file: Path) -> None:
    (episode,), _ = load(file)
    found = {fact.text: fact for fact in episode.facts if isinstance(fact, Point)}
    heron, ski, library = found[HERON], found[SKI], found[LIBRARY]
    said = episode.fact(heron.said)
    assert (heron.session, heron.kind, heron.importance, heron.wanted) == ("s0", "Persona Memory", 1.0, True)
    assert (said.turns, said.evidence) == (("s0/0",), ("I keep a tame heron named Quill.",))
    assert (ski.wanted, episode.fact(ski.said).turns) == (False, ("s0/1",)), "the assistant put it forward"
    assert heron.turns == (), "nobody said it in these words"
    assert library.replaces == (BAKERY,)


def test_questions_need_their_points_in_either_wording_and_know_what_is_outdated(file: Path) -> None:
    (episode,), _ = load(file)
    bird, blood, work, both = episode.probes
    assert bird.sufficient == (("s0/p0/said",), ("s0/p0",), ("s0/p0/own",))
    assert episode.fact("s0/p0/own").text == "I keeps a tame heron named Quill."
    assert bird.targets == ("s0/0",)
    assert (blood.sufficient, blood.tags["judged_as"]) == ((), "halumem/untold")
    assert len(both.sufficient) == 9
    assert {old.fact for old in work.outdated} == {"s0/p1", "s0/p1/said", "s0/p1/own"}
    assert {void for old in work.outdated for void in old.voided_by} == {"s2/p1", "s2/p1/said", "s2/p1/own"}


def test_a_point_that_no_message_tells_has_no_words_and_its_question_no_facts(tmp_path: Path) -> None:
    odd = copy.deepcopy(USER)
    vague = "Odile Baptiste radiates contentment regarding avian companionship."
    odd["sessions"][0]["memory_points"][0] = point(vague)
    odd["sessions"][0]["questions"][0]["evidence"] = [{"memory_content": vague}]
    odd["sessions"][2]["questions"][1]["evidence"] = [{"memory_content": "Something else."}]
    (episode,), about = load(write(tmp_path / "a.jsonl", odd))
    assert (about["points"], about["located"]) == (5, 4)
    assert episode.probes[0].sufficient == episode.probes[3].sufficient == ()
    (problem,) = about["problems"]
    assert "session 2, question 1: 1 of its evidence is no memory point so far" in problem


def test_many_points_are_not_combined_without_end(tmp_path: Path) -> None:
    many = copy.deepcopy(USER)
    texts = [f"Odile Baptiste owns the boat number {n} in the harbour." for n in range(9)]
    first = many["sessions"][0]
    first["dialogue"] += [{"role": "user", "content": f"I own the boat number {n} in the harbour."} for n in range(9)]
    first["memory_points"] += map(point, texts)
    first["questions"][0]["evidence"] = [{"memory_content": text} for text in texts]
    (episode,), _ = load(write(tmp_path / "a.jsonl", many))
    assert [len(ids) for ids in episode.probes[0].sufficient] == [9, 9, 9]


def test_the_ceiling_is_one_and_the_floor_nothing(file: Path, tmp_path: Path) -> None:
    run = memtriage.run("oracle", "none", suite="halumem", data=file, k=9, out=tmp_path / "r")
    verdicts = {(v.system, v.probe[-5:]): v.verdict for v in run.verdicts()}
    assert [verdicts["oracle", id] for id in ("s0/q0", "s2/q0", "s2/q1", "s0/q1")] == ["correct"] * 3 + ["n/a"]
    assert [verdicts["none", id] for id in ("s0/q0", "s2/q0", "s2/q1", "s0/q1")] == ["not_stored"] * 3 + ["n/a"]


# ------------------------------------------------------------------ HaluMem's measures


class Notes:
    """Writes what a script says after each session."""

    script: ClassVar[Mapping[str, list[str]]] = {}

    def __init__(self) -> None:
        self.kept: list[str] = []

    def store_conversation(self, conversation: Session) -> None:
        self.kept += self.script.get(conversation.id, [])

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[str]:
        return self.kept[:k]

    def get_all_memories(self) -> list[str]:
        return self.kept


class Good(Notes):
    script: ClassVar[Mapping[str, list[str]]] = {"s0": [HERON, BAKERY], "s2": [SISTER, LIBRARY]}


class Late(Notes):
    """Tells the false point, forgets the sister, keeps nothing of the last session, and the heron too late."""

    script: ClassVar[Mapping[str, list[str]]] = {"s0": [BAKERY, SKI], "s1": [HERON]}


def measured(cli: Cli, *arguments: str, code: int = 0) -> dict[str, Any]:
    return {row["system"]: row for row in json.loads(cli("points", *arguments, "--json", code=code).out)["rows"]}


def test_recall_weight_resistance_and_updates_are_what_one_counts_by_hand(cli: Cli, file: Path) -> None:
    memtriage.run({"good": Good, "late": Late}, "none", suite="halumem", data=file, k=5, out="r")
    found = measured(cli, "r")
    good, late, none = found["good"], found["late"], found["none"]
    # wanted points that are no update: heron 1, bakery 0.5, sister 0.25; one false point; one update
    assert [good["recall"][name] for name in ("hits", "open", "n")] == [3, 0, 3]
    assert (good["weighted"]["least"], good["weighted"]["most"]) == (1.0, 1.0)
    assert [good["resistance"][name] for name in ("hits", "n")] == [1, 1]
    assert good["updates"]["counts"]["correct"] == 1
    assert [late["recall"][name] for name in ("hits", "open", "n")] == [1, 0, 3], "the heron came after its session"
    assert late["weighted"]["least"] == late["weighted"]["most"] == pytest.approx(0.5 / 1.75)
    assert [late["resistance"][name] for name in ("hits", "n")] == [0, 1]
    assert late["updates"]["counts"]["omitted"] == 1
    assert late["kinds"]["Event Memory"]["hits"] == 1
    assert [none["recall"]["hits"], none["resistance"]["hits"], none["updates"]["counts"]["omitted"]] == [0, 1, 1]
    assert none["accuracy"] == {"least": None, "most": None, "n": 0}
    assert good["f1"] is None, "target accuracy takes a judge"
    assert 0 < good["recall"]["low"] < 1 == good["recall"]["high"]


class Renamed(Notes):
    """Calls the user "the user", and has the wrong place of work."""

    script: ClassVar[Mapping[str, list[str]]] = {
        "s0": ["The user keeps a tame heron named Quill.", "The user bakes rye bread at the station kiosk."],
        "s2": ["The user's sister Mirela lives in Bergen."],
    }


def test_the_name_of_the_user_makes_no_difference_but_a_place_does(cli: Cli, file: Path) -> None:
    memtriage.run({"renamed": Renamed}, suite="halumem", data=file, k=5, out="r")
    (row,) = measured(cli, "r").values()
    assert row["kinds"]["Persona Memory"]["hits"] == 1
    assert row["recall"]["hits"] + row["recall"]["open"] <= 3
    assert row["kinds"]["Event Memory"]["hits"] == 0, "a kiosk is no bakery"
    assert row["updates"]["counts"]["correct"] == 0


def test_planted_faults_are_found_where_they_were_planted(cli: Cli, file: Path) -> None:
    told = cli("calibrate", "--suite", "halumem", "--data", str(file), "--style", "none").out
    assert "false alarms 0.0 %" in told


def test_stores_that_keep_the_words_themselves_are_seen_too(cli: Cli, file: Path) -> None:
    memtriage.run("bm25", suite="halumem", data=file, k=5, out="r")
    (row,) = measured(cli, "r").values()
    assert [row["recall"][name] for name in ("hits", "open", "n")] == [3, 0, 3]
    assert row["resistance"]["hits"] == 0, "it keeps what the assistant said as well"
    assert row["updates"]["counts"]["correct"] == 1
    assert row["accuracy"]["least"] == 1.0
    told = cli("show", "r", "--by", "points").out
    assert "recall" in told
    assert "Relationship Memory" in told
    assert json.loads(cli("show", "r", "--by", "points", "--json").out)["rows"] == [row]
    lines = list(csv.DictReader(cli("show", "r", "--by", "points", "--csv").out.splitlines()))
    (recall,) = (line for line in lines if line["measure"] == "recall")
    assert [recall[name] for name in ("system", "hits", "n", "least")] == ["bm25", "3", "3", "1.0"]


def test_what_no_message_tells_stays_open_and_widens_the_bounds(cli: Cli, tmp_path: Path) -> None:
    odd = copy.deepcopy(USER)
    odd["sessions"][0]["memory_points"][0] = point("Odile Baptiste radiates contentment regarding avian companionship.")
    memtriage.run("bm25", suite="halumem", data=write(tmp_path / "a.jsonl", odd), k=5, out="r")
    (row,) = measured(cli, "r").values()
    assert [row["recall"][name] for name in ("hits", "open", "n")] == [2, 1, 3]
    assert (row["recall"]["least"], row["recall"]["most"]) == (pytest.approx(2 / 3), 1.0)
    assert row["weighted"]["least"] == pytest.approx(0.75 / 1.75)
    assert row["weighted"]["most"] == 1.0


class Judging:
    """A judge that looks for words: a point is kept if a memory names its last word."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, Any]] = []

    def __call__(self, request: ModelRequest) -> Reply | Mapping[str, Any]:
        text = request.messages[-1][1]
        data = json.loads(text[text.index("\n") : text.rindex("\n")])
        if "items" not in data:
            return ContentReader()(request)
        self.asked.append(data)
        return {"results": [{"id": item["id"], "reason": "so", **self.ruled(data, item)} for item in data["items"]]}

    def ruled(self, data: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
        match data["stage"]:
            case "point_kept":
                return {"label": "part" if any("Bergen" in memory for memory in item["memories"]) else "nothing"}
            case "point_updated":
                return {
                    "label": "hallucinated" if any("museum" in memory for memory in item["memories"]) else "omitted"
                }
            case "memory_accurate":
                return {"label": "nothing" if "museum" in item["memory"] else "whole", "about_points": True}
        return {"label": "correct" if item["gold"] == "A heron." else "omitted"}


class Wrong(Notes):
    """Has the sister's town and nothing else of her, and moves the new job to a museum."""

    script: ClassVar[Mapping[str, list[str]]] = {
        "s0": [HERON, BAKERY],
        "s2": ["Relatives are in Bergen.", "Odile Baptiste now works at the town museum."],
    }


def test_a_judge_settles_the_rest_and_tells_target_f1_and_answers(cli: Cli, file: Path) -> None:
    judge = Judging()
    with StubServer(judge) as server:
        address = f"{server.url}#m"
        memtriage.run({"wrong": Wrong}, suite="halumem", data=file, k=5, answer=address, out="r")
        (by_words,) = measured(cli, "r").values()
        (row,) = measured(cli, "r", "--judge", address, "--cache", "c.db").values()
    assert (by_words["recall"]["hits"], by_words["updates"]["counts"]["correct"]) == (2, 0), "a museum is no library"
    assert (row["recall"]["hits"], row["recall"]["open"]) == (2, 0)
    assert {outcome: n for outcome, n in row["updates"]["counts"].items() if n} == {"hallucinated": 1}
    assert row["accuracy"] == {"least": 0.75, "most": 0.75, "n": 4}
    assert row["target"]["least"] == 0.75
    assert row["f1"] == pytest.approx(2 * 0.75 * (2 / 3) / (0.75 + 2 / 3))
    assert row["answers"]["5"]["counts"] == {"correct": 1, "hallucinated": 0, "omitted": 3, "open": 0}
    stages = {data["stage"] for data in judge.asked}
    assert {"point_updated", "memory_accurate", "answer_outcome"} <= stages
    (update,) = (data for data in judge.asked if data["stage"] == "point_updated")
    assert update["items"][0]["before"] == [BAKERY]
    known = [data["session"] for data in judge.asked if data["stage"] == "memory_accurate"]
    assert all(len(session) == 4 for session in known), "each memory is held against the session it came with"


def test_what_could_not_be_judged_stays_open_and_is_an_error(cli: Cli, file: Path) -> None:
    memtriage.run({"wrong": Wrong}, suite="halumem", data=file, k=5, out="r")
    with StubServer(lambda request: {"results": []}) as server:
        row = measured(cli, "r", "--judge", f"{server.url}#m", "--no-cache", code=1)["wrong"]
    assert row["f1"] is None
    assert row["updates"]["counts"]["hallucinated"] == 0


def test_a_run_without_points_is_refused_with_a_reason(cli: Cli) -> None:
    cli("run", "--suite", "memfail/persona", "--rows", "2", "--system", "none", "--out", "r", "-q")
    assert "HaluMem's do" in cli("points", "r", code=1).err
    assert "HaluMem's do" in cli("show", "r", "--by", "points", code=1).err


FOUND = st.builds(
    lambda score, weight, wanted, update: PointFinding(
        Point(
            *("p", "A text.", (), ()),
            **{"session": "s", "kind": "k", "importance": weight, "wanted": wanted},
            replaces=("old",) if update and wanted else (),
        ),
        *score,
    ),
    st.sampled_from([(0, 0), (0, 1), (0, 2), (1, 1), (2, 2)]),
    st.floats(0, 1),
    st.booleans(),
    st.booleans(),
)


@given(st.lists(FOUND, max_size=20), st.lists(st.sampled_from([(0, 0), (0, 1), (0, 2), (1, 1), (2, 2)]), max_size=9))
def test_measures_lie_between_their_bounds(found: list[PointFinding], scores: list[tuple[int, int]]) -> None:
    points = tuple(one for one in found if not one.point.replaces)
    updates = tuple(one for one in found if one.point.replaces)
    memories = tuple(MemoryScore(str(n), "s", low, high, True) for n, (low, high) in enumerate(scores))
    (row,) = rows_of([PointCheck("s", "s/t", "x", "e", points=points, updates=updates, memories=memories)])
    for measure in (row.recall, row.weighted, row.resistance, row.accuracy, row.target, *row.kinds.values()):
        if measure.least is not None and measure.most is not None:
            assert -1e-9 <= measure.least <= measure.most + 1e-9 <= 1 + 2e-9
    assert sum(row.updates.counts.values()) == len(updates)
    settled = [one for one in points if one.point.wanted]
    if settled and not any(one.open for one in settled):
        assert row.recall.least == row.recall.most == sum(one.low == 2 for one in settled) / len(settled)
    unwanted = [one for one in points if not one.point.wanted]
    assert row.resistance.hits == sum(one.high == 0 for one in unwanted)
    assert row.resistance.open == sum(one.low == 0 < one.high for one in unwanted)
    if row.f1 is not None:
        assert 0 <= row.f1 <= 1


# ------------------------------------------------------------------ files


Change = Callable[[dict[str, Any]], object]
PARTS: list[tuple[Change, str]] = [
    (lambda u: u["sessions"][0].update(start_time="soon"), "session 0: its date can't be read; it has none"),
    (lambda u: u["sessions"][0]["memory_points"].append({}), "point 3: it has no memory_content; it was left out"),
    (lambda u: u["sessions"][0]["memory_points"][0].update(importance=7), "its importance is '7', not between 0 and 1"),
    (lambda u: u["sessions"][0]["questions"].append({"question": "Why?"}), "question 2: it has no answer"),
    (lambda u: u["sessions"].append("x"), "session 3: it is no object with a dialogue"),
]


@pytest.mark.parametrize(("change", "message"), PARTS)
def test_what_is_wrong_with_a_part_is_named_and_the_rest_used(change: Change, message: str, tmp_path: Path) -> None:
    bad = copy.deepcopy(USER)
    change(bad)
    (episode,), about = load(write(tmp_path / "a.jsonl", bad))
    assert len(episode.probes) == 4
    (problem,) = about["problems"]
    assert f"{tmp_path / 'a.jsonl'}, line 1 (u-1), session" in problem
    assert message in problem


def test_broken_lines_and_twins_are_named_and_the_next_one_used(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", 7, {"uuid": "x", "sessions": []}, USER, USER, {**USER, "uuid": "u-2"})
    path.write_text("{\n" + path.read_text())
    episodes, about = load(path)
    assert [episode.id for episode in episodes] == ["u-1", "u-2"]
    found = about["problems"]
    for place, part in enumerate(("line 1 is no JSON", "no user with a list", "nothing is said", "twice")):
        assert part in found[place]
    assert load(path, rows=1)[0] == episodes[:1]
    with pytest.raises(BadInput, match="memtriage data pull halumem"):
        load(write(tmp_path / "b.jsonl", []))


def test_a_question_before_anything_was_said_is_not_asked(tmp_path: Path) -> None:
    odd = copy.deepcopy(USER)
    odd["sessions"][0]["dialogue"] = []
    (episode,), about = load(write(tmp_path / "a.jsonl", odd))
    assert [probe.id for probe in episode.probes] == ["u-1/s2/q0", "u-1/s2/q1"]
    assert "asks before anything was said" in about["problems"][0]


def test_without_a_file_one_sentence_says_what_to_do(cli: Cli, file: Path) -> None:
    run = ("run", "--suite", "halumem", "--system", "none", "--out", "r")
    assert "memtriage data pull halumem" in cli(*run, code=1).err
    assert "memtriage data pull halumem" in cli("data", "generate", "halumem", "--out", "d", code=1).err
    Path("empty").mkdir()
    for data in ("nowhere", "empty"):
        assert "memtriage data pull halumem" in cli(*run, "--data", data, code=1).err
    assert "HaluMem-Long.jsonl" in cli(*run, "--data", str(file.parent), "--size", "long", code=1).err
    assert "medium" in cli(*run, "--data", str(file), "--size", "mediun", code=1).err


def test_validate_and_stats_read_the_file(cli: Cli, file: Path) -> None:
    assert "1 row, ok" in cli("data", "validate", str(file), "--suite", "halumem").out
    told = cli("data", "stats", "halumem", "--data", str(file.parent)).out
    assert "interference" in told
    assert "Dynamic Update" in told
    file.write_text("{")
    assert "is no JSON" in cli("data", "validate", str(file), "--suite", "halumem", code=1).out


def test_the_file_is_pulled_checked_and_noted(cli: Cli, site: Site, file: Path) -> None:  # noqa: F811
    where = "/datasets/IAAR-Shanghai/HaluMem/resolve/main/HaluMem-Medium.jsonl"
    site.files[where] = file.read_bytes()
    cli("data", "pull", "halumem", "--endpoint", site.url, "--out", "d", "-q")
    (note,) = json.loads(Path("d/pull.json").read_text())["files"]
    assert [note[name] for name in ("users", "sessions", "points", "questions")] == [1, 3, 5, 4]
    assert len(load(Path("d"))[0]) == 1
    site.files[where] = b"<html>"
    assert (
        "is not a file of HaluMem" in cli("data", "pull", "halumem", "--endpoint", site.url, "--out", "e", code=1).err
    )


def test_hostile_texts_reach_neither_terminal_nor_page(cli: Cli, tmp_path: Path) -> None:
    evil = copy.deepcopy(USER) | {"uuid": "../../x\x1b[31m<script>alert(1)</script>"}
    evil["sessions"][0]["memory_points"][0]["memory_type"] = "\x1b[31m<script>alert(1)</script>"
    told = cli(
        *("run", "--suite", "halumem", "--data", str(write(tmp_path / "a.jsonl", evil))),
        *("--system", "bm25", "--k", "2", "--out", "r"),
    )
    shown = cli("points", "r")
    assert "\x1b" not in told.out + told.err + shown.out
    assert "<script>alert(1)" not in Path("r/report.html").read_text()
