"""The graphs of MEME have the published structure, refuse what can't be asked about, and changes run down them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import shared_data
from memtriage.core.errors import BadInput
from memtriage.suites.meme.domains import DOMAINS, PUBLISHED, graph_of
from memtriage.suites.meme.graph import PHRASINGS, Constraint, DomainGraph, Edge, Entity, Pattern, Triple, rule_text
from memtriage.suites.meme.resolve import UNKNOWN, Resolved, outcome, resolve
from memtriage.suites.meme.skeleton import Link, Skeleton, Statement

PERSONAL_LIFE = {
    "Living & Commute": "residence_location housing_type living_arrangement commute_method commute_duration vehicle",
    "Work": "employer job_title work_location work_schedule work_project",
    "Health & Fitness": "health_condition medication exercise_routine fitness_facility sleep_pattern",
    "Food & Diet": "diet_preference dietary_restriction favorite_restaurant food_allergy",
    "Family": "relationship_status partner family_event",
    "Finance": "financial_goal insurance subscription_service planned_purchase",
    "Schedule": "travel_plan regular_appointment upcoming_event",
    "Hobbies": "hobby sports club_membership media_consumption social_gathering",
    "Miscellaneous": "pet school skill_acquisition life_philosophy",
}
SOFTWARE_PROJECT = {
    "Framework & Build": "framework build_tool build_command test_framework test_command project_structure "
    "dev_server_command",
    "Data Layer": "database orm_library model_syntax migration_tool connection_string backup_schedule",
    "Deployment & Infra": "deploy_target ci_config deploy_command monitoring_url staging_url docker_image "
    "dockerfile_path log_drain_endpoint",
    "Team & Process": "team_lead code_reviewer escalation_contact approval_authority weekly_report_recipient",
    "Auth & Security": "auth_provider auth_method middleware_config token_format login_endpoint user_session_ttl",
    "Miscellaneous": "error_log sprint_deadline secret_manager package_manager branch_strategy design_system "
    "meeting_day slack_channel standup_format default_branch release_cadence test_coverage_target "
    "code_review_policy oncall_rotation alert_channel incident_runbook_url documentation_url onboarding_guide "
    "changelog_location",
}


# --- structure ---------------------------------------------------------------------------------------------------


def by_category(graph: DomainGraph) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for entity in graph.entities:
        found.setdefault(entity.category, set()).add(entity.name)
    return found


def test_personal_life_has_the_published_structure() -> None:
    graph = graph_of("personal-life")
    assert by_category(graph) == {category: set(names.split()) for category, names in PERSONAL_LIFE.items()}
    assert Counter(graph.role(e.name) for e in graph.entities) == {"root": 5, "middle": 5, "leaf": 19, "orphan": 10}
    assert set(graph.roots) == {"residence_location", "employer", "health_condition", "relationship_status", "school"}
    assert Counter(edge.pattern for edge in graph.edges) == {
        "proximity": 5,
        "company_policy": 5,
        "life_event": 6,
        "medical_causation": 5,
        "priority_shift": 4,
        "infrastructure": 3,
        "distance": 2,
        "activity_facility": 1,
        "schedule_conflict": 1,
        "preference": 1,
        "curriculum": 1,
    }
    assert len(graph.patterns) == 11


def test_software_project_has_the_published_structure() -> None:
    graph = graph_of("software-project")
    assert by_category(graph) == {category: set(names.split()) for category, names in SOFTWARE_PROJECT.items()}
    assert Counter(graph.role(e.name) for e in graph.entities) == {"root": 5, "middle": 6, "leaf": 21, "orphan": 19}
    assert set(graph.roots) == {"framework", "database", "deploy_target", "team_lead", "auth_provider"}
    assert Counter(edge.pattern for edge in graph.edges) == {
        "tech_compatibility": 4,
        "derived_config": 6,
        "data_layer": 4,
        "infra_coupling": 5,
        "team_assignment": 4,
        "auth_coupling": 4,
    }
    assert len(graph.patterns) == 6


def test_the_extra_domain_has_the_same_structure() -> None:
    graph = graph_of("expedition")
    assert 30 <= len(graph.entities) <= 45
    assert len(graph.roots) == 5
    assert sum(2 in graph.hops(root).values() for root in graph.roots) == 4


def test_declared_roots_are_those_that_the_edges_make() -> None:
    for domain in DOMAINS:
        graph = graph_of(domain)
        assert {e.name for e in graph.entities if graph.role(e.name) == "root"} == set(graph.roots)


@pytest.mark.parametrize("domain", DOMAINS)
def test_pools_can_be_told_apart(domain: str) -> None:
    graph = graph_of(domain)
    pairs = [(entity.name, value.casefold()) for entity in graph.entities for value in entity.values]
    inside = [(one, other) for one in pairs for other in pairs if one != other and one[1] in other[1]]
    assert inside == []
    assert all(5 <= len(entity.values) <= 15 for entity in graph.entities)
    assert all(6 <= len(graph.entity(root).usable) <= 12 for root in graph.roots)
    assert any(entity.nulls for entity in graph.entities)
    nouns = [entity.noun for entity in graph.entities]
    assert len(set(nouns)) == len(nouns)
    questions = [entity.ask for entity in graph.entities] + [triple.ask for triple in graph.triples]
    assert len(set(questions)) == len(questions)


def test_an_unknown_domain_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(BadInput, match="did you mean 'expedition'"):
        graph_of("expeditions")


# --- words -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_sentence_holds_its_values_word_for_word(domain: str) -> None:
    graph = graph_of(domain)
    for entity in graph.entities:
        for value in entity.values:
            told = [entity.statement(value), entity.update(value, 2), entity.update(value, 3)]
            told.append(entity.deletion_request(value))
            told += [entity.change_event(value, other) for other in entity.usable]
            told += [entity.change_event(other, value) for other in entity.usable]
            assert all(value in text for text in told)
            assert all(text[0].isupper() and text.endswith((".", '"')) for text in told)
        assert len({entity.update("it", step) for step in (2, 3)}) == 2


@pytest.mark.parametrize("domain", DOMAINS)
def test_only_the_explicit_phrasing_says_what_happens_on_a_change(domain: str) -> None:
    graph = graph_of(domain)
    for edge in graph.edges:
        source, target = graph.entity(edge.source), graph.entity(edge.target)
        held, value = source.usable[0], target.usable[0]
        for phrasing in PHRASINGS:
            pattern = graph.pattern(edge.source, edge.target)
            bound = pattern.bind(target.clause(value), source, held, phrasing)
            rules = [rule_text(target, value, source, held, phrasing, variant) for variant in range(3)]
            assert held in bound
            assert value in bound
            assert source.noun in bound
            assert len(set(rules)) == 3
            assert all(value in rule and source.label in rule and target.noun in rule for rule in rules)
            conditional = [f"{source.noun} changes" in text for text in (bound, *rules)]
            assert all(conditional) if phrasing == "explicit" else not any(conditional)


def test_a_null_value_is_told_as_such() -> None:
    assert graph_of("personal-life").entity("pet").statement("no animal at home") == "About my pet: no animal at home."


# --- refusals ----------------------------------------------------------------------------------------------------


def thing(name: str, **more: Any) -> Entity:
    values = more.pop("values", (f"{name} one", f"{name} two", f"{name} three"))
    return Entity(name, "all", f"my {name}", "I have {value}", f"Which {name}?", values, **more)


TIE = Pattern("tie", "{fact} {source} {held}", "{fact} {source} {held}", "{fact} {source} {held}")


def small(*edges: tuple[str, str], roots: tuple[str, ...] = ("a",), **more: Any) -> DomainGraph:
    links = tuple(Edge(source, target, "tie") for source, target in edges)
    return DomainGraph("small", tuple(map(thing, "abcd")), links, (TIE,), roots, **more)


def test_a_sound_small_graph_is_accepted() -> None:
    graph = small(("a", "b"), ("b", "c"), ("a", "c"))
    assert [graph.role(name) for name in "abcd"] == ["root", "middle", "leaf", "orphan"]
    assert graph.hops("a") == {"b": 1, "c": 1}
    assert graph.parents("c") == ("b", "a")


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: small(("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")), r"circle: b -> c -> d -> b"),
        (lambda: small(("a", "b"), ("b", "b")), r"circle: b -> b"),
        (lambda: small(("a", "b"), ("b", "x")), r"edge b -> x names entity 'x'"),
        (lambda: small(("x", "b")), r"edge x -> b names entity 'x'"),
        (lambda: small(("a", "b"), ("a", "b")), r"edge 'a -> b' stands there twice"),
        (lambda: small(("a", "b"), ("b", "c"), roots=("a", "b")), r"edge a -> b is a rule for a root"),
        (lambda: small(("a", "b"), roots=("a", "d")), r"root 'd' is nobody's parent"),
        (lambda: small(("a", "b"), ("c", "d")), r"'c' has dependants but hangs on nothing"),
        (lambda: small(("a", "b"), roots=("a", "z")), r"root names entity 'z'"),
        (lambda: small(("a", "b"), triples=(Triple(("a", "b", "q"), "?"),)), r"triple a\+b\+q names entity 'q'"),
        (lambda: small(("a", "b"), triples=(Triple(("a", "b", "b"), "?"),)), r"triple a\+b\+b: entity 'b'"),
        (
            lambda: small(("a", "b"), constraints=(Constraint("a", frozenset({"a nine"}), "b", frozenset()),)),
            r"constraint on 'a' names value 'a nine'",
        ),
        (lambda: replace(small(("a", "b")), edges=(Edge("a", "b", "knot"),)), r"a -> b names pattern 'knot'"),
        (lambda: replace(small(("a", "b")), entities=(thing("a"), thing("b"), thing("a"))), r"entity 'a' stands"),
        (lambda: thing("a", values=("only",)), r"entity 'a': a pool of 1 usable value"),
        (lambda: thing("a", values=("some", "none"), nulls=("none",)), r"entity 'a': a pool of 1 usable value"),
        (lambda: thing("a", values=("Oak", "oak", "elm")), r"entity 'a': value 'oak' stands there twice"),
        (lambda: thing("a", values=("oak", "oak tree", "elm")), r"value 'oak' stands inside 'oak tree'"),
        (lambda: thing("a", nulls=("nothing",)), r"entity 'a': null-like value 'nothing'"),
        (lambda: thing("a", values=("oak", "elm"), history="Which?"), r"entity 'a' can't have a history"),
        (lambda: replace(thing("a"), tell="I have it"), r"entity 'a': the template 'I have it' must hold \{value\}"),
        (lambda: replace(thing("a"), tell="I have {value"), r"entity 'a': .* can't be read as a template"),
        (lambda: thing("a", change="{old} is gone, {new} came"), r"entity 'a': .* begins with a value"),
        (lambda: Pattern("p", "{fact} {source}", "", ""), r"pattern 'p'"),
    ],
)
def test_bad_graphs_are_refused_by_name(make: Any, names: str) -> None:
    with pytest.raises(BadInput, match=names):
        make()


# --- propagation -------------------------------------------------------------------------------------------------


def test_a_change_runs_down_a_chain_as_far_as_rules_reach() -> None:
    links = [("root", "mid"), ("mid", "end"), ("root", "other"), ("other", "last"), ("far", "away")]
    told = {name: f"old {name}" for name in ("root", "mid", "end", "other", "last", "far", "away")}
    rules = {("mid", "root"): "new mid", ("end", "mid"): "new end", ("last", "other"): "new last"}
    assert resolve(links, told, rules, {"root": "new root"}) == {
        "root": "new root",
        "mid": "new mid",
        "end": "new end",
        "other": UNKNOWN,
        # Its rule speaks of a change of `other`, of which nobody knows whether it came.
        "last": UNKNOWN,
        "far": "old far",
        "away": "old away",
    }


def test_a_change_to_the_same_value_changes_nothing() -> None:
    assert resolve([("a", "b")], {"a": "1", "b": "2"}, {("b", "a"): "3"}, {"a": "1"}) == {"a": "1", "b": "2"}


def test_sources_that_disagree_leave_nothing_to_know() -> None:
    links, told = [("a", "c"), ("b", "c")], {"a": "1", "b": "2", "c": "3"}
    both = {"a": "x", "b": "y"}
    assert resolve(links, told, {("c", "a"): "4", ("c", "b"): "4"}, both)["c"] == "4"
    assert resolve(links, told, {("c", "a"): "4", ("c", "b"): "5"}, both)["c"] is UNKNOWN
    assert resolve(links, told, {("c", "a"): "4"}, both)["c"] is UNKNOWN
    assert resolve(links, told, {("c", "a"): "4"}, {"a": "x"})["c"] == "4"


@pytest.mark.parametrize(
    ("links", "told", "rules", "changes", "names"),
    [
        ([("a", "b")], "ab", {("a", "a"): "x"}, {"a": "y"}, "a rule for 'a', which is a root"),
        ([("a", "b"), ("a", "c")], "abc", {("b", "c"): "x"}, {"a": "y"}, "no edge c -> b"),
        ([("a", "b"), ("b", "a")], "ab", {}, {"a": "y"}, "circle: a -> b -> a"),
        ([("a", "b")], "a", {}, {"a": "y"}, "edge a -> b names 'b'"),
        ([], "a", {}, {"z": "y"}, "'z' changes"),
    ],
)
def test_episodes_that_make_no_sense_are_refused(
    links: list[tuple[str, str]], told: str, rules: dict[tuple[str, str], str], changes: dict[str, str], names: str
) -> None:
    with pytest.raises(BadInput, match=names):
        resolve(links, {name: f"old {name}" for name in told}, rules, changes)


def test_an_episode_is_resolved_from_what_it_says() -> None:
    said = (
        Statement("a", "1", "fact", "a 1."),
        Statement("b", "2", "dependency", "b 2.", source="a"),
        Statement("t", "3", "fact", "t 3.", step=1),
        Statement("t", "4", "update", "t 4.", step=2),
        Statement("d", "5", "fact", "d 5."),
        Statement("b", "6", "rule", "b 6.", source="a"),
    )
    end = (Statement("a", "9", "change", "a 9."), Statement("d", "5", "delete", "no d."))
    skeleton = Skeleton("e", "small", "a", ("1", "9"), (Link("a", "b", 1, "tie"),), (said, end), ())
    assert outcome(skeleton) == {"a": "9", "b": "6", "t": "4", "d": "5"}
    with_rule_for_root = replace(skeleton, sessions=((Statement("a", "9", "rule", "a.", source="a"), *said), end))
    assert outcome(with_rule_for_root) == outcome(skeleton)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Any, Any, Any, Any]:
    """A random acyclic graph with values, rules for some of its edges, and changes of some of its roots."""
    count = draw(st.integers(2, 8))
    names = draw(st.permutations([f"n{number}" for number in range(count)]))
    possible = [(names[i], names[j]) for i in range(count) for j in range(i + 1, count)]
    links = draw(st.lists(st.sampled_from(possible), unique=True))
    told = {name: f"old {name}" for name in names}
    rules: dict[tuple[str, str], str] = {}
    for source, target in links:
        # Few values, among them the one before, so that rules agree, clash and change nothing.
        value = draw(st.sampled_from([None, "x", "y", told[target]]))
        if value is not None:
            rules[target, source] = value
    roots = [name for name in names if name not in {target for _, target in links}]
    changed = draw(st.lists(st.sampled_from(roots), unique=True))
    return links, told, rules, {name: draw(st.sampled_from(["new", told[name]])) for name in changed}


def settled(
    links: list[tuple[str, str]],
    told: dict[str, str],
    rules: dict[tuple[str, str], str],
    changes: dict[str, str],
) -> dict[str, Resolved]:
    """The same by another way: apply every edge to the whole state, over and over, until nothing moves."""
    state: dict[str, Resolved] = {**told, **changes}
    for _ in range(len(told) + 2):
        heard: dict[str, list[Resolved]] = {name: [] for name in told}
        for source, target in links:
            if state[source] == told[source]:
                continue
            speaks = isinstance(state[source], str) and (target, source) in rules
            heard[target].append(rules[target, source] if speaks else UNKNOWN)
        following: dict[str, Resolved] = {}
        for name, claims in heard.items():
            if name in changes:
                following[name] = changes[name]
            elif not claims:
                following[name] = told[name]
            else:
                following[name] = claims[0] if all(claim == claims[0] for claim in claims) else UNKNOWN
        if following == state:
            return state
        state = following
    raise AssertionError("an acyclic graph must come to rest")


@given(worlds())
def test_propagation_agrees_with_an_evaluator_that_iterates(world: tuple[Any, Any, Any, Any]) -> None:
    assert resolve(*world) == settled(*world)


@given(worlds())
def test_what_depends_on_nothing_changed_stays(world: tuple[Any, Any, Any, Any]) -> None:
    links, told, rules, changes = world
    reached = set(changes)
    for _ in told:
        reached |= {target for source, target in links if source in reached}
    after = resolve(links, told, rules, changes)
    assert all(after[name] == told[name] for name in told if name not in reached)


# --- released skeletons ------------------------------------------------------------------------------------------


def released(kind: str, domain: str) -> list[dict[str, Any]]:
    short = {"personal-life": "pl", "software-project": "sw"}[domain]
    path = shared_data(f"meme/{kind}_{short}_20.json")
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


@pytest.mark.parametrize("domain", PUBLISHED)
def test_released_episodes_fit_the_graph(domain: str) -> None:
    graph = graph_of(domain)
    edges = {(edge.source, edge.target, edge.pattern) for edge in graph.edges}
    for row in released("episodes", domain):
        assert row["root"] in graph.roots
        assert set(row["entities"]) <= {entity.name for entity in graph.entities}
        for used in row["dependency_edges_used"]:
            assert (used["source"], used["target"], used["pattern"]) in edges
        assert set(row["chain_entities"]) - {row["root"]} <= set(graph.hops(row["root"]))


@pytest.mark.parametrize("domain", PUBLISHED)
def test_pools_hold_no_released_value(domain: str) -> None:
    theirs = {
        str(value).casefold()
        for row in released("episodes", domain)
        for parts in row["entities"].values()
        for value in (parts["before"], parts["after"], *parts.get("history", ()))
    }
    ours = {value.casefold() for entity in graph_of(domain).entities for value in entity.values}
    assert theirs & ours == set()


@pytest.mark.parametrize(("domain", "asked", "contradictory"), [("personal-life", 49, 1), ("software-project", 68, 3)])
def test_propagation_gives_the_released_answers(domain: str, asked: int, contradictory: int) -> None:
    """All but the few that ask for uncertainty about something whose next value the same episode declares."""
    right, declared = 0, 0
    for row, gold in zip(released("episodes", domain), released("gold_facts", domain), strict=True):
        introduced = gold["phase1_fact_introduction"]
        told = {name: parts["before"] for name, parts in row["entities"].items()}
        links = {(used["source"], used["target"]) for used in row["dependency_edges_used"]}
        # They also declare what the root will be if the root changes, which says nothing about anything else.
        rules = {
            (fact["entity"], fact["dependency_source"]): fact["value"]
            for fact in introduced
            if fact.get("is_if_then") and fact["entity"] != row["root"]
        }
        after = resolve(links, told, rules, {row["root"]: row["root_change"]["after"]})
        for task in row["tasks"]:
            if task["type"] not in ("Cas", "Abs"):
                continue
            target = task["target_entities"][0]
            if task["type"] == "Abs" and (target, row["root"]) in rules:
                declared += 1
                assert after[target] == rules[target, row["root"]]
                continue
            right += 1
            assert after[target] == (task["gold_answer"] if task["type"] == "Cas" else UNKNOWN)
    assert (right, declared) == (asked - contradictory, contradictory)
