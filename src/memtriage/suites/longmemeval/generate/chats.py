"""Task-oriented chats: a user asks for help, and somewhere on the way lets a fact slip.

The assistant gives advice and never repeats the fact, so that it stands in exactly one message.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from memtriage.core.errors import BadRun
from memtriage.suites.kit.words import items, records
from memtriage.suites.longmemeval.attributes import PACKAGE, group
from memtriage.suites.longmemeval.generate.catalogue import Topic, topics
from memtriage.suites.longmemeval.generate.people import Person
from memtriage.suites.longmemeval.generate.values import capitalized, with_lead
from memtriage.suites.longmemeval.outline import Statement
from memtriage.suites.longmemeval.question import Chat, Message
from memtriage.text.sentences import sentences

_ROUNDS = (4, 6)
_ENDS, _ASPECT, _OWN, _FIRST, _SECOND_FACT = 0.35, 0.15, 0.2, 0.5, 0.35
"""How often a chat ends with a farewell, a piece of advice names its aspect or comes from the topic's own, a fact
stands before the request that goes with it, and a chat that is no evidence tells two facts."""


def evidence_chat(statement: Statement, chat_id: str, rng: Random) -> tuple[Chat, int]:
    """A chat in which a statement is made, and the index of the message that makes it."""
    writer = _ChatWriter(topics()[statement.attribute], rng)
    rounds = rng.randint(*_ROUNDS)
    place = rng.randrange(rounds)
    messages: list[Message] = []
    index = 0
    for number in range(rounds):
        if number != place:
            messages.extend(writer.advice_round(first=number == 0))
        elif statement.role == "assistant":
            index = len(messages) + 1
            messages += [Message("user", statement.prompt), Message("assistant", statement.body, has_answer=True)]
        else:
            index = len(messages)
            messages.extend(writer.fact_round(statement.text, has_answer=True))
    messages.extend(writer.ending())
    return Chat(chat_id, tuple(messages)), index


def distractor_chat(attribute: str, person: Person, rng: Random, chat_id: str) -> tuple[Chat, frozenset[str]]:
    """A chat of the same kind in which a person tells one or two facts of an attribute, and the keys of these."""
    writer = _ChatWriter(topics()[attribute], rng)
    rounds = rng.randint(*_ROUNDS)
    facts = person.facts(attribute)
    chosen = rng.sample(facts, min(len(facts), 1 + (rng.random() < _SECOND_FACT)))
    places = dict(zip(rng.sample(range(rounds), len(chosen)), chosen, strict=True))
    messages: list[Message] = []
    for number in range(rounds):
        if fact := places.get(number):
            messages.extend(writer.fact_round(as_aside(fact.text, rng)))
        else:
            messages.extend(writer.advice_round(first=number == 0))
    messages.extend(writer.ending())
    return Chat(chat_id, tuple(messages)), frozenset(fact.key for fact in chosen)


def as_aside(text: str, rng: Random) -> str:
    """A sentence as a remark in passing: with a lead, or without."""
    return with_lead(rng.choice(_phrases("asides")), text)


class _ChatWriter:
    """Writes the rounds of a chat on one topic; no phrase comes twice before all of its kind were used."""

    def __init__(self, topic: Topic, rng: Random) -> None:
        self._topic = topic
        self._rng = rng
        self._aspects = rng.sample(topic.aspects, len(topic.aspects))
        self._points = self._shuffled_points()
        self._own = list(_group_points(group(topic.attribute)))
        rng.shuffle(self._own)
        self._dealt: dict[str, list[str]] = {}

    def advice_round(self, first: bool) -> Iterator[Message]:
        """A request and the advice on it."""
        aspect = self._aspect()
        yield Message("user", self._phrase("openers" if first else "follow_ups", aspect))
        yield Message("assistant", self._advice(aspect))

    def fact_round(self, text: str, has_answer: bool = False) -> Iterator[Message]:
        """A fact with a request, and the advice on that."""
        aspect = self._aspect()
        request = self._phrase("requests", aspect)
        message = f"{text} {request}" if self._rng.random() < _FIRST else f"{request} {text}"
        if sentences(message) not in ([*sentences(text), request], [request, *sentences(text)]):
            raise BadRun(f"this runs on when put together: {message!r}")
        yield Message("user", message, has_answer)
        yield Message("assistant", f"{self._deal('reactions')} {self._advice(aspect)}")

    def ending(self) -> Iterator[Message]:
        if self._rng.random() < _ENDS:
            yield Message("user", self._deal("endings"))
            yield Message("assistant", self._deal("farewells"))

    def _advice(self, aspect: str) -> str:
        """An opening sentence, a few points and a closing one; as a list or as paragraphs."""
        rng = self._rng
        count = rng.randint(5, 8)
        others = [other for other in self._topic.aspects if other != aspect]
        named = [aspect, *rng.sample(others, min(count - 1, len(others)))]
        style = rng.randrange(4)
        points = [self._point(name, number, style) for number, name in enumerate(named, start=1)]
        return "\n\n".join(
            (self._phrase("intros", aspect), ("\n" if style else "\n\n").join(points), self._deal("closers"))
        )

    def _point(self, aspect: str, number: int, style: int) -> str:
        text = " ".join(self._piece(aspect) for _ in range(self._rng.randint(2, 4)))
        head = capitalized(aspect)
        lead = (f"On {aspect}: ", f"{number}. {head}: ", f"* {head}: ", f"{number}. **{head}**: ")[style]
        return lead + text

    def _piece(self, aspect: str) -> str:
        chance = self._rng.random()
        if chance < _ASPECT:
            return self._phrase("aspect_points", aspect)
        if chance < _ASPECT + _OWN and self._own:
            return self._own.pop()
        if not self._points:
            self._points = self._shuffled_points()
        return self._points.pop()

    def _shuffled_points(self) -> list[str]:
        return self._rng.sample(_phrases("points"), len(_phrases("points")))

    def _aspect(self) -> str:
        if not self._aspects:
            self._aspects = self._rng.sample(self._topic.aspects, len(self._topic.aspects))
        return self._aspects.pop()

    def _phrase(self, kind: str, aspect: str) -> str:
        return capitalized(self._deal(kind).format(about=self._topic.about, aspect=aspect))

    def _deal(self, kind: str) -> str:
        """One of the phrases of a kind, all of them before any comes again."""
        left = self._dealt.setdefault(kind, [])
        if not left:
            left.extend(self._rng.sample(_phrases(kind), len(_phrases(kind))))
        return left.pop()


@cache
def _phrases(kind: str) -> tuple[str, ...]:
    return items(records(PACKAGE, "talk")[kind])


@cache
def _group_points(group: str) -> tuple[str, ...]:
    return items(records(PACKAGE, "talk")["group_points"][group])
