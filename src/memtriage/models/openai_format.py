"""OpenAI's response bodies: those that several servers here send, and what clients read in them."""

from __future__ import annotations

import base64
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memtriage.core.chat import Tokens
from memtriage.models.failures import Failure


def models_body(names: Iterable[str]) -> dict[str, Any]:
    """The list of models."""
    return {"object": "list", "data": [model_body(name) for name in names]}


def model_body(name: str) -> dict[str, Any]:
    """One model."""
    return {"id": name, "object": "model", "created": 0, "owned_by": "memtriage"}


def embeddings_body(model: str, vectors: Sequence[Sequence[float]], tokens: int, *, packed: bool) -> dict[str, Any]:
    """What /embeddings returns; `packed` vectors are base64, as OpenAI's SDK asks for them."""
    data = [
        {"object": "embedding", "index": n, "embedding": packed_vector(vector) if packed else list(vector)}
        for n, vector in enumerate(vectors)
    ]
    return {
        "object": "list",
        "model": model,
        "data": data,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def packed_vector(vector: Iterable[float]) -> str:
    """The vector as 32-bit floats in base64."""
    return base64.b64encode(array("f", vector).tobytes()).decode()


def first_choice(reply: Mapping[str, Any], url: str) -> dict[str, Any]:
    """The first choice of a chat completion; Failure where it has no message."""
    choices = reply["choices"]
    if not choices or not isinstance(choices[0], dict) or not isinstance(choices[0].get("message"), dict):
        raise Failure("malformed", f"{url} sent a reply without a message", again=True)
    return choices[0]


def usage_in(reply: Mapping[str, Any]) -> Tokens | None:
    """What a reply says it took; None where it doesn't."""
    usage = reply.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    for names in (("prompt_tokens", "completion_tokens"), ("input_tokens", "output_tokens")):
        given = [count for name in names if isinstance(count := counts.get(name), int)]
        if len(given) == len(names):
            return Tokens(max(0, given[0]), max(0, given[1]))
    return None
