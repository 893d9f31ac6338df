"""What MemoryAgentBench's tasks are at full size: the paper's table 5."""

from __future__ import annotations

import pytest

from memtriage.suites.memoryagentbench.generate import eventqa, longmemeval
from memtriage.suites.memoryagentbench.generate.plan import MAKERS, Plan, shares
from memtriage.suites.memoryagentbench.kinds import KINDS, Kind

TABLE_5: dict[Kind, tuple[int, int, int]] = {
    "sh-docqa": (1, 100, 197_000),
    "mh-docqa": (1, 100, 421_000),
    "longmemeval": (5, 300, 355_000),
    "eventqa": (5, 500, 534_000),
    "icl": (5, 500, 103_000),
    "recommendation": (1, 200, 1_440_000),
    "summarization": (100, 100, 172_000),
    "detective": (10, 71, 124_000),
    "factconsolidation-sh": (1, 100, 262_000),
    "factconsolidation-mh": (1, 100, 262_000),
}
"""Contexts, questions about all of them, tokens of one."""


@pytest.mark.parametrize("kind", KINDS)
def test_without_options_a_task_is_as_large_as_in_the_paper(kind: Kind) -> None:
    plan = Plan.of(kind, None, {})
    assert (MAKERS[kind].contexts, plan.rows, plan.length) == TABLE_5[kind]
    if kind != "detective":  # its stories have seven or eight questions each
        assert len(shares(kind, plan.rows, {})) == MAKERS[kind].contexts


def test_few_questions_take_one_context_and_many_are_spread() -> None:
    assert shares("eventqa", 100, {}) == [100]
    assert shares("longmemeval", 61, {}) == [31, 30]
    novels = list(eventqa.contexts(4_000, 9, 1, {"contexts": "2"}))
    assert [len(novel.queries) for novel in novels] == [5, 4]
    assert novels[0].text != novels[1].text
    assert {novel.id for novel in novels} == {"eventqa-1", "eventqa-1-2"}
    assert novels[0] == next(eventqa.contexts(4_000, 5, 1, {}))
    histories = list(longmemeval.contexts(30_000, 4, 1, {"contexts": "2"}))
    assert [len(history.queries) for history in histories] == [2, 2]
