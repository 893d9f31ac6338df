"""How a question is answered from the indexes: seeds, chains, relatives, dependencies, times.

Every result says why it came: as a seed (it fits the question), by a chain, as a relative of a seed, or by a
dependency (it changes, replaces or voids something that fits).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice, zip_longest
from typing import Literal

import numpy as np

from memtriage.models.embedders import Vectors
from memtriage.systems.designs.mosaic.chains import CLEARER, HOPS, Names, chains
from memtriage.systems.designs.mosaic.dependencies import DependencyGraph
from memtriage.systems.designs.mosaic.kept import Column
from memtriage.systems.designs.mosaic.questions import (
    CAPITAL,
    COMING,
    EXPECTING,
    FOR_A_KIND,
    OVER_TIME,
    WHAT_FOLLOWS,
    YOU_SAID,
    asked_in_parts,
    in_common,
)
from memtriage.systems.designs.mosaic.statements import (
    Stems,
    full_names,
    names,
    people,
    stems,
    tells_of_others,
    told_of,
)
from memtriage.systems.designs.mosaic.text_index import EXACT_UP_TO, Places, Scores, SentenceVectors, WordIndex
from memtriage.systems.designs.mosaic.text_index import best as best_places
from memtriage.systems.designs.rules.dates import Span, mentions
from memtriage.systems.designs.rules.time_ranges import time_range

Why = Literal["seed", "chain", "relative", "dependency"]

LEXICAL, LEXICAL_OF_A_KIND, CONTEXT, QUIET = 0.6, 0.4, 0.4, 0.4
"""What words count beside meaning, the same where something of a kind is asked for, which is named by other words, what
the session around counts, and what assistants' and mere questions count."""
OF_A_KIND, BEST_OF_A_KIND = 0.5, 2
"""What it counts that others of the same kind fit, and how many of them are looked at."""
OF_OTHERS, OF_NOBODY = 0.5, 0.5
"""What something counts that is told of somebody else than is asked about, and what was only asked, about nobody."""
NAMED = 20
"""How many of the best are looked at for a name of the question, and how many entries that hold a word for its being
a name."""
NOT_YET, RULES = 0.7, 20
"""What a rule counts whose case has not come, and how many of the best are looked at for being one."""
SURE = 0.35
"""How strong a chain has to be for its entries to come first."""
FOLLOWS, SHORT_LINK = 0.1, 15
"""How strong a chain has to be for there to be one where it is asked what comes of something, if its links are short:
so many stems."""
CHAIN_HEAD = 7
"""How many entries of such a chain come before anything else."""
LONGEST_LINK = 30
"""Stems of a link of a chain: what says more leads everywhere."""
HANGING, HANGING_OVER_TIME, TAKEN_BACK = 6, 1, 10
"""How many of the best are looked at for what they hang on, the same where it is asked how something went on, and how
many for having been taken back."""
REQUESTS, BESIDE = 20, 1 / 3
"""How many of the best are looked at for requests to forget that found nothing, and how much such a request has to name
of what it comes beside."""
SLACK, LOOKED_AT = 2, 200
"""Days by which an entry may miss the time that is asked for, and how many of the best are looked at for theirs."""
IN_TIME = 2
"""How many of the entries of that time come before what fits best at any time takes its turns."""
CANDIDATES = 400
"""How many of the best may be drawn in as relatives."""
RANKED = 2000
"""How many entries are put in order; nobody reads further."""
POOL = 1000
"""How many entries of a large store are looked at, chosen by their words and by sketches of their sentences."""
FITTING = 1
"""How many of the best come before relatives take their turns, where one fact is asked for."""
SHOWN = 20
"""Up to which place it is said of an entry that it came as a relative."""

_SPEAKER: Stems = frozenset(["@speaker"])
"""Who speaks; no word of a text has this stem."""


@dataclass(slots=True)
class Store:
    """What a search looks at, by entry; `weights` are by sentence, and `rows` say by statement which sentence it is."""

    texts: Sequence[str]
    look_ahead: Callable[[Sequence[int]], None]
    days: Sequence[date | None]
    stated: Column
    places: Sequence[dict[str, float]]
    words: WordIndex
    vectors: SentenceVectors
    weights: Column
    rows: Column
    graph: DependencyGraph
    names: Names

    @property
    def large(self) -> bool:
        """Whether there is too much to compare all of it with a question."""
        return max(len(self.words), len(self.vectors)) > EXACT_UP_TO


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
        asked = EXPECTING.sub("", query)
        self.whom = told_of(asked)
        self.names = frozenset(CAPITAL.findall(asked)) if self.whom == "speaker" else self._people(asked)
        self.strangers: dict[int, Stems] = {}  # by entry, as far as chains came across it
        self.pool: Places | None = None  # in a large store, the entries that are looked at
        self.stated = store.stated.view.astype(bool)
        self.of_assistant = YOU_SAID.search(query) is not None  # what it said is only found by its words
        self.of_a_kind = not self.of_assistant and FOR_A_KIND.search(query) is not None
        self.base = self._seeds(query)

    def ranked(self, asked_on: date | None) -> Ranking:
        order = self._by_score(self.base)
        parts = asked_in_parts(self.query)
        chained = None if parts else self._with_chains(order)
        if chained:
            order = chained
        elif parts:
            rankings = [self._best_first(self._seeds(part, alone=True)).tolist() for part in parts]
            order = in_rounds([*rankings, order])
        elif rest := self._without_names():
            order = in_turn([*self._pinned(), *order], self._by_score(self._seeds(rest)), 1)
        voided: dict[int, int] = {}
        if "dependencies" not in self.without:
            order, voided = self._with_dependencies(order, len(parts) or HANGING)
        if asked_on is not None and "times" not in self.without:
            order = self._in_time_first(order, asked_on)
        return Ranking(order, self.base, self.why, voided)

    # Seeds

    def _seeds(self, query: str, alone: bool = False) -> Scores:
        """How well every entry fits, with what the session around it counts unless it is to stand alone."""
        store = self.store
        asked = dict.fromkeys(stems(query))
        self.like = np.zeros(len(store.texts), dtype=np.float32)
        session_of = store.words.session_of.view
        lexical, by_session = store.words.scores(asked, store.large)
        if self.of_assistant:
            quiet = np.where(self.stated, QUIET, 1.0).astype(np.float32)
            return self._narrowed(quiet * (lexical + CONTEXT * by_session[session_of]))
        lexical *= np.where(self.stated, 1.0, QUIET).astype(np.float32)
        if "words" in self.without:
            lexical[:], by_session[:] = 0.0, 0.0
        weight = LEXICAL_OF_A_KIND if self.of_a_kind else LEXICAL
        score = weight * lexical
        context = weight * by_session
        in_sessions = store.words.sessions < len(lexical) and not alone and "sessions" not in self.without
        vector = None
        if len(store.vectors) and "vectors" not in self.without:
            vector = self._embedded(query)
            self.sims = store.vectors.likely(vector) if store.large else store.vectors.likeness(vector)
            self.sims *= store.weights.view
            self.like = store.vectors.best_by_entry(self.sims, len(lexical))
            score = score + self.like
            if in_sessions:
                context = context + store.vectors.mean_by_session(self.sims, store.words)
        if in_sessions:
            score = score + CONTEXT * context[session_of]
        found = self._narrowed(score.astype(np.float32, copy=False), vector)
        found = self._as_it_is(self._of_the_same(found))
        return found if "relatives" in self.without else self._with_kinds(found)

    def _embedded(self, query: str) -> Vectors:
        """The vector of a question; of one for a kind, without what questions have in common."""
        vectors = self.store.vectors
        found = vectors.embedded_query(query)
        if self.of_a_kind and (common := in_common(vectors)) is not None:
            return found - common + vectors.mean  # the mean is taken off again when sentences are compared with it
        return found

    def _of_the_same(self, score: Scores) -> Scores:
        """Less for what is told of others than are asked about."""
        names, texts = self.names, self.store.texts
        best = self._best_first(score)[:LOOKED_AT].tolist()
        self.store.look_ahead(best)
        if self.whom == "speaker":
            for entry in best:
                told = told_of(texts[entry])
                if told == "others" and not any(name in texts[entry] for name in names):
                    score[entry] *= OF_OTHERS
                elif told == "nobody" and not self.stated[entry]:
                    score[entry] *= OF_NOBODY
        elif any(name in texts[entry] for entry in best[:NAMED] for name in names):
            for entry in best:
                if self._strangers(entry):
                    score[entry] *= OF_OTHERS
        return score

    def _as_it_is(self, score: Scores) -> Scores:
        """Less for rules whose case has not come, where it is asked how things are."""
        if "dependencies" in self.without or COMING.search(self.query):
            return score
        graph = self.store.graph
        for entry in self._best_first(score)[:RULES].tolist():
            rules = [number for number in graph.of_entry(entry) if graph.statements[number].kind == "rule"]
            if rules and not any(number in graph.changed for number in rules):
                score[entry] *= NOT_YET
        return score

    def _with_kinds(self, score: Scores) -> Scores:
        """Scores with how well the best of an entry's kind fit, where a model said what it is one of."""
        entries, kinds = self.store.graph.kind_entries.view, self.store.graph.kind_numbers.view
        if not len(entries):
            return score
        looked_at = np.zeros(len(score), dtype=bool)
        looked_at[... if self.pool is None else self.pool] = True
        known = (entries >= 0) & looked_at[entries]
        pairs = np.unique(np.stack([kinds[known], entries[known]], axis=1), axis=0)
        found = score.copy()
        for members in np.split(pairs[:, 1], np.flatnonzero(np.diff(pairs[:, 0])) + 1):
            if len(members):
                best = np.sort(score[members])[-BEST_OF_A_KIND:].mean()
                found[members] = np.maximum(found[members], best)
        total: Scores = (score + OF_A_KIND * found * looked_at).astype(np.float32)
        return total

    def _narrowed(self, score: Scores, vector: Vectors | None = None) -> Scores:
        """In a large store: only the best go on, and these are compared with the question in full."""
        if not self.store.large:
            return score
        vectors = self.store.vectors
        self.pool = best = best_places(score, POOL)
        found = np.zeros_like(score)
        found[best] = score[best]
        if vector is not None:
            rows = vectors.of_entries(best)
            self.sims[rows] = vectors.likeness(vector, rows) * self.store.weights.view[rows]
            found[best] -= self.like[best]
            self.like = np.zeros_like(score)
            np.maximum.at(self.like, vectors.owners[rows], self.sims[rows])
            found[best] += self.like[best]
        return found

    def _best_first(self, scores: Scores) -> Places:
        """The entries that are looked at, the best first."""
        looked_at = best_places(scores, RANKED) if self.pool is None else self.pool
        return looked_at[np.argsort(-scores[looked_at], kind="stable")]

    def _by_score(self, base: Scores) -> list[int]:
        by_score = self._best_first(base)
        best: list[int] = by_score.tolist()
        if self.of_assistant or not self.without.isdisjoint(("relatives", "vectors")) or not len(self.store.vectors):
            return best
        score = self._with_relatives(base, by_score)
        if score is base:
            return best
        related: list[int] = self._best_first(score).tolist()
        order = related if self.of_a_kind else in_turn(best, related, FITTING)
        seeds = set(best[:SHOWN])
        self.why |= {entry: ("relative", order[0]) for entry in order[:SHOWN] if entry not in seeds}
        return order

    def _with_relatives(self, base: Scores, best_first: Places) -> Scores:
        """Draw in what is nearest to the five best; the very best stays where it is."""
        vectors = self.store.vectors
        top = best_first[:5]
        looked_at = base if self.pool is None else base[self.pool]
        spread = float(looked_at.std()) or 1.0
        weight = np.exp((base[top] - base[top[0]]) / spread)
        weight /= weight.sum()
        best = self._best_sentences(top)
        known = [n for n, row in enumerate(best) if row >= 0]
        if not known:
            return base
        rows = vectors.rows_at([best[n] for n in known]) - vectors.mean
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
        wanted = (rows * weight[known][:, None]).sum(axis=0)
        wanted /= max(float(np.linalg.norm(wanted)), 1e-6)
        held = vectors.of_entries(np.sort(best_first[:CANDIDATES]))
        held = held[self.store.weights.view[held] > 0]  # what was forgotten is nobody's relative
        near = np.full(len(base), np.nan, dtype=np.float32)
        np.fmax.at(near, vectors.owners[held], vectors.likeness(wanted + vectors.mean, held))
        nearest = near[np.unique(vectors.owners[held])]
        near = np.where(np.isnan(near), nearest.min(), near)
        score: Scores = (base - looked_at.mean()) / spread + (near - nearest.mean()) / (float(nearest.std()) or 1.0)
        score[top[0]] = score.max() + 1
        return score

    def _best_sentences(self, entries: Iterable[int]) -> list[int]:
        """Of each entry the sentence that is nearest to the question; -1 where it has none."""
        found = []
        for entry in entries:
            rows = self.store.vectors.of_entry(entry)
            found.append(int(rows.start + np.argmax(self.sims[rows.start : rows.stop])) if rows else -1)
        return found

    # Chains and names

    def _with_chains(self, order: list[int]) -> list[int] | None:
        """A ranking with the best chains in it; None where the question is not about a chain."""
        if "chains" in self.without:
            return None
        store = self.store
        links = self.stated & (store.words.lengths.view <= LONGEST_LINK)
        replaced = store.graph.replaced.view
        links[store.graph.entry_of.view[replaced[replaced >= 0]]] = False
        asked = frozenset(stems(self.query))
        best = self._best_first(self.base)[:3].tolist()
        if max(store.words.share(asked, store.words.bags[entry]) for entry in best) > 1 - CLEARER:
            return None  # one entry says all that is asked
        found = store.names.chains(names(self.query), asked, self.like, store.words, links)
        head: list[int] = []
        first = CHAIN_HEAD
        if not found.order or self._covers_more(asked, best, found.order):
            follows = WHAT_FOLLOWS.search(self.query) is not None
            found = chains(asked, self.base, store.words, links, store.places, self._strangers)
            if follows and not found.order:
                links &= store.words.lengths.view <= SHORT_LINK
                found = chains(asked, self.base, store.words, links, store.places, self._strangers, FOLLOWS)
            if (
                not found.order
                or self.of_a_kind
                or not links[best].any()
                or self._covers_more(asked, best, found.order)
            ):
                return None
            first = CHAIN_HEAD if (follows or found.strength >= SURE) and links[best[0]] else 0
            head = [] if best[0] in found.order[:CHAIN_HEAD] else best[:1]  # a chain may pass by what fits best
        for entry in found.order:
            self.why[entry] = ("chain", None)
        return in_turn([*head, *found.order], order, first)

    def _strangers(self, entry: int) -> Stems:
        """Of whom an entry tells, as stems, where that is somebody else than the question asks about; else nothing."""
        known = self.strangers.get(entry)
        if known is None:
            known = self.strangers[entry] = self._told_of_strangers(self.store.texts[entry])
        return known

    def _told_of_strangers(self, text: str) -> Stems:
        told = told_of(text)
        if self.whom == told == "speaker" or any(name in text for name in self.names):
            return frozenset()
        if self.whom != "speaker":
            if not self.names:
                return frozenset()
            if told == "speaker":
                return _SPEAKER
        return frozenset(stem for name in people(text) for stem in stems(name))

    def _people(self, query: str) -> frozenset[str]:
        """The words with a capital in a question that entries use as somebody's name, and not of a place or a thing."""
        words, texts = self.store.words, self.store.texts
        of_others = tells_of_others(query)
        return frozenset(
            word
            for word in {*CAPITAL.findall(query), *people(query)}
            for stem in stems(word)[:1]
            if any(
                word in people(text) and (of_others or tells_of_others(text))
                for text in map(texts.__getitem__, words.holding(stem, NAMED))
            )
        )

    def _covers_more(self, asked: Stems, best: list[int], chain: Sequence[int]) -> bool:
        """Whether one of the best says more of what is asked than all that a chain begins with."""
        words = self.store.words
        together = words.share(asked, (stem for entry in chain[:HOPS] for stem in words.bags[entry]))
        return max(words.share(asked, words.bags[entry]) for entry in best) > together + CLEARER

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
        words = self.store.words
        held: list[int] = []
        for n, stem in enumerate(sorted(set(stems(name)), key=words.count)):
            held = np.intersect1d(held, words.postings.arrays(stem)[0]).tolist() if n else words.holding(stem)
        found = (entry for entry in held if name in self.store.texts[entry])
        return list(islice(found, 3))  # more than two is many

    # Dependencies

    def _with_dependencies(self, order: list[int], hanging: int) -> tuple[list[int], dict[int, int]]:
        """Beside what hangs on something that changed: the report and the rules between; what was voided comes last."""
        graph = self.store.graph
        bundles: dict[int, list[int]] = {}
        voided: dict[int, int] = {}
        last: dict[int, None] = {}
        over_time = OVER_TIME.search(self.query) is not None
        asked = frozenset(stems(self.query))
        for entry in order[: HANGING_OVER_TIME if over_time else hanging]:
            if bundle := self._bundle(entry):
                bundles[entry] = bundle
            for number in self._changed(entry):
                if graph.statements[number].kind != "rule":  # a rule is not void because it was set off
                    voided[entry] = graph.changed[number].report
        for entry in order[:TAKEN_BACK]:
            for number in graph.of_entry(entry):
                if (request := graph.voided_by.get(number)) is not None:
                    bundles.setdefault(entry, []).append(graph.entry_of[request])
                    voided[entry] = request
                    last[entry] = None
                    continue
                if not graph.alone(number):
                    continue  # one of several statements doesn't make all of them old
                versions = [graph.entry_of[each] for each in graph.versions(number)]
                if number in graph.replaced_by:
                    voided[entry] = graph.replaced_by[number]
                if over_time:
                    bundles.setdefault(entry, []).extend(versions if len(versions) > 1 else ())
                elif number in graph.replaced_by:
                    bundles.setdefault(entry, []).append(versions[-1])
                    if asked.isdisjoint(graph.given_up(number)):
                        last[entry] = None
        for entry, request in self._requests_beside(order):
            bundles.setdefault(entry, []).append(request)
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
        return [*head, *[entry for entry in order if entry not in result], *last], by_entry

    def _requests_beside(self, order: list[int]) -> Iterator[tuple[int, int]]:
        """Requests to forget that name too little to void anything, each with what it names most of."""
        graph, words = self.store.graph, self.store.words
        for request in order[:REQUESTS]:
            for number in graph.of_entry(request):
                asked = graph.statements[number]
                if asked.kind not in ("forget", "retraction") or graph.reaches(number):
                    continue
                named = {
                    entry: max(words.share(graph.statements[each].stems, asked.voids) for each in said)
                    for entry in order[:TAKEN_BACK]
                    if entry < request and (said := graph.of_entry(entry))
                }
                nearest = max(named, key=lambda entry: named[entry], default=-1)
                if nearest >= 0 and named[nearest] >= BESIDE:
                    yield nearest, request

    def _changed(self, entry: int) -> list[int]:
        graph = self.store.graph
        return [number for number in graph.of_entry(entry) if number in graph.changed]

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
        graph, rows = self.store.graph, self.store.rows
        pair = [row for row in (rows[rule], rows[number]) if row >= 0]
        like = float(np.prod(self.store.vectors.rows_at(pair), axis=0).sum()) if len(pair) == 2 else 0.0
        return float(self.base[graph.entry_of[rule]]) + graph.topic(rule, number) + like

    # Times

    def _in_time_first(self, order: list[int], asked_on: date) -> list[int]:
        """Where a question names a time, what was said or took place then comes before the rest."""
        span = time_range(self.query, asked_on)
        if span is None:
            return order
        inside = {entry for entry in order[:LOOKED_AT] if self._within(entry, span)}
        return in_turn([entry for entry in order if entry in inside], order, IN_TIME)

    def _within(self, entry: int, span: Span) -> bool:
        on = self.store.days[entry]
        if on is None:
            return True
        spans = [Span(on, on)]
        if self.store.stated[entry]:
            spans += [each.span for each in mentions(self.store.texts[entry], on)]
            spans += [Span(each, each) for each in self.store.graph.dates(entry)]
        return any(each.touches(span, SLACK) and each.days <= max(31, span.days) for each in spans)


def in_rounds(rankings: Sequence[Sequence[int]]) -> list[int]:
    """The best of each ranking, then the second of each, and so on.

    >>> in_rounds([[1, 2], [2, 3], [9, 1]])
    [1, 2, 9, 3]
    """
    rounds = zip_longest(*rankings)
    return list(dict.fromkeys(entry for each in rounds for entry in each if entry is not None))


def in_turn(first: Sequence[int], second: Sequence[int], head: int) -> list[int]:
    """The head of one ranking, then one by one from the two.

    >>> in_turn([1, 2, 3], [9, 8, 1], 1)
    [1, 2, 9, 3, 8]
    """
    order = dict.fromkeys(first[:head])
    for pair in zip_longest(first[head:], second):
        order.update(dict.fromkeys(entry for entry in pair if entry is not None))
    return list(order)
