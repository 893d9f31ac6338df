"""Scorecards of detectors and judges: coverage and risk side by side, by kind, and as a curve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.core.verdict import KIND, VERDICTS, Verdict
from memtriage.diagnose.lexical.support import State
from memtriage.metrics.statistics import wilson
from memtriage.report.terminal.tables import WIDE, percent, plain
from memtriage.validate.calibrate_memories import CONTROLS, MemoriesCalibration
from memtriage.validate.calibrate_memory_judge import MemoryJudgeCalibration
from memtriage.validate.calibrate_pairs import PairsCalibration, notes
from memtriage.validate.calibrate_rewritten import RewrittenCalibration
from memtriage.validate.calibrate_risk import KindScore, Risk, Scorecard, risk_of

_CURVE_LINES = 10
_STATES: tuple[State, ...] = ("supported", "invented", "uncertain")

_CAPTION = (
    "Coverage: share of the facts with a verdict other than uncertain. Risk: share of these verdicts that are wrong, "
    "with its 95 % interval (by fact): of the stage, or only of whether the fact is intact."
)


_MEMORIES_CAPTION = (
    "Coverage: share that it called supported or invented. Risk: share of these that it called wrongly; false alarms "
    "are those of memories that were said, inventions passed those of planted ones. With 95 % Wilson intervals."
)


def print_pairs(result: PairsCalibration, console: Console) -> None:
    """Print how detectors do on pairs of a fact and a rewritten memory, beside the words-only baseline."""
    labels = ", ".join(f"{n} {label}" for label, n in result.labels.items())
    console.print(Text(f"{len(result.pairs):,} pairs of a fact and a memory, {result.facts} facts: {labels}", "bold"))
    print_scores([*result.scores, result.baseline], console)
    for score in result.scores[:1]:
        console.print()
        console.print(plain(score.detector, "bold"))
        print_scorecard(score, console)
    for note in pairs_notes(result):
        console.print(Text(note, "dim"))


def print_rewritten(result: RewrittenCalibration, console: Console) -> None:
    """Print how a detector does on rewritten memories, with and without planted faults."""
    console.print(Text("Rewritten memories: lossless rewritings, and what models do to facts", "bold"))
    console.print(plain(f"judged by {result.score.detector}"))
    grid = _grid("", "n", "coverage", "risk: stage", "risk: intact?")
    for name, kept in (("lossless rewritings", True), ("planted faults", False)):
        outcomes = [o for o in result.score.outcomes if (o.expected == "correct") == kept]
        strict, lenient = risk_of(outcomes), risk_of(outcomes, lenient=True)
        grid.add_row(name, f"{strict.n:,}", percent(strict.coverage), _risk(strict), _risk(lenient))
    console.print(grid)
    console.print(Text(_CAPTION, "dim"))
    print_scorecard(result.score, console)
    if any(result.skipped.values()):
        styles = ", ".join(f"{style} {n}" for style, n in result.skipped.items() if n)
        console.print(Text(f"Facts that could not be rewritten in a style, and were not tested in it: {styles}", "dim"))


def rewritten_json(result: RewrittenCalibration) -> dict[str, Any]:
    """The same as JSON."""
    return {**scorecard_json(result.score), "skipped": dict(result.skipped)}


def print_memories(result: MemoriesCalibration, console: Console) -> None:
    """Print what was found of planted inventions and contradictions, and the false alarms on stores without any."""
    console.print(Text("False memories: planted inventions, and memories that were said", "bold"))
    grid = _grid("planted", "n", "supported", "invented", "uncertain")
    for kind in result.kinds:
        counts = (result.count(kind, state) for state in _STATES)
        grid.add_row(kind, f"{result.n(kind):,}", *(f"{count:,}" for count in counts))
    console.print(grid)
    right, alarms = result.rightness, [(kind, result.alarm(kind)) for kind in CONTROLS if result.n(kind)]
    if result.committed:
        share = percent(result.right / result.committed)
        console.print(f"right where not uncertain: {share} [{percent(right.low)}–{percent(right.high)}]")
    for kind, alarm in alarms:
        share = percent(result.count(kind, "invented") / result.n(kind))
        console.print(f"false alarms on {kind} memories: {share} [{percent(alarm.low)}–{percent(alarm.high)}]")
    console.print(f"contradicting pairs: {result.pairs_found} of {result.pairs} found, {result.pairs_false} false")


def memories_json(result: MemoriesCalibration) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "planted": [
            {"kind": kind, "n": result.n(kind), **{state: result.count(kind, state) for state in _STATES}}
            for kind in result.kinds
        ],
        "committed": result.committed,
        "right": result.right,
        "pairs": result.pairs,
        "pairs_found": result.pairs_found,
        "pairs_false": result.pairs_false,
    }


def print_memory_judge(result: MemoryJudgeCalibration, judge: str, console: Console) -> None:
    """Print what a judge called planted inventions and memories that were said."""
    console.print(Text.assemble(("Planted memories", "bold"), ", judged by ", plain(judge)))
    grid = _grid("planted", "n", "supported", "invented", "unclear", "errors", "of these open")
    for kind in result.kinds:
        own = result.of(kind)
        counts = (own.n, *map(own.count, _STATES), own.errors, own.open.n)
        grid.add_row(kind, *(f"{n:,}" if n else "·" for n in counts))
    console.print(grid)
    shares = _grid("", "n", "coverage", "risk", "false alarms", "inventions passed", "κ")
    for name, part in (("all", result), ("open: words can't tell", result.open)):
        if part.n:
            alarms, passed = _wrong(part.said), _wrong(part.invented)
            kappa = "–" if math.isnan(part.kappa) else f"{part.kappa:.3f}"
            shares.add_row(name, f"{part.n:,}", _share(part.committed, part.n), _wrong(part), alarms, passed, kappa)
    console.print(shares)
    console.print(Text(_MEMORIES_CAPTION, "dim"))


def _wrong(part: MemoryJudgeCalibration) -> str:
    return _share(part.wrong, part.committed)


def _share(n: int, of: int) -> str:
    low, high = wilson(n, of)
    return f"{percent(n / of)} [{100 * low:.1f}–{100 * high:.1f}]" if of else "–"


def memory_judge_json(result: MemoryJudgeCalibration) -> dict[str, Any]:
    """The same as JSON, with every memory that was judged wrongly."""
    wrong = [one for one in result.outcomes if one.wrong]
    return {
        **_memory_judge_part(result),
        "open": _memory_judge_part(result.open),
        "wrong_memories": [
            {"kind": one.planted.kind, "text": one.planted.text, "found": one.found, "why": one.why} for one in wrong
        ],
    }


def _memory_judge_part(part: MemoryJudgeCalibration) -> dict[str, Any]:
    return {
        "planted": [
            {"kind": kind, "n": own.n, **{state: own.count(state) for state in _STATES}, "errors": own.errors}
            for kind in part.kinds
            for own in [part.of(kind)]
        ],
        "n": part.n,
        "committed": part.committed,
        "coverage": _rounded(part.committed / part.n) if part.n else None,
        "coverage_interval": [_rounded(bound) for bound in part.coverage],
        "wrong": part.wrong,
        "risk": _rounded(part.wrong / part.committed) if part.committed else None,
        "interval": [_rounded(bound) for bound in part.risk],
        "false_alarms": part.said.wrong,
        "passed": part.invented.wrong,
        "kappa": None if math.isnan(part.kappa) else _rounded(part.kappa),
        "errors": part.errors,
    }


def print_scores(scores: Sequence[Scorecard], console: Console) -> None:
    """Print a line of coverage and risk for each detector."""
    grid = _grid("detector", "n", "coverage", "risk: stage", "risk: intact?", "errors")
    for score in scores:
        strict, lenient = score.strict, score.lenient
        errors = str(strict.errors) if strict.errors else "·"
        shares = (percent(strict.coverage), _risk(strict), _risk(lenient))
        grid.add_row(plain(score.detector), f"{strict.n:,}", *shares, errors)
    console.print(grid)
    console.print(Text(_CAPTION, "dim"))


def print_scorecard(score: Scorecard, console: Console) -> None:
    """Print a detector's confusion matrix, its results by kind, its false alarms and its risk-coverage curve."""
    console.print(_confusion(score.confusion))
    console.print(_kinds(score.kinds, "kind", console.width >= WIDE))
    mangled = [style for style in score.styles if style.expected == "summary_error"]
    if mangled:
        console.print(_kinds(mangled, "style of the memory", console.width >= WIDE))
    alarms = score.false_alarms
    console.print(f"false alarms on lossless rewritings: {_risk(alarms)} at coverage {percent(alarms.coverage)}")
    curve = score.curve
    if len(curve) > 1:
        grid = _grid("at least this sure", "coverage", "risk")
        for at in sorted({round(n * (len(curve) - 1) / (_CURVE_LINES - 1)) for n in range(_CURVE_LINES)}):
            risk = curve[at].risk
            grid.add_row(f"{curve[at].confidence:.2f}", percent(risk.coverage), _risk(risk))
        console.print(grid)


def pairs_notes(result: PairsCalibration) -> list[str]:
    """What to keep in mind when reading results on pairs."""
    shares = ", ".join(f"{percent(share)} ({label})" for label, share in result.overlap.items())
    return [
        f"Memories repeat this share of their fact's words: {shares}. So words alone give labels away to some extent; "
        "compare with the baseline, which only counts shared words and numbers of pairs about other facts.",
        *notes(result.pairs[0].language if result.pairs else "en"),
    ]


def pairs_json(result: PairsCalibration) -> dict[str, Any]:
    """The same as JSON in a stable schema."""
    return {
        "schema": "memtriage.pairs-calibration/1",
        "pairs": len(result.pairs),
        "facts": result.facts,
        "labels": result.labels,
        "overlap": {label: round(share, 6) for label, share in result.overlap.items()},
        "scores": [scorecard_json(score) for score in result.scores],
        "baseline": scorecard_json(result.baseline),
        "errors": [{"why": why, "n": n} for why, n in sorted(result.errors.items())],
        "notes": pairs_notes(result),
    }


def scorecard_json(score: Scorecard) -> dict[str, Any]:
    """A scorecard as JSON; wherever coverage stands, risk stands beside it."""
    return {
        "detector": score.detector,
        "strict": _risk_json(score.strict),
        "lenient": _risk_json(score.lenient),
        "false_alarms": _risk_json(score.false_alarms),
        "faults": _risk_json(score.faults),
        "confusion": [{"planned": p, "found": f, "n": n} for (p, f), n in score.confusion.items()],
        "kinds": [_kind_json(kind, "kind") for kind in score.kinds],
        "styles": [_kind_json(style, "style") for style in score.styles],
        "curve": [{"confidence": round(p.confidence, 6), **_risk_json(p.risk)} for p in score.curve],
    }


def _risk_json(risk: Risk) -> dict[str, Any]:
    return {
        "n": risk.n,
        "committed": risk.committed,
        "wrong": risk.wrong,
        "coverage": _rounded(risk.coverage),
        "risk": _rounded(risk.risk),
        "interval": [_rounded(bound) for bound in risk.interval],
        "errors": risk.errors,
    }


def _kind_json(score: KindScore, column: str) -> dict[str, Any]:
    return {column: score.kind, "planned": score.expected, **_risk_json(score.risk), "found": score.found}


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 6)


def _risk(risk: Risk) -> str:
    low, high = risk.interval
    return f"{percent(risk.risk)} [{100 * low:.1f}–{100 * high:.1f}]" if risk.committed else "–"


def _grid(*headings: str) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1))
    for n, heading in enumerate(headings):
        grid.add_column(Text(heading), justify="right" if n else "left", overflow="fold")
    return grid


def _confusion(matrix: Mapping[tuple[Verdict, Verdict], int]) -> Table:
    called = [verdict for verdict in VERDICTS if any(found == verdict for _, found in matrix)]
    grid = _grid("expected", *(KIND[verdict].label for verdict in called), "n")
    for expected in VERDICTS:
        counts = [matrix.get((expected, found), 0) for found in called]
        if sum(counts):
            cells = (
                Text(str(n) if n else "·", "bold" if found == expected and n else "")
                for found, n in zip(called, counts, strict=True)
            )
            grid.add_row(KIND[expected].label, *cells, str(sum(counts)))
    return grid


def _kinds(scores: Sequence[KindScore], heading: str, wide: bool) -> Table:
    """Coverage and risk by kind; if the terminal is wide enough, also how often each verdict was given."""
    called = [verdict for verdict in VERDICTS if any(verdict in score.found for score in scores)] if wide else []
    grid = _grid("expected", heading, *(KIND[verdict].letter for verdict in called), "n", "coverage", "risk: stage")
    grid.columns[1].justify = "left"
    if called:
        grid.caption = Text("   ".join(f"{KIND[verdict].letter} {KIND[verdict].label}" for verdict in called), "dim")
        grid.caption_justify = "left"
    for score in scores:
        risk = score.risk
        counts = [str(score.found[verdict]) if verdict in score.found else "·" for verdict in called]
        shares = (str(risk.n), percent(risk.coverage), _risk(risk))
        name = KIND[score.expected].label
        grid.add_row(name, plain(score.kind), *counts, *shares, style="bold" if risk.wrong else "")
    return grid
