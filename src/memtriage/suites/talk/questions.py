"""What is asked about a conversation: in LoCoMo's five kinds, each with the turns that answer it.

An adversarial question is one of the others, asked about the other person or about something that nobody said; so its
words don't tell that it can't be answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from random import Random

from memtriage.suites.kit.templates import draw
from memtriage.suites.locomo.conversation import ADVERSARIAL, CATEGORIES, Question
from memtriage.suites.talk.plan import Part, Person, Plan, Told, ToldList, ToldTrait, Topic
from memtriage.suites.talk.stories import named, phrases
from memtriage.text.words import is_number, words

_NUMBERS = {kind: number for number, kind in CATEGORIES.items()}
_THIRD = {"I": "he", "my": "his", "me": "him"}
_FIRST_PERSON = re.compile(r"\b(?:I|my|me)\b(?!')")
_ADVERSARIAL_SHARE = 0.27
_ORDERS = 3
"""How many questions ask which of two things came first, at most."""


@dataclass(frozen=True, slots=True)
class Asked(Question):
    """A question that says which phrases of which turns answer it; `misleading` is the answer of the other person."""

    told: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    misleading: str = ""


def questions(plan: Plan, rng: Random) -> tuple[Asked, ...]:
    """All questions about a conversation that was worded, in no order."""
    writer = _Writer(plan, rng)
    for told in plan.told:
        writer.about_story(told)
    for kind in plan.lists:
        writer.about_list(kind)
    for trait in plan.traits:
        writer.about_trait(trait)
    writer.about_order()
    rng.shuffle(writer.found)
    return tuple(
        Asked(index, one.text, one.category, one.answer, one.evidence, " ".join(one.evidence), told=one.told,
              misleading=one.misleading)
        for index, one in enumerate(writer.found)
    )  # fmt: skip


class _Writer:
    def __init__(self, plan: Plan, rng: Random) -> None:
        self._plan = plan
        self._rng = rng
        self.found: list[Asked] = []

    def about_story(self, told: Told) -> None:
        me, other = self._two(told.teller)
        parts = {
            f"{n}{part}": (topic, at) for n, topic in enumerate(told.topics, 1) for part, at in topic.parts.items()
        }
        for ask in told.story.asks:
            if not all(part in parts for part in ask.parts):
                continue  # it comes after the last session
            on = [parts[part] for part in ask.parts]
            moment = on[-1][0].moment
            known = {**told.known, "date": moment.gold if moment else ""}
            gold = self._draw(ask.gold, known | me.known())
            if self._rng.random() >= _ADVERSARIAL_SHARE:
                text = self._draw(ask.text, known | me.known())
                self._add(ask.kind, text, gold, _told(on, (gold, text), ask.kind == "temporal"))
                continue
            swapped = self._swapped(told, ask.swap) if ask.swap and self._rng.random() < 0.5 else {}
            asked_of = me if swapped else other
            text = self._draw(ask.text, known | swapped | asked_of.known())
            self._decline(text, gold, (at for _, at in on))

    def about_list(self, kind: ToldList) -> None:
        listed = kind.listed
        for teller in range(2):
            me, _ = self._two(teller)
            mine, others = kind.told[teller], kind.told[1 - teller]
            for thing, topic in mine.items():
                moment = topic.moment
                if moment is not None and self._rng.random() < 0.6:
                    text = self._draw(self._rng.choice(listed.one), {**topic.known, **me.known()})
                    self._add("temporal", text, moment.gold, _told([(topic, topic.parts[""])], (thing,), True))
            for thing, topic in others.items():
                if thing not in mine and topic.moment is not None and self._rng.random() < _ADVERSARIAL_SHARE:
                    text = self._draw(self._rng.choice(listed.one), {**topic.known, **me.known()})
                    self._decline(text, topic.moment.gold, [topic.parts[""]])
            in_order = sorted(mine.items(), key=lambda item: item[1].session)
            on = [(topic, topic.parts[""]) for _, topic in in_order]
            gold = ", ".join(thing for thing, _ in in_order)
            self._add("multi-hop", self._draw(self._rng.choice(listed.all), me.known()), gold, _told(on, (gold,)))
        one, two = self._plan.people
        for thing in kind.shared:
            on = [(told[thing], told[thing].parts[""]) for told in kind.told]
            text = self._draw(self._rng.choice(listed.both), {"one": one.name, "two": two.name})
            self._add("multi-hop", text, thing, _told(on, (thing,)))

    def about_trait(self, told: ToldTrait) -> None:
        me, _ = self._two(told.teller)
        trait, side = told.trait, told.side
        text = self._draw(self._rng.choice(trait.asks), me.known())
        answer, why = trait.answers[side], self._draw(trait.reasons[side], me.known())
        self._add("open-domain", text, f"{answer}; {why}", _told([(told.topic, told.topic.parts[""])]))

    def about_order(self) -> None:
        """Which of two first beats came first; a later beat is later, which one could guess."""
        starts = [
            (told.topics[0].moment, told) for told in self._plan.told if told.topics and told.topics[0].beat.event
        ]
        known = [(moment, told) for moment, told in starts if moment is not None]
        pairs = [(one, two) for one, two in permutations(known, 2) if one[0].last < two[0].first]
        for pair in self._rng.sample(pairs, min(_ORDERS, len(pairs))):
            first, last = (told for _, told in pair)
            one, two = map(self._event, self._rng.sample((first, last), 2))
            text = self._draw(self._rng.choice(phrases()["which_first"]), {"one": one, "two": two})
            on = [(told.topics[0], told.topics[0].parts[""]) for told in (first, last)]
            self._add("temporal", text, self._event(first), _told(on, dated=True))

    def _event(self, told: Told) -> str:
        me, _ = self._two(told.teller)
        return f"{me.name}'s {self._draw(told.topics[0].beat.event, {**told.known, **me.known()})}"

    def _two(self, teller: int) -> tuple[Person, Person]:
        return self._plan.people[teller], self._plan.people[1 - teller]

    def _draw(self, template: str, known: Mapping[str, str]) -> str:
        """A question or an answer; what the slots say in the first person becomes the third."""
        text = draw(template, self._rng, {}, known)
        if "he" in known:
            text = _FIRST_PERSON.sub(lambda found: known[_THIRD[found[0]]], text)
        return text[:1].upper() + text[1:] if text.endswith("?") else text

    def _swapped(self, told: Told, slot: str) -> dict[str, str]:
        """Another value of a slot."""
        return named(slot, self._rng.choice([row for row in told.story.slots[slot] if row[""] != told.known[slot]]))

    def _add(self, kind: str, text: str, gold: str, told: Mapping[str, tuple[str, ...]]) -> None:
        self.found.append(Asked(0, text, _NUMBERS[kind], gold, tuple(told), told=told))

    def _decline(self, text: str, misleading: str, on: Iterable[Part]) -> None:
        turns = tuple(dict.fromkeys(part.turn for part in on))
        self.found.append(Asked(0, text, ADVERSARIAL, "", turns, misleading=misleading))


def _told(
    on: Iterable[tuple[Topic, Part]], texts: Iterable[str] = (), dated: bool = False
) -> dict[str, tuple[str, ...]]:
    """The phrases that answer, by turn: those that share words with the answer, or else with the question; the time."""
    found: dict[str, tuple[str, ...]] = {}
    for topic, (turn, details) in on:
        alike = (tuple(each for each in details if _share(each, text)) for text in texts)
        named = next(filter(None, alike), details)
        times = (topic.moment.said,) if dated and topic.moment is not None else ()
        found[turn] = tuple(dict.fromkeys((*found.get(turn, ()), *named, *times)))
    return found


def _share(one: str, other: str) -> bool:
    """Whether two texts share a number or a word that says something."""
    return any(len(stem) > 2 or is_number(stem) for stem in set(words(one).stems) & set(words(other).stems))
