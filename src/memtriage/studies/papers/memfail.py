"""The tables and figures of MemFail (arXiv:2605.26667)."""

from __future__ import annotations

from memtriage.studies.exhibits import Exhibit, Paper

PAPER = Paper("memfail", "MemFail", "arXiv:2605.26667")

EXHIBITS: tuple[Exhibit, ...] = ()
