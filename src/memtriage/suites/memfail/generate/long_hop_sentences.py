"""One sentence for two neighbouring anchors, and the question over a whole chain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import NamedTuple

from memtriage.suites.kit.words import items, records, table, values
from memtriage.suites.memfail.generate.long_hop_anchors import (
    DRINK_KINDS,
    FOOD_KINDS,
    OWNED_KINDS,
    Concept,
    Voice,
    thing_kinds,
    third_person,
    with_article,
)
from memtriage.suites.memfail.paper import PACKAGE


@cache
def _texts(group: str) -> dict[str, tuple[str, ...]]:
    """The sentences of one group, by form."""
    return {form: items(text) for form, text in records(PACKAGE, "long_hop/frames")[group].items()}


@cache
def _related(group: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """The relations and sentences of one group, by form."""
    groups = records(PACKAGE, "long_hop/frames")[group]
    return {form: tuple((relation, text) for relation, text in table(lines)) for form, lines in groups.items()}


@cache
def _verbs(key: str) -> tuple[str, ...]:
    return values(records(PACKAGE, "long_hop/frames")["likings"][key])


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

    def __format__(self, word: str) -> str:
        """The text, the article before it, or a verb that agrees with it."""
        if not word:
            return self.text
        if word == "a":
            return with_article(self.text)
        if self.concept.kind == "thing" and self.concept.plural:
            return "are" if word == "be" else word
        return third_person(word)


class Opening(NamedTuple):
    """The first fact about a named person, and the verb that the question takes up again."""

    fact: str
    verb: str


def open_named(rng: Random, voice: Voice, first: Anchor) -> Opening:
    """What a named person likes or dislikes, as the chain's first fact."""
    concept = first.concept
    frames = _texts("likings")["like_frames"]
    if concept.kind == "act":
        verbs = _verbs("likes_doing")
    elif not thing_kinds()[concept.field].liked:
        verbs, frames = _verbs("dislikes"), _texts("likings")["dislike_frames"]
    elif concept.field in OWNED_KINDS:
        verbs = _verbs("likes_belonging")
    elif concept.field in FOOD_KINDS | DRINK_KINDS:
        verbs = _verbs("likes")
    else:
        verbs = tuple(verb for verb in _verbs("likes") if verb != "craves")
    verb = rng.choice(verbs)
    plain = verb.startswith(("is ", "can't", "prefers", "favors"))
    frame = frames[0] if plain or rng.random() < 0.75 else rng.choice(frames[1:])
    return Opening(frame.format(person=voice, verb=verb, right=first), verb)


def link(rng: Random, left: Anchor, right: Anchor, voice: Voice, previous: str) -> tuple[str, str]:
    """A sentence that leads from one anchor to the next, and the relation it tells, other than `previous`."""
    frames = [frame for frame in _frames(left, right, voice) if frame[0] != previous]
    relation, template = rng.choice(frames)
    return _fill(template, left, right, voice), relation


def ask(rng: Random, first: Anchor, last: Anchor, voice: Voice, opening: Opening | None) -> str:
    """The question from the head to the end of the chain."""
    template = rng.choice(_texts("asks")[_answer_kind(last)])
    core = template.format(do="does" if voice.name else "do", he=voice.he)
    questions = _texts("questions")
    if opening:
        # The pronoun needs its name before it, which every named question has.
        by_name = template.format(do="does", he=voice)
        named = {"person": voice, "he": voice.he, "verb": opening.verb, "ask": core}
        named |= {"ask_by_name": by_name, "Ask": _capitalize(by_name)}
        if first.concept.kind == "act":
            return rng.choice(questions["named"]).format(**named, noun="pastime")
        if rng.random() < 0.25:
            templates = questions["hinting"] if first.concept.plural else questions["hinting"][:1]
            return rng.choice(templates).format(**named, hint=first.concept.bare.split()[-1])
        return rng.choice(questions["named"]).format(**named, noun=thing_kinds()[first.concept.field].noun)
    kind = "gerund" if first.form == "gerund" else "act" if first.concept.kind == "act" else "thing"
    when = thing_kinds()[first.concept.field].when if kind == "thing" else ""
    template = rng.choice(questions[f"own_{kind}"])
    return _capitalize(template.format(first=first, ask=core, Ask=_capitalize(core), When=_capitalize(when), when=when))


def _answer_kind(anchor: Anchor) -> str:
    if anchor.form == "adjective":
        return "adjective"
    if anchor.concept.kind == "thing":
        return "food" if anchor.concept.field in FOOD_KINDS | DRINK_KINDS else "thing"
    return anchor.concept.kind


def _frames(left: Anchor, right: Anchor, voice: Voice) -> list[tuple[str, str]]:
    wanted = _right_forms(right, voice)
    openers = _related("openers")
    if left.form == "adjective":
        return _clauses(openers["adjective"], wanted, trailing=False)
    if left.form in ("finite", "feel_finite"):
        return _clauses(openers["feel" if left.concept.kind == "feel" else "act"], wanted, trailing=True)
    predicates = [frame for form in wanted for frame in _related("predicates")[form]]
    if left.concept.kind == "mood":
        subjects = [
            (relation, template.replace("{left}", "{left:a} {left}", 1))
            for relation, template in predicates
            if "in the mood" not in template
        ]
        return subjects + _clauses(openers["mood"], wanted, trailing=False)
    when = "after" if left.concept.kind == "act" else thing_kinds()[left.concept.field].when
    # What a thing does is said more often than what follows it.
    return predicates * 3 + _clauses(((when, when + " {left}"),), wanted, trailing=False, subject="{person}")


def _right_forms(right: Anchor, voice: Voice) -> tuple[str, ...]:
    """The kinds of frame that take the right anchor's text; for the speaker 'bake' is finite and bare at once."""
    if right.concept.kind == "thing":
        return ("food",) if right.concept.field in FOOD_KINDS | DRINK_KINDS else ("thing",)
    if right.concept.kind == "mood":
        return ("mood",)
    if voice.name is None and right.form == "finite":
        return ("finite", "base")
    if voice.name is None and right.form == "feel_finite":
        return ("feel_finite", "feel_base")
    return (right.form,)


@cache
def _clauses(
    openers: tuple[tuple[str, str], ...], wanted: tuple[str, ...], *, trailing: bool, subject: str = "{he}"
) -> list[tuple[str, str]]:
    frames = [
        (relation, f"{opener} {main.replace('{he}', subject)}")
        for relation, opener in openers
        for form in wanted
        for main in _texts("main_clauses")[form]
    ]
    ends = [("trailing", text) for form in wanted for text in _texts("trailing").get(form, ())] if trailing else []
    # A trailing occasion is rarer than an opening one; repeated, it does not vanish among the crossings.
    return frames + ends * 4


def _fill(template: str, left: Anchor, right: Anchor, voice: Voice) -> str:
    text = template.format(
        left=left, right=right, person=voice, object=voice.object, he=voice.he, himself=voice.himself
    )
    return _capitalize(text.replace("I am ", "I'm ")) + "."


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
