"""One sentence for two neighbouring anchors, and the question over a whole chain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import NamedTuple

from memtriage.suites.kit.words import items, records, table, values
from memtriage.suites.memfail.generate.long_hop_anchors import (
    Concept,
    Head,
    Voice,
    feelings,
    third_person,
    with_article,
)
from memtriage.suites.memfail.paper import PACKAGE

_SAID_OF = ("thing", "food", "gerund", "mood")
"""Forms that can be the subject of a sentence."""
_TIMES = ("season", "time of day", "time of the week", "day of the year")
"""Nouns of what only says when something happens."""


@cache
def _texts(group: str, form: str) -> tuple[str, ...]:
    """The sentences of one group for one form."""
    return items(records(PACKAGE, "long_hop/frames")[group].get(form, ""))


@cache
def _related(group: str, form: str) -> tuple[tuple[str, str], ...]:
    """The relations and sentences of one group for one form."""
    lines = table(records(PACKAGE, "long_hop/frames")[group].get(form, ""))
    return tuple((relation, text) for relation, text in lines)


@cache
def frame_words() -> frozenset[str]:
    """The words that sentences share because of how they are built, not of what they say."""
    templates = [
        text
        for group in ("openers", "main_clauses", "trailing", "predicates")
        for lines in records(PACKAGE, "long_hop/frames")[group].values()
        for text in items(lines)
    ]
    found = {word for text in templates for word in re.findall(r"[a-z]+", text.rpartition(" | ")[2])}
    return frozenset(found | set(map(third_person, found)) | {"i", "she", "his", "her", "my", "me"})


@dataclass(frozen=True, slots=True)
class Anchor:
    """A concept with the form it keeps in both sentences, and its literal text."""

    concept: Concept
    form: str
    text: str

    @property
    def can_be_subject(self) -> bool:
        return self.form in _SAID_OF

    def __format__(self, word: str) -> str:
        """The text, the article before it, or a verb that agrees with it."""
        if not word:
            return self.text
        if word == "a":
            return with_article(self.text)
        return word if self.form in ("thing", "food") and self.concept.plural else third_person(word)


class Opening(NamedTuple):
    """The first fact about a named person, and the verb that the question takes up again."""

    fact: str
    verb: str


def open_named(rng: Random, voice: Voice, head: Head, first: Anchor) -> Opening:
    """What a named person likes or dislikes, as the chain's first fact."""
    verb = rng.choice(values(records(PACKAGE, "long_hop/frames")["likings"][head.attitude]))
    return Opening(f"{voice} {verb} {first}.", verb)


def link(rng: Random, left: Anchor, right: Anchor, head: Head, voice: Voice, previous: str) -> tuple[str, str] | None:
    """A sentence that leads from one anchor to the next and the relation it tells, other than `previous`."""
    frames = [frame for frame in _frames(left, right, head, voice) if frame[0] != previous]
    if not frames:
        return None
    relation, template = rng.choice(frames)
    text = template.format(left=left, right=right, person=voice, object=voice.object, he=voice.he)
    return _capitalize(text.replace("I am ", "I'm ")) + ".", relation


def ask(rng: Random, head: Head, first: Anchor, last: Anchor, voice: Voice, opening: Opening | None) -> str:
    """The question from the head to the end of the chain."""
    template = rng.choice(_texts("asks", _asked(last)))
    core = template.format(do="does" if voice.name else "do", he=voice.he, him=voice.him)
    if opening:
        # The pronoun needs its name before it, which every named question has.
        by_name = template.format(do="does", he=voice, him=voice)
        named = {"person": voice, "he": voice.he, "verb": opening.verb, "ask": core, "noun": head.noun}
        named |= {"Ask": _capitalize(by_name), "hint": first.text.split()[-1]}
        questions = [*_texts("questions", "named")]
        if head.noun != "-":
            questions += _texts("questions", "by_noun")
        if _asked(last) == "act":
            questions += _texts("questions", "of_acts")
        if first.form == "thing" and named["hint"] in _hints() and " " in first.text:
            asks_feeling = _asked(last) in ("feel", "mood")
            questions += [text for text in _texts("questions", "hinting") if not (asks_feeling and "feels" in text)]
        return rng.choice(questions).format(**named)
    kind = first.form if first.form in ("gerund", "thing") else "act"
    if kind == "thing" and head.noun in _TIMES:
        kind = "time"
    asked = {"first": first, "ask": core, "Ask": _capitalize(core), "When": _capitalize(head.when)}
    return _capitalize(rng.choice(_texts("questions", f"own_{kind}")).format(**asked))


@cache
def _hints() -> frozenset[str]:
    return frozenset(records(PACKAGE, "long_hop/frames")["hints"].split())


def _asked(last: Anchor) -> str:
    """What a question asks for."""
    if last.form in ("mood", "gerund"):
        return last.form
    return "happening" if last.concept.happens else last.concept.kind


def _frames(left: Anchor, right: Anchor, head: Head, voice: Voice) -> list[tuple[str, str]]:
    """The sentences that fit two anchors, each with its relation."""
    step = right.concept.step
    feeling = left.form in ("adjective", "feel_finite", "mood")
    reason = feeling or (step.caused and step.kind in ("feel", "event"))
    meanwhile = left.form == "gerund" and step.meanwhile
    openers = _related("openers", "meanwhile" if meanwhile else left.form)
    if left.form in ("thing", "food"):
        when = head.when if left.form == "thing" else "after"
        openers = ((when, f"{when} {{left}}"),)
    barred = set() if reason else {"because"}
    if left.form == "finite" and (head.attitude == "do" or step.meanwhile or step.kind in ("feel", "event")):
        barred |= {"after", "once"}
    subject = "{person}" if left.form in ("thing", "food", "gerund") else "{he}"
    frames = [
        (relation, f"{opener} {main.replace('{he}', subject, 1)}")
        for relation, opener in openers
        if relation not in barred
        for main in _texts("main_clauses", right.form)
    ]
    if left.form in ("finite", "feel_finite") and step.caused:
        frames += _related("trailing", right.form)
    timed = left.form == "thing" and head.noun in _TIMES and step.kind != "feel"
    if left.can_be_subject and step.caused and not timed:
        # What a thing does is said more often than what follows it.
        said = [frame for form in _said_as(right, voice) for frame in _related("predicates", form)]
        if left.form == "mood":
            said = [(relation, template.replace("{left}", "{left:a} {left}", 1)) for relation, template in said]
        frames += said * (1 + 2 * len(frames) // max(1, len(said)))
        owned = left.form == "thing" and head.attitude == "own"
        if right.form == "finite" and left.form != "mood" and not owned:
            frames += _related("predicates", "finite")
    return frames


def _said_as(right: Anchor, voice: Voice) -> tuple[str, ...]:
    """The kinds of predicate that take the right anchor's text; for the speaker 'bake' is finite and bare at once."""
    step = right.concept.step
    if right.form == "adjective":
        return tuple(key for key in ("made", "left") if right.concept.text in feelings(key))
    bare: tuple[str, ...] = ("base",) if step.kind == "act" else ("event",)
    if step.helped:
        bare = ("helped",)
    elif right.concept.unmade:
        bare = ()
    if right.form == "base":
        return bare
    if right.form == "finite":
        return () if voice.name else bare
    return ("feel_base",) if right.form == "feel_finite" and not voice.name else (right.form,)


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
