"""FactConsolidation on a made-up world: numbered facts, some of them changed later, and questions about what holds.

Everything is functional: a subject has one value of a relation at a time. A change restates the relation with another
value, under a higher number. Questions of several hops follow the newest facts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import records
from memtriage.suites.memoryagentbench.context import PACKAGE, Context, length_label
from memtriage.suites.memoryagentbench.fact_contexts import fact_context, query
from memtriage.suites.memoryagentbench.fact_questions import derive
from memtriage.suites.memoryagentbench.generate.names import NamePool, Thing
from memtriage.suites.memoryagentbench.kinds import Kind
from memtriage.suites.memoryagentbench.numbered_facts import Chain, Stated, World, read
from memtriage.suites.memoryagentbench.relations import Relation, relations
from memtriage.text.tokens import count_tokens

CHANGED = 0.55
"""The share of facts that are changed later, about that of the released contexts."""
HOPS = (2, 3, 4)
NEAR = 0.03
"""A context's length may be this share of it off."""

_TOKENS_PER_FACT = 17
_TRIES = 1_000
"""How many facts are tried for the rest of a context."""

Things = Mapping[Thing, Sequence[str]]
"""The names of the things in a world, by kind."""


@dataclass(frozen=True, slots=True)
class _Fact:
    relation: Relation
    subject: str
    object: str


def contexts(
    length: int, rows: int, seed: int, options: Mapping[str, str], kind: Kind = "factconsolidation-sh"
) -> Iterator[Context]:
    """One context of about so many tokens, with so many questions of one hop (sh) or of two to four (mh)."""
    rng = random.Random(f"factconsolidation/{seed}/{length}")
    text = _text(*_world(length, rng), length, rng)
    label = length_label(length)
    source = f"{kind.replace('-', '_')}_{label}"
    world = read(text, source)
    asked = _single(world, rng) if kind.endswith("sh") else _multiple(world, rng)
    id = f"{source}_{seed}"
    queries = [
        query(f"{id}/q{number}", _worded(chain), (chain.answer,), chain, world)
        for number, chain in enumerate(islice(asked, rows))
    ]
    yield fact_context(id, kind, source, text, world, queries, {"length": label})


def _questions() -> dict[str, Any]:
    """The relations of a world: what kinds of things they hold between, and how questions speak of them."""
    return records(PACKAGE, "facts/questions")


def _worded(chain: Chain) -> str:
    """The question in words: the last relation asks, those before it say of what; the same chain, the same words."""
    rng = random.Random("|".join(fact.line for fact in chain.facts))
    words = chain.facts[0].subject
    for number, fact in enumerate(chain.facts, 1):
        form = _questions()[fact.relation.name]["asks" if number == len(chain.facts) else "via"]
        words = draw(form, rng, known={"subject": words})
    return words


def _single(world: World, rng: random.Random) -> Iterator[Chain]:
    """Facts that hold, changed and unchanged ones in turn."""
    held = sorted(world.newest.values(), key=lambda fact: fact.number)
    changed = [fact for fact in held if world.outdated(fact)]
    others = [fact for fact in held if not world.outdated(fact)]
    rng.shuffle(changed)
    rng.shuffle(others)
    while changed or others:
        for facts in (changed, changed, others):  # two of three are about what changed
            chain = Chain((facts.pop(),)) if facts else None
            if chain is not None and _provable(world, chain, _worded(chain)):
                yield chain


def _multiple(world: World, rng: random.Random) -> Iterator[Chain]:
    """Chains of two, three and four hops in turn, at least one of whose facts was changed, each asked once."""
    starts = sorted(world.about)
    seen: set[str] = set()
    failed = 0
    number = 0
    while failed < 2_000:
        chain = _walk(world, rng.choice(starts), HOPS[number % len(HOPS)], rng)
        words = _worded(chain) if chain else ""
        if chain is None or words in seen or not _provable(world, chain, words):
            failed += 1
            continue
        seen.add(words)
        number, failed = number + 1, 0
        yield chain


def _walk(world: World, subject: str, hops: int, rng: random.Random) -> Chain | None:
    facts: list[Stated] = []
    been = {subject}
    for _ in range(hops):
        on = [fact for fact in world.about.get(subject, ()) if fact.object not in been]
        if not on:
            return None
        facts.append(rng.choice(on))
        subject = facts[-1].object
        been.add(subject)
    return Chain(tuple(facts)) if any(world.outdated(fact) for fact in facts) else None


def _provable(world: World, chain: Chain, words: str) -> bool:
    """Whether the question, read back from its words, has this one answer."""
    return {derived.answer for derived in derive(world, words)} == {chain.answer}


# ------------------------------------------------------------------ the world


def _world(length: int, rng: random.Random) -> tuple[Things, list[_Fact]]:
    """Things and facts about them in the order of their numbers: a change comes somewhere after what it changes."""
    count = max(12, length // _TOKENS_PER_FACT)
    things = NamePool(rng).things(count)
    first = list(_facts(things, rng))
    rng.shuffle(first)
    placed: list[tuple[float, int, _Fact]] = []
    for place, fact in enumerate(first):
        placed.append((float(place), 0, fact))
        if rng.random() < CHANGED:
            placed.append((rng.uniform(place + 1, place + 1 + count * 0.4), 1, _changed(fact, things, rng)))
    return things, [fact for _, _, fact in sorted(placed, key=lambda entry: entry[:2])]


def _facts(things: Things, rng: random.Random) -> Iterator[_Fact]:
    for name, relation in _questions().items():
        for subject in things[relation["about"]]:
            if rng.random() < 0.5:
                yield _Fact(relations()[name], subject, _other(things[relation["value"]], subject, rng))


def _changed(fact: _Fact, things: Things, rng: random.Random) -> _Fact:
    values = things[_questions()[fact.relation.name]["value"]]
    other = _other(values, fact.subject, rng)
    while other == fact.object:
        other = _other(values, fact.subject, rng)
    return _Fact(fact.relation, fact.subject, other)


def _other(values: Sequence[str], than: str, rng: random.Random) -> str:
    value = rng.choice(values)
    while value == than:
        value = rng.choice(values)
    return value


def _text(things: Things, facts: Sequence[_Fact], length: int, rng: random.Random) -> str:
    """The numbered facts, as many as the length holds."""
    lines = ["Here are the facts, numbered:"]
    used = count_tokens(lines[0])
    rest = iter(facts)

    def add(fact: _Fact, most: float) -> bool:
        nonlocal used
        line = f"{len(lines) - 1}. {fact.relation.sentence(fact.subject, fact.object)}."
        size = count_tokens(line + "\n")
        if fits := used + size <= most:
            lines.append(line)
            used += size
        return fits

    while (fact := next(rest, None)) and add(fact, length):
        pass
    # A small world may run out of facts, and a long line may leave a short context too short.
    more = islice(chain(rest, _changes(facts, things, rng)), _TRIES)
    while used < length - NEAR * length and (fact := next(more, None)):
        add(fact, length + NEAR * length)
    return "\n".join(lines)


def _changes(facts: Sequence[_Fact], things: Things, rng: random.Random) -> Iterator[_Fact]:
    """Ever more changes of what holds."""
    newest = {(fact.relation.name, fact.subject): fact for fact in facts}
    while True:
        key = rng.choice(list(newest))
        newest[key] = _changed(newest[key], things, rng)
        yield newest[key]
