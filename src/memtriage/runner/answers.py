"""Have a model answer every question from the memories that were retrieved for it.

Nothing is stored or retrieved here. Answers that are in the journal are not asked for again, except errors. Calls are
made in parallel; the model itself limits how many are in flight at its endpoint.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from memtriage.core.amount import K
from memtriage.core.chat import FATAL, Call, ChatModel, ModelError, Reply
from memtriage.core.episode import Episode, Probe
from memtriage.core.errors import BadInput
from memtriage.core.reading import Reading
from memtriage.core.trace import Answer, Trace
from memtriage.models.bill import Account, Owner
from memtriage.models.current import models_in_use
from memtriage.models.ledger import tallied
from memtriage.record.manifest import Unit
from memtriage.record.reader import RunReader
from memtriage.runner.answer_prompts import answer_call, read_answer
from memtriage.runner.reading import DatesShown, readings
from memtriage.runner.watcher import Watcher
from memtriage.text.language import speaking

AT_ONCE = 128
"""How many questions are in progress at once: enough to keep any endpoint busy, few enough to hold in memory."""

_PROSE_LIMIT = 3
"""After this many replies without a JSON object, and none with one, a model is no longer asked for one."""


class AnswerLog(Protocol):
    """Takes answers as they come: a `RunWriter`, or something that only counts them."""

    def answer(self, unit: Unit, answer: Answer) -> None: ...


@dataclass(slots=True)
class AnswerSummary:
    """How answering went. `kept` counts earlier answers; `stopped` says why the rest was not asked."""

    model: str
    answered: int = 0
    kept: int = 0
    cached: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    stopped: str | None = None

    @property
    def failed(self) -> int:
        """How many questions ended in an error."""
        return self.errors.total()


@dataclass(frozen=True, slots=True)
class Question:
    """One question to the answering model: the call, and what is needed to read its reply."""

    unit: Unit
    probe: Probe
    k: K
    call: Call
    labels: Mapping[str, str]
    reading: Reading | None = None


async def answer_run(
    reader: RunReader,
    writer: AnswerLog,
    model: ChatModel,
    *,
    repeats: int = 1,
    watcher: Watcher | None = None,
    limit: int = AT_ONCE,
    reading: Reading | None = None,
    cant_tell: bool = False,
) -> AnswerSummary:
    """Have a model answer every question of a run that it hasn't answered yet, `repeats` times each.

    `reading` is how it reads the memories of systems that choose no reading themselves; with `cant_tell`, it need not
    pick a letter. A question that can't be answered is recorded as an error. An error that every further call would
    share, or the end of the budget, stops the work; the rest can be asked later.
    """
    dates = DatesShown(reader.manifest)
    answerer = _Answerer(writer, model, watcher or Watcher(), readings(reader.manifest, reading), dates, cant_tell)
    jobs = answerer.unanswered(reader, _check_repeats(repeats))
    workers: list[asyncio.Future[None]] = []
    try:
        for _ in range(max(1, limit)):
            workers.append(asyncio.ensure_future(answerer.work(jobs)))
            await asyncio.sleep(0)  # the first calls go out before the last questions are prepared
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return answerer.summary


def answerable(reader: RunReader) -> Iterator[tuple[Unit, Episode, Probe, Trace]]:
    """The traces of a run without an error, each with its store, its episode and its probe, one at a time."""
    episode: Episode | None = None
    for unit in reader.units:
        if reader.history(unit).ingest.error is not None:
            continue
        if episode is None or episode.id != unit[1]:
            episode = reader.episode(unit[1])
        probes = {probe.id: probe for probe in episode.probes}
        for trace in reader.traces(unit):
            if trace.error is None:
                yield unit, episode, probes[trace.probe], trace


def _questions(
    reader: RunReader,
    unit: Unit,
    episode: Episode,
    probe: Probe,
    trace: Trace,
    repeats: Iterable[int],
    reading: Reading | None,
    until: str | None,
    cant_tell: bool,
) -> Iterator[Question]:
    keys = list(dict.fromkeys(found.key for found in trace.retrieved))
    texts = reader.texts(keys)
    dates = {found.key: found.created_at for found in trace.retrieved}
    memories = [(key, texts[key]) for key in keys]
    with speaking(episode.language):
        call, labels = answer_call(probe, memories, reading=reading, dates=dates, until=until, cant_tell=cant_tell)
    for repeat in repeats:
        yield Question(unit, probe, trace.k, replace(call, repeat=repeat), labels, reading)


def _was_paid_for(asker: Owner) -> bool:
    """Whether this run paid for an answer that it has from the cache: it was killed before it could record it."""
    models = models_in_use()
    return models is not None and models.ledger.paid_for(asker).calls > 0


def _check_repeats(repeats: int) -> int:
    if isinstance(repeats, bool) or repeats < 1:
        raise BadInput(f"repeats must be a whole number of at least 1, not {repeats!r}")
    return repeats


class _Answerer:
    """Asks one question after the other and records what comes back."""

    def __init__(
        self,
        log: AnswerLog,
        model: ChatModel,
        watcher: Watcher,
        readings: Mapping[str, Reading | None],
        dates: DatesShown,
        cant_tell: bool = False,
    ) -> None:
        self._dates = dates
        self._cant_tell = cant_tell
        self._log = log
        self._model = model
        self._watcher = watcher
        self._readings = readings
        self.summary = AnswerSummary(model.name)
        self._prose_replies = 0
        self._writes_objects = False

    def unanswered(self, reader: RunReader, repeats: int) -> Iterator[Question]:
        """The questions without an answer, until something stops the work."""
        unit: Unit | None = None
        done: set[tuple[str, K, int]] = set()
        for now, episode, probe, trace in answerable(reader):
            if now != unit:
                unit, done = now, reader.answered(now, self._model.name)
                self._watcher.unit(*unit)
            left = [repeat for repeat in range(repeats) if (probe.id, trace.k, repeat) not in done]
            self.summary.kept += repeats - len(left)
            self._watcher.step(repeats - len(left))
            if not left:
                continue
            reading = self._readings.get(now[0])
            until = self._dates.until(now[0], episode, probe)
            for question in _questions(reader, now, episode, probe, trace, left, reading, until, self._cant_tell):
                if self.summary.stopped is not None:
                    return
                yield question

    async def work(self, jobs: Iterator[Question]) -> None:
        # All workers share one iterator; that is safe, as no await comes between taking and holding a question.
        for question in jobs:
            await self._answer(question)

    async def _answer(self, question: Question) -> None:
        empty = Answer(question.probe.id, question.k, self._model.name, question.call.repeat)
        asker = (*question.unit, question.probe.id, str(question.k), str(question.call.repeat))
        try:
            with tallied(Account(owner=asker)):
                reply = await self._ask(question.call)
        except ModelError as error:
            if self._is_fatal(error):
                self._stop(error)
                return
            self.summary.errors[error.trouble] += 1
            self._record(question, replace(empty, error=f"{error.trouble}: {error}"))
            return
        text, used = read_answer(question.probe, reply, question.labels, question.reading)
        self._count(reply)
        tokens = reply.tokens
        self._record(
            question,
            replace(
                empty,
                text=text,
                used=used,
                input_tokens=tokens.input,
                output_tokens=tokens.output,
                seconds=round(reply.seconds, 6),
                cached=reply.cached and not _was_paid_for(asker),
            ),
        )

    async def _ask(self, call: Call) -> Reply:
        """The reply as a JSON object or, from a model that can't write one, as plain text."""
        if self._prose_replies < _PROSE_LIMIT:
            try:
                reply = await self._model.ask(call)
            except ModelError as error:
                if error.trouble != "malformed":
                    raise
                self._prose_replies += not self._writes_objects
            else:
                self._writes_objects = True
                return reply
        return await self._model.ask(replace(call, schema=None))

    def _count(self, reply: Reply) -> None:
        self.summary.answered += 1
        self.summary.cached += reply.cached
        self.summary.input_tokens += reply.tokens.input
        self.summary.output_tokens += reply.tokens.output

    def _record(self, question: Question, answer: Answer) -> None:
        self._log.answer(question.unit, answer)
        self._watcher.step()

    def _is_fatal(self, error: ModelError) -> bool:
        """Whether every further call would fail like this one, as at an endpoint that was given up."""
        return error.trouble == "budget" or error.trouble in FATAL

    def _stop(self, error: ModelError) -> None:
        if self.summary.stopped is None:
            self.summary.stopped = str(error) if error.trouble == "outage" else f"{error.trouble}: {error}"
            self._watcher.note(f"answering stopped: {error}")
