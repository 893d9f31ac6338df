"""Traces that another harness recorded: the documented format, and what is said where a file breaks it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memtriage.core.errors import BadInput
from memtriage.diagnose.imported_traces import diagnose_file

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
        (STORE, "store 'a' is defined twice"),
    ],
)
def test_a_broken_line_is_named_with_its_file_and_number(tmp_path: Path, line: Any, said: str) -> None:
    path = written(tmp_path, STORE, line, trace(probe="ok"))
    with pytest.raises(BadInput) as caught:
        diagnose_file(path)
    assert f"{path}, line 2: " in str(caught.value)
    assert said in str(caught.value)


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


def test_a_lone_surrogate_is_replaced_or_named(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(trace(all_memories=["a \ud800 b"], retrieved=["a \ud800 b"])))
    assert [text.encode() for text in diagnose_file(path).texts.values()] == [b"a ? b"]
