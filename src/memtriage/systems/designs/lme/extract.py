"""What is taken out of what the user said: summaries, keyphrases, facts, dated events; by a model or by rules.

Items are rounds or whole sessions. Only the user's messages are read, as in the paper. With rules, the work on a text
is done once per process, however many stores the text comes to, since the functions in `rules.statements` are cached.
With a model, its cache sees to that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, get_args

from memtriage.core.chat import SCRIPTED, ModelError
from memtriage.core.episode import Turn
from memtriage.core.errors import BadInput, BadSystem, unknown
from memtriage.core.trace import Usage
from memtriage.systems.designs.lme.prompts import RULES, about_items, range_of
from memtriage.systems.designs.prompts import Ask, prompts_of
from memtriage.systems.designs.replies import line, lines, number, records
from memtriage.systems.designs.rules import statements
from memtriage.systems.designs.rules.dates import Span, day
from memtriage.systems.designs.rules.keyphrases import Keyphrases
from memtriage.systems.designs.rules.time_ranges import time_range
from memtriage.systems.designs.turns import by_user
from memtriage.systems.retrieval.units import whole

if TYPE_CHECKING:
    pass

ExtractKind = Literal["summary", "keyphrase", "fact", "events"]
KINDS: tuple[ExtractKind, ...] = get_args(ExtractKind)
MODES = ("model", "rules")
_MOST_LINES = 60


@dataclass(frozen=True, slots=True)
class DatedEvent:
    """Something that happened on a day, or on one of several."""

    span: Span
    text: str

    @property
    def dated(self) -> str:
        """The event with its date in words, as people write it in questions.

        >>> DatedEvent(Span(date(2023, 5, 3), date(2023, 5, 4)), "I ran.").dated
        'May 3, 2023: I ran.'
        """
        return f"{self.span.start:%B} {self.span.start.day}, {self.span.start.year}: {self.text}"


@dataclass(frozen=True, slots=True)
class Extract:
    """What was taken out of one item."""

    summary: str = ""
    keyphrases: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    events: tuple[DatedEvent, ...] = ()

    def key(self, kind: ExtractKind) -> str:
        """One kind of it as a text to search in."""
        match kind:
            case "summary":
                return self.summary
            case "keyphrase":
                return "; ".join(self.keyphrases)
            case "fact":
                return " ".join(self.facts)
            case "events":
                return " ".join(dict.fromkeys(event.dated for event in self.events))

    def keys(self, kind: ExtractKind) -> tuple[str, ...]:
        """The pieces of one kind, each as a text of its own."""
        match kind:
            case "summary":
                return (self.summary,) if self.summary else ()
            case "keyphrase":
                return self.keyphrases
            case "fact":
                return self.facts
            case "events":
                return tuple(dict.fromkeys(event.dated for event in self.events))


def user_messages(turns: Sequence[Turn]) -> tuple[str, ...]:
    """The messages on the user's side."""
    return tuple(turn.text for turn in turns if by_user(turn))


class Extraction:
    """Takes out of a session's items what is asked for, with the internal model or, where none is named, by rules.

    `summarise` is `model` or `rules`; left empty, it is `model` where an internal model is named. `prompts` is a JSON
    file with other instructions for the model, by name.
    """

    def __init__(self, name: str, internal: str, summarise: str, repeat: int = 0, prompts: str = "") -> None:
        self.name = name
        self.mode = summarise or ("model" if internal else "rules")
        if self.mode not in MODES:
            raise BadInput(unknown("summarise step", str(summarise), MODES))
        if self.mode == "model" and not internal:
            raise BadSystem(
                f"{name} was told to extract with a model and has none; name one with --internal, "
                f"or let rules do it: {name}:summarise=rules"
            )
        self.prompts = prompts_of(name, RULES, prompts)
        self.usual = self.prompts == dict(RULES)
        self.keyphrases = Keyphrases()
        repetition = whole("repeat", repeat, least=0)
        from memtriage.models.current import current_models

        self._writer = current_models().writer(internal, repeat=repetition) if self.mode == "model" else None
        self._ranges: dict[tuple[str, str | None], Span | None] = {}

    def take_prompts(self, prompts: Mapping[str, str]) -> None:
        """Use these prompts in the place of those of the same name."""
        for name in prompts:
            if name not in self.prompts:
                raise BadInput(unknown(f"prompt of {self.name}", name, self.prompts))
        self.prompts = {**self.prompts, **prompts}
        self.usual = self.prompts == dict(RULES)

    @property
    def by_model(self) -> bool:
        return self._writer is not None

    def usage(self) -> Usage:
        """What the model has taken so far; nothing where rules work."""
        return self._writer.usage if self._writer is not None else Usage()

    def notices(self) -> list[str]:
        """That rules stand in for a model, or that the model is a scripted one."""
        if self._writer is None:
            return ["it ran without a model: rules of English find what it extracts and the time ranges"]
        return [SCRIPTED] if self._writer.scripted else []

    def of(self, items: Sequence[Sequence[Turn]], at: str | None, kinds: Collection[ExtractKind]) -> list[Extract]:
        """What is in each item, of the kinds asked for. This may fail and changes nothing; `learn` can't fail."""
        texts = [user_messages(turns) for turns in items]
        if self._writer is None:
            return [self._by_rules("\n".join(each), day(at), kinds) for each in texts]
        found = [Extract() for _ in texts]
        speaking = [n for n, each in enumerate(texts) if each]
        if speaking:
            for kind in (kind for kind in KINDS if kind in kinds):
                shown = [texts[n] for n in speaking]
                reply = self._ask(about_items(kind, shown, at, self.prompts[f"lme_{kind}"]))
                for record in records(reply, "items"):
                    n = number(record, "item", len(speaking))
                    if n is not None:
                        found[speaking[n - 1]] = _with_kind(found[speaking[n - 1]], kind, record)
        return found

    def learn(self, items: Sequence[Sequence[Turn]]) -> None:
        """Learn from what is stored which words are rare."""
        if self._writer is None:
            for turns in items:
                self.keyphrases.learn("\n".join(user_messages(turns)))

    def forget(self) -> None:
        self.keyphrases = Keyphrases()
        self._ranges = {}

    def time_range(self, question: str, asked_at: str | None) -> Span | None:
        """The days that a question asks about; None if it names no time, or it isn't known when it is asked."""
        asked = day(asked_at)
        if asked is None:
            return None
        if self._writer is None:
            return time_range(question, asked)
        known = (question, asked_at)
        if known not in self._ranges:  # one question is put at several k
            reply = self._ask(range_of(question, asked_at, self.prompts["lme_time_range"]))
            self._ranges[known] = _range(reply, asked)
        return self._ranges[known]

    def _by_rules(self, text: str, at: date | None, kinds: Collection[ExtractKind]) -> Extract:
        return Extract(
            summary=statements.summary(text) if "summary" in kinds else "",
            keyphrases=self.keyphrases.of(text) if "keyphrase" in kinds else (),
            facts=statements.facts(text) if "fact" in kinds else (),
            events=tuple(DatedEvent(*each) for each in statements.events(text, at)) if "events" in kinds and at else (),
        )

    def _ask(self, ask: Ask) -> Mapping[str, Any]:
        assert self._writer is not None
        reply = self._writer.ask(ask.messages, stage=ask.stage, schema=ask.schema)
        if not isinstance(reply.data, Mapping):
            raise ModelError("malformed", f"{self.name}: the reply to {ask.task!r} holds no JSON object")
        return reply.data


def _with_kind(extract: Extract, kind: ExtractKind, record: Mapping[str, Any]) -> Extract:
    """An extract with one kind of result added from a reply; an event without a valid date is dropped."""
    match kind:
        case "summary":
            return replace(extract, summary=line(record, "summary"))
        case "keyphrase":
            return replace(extract, keyphrases=lines(record, "keyphrases"))
        case "fact":
            return replace(extract, facts=lines(record, "facts", most=_MOST_LINES))
        case "events":
            dated = ((day(line(each, "date")), line(each, "event")) for each in records(record, "events"))
            return replace(extract, events=tuple(DatedEvent(Span(on, on), text) for on, text in dated if on and text))


def _range(reply: Mapping[str, Any], asked: date) -> Span | None:
    """The range in a model's reply; None if it begins on the day of the question, or ends before it begins."""
    start, end = day(line(reply, "start")), day(line(reply, "end"))
    return Span(start, end) if start and end and start <= end and start < asked else None
