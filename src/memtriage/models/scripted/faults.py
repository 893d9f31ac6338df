"""Faults of a model endpoint, made to order and the same on every run.

Whether a request fails depends on the seed, its content and how often it has come, never on the order in
which requests happen to arrive.
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from memtriage.core.errors import BadInput, unknown

FaultKind = Literal["timeout", "429", "500", "503", "reset", "truncated", "malformed", "empty", "refusal", "html"]
"""Never answered; too many requests; server errors; connection reset within the body; a body cut short; a reply whose
content is broken JSON; a reply without content; a refusal; a web page instead of JSON."""

KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

CONTENT_KINDS: frozenset[FaultKind] = frozenset({"malformed", "empty", "refusal"})
"""Faults within what the model says; embeddings say nothing, so their body is cut short instead."""


@dataclass(frozen=True, slots=True)
class Faults:
    """What the server gets wrong, and what it refuses.

    >>> Faults(key="sk-right", context=8192).first(2, ["429", "reset"])      # doctest: +SKIP
    >>> Faults(retry_after=1).rate(0.3, seed=7)                              # doctest: +SKIP

    `jitter` adds up to that many seconds to the latency. `at_once` answers 429 while more requests than that are
    under way. `context` is the longest prompt in tokens, `key` the only key let in, `models` the only models known.
    `json_schema` and `json_object` say which response formats the endpoint understands.
    """

    jitter: float = 0.0
    retry_after: float = 0.2
    at_once: int | None = None
    context: int | None = None
    key: str | None = None
    models: tuple[str, ...] = ()
    json_schema: bool = True
    json_object: bool = True
    share: float = 0.0
    seed: int = 0
    at_most: int | None = None
    times: int = 0
    kinds: tuple[FaultKind, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise BadInput(f"a rate of faults lies between 0 and 1, not at {self.share}")
        for kind in self.kinds:
            if kind not in KINDS:
                raise BadInput(unknown("kind of fault", str(kind), KINDS))

    def rate(self, share: float, seed: int = 0, kinds: Sequence[FaultKind] = (), at_most: int | None = None) -> Faults:
        """Every request fails with this probability, each time it comes; one and the same at most `at_most` times."""
        return replace(self, share=share, seed=seed, kinds=tuple(kinds), at_most=at_most, times=0)

    def first(self, times: int, kinds: Sequence[FaultKind] = ()) -> Faults:
        """Every distinct request fails this many times and then succeeds, with these kinds in turn.

        Without kinds, each request's content picks them.
        """
        return replace(self, times=times, kinds=tuple(kinds), share=0.0)


@dataclass(frozen=True, slots=True)
class Draw:
    """What goes wrong with one request, if anything."""

    kind: FaultKind | None
    jitter: float


class FaultDraws:
    """How often each distinct request has come, and what goes wrong with it this time."""

    def __init__(self) -> None:
        self._times_seen: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._broken: set[str] = set()
        self._lock = threading.Lock()

    def draw(self, faults: Faults, path: str, body: Mapping[str, Any]) -> Draw:
        """What goes wrong with this request; it counts as one more time that it came."""
        if not (faults.share or faults.times or faults.jitter):
            return Draw(None, 0.0)
        identity = self._identity(path, body)
        with self._lock:
            seen_before = self._times_seen[identity]
            self._times_seen[identity] += 1
            dice = random.Random(f"{faults.seed}:{identity}:{seen_before}")
            jitter = dice.uniform(0, faults.jitter)
            kind = self._kind(faults, identity, seen_before, dice)
            if kind is not None:
                self._failed[identity] += 1
        return Draw(kind, jitter)

    def _kind(self, faults: Faults, identity: str, seen_before: int, dice: random.Random) -> FaultKind | None:
        if seen_before < faults.times:
            return faults.kinds[seen_before % len(faults.kinds)] if faults.kinds else dice.choice(KINDS)
        if dice.random() >= faults.share:
            return None
        if faults.at_most is not None and self._failed[identity] >= faults.at_most:
            return None
        return dice.choice(faults.kinds or KINDS)

    def remember_broken(self, content: str) -> None:
        """Remember a broken content that was sent, so that a plea to repair it isn't taken for a new request."""
        self._broken.add(content)

    def _identity(self, path: str, body: Mapping[str, Any]) -> str:
        messages = body.get("messages")
        if isinstance(messages, list) and self._broken:
            broken = [isinstance(m, Mapping) and _text_of(m) in self._broken for m in messages]
            if any(broken):
                body = {**body, "messages": messages[: broken.index(True)]}
        text = json.dumps([path, body], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def _text_of(message: Mapping[str, Any]) -> str | None:
    content = message.get("content")
    return content if message.get("role") == "assistant" and isinstance(content, str) else None
