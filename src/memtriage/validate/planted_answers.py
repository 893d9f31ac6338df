"""Planted answers: right ones in several wordings, and wrong ones of kinds that judges are known to accept.

They are made from the gold answers by rule, so it is known which are right. Kinds that don't fit a question are left
out: a hedge is not wrong if declining is right.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from typing import Literal, get_args

from memtriage.core.episode import Episode, Fact, Probe
from memtriage.text.words import words

RightKind = Literal["verbatim", "introduced", "reordered", "synonym"]
WrongKind = Literal["vague", "verbose", "opposite", "off-topic", "wrong-entity", "partial"]
AnswerKind = RightKind | WrongKind

RIGHT_KINDS: tuple[RightKind, ...] = get_args(RightKind)
WRONG_KINDS: tuple[WrongKind, ...] = get_args(WrongKind)
KINDS: tuple[AnswerKind, ...] = (*RIGHT_KINDS, *WRONG_KINDS)

PER_KIND = 20

_YES_NO = re.compile(r"(yes|no)\b[\s,.:;—–-]*(.*)", re.IGNORECASE | re.DOTALL)
_ABOUT = re.compile(r"\babout\s+(.+?)[\s.!]*$", re.IGNORECASE)

_OPENINGS = ("From what I remember: ", "Going by your notes: ", "Here is what I found. ", "To answer your question: ")
_SAME_WORD: Mapping[str, tuple[str, ...]] = {
    "yes": ("Certainly", "Absolutely", "Indeed so", "That is to be expected"),
    "no": ("Nope", "Not in this case", "That won't happen", "By no means"),
}
_NOT_KNOWN = (
    "Nothing is on record about {name}.",
    "{name} doesn't come up in anything I was told, so I can't say.",
    "I was never told about {name}; could you fill me in?",
)
_HEDGES = (
    "It depends on a number of things, and opinions may differ.",
    "That could go either way; it varies with the circumstances.",
    "There are several sides to this, and each has something to be said for it.",
    "Possibly, possibly otherwise; one would have to look at it more closely.",
)
_RAMBLING = (
    "Thank you for asking; this is the sort of question that deserves some thought.",
    "Let me go through it step by step, so that nothing is overlooked.",
    "I have looked at what has been said over time, compared the different parts, and weighed them.",
    "Of course every situation has a character of its own, and much has changed since these things came up.",
    "That said, one should not make it more complicated than it is.",
)


@dataclass(frozen=True, slots=True)
class PlantedAnswer:
    """An answer to a probe that is known to be right or wrong."""

    probe: str
    text: str
    right: bool
    kind: AnswerKind


def plant_answers(episode: Episode, seed: int, per_kind: int = PER_KIND) -> list[PlantedAnswer]:
    """Up to `per_kind` answers of each kind, each to a different probe; the same seed gives the same answers."""
    facts = {fact.id: fact for fact in episode.facts}
    cases = [_Case(p, tuple(facts[id] for id in p.sufficient[0]) if p.sufficient else ()) for p in episode.probes]
    planted: list[PlantedAnswer] = []
    for kind in KINDS:
        rng = random.Random(f"answers:{episode.id}:{seed}:{kind}")
        order = rng.sample(cases, len(cases))
        texts = ((case, _text(kind, case, cases, rng)) for case in order)
        fitting = (PlantedAnswer(case.probe.id, text, kind in RIGHT_KINDS, kind) for case, text in texts if text)
        planted += [answer for _, answer in zip(range(per_kind), fitting, strict=False)]
    return planted


@dataclass(frozen=True)
class _Case:
    """A probe and its facts, with the parts of the gold answer that the rules use."""

    probe: Probe
    facts: tuple[Fact, ...]

    @cached_property
    def yes_no(self) -> tuple[str, str] | None:
        """The yes or no of the gold answer, and the reason after it."""
        found = _YES_NO.fullmatch(self.gold) if self.probe.scoring == "free" else None
        return (found[1].lower(), found[2]) if found else None

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The entries of a gold answer that lists one for each fact."""
        parts = tuple(part.strip() for part in self.gold.split(","))
        listed = self.probe.scoring == "free" and len(parts) == len(self.facts) > 1 and all(parts)
        return parts if listed and self.yes_no is None else ()

    @cached_property
    def stranger(self) -> str:
        """The name about which a right answer has no information, if it should be declined."""
        found = _ABOUT.search(self.gold) if self.probe.scoring == "abstain" else None
        return found[1] if found else ""

    @property
    def gold(self) -> str:
        return self.probe.gold.strip()

    @property
    def letter(self) -> str:
        return self.probe.correct_choice if self.probe.scoring == "choice" else ""

    @property
    def letters(self) -> str:
        return ascii_uppercase[: len(self.probe.choices)]

    @property
    def subject(self) -> str:
        return next((fact.subject for fact in self.facts if fact.subject), "")

    @property
    def facts_text(self) -> str:
        return " ".join(fact.text for fact in self.facts)


_Rule = Callable[[_Case, Sequence[_Case], random.Random], str | None]


def _text(kind: AnswerKind, case: _Case, cases: Sequence[_Case], rng: random.Random) -> str | None:
    text = _RULES[kind](case, cases, rng)
    return text if text and _certain(case, text, kind) else None


def _certain(case: _Case, text: str, kind: AnswerKind) -> bool:
    """Whether a text is surely right or wrong: a wrong one must not equal the gold answer or list all its parts."""
    if kind in RIGHT_KINDS:
        return True
    listed = bool(case.parts) and all(_within(part, text) for part in case.parts)
    return text != case.gold and (not listed or kind == "opposite")


def _within(phrase: str, text: str) -> bool:
    return set(words(phrase).stems) <= set(words(text).stems)


# ------------------------------------------------------------------ right answers


def _verbatim(case: _Case, _cases: Sequence[_Case], _rng: random.Random) -> str | None:
    return f'{{"selected_choice": "{case.letter}"}}' if case.letter else case.gold


def _introduced(case: _Case, _cases: Sequence[_Case], rng: random.Random) -> str | None:
    opening = rng.choice(_OPENINGS)
    return f"{opening}the answer is {case.letter}." if case.letter else opening + case.gold


def _reordered(case: _Case, _cases: Sequence[_Case], rng: random.Random) -> str | None:
    """The same content, the other way round."""
    if case.letter:
        return f"{_capital(case.gold)}, which is {case.letter}."
    if case.yes_no:
        word, reason = case.yes_no
        return f"{_capital(reason).rstrip('.')}. So the answer is {word}." if reason else None
    if case.stranger:
        return f"About {case.stranger} I don't have any information."
    if case.parts:
        return _listed([*case.parts[1:], case.parts[0]])
    first, semicolon, second = case.gold.rstrip(".").partition("; ")
    return f"{_capital(second)}; {_uncapital(first)}." if semicolon and ";" not in second else None


def _synonym(case: _Case, _cases: Sequence[_Case], rng: random.Random) -> str | None:
    """Other words for yes, no, the letter, or not knowing."""
    if case.letter:
        return f"Option ({case.letter})."
    if case.stranger:
        return rng.choice(_NOT_KNOWN).format(name=case.stranger)
    if case.yes_no:
        word, reason = case.yes_no
        return f"{rng.choice(_SAME_WORD[word])} — {reason}" if reason else None
    return None


# ------------------------------------------------------------------ wrong answers


def _vague(case: _Case, _cases: Sequence[_Case], rng: random.Random) -> str | None:
    """A hedge; none if declining is right, as the two are too close."""
    return None if case.probe.scoring == "abstain" else rng.choice(_HEDGES)


def _opposite(case: _Case, _cases: Sequence[_Case], rng: random.Random) -> str | None:
    if case.letter:
        return f'{{"selected_choice": "{rng.choice(case.letters.replace(case.letter, ""))}"}}'
    if case.probe.scoring == "abstain":
        return _passed_off(case, "Yes, I know that for certain: {told}")
    if case.yes_no:
        whose = case.subject or "the one you ask about"
        if case.yes_no[0] == "no":
            return f"Yes — this is exactly a case in which {whose} does so; the condition for it is met."
        return f"No — this is not a case in which {whose} does so; the condition for it is not met."
    if case.parts:
        none = f"Leave out {_listed(case.parts)}; you have said that you can't stand any of them."
        return rng.choice((none, "I don't have any information about what you like there."))
    return f"I don't have information about {case.subject or 'that'}."


def _verbose(case: _Case, cases: Sequence[_Case], rng: random.Random) -> str | None:
    """A wrong answer after a long introduction; for yes or no, even after the right rule."""
    core = _off_topic(case, cases, rng) if not case.yes_no and not case.letter else _opposite(case, cases, rng)
    if case.probe.scoring == "abstain":
        core = _passed_off(case, "{told}")
    if core is None:
        return None
    question = case.probe.text.partition("\n")[0]
    asked = f"You asked: {question}"
    known = f"What I have in mind is this: {case.facts_text}" if case.yes_no else ""
    first, *middle, last = _RAMBLING
    way = [first, asked, *rng.sample(middle, 2), known, last, f"So, all in all: {core}"]
    return " ".join(part for part in way if part)


def _off_topic(case: _Case, cases: Sequence[_Case], rng: random.Random) -> str | None:
    """The right answer to a question about something else."""
    wanted = "free" if case.probe.scoring == "abstain" else case.probe.scoring
    others = [
        other.gold
        for other in cases
        if other.probe.scoring == wanted
        and (other.probe.cluster or other.probe.id) != (case.probe.cluster or case.probe.id)
        and (not other.subject or other.subject not in (case.subject, case.stranger) or case.letter)
        and not _within(other.gold, case.gold)
        and not _within(case.gold, other.gold)
    ]
    return rng.choice(others) if others else None


def _wrong_entity(case: _Case, cases: Sequence[_Case], rng: random.Random) -> str | None:
    """The right answer about the wrong one: another name, another entry, or a known detail for a stranger."""
    if case.letter:
        return None
    if case.probe.scoring == "abstain":
        return _passed_off(case, f"For {case.stranger} this holds: {{told}}")
    if case.parts:
        return _one_swapped(case, cases, rng)
    own = set(words(case.subject).stems)
    names = [other.subject for other in cases if other.subject and own.isdisjoint(words(other.subject).stems)]
    if not own or not names:
        return None
    name = rng.choice(names)
    renamed = _renamed(case.gold, case.subject, name)
    return renamed if renamed != case.gold else f"For {name}: {_uncapital(case.gold)}"


def _partial(case: _Case, _cases: Sequence[_Case], rng: random.Random) -> str | None:
    """One entry of the list left out."""
    if not case.parts:
        return None
    omitted = rng.randrange(len(case.parts))
    return _listed([part for n, part in enumerate(case.parts) if n != omitted])


def _one_swapped(case: _Case, cases: Sequence[_Case], rng: random.Random) -> str | None:
    own = {stem for part in case.parts for stem in words(part).stems}
    others = [part for other in cases for part in other.parts if own.isdisjoint(words(part).stems)]
    if not others:
        return None
    at = rng.randrange(len(case.parts))
    return _listed([*case.parts[:at], rng.choice(others), *case.parts[at + 1 :]])


def _passed_off(case: _Case, pattern: str) -> str | None:
    """What is known about one person, claimed of the stranger in the question."""
    if not case.stranger or not case.facts_text:
        return None
    return pattern.format(told=_renamed(case.facts_text, case.subject, case.stranger))


def _renamed(text: str, name: str, other: str) -> str:
    """The text with one name replaced by another, also parts of the name."""
    if not name:
        return text
    text = re.sub(rf"\b{re.escape(name)}\b", lambda _: other, text)
    for part in name.split():
        if part not in other.split():
            text = re.sub(rf"\b{re.escape(part)}\b", lambda _: other.split()[0], text)
    return text


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _uncapital(text: str) -> str:
    """The text with a small first letter, unless the first word looks like an abbreviation or is a single letter."""
    first, _, _ = text.partition(" ")
    return text if len(first) < 2 or not first[1:].islower() else text[:1].lower() + text[1:]


_RULES: Mapping[AnswerKind, _Rule] = {
    "verbatim": _verbatim,
    "introduced": _introduced,
    "reordered": _reordered,
    "synonym": _synonym,
    "vague": _vague,
    "verbose": _verbose,
    "opposite": _opposite,
    "off-topic": _off_topic,
    "wrong-entity": _wrong_entity,
    "partial": _partial,
}
