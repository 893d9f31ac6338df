"""Episodes from the released files of a folder, one context at a time, and a record of what was read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memtriage.core.episode import Episode, Probe
from memtriage.core.errors import BadInput
from memtriage.core.suite import Loaded, Request
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.memoryagentbench.context import VERSION
from memtriage.suites.memoryagentbench.episodes import episode, probe, task_of
from memtriage.suites.memoryagentbench.kinds import SPECS, Kind
from memtriage.suites.memoryagentbench.released import parquet
from memtriage.suites.memoryagentbench.released.rows import Released, kind_of, length_of, released
from memtriage.suites.memoryagentbench.released.rows import gold_answers as gold_answers_of_row
from memtriage.text.tokens import tokens_in

TITLES = "entity2id.json"
_NO_TITLES = f"its answers are ids; put {TITLES}, which has their titles, beside the file"
_ASIDE = re.compile(r"\([^()]*\)")

_NEAR = 0.03
"""Lengths this close are the same: 128k is 131072 tokens to some, 128000 to others."""


def load(kind: Kind, request: Request, chunk: int | None = None) -> Loaded:
    """The contexts of a kind below a folder (or in one file); more is known of them once they are read.

    `length` among the options chooses the sources of that length; else all of them are read.
    """
    if request.data is None:
        raise BadInput("give the folder of the released files")
    paths = parquet.find(request.data, kind)
    record: dict[str, Any] = {
        "suite_version": VERSION,
        "source": "files",
        "files": [str(path) for path in paths],
        "chunk": chunk or SPECS[kind].chunk,
        "rows": 0,
    }
    length = tokens_in(request.options["length"], "length") if "length" in request.options else None
    titles = _titles(request.data, paths) if kind == "recommendation" else {}
    selection = _Selection(kind, request.rows, length)
    return Loaded(_episodes(selection, paths, titles, chunk, record), record)


@dataclass(slots=True)
class _Selection:
    """What is wanted of the files, and what has been found so far."""

    kind: Kind
    rows: int | None
    length: int | None
    questions: Counter[str] = field(default_factory=Counter)
    contexts: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    cut: int = 0

    @property
    def left(self) -> int | None:
        """How many questions may follow; None for any number."""
        return None if self.rows is None else self.rows - self.questions.total()

    def takes(self, source: str) -> bool:
        kind = kind_of(source)
        if kind is None:
            self.unknown[source] += 1
        return kind == self.kind and (self.length is None or _same_length(length_of(source), self.length))

    def record(self) -> dict[str, Any]:
        """What a run records of it."""
        unknown = [f"source {name!r} is unknown: {n} rows were left out" for name, n in self.unknown.items()]
        return {
            "rows": self.questions.total(),
            "contexts": self.contexts.total(),
            "sources": dict(self.questions),
            "sentences_cut": self.cut,
            "trouble": {"left out": len(self.problems), "unknown sources": self.unknown.total()},
            "problems": [*unknown, *self.problems],
        }


def _same_length(label: str, length: int) -> bool:
    if not label:
        return False
    named = tokens_in(label)
    return abs(named - length) <= _NEAR * length or abs(named * 1024 // 1000 - length) <= _NEAR * length


def _episodes(
    selection: _Selection, paths: list[Path], titles: Mapping[str, str], chunk: int | None, record: dict[str, Any]
) -> Iterator[Episode]:
    """The episodes of some files; what is known at their end is put into `record`."""
    for path in paths:
        for row in parquet.rows(path, sessions=selection.kind == "longmemeval"):
            if selection.left == 0:
                break
            one = _episode(selection, row, titles, chunk)
            if one is not None:
                yield one
    record |= selection.record()
    record["sha256"] = {path.name: sha256(path) for path in paths}
    if not selection.contexts:
        why = "\n".join(selection.record()["problems"][:10])
        length = f" of {selection.length} tokens" if selection.length else ""
        raise BadInput(why or f"{', '.join(map(str, paths))}: no contexts of {selection.kind}{length}")


def _episode(
    selection: _Selection, row: parquet.Row | BadInput, titles: Mapping[str, str], chunk: int | None
) -> Episode | None:
    """The episode of a row; a row that can't be used is named and left out."""
    try:
        if isinstance(row, BadInput):
            raise row
        if not selection.takes(row.source):
            return None
        if selection.kind == "recommendation" and not titles:
            raise BadInput(f"{row.where}: {_NO_TITLES}")
        id = _context_id(row.source, selection.contexts[row.source] + 1)
        found = released(row, id, titles)
        known = tuple(dict.fromkeys(titles.values()))
        context = replace(found.context, queries=found.context.queries[: selection.left], titles=known)
        one = _with_references(episode(context, chunk), found)
    except BadInput as error:
        where = "" if isinstance(row, BadInput) or str(error).startswith(row.where) else f"{row.where}: "
        selection.problems.append(f"{where}{error}; the row was left out")
        return None
    selection.problems += found.problems
    selection.contexts[row.source] += 1
    selection.questions[row.source] += len(context.queries)
    selection.cut += found.cut
    return one


def gold_answers(data: Path, complain: Callable[[str], None]) -> Iterator[Probe]:
    """The questions of all released files below a folder (or of one file), with their gold answers alone."""
    paths = list(dict.fromkeys(path for kind in SPECS if parquet.has(data, kind) for path in parquet.find(data, kind)))
    if not paths:
        raise BadInput(f"{data} has no released file, such as {', '.join(parquet.SPLITS.values())}.parquet")
    titles, contexts = _titles(data, paths), Counter[str]()
    for path in paths:
        for row in parquet.rows(path):
            if isinstance(row, BadInput):
                complain(f"{row}; the row was left out")
            elif kind_of(row.source) == "recommendation" and not titles:
                complain(f"{row.where}: {_NO_TITLES}; the row was left out")
            elif kind_of(row.source) is not None:
                contexts[row.source] += 1
                found = gold_answers_of_row(row, _context_id(row.source, contexts[row.source]), titles)
                for problem in found.problems:
                    complain(problem)
                known = tuple(dict.fromkeys(titles.values()))
                one = replace(found.context, titles=known)
                for query in one.queries:
                    asked = probe(query, one, first=one.kind == "recommendation")
                    yield replace(asked, gold=found.references.get(query.id, asked.gold), task=task_of(one))


def _context_id(source: str, number: int) -> str:
    return f"{re.sub(r'[^A-Za-z0-9_]+', '', source)}_{number}"


def _with_references(one: Episode, found: Released) -> Episode:
    """The episode with what a context has no place for: summaries to compare with."""
    if not found.references:
        return one
    probes = (replace(probe, gold=found.references.get(probe.id, probe.gold)) for probe in one.probes)
    return replace(one, probes=tuple(probes))


def _titles(data: Path, paths: list[Path]) -> dict[str, str]:
    """The titles by id, from the file beside the others or anywhere in the folder; none where there is no such file."""
    folders = [data if data.is_dir() else data.parent, *(path.parent for path in paths)]
    beside = [folder / TITLES for folder in folders] + [folder.parent / TITLES for folder in folders]
    below = sorted(data.rglob(TITLES)) if data.is_dir() else []
    path = next((path for path in (*beside, *below) if path.is_file()), None)
    if path is None:
        return {}
    try:
        listed = loads(read_text(path))
    except BadJson as error:
        raise BadInput(f"{path} is no JSON: {error}") from error
    if not isinstance(listed, dict) or not all(isinstance(id, int | str) for id in listed.values()):
        raise BadInput(f"{path}: expected an object with an id for each name")
    return {str(id): title for name, id in listed.items() if (title := title_of(name))}


def title_of(name: str) -> str:
    """The title that the name of an entity holds, the last part of its address.

    >>> title_of("<http://example.org/resource/Tin_Harbour_(1984_film)>")
    'Tin Harbour'
    """
    last = name.rsplit("/", 1)[-1].translate(str.maketrans("_->", "   "))
    return " ".join(_ASIDE.sub("", last).split())
