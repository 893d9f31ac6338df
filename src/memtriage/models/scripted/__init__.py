"""A scripted OpenAI-compatible server, to test without a key or a bill: what it answers and what goes wrong."""

from memtriage.models.scripted.faults import KINDS, FaultKind, Faults
from memtriage.models.scripted.judge import ContentJudge, ContentReader, content
from memtriage.models.scripted.replies import Reply, Request, Script
from memtriage.models.scripted.scripts import Rule, rules
from memtriage.models.scripted.server import Recorded, StubServer, serve
from memtriage.models.scripted.simple import echo, extract, in_order, schema

__all__ = [
    "KINDS",
    "ContentJudge",
    "ContentReader",
    "FaultKind",
    "Faults",
    "Recorded",
    "Reply",
    "Request",
    "Rule",
    "Script",
    "StubServer",
    "content",
    "echo",
    "extract",
    "in_order",
    "rules",
    "schema",
    "serve",
]
