"""Estimate what a run would ask its models, and what that would cost, before anything is asked.

Answering and judging are rehearsed: the real prompts are built from what was retrieved, and sent to a model that only
counts them. What a judge is asked depends on its verdicts, so judging is rehearsed several times: with a judge that
says no to everything, one that says yes to everything, and some in between. The least and the most over these are
each stage's bounds.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from memtriage.core.amount import K
from memtriage.core.chat import Call, ChatModel, Reply, Role, Tokens
from memtriage.core.reading import Reading
from memtriage.core.trace import Answer
from memtriage.diagnose.judge.staged import Judge
from memtriage.diagnose.store import judge_store
from memtriage.models.cache import Cache, call_key
from memtriage.models.prices import price as usual_price
from memtriage.models.prompt_data import BEGIN, END
from memtriage.models.request import Capabilities
from memtriage.models.spec import ModelSpec
from memtriage.record.manifest import Unit
from memtriage.record.reader import QuestionKey, RunReader
from memtriage.runner.answers import answer_run, answerable
from memtriage.text.tokens import TOKENIZER, count_tokens

ANSWER_TOKENS = 80
NOTES_TOKENS = 200
CHOICE_TOKENS = 20
VERDICT_TOKENS = 60
THINKING_TOKENS = (50, 1000)
"""The assumed lengths of replies, and of hidden thinking, which is billed too (least and most)."""

_PER_MESSAGE = 4
_THINKERS = re.compile(
    r"(?:^|/)(?:gpt-5|gpt-oss|o[1-9]\b|deepseek-r|qwen3|qwq|.*(?:thinking|reasoning))", re.IGNORECASE
)
# Prompts are counted in pieces, as most memories recur; a token hardly ever spans this text.
_BEFORE_TEXT = '"text":"'
_STAGES = ("storage", "summary", "retrieval")  # a no at one of these makes a judge look at the next
_FILLER = "the memories say so in as many words as an answer usually takes, with a detail or two and what follows. "

_JUDGES = (*(frozenset(_STAGES[:n]) for n in range(len(_STAGES))), None)
"""The stages at which each rehearsed judge says yes: none, the first few, or all (None)."""

Price = Callable[[ModelSpec, Tokens], Decimal | None]


@dataclass(frozen=True, slots=True)
class Amount:
    """Calls, tokens and their price; `dollars` is None where the price is unknown."""

    calls: int = 0
    input: int = 0
    output: int = 0
    dollars: Decimal | None = Decimal(0)

    def __add__(self, other: Amount) -> Amount:
        known = self.dollars is not None and other.dollars is not None
        return Amount(
            self.calls + other.calls,
            self.input + other.input,
            self.output + other.output,
            (self.dollars or Decimal(0)) + (other.dollars or Decimal(0)) if known else None,
        )


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """The estimate for one stage of one role: the least and the most."""

    role: Role
    stage: str
    model: str
    low: Amount
    high: Amount


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate for a run, stage by stage, and the assumptions behind it."""

    stages: tuple[StageEstimate, ...]
    assumptions: tuple[str, ...]

    @property
    def low(self) -> Amount:
        """The sum of all lower bounds."""
        return sum((stage.low for stage in self.stages), Amount())

    @property
    def high(self) -> Amount:
        """The sum of all upper bounds."""
        return sum((stage.high for stage in self.stages), Amount())

    def rows(self) -> list[dict[str, Any]]:
        """One record per stage and one for the total, ready for a table; dollars are None where unknown."""
        listed = [_row(stage.role, stage.stage, stage.model, stage.low, stage.high) for stage in self.stages]
        return [*listed, _row("total", "", "", self.low, self.high)]


async def estimate(
    run: RunReader | Path,
    *,
    answer: ModelSpec | None = None,
    judge: ModelSpec | None = None,
    repeats: int = 1,
    paper_exact: bool = False,
    price: Price = usual_price,
    cache: Cache | None = None,
    reading: Reading | None = None,
    cant_tell: bool = False,
) -> Estimate:
    """Estimate answering and judging a run in which everything is stored and retrieved.

    Nothing is asked or written. Answers that the run has already, and calls in the cache, cost nothing.
    """
    path = run if isinstance(run, Path) else run.path
    stages: list[StageEstimate] = []
    if answer is not None:
        with RunReader(path) as reader:
            counting = CountingModel(answer, cache=cache)
            discarded = _DiscardedAnswers()
            await answer_run(
                reader, discarded, counting, repeats=repeats, limit=1, reading=reading, cant_tell=cant_tell
            )
        stages += bounds(answer, [counting], price)
    if judge is not None:
        passes: list[CountingModel] = []
        for grants in _JUDGES:
            if passes and grants and (paper_exact or not passes[0].asked(_STAGES)):
                continue  # no judge looks at a second stage, so those in between would make no difference
            with RehearsedRun(path, answer.label if answer else "", repeats, alike=grants is not None) as rehearsal:
                counting = CountingModel(judge, grants=grants, cache=cache)
                await _judge_all(rehearsal, Judge(counting, paper_exact=paper_exact), answer.label if answer else "")
            passes.append(counting)
        stages += bounds(judge, passes, price)
    return Estimate(tuple(stages), _assumptions([spec for spec in (answer, judge) if spec is not None]))


async def estimate_work(
    spec: ModelSpec,
    work: Callable[[ChatModel], Awaitable[object]],
    *,
    staged: bool = False,
    price: Price = usual_price,
    cache: Cache | None = None,
) -> Estimate:
    """Estimate some work with one model. If it is a `staged` judge, its questions depend on its replies."""
    passes = [CountingModel(spec, grants=grants, cache=cache) for grants in (_JUDGES if staged else (None,))]
    for counting in passes:
        await work(counting)
    return Estimate(tuple(bounds(spec, passes, price)), _assumptions([spec]))


async def _judge_all(reader: RunReader, judge: Judge, answered_by: str) -> None:
    """Judge a whole run and drop the verdicts, to count the calls."""
    for unit in reader.units:
        system, id = unit
        episode = reader.episode(id)
        answers = reader.answers(unit, answered_by).values()
        suite = episode.task.partition("/")[0]
        async for _ in judge_store(
            episode,
            reader.history(unit),
            reader.traces(unit),
            answers,
            reader.texts,
            suite,
            system,
            judge,
            answered_by,
        ):
            pass


class CountingModel:
    """A model that counts its calls and makes up replies that fit the schema; the same call counts once.

    Its verdicts are yes at the stages that it `grants` (None: all), and no at others. A cached reply is returned as
    it is and not counted.
    """

    def __init__(self, spec: ModelSpec, *, grants: Collection[str] | None = None, cache: Cache | None = None) -> None:
        self.spec = spec
        self.counted: dict[tuple[Role, str], Amount] = {}
        self._grants = grants
        self._cache = cache
        self._capabilities = Capabilities.expected(spec)
        self._seen: set[str] = set()
        self._count_piece = lru_cache(maxsize=2**15)(count_tokens)

    @property
    def name(self) -> str:
        """The model's name in tables and files."""
        return self.spec.label

    def asked(self, stages: Collection[str]) -> bool:
        """Whether any call was for one of these stages."""
        return any(stage in stages for _, stage in self.counted)

    async def ask(self, call: Call) -> Reply:
        """A made-up reply that fits the schema."""
        key = call_key(self.spec, call)
        if self._cache is not None and (entry := self._cache.get(key)) is not None:
            return Reply(entry.text, Tokens(entry.input, entry.output), entry.seconds, True, entry.data)
        data = _fake_reply(call, self._grants is None or call.stage in self._grants)
        tokens = Tokens(0, 0)
        if key not in self._seen:
            self._seen.add(key)
            tokens = Tokens(self._input(call), _output(data))
            before = self.counted.get((call.role, call.stage), Amount())
            self.counted[call.role, call.stage] = before + Amount(1, tokens.input, tokens.output)
        text = json.dumps(data, ensure_ascii=False) if call.schema else _filler()
        return Reply(text, tokens, 0.0, False, data or None)

    def _input(self, call: Call) -> int:
        """The tokens of the request's messages, with the few that every message adds."""
        messages = self._capabilities.body(call, max_tokens=None)["messages"]
        return sum(self._count(message["content"]) + _PER_MESSAGE for message in messages)

    def _count(self, text: str) -> int:
        *pieces, last = text.split(_BEFORE_TEXT)
        return sum(self._count_piece(piece + _BEFORE_TEXT) for piece in pieces) + self._count_piece(last)


class RehearsedRun(RunReader):
    """A run with made-up answers where there are none yet: all `alike`, or all different."""

    def __init__(self, path: Path, model: str, repeats: int, *, alike: bool) -> None:
        super().__init__(path)
        self._model = model
        self._repeats = repeats
        self._alike = alike
        self._answerable: dict[Unit, dict[tuple[str, K], bool]] = {}
        for unit, _, probe, trace in answerable(self) if model else ():
            self._answerable.setdefault(unit, {})[probe.id, trace.k] = probe.lettered

    def answers(self, unit: Unit, model: str) -> dict[QuestionKey, Answer]:
        """The answers of a model; missing ones are made up."""
        real = {asked: answer for asked, answer in super().answers(unit, model).items() if answer.error is None}
        if model != self._model:
            return real
        made_up = {
            (probe, k, repeat): Answer(probe, k, model, repeat, self._answer_text(choice, unit, (probe, k, repeat)))
            for (probe, k), choice in self._answerable.get(unit, {}).items()
            for repeat in range(self._repeats)
        }
        return made_up | real

    def answered_by(self) -> list[str]:
        """The models that answered, and the one that is rehearsed."""
        return list(dict.fromkeys([*super().answered_by(), *([self._model] if self._model else [])]))

    def _answer_text(self, choice: bool, unit: Unit, asked: QuestionKey) -> str:
        if choice:
            return '{"selected_choice": "A"}'
        if self._alike:
            return _filler()
        suffix = hashlib.sha256(repr((unit, asked)).encode()).hexdigest()[:8]
        return f"{_filler()} {suffix}"


class _DiscardedAnswers:
    """Discards made-up answers."""

    def answer(self, unit: Unit, answer: Answer) -> None:
        """Discard it."""


@lru_cache(maxsize=1)
def _filler() -> str:
    return (_FILLER * (1 + ANSWER_TOKENS // count_tokens(_FILLER))).strip()


def _fake_reply(call: Call, grants: bool) -> dict[str, Any]:
    if call.schema is None:
        return {}
    reply: dict[str, Any] = _fake_value("", call.schema.json, _prompt_data(call), grants)
    return reply


def _fake_value(name: str, schema: Mapping[str, Any], data: Mapping[str, Any], grants: bool) -> Any:
    """A value that fits a schema and the prompt's data: a result for every entry, the first memory as witness."""
    if schema.get("enum"):
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {each: _fake_value(each, part, data, grants) for each, part in schema.get("properties", {}).items()}
        case "array":
            items = schema.get("items", {})
            if items.get("type") == "object":
                return [_fake_value(name, items, {**data, **entry}, grants) for entry in _entries(data)]
            return [str(memory.get("id", "")) for memory in _dicts(data.get("memories"))[:1]]
        case "boolean":
            return grants
        case "integer" | "number":
            return data.get("id", 0)
        case "string":
            return data.get("id", "") if name == "id" else _filler()
    return None


def _entries(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return _dicts(data.get("entries")) or [{"id": 1}]


def _dicts(listed: object) -> list[Mapping[str, Any]]:
    return [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []


def _prompt_data(call: Call) -> Mapping[str, Any]:
    """The JSON data between a prompt's marks."""
    for message in call.messages:
        _, begin, rest = message.content.partition(f"{BEGIN}\n")
        text, end, _ = rest.rpartition(f"\n{END}")
        if begin and end:
            try:
                data = json.loads(text)
            except ValueError:
                continue
            return data if isinstance(data, dict) else {}
    return {}


def _output(data: Mapping[str, Any]) -> int:
    """The assumed length of a reply, by its kind."""
    if "selected_choice" in data:
        return CHOICE_TOKENS
    if "answer" in data or not data:
        return ANSWER_TOKENS + (NOTES_TOKENS if "notes" in data else 0)
    results = data.get("results")
    return VERDICT_TOKENS * (len(results) if isinstance(results, list) else 1)


def bounds(spec: ModelSpec, passes: Sequence[CountingModel], price: Price) -> list[StageEstimate]:
    """The bounds of each stage over all passes."""
    asked = dict.fromkeys(stage for counting in passes for stage in counting.counted)
    stages = sorted(asked, key=lambda each: _STAGES.index(each[1]) if each[1] in _STAGES else len(_STAGES))
    thinking = THINKING_TOKENS if _is_thinker(spec) else (0, 0)
    found = []
    for role, stage in stages:
        amounts = [counting.counted.get((role, stage), Amount()) for counting in passes]
        low, high = (
            _priced(spec, pick, amounts, unseen, price) for pick, unseen in zip((min, max), thinking, strict=True)
        )
        found.append(StageEstimate(role, stage, spec.label, low, high))
    return found


def _priced(
    spec: ModelSpec, pick: Callable[[Iterable[int]], int], amounts: Sequence[Amount], thinking: int, price: Price
) -> Amount:
    calls = pick(amount.calls for amount in amounts)
    read = pick(amount.input for amount in amounts)
    written = pick(amount.output for amount in amounts) + thinking * calls
    if not calls:
        return Amount()
    # Some prices depend on a prompt's length, so the average call is priced.
    each = price(spec, Tokens(round(read / calls), round(written / calls)))
    return Amount(calls, read, written, None if each is None else each * calls)


def _is_thinker(spec: ModelSpec) -> bool:
    """Whether a model thinks before it answers, judged by its name and settings."""
    effort = spec.settings.reasoning_effort
    return effort != "none" and (effort is not None or _THINKERS.search(spec.model) is not None)


def _assumptions(specs: Iterable[ModelSpec]) -> tuple[str, ...]:
    listed = [
        f"input is counted with the tokenizer {TOKENIZER}; other models cut texts a little differently",
        f"an answer is taken to be {ANSWER_TOKENS} tokens long, a chosen letter {CHOICE_TOKENS}, notes {NOTES_TOKENS}, "
        f"and a verdict with its reason {VERDICT_TOKENS}",
        "calls that fail and are made again are not counted",
    ]
    thinkers = sorted({spec.name for spec in specs if _is_thinker(spec)})
    if thinkers:
        least, most = THINKING_TOKENS
        listed.append(f"{' and '.join(thinkers)} thinks unseen for {least} to {most} tokens a call")
    return tuple(listed)


def _row(role: str, stage: str, model: str, low: Amount, high: Amount) -> dict[str, Any]:
    return {
        "role": role,
        "stage": stage,
        "model": model,
        "calls": (low.calls, high.calls),
        "input_tokens": (low.input, high.input),
        "output_tokens": (low.output, high.output),
        "dollars": None if low.dollars is None or high.dollars is None else (low.dollars, high.dollars),
    }
