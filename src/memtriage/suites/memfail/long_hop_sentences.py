"""One sentence for two neighbouring anchors, and the question over a whole chain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from memtriage.suites.memfail.long_hop_concepts import (
    DRINK_KINDS,
    FOOD_KINDS,
    OWNED_KINDS,
    Concept,
    Voice,
    third_person,
    with_article,
)
from memtriage.suites.memfail.long_hop_frame_pools import (
    ASKS,
    CLAUSE_OPENERS,
    DISLIKE_FRAMES,
    DISLIKES,
    HINTING_QUESTIONS,
    LIKE_FRAMES,
    LIKES,
    LIKES_BELONGING,
    LIKES_DOING,
    MAIN_CLAUSES,
    NAMED_QUESTIONS,
    OWN_QUESTIONS,
    PREDICATES,
    TRAILING,
)
from memtriage.suites.memfail.long_hop_thing_pools import THING_KINDS

# The words that sentences share because of how they are built, not of what they say.
FRAME_WORDS = frozenset(
    word
    for frames in (*CLAUSE_OPENERS.values(), *MAIN_CLAUSES.values(), *TRAILING.values(), *PREDICATES.values())
    for _, template in frames
    for verb in re.findall(r"[a-z]+", template.lower())
    for word in (verb, third_person(verb))
) | {"i", "he", "she", "his", "her", "my", "me"}


@dataclass(frozen=True, slots=True)
class Anchor:
    """A concept with the form it keeps in both sentences, and its literal text."""

    concept: Concept
    form: str
    text: str


@dataclass(frozen=True, slots=True)
class Opening:
    """The first fact about a named person, and the verb that the question takes up again."""

    fact: str
    verb: str


def open_named(rng: Random, voice: Voice, first: Anchor) -> Opening:
    """What a named person likes or dislikes, as the chain's first fact."""
    concept = first.concept
    frames: tuple[str, ...] = LIKE_FRAMES
    verbs: tuple[str, ...]
    if concept.kind == "act":
        verbs = LIKES_DOING
    elif not THING_KINDS[concept.field].liked:
        verbs, frames = DISLIKES, DISLIKE_FRAMES
    elif concept.field in OWNED_KINDS:
        verbs = LIKES_BELONGING
    elif concept.field in FOOD_KINDS | DRINK_KINDS:
        verbs = LIKES
    else:
        verbs = tuple(verb for verb in LIKES if verb != "craves")
    verb = rng.choice(verbs)
    plain = verb.startswith(("is ", "can't", "prefers", "favors"))
    frame = frames[0] if plain or rng.random() < 0.75 else rng.choice(frames[1:])
    return Opening(frame.format(N=voice.subject, verb=verb, R=first.text), verb)


def link(rng: Random, left: Anchor, right: Anchor, voice: Voice, previous: str) -> tuple[str, str]:
    """A sentence that leads from one anchor to the next, and its relation pattern, other than `previous`."""
    frames = [frame for frame in _frames(left, right, voice) if frame[0] != previous]
    pattern, template = rng.choice(frames)
    return _fill(template, left, right, voice), pattern


def ask(rng: Random, first: Anchor, last: Anchor, voice: Voice, opening: Opening | None) -> str:
    """The question from the head to the end of the chain."""
    core = rng.choice(ASKS[_answer_kind(last)]).format(do="does" if voice.name else "do", s=voice.he)
    if opening:
        # The pronoun needs its name before it, which every named question has.
        named = {"N": voice.subject, "verb": opening.verb, "ask": core}
        if first.concept.kind == "act":
            return rng.choice(NAMED_QUESTIONS).format(**named, noun="pastime")
        if rng.random() < 0.25:
            templates = HINTING_QUESTIONS if first.concept.plural else HINTING_QUESTIONS[:1]
            return rng.choice(templates).format(**named, hint=first.concept.bare.split()[-1])
        return rng.choice(NAMED_QUESTIONS).format(**named, noun=THING_KINDS[first.concept.field].noun)
    kind = "gerund" if first.form == "gerund" else "act" if first.concept.kind == "act" else "thing"
    when = THING_KINDS[first.concept.field].when if kind == "thing" else ""
    template = rng.choice(OWN_QUESTIONS[kind])
    return _capitalize(template.format(L=first.text, ask=core, Ask=_capitalize(core), When=_capitalize(when)))


def _answer_kind(anchor: Anchor) -> str:
    if anchor.form == "adjective":
        return "adjective"
    if anchor.concept.kind == "thing":
        return "food" if anchor.concept.field in FOOD_KINDS | DRINK_KINDS else "thing"
    return anchor.concept.kind


def _frames(left: Anchor, right: Anchor, voice: Voice) -> list[tuple[str, str]]:
    wanted = _right_forms(right, voice)
    if left.form in ("finite", "feel_finite"):
        return _clauses(CLAUSE_OPENERS["feel" if left.concept.kind == "feel" else "act"], wanted, trailing=True)
    predicates = [frame for form in wanted for frame in PREDICATES[form]]
    if left.concept.kind == "mood":
        subjects = [
            (pattern, template.replace("{L}", "{aL} {L}", 1))
            for pattern, template in predicates
            if "in the mood" not in template
        ]
        return subjects + _clauses(CLAUSE_OPENERS["mood"], wanted, trailing=False)
    when = "after" if left.concept.kind == "act" else THING_KINDS[left.concept.field].when
    return predicates + _clauses(((when, when + " {L}"),), wanted, trailing=False, subject="{S}")


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


def _clauses(
    openers: tuple[tuple[str, str], ...], wanted: tuple[str, ...], *, trailing: bool, subject: str = "{s}"
) -> list[tuple[str, str]]:
    frames = [
        (pattern, f"{opener}{comma} {main.replace('{s}', subject)}")
        for pattern, opener in openers
        for form in wanted
        for _, main in MAIN_CLAUSES[form]
        for comma in (",", "")
    ]
    ends = [frame for form in wanted for frame in TRAILING.get(form, ())] if trailing else []
    # A trailing occasion is rarer than an opening one; twice each keeps it from vanishing among the crossings.
    return frames + ends * 4


def _fill(template: str, left: Anchor, right: Anchor, voice: Voice) -> str:
    plural = left.concept.kind == "thing" and left.concept.plural
    text = re.sub(r"\[(\w+)\]", lambda match: _agree(match[1], plural), template)
    text = re.sub(r"<(\w+)>", lambda match: _personal(match[1], voice), text)
    text = text.format(
        L=left.text,
        R=right.text,
        S=voice.subject,
        O=voice.object,
        s=voice.he,
        self=voice.himself,
        a=with_article(right.text),
        aL=with_article(left.text),
    )
    return _capitalize(text.replace("I am ", "I'm ")) + "."


def _agree(verb: str, plural: bool) -> str:
    if plural:
        return "are" if verb == "be" else verb
    return third_person(verb)


def _personal(verb: str, voice: Voice) -> str:
    if voice.name:
        return third_person(verb)
    return "am" if verb == "be" else verb


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
