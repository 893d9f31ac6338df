"""Dates as released files write them."""

from __future__ import annotations

from datetime import datetime

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def official_date(iso: str | None) -> str | None:
    """A moment with its weekday, in English whatever the locale.

    >>> official_date("2023-05-30T23:40")
    '2023/05/30 (Tue) 23:40'
    """
    if iso is None:
        return None
    at = datetime.fromisoformat(iso)
    return f"{at:%Y/%m/%d} ({_DAYS[at.weekday()]}) {at:%H:%M}"
