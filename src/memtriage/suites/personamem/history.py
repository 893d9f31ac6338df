"""A history of PersonaMem, of either version: what was said, and what is asked along the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

SUITE = "personamem"

PERSONA = "system"
"""The role of messages that describe the user; each session of version 1 begins with one."""


class Message(NamedTuple):
    """One message of a history."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A message of the user with the replies to choose from, asked after the first `end` messages.

    `evidence` are the messages that tell what a reply must take into account, where the files say so; `sought` is the
    text by which the sentences that matter are found in them. `preference` is what they come to, if nobody said it
    outright, `replaces` the preference that it took the place of. A `withheld` one is not to be used in a reply.
    """

    id: str
    text: str
    options: tuple[str, ...]
    right: int
    end: int
    evidence: tuple[int, ...] = ()
    sought: str = ""
    preference: str = ""
    replaces: str = ""
    withheld: bool = False
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def gold(self) -> str:
        return self.options[self.right]


@dataclass(frozen=True, slots=True)
class History:
    """All messages that one store hears, and the questions about them. New sessions begin at `starts`."""

    id: str
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]
    starts: frozenset[int]
