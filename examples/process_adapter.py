"""A memory in a process of its own, in whatever environment its library needs.

memtriage check "proc:python examples/process_adapter.py"
memtriage run --suite memfail/conditional-easy --system "proc[window=200]:python examples/process_adapter.py"
"""

import re

from memtriage_adapter import Memory, serve


def words(text):
    return set(re.findall(r"\w+", text.lower()))


class NewestTurns:
    """Keeps the newest turns; brings back those with the most words in common with the question."""

    def __init__(self, settings):
        self.window = int(settings.options.get("window", 1000))
        self.turns = []

    def store_conversation(self, conversation):
        self.turns += [Memory(t.id, t.text, conversation.timestamp, (t.id,)) for t in conversation.turns]
        del self.turns[: -self.window]

    def retrieve_memories(self, query, conversation, k):
        return sorted(self.turns, key=lambda m: len(words(query) & words(m.text)), reverse=True)[:k]

    def get_all_memories(self):
        return self.turns


serve(NewestTurns, options={"window": "how many turns are kept (1000)"})
