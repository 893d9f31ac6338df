"""What a chat must not say beside a question's evidence, or it would answer the question, or cast doubt on it.

Two proofs, neither of which needs the other. By topic: chats that tell of the user carry keys for what they tell of,
and none may be a key of the question's. By words: no sentence holds a phrase that the answer rests on together with a
word of what is asked about, and none holds what the history must not tell at all.

>>> from memtriage.suites.longmemeval.question import Chat, Message
>>> from memtriage.suites.longmemeval.outline import Outline, Statement
>>> statement = Statement("owned/pet", "Our parrot is called Biscuit.", ("Biscuit",), frozenset({"owned/pet#name"}))
>>> gold = Gold.of(Outline("q", "single-session-user", "What is my parrot called?", "Biscuit", (statement,)))
>>> def index(text, *keys): return ChatIndex.of(Chat("c", (Message("user", text),)), frozenset(keys))
>>> gold.conflict(index("I eat a biscuit. A parrot flies by.")), gold.conflict(index("Parrots like a biscuit."))
(None, 'words')
>>> gold.conflict(index("Hello.", "owned/pet"))
'topic'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Literal

from memtriage.suites.longmemeval.outline import Outline
from memtriage.suites.longmemeval.question import Chat, Question
from memtriage.text.language import Language, spoken
from memtriage.text.sentences import sentences
from memtriage.text.words import vague_stems, words_in

Conflict = Literal["topic", "words"]

_WORD = re.compile(r"[^\W_]+")
_NO_ANSWER_PHRASE = ("single-session-preference",)
"""Types whose answers are never said in a chat: they describe what a good answer is like."""

_LONG = 7
"""A phrase with more content words than this is a text: it counts as said where that many of them stand together."""

_QUESTION_WORDS = frozenset(
    """how many much long often old far which where why who when what last first next past recent recently ago current
    currently now today yesterday total together more most less day week month year hour minute date did get got go went
    take took make made do come came give gave tell told say said mention talk remind remember know think want need try
    use used name call different new before after between earlier later previous previously conversation chat discuss
    i'm please could suggest recommend any all one taken pass passed through people head front""".split()
)
"""Words that questions have in common, whatever they are about; so are numbers."""


@dataclass(slots=True)
class ChatIndex:
    """A chat as it is compared with questions: its content words, and the keys of what it tells of the user."""

    chat: Chat
    keys: frozenset[str]
    stems: frozenset[str]
    _sentences: tuple[frozenset[str], ...] | None = None

    @classmethod
    def of(cls, chat: Chat, keys: Iterable[str] = ()) -> ChatIndex:
        """A chat, looked at once."""
        return cls(chat, frozenset(keys), stems_of(" ".join(message.text for message in chat.messages)))

    def sentences(self) -> tuple[frozenset[str], ...]:
        """The words of each of its sentences; worked out when they are first asked for, which they seldom are."""
        if self._sentences is None:
            self._sentences = tuple(_of_sentence(one) for m in self.chat.messages for one in sentences(m.text))
        return self._sentences

    def holds(self, phrase: frozenset[str], subject: frozenset[str] | None) -> bool:
        """Whether one of its sentences holds a whole phrase, together with a word of the subject if there is one."""
        if not phrase <= self.stems or (subject is not None and subject.isdisjoint(self.stems)):
            return False  # saves cutting most chats into sentences
        return any(phrase <= stems and (subject is None or not subject.isdisjoint(stems)) for stems in self.sentences())


@dataclass(frozen=True, slots=True)
class Gold:
    """What nothing else in a question's history may tell of, or say."""

    keys: frozenset[str]
    phrases: tuple[frozenset[str], ...]
    subject: frozenset[str]
    untold: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, outline: Outline) -> Gold:
        """What the other chats of a question are compared with."""
        texts = list(_phrases(outline))
        return cls(
            keys=outline.keys,
            phrases=tuple(dict.fromkeys(phrase for text in texts for phrase in _parts(text))),
            subject=subject_of(outline.text),
            untold=tuple(dict.fromkeys(stems for text in outline.untold if (stems := stems_of(text)))),
        )

    @classmethod
    def of_question(cls, question: Question) -> Gold:
        """The same for a question that was read from a file, as far as it tells."""
        answered = not question.abstention and question.type not in _NO_ANSWER_PHRASE
        texts = [
            *(detail for one in question.evidence for detail in one.details),
            *([question.answer] if answered else []),
        ]
        phrases = dict.fromkeys(phrase for text in texts for phrase in _parts(text))
        return cls(frozenset(), tuple(phrases), subject_of(question.text), ())

    def conflict(self, index: ChatIndex) -> Conflict | None:
        """Why a chat may not stand in the question's history; None where it may."""
        if any(_same(own, other) for own in self.keys for other in index.keys):
            return "topic"
        if any(index.holds(phrase, self.subject - phrase or None) for phrase in self.phrases):
            return "words"
        return "words" if any(index.holds(phrase, None) for phrase in self.untold) else None


def stems_of(text: str) -> frozenset[str]:
    """The content words of a text as stems, numbers as digits.

    >>> sorted(stems_of("The three cats are sleeping"))
    ['3', 'cat', 'sleep']
    """
    return frozenset(stem for word in set(_WORD.findall(text.lower())) for stem in _stems(word))


def subject_of(question: str) -> frozenset[str]:
    """The words that say what a question is about.

    >>> sorted(subject_of("How many weeks ago did I buy the red kettle?"))
    ['buy', 'kettl', 'red']
    """
    return frozenset(stem for stem in stems_of(question) - _question_words() - vague_stems() if not stem.isdecimal())


def _phrases(outline: Outline) -> Iterator[str]:
    """The texts that the answer rests on."""
    if not outline.abstention and outline.type not in _NO_ANSWER_PHRASE:
        yield outline.answer
    for statement in outline.statements:
        yield from statement.details
        yield from statement.values


def _parts(text: str) -> Iterator[frozenset[str]]:
    """A phrase's words; of a text the words of each of its sentences, as far as they are short."""
    stems = stems_of(text) - vague_stems()
    if len(stems) <= _LONG:
        if stems:
            yield stems
        return
    for sentence in sentences(text):
        found = stems_of(sentence) - vague_stems()
        if 1 < len(found) <= _LONG:
            yield found


def _same(own: str, other: str) -> bool:
    """Whether two keys speak of the same: a bare attribute covers all of its slots."""
    if own == other:
        return True
    attribute, _, slot = own.partition("#")
    other_attribute, _, other_slot = other.partition("#")
    return attribute == other_attribute and not (slot and other_slot)


def _stems(word: str) -> tuple[str, ...]:
    return _stems_in(word, spoken())


@lru_cache(maxsize=1 << 16)
def _stems_in(word: str, language: Language | None) -> tuple[str, ...]:
    return tuple(map(intern, words_in(word, language).stems))


@lru_cache(maxsize=1)
def _question_words() -> frozenset[str]:
    # Words of other languages are read as English ones, as far as they are small.
    return frozenset(stem for word in _QUESTION_WORDS for stem in (word, *_stems_in(word, None)))


def _of_sentence(sentence: str) -> frozenset[str]:
    return _of_sentence_in(sentence, spoken())


@lru_cache(maxsize=1 << 17)
def _of_sentence_in(sentence: str, _: Language | None) -> frozenset[str]:
    """The words of a sentence; many stand in several chats, and share them."""
    return stems_of(sentence)
