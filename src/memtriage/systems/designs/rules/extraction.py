"""Extraction without a model: sentences, names, keywords, relations and times, found by simple rules of English.

It has no understanding of a text; it is there to try the store and retrieve steps of a design for free.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from memtriage.core.episode import Session
from memtriage.text.sentences import sentences
from memtriage.text.words import tokens, words

SPEAKER = "user"
"""The entity that says I."""

_WORD = re.compile(r"[^\W\d_]+(?:['’\-.][^\W\d_]+)*")
_NAME = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|St)\.\s+)?[A-Z][^\W\d_]*(?:['’\-][A-Z][^\W\d_]+)*"
    r"(?:\s+(?:(?:de|van|von|of the)\s+)?[A-Z][^\W\d_]*){0,5}"
)
_PLACED = re.compile(r"\b(?:in|at|from|near|beyond|outside|inside|to|on|around|behind)\s+(?:the\s+)?$", re.IGNORECASE)
_PRONOUN = re.compile(
    r"^(?P<they>they|their)\b(?!['’]) | \b(?P<owner>his|her)\b(?=\s+[^\W\d_]) | \b(?P<plain>he|she|him|her)\b(?!['’])",
    re.IGNORECASE | re.VERBOSE,
)
_CAUSE = re.compile(
    r"^(?:when|once|whenever|if|after|as soon as|every time|each time|on|thanks to)"
    r"\s+(?P<from>[^,]{3,}),\s+(?P<to>.{3,})$",
    re.IGNORECASE,
)
_LINKING = re.compile(
    r"\s+(?P<verb>is|are|was|were|am|has|have|had|likes?|loves?|hates?|keeps?|prefers?|lives?|works?|owns?|plays?|wants?"
    r"|makes?|leads?|gets?|sends?|pushes|turns?|puts?|needs?|will|would|can|could|must|never|always|often|only|still"
    r"|goes|went|moved|bought|started|stopped|took|met|said|enjoys?|visits?|visited|uses?|used|eats?|drinks?)\s+",
    re.IGNORECASE,
)
_ENDS_A_PHRASE = re.compile(
    r"[,;:.!?()—–]|\s(?:only|when|whenever|because|if|while|after|before|until|unless|which|who|and|but|so)\s"
)
_TIME = re.compile(
    r"""\b\d{4}-\d{2}-\d{2}\b
      | \b(?:on\s+|in\s+|last\s+|next\s+|every\s+|this\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b
      | \b(?:in\s+|last\s+|next\s+|every\s+)?(?:\d{1,2}\s+)?(?:january|february|march|april|june|july|august|september
            |october|november|december)(?:\s+\d{1,2})?(?:,?\s+\d{4})?\b
      | \b(?:yesterday|today|tomorrow|tonight|last\s+(?:week|month|year|night)|next\s+(?:week|month|year))\b
      | \b(?:at\s+)?\d{1,2}(?::\d{2})?\s?(?:am|pm|o'clock)\b | \bin\s+\d{4}\b""",
    re.IGNORECASE | re.VERBOSE,
)
_WORDS = files(__package__) / "words"
_NO_NAMES = frozenset((_WORDS / "not_names.txt").read_text(encoding="utf-8").split())
_AFTER_A_NAME = frozenset((_WORDS / "after_a_name.txt").read_text(encoding="utf-8").split())
_BEFORE_A_VERB = frozenset("still rarely never always often only also now will would can could must may might".split())
_FIRST_PERSON = frozenset("i i'm i've i'd i'll me my mine myself we our us".split())


@dataclass(frozen=True, slots=True)
class NamedSentence:
    """One sentence of a session: with the name for an opening pronoun, its turn, and the names in it."""

    text: str
    turn: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Triple:
    """A sentence taken apart: who or what, how related, to what."""

    subject: str
    relation: str
    object: str


def named_sentences(session: Session) -> list[NamedSentence]:
    """The sentences of a session, each able to stand alone as far as rules can make it.

    A sentence that doesn't name whom its turn speaks of most gets that name for its first pronoun; where it has no
    pronoun, names nobody and isn't about the speaker, the name goes in front.
    """
    found = []
    for turn in session.turns:
        known = names(turn.text)
        by_word = _by_word(known)
        spoken = Counter(_bare_words(turn.text))
        main_name = _main_name(turn.text, known, spoken)
        often = _count(main_name, spoken) > 1
        for sentence in sentences(turn.text):
            text = _standing_alone(sentence, main_name, by_word, often)
            found.append(NamedSentence(text, turn.id, _mentioned(text, by_word)))
    return found


def names(text: str) -> tuple[str, ...]:
    """Capitalised names, each once, in order; a word that merely opens a sentence has to show that it is one.

    >>> names("Strange as it sounds, Sabra met Marcus Lee. Marcus waved.")
    ('Sabra', 'Marcus Lee')
    """
    certain: list[str] = []
    opening: list[tuple[str, str]] = []
    for sentence in sentences(text):
        begins = len(sentence) - len(sentence.lstrip("\"'“‘(*_ "))
        for match in _NAME.finditer(sentence):
            name = _without_openers(match[0])
            first = match.start() <= begins and match[0].startswith(name)
            if len(name) < 2:
                continue
            if first and " " not in name:
                opening.append((name, sentence[match.end() :]))
            else:
                certain.append(name)
    known = {word for name in certain for word in name.split()}
    certain += [name for name, rest in opening if name in known or _opens_as_a_name(name, rest)]
    return _whole_names(sorted(dict.fromkeys(certain), key=text.find))


def keywords(text: str, most: int = 6) -> tuple[str, ...]:
    """The content words said most often; among equals, the first ones."""
    content = [token for token in tokens(text) if words(token).stems and not token[0].isdigit()]
    return tuple(word for word, _ in Counter(content).most_common(most))


def triple(sentence: str, known: Sequence[str] = ()) -> Triple:
    """A sentence as subject, relation and object, as far as patterns go.

    >>> triple("Jasper is fond of icy Sundays.", ["Jasper"])
    Triple(subject='Jasper', relation='is', object='fond of icy Sundays')
    """
    text = sentence.strip().rstrip(".!?…") or sentence.strip()
    if cause := _CAUSE.match(text):
        return Triple(_phrase(cause["from"]), "leads to", _phrase(cause["to"]))
    if actor := _actor(text, known):
        name, rest = actor
        if rest.startswith(":"):
            return Triple(name, "about", _phrase(rest[1:]))
        if owned := re.match(r"['’]s\s+", rest):
            return _attribute(name, rest[owned.end() :])
        relation, object = _verb(rest)
        return Triple(name, relation or "says", _phrase(object or relation or text))
    if verb := _LINKING.search(text):
        return Triple(_phrase(text[: verb.start()]), verb["verb"].lower(), _phrase(text[verb.end() :]))
    return Triple(known[0] if known else SPEAKER, "says", _phrase(text))


def first_person(text: str) -> bool:
    """Whether the speaker speaks of themselves."""
    return any(word.lower().replace("’", "'") in _FIRST_PERSON for word in _WORD.findall(text))


def times(text: str) -> str:
    """The first expression of time in a text; empty where there is none.

    >>> times("We fly in October 2026.")
    'in October 2026'
    """
    found = _TIME.search(text)
    return found[0] if found else ""


def _bare_words(text: str) -> list[str]:
    """The words of a text, without a genitive's ending."""
    return [word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text)]


def _by_word(known: Iterable[str]) -> dict[str, list[str]]:
    """The names that each word may stand for."""
    found: dict[str, list[str]] = {}
    for name in known:
        for word in _name_words(name):
            found.setdefault(word, []).append(name)
    return found


def _mentioned(text: str, by_word: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The names that a text mentions, whole or by one of their words, in the order in which it does."""
    return tuple(dict.fromkeys(name for word in _bare_words(text) for name in by_word.get(word, ())))


def _main_name(text: str, known: Sequence[str], spoken: Mapping[str, int]) -> str:
    """The name a text speaks of most; a place it merely happens in comes last."""
    most = max((_count(name, spoken) for name in known), default=0)
    likely = [name for name in known if _count(name, spoken) == most]
    in_front = (name for name in likely if not _PLACED.search(text[: text.find(name)][-40:]))
    return next(in_front, likely[0] if likely else "")


def _count(name: str, spoken: Mapping[str, int]) -> int:
    return sum(spoken.get(word, 0) for word in _name_words(name)) if name else 0


def _standing_alone(sentence: str, main_name: str, by_word: Mapping[str, Sequence[str]], often: bool) -> str:
    named = _mentioned(sentence, by_word)
    if not main_name or main_name in named:
        return sentence
    if found := _PRONOUN.search(sentence):
        owner = found["owner"] or (found["they"] or "").lower() == "their"
        return f"{sentence[: found.start()]}{main_name}{chr(39) + 's' if owner else ''}{sentence[found.end() :]}"
    alone = often and not named and not first_person(sentence)
    return f"{main_name}: {sentence}" if alone else sentence


def _without_openers(name: str) -> str:
    """A name without words that only open the sentence: `In Greywater` becomes `Greywater`."""
    parts = name.split()
    while parts and parts[0].lower().replace("’", "'") in _NO_NAMES:
        parts.pop(0)
    return " ".join(parts)


def _opens_as_a_name(word: str, rest: str) -> bool:
    following = _WORD.match(rest.lstrip())
    if rest.startswith(("'s", "’s")):
        return True
    plain = word.lower().endswith(("s", "ing", "ed")) or word.isupper()
    return not plain and following is not None and following[0].lower() in _AFTER_A_NAME


def _whole_names(found: Sequence[str]) -> tuple[str, ...]:
    """Without the names that are a part of another one: Marcus, where Marcus Lee is there."""
    parts = {word for name in found if " " in name for word in name.split()}
    return tuple(name for name in found if name not in parts)


def _name_words(name: str) -> set[str]:
    """The words of a name that stand for it; a title doesn't."""
    parts = [part for part in name.split() if len(part) > 1 and part.rstrip(".").lower() not in _TITLES]
    return set(parts or [name])


_TITLES = frozenset("mr mrs ms dr st sir lady lord captain old aunt uncle miss king queen prince princess".split())


def _actor(text: str, known: Sequence[str]) -> tuple[str, str] | None:
    """Who opens the sentence or one of its clauses, and what follows."""
    for name in (*known, "I"):
        for part in sorted({name, *_name_words(name)}, key=len, reverse=True):
            found = re.search(
                rf"(?:^|[,;:]\s|\b(?:that|so|because|since|and)\s){re.escape(part)}(?=:?\s|['’]s\s)", text
            )
            if found:
                return (SPEAKER if name == "I" else name), text[found.end() :].strip()
    return None


def _attribute(owner: str, rest: str) -> Triple:
    """`name is carved into the bench`: what is said of something the owner has."""
    verb = _LINKING.search(f" {rest}")
    if verb is None:
        return Triple(owner, "has", _phrase(rest))
    return Triple(owner, f"{rest[: max(verb.start() - 1, 0)]} {verb['verb']}".strip(), _phrase(rest[verb.end() - 1 :]))


def _verb(rest: str) -> tuple[str, str]:
    """The first word that isn't an adverb or an auxiliary, with those before it, and what follows."""
    parts = rest.lstrip(" ,").split()
    last = next((i for i, part in enumerate(parts) if part.lower() not in _BEFORE_A_VERB), len(parts) - 1)
    return " ".join(parts[: last + 1]), " ".join(parts[last + 1 :])


def _phrase(text: str) -> str:
    """The opening phrase of a clause, short enough to be the name of a node."""
    cut = _ENDS_A_PHRASE.split(text.strip(), maxsplit=1)[0].strip()
    return " ".join((cut or text.strip()).split()[:8]) or text
