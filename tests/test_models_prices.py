"""Dollars: known, free, or unknown, never guessed; and a budget that holds when many calls run at once."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from memtriage.core.chat import ModelError, Tokens
from memtriage.core.errors import BadInput
from memtriage.models.ledger import Ledger
from memtriage.models.prices import price, price_date, price_note
from memtriage.models.spec import ModelSpec

MILLION = Tokens(1_000_000, 1_000_000)


@pytest.fixture(autouse=True)
def _no_price_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MEMTRIAGE_PRICES", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)


def spec(text: str) -> ModelSpec:
    return ModelSpec.parse(text)


def own_prices(**models: object) -> None:
    Path("prices.json").write_text(json.dumps(models))


def test_a_known_model_costs_what_the_table_says() -> None:
    both = price(spec("openai/gpt-4.1"), MILLION)
    assert both == Decimal(10)
    assert price(spec("https://api.openai.com/v1#gpt-4.1"), MILLION) == both
    assert "genai-prices" in price_note(spec("openai/gpt-4.1"))


@pytest.mark.parametrize("text", ["openai/no-such-model-9", "https://gateway.example/v1#gpt-4.1"])
def test_an_unknown_price_is_none_and_not_zero(text: str) -> None:
    assert price(spec(text), MILLION) is None
    assert price_note(spec(text)) == "unknown"


@pytest.mark.parametrize(
    "text",
    ["local/smollm2", "ollama/qwen3", "vllm/m", "http://127.0.0.1:9/v1#gpt-4.1", "http://[::1]:9/v1#m", "offline"],
)
def test_what_runs_here_is_free_and_says_so(text: str) -> None:
    assert price(spec(text), MILLION) == 0
    assert price_note(spec(text)).startswith("free")


def test_ones_own_prices_go_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own_prices(**{"gpt-4.1": {"input": 0.1, "output": 0.2}, "vllm/m": {"input": 3}})
    assert price(spec("openai/gpt-4.1"), MILLION) == Decimal("0.3")
    assert price(spec("vllm/m"), MILLION) == Decimal(3)
    assert "your own" in price_note(spec("vllm/m"))
    (tmp_path / "other.json").write_text('{"gpt-4.1": {"input": 7, "output": 0}}')
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(tmp_path / "other.json"))
    assert price(spec("openai/gpt-4.1"), MILLION) == Decimal(7)


@pytest.mark.parametrize(
    "content",
    ["[]", "{", '{"m": 3}', '{"m": {"input": "dear"}}', '{"m": {"input": -1}}', '{"m": {"input": 1, "in": 1}}'],
)
def test_a_price_file_that_cannot_be_used_is_refused(content: str) -> None:
    Path("prices.json").write_text(content)
    with pytest.raises(BadInput, match=r"prices\.json"):
        price(spec("vllm/m"), MILLION)


def test_a_price_file_that_is_named_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_PRICES", "nowhere.json")
    with pytest.raises(BadInput, match=r"nowhere\.json"):
        price(spec("vllm/m"), MILLION)


def test_the_table_has_a_date() -> None:
    assert date(2025, 1, 1) < price_date() <= date.today()


def test_the_ledger_keeps_roles_and_stages_apart() -> None:
    own_prices(m={"input": 1, "output": 2})
    ledger = Ledger()
    ledger.spend("judge", "storage", spec("vllm/m"), MILLION)
    ledger.hit("judge", "storage", ModelSpec.parse("openai/gpt-4.1-mini"), Tokens(5, 5))
    ledger.retried("judge", "summary")
    ledger.failed("judge", "summary", "timeout")
    ledger.spend("answer", "answer", spec("openai/no-such-model-9"), Tokens(5, 6))
    shot = ledger.snapshot()
    assert shot["roles"]["judge"]["storage"]["dollars"] == 3.0
    assert shot["roles"]["judge"]["storage"]["cached"] == 1
    assert shot["roles"]["judge"]["summary"] == {
        "calls": 0,
        "cached": 0,
        "retries": 1,
        "errors": {"timeout": 1},
        "input_tokens": 0,
        "output_tokens": 0,
        "dollars": 0.0,
        "price_unknown": False,
    }
    assert shot["roles"]["answer"]["answer"]["price_unknown"] is True
    assert shot["total"]["calls"] == 2
    assert shot["total"]["input_tokens"] == 1_000_005
    assert shot["total"]["price_unknown"] is True
    assert json.loads(json.dumps(shot)) == shot


def test_a_cost_limit_needs_a_known_price() -> None:
    with pytest.raises(BadInput, match="unknown"):
        Ledger(max_cost=5).admit(spec("openai/no-such-model-9"))
    Ledger(max_cost=5).admit(spec("openai/gpt-4.1"))
    Ledger().admit(spec("openai/no-such-model-9"))


def test_money_set_aside_keeps_a_crowd_within_the_budget() -> None:
    own_prices(m={"input": 1, "output": 0})
    model = spec("vllm/m")

    async def call(ledger: Ledger, real: int) -> str:
        try:
            async with ledger.reserved(Decimal("0.10")):
                await asyncio.sleep(0)
                ledger.spend("answer", "answer", model, Tokens(real, 0))
                return "paid"
        except ModelError as error:
            return error.trouble

    async def crowd(real: int) -> tuple[list[str], Ledger]:
        ledger = Ledger(max_cost="1.00")
        return list(await asyncio.gather(*(call(ledger, real) for _ in range(60)))), ledger

    dear, ledger = asyncio.run(crowd(100_000))
    assert dear.count("paid") == 10
    assert ledger.spent == Decimal(1)
    assert dear.count("budget") == 50
    assert ledger.stopped is not None
    assert "limit of $1.00" in ledger.stopped
    # Where calls turn out cheaper than was set aside, the rest is used: nobody is refused too early.
    cheap, ledger = asyncio.run(crowd(20_000))
    assert cheap.count("paid") == 46
    assert ledger.spent <= Decimal(1)


def test_after_too_many_errors_everything_is_refused() -> None:
    async def work() -> None:
        ledger = Ledger(max_errors=2)
        ledger.failed("judge", "storage", "timeout")
        async with ledger.reserved(Decimal(0)):
            pass
        ledger.failed("answer", "answer", "server")
        with pytest.raises(ModelError, match="2 failed calls") as caught:
            async with ledger.reserved(Decimal(0)):
                pass
        assert caught.value.trouble == "budget"
        ledger.failed("answer", "answer", "budget")
        assert ledger.errors == 2

    asyncio.run(work())
