"""Porter's stemmer as NLTK has it by default, since the paper's F1 compares stems of that kind.

PyStemmer's `porter` is the algorithm of 1980; NLTK departs from it for short words, for -y, -bly, -fully and -logy, and
for a few words by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise

_IRREGULAR = {
    **dict.fromkeys(("sky", "skies"), "sky"),
    **{"dying": "die", "lying": "lie", "tying": "tie"},
    **dict.fromkeys(("innings", "inning"), "inning"),
    **dict.fromkeys(("outings", "outing"), "outing"),
    **dict.fromkeys(("cannings", "canning"), "canning"),
    **{word: word for word in ("news", "howe", "proceed", "exceed", "succeed")},
}
_TWO = "ational-ate tional-tion enci-ence anci-ance izer-ize bli-ble alli-al entli-ent eli-e ousli-ous ization-ize "
_TWO += "ation-ate ator-ate alism-al iveness-ive fulness-ful ousness-ous aliti-al iviti-ive biliti-ble fulli-ful"
_THREE = "icate-ic ative- alize-al iciti-ic ical-ic ful- ness-"
_FOUR = "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize"

Rule = tuple[str, str, Callable[[str], bool]]
"""An ending, what takes its place, and whether it does, by what is before it."""


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word in small letters.

    >>> [stem(word) for word in "painted paintings happily hiking biology news".split()]
    ['paint', 'paint', 'happili', 'hike', 'biolog', 'news']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _step_2(_step_1c(_step_1b(_step_1a(word))))
    word = _first(word, _STEP_3)
    word = _first(word, _STEP_4)
    return _step_5(word)


def _step_1a(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and _has_vowel(cut := word.removesuffix(ending)):
            return _restored(cut)
    return word


def _restored(cut: str) -> str:
    """A verb without -ed or -ing, with the -e that it lost or without the letter that was doubled."""
    if cut.endswith(("at", "bl", "iz")):
        return cut + "e"
    if len(cut) > 1 and cut[-1] == cut[-2] and _consonants(cut)[-1]:
        return cut if cut[-1] in "lsz" else cut[:-1]
    return cut + "e" if _measure(cut) == 1 and _short(cut) else cut


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and len(word) > 2 and _consonants(word)[-2] else word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _first(word, _STEP_2)


def _step_5(word: str) -> str:
    if word.endswith("e"):
        cut = word[:-1]
        if _measure(cut) > 1 or (_measure(cut) == 1 and not _short(cut)):
            word = cut
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _first(word: str, rules: Iterable[Rule]) -> str:
    """The word by the first rule whose ending it has; a rule that then doesn't apply keeps the others from it too."""
    for ending, other, applies in rules:
        if word.endswith(ending):
            cut = word.removesuffix(ending)
            return cut + other if applies(cut) else word
    return word


@lru_cache(maxsize=1 << 16)
def _consonants(word: str) -> tuple[bool, ...]:
    """Whether each letter is a consonant; y is one at the beginning and after a vowel."""
    found: list[bool] = []
    for letter in word:
        found.append(not (found and found[-1]) if letter == "y" else letter not in "aeiou")
    return tuple(found)


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    marks = _consonants(word)
    return sum(not one and two for one, two in pairwise(marks))


def _has_vowel(word: str) -> bool:
    return not all(_consonants(word))


def _short(word: str) -> bool:
    """Whether it ends with consonant, vowel, consonant (but w, x, y), or is a vowel and a consonant."""
    marks = _consonants(word)
    if len(word) == 2:
        return marks == (False, True)
    return marks[-3:] == (True, False, True) and word[-1] not in "wxy"


def _more_than(least: int) -> Callable[[str], bool]:
    return lambda cut: _measure(cut) > least


def _rules(text: str, least: int) -> tuple[Rule, ...]:
    return tuple((*rule.split("-"), _more_than(least)) for rule in text.split())  # type: ignore[misc]


_STEP_2 = _rules(_TWO, 0)
_STEP_3 = _rules(_THREE, 0)
_STEP_4: tuple[Rule, ...] = tuple(
    (ending, "", (lambda cut: _measure(cut) > 1 and cut[-1] in "st") if ending == "ion" else _more_than(1))
    for ending in _FOUR.split()
)
