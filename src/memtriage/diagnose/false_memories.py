"""What the stores of a run made up, from its records: a count beside the stages, which changes none of them.

The store at its end is held against everything that was said to it. Copies of what was said are known at once, so that
only what a system wrote itself is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from memtriage.core.episode import Episode
from memtriage.core.memory_check import MemoryCheck, MemoryFinding
from memtriage.core.trace import History
from memtriage.diagnose.judge.memories import MemoryJudge, OpenMemory
from memtriage.diagnose.lexical.contradictions import LiveMemory, contradictions
from memtriage.diagnose.lexical.said import Line, Said
from memtriage.diagnose.lexical.support import Support, support
from memtriage.record.files import MEMORY_CHECKS
from memtriage.record.manifest import Unit
from memtriage.record.memory_checks import read_memory_checks
from memtriage.record.reader import RunReader
from memtriage.text.language import speaking


@dataclass(frozen=True, slots=True)
class Checked:
    """A memory, whether anything said supports it, and who says so."""

    memory: LiveMemory
    support: Support
    detector: str = "lexical"


def memory_checks(reader: RunReader) -> Iterator[MemoryCheck]:
    """The checks of a finished run, one store at a time: as they were written, or made anew for a run without them."""
    seal = reader.finished()
    with reader:
        if MEMORY_CHECKS in seal.files:
            yield from read_memory_checks(reader.path, seal)
        else:
            yield from check_run(reader)


def check_run(reader: RunReader, made: Mapping[Unit, MemoryCheck] = MappingProxyType({})) -> Iterator[MemoryCheck]:
    """Check every store of a run by words, in the order of the run; one store is held at a time.

    Those that were checked where they were filled are `made` already.
    """
    episode_of = lru_cache(maxsize=1)(reader.episode)
    for unit in reader.units:
        yield made.get(unit) or _by_words(_store(reader, unit, episode_of(unit[1])))


def check_store(
    episode: Episode, history: History, read: Callable[[str], tuple[str, str]], system: str, repeat: int
) -> MemoryCheck:
    """Check a store by words, wherever it is; `read` gives the text and the date of a memory by its key."""
    return _by_words(_looked_at(episode, history, read, system, repeat))


def _by_words(store: _Store) -> MemoryCheck:
    if store.said is None:
        return store.check
    with speaking(store.episode.language):
        return with_findings(store.check, store.checked(), store.episode, store.said)


async def judge_run(reader: RunReader, judge: MemoryJudge, system: str | None = None) -> AsyncIterator[MemoryCheck]:
    """The same with a judge for the memories of which words can't tell; of one system, or of all."""
    reader.finished()
    episode_of = lru_cache(maxsize=1)(reader.episode)
    for unit in reader.units:
        if system not in (None, reader.system_and_repeat(unit[0])[0]):
            continue
        store = _store(reader, unit, episode_of(unit[1]))
        if store.said is None:
            yield store.check
            continue
        with speaking(store.episode.language):
            checked = list(store.checked())
            unsure = [n for n, one in enumerate(checked) if one.support.state == "uncertain"]
            asked = [OpenMemory(checked[n].memory.text, checked[n].support) for n in unsure]
            for n, ruled in zip(unsure, await judge.judge(asked, store.said), strict=True):
                checked[n] = Checked(checked[n].memory, ruled, f"judge:{judge.name}")
            found = with_findings(replace(store.check, judged_by=judge.name), checked, store.episode, store.said)
        yield found


@dataclass(frozen=True, slots=True)
class _Store:
    """A store, and what was said to it; None if it can't be checked."""

    episode: Episode
    keys: Sequence[str]
    read: Callable[[str], tuple[str, str]]
    check: MemoryCheck
    said: Said | None

    def checked(self) -> Iterator[Checked]:
        """The memories at its end, read one by one, with what words say of each."""
        memories = (LiveMemory(key, *self.read(key)) for key in self.keys)
        return check_memories(memories, self.said) if self.said else iter(())


def _store(reader: RunReader, unit: Unit, episode: Episode) -> _Store:
    return _looked_at(episode, reader.history(unit), reader.text_and_date, *reader.system_and_repeat(unit[0]))


def _looked_at(
    episode: Episode, history: History, read: Callable[[str], tuple[str, str]], system: str, repeat: int
) -> _Store:
    ingest = history.ingest
    check = MemoryCheck(
        *(episode.task.partition("/")[0], episode.task, system, episode.id, repeat),
        error=ingest.error or "",
        na=ingest.blind or "",
    )
    if ingest.blind is not None or not history.snapshots:
        return _Store(episode, (), read, check, None)
    return _Store(episode, history.held_at(None), read, check, said_until(episode, history.snapshots[-1].after))


_last: tuple[Episode, str | None, Said] | None = None
"""What was said in the episode that was looked at last: the stores of all systems in it are checked one by one."""


def said_until(episode: Episode, last: str | None) -> Said:
    """What was said in an episode up to a session, and the questions that were asked on the way."""
    global _last
    known = _last
    if known is None or known[0] is not episode or known[1] != last:
        known = _last = (episode, last, _said_until(episode, last))
    return known[2]


def _said_until(episode: Episode, last: str | None) -> Said:
    ids = [session.id for session in episode.sessions]
    coarse = [session.id for session in episode.coarse]
    if last in coarse:
        return Said(episode.coarse[: coarse.index(last) + 1])
    end = ids.index(last) + 1 if last in ids else len(ids)
    return Said(episode.sessions[:end], (probe.text for probe in episode.probes if probe.after in ids[: end - 1]))


def check_memories(memories: Iterable[LiveMemory], said: Said) -> Iterator[Checked]:
    """Each memory of a store with what words say of it."""
    for memory in memories:
        yield Checked(memory, support(memory.text, said, memory.created))


def with_findings(check: MemoryCheck, checked: Iterable[Checked], episode: Episode, said: Said) -> MemoryCheck:
    """A store's check with its counts and findings."""
    states: Counter[str] = Counter()
    findings: list[MemoryFinding] = []
    unordered: list[LiveMemory] = []
    for one in checked:
        states[one.support.state] += 1
        if one.support.state == "invented":
            findings.append(_invented(one))
        if not (one.support.copied and one.memory.created):  # what was said has the order in which it was said
            unordered.append(one.memory)
    pairs = list(_contradicting(unordered, episode, said))
    return replace(
        check,
        memories=states.total(),
        supported=states["supported"],
        invented=states["invented"],
        uncertain=states["uncertain"],
        contradicting=len(pairs),
        findings=(*findings, *pairs),
    )


def _invented(one: Checked) -> MemoryFinding:
    found, memory = one.support, one.memory
    return MemoryFinding(
        "invented", memory.key, memory.text, found.why, found.words, **_place(found.nearest), detector=one.detector
    )


def _place(line: Line | None) -> dict[str, str]:
    return {"nearest": line.text, "session": line.session, "turn": line.turn} if line else {}


def _contradicting(memories: Sequence[LiveMemory], episode: Episode, said: Said) -> Iterator[MemoryFinding]:
    for found in contradictions(memories, episode, said):
        yield MemoryFinding(
            "contradicting",
            found.one.key,
            found.one.text,
            found.why,
            found.words,
            other_key=found.other.key,
            other_text=found.other.text,
            **_place(found.line),
        )
