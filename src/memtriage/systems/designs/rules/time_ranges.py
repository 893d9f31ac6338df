"""Which days a question about the past asks about."""

from __future__ import annotations

import re
from datetime import date

from memtriage.systems.designs.rules.dates import Mention, Span, mentions


def time_range(question: str, asked: date) -> Span | None:
    """The days that a question about the past asks about; None where it names none, or asks for a length of time.

    >>> time_range("Whose boat did we borrow in March and April?", date(2023, 4, 27))
    Span(start=datetime.date(2023, 3, 1), end=datetime.date(2023, 4, 30))
    >>> time_range("How many weeks ago did I buy the amplifier?", date(2023, 4, 27))
    """
    plain = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), question)  # a title's Tuesday is no day
    if _LENGTH.search(plain) or (_ADVICE.search(plain) and not _RECALL.search(plain)):
        return None
    spans = [
        _from_there(plain, mention, asked)
        for mention in mentions(plain, asked)
        if not _NOW.fullmatch(mention.text) and mention.span.start <= asked
    ]
    if not spans:
        return None
    hull = Span(min(span.start for span in spans), max(span.end for span in spans))
    return hull if hull.start < asked else None


_QUOTED = re.compile(r"(?<!\w)(?:'[^'\n]{2,80}?'|\"[^\"\n]{2,80}\"|‘[^’\n]{2,80}’|“[^”\n]{2,80}”)(?!\w)")
_LENGTH = re.compile(
    r"\bhow long\b|\bhow (?:many|much) (?:\w+ )?(?:minutes|hours|days|nights|weeks|weekends|months|years|time)\b"
    r"(?: in total| altogether)?(?: \w+)?"
    r" (?:ago|before|after|since|until|till|between|passed|elapsed|have|has|had|apart)\b"
    r"|\bhow (?:many|much) (?:\w+ )?(?:hours|days|weeks|months|years|time) did it take\b|\bhow old\b|\bat what age\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:can|could|would|will) you\b|\b(?:should|could|can|might|shall) (?:i|we)\b"
    r"|\b(?:any|some) (?:tips|ideas|suggestions|advice|recommendations)\b"
    r"|\b(?:recommend|suggest|help me|i'm (?:thinking|planning|looking)|i am (?:thinking|planning|looking))\b",
    re.IGNORECASE,
)
_RECALL = re.compile(
    r"\bremind me\b|\bdid (?:i|you|we)\b|\b(?:have|had) (?:i|you|we)\b"
    r"|\byou (?:\w+ )?(?:told|gave|mentioned|recommended|suggested|said)\b|\bi (?:\w+ )?(?:mentioned|told|said)\b"
    r"|\b(?:previous|earlier|last) (?:chat|conversation|time)\b",
    re.IGNORECASE,
)
_NOW = re.compile(r"(?:earlier )?today|tonight|this (?:morning|afternoon|evening)|tomorrow", re.IGNORECASE)
_OPEN = re.compile(r"\b(?P<side>since|after|before|until|till|prior to)\s+(?:the\s+)?", re.IGNORECASE)
_LONG_AGO = date.min


def _from_there(question: str, mention: Mention, asked: date) -> Span:
    """The days of a mention, or all after or before them where the question says so."""
    around = question[max(0, mention.start - 14) : mention.start] + mention.text
    reach = next((m for m in _OPEN.finditer(around) if m.end() >= len(around) - len(mention.text)), None)
    if reach is None:
        return mention.span
    side = reach["side"].lower()
    if side in ("since", "after"):
        return Span(mention.span.start, max(asked, mention.span.end))
    return Span(_LONG_AGO, mention.span.end if side in ("until", "till") else mention.span.start)
