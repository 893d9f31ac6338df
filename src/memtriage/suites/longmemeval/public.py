"""What other suites may use of LongMemEval: its nouns, the parts of its generator, and how it reads released files."""

from memtriage.suites.longmemeval.align import find_evidence
from memtriage.suites.longmemeval.ask import draw_outline, type_mixture
from memtriage.suites.longmemeval.conflicts import ChatIndex, Gold
from memtriage.suites.longmemeval.dates import parse_date
from memtriage.suites.longmemeval.generate import evidence_chats
from memtriage.suites.longmemeval.history import ChatOnDay, build_history
from memtriage.suites.longmemeval.outline import Outline, Statement
from memtriage.suites.longmemeval.pool import STYLES, ChatPool
from memtriage.suites.longmemeval.question import (
    ABSTENTION,
    TYPES,
    Chat,
    DatedChat,
    Evidence,
    Message,
    Question,
    QuestionType,
)
from memtriage.suites.longmemeval.rubrics import RUBRICS

__all__ = [
    "ABSTENTION",
    "RUBRICS",
    "STYLES",
    "TYPES",
    "Chat",
    "ChatIndex",
    "ChatOnDay",
    "ChatPool",
    "DatedChat",
    "Evidence",
    "Gold",
    "Message",
    "Outline",
    "Question",
    "QuestionType",
    "Statement",
    "build_history",
    "draw_outline",
    "evidence_chats",
    "find_evidence",
    "parse_date",
    "type_mixture",
]
