"""Software Project: fifty-one things a team has to know, and what hangs on its stack, its hosts and its people."""

from __future__ import annotations

from memtriage.suites.meme.domains.software_project_entities import ENTITIES
from memtriage.suites.meme.graph import Constraint, Edge, Graph, Pattern, Triple

_PATTERNS = (
    Pattern(
        "tech_compatibility",
        "{fact}, because that is what works with {held}; if {source} changes, this has to change as well",
        "{fact}, the natural fit for {source}, {held}",
        "{fact}, out of the starter kit of {source}, {held}",
    ),
    Pattern(
        "derived_config",
        "{fact}, which is derived from {held}; if {source} changes, this changes with it",
        "{fact}, since {held} is {source}",
        "{fact}, the one that comes with {source}, {held}",
    ),
    Pattern(
        "data_layer",
        "{fact}, and that was picked for {held}; if {source} changes, this is up for change too",
        "{fact}, on account of {source} being {held}",
        "{fact}, made for {source}, {held}",
    ),
    Pattern(
        "infra_coupling",
        "{fact}, which is tied to {held}; if {source} changes, this will change too",
        "{fact}, the way {source}, {held}, expects it",
        "{fact}, part of our account at {source}, {held}",
    ),
    Pattern(
        "team_assignment",
        "{fact}, by decision of {held}; if {source} changes, this is assigned anew",
        "{fact}, since {source}, {held}, arranged it so",
        "{fact}, named by {source}, {held}",
    ),
    Pattern(
        "auth_coupling",
        "{fact}, as {held} requires; if {source} changes, this changes too",
        "{fact}, to please {source}, {held}",
        "{fact}, part of the package from {source}, {held}",
    ),
)


def _edges(source: str, pattern: str, *targets: str) -> tuple[Edge, ...]:
    return tuple(Edge(source, target, pattern) for target in targets)


_EDGES = (
    *_edges(
        "framework",
        "tech_compatibility",
        "build_tool",
        "test_framework",
        "project_structure",
        "dev_server_command",
    ),
    *_edges("build_tool", "derived_config", "build_command"),
    *_edges("test_framework", "derived_config", "test_command"),
    *_edges("orm_library", "derived_config", "model_syntax"),
    *_edges("ci_config", "derived_config", "deploy_command"),
    *_edges("docker_image", "derived_config", "dockerfile_path"),
    *_edges("auth_method", "derived_config", "middleware_config"),
    *_edges("database", "data_layer", "orm_library", "migration_tool", "connection_string", "backup_schedule"),
    *_edges(
        "deploy_target",
        "infra_coupling",
        "ci_config",
        "monitoring_url",
        "staging_url",
        "docker_image",
        "log_drain_endpoint",
    ),
    *_edges(
        "team_lead",
        "team_assignment",
        "code_reviewer",
        "escalation_contact",
        "approval_authority",
        "weekly_report_recipient",
    ),
    *_edges("auth_provider", "auth_coupling", "auth_method", "token_format", "login_endpoint", "user_session_ttl"),
)

GRAPH = Graph(
    domain="software-project",
    entities=ENTITIES,
    edges=_EDGES,
    patterns=_PATTERNS,
    roots=("framework", "database", "deploy_target", "team_lead", "auth_provider"),
    triples=(
        Triple(
            ("meeting_day", "slack_channel", "standup_format"),
            "In what ways do we keep in touch as a team? Name all of them.",
        ),
        Triple(
            ("branch_strategy", "default_branch", "release_cadence"),
            "What is the way of a change from branch to release here? Name all you know.",
        ),
        Triple(
            ("design_system", "test_coverage_target", "code_review_policy"),
            "What standards does our work have to meet? Name all of them.",
        ),
        Triple(
            ("oncall_rotation", "alert_channel", "incident_runbook_url"),
            "Something breaks at night: what have we set up for that? Name all of it.",
        ),
        Triple(
            ("documentation_url", "onboarding_guide", "changelog_location"),
            "Where can somebody new read up on the project? Name all places.",
        ),
    ),
    constraints=(
        Constraint(
            "branch_strategy",
            frozenset({"release trains on the quarter"}),
            "release_cadence",
            frozenset({"on every new moon", "at the end of each even week", "after five merged tickets"}),
        ),
    ),
)
