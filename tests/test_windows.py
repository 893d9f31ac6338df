"""Windows of models by name, and a full context that fills the window of whoever reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

import memtriage
from memtriage.config import Limits
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.models.windows import known_models, window_of
from memtriage.registry import system, with_models
from memtriage.systems.baselines.simple import FullContext
from memtriage.text.tokens import count_all

CUT = {"gpt-4o": 124_000, "gpt-4o-mini": 124_000, "gpt-4.1-mini": 990_000}
"""What MemoryAgentBench's agents read of their windows, before the length of the answer is taken off."""


def talk(*texts: str, id: str = "s0") -> Session:
    return Session(id, tuple(Turn("user", text, f"{id}/{n}") for n, text in enumerate(texts)))


@pytest.mark.parametrize("name", CUT)
def test_a_window_is_that_of_the_named_model_less_what_the_paper_keeps_free(name: str) -> None:
    assert FullContext(window=name).window == FullContext(window=f"openai/{name}").window == CUT[name]


def test_models_that_count_other_tokens_keep_more_free() -> None:
    """The paper keeps 27,000 of 200,000 free for Claude, and 150,000 of a million for Gemini."""
    assert FullContext(window="anthropic/claude-3-7-sonnet-20250219").window == 170_000
    assert FullContext(window="gemini/gemini-2.0-flash").window == 850_000
    assert FullContext(window="claude-3-7-sonnet-20250219", reserve="27k").window == 173_000
    assert FullContext(window="gpt-4o", reserve=0).window == 128_000
    assert FullContext(window="128k", reserve="4k").window == 124_000


def test_a_number_stays_a_number_and_the_usual_window_is_128k() -> None:
    assert [FullContext(window=window).window for window in ("128k", 6, "1m")] == [128_000, 6, 1_000_000]
    assert FullContext().window == 128_000
    assert FullContext().notices() == FullContext(window="8k").notices() == []


def test_an_unknown_model_is_refused_with_the_nearest_known_one() -> None:
    assert window_of("nobody/knows") is None
    with pytest.raises(BadInput, match=r"a model whose window is known; 'gpt-4\.1-minni' is not one.*'gpt-4\.1-mini'"):
        FullContext(window="gpt-4.1-minni")
    with pytest.raises(BadInput, match="leaves nothing of a window of 10 tokens"):
        FullContext(window=10, reserve=10)
    with pytest.raises(BadInput, match="reserve"):
        FullContext(reserve="some")
    assert "gpt-4.1-mini" in known_models()


def test_the_window_is_that_of_the_model_that_answers_where_it_is_known() -> None:
    named = {
        "openai/gpt-4.1-mini?temperature=0": 990_000,
        "ollama/qwen3": 128_000,
        "http://127.0.0.1:9/v1#gpt-4.1-mini": 128_000,
        "local/gpt-4o.gguf": 128_000,
        "": 128_000,
    }
    for model, window in named.items():
        built = with_models(system("full-context"), {"answer_model": model}).build()
        assert built.system.window == window, model  # type: ignore[attr-defined]
    chosen = with_models(system("full-context:window=8k"), {"answer_model": "openai/gpt-4o"}).build()
    assert chosen.system.window == 8_000  # type: ignore[attr-defined]


def test_a_run_fills_the_window_of_its_answering_model_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none-is-needed")
    run = memtriage.run(
        "full-context",
        suite="memfail/coexisting",
        rows=1,
        answer="openai/gpt-4o",
        limits=Limits(hold=True, cache=tmp_path / "cache.sqlite"),
        out=tmp_path / "run",
    )
    said = "the newest 124,000 tokens are kept, as the window of gpt-4o is 128,000"
    assert run.notices == {"full-context": (said,)}


def test_a_memory_counts_with_what_stands_around_it_in_a_prompt() -> None:
    """A window of 200 holds seven memories of a token each: id, date and quotes take 20 more."""
    system = FullContext(window="gpt-4o", reserve=128_000 - 150)
    for n in range(12):
        system.store_conversation(talk("one", id=f"s{n}"))
    assert len(system.get_all_memories()) == 7
    system.store_conversation(talk("word " * 400, id="long"))
    assert count_all(memory.text for memory in system.get_all_memories()) == 130
