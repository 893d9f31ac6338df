"""Times as telemetry writes them, in seconds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memtriage.core.errors import BadInput


def seconds(value: Any, where: str) -> float | None:
    """Seconds since 1970, from a date with a time or a number of (milli)seconds; without a zone it is UTC.

    >>> seconds("1970-01-01T00:01:00.5Z", "a"), seconds(60_500_000_000, "a")
    (60.5, 60500000.0)
    """
    if value in (None, ""):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000 if value > 1e10 else float(value)  # later than 2286 in seconds: milliseconds
    try:
        when = datetime.fromisoformat(str(value))
    except ValueError:
        raise BadInput(f"{where}: {str(value)[:40]!r} can't be read as a time; write it in ISO 8601") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
