"""Reports on communities: what they say, and what they were written from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from memtriage.systems.designs.graphrag.communities import Community
from memtriage.systems.designs.graphrag.knowledge import KnowledgeGraph, Relation
from memtriage.systems.saved_state import texts
from memtriage.text.tokens import count_all, count_tokens

MOST_TOKENS = 8_000
"""How much of a graph, or of its reports, the model is shown at once."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Finding:
    """One point of a report, and the turns behind it."""

    text: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Account:
    """What a report says."""

    title: str
    summary: str
    findings: tuple[Finding, ...]

    @property
    def text(self) -> str:
        return "\n".join(filter(None, (self.title, self.summary, *(f"- {each.text}" for each in self.findings))))


@dataclass(frozen=True, slots=True)
class Report:
    """An account of a community. `key` stands for everything that it was written from."""

    id: str
    key: str
    level: int
    leaf: bool
    members: tuple[str, ...]
    account: Account
    created_at: str | None
    sources: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.account.text

    @classmethod
    def restored(cls, record: Mapping[str, Any]) -> Report:
        """A report that was saved."""
        said = record["account"]
        findings = tuple(Finding(str(each["text"]), texts(each["sources"])) for each in said["findings"])
        account = Account(str(said["title"]), str(said["summary"]), findings)
        lists = {key: texts(record[key]) for key in ("members", "sources")}
        return cls(**{**record, **lists, "account": account})


@dataclass(frozen=True, slots=True)
class Material:
    """What a report is written from: the relations as they are numbered, and all of it as the model is shown it."""

    relations: tuple[Relation, ...]
    shown: Mapping[str, Any]

    @property
    def key(self) -> str:
        """A short name for this very material, in whatever order it is listed."""
        lines = sorted(json.dumps({**each, "number": 0}) for each in self.shown["relations"])
        whole = json.dumps([lines, self.shown["entities"], self.shown.get("parts")])
        return digest(whole)


def material(
    graph: KnowledgeGraph, community: Community, relations: Sequence[Relation], parts: Sequence[Report]
) -> Material:
    """What the report on a community is written from.

    Where that is too much to be shown, the reports on the communities inside take the place of what these hold, and the
    weakest relations are left out.
    """
    entities = [graph.entities[id].text or graph.entities[id].name for id in community.members]
    parted: list[str] = []
    if parts and count_all([*entities, *(relation.text for relation in relations)]) > MOST_TOKENS:
        part_of = {member: report.id for report in parts for member in report.members}
        relations = [each for each in relations if len({part_of.get(end, end) for end in each.ends}) > 1]
        entities, parted = [], [report.text for report in parts]
    first = next(batches(relations, lambda relation: count_tokens(relation.text)), [])
    listed = [
        {
            "number": n,
            "source": graph.entities[each.source].name,
            "target": graph.entities[each.target].name,
            "description": each.text,
        }
        for n, each in enumerate(first, 1)
    ]
    return Material(tuple(first), {"entities": entities, "relations": listed, **({"parts": parted} if parted else {})})


def batches(items: Sequence[T], tokens: Callable[[T], int], most: int = MOST_TOKENS) -> Iterator[list[T]]:
    """Items in order, in lists of at most so many tokens; one that is larger stands alone.

    >>> list(batches(["a", "bb", "cccc", "d"], len, most=3))
    [['a', 'bb'], ['cccc'], ['d']]
    """
    batch: list[T] = []
    held = 0
    for item in items:
        size = tokens(item)
        if batch and held + size > most:
            yield batch
            batch, held = [], 0
        batch.append(item)
        held += size
    if batch:
        yield batch


def digest(*texts: str) -> str:
    """A short name for these texts."""
    return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
