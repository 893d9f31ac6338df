"""Novels to sum up: an adventure whose plot is known point by point, told at any length.

>>> novel = next(contexts(8_000, 1, seed=1, options={}))
>>> len(novel.queries), len(novel.queries[0].golds) == len(novel.passages)
(1, True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.kit.words import records, word_list
from memtriage.suites.memoryagentbench.context import PACKAGE, Context, Query, length_label
from memtriage.suites.memoryagentbench.generate.story import (
    Person,
    Scene,
    marked_sentence,
    people,
    sentence,
    spots,
    strangers,
    tell,
    towns,
)

_SHORT = 20_000
"""Below so many tokens a novel has no side plots."""

_Way = Mapping[str, str]
"""A way in which a stage of the plot can go: `told` in the novel, and its `point` in a summary."""


def contexts(length: int, rows: int, seed: int, options: Mapping[str, str]) -> Iterator[Context]:
    """So many novels of so many tokens, each with the one request to sum it up."""
    if rows < 1:
        raise BadInput(f"summarization: at least 1 novel, not {rows}")
    for number in range(1, rows + 1):
        yield _novel(f"summarization-{seed}-{number}", length)


def example_summary(id: str) -> str:
    """The summary of a novel that nobody has written: what happens in it, point by point."""
    rng = Random(id)
    _, known = _cast(rng)
    points = (sentence(rng.choice(stage)["point"], known, rng) for stage in _stages(_SHORT, rng))
    return " ".join(points)


def _cast(rng: Random) -> tuple[Person, Mapping[str, str]]:
    """The hero of a novel, and the names of everybody and everything in it."""
    drawn, *others = people(5, rng)
    hero = replace(drawn, goal="to see justice done")
    known = {
        **hero.forms,
        **{role: one.name for role, one in zip(("FOE", "ALLY", "ELDER", "RIVAL"), others, strict=True)},
        **dict(zip(("HOME", "CITY", "ISLE", "FORT"), towns(4, rng), strict=True)),
        "HERO": hero.name,
        "PRIZE": rng.choice(word_list(PACKAGE, "summarization/prizes")),
    }
    return hero, known


def _novel(id: str, length: int) -> Context:
    rng = Random(f"{id}:{length}")
    hero, known = _cast(rng)
    plot = [rng.choice(stage) for stage in _stages(length, rng)]
    story = tell(list(_scenes(plot, hero, known, rng)), length, rng, id)
    query = Query(
        id=f"{id}/q1",
        text="Sum up the whole story of the novel: what happens, to whom, and how it ends.",
        golds=tuple(sentence(way["point"], known, rng) for way in plot),
        scoring="points",
        needed=(tuple(passage.id for passage in story.passages),),
        tags={"points": str(len(plot))},
    )
    tags = {"length": length_label(length)}
    return Context(id, "summarization", "infbench_sum", story.text, story.passages, (query,), tags)


def _stages(length: int, rng: Random) -> list[Sequence[_Way]]:
    """The stages of the plot in order; those of side plots lie between those of the main one."""
    plot = records(PACKAGE, "summarization/plot")
    main = plot["main"]
    stages = list(enumerate(main))
    if length >= _SHORT:
        for side in plot["side"]:
            # Not before everybody is known, and the last of them near the end.
            places = [*sorted(rng.sample(range(6, len(main) - 4), len(side["stages"]) - 1)), len(main) - 2]
            stages += zip(places, side["stages"], strict=True)
    return [stage["ways"] for _, stage in sorted(stages, key=lambda placed: placed[0])]


def _scenes(plot: Sequence[_Way], hero: Person, known: Mapping[str, str], rng: Random) -> Iterator[Scene]:
    """The scenes of a plot. The hero wanders from home to the city, to the island and to the fort."""
    road = [known[role] for role in ("HOME", "CITY", "ISLE", "FORT")]
    others = strangers(30, rng)
    for number, way in enumerate(plot):
        text, phrases = marked_sentence(way["told"], known, rng)
        place = road[number * len(road) // len(plot)]
        [spot] = spots(1, rng)
        yield Scene(f"p{number + 1}", text, phrases, hero, place, spot, rng.choice(others))
