"""Conversations by seed and number: a row depends on these two alone."""

from __future__ import annotations

from random import Random

from memtriage.suites.locomo.conversation import Conversation
from memtriage.suites.talk.chat import Chat
from memtriage.suites.talk.plan import plan
from memtriage.suites.talk.questions import questions


def conversation(seed: int, number: int, sessions: int | None = None, months: int | None = None) -> Conversation:
    """One conversation with its questions; so many sessions over so many months, or as many as LoCoMo has."""
    rng = Random(f"talk:{seed}:{number}")
    made = plan(rng, sessions, months)
    sittings = Chat(made, rng).sittings()
    one, two = made.people
    return Conversation(f"talk-{seed}-{number}", (one.name, two.name), sittings, questions(made, rng))
