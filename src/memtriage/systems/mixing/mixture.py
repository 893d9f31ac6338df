"""A mixture of memories: every member stores everything; a question goes to all of them, and the best is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memtriage.core.episode import Session
from memtriage.core.memory import Memory
from memtriage.core.trace import Usage
from memtriage.systems.adapted import Adapted
from memtriage.systems.mixing.router import FUSED, Plan, looked_at


class Mixture:
    """Several memories as one. Without a plan their rankings are fused; with one, each question has its own choice."""

    def __init__(
        self, members: Mapping[str, Adapted], plan: Plan | None = None, c: float = 60, notes: Sequence[str] = ()
    ) -> None:
        self._members, self._plan, self._c, self._notes = dict(members), plan, c, notes
        # It can only do as a whole what every member can; a mixture that can't list its store must not seem to.
        for names in (("get_all_memories",), ("reset",), ("save", "load")):
            if all(name in member.capabilities for name in names for member in self._members.values()):
                for name in names:
                    setattr(self, name, getattr(self, f"_{name}"))

    def store_conversation(self, conversation: Session) -> None:
        for member in self._members.values():
            member.store_conversation(conversation)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        found = {
            name: [_named(name, memory) for memory in member.retrieve_memories(query, conversation, k)]
            for name, member in self._members.items()
        }
        if self._plan is None:
            return self._fused(found)[:k]
        choice = self._plan.choose(looked_at(query, [[memory.text for memory in each] for each in found.values()]), k)
        chosen = self._fused(found) if choice.name == FUSED else found[choice.name]
        return chosen[: min(k, choice.size)]

    def settle(self) -> None:
        for member in self._members.values():
            member.settle()

    def always_shown(self) -> list[Memory]:
        return [_named(name, memory) for name, member in self._members.items() for memory in member.always_shown()]

    def usage(self) -> Usage | None:
        used = [usage for member in self._members.values() if (usage := member.usage()) is not None]
        return sum(used[1:], start=used[0]) if used else None

    def notices(self) -> list[str]:
        told = [f"{name}: {notice}" for name, member in self._members.items() for notice in member.notices()]
        return [*self._notes, *told]

    def troubles(self) -> list[str]:
        return [f"{name}: {trouble}" for name, member in self._members.items() for trouble in member.troubles()]

    def close(self) -> None:
        for member in self._members.values():
            member.close()

    def _get_all_memories(self) -> list[Memory]:
        return [_named(name, memory) for name, member in self._members.items() for memory in member.get_all_memories()]

    def _save(self, path: Path) -> None:
        for place, member in enumerate(self._members.values()):
            member.save(path / str(place))

    def _load(self, path: Path) -> None:
        for place, member in enumerate(self._members.values()):
            member.load(path / str(place))

    def _reset(self) -> None:
        for member in self._members.values():
            member.reset()

    def _fused(self, found: Mapping[str, list[Memory]]) -> list[Memory]:
        """By reciprocal ranks: what several members bring counts for each; a text comes once."""
        scores: dict[str, float] = {}
        first: dict[str, Memory] = {}
        for memories in found.values():
            for rank, text in enumerate(dict.fromkeys(memory.text for memory in memories), start=1):
                scores[text] = scores.get(text, 0.0) + 1 / (self._c + rank)
            for memory in memories:
                first.setdefault(memory.text, memory)
        best = sorted(scores, key=lambda text: -scores[text])
        return [replace(first[text], score=scores[text]) for text in best]


def _named(member: str, memory: Memory) -> Memory:
    """A memory under an id that says whose it is; two members may use the same ids."""
    return replace(memory, id=f"{member}/{memory.id}")
