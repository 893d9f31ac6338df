"""The audit and the judge's calibration in the terminal: label blinded traces, then see who agrees.

Input is read line by line, so that it works over any terminal and through a pipe. Text from data
is never read as markup, and its control characters are made visible.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TextIO, get_args

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from memtriage.core.verdict import KIND, VERDICTS, Verdict
from memtriage.metrics.statistics import Interval
from memtriage.report.terminal.calibration import memory_judge_json, print_memory_judge
from memtriage.report.terminal.commands import calibration, calibration_json
from memtriage.report.terminal.tables import WIDE, percent, plain, visible
from memtriage.text.words import well_formed
from memtriage.validate.audit import Agreement, Audit, AuditItem, AuditMemory, Label, Labelled, Rater, labeller_name
from memtriage.validate.calibrate_judge import AnswerCalibration, JudgeCalibration, Rate
from memtriage.validate.planted_answers import RIGHT_KINDS

_CHOICES: tuple[Label, ...] = get_args(Label)
KEYS: Mapping[str, Label] = {str(n): label for n, label in enumerate(_CHOICES[:-1], start=1)} | {"u": "unsure"}
_NAMES: Mapping[Label, str] = {label: KIND[label].label for label in _CHOICES[:-1]} | {"unsure": "can't tell"}
_ACTIONS = "n add note  b back  s skip  f WORDS find in the store  ? help  q save and quit"
_HELP = """\
Label the first thing that went wrong, in this order:
1 correct: nothing did; where there is an answer, it is right
2 not stored: the store does not speak of a needed fact at all
3 summary error: it does, but a detail that matters is gone, blurred, changed or somebody else's
4 not retrieved: the store has it intact, but it is not among what was retrieved
5 reasoning error: everything needed was retrieved, but the answer is wrong
u can't tell: counted apart, never as a disagreement
The right answer to a question about somebody unknown is to say so.
Only the memories nearest to the facts are shown; look for others with f."""

WEAK_KAPPA = 0.6
"""Below this kappa, a judge's verdicts should not be trusted alone."""


# ------------------------------------------------------------------ the walk-through


@dataclass(frozen=True, slots=True)
class WalkResult:
    """How a walk through a sample ended: labels given, items still unlabelled, and whether the user quit."""

    labelled: int
    left: int
    quit: bool


def walk(
    audit: Audit,
    labeller: str,
    console: Console,
    lines: TextIO,
    clock: Callable[[], float] = time.monotonic,
) -> WalkResult:
    """Take a person through the items that they have not labelled yet; every label is saved at once.

    The agreement is printed only at the end, so that nobody learns half-way how they are doing.
    """
    walker = _Walker(audit, labeller_name(labeller), console, lines, clock)
    return walker.walk()


class _Walker:
    """One person's walk through a sample."""

    def __init__(
        self, audit: Audit, labeller: str, console: Console, lines: TextIO, clock: Callable[[], float]
    ) -> None:
        self._audit = audit
        self._items = audit.items
        self._labeller = labeller
        self._console = console
        self._lines = lines
        self._clock = clock
        self._labels = {item: one.label for item, one in audit.labels(labeller).items()}
        self._skipped: set[str] = set()
        self._count = 0

    def walk(self) -> WalkResult:
        self._say(f"{len(self._items)} traces, {self._open} of them without a label by {self._labeller}.")
        if self._audit.gone:
            self._say(f"{self._audit.gone} traces of the sample were asked or answered again and left out.")
        at = self._next(0)
        while at is not None:
            step = self._visit(at)
            if step is None:
                self._say(f"Saved: {self._count} labels, {self._open} traces left. Run the same command to go on.")
                return WalkResult(self._count, self._open, quit=True)
            at = max(0, at - 1) if step < 0 else self._next(at + 1)
        if self._open:
            self._say(f"{self._open} traces were skipped. Run the same command to come back to them.")
        print_agreement(self._audit.agreement(), self._console)
        return WalkResult(self._count, self._open, quit=False)

    @property
    def _open(self) -> int:
        return sum(item.id not in self._labels for item in self._items)

    def _next(self, start: int) -> int | None:
        """The next item that needs a label, looking on from here and then from the beginning."""
        order = (*range(start, len(self._items)), *range(min(start, len(self._items))))
        open_items = (n for n in order if self._items[n].id not in self._labels)
        return next((n for n in open_items if self._items[n].id not in self._skipped), None)

    def _visit(self, at: int) -> int | None:
        """Show one item until it is dealt with; returns 1 to go on, -1 to go back, None to quit."""
        item = self._items[at]
        began = self._clock()
        note = ""
        self._console.print(Rule(Text(f"{at + 1} of {len(self._items)}")))
        for part in _item_parts(item):
            self._console.print(part)
        while True:
            self._ask(item)
            key, _, rest = self._read().partition(" ")
            match key.lower():
                case "" | "q":
                    return None
                case "b":
                    return -1
                case "s":
                    self._skipped.add(item.id)
                    return 1
                case "n":
                    note = self._note(rest)
                case "f":
                    self._find(item, rest)
                case "?":
                    self._say(_HELP)
                case known if known in KEYS and (known != "5" or item.answer is not None):
                    self._record(item, KEYS[known], self._clock() - began, note)
                    return 1
                case "5":
                    self._say("Nobody answered here, so there is nothing to have been misread.")
                case _:
                    self._say(f"{visible(key[:20])} is none of the keys.")

    def _ask(self, item: AuditItem) -> None:
        offered = [f"{key} {_NAMES[label]}" for key, label in KEYS.items() if key != "5" or item.answer is not None]
        own = self._labels.get(item.id)
        so_far = f"your label so far: {_NAMES[own]}; " if own else ""
        self._console.print(Text(f"\n{'  '.join(offered)}\n{_ACTIONS}", "dim"))
        self._console.print(Text(f"{so_far}label> "), end="")

    def _read(self) -> str:
        """The next non-empty line; "" only at the end of input."""
        while True:
            raw = self._lines.readline()
            if not raw:
                self._console.print()
                return ""
            if text := well_formed(raw).strip():
                return text
            self._console.print(Text("label> "), end="")

    def _note(self, rest: str) -> str:
        if not rest.strip():
            self._console.print(Text("note> "), end="")
            rest = well_formed(self._lines.readline())
        return rest.strip()[:2000]

    def _find(self, item: AuditItem, text: str) -> None:
        found = self._audit.find(item.id, text) if text.strip() else []
        for memory in found:
            self._console.print(Padding(plain(memory), (0, 0, 0, 2)))
        if not found:
            self._say("No memory of this store holds these words." if text.strip() else "Write words after f: f kettle")

    def _record(self, item: AuditItem, label: Label, seconds: float, note: str) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._audit.record(Labelled(item.id, label, self._labeller, now, round(seconds, 1), note))
        self._labels[item.id] = label
        self._count += 1

    def _say(self, text: str) -> None:
        self._console.print(Text(text))


def _item_parts(item: AuditItem) -> Iterator[Text | Padding]:
    """Everything a person needs, and nothing that gives a verdict away."""
    yield _headed("Question", item.question)
    yield _headed("Right answer", item.gold)
    if item.abstain:
        told = (
            "(A right answer says that it doesn't know: only the answer counts. The fact below is about somebody else.)"
        )
        yield Text(told, "dim")
    yield Text("\nNeeded")
    for number, fact in enumerate(item.facts, start=1):
        yield _entry(f"{number}.", fact.text)
        about = f"   about: {visible(fact.subject)}" if fact.subject else ""
        details = " | ".join(visible(detail) for detail in fact.details)
        yield Padding(Text(f"must survive: {details}{about}", "dim"), (0, 0, 0, 5))
    if item.store_size is None:
        yield Text("\nThe store can't be seen.")
    else:
        yield Text(f"\nStored{_of(len(item.stored), item.store_size)}")
        yield from _memories(item.stored, ())
    yield Text(f"\nRetrieved{_of(len(item.retrieved), item.k_returned)}")
    yield from _memories(item.retrieved, item.stored)
    yield Text()
    yield _headed("Answer", item.answer) if item.answer is not None else Text("Nobody answered.")


def _of(shown: int, total: int) -> str:
    return f" (the nearest {shown} of {total:,})" if shown < total else f" ({total:,})"


def _memories(memories: Sequence[AuditMemory], above: Sequence[AuditMemory]) -> Iterator[Padding]:
    seen = {memory.label for memory in above}
    for memory in memories:
        yield _entry(memory.label, "(above)" if memory.label in seen else memory.text)
    if not memories:
        yield _entry("", "nothing")


def _headed(heading: str, text: str) -> Text:
    lines = [plain(line) for line in text.splitlines() or [""]]
    return Text.assemble((f"{heading}: ", "bold"), Text("\n    ").join(lines))  # indented, unlike a prompt


def _entry(label: str, text: str) -> Padding:
    return Padding(Text.assemble((label, "bold"), " ", plain(text)), (0, 0, 0, 2))


# ------------------------------------------------------------------ agreement


def print_agreement(found: Sequence[Agreement], console: Console) -> None:
    """Print how far each pair of raters agrees, and where they differ."""
    if not found:
        console.print(Text("No labels yet."))
        return
    for one in found:
        console.print()
        console.print(Text.assemble(plain(_rater(one.first), "bold"), " and ", plain(_rater(one.second), "bold")))
        share = one.agreed / one.n if one.n else None
        low, high = one.interval
        console.print(
            Text(
                f"agree on {percent(share)} [{100 * low:.1f}–{100 * high:.1f}] ({one.agreed} of {one.n}), "
                f"Cohen's κ {_kappa(one.kappa)}; undecided {one.undecided}"
            )
        )
        if one.agreed < one.n:
            console.print(_confusion_table(one, console.width >= WIDE))
    console.print()
    console.print(
        Text(
            "Intervals: 95 % Wilson. The sample is spread evenly over verdicts and tasks, so rare verdicts weigh more "
            "here than in the run. Against a rater that did not look at answers, a reasoning error counts as correct.",
            "dim",
        )
    )


def agreement_json(found: Sequence[Agreement]) -> dict[str, Any]:
    """The agreement as JSON in a stable schema."""
    return {"schema": "memtriage.agreement/1", "pairs": [_pair_json(one) for one in found]}


def _pair_json(one: Agreement) -> dict[str, Any]:
    return {
        "first": one.first._asdict(),
        "second": one.second._asdict(),
        "n": one.n,
        "agreed": one.agreed,
        "interval": _interval(one.interval),
        "kappa": _number(one.kappa),
        "undecided": one.undecided,
        "confusion": [{"first": a, "second": b, "n": n} for (a, b), n in sorted(one.confusion.items())],
    }


def _rater(rater: Rater) -> str:
    return f"judge {rater.name}" if rater.kind == "judge" else rater.name


def _confusion_table(one: Agreement, wide: bool) -> Table:
    """The confusion table of two raters: rows are the first one's verdicts, columns the second's."""
    used = {label for pair in one.confusion for label in pair}
    labels: list[Verdict] = [verdict for verdict in VERDICTS if verdict in used]
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1))
    grid.add_column(Text(f"{visible(_rater(one.first))} ↓ / {visible(_rater(one.second))} →"), overflow="fold")
    for label in labels:
        grid.add_column(Text(KIND[label].label if wide else KIND[label].letter), justify="right")
    for row in labels:
        cells = [one.confusion.get((row, column), 0) for column in labels]
        grid.add_row(Text(f"{KIND[row].letter} {KIND[row].title}"), *(str(n) if n else "·" for n in cells))
    return grid


# ------------------------------------------------------------------ a judge's calibration


def print_judge_calibration(result: JudgeCalibration, console: Console) -> None:
    """Print how a judge graded planted faults, planted answers and planted memories, and any warnings."""
    if result.stages.clean or result.stages.confusion:
        console.print(Text.assemble(("Planted faults", "bold"), ", judged by ", plain(result.judge)))
        calibration(result.stages, console)
    for heading, answers in (
        (Text.assemble(("Planted answers", "bold"), ", judged by ", plain(result.judge)), result.answers),
        (Text.assemble(("Planted lettered answers", "bold"), ", graded by their letter"), result.letters),
    ):
        if answers.graded:
            console.print()
            console.print(heading)
            console.print(_kinds(answers))
            console.print(Text(f"false accepts {_rate(answers.false_accepts)}"))
            console.print(Text(f"false rejects {_rate(answers.false_rejects)}"))
            console.print(Text(f"Cohen's κ {_kappa(answers.kappa)}"))
    if result.memories is not None:
        console.print()
        print_memory_judge(result.memories, result.judge, console)
    for warning in warnings(result):
        console.print(Text(visible(warning), "bold red"))


def warnings(result: JudgeCalibration) -> list[str]:
    """Reasons not to trust this judge; empty if there are none."""
    found: list[str] = []
    match result.answers.one_sided:
        case True:
            found.append("It accepted every planted answer, right or wrong: its word on answers is worth nothing.")
        case False:
            found.append("It rejected every planted answer, right or wrong: its word on answers is worth nothing.")
        case None if result.answers.kappa < WEAK_KAPPA:
            found.append(f"On answers its κ is below {WEAK_KAPPA}: have people check a sample (memtriage audit).")
    if result.stages.confusion and result.stages.kappa < WEAK_KAPPA:
        found.append(f"On stages its κ is below {WEAK_KAPPA}: don't rely on where it says that facts are lost.")
    if result.memories is not None and result.memories.kappa < WEAK_KAPPA:
        found.append(f"On memories its κ is below {WEAK_KAPPA}: don't rely on what it says that stores made up.")
    if result.errors:
        why, n = max(result.reasons.items(), key=lambda reason: reason[1])
        found.append(f"{result.errors} verdicts could not be had and are left out; most often ({n}): {why}")
    return found


def judge_calibration_json(result: JudgeCalibration) -> dict[str, Any]:
    """A judge's calibration as JSON in a stable schema."""
    return {
        "schema": "memtriage.judge-calibration/1",
        "judge": result.judge,
        "stages": {**calibration_json(result.stages), "kappa": _number(result.stages.kappa)},
        "answers": _answers_json(result.answers),
        "letters": _answers_json(result.letters),
        "memories": None if result.memories is None else memory_judge_json(result.memories),
        "errors": [{"why": why, "n": n} for why, n in sorted(result.reasons.items())],
        "warnings": warnings(result),
    }


def _answers_json(answers: AnswerCalibration) -> dict[str, Any]:
    whole = _rates_json(answers)
    return {**whole, "tasks": {task: _rates_json(part) for task, part in answers.tasks.items()}}


def _rates_json(answers: AnswerCalibration) -> dict[str, Any]:
    return {
        "false_accepts": _rate_json(answers.false_accepts),
        "false_rejects": _rate_json(answers.false_rejects),
        "kappa": _number(answers.kappa),
        "kinds": {kind: {"right": kind in RIGHT_KINDS, **_rate_json(rate)} for kind, rate in answers.kinds.items()},
    }


def _rate_json(rate: Rate) -> dict[str, Any]:
    value = None if rate.value is None else round(rate.value, 6)
    return {
        "mistaken": rate.mistaken,
        "n": rate.n,
        "rate": value,
        "interval": _interval(rate.interval),
        "errors": rate.errors,
    }


def _kinds(answers: AnswerCalibration) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1))
    for heading in ("planted", "kind", "graded wrongly", "95 % interval", "n", "errors"):
        grid.add_column(Text(heading), justify="left" if heading in ("planted", "kind") else "right")
    for kind, rate in answers.kinds.items():
        low, high = rate.interval
        bound = f"{100 * low:.1f}–{100 * high:.1f}"
        side = "right" if kind in RIGHT_KINDS else "wrong"
        style = "bold red" if rate.mistaken else ""
        share = Text(percent(rate.value), style)
        grid.add_row(side, kind, share, bound, str(rate.n), str(rate.errors) if rate.errors else "·")
    return grid


def _rate(rate: Rate) -> str:
    low, high = rate.interval
    return f"{percent(rate.value)} [{100 * low:.1f}–{100 * high:.1f}] ({rate.mistaken} of {rate.n})"


def _kappa(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 6)


def _interval(interval: Interval) -> list[float]:
    return [round(interval.low, 6), round(interval.high, 6)]
