"""What other suites may use of LongMemEval: its nouns, the parts of its generator, and how it reads released files."""

from memtriage.suites.longmemeval.conflicts import ChatIndex, Gold
from memtriage.suites.longmemeval.generate.history import ChatOnDay, build_history
from memtriage.suites.longmemeval.generate.outlines import draw_outline
from memtriage.suites.longmemeval.generate.pool import STYLES, ChatPool
from memtriage.suites.longmemeval.generate.questions import evidence_chats
from memtriage.suites.longmemeval.outline import Outline, Statement
from memtriage.suites.longmemeval.question import (
    ABSTENTION,
    TYPES,
    Chat,
    DatedChat,
    Evidence,
    Message,
    Question,
    QuestionType,
    type_mixture,
)
from memtriage.suites.longmemeval.released.align import find_evidence

__all__ = [
    "ABSTENTION",
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
    "type_mixture",
]
