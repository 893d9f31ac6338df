"""Expedition: forty-two things a polar party has to know, and what hangs on its camp, ship, leader and money."""

from __future__ import annotations

from memtriage.suites.meme.domains.expedition_entities import ENTITIES
from memtriage.suites.meme.graph import Constraint, Edge, Graph, Pattern, Triple

_PATTERNS = (
    Pattern(
        "terrain",
        "{fact}, because of how the land lies around {held}; if {source} changes, this has to change",
        "{fact}, the only sensible thing with {held} as {source}",
        "{fact}, in plain sight of {source}, {held}",
    ),
    Pattern(
        "logistics",
        "{fact}, which follows from {held}; if {source} changes, this follows suit",
        "{fact}, as far as {source}, {held}, lets us",
        "{fact}, made out for {source}, {held}",
    ),
    Pattern(
        "ship_fit",
        "{fact}, as it is done on the {held}; if {source} changes, this will be different",
        "{fact}, since {source} is the {held}",
        "{fact}, part of {source}, the {held}",
    ),
    Pattern(
        "command",
        "{fact}, by order of {held}; if {source} changes, the order lapses",
        "{fact}, at the wish of {source}, {held}",
        "{fact}, named by {source}, {held}",
    ),
    Pattern(
        "contract",
        "{fact}, as agreed with {held}; if {source} changes, the agreement is void",
        "{fact}, to keep {source}, {held}, content",
        "{fact}, a clause in the contract with {source}, {held}",
    ),
    Pattern(
        "climate",
        "{fact}, which suits {held}; if {source} changes, we have to think again about this",
        "{fact}, what with {held} as {source}",
        "{fact}, the usual thing for {source}, {held}",
    ),
)


def _edges(source: str, pattern: str, *targets: str) -> tuple[Edge, ...]:
    return tuple(Edge(source, target, pattern) for target in targets)


_EDGES = (
    *_edges("base_camp", "terrain", "supply_route", "survey_area", "water_source", "evacuation_point"),
    *_edges("supply_route", "logistics", "resupply_interval", "sled_team"),
    *_edges("survey_area", "logistics", "sampling_method"),
    *_edges("research_vessel", "ship_fit", "ship_captain", "cargo_limit", "landing_craft", "radio_frequency"),
    *_edges("ship_captain", "command", "watch_system"),
    *_edges("expedition_leader", "command", "second_in_command", "daily_briefing", "risk_rule"),
    *_edges("second_in_command", "command", "roll_call_place"),
    *_edges("main_sponsor", "contract", "film_crew", "reporting_duty", "expedition_flag", "budget_reserve"),
    *_edges("season_window", "climate", "clothing_layer", "working_hours", "tent_model", "ration_plan"),
    *_edges("ration_plan", "logistics", "stove_fuel"),
)

GRAPH = Graph(
    domain="expedition",
    entities=ENTITIES,
    edges=_EDGES,
    patterns=_PATTERNS,
    roots=("base_camp", "research_vessel", "expedition_leader", "main_sponsor", "season_window"),
    triples=(
        Triple(
            ("expedition_song", "evening_game", "reading_shelf"), "How do we pass the evenings in camp? Name all of it."
        ),
        Triple(
            ("first_aid_kit", "alarm_signal", "rescue_password"),
            "What has been settled for the case that something goes wrong? Name all of it.",
        ),
        Triple(
            ("cargo_limit", "landing_craft", "radio_frequency"),
            "What does the shore party have to know about the ship? Name all of it.",
        ),
    ),
    constraints=(
        Constraint("lead_dog", frozenset({"no dogs this time"}), "sled_team", frozenset({"nine huskies from Orlo"})),
        Constraint("season_window", frozenset({"the polar night"}), "daily_briefing", frozenset({"at dawn, standing"})),
        Constraint(
            "season_window",
            frozenset({"the polar night"}),
            "working_hours",
            frozenset({"from four to eleven", "in two blocks around noon"}),
        ),
    ),
)
