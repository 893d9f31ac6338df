"""Plain novels of any length around given scenes.

Each scene has one sentence that matters, and somebody, somewhere, in company. Around these sentences, prose that
changes nothing in the plot fills the length that is wanted. The cost is linear in that length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.kit.templates import draw, marked
from memtriage.suites.kit.words import lists, word_list
from memtriage.suites.memoryagentbench.context import PACKAGE, Passage
from memtriage.text.tokens import count_tokens

_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou])")
_CHAPTER = 5_000
"""A chapter has about so many tokens."""

_BARE = 110
"""With fewer tokens than this to spare, a scene is nothing but its sentence."""

_AGAIN = 3
"""How often a sentence is drawn before one that stands in the story already is taken."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a story: a first name and how to speak of them."""

    name: str
    he: str = "he"
    family: str = ""
    goal: str = ""

    @property
    def forms(self) -> Mapping[str, str]:
        """What fills the gaps that speak of this person."""
        him, his = ("him", "his") if self.he == "he" else ("her", "her")
        small = {"he": self.he, "him": him, "his": his, "himself": f"{him}self"}
        large = {form.capitalize(): text.capitalize() for form, text in small.items()}
        return {**small, **large, "WHO": self.name, "GOAL": self.goal}


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene: its sentence, word for word, with the phrases that carry it; who, where and with whom.

    `recalls` is something from an earlier scene of the same person that this one comes back to. With `learned`, that
    person doesn't do what the sentence tells, but learns of it.
    """

    id: str
    sentence: str
    details: tuple[str, ...]
    who: Person
    place: str
    spot: str
    company: str
    recalls: str = ""
    learned: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """A story and where each of its scenes stands."""

    text: str
    passages: tuple[Passage, ...]
    tokens: int


def tell(scenes: Sequence[Scene], length: int, rng: Random, where: str = "a story") -> Story:
    """A story of so many tokens around these scenes, spread evenly over it."""
    bare = count_tokens("\n\n".join(scene.sentence for scene in scenes))
    if not scenes or length < bare * 1.02:
        raise BadInput(
            f"{where}: {len(scenes)} scenes take at least {bare} tokens, not {length}; ask for fewer or more"
        )
    writer = _Writer()
    left = bare
    for number, scene in enumerate(scenes):
        left -= count_tokens(scene.sentence) + 1
        until = length * (number + 1) // len(scenes)
        # The sentences of scenes to come need their room too, where there is little.
        writer.add_scene(scene, min(until, length - left), rng)
    return Story("".join(writer.parts), tuple(writer.passages), writer.tokens)


def people(count: int, rng: Random) -> list[Person]:
    """So many people with first names of their own, as many women as men."""
    words = lists(PACKAGE, "story/people")
    women, men = rng.sample(words["women"], (count + 1) // 2), rng.sample(words["men"], count // 2)
    goals = rng.sample(words["goals"], min(count, len(words["goals"])))
    drawn = [Person(name, "she") for name in women] + [Person(name, "he") for name in men]
    rng.shuffle(drawn)
    families = _pairs("family", count, rng)
    return [Person(one.name, one.he, families[n], goals[n % len(goals)]) for n, one in enumerate(drawn)]


def towns(count: int, rng: Random) -> list[str]:
    """So many towns that are on no map."""
    return _pairs("town", count, rng)


def strangers(count: int, rng: Random) -> list[str]:
    """People met on the way, by trade and family name: `the ferryman Tarmond`."""
    trades = lists(PACKAGE, "story/people")["trades"]
    return [f"the {rng.choice(trades)} {family}" for family in _pairs("family", count, rng)]


def spots(count: int, rng: Random) -> list[str]:
    """Corners of a town."""
    corners = lists(PACKAGE, "story/people")["spots"]
    return [rng.choice(corners) for _ in range(count)]


def _pairs(kind: str, count: int, rng: Random) -> list[str]:
    """So many different names of a kind, each of a head and a tail."""
    words = lists(PACKAGE, "story/people")
    heads, tails = words[f"{kind}_heads"], words[f"{kind}_tails"]
    chosen = rng.sample(range(len(heads) * len(tails)), count)
    return [heads[n // len(tails)] + tails[n % len(tails)] for n in chosen]


def sentence(template: str, known: Mapping[str, str], rng: Random) -> str:
    """A whole sentence: gaps filled with what is known or else drawn, the first letter large, `an` before vowels."""
    text = _ARTICLE.sub(r"\1n ", draw(template, rng, lists(PACKAGE, "story/phrases"), known))
    first = 1 if text[0] == "“" else 0
    return text[:first] + text[first].upper() + text[first + 1 :]


def marked_sentence(template: str, known: Mapping[str, str], rng: Random) -> tuple[str, tuple[str, ...]]:
    """A whole sentence, and the phrases of it that the template marks."""
    text, phrases = marked(sentence(template, known, rng))
    return text[0].upper() + text[1:], phrases


def _size(paragraph: str) -> int:
    """How many tokens a paragraph takes, with the blank line after it."""
    return count_tokens(f"{paragraph}\n\n")


@dataclass(slots=True)
class _Writer:
    """A story while it is being written."""

    parts: list[str] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    tokens: int = 0
    _at: int = 0
    _used: set[str] = field(default_factory=set)
    _decks: dict[str, list[str]] = field(default_factory=dict)
    _chapters: int = 0

    def add_scene(self, scene: Scene, until: int, rng: Random) -> None:
        """One scene, which ends where the story has about `until` tokens."""
        around = {"OTHER": scene.company, "PLACE": scene.place, "SPOT": scene.spot, "THING": scene.recalls}
        known, key = {**scene.who.forms, **around}, count_tokens(scene.sentence)
        room = until - self.tokens
        if room < key + _BARE:
            self._paragraph(self._key_paragraph(scene, [], []))
            return
        self._chapter()
        opening = [self._unused("bridge", known, rng)]
        if scene.recalls:
            opening.append(self._unused("recall", known, rng))
        self._paragraph(" ".join([*opening, self._unused("think", known, rng)]))
        # The sentence stands anywhere in its scene but at its very edge.
        self._prose(self.tokens + int((until - self.tokens - key) * rng.uniform(0.15, 0.8)), known, rng)
        lead, follow = ("hear", "note") if scene.learned else ("lead", "after")
        after = [self._unused(follow, known, rng)] if until - self.tokens > key + 60 else []
        self._paragraph(self._key_paragraph(scene, [self._unused(lead, known, rng)], after))
        self._prose(until, known, rng)

    def _chapter(self) -> None:
        """Begin another chapter where the last has got long."""
        if self.tokens >= self._chapters * _CHAPTER:
            self._chapters += 1
            self._paragraph(f"Chapter {self._chapters}")

    def _key_paragraph(self, scene: Scene, before: list[str], after: list[str]) -> str:
        start = self._at + sum(len(one) + 1 for one in before)
        self.passages.append(Passage(scene.id, scene.sentence, start, scene.details))
        return " ".join([*before, scene.sentence, *after])

    def _prose(self, until: int, known: Mapping[str, str], rng: Random) -> None:
        """Paragraphs up to about `until` tokens; the last one is left out where leaving it out comes nearer."""
        while self.tokens < until:
            self._chapter()
            paragraph = self._prose_paragraph(known, rng)
            tokens = _size(paragraph)
            if self.tokens + tokens - until > until - self.tokens:
                return
            self._paragraph(paragraph, tokens)

    def _prose_paragraph(self, known: Mapping[str, str], rng: Random) -> str:
        kinds = rng.choice(word_list(PACKAGE, "story/paragraphs"))
        if kinds == "talk":
            return "\n\n".join(self._talk(known, rng))
        return " ".join(self._unused(kind, known, rng) for kind in kinds.split())

    def _talk(self, known: Mapping[str, str], rng: Random) -> Iterator[str]:
        """A short talk between the person of the scene and whoever is there."""
        for _ in range(rng.randint(1, 3)):
            asks, tells = (known["WHO"], known["OTHER"]) if rng.random() < 0.6 else (known["OTHER"], known["WHO"])
            asking = {**known, "SPEAKER": asks}
            telling = {**known, "SPEAKER": tells}
            what = rng.choice(("", "_what"))  # questions that can be answered by yes or no, and others
            yield sentence(f"“{self._template(f'ask{what}', rng)}?” {self._template('ask_tag', rng)}.", asking, rng)
            reply = sentence(f"“{self._template(f'reply{what}', rng)},” {self._template('tag', rng)}.", telling, rng)
            more = sentence(f"“{self._template('say', rng)}.”", telling, rng)
            yield f"{reply} {more}"

    def _template(self, kind: str, rng: Random) -> str:
        """A template of a kind; each is used once before any is used again."""
        deck = self._decks.get(kind)
        if not deck:
            pool = lists(PACKAGE, "story/sentences")[kind]
            deck = self._decks[kind] = rng.sample(pool, len(pool))
        return deck.pop()

    def _unused(self, kind: str, known: Mapping[str, str], rng: Random) -> str:
        """A sentence of a kind; a few are drawn to find one that is not in the story yet."""
        for _ in range(_AGAIN):
            drawn = sentence(self._template(kind, rng), known, rng)
            if drawn not in self._used:
                break
        self._used.add(drawn)
        return drawn

    def _paragraph(self, text: str, tokens: int | None = None) -> None:
        self.parts.append(f"{text}\n\n")
        self._at += len(text) + 2
        self.tokens += _size(text) if tokens is None else tokens
