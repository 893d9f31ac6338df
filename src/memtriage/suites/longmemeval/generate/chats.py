"""Task-oriented chats: a user asks for help, and somewhere on the way lets a fact slip.

The assistant gives advice and never repeats the fact, so that it stands in exactly one message.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from memtriage.core.errors import BadRun
from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import items, records
from memtriage.suites.longmemeval.attributes import PACKAGE, group
from memtriage.suites.longmemeval.generate.catalogue import Topic, topics
from memtriage.suites.longmemeval.generate.people import Person
from memtriage.suites.longmemeval.generate.values import capitalized, with_lead
from memtriage.suites.longmemeval.outline import Statement
from memtriage.suites.longmemeval.question import Chat, Message
from memtriage.text.sentences import sentences

_ROUNDS = 6
_ENDS, _ASPECT, _OWN, _JOINED, _LEAD, _MUSING = 0.2, 0.6, 0.05, 0.8, 0.6, 0.15
"""How often a chat ends with a farewell, a piece of advice is one on its aspect or comes from the topic's own, a
request is one sentence with what leads up to it, or two, or has one more beside it."""


def evidence_chat(statement: Statement, chat_id: str, rng: Random) -> tuple[Chat, int]:
    """A chat in which a statement is made, and the index of the message that makes it."""
    writer = _ChatWriter(topics()[statement.attribute], rng)
    rounds = writer.rounds
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
            messages.extend(writer.fact_round(statement.text, first=number == 0, has_answer=True))
    messages.extend(writer.ending())
    return Chat(chat_id, tuple(messages)), index


def distractor_chat(attribute: str, person: Person, rng: Random, chat_id: str) -> tuple[Chat, frozenset[str]]:
    """A chat of the same kind in which a person tells a few facts of an attribute, and the keys of these."""
    writer = _ChatWriter(topics()[attribute], rng)
    rounds = writer.rounds
    facts = person.facts(attribute)
    chosen = rng.sample(facts, min(len(facts), rng.choice((1, 2, 2, 3))))
    places = dict(zip(rng.sample(range(rounds), len(chosen)), chosen, strict=True))
    messages: list[Message] = []
    for number in range(rounds):
        if fact := places.get(number):
            messages.extend(writer.fact_round(as_aside(fact.text, rng), first=number == 0))
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
        self._ends = rng.random() < _ENDS
        self.rounds = _ROUNDS - self._ends

    def advice_round(self, first: bool) -> Iterator[Message]:
        """A request and the advice on it."""
        aspect = self._aspect()
        yield Message("user", " ".join([*self._thanks(first), *self._request(aspect, first)]))
        yield Message("assistant", self._advice(aspect))

    def fact_round(self, text: str, first: bool, has_answer: bool = False) -> Iterator[Message]:
        """A fact with a request, and the advice on that."""
        aspect = self._aspect()
        *around, ask = self._request(aspect, first)
        parts = self._rng.choice(([*around, ask, text], [text, *around, ask], [*around, text, ask]))
        if parts[0] != text:
            parts = [*self._thanks(first), *parts]
        message = " ".join(parts)
        if sentences(message) != [one for part in parts for one in sentences(part)]:
            raise BadRun(f"this runs on when put together: {message!r}")
        yield Message("user", message, has_answer)
        yield Message("assistant", f"{self._phrase('reactions', aspect)} {self._advice(aspect)}")

    def _request(self, aspect: str, first: bool) -> list[str]:
        """What the user asks for, last, and what leads up to it."""
        lead = self._phrase("first_leads" if first else "leads", aspect)
        if "," not in lead and self._rng.random() < _JOINED:
            parts = [lead.removesuffix(".") + draw(self._deal("joints"), self._rng, known=self._known(aspect))]
        elif first or self._rng.random() < _LEAD:
            parts = [lead, self._phrase("asks", aspect if first else self._aspect())]
        else:
            parts = [self._phrase("asks", aspect)]
        if self._rng.random() < _MUSING:
            parts.insert(len(parts) - 1, self._phrase("musings", aspect))
        return parts

    def _thanks(self, first: bool) -> list[str]:
        """What the user says to the advice before, if anything."""
        said = "" if first else self._phrase("thanks", "")
        return [said] if said else []

    def ending(self) -> Iterator[Message]:
        if self._ends:
            yield Message("user", self._deal("endings"))
            yield Message("assistant", self._deal("farewells"))

    def _advice(self, aspect: str) -> str:
        """An opening sentence, a few points and a closing one; as a list or as paragraphs."""
        rng = self._rng
        count = rng.randint(7, 10)
        others = [other for other in self._topic.aspects if other != aspect]
        named = [aspect, *rng.sample(others, min(count - 1, len(others)))]
        style = rng.randrange(4)
        points = [self._point(name, number, style) for number, name in enumerate(named, start=1)]
        lines = ("\n" if style else "\n\n").join(points)
        return "\n\n".join((self._phrase("intros", aspect), lines, self._phrase("closers", aspect)))

    def _point(self, aspect: str, number: int, style: int) -> str:
        text = " ".join(self._piece(aspect) for _ in range(self._rng.choice((3, 3, 3, 4))))
        head = capitalized(aspect)
        lead = (f"{head}: ", f"{number}. {head}: ", f"* {head}: ", f"{number}. **{head}**: ")[style]
        return lead + text

    def _piece(self, aspect: str) -> str:
        chance = self._rng.random()
        if chance < _ASPECT:
            return self._phrase("aspect_points", aspect)
        if chance < _ASPECT + _OWN and self._own:
            return self._own.pop()
        if not self._points:
            self._points = self._shuffled_points()
        point = self._points.pop()
        return f"{self._phrase('ties', aspect)} {point[:1].lower() + point[1:]}"

    def _shuffled_points(self) -> list[str]:
        return self._rng.sample(_phrases("points"), len(_phrases("points")))

    def _aspect(self) -> str:
        if not self._aspects:
            self._aspects = self._rng.sample(self._topic.aspects, len(self._topic.aspects))
        return self._aspects.pop()

    def _phrase(self, kind: str, aspect: str) -> str:
        return capitalized(draw(self._deal(kind), self._rng, known=self._known(aspect)))

    def _known(self, aspect: str) -> dict[str, str]:
        return {"about": self._topic.about, "aspect": aspect}

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
