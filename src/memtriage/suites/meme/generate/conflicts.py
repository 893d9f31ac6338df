"""What a filler chat must not say in an episode: no value of it, no name out of a value, no news about its entities.

>>> from memtriage.suites.meme.skeleton import Skeleton, Statement
>>> statement = Statement("vehicle", "Morvane Coupe", "fact", "I drive a Morvane Coupe")
>>> gold = GoldWords.of(Skeleton("e", "personal-life", "vehicle", ("", ""), (), ((statement,),), ()))
>>> [gold.conflict((("user", text),)) for text in ("I drive an old van.", "A morvane coupe!", "Ask Morvane.", "Hi.")]
['A', 'B', 'C', None]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from memtriage.suites.kit.filler.chats import Talk
from memtriage.suites.kit.filler.topics import common_words
from memtriage.suites.meme.skeleton import Skeleton, Statement
from memtriage.text.words import stem

Conflict = Literal["A", "B", "C"]
"""A contradicts: it says something about what the episode tells. B offers an alternative: it holds a value or the name
of an entity of the episode. C confuses: it holds a name that a value of the episode holds too."""

_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][^\W_]+")
_ARTICLES = frozenset("a an the my our your some".split())
_PERSONS = frozenset("i we my our".split())
_LIGHT = frozenset("have ve had am m is are was s re got do need want like use go know think will to at in".split())
"""Words that don't tell one statement from another: `I have` may lead to anything."""
_NULLS = frozenset("none no nothing deleted unknown uncertain".split())
_SMALL = frozenset("the and for with from not per via our any all new old one two".split())
_TEXT_FROM = 9
"""A value of this many words is a text: its runs of words are looked for, not its names."""
_RUN = 5
_FRAME = 4


@dataclass(frozen=True, slots=True)
class GoldWords:
    """The words of an episode that nothing else in it may say."""

    values: tuple[str, ...]
    names: frozenset[str]
    capitals: frozenset[str]
    by_user: re.Pattern[str]
    by_assistant: re.Pattern[str]

    @classmethod
    @lru_cache(maxsize=8)  # asked for once for the fillers of an episode and once for its chats
    def of(cls, skeleton: Skeleton) -> GoldWords:
        """The words of this episode."""
        values = list(_values(skeleton))
        short = [value for value in values if len(_WORD.findall(value)) < _TEXT_FROM]
        phrases = sorted({entity.replace("_", " ") for entity in _entities(skeleton)})
        many = [phrase for phrase in phrases if " " in phrase]
        wanted = [run for value in [*values, *many] for run in _runs(_stems(value))]
        found = [word for value in short for word in _WORD.findall(value) if _may_name(word)]
        return cls(
            values=tuple(dict.fromkeys(wanted)),
            names=frozenset(word.lower() for word in found if word.lower() not in common_words()),
            capitals=frozenset(word for word in found if word[0].isupper()),
            by_user=_any_of([*_possessives("my|our", phrases), *_frames(skeleton.statements())]),
            by_assistant=_any_of(_possessives("your", phrases)),
        )

    def conflict(self, talk: Talk) -> Conflict | None:
        """The kind of conflict that keeps a talk out of the episode, if any."""
        forms = _forms(talk)
        if self.by_user.search(forms.user) or self.by_assistant.search(forms.assistant):
            return "A"
        if any(value in forms.stems for value in self.values):
            return "B"
        return None if self.names.isdisjoint(forms.words) and self.capitals.isdisjoint(forms.names) else "C"

    def stands_alone(self, value: str) -> bool:
        """Whether a value of the episode holds no other value of it."""
        return sum(other in _stems(value) for other in self.values) == 1

    def allows(self, text: str) -> bool:
        """Whether a sentence may stand beside the episode's statements: it names no value and no name out of one."""
        return self.conflict((("", text),)) is None


@dataclass(frozen=True, slots=True)
class _Forms:
    stems: str
    words: frozenset[str]
    names: frozenset[str]
    user: str
    assistant: str


@lru_cache(maxsize=1 << 13)
def _forms(talk: Talk) -> _Forms:
    """The forms in which a talk is searched; cached, since the same fillers come back in many episodes."""
    text = "\n".join(each for _, each in talk)
    words = frozenset(_WORD.findall(text.lower()))
    by = {role: _spaced(each for speaker, each in talk if speaker == role) for role in ("user", "assistant")}
    return _Forms(_stems(text), words, frozenset(_NAME.findall(text)), by["user"], by["assistant"])


def _spaced(texts: Iterable[str]) -> str:
    return " ".join(_WORD.findall(" . ".join(texts).lower().replace("’", "'")))


def _stems(text: str) -> str:
    """The stems of a text, each between blanks, so that a run of them can be found as a substring."""
    return f" {' '.join(map(stem, _WORD.findall(text.lower())))} "


def _runs(stems: str) -> Iterator[str]:
    """A value's stems; of a text, every run of a few words."""
    words = stems.split()
    if len(words) < _TEXT_FROM:
        yield stems
        return
    for start in range(len(words) - _RUN + 1):
        yield f" {' '.join(words[start : start + _RUN])} "


def _values(skeleton: Skeleton) -> Iterator[str]:
    stated = [statement.value for statement in skeleton.statements()]
    asked = [value for question in skeleton.questions for value in (*question.values, question.before)]
    for value in dict.fromkeys((*stated, *skeleton.change, *asked)):
        words = _WORD.findall(value.lower())
        if words and (len(words) > 1 or words[0] not in _NULLS):
            yield value


def _entities(skeleton: Skeleton) -> set[str]:
    return {*skeleton.entities, *(statement.entity for statement in skeleton.statements())} - {""}


def _may_name(word: str) -> bool:
    return len(word) > 2 and word.isalpha() and word.lower() not in _SMALL


def _possessives(owners: str, phrases: Sequence[str]) -> Iterator[str]:
    """`my X is` and the like, for the entities of the episode."""
    if phrases:
        entities = "|".join(map(re.escape, phrases))
        yield rf"(?:{owners}) (?:\w+ )?(?:{entities})s? (?:s|is|are|was|were|will|has|had|changed|called|named)"


def _frames(statements: Iterable[Statement]) -> Iterator[str]:
    """What stood before a value when it was told: `I drive a`, `our build tool is`."""
    for statement in statements:
        head, found, _ = statement.text.partition(statement.value)
        words = _spaced([head]).split()[-_FRAME:] if found and statement.kind != "exact" else []
        while words and words[-1] in _ARTICLES:
            words.pop()
        if not _PERSONS.isdisjoint(words) and set(words) - _PERSONS - _LIGHT:
            yield re.escape(" ".join(words))


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    joined = "|".join(dict.fromkeys(patterns))
    return re.compile(rf"\b(?:{joined})\b" if joined else r"(?!)")
