"""Reads a sentence or a memory as a statement: what it is about in one form each, and the words that turn it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from memtriage.diagnose.lexical.lexer import Token, tokens
from memtriage.diagnose.lexical.lexicon import kin, mark_kinds, phrases, small_words, word_form
from memtriage.diagnose.lexical.plain_text import plain_text
from memtriage.text.language import Language, spoken
from memtriage.text.sentences import sentences
from memtriage.text.words import stem

Kind = Literal["name", "number", "date", "time", "word", "self"]
Role = Literal[Kind, "pronoun", "tense", "mark", "link"]

SELF = "user"
"""How the person who speaks is called, whether as `I` or as `the user`."""

KIN = "kin"
"""How somebody near the user is called, where it only matters that it isn't the user."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A word or phrase that carries meaning, in the form that stands for all its spellings."""

    form: str
    kind: Kind
    sentence: int
    clause: int
    surface: str
    dates: tuple[str, ...] = ()
    """The forms of the day, month and year that a relative date stands for."""
    link: str = ""
    """The preposition before it, which says what part it plays."""


class Mark(NamedTuple):
    """A word that turns its clause: not, only, if, might."""

    kind: str
    form: str
    clause: int


class Part(NamedTuple):
    """Anything that makes a difference where it stands: a unit, or a small word that is none."""

    form: str
    role: Role
    sentence: int


@dataclass(frozen=True, slots=True)
class Statement:
    """A text as units and marks in order."""

    units: tuple[Unit, ...]
    marks: tuple[Mark, ...]
    about: tuple[str, ...]
    """Whom each sentence speaks of first: the user, somebody near the user, a name, or nobody."""
    clauses: tuple[int, ...]
    """The sentence of each clause."""
    sequence: tuple[Part, ...] = ()
    """The units with the small words between them."""

    def count(self, kind: str, clauses: frozenset[int] | None = None) -> Counter[str]:
        """The marks of one kind by form, in these clauses or all."""
        return Counter(m.form for m in self.marks if m.kind == kind and (clauses is None or m.clause in clauses))


_BREAKS = frozenset(
    "but although though while whereas because so and or if when unless except until since who which".split()
)
"""Words that begin a clause."""

_LINKS = frozenset("from to by than over for of with without under in on at as into against about".split())
"""Words that say what part the next unit plays."""

_TELLING_LINKS = frozenset("from to by than over without against for with off on".split())
"""The links that make a difference where they stand."""

_BEFORE_NUMBERS = frozenset("about more_than less_than at_least at_most".split())
"""Forms of which a single word counts only before a number: over 20, but not over the roof."""

_ONLY_MARKS = frozenset("not no never unless if when because so and only also too until since nor neither".split())
"""Words that turn a statement, but it isn't about them."""

_OTHERS = frozenset("he him his she her hers they them their theirs himself herself themselves".split())
_TENSES = frozenset("was were had been".split())
_MODALS = frozenset("may might could must should will would can shall".split())
_LONGEST_PHRASE = 5


def statement(text: str, said: str = "") -> Statement:
    """A text as a statement; `said` is the ISO date on which it was said, for words such as `yesterday`.

    >>> [unit.form for unit in statement("I purchased twenty cups.").units]
    ['user', 'buy', '20', 'cup']
    """
    return _statement(text, said, spoken())


@lru_cache(maxsize=1 << 14)
def _statement(text: str, said: str, _: Language | None) -> Statement:
    reader = _Reader()
    for line in plain_text(text).split("\n"):
        for sentence in sentences(line):
            reader.read(tokens(sentence, said))
    return reader.statement()


class _Reader:
    """Builds a statement, sentence by sentence."""

    def __init__(self) -> None:
        self._units: list[Unit] = []
        self._marks: list[Mark] = []
        self._about: list[str] = []
        self._clauses: list[int] = [0]
        self._sequence: list[Part] = []
        self._link = ""

    def statement(self) -> Statement:
        """What was read so far."""
        return Statement(
            tuple(self._units), tuple(self._marks), tuple(self._about), tuple(self._clauses), tuple(self._sequence)
        )

    def read(self, sentence: Sequence[Token]) -> None:
        """Read one more sentence."""
        if self._about:
            self._clauses.append(self._sentence)
        about = ""
        at = 0
        while at < len(sentence):
            if sentence[at].kind == "stop":
                self._begin_clause()
                if sentence[at].lower == "?":
                    self._mark("asked", "?")
                at += 1
                continue
            size, form = _phrase(sentence, at)
            if size == 1 and form in _BREAKS:
                self._begin_clause()
            about = about or _whom(sentence, at)
            self._add(sentence[at : at + size], form)
            at += size
        self._about.append(about)

    @property
    def _sentence(self) -> int:
        return len(self._about)

    @property
    def _clause(self) -> int:
        return len(self._clauses) - 1

    def _begin_clause(self) -> None:
        """Begin a clause, unless the current one is still empty."""
        if self._units and self._units[-1].clause == self._clause:
            self._clauses.append(self._sentence)

    def _mark(self, kind: str, form: str) -> None:
        self._marks.append(Mark(kind, form, self._clause))

    def _add(self, phrase: Sequence[Token], form: str) -> None:
        token, single = phrase[0], len(phrase) == 1
        if token.kind == "word":
            for kind in dict.fromkeys(mark_kinds(form) + mark_kinds(token.lower)):
                self._mark(kind, form)
        if token.lower in _LINKS:
            self._link = token.lower
        role = _small_role(token, form) if single else None
        if role:
            self._sequence.append(
                Part({"self": SELF, "pronoun": "they"}.get(role, form), role, self._sentence),
            )
        if token.kind != "name" and token.lower in small_words("speaker"):
            self._add_unit(SELF, "self", token.surface)
        elif not (single and token.kind == "word" and _says_little(token.lower, form)):
            unit_kind: Kind = "word" if token.kind == "stop" else token.kind
            self._add_unit(form, unit_kind, " ".join(t.surface for t in phrase), token.dates)
            self._sequence.append(Part(form, unit_kind, self._sentence))

    def _add_unit(self, form: str, kind: Kind, surface: str, dates: tuple[str, ...] = ()) -> None:
        self._units.append(Unit(form, kind, self._sentence, self._clause, surface, dates, self._link))
        self._link = ""


def _whom(sentence: Sequence[Token], at: int) -> str:
    """Whom a token speaks of: the user, somebody near the user, a name, or nobody."""
    token = sentence[at]
    if token.lower in small_words("speaker"):
        owned = token.lower in ("my", "our") or token.owner
        return KIN if owned and any(stem(t.lower) in kin() for t in sentence[at + 1 : at + 4]) else SELF
    return token.lower if token.kind == "name" else ""


def _phrase(sentence: Sequence[Token], at: int) -> tuple[int, str]:
    """The longest phrase that begins here, as its length and form."""
    stems: list[str] = []
    size, form = 1, _single_form(sentence, at)
    for token in sentence[at : at + _LONGEST_PHRASE]:
        if token.kind != "word":
            break
        stems.append(stem(token.lower))
        if len(stems) > 1 and tuple(stems) in phrases():
            size, form = len(stems), phrases()[tuple(stems)]
    return size, form


def _single_form(sentence: Sequence[Token], at: int) -> str:
    """The form of one token by itself."""
    token = sentence[at]
    if token.kind in ("number", "date", "time"):
        return token.lower
    if token.kind == "name":
        return stem(token.lower)
    form = word_form(token.lower)
    counting = any(t.kind in ("number", "time") for t in sentence[at + 1 : at + 4])
    return form if counting or form not in _BEFORE_NUMBERS else stem(token.lower)


def _small_role(token: Token, form: str) -> Role | None:
    """What a small word does in a sequence; nothing for articles and for words that are units."""
    if token.kind != "word":
        return None
    if token.lower in small_words("speaker"):
        return "self"
    if token.lower in _OTHERS:
        return "pronoun"
    if token.lower in _TENSES:
        return "tense"
    if form in _ONLY_MARKS or token.lower in _MODALS:
        return "mark"
    return "link" if token.lower in _TELLING_LINKS else None


def _says_little(lower: str, form: str) -> bool:
    """Whether a word is no unit: a pronoun, grammar, or a mark alone."""
    grammar = lower in small_words("pronouns") or lower in small_words("grammar")
    return form in _ONLY_MARKS or (grammar and form not in _BEFORE_NUMBERS)
