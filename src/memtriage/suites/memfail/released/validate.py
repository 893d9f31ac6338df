"""Check MemFail rows against the structure the paper asks for; generated and released rows alike.

An `error` is broken structure: the row can't be graded as its dataset means it. A `warning` is a rule of style
that the released rows break themselves now and then; it is counted, and nothing is refused because of it. Persona rows
whose people can't be told apart are broken where this project made them, and only warned about where it did not.

>>> problems = validate(rows, "coexisting", "my.csv")     # doctest: +SKIP
>>> print(*summary(problems), sep="\\n")                   # doctest: +SKIP
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memtriage.core.errors import BadInput
from memtriage.suites.kit.shortcuts import Quiz, shortcuts
from memtriage.suites.memfail.paper import categories
from memtriage.suites.memfail.released import rules
from memtriage.suites.memfail.released.columns import layout_of
from memtriage.suites.memfail.released.rules import Broken
from memtriage.suites.memfail.rows import LETTERS, CoexistingRow, ConditionalRow, LongHopRow, PersonaRow, Row
from memtriage.text.language import ENGLISH

Level = Literal["error", "warning"]

WARNINGS = frozenset(
    """answer-agrees no-connective question-names-entity first-person-fact sentence-count anchor-literal
    one-person-per-name one-conditional decomposed scenario-question third-person answer-supported
    short-fact one-sentence person-in-fact self-contained wrong-is-anchor fact-unique one-row-per-category balance
    """.split()
)
"""Rules that are only warned about: what released rows break themselves, matters of style, and guesses from words."""

OF_ENGLISH = frozenset(
    """abstains answer-yes-no category condition-type distractor-known entity-known anchor-literal first-person-fact
    answer-agrees no-connective third-person one-conditional scenario-question one-person-per-name
    anchor-in-fact""".split()
)
"""Rules that look for English words, or for names out of the paper's lists: rows in other languages can't keep them."""

BALANCED = (0.25, 0.75)
"""Within which share yes, and misleading questions, should lie."""

_ENOUGH = 20  # with fewer rows a share says nothing about balance


@dataclass(frozen=True, slots=True)
class RowProblem:
    """One broken rule: in which row (counted from 1; 0 for the dataset as a whole), and how."""

    row: int
    rule: str
    message: str
    level: Level
    source: str

    def __str__(self) -> str:
        where = f"row {self.row}" if self.row else "all rows together"
        return f"{self.source}, {where}: {self.message} [{self.level}: {self.rule}]"


def validate(rows: Sequence[Row], dataset: str, source: str, language: str = ENGLISH) -> list[RowProblem]:
    """Every rule that the rows break, row by row, then those that only all rows together can break.

    `source` says where the rows come from, for the messages: a file, or "generated".
    """
    layout = layout_of(dataset)
    problems: list[RowProblem] = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, layout.row):
            raise BadInput(f"{source}: row {number} is a {type(row).__name__}, but {dataset} has {layout.row.__name__}")
        problems += [_placed(broken, number, source) for broken in _ROW_RULES[dataset](row)]
    problems += [_placed(broken, number, source) for number, broken in _TOGETHER[dataset](rows)]
    return [problem for problem in problems if language == ENGLISH or problem.rule not in OF_ENGLISH]


def guessable(rows: Sequence[Row], dataset: str, source: str) -> list[RowProblem]:
    """The ways to guess answers without any memory that beat chance on these rows; nothing is refused for them."""
    quizzes = [quiz for number, row in enumerate(rows, 1) for quiz in _quizzes(row, number)]
    return [RowProblem(0, "shortcut", str(found), "warning", source) for found in shortcuts(quizzes)]


def _quizzes(row: Row, number: int) -> Iterator[Quiz]:
    """The questions of a row whose answer is one of a few."""
    match row:
        case ConditionalRow():
            yield Quiz(number, row.question, ("yes", "no"), int(row.condition_met != "yes"))
        case PersonaRow():
            for question in row.questions:
                nameless = question.text.replace(question.distractor or row.entity, "X")  # who is meant is the question
                yield Quiz(number, nameless, ("known", "not known"), int(question.is_misleading))
        case LongHopRow():
            yield Quiz(number, rules.bare_question(row), row.choices, LETTERS.index(row.correct_choice))


def errors(problems: Iterable[RowProblem]) -> list[RowProblem]:
    """The problems that make rows unusable."""
    return [problem for problem in problems if problem.level == "error"]


def summary(problems: Sequence[RowProblem]) -> list[str]:
    """One line per broken rule, errors first: how often it is broken, and the first case."""
    counts = Counter(problem.rule for problem in problems)
    first = {problem.rule: problem for problem in reversed(problems)}
    order = sorted(first.values(), key=lambda p: (p.level, -counts[p.rule], p.rule))
    return [f"{counts[p.rule]} × {p}" for p in order]


def _placed(broken: Broken, row: int, source: str) -> RowProblem:
    level: Level = "warning" if broken.warning or broken.rule in WARNINGS else "error"
    return RowProblem(row, broken.rule, broken.message, level, source)


# --- rules that only all rows together can break, with the row that each problem is in (0: no single one) -------------


def _conditional_together(rows: Sequence[ConditionalRow]) -> Iterator[tuple[int, Broken]]:
    yield from _balance("condition_met is yes", [row.condition_met == "yes" for row in rows])


def _coexisting_together(rows: Sequence[CoexistingRow]) -> Iterator[tuple[int, Broken]]:
    counts = Counter(row.preference_category for row in rows)
    repeated = [category for category, count in counts.items() if count > 1]
    if repeated and len(rows) <= len(categories()):
        message = f"{len(repeated)} categories have several rows, such as {repeated[0]!r}"
        yield 0, Broken("one-row-per-category", message)


def _persona_together(rows: Sequence[PersonaRow]) -> Iterator[tuple[int, Broken]]:
    yield from _balance("is_misleading is true", [q.is_misleading for row in rows for q in row.questions])
    yield from rules.told_apart(rows)


def _long_hop_together(rows: Sequence[LongHopRow]) -> Iterator[tuple[int, Broken]]:
    for id, times in Counter(row.id for row in rows).items():
        if times > 1:
            yield 0, Broken("unique-id", f"id {id!r} occurs {times} times")
    chains: dict[str, str] = {}
    for row in rows:
        for fact in row.facts:
            other = chains.setdefault(rules.plain(fact), row.id)
            if other != row.id:
                yield 0, Broken("fact-unique", f"chains {other!r} and {row.id!r} share a fact: {fact}")
    letters = Counter(row.correct_choice for row in rows)
    if len(rows) >= _ENOUGH:
        letter, count = letters.most_common(1)[0]
        if count / len(rows) > 0.5:
            yield 0, Broken("balance", f"{count} of {len(rows)} correct options are {letter}")


def _balance(what: str, values: Sequence[bool]) -> Iterator[tuple[int, Broken]]:
    least, most = BALANCED
    if len(values) >= _ENOUGH and not least <= sum(values) / len(values) <= most:
        share = f"{sum(values)} of {len(values)}"
        yield 0, Broken("balance", f"{what} in {share}; between {least:.0%} and {most:.0%} are meant")


# every function below is called with the rows of its own dataset only, which validate checks first
_ROW_RULES: dict[str, Callable[[Any], Iterator[Broken]]] = {
    "conditional-easy": rules.conditional_easy,
    "conditional-hard": rules.conditional_hard,
    "coexisting": rules.coexisting,
    "persona": rules.persona,
    "long-hop": rules.long_hop,
}
_TOGETHER: dict[str, Callable[[Any], Iterator[tuple[int, Broken]]]] = {
    "conditional-easy": _conditional_together,
    "conditional-hard": _conditional_together,
    "coexisting": _coexisting_together,
    "persona": _persona_together,
    "long-hop": _long_hop_together,
}
