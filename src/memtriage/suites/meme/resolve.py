"""What is true after a change: the value of every fact, or that it can no longer be known.

A fact that depends on something changed becomes what its rule declares; without a rule nobody can know it. The same
goes for its own dependants, so that one change runs down whole chains.

>>> links = [("employer", "desk"), ("desk", "lamp")]
>>> before = {"employer": "Corvane", "desk": "oak", "lamp": "green"}
>>> after = resolve(links, before, {("desk", "employer"): "pine"}, {"employer": "Ostler"})
>>> after["desk"], after["lamp"]
('pine', <Unknown.UNKNOWN: 'unknown'>)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Final

from memtriage.core.errors import BadInput
from memtriage.suites.meme.graph import refuse_cycle
from memtriage.suites.meme.skeleton import Question, Skeleton


class Unknown(Enum):
    """What a fact is when it has changed and nothing says to what."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN
Resolved = str | Unknown
Rules = Mapping[tuple[str, str], str]
"""What an entity becomes if its source changes, by (entity, source)."""


def resolve(
    links: Iterable[tuple[str, str]], before: Mapping[str, str], rules: Rules, changes: Mapping[str, str]
) -> dict[str, Resolved]:
    """The value of every entity after the changes.

    `links` are (source, target) pairs, `before` the values so far, `changes` the new values of the entities that
    changed by themselves. A rule speaks only where its source is known to have changed. An entity whose changed
    sources say different things, or one of which says nothing, is unknown.
    """
    pairs = list(dict.fromkeys(links))
    _check(pairs, before, rules, changes)
    sources: dict[str, list[str]] = {}
    for source, target in pairs:
        sources.setdefault(target, []).append(source)
    found: dict[str, Resolved] = {}

    def value_of(entity: str) -> Resolved:
        if entity not in found:
            found[entity] = changes[entity] if entity in changes else follow(entity)
        return found[entity]

    def follow(entity: str) -> Resolved:
        outcomes: set[Resolved] = set()
        for source in sources.get(entity, ()):
            now = value_of(source)
            if now is UNKNOWN:
                outcomes.add(UNKNOWN)
            elif now != before[source]:
                outcomes.add(rules.get((entity, source), UNKNOWN))
        if not outcomes:
            return before[entity]
        return outcomes.pop() if len(outcomes) == 1 else UNKNOWN

    return {entity: value_of(entity) for entity in before}


@lru_cache(maxsize=256)
def disputed(skeleton: Skeleton) -> tuple[Question, ...]:
    """The questions whose gold answer is not what the change and the declared rules lead to.

    Released files have a few: the answer is "unknown", though a rule declares the new value.
    """
    after = outcome(skeleton)
    return tuple(question for question in skeleton.questions if not _follows(question, after))


def outcome(skeleton: Skeleton) -> dict[str, Resolved]:
    """What every entity is at the end, by its statements; what was never told has the value its question expects."""
    before: dict[str, str] = {}
    rules: dict[tuple[str, str], str] = {}
    for statement in skeleton.statements():
        if statement.kind == "rule" and statement.entity != statement.source:
            rules[statement.entity, statement.source] = statement.value
        elif statement.kind not in ("rule", "change", "delete"):
            before[statement.entity] = statement.value
    links = [(link.source, link.target) for link in skeleton.links]
    for question in skeleton.questions:
        for target, value in zip(question.targets, question.values[-len(question.targets) :], strict=False):
            before.setdefault(target, question.before or value)
    for entity in (entity for link in links for entity in link):
        before.setdefault(entity, "")
    return resolve(links, before, rules, {skeleton.root: skeleton.change[1]})


def _follows(question: Question, after: dict[str, Resolved]) -> bool:
    match question.type:
        case "cascade" | "exact-recall":
            return after[question.targets[0]] == question.gold
        case "absence":
            return after[question.targets[0]] is UNKNOWN
        case "aggregation":
            return all(after[name] == value for name, value in zip(question.targets, question.values, strict=True))
        case "tracking":
            return after[question.targets[0]] == question.values[-1]
        case "deletion":
            return True


def _check(
    links: Iterable[tuple[str, str]], before: Mapping[str, str], rules: Rules, changes: Mapping[str, str]
) -> None:
    pairs = set(links)
    for source, target in sorted(pairs):
        for name in (source, target):
            if name not in before:
                raise BadInput(f"edge {source} -> {target} names {name!r}, of which no value was told")
    for name in changes:
        if name not in before:
            raise BadInput(f"{name!r} changes, but no value of it was told before")
    targets = {target for _, target in pairs}
    for entity, source in rules:
        if entity not in targets:
            raise BadInput(f"a rule for {entity!r}, which is a root here: it hangs on nothing; leave the rule out")
        if (source, entity) not in pairs:
            raise BadInput(f"a rule makes {entity!r} hang on {source!r}, but no edge {source} -> {entity} is there")
    refuse_cycle(sorted(pairs), "the episode's edges")
