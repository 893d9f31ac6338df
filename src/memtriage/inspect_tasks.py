"""Suites as tasks of Inspect: `inspect eval memtriage/memfail -T system=bm25 -T k=10 --model openai/gpt-5-mini`.

A memory is filled and asked as in any run, and recorded as one; Inspect's model then answers from what came back. An
answer is graded by the suite's rules: letters and words by rule, the rest by the model in the role `grader`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import anyio
import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ResponseSchema,
    get_model,
)
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    NOANSWER,
    Score,
    Scorer,
    Target,
    accuracy,
    mean,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema

from memtriage.config import RunConfig
from memtriage.core.chat import Call, Message, ModelError, Reply, Schema, Tokens
from memtriage.core.episode import Probe
from memtriage.core.errors import BadRun
from memtriage.core.verdict import FAILURES, ProbeVerdict
from memtriage.diagnose.answers import AnswerGrader, Grade, grade_of, with_grade
from memtriage.diagnose.judge.staged import Judge, Unjudged
from memtriage.export.inspect_logs import about
from memtriage.host.temporary import TemporaryFolder
from memtriage.models.structured import description, parse
from memtriage.pipeline.run import run_or_resume
from memtriage.record.reader import RunReader
from memtriage.runner.answer_prompts import answer_call, read_answer
from memtriage.runner.plan import plan_run
from memtriage.runner.reading import DatesShown, readings
from memtriage.tables.table import first_why
from memtriage.text.language import speaking

_ANSWER = "memtriage_answer"


def _declared(name: str, what: str) -> Callable[..., Task]:
    """A suite as a task; `part` names one of the suite's own tasks, such as long-hop."""

    @task(name=name)
    def declared(
        system: str = "bm25",
        k: int | str = 10,
        part: str = "",
        rows: int | None = None,
        seed: int = 42,
        data: str | None = None,
        internal: str | None = None,
        embed: str | None = None,
        out: str | None = None,
    ) -> Task:
        return _task(f"{name}/{part}" if part else name, system, k, rows, seed, data, internal, embed, out)

    declared.__doc__ = what
    named: Callable[..., Task] = declared
    return named


memfail = _declared("memfail", "MemFail: five tasks, each of which fails memories at one stage.")
meme = _declared("meme", "MEME: facts that change, and what follows from them.")
longmemeval = _declared("longmemeval", "LongMemEval: questions about a long history of chats.")
memoryagentbench = _declared("memoryagentbench", "MemoryAgentBench: retrieving, learning, understanding, forgetting.")


@task
def suite(
    name: str,
    system: str = "bm25",
    k: int | str = 10,
    rows: int | None = None,
    seed: int = 42,
    data: str | None = None,
    internal: str | None = None,
    embed: str | None = None,
    out: str | None = None,
) -> Task:
    """Any suite by name, or a suite file of your own: -T name=my.yaml."""
    return _task(name, system, k, rows, seed, data, internal, embed, out)


def _task(name: str, *settings: Any) -> Task:
    return Task(
        dataset=MemoryDataset(list(_filled(name, *settings).samples()), name=name),
        solver=[remember(name, *settings)],
        scorer=graded(name, *settings),
        display_name=name,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as the memory was asked it: what came back and what it is worth, and what the model is asked."""

    verdict: ProbeVerdict
    metadata: dict[str, Any]
    probe: Probe
    grader: AnswerGrader
    call: Call
    labels: dict[str, str]


class _FilledMemory:
    """A run of one memory at one k, made when the first question is asked; its stores serve every sample and model."""

    def __init__(self, config: RunConfig, out: str | None) -> None:
        self._config = config
        self._out = Path(out) if out else None
        self._lock = anyio.Lock()
        self._asked: dict[str, _Asked] | None = None

    def samples(self) -> Iterator[Sample]:
        """The questions, as the run will ask them."""
        _, episodes = plan_run(self._config)
        for episode in episodes:
            for probe in episode.probes:
                yield Sample(
                    id=f"{episode.id}/{probe.id}",
                    input=probe.text,
                    target=probe.correct_choice or list(probe.golds) or probe.gold,
                    metadata={
                        "task": probe.task or episode.task,
                        "scoring": probe.scoring,
                        "cluster": f"{episode.id}/{probe.cluster or probe.id}",
                    },
                )

    async def asked(self, state: TaskState) -> _Asked:
        """A question of the filled memory; everything is stored and retrieved once, when it is first needed."""
        async with self._lock:
            if self._asked is None:
                self._asked = await anyio.to_thread.run_sync(self._run)
        return self._asked[str(state.sample_id)]

    def _run(self) -> dict[str, _Asked]:
        if self._out is not None:
            return self._run_in(self._out)
        folder = TemporaryFolder("inspect-")
        try:
            return self._run_in(folder.path / "run")
        finally:
            folder.remove()

    def _run_in(self, folder: Path) -> dict[str, _Asked]:
        finished = run_or_resume(folder, self._config)
        if finished.stopped or finished.unfinished:
            raise BadRun(f"{folder}: the memory could not be filled: {finished.stopped or 'the run is not finished'}")
        with RunReader(folder) as reader:
            dates, how = DatesShown(reader.manifest), readings(reader.manifest)
            stores = {episode: store for store, episode in reader.units}
            verdicts = {(verdict.episode, verdict.probe): verdict for verdict in reader.verdicts()}
            found: dict[str, _Asked] = {}
            for episode in reader.episodes():
                grader, store = AnswerGrader.of(episode), stores[episode.id]
                for probe in episode.probes:
                    verdict = verdicts[episode.id, probe.id]
                    keys = list(dict.fromkeys(memory.key for memory in verdict.retrieved))
                    texts = reader.texts(keys)
                    with speaking(episode.language):
                        call, labels = answer_call(
                            probe,
                            [(key, texts[key]) for key in keys],
                            reading=how.get(store),
                            dates={memory.key: memory.created_at for memory in verdict.retrieved},
                            until=dates.until(store, episode, probe),
                        )
                    asked = _Asked(verdict, about(verdict, reader), probe, grader, call, labels)
                    found[f"{episode.id}/{probe.id}"] = asked
            return found


@lru_cache(maxsize=8)  # solver and scorer of a task share one
def _filled(
    suite: str,
    system: str,
    k: int | str,
    rows: int | None,
    seed: int,
    data: str | None,
    internal: str | None,
    embed: str | None,
    out: str | None,
) -> _FilledMemory:
    config = RunConfig.of(
        system, suite=suite, k=[k], rows=rows, seed=seed, data=data, internal=internal, embed=embed, command="inspect"
    )
    return _FilledMemory(config, out)


@solver
def remember(suite: str, *settings: Any) -> Solver:
    """Fill a memory, search it for the question, and have the model answer from what came back."""
    filled = _filled(suite, *settings)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asked = await filled.asked(state)
        if asked.verdict.verdict == "error":
            raise RuntimeError(f"the memory failed: {asked.verdict.error or first_why(asked.verdict)}")
        state.metadata |= asked.metadata
        call = asked.call
        state.messages = _messages(call.messages)
        state = await generate(state, response_schema=_response_schema(call.schema), max_tokens=call.max_tokens)
        reply = Reply(state.output.completion, Tokens(0, 0), 0.0, False, _read(state.output.completion, call.schema))
        state.store.set(_ANSWER, read_answer(asked.probe, reply, asked.labels)[0])
        return state

    return solve


_STAGES: tuple[str, ...] = (*FAILURES, "uncertain")
_UNKNOWN = float("nan")  # what Inspect leaves out of its means


@scorer(
    metrics={
        "right": [accuracy(), stderr(cluster="cluster")],
        "success": [accuracy(), stderr(cluster="cluster")],
        **{stage: [mean()] for stage in _STAGES},
    }
)
def graded(suite: str, *settings: Any) -> Scorer:
    """Whether the answer is right, whether all stages went well, and which was the first to fail."""
    filled = _filled(suite, *settings)

    async def score(state: TaskState, target: Target) -> Score:
        asked = await filled.asked(state)
        answer = str(state.store.get(_ANSWER) or "")
        grade = await _grade(asked.grader, asked.probe, answer)
        declining = asked.probe.scoring == "abstain" and not asked.probe.outdated
        found = with_grade(asked.verdict, grade, declining=declining)
        counts = found.verdict != "n/a"
        success = {"correct": CORRECT, "uncertain": NOANSWER}.get(found.verdict, INCORRECT)
        return Score(
            value={
                "right": CORRECT if grade.right else INCORRECT,
                "success": success if counts else _UNKNOWN,
                **{stage: float(stage == found.verdict) if counts else _UNKNOWN for stage in _STAGES},
            },
            answer=answer,
            explanation=first_why(found) or grade.why,
            metadata={"stage": found.verdict, "graded_by": grade.by, "why": grade.why},
        )

    return score


async def _grade(grader: AnswerGrader, probe: Probe, answer: str) -> Grade:
    by_rule = grader.by_rule(probe, answer)
    if by_rule is not None:
        return by_rule
    stage = grader.stage(probe)
    assert stage is not None  # else a rule had decided
    judge = Judge(_Grader(get_model(role="grader")))
    (outcome,) = await judge.grade_answers(stage, [grader.case(probe, answer)], grader.rules(probe))
    if isinstance(outcome, Unjudged):
        raise RuntimeError(f"the answer could not be graded: {outcome.why}")
    return grade_of(outcome)


class _Grader:
    """A model of Inspect as a judge."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return str(self._model)

    async def ask(self, call: Call) -> Reply:
        schema = call.schema
        messages = _messages(call.messages)
        if schema is not None:  # not every provider can be bound to it
            messages.insert(0, ChatMessageSystem(content=description(schema.json)))
        config = GenerateConfig(response_schema=_response_schema(schema), max_tokens=call.max_tokens)
        output = await self._model.generate(messages, config=config)
        found = None if schema is None else parse(output.completion, schema.json)
        return Reply(output.completion, Tokens(0, 0), 0.0, False, found)


def _messages(messages: tuple[Message, ...]) -> list[Any]:
    kinds: dict[Literal["system", "user", "assistant"], Callable[..., Any]] = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return [kinds[message.role](content=message.content) for message in messages]


def _response_schema(schema: Schema | None) -> Any:
    if schema is None:
        return None
    return ResponseSchema(name=schema.name, json_schema=JSONSchema.model_validate(schema.json))


def _read(text: str, schema: Schema | None) -> dict[str, Any] | None:
    """The object of a reply; None where the model wrote prose."""
    try:
        return None if schema is None else parse(text, schema.json)
    except ModelError:
        return None
