"""What a MemGPT agent asks its model, answered by rule: it files everything, searches with the question, and answers.

What the user says of themselves goes into core memory as long as there is room, every other sentence into the archive.
Nothing is understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memtriage.models.scripted.prompt_parts import Data, longer_words, task_data
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences

_MOST_INSERTS = 15
_OWN = ("I ", "I'", "My ")
_SEARCHES = ("archival_memory_search", "conversation_search")
_MACHINE = ("tool", "thought", "system")


def reply(request: Request) -> Data | None:
    """The answer to a question of `systems/designs/memgpt/prompts.py`; None for any other request."""
    found = task_data(request, _TASKS)
    return _TASKS[found[0]](found[1]) if found else None


def _keep(data: Data) -> Data:
    human = data["core"]["human"]
    own: list[str] = []
    others: list[list[str]] = []
    room = int(human["most"]) - int(human["characters"])
    for message in data["queue"]:
        if message.get("new") and message["from"] not in ("assistant", *_MACHINE):
            rest = []
            for sentence in sentences(str(message["text"])):
                if sentence.startswith(_OWN) and sentence not in human["text"] and len(sentence) < room:
                    own.append(sentence)
                    room -= len(sentence) + 1
                else:
                    rest.append(sentence)
            others += [rest] if rest else []
    actions = [_action("core_memory_append", block="human", text="\n".join(own))] if own else []
    size = -(-len(others) // _MOST_INSERTS) or 1
    for start in range(0, len(others), size):
        text = " ".join(sentence for each in others[start : start + size] for sentence in each)
        actions.append(_action("archival_memory_insert", text=text))
    return {"thought": "All of it is kept." if actions else "There is nothing to keep.", "actions": actions}


def _summary(data: Data) -> Data:
    """The end of the old summary and the opening sentence of each message, cut short."""
    said = [str(each["text"]) for each in data["messages"] if each["from"] not in _MACHINE]
    openings = [next(iter(sentences(text)), "") for text in said]
    return {"summary": " ".join([str(data["summary"])[-200:], *openings]).strip()[:600]}


def _search(data: Data) -> Data:
    """Searches archive and messages with the question as it is, once."""
    if _results(data):
        return {"thought": "That is what there is.", "actions": []}
    return {"thought": "I look it up.", "actions": _both_searches(str(data["question"]))}


def _answer(data: Data) -> Data:
    """Searches once, then says the line that shares most with the question."""
    question = str(data["question"])
    results = _results(data)
    if not results:
        return {"thought": "I look it up.", "actions": _both_searches(question)}
    asked = set(longer_words(question))
    shared = {text: len(asked & set(longer_words(text))) for text in _lines(data, results)}
    best = max(shared, key=lambda text: shared[text], default="")
    text = best if best and shared[best] else "I don't have that information."
    return {"thought": "I can answer.", "actions": [_action("send_message", text=text)]}


_TASKS: Mapping[str, Callable[[Data], Data]] = {
    "agent_keep": _keep,
    "agent_summary": _summary,
    "agent_search": _search,
    "agent_answer": _answer,
}


def _both_searches(question: str) -> list[Data]:
    return [_action(tool, text=question, heartbeat=True) for tool in _SEARCHES]


def _results(data: Data) -> list[str]:
    """What the searches of the step before brought."""
    new = [each for each in data["queue"] if each["from"] == "tool" and each.get("new")]
    return [str(each.get("result")) for each in new if str(each["text"]).startswith(_SEARCHES)]


def _lines(data: Data, results: Sequence[str]) -> Iterator[str]:
    yield from (line for block in data["core"].values() for line in str(block["text"]).split("\n"))
    yield from (line for result in results for line in result.split("\n")[1:])


def _action(tool: str, **given: Any) -> Data:
    unused = {"block": "", "old": "", "text": "", "start": "", "end": "", "page": 0, "heartbeat": False}
    return {"tool": tool, **unused, **given}
