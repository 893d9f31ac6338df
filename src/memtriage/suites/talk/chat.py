"""From a plan to what two people say: greetings, news, questions back, pictures, and talk about nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from memtriage.suites.kit.draw import decks
from memtriage.suites.kit.moments import DAYS, MONTHS
from memtriage.suites.kit.templates import draw, marked
from memtriage.suites.locomo.conversation import Said, Sitting
from memtriage.suites.talk.plan import Part, Plan, Topic
from memtriage.suites.talk.stories import phrases
from memtriage.text.sentences import sentences


@dataclass(slots=True)
class _Line:
    speaker: int
    texts: list[str] = field(default_factory=list)
    caption: str = ""

    def text(self, other: str) -> str:
        """What is said, in which the other one is addressed by name only once."""
        start, name, rest = " ".join(self.texts).partition(other)
        return start + name + re.sub(rf", {other}(?=[,.!?])", "", rest)


class Chat:
    """Words the sessions of a plan one after the other; what was told where is noted with its topic."""

    def __init__(self, plan: Plan, rng: Random) -> None:
        self._plan = plan
        self._rng = rng
        self._pools = decks(phrases())
        self._tells: dict[tuple[str, ...], list[str]] = {}
        self._lines: list[_Line] = []
        self._number = 0
        self._at = plan.dates[0]
        self._teller: int | None = None

    def sittings(self) -> tuple[Sitting, ...]:
        by_session: dict[int, list[Topic]] = {}
        for topic in self._plan.topics():
            by_session.setdefault(topic.session, []).append(topic)
        return tuple(
            self._sitting(number, at, by_session.get(number - 1, []))
            for number, at in enumerate(self._plan.dates, start=1)
        )

    def _sitting(self, number: int, at: datetime, topics: list[Topic]) -> Sitting:
        self._number, self._at, self._lines, self._teller = number, at, [], None
        self._rng.shuffle(topics)
        first = self._rng.randrange(2)
        self._say(first, "{greet}")
        self._say(1 - first, "{greet_back}")
        for topic in topics:
            self._tell(topic)
        last = self._lines[-1].speaker
        self._say(1 - last, "{bye}")
        self._say(last, "{bye_back}")
        names = [person.name for person in self._plan.people]
        return Sitting(
            number,
            at.isoformat(timespec="minutes"),
            tuple(
                Said(f"D{number}:{place}", names[line.speaker], line.text(names[1 - line.speaker]), line.caption)
                for place, line in enumerate(self._lines, start=1)
            ),
        )

    def _tell(self, topic: Topic) -> None:
        """A topic with what leads to it and what is answered."""
        teller, beat, rng = topic.teller, topic.beat, self._rng
        if beat.lead and topic.follows and rng.random() < 0.75:
            if self._lines[-1].speaker == teller:
                self._say(1 - teller, "{ask_about}", topic)
            self._say(1 - teller, rng.choice(beat.lead), topic)
        elif self._lines[-1].speaker == teller:
            first = "_first" if self._teller is None else ""
            self._say(teller, "{by_the_way}" if topic.small else f"{{segue{first}}}", topic)
        elif not self._lines[-1].texts[-1].endswith("?"):
            before = "first" if self._teller is None else "more" if self._teller == teller else "you"
            self._say(1 - teller, f"{{bridge_{before}}}", topic)
            if topic.small:
                self._say(teller, "{small_open}", topic)
        self._teller = teller
        caption, details = "", tuple[str, ...]()
        if beat.picture:
            caption, details = marked(self._filled(rng.choice(beat.picture), topic, capital=False))
        self._note(topic, "", self._say(teller, self._fresh(beat.tell), topic))
        if caption:
            self._say(teller, "{show}", topic)
            self._lines[-1].caption = caption
            topic.parts["p"] = Part(self._turn, details)
        if beat.then:
            ask, _, more = self._fresh(beat.then).partition(" => ")
            mood = beat.mood if not topic.small else "small" if beat.mood == "plain" else "fun"
            self._ask(1 - teller, ask, topic, f"{{hm_{mood}}}")
            thinks = not topic.small and self._lines[-1].texts[-1].endswith("?") and rng.random() < 0.5
            if thinks:
                self._say(teller, "{well}", topic)
            self._note(topic, "m", self._say(teller, more, topic))
            if not thinks or rng.random() < 0.3:
                self._say(teller, f"{{tail_{mood}}}", topic)
        if topic.small:
            if beat.mood == "plain" and rng.random() < 0.5:
                self._say(1 - teller, "{amused}", topic)
        else:
            self._say(1 - teller, f"{{react_{beat.mood}}}", topic)

    def _ask(self, speaker: int, template: str, topic: Topic, first: str) -> None:
        """What is answered to news; a bare question gets something before it, or a name."""
        self._say(speaker, template, topic)
        line = self._lines[-1]
        asked = line.texts.pop()
        if len(sentences(asked)) == 1:
            self._say(speaker, first, topic)
        named = any(topic.known["me"] in text for text in (*line.texts, asked))
        if asked.endswith("?") and not named and self._rng.random() < 0.7:
            asked = f"{asked[:-1]}, {topic.known['me']}?"
        line.texts.append(asked)

    def _fresh(self, ways: tuple[str, ...]) -> str:
        """One of the ways to say something, as long as possible one that was not used yet."""
        left = self._tells.setdefault(ways, [])
        if not left:
            left += self._rng.sample(ways, len(ways))
        return left.pop()

    @property
    def _turn(self) -> str:
        return f"D{self._number}:{len(self._lines)}"

    def _say(self, speaker: int, template: str, topic: Topic | None = None) -> tuple[str, ...]:
        """Add to what somebody says; gives the phrases that are marked."""
        text, details = marked(self._filled(template, topic, speaker=speaker))
        if not self._lines or self._lines[-1].speaker != speaker:
            self._lines.append(_Line(speaker))
        if text:
            self._lines[-1].texts.append(text)
        return details

    def _note(self, topic: Topic, part: str, details: tuple[str, ...]) -> None:
        topic.parts[part] = Part(self._turn, details)

    def _filled(self, template: str, topic: Topic | None, speaker: int = 0, capital: bool = True) -> str:
        people = self._plan.people
        known = {
            "me": people[speaker].name,
            "you": people[1 - speaker].name,
            "weekday": DAYS[self._at.weekday()],
            "month": MONTHS[self._at.month - 1],
            "daytime": _daytime(self._at.hour),
            **(topic.known if topic else {}),  # there, `me` is who tells, whoever speaks
        }
        text = draw(template, self._rng, self._pools, known)
        return _capital(text) if capital else text


def _daytime(hour: int) -> str:
    return "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"


def _capital(text: str) -> str:
    """A text with a capital at its beginning, inside a mark too."""
    start = len(text) - len(text.lstrip("["))
    return text[:start] + text[start : start + 1].upper() + text[start + 1 :]
