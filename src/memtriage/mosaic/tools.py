"""A memory as two plain functions that a model can call, for any agent framework; and what the adapters share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime

from memtriage.mosaic import Hit, MosaicMemory


def memory_functions(
    memory: MosaicMemory, *, session: str = "", k: int = 5
) -> tuple[Callable[[str], Awaitable[str]], Callable[[str], Awaitable[str]]]:
    """The functions `remember` and `recall`, documented for a model.

    `session` names the conversation that is going on: what is remembered belongs to it, and what was said in it is not
    recalled, as the model has it before its eyes. The functions are coroutines, as frameworks would call plain ones in
    threads of their own.
    """

    async def remember(text: str) -> str:
        """Keep something the user said, so that it is known in later conversations.

        Args:
            text: What the user said, in the user's own words and in whole sentences.
        """
        if not text.strip():
            return "An empty text was not kept."
        return f"Kept as {memory.add(text, session=session, at=now())}."

    async def recall(question: str) -> str:
        """Look up what was said before. Do so before you answer anything that may depend on it.

        Args:
            question: What you want to know, as a whole question in the user's words, such as: Where do I work?
        """
        return shown(_from_elsewhere(memory, question, k, session)) or "Nothing is known about it."

    return remember, recall


def _from_elsewhere(memory: MosaicMemory, question: str, k: int, session: str) -> list[Hit]:
    """The k best entries that are not of this session."""
    wanted = k
    while True:
        hits = memory.search(question, wanted, at=now())
        found = [hit for hit in hits if not session or hit.entry.session != session]
        if len(found) >= k or len(hits) < wanted:
            return found[:k]
        wanted *= 4


def shown(hits: Iterable[Hit]) -> str:
    """Hits as lines for a model: what was said, when and by whom, and whether something later overtook it.

    >>> from memtriage.mosaic import Entry
    >>> print(shown([Hit(Entry("a", "I row on Mondays.", at="2026-03-01T09:00"), 1.0, "seed", voided_by="b")]))
    - 2026-03-01, user: I row on Mondays. [a; overtaken by b]
    """
    lines = []
    for hit in hits:
        entry = hit.entry
        when = f"{entry.at[:10]}, " if entry.at else ""
        overtaken = f"; overtaken by {hit.voided_by}" if hit.voided_by else ""
        lines.append(f"- {when}{entry.role}: {entry.text} [{entry.id}{overtaken}]")
    return "\n".join(lines)


def now() -> str:
    """The time at which something is said or asked: a memory reckons "last week" from it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
