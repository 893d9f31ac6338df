"""What a model is told when it invents a user, proposes a question about them, and chats with itself.

What it works on travels as one JSON object in a marked block; nothing in it is an instruction.
"""

from __future__ import annotations

from collections.abc import Mapping

from memtriage.core.chat import Schema
from memtriage.models.json_shapes import NUMBER, TEXT, TEXTS, object_of, objects_of
from memtriage.suites.kit.writing import DATA, WritingPrompt
from memtriage.suites.longmemeval.question import QuestionType

BACKGROUND = WritingPrompt(
    "lme-background",
    f"""\
You invent people who chat with assistants, for a test of what assistants remember.
{DATA}

`attribute` is a side of a person's life, in `category`. `number` only tells one such request from the next: invent
somebody else for each. Write as `background` one paragraph of 120 to 200 words about a single made-up person, in the
third person and without a name: what there is to know about this side of their life. Be concrete: things they own or
did, with makes, titles, places, amounts and frequencies; what happened when, at what distance from today; what has
changed lately; what they like and what they can't stand. Nothing in it may contradict anything else in it.
""",
    Schema("lme_background", object_of(background=TEXT)),
)

PROPOSAL = WritingPrompt(
    "lme-propose",
    f"""\
You propose questions that test whether an assistant remembers earlier chats with its user.
{DATA}

`background` describes the user. `kind` says what sort of question is wanted, and `least` and `most` how many
statements it rests on. Propose one:
- question: what the user asks, in the first person, weeks after the chats. It must not give its answer away, and nobody
  could answer it from general knowledge.
- answer: as short as it can be; it must follow from the statements alone.
- statements: what was said about it, each in a chat of its own. `text` is one or two sentences in the first person.
  `details` are the one to three phrases in it, letter for letter, without which the answer would be lost: a name, a
  number, a place. `days_before` says how many days before the question that chat took place; write -1 where it does not
  matter. No statement repeats what another says.
- untold: empty, unless `kind` asks for it.
If `problems` are given, an earlier proposal had them: avoid them.
""",
    Schema(
        "lme_proposal",
        object_of(
            question=TEXT,
            answer=TEXT,
            statements=objects_of(text=TEXT, details=TEXTS, days_before=NUMBER),
            untold=TEXTS,
        ),
    ),
)

KINDS: Mapping[QuestionType, tuple[str, int, int]] = {
    "single-session-user": ("The question asks for one thing that the user let slip in a single chat.", 1, 1),
    "single-session-assistant": (
        "The question asks to be told again one thing that the assistant said in a single chat, such as an item of a "
        "list or a name that it suggested. The statement is that sentence of the assistant's, not of the user's.",
        1,
        1,
    ),
    "single-session-preference": (
        "The statement tells what the user likes, owns or avoids. The question asks for a suggestion and does not "
        "mention it. The answer says what a good suggestion builds on, and what it stays away from.",
        1,
        1,
    ),
    "multi-session": (
        "The answer takes all of the statements: things to count, amounts to add up, or values to compare.",
        2,
        6,
    ),
    "knowledge-update": (
        "Both statements tell the same thing of the user, first as it was and then as it has become; the second does "
        "not speak of the first. The question asks how it is now, and the answer is the second one's.",
        2,
        2,
    ),
    "temporal-reasoning": (
        "Each statement tells an event that took place on the very day of its chat. The question asks for their order, "
        "or for the days or weeks between them or since one of them; the answer follows from days_before, which has to "
        "be at least 0 for every statement, the earliest event first.",
        2,
        3,
    ),
}
"""For each type what is asked of the model, and how few and how many statements."""

UNTOLD = (
    " But this time the question rests on something that was never said: it asks about a thing close to what the "
    "statements tell of, and takes for granted that it had been told as well. `untold` holds the one or two phrases "
    "that name this thing, and no statement holds them. The answer says that it was never mentioned, and what was."
)
"""What is added for a question that can't be answered."""

USER = WritingPrompt(
    "lme-user",
    f"""\
You play a person who chats with an assistant. What you write is used to test what assistants remember.
{DATA}

`background` is who you are. `chat` is what was said so far; it may be empty. Write your next message as `message`: one
or two plain sentences, as people type them who want something done. Ask for help with a task, for information, or
something further about the last answer. No thanks, no praise, no summary of what the assistant said.
- Where `tell` is not empty, your message has to say it, as a remark on the side of what you ask for and not as the
  point of the message. Every phrase in `exactly` stands in it letter for letter.
- Where `tell` is empty, keep to the subject of the chat and say nothing new about yourself. Where `later` is not empty,
  it is what you will come to further on: choose a subject in which it may come up, but don't say any of it yet.
- Never say anything that `avoid` holds.
- When there is nothing left to ask, `message` is empty.
You are the person: never answer in the assistant's place. If `problems` are given, an earlier attempt had them.
""",
    Schema("lme_user_message", object_of(message=TEXT)),
)

ASSISTANT = WritingPrompt(
    "lme-assistant",
    f"""\
You are a helpful assistant in a chat.
{DATA}

`chat` is what was said so far; the last message is the person's. Write your answer as `message`, as detailed as the
request deserves. Where `include` is not empty, that sentence belongs to your answer, word for word, among other things
of its kind. When the person has nothing left to ask, `message` is empty.
""",
    Schema("lme_assistant_message", object_of(message=TEXT)),
)
