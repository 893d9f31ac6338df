"""The staged judge: a model that says where a fact was lost, stage by stage, until the first that fails.

Many facts share a call, and what it shows is shown once: the memories near any of them, or the whole store where that
is hardly more. Before a fact counts as not stored, the whole store was searched for it, page by page if it is long, and
the memories nearest to it were looked at once more. `paper_exact` shows the whole store for each call of the paper
instead, as the MemFail paper does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal, TypeVar

from memtriage.core.chat import ChatModel, ModelError, Trouble
from memtriage.core.episode import Fact
from memtriage.core.rubric import Rubric, Stage
from memtriage.core.verdict import FactVerdict, StageState, Verdict
from memtriage.diagnose.judge.prompts import Case, Ruling, prompt, rulings
from memtriage.diagnose.memory_index import PAGE, MemorySet, ShownMemory

T = TypeVar("T")

CANDIDATES = 12

_CHEAP = 2
"""A whole store is shown at once if it is at most so many times as long as the memories near the facts."""

_OF_STORE: tuple[Stage, ...] = ("storage", "summary")
"""Stages at which any memory of the store may count; retrieval counts only what was brought for its own question."""

_SPLITS: frozenset[Trouble] = frozenset({"context", "malformed", "refusal", "empty", "timeout", "bad_request"})
"""Troubles that fewer cases in a call may mend, or that one of them may bring to all."""

_WIDER = 3
"""By what factor more memories are shown before a detail counts as lost."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """How many share a call: facts that look at a whole store, facts near the same memories, and questions.

    A look at a whole store costs what the store costs, however many facts share it. Questions have nothing in common:
    each brings its own retrieved memories, or its own answer.
    """

    whole: int = 60
    near: int = 30
    apart: int = 10


SHARING = Sharing()


@dataclass(frozen=True, slots=True)
class Unjudged:
    """No verdict, because the model failed: an error, never a wrong answer."""

    why: str


Outcome = Ruling | Unjudged


@dataclass(frozen=True, slots=True)
class StoredFact:
    """Whether a fact is in a store and, if so, whether it is intact."""

    storage: Outcome
    summary: Outcome | None = None

    @property
    def intact(self) -> bool:
        return passed(self.storage) and passed(self.summary)


@dataclass(frozen=True, slots=True)
class RetrievedFact:
    """A fact to look for among the memories that were retrieved for a question."""

    fact: Fact
    question: str
    retrieved: MemorySet


def passed(outcome: Outcome | None) -> bool:
    return isinstance(outcome, Ruling) and outcome.verdict


def _failed(outcome: Outcome) -> bool:
    return isinstance(outcome, Ruling) and not outcome.verdict


class Judge:
    """A chat model as a judge. `repeat` tells repeated judgings apart."""

    def __init__(
        self,
        model: ChatModel,
        *,
        paper_exact: bool = False,
        candidates: int = CANDIDATES,
        sharing: Sharing = SHARING,
        repeat: int = 0,
    ) -> None:
        self._model = model
        self.paper_exact = paper_exact
        self._candidates = candidates
        self._sharing = sharing
        self._repeat = repeat

    @property
    def name(self) -> str:
        """The model's name in tables and files."""
        return self._model.name

    @property
    def detector(self) -> str:
        """The name of the detector in this judge's verdicts."""
        return f"judge:{self.name}"

    def must_decide(self, lexical: FactVerdict) -> bool:
        """Whether a fact needs this judge: words could not decide, or `paper_exact` asks in any case."""
        return lexical.verdict != "error" if self.paper_exact else lexical.verdict == "uncertain"

    def known_intact(self, lexical: FactVerdict) -> bool:
        """Whether words have already shown that the store holds the fact intact."""
        return not self.paper_exact and lexical.stages.get("summary") == "pass"

    @property
    def judges_turns(self) -> bool:
        """Whether whole turns are judged instead of single facts, in tasks whose paper does so."""
        return self.paper_exact

    # ------------------------------------------------------------------ storage and summary

    def start_store_checks(
        self, facts: Sequence[Fact], store: MemorySet, rules: Rubric, tasks: asyncio.TaskGroup
    ) -> list[asyncio.Task[StoredFact]]:
        """Tasks that check whether each fact is in a store, and intact; each is done as soon as its fact is decided.

        Only facts that the first look misses wait for each other, to be searched for together. Which ones these are
        depends on the model's replies, never on timing, so that a repeated run makes the same calls.
        """
        named = [_nameless(fact) for fact in facts]
        each = dict.fromkeys(named)
        near = [Case((fact,), self._near(fact, store)) for fact in each]
        whole = self._whole_at_once(near, store)
        cases = [replace(case, memories=store.all()) for case in near] if whole else near
        groups = list(self._groups(cases, rules, self._sharing.whole if whole else self._sharing.near))
        places = [(g, i) for g, group in enumerate(groups) for i in range(len(group))]
        starts = accumulate((len(group) for group in groups[:-1]), initial=0)
        firsts = [
            tasks.create_task(self._first_look(group, near[start : start + len(group)], store, rules, whole))
            for group, start in zip(groups, starts, strict=True)
        ]
        second = tasks.create_task(self._second_look(firsts, near, store, rules, whole))

        async def one(n: int) -> StoredFact:
            group, place = places[n]
            kept = (await firsts[group])[place]
            return (await second)[n] if _failed(kept.storage) else kept

        checks = {fact: tasks.create_task(one(n)) for n, fact in enumerate(each)}
        return [checks[fact] for fact in named]

    def _near(self, fact: Fact, store: MemorySet) -> tuple[ShownMemory, ...]:
        return () if self.paper_exact else store.near(fact, self._candidates)

    def _whole_at_once(self, near: Sequence[Case], store: MemorySet) -> bool:
        """Whether the first look is at the whole store: one that fits, and is hardly longer than what is near."""
        if self._budget is None or store.tokens > self._budget:
            return False
        union = dict.fromkeys(shown for case in near for shown in case.memories)
        return store.tokens <= _CHEAP * sum(store.index.tokens(store.index.number(shown.key)) for shown in union)

    async def _first_look(
        self, cases: Sequence[Case], near: Sequence[Case], store: MemorySet, rules: Rubric, whole: bool
    ) -> list[StoredFact]:
        """Storage among the memories shown with each fact, and summary for those that are there."""
        if not store.keys:
            return [StoredFact(Ruling(False, (), "the store is empty"))] * len(cases)
        storage = await self._ask("storage", cases, rules, self._shared(store))
        return await self._check_summary(near, storage, store, rules, whole)

    async def _second_look(
        self,
        firsts: Sequence[asyncio.Task[list[StoredFact]]],
        near: Sequence[Case],
        store: MemorySet,
        rules: Rubric,
        whole: bool,
    ) -> dict[int, StoredFact]:
        """Looks for facts that the first look missed: near them if it was at the whole store, else everywhere.

        With `paper_exact`, or where all memories are near, the first look is the last.
        """
        kept = [one for first in firsts for one in await first]
        missing = [n for n, one in enumerate(kept) if _failed(one.storage)]
        if self.paper_exact or not store.keys:
            return {n: kept[n] for n in missing}
        looks = [[(near[n], kept[n].storage) for n in group] for group in _split(missing, self._sharing.near)]
        search = self._search_near if whole else self._search_pages
        found = await asyncio.gather(*(search(group, store, rules) for group in looks))
        storage = [outcome for outcomes in found for outcome in outcomes]
        checked = await self._check_summary([near[n] for n in missing], storage, store, rules, whole)
        return dict(zip(missing, checked, strict=True))

    async def _search_near(
        self, missing: Sequence[tuple[Case, Outcome]], store: MemorySet, rules: Rubric
    ) -> list[Outcome]:
        """Looks again at the memories near facts that were missed among all, where a judge may have overlooked them."""
        again = [n for n, (case, _) in enumerate(missing) if len(case.memories) < len(store.all())]
        asked = [missing[n][0] for n in again]
        seen = dict(zip(again, await self._ask("storage", asked, rules) if asked else [], strict=True))
        looks = [[first, *([seen[n]] if n in seen else [])] for n, (_, first) in enumerate(missing)]
        return [_noted(_any(outcomes), store) for outcomes in looks]

    async def _search_pages(
        self, missing: Sequence[tuple[Case, Outcome]], store: MemorySet, rules: Rubric
    ) -> list[Outcome]:
        """Searches all other memories for facts that are not among the memories near them."""
        seen_by_all = set.intersection(*({shown.key for shown in case.memories} for case, _ in missing))
        cases = [replace(case, memories=()) for case, _ in missing]
        found = await asyncio.gather(
            *(self._ask("storage", cases, rules, page) for page in store.pages(without=seen_by_all))
        )
        looks = [(case.facts[0], [first, *(page[n] for page in found)]) for n, (case, first) in enumerate(missing)]
        return await asyncio.gather(*(self._combine(fact, seen, store, rules) for fact, seen in looks))

    async def _combine(self, fact: Fact, looks: Sequence[Outcome], store: MemorySet, rules: Rubric) -> Outcome:
        """Combines several looks at parts of a store; if the fact may be split, its parts are shown together."""
        found = _any(looks)
        if not _failed(found):
            return found
        cited = _witnesses(looks)
        if fact.split and len(cited) > 1 and _witnesses(looks[1:]):
            case = Case((fact,), MemorySet(store.index, cited).near(fact, len(cited)))
            [found] = await self._ask("storage", [case], rules)
        return _noted(found, store)

    async def _check_summary(
        self, cases: Sequence[Case], storage: Sequence[Outcome], store: MemorySet, rules: Rubric, whole: bool
    ) -> list[StoredFact]:
        """Whether stored facts are intact: shows the cited memories and those near them, then more if that fails.

        If the `whole` store was looked through, all that tell a part of a fact were cited, and there are no more.
        """
        there = [n for n, outcome in enumerate(storage) if passed(outcome)]
        shown = [case if self.paper_exact else _with_witness(case, storage[n], store) for n, case in enumerate(cases)]
        summary = dict(zip(there, await self._intact([shown[n] for n in there], store, rules), strict=True))
        final = self.paper_exact or whole
        wider = {n: self._wider(shown[n], store) for n in there if not final and _failed(summary[n])}
        wider = {n: case for n, case in wider.items() if len(case.memories) > len(shown[n].memories)}
        summary |= zip(wider, await self._intact(list(wider.values()), store, rules), strict=True)
        return [StoredFact(outcome, summary.get(n)) for n, outcome in enumerate(storage)]

    async def _intact(self, cases: Sequence[Case], store: MemorySet, rules: Rubric) -> list[Outcome]:
        return await self._each("summary", cases, rules, self._sharing.near, self._shared(store))

    def _wider(self, case: Case, store: MemorySet) -> Case:
        """The case with more memories, as a missing detail may be in one further away."""
        more = store.near(case.facts[0], _WIDER * self._candidates)
        return replace(case, memories=tuple(dict.fromkeys((*case.memories, *more))))

    def _shared(self, store: MemorySet) -> tuple[ShownMemory, ...]:
        """The memories shown with every call: with `paper_exact`, the whole store."""
        return store.all() if self.paper_exact else ()

    def together(self, rules: Rubric) -> int:
        """How many facts or answers with the same rules are best judged at once."""
        return self._size(rules, self._sharing.apart)

    def _size(self, rules: Rubric, together: int) -> int:
        return rules.batch if self.paper_exact else max(rules.batch, together)

    def _groups(self, cases: Sequence[Case], rules: Rubric, together: int) -> Iterator[tuple[Case, ...]]:
        """The cases in groups that share a call, of about as many tokens as a call may have; a memory counts once."""
        size, budget = self._size(rules, together), self._budget
        group: list[Case] = []
        seen: set[ShownMemory] = set()
        weight = 0
        for case in cases:
            own = _weight(case, seen)
            if group and (len(group) == size or (budget is not None and weight + own > budget)):
                yield tuple(group)
                group, seen, weight = [], set(), 0
                own = _weight(case, seen)
            group.append(case)
            seen.update(case.memories)
            weight += own
        if group:
            yield tuple(group)

    @property
    def _budget(self) -> int | None:
        """The most tokens of memories in a call."""
        return None if self.paper_exact else 2 * PAGE

    # ------------------------------------------------------------------ retrieval and the answer

    async def check_retrieval(self, asked: Sequence[RetrievedFact], rules: Rubric) -> list[Outcome]:
        """Whether each fact is among the memories retrieved for its question."""
        outcomes: list[Outcome] = [Ruling(False, (), "nothing was retrieved")] * len(asked)
        full = [n for n, one in enumerate(asked) if one.retrieved.keys]
        cases = [Case((asked[n].fact,), self._shown(asked[n]), asked[n].question) for n in full]
        for n, outcome in zip(full, await self._each("retrieval", cases, rules, self._sharing.apart), strict=True):
            outcomes[n] = outcome
        rest = [n for n in full if _failed(outcomes[n]) and not self._shows_all(asked[n])]
        for n, outcome in zip(
            rest, await asyncio.gather(*(self._search_rest(asked[n], rules) for n in rest)), strict=True
        ):
            outcomes[n] = outcome if passed(outcome) or isinstance(outcome, Unjudged) else outcomes[n]
        return outcomes

    def _shows_all(self, asked: RetrievedFact) -> bool:
        return self.paper_exact or asked.retrieved.tokens <= PAGE

    def _shown(self, asked: RetrievedFact) -> tuple[ShownMemory, ...]:
        """The retrieved memories to show: all, or only those near the fact if all are too long."""
        every = self._shows_all(asked)
        return asked.retrieved.all() if every else asked.retrieved.near(asked.fact, self._candidates)

    async def _search_rest(self, asked: RetrievedFact, rules: Rubric) -> Outcome:
        pages = asked.retrieved.pages(without={shown.key for shown in self._shown(asked)})
        cases = [Case((asked.fact,), page, asked.question) for page in pages]
        found = await asyncio.gather(*(self._ask("retrieval", [case], rules) for case in cases))
        return _any([outcome for [outcome] in found])

    async def grade_answers(self, stage: Stage, cases: Sequence[Case], rules: Rubric) -> list[Outcome]:
        """Whether each answer is right."""
        together = 1 if stage == "points" else self._sharing.apart  # a summary is judged sentence by sentence
        return await self._each(stage, cases, rules, together)

    # ------------------------------------------------------------------ asking

    async def _each(
        self,
        stage: Stage,
        cases: Sequence[Case],
        rules: Rubric,
        together: int,
        shared: Sequence[ShownMemory] = (),
    ) -> list[Outcome]:
        """An outcome for each case; as many `together` as may share a call do, and what comes twice is asked once."""
        same = [replace(case, facts=tuple(map(_nameless, case.facts))) for case in cases]
        each = list(dict.fromkeys(same))
        groups = self._groups(each, rules, together)
        asked = await asyncio.gather(*(self._ask(stage, group, rules, shared) for group in groups))
        found = dict(zip(each, (outcome for outcomes in asked for outcome in outcomes), strict=True))
        return [found[case] for case in same]

    async def _ask(
        self, stage: Stage, cases: Sequence[Case], rules: Rubric, shared: Sequence[ShownMemory] = ()
    ) -> list[Outcome]:
        if self.paper_exact or stage not in _OF_STORE:
            shown, common = cases, shared
        else:
            shown, common = _shown_once(cases, shared)
        asked = prompt(stage, rules.rule(stage, paper_exact=self.paper_exact), shown, common, self._repeat)
        try:
            reply = await self._model.ask(asked.call)
        except ModelError as error:
            if error.trouble == "context" or (error.trouble in _SPLITS and len(cases) > 1):
                return await self._ask_in_halves(stage, cases, rules, shared, error)
            return [_unjudged(error)] * len(cases)
        if reply.data is None and len(cases) > 1:
            halves = ModelError("malformed", f"{self.name} replied without the object asked for")
            return await self._ask_in_halves(stage, cases, rules, shared, halves)
        if reply.data is None:
            return [Unjudged(f"malformed: {self.name} replied without the object asked for")] * len(cases)
        found = rulings(asked, reply.data)
        return [
            ruling if ruling is not None else (await self._ask(stage, [case], rules, shared))[0]
            for case, ruling in zip(cases, found, strict=True)
        ]

    async def _ask_in_halves(
        self, stage: Stage, cases: Sequence[Case], rules: Rubric, shared: Sequence[ShownMemory], error: ModelError
    ) -> list[Outcome]:
        """The same in two calls, if one was too much for the model and can be split."""
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


def fact_verdict(
    fact: Fact,
    kept: StoredFact | None,
    fetched: Outcome | None,
    detector: str,
    *,
    hidden: bool = False,
    lost: Literal["never"] | None = None,
) -> FactVerdict:
    """The verdict that follows from a judge's rulings on a fact.

    Without `kept`, words have already shown that the store holds the fact, or the store is `hidden`: can't be seen.
    """
    known: StageState = "n/a" if hidden else "pass"
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
    """The stored memories that the rulings on the store cite."""
    cited = (o.witness for o in (kept.summary, kept.storage) if isinstance(o, Ruling))
    return next((witness for witness in cited if witness), ())


def _any(looks: Sequence[Outcome]) -> Outcome:
    """Found if any look found it; else unjudged if one failed; else not found, with the first look's reason."""
    found = [look for look in looks if passed(look)]
    if found:
        return Ruling(True, _witnesses(found), found[0].why)
    return next((look for look in looks if isinstance(look, Unjudged)), looks[0])


def _witnesses(looks: Sequence[Outcome]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for look in looks if isinstance(look, Ruling) for key in look.witness))


def _with_witness(case: Case, outcome: Outcome, store: MemorySet) -> Case:
    """The case with the memories a ruling cites before the others."""
    witness = outcome.witness if isinstance(outcome, Ruling) else ()
    cited = [store.index.memory(store.index.number(key)) for key in witness]
    return replace(case, memories=tuple(dict.fromkeys((*cited, *case.memories))))


def _nameless(fact: Fact) -> Fact:
    """What a judge is told of a fact: two that differ in nothing else are one to it."""
    return replace(fact, id="", turns=())


def _weight(case: Case, seen: Collection[ShownMemory]) -> int:
    """Roughly the tokens that a case adds to a call."""
    texts = [*(shown.text for shown in case.memories if shown not in seen), case.gold or "", case.answer or ""]
    return sum(map(len, texts)) // 4


def _shown_once(cases: Sequence[Case], shared: Sequence[ShownMemory]) -> tuple[Sequence[Case], Sequence[ShownMemory]]:
    """The cases without their memories, and all of these in one list; a single case keeps its own."""
    if len(cases) == 1:
        return cases, shared
    union = dict.fromkeys((*shared, *(shown for case in cases for shown in case.memories)))
    return [replace(case, memories=()) for case in cases], tuple(union)


def _noted(outcome: Outcome, store: MemorySet) -> Outcome:
    """An outcome that says, if nothing was found, that everything was looked through."""
    if not _failed(outcome) or not isinstance(outcome, Ruling):
        return outcome
    return replace(outcome, why=f"{outcome.why} (all {len(store.keys)} memories were looked through)")


def _split(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _unjudged(error: ModelError) -> Unjudged:
    return Unjudged(f"{error.trouble}: {error}")
