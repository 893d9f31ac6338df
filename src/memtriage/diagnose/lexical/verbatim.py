"""A shortcut for stores that keep conversations word for word: only memories that may hold evidence are indexed.

Every sentence of a verbatim memory was said, so it only counts for a fact if it is one of its evidence sentences.
Memories without such a sentence can't change a verdict; of a million words, only a few turns remain.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from memtriage.core.episode import Episode, Session, Turn
from memtriage.diagnose.lexical.evidence import evidence_of
from memtriage.text.sentences import sentences
from memtriage.text.words import Words, is_number, words

_MOST_EVIDENCE = 40
"""With more evidence sentences than this, or too few turns for each, nothing is gained."""
_TURNS_EACH = 10
_MARKS = 4
_SIGNS = frozenset({"percent", "minus"})
"""Words that a text may write as a sign, so that their letters need not be in it."""
_LEFT_OUT = dict.fromkeys(map(ord, "'’‘ʼ′`´\u00ad\u200b\u200c\u200d\u2060\ufeff"))
"""What stands inside words and is no part of their stems."""

Marks = tuple[str, ...]
"""The beginnings of a sentence's longest words: a text without all of them can't contain it."""


class VerbatimEpisode:
    """The parts of an episode that matter for stores that keep turns, rounds or sessions word for word."""

    def __init__(self, episode: Episode, marks: Sequence[Marks], turns: Sequence[Turn]) -> None:
        self._marks = marks
        self.turns = tuple(turns)
        self._texts = frozenset(_verbatim_texts((*episode.sessions, *episode.coarse)))

    def are_copies(self, texts: Iterable[str]) -> bool:
        """Whether each of these texts is exactly a turn, a round or a session."""
        return all(text in self._texts for text in texts)

    def may_hold_evidence(self, text: str) -> bool:
        """Whether a memory may contain an evidence sentence."""
        return _may_hold_evidence(text, self._marks)


_last: tuple[Episode, VerbatimEpisode | None] | None = None
"""The episode that was looked through last: the stores of all systems in it are diagnosed one after the other."""


def verbatim_episode(episode: Episode) -> VerbatimEpisode | None:
    """The parts that matter, or None if the shortcut is not safe: each evidence sentence must be in just one turn."""
    global _last
    known = _last
    if known is None or known[0] is not episode:
        known = _last = (episode, _verbatim_episode(episode))
    return known[1]


def _verbatim_episode(episode: Episode) -> VerbatimEpisode | None:
    turns = [turn for session in episode.sessions for turn in session.turns]
    evidence: dict[Words, Marks] = {}
    for fact in episode.facts:
        for sentence, needed in () if fact.settled else evidence_of(fact):
            if not needed:
                return None
            evidence[sentence] = _marks(sentence)
            if len(evidence) > _MOST_EVIDENCE or len(evidence) * _TURNS_EACH > len(turns):
                return None
    marks = list(evidence.values())
    near = [turn for session in episode.sessions if _may_hold_evidence(session.text, marks) for turn in session.turns]
    turns_with = dict.fromkeys(evidence, 0)
    for turn in near:
        for sentence in {words(text) for text in sentences(turn.text)}:
            if sentence in turns_with and _may_hold_evidence(turn.text, [evidence[sentence]]):
                turns_with[sentence] += 1
    if any(times != 1 for times in turns_with.values()):
        return None
    return VerbatimEpisode(episode, marks, near)


def _marks(sentence: Words) -> Marks:
    """The longest stems, without their last letter, which stemming may have changed."""
    spelled = {stem for stem in sentence.stems if not is_number(stem) and stem.isalpha()} - _SIGNS
    longest = sorted(spelled, key=len)[-_MARKS:]
    return tuple(stem[:-1] for stem in longest if len(stem) > 3 and stem.isascii())


def _may_hold_evidence(text: str, evidence: Sequence[Marks]) -> bool:
    lowered = (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower().translate(_LEFT_OUT)
    return any(all(mark in lowered for mark in marks) for marks in evidence)


def _verbatim_texts(sessions: Iterable[Session]) -> Iterator[str]:
    """The texts that a verbatim store may hold of these sessions: turns, rounds and whole sessions."""
    for session in sessions:
        spoken = [turn for turn in session.turns if turn.text.strip()]
        yield from (turn.text for turn in spoken)
        lines = [f"{turn.role}: {turn.text}" for turn in spoken]
        yield "\n".join(lines)
        starts = [i for i, turn in enumerate(spoken) if i == 0 or turn.role == "user"]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            yield "\n".join(lines[start:end])
