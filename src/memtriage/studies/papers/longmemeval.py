"""The tables and figures of LongMemEval (arXiv:2410.10813)."""

from __future__ import annotations

from memtriage.studies.exhibits import Exhibit, Paper

PAPER = Paper(
    "longmemeval",
    "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory",
    "arXiv:2410.10813",
)

EXHIBITS: tuple[Exhibit, ...] = ()
