"""A memory that runs in a process of its own."""

from memtriage_adapter import Memory, serve


class Newest:
    def __init__(self, settings):
        self.window = int(settings.options.get("window", 1000))
        self.turns = []

    def store_conversation(self, conversation):
        self.turns += [Memory(t.id, t.text, conversation.timestamp, (t.id,)) for t in conversation.turns]
        del self.turns[: -self.window]

    def retrieve_memories(self, query, conversation, k):
        words = set(query.lower().split())
        return sorted(self.turns, key=lambda m: len(words & set(m.text.lower().split())), reverse=True)[:k]

    def get_all_memories(self):
        return self.turns


serve(Newest, options={"window": "how many turns are kept (1000)"})
