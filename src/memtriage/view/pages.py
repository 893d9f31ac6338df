"""The viewer's pages: the list of runs, the page of a run in the report's own frame, and comparisons.

All links are relative, so that the same pages work from a server and as files. Templates escape all they are given.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from memtriage.core.amount import k_text
from memtriage.core.verdict import KIND, KINDS
from memtriage.report.headline import points
from memtriage.report.html.page import SCRIPTS, name_parts, visible

if TYPE_CHECKING:
    from jinja2 import Environment

    from memtriage.tables.pairs import ComparedCell, Comparison, Flip
    from memtriage.view.runs import Listed

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'"
)
"""Only scripts of our own files may run, none that stands in a page; inline styles are for bars and charts."""

FROM_SERVER, FROM_FILES = ' data-from="server"', ' data-from="files"'
"""How a page's scripts know whether there is a server to ask."""

FLIPS_SHOWN = 500

STATES = {
    "finished": "finished",
    "running": "running now",
    "stopped": "not finished",
    "broken": "can't be read",
}


def _text(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


_OURS = ("frame.html", "list.html", "run.html", "waiting.html", "compare.html", "message.html")
ASSETS: Mapping[str, str] = {
    **{name: _text("memtriage.report.html", name) for name in ("report.html", "report.css", *SCRIPTS)},
    **{name: _text("memtriage.view", name) for name in (*_OURS, "view.css", "view.js", "pages.js")},
}
"""Templates, styles and scripts by name: the report's, and the viewer's own."""

SERVED = {
    name: "text/css" if name.endswith(".css") else "text/javascript" for name in ASSETS if not name.endswith(".html")
}
"""What pages load from `assets/`, with its kind."""


@cache
def _templates() -> Environment:
    from jinja2 import DictLoader, Environment, StrictUndefined

    templates = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=DictLoader(dict(ASSETS)),
        undefined=StrictUndefined,
    )
    templates.filters.update(visible=visible, k=k_text, parts=name_parts)
    templates.globals.update(policy=POLICY, version=version("memtriage"), kind=KIND, origin=FROM_SERVER)
    return templates


def run_template(packed: bytes) -> Callable[..., str]:
    """The report's page in the viewer's frame, for `fill_page`; its probes are loaded one by one."""
    return partial(
        _templates().get_template("run.html").render,
        data=base64.b64encode(packed).decode("ascii"),
        scripts=(*SCRIPTS, "view.js"),
        home="../../",
    )


def run_page(kept: bytes, run: Listed, from_files: bool = False) -> str:
    """The page of a run as it is kept, with what only the list knows: the run's name, and who serves it."""
    from markupsafe import escape

    origin = FROM_FILES if from_files else FROM_SERVER
    return kept.decode().replace(FROM_SERVER, f'{origin} data-run="{escape(visible(run.name))}"', 1)


def list_page(runs: Sequence[Listed], summaries: Mapping[str, Mapping[str, Any]], live: bool) -> str:
    """The list of runs; `summaries` has what is known of those that were read before."""
    return (
        _templates()
        .get_template("list.html")
        .render(
            runs=runs,
            states=STATES,
            summaries=summaries,
            live=live,
            suites=sorted({suite for run in runs for suite in run.suites}),
            systems=sorted({system for run in runs for system in run.systems}),
            home="",
        )
    )


def waiting_page(run: Listed, status: Mapping[str, Any], home: str = "../../") -> str:
    """A page that waits for a run that is not finished, or that is being read for the first time."""
    poll = f"{home}r/{run.id}/state.json"
    return _templates().get_template("waiting.html").render(run=run, status=status, poll=poll, home=home)


def message_page(title: str, text: str, home: str = "") -> str:
    """A page that says what is wrong."""
    return _templates().get_template("message.html").render(title=title, text=text, home=home)


def compare_page(
    runs: Sequence[Listed],
    chosen: Mapping[str, str],
    found: Comparison | None = None,
    numbers: Sequence[tuple[int | None, int | None]] = (),
    notes: Sequence[str] = (),
    links: Sequence[tuple[str, str]] | None = None,
) -> str:
    """Two runs or two systems side by side; where there is no server, `links` lead to what was compared."""
    by_id = {run.id: run for run in runs}
    return (
        _templates()
        .get_template("compare.html")
        .render(
            runs=[run for run in runs if run.state == "finished"],
            chosen=chosen,
            a=by_id.get(chosen["a"]),
            b=by_id.get(chosen["b"]),
            found=found,
            cells=[_cell(cell) for cell in found.cells] if found else [],
            flips=[_flip(*pair) for pair in zip(found.flips[:FLIPS_SHOWN], numbers, strict=True)] if found else [],
            named=found is not None and len({(cell.system_a, cell.system_b) for cell in found.cells}) > 1,
            notes=notes,
            links=links,
            legend=KINDS,
            home="../",
        )
    )


def _cell(cell: ComparedCell) -> dict[str, Any]:
    known = cell.difference is not None
    right_a, right_b = cell.both_right + cell.only_a_right, cell.both_right + cell.only_b_right
    return {
        "task": cell.task,
        "systems": (cell.system_a, cell.system_b),
        "k": cell.k,
        "n": cell.n,
        "shares": [(right, 100 * right / cell.n if cell.n else None) for right in (right_a, right_b)],
        "only": (cell.only_a_right, cell.only_b_right),
        "errors": (cell.errors_a, cell.errors_b),
        "difference": points(cell.difference or 0.0) if known else "–",
        "interval": f"{points(cell.low)} to {points(cell.high)}" if known else "–",
        "bounds": f"{points(cell.least or 0.0)} to {points(cell.most or 0.0)}" if cell.least != cell.most else "–",
        "left_out": sum(cell.excluded.values()),
        "p": "< 0.001" if cell.p < 0.001 else f"{cell.p:.3f}",
        "detectable": f"{100 * cell.detectable:.1f}",
        "better": cell.better,
    }


def _flip(flip: Flip, numbers: tuple[int | None, int | None]) -> dict[str, Any]:
    return {
        "task": flip.task,
        "systems": (flip.system_a, flip.system_b),
        "k": flip.k,
        "probe": flip.probe,
        "question": flip.question,
        "why": flip.why,
        "verdicts": (flip.verdict_a, flip.verdict_b),
        "numbers": numbers,
    }
