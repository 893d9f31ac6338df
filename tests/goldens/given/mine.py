"""Memories of one's own: one that keeps every turn, some without their sources, and one that breaks now and then."""

from memtriage import Memory


class Every:
    """Keeps every turn, finds by shared words, and answers by itself."""

    parallel = True

    def __init__(self, step: int = 2) -> None:
        self.step, self.kept = step, []

    def store_conversation(self, conversation):
        told = [Memory(turn.id, turn.text, conversation.timestamp, (turn.id,)) for turn in conversation.turns]
        self.kept += told if len(self.kept) % self.step else [{"text": each.text, "id": each.id} for each in told]

    async def retrieve_memories(self, query, conversation, k):
        asked = set(query.lower().split())
        return sorted(self.kept, key=lambda m: -len(asked & set(text_of(m).lower().split())))[:k]

    def get_all_memories(self):
        return self.kept

    def answer(self, query, memories):
        return text_of(memories[0]) if memories else "I have no information about that."


def text_of(memory):
    return memory["text"] if isinstance(memory, dict) else memory.text


class Blind:
    """Can't be looked into, loses a session and breaks on some questions."""

    def __init__(self) -> None:
        self.kept = []

    def store_conversation(self, conversation):
        if conversation.id == "s0002":
            raise ValueError("not this one")
        self.kept += [turn.text for turn in conversation.turns]

    def retrieve_memories(self, query, conversation, k):
        if "hat" in query:
            raise KeyError("hat")
        return self.kept[-k:]
