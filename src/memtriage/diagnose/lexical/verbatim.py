"""Stores that keep what was said as it was said: most of such a store can't bear on a fact, and is left out.

Every sentence of a verbatim memory is one that was said, so it counts for a fact only if it is the very sentence that
told it. What holds no such sentence changes no verdict; of a history of a million words, a few turns are left.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memtriage.core.episode import Episode, Session, Turn
from memtriage.diagnose.lexical.detector import evidence_of
from memtriage.text.sentences import sentences
from memtriage.text.words import Words, is_number, words

_MANY = 40
"""With more sentences of evidence than this, or with few turns for each, nothing is gained."""
_TURNS_EACH = 10
_TELLING = 4


@dataclass(frozen=True, slots=True)
class _Evidence:
    """A sentence of evidence, and the beginnings of its longest words: a text without them can't hold it."""

    said: Words
    marks: tuple[str, ...]

    def may_be_in(self, text: str) -> bool:
        return all(mark in text for mark in self.marks)


class VerbatimEpisode:
    """What matters of an episode for stores that keep its turns, rounds or sessions word for word."""

    def __init__(self, episode: Episode, sought: Sequence[_Evidence], turns: Sequence[Turn]) -> None:
        self._sought = sought
        self.turns = tuple(turns)
        self._texts = frozenset(_kept_as((*episode.sessions, *episode.coarse)))

    def are_copies(self, texts: Iterable[str]) -> bool:
        """Whether each of these memories is a turn, a round or a session, word for word."""
        return all(text in self._texts for text in texts)

    def may_hold_evidence(self, text: str) -> bool:
        """Whether a memory may hold a sentence of evidence."""
        return _may_hold_evidence(text, self._sought)


def verbatim_episode(episode: Episode) -> VerbatimEpisode | None:
    """What matters of an episode, if leaving out the rest is safe: each sentence of evidence was said in one turn."""
    turns = [turn for session in episode.sessions for turn in session.turns]
    sought: dict[Words, _Evidence] = {}
    for fact in episode.facts:
        for said, needed in () if fact.settled else evidence_of(fact):
            if not needed:
                return None
            sought[said] = _Evidence(said, _marks(said))
            if len(sought) > _MANY or len(sought) * _TURNS_EACH > len(turns):
                return None
    wanted = list(sought.values())
    near = [turn for session in episode.sessions if _may_hold_evidence(session.text, wanted) for turn in session.turns]
    told = dict.fromkeys(sought, 0)
    for turn in near:
        for said in {words(sentence) for sentence in sentences(turn.text)}:
            if said in told:
                told[said] += 1
    if any(times != 1 for times in told.values()):
        return None
    return VerbatimEpisode(episode, wanted, near)


def _marks(said: Words) -> tuple[str, ...]:
    """Stems without their last letter, which stemming may have changed."""
    longest = sorted({stem for stem in said.stems if not is_number(stem) and stem.isalpha()}, key=len)[-_TELLING:]
    return tuple(stem[:-1] for stem in longest if len(stem) > 3 and stem.isascii())


def _may_hold_evidence(text: str, sought: Sequence[_Evidence]) -> bool:
    lowered = (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()
    return any(one.may_be_in(lowered) for one in sought)


def _kept_as(sessions: Iterable[Session]) -> Iterator[str]:
    """The texts as which a verbatim store may keep a session: its turns, its rounds, or all of it."""
    for session in sessions:
        spoken = [turn for turn in session.turns if turn.text.strip()]
        yield from (turn.text for turn in spoken)
        lines = [f"{turn.role}: {turn.text}" for turn in spoken]
        yield "\n".join(lines)
        starts = [i for i, turn in enumerate(spoken) if i == 0 or turn.role == "user"]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            yield "\n".join(lines[start:end])
