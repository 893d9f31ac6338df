"""A knowledge graph, its communities and reports on them, searched near a question or as a whole: GraphRAG."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from typing import Any, TypeVar

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.designs.chat.chat_memory import one_of
from memtriage.systems.designs.design import Design, distinct
from memtriage.systems.designs.graphrag.communities import Community, communities, need_networkx
from memtriage.systems.designs.graphrag.knowledge import (
    Draft,
    Entity,
    KnowledgeGraph,
    Relation,
    StatedEntity,
    StatedRelation,
    TextUnit,
)
from memtriage.systems.designs.graphrag.prompts import (
    RULES,
    descriptions_of,
    graph_of,
    points_in,
    questions_after,
    report_on,
)
from memtriage.systems.designs.graphrag.reports import Account, Finding, Material, Report, batches, digest, material
from memtriage.systems.designs.replies import line, lines, number, numbers, records
from memtriage.systems.designs.rules import extraction
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import cut, whole
from memtriage.systems.retrieval.vector_store import VectorStore
from memtriage.text.tokens import count_all, count_tokens

SEARCHES = ("local", "global", "drift")
SHARES: Mapping[str, float] = {"units": 0.5, "relations": 0.2, "entities": 0.15, "reports": 0.15}
"""Of what local search brings, how much is of which kind, as in GraphRAG's own context."""

_SAYS: Mapping[str, frozenset[str]] = {
    "model": frozenset(SHARES),
    "rules": frozenset(SHARES) - {"entities"},  # by rule, an entity says nothing that its relations don't
    "verbatim": frozenset({"units"}),
}
_STRENGTH, _RATING = 10, 100
_WORDS_PER_TOKEN = 0.75
_FINDINGS, _TITLE = 10, 3
_PRIMER = 5
_SHOWN, _SHOWN_LETTERS = 5, 1_000
"""How many memories of each follow-up question the model sees before it asks the next, and how much of each."""

T = TypeVar("T")


class GraphRAG(Design):
    """Keeps a graph of what was told, sums up its communities, and searches near a question or through all reports.

    Summarise: the internal model reads each text unit (`granularity`) and lists entities and relations with
    descriptions. What is said of the same entity or pair is put together, and rewritten when it is longer than
    `describe` tokens.
    Store: a graph whose communities are found by Louvain's method, again within those larger than `size`. Each has a
    report by the model: title, summary, findings. Communities and reports are made in `settle`, or else before the
    first question after something was stored; a report is only written again where what it rests on has changed.
    Retrieve: `search=local` takes the `seeds` entities nearest to the question and brings text units, relations,
    descriptions and reports of these, mixed within k; where they run out, of the next ones. `search=global` has the
    model go through all reports of a `level` in batches and brings the k points that it rates highest.
    `search=drift` shows it the nearest reports and brings in turn what local search finds for the questions that it
    then asks, for `depth` rounds.

    With `summarise=rules`, subject and object of each sentence, and the names in it, are the entities and the sentence
    their description; a report is made of the sentences nearest to their centre. Global search then rates these
    sentences by cosine, and drift follows up the first finding of each of the nearest reports. With
    `summarise=verbatim` only text units are kept, found by the names in them; there are no reports.
    """

    name = "graphrag"
    rules = RULES
    asks = tuple(RULES)
    traits = Traits(
        family="structure-rag",
        architecture="summarise: entities and relations with descriptions by a model (or by rule), and the text; "
        "store: graph, its communities in several levels, a report on each; "
        "retrieve: what is around the entities nearest to the question, or points from all reports, or both in turn",
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        granularity: str | int = "session",
        search: str = "local",
        kinds: str = "units+relations+entities+reports",
        seeds: int = 10,
        level: int = 2,
        size: int = 10,
        describe: int = 300,
        followups: int = 3,
        depth: int = 2,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, repeat, prompts)
        need_networkx(self.name)
        self.search = one_of("search", search, SEARCHES)
        says = _SAYS[self.summarise]
        self.kinds = says & {one_of("kind", kind, tuple(SHARES)) for kind in str(kinds).split("+")}
        if not self.kinds:
            raise BadInput(f"with summarise={self.summarise} there are no {kinds}; there are {'+'.join(sorted(says))}")
        if self.summarise == "verbatim" and self.search != "local":
            raise BadInput(
                f"search={self.search} goes by reports, and summarise=verbatim writes none; say search=local"
            )
        self.seeds, self.level = whole("seeds", seeds), whole("level", level, least=0)
        self.size, self.describe = whole("size", size, least=2), whole("describe", describe)
        self.followups, self.depth = whole("followups", followups), whole("depth", depth)
        self.reporting = "reports" in self.kinds or self.search != "local"
        self.traits = replace(self.traits, ranks_all=self.search == "local")
        self._vectors = {kind: VectorStore(self.embedder) for kind in SHARES}
        self.reset()

    def reset(self) -> None:
        for store in self._vectors.values():
            store.clear()
        self.graph = KnowledgeGraph()
        self.reports: dict[str, Report] = {}
        self._report_of: dict[str, str] = {}  # entity -> the report on its community at the level that is searched
        self._written: dict[str, Account] = {}  # by key; also those of a rebuild that failed
        self._stale = False

    def store_conversation(self, conversation: Session) -> None:
        draft = Draft(self.graph)
        for unit, passages in self._text_units(conversation):
            draft.add(unit, *self._read(unit, passages))
        self._shorten(draft)
        vectors = self._embedded(draft)
        # Nothing from here on can fail, so that a session is stored as a whole.
        self.graph.put(draft)
        for kind, (ids, rows) in vectors.items():
            self._vectors[kind].put(ids, rows)
        self._stale = self._stale or bool(draft.entities)

    def settle(self) -> None:
        """Find the communities and write the reports that are missing, if something was stored since the last time."""
        if self._stale and self.reporting:
            self._rebuild()
        self._stale = False

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        most = whole("k", k)
        self.settle()
        search = {"local": self._local, "global": self._points, "drift": self._drift}[self.search]
        return list(islice(search(query, conversation.timestamp), most))

    def get_all_memories(self) -> list[Memory]:
        units = list(self._memories("units"))
        others = (memory for kind in SHARES if kind != "units" for memory in self._memories(kind))
        return [*units, *_once(others, {memory.text for memory in units})]

    # Summarise

    def _text_units(self, session: Session) -> Iterator[tuple[TextUnit, tuple[Turn, ...]]]:
        """The text units of a session, each with the passages in which the model is shown it."""
        turns, before = spoken(session), len(self.graph.units)
        roles = {turn.id: turn.role for turn in turns}
        for n, piece in enumerate(cut(session, self.granularity), before + 1):
            unit = TextUnit(f"u{n}", piece.text, session.timestamp, piece.sources)
            as_one = Turn(roles[piece.sources[0]], piece.text, piece.id)
            yield unit, turns if self.granularity.kind == "session" else (as_one,)

    def _read(self, unit: TextUnit, passages: Sequence[Turn]) -> tuple[list[StatedEntity], list[StatedRelation]]:
        if self.summarise == "verbatim":
            names = extraction.names(unit.text) or (extraction.SPEAKER,)
            return [StatedEntity(name, "", "", unit.sources) for name in names], []
        if self.summarise == "rules":
            return _read_by_rule(unit, passages)
        reply = self._ask(graph_of(passages, unit.created_at))

        def sources(record: Mapping[str, Any]) -> tuple[str, ...]:
            named = numbers(record, "passages", len(passages))
            return _sources(unit, passages, [passages[n - 1].id for n in named])

        entities = [
            StatedEntity(name, line(each, "type"), line(each, "description"), sources(each))
            for each in records(reply, "entities")
            if (name := line(each, "name"))
        ]
        relations = [
            StatedRelation(*ends, line(each, "description"), number(each, "strength", _STRENGTH) or 1, sources(each))
            for each in records(reply, "relations")
            if all(ends := (line(each, "source"), line(each, "target")))
        ]
        return entities, relations

    def _shorten(self, draft: Draft) -> None:
        """Put one description in the place of many, where these have become too long."""
        changed: list[Entity | Relation] = [*draft.entities.values(), *draft.relations.values()]
        long = [each for each in changed if len(each.descriptions) > 1 and count_all(each.descriptions) > self.describe]
        if self.summarise == "rules":
            for each in long:
                draft.describe(each, self._central(each.descriptions))
            return
        for batch in batches(long, lambda each: count_all(each.descriptions)):
            items = [(draft.name_of(each), each.descriptions) for each in batch]
            reply = self._ask(descriptions_of(items, int(self.describe * _WORDS_PER_TOKEN)))
            for record in records(reply, "descriptions"):
                n, text = number(record, "number", len(batch)), line(record, "text")
                if n is not None and text:
                    draft.describe(batch[n - 1], (text,))

    def _central(self, sentences: Sequence[str]) -> tuple[str, ...]:
        """The sentences nearest to their common centre, as many as a description may hold, in the order said."""
        kept: list[int] = []
        left = self.describe
        for n in self._by_centrality(sentences):
            left -= count_tokens(sentences[n])
            if kept and left < 0:
                break
            kept.append(n)
        return tuple(sentences[n] for n in sorted(kept))

    def _by_centrality(self, sentences: Sequence[str]) -> list[int]:
        vectors = self._vectors["units"].embed(sentences)
        near = (vectors @ vectors.mean(axis=0)).tolist() if len(sentences) else []
        return sorted(range(len(sentences)), key=lambda n: -near[n])

    # Store

    def _embedded(self, told: Draft | KnowledgeGraph) -> dict[str, tuple[list[str], Vectors]]:
        """Ids and vectors of text units, entities and relations."""
        texts = {
            "units": {id: unit.text for id, unit in told.units.items()},
            "entities": {id: entity.text or entity.name for id, entity in told.entities.items()},
            "relations": {id: relation.text for id, relation in told.relations.items()},
        }
        return {kind: (list(held), self._vectors[kind].embed(list(held.values()))) for kind, held in texts.items()}

    def _rebuild(self) -> None:
        """Find the communities anew, and write a report on each that has changed, from the smallest up."""
        edges = {relation.ends: relation.weight for relation in self.graph.relations.values()}
        reports: list[Report] = []
        inside: dict[int, list[Report]] = {}  # by level, those that wait for the report on what they are part of
        for community in reversed(communities(edges, self.size)):
            parts = inside.pop(community.level + 1, [])
            if relations := self.graph.inside(community.members):
                reports.append(self._report(community, relations, parts))
                inside.setdefault(community.level, []).append(reports[-1])
        reports.reverse()
        self._keep(reports, self._vectors["reports"].embed([report.text for report in reports]))

    def _keep(self, reports: Sequence[Report], vectors: Vectors) -> None:
        self._vectors["reports"].clear()
        self._vectors["reports"].put([report.id for report in reports], vectors)
        self.reports = {report.id: report for report in reports}
        self._written = {report.key: report.account for report in reports}
        self._report_of = {member: report.id for report in self._at_level() for member in report.members}

    def _report(self, community: Community, relations: Sequence[Relation], parts: Sequence[Report]) -> Report:
        """The report on a community, as it was written before if it would be written from the same."""
        found = material(self.graph, community, relations, parts)
        account = self._written.get(found.key) or self._write(found)
        self._written[found.key] = account
        cited = distinct(*(finding.sources for finding in account.findings))
        return Report(
            id=f"c{community.level}-{digest(*community.members)}",
            key=found.key,
            level=community.level,
            leaf=community.leaf,
            members=community.members,
            account=account,
            created_at=self.graph.newest(distinct(*(relation.units for relation in relations))),
            sources=cited or distinct(*(relation.sources for relation in relations)),
        )

    def _write(self, found: Material) -> Account:
        reply = self._ask(report_on(found.shown)) if self.summarise == "model" else {}
        findings = tuple(
            Finding(text, distinct(*(found.relations[n - 1].sources for n in cited)))
            for each in records(reply, "findings")
            if (text := line(each, "text"))
            for cited in [numbers(each, "relations", len(found.relations))]
        )[:_FINDINGS]
        title, summary = line(reply, "title") or self._main_names(found.relations), line(reply, "summary")
        if not (summary or findings):  # there is no model, or its reply was of no use
            findings = self._central_findings(found.relations)
        return Account(title, summary, findings)

    def _central_findings(self, relations: Sequence[Relation]) -> tuple[Finding, ...]:
        """The sentences nearest to the centre of all that is said in a community, the nearest first."""
        said = {text: relation.sources for relation in relations for text in relation.descriptions}
        texts = list(said)
        return tuple(Finding(texts[n], tuple(said[texts[n]])) for n in self._by_centrality(texts)[:_FINDINGS])

    def _main_names(self, relations: Sequence[Relation]) -> str:
        """The names that most relations of a community have to do with."""
        often = Counter(end for relation in relations for end in relation.ends)
        return ", ".join(self.graph.entities[id].name for id, _ in often.most_common(_TITLE))

    # Retrieve

    def _at_level(self) -> list[Report]:
        """The reports that together cover the graph at the level that is searched."""
        every = self.reports.values()
        return [each for each in every if each.level == self.level or (each.leaf and each.level < self.level)]

    def _local(self, query: str, asked_at: str | None = None) -> Iterator[Memory]:
        """What is around the entities nearest to a question: kinds mixed by their shares, nothing twice."""
        vector = self._vectors["units"].embed_query(query)
        places = {
            kind: {id: place for place, (id, _) in enumerate(store.ranked(vector))}
            for kind, store in self._vectors.items()
        }
        nearest = list(places["entities"])
        groups = [nearest[n : n + self.seeds] for n in range(0, len(nearest), self.seeds)]
        around = {
            "units": self._units_around(groups, places["units"]),
            "relations": self._relations_around(groups, places["relations"]),
            "entities": nearest,
            "reports": self._reports_around(groups, places["reports"]),
        }
        said: set[str] = set()
        kept = (kind for kind in SHARES if kind in self.kinds)
        return interleaved([(SHARES[kind], _once(self._memories(kind, around[kind]), said)) for kind in kept])

    def _units_around(self, groups: Iterable[Sequence[str]], places: Mapping[str, int]) -> Iterator[str]:
        """Text units by how many of the seeds they speak of; among equals, the nearest to the question first."""
        seen: set[str] = set()
        for seeds in groups:
            often = Counter(unit for id in seeds for unit in self.graph.entities[id].units if unit not in seen)
            yield from sorted(often, key=lambda unit: (-often[unit], places[unit]))
            seen.update(often)

    def _relations_around(self, groups: Iterable[Sequence[str]], places: Mapping[str, int]) -> Iterator[str]:
        """Relations between seeds, then those of one seed; within both, the nearest to the question first."""
        seen: set[str] = set()
        for seeds in groups:
            found = {id for entity in seeds for id in self.graph.at.get(entity, ())} - seen
            between = {id for id in found if set(seeds).issuperset(self.graph.relations[id].ends)}
            yield from sorted(found, key=lambda id: (id not in between, places[id]))
            seen |= found

    def _reports_around(self, groups: Iterable[Sequence[str]], places: Mapping[str, int]) -> Iterator[str]:
        """Reports by how many of the seeds they are on; among equals, the nearest to the question first."""
        seen: set[str] = set()
        for seeds in groups:
            on = (self._report_of[id] for id in seeds if id in self._report_of)
            often = Counter(id for id in on if id not in seen)
            yield from sorted(often, key=lambda id: (-often[id], places[id]))
            seen.update(often)

    def _points(self, query: str, asked_at: str | None) -> Iterator[Memory]:
        """What all reports have to say on a question, the most useful first."""
        if self.summarise != "model":
            return self._findings_by_cosine(query)
        reports = self._at_level()
        random.Random(0).shuffle(reports)  # so that no batch is on one part of the graph alone
        points: list[Memory] = []
        for batch in batches(reports, lambda report: count_tokens(report.text)):
            reply = self._ask(points_in(query, asked_at, [report.text for report in batch]))
            for record in records(reply, "points"):
                text, rating = line(record, "text"), number(record, "rating", _RATING)
                cited = [batch[n - 1] for n in numbers(record, "reports", len(batch))] or batch
                if text and rating:
                    sources = distinct(*(report.sources for report in cited))
                    points.append(Memory(f"p-{digest(text)}", text, self._newest(cited), sources, float(rating)))
        return _once(sorted(points, key=lambda point: -(point.score or 0)), set())

    def _newest(self, reports: Iterable[Report]) -> str | None:
        members = distinct(*(report.members for report in reports))
        return self.graph.newest(distinct(*(self.graph.entities[id].units for id in members)))

    def _findings_by_cosine(self, query: str) -> Iterator[Memory]:
        found = {each.text: (each, report) for report in self._at_level() for each in report.account.findings}
        store = self._vectors["reports"]
        cosines = (store.embed(list(found)) @ store.embed_query(query)).tolist()
        ranked = sorted(zip(cosines, found.values(), strict=True), key=lambda pair: -pair[0])
        for cosine, (each, report) in ranked:
            yield Memory(f"p-{digest(each.text)}", each.text, report.created_at, each.sources, cosine)

    def _drift(self, query: str, asked_at: str | None) -> Iterator[Memory]:
        """The nearest reports, and in turn what local search finds for each question that follows from them."""
        store, level = self._vectors["reports"], {report.id for report in self._at_level()}
        ranked = (id for id, _ in store.ranked(store.embed_query(query)) if id in level)
        nearest = list(islice(ranked, _PRIMER))
        questions = self._followed_up(query, asked_at, [self.reports[id] for id in nearest])
        found = [self._memories("reports", nearest), *(self._local(question) for question in questions or [query])]
        said: set[str] = set()
        return interleaved([(1.0, _once(memories, said)) for memories in found])

    def _followed_up(self, query: str, asked_at: str | None, reports: Sequence[Report]) -> list[str]:
        """The questions to look up: what the model asks, round by round, as it sees what the last ones brought."""
        if self.summarise != "model":
            return [
                f"{query} {report.account.findings[0].text}"
                for report in reports[: self.followups]
                if report.account.findings
            ]
        questions: list[str] = []
        found: list[str] = []
        for _ in range(self.depth):
            shown = [report.text for report in reports]
            ask = questions_after(query, asked_at, shown, questions, found, self.followups)
            new = [each for each in lines(self._ask(ask), "questions", self.followups) if each not in questions]
            if not new:
                break
            questions += new
            found += [memory.text[:_SHOWN_LETTERS] for each in new for memory in islice(self._local(each), _SHOWN)]
        return questions

    def _memories(self, kind: str, ids: Iterable[str] | None = None) -> Iterator[Memory]:
        """Memories of a kind: all, or these; what says nothing is none."""
        held: Mapping[str, Any] = self.reports if kind == "reports" else getattr(self.graph, kind)
        for id in (held if ids is None else ids) if kind in self.kinds else ():
            if (each := held[id]).text:
                when = self.graph.newest(each.units) if kind in ("entities", "relations") else each.created_at
                yield Memory(each.id, each.text, when, tuple(each.sources))

    # Disk

    def _settings(self) -> dict[str, str | int | float]:
        own = {"size": self.size, "describe": self.describe, "reports": self.reporting}
        return {**super()._settings(), **own}

    def _state(self) -> dict[str, Any]:
        reports = [asdict(report) for report in self.reports.values()]
        return {**self.graph.state(), "reports": reports, "stale": self._stale}

    def _restore(self, state: Mapping[str, Any]) -> None:
        graph, reports = KnowledgeGraph.restored(state), [Report.restored(record) for record in state["reports"]]
        if not all(graph.entities.keys() >= set(report.members) for report in reports):
            raise ValueError("a report is on entities that are not there")
        if not isinstance(state["stale"], bool):
            raise ValueError("it is not said whether the reports are up to date")
        vectors = self._embedded(graph)
        report_vectors = self._vectors["reports"].embed([report.text for report in reports])
        self.reset()
        self.graph, self._stale = graph, state["stale"]
        for kind, (ids, rows) in vectors.items():
            self._vectors[kind].put(ids, rows)
        self._keep(reports, report_vectors)


def interleaved(lanes: Sequence[tuple[float, Iterable[T]]]) -> Iterator[T]:
    """The items of several lists in turn, each as often as its share asks for; where one ends, the others go on.

    >>> "".join(interleaved([(2, "aaaa"), (1, "b"), (1, "cc")]))
    'abcaaca'
    """
    whole = sum(share for share, _ in lanes)
    shares = [share / whole for share, _ in lanes]
    left = {n: iter(items) for n, (_, items) in enumerate(lanes)}
    given = [0] * len(lanes)
    while left:
        most = sum(given) + 1
        n = max(left, key=lambda n: shares[n] * most - given[n])
        try:
            yield next(left[n])
        except StopIteration:
            del left[n]
        else:
            given[n] += 1


def _read_by_rule(unit: TextUnit, passages: Sequence[Turn]) -> tuple[list[StatedEntity], list[StatedRelation]]:
    """What each sentence is about, by patterns; the sentence itself describes it."""
    entities, relations = [], []
    for sentence in extraction.named_sentences(Session("", tuple(passages))):
        found = extraction.triple(sentence.text, sentence.names)
        others = [name for name in distinct([found.object], sentence.names) if name != found.subject]
        sources = _sources(unit, passages, [sentence.turn])
        entities += [StatedEntity(name, "", sentence.text, sources) for name in (found.subject, *others)]
        relations += [StatedRelation(found.subject, name, sentence.text, 1, sources) for name in others]
    return entities, relations


def _sources(unit: TextUnit, passages: Sequence[Turn], named: Sequence[str]) -> tuple[str, ...]:
    """The turns that something comes from: the passages named, if these are turns, or else all of the unit."""
    return distinct(named) if named and len(passages) > 1 else unit.sources


def _once(memories: Iterable[Memory], said: set[str]) -> Iterator[Memory]:
    """Memories without those whose words came before."""
    for memory in memories:
        if memory.text not in said:
            said.add(memory.text)
            yield memory
