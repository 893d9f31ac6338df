"""A complete memory system: keeps the newest turns, finds the ones that share the most words with the question.

memtriage check examples/my_memory.py:MyMemory
memtriage run --suite memfail/conditional-easy --system examples/my_memory.py:MyMemory:window=200 --system bm25
"""

import re

from memtriage import Memory, Session


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


class MyMemory:
    """Keeps the newest `window` turns; brings back those with the most words in common with the question."""

    def __init__(self, window: str | int = 1000) -> None:
        self.window = int(window)  # arguments from the command line arrive as text
        self.turns: list[Memory] = []

    def store_conversation(self, conversation: Session) -> None:
        self.turns += [Memory(turn.id, turn.text, conversation.timestamp) for turn in conversation.turns]
        del self.turns[: -self.window]

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        return sorted(self.turns, key=lambda m: len(words(query) & words(m.text)), reverse=True)[:k]

    def get_all_memories(self) -> list[Memory]:
        return list(self.turns)
