"""The gate: what is worse, what is not, and what can't be told; what is refused; what people and programs are told."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from conftest import ROOT, Cli, Place
from fuzz import damaged, damaged_values
from memtriage import api
from memtriage.core.errors import BadInput, BadRun, MemtriageError
from memtriage.core.trace import Usage
from memtriage.core.verdict import VERDICTS, FactVerdict, ProbeVerdict, Verdict
from memtriage.host.sealed import seal_line
from memtriage.metrics.statistics import detectable_difference, holm, needed_pairs
from memtriage.models.scripted import StubServer, content
from memtriage.record.journal import sealed_lines
from memtriage.record.results import EpisodeMark, Judge, Results, StoreUse, read_baseline, write_baseline
from memtriage.report import gate_files
from memtriage.report.gate_text import headline
from memtriage.report.gate_text import lines as report_lines
from memtriage.report.terminal.gate import print_gate
from memtriage.tables.gate import Gate, baseline_doubts, gate
from pytest_memtriage import Gatekeeper

RIGHT, WRONG = "correct", "not_retrieved"
GRADING = {"answer": "", "judge": "", "paper_exact": False, "repeats": {"ingest": 1, "answer": 1, "judge": 1}}


def probe(verdict: str, id: str, **changes: Any) -> ProbeVerdict:
    made: Verdict = verdict  # type: ignore[assignment]
    fact = FactVerdict("f", "the fact", (), made, f"{verdict} because")
    error = "it raised" if verdict == "error" else None
    found = ProbeVerdict(
        "memfail", "memfail/persona", "mine", "e0", id, 5, "memory", made, f"question {id}", "gold", (fact,),
        error=error,
    )  # fmt: skip
    return replace(found, **changes)


def side(*verdicts: str, **changes: Any) -> list[ProbeVerdict]:
    return [probe(verdict, f"p{i}", **changes) for i, verdict in enumerate(verdicts)]


def results(probes: Sequence[ProbeVerdict], **changes: Any) -> Results:
    """What a run with these verdicts came to; the data of an episode is told by its name."""
    marks = {p.episode: EpisodeMark(p.suite, p.task, hashlib.sha256(p.episode.encode()).hexdigest()) for p in probes}
    made = Results(
        "run", "0.1.0", "d" * 64, ("memfail",), 42, None, {}, tuple(dict.fromkeys(p.k for p in probes)),
        tuple(dict.fromkeys(p.system for p in probes)), {}, GRADING, {}, marks, (), lambda: probes,
    )  # fmt: skip
    return replace(made, **changes)


def gated(before: Sequence[ProbeVerdict], now: Sequence[ProbeVerdict], **options: Any) -> Gate:
    return gate(results(now, name="new"), results(before, name="base"), **options)


# The numbers


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_no_correction_and_bonferronis(ps: list[float]) -> None:
    raised = holm(ps)
    assert all(p <= more <= min(1.0, p * len(ps) + 1e-12) for p, more in zip(ps, raised, strict=True))
    assert min(raised) == min(1.0, min(ps) * len(ps))
    order = sorted(range(len(ps)), key=ps.__getitem__)
    assert [raised[i] for i in order] == sorted(raised)


@given(st.floats(0.005, 0.5), st.floats(0, 1))
def test_needed_pairs_are_the_fewest_that_show_the_difference(difference: float, discordance: float) -> None:
    n = needed_pairs(difference, discordance)
    assert n is not None
    assert detectable_difference(n, discordance) <= difference < detectable_difference(n - 1, discordance)


# Worse, not worse, can't say


def test_what_is_all_lost_is_worse_and_the_lost_probes_are_named() -> None:
    found = gated(side(*[RIGHT] * 20), side(*[WRONG] * 20))
    [cell] = found.cells
    assert (cell.finding, cell.lost, cell.won, cell.n) == ("worse", 20, 0, 20)
    assert cell.p == cell.p_holm == 2 / 2**20
    assert found.failed
    assert [(flip.probe, flip.verdict_a, flip.verdict_b, flip.why) for flip in found.flips[:1]] == [
        ("p0", "correct", "not_retrieved", "not_retrieved because")
    ]


def test_what_stays_is_not_worse_if_there_are_enough_and_else_cant_be_told() -> None:
    many = side(*[RIGHT, WRONG] * 150)
    assert gated(many, many).finding == "not_worse"
    few = side(*[RIGHT, WRONG] * 10)
    found = gated(few, few)
    [cell] = found.cells
    assert (found.finding, found.failed, cell.reason) == ("undecided", False, "few")
    # Nothing differed, so that a drop of 0.03 shows if it is all the difference there is:
    # n · 0.03 >= (1.959964 + 0.841621 · sqrt(0.97))², which is 7.7759 / 0.03 = 259.2
    assert cell.needed == 260
    assert gated(few, few, strict=True).failed


def test_how_many_probes_it_takes_is_connors_number_and_clusters_take_more() -> None:
    before, now = side(*[RIGHT] * 60, *[WRONG] * 40), side(*[RIGHT] * 50, *[WRONG] * 40, *[RIGHT] * 10)
    # Discordance 0.2: (1.959964 · sqrt(0.2) + 0.841621 · sqrt(0.2 - 0.0009))² / 0.0009 = 1741.5
    assert gated(before, now).cells[0].needed == 1742
    twice = [
        [replace(p, probe=f"{p.probe}-{n}", cluster=p.probe) for p in one for n in (0, 1)] for one in (before, now)
    ]
    [cell] = gated(*twice).cells
    assert (cell.n, cell.needed) == (200, 2 * 1742)


def test_a_small_drop_that_is_allowed_is_not_worse_and_worse_if_none_is() -> None:
    before, now = side(*[RIGHT] * 2000), side(*[RIGHT] * 1980, *[WRONG] * 20)
    assert gated(before, now, max_drop=3).finding == "not_worse"
    [cell] = gated(before, now, max_drop=0).cells
    assert (cell.finding, cell.difference) == ("worse", pytest.approx(-0.01))


def test_a_task_that_fails_by_chance_does_not_fail_among_many() -> None:
    before, now = side(*[RIGHT] * 20), side(*[RIGHT] * 14, *[WRONG] * 6)
    assert gated(before, now).cells[0].p == 2 / 2**6
    assert gated(before, now).finding == "worse"
    other = side(*[RIGHT] * 20, task="memfail/long-hop", episode="e1")
    cells = {cell.task: cell for cell in gated([*before, *other], [*now, *other]).cells}
    # Three tests: the two tasks, and both together.
    assert (cells["memfail/persona"].p_holm, cells["memfail/persona"].finding) == (3 * 2 / 2**6, "undecided")


def test_small_losses_on_many_tasks_add_up() -> None:
    runs = [
        [p for n in range(3) for p in side(*verdicts, task=f"t/{n}", episode=f"e{n}")]
        for verdicts in ([RIGHT] * 40, [RIGHT] * 37 + [WRONG] * 3)
    ]
    *tasks, whole = gated(*runs).cells
    assert {cell.finding for cell in tasks} == {"undecided"}
    # Nine of 120 lost: p = 2 / 2^9, the smallest of four.
    assert (whole.task, whole.lost, whole.p_holm, whole.finding) == ("all", 9, 4 * 2 / 2**9, "worse")
    text = gate_files.junit(gated(*runs)).decode()
    assert text.count("not retrieved") == 9
    alike = gated(runs[0], runs[0], max_drop=5)
    assert headline(alike).startswith("passed: not worse over all tasks together; 3 of 4 can't be told")


def test_what_got_better_takes_no_part_in_the_correction() -> None:
    before, now = side(*[RIGHT] * 20), side(*[RIGHT] * 13, *[WRONG] * 7)
    better = [side(*[verdict] * 20, task="memfail/long-hop", episode="e1") for verdict in (WRONG, RIGHT)]
    cells = {cell.task: cell for cell in gated([*before, *better[0]], [*now, *better[1]]).cells}
    assert (cells["memfail/long-hop"].p, cells["all"].p) == (1.0, 1.0)
    assert cells["memfail/persona"].p_holm == 3 * 2 / 2**7
    assert cells["memfail/persona"].finding == "worse"


def test_one_unlucky_cluster_is_no_proof() -> None:
    # Seven probes about one essay are lost together: as single probes p = 2 / 2^7, as a cluster it is one loss.
    before = [probe(RIGHT, f"p{i}", cluster=f"c{max(0, i - 6)}") for i in range(40)]
    now = [replace(p, verdict=WRONG if i < 7 else RIGHT) for i, p in enumerate(before)]
    [cell] = gated(before, now).cells  # type: ignore[arg-type]
    assert cell.p == 2 / 2**7
    assert cell.finding == "undecided"


# What is open


def test_an_error_and_a_missing_probe_are_no_success() -> None:
    before = side(*[RIGHT] * 20)
    errors = gated(before, side(*[RIGHT] * 10, *["error"] * 10))
    [cell] = errors.cells
    assert (cell.finding, cell.errors, cell.missing, cell.lost) == ("worse", 10, 0, 10)
    missing = gated(before, side(*[RIGHT] * 10))
    [cell] = missing.cells
    assert (cell.finding, cell.errors, cell.missing, cell.lost, cell.n) == ("worse", 0, 10, 10, 20)
    assert {flip.why for flip in missing.flips} == {"it was not asked in this run, or has no verdict"}
    told = "\n".join(report_lines(missing))
    assert "10 missing" in told
    assert "memtriage resume new --retry-errors" in told


def test_what_is_uncertain_neither_fails_nor_passes() -> None:
    before = side(*[RIGHT] * 400)
    found = gated(before, side(*[RIGHT] * 370, *["uncertain"] * 30))
    [cell] = found.cells
    assert (cell.finding, cell.reason, cell.uncertain, cell.lost, cell.needed) == ("undecided", "open", 30, 0, None)
    assert "memtriage judge new --judge MODEL" in "\n".join(report_lines(found))
    assert gated(before, side(*[RIGHT] * 399, "uncertain")).finding == "not_worse"


def test_a_memory_that_no_longer_shows_itself_does_not_pass_by_that() -> None:
    [cell] = gated(side(*[RIGHT] * 400), side(*[RIGHT] * 200, *["n/a"] * 200)).cells
    assert (cell.finding, cell.uncertain) == ("undecided", 200)
    [cell] = gated(side(*[RIGHT] * 400, "n/a"), side(*[RIGHT] * 401)).cells
    assert (cell.finding, cell.n) == ("not_worse", 400)


def test_an_outage_of_the_baseline_lets_nothing_pass() -> None:
    before = side(*[RIGHT] * 300, *["error"] * 300)
    assert gated(before, side(*[RIGHT] * 300, *[WRONG] * 300)).finding == "undecided"
    assert gated(before, side(*[RIGHT] * 600)).finding == "not_worse"


def test_errors_meet_the_graded_answers_of_their_task() -> None:
    before = side(*[RIGHT] * 20, depth="full")
    [cell] = gated(before, side(*["error"] * 20)).cells
    assert (cell.depth, cell.errors, cell.finding) == ("full", 20, "worse")


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from(VERDICTS), st.sampled_from([*VERDICTS, None])), min_size=1, max_size=60))
def test_no_probe_of_the_baseline_is_ever_dropped(pairs: list[tuple[Verdict, Verdict | None]]) -> None:
    before = [probe(a, f"p{i}") for i, (a, _) in enumerate(pairs)] + [probe(RIGHT, "last")]
    now = [probe(b, f"p{i}") for i, (_, b) in enumerate(pairs) if b is not None] + [probe(RIGHT, "last")]
    [cell] = gated(before, now).cells
    assert cell.n + cell.uncertain == sum(a != "n/a" for a, _ in pairs) + 1
    assert cell.missing == sum(b is None and a != "n/a" for a, b in pairs)


# What can be held against what


def changed(what: Callable[[Results], Results]) -> tuple[Results, Results]:
    probes = [p for k in (5, 10) for p in side(*[RIGHT] * 20, k=k)]
    base = results(probes, name="base")
    return what(replace(base, name="new")), base


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (lambda r: results([p for p in r.probes() if p.k == 5]), "not asked at k = 10"),
        (
            lambda r: replace(r, episodes={"e0": replace(r.episodes["e0"], digest="0" * 64)}),
            "1 of 1 episodes hold other",
        ),
        (lambda r: replace(r, episodes={}), "lacks the tasks memfail/persona"),
        (lambda r: replace(r, grading={**GRADING, "judge": "openai/x"}), "the judge was none and is openai/x"),
        (lambda r: replace(r, grading={**GRADING, "paper_exact": True}), "--paper-exact was off and is on"),
        (
            lambda r: replace(r, grading={**GRADING, "repeats": {"answer": 3}}),
            "--repeats was ingest=1,answer=1,judge=1 and is answer=3",
        ),
    ],
)
def test_other_data_k_and_judges_are_refused(what: Callable[[Results], Results], told: str) -> None:
    new, base = changed(what)
    with pytest.raises(BadRun, match=r"can't be held against base: .*--shared") as refused:
        gate(new, base)
    assert told in str(refused.value)


def test_a_judge_that_is_asked_in_other_words_is_another_judge() -> None:
    probes = side(*[RIGHT] * 20, depth="full")
    judged = [results(probes, judges={"memfail/persona": frozenset({Judge("m", words)})}) for words in "ab"]
    with pytest.raises(BadRun, match="asked in other words"):
        gate(*judged)  # type: ignore[arg-type]


def test_what_both_have_is_compared_if_asked_to() -> None:
    base = [*side(*[RIGHT] * 300), *side(*[RIGHT] * 300, k=10), *side(*[RIGHT] * 9, task="t/other", episode="e1")]
    found = gated(base, side(*[RIGHT] * 300), shared=True)
    assert [(cell.task, cell.k, cell.missing, cell.finding) for cell in found.cells] == [
        ("memfail/persona", 5, 0, "not_worse")
    ]
    assert sum("Only what both have" in note for note in found.notes) == 2
    with pytest.raises(BadRun, match="share no probe"):
        gated(side(RIGHT), side(RIGHT, episode="e9"), shared=True)


def test_other_models_and_versions_are_noted() -> None:
    probes = side(RIGHT)
    before = results(
        probes, models={"internal": "openai/a"}, grading={**GRADING, "answer": "openai/b"}, memtriage="0.0.9"
    )
    assert gate(results(probes), before).notes == (
        "In the baseline the answering model was openai/b, now it is none.",
        "In the baseline the internal model was openai/a, now it is none.",
        "The baseline is of memtriage 0.0.9, the new run of 0.1.0.",
    )


def test_answers_that_only_one_run_has_are_refused_even_then() -> None:
    with pytest.raises(BadRun, match=r"persona are graded in the baseline and not in the new run.*--answer"):
        gated(side(RIGHT, depth="full"), side(RIGHT), shared=True)


def test_systems_meet_by_name_and_floors_and_ceilings_are_left_out() -> None:
    base = [p for name in ("a", "b", "none") for p in side(*[RIGHT] * 20, system=name)]
    found = gated(base, [p for name in ("a", "b", "c", "oracle") for p in side(*[RIGHT] * 20, system=name)])
    assert [(cell.system_before, cell.system) for cell in found.cells] == [("a", "a"), ("b", "b")]
    assert "Not in the baseline: c." in found.notes
    with pytest.raises(BadRun, match="it lacks the systems b"):
        gated(base, side(*[RIGHT] * 20, system="a"))
    [cell] = gated(base, side(*[WRONG] * 20, system="z"), systems=("b", "z")).cells
    assert (cell.system_before, cell.system, cell.finding) == ("b", "z", "worse")
    [cell] = gated(side(RIGHT, system="old"), side(RIGHT, system="new")).cells
    assert (cell.system_before, cell.system) == ("old", "new")
    with pytest.raises(BadRun, match="--systems OLD,NEW"):
        gated(base, [*side(RIGHT, system="x"), *side(RIGHT, system="y")])
    with pytest.raises(BadRun, match="the baseline: unknown system 'bb'; did you mean 'b'"):
        gated(base, base, systems=("bb", "a"))


def test_a_system_without_any_verdict_is_missing_and_not_forgotten() -> None:
    base = [*side(*[RIGHT] * 20, system="a"), *side(*[RIGHT] * 20, system="b")]
    new = results(side(*[RIGHT] * 20, system="a"), systems=("a", "b"))
    found = gate(new, results(base))
    assert [(cell.system, cell.missing, cell.finding) for cell in found.cells][1] == ("b", 20, "worse")


def test_an_episode_that_a_stopped_run_never_came_to_is_missing() -> None:
    base = [*side(*[RIGHT] * 20), *side(*[RIGHT] * 20, task="t/other", episode="e1")]
    marks = {**results(base).episodes, "e1": replace(results(base).episodes["e1"], suite="")}  # nothing tells its suite
    found = gate(results(side(*[RIGHT] * 20), episodes=marks), results(base))
    assert {(cell.task, cell.missing) for cell in found.cells} == {("memfail/persona", 0), ("t/other", 20), ("all", 20)}


# Floors and costs


def test_a_floor_is_on_what_was_measured_with_everything_open_failing() -> None:
    before = side(*[RIGHT] * 10)
    now = side(*[RIGHT] * 7, "error", "uncertain")  # one is missing
    found = gated(before, now, min_success={"persona": 70, "memfail/persona@5": 71, "all": 0})
    assert [(floor.success, floor.n, floor.held) for floor in found.floors] == [
        (70.0, 10, True),
        (70.0, 10, False),
        (70.0, 10, True),
    ]
    assert found.failed
    assert not gated(before, before, min_success={"persona": 100}).failed
    with pytest.raises(BadInput, match="unknown task 'perso'; did you mean 'persona'"):
        gated(before, before, min_success={"perso": 1})
    with pytest.raises(BadInput, match="not asked at k = 7"):
        gated(before, before, min_success={"persona@7": 1})


@pytest.mark.parametrize("wrong", [{"max_drop": -1}, {"max_drop": float("nan")}, {"max_drop": 101}])
def test_numbers_that_mean_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadInput, match=r"max_drop is .*; give 0 or more, up to 100"):
        gated(side(RIGHT), side(RIGHT), **wrong)


def with_usage(usage: Usage | None) -> Results:
    return results(side(*[RIGHT] * 3), uses=(StoreUse("memfail", "mine", "e0", usage),))


@pytest.mark.parametrize(
    ("before", "now", "unit", "rise", "held"),
    [
        (Usage(1, 0, 0, 100, 50, 1.0), Usage(1, 0, 0, 100, 50, 1.2), "dollars", 20, True),
        (Usage(1, 0, 0, 100, 50, 1.0), Usage(1, 0, 0, 100, 50, 1.21), "dollars", 21, False),
        # from the cache, at the list price
        (Usage(1, 0, 0, 100, 50, 1.0), Usage(0, 1, 0, 0, 0, 0.0, 100, 50, 1.0), "dollars", 0, True),
        (Usage(1, 0, 0, 100, 100, None), Usage(1, 0, 0, 150, 100, None), "tokens", 25, False),
        (Usage(1, 0, 0, 100, 50, 1.0), Usage(1, 0, 0, 100, 50, 0.0), "dollars", -100, True),
        (None, Usage(1, 0, 0, 100, 50, 1.0), "tokens", None, False),
    ],
)
def test_costs_are_compared_as_if_there_were_no_cache(
    before: Usage | None, now: Usage, unit: str, rise: float | None, held: bool
) -> None:
    found = gate(with_usage(now), with_usage(before), max_cost_rise=20)
    [cost] = found.costs
    assert (cost.unit, cost.held, found.failed) == (unit, held, not held)
    assert cost.rise == (None if rise is None else pytest.approx(rise))


def test_without_models_there_is_no_cost_to_compare() -> None:
    found = gate(with_usage(None), with_usage(None), max_cost_rise=20)
    assert (found.costs, found.failed) == ((), False)
    assert "No model was asked" in found.notes[0]
    for told in (gate_files.junit(found).decode(), gate_files.markdown(found)):
        assert "there is no cost to compare" in told


# Baseline files


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(VERDICTS), st.sampled_from("abc"), st.sampled_from([1, 5, "native"]), st.integers(0, 9),
            st.text(max_size=5), st.integers(0, 1),
        ),
        min_size=1, max_size=40, unique_by=lambda one: one[1:4] + one[5:],
    )
)  # fmt: skip
def test_a_baseline_file_says_what_its_run_said(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    probes = [
        probe(verdict, f"p{id}", system=system, k=k, cluster=cluster, repeat=repeat, episode=f"e{id % 3}")
        for verdict, system, k, id, cluster, repeat in rows
    ]
    usage = Usage(1, 2, 3, 4, 5, 0.25)
    run = results(probes, uses=(StoreUse("memfail", "a", probes[0].episode, usage),), rows=3, options={"x": "y"})
    file = tmp_path_factory.getbasetemp() / "round.jsonl"
    write_baseline(file, run)
    read = read_baseline(file)

    def seen(found: Results) -> set[Any]:
        return {(p.system, p.k, p.episode, p.probe, p.task, p.cluster, p.repeat, p.verdict) for p in found.probes()}

    assert seen(read) == seen(run)
    assert replace(read, probes=run.probes, name="run") == run


@pytest.fixture
def good(tmp_path: Path) -> Path:
    write_baseline(tmp_path / "base.jsonl", results([*side(RIGHT, WRONG, "error"), *side(RIGHT, k=10)]))
    return tmp_path / "base.jsonl"


def test_a_damaged_baseline_is_never_believed(good: Path) -> None:
    raw, random = good.read_bytes(), Random(77)
    for _ in range(200):
        content = damaged(raw, random)
        good.write_bytes(content)
        if content != raw:
            with pytest.raises(BadInput) as told:
                read_baseline(good)
            assert "base.jsonl" in str(told.value)
            assert "save" in str(told.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda raw: b"", "is empty"),
        (lambda raw: b"<html>\x1b[2J</html>\n", "its first line is not JSON"),
        (lambda raw: b'{"format":"memtriage.run/3"}\n', "is no baseline, nor a run directory"),
        (lambda raw: raw.replace(b"baseline/1", b"baseline/9"), r"of another version \(memtriage.baseline/9"),
        (lambda raw: raw.replace(b'"verdicts":"+', b'"verdicts":"R'), "line 3 is damaged"),
        (lambda raw: raw.replace(b'"p1"', b'"p7"'), "line 4 is damaged .its seal does not fit"),
        (lambda raw: raw[: raw.rindex(b"{")], "line 1 says 4 lines, and 3 follow"),
        (lambda raw: raw.replace(b"\n", b"\r\n"), "CRLF.*-text"),
    ],
)
def test_a_broken_baseline_is_named_with_the_place_and_what_to_do(
    good: Path, change: Callable[[bytes], bytes], told: str
) -> None:
    good.write_bytes(change(good.read_bytes()))
    with pytest.raises(BadInput, match=told) as refused:
        read_baseline(good)
    assert "memtriage gate --save-baseline" in str(refused.value)


def test_nonsense_that_was_sealed_anew_ends_in_a_sentence(good: Path) -> None:
    raw, random = good.read_bytes(), Random(5)
    new = results([*side(RIGHT, WRONG, "error"), *side(RIGHT, k=10)])
    read = 0
    for _ in range(150):
        head, *body = (json.loads(line) for line in raw.splitlines())
        plain = [json.dumps({key: value for key, value in line.items() if key != "seal"}) for line in (head, *body)]
        place = random.randrange(len(plain))
        changed = damaged_values(plain[place].encode(), random).replace(b"\n", b" ")
        if place and not changed.endswith(b"}"):
            continue
        lines = [changed if n == place else line.encode() for n, line in enumerate(plain)]
        sealed = b"".join(sealed_lines(line + b"\n" for line in lines[1:]))
        lines[0] = lines[0].replace(head["sha256"].encode(), hashlib.sha256(sealed).hexdigest().encode())
        good.write_bytes(seal_line(lines[0] + b"\n", 0) + sealed)
        with contextlib.suppress(MemtriageError):
            baseline = read_baseline(good)
            read += 1
            assert "\n".join(report_lines(gate(new, baseline, shared=True, max_cost_rise=1, min_success={"all": 1})))
    assert read > 20


def test_a_baseline_takes_the_place_of_a_baseline_and_of_nothing_else(good: Path, tmp_path: Path) -> None:
    write_baseline(good, results(side(RIGHT)))
    assert len(list(read_baseline(good).probes())) == 1
    page = tmp_path / "README.md"
    page.write_text("mine")
    with pytest.raises(BadInput, match=r"README\.md is there already and is no baseline"):
        write_baseline(page, results(side(RIGHT)))
    with pytest.raises(BadInput, match="is a folder; name a file"):
        write_baseline(tmp_path, results(side(RIGHT)))
    assert page.read_text() == "mine"


# For other programs

HOSTILE = (
    "</code><script>alert(1)</script>\n::error::x ##[error]y\x1b[2J\u202e | `rm` @octocat https://x.example %0A ../"
)


@pytest.fixture
def hostile() -> Gate:
    made = {"system": HOSTILE, "task": f"t/{HOSTILE}"}
    before = [probe(RIGHT, f"{HOSTILE}{i}", question=HOSTILE, **made) for i in range(20)]
    now = [replace(p, verdict="error", error=HOSTILE) for p in before]
    return gated(before, now, min_success={"all": 80})  # type: ignore[arg-type]


def test_no_text_of_others_acts_on_the_terminal(hostile: Gate) -> None:
    shown = io.StringIO()
    print_gate(hostile, 5, Console(file=shown, width=200))
    for text in (shown.getvalue(), "\n".join(report_lines(hostile))):
        assert "script" in text  # it is shown
        assert not set(text) & set("\x1b\u202e\r")


def test_junit_has_a_case_for_every_test_and_survives_any_text(hostile: Gate) -> None:
    suite = ET.fromstring(gate_files.junit(hostile)).find("testsuite")
    assert suite is not None
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "2", "failures": "2", "skipped": "0",
    }  # fmt: skip
    text = gate_files.junit(hostile).decode()
    assert "\x1b" not in text
    assert "<script>" not in text
    few = gated(side(RIGHT), side(RIGHT))
    assert b'skipped="1"' in gate_files.junit(few)
    assert b'failures="1"' in gate_files.junit(replace(few, strict=True))


def test_files_list_as_many_lost_probes_as_wanted(hostile: Gate) -> None:
    assert gate_files.markdown(hostile, 2).count(" | 5 | error | ") == 2
    assert "… and 18 more" in gate_files.markdown(hostile, 2)
    assert "<details>" not in gate_files.markdown(hostile, 0)
    failure = ET.fromstring(gate_files.junit(hostile, 2)).find(".//failure")
    assert failure is not None
    assert (failure.text or "").endswith("\n… and 18 more")
    assert (failure.text or "").count("  error  ") == 2


def test_a_baseline_of_errors_is_refused_and_one_with_some_is_warned_of() -> None:
    with pytest.raises(BadRun, match="nothing is settled in it: of 4 verdicts, 3 are errors and 1 uncertain"):
        baseline_doubts(results([*side("error", "error", "error", "uncertain"), *side(RIGHT, system="none")]))
    (told,) = baseline_doubts(results([*side("error", RIGHT, WRONG, RIGHT), *side(RIGHT, system="other")]))
    assert told.startswith("1 of 4 verdicts of mine (25%) are errors")
    assert baseline_doubts(results(side(RIGHT, "uncertain"))) == []


def test_annotations_are_one_line_each_and_hold_no_command_of_others(hostile: Gate) -> None:
    found = list(gate_files.workflow_commands(hostile))
    assert len(found) == 3
    for line in found:
        assert line.startswith("::error title=")
        assert not set(line) & set("\n\r\x1b\u202e")
        assert line.count("%0A") == 0
    title, _, _ = found[0].removeprefix("::error title=").partition("::")
    assert not set(title) & set(":,")
    assert next(gate_files.workflow_commands(gated(side(RIGHT), side(RIGHT)))).startswith("::warning")


def test_a_comment_shows_text_and_nothing_else(hostile: Gate) -> None:
    text = gate_files.markdown(hostile)
    assert text.startswith("<!-- memtriage gate -->\n")
    for never in ("<script>", "@octocat", "https://", "`rm`", "\x1b", "\u202e", "../"):
        assert never not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {5, 11}  # no cell ends where data has a bar
    assert "20 probes that were right" in text
    assert len(text) < 65_536


def test_the_badge_is_svg_and_says_what_was_found(hostile: Gate) -> None:
    many = side(*[RIGHT, WRONG] * 150)
    said = [gate_files.badge(found) for found in (hostile, gated(many, many), gated(side(RIGHT), side(RIGHT)))]
    texts = [[each.text for each in ET.fromstring(one).iter("{http://www.w3.org/2000/svg}text")] for one in said]
    assert texts == [["memory", "worse"], ["memory", "not worse"], ["memory", "can't say"]]


# The command line


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A good run, the same again with other rows, and one of a memory that lost its notes."""
    place = Place(tmp_path_factory.mktemp("gate"))
    sys.path.insert(0, str(place.path))
    body = "    def retrieve_memories(self, query, conversation, k):\n        return self.kept[:1]\n"
    place.write("mine.py", "from mems import Keeps\n\n\nclass Mine(Keeps):\n    pass\n")
    place.write("lost.py", f"from mems import Keeps\n\n\nclass Mine(Keeps):\n{body}")
    try:
        for out, system, rows, suites in (
            ("main", "mine.py:Mine", "12", ("tiny/end", "tiny/along")),
            ("lost", "lost.py:Mine", "12", ("tiny/along", "tiny/end")),
            ("other", "mine.py:Mine", "10", ("tiny/end", "tiny/along")),
        ):
            named = [part for suite in suites for part in ("--suite", suite)]
            arguments = (*named, "--rows", rows, "--k", "1,3", "--system", system, "--system", "none")
            place.cli("run", *arguments, "-q", "--no-report", "--out", out)
        place.cli("gate", "main", "--save-baseline", "main.jsonl")
    finally:
        sys.path.remove(str(place.path))
    return place


@pytest.fixture
def on(runs: Place, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(runs.path)
    return cli


@pytest.mark.parametrize("baseline", ["main", "main.jsonl"])
def test_gate_fails_what_is_worse_and_says_where(on: Cli, baseline: str) -> None:
    told = on("gate", "lost", "--baseline", baseline, code=1).out
    assert "FAILED: worse on 6 of 6 tests" in told
    assert "Probes that were right and are not now" in told
    assert "Where does" in told
    found = json.loads(on("gate", "lost", "--baseline", baseline, "--json", code=1).out)
    assert (found["schema"], found["failed"], found["finding"]) == ("memtriage.gate/1", True, "worse")
    # The order of the tasks is another one, and the data is the same.
    assert {(cell["task"], cell["k"], cell["finding"], cell["lost"]) for cell in found["cells"]} == {
        (task, k, "worse", lost) for task, lost in (("tiny/end", 11), ("tiny/along", 11), ("all", 22)) for k in (1, 3)
    }
    assert len(found["flips"]) == 4 * 11


def test_gate_passes_what_cant_be_told_unless_it_is_strict(on: Cli) -> None:
    assert "passed: 6 of 6 can't be told (--strict would fail)" in on("gate", "main", "--baseline", "main.jsonl").out
    assert "FAILED" in on("gate", "main", "--baseline", "main.jsonl", "--strict", code=1).out
    assert "not worse on any of 6" in on("gate", "main", "--baseline", "main.jsonl", "--max-drop", "40").out


def test_gate_writes_what_other_programs_read(on: Cli, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("j.xml", "m.md", "b.svg")}
    wanted = ("--junit", str(files["j.xml"]), "--markdown", str(files["m.md"]), "--badge", str(files["b.svg"]))
    told = on("gate", "lost", "--baseline", "main.jsonl", "--github", *wanted, code=1).out
    assert b'failures="6"' in files["j.xml"].read_bytes()
    assert "11 / 0" in files["m.md"].read_text()
    assert "worse" in files["b.svg"].read_text()
    log = told.splitlines()
    token = log[0].removeprefix("::stop-commands::")
    end = log.index(f"::{token}::")
    assert all(line.startswith("::error title=") for line in log[end + 1 :])
    assert not any(line.startswith("::") for line in log[1:end])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("main",), "--baseline RUN or FILE"),
        (("main", "--baseline", "main", "--save-baseline", "x"), "one of the two"),
        (("main", "--baseline", "nowhere"), "nowhere is not there; name a run directory"),
        (("main", "--baseline", "mine.py"), "mine.py is no baseline"),
        (("main", "--baseline", "main/episodes"), "not a run directory"),
        (("other", "--baseline", "main"), "2 of 2 episodes hold other data (tiny/along, tiny/end)"),
        (("other", "--baseline", "main.jsonl", "--shared"), "share no probe"),
        (("main", "--baseline", "main", "--min-success", "end"), "write TASK=PERCENT"),
        (("main", "--baseline", "main", "--min-success", "ende=80"), "did you mean 'end'"),
        (("main", "--baseline", "main", "--max-drop", "-3"), "max_drop is -3; give 0 or more"),
        (("main", "--baseline", "main", "--systems", "none"), "name two"),
        (("main", "--baseline", "main", "--json", "--github"), "choose one"),
        (("main", "--baseline", "main", "--junit", "/dev/null/x"), "/dev/null/x can't be written"),
        (("main", "--save-baseline", "mine.py"), "mine.py is there already"),
        (("nowhere", "--save-baseline", "x.jsonl"), "nowhere is not there"),
    ],
)
def test_gate_names_what_is_wrong_and_what_to_do(on: Cli, arguments: tuple[str, ...], told: str) -> None:
    assert told in on("gate", *arguments, code=1).err


def test_compare_fails_if_asked_to(on: Cli) -> None:
    assert "B is worse: tiny/end" in on("compare", "main", "lost", "--fail-if-worse", "--json", code=1).err
    on("compare", "main", "lost", "--json")
    on("compare", "lost", "main", "--fail-if-worse", "--json")


def test_another_judge_is_refused_and_costs_are_compared(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", "cache.db")
    with StubServer(content) as server:
        judge, other = (f"{server.url}#{name}" for name in ("judge", "other"))
        task = ("--suite", "memfail/coexisting", "--rows", "4", "--k", "5", "--system", "bm25")
        cli("run", *task, "--answer", f"{server.url}#reader", "--judge", judge, "--out", "run", "-q", "--no-report")
        cli("judge", "run", "--judge", other, "--out", "again", "-q", "--no-report")
    cli("gate", "run", "--save-baseline", "base.jsonl")
    assert f"the judge was {judge} and is {other}" in cli("gate", "again", "--baseline", "base.jsonl", code=1).err
    assert "Only what both have is compared" in cli("gate", "again", "--baseline", "base.jsonl", "--shared").out
    [cost] = json.loads(cli("gate", "run", "--baseline", "base.jsonl", "--max-cost-rise", "0", "--json").out)["costs"]
    assert (cost["unit"], cost["rise"], cost["held"]) == ("tokens", 0.0, True)
    assert cost["now"] > 100


def test_gate_from_python(runs: Place, tmp_path: Path) -> None:
    import memtriage

    file = memtriage.save_baseline(memtriage.load(runs.path / "main"), tmp_path / "deep" / "base.jsonl")
    assert file.stat().st_size < 15_000
    found = memtriage.gate(runs.path / "lost", file, min_success={"end@1": 50})
    assert (found.finding, [floor.held for floor in found.floors]) == ("worse", [False])
    assert headline(found).startswith("FAILED: worse on 6 of 6 tests; 1 of 1 floors not reached")


# pytest


@pytest.fixture
def keeper(runs: Place, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Gatekeeper:
    monkeypatch.chdir(runs.path)
    monkeypatch.syspath_prepend(str(runs.path))
    return Gatekeeper(tmp_path_factory)


def test_the_fixture_fails_a_test_with_words(keeper: Gatekeeper) -> None:
    with pytest.raises(pytest.fail.Exception) as failed:
        keeper.assert_not_worse("lost", baseline="main.jsonl")
    assert "memory FAILED: worse on 6 of 6 tests" in str(failed.value)
    assert "probes that were right and are not now:" in str(failed.value)
    with pytest.raises(pytest.fail.Exception, match=r"memtriage: nowhere\.jsonl is not there"):
        keeper.assert_not_worse("lost", baseline="nowhere.jsonl")


def test_the_fixture_runs_a_system_as_the_baseline_was(keeper: Gatekeeper) -> None:
    from mems import Keeps  # type: ignore[import-not-found]

    found = keeper.assert_not_worse(Keeps(), baseline="main.jsonl", max_drop=40)
    assert {(cell.task, cell.k, cell.n) for cell in found.cells} == {
        (task, k, n) for task, n in (("tiny/end", 12), ("tiny/along", 12), ("all", 24)) for k in (1, 3)
    }
    with pytest.warns(UserWarning, match="2 of 2 can't be told"):
        keeper.assert_not_worse(Keeps(), baseline="main.jsonl", suite="tiny/end", shared=True)
    with pytest.raises(pytest.fail.Exception, match="worse on 6 of 6"):
        keeper.assert_not_worse("lost.py:Mine", baseline="main.jsonl")


def test_models_of_a_baseline_are_never_asked_by_themselves(tmp_path: Path) -> None:
    write_baseline(tmp_path / "b.jsonl", results(side(RIGHT), grading={**GRADING, "judge": "openai/x"}))
    with pytest.raises(MemtriageError, match=r"has a model for judges \(openai/x\); name it: judge=…"):
        api.run_like(tmp_path / "b.jsonl", "bm25")


def test_pytest_finds_the_fixture_and_waits_for_no_import(runs: Place, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import sys\n\n\ndef test_first(request):\n    assert 'memtriage' not in sys.modules\n\n\n"
        f"def test_memory(memtriage):\n    memtriage.assert_not_worse({str(runs.path / 'lost')!r}, "
        f"baseline={str(runs.path / 'main.jsonl')!r})\n"
    )
    [entry] = [each for each in entry_points(group="pytest11") if each.name == "memtriage"]
    command = [sys.executable, "-m", "pytest", "-p", entry.value, "-p", "no:cacheprovider", "-q", "test_it.py"]
    env = {**runs.env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # those of others take their time
    ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120)
    assert "1 failed, 1 passed" in ran.stdout, ran.stdout + ran.stderr
    assert "memory FAILED: worse on 6 of 6 tests" in ran.stdout
    assert "Traceback" not in ran.stdout


# The page

PAGE = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
GITHUB, GITLAB = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_workflows_on_the_page_do_what_they_say(
    cli: Cli, place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    steps = {
        "github": re.findall(r"^ +(?:- )?run: (.+)$", GITHUB, re.MULTILINE),
        "gitlab": re.findall(r"^    - (.+)$", GITLAB, re.MULTILINE),
    }
    assert [len(each) for each in steps.values()] == [5, 3]
    place.write("my_memory.py", "from mems import Keeps\n\n\nclass MyMemory(Keeps):\n    pass\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "gh").write_text('#!/bin/sh\necho "$@" > gh.txt\n')
    (tools / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("PULL_REQUEST", "7")
    made = False
    for step in (step for own in steps.values() for step in own):
        if step.startswith("memtriage run"):
            if not made:
                cli(*shlex.split(step)[1:])
                cli("gate", "runs/new", "--save-baseline", "baseline.jsonl")
            made = True  # the second workflow has the same step
        elif step.startswith("memtriage "):
            assert "passed" in cli(*shlex.split(step)[1:]).out
        elif not step.startswith("pip install ./memtriage"):
            subprocess.run(["bash", "-ec", step], cwd=place.path, check=True, timeout=60)
    assert (tmp_path / "summary.md").read_text().startswith("<!-- memtriage gate -->")
    assert (place.path / "gh.txt").read_text() == "pr comment 7 --edit-last --create-if-none --body-file gate.md\n"
    assert ET.fromstring((place.path / "gate.xml").read_bytes()).tag == "testsuites"
    assert len((place.path / "baseline.jsonl").read_bytes()) < 12_000
