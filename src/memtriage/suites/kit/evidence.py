"""What a message tells: which of its sentences matter for a question, and which details in them.

Released files mark the messages that hold evidence, not what in them does. A message is mostly a request with the fact
said by the way, so its sentences are weighed: by the words of the answer and the question that they use, by numbers and
names, and by how a by-the-way remark begins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtriage.core.episode import Fact
from memtriage.suites.kit.phrases import TRIM, runs
from memtriage.text.sentences import sentences
from memtriage.text.words import VAGUE, hinge_stems, stem, words

_ASIDE = re.compile(
    r"\b(?:by the way|btw|speaking of|oh,? and|that reminds me|i remember|actually|i(?:'|’)?ve also|i also)\b", re.I
)
_FIRST = re.compile(r"\b(?:i|i['’](?:m|ve|d|ll)|my|mine|me|we|our)\b", re.I)
_NUMBER = r"[$€£¥]?\d[\d,.:/]*\d|[$€£¥]?\d"
_DATE = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)(?:[a-z]{2,6})?\.?\s+\d{1,2}(?:st|nd|rd|th)?\b"
    r"|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\b"
)
_UNIT = (
    r"(?:[\s-](?:am|pm|a\.m\.|p\.m\.|seconds?|minutes?|hours?|days?|weeks?|weekends?|months?|years?|times|percent|miles?"
    r"|kilomet(?:er|re)s?|km|feet|inches|pounds?|lbs?|kg|dollars?|euros?|dozen|thousand|million)(?!\w))?"
)
_SPELLED = (
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen"
    r"|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|half|twice|third|fourth|fifth|sixth"
    r"|seventh|eighth|ninth|tenth"
)
_FIGURE = re.compile(
    rf"(?:{_DATE})|(?<![\w.])(?:{_NUMBER})(?:%|[a-z]{{1,2}}\b)?{_UNIT}|\b(?:{_SPELLED})\b{_UNIT}", re.IGNORECASE
)
_COUNTING = re.compile(
    r"\b(?:how (?:many|much|long|old|often|far|soon|late|early)|what time|when|total|number)\b", re.I
)
_NAME = re.compile(
    r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'’&.-]*(?:\s+(?:(?:of|the|and|in|at|for|to|&)\s+){0,2}[A-Z0-9][\w'’&.-]*)*"
)
_NOT_NAMES = frozenset("i i'm i've i'd i'll ok okay".split())
_RUBRIC = """the user would prefer responses that suggest suggestions recommend recommendations tailored specific
specifically mentioned previous previously might may not appreciate interest interested interests related general
generic utilize utilizing build upon their such as acknowledge focus include take into account consider considering
especially provide tips advice options existing experience experiences preferences preference based avoid unrelated"""
_NAMING = "name named call called title titled"
"""Words that ask for a name; a memory that says "my cat Milo" can do without them."""

_MOST = 3
"""At most so many sentences of one message make one fact."""

_ANSWER, _QUESTION, _FIGURES, _COUNTED, _ASIDES, _FIRST_PERSON, _ASKED = 2.0, 1.0, 0.5, 1.0, 1.0, 0.5, -1.5
"""What speaks for a sentence, by weight: words of the answer and of the question, figures and names, any figure where
one is asked for, a by-the-way remark, the first person. A question to the assistant speaks against it."""

_ENOUGH = 0.25
"""A further sentence is taken if it has this share of the answer's words, which those taken lack."""

_TELLING = 2
"""With fewer words than this in its details, it takes the whole sentence to hold the fact."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for: a question and its gold answer.

    A `timed` question asks when something was, or how long it took. Of an answer that is a `rubric`, the words that
    all rubrics have say nothing.
    """

    question: str
    answer: str
    timed: bool = False
    rubric: bool = False


class Told(NamedTuple):
    """The sentences of a message that tell what was asked for, word for word, and their critical details."""

    texts: tuple[str, ...]
    details: tuple[str, ...]

    def fact(self, id: str, turn: str) -> Fact:
        """It as a fact that one turn tells."""
        return Fact(id, " ".join(self.texts), (turn,), self.details, self.texts, split=len(self.texts) > 1)


def told_by(text: str, asked: Sought) -> Told:
    """What a message that is known to be evidence tells.

    >>> told_by("Can you plan a route? By the way, my bike is a red Brennabor.", Sought("Which bike?", "a Brennabor"))
    Told(texts=('By the way, my bike is a red Brennabor.',), details=('Brennabor',))
    """
    candidates = _telling_sentences(text) or [text]
    wanted = _Wanted(asked, candidates)
    texts = wanted.choose(candidates)
    return Told(texts, wanted.details(texts))


def likeliest(texts: Sequence[str], asked: Sought) -> int:
    """Which of some messages most likely tells it, from 0."""
    wanted = _Wanted(asked)

    def weight(number: int) -> tuple[bool, bool, float]:
        text = texts[number]
        told = max(map(wanted.weigh, _telling_sentences(text)), default=0.0)
        return bool(words(text).stems), bool(text.strip()), told

    return max(range(len(texts)), key=weight)


def said_first(messages: Sequence[tuple[str, str]]) -> list[int]:
    """Which of a session's marked messages are evidence, given as role and text.

    Where the user said something, the assistant only took it up. Messages without words tell nothing.
    """
    telling = [n for n, (_, text) in enumerate(messages) if words(text).stems]
    return [n for n in telling if messages[n][0] == "user"] or telling


def _telling_sentences(text: str) -> list[str]:
    """The sentences of a message that say anything."""
    return list(dict.fromkeys(sentence for sentence in sentences(text) if words(sentence).stems))


class _Wanted:
    """What is looked for in the sentences of a message."""

    def __init__(self, asked: Sought, candidates: Sequence[str] = ()) -> None:
        self._question = asked.question
        self._answer = asked.answer
        self._counting = bool(_COUNTING.search(asked.question) or _figures(asked.answer))
        self._timed = asked.timed
        answered = set(words(asked.answer).stems)
        if asked.rubric:
            answered -= set(words(_RUBRIC).stems)
        self._asked = set(words(asked.question).stems) - answered
        self._answered = answered - {stem(word) for word in VAGUE}
        self._common = Counter(s for sentence in candidates for s in set(words(sentence).stems))

    def weigh(self, sentence: str) -> float:
        """How likely a sentence is what matters; words that many sentences of the message use tell less."""
        stems = set(words(sentence).stems)
        weight = _ANSWER * self._share(stems & self._answered) + _QUESTION * self._share(stems & self._asked)
        figures, names = len(_figures(sentence)), len(_names(sentence))
        weight += _FIGURES * min(3, figures + names) + _COUNTED * bool(self._counting and figures)
        weight += _ASIDES * bool(_ASIDE.search(sentence)) + _FIRST_PERSON * bool(_FIRST.search(sentence))
        return weight + _ASKED * sentence.rstrip("\"'”’)* ").endswith("?")

    def _share(self, stems: Iterable[str]) -> float:
        return sum(1 / max(1, self._common[stem]) for stem in stems)

    def choose(self, candidates: Sequence[str]) -> tuple[str, ...]:
        """The sentence that matters most, and others with much of the answer that it lacks."""
        best = max(candidates, key=self.weigh)
        chosen = [best]
        there = {s for sentence in candidates for s in words(sentence).stems}
        left = (self._answered & there) - set(words(best).stems)
        enough = max(1.0, _ENOUGH * len(self._answered))
        while left and len(chosen) < _MOST:
            following = max(candidates, key=lambda s: (len(left & set(words(s).stems)), self.weigh(s)))
            if len(left & set(words(following).stems)) < enough:
                break
            chosen.append(following)
            left -= set(words(following).stems)
        return tuple(sentence for sentence in candidates if sentence in chosen)

    def details(self, texts: Sequence[str]) -> tuple[str, ...]:
        """The phrases of the answer that stand there; if few, figures and names or the question's words too.

        The question's words alone make no details, as they say nothing that it didn't: then it takes the whole
        sentence. What happened when is another matter: there the question names what happened.
        """
        answer, names = _phrases(texts, self._answering), _phrases(texts, _figures_and_names)
        if _tells(answer):
            return answer
        if _tells(names):
            return _without_repeats((*answer, *names))
        whole = tuple(text.strip(TRIM) for text in texts)
        said = answer or (() if self._timed else names)
        found = _without_repeats((*said, *_phrases(texts, self._asking)))
        return found if _tells(found) and (self._timed or _stems(found) - self._asked) else whole

    def _answering(self, text: str) -> tuple[str, ...]:
        named = tuple(run for run in runs(text, self._answer) if self._answered & set(words(run).stems))
        return (*named, *_figures(text)) if named and self._timed else named

    def _asking(self, text: str) -> tuple[str, ...]:
        return runs(text, self._question, but=(_NAMING,))


def _phrases(texts: Sequence[str], find: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    return _without_repeats(detail for text in texts for detail in find(text) if _holds(detail, text))


def _stems(details: Iterable[str]) -> set[str]:
    return {s for detail in details for s in words(detail).stems}


def _tells(details: Sequence[str]) -> bool:
    """Whether details are enough to know the fact by."""
    return len(_stems(details)) >= _TELLING or any(_figures(detail) for detail in details)


def _holds(detail: str, text: str) -> bool:
    """Whether the words of a phrase are those of the text it was cut from; a cut can change what a number reads as."""
    return set(words(detail).stems) <= set(words(text).stems)


def _figures_and_names(text: str) -> tuple[str, ...]:
    return (*_figures(text), *_names(text))


def _figures(text: str) -> tuple[str, ...]:
    """The numbers and dates of a text, as they stand there."""
    found = (match.group() for match in _FIGURE.finditer(text))
    return tuple(figure.rstrip(".,:/") for figure in found if words(figure).stems)


def _names(text: str) -> tuple[str, ...]:
    """The names of a text: capitals in mid-sentence."""
    found = (match.group().strip(TRIM) for match in _NAME.finditer(text))
    return tuple(name for name in found if name.lower().replace("’", "'") not in _NOT_NAMES and words(name).stems)


def _without_repeats(details: Iterable[str]) -> tuple[str, ...]:
    """Each detail once, those left out that say nothing, or nothing that a longer one doesn't."""
    empty = {stem(word) for word in VAGUE} | hinge_stems()
    kept: list[str] = []
    for detail in sorted(dict.fromkeys(details), key=lambda detail: -len(words(detail).stems)):
        stems = set(words(detail).stems)
        if stems - empty and not any(stems <= set(words(other).stems) for other in kept):
            kept.append(detail)
    return tuple(kept)
