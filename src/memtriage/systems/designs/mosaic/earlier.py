"""Which earlier sentences new ones may change, void or hang on: those that a model is shown beside them.

No question is answered here. Words, kinds and what hangs on what are looked up in the indexes, and meanings compared,
each up to so many sentences, so that a call costs no more in a large store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memtriage.systems.designs.mosaic.frames import thing_of
from memtriage.systems.designs.mosaic.search import LEXICAL, OF_A_KIND, Store
from memtriage.systems.designs.mosaic.statements import Statement, stems
from memtriage.systems.designs.mosaic.text_index import Places, Scores, best

LATEST = 10_000
"""How many of the latest sentences are compared by their meaning, beside those that the indexes lead to."""
RAREST, HOLDING = 6, 20
"""How many words of a sentence are looked up, the rarest, and how many of the latest entries that hold each."""
FITTING = 20
"""How many earlier sentences are kept of those that fit one."""
REPORT = 1.3
"""What it counts that a new sentence is a report of a change, or takes something back."""
SEEDS, NEXT = 4, 0.7
"""How many of the best lead to others that fit them in turn, and what that counts."""

_REPORTS = ("change", "forget", "retraction")


@dataclass(frozen=True, slots=True)
class _Hints:
    """Sentences that the indexes lead to, and how much speaks for each; one may come twice."""

    rows: Places
    worth: Scores


def earlier(store: Store, said: Sequence[Statement], count: int) -> list[int]:
    """The numbers of the statements that new ones most likely have to do with, oldest first."""
    new = [each for each in said if each.leading]
    if not new or not len(store.vectors):
        return []
    fits: dict[int, float] = {}
    for statement, fitting in zip(new, _fitting(store, new), strict=True):
        for row, score in fitting.items():
            fits[row] = max(fits.get(row, 0.0), score * (REPORT if statement.kind in _REPORTS else 1.0))
    seeds = _highest(fits, SEEDS)
    through = _fitting(store, [store.graph.statements[_number(store, row)] for row in seeds])
    for seed, fitting in zip(seeds, through, strict=True):
        for row, score in fitting.items():
            if row not in seeds:
                fits[row] = max(fits.get(row, 0.0), NEXT * fits[seed] * score)
    return sorted(_number(store, row) for row in _highest(fits, count))


def _fitting(store: Store, said: Sequence[Statement]) -> list[dict[int, float]]:
    """The sentences that fit each of some statements best, and how well."""
    hints = [_hints(store, each) for each in said]
    latest = np.arange(max(0, len(store.vectors) - LATEST), len(store.vectors))
    rows = np.unique(np.concatenate([latest, *(each.rows for each in hints)]))
    likes = store.vectors.likenesses(store.vectors.embedded([each.indexed for each in said]), rows)
    found = []
    for like, hinted in zip(likes, hints, strict=True):
        np.add.at(like, np.searchsorted(rows, hinted.rows), hinted.worth)
        like *= store.weights.view[rows]
        places = best(like, FITTING)
        pairs = zip(rows[places].tolist(), like[places].tolist(), strict=True)
        found.append({row: score for row, score in pairs if score > 0})
    return found


def _hints(store: Store, said: Statement) -> _Hints:
    """What shares words with a statement or is of its kind, and what hangs on it."""
    entries, shares = _sharing_words(store, said)
    rows = store.vectors.of_entries(entries)
    worth = LEXICAL * shares[np.searchsorted(entries, store.vectors.owners[rows])]
    if said.told:
        kind = thing_of(said)
        same = [thing_of(store.graph.statements[_number(store, row)]) == kind for row in rows.tolist()]
        worth += OF_A_KIND * np.array(same, dtype=np.float32)
    hanging = store.graph.hanging_on(said, len(store.rows))
    hanging_rows = store.rows.view[[number for number, _ in hanging]]
    strengths = np.array([strength for _, strength in hanging], dtype=np.float32)
    known = hanging_rows >= 0
    return _Hints(np.concatenate((rows, hanging_rows[known])), np.concatenate((worth, strengths[known])))


def _sharing_words(store: Store, said: Statement) -> tuple[Places, Scores]:
    """The latest entries with the rarest words of a statement, and how much of it they tell by these.

    The noun that a model gave is looked up before any other word.
    """
    words = store.words
    noun = frozenset(stems(said.told.category)) if said.told else frozenset()
    told = noun.union(stems(said.text))
    known = [stem for stem in told if words.count(stem)]
    looked_up = sorted(known, key=lambda stem: (stem not in noun, words.count(stem), stem))[:RAREST]
    holding = [words.postings.latest(stem, HOLDING) for stem in looked_up]
    if not holding:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.float32)
    rarities = np.repeat([words.rarity(stem) for stem in looked_up], [len(each) for each in holding])
    entries, place = np.unique(np.concatenate(holding), return_inverse=True)
    shares = np.bincount(place, rarities) / words.mass(told)
    return entries.astype(np.intp), shares.astype(np.float32)


def _highest(scores: Mapping[int, float], count: int) -> list[int]:
    return sorted(scores, key=lambda row: (-scores[row], row))[:count]


def _number(store: Store, row: int) -> int:
    """The number of the statement that a sentence is kept for."""
    return next(number for number in store.graph.of_entry(store.vectors.owner[row]) if store.rows[number] == row)
