"""Turns a sentence into tokens: names, numbers, dates, times and words in one spelling each, and stops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Literal

from text_to_num import alpha2digit

from memtriage.diagnose.lexical.lexicon import in_a_group, mark_kinds, rarity, small_words
from memtriage.diagnose.lexical.times import MONTHS, clock_time, date_name, relative_dates
from memtriage.text.language import Language, spoken


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or stop: as it was written, and the spelling that stands for all others.

    `owner` marks a possessive. `dates` are the day, month and year that a relative date stands for.
    """

    surface: str
    lower: str
    kind: Literal["name", "number", "date", "time", "word", "stop"]
    owner: bool = False
    dates: tuple[str, ...] = ()


_TOKEN = re.compile(
    r"(?P<iso>\b\d{4}-\d\d(?:-\d\d)?(?:T[\d:.]+Z?)?\b)"
    r"|(?P<time>\b\d{1,2}(?:[:.]\d\d)?\s?[ap]\.?m\b\.?|\b\d{1,2}:\d\d\b)"
    r"|(?P<times>\b\d+\s?[x×](?!\w)|(?<!\w)[x×]\s?\d+\b)"
    r"|(?P<number>(?:(?<!\S)[-−](?=[\d.]+ ?(?:°|degree|percent|%)))?(?:\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?))"
    r"(?P<suffix>(?:st|nd|rd|th|[kK]|m|s)\b)?"
    r"|(?P<symbol>[%$€£¥&≤≥]|[<>](?=\s?[$€£¥]?\d))"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*)"
    r"|(?P<stop>[.;:,!?—–\n/])"
)
_SYMBOLS = {"≥": "at_least", "≤": "at_most", ">": "more_than", "<": "less_than", "&": "and"}
_CONTRACTIONS = {"can't": "can", "won't": "will", "shan't": "shall", "cannot": "can"}
_ENDINGS = {"'s": "", "'m": "am", "'re": "are", "'ll": "will", "'ve": "have", "'d": ""}
_CLOCK = {"noon": "12:00", "midday": "12:00", "midnight": "0:00"}
_LIKE_PRONOUNS = ("us", "it", "who", "am")

_NOTHING_ELSE = re.compile(
    r"\b(?:and|but)?,? ?(?:not|never|no)(?: at)? "
    r"(?:beyond|otherwise|elsewhere|else|other(?: than that| time| times)?|any other time)\b"
    r"|\bnowhere else\b|\bnothing else\b|\bno one else\b|\bnobody else\b",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"\ba (half|third|quarter|fifth|tenth) of\b|\bhalf of\b", re.IGNORECASE | re.ASCII)
_PERCENT = {"half": "50", "quarter": "25", "fifth": "20", "tenth": "10", "third": "33"}
_COUNT = re.compile(r"\b(?:a )?dozen\b|\btwice\b|\bonce a\b", re.IGNORECASE | re.ASCII)
_COUNTED = {"twice": "2 times", "dozen": "12", "once a": "1 time a"}
_NO_NUMBER = re.compile(r"\b(no|any|every|some)[ -]one\b|\bone another\b|\b(each) other\b", re.IGNORECASE)
_HALF_PAST = re.compile(r"\bhalf past (\w+)\b", re.IGNORECASE)


def tokens(sentence: str, said: str = "") -> list[Token]:
    """The tokens of a sentence; `said` is the ISO date on which it was said, for words such as `yesterday`.

    >>> [(token.lower, token.kind) for token in tokens("Mina paid twenty euros.")]
    [('mina', 'name'), ('paid', 'word'), ('20', 'number'), ('euros', 'word'), ('.', 'stop')]
    """
    language = spoken()
    if language is not None:
        return list(_foreign(sentence, said, language))
    text = _with_digits(sentence)
    relative = list(relative_dates(text, said)) if said else []
    read: list[Token] = []
    first = True
    for found in _TOKEN.finditer(text):
        start, end, dates = next((r for r in relative if r[0] <= found.start() < r[1]), (-1, -1, ()))
        if not dates:
            read.extend(_read(found, first))
            first = first and found.lastgroup == "stop"
        elif found.start() == start:
            phrase = text[start:end]
            read.append(Token(phrase, "_".join(phrase.lower().split()), "date", dates=dates))
    return _with_first_name(read)


def _foreign(sentence: str, said: str, language: Language) -> Iterator[Token]:
    """The tokens of a sentence in another language, in English words where the language's file has any."""
    text = language.prepared(sentence)
    relative = list(relative_dates(text, said)) if said else []
    found = list(_TOKEN.finditer(text))
    read = language.read([match[0].lower() for match in found])
    at = 0
    previous: Token | None = None
    while at < len(found):
        size, form, kind = next(read)
        start, end, dates = next((r for r in relative if r[0] <= found[at].start() < r[1]), (-1, -1, ()))
        surface = text[found[at].start() : found[at + size - 1].end()]
        if dates:
            if found[at].start() == start:
                yield Token(text[start:end], "_".join(text[start:end].lower().split()), "date", dates=dates)
            previous = None
        elif found[at]["word"] is None:
            yield from _read(found[at], first=False)
            previous = None
        else:
            previous = _foreign_word(surface, form, kind, previous, language)
            yield previous
        at += size


def _foreign_word(surface: str, form: str, kind: str, previous: Token | None, language: Language) -> Token:
    """A word of another language: a name, a date, an English word or a stem."""
    lower = surface.lower()
    owner = lower.endswith("s") and language.is_name(lower[:-1])
    capital = surface[:1].isupper() or not language.spaced
    after_name = (
        language.spaced
        and previous is not None
        and (previous.kind == "name" or language.is_title(previous.surface.lower()))
    )
    if capital and (language.is_name(lower) or owner or (after_name and not kind)):
        return Token(surface, lower[:-1] if owner else lower, "name", owner)
    if kind == "date":
        return Token(surface, form, "date")
    if kind == "number":
        return Token(surface, form, "number")
    if form in _CLOCK:
        return Token(surface, _CLOCK[form], "time")
    named = not kind and surface[:1].isupper() and (not language.capital_nouns or surface[1:] != surface[1:].lower())
    return Token(surface, lower if named else form, "name" if named else "word")


def _with_digits(text: str) -> str:
    """A sentence with its numbers in digits, and `only` for `and not beyond`."""
    text = _NOTHING_ELSE.sub(" only ", text)
    text = _FRACTION.sub(lambda found: f" {_PERCENT[(found[1] or 'half').lower()]} percent of ", text)
    text = _COUNT.sub(lambda found: _COUNTED[found[0].lower().removeprefix("a ")], text)
    text = _NO_NUMBER.sub(lambda found: f"{found[1]}body" if found[1] else "each other", text)
    return _HALF_PAST.sub(lambda found: f" {found[1]}:30 ", alpha2digit(text, "en", 0.0))


def _read(found: re.Match[str], first: bool) -> Iterator[Token]:
    """The tokens of one match; `first` says that only stops came before it."""
    text = found[0]
    if found["iso"]:
        year, month, *day = text.partition("T")[0].split("-")
        yield Token(year, year, "number")
        if 1 <= int(month) <= 12:
            yield Token(text, MONTHS[int(month) - 1], "date")
        yield from (Token(d, str(int(d)), "number") for d in day)
    elif found["time"]:
        yield Token(text, clock_time(text), "time")
    elif found["times"]:
        yield Token(text, re.sub(r"\D", "", text), "number")
        yield Token("times", "times", "word")
    elif found["number"]:
        yield Token(
            text, _number(found["number"].replace(",", "").replace("−", "-"), found["suffix"] in ("k", "K")), "number"
        )
        if found["suffix"] == "m":
            yield Token("m", "m", "word")
    elif found["symbol"]:
        yield Token(text, _SYMBOLS.get(text, text), "word")
    elif found["stop"]:
        yield Token(text, text, "stop")
    else:
        yield from _word(text, first)


def _number(digits: str, thousands: bool) -> str:
    """A number without needless zeros."""
    if "." in digits:
        return f"{float(digits) * (1000 if thousands else 1):.12g}"
    # int() refuses numbers of more than 4,300 digits.
    return f"{Decimal(digits + '000' if thousands else digits):f}"


def _word(text: str, first: bool) -> Iterator[Token]:
    lower = text.lower()
    if lower in _CONTRACTIONS or lower.endswith("n't"):
        verb = _CONTRACTIONS.get(lower) or text[:-3]
        if verb:
            yield Token(verb, verb.lower(), "word")
        yield Token("not", "not", "word")
        return
    ending = next((e for e in _ENDINGS if lower.endswith(e)), "")
    yield from _bare_word(text[: len(text) - len(ending)], lower.removesuffix(ending), first, ending == "'s")
    if _ENDINGS.get(ending):
        yield Token(ending, _ENDINGS[ending], "word")


def _bare_word(surface: str, lower: str, first: bool, owner: bool) -> Iterator[Token]:
    """A word without its ending, as a date, a time, a name or a word."""
    capital = surface[:1].isupper()
    named = date_name(lower, capital)
    if named:
        yield Token(surface, named, "date")
    elif lower in _CLOCK:
        yield Token(surface, _CLOCK[lower], "time")
    elif len(surface) > 1 and surface.isupper() and lower in _LIKE_PRONOUNS:
        yield Token(surface, f"{lower}.", "name", owner)  # the US and IT are no pronouns
    elif capital and not _never_a_name(lower) and (not first or _name_at_the_start(surface)):
        yield Token(surface, lower, "name", owner)
    elif lower:
        yield Token(surface, lower, "word", owner)


@cache
def _never_a_name(lower: str) -> bool:
    """Whether a word is no name even with a capital: the speaker, an article, `No` or `Only` after a colon."""
    if lower in small_words("speaker") or lower in small_words("openers"):
        return True
    return not {"negation", "exclusive", "condition"}.isdisjoint(mark_kinds(lower))


def _name_at_the_start(word: str) -> bool:
    """Whether a word at the start of a sentence is a name: written like one (NASA, McKay), or no common word."""
    lower = word.lower()
    if lower in small_words("openers"):
        return False
    if word[1:] != word[1:].lower():
        return True
    return rarity(lower) == 1.0 and not in_a_group(lower) and not lower.endswith(("s", "ing", "ed", "ly"))


def _with_first_name(read: list[Token]) -> list[Token]:
    """The tokens with a capital word at the start read as a name if it belongs to one: Will Frost, Rose's."""
    at = next((i for i, token in enumerate(read) if token.kind != "stop"), None)
    if at is None:
        return read
    token, following = read[at], read[at + 1 : at + 2]
    if token.kind == "word" and token.surface[:1].isupper() and token.lower not in small_words("openers"):
        named = any(t.kind == "name" and t.surface[:1].isupper() for t in following)
        if token.owner or named:
            read[at] = replace(token, kind="name")
    return read
