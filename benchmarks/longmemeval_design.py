"""The paper's memory design without a model, against plain retrievers: every control point varied by itself.

python benchmarks/longmemeval_design.py                     # 300 generated questions of the S size
python benchmarks/longmemeval_design.py --questions 100 --seed 7
python benchmarks/longmemeval_design.py --data longmemeval_s_cleaned.json
python benchmarks/longmemeval_design.py --evidence evidence_turns.json --data longmemeval_s.json
python benchmarks/longmemeval_design.py --answer local/smollm2 --questions 20     # the fourth control point, reading

With --evidence, a list of released questions with their evidence turns, histories are made of these: each question's
own evidence, that of up to 15 other chats, and 35 chats of the histories in --data, on days before the question.

With --answer, a model reads what the design retrieved from the evidence sessions alone, as in the paper, in each of the
four ways. Its answers are compared with the gold ones by words: whether they hold it, and F1 of their words. Questions
without a short gold answer (preferences, abstention) don't count, nor do those without an answer: what the assistant
said is no fact of the user's, so that there was nothing to read, or a reply could not be read (errors).
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memtriage import api
from memtriage.core.reading import READINGS
from memtriage.core.verdict import ProbeVerdict
from memtriage.metrics.answers import contains, f1
from memtriage.metrics.statistics import mcnemar, wilson
from memtriage.tables.measures import MeasureRow, mean_interval, measure_rows

PLAIN = ("bm25", "dense", "bm25:granularity=session", "dense:granularity=session")
DESIGN = "lme"
VARIED = {
    "value": ("lme:value=session", "lme:value=summary", "lme:value=facts"),
    "key": ("lme:key=value", "lme:key=value+keyphrase", "lme:key=value+summary", "lme:key=fact", "lme:merge=rank"),
    "query": ("lme:query=question", "lme:value=session,query=question"),
    "retriever": ("lme:retriever=bm25", "lme:retriever=hybrid"),
}
LEVELS = ("turn", "session")
READ = 3
"""Memories that a model is given to read: few, so that a small one gets through. Not all evidence is always there."""

TEMPORAL = "longmemeval/temporal-reasoning"


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--questions", type=int, default=300)
    given.add_argument("--seed", type=int, default=2026)
    given.add_argument("--data", type=Path, help="an official file instead of generated histories")
    given.add_argument("--evidence", type=Path, help="released questions with their evidence turns alone")
    given.add_argument("--systems", nargs="*", help="only these")
    given.add_argument("--answer", help="a model: vary how it reads, and nothing else")
    chosen = given.parse_args()
    if chosen.answer:
        if chosen.evidence or chosen.systems:
            given.error("--answer varies the reading alone: leave out --evidence and --systems")
        readings_compared(chosen.answer, chosen.questions, chosen.seed, chosen.data)
        return
    systems = chosen.systems or (*PLAIN, DESIGN, *(name for names in VARIED.values() for name in names))
    with tempfile.TemporaryDirectory() as folder:
        if chosen.evidence:
            among = Path(folder) / "longmemeval_s_among_evidence.json"
            among.write_text(json.dumps(list(among_evidence(chosen.evidence, chosen.data, chosen.seed))))
            chosen.data = among
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
        for name in (name for name in names if name in systems):
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


def readings_compared(model: str, questions: int, seed: int, data: Path | None) -> None:
    """How well a model answers from the same memories, read in each of the four ways."""
    systems = {reading: f"lme:value=facts,reading={reading}" for reading in READINGS}
    with tempfile.TemporaryDirectory() as folder:
        run = api.run(
            *systems.values(),
            suite="longmemeval/oracle",
            rows=questions,
            seed=seed,
            data=data,
            k=READ,
            looks=0,
            answer=model,
            out=Path(folder) / "run",
        )
        verdicts = [verdict for verdict in run.verdicts() if has_short_answer(verdict)]
    held = {(v.system, v.probe): contains(v.answer, v.gold) for v in verdicts if v.answer is not None}
    source = data or "the evidence sessions"
    print(f"{model} reads what lme:value=facts retrieved (k = {READ}) from {source}; %, 95 % intervals")
    print(f"{'':14}{'n':>4}{'errors':>8}{'gold answer in it':>20}{'F1 of words':>20}{'over direct (won, lost, p)':>30}")
    for reading, system in systems.items():
        asked = [verdict for verdict in verdicts if verdict.system == system]
        said = [(v.probe, v.answer, v.gold) for v in asked if v.answer is not None]
        if not said:
            print(f"{reading:14}{0:>4}{len(asked):>8}")
            continue
        right = sum(held[system, probe] for probe, _, _ in said)
        shared = [(probe, f1(answer, gold).f1) for probe, answer, gold in said]
        (low, high), mean = mean_interval(shared), sum(value for _, value in shared) / len(shared)
        within = wilson(right, len(said))
        both = [(held[system, p], held[systems["direct"], p]) for p, _, _ in said if (systems["direct"], p) in held]
        won, lost = sum(a > b for a, b in both), sum(a < b for a, b in both)
        print(
            f"{reading:14}{len(said):>4}{len(asked) - len(said):>8}"
            f"{percent(right / len(said), within.low, within.high):>20}{percent(mean, low, high):>20}"
            f"{f'{won}, {lost}, {mcnemar(won, lost):.2g}' if reading != 'direct' else '':>30}"
        )


def has_short_answer(verdict: ProbeVerdict) -> bool:
    return not verdict.task.endswith(("/abstention", "/single-session-preference"))


def among_evidence(evidence: Path, chats: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Questions in the official schema, their evidence hidden among other questions' evidence and real chats."""
    rows = [row for row in json.loads(evidence.read_bytes()) if not row["question_id"].endswith("_abs")]
    real = [
        chat
        for entry in json.loads(chats.read_bytes())
        for id, chat in zip(entry["haystack_session_ids"], entry["haystack_sessions"], strict=True)
        if "answer" not in id
    ]
    for row in rows:
        rng = random.Random(f"{seed}/{row['question_id']}")
        asked = datetime.strptime(row["question_date"], "%Y/%m/%d (%a) %H:%M")
        mine = [[{**turn, "has_answer": True} for turn in told] for told in row["evidence_sessions"]]
        others = [told for other in rng.sample(rows, 16) if other is not row for told in other["evidence_sessions"]][
            :15
        ]
        held = list(zip(row["evidence_dates"], (f"answer_{n}" for n in range(len(mine))), mine, strict=True))
        for number, chat in enumerate((*others, *rng.sample(real, 35))):
            at = asked - timedelta(days=rng.uniform(0, 90))
            held.append((at.strftime("%Y/%m/%d (%a) %H:%M"), f"other_{number}", chat))
        dates, ids, sessions = map(list, zip(*sorted(held, key=lambda one: one[0]), strict=True))
        yield {
            **{name: row[name] for name in ("question_id", "question_type", "question", "question_date", "answer")},
            "answer_session_ids": [id for id in ids if id.startswith("answer")],
            "haystack_dates": dates,
            "haystack_session_ids": ids,
            "haystack_sessions": sessions,
        }


def shown(row: MeasureRow | None) -> str:
    if row is None or row.mean is None:
        return "–"
    return percent(row.mean, row.low, row.high)


def percent(share: float, low: float, high: float) -> str:
    return f"{100 * share:.1f} ({100 * low:.0f}–{100 * high:.0f})"


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
