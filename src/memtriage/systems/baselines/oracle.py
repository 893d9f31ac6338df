"""The ceiling: a memory that has seen the gold, and brings back what the question needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from memtriage.core.episode import Episode, Probe, Session
from memtriage.core.memory import Memory, Traits
from memtriage.systems.retrieval.units import Granularity, UnitStore, whole

NO_CHOICE = "I don't know."
NO_ANSWER = "I don't have information about that."


class Oracle:
    """Knows which turns each question needs and brings back exactly those: the ceiling."""

    traits = Traits(
        architecture="summarise: verbatim; store: list; retrieve: the turns that the gold names", sees_gold=True
    )

    def __init__(self) -> None:
        self.units = UnitStore(Granularity("turn"))
        self._episode: Episode | None = None

    def reveal(self, episode: Episode) -> None:
        """Look at the gold of the episode that is about to be stored; it stays known until the next."""
        self._episode = episode

    def store_conversation(self, conversation: Session) -> None:
        self.units.put(conversation)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        wanted = whole("k", k)
        # The same question may be asked again later, with another answer; those asked now go first.
        latest = self._latest_session()
        probes = sorted(self._probes(query), key=lambda probe: (probe.after or self._end()) != latest)
        now = [probe for probe in probes if (probe.after or self._end()) == latest] or probes[:1]
        kept = {memory.sources: memory for memory in self.units.memories}
        needed = dict.fromkeys(turn for probe in now for turn in self._turns(probe.sufficient[:1]))
        return [kept[(turn,)] for turn in needed if (turn,) in kept][:wanted]

    def answer(self, query: str, memories: Sequence[Memory]) -> str:
        """The gold answer where the memories hold every turn it needs, word for word; else that it isn't known."""
        probes = list(self._probes(query))
        for probe in probes:
            if any(self._holds(memories, needed) for needed in probe.sufficient):
                return f'{{"selected_choice": "{probe.correct_choice}"}}' if probe.scoring == "choice" else probe.gold
        return NO_CHOICE if any(probe.scoring == "choice" for probe in probes) else NO_ANSWER

    def get_all_memories(self) -> list[Memory]:
        return list(self.units.memories)

    def reset(self) -> None:
        """Forget what was stored; what was revealed stays."""
        self.units.memories.clear()

    def save(self, path: Path) -> None:
        """Write what was stored; gold is never written, and is revealed anew after loading."""
        self.units.save(path, {"system": "oracle"})

    def load(self, path: Path) -> None:
        self.units.load(path, {"system": "oracle"})

    def _probes(self, query: str) -> Iterator[Probe]:
        return (probe for probe in (self._episode.probes if self._episode else ()) if probe.text == query)

    def _end(self) -> str | None:
        """The last session of the episode, after which probes are asked that name none."""
        return self._episode.sessions[-1].id if self._episode and self._episode.sessions else None

    def _latest_session(self) -> str | None:
        """The session of this episode that was stored last."""
        if self._episode is None or not self.units.memories:
            return None
        (turn,) = self.units.memories[-1].sources
        return next((s.id for s in self._episode.sessions if any(t.id == turn for t in s.turns)), None)

    def _turns(self, sets: Sequence[Sequence[str]]) -> list[str]:
        """The ids of the turns that say these sets of facts, each once."""
        if self._episode is None:
            return []
        return list(dict.fromkeys(turn for facts in sets for fact in facts for turn in self._episode.fact(fact).turns))

    def _holds(self, memories: Sequence[Memory], facts: Sequence[str]) -> bool:
        """By its words, not its id: a memory that was blurred no longer says what the turn said."""
        if self._episode is None:
            return False
        texts = {turn.id: turn.text for session in self._episode.sessions for turn in session.turns}
        read = {memory.text for memory in memories}
        return all(texts[turn] in read for turn in self._turns([facts]))
