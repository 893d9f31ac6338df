"""Languages as data: how a language that isn't English is read.

The detector's lists are English: what denies, what excludes, who is kin. A language is a file in `languages/` that says
which of its words are to be read as which English ones, how it writes numbers and dates, where its sentences end and
which words are names. Words that the file doesn't have are known by their stems. So nothing else knows of languages.

Which language is read is said once, for all that is done with an episode: `with speaking(episode.language)`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from itertools import product
from typing import Any, TypeVar

from memtriage.core.errors import BadInput, unknown

T = TypeVar("T")

ENGLISH = "en"
"""The language that everything is read in unless something else is said."""

_FOREIGN = "·"
"""Ends a stem of another language, so that German `Not` is never taken for the English word."""

_WORD = re.compile(r"[^\W\d_]+")
_TENS = range(20, 100, 10)


@dataclass(frozen=True, eq=False)
class Language:
    """How a language other than English is read."""

    code: str
    data: Mapping[str, Any] = field(repr=False)

    @property
    def name(self) -> str:
        """Its English name."""
        return str(self.data["name"])

    @property
    def in_prompts(self) -> str:
        """Its name as a model is told it."""
        return str(self.data.get("prompt", self.name))

    @property
    def stemmer(self) -> str:
        """The name of its Snowball stemmer, or none."""
        return str(self.data.get("stemmer", "none"))

    @property
    def stop_words(self) -> str:
        """The name of the list of stop words that a lexical search leaves out."""
        return str(self.data.get("stopwords", "english"))

    @property
    def spaced(self) -> bool:
        """Whether words are written apart."""
        return bool(self.data.get("spaced", True))

    @property
    def capital_nouns(self) -> bool:
        """Whether all nouns have a capital, so that a capital makes no name."""
        return bool(self.data.get("capital_nouns", False))

    def planted(self, key: str) -> str:
        """A phrase that planted faults put in the place of a detail."""
        return str(self.data["planting"][key])

    # ------------------------------------------------------------------ words

    def read(self, words: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        """Words in lower case as English ones or as stems: how many were read at once, as what, and as which kind.

        A kind is `date`, `number`, `word` for what the language's file has, or nothing for what it doesn't.
        """
        at = 0
        while at < len(words):
            size, form, kind = self._read_one(words, at)
            yield size, form, kind
            at += size

    def _read_one(self, words: Sequence[str], at: int) -> tuple[int, str, str]:
        for size in range(min(self._longest, len(words) - at), 0, -1):
            key = "_".join(words[at : at + size])
            if key in self._dates:
                return size, self._dates[key], "date"
            form = self._exact.get(key)
            if form is not None:
                return size, form, "number" if form[0].isdigit() else "word"
        return 1, self.form(words[at]), ""

    def form(self, word: str) -> str:
        """What stands for a word and its inflections: an English word, or its stem. Numbers and signs stay."""
        if not word[0].isalpha():
            return word
        if word.endswith("s") and word[:-1] in self._names:
            word = word[:-1]
        stem = self._stem(word)
        return self._senses.get(word) or self._senses.get(stem) or stem + _FOREIGN

    def english(self, word: str) -> str:
        """The English word that a word is read as; the word itself if there is none."""
        found = self._exact.get(word) or self._senses.get(word) or self._senses.get(self._stem(word))
        return found or word

    def is_name(self, word: str) -> bool:
        """Whether a word in lower case is known as the name of a person or place."""
        return word in self._names

    def is_title(self, word: str) -> bool:
        """Whether a word in lower case comes before a name: Frau, Dr."""
        return word in self._titles

    @cached_property
    def small_words(self) -> frozenset[str]:
        """Grammar and other small words, as the language's file lists them."""
        return frozenset(self._exact)

    @cached_property
    def _exact(self) -> Mapping[str, str]:
        found = {word: form for form, text in self.data["exact"].items() for word in text.split()}
        # Phrases of words that inflect are only known as they are written.
        return found | {w: form for form, text in self.data["senses"].items() for w in text.split() if "_" in w}

    @cached_property
    def _senses(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        listed = [(w, form) for form, text in self.data["senses"].items() for w in text.split() if "_" not in w]
        for word, form in listed:
            found.setdefault(word, form)
        for word, form in listed:
            found.setdefault(self._stem(word), form)
        return found

    @cached_property
    def _dates(self) -> Mapping[str, str]:
        return {word: form for form, text in self.data["dates"].items() for word in text.split()}

    @cached_property
    def _longest(self) -> int:
        return max(key.count("_") + 1 for key in (*self._exact, *self._dates))

    @cached_property
    def _names(self) -> frozenset[str]:
        names = self.data.get("names", {})
        return frozenset(f"{names.get('people', '')} {names.get('places', '')}".split())

    @cached_property
    def _titles(self) -> frozenset[str]:
        return frozenset(self.data.get("names", {}).get("titles", "").split())

    def _stem(self, word: str) -> str:
        return str(self._stemmer.stemWord(word)) if self._stemmer is not None else word

    @cached_property
    def _stemmer(self) -> Any:
        if self.stemmer == "none":
            return None
        import Stemmer

        return Stemmer.Stemmer(self.stemmer)

    # ------------------------------------------------------------------ text

    def prepared(self, text: str) -> str:
        """A text with its numbers in digits, times and dates in one spelling, and words apart."""
        text = self._with_digits(text)
        for pattern, replacement in self._rewrites:
            text = pattern.sub(replacement, text)
        return text if self.spaced else self._apart(text)

    def relative_dates(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where a text names a date as seen from the day it was said, and the same in English."""
        taken = -1
        found = [(m.start(), -m.end(), m.expand(english)) for p, english in self._relative for m in p.finditer(text)]
        for start, end, english in sorted(found):
            if start >= taken:
                taken = -end
                yield start, -end, english

    @cached_property
    def _rewrites(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        return _patterns(self.data.get("text", {}).get("rewrites", ()))

    @cached_property
    def _relative(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        edge = r"\b" if self.spaced else ""
        return _patterns([(rf"{edge}{p}{edge}", to) for p, to in self.data.get("text", {}).get("relative", ())])

    def _with_digits(self, text: str) -> str:
        if "numerals" in self.data:
            return self._numerals.sub(lambda found: str(_positional(found[0], self.data["numerals"])), text)
        parts, at = [], 0
        words = list(_WORD.finditer(text))
        place = 0
        while place < len(words):
            size, digits = self._number_at(words, place, text)
            if size:
                parts += [text[at : words[place].start()], digits]
                at = words[place + size - 1].end()
            place += size or 1
        return "".join([*parts, text[at:]])

    def _number_at(self, words: Sequence[re.Match[str]], place: int, text: str) -> tuple[int, str]:
        """The longest number that begins with this word: of how many words, and in digits."""
        for size in range(min(self._longest_number, len(words) - place), 0, -1):
            digits = self._spelled.get(text[words[place].start() : words[place + size - 1].end()].lower())
            if digits is not None:
                return size, digits
        return 0, ""

    @cached_property
    def _spelled(self) -> Mapping[str, str]:
        return _spelled(self.data["numbers"]) if "numbers" in self.data else {}

    @cached_property
    def _longest_number(self) -> int:
        return max((word.count(" ") + 1 for word in self._spelled), default=0)

    @cached_property
    def _numerals(self) -> re.Pattern[str]:
        data = self.data["numerals"]
        letters = re.escape(data["digits"] + data["two"] + "".join(data["powers"]))
        return re.compile(rf"[{letters}]+(?={data['before']})|(?<={data['after']})[{letters}]+")

    def _apart(self, text: str) -> str:
        """A text of a script without spaces with its words apart: known ones whole, of others each pair of letters."""
        return self._run.sub(lambda found: f" {' '.join(self._cut(found[0]))} ", text)

    def _cut(self, run: str) -> Iterator[str]:
        rest, at = "", 0
        while at < len(run):
            word = next((run[at : at + n] for n in range(self._widest, 0, -1) if run[at : at + n] in self._known), "")
            if word:
                yield from _letter_pairs(rest)
                yield word
                rest = ""
            else:
                rest += run[at]
            at += len(word) or 1
        yield from _letter_pairs(rest)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset((*self._exact, *self._senses, *self._dates, *self._names, *self.data.get("whole", "").split()))

    @cached_property
    def _widest(self) -> int:
        return max(map(len, self._known))

    @cached_property
    def _run(self) -> re.Pattern[str]:
        return re.compile(self.data["letters"])

    # ------------------------------------------------------------------ sentences

    def abbreviations(self, kind: str) -> frozenset[str]:
        """Words that a full stop shortens, by where they stand; or words that open sentences."""
        return frozenset(self.data.get("sentences", {}).get(kind, "").split())

    @property
    def dotted_ordinals(self) -> bool:
        """Whether a number with a full stop is an ordinal: 3. März."""
        return bool(self.data.get("sentences", {}).get("ordinals", False))

    @cached_property
    def date_words(self) -> frozenset[str]:
        """The names of months and weekdays."""
        return frozenset(self._dates)


def _patterns(pairs: Sequence[Sequence[str]]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), to) for pattern, to in pairs)


def _letter_pairs(run: str) -> Iterator[str]:
    """A run of letters pair by pair, so that words in it are met wherever it is cut.

    >>> list(_letter_pairs("abc")), list(_letter_pairs("a"))
    (['ab', 'bc'], ['a'])
    """
    if run:
        yield from (run[i : i + 2] for i in range(max(1, len(run) - 1)))


def _positional(text: str, data: Mapping[str, Any]) -> int:
    """A number in digits and powers of ten, such as the Chinese for 2 100 10."""
    digits = {digit: n for n, digit in enumerate(data["digits"])} | {data["two"]: 2}
    powers = {letter: 10 ** int(zeros) for letter, zeros in data["powers"].items()}
    if not any(letter in powers for letter in text):
        return int("".join(str(digits[letter]) for letter in text))
    total = section = digit = 0
    for letter in text:
        if letter in digits:
            digit = digits[letter]
        elif powers[letter] >= 10_000:
            total = (total + section + digit) * powers[letter]
            section = digit = 0
        else:
            section += (digit or 1) * powers[letter]
            digit = 0
    return total + section + digit


def _spelled(data: Mapping[str, str]) -> dict[str, str]:
    """Numbers in words up to a thousand and thousands up to 20,000, ordinals below a hundred, and halves."""
    small = [word.split("/") for word in data["small"].split()]
    inside = [data["one_inside"] if n == 1 else words[0] for n, words in enumerate(small)]
    tens = dict(zip(_TENS, (word.split("/") for word in data["tens"].split()), strict=True))
    below = {word: n for n, words in enumerate(small) for word in words}
    for ten, words in tens.items():
        below |= dict.fromkeys(words, ten)
        below |= {data["pair"].format(unit=inside[n], ten=word): ten + n for n, word in product(range(1, 10), words)}
    found = dict(below)
    for hundred in range(1, 10):
        starts = [data["hundreds"].format(unit=inside[hundred])] + ([data["hundred"]] if hundred == 1 else [])
        for start in starts:
            found[start] = 100 * hundred
            found |= {start + word: 100 * hundred + n for word, n in below.items() if n}
    found[data["thousand"]] = 1000
    found |= {data["thousands"].format(unit=inside[n]): 1000 * n for n in range(1, 20)}
    ordinals = dict(zip(data["ordinals"].split(), map(int, data["ordinals_of"].split()), strict=True))
    for word, n in below.items():
        if n and n not in ordinals.values():
            ordinals[word + data["ordinal_below_twenty" if n < 20 else "ordinal_from_twenty"]] = n
    found |= {stem + ending: n for stem, n in ordinals.items() for ending in data["ordinal_endings"].split()}
    halves = {data["half"].format(unit=inside[n]): f"{n}.5" for n in range(2, 13)}
    return {word: str(n) for word, n in found.items()} | halves


# ---------------------------------------------------------------------- which language is read

_SPOKEN: ContextVar[Language | None] = ContextVar("spoken", default=None)

spoken = _SPOKEN.get
"""The language that is read here; None for English."""


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Read texts in this language from here on.

    >>> with speaking("de"):
    ...     language = spoken()
    >>> language and language.english("niemals")
    'never'
    """
    token = _SPOKEN.set(language(code))
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def in_language(code: str, items: Iterable[T]) -> Iterator[T]:
    """The items of an iterable, each of them made in this language; who takes them goes on in another."""
    iterator = iter(items)
    while True:
        with speaking(code):
            try:
                item = next(iterator)
            except StopIteration:
                return
        yield item


@cache
def language(code: str) -> Language | None:
    """A language by its code; None for English."""
    if code == ENGLISH:
        return None
    if code not in codes():
        raise BadInput(unknown("language", code, codes()))
    data = tomllib.loads(files("memtriage.text").joinpath("languages", f"{code}.toml").read_text("utf-8"))
    return Language(code, data)


@cache
def codes() -> tuple[str, ...]:
    """The codes of all languages that can be read, English first."""
    found = (file.name for file in files("memtriage.text").joinpath("languages").iterdir())
    return (ENGLISH, *sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def english(word: str) -> str:
    """The English word that a word of the language spoken is read as; in English, the word itself."""
    language = spoken()
    return word if language is None else language.english(word)
