"""From a skeleton and its transcript to an episode: the facts to remember, and what is asked when.

Questions about what changes are asked twice: after the session just before the change, and at the end. A system that
did not know the old value can't be credited with having let go of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memtriage.core.episode import Episode, Fact, Outdated, Probe
from memtriage.suites.meme.facts import CHANGE, EpisodeFacts
from memtriage.suites.meme.resolve import disputed
from memtriage.suites.meme.skeleton import Question, Skeleton, TaskType
from memtriage.suites.meme.transcript import Transcript

SUITE = "meme"

_TWICE: tuple[TaskType, ...] = ("exact-recall", "deletion", "cascade", "absence")
_PAIRED: tuple[TaskType, ...] = ("deletion", "cascade", "absence")
_DECLINED: tuple[TaskType, ...] = ("deletion", "absence")


def episode(skeleton: Skeleton, transcript: Transcript, filler: str = "none") -> Episode:
    """The episode of a skeleton; questions about what was never told are left out (see `unanswerable`)."""
    writer = _ProbeWriter(skeleton, transcript, filler, EpisodeFacts(skeleton, transcript.turns))
    asked = [question for question in skeleton.questions if not _missing(writer.facts, question)]
    probes = [
        *(writer.before(question) for question in asked if question.type in _TWICE),
        *(writer.after(question) for question in asked),
    ]
    return Episode(
        id=skeleton.id,
        task=f"{SUITE}/{skeleton.domain}",
        sessions=transcript.sessions,
        facts=tuple(_needed(writer, probes)),
        probes=tuple(probes),
    )


def unanswerable(skeleton: Skeleton) -> tuple[str, ...]:
    """The questions about something that was never told; released files have some."""
    facts = EpisodeFacts(skeleton, {number: "" for number, _ in enumerate(skeleton.statements())})
    missing = ((question, _missing(facts, question)) for question in skeleton.questions)
    return tuple(f"{skeleton.id}: {question.type} of {', '.join(untold)}" for question, untold in missing if untold)


def _missing(facts: EpisodeFacts, question: Question) -> tuple[str, ...]:
    if question.type == "tracking":
        (entity,) = question.targets
        steps = range(1, len(question.values) + 1)
        return () if all(f"value/{entity}/{step}" in facts.by_id for step in steps) else (entity,)
    return tuple(entity for entity in question.targets if facts.first(entity) is None)


def _needed(writer: _ProbeWriter, probes: list[Probe]) -> Iterator[Fact]:
    """The facts that some probe names, in the order in which they were told."""
    named = {id for probe in probes for ids in probe.sufficient for id in ids}
    named |= {id for probe in probes for old in probe.outdated for id in (old.fact, *old.voided_by)}
    yield from (fact for id, fact in writer.facts.by_id.items() if id in named)
    yield from writer.settled()


@dataclass(frozen=True, slots=True)
class _ProbeWriter:
    """Writes the probes of one episode."""

    skeleton: Skeleton
    transcript: Transcript
    filler: str
    facts: EpisodeFacts

    def before(self, question: Question) -> Probe:
        """The question as it is asked before the change."""
        return Probe(
            id=self._id(question, "before"),
            text=question.text,
            gold=question.before or question.gold,
            sufficient=(self._first_facts(question),),
            after=self._before_change(),
            cluster=self.skeleton.id,
            tags=self._tags(question, "before"),
            task=f"{SUITE}/before",
        )

    def after(self, question: Question) -> Probe:
        """The question as it is asked at the end."""
        return Probe(
            id=self._id(question, "after"),
            text=question.text,
            gold=question.gold,
            sufficient=tuple(self._sufficient(question)),
            scoring="abstain" if question.type in _DECLINED else "free",
            cluster=self.skeleton.id,
            tags=self._tags(question, "after"),
            task=f"{SUITE}/{question.type}",
            given=self._id(question, "before") if question.type in _PAIRED else "",
            outdated=tuple(self._outdated(question)),
        )

    def settled(self) -> Iterator[Fact]:
        """The facts that hold at the end though nobody said them."""
        for question in self.skeleton.questions:
            if question.type == "cascade" and self.facts.first(question.targets[0]) is not None:
                yield self.facts.settled(question.targets[0], question.values[0])

    def _sufficient(self, question: Question) -> Iterator[tuple[str, ...]]:
        """The sets of facts any one of which is enough; a verbatim memory would bring the first."""
        (first, *_) = question.targets
        match question.type:
            case "exact-recall" | "aggregation":
                yield self._first_facts(question)
            case "tracking":
                yield self._history(question)
            case "deletion":
                yield (f"delete/{first}",)
            case "cascade":
                yield (*self._ties(first, "rule", "dep"), CHANGE)
                yield (f"now/{first}",)
            case "absence":
                ways = dict.fromkeys((self._ties(first, "dep", "rule"), self._ties(first, "rule", "dep")))
                yield from ((*way[:-1], f"dep/{first}", CHANGE) for way in ways)

    def _outdated(self, question: Question) -> Iterator[Outdated]:
        """The facts that no longer hold, each with those that say so."""
        (first, *_) = question.targets
        match question.type:
            case "tracking":
                history = self._history(question)
                yield from (Outdated(old, history[n:]) for n, old in enumerate(history[:-1], start=1))
            case "deletion":
                yield from (Outdated(old, (f"delete/{first}",)) for old in self._first_facts(question))
            case "cascade":
                yield from (Outdated(old, (CHANGE, f"now/{first}")) for old in self._first_facts(question))
            case "absence":
                yield from (Outdated(old, (CHANGE,)) for old in self._first_facts(question))
            case _:
                return

    def _first_facts(self, question: Question) -> tuple[str, ...]:
        found = (self.facts.first(entity) for entity in question.targets)
        return tuple(id for id in found if id is not None)

    def _history(self, question: Question) -> tuple[str, ...]:
        return tuple(f"value/{question.targets[0]}/{step}" for step in range(1, len(question.values) + 1))

    def _ties(self, target: str, *kinds: str) -> tuple[str, ...]:
        """For each step from the root down to the target, the fact of the first of these kinds that ties it."""
        found = []
        for entity in self._chain(target):
            ids = (f"{kind}/{entity}" for kind in kinds)
            found += [id for id in ids if id in self.facts.by_id][:1]
        return tuple(found)

    def _chain(self, target: str) -> tuple[str, ...]:
        """The entities below the root down to the target, by the links that the episode uses."""
        sources = {link.target: link.source for link in reversed(self.skeleton.links)}
        chain = [target]
        while (above := sources.get(chain[-1], self.skeleton.root)) != self.skeleton.root and above not in chain:
            chain.append(above)
        return tuple(reversed(chain))

    def _before_change(self) -> str:
        """The id of the session just before the one that tells the change."""
        ids = [session.id for session in self.transcript.sessions]
        return ids[max(0, ids.index(self.transcript.evidence[-1]) - 1)]

    def _id(self, question: Question, moment: str) -> str:
        about = "" if question.type == "aggregation" else f"/{question.targets[0]}"
        return f"{self.skeleton.id}/{question.type}{about}" + ("/before" if moment == "before" else "")

    def _tags(self, question: Question, moment: str) -> dict[str, str]:
        tags = {"task": question.type, "domain": self.skeleton.domain, "filler": self.filler, "moment": moment}
        if question.hop:
            tags["hop"] = str(question.hop)
        if question in disputed(self.skeleton):
            tags["gold"] = "disputed"
        return tags
