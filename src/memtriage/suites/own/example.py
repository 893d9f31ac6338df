"""The example that `memtriage data new` writes."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from memtriage.suites.kit.datasets import write_file
from memtriage.suites.own.documents import parse
from memtriage.suites.own.writing import refuse_existing, written


def write_example(path: Path) -> None:
    """Write a suite file to start from: in YAML with comments, or the same as JSON or JSON lines."""
    text = files("memtriage.suites.own").joinpath("example.yaml").read_text(encoding="utf-8")
    refuse_existing(path)
    if path.suffix.lower() in (".yaml", ".yml"):
        write_file(path, text.replace("{name}", path.name).encode())
        return
    values = dict(parse(Path("example.yaml"), text.encode()).values)
    write_file(path, written(path, {**values, "memtriage": 1}))
