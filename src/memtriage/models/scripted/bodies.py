"""Scripted replies as OpenAI's response bodies: chat completions, their streams, responses, embeddings."""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from memtriage.core.chat import FINGERPRINT
from memtriage.models.openai_format import embeddings_body
from memtriage.models.scripted.replies import Reply, Request
from memtriage.text.tokens import chunks, count_tokens
from memtriage.text.words import words

DIMENSIONS = 1536

_PER_MESSAGE = 4
"""Tokens that a chat format adds around every message, about."""


def prompt_tokens(request: Request) -> int:
    """How many tokens a prompt has, the marks around its messages included."""
    return sum(count_tokens(text) + _PER_MESSAGE for _, text in request.messages)


def cut_short(reply: Reply, most: object) -> Reply:
    """The reply within the number of tokens that was asked for."""
    if isinstance(most, bool) or not isinstance(most, int) or most < 1 or count_tokens(reply.text) <= most:
        return reply
    return replace(reply, text=chunks(reply.text, most)[0], finish_reason="length", refusal=None, tools=())


def completion(request: Request, reply: Reply, id: str, prompt: int) -> dict[str, Any]:
    """A chat completion."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if reply.refusal else reply.text,
        "refusal": reply.refusal,
    }
    if reply.tools:
        message |= {"content": reply.text or None, "tool_calls": _tool_calls(reply, id)}
    reason = "tool_calls" if reply.tools else reply.finish_reason
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": _logprobs(request, reply)}
    return _chat(request, id, "chat.completion", [choice]) | {"usage": _usage(prompt, reply)}


def _logprobs(request: Request, reply: Reply) -> dict[str, Any] | None:
    if reply.certainty is None or not request.body.get("logprobs"):
        return None
    word = {"token": reply.text.partition(" ")[0], "logprob": math.log(max(reply.certainty, 1e-9)), "bytes": None}
    other = {"token": "?", "logprob": math.log(max(1 - reply.certainty, 1e-9)), "bytes": None}
    return {"content": [{**word, "top_logprobs": [word, other]}], "refusal": None}


def _tool_calls(reply: Reply, id: str) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{id}_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(reply.tools)
    ]


def events(request: Request, reply: Reply, id: str, prompt: int) -> tuple[bytes, ...]:
    """A chat completion as the events of a stream."""
    field = "refusal" if reply.refusal else "content"
    pieces = re.findall(r"\s*\S+\s*", reply.refusal or reply.text) or [reply.text]
    deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({field: piece}, None) for piece in pieces if piece]
    if reply.tools:
        deltas.append(({"tool_calls": [{"index": n, **c} for n, c in enumerate(_tool_calls(reply, id))]}, None))
    deltas.append(({}, "tool_calls" if reply.tools else reply.finish_reason))
    out = [
        _chat(request, id, "chat.completion.chunk", [{"index": 0, "delta": delta, "finish_reason": reason}])
        for delta, reason in deltas
    ]
    options = request.body.get("stream_options")
    if isinstance(options, Mapping) and options.get("include_usage"):
        out.append(_chat(request, id, "chat.completion.chunk", []) | {"usage": _usage(prompt, reply)})
    return (*(f"data: {json.dumps(event)}\n\n".encode() for event in out), b"data: [DONE]\n\n")


def response(request: Request, reply: Reply, id: str, prompt: int) -> dict[str, Any]:
    """What /responses returns."""
    content = {"type": "output_text", "text": reply.text, "annotations": []}
    if reply.refusal:
        content = {"type": "refusal", "refusal": reply.refusal}
    done = reply.finish_reason != "length"
    status = "completed" if done else "incomplete"
    usage = _usage(prompt, reply)
    return {
        "id": f"resp_{id}",
        "object": "response",
        "created_at": int(time.time()),
        "status": status,
        "model": request.model,
        "system_fingerprint": FINGERPRINT,
        "output": [
            {"type": "message", "id": f"msg_{id}", "status": status, "role": "assistant", "content": [content]},
        ],
        "usage": {
            "input_tokens": usage["prompt_tokens"],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": usage["completion_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage["total_tokens"],
        },
        "error": None,
        "incomplete_details": None if done else {"reason": "max_output_tokens"},
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _chat(request: Request, id: str, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{id}",
        "object": kind,
        "created": int(time.time()),
        "model": request.model,
        "system_fingerprint": FINGERPRINT,
        "choices": choices,
    }


def _usage(prompt: int, reply: Reply) -> dict[str, int]:
    called = "".join(name + json.dumps(arguments) for name, arguments in reply.tools)
    completion = count_tokens((reply.refusal or reply.text) + called)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


# ------------------------------------------------------------------ embeddings


def embeddings(body: Mapping[str, Any], embedder: str) -> dict[str, Any]:
    """What /embeddings returns; raises ValueError with what is wrong."""
    texts = _inputs(body.get("input"))
    size = body.get("dimensions")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= 8192):
        raise ValueError("dimensions must be a whole number from 1 to 8192")
    vectors = _wordllama(texts, size) if embedder == "wordllama" else [hashed(t, size or DIMENSIONS) for t in texts]
    used = sum(count_tokens(text) for text in texts)
    packed = body.get("encoding_format") == "base64"
    return embeddings_body(str(body["model"]), vectors, used, packed=packed) | {"system_fingerprint": FINGERPRINT}


def hashed(text: str, dimensions: int) -> list[float]:
    """A vector of unit length in which every word has its own direction: texts that share words lie near each other.

    >>> hashed("two boats", 8) == hashed("Two boats!", 8)
    True
    """
    vector = [0.0] * dimensions
    for stem in words(text).stems or (text,):
        place, sign = _direction(stem)
        vector[place % dimensions] += sign
    length = math.sqrt(sum(x * x for x in vector))
    if length == 0:  # words that cancel each other out
        vector[_direction(text)[0] % dimensions] = length = 1.0
    return [x / length for x in vector]


@lru_cache(maxsize=1 << 16)
def _direction(stem: str) -> tuple[int, float]:
    digest = hashlib.blake2b(stem.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest[:7], "big"), 1.0 if digest[7] & 1 else -1.0


def _wordllama(texts: Sequence[str], size: int | None) -> list[list[float]]:
    from memtriage.models.embedders import WordLlamaEmbedder, normalised

    if size is not None and size > WordLlamaEmbedder.dimensions:
        raise ValueError(f"this model has {WordLlamaEmbedder.dimensions} dimensions, fewer than {size}")
    rows: list[list[float]] = normalised(WordLlamaEmbedder().embed(texts)[:, :size]).tolist()
    return rows


def _inputs(given: object) -> list[str]:
    """The texts to embed: one text or several, each as text or as token numbers."""
    if isinstance(given, str) or (isinstance(given, list) and given and isinstance(given[0], int)):
        given = [given]
    if not isinstance(given, list) or not given:
        raise ValueError("input must be a text or a list of texts")
    texts = [" ".join(map(str, text)) if isinstance(text, list) else text for text in given]
    if not all(isinstance(text, str) and text for text in texts):
        raise ValueError("every input must be a text that isn't empty")
    return texts
