"""Sentences as statements: what each of them does, told by its form.

A statement states something, declares what will be if something else changes (a rule), gives what something depends on
(a tie), reports a change, takes something back, asks to forget it, or tells a plan. Questions are kept apart: nobody
looks for what was only asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from memtriage.systems.designs.mosaic.word_lists import (
    ACKNOWLEDGEMENTS,
    BEFORE_PLACES,
    CHANGES,
    CHANGING,
    FUNCTION_WORDS,
    VERBS_OF_CHANGE,
)
from memtriage.text.sentences import sentences

Kind = Literal["state", "rule", "tie", "change", "retraction", "forget", "plan", "question"]
Whom = Literal["speaker", "others", "nobody"]
Stems = frozenset[str]
MOST_LETTERS = 600
"""A longer sentence isn't read by patterns: they take long over it and find little."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a model says of a sentence.

    `category` is a short noun for what it is one of (`hobby`), `hangs_on` are the nouns of what it depends on, and
    `changes` the places of earlier sentences that it changes: an entry's id, and the sentence's number in it.
    """

    kind: Kind
    category: str
    subject: str = ""
    value: str = ""
    date: str = ""
    hangs_on: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a turn, and what it does.

    `about` are the stems of what it speaks of; `clauses` those of each thing it hangs on, such as the condition of a
    rule and the reason of a tie. `names` are the names and numbers in it. `voids` is what a retraction or a request to
    forget is about, which may stand in the sentence before.
    """

    text: str
    kind: Kind
    stems: tuple[str, ...]
    about: Stems
    clauses: tuple[Stems, ...] = ()
    names: Stems = frozenset()
    voids: Stems = frozenset()
    news: bool = False
    """Whether it reports that something is not as it was."""
    leading: bool = True
    """Whether it is worth finding: not what is only asked or exclaimed around a fact."""
    quiet: bool = False
    """Whether it is only asked, or a model that read it found nothing in it; such things are seldom meant."""
    told: Annotation | None = None
    """What a model says of it."""
    changes: tuple[int, ...] = ()
    """The numbers of the statements that it changes, as a model says."""

    @property
    def indexed(self) -> str:
        """The text by whose meaning it is found."""
        return f"{self.told.category}: {self.text}" if self.told else self.text


Extractor = Callable[[str], list[Statement]]
"""What makes statements of a user's turn. A model can do what the rules here do."""


def statements(text: str) -> list[Statement]:
    """The statements of a user's turn, by rules of English.

    >>> [each.kind for each in statements("If my job changes, I will live in Rye. I live in Hythe, because of my job.")]
    ['rule', 'tie']
    """
    parts = sentences(text) or [text]
    asked = [any(form.search(part) for form in (_QUESTION, _REQUEST, _GREETING)) for part in parts]
    said = [stems(part) for part in parts]
    substance = [
        len(told := set(words) - ACKNOWLEDGEMENTS) > 1 or bool(told and _SELF.search(part))
        for part, words in zip(parts, said, strict=True)
    ]
    stated = any(full and not ask for full, ask in zip(substance, asked, strict=True))
    found = []
    for n, (part, words) in enumerate(zip(parts, said, strict=True)):
        leading = (substance[n] and not asked[n]) if stated else (asked[n] or len(parts) == 1)
        found.append(_typed(part, words, asked[n], leading, said[n - 1] if n else ()))
    return found


@lru_cache(maxsize=1 << 12)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's content words, in order.

    >>> stems("I'm walking my two dogs to the lake")
    ('walk', 'two', 'dog', 'lake')
    """
    words = _WORD.findall(text.lower().replace("’", "'"))
    found = [stem for word in words if (stem := _stem_of(word)) is not None]
    # "work out" is also found as "workout".
    found += [f"{one}{two}" for one, two in pairwise(words) if two in _PARTICLES and one not in FUNCTION_WORDS]
    return tuple(found)


def thing(noun: str, whose: str = "") -> str:
    """A noun that a model gave, as one stem that no word of a text has; nobody's is the speaker's own.

    >>> thing("jobs", "Ada") == thing("Ada's job"), thing("job") == "job"
    (True, False)
    """
    return "@" + " ".join(stems(f"{whose} {noun}"))


def full_names(text: str) -> list[str]:
    """Runs of two and more capitalised words, without what only begins a sentence.

    >>> full_names("Does Ava Thompson know Rye Harbour's keeper?")
    ['Ava Thompson', 'Rye Harbour']
    """
    found = []
    for run in _CAPITALS.findall(text):
        words = [word.removesuffix("'s").removesuffix("’s") for word in run.split()]
        while words and words[0].lower() in FUNCTION_WORDS:
            words.pop(0)
        if len(words) > 1:
            found.append(" ".join(words))
    return found


def names(text: str) -> list[str]:
    """What may be names in a text, in lower case: runs of capitalised words, and how a short sentence begins and ends.

    >>> names("12. The capital of Upper Tauria is Rye."), names("7. Kabaddi is played by a team of seven men.")
    (['upper tauria', 'rye'], ['kabaddi', 'seven men'])
    """
    found = [end.lower() for ends in _ENDS.findall(text) for end in ends]
    for run in _RUN.findall(text):
        words = [word.strip(".,'’").removesuffix("'s").removesuffix("’s") for word in run.split()]
        while words and words[0].lower() in FUNCTION_WORDS:
            words.pop(0)
        if words:
            found.append(" ".join(words).lower())
    return list(dict.fromkeys(found))


@lru_cache(maxsize=1 << 14)
def told_of(text: str) -> Whom:
    """Whom a text is about: who says it, somebody else, or nobody in particular.

    >>> told_of("My dog is old."), told_of("Ava walks her dog."), told_of("Dogs need walks.")
    ('speaker', 'others', 'nobody')
    """
    if _SELF.search(text):
        return "speaker"
    return "others" if tells_of_others(text) else "nobody"


def tells_of_others(text: str) -> bool:
    """Whether a text speaks of a him or a her, whoever else is in it."""
    return _OTHERS.search(text) is not None


@lru_cache(maxsize=1 << 14)
def people(text: str) -> frozenset[str]:
    """Words that a text may use as somebody's name: with a capital, and as who does, has or undergoes something.

    A word behind a preposition is rather a place or a day, and one with which a sentence begins needs a verb or an
    owner's mark behind it.

    >>> sorted(people("Ava's dog met Ben in Rye. Yesterday he barked.")), people("The job moved to Berlin in March.")
    (['Ava', 'Ben'], frozenset())
    """
    inside = {word for before, word in _INSIDE.findall(text) if before.lower() not in BEFORE_PLACES}
    found = inside.union(_OPENER.findall(text))
    return frozenset(word for word in found if word.lower() not in FUNCTION_WORDS and not word.endswith("ing"))


def _typed(text: str, words: tuple[str, ...], asked: bool, leading: bool, before: tuple[str, ...]) -> Statement:
    content = frozenset(words)
    if len(text) > MOST_LETTERS:
        return Statement(text, "question" if asked else "state", words, content, leading=leading, quiet=asked)
    names = frozenset(stem for name in _NAME.findall(text) for stem in stems(name))
    if _FORGET.search(text) or _RETRACTION.search(text):
        kind: Kind = "forget" if _FORGET.search(text) else "retraction"
        return Statement(text, kind, words, content, names=names, voids=content | frozenset(before))
    if asked:
        return Statement(text, "question", words, content, names=names, leading=leading, quiet=True)
    for form in _RULES:
        if found := form.search(text):
            trigger = frozenset(stems(found["trigger"])) - VERBS_OF_CHANGE
            topic = frozenset(stems(text[: found.start()] + " " + text[found.end("trigger") :])) - VERBS_OF_CHANGE
            if trigger and topic and _OUTCOME.search(text):
                return Statement(text, "rule", words, topic, (trigger,), names)
    news = bool(_NEWS.search(text))
    condition = _CONDITION.search(text)
    clauses = _clauses(text, condition)
    if condition or (clauses and not news):
        about = frozenset(stems(text[: _cut(text, condition)])) or content
        return Statement(text, "tie", words, about, clauses, names) if clauses else _plain(text, words, names, leading)
    if news:
        return Statement(text, "change", words, content, clauses, names, news=True, leading=leading)
    return _plain(text, words, names, leading)


def _plain(text: str, words: tuple[str, ...], names: Stems, leading: bool) -> Statement:
    kind: Kind = "plan" if _PLAN.search(text) else "state"
    return Statement(text, kind, words, frozenset(words), names=names, leading=leading)


def _clauses(text: str, condition: re.Match[str] | None) -> tuple[Stems, ...]:
    """What a statement gives as its reason, part by part, and as the condition under which it will no longer hold."""
    reason = _REASON.search(text)
    parts = []
    if reason:
        end = condition.start() if condition and condition.start() > reason.end() else len(text)
        parts += _BREAK.split(text[reason.end() : end])
    if condition:
        parts.append(condition["trigger"])
    return tuple(clause for part in parts if (clause := frozenset(stems(part)) - VERBS_OF_CHANGE))


def _cut(text: str, condition: re.Match[str] | None) -> int:
    """Where a statement ends and its reason or condition begins."""
    return min(found.start() for found in (condition, _REASON.search(text)) if found)


@lru_cache(maxsize=1 << 16)
def _stem_of(word: str) -> str | None:
    return None if word in FUNCTION_WORDS else str(_stemmer().stemWord(word.removesuffix("'s")))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english", 0)


_WORD = re.compile(r"[a-z0-9][a-z0-9'\-./:#@_]*[a-z0-9]|[^\W_]+")
_PARTICLES = frozenset(("out", "up", "off", "down", "over", "back"))
_QUESTION = re.compile(r"\?[\"'”’)]*\s*$")
_REQUEST = re.compile(
    r"""
    ^\W*(?: please\ (?:explain|tell|show|give|describe) | (?:could|can|would|will)\ you | tell\ me | explain | let['’]s
          | let\ me\ ask | i(?:['’]d|\ would)\ like\ to\ (?:ask|know) | before\ i\ go | something\ else
          | on\ (?:a\ different|another)\ (?:subject|topic|note) )\b
    | \b(?: a\ question\ (?:on|about) | like\ to\ ask | same\ for\b.*\bplease | change\ the\ topic )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_GREETING = re.compile(
    r"""
    ^\W*(?: (?:hi|hello|hey|good\ (?:morning|afternoon|evening))\b (?:\W+(?:there|again|all|everyone|me\ again))*
          | (?:(?:hi|hello|hey)\W+)? (?:a\ )?quick\ question
          | i\ have\ (?:a|another|one\ more|some|a\ few)\ (?:quick\ )?questions?
          | (?:[\w'’ ]{0,30},\ )? (?:good)?bye (?:\ for\ now)?
          | that(?:['’]s|\ is|\ was)\ (?:all|everything|it)\ for\ (?:now|today) (?:\W+(?:thanks|thank\ you))?
          | (?:that\ covers\ it|nothing\ else\ (?:for|right)\ now|all\ done\ for\ (?:now|today))
            (?:\W+(?:thanks|thank\ you))?
          | i\ (?:have\ to|should|must|need\ to)\ go (?:\ now)?
          | (?:see\ you|until|talk\ to\ you)\ (?:later|soon|next\ time|tomorrow)
    )\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""How people come and go; it tells nothing about them."""
_SELF = re.compile(r"\b(?:i|my|me|we|our|us)\b", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:he|she|his|her|hers|him)\b", re.IGNORECASE)
_INSIDE = re.compile(r"(\w+)[,;]? (?=([A-Z][a-z]+))")
_OPENER = re.compile(r"(?:^|(?<=[.!?] ))([A-Z][a-z]+)(?=['’]s\b|\s+(?:has|is|was|had|[a-z]+s)\b)")
_CAPITALS = re.compile(r"\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)+")
_ENDS = re.compile(
    r"^(?:\d+[.)]\s+)?(?:The\s+)?((?:\S+\s){0,3}?\S+)\s(?:is|was|are|were)\s.*?\b(?:of|by|is|in|to|with)\s"
    r"((?:(?!(?:of|by|is|in|to|with)\b)\S+\s){0,3}?\S+?)[.!]?$"
)
_RUN = re.compile(r"\b[A-Z][\w'’.&-]*(?: (?:(?:of|the|de|von|and) )?[A-Z][\w'’.&-]*)*")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b(?:[A-Z][\w'’-]*|\d[\w.:-]*)|(?<=[\"“]).+?(?=[\"”])")

_IF = r"\b(?:if|once|as soon as|in case|in the event(?: that)?|should|when(?:ever)?|the (?:moment|day))\b"
_CHANGES_SO = rf"(?P<trigger>[^,;.]*?\b(?:{CHANGING})\b[^,;.]*)"
_OPENING = r"^\W*(?:[\w ]+[,:]\s+)?"
_CONDITION = re.compile(rf"{_IF}\s+{_CHANGES_SO}", re.IGNORECASE)
_RULES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_OPENING}{_IF}\s+{_CHANGES_SO}[,;]",
        rf"{_OPENING}(?:under|with|given) (?:an?|any|some)?\s*(?:other|different|new|another) (?P<trigger>[^,;.]+)[,;]",
        r"^\W*(?:a|any) (?:other|different|new) (?P<trigger>[^,;.]+?) (?=would|will|means)",
        r"\bfor (?:the|when the) (?:time|days?|next)\b(?: after)? ?"
        r"(?P<trigger>[^,;.:]+(?:, the one after [^,;.:]+)?)[,:;]?",
    )
)
_OUTCOME = re.compile(
    r"\b(?:will|would|shall|becomes?|switch(?:es)?|is to|am to|are to|means?|lined up|set as|in line)\b", re.IGNORECASE
)
_REASON = re.compile(
    r"""
    \b(?: because(?:\ of)? | depend(?:s|ing)?\ on | on\ account\ of | owing\ to | due\ to | thanks\ to | in\ view\ of
        | for\ (?:the\ sake|lack)\ of | goes\ with | the\ reason\ is | so\ as\ not\ to | measured | assigned\ it
        | (?:determined|set|decided|assigned|chosen|laid\ down|dictated|required)\ (?:by|with|for)
        | to\ (?:fit|suit|match|leave\ room\ for) | since\ (?:it|my|our|the|that) )\b
    | ,\s+(?:and\ )?(?:only\ )?(?:since|as|which|that|for)\b
    | \s[—–]\s
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BREAK = re.compile(r"[(),;]")
_NEWS = re.compile(rf"\b(?:{CHANGES})\b", re.IGNORECASE)
_PLAN = re.compile(
    r"\b(?:i|we)(?:'m|’m| am|'re|’re| are)? (?:going to|planning|plan to|hope to|intend|will|'ll)\b|\bi'll\b",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"""
    \b(?: forget | delete | remove | erase | strike | scrap | discard | wipe | drop | clear
        | (?:don['’]t|do\ not)\ (?:keep|remember|store) )\b
    [^.?!]*
    \b(?: that | this | it | them | those | memory | notes? | record | any\ longer | any\ more | what\ i )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RETRACTION = re.compile(
    r"""
    \b(?: i\ (?:was\ wrong|take\ (?:that|it)\ back|misspoke|made\ that\ up)
        | that(?:['’]s|\ is|\ was)\ (?:not\ true|wrong|a\ mistake)
        | scratch\ that | never\ mind\ what\ i\ said | (?:is|was)\ not\ true )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
