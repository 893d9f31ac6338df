"""What was said in an episode, sentence by sentence: whether something is in it, and what comes nearest to a memory."""

from __future__ import annotations

import heapq
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memtriage.core.episode import Session
from memtriage.diagnose.lexical.lexicon import word_form
from memtriage.diagnose.lexical.plain_text import plain_text
from memtriage.diagnose.lexical.sentence_index import Sentences
from memtriage.diagnose.lexical.statement import Statement, statement
from memtriage.text.sentences import sentences
from memtriage.text.words import Words, is_number, stem, tokens, well_formed, words

_ROLE = re.compile(r"^\s*(?:user|assistant|system)\s*:\s*", re.IGNORECASE | re.MULTILINE)
_SPACE = re.compile(r"\s+")
_LARGE_NUMBER = re.compile(r"\b(?:hundred|thousand|million|billion|dozen|twice|half|quarter|third|k)\b|\d[kKm]\b")
_RELATIVE = re.compile(
    r"\b(?:ago|last|next|this|past|previous|coming|following|since|in \w+ (?:days?|weeks?|months?|years?)|weekend"
    r"|yesterday|today|tomorrow|tonight|now|recently|soon|anniversary|annual|birthday|old|age|aged"
    r"|end of|beginning of|start of|weekdays?|christmas|later|earlier)\b",
    re.IGNORECASE,
)
_SIZES = (100, 1000, 1_000_000, 1_000_000_000)
_CAPITAL = re.compile(r"(?<=[\w,;] )[A-Z][^\W\d_]{2,}")
_LOWER = re.compile(r"\b[a-z][^\W\d_]{2,}")
_WRITER = frozenset(map(stem, ("user", "users")))
"""What memories call whoever said `I`."""
_RAREST = 10
"""What is near is found by this many words of a memory, its rarest ones."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence as it was said: by whom, in which session and turn, and on which day."""

    text: str
    words: Words
    session: str
    turn: str
    day: str
    role: str

    @property
    def statement(self) -> Statement:
        return statement(self.text, self.day)

    @property
    def relative(self) -> bool:
        """Whether it tells a time as seen from the day it was said, or an age, from which dates can be worked out."""
        return bool(_RELATIVE.search(self.text))


class Said:
    """Everything that was said in some sessions. Nothing is indexed before it is asked for."""

    def __init__(self, sessions: Iterable[Session], also: Iterable[str] = ()) -> None:
        self._sessions = tuple(sessions)
        self._also = tuple(also)

    @cached_property
    def _text(self) -> str:
        """All of it as one text, to find copies in."""
        return "\n".join(_plain(turn.text) for session in self._sessions for turn in session.turns)

    @cached_property
    def _turns(self) -> frozenset[str]:
        return frozenset(turn.text for session in self._sessions for turn in session.turns)

    def has(self, text: str) -> bool:
        """Whether exactly this text was said, in one turn or over several; who said it makes no difference."""
        if text in self._turns:
            return True
        plain = _plain(text)
        return not plain or plain in self._whole_lines or plain in self._text

    @cached_property
    def _whole_lines(self) -> frozenset[str]:
        """Each line of each turn: what is told in lists is found without a search."""
        return frozenset(
            _plain(line) for session in self._sessions for turn in session.turns for line in turn.text.split("\n")
        )

    @cached_property
    def lines(self) -> Sequence[Line]:
        """The sentences in the order in which they were said."""
        found = [
            Line(text, words(text), session.id, turn.id, session.timestamp or "", turn.role)
            for session in self._sessions
            for turn in session.turns
            for part in _ROLE.sub("", turn.text).split("\n")
            for text in sentences(part)
        ]
        return found + [
            Line(text, words(text), "", "", "", "user") for asked in self._also for text in sentences(asked)
        ]

    @cached_property
    def _spoken(self) -> frozenset[Words]:
        return frozenset(line.words for line in self.lines)

    def has_words(self, sentence: str) -> bool:
        """Whether a sentence was said in these words, inflected or spelled otherwise."""
        found = words(sentence)
        return not found.stems or found in self._spoken

    @cached_property
    def _index(self) -> Sentences:
        index = Sentences()
        for line in self.lines:
            index.add(line.words)
        return index

    @cached_property
    def _tokens(self) -> frozenset[str]:
        return frozenset(token for line in self.lines for token in tokens(plain_text(line.text)))

    @cached_property
    def _forms(self) -> frozenset[str]:
        return frozenset(form for token in self._tokens for form in (token, stem(token), word_form(token)))

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        """The first four letters of every word."""
        return frozenset(token[:4] for token in self._tokens if len(token) >= 4 and token[0].isalpha())

    @cached_property
    def numbers(self) -> frozenset[float]:
        """All numbers that were said, and those of the sessions' dates."""
        found = {_value(token) for token in self._tokens if is_number(token)}
        for line in self.lines:
            if _LARGE_NUMBER.search(line.text):
                read = {_value(unit.form) for unit in line.statement.units if unit.kind == "number"}
                found |= read | {number * size for number in read for size in _SIZES}
        for session in self._sessions:
            found |= {float(part) for part in re.findall(r"\d+", (session.timestamp or "")[:10])}
        return frozenset(number for number in found if not math.isnan(number))

    @cached_property
    def names(self) -> frozenset[str]:
        """The words, in lower case, that were only ever said with a capital, and within a sentence."""
        capital = {word.lower() for line in self.lines for word in _CAPITAL.findall(line.text)}
        lower = {word for line in self.lines for word in _LOWER.findall(line.text)}
        return frozenset(capital - lower)

    @cached_property
    def days(self) -> tuple[str, ...]:
        """The days of the sessions in order, as ISO dates."""
        return tuple(sorted({session.timestamp[:10] for session in self._sessions if session.timestamp}))

    def knows(self, word: str) -> bool:
        """Whether a word was said in any form."""
        lower = _letters(word.lower())
        return lower in self._forms or stem(lower) in self._forms or word_form(lower) in self._forms

    def knows_like(self, word: str) -> bool:
        """Whether a word was said that begins alike, as `Spain` and `Spanish` do."""
        lower = _letters(word.lower())
        return lower[:4] in self._beginnings if len(lower) >= 4 else self.knows(word)

    @cached_property
    def words_said(self) -> frozenset[str]:
        return self._tokens

    def nearest(self, sentence: Words, most: int = 5) -> list[int]:
        """The places of the lines that share most with a sentence, rare words counting more."""
        total = len(self.lines)
        told = dict.fromkeys(stem for stem in sentence.stems if stem not in _WRITER)
        used = sorted((using for stem in told if (using := self._index.using(stem))), key=len)
        scores: dict[int, float] = {}
        for using in used[:_RAREST]:
            gain = math.log(1 + total / len(using))
            for place in using:
                scores[place] = scores.get(place, 0.0) + gain
        # A long line shares something with everything.
        weighed = ((score / self._lengths[place], -place) for place, score in scores.items())
        return [-place for _, place in heapq.nlargest(most, weighed)]

    @cached_property
    def _lengths(self) -> Sequence[float]:
        return [(8 + len(line.words.stems)) ** 0.5 for line in self.lines]

    def around(self, place: int, reach: int = 2) -> Iterator[int]:
        """A line and those next to it in its turn."""
        here = self.lines[place]
        for other in range(max(0, place - reach), min(len(self.lines), place + reach + 1)):
            if self.lines[other].turn == here.turn:
                yield other

    def naming(self, place: int) -> Iterator[int]:
        """The last line before one in its turn that has a name, for whoever `he` is; none if it has one itself."""
        here = self.lines[place]
        for other in range(place, -1, -1):
            if self.lines[other].turn != here.turn:
                return
            if not self.names.isdisjoint(tokens(self.lines[other].text)):
                yield from [other] if other != place else []
                return

    @cached_property
    def _by_session(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for line in self.lines:
            found.setdefault(line.session, set()).update(tokens(line.text))
        return {session: frozenset(said) for session, said in found.items()}

    def names_in(self, session: str) -> frozenset[str]:
        """The names that stand in a session, in lower case."""
        return self._by_session.get(session, frozenset()) & self.names

    def in_session(self, session: str, word: str) -> bool:
        """Whether a word stands anywhere in a session."""
        said = self._by_session.get(session, frozenset())
        lower = _letters(word.lower())
        return lower in said or any(stem(lower) == stem(token) for token in said if token[:2] == lower[:2])


@lru_cache(maxsize=1 << 12)
def _plain(text: str) -> str:
    """A text in lower case, without roles and needless space."""
    normal = unicodedata.normalize("NFKC", well_formed(text)) if not text.isascii() else text
    return _SPACE.sub(" ", _ROLE.sub("", normal)).strip().lower()


def _letters(word: str) -> str:
    return word.replace("'", "").replace("’", "").replace(".", "")


def _value(number: str) -> float:
    try:
        return float(number.replace(",", ""))
    except ValueError:
        return float(number.partition(":")[0]) if number.partition(":")[0].isdecimal() else math.nan
