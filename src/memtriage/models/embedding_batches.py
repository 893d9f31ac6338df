"""How much of an embedding endpoint is asked at once, and what its refusals say about that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memtriage.models.failures import Failure, message_in
from memtriage.models.spec import ModelSpec
from memtriage.text.tokens import chunks, count_tokens

TooMuch = Literal["texts", "tokens", "text"]
"""What an endpoint had too much of: texts in a request, tokens in a request, or tokens in one text."""

TEXTS = 128
TOKENS = 300_000
"""What OpenAI takes in one request."""

_FEWER_TEXTS: Mapping[str, int] = {"gemini": 100}

_LONG_TEXT = re.compile(r"too large to process", re.IGNORECASE)  # llama.cpp, which calls it a batch of tokens
_MANY = re.compile(
    r"batch|too many inputs|array[_ ](?:too long|above_max|length)|(?:number|amount) of (?:inputs|texts)"
    r"|at most \d+ (?:inputs|texts|requests)|inputs? (?:must|should) (?:have|contain) (?:at most|no more than)",
    re.IGNORECASE,
)
_MANY_TOKENS = re.compile(
    r"tokens?[_ ]per[_ ](?:request|batch|submitted)|tokens (?:overall|in total)|max_tokens_per_request", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![\w.])\d{2,9}(?![\w.]*\d)")
_TOO_SHORT = 16
_A_BIT_LESS = 0.98
_BLIND = 0.75


@dataclass(slots=True)
class BatchLimits:
    """What goes into one request; an endpoint that refuses gets less from then on."""

    texts: int = TEXTS
    tokens: int = TOKENS
    longest: int | None = None
    """Longer texts were refused: each goes alone, so that no others have to be sent again with it."""

    @classmethod
    def expected(cls, spec: ModelSpec) -> BatchLimits:
        """The best guess before anything was sent."""
        return cls(_FEWER_TEXTS.get(spec.provider or "", TEXTS))

    def first(self, texts: Mapping[str, str]) -> dict[str, str]:
        """As many of these texts, from the front, as fit into one request; at least one."""
        batch: dict[str, str] = {}
        room = self.tokens
        for key, text in texts.items():
            size = _size(text, self.tokens // self.texts)
            alone = self.longest is not None and _size(text, self.longest) > self.longest
            if batch and (len(batch) == self.texts or size > room or alone):
                break
            batch[key] = text
            room -= size
            if alone:
                break
        return batch

    def learn(self, batch: Mapping[str, str], what: TooMuch) -> None:
        """Ask for less from now on."""
        if what == "texts":
            self.texts = min(self.texts, max(1, len(batch) // 2))
        elif what == "tokens":
            self.tokens = min(self.tokens, max(1, sum(map(count_tokens, batch.values())) // 2))
        elif len(batch) == 1:
            (text,) = batch.values()
            self.longest = min(self.longest or count_tokens(text), count_tokens(text))


def too_much(failure: Failure) -> TooMuch | None:
    """What a refusal says there was too much of; None if it was about something else."""
    if failure.answer is None:
        return None
    said = failure.answer.text
    if _LONG_TEXT.search(said):
        return "text"
    if failure.trouble not in ("context", "bad_request"):
        return None
    if _MANY_TOKENS.search(said):
        return "tokens"
    if _MANY.search(said):
        return "tokens" if re.search(r"tokens", said, re.IGNORECASE) else "texts"
    return "text" if failure.trouble == "context" else None


def shortened(text: str, failure: Failure) -> str | None:
    """The beginning of a text that an endpoint found too long, by the numbers it names; None if little would be left.

    Of two numbers the smaller is the limit and the larger what was sent, in the endpoint's own tokens.
    """
    tokens = count_tokens(text)
    said = message_in(failure.answer) if failure.answer is not None else ""
    numbers = [int(found) for found in _NUMBER.findall(said) if int(found) > _TOO_SHORT]
    share = min(numbers) / max(numbers) * _A_BIT_LESS if len(set(numbers)) > 1 else _BLIND
    left = int(tokens * share)
    return cut(text, left) if left >= _TOO_SHORT else None


def cut(text: str, tokens: int) -> str:
    """A text, or its beginning if it has more tokens than this."""
    return text if _size(text, tokens) <= tokens else chunks(text, tokens)[0]


def _size(text: str, enough: int) -> int:
    """The tokens of a text; its bytes where even they are few enough, as a token has at least one."""
    size = len(text.encode("utf-8", "replace"))
    return size if size <= enough else count_tokens(text)
