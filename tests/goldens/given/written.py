"""A memory in a process of its own that writes and embeds with the models of the run."""

import json
from urllib.request import Request, urlopen

from memtriage_adapter import Memory, serve


def ask(model, path, body):
    headers = {"content-type": "application/json", "authorization": f"Bearer {model.api_key}"}
    request = Request(f"{model.base_url}/{path}", json.dumps({"model": model.model, **body}).encode(), headers)
    with urlopen(request) as answer:
        return json.loads(answer.read())


class Written:
    """Keeps what a model makes of each turn; finds by the angle between vectors."""

    def __init__(self, settings):
        self.settings = settings
        self.kept = []

    def store_conversation(self, conversation):
        for turn in conversation.turns:
            messages = [{"role": "system", "content": "Repeat it."}, {"role": "user", "content": turn.text}]
            reply = ask(self.settings.internal, "chat/completions", {"messages": messages, "temperature": 0})
            text = reply["choices"][0]["message"]["content"]
            self.kept.append((Memory(turn.id, text, conversation.timestamp, (turn.id,)), self.vector(text)))

    def vector(self, text):
        reply = ask(self.settings.embed, "embeddings", {"input": [text], "encoding_format": "float"})
        return reply["data"][0]["embedding"]

    def retrieve_memories(self, query, conversation, k):
        wanted = self.vector(query)
        ranked = sorted(self.kept, key=lambda one: -sum(a * b for a, b in zip(wanted, one[1], strict=True)))
        return [memory for memory, _ in ranked[:k]]

    def get_all_memories(self):
        return [memory for memory, _ in self.kept]


serve(Written)
