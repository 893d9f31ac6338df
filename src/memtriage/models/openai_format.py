"""OpenAI's response bodies for lists of models and embeddings."""

from __future__ import annotations

import base64
from array import array
from collections.abc import Iterable, Sequence
from typing import Any


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
