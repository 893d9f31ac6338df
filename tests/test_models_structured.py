"""JSON objects in what models write: found and repaired, or refused; never anything else, and in linear time."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.core.chat import ModelError
from memtriage.models.structured import parse, strict_form, without_thoughts

VERDICT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": ["stored", "not_stored"]},
        "witness": {"type": "array", "items": {"type": "string"}},
        "reason": {"type": "string"},
        "sure": {"type": "boolean"},
        "rank": {"type": "integer"},
    },
    "required": ["verdict", "witness", "reason"],
}
GOOD = {"verdict": "stored", "witness": ["m1", "m2"], "reason": "it says so"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        f"```json\n{json.dumps(GOOD, indent=2)}\n```",
        f"Let me see {{the set}}. Here it is: {json.dumps(GOOD)} I hope that helps!",
        '{"verdict": "stored", "witness": ["m1", "m2",], "reason": "it says so",}',
        "{'verdict': 'stored', 'witness': ['m1', 'm2'], 'reason': 'it says so'}",
        "{verdict: 'stored', witness: ['m1', 'm2'], reason: 'it says so'}",
        "{“verdict”: “stored”, “witness”: [“m1”, “m2”], “reason”: “it says so”}",
        '{"verdict": "stored", "witness": ["m1", "m2"], "reason": "it says so"',
        '{"verdict": "stored", "witness": ["m1", "m2"], "reason": "it says so", "sure": tr',
        '{"verdict": "stored", "witness": ["m1", "m2"], "reason": "it says so", "ra',
        f'<think>perhaps {{"verdict": "not_stored"}}?</think>{json.dumps(GOOD)}',
        f"thinking without an opening tag </think>\n{json.dumps(GOOD)}",
        f"First I thought {json.dumps({**GOOD, 'verdict': 'not_stored'})}, but: {json.dumps(GOOD)}",
        '{"verdict": "Stored ", "witness": ["m1", "m2"], "reason": "it says so"}',
        json.dumps({**GOOD, "extra": 1}),
        json.dumps([GOOD]),
    ],
)
def test_objects_are_found_and_repaired(text: str) -> None:
    assert parse(text, VERDICT) == GOOD


def test_line_ends_and_apostrophes_inside_strings_are_kept() -> None:
    assert parse('{"verdict": "stored", "witness": [], "reason": "one\ntwo"}', VERDICT)["reason"] == "one\ntwo"
    assert parse("{'verdict': 'stored', 'witness': [], 'reason': 'it's Ann's'}", VERDICT)["reason"] == "it's Ann's"


def test_text_about_thoughts_inside_a_good_object_is_left_alone() -> None:
    said = {**GOOD, "reason": "the memory says <think> and {braces}"}
    assert parse(json.dumps(said), VERDICT) == said


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I would say it is stored.", "no JSON object"),
        ("", "no JSON object"),
        ('{"verdict": "stored", "witness": []}', "$.reason is missing"),
        ('{"verdict": "maybe", "witness": [], "reason": ""}', "$.verdict is 'maybe'"),
        ('{"verdict": "stored", "witness": "m1", "reason": ""}', "$.witness is string, not array"),
        ('{"verdict": "stored", "witness": [1], "reason": ""}', "$.witness[0] is integer"),
        ('{"verdict": "stored", "witness": [], "reason": "", "sure": "yes"}', "$.sure is string"),
        ('{"verdict": "stored", "witness": [], "reason": "", "rank": true}', "$.rank is boolean"),
        ('{"verdict": "stored", "witness": [], "reason": "", "rank": NaN}', "no JSON object"),
        ('{"verdict": "stored", "verdict": "not_stored", "witness": [], "reason": ""}', "no JSON object"),
        ("{" * 5000, "no JSON object"),
        ('{"verdict":' + "[" * 900 + "]" * 900 + "}", "$.reason"),
    ],
)
def test_what_is_no_such_object_is_malformed(text: str, why: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse(text, VERDICT)
    assert caught.value.trouble == "malformed"
    if 'verdict":[' not in text:
        assert why in str(caught.value)


def test_a_missing_end_is_only_made_up_where_that_is_allowed() -> None:
    cut = '{"verdict": "stored", "witness": [], "reason": "because the'
    assert parse(cut, VERDICT)["reason"] == "because the"
    with pytest.raises(ModelError):
        parse(cut, VERDICT, close=False)
    assert parse(f"So: {json.dumps(GOOD)}", VERDICT, close=False) == GOOD


def test_nested_objects_are_checked_all_the_way_down() -> None:
    schema = {
        "type": "object",
        "properties": {"facts": {"type": "array", "items": VERDICT}},
        "required": ["facts"],
    }
    assert parse(json.dumps({"facts": [GOOD, GOOD]}), schema) == {"facts": [GOOD, GOOD]}
    with pytest.raises(ModelError, match=r"\$\.facts\[1\]\.reason is missing"):
        parse(json.dumps({"facts": [GOOD, {"verdict": "stored", "witness": []}]}), schema)


def test_strict_mode_is_only_claimed_where_everything_is_required() -> None:
    assert strict_form(VERDICT)[1] is False
    closed, strict = strict_form({**VERDICT, "required": list(VERDICT["properties"])})
    assert strict is True
    assert closed["additionalProperties"] is False
    assert "additionalProperties" not in VERDICT


objects = st.fixed_dictionaries(
    {
        "verdict": st.sampled_from(["stored", "not_stored"]),
        "witness": st.lists(st.text(st.characters(codec="utf-8"))),
        "reason": st.text(st.characters(codec="utf-8")),
    },
    optional={"sure": st.booleans(), "rank": st.integers(-(10**9), 10**9)},
)
prose = st.text(st.characters(codec="utf-8", exclude_characters="{}<\"'“‘"))


@given(objects, prose, prose, st.sampled_from(["{}", "```json\n{}\n```", "<think>hm {{}}</think>{}"]))
def test_any_object_survives_prose_fences_and_thoughts(said: Any, before: str, after: str, frame: str) -> None:
    framed = frame.replace("{{}}", "\0").replace("{}", json.dumps(said)).replace("\0", "{}")
    assert parse(f"{before}{framed}{after}", VERDICT) == said


@given(objects, st.integers(0, 400))
def test_any_cut_object_is_refused_or_its_values_are_beginnings(said: Any, kept: int) -> None:
    text = json.dumps(said, ensure_ascii=False)[:kept]
    try:
        made = parse(text, VERDICT)
    except ModelError:
        return
    assert made["verdict"] == said["verdict"]
    assert len(made["witness"]) <= len(said["witness"])


@given(st.text() | st.text(alphabet="{}[]\"',:\\ \nabtrue<think>/u0"))
def test_any_text_gives_a_fitting_object_or_malformed(text: str) -> None:
    try:
        made = parse(text, {"type": "object"})
    except ModelError:
        return
    assert isinstance(made, dict)
    json.dumps(made, ensure_ascii=False).encode()


@pytest.mark.parametrize("piece", ["{", "{'a", '{"a":', "<think>", "</think>", "[{", '{"a": "b" ', "{'a' ' ", "\\"])
def test_work_grows_with_length_and_not_faster(piece: str) -> None:
    def steps(length: int) -> int:
        """How many functions are called while a text is read."""
        text = "{" + piece * (length // len(piece))
        called = 0

        def count(*_: object) -> None:
            nonlocal called
            called += 1

        sys.setprofile(count)
        try:
            with pytest.raises(ModelError):
                parse(text, VERDICT)
        finally:
            sys.setprofile(None)
        return called

    assert steps(50_000) < 11 * steps(5_000)


def test_thoughts_without_an_end_leave_nothing() -> None:
    assert without_thoughts("<think>I was cut off") == ""
    assert without_thoughts("a<THINK>b</think>c<thinking>d</thinking>e") == "ace"
