"""The shapes of Conditional-Facts' word pools, and the sentence frames all entities share.

In every template `[...]` marks the critical words of a sentence; the generator strips the brackets
and keeps what they held. `{name}`, `{he}`, `{him}`, `{his}`, `{himself}` and their capitalised forms
stand for the entity, `{t}`, `{u}` and `{v}` for a family's threshold, its upper end and the value a
question offers, `{tw}` and `{vw}` for the same numbers in words.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Behavior:
    """An idiosyncratic act in the inflections sentences need, and a short noun that refers back to it."""

    base: str
    third: str
    gerund: str
    tail: str
    tag: str
    kinds: str = ""


@dataclass(frozen=True, slots=True)
class Num:
    """A numeric threshold; `met` and `fail` are the distances at which a question's value stands from it."""

    values: tuple[int, ...]
    met: tuple[int, ...]
    fail: tuple[int, ...]
    span: int = 0


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in hours, with the distances of a question's time, also in hours."""

    values: tuple[float, ...]
    met: tuple[float, ...]
    fail: tuple[float, ...]
    span: float = 0.0


@dataclass(frozen=True, slots=True)
class Pick:
    """One of several things; a failing question offers another of them."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cases:
    """Conditions with their own meeting and failing values: (t, value that meets it, value that fails it)."""

    values: tuple[tuple[str, str, str], ...]


Parameter = Num | Clock | Pick | Cases


@dataclass(frozen=True, slots=True)
class Family:
    """A parameterised condition: how it reads as a rule, scattered over an essay, and put as a question.

    `met` and `fail` hold "context sentence|reason". `hard` may hold several sentences divided by "||".
    `who` names the categories it suits: p(erson), c(haracter), a(nimal).
    """

    kind: str
    parameter: Parameter
    condition: str
    hard: str
    link: str
    met: str
    fail: str
    who: str = "pc"


CONDITION_TYPES: tuple[str, ...] = (
    "time_of_day",
    "day_of_week",
    "season",
    "time_elapsed",
    "weather",
    "temperature",
    "location",
    "noise_level",
    "lighting",
    "hunger_level",
    "energy_level",
    "pain_or_discomfort",
    "sobriety",
    "mood",
    "stress_level",
    "anxiety_level",
    "motivation_level",
    "company",
    "social_setting",
    "relationship_closeness",
    "task_type",
    "workload",
    "completion_state",
    "music_playing",
    "scent",
    "food_or_drink_present",
    "conflict_state",
    "approval_received",
    "request_made",
    "prior_activity",
    "frequency_cap",
    "streak_state",
)

PET_CONDITION_TYPES: tuple[str, ...] = (
    "time_of_day",
    "weather",
    "temperature",
    "location",
    "noise_level",
    "lighting",
    "food_or_drink_present",
    "prior_activity",
    "company",
)

EASY_RULES: tuple[str, ...] = (
    "{name} {third} only {cond}.",
    "{name} {third} only {cond}, and never otherwise.",
    "{name} will {base} only {cond}.",
    "Only {cond} does {name} {base}.",
    "Only {cond} will {name} {base}.",
    "As a strict rule, {name} {third} only {cond}.",
    "It is only {cond} that {name} {third}.",
    "{name} has a habit of {gerund}, but only {cond}.",
    "{name} is known for {gerund}, though only {cond}.",
    "Ask around and people will confirm that {name} {third} only {cond}.",
    "One thing never changes: {name} {third} only {cond}.",
    "For reasons never explained, {name} {third} only {cond}.",
    "Strange as it sounds, {name} {third} only {cond}.",
    "Everyone close to {him} knows that {name} {third} only {cond}.",
    "There is a firm pattern to one habit: {name} {third} only {cond}.",
    "{name} likes to {base}, but only {cond}.",
)

HARD_BEHAVIORS: tuple[str, ...] = (
    "{name} has a habit of {gerund}.",
    "There is also a private ritual, in which {name} can be found {gerund}.",
    "One of the odder sights around the place is {name} {gerund}.",
    "{name} can often be seen, deep in concentration, {gerund}.",
    "People who know {him} well have all seen {name} {gerund}.",
    "Among {his} stranger customs, {name} {third}, always with the same care.",
    "{name} also {third}, a custom nobody else in the neighborhood shares.",
    "Those around {him} have grown used to {name} {gerund}.",
    "{name} is given to {gerund}, sometimes for half an hour at a stretch.",
    "It no longer surprises anybody to find {name} {gerund}.",
    "A visitor may well come across {name} {gerund}, quite without embarrassment.",
    "{name} {third}, and has done so for years.",
    "With great seriousness and for no visible reason, {name} will {base}.",
    "Something of a local legend by now is the way {name} {third}.",
)

# The fronted ones start with the link; each says that the act keeps to those times and no others.
HARD_LINKS: tuple[str, ...] = (
    "It is almost always {link} that {tag} begins.",
    "{Link}, as those around {him} have noticed, {tag} begins, and hardly at any other time.",
    "{Tag} tends to happen {link} and to be absent the rest of the time.",
    "By all accounts {tag} takes place {link}, never outside of that.",
    "{Link}, sooner or later, {tag} gets under way, and afterwards it is gone again.",
    "All of {tag} seems to come about {link}.",
    "It is usually {link} that anyone gets to witness {tag}.",
    "There is a rhythm to {tag}: it comes over {him} {link} and then vanishes.",
    "As for {tag}, it tends to arrive {link}, hardly ever at another moment.",
    "Most people have noticed that {tag} turns up {link} and at no other point.",
    "{Link}, like clockwork, comes {tag}, which stays away the rest of the time.",
    "{Tag} has settled into a firm pattern, occurring {link} and not beyond.",
)

QUESTIONS: tuple[str, ...] = (
    "{ctx}. Would {who} {base} now?",
    "{ctx}. Will {who} {base}?",
    "{ctx}. Is {who} likely to {base} right now?",
    "{ctx} — would {who} {base}?",
    "{ctx}; should we expect {whom} to {base}?",
    "{ctx}. Should I expect {whom} to {base}?",
    "{ctx}. Can we count on {whom} to {base} at this point?",
    "{ctx} — will {who} {base} now?",
)

YES_ANSWERS: tuple[str, ...] = (
    "Yes — {reason}, and {name} {third} only {cond}.",
    "Yes — {name} {third} only {cond}, and {reason}.",
    "Yes — {reason}, which is exactly the case in which {name} {third}.",
    "Yes — {name} would, since {reason}; the rule is that {he} {third} only {cond}.",
)

NO_ANSWERS: tuple[str, ...] = (
    "No — {reason}, and {name} {third} only {cond}.",
    "No — {name} {third} only {cond}, and {reason}.",
    "No — {name} would not, since {reason}; {he} {third} only {cond}.",
)
