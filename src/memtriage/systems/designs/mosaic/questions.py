"""What a question asks for, by its form, and what questions have in common."""

from __future__ import annotations

import re
from weakref import WeakKeyDictionary

from memtriage.models.embedders import Vectors
from memtriage.systems.designs.mosaic.statements import MOST_LETTERS
from memtriage.systems.designs.mosaic.text_index import SentenceVectors
from memtriage.systems.designs.mosaic.word_lists import read_words

YOU_SAID = re.compile(
    r"""
    \byou(?:['’]ve|\ have|['’]d|\ had)?\ (?:\w+\ )?
        (?:told|gave|given|mentioned|recommended|suggested|said|provided|listed|described|explained|wrote|shared|advised)\b
    | \b(?:our|the)\ (?:previous|last|earlier)\ (?:chat|conversation|discussion)\b
    | \bwe\ (?:talked|spoke|chatted)\ (?:about|of)\b | \bwe\ discussed\b
    | \b(?:(?:can|could)\ you|you\ (?:can|could))\ remind\ me\ of\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A question about what the assistant said."""
FOR_A_KIND = re.compile(
    r"""
    \b(?:should|could|might)\ (?:i|we)\b | \b(?:recommend|suggest\w*|ideas|tips|advice|options?(?!:))\b
    | \ball\ (?:of\ )?(?:the|my|our)\b | \b(?:fit|match|suit|align\ with)\ (?:me|my|us|our)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A question for whatever there is of a kind, such as one for advice; not for one fact."""
WHAT_FOLLOWS = re.compile(
    r"""
    \b(?:ultimately|eventually|finally|in\ the\ end|at\ last|as\ a\ (?:result|consequence)|do(?:es)?\ next)\b
    | \bends?\ up\b | \bleads?\ (?:\w+\ )?to\b | \b(?:consequences?|outcome|result)\ of\b | \bresults?\ (?:in|from)\b
    | \bfollows?\ from\b | \bwhat\ (?:\w+\ )?happens\ (?:after|when|if|to|next)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A question for what comes of something, as a rule."""
_ASKING = (
    r"(?:which|what|whose|who|how (?:many|much|long|often|old|far)"
    r"|(?:where|when|how) (?:do|does|did|am|is|are|was|were|has|have|had|can|could|should|will|would))\b"
)
_ASKS = re.compile(_ASKING, re.IGNORECASE)
_PARTS = re.compile(rf"(?:,\s+(?:and\s+)?|\s+and\s+)(?={_ASKING})", re.IGNORECASE)
"""Where a question that asks for several things goes on to the next."""
CAPITAL = re.compile(r"(?<=[\w,;—–-] )[A-Z][a-z]+")
"""A name, as far as capitals tell."""
EXPECTING = re.compile(
    r"\b(?:can|could|do|should|would) (?:i|we) (?:assume|believe|expect|guess|suppose|think)\b ?", re.IGNORECASE
)
"""Words of asking that make nobody the one who is asked about."""
COMING = re.compile(
    r"\b(?:if(?! any(?:one)?\b)|once|would|will|shall|plan\w*|going to|happens?|future|in case|should|as soon as)\b"
    r"|\bwhen\b.*\bchanges?\b",
    re.IGNORECASE,
)
"""A question about what would be."""
OVER_TIME = re.compile(
    r"""
    \bover\ time\b | \b(?:earliest|first|oldest)(?:\ \w+)?\ to\ (?:the\ )?(?:latest|last|newest)\b | \bhistory\b
    | \bin\ order\b | \b(?:used\ to|previous|former|before)\b | \b(?:have\ (?:i|we)|i['’]ve|we['’]ve)\ had\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A question about how something was, not only how it is."""


def asked_in_parts(query: str) -> list[str]:
    """The parts of a question that asks for several things; none where it asks for one.

    >>> asked_in_parts("Which hobby, which sport and which club do I have? List all three.")
    ['Which hobby', 'which sport', 'which club do I have']
    >>> asked_in_parts("What did Ava, who lives in Rye, tell me?")
    []
    """
    parts = _PARTS.split(query.partition("?")[0]) if len(query) <= MOST_LETTERS else []
    if len(parts) > 1 and not _ASKS.match(parts[0]):
        parts[0] = parts[0].rpartition(":")[2].strip()
    return parts if len(parts) > 1 and all(map(_ASKS.match, parts)) else []


_EVERYDAY = read_words("questions.txt").splitlines()
_COMMON: WeakKeyDictionary[SentenceVectors, Vectors] = WeakKeyDictionary()


def in_common(vectors: SentenceVectors) -> Vectors | None:
    """The mean vector of everyday questions; None for an embedder that has a way of its own for questions.

    That may cost a call for each of them.
    """
    preset = getattr(vectors.embedder, "preset", None)
    if hasattr(vectors.embedder, "embed_query") and (preset is None or preset.changes_texts):
        return None
    if vectors not in _COMMON:
        _COMMON[vectors] = vectors.embedded(_EVERYDAY).mean(axis=0)
    return _COMMON[vectors]
