"""How the scripted judge decides on answers about a world that changes: what is old, what is new, what is open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memtriage.text.words import tokens, words

NO_INFORMATION = re.compile(
    r"""\b(?:no|not|without|lack|lacks|insufficient)\ (?:\w+\ ){0,3}
            (?:information|info|memory|memories|record|records|mention|data|evidence|context|knowledge|idea)\b
      | \b(?:i|we)\ (?:\w+\ ){0,2}(?:not|cannot)\ (?:\w+\ ){0,2}
            (?:know|sure|certain|recall|remember|find|tell|say|answer|determine|confirm)\b
      | \b(?:memory|memories|records?|conversations?|context|information|they|it)\ (?:\w+\ ){0,5}not\ (?:\w+\ )?
            (?:say|mention|specify|state|contain|include|indicate|cover)\b
      | \bnot\ (?:\w+\ )?(?:mentioned|specified|stated|provided|available|recorded|known)\b
      | \bnothing\ (?:\w+\ ){0,3}(?:about|says|mentions|on\ record)\b
      | \b(?:unknown|unclear|unanswerable|unable\ to\ (?:answer|determine|tell|find|say|recall))\b
    """,
    re.VERBOSE,
)
"""Ways to say that one doesn't know, with contractions opened."""

_CLAUSE = re.compile(r"[.;!?\n]+(?:\s|$)|,? (?:but|and now|now|although|though)\b", re.IGNORECASE)
_NOT_NOW = re.compile(
    r"\b(?:was|were|used to|previous(?:ly)?|former(?:ly)?|earlier|before|once|had been|no longer|not|removed|deleted"
    r"|instead of|until|if|would|in case)\b|n't\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:uncertain|unsure|may|might|whether|confirm\w*|check\w*|verif\w+|out of date|outdated|removed|deleted"
    r"|no longer|depends|forgotten|forget)\b",
    re.IGNORECASE,
)


def changed(stage: str, data: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether an answer is right after (or before) a change, and why.

    >>> changed("cascade", {"gold": "Zorvane", "old": ["Quelm"], "answer": "Quelm before, but now Zorvane."})
    (True, "says 'Zorvane'")
    >>> changed("absence", {"old": ["Quelm"], "answer": "You take Quelm."})[0]
    False
    """
    answer, gold = str(data.get("answer", "")), str(data.get("gold", ""))
    if stage in ("before", "verbatim"):
        return _verdict(says(answer, gold), gold)
    kept = [value for value in _old(data) if _as_current(answer, value)]
    if kept:
        return False, f"still says {kept[0][:60]!r}"
    if stage == "cascade":
        return _verdict(_as_current(answer, gold), gold)
    open_ = _OPEN.search(answer) or NO_INFORMATION.search(" ".join(tokens(answer)))
    return bool(open_), f"says {open_[0]!r}" if open_ else "commits to something"


def named(values: Mapping[str, str], answer: str) -> tuple[str, ...]:
    """The ids of the values that an answer names, in the order in which it names them first."""
    order = words(answer).stems
    stems = {id: words(text).stems for id, text in values.items() if says(answer, text)}
    return tuple(sorted(stems, key=lambda id: order.index(stems[id][0])))


def says(answer: str, value: str) -> bool:
    """Whether an answer has every word of a value."""
    wanted = set(words(value).stems)
    return bool(wanted) and wanted <= set(words(answer).stems)


def _as_current(answer: str, value: str) -> bool:
    """Whether some clause of an answer names a value as what holds now: not as past, in doubt, or what would follow."""
    clauses = _CLAUSE.split(answer)
    return any(says(c, value) and not _NOT_NOW.search(c) and not _OPEN.search(c) for c in clauses if c)


def _verdict(present: bool, gold: str) -> tuple[bool, str]:
    return present, f"{'says' if present else 'does not say'} {gold[:60]!r}"


def _old(data: Mapping[str, Any]) -> list[str]:
    old = data.get("old")
    return [str(value) for value in old] if isinstance(old, list) else []
