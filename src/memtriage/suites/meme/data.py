"""MEME's data files: generated in the released schema, validated, downloaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtriage.core.chat import ChatModel
from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Problem, Step
from memtriage.suites.kit.datasets import file_away
from memtriage.suites.kit.options import no_options
from memtriage.suites.kit.writing import together
from memtriage.suites.meme import files
from memtriage.suites.meme.assemble import assemble
from memtriage.suites.meme.checks import disputed
from memtriage.suites.meme.conflicts import Gold
from memtriage.suites.meme.layout import episode, untold
from memtriage.suites.meme.options import Wording, generated, skeletons_of
from memtriage.suites.meme.released import Told
from memtriage.suites.meme.skeleton import Question, Skeleton
from memtriage.suites.meme.writing import record_of
from memtriage.suites.meme.written import WrittenChats, write_chats

ROWS = 50
"""Episodes per domain, as in the paper."""


class Files:
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
        wording = Wording.of(options or {})
        wanted = ROWS if rows is None else rows
        told = {"domains": list(tasks), "episodes_per_domain": wanted, "seed": seed, **wording.provenance()}
        written = _write(out, wording, _records(tasks, wanted, seed, wording, step), told)
        step("done", 1.0)
        return written

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
        wording = Wording.of(options or {})
        wanted = ROWS if rows is None else rows
        bare = [skeleton for domain in tasks for skeleton in skeletons_of(domain, wanted, seed, wording)]
        done = 0

        async def chats(skeleton: Skeleton) -> WrittenChats:
            nonlocal done
            written = await write_chats(skeleton, seed, model)
            done += 1
            step(skeleton.domain, done / len(bare))
            return written

        written = await together(chats(skeleton) for skeleton in bare)
        pool = wording.fillers()
        records = (
            record_of(one.skeleton, assemble(one.skeleton, seed, wording.filler, pool, one.word), wording.filler)
            for one in written
        )
        told = {"domains": list(tasks), "episodes_per_domain": wanted, "seed": seed, **wording.provenance()}
        by = {"model_name": model.name, "calls": sum(one.calls for one in written), **_turned_down(written)}
        return _write(out, wording, records, told | by)

    def validate(self, path: Path) -> Iterator[Checked]:
        for source in files.every(path):
            yield from _checked(source)

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        from memtriage.suites.kit.pull import heard
        from memtriage.suites.meme.pull import pull_meme

        no_options("meme", options)
        return pull_meme(out, revision, endpoint, heard(step))


def _write(out: Path, wording: Wording, records: Iterable[Mapping[str, Any]], told: Mapping[str, object]) -> list[Path]:
    """Put episodes in their file, with what made them beside it."""
    path = out / files.name_of(wording.filler)
    config = out / f"generation_config_{path.stem.removeprefix('meme_')}.json"  # a folder may hold several levels
    return file_away("meme", path, config, files.lines(records), told)


def _turned_down(written: Iterable[WrittenChats]) -> dict[str, object]:
    """How often a model's sessions were refused, why, and how many the free wording had to tell."""
    problems: Counter[str] = Counter()
    free = 0
    for one in written:
        problems.update(one.problems)
        free += one.free
    return {"turned_down": dict(problems), "sessions_worded_freely": free}


def _records(tasks: Sequence[str], rows: int, seed: int, wording: Wording, step: Step) -> Iterator[dict[str, Any]]:
    """The episodes of all domains as they stand in a file."""
    for place, domain in enumerate(tasks):
        for number, (skeleton, worded) in enumerate(generated(domain, rows, seed, wording)):
            step(domain, (place + number / rows) / len(tasks))
            yield record_of(skeleton, worded, wording.filler)


def _checked(source: files.Source) -> Iterator[Checked]:
    """One file, domain by domain."""
    rows: Counter[str] = Counter()
    problems: dict[str, list[Problem]] = {}
    try:
        for entry in files.read(source):
            rows[entry.domain] += 1
            problems.setdefault(entry.domain, []).extend(_problems(entry))
    except BadInput as error:  # what follows in the file can't be read either
        yield Checked("meme", source.path, rows.total(), (Problem(str(error), True),))
    else:
        if not rows:
            yield Checked("meme", source.path, 0, (Problem(f"{source.path} holds no episodes", True),))
    for domain, found in problems.items():
        yield Checked(domain, source.path, rows[domain], tuple(found))


def _problems(entry: files.Entry) -> Iterator[Problem]:
    """What is wrong with an episode; what released files have themselves is only warned of."""
    where = f"{entry.file}: episode {entry.id!r}"
    try:
        told = entry.told() if entry.gold is None else None
        skeleton = told.skeleton if told else entry.skeleton()
        if told is not None:
            episode(skeleton, told.worded, told.filler)
    except BadInput as error:
        yield Problem(str(error), True)
        return
    for gone in untold(skeleton):
        yield Problem(f"{where}: nobody can answer {gone.partition(': ')[2]}: it was never told", False)
    for question in disputed(skeleton):
        yield Problem(f"{where}: {_dispute(skeleton, question)}", question.type != "absence")
    if told is not None:
        yield from (Problem(f"{where}: {clash}", False) for clash in _clashes(told))


def _dispute(skeleton: Skeleton, question: Question) -> str:
    from memtriage.suites.meme.checks import outcome

    now = outcome(skeleton)[question.targets[0]]
    follows = repr(now) if isinstance(now, str) else "that it can't be known"
    return f"the answer of {question.type} of {question.targets[0]!r} is {question.gold!r}, but {follows} follows"


def _clashes(told: Told) -> Iterator[str]:
    """The fillers that touch the episode's own facts, by kind."""
    gold = Gold.of(told.skeleton)
    kinds: dict[str, list[str]] = {}
    for session in told.worded.sessions:
        if session.id not in told.worded.evidence:
            kind = gold.conflict(tuple((turn.role, turn.text) for turn in session.turns))
            if kind is not None:
                kinds.setdefault(kind, []).append(session.id)
    names = {"A": "may contradict", "B": "hold a value of", "C": "hold a name out of"}
    for found, sessions in sorted(kinds.items()):
        yield f"{len(sessions)} filler sessions {names[found]} its facts: {', '.join(sessions[:3])}"
