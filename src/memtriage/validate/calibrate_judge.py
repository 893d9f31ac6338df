"""Measures how far a judge can be trusted: its verdicts on planted faults, planted answers and planted memories.

The judge has to decide everything itself, even what words could decide. What could not be judged because the model
failed is counted separately, never as a wrong verdict.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from memtriage.core.chat import FATAL, Call, ChatModel, ModelError, Reply
from memtriage.core.episode import Episode, Probe, Session, Turn
from memtriage.core.memory import Memory
from memtriage.core.rubric import Rubric, Stage
from memtriage.core.trace import Retrieved, Trace
from memtriage.core.verdict import FactVerdict
from memtriage.diagnose.answers import AnswerGrader
from memtriage.diagnose.judge.memories import MemoryJudge
from memtriage.diagnose.judge.prompts import Case
from memtriage.diagnose.judge.staged import Judge, Outcome, Unjudged
from memtriage.diagnose.store import judge_store
from memtriage.metrics.letters import parse_choice
from memtriage.metrics.statistics import Interval, kappa, wilson
from memtriage.text.language import speaking
from memtriage.validate.calibrate import Calibration, Tally, fill
from memtriage.validate.calibrate_memory_judge import JudgedMemory, MemoryJudgeCalibration, judge_planted
from memtriage.validate.calibrate_rewritten import RewrittenTally
from memtriage.validate.planted_answers import KINDS, PER_KIND, AnswerKind, PlantedAnswer, plant_answers
from memtriage.validate.planted_faults import FaultyMemory
from memtriage.validate.planted_memories import StyleChoice
from memtriage.validate.planted_rewritings import Told

_DISTRACTORS = 3
"""How many memories about other things are retrieved in addition to the needed ones."""

GradedBy = Literal["judge", "letter"]
Part = Literal["faults", "answers", "memories"]
PARTS: tuple[Part, ...] = get_args(Part)
"""What a judge is tested on: stages of planted faults, planted answers, planted false memories."""


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """A planted answer and its grade; `accepted` is None if it could not be judged."""

    task: str
    planted: PlantedAnswer
    by: GradedBy
    accepted: bool | None
    why: str

    @property
    def mistaken(self) -> bool:
        return self.accepted is not None and self.accepted != self.planted.right


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of `n` graded answers were graded wrongly, and how many more could not be judged."""

    mistaken: int
    n: int
    errors: int

    @property
    def value(self) -> float | None:
        return self.mistaken / self.n if self.n else None

    @property
    def interval(self) -> Interval:
        return wilson(self.mistaken, self.n)


@dataclass(frozen=True, slots=True)
class AnswerCalibration:
    """Planted answers, as graded in one way."""

    graded: tuple[GradedAnswer, ...]

    @property
    def false_accepts(self) -> Rate:
        """Wrong answers that were accepted."""
        return _rate(g for g in self.graded if not g.planted.right)

    @property
    def false_rejects(self) -> Rate:
        """Right answers that were rejected."""
        return _rate(g for g in self.graded if g.planted.right)

    @property
    def kinds(self) -> dict[AnswerKind, Rate]:
        """False rejects of each right kind, then false accepts of each wrong kind."""
        planted = {g.planted.kind for g in self.graded}
        return {kind: _rate(g for g in self.graded if g.planted.kind == kind) for kind in KINDS if kind in planted}

    @property
    def tasks(self) -> dict[str, AnswerCalibration]:
        names = dict.fromkeys(g.task for g in self.graded)
        return {name: AnswerCalibration(tuple(g for g in self.graded if g.task == name)) for name in names}

    @property
    def kappa(self) -> float:
        """Cohen's kappa between planted answers and grades."""
        return kappa((str(g.planted.right), str(g.accepted)) for g in self.graded if g.accepted is not None)

    @property
    def one_sided(self) -> bool | None:
        """True if all answers were accepted, right or wrong; False if all were rejected; else None."""
        judged = [g for g in self.graded if g.accepted is not None]
        both_planted = len({g.planted.right for g in judged}) == 2
        grades = {g.accepted for g in judged}
        return grades.pop() if both_planted and len(grades) == 1 else None


@dataclass(frozen=True, slots=True)
class JudgeCalibration:
    """A judge on planted faults and on planted answers.

    `answers` are those graded by the judge, `letters` those graded by their letter without a judge. `unjudged` counts,
    by reason, the facts and memories that could not be judged and so are in none of the shares. `memories` are planted
    inventions and controls, if there were any.
    """

    judge: str
    stages: Calibration
    answers: AnswerCalibration
    letters: AnswerCalibration
    unjudged: Mapping[str, int]
    memories: MemoryJudgeCalibration | None = None

    @property
    def reasons(self) -> dict[str, int]:
        """Why facts, answers and memories could not be judged, and how often."""
        rewritten = self.stages.rewritten.score.outcomes if self.stages.rewritten else ()
        failed = [*(g.why for g in self.answers.graded if g.accepted is None)]
        failed += [outcome.why for outcome in rewritten if outcome.found == "error"]
        return dict(Counter(self.unjudged) + Counter(failed))

    @property
    def errors(self) -> int:
        """Everything that could not be judged: facts, answers and memories."""
        return sum(self.reasons.values())


async def calibrate_judge(
    episodes: Iterable[Episode],
    model: ChatModel,
    *,
    rate: float = 0.5,
    seed: int = 0,
    per_kind: int = PER_KIND,
    granularity: str = "turn",
    paper_exact: bool = False,
    styles: Sequence[StyleChoice] = (),
    memories: int = 0,
    strangers: Callable[[Episode], Sequence[Told]] = lambda _: (),
    parts: Sequence[Part] = PARTS,
    done: Callable[[], None] = lambda: None,
) -> JudgeCalibration:
    """Test a judge on planted faults, on the same memory without them, on rewritten memories, and on planted answers.

    `per_kind` answers of each kind are planted in each episode, and `memories` inventions of each kind, with
    `strangers` giving facts of other episodes. `paper_exact` shows the judge the whole store with every question, as
    the MemFail paper does. `parts` are what is tested. A model that can't be reached at all raises ModelError.
    """
    planting = _Planting(rate, seed, granularity, per_kind, styles, memories, strangers, parts)
    tally = _Tally()
    with failing_fast(model) as careful:
        judge = UnaidedJudge(careful, paper_exact=paper_exact)
        of_memories = MemoryJudge(careful)
        for episode in episodes:
            with speaking(episode.language):
                await _test_episode(episode, judge, of_memories, tally, planting)
            done()
    return JudgeCalibration(
        judge=model.name,
        stages=replace(tally.stages.calibration, rewritten=tally.rewritten.calibration if styles else None),
        answers=AnswerCalibration(tuple(g for g in tally.graded if g.by == "judge")),
        letters=AnswerCalibration(tuple(g for g in tally.graded if g.by == "letter")),
        unjudged=tally.unjudged + of_memories.errors,
        memories=MemoryJudgeCalibration(tuple(tally.memories)) if tally.memories else None,
    )


@dataclass(frozen=True, slots=True)
class _Planting:
    """What is planted in each episode."""

    rate: float
    seed: int
    granularity: str
    per_kind: int
    styles: Sequence[StyleChoice]
    memories: int
    strangers: Callable[[Episode], Sequence[Told]]
    parts: Sequence[Part]

    def memory(self, rate: float) -> FaultyMemory:
        return FaultyMemory(rate, self.seed, self.granularity)


@dataclass(slots=True)
class _Tally:
    """Results so far, over all episodes."""

    stages: Tally = field(default_factory=Tally)
    unjudged: Counter[str] = field(default_factory=Counter)
    rewritten: RewrittenTally = field(default_factory=RewrittenTally)
    graded: list[GradedAnswer] = field(default_factory=list)
    memories: list[JudgedMemory] = field(default_factory=list)


async def _test_episode(
    episode: Episode, judge: Judge, of_memories: MemoryJudge, tally: _Tally, planting: _Planting
) -> None:
    async with asyncio.TaskGroup() as tasks:
        if "faults" in planting.parts:
            tasks.create_task(_test_stages(episode, judge, tally, planting))
        if "answers" in planting.parts:
            tasks.create_task(_test_answers(episode, judge, tally, planting))
        if "memories" in planting.parts and planting.memories:
            tasks.create_task(_test_memories(episode, of_memories, tally, planting))


async def _test_stages(episode: Episode, judge: Judge, tally: _Tally, planting: _Planting) -> None:
    faulty, faultless = planting.memory(planting.rate), planting.memory(0.0)
    async with asyncio.TaskGroup() as tasks:
        faulted = tasks.create_task(_judged(episode, faulty, judge))
        sound = tasks.create_task(_judged(episode, faultless, judge))
    tally.unjudged.update(f.why for f in (*faulted.result(), *sound.result()) if f.verdict == "error")
    tally.stages.add_faulty(faulty, (fact for fact in faulted.result() if fact.verdict != "error"))
    tally.stages.add_faultless(faultless, (fact for fact in sound.result() if fact.verdict != "error"))
    for style in planting.styles:
        await tally.rewritten.test_judge(episode, style, planting.rate, planting.seed, judge)


async def _test_answers(episode: Episode, judge: Judge, tally: _Tally, planting: _Planting) -> None:
    planted = plant_answers(episode, planting.seed, planting.per_kind)
    tally.graded += await _graded(episode, planted, judge)


async def _test_memories(episode: Episode, judge: MemoryJudge, tally: _Tally, planting: _Planting) -> None:
    strangers = planting.strangers(episode)
    tally.memories += await judge_planted(
        episode, strangers, judge, planting.memories, planting.granularity, planting.seed
    )


def _rate(graded: Iterable[GradedAnswer]) -> Rate:
    answers = list(graded)
    judged = [g for g in answers if g.accepted is not None]
    return Rate(sum(g.mistaken for g in judged), len(judged), len(answers) - len(judged))


class UnaidedJudge(Judge):
    """A judge that also decides what words could."""

    def must_decide(self, lexical: FactVerdict) -> bool:
        return lexical.verdict != "error"

    def known_intact(self, lexical: FactVerdict) -> bool:
        return False

    @property
    def judges_turns(self) -> bool:
        return False  # faults are planted in single facts


class _FatalModelError(Exception):
    """A model error that every further call would meet; a judge must not take it for one unjudged fact."""

    def __init__(self, error: ModelError) -> None:
        super().__init__(str(error))
        self.error = error


@contextmanager
def failing_fast(model: ChatModel) -> Iterator[ChatModel]:
    """The model for a block of calls that an error which concerns all calls ends, with that error."""
    fatal: ModelError | None = None
    try:
        yield _FailFastModel(model)
    except* _FatalModelError as group:
        fatal = _first(group).error
    if fatal is not None:
        raise fatal


def _first(group: BaseExceptionGroup[_FatalModelError]) -> _FatalModelError:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


class _FailFastModel:
    """The model, but with errors that concern all calls raised as `_FatalModelError`."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    async def ask(self, call: Call) -> Reply:
        try:
            return await self._model.ask(call)
        except ModelError as error:
            if error.trouble in FATAL:
                raise _FatalModelError(error) from error
            raise


# ------------------------------------------------------------------ planted faults


async def _judged(episode: Episode, memory: FaultyMemory, judge: Judge) -> list[FactVerdict]:
    """The judge's verdicts on every fact of every probe, from a memory that may lose some."""
    history, texts = fill(memory, episode)
    questioner = _Questioner(episode, memory)
    traces = (questioner.trace(probe) for probe in episode.probes)
    verdicts = judge_store(episode, history, traces, (), texts, "calibration", "planted faults", judge)
    return [fact async for verdict in verdicts for fact in verdict.facts]


class _Questioner:
    """Asks a faulty memory, and adds a few memories about other things to those it retrieves.

    Without them, a hidden fact would leave nothing retrieved, which is too easy to judge.
    """

    def __init__(self, episode: Episode, memory: FaultyMemory) -> None:
        self._memory = memory
        self._facts = {fact.id: fact for fact in episode.facts}
        self._kept = memory.get_all_memories()

    def trace(self, probe: Probe) -> Trace:
        """The trace of a question; only lettered ones are answered, as free answers are planted separately."""
        asked = Session("query", (Turn("user", probe.text, "query/0"),))
        shown: list[Memory] = self._memory.retrieve_memories(probe.text, asked, 1)
        answer = self._memory.answer(probe.text, shown) if probe.lettered else None
        rng = random.Random(f"beside:{probe.id}")
        mixed = [*shown, *self._distractors(probe, rng)]
        rng.shuffle(mixed)
        retrieved = tuple(Retrieved(m.id, rank) for rank, m in enumerate(mixed, start=1))
        return Trace(probe.id, max(1, len(mixed)), "end", retrieved, answer=answer)

    def _distractors(self, probe: Probe, rng: random.Random) -> list[Memory]:
        needed = [self._facts[id] for ids in probe.sufficient for id in ids]
        turns = {turn for fact in needed for turn in fact.turns}
        evidence = [sentence for fact in needed for sentence in fact.evidence]
        others = [m for m in self._kept if turns.isdisjoint(m.sources) and not any(s in m.text for s in evidence)]
        return rng.sample(others, min(_DISTRACTORS, len(others)))


# ------------------------------------------------------------------ planted answers


async def _graded(episode: Episode, planted: Sequence[PlantedAnswer], judge: Judge) -> list[GradedAnswer]:
    probes = {probe.id: probe for probe in episode.probes}
    grader = AnswerGrader.of(episode)
    graded = [_by_letter(episode.task, a, probes[a.probe]) for a in planted if probes[a.probe].lettered]
    async with asyncio.TaskGroup() as tasks:
        asked = [
            (
                group,
                tasks.create_task(
                    judge.grade_answers(stage, [_case(episode, probes[a.probe], a, grader) for a in group], rules)
                ),
            )
            for rules, stage, group in _rounds(planted, probes, grader)
        ]
    for group, outcomes in asked:
        graded += [_by_judge(episode.task, a, found) for a, found in zip(group, outcomes.result(), strict=True)]
    return graded


def _rounds(
    planted: Sequence[PlantedAnswer], probes: Mapping[str, Probe], grader: AnswerGrader
) -> Iterator[tuple[Rubric, Stage, list[PlantedAnswer]]]:
    """Answers that may share a call: of one stage, each to a different question so that none gives another away.

    Those that need no judge are left out.
    """
    rounds: dict[tuple[Rubric, Stage, int], list[PlantedAnswer]] = {}
    times: Counter[str] = Counter()
    for answer in planted:
        rules, stage = grader.rules(probes[answer.probe]), grader.stage(probes[answer.probe])
        if stage is not None and stage != "verbatim":
            rounds.setdefault((rules, stage, times[answer.probe]), []).append(answer)
            times[answer.probe] += 1
    for (rules, stage, _), group in rounds.items():
        yield rules, stage, group


def _case(episode: Episode, probe: Probe, answer: PlantedAnswer, grader: AnswerGrader) -> Case:
    facts = tuple(episode.fact(id) for id in probe.sufficient[0]) if probe.sufficient else ()
    return grader.case(probe, answer.text, facts)


def _by_judge(task: str, planted: PlantedAnswer, found: Outcome) -> GradedAnswer:
    accepted = None if isinstance(found, Unjudged) else found.verdict
    return GradedAnswer(task, planted, "judge", accepted, found.why)


def _by_letter(task: str, planted: PlantedAnswer, probe: Probe) -> GradedAnswer:
    letter = parse_choice(planted.text, probe.letters)
    return GradedAnswer(task, planted, "letter", letter == probe.correct_choice, f"the answer was {letter or 'none'}")
