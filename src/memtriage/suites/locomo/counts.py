"""The paper's counts of its conversations, and of its questions by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memtriage.core.suite import DataTable
from memtriage.suites.locomo.conversation import CATEGORIES, IN_TABLE, Conversation


def counted(title: str, talks: Iterable[Conversation]) -> DataTable:
    """A line for each conversation, and one for all."""
    columns = ("conversation", "sessions", "turns", "photos", *(CATEGORIES[n] for n in IN_TABLE), "questions")
    counts = {talk.id: _counts(talk) for talk in talks}
    counts["all"] = [sum(column) for column in zip(*counts.values(), strict=True)]
    return DataTable(title, columns, tuple((name, *found) for name, found in counts.items()))


def _counts(talk: Conversation) -> list[int]:
    said = [said for sitting in talk.sittings for said in sitting.said]
    kinds = Counter(question.category for question in talk.questions)
    photos = sum(bool(each.caption) for each in said)
    return [len(talk.sittings), len(said), photos, *(kinds[n] for n in IN_TABLE), len(talk.questions)]
