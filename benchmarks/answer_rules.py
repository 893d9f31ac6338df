"""How much of other people's answers words alone settle, and how far that agrees with a judge.

    python benchmarks/answer_rules.py --data path/to/traces [--against REVISION]

Real answers come with the judgement of a model: LongMemEval answers of Mem0, LoCoMo answers of Hindsight. Planted ones
are made from their questions and gold answers, each wrong by its making: another number, nouns swapped, a part left
out or added, denied, hedged, about somebody else. None of those may be called right. `--against` measures the rules of
another revision as well, such as the one before a change.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import runpy
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from memtriage.suites.longmemeval.grading.by_words import settled
from memtriage.suites.longmemeval.question import ABSTENTION

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data" / "traces"
RULES = "src/memtriage/suites/longmemeval/grading/by_words.py"
LENIENT = "temporal-reasoning"
"""The type of questions where some numbers may be one off, so that wrong ones are most likely to pass."""

Rules = Callable[[str, str, str, str], tuple[bool, str] | None]


class Judged(NamedTuple):
    """An answer, and whether a judge called it right."""

    type: str
    question: str
    gold: str
    answer: str
    right: bool


class Tally(NamedTuple):
    """What rules made of some answers."""

    answers: int
    settled: int
    agreed: int
    wrongly_right: int


def mem0(path: Path) -> Iterator[Judged]:
    """LongMemEval answers of Mem0."""
    for entry in json.loads(path.read_bytes())["evaluations"]:
        [result] = entry["cutoff_results"].values()
        type = ABSTENTION if entry["question_id"].endswith("_abs") else entry["question_type"]
        answer = result["reason"].removeprefix("Generated answer: ")
        yield Judged(type, entry["question"], str(entry["ground_truth_answer"]), answer, result["judgment"] == "PASS")


def hindsight(path: Path) -> Iterator[Judged]:
    """LoCoMo answers of Hindsight; its questions are of no LongMemEval type, so the strictest rules apply."""
    for conversation in json.loads(path.read_bytes())["conversation_results"]:
        for row in conversation["metrics"]["detailed_results"]:
            gold, answer = str(row["correct_answer"]), str(row["predicted_answer"])
            yield Judged("single-session-user", row["question"], gold, answer, row["is_correct"])


READERS: Mapping[str, Callable[[Path], Iterator[Judged]]] = {
    "mem0_longmemeval_judged.json": mem0,
    "hindsight_locomo.json": hindsight,
}


# ------------------------------------------------------------------ answers that are wrong by their making


def other_number(one: Judged, _: str) -> str | None:
    """A number changed by one, where that is no count of days or the like."""
    number = re.search(r"(?<![\d.,:/])\d+(?![\d.,:/])", one.gold)
    if number is None or re.search(r"\b(?:day|week|month|year|hour|minute)s?\b", one.question + one.gold, re.I):
        return None
    return one.gold[: number.start()] + str(int(number[0]) + 1) + one.gold[number.end() :]


def other_year(one: Judged, _: str) -> str | None:
    year = re.search(r"\b(?:19|20)\d\d\b", one.gold)
    return one.gold.replace(year[0], str(int(year[0]) - 1)) if year else None


def swapped(one: Judged, _: str) -> str | None:
    """Two things joined by "and", with what stands before them swapped."""
    found = re.fullmatch(r"(\w+) ([\w ]+) and (\w+) ([\w ]+?)\.?", one.gold)
    articles = {"a", "an", "the"}
    if found is None or {found[1].lower(), found[3].lower()} <= articles or found[1] == found[3]:
        return None
    return f"{found[3]} {found[2]} and {found[1]} {found[4]}"


def part(one: Judged, _: str) -> str | None:
    items = re.split(r", (?:and )?| and ", one.gold)
    return ", ".join(items[:-1]) if len(items) > 1 and len(one.gold.split()) < 15 else None


def one_more(one: Judged, other: str) -> str | None:
    short = len(other.split()) < 5 and len(one.gold.split()) < 8 and other.lower() not in one.gold.lower()
    return f"{one.gold.rstrip('.')} and {other}" if short else None


def other_gold(one: Judged, other: str) -> str | None:
    return other if not {*re.findall(r"\w+", other.lower())} & {*re.findall(r"\w+", one.gold.lower())} else None


def denied(one: Judged, _: str) -> str:
    return f"It is not {one.gold}"


def hedged(one: Judged, other: str) -> str | None:
    return f"It might be {one.gold.rstrip('.')}, or {other}"


def about_another(one: Judged, _: str) -> str:
    """A refusal about somebody who was not asked for; it is right about nothing."""
    return "You have not mentioned anything about Zebulon."


PLANTED: tuple[Callable[[Judged, str], str | None], ...] = (
    other_number,
    other_year,
    swapped,
    part,
    one_more,
    other_gold,
    denied,
    hedged,
    about_another,
)


def planted(rows: Iterable[Judged], seed: int = 7) -> dict[str, list[Judged]]:
    """Wrong answers to real questions, by how they were made."""
    rows, rng = list(rows), random.Random(seed)
    shorts = [row.gold.rstrip(".") for row in rows if row.type not in (ABSTENTION, "single-session-preference")]
    made: dict[str, list[Judged]] = {make.__name__: [] for make in PLANTED}
    for row in rows:
        for make in PLANTED:
            applies = row.type not in (ABSTENTION, "single-session-preference") or make is about_another
            answer = make(row, rng.choice(shorts)) if applies else None
            if answer is not None and answer.strip(" .").lower() != row.gold.strip(" .").lower():
                type = LENIENT if make in (other_number, other_year) else row.type
                made[make.__name__].append(row._replace(type=type, answer=answer, right=False))
    return made


# ------------------------------------------------------------------ measuring


def measured(rules: Rules, rows: Iterable[Judged]) -> Tally:
    counts: Counter[str] = Counter()
    for row in rows:
        found = rules(row.type, row.question, row.gold, row.answer)
        counts["answers"] += 1
        counts["settled"] += found is not None
        counts["agreed"] += found is not None and found[0] == row.right
        counts["wrongly"] += found is not None and found[0] and not row.right
    return Tally(counts["answers"], counts["settled"], counts["agreed"], counts["wrongly"])


def rules_of(revision: str, folder: Path) -> Rules:
    """The rules of another revision, which may use only what this one still has."""
    source = subprocess.run(["git", "show", f"{revision}:{RULES}"], cwd=ROOT, capture_output=True, check=True).stdout
    path = folder / "rules.py"
    path.write_bytes(source)
    found: Rules = runpy.run_path(str(path), run_name="other_rules")["settled"]
    return found


def report(rules: Mapping[str, Rules], sets: Mapping[str, list[Judged]]) -> None:
    print(f"{'answers':32} {'rules':10} {'n':>5} {'settled':>8} {'agreed':>7} {'wrong called right':>19}")
    for name, rows in sets.items():
        for which, rule in rules.items():
            n, decided, agreed, wrongly = measured(rule, rows)
            print(f"{name:32} {which:10} {n:5} {decided:8} {agreed:7} {wrongly:19}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage and agreement of grading answers by words.")
    parser.add_argument("--data", type=Path, default=SHARED, help="the folder with the judged answers")
    parser.add_argument("--against", help="a git revision whose rules are measured too")
    args = parser.parse_args()
    missing = [name for name in READERS if not (args.data / name).is_file()]
    if missing:
        return print(f"skipped: {args.data} has no {missing[0]}; --data names the folder of the judged answers")
    sets = {name: list(read(args.data / name)) for name, read in READERS.items()}
    made = planted(row for rows in sets.values() for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        rules: dict[str, Rules] = {args.against: rules_of(args.against, Path(folder))} if args.against else {}
        report({**rules, "these": settled}, {**sets, **{f"planted: {name}": rows for name, rows in made.items()}})


if __name__ == "__main__":
    main()
