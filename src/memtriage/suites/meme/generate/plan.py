"""Which entity has which part in an episode, and with which values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random

from memtriage.suites.meme.graph import Constraint, DomainGraph, Entity, Triple
from memtriage.suites.meme.skeleton import Link

FILLERS = 5
HISTORY = 3
# Dependants further down than this are left out of the episode: nothing is told about them and nothing asked.
DEEPEST = 2

Values = Mapping[str, tuple[str, ...]]
"""What each entity is in the course of the episode: one value, the old and the new one, or a history."""


@dataclass(frozen=True, slots=True)
class EpisodePlan:
    """Each entity's part: `asked` are the dependants with a question, `ruled` those whose next value is declared."""

    root: str
    links: tuple[Link, ...]
    asked: tuple[str, ...]
    ruled: frozenset[str]
    exact: str
    tracked: str
    deleted: str
    triple: Triple
    bystanders: tuple[str, ...]
    fillers: tuple[str, ...]

    def entities(self) -> tuple[str, ...]:
        """Every entity of the episode."""
        chain = (self.root, *(link.target for link in self.links), *self.bystanders)
        return (*chain, self.exact, self.tracked, self.deleted, *self.triple.entities, *self.fillers)

    def steps(self, name: str) -> int:
        """How many values an entity has in the course of the episode."""
        if name == self.tracked:
            return HISTORY
        return 2 if name == self.root or name in self.ruled else 1

    def may_be_null(self, name: str) -> bool:
        """Whether an entity may have a null value: only where no task is about it."""
        return name in self.bystanders or name in self.fillers


@dataclass(frozen=True, slots=True)
class _Targets:
    """The dependants of one root that are asked about, each with what it depends on."""

    cascades: tuple[tuple[str, str], ...]
    absences: tuple[tuple[str, str], ...]
    middles: tuple[str, ...]


def plan_episode(graph: DomainGraph, root: str, rng: Random) -> tuple[EpisodePlan, Values] | str:
    """The parts and values of an episode about this root's change, or why there is none."""
    plan = _plan(graph, root, rng)
    if isinstance(plan, str):
        return plan
    values = _draw_all(graph, plan, rng)
    return "the values of its pools don't go together" if values is None else (plan, values)


def _plan(graph: DomainGraph, root: str, rng: Random) -> EpisodePlan | str:
    hops = graph.hops(root)
    targets = _choose_targets(graph, hops, root, rng)
    if not targets.cascades:
        return _missing("cascade")
    if not targets.absences:
        return _missing("absence")
    free = {entity.name: entity for entity in graph.entities if entity.name != root and entity.name not in hops}
    exact = _choose((e.name for e in free.values() if e.exact), rng)
    tracked = _choose((e.name for e in free.values() if e.history and e.name != exact), rng)
    if exact is None or tracked is None:
        return _missing("exact-recall" if exact is None else "tracking")
    fitting = [t for t in graph.triples if all(name in free and name not in (exact, tracked) for name in t.entities)]
    if not fitting:
        return _missing("aggregation")
    triple = rng.choice(fitting)
    used = {exact, tracked, *triple.entities}
    orphans = (e.name for e in free.values() if e.deletable and graph.role(e.name) == "orphan" and e.name not in used)
    deleted = _choose(orphans, rng)
    if deleted is None:
        return _missing("deletion")
    used.add(deleted)
    left = [e.name for e in free.values() if e.name not in used and not e.exact]
    links = _links(graph, root, hops, targets)
    linked = {link.target for link in links}
    return EpisodePlan(
        root=root,
        links=links,
        asked=tuple(name for name, _ in (*targets.cascades, *targets.absences)),
        ruled=frozenset(name for name, _ in targets.cascades) | frozenset(targets.middles),
        exact=exact,
        tracked=tracked,
        deleted=deleted,
        triple=triple,
        bystanders=tuple(name for name, hop in hops.items() if hop <= DEEPEST and name not in linked),
        fillers=tuple(rng.sample(left, min(FILLERS, len(left)))),
    )


def _missing(task: str) -> str:
    return f"no entity is left for the task {task!r}"


def _choose(names: Iterable[str], rng: Random) -> str | None:
    found = list(names)
    return rng.choice(found) if found else None


def _choose_targets(graph: DomainGraph, hops: Mapping[str, int], root: str, rng: Random) -> _Targets:
    """Per hop one dependant that gets a rule and one that doesn't, as far as the root has them."""
    near = [name for name, hop in hops.items() if hop == 1]
    far = [name for name, hop in hops.items() if hop == DEEPEST]
    chains = [
        (name, rng.choice([parent for parent in graph.parents(name) if hops.get(parent) == 1]))
        for name in rng.sample(far, min(2, len(far)))
    ]
    # The middle of a chain that resolves must resolve itself, so that it can't be the one without a rule.
    middles = tuple(middle for _, middle in chains[:1])
    absent = _choose((name for name in near if name not in middles and len(near) > 1), rng)
    following = _choose((name for name in near if name != absent), rng)
    return _Targets(
        cascades=(*(((following, root),) if following else ()), *chains[:1]),
        absences=(*(((absent, root),) if absent else ()), *chains[1:]),
        middles=middles,
    )


def _links(graph: DomainGraph, root: str, hops: Mapping[str, int], targets: _Targets) -> tuple[Link, ...]:
    pairs = [*targets.cascades, *targets.absences]
    middles = {source for _, source in pairs if source != root}
    ways = dict.fromkeys((*((root, middle) for middle in sorted(middles)), *((source, name) for name, source in pairs)))
    links = [
        Link(source, name, hops[name], graph.pattern(source, name).name, middle=name in middles)
        for source, name in ways
    ]
    return tuple(sorted(links, key=lambda link: link.hop))


def _draw_all(graph: DomainGraph, plan: EpisodePlan, rng: Random) -> Values | None:
    """Distinct values for all entities, with those drawn again that break a constraint."""
    values: dict[str, tuple[str, ...]] = {}
    banned: dict[str, set[str]] = {}
    for name in plan.entities():
        drawn = _draw(graph.entity(name), plan, values, banned, rng)
        if drawn is None:
            return None
        values[name] = drawn
    while (broken := _broken(graph.constraints, values)) is not None:
        if not _mend(graph, plan, broken, values, banned, rng):
            return None
    return values


def _draw(
    entity: Entity, plan: EpisodePlan, values: Values, banned: Mapping[str, set[str]], rng: Random
) -> tuple[str, ...] | None:
    used = {value.casefold() for name, found in values.items() if name != entity.name for value in found}
    pool = [
        value
        for value in (entity.values if plan.may_be_null(entity.name) else entity.usable)
        if value.casefold() not in used and value not in banned.get(entity.name, ())
    ]
    wanted = plan.steps(entity.name)
    if len(pool) < wanted:
        return None
    drawn = rng.sample(pool, wanted)
    return tuple(sorted(drawn, key=pool.index) if entity.ascending else drawn)


def _broken(constraints: Iterable[Constraint], values: Values) -> Constraint | None:
    for rule in constraints:
        first, second = values.get(rule.first, ()), values.get(rule.second, ())
        if not rule.first_values.isdisjoint(first) and not rule.second_values.isdisjoint(second):
            return rule
    return None


def _mend(
    graph: DomainGraph,
    plan: EpisodePlan,
    broken: Constraint,
    values: dict[str, tuple[str, ...]],
    banned: dict[str, set[str]],
    rng: Random,
) -> bool:
    """Draw one of the two again without the values that clash; bans stay, so that this comes to an end."""
    for name, clashing in ((broken.second, broken.second_values), (broken.first, broken.first_values)):
        drawn = _draw(graph.entity(name), plan, values, {name: banned.get(name, set()) | clashing}, rng)
        if drawn is not None:
            banned.setdefault(name, set()).update(clashing)
            values[name] = drawn
            return True
    return False
