"""What a run says in a few words: where its systems lose most, which does best, and whether that can be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import NamedTuple

from memtriage.core.verdict import FAILURES, KIND, STAGES, Verdict
from memtriage.report.labels import short_labels
from memtriage.tables.standings import Contrast, Overall, Standings
from memtriage.tables.table import FactRow, Row

_GROUPS = 8
"""How many groups of systems that can't be told apart are named."""

_NAME = 28
"""The room for a system's name among many in a sentence."""

_ERROR = 200
"""How many characters of an error are shown."""


class Headline(NamedTuple):
    """Where the systems of a run lose most, and which of them succeeds most often: a sentence each."""

    weakest: str
    best: str

    def __str__(self) -> str:
        return " ".join(filter(None, self))


def headline(found: Standings) -> Headline:
    """The headline of a run, at the largest k."""
    asked = [row for row in found.contestants if row.asked]
    if not asked:
        return Headline("No probe could be asked.", "")
    broken = [row for row in asked if row.error == row.asked]
    if len(broken) == len(asked):
        return Headline(_broken(broken, found), "")
    best = _best(asked, found)
    return Headline(_weakest(asked), f"{best} {_broken(broken, found, True)}" if broken else best)


def told_apart(found: Sequence[Contrast]) -> list[str]:
    """Which systems can't be told apart, in sentences, from every two of them in the order of their ranks."""
    pairs = [(one.pairs.system_a, one.pairs.system_b) for one in found]
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    unclear = {pair for pair, one in zip(pairs, found, strict=True) if not one.apart}
    short = short_labels(names, _NAME)
    corrected = f"with p corrected for the {len(found)} comparisons"
    if not unclear:
        return [f"Every two of the {len(names)} systems can be told apart, {corrected}."]
    if len(unclear) == len(found):
        said = [f"No two of the {len(names)} systems can be told apart, {corrected}."]
    else:
        groups = _alike(names, unclear)
        more = f"; and {len(groups) - _GROUPS} more" if len(groups) > _GROUPS else ""
        said = [
            f"{len(found) - len(unclear)} of {len(found)} pairs of systems can be told apart, {corrected}.",
            f"These cannot: {'; '.join(_join([short[name] for name in group]) for group in groups[:_GROUPS])}{more}.",
        ]
    alone = sum(one.alone and not one.apart for one in found)
    if alone:
        said.append(f"{alone} {'pair' if alone == 1 else 'pairs'} would differ if looked at alone.")
    return said


def _alike(names: Sequence[str], unclear: Collection[tuple[str, str]]) -> list[list[str]]:
    """Neighbours in rank of which no two can be told apart, as many as possible together; then the other such pairs."""
    runs: list[list[str]] = []
    for start in range(len(names)):
        end = start + 1
        while end < len(names) and all((name, names[end]) in unclear for name in names[start:end]):
            end += 1
        run = list(names[start:end])
        if len(run) > 1 and not any(set(run) <= set(other) for other in runs):
            runs.append(run)
    covered = {pair for run in runs for pair in combinations(run, 2)}
    rest = [list(pair) for pair in combinations(names, 2) if pair in unclear and pair not in covered]
    return runs + rest


def weakest_stage(row: FactRow) -> str | None:
    """The stage at which most is lost; None if nothing is known to be."""
    worst = max(FAILURES, key=lambda failure: _count(row, failure))
    return KIND[worst].stage if _count(row, worst) else None


def loss(row: Overall, table: Sequence[Row]) -> str:
    """The sentence after a system's name that says where it loses most; `table` has its rows by task."""
    tail = _counted_apart(row)
    if not row.asked:
        return f"could not be asked anything{tail}."
    if row.error + row.uncertain == row.asked:
        return f"has no probe that could be judged{tail}."
    share, failure, where = max(
        ((_count(each, f) / each.asked, f, each) for each in table if each.asked for f in FAILURES),
        key=lambda one: one[0],
    )
    if share:
        return f"loses most on {where.task}: {percent(share)} of probes fail at {stage_in_words(where, failure)}{tail}."
    known = "" if row.correct == row.asked else " for certain"
    return f"loses nothing{known}: {row.correct:,} of {row.asked:,} probes succeed{tail}."


def percent(share: float | None) -> str:
    """A rounded percentage that says 0 and 100 only if that is exact.

    >>> percent(0.999)
    '> 99\xa0%'
    """
    if share is None:
        return "–"
    whole = round(100 * share)
    if whole == 0 and share > 0:
        return "< 1\u00a0%"
    return "> 99\u00a0%" if whole == 100 and share < 1 else f"{whole}\u00a0%"


def interval(low: float, high: float) -> str:
    """An interval in whole percent.

    >>> interval(0.672, 0.769)
    '67–77\xa0%'
    """
    return f"{100 * low:.0f}–{100 * high:.0f}\u00a0%"


def pooled(row: Overall) -> str:
    """Over how many tasks a figure is pooled; "" for one."""
    return f"pooled over {row.tasks} tasks" if row.tasks > 1 else ""


def points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign.

    >>> points(-0.052)
    '−5.2'
    """
    text = f"{100 * abs(difference):.1f}"
    return text if text == "0.0" else ("+" if difference > 0 else "−") + text


def _weakest_known(row: Overall) -> str | None:
    """The weakest stage in words, as far as it is known."""
    stage = weakest_stage(row)
    return stage_in_words(row, FAILURES[STAGES.index(stage)]) if stage else None


def stage_in_words(row: FactRow, failure: Verdict) -> str:
    """The stage of a failure; before retrieval, nothing is known of a store that can't be listed."""
    return "storage or retrieval" if row.blind and failure == "not_retrieved" else KIND[failure].stage


def _weakest(asked: Sequence[Overall]) -> str:
    losing = Counter(stage for row in asked if (stage := _weakest_known(row)))
    if not losing:
        whole = all(row.correct == row.asked for row in asked)
        who = "the system" if len(asked) == 1 else f"the {len(asked)} systems"
        return f"Nothing was lost by {who}." if whole else f"Nothing is known to be lost by {who}."
    stage, count = losing.most_common(1)[0]
    if len(asked) == 1:
        lost = max(_count(asked[0], failure) for failure in FAILURES) / asked[0].asked
        return f"{asked[0].system} loses most at {stage}: {percent(lost)} of {asked[0].asked:,} probes fail there."
    others = [f"{other} for {n}" for other, n in losing.most_common()[1:]]
    return ", ".join([f"{stage.capitalize()} is the weakest stage for {count} of {len(asked)} systems", *others]) + "."


def _broken(rows: Sequence[Overall], found: Standings, named: bool = False) -> str:
    """That every question to these systems ended in an error, and in which one most often."""
    errors = sum((found.errors.get(row.system, Counter()) for row in rows), Counter[str]())
    if len(rows) == 1:
        count = f"All {rows[0].asked:,} questions" if rows[0].asked > 1 else "The only question"
        who = f"{count} to {rows[0].system}" if named else count
    else:
        whose = _join(list(short_labels([row.system for row in rows], _NAME).values()))
        who = f"All questions to {whose if named else f'the {len(rows)} systems'}"
    if not errors:
        return f"{who} ended in an error."
    error = errors.most_common(1)[0][0]
    shown = error if len(error) <= _ERROR else f"{error[:_ERROR]}…"
    return f"{who} ended in an error{', most often' if len(errors) > 1 else ''}: {shown.rstrip('.')}."


def _best(asked: Sequence[Overall], found: Standings) -> str:
    leader = asked[0]
    unclear = [row for row in found.unclear if row.asked]
    over = f", {pooled(leader)}" if pooled(leader) else ""
    if not leader.correct:
        return f"No probe is known to succeed{_open(leader)}."
    if len(asked) == 1:
        return f"{_figure(leader)} succeed{over}."
    if not unclear:
        return f"{leader.system} does best: {_figure(leader)} of {leader.asked:,} probes succeed{over}."
    alike = [leader, *unclear]
    differ = len({row.asked for row in alike}) > 1
    figures = [f"{row.system} {_figure(row)}{f' of {row.asked:,}' if differ else ''}" for row in alike]
    size = "" if differ else f" of {leader.asked:,}"
    return f"These cannot be told apart: {_join(figures)}{size} probes succeed{over}."


def _figure(row: Overall) -> str:
    return f"{percent(row.success)} ({interval(row.low, row.high)}{_open(row, ', ')})"


def _open(row: FactRow, before: str = ": ") -> str:
    parts = _open_counts(row)
    return before + ", ".join(parts) if parts else ""


def _open_counts(row: FactRow) -> list[str]:
    errors = [f"{row.error:,} {'error' if row.error == 1 else 'errors'}"] if row.error else []
    return errors + ([f"{row.uncertain:,} uncertain"] if row.uncertain else [])


def _counted_apart(row: FactRow) -> str:
    verb = "widens" if row.error + row.uncertain == 1 else "widen"
    parts = [f"{' and '.join(_open_counts(row))} {verb} the interval"] if _open_counts(row) else []
    parts += [f"{row.na:,} n/a counted apart"] if row.na else []
    return f" ({'; '.join(parts)})" if parts else ""


def _join(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _count(row: FactRow, verdict: str) -> int:
    return int(getattr(row, KIND[verdict].column))
