"""What the chat memories (memorybank, ld-agent, memwalker) ask their model, and the JSON objects it must reply with.

Conversations, summaries and questions stand in one block of data only, as JSON; `task` in it names the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtriage.core.chat import Message, Schema
from memtriage.core.episode import Turn
from memtriage.models.json_shapes import NUMBER, NUMBERS, TEXT, object_of, objects_of, one_of
from memtriage.models.prompt_data import prompt_data
from memtriage.systems.designs.prompts import Ask

_ALONE = (
    "Write so that somebody who never saw the conversation understands it: names instead of pronouns (`the user` for "
    "the one who speaks as user, unless a name is known), dates instead of words like yesterday, reckoned from "
    "`said_at`. Leave numbers, names, conditions, negations and degrees as they were said and a text given word for "
    "word whole, and add nothing."
)

RULES: Mapping[str, str] = {
    "bank_session": (
        "You keep the memory bank of an assistant. `turns` is a conversation that was held at `said_at`. `day_so_far` "
        "is what the summary of that day says already, `overview` an account of everything that has happened up to "
        "now, `portrait` what is known of the user. Give in `events` the sentences by which the day's summary has to "
        "grow, the assistant's part included where it may be asked for again; an empty list if there is nothing new. "
        f"{_ALONE} `turns` of an event are the numbers of the turns it comes from. Give in `overview` the account with "
        "the new events worked in, and in `portrait` the user's character, habits, tastes, people and circumstances "
        "as they stand now, each in at most 150 words. Where one of them needs no change, give an empty text."
    ),
    "ld_session": (
        "You keep the long-term memory of a companion. `turns` is a conversation that was held at `said_at`; its words "
        "will not be kept. Give in `summary` what happened in it, in two to four sentences, and in `turns` the numbers "
        "of the turns that the summary rests on. Give in `facts` what it shows of the people in it, one trait, "
        "preference, possession, relation, plan or experience per item; `about` says whether it is true of the user "
        "or of the assistant, and `turns` are the numbers of the turns it comes from. Small talk gives an empty "
        f"summary and an empty list. {_ALONE}"
    ),
    "walk_leaves": (
        "You make the signposts of an archive. `segments` are pieces of one conversation, held at `said_at`. Give for "
        "each, by its `number`, a summary of one to three sentences that names what a reader could look for in it: "
        "people, things, places, figures, questions and answers."
    ),
    "walk_nodes": (
        "You make the signposts of an archive. Each of `groups` lists summaries, in the order of time, of what lies "
        "below one branch. Give for each, by its `number`, one summary of at most 120 words from which a reader can "
        "tell what is to be found down there: name the people, things, places and matters rather than speak of "
        "various topics."
    ),
    "walk_step": (
        "You look for what answers `query` in a tree of past conversations; `asked_at` is when the question is asked. "
        "You stand at a branch; `way` holds the summaries from the root down to it. `children` are what can be "
        "entered from here: a `branch` leads further down, a `segment` is a piece of conversation that is handed over "
        "to whoever answers when you enter it; `when` is the time it is from. What you have entered already is in "
        "`read`, and children that hold nothing unread are not listed. Reply with a short `reason` and one `move`:\n"
        "enter: go into the child whose number is `child`.\n"
        "back: leave this branch for the one above it, because nothing here is of use.\n"
        "stop: what you have read is enough, or nothing more is worth a visit.\n"
        "`child` is 0 unless you enter one. `refused`, where it is not empty, says why your last move could not be "
        "made. At most `steps_left` moves remain. Do not answer the question."
    ),
}
"""What the model is told to do, by the question's name; systems may be given other words for it."""

MOVES = ("enter", "back", "stop")


def bank_session(
    turns: Sequence[Turn], said_at: str | None, day_so_far: Sequence[str], overview: str, portrait: str
) -> Ask:
    """What a session adds to its day, to the account of everything and to the portrait of the user."""
    known = {"day_so_far": list(day_so_far), "overview": overview, "portrait": portrait}
    return _ask("bank_session", "summarise", {**_conversation(turns, said_at), **known})


def ld_session(turns: Sequence[Turn], said_at: str | None) -> Ask:
    """What happened in a session, and what it shows of those who spoke."""
    return _ask("ld_session", "summarise", _conversation(turns, said_at))


def walk_leaves(segments: Sequence[str], said_at: str | None) -> Ask:
    """What each segment of a session holds."""
    listed = [{"number": n, "text": text} for n, text in enumerate(segments, 1)]
    return _ask("walk_leaves", "summarise", {"said_at": said_at or "", "segments": listed})


def walk_nodes(groups: Sequence[Sequence[str]]) -> Ask:
    """What lies below each of several branches."""
    listed = [{"number": n, "parts": list(parts)} for n, parts in enumerate(groups, 1)]
    return _ask("walk_nodes", "summarise", {"groups": listed})


def walk_step(place: Mapping[str, Any]) -> Ask:
    """Where to go from a branch."""
    return _ask("walk_step", "navigate", place)


def _ask(task: str, stage: str, data: Mapping[str, Any]) -> Ask:
    messages = (Message("system", RULES[task]), Message("user", prompt_data({"task": task, **data})))
    return Ask(stage, messages, SCHEMAS[task], task)


def _conversation(turns: Sequence[Turn], said_at: str | None) -> dict[str, Any]:
    listed = [{"turn": n, "role": turn.role, "text": turn.text} for n, turn in enumerate(turns, 1)]
    return {"said_at": said_at or "", "turns": listed}


# ------------------------------------------------------------------ the replies


_SUMMARIES = {"summaries": objects_of(number=NUMBER, text=TEXT)}

_REPLIES: Mapping[str, Mapping[str, Any]] = {
    "bank_session": {"events": objects_of(text=TEXT, turns=NUMBERS), "overview": TEXT, "portrait": TEXT},
    "ld_session": {
        "summary": TEXT,
        "turns": NUMBERS,
        "facts": objects_of(about=one_of("user", "assistant"), text=TEXT, turns=NUMBERS),
    },
    "walk_leaves": _SUMMARIES,
    "walk_nodes": _SUMMARIES,
    # The child is any number here: one that isn't there is refused on the way, where the model can mend it.
    "walk_step": {"reason": TEXT, "move": one_of(*MOVES), "child": NUMBER},
}
SCHEMAS: Mapping[str, Schema] = {name: Schema(name, object_of(**reply)) for name, reply in _REPLIES.items()}
