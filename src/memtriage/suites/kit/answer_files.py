"""Files of answers from elsewhere: JSON lines, a JSON list, the results of another harness, or a table of two columns.

An entry has an id and an answer, under any of the names that harnesses use. A table may be typed in by hand, for
answers from a chat that has no API.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, load_at, loads, read_text

IDS = ("question_id", "qa_pair_id", "id")
ANSWERS = ("hypothesis", "output", "answer")
_NEEDED = "an id (question_id, qa_pair_id or id) and an answer (hypothesis, output or answer)"
_ASKS = ("question", "questions", "query")
_RESULTS = "data"
"""Where the results of MemoryAgentBench's own harness have their list."""

_SEPARATOR = re.compile(r"[\t;,]")
Answer = tuple[str, str, str]
"""Where an answer stands, the id of its question, and the answer."""

Complain = Callable[[str], None]


def read_answers(path: Path, complain: Complain) -> Iterator[Answer]:
    """The answers of a file, with the place of each; what can't be read is named and passed over."""
    text = read_text(path)
    opening = text.lstrip()[:1]
    if path.suffix.lower() in (".csv", ".tsv") or opening not in "[{":
        yield from _read_columns(path, text, complain)
    elif opening == "[":
        yield from _read_list(path, text, complain)
    elif (results := _results(text)) is not None:
        for number, entry in enumerate(results, start=1):
            yield from _entry(entry, f"{path}, entry {number} of {_RESULTS!r}", complain)
    else:
        yield from _read_lines(path, text, complain)


def first_answers(path: Path, complain: Complain) -> dict[str, str]:
    """The answers of a file by question; of two to the same question, the first. A file without any is refused."""
    found: dict[str, tuple[str, str]] = {}
    complaints: list[str] = []

    def note(problem: str) -> None:
        complaints.append(problem)
        complain(problem)

    for where, id, answer in read_answers(path, note):
        if id in found:
            complain(f"{where}: question {id} was answered before, at {found[id][0]}; that answer is graded")
        else:
            found[id] = (where, answer)
    if not found and not complaints:
        raise BadInput(f"{path} holds no answers; each entry needs {_NEEDED}")
    return {id: answer for id, (_, answer) in found.items()}


def _results(text: str) -> list[object] | None:
    """The entries of a results file: one object whose `data` is a list."""
    try:
        whole = loads(text)
    except BadJson:
        return None
    entries = whole.get(_RESULTS) if isinstance(whole, dict) else None
    return entries if isinstance(entries, list) else None


def _read_lines(path: Path, text: str, complain: Complain) -> Iterator[Answer]:
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"{path}:{number}"
        if line.strip():
            try:
                entry = loads(line)
            except BadJson as error:
                complain(f"{where} is no JSON ({error}); each line is an object with {_NEEDED}")
                continue
            yield from _entry(entry, where, complain)


def _read_list(path: Path, text: str, complain: Complain) -> Iterator[Answer]:
    """The entries of a list, each named by the line it begins on."""
    at = text.index("[") + 1
    for number in count(1):
        at = _skip_separators(text, at)
        if text[at : at + 1] == "]":
            return
        where = f"{path}:{text.count(chr(10), 0, at) + 1}"
        try:
            entry, at = load_at(text, at)
        except BadJson as error:
            complain(f"{where}: entry {number} is no JSON ({error}); what comes after it was not read")
            return
        yield from _entry(entry, where, complain)


def _skip_separators(text: str, at: int) -> int:
    """Where the next entry of a list begins."""
    while at < len(text) and (text[at].isspace() or text[at] == ","):
        at += 1
    return at


def _read_columns(path: Path, text: str, complain: Complain) -> Iterator[Answer]:
    """Two columns, with or without a heading; answers may span lines where they are quoted.

    Columns are parted by commas, by tabs or, as some countries' spreadsheets do it, by semicolons: by whichever comes
    first, for it stands behind an id or its heading.
    """
    separator = _SEPARATOR.search(text)
    rows = csv.reader(text.splitlines(keepends=True), delimiter=separator[0] if separator else ",", strict=True)
    order = (0, 1)
    begin = 1
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            complain(f"{path}:{begin}: {error}; put answers with commas or line breaks in double quotes")
            return
        if row is None:
            return
        where, begin = f"{path}:{begin}", rows.line_num + 1
        names = [cell.strip().lower() for cell in row]
        id, answer = _name(IDS, names), _name(ANSWERS, names)
        if id and answer:
            order = (names.index(id), names.index(answer))
        elif any(row) and len(row) != 2 and order == (0, 1):
            complain(f"{where} has {len(row)} columns, not two (id and answer); quote answers with commas in them")
        elif any(row) and len(row) <= max(order):
            complain(f"{where} has only {len(row)} columns")
        elif any(row):
            yield from _entry({IDS[0]: row[order[0]].strip(), ANSWERS[0]: row[order[1]]}, where, complain)


def _name(names: Iterable[str], among: Iterable[str] | Mapping[str, object]) -> str | None:
    return next((name for name in names if name in among), None)


def _entry(entry: object, where: str, complain: Complain) -> Iterator[Answer]:
    if not isinstance(entry, dict):
        complain(f"{where} is no object with {_NEEDED}")
        return
    id = entry.get(_name(IDS, entry) or "")
    named = _name(ANSWERS, entry)
    answer = entry.get(named or "")
    if not isinstance(id, str) or not id:
        complain(f"{where} has no id (question_id, qa_pair_id or id)")
    elif named == "answer" and _name(_ASKS, entry):
        complain(f"{where}: {id} has a question and its gold answer, as data files do; give a file of answers")
    elif isinstance(answer, bool) or not isinstance(answer, str | int | float):
        complain(f"{where}: question {id} has no answer; one that was not given is an empty text")
    else:
        yield where, id, str(answer)
