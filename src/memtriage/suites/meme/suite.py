"""The MEME suite: facts that hang on each other, asked for before and after the world changes."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.core.suite import Loaded, Request, Suite, Task
from memtriage.suites.meme import files
from memtriage.suites.meme.assemble import assemble
from memtriage.suites.meme.checks import disputed
from memtriage.suites.meme.data import ROWS, Files
from memtriage.suites.meme.domains import DOMAINS, PUBLISHED
from memtriage.suites.meme.layout import episode, untold
from memtriage.suites.meme.options import OPTIONS, Wording, generated
from memtriage.suites.meme.released import Told
from memtriage.suites.meme.rubrics import RUBRICS

VERSION = "1"

_SUMMARIES = {
    "personal-life": "one person's home, work, health and studies, and what follows when one of them changes",
    "software-project": "a project's stack, deployment and people, and what follows when one of them changes",
    "expedition": "a polar camp, its routes and its crew; goes beyond the paper",
}


def load(domain: str, request: Request) -> Loaded:
    """The episodes of a domain, and where they come from."""
    wording = Wording.of(request.options)
    if request.data is not None:
        return _from_files(domain, request, request.data, wording)
    rows = ROWS if request.rows is None else request.rows
    made = generated(domain, rows, request.seed, wording)
    episodes = (episode(skeleton, worded, wording.filler) for skeleton, worded in made)
    told = {"source": "generated", "seed": request.seed, "rows": rows, **wording.provenance()}
    return Loaded(episodes, {"suite_version": VERSION, **told})


def _from_files(domain: str, request: Request, data: Path, wording: Wording) -> Loaded:
    """The episodes of a domain that files hold, with what there is to say about them."""
    elsewhere: Counter[str] = Counter()
    episodes: list[Episode] = []
    told: dict[str, object] = {}
    left_out: list[str] = []
    contested: list[str] = []
    for source in files.find(data, wording.filler if "filler" in wording.given else None):
        for entry in files.read(source):
            if entry.domain != domain:
                elsewhere[entry.domain] += 1
            elif request.rows is None or len(episodes) < request.rows:
                told = told or source.provenance()
                one = _in_words(entry, request.seed, wording)
                episodes.append(episode(one.skeleton, one.worded, one.filler))
                left_out += untold(one.skeleton)
                contested += [f"{entry.id}: {q.type} of {q.targets[0]}" for q in disputed(one.skeleton)]
    told |= {"rows": len(episodes), "left_out": left_out, "disputed": contested, "other_domains": dict(elsewhere)}
    return Loaded(tuple(episodes), {"suite_version": VERSION, "source": "files", **told})


def _in_words(entry: files.Entry, seed: int, wording: Wording) -> Told:
    """An episode of a file: with its own chats, or with chats and fillers made for it."""
    if "phrasing" in wording.given:
        raise BadInput(f"{entry.file} says how its dependencies are told; leave the option phrasing out")
    if entry.gold is not None:
        skeleton = entry.skeleton()
        return Told(skeleton, assemble(skeleton, seed, wording.filler, wording.fillers()), wording.filler)
    one = entry.told()
    if "pool" in wording.given:
        raise BadInput(f"{entry.file} brings its own fillers; leave the option pool out")
    if "filler" in wording.given and one.filler != wording.filler:
        raise BadInput(f"{entry.file}: episode {entry.id!r} has {one.filler} of filler, not {wording.filler}")
    return one


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
    data=Files(),
    rubrics=RUBRICS,
)
