"""Terminal tables: readable at 80 columns, complete, honest about their depth, and safe to print."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memtriage.core.errors import BadInput
from memtriage.core.verdict import FactVerdict, ProbeVerdict, Verdict
from memtriage.report.terminal.tables import (
    bar,
    percent,
    plain,
    print_comparison,
    print_confusion,
    print_facts,
    print_probes,
    print_table,
    table_csv,
)
from memtriage.tables.compare import compare
from memtriage.tables.outcomes import outcomes
from memtriage.tables.standings import standings
from memtriage.tables.table import Row, columns_of, table


def row(**changes: Any) -> Row:
    columns: dict[str, Any] = {
        "suite": "memfail", "task": "persona", "system": "bm25", "k": 5, "depth": "memory", "n": 100, "correct": 70,
        "not_stored": 10, "summary_error": 12, "not_retrieved": 8, "reasoning_error": 0, "uncertain": 0, "na": 0,
        "error": 0, "success": 0.7, "low": 0.6042, "high": 0.7811, "tokens_per_memory": 74.21, "context_tokens": 1307.0,
    }  # fmt: skip
    return Row(**{**columns, **changes})


def printed(show: Any, *arguments: Any, width: int = 80, **options: Any) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    show(*arguments, console, **options)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def probe(verdict: Verdict, id: str, question: str = "When?", why: str = "gone", system: str = "bm25") -> ProbeVerdict:
    facts = (FactVerdict("f0", question, (), verdict, why),)
    return ProbeVerdict("memfail", "persona", system, "e0", id, 5, "memory", verdict, question, "gold", facts)


def line(text: str, *words: str) -> str:
    """The first printed line that holds all of these words."""
    return next(each for each in text.splitlines() if all(word in each for word in words))


@pytest.mark.parametrize("width", [80, 100, 120, 160])
def test_a_table_shows_every_number_of_a_row_within_the_width(width: int) -> None:
    text = printed(print_table, [row(), row(system="dense", k=10)], width=width)
    shown = line(text, "bm25")
    for number in ("70.0 %", "60.4–78.1", " 10", " 12", " 8", "74.2", "1,307"):
        assert number in shown
    assert all(len(each) <= width for each in text.splitlines())
    assert "█" in shown
    assert "S" in shown


@pytest.mark.parametrize("width", [80, 140])
def test_a_crowded_full_depth_table_still_shows_every_count(width: int) -> None:
    crowded = row(
        system="package.module:AVeryLongSystemName", depth="full", n=1000, correct=600, not_stored=101,
        summary_error=102, not_retrieved=103, reasoning_error=41, uncertain=42, na=5, error=6,
    )  # fmt: skip
    text = printed(print_table, [crowded, row(depth="full")], width=width)
    shown = line(text, "AVeryLongSystem")
    for count in ("1000", "101", "102", "103", "41", "42", " 5", " 6"):
        assert count in shown
    assert all(len(each) <= width for each in text.splitlines())


def test_a_very_narrow_table_gives_up_tokens_before_counts() -> None:
    shown = line(printed(print_table, [row(uncertain=7, system="some-long-system-name")], width=52), "some-long")
    assert shown.split()[-4:] == ["10", "12", "8", "7"]


def test_blocks_are_per_task_and_rows_grouped_by_k() -> None:
    rows = [row(task=t, system=s, k=k) for t in ("persona", "long-hop") for s in ("bm25", "dense") for k in (5, 10)]
    text = printed(print_table, rows)
    order = [each.split()[:2] for each in text.splitlines() if each.strip()[:2] in ("5 ", "10")]
    assert order == [["5", "bm25"], ["5", "dense"], ["10", "bm25"], ["10", "dense"]] * 2
    assert text.index("persona") < text.index("long-hop")
    by_system = printed(print_table, rows, by="system")
    assert [e.split()[1] for e in by_system.splitlines() if e.strip().startswith("5 ")] == ["persona", "long-hop"] * 2
    with pytest.raises(BadInput, match="'task'"):
        print_table(rows, Console(file=io.StringIO()), by="tsk")


def test_variants_of_a_system_can_be_told_apart_at_80_columns() -> None:
    names = [
        "full-context:newest=50",
        "full-context:newest=500",
        *(f"lme:value={v},key=fact" for v in ("round", "turn")),
    ]
    text = printed(print_table, [row(system=name) for name in names])
    shown = [each.split()[1] for each in text.splitlines() if each.strip().startswith("5 ")]
    assert shown == ["full-context:50", "full-context:500", "lme:value=round", "lme:value=turn"]


def test_floor_and_ceilings_follow_the_other_systems() -> None:
    order = ("none", "bm25", "full-context", "dense", "oracle", "full-context:newest=5")
    verdicts = [
        replace(probe("correct", "p"), system=name, k=k, depth="full", right=True) for name in order for k in (5, 10)
    ]
    last = ["bm25", "dense", "full-context:newest=5", "none", "full-context", "oracle"]
    rows = table(verdicts, [])
    assert list(dict.fromkeys(each.system for each in rows)) == last
    assert list(dict.fromkeys(each.system for each in outcomes(verdicts))) == last
    assert [each.system for each in standings(verdicts, rows).ranked[3:]] == ["full-context", "none", "oracle"]
    text = printed(print_table, rows)
    assert [each.split()[1] for each in text.splitlines() if each.strip().startswith("10 ")] == [
        *("bm25", "dense", "full-context:5", "none", "full-context", "oracle"),
    ]


def test_the_caption_says_depth_interval_where_to_look_for_differences_and_tokenizer() -> None:
    text = " ".join(printed(print_table, [row()]).split())
    assert "Depth memory-only" in text
    assert "95 % Wilson" in text
    assert "--by difference" in text
    assert "cl100k_base" in text
    assert "worst" not in text
    for open in ("uncertain", "error"):
        assert "worst to the best case" in " ".join(printed(print_table, [row(**{open: 3})]).split())


def test_what_did_not_happen_takes_no_column_and_what_did_is_in_the_legend() -> None:
    calm = printed(print_table, [row()], width=160)
    assert "misread" not in calm
    assert "! error" not in calm
    rough = printed(print_table, [row(error=2, na=1)], width=160)
    assert "! error" in rough
    assert "- n/a (not applicable)" in rough


def test_a_row_without_success_shows_a_dash() -> None:
    text = printed(print_table, [row(success=None, tokens_per_memory=None, context_tokens=None, low=0.0, high=1.0)])
    assert "–" in line(text, "bm25")
    assert "No probes" in printed(print_table, [])


@given(
    st.lists(st.integers(0, 200), min_size=8, max_size=8).filter(any),
    st.integers(8, 60),
)
def test_a_bar_fills_its_width_and_shows_whatever_happened(counts: list[int], width: int) -> None:
    names = columns_of(Row)[6:14]
    letters = dict(zip(names, "█SMRX?-!", strict=True))
    drawn = bar(row(n=sum(counts), **dict(zip(names, counts, strict=True))), width).plain
    assert len(drawn) == width
    for name, count in zip(names, counts, strict=True):
        assert (letters[name] in drawn) == (count > 0)


def test_a_bar_is_in_proportion() -> None:
    assert bar(row(), 10).plain == "███████SMR"
    assert bar(row(n=100, correct=50, not_stored=50, summary_error=0, not_retrieved=0), 8).plain == "████SSSS"


def test_untrusted_text_is_neither_markup_nor_control_sequence() -> None:
    hostile = "[red]x[/red] [/] \x1b[2J\x07 \u202etxt \udcff\nnext"
    for show in (print_probes, print_facts):
        text = printed(show, [probe("not_stored", "[b]id", hostile, hostile)], width=200)
        assert "[red]x[/red] [/]" in text
        assert "[b]id" in text
        assert not set(text) & set("\x1b\x07\u202e\udcff")
        assert "↵next" in text
    table_text = printed(print_table, [row(system="[red]", task="[/]\x1b[0m")])
    assert "[red]" in table_text
    assert "\x1b" not in table_text


@given(st.text())
def test_any_text_becomes_one_printable_line(text: str) -> None:
    shown = plain(text).plain
    assert len(shown) == len(text)
    shown.encode()
    assert len(shown.splitlines()) <= 1


def test_long_lists_say_how_many_are_left_out() -> None:
    many = [probe("not_stored", f"p{i}") for i in range(30)]
    text = printed(print_probes, many, limit=5)
    assert "p4" in text
    assert "p5" not in text
    assert "and 25 more" in text
    assert "more" not in printed(print_probes, many, limit=None)
    assert "and 28 more" in printed(print_facts, many, limit=2)


def test_a_comparison_shows_both_shares_the_difference_and_the_flips() -> None:
    a = [probe("correct" if i < 5 else "not_stored", f"p{i}") for i in range(20)]
    b = [probe("correct" if i < 15 else "not_retrieved", f"p{i}", system="dense") for i in range(20)]
    comparison = compare([*a, probe("uncertain", "p20")], [*b, probe("correct", "p20", system="dense")])
    text = printed(print_comparison, comparison, names=("one", "[two]"))
    shown = line(text, "persona")
    # 5 and 15 of 20; ten flips one way: p = 2 / 2^10.
    for word in ("25.0", "75.0", "+50.0", " 20 ", " 0/10 ", "0.002", " B"):
        assert word in shown
    assert all(len(each) <= 80 for each in text.splitlines())
    assert "B = [two]" in text
    assert "bm25 → dense" in text
    assert "1 uncertain in A" in " ".join(text.split())
    assert "no success of the side that raised it: 0 in A, 0 in B" in " ".join(text.split())
    assert "(+47.6 to +52.4)" in text  # p20 counted for A: 15 - 6 of 21, or for B: 16 - 5 of 21
    assert "p14" in text
    assert "p15" not in text


def test_a_confusion_table_sums_up_agreement_attribution_and_false_alarms() -> None:
    matrix: dict[tuple[Verdict, Verdict], int] = {
        ("correct", "correct"): 18,
        ("correct", "not_retrieved"): 1,
        ("correct", "uncertain"): 1,
        ("not_stored", "not_stored"): 10,
        ("summary_error", "summary_error"): 7,
        ("summary_error", "not_stored"): 3,
    }
    text = printed(print_confusion, matrix)
    # Observed 35/40. By chance (20·18 + 10·13 + 10·7 + 0·1 + 0·1) / 1600 = 560/1600; kappa = (0.875 - 0.35) / 0.65.
    assert "κ 0.808" in text
    # Wilson for 17 of 20: z² = 3.841459, centre (0.85 + 0.096036) / 1.192073 = 0.793606, half 0.154590.
    assert "attributed 85.0 % [64.0–94.8] (17 of 20)" in text
    assert "false alarms 10.0 %" in text
    assert line(text, "summary error (mangled").split()[-6:] == ["·", "3", "7", "·", "·", "10"]
    assert "not retrieved" in printed(print_confusion, matrix, width=140)
    assert "κ –" in printed(print_confusion, {})


def test_false_alarms_come_from_the_memory_without_faults_where_there_is_one() -> None:
    console = Console(file=io.StringIO(), width=80, color_system=None)
    print_confusion({("not_stored", "not_stored"): 2}, console, unfaulted={"correct": 99, "uncertain": 1})
    assert isinstance(console.file, io.StringIO)
    assert "false alarms 1.0 %" in console.file.getvalue()
    assert "(1 of 100)" in console.file.getvalue()


def test_csv_reads_back() -> None:
    rows = [row(system='odd, "name"\n'), row(success=None)]
    back = list(csv.DictReader(io.StringIO(table_csv(rows))))
    assert list(back[0]) == columns_of(Row)
    assert back[0]["system"] == 'odd, "name"\n'
    assert (back[0]["success"], back[1]["success"]) == ("0.7", "")


def test_a_terminal_without_unicode_gets_letters_it_can_show() -> None:
    raw = io.BytesIO()
    console = Console(file=io.TextIOWrapper(raw, encoding="ascii", write_through=True), width=80, color_system=None)
    print_table([row(system="größe")], console)
    text = raw.getvalue().decode("ascii")
    assert "###" in text
    assert "gr??e" in text


def test_percent_reads_like_people_write_it() -> None:
    assert (percent(0.8731), percent(1.0), percent(None), percent(float("nan"))) == ("87.3 %", "100.0 %", "–", "–")


def test_real_verdicts_go_all_the_way_to_the_terminal() -> None:
    verdicts = [probe("correct", "p0"), probe("not_stored", "p1"), probe("uncertain", "p2")]
    shown = line(printed(print_table, table(verdicts, [])), "bm25")
    assert "33.3 %" in shown
