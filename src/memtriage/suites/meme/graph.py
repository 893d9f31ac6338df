"""A domain as a graph of facts that depend on each other: what can be said, in which words, and what follows from what.

A `DomainGraph` is checked when it is created, and refuses what could not be asked about later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Literal, get_args

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.kit.localized import spoken_in
from memtriage.suites.kit.words import items, records

Phrasing = Literal["explicit", "implicit", "none"]
"""How a dependency is put: with an if-then, with a reason only, or without any conditional."""
PHRASINGS: tuple[Phrasing, ...] = get_args(Phrasing)

Role = Literal["root", "middle", "leaf", "orphan"]

PACKAGE = "memtriage.suites.meme"
"""Where the suite's words are found."""

_ENDINGS = (".", "!", "?", '"', "“")


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that has a value, and the sentences that tell it, ask for it and change it.

    Sentences are written without their full stop; questions may hold choices, as in {What is|What's}. `noun` is what
    the speaker calls it ("my employer"). `nulls` are those of its values that mean it has none; no task is ever about
    them. `history` asks for all its values over time, which come in the order of the pool where it is `ascending`. It
    may be taken back where `deletable`, and asked for word for word where `exact`. Small talk about it is about its
    `topic`, or else its `category`. No sentence begins with a value, so that values keep their case.
    """

    name: str
    category: str
    noun: str
    tell: str
    ask: str
    values: tuple[str, ...]
    nulls: tuple[str, ...] = ()
    change: str = ""
    history: str = ""
    updates: tuple[str, ...] = (
        "There is news about {noun}: it is now {value}",
        "Once more {noun} is new: {value} it is",
    )
    ascending: bool = False
    deletable: bool = False
    exact: bool = False
    topic: str = ""

    def __post_init__(self) -> None:
        where = f"entity {self.name!r}"
        _check_pool(self, where)
        _check_template(self.tell, {"value"}, where)
        _check_template(self.change, {"old", "new"}, where, may_be_empty=True)
        for text in self.updates:
            _check_template(text, {"value"}, where, {"noun"})
        if self.history and len(self.usable) < 3:
            raise BadInput(f"{where} can't have a history: its pool has fewer than three usable values; add some")

    @property
    def usable(self) -> tuple[str, ...]:
        """The values that a task may be about."""
        return tuple(value for value in self.values if value not in self.nulls)

    @property
    def label(self) -> str:
        """The noun without its owner: "employer" for "my employer"."""
        return self.noun.split(" ", 1)[-1]

    def clause(self, value: str) -> str:
        """The value in the first person, without a full stop."""
        return f"About {self.noun}: {value}" if value in self.nulls else self.tell.format(value=value)

    def statement(self, value: str) -> str:
        """The value as a sentence in the first person.

        >>> pet = Entity("pet", "home", "my pet", "I keep {value}", "What do I keep?", ("a cat", "an owl"))
        >>> pet.statement("an owl")
        'I keep an owl.'
        """
        return sentence(self.clause(value))

    def update(self, value: str, step: int) -> str:
        """The sentence that tells a later value of its history; `step` 2 is the first update."""
        return sentence(self.updates[(step - 2) % len(self.updates)].format(value=value, noun=self.noun))

    def change_event(self, old: str, new: str) -> str:
        """The sentence that reports the change of a root."""
        return sentence(
            (self.change or f"{self.noun} is no longer {{old}}; it is {{new}} now").format(old=old, new=new)
        )

    def deletion_request(self, value: str, variant: int = 0) -> str:
        """The request to forget its value."""
        templates = items(records(PACKAGE, f"{spoken_in(PACKAGE)}rules")["forget"])
        return sentence(templates[variant % len(templates)].format(noun=self.noun, value=value))


@dataclass(frozen=True, slots=True)
class Edge:
    """`target` depends on `source`, in the way that `pattern` names."""

    source: str
    target: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A way of depending: three templates that tie a fact to what it depends on.

    They take {fact} (the dependent's clause), {source} (the noun of what it depends on) and {held} (the source's
    value). `explicit` says what happens if the source changes, `implicit` only gives the reason, `bare` only mentions
    the source.
    """

    name: str
    explicit: str
    implicit: str
    bare: str

    def __post_init__(self) -> None:
        for text in (self.explicit, self.implicit, self.bare):
            _check_template(text, {"fact", "source", "held"}, f"pattern {self.name!r}")

    def bind(self, fact: str, source: Entity, held: str, phrasing: Phrasing) -> str:
        """A sentence with the dependent's clause and what it depends on."""
        template = {"explicit": self.explicit, "implicit": self.implicit, "none": self.bare}[phrasing]
        return sentence(template.format(fact=fact, source=source.noun, held=held))


def rule_text(target: Entity, value: str, source: Entity, held: str, phrasing: Phrasing, variant: int = 0) -> str:
    """The sentence that declares what `target` will be once `source`, now `held`, is something else."""
    templates = items(records(PACKAGE, f"{spoken_in(PACKAGE)}rules")[phrasing])
    text = templates[variant % len(templates)]
    return sentence(text.format(source=source.noun, label=source.label, target=target.noun, value=value, held=held))


def frame(name: str) -> str:
    """A template that generated episodes speak of themselves with, in the language spoken."""
    return str(records(PACKAGE, f"{spoken_in(PACKAGE)}frames")[name])


def sentence(clause: str) -> str:
    """A clause with a capital letter and a final stop, where it has none."""
    text = clause[:1].upper() + clause[1:]
    return text if text.endswith(_ENDINGS) else f"{text}."


@dataclass(frozen=True, slots=True)
class Triple:
    """Three entities that one question asks for together."""

    entities: tuple[str, str, str]
    ask: str


@dataclass(frozen=True, slots=True)
class Constraint:
    """Values of two entities that can't be true together."""

    first: str
    first_values: frozenset[str]
    second: str
    second_values: frozenset[str]


@dataclass(frozen=True, slots=True)
class DomainGraph:
    """All entities of one domain and how they depend on each other.

    `roots` are the entities whose change starts an episode; every other entity with dependants depends on something.
    """

    domain: str
    entities: tuple[Entity, ...]
    edges: tuple[Edge, ...]
    patterns: tuple[Pattern, ...]
    roots: tuple[str, ...]
    triples: tuple[Triple, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    _entities: Mapping[str, Entity] = field(init=False, repr=False, compare=False)
    _patterns: Mapping[str, Pattern] = field(init=False, repr=False, compare=False)
    _children: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    _parents: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        where = f"graph {self.domain!r}"
        _refuse_twice((entity.name for entity in self.entities), f"{where}: entity")
        _refuse_twice((f"{edge.source} -> {edge.target}" for edge in self.edges), f"{where}: edge")
        object.__setattr__(self, "_entities", {entity.name: entity for entity in self.entities})
        object.__setattr__(self, "_patterns", {pattern.name: pattern for pattern in self.patterns})
        self._check_names(where)
        children: dict[str, list[str]] = {name: [] for name in self._entities}
        parents: dict[str, list[str]] = {name: [] for name in self._entities}
        for edge in self.edges:
            children[edge.source].append(edge.target)
            parents[edge.target].append(edge.source)
        object.__setattr__(self, "_children", {name: tuple(found) for name, found in children.items()})
        object.__setattr__(self, "_parents", {name: tuple(found) for name, found in parents.items()})
        refuse_cycle(((edge.source, edge.target) for edge in self.edges), where)
        self._check_roots(where)

    def _check_names(self, where: str) -> None:
        for edge in self.edges:
            this_edge = f"{where}: edge {edge.source} -> {edge.target}"
            for name in (edge.source, edge.target):
                _refuse_unknown(name, self._entities, f"{this_edge} names entity")
            _refuse_unknown(edge.pattern, self._patterns, f"{this_edge} names pattern")
        for triple in self.triples:
            for name in triple.entities:
                _refuse_unknown(name, self._entities, f"{where}: triple {'+'.join(triple.entities)} names entity")
            _refuse_twice(triple.entities, f"{where}: triple {'+'.join(triple.entities)}: entity")
        for constraint in self.constraints:
            for name, values in (
                (constraint.first, constraint.first_values),
                (constraint.second, constraint.second_values),
            ):
                _refuse_unknown(name, self._entities, f"{where}: constraint names entity")
                for value in sorted(values):
                    _refuse_unknown(value, self._entities[name].values, f"{where}: constraint on {name!r} names value")

    def _check_roots(self, where: str) -> None:
        for root in self.roots:
            _refuse_unknown(root, self._entities, f"{where}: root names entity")
            for parent in self._parents[root]:
                raise BadInput(
                    f"{where}: edge {parent} -> {root} is a rule for a root; "
                    f"take the edge away, or {root!r} from the roots"
                )
            if not self._children[root]:
                raise BadInput(
                    f"{where}: root {root!r} is nobody's parent; give it a dependant or take it from the roots"
                )
        for name in self._entities:
            if self._children[name] and not self._parents[name] and name not in self.roots:
                raise BadInput(f"{where}: {name!r} has dependants but hangs on nothing; name it among the roots")

    def entity(self, name: str) -> Entity:
        """The entity of this name."""
        _refuse_unknown(name, self._entities, f"graph {self.domain!r} is asked for entity")
        return self._entities[name]

    def pattern(self, source: str, target: str) -> Pattern:
        """The pattern of the edge between two entities."""
        for edge in self.edges:
            if (edge.source, edge.target) == (source, target):
                return self._patterns[edge.pattern]
        raise BadInput(f"graph {self.domain!r} has no edge {source} -> {target}")

    def children(self, name: str) -> tuple[str, ...]:
        """The entities that depend directly on this one."""
        return self._children[name]

    def parents(self, name: str) -> tuple[str, ...]:
        """The entities that this one depends directly on."""
        return self._parents[name]

    def role(self, name: str) -> Role:
        """An entity's place in the graph, by its edges alone."""
        if self._parents[name]:
            return "middle" if self._children[name] else "leaf"
        return "root" if self._children[name] else "orphan"

    def hops(self, root: str) -> Mapping[str, int]:
        """Every entity below a root with its distance, the shortest where there are several."""
        found: dict[str, int] = {}
        level, hop = [root], 0
        while level:
            hop += 1
            level = [c for name in level for c in self._children[name] if found.setdefault(c, hop) == hop]
            level = list(dict.fromkeys(level))
        return found


def refuse_cycle(edges: Iterable[tuple[str, str]], where: str) -> None:
    """Raise BadInput with the path, if the edges form a cycle."""
    children: dict[str, list[str]] = {}
    for source, target in edges:
        children.setdefault(source, []).append(target)
    done: set[str] = set()
    for start in children:
        path: list[str] = []
        walk: list[Iterator[str]] = [iter((start,))]
        while walk:
            name = next(walk[-1], None)
            if name is None:
                walk.pop()
                if path:
                    done.add(path.pop())
            elif name in path:
                cycle = " -> ".join([*path[path.index(name) :], name])
                raise BadInput(f"{where}: the dependencies go in a circle: {cycle}; take one of these edges away")
            elif name not in done:
                path.append(name)
                walk.append(iter(children.get(name, ())))


def _check_pool(entity: Entity, where: str) -> None:
    folded = [value.casefold() for value in entity.values]
    _refuse_twice(folded, f"{where}: value")
    for null in entity.nulls:
        _refuse_unknown(null, entity.values, f"{where}: null-like value")
    if len(entity.usable) < 2:
        raise BadInput(
            f"{where}: a pool of {len(entity.usable)} usable value(s); give it at least two, so that it can change"
        )
    for one in folded:
        for other in folded:
            if one != other and one in other:
                raise BadInput(f"{where}: value {one!r} stands inside {other!r}, so that they can't be told apart")


def _check_template(
    text: str, needed: set[str], where: str, allowed: Iterable[str] = (), may_be_empty: bool = False
) -> None:
    if not text and may_be_empty:
        return
    try:
        fields = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError as error:
        raise BadInput(f"{where}: {text!r} can't be read as a template ({error})") from error
    if text.startswith(("{value}", "{old}", "{new}")):
        raise BadInput(f"{where}: the template {text!r} begins with a value, whose case may get lost; begin otherwise")
    if not needed <= fields or not fields <= needed | set(allowed):
        wanted = ", ".join(f"{{{name}}}" for name in sorted(needed))
        raise BadInput(f"{where}: the template {text!r} must hold {wanted} and nothing else in braces")


def _refuse_twice(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BadInput(f"{what} {name!r} stands there twice")
        seen.add(name)


def _refuse_unknown(name: str, known: Mapping[str, object] | Sequence[str], what: str) -> None:
    if name not in known:
        raise BadInput(f"{what} {name!r}, which does not exist: {unknown('name', name, known)}")
