"""A memory system whose functions are coroutines and whose memories are plain strings.

memtriage check examples/async_memory.py:AsyncMemory
"""

import asyncio
import re

from memtriage import Session


class AsyncMemory:
    """Writes sentences in the background; `settle` waits until all of them are written."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.pending: set[asyncio.Task[None]] = set()

    async def store_conversation(self, conversation: Session) -> None:
        task = asyncio.create_task(self._write(conversation.text))
        self.pending.add(task)
        task.add_done_callback(self.pending.discard)

    async def _write(self, text: str) -> None:
        await asyncio.sleep(0)  # a call to a database or a model would wait here
        self.sentences += [sentence.strip() for sentence in text.split(". ") if sentence.strip()]

    async def settle(self) -> None:
        await asyncio.gather(*self.pending)

    async def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[str]:
        asked = set(re.findall(r"\w+", query.lower()))
        return sorted(self.sentences, key=lambda s: len(asked & set(re.findall(r"\w+", s.lower()))), reverse=True)[:k]

    async def get_all_memories(self) -> list[str]:
        return list(self.sentences)
