"""Checks a file of episodes: can each be read, do its gold answers follow, do its fillers keep off its facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Problem
from memtriage.suites.kit.shortcuts import guessable
from memtriage.suites.meme.generate.conflicts import GoldWords
from memtriage.suites.meme.layout import episode, unanswerable
from memtriage.suites.meme.released import files
from memtriage.suites.meme.released.record import RULES
from memtriage.suites.meme.released.sessions import ReleasedEpisode
from memtriage.suites.meme.resolve import disputed, outcome
from memtriage.suites.meme.skeleton import Question, Skeleton


def validate_file(source: files.EpisodeFile) -> Iterator[Checked]:
    """What was found in one file, domain by domain."""
    rows: Counter[str] = Counter()
    problems: dict[str, list[Problem]] = {}
    probes: dict[str, list[Probe]] = {}
    try:
        for entry in files.read(source):
            rows[entry.domain] += 1
            problems.setdefault(entry.domain, []).extend(_problems(entry, probes.setdefault(entry.domain, [])))
    except BadInput as error:  # what follows in the file can't be read either
        yield Checked("meme", source.path, rows.total(), (Problem(str(error), True),))
    else:
        if not rows:
            yield Checked("meme", source.path, 0, (Problem(f"{source.path} holds no episodes", True),))
    for domain, found in problems.items():
        yield Checked(domain, source.path, rows[domain], (*found, *guessable(probes[domain])))


def _problems(entry: files.FileEntry, probes: list[Probe]) -> Iterator[Problem]:
    """What is wrong with an episode, whose questions are added to `probes`.

    Flaws that released files have too are only warnings.
    """
    where = f"{entry.file}: episode {entry.id!r}"
    try:
        whole = entry.episode() if entry.gold is None else None
        skeleton = whole.skeleton if whole else entry.skeleton()
        if whole is not None:
            probes += episode(skeleton, whole.transcript, whole.filler).probes
    except BadInput as error:
        yield Problem(str(error), True)
        return
    for untold in unanswerable(skeleton):
        yield Problem(f"{where}: nobody can answer {untold.partition(': ')[2]}: it was never told", False)
    for question in disputed(skeleton):
        yield Problem(f"{where}: {_dispute(skeleton, question)}", question.type != "absence")
    if whole is not None:
        yield from (Problem(f"{where}: {clash}", False) for clash in _clashes(whole))
        if by_rules := [str(one["session_id"]) for one in entry.record["sessions"] if one.get("worded_by") == RULES]:
            yield Problem(
                f"{where}: a model was to write sessions that rules had to word: {', '.join(by_rules)}", False
            )


def _dispute(skeleton: Skeleton, question: Question) -> str:
    now = outcome(skeleton)[question.targets[0]]
    follows = repr(now) if isinstance(now, str) else "that it can't be known"
    return f"the answer of {question.type} of {question.targets[0]!r} is {question.gold!r}, but {follows} follows"


def _clashes(whole: ReleasedEpisode) -> Iterator[str]:
    """The fillers that touch the episode's own facts, by kind."""
    gold = GoldWords.of(whole.skeleton)
    kinds: dict[str, list[str]] = {}
    for session in whole.transcript.sessions:
        if session.id not in whole.transcript.evidence:
            kind = gold.conflict(tuple((turn.role, turn.text) for turn in session.turns))
            if kind is not None:
                kinds.setdefault(kind, []).append(session.id)
    names = {"A": "may contradict", "B": "hold a value of", "C": "hold a name out of"}
    for found, sessions in sorted(kinds.items()):
        yield f"{len(sessions)} filler sessions {names[found]} its facts: {', '.join(sessions[:3])}"
