"""The tables and figures of MemoryAgentBench (arXiv:2507.05257)."""

from __future__ import annotations

from memtriage.studies.exhibits import Exhibit, Paper

PAPER = Paper(
    "memoryagentbench",
    "Evaluating Memory in LLM Agents via Incremental Multi-Turn Interactions (MemoryAgentBench)",
    "arXiv:2507.05257",
)

EXHIBITS: tuple[Exhibit, ...] = ()
