"""The embedding role: systems that embed through an endpoint, each text paid for once, on the bill of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

import memtriage
from memtriage.core.errors import MemtriageError
from memtriage.models.current import embedder
from memtriage.models.scripted import StubServer, echo


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(tmp_path / "calls.sqlite"))


def test_a_run_embeds_through_an_endpoint_and_puts_it_on_the_bill(tmp_path: Path) -> None:
    with StubServer(echo, embedding="wordllama") as server:
        spec = f"{server.url}#embedding"
        arguments = {"suite": "memfail/long-hop", "rows": 6, "k": [3]}
        run = memtriage.run("dense", "bm25", embed=spec, out=tmp_path / "a", **arguments)
        asked = len(server.requests)
        again = memtriage.run(f"dense:embedder={spec}", out=tmp_path / "b", **arguments)
        assert len(server.requests) == asked  # every text was embedded before
    offline = memtriage.run("dense", out=tmp_path / "c", **arguments)
    assert run.errors == 0
    assert run.cost is not None
    assert run.cost["roles"]["embed"]["embed"]["input_tokens"] > 0
    assert run.manifest["models"]["embedder"] == spec

    def verdicts(one: memtriage.Run) -> list[tuple[str, str]]:
        return [(v.probe, v.verdict) for v in one.verdicts() if v.system.startswith("dense")]

    assert verdicts(run) == verdicts(again) == verdicts(offline)  # the stub serves the offline vectors


def test_an_embedding_endpoint_that_is_not_there_is_one_clear_error() -> None:
    with pytest.raises(MemtriageError, match=r"127\.0\.0\.1:9"):
        _ = embedder("http://127.0.0.1:9/v1#none").dimensions
