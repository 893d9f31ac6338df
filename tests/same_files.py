"""Two runs that come to the same files, but for times."""

from __future__ import annotations

import re
from pathlib import Path

import zstandard

TIMES = re.compile(
    r'"(command|seconds|ingest_seconds|query_seconds|peak_bytes|created|seal|origin|sha256|digest|bytes|bill_bytes)": ?'
    r'("[^"]*"|[\d.e+-]+|null)'
)


PLACES = re.compile(r'"retrieved":\d+')
"""Bytes at which other lines start, whose lengths depend on times."""


def files(run: Path) -> dict[str, str]:
    """All files of a run without times and its command, and what is made from times."""
    found = {str(file.relative_to(run)): file for file in sorted(run.rglob("*")) if file.is_file()}
    return {
        name.removesuffix(".zst"): PLACES.sub('"retrieved":…', TIMES.sub(r'"\1":…', _text(file)))
        for name, file in found.items()
        if file.name not in (".lock", "report.html")
    }


def _text(file: Path) -> str:
    if file.suffix != ".zst":
        return file.read_text()
    with (
        file.open("rb") as packed,
        zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as plain,
    ):
        return plain.read().decode()


def assert_same(one: Path, other: Path) -> None:
    left, right = files(one), files(other)
    assert left.keys() == right.keys()
    for name in left:
        assert left[name].splitlines() == right[name].splitlines(), name
