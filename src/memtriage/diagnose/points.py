"""What became of the points that each session should leave behind: a count beside the stages, which changes none.

A point is looked for among the memories that came with its session, an update in the whole store after it. Words leave
open what they can't settle; a judge can be asked about that, and about what only a judge can say.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace

from memtriage.core.episode import Episode, Fact, Point, Probe, Session
from memtriage.core.point_check import AnswerFinding, MemoryScore, Outcome, PointCheck, PointFinding
from memtriage.core.trace import History
from memtriage.diagnose.false_memories import said_until
from memtriage.diagnose.judge.points import AskedAnswer, AskedMemory, AskedPoint, PointJudge
from memtriage.diagnose.lexical.detector import holds
from memtriage.diagnose.lexical.sentence_index import SentenceIndex
from memtriage.diagnose.lexical.support import State, support
from memtriage.record.manifest import Unit
from memtriage.record.reader import RunReader
from memtriage.text.words import words

_SCORES = {"found": (2, 2), "unsettled": (0, 2), "edited": (1, 1), "absent": (0, 0)}
"""What a point scores at least and at most, the best finding first."""

_NEAR = 0.5
"""A memory with this share of a point's words may tell a part of it."""

_ACCURACY: dict[State, tuple[int, int]] = {"supported": (2, 2), "invented": (0, 1), "uncertain": (0, 2)}
"""What a memory scores at least and at most: of what is invented, words can't say whether a part of it was said."""


def check_points(reader: RunReader, system: str | None = None) -> Iterator[PointCheck]:
    """The points of every store of a finished run, by words, in the order of the run; of one system, or of all."""
    for store in _stores(reader, system):
        yield store.by_words()


async def judge_points(reader: RunReader, judge: PointJudge, system: str | None = None) -> AsyncIterator[PointCheck]:
    """The same with a judge, for what words leave open, for what is kept besides, and for answers."""
    for store in _stores(reader, system):
        yield await store.judged(judge)


def _stores(reader: RunReader, system: str | None) -> Iterator[_Store]:
    reader.finished()
    for unit in reader.units:
        if system in (None, reader.system_and_repeat(unit[0])[0]):
            episode = reader.episode(unit[1])
            if any(isinstance(fact, Point) for fact in episode.facts):
                yield _Store(reader, unit, episode)


@dataclass(frozen=True, slots=True)
class _Look:
    """What a store held after a session, and what of it had come since the look before that session."""

    held: frozenset[str]
    came: tuple[str, ...]


class _Store:
    """A store of a run, and the points of its episode."""

    def __init__(self, reader: RunReader, unit: Unit, episode: Episode) -> None:
        self._reader, self._unit, self._episode = reader, unit, episode
        self._history = reader.history(unit)
        self._points = [fact for fact in episode.facts if isinstance(fact, Point)]
        self._facts = {fact.id: fact for fact in episode.facts}
        self._days = {session.id: session.timestamp or "" for session in episode.sessions}
        self._sessions = {session.id: session for session in episode.sessions}

    def by_words(self) -> PointCheck:
        """What words say of it."""
        suite, label = self._episode.task.partition("/")[0], self._reader.system_and_repeat(self._unit[0])[0]
        check = PointCheck(suite, self._episode.task, label, self._episode.id)
        ingest = self._history.ingest
        if ingest.error or ingest.blind or not self._history.snapshots:
            return replace(check, error=ingest.error or "", na=ingest.blind or "no look at the store was recorded")
        looks, index = self._looks(), self._index()
        found = [self._find(point, looks[point.session], index) for point in self._points]
        return replace(
            check,
            points=tuple(one for one in found if not one.point.replaces),
            updates=tuple(one for one in found if one.point.replaces),
            memories=tuple(self._scores(looks)),
        )

    def _looks(self) -> dict[str, _Look]:
        """For each session with points, the first look after it."""
        order = {session: n for n, session in enumerate(self._days)}
        chain = [s for s in self._history.leading_to(self._history.snapshots[-1].id) if s.after in order]
        held = [frozenset[str](), *_held(self._history, [snapshot.id for snapshot in chain])]
        places = [order[snapshot.after] for snapshot in chain]
        found: dict[str, _Look] = {}
        for session in dict.fromkeys(point.session for point in self._points):
            at = next((n for n, place in enumerate(places) if place >= order[session]), len(places) - 1)
            before = sum(place < order[session] for place in places)
            there, then = held[at + 1], held[before]
            found[session] = _Look(there, tuple(sorted(there - then)))
        return found

    def _index(self) -> SentenceIndex:
        """What was said and every memory that there ever was, by sentence."""
        turns = ((turn.id, turn.text) for s in self._episode.sessions for turn in s.turns if not turn.is_reply)
        gold = [(turn, e) for fact in self._episode.facts for e in fact.evidence for turn in fact.turns or (fact.id,)]
        index = SentenceIndex(turns, gold)
        keys = dict.fromkeys(key for snapshot in self._history.snapshots for key in snapshot.added)
        for key, text in self._reader.texts(list(keys)).items():
            index.add(key, text)
        return index

    def _find(self, point: Point, look: _Look, index: SentenceIndex) -> PointFinding:
        scope = frozenset(index.number(key) for key in (look.held if point.replaces else look.came))
        if not scope:
            return PointFinding(point, 0, 0, "nothing was kept")
        wordings = [self._facts[id] for id in point.wordings]
        day = self._days[point.session]
        states = {found.state: found.why for found in (holds(fact, index, scope, said=day) for fact in wordings)}
        state = next(state for state in _SCORES if state in states)
        low, high = _SCORES[state]
        if state != "found" and not point.said:
            low, high = 0, 2  # without the words that told it, a copy of them looks absent
        elif state == "absent" and any(self._shares(fact, index.text(n)) for fact in wordings for n in scope):
            high = 1  # it isn't there, but something of it may be
        return PointFinding(point, low, high, states[state])

    def _shares(self, fact: Fact, text: str) -> bool:
        wanted = {stem for sentence in fact.evidence for stem in words(sentence).stems}
        return len(wanted.intersection(words(text).stems)) >= _NEAR * len(wanted)

    def _scores(self, looks: dict[str, _Look]) -> Iterator[MemoryScore]:
        said = said_until(self._episode, self._history.snapshots[-1].after)
        seen: set[str] = set()
        for session, look in looks.items():
            for key in look.came:
                if key not in seen:
                    seen.add(key)
                    memory = self._reader.memory(key)
                    found = support(memory["text"], said, memory["created_at"] or "")
                    yield MemoryScore(key, session, *_ACCURACY[found.state])

    async def judged(self, judge: PointJudge) -> PointCheck:
        """What words say of it, and a judge of the rest."""
        check = self.by_words()
        if check.error or check.na:
            return check
        looks = self._looks()
        return replace(
            check,
            points=await self._judged_points(check.points, looks, judge),
            updates=await self._judged_updates(check.updates, looks, judge),
            memories=await self._judged_memories(check.memories, judge),
            answers=await self._judged_answers(judge),
        )

    async def _judged_points(
        self, found: Sequence[PointFinding], looks: dict[str, _Look], judge: PointJudge
    ) -> tuple[PointFinding, ...]:
        unsure = [n for n, one in enumerate(found) if one.open]
        asked = [AskedPoint(p.text, self._texts(looks[p.session].came)) for p in (found[n].point for n in unsure)]
        return _with(found, unsure, [(score, None) for score in await judge.kept(asked)])

    async def _judged_updates(
        self, found: Sequence[PointFinding], looks: dict[str, _Look], judge: PointJudge
    ) -> tuple[PointFinding, ...]:
        """Words can say that an update is there, or that nothing was kept; what went wrong, only a judge can."""
        unsure = [n for n, one in enumerate(found) if one.low < 2 and looks[one.point.session].held]
        asked = [
            AskedPoint(p.text, self._texts(sorted(looks[p.session].held)), p.replaces)
            for p in (found[n].point for n in unsure)
        ]
        outcomes = await judge.updated(asked)
        return _with(found, unsure, [(None if o is None else 2 * (o == "correct"), o) for o in outcomes])

    async def _judged_memories(self, found: Sequence[MemoryScore], judge: PointJudge) -> tuple[MemoryScore, ...]:
        gold: dict[str, list[str]] = {}
        for point in self._points:
            if point.wanted:
                gold.setdefault(point.session, []).append(point.text)
        texts = self._reader.texts([one.key for one in found])
        asked = [
            AskedMemory(texts[one.key], _dialogue(self._sessions[one.session]), tuple(gold.get(one.session, ())))
            for one in found
        ]
        ruled = await judge.accurate(asked)
        return tuple(
            one if answer is None else replace(one, low=answer[0], high=answer[0], target=answer[1])
            for one, answer in zip(found, ruled, strict=True)
        )

    async def _judged_answers(self, judge: PointJudge) -> tuple[AnswerFinding, ...]:
        models = self._reader.answered_by()
        probes = {probe.id: probe for probe in self._episode.probes}
        given = [
            (probes[probe], k, answer.text)
            for (probe, k, repeat), answer in (self._reader.answers(self._unit, models[-1]).items() if models else ())
            if not repeat and answer.error is None
        ]
        asked = [AskedAnswer(probe.text, probe.gold, self._evidence(probe), text) for probe, _, text in given]
        return tuple(
            AnswerFinding(probe.id, k, probe.tags.get("type", ""), outcome)
            for (probe, k, _), outcome in zip(given, await judge.answered(asked), strict=True)
        )

    def _evidence(self, probe: Probe) -> tuple[str, ...]:
        return tuple(self._facts[id].text for id in probe.needed if isinstance(self._facts[id], Point))

    def _texts(self, keys: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._reader.texts(keys).values())


def _held(history: History, snapshots: Sequence[str]) -> Iterator[frozenset[str]]:
    """What a store held at each of the snapshots, which lead to one another."""
    steps = {snapshot.id: snapshot for snapshot in history.snapshots}
    held: frozenset[str] = frozenset()
    for id in snapshots:
        held = (held | frozenset(steps[id].added)) - frozenset(steps[id].removed)
        yield held


def _with(
    found: Sequence[PointFinding], places: Sequence[int], ruled: Sequence[tuple[int | None, Outcome | None]]
) -> tuple[PointFinding, ...]:
    """The findings with what a judge said of some of them; what it couldn't judge stays as it is."""
    whole = list(found)
    for place, (score, outcome) in zip(places, ruled, strict=True):
        if score is not None:
            whole[place] = replace(whole[place], low=score, high=score, outcome=outcome, why="", judged=True)
    return tuple(whole)


def _dialogue(session: Session) -> tuple[tuple[str, str], ...]:
    return tuple((turn.role, turn.text) for turn in session.turns)
