"""The lexical detector: decides by words alone whether memories hold a fact, without guessing.

A fact is *found* if one memory sentence has all of its critical details with the same negation, in a memory that names
its subject. It is *edited* if a memory repeats the fact but a detail is gone, a number changed or a negation flipped.
It is *absent* if no memory can be about it. Memories that were rewritten are read (`rewritten.py`): the same details in
other words count. What stays open is *unsettled*: words can't tell.
"""

from __future__ import annotations

from memtriage.core.episode import Fact
from memtriage.diagnose.lexical.copies import by_words
from memtriage.diagnose.lexical.finding import Finding
from memtriage.diagnose.lexical.rewritten import Look
from memtriage.diagnose.lexical.sentence_index import Scope, SentenceIndex
from memtriage.text.words import words

NAME = "lexical/2"


def holds(fact: Fact, index: SentenceIndex, scope: Scope, loose: bool = True, said: str = "") -> Finding:
    """Whether the memories in scope hold a fact, said on this day (ISO 8601).

    Copies are decided by words. Where memories were rewritten, they are read. With `loose`, any possible paraphrase
    that isn't settled by reading makes it unsettled. Otherwise it must share some of its words, which is enough for a
    few retrieved memories if the whole store can be checked as well.
    """
    if fact.settled:
        return _states_outright(fact, index, scope)
    found = by_words(fact, index, scope, loose)
    reworded = [] if found.firm else index.reworded_memories(scope)
    if not reworded:
        return found
    look = Look(fact, index, said)
    return _settled(found, look.among(reworded), every_word=not look.has_details)


def _settled(by_words: Finding, read: Finding, every_word: bool) -> Finding:
    """One finding from words and from reading.

    Reading decides what words leave open. What words found or ruled out needs no second opinion unless reading sees it
    otherwise, and where every word of a fact matters, it is found only if reading agrees.
    """
    if by_words.state == "found":
        if read.state == "found" or (not every_word and read.state == "absent"):
            return by_words
        return Finding("unsettled", read.why, read.memories or by_words.memories)
    if by_words.state == "edited":
        return read if read.state == "found" else by_words
    return by_words if by_words.state == "absent" and read.state == "unsettled" and not read.firm else read


def _states_outright(fact: Fact, index: SentenceIndex, scope: Scope) -> Finding:
    """Whether memories state a fact that was never said but follows from what was.

    A condition (if this happens, it will be that) is the rule from which it follows, not the fact. So may be a sentence
    that repeats more of what was said than the fact has, as conditions need no `if`.
    """
    needed = frozenset(stem for detail in fact.details for stem in words(detail).stems)
    best = Finding("absent", "no memory states it outright")
    for number in index.using_all(needed, scope) if needed else ():
        if index.supposed(number):
            continue
        here = (index.memory_of(number),)
        more = set(index.kept.sentences[number].stems) - set(words(fact.text).stems)
        if more.isdisjoint(index.origin(number).stems):
            return Finding("found", "stated outright", here)
        best = Finding("unsettled", "stated, but perhaps only as what would be", here)
    return best
