"""Personal Life: thirty-nine things in one person's days, and what hangs on where they live, work, study and love."""

from __future__ import annotations

from memtriage.suites.meme.domains.personal_life_entities import ENTITIES
from memtriage.suites.meme.graph import Constraint, Edge, Graph, Pattern, Triple

_PATTERNS = (
    Pattern(
        "proximity",
        "{fact}, which I chose because it is close to {held}; if {source} changes, this changes with it",
        "{fact}, and only because {source} is {held} and this is the nearest",
        "{fact}, a short walk from {source}, {held}",
    ),
    Pattern(
        "company_policy",
        "{fact}, and that is set by {held}; if {source} changes, this will no longer hold",
        "{fact}, since {source}, {held}, wants it that way",
        "{fact}, as laid down by {source}, {held}",
    ),
    Pattern(
        "life_event",
        "{fact}, which goes with {source} being {held}; if {source} changes, this is open again",
        "{fact}, on account of {source} being {held}",
        "{fact}. Such is life with {held} as {source}",
    ),
    Pattern(
        "medical_causation",
        "{fact}, because of {held}; if {source} changes, this has to be looked at again",
        "{fact}, for the sake of {source}, {held}",
        "{fact}, the usual thing for {held}, {source}",
    ),
    Pattern(
        "priority_shift",
        "{fact}, and the reason is {source}, {held}; if {source} changes, my priorities change and so does this",
        "{fact}, since {source} being {held} makes it come first",
        "{fact}, first on the list with {held} as {source}",
    ),
    Pattern(
        "infrastructure",
        "{fact}, because that is how {held} can be reached; if {source} changes, I need another connection",
        "{fact}, for lack of another connection to {source}, {held}",
        "{fact}, straight to the stop for {source}, {held}",
    ),
    Pattern(
        "distance",
        "{fact}, measured for {source}, {held}; if {source} changes, the distance changes and this with it",
        "{fact}, as far as it is with {held} as {source}",
        "{fact}. One end of it is {source}, {held}",
    ),
    Pattern(
        "activity_facility",
        "{fact}, which has what I need for {held}; if {source} changes, I have to train somewhere else",
        "{fact}, since it suits {source}, {held}",
        "{fact}, the place for {held}, {source}",
    ),
    Pattern(
        "schedule_conflict",
        "{fact}, to leave room for my classes at {held}; if {source} changes, this has to be arranged anew",
        "{fact}, so as not to clash with {source}, {held}",
        "{fact}, fitted around the timetable of {source}, {held}",
    ),
    Pattern(
        "preference",
        "{fact}, which suits {source}, {held}; if {source} changes, I would want something else",
        "{fact}, the thing I like best with {held} as {source}",
        "{fact}, right for {held}, {source}",
    ),
    Pattern(
        "curriculum",
        "{fact}, as the course at {held} asks for it; if {source} changes, this changes as well",
        "{fact}, thanks to the syllabus of {source}, {held}",
        "{fact}, part of the course at {source}, {held}",
    ),
)


def _edges(source: str, pattern: str, *targets: str) -> tuple[Edge, ...]:
    return tuple(Edge(source, target, pattern) for target in targets)


_EDGES = (
    *_edges("residence_location", "proximity", "favorite_restaurant", "fitness_facility", "regular_appointment"),
    *_edges("work_location", "proximity", "favorite_restaurant", "fitness_facility"),
    *_edges("employer", "company_policy", "job_title", "work_location", "work_schedule", "work_project", "insurance"),
    *_edges(
        "relationship_status",
        "life_event",
        "family_event",
        "housing_type",
        "living_arrangement",
        "travel_plan",
        "social_gathering",
        "pet",
    ),
    *_edges(
        "health_condition",
        "medical_causation",
        "medication",
        "exercise_routine",
        "dietary_restriction",
        "sleep_pattern",
        "regular_appointment",
    ),
    *_edges("relationship_status", "priority_shift", "financial_goal"),
    *_edges("school", "priority_shift", "financial_goal"),
    *_edges("job_title", "priority_shift", "planned_purchase"),
    *_edges("work_project", "priority_shift", "upcoming_event"),
    *_edges("residence_location", "infrastructure", "commute_method"),
    *_edges("work_location", "infrastructure", "commute_method"),
    *_edges("school", "infrastructure", "commute_method"),
    *_edges("residence_location", "distance", "commute_duration"),
    *_edges("work_location", "distance", "commute_duration"),
    *_edges("exercise_routine", "activity_facility", "fitness_facility"),
    *_edges("school", "schedule_conflict", "work_schedule"),
    *_edges("living_arrangement", "preference", "housing_type"),
    *_edges("school", "curriculum", "skill_acquisition"),
)

_UNPARTNERED = frozenset({"single and not looking", "widowed two years ago", "divorced on good terms"})
_PARTNERS = frozenset(next(entity for entity in ENTITIES if entity.name == "partner").usable)
_WORKLESS = frozenset({"between jobs"})


def _without_work(name: str) -> Constraint:
    values = next(entity for entity in ENTITIES if entity.name == name).usable
    return Constraint("employer", _WORKLESS, name, frozenset(values))


GRAPH = Graph(
    domain="personal-life",
    entities=ENTITIES,
    edges=_EDGES,
    patterns=_PATTERNS,
    roots=("residence_location", "employer", "health_condition", "relationship_status", "school"),
    triples=(
        Triple(("hobby", "sports", "club_membership"), "How do I spend my free time? Name all of it."),
        Triple(
            ("diet_preference", "food_allergy", "dietary_restriction"),
            "I am invited to dinner: what should the cook know about my eating? Name all of it.",
        ),
        Triple(
            ("travel_plan", "upcoming_event", "family_event"),
            "What lies ahead of me in the coming months? Name all of it.",
        ),
    ),
    constraints=(
        Constraint("vehicle", frozenset({"no vehicle right now"}), "commute_method", frozenset({"a car of my own"})),
        Constraint("relationship_status", _UNPARTNERED, "partner", _PARTNERS),
        *map(_without_work, ("job_title", "work_location", "work_schedule", "work_project")),
    ),
)
