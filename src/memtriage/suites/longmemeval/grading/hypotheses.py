"""The official hypothesis file: answers by question id, read, matched with the questions, and scored.

Two fields are all it has, `question_id` and `hypothesis`, as JSON lines or a JSON list; two columns of a table do as
well, for answers typed in by hand from a chat that has no API.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.handed_in import AnswerSheet, GivenAnswer, Mark
from memtriage.suites.longmemeval import errata
from memtriage.suites.longmemeval.grading.by_words import settled
from memtriage.suites.longmemeval.options import Size
from memtriage.suites.longmemeval.question import ABSTENTION, TYPES
from memtriage.suites.longmemeval.released import files

_ID, _ANSWER = "question_id", "hypothesis"
_SEPARATOR = re.compile(r"[\t;,]")
Answer = tuple[str, str, str]
"""Where an answer stands, the id of its question, and the answer."""

Complain = Callable[[str], None]


class Hypotheses:
    """Grades hypothesis files of LongMemEval."""

    def read(self, answers: Path, data: Path) -> AnswerSheet:
        problems: list[str] = []
        by_id = _first_answers(read_hypotheses(answers, problems.append), problems.append)
        if not by_id and not problems:
            raise BadInput(f"{answers} holds no answers; each line needs {_ID} and {_ANSWER}")
        probes = {probe.id: probe for probe in references(data, problems.append)}
        if not probes:
            raise BadInput(f"{data} holds no questions that answers could be compared with; {'; '.join(problems[:3])}")
        return AnswerSheet(
            given=tuple(GivenAnswer(probes[id], answer) for id, answer in by_id.items() if id in probes),
            missing=tuple(id for id in probes if id not in by_id),
            strangers=tuple(id for id in by_id if id not in probes),
            problems=tuple(problems),
            corrected=_corrected(probes),
            errata=errata.load().version,
        )

    def by_words(self, probe: Probe, answer: str) -> tuple[bool, str] | None:
        type = ABSTENTION if probe.scoring == "abstain" else probe.tags["type"]
        return settled(type, probe.text, probe.gold, answer)

    def groups(self, marks: Sequence[Mark]) -> dict[str, list[Mark]]:
        """By type, abstention questions among theirs."""
        return {type: [mark for mark in marks if mark.given.probe.tags["type"] == type] for type in TYPES}

    def log(self, marks: Sequence[Mark], judge: str) -> Iterator[Mapping[str, object]]:
        for mark in marks:
            if mark.right is not None:
                label = {"model": judge, "label": mark.right}
                yield {_ID: mark.given.probe.id, _ANSWER: mark.given.answer, "autoeval_label": label}


def references(data: Path, complain: Complain) -> Iterator[Probe]:
    """The questions of a data file, without their histories; an entry that lacks something is named."""
    if data.is_dir():
        data = files.find(data, _any_size(data)).path
    for number, entry in files.Entries(data, lambda problem: complain(f"{data}: {problem}")):
        found = entry if isinstance(entry, dict) else {}
        id, type = found.get(_ID), found.get("question_type")
        where = f"{data}, question {id}" if isinstance(id, str) else f"{data}, entry {number}"
        lacks = [key for key in (_ID, "question", "answer") if not isinstance(found.get(key), str | int | float)]
        if lacks:
            complain(f"{where} lacks {', '.join(lacks)}")
        elif type not in TYPES:
            complain(f"{where} is of the unknown type {type!r}; the types are {', '.join(TYPES)}")
        else:
            yield _probe(str(id), str(type), str(found["question"]), str(found["answer"]))


def _any_size(folder: Path) -> Size:
    """A size whose file a folder has: questions and gold answers are the same in all of them."""
    there = {files.size_of(path) for path in folder.iterdir()}
    return next((size for size in ("oracle", "s", "m") if size in there), "s")


def _probe(id: str, type: str, question: str, gold: str) -> Probe:
    abstains = id.endswith("_abs")
    return Probe(
        id,
        question,
        gold,
        (),
        scoring="abstain" if abstains else "free",
        task=f"longmemeval/{ABSTENTION if abstains else type}",
        tags={"type": type},
        cluster=id,
    )


# ------------------------------------------------------------------ the file of answers


def read_hypotheses(path: Path, complain: Complain) -> Iterator[Answer]:
    """The answers of a file, with the place of each; what can't be read is named and passed over."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"{path} can't be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    opening = text.lstrip()[:1]
    if path.suffix.lower() in (".csv", ".tsv") or opening not in "[{":
        yield from _read_columns(path, text, complain)
    elif opening == "[":
        yield from _read_list(path, text, complain)
    else:
        yield from _read_lines(path, text, complain)


def _read_lines(path: Path, text: str, complain: Complain) -> Iterator[Answer]:
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"{path}:{number}"
        if line.strip():
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError) as error:
                complain(f"{where} is no JSON ({error}); each line is an object with {_ID} and {_ANSWER}")
                continue
            yield from _entry(entry, where, complain)


def _read_list(path: Path, text: str, complain: Complain) -> Iterator[Answer]:
    """The entries of a list, each named by the line it begins on."""
    decoder = json.JSONDecoder()
    at = text.index("[") + 1
    for number in count(1):
        at = _skip_separators(text, at)
        if text[at : at + 1] == "]":
            return
        where = f"{path}:{text.count(chr(10), 0, at) + 1}"
        try:
            entry, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
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
        if _ID in names and _ANSWER in names:
            order = (names.index(_ID), names.index(_ANSWER))
        elif any(row) and len(row) != 2 and order == (0, 1):
            complain(f"{where} has {len(row)} columns, not two ({_ID}, {_ANSWER}); quote answers with commas in them")
        elif any(row) and len(row) <= max(order):
            complain(f"{where} has only {len(row)} columns")
        elif any(row):
            yield from _entry({_ID: row[order[0]].strip(), _ANSWER: row[order[1]]}, where, complain)


def _entry(entry: object, where: str, complain: Complain) -> Iterator[Answer]:
    if not isinstance(entry, dict):
        complain(f"{where} is no object with {_ID} and {_ANSWER}")
        return
    id, answer = entry.get(_ID), entry.get(_ANSWER)
    if not isinstance(id, str) or not id:
        complain(f"{where} has no {_ID}")
    elif isinstance(answer, bool) or not isinstance(answer, str | int | float):
        complain(f"{where}: question {id} has no {_ANSWER}; an answer that was not given is an empty text")
    else:
        yield where, id, str(answer)


def _first_answers(every: Iterable[Answer], complain: Complain) -> dict[str, str]:
    """The answers by question; of two to the same question, the first."""
    found: dict[str, tuple[str, str]] = {}
    for where, id, answer in every:
        if id in found:
            complain(f"{where}: question {id} was answered before, at {found[id][0]}; that answer is graded")
        else:
            found[id] = (where, answer)
    return {id: answer for id, (_, answer) in found.items()}


def _corrected(probes: Mapping[str, Probe]) -> dict[str, Probe]:
    """The questions whose gold answer is known to be wrong, with the right one."""
    known = errata.load().entries
    wrong = [probe for id, probe in probes.items() if id in known and known[id].was == probe.gold.strip()]
    return {probe.id: replace(probe, gold=known[probe.id].gold) for probe in wrong}
