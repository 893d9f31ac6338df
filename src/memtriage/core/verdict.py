"""What a diagnosis says: one verdict per fact, and one per probe, the first stage that failed.

`ProbeVerdict` lines are what `verdicts.jsonl` holds and all that scores and reports read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memtriage.core.trace import Retrieved as Retrieved
from memtriage.core.trace import Usage

Verdict = Literal[
    "correct", "not_stored", "summary_error", "not_retrieved", "reasoning_error", "uncertain", "n/a", "error"
]
FAILURES: tuple[Verdict, ...] = ("not_stored", "summary_error", "not_retrieved", "reasoning_error")
"""The four stages that can fail, in the order in which they are checked."""

StageState = Literal["pass", "fail", "uncertain", "n/a"]
STAGES = ("storage", "summary", "retrieval", "reasoning")

Depth = Literal["memory", "full"]


@dataclass(frozen=True, slots=True)
class FactVerdict:
    """Where one fact was lost, or that it was not. `witness` names the memories this rests on."""

    fact: str
    text: str
    details: tuple[str, ...]
    verdict: Verdict
    why: str
    stages: Mapping[str, StageState] = field(default_factory=dict)
    witness: tuple[str, ...] = ()
    detector: str = "lexical"
    lost: Literal["never", "later"] | None = None
    lost_after: str | None = None


@dataclass(frozen=True, slots=True)
class ProbeVerdict:
    """Everything a table or a page needs to know about one probe asked of one system at one k.

    `verdict` is the first stage that failed. `right` says whether the answer was right, whatever was retrieved for it;
    None where nobody judged it. `credit` is the share of the answer that was there, where a part counts (of the facts,
    where no answer was judged). `stale` are the outdated facts that came back without what voids them. `measures` are
    those of the ranking, such as `session/Recall_all@5`; they stand at the largest k that was asked.
    """

    suite: str
    task: str
    system: str
    episode: str
    probe: str
    k: int
    depth: Depth
    verdict: Verdict
    question: str
    gold: str
    facts: tuple[FactVerdict, ...]
    retrieved: tuple[Retrieved, ...] = ()
    k_returned: int = 0
    context_tokens: int | None = None
    seconds: float | None = None
    answer: str | None = None
    error: str | None = None
    cluster: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 0
    ingest_repeat: int = 0
    judge_repeat: int = 0
    answered_by: str = ""
    judged_by: str = ""
    credit: float | None = None
    stale: tuple[str, ...] = ()
    right: bool | None = None
    measures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoreSummary:
    """What one system kept of one episode: how much, how large, how long it took, and what models took for it.

    `ingest_usage` and `retrieve_usage` are those of the models inside the system, `answer_usage` that of the model
    that answered; over all questions, every k and every repeat. None where no model was there to ask. `peak_bytes` is
    the most memory it was seen to take while it was filled and asked.
    """

    suite: str
    task: str
    system: str
    episode: str
    sessions: int
    memories: int | None
    tokens: int | None
    ingest_seconds: float
    query_seconds: float = 0.0
    queries: int = 0
    error: str | None = None
    ingest_usage: Usage | None = None
    retrieve_usage: Usage | None = None
    answer_usage: Usage | None = None
    peak_bytes: int | None = None
