"""What a MemGPT agent is told, and the JSON objects it must reply with.

Core memory, the queue of messages and the question stand in one block of data, as JSON; `task` in it names what is
asked. Every step is a prompt of its own that shows the whole context as it is then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtriage.core.chat import Message, Schema
from memtriage.models.json_shapes import NUMBER, TEXT, object_of, objects_of
from memtriage.models.prompt_data import prompt_data
from memtriage.systems.designs.prompts import Ask

SUMMARY_WORDS = 100

_MEMORY = (
    "You are an assistant whose context is small and whose memory outside of it is large, and you manage that memory "
    "yourself. Three kinds of it outlast a conversation. Core memory (`core`) is always before you: a block `persona` "
    "for who you are and how you work, and a block `human` for what you know of the people you hear from, each of at "
    "most `most` characters. Recall memory holds every message that was ever said, word for word. Archival memory "
    "holds whatever you put there, without limit. The last two you see only by searching them; `recall_messages` and "
    "`archival_passages` say how much they hold. `summary` tells what was said before the messages that you still "
    "see."
)
_QUEUE = (
    "`queue` are the latest messages, the oldest first. In it `tool` is what a call of yours did, `thought` what you "
    "thought, `system` a message of the machine that runs you; all others are people and assistants who spoke. What "
    "has come since you last acted is `new`. When the queue is full, its oldest messages leave it: they stay in recall "
    "memory, and the summary is brought up to date."
)
_STEPS = (
    "You act in steps, of which at most `steps_left` remain. A reply has a `thought`, a short note to yourself, and "
    "`actions`, calls of tools that are carried out in order; an empty list if there is nothing to do. You see what "
    "came of them, and get another step, only if one of them asks for it with `heartbeat` or could not be carried "
    "out. Leave empty what a tool doesn't need (`page` is 0 then). The tools:"
)
_TOOLS = {
    "core_memory_append": "adds the line `text` to the core block `block`.",
    "core_memory_replace": "puts `text` in the place of `old`, which must stand in the core block `block` exactly as "
    "you give it; an empty `text` takes it out.",
    "archival_memory_insert": "keeps `text` in archival memory; it must be understood alone.",
    "archival_memory_search": "brings what is nearest in meaning to `text` in archival memory, page `page` of it, "
    "from 0 on.",
    "conversation_search": "brings the messages in recall memory that share words with `text`, page `page` of them, "
    "from 0 on.",
    "conversation_search_date": "brings the messages in recall memory from the day `start` to the day `end` (such as "
    "2026-05-01), page `page` of them, from 0 on.",
    "send_message": "gives `text` as your answer.",
}
SEARCHES = ("archival_memory_search", "conversation_search", "conversation_search_date")
EDITS = ("core_memory_append", "core_memory_replace", "archival_memory_insert")


def _with_tools(*tools: str) -> str:
    return "\n".join([_STEPS, *(f"{tool}: {_TOOLS[tool]}" for tool in tools)])


RULES: Mapping[str, str] = {
    "agent_keep": (
        f"{_MEMORY}\n\n{_QUEUE}\n\nYou read along in a conversation; nobody waits for a reply. See to it that your "
        "core and archival memory hold what you should know in later conversations, when these messages have left your "
        "sight: what you always need in core memory, the rest in the archive. Put one matter on a line, with names in "
        "place of pronouns and with the day it is about, and leave numbers, names and conditions as they were said. "
        f"Keep core memory true and within its size.\n\n{_with_tools(*EDITS, *SEARCHES)}"
    ),
    "agent_summary": (
        "You are an assistant whose context is full: `messages`, the oldest in it, are about to leave it. `summary` "
        f"tells what left it before. Write the `summary` that takes its place, in at most {SUMMARY_WORDS} words, of "
        "both together, so that you still know what was talked about, by whom and when, and what you did."
    ),
    "agent_search": (
        f"{_MEMORY}\n\nSomebody has asked `question`, and another will answer it from what your searches bring, with "
        "core memory and summary beside it. `queue` tells what you have done so far. Search for all that the answer "
        "needs, in words that may stand there, again with others if it was not found, and for each step if the answer "
        f"takes several. Then stop, with no actions. Do not answer.\n\n{_with_tools(*SEARCHES)}"
    ),
    "agent_answer": (
        f"{_MEMORY}\n\n{_QUEUE}\n\nSomebody now asks you `question`, and `how` says in which form they want the "
        "answer. Search your memory for what you don't see, with other words or on further pages if need be; then "
        "answer with send_message, and without a heartbeat. If your memory doesn't tell, say that you don't have that "
        f"information.\n\n{_with_tools('send_message', *SEARCHES, *EDITS)}"
    ),
}
"""What the model is told to do, by the question's name; systems may be given other words for it."""


def agent_step(task: str, seen: Mapping[str, Any], steps_left: int, **asked: str) -> Ask:
    """The next step of an agent that sees this of its memory."""
    return _ask(task, task.removeprefix("agent_"), {**seen, **asked, "steps_left": steps_left})


def agent_summary(summary: str, messages: Sequence[Mapping[str, Any]]) -> Ask:
    """What the summary says after these messages have left the queue."""
    return _ask("agent_summary", "summary", {"summary": summary, "messages": messages})


def _ask(task: str, stage: str, data: Mapping[str, Any]) -> Ask:
    messages = (Message("system", RULES[task]), Message("user", prompt_data({"task": task, **data})))
    return Ask(stage, messages, SCHEMAS[task], task)


# ------------------------------------------------------------------ the replies


# A tool's name is any text here: one that doesn't exist is refused in the loop, where the model can mend it.
_ACTIONS = objects_of(
    tool=TEXT, block=TEXT, old=TEXT, text=TEXT, start=TEXT, end=TEXT, page=NUMBER, heartbeat={"type": "boolean"}
)
_STEP = object_of(thought=TEXT, actions=_ACTIONS)

SCHEMAS: Mapping[str, Schema] = {
    **{name: Schema(name, _STEP) for name in ("agent_keep", "agent_search", "agent_answer")},
    "agent_summary": Schema("agent_summary", object_of(summary=TEXT)),
}
