"""MEME's data files: generated in the released schema, validated, downloaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtriage.core.chat import ChatModel
from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Step
from memtriage.suites.kit.datasets import write_data_file
from memtriage.suites.kit.options import no_options
from memtriage.suites.kit.writing import together
from memtriage.suites.meme.domains import graph_of
from memtriage.suites.meme.generate.assemble import assemble
from memtriage.suites.meme.generate.skeletons import skeletons
from memtriage.suites.meme.options import MemeOptions
from memtriage.suites.meme.released import files
from memtriage.suites.meme.released.record import RULES, record_of
from memtriage.suites.meme.released.sessions import ReleasedEpisode
from memtriage.suites.meme.released.validate import validate_file
from memtriage.suites.meme.skeleton import Skeleton
from memtriage.suites.meme.transcript import Transcript
from memtriage.suites.meme.written.chats import WrittenChats, write_chats
from memtriage.text.language import ENGLISH, speaking

ROWS = 50
"""Episodes per domain, as in the paper."""


class MemeFiles:
    """MEME's data files: one file for all domains, with what made it beside it."""

    def generate(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        chosen = MemeOptions.parse(options or {})
        wanted = ROWS if rows is None else rows
        with speaking(chosen.language):
            records = _records(tasks, wanted, seed, chosen, step)
            paths = _write(out, chosen, records, _config(tasks, wanted, seed, chosen))
        step("done", 1.0)
        return paths

    async def write(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        model: ChatModel,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        chosen = MemeOptions.parse(options or {})
        if chosen.language != ENGLISH:
            raise BadInput("a model writes MEME's chats in English alone; leave out language")
        wanted = ROWS if rows is None else rows
        bare = [skeleton for domain in tasks for skeleton in _skeletons(domain, wanted, seed, chosen)]
        done = 0

        async def chats(skeleton: Skeleton) -> WrittenChats:
            nonlocal done
            written = await write_chats(skeleton, seed, model)
            done += 1
            step(skeleton.domain, done / len(bare))
            return written

        first = await chats(bare[0])  # alone, so that a model that can't do it is not paid for all the others
        if not first.by_model:
            raise BadInput(
                f"{model.name} wrote none of the {len(first.chats)} sessions of episode {first.skeleton.id!r} as they "
                f"were asked for; what was turned down, by what was wrong with it: {dict(first.problems)}. "
                "Nothing was filed; try another model"
            )
        written = [first, *await together(chats(skeleton) for skeleton in bare[1:])]
        level, pool = chosen.filler, chosen.fillers()
        records = (
            record_of(
                *(one.skeleton, assemble(one.skeleton, seed, level, pool, one.evidence_sessions), level),
                worded_by=[RULES if chat is None else model.name for chat in one.chats],
            )
            for one in written
        )
        by = {"model_name": model.name, "calls": sum(one.calls for one in written), **_rejections(written)}
        return _write(out, chosen, records, _config(tasks, wanted, seed, chosen) | by)

    def validate(self, path: Path) -> Iterator[Checked]:
        for source in files.find_all(path):
            yield from validate_file(source)

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        from memtriage.suites.kit.pull import Terms, byte_progress
        from memtriage.suites.meme.released.pull import pull_meme

        terms, rest = Terms.of(options)
        no_options("meme", rest)
        return pull_meme(out, revision, endpoint, byte_progress(step), terms=terms)


def generated_episodes(
    domain: str, rows: int, seed: int, options: MemeOptions
) -> Iterator[tuple[Skeleton, Transcript]]:
    """So many generated episodes of a domain, with their chats."""
    pool = options.fillers()
    for skeleton in _skeletons(domain, rows, seed, options):
        yield skeleton, assemble(skeleton, seed, options.filler, pool)


def with_chats(entry: files.FileEntry, seed: int, options: MemeOptions) -> ReleasedEpisode:
    """An episode of a file: with its own chats, or with chats and fillers generated for it."""
    if "phrasing" in options.given:
        raise BadInput(f"{entry.file} says how its dependencies are told; leave the option phrasing out")
    if entry.gold is not None:
        skeleton = entry.skeleton()
        transcript = assemble(skeleton, seed, options.filler, options.fillers())
        return ReleasedEpisode(skeleton, transcript, options.filler)
    one = entry.episode()
    if "pool" in options.given:
        raise BadInput(f"{entry.file} brings its own fillers; leave the option pool out")
    if "filler" in options.given and one.filler != options.filler:
        raise BadInput(f"{entry.file}: episode {entry.id!r} has {one.filler} of filler, not {options.filler}")
    return one


def _skeletons(domain: str, rows: int, seed: int, options: MemeOptions) -> Iterator[Skeleton]:
    return skeletons(graph_of(domain), rows, seed, options.phrasing)


def _config(tasks: Sequence[str], rows: int, seed: int, options: MemeOptions) -> dict[str, object]:
    """What a file's record says about how it was generated."""
    return {"domains": list(tasks), "episodes_per_domain": rows, "seed": seed, **options.provenance()}


def _write(
    out: Path, options: MemeOptions, records: Iterable[Mapping[str, Any]], config: Mapping[str, object]
) -> list[Path]:
    """Write episodes to their file, with a record of how they were generated beside it."""
    path = out / files.file_name(options.filler)
    beside = out / f"generation_config_{path.stem.removeprefix('meme_')}.json"  # a folder may hold several levels
    return write_data_file("meme", path, beside, files.json_pieces(records), config)


def _rejections(written: Iterable[WrittenChats]) -> dict[str, object]:
    """How often a model's sessions were rejected, why, and how many rules had to word instead."""
    problems: Counter[str] = Counter()
    by_rules = 0
    for one in written:
        problems.update(one.problems)
        by_rules += one.by_rules
    return {"turned_down": dict(problems), "sessions_worded_by_rules": by_rules}


def _records(tasks: Sequence[str], rows: int, seed: int, options: MemeOptions, step: Step) -> Iterator[dict[str, Any]]:
    """The generated episodes of all domains, in the released schema."""
    for place, domain in enumerate(tasks):
        for number, (skeleton, transcript) in enumerate(generated_episodes(domain, rows, seed, options)):
            step(domain, (place + number / rows) / len(tasks))
            yield record_of(skeleton, transcript, options.filler)
