"""The human check: a real run, people at a terminal or a pipe, labels that last, and agreement worked out by hand."""

from __future__ import annotations

import io
import json
import os
import pty
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import memtriage
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.verdict import ProbeVerdict, Verdict
from memtriage.pipeline.verify import verify
from memtriage.record.reader import RunReader
from memtriage.report.terminal.audit import WalkResult, agreement_json, print_agreement, walk
from memtriage.validate.audit import Agreement, Audit, AuditItem, Labelled, Rater, agreement, read_labels, sample

KEY = {"correct": "1", "not_stored": "2", "summary_error": "3", "not_retrieved": "4", "reasoning_error": "5"}

PERSON = """
import sys
from pathlib import Path
from rich.console import Console
from memtriage.validate.audit import Audit
from memtriage.report.terminal.audit import walk
from memtriage.pipeline.verify import verify
from memtriage.record.reader import RunReader
with RunReader(Path(sys.argv[1])) as reader, Audit(reader, int(sys.argv[2]), 7) as audit:
    walk(audit, sys.argv[3], Console(), sys.stdin)
"""


class Forgetful:
    """Keeps every third conversation and brings back the wrong half, so that there is something to find."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.seen = 0

    def store_conversation(self, conversation: memtriage.Session) -> None:
        self.seen += 1
        if self.seen % 3:
            self.kept.append(conversation.text)

    def retrieve_memories(self, query: str, conversation: memtriage.Session, k: int) -> list[str]:
        asked = set(query.lower().split())
        return sorted(self.kept[: len(self.kept) // 2], key=lambda text: -len(asked & set(text.lower().split())))[:k]

    def get_all_memories(self) -> list[str]:
        return list(self.kept)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audit") / "run"
    suites = ["memfail/persona", "memfail/conditional-easy", "memfail/coexisting"]
    memtriage.run({"forgetful": Forgetful}, "bm25", suite=suites, rows=6, k=[2, 5], seed=5, out=path)
    return path


@pytest.fixture
def run(whole_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole_run, tmp_path / "run"))


def verdicts(path: Path) -> list[ProbeVerdict]:
    with RunReader(path) as reader:
        return list(reader.verdicts())


def rewrite(path: Path, change: Callable[[int, ProbeVerdict], ProbeVerdict | None]) -> None:
    """The run as another grading would have left it."""
    with RunReader(path) as reader:
        changed = [change(n, v) for n, v in enumerate(verdicts(path))]
        reader.write_verdicts([v for v in changed if v is not None], reader.stores())
        reader.finish({})


def items(path: Path, n: int, seed: int = 7) -> list[AuditItem]:
    with RunReader(path) as reader:
        return sample(reader, n, seed)


def sit_down(path: Path, n: int, name: str, typed: Iterable[str], width: int = 100) -> tuple[WalkResult, str]:
    """One sitting of one person, who types these lines."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    with RunReader(path) as reader, Audit(reader, n, 7) as audit:
        ended = walk(audit, name, console, io.StringIO("".join(f"{line}\n" for line in typed)))
    assert isinstance(console.file, io.StringIO)
    return ended, console.file.getvalue()


def label(path: Path, name: str, labels: dict[str, str]) -> None:
    with RunReader(path) as reader, Audit(reader, 500, 1) as audit:
        for item, found in labels.items():
            audit.record(Labelled(item, found, name, "2026-01-05T09:00:00+00:00", 1.0))  # type: ignore[arg-type]


def agreements(path: Path) -> dict[tuple[str, str], Agreement]:
    with RunReader(path) as reader:
        return {(one.first.name, one.second.name): one for one in agreement(reader)}


def of_item(path: Path) -> dict[str, ProbeVerdict]:
    """The verdict behind each item, told by an answer that is given to each trace and to no other."""
    rewrite(path, lambda n, v: replace(v, answer=f"answer {n}"))
    behind = {v.answer: v for v in verdicts(path)}
    return {item.id: behind[item.answer] for item in items(path, 500)}


# ------------------------------------------------------------------ the sample


def test_a_sample_is_seeded_and_spread_over_verdicts_and_tasks(run: Path) -> None:
    behind = of_item(run)
    drawn = items(run, 18)
    assert drawn == items(run, 18)
    assert [i.id for i in drawn] != [i.id for i in items(run, 18, seed=8)]
    strata = Counter((behind[i.id].verdict, behind[i.id].task) for i in drawn)
    sizes = Counter((v.verdict, v.task) for v in verdicts(run) if v.verdict not in ("error", "n/a"))
    assert len(sizes) > 5
    assert set(strata) == set(sizes)
    fair = 18 // len(sizes)
    assert all(strata[name] >= min(fair, size) for name, size in sizes.items())
    assert len({(i.task, i.question) for i in drawn}) >= 14  # rather another question than another k of the same


def test_a_sample_larger_than_the_run_is_the_run(run: Path) -> None:
    everything = items(run, 500)
    decided = [v for v in verdicts(run) if v.verdict != "n/a"]  # those about strangers have no answer to judge by
    assert len({i.id for i in everything}) == len(everything) == len(decided) < len(verdicts(run))


def test_errors_are_not_put_before_people(run: Path) -> None:
    rewrite(run, lambda n, v: replace(v, verdict="error", error="down") if n % 2 else v)
    assert len(items(run, 500)) == sum(v.verdict not in ("error", "n/a") for v in verdicts(run))
    rewrite(run, lambda _, v: replace(v, verdict="error", error="down"))
    with RunReader(run) as reader, pytest.raises(BadRun, match="no verdicts that a person could check"):
        Audit(reader)


def test_an_item_shows_the_fact_the_store_and_what_was_retrieved(run: Path) -> None:
    behind = of_item(run)
    for item in items(run, 500):
        verdict = behind[item.id]
        assert [f.text for f in item.facts] == [f.text for f in verdict.facts]
        assert item.store_size is not None
        assert item.store_size >= len(item.stored) > 0
        shown = {m.text for m in item.stored}
        if verdict.verdict == "not_retrieved":  # what was lost on the way back is there to be seen
            lost = [fact for fact in item.facts if any(e in text for text in shown for e in fact.evidence)]
            assert lost
        labels = {m.label: m.text for m in (*item.stored, *item.retrieved)}
        assert len(set(labels.values())) == len(labels)


def test_nothing_of_an_item_depends_on_its_verdict(run: Path) -> None:
    before = items(run, 500)

    def other(_: int, v: ProbeVerdict) -> ProbeVerdict:
        if v.verdict == "n/a":
            return v
        facts = tuple(replace(f, verdict="summary_error", why="TELLTALE", detector="judge:TELLTALE") for f in v.facts)
        return replace(v, verdict="summary_error", facts=facts, judged_by="TELLTALE")

    rewrite(run, other)
    after = items(run, 500)
    assert sorted(before, key=lambda i: i.id) == sorted(after, key=lambda i: i.id)
    assert "TELLTALE" not in repr(after)
    _, screen = sit_down(run, 10, "ada", ["s"] * 9 + ["q"])
    for telltale in ("TELLTALE", "bm25", "forgetful", "lexical", "summary_error"):
        assert telltale not in screen


# ------------------------------------------------------------------ sitting down


def test_a_person_at_a_pipe_stops_half_way_and_goes_on(run: Path) -> None:
    def sitting(typed: str) -> str:
        ran = subprocess.run(
            [sys.executable, "-c", PERSON, str(run), "6", "ada"],
            input=typed, capture_output=True, text=True, timeout=300, env={**os.environ, "COLUMNS": "100"},
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    first = sitting("1\n2\n4\nq\n")
    assert "1 of 6" in first
    assert "4 of 6" in first
    assert "Saved: 3 labels, 3 traces left." in first
    assert "agree on" not in first
    assert [one.label for one in read_labels(run)] == ["correct", "not_stored", "not_retrieved"]
    second = sitting("u\n3\n1\n")
    assert "1 of 6" not in second
    assert "4 of 6" in second
    assert "ada and lexical detector" in second
    found = read_labels(run)
    assert [one.label for one in found] == [
        "correct", "not_stored", "not_retrieved", "unsure", "summary_error", "correct",
    ]  # fmt: skip
    assert [one.item for one in found] == [i.id for i in items(run, 6)]
    assert all(one.seconds >= 0 and one.time.startswith("20") for one in found)


def test_a_person_can_label_and_comment_at_a_terminal(run: Path) -> None:
    ours, theirs = pty.openpty()
    person = subprocess.Popen(
        [sys.executable, "-c", PERSON, str(run), "2", "ada"],
        stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "COLUMNS": "100", "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    screen = b""
    for typed in (b"1\n", b"n\n", b"odd one\n", b"2\n"):
        prompt = b"note> " if typed == b"odd one\n" else b"label> "
        screen = b""
        while prompt not in screen:
            screen += os.read(ours, 4096)
        os.write(ours, typed)
    try:
        while part := os.read(ours, 4096):
            screen += part
    except OSError:  # how a terminal says that the other side is gone
        pass
    os.close(ours)
    assert person.wait(300) == 0
    assert b"lexical detector" in screen
    assert [(one.label, one.note) for one in read_labels(run)] == [("correct", ""), ("not_stored", "odd one")]


def test_one_can_go_back_skip_and_search_and_unknown_keys_are_refused(run: Path) -> None:
    word = items(run, 4)[0].stored[0].text.split()[0]
    typed = ["x", "?", "5", "", f"f {word}", "f zzzzqqq", "1", "s", "b", "b", "2", "n why not", "3", "4", "1"]
    ended, screen = sit_down(run, 4, "ada", typed)
    assert "x is none of the keys" in screen
    assert "Label the first thing that went wrong" in screen
    assert "Nobody answered here" in screen
    assert "No memory of this store holds these words" in screen
    assert "your label so far: correct" in screen
    assert ended == WalkResult(labelled=4, left=1, quit=False)
    assert "1 traces were skipped" in screen
    found = read_labels(run)
    first, second, third, fourth = (i.id for i in items(run, 4))
    assert {one.item: one.label for one in found} == {
        first: "not_stored",
        third: "summary_error",
        fourth: "not_retrieved",
    }
    assert next(one.note for one in found if one.item == third) == "why not"
    ended, _ = sit_down(run, 4, "ada", ["1"])
    assert ended == WalkResult(labelled=1, left=0, quit=False)
    assert {one.item for one in read_labels(run)} == {first, second, third, fourth}


def test_labels_are_appended_and_a_torn_line_is_no_harm(run: Path) -> None:
    sit_down(run, 4, "ada", ["1", "1", "q"])
    file = run / "audit.jsonl"
    before = file.read_bytes()
    file.write_bytes(before + b'{"kind":"label","item":"ab')
    sit_down(run, 4, "ada", ["b", "2", "1", "q"])
    after = file.read_bytes()
    assert after.startswith(before)
    assert len(read_labels(run)) == 3
    lines = [json.loads(line) for line in after.splitlines()]
    assert [one["kind"] for one in lines] == ["sample", *["label"] * 4]
    file.write_bytes(before + b'{"kind":"label","item":"ab","label":"splendid"}\n')
    with pytest.raises(BadRun, match=r"audit.jsonl: line 4 \(byte \d+\) is damaged"):
        read_labels(run)


def test_labels_that_were_cut_off_or_changed_are_missed(run: Path) -> None:
    sit_down(run, 4, "ada", ["1", "1", "q"])
    file = run / "audit.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    for left in (lines[:-1], [], [lines[0], lines[1].replace(b"correct", b"corrupt"), lines[2]]):
        file.write_bytes(b"".join(left))
        with pytest.raises(BadRun, match=r"audit.jsonl.* is damaged"):
            read_labels(run)
        assert [each.file for each in verify(run).damage] == [file]
    file.write_bytes(b"".join(lines))
    assert len(read_labels(run)) == 2
    assert verify(run).whole


def test_the_sample_stays_when_the_run_is_judged_again(run: Path) -> None:
    sit_down(run, 6, "ada", ["1", "2", "q"])
    labelled = {one.item for one in read_labels(run)}
    rewrite(run, lambda _, v: replace(v, verdict="correct", judged_by="another"))
    ended, _ = sit_down(run, 6, "ada", ["1"] * 4)
    assert ended == WalkResult(labelled=4, left=0, quit=False)
    assert labelled <= {one.item for one in read_labels(run)}
    assert agreements(run)["ada", "another"].n == 6


def test_a_trace_that_was_answered_again_is_another_one(run: Path) -> None:
    sit_down(run, 6, "ada", ["1", "q"])
    rewrite(run, lambda _, v: replace(v, answer="Something else."))
    with RunReader(run) as reader, pytest.raises(BadRun, match="no verdicts that a person could check"):
        Audit(reader, 6, 7)
    assert agreements(run)["ada", "lexical detector"].n == 0


def test_answers_are_shown_safely_and_can_be_misread(run: Path) -> None:
    rewrite(run, lambda _, v: replace(v, answer="[bold]No\x1b[2J idea\nlabel> 1", answered_by="m"))
    ended, screen = sit_down(run, 1, "ada", ["5"])
    assert ended.labelled == 1
    assert "\x1b" not in screen
    assert "Answer: [bold]No�[2J idea" in screen
    assert "\n    label> 1" in screen
    assert read_labels(run)[0].label == "reasoning_error"


def test_who_labels_must_have_a_name_and_a_sample_a_size(run: Path) -> None:
    with pytest.raises(BadInput, match="who gave it"):
        sit_down(run, 2, "  ", ["1"])
    with RunReader(run) as reader, pytest.raises(BadInput, match="--sample"):
        Audit(reader, 0)


# ------------------------------------------------------------------ agreement


def test_agreement_with_a_judge_is_what_it_is_by_hand(run: Path) -> None:
    behind = of_item(run)
    ten = list(behind)[:10]
    judged: dict[str, Verdict] = {id: "correct" if n < 5 else "not_retrieved" for n, id in enumerate(ten)}
    number = {id: n for n, id in enumerate(ten)}
    of_verdict = {v.answer: judged.get(id) for id, v in behind.items()}

    def by_judge(_: int, v: ProbeVerdict) -> ProbeVerdict:
        return replace(v, judged_by="stub", depth="full", verdict=of_verdict.get(v.answer) or v.verdict)

    rewrite(run, by_judge)
    wrong = {4: "not_retrieved", 5: "correct", 6: "unsure"}
    label(run, "ada", {id: wrong.get(number[id], judged[id]) for id in ten})
    label(run, "bo", {id: judged[id] for id in ten[:4]})
    found = agreements(run)
    with_judge = found["ada", "stub"]
    assert dict(with_judge.confusion) == {
        ("correct", "correct"): 4,
        ("not_retrieved", "correct"): 1,
        ("correct", "not_retrieved"): 1,
        ("not_retrieved", "not_retrieved"): 3,
    }
    assert (with_judge.n, with_judge.agreed, with_judge.undecided) == (9, 7, 1)
    # 7 of 9 agree; both say correct 5 times and not_retrieved 4 times: by chance (25 + 16) / 81.
    assert with_judge.kappa == pytest.approx((63 - 41) / (81 - 41))
    assert [round(bound, 3) for bound in with_judge.interval] == [0.453, 0.937]
    between = found["ada", "bo"]
    assert (between.n, between.agreed, between.kappa) == (4, 4, 1.0)
    assert list(found) == [
        ("ada", "stub"), ("bo", "stub"), ("ada", "lexical detector"), ("bo", "lexical detector"), ("ada", "bo"),
    ]  # fmt: skip


def test_the_detector_is_held_against_people_without_what_it_left_open(run: Path) -> None:
    behind = of_item(run)
    label(run, "ada", {id: "not_stored" if v.verdict == "uncertain" else v.verdict for id, v in behind.items()})
    rewrite(
        run, lambda _, v: replace(v, verdict="reasoning_error", judged_by="stub")
    )  # what a judge says changes nothing
    found = agreements(run)["ada", "lexical detector"]
    undecided = sum(v.verdict == "uncertain" for v in behind.values())
    assert (found.n, found.undecided) == (len(behind) - undecided, undecided)
    assert found.agreed == found.n > 20
    assert found.kappa == 1.0


def test_a_misreading_is_no_disagreement_with_a_detector_that_reads_no_answers(run: Path) -> None:
    right = [id for id, v in of_item(run).items() if v.verdict == "correct"]
    rewrite(run, lambda _, v: replace(v, depth="full", judged_by="stub"))
    label(run, "ada", dict.fromkeys(right, "reasoning_error"))
    found = agreements(run)
    assert dict(found["ada", "lexical detector"].confusion) == {("correct", "correct"): len(right)}
    assert dict(found["ada", "stub"].confusion) == {("reasoning_error", "correct"): len(right)}


def test_two_people_sit_down_apart_and_are_compared(run: Path) -> None:
    sit_down(run, 3, "ada", ["1", "2", "4"])
    ended, screen = sit_down(run, 3, "bo", ["1", "2", "2"])
    assert ended == WalkResult(labelled=3, left=0, quit=False)
    found = agreements(run)["ada", "bo"]
    assert (found.agreed, found.n) == (2, 3)
    assert "ada and bo" in screen
    assert "agree on 66.7 % [20.8–93.9] (2 of 3)" in screen


def test_without_labels_there_is_no_agreement(run: Path) -> None:
    console = Console(file=io.StringIO(), width=80)
    with RunReader(run) as reader:
        print_agreement(agreement(reader), console)
    assert isinstance(console.file, io.StringIO)
    assert "No labels yet" in console.file.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_agreement_is_printed_and_exported(width: int) -> None:
    one = Agreement(
        Rater("person", "ada [b]"), Rater("judge", "m/x"), {("correct", "correct"): 3, ("not_stored", "correct"): 1}, 2
    )
    console = Console(file=io.StringIO(), width=width, color_system=None)
    print_agreement([one], console)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "ada [b] and judge m/x" in text
    assert "75.0 %" in text
    assert "undecided 2" in text
    assert max(map(len, text.splitlines())) <= width
    assert agreement_json([one]) == {
        "schema": "memtriage.agreement/1",
        "pairs": [
            {
                "first": {"kind": "person", "name": "ada [b]"},
                "second": {"kind": "judge", "name": "m/x"},
                "n": 4,
                "agreed": 3,
                "interval": [0.300642, 0.954413],
                "kappa": 0.0,
                "undecided": 2,
                "confusion": [
                    {"first": "correct", "second": "correct", "n": 3},
                    {"first": "not_stored", "second": "correct", "n": 1},
                ],
            }
        ],
    }
