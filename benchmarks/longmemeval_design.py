"""The paper's memory design without a model, against plain retrievers: every control point varied by itself.

python benchmarks/longmemeval_design.py                     # 300 generated questions of the S size
python benchmarks/longmemeval_design.py --questions 100 --seed 7
python benchmarks/longmemeval_design.py --data longmemeval_s_cleaned.json
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from memtriage import api
from memtriage.score.measures import MeasureRow, measure_rows
from memtriage.score.stats import mcnemar

PLAIN = ("bm25", "dense", "bm25:granularity=session", "dense:granularity=session")
DESIGN = "lme"
VARIED = {
    "value": ("lme:value=session", "lme:value=summary", "lme:value=facts"),
    "key": ("lme:key=value", "lme:key=value+keyphrase", "lme:key=value+summary", "lme:key=fact", "lme:merge=rank"),
    "query": ("lme:query=question", "lme:value=session,query=question"),
    "retriever": ("lme:retriever=bm25", "lme:retriever=hybrid"),
}
LEVELS = ("turn", "session")
TEMPORAL = "longmemeval/temporal-reasoning"


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--questions", type=int, default=300)
    given.add_argument("--seed", type=int, default=2026)
    given.add_argument("--data", type=Path, help="an official file instead of generated histories")
    chosen = given.parse_args()
    systems = (*PLAIN, DESIGN, *(name for names in VARIED.values() for name in names))
    with tempfile.TemporaryDirectory() as folder:
        run = api.run(
            *systems,
            suite="longmemeval/s",
            rows=chosen.questions,
            seed=chosen.seed,
            data=chosen.data,
            k=5,
            looks=0,
            out=Path(folder) / "run",
        )
        verdicts = list(run.verdicts())
    rows = {(row.system, row.task, str(row.measure)): row for row in measure_rows(verdicts)}
    found = {(v.system, v.probe): v for v in verdicts}
    print(f"Recall_all@5 in %, 95 % intervals; {chosen.data or f'{chosen.questions} generated questions'}")
    print(f"{'':44}{'all, turns':>20}{'all, sessions':>20}{'temporal, turns':>20}{'temporal, sessions':>20}")
    for part, names in {"plain": PLAIN, "the design": (DESIGN,), **VARIED}.items():
        print(part)
        for name in names:
            cells = [
                shown(rows.get((name, task, f"{level}/Recall_all@5"))) for task in ("all", TEMPORAL) for level in LEVELS
            ]
            print(f"  {name:<42}" + "".join(f"{cell:>20}" for cell in cells))
    print("paired, exact McNemar (won, lost, p)")
    for a, b, level, task in (
        (DESIGN, "bm25", "turn", ""),
        (DESIGN, "dense", "turn", ""),
        (DESIGN, "bm25", "session", ""),
        (DESIGN, "dense", "session", ""),
        ("lme:value=session", "bm25:granularity=session", "session", ""),
        ("lme:value=session", "dense:granularity=session", "session", ""),
        (DESIGN, "lme:query=question", "turn", TEMPORAL),
        ("lme:value=session", "lme:value=session,query=question", "session", TEMPORAL),
    ):
        won, lost = flips(found, a, b, f"{level}/Recall_all@5", task)
        where = f"{level} level{', temporal' if task else ''}"
        print(f"  {a} over {b}, {where}: {won}, {lost}, p = {mcnemar(won, lost):.2g}")


def shown(row: MeasureRow | None) -> str:
    if row is None or row.mean is None:
        return "–"
    return f"{100 * row.mean:.1f} ({100 * row.low:.0f}–{100 * row.high:.0f})"


def flips(found: dict, a: str, b: str, measure: str, task: str) -> tuple[int, int]:  # type: ignore[type-arg]
    """On how many questions one system has it and the other not, both ways."""
    won = lost = 0
    for (system, probe), verdict in found.items():
        other = found.get((b, probe))
        if system != a or other is None or (task and verdict.task != task):
            continue
        mine, theirs = verdict.measures.get(measure), other.measures.get(measure)
        if mine is not None and theirs is not None:
            won += mine > theirs
            lost += mine < theirs
    return won, lost


if __name__ == "__main__":
    main()
