"""Read and write MemFail's CSV files in the layout in which they were released.

A cell may hold a JSON list; a Long-Hop row leaves the columns beyond its hop count empty. Whatever is
wrong with a file is collected and reported together, with the row as a person counts it.

>>> files = find_files(Path("data/memfail"))              # doctest: +SKIP
>>> rows = read_rows(files["long-hop"], "long-hop")       # doctest: +SKIP
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path

from memtriage.core.errors import BadInput, unknown
from memtriage.host.inputs import open_input, read_input, refuse_encoding
from memtriage.suites.kit.datasets import write_file
from memtriage.suites.memfail.released.columns import Cells, CsvLayout, column_number, layout_of
from memtriage.suites.memfail.rows import DATASETS, LongHopRow, Row

MOST_PROBLEMS = 20
"""How many problems of one file are spelled out; the rest is counted."""

MOST_COLUMNS = 250
"""Two for each step of the longest chain, and some more."""

_CELL = 2**31 - 1  # csv refuses cells beyond 128 KiB by default; this is the most every platform takes


def csv_path(root: Path, dataset: str) -> Path:
    """The path of a dataset's CSV below a folder in the released layout.

    >>> csv_path(Path("out"), "long-hop").as_posix()
    'out/long_hop/long_hop_chains.csv'
    """
    plan = layout_of(dataset)
    return root / plan.folder / plan.file


def find_files(root: Path, datasets: Sequence[str] = DATASETS) -> dict[str, Path]:
    """The CSV of each dataset: below a folder in the released layout, in the folder itself, or the file itself.

    Every dataset asked for must be there. Only where `root` is a CSV, or holds CSVs directly, asking for all
    of them (the default) means those that are there.
    """
    for dataset in datasets:
        layout_of(dataset)
    if not root.exists():
        raise BadInput(f"{root} does not exist; give the folder that holds MemFail's CSV files")
    direct = _recognised([root], datasets) if root.is_file() else {}
    found = direct if root.is_file() else _in_layout(root, datasets)
    if not found and root.is_dir():
        found = direct = _recognised(_csvs(root), datasets)
    missing = [d for d in datasets if d not in found]
    if missing and not (direct and tuple(datasets) == DATASETS):
        raise BadInput(_missing(root, missing, found))
    return {d: found[d] for d in datasets if d in found}


def read_rows(path: Path, dataset: str) -> list[Row]:
    """The rows of one CSV file; one BadInput names everything that is wrong with it."""
    plan = layout_of(dataset)
    problems: list[str] = []
    rows: list[Row] = []
    seen: dict[tuple[str, ...], str] = {}
    for cells in _records(_text(path), plan, problems):
        before = len(problems)
        row = plan.build(cells)
        if len(problems) > before:
            continue
        first = seen.setdefault(tuple(getattr(row, field) for field in plan.key), cells.where)
        if first != cells.where:
            same = " and ".join(plan.key)
            problems.append(f"{cells.where}: the same {same} as {first}; remove one or make them differ")
        rows.append(row)
    if problems:
        raise BadInput(_report(path, problems))
    return rows


def write_rows(rows: Sequence[Row], path: Path, dataset: str) -> None:
    """Write rows in the released layout; the file appears complete or not at all."""
    plan = layout_of(dataset)
    if not rows:
        raise BadInput(f"{path}: there are no rows to write")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, plan.row):
            raise BadInput(f"{path}: row {number} is a {type(row).__name__}, but {dataset} takes {plan.row.__name__}")
    cells = [plan.cells(row) for row in rows]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, _columns(plan, {c for r in cells for c in r}), restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(cells)
    write_file(path, _encoded(out.getvalue(), path))


# --- finding -----------------------------------------------------------------------------------------


def _in_layout(root: Path, datasets: Sequence[str]) -> dict[str, Path]:
    found = {}
    for dataset in datasets:
        folder = Path(layout_of(dataset).folder)
        # a checkout of the released repository keeps the folders in datasets/; a user may also name conditional_facts
        places = [root / folder, root / "datasets" / folder]
        if len(folder.parts) > 1:
            places.append(root / folder.name)
        for place in places:
            path = _only(place, dataset)
            if path is not None:
                found[dataset] = path
                break
    return found


def _only(folder: Path, dataset: str) -> Path | None:
    released = folder / layout_of(dataset).file
    if released.is_file():
        return released
    files = _csvs(folder) if folder.is_dir() else []
    if len(files) > 1:
        names = ", ".join(f.name for f in files)
        raise BadInput(f"{folder} holds {len(files)} CSV files ({names}); keep one, or name the file itself")
    return files[0] if files else None


def _csvs(folder: Path) -> list[Path]:
    return sorted(f for f in folder.glob("*.csv") if f.is_file() and not f.name.endswith("_raw.csv"))


def _recognised(paths: Sequence[Path], datasets: Sequence[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in paths:
        dataset = _dataset_of(path, datasets)
        if dataset is None:
            continue
        if dataset in found:
            raise BadInput(f"{found[dataset]} and {path} both look like {dataset}; keep one, or name the file itself")
        found[dataset] = path
    return found


def _dataset_of(path: Path, datasets: Sequence[str]) -> str | None:
    header = set(_header(path))
    fits = [d for d in datasets if set(layout_of(d).columns) <= header]
    if len(fits) < 2:
        return fits[0] if fits else None
    # easy and hard share their columns: only the file's name, else its folder's, tells them apart
    for name in (path.stem, path.parent.name):
        words = set(re.split(r"[^a-z]+", name.lower()))
        named = [d for d in fits if d.rpartition("-")[2] in words]
        if len(named) == 1:
            return named[0]
    raise BadInput(
        f"{path} fits {' and '.join(fits)}, which have the same columns; ask for one of them, "
        "or put 'easy' or 'hard' into the file's name"
    )


def _header(path: Path) -> list[str]:
    _accept_long_cells()
    try:
        with TextIOWrapper(open_input(path), encoding="utf-8-sig", errors="replace", newline="") as file:
            return next(csv.reader(file), [])
    except (OSError, csv.Error) as error:
        raise BadInput(f"{path} can't be read: {error}") from error


def _missing(root: Path, missing: Sequence[str], found: Mapping[str, Path]) -> str:
    if root.is_file():
        return f"{root} does not have the columns of {' or '.join(missing)}; check that it is the right file"
    places = "; ".join(f"{d} at {csv_path(root, d)}" for d in missing)
    have = f" (found: {', '.join(found)}; to use what is there, ask for those alone)" if found else ""
    return f"{root} holds no CSV for {', '.join(missing)}{have}; expected {places}"


# --- reading -----------------------------------------------------------------------------------------


def _text(path: Path) -> str:
    data = read_input(path)
    if not data.strip():
        raise BadInput(f"{path} is empty; expected a CSV file with a header and rows")
    refuse_encoding(data, str(path))
    if (nul := data.find(b"\0")) >= 0:
        raise BadInput(f"{path}, line {_line(data, nul)}: a NUL byte at offset {nul}; the file is damaged or not text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # utf-8-sig reports offsets behind the BOM
        at = error.start + len(data) - len(error.object)
        raise BadInput(
            f"{path}, line {_line(data, at)}: byte 0x{data[at]:02x} at offset {at} is not UTF-8; save it as UTF-8"
        ) from error


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def _records(text: str, plan: CsvLayout, problems: list[str]) -> Iterator[Cells]:
    """Each data row's cells under their column names; problems of the CSV itself are noted on the way."""
    _accept_long_cells()
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line, number = 1, 0
    header: list[str] | None = None
    try:
        for values in reader:
            start, line = line, reader.line_num + 1
            if not values:
                continue
            if header is None:
                header = values
                problems += _header_problems(header, plan)
                if problems:
                    return
                continue
            number += 1
            where = f"row {number} (line {start})"
            if len(values) != len(header):
                problems.append(
                    f"{where}: {len(values)} cells under {len(header)} columns; check its commas and quotes"
                )
                continue
            yield Cells(dict(zip(header, values, strict=True)), where, problems)
    except csv.Error as error:
        place = f"row {number + 1} (line {line})" if header else "the header"
        problems.append(
            f"{place}: broken CSV ({error}); a quote is opened and never closed, or stands inside a cell: "
            "put cells with quotes into quotes and double the inner ones"
        )
        return
    if not number:
        problems.append("no rows below the header; the file was cut off or never filled")


def _accept_long_cells() -> None:
    csv.field_size_limit(_CELL)


def _header_problems(header: Sequence[str], plan: CsvLayout) -> list[str]:
    if len(header) == 1 and any(mark in header[0] for mark in ";\t"):
        return ["the header is one cell; save the file with commas between its columns"]
    if len(header) > MOST_COLUMNS:
        return [f"the header has {len(header)} columns, and no file of MemFail's has more than {MOST_COLUMNS}"]
    known = (*plan.columns, *plan.optional)
    problems = [unknown("column", c, known) for c in header if c not in known and not _longer_chain(c, plan)]
    missing = [repr(c) for c in plan.columns if c not in header]
    if missing:
        problems.append(f"missing column{'s' * (len(missing) > 1)} {', '.join(missing)}")
    return problems + [f"column {c!r} occurs twice" for c in sorted({c for c in header if header.count(c) > 1})]


def _longer_chain(column: str, plan: CsvLayout) -> bool:
    return plan.row is LongHopRow and re.fullmatch(r"(fact|chain)_[1-9]\d?", column) is not None


def _report(path: Path, problems: Sequence[str]) -> str:
    if len(problems) == 1:
        return f"{path}: {problems[0]}"
    lines = [f"{path}: {len(problems)} problems", *problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        lines.append(f"and {len(problems) - MOST_PROBLEMS} more")
    return "\n  ".join(lines)


# --- writing ---------------------------------------------------------------------------------------


def _columns(plan: CsvLayout, used: set[str]) -> list[str]:
    """The released columns, with fact_5 behind fact_4 where a chain is longer, and the optional ones at the end."""
    columns = list(plan.columns)
    for column in sorted(used - {*plan.columns, *plan.optional}, key=column_number):
        before = f"{column.rpartition('_')[0]}_{column_number(column) - 1}"
        columns.insert(columns.index(before) + 1, column)
    return columns + [column for column in plan.optional if column in used]


def _encoded(text: str, path: Path) -> bytes:
    if "\0" in text:
        raise BadInput(f"{path} could not be written: a text holds a NUL character; remove it")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"{path} could not be written: a text holds half a character (a lone surrogate)") from error
