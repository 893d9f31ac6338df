"""The staged judge: a model that says where a fact was lost, stage by stage, stopping at the first that fails.

Only memories near a fact are shown at first. Before it counts as not stored, the whole store is looked through, page
by page, for many facts at once. `paper_exact` shows the whole store every time instead, as the MemFail paper does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from memtriage.core.chat import ChatModel, ModelError
from memtriage.core.episode import Fact
from memtriage.core.rubric import Rubric, Stage
from memtriage.core.verdict import FactVerdict, StageState, Verdict
from memtriage.diagnose.judge.prompts import Case, Ruling, prompt, rulings
from memtriage.diagnose.memory_index import PAGE, MemorySet, ShownMemory
from memtriage.registry import rubric

T = TypeVar("T")

CANDIDATES = 12

_TOGETHER = 20
"""How many facts are looked for on a page of the store at once."""

_WIDER = 3
"""How many times more memories are shown before a detail counts as lost."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """No verdict, because the model could not be asked: an error, never a wrong answer."""

    why: str


Outcome = Ruling | Unjudged


@dataclass(frozen=True, slots=True)
class StoredFact:
    """What became of a fact in a store: whether it is there and, if so, whether it is intact."""

    storage: Outcome
    summary: Outcome | None = None

    @property
    def intact(self) -> bool:
        return passed(self.storage) and passed(self.summary)


@dataclass(frozen=True, slots=True)
class RetrievedFact:
    """A fact to be looked for among what a question brought back."""

    fact: Fact
    question: str
    retrieved: MemorySet


def passed(outcome: Outcome | None) -> bool:
    return isinstance(outcome, Ruling) and outcome.verdict


def _failed(outcome: Outcome) -> bool:
    return isinstance(outcome, Ruling) and not outcome.verdict


class Judge:
    """A chat model in the judge's seat. `repeat` tells independent gradings of the same thing apart."""

    def __init__(
        self, model: ChatModel, *, paper_exact: bool = False, candidates: int = CANDIDATES, repeat: int = 0
    ) -> None:
        self._model = model
        self.paper_exact = paper_exact
        self._candidates = candidates
        self._repeat = repeat

    @property
    def name(self) -> str:
        """The model as tables and files name it."""
        return self._model.name

    @property
    def detector(self) -> str:
        """What verdicts of this judge are signed with."""
        return f"judge:{self.name}"

    async def fact(
        self,
        fact: Fact,
        store: MemorySet | None,
        retrieved: MemorySet,
        question: str,
        task: str,
        lexical: FactVerdict | None = None,
    ) -> FactVerdict:
        """Where one fact was lost. A certain lexical verdict stands and costs no call; `store` is None where unseen."""
        if lexical is not None and not self.must_decide(lexical):
            return lexical
        rules = rubric(task)
        kept = None
        if store is not None and not (lexical and self.known_intact(lexical)):
            [kept] = await self.check_store([fact], store, rules)
        fetched: Outcome | None = None
        if kept is None or kept.intact:
            [fetched] = await self.check_retrieval([RetrievedFact(fact, question, retrieved)], rules)
        return settled(fact, kept, fetched, self.detector, blind=store is None)

    def must_decide(self, lexical: FactVerdict) -> bool:
        """Whether a fact needs this judge: words could not settle it, or the paper's way is to ask regardless."""
        return lexical.verdict != "error" if self.paper_exact else lexical.verdict == "uncertain"

    def known_intact(self, lexical: FactVerdict) -> bool:
        """Whether words have already settled that the store holds the fact, intact."""
        return not self.paper_exact and lexical.stages.get("summary") == "pass"

    # ------------------------------------------------------------------ storage and summary

    async def check_store(self, facts: Sequence[Fact], store: MemorySet, rules: Rubric) -> list[StoredFact]:
        """What became of each of these facts in a store."""
        async with asyncio.TaskGroup() as tasks:
            keeping = self.start_store_checks(facts, store, rules, tasks)
        return [task.result() for task in keeping]

    def start_store_checks(
        self, facts: Sequence[Fact], store: MemorySet, rules: Rubric, tasks: asyncio.TaskGroup
    ) -> list[asyncio.Task[StoredFact]]:
        """The same under way: each fact has its answer as soon as it is known.

        Only facts that are not near wait for each other, so that they are looked for together. Who they are
        depends on what the model says alone, never on time, so that asking again asks the same.
        """
        near = [() if self.paper_exact else store.near(fact, self._candidates) for fact in facts]
        cases = [Case((fact,), memories) for fact, memories in zip(facts, near, strict=True)]
        groups = list(_groups(cases, rules.batch, self._budget))
        firsts = [tasks.create_task(self._first_look(group, store, rules)) for group in groups]
        second = tasks.create_task(self._second_look(firsts, cases, store, rules))
        places = [(g, i) for g, group in enumerate(groups) for i in range(len(group))]

        async def one(n: int) -> StoredFact:
            group, place = places[n]
            kept = (await firsts[group])[place]
            return (await second)[n] if _failed(kept.storage) else kept

        return [tasks.create_task(one(n)) for n in range(len(facts))]

    async def _first_look(self, cases: Sequence[Case], store: MemorySet, rules: Rubric) -> list[StoredFact]:
        """Storage among the memories near each fact, and summary for those that are there."""
        if not store.keys:
            return [StoredFact(Ruling(False, (), "the store is empty"))] * len(cases)
        storage = await self._ask("storage", cases, rules, self._shared(store))
        return await self._summed(cases, storage, store, rules)

    async def _second_look(
        self, firsts: Sequence[asyncio.Task[list[StoredFact]]], cases: Sequence[Case], store: MemorySet, rules: Rubric
    ) -> dict[int, StoredFact]:
        """The facts that no first look found, looked for in the whole store; the paper's first look was that."""
        kept = [one for first in firsts for one in await first]
        missing = [n for n, one in enumerate(kept) if _failed(one.storage)]
        if self.paper_exact or not store.keys:
            return {n: kept[n] for n in missing}
        looks = [[(cases[n], kept[n].storage) for n in group] for group in _parted(missing, _TOGETHER)]
        found = await asyncio.gather(*(self._looked_through(group, store, rules) for group in looks))
        storage = [outcome for outcomes in found for outcome in outcomes]
        return dict(zip(missing, await self._summed([cases[n] for n in missing], storage, store, rules), strict=True))

    async def _looked_through(
        self, missing: Sequence[tuple[Case, Outcome]], store: MemorySet, rules: Rubric
    ) -> list[Outcome]:
        """Facts that are not among the memories near them, looked for in all the others."""
        everyone_saw = set.intersection(*({shown.key for shown in case.memories} for case, _ in missing))
        cases = [replace(case, memories=()) for case, _ in missing]
        found = await asyncio.gather(
            *(self._ask("storage", cases, rules, page) for page in store.pages(without=everyone_saw))
        )
        looks = [(case.facts[0], [first, *(page[n] for page in found)]) for n, (case, first) in enumerate(missing)]
        return await asyncio.gather(*(self._together(fact, seen, store, rules) for fact, seen in looks))

    async def _together(self, fact: Fact, looks: Sequence[Outcome], store: MemorySet, rules: Rubric) -> Outcome:
        """What several looks at parts of a store say together; parts of a spread fact are shown side by side."""
        found = _any(looks)
        if not _failed(found):
            return found
        cited = _witnesses(looks)
        if fact.split and len(cited) > 1 and _witnesses(looks[1:]):
            case = Case((fact,), MemorySet(store.index, cited).near(fact, len(cited)))
            [found] = await self._ask("storage", [case], rules)
        if not isinstance(found, Ruling) or found.verdict:
            return found
        return replace(found, why=f"{found.why} (all {len(store.keys)} memories were looked through)")

    async def _summed(
        self, cases: Sequence[Case], storage: Sequence[Outcome], store: MemorySet, rules: Rubric
    ) -> list[StoredFact]:
        """Whether what is there is intact: the memories it rests on first, then those near it, then a wider circle."""
        there = [n for n, outcome in enumerate(storage) if passed(outcome)]
        shown = [case if self.paper_exact else _with_witness(case, storage[n], store) for n, case in enumerate(cases)]
        summary = dict(zip(there, await self._intact([shown[n] for n in there], store, rules), strict=True))
        wider = {n: self._wider(shown[n], store) for n in there if not self.paper_exact and _failed(summary[n])}
        wider = {n: case for n, case in wider.items() if len(case.memories) > len(shown[n].memories)}
        summary |= zip(wider, await self._intact(list(wider.values()), store, rules), strict=True)
        return [StoredFact(outcome, summary.get(n)) for n, outcome in enumerate(storage)]

    async def _intact(self, cases: Sequence[Case], store: MemorySet, rules: Rubric) -> list[Outcome]:
        return await self._each("summary", cases, rules, self._shared(store))

    def _wider(self, case: Case, store: MemorySet) -> Case:
        """The case with more memories: a missing detail may stand in one a little further off."""
        more = store.near(case.facts[0], _WIDER * self._candidates)
        return replace(case, memories=tuple(dict.fromkeys((*case.memories, *more))))

    def _shared(self, store: MemorySet) -> tuple[ShownMemory, ...]:
        """The paper's way: the whole store with every call."""
        return store.all() if self.paper_exact else ()

    @property
    def _budget(self) -> int | None:
        """How many tokens of memories may share a call."""
        return None if self.paper_exact else 2 * PAGE

    # ------------------------------------------------------------------ retrieval and the answer

    async def check_retrieval(self, asked: Sequence[RetrievedFact], rules: Rubric) -> list[Outcome]:
        """Whether each fact is among what its question brought back."""
        outcomes: list[Outcome] = [Ruling(False, (), "nothing was retrieved")] * len(asked)
        full = [n for n, one in enumerate(asked) if one.retrieved.keys]
        cases = [Case((asked[n].fact,), self._brought(asked[n]), asked[n].question) for n in full]
        for n, outcome in zip(full, await self._each("retrieval", cases, rules), strict=True):
            outcomes[n] = outcome
        rest = [n for n in full if _failed(outcomes[n]) and not self._shows_all(asked[n])]
        for n, outcome in zip(rest, await asyncio.gather(*(self._paged(asked[n], rules) for n in rest)), strict=True):
            outcomes[n] = outcome if passed(outcome) or isinstance(outcome, Unjudged) else outcomes[n]
        return outcomes

    def _shows_all(self, asked: RetrievedFact) -> bool:
        return self.paper_exact or asked.retrieved.tokens <= PAGE

    def _brought(self, asked: RetrievedFact) -> tuple[ShownMemory, ...]:
        """What was brought back: all of it, or where that is a book, the memories near the fact."""
        every = self._shows_all(asked)
        return asked.retrieved.all() if every else asked.retrieved.near(asked.fact, self._candidates)

    async def _paged(self, asked: RetrievedFact, rules: Rubric) -> Outcome:
        pages = asked.retrieved.pages(without={shown.key for shown in self._brought(asked)})
        cases = [Case((asked.fact,), page, asked.question) for page in pages]
        found = await asyncio.gather(*(self._ask("retrieval", [case], rules) for case in cases))
        return _any([outcome for [outcome] in found])

    async def grade_answers(self, stage: Stage, cases: Sequence[Case], rules: Rubric) -> list[Outcome]:
        """Whether each answer is right, by the stage that grades it."""
        return await self._each(stage, cases, rules)

    # ------------------------------------------------------------------ asking

    async def _each(
        self, stage: Stage, cases: Sequence[Case], rules: Rubric, shared: Sequence[ShownMemory] = ()
    ) -> list[Outcome]:
        """A verdict per case; as many share a call as the task batches."""
        groups = _groups(cases, rules.batch, self._budget)
        asked = await asyncio.gather(*(self._ask(stage, group, rules, shared) for group in groups))
        return [outcome for outcomes in asked for outcome in outcomes]

    async def _ask(
        self, stage: Stage, cases: Sequence[Case], rules: Rubric, shared: Sequence[ShownMemory] = ()
    ) -> list[Outcome]:
        asked = prompt(stage, rules.rule(stage), cases, shared, self._repeat)
        try:
            reply = await self._model.ask(asked.call)
        except ModelError as error:
            if error.trouble == "context":
                return await self._smaller(stage, cases, rules, shared, error)
            return [_unjudged(error)] * len(cases)
        if reply.data is None:
            return [Unjudged(f"malformed: {self.name} replied without the object asked for")] * len(cases)
        found = rulings(asked, reply.data)
        return [
            ruling if ruling is not None else (await self._ask(stage, [case], rules, shared))[0]
            for case, ruling in zip(cases, found, strict=True)
        ]

    async def _smaller(
        self, stage: Stage, cases: Sequence[Case], rules: Rubric, shared: Sequence[ShownMemory], error: ModelError
    ) -> list[Outcome]:
        """The same in two calls, where one was too long for the model and can be parted."""
        if len(cases) > 1:
            half = len(cases) // 2
            parts = (self._ask(stage, part, rules, shared) for part in (cases[:half], cases[half:]))
            return [outcome for outcomes in await asyncio.gather(*parts) for outcome in outcomes]
        memories = (*shared, *cases[0].memories)
        if stage != "storage" or len(memories) < 2 or self.paper_exact:
            return [_unjudged(error)]
        half = len(memories) // 2
        looks = (
            self._ask(stage, [replace(cases[0], memories=part)], rules) for part in (memories[:half], memories[half:])
        )
        return [_any([outcome for [outcome] in await asyncio.gather(*looks)])]


def settled(
    fact: Fact,
    kept: StoredFact | None,
    fetched: Outcome | None,
    detector: str,
    *,
    blind: bool = False,
    lost: Literal["never"] | None = None,
) -> FactVerdict:
    """The verdict that a judge's rulings on a fact amount to.

    Without `kept`, words have already settled that the store holds the fact, or the store is `blind`: can't be seen.
    """
    known: StageState = "n/a" if blind else "pass"
    stages: dict[str, StageState] = {} if kept else {"storage": known, "summary": known}
    signed = FactVerdict(fact.id, fact.text, fact.details, "error", "", stages, detector=detector)
    steps: list[tuple[str, Verdict, Outcome | None]] = [("retrieval", "not_retrieved", fetched)]
    if kept is not None:
        steps[:0] = [("storage", "not_stored", kept.storage), ("summary", "summary_error", kept.summary)]
    for stage, failure, outcome in steps:
        if not isinstance(outcome, Ruling):
            return replace(signed, why=f"{stage} could not be judged: {outcome.why if outcome else 'it was not asked'}")
        stages[stage] = "pass" if outcome.verdict else "fail"
        if not outcome.verdict:
            witness = _in_store(kept) if kept and stage != "storage" else ()
            gone = lost if stage == "storage" else None
            return replace(signed, verdict=failure, why=outcome.why, witness=witness, lost=gone)
        signed = replace(signed, why=outcome.why, witness=outcome.witness)
    return replace(signed, verdict="correct")


def _in_store(kept: StoredFact) -> tuple[str, ...]:
    """The stored memories that a verdict on the store rests on."""
    cited = (o.witness for o in (kept.summary, kept.storage) if isinstance(o, Ruling))
    return next((witness for witness in cited if witness), ())


def _any(looks: Sequence[Outcome]) -> Outcome:
    """Found where any look found it; unknown where one could not be had; else not found, as the first look says."""
    found = [look for look in looks if passed(look)]
    if found:
        return Ruling(True, _witnesses(found), found[0].why)
    return next((look for look in looks if isinstance(look, Unjudged)), looks[0])


def _witnesses(looks: Sequence[Outcome]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for look in looks if isinstance(look, Ruling) for key in look.witness))


def _with_witness(case: Case, outcome: Outcome, store: MemorySet) -> Case:
    """The case with the memories a ruling rests on before the others."""
    witness = outcome.witness if isinstance(outcome, Ruling) else ()
    cited = [store.index.memory(store.index.number(key)) for key in witness]
    return replace(case, memories=tuple(dict.fromkeys((*cited, *case.memories))))


def _groups(cases: Sequence[Case], size: int, budget: int | None) -> Iterator[tuple[Case, ...]]:
    """The cases in groups of at most so many, and of about so many tokens."""
    group: list[Case] = []
    weight = 0
    for case in cases:
        own = sum(len(shown.text) for shown in case.memories) // 4
        if group and (len(group) == size or (budget is not None and weight + own > budget)):
            yield tuple(group)
            group, weight = [], 0
        group.append(case)
        weight += own
    if group:
        yield tuple(group)


def _parted(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _unjudged(error: ModelError) -> Unjudged:
    return Unjudged(f"{error.trouble}: {error}")
