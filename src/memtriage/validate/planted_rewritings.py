"""Lossless rewritings of facts, as memories have them: the same content in other forms, made by rule.

They are the controls of a calibration: whoever calls one of them mangled or missing raises a false alarm. Where a rule
can't be sure of its result, the fact is not rewritten in that style.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from memtriage.core.episode import Fact
from memtriage.text.sentences import sentences
from memtriage.text.words import words
from memtriage.validate.planted_english import (
    USER,
    bare,
    capital,
    is_first_person,
    named,
    statement,
    third_person,
    uncapital,
    word_list,
)

Style = Literal[
    "third_person",
    "compressed",
    "reordered",
    "resolved_date",
    "profile_line",
    "graph_edge",
    "markdown_note",
    "merged",
    "split",
]
STYLES: tuple[Style, ...] = get_args(Style)


@dataclass(frozen=True, slots=True)
class Told:
    """A fact as it was told: its sentences, without what belongs to the chat, and when it was said, if known."""

    fact: Fact
    sentences: tuple[str, ...]
    said: datetime | None = None

    @classmethod
    def of(cls, fact: Fact, said: datetime | None = None) -> Told:
        lines = any("\n" in evidence for evidence in fact.evidence)
        parts = fact.evidence if lines else [part for evidence in fact.evidence for part in sentences(evidence)]
        first, *rest = [bare(sentence, fact.subject, fact.details) for sentence in parts]
        return cls(fact, (named(first, fact.subject), *rest), said)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that sentences about this fact may begin with."""
        return (self.fact.subject, *self.fact.subject.split()[:1], *filter(is_name, self.fact.details))

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    @property
    def sentence(self) -> str | None:
        """The only sentence, if there is only one."""
        return self.sentences[0] if len(self.sentences) == 1 else None


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a style makes of a fact: one memory, or several if it is split.

    `merges` says that other facts may share the memory: below the same `heading`, or in one line.
    """

    texts: tuple[str, ...]
    heading: str = ""
    merges: bool = False


def is_name(phrase: str) -> bool:
    """Whether a phrase is a name: all its words have a capital, but for small ones."""
    tokens = phrase.split()
    return phrase[:1].isupper() and all(t[0].isupper() or t in ("of", "the", "at", "and", "in") for t in tokens)


def rewrite(style: Style, told: Told) -> Rewritten | None:
    """The fact in this style; None if that isn't possible."""
    return _STYLES[style](told)


def retold(told: Told) -> list[str] | None:
    """The sentences in the third person; None if that isn't possible."""
    if not _is_statement(told):
        return None
    found = [third_person(s) if is_first_person(s) else s for s in told.sentences]
    return None if any(s is None for s in found) else [s for s in found if s is not None]


_TO_THE_LETTER = re.compile(r"^Please |\?|\n|every character|word for word|exactly as I", re.IGNORECASE)


def _is_statement(told: Told) -> bool:
    """Whether a fact is stated, rather than asked, ordered, or to be kept to the letter."""
    return not any(_TO_THE_LETTER.search(sentence) for sentence in told.sentences)


def _one(text: str | None) -> Rewritten | None:
    return None if text is None else Rewritten((text,))


def _third_person(told: Told) -> Rewritten | None:
    found = retold(told)
    named_anew = told.sentences[0].partition(" ")[0].lower() not in told.fact.evidence[0].lower()
    changed = is_first_person(told.text) or named_anew
    return _one(" ".join(found)) if found and changed else None


# ------------------------------------------------------------------ compressed

_ARTICLE = re.compile(
    r"\b(?:a|an|the) (?!few|little|lot|bit|same|other|most|more|hundred|thousand|dozen|half|couple|single|first|last"
    r"|next|only|second|third|good|great|while|time|minute|hour|day|week|month|year|mile|quarter)(?=[\w“\"])"
)


def _compressed(told: Told) -> Rewritten | None:
    found = retold(told)
    if not found:
        return None
    parts = re.split(r"(\"[^\"]*\")", " ".join(found).replace(USER + " ", "User ").replace(USER + "'s", "User's"))
    parts[::2] = [_ARTICLE.sub("", re.sub(r"^The (?=[a-z])(?!moment)", "", part)) for part in parts[::2]]
    short = capital("".join(parts)).rstrip(".")
    return _one(short) if len(short.split()) < len(" ".join(found).split()) else None


# ------------------------------------------------------------------ reordered

_LEADS = "At|On|In|For|When|Whenever|If|After|Before|While|During|By|Once|Over|From|With|Until|As soon as|The moment"
_CONNECTORS = "when|whenever|if|right after|after|before|while|as soon as|by|on"
_LEAD_FIRST = re.compile(rf"(?P<lead>(?:{_LEADS}) [^,;:]+), (?P<main>[^,;:]+)\.")
_LEAD_LAST = re.compile(rf"(?P<main>[^,;:]+?) (?P<only>only )?(?P<lead>(?:{_CONNECTORS}) [^,;:]+)\.")
_JOINT = re.compile(r"\b(?:and|or|but|when|whenever|if|because|so|that|who|which|only)\b")
_OWN_SUBJECT = re.compile(r"(?:I|we|my|our|the|an?|he|she|it|they|there|[A-Z]\w+)\b")


def _reordered(told: Told) -> Rewritten | None:
    sentence = told.sentence
    if sentence is None:
        return None
    moved = _moved(sentence, told.names)
    if moved is None:
        return None
    return _one((third_person(moved) or moved) if is_first_person(moved) else moved)


def _moved(sentence: str, names: tuple[str, ...]) -> str | None:
    """The sentence with its circumstance at the other end."""
    found = _LEAD_FIRST.fullmatch(sentence)
    if found:
        lead, main = found["lead"], found["main"]
        clause = re.match(r"(?:When|Whenever|If|Once|While|As soon|The moment|In case)\b", lead)
        if (
            _JOINT.search(main)
            or not _OWN_SUBJECT.match(main)
            or (not clause and re.search(r" (?:I|[A-Z]\w+ \w+s) ", lead))
        ):
            return None
        return f"{capital(_named_first(main, lead, names))}."
    found = _LEAD_LAST.fullmatch(sentence)
    if not found or _JOINT.search(found["main"]) or len(re.findall(rf"\b(?:{_CONNECTORS})\b", sentence)) > 1:
        return None
    plain = found["lead"].split()[0] in ("on", "by")
    if found["main"].startswith("Only") or (plain and not found["only"]) or (not plain and " and " in found["lead"]):
        return None
    main = uncapital(found["main"], names)
    return f"It is only {found['lead']} that {main}." if found["only"] else f"{capital(found['lead'])}, {main}."


def _named_first(main: str, lead: str, names: tuple[str, ...]) -> str:
    """Main clause and circumstance; a name that only the circumstance has changes places with the pronoun for it."""
    lead = uncapital(lead, names)
    pronoun = re.match(r"(?:he|she)\b", main)
    name = next((name for name in names if name and re.search(rf"\b{re.escape(name)} ", lead)), None)
    if pronoun and name and name[0].isupper():
        return f"{name}{main[pronoun.end() :]} {lead.replace(name, pronoun[0], 1)}"
    return f"{main} {lead}"


# ------------------------------------------------------------------ resolved dates

_DAYS = "|".join(word_list("weekdays"))
_AGO = {word: n for n, word in enumerate("two three four five six seven eight nine ten".split(), start=2)}
_RELATIVE = re.compile(
    rf"\b(?:(?<!the )(?P<weekday>(?:this past|last) (?:{_DAYS}))|(?P<ago>{'|'.join(_AGO)}) days ago"
    r"|(?P<word>yesterday morning|yesterday|this morning|today|tomorrow))\b",
    re.IGNORECASE,
)


def _resolved_date(told: Told) -> Rewritten | None:
    sentence = told.sentence
    found = _RELATIVE.search(sentence) if sentence and told.said else None
    if not sentence or not found or not told.said:
        return None
    day, time = told.said, ""
    word = (found["word"] or "").lower()
    if found["weekday"]:
        wanted = [day.lower() for day in word_list("weekdays")].index(found["weekday"].split()[-1].lower())
        day -= timedelta(days=(day.weekday() - wanted - 1) % 7 + 1)
    elif found["ago"]:
        day -= timedelta(days=_AGO[found["ago"].lower()])
    else:
        day += timedelta(days={"y": -1, "t": 0}[word[0]] + (word == "tomorrow"))
        time = "the morning of " if "morning" in word else ""
    date = f"on {time}{day:%B} {day.day}, {day.year}"
    date = capital(date) if found.start() == 0 else date
    text = sentence[: found.start()] + date + sentence[found.end() :]
    return _one((third_person(text) or text) if is_first_person(text) else text)


# ------------------------------------------------------------------ lines, edges and notes

_ATTRIBUTE = re.compile(r"(?P<whose>The user's|The|Their) (?P<name>[^,;:]{3,60}?) (?:is|are) (?P<value>[^;]+)\.")
_VERBS_INSIDE = re.compile(r"\b(?:is|are|was|were|has|have|had|will|moment)\b")


def _profile_line(told: Told) -> Rewritten | None:
    found = retold(told)
    if not found or len(found) > 1:
        return None
    attribute = _ATTRIBUTE.fullmatch(found[0])
    name = attribute["name"] if attribute else ""
    if attribute and not (_VERBS_INSIDE.search(name) or name.startswith("user ")) and len(name.split()) <= 8:
        whose = "user's " if attribute["whose"] == "The user's" else ""
        return _one(f"{whose}{name}: {attribute['value']}")
    parts = statement(found[0], told.names)
    return _one(f"{parts.subject}: {parts.predicate}") if parts else None


_PREPOSITIONS = frozenset("in at on for with to of as by from into after about up out down over under".split())
_HELPERS = frozenset("has have had will would can usually often always never".split())
_BE = frozenset("is are was were".split())
_CONDITION = re.compile(
    r"(?P<object>.+?) (?P<condition>(?:only (?:on|by|around|in|at|during)"
    r"|(?:only )?(?:when|whenever|if|right after|after|before|while|since|until|unless)) .+)"
)


def _graph_edge(told: Told) -> Rewritten | None:
    found = retold(told)
    parts = statement(found[0], told.names) if found and len(found) == 1 else None
    if parts is None or re.search(r"[,;:\"]| and [a-z]", parts.predicate):
        return None
    tokens = parts.predicate.split()
    end = _end_of_verb(tokens)
    label, rest = "_".join(tokens[:end]).upper(), " ".join(tokens[end:])
    if not rest or rest.split()[0] in ("when", "whenever", "if", "only", "that"):
        return None
    circumstance = _CONDITION.fullmatch(rest)
    if circumstance:
        label, rest = f"{label} {circumstance['condition']}", circumstance["object"]
    return _one(f"{parts.subject} -[{label}]-> {rest}")


def _end_of_verb(tokens: list[str]) -> int:
    """How many words the verb has: helpers, a participle, and the prepositions after it."""
    end = 0
    while end < len(tokens) - 1 and (tokens[end] in _HELPERS or tokens[end].endswith("ly")):
        end += 1
    if tokens[end] in _BE and (
        tokens[end + 1].endswith("ed") or tokens[end + 2 : end + 3] in [[p] for p in _PREPOSITIONS]
    ):
        end += 1
    end += 1
    while end < len(tokens) - 1 and tokens[end] in _PREPOSITIONS:
        end += 1
    return end


def _markdown_note(told: Told) -> Rewritten | None:
    found = retold(told)
    if not found:
        return None
    parts = [statement(sentence, told.names) for sentence in found]
    about = told.fact.subject or ("User" if any(part and part.subject == "User" for part in parts) else "")
    if not about:
        first = parts[0]
        about = first.subject if first else "User" if is_first_person(told.text) else "Notes"
    lines = [
        f"- {part.predicate if part and part.subject == about else sentence.rstrip('.')}"
        for part, sentence in zip(parts, found, strict=True)
    ]
    return Rewritten(("\n".join(lines),), f"## {about}", merges=True)


# ------------------------------------------------------------------ several facts, several memories


def _merged(told: Told) -> Rewritten | None:
    found = retold(told)
    return Rewritten((" ".join(found).rstrip("."),), merges=True) if found else None


_BOUNDARY = re.compile(
    r"(?:, (?:and|but|so(?! that))|;) (?=(?:now |then )?(?:I|we|my|it|she|he|they|that|this|there|half)\b)"
)


def _split(told: Told) -> Rewritten | None:
    """Each sentence, or the statement and a remark after it, as a memory of its own."""
    if not _is_statement(told) or '"' in told.text:
        return None
    if told.sentence is None:
        if not told.fact.split:
            return None
        parts = [named(s, told.fact.subject) for s in told.sentences]
    else:
        parts = [capital(part.strip().rstrip(".")) + "." for part in _BOUNDARY.split(told.sentence, maxsplit=1)]
        if len(parts) < 2 or not _within(told.fact, parts[0]):
            return None
    retellings = [third_person(part) if is_first_person(part) else part for part in parts]
    return Rewritten(tuple(new or old for new, old in zip(retellings, parts, strict=True)))


def _within(fact: Fact, text: str) -> bool:
    said = set(words(text).stems)
    return all(said.issuperset(words(detail).stems) for detail in fact.details)


_STYLES: Mapping[Style, Callable[[Told], Rewritten | None]] = {
    "third_person": _third_person,
    "compressed": _compressed,
    "reordered": _reordered,
    "resolved_date": _resolved_date,
    "profile_line": _profile_line,
    "graph_edge": _graph_edge,
    "markdown_note": _markdown_note,
    "merged": _merged,
    "split": _split,
}
