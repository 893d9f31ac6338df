"""Hold a run against an earlier one: is it worse, is it not worse, or are there too few probes to say?

Every task is tested at every k, and all of them together, on the probes of the baseline. *Not worse* is shown, not
assumed: the interval of the difference must exclude a drop larger than is allowed. *Worse* is a drop that chance can't
explain, with Holm's correction, since one test in twenty fails by chance. The rest can't be told, and says how many
probes it takes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from memtriage.core.amount import K, k_text, parse_k
from memtriage.core.errors import BadInput, BadRun, unknown
from memtriage.core.trace import Usage
from memtriage.core.verdict import ProbeVerdict, Verdict
from memtriage.host.shell import shell_word
from memtriage.metrics.statistics import effective_pairs, holm, mcnemar, needed_pairs, paired_difference
from memtriage.record.results import Results
from memtriage.registry import unscored
from memtriage.tables.compare import match
from memtriage.tables.costs import all_dollars, knows_cached
from memtriage.tables.depth import OPEN, at_graded_depth
from memtriage.tables.pairs import LEVEL, CellKey, Flip, Match, Outcomes, ProbeOutcome, in_order, partners
from memtriage.tables.standings import REFERENCES
from memtriage.tables.table import MERGED, Tally, cluster_of

Finding = Literal["worse", "not_worse", "undecided"]

MAX_DROP = 3.0
"""How many points of success may be lost, unless told otherwise."""

_MISSING = "it was not asked in this run, or has no verdict"


@dataclass(frozen=True, slots=True)
class GateCell:
    """One task at one k, or `all` of them together: what became of the probes of the baseline.

    `n` of them were settled in both runs; an error, or a probe that is missing now (`errors`, `missing`), is no
    success. `before` and `now` are the shares of these that were right, `difference` is now minus before with its 95 %
    interval. `uncertain` pairs are in none of these numbers. `lowest` is the lower end of the interval if everything
    that is open were decided against the new run: errors and uncertain verdicts of the baseline right, those of the new
    run wrong. Not worse means that it is no lower than the drop that is allowed.

    `p` is McNemar's exact p that it is worse, with what is uncertain decided in favour of the new run (1 if no more
    was lost than won); `p_holm` is the same for all cells together. `reason` says why it is undecided: too `few`
    probes, or too much that is `open`. `needed` is how many probes would do, if both runs are alike or, where there
    are that many already, if the difference stays what it is; None if no number would.
    """

    suite: str
    task: str
    system_before: str
    system: str
    k: K
    depth: str
    finding: Finding
    n: int
    before: float | None
    now: float | None
    difference: float | None
    low: float
    high: float
    lowest: float
    lost: int
    won: int
    errors_before: int
    errors: int
    missing: int
    uncertain: int
    p: float
    p_holm: float
    reason: Literal["", "few", "open"]
    needed: int | None


@dataclass(frozen=True, slots=True)
class Floor:
    """A success that a task must have, and the one it has: correct / asked, in percent, whatever the baseline had."""

    task: str
    system: str
    k: K
    wanted: float
    success: float | None
    n: int

    @property
    def held(self) -> bool:
        return self.success is not None and self.success >= self.wanted


@dataclass(frozen=True, slots=True)
class CostRise:
    """What models used on the episodes of both, as if there were no cache; `rise` is in percent, None from nothing."""

    suite: str
    system: str
    unit: Literal["dollars", "tokens"]
    before: float
    now: float
    rise: float | None
    allowed: float

    @property
    def held(self) -> bool:
        return self.now <= self.before if self.rise is None else self.rise <= self.allowed


@dataclass(frozen=True, slots=True)
class Gate:
    """What became of a run's probes since the baseline, and whether that will do.

    `flips` are the probes that only one of the two got right, those of cells that are worse first. `only_new` is how
    many probes the baseline was not asked; `notes` say what else differs. If it is `strict`, what can't be told won't
    do.
    """

    name: str
    baseline: str
    max_drop: float
    strict: bool
    cells: tuple[GateCell, ...]
    floors: tuple[Floor, ...]
    costs: tuple[CostRise, ...]
    flips: tuple[Flip, ...]
    only_new: int
    notes: tuple[str, ...]

    @property
    def finding(self) -> Finding:
        """Worse if any cell is; not worse if all of them are."""
        found = {cell.finding for cell in self.cells}
        return "worse" if "worse" in found else "undecided" if "undecided" in found else "not_worse"

    @property
    def failed(self) -> bool:
        """Whether a task is worse, or undecided if that is not enough, a success too low, or a cost too high."""
        held = all(floor.held for floor in self.floors) and all(cost.held for cost in self.costs)
        return not held or self.finding == "worse" or (self.strict and self.finding == "undecided")


def gate(
    new: Results,
    baseline: Results,
    *,
    max_drop: float = MAX_DROP,
    min_success: Mapping[str, float] | None = None,
    max_cost_rise: float | None = None,
    systems: tuple[str, str] | None = None,
    shared: bool = False,
    strict: bool = False,
) -> Gate:
    """Hold a run against a baseline.

    `max_drop` is in points of success, `min_success` in percent by task (`long-hop`, `memfail/long-hop`, at one k
    `long-hop@10`, or `all`), `max_cost_rise` in percent. Systems are paired by name, or as `systems` (the baseline's,
    the new one's) says; floor and ceilings are left out. Whatever the baseline has must be there again: the same data,
    k and judge. With `shared`, what both have is compared instead. If `strict`, all must be shown to be not worse.
    """
    _refuse_number("max_drop", max_drop, 100)
    partner = _partner(baseline, new, systems)
    notes = _settle(baseline, new, partner, systems is None, shared)
    _refuse_other_depths(baseline, new, partner)
    episodes = _same_episodes(baseline, new)
    matches, only_new = match(
        (p for p in _scored(baseline, partner) if p.episode in episodes and p.k in new.ks),
        _scored(new, partner.values()),
        partner,
    )
    if not matches:
        raise BadRun(f"{new.name} and {baseline.name} share no probe; run both on the same data, at the same k")
    cells: dict[CellKey, _Cell] = {}
    flips: dict[CellKey, list[Flip]] = {}
    for found in map(_counted, matches):
        cells.setdefault(found.cell, _Cell()).add(found)
        if (flip := found.flip) is not None and "uncertain" not in (flip.verdict_a, flip.verdict_b):
            flips.setdefault(found.cell, []).append(flip)
    keys = in_order(cells)
    tested = {key: cells[key] for key in keys} | _pooled(cells)
    found_cells = _tested(tested, max_drop / 100)
    worse = {key for key, cell in zip(tested, found_cells, strict=True) if cell.finding == "worse"}
    order = sorted(keys, key=lambda key: key not in worse)
    costs = () if max_cost_rise is None else tuple(_cost_rises(baseline, new, partner, max_cost_rise))
    if max_cost_rise is not None and not costs:
        notes.append("No model was asked inside these systems or for answers, so that there is no cost to compare.")
    return Gate(
        new.name,
        baseline.name,
        max_drop,
        strict,
        tuple(found_cells),
        tuple(_floors(new, set(partner.values()), min_success or {}, cells)),
        costs,
        tuple(flip for key in order for flip in sorted(flips.get(key, ()), key=_is_won)),
        only_new,
        tuple(notes),
    )


def baseline_doubts(results: Results) -> list[str]:
    """What to know before a run becomes a baseline: which systems ended in errors. Refused if nothing is settled."""
    judged = {*results.systems} - {*REFERENCES} or {*results.systems}  # floor and ceilings are compared with nothing
    counts: dict[str, Counter[Verdict]] = {}
    for probe in results.probes():
        if probe.system in judged and probe.verdict != "n/a":
            counts.setdefault(probe.system, Counter())[probe.verdict] += 1
    again = f"memtriage resume {shell_word(results.name)} --retry-errors"
    total = sum(counts.values(), Counter[Verdict]())
    if total.total() == total["error"] + total["uncertain"]:
        remedy = (
            f"mend what fails, and ask again: {again}" if total["error"] else "let a judge settle it: memtriage judge"
        )
        raise BadRun(
            f"{results.name} is no baseline, as nothing is settled in it: of {total.total()} verdicts, "
            f"{total['error']} are errors and {total['uncertain']} uncertain; {remedy}"
        )
    return [
        f"{each['error']} of {each.total()} verdicts of {system} ({each['error'] / each.total():.0%}) are errors, and "
        f"nothing can be shown to be worse or not worse there; ask again before you save it: {again}"
        for system, each in counts.items()
        if each["error"]
    ]


def _is_won(flip: Flip) -> bool:
    return flip.verdict_b == "correct"


def _refuse_number(name: str, value: float, most: float = math.inf) -> None:
    if not 0 <= value <= most or not math.isfinite(value):
        raise BadInput(f"{name} is {value:g}; give 0 or more" + (f", up to {most:g}" if math.isfinite(most) else ""))


# What is held against what


def _partner(baseline: Results, new: Results, systems: tuple[str, str] | None) -> dict[str, str]:
    """The system of the new run that is held against each of the baseline's."""
    before, now = ({*side.systems} for side in (baseline, new))
    if not systems and before - {*REFERENCES} and now - {*REFERENCES}:  # floor and ceilings never change
        before, now = before - {*REFERENCES}, now - {*REFERENCES}
    found = partners(before, now, systems, ("the baseline", "the new run"))
    if not found:
        raise BadRun(
            f"no system of the baseline ({_listed(before)}) is in the new run ({_listed(now)}); "
            "name one of each to be paired: --systems OLD,NEW"
        )
    return found


def _settle(baseline: Results, new: Results, partner: Mapping[str, str], every_system: bool, shared: bool) -> list[str]:
    """Refuse what can't be compared, unless only what both have is to be. Returns what is worth a note."""
    differences = list(_differences(baseline, new, partner, every_system))
    if differences and not shared:
        raise BadRun(
            f"{new.name} can't be held against {baseline.name}: {'; '.join(differences)}. Run both alike, save a new "
            "baseline, or compare only what both have: --shared"
        )
    notes = [f"Only what both have is compared: {each}." for each in differences]
    extra = [name for name in new.systems if name not in (*baseline.systems, *REFERENCES, *partner.values())]
    if extra:
        notes.append(f"Not in the baseline: {_listed(extra)}.")
    told = {"the answering model": "answer", "its reading": "reading", "the internal model": "internal"}
    for what, key in (told | {"the embedder": "embedder"}).items():
        before, now = (_told({**side.models, **side.grading}.get(key)) for side in (baseline, new))
        if before != now:
            notes.append(f"In the baseline {what} was {before}, now it is {now}.")
    if baseline.memtriage != new.memtriage:
        notes.append(f"The baseline is of memtriage {baseline.memtriage}, the new run of {new.memtriage}.")
    return notes


def _refuse_other_depths(baseline: Results, new: Results, partner: Mapping[str, str]) -> None:
    """Refuse tasks whose answers are graded in one of the two only: their success means different things."""
    sides = ((baseline, partner.keys()), (new, partner.values()))
    before, now = (
        {(probe.task, probe.depth) for probe in side.probes() if probe.system in names and probe.verdict != "error"}
        for side, names in sides
    )
    for task, depth in sorted(before):
        if (task, depth) not in now and any(task == own for own, _ in now):
            graded, not_graded = ("baseline", "new run") if depth == "full" else ("new run", "baseline")
            raise BadRun(
                f"the answers of {task} are graded in the {graded} and not in the {not_graded}, so that success means "
                "something else; run both with --answer and --judge, or both without"
            )


def _differences(baseline: Results, new: Results, partner: Mapping[str, str], every_system: bool) -> Iterable[str]:
    """What the new run lacks of the baseline, or has otherwise, a clause for each."""
    lacking = [name for name in baseline.systems if name not in (*partner, *REFERENCES)]
    if lacking and every_system:
        yield f"it lacks the systems {_listed(lacking)}"
    if ks := [k_text(k) for k in baseline.ks if k not in new.ks]:
        yield f"it was not asked at k = {', '.join(ks)}"
    tasks = {mark.task for mark in new.episodes.values()}
    if gone := {mark.task for mark in baseline.episodes.values()} - tasks:
        yield f"it lacks the tasks {_listed(gone)}"
    same = _same_episodes(baseline, new)
    if others := [id for id, mark in baseline.episodes.items() if mark.task in tasks and id not in same]:
        of = sorted({baseline.episodes[id].task for id in others})
        yield f"{len(others)} of {len(baseline.episodes)} episodes hold other data ({_listed(of)})"
    for what, key, without in (
        ("the judge", "judge", "none"),
        ("--paper-exact", "paper_exact", "off"),
        ("--cant-tell", "cant_tell", "off"),
        ("--repeats", "repeats", "1"),
    ):
        was, its = (_told(side.grading.get(key), without) for side in (baseline, new))
        if was != its:
            yield f"{what} was {was} and is {its}"
    if baseline.grading.get("judge") == new.grading.get("judge"):
        both = ((task, baseline.judges[task], new.judges[task]) for task in baseline.judges.keys() & new.judges.keys())
        # a run that was stopped, or had errors, may have asked in fewer words
        if reworded := [task for task, before, now in both if not (before <= now or now <= before)]:
            yield f"the judge was asked in other words ({_listed(reworded)})"


def _same_episodes(baseline: Results, new: Results) -> set[str]:
    """The episodes of the baseline that tell and ask the same in the new run."""
    now = {(id, mark.digest) for id, mark in new.episodes.items()}
    return {id for id, mark in baseline.episodes.items() if (id, mark.digest) in now}


def _scored(results: Results, systems: Collection[str]) -> Iterator[ProbeVerdict]:
    return (probe for probe in results.probes() if probe.system in systems and not unscored(probe.task))


def _told(setting: object, without: str = "none") -> str:
    if isinstance(setting, Mapping):
        return ",".join(f"{name}={value}" for name, value in setting.items())
    return "on" if setting is True else str(setting or without)


def _listed(names: Collection[str]) -> str:
    known = sorted(names)
    return ", ".join(known[:5]) + (f" and {len(known) - 5} more" if len(known) > 5 else "")


# What is counted


def _counted(found: Match) -> Match:
    """A match in which a probe that is missing now is an error, and one that can no longer be asked uncertain."""
    if found.b is None:
        return found._replace(b=ProbeOutcome("error", "", _MISSING, found.a.cluster))
    if found.b.verdict == "n/a" and found.a.verdict != "n/a":
        return found._replace(b=found.b._replace(verdict="uncertain"))
    return found


class _Cell:
    """The pairs of one task at one k."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Hashable, Verdict, Verdict]] = []
        self.missing = 0

    def add(self, found: Match) -> None:
        assert found.b is not None
        if found.a.verdict != "n/a":
            self.pairs.append((found.a.cluster, found.a.verdict, found.b.verdict))
            self.missing += found.b.why == _MISSING and found.b.verdict == "error"

    def settled(self, *but: Verdict) -> Outcomes:
        """The pairs without those in which a side has one of these verdicts."""
        return [(c, a == "correct", b == "correct") for c, a, b in self.pairs if a not in but and b not in but]

    def decided(self, *before: Verdict, now: tuple[Verdict, ...] = ()) -> Outcomes:
        """All pairs, with these verdicts counting as right on one side."""
        return [(c, a in ("correct", *before), b in ("correct", *now)) for c, a, b in self.pairs]

    def count(self, side: int, verdict: Verdict) -> int:
        return sum(pair[side] == verdict for pair in self.pairs)


def _pooled(cells: Mapping[CellKey, _Cell]) -> dict[CellKey, _Cell]:
    """The pairs of all tasks together for each system and k, where there are several: many small losses add up."""
    if len({key.task for key in cells}) == 1:
        return {}
    pooled: dict[CellKey, _Cell] = {}
    for key in in_order(cells):
        whole = pooled.setdefault(key._replace(suite=MERGED, task=MERGED), _Cell())
        whole.pairs += cells[key].pairs
        whole.missing += cells[key].missing
    return pooled


def _lost_won(outcomes: Outcomes) -> tuple[int, int]:
    return sum(a > b for _, a, b in outcomes), sum(b > a for _, a, b in outcomes)


def _low(outcomes: Outcomes) -> float:
    found = paired_difference(outcomes)
    return found.interval.low if found else -1.0


def _tested(cells: Mapping[CellKey, _Cell], max_drop: float) -> list[GateCell]:
    kindly = [cell.decided(now=("uncertain",)) for cell in cells.values()]
    ps = [mcnemar(lost, won) if lost > won else 1.0 for lost, won in map(_lost_won, kindly)]
    raised = holm(ps)
    places = {test: place for place, test in enumerate(sorted(range(len(ps)), key=ps.__getitem__))}
    found = []
    for test, (key, cell) in enumerate(cells.items()):
        # Pairs of one cluster are not independent, as McNemar's test takes them: the interval knows, at Holm's level.
        level = 1 - LEVEL / (len(ps) - places[test])
        below = paired_difference(kindly[test], level)
        worse = raised[test] < LEVEL and below is not None and below.interval.high < 0
        found.append(_judged(key, cell, max_drop, worse, ps[test], raised[test]))
    return found


def _judged(key: CellKey, cell: _Cell, max_drop: float, worse: bool, p: float, p_holm: float) -> GateCell:
    outcomes = cell.settled("uncertain")
    n, (lost, won) = len(outcomes), _lost_won(outcomes)
    difference = paired_difference(outcomes)
    lowest = _low(cell.decided(*OPEN))
    finding: Finding = "not_worse" if cell.pairs and lowest >= -max_drop else "worse" if worse else "undecided"
    reason: Literal["", "few", "open"] = ""
    if finding == "undecided":
        reason = "open" if _low(cell.settled(*OPEN)) >= -max_drop else "few"
    return GateCell(
        *key,
        finding,
        n=n,
        before=sum(a for _, a, _ in outcomes) / n if n else None,
        now=sum(b for _, _, b in outcomes) / n if n else None,
        difference=difference.value if difference else None,
        low=difference.interval.low if difference else -1.0,
        high=difference.interval.high if difference else 1.0,
        lowest=lowest,
        lost=lost,
        won=won,
        errors_before=cell.count(1, "error"),
        errors=cell.count(2, "error") - cell.missing,
        missing=cell.missing,
        uncertain=len(cell.pairs) - n,
        p=p,
        p_holm=p_holm,
        reason=reason,
        needed=_needed(outcomes, max_drop) if reason == "few" else None,
    )


def _needed(outcomes: Outcomes, max_drop: float) -> int | None:
    """How many probes like these it takes to exclude the drop, or to show it."""
    n, (lost, won) = len(outcomes), _lost_won(outcomes)
    discordance = (lost + won) / n if n else 0.0
    for_each = n / effective_pairs(outcomes) if n else 1.0  # probes that share a cluster count for less
    for margin in (max_drop, abs(max_drop - (lost - won) / n) if n else 0.0):
        pairs = needed_pairs(margin, discordance)
        if pairs is None:
            return None
        if (needed := math.ceil(pairs * for_each)) > n:
            return needed
    return None


# Floors and costs


def _floors(
    new: Results, systems: Collection[str], wanted: Mapping[str, float], cells: Mapping[CellKey, _Cell]
) -> Iterable[Floor]:
    """The success of each task that must have one, for every system and k; what is missing is no success."""
    if not wanted:
        return
    tallies: dict[tuple[str, str, K], Tally] = {}
    for probe in at_graded_depth(new.probes()):
        if probe.system in systems:
            tally = tallies.setdefault((probe.task, probe.system, probe.k), Tally())
            tally.add(probe.verdict, cluster_of(probe))
    for key, cell in cells.items():
        for _ in range(cell.missing):
            tallies.setdefault((key.task, key.system_b, key.k), Tally()).add("error", None)
    tasks = sorted({task for task, _, _ in tallies})
    for name, floor in wanted.items():
        _refuse_number(f"the success wanted of {name}", floor, 100)
        task, _, at = name.partition("@")
        whole = [known for known in tasks if task in (known, known.rpartition("/")[2], "all")]
        k = parse_k(at) if at else None
        if not whole:
            raise BadInput(unknown("task", task, {*(known.rpartition("/")[2] for known in tasks), "all"}))
        if at and k not in new.ks:
            raise BadInput(f"{name}: the run was not asked at k = {at}; it was at {', '.join(map(k_text, new.ks))}")
        for (of, system, own), tally in tallies.items():
            if of in whole and (k is None or own == k):
                success = None if tally.success is None else 100 * tally.success
                yield Floor(of, system, own, floor, success, tally.asked)


def _cost_rises(baseline: Results, new: Results, partner: Mapping[str, str], allowed: float) -> Iterable[CostRise]:
    """What models used for each system and suite, on the episodes that both have."""
    _refuse_number("max_cost_rise", allowed)
    if set(baseline.ks) != set(new.ks):
        raise BadRun("costs count every k that was asked, and these two were asked at different ones; run both alike")
    episodes = _same_episodes(baseline, new)
    for before, now in partner.items():
        first, second = _uses(baseline, before, episodes), _uses(new, now, episodes)
        for suite in dict.fromkeys((*first, *second)):
            yield _cost_rise(suite, now, first.get(suite, Usage()), second.get(suite, Usage()), allowed)


def _uses(results: Results, system: str, episodes: Collection[str]) -> dict[str, Usage]:
    """What a system's models used per suite, all stores together."""
    found: dict[str, Usage] = {}
    for use in results.uses:
        if use.system == system and use.episode in episodes and use.usage is not None:
            found[use.suite] = found.get(use.suite, Usage()) + use.usage
    return found


def _cost_rise(suite: str, system: str, before: Usage, now: Usage, allowed: float) -> CostRise:
    unit: Literal["dollars", "tokens"] = "dollars"
    first, second = all_dollars(before), all_dollars(now)
    if not first or second is None:  # a price is not known, or there is none
        unit, first, second = "tokens", _tokens(before), _tokens(now)
    if unit == "tokens" and not (knows_cached(before) and knows_cached(now)):
        raise BadRun(f"what the models of {system} used on {suite} is not known; run again, or leave out the cost")
    return CostRise(suite, system, unit, first, second, 100 * (second / first - 1) if first > 0 else None, allowed)


def _tokens(used: Usage) -> float:
    return float(used.input_tokens + used.output_tokens + used.cached_input + used.cached_output)
