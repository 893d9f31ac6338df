"""Planted faults: a perfect memory that drops, strips, blurs, hides or misreads facts according to a plan.

Detectors are measured against the plan, so none is used here: faults are made by cutting the words of gold facts out of
the stored or retrieved texts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memtriage.core.episode import Episode, Fact, Probe, Session
from memtriage.core.memory import Memory, Traits
from memtriage.core.verdict import Verdict
from memtriage.diagnose.answers import graded_by_words
from memtriage.systems.retrieval.units import Granularity, cut
from memtriage.text.language import spoken
from memtriage.text.sentences import sentences
from memtriage.text.words import words

Fault = Literal["drop", "strip", "blur", "hide", "misread"]
FAULTS: tuple[Fault, ...] = ("drop", "strip", "blur", "hide", "misread")

LeftOut = Literal["never said", "cut apart"]
"""Why a fact can't be tested: it only follows from what was said, or the memory's way of storing takes it apart."""

EXPECTED: Mapping[Fault | None, Verdict] = {
    None: "correct",
    "drop": "not_stored",
    "strip": "summary_error",
    "blur": "summary_error",
    "hide": "not_retrieved",
    "misread": "reasoning_error",
}
"""The right verdict for each fault."""

_NUMBER = re.compile(r"\d[\d.,:/]*")
_LEAST_WORDS_LEFT = 3
_MOST_LOST = 2
"""A detail with more words than this many times those left is nearly the whole fact: without it, the fact is gone."""


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """The faults of an episode by fact; a misread applies to all facts of its probe."""

    faults: Mapping[str, Fault]

    def of(self, fact: str) -> Fault | None:
        return self.faults.get(fact)


def plant(
    episode: Episode, rate: float, seed: int, faults: Sequence[Fault] = FAULTS, left_out: Container[str] = ()
) -> FaultPlan:
    """Plan faults for about this share of the probes, in one fact each; all kinds that fit are equally likely.

    Nothing is planted in facts that are `left_out`.
    """
    rng = random.Random(f"faults:{episode.id}:{seed}")
    facts = {fact.id: fact for fact in episode.facts}
    shared = shared_sentences(episode.facts)
    planned: dict[str, Fault] = {}
    for probe in episode.probes:
        needed = [facts[id] for id in probe.sufficient[0]] if probe.sufficient else []
        fact = rng.choice(needed) if needed else None
        if fact is None or rng.random() >= rate or fact.id in planned or fact.id in left_out:
            continue
        fitting = [fault for fault in faults if _fits(fault, fact, probe, shared)]
        if not fitting:
            continue
        fault = rng.choice(fitting)
        planned |= dict.fromkeys([f.id for f in needed] if fault == "misread" else [fact.id], fault)
    return FaultPlan(planned)


def shared_sentences(facts: Iterable[Fact]) -> set[str]:
    """The sentences that state more than one fact."""
    seen: set[str] = set()
    shared: set[str] = set()
    for fact in facts:
        for sentence in dict.fromkeys(fact.evidence):
            (shared if sentence in seen else seen).add(sentence)
    return shared


def _fits(fault: Fault, fact: Fact, probe: Probe, shared: set[str]) -> bool:
    if fault == "misread":
        return probe.lettered
    if shared.intersection(fact.evidence):
        return False  # cutting or hiding a sentence of another fact would plant a second fault
    return fault in ("drop", "hide") or _strippable(fact)


def _strippable(fact: Fact) -> bool:
    """Whether enough of the sentence is left to recognise it without its first detail."""
    sentence = _sentence_with_detail(fact)
    if sentence is None:
        return False
    left = set(words(_replaced(sentence, fact.details[0], "")).stems)
    lost = set(words(fact.details[0]).stems)
    return len(left) >= max(_LEAST_WORDS_LEFT, len(lost) / _MOST_LOST) and left.isdisjoint(lost)


def _sentence_with_detail(fact: Fact) -> str | None:
    """The evidence sentence that literally contains the first detail."""
    detail = fact.details[0].lower()
    return next((s for s in fact.evidence if detail in s.lower()), None)


class FaultyMemory:
    """Keeps every turn word for word and always retrieves it, except for the planned faults."""

    traits = Traits(ignores_k=True, sees_gold=True)

    def __init__(self, rate: float = 0.5, seed: int = 0, granularity: str = "turn") -> None:
        self._rate = rate
        self._seed = seed
        self._granularity = Granularity.parse(granularity)
        self.plan = FaultPlan({})
        self._kept: list[Memory] = []
        self._said: dict[str, str] = {}
        self._of_turn: dict[str, list[Memory]] = {}

    def reveal(self, episode: Episode) -> None:
        self._facts = {fact.id: fact for fact in episode.facts}
        if self._rate:
            self.plan = plant(episode, self._rate, self._seed, left_out=self._untestable(episode))
        self._probes: dict[str, list[Probe]] = {}
        for probe in episode.probes:
            self._probes.setdefault(probe.text, []).append(probe)
        self._by_turn: dict[str, list[Fact]] = {}
        for fact in episode.facts:
            for turn in fact.turns:
                self._by_turn.setdefault(turn, []).append(fact)

    def store_conversation(self, conversation: Session) -> None:
        turns = tuple(replace(turn, text=self._with_faults(turn.id, turn.text)) for turn in conversation.turns)
        self._said |= {turn.id: turn.text for turn in turns}
        memories = cut(replace(conversation, turns=turns), self._granularity)
        self._kept += memories
        for memory in memories:
            for turn in memory.sources:
                self._of_turn.setdefault(turn, []).append(memory)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        needed = self._needed(query)
        turns = {turn for fact in needed for turn in fact.turns}
        hidden = [fact for fact in needed if self.plan.of(fact.id) == "hide"]
        return [
            memory
            for memory in self._kept
            if turns.intersection(memory.sources) and not any(_says(memory.text, fact) for fact in hidden)
        ]

    def get_all_memories(self) -> list[Memory]:
        return list(self._kept)

    def left_out(self, fact: str) -> LeftOut | None:
        """Why a fact can't be tested with this memory, once everything is stored; None if it can."""
        gold = self._facts[fact]
        if not gold.turns:
            return "never said"
        text = "\n".join(self._said.get(turn, "") for turn in gold.turns)
        memories = {m.id: m.text for turn in gold.turns for m in self._of_turn.get(turn, ())}
        evidence = _changed_evidence(gold, self.plan.of(fact))
        return None if _stands_whole(evidence, gold, text, list(memories.values())) else "cut apart"

    def _untestable(self, episode: Episode) -> set[str]:
        """The facts that could not be tested even without faults."""
        faultless = FaultyMemory(0.0, self._seed, str(self._granularity))
        faultless.reveal(episode)
        for session in episode.sessions:
            faultless.store_conversation(session)
        return {fact.id for fact in episode.facts if faultless.left_out(fact.id)}

    def answer(self, query: str, memories: Sequence[Memory]) -> str:
        """The right letter or words, or wrong ones if a misread is planted."""
        misread = any(self.plan.of(fact.id) == "misread" for fact in self._needed(query))
        return planted_answer(self._probes[query][0], misread)

    def _needed(self, query: str) -> list[Fact]:
        """The facts of every probe with this question."""
        return [self._facts[id] for probe in self._probes[query] for ids in probe.sufficient for id in ids]

    def _with_faults(self, turn: str, text: str) -> str:
        for fact in self._by_turn.get(turn, ()):
            match self.plan.of(fact.id):
                case "drop":
                    text = _dropped(text, fact)
                case "strip":
                    text = _cut_out(text, fact, "")
                case "blur":
                    text = _cut_out(text, fact, _blurred(fact.details[0]))
        return text.strip()


def planted_answer(probe: Probe, misread: bool) -> str:
    """The right letter or words for a probe, or wrong ones."""
    if graded_by_words(probe):
        return "something else" if misread else "\n".join(probe.golds if probe.scoring == "titles" else (probe.gold,))
    letter = probe.correct_choice or "A"
    if misread:
        letter = probe.letters[(probe.letters.index(letter) + 1) % len(probe.letters)]
    return f'{{"selected_choice": "{letter}"}}'


def _changed_evidence(fact: Fact, fault: Fault | None) -> tuple[str, ...]:
    """What a memory with this fault keeps of the sentences that state a fact."""
    match fault:
        case "drop":
            return ()
        case "strip":
            return tuple(_cut_out(sentence, fact, "") for sentence in fact.evidence)
        case "blur":
            return tuple(_cut_out(sentence, fact, _blurred(fact.details[0])) for sentence in fact.evidence)
    return fact.evidence


def _stands_whole(evidence: Sequence[str], fact: Fact, said: str, memories: Sequence[str]) -> bool:
    """Whether the cut into memories leaves the sentences of a fact whole, in memories that name its subject.

    They must stand in one memory, unless the fact may be split. What was not said in these words doesn't count.
    """
    pieces = [piece for text in evidence for piece in sentences(text) if piece in said]
    naming = memories if not _names(said, fact.subject) else [text for text in memories if _names(text, fact.subject)]
    holding = [{n for n, text in enumerate(naming) if piece in text} for piece in pieces]
    return all(holding) if fact.split else not holding or bool(set.intersection(*holding))


def _names(text: str, subject: str) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in subject.split() if name[0].isupper())


def _dropped(text: str, fact: Fact) -> str:
    for sentence in fact.evidence:
        text = text.replace(sentence, "")
    return text


def _cut_out(text: str, fact: Fact, replacement: str) -> str:
    sentence = _sentence_with_detail(fact)
    return text if sentence is None else text.replace(sentence, _replaced(sentence, fact.details[0], replacement))


def _replaced(sentence: str, detail: str, replacement: str) -> str:
    """A sentence with a detail replaced, still beginning with a capital."""
    changed = re.sub(re.escape(detail), lambda _: replacement, sentence, flags=re.IGNORECASE)
    changed = re.sub(r"\s{2,}", " ", changed).strip(" ,;:")
    return changed[:1].upper() + changed[1:]


def _blurred(detail: str) -> str:
    """The detail made vague: without its number, or `something` if it has none."""
    language = spoken()
    some, something = ("some ", "something") if language is None else map(language.planted, ("some", "something"))
    return _NUMBER.sub(some, detail).rstrip() if _NUMBER.search(detail) else something


def _says(text: str, fact: Fact) -> bool:
    return any(sentence in text for sentence in fact.evidence)
