"""The columns of MemFail's CSV files: how the cells of one row become a row object, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.memfail.rows import (
    DATASETS,
    LETTERS,
    CoexistingRow,
    ConditionalRow,
    LongHopRow,
    PersonaQuestion,
    PersonaRow,
    Row,
)


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """How one dataset is laid out: its place, its columns, and the way from cells to a row and back.

    No two rows of a file may agree in all fields of `key`.
    """

    folder: str
    file: str
    columns: tuple[str, ...]
    optional: tuple[str, ...]
    row: type[Row]
    build: Callable[[Cells], Row]
    cells: Callable[[Row], dict[str, str]]
    key: tuple[str, ...]


class Cells:
    """One row's cells; each reader returns a usable value, or notes the problem and returns a stand-in."""

    def __init__(self, values: Mapping[str, str], where: str, problems: list[str]) -> None:
        self.values = values
        self.where = where
        self._problems = problems

    def wrong(self, column: str, what: str) -> None:
        self._problems.append(f"{self.where}, column {column!r}: {what}")

    def text(self, column: str) -> str:
        value = self.values[column]
        if not value.strip():
            self.wrong(column, "is empty; fill it in")
        return value

    def one_of(self, column: str, allowed: Sequence[str]) -> str:
        value = self.values[column]
        if value not in allowed:
            self.wrong(column, f"{_short(value)} is not one of {', '.join(allowed)}")
        return value

    def integer(self, column: str) -> int:
        value = self.values[column].strip()
        if not re.fullmatch(r"\d{1,9}", value, re.ASCII):
            self.wrong(column, f"{_short(value)} is not a whole number such as 2")
            return 0
        return int(value)

    def json(self, column: str) -> object:
        """The cell's JSON value; None, with a note, where there is none."""
        value = self.values[column]
        try:
            loaded: object = json.loads(value)
        except (ValueError, RecursionError) as error:
            self.wrong(column, f'is not valid JSON ({error}); write a list such as ["…"], with double quotes')
            return None
        if "\\ud" in value.lower() and not _encodable(json.dumps(loaded, ensure_ascii=False)):
            self.wrong(column, "holds half a character (a lone surrogate); write the whole one")
            return None
        if loaded is None:
            self.wrong(column, "is null; write a JSON list")
        return loaded

    def strings(self, column: str) -> tuple[str, ...]:
        value = self.json(column)
        return () if value is None else self.texts_of(column, value)

    def texts_of(self, column: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            self.wrong(column, f'{_short(value)} is not a list of texts; write ["…", "…"]')
            return ()
        return tuple(value)

    def essay(self, column: str = "entity_facts") -> str:
        texts = self.strings(column)
        if len(texts) == 1:
            return texts[0]
        if texts or self.values[column].strip() == "[]":
            self.wrong(column, f"holds {len(texts)} texts; it takes a JSON list with exactly one, the essay")
        return ""

    def optional_strings(self, column: str) -> tuple[str, ...]:
        return self.strings(column) if self.values.get(column) else ()

    def numbered(self, stem: str) -> tuple[str, ...]:
        """The filled cells of stem_1, stem_2 …, which may be empty at the end only."""
        columns = sorted((c for c in self.values if re.fullmatch(rf"{stem}_\d+", c)), key=column_number)
        texts = [self.values[c] for c in columns]
        while texts and not texts[-1]:
            texts.pop()
        for column, text in zip(columns, texts, strict=False):
            if not text.strip():
                self.wrong(column, "is empty, but a later one is filled; close the gap")
        return tuple(texts)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# --- one row -----------------------------------------------------------------------------------------


def _conditional(cells: Cells) -> Row:
    return ConditionalRow(
        entity=cells.text("entity"),
        entity_category=cells.text("entity_category"),
        behavior=cells.text("behavior"),
        condition_type=cells.text("condition_type"),
        condition=cells.text("condition"),
        essay=cells.essay(),
        question=cells.text("question"),
        question_context=cells.text("question_context"),
        condition_met=cells.one_of("condition_met", ("yes", "no")),
        ground_truth_answer=cells.text("ground_truth_answer"),
        evidence=cells.optional_strings("evidence"),
        details=cells.optional_strings("details"),
    )


def _conditional_cells(row: Row) -> dict[str, str]:
    assert isinstance(row, ConditionalRow)
    cells = {c: getattr(row, c) for c in _CONDITIONAL if c != "entity_facts"}
    cells["entity_facts"] = json.dumps([row.essay])
    return cells | {mark: json.dumps(getattr(row, mark)) for mark in _MARKS if getattr(row, mark)}


def _coexisting(cells: Cells) -> Row:
    return CoexistingRow(
        preference_category=cells.text("preference_category"),
        preferences=cells.strings("preferences"),
        preference_facts=cells.strings("preference_facts"),
        question=cells.text("question"),
        ground_truth_answer=cells.text("ground_truth_answer"),
    )


def _coexisting_cells(row: Row) -> dict[str, str]:
    assert isinstance(row, CoexistingRow)
    lists = {c: json.dumps(getattr(row, c)) for c in ("preferences", "preference_facts")}
    return {c: getattr(row, c) for c in _COEXISTING} | lists


def _persona(cells: Cells) -> Row:
    questions = cells.json("questions")
    if questions is not None and not isinstance(questions, list):
        cells.wrong("questions", f"{_short(questions)} is not a list of questions")
        questions = None
    return PersonaRow(
        entity=cells.text("entity"),
        essay=cells.essay(),
        questions=tuple(_question(cells, item, number) for number, item in enumerate(questions or [], 1)),
    )


def _question(cells: Cells, item: object, number: int) -> PersonaQuestion:
    for problem in _question_problems(item):
        cells.wrong("questions", f"question {number}: {problem}")
    given: dict[str, object] = item if isinstance(item, dict) else {}
    distractor = given.get("distractor")
    return PersonaQuestion(
        text=str(given.get("text")),
        is_misleading=given.get("is_misleading") is True,
        distractor=distractor if isinstance(distractor, str) else None,
        ground_truth_answer=str(given.get("ground_truth_answer")),
        evidence=cells.texts_of("questions", given.get("evidence", [])),
        details=cells.texts_of("questions", given.get("details", [])),
    )


def _question_problems(item: object) -> list[str]:
    if not isinstance(item, dict):
        return [f"{_short(item)} is not an object with {', '.join(_QUESTION)}"]
    known = (*_QUESTION, *_MARKS)
    problems = [unknown("key", name, known) for name in item if name not in known]
    problems += [f"no {name!r}" for name in _QUESTION if name not in item]
    wrong = [name for name, fits in _QUESTION.items() if name in item and not fits(item[name])]
    return problems + [f"{name!r} is {_short(item[name])}; {_WANTED[name]}" for name in wrong]


def _filled(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


_QUESTION: dict[str, Callable[[object], bool]] = {
    "text": _filled,
    "is_misleading": lambda value: isinstance(value, bool),
    "distractor": lambda value: value is None or _filled(value),
    "ground_truth_answer": _filled,
}
_WANTED = {
    "text": "write a text",
    "is_misleading": "write true or false",
    "distractor": "write a name or null",
    "ground_truth_answer": "write a text",
}
_MARKS = ("evidence", "details")


def _persona_cells(row: Row) -> dict[str, str]:
    assert isinstance(row, PersonaRow)
    questions = [
        {name: getattr(q, name) for name in _QUESTION} | {m: getattr(q, m) for m in _MARKS if getattr(q, m)}
        for q in row.questions
    ]
    return {
        "entity": row.entity,
        "entity_facts": json.dumps([row.essay]),
        "questions": json.dumps(questions, ensure_ascii=False),  # as released, unlike the essay
    }


def _long_hop(cells: Cells) -> Row:
    return LongHopRow(
        id=cells.text("id"),
        hop_count=cells.integer("hop_count"),
        facts=cells.numbered("fact"),
        chain=cells.numbered("chain"),
        graded_question=cells.text("graded_question"),
        ground_truth_answer=cells.text("ground_truth_answer"),
        choices=tuple(cells.text(f"choice_{letter.lower()}") for letter in LETTERS),
        correct_choice=cells.one_of("correct_choice", LETTERS),
    )


def _long_hop_cells(row: Row) -> dict[str, str]:
    assert isinstance(row, LongHopRow)
    if len(row.choices) != len(LETTERS):
        raise BadInput(f"chain {row.id!r} has {len(row.choices)} choices; it takes {len(LETTERS)}")
    return {
        "id": row.id,
        "hop_count": str(row.hop_count),
        **{f"fact_{i}": fact for i, fact in enumerate(row.facts, 1)},
        **{f"chain_{i}": anchor for i, anchor in enumerate(row.chain, 1)},
        "graded_question": row.graded_question,
        "ground_truth_answer": row.ground_truth_answer,
        **{f"choice_{letter.lower()}": choice for letter, choice in zip(LETTERS, row.choices, strict=True)},
        "correct_choice": row.correct_choice,
    }


def column_number(column: str) -> int:
    """The number at the end of fact_2 or chain_3; 0 for a column without one."""
    number = column.rpartition("_")[2]
    return int(number) if number.isdigit() else 0


_CONDITIONAL = (
    *("entity", "entity_category", "behavior", "condition_type", "condition", "entity_facts"),
    *("question", "question_context", "condition_met", "ground_truth_answer"),
)
_COEXISTING = ("preference_category", "preferences", "preference_facts", "question", "ground_truth_answer")
_PERSONA = ("entity", "entity_facts", "questions")
_LONG_HOP = (
    *("id", "hop_count"),
    *(f"fact_{i}" for i in range(1, 5)),
    *(f"chain_{i}" for i in range(1, 6)),
    *("graded_question", "ground_truth_answer"),
    *(f"choice_{letter.lower()}" for letter in LETTERS),
    "correct_choice",
)


def _conditional_layout(level: str) -> CsvLayout:
    return CsvLayout(
        folder=f"conditional_facts/{level}",
        file=f"conditional_facts_dataset_{level}.csv",
        columns=_CONDITIONAL,
        optional=_MARKS,
        row=ConditionalRow,
        build=_conditional,
        cells=_conditional_cells,
        key=("entity", "question"),
    )


_LAYOUTS = {
    "conditional-easy": _conditional_layout("easy"),
    "conditional-hard": _conditional_layout("hard"),
    "coexisting": CsvLayout(
        folder="coexisting_facts",
        file="coexisting_facts_dataset.csv",
        columns=_COEXISTING,
        optional=(),
        row=CoexistingRow,
        build=_coexisting,
        cells=_coexisting_cells,
        key=("preference_category", "question"),
    ),
    "persona": CsvLayout(
        folder="custom_persona_retrieval",
        file="persona_dataset.csv",
        columns=_PERSONA,
        optional=(),
        row=PersonaRow,
        build=_persona,
        cells=_persona_cells,
        key=("entity", "essay"),
    ),
    "long-hop": CsvLayout(
        folder="long_hop",
        file="long_hop_chains.csv",
        columns=_LONG_HOP,
        optional=(),
        row=LongHopRow,
        build=_long_hop,
        cells=_long_hop_cells,
        key=("id",),
    ),
}


def layout_of(dataset: str) -> CsvLayout:
    """The layout of one of the five datasets."""
    if dataset not in _LAYOUTS:
        raise BadInput(unknown("dataset", dataset, DATASETS))
    return _LAYOUTS[dataset]
