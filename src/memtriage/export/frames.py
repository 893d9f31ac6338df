"""The tables of a run as data frames of pandas or polars, with the types of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memtriage.core.errors import BadInput, install_extra
from memtriage.export.tables import Extract, Type

if TYPE_CHECKING:
    import pandas
    import polars


def to_pandas(extract: Extract) -> pandas.DataFrame:
    """A table as a pandas data frame; whole numbers and truths stay what they are where some are missing."""
    try:
        import pandas as pd
    except ImportError as error:
        raise BadInput("a pandas data frame needs pandas; install it with: pip install pandas") from error
    return pd.DataFrame(
        {
            name: pd.Series(values, dtype=_pandas_type(type, any(value is None for value in values)))
            for name, type, values in _by_column(extract)
        }
    )


def to_polars(extract: Extract) -> polars.DataFrame:
    """A table as a polars data frame."""
    try:
        import polars as pl
    except ImportError as error:
        raise BadInput(f"a polars data frame needs polars; install it with: {install_extra('polars')}") from error
    types: dict[Type, Any] = {
        "text": pl.String,
        "int": pl.Int64,
        "float": pl.Float64,
        "bool": pl.Boolean,
        "texts": pl.List(pl.String),
    }
    columns = _by_column(extract)
    return pl.DataFrame([pl.Series(name, values, dtype=types[type]) for name, type, values in columns])


def _by_column(extract: Extract) -> list[tuple[str, Type, list[Any]]]:
    values: dict[str, list[Any]] = {column.name: [] for column in extract.columns}
    for row in extract.rows():
        for name, value in row.items():
            values[name].append(value)
    return [(column.name, column.type, values[column.name]) for column in extract.columns]


def _pandas_type(type: Type, gaps: bool) -> Any:
    kinds: dict[Type, tuple[Any, Any]] = {
        "text": ("string", "string"),
        "int": ("int64", "Int64"),
        "float": ("float64", "float64"),
        "bool": ("bool", "boolean"),
        "texts": (object, object),
    }
    return kinds[type][gaps]
