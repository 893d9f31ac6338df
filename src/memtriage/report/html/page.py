"""Write the HTML report: one self-contained page that shows what was lost where, down to single probes.

The page opens from disk and loads nothing from the network: styles, scripts, the charting library and
all data are inside it. Its security policy only allows its own scripts.

>>> write_report(Path("report.html"), verdicts, stores, rows, texts, about)  # doctest: +SKIP
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtriage.core.errors import BadInput
from memtriage.core.verdict import FAILURES, KIND, KINDS, SETTLED, STAGES, VERDICTS, ProbeVerdict, StoreSummary
from memtriage.host.files import failure_reason, write_whole
from memtriage.registry import unscored
from memtriage.report.html.payload import (
    RETRIEVED_SHOWN,
    Sample,
    Texts,
    draw,
    fit,
    rows_payload,
    stores_payload,
)
from memtriage.tables.sheets import ANSWERS_NOTE, RANKINGS_NOTE, answer_sheets, ranking_sheets

if TYPE_CHECKING:
    from memtriage.tables.measures import MeasureRow
    from memtriage.tables.outcomes import Outcomes
    from memtriage.tables.table import Row

PAYLOAD_LIMIT = 2_200_000
"""The limit for a page's compressed data, in bytes; with the charting library the page stays below 5 MB."""

REFERENCES = ("none", "full-context", "oracle", "gold-facts")
"""Floor and ceilings: shown like every system, but left out of the headline."""

DEPTHS = {"memory": "memory-only", "full": "full"}
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
    sources = {task["source"] for task in manifest["tasks"].values()}
    generated = sources == {"generated"}
    answered = manifest["answers"] or (manifest.get("grading") or {}).get("answer")
    return About(
        title=f"memtriage: {', '.join(manifest['suites'])}",
        created=manifest["created"],
        version=manifest["memtriage"],
        suite=", ".join(manifest["suites"]),
        data=f"generated with seed {manifest['seed']}" if generated else _files(manifest["tasks"]),
        command=manifest["command"],
        depth="full" if answered else "memory",
        notes=tuple(notes),
    )


def about_traces(source: Path, verdicts: Sequence[ProbeVerdict]) -> About:
    """The `About` of traces from another harness."""
    return About(
        title=f"memtriage: {source.name}",
        created="",
        version=version("memtriage"),
        suite=", ".join(dict.fromkeys(verdict.suite for verdict in verdicts)),
        data=str(source.name),
        command=f"memtriage diagnose {source.name}",
        depth="full" if any(verdict.depth == "full" for verdict in verdicts) else "memory",
    )


def _files(tasks: Mapping[str, Any]) -> str:
    parts = [f"{Path(t['file']).name} (sha256 {t['sha256'][:12]}…)" for t in tasks.values() if "file" in t]
    return "released files " + ", ".join(parts)


@dataclass(frozen=True, slots=True)
class SystemSummary:
    """One system's results at its largest k, and where it lost most."""

    system: str
    k: int
    judged: int
    settled: int
    success: float | None
    counts: dict[str, int]
    stage: str | None
    sentence: str

    @property
    def reference(self) -> bool:
        return self.system in REFERENCES


def write_report(
    out: Path,
    probes: Iterable[ProbeVerdict],
    stores: Sequence[StoreSummary],
    rows: Sequence[Row],
    texts: Texts,
    about: About,
    measures: Sequence[MeasureRow] = (),
    answered: Sequence[Outcomes] = (),
) -> Path:
    """Write the page and return its path; `texts` gives the memories' texts by content key.

    `measures` and `answered` (answers by what was retrieved) get their own sections.
    """
    summaries = summarise(rows)
    page = {
        **rows_payload(rows),
        "stores": stores_payload(stores),
        "systems": colours([s.system for s in summaries]),
        "meanings": [[kind.verdict, kind.label, kind.meaning] for kind in KINDS],
        "stages": STAGES,
        "depths": DEPTHS,
        "retrievedShown": RETRIEVED_SHOWN,
    }
    packed, sample = fit(draw(probes, rows), PAYLOAD_LIMIT, page, texts)
    html = _render(packed, sample, summaries, rows, about, _measure_tables(measures), _outcome_tables(answered))
    target = out / "report.html" if out.is_dir() else out
    try:
        write_whole(target, html.encode())
    except OSError as error:
        raise BadInput(f"the report {target} could not be written: {failure_reason(error)}") from error
    return target


def summarise(rows: Sequence[Row]) -> list[SystemSummary]:
    """One summary per system, best first, each at its largest k and, where there is one, at full depth.

    Tasks that are no score of their own, such as the first halves of pairs, are left out.
    """
    rows = [row for row in rows if not unscored(row.task)] or rows
    deepest = "full" if any(row.depth == "full" for row in rows) else "memory"
    rows = [row for row in rows if row.depth == deepest]
    systems = dict.fromkeys(row.system for row in rows)
    summaries = [_summary(name, [row for row in rows if row.system == name]) for name in systems]
    return sorted(summaries, key=lambda s: (s.success is None, -(s.success or 0.0), s.system))


def headline(summaries: Sequence[SystemSummary]) -> str:
    """Where this run's systems lose most, in one or two sentences."""
    judged = [s for s in summaries if s.judged and not s.reference] or [s for s in summaries if s.judged]
    if not judged:
        return "No probe could be judged."
    losing = Counter(s.stage for s in judged if s.stage)
    if not losing:
        return f"Nothing was lost by {_count_systems(len(judged))}."
    stage, count = losing.most_common(1)[0]
    if len(judged) == 1:
        only = judged[0]
        share = _percent(only.counts[_verdict_of(stage)] / only.judged)
        return f"{only.system} loses most at {stage}: {share} of {only.judged:,} probes fail there."
    first = f"{stage.capitalize()} is the weakest stage for {count} of {len(judged)} systems"
    others = [f"{other} for {n}" for other, n in losing.most_common()[1:]]
    best = max(s.success or 0.0 for s in judged)
    leading = [s for s in judged if s.success == best]
    names = " and ".join(s.system for s in leading)
    settled = " or ".join(f"{n:,}" for n in sorted({s.settled for s in leading}))
    praise = f" {names} {'does' if len(leading) == 1 else 'do'} best: {_percent(best)} of {settled} probes succeed."
    return ", ".join([first, *others]) + "." + (praise if best else "")


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


def _summary(system: str, rows: Sequence[Row]) -> SystemSummary:
    k = max(row.k for row in rows)
    rows = [row for row in rows if row.k == k]
    counts: dict[str, int] = {verdict: sum(_count(row, verdict) for row in rows) for verdict in VERDICTS}
    judged = sum(map(_judged, rows))
    settled = judged - counts["uncertain"]
    success = counts["correct"] / settled if settled else None
    worst = max(FAILURES, key=lambda failure: counts[failure])
    stage = STAGES[FAILURES.index(worst)] if counts[worst] else None
    return SystemSummary(system, k, judged, settled, success, counts, stage, _sentence(rows, counts, judged))


def _sentence(rows: Sequence[Row], counts: dict[str, int], judged: int) -> str:
    """The sentence after a system's name that says where it loses most."""
    words = {"uncertain": "uncertain", "n/a": "n/a", "error": "error" if counts["error"] == 1 else "errors"}
    other_counts = [f"{counts[verdict]:,} {word}" for verdict, word in words.items() if counts[verdict]]
    tail = f" ({', '.join(other_counts)} counted apart)" if other_counts else ""
    if not judged:
        return f"has no probe that could be judged{tail}."
    share, failure, row = max(
        ((_count(row, f) / _judged(row), f, row) for row in rows if _judged(row) for f in FAILURES),
        key=lambda found: found[0],
    )
    if not share:
        return f"loses nothing: {counts['correct']:,} of {judged:,} probes succeed{tail}."
    stage = STAGES[FAILURES.index(failure)]
    return f"loses most on {row.task}: {_percent(share)} of probes fail at {stage}{tail}."


def _count(row: Row, verdict: str) -> int:
    return int(getattr(row, KIND[verdict].column))


def _judged(row: Row) -> int:
    return sum(_count(row, verdict) for verdict in (*SETTLED, "uncertain"))


def _verdict_of(stage: str) -> str:
    return FAILURES[STAGES.index(stage)]


def _count_systems(count: int) -> str:
    return "the system" if count == 1 else f"the {count} systems"


def _percent(share: float | None) -> str:
    """A rounded percentage that says 0 and 100 only if that is exact."""
    if share is None:
        return "–"
    whole = round(100 * share)
    if whole == 0 and share > 0:
        return "< 1\u00a0%"
    return "> 99\u00a0%" if whole == 100 and share < 1 else f"{whole}\u00a0%"


def _render(
    packed: bytes,
    sample: Sample,
    summaries: Sequence[SystemSummary],
    rows: Sequence[Row],
    about: About,
    measured: Sequence[dict[str, Any]],
    answered: Sequence[tuple[str, Sequence[object]]],
) -> str:
    from jinja2 import Environment
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    scripts = [_asset("report.js"), _asset("charts.js")]
    plotly = get_plotlyjs()
    colour_of = dict(colours([summary.system for summary in summaries]))
    depths = list(dict.fromkeys(row.depth for row in rows)) or [about.depth]
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(_asset("report.html"))
    return template.render(
        policy=_policy([*scripts, plotly]),
        css=Markup(_asset("report.css")),
        scripts=[Markup(script) for script in scripts],
        data=_base64(packed),
        plotly=_base64(gzip.compress(plotly.encode(), compresslevel=9, mtime=0)),
        about={name: visible(value) if isinstance(value, str) else value for name, value in asdict(about).items()},
        notes=[visible(note) for note in (*about.notes, *_notes(sample))],
        headline=visible(headline(summaries)),
        success=" ".join(SUCCESS[depth] for depth in depths if depth in SUCCESS),
        depths=" and ".join(DEPTHS.get(depth, depth) for depth in depths),
        headline_k=" or ".join(map(str, sorted({s.k for s in summaries}))),
        created=re.sub(r"T(\d\d:\d\d)(:[\d.]+)?(\+00:00|Z)$", r" \1 UTC", visible(about.created)),
        cards=[_card(summary, colour_of[summary.system]) for summary in summaries],
        measured=measured,
        answered=answered,
        outcomes=[(slug, name) for _, slug, name in OUTCOME_COLUMNS],
        legend=[(kind.column, kind.label, kind.meaning) for kind in KINDS],
    )


def _card(summary: SystemSummary, colour: str) -> dict[str, Any]:
    total = sum(summary.counts.values()) or 1
    return {
        "system": visible(summary.system),
        "colour": colour,
        "reference": summary.reference,
        "success": _percent(summary.success),
        "judged": f"{summary.judged:,}",
        "k": summary.k,
        "sentence": visible(summary.sentence),
        "bar": [
            (KIND[verdict].column, KIND[verdict].label, count, f"{100 * count / total:.3f}")
            for verdict, count in summary.counts.items()
            if count
        ],
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
                        (visible(task), [(visible(line.system), line.k, line.n, line.figures) for line in found])
                        for task, found in sheet.tasks
                    ],
                    "asides": [visible(aside) for aside in sheet.asides],
                    "note": note if sheet is sheets[-1] else "",
                }
            )
    return tables


def _outcome_tables(rows: Sequence[Outcomes]) -> list[tuple[str, list[tuple[str, int, int, list[int]]]]]:
    """By task, the outcome counts of each system and k."""
    found: dict[str, list[tuple[str, int, int, list[int]]]] = {}
    for row in rows:
        counts = [getattr(row, name) for name, _, _ in OUTCOME_COLUMNS]
        found.setdefault(visible(row.task), []).append((visible(row.system), row.k, row.n, counts))
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
