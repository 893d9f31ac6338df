"""What the paper's table 1 and figure 5 count: how long histories are, and the kinds of questions and evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from statistics import mean

from memtriage.core.episode import Episode
from memtriage.core.suite import Cell, DataTable, Loaded, Request
from memtriage.suites.longmemeval.options import SIZES
from memtriage.text.tokens import count_all

LENGTHS, KINDS = "LongMemEval, table 1", "LongMemEval, figure 5"

_MEASURED = 5
"""How many histories are measured: those of M have 1.5 million tokens each."""

_THIRDS = ("first third", "second third", "last third")


def tables(size: str, request: Request, load: Callable[[str, Request], Loaded]) -> Iterator[DataTable]:
    """Both tables for released files, or for generated questions of both lengths; of evidence alone, only kinds."""
    if size != "oracle":
        sizes = [size] if request.data is not None else [each for each in SIZES if each != "oracle"]
        lengths = tuple(_lengths(each, request, load) for each in sizes)
        yield DataTable(LENGTHS, ("histories", "questions", "sessions each", "tokens each"), lengths)
    yield DataTable(KINDS, ("what", "of them", "number", "share"), tuple(_kinds(load(size, request).episodes)))


def _lengths(size: str, request: Request, load: Callable[[str, Request], Loaded]) -> tuple[Cell, ...]:
    measured = replace(request, rows=min(request.rows or _MEASURED, _MEASURED))
    episodes = list(islice(load(size, measured).episodes, _MEASURED))
    tokens = mean(count_all([turn.text for s in episode.sessions for turn in s.turns]) for episode in episodes)
    return f"longmemeval/{size}", request.rows or 500, round(mean(len(e.sessions) for e in episodes)), round(tokens)


def _kinds(episodes: Iterable[Episode]) -> Iterator[tuple[Cell, ...]]:
    types: Counter[str] = Counter()
    sessions: Counter[str] = Counter()
    places: Counter[str] = Counter()
    for episode in episodes:
        home = {turn.id: session for session in episode.sessions for turn in session.turns}
        for probe in episode.probes:
            types[probe.task.rpartition("/")[2]] += 1
            turns = [turn for id in probe.needed for turn in episode.fact(id).turns if turn in home]
            if turns:
                sessions[str(len({home[turn].id for turn in turns}))] += 1
            for id in turns:
                told = [turn.id for turn in home[id].turns]
                places[_THIRDS[3 * told.index(id) // len(told)]] += 1
    for what, counted in (
        ("type of question", dict(types.most_common())),
        ("sessions with evidence", dict(sorted(sessions.items()))),
        ("place of the evidence in its session", {third: places[third] for third in _THIRDS if places[third]}),
    ):
        for name, number in counted.items():
            yield what, name, number, f"{number / sum(counted.values()):.1%}"
