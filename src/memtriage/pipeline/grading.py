"""The full depth of a run: an answering model, a judge for what words can't settle, and the bill.

Everything asked of a model goes through one cache, so grading again, or after a kill, costs only what is new.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtriage.core.errors import BadInput
from memtriage.core.trace import Usage
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.diagnose.of_run import Clock, repeat_of, sources_of, summary
from memtriage.host.files import write_whole
from memtriage.models.current import models_in_use
from memtriage.record.directory import RunReader, RunWriter, Unit, write_verdicts
from memtriage.runner.store_life import Watcher

if TYPE_CHECKING:
    from memtriage.core.chat import ChatModel
    from memtriage.models.client import Client
    from memtriage.models.ledger import Ledger
    from memtriage.models.spec import ModelSpec
    from memtriage.models.system_models import SystemModels
    from memtriage.pipeline.estimate import Estimate, StageEstimate

_LIMITS = ("max_cost", "max_errors", "stopped", "prices")
"""What a bill says of a session rather than of the run."""

_AHEAD = 4
"""How many stores are judged at the same time."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often each source of chance is tried again: storing, answering, judging."""

    ingest: int = 1
    answer: int = 1
    judge: int = 1

    @classmethod
    def parse(cls, text: str) -> Repeats:
        """`3` repeats the answers; `ingest=2,answer=3,judge=2` says each.

        >>> Repeats.parse("ingest=2,judge=3")
        Repeats(ingest=2, answer=1, judge=3)
        """
        parts = dict(part.partition("=")[::2] for part in text.split(",")) if "=" in text else {"answer": text}
        if not set(parts) <= {"ingest", "answer", "judge"} or not all(
            re.fullmatch(r"[1-9]\d*", n) for n in parts.values()
        ):
            raise BadInput(f"--repeats {text!r}: give a number, or ingest=2,answer=3,judge=2")
        return cls(**{name: int(number) for name, number in parts.items()})


@dataclass(frozen=True, slots=True)
class Grading:
    """Who answers and who judges, as recorded in the manifest; an empty name is nobody.

    `reading` is how whoever answers reads what came back from systems that don't say so themselves.
    """

    answer: str = ""
    judge: str = ""
    paper_exact: bool = False
    repeats: Repeats = Repeats()
    reading: str = ""

    def record(self) -> dict[str, Any]:
        """For the manifest; model names never hold a key."""
        return {**asdict(self), "answer": _recorded(self.answer), "judge": _recorded(self.judge)}

    @classmethod
    def recorded(cls, record: Mapping[str, Any] | None) -> Grading:
        """As a manifest holds it."""
        return cls(**{**record, "repeats": Repeats(**record["repeats"])}) if record else cls()

    @property
    def needs_models(self) -> bool:
        return bool(self.answer or self.judge)


@dataclass(frozen=True, slots=True)
class Means:
    """What a run may use: how many calls and stores at once, how much money, how many errors, which cache."""

    concurrency: int = 32
    max_cost: Decimal | None = None
    max_errors: int | None = None
    cache: Path | None = None
    use_cache: bool = True
    stores: int = 4


@dataclass(frozen=True, slots=True)
class Spent:
    """What grading took, by role and stage, and what stopped it, if anything."""

    accounts: dict[str, Any]
    stopped: str | None


def label(spec: str) -> str:
    """A model as tables and files name it."""
    from memtriage.models.spec import ModelSpec

    return ModelSpec.parse(spec).label if spec else ""


def estimate_judging(judge: str, work: Callable[[ChatModel], Awaitable[object]], means: Means) -> Estimate:
    """What some grading would take of its judge; nothing is asked, and what is in the cache is free."""
    from memtriage.models.cache import Cache, default_path
    from memtriage.models.spec import ModelSpec
    from memtriage.pipeline.estimate import estimate_work

    where = means.cache or default_path()
    cache = Cache(where) if means.use_cache and where.exists() else None
    try:
        return asyncio.run(estimate_work(ModelSpec.parse(judge), work, cache=cache))
    finally:
        if cache is not None:
            cache.close()


def embedder_label(name: str) -> str:
    """An embedding model as tables and files name it: by its spec, or an offline one by its own name."""
    from memtriage.models.spec import names_endpoint

    return label(name) if names_endpoint(name) else name


def _recorded(spec: str) -> str:
    """A model as a manifest keeps it: with all that is needed to ask it again, save keys and passwords."""
    from memtriage.models.spec import ModelSpec

    if not spec or (seconds := ModelSpec.parse(spec).settings.timeout) is None:
        return label(spec)
    return f"{label(spec)}{'&' if '?' in label(spec) else '?'}timeout={seconds:g}"


def grade(path: Path, grading: Grading, means: Means, watcher: Watcher, answering: bool = True) -> Spent:
    """Answer and judge what a run recorded, and write its verdicts. What was done before is not asked again.

    Without `answering`, the answers that the run holds are judged as they are.
    """
    with models(grading if answering else replace(grading, answer=""), means) as (runner, answer, judge, ledger):
        take_over(ledger)
        stopped = None
        if answer is not None:
            from memtriage.runner.answers import answer_run
            from memtriage.runner.reading import reading_of

            with RunReader(path) as reader, RunWriter(path, reader) as writer:
                watcher.answering(answer.name)
                told = runner.run(
                    answer_run(
                        reader,
                        writer,
                        answer,
                        repeats=grading.repeats.answer,
                        watcher=watcher,
                        limit=4 * means.concurrency,
                        reading=reading_of(grading.reading),
                    )
                )
                stopped = told.stopped
        watcher.diagnosing()
        with RunReader(path) as reader:
            stores: list[StoreSummary] = []
            verdicts = _drained(runner, _verdicts(reader, grading, judge, stores))
            write_verdicts(path, verdicts, stores)
        bill(path, ledger)
        return Spent(ledger.snapshot(), stopped or ledger.stopped)


def bill(path: Path, ledger: Ledger | None = None) -> str | None:
    """Write down what models took, those inside systems among them, and say what stopped them, if anything."""
    from memtriage.models.ledger import Ledger

    ledger = ledger or Ledger()
    take_over(ledger)
    accounts = ledger.snapshot()
    if accounts["roles"]:
        file = path / "cost.json"
        total = added(json.loads(file.read_bytes()), accounts) if file.exists() else accounts
        write_whole(file, (json.dumps(total, indent=2) + "\n").encode())
    return ledger.stopped


@contextmanager
def inside_of(means: Means) -> Iterator[SystemModels]:
    """What systems may use of models while this lasts: within the same means as those who answer and judge."""
    from memtriage.models.cache import Cache, default_path
    from memtriage.models.current import use_models
    from memtriage.models.ledger import Ledger
    from memtriage.models.system_models import SystemModels

    ledger = Ledger(max_cost=means.max_cost, max_errors=means.max_errors)
    with ExitStack() as stack:
        cache = stack.enter_context(_closing(Cache(means.cache or default_path()))) if means.use_cache else None
        inside = stack.enter_context(SystemModels(cache=cache, ledger=ledger, concurrency=means.concurrency))
        yield stack.enter_context(use_models(inside))


def take_over(ledger: Ledger) -> None:
    """Put what the models inside systems took so far on a ledger, where it also counts towards its limits."""
    models = models_in_use()
    if models is not None and models.ledger is not ledger:
        ledger.absorb(models.ledger)


def added(before: Any, more: Any) -> Any:
    """Two bills as one: numbers added up, everything else as the later one has it."""
    if isinstance(before, dict) and isinstance(more, dict):
        return {
            key: added(before[key], more[key]) if key in before and key in more else {**before, **more}[key]
            for key in {**before, **more}
            if key not in _LIMITS
        } | {key: more[key] for key in _LIMITS if key in more}
    if isinstance(more, bool) or isinstance(before, bool):
        return before or more
    if isinstance(more, list) and isinstance(before, list):
        return sorted({*before, *more})
    return before + more if isinstance(before, int | float) and isinstance(more, int | float) else more


def ready(grading: Grading, means: Means, internal: str = "") -> None:
    """Refuse what can't be asked (no key, a limit on cost without a price) before anything is stored or written."""
    from memtriage.models.keys import key_for
    from memtriage.models.ledger import Ledger

    ledger = Ledger(max_cost=means.max_cost, max_errors=means.max_errors)
    for spec in _specs(grading, internal).values():
        if spec.kind == "offline":
            raise BadInput("model 'offline' answers nothing; leave the option out, or name a model")
        key_for(spec)
        ledger.admit(spec)


@contextmanager
def models(grading: Grading, means: Means) -> Iterator[tuple[asyncio.Runner, Client | None, Client | None, Ledger]]:
    """Clients for who answers and who judges, their event loop, and the ledger they share."""
    from memtriage.models.cache import Cache, default_path
    from memtriage.models.client import Client
    from memtriage.models.ledger import Ledger
    from memtriage.models.limiter import Limiter
    from memtriage.models.local import resolve_all

    ledger = Ledger(max_cost=means.max_cost, max_errors=means.max_errors)
    with ExitStack() as stack:
        wanted = _specs(grading)
        served = dict(zip(wanted, stack.enter_context(resolve_all(wanted.values())), strict=True))
        cache = stack.enter_context(_closing(Cache(means.cache or default_path()))) if means.use_cache else None
        runner = stack.enter_context(asyncio.Runner())
        limiters: dict[str, Limiter] = {}
        clients: dict[str, Client] = {}
        for role, spec in served.items():
            limiter = limiters.setdefault(spec.endpoint, Limiter(means.concurrency))
            clients[role] = Client(spec, cache=cache, limiter=limiter, ledger=ledger)
            stack.callback(lambda client: runner.run(client.aclose()), clients[role])
        yield runner, clients.get("answer"), clients.get("judge"), ledger


def _specs(grading: Grading, internal: str = "") -> dict[str, ModelSpec]:
    from memtriage.models.spec import ModelSpec

    named = {"answer": grading.answer, "judge": grading.judge, "internal": internal}
    specs = {role: ModelSpec.parse(text) for role, text in named.items() if text}
    for spec in specs.values():
        if spec.userinfo == "***":
            raise BadInput(
                f"the password of {spec.name} is not kept on disk; start the run again with the whole URL: "
                "what was asked before is in the cache and costs nothing"
            )
    return specs


@contextmanager
def _closing(cache: Any) -> Iterator[Any]:
    try:
        yield cache
    finally:
        cache.close()


def _drained(runner: asyncio.Runner, stream: AsyncIterator[ProbeVerdict]) -> Iterator[ProbeVerdict]:
    """An asynchronous stream, pulled from the outside."""

    async def pull() -> ProbeVerdict | None:
        return await anext(stream, None)

    while (verdict := runner.run(pull())) is not None:
        yield verdict


async def _verdicts(
    reader: RunReader, grading: Grading, judge: ChatModel | None, stores: list[StoreSummary]
) -> AsyncIterator[ProbeVerdict]:
    """The verdicts of every store in order, with the next stores already under way."""
    async with AsyncExitStack() as stack:
        streams: list[_Ahead] = []
        units = iter(reader.units)
        while True:
            while len(streams) < _AHEAD and (unit := next(units, None)) is not None:
                stream = _Ahead(_unit(reader, unit, grading, judge, stores))
                stack.push_async_callback(stream.stop)
                streams.append(stream)
            if not streams:
                return
            async for verdict in streams.pop(0):
                yield verdict


async def _unit(
    reader: RunReader,
    unit: Unit,
    grading: Grading,
    judge: ChatModel | None,
    stores: list[StoreSummary],
) -> AsyncIterator[ProbeVerdict]:
    from memtriage.diagnose.full import judge_unit
    from memtriage.diagnose.judge.staged import Judge

    system, ingest_repeat = repeat_of(unit[0])
    episode = reader.episode(unit[1])
    suite = episode.task.partition("/")[0]
    life = reader.life(unit)
    answered_by = label(grading.answer)
    clock = Clock()
    for judging in range(grading.repeats.judge if judge is not None else 1):
        seat = Judge(judge, paper_exact=grading.paper_exact, repeat=judging) if judge is not None else None
        traces = reader.traces(unit)
        answers = reader.answers(unit, answered_by).values() if answered_by else ()
        async for verdict in judge_unit(
            episode,
            life,
            clock.timed(traces) if judging == 0 else traces,
            answers,
            reader.texts,
            suite,
            system,
            seat,
            answered_by,
            sources=sources_of(reader),
        ):
            yield replace(verdict, ingest_repeat=ingest_repeat, judge_repeat=judging)
    answering = _answering(reader, unit, grading.answer)
    stores.append(summary(suite, episode.task, system, unit[1], life, clock, answering))


def _answering(reader: RunReader, unit: Unit, spec: str) -> Usage | None:
    """What a model took to answer the questions asked of a store: what was paid for; None where none was asked."""
    from memtriage.core.chat import Tokens
    from memtriage.models.prices import price
    from memtriage.models.spec import ModelSpec

    if not spec:
        return None
    model, taken = ModelSpec.parse(spec), Usage()
    for answer in reader.answers(unit, label(spec)).values():
        if answer.error is not None:
            taken += Usage(errors=1)
        elif answer.cached:
            taken += Usage(cached=1)
        else:
            dollars = price(model, Tokens(answer.input_tokens, answer.output_tokens))
            known = None if dollars is None else float(dollars)
            taken += Usage(1, 0, 0, answer.input_tokens, answer.output_tokens, known)
    return taken


class _Ahead:
    """A stream that is worked on before anybody pulls at it, up to a limit."""

    def __init__(self, stream: AsyncIterator[ProbeVerdict], room: int = 512) -> None:
        self._queue: asyncio.Queue[ProbeVerdict | BaseException | None] = asyncio.Queue(room)
        self._task = asyncio.create_task(self._fill(stream))

    async def _fill(self, stream: AsyncIterator[ProbeVerdict]) -> None:
        try:
            async for verdict in stream:
                await self._queue.put(verdict)
        except Exception as error:
            await self._queue.put(error)
        else:
            await self._queue.put(None)

    async def __aiter__(self) -> AsyncIterator[ProbeVerdict]:
        while (item := await self._queue.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def estimate_run(path: Path, grading: Grading, means: Means, inside: Sequence[StageEstimate] = ()) -> Estimate:
    """What answering and judging a run would take, beside what its systems take inside; nothing is asked."""
    from memtriage.models.cache import Cache, default_path
    from memtriage.pipeline.estimate import estimate
    from memtriage.runner.reading import reading_of

    specs = _specs(grading)
    where = means.cache or default_path()
    with _closing(Cache(where)) if means.use_cache and where.exists() else _nothing() as cache:
        found = asyncio.run(
            estimate(
                path,
                answer=specs.get("answer"),
                judge=specs.get("judge"),
                repeats=grading.repeats.answer,
                paper_exact=grading.paper_exact,
                cache=cache,
                reading=reading_of(grading.reading),
            )
        )
    if not inside:
        return found
    told = "what systems ask inside was counted with the scripted model in the place of the real one"
    return replace(found, stages=(*inside, *found.stages), assumptions=(told, *found.assumptions))


@contextmanager
def _nothing() -> Iterator[None]:
    yield None


def of_run(manifest: Mapping[str, Any]) -> Grading:
    """How a run is graded, as its manifest says."""
    return Grading.recorded(manifest.get("grading"))
