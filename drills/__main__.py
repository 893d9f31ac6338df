"""The command: which parts, how much of each, and the table at the end."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

from drills import browsers, damage, disks, faults, foreign, fuzzing, keys, kills, sealing
from drills.engine import Outcome, Part, go_through

_MODULES = (kills, faults, damage, disks, browsers, keys, foreign, sealing, fuzzing)
PARTS: tuple[Part, ...] = tuple(part for module in _MODULES for part in module.PARTS)
ROOT = Path(__file__).parents[1]


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # workers are ended in either case
    arguments = _parser().parse_args()
    say = partial(print, flush=True)
    at = Path(arguments.at).resolve()
    at.mkdir(parents=True, exist_ok=True)
    outcomes = []
    for part in PARTS:
        if part.name in (arguments.parts or [part.name for part in PARTS]):
            outcomes.append(_outcome(part, arguments, at, say))
            say(_row(outcomes[-1]))
    say("")
    say(_table(outcomes))
    broke = [one for outcome in outcomes for one in outcome.broke]
    for failure in broke:
        say(f"\n{failure.why.rstrip()}\n  again: {failure.repeat}\n  kept:  {failure.kept}")
    return 1 if broke else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m drills", description=__doc__)
    names = [part.name for part in PARTS]
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"all unless named: {', '.join(names)}")
    parser.add_argument("--scale", type=float, default=1.0, help="the share of the cases to do (1)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--case", type=int, action="append", help="only the case with this number; may be repeated")
    parser.add_argument("--at", default="runs/drills", help="where results and what broke are kept (runs/drills)")
    parser.add_argument("--again", action="store_true", help="do again what was done before")
    check = parser.parse_args

    def parse(*given: object) -> argparse.Namespace:
        found = check()
        if unknown := set(found.parts) - set(names):
            parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
        return found

    parser.parse_args = parse  # type: ignore[assignment]
    return parser


def _outcome(part: Part, arguments: argparse.Namespace, at: Path, say: partial[None]) -> Outcome:
    """What came of a part: as a file says, if it was done before with the same seed, scale and code, else done now."""
    numbers = arguments.case or range(max(1, round(part.full * arguments.scale)))
    fresh = Outcome(part.name, part.what, arguments.seed, len(numbers), _commit())
    file = at / f"{part.name}.json"
    if file.exists() and not arguments.again and not arguments.case:
        before = Outcome.read(file)
        if (before.seed, before.cases, before.commit) == (fresh.seed, fresh.cases, fresh.commit) and not before.broke:
            return before
    if why := part.fits():
        fresh.skipped = why
        return fresh
    say(f"{part.name}: {part.what}, {len(numbers):,} cases")
    go_through(part, fresh, numbers, at, say)
    if not arguments.case:
        fresh.write(file)
    return fresh


def _commit() -> str:
    """The code that was put to the test; changed files count as other code each time."""
    found = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return found.stdout.strip()


def _row(outcome: Outcome) -> str:
    if outcome.skipped:
        return f"{outcome.part}: not done: {outcome.skipped}"
    held = f"{outcome.held:,} of {outcome.cases:,} held"
    return f"{outcome.part}: {held}, {len(outcome.broke):,} broke, {outcome.seconds:.0f} s"


def _table(outcomes: list[Outcome]) -> str:
    """The summary, as Markdown."""
    lines = [
        "| drill | what | cases | held | broke | of which | minutes |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in outcomes:
        if one.skipped:
            lines.append(f"| {one.part} | {one.what} | – | – | – | not done: {one.skipped} | – |")
            continue
        counts = ", ".join(f"{count:,} {name}" for name, count in sorted(one.counts.items()))
        lines.append(
            f"| {one.part} | {one.what} | {one.cases:,} | {one.held:,} | {len(one.broke):,} | {counts} | "
            f"{one.seconds / 60:.1f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; parts that are done are not done again")
