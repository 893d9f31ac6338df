"""What calls cost, from the price table that comes with genai-prices: no network, and `None` where nobody knows.

Models that run on this machine cost nothing. A file of your own goes before the table: `prices.json` in the working
directory, or the one MEMTRIAGE_PRICES names, with dollars per million tokens:
`{"gpt-5-mini": {"input": 0.25, "cached": 0.025, "output": 2.00}}`; a name can be the model's or the whole
`provider/model`. `cached` is the price of input that the provider has in its own cache; without it, that of any input.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memtriage.core.chat import Tokens
from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.models.spec import PROVIDERS, ModelSpec

_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Rate:
    """Dollars per million tokens."""

    input: Decimal
    output: Decimal
    cached: Decimal

    def of(self, tokens: Tokens) -> Decimal:
        """What so many tokens cost."""
        fresh = self.input * (tokens.input - tokens.cached)
        return (fresh + self.cached * tokens.cached + self.output * tokens.output) / _MILLION


def price(spec: ModelSpec, tokens: Tokens) -> Decimal | None:
    """The dollars that a call takes, or None where the model's price is unknown.

    >>> price(ModelSpec.parse("ollama/qwen3"), Tokens(1000, 100))
    Decimal('0')
    """
    if own := own_rate(spec):
        return own.of(tokens)
    if spec.on_this_machine:
        return Decimal(0)
    return _from_table(spec, tokens)


def price_note(spec: ModelSpec) -> str:
    """Where a model's price comes from, in a few words for tables."""
    if own_rate(spec):
        return f"your own price ({own_file()})"
    if spec.on_this_machine:
        return "free: it runs on this machine"
    if _from_table(spec, Tokens(1, 1)) is None:
        return "unknown"
    return f"{price_source()}, changes up to {price_date()}"


def price_source() -> str:
    """The table that prices come from, with its version."""
    return f"genai-prices {version('genai-prices')}"


@cache
def price_date() -> date:
    """The table's date: the newest price change in it that is already in force."""
    today = date.today()
    return max((day for day in _changes() if day <= today), default=date.min)


def own_file() -> Path | None:
    """The user's own price file, if there is one."""
    if named := os.environ.get("MEMTRIAGE_PRICES", "").strip():
        return Path(named).expanduser()
    path = Path("prices.json")
    return path if path.is_file() else None


def own_rate(spec: ModelSpec) -> Rate | None:
    """The price that the user's own file gives a model."""
    path = own_file()
    if path is None:
        return None
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise BadInput(f"price file {path} can't be read ({error.strerror}); MEMTRIAGE_PRICES names it") from None
    rates = _own_rates(path.resolve(), changed)
    return rates.get(spec.name) or rates.get(spec.model)


@cache
def _own_rates(path: Path, changed: int) -> Mapping[str, Rate]:
    try:
        content = loads(read_text(path), parse_float=Decimal)
    except BadJson as error:
        raise BadInput(f"price file {path} is not JSON ({error})") from None
    if not isinstance(content, dict):
        raise BadInput(f'price file {path} must be {{"model": {{"input": dollars, "output": dollars}}}}')
    return {model: _rate(path, model, entry) for model, entry in content.items()}


def _rate(path: Path, model: str, entry: Any) -> Rate:
    expected = f"price file {path}, model {model!r}"
    if not isinstance(entry, dict) or "input" not in entry:
        raise BadInput(f'{expected}: write {{"input": dollars, "output": dollars}} per million tokens')
    if unknown := set(entry) - {"input", "output", "cached"}:
        raise BadInput(f"{expected}: unknown field {min(unknown)!r}; it has input, output and cached")
    given = (entry["input"], entry.get("output", 0), entry.get("cached", entry["input"]))
    return Rate(*(_dollars(dollars, expected) for dollars in given))


def _dollars(value: Any, where: str) -> Decimal:
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        amount = Decimal("NaN")
    if isinstance(value, bool) or not amount.is_finite() or amount < 0:
        raise BadInput(f"{where}: {value!r} is not a price in dollars per million tokens")
    return amount


def _from_table(spec: ModelSpec, tokens: Tokens) -> Decimal | None:
    # A model served elsewhere under the same name has another price: without its provider there is none.
    provider = PROVIDERS[spec.provider].priced_as if spec.provider else None
    rate = _table_rate(spec.model, provider, spec.base_url or "")
    if rate is None:
        return None
    return rate if tokens == Tokens(1, 1) else _calculated(spec.model, provider, spec.base_url or "", tokens)


@cache
def _table_rate(model: str, provider: str | None, url: str) -> Decimal | None:
    return _calculated(model, provider, url, Tokens(1, 1))


def _calculated(model: str, provider: str | None, url: str, tokens: Tokens) -> Decimal | None:
    from genai_prices import Usage, calc_price

    usage = Usage(
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        cache_read_tokens=tokens.cached,
        cache_write_tokens=tokens.written,
    )
    try:
        if provider is not None:
            return calc_price(usage, model, provider_id=provider).total_price
        return calc_price(usage, model, provider_api_url=url).total_price
    except (LookupError, ValueError):
        return None


def _changes() -> Iterator[date]:
    from genai_prices.data import providers

    for provider in providers:
        for model in provider.models:
            for price in model.prices if isinstance(model.prices, list) else ():
                start = getattr(price.constraint, "start_date", None)
                if isinstance(start, date):
                    yield start
