"""What a question about numbered facts asks: which relations it speaks of, one inside the other.

A question is a nest of phrases around a name: in "In which city was the person who wrote Vesper born?" the name is
wrapped by "the person who wrote …", and that by "In which city was … born". So the words on both sides of the name are
dealt out from the name outwards, a stretch of each side to every relation on the way. The cheapest deal wins: one in
which every relation has words that name it, no word is left that names another one, and a thing is called what it is.
Only facts that hold are followed, so that "the chief executive" of a country is somebody else than that of a company.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import count

from memtriage.suites.memoryagentbench.numbered_facts import HOPS, Chain, Stated, World
from memtriage.suites.memoryagentbench.relations import Cue, Relation, means, relations, type_words

HINT, TYPE_ONLY, NOTHING = 0.5, 1.5, 4.0
"""What it costs if a relation is only hinted at, if only its type of object is named, or nothing at all."""

OTHER, LOOSE, AGAIN, ASIDE, SUBJECT = 1.5, 0.6, 0.2, 0.1, 0.2
"""What a word costs that names another relation, hints at another one, names the same one again, only hints at it, or
tells what its subject is."""

HEADLESS = 0.4
"""What a verb behind the name costs if no word before it goes with that, as in "the person Ann married"."""

MISMATCH = 2.0
"""What it costs if a question asks for another type of thing than the last fact gives."""

MOST_PER_FACT = 3.0
"""A question that can't be read for less than this, per fact, speaks of something else."""

_WORD = re.compile(r"[^\W\d_]+")
_OPENING = re.compile(r"(?:based on|according to|going by|given|judging by|per)\b[^,?]*,", re.IGNORECASE)
_EITHER = re.compile(r"([^\W\d_]+)(?: or |/)([^\W\d_]+)")
_ASKED = re.compile(
    r"\b(the|a)\b|\b(who|whom|whose|where)\b|\b(?:which|what) (?:(?:kind|type|sort) of )?([^\W\d_]+)", re.IGNORECASE
)
_NOTHING_SAID = re.compile(
    r"\bbe (?:found|located)\b|\b(?:work|serv)(?:e|s|es|ed|ing)? as (?!an? )(?=[a-z])", re.IGNORECASE
)
"""Where something is to be found, or who serves as something, could as well be where or who it is."""


def derive(world: World, question: str) -> list[Chain]:
    """The chains of facts that answer a question; several where it is ambiguous, none where it can't be read."""
    best: float | None = None
    found: dict[tuple[Stated, ...], Chain] = {}
    for start, end, name in _names(world, question):
        opening = _OPENING.match(question[:start])
        before = question[opening.end() if opening else 0 : start]
        left, right = (_telling(text, world.coined) for text in (before, question[end:]))
        words = _Words(tuple(reversed(left)), tuple(right), _asked_for(before))
        for cost, chain in _deals(world, name, words):
            if best is None or cost < best - 1e-9:
                best, found = cost, {}
            if cost <= best + 1e-9:
                found[chain.facts] = chain
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Words:
    """The words on either side of a name, from the name outwards, and the word for what is asked for, or none."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    asked_for: str


def _asked_for(text: str) -> str:
    """The word that says what a question asks for: who, where, or "city" in "which city".

    >>> _asked_for("In which city was "), _asked_for("What is the capital of ")
    ('city', '')
    """
    asked = _ASKED.search(text)
    word = (asked[2] or asked[3] or "").lower() if asked else ""
    return "who" if word == "whose" else word if any(_is_any(word, each) for each in type_words().values()) else ""


def _names(world: World, question: str) -> list[tuple[int, int, str]]:
    """Where the question names things that facts are about; a name inside a longer one doesn't count."""
    spans = [
        (found.start(), found.end(), subject)
        for subject in world.about
        if subject in question
        for found in re.finditer(rf"(?<!\w){re.escape(subject)}(?!\w)", question)
    ]
    return [
        span
        for span in spans
        if not any(s <= span[0] and span[1] <= e and e - s > span[1] - span[0] for s, e, _ in spans)
    ]


def _telling(text: str, coined: frozenset[str]) -> list[str]:
    """The words of a text that name a relation or a type; all others say nothing. Of "husband or wife" one is enough.

    `coined` are words for relations that only the facts at hand know.
    """
    text = _NOTHING_SAID.sub("", text)
    text = _EITHER.sub(lambda either: either[1] if _akin(either[1].lower(), either[2].lower()) else either[0], text)
    return [word for word in map(str.lower, _WORD.findall(text)) if word in coined or _tells(word)]


@cache
def _vocabulary() -> frozenset[str]:
    named = {part for relation in relations().values() for part in relation.strong | relation.weak}
    return frozenset(named | {part for words in type_words().values() for part in words})


@lru_cache(maxsize=1 << 14)
def _tells(word: str) -> bool:
    return any(means(word, part) for part in _vocabulary())


def _akin(one: str, other: str) -> bool:
    """Whether two words name the same relation."""
    return any(_is_any(one, each.strong) and _is_any(other, each.strong) for each in relations().values())


# ------------------------------------------------------------------ dealing out words


@dataclass(frozen=True, slots=True)
class _Deal:
    """Facts followed so far, and how many words on either side of the name they have taken."""

    facts: tuple[Stated, ...]
    left: int
    right: int
    done: bool = False


def _deals(world: World, name: str, words: _Words) -> Iterable[tuple[float, Chain]]:
    """The cheapest ways to deal out all words, over the facts that can be reached from a name."""
    left, right = words.left, words.right
    order = count()
    open: list[tuple[float, int, int, str, _Deal]] = [(0.0, 0, next(order), name, _Deal((), 0, 0))]
    best: float | None = None
    while open:
        cost, _, _, at, deal = heapq.heappop(open)
        if best is not None and cost > best + 1e-9:
            return
        if deal.done:
            best = cost
            yield cost, Chain(deal.facts)
            continue
        if len(deal.facts) == HOPS:
            continue
        been = {fact.subject for fact in deal.facts}
        for fact in world.about.get(at, ()):
            if fact.subject in been:
                continue
            for i in range(deal.left, len(left) + 1):
                for j in range(deal.right, len(right) + 1):
                    more = _cost(fact.relation, left[deal.left : i], right[deal.right : j])
                    if more >= NOTHING:
                        continue
                    step = _Deal((*deal.facts, fact), i, j)
                    heapq.heappush(open, (cost + more, len(step.facts), next(order), fact.object, step))
                    if i == len(left) and j == len(right):
                        more += _mismatch(fact.relation, words.asked_for)
                        if cost + more <= MOST_PER_FACT * len(step.facts):
                            whole = replace(step, done=True)
                            heapq.heappush(open, (cost + more, len(step.facts), next(order), fact.object, whole))


def _mismatch(relation: Relation, asked_for: str) -> float:
    return MISMATCH if asked_for and relation.ends and not _is_type(asked_for, relation.ends) else 0.0


@lru_cache(maxsize=1 << 18)
def _cost(relation: Relation, left: tuple[str, ...], right: tuple[str, ...]) -> float:
    """What it costs to take these words for this relation."""
    said = {part for word in (*left, *right) for part in _parts(relation, word)}
    ways = [(0.0, cue) for cue in relation.cues if said.issuperset(cue)]
    ways += [(HINT, hint) for hint in relation.hints if said.issuperset(hint)]
    costs = [base + cost for base, cue in ways if (cost := _beside(relation, cue, left, right)) is not None]
    if any(_is_type(word, relation.ends) for word in (*left, *right)):
        costs.append(TYPE_ONLY + sum(_odd(relation, word) for word in (*left, *right)))
    return min(costs, default=NOTHING)


@lru_cache(maxsize=1 << 16)
def _parts(relation: Relation, word: str) -> frozenset[str]:
    """The parts of a relation's cues and hints that stand for a word."""
    return frozenset(part for part in relation.strong | relation.weak if means(word, part))


def _beside(relation: Relation, cue: Cue, left: Sequence[str], right: Sequence[str]) -> float | None:
    """What the words beside those of a cue cost; None if one of the cue's isn't there.

    What stands between a noun and the name tells what the name is, as in "the author of the novel Vesper"; what stands
    before it, or around a verb, tells what is meant: "the person who wrote Vesper".
    """
    places: list[int] = []
    words = (*left, *right)
    for part in cue:
        found = next((i for i, word in enumerate(words) if i not in places and means(word, part)), None)
        if found is None:
            return None
        places.append(found)
    first = min((place for place in places if place < len(left)), default=0)
    headless = HEADLESS if not left else 0.0
    return headless + sum(_odd(relation, word, i < first) for i, word in enumerate(words) if i not in places)


@lru_cache(maxsize=1 << 16)
def _odd(relation: Relation, word: str, inside: bool = False) -> float:
    """What a word costs beside those that name its relation; `inside`, between these and the name."""
    if _is_type(word, relation.ends):
        return SUBJECT if inside else 0.0
    if _is_any(word, relation.strong):
        return AGAIN
    if _is_any(word, relation.weak):
        return ASIDE
    if _is_type(word, relation.starts):
        return SUBJECT
    return OTHER if _is_strong(word) else LOOSE


@lru_cache(maxsize=1 << 14)
def _is_strong(word: str) -> bool:
    """Whether a word alone names a relation, or is that of a type."""
    named = any(_is_any(word, relation.strong) for relation in relations().values())
    return named or any(_is_any(word, words) for words in type_words().values())


@lru_cache(maxsize=1 << 16)
def _is_type(word: str, types: frozenset[str]) -> bool:
    return any(_is_any(word, type_words()[type]) for type in types)


def _is_any(word: str, parts: Iterable[str]) -> bool:
    return any(means(word, part) for part in parts)
