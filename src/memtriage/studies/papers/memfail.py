"""The tables and figures of MemFail (arXiv:2605.26667)."""

from __future__ import annotations

from memtriage.studies.exhibits import Exhibit, Paper, Statistics

PAPER = Paper("memfail", "MemFail: Stress-Testing Failure Modes of LLM Memory Systems", "arXiv:2605.26667")

EXHIBITS: tuple[Exhibit, ...] = (
    Exhibit(
        "memfail/table-2",
        "Rows, questions and tokens of each dataset",
        Statistics(
            "memfail",
            "MemFail, table 2",
            (
                ("Conditional-Facts (Easy)", "gpt-4.1-mini", "100", "100", "130", "32y / 68n; 27 cond. types"),
                ("Conditional-Facts (Hard)", "gpt-5-mini", "100", "100", "189", "49y / 51n; 27 cond. types"),
                (
                    *("Coexisting-Facts (N=2/3/4/5)", "gpt-4.1-mini", "26/31/20/23", "26/31/20/23", "54/68/84/101"),
                    "52/93/80/115 facts",
                ),
                ("Persona-Retrieval", "gpt-5-mini", "100", "300", "297", "52.3% misleading"),
                ("Long-Hop (K=1/2/3)", "gpt-5", "31/32/29", "31/32/29", "59/74/87", "62/96/116 facts"),
            ),
        ),
    ),
)
