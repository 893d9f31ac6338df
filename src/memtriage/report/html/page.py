"""Write the HTML report: one self-contained page that shows what was lost where, down to single probes.

The page opens from disk and loads nothing from the network: styles, scripts, the charting library and
all data are inside it. Its security policy only allows its own scripts.

>>> write_report(Path("report.html"), verdicts, stores, rows, texts, about, standings(verdicts, rows))  # doctest: +SKIP
"""

from __future__ import annotations

import base64
import gc
import hashlib
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtriage.core.amount import k_order, k_text
from memtriage.core.errors import BadInput
from memtriage.core.verdict import KINDS, STAGES, ProbeVerdict, StoreSummary
from memtriage.host.files import failure_reason, write_whole
from memtriage.host.sealed import seal_page
from memtriage.host.shell import shell_word
from memtriage.registry import unscored
from memtriage.report.headline import headline, interval, loss, percent, points, pooled, told_apart
from memtriage.report.html.payload import (
    RETRIEVED_SHOWN,
    Sample,
    Texts,
    draw,
    fit,
    rows_payload,
    stores_payload,
)
from memtriage.report.labels import short_labels
from memtriage.tables.sheets import ANSWERS_NOTE, RANKINGS_NOTE, answer_sheets, ranking_sheets
from memtriage.tables.standings import CONTRASTED
from memtriage.tables.table import REFERENCES, row_json

if TYPE_CHECKING:
    from jinja2 import Template

    from memtriage.tables.measures import MeasureRow
    from memtriage.tables.outcomes import Outcomes
    from memtriage.tables.standings import Contrast, Overall, Rival, Standings
    from memtriage.tables.table import Row

PAYLOAD_LIMIT = 2_200_000
"""The limit for a page's compressed data, in bytes; with the charting library the page stays below 5 MB."""

SCRIPTS = ("report.js", "drawing.js", "charts.js")
"""The scripts that draw the page; `links.js`, which keeps its state in the address, is for the single file."""

LABEL = 18
"""The room for a system's name in charts, in characters."""

DEPTHS = {"memory": "memory-only", "full": "full"}
ASKED = (
    "Success is correct / asked: errors and what is uncertain are no success, and stretch its interval to both sides."
)
SUCCESS = {
    "memory": "Success means that every fact a probe needs was stored, kept its critical details and was retrieved.",
    "full": "Success means that everything a probe needs was retrieved and the answer was right.",
}
OUTCOME_COLUMNS = (
    ("retrieved_right", "correct", "retrieved, right"),
    ("retrieved_wrong", "reasoning_error", "retrieved, wrong"),
    ("missing_right", "uncertain", "missing, right"),
    ("missing_wrong", "not_retrieved", "missing, wrong"),
    ("unjudged", "na", "not judged"),
    ("open", "error", "open"),
)
"""The columns of right and wrong answers by what was retrieved: count, colour class and heading."""

OWN_COLOURS = {
    "bm25": "#3d7fe0",
    "dense": "#e07b28",
    "hybrid": "#9560d8",
    "echo": "#1f9fa8",
    "full-context": "#b08a1e",
    "none": "#8a93a0",
    "oracle": "#3a9d5d",
}
MORE_COLOURS = ("#d1495b", "#c65da8", "#5a9e2f", "#2b8fbf", "#a0714a", "#6a75d8", "#c2567a", "#7f9a2b")


@dataclass(frozen=True, slots=True)
class About:
    """What the page says about its data: where it comes from and how to reproduce it."""

    title: str
    created: str
    version: str
    suite: str
    data: str
    command: str
    depth: str
    notes: tuple[str, ...] = ()


def about_run(manifest: Mapping[str, Any], notes: Sequence[str]) -> About:
    """The `About` of a run."""
    sources = {task.get("source") for task in manifest["tasks"].values()}
    generated = sources == {"generated"}
    answered = manifest["answers"] or (manifest.get("grading") or {}).get("answer")
    return About(
        title=f"memtriage: {', '.join(manifest['suites'])}",
        created=manifest["created"],
        version=manifest["memtriage"],
        suite=", ".join(manifest["suites"]),
        data=f"generated with seed {manifest['seed']}" if generated else _files(manifest["tasks"]),
        command=_without_out(manifest["command"]),
        depth="full" if answered else "memory",
        notes=tuple(notes),
    )


def _without_out(command: str) -> str:
    """The command of a run without its `--out`: that folder is there by now, so that a run into it would be refused.

    >>> _without_out("memtriage run --suite memfail --out 'my runs/a' --k 5")
    'memtriage run --suite memfail --k 5'
    """
    try:
        words = shlex.split(command)
    except ValueError:  # no shell could read it
        return command
    kept = [word for before, word in zip(["", *words], words, strict=False) if "--out" not in (before, word)]
    kept = [word for word in kept if not word.startswith("--out=")]
    return shlex.join(kept) if len(kept) < len(words) else command


def about_traces(source: Path, verdicts: Sequence[ProbeVerdict]) -> About:
    """The `About` of traces from another harness."""
    return About(
        title=f"memtriage: {source.name}",
        created="",
        version=version("memtriage"),
        suite=", ".join(dict.fromkeys(verdict.suite for verdict in verdicts)),
        data=str(source.name),
        command=f"memtriage diagnose {shell_word(source.name)}",
        depth="full" if any(verdict.depth == "full" for verdict in verdicts) else "memory",
    )


def _files(tasks: Mapping[str, Any]) -> str:
    hashes = {Path(str(task["file"])).name: task.get("sha256") for task in tasks.values() if "file" in task}
    return "released files " + ", ".join(
        f"{name} (sha256 {sha256[:12]}…)" if isinstance(sha256, str) else name for name, sha256 in hashes.items()
    )


def write_report(
    out: Path,
    probes: Iterable[ProbeVerdict],
    stores: Sequence[StoreSummary],
    rows: Sequence[Row],
    texts: Texts,
    about: About,
    found: Standings,
    measures: Sequence[MeasureRow] = (),
    answered: Sequence[Outcomes] = (),
    digest: str = "",
    made_up: Mapping[str, Any] | None = None,
) -> Path:
    """Write the page and return its path; `texts` gives the memories' texts by content key.

    The summary shows the standings. `measures`, `answered` (answers by what was retrieved) and what stores `made_up`
    get their own sections. `digest` is that of the run.
    """
    with _no_collection():
        packed, sample = fit(draw(probes, rows), PAYLOAD_LIMIT, page_data(stores, rows, found), texts)
    html = fill_page(_template(packed), sample, found, rows, about, measures, answered, made_up)
    target = out / "report.html" if out.is_dir() else out
    try:
        write_whole(target, seal_page(html.encode(), digest))
    except OSError as error:
        raise BadInput(f"the report {target} could not be written: {failure_reason(error)}") from error
    return target


@contextmanager
def _no_collection() -> Iterator[None]:
    """Look for no cycles meanwhile: there are none among thousands of probes, and looking takes a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def page_data(stores: Sequence[StoreSummary], rows: Sequence[Row], found: Standings) -> dict[str, Any]:
    """What the page's scripts get beside the probes."""
    return {
        **rows_payload(rows),
        "stores": stores_payload(stores),
        "overall": [row_json(row) for row in found.rows],
        "systems": _drawn_systems(_systems(found, rows)),
        "meanings": [[kind.verdict, kind.label, kind.meaning] for kind in KINDS],
        "stages": STAGES,
        "depths": DEPTHS,
        "retrievedShown": RETRIEVED_SHOWN,
    }


def _drawn_systems(systems: Sequence[str]) -> list[tuple[str, str, str, bool]]:
    """Each system with its colour, its name in charts, and whether it is a floor or a ceiling."""
    shown = {name: visible(name).replace("\n", " ") for name in systems}
    short = short_labels(shown.values(), LABEL)
    return [(name, colour, short[shown[name]], name in REFERENCES) for name, colour in colours(systems)]


def colours(systems: Sequence[str]) -> list[tuple[str, str]]:
    """A colour for each system; built-in systems have the same colour in every report."""
    free = iter(MORE_COLOURS * (len(systems) // len(MORE_COLOURS) + 1))
    return [(name, OWN_COLOURS.get(name) or next(free)) for name in systems]


def visible(text: str) -> str:
    """The text with control, bidirectional and lone surrogate characters made visible.

    >>> visible("a\\x00b\\u202ec")
    'a␀b⟨U+202E⟩c'
    """
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char in "\n\t\u200d" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"):
        return char
    return chr(0x2400 + ord(char)) if ord(char) < 0x20 else f"⟨U+{ord(char):04X}⟩"


def _systems(found: Standings, rows: Sequence[Row]) -> list[str]:
    """All systems, best first; then those that were only asked at another depth; floor and ceilings last."""
    names = dict.fromkeys([*(row.system for row in found.ranked), *(row.system for row in rows)])
    return sorted(names, key=REFERENCES.__contains__)


def _template(packed: bytes) -> Callable[..., str]:
    """The page as one file, with everything in it but what `fill_page` says."""
    from markupsafe import Markup

    scripts = [_asset(name) for name in (*SCRIPTS, "links.js")]
    return partial(
        _layout().render,
        policy=_policy(scripts),
        css=Markup(_asset("report.css")),
        scripts=[Markup(script) for script in scripts],
        data=_base64(packed),
    )


@cache
def _layout() -> Template:
    """The page without what comes into it, compiled once: that takes longer than to fill it."""
    from jinja2 import Environment

    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(_asset("report.html"))


def fill_page(
    template: Callable[..., str],
    sample: Sample,
    found: Standings,
    rows: Sequence[Row],
    about: About,
    measures: Sequence[MeasureRow],
    answered: Sequence[Outcomes],
    made_up: Mapping[str, Any] | None = None,
) -> str:
    """The page with what it says outside its scripts."""
    colour_of = dict(colours(_systems(found, rows)))
    depths = list(dict.fromkeys(row.depth for row in rows)) or [about.depth]
    ks = {row.k for row in rows}
    contrasts = found.contrasts() if len(found.contestants) > 2 else []
    return template(
        about={name: visible(value) if isinstance(value, str) else value for name, value in asdict(about).items()},
        notes=[visible(note) for note in (*about.notes, *_notes(sample))],
        headline=[visible(sentence) for sentence in headline(found)],
        success=" ".join([*(SUCCESS[depth] for depth in depths if depth in SUCCESS), ASKED]),
        depths=" and ".join(DEPTHS.get(depth, depth) for depth in depths),
        only_k=k_text(ks.pop()) if len(ks) == 1 else "",
        other_k=any(isinstance(row.k, str) for row in found.rows),
        headline_k=" or ".join(map(k_text, sorted({row.k for row in found.ranked}, key=k_order))),
        created=re.sub(r"T(\d\d:\d\d)(:[\d.]+)?(\+00:00|Z)$", r" \1 UTC", visible(about.created)),
        leader=visible(found.leader.system) if found.leader else "",
        pooled=pooled(found.leader) if found.leader else "",
        rivals=[_rival(rival) for rival in found.rivals],
        told_apart=visible(" ".join(told_apart(contrasts))) if contrasts else "",
        contrasts=_matrix(found.contestants[:CONTRASTED], contrasts, colour_of) if contrasts else [],
        not_contrasted=max(len(found.contestants) - CONTRASTED, 0),
        cards=[_card(row, rows, colour_of[row.system]) for row in found.ranked],
        measured=_measure_tables(measures),
        answered=_outcome_tables(answered),
        made_up=made_up,
        outcomes=[(slug, name) for _, slug, name in OUTCOME_COLUMNS],
        legend=[(kind.column, kind.title, kind.meaning) for kind in KINDS],
    )


def _card(row: Overall, table: Sequence[Row], colour: str) -> dict[str, Any]:
    own = [each for each in table if (each.system, each.k, each.depth) == (row.system, row.k, row.depth)]
    scored = [each for each in own if not unscored(each.task)] or own
    counts = [(kind.column, kind.label, int(getattr(row, kind.column))) for kind in KINDS]
    return {
        "name": name_parts(row.system),
        "colour": colour,
        "reference": row.reference,
        "success": percent(row.success),
        "interval": interval(row.low, row.high) if row.asked else "",
        "asked": f"{row.correct:,} of {row.asked:,} probes succeed at k = {k_text(row.k)}",
        "pooled": pooled(row),
        "mean": f"{percent(row.mean)} ({interval(row.mean_low, row.mean_high)})" if row.tasks > 1 else "",
        "sentence": visible(loss(row, scored)),
        "bar": [(column, label, n, f"{100 * n / row.n:.3f}") for column, label, n in counts if n],
    }


def name_parts(name: str) -> list[str]:
    """The parts of a name between which a line may end."""
    return re.split(r"(?<=[:,/+=])(?=[^:,/+=])", visible(name))


def _matrix(
    ranked: Sequence[Overall], contrasts: Sequence[Contrast], colour_of: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The lines of the matrix: how far each system is from each other one, and whether that can be told from chance."""
    found = {(one.pairs.system_a, one.pairs.system_b): one for one in contrasts}
    lines = []
    for row in ranked:
        cells = []
        for other in ranked:
            above = found.get((other.system, row.system))
            one = above or found.get((row.system, other.system))
            cells.append(_contrast(one, 1 if above else -1) if one else None)
        shown = {"system": visible(row.system), "name": name_parts(row.system), "colour": colour_of[row.system]}
        lines.append({**shown, "success": percent(row.success), "cells": cells})
    return lines


def _contrast(one: Contrast, sign: int) -> dict[str, str]:
    """A cell of the matrix: its line's system against its column's; a `sign` of 1 if that one is A of the pair."""
    cell = one.pairs
    if cell.difference is None:
        return {"text": "–", "kind": "unclear", "title": "no probe was asked of both"}
    low, high = sorted((sign * cell.low, sign * cell.high))
    kind = "unclear" if not one.apart else "better" if sign * cell.difference > 0 else "worse"
    ends = {"better": "better", "worse": "worse", "unclear": "cannot be told apart"}
    alone = ", but differ if looked at alone" if one.alone and not one.apart else ""
    line, column = (cell.system_b, cell.system_a) if sign == 1 else (cell.system_a, cell.system_b)
    return {
        "text": points(sign * cell.difference),
        "kind": f"{kind} alone" if alone else kind,
        "title": visible(
            f"{line} against {column}: {points(sign * cell.difference)} points ({points(low)} to {points(high)}), "
            f"{_p(cell.p)}, corrected {_p(one.p)}: {ends[kind]}{alone}"
        ),
    }


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _rival(rival: Rival) -> dict[str, str]:
    """A rival's line in the paired table: how far it is from the leader."""
    cell = rival.pairs
    known = cell.difference is not None
    return {
        "system": visible(rival.row.system),
        "n": f"{cell.n:,}",
        "difference": points(cell.difference or 0.0) if known else "–",
        "interval": f"{points(cell.low)} to {points(cell.high)}" if known else "–",
        "bounds": f"{points(cell.least or 0.0)} to {points(cell.most or 0.0)}" if cell.least != cell.most else "–",
        "only": f"{cell.only_a_right:,} / {cell.only_b_right:,}",
        "errors": f"{cell.errors_a:,} / {cell.errors_b:,}",
        "left_out": f"{sum(cell.excluded.values()):,}",
        "p": _p(cell.p).removeprefix("p ").removeprefix("= "),
        "detectable": f"{100 * cell.detectable:.1f}",
        "apart": "yes" if rival.worse else "cannot be told apart",
    }


def _measure_tables(rows: Sequence[MeasureRow]) -> list[dict[str, Any]]:
    """The tables of measures; sheets of one kind share a note, below the last."""
    tables = []
    for sheets, note in ((ranking_sheets(rows), RANKINGS_NOTE), (answer_sheets(rows), ANSWERS_NOTE)):
        for sheet in sheets:
            lines = [line for _, found in sheet.tasks for line in found]
            tables.append(
                {
                    "title": visible(sheet.title),
                    "measures": [visible(name) for name in sheet.measures],
                    "with_k": any(line.k is not None for line in lines),
                    "tasks": [
                        (
                            visible(task),
                            [(visible(line.system), k_text(line.k or 0), line.n, line.figures) for line in found],
                        )
                        for task, found in sheet.tasks
                    ],
                    "asides": [visible(aside) for aside in sheet.asides],
                    "note": note if sheet is sheets[-1] else "",
                }
            )
    return tables


def _outcome_tables(rows: Sequence[Outcomes]) -> list[tuple[str, list[tuple[str, str, int, list[int]]]]]:
    """By task, the outcome counts of each system and k."""
    found: dict[str, list[tuple[str, str, int, list[int]]]] = {}
    for row in rows:
        counts = [getattr(row, name) for name, _, _ in OUTCOME_COLUMNS]
        found.setdefault(visible(row.task), []).append((visible(row.system), k_text(row.k), row.n, counts))
    return list(found.items())


def _notes(sample: Sample) -> Iterator[str]:
    if sample.shown < sample.total:
        yield (
            f"Showing {sample.shown:,} of {sample.total:,} probes, failures first; the rest is in verdicts.jsonl. "
            "Every number in the charts and in the table counts all of them."
        )
    if sample.unplaced:
        yield f"{sample.unplaced:,} probes belong to no row of the table and are not shown; they are in verdicts.jsonl."


def _policy(scripts: Sequence[str]) -> str:
    """The security policy: only these scripts may run, and nothing may load. Inline styles are for the charts."""
    hashes = " ".join(f"'sha256-{_base64(hashlib.sha256(script.encode()).digest())}'" for script in scripts)
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def _asset(name: str) -> str:
    return files("memtriage.report.html").joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
