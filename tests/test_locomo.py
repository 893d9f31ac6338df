"""LoCoMo: its file read however sloppy, both people told apart, the paper's F1, recall, and mistakes mended."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memtriage
from conftest import Cli
from memtriage.core.episode import Episode, Probe, Session
from memtriage.core.errors import BadInput
from memtriage.core.memory import Memory
from memtriage.core.suite import Request
from memtriage.models.scripted import ContentJudge, StubServer
from memtriage.suites.locomo import errata
from memtriage.suites.locomo.conversation import CATEGORIES
from memtriage.suites.locomo.errata import Errata, Erratum
from memtriage.suites.locomo.grading import f1, paper_score, partial_f1
from memtriage.suites.locomo.porter import stem
from memtriage.suites.locomo.reading import Reader
from memtriage.suites.locomo.suite import SUITE
from test_memfail_pull import Site, site  # noqa: F401  (a fixture)

TALK: dict[str, Any] = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ada",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "Hey Bo! I adopted a greyhound named Comet last Saturday."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Wow, Ada! Look.", "blip_caption": "a photo of a blue kite"},
        ],
        "session_2_date_time": "10:04 am on 2 June, 2023",
        "session_2": [
            {"speaker": "Bo", "dia_id": "D2:1", "text": "Thanks, Ada! I start as a baker in Turin on Monday."},
            {"speaker": "Ada", "dia_id": "D2:2", "text": "I am learning the cello and pottery."},
            {"speaker": "Ada", "dia_id": "D2:3", "text": "", "blip_caption": ""},
        ],
        "session_10_date_time": "3:00 pm on 9 July, 2023",
        "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "The bakery gave me a week off."}],
        "session_11_date_time": "3:00 pm on 10 July, 2023",
        "session_11": [],
        "session_12_date_time": "3:00 pm on 11 July, 2023",
    },
    "qa": [
        {"question": "What is the name of Ada's dog?", "answer": "Comet", "evidence": ["D1:1"], "category": 4},
        {"question": "What do Ada and Bo do?", "answer": "cello, baker", "evidence": ["D2:2; D:2:01"], "category": 1},
        {"question": "When did Ada adopt her dog?", "answer": "6 May 2023", "evidence": ["D1:1", "D"], "category": 2},
        {"question": "Is Bo at work?", "answer": "No; he has a week off", "evidence": ["D10:1", "D9:9"], "category": 3},
        {"question": "What is Bo's dog called?", "adversarial_answer": "Comet", "evidence": ["D1:1"], "category": 5},
        {"question": "How many dogs are there?", "answer": 1, "evidence": [], "category": 3},
    ],
}


def write(path: Path, *talks: Any) -> Path:
    path.write_text(json.dumps(list(talks or (TALK,))), encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "locomo10.json")


def load(path: Path, rows: int | None = None, **options: str) -> tuple[list[Episode], Mapping[str, Any]]:
    loaded = SUITE.tasks[0].load(Request(data=path, rows=rows, options=options))
    return list(loaded.episodes), loaded.provenance


def probes(path: Path, **options: str) -> dict[str, Probe]:
    return {probe.id: probe for episode in load(path, **options)[0] for probe in episode.probes}


# ------------------------------------------------------------------ what a memory is told and asked


def test_both_people_are_users_with_their_names_dates_and_photos(file: Path) -> None:
    (episode,), _ = load(file)
    assert [(session.id, session.timestamp, len(session.turns)) for session in episode.sessions] == [
        ("session_1", "2023-05-08T13:56", 2),
        ("session_2", "2023-06-02T10:04", 2),
        ("session_10", "2023-07-09T15:00", 1),
    ]
    turns = {turn.id: turn for session in episode.sessions for turn in session.turns}
    assert turns["D1:2"].text == "Bo: Wow, Ada! Look. [shares a photo of a blue kite]"
    assert {turn.role for turn in turns.values()} == {"user"}
    (plain,), _ = load(file, captions="no")
    assert plain.sessions[0].turns[1].text == "Bo: Wow, Ada! Look."


def test_questions_are_of_five_kinds_and_evidence_may_be_sloppy(file: Path) -> None:
    asked = probes(file)
    assert {id: (probe.task, probe.targets) for id, probe in asked.items()} == {
        "talk-1/q0": ("locomo/single-hop", ("D1:1",)),
        "talk-1/q1": ("locomo/multi-hop", ("D2:2", "D2:1")),
        "talk-1/q2": ("locomo/temporal", ("D1:1",)),
        "talk-1/q3": ("locomo/open-domain", ("D10:1",)),
        "talk-1/q4": ("locomo/adversarial", ("D1:1",)),
        "talk-1/q5": ("locomo/open-domain", ()),
    }
    assert asked["talk-1/q5"].gold == "1"
    assert asked["talk-1/q4"].scoring == "abstain"
    assert asked["talk-1/q4"].sufficient == ()
    assert {probe.cluster for probe in asked.values()} == {"talk-1"}
    assert len({probe.instruction for probe in asked.values()}) == 1, "the kind of a question must not show"
    problems = load(file)[1]["problems"]
    assert [re.findall(r"q\d: .*", problem) for problem in problems] == [
        ["q2: its evidence names 'D', which is no turn"],
        ["q3: its evidence names 'D9:9', which is no turn"],
    ]


def test_facts_are_what_the_evidence_says_and_no_greeting(file: Path) -> None:
    (episode,), _ = load(file)
    told = {fact.id: (fact.turns, fact.evidence, fact.details) for fact in episode.facts}
    assert told["q0/D1:1"] == (("D1:1",), ("I adopted a greyhound named Comet last Saturday.",), ("Comet", "Saturday"))
    assert told["q1/D2:1"][1] == ("I start as a baker in Turin on Monday.",)
    said = {turn.id: turn.text for session in episode.sessions for turn in session.turns}
    assert all(sentence in said[fact.turns[0]] for fact in episode.facts for sentence in fact.evidence)
    assert all("Thanks" not in fact.text and fact.text.startswith(("Ada: ", "Bo: ")) for fact in episode.facts)


def test_each_speaker_may_have_a_store_and_a_question_goes_to_the_one_it_names(file: Path) -> None:
    ada, bo = load(file, stores="speakers")[0]
    assert (ada.id, bo.id) == ("talk-1/Ada", "talk-1/Bo")
    assert [turn.role for session in ada.sessions for turn in session.turns] == [
        "user", "assistant", "assistant", "user", "assistant",
    ]  # fmt: skip
    assert [probe.id[-2:] for probe in bo.probes] == ["q3", "q4"]
    assert [probe.id[-2:] for probe in ada.probes] == ["q0", "q1", "q2", "q5"], "both, or nobody: who says it first"


def test_the_ceiling_is_one_and_the_floor_nothing(file: Path, tmp_path: Path) -> None:
    for stores in ("one", "speakers"):
        out = tmp_path / stores
        run = memtriage.run("oracle", "none", suite="locomo", data=file, k=9, options={"stores": stores}, out=out)
        verdicts = {(v.system, v.probe[-2:]): v.verdict for v in run.verdicts()}
        assert [verdicts["oracle", f"q{n}"] for n in range(6)] == ["correct"] * 4 + ["n/a"] * 2
        assert [verdicts["none", f"q{n}"] for n in range(6)] == ["not_stored"] * 4 + ["n/a"] * 2


def test_fewer_rows_are_the_first_conversations(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", TALK, {**TALK, "sample_id": "talk-2"})
    whole, about = load(path)
    assert (len(whole), about["rows"]) == (2, 2)
    assert load(path, rows=1)[0] == whole[:1]


# ------------------------------------------------------------------ recall


class Newest:
    """Brings back the newest turns first, so that every rank is known."""

    def __init__(self) -> None:
        self.turns: list[Memory] = []

    def store_conversation(self, conversation: Session) -> None:
        self.turns += [Memory(turn.id, turn.text, sources=(turn.id,)) for turn in conversation.turns]

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        return self.turns[::-1][:k]

    def get_all_memories(self) -> list[Memory]:
        return self.turns


def test_recall_by_turn_and_by_session_is_what_one_counts_by_hand(file: Path, tmp_path: Path) -> None:
    run = memtriage.run({"newest": Newest}, suite="locomo", data=file, k=5, out=tmp_path / "r")
    found = {verdict.probe[-2:]: verdict.measures for verdict in run.verdicts()}
    # the ranking is D10:1, D2:2, D2:1, D1:2, D1:1
    turn = {
        q: [found[q][f"turn/Recall_{of}@{k}"] for of in ("any", "all") for k in (1, 3, 5)] for q in found if found[q]
    }
    assert turn == {
        "q0": [0, 0, 1, 0, 0, 1],
        "q1": [0, 1, 1, 0, 1, 1],
        "q2": [0, 0, 1, 0, 0, 1],
        "q3": [1, 1, 1, 1, 1, 1],
        "q4": [0, 0, 1, 0, 0, 1],
    }
    session = {q: [found[q][f"session/Recall_all@{k}"] for k in (1, 3)] for q in turn}
    assert session == {"q0": [0, 0], "q1": [0, 1], "q2": [0, 0], "q3": [1, 1], "q4": [0, 0]}
    assert "q5" not in turn


# ------------------------------------------------------------------ F1


def test_stems_are_those_of_nltk() -> None:
    words = "dies flies died spied agreed hopping hiking falling enjoy happy try skies dying geology hopefully"
    words += " rationally possibly traditional relational generalization paintings controlling use ties is"
    stems = "die fli die spi agre hop hike fall enjoy happi tri sky die geolog hope"
    stems += " ration possibl tradit relat gener paint control use tie is"
    assert [stem(word) for word in words.split()] == stems.split()


@pytest.mark.parametrize(
    ("category", "answer", "gold", "score"),
    [
        (4, "The painting of a lake, and trees!", "paintings", 2 / 5),  # paint of lake tree: 1 of 4, and 1 of 1
        (2, "7 May 2023", "May 7, 2023", 1.0),
        (2, "in May", "7 May 2023", 2 / 5),
        (4, "nothing alike", "Comet", 0.0),
        (1, "pottery, painting, swimming", "pottery, camping, painting, swimming", 3 / 4),
        (1, "pottery and camping", "pottery, camping", 2 / 3),  # each gold part: 1 of 2 words, all of it
        (3, "Likely no", "Likely no; she has no time", 1.0),
        (4, "Likely no", "Likely no; she has no time", 4 / 8),
        (5, "That is NOT mentioned.", "", 1.0),
        (5, "No information available", "", 1.0),
        (5, "I don't know", "", 0.0),
        (4, "", "Comet", 0.0),
    ],
)
def test_f1_is_the_papers(category: int, answer: str, gold: str, score: float) -> None:
    assert paper_score(category, answer, gold) == pytest.approx(score)


@given(st.text(max_size=40), st.text(max_size=40))
def test_f1_is_a_share_and_the_same_both_ways(one: str, other: str) -> None:
    assert 0 <= f1(one, other) == f1(other, one) <= 1
    assert 0 <= partial_f1(one, other) <= 1
    assert f1(one, one) in (0.0, 1.0)


ANSWERS = {
    "talk-1/q0": "a greyhound, Comet",
    "talk-1/q1": "she plays the cello",
    "talk-1/q2": "6 May 2023",
    "talk-1/q3": "No",
    "talk-1/q4": "Not mentioned in the conversation",
}


def hand_in(path: Path) -> Path:
    lines = [json.dumps({"question_id": id, "hypothesis": answer}) for id, answer in ANSWERS.items()]
    path.write_text("\n".join(lines))
    return path


def test_answers_from_elsewhere_are_scored_by_kind_as_in_the_papers_table(cli: Cli, file: Path, tmp_path: Path) -> None:
    answers = hand_in(tmp_path / "a.jsonl")
    found = json.loads(cli("score", "locomo", str(answers), "--data", str(file), "--json").out)
    lines = {line["name"]: line for line in found["scores"]["released"]}
    means = {
        "single-hop": 2 / 3,
        "multi-hop": (2 / 4 + 0) / 2,  # she play cello: 1 of 3, and 1 of 1; baker: nothing
        "temporal": 1.0,
        "open-domain": 1.0,
        "adversarial": 1.0,
        "without adversarial": (2 / 3 + 1 / 4 + 2) / 4,
        "overall": (2 / 3 + 1 / 4 + 3) / 5,
    }
    assert {name: line["accuracy"] for name, line in lines.items()} == pytest.approx(means, abs=1e-5)
    assert list(lines) == list(means)
    assert {line["metric"] for line in lines.values()} == {"F1"}
    assert found["missing"] == ["talk-1/q5"]


def test_the_file_that_the_papers_script_writes_is_scored_too(cli: Cli, file: Path, tmp_path: Path) -> None:
    given = [{**row, "gpt_prediction": ANSWERS.get(f"talk-1/q{n}")} for n, row in enumerate(TALK["qa"])]
    path = write(tmp_path / "out.json", {**TALK, "qa": given})
    score = ("score", "locomo", str(path), "--data", str(file), "--json")
    found = json.loads(cli(*score).out)
    assert (found["answers"], found["missing"]) == (5, ["talk-1/q5"])
    assert found["scores"]["released"][-1]["accuracy"] == pytest.approx((2 / 3 + 1 / 4 + 3) / 5, abs=1e-5)
    given[0]["llama_prediction"] = "Comet"
    write(path, {**TALK, "qa": given})
    assert "several models (gpt_prediction, llama_prediction)" in cli(*score, code=1).err


def test_a_judge_grades_by_meaning(cli: Cli, file: Path, tmp_path: Path) -> None:
    answers = hand_in(tmp_path / "a.jsonl")
    with StubServer(ContentJudge()) as server:
        score = ("score", "locomo", str(answers), "--data", str(file), "--judge", f"{server.url}#judge", "--json")
        lines = json.loads(cli(*score).out)["scores"]["released"]
        asked = [request.body["messages"][0]["content"] for request in server.requests]
    assert {line["metric"] for line in lines} == {"accuracy"}
    assert len(asked) == len(ANSWERS)
    assert all(any(rules.reasoning in text for text in asked) for rules in SUITE.rubrics.values())
    assert set(SUITE.rubrics) == {f"locomo/{kind}" for kind in CATEGORIES.values()}


# ------------------------------------------------------------------ known mistakes


def planted(file: Path) -> Errata:
    """Errata for the small file: a wrong gold answer, a wrong premise, wrong evidence, and one that no longer fits."""
    (talk,) = Reader(file).conversations()
    entry = {n: Erratum(f"talk-1/q{n}", talk.questions[n].digest, "because", "by hand") for n in (1, 2, 3, 4)}
    entries = [
        replace(entry[2], gold="6 June 2023"),
        entry[1],
        replace(entry[3], evidence=("D2:1",)),
        replace(entry[4], hash="0" * 12),
    ]
    return Errata("7", "this file", {one.question: one for one in entries})


def test_mistakes_are_mended_tagged_and_counted_unless_one_wants_the_file_as_released(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = planted(file)
    monkeypatch.setattr(errata, "load", lambda: known)
    mended = probes(file)
    assert "talk-1/q1" not in mended, "a question that rests on something false is not asked"
    assert (mended["talk-1/q2"].gold, mended["talk-1/q2"].tags["gold_released"]) == ("6 June 2023", "6 May 2023")
    assert mended["talk-1/q3"].targets == ("D2:1",)
    assert "errata" not in mended["talk-1/q4"].tags, "its hash is another"
    about = load(file)[1]
    assert about["mended"] == {"gold": 1, "evidence": 1, "left out": 1}
    assert len(about["problems"]) == 1, "evidence that was mended is no problem any more"
    released = probes(file, gold="as-released")
    assert len(released) == 6
    assert {id: one.tags["mistake"] for id, one in released.items() if "mistake" in one.tags} == {
        "talk-1/q1": "void", "talk-1/q2": "gold", "talk-1/q3": "evidence",
    }  # fmt: skip
    assert (released["talk-1/q2"].gold, released["talk-1/q2"].tags["gold_corrected"]) == ("6 May 2023", "6 June 2023")
    assert load(file, gold="as-released")[1]["errata"] == "off"


def test_a_score_is_given_with_and_without_the_mistakes(
    cli: Cli, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = planted(file)
    monkeypatch.setattr(errata, "load", lambda: known)
    found = json.loads(cli("score", "locomo", str(hand_in(tmp_path / "a.jsonl")), "--data", str(file), "--json").out)
    corrected = {line["name"]: line["accuracy"] for line in found["scores"]["corrected"]}
    assert corrected["temporal"] == pytest.approx(2 / 3, abs=1e-5)  # 6 May 2023 for 6 June 2023
    assert "multi-hop" not in corrected
    assert {line["name"]: line["accuracy"] for line in found["scores"]["released"]}["temporal"] == 1


def test_a_run_as_released_is_scored_with_and_without_the_mistakes(
    cli: Cli, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = planted(file)
    monkeypatch.setattr(errata, "load", lambda: known)
    run = str(tmp_path / "run")
    with StubServer(ContentJudge(lambda _: {"answer": "6 May 2023", "reason": "", "used": []})) as server:
        asked = ("--answer", f"{server.url}#a", "--judge", f"{server.url}#a", "--no-cache")
        options = ("--data", str(file), "--gold", "as-released", "--system", "bm25", "--k", "5", "--out", run)
        cli("run", "--suite", "locomo", *options, *asked)
    scores = json.loads(cli("score", "locomo", run, "--json").out)["scores"]
    released, corrected = ({line["name"]: line for line in scores[golds]} for golds in ("released", "corrected"))
    assert released["temporal"]["accuracy"] > corrected["temporal"]["accuracy"]
    assert "multi-hop" in released
    assert "multi-hop" not in corrected, "the question that can't be asked is in the released score alone"


def test_every_entry_of_the_list_says_what_why_and_who(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = errata.load.__wrapped__().entries.values()
    for entry in entries:
        assert re.fullmatch(r"conv-\d+/q\d+", entry.question)
        assert re.fullmatch(r"[0-9a-f]{12}", entry.hash)
        assert entry.why
        assert entry.source
        assert all(re.fullmatch(r"D\d+:\d+", turn) for turn in entry.evidence)


def test_the_released_file_is_read_whole_and_every_mistake_is_still_there() -> None:
    path = Path(os.environ.get("MEMTRIAGE_LOCOMO", ""))
    if not path.is_file():
        pytest.skip("MEMTRIAGE_LOCOMO may name locomo10.json, which is not part of the repository")
    reader = Reader(path)
    talks = {talk.id: talk for talk in reader.conversations()}
    assert reader.problems == []
    assert [sum(len(talk.sittings) for talk in talks.values()), sum(len(t.questions) for t in talks.values())] == [
        272,
        1986,
    ]
    asked = {talk.question_id(question): question for talk in talks.values() for question in talk.questions}
    turns = {id: {said.id for sitting in talk.sittings for said in sitting.said} for id, talk in talks.items()}
    for episode in load(path)[0]:
        told = {turn.id: turn.text for session in episode.sessions for turn in session.turns}
        assert all(sentence in told[fact.turns[0]] for fact in episode.facts for sentence in fact.evidence)
    for id, entry in errata.load().entries.items():
        assert errata.load().entry(id, asked[id]) is entry, id
        assert set(entry.evidence) <= turns[id.partition("/")[0]], id


# ------------------------------------------------------------------ files


Change = Callable[[dict[str, Any]], object]
BROKEN: list[tuple[Change, str]] = [
    (lambda talk: talk.pop("conversation"), "sample 1: it has no conversation"),
    (lambda talk: talk.update(qa=[]), "sample 1 (talk-1): it has no questions"),
    (lambda talk: talk.update(qa={}), "sample 1 (talk-1): its qa is no list"),
    (lambda talk: talk["conversation"].update(speaker_b="Ada"), "must name two people, not 'Ada' and 'Ada'"),
    (lambda talk: talk["conversation"].update(session_2=[7]), "session_2, turn 1: it is no object"),
    (lambda talk: talk["conversation"].update(session_2="x"), "session_2: it is no list of turns"),
    (lambda talk: talk["conversation"]["session_2"][0].update(speaker="Cy"), "the speaker 'Cy' is neither Ada nor Bo"),
    (lambda talk: talk["conversation"]["session_2"][1].update(dia_id="D2:1"), "session_2, turn 2: its dia_id D2:1"),
    (lambda talk: talk.update(conversation={"speaker_a": "Ada", "speaker_b": "Bo"}), "has no session_1"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_a_broken_conversation_is_named_and_the_next_one_used(change: Change, message: str, tmp_path: Path) -> None:
    bad = copy.deepcopy(TALK)
    change(bad)
    with pytest.raises(BadInput, match=r"locomo10\.json, sample 1") as refused:
        load(write(tmp_path / "locomo10.json", bad))
    assert message in str(refused.value)
    episodes, about = load(write(tmp_path / "locomo10.json", bad, {**TALK, "sample_id": "talk-2"}))
    assert [episode.id for episode in episodes] == ["talk-2"]
    assert message in about["problems"][0]
    assert about["problems"][0].endswith("it was left out")


QUESTIONS = [
    ({"category": 9, "question": "Why?", "answer": "so"}, "its category is 9, not one of 1 to 5"),
    ({"category": 4, "question": "Why?"}, "it has no answer"),
    ({"category": 4, "answer": "so"}, "it has no question"),
    ("Why?", "it has no question"),
]


@pytest.mark.parametrize(("row", "message"), QUESTIONS)
def test_a_broken_question_is_named_and_the_others_are_asked(row: Any, message: str, tmp_path: Path) -> None:
    episodes, about = load(write(tmp_path / "a.json", {**TALK, "qa": [row, TALK["qa"][0]]}))
    assert [probe.id for probe in episodes[0].probes] == ["talk-1/q1"]
    assert about["problems"] == [f"{tmp_path / 'a.json'}, sample 1 (talk-1), question 0: {message}; it was left out"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is no JSON"),
        ("[", "is no JSON"),
        ("[]", "holds no conversations"),
        ("{}", "is no list of conversations"),
        ("7", "is no list of conversations"),
        (json.dumps([TALK, TALK])[:-200], "is no JSON"),
    ],
)
def test_a_file_that_is_none_of_locomos_is_refused_with_the_remedy(cli: Cli, content: str, message: str) -> None:
    Path("a.json").write_text(content)
    told = cli("run", "--suite", "locomo", "--data", "a.json", "--system", "none", "--out", "r", code=1).err
    assert message in told
    assert "memtriage data pull locomo" in told


def test_without_a_file_or_with_a_wrong_option_one_sentence_says_what_to_do(cli: Cli, file: Path) -> None:
    run = ("run", "--suite", "locomo", "--system", "none", "--out", "r")
    assert "memtriage data pull locomo" in cli(*run, code=1).err
    assert "memtriage data pull locomo" in cli("data", "generate", "locomo", "--out", "d", code=1).err
    assert "memtriage data pull locomo" in cli(*run, "--data", "nowhere.json", code=1).err
    Path("empty").mkdir()
    assert "memtriage data pull locomo" in cli(*run, "--data", "empty", code=1).err
    for option, meant in (
        ("--gold=as-releasd", "as-released"),
        ("--stores=speaker", "speakers"),
        ("--captions=on", "yes or no"),
    ):
        assert meant in cli(*run, "--data", str(file), option, code=1).err


def test_hostile_names_reach_neither_terminal_nor_page(cli: Cli, tmp_path: Path) -> None:
    evil = copy.deepcopy(TALK) | {"sample_id": "../../x\x1b[31m<script>alert(1)</script>"}
    evil["qa"][2]["evidence"] = ["<i>\x1b[31m"]
    path = write(tmp_path / "a.json", evil)
    told = cli("run", "--suite", "locomo", "--data", str(path), "--system", "bm25", "--k", "2", "--out", "r")
    assert "\x1b" not in told.out + told.err
    assert "<script>alert(1)" not in Path("r/report.html").read_text()
    assert not (tmp_path.parent / "x").exists()


def test_twins_and_odd_dates_are_named(tmp_path: Path) -> None:
    odd = copy.deepcopy(TALK)
    odd["conversation"] |= {"session_1_date_time": "1:56 pm on 8 May, 2024", "session_2_date_time": "soon <b>"}
    episodes, about = load(write(tmp_path / "a.json", odd, odd))
    assert len(episodes) == 1
    assert episodes[0].sessions[1].timestamp is None
    found = " ".join(about["problems"])
    assert "session_2: its date can't be read" in found
    assert "not in order of time" in found
    assert "'talk-1' stands in the file twice; it was left out" in found


def test_validate_and_stats_read_the_file(cli: Cli, file: Path) -> None:
    told = cli("data", "validate", str(file), "--suite", "locomo").out
    assert "1 row, 0 errors, 2 warnings" in told
    table = cli("data", "stats", "locomo", "--data", str(file)).out
    assert re.search(r"all\s+3\s+5\s+1\s+1\s+1\s+1\s+2\s+1\s+6", table)
    file.write_text("{")
    assert "is no JSON" in cli("data", "validate", str(file), "--suite", "locomo", code=1).out


def test_the_file_is_pulled_checked_and_noted(cli: Cli, site: Site, tmp_path: Path) -> None:  # noqa: F811
    where = "/snap-research/locomo/main/data/locomo10.json"
    site.files[where] = json.dumps([TALK]).encode()
    cli("data", "pull", "locomo", "--endpoint", site.url, "--out", "d", "-q")
    note = json.loads(Path("d/pull.json").read_text())["files"][0]
    assert (note["conversations"], note["questions"], note["path"]) == (1, 6, "locomo10.json")
    assert [episode.id for episode in load(Path("d"))[0]] == ["talk-1"]
    site.files[where] = b"<html>"
    assert "is not LoCoMo's file" in cli("data", "pull", "locomo", "--endpoint", site.url, "--out", "e", code=1).err
