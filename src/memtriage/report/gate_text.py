"""What a gate found, in sentences: one for all of it, and one for each task, floor and cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memtriage.core.amount import k_text
from memtriage.core.verdict import KIND
from memtriage.host.shell import shell_word
from memtriage.report.headline import points
from memtriage.report.terminal.tables import percent, visible
from memtriage.tables.gate import CostRise, Finding, Floor, Gate, GateCell
from memtriage.tables.pairs import Flip
from memtriage.tables.table import MERGED

LABELS: Mapping[Finding, str] = {"worse": "worse", "not_worse": "not worse", "undecided": "can't say"}

_LONGEST = 160


def headline(found: Gate) -> str:
    """All of it in one sentence."""
    of = len(found.cells)
    counts = {finding: sum(cell.finding == finding for cell in found.cells) for finding in LABELS}
    parts = [f"worse on {counts['worse']} of {of} {'test' if of == 1 else 'tests'}"] if counts["worse"] else []
    if low := sum(not floor.held for floor in found.floors):
        parts.append(f"{low} of {len(found.floors)} floors not reached")
    if dear := sum(not cost.held for cost in found.costs):
        parts.append(f"{dear} of {len(found.costs)} costs above the limit")
    if counts["undecided"]:
        whole = [cell for cell in found.cells if cell.task == MERGED]
        if whole and not parts and all(cell.finding == "not_worse" for cell in whole):
            parts.append("not worse over all tasks together")
        parts.append(f"{counts['undecided']} of {of} can't be told{'' if found.strict else ' (--strict would fail)'}")
    if not parts:
        parts = [f"not worse on any of {of} tests: a drop of more than {found.max_drop:g} points is excluded"]
    return f"{'FAILED' if found.failed else 'passed'}: {'; '.join(parts)}"


def where(cell: GateCell | Floor) -> str:
    """What a test is about."""
    task = "all tasks" if cell.task == MERGED else cell.task
    return f"{task}, {_systems(cell)}, k = {k_text(cell.k)}"


def _systems(cell: GateCell | Floor) -> str:
    if isinstance(cell, Floor) or cell.system_before == cell.system:
        return cell.system
    return f"{cell.system_before} → {cell.system}"


def sentence(cell: GateCell, found: Gate) -> str:
    """What became of one task at one k."""
    parts = [LABELS[cell.finding]]
    if cell.difference is not None:
        change = f"{points(cell.difference)} points, 95 % {points(cell.low)} to {points(cell.high)}"
        parts.append(f"{percent(cell.before)} became {percent(cell.now)} ({change})")
        parts.append(f"{cell.lost} lost, {cell.won} won of {cell.n}")
    if cell.finding == "worse":
        parts.append(f"p {'< 0.001' if cell.p_holm < 0.001 else f'= {cell.p_holm:.3f}'} over all tests")
    return "; ".join(filter(None, (*parts, remark(cell, found))))


def remark(cell: GateCell, found: Gate) -> str:
    """What the numbers of a cell don't say: what is open in it, and why it can't be told; "" if there is nothing."""
    why = _undecided(cell, found.max_drop) if cell.finding == "undecided" else ""
    return "; ".join(filter(None, (open_counts(cell), why)))


def _undecided(cell: GateCell, max_drop: float) -> str:
    if cell.reason == "open":
        return "too much is open"
    if cell.needed is not None:
        return f"too few probes: a drop of {max_drop:g} points takes about {cell.needed:,} to show (80 % power)"
    if not max_drop:
        return "no number of probes excludes every drop; allow some: --max-drop 1"
    return f"the drop is so close to {max_drop:g} points that more probes would hardly tell"


def open_counts(cell: GateCell) -> str:
    """How many probes are errors, missing or uncertain; "" if none."""
    counts = {
        "ended in an error": cell.errors,
        "missing": cell.missing,
        "uncertain": cell.uncertain,
        "an error in the baseline": cell.errors_before,
    }
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def hints(found: Gate) -> Iterator[str]:
    """What to do about what is open in the new run; then what else differs."""
    run = shell_word(found.name)
    if any(cell.errors or cell.missing for cell in found.cells):
        yield f"What ended in an error or is missing is tried again by: memtriage resume {run} --retry-errors"
    if any(cell.uncertain for cell in found.cells):
        yield f"What is uncertain is settled by a judge, in both runs: memtriage judge {run} --judge MODEL"
    yield from found.notes


def floor_sentence(floor: Floor) -> str:
    """Whether a floor holds."""
    success = None if floor.success is None else floor.success / 100
    state = "reached" if floor.held else "NOT reached"
    return f"success {percent(success)} of {floor.n}, wanted {floor.wanted:g} %: {state}"


def cost_sentence(cost: CostRise) -> str:
    """Whether a cost holds."""
    before, now = (f"${n:,.4f}" if cost.unit == "dollars" else f"{n:,.0f} tokens" for n in (cost.before, cost.now))
    rise = "from nothing" if cost.rise is None else f"{cost.rise:+.1f} %"
    return f"{before} became {now} ({rise}, allowed +{cost.allowed:g} %): {'held' if cost.held else 'NOT held'}"


def flip_words(flip: Flip) -> tuple[str, str, str, str, str]:
    """A flip in plain words, cut to a length that can be read: probe, k, before, now, and the question with the why."""
    asked = flip.question.partition("\n")[0]
    told = f"{asked} – {flip.why}" if asked and flip.why else asked or flip.why
    verdicts = (KIND[verdict].label for verdict in (flip.verdict_a, flip.verdict_b))
    return (_cut(flip.probe), k_text(flip.k), *verdicts, _cut(told))  # type: ignore[return-value]


def _cut(text: str) -> str:
    text = visible(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def lines(found: Gate, limit: int = 20) -> Iterator[str]:
    """All that was found as lines of plain text, the failures first."""
    yield headline(found)
    for cell in sorted(found.cells, key=lambda cell: ("worse", "undecided", "not_worse").index(cell.finding)):
        yield visible(f"  {where(cell)}: {sentence(cell, found)}")
    for floor in found.floors:
        yield visible(f"  {where(floor)}: {floor_sentence(floor)}")
    for cost in found.costs:
        yield visible(f"  {cost.suite}, {cost.system}: {cost_sentence(cost)}")
    lost = [flip for flip in found.flips if flip.verdict_b != "correct"]
    if lost:
        yield "probes that were right and are not now:"
    for flip in lost[:limit]:
        probe, k, _, now, told = flip_words(flip)
        yield visible(f"  {flip.task} {probe} (k = {k}): {now}; {told}")
    if len(lost) > limit:
        yield f"  … and {len(lost) - limit} more"
    for hint in hints(found):
        yield visible(f"note: {hint}")
