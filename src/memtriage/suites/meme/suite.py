"""The MEME suite: facts that depend on each other, asked for before and after the world changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

from memtriage.core.episode import Episode
from memtriage.core.suite import Loaded, Request, Suite, Task
from memtriage.suites.meme.data import ROWS, MemeFiles, generated_episodes, with_chats
from memtriage.suites.meme.domains import DOMAINS, PUBLISHED
from memtriage.suites.meme.layout import episode, unanswerable
from memtriage.suites.meme.options import OPTIONS, MemeOptions
from memtriage.suites.meme.released import files
from memtriage.suites.meme.resolve import disputed
from memtriage.suites.meme.rubrics import RUBRICS
from memtriage.suites.meme.statistics import statistics
from memtriage.text.language import in_language, speaking

VERSION = "2"
"""2: generated talk is worded from templates, questions and requests to forget vary."""

_SUMMARIES = {
    "personal-life": "one person's home, work, health and studies, and what follows when one of them changes",
    "software-project": "a project's stack, deployment and people, and what follows when one of them changes",
    "expedition": "a polar camp, its routes and its crew; goes beyond the paper",
}


def load(domain: str, request: Request) -> Loaded:
    """The episodes of a domain, and where they come from."""
    options = MemeOptions.parse(request.options)
    if request.data is not None:
        return _from_files(domain, request, request.data, options)
    rows = ROWS if request.rows is None else request.rows
    with speaking(options.language):
        generated = generated_episodes(domain, rows, request.seed, options)
    episodes = (
        replace(episode(skeleton, transcript, options.filler), language=options.language)
        for skeleton, transcript in generated
    )
    provenance = {"source": "generated", "seed": request.seed, "rows": rows, **options.provenance()}
    return Loaded(in_language(options.language, episodes), {"suite_version": VERSION, **provenance})


def _from_files(domain: str, request: Request, data: Path, options: MemeOptions) -> Loaded:
    """The episodes of a domain in the files, with what was left out or is disputed."""
    elsewhere: Counter[str] = Counter()
    episodes: list[Episode] = []
    provenance: dict[str, object] = {}
    left_out: list[str] = []
    contested: list[str] = []
    for source in files.find(data, options.filler if "filler" in options.given else None):
        for entry in files.read(source):
            if entry.domain != domain:
                elsewhere[entry.domain] += 1
            elif request.rows is None or len(episodes) < request.rows:
                provenance = provenance or source.provenance()
                with speaking(options.language):
                    one = with_chats(entry, request.seed, options)
                    laid_out = episode(one.skeleton, one.transcript, one.filler)
                    left_out += unanswerable(one.skeleton)
                episodes.append(replace(laid_out, language=options.language))
                contested += [f"{entry.id}: {q.type} of {q.targets[0]}" for q in disputed(one.skeleton)]
    provenance |= {"rows": len(episodes), "left_out": left_out, "disputed": contested, "other_domains": dict(elsewhere)}
    return Loaded(tuple(episodes), {"suite_version": VERSION, "source": "files", **provenance})


AXES = {
    "meme/exact-recall": ("single", "static"),
    "meme/aggregation": ("multi", "static"),
    "meme/tracking": ("single", "evolving"),
    "meme/deletion": ("single", "evolving"),
    "meme/cascade": ("multi", "evolving"),
    "meme/absence": ("multi", "evolving"),
}
"""The paper's figure 1: whether a task is about a single entity or several, and whether they change."""


SUITE = Suite(
    name="meme",
    title="MEME: what a memory makes of facts that change, hang on each other and are taken back",
    paper="arXiv:2605.12477",
    licence="CC BY 4.0 (released data), MIT (released code); generated episodes are yours",
    version=VERSION,
    tasks=tuple(
        Task(f"meme/{name}", _SUMMARIES[name], ROWS, partial(load, name), OPTIONS, extra=name not in PUBLISHED)
        for name in DOMAINS
    ),
    data=MemeFiles(),
    rubrics=RUBRICS,
    unscored=frozenset({"meme/before"}),
    axes=AXES,
    statistics=statistics,
)
