"""FactConsolidation on a made-up world: numbered facts, some of them changed later, and questions about what holds.

Everything is functional: a subject has one value of a relation at a time. A change restates the relation with another
value, under a higher number. Questions of several hops follow the newest facts.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memtriage.suites.memoryagentbench.context import Context, Kind, Passage, Query, length_label
from memtriage.suites.memoryagentbench.knowledge import Chain, Stated, World, derive, read
from memtriage.suites.memoryagentbench.names import Names, Thing
from memtriage.suites.memoryagentbench.relations import RELATIONS, Relation
from memtriage.text.tokens import count_tokens

CHANGED = 0.55
"""The share of facts that are changed later, about that of the released contexts."""
HOPS = (2, 3, 4)
_TOKENS_PER_FACT = 17

_BY_NAME = {relation.name: relation for relation in RELATIONS}

_TYPES: Mapping[str, tuple[Thing, Thing]] = {
    "birthplace": ("person", "city"),
    "deathplace": ("person", "city"),
    "workplace": ("person", "city"),
    "citizenship": ("person", "country"),
    "spouse": ("person", "person"),
    "religion": ("person", "order"),
    "sport": ("club", "sport"),
    "employer": ("person", "company"),
    "famous": ("person", "book"),
    "speaks": ("person", "language"),
    "position": ("person", "position"),
    "field": ("person", "field"),
    "child": ("person", "person"),
    "genre": ("person", "genre"),
    "continent": ("country", "continent"),
    "capital": ("country", "city"),
    "language": ("country", "language"),
    "head-of-state": ("country", "person"),
    "head-of-government": ("city", "person"),
    "author": ("book", "person"),
    "language-written": ("book", "language"),
    "founder": ("order", "person"),
    "foundation-place": ("company", "city"),
    "ceo": ("company", "person"),
    "headquarters": ("company", "city"),
    "sport-origin": ("sport", "country"),
    "manager": ("club", "person"),
    "chairperson": ("club", "person"),
}

_ASKS: Mapping[str, tuple[str, str]] = {
    # how a question asks for the value, and how a longer one speaks of it on the way
    "birthplace": ("In which city was {} born?", "the birth city of {}"),
    "deathplace": ("In which city did {} die?", "the city of death of {}"),
    "workplace": ("In which city did {} work?", "the city of work of {}"),
    "citizenship": ("Of which state is {} a citizen?", "the state of citizenship of {}"),
    "spouse": ("Who is the spouse of {}?", "the spouse of {}"),
    "religion": ("Which faith does {} follow?", "the faith of {}"),
    "sport": ("Which sport does {} practise?", "the sport of {}"),
    "employer": ("Who is the employer of {}?", "the employer of {}"),
    "famous": ("What is {} famous for?", "what made {} famous"),
    "speaks": ("What tongue does {} speak?", "the tongue spoken by {}"),
    "position": ("On which position does {} appear?", "the position of {}"),
    "field": ("What is the occupation of {}?", "the occupation of {}"),
    "child": ("Who is the child of {}?", "the child of {}"),
    "genre": ("What genre does {} favour?", "the genre of {}"),
    "continent": ("On which continent does {} lie?", "the continent of {}"),
    "capital": ("What is the capital of {}?", "the capital of {}"),
    "language": ("What is the language of {}?", "the language of {}"),
    "head-of-state": ("Who is head of state in {}?", "the head of state in {}"),
    "head-of-government": ("Who is head of the government of {}?", "the head of the government of {}"),
    "author": ("Who is the author of {}?", "the author of {}"),
    "language-written": ("In which language was {} written?", "the language {} was written in"),
    "founder": ("Who is the founder of {}?", "the founder of {}"),
    "foundation-place": ("In which city was {} established?", "the city that saw {} established"),
    "ceo": ("Who is the chief executive of {}?", "the chief executive of {}"),
    "headquarters": ("In which city is the headquarters of {}?", "the headquarters city of {}"),
    "sport-origin": ("What is the origin of {}?", "the origin of {}"),
    "manager": ("Who is the director of {}?", "the director of {}"),
    "chairperson": ("Who chairs {}?", "the chair of {}"),
}


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
    text = _text(_told(length, rng), length)
    label = length_label(length)
    source = f"{kind.replace('-', '_')}_{label}"
    world = read(text, source)
    asked = _single(world, rng) if kind.endswith("sh") else _multiple(world, rng)
    id = f"{source}_{seed}"
    queries = [_query(f"{id}/q{number}", chain, world) for number, chain in zip(range(rows), asked, strict=False)]
    yield assembled(id, kind, source, text, world, queries, {"length": label})


def released(
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
    return assembled(id, kind, source, text, world, [_released(world, *each) for each in asked], tags)


def _released(world: World, id: str, words: str, golds: tuple[str, ...]) -> Query:
    chains = derive(world, words)
    right = [chain for chain in chains if chain.answer in golds]
    if not chains:
        return Query(id, words, golds, "contains", tags={"gold": "underivable"})
    made = query(id, words, golds, (right or chains)[0], world)
    return made if right else replace(made, tags={**made.tags, "gold": "disputed"})


def assembled(
    id: str, kind: Kind, source: str, text: str, world: World, queries: Sequence[Query], tags: Mapping[str, str]
) -> Context:
    """A context of numbered facts; a passage is the line of a fact, its number included."""
    named = {id for q in queries for ids in (*q.needed, *((o, *v) for o, v in q.outdated)) for id in ids}
    passages = tuple(
        Passage(_id(fact), fact.line, fact.start, (fact.subject, fact.object))
        for fact in world.stated
        if _id(fact) in named
    )
    return Context(id, kind, source, text, passages, tuple(queries), tags)


def query(id: str, text: str, golds: tuple[str, ...], chain: Chain, world: World) -> Query:
    """A question that a chain of facts answers: the newest fact of every hop is needed; what it replaced, outdated."""
    outdated = tuple((_id(old), (_id(fact),)) for fact in chain.facts for old in world.outdated(fact))
    needed = tuple(dict.fromkeys(map(_id, chain.facts)))
    tags = {"hop": str(len(chain.facts)), "changed": str(sum(bool(world.outdated(f)) for f in chain.facts))}
    return Query(id, text, golds, "contains", (needed,), outdated, tags=tags)


def _id(fact: Stated) -> str:
    return f"fact/{fact.number}"


def _query(id: str, chain: Chain, world: World) -> Query:
    return query(id, _asked(chain), (chain.answer,), chain, world)


def _asked(chain: Chain) -> str:
    """The question in words: the last relation asks, those before it say of what."""
    subject = chain.facts[0].subject
    for fact in chain.facts[:-1]:
        subject = _ASKS[fact.relation.name][1].format(subject)
    return _ASKS[chain.facts[-1].relation.name][0].format(subject)


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
            if chain is not None and _provable(world, chain, _asked(chain)):
                yield chain


def _multiple(world: World, rng: random.Random) -> Iterator[Chain]:
    """Chains of two, three and four hops in turn, at least one of whose facts was changed, each asked once."""
    starts = sorted(world.about)
    seen: set[str] = set()
    failed = 0
    number = 0
    while failed < 2_000:
        chain = _walk(world, rng.choice(starts), HOPS[number % len(HOPS)], rng)
        words = _asked(chain) if chain else ""
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


def _told(length: int, rng: random.Random) -> Iterator[_Fact]:
    """Facts in the order in which they are numbered: a change comes somewhere after what it changes."""
    names = Names(rng)
    count = max(12, length // _TOKENS_PER_FACT)
    things = names.things(count)
    first = list(_facts(things, rng))
    rng.shuffle(first)
    waiting: list[tuple[float, int, _Fact]] = []
    for place, fact in enumerate(first):
        waiting.append((float(place), 0, fact))
        if rng.random() < CHANGED:
            waiting.append((rng.uniform(place + 1, place + 1 + count * 0.4), 1, _changed(fact, things, rng)))
    return (fact for _, _, fact in sorted(waiting, key=lambda entry: entry[:2]))


def _facts(things: Mapping[Thing, Sequence[str]], rng: random.Random) -> Iterator[_Fact]:
    for name, (about, value) in _TYPES.items():
        for subject in things[about]:
            if rng.random() < 0.5:
                yield _Fact(_BY_NAME[name], subject, _other(things[value], subject, rng))


def _changed(fact: _Fact, things: Mapping[Thing, Sequence[str]], rng: random.Random) -> _Fact:
    values = things[_TYPES[fact.relation.name][1]]
    other = _other(values, fact.subject, rng)
    while other == fact.object:
        other = _other(values, fact.subject, rng)
    return _Fact(fact.relation, fact.subject, other)


def _other(values: Sequence[str], than: str, rng: random.Random) -> str:
    value = rng.choice(values)
    while value == than:
        value = rng.choice(values)
    return value


def _text(facts: Iterator[_Fact], length: int) -> str:
    """The numbered facts, as many as the length holds."""
    lines = ["Here are the facts, numbered:"]
    used = count_tokens(lines[0])
    for number, fact in enumerate(facts):
        line = f"{number}. {fact.relation.sentence(fact.subject, fact.object)}."
        used += count_tokens(line + "\n")
        if used > length:
            break
        lines.append(line)
    return "\n".join(lines)
