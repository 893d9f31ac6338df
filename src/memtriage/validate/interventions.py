"""Finds the cause of a failed probe by repairing one stage at a time, without a judge of the stages.

The same model is asked the same question with the gold facts, with the right stored memories, with the retrieved ones,
and with none. Only the answers are graded.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from memtriage.core.chat import FATAL, Call, ChatModel, ModelError, Reply
from memtriage.core.episode import Episode, Fact, Probe
from memtriage.core.errors import MemtriageError
from memtriage.core.reading import Reading
from memtriage.core.verdict import FactVerdict, Verdict
from memtriage.diagnose.answers import AnswerGrader
from memtriage.diagnose.memory_index import MemorySet
from memtriage.runner.answer_prompts import answer_call, read_answer
from memtriage.text.language import ENGLISH, speaking
from memtriage.text.sentences import sentences
from memtriage.text.words import words

Context = Literal["gold", "stored", "retrieved", "none", "recorded"]
"""The memories shown for an answer; `recorded` is another model's recorded answer from the retrieved ones."""

CLOSEST = 3
"""How many of the closest stored memories are shown for a fact without a known intact memory."""

_COVERS = 0.5
_WITHIN = 0.6
_LEAST = 2
_WORD = re.compile(r"[^\W\d_]+")
_INTACT: frozenset[Verdict] = frozenset({"correct", "not_retrieved", "reasoning_error"})


class Ungraded(MemtriageError):
    """An answer could not be graded, and why."""


class FreeGrader(Protocol):
    """Grades free answers: None if it can't tell; raises `Ungraded` if it fails."""

    async def right(self, probe: Probe, answer_text: str) -> bool | None: ...


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer recorded in a run, and the model that gave it ("" for the memory system itself)."""

    text: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Reask:
    """One re-asking of the question. `right` is None if unknown; then `why` gives the reason."""

    context: Context
    memories: tuple[tuple[str, str], ...] = ()
    answer: str | None = None
    right: bool | None = None
    why: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Intervention:
    """The re-asks of one probe and what they show.

    `cause` is the verdict of the stage that failed (`correct`: none did), or None if unknown. `guessable`: the model is
    right without any memory. `crowded`: everything that repaired the answer had been retrieved, among other things.
    """

    probe: str
    model: str
    asks: tuple[Reask, ...]
    cause: Verdict | None
    why: str
    guessable: bool | None = None
    crowded: bool = False
    repeat: int = 0

    def ask(self, context: Context) -> Reask:
        """The re-ask with this context."""
        return next((ask for ask in self.asks if ask.context == context), Reask(context, why="it was not asked"))


def _undated(id: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Dates:
    """When a memory was created, by content key, and when a turn was said, by id; None if unknown."""

    of_memory: Callable[[str], str | None] = _undated
    of_turn: Callable[[str], str | None] = _undated


async def intervene(
    probe: Probe,
    facts: Sequence[Fact],
    shown: Sequence[tuple[str, str]],
    stored: MemorySet | None,
    model: ChatModel,
    grader: FreeGrader | None = None,
    repeat: int = 0,
    *,
    judged: Iterable[FactVerdict] = (),
    said: SaidIndex | None = None,
    recorded: RecordedAnswer | None = None,
    dates: Dates | None = None,
    until: str | None = None,
    reading: Reading | None = None,
    by_rule: AnswerGrader | None = None,
    cant_tell: bool = False,
    language: str = ENGLISH,
) -> Intervention:
    """Re-ask one probe and name the cause of its failure.

    `facts` are those the probe needs, `shown` the retrieved memories (key and text, in order), `stored` the store's
    memories at that time (None if it can't be seen). `judged` says which memories hold which fact, `said` has all
    sentences of the conversations. `dates`, `until`, `reading` and `cant_tell` make the prompts like the original
    one. `by_rule` grades what needs no judge, `grader` the rest. A model error becomes the re-ask's
    `why`, unless every call would fail with it.
    """
    shown = list(dict(shown).items())
    by_rule = by_rule or AnswerGrader((probe,), facts)
    asker = _Asker(probe, model, by_rule, grader, repeat, dates or Dates(), until, reading, cant_tell)
    jobs = [asker.asked("gold", gold_memories(facts), dict(_gold_dates(facts, dates)) if dates else None)]
    if stored is None:
        jobs.append(_done(Reask("stored", why="the store can't be seen")))
    else:
        jobs.append(asker.asked("stored", right_memories(facts, judged, stored, dict(shown))))
    by_other = recorded is not None and recorded.by != model.name
    same = None if recorded is None or by_other else recorded.text
    jobs.append(asker.asked("retrieved", shown) if same is None else asker.graded("retrieved", shown, same, model.name))
    jobs.append(asker.asked("none", ()))
    if by_other and recorded is not None:
        jobs.append(asker.graded("recorded", shown, recorded.text, recorded.by))
    with speaking(language):
        asks = await _all(jobs)
    return _concluded(Intervention(probe.id, model.name, asks, None, "", repeat=repeat), probe, facts, stored, said)


# ------------------------------------------------------------------ asking and grading


class _Asker:
    """Asks one probe with different memories."""

    def __init__(
        self,
        probe: Probe,
        model: ChatModel,
        by_rule: AnswerGrader,
        grader: FreeGrader | None,
        repeat: int,
        dates: Dates,
        until: str | None,
        reading: Reading | None,
        cant_tell: bool,
    ) -> None:
        self._cant_tell = cant_tell
        self._dates = dates
        self._until = until
        self._reading = reading
        self._probe = probe
        self._model = model
        self._by_rule = by_rule
        self._grader = grader
        self._repeat = repeat

    async def asked(
        self, context: Context, memories: Sequence[tuple[str, str]], dates: Mapping[str, str | None] | None = None
    ) -> Reask:
        known = {key: self._dates.of_memory(key) for key, _ in memories} if dates is None else dates
        call, labels = answer_call(
            self._probe,
            memories,
            self._repeat,
            reading=self._reading,
            dates=known,
            until=self._until,
            cant_tell=self._cant_tell,
        )
        try:
            reply = await self._reply(replace(call, stage="intervention"))
        except ModelError as error:
            return Reask(context, tuple(memories), why=_failed("the model", error), by=self._model.name)
        return await self.graded(
            context, memories, read_answer(self._probe, reply, labels, self._reading)[0], self._model.name
        )

    async def graded(self, context: Context, memories: Sequence[tuple[str, str]], answer: str, by: str) -> Reask:
        right, why = await self._grade(answer)
        return Reask(context, tuple(memories), answer, right, why, by)

    async def _reply(self, call: Call) -> Reply:
        """The reply as a JSON object or, if the model can't write one, as text."""
        try:
            return await self._model.ask(call)
        except ModelError as error:
            if error.trouble != "malformed":
                raise
        return await self._model.ask(replace(call, schema=None))

    async def _grade(self, answer: str) -> tuple[bool | None, str]:
        probe = self._probe
        if probe.lettered and not probe.correct_choice:
            return None, "the question has no right letter on record"
        grade = self._by_rule.by_scoring(probe, answer)
        if grade is not None:
            return grade.right, ""
        if self._grader is None:
            return None, "there is no judge to say whether a free answer is right"
        try:
            right = await self._grader.right(probe, answer)
        except ModelError as error:
            return None, _failed("the judge", error)
        except Ungraded as error:
            return None, f"the judge failed ({error})"
        return right, "" if right is not None else "the judge could not tell"


def _failed(who: str, error: ModelError) -> str:
    """Why there is no answer; raises the error again if every further call would meet it."""
    if error.trouble in FATAL:
        raise error
    return f"{who} failed ({error.trouble}: {error})"


async def _all(jobs: Iterable[Coroutine[Any, Any, Reask]]) -> tuple[Reask, ...]:
    """Runs all jobs in parallel; if one fails, the others are cancelled."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _done(ask: Reask) -> Reask:
    return ask


# ------------------------------------------------------------------ the memories to show


def gold_memories(facts: Sequence[Fact]) -> list[tuple[str, str]]:
    """The gold facts as memories: their text with the subject, and the evidence sentences that differ from it."""
    return [(key, _about(fact.subject, text)) for key, fact, text in _gold(facts)]


def _gold(facts: Sequence[Fact]) -> Iterator[tuple[str, Fact, str]]:
    texts = ((fact, text) for fact in facts for text in dict.fromkeys((fact.text, *fact.evidence)))
    return ((f"gold-{number}", fact, text) for number, (fact, text) in enumerate(texts, start=1))


def _gold_dates(facts: Sequence[Fact], dates: Dates) -> Iterator[tuple[str, str | None]]:
    for key, fact, _ in _gold(facts):
        yield key, dates.of_turn(fact.turns[0]) if fact.turns else None


def _about(subject: str, text: str) -> str:
    named = set(words(subject).stems)
    return f"About {subject}: {text}" if named and named.isdisjoint(words(text).stems) else text


def right_memories(
    facts: Sequence[Fact], judged: Iterable[FactVerdict], stored: MemorySet, shown: Mapping[str, str]
) -> list[tuple[str, str]]:
    """The memories that hold the facts: the witnesses and, for facts not known to be intact, also the closest memories.

    Witnesses that are no longer in the store don't count, unless they were retrieved.
    """
    verdicts = {verdict.fact: verdict for verdict in judged}
    chosen: dict[str, None] = {}
    for fact in facts:
        verdict = verdicts.get(fact.id)
        witness = [key for key in verdict.witness if key in stored.texts or key in shown] if verdict else []
        chosen |= dict.fromkeys(witness)
        if verdict is None or not witness or verdict.verdict not in _INTACT:
            chosen |= dict.fromkeys(stored.closest(_stems(fact.text, *fact.evidence, fact.subject), CLOSEST))
    in_order = [key for key in stored.texts if key in chosen]
    texts = {**shown, **stored.texts}
    return [(key, texts[key]) for key in dict.fromkeys((*in_order, *chosen))]


class SaidIndex:
    """The sentences of an episode's conversations, indexed by words, and the names in them."""

    def __init__(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        self.names = frozenset(part for name in names for part in _parts(name))
        self._sentences: dict[frozenset[str], set[str]] = {}  # each with the names in its texts
        self._using: dict[str, list[frozenset[str]]] = {}
        for text in texts:
            named = self.names & _written(text)
            for stems in map(_stems, sentences(text)):
                if stems not in self._sentences:
                    self._sentences[stems] = set()
                    for stem in stems:
                        self._using.setdefault(stem, []).append(stems)
                self._sentences[stems] |= named

    @classmethod
    def of(cls, episode: Episode) -> SaidIndex:
        """The index of an episode."""
        turns = (turn.text for session in episode.sessions for turn in session.turns)
        return cls(turns, {fact.subject for fact in episode.facts})

    def sharing(self, stems: Set[str], names: Set[str]) -> Iterator[frozenset[str]]:
        """The sentences that use any of these words; if names are given, only from texts with one of them."""
        found = dict.fromkeys(sentence for stem in sorted(stems) for sentence in self._using.get(stem, ()))
        return (sentence for sentence in found if not names or not names.isdisjoint(self._sentences[sentence]))


def resembles(fact: Fact, stored: MemorySet, said: SaidIndex) -> bool:
    """Whether any memory is like the fact, however mangled, and not just a copy of something else.

    The same statement about somebody else is something else.
    """
    subject, names = _stems(fact.subject), _parts(fact.subject)
    own = [stems - subject or stems for stems in map(_stems, dict.fromkeys((fact.text, *fact.evidence)))]
    for wanted in own:
        for text in stored.sharing(wanted):
            named = names & _written(text)
            if names and not named and said.names & _written(text):
                continue
            if any(_like(_stems(sentence), wanted, subject, own, said, named) for sentence in sentences(text)):
                return True
    return False


def _like(
    kept: frozenset[str], wanted: Set[str], subject: Set[str], own: Sequence[Set[str]], said: SaidIndex, named: Set[str]
) -> bool:
    shared = wanted & kept
    near = len(shared) >= _COVERS * len(wanted) or (
        len(shared) >= _LEAST and len(shared) >= _WITHIN * len(kept - subject)
    )
    if not near:
        return False
    # Another sentence explains shared words if the memory has a larger share of it than of the fact.
    others = (other for other in said.sharing(shared, named) if other - subject not in own)
    better = (other & kept for other in others if len(other & kept) * len(wanted) > len(shared) * len(other))
    return not shared <= frozenset().union(*better)


def _parts(name: str) -> frozenset[str]:
    """The words of a name, such as Ada and Vale."""
    written = _written(name)
    return frozenset(word for word in written if word[0].isupper()) or written


def _written(text: str) -> frozenset[str]:
    """The words of a text in their original case, since a name in lower case may be a common word."""
    return frozenset(_WORD.findall(text))


def _stems(*texts: str) -> frozenset[str]:
    return frozenset(stem for text in texts for stem in words(text).stems)


# ------------------------------------------------------------------ the cause


def _concluded(
    found: Intervention, probe: Probe, facts: Sequence[Fact], stored: MemorySet | None, said: SaidIndex | None
) -> Intervention:
    crowded = _crowded(found)
    cause, why = _cause(found, probe, facts, stored, said, crowded)
    # Declining without memories is right for such a question, so it says nothing about guessing.
    guessable = False if probe.scoring == "abstain" else found.ask("none").right
    if guessable:
        why += " It is right without any memory as well, so this question does not need one."
    return replace(found, cause=cause, why=why, guessable=guessable, crowded=crowded)


def _cause(
    found: Intervention,
    probe: Probe,
    facts: Sequence[Fact],
    stored: MemorySet | None,
    said: SaidIndex | None,
    crowded: bool,
) -> tuple[Verdict | None, str]:
    retrieved, gold, kept = found.ask("retrieved"), found.ask("gold"), found.ask("stored")
    if retrieved.right is None:
        return None, _untold("what was retrieved", retrieved)
    if retrieved.right:
        if found.ask("recorded").right is False:
            return (
                "reasoning_error",
                f"Reasoning: {found.model} is right with what was retrieved; the answer on record was not.",
            )
        return "correct", "No failure: the model is right with what was retrieved."
    if gold.right is None:
        return None, _untold("the gold facts", gold)
    if not gold.right:
        return "reasoning_error", "Reasoning: the model is wrong even with the gold facts before it."
    if kept.right is None or stored is None:
        return None, _untold("the right stored memories", kept)
    if kept.right and crowded:
        why = "all that the model needs had been retrieved, but it is right only where nothing else is shown."
        return "reasoning_error", f"Reasoning: {why}"
    if kept.right:
        why = "the model is right with the stored memories that hold the facts, and wrong with what was retrieved."
        return "not_retrieved", f"Retrieval: {why}"
    missing = _missing(probe, facts, stored, said or SaidIndex(text for fact in facts for text in fact.evidence))
    if missing is None:
        why = "the model is right with the gold facts, and wrong with what the store kept of them."
        return "summary_error", f"Summary: {why}"
    why = f"the model is right with the gold facts, and nothing in the store resembles one of them: {missing.text}"
    return "not_stored", f"Storage: {why}"


def _untold(context: str, ask: Reask) -> str:
    return f"Can't tell: with {context}, there is no graded answer: {ask.why}."


def _crowded(found: Intervention) -> bool:
    """Whether all stored memories that repair the answer were also retrieved, under whatever key."""
    if not found.ask("stored").right or not found.ask("gold").right or found.ask("retrieved").right is not False:
        return False
    shown = {text for _, text in found.ask("retrieved").memories}
    return {text for _, text in found.ask("stored").memories} <= shown


def _missing(probe: Probe, facts: Sequence[Fact], stored: MemorySet, said: SaidIndex) -> Fact | None:
    """A fact that nothing in the store resembles; None if all facts of some sufficient set have a resembling memory."""
    lost = {fact.id: fact for fact in facts if not resembles(fact, stored, said)}
    by_set = [[lost[id] for id in ids if id in lost] for ids in probe.sufficient or (tuple(f.id for f in facts),)]
    return None if any(not missing for missing in by_set) else by_set[0][0]
