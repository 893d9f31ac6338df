"""What is read from a conversation without a model: its rounds, its day, its gist, and what it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memtriage.core.episode import Session, Turn
from memtriage.systems.designs.rules import extraction, statements
from memtriage.systems.designs.rules.dates import day
from memtriage.systems.designs.rules.keyphrases import Keyphrases
from memtriage.systems.designs.turns import by_user, spoken, turns_by_round
from memtriage.text.sentences import sentences
from memtriage.text.words import stem, words

_LONGEST = 60
"""A sentence with more content words than this is no summary of anything."""

_MOST_PHRASES = 64
_SUBJECTS = 6
_PHRASES = Keyphrases()


@dataclass(frozen=True, slots=True)
class Round:
    """A turn of the user and the replies to it, up to the user's next turn."""

    text: str
    turns: tuple[Turn, ...]

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(turn.id for turn in self.turns)


def rounds(session: Session) -> list[Round]:
    """The rounds of a session, in order; turns without text belong to none.

    >>> turns = [Turn("user", "Hi.", "0"), Turn("assistant", "Hello!", "1"), Turn("user", "Bye.", "2")]
    >>> [each.text for each in rounds(Session("s", tuple(turns)))]
    ['user: Hi.\\nassistant: Hello!', 'Bye.']
    """
    return [Round(replace(session, turns=turns).text, turns) for turns in turns_by_round(session)]


def whole_session(session: Session) -> list[Round]:
    """A whole session as one round; empty if nobody says anything."""
    turns = spoken(session)
    return [Round(replace(session, turns=turns).text, turns)] if turns else []


def day_number(timestamp: str | None) -> int | None:
    """A day as a number, so that the difference of two is the days between them; None where none is named.

    >>> day_number("2023/05/30 (Tue) 23:40") - day_number("2023-05-20T08:00")
    10
    """
    found = day(timestamp)
    return None if found is None else found.toordinal()


def latest(*days: int | None) -> int | None:
    """The last of several days, of which some may be unknown."""
    return max((day for day in days if day is not None), default=None)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and the turn that said it."""

    text: str
    turn: str


# The same sessions stand in the histories of many questions, each with a store of its own.
@lru_cache(maxsize=1 << 15)
def gist(turns: tuple[Turn, ...], most: int) -> tuple[Sentence, ...]:
    """The sentences that hold most of what the turns keep coming back to, at most so many, in the order said.

    One of the assistant's counts for half, a question for a quarter.
    """
    stated = [(turn, text, frozenset(words(text).stems)) for turn in turns for text in sentences(turn.text)]
    often = Counter(word for _, _, stems in stated for word in stems)
    ranked = sorted(range(len(stated)), key=lambda n: -_weight(*stated[n], often))
    return tuple(Sentence(stated[n][1], stated[n][0].id) for n in sorted(ranked[:most]))


def _weight(turn: Turn, text: str, stems: frozenset[str], often: Counter[str]) -> float:
    if not stems or len(stems) > _LONGEST:
        return -1.0
    asking = text.rstrip().endswith("?")
    return statements.weight(stems, often) / (4 if asking else 1) / (2 if turn.role == "assistant" else 1)


def self_statements(turns: Sequence[Turn]) -> list[Sentence]:
    """What people state about themselves."""
    user_turns = (turn for turn in turns if by_user(turn))
    return [Sentence(fact, turn.id) for turn in user_turns for fact in statements.facts(turn.text)]


@lru_cache(maxsize=1 << 13)
def subjects(turns: tuple[Turn, ...]) -> tuple[str, ...]:
    """What people speak of in a session, as a few noun-like phrases; the assistant's only if nobody else speaks."""
    people = [turn for turn in turns if by_user(turn)]
    return _PHRASES.of("\n".join(turn.text for turn in people or turns), _SUBJECTS)


@lru_cache(maxsize=1 << 13)
def people_statements(turns: tuple[Turn, ...]) -> tuple[Sentence, ...]:
    """What people state, of themselves and of those they name; what the assistant says is not among it."""
    return tuple(_stated(Session("", tuple(turn for turn in turns if by_user(turn)))))


def _stated(session: Session) -> Iterator[Sentence]:
    for sentence in extraction.named_sentences(session):
        if extraction.first_person(sentence.text):
            yield from (Sentence(fact, sentence.turn) for fact in statements.facts(sentence.text))
        elif sentence.names and not sentence.text.rstrip().endswith("?"):
            yield Sentence(sentence.text, sentence.turn)


@lru_cache(maxsize=1 << 14)
def topics(text: str) -> frozenset[str]:
    """The words of a text's noun-like phrases, as stems.

    >>> sorted(topics("How many kayaks did I buy for the lake house?"))
    ['buy', 'hous', 'kayak', 'lake']
    """
    return frozenset(stem(word) for phrase in _PHRASES.of(text, _MOST_PHRASES) for word in phrase.split())
