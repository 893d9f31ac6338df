"""MemoryAgentBench's released files: every source has its kind, questions know what they need, bad rows are named."""

from __future__ import annotations

import hashlib
import json
import threading
import tracemalloc
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from conftest import shared_data
from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.core.rubric import JUDGED_AS
from memtriage.core.suite import Request
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.diagnose.store import diagnose
from memtriage.suites.longmemeval.public import Message
from memtriage.suites.memoryagentbench.context import Context
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.generate import factconsolidation
from memtriage.suites.memoryagentbench.kinds import Kind
from memtriage.suites.memoryagentbench.released import load as files
from memtriage.suites.memoryagentbench.released import parquet
from memtriage.suites.memoryagentbench.released.parquet import Row
from memtriage.suites.memoryagentbench.released.pull import pull_memoryagentbench
from memtriage.suites.memoryagentbench.released.rows import Released, kind_of, length_of, released, split_long_sentences
from memtriage.text.tokens import count_tokens

SOURCES: Mapping[str, Kind] = {
    "ruler_qa1_197K": "sh-docqa",
    "ruler_qa2_421K": "mh-docqa",
    "longmemeval_s*": "longmemeval",
    "longmemeval_s_-1_500": "longmemeval",
    "eventqa_full": "eventqa",
    "eventqa_65536": "eventqa",
    "eventqa_131072": "eventqa",
    "icl_banking77_5900shot_balance": "icl",
    "icl_clinic150_7050shot_balance": "icl",
    "icl_nlu_8296shot_balance": "icl",
    "icl_trec_coarse_6600shot_balance": "icl",
    "icl_trec_fine_6400shot_balance": "icl",
    "recsys_redial_full": "recommendation",
    "infbench_sum_eng_shots2": "summarization",
    "detective_qa": "detective",
    **{f"factconsolidation_sh_{size}": "factconsolidation-sh" for size in ("6k", "32k", "64k", "262k")},
    **{f"factconsolidation_mh_{size}": "factconsolidation-mh" for size in ("6k", "32k", "64k", "262k")},
}

DOCUMENTS = """Document 1:
The mill of Dravenholt was built in 1612. Its wheel turns in the river Selm. It grinds no corn today.

Document 2:
The Quarrel of Ostby began over a goat. Duke Harrow of Ostby gave the goat to the abbot. The abbot named it Pim.

Document 3:
Harrow is also a tool. The abbot of Lunt has no goat. In 1612 nothing else happened."""


def row(source: str, context: str, questions: list[str], answers: list[list[str]], **lists: Any) -> Row:
    chats = lists.pop("chats", ())
    told = {name: tuple(values) for name, values in lists.items()}
    golds = tuple(tuple(each) for each in answers)
    return Row(Path("Some.parquet"), 3, source, context, tuple(questions), golds, told, chats)


def read_row(*args: Any, titles: Mapping[str, str] | None = None, **lists: Any) -> Released:
    found = released(row(*args, **lists), "ctx", titles)
    fits(found.context)
    return found


def fits(context: Context) -> Episode:
    """Every passage stands where it says, and the layout takes it."""
    for passage in context.passages:
        assert context.text[passage.start : passage.start + len(passage.text)] == passage.text
    return episode(context)


def verbatim(one: Episode, brought: Mapping[str, list[str]] | None = None) -> dict[str, str]:
    """The verdicts on a store that keeps every turn, and brings all of them, or those named."""
    texts = {turn.id: turn.text for session in one.sessions for turn in session.turns}
    last = one.sessions[-1].id
    history = History(Ingest(len(one.sessions), 0.0, len(texts)), (Snapshot("end", last, None, tuple(texts)),))
    traces = [
        Trace(p.id, 5, "end", tuple(Retrieved(key, n) for n, key in enumerate((brought or {}).get(p.id, texts), 1)))
        for p in one.probes
    ]
    found = diagnose(one, history, traces, lambda keys: {key: texts[key] for key in keys}, "mab", "it")
    return {verdict.probe: verdict.verdict for verdict in found}


# ------------------------------------------------------------------ sources


def test_every_source_of_the_paper_has_a_kind() -> None:
    assert {source: kind_of(source) for source in SOURCES} == dict(SOURCES)
    assert [kind_of(source) for source in ("ruler_niah_mq", "icl", "infbench_qa_eng", "")] == [None] * 4
    lengths = {source: length_of(source) for source in ("eventqa_131072", "factconsolidation_mh_6k", "detective_qa")}
    assert lengths == {"eventqa_131072": "128k", "factconsolidation_mh_6k": "6k", "detective_qa": ""}


def test_documents_are_searched_for_the_sentence_that_answers() -> None:
    found = read_row(
        "ruler_qa1_197K",
        DOCUMENTS,
        ["When was the mill of Dravenholt built?", "To whom did Duke Harrow give the goat?", "Who sings?"],
        [["1612", "in 1612"], ["the abbot"], ["Orla"]],
        qa_pair_ids=["no0", "no1", "no2"],
    ).context
    first, second, third = found.queries
    texts = {passage.id: passage.text for passage in found.passages}
    assert [texts[id] for ids in first.needed for id in ids] == ["The mill of Dravenholt was built in 1612."]
    assert [texts[id] for ids in second.needed for id in ids] == ["Duke Harrow of Ostby gave the goat to the abbot."]
    assert (first.tags["gold"], third.tags["gold"], third.needed) == ("aligned", "answer", ())
    assert (first.scoring, first.golds, first.tags["qa_pair_id"]) == ("contains", ("1612", "in 1612"), "no0")
    one = episode(found)
    assert verbatim(one) == {"ctx/q0": "correct", "ctx/q1": "correct", "ctx/q2": "n/a"}
    assert verbatim(one, {"ctx/q0": []})["ctx/q0"] == "not_retrieved"
    assert one.probes[0].max_tokens == 50


def test_events_are_searched_for_where_they_are_told() -> None:
    novel = (
        "CHAPTER I\n\nMara packed her trunk at dawn. Nobody saw her go.\n\nThe ferry was late. Otto, the old ferryman, "
        "sold her the last ticket to Belmar. She slept.\n\n" + "It rained on the fields. " * 40
    )
    found = read_row("eventqa_65536", novel, ["What next?", "And then?"], [
        ["Otto the ferryman sold Mara the last ticket to Belmar."], ["The duke was crowned in Ulm."]
    ]).context  # fmt: skip
    told, untold = found.queries
    [[id]] = told.needed
    assert "sold her the last ticket to Belmar." in next(p.text for p in found.passages if p.id == id)
    assert (untold.needed, untold.tags["gold"], found.tags["length"]) == ((), "answer", "64k")
    assert verbatim(episode(found)) == {"ctx/q0": "correct", "ctx/q1": "n/a"}


def test_any_example_of_the_label_is_enough() -> None:
    context = "\n\n".join(f"Where is parcel {n}?\nlabel: {n % 3}" for n in range(12))
    found = read_row("icl_trec_fine_6400shot_balance", context, ["Where is it?", "How?"], [["2"], ["7"]])
    [query] = found.context.queries
    assert len(query.needed) == 4
    assert all(len(ids) == 1 for ids in query.needed)
    assert query.scoring == "exact"
    assert found.problems == (
        "Some.parquet, row 3 (icl_trec_fine_6400shot_balance), question 2: its label '7' is not in the mapping: no "
        "example has it; it was left out",
    )
    assert verbatim(episode(found.context)) == {"ctx/q0": "correct"}


def test_titles_come_from_their_ids() -> None:
    titles = {"12": "Tin Harbour", "13": "Salt", "14": "Low Tide"}
    talk = "Dialogue 1:\nSystem: Hello.\nUser: I liked Salt.\n\nDialogue 2:\nUser: Anything at sea?\nSystem: Low Tide."
    found = read_row("recsys_redial_full", talk, ["User: A film?", "User: Two?"], [["12", "13"], ["99"]], titles=titles)
    [query] = found.context.queries
    assert (query.golds, query.scoring, query.needed) == (("Tin Harbour", "Salt"), "titles", ())
    assert "question 2: entity2id.json has no title for its answer '99'" in found.problems[0]


def test_summaries_have_points_and_a_reference() -> None:
    text = "Mara left. Otto found a boat."
    found = read_row(
        "infbench_sum_eng_shots2", "A novel. " * 50, ["Sum it up."], [[text]], keypoints=["Mara left Ulm."]
    )
    assert found.context.queries[0].golds == ("Mara left Ulm.",)
    assert found.references == {"ctx/q0": text}
    bare = read_row("infbench_sum_eng_shots2", "A novel. " * 50, ["Sum it up."], [[text]])
    assert bare.context.queries[0].golds == ("Mara left.", "Otto found a boat.")
    assert (bare.context.queries[0].scoring, bare.context.queries[0].needed) == ("points", ())


def test_chats_are_written_out_and_the_marked_messages_are_needed() -> None:
    def chat(*messages: tuple[str, str, bool]) -> tuple[Message, ...]:
        return tuple(Message(*each) for each in messages)

    old = chat(("user", "I keep my kayak in Selm. It's blue.", True), ("assistant", "Noted.", False))
    new = chat(("user", "By the way, I moved my kayak to Ostby.", True))
    listed: list[object] = []
    for at, messages in (("2023/05/20 (Sat) 02:21", old), ("2023/06/01 (Thu) 10:00", new)):
        listed += [f"Chat Time: {at}", [{"role": m.role, "content": m.text} for m in messages]]
    found = read_row(
        "longmemeval_s*",
        str(listed),
        ["Where is my kayak?", "What colour is my canoe?", "Where was my kayak first?"],
        [["Ostby"], ["You did not mention a canoe."], ["Selm"]],
        question_types=["knowledge-update", "single-session-user", "single-session-user"],
        question_ids=["q1", "q2_abs", "q3"],
        question_dates=["2023/06/09 (Fri) 08:00", "", ""],
        chats=((old, new), (), (old,)),
    ).context
    assert found.text.startswith("Chat Time: 2023/05/20 (Sat) 02:21\nuser:\nI keep my kayak in Selm. It's blue.\nassis")
    update, untold, first = found.queries
    texts = {passage.id: passage.text for passage in found.passages}
    assert [[texts[id] for id in ids] for ids in update.needed] == [["By the way, I moved my kayak to Ostby."]]
    assert [texts[id] for id, _ in update.outdated] == ["I keep my kayak in Selm."]
    assert (update.asked_at, update.tags[JUDGED_AS]) == ("2023-06-09T08:00", "longmemeval/knowledge-update")
    assert (untold.scoring, untold.tags[JUDGED_AS], untold.needed) == ("abstain", "longmemeval/abstention", ())
    assert (first.scoring, first.tags["gold"]) == ("free", "marked")
    assert verbatim(episode(found)) == {"ctx/q0": "correct", "ctx/q1": "n/a", "ctx/q2": "correct"}


def test_numbered_facts_are_followed_to_the_newest() -> None:
    [world] = factconsolidation.contexts(3_000, 10, 5, {}, "factconsolidation-mh")
    questions, answers = [q.text for q in world.queries], [list(q.golds) for q in world.queries]
    found = read_row("factconsolidation_mh_32k", world.text, questions, answers).context
    assert [q.needed for q in found.queries] == [q.needed for q in world.queries]
    assert set(verbatim(episode(found)).values()) == {"correct"}


def test_the_released_facts_are_followed_too() -> None:
    folder = shared_data("memoryagentbench")
    asked = json.loads((folder / "factconsolidation_6k_questions_40.json").read_text())
    text = (folder / "factconsolidation_6k_context.txt").read_text()
    for kind in ("sh", "mh"):
        own = [each for each in asked if each["source"] == f"factconsolidation_{kind}_6k"]
        context = read_row(own[0]["source"], text, [q["question"] for q in own], [q["golds"] for q in own]).context
        derived = [query for query in context.queries if query.needed]
        assert len(derived) >= 0.8 * len(own)
        verdicts = verbatim(episode(context))
        assert all(verdicts[query.id] == "correct" for query in derived)


# ------------------------------------------------------------------ what can't be used


def test_rows_that_cannot_be_used_are_refused_with_source_and_row() -> None:
    with pytest.raises(BadInput, match=r"factconsolidation_sh_6k.*no line begins with a serial number"):
        released(row("factconsolidation_sh_6k", "Ada swims.", ["Who?"], [["Ada"]]), "ctx")
    with pytest.raises(BadInput, match=r"row 3 \(icl_nlu_8296shot_balance\): no example has a line such as"):
        released(row("icl_nlu_8296shot_balance", "Ada swims.", ["Who?"], [["4"]]), "ctx")
    with pytest.raises(BadInput, match=r"row 3 \(ruler_niah\): nobody knows this source"):
        released(row("ruler_niah", "Ada swims.", ["Who?"], [["4"]]), "ctx")
    with pytest.raises(BadInput, match=r"row 3 \(detective_qa\): none of its 1 questions .*question 1: it has no ans"):
        released(row("detective_qa", "Ada swims.", ["Who?"], [[" "]]), "ctx")


def test_a_sentence_longer_than_a_chunk_is_split() -> None:
    long = "and on " * 900
    text, cut = split_long_sentences(f"It begins. It goes {long}to the end. It ends.", 512)
    assert cut == 1
    assert text.split() == f"It begins. It goes {long}to the end. It ends.".split()
    assert read_row("ruler_qa1_197K", f"Ada said: {long}.", ["Who?"], [["Ada"]]).cut == 1
    wild, cut = split_long_sentences("漢字" * 2_000, 512)
    assert cut == 1
    assert max(count_tokens(part) for part in wild.split("\n\n")) <= 512
    assert wild.replace("\n\n", "") == "漢字" * 2_000
    assert (
        max(map(count_tokens, split_long_sentences("𓀀" * 300, 512)[0].split("\n\n"))) <= 512
    )  # four tokens to a character
    assert split_long_sentences("Short. Sentences.", 512) == ("Short. Sentences.", 0)


# ------------------------------------------------------------------ files


Record = dict[str, Any]


def record(source: str, context: str, questions: list[str], answers: list[list[str]], **told: Any) -> Record:
    return {"context": context, "questions": questions, "answers": answers, "metadata": {"source": source, **told}}


def write(path: Path, records: list[Record], **more: Any) -> Path:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install '.[parquet]'")
    from pyarrow import parquet as arrow

    path.parent.mkdir(parents=True, exist_ok=True)
    arrow.write_table(pyarrow.Table.from_pylist(records), path, **more)
    return path


NUMBERED = "Here are facts:\n0. Ada Ulm was born in the city of Selm.\n1. Ada Ulm was born in the city of Ostby."


def conflict(folder: Path) -> Path:
    asked = ["In which city was Ada Ulm born?"]
    return write(folder / "data" / "Conflict_Resolution-00000-of-00001.parquet", [
        record("factconsolidation_sh_6k", NUMBERED, asked, [["Ostby"]], qa_pair_ids=["a"]),
        record("factconsolidation_sh_32k", NUMBERED, asked * 2, [["Ostby"]], qa_pair_ids=["b"]),
        record("factconsolidation_sh_64k", "No numbers here.", asked, [["Ostby"]], qa_pair_ids=["c"]),
        record("ruler_niah_mq", NUMBERED, asked, [["Ostby"]], qa_pair_ids=["d"]),
        record("factconsolidation_mh_6k", NUMBERED, asked, [["Ostby"]], qa_pair_ids=["e"]),
        record("factconsolidation_sh_262k", NUMBERED, asked * 3, [["Ostby"]] * 3, qa_pair_ids=["f", "g", "h"]),
    ])  # fmt: skip


def test_a_folder_is_loaded_row_by_row_and_what_is_wrong_is_counted(tmp_path: Path) -> None:
    path = conflict(tmp_path)
    loaded = files.load("factconsolidation-sh", Request(data=tmp_path))
    episodes = list(loaded.episodes)
    assert [one.id for one in episodes] == ["factconsolidation_sh_6k_1", "factconsolidation_sh_262k_1"]
    assert [len(one.probes) for one in episodes] == [1, 3]
    told = loaded.provenance
    assert told["rows"] == 4
    assert told["sources"] == {"factconsolidation_sh_6k": 1, "factconsolidation_sh_262k": 3}
    assert told["sha256"] == {path.name: hashlib.sha256(path.read_bytes()).hexdigest()}
    assert told["trouble"] == {"left out": 2, "unknown sources": 1}
    unknown, mismatch, unnumbered = told["problems"]  # type: ignore[misc]
    assert unknown == "source 'ruler_niah_mq' is unknown: 1 rows were left out"
    assert "row 2 (factconsolidation_sh_32k): 2 questions, but answers to 1" in mismatch
    assert f"{path.name}, row 3 (factconsolidation_sh_64k): " in unnumbered
    assert "serial number" in unnumbered
    assert verbatim(episodes[0]) == {"factconsolidation_sh_6k_1/q0": "correct"}


def test_rows_and_length_choose_questions(tmp_path: Path) -> None:
    path = conflict(tmp_path)
    few = list(files.load("factconsolidation-sh", Request(data=tmp_path, rows=2)).episodes)
    assert [len(one.probes) for one in few] == [1, 1]
    long = Request(data=path, options={"length": "262k"})
    assert [one.id for one in files.load("factconsolidation-sh", long).episodes] == ["factconsolidation_sh_262k_1"]
    with pytest.raises(BadInput, match=r"source 'ruler_niah_mq' is unknown"):
        list(files.load("factconsolidation-sh", Request(data=path, options={"length": "1m"})).episodes)


def test_films_need_their_titles_beside_them(tmp_path: Path) -> None:
    talks = "Dialogue 1:\nUser: I liked Salt.\nSystem: Low Tide is like it."
    rows = [record("recsys_redial_full", talks, ["User: A film?", "User: Another?"], [["1"], ["2"]])]
    write(tmp_path / "data" / "Test_Time_Learning-00000-of-00001.parquet", rows)
    with pytest.raises(BadInput, match=r"row 1 \(recsys_redial_full\): its answers are ids; put entity2id.json"):
        list(files.load("recommendation", Request(data=tmp_path)).episodes)
    names = {"<http://example.org/Low_Tide_(film)>": 1, "<http://example.org/Tin_Harbour>": 2, "Salt": 3}
    (tmp_path / "entity2id.json").write_text(json.dumps(names))
    [one] = files.load("recommendation", Request(data=tmp_path)).episodes
    assert [probe.golds for probe in one.probes] == [("Low Tide",), ("Tin Harbour",)]
    assert [probe.choices for probe in one.probes] == [("Low Tide", "Tin Harbour", "Salt"), ()]
    assert set(verbatim(one).values()) == {"n/a"}


def test_a_reference_summary_is_kept_beside_the_points(tmp_path: Path) -> None:
    told = "Mara left. Otto found a boat."
    rows = [record("infbench_sum_eng_shots2", "A novel. " * 50, ["Sum it up."], [[told]], keypoints=["Mara left Ulm."])]
    path = write(tmp_path / "Long_Range_Understanding.parquet", rows)
    [one] = files.load("summarization", Request(data=path)).episodes
    assert (one.probes[0].gold, one.probes[0].golds, one.probes[0].max_tokens) == (told, ("Mara left Ulm.",), 1200)


def test_marked_chats_are_read(tmp_path: Path) -> None:
    said = {"role": "user", "content": "I keep my kayak in Selm.", "has_answer": True}
    other = {"role": "assistant", "content": "Fine.", "has_answer": None}
    context = str(["Chat Time: 2023/05/20", [{k: m[k] for k in ("role", "content")} for m in (said, other)]])
    told = {"question_types": ["single-session-user"], "haystack_sessions": [[[said, other]]]}
    path = write(
        tmp_path / "Accurate_Retrieval.parquet",
        [record("longmemeval_s*", context, ["Where is my kayak?"], [["Selm"]], **told)],
    )
    [one] = files.load("longmemeval", Request(data=path)).episodes
    assert [fact.text for fact in one.facts] == ["I keep my kayak in Selm."]
    assert verbatim(one) == {one.probes[0].id: "correct"}


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        files.load("eventqa", Request(data=tmp_path / "nowhere"))
    with pytest.raises(BadInput, match=r"has no Accurate_Retrieval\.parquet"):
        files.load("eventqa", Request(data=tmp_path))
    other = write(tmp_path / "Accurate_Retrieval.parquet", [{"context": "x", "question": "?"}])
    with pytest.raises(BadInput, match=r"no file of MemoryAgentBench: questions, answers, metadata is missing"):
        list(files.load("eventqa", Request(data=other)).episodes)
    typed = write(
        tmp_path / "b.parquet", [{"context": "x", "questions": "?", "answers": [["a"]], "metadata": {"s": 1}}]
    )
    with pytest.raises(BadInput, match=r"questions, metadata is missing or of another type"):
        list(files.load("eventqa", Request(data=typed)).episodes)
    (tmp_path / "c.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(BadInput, match=r"c.parquet is no parquet file"):
        list(files.load("eventqa", Request(data=tmp_path / "c.parquet")).episodes)


def test_missing_shards_are_named(tmp_path: Path) -> None:
    for number in (0, 2):
        (tmp_path / f"Accurate_Retrieval-{number:05d}-of-00003.parquet").touch()
    with pytest.raises(BadInput, match="of Accurate_Retrieval's 3 files, number 00001 is missing"):
        parquet.find(tmp_path, "eventqa")
    (tmp_path / "Accurate_Retrieval-00001-of-00003.parquet").touch()
    assert len(parquet.find(tmp_path, "eventqa")) == 3


def test_one_row_is_held_at_a_time(tmp_path: Path) -> None:
    each = 3_000_000
    rows = [record("eventqa_full", f"{n} said so. " * (each // 12), ["?"], [["x"]]) for n in range(8)]
    path = write(tmp_path / "Accurate_Retrieval.parquet", rows, row_group_size=1)
    import pyarrow

    tracemalloc.start()
    seen = held = 0
    for found in parquet.rows(path):
        assert isinstance(found, Row)
        seen += len(found.context)
        held = max(held, pyarrow.total_allocated_bytes())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen > 7 * each
    assert max(peak, held) < 3 * each


# ------------------------------------------------------------------ pulling


class Handler(BaseHTTPRequestHandler):
    files: dict[str, bytes]

    def do_GET(self) -> None:
        body = self.files.get(self.path)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def site() -> Iterator[tuple[str, dict[str, bytes]]]:
    served: dict[str, bytes] = {}
    own = type("Own", (Handler,), {"files": served})
    server = ThreadingHTTPServer(("127.0.0.1", 0), own)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", served
    server.shutdown()
    thread.join()
    server.server_close()


BASE = "/datasets/ai-hyz/MemoryAgentBench/resolve/v2"


def test_released_files_are_pulled_and_noted(tmp_path: Path, site: tuple[str, dict[str, bytes]]) -> None:
    url, served = site
    body = conflict(tmp_path / "made").read_bytes()
    served[f"{BASE}/data/Conflict_Resolution-00000-of-00001.parquet"] = body
    out = pull_memoryagentbench(tmp_path / "out", "v2", url, splits=("Conflict_Resolution",))
    [noted] = json.loads((out / "pull.json").read_text())["files"]
    assert (noted["path"], noted["rows"], noted["revision"], noted["sha256"]) == (
        "Conflict_Resolution-00000-of-00001.parquet", 6, "v2", hashlib.sha256(body).hexdigest()
    )  # fmt: skip
    assert len(list(files.load("factconsolidation-mh", Request(data=out)).episodes)) == 1


def test_what_is_no_data_file_is_thrown_away(tmp_path: Path, site: tuple[str, dict[str, bytes]]) -> None:
    url, served = site
    served[f"{BASE}/data/Test_Time_Learning-00000-of-00001.parquet"] = b"<html>sign in</html>"
    with pytest.raises(BadInput, match="is not a file of MemoryAgentBench: it doesn't begin and end as parquet"):
        pull_memoryagentbench(tmp_path, "v2", url, splits=("Test_Time_Learning",))
    assert not list(tmp_path.rglob("*.parquet"))
    with pytest.raises(BadInput, match="unknown split 'Test_Time'"):
        pull_memoryagentbench(tmp_path, "v2", url, splits=("Test_Time",))
    with pytest.raises(BadInput, match="does not exist"):
        pull_memoryagentbench(tmp_path, "v3", url, splits=("Test_Time_Learning",))
