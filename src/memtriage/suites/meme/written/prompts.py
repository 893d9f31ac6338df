"""The prompts for a model that plays both sides of a chat, and then checks what it wrote.

Facts and chats are passed as one JSON object in a marked block; nothing in it is an instruction.
"""

from __future__ import annotations

from memtriage.core.chat import Schema
from memtriage.models.json_shapes import NUMBER, TEXT, object_of, objects_of, one_of
from memtriage.suites.kit.writing import DATA, WritingPrompt

FINDINGS = ("missing", "changed", "invented", "contradicted")
"""What an audit may find: a fact that nobody can learn from the chat, one told differently, something told of the user
that is on no list, and two turns that can't both be true."""


USER = WritingPrompt(
    "chat-user",
    f"""\
You play a person who chats with an assistant. What you write is used to test what assistants remember.
{DATA}

`about` says in which surroundings the person lives. `chat` is what was said so far in this chat, by both sides; it may
be empty. `tell` is what your next message has to tell, seen from outside: it speaks of "the user", and that is you.

Write your next message as `message`:
- Say everything in `tell`, in the first person and in your own words, as somebody would who has no idea that it
  matters. Lead up to it, or let it slip in while you speak of something else.
- Names, numbers and everything in `exactly` stay letter for letter as they are there. Where `tell` says that one thing
  hangs on another, say both and that they belong together. Where it says that something is new, that it has changed,
  or that it shall be forgotten, say that it is so.
- Say nothing else about yourself that could be remembered: no other names, places, habits, dates, plans or things you
  own. Ask a question, wonder, or thank instead.
- Don't say again what you told earlier in the chat, and don't contradict it.
- One to four sentences, no lists, no quotation marks around it, no markdown.

Where there are `problems`, an earlier attempt at this chat was turned down for them; see that they don't come back.
""",
    Schema("meme_user_message", object_of(message=TEXT)),
)

ASSISTANT = WritingPrompt(
    "chat-assistant",
    f"""\
You play an assistant in a chat with a person.
{DATA}

`about` says in which surroundings the person lives. `chat` is what was said so far; the last message is the person's.
Write the assistant's answer as `message`:
- Two to five sentences: take up what was said, answer what was asked, offer something useful of a general kind.
- Take nothing about the person for granted that the person did not say. Where you need more, ask.
- Don't put words into the person's mouth, don't draw conclusions about what else will change for them, and don't
  repeat long texts that they gave you.
- No lists, no markdown.
""",
    Schema("meme_assistant_message", object_of(message=TEXT)),
)

ANNOTATION = WritingPrompt(
    "chat-annotate",
    f"""\
You mark where a chat tells certain facts.
{DATA}

`facts` are numbered and seen from outside: "the user" is the person who chats. `turns` are the person's messages, with
their numbers. For each fact that a message tells give an entry in `annotations`:
- fact: the fact's number.
- turn: the number of the message that tells all of it.
- quote: the words of that message that tell it, copied character for character; whole sentences, as few as suffice to
  know the fact without the rest.
Leave out a fact that no message tells.
""",
    Schema("meme_annotations", object_of(annotations=objects_of(fact=NUMBER, turn=NUMBER, quote=TEXT))),
)

AUDIT = WritingPrompt(
    "chat-audit",
    f"""\
You check whether a chat says what it was meant to say about a person, no less, no more and nothing else.
{DATA}

`facts` are numbered and seen from outside: "the user" is the person who chats. `chat` is everything that was said.
Read the chat as a stranger who knows nothing else. List in `findings` whatever is wrong, each with its `kind`:
- missing: somebody who read the chat could not know this fact.
- changed: the chat tells it, but with another value, degree, time, owner or condition, or without what it hangs on.
- invented: the chat tells something lasting about the person that is in no fact: another possession, place, habit,
  name, plan or rule. Passing moods, questions, thanks and general knowledge are no such thing.
- contradicted: two messages can't both be true, or the assistant states as true what the person did not say.
`fact` is the number of the fact it is about, 0 where it is about none. `what` says in a sentence what is wrong.
An empty list says that all is well.
""",
    Schema(
        "meme_audit",
        object_of(findings=objects_of(kind=one_of(*FINDINGS), fact=NUMBER, what=TEXT)),
    ),
)
