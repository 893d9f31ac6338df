"""How much models can read, from the table that comes with genai-prices: no network, and None where nobody knows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from memtriage.models.spec import PROVIDERS

_OPENAI = re.compile(r"(?:^|[/.])(?:chatgpt|gpt|o\d)\b")


@dataclass(frozen=True, slots=True)
class Window:
    """How many tokens a model can read at once, and how many of them had better stay free.

    The free ones are for the instructions, the question and the answer: 4,000, or 1 % if that is more. For models whose
    tokens are not OpenAI's it is 15 %, since memtriage's count may be that far off. MemoryAgentBench's agents keep
    about as much free: 4,000 of 128,000 for GPT-4o, 10,000 of a million for GPT-4.1-mini, 27,000 of 200,000 for
    Claude 3.7, 150,000 of a million for Gemini 2.0.
    """

    model: str
    tokens: int

    @property
    def reserve(self) -> int:
        """The tokens that stay free.

        >>> Window("gpt-4o", 128_000).reserve, Window("claude-3-7-sonnet", 200_000).reserve
        (4000, 30000)
        """
        return max(4_000, self.tokens // 100) if _OPENAI.search(self.model) else self.tokens * 15 // 100


@cache
def window_of(name: str) -> Window | None:
    """The window of a model, named with or without its provider; None if it is unknown.

    >>> window_of("openai/gpt-4.1-mini")
    Window(model='gpt-4.1-mini', tokens=1000000)
    >>> window_of("http://127.0.0.1:8000/v1#gpt-4o") is None  # whoever serves it sets the window
    True
    """
    from genai_prices.data_snapshot import get_snapshot

    named = name.strip().partition("?")[0].lower()
    if "://" in named or not named:
        return None
    provider, slash, model = named.partition("/")
    known = PROVIDERS.get(provider) if slash else None
    if known is not None and known.priced_as is None:
        return None
    try:
        found = get_snapshot().find_provider_model(
            model if known else named, None, known.priced_as if known else None, None
        )[1]
    except LookupError:
        return None
    return Window(model if known else named, found.context_window) if found.context_window else None


@cache
def known_models() -> tuple[str, ...]:
    """The names of the models whose windows are known."""
    from genai_prices.data_snapshot import get_snapshot

    models = (model for provider in get_snapshot().providers for model in provider.models)
    return tuple(dict.fromkeys(model.id for model in models if model.context_window))
