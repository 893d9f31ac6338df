"""Planted inventions: memories that nothing said supports, and controls that something does.

They are made from the gold facts by rule, without any detector. What was invented is fluent and of the same kind as
what was said: facts of other episodes, facts told of somebody else, other numbers, dates and names, added details.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from memtriage.core.episode import Episode, Fact
from memtriage.systems.retrieval.units import Granularity, cut
from memtriage.text.words import words
from memtriage.validate.planted_alterations import Alteration, alter
from memtriage.validate.planted_memories import RewrittenMemory, StyleChoice, tellings
from memtriage.validate.planted_rewritings import STYLES, Told, rewrite

Invention = Literal["other_episode", "merged_people", "wrong_number", "wrong_date", "wrong_name", "added_detail"]
INVENTIONS: tuple[Invention, ...] = get_args(Invention)

_ALTERATIONS: dict[Invention, Alteration] = {
    "wrong_number": "number_changed",
    "wrong_date": "date_changed",
}
_ADDED = (
    " while living in Antwerp",
    " together with Gregor Halvorsen",
    " ever since the winter of 1974",
    " after 340 attempts",
    " on the advice of Dr. Okonjo",
)
_NAMES = ("Ludmila", "Okonjo", "Antwerp", "Halvorsen", "Valparaiso", "Thessaly", "Quillfeather", "Bartholomew")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
_MOST = 40
"""How many facts of an episode, and of others, are made inventions of."""
_END = re.compile(r"[.!]?$")


@dataclass(frozen=True, slots=True)
class PlantedMemory:
    """A memory with what was done to it: an invention, or nothing that takes its support away.

    `fact` is the fact that it was made of, if it was made of one.
    """

    text: str
    kind: str
    invented: bool
    style: str = "as said"
    fact: str = ""


def controls(episode: Episode, granularity: str, style: StyleChoice | None, seed: int) -> Iterator[PlantedMemory]:
    """The memories of stores that invent nothing: every turn word for word, and every fact rewritten without loss."""
    for session in episode.sessions:
        for memory in cut(session, Granularity.parse(granularity)):
            yield PlantedMemory(memory.text, "verbatim", False, granularity)
    if style is not None:
        for text, facts in RewrittenMemory(episode, style, 0.0, seed).memories:
            yield PlantedMemory(text, "rewritten", False, style, min(facts, default=""))


def inventions(
    episode: Episode, strangers: Sequence[Told], style: StyleChoice | None, seed: int
) -> Iterator[PlantedMemory]:
    """Facts with every invention that fits them, as they were said and in a style.

    `strangers` are facts of other episodes. Of large episodes, some facts are drawn.
    """
    rng = random.Random(f"inventions:{episode.id}:{seed}")
    said = "\n".join(turn.text for session in episode.sessions for turn in session.turns).lower()
    told = [one for _, one in tellings(episode)]
    for one in _drawn([one for one in strangers if _is_foreign(one, said)], rng):
        yield from _in_styles(one, "other_episode", style, rng)
    for one in _drawn(told, rng):
        for kind in INVENTIONS:
            changed = _invented(kind, one, [other for other in told if other is not one], said, rng)
            if changed is not None and changed.text.lower() not in said:
                yield from _in_styles(changed, kind, style, rng)


def contradicting(episode: Episode) -> Iterator[tuple[str, str]]:
    """An old value and the one that took its place as two memories without a date, where the suite knows of both.

    They are lines of a profile, as what was said of a change often says that it is one.
    """
    facts = {fact.id: fact for fact, _ in tellings(episode)}
    for probe in episode.probes:
        gold = " ".join((probe.gold, *probe.golds)).lower()
        for old in probe.outdated:
            for new in old.voided_by:
                if old.fact in facts and new in facts and facts[old.fact].details and facts[new].details:
                    one, other = (_profile_line(facts[id]) for id in (old.fact, new))
                    if one != other and facts[new].details[-1].lower() in gold:
                        yield one, other


def _profile_line(fact: Fact) -> str:
    return f"{' '.join(fact.details[:-1]) or 'the choice of the user'}: {fact.details[-1]}"


def without_outdated(episode: Episode, style: StyleChoice, seed: int) -> list[str]:
    """A store in a style that dropped whatever was replaced, so that nothing in it contradicts anything."""
    gone = {old.fact for probe in episode.probes for old in probe.outdated}
    memories = RewrittenMemory(episode, style, 0.0, seed).memories
    return [text for text, facts in memories if gone.isdisjoint(facts)]


def _drawn(told: Sequence[Told], rng: random.Random) -> Sequence[Told]:
    return told if len(told) <= _MOST else rng.sample(told, _MOST)


def _in_styles(told: Told, kind: str, style: StyleChoice | None, rng: random.Random) -> Iterator[PlantedMemory]:
    fact = told.fact.id if kind != "other_episode" else ""
    yield PlantedMemory(told.text, kind, True, fact=fact)
    if style is None:
        return
    for tried in rng.sample(STYLES, len(STYLES)) if style == "mixed" else (style,):
        found = rewrite(tried, told)
        if found is not None and len(found.texts) == 1 and not found.merges:
            yield PlantedMemory(found.texts[0], kind, True, tried, fact)
            return


def _is_foreign(told: Told, said: str) -> bool:
    """Whether nothing that matters in a fact of another episode was said in this one."""
    telling = [part.lower() for part in (told.fact.subject, *told.fact.details) if part]
    if not telling or any(part in said for part in telling):
        return False
    # A detail may be said in another order: Wednesdays after lunch, after lunch on Wednesday.
    known = frozenset(words(said).stems)
    return not all(frozenset(words(part).stems) <= known for part in telling)


def _invented(kind: Invention, told: Told, others: Sequence[Told], said: str, rng: random.Random) -> Told | None:
    match kind:
        case "wrong_number" | "wrong_date":
            return alter(_ALTERATIONS[kind], told, others, rng)
        case "merged_people":
            return _of_another(told, others, rng)
        case "wrong_name":
            return _with_other_name(told, said, rng)
        case "added_detail":
            clause = rng.choice([clause for clause in _ADDED if clause.lower() not in said])
            if told.sentence is None or "?" in told.text or "\n" in told.text:
                return None
            return replace(told, sentences=(_END.sub(f"{clause}.", told.text, count=1),))
        case _:
            return None


def _of_another(told: Told, others: Sequence[Told], rng: random.Random) -> Told | None:
    """The fact, told of somebody else who was spoken of."""
    subject = told.fact.subject
    if not subject or subject not in told.text:
        return None
    mine = set(subject.split())
    people = sorted({o.fact.subject for o in others if o.fact.subject and not mine & set(o.fact.subject.split())})
    people = [name for name in people if not any(part in told.text for part in name.split())]
    if not people:
        return None
    other = rng.choice(people)
    changed = [re.sub(rf"\b{re.escape(subject)}\b", other, sentence) for sentence in told.sentences]
    first, named = subject.split()[0], other.split()[0]
    changed = [re.sub(rf"\b{re.escape(first)}\b", named, sentence) for sentence in changed]
    return replace(told, sentences=tuple(changed))


def _with_other_name(told: Told, said: str, rng: random.Random) -> Told | None:
    """The fact with one of its names replaced by one that was never said."""
    names = [name for name in _NAMES if name.lower() not in said]
    for n, sentence in enumerate(told.sentences):
        found = _NAME.search(sentence)
        if found and names:
            changed = sentence[: found.start()] + rng.choice(names) + sentence[found.end() :]
            return replace(told, sentences=(*told.sentences[:n], changed, *told.sentences[n + 1 :]))
    return None
