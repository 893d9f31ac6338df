"""Write the tables of a run, or a dataset for the Hub."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from memtriage.core.errors import BadInput
from memtriage.export.files import Written, write_tables
from memtriage.export.hub import write_dataset
from memtriage.export.inspect_logs import write_inspect
from memtriage.export.tables import TABLES, extract
from memtriage.record.reader import RunReader

Form = Literal["parquet", "csv", "jsonl", "hf", "inspect"]
FORMS: tuple[Form, ...] = get_args(Form)


def write(reader: RunReader, folder: Path, form: Form, tables: Sequence[str] = ()) -> list[Written]:
    """Write these tables of a finished run, or all, into a folder; or the whole run as logs of Inspect."""
    if form not in FORMS:
        raise BadInput(f"unknown form {form!r}; choose {', '.join(FORMS[:-1])} or {FORMS[-1]}")
    seal = reader.finished()
    if form == "inspect":
        return write_inspect(reader, folder)
    extracts = [extract(reader, name) for name in dict.fromkeys(tables or TABLES)]
    about = {"memtriage.version": reader.manifest["memtriage"], "memtriage.run": seal.digest}
    if form == "hf":
        return write_dataset(reader, extracts, folder, about)
    return write_tables(extracts, folder, form, about)
