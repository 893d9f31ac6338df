"""Test-time learning: talks between somebody who looks for a film and somebody who recommends one.

People come in groups with the same tastes, and those of a group end up with the same favourites. So what to recommend
in a new talk can be learned from earlier talks of people with these tastes, and from nowhere else: no film exists.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from memtriage.core.errors import BadInput
from memtriage.suites.kit.draw import deck
from memtriage.suites.kit.words import items, lists, records, values
from memtriage.suites.memoryagentbench.context import PACKAGE, Context, Passage, Query, length_label
from memtriage.text.tokens import count_tokens

FAVOURITES = 5
"""As many as Recall@5 looks at, so that a right list can name them all."""

_TOKENS_EACH = 170
_TALKS_EACH = 10
_MOST_GROUPS = 1_000

_GAP = "\n\n"
_SEEKER, _RECOMMENDER = "Seeker", "Recommender"


@dataclass(frozen=True, slots=True)
class Film:
    """A film that does not exist."""

    title: str
    director: str


@dataclass(frozen=True, slots=True)
class _Group:
    """People with the same tastes (one of every kind) and the same favourites."""

    tastes: tuple[str, ...]
    favourites: tuple[Film, ...]
    praises: list[tuple[str, str, int]] = field(default_factory=list)
    """What was said in praise of a favourite: its title, the sentence, and where it begins in the text."""


@dataclass(frozen=True, slots=True)
class _Talk:
    """Lines of a talk, and those of them that praise a film."""

    lines: tuple[str, ...]
    praised: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def contexts(length: int, rows: int, seed: int, options: Mapping[str, str]) -> Iterator[Context]:
    """One context of talks of about so many tokens, with so many new talks that lack their recommendations."""
    rng = random.Random(f"recommendation/{seed}/{length}")
    groups, others = _groups_and_films(length, rng)
    text = _all_talks(groups, others, length, rng)
    known = [group for group in groups if group.praises]
    new = ((group, talk) for group, talk in _new_talks(known, others, rng) if talk.text not in text)
    chosen = islice(new, rows)
    label = length_label(length)
    id = f"recsys_made_up_{label}_{seed}"
    queries = tuple(_query(f"{id}/q{number}", group, talk) for number, (group, talk) in enumerate(chosen))
    passages = tuple(
        Passage(_passage_id(start), sentence, start, (title,))
        for title, sentence, start in sorted(
            (praise for group in known for praise in group.praises), key=lambda praise: praise[2]
        )
    )
    titles = tuple(film.title for film in (*(film for group in groups for film in group.favourites), *others))
    source = f"recsys_made_up_{label}"
    yield Context(id, "recommendation", source, text, passages, queries, {"length": label}, titles)


def _query(id: str, group: _Group, talk: _Talk) -> Query:
    golds = tuple(dict.fromkeys(title for title, _, _ in group.praises))
    needed = tuple((_passage_id(start),) for _, _, start in group.praises)
    return Query(id, talk.text, golds, "titles", needed)


def _passage_id(start: int) -> str:
    return f"praise/{start}"


# ------------------------------------------------------------------ people and films


def _groups_and_films(length: int, rng: random.Random) -> tuple[list[_Group], list[Film]]:
    """The groups, and films that are nobody's favourites."""
    count = max(2, min(_MOST_GROUPS, length // _TOKENS_EACH // _TALKS_EACH))
    films = _films(rng)
    groups = [_Group(tastes, tuple(islice(films, FAVOURITES))) for tastes in islice(_tastes(rng), count)]
    return groups, list(islice(films, max(10, count)))


def _films(rng: random.Random) -> Iterator[Film]:
    """New films, some tens of thousands of them; no title is part of another."""
    words, seen = lists(PACKAGE, "films/names"), set[str]()
    while True:
        noun, other = rng.sample(words["nouns"], 2)
        title = rng.choice(words["titles"]).format(
            adjective=rng.choice(words["adjectives"]).capitalize(),
            noun=noun.capitalize(),
            noun2=other.capitalize(),
            place=rng.choice(words["places"]),
            name=rng.choice(words["names"]),
        )
        if title not in seen:
            seen.add(title)
            yield Film(title, f"{rng.choice(words['director_first_names'])} {rng.choice(words['director_surnames'])}")


@cache
def _phrasings() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The ways to say each taste, by its kind and name."""
    kinds = records(PACKAGE, "films/tastes").items()
    return {kind: {taste: values(text) for taste, text in tastes.items()} for kind, tastes in kinds}


def _tastes(rng: random.Random) -> Iterator[tuple[str, ...]]:
    """One taste of every kind, each combination unlike all before it in at least two of them."""
    kinds = [list(tastes) for tastes in _phrasings().values()]
    used: set[tuple[str, ...]] = set()
    while True:
        tastes = tuple(map(rng.choice, kinds))
        without_one = {(*tastes[:n], "", *tastes[n + 1 :]) for n in range(len(tastes))}
        if used.isdisjoint(without_one):
            used |= without_one
            yield tastes


# ------------------------------------------------------------------ talks


def _all_talks(groups: Sequence[_Group], others: Sequence[Film], length: int, rng: random.Random) -> str:
    """All talks, as many as the length holds; what praises a favourite is noted with its group."""
    texts: list[str] = []
    used = place = 0
    for group in deck(rng, groups):
        talk, size = _fitting_talk(group, others, length - used, rng)
        if talk is None:
            break
        for title, line in talk.praised:
            group.praises.append((title, line, place + talk.text.index(line)))
        texts.append(talk.text)
        place += len(talk.text) + len(_GAP)
        used += size
    if not texts:
        raise BadInput(
            f"{length} tokens are too few for a talk about films; ask for a length of some hundreds at least"
        )
    return _GAP.join(texts)


def _fitting_talk(group: _Group, others: Sequence[Film], room: int, rng: random.Random) -> tuple[_Talk | None, int]:
    """A talk that fits into what is left, a brief one towards the end; None where none does."""
    for brief in (False, True, True, True):
        talk = _talk(group, others, brief, rng)
        size = count_tokens(talk.text + _GAP)
        if size <= room:
            return talk, size
    return None, 0


def _talk(group: _Group, others: Sequence[Film], brief: bool, rng: random.Random) -> _Talk:
    """One talk, from the greeting to the film that was liked in the end."""
    words = lists(PACKAGE, "films/talk")
    lines = _opening(group, others, 0 if brief else rng.choice((0, 1, 1, 2)), rng)
    first = len(group.praises) % FAVOURITES  # each favourite is praised before one is praised again
    liked = [group.favourites[first]]
    if not brief and rng.random() < 0.3:
        liked.append(group.favourites[(first + 1) % FAVOURITES])
    praised: list[tuple[str, str]] = []
    for film, praise in zip(liked, rng.sample(words["praises"], len(liked)), strict=True):
        lines.append(_line(_RECOMMENDER, _about_film(rng.choice(words["offers"]), film)))
        lines.append(_line(_SEEKER, _about_film(praise, film)))
        praised.append((film.title, lines[-1]))
    return _Talk((*lines, _line(_RECOMMENDER, rng.choice(words["endings"]))), tuple(praised))


def _opening(group: _Group, others: Sequence[Film], refused: int, rng: random.Random) -> list[str]:
    """A talk up to where the right film is named: the tastes, and some films that were refused."""
    words = lists(PACKAGE, "films/talk")
    lines = [
        _line(_SEEKER, rng.choice(words["greetings"]).format(occasion=rng.choice(words["occasions"]))),
        _line(_RECOMMENDER, rng.choice(words["questions"])),
        _line(_SEEKER, _tastes_in_words(group.tastes, rng)),
    ]
    for film, refusal in zip(rng.sample(others, refused), rng.sample(words["refusals"], refused), strict=True):
        lines.append(_line(_RECOMMENDER, _about_film(rng.choice(words["suggestions"]), film)))
        lines.append(_line(_SEEKER, refusal))
    return lines


def _tastes_in_words(tastes: Sequence[str], rng: random.Random) -> str:
    chosen = zip(_phrasings().items(), tastes, strict=True)
    phrases = {kind: rng.choice(phrasings[taste]) for (kind, phrasings), taste in chosen}
    way = rng.choice(records(PACKAGE, "films/taste_sentences")["ways"])
    sentences = [sentence.format_map(phrases) for sentence in items(way["sentences"])]
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def _new_talks(groups: Sequence[_Group], others: Sequence[Film], rng: random.Random) -> Iterator[tuple[_Group, _Talk]]:
    """New talks that stop before the right film is named, each worded like no other."""
    seen: set[str] = set()
    for group in deck(rng, groups):
        talk = _Talk(tuple(_opening(group, others, rng.choice((0, 1, 2)), rng)))
        if talk.text not in seen:
            seen.add(talk.text)
            yield group, talk


def _about_film(template: str, film: Film) -> str:
    return template.format(title=film.title, director=film.director)


def _line(who: str, says: str) -> str:
    return f"{who}: {says}"
