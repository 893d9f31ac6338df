"""BEAM's questions: which ability each tests, the nuggets of its rubric, and what in the chat it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from memtriage.core.episode import Fact, Outdated, Probe
from memtriage.core.rubric import GENERIC, NUGGET_STAGES, Rubric

SUITE = "beam"
TASK = f"{SUITE}/chat"

Ability = Literal[
    "abstention",
    "contradiction_resolution",
    "event_ordering",
    "information_extraction",
    "instruction_following",
    "knowledge_update",
    "multi_session_reasoning",
    "preference_following",
    "summarization",
    "temporal_reasoning",
]
ABILITIES: tuple[Ability, ...] = get_args(Ability)

INSTRUCTION = (
    "Answer as the assistant of the user, who asks. What the user has asked for in earlier conversations about how to "
    "answer, and what the user likes, holds for this answer where it fits. If earlier conversations don't tell what is "
    "asked, say that there is no information about it. If they tell two things that can't both be so, say so."
)
"""What the answering model is told with every question, whatever it tests: which ability that is, it never learns."""


def task_of(ability: Ability) -> str:
    """The task of the questions on an ability.

    >>> task_of("event_ordering")
    'beam/event-ordering'
    """
    return f"{SUITE}/{ability.replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, with a right answer, the nuggets it is scored by, and the ids of the facts that it needs."""

    ability: Ability
    text: str
    gold: str
    nuggets: tuple[str, ...]
    needed: tuple[str, ...] = ()
    outdated: tuple[Outdated, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)

    def probe(self, id: str, facts: Mapping[str, Fact], chat: str, asked_at: str | None) -> Probe:
        """The question as it is asked; what it tests is told by its task and tags, and nowhere else."""
        turns = dict.fromkeys(turn for fact in self.needed for turn in facts[fact].turns)
        return Probe(
            id=id,
            text=self.text,
            gold=self.gold,
            sufficient=(self.needed,) if self.needed else (),
            scoring="abstain" if self.ability == "abstention" else "nuggets",
            cluster=chat,
            tags={"ability": self.ability, **self.tags},
            task=task_of(self.ability),
            outdated=self.outdated,
            asked_at=asked_at,
            targets=tuple(turns),
            golds=self.nuggets,
            instruction=INSTRUCTION,
        )


_NUGGETS, _ORDERING = (replace(GENERIC, last=last, every_answer=True) for last in NUGGET_STAGES)
RUBRICS: Mapping[str, Rubric] = {
    TASK: _NUGGETS,
    **{task_of(ability): _ORDERING if ability == "event_ordering" else _NUGGETS for ability in ABILITIES},
}
"""What a judge is asked, by task: the nuggets of a question's rubric, and for event ordering their order too."""
