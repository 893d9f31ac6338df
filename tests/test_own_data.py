"""Your own data as a suite file: the example runs, all formats say the same, what is wrong is named with its place."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memtriage
from conftest import ROOT, Cli, Place
from memtriage import registry
from memtriage.core.episode import Episode, Outdated
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.suite import Request
from memtriage.core.trace import Usage
from memtriage.studies.optimize import Optimized, optimize
from memtriage.suites.own.documents import parse
from memtriage.suites.own.example import write_example
from memtriage.suites.own.suite import own_suite, validate_own

BOAT: dict[str, Any] = {
    "name": "boat",
    "sessions": [
        {"id": "mon", "date": "2026-03-02", "turns": [{"user": "Hello. My boat is red. It is old."}]},
        {"id": "tue", "date": "2026-03-03", "turns": [{"role": "assistant", "text": "Nice."}, "I painted it blue."]},
        {"id": "wed", "date": "2026-03-04T09:30", "turns": ["I sold the boat.", "My dog is called Pim."]},
    ],
    "facts": [
        {"id": "red", "evidence": "My boat is red.", "details": "red"},
        {"id": "blue", "evidence": "I painted it blue.", "details": ["blue"], "replaces": "red"},
        {"id": "sold", "evidence": "I sold the boat.", "details": ["sold"], "deletes": ["blue"]},
    ],
    "questions": [
        {"id": "then", "question": "Which colour is it?", "gold": "red", "facts": ["red"], "after": "mon"},
        {"id": "now", "question": "Which colour is it?", "gold": "blue", "facts": ["blue"], "date": "2026-03-03"},
        {"id": "gone", "question": "Which colour is it?", "scoring": "abstain", "facts": ["sold"]},
        {
            "id": "dog",
            "question": "What is the dog called?",
            "choices": ["Bo", "Pim"],
            "gold": "Pim",
            "facts": [{"evidence": "My dog is called Pim.", "details": ["Pim"]}],
        },
    ],
}


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    """Writes the small suite with some changes, each given as its place and its value."""

    def write(*changes: tuple[str, Any], name: str = "my.json") -> Path:
        values = json.loads(json.dumps(BOAT))
        for where, value in changes:
            *way, last = (int(part) if part.isdigit() else part for part in where.split("."))
            holder: Any = values
            for part in way:
                holder = holder[part]
            if isinstance(holder, list) and last == len(holder):
                holder.append(value)
            else:
                holder[last] = value
        file = tmp_path / name
        file.write_text(json.dumps(values))
        return file

    return write


def loaded(path: Path) -> Episode:
    (episode,) = own_suite(path).tasks[0].load(Request()).episodes
    return episode


# the example


def test_the_example_runs_as_it_is(cli: Cli, place: Place) -> None:
    cli("data", "new", "my.yaml")
    assert "ok" in cli("data", "validate", "my.yaml").out
    cli("run", "--suite", "my.yaml", "--system", "oracle", "--system", "none", "--k", "5", "--out", "r", "-q")
    rows = json.loads(cli("show", "r", "--json").out)["rows"]
    success = {(row["task"], row["system"]): row["success"] for row in rows}
    tasks = {"recall", "several-facts", "updates", "deletions", "never-told", "choices"}
    assert {task for task, _ in success} == {f"clinic-assistant/{task}" for task in tasks}
    for task in tasks - {"never-told"}:
        assert success[f"clinic-assistant/{task}", "oracle"] == 1.0
    assert success["clinic-assistant/never-told", "oracle"] is None
    for task in tasks - {"never-told", "deletions"}:
        assert success[f"clinic-assistant/{task}", "none"] == 0.0
    assert "what is asked" in cli("data", "stats", "my.yaml").out


@pytest.mark.parametrize("name", ["b.json", "b.jsonl"])
def test_the_example_says_the_same_in_every_format(tmp_path: Path, name: str) -> None:
    write_example(tmp_path / "a.yaml")
    write_example(tmp_path / name)
    yaml, other = (list(own_suite(tmp_path / each).tasks[0].load(Request()).episodes) for each in ("a.yaml", name))
    assert yaml == other


def test_an_example_is_never_written_over_something(cli: Cli, place: Place) -> None:
    place.write("my.yaml", "mine")
    assert "exists already" in cli("data", "new", "my.yaml", code=1).err
    assert "ends in .yaml" in cli("data", "new", "my.txt", code=1).err
    assert (place.path / "my.yaml").read_text() == "mine"


def test_the_page_shows_files_that_run(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "own-data.md").read_text(encoding="utf-8")
    found = []
    for language, text in re.findall(r"^```(yaml|toml|json)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        file = tmp_path / f"my.{'jsonl' if language == 'json' else language}"
        file.write_text(text, encoding="utf-8")
        found += list(own_suite(file).tasks[0].load(Request()).episodes)
    assert len(found) == 3
    assert len({(e.sessions, e.facts, tuple(p.text for p in e.probes)) for e in found}) == 1


# what becomes of a file


def test_facts_questions_and_what_is_outdated(saved: Callable[..., Path]) -> None:
    episode = loaded(saved())
    facts = {fact.id: fact for fact in episode.facts}
    assert facts["red"].turns == ("mon/1",)
    assert facts["red"].evidence == ("My boat is red.",)
    assert facts["red"].details == ("red",)
    assert facts["dog/1"].turns == ("wed/2",)
    probes = {probe.id: probe for probe in episode.probes}
    assert probes["then"].after == "mon"
    assert probes["then"].outdated == ()
    assert probes["now"].after == "tue"  # the last session on or before its date
    assert probes["now"].asked_at == "2026-03-03T23:59"
    assert probes["now"].outdated == (Outdated("red", ("blue",)),)
    assert probes["gone"].after is None
    assert probes["gone"].outdated == (Outdated("blue", ("sold",)), Outdated("red", ("blue", "sold")))
    assert (probes["gone"].scoring, probes["gone"].targets) == ("abstain", ())
    assert (probes["dog"].scoring, probes["dog"].correct_choice) == ("choice", "B")
    assert {probe.cluster for probe in episode.probes} == {"then", "now", "gone", "dog"}
    assert [turn.role for turn in episode.sessions[1].turns] == ["assistant", "user"]


def test_questions_that_share_a_fact_share_a_cluster(saved: Callable[..., Path]) -> None:
    both = {"id": "both", "question": "Which colours?", "gold": "red, blue", "facts": ["red", "blue"]}
    clusters = {probe.id: probe.cluster for probe in loaded(saved(("questions.4", both))).probes}
    assert clusters == {"then": "now", "now": "now", "both": "now", "gone": "gone", "dog": "dog"}


def test_evidence_in_mid_sentence_is_the_whole_sentence(saved: Callable[..., Path]) -> None:
    episode = loaded(saved(("facts.0.evidence", "boat  is\nred")))
    assert episode.facts[0].evidence == ("My boat is red.",)


def test_what_is_said_again_is_known_from_the_first_time(saved: Callable[..., Path]) -> None:
    episode = loaded(saved(("sessions.2.turns.2", "My boat is red.")))
    assert episode.facts[0].turns == ("mon/1", "wed/3")
    assert next(probe.after for probe in episode.probes if probe.id == "then") == "mon"
    assert own_suite(saved(("facts.0.evidence", ["My boat is red.", "Nice."]), ("questions.0.after", "tue")))
    with pytest.raises(BadInput, match="its fact 'red' is told in 'tue'"):
        own_suite(saved(("facts.0.evidence", ["My boat is red.", "Nice."])))


def test_a_kind_of_question_is_a_task_of_its_own(saved: Callable[..., Path]) -> None:
    file = saved(("questions.0.task", "early"))
    suite, (task,) = registry.tasks(f"{file}/early")
    assert [probe.id for episode in task.load(Request()).episodes for probe in episode.probes] == ["then"]
    assert [task.name for task in suite.select(None)] == ["boat/all"]
    (whole,) = suite.select(None)
    assert [p.id for e in whole.load(Request(rows=2)).episodes for p in e.probes] == ["then", "now"]
    with pytest.raises(BadInput, match="unknown task of suite boat 'erly'; did you mean 'early'"):
        registry.tasks(f"{file}/erly")


def test_tasks_are_listed_as_in_the_file_whenever_they_are_asked(cli: Cli, saved: Callable[..., Path]) -> None:
    tasks = ["zebra", "apple", "mango", "kiwi"]
    late = {**BOAT["questions"][3], "id": "first", "task": tasks[0]}
    asked = [{**row, "task": task} for row, task in zip(BOAT["questions"], tasks[1:], strict=False)]
    file = saved(("questions", [late, *asked]))
    cli("run", "--suite", str(file), "--system", "echo", "--k", "5", "--out", "r", "-q", "--no-report")
    rows = json.loads(cli("show", "r", "--json").out)["rows"]
    assert [row["task"] for row in rows] == [f"boat/{task}" for task in tasks]


def test_words_of_yaml_are_texts(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text(
        "sessions:\n- date: 2026-03-02\n  turns:\n  - user: It is no. 12, or 007.\n"
        "questions:\n- {question: Which?, gold: no, facts: [{evidence: 'It is no. 12, or 007.', details: [12, 007]}]}\n"
    )
    episode = loaded(tmp_path / "my.yaml")
    assert (episode.probes[0].gold, episode.facts[0].details) == ("no", ("12", "007"))
    assert episode.sessions[0].timestamp == "2026-03-02"


# everywhere a suite can be named


def test_a_run_needs_its_file_no_longer_and_can_be_verified(cli: Cli, saved: Callable[..., Path]) -> None:
    file = saved()
    run = ("run", "--suite", str(file), "--system", "bm25", "--k", "1", "--out", "r", "-q")
    cli(*run)
    manifest = json.loads(Path("r/run.json").read_text())
    assert (
        manifest["tasks"]["boat/questions"]["sha256"]
        == memtriage.load("r").manifest["tasks"]["boat/questions"]["sha256"]
    )
    file.unlink()
    os.mkfifo(file)  # whoever opened it would wait for ever
    cli("resume", "r", "-q")
    cli("verify", "r")
    cli("report", "r")
    assert "boat/questions" in cli("show", "r").out
    shutil.copytree("r", "elsewhere")
    assert "boat/questions" in cli("show", "elsewhere").out


def test_a_sweep_refuses_a_file_that_was_edited(cli: Cli, saved: Callable[..., Path]) -> None:
    sweep = ("sweep", "--suite", str(saved()), "--system", "bm25", "--vary", "granularity=turn,sentence", "--k", "1")
    cli(*sweep, "--out", "s", "-q")
    cli(*sweep, "--out", "s", "-q")
    saved(("questions.0.gold", "crimson"))
    assert "was edited since" in cli(*sweep, "--out", "s", "-q", code=1).err
    seeds = ("sweep", "--suite", str(saved()), "--system", "bm25", "--vary", "seed=1,2", "--k", "1")
    assert "is the same for every seed" in cli(*seeds, "-q", code=1).err


def test_several_files_and_parts_of_one_share_a_run(cli: Cli, saved: Callable[..., Path]) -> None:
    one = str(saved(("questions.0.task", "early"), ("questions.1.task", "late")))
    two = str(saved(("name", "ship"), name="two.json"))
    run = ("run", "--system", "oracle", "--k", "3", "--no-report", "-q")
    cli(*run, "--suite", f"{one}/early", "--suite", f"{one}/late", "--suite", two, "--out", "r")
    rows = json.loads(cli("show", "r", "--json").out)["rows"]
    assert [(row["task"], row["n"]) for row in rows] == [("boat/early", 1), ("boat/late", 1), ("ship/questions", 4)]
    assert "as a whole and in part" in cli(*run, "--suite", one, "--suite", f"{one}/late", code=1).err
    assert "both called 'boat'" in cli(*run, "--suite", one, "--suite", str(saved(name="2.json")), code=1).err


def test_a_store_is_never_tuned_and_tested_on(saved: Callable[..., Path], tmp_path: Path) -> None:
    def tune(file: Path) -> Optimized:
        system = "facts:summarise=rules"
        return optimize(system, suite=str(file), train=1, test=1, search=lambda *_: Usage(), out=tmp_path / "o")

    with pytest.raises(BadInput, match="holds one store, which can't be split"):
        tune(saved())
    store = {key: value for key, value in BOAT.items() if key != "name"}
    (tmp_path / "two.json").write_text(json.dumps({"stores": [{"id": "a", **store}, {"id": "b", **store}]}))
    tuned = tune(tmp_path / "two.json")
    assert {tuned.train, tuned.test} == {("two/a",), ("two/b",)}
    (tmp_path / "two.json").write_text(json.dumps({"stores": [{"id": "b", **store}, {"id": "a", **store}]}))
    with pytest.raises(BadRun, match="files: "):
        tune(tmp_path / "two.json")


def test_other_data_and_options_are_refused(cli: Cli, saved: Callable[..., Path]) -> None:
    file = str(saved())
    assert "brings its own data" in cli("run", "--suite", file, "--data", "x", code=1).err
    assert "option of suite my.json" in cli("run", "--suite", file, "--option", "filler=3", code=1).err
    assert "is a suite already" in cli("run", "--suite", str(saved(("name", "memfail"))), code=1).err
    assert "data new" in cli("run", "--suite", "nowhere.yaml", code=1).err


# what is wrong, and where


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (
            "facts.0.evidence",
            "My boat is read.",
            "fact 'red': the evidence 'My boat is read.' does not stand in any turn",
        ),
        ("facts.0.evidence", "My boat is read.", "the closest sentence, in session 'mon', is 'My boat is red.'"),
        ("facts.0.details", ["crimson"], "fact 'red': the detail 'crimson' does not stand in its evidence"),
        ("facts.0.session", "tue", "does not stand in session 'tue'"),
        ("facts.0.session", "sun", "there is no session 'sun' (there are mon, tue, wed)"),
        ("facts.0.evidence", [], "it has no evidence; copy the sentence"),
        ("facts.1.id", "red", "another fact has the id 'red'"),
        ("facts.0.replaces", "blue", "it replaces 'blue', which is not told before it"),
        ("facts.1.replaces", "green", "it replaces 'green', which is no fact"),
        ("sessions.1.id", "mon", "session 'mon': another session has the id 'mon'"),
        ("sessions.1.date", "2026-03-01", "2026-03-01 is before 2026-03-02, the date of session 'mon'"),
        ("sessions.1.date", None, "session 'tue': it has no date, but others do"),
        ("sessions.1.date", "some day", "'some day' can't be read as a date"),
        ("sessions.1.turns.0.role", "bot", "must be 'user', 'assistant', 'system' or 'tool', not 'bot'"),
        ("sessions.1.turns", [], "session 'tue', turns: it is empty"),
        ("sessions.1.turns.1", 7, "turn 2: must be keys with values, not 7"),
        ("questions.0.id", "now", "another question has the id 'now'"),
        ("questions.1.after", "mon", "its fact 'blue' is told in 'tue'; ask it later"),
        ("questions.1.date", "2026-03-01", "2026-03-01 is before the first session"),
        ("questions.0.date", "2026-03-01", "2026-03-01 is before 2026-03-02, the date of session 'mon'"),
        ("questions.0.facts", ["read"], "it needs the fact 'read', which does not exist"),
        ("questions.0.after", "sun", "there is no session 'sun' to ask it after"),
        ("questions.0.gold", "", "it has no gold answer"),
        ("questions.0.sufficient", [["red"]], "facts and sufficient are both given"),
        ("questions.0.glod", "red", "question 'then': unknown key 'glod'; did you mean 'gold'?"),
        ("questions.0.facts", [{"evidense": "x"}], "question 'then', fact 1: unknown key 'evidense'"),
        ("questions.0.scoring", "guess", "must be 'free', 'choice', 'abstain'"),
        ("questions.0.scoring", "points", "needs golds"),
        ("questions.0.scoring", "abstain", "needs facts that delete nothing"),
        ("questions.0.task", "A/B", "'A/B' is no name; use small letters"),
        ("questions.0.task", "all", "'all' is no task"),
        ("questions.0.id", "a\x1b[2J", "has characters that can't be seen"),
        ("questions.3.gold", "Pam", "gold 'Pam' is none of its choices"),
        ("questions.3.choices", ["Pim", "Pim"], "two of its choices are the same"),
        ("questions.3.choices", ["Pim"], "it has 1 choices; give 2 to 26"),
        ("memtriage", 2, "reads version 1 of the format, not '2'"),
        ("stores", [{"sessions": BOAT["sessions"]}], "put those into a store"),
        ("name", "../up", "'../up' is no name"),
    ],
)
def test_errors_say_where_and_what_to_do(
    saved: Callable[..., Path], cli: Cli, where: str, value: Any, said: str
) -> None:
    file = saved((where, value))
    with pytest.raises(BadInput) as raised:
        own_suite(file)
    assert said in str(raised.value)
    assert all(line.startswith(str(file)) for line in str(raised.value).splitlines())


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        ("facts.0.details", [], "fact 'red': it has no details"),
        (
            "facts.0.details",
            ["boat"],
            "its answer 'red' stands in the evidence of fact 'red', but in no detail",
        ),
        ("questions.3.facts", [], "question 'dog': it names no facts"),
        ("questions.0.after", None, "its fact 'red' no longer holds, as 'sold' voids it"),
        ("questions.0.question", "Is the boat red?", "the question gives its answer 'red' away"),
        ("facts.3", {"id": "old", "evidence": "It is old.", "details": ["old"]}, "fact 'old': no question needs it"),
        ("questions.4", {"question": "Sold?", "gold": "yes", "facts": ["sold"]}, "is scoring: abstain missing?"),
    ],
)
def test_warnings_stop_nothing(saved: Callable[..., Path], cli: Cli, where: str, value: Any, said: str) -> None:
    file = saved((where, value))
    assert said in cli("data", "validate", str(file)).out
    assert said in str(next(iter(own_suite(file).tasks)).load(Request()).provenance["problems"])


def test_guessable_answers_are_found(saved: Callable[..., Path], cli: Cli) -> None:
    asked = [
        {"question": f"Where is box {n}?", "choices": [f"in room {n}", f"on shelf {n}"], "gold": f"in room {n}"}
        for n in range(40)
    ]
    assert (
        "the commonest place gives the answer of 40 of 40"
        in cli("data", "validate", str(saved(("questions", asked)))).out
    )


def test_errors_of_yaml_have_their_line(cli: Cli, place: Place) -> None:
    cli("data", "new", "my.yaml")
    text = (place.path / "my.yaml").read_text()
    place.write("wrong.yaml", text.replace("evidence: I'm allergic to penicillin.", "evidence: I'm allergic to cats."))
    line = next(n for n, row in enumerate(text.splitlines(), start=1) if "id: allergy" in row)
    out = cli("data", "validate", "wrong.yaml", code=1).out
    assert f"wrong.yaml, line {line}, fact 'allergy': the evidence \"I'm allergic to cats.\" does not stand" in out


def test_a_line_of_json_lines_is_named(cli: Cli, place: Place) -> None:
    store = {key: value for key, value in BOAT.items() if key != "name"}
    lines = [{"memtriage": 1, "name": "boats"}, {"id": "a", **store}, {"id": "b", **store, "facts": []}]
    place.write("my.jsonl", "\n\n".join(map(json.dumps, lines)))
    err = cli("run", "--suite", "my.jsonl", code=1).err
    assert "my.jsonl, line 5, store 'b', question 'then': it needs the fact 'red'" in err
    place.write("my.jsonl", "\n".join(map(json.dumps, [*lines[:2], {"id": "b", **store}])))
    (task,) = own_suite(place.path / "my.jsonl").tasks
    assert [probe.id for episode in task.load(Request()).episodes for probe in episode.probes][3:5] == [
        "a/dog",
        "b/then",
    ]


# hostile files

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("e.yaml", b"", "is empty"),
        ("e.json", b" \n", "is empty"),
        ("h.yaml", b"<!DOCTYPE html><html><script>alert(1)</script>", "is a web page"),
        ("l.yaml", b"- a\n- b\n", "holds a list"),
        ("l.json", b"[1]", "data import"),
        ("w.yaml", b"hello", "holds a single value"),
        ("b.yaml", BOMB.encode(), "line 2: *a repeats another part of the file"),
        ("t.yaml", b"name: !!python/object/apply:os.system [touch pwned]", "line 1: the tag"),
        ("m.yaml", b"name: a\n---\nname: b", "line 2: a second document"),
        ("d.yaml", b"name: a\nname: b\n", "line 2: the key 'name' stands twice"),
        ("k.yaml", b"? [a, b]\n: c\n", "a key must be a word"),
        ("n.yaml", b"[" * 50_000, "nested more than 20 deep"),
        ("s.yaml", b"name: 'a\n", "not YAML"),
        ("c.yaml", b"name: a\nsessions: \x1b[2J", "line 2: a character that YAML does not allow"),
        ("u.yaml", "name: ä".encode("latin-1"), "not UTF-8"),
        ("x.yaml", "name: a".encode("utf-16"), "UTF-16"),
        ("j.json", b'{"name": "a", "name": "b"}', "stands twice"),
        ("n.json", b"[" * 100_000, "nested too deeply"),
        ("j.jsonl", b'{"sessions": []}\n{"sessions": ', "line 2: not JSON"),
        ("o.jsonl", b"[1]\n", "line 1: not an object"),
        ("t.toml", b"name = ", "is not TOML"),
        ("v.yaml", b"memtriage: 9\nstores: x\n", "line 1, memtriage: this memtriage reads version 1"),
        ("q.yaml", b"name: a\n", "has no stores and no sessions"),
        ("p.yaml", b"sessions:\n- turns: [Hi.]\n", "has no questions"),
        ("z.yaml", b"sessions: 5\nquestions: {a: b}\n", "line 1, sessions: must be a list, not '5'"),
    ],
)
def test_files_that_are_no_suites_get_one_sentence(
    place: Place, cli: Cli, name: str, content: bytes, said: str
) -> None:
    (place.path / name).write_bytes(content)
    err = cli("run", "--suite", name, code=1).err
    assert said in err
    assert name in err
    assert "\x1b" not in err
    assert not (place.path / "pwned").exists()


def test_json_needs_no_yaml(saved: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert own_suite(saved(("name", "no-yaml"))).name == "no-yaml"
    (tmp_path / "my.yaml").write_text("name: a\n")
    with pytest.raises(BadInput, match="YAML needs PyYAML"):
        own_suite(tmp_path / "my.yaml")


def test_pipes_and_folders_are_refused(place: Place, cli: Cli) -> None:
    os.mkfifo(place.path / "pipe.yaml")
    (place.path / "folder.yaml").mkdir()
    assert "it is a pipe" in cli("data", "validate", "pipe.yaml", code=1).err
    assert "it is a folder" in cli("data", "validate", "folder.yaml", code=1).err


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.text(max_size=5)
        | st.none()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.booleans(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from("sessions turns facts questions stores id gold evidence text user".split()), inner
            )
        ),
        max_leaves=12,
    )
)
def test_no_shape_of_json_raises_anything_else(tmp_path_factory: pytest.TempPathFactory, values: Any) -> None:
    file = tmp_path_factory.mktemp("shape") / "my.json"
    file.write_text(json.dumps(values))
    with suppress(BadInput):
        validate_own(file)


def test_toml_dates_and_lines_are_read() -> None:
    document = parse(Path("my.toml"), b'[[sessions]]\ndate = 2026-03-02\nturns = ["Hi."]\n')
    assert document.values == tomllib.loads('[[sessions]]\ndate = 2026-03-02\nturns = ["Hi."]\n')
