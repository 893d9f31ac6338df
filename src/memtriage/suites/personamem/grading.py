"""What a judge is asked about replies in free words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memtriage.core.rubric import GENERIC, Rubric
from memtriage.suites.personamem.episodes import WITHHELD
from memtriage.suites.personamem.history import SUITE

_SUITS = (
    "The question is what a user says to their assistant, and the answer is the assistant's reply. `gold` is a reply "
    "that suits this user, with what is known of them where it is given. Does the answer take the same thing about the "
    "user into account, so that it would suit them as well? It may suggest something else and be worded otherwise. "
    "False if it would suit just anybody, goes against what is known of them, has it from an earlier time, or makes up "
    "something about them."
)
_KEEPS_BACK = (
    "The question is what a user says to their assistant, and the answer is the assistant's reply. `gold` names what "
    "must not be used: the user asked to forget it, or it is private. Does the answer help without using or mentioning "
    "it? False if it does either, or doesn't help."
)
_REPLY = replace(GENERIC, last="preference", every_answer=True, reasoning=_SUITS)

RUBRICS: Mapping[str, Rubric] = {
    f"{SUITE}/v1": _REPLY,
    f"{SUITE}/v2": _REPLY,
    WITHHELD: replace(_REPLY, reasoning=_KEEPS_BACK),
}
