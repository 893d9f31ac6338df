"""How two anchors become one sentence, and a chain becomes a question.

`{L}` and `{R}` are the anchors, `{S}`/`{O}` the person as subject or object, `{s}` the person mentioned again,
`{self}` the reflexive, `{a}` the article of the right anchor. `[make]` agrees with the left anchor, `<crave>` with
the person. The first item of each pair is the relation pattern, which must change from fact to fact.
"""

from __future__ import annotations

Frames = tuple[tuple[str, str], ...]

# Clauses whose subject is the person and whose verb phrase is the left anchor.
CLAUSE_OPENERS: dict[str, Frames] = {
    "act": (
        ("when", "when {S} {L}"),
        ("when", "whenever {S} {L}"),
        ("if", "if {S} {L}"),
        ("once", "once {S} {L}"),
        ("after", "after {S} {L}"),
        ("when", "every time {S} {L}"),
    ),
    "feel": (
        ("when", "when {S} {L}"),
        ("when", "whenever {S} {L}"),
        ("if", "if {S} {L}"),
        ("because", "because {S} {L}"),
        ("once", "the moment {S} {L}"),
    ),
    "mood": (
        ("when", "when {S} <be> in {aL} {L}"),
        ("when", "whenever {S} <be> in {aL} {L}"),
        ("if", "if {S} <be> in {aL} {L}"),
        ("once", "once {S} <be> in {aL} {L}"),
    ),
}

# What follows an opening clause or phrase, by the form of the right anchor.
MAIN_CLAUSES: dict[str, Frames] = {
    "finite": (("", "{s} {R}"), ("", "{s} {R}"), ("", "{s} {R}"), ("", "{s} usually {R}"), ("", "{s} always {R}")),
    "base": (
        ("", "{s} <like> to {R}"),
        ("", "{s} <tend> to {R}"),
        ("", "{s} <want> to {R}"),
        ("", "{s} <love> to {R}"),
    ),
    "gerund": (
        ("", "{s} <start> {R}"),
        ("", "{s} <begin> {R}"),
        ("", "{s} <find> {self} {R}"),
        ("", "{s} <catch> {self} {R}"),
    ),
    "food": (("", "{s} <crave> {R}"), ("", "{s} <reach> for {R}"), ("", "{s} <want> {R}"), ("", "{s} <long> for {R}")),
    "thing": (("", "{s} <long> for {R}"), ("", "{s} <turn> to {R}"), ("", "{s} <look> forward to {R}")),
    "mood": (("", "{s} <be> in {a} {R}"), ("", "{s} <drift> into {a} {R}"), ("", "{s} <slip> into {a} {R}")),
    "feel_finite": (("", "{s} {R}"), ("", "{s} usually {R}"), ("", "{s} always {R}"), ("", "{s} often {R}")),
    "feel_base": (("", "{s} <tend> to {R}"), ("", "{s} <begin> to {R}")),
    "adjective": (("", "{s} <get> {R}"), ("", "{s} <turn> {R}"), ("", "{s} <grow> {R}")),
}

# The right anchor first, the occasion last.
TRAILING: dict[str, Frames] = {
    "finite": (("rev-when", "{S} {R} whenever {s} {L}"), ("rev-when", "{S} usually {R} when {s} {L}")),
    "gerund": (("rev-when", "{S} <start> {R} whenever {s} {L}"),),
    "food": (("rev-when", "{S} <crave> {R} whenever {s} {L}"),),
    "thing": (("rev-when", "{S} <turn> to {R} whenever {s} {L}"),),
    "feel_finite": (("rev-when", "{S} {R} whenever {s} {L}"), ("rev-when", "{S} usually {R} when {s} {L}")),
}

# Sentences whose subject is the left anchor itself.
PREDICATES: dict[str, Frames] = {
    "finite": (("mean", "{L} [mean] {S} {R}"), ("why", "{L} [be] why {S} {R}"), ("why", "{L} [be] the reason {S} {R}")),
    "base": (
        ("make", "{L} [make] {O} {R}"),
        ("push", "{L} [push] {O} to {R}"),
        ("prompt", "{L} [prompt] {O} to {R}"),
        ("lead", "{L} [lead] {O} to {R}"),
        ("get", "{L} [get] {O} to {R}"),
        ("remind", "{L} [remind] {O} to {R}"),
        ("nudge", "{L} [nudge] {O} to {R}"),
        ("make", "{L} [make] {O} {R}"),
    ),
    "gerund": (
        ("get", "{L} [get] {O} {R}"),
        ("lead", "{L} [lead] {O} to start {R}"),
        ("nudge", "{L} [nudge] {O} toward {R}"),
        ("steer", "{L} [steer] {O} toward {R}"),
        ("set", "{L} usually [have] {O} {R}"),
        ("draw", "{L} [draw] {O} into {R}"),
    ),
    "food": (
        ("make", "{L} [make] {O} crave {R}"),
        ("leave", "{L} [leave] {O} craving {R}"),
        ("put", "{L} [put] {O} in the mood for {R}"),
        ("push", "{L} [send] {O} looking for {R}"),
    ),
    "thing": (
        ("push", "{L} [push] {O} toward {R}"),
        ("put", "{L} [put] {O} in the mood for {R}"),
        ("leave", "{L} [leave] {O} longing for {R}"),
        ("draw", "{L} [draw] {O} to {R}"),
    ),
    "mood": (
        ("put", "{L} [put] {O} in {a} {R}"),
        ("leave", "{L} [leave] {O} in {a} {R}"),
        ("get", "{L} [get] {O} into {a} {R}"),
        ("send", "{L} [send] {O} into {a} {R}"),
    ),
    "feel_finite": (("why", "{L} [be] why {S} {R}"),),
    "feel_base": (
        ("make", "{L} [make] {O} {R}"),
        ("make", "{L} always [make] {O} {R}"),
        ("let", "{L} usually [make] {O} {R}"),
        ("make", "{L} [cause] {O} to {R}"),
    ),
    "adjective": (
        ("make", "{L} [make] {O} {R}"),
        ("leave", "{L} [leave] {O} {R}"),
        ("get", "{L} [get] {O} {R}"),
        ("leave", "{L} always [leave] {O} {R}"),
    ),
}

LIKES = (
    "loves",
    "enjoys",
    "prefers",
    "adores",
    "treasures",
    "favors",
    "cherishes",
    "craves",
    "looks forward to",
    "is fond of",
)
LIKES_BELONGING = ("loves", "treasures", "cherishes", "adores", "is fond of")
LIKES_DOING = ("loves", "enjoys", "prefers", "adores", "looks forward to", "is fond of", "likes")
DISLIKES = ("dislikes", "dreads", "hates", "avoids", "can't stand", "complains about")
LIKE_FRAMES = ("{N} {verb} {R}.", "{N} really {verb} {R}.", "{N} truly {verb} {R}.")
DISLIKE_FRAMES = ("{N} {verb} {R}.", "{N} secretly {verb} {R}.")

# Questions about a named person; {ask} is the question's core.
NAMED_QUESTIONS = (
    "Because of what {N} {verb}, {ask}?",
    "Given what {N} {verb}, {ask}?",
    "Because of the {noun} {N} {verb}, {ask}?",
    "Given the {noun} {N} {verb}, {ask}?",
    "As a result of the {noun} that {N} {verb}, {ask}?",
)
# The same, with the last word of what the person likes; never the whole anchor.
HINTING_QUESTIONS = (
    "Because of the {hint} {N} {verb}, {ask}?",
    "Given the kind of {hint} {N} {verb}, {ask}?",
    "Because {N} {verb} certain {hint}, {ask}?",
    "Given how {N} feels about certain {hint}, {ask}?",
)
OWN_QUESTIONS: dict[str, tuple[str, ...]] = {
    "act": (
        "When I {L}, {ask}?",
        "After I {L}, {ask}?",
        "If I {L}, {ask}?",
        "Whenever I {L}, {ask}?",
        "{Ask} when I {L}?",
    ),
    "gerund": ("After {L}, {ask}?", "{Ask} after {L}?", "{Ask} as a result of {L}?"),
    "thing": ("Because of {L}, {ask}?", "{Ask} because of {L}?", "{When} {L}, {ask}?", "{Ask} thanks to {L}?"),
}
ASKS: dict[str, tuple[str, ...]] = {
    "act": (
        "what {do} {s} end up doing",
        "what {do} {s} end up doing",
        "what {do} {s} end up doing",
        "what {do} {s} finally do",
        "what {do} {s} eventually do",
        "what {do} {s} ultimately do",
    ),
    "feel": ("how {do} {s} end up feeling", "what feeling {do} {s} end up with", "how {do} {s} feel in the end"),
    "adjective": ("what state {do} {s} end up in", "what state {do} {s} finally reach"),
    "mood": ("what mood {do} {s} end up in", "what kind of mood {do} {s} finally reach"),
    "food": ("what {do} {s} end up craving", "what {do} {s} end up wanting to have"),
    "thing": ("what {do} {s} end up longing for", "what {do} {s} end up looking forward to"),
}
