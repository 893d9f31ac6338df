"""What the user said about themselves, without a model: facts, a summary, dated events, by rules of English."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from functools import lru_cache

from memtriage.systems.designs.rules.dates import Span, mentions
from memtriage.text.sentences import sentences
from memtriage.text.words import words

SUMMARY_SENTENCES = 3

_OPENER = re.compile(
    r"^(?:(?:by the way|btw|also|oh|and|but|so|well|actually|anyway|anyways|besides|plus|yeah|yes|ok|okay|sure|thanks"
    r"|thank you|great|speaking of(?: which| that| \w+(?: \w+)?)|on another note|that reminds me|incidentally"
    r"|come to think of it|as (?:i|you) (?:said|mentioned|know)|in fact|to be honest|fyi|just so you know)\b"
    r"[,:!.\s—–-]*)+",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"[,;:—–-]?\s+(?:and\s+|but\s+|oh,?\s+)?(?:by the way|btw|speaking of which|that reminds me)\b[,:]?\s+",
    re.IGNORECASE,
)
_ME = re.compile(r"\b(?:[Ii](?:['’](?:m|ve|d|ll))?|(?i:my|mine|me|myself|we|we['’](?:re|ve|d|ll)|our|ours)|us)\b")
_REQUEST = re.compile(
    r"""(?:,?\s*\b(?:and|so|but)\s+)?\b(?:
        (?:i\s+)?was\s+(?:wondering|hoping|thinking\s+if) | i(?:['’]m|\s+am)\s+(?:wondering|curious)
      | (?:can|could|would|will)\s+you | do\s+you\s+(?:know|have|think|recommend) | please
      | i(?:['’]d|\s+would)\s+(?:like|love|appreciate)\s+
        (?:to\s+(?:know|hear|learn|get|ask|talk|explore|discuss|understand|see)|some|any|your|you|it)
      | i(?:['’]m|\s+am)\s+looking\s+for\s+(?:some|any|more|advice|tips|help|information|ideas|suggestions)
      | i\s+(?:want|need)\s+(?:you|your|some\s+(?:help|advice|tips|ideas)|help|advice|to\s+know)
      | let\s+me\s+know | any\s+(?:advice|tips|ideas|suggestions) | (?<=^)(?:help|tell|show|give)\s+me
    )\b.*""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_REPLY = re.compile(
    r"^(?:(?:those|these|that|this|it)(?:['’]s|\s+(?:are|is|all|sounds?|looks?|seems?))\b"
    r"|(?:i\s+think\s+)?i(?:['’]ll|\s+will)\s+(?:\w+ly\s+)?(?:check|try|look|keep|consider|make\s+sure|give|see|do|take)\b"
    r"|(?:i\s+think\s+)?i\s+(?:\w+ly\s+)?(?:appreciate|understand|agree|see|hope|have\s+a\s+good\s+(?:idea|understanding))\b"
    r"|i\s+(?:\w+ly\s+)?(?:like|love)\s+(?:the|that|those|these|your)\s+(?:idea|suggestion|tip)s?\b"
    r"|i\s+think\s+(?:i['’]ve\s+got\s+it|you)\b|i(?:['’]m|\s+am)\s+glad\b|thanks|thank\s+you)",
    re.IGNORECASE,
)
_LEAST_WORDS = 3


@lru_cache(maxsize=1 << 14)
def facts(text: str) -> tuple[str, ...]:
    """What the speaker states about themselves, word for word, without questions, requests and mere replies.

    >>> facts("Can you suggest a frame? By the way, I painted a barn in May.")
    ('I painted a barn in May.',)
    """
    return tuple(dict.fromkeys(fact for sentence in sentences(text) for fact in _stated(sentence)))


def _stated(sentence: str) -> Iterator[str]:
    for clause in _ASIDE.split(" ".join(sentence.split())):
        plain = _OPENER.sub("", clause.strip())
        asking = plain.rstrip("\"'”’)*_ ").endswith("?")
        stated = _REQUEST.sub("", plain).rstrip(" ,;:—–-")
        cut = len(stated) < len(plain.rstrip(" ,;:—–-"))
        if (asking and not cut) or _REPLY.match(stated) or not _ME.search(stated):
            continue
        if len(stated.split()) >= _LEAST_WORDS:
            yield stated[0].upper() + stated[1:]


@lru_cache(maxsize=1 << 13)
def summary(text: str, most: int = SUMMARY_SENTENCES) -> str:
    """The sentences that hold most of what the text is about, in their order."""
    every = sentences(text)
    if len(every) <= most:
        return " ".join(every)
    stems = [set(words(sentence).stems) for sentence in every]
    common = Counter(stem for each in stems for stem in each)
    weights = [weight(each, common) for each in stems]
    best = sorted(range(len(every)), key=lambda n: -weights[n])[:most]
    return " ".join(every[n] for n in sorted(best))


def weight(stems: Collection[str], often: Mapping[str, int]) -> float:
    """How much a sentence with these words holds of what a text keeps coming back to."""
    return sum(often[stem] for stem in stems) / math.sqrt(len(stems) + 4)


def events(text: str, said_on: date) -> list[tuple[Span, str]]:
    """The sentences that name a day, questions among them, with the days they name."""
    found = []
    for sentence in sentences(text):
        found += [(mention.span, _OPENER.sub("", sentence)) for mention in mentions(sentence, said_on)]
    return found
