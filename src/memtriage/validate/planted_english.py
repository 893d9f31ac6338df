"""A little English grammar for planted memories: who a sentence is about, its verb, and the same in the third person.

The rules are careful rather than complete: where one can't be sure of its result, it gives None, and the sentence is
left as it was said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from memtriage.suites.kit import words as data
from memtriage.text.words import words

USER = "The user"
"""What a speaker is called in the third person."""

_LIST_NUMBER = re.compile(r"^\d+\.\s+")
_ROLE = re.compile(r"^(?:User|Assistant|System|Speaker|Seeker|Recommender): ")
_QUOTED = re.compile(r"(\"[^\"]*\"|“[^”]*”)")
_FIRST = re.compile(r"\b(I|me|my|mine|myself|we|us|our|ours|ourselves)\b(?!-)", re.IGNORECASE)
_YOU = re.compile(r"\b(you|your|yours)\b", re.IGNORECASE)
_TOLD = re.compile(r"\b(to|told|tell|ask|asked|thank) you\b")
_AUXILIARIES = frozenset(
    "am is are was were have has had do does did will would can could shall should may might must".split()
)
_MODALS = frozenset("will would can could shall should may might must had did".split())


@cache
def _words(key: str) -> tuple[str, ...]:
    return data.lists("memtriage.validate", "english")[key]


@cache
def table(key: str) -> dict[str, str]:
    """A table of words and what they become."""
    return {row[0]: row[1] for row in (line.split(" | ") for line in _words(key))}


def word_list(key: str) -> tuple[str, ...]:
    """A list of words."""
    return _words(key)


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def uncapital(text: str, names: tuple[str, ...] = ()) -> str:
    """The text with a small first letter, unless it begins with a name, an abbreviation or `I`."""
    first = re.split(r"[\s']", text, maxsplit=1)[0]
    if first == "A":
        return text[:1].lower() + text[1:]
    if first == "I" or not first[1:].islower() or any(first in name.split() for name in names):
        return text
    return text[:1].lower() + text[1:]


def continued(text: str) -> str:
    """The text with a small first letter if it begins with one of the small words that no name begins with."""
    return text[:1].lower() + text[1:] if text.partition(" ")[0].lower().rstrip(",") in word_list("small") else text


def bare(sentence: str, subject: str = "", details: tuple[str, ...] = ()) -> str:
    """A sentence without a chat's opener, a list's number, a speaker's role, or a lead-in to its subject.

    A lead-in that has words of the details is no mere lead-in, and stays.

    >>> bare("By the way, I got a cat.")
    'I got a cat.'
    >>> bare("Everyone knows that Ada keeps bees.", "Ada")
    'Ada keeps bees.'
    """
    text = _ROLE.sub("", _LIST_NUMBER.sub("", sentence.strip().replace("’", "'")))
    for opener in word_list("openers"):
        if text.lower().startswith(opener.lower() + " "):
            text = text[len(opener) + 1 :]
            break
    if subject:
        lead = re.match(rf"[^,;]*?(?:\bthat|:) (?=(?:only |just )?{re.escape(subject)}\b)", text)
        wanted = {stem for detail in details for stem in words(detail).stems}
        if lead and wanted.isdisjoint(words(lead[0]).stems) and not lead[0].startswith("It "):
            text = text[lead.end() :]
    return capital(text)


def named(sentence: str, subject: str) -> str:
    """The sentence with its subject's name in place of the first `she` or `he`, if the name is missing.

    >>> named("Of all trees she loves the oak.", "Ada Byron")
    'Of all trees Ada Byron loves the oak.'
    """
    if not subject or any(
        re.search(rf"\b{re.escape(part)}\b", sentence) for part in subject.split() if part[0].isupper()
    ):
        return sentence
    found = re.search(r"\b(she|he)\b(?!')", sentence, re.IGNORECASE)
    if found and sentence[: found.start()].count(",") == 0:
        return sentence[: found.start()] + subject + sentence[found.end() :]
    return f"{subject}: {uncapital(sentence)}"


def is_first_person(text: str) -> bool:
    """Whether a text speaks of `I` or `we`, outside quotations."""
    return any(_FIRST.search(part) for part in _QUOTED.split(text)[::2])


def third_person(text: str) -> str | None:
    """What a speaker says of themselves, said of the user; None if the rules can't tell how.

    >>> third_person("I keep my bees on the roof, and I'm proud of them.")
    "The user keeps their bees on the roof, and they're proud of them."
    >>> third_person("When I hum I think of you.")
    """
    if text.startswith("Please "):
        return None
    speaker = _Speaker()
    parts = _QUOTED.split(text)
    for n in range(0, len(parts), 2):
        spoken = speaker.retold(parts[n])
        if spoken is None:
            return None
        parts[n] = spoken
    return capital("".join(parts))


class _Speaker:
    """Retells parts of a text: the speaker is `the user` the first time, and `they` from then on."""

    def __init__(self) -> None:
        self._known = False

    def retold(self, text: str) -> str | None:
        text = _TOLD.sub(r"\1 the assistant", text)
        if _YOU.search(text):
            return None
        done: list[str] = []
        rest = text
        while found := _FIRST.search(rest):
            before, pronoun, after = rest[: found.start()], found[0], rest[found.end() :]
            said = self._replaced(before, pronoun.lower(), after)
            if said is None:
                return None
            done += [before, said[0]]
            rest = said[1]
        return "".join([*done, rest])

    def _replaced(self, before: str, pronoun: str, after: str) -> tuple[str, str] | None:
        """What takes the place of a pronoun, and the text after it."""
        first, self._known = not self._known, True
        match pronoun:
            case "i" | "we":
                return self._subject(before, pronoun, after, first)
            case "my" | "our":
                return "the user's" if first else "their", after
            case "me":
                return "the user" if first else "them", after
            case "us":
                return "the user and others" if first else "them", after
            case "mine" | "ours":
                return "the user's" if first else "theirs", after
        return "themselves", after

    def _subject(self, before: str, pronoun: str, after: str, first: bool) -> tuple[str, str] | None:
        asked = before.split()[-1].lower() if before.split() else ""
        if asked in _AUXILIARIES and not before.rstrip().endswith(","):
            return ("the user" if first else "they", after) if asked in _MODALS else None
        if not first:
            return "they", re.sub(r"^'m\b", "'re", re.sub(r"^((?:\s+\w+ly)?\s+)am\b", r"\1are", _were(after)))
        if pronoun == "we":
            return "the user and others", _SHORT.sub(lambda m: _LONG[m[0]], after)
        found = _VERB.match(after)
        if not found:
            return None
        if found["short"]:
            word = {"'m": " is", "'ve": " has", "'ll": " will", "'d": " would"}.get(found["short"])
            likely = found["short"] != "'d" or found["verb"] in ("like", "rather", "love", "prefer", "say", "choose")
            return ("the user", word + after[found.end("short") :]) if word and likely else None
        verb = conjugated(found["verb"]) if found["verb"] else None
        if verb is None:
            return None
        if verb != found["verb"] and re.search(rf" (?:and|or|but|then) (?:{'|'.join(word_list('verbs'))})\b", after):
            return None  # a second verb with the same subject would have to change too
        return "the user", after[: found.start("verb")] + verb + after[found.end("verb") :]


_SHORT = re.compile(r"^'(?:re|ve|ll|d)\b")
_LONG = {"'re": " are", "'ve": " have", "'ll": " will", "'d": " would"}
_ADVERBS = "|".join(word_list("adverbs"))
_VERB = re.compile(rf"(?P<short>'m|'ve|'d|'ll)?(?:\s+(?:{_ADVERBS}|\w+ly))*(?:\s+(?P<verb>[a-z]+(?:n't)?))?\b")


def _were(after: str) -> str:
    return re.sub(r"^((?:\s+\w+ly)?\s+)was\b", r"\1were", after)


def conjugated(verb: str) -> str | None:
    """The form of a verb after `she`, from the form after `I`; None for forms that could be either tense.

    >>> conjugated("carry"), conjugated("went"), conjugated("don't"), conjugated("put")
    ('carries', 'went', "doesn't", None)
    """
    known = {"am": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't", "go": "goes"}
    if verb in known:
        return known[verb]
    if verb in word_list("alike"):
        return None
    if verb in _AUXILIARIES or re.search(r"n't$|[^e]ed$", verb) or verb in table("past") or verb == "used":
        return verb
    if verb in ("and", "or", "who", "too", "myself", "think"):
        return "thinks" if verb == "think" else None
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence in two parts: whom or what it is about, and the rest, which begins with the verb."""

    subject: str
    predicate: str


def statement(sentence: str, names: tuple[str, ...]) -> Statement | None:
    """The two parts of a sentence in the third person that begins with the user or one of these names.

    >>> statement("The user keeps bees.", ())
    Statement(subject='User', predicate='keeps bees')
    """
    text = sentence.rstrip().rstrip(".!")
    for name in (USER, *sorted(names, key=len, reverse=True)):
        if name and text.startswith(name + " "):
            rest = text[len(name) + 1 :]
            first = rest.split(" ", 1)[0]
            if first.isalpha() and first.islower() and first not in ("and", "or", "of", "in", "s", "which", "who"):
                return Statement("User" if name == USER else name, rest)
    return None
