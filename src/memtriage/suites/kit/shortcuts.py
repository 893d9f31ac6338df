"""Ways to guess an answer without any memory, and whether they beat chance on a dataset.

A question that gives its answer away measures nothing. So what can be known without the memory is tried: where the
right option stands, how long it is, and which words the question or the options use. Each guess is made for rows that
it was not learned from.

>>> always_last = [Quiz(row, "Which one?", ("a pear", "a plum"), 1) for row in range(1, 41)]
>>> [found.guess for found in shortcuts(always_last)]
['the commonest answer']
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtriage.core.episode import Probe
from memtriage.core.suite import Problem
from memtriage.metrics.statistics import wilson

CONFIDENCE = 0.99
"""Of all guesses that are tried on a dataset together, as any of them may be lucky."""

_FOLDS = 10
_FEWEST = 20  # with fewer rows no guess can be told from luck
_MOST = 26  # options beyond that are a catalogue to choose from
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LETTERED = re.compile(r"^[A-Z][.)] ")
_YES_OR_NO = re.compile(r"\s*(yes|no)\b", re.IGNORECASE)


class Quiz(NamedTuple):
    """A question with its options and the right one among them; questions of one row share their luck.

    Options that are the same for all questions (yes and no) are never told apart by their own words.
    """

    row: int
    question: str
    options: tuple[str, ...]
    correct: int


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A guess that beats chance: how often it is right, how often chance is, and where to look."""

    guess: str
    right: int
    of: int
    chance: float
    low: float
    rows: tuple[int, ...]
    telling: tuple[str, ...]
    remedy: str

    def __str__(self) -> str:
        words = f" (by {', '.join(self.telling)})" if self.telling else ""
        shown = ", ".join(map(str, self.rows[:8])) + (" …" if len(self.rows) > 8 else "")
        return (
            f"{self.guess}{words} gives the answer of {self.right} of {self.of} questions without any memory, chance "
            f"{self.chance:.0%}; rows {shown}; {self.remedy}"
        )


class _Guess(NamedTuple):
    """A way to guess: its name, what it picks having learned from other rows, and what to do where it works."""

    name: str
    learn: Callable[[Sequence[Quiz]], Callable[[Quiz], int]]
    remedy: str


def guessable(probes: Iterable[Probe]) -> list[Problem]:
    """A warning for every way to guess answers of a suite without any memory."""
    return [
        Problem(f"{kind}: {found} [shortcut]", False)
        for kind, quizzes in quizzes_of(probes).items()
        for found in shortcuts(quizzes, balanced=kind != "known or not")
    ]


def shortcuts(quizzes: Sequence[Quiz], balanced: bool = True) -> list[Shortcut]:
    """The guesses that beat chance on these questions, each tried on rows that it did not learn from.

    Answers that are not `balanced` come unevenly on purpose, so that the commonest one is no shortcut.
    """
    if len({quiz.row for quiz in quizzes}) < _FEWEST:
        return []
    fixed = len({quiz.options for quiz in quizzes}) == 1
    guesses = [guess for guess in _guesses(fixed) if balanced or guess.learn is not _commonest]
    confidence = 1 - (1 - CONFIDENCE) / len(guesses)
    return [found for guess in guesses if (found := _tried(guess, quizzes, fixed, confidence)) is not None]


def quizzes_of(probes: Iterable[Probe]) -> dict[str, list[Quiz]]:
    """The questions of a suite whose answer is one of a few, by kind: lettered choices, yes or no, known or not."""
    found: dict[str, list[Quiz]] = defaultdict(list)
    rows: dict[str, int] = {}
    for probe in probes:
        row = rows.setdefault(probe.cluster or probe.id, len(rows) + 1)
        if probe.choices:
            options = tuple(_LETTERED.sub("", choice) for choice in probe.choices)
            place = ord(probe.correct_choice) - ord("A") if probe.correct_choice else _place(probe.gold, options)
            if place >= 0 and len(options) <= _MOST:
                found["choices"].append(Quiz(row, probe.text.partition("\n\n")[0], options, place))
            continue
        found["known or not"].append(Quiz(row, probe.text, ("known", "not known"), int(probe.scoring == "abstain")))
        if said := _YES_OR_NO.match(probe.gold):
            found["yes or no"].append(Quiz(row, probe.text, ("yes", "no"), int(said[1].lower() == "no")))
    # where every question is of one kind, there is nothing to guess; options that are right in one place are guessed
    return {kind: found[kind] for kind in found if kind == "choices" or len({q.correct for q in found[kind]}) > 1}


def common_questions(asked: Mapping[str, Sequence[tuple[int, str]]]) -> list[Quiz]:
    """Questions that are asked in several rows, each given as row and answer, with all their answers to choose from.

    Whoever has learned which answers are common, long or like the question could pick the right one without a memory.
    """
    found = []
    for text, answers in asked.items():
        options = tuple(sorted({answer for _, answer in answers}))
        if 2 <= len(options) <= _MOST:
            found += [Quiz(row, text, options, options.index(answer)) for row, answer in answers]
    return found


def _place(gold: str, options: Sequence[str]) -> int:
    return options.index(gold) if gold in options else -1


def _tried(guess: _Guess, quizzes: Sequence[Quiz], fixed: bool, confidence: float) -> Shortcut | None:
    right: list[Quiz] = []
    for fold in range(_FOLDS):
        pick = guess.learn([quiz for quiz in quizzes if quiz.row % _FOLDS != fold])
        right += [quiz for quiz in quizzes if quiz.row % _FOLDS == fold and pick(quiz) == quiz.correct]
    # words have to beat the one who always says the commonest answer, whose own chance is one in so many
    even = sum(1 / len(quiz.options) for quiz in quizzes) / len(quizzes)
    commonest = Counter(quiz.correct for quiz in quizzes).most_common(1)[0][1] / len(quizzes)
    chance = max(even, commonest) if fixed and guess.name == _BY_QUESTION else even
    low = wilson(len(right), len(quizzes), confidence).low
    if low <= chance:
        return None
    rows = tuple(dict.fromkeys(quiz.row for quiz in sorted(right)))
    telling = _telling(quizzes, fixed) if guess.name in (_BY_QUESTION, _BY_OPTIONS) else ()
    return Shortcut(guess.name, len(right), len(quizzes), chance, low, rows, telling, guess.remedy)


_BY_QUESTION = "the words of the question"
_BY_OPTIONS = "the words of the options"


def _guesses(fixed: bool) -> Iterator[_Guess]:
    yield _Guess("the commonest answer" if fixed else "the commonest place", _commonest, "balance the right answers")
    yield _Guess(_BY_QUESTION, _by_question, "word the questions of all answers alike")
    if not fixed:
        yield _Guess(_BY_OPTIONS, _by_options, "draw right and wrong options from the same words")
        yield _Guess("the longest option", _longest, "make wrong options as long as the right one")
        yield _Guess("the shortest option", _shortest, "make wrong options as long as the right one")
        yield _Guess("the option most like the question", _most_alike, "let wrong options share the question's words")
        yield _Guess("the option most unlike the others", _oddest, "draw wrong options of the right one's kind")


def _commonest(known: Sequence[Quiz]) -> Callable[[Quiz], int]:
    place = Counter(quiz.correct for quiz in known).most_common(1)[0][0]
    return lambda _: place


def _longest(_: Sequence[Quiz]) -> Callable[[Quiz], int]:
    return lambda quiz: max(range(len(quiz.options)), key=lambda i: len(quiz.options[i]))


def _shortest(_: Sequence[Quiz]) -> Callable[[Quiz], int]:
    return lambda quiz: min(range(len(quiz.options)), key=lambda i: len(quiz.options[i]))


def _most_alike(_: Sequence[Quiz]) -> Callable[[Quiz], int]:
    def pick(quiz: Quiz) -> int:
        asked = _words(quiz.question)
        return max(range(len(quiz.options)), key=lambda i: _overlap(_words(quiz.options[i]), asked))

    return pick


def _oddest(_: Sequence[Quiz]) -> Callable[[Quiz], int]:
    def pick(quiz: Quiz) -> int:
        bags = [_words(option) for option in quiz.options]
        return min(range(len(bags)), key=lambda i: sum(_overlap(bags[i], bag) for bag in bags))

    return pick


def _by_question(known: Sequence[Quiz]) -> Callable[[Quiz], int]:
    bayes = _Bayes((_words(quiz.question), quiz.correct) for quiz in known)
    return lambda quiz: max(range(len(quiz.options)), key=lambda i: bayes.log_odds(_words(quiz.question), i))


def _by_options(known: Sequence[Quiz]) -> Callable[[Quiz], int]:
    bayes = _Bayes((_words(option), int(i == quiz.correct)) for quiz in known for i, option in enumerate(quiz.options))

    def pick(quiz: Quiz) -> int:
        odds = [bayes.log_odds(_words(option), 1) - bayes.log_odds(_words(option), 0) for option in quiz.options]
        return odds.index(max(odds))

    return pick


class _Bayes:
    """Naive Bayes on which words a text has, with one more text of each class that has every word half."""

    def __init__(self, texts: Iterable[tuple[frozenset[str], int]]) -> None:
        self._texts: Counter[int] = Counter()
        self._words: dict[int, Counter[str]] = defaultdict(Counter)
        for words, label in texts:
            self._texts[label] += 1
            self._words[label].update(words)

    def log_odds(self, words: Iterable[str], label: int) -> float:
        texts = self._texts[label]
        prior = math.log((texts + 1) / (sum(self._texts.values()) + 2))
        return prior + sum(math.log((self._words[label][word] + 0.5) / (texts + 1)) for word in words)


def _telling(quizzes: Sequence[Quiz], fixed: bool) -> tuple[str, ...]:
    """The few words that split right from wrong, or one answer from the others, most."""
    texts = (
        [(_words(quiz.question), quiz.correct) for quiz in quizzes]
        if fixed
        else [(_words(option), int(i == quiz.correct)) for quiz in quizzes for i, option in enumerate(quiz.options)]
    )
    totals = Counter(label for _, label in texts)
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for words, label in texts:
        for word in words:
            counts[word][label] += 1

    def strength(word: str) -> float:
        """How far the most and the least of its shares are apart, in standard errors of a word this common."""
        shares = [counts[word][label] / total for label, total in totals.items()]
        common = (counts[word].total() + 1) / (totals.total() + 2)
        return (max(shares) - min(shares)) / math.sqrt(common * (1 - common))

    return tuple(f"‘{word}’" for word in sorted(counts, key=lambda word: (-strength(word), word))[:4])


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower().replace("’", "'") for word in _WORD.findall(text))


def _overlap(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / math.sqrt(len(one) * len(two)) if one and two else 0.0
