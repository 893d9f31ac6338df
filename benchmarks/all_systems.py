"""Every suite and every built-in memory that needs no model, in one table, with mosaic paired against each.

python benchmarks/all_systems.py                            # generated rows; some ten minutes on two idle cores
python benchmarks/all_systems.py --size 0.2                 # a fifth of the rows
python benchmarks/all_systems.py --data DIR                 # the folder that holds memfail/, meme/, longmemeval/, …
python benchmarks/all_systems.py --locomo locomo10.json     # LoCoMo as well, whose rows nobody may make up
python benchmarks/all_systems.py --ablation                 # mosaic beside mosaic without each of its parts
python benchmarks/all_systems.py --part meme --system bm25 --system mosaic --tasks

Memory-only: a question is a success if all it needs was stored, intact and came back. All systems get the same k and,
beside it, the same number of tokens to fill: who keeps large pieces brings more at the same k (`tokens` is the mean).
Suites are means of their tasks, and so is `all tasks`. What failed with an error, and what a system can't do, is no
success, stays in the denominator and widens the interval, as does what words alone can't settle.
Everything is kept in --out: the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from longmemeval_design import among_evidence

from memtriage import registry
from memtriage.config import RunConfig
from memtriage.core.amount import K, k_order
from memtriage.core.errors import MemtriageError
from memtriage.core.verdict import ProbeVerdict
from memtriage.metrics.statistics import holm
from memtriage.pipeline.run import Run, run_or_resume
from memtriage.suites.memoryagentbench import context_files, fact_contexts
from memtriage.suites.memoryagentbench.kinds import Kind
from memtriage.systems.designs.mosaic.memory import PARTS
from memtriage.tables.pairs import LEVEL, AskedProbes, note, pair_up
from memtriage.tables.standings import mean_of_tasks
from memtriage.tables.table import Row, table

OURS = "mosaic"
BY_RULES = "facts notes struct graph graphrag hipporag raptor lme memorybank ld-agent memwalker memorag self-rag memgpt"
SYSTEMS = (
    *("echo", "bm25", "dense", "hybrid", OURS),
    *(f"{name}:summarise=rules" for name in BY_RULES.split()),
    *(f"{name}:summarise=verbatim" for name in ("mdfile", "wiki")),
    "mixture:members=bm25,dense,hipporag:summarise=rules",
)
ABLATIONS = (OURS, *(f"{OURS}:without={part}" for part in PARTS))
FACTS: tuple[Kind, ...] = ("factconsolidation-sh", "factconsolidation-mh")
SEED = 902
"""A seed that nothing was designed on."""


@dataclass(frozen=True)
class Part:
    """One suite: the tasks of it, how many rows of each, and where they come from."""

    name: str
    suites: tuple[str, ...]
    rows: int
    options: Mapping[str, str] = field(default_factory=dict)
    data: Path | None = None


def parts(size: float, data: Path | None, locomo: Path | None, out: Path) -> Iterator[Part]:
    """The suites, with generated rows or with released ones."""

    def rows(many: int) -> int:
        return max(1, round(many * size))

    docqa = tuple(f"memoryagentbench/{task}" for task in (*FACTS, "sh-docqa", "mh-docqa"))
    made = [
        Part("memfail", ("memfail",), rows(60)),
        Part("meme", ("meme/personal-life", "meme/software-project"), rows(8)),
        Part("longmemeval", ("longmemeval/s",), rows(40), {"tokens": "30000"}),
        Part("memoryagentbench", docqa, rows(60), {"length": "6k"}),
    ]
    for part in made:
        if data is None:
            yield part
        elif not (data / part.name).is_dir():
            print(f"{part.name}: there is no folder {data / part.name}", file=sys.stderr)
        else:
            yield _released(part, data / part.name, out)
    if locomo is not None:
        yield Part("locomo", ("locomo",), rows(10), data=locomo)


def _released(part: Part, folder: Path, out: Path) -> Part:
    """A part with released rows; samples of them are first brought into a form that the suite reads."""
    evidence, chats = folder / "evidence_turns_250.json", folder / "longmemeval_s_sample.json"
    if evidence.is_file() and chats.is_file():
        out.mkdir(parents=True, exist_ok=True)
        file = out / "longmemeval_s_among_evidence.json"
        file.write_text(json.dumps(list(among_evidence(evidence, chats, seed=SEED))))
        return replace(part, data=file, options={})
    context, asked = (folder / f"factconsolidation_6k_{name}" for name in ("context.txt", "questions_40.json"))
    if context.is_file() and asked.is_file():
        own = out / "factconsolidation_6k"
        own.mkdir(parents=True, exist_ok=True)
        for kind in FACTS:
            questions = [row for row in json.loads(asked.read_bytes()) if f"_{kind[-2:]}_" in row["source"]]
            mine = [(row["qa_pair_id"], row["question"], tuple(row["golds"])) for row in questions]
            made = fact_contexts.released_context(kind, kind, kind, context.read_text("utf-8"), mine, {})
            (own / context_files.file_name(kind)).write_bytes(b"".join(context_files.lines([made])))
        return replace(part, suites=tuple(f"memoryagentbench/{kind}" for kind in FACTS), data=own, options={})
    return replace(part, data=folder, options={})


def run_cell(path: Path, part: Part, system: str, ks: Sequence[K], tokens: Sequence[int], seed: int) -> str:
    """Run one system on one part, or what is left of it; what went wrong, in a sentence."""
    try:
        config = RunConfig.of(
            system,
            suite=part.suites,
            k=ks,
            context_tokens=tokens or None,
            seed=seed,
            rows=part.rows,
            data=part.data,
            options=part.options,
            looks=0,
        )
        run_or_resume(path, config)
    except MemtriageError as error:
        return str(error)
    return ""


def folder_of(out: Path, part: Part, system: str) -> Path:
    return out / part.name / re.sub(r"[^\w.-]+", "-", system)


@dataclass
class Asked:
    """The verdicts of one part: every system has one for every question that any of them was asked."""

    verdicts: list[ProbeVerdict]
    errors: Counter[tuple[str, K]]
    missing: Counter[tuple[str, K]]


def asked(found: Mapping[str, Sequence[ProbeVerdict]]) -> Asked:
    """Verdicts by system, filled up: what a system couldn't be asked counts as no success and is counted apart."""
    wanted: dict[tuple[object, ...], ProbeVerdict] = {}
    for verdicts in found.values():
        for verdict in verdicts:
            if verdict.verdict != "n/a" and not registry.unscored(verdict.task):
                wanted.setdefault(_key(verdict), verdict)
    whole = Asked([], Counter(), Counter())
    for system, verdicts in found.items():
        mine = {_key(verdict): verdict for verdict in verdicts if verdict.verdict != "n/a"}
        for key, example in wanted.items():
            verdict = mine.get(key)
            if verdict is None:
                verdict = replace(example, system=system, verdict="error", facts=())
                whole.missing[system, example.k] += 1
            elif verdict.verdict == "error":
                whole.errors[system, example.k] += 1
            whole.verdicts.append(verdict)
    return whole


def _key(verdict: ProbeVerdict) -> tuple[object, ...]:
    return verdict.task, verdict.episode, verdict.probe, verdict.k


def markdown(seen: Mapping[str, Asked], systems: Sequence[str], by_task: bool) -> Iterator[str]:
    """The tables, one for each k."""
    verdicts = [verdict for whole in seen.values() for verdict in whole.verdicts]
    rows = table(verdicts, ())
    for k in sorted({row.k for row in rows}, key=lambda k: (isinstance(k, str), k_order(k))):
        here = [row for row in rows if row.k == k]
        columns = dict.fromkeys(row.task for row in here) if by_task else {}
        names = list(columns or seen)
        groups = [[row for row in here if name in (row.task, row.suite)] for name in names]
        counts = [sum(row.asked for row in group if row.system == systems[0]) for group in groups]
        heads = [f"{name} ({count})" for name, count in zip(names, counts, strict=True)]
        yield f"\n**{f'k = {k}' if isinstance(k, int) else k}**, per cent (95 %)\n"
        yield _line(["", *heads, "all tasks", "tokens", "errors", "can't", f"{OURS} is ahead by"])
        yield _line(["---"] * (len(heads) + 6))
        ahead = leads(verdicts, k, systems)
        ranked = sorted(systems, key=lambda system: -(_mean(here, system)[0] or 0.0))
        for system in ranked:
            errors, missing = (
                sum(getattr(whole, what)[system, k] for whole in seen.values()) for what in ("errors", "missing")
            )
            cells = [_rate(group, system) for group in [*groups, here]]
            read = [row.context_tokens for row in here if row.system == system and row.context_tokens is not None]
            tokens = f"{fmean(read):.0f}" if read else "–"
            yield _line([f"`{system}`", *cells, tokens, str(errors), str(missing), ahead.get(system, "")])


def notes(chosen: Sequence[Part], seed: int) -> str:
    """What the tables are made from, and how they are to be read."""
    rows = ", ".join(f"{part.rows} of {' and '.join(part.suites)}" for part in chosen)
    made = "released" if any(part.data for part in chosen) else f"generated, seed {seed}"
    return (
        f"\nRows for each task, {made}: {rows}. In brackets after a suite: its questions. Suites and `all tasks` are "
        "means of tasks; `tokens` is the mean size of what came back. Errors and what a system can't do are no success "
        f"and stay in the denominator. {OURS} is ahead by so many points of the questions that both were asked and "
        "words alone could settle, with 95 % intervals; p is McNemar's, with Holm's correction over the systems of a "
        "table, and takes questions as independent. Bold: told apart, whichever way errors are decided."
    )


def leads(verdicts: Iterable[ProbeVerdict], k: K, systems: Sequence[str]) -> dict[str, str]:
    """By how much ours is ahead of each other on the same questions; bold where that is not put down to chance."""
    kept: dict[str, AskedProbes] = {system: {} for system in systems}
    for verdict in verdicts:
        if verdict.k == k:
            note(kept[verdict.system], verdict)
    others = [system for system in systems if system != OURS]
    if OURS not in kept or not others:
        return {}
    pairs = [pair_up(kept[system], kept[OURS]).columns() for system in others]
    corrected = holm([pair["p"] for pair in pairs])
    shown = {}
    for system, pair, p in zip(others, pairs, corrected, strict=True):
        if pair["difference"] is None:
            continue
        number = f"{100 * pair['difference']:+.1f} ({100 * pair['low']:+.0f} to {100 * pair['high']:+.0f})"
        apart = pair["better"] and p < LEVEL
        shown[system] = f"{f'**{number}**' if apart else number}, p = {p:.2g}"
    return shown


def _mean(rows: Sequence[Row], system: str) -> tuple[float | None, float, float]:
    return mean_of_tasks([row for row in rows if row.system == system and row.asked])


def _rate(rows: Sequence[Row], system: str) -> str:
    mean, low, high = _mean(rows, system)
    return "–" if mean is None else f"{100 * mean:.1f} ({100 * low:.0f}–{100 * high:.0f})"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Run what is missing, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/all-systems"), help="where the runs are kept")
    parser.add_argument("--size", type=float, default=1.0, help="share of the usual number of rows")
    parser.add_argument("--part", action="append", help="only this suite; may be repeated")
    parser.add_argument("--system", action="append", help="instead of the usual ones; may be repeated")
    parser.add_argument("--ablation", action="store_true", help="mosaic without each of its parts, instead")
    parser.add_argument("--k", default="5,10", help="how many memories come back")
    parser.add_argument("--context-tokens", default="1000", help="and how many tokens of them; empty for none")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--data", type=Path, help="released files instead of generated rows")
    parser.add_argument("--locomo", type=Path, help="LoCoMo's released file")
    parser.add_argument("--jobs", type=int, default=2, help="how many runs at once")
    parser.add_argument("--tasks", action="store_true", help="a column for each task instead of each suite")
    parser.add_argument("--table", type=Path, help="write the tables into this file as well")
    given = parser.parse_args()
    systems = given.system or list(ABLATIONS if given.ablation else SYSTEMS)
    try:
        for system in systems:
            registry.system(system)
    except MemtriageError as error:
        parser.error(str(error))
    ks = [int(k) for k in given.k.split(",")]
    tokens = [int(count) for count in given.context_tokens.split(",") if count]
    chosen = [
        part
        for part in parts(given.size, given.data, given.locomo, given.out)
        if not given.part or part.name in given.part
    ]
    began = time.monotonic()
    with ProcessPoolExecutor(given.jobs) as pool:
        cells = {
            pool.submit(run_cell, folder_of(given.out, part, system), part, system, ks, tokens, given.seed): (
                part,
                system,
            )
            for part in chosen
            for system in systems
        }
        for number, done in enumerate(as_completed(cells), 1):
            part, system = cells[done]
            if failed := done.result():
                print(f"\r{part.name}, {system}: {failed}", file=sys.stderr)
            print(f"\r{number} of {len(cells)} runs", end="", file=sys.stderr, flush=True)
    print(f", {time.monotonic() - began:.0f} s", file=sys.stderr)
    seen = {}
    for part in chosen:
        paths = {system: folder_of(given.out, part, system) for system in systems}
        seen[part.name] = asked(
            {
                system: list(Run(path).verdicts()) if (path / "run.json").exists() else []
                for system, path in paths.items()
            }
        )
    text = "\n".join([*markdown(seen, systems, given.tasks), notes(chosen, given.seed)])
    print(text)
    if given.table:
        given.table.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
