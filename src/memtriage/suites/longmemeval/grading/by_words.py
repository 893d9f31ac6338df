"""What words alone settle of an answer to a LongMemEval question; everything else is for a judge, and None.

An answer is right only where it is the gold answer, or the gold answer within the question's own words in their own
order: then nothing in it can take the gold answer back, turn it round, or give it to somebody else. It is wrong only
where it is empty, declines, or is such an answer with another number in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Self

from memtriage.suites.longmemeval.question import ABSTENTION
from memtriage.text.words import EXCLUSIVES, hinge_stems, is_number, stem, tokens, turning_stems, words

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
    should if whether either assume assuming guess estimate suggest suggests approximately around based because since
    so therefore""".split()
)
"""Words that take back some of what is said, or behind which an answer may follow after all."""

_LONGEST_REFUSAL = 30
_LONGEST_GOLD = 10
_ARTICLES = frozenset("a an the".split())
_PLAIN = frozenset(
    stem(word)
    for word in """mentioned mention said told tell according answer recall remember conversation conversations
    memories memory records""".split()
)
"""Words that say where an answer comes from, and nothing about what it is."""

_REFUSING = _PLAIN | frozenset(
    stem(word)
    for word in """information insufficient enough any detail context data history chat previous earlier past provide
    share specify specific state give discuss record available know known determine find unanswerable question please
    sorry unfortunately regarding about exact date title anything contain""".split()
)
"""Words of a refusal that say nothing about what was asked."""

_SPANS = frozenset(stem(word) for word in "day week month".split())
"""The spans of time whose count may be one off."""

_MONTHS = "january february march april may june july august september october november december".split()
_TIMES = _SPANS | frozenset(stem(word) for word in ["year", "hour", "minute", "second", *_MONTHS])

_SCALES = frozenset("hundred thousand million billion dozen dozens half quarter couple pair k".split())
"""Number words that `tokens` doesn't work out."""

_DEGREES = frozenset(
    stem(word)
    for word in """all more less total overall altogether faster slower older younger longer shorter later earlier ago
    left apart""".split()
)
"""Words that may follow an amount without being what is counted."""

_AUXILIARIES = frozenset(
    """am is are was were be been do does did have has had will would shall should can could may might must i you he she
    it we they my your""".split()
)
"""Words that end the thing counted, in "how many red kettles do I have"."""

_OTHERS = frozenset("he him his himself she her hers herself they them their theirs we us our ours".split())
_MINE = frozenset("my mine me myself".split())
_BESIDE = frozenset("and or nor plus also too".split())
"""Words that put something else beside the gold answer."""

_DIRECTED = frozenset("by from than or".split())
_MONTH = rf"({'|'.join(_MONTHS)})\b"
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?=\d{{4}}\b))?", re.IGNORECASE)
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+(?=\d{{4}}\b))?", re.IGNORECASE)
_BREAK = re.compile(r"[;()\[\]/&+|\n]|[,.:](?!\d)|[!?]|\s[-–—]+\s|—")
_MARK = "zzbreak"
_SIGNS = re.compile(r"[+#/@°~<>=^×÷½¼¾\\]|(?<=\d)\s?[-–—](?=\s?\d)")
_CURRENCIES = re.compile(r"[$€£¥₹]")
_ODD_COMMA = re.compile(r"\d,(?!\d{3}(?!\d))\d")
"""A comma between digits that doesn't stand for thousands."""

_ALSO = re.compile(r"(.+?)\s*(?:\([^)]*\)\s*)?\b(?:is|are|would be)\s+also\s+(?:acceptable|fine|correct|ok)", re.I)


def settled(type: str, question: str, gold: str, answer: str) -> Settled | None:
    """Whether an answer to a question of this type (or `abstention`) is right, where words leave no doubt.

    >>> settled("multi-session", "How many weddings did I attend?", "3", "You attended three weddings.")
    (True, 'it says the gold answer and nothing else')
    >>> settled("temporal-reasoning", "How many days did it take?", "7 days", "8 days")
    (True, 'it is one off, which counts as right')
    >>> settled("temporal-reasoning", "Which year was it?", "2022", "2021")
    (False, 'it says 2021, not 2022')
    >>> settled("knowledge-update", "Where do I row now?", "Harrow", "First Ely, then Harrow.") is None
    True
    """
    if not tokens(answer):
        return False, "there is no answer"
    declines = _declines(question, answer)
    if type == ABSTENTION:
        return (True, "it says that this was not told") if declines else None
    if declines and _leaves_out(question, gold, answer):
        return False, "it says that this was not told, though it was"
    if type == "single-session-preference":
        return None
    forms = _acceptable(gold)
    may_be_off = type == "temporal-reasoning"
    found = [_compare(question, form, answer, may_be_off, len(forms) > 1) for form in forms]
    right = next((decision for decision in found if decision and decision[0]), None)
    return right or (None if None in found else found[0])


# ------------------------------------------------------------------ answers that decline


def _declines(question: str, answer: str) -> bool:
    """Whether an answer says that what was asked was not told, and no more than that.

    A word that is neither the question's nor a refusal's may be about something or somebody else.
    """
    answered, asked = tokens(answer), set(tokens(question))
    new_numbers = {token for token in answered if is_number(token)} - asked
    if len(answered) > _LONGEST_REFUSAL or new_numbers or {*_HEDGES, *EXCLUSIVES} & set(answered):
        return False
    if set(words(answer).stems) - set(words(question).stems) - _REFUSING:
        return False
    clauses = [" ".join(tokens(clause)) for clause in _BREAK.sub(f" {_MARK} ", answer).split(_MARK)]
    refusals = [clause for clause in clauses if _DECLINES.search(clause) and _DENIES.search(clause)]
    others = [clause for clause in clauses if clause not in refusals]
    asserts = any(re.search(r"\band (?:i|you|your|it|he|she|they)\b", clause) for clause in clauses)
    return bool(refusals) and not asserts and all(_says_nothing(clause) for clause in others)


def _says_nothing(clause: str) -> bool:
    return all(each in _REFUSING or is_number(each) for each in words(clause).stems)


def _leaves_out(question: str, gold: str, answer: str) -> bool:
    """Whether an answer has nothing of what the gold answer adds to the question."""
    new = set(words(gold).stems) - set(words(question).stems)
    return bool(new) and not words(gold).polarity and not new & set(words(answer).stems)


# ------------------------------------------------------------------ answers that say something


@dataclass(frozen=True, slots=True)
class _Said:
    """A text as tokens without articles, its dates with the day first; `breaks` are the places of punctuation."""

    tokens: tuple[str, ...]
    breaks: frozenset[int]

    @classmethod
    @lru_cache(maxsize=1 << 12)
    def of(cls, text: str) -> Self:
        kept: list[str] = []
        breaks: set[int] = set()
        dated = _DAY_FIRST.sub(r"\1 \2 ", _MONTH_FIRST.sub(r"\2 \1 ", text))
        for token in tokens(_BREAK.sub(f" {_MARK} ", dated)):
            if token == _MARK:
                breaks.add(len(kept))
            elif token not in _ARTICLES:
                kept.append(token)
        return cls(tuple(kept), frozenset(breaks))

    @property
    def numbers(self) -> list[str]:
        return [token for token in self.tokens if is_number(token)]

    def with_number(self, number: str) -> _Said:
        """The same with its numbers replaced."""
        return _Said(tuple(number if is_number(token) else token for token in self.tokens), self.breaks)


def _acceptable(gold: str) -> list[str]:
    """The gold answer, and what it says is acceptable as well."""
    parts = re.split(r"(?<=[.;])\s+", gold.strip())
    also = [(part, found[1]) for part in parts if (found := _ALSO.match(part))]
    itself = " ".join(part for part in parts if part not in dict(also))
    return [form.strip(" .;") for form in (itself, *(form for _, form in also))]


def _compare(question: str, gold: str, answer: str, may_be_off: bool, has_others: bool) -> Settled | None:
    wanted, said = _Said.of(gold), _Said.of(answer)
    if not wanted.tokens or not _same_signs(question, gold, answer):
        return None
    if wanted.tokens == said.tokens:
        return True, "it is the gold answer"
    if len(wanted.tokens) > _LONGEST_GOLD or "?" in answer:
        return None
    if _says(question, wanted, said):
        return True, "it says the gold answer and nothing else"
    return _compare_numbers(question, wanted, said, may_be_off, has_others)


def _compare_numbers(question: str, wanted: _Said, said: _Said, may_be_off: bool, has_others: bool) -> Settled | None:
    """Whether an answer is the gold answer but for its one number."""
    if len(wanted.numbers) != 1 or len(said.numbers) != 1 or _SCALES & {*wanted.tokens, *said.tokens}:
        return None
    right, given = wanted.numbers[0], said.numbers[0]
    if not (right.isdecimal() and given.isdecimal()) or {right, given} & {*tokens(question)}:
        return None
    swapped = said.with_number(right)
    if int(right) == int(given) or (swapped.tokens != wanted.tokens and not _says(question, wanted, swapped)):
        return None
    if may_be_off and abs(int(right) - int(given)) == 1:
        counted = _counted(question)
        if counted and counted[-1] in _SPANS:
            return None if has_others else (True, "it is one off, which counts as right")
        if {*map(stem, wanted.tokens), *counted} & _TIMES:
            return None
    return False, f"it says {given}, not {right}"


def _says(question: str, wanted: _Said, said: _Said) -> bool:
    """Whether an answer is the gold answer within words of the question, which say the same as they do there."""
    counted, asked = _counted(question), words(question).stems
    number, *unit = wanted.tokens
    if (
        is_number(number)
        and unit
        and not _places(wanted.tokens, said.tokens)
        and {*map(stem, unit)} - _DEGREES <= {*counted}
    ):
        wanted = _Said((number,), frozenset())  # "7" says as much as "7 days" where days are asked for
    if not {*map(stem, wanted.tokens)} - {*asked}:
        return False
    places = _places(wanted.tokens, said.tokens)
    if len(places) != 1:
        return False
    at, end = places[0], places[0] + len(wanted.tokens)
    before, after = said.tokens[:at], said.tokens[end:]
    if is_number(wanted.tokens[-1]) and not _counts(counted, before, after, end in said.breaks):
        return False
    if _BESIDE & {*said.tokens[max(0, at - 1) : at], *said.tokens[end : end + 1]}:
        return False
    if (at in said.breaks and _content(before)) or (end in said.breaks and _content(after)):
        return False
    return _repeats(question, before, after)


def _counts(counted: Sequence[str], before: Sequence[str], after: Sequence[str], ends: bool) -> bool:
    """Whether a number stands before what the question counts, or alone."""
    following = () if ends else after
    if following[:1] and following[0] in ("am", "pm"):
        return False
    noun = next(iter(words(" ".join(following)).stems), "")
    if counted:
        return noun in counted or not _content((*before, *after))
    return not noun or noun in _DEGREES


def _repeats(question: str, before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the words around a gold answer are the question's, in its order, and turn nothing round."""
    asked, around = set(tokens(question)), {*before, *after}
    if around & ((_HEDGES | _DIRECTED) - asked) or around & _MINE:
        return False
    own = [*_content(before), *_after_noun(question, _content(after))]
    about_me = bool(asked & {"i", "my", "me", "mine", "we", "our"})
    if (about_me and around & (_OTHERS - asked)) or (own and "i" in around):
        return False
    restated = {*own} - _DEGREES
    polarity = words(question).polarity if restated else ()
    if words(" ".join((*before, *after))).polarity != polarity:
        return False
    stems = words(question).stems
    if restated and (turning_stems() & {*stems}) - {*own}:
        return False
    return _is_within(own, stems) and _keeps_hinges(stems, _content(before), _content(after))


def _keeps_hinges(asked: Sequence[str], before: list[str], after: list[str]) -> bool:
    """Whether words such as "before" and "more" stand beside the word that they stand beside in the question."""
    pairs = {*pairwise(asked)}
    whole = before[-1:] + after
    near = [before[max(0, n - 1) : n + 2] for n, each in enumerate(before) if each in hinge_stems()]
    near += [
        whole[max(0, n - 1) : n + 2]
        for n, each in enumerate(whole)
        if n >= len(before[-1:]) and each in hinge_stems() - _DEGREES
    ]
    return all(pairs & {*pairwise(beside)} for beside in near)


def _content(text_tokens: Sequence[str]) -> list[str]:
    """The stems of a text that say something about an answer."""
    return [each for each in words(" ".join(text_tokens)).stems if each not in _PLAIN]


def _after_noun(question: str, after: list[str]) -> list[str]:
    """What follows a gold answer, without the noun that the question asks for, as in "the road bike"."""
    noun = _until(question, ("what", "which", "whose", "many", "much"), _AUXILIARIES)
    while after and after[0] in noun:
        after = after[1:]
    return after


def _counted(question: str) -> list[str]:
    """What a question asks the number of.

    >>> _counted("How many red kettles do I have at home?")
    ['red', 'kettl']
    """
    return _until(question, ("many",), {*_AUXILIARIES, *"of in on at for with per to from before after since".split()})


def _until(question: str, begin: Iterable[str], end: Iterable[str]) -> list[str]:
    """The content words of a question between one of some words and one of others."""
    asked, ending = tokens(question), {*end}
    start = next((n for n, token in enumerate(asked) if token in begin), len(asked))
    stop = next((n for n in range(start + 1, len(asked)) if asked[n] in ending), len(asked))
    found = [each for each in words(" ".join(asked[start + 1 : stop])).stems if each not in ("mani", "much")]
    while found and found[-1] in _DEGREES:
        found.pop()
    return found


def _same_signs(question: str, gold: str, answer: str) -> bool:
    """Whether two texts agree in what `tokens` leaves out: signs, currencies, and commas between digits."""
    if gold.strip().casefold() == answer.strip().casefold():
        return True
    if _ODD_COMMA.search(gold) or _ODD_COMMA.search(answer):
        return False
    money, other = {*_CURRENCIES.findall(gold)}, {*_CURRENCIES.findall(answer)}
    if money and other and money != other:
        return False
    wanted, said, asked = (Counter(_signs(text)) for text in (gold, answer, question))
    return wanted <= said and said - wanted <= asked


def _signs(text: str) -> list[str]:
    return ["-" if found.strip() in "-–—" else found.strip() for found in _SIGNS.findall(text)]


def _is_within(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether words occur among others in the same order.

    >>> _is_within(["a", "c"], ["a", "b", "c"]), _is_within(["c", "a"], ["a", "b", "c"])
    (True, False)
    """
    left = iter(others)
    return all(each in left for each in some)


def _places(wanted: Sequence[str], said: Sequence[str]) -> list[int]:
    """Where one text stands in another, word for word."""
    return [at for at in range(len(said) - len(wanted) + 1) if said[at : at + len(wanted)] == wanted]
