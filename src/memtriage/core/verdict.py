"""The verdicts of a diagnosis: one per fact, and one per probe, which names the first stage that failed.

`verdicts.jsonl` holds one `ProbeVerdict` per line; tables and reports read nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memtriage.core.amount import K
from memtriage.core.trace import Retrieved as Retrieved
from memtriage.core.trace import Usage

Verdict = Literal[
    "correct", "not_stored", "summary_error", "not_retrieved", "reasoning_error", "uncertain", "n/a", "error"
]
StageState = Literal["pass", "fail", "uncertain", "n/a"]
Depth = Literal["memory", "full"]


@dataclass(frozen=True, slots=True)
class VerdictKind:
    """One verdict and how it is shown: letter and colour in bars, and meaning.

    `stage` is the stage that failed. `settled` verdicts are right or wrong; all others are counted separately. `word`
    says the same in a plain word, beside the name in legends.
    """

    verdict: Verdict
    letter: str
    colour: str
    meaning: str
    stage: str = ""
    settled: bool = False
    word: str = ""

    @property
    def label(self) -> str:
        """Its name in tables and on the page: the name in files, with spaces."""
        return self.verdict.replace("_", " ")

    @property
    def title(self) -> str:
        """Its name and its plain word."""
        return f"{self.label} ({self.word})" if self.word else self.label

    @property
    def column(self) -> str:
        """Its name as a table column and as a CSS class."""
        return self.verdict.replace("/", "")


KINDS: tuple[VerdictKind, ...] = (
    VerdictKind(
        "correct",
        "█",
        "green",
        "Every stage that was checked passed.",
        settled=True,
    ),
    VerdictKind(
        "not_stored",
        "S",
        "red",
        "No memory holds the fact: it was never written, or was lost later.",
        stage="storage",
        settled=True,
    ),
    VerdictKind(
        "summary_error",
        "M",
        "magenta",
        "A memory about the fact exists, but a critical detail is missing or changed.",
        stage="summary",
        settled=True,
        word="mangled",
    ),
    VerdictKind(
        "not_retrieved",
        "R",
        "yellow",
        "The fact is stored and faithful, but did not come back for the question.",
        stage="retrieval",
        settled=True,
    ),
    VerdictKind(
        "reasoning_error",
        "X",
        "cyan",
        "Everything needed came back, and the answer is still wrong.",
        stage="reasoning",
        settled=True,
        word="misread",
    ),
    VerdictKind(
        "uncertain",
        "?",
        "white",
        "Words alone can't settle it; no success, but it may be one, so it widens the interval.",
    ),
    VerdictKind(
        "n/a",
        "-",
        "bright_black",
        "Nothing to judge by: the system doesn't show what the stage needs, or only an answer could be right; counted "
        "apart, as if not asked.",
        word="not applicable",
    ),
    VerdictKind(
        "error",
        "!",
        "bright_red",
        "The system or a judge failed to run; no success, but it might have been, so it widens the interval.",
    ),
)
"""All verdicts, in table order. To add one, name it in `Verdict` and describe it here."""

KIND: Mapping[str, VerdictKind] = {kind.verdict: kind for kind in KINDS} | {kind.column: kind for kind in KINDS}
"""Verdict kinds by name and by column."""


def verdict_named(text: str) -> Verdict | None:
    """The verdict that a text names, with spaces, dashes or underscores, or by its plain word; None if it names none.

    >>> verdict_named("Not retrieved"), verdict_named("mangled"), verdict_named("lost")
    ('not_retrieved', 'summary_error', None)
    """
    name = re.sub(r"[\s_-]+", " ", text.strip().lower())
    found = (kind.verdict for kind in KINDS if name and name in (kind.label, kind.column, kind.word))
    return next(found, None)


VERDICTS: tuple[Verdict, ...] = tuple(kind.verdict for kind in KINDS)
SETTLED: tuple[Verdict, ...] = tuple(kind.verdict for kind in KINDS if kind.settled)
"""Verdicts that say right or wrong; the others are counted separately."""

FAILURES: tuple[Verdict, ...] = tuple(kind.verdict for kind in KINDS if kind.stage)
"""The verdicts of the four stages that can fail, in the order in which they are checked."""

STAGES: tuple[str, ...] = tuple(kind.stage for kind in KINDS if kind.stage)


@dataclass(frozen=True, slots=True)
class FactVerdict:
    """At which stage a fact was lost, if any. `witness` are the keys of the memories that show it.

    `confidence` is how sure a detector is where it read a rewritten memory; None where it decided by rule.
    """

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
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ProbeVerdict:
    """Everything a report needs to know about one probe asked of one system at one k.

    `verdict` is the first stage that failed. `right` says whether the answer was right, whatever was retrieved; None if
    it was not graded. `credit` is the share of the answer that was there (of the facts, if no answer was graded).
    `stale` are the outdated facts that were retrieved without a fact that voids them. `measures` are those of the
    answer and of the ranking, such as `session/Recall_all@5`; the ranking's are given at the largest k asked. `why` is
    the reason of a verdict that no fact decides. `prompts` is a digest of the prompts that the judge was asked with.
    `choices` is the number of lettered choices; 0 if there are none.
    """

    suite: str
    task: str
    system: str
    episode: str
    probe: str
    k: K
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
    why: str = ""
    prompts: str = ""
    choices: int = 0

    @property
    def right_without_evidence(self) -> bool:
        """Whether the answer is right although something that it needs was lost on the way: a guess, or luck."""
        return self.right is True and self.verdict in FAILURES


@dataclass(frozen=True, slots=True)
class StoreSummary:
    """One system's store for one episode: its size, and the time and models it took.

    `ingest_usage` and `retrieve_usage` are those of the models inside the system, `answer_usage` that of the answering
    model, over all questions, every k and every repeat; None without a model. `peak_bytes` is the most memory it was
    seen to use while it was filled and asked, `gpu_bytes` that of GPUs when it was filled.
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
    gpu_bytes: int | None = None
