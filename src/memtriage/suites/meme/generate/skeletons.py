"""Generated skeletons: a root, its change, what depends on it, and the six tasks.

>>> from memtriage.suites.meme.domains import graph_of
>>> skeleton = next(skeletons(graph_of("personal-life"), 1, seed=7))
>>> len(skeleton.sessions), {question.type for question in skeleton.questions} == set(TASKS)
(5, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.kit.draw import deck
from memtriage.suites.kit.templates import draw
from memtriage.suites.meme.generate.plan import EpisodePlan, Values, plan_episode
from memtriage.suites.meme.generate.statements import statement_sessions
from memtriage.suites.meme.graph import PHRASINGS, DomainGraph, Entity, Phrasing, frame
from memtriage.suites.meme.resolve import UNKNOWN, Resolved, resolve
from memtriage.suites.meme.skeleton import TASKS, Question, Skeleton

TRIES = 20


def skeletons(graph: DomainGraph, count: int, seed: int, phrasing: Phrasing = "explicit") -> Iterator[Skeleton]:
    """Episodes of one domain, the same for the same seed; the phrasing changes the wording only.

    Every root has its turn before one comes again. If an episode can't hold all six tasks, the next root is tried;
    after twenty tries the graph is refused.
    """
    if phrasing not in PHRASINGS:
        raise BadInput(unknown("phrasing", phrasing, PHRASINGS))
    if count < 0:
        raise BadInput(f"{count} episodes can't be made; ask for 0 or more")
    return _episodes(graph, count, seed, phrasing)


def _episodes(graph: DomainGraph, count: int, seed: int, phrasing: Phrasing) -> Iterator[Skeleton]:
    roots = deck(Random(f"meme:{graph.domain}:{seed}"), graph.roots)
    for number in range(count):
        id = f"{graph.domain}-{number:03d}"
        yield _episode(graph, id, roots, Random(f"meme:{id}:{seed}"), phrasing)


def _episode(graph: DomainGraph, id: str, roots: Iterator[str], rng: Random, phrasing: Phrasing) -> Skeleton:
    reason = "it has no root"
    for _, root in zip(range(TRIES), roots, strict=False):
        planned = plan_episode(graph, root, rng)
        if isinstance(planned, str):
            reason = f"with root {root!r}: {planned}"
            continue
        plan, values = planned
        return Skeleton(
            id=id,
            domain=graph.domain,
            root=root,
            change=(values[root][0], values[root][1]),
            links=plan.links,
            sessions=statement_sessions(graph, plan, values, rng, phrasing),
            questions=tuple(
                replace(question, text=draw(question.text, rng)) for question in _questions(graph, plan, values)
            ),
            entities=plan.entities(),
        )
    raise BadInput(
        f"episode {id!r} can't hold all six tasks after {TRIES} tries; {reason}. "
        f"Give the graph more entities that fit this task"
    )


def _questions(graph: DomainGraph, plan: EpisodePlan, values: Values) -> tuple[Question, ...]:
    after = resolve(
        [(link.source, link.target) for link in plan.links],
        {name: found[0] for name, found in values.items()},
        {(link.target, link.source): values[link.target][1] for link in plan.links if link.target in plan.ruled},
        {plan.root: values[plan.root][1]},
    )
    questions = [*_plain(graph, plan, values), *_dependent(graph, plan, values, after)]
    return tuple(sorted(questions, key=lambda question: TASKS.index(question.type)))


def _plain(graph: DomainGraph, plan: EpisodePlan, values: Values) -> Iterator[Question]:
    exact, tracked, deleted = (graph.entity(name) for name in (plan.exact, plan.tracked, plan.deleted))
    text = values[exact.name][0]
    yield Question("exact-recall", (exact.name,), exact.ask, text, (text,))
    history = values[tracked.name]
    yield Question("tracking", (tracked.name,), tracked.history, frame("history").join(history), history)
    value = values[deleted.name][0]
    removed = frame("removed").format(noun=deleted.noun, label=deleted.label)
    yield Question("deletion", (deleted.name,), deleted.ask, removed, (), before=value)
    three = [(graph.entity(name), values[name][0]) for name in plan.triple.entities]
    yield Question("aggregation", plan.triple.entities, plan.triple.ask, _listed(three), tuple(v for _, v in three))


def _listed(facts: Iterable[tuple[Entity, str]]) -> str:
    return "; ".join(f"{entity.noun}: {value}" for entity, value in facts)


def _dependent(graph: DomainGraph, plan: EpisodePlan, values: Values, after: dict[str, Resolved]) -> Iterator[Question]:
    links = {link.target: link for link in plan.links}
    for name in plan.asked:
        entity, link, now = graph.entity(name), links[name], after[name]
        before = values[name][0]
        if now is UNKNOWN:
            source, root = graph.entity(link.source), graph.entity(plan.root)
            # Only what is told, or follows from a rule, has changed; what no rule speaks of may have.
            changed = frame("changed").format(source=source.noun)
            if link.source != plan.root and after[link.source] is UNKNOWN:
                changed = frame("may_have_changed").format(root=root.noun, source=source.noun)
            gold = frame("uncertain").format(changed=changed, noun=entity.noun, label=entity.label)
            yield Question("absence", (name,), entity.ask, gold, (), before, link.hop, link.source)
        else:
            yield Question("cascade", (name,), entity.ask, now, (now,), before, link.hop, link.source)
