"""Output for other programs: JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

Form = Literal["table", "csv", "json"]


def csv_text(records: Iterable[Mapping[str, Any]]) -> str:
    """Records as CSV, with a column for every key that any of them has."""
    rows = list(records)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))
