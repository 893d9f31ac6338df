"""The project's own prompts with what a strong model said to them: all of it is read, and runs end as they did."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conftest import Cli
from memtriage import api
from model_server import ModelServer
from recorded import SCENES, Recording, arguments

ENDED = {
    "memfail": {
        "bm25": {"correct": 22, "not_retrieved": 6},
        "facts": {"correct": 21, "not_retrieved": 7},
    },
    "meme": {
        "graph": {"correct": 31, "not_retrieved": 17},
        "notes": {"correct": 42, "not_retrieved": 6},
        "struct": {"correct": 37, "not_retrieved": 11},
    },
    "longmemeval": {
        "facts": {"correct": 18, "not_stored": 2},
        "lme": {"correct": 15, "not_retrieved": 5},
    },
    "memoryagentbench": {"bm25": {"correct": 16, "not_retrieved": 3, "reasoning_error": 1}},
    "agent": {"mdfile": {"correct": 14}},
}
"""How many probes of each system ended how when the replies were recorded."""


ASKED_OTHERWISE = ("memfail", "meme", "agent")
"""Scenes whose judge is asked about several facts at once since they were recorded: see recorded.py."""


@pytest.mark.parametrize("scene", [scene for scene in SCENES if scene not in ASKED_OTHERWISE])
def test_what_a_strong_model_said_is_read_without_an_error(scene: str, cli: Cli, tmp_path: Path) -> None:
    recording = Recording(scene)
    with ModelServer(recording) as server:
        cli(*arguments(scene, server.url, tmp_path), "--out", "run")
    assert recording.missing == [], "other data than those that were recorded: see recorded.py"
    assert recording.used == set(recording.replies), "replies that nothing asks for any more"
    run = api.load("run")
    assert run.errors == 0
    ended: dict[str, Counter[str]] = {}
    for verdict in run.verdicts():
        ended.setdefault(verdict.system, Counter())[verdict.verdict] += 1
    assert ended == ENDED[scene]
