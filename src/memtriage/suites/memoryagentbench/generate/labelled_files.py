"""Labelled sentences from a file: BANKING77, CLINC150, NLU and TREC as they are published, or any other table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, loads, read_input, refuse_encoding
from memtriage.text.labels import LABEL_LINE

Split = Literal["train", "test"]

TEXTS = ("text", "sentence", "utterance", "question", "query")
LABELS = ("label", "category", "intent", "class")
COARSE, FINE = ("coarse_label", "label-coarse"), ("fine_label", "label-fine")
"""Columns of TREC as a table, which has both labels."""
OUT_OF_SCOPE = "oos"

_TREC = re.compile(r"([A-Za-z]+):([A-Za-z]+)[ \t]+(\S.*)")
_SPLITS: Mapping[str, Split | None] = {"train": "train", "training": "train", "test": "test", "": "train"}
"""What a row's split means; rows of any other, such as those kept for validation, are left out."""


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence with its label, and where it stands in its file."""

    text: str
    label: str
    where: str

    @property
    def words(self) -> str:
        """What makes two sentences the same: their letters and digits, however they are written."""
        return " ".join(re.findall(r"\w+", self.text.casefold()))


@dataclass(frozen=True, slots=True)
class Labelled:
    """The examples of a file to learn from, and those it sets apart for testing (perhaps none)."""

    name: str
    train: tuple[Example, ...]
    test: tuple[Example, ...] = ()

    @property
    def to_learn(self) -> tuple[Example, ...]:
        """The examples to learn from; where the file sets all apart for testing, these."""
        examples = self.train or self.test
        if len({example.label for example in examples}) == 1:
            first = examples[0]
            raise BadInput(f"{first.where}: all sentences have the label {first.label!r}; it takes two to learn")
        return examples


def read(path: Path, text: str = "", label: str = "", fine: bool = False) -> Labelled:
    """The labelled sentences of a file; columns are guessed unless they are named.

    `fine` chooses TREC's fine labels over its coarse ones, in its own files (`train_5500.label`, `TREC_10.label`) and
    in tables with a column for each.
    """
    found: dict[Split, list[Example]] = {"train": [], "test": []}
    for split, example in _examples(path, text, label, fine):
        found[split].append(example)
    if not any(found.values()):
        raise BadInput(f"{path} holds no labelled sentences")
    return Labelled(path.stem, tuple(found["train"]), tuple(found["test"]))


def _examples(path: Path, text: str, label: str, fine: bool) -> Iterator[tuple[Split, Example]]:
    match path.suffix.lower():
        case ".csv" | ".tsv":
            yield from _rows(_csv_rows(path), path, text, label, fine)
        case ".jsonl":
            yield from _rows(_jsonl_rows(path), path, text, label, fine)
        case ".json":
            yield from _json_file(path, text, label, fine)
        case _:
            yield from _trec(path, fine)


def _content(path: Path) -> str:
    raw = read_input(path)
    refuse_encoding(raw, str(path))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")  # TREC is published so


# ------------------------------------------------------------------ tables

_Row = tuple[str, Mapping[str, object]]
"""A row by what to call it, such as `row 3`."""


def _csv_rows(path: Path) -> Iterator[_Row]:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        for number, row in enumerate(csv.DictReader(io.StringIO(_content(path), newline=""), delimiter=delimiter), 1):
            yield f"row {number}", row
    except csv.Error as error:
        raise BadInput(f"{path} is no table: {error}") from error


def _jsonl_rows(path: Path) -> Iterator[_Row]:
    for number, line in enumerate(_content(path).split("\n"), 1):
        if line.strip():
            yield f"line {number}", _object(_json(line, f"{path}, line {number}"), f"{path}, line {number}")


def _json_file(path: Path, text: str, label: str, fine: bool) -> Iterator[tuple[Split, Example]]:
    content = _json(_content(path), str(path))
    if isinstance(content, Mapping):
        yield from _clinc(content, path)
    elif isinstance(content, Sequence) and not isinstance(content, str):
        rows = ((f"row {n}", _object(row, f"{path}, row {n}")) for n, row in enumerate(content, 1))
        yield from _rows(rows, path, text, label, fine)
    else:
        raise BadInput(f"{path} holds neither rows nor lists of sentences with labels")


def _rows(rows: Iterable[_Row], path: Path, text: str, label: str, fine: bool) -> Iterator[tuple[Split, Example]]:
    named: tuple[str, tuple[str, ...]] | None = None
    for row, cells in rows:
        where = f"{path}, {row}"
        named = named or _columns(cells, text, label, fine, where)
        split = _SPLITS.get(str(cells.get("split") or "").strip().lower())
        if split is not None:
            parts = [_cell(cells, column) for column in named[1]]
            whole = "_".join(parts) if all(parts) else ""
            yield split, _example(_cell(cells, named[0]), whole, where)


def _columns(cells: Mapping[str, object], text: str, label: str, fine: bool, where: str) -> tuple[str, tuple[str, ...]]:
    """The column of the sentences, and those that make up the label: of NLU, scenario and intent together."""
    if text == "" and label == "" and {"scenario", "intent", "text"} <= set(cells):
        return "text", ("scenario", "intent")
    labels = (*(FINE if fine else COARSE), *LABELS)
    return _column(cells, text, TEXTS, "text", where), (_column(cells, label, labels, "label", where),)


def _column(cells: Mapping[str, object], named: str, usual: Sequence[str], what: str, where: str) -> str:
    by_lower = {str(column).strip().lower(): str(column) for column in cells if column is not None}
    for name in (named,) if named else usual:
        if name.lower() in by_lower:
            return by_lower[name.lower()]
    wanted = repr(named) if named else f"such as {', '.join(usual)}"
    raise BadInput(f"{where} has no column {wanted} for the {what} (it has: {', '.join(by_lower) or 'none'})")


def _cell(cells: Mapping[str, object], column: str) -> str:
    value = cells.get(column)
    return "" if value is None else " ".join(str(value).split())


# ------------------------------------------------------------------ published layouts


def _clinc(content: Mapping[str, object], path: Path) -> Iterator[tuple[Split, Example]]:
    """CLINC150: lists of pairs by split; what is out of scope is a label like any other."""
    known = {name: _SPLITS.get(name.removeprefix(f"{OUT_OF_SCOPE}_")) for name in content}
    if not any(known.values()):
        raise BadInput(f"{path} has no list `train` of sentences with labels (it has: {', '.join(content) or 'none'})")
    for name, split in known.items():
        pairs = content[name]
        if split is not None and not isinstance(pairs, list):
            raise BadInput(f"{path}: {name!r} is no list of sentences with labels")
        for number, pair in enumerate(pairs if split and isinstance(pairs, list) else (), 1):
            where = f"{path}, {name}, row {number}"
            if not isinstance(pair, list) or len(pair) != 2:
                raise BadInput(f"{where} is no pair of a sentence and a label")
            sentence, label = (" ".join(str(part).split()) for part in pair)
            assert split is not None
            yield split, _example(sentence, label, where)


def _trec(path: Path, fine: bool) -> Iterator[tuple[Split, Example]]:
    split: Split = "test" if path.stem.lower().startswith(("test", "trec_10", "trec-10")) else "train"
    for number, line in enumerate(_content(path).split("\n"), 1):
        if not line.strip():
            continue
        found = _TREC.fullmatch(line.strip())
        if found is None:
            raise BadInput(
                f"{path}, line {number}: {line[:60]!r} is not written as `COARSE:fine question`; "
                "other layouts need the ending .csv, .tsv, .json or .jsonl"
            )
        coarse, finer, question = found.groups()
        label = f"{coarse}:{finer}" if fine else coarse
        yield split, _example(" ".join(question.split()), label, f"{path}, line {number}")


def _example(text: str, label: str, where: str) -> Example:
    if not text:
        raise BadInput(f"{where} has no text")
    if LABEL_LINE.fullmatch(text):
        raise BadInput(f"{where}: the text {text!r} reads as if it gave a label")
    if not label:
        raise BadInput(f"{where} has no label")
    return Example(text, label, where)


def _json(text: str, where: str) -> object:
    try:
        content: object = loads(text)
    except BadJson as error:
        raise BadInput(f"{where} is not JSON: {error}") from error
    return content


def _object(row: object, where: str) -> Mapping[str, object]:
    if not isinstance(row, Mapping):
        raise BadInput(f"{where} is no object with a text and a label")
    return row
