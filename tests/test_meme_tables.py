"""MEME's tables: scores with their means, the two axes, what was missed after a change, and rewritten stores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

import memtriage
from conftest import shared_data
from memtriage.core.episode import Session
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request
from memtriage.core.trace import Usage
from memtriage.core.verdict import FactVerdict, ProbeVerdict, StoreSummary, Verdict
from memtriage.report.terminal.show import show
from memtriage.suites.meme.suite import SUITE
from memtriage.tables.missed import missed
from memtriage.tables.rewrites import rewrites
from memtriage.tables.scores import Score, axis_scores, scores
from memtriage.tables.table import table
from memtriage.tables.values import Sample, samples
from memtriage.tables.values import value as value_of

TASKS = ("exact-recall", "aggregation", "tracking", "deletion", "cascade", "absence")
TABLE_2 = {
    "BM25": (1.00, 0.05, 0.16, 0.27, 0.02, 0.00),
    "text-embedding-3-small": (0.96, 0.33, 0.46, 0.17, 0.04, 0.00),
    "Mem0": (0.67, 0.35, 0.43, 0.21, 0.03, 0.00),
    "Graphiti": (0.03, 0.01, 0.04, 0.09, 0.02, 0.01),
    "MD-flat": (0.94, 0.45, 0.77, 0.25, 0.06, 0.05),
    "Karpathy Wiki": (0.11, 0.18, 0.27, 0.03, 0.01, 0.02),
}
"""The accuracies in the paper's table 2, of the six memory systems."""
OVERALL = {"BM25": 0.25, "text-embedding-3-small": 0.33, "Mem0": 0.28, "Graphiti": 0.03, "MD-flat": 0.42}
AVERAGE = dict(zip((*TASKS, "all"), (0.62, 0.23, 0.35, 0.17, 0.03, 0.01, 0.24), strict=True))
HUNDRED = 100


def graded(system: str, accuracies: Sequence[float]) -> list[ProbeVerdict]:
    """A hundred answers to each task, so many of them right."""
    return [
        ProbeVerdict(
            *("meme", f"meme/{task}", system, f"e{n}", f"{task}{n}", 5, "full"),
            *("correct" if n < round(HUNDRED * share) else "not_retrieved", "Which?", "this"),
            facts=(),
            answer="…",
            right=n < round(HUNDRED * share),
        )
        for task, share in zip(TASKS, accuracies, strict=True)
        for n in range(HUNDRED)
    ]


def published() -> list[ProbeVerdict]:
    found = [verdict for system, shares in TABLE_2.items() for verdict in graded(system, shares)]
    return found + graded("full-context", (1.00, 0.27, 0.69, 0.45, 0.03, 0.04)) + before()


def before() -> list[ProbeVerdict]:
    """Questions before the change, which count for nothing by themselves."""
    return [ProbeVerdict("meme", "meme/before", "BM25", "e", "b", 5, "full", "correct", "?", "x", (), right=True)]


def value(found: Sequence[Score], system: str, task: str) -> float:
    (one,) = (score for score in found if (score.system, score.task) == (system, task))
    return one.value


def test_overall_and_average_are_those_of_the_papers_table_2() -> None:
    found = scores(table(published(), []))
    assert {score.measure for score in found} == {"accuracy"}
    assert not any("before" in score.task for score in found)
    for system, overall in OVERALL.items():
        assert value(found, system, "all") == pytest.approx(overall, abs=0.0051)
    assert value(found, "full-context", "all") == pytest.approx(2.48 / 6)
    for task, average in AVERAGE.items():  # which leaves the ceiling out
        name = task if task == "all" else f"meme/{task}"
        assert value(found, "all", name) == pytest.approx(average, abs=0.0051)


def test_the_mean_of_tasks_has_an_interval_narrower_than_any_tasks_own() -> None:
    found = scores(table(graded("one", (0.5,) * 6), []))
    [mean] = [score for score in found if score.task == "all"]
    [task] = [score for score in found if score.task == "meme/cascade"]
    assert mean.value == 0.5
    assert _width(mean) == pytest.approx(_width(task) / 6**0.5)
    assert not [score for score in found if score.system == "all"]  # of a single system there is no mean


def _width(score: Score) -> float:
    assert score.low is not None
    assert score.high is not None
    return score.high - score.low


def test_axes_are_those_of_the_papers_figure_3() -> None:
    """Entity scope costs 0.31 and time 0.28; where both meet, 0.02 is left."""
    found = {
        (one.first, one.second): one.value for one in axis_scores(scores(table(published(), []))) if one.system == "all"
    }
    assert found["multi", "evolving"] == pytest.approx(0.02, abs=0.0051)
    assert found["single", "all"] - found["multi", "all"] == pytest.approx(0.31, abs=0.01)  # table 2 is rounded
    assert found["all", "static"] - found["all", "evolving"] == pytest.approx(0.28, abs=0.0051)
    assert found["single", "evolving"] == pytest.approx((0.355 + 0.17) / 2, abs=1e-3)


def fact(id: str, verdict: Verdict) -> FactVerdict:
    return FactVerdict(id, id, (), verdict, "why")


def pair(
    name: str, facts: Mapping[str, Verdict], outcome: str = "knew_but_failed", system: str = "one"
) -> ProbeVerdict:
    return ProbeVerdict(
        *("meme", "meme/cascade", system, "e", name, 5, "full", "reasoning_error", "?", "x"),
        facts=tuple(fact(id, verdict) for id, verdict in facts.items()),
        tags={"pair": outcome},
    )


def test_what_was_missed_is_told_by_change_rule_and_answer() -> None:
    came: Verdict = "correct"
    gone: Verdict = "not_retrieved"
    found = missed(
        [
            pair("change", {"rule/a": came, "change": gone, "now/a": gone}),
            pair("rule", {"rule/a": "not_stored", "rule/b": came, "change": came}),
            pair("both", {"rule/a": "summary_error", "change": gone}),
            pair("misread", {"rule/a": came, "change": came, "now/a": gone}),
            pair("told outright", {"rule/a": gone, "change": gone, "now/a": came}),
            pair("one of two ways is enough", {"dep/a": came, "rule/a": gone, "change": came}),
            pair("open", {"rule/a": came, "change": "uncertain"}),
            pair("fine", {"rule/a": came, "change": came}, "credited"),
            pair("elsewhere", {"rule/a": came, "change": gone}, system="two"),
            pair("ceiling", {"rule/a": came, "change": gone}, system="oracle"),
        ]
    )
    rows = {row.system: row for row in found}
    one = rows["one"]
    assert (one.pairs, one.cases) == (8, 7)
    assert (one.change, one.rule, one.both, one.answering, one.open) == (1, 1, 1, 3, 1)
    assert (rows["all"].pairs, rows["all"].cases, rows["all"].change) == (9, 8, 2)
    assert rows["oracle"].change == 1


def test_numbers_of_the_papers_tables_by_hand() -> None:
    came: Verdict = "correct"
    cases = [pair(str(n), {"rule/a": came, "change": "not_retrieved"}) for n in range(3)]
    cases += [pair("x", {"rule/a": came, "change": came}), pair("y", {"rule/a": came, "change": came}, "credited")]
    [sample] = samples(cases, []).values()
    found = {
        name: value_of(name, sample) for name in ("failed_cases", "missed_change", "missed_rule", "missed_answering")
    }
    assert {name: one and one.mean for name, one in found.items()} == {
        "failed_cases": 4,
        "missed_change": 0.75,
        "missed_rule": 0,
        "missed_answering": 0.25,
    }
    unanswered = Sample([replace(verdict, depth="memory") for verdict in sample.verdicts])
    assert value_of("missed_answering", unanswered) is None, "nobody answered, so nobody can have misread"

    rights = {0: (True, True), 1: (True, False), 2: (False, False)}
    repeated = Sample(
        [
            replace(pair(f"{n}", {}), right=right, ingest_repeat=repeat)
            for repeat, pairs in rights.items()
            for n, right in enumerate(pairs)
        ]
    )
    spread = value_of("accuracy_sd", repeated)
    assert spread is not None
    assert (spread.mean, spread.n) == (0.5, 3)  # of 1, 0.5 and 0
    assert value_of("accuracy_sd", Sample(repeated.verdicts[:2])) is None, "one run has no spread"


def test_tokens_and_dollars_count_what_came_from_the_cache() -> None:
    paid = Usage(2, 0, 0, 1_000, 100, 0.5)
    cached = Usage(0, 2, 0, 0, 0, 0.0, 1_000, 100, 0.5)
    unknown = Usage(0, 2, 0, 0, 0, 0.0)  # as earlier versions recorded it
    for used, dollars in ((paid, 0.5), (cached, 0.5), (unknown, None)):
        store = StoreSummary("meme", "meme/x", "one", "e", 5, 1, 1, 1.0, ingest_usage=used, answer_usage=Usage())
        sample = Sample([], [store])
        found = {
            name: value_of(name, sample) for name in ("ingest_dollars", "dollars", "ingest_input", "ingest_output")
        }
        expected = (dollars, dollars, 1_000, 100) if dollars else (None,) * 4
        assert tuple(one and one.mean for one in found.values()) == expected


class Grows:
    """Keeps the first turn of every session."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def store_conversation(self, conversation: Session) -> None:
        self.notes = [*self.notes, conversation.turns[0].text]

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[str]:
        return self.notes[:k]

    def get_all_memories(self) -> list[str]:
        return list(self.notes)


class Forgets(Grows):
    """Keeps the first turn of the last session alone."""

    def store_conversation(self, conversation: Session) -> None:
        self.notes = [conversation.turns[0].text]


def test_rewritten_stores_are_told_from_those_that_only_grow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    run = memtriage.run(
        *("none", Grows, Forgets),
        suite="meme/personal-life",
        rows=2,
        k=[3],
        options={"filler": "none"},
        out=out,
    )
    rows = {row.system.rpartition(":")[2]: row for row in rewrites(run.reader)}
    grows, shrinks, empty = rows["Grows"], rows["Forgets"], rows["none"]
    assert (grows.stores, grows.wrote, grows.rewrote) == (2, 2, 0)
    assert (shrinks.stores, shrinks.wrote, shrinks.rewrote) == (2, 2, 2)
    assert (empty.wrote, empty.rewrote, empty.after, empty.delta) == (0, 0, 0, None)

    first = [[session.turns[0].text for session in episode.sessions] for episode in run.reader.episodes()]
    assert grows.before == sum(len(text) for said in first for text in said[:-1]) / 2
    assert grows.after == sum(len(text) for said in first for text in said) / 2
    assert shrinks.before == sum(len(said[-2]) for said in first) / 2
    show(run, Console(width=80), by="rewrite")
    told = capsys.readouterr().out
    assert "2 (100%)" in told
    show(run, Console(width=80), by="rewrite", form="json")
    recorded = json.loads(capsys.readouterr().out)["rows"]
    assert next(row for row in recorded if row["system"].endswith("Forgets"))["delta"] == shrinks.delta


@pytest.mark.parametrize("by", ["score", "quadrant", "missed"])
def test_every_table_fits_into_80_columns(by: str, capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = [*published(), pair("one", {"rule/a": "correct", "change": "not_retrieved"})]
    show(SimpleNamespace(verdicts=verdicts, stores=[]), Console(width=80), by=by)
    told = capsys.readouterr().out
    assert "…" not in told
    numbers = [line for line in told.splitlines() if line.startswith(("BM25 ", "one "))]
    assert numbers
    assert max(map(len, told.splitlines())) <= 80


@pytest.mark.parametrize("by", ["quadrant", "missed", "rewrite"])
def test_other_suites_have_no_such_table(by: str) -> None:
    other = [ProbeVerdict("memfail", "memfail/persona", "bm25", "e", "p", 5, "memory", "correct", "?", "x", ())]
    with pytest.raises(BadInput, match=f"--by {by} needs"):
        show(SimpleNamespace(verdicts=other, stores=[]), Console(), by=by)


def tables_about_data(request: Request) -> dict[str, dict[str, tuple[object, ...]]]:
    """The tables of `data stats` by title, their rows by name."""
    assert SUITE.statistics is not None
    found = SUITE.statistics(["personal-life", "software-project"], request)
    return {one.title.partition(":")[0]: {str(row[0]): tuple(row[1:]) for row in one.rows} for one in found}


def test_graphs_and_episodes_are_counted_as_in_the_papers_table_7() -> None:
    found = tables_about_data(Request(rows=2, options={"filler": "none"}))
    assert found["MEME, table 7 (a)"] == {
        "Total entities": (39, 51),
        "Root": (5, 5),
        "Middle": (5, 6),
        "Leaf": (19, 21),
        "Orphan": (10, 19),
        "Dependency edges": (34, 27),
    }
    episodes = found["MEME, table 7 (b)"]
    assert episodes["Number of episodes"] == (2, 2)
    assert episodes["Evidence sessions / epi."] == (5, 5)
    assert episodes["Filler sessions / epi."] == episodes["Filler tokens / epi."] == (0, 0)
    assert "MEME, table 10" not in found, "there were no fillers"


def test_fillers_of_a_pool_are_counted_before_and_after_the_filter(tmp_path: Path) -> None:
    harmless = [
        [{"role": "user", "content": f"Tell me about basalt, part {n}. " + "Rocks are old. " * 99}] for n in range(9)
    ]
    request = Request(rows=1, options={"filler": "1k", "pool": str(tmp_path / "pool.json")})
    (tmp_path / "pool.json").write_text(json.dumps(harmless), encoding="utf-8")
    (life,) = SUITE.select("personal-life")
    (episode,) = life.load(request).episodes
    told = [fact.details[0] for fact in episode.facts if fact.id.startswith("value/")]
    touching = [[{"role": "user", "content": f"Somebody spoke of {value} on the radio."}] for value in told]
    (tmp_path / "pool.json").write_text(json.dumps([*harmless, *touching]), encoding="utf-8")
    found = tables_about_data(request)["MEME, table 10"]["Personal Life"]
    assert found == (9 + len(told), 9, len(told), f"0 / {len(told)} / 0")
    filled = tables_about_data(request)["MEME, table 7 (b)"]
    assert filled["Filler sessions / epi."][0] > 0  # type: ignore[operator]


def test_released_skeletons_are_counted_too() -> None:
    found = tables_about_data(Request(data=shared_data("meme"), options={"filler": "none"}))
    assert found["MEME, table 7 (b)"]["Number of episodes"] == (20, 20)
    assert found["MEME, table 7 (b)"]["Total questions"] == (129, 148)
