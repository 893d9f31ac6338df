"""The viewer's pages as files: for a wiki, for Pages, or to open from disk. No server, and nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput, MemtriageError
from memtriage.host.files import failure_reason, write_whole
from memtriage.view.index import RunIndex, as_json
from memtriage.view.library import Library, choices
from memtriage.view.pages import ASSETS, FROM_FILES, FROM_SERVER, SERVED, compare_page, list_page, run_page
from memtriage.view.runs import Listed

PER_FILE = 8
"""How many questions share a file; `view.js` has the same number."""


def export(roots: list[Path], out: Path, told: Callable[[str], None] = lambda line: None) -> Path:
    """Write the pages of all runs into a folder and return the first page; runs that can't be read are listed."""
    library = Library(roots)
    runs = library.runs.listed()
    if not runs:
        raise BadInput(f"there is no run below {', '.join(map(str, roots))}; name a folder that holds run directories")
    for run in runs:
        if run.path == out.resolve() or run.path in out.resolve().parents:
            raise BadInput(f"{out} is in a run directory, which is sealed; choose another folder")
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / "assets" / "view.js").exists())):
        raise BadInput(f"{out} holds something else; name a folder that is new, empty, or from an earlier export")
    written = set()
    try:
        for path, content in _files(library, runs, told):
            write_whole(out / path, content)
            written.add(out / path)
        for old in (*out.glob("r/**/*.*"), *out.glob("compare/*.html")):  # of runs that are not among these
            if old not in written and old.is_file() and old.suffix in (".html", ".js"):
                old.unlink()
        for folder in sorted(out.glob("r/**/"), reverse=True):
            if not any(folder.iterdir()):
                folder.rmdir()
    except OSError as error:
        raise BadInput(f"{out} can't be written: {failure_reason(error)}") from error
    return out / "index.html"


def _files(library: Library, runs: list[Listed], told: Callable[[str], None]) -> Iterator[tuple[str, bytes]]:
    for name in SERVED:
        yield f"assets/{name}", ASSETS[name].encode()
    shown = []
    for run in runs:
        if run.state != "finished":
            told(f"{run.name} is listed without a page: {run.reason or 'it is not finished'}")
            continue
        try:
            index = library.make_index(run)
        except MemtriageError as error:
            told(f"{run.name} is listed without a page: {error}")
            continue
        shown.append(run)
        yield from _run_files(f"r/{run.id}", index, run)
    listed = [run if run in shown or run.state != "finished" else _unshown(run) for run in runs]
    yield "index.html", _from_files(list_page(listed, library.summaries(shown), live=False))
    yield from _comparisons(library, shown)


def _unshown(run: Listed) -> Listed:
    return replace(run, state="broken", reason=run.reason or "it could not be read; memtriage verify says why")


def _run_files(folder: str, index: RunIndex, run: Listed) -> Iterator[tuple[str, bytes]]:
    yield f"{folder}/index.html", run_page(index.kept("page"), run, from_files=True).encode("utf-8", "replace")
    yield f"{folder}/columns.js", _script("columns", json.loads(index.kept("columns")))
    yield f"{folder}/memories.js", _script("memories", index.memories())
    for first in range(0, index.questions, PER_FILE):
        some = [index.question(id) for id in range(first, min(first + PER_FILE, index.questions))]
        yield f"{folder}/q/{first // PER_FILE}.js", _script(f"q/{first // PER_FILE}", some)


def _comparisons(library: Library, runs: list[Listed]) -> Iterator[tuple[str, bytes]]:
    by_id = {run.id: run for run in runs}
    links: list[tuple[str, str]] = []
    for name, (a, x, b, y) in choices(runs):
        try:
            found, numbers, notes = library.comparison(by_id[a], x, by_id[b], y)
        except MemtriageError:  # they share no probe
            continue
        file = f"{len(links)}.html"
        chosen = {"a": a, "x": x, "b": b, "y": y}
        yield f"compare/{file}", _from_files(compare_page(runs, chosen, found, numbers, notes, links=()))
        links.append((name, file))
    nothing = {"a": "", "x": "", "b": "", "y": ""}
    yield "compare/index.html", _from_files(compare_page(runs, nothing, links=links))


def _from_files(page: str) -> bytes:
    return page.replace(FROM_SERVER, FROM_FILES, 1).encode("utf-8", "replace")


def _script(name: str, content: Any) -> bytes:
    return b"memtriageData(" + json.dumps(name).encode() + b"," + as_json(content) + b");\n"
