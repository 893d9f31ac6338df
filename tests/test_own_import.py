"""Suite files from LongMemEval, LoCoMo and logs: what comes along, what is left out, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Cli, Place, shared_data
from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request
from memtriage.suites.own.documents import parse
from memtriage.suites.own.importing import import_file
from memtriage.suites.own.redacting import Redactor
from memtriage.suites.own.suite import own_suite, validate_own
from memtriage.suites.own.writing import written

LOCOMO: dict[str, Any] = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ada",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "Hi Bo! I adopted a greyhound named Comet last week."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Lovely!", "blip_caption": "a man with a kite"},
        ],
        "session_2_date_time": "10:04 am on 2 June, 2023",
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "I start as a baker in Turin on Monday."}],
        "session_3_date_time": "3:00 pm on 9 June, 2023",
        "session_3": [],
    },
    "qa": [
        {"question": "What is the name of Ada's dog?", "answer": "Comet", "evidence": ["D1:1"], "category": 4},
        {"question": "Who works where?", "answer": "Bo in Turin", "evidence": ["D2:1; D1:1"], "category": 1},
        {"question": "What is Bo's cat called?", "adversarial_answer": "Comet", "evidence": ["D1:1"], "category": 5},
        {"question": "When did it happen?", "answer": 2022, "evidence": ["D9:9"], "category": 2},
    ],
}
SHAREGPT = [
    {
        "id": "b",
        "conversations": [{"from": "human", "value": "Two."}, {"from": "gpt", "value": "Yes."}],
        "date": "2026-02-02",
    },
    {
        "id": "a",
        "conversations": [{"from": "system", "value": "Be kind."}, {"from": "human", "value": "One."}],
        "date": "2026-01-01",
    },
]
OPENAI = [
    {
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {
                "role": "user",
                "content": [{"type": "text", "text": "My code is 42."}, {"type": "image_url", "image_url": {}}],
            },
            {"role": "assistant", "content": None, "tool_calls": [{}]},
        ],
        "user": "nora",
        "created": 1767225600,
    },
    {"custom_id": "x", "body": {"messages": [{"role": "user", "content": "Hello."}]}, "user": "otto"},
]
CHATGPT = [
    {
        "title": "t",
        "create_time": 1767225600.5,
        "current_node": "c",
        "mapping": {
            "a": {"message": None, "parent": None},
            "b": {"message": {"author": {"role": "user"}, "content": {"parts": ["I live in Oslo."]}}, "parent": "a"},
            "c": {"message": {"author": {"role": "assistant"}, "content": {"parts": ["Nice."]}}, "parent": "b"},
            "z": {
                "message": {"author": {"role": "user"}, "content": {"parts": ["A branch left behind."]}},
                "parent": "a",
            },
        },
    }
]
LANGCHAIN = [
    [{"type": "human", "data": {"content": "One."}}, {"type": "ai", "data": {"content": "Two."}}],
    {"messages": [{"type": "human", "content": "Three."}], "thread_id": "t3"},
    [{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"], "kwargs": {"content": "Four."}}],
]


def stores(path: Path, values: Any, source: str) -> list[dict[str, Any]]:
    path.write_text(json.dumps(values))
    return list(import_file(path, source).values["stores"])


def episodes(path: Path) -> list[Episode]:
    (task, *_) = own_suite(path).tasks
    return list(task.load(Request()).episodes)


def test_locomo_brings_questions_and_the_sentences_that_matter(cli: Cli, place: Place) -> None:
    place.write("locomo.json", json.dumps([LOCOMO]))
    ended = cli("data", "import", "locomo.json", "--from", "locomo", "--out", "my.yaml")
    assert "1 store, 2 sessions, 4 questions" in ended.out
    assert "question 4: its evidence 'D9:9' is in no turn" in ended.err
    (episode,) = episodes(place.path / "my.yaml")
    assert [session.timestamp for session in episode.sessions] == ["2023-05-08T13:56", "2023-06-02T10:04"]
    assert [(turn.role, turn.text) for turn in episode.sessions[0].turns] == [
        ("user", "Ada: Hi Bo! I adopted a greyhound named Comet last week."),
        ("assistant", "Bo: Lovely! [photo: a man with a kite]"),
    ]
    probes = {probe.id: probe for probe in episode.probes}
    facts = {fact.id: fact for fact in episode.facts}
    assert [probe.task for probe in probes.values()] == [
        f"my-locomo/{task}" for task in ("single-hop", "multi-hop", "adversarial", "temporal")
    ]
    (dog,) = probes["q1"].needed
    assert facts[dog].evidence == ("I adopted a greyhound named Comet last week.",)
    assert "Comet" in " ".join(facts[dog].details)
    assert {turn for id in probes["q2"].needed for turn in facts[id].turns} == {"session_1/1", "session_2/1"}
    assert (probes["q3"].scoring, probes["q3"].needed) == ("abstain", ())
    assert (probes["q4"].gold, probes["q4"].needed) == ("2022", ())


def test_a_memory_that_swaps_the_answer_is_not_correct(cli: Cli, place: Place) -> None:
    place.write(
        "swapping.py",
        "class Memory:\n"
        "    def __init__(self):\n        self.kept = []\n"
        "    def store_conversation(self, told):\n"
        "        self.kept += [turn.text.replace('Comet', 'Rex') for turn in told.turns]\n"
        "    def retrieve_memories(self, query, told, k):\n        return self.kept[:k]\n"
        "    def get_all_memories(self):\n        return self.kept\n",
    )
    place.write("talk.json", json.dumps([{**LOCOMO, "qa": LOCOMO["qa"][:1]}]))
    cli("data", "import", "talk.json", "--from", "locomo", "--out", "my.yaml")
    cli("run", "--suite", "my.yaml", "--system", "swapping.py:Memory", "--k", "5", "--out", "r", "-q", "--no-report")
    (row,) = json.loads(cli("show", "r", "--json").out)["rows"]
    assert row["success"] == 0.0


def test_longmemeval_comes_out_as_its_own_suite_has_it(tmp_path: Path) -> None:
    from memtriage.suites.longmemeval.suite import SUITE

    file = shared_data("longmemeval/longmemeval_s_sample.json")
    (theirs, *_) = SUITE.select("s")
    wanted = list(theirs.load(Request(rows=2, data=file)).episodes)
    (tmp_path / "my.jsonl").write_bytes(written(tmp_path / "my.jsonl", import_file(file, "longmemeval", 2).values))
    found = episodes(tmp_path / "my.jsonl")
    assert [e.probes[0].text for e in found] == [e.probes[0].text for e in wanted]
    assert [[f.evidence for f in e.facts] for e in found] == [[f.evidence for f in e.facts] for e in wanted]
    assert [[f.details for f in e.facts] for e in found] == [[f.details for f in e.facts] for e in wanted]
    assert [[(t.role, t.text) for s in e.sessions for t in s.turns] for e in found] == [
        [(t.role, t.text.strip()) for s in e.sessions for t in s.turns] for e in wanted
    ]


def test_a_redacted_import_is_redacted_in_facts_and_questions_too_and_still_fits(cli: Cli, place: Place) -> None:
    talk = {
        "speaker_a": "Ada",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "Nora's mail is nora@x.org. Her phone is +47 22 33 44 55."},
        ],
    }
    asked = [
        {"question": "What is Nora's mail?", "answer": "nora@x.org", "evidence": ["D1:1"], "category": 4},
        {"question": "Whose is 22 33 44 55?", "answer": "the phone of Nora", "evidence": ["D1:1"], "category": 4},
    ]
    row = {"sample_id": "nora@x.org", "conversation": talk, "qa": asked}
    place.write("talk.json", json.dumps([row]))
    ended = cli(
        "data", "import", "talk.json", "--from", "locomo", "--out", "my.yaml", "--redact", "--redact-word", "Nora"
    )
    assert "redacted: 1 email, 1 name, 1 phone." in ended.err
    text = (place.path / "my.yaml").read_text()
    assert "nora" not in text.lower()
    assert "22 33" not in text
    assert not [problem for problem in validate_own(place.path / "my.yaml").problems if problem.is_error]
    (episode,) = episodes(place.path / "my.yaml")
    assert [turn.text for turn in episode.sessions[0].turns] == [
        "Ada: [name 1]'s mail is [email 1]. Her phone is [phone 1]."
    ]
    assert [probe.gold for probe in episode.probes] == ["[email 1]", "the phone of [name 1]"]


def test_a_redacted_longmemeval_keeps_what_replaces_what(tmp_path: Path) -> None:
    store = {
        "id": "me@x.org",
        "sessions": [
            {"id": "a@x.org", "date": "2026-01-01", "turns": [{"user": "My mail is a@x.org."}]},
            {"id": "b@x.org", "date": "2026-01-02", "turns": [{"user": "My mail is b@x.org now."}]},
        ],
        "facts": [
            {"id": "a@x.org_1", "evidence": ["My mail is a@x.org."], "details": ["a@x.org"], "session": "a@x.org"},
            {
                **{"id": "b@x.org_1", "evidence": ["My mail is b@x.org now."], "details": ["b@x.org", "b"]},
                **{"session": "b@x.org", "replaces": ["a@x.org_1"]},
            },
        ],
        "questions": [{"id": "q@x.org", "question": "My mail?", "gold": "b@x.org", "facts": ["b@x.org_1"]}],
    }
    (redacted,) = Redactor().stores([store])
    assert "x.org" not in json.dumps(redacted)
    assert redacted["facts"][1] == {
        "id": "f2",
        "evidence": ["My mail is [email 2] now."],
        "details": ["[email 2]"],
        "session": "s2",
        "replaces": ["f1"],
    }
    assert redacted["questions"] == [{"id": "q1", "question": "My mail?", "gold": "[email 2]", "facts": ["f2"]}]


@pytest.mark.parametrize("name", ["empty.json", "empty.jsonl"])
@pytest.mark.parametrize("source", ["locomo", "sharegpt", "openai", "langchain", "longmemeval"])
def test_an_empty_file_is_called_empty(tmp_path: Path, source: str, name: str) -> None:
    (tmp_path / name).write_text(" \n")
    with pytest.raises(BadInput, match=f"{name} is empty; give "):
        import_file(tmp_path / name, source)


def test_sharegpt_is_one_store_in_order_of_time(tmp_path: Path) -> None:
    (store,) = stores(tmp_path / "s.json", SHAREGPT, "sharegpt")
    assert store["sessions"] == [
        {"id": "a", "date": "2026-01-01T00:00", "turns": [{"system": "Be kind."}, {"user": "One."}]},
        {"id": "b", "date": "2026-02-02T00:00", "turns": [{"user": "Two."}, {"assistant": "Yes."}]},
    ]


def test_openai_logs_are_a_store_for_each_user(tmp_path: Path) -> None:
    nora, otto = stores(tmp_path / "o.json", OPENAI, "openai")
    assert nora == {
        "id": "nora",
        "sessions": [
            {"id": "s1", "date": "2026-01-01T00:00", "turns": [{"system": "Be brief."}, {"user": "My code is 42."}]}
        ],
    }
    assert otto["sessions"][0]["turns"] == [{"user": "Hello."}]
    (tmp_path / "o.jsonl").write_text("\n".join(map(json.dumps, OPENAI)))
    assert import_file(tmp_path / "o.jsonl", "openai").values["stores"] == [nora, otto]
    assert import_file(tmp_path / "o.jsonl", "openai", rows=1).values["stores"] == [nora]


def test_chatgpt_exports_follow_the_branch_that_was_kept(tmp_path: Path) -> None:
    (store,) = stores(tmp_path / "conversations.json", CHATGPT, "openai")
    assert store["sessions"] == [
        {"id": "s1", "date": "2026-01-01T00:00", "turns": [{"user": "I live in Oslo."}, {"assistant": "Nice."}]}
    ]


def test_langchain_messages_in_all_their_forms(tmp_path: Path) -> None:
    (store,) = stores(tmp_path / "l.json", LANGCHAIN, "langchain")
    assert [(s["id"], s["turns"]) for s in store["sessions"]] == [
        ("s1", [{"user": "One."}, {"assistant": "Two."}]),
        ("t3", [{"user": "Three."}]),
        ("s3", [{"user": "Four."}]),
    ]
    (alone,) = stores(tmp_path / "one.json", LANGCHAIN[0], "langchain")
    assert len(alone["sessions"]) == 1
    (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, LANGCHAIN[0])))  # type: ignore[arg-type]
    assert import_file(tmp_path / "lines.jsonl", "langchain").values["stores"] == [alone]


def test_imported_logs_wait_for_questions(cli: Cli, place: Place) -> None:
    place.write("s.json", json.dumps(SHAREGPT))
    assert "add questions" in cli("data", "import", "s.json", "--from", "sharegpt", "--out", "my.yaml").out
    assert "it has no questions yet" in cli("data", "validate", "my.yaml").out
    assert "has no questions yet" in cli("run", "--suite", "my.yaml", code=1).err
    assert "exists already" in cli("data", "import", "s.json", "--from", "sharegpt", "--out", "my.yaml", code=1).err


@pytest.mark.parametrize(
    ("name", "content", "source", "said"),
    [
        ("a.json", "{", "openai", "a.json is not JSON"),
        ("a.jsonl", '{"messages": []}\n{', "openai", "line 2: not JSON"),
        ("a.json", "[]", "sharegpt", "nothing to import as sharegpt"),
        ("a.json", '[{"text": "x"}]', "sharegpt", "conversation 1: no list of messages (conversations"),
        ("a.json", json.dumps(SHAREGPT), "openai", "try --from sharegpt or langchain"),
        ("a.json", '{"messages": [{"content": "x"}]}', "openai", "message 1: it doesn't say whose it is"),
        ("a.json", '{"messages": [7]}', "langchain", "message 1: it doesn't say whose it is"),
        ("a.json", '{"messages": []}', "langchain", "nothing to import"),
        ("a.json", "[1]", "locomo", "sample 1: it has no conversation"),
        ("a.json", '[{"conversation": {"session_1": [3]}}]', "locomo", "session_1, turn 1: it is no object"),
        ("a.json", '[{"conversation": {}}]', "locomo", "has no session_1"),
        ("a.json", "<html>", "longmemeval", "is no JSON list of questions"),
        ("a.json", "[1]", "longmemeval", "nothing to import as longmemeval"),
        ("a.json", "[]", "longmemevil", "unknown source 'longmemevil'; did you mean 'longmemeval'"),
    ],
)
def test_what_cant_be_imported_gets_a_sentence(tmp_path: Path, name: str, content: str, source: str, said: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadInput) as raised:
        import_file(tmp_path / name, source)
    assert said in str(raised.value)


TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(str.strip) | st.sampled_from(
    ["null", "~", "- x", "*a", "&a b", "a: b", "#", "yes", "\x1b[2J", "a\x85b", "\u2028x", "'\"", "!!x", "---", "0x1"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from([".yaml", ".json", ".jsonl"]))
def test_any_text_is_written_and_read_back(texts: list[str], ending: str) -> None:
    path = Path(f"my{ending}")
    values = {"memtriage": 1, "name": "a", "stores": [{"sessions": [{"turns": [{"user": text} for text in texts]}]}]}
    found = parse(path, written(path, values)).values
    assert found["stores"] == values["stores"]


def test_an_import_of_made_up_ids_stays_in_its_place(tmp_path: Path) -> None:
    rows = [{**SHAREGPT[0], "id": "../../up"}, {**SHAREGPT[1], "id": "../../up"}, {**SHAREGPT[1], "id": "\x1b[2J"}]
    values = stores(tmp_path / "s.json", rows, "sharegpt")
    assert [session["id"] for session in values[0]["sessions"]] == ["../../up", "s2", "s3"]
    (tmp_path / "my.yaml").write_bytes(written(tmp_path / "my.yaml", {"stores": values}))
    assert not any(problem.is_error for problem in validate_own(tmp_path / "my.yaml").problems)


def test_an_import_takes_no_name_of_an_installed_suite(tmp_path: Path) -> None:
    path = tmp_path / "longmemeval.json"
    messages = [{"role": "user", "content": "I keep bees."}, {"role": "assistant", "content": "How nice."}]
    path.write_text(json.dumps({"messages": messages}))
    assert import_file(path, "openai").values["name"] == "my-longmemeval"
