"""What the paper's prompts have beyond chunks and questions, and its tables about the data."""

from __future__ import annotations

import pytest

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request
from memtriage.suites.memoryagentbench.kinds import KINDS, SPECS, Kind
from memtriage.suites.memoryagentbench.suite import SUITE


def episodes(kind: Kind, rows: int = 2, **options: str) -> list[Episode]:
    (task,) = SUITE.select(kind)
    return list(task.load(Request(rows=rows, options={"length": "6k", **options})).episodes)


@pytest.mark.parametrize("kind", KINDS)
def test_an_assistant_acknowledges_every_chunk_and_nothing_else_changes(kind: Kind) -> None:
    plain, told = episodes(kind, 1), episodes(kind, 1, acknowledge="yes")
    for before, after in zip(plain, told, strict=True):
        assert [session.turns[0] for session in after.sessions] == [session.turns[0] for session in before.sessions]
        for session in (*after.sessions, *after.coarse):
            user, reply = session.turns
            assert (user.role, reply.role, reply.text) == ("user", "assistant", SPECS[kind].reply)
        assert len({turn.id for session in after.sessions for turn in session.turns}) == 2 * len(after.sessions)
        assert (after.facts, after.probes) == (before.facts, before.probes)


def test_requests_for_a_summary_come_with_summaries_of_other_novels() -> None:
    (plain,), (told,) = episodes("summarization", 1), episodes("summarization", 1, demonstrations="yes")
    (before,), (after,) = plain.probes, told.probes
    head, *examples = after.instruction.split("\n\nAn example, of another novel:\n")
    assert head == before.instruction
    assert len(examples) == 2
    assert examples[0] != examples[1]
    assert min(len(example.split()) for example in examples) > 200
    assert not any(point in example for point in after.golds for example in examples)
    assert (after.text, after.golds, told.sessions) == (before.text, before.golds, plain.sessions)


def test_options_that_do_not_apply_are_refused() -> None:
    with pytest.raises(BadInput, match="'demonstrations' does not apply to memoryagentbench/icl"):
        episodes("icl", demonstrations="yes")
    with pytest.raises(BadInput, match="acknowledge is yes or no, not 'maybe'"):
        episodes("icl", acknowledge="maybe")


def test_data_are_counted_as_in_the_papers_tables_1_and_5() -> None:
    assert SUITE.statistics is not None
    request = Request(rows=120, options={"length": "6k"})
    first, fifth = SUITE.statistics(["eventqa", "recommendation", "icl"], request)
    assert (first.title, fifth.title) == ("MemoryAgentBench, table 1", "MemoryAgentBench, table 5")
    assert [row[:4] for row in first.rows[:2]] == [
        ("Accurate Retrieval", "EventQA", "Accuracy", "6K"),
        ("Test-time Learning", "Movie Recommendation", "Recall@5", "6K"),
    ]
    assert fifth.rows[0] == ("Accurate Retrieval", "EventQA", "2 : 120", "6K")
    assert [(row[2], row[3]) for row in fifth.rows[2:]] == [("1 : 60", "6K")] * 2
    assert [str(row[1]).rsplit("_", 2)[0] for row in fifth.rows[2:]] == ["MCC: icl_made_up", "MCC: icl_made_up_2"]
