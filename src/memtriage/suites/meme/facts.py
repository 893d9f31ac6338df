"""The facts of an episode: its statements, each with the phrases that carry the information."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from memtriage.core.episode import Fact
from memtriage.core.errors import BadInput
from memtriage.suites.kit.phrases import TRIM, runs
from memtriage.suites.meme.domains import DOMAINS, graph_of
from memtriage.suites.meme.graph import frame
from memtriage.suites.meme.skeleton import Skeleton, Statement, StatementKind
from memtriage.text.sentences import sentences
from memtriage.text.words import words

CHANGE = "change"
"""The id of the fact that the root has changed."""

_SPLIT: tuple[StatementKind, ...] = ("dependency", "exact", "change", "delete")
"""Statements that may be spread over several memories, since their sentences say as much one by one."""


@dataclass(frozen=True)
class EpisodeFacts:
    """The statements of an episode as facts; `turns` names the turn that says each, by the statement's number."""

    skeleton: Skeleton
    turns: Mapping[int, str]

    @cached_property
    def by_id(self) -> dict[str, Fact]:
        """Every statement that a question may need, by its id."""
        found: dict[str, Fact] = {}
        for number, statement in enumerate(self.skeleton.statements()):
            id = fact_id(statement)
            if id and id not in found:
                found[id] = self._fact(id, statement, self._turn(number, statement))
        return found

    def first(self, entity: str) -> str | None:
        """The id of the fact that tells an entity's first value."""
        ids = (f"dep/{entity}", f"fact/{entity}", f"value/{entity}/1")
        return next((id for id in ids if id in self.by_id), None)

    def settled(self, entity: str, value: str) -> Fact:
        """The fact that an entity now has another value, which nobody said but which follows.

        A value with a word of its own is enough by itself; any other must be named together with the entity.
        """
        label = label_of(self.skeleton.domain, entity)
        alone = any(self._used_by.get(stem, set()) <= {entity} for stem in words(value).stems)
        details = (value,) if alone else (label, value)
        return Fact(f"now/{entity}", frame("settled").format(label=label, value=value), (), details, settled=True)

    @cached_property
    def _used_by(self) -> dict[str, set[str]]:
        """The entities whose statements use a word."""
        using: dict[str, set[str]] = {}
        for statement in self.skeleton.statements():
            for stem in words(statement.text).stems:
                using.setdefault(stem, set()).add(statement.entity)
        return using

    def _turn(self, number: int, statement: Statement) -> str:
        if number not in self.turns:
            raise BadInput(f"episode {self.skeleton.id!r}: no turn says {statement.text!r}")
        return self.turns[number]

    def _fact(self, id: str, statement: Statement, turn: str) -> Fact:
        return Fact(
            id=id,
            text=statement.text,
            turns=(turn,),
            details=_distinct((*_named(statement.value, statement.text), *self._tie(statement))),
            split=statement.kind in _SPLIT,
        )

    def _tie(self, statement: Statement) -> tuple[str, ...]:
        """The words that make a statement more than a value."""
        text, value = statement.text, (statement.value,)
        match statement.kind:
            case "rule":
                return self._source(statement) or runs(text, frame("changes"), but=value)
            case "dependency":
                return runs(text, self._first_value(statement.source), but=value) or self._source(statement)
            case "change":
                return runs(text, self.skeleton.change[0], but=value)
            case "delete":
                asked = re.search(frame("request"), text, re.IGNORECASE)
                return (asked.group(),) if asked else (sentences(text)[-1].strip(TRIM),)
            case _:
                return ()

    def _source(self, statement: Statement) -> tuple[str, ...]:
        """How a statement names what it depends on."""
        names = (label_of(self.skeleton.domain, statement.source), statement.source.replace("_", " "))
        ways = (runs(statement.text, name, but=(statement.value,)) for name in names)
        return next((found for found in ways if found), ())

    def _first_value(self, entity: str) -> str:
        """The first value that was told of an entity."""
        return next((s.value for s in self.skeleton.statements() if s.entity == entity and s.kind != "rule"), "")


def fact_id(statement: Statement) -> str:
    """The id of a statement's fact; empty where no question can need it."""
    entity = statement.entity
    if statement.step:
        return f"value/{entity}/{statement.step}"
    match statement.kind:
        case "change":
            return CHANGE
        case "delete":
            return f"delete/{entity}"
        case "rule":  # released files also declare what the root will be if the root changes, which ties it to nothing
            return f"rule/{entity}" if statement.source != entity else ""
        case "dependency":
            return f"dep/{entity}"
        case _:
            return f"fact/{entity}"


def label_of(domain: str, entity: str) -> str:
    """An entity as a speaker names it.

    >>> label_of("personal_life", "residence_location"), label_of("elsewhere", "lamp_oil")
    ('place of residence', 'lamp oil')
    """
    if domain.replace("_", "-") in DOMAINS:
        known = {one.name: one.label for one in graph_of(domain).entities}
        return known.get(entity, entity.replace("_", " "))
    return entity.replace("_", " ")


def _named(value: str, text: str) -> tuple[str, ...]:
    """A value if all its words are in a text, or those parts of the text that are, or else the whole text."""
    if words(value).stems and set(words(value).stems) <= set(words(text).stems):
        return (value,)
    return runs(text, value) or (text.strip(TRIM),)


def _distinct(details: Iterable[str]) -> tuple[str, ...]:
    """Each detail once, and none whose words are all in an earlier one."""
    kept: list[str] = []
    for detail in details:
        stems = set(words(detail).stems)
        if stems and not any(stems <= set(words(other).stems) for other in kept):
            kept.append(detail)
    return tuple(kept)
