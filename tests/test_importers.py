"""Files of other tools: telemetry, and results of memory benchmarks, as they are and with gold beside them."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import ROOT, Cli, Place
from memtriage.core.errors import BadInput
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose.imported_traces import ImportedTraces, converted, diagnose_file
from memtriage.diagnose.importers.formats import FORMATS, Import, read_import, recognize
from memtriage.diagnose.trace_format import grouped
from memtriage.models.scripted import StubServer, content

HERE = Path(__file__).parent / "imports"
FILES = {
    "otel.jsonl": "otel",
    "langsmith.jsonl": "langsmith",
    "langfuse.json": "langfuse",
    "langfuse_observations.jsonl": "langfuse",
    "mem0_results.json": "mem0",
    "memorybench_report.json": "memorybench",
    "memorybench_checkpoint.json": "memorybench",
    "longmemeval_retrievallog_turn_flat-bm25": "longmemeval",
}


def diagnosed(path: Path, source: str, **how: Any) -> tuple[ImportedTraces, list[str]]:
    beside = {key: HERE / how.pop(key) for key in ("gold", "answers") if key in how}
    found = read_import(path, Import(source, **beside, **how))
    stores = converted(grouped(path, found.lines))
    return diagnose_file(path, lambda _: stores), found.notes


def verdicts(name: str, **how: Any) -> dict[str, ProbeVerdict]:
    return {v.probe: v for v in diagnosed(HERE / name, FILES[name], **how)[0].verdicts}


def changed(tmp_path: Path, name: str, change: Any) -> Path:
    """An example file with its values changed."""
    text = (HERE / name).read_text()
    whole = json.loads(text) if text.count("\n") != len(text.splitlines()) or name.endswith(".json") else None
    values = whole if whole is not None else [json.loads(line) for line in text.splitlines()]
    values = change(values) or values
    path = tmp_path / name
    path.write_text(json.dumps(values) if whole is not None else "\n".join(map(json.dumps, values)))
    return path


@pytest.mark.parametrize(("name", "source"), FILES.items())
def test_a_file_is_known_by_its_content(name: str, source: str, tmp_path: Path) -> None:
    shutil.copy(HERE / name, tmp_path / "export")  # its name tells nothing
    assert recognize(tmp_path / "export") == source


@pytest.mark.parametrize("text", ['{"probe": "1"}', "{", "", "[]", "3", '{"a": []}', '{"data": []}', "\x00"])
def test_what_is_nobody_s_format_is_read_as_our_own(tmp_path: Path, text: str) -> None:
    (tmp_path / "f").write_text(text)
    assert recognize(tmp_path / "f") == "traces"


# ---------------------------------------------------------------------- OpenTelemetry


def test_opentelemetry_tells_what_was_stored_when_it_was_searched(cli: Cli) -> None:
    """The second memory was deleted between the two questions; the first never came back."""
    shown = cli("diagnose", str(HERE / "otel.jsonl"), "--gold", str(HERE / "gold.jsonl"), "--by", "fact", "--json")
    rows = json.loads(shown.out)["rows"]
    assert [(row["probe"][:2], row["system"], row["k"], row["verdict"]) for row in rows] == [
        ("02", "harbour-bot", 1, "not_retrieved"),
        ("04", "harbour-bot", 1, "not_stored"),
    ]
    assert rows[1]["why"] == "it was there after session 2026-03-02 09:01:00 #1 and gone after 2026-03-02 09:03:00 #2"
    assert "read as otel" in shown.err
    by_id = verdicts("otel.jsonl", gold="gold.jsonl")
    assert [(v.answer, v.right, v.seconds) for v in by_id.values()] == [
        ("I can't say.", None, 0.25),
        ("Red.", False, 0.25),
    ]


def test_a_store_whose_beginning_nobody_saw_is_unknown(tmp_path: Path) -> None:
    def drop(values: list[Any]) -> None:
        del values[0]["resourceSpans"][0]["scopeSpans"][0]["spans"][0]

    found, notes = diagnosed(changed(tmp_path, "otel.jsonl", drop), "otel", gold="gold.jsonl")
    assert [v.verdict for v in found.verdicts] == ["not_retrieved", "not_retrieved"]
    assert all(v.facts[0].stages["storage"] == "n/a" for v in found.verdicts)
    assert "store 'nell' was written to, but nothing shows its beginning" in notes[0]
    assert "2 of 2 questions come without the store" in notes[-1]


def test_memories_that_came_back_by_id_are_looked_up_in_the_store(tmp_path: Path) -> None:
    def ids(values: list[Any]) -> None:
        for line in values:
            for span in line["resourceSpans"][0]["scopeSpans"][0]["spans"]:
                for attribute in span["attributes"]:
                    if attribute["key"] == "gen_ai.memory.records" and span["name"].startswith("search"):
                        attribute["value"] = {"stringValue": json.dumps([{"id": "m1", "score": 0.5}])}

    found, _ = diagnosed(changed(tmp_path, "otel.jsonl", ids), "otel", gold="gold.jsonl")
    assert [v.verdict for v in found.verdicts] == ["correct", "not_stored"]

    def nowhere(values: list[Any]) -> None:
        ids(values)
        del values[0]["resourceSpans"][0]["scopeSpans"][0]["spans"][:]

    with pytest.raises(BadInput, match=r"memory 'm1' came back without its text; record contents too, or give a store"):
        diagnosed(changed(tmp_path, "otel.jsonl", nowhere), "otel", gold="gold.jsonl")


def otlp(*spans: dict[str, Any]) -> str:
    def attributes(pairs: dict[str, str]) -> list[dict[str, Any]]:
        return [{"key": key, "value": {"stringValue": value}} for key, value in pairs.items()]

    base = {"traceId": "t", "startTimeUnixNano": "1772442000000000000"}
    shown = [{**base, **span, "attributes": attributes(span["attributes"])} for span in spans]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": shown}]}]})


def test_openinference_and_openllmetry_attributes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text(
        otlp(
            {"spanId": "a", "name": "q", "attributes": {
                "openinference.span.kind": "CHAIN", "input.value": "Will she?",
            }},
            {"spanId": "b", "parentSpanId": "a", "name": "r", "attributes": {
                "openinference.span.kind": "RETRIEVER",
                "retrieval.documents.1.document.content": "Nell has a dog.",
                "retrieval.documents.0.document.content": "Nell rows only below 3 knots.",
                "retrieval.documents.0.document.id": "m1",
            }},
            {"spanId": "c", "parentSpanId": "a", "name": "c", "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "She will.",
            }},
        )
    )  # fmt: skip
    assert recognize(path) == "otel"
    (line,) = read_import(path, Import("otel")).questions
    assert line["retrieved"] == [{"text": "Nell rows only below 3 knots.", "id": "m1"}, {"text": "Nell has a dog."}]
    assert (line["question"], line["answer"], line["k"]) == ("Will she?", "She will.", 2)


# ---------------------------------------------------------------------- LangSmith and Langfuse


def test_langsmith_runs_become_questions(cli: Cli) -> None:
    found = verdicts("langsmith.jsonl", gold="gold.jsonl", searches=("recall",))
    assert [(v.probe, v.system, v.k, v.verdict) for v in found.values()] == [
        ("r1", "harbour", 2, "correct"),
        ("s1", "harbour", 2, "uncertain"),
    ]
    assert found["r1"].retrieved[0].created_at == "2026-03-01T10:00"
    assert (found["s1"].answer, found["s1"].right) == ("It is grey.", False)
    without = verdicts("langsmith.jsonl", gold="gold.jsonl")  # the tool doesn't count unless it is named
    assert without["s1"].verdict == "not_retrieved"
    assert without["s1"].retrieved == ()


def test_runs_may_stand_inside_their_parents(tmp_path: Path) -> None:
    def nest(values: list[Any]) -> list[Any]:
        root, retriever, model = values[:3]
        for child in (retriever, model):
            del child["parent_run_id"], child["trace_id"]
        root["child_runs"] = [retriever, model]
        return [{"runs": [root]}]

    (line,) = read_import(changed(tmp_path, "langsmith.jsonl", nest), Import("langsmith")).questions
    assert (line["probe"], len(line["retrieved"]), line["answer"]) == ("r1", 2, "Yes, she will.")


def test_langfuse_traces_and_observations_tell_the_same() -> None:
    pages, rows = (
        verdicts("langfuse.json", gold="gold.jsonl"),
        verdicts("langfuse_observations.jsonl", gold="gold.jsonl"),
    )
    assert (pages["t1"].verdict, pages["t1"].seconds, pages["t1"].system) == ("correct", 1.5, "harbour")
    assert (rows["t1"].verdict, rows["t1"].seconds, rows["t1"].system) == ("correct", 1.5, "harbour")
    assert (pages["t2"].verdict, pages["t2"].error) == ("error", "index is away")


def test_telemetry_without_a_search_names_its_tools(tmp_path: Path) -> None:
    path = changed(tmp_path, "langsmith.jsonl", lambda values: values[3:])
    with pytest.raises(BadInput, match=r"name the tool that does with --searches \(recall\)"):
        read_import(path, Import("langsmith"))
    with pytest.raises(BadInput, match="no step is called 'recal'; its steps are agent, recall"):
        read_import(path, Import("langsmith", searches=("recal",)))
    (line,) = read_import(path, Import("langsmith", searches=("recall",))).questions
    assert line["retrieved"] == [{"text": "Nell's boat is grey."}]


def test_without_gold_no_stage_is_named_and_a_template_is_written(cli: Cli, place: Place) -> None:
    shown = cli("diagnose", str(HERE / "langsmith.jsonl"), "--by", "probe", "--json")
    assert [row["verdict"] for row in json.loads(shown.out)["rows"]] == ["n/a", "n/a"]
    assert "2 of 2 questions come without what they need, or without what came back, so no stage" in shown.err
    cli("diagnose", str(HERE / "langsmith.jsonl"), "--gold-template", "gold.jsonl")
    lines = [json.loads(line) for line in (place.path / "gold.jsonl").read_text().splitlines()]
    assert lines[0] == {"probe": "r1", "question": "Will Nell row at 2 knots?", "gold": "", "facts": []}
    lines[0]["facts"] = ["Nell rows only below 3 knots."]
    place.write("gold.jsonl", json.dumps(lines[0]))
    again = cli("diagnose", str(HERE / "langsmith.jsonl"), "--gold", "gold.jsonl", "--by", "probe", "--json")
    assert [row["verdict"] for row in json.loads(again.out)["rows"]] == ["correct", "n/a"]
    assert "1 of 2 questions have no line in gold.jsonl" in again.err
    assert (
        "exists already" in cli("diagnose", str(HERE / "langsmith.jsonl"), "--gold-template", "gold.jsonl", code=1).err
    )


def test_telemetry_of_searches_alone_says_what_is_missing_and_gets_a_template(cli: Cli, place: Place) -> None:
    texts = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": "Which colour is Nora's boat?",
        "gen_ai.retrieval.documents": json.dumps([{"id": "m1", "content": "Nora's boat is red."}]),
    }
    attributes = [{"key": key, "value": {"stringValue": text}} for key, text in texts.items()]
    span = {"traceId": "t1", "spanId": "s1", "name": "retrieval", "attributes": attributes}
    times = {"startTimeUnixNano": "1", "endTimeUnixNano": "2"}
    place.write("otel.json", json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [{**span, **times}]}]}]}))
    said = cli("diagnose", "otel.json", code=1).err
    assert "otel.json: nobody says what right answers need, and no question has an answer" in said
    assert "--gold-template gold.jsonl" in said
    cli("diagnose", "otel.json", "--gold-template", "gold.jsonl")
    line = json.loads((place.path / "gold.jsonl").read_text())
    assert line == {"probe": "t1", "question": "Which colour is Nora's boat?", "gold": "", "facts": []}
    place.write("gold.jsonl", json.dumps({**line, "facts": ["Nora's boat is red."]}))
    rows = json.loads(cli("diagnose", "otel.json", "--gold", "gold.jsonl", "--by", "probe", "--json").out)["rows"]
    assert [row["verdict"] for row in rows] == ["correct"]


def test_gold_may_bring_the_store(cli: Cli, place: Place) -> None:
    store = {"store": "all", "memories": ["Nell rows only below 3 knots.", "Nell has a dog."]}
    line = {"probe": "s1", "store": "all", "facts": [{"text": "Odd's cat is black.", "subject": "Odd"}]}
    place.write("gold.jsonl", "\n".join(map(json.dumps, (store, line))))
    how = ("diagnose", str(HERE / "langsmith.jsonl"), "--searches", "recall", "--gold", "gold.jsonl")
    rows = json.loads(cli(*how, "--by", "fact", "--json").out)["rows"]
    assert [(row["probe"], row["verdict"]) for row in rows] == [("s1", "not_stored")]


def test_a_judge_grades_what_has_gold_and_leaves_out_the_rest(cli: Cli, place: Place) -> None:
    gold = {"probe": "s1", "gold": "grey", "facts": [{"text": "Nell's boat is grey.", "details": ["grey"]}]}
    place.write("gold.jsonl", json.dumps(gold))
    with StubServer(content) as server:
        how = ("--searches", "recall", "--gold", "gold.jsonl", "--judge", f"{server.url}#m", "--no-cache")
        shown = cli("diagnose", str(HERE / "langsmith.jsonl"), *how, "--by", "probe", "--json")
    assert [(row["probe"], row["right"]) for row in json.loads(shown.out)["rows"]] == [("s1", True)]
    assert "1 answers can't be graded, as no gold answer is known for them" in shown.err
    assert "1 question has no answer, nor gold to judge by, and was left out" in shown.err


# ---------------------------------------------------------------------- results of benchmarks


def test_mem0_s_results_have_both_speakers_and_stand_in_facts() -> None:
    found, notes = diagnosed(HERE / "mem0_results.json", "mem0")
    assert [(v.probe, v.task, v.k, v.verdict, v.seconds) for v in found.verdicts] == [
        ("0/1", "locomo/temporal", 2, "correct", 0.75),
        ("0/2", "locomo/single-hop", 2, "not_retrieved", 0.75),
        ("0/3", "locomo/adversarial", 2, "n/a", 0.75),
    ]
    texts = [[found.texts[one.key] for one in v.retrieved] for v in found.verdicts]
    assert texts == [["Nell bought a boat on 7 May 2023.", "Odd met Nell."], ["Odd likes wind."], ["odd builds kites"]]
    assert "2 of 3 questions have no facts but a gold answer" in notes[0]


@pytest.mark.parametrize("beside", [{}, {"gold": "locomo.json"}])
def test_scores_without_memories_are_only_grades(beside: dict[str, str]) -> None:
    """What came back is not in the file: nothing may be called missing."""
    found, notes = diagnosed(HERE / "mem0_scores.json", "mem0", **beside)
    assert [(v.verdict, v.right, v.facts) for v in found.verdicts] == [("n/a", True, ()), ("n/a", False, ())]
    assert "2 of 2 questions come without what they need, or without what came back" in notes[0]


def test_locomo_s_data_gives_mem0_s_questions_their_facts() -> None:
    """What Nell did "yesterday" is a date because the gold knows the day of the session."""
    found, notes = diagnosed(HERE / "mem0_results.json", "mem0", gold="locomo.json", answers="mem0_scores.json")
    facts = {v.probe: [fact.text for fact in v.facts] for v in found.verdicts}
    assert facts == {"0/1": ["Nell: I bought a boat yesterday!"], "0/2": ["I build kites in the evening."], "0/3": []}
    assert [(v.verdict, v.right) for v in found.verdicts] == [
        ("correct", True),
        ("not_retrieved", False),
        ("n/a", None),
    ]
    assert not any("gold answer" in note for note in notes)


@pytest.mark.parametrize("name", ["memorybench_report.json", "memorybench_checkpoint.json"])
def test_memorybench_keeps_its_grades(name: str) -> None:
    found = verdicts(name, gold="locomo.json")
    one = found["talk-1-q1"]
    assert (one.system, one.task, one.answer, one.right, one.seconds) == (
        "supermemory", "locomo/single-hop", "Kites.", True, 0.25,
    )  # fmt: skip
    other = found["talk-1-q0"]
    assert (other.right, other.verdict) == ((False, "uncertain") if "report" in name else (None, "error"))
    assert "talk-1-q2" not in found  # it was not searched for yet


def test_memorybench_s_results_are_what_the_model_was_shown() -> None:
    lines = read_import(HERE / "memorybench_report.json", Import("memorybench")).questions
    assert [one["text"] for line in lines for one in line["retrieved"]] == [
        "Odd builds things\nOdd: I build kites in the evening.",
        "Odd owns a hammer",
        "Nell: rows below 3 knots",
    ]


def test_longmemeval_s_log_holds_the_whole_store() -> None:
    name = "longmemeval_retrievallog_turn_flat-bm25"
    found, _ = diagnosed(HERE / name, "longmemeval", ks=(1, 2))
    assert [(v.probe, v.k, v.system, v.verdict) for v in found.verdicts] == [
        ("q1", 1, "turn_flat-bm25", "not_retrieved"),
        ("q1", 2, "turn_flat-bm25", "correct"),
        ("q2", 1, "turn_flat-bm25", "correct"),
        ("q2", 2, "turn_flat-bm25", "correct"),
    ]
    assert {v.k for v in diagnosed(HERE / name, "longmemeval")[0].verdicts} == {5, 10}  # as the harness prints them
    answered = verdicts(name, ks=(1,), answers="longmemeval_hypotheses.jsonl")
    assert [(v.verdict, v.right) for v in answered.values()] == [("not_retrieved", False), ("reasoning_error", False)]
    assert {v.task for v in answered.values()} == {"longmemeval/single-session-user"}
    with pytest.raises(BadInput, match=r"name it with --k \(topk_context"):
        verdicts(name, answers="longmemeval_hypotheses.jsonl")


def test_an_assistant_s_words_are_never_stored_by_an_index_of_the_user_s(tmp_path: Path) -> None:
    def ask(values: list[Any]) -> list[Any]:
        (said, reply), *_ = values[0]["haystack_sessions"]
        said["has_answer"], reply["has_answer"] = False, True
        reply["content"] = "A Cadet needs a mast of 5.2 metres."
        return [{**values[0], "question_type": "single-session-assistant", "answer": "5.2 metres"}]

    path = changed(tmp_path, "longmemeval_retrievallog_turn_flat-bm25", ask)
    (found,) = diagnosed(path, "longmemeval", ks=(3,))[0].verdicts
    assert (found.verdict, found.facts[0].lost) == ("not_stored", "never")


# ---------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["otel.jsonl", "--from", "otle"], "unknown format 'otle'; did you mean 'otel'?"),
        (["otel.jsonl", "--from", "langsmith"], "line 1: it has no id or no run_type; export whole runs of LangSmith"),
        (["langsmith.jsonl", "--from", "otel"], "line 1: no OTLP export (an object with resourceSpans)"),
        (["langsmith.jsonl", "--from", "mem0"], "no results of Mem0's evaluation"),
        (["langsmith.jsonl", "--from", "memorybench"], "no report.json or checkpoint.json of MemoryBench"),
        (["langsmith.jsonl", "--from", "longmemeval"], "line 1: no retrieval log of LongMemEval"),
        (["gold.jsonl", "--from", "langfuse"], "line 1: it has no id or no traceId"),
        (["langsmith.jsonl", "--gold", "absent.jsonl"], "absent.jsonl can't be read: No such file"),
        (["langsmith.jsonl", "--gold", "mem0_results.json"], "unknown key '0'"),
        (["langsmith.jsonl", "--gold", "locomo.json"], "none of its lines is about a question of the file"),
        (["langsmith.jsonl", "--k", "5"], "--k goes with files of longmemeval; this one is read as langsmith"),
        (["langsmith.jsonl", "--k", "native"], "--k native is no number from 1 on"),
        (["langsmith.jsonl", "--answers", "x"], "--answers goes with files of longmemeval, mem0"),
        (["mem0_results.json", "--searches", "x"], "--searches goes with files of otel, langsmith, langfuse"),
        (["mem0_results.json", "--answers", "mem0_results.json"], "llm_score is 'None', not 0 or 1"),
        (["mem0_results.json", "--answers", "langsmith.jsonl"], "no results of Mem0's evaluation"),
        (["gold.jsonl", "--gold", "gold.jsonl"], "says everything itself; leave out --gold"),
        (["langsmith.jsonl", "--data", "x", "--gold", "y"], "--data says what the file is about; leave out --gold"),
    ],
)  # fmt: skip
def test_a_wrong_file_or_option_is_named(cli: Cli, arguments: list[str], said: str) -> None:
    placed = [str(HERE / word) if (HERE / word).exists() else word for word in arguments]
    assert said in cli("diagnose", *placed, code=1).err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty; export it again"),
        ("{\n", "was it cut short? export it again"),
        ('{"id": "a", "run_type": "llm", "start_time": 1}\n{"a": \n', "line 2: not JSON"),
        ("\xff\xfe", "UTF-8"),
        ("[1]", "entry 1: it is no run"),
        ('{"id": "a", "run_type": "llm"}', "run a: it has no start_time"),
        ('{"id": "a", "run_type": "llm", "start_time": "soon"}', "'soon' can't be read as a time"),
        ('{"id": "a", "run_type": "chain", "start_time": 1}', "no step in it says that it searches a memory"),
        (
            '{"id": "a", "run_type": "retriever", "start_time": 1, "inputs": {"query": "q"}, "outputs": [{"x": 1}]}',
            "run a, document 1: it has no text (its keys: x)",
        ),
    ],
)
def test_a_broken_export_is_named_with_its_place(cli: Cli, place: Place, text: str, said: str) -> None:
    (place.path / "runs.jsonl").write_bytes(text.encode("latin-1"))
    assert said in cli("diagnose", "runs.jsonl", "--from", "langsmith", code=1).err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"question": "Q", "retrieved": []}, "unknown key 'retrieved'"),
        ({"facts": []}, "name the question by its words (question) or its id (probe)"),
        ([1], "a gold line is a JSON object"),
        ({"probe": "r1", "facts": [{"txt": "x"}]}, "gold.jsonl, line 1: facts.0.text is missing"),
        ({"probe": "r1", "facts": ["x"], "store": "s"}, "store 's' is not defined"),
    ],
)
def test_a_wrong_gold_line_is_named(cli: Cli, place: Place, line: Any, said: str) -> None:
    place.write("gold.jsonl", json.dumps(line) + "\n" + json.dumps({"probe": "other"}))
    assert said in cli("diagnose", str(HERE / "langsmith.jsonl"), "--gold", "gold.jsonl", code=1).err


HOSTILE = "<script>alert(1)</script>\x1b[31m../../etc/passwd"


def test_hostile_texts_stay_texts(cli: Cli, place: Place) -> None:
    def soil(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: soil(each) for key, each in value.items()}
        if isinstance(value, list):
            return [soil(each) for each in value]
        return value + HOSTILE if isinstance(value, str) and " " in value else value

    (place.path / "f.jsonl").write_text((HERE / "gold.jsonl").read_text())
    path = changed(place.path, "mem0_results.json", soil)
    shown = cli("diagnose", str(path), "--by", "probe", "--out", "found")
    assert "\x1b" not in shown.out + shown.err
    page = (place.path / "found" / "report.html").read_text()
    assert "<script>alert(1)" not in page


# ---------------------------------------------------------------------- whatever stands in a file

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["[", '{"a": 1}']),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a value that something else can be put in."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    found = [(value, key) for key in keys]
    return found + [place for key in keys for place in places(value[key])]


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_whatever_stands_in_an_export_is_diagnosed_or_refused(tmp_path: Path, name: str, data: st.DataObject) -> None:
    def break_it(values: Any) -> None:
        holder, key = data.draw(st.sampled_from(places(values)))
        holder[key] = copy.deepcopy(data.draw(JUNK))

    path = changed(tmp_path, name, break_it)
    try:
        diagnosed(
            path, FILES[name], gold="gold.jsonl" if FILES[name] in ("otel", "langsmith", "langfuse") else "locomo.json"
        )
    except BadInput as error:
        named = str(path) in str(error) or str(HERE) in str(error)
        assert named, error  # noqa: PT017


def test_the_docs_name_every_format() -> None:
    page = (ROOT / "docs" / "traces.md").read_text(encoding="utf-8")
    for name in FORMATS:
        assert f"`{name}`" in page
