"""A run over episodes whose facts change: when stores are looked at, what storing is charged with, who may answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import memtriage
from memtriage import Memory, Session
from memtriage.config import Limits
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request
from memtriage.core.trace import Usage
from memtriage.models.scripted import StubServer
from memtriage.suites.meme.suite import SUITE

OPTIONS = {"filler": "16k"}


class Recent:
    """Keeps the last session only, and counts what it does as calls of a model."""

    def __init__(self) -> None:
        self.kept: list[Memory] = []
        self.stored = self.asked = 0

    def store_conversation(self, conversation: Session) -> None:
        self.stored += 1
        self.kept = [Memory(turn.id, turn.text) for turn in conversation.turns]

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
        self.asked += 1
        return self.kept[:k]

    def get_all_memories(self) -> Any:
        return list(self.kept)

    def usage(self) -> Usage:
        return Usage(calls=100 * self.stored + self.asked)


@pytest.fixture(scope="module")
def recent(tmp_path_factory: pytest.TempPathFactory) -> memtriage.Run:
    out = tmp_path_factory.mktemp("runs") / "a"
    return memtriage.run(Recent, suite="meme/personal-life", rows=2, k=50, options=OPTIONS, out=out)


def test_what_was_stored_and_lost_between_two_looks_never_passes_for_never_stored(recent: memtriage.Run) -> None:
    facts = [fact for verdict in recent.verdicts() for fact in verdict.facts]
    said = [fact for fact in facts if fact.verdict == "not_stored" and not fact.fact.startswith("now/")]
    assert len(said) > 20
    assert {fact.lost for fact in said} == {"later"}
    assert {fact.lost for fact in facts if fact.fact.startswith("now/")} == {"never"}


def test_storing_before_the_first_questions_is_not_charged_to_them(recent: memtriage.Run) -> None:
    (task,) = SUITE.select("personal-life")
    episodes = {one.id: one for one in task.load(Request(seed=42, rows=2, options=OPTIONS)).episodes}
    assert any(probe.after for one in episodes.values() for probe in one.probes)
    for store in recent.stores():
        episode = episodes[store.episode]
        assert store.ingest_usage == Usage(calls=100 * len(episode.sessions))
        assert store.retrieve_usage == Usage(calls=len(episode.probes))


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer("memory") as served:
        yield served


def test_a_wiki_with_a_model_answers_itself_and_says_that_it_was_scripted(server: StubServer, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"suite": "meme/personal-life", "rows": 1, "k": 5, "options": {"filler": "none"}}
    with pytest.raises(BadInput, match=r"'wiki' has no answer\(\)"):
        memtriage.run("wiki", answers=True, out=tmp_path / "b", **settings)
    limits = Limits(use_cache=False)
    found = memtriage.run(
        "wiki", answers=True, internal=f"{server.url}#files", out=tmp_path / "c", limits=limits, **settings
    )
    assert any("scripted server" in notice for notice in found.notices["wiki"])
    lines = (tmp_path / "c" / "verdicts.jsonl").read_text().splitlines()
    assert {json.loads(line)["answer"] is not None for line in lines} == {True}
