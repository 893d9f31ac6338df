"""How a question is answered from the indexes: seeds, chains, relatives, dependencies, times.

Every result says why it came: as a seed (it fits the question), by a chain, as a relative of a seed, or by a
dependency (it changes, replaces or voids something that fits).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest
from typing import Literal

import numpy as np

from memtriage.systems.designs.mosaic.chains import Names, chains
from memtriage.systems.designs.mosaic.dependencies import DependencyGraph
from memtriage.systems.designs.mosaic.statements import full_names, names, stems
from memtriage.systems.designs.mosaic.text_index import Places, Scores, SentenceVectors, WordIndex
from memtriage.systems.designs.rules.dates import Span, mentions
from memtriage.systems.designs.rules.time_ranges import time_range

Why = Literal["seed", "chain", "relative", "dependency"]

LEXICAL, CONTEXT, QUIET = 0.6, 0.4, 0.4
"""What words count beside meaning, what the session around counts, and what assistants' and mere questions count."""
SURE = 0.35
"""How strong a chain has to be for its entries to come first."""
CHAIN_HEAD = 7
"""How many entries of such a chain come before anything else."""
LONGEST_LINK = 30
"""Stems of a link of a chain: what says more leads everywhere."""
HANGING, TAKEN_BACK = 6, 10
"""How many of the best are looked at for what they hang on, and for having been taken back."""
SLACK, LOOKED_AT = 2, 200
"""Days by which an entry may miss the time that is asked for, and how many of the best are looked at for theirs."""
CANDIDATES = 400
"""How many of the best may be drawn in as relatives."""
SHOWN = 20
"""Up to which place it is said of an entry that it came as a relative."""
_YOU_SAID = re.compile(
    r"""
    \byou(?:['’]ve|\ have|['’]d|\ had)?\ (?:\w+\ )?
        (?:told|gave|given|mentioned|recommended|suggested|said|provided|listed|described|explained|wrote|shared|advised)\b
    | \b(?:our|the)\ (?:previous|last|earlier)\ (?:chat|conversation|discussion)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A question about what the assistant said."""
_OVER_TIME = re.compile(
    r"""
    \bover\ time\b | \b(?:earliest|first|oldest)\ to\ (?:the\ )?(?:latest|last|newest)\b | \bhistory\b | \bin\ order\b
    | \b(?:used\ to|previous|former|before)\b | \b(?:have\ (?:i|we)|i['’]ve|we['’]ve)\ had\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A question about how something was, not only how it is."""


@dataclass(slots=True)
class Store:
    """What a search looks at, by entry; `weights` are by sentence, and `rows` say by statement which sentence it is."""

    texts: list[str]
    days: list[date | None]
    stated: list[bool]
    places: list[dict[str, float]]
    words: WordIndex
    vectors: SentenceVectors
    weights: Sequence[float]
    rows: list[int]
    graph: DependencyGraph
    names: Names


@dataclass(slots=True)
class Ranking:
    """All entries, the best first.

    `scores` are how well each fits the question by itself. `why` has those that came for another reason than that, and
    by which entry; `voided_by` those that something later changed, voided or replaced.
    """

    order: list[int]
    scores: Scores
    why: dict[int, tuple[Why, int | None]]
    voided_by: dict[int, int]


def ranked(store: Store, query: str, asked_on: date | None, without: frozenset[str]) -> Ranking:
    """What a search finds, for a question that is asked on some day."""
    return _Search(store, query, without).ranked(asked_on)


class _Search:
    def __init__(self, store: Store, query: str, without: frozenset[str]) -> None:
        self.store, self.query, self.without = store, query, without
        self.why: dict[int, tuple[Why, int | None]] = {}
        self.stated = np.array(store.stated, dtype=bool)
        self.of_assistant = _YOU_SAID.search(query) is not None  # what it said is only found by its words
        self.base = self._seeds(query)

    def ranked(self, asked_on: date | None) -> Ranking:
        order = self._by_score(self.base)
        chained = self._with_chains(order)
        if chained:
            order = chained
        elif rest := self._without_names():
            order = in_turn([*self._pinned(), *order], self._by_score(self._seeds(rest)), 1)
        voided: dict[int, int] = {}
        if "dependencies" not in self.without:
            order, voided = self._with_dependencies(order)
        if asked_on is not None and "times" not in self.without:
            order = self._in_time_first(order, asked_on)
        return Ranking(order, self.base, self.why, voided)

    # Seeds

    def _seeds(self, query: str) -> Scores:
        store = self.store
        asked = dict.fromkeys(stems(query))
        self.like = np.zeros(len(store.texts), dtype=np.float32)
        session_of = np.array(store.words.session_of, dtype=np.intp)
        lexical, by_session = store.words.scores(asked)
        if self.of_assistant:
            return np.where(self.stated, QUIET, 1.0).astype(np.float32) * (lexical + CONTEXT * by_session[session_of])
        lexical *= np.where(self.stated, 1.0, QUIET).astype(np.float32)
        if "words" in self.without:
            lexical[:], by_session[:] = 0.0, 0.0
        score = LEXICAL * lexical
        context = LEXICAL * by_session
        if len(store.vectors) and "vectors" not in self.without:
            self.sims = store.vectors.likeness(store.vectors.embedded_query(query)[None])[:, 0]
            self.sims *= np.asarray(store.weights, dtype=np.float32)
            self.like = dense = np.zeros(len(lexical), dtype=np.float32)
            np.maximum.at(dense, store.vectors.owners, self.sims)
            score = score + dense
            context = context + self._session_likeness(session_of)
        if store.words.sessions < len(lexical) and "sessions" not in self.without:
            score = score + CONTEXT * context[session_of]
        return score.astype(np.float32)

    def _session_likeness(self, session_of: Places) -> Scores:
        """The mean likeness of what was stated in a session."""
        sessions = session_of[self.store.vectors.owners]
        total = np.bincount(sessions, self.sims, self.store.words.sessions)
        count = np.bincount(sessions, minlength=self.store.words.sessions)
        return (total / np.maximum(count, 1)).astype(np.float32)

    def _by_score(self, base: Scores) -> list[int]:
        if self.of_assistant or not self.without.isdisjoint(("relatives", "vectors")) or not len(self.store.vectors):
            score = base
        else:
            score = self._with_relatives(base)
        order: list[int] = np.argsort(-score, kind="stable").tolist()
        if score is not base:
            seeds = set(np.argsort(-base, kind="stable")[:SHOWN].tolist())
            self.why |= {entry: ("relative", order[0]) for entry in order[:SHOWN] if entry not in seeds}
        return order

    def _with_relatives(self, base: Scores) -> Scores:
        """Draw in what is nearest to the five best; the very best stays where it is."""
        vectors = self.store.vectors
        top = np.argsort(-base, kind="stable")[:5]
        spread = float(base.std()) or 1.0
        weight = np.exp((base[top] - base[top[0]]) / spread)
        weight /= weight.sum()
        best = self._best_sentences(top)
        known = [n for n, row in enumerate(best) if row >= 0]
        if not known:
            return base
        rows = vectors.rows[[best[n] for n in known]] - vectors.mean
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
        wanted = (rows * weight[known][:, None]).sum(axis=0)
        wanted /= max(float(np.linalg.norm(wanted)), 1e-6)
        best_first = np.argsort(-base, kind="stable")
        drawn = np.zeros(len(base), dtype=bool)
        drawn[best_first[:CANDIDATES]] = True
        held = np.flatnonzero(drawn[vectors.owners])
        near = np.full(len(base), np.nan, dtype=np.float32)
        np.fmax.at(near, vectors.owners[held], vectors.likeness(wanted[None] + vectors.mean, held)[:, 0])
        nearest = near[drawn & ~np.isnan(near)]
        near = np.where(np.isnan(near), nearest.min(), near)
        score: Scores = (base - base.mean()) / spread + (near - nearest.mean()) / (float(nearest.std()) or 1.0)
        score[top[0]] = score.max() + 1
        return score

    def _best_sentences(self, entries: Iterable[int]) -> list[int]:
        """Of each entry the sentence that is nearest to the question; -1 where it has none."""
        owners = self.store.vectors.owners
        found = []
        for entry in entries:
            low, high = np.searchsorted(owners, [entry, entry + 1])
            found.append(int(low + np.argmax(self.sims[low:high])) if high > low else -1)
        return found

    # Chains and names

    def _with_chains(self, order: list[int]) -> list[int] | None:
        """A ranking with the best chains in it; None where the question is not about a chain."""
        if "chains" in self.without:
            return None
        store = self.store
        links = self.stated & (np.array(store.words.lengths) <= LONGEST_LINK)
        links[[store.graph.entry_of[number] for number in store.graph.replaced_by]] = False
        asked = frozenset(stems(self.query))
        found = store.names.chains(names(self.query), asked, self.like, store.words, links)
        head: list[int] = []
        first = CHAIN_HEAD
        if not found.order:
            found = chains(asked, self.base, store.words, links, store.places)
            best = np.argsort(-self.base, kind="stable")[:3].tolist()
            if not found.order or not links[best].any():
                return None
            first = CHAIN_HEAD if found.strength >= SURE and links[best[0]] else 0
            head = [] if best[0] in found.order[:CHAIN_HEAD] else best[:1]  # a chain may pass by what fits best
        for entry in found.order:
            self.why[entry] = ("chain", None)
        return in_turn([*head, *found.order], order, first)

    def _without_names(self) -> str:
        """The question without the full names that single out an entry; empty where there is none."""
        query = self.query
        names = [name for name in full_names(query) if 1 <= len(self._holding(name)) <= 2]
        for name in names:
            query = query.replace(name, "they")
        return query if names else ""

    def _pinned(self) -> list[int]:
        return [entry for name in full_names(self.query) if len(held := self._holding(name)) == 1 for entry in held]

    def _holding(self, name: str) -> list[int]:
        parts = [set(self.store.words.holding(stem)) for stem in stems(name)]
        held = set.intersection(*parts) if parts else set()
        return sorted(entry for entry in held if name in self.store.texts[entry])

    # Dependencies

    def _with_dependencies(self, order: list[int]) -> tuple[list[int], dict[int, int]]:
        """Beside what hangs on something that changed: the report and the rules between; what was voided comes last."""
        graph = self.store.graph
        bundles: dict[int, list[int]] = {}
        voided: dict[int, int] = {}
        last: dict[int, None] = {}
        over_time = _OVER_TIME.search(self.query) is not None
        for entry in order[:HANGING]:
            if bundle := self._bundle(entry):
                bundles[entry] = bundle
            for number in self._changed(entry):
                if graph.statements[number].kind != "rule":  # a rule is not void because it was set off
                    voided[entry] = graph.changed[number].report
        for entry in order[:TAKEN_BACK]:
            for number in graph.of_entry.get(entry, ()):
                if (request := graph.voided_by.get(number)) is not None:
                    bundles.setdefault(entry, []).append(graph.entry_of[request])
                    voided[entry] = request
                    last[entry] = None
                    continue
                if len(graph.of_entry[entry]) > 1:
                    continue  # one of several statements doesn't make all of them old
                versions = [graph.entry_of[each] for each in graph.versions(number)]
                if number in graph.replaced_by:
                    voided[entry] = graph.replaced_by[number]
                if over_time:
                    bundles.setdefault(entry, []).extend(versions if len(versions) > 1 else ())
                elif number in graph.replaced_by:
                    bundles.setdefault(entry, []).append(versions[-1])
                    last[entry] = None
        result: dict[int, None] = {}
        for entry in order[:TAKEN_BACK]:
            for other in bundles.get(entry, ()):
                if other not in result:
                    result[other] = None
                    if other != entry:
                        self.why[other] = ("dependency", entry)
            result.setdefault(entry)
        by_entry = {entry: graph.entry_of[number] for entry, number in voided.items()}
        head = [entry for entry in result if entry not in last]
        return [*head, *(entry for entry in order if entry not in result), *last], by_entry

    def _changed(self, entry: int) -> list[int]:
        graph = self.store.graph
        return [number for number in graph.of_entry.get(entry, ()) if number in graph.changed]

    def _bundle(self, entry: int) -> list[int]:
        """The rule that says what becomes of an entry, the rules between, and the report of the change."""
        graph = self.store.graph
        found: list[int] = []
        for number in self._changed(entry):
            change = graph.changed[number]
            between = [rule for each in change.way for rule in self._becoming(each)]
            found += [*self._becoming(number), change.report, *between, number, *change.way]
        return list(dict.fromkeys(graph.entry_of[number] for number in found))

    def _becoming(self, number: int) -> list[int]:
        """The rule that says what becomes of what a statement is about, if there is one."""
        rules = self.store.graph.becoming(number)
        return [max(rules, key=lambda rule: self._likes(rule, number))] if rules else []

    def _likes(self, rule: int, number: int) -> float:
        """How much a rule is about what a statement is about, and what is asked."""
        graph, rows, vectors = self.store.graph, self.store.rows, self.store.vectors.rows
        like = float(vectors[rows[rule]] @ vectors[rows[number]])
        return float(self.base[graph.entry_of[rule]]) + graph.topic(rule, number) + like

    # Times

    def _in_time_first(self, order: list[int], asked_on: date) -> list[int]:
        """Where a question names a time, what was said or took place then comes before the rest."""
        span = time_range(self.query, asked_on)
        if span is None:
            return order
        inside = {entry for entry in order[:LOOKED_AT] if self._within(entry, span)}
        return [entry for entry in order if entry in inside] + [entry for entry in order if entry not in inside]

    def _within(self, entry: int, span: Span) -> bool:
        on = self.store.days[entry]
        if on is None:
            return True
        spans = [Span(on, on)]
        if self.store.stated[entry]:
            spans += [each.span for each in mentions(self.store.texts[entry], on)]
        return any(each.touches(span, SLACK) and each.days <= max(31, span.days) for each in spans)


def in_turn(first: Sequence[int], second: Sequence[int], head: int) -> list[int]:
    """The head of one ranking, then one by one from the two.

    >>> in_turn([1, 2, 3], [9, 8, 1], 1)
    [1, 2, 9, 3, 8]
    """
    order = dict.fromkeys(first[:head])
    for pair in zip_longest(first[head:], second):
        order.update(dict.fromkeys(entry for entry in pair if entry is not None))
    return list(order)
