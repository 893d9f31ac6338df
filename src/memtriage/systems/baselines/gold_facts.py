"""The best a reader can do: the gold facts themselves, given to the model that answers."""

from __future__ import annotations

from collections.abc import Mapping

from memtriage.core.episode import Episode, Fact, Probe, Session
from memtriage.core.memory import Memory, Traits
from memtriage.systems.retrieval.units import whole


class GoldFacts:
    """Brings back the gold facts that a question needs, all of them, whatever k is: what is left is reading."""

    traits = Traits(
        architecture="summarise: the gold facts; store: list; retrieve: the facts that the question needs",
        ignores_k=True,
        sees_gold=True,
    )

    def __init__(self) -> None:
        self._episode: Episode | None = None
        self._memories: dict[str, Memory] = {}
        self._latest: str | None = None

    def reveal(self, episode: Episode) -> None:
        """Look at the gold of the episode that is about to be stored; it stays known until the next."""
        self._episode = episode
        said = {turn.id: session.timestamp for session in episode.sessions for turn in session.turns}
        self._memories = {fact.id: _memory(fact, said) for fact in episode.facts}
        self._latest = None

    def store_conversation(self, conversation: Session) -> None:
        """Keep nothing of it but that it was said: questions may be asked again later, with other answers."""
        self._latest = conversation.id

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        whole("k", k)
        needed = (fact for probe in self._asked_now(query) for facts in probe.sufficient[:1] for fact in facts)
        return [self._memories[fact] for fact in dict.fromkeys(needed)]

    def get_all_memories(self) -> list[Memory]:
        return list(self._memories.values())

    def reset(self) -> None:
        """Start over; what was revealed stays."""
        self._latest = None

    def _asked_now(self, query: str) -> list[Probe]:
        """The probes with these words that are asked at this point; where none is, the first."""
        if self._episode is None:
            return []
        end = self._episode.sessions[-1].id if self._episode.sessions else None
        probes = [probe for probe in self._episode.probes if probe.text == query]
        return [probe for probe in probes if (probe.after or end) == self._latest] or probes[:1]


def _memory(fact: Fact, said: Mapping[str, str | None]) -> Memory:
    newest = max((at for turn in fact.turns if (at := said.get(turn))), default=None)
    return Memory(fact.id, gold_text(fact), newest, fact.turns)


def gold_text(fact: Fact) -> str:
    """A fact as somebody would write it down who knew everything: its text, how it was said, and about whom.

    >>> gold_text(Fact("f", "The kettle is red.", (), ("red",), subject="Zoe"))
    'Zoe: The kettle is red.'
    """
    text = " ".join([fact.text, *(sentence for sentence in fact.evidence if sentence not in fact.text)])
    # The bare name: "about" reads as "roughly" too, and a detector that looks at words can't tell the two apart.
    return text if fact.subject in text else f"{fact.subject}: {text}"
