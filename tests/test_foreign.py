"""Traces that another harness recorded: the documented format, and what is said where a file breaks it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT, Cli, Place, shared_data
from memtriage.core.episode import Scoring, Session
from memtriage.core.errors import BadInput
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose.imported_traces import diagnose_file, load_stores
from memtriage.diagnose.trace_format import (
    ConversationLine,
    FactLine,
    MemoryLine,
    OutdatedLine,
    SnapshotLine,
    StoreLine,
    TraceLine,
    TurnLine,
)

RULE = {"text": "Nell rows only below 3 knots.", "details": ["below 3 knots", "rows"], "subject": "Nell"}
STORE = {"store": "a", "memories": ["Nell rows only below 3 knots.", {"text": "Nell has a dog.", "id": "m2"}]}


def trace(**changes: Any) -> dict[str, Any]:
    return {"probe": "q1", "question": "Will she?", "facts": [RULE], "retrieved": [], **changes}


def written(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "traces.jsonl"
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines), encoding="utf-8")
    return path


def test_a_shared_store_serves_many_traces(tmp_path: Path) -> None:
    kept = "Nell rows only below 3 knots."
    found = diagnose_file(
        written(tmp_path, STORE, trace(store="a", retrieved=[kept]), trace(store="a", probe="q2", k=3), "")
    )
    assert [(v.probe, v.verdict, v.k) for v in found.verdicts] == [("q1", "correct", 1), ("q2", "not_retrieved", 3)]
    assert [found.texts[key] for key in found.verdicts[1].facts[0].witness] == [kept]
    assert [(s.memories, s.queries) for s in found.stores] == [(2, 2)]


def test_a_store_may_stand_in_the_trace_or_be_unknown(tmp_path: Path) -> None:
    found = diagnose_file(
        written(tmp_path, trace(all_memories=["Nell rows only below 5 knots."]), trace(probe="q2", retrieved=["Hm."]))
    )
    assert [v.verdict for v in found.verdicts] == ["summary_error", "not_retrieved"]
    assert found.verdicts[1].facts[0].stages["storage"] == "n/a"
    assert [s.memories for s in found.stores] == [1, None]


def test_an_empty_store_has_lost_everything_and_an_error_is_counted_apart(tmp_path: Path) -> None:
    found = diagnose_file(written(tmp_path, trace(all_memories=[]), trace(probe="q2", all_memories=[], error="502")))
    assert [v.verdict for v in found.verdicts] == ["not_stored", "error"]


def test_letters_are_graded_and_any_sufficient_set_is_enough(tmp_path: Path) -> None:
    kept = "Nell rows only below 3 knots."
    other = {"text": "Nell owns a red oar.", "id": "oar"}
    line = trace(
        facts=[RULE, other],
        sufficient=[["oar"], ["1"]],
        all_memories=[kept],
        retrieved=[kept],
        answer="(C)",
        correct_choice="C",
    )
    (found,) = diagnose_file(written(tmp_path, line)).verdicts
    assert (found.verdict, found.depth) == ("correct", "full")


def test_no_sufficient_set_means_all_facts(tmp_path: Path) -> None:
    line = trace(facts=[RULE, "Nell owns a red oar."], all_memories=[KEPT], retrieved=[KEPT])
    for sets in ([], None):
        assert [fact.fact for fact in only(tmp_path, {**line, "sufficient": sets}).facts] == ["q1/1", "q1/2"]


def test_a_conversation_turn_kept_as_said_is_not_called_lost(tmp_path: Path) -> None:
    """The gold text is somebody's wording of it, so a copy of what was said may well be the fact."""
    turn = "Rowing? Only if it's under 3 knots, says Nell."
    (found,) = diagnose_file(written(tmp_path, trace(all_memories=[turn], conversations=[turn]))).verdicts
    assert found.verdict == "uncertain"


def test_a_fact_of_two_sentences_without_details_is_found_as_it_stands(tmp_path: Path) -> None:
    text = "Nell rows to Holm. She never takes the ferry."
    (found,) = diagnose_file(
        written(tmp_path, trace(facts=[{"text": text}], all_memories=[text], retrieved=[text]))
    ).verdicts
    assert found.verdict == "correct"


KEPT = "Nell rows only below 3 knots."
OLD = {"text": "Nell lives in Kirkwall.", "details": ["Kirkwall"], "subject": "Nell", "id": "old"}
NEW = {"text": "Nell moved to Lerwick.", "details": ["moved to Lerwick"], "subject": "Nell", "id": "new"}


def only(tmp_path: Path, *lines: Any) -> ProbeVerdict:
    (found,) = diagnose_file(written(tmp_path, *lines)).verdicts
    return found


# ---------------------------------------------------------------------- stores over time


def grown(**changes: Any) -> dict[str, Any]:
    """A store that forgets the rule during the third of four conversations."""
    looks = [
        {"after": "mon", "memories": [KEPT]},
        {"after": "tue", "memories": [KEPT, "Nell has a dog."]},
        {"after": "wed", "memories": ["Nell has a dog."]},
        {"after": "thu", "memories": ["Nell has a dog.", "Nell has a cat."]},
    ]
    said = {"mon": KEPT, "tue": "Nell has a dog.", "wed": "Good day.", "thu": "Nell has a cat."}
    talks = [{"id": day, "turns": [text]} for day, text in said.items()]
    return {"store": "a", "snapshots": looks, "conversations": talks, **changes}


def test_a_fact_that_was_lost_later_says_after_which_conversation(tmp_path: Path) -> None:
    late, early, never = (
        trace(store="a"),
        trace(store="a", probe="q2", after="tue"),
        trace(store="a", probe="q3", facts=[{"text": "Nell sings in a choir.", "details": ["choir"]}]),
    )
    found = diagnose_file(written(tmp_path, grown(), late, early, never))
    assert [(v.verdict, v.facts[0].lost, v.facts[0].lost_after) for v in found.verdicts] == [
        ("not_stored", "later", "wed"),
        ("not_retrieved", None, None),
        ("not_stored", "never", None),
    ]
    assert found.verdicts[0].facts[0].why == "it was there after session tue and gone after wed"
    assert [(store.memories, store.sessions) for store in found.stores] == [(2, 4)]


def test_what_comes_back_after_it_was_gone_is_stored(tmp_path: Path) -> None:
    looks = [{"after": str(n), "memories": memories} for n, memories in enumerate([[KEPT], [], [KEPT]])]
    assert only(tmp_path, {"store": "a", "snapshots": looks}, trace(store="a")).verdict == "not_retrieved"


# ---------------------------------------------------------------------- facts that change


@pytest.mark.parametrize(
    ("retrieved", "verdict", "stale"),
    [
        (["Nell lives in Kirkwall."], "not_retrieved", ("q1/old",)),
        (["Nell lives in Kirkwall.", "Nell moved to Lerwick."], "correct", ()),
        (["Nell moved to Lerwick."], "correct", ()),
    ],
)
def test_an_outdated_fact_that_comes_back_alone_is_stale(
    tmp_path: Path, retrieved: list[str], verdict: str, stale: tuple[str, ...]
) -> None:
    line = trace(
        facts=[OLD, NEW],
        outdated=[{"fact": "old", "voided_by": ["new"]}],
        all_memories=["Nell lives in Kirkwall.", "Nell moved to Lerwick."],
        retrieved=retrieved,
    )
    found = only(tmp_path, line)
    assert (found.verdict, found.stale) == (verdict, stale)
    assert [fact.fact for fact in found.facts] == ["q1/new"], "what is outdated is not needed"


def test_a_settled_fact_must_be_stated_outright(tmp_path: Path) -> None:
    fact = {"text": "Nell pays 40 crowns.", "details": ["40 crowns"], "subject": "Nell", "settled": True}
    rule = "If Nell moves, she pays 40 crowns."
    line = trace(facts=[fact], all_memories=[rule], retrieved=[rule])
    assert only(tmp_path, line).verdict == "not_stored"
    assert only(tmp_path, {**line, "facts": [{**fact, "settled": False}]}).verdict != "not_stored"


def test_a_question_to_decline_waits_for_its_answer_unless_something_is_outdated(tmp_path: Path) -> None:
    nothing = trace(facts=[], scoring="abstain", all_memories=["Nell has a dog."])
    assert only(tmp_path, nothing).verdict == "n/a"
    for right, verdict in ((True, "correct"), (False, "reasoning_error")):
        found = only(tmp_path, {**nothing, "answer": "Hm.", "right": right})
        assert (found.verdict, found.right, found.depth) == (verdict, right, "full")
    gone = trace(
        facts=[OLD], outdated=[{"fact": "old"}], scoring="abstain", all_memories=["Nell lives in Kirkwall."]
    )  # fmt: skip
    assert (only(tmp_path, gone).verdict, only(tmp_path, gone).stale) == ("correct", ())
    assert only(tmp_path, {**gone, "retrieved": ["Nell lives in Kirkwall."]}).stale == ("q1/old",)


# ---------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("scoring", "answer", "right"),
    [
        ("contains", "She rows below 3 knots, no more.", True),
        ("contains", "She rows below 4 knots.", False),
        ("contains", "Under three.", True),
        ("exact", "Below 3 knots.", True),
        ("exact", "Only below 3 knots.", False),
    ],
)
def test_free_text_is_graded_by_its_scoring(tmp_path: Path, scoring: str, answer: str, right: bool) -> None:
    line = trace(all_memories=[KEPT], retrieved=[KEPT], scoring=scoring, answer=answer)
    found = only(tmp_path, {**line, "gold": "below 3 knots", "golds": ["under three"]})
    assert (found.right, found.depth) == (right, "full")
    assert found.verdict == ("correct" if right else "reasoning_error")
    assert found.measures["SubEM"] == float(right or scoring == "exact")


def test_titles_are_graded_among_all_that_are_known(tmp_path: Path) -> None:
    films = ["The Owl", "Tin Harbour", "The Long Rope"]
    line = trace(facts=[], scoring="titles", golds=films[:2], choices=films, answer="1. Owl\n2. The Long Rope")
    found = only(tmp_path, line)
    assert (found.verdict, found.right, found.measures["Recall@5"]) == ("n/a", True, 0.5)


@pytest.mark.parametrize(("letter", "right"), [("(l)", True), ("L", True), ("K", False)])
def test_any_letter_of_the_alphabet_may_be_right(tmp_path: Path, letter: str, right: bool) -> None:
    choices = [f"place {n}" for n in range(12)]
    line = trace(all_memories=[KEPT], retrieved=[KEPT], choices=choices, correct_choice="L", answer=letter.upper())
    assert only(tmp_path, line).right is right
    assert only(tmp_path, {**line, "correct_choice": "(l)"}).right is right


@pytest.mark.parametrize("right", [True, False])
def test_a_grade_that_was_given_before_is_taken_over(tmp_path: Path, right: bool) -> None:
    line = trace(all_memories=[KEPT], retrieved=[KEPT], gold="no", answer="No, she won't.", right=right)
    found = only(tmp_path, line)
    assert (found.right, found.depth, found.answer, found.credit) == (right, "full", "No, she won't.", float(right))
    assert found.verdict == ("correct" if right else "reasoning_error")
    lost = only(tmp_path, {**line, "all_memories": []} | {"retrieved": []})
    assert (lost.verdict, lost.right) == ("not_stored", right)
    failed = only(tmp_path, {**line, "error": "timeout"})
    assert (failed.verdict, failed.right) == ("error", None)


def test_without_facts_only_the_answer_counts(tmp_path: Path) -> None:
    found = only(tmp_path, trace(facts=[], gold="3 knots", scoring="contains", answer="3 knots"))
    assert (found.verdict, found.right, found.facts) == ("n/a", True, ())


# ---------------------------------------------------------------------- what was said, and when


def told(tmp_path: Path, *lines: Any) -> tuple[Session, ...]:
    (store,) = load_stores(written(tmp_path, *lines))
    return store.episode.sessions


def test_conversations_may_have_turns_and_dates(tmp_path: Path) -> None:
    talks = [
        "Plain words.",
        {"id": "may", "date": "2023/05/08 (Mon) 13:56", "turns": ["Hello.", {"role": "assistant", "text": "Hi."}]},
    ]
    line = trace(conversations=talks, asked_at="8 June 2023", retrieved=[{"text": KEPT, "date": "2023-05-09"}])
    plain, may = told(tmp_path, line)
    assert (plain.id, plain.timestamp, may.id, may.timestamp) == ("c1", None, "may", "2023-05-08T13:56")
    assert [(turn.role, turn.text, turn.id) for turn in may.turns] == [
        ("user", "Hello.", "may/1"),
        ("assistant", "Hi.", "may/2"),
    ]
    (store,) = load_stores(written(tmp_path, line))
    assert store.episode.probes[0].asked_at == "2023-06-08T00:00"
    assert only(tmp_path, line).retrieved[0].created_at == "2023-05-09T00:00"


def test_turns_of_several_days_are_sessions_of_their_own(tmp_path: Path) -> None:
    turns = [
        {"text": "a", "date": "2023-05-08T13:00"},
        {"text": "b", "date": "2023-05-08T23:00"},
        "c",
        {"text": "d", "date": "2023-05-09T01:00"},
    ]
    found = told(tmp_path, trace(all_memories=[], conversations=[{"id": "t", "turns": turns}]))
    assert [(s.id, s.timestamp, "".join(t.text for t in s.turns)) for s in found] == [
        ("t", "2023-05-08T13:00", "abc"),
        ("t+1", "2023-05-09T01:00", "d"),
    ]
    assert diagnose_file(tmp_path / "traces.jsonl").stores[0].sessions == 1


def test_a_fact_knows_the_turns_that_tell_it(tmp_path: Path) -> None:
    talks = [
        {"id": "a", "date": "2023-05-08", "turns": ["We met.  Nell rows only\nbelow 3 knots.", "And then?"]},
        {"id": "b", "date": "2023-05-09", "turns": [{"text": "Anything else?", "id": "else"}]},
        {"id": "c", "turns": ["Hm.", f"As I said: {KEPT} {KEPT}"]},
    ]
    named = {**RULE, "id": "named", "turns": ["else"]}
    whole = {**RULE, "id": "whole", "turns": ["a"]}
    (store,) = load_stores(written(tmp_path, trace(facts=[RULE, named, whole], conversations=talks)))
    assert [fact.turns for fact in store.episode.facts] == [("a/1", "c/2"), ("b/1",), ("a/1", "a/2")]
    undated = [{**talk, "date": None} for talk in talks]
    (store,) = load_stores(written(tmp_path, trace(conversations=undated)))
    assert store.episode.facts[0].turns == ()


def test_traces_without_a_store_may_use_the_same_names(tmp_path: Path) -> None:
    """Each line's names are its own, and what several lines repeat was said once."""
    lines = [
        trace(conversations=[{"id": "a", "turns": [{"text": text, "id": "t"}]}], facts=[{"text": text, "turns": ["t"]}])
        for text in ("One.", "Two.", "One.")
    ]
    (store,) = load_stores(written(tmp_path, *({**line, "probe": str(n)} for n, line in enumerate(lines))))
    assert [session.text for session in store.episode.sessions] == ["One.", "Two."]
    said = {turn.id: turn.text for session in store.episode.sessions for turn in session.turns}
    assert [said[fact.turns[0]] for fact in store.episode.facts] == ["One.", "Two.", "One."]


# ---------------------------------------------------------------------- files that can't be used


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "must be a JSON object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"probe": ' + "1" * 5000 + "}", "line 2"),
        (trace(retreived=[]), "retreived"),
        ({"probe": "q1"}, "question"),
        (trace(facts=[]), "facts"),
        (trace(facts=[{"text": ""}]), "facts.0.text"),
        (trace(facts=[{"text": "  "}]), "a fact has no text"),
        (trace(facts=[{"text": "x", "id": "2"}, {"text": "y"}]), "two facts have the id '2'"),
        (trace(k=0), "k"),
        (trace(store="b"), "store 'b' is not defined"),
        (trace(store="a", all_memories=[]), "both given"),
        (trace(store="a", conversations=["x"]), "conversations belong"),
        (trace(sufficient=[["7"]]), "sufficient names fact '7'"),
        (trace(sufficient=[[]]), "empty set"),
        (STORE, "store 'a' is defined twice; give each its own name"),
        (trace(retreived=[]), "retreived: unknown key 'retreived'; did you mean 'retrieved'?"),
        (trace(facts=[{**RULE, "sbject": "x"}]), "facts.0.sbject: unknown key 'sbject'; did you mean 'subject'?"),
        (trace(memories=[KEPT]), "memories: unknown key 'memories'; did you mean 'all_memories'?"),
        (trace(retrieved=[3]), "retrieved.0: must be a text or an object"),
        (trace(tags={"hop": 2}), "tags.hop: input should be a valid string, not 2"),
        (trace(scoring="f1"), "scoring: input should be 'free', 'choice'"),
        (trace(scoring="choice"), "needs correct_choice"),
        (trace(scoring="exact", correct_choice="A"), "correct_choice goes with scoring"),
        (trace(correct_choice="AB"), "correct_choice: 'AB' is not a letter"),
        (trace(correct_choice="D", choices=["x", "y"]), "correct_choice 'D' is none of the 2 choices"),
        (trace(correct_choice="D", choices=["x"] * 27), "27 choices and 26 letters"),
        (trace(scoring="contains", answer="x"), 'scoring "contains" compares with gold'),
        (trace(scoring="points", gold="x"), 'scoring "points" needs golds'),
        (trace(outdated=[{"fact": "9"}]), "outdated names fact '9'"),
        (trace(outdated=[{"fact": "1", "voided_by": ["8"]}]), "outdated names fact '8'"),
        (trace(outdated=[{"fact": "1"}]), "every fact is outdated"),
        (trace(asked_at="soon"), "asked_at: 'soon' can't be read as a date; write it as 2026-03-31"),
        (trace(conversations=[{"turns": []}]), "conversations.0.turns"),
        (trace(conversations=[{"turns": ["a"], "date": "05/06/2023"}]), "conversations.0.date: '05/06/2023'"),
        (trace(conversations=[{"turns": [{"txt": "a"}]}]), "conversations.0.turns.0.txt: unknown key 'txt'"),
        (trace(conversations=["a", {"turns": ["b"], "id": "c1"}]), "two conversations have the id 'c1'"),
        (trace(conversations=[{"turns": [{"text": "a", "id": "x"}] * 2}]), "two turns have the id 'x'"),
        (trace(facts=[{**RULE, "turns": ["c9"]}], conversations=["a"]), "a fact names turn 'c9'"),
        (trace(store="a", after="mon"), "after goes with a store that has snapshots"),
        (grown(store="b", memories=[]), "give either memories or snapshots"),
        ({"store": "b", "snapshots": []}, "snapshots: list should have at least 1 item"),
        ({"store": "b", "snapshots": [{"memories": []}]}, "snapshots.0.after is missing"),
        (grown(store="b", conversations=[{"id": "mon", "turns": ["x"]}]), "after 'tue', which is no conversation"),
        (
            grown(store="b", conversations=[{"id": id, "turns": ["x"]} for id in ("tue", "mon", "wed", "thu")]),
            "in the order of the conversations",
        ),
        ({"store": "b", "snapshots": [{"after": "x", "memories": []}] * 2}, "two snapshots are after 'x'"),
    ],
)
def test_a_broken_line_is_named_with_its_file_and_number(tmp_path: Path, line: Any, said: str) -> None:
    path = written(tmp_path, STORE, line, trace(probe="ok"))
    with pytest.raises(BadInput) as caught:
        diagnose_file(path)
    assert f"{path}, line 2: " in str(caught.value)
    assert said in str(caught.value)


def test_a_question_is_asked_where_the_store_was_looked_at(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"line 2: after 'sun': the store has no snapshot after it \(they are after mon"):
        diagnose_file(written(tmp_path, grown(), trace(store="a", after="sun")))


def test_every_wrong_field_of_a_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        diagnose_file(written(tmp_path, trace(k=0, seconds="long", facts=[{"text": "x", "split": "perhaps"}])))
    assert [line.partition("line 1: ")[2].split(":")[0] for line in str(caught.value).split("\n")] == [
        "facts.0.split",
        "k",
        "seconds",
    ]


def test_a_probe_may_come_once_per_system_and_k(tmp_path: Path) -> None:
    again = trace(k=1)
    assert len(diagnose_file(written(tmp_path, trace(k=1), trace(k=2), trace(k=1, system="other"))).verdicts) == 3
    for first in (again, trace(retrieved=["x"])):
        with pytest.raises(BadInput, match=r"line 2: probe 'q1' of 'system' occurs twice"):
            diagnose_file(written(tmp_path, first, again))


def test_many_problems_are_cut_short(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"… and 10 more"):
        diagnose_file(written(tmp_path, *["{"] * 30))


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes(json.dumps(trace()).encode() + b"\n\xff\xfe{}\n")
    with pytest.raises(BadInput, match=r"latin\.jsonl, line 2: not UTF-8"):
        diagnose_file(path)
    with pytest.raises(BadInput, match="can't be read"):
        diagnose_file(tmp_path / "absent.jsonl")
    with pytest.raises(BadInput, match="holds no traces"):
        diagnose_file(written(tmp_path, STORE))


def test_a_number_that_is_none_says_nothing(tmp_path: Path) -> None:
    line = trace(retrieved=[{"text": KEPT, "score": float("nan")}], seconds=float("inf"))
    found = only(tmp_path, line)
    assert (found.retrieved[0].score, found.seconds) == (None, None)


def test_a_byte_order_mark_is_welcome(tmp_path: Path) -> None:
    path = tmp_path / "bom.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(trace()).encode())
    assert len(diagnose_file(path).verdicts) == 1


@pytest.mark.parametrize(
    "text", ["\x00\x1b[2J", "<script>alert(1)</script>", "../../etc/passwd", "\u202eabc", "🙂" * 50, "' OR 1=1"]
)
def test_hostile_strings_are_only_text(tmp_path: Path, text: str) -> None:
    line = trace(probe=text, question=text, facts=[{"text": f"Nell {text}"}], all_memories=[text], retrieved=[text])
    (found,) = diagnose_file(written(tmp_path, line)).verdicts
    assert found.probe == text
    assert text in diagnose_file(written(tmp_path, line)).texts.values()


@pytest.mark.parametrize(
    "changes",
    [
        {"probe": "a \ud800 b", "question": "a \ud800 b", "gold": "a \ud800 b", "answer": "a \ud800 b"},
        {"system": "a \ud800 b", "task": "a \ud800 b", "tags": {"a \ud800 b": "a \ud800 b"}},
        {"facts": [{**RULE, "id": "a \ud800 b", "subject": "a \ud800 b", "details": ["a \ud800 b"]}]},
        {"retrieved": [{"text": "a \ud800 b", "id": "a \ud800 b"}]},
        {"conversations": [{"id": "a \ud800 b", "turns": [{"text": "a \ud800 b", "role": "a \ud800 b"}]}]},
    ],
)
def test_half_a_character_is_no_obstacle_anywhere(place: Place, cli: Cli, changes: dict[str, Any]) -> None:
    place.write("traces.jsonl", json.dumps(trace(all_memories=["🙂"], **changes)))
    cli("diagnose", "traces.jsonl", "--out", "found")
    assert len((place.path / "found" / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_a_lone_surrogate_is_replaced_or_named(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(trace(all_memories=["a \ud800 b"], retrieved=["a \ud800 b"])))
    assert [text.encode() for text in diagnose_file(path).texts.values()] == [b"a ? b"]


WORDS = st.sampled_from(
    ["", "a", "b", "c1", "c1/1", "mon", "wed", "q1", "1", "A", "2023-05-08", "abstain", "exact", KEPT]
)
KEYS = st.sampled_from("text id turns date after memories fact voided_by details settled".split())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)


@given(
    store=st.dictionaries(st.sampled_from(sorted(StoreLine.model_fields)), JSON, max_size=2),
    line=st.dictionaries(st.sampled_from(sorted(TraceLine.model_fields)), JSON, max_size=4),
)
def test_whatever_stands_in_a_file_is_diagnosed_or_refused(
    tmp_path_factory: pytest.TempPathFactory, store: dict[str, Any], line: dict[str, Any]
) -> None:
    path = written(tmp_path_factory.mktemp("any"), {**grown(), **store}, trace(**line), trace(probe="whole"))
    problems: list[str] = []
    try:
        assert "whole" in {verdict.probe for verdict in diagnose_file(path).verdicts}
    except BadInput as error:
        problems = str(error).split("\n")
    assert all(re.match(rf"{re.escape(str(path))}, line \d+: \S", problem) for problem in problems)


# ---------------------------------------------------------------------- the page that describes it


PAGE = (ROOT / "docs" / "traces.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0]


def test_the_example_of_the_docs_gives_the_verdicts_it_shows(place: Place, cli: Cli) -> None:
    place.write("traces.jsonl", EXAMPLE)
    shown = cli("diagnose", "traces.jsonl", "--by", "fact").out.splitlines()
    told = re.findall(r"--by fact\n(.*?)```", PAGE, re.DOTALL)[0].splitlines()
    printed, documented = (
        [re.split(r"\s{2,}", re.sub("─+", "─", line.strip()))[:5] for line in lines] for lines in (shown, told)
    )
    assert printed == documented
    lost = json.loads(cli("diagnose", "traces.jsonl", "--by", "probe", "--verdict", "not_stored", "--json").out)
    assert [row["probe"] for row in lost["rows"]] == ["boat"]
    home = next(v for v in diagnose_file(place.path / "traces.jsonl").verdicts if v.probe == "home")
    assert home.stale == ("home/old",)


def test_the_docs_name_every_key_of_the_format() -> None:
    for line in (TraceLine, StoreLine, FactLine, MemoryLine, SnapshotLine, ConversationLine, TurnLine, OutdatedLine):
        for key in line.model_fields:
            assert re.search(rf"[`{{\[\" ]{key}[`?,}}\" ]", PAGE), f"docs/traces.md doesn't name {key}"
    for scoring in get_args(Scoring):
        assert f"`{scoring}`" in PAGE


def converters() -> dict[str, Any]:
    """The functions that the docs give for files of others."""
    namespace: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], namespace)
    return namespace


HINDSIGHT = {
    "conversation_results": [
        {
            "sample_id": "conv-1",
            "metrics": {
                "detailed_results": [
                    {
                        "question": "Where does Nell row?",
                        "correct_answer": "to Holm",
                        "predicted_answer": "To Holm.",
                        "category": 4,
                        "is_correct": True,
                        "retrieved_memories": [
                            {"id": "m", "text": "Nell rows to Holm.", "weight": 0.3, "event_date": "2023-05-08T13:56Z"}
                        ],
                    }
                ]
            },
        }
    ]
}  # fmt: skip


def test_the_docs_turn_results_of_others_into_traces(tmp_path: Path) -> None:
    docs = converters()
    docs["write_traces"](tmp_path / "h.jsonl", docs["hindsight_traces"](HINDSIGHT, 3))
    (one,) = diagnose_file(tmp_path / "h.jsonl").verdicts
    assert (one.probe, one.system, one.k, one.right, one.answer) == ("conv-1/1", "hindsight", 3, True, "To Holm.")
    assert (one.retrieved[0].created_at, one.tags["category"]) == ("2023-05-08T13:56", "4")
    dump = [{"id": "1", "memory": KEPT, "metadata": {"timestamp": "9:55 am on 22 October, 2023"}}]
    lines = [docs["mem0_store"]("nell", dump), trace(store="nell")]
    docs["write_traces"](tmp_path / "m.jsonl", lines)
    assert [v.verdict for v in diagnose_file(tmp_path / "m.jsonl").verdicts] == ["not_retrieved"]
    grades = [
        {"question_id": str(n), "question_type": "knowledge-update", "question": "?", "ground_truth_answer": 25,
         "cutoff_results": {"top_200": {"judgment": grade}}}
        for n, grade in enumerate(["PASS", "FAIL"])
    ]  # fmt: skip
    docs["write_traces"](tmp_path / "j.jsonl", docs["judged_traces"](grades, "top_200"))
    assert [(v.verdict, v.right) for v in diagnose_file(tmp_path / "j.jsonl").verdicts] == [
        ("n/a", True),
        ("n/a", False),
    ]


def test_the_released_results_of_others_become_traces(tmp_path: Path) -> None:
    docs = converters()
    results = json.loads(shared_data("traces/hindsight_locomo.json").read_text())
    docs["write_traces"](tmp_path / "h.jsonl", docs["hindsight_traces"](results, 3))
    found = diagnose_file(tmp_path / "h.jsonl").verdicts
    assert (len(found), sum(v.right is True for v in found)) == (results["total_questions"], results["total_correct"])
    judged = json.loads(shared_data("traces/mem0_longmemeval_judged.json").read_text())
    docs["write_traces"](tmp_path / "j.jsonl", docs["judged_traces"](judged["evaluations"], "top_200"))
    assert sum(v.right is True for v in diagnose_file(tmp_path / "j.jsonl").verdicts) == 467
    stores = {file.stem: json.loads(file.read_text()) for file in shared_data("traces/mem0_locomo").iterdir()}
    lines = [docs["mem0_store"](name, dump) for name, dump in stores.items()]
    lines += [trace(store=name, probe=name, facts=[dump[0]["memory"]]) for name, dump in stores.items()]
    docs["write_traces"](tmp_path / "m.jsonl", lines)
    assert {v.verdict for v in diagnose_file(tmp_path / "m.jsonl").verdicts} == {"not_retrieved"}
