"""What a run records: store snapshots, retrieved memories and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memtriage.core.amount import K


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One retrieved memory: content key, rank from 1 (0: shown always), the system's score, and when it was created.

    `why` is what the system says about why it came back.
    """

    key: str
    rank: int
    score: float | None = None
    created_at: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A store after a session, as a change (in content keys) from the snapshot `base`; None is the empty store."""

    id: str
    after: str
    base: str | None
    added: tuple[str, ...]
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, tokens and cost of models. `dollars` is None if a price is unknown.

    Replies from the cache cost nothing. `cached_input`, `cached_output` and `cached_dollars` are what they would have
    taken, at the list price.
    """

    calls: int = 0
    cached: int = 0
    errors: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = 0.0
    cached_input: int = 0
    cached_output: int = 0
    cached_dollars: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        return self._plus(other, 1)

    def __sub__(self, other: Usage) -> Usage:
        return self._plus(other, -1)

    def __neg__(self) -> Usage:
        return Usage() - self

    def _plus(self, other: Usage, sign: int) -> Usage:
        return Usage(
            self.calls + sign * other.calls,
            self.cached + sign * other.cached,
            self.errors + sign * other.errors,
            self.input_tokens + sign * other.input_tokens,
            self.output_tokens + sign * other.output_tokens,
            _sum(self.dollars, other.dollars, sign),
            self.cached_input + sign * other.cached_input,
            self.cached_output + sign * other.cached_output,
            _sum(self.cached_dollars, other.cached_dollars, sign),
        )


def _sum(one: float | None, other: float | None, sign: int) -> float | None:
    return None if one is None or other is None else one + sign * other


@dataclass(frozen=True, slots=True)
class Ingest:
    """How storing went. `blind` says why the store can't be seen; `failed` names sessions that raised.

    `peak_bytes` is the most memory the store was seen to use so far, None if unknown: by how much the run's process
    grew or, for a system in a process of its own, all that this process used. `gpu_bytes` is that of GPUs.
    """

    sessions: int
    seconds: float
    memories: int | None = None
    tokens: int | None = None
    blind: str | None = None
    error: str | None = None
    failed: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    usage: Usage | None = None
    peak_bytes: int | None = None
    gpu_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything observed for one probe at one k.

    `ranking` lists content keys, best first. It goes beyond k if rankings are measured and the system can rank all it
    holds; `ranked_all` says that it leaves out only what no measure looks at. `peak_bytes` is as in `Ingest`, if this
    question raised it. `returned_none` says that the system returned None in the place of memories.
    """

    probe: str
    k: K
    snapshot: str | None = None
    retrieved: tuple[Retrieved, ...] = ()
    context_tokens: int | None = None
    seconds: float | None = None
    answer: str | None = None
    error: str | None = None
    usage: Usage | None = None
    ranking: tuple[str, ...] = ()
    ranked_all: bool = False
    peak_bytes: int | None = None
    returned_none: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer from the memories of one trace. `used` are the content keys it says it used."""

    probe: str
    k: K
    model: str
    repeat: int = 0
    text: str = ""
    used: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cached: bool = False
    error: str | None = None


@dataclass(frozen=True, slots=True)
class History:
    """One store in one episode: its snapshots, and how storing went."""

    ingest: Ingest
    snapshots: tuple[Snapshot, ...] = ()

    def leading_to(self, snapshot: str | None) -> list[Snapshot]:
        """The snapshots up to this one, oldest first."""
        by_id = {each.id: each for each in self.snapshots}
        chain: list[Snapshot] = []
        while snapshot and snapshot in by_id:
            chain.append(by_id[snapshot])
            snapshot = chain[-1].base
        return chain[::-1]

    def held_at(self, snapshot: str | None) -> tuple[str, ...]:
        """The content keys that the store held at a snapshot (None: the last one), oldest first."""
        last = self.snapshots[-1].id if self.snapshots else None
        held: dict[str, None] = {}
        for step in self.leading_to(snapshot or last):
            held |= dict.fromkeys(step.added)
            for key in step.removed:
                held.pop(key, None)
        return tuple(held)
