"""The statistics of MemFail's table 2: rows, questions, tokens and what is particular to each dataset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean

from memtriage.core.errors import BadInput
from memtriage.core.suite import Cell, DataTable, Request
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.memfail.data import load_rows, present_files
from memtriage.suites.memfail.rows import DATASETS, CoexistingRow, ConditionalRow, LongHopRow, PersonaRow, Row
from memtriage.text.tokens import count_all

COLUMNS = ("Dataset", "Generator", "# Q", "# Graded", "Avg. tok.", "Other")

TITLES = {
    "conditional-easy": "Conditional-Facts (Easy)",
    "conditional-hard": "Conditional-Facts (Hard)",
    "coexisting": "Coexisting-Facts",
    "persona": "Persona-Retrieval",
    "long-hop": "Long-Hop",
}
"""The paper's names of the datasets."""


def table_2(datasets: Sequence[str], request: Request) -> DataTable:
    """Table 2 for generated rows, or for released ones; if all datasets are asked for, those whose files are there.

    >>> table_2(["conditional-easy"], Request(rows=2)).rows[0][:4]
    ('Conditional-Facts (Easy)', 'memtriage', 2, 2)
    """
    if request.data is not None and set(datasets) == set(DATASETS):
        there = present_files(request.data)
        datasets = [dataset for dataset in datasets if dataset in there]
    return DataTable("MemFail, table 2", COLUMNS, tuple(_line(dataset, request) for dataset in datasets))


def _line(dataset: str, request: Request) -> tuple[Cell | tuple[Cell, ...], ...]:
    rows, provenance = load_rows(dataset, request)
    file = provenance.get("file")
    generator = _generator(Path(str(file)), dataset) if file else _OWN
    if not rows:
        raise BadInput(f"{file} holds no rows")
    groups = _groups(rows)
    sizes = "/".join(str(size) for size in groups if size)
    title = f"{TITLES[dataset]} ({_GROUPED[dataset]}={sizes})" if dataset in _GROUPED else TITLES[dataset]

    def of_each(measure: Callable[[list[Row]], Cell]) -> Cell | tuple[Cell, ...]:
        values = tuple(measure(group) for group in groups.values())
        return values if dataset in _GROUPED else values[0]

    asked = of_each(lambda group: sum(len(_questions(row)) for row in group))
    tokens = of_each(lambda group: round(float(mean(count_all([*_told(row), *_questions(row)]) for row in group)), 1))
    return title, generator, of_each(len), asked, tokens, _other(groups)


_GROUPED = {"coexisting": "N", "long-hop": "K"}
"""The datasets that are broken out by the size of their rows, and the paper's letter for it."""

_OWN = "memtriage"
"""The generator of rows that no model wrote."""


def _groups(rows: Sequence[Row]) -> dict[int, list[Row]]:
    """The rows by number of preferences or hops, smallest first; all together where rows have no such size."""
    groups = defaultdict[int, list[Row]](list)
    for row in rows:
        match row:
            case CoexistingRow():
                groups[len(row.preferences)].append(row)
            case LongHopRow():
                groups[row.hop_count].append(row)
            case _:
                groups[0].append(row)
    return dict(sorted(groups.items()))


def _told(row: Row) -> tuple[str, ...]:
    """What a memory is told for the sake of a row."""
    match row:
        case CoexistingRow():
            return row.preference_facts
        case LongHopRow():
            return row.facts
        case _:
            return (row.essay,)


def _questions(row: Row) -> tuple[str, ...]:
    """What is asked about a row, word for word."""
    match row:
        case PersonaRow():
            return tuple(question.text for question in row.questions)
        case LongHopRow():
            return (row.graded_question,)
        case _:
            return (row.question,)


def _other(groups: dict[int, list[Row]]) -> str:
    rows = [row for group in groups.values() for row in group]
    match rows[0]:
        case ConditionalRow():
            rules = [row for row in rows if isinstance(row, ConditionalRow)]
            met = sum(row.condition_met == "yes" for row in rules)
            return f"{met}y / {len(rules) - met}n; {len({row.condition_type for row in rules})} cond. types"
        case PersonaRow():
            asked = [question for row in rows if isinstance(row, PersonaRow) for question in row.questions]
            return f"{mean(question.is_misleading for question in asked):.1%} misleading"
        case _:
            return "/".join(str(sum(len(_told(row)) for row in group)) for group in groups.values()) + " facts"


def _generator(file: Path, dataset: str) -> str:
    """Who made the rows of a file, as the records beside it have it; unknown if they don't agree or there are none.

    A record of other rows, which has another hash, tells nothing about these.
    """
    models: set[str] = set()
    for path in file.parent.glob("*.json"):
        try:
            record = loads(read_text(path))
        except BadJson:
            continue
        if not isinstance(record, dict) or record.get("dataset", dataset) != dataset:
            continue
        if record.get("sha256", sha := sha256(file)) == sha:
            made = record.get("model_name") or record.get("model")
            models |= {made} if isinstance(made, str) else {_OWN} if "generator_version" in record else set()
    return models.pop() if len(models) == 1 else "unknown"
