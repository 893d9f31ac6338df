"""What words alone settle of an answer to a LongMemEval question; everything else is for a judge, and None.

An answer is settled only where it says nothing but what question and gold answer say: then nothing in it can take
the gold answer back, turn it round or name another beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from memtriage.suites.longmemeval.question import ABSTENTION
from memtriage.text.words import is_number, stem, tokens, words

Settled = tuple[bool, str]
"""Whether an answer is right, and why."""

_DECLINES = re.compile(
    r"""\b(?:no|any|insufficient|enough)\ (?:\w+\ ){0,2}(?:information|records?|mention|memor(?:y|ies)|details)\b
      | \byou\ (?:have\ not|did\ not|never|had\ not)\ (?:\w+\ )?
            (?:mention|mentioned|tell|told|say|said|shared?|provided?|specify|specified|discussed)\b
      | \b(?:i|we)\ (?:do|did|can)\ not\ (?:\w+\ )?(?:know|recall|remember|tell|answer|determine)\b
      | \b(?:i|we)\ cannot\ (?:\w+\ )?(?:know|recall|remember|tell|answer|determine)\b
      | \bnot\ (?:been\ )?(?:mentioned|specified|stated|provided|given|told|discussed|recorded|known|available)\b
      | \binformation\ (?:\w+\ ){0,2}not\ enough\b
      | \b(?:unanswerable|can\ not\ be\ (?:answered|determined)|cannot\ be\ (?:answered|determined))\b
    """,
    re.VERBOSE,
)
"""Ways to say that something was not told, with contractions opened."""

_DENIES = re.compile(r"\b(?:no|not|never|insufficient|cannot|unanswerable)\b")
_HEDGES = frozenset(
    """but however though although still yet except instead rather likely probably perhaps maybe might may could would
    assume assuming guess estimate suggest suggests approximately around based because since so therefore""".split()
)
"""Words behind which an answer may follow after all."""

_LONGEST_REFUSAL = 30
_LONGEST_GOLD = 10
_ARTICLES = frozenset("a an the".split())
_PLAIN = frozenset(
    stem(word)
    for word in """mentioned mention said told tell according answer recall remember conversation conversations
    memories memory records""".split()
)
"""Words that say where an answer comes from, and nothing about what it is."""

_SPANS = frozenset(stem(word) for word in "day week month year hour minute".split())
_ALSO = re.compile(r"(.+?)\s*(?:\([^)]*\)\s*)?\b(?:is|are|would be)\s+also\s+(?:acceptable|fine|correct|ok)", re.I)


def settled(type: str, question: str, gold: str, answer: str) -> Settled | None:
    """Whether an answer to a question of this type (or `abstention`) is right, where words leave no doubt.

    >>> settled("multi-session", "How many weddings did I attend?", "3", "You attended three weddings.")
    (True, 'it says the gold answer and nothing else')
    >>> settled("temporal-reasoning", "How many days did it take?", "7 days", "8 days")
    (True, 'it is one off, which counts as right')
    >>> settled("knowledge-update", "Where do I row now?", "Harrow", "First Ely, then Harrow.") is None
    True
    """
    if not tokens(answer):
        return False, "there is no answer"
    if type == ABSTENTION:
        return (True, "it says that this was not told") if _declines(question, answer) else None
    if _declines(question, answer) and _leaves_out(question, gold, answer):
        return False, "it says that this was not told, though it was"
    if type == "single-session-preference":
        return None
    found = [decision for form in _acceptable(gold) if (decision := _compare(type, question, form, answer)) is not None]
    return next((decision for decision in found if decision[0]), None) or (
        found[0] if len(found) == len(_acceptable(gold)) else None
    )


def _declines(question: str, answer: str) -> bool:
    """Whether an answer says that something was not told, and no more than that."""
    answered = tokens(answer)
    text = " ".join(answered)
    new_numbers = {t for t in answered if is_number(t)} - set(tokens(question))
    short = len(answered) <= _LONGEST_REFUSAL and not new_numbers and not _HEDGES & set(answered)
    return short and _DECLINES.search(text) is not None and _DENIES.search(text) is not None


def _leaves_out(question: str, gold: str, answer: str) -> bool:
    """Whether an answer has nothing of what the gold answer adds to the question."""
    new = set(words(gold).stems) - set(words(question).stems)
    return bool(new) and not words(gold).polarity and not new & set(words(answer).stems)


def _acceptable(gold: str) -> list[str]:
    """The gold answer, and what it says is acceptable as well."""
    parts = re.split(r"(?<=[.;])\s+", gold.strip())
    also = [(part, found[1]) for part in parts if (found := _ALSO.match(part))]
    itself = " ".join(part for part in parts if part not in dict(also))
    return [form.strip(" .;") for form in (itself, *(form for _, form in also))]


def _compare(type: str, question: str, gold: str, answer: str) -> Settled | None:
    wanted, found = _without_articles(tokens(gold)), _without_articles(tokens(answer))
    if not wanted or len(wanted) > _LONGEST_GOLD:
        return None
    if wanted == found:
        return True, "it is the gold answer"
    if not _adds_nothing(question, gold, answer):
        return None
    if _number_of(wanted) is not None:
        return _compare_numbers(type, question, wanted, found)
    asked_for = set(words(gold).stems) - set(words(question).stems)
    if asked_for and _within(wanted, found) and _numbers(found) <= {*_numbers(wanted), *_numbers(tokens(question))}:
        return True, "it says the gold answer and nothing else"
    return None


def _adds_nothing(question: str, gold: str, answer: str) -> bool:
    """Whether an answer has no word of its own, and denies nothing that the gold answer doesn't."""
    known = {*words(question).stems, *words(gold).stems, *_PLAIN}
    same = words(answer).polarity == words(gold).polarity
    own = {each for each in words(answer).stems if not is_number(each)} - known
    return same and "or" not in tokens(answer) and not own


def _compare_numbers(type: str, question: str, wanted: Sequence[str], found: Sequence[str]) -> Settled | None:
    """Two numbers of the same unit, compared."""
    right, given = _number_of(wanted), _number_of(found)
    units, asked = set(_units(wanted)), set(words(question).stems)
    if right is None or given is None or right in tokens(question):
        return None
    named = units <= set(_units(found)) or (not _units(found) and units <= asked)
    other = {"am", "pm", *_SPANS - _asked_spans(question)} & ({*units} ^ {*_units(found)})
    if not named or other:
        return None
    if right == given:
        return True, "it says the gold answer and nothing else"
    if not (right.isdecimal() and given.isdecimal()):
        return None
    if type == "temporal-reasoning" and abs(int(right) - int(given)) == 1:
        spans = (units or asked) & _SPANS
        return (True, "it is one off, which counts as right") if spans else None
    return False, f"it says {given}, not {right}"


def _number_of(text_tokens: Iterable[str]) -> str | None:
    """The one number in a text; None where there is none or several."""
    numbers = _numbers(text_tokens)
    return numbers.pop() if len(numbers) == 1 else None


def _asked_spans(question: str) -> set[str]:
    """The spans of time that a question asks the number of."""
    return {stem(after) for before, after in pairwise(tokens(question)) if before == "many"}


def _numbers(text_tokens: Iterable[str]) -> set[str]:
    return {token for token in text_tokens if is_number(token)}


def _units(text_tokens: Sequence[str]) -> list[str]:
    """What a text says besides its numbers; the halves of the day are no small words here."""
    halves = [after for before, after in pairwise(text_tokens) if is_number(before) and after in ("am", "pm")]
    return [*(each for each in words(" ".join(text_tokens)).stems if not is_number(each)), *halves]


def _without_articles(text_tokens: Iterable[str]) -> list[str]:
    return [token for token in text_tokens if token not in _ARTICLES]


def _within(wanted: Sequence[str], found: Sequence[str]) -> bool:
    """Whether one text is in another, word for word."""
    return any(list(wanted) == list(found[at : at + len(wanted)]) for at in range(len(found) - len(wanted) + 1))
