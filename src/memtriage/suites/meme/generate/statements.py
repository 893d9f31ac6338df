"""Which statement is made in which session: rules after the facts they are about, the change at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from memtriage.suites.meme.generate.plan import EpisodePlan, Values
from memtriage.suites.meme.graph import DomainGraph, Phrasing, rule_text
from memtriage.suites.meme.skeleton import Link, Statement, StatementKind

INTRODUCTIONS = 4
_EVERY = tuple(range(INTRODUCTIONS))
_VARIANTS = 60
"""A number that all numbers of templates divide, so that each is as likely as the others."""

Place = tuple[int, float]
"""A session and a moment in it, from 0 to 1."""


def statement_sessions(
    graph: DomainGraph, plan: EpisodePlan, values: Values, rng: Random, phrasing: Phrasing
) -> tuple[tuple[Statement, ...], ...]:
    """Five sessions of statements: four introduce facts, the last tells the change and the deletion."""
    schedule = _Schedule(rng)
    _schedule_chain(graph, plan, values, phrasing, schedule)
    for step, session in enumerate(sorted(rng.sample(_EVERY, len(values[plan.tracked]))), start=1):
        schedule.add(_history(graph, plan, values, step), (session,))
    for name, session in zip(plan.triple.entities, rng.sample(_EVERY, len(plan.triple.entities)), strict=True):
        schedule.add(_fact(graph, values, name), (session,))
    schedule.add(_fact(graph, values, plan.exact, "exact"), _EVERY)
    for name in (plan.deleted, *plan.bystanders):
        schedule.add(_fact(graph, values, name), _EVERY)
    for name in plan.fillers:
        schedule.add(_fact(graph, values, name, "filler"), _EVERY)
    return (*schedule.sessions(), tuple(_ending(graph, plan, values, rng.randrange(_VARIANTS))))


@dataclass(slots=True)
class _Schedule:
    """Statements at their places, the sessions filled evenly."""

    rng: Random
    placed: list[tuple[Place, Statement]] = field(default_factory=list)

    def add(self, statement: Statement, sessions: tuple[int, ...], after: Place = (0, 0.0)) -> Place:
        """Put a statement into the emptiest of these sessions, later than `after`."""
        load = [sum(place[0] == session for place, _ in self.placed) for session in _EVERY]
        allowed = [session for session in sessions if session >= after[0]]
        session = min(allowed, key=lambda s: (load[s], self.rng.random()))
        earliest = after[1] if session == after[0] else 0.0
        place = (session, earliest + (1 - earliest) * self.rng.uniform(0.01, 1))
        self.placed.append((place, statement))
        return place

    def sessions(self) -> Iterator[tuple[Statement, ...]]:
        """The introductions in order, each in the order of its moments."""
        ordered = sorted(self.placed, key=lambda entry: entry[0])
        return (tuple(statement for place, statement in ordered if place[0] == session) for session in _EVERY)


def _schedule_chain(
    graph: DomainGraph, plan: EpisodePlan, values: Values, phrasing: Phrasing, schedule: _Schedule
) -> None:
    """The root, what depends on it, and the rules: nothing is said before what it refers to."""
    places = {plan.root: schedule.add(_fact(graph, values, plan.root), _EVERY[:1])}
    for link in plan.links:
        fact = _dependency(graph, values, link, phrasing)
        places[link.target] = schedule.add(fact, _EVERY[:-1], places[link.source])
    for link in plan.links:
        if link.target in plan.ruled:
            rule = _rule(graph, values, link, phrasing, schedule.rng.randrange(_VARIANTS))
            schedule.add(rule, _EVERY[1:], places[link.target])


def _fact(graph: DomainGraph, values: Values, name: str, kind: StatementKind = "fact") -> Statement:
    value = values[name][0]
    return Statement(name, value, kind, graph.entity(name).statement(value))


def _history(graph: DomainGraph, plan: EpisodePlan, values: Values, step: int) -> Statement:
    entity, value = graph.entity(plan.tracked), values[plan.tracked][step - 1]
    if step == 1:
        return Statement(entity.name, value, "fact", entity.statement(value), step=1)
    return Statement(entity.name, value, "update", entity.update(value, step), step=step)


def _dependency(graph: DomainGraph, values: Values, link: Link, phrasing: Phrasing) -> Statement:
    entity, source = graph.entity(link.target), graph.entity(link.source)
    value, held = values[link.target][0], values[link.source][0]
    text = graph.pattern(link.source, link.target).bind(entity.clause(value), source, held, phrasing)
    return Statement(entity.name, value, "dependency", text, source=source.name)


def _rule(graph: DomainGraph, values: Values, link: Link, phrasing: Phrasing, variant: int) -> Statement:
    entity, source = graph.entity(link.target), graph.entity(link.source)
    value = values[link.target][1]
    text = rule_text(entity, value, source, values[link.source][0], phrasing, variant)
    return Statement(entity.name, value, "rule", text, source=source.name)


def _ending(graph: DomainGraph, plan: EpisodePlan, values: Values, variant: int) -> Iterator[Statement]:
    old, new = values[plan.root]
    yield Statement(plan.root, new, "change", graph.entity(plan.root).change_event(old, new))
    value = values[plan.deleted][0]
    yield Statement(plan.deleted, value, "delete", graph.entity(plan.deleted).deletion_request(value, variant))
