"""Numbered facts as contexts with questions: which facts each question needs, and which of them are out of date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memtriage.suites.memoryagentbench.context import Context, Passage, Query
from memtriage.suites.memoryagentbench.fact_questions import derive
from memtriage.suites.memoryagentbench.kinds import Kind
from memtriage.suites.memoryagentbench.numbered_facts import Chain, World, read


def query(id: str, text: str, golds: tuple[str, ...], chain: Chain, world: World) -> Query:
    """A question that a chain of facts answers: the newest fact of every hop is needed; what it replaced, outdated."""
    outdated = tuple((old.id, (fact.id,)) for fact in chain.facts for old in world.outdated(fact))
    needed = tuple(dict.fromkeys(fact.id for fact in chain.facts))
    tags = {"hop": str(len(chain.facts)), "changed": str(sum(bool(world.outdated(f)) for f in chain.facts))}
    return Query(id, text, golds, "contains", (needed,), outdated, tags=tags)


def fact_context(
    id: str, kind: Kind, source: str, text: str, world: World, queries: Sequence[Query], tags: Mapping[str, str]
) -> Context:
    """A context of numbered facts; a passage is the line of a fact, its number included."""
    named = {id for q in queries for ids in (*q.needed, *((o, *v) for o, v in q.outdated)) for id in ids}
    passages = tuple(
        Passage(fact.id, fact.line, fact.start, (fact.subject, fact.object))
        for fact in world.stated
        if fact.id in named
    )
    return Context(id, kind, source, text, passages, tuple(queries), tags)


def released_context(
    id: str,
    kind: Kind,
    source: str,
    text: str,
    asked: Iterable[tuple[str, str, tuple[str, ...]]],
    tags: Mapping[str, str],
) -> Context:
    """A released context with its questions (id, words, gold answers): which facts each needs is worked out.

    A question whose gold answer doesn't follow from the facts is tagged `gold=disputed`; one whose facts can't be found
    needs nothing that a store could be examined for.
    """
    world = read(text, f"{source}, context {id}")
    return fact_context(id, kind, source, text, world, [_released_query(world, *each) for each in asked], tags)


def _released_query(world: World, id: str, words: str, golds: tuple[str, ...]) -> Query:
    chains = derive(world, words)
    right = [chain for chain in chains if chain.answer in golds]
    if not chains:
        return Query(id, words, golds, "contains", tags={"gold": "underivable"})
    found = query(id, words, golds, (right or chains)[0], world)
    return found if right else replace(found, tags={**found.tags, "gold": "disputed"})
