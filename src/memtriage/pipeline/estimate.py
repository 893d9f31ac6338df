"""What a run would ask its models, and what that would cost, before anything is asked.

The answering and the judging are rehearsed: the real prompts are built from what was retrieved, and a model that
only counts stands where the real one would. What a judge is asked depends on what it says, so judging is rehearsed
several times: with a judge that denies everything, with one that grants everything, and with some that change
their mind at a stage between; each stage's least and most over these are its bounds.
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
from memtriage.record.directory import QuestionKey, RunReader, Unit
from memtriage.runner.answers import answer_run, answerable
from memtriage.text.tokens import TOKENIZER, count_tokens

ANSWER_TOKENS = 80
NOTES_TOKENS = 200
CHOICE_TOKENS = 20
VERDICT_TOKENS = 60
THINKING_TOKENS = (50, 1000)
"""What replies are taken to be long; thinking that nobody sees but everybody pays for, at least and at most."""

_PER_MESSAGE = 4
_THINKERS = re.compile(
    r"(?:^|/)(?:gpt-5|gpt-oss|o[1-9]\b|deepseek-r|qwen3|qwq|.*(?:thinking|reasoning))", re.IGNORECASE
)
# Prompts are counted in pieces: most memories are shown again and again. A token hardly ever reaches over this place.
_BEFORE_TEXT = '"text":"'
_LOOKS = ("storage", "summary", "retrieval")  # a denial at one of these makes a judge look again elsewhere
_FILLER = "the memories say so in as many words as an answer usually takes, with a detail or two and what follows. "

_TEMPERS = (*(frozenset(_LOOKS[:n]) for n in range(len(_LOOKS))), None)
"""What each rehearsed judge grants: nothing, the first stages only, or everything (None)."""

Price = Callable[[ModelSpec, Tokens], Decimal | None]


@dataclass(frozen=True, slots=True)
class Amount:
    """So many calls and tokens, and their price; None where nobody knows it."""

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
    """What one stage of one role takes, at least and at most."""

    role: Role
    stage: str
    model: str
    low: Amount
    high: Amount


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would take, stage by stage, and what was assumed to say so."""

    stages: tuple[StageEstimate, ...]
    assumptions: tuple[str, ...]

    @property
    def low(self) -> Amount:
        """Everything at its least."""
        return sum((stage.low for stage in self.stages), Amount())

    @property
    def high(self) -> Amount:
        """Everything at its most."""
        return sum((stage.high for stage in self.stages), Amount())

    def rows(self) -> list[dict[str, Any]]:
        """One record per stage and one for all of them, ready for a table; dollars are None where unknown."""
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
) -> Estimate:
    """What answering and judging a run would take. Nothing is asked, and nothing is written.

    The run holds what was stored and retrieved. Answers it holds already, and calls in the cache, cost nothing.
    """
    path = run if isinstance(run, Path) else run.path
    stages: list[StageEstimate] = []
    if answer is not None:
        with RunReader(path) as reader:
            counting = CountingModel(answer, cache=cache)
            await answer_run(reader, _Unread(), counting, repeats=repeats, limit=1, reading=reading)
        stages += _bounds(answer, [counting], price)
    if judge is not None:
        passes: list[CountingModel] = []
        for grants in _TEMPERS:
            if passes and grants and (paper_exact or not passes[0].asked(_LOOKS)):
                continue  # nobody looks twice, so that a mind changed in between would make no difference
            with Rehearsal(path, answer.label if answer else "", repeats, alike=grants is not None) as rehearsal:
                counting = CountingModel(judge, grants=grants, cache=cache)
                await _judged(rehearsal, Judge(counting, paper_exact=paper_exact), answer.label if answer else "")
            passes.append(counting)
        stages += _bounds(judge, passes, price)
    return Estimate(tuple(stages), _assumptions([spec for spec in (answer, judge) if spec is not None]))


async def estimate_work(
    spec: ModelSpec,
    work: Callable[[ChatModel], Awaitable[object]],
    *,
    price: Price = usual_price,
    cache: Cache | None = None,
) -> Estimate:
    """What some work with one model would take, where what is asked doesn't depend on what the model says."""
    counting = CountingModel(spec, cache=cache)
    await work(counting)
    return Estimate(tuple(_bounds(spec, [counting], price)), _assumptions([spec]))


async def _judged(reader: RunReader, judge: Judge, answered_by: str) -> None:
    """Judge a whole run, for what it takes and not for the verdicts."""
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
    """Counts what it is asked and replies in the shape that was asked for; the same call counts once.

    Its verdicts are yes at the stages that it `grants` (None: at all), and no at others. A reply that is in the
    cache is given as it is, and counts nothing.
    """

    def __init__(self, spec: ModelSpec, *, grants: Collection[str] | None = None, cache: Cache | None = None) -> None:
        self.spec = spec
        self.counted: dict[tuple[Role, str], Amount] = {}
        self._grants = grants
        self._cache = cache
        self._accepted = Capabilities.expected(spec)
        self._seen: set[str] = set()
        self._piece = lru_cache(maxsize=2**15)(count_tokens)

    @property
    def name(self) -> str:
        """The model as tables and files name it."""
        return self.spec.label

    def asked(self, stages: Collection[str]) -> bool:
        """Whether it was asked anything at these stages."""
        return any(stage in stages for _, stage in self.counted)

    async def ask(self, call: Call) -> Reply:
        """A reply made up from the schema."""
        key = call_key(self.spec, call)
        if self._cache is not None and (entry := self._cache.get(key)) is not None:
            return Reply(entry.text, Tokens(entry.input, entry.output), entry.seconds, True, entry.data)
        data = _made_up(call, self._grants is None or call.stage in self._grants)
        tokens = Tokens(0, 0)
        if key not in self._seen:
            self._seen.add(key)
            tokens = Tokens(self._input(call), _output(data))
            before = self.counted.get((call.role, call.stage), Amount())
            self.counted[call.role, call.stage] = before + Amount(1, tokens.input, tokens.output)
        return Reply(json.dumps(data, ensure_ascii=False), tokens, 0.0, False, data or None)

    def _input(self, call: Call) -> int:
        """The tokens of the request's messages as they would be sent, with the few that every message adds."""
        messages = self._accepted.body(call, max_tokens=None)["messages"]
        return sum(self._count(message["content"]) + _PER_MESSAGE for message in messages)

    def _count(self, text: str) -> int:
        *pieces, last = text.split(_BEFORE_TEXT)
        return sum(self._piece(piece + _BEFORE_TEXT) for piece in pieces) + self._piece(last)


class Rehearsal(RunReader):
    """A run with made-up answers where there are none yet: `alike`, or all different from each other."""

    def __init__(self, path: Path, model: str, repeats: int, *, alike: bool) -> None:
        super().__init__(path)
        self._model = model
        self._repeats = repeats
        self._alike = alike
        self._answerable: dict[Unit, dict[tuple[str, int], bool]] = {}
        for unit, probe, trace in answerable(self) if model else ():
            self._answerable.setdefault(unit, {})[probe.id, trace.k] = probe.lettered

    def answers(self, unit: Unit, model: str) -> dict[QuestionKey, Answer]:
        """The answers of a model, the missing ones made up."""
        real = {asked: answer for asked, answer in super().answers(unit, model).items() if answer.error is None}
        if model != self._model:
            return real
        made_up = {
            (probe, k, repeat): Answer(probe, k, model, repeat, self._words(choice, unit, (probe, k, repeat)))
            for (probe, k), choice in self._answerable.get(unit, {}).items()
            for repeat in range(self._repeats)
        }
        return made_up | real

    def answered_by(self) -> list[str]:
        """The models that answered, or will have."""
        return list(dict.fromkeys([*super().answered_by(), *([self._model] if self._model else [])]))

    def _words(self, choice: bool, unit: Unit, asked: QuestionKey) -> str:
        if choice:
            return '{"selected_choice": "A"}'
        if self._alike:
            return _filler()
        different = hashlib.sha256(repr((unit, asked)).encode()).hexdigest()[:8]
        return f"{_filler()} {different}"


class _Unread:
    """Where made-up answers go: nowhere."""

    def answer(self, unit: Unit, answer: Answer) -> None:
        """Forget it at once."""


@lru_cache(maxsize=1)
def _filler() -> str:
    return (_FILLER * (1 + ANSWER_TOKENS // count_tokens(_FILLER))).strip()


def _made_up(call: Call, grants: bool) -> dict[str, Any]:
    if call.schema is None:
        return {}
    made: dict[str, Any] = _value("", call.schema.json, _data(call), grants)
    return made


def _value(name: str, schema: Mapping[str, Any], data: Mapping[str, Any], grants: bool) -> Any:
    """Something that fits a schema, and its data: a result for every entry, the first memory as witness."""
    if schema.get("enum"):
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {each: _value(each, part, data, grants) for each, part in schema.get("properties", {}).items()}
        case "array":
            items = schema.get("items", {})
            if items.get("type") == "object":
                return [_value(name, items, {**data, **entry}, grants) for entry in _entries(data)]
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


def _data(call: Call) -> Mapping[str, Any]:
    """The data that a prompt carries between its marks."""
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
    """How long a reply is taken to be, by what it says."""
    if "selected_choice" in data:
        return CHOICE_TOKENS
    if "answer" in data or not data:
        return ANSWER_TOKENS + (NOTES_TOKENS if "notes" in data else 0)
    results = data.get("results")
    return VERDICT_TOKENS * (len(results) if isinstance(results, list) else 1)


def _bounds(spec: ModelSpec, passes: Sequence[CountingModel], price: Price) -> list[StageEstimate]:
    """Each stage's least and most over the passes."""
    asked = dict.fromkeys(stage for counting in passes for stage in counting.counted)
    stages = sorted(asked, key=lambda each: _LOOKS.index(each[1]) if each[1] in _LOOKS else len(_LOOKS))
    thinking = THINKING_TOKENS if _thinks(spec) else (0, 0)
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
    # Some prices depend on a prompt's length, so it is the typical call that is priced.
    each = price(spec, Tokens(round(read / calls), round(written / calls)))
    return Amount(calls, read, written, None if each is None else each * calls)


def _thinks(spec: ModelSpec) -> bool:
    """Whether a model thinks before it answers, as far as its name and its settings tell."""
    effort = spec.settings.reasoning_effort
    return effort != "none" and (effort is not None or _THINKERS.search(spec.model) is not None)


def _assumptions(specs: Iterable[ModelSpec]) -> tuple[str, ...]:
    listed = [
        f"input is counted with the tokenizer {TOKENIZER}; other models cut texts a little differently",
        f"an answer is taken to be {ANSWER_TOKENS} tokens long, a chosen letter {CHOICE_TOKENS}, notes {NOTES_TOKENS}, "
        f"and a verdict with its reason {VERDICT_TOKENS}",
        "calls that fail and are made again are not counted",
    ]
    thinkers = sorted({spec.name for spec in specs if _thinks(spec)})
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
