"""The content words of a text: normalised and stemmed, with numbers and negation kept exact."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memtriage.text.language import Language, spoken
from memtriage.text.segments import segmented

_TOKEN = re.compile(r"(?<![\w)\]])[-−](?=\d)|\d+(?:[.,:]\d+)*|%|[^\W\d_]+(?:'[^\W\d_]+)*")

_HALF_DAY = re.compile(r"(?<![^\W\d_])([ap])\.\s?m\b\.?")
_APOSTROPHES: dict[int, str | None] = dict.fromkeys(map(ord, "’‘ʼ′`´"), "'")
_INVISIBLE: dict[int, str | None] = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_ENDINGS = ("'s", "'m", "'re", "'ll", "'ve", "'d", "'t")

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve "
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_NUMBERS = {word: value for value, word in enumerate(_UNITS.split())}
_TENS = {w: (i + 2) * 10 for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}

NEGATIONS = frozenset("not no never none nobody nothing nowhere neither nor without cannot hardly".split())
EXCLUSIVES = frozenset("only unless except solely exclusively".split())

# Words without content. Comparators and times (below, after, until, more, every) have some, so they are not here.
_FUNCTION = frozenset(
    """a an the this that these those it its itself he him his himself she her hers herself they them their theirs
    themselves i me my mine myself we us our ours you your yours who whom whose which what is am are was were be been
    being do does did doing done have has had having will would shall should can could may might must and or but so if
    when whenever while as of to in on at for with by from into onto than then there here just also too very really
    quite s t d m re ll ve""".split()
)

VAGUE = frozenset(
    """certain some something somewhere somehow sometimes someone particular specific various thing kind sort type
    time occasion condition situation circumstance moment way place amount number several often occasionally usually
    case level one out""".split()
)
"""Words that replace a detail without saying what it is."""

LINKS = frozenset("by from than or to".split())
"""Function words that say who does what to whom, so their position matters."""

HINGES = frozenset(
    """below under above over less more fewer least most before after until till since during within between
    always every each all any both almost nearly about around up down left right inside outside""".split()
)
"""Words that decide a comparison, a time or an extent."""

TURNING = frozenset(
    """stop stopped quit cease avoid refuse reject decline hate dislike detest loathe rarely seldom barely scarcely fail
    lack deny doubt formerly previously former instead anymore regardless unlike pretend forget forgot miss skip
    brother sister friend mother father mom dad husband wife son daughter parent cousin neighbour neighbor colleague
    coworker partner roommate boyfriend girlfriend uncle aunt""".split()
)
"""Words that can reverse a statement or make it about somebody else."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text's content words as stems, in order, and its markers of negation and exclusivity.

    `frame` gives the positions of these markers and of the links among the stems: "not@1" is before the second stem.
    """

    stems: tuple[str, ...]
    polarity: tuple[str, ...]
    frame: tuple[str, ...] = ()

    @property
    def links(self) -> frozenset[str]:
        """The links that decide who does what to whom, without `to`, which is too common."""
        return frozenset(mark.partition("@")[0] for mark in self.frame) & (LINKS - {"to"})


def words(text: str) -> Words:
    """The content words of a text.

    >>> words("He doesn't nap below ten degrees.").stems
    ('nap', 'below', '10', 'degre')
    >>> words("He doesn't nap below ten degrees.").polarity
    ('not',)
    """
    return words_in(text, spoken())


@lru_cache(maxsize=1 << 16)
def words_in(text: str, language: Language | None) -> Words:
    """The content words of a text in a language; None is English."""
    stems: list[str] = []
    polarity: list[str] = []
    frame: list[str] = []
    for token in _tokens(text, language):
        if token in NEGATIONS or token in EXCLUSIVES:
            polarity.append("not" if token == "cannot" else token)
            frame.append(f"{polarity[-1]}@{len(stems)}")
        elif token in LINKS:
            frame.append(f"{token}@{len(stems)}")
        elif token not in _FUNCTION:
            stems.append(stem(token))
    return Words(tuple(stems), tuple(sorted(polarity)), tuple(frame))


def well_formed(text: str) -> str:
    """The text with each lone surrogate replaced by one character, so that it can be encoded."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def tokens(text: str) -> list[str]:
    """Lower-case tokens: numbers as digits, contractions expanded, percent spelled out.

    Those of other languages are English words, where the language's file has any, or marked stems.
    """
    return _tokens(text, spoken())


def _tokens(text: str, language: Language | None) -> list[str]:
    if language is not None:
        return _foreign(text, language)
    lowered = segmented(unicodedata.normalize("NFKC", text)).lower().translate(_APOSTROPHES | _INVISIBLE)
    lowered = _HALF_DAY.sub(r"\1m", lowered)
    out: list[str] = []
    for token in _TOKEN.findall(lowered):
        out.extend(_expanded(token))
    return _without_out_of(_joined_numbers(out))


def _foreign(text: str, language: Language) -> list[str]:
    prepared = language.prepared(unicodedata.normalize("NFKC", text).translate(_APOSTROPHES | _INVISIBLE))
    read = (form for _, form, _ in language.read(_TOKEN.findall(prepared.lower())))
    return [part for form in read for part in (form.split("_") if form[0].isalpha() else _expanded(form))]


@lru_cache(maxsize=1 << 16)
def stem(token: str) -> str:
    """The English stem of one token; numbers stay as they are."""
    if token[0].isdigit():
        return token
    return str(_stemmer().stemWord(token))


def is_number(stem: str) -> bool:
    """Whether a stem is a number, which must then match exactly."""
    return stem[0].isdigit()


@lru_cache(maxsize=1)
def vague_stems() -> frozenset[str]:
    """The stems of `VAGUE`."""
    return frozenset(stem(word) for word in VAGUE)


@lru_cache(maxsize=1)
def hinge_stems() -> frozenset[str]:
    """The stems of `HINGES`."""
    return frozenset(stem(word) for word in HINGES)


@lru_cache(maxsize=1)
def turning_stems() -> frozenset[str]:
    """The stems of `TURNING`."""
    return frozenset(stem(word) for word in TURNING)


def _expanded(token: str) -> tuple[str, ...]:
    if token == "%":
        return ("percent",)
    if token in "-−":
        return ("minus",)
    if token[0].isdigit():
        return (token.replace(",", "").removesuffix(":00"),)
    if "'" not in token:
        return (token,)
    if token in {"can't", "won't", "shan't"}:
        return ({"can't": "can", "won't": "will", "shan't": "shall"}[token], "not")
    if token.endswith("n't"):
        return (token[:-3], "not") if len(token) > 3 else ("not",)
    ending = next((e for e in _ENDINGS if token.endswith(e)), "")
    return (token.removesuffix(ending).replace("'", ""),)


def _joined_numbers(parts: list[str]) -> list[str]:
    out: list[str] = []
    tens = 0
    for part in parts:
        unit = _NUMBERS.get(part)
        if tens and unit is not None and 0 < unit < 10:
            out[-1] = str(tens + unit)
        elif part in _TENS:
            out.append(str(_TENS[part]))
        else:
            out.append(part if unit is None else str(unit))
        tens = _TENS.get(part, 0)
    return out


def _without_out_of(parts: list[str]) -> list[str]:
    """The tokens without the `out` of `8 out of 10`, which means the same as 8/10."""
    return [
        part
        for i, part in enumerate(parts)
        if not (
            part == "out"
            and parts[i + 1 : i + 2] == ["of"]
            and _digits(parts[i - 1 : i])
            and _digits(parts[i + 2 : i + 3])
        )
    ]


def _digits(parts: list[str]) -> bool:
    return any(part[0].isdigit() for part in parts)


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


def counted(n: int, one: str, many: str = "") -> str:
    """A number and what is counted, in its plural where there isn't just one.

    >>> counted(1, "store"), counted(1200, "memory", "memories")
    ('1 store', '1,200 memories')
    """
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"
