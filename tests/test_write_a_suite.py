"""The suite on the page about writing one: taken from there, registered as a stranger's, and put to its own tests."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import memtriage
from conftest import ROOT
from memtriage import registry as plugins
from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request, Suite
from memtriage.validate.calibrate import calibrate

PAGE = (ROOT / "docs" / "write-a-suite.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(found) == 1, f"the page has one block of {language}"
    return str(found[0])


@pytest.fixture
def lockers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Suite]:
    """The page's suite, found through the entry point that the page shows."""
    points = tomllib.loads(block("toml"))["project"]["entry-points"]["memtriage.suites"]
    [(name, target)] = points.items()
    (tmp_path / f"{target.partition(':')[0]}.py").write_text(block("python"), encoding="utf-8")
    info = tmp_path / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[memtriage.suites]\n{name} = {target}\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield plugins.suite(name)
    sys.modules.pop(target.partition(":")[0], None)


def episodes(suite: Suite, **request: object) -> list[Episode]:
    (task,) = suite.tasks
    return list(task.load(Request(**request)).episodes)  # type: ignore[arg-type]


def test_the_ceiling_is_one_and_the_floor_nothing(lockers: Suite, tmp_path: Path) -> None:
    run = memtriage.run(
        "oracle", "full-context", "bm25", "none", suite="lockers", rows=6, k=[1, 20], out=tmp_path / "r"
    )
    success = {(row["system"], row["k"]): row["success"] for row in run.table()}
    assert success["oracle", 1] == success["oracle", 20] == success["full-context", 20] == 1.0
    assert success["none", 20] == 0.0
    assert success["bm25", 20] == 1.0
    assert 0.0 < success["bm25", 1] <= 1.0
    assert {verdict.verdict for verdict in run.verdicts()} <= {"correct", "not_stored", "not_retrieved"}
    assert run.manifest["tasks"]["lockers/numbers"]["rows"] == 6


def test_planted_faults_are_found_at_their_stage(lockers: Suite) -> None:
    found = calibrate(episodes(lockers, rows=20), rate=0.5, seed=1)
    assert all(seen in (planned, "uncertain") for planned, seen in found.confusion)
    assert found.attributed >= 0.9 * found.planted > 20
    assert found.false_alarms == 0


def test_the_same_request_gives_the_same_and_fewer_rows_are_the_first(lockers: Suite) -> None:
    assert episodes(lockers, seed=7, rows=5) == episodes(lockers, seed=7, rows=5)
    assert episodes(lockers, seed=7, rows=5)[:2] == episodes(lockers, seed=7, rows=2)
    assert episodes(lockers, seed=7, rows=2) != episodes(lockers, seed=8, rows=2)
    assert len(episodes(lockers)) == lockers.tasks[0].rows


def test_gold_is_what_was_said_last(lockers: Suite) -> None:
    for one in episodes(lockers, rows=10, options={"people": "7"}):
        said = "\n".join(session.text for session in one.sessions)
        for probe in one.probes:
            [name] = re.findall(r"of (\w+)\?", probe.text)
            numbers = re.findall(rf"(\d{{4}}) opens the locker of {name}\.", said)
            assert probe.gold == numbers[-1]
            assert probe.gold not in probe.text
            assert len(probe.outdated) == len(numbers) - 1
        assert {probe.tags["changed"] for probe in one.probes} == {"yes", "no"}


def test_bad_input_is_named_and_good_rows_beside_it_run(lockers: Suite, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"id": "a", "told": [["Ida", "1234"], ["Ida", "9876"]]}\n{"id": "b"\n{"id": "c", "told": [["Ida"]]}\n'
    )
    run = memtriage.run("oracle", suite="lockers", data=path, k=[5], out=tmp_path / "r")
    assert [(verdict.episode, verdict.verdict) for verdict in run.verdicts()] == [("a", "correct")]
    assert [re.findall(r"jsonl, line \d", problem) for problem in run.problems] == [
        ["jsonl, line 2"],
        ["jsonl, line 3"],
    ]
    path.write_text("nothing\n")
    with pytest.raises(BadInput, match=r"mine\.jsonl, line 1"):
        episodes(lockers, data=path)
    with pytest.raises(BadInput, match="is no file"):
        episodes(lockers, data=tmp_path / "gone.jsonl")
    with pytest.raises(BadInput, match="unknown option of suite lockers 'poeple'; did you mean 'people'"):
        episodes(lockers, options={"poeple": "3"})


def test_what_the_page_names_exists() -> None:
    named = set(re.findall(r"`(memtriage(?:\.\w+)+)`", PAGE))
    assert len(named) > 5
    for dotted in named:
        try:
            importlib.import_module(dotted)
        except ModuleNotFoundError:
            module, _, name = dotted.rpartition(".")
            assert hasattr(importlib.import_module(module), name), dotted
    for link in re.findall(r"\]\((\S+?\.md)\)", PAGE):
        assert (ROOT / "docs" / link).is_file()


@pytest.mark.parametrize("name", ["locomo", "beam", "personamem", "halumem", "talk"])
def test_a_suite_takes_fewer_than_1200_lines_and_the_page_says_how_many(name: str) -> None:
    package = ROOT / "src" / "memtriage" / "suites" / name
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in package.rglob("*.py"))
    assert lines < 1200
    assert re.search(rf"^\| \[{name}\].*?\) \| {lines:,} \|", PAGE, re.MULTILINE | re.IGNORECASE)
