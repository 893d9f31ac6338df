"""What systems do to their stores in the session that changes or takes back what was told before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from memtriage.core.episode import Episode
from memtriage.core.trace import History, Snapshot
from memtriage.record.reader import RunReader
from memtriage.tables.table import MERGED


@dataclass(frozen=True, slots=True)
class Rewrites:
    """How the stores of one system took such a session: how many took anything in, and how many rewrote what they had.

    `rewrote` counts stores in which something that was kept before is gone or reads differently afterwards; one that
    only appends is not among them. `before` and `after` are the mean sizes of the stores in characters.
    """

    suite: str
    task: str
    system: str
    stores: int
    wrote: int
    rewrote: int
    before: float
    after: float

    @property
    def delta(self) -> float | None:
        """By how much the stores grew, as a share of their size before; None if they were empty."""
        return self.after / self.before - 1 if self.before else None


@dataclass(frozen=True, slots=True)
class _Step:
    """One store around the session."""

    wrote: bool
    rewrote: bool
    before: int
    after: int


def rewrites(reader: RunReader) -> list[Rewrites]:
    """One row per system and task, in the manifest's order, then one over all tasks if there are several.

    Stores that failed or can't be listed are left out, and so are episodes without such a session.
    """
    steps: dict[tuple[str, str, str], list[_Step]] = {}
    with reader:
        for unit in reader.units:
            episode, history = reader.episode(unit[1]), reader.history(unit)
            around = _around(episode, history)
            if around is None or history.ingest.error or history.ingest.blind:
                continue
            system, _ = reader.system_and_repeat(unit[0])
            key = (episode.task.partition("/")[0], episode.task, system)
            steps.setdefault(key, []).append(_step(reader, history, *around))
    return list(_rows(steps))


def turning_session(episode: Episode) -> str | None:
    """The last session that voids what a question asked before and after is about; None if no session does."""
    voiding = {id for probe in episode.probes if probe.given for old in probe.outdated for id in old.voided_by}
    turns = {turn for fact in episode.facts if fact.id in voiding for turn in fact.turns}
    found = [session.id for session in episode.sessions if any(turn.id in turns for turn in session.turns)]
    return found[-1] if found else None


def _around(episode: Episode, history: History) -> tuple[Snapshot | None, Snapshot] | None:
    """The last look at a store before its turning session and the first one after it; None if there is no such."""
    session = turning_session(episode)
    if session is None:
        return None
    place = {one.id: number for number, one in enumerate(episode.sessions)}
    looks = [look for look in history.leading_to(_last(history)) if look.after in place]
    before = [look for look in looks if place[look.after] < place[session]]
    after = [look for look in looks if place[look.after] >= place[session]]
    return (before[-1] if before else None, after[0]) if after else None


def _last(history: History) -> str | None:
    return history.snapshots[-1].id if history.snapshots else None


def _step(reader: RunReader, history: History, before: Snapshot | None, after: Snapshot) -> _Step:
    old = set(history.held_at(before.id)) if before else set()
    new = set(history.held_at(after.id))
    texts = reader.texts(old | new)
    sizes = (sum(len(texts[key]) for key in held) for held in (old, new))
    return _Step(old != new, bool(old - new), *sizes)


def _rows(steps: dict[tuple[str, str, str], list[_Step]]) -> Iterator[Rewrites]:
    for (suite, task, system), own in steps.items():
        yield _row(suite, task, system, own)
    for suite, system in dict.fromkeys((suite, system) for suite, _, system in steps):
        tasks = [own for (s, _, name), own in steps.items() if (s, name) == (suite, system)]
        if len(tasks) > 1:
            yield _row(suite, MERGED, system, [step for own in tasks for step in own])


def _row(suite: str, task: str, system: str, steps: Sequence[_Step]) -> Rewrites:
    return Rewrites(
        suite,
        task,
        system,
        stores=len(steps),
        wrote=sum(step.wrote for step in steps),
        rewrote=sum(step.rewrote for step in steps),
        before=fmean(step.before for step in steps),
        after=fmean(step.after for step in steps),
    )
