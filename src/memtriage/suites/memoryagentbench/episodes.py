"""From a context with its questions to an episode: sessions of chunks, then all questions."""

from __future__ import annotations

from memtriage.core.episode import Episode, Fact, Outdated, Probe
from memtriage.core.errors import BadInput
from memtriage.suites.memoryagentbench.chunks import ChunkedContext
from memtriage.suites.memoryagentbench.context import Context, Passage, Query
from memtriage.suites.memoryagentbench.kinds import LARGE, SPECS
from memtriage.suites.memoryagentbench.labelled_examples import dataset
from memtriage.text.sentences import sentences


def episode(context: Context, chunk: int | None = None) -> Episode:
    """The episode of a context, in chunks of so many tokens (by default as the paper has it for its kind).

    Where these are small, the episode also has the context in large ones, for systems that the paper feeds so.
    """
    where, usual = f"{context.source}, context {context.id}", SPECS[context.kind].chunk
    chunked = ChunkedContext(context.id, context.text, context.kind, chunk or usual, where)
    also_large = chunk is None and usual != LARGE
    large = ChunkedContext(context.id, context.text, context.kind, LARGE, where) if also_large else None
    asked = {id for query in context.queries for id in _asked(query)}
    facts = tuple(_fact(p, context, chunked, large) for p in context.passages if p.id in asked)
    return Episode(
        id=context.id,
        task=task_of(context),
        sessions=chunked.sessions,
        facts=facts,
        probes=tuple(probe(query, context, first=number == 0) for number, query in enumerate(context.queries)),
        coarse=large.sessions if large else (),
    )


def task_of(context: Context) -> str:
    """The full name of a context's task."""
    return f"memoryagentbench/{context.kind}"


def _asked(query: Query) -> set[str]:
    """The passages that a question needs or that are out of date for it."""
    old = {id for before, voided_by in query.outdated for id in (before, *voided_by)}
    return {id for needed in query.needed for id in needed} | old


def _fact(passage: Passage, context: Context, chunked: ChunkedContext, large: ChunkedContext | None) -> Fact:
    end = passage.start + len(passage.text)
    if context.text[passage.start : end] != passage.text:
        raise BadInput(f"{context.source}, context {context.id}: passage {passage.id} is not in its place")
    turns = [*chunked.turns(passage.start, end), *(large.turns(passage.start, end) if large else ())]
    return Fact(
        id=passage.id,
        text=passage.text,
        turns=tuple(turns),
        details=passage.details or tuple(sentences(passage.text)),
        split=len(sentences(passage.text)) > 1,
    )


def probe(query: Query, context: Context, first: bool) -> Probe:
    """A question; the first one of a context holds the titles that exist, for all of them."""
    spec = SPECS[context.kind]
    options = "".join(f"\n- {option}" for option in query.options)
    own = {"dataset": name} if (name := dataset(context.source)) else {}
    return Probe(
        id=query.id,
        text=query.text,
        gold=query.golds[0] if query.golds else "",
        sufficient=query.needed,
        scoring=query.scoring,
        choices=query.options or (context.titles if first else ()),
        cluster=query.id,
        tags={"competency": spec.competency, "source": context.source, **own, **context.tags, **query.tags},
        outdated=tuple(Outdated(old, voided_by) for old, voided_by in query.outdated),
        asked_at=query.asked_at,
        golds=query.golds,
        instruction=spec.instruction + (f"\nThe options:{options}" if options else ""),
        max_tokens=spec.max_tokens,
    )
