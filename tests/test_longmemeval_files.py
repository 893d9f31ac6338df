"""LongMemEval's files: found, streamed, mended where they are broken, downloaded."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput
from memtriage.core.suite import Loaded, Request
from memtriage.suites.kit.datasets import Hashing
from memtriage.suites.kit.dates import parse_date
from memtriage.suites.longmemeval.question import Question
from memtriage.suites.longmemeval.released import files
from memtriage.suites.longmemeval.released import stream as stream_module
from memtriage.suites.longmemeval.released.complaints import Complaints
from memtriage.suites.longmemeval.released.files import Entries, find, size_of
from memtriage.suites.longmemeval.released.pull import RELEASED, pull_longmemeval, splits_of
from memtriage.suites.longmemeval.released.reading import ChatCache, QuestionReader
from memtriage.suites.longmemeval.suite import SUITE, load
from test_memfail_pull import Site
from test_memfail_pull import site as site  # the server of that file's tests

Entry = dict[str, Any]


def entry(id: str = "q1", **changes: Any) -> Entry:
    """A small question of two sessions, of which the second holds the evidence."""
    made: Entry = {
        "question_id": id,
        "question_type": "single-session-user",
        "question": "Which instrument did I take up?",
        "answer": "the bassoon",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/24 (Wed) 10:00"],
        "haystack_session_ids": ["talk_1", "answer_1"],
        "haystack_sessions": [
            [{"role": "user", "content": "How do tides work?"}, {"role": "assistant", "content": "The moon pulls."}],
            [
                {"role": "user", "content": "Any warm-ups? By the way, I took up the bassoon.", "has_answer": True},
                {"role": "assistant", "content": "Long tones help.", "has_answer": False},
            ],
        ],
        "answer_session_ids": ["answer_1"],
    }
    made |= changes
    return {key: value for key, value in made.items() if value is not ...}


def save(path: Path, *entries: Any, name: str = "longmemeval_s.json") -> Path:
    (path / name).write_text(json.dumps(list(entries)), encoding="utf-8")
    return path / name


def read(path: Path, **options: str) -> tuple[list[Episode], Loaded]:
    loaded = load("s", Request(data=path, options=options))
    return list(loaded.episodes), loaded


def read_entries(tmp_path: Path, *entries: Any) -> tuple[list[Episode], str]:
    """The episodes of a file of these entries, and everything that was said of them."""
    episodes, loaded = read(save(tmp_path, *entries))
    problems = loaded.provenance["problems"]
    assert isinstance(problems, list)
    assert all(str(tmp_path / "longmemeval_s.json") in line for line in problems)
    return episodes, "\n".join(problems)


def question(made: Entry) -> Question:
    found = QuestionReader(Complaints(Path("f.json"))).question(1, made)
    assert found is not None
    return found


# ------------------------------------------------------------------ finding


def test_a_folder_gives_the_cleaned_file_of_the_size_asked_for(tmp_path: Path) -> None:
    names = (
        "longmemeval_s.json",
        "longmemeval_s_cleaned.json",
        "longmemeval_m",
        "longmemeval_oracle.json",
        "pull.json",
    )
    for name in names:
        (tmp_path / name).write_text("[]")
    assert [find(tmp_path, size).path.name for size in ("s", "m", "oracle")] == [names[1], names[2], names[3]]
    (tmp_path / "longmemeval_m").unlink()
    with pytest.raises(
        BadInput, match=r"has no longmemeval_m\*.json: there are longmemeval_oracle.json, longmemeval_s"
    ):
        find(tmp_path, "m")
    with pytest.raises(BadInput, match="does not exist"):
        find(tmp_path / "nowhere", "s")


def test_a_plain_file_is_read_whatever_its_name_and_named_after_it(tmp_path: Path) -> None:
    for name, task in (("mine.json", "s"), ("longmemeval_oracle.json", "oracle"), ("longmemeval_m_x.json", "m")):
        (episode,), _ = read(save(tmp_path, entry(), name=name))
        assert episode.task == f"longmemeval/{task}"
    assert size_of(Path("longmemeval_sample.json")) is None


def test_only_s_runs_where_no_size_is_named() -> None:
    assert [task.name for task in SUITE.select(None)] == ["longmemeval/s"]
    assert [task.name for task in SUITE.select("m")] == ["longmemeval/m"]


# ------------------------------------------------------------------ streaming


@pytest.mark.parametrize("lines", [False, True])
def test_entries_come_in_order(tmp_path: Path, lines: bool) -> None:
    entries = [entry(f"q{n}", note='ünïcödé \\" } ] 😀') for n in range(30)]
    text = (
        "\n".join(map(json.dumps, entries)) if lines else "\ufeff" + json.dumps(entries, indent=1, ensure_ascii=False)
    )
    path = tmp_path / "f.json"
    path.write_bytes(text.encode())
    said: list[str] = []
    stream = Entries(path, said.append)
    assert [found for _, found in stream] == entries
    assert not said


def big(path: Path, entries: int = 40, size: int = 500_000) -> Path:
    """A file of 20 MB."""
    filling = [{"role": "user", "content": "x y " * (size // 40)}] * 10
    with path.open("w") as file:
        for number in range(entries):
            file.write(("," if number else "[") + json.dumps(entry(f"q{number}", filling=filling)))
        file.write("]")
    return path


def test_the_first_entry_is_there_before_the_rest_is_read_and_memory_stays_small(tmp_path: Path) -> None:
    path = big(tmp_path / "f.json")
    size = path.stat().st_size
    assert size > 20_000_000
    stream = Entries(path, pytest.fail)
    assert next(iter(stream))[0] == 1
    assert stream.bytes_read < size / 4
    tracemalloc.start()
    try:
        stream = Entries(path, pytest.fail)
        assert sum(1 for _ in stream) == 40
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < size / 3  # a few blocks and one entry, whatever the file's size


def test_hashing_runs_alongside_and_reports_what_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"")
    assert Hashing(path).result() == (hashlib.sha256(b"").hexdigest(), 0)
    path.write_bytes(b"x" * 20_000_000)
    assert Hashing(path).result() == (hashlib.sha256(b"x" * 20_000_000).hexdigest(), 20_000_000)
    with pytest.raises(BadInput, match="gone can't be read"):
        Hashing(tmp_path / "gone").result()


def test_with_fewer_rows_the_hash_is_still_that_of_the_file(tmp_path: Path) -> None:
    path = save(tmp_path, *(entry(f"q{n}") for n in range(9)))
    loaded = load("s", Request(data=path, rows=2))
    assert [episode.id for episode in loaded.episodes] == ["q0", "q1"]
    assert loaded.provenance["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert loaded.provenance["rows"] == 2


def test_a_chat_that_recurs_is_the_same_object() -> None:
    reader = QuestionReader(Complaints(Path("f.json")))
    one, two = reader.question(1, entry("q1")), reader.question(2, entry("q2"))
    other = reader.question(3, json.loads(json.dumps(entry("q3")).replace("The moon pulls", "The sun pulls")))
    assert one is not None
    assert two is not None
    assert other is not None
    assert one.history[0].chat is two.history[0].chat
    assert one.history[0].chat != other.history[0].chat


def test_the_chat_cache_is_bounded() -> None:
    chats = ChatCache(most=3000)
    reader = QuestionReader(Complaints(Path("f.json")), chats)
    for number in range(200):
        made = json.dumps(entry(f"q{number}")).replace("tides", f"tides {number} " + "and so on " * 20)
        assert reader.question(number, json.loads(made))
    assert chats.weight <= 3000


# ------------------------------------------------------------------ sessions that recur

AWKWARD = (
    '}], [{"role": "user", "content": "',
    '}],[{"role"',
    ']], "answer_session_ids": [',
    ', "haystack_sessions": [[',
    '"haystack_sessions"',
    '}, {"question_id": "q", ',
    "\\",
    '\\"',
    "\\\\",
    "\\u005d",
    "\n}\n]\n]\n",
    "]]}",
    "ü",
    "😀",
    "\u2028",
    "\x00",
    "\ud83d",  # half a character: written as an escape where files are ASCII, else not at all
    "[{",
    "said",
)
TEXTS = st.lists(st.sampled_from(AWKWARD), max_size=4).map("".join) | st.text(max_size=12)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "x"]), "content": TEXTS},
    optional={"has_answer": st.booleans() | st.none(), "more": st.lists(st.lists(TEXTS, max_size=2), max_size=2)},
)
SESSIONS = st.lists(MESSAGES, max_size=3)
FORMS: tuple[dict[str, Any], ...] = (
    {},
    {"separators": (",", ":")},
    {"indent": 0},
    {"indent": 3, "ensure_ascii": False},
    {"indent": "\t", "separators": (" ,", " : ")},
)


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Entry], bytes]:
    """Entries that share sessions, in any order of their keys, and a file of them in one of the usual forms."""
    pool = draw(st.lists(st.tuples(st.sampled_from(["a", "b", "answer_c", "d"]), SESSIONS), min_size=1, max_size=5))
    odd: st.SearchStrategy[Any] = st.sampled_from(
        [None, 7, "none", {}, {"haystack_sessions": [[{"role": "user"}]]}, [[]], ["x", []]]
    )
    made = []
    for number in range(draw(st.integers(1, 4))):
        drawn = draw(st.lists(st.sampled_from(pool), max_size=5))
        one = entry(
            f"q{number}",
            question=draw(TEXTS),
            haystack_session_ids=[id for id, _ in drawn],
            haystack_sessions=[session for _, session in drawn],
        )
        for key in draw(st.lists(st.sampled_from(["more", *one]), max_size=1)):
            one[key] = draw(odd)
        keys = draw(st.permutations(list(one))) if draw(st.booleans()) else list(one)
        made.append({key: one[key] for key in keys})
    form = draw(st.sampled_from(FORMS))
    lines = draw(st.booleans()) and "indent" not in form
    pieces = [json.dumps(one, **form) for one in made] if lines else [json.dumps(made, **form)]
    texts = [piece.encode("utf-8", "replace").decode() for piece in pieces]  # half a character can't be written
    read = [json.loads(text) for text in texts]
    return read if lines else read[0], "\n".join(texts).encode()


def parsed(path: Path, body: bytes, patience: int, step: int) -> tuple[list[tuple[int, object]], list[str]]:
    """What is read of a file with blocks of some bytes, and what is said of it.

    Without patience every entry is parsed as a whole; few sessions are remembered, so that some are forgotten.
    """
    path.write_bytes(body)
    said: list[str] = []
    with (
        mock.patch.multiple(files, _MOST_UNUSUAL=patience, _WINDOW=step, _HELD=40 * step),
        mock.patch.object(stream_module, "_BLOCK", 3 * step),
    ):
        stream = Entries(path, said.append)
        try:
            found = list(stream)
        except BadInput as error:
            return [], [str(error)]
        return found, said


@given(made=histories(), step=st.sampled_from([1, 7, 40, 1000]))
@settings(max_examples=150, deadline=None)
def test_sessions_that_recur_are_what_a_parser_of_the_whole_gives(
    made: tuple[list[Entry], bytes], step: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    entries, body = made
    path = tmp_path_factory.mktemp("made") / "f.json"
    found, said = parsed(path, body, 100, step)
    assert [number for number, _ in found] == list(range(1, len(entries) + 1))
    assert [one for _, one in found] == entries
    assert [list(one) for _, one in found] == [list(one) for one in entries]  # type: ignore[call-overload]
    assert not said


@given(made=histories(), step=st.sampled_from([1, 7, 40, 1000]), data=st.data())
@settings(max_examples=150, deadline=None)
def test_of_broken_files_the_same_is_read_and_said_as_by_a_parser_of_the_whole(
    made: tuple[list[Entry], bytes], step: int, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    body = made[1]
    place = data.draw(st.integers(0, len(body) - 1))
    gone = data.draw(st.sampled_from([0, 1, 2, 9, len(body)]))
    put = data.draw(st.sampled_from([b"", b'"', b"\\", b",", b"]", b"[", b"}", b"{", b"x", b"\xff", b"\xc3", b" , "]))
    broken = body[:place] + put + body[place + gone :]
    path = tmp_path_factory.mktemp("broken") / "f.json"
    assert parsed(path, broken, 100, step) == parsed(path, broken, 0, step)


@pytest.mark.parametrize("step", [1, 40, 150, 300])
def test_a_cut_file_never_shows_bytes_of_an_earlier_block(step: int, tmp_path: Path) -> None:
    body = json.dumps([entry(f"q{n}") for n in range(5)]).encode()  # alike and equally long
    for cut in range(len(body) * 3 // 5, len(body), 11):
        found, said = parsed(tmp_path / "f.json", body[:cut], 100, step)
        assert len(found) == body[:cut].count(b'"answer_session_ids": ["answer_1"]}')
        assert len(said) == 1
        assert "cut" in said[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [(', "haystack_sessions"', ' "haystack_sessions"'), ("]}", "],}"), ("]}", "],[]}"), ("]}", ']x"a": 1}')],
)
def test_misplaced_commas_are_refused_as_json_does(old: str, new: str, tmp_path: Path) -> None:
    one = {"question_id": "q1", "haystack_session_ids": ["a", "b"], "n": 12, "haystack_sessions": [[], [{}]]}
    text = json.dumps(one)
    assert len(parsed(tmp_path / "f.json", text.encode(), 100, 1000)[0]) == 1
    found, said = parsed(tmp_path / "f.json", new.join(text.rsplit(old, 1)).encode(), 100, 1000)
    assert not found
    assert "entry 1" in said[0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("last", ["answer_session_ids", "haystack_sessions"])
def test_a_session_that_recurs_is_the_same_object_and_so_is_its_chat(
    form: dict[str, Any], last: str, tmp_path: Path
) -> None:
    made = [entry(f"q{n}") for n in range(6)]
    made[4]["haystack_sessions"][1][0]["has_answer"] = False
    made = [{key: one[key] for key in sorted(one, key=lambda key: key == last)} for one in made]
    path = tmp_path / "f.json"
    path.write_text(json.dumps(made, **form))
    reader = QuestionReader(Complaints(path))
    lists = [each["haystack_sessions"] for _, each in Entries(path, pytest.fail)]  # type: ignore[index]
    once, twice, one, _, two, three = lists
    assert once == twice == one == made[0]["haystack_sessions"]
    assert one[0] is two[0] is three[0]  # held from the third time on
    assert one[1] is three[1]
    assert one[1] != two[1]
    questions = [reader.question(n, each) for n, each in Entries(path, pytest.fail, chats=True)]
    alone, _, first, _, second, third = questions
    assert alone is not None
    assert first is not None
    assert second is not None
    assert third is not None
    assert alone.history == first.history
    plain = reader.question(8, entry("q8"))  # of no file: it is known by what it says
    assert plain is not None
    chats = [[dated.chat for dated in question.history] for question in (first, second, third, plain)]
    assert chats[0][0] is chats[1][0] is chats[2][0]
    assert chats[0][1] is chats[2][1]
    assert chats[0][1] != chats[1][1]
    assert chats[3] == chats[0]
    again = reader.question(9, entry("q9"))
    assert again is not None
    assert [dated.chat for dated in again.history] == chats[3]
    assert all(dated.chat is chat for dated, chat in zip(again.history, chats[3], strict=True))


LONG = "Tides follow the moon, and lag behind it by an hour or so. " * 40

ODD: tuple[dict[str, Any], ...] = (
    {"answer": 123456789012345678901234567890},
    {"question_date": ...},
    {"haystack_sessions": [[{"role": "user", "content": LONG}], [{"role": "human", "content": "The bassoon."}]]},
    {"haystack_sessions": [[{"role": "user", "content": " "}], entry()["haystack_sessions"][1]]},
    {"haystack_sessions": [[{"role": "user", "content": "half \ud83d"}], entry()["haystack_sessions"][1]]},
    {"haystack_sessions": [[{"role": "user", "content": '"question_id": {'}], entry()["haystack_sessions"][1]]},
    {"haystack_session_ids": ["tälk", "answer_1"]},
    {"extra": {"question_id": [1.5, {}]}},
    {"haystack_sessions": [entry()["haystack_sessions"][1]]},
)


@pytest.mark.parametrize("form", FORMS)
def test_compiled_code_reads_entries_as_python_does(form: dict[str, Any], tmp_path: Path) -> None:
    changed = [{"haystack_sessions": [[{"role": "user", "content": LONG}]] * 2}] * 3 + [{}, *ODD] * 2
    made = [
        entry(
            f"q{n}",
            **{"haystack_session_ids": [f"talk_{n}", f"answer_{n}"], "answer_session_ids": [f"answer_{n}"]} | each,
        )
        for n, each in enumerate(changed)
    ]
    path = tmp_path / "f.json"
    path.write_text(json.dumps(made, **{**form, "ensure_ascii": True}))

    def questions() -> tuple[list[Question | None], list[str], list[set[str]]]:
        complaints = Complaints(path)
        reader = QuestionReader(complaints)
        entries: list[tuple[int, Any]] = list(Entries(path, complaints.of_file, chats=True))
        found = [reader.question(n, each) for n, each in entries]
        return found, complaints.lines(), [set(each) & {*made[0], "memtriage"} for _, each in entries]

    compiled = questions()
    with mock.patch.object(files, "read_sessions", None):
        assert questions() == compiled
    assert len(compiled[0]) == len(made)


def test_what_is_wrong_with_a_session_is_said_of_every_question_that_has_it(tmp_path: Path) -> None:
    odd = [
        [{"role": "narrator", "content": "It rains."}],
        [{"content": "It snows."}],
        [{"role": "user", "content": ""}, {"role": "user", "content": "It hails."}],
    ]
    for session in odd:
        made = [entry(f"q{n}", haystack_sessions=[session, entry()["haystack_sessions"][1]]) for n in range(4)]
        episodes, problems = read_entries(tmp_path, *made)
        assert len(episodes) == 4
        assert all(problems.count(repr(one["question_id"])) == 1 for one in made), session


# ------------------------------------------------------------------ bad input


@given(cut=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_wherever_a_file_is_cut_the_whole_entries_before_are_used(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = json.dumps([entry(f"q{n}") for n in range(4)])
    cut %= len(text)
    whole = [end for end in range(len(text)) if text.startswith('"answer_session_ids": ["answer_1"]}', end - 35)]
    path = tmp_path_factory.mktemp("cut") / "f.json"
    path.write_text(text[:cut])
    said: list[str] = []
    if not cut:
        with pytest.raises(BadInput, match="is empty"):
            list(Entries(path, said.append))
        return
    found = list(Entries(path, said.append))
    assert len(found) == sum(end <= cut for end in whole)
    assert len(said) == 1
    assert "cut" in said[0]


def test_a_broken_entry_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    good = json.dumps(entry("q1"))
    broken = json.dumps(entry("q2")).replace('"answer":', '"answer"')
    path = tmp_path / "longmemeval_s.json"
    path.write_text(f"[{good}, {broken}, 7, {json.dumps(entry('q3'))}]")
    episodes, loaded = read(path)
    assert [episode.id for episode in episodes] == ["q1", "q3"]
    problems = "\n".join(loaded.provenance["problems"])  # type: ignore[arg-type]
    assert "entry 2 is no JSON" in problems


@pytest.mark.parametrize("content", [b"", b"hello", b"[]", b"[1, 2]", b'{"a": 1}', b"\xff\xfe[", b"[{}]"])
def test_a_file_without_questions_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "longmemeval_s.json"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"longmemeval_s\.json"):
        read(path)


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = save(tmp_path, entry("q1"), entry("q2"))
    path.write_bytes(path.read_bytes().replace(b"Long tones", b"Long\xfftones", 1))
    episodes, loaded = read(path)
    assert len(episodes) == 2
    assert "not UTF-8" in str(loaded.provenance["problems"])


@pytest.mark.parametrize("step", [1, 7, 40, 1000])
def test_bytes_that_are_no_text_are_replaced_wherever_blocks_end_and_told_once(step: int, tmp_path: Path) -> None:
    text = json.dumps([entry(f"q{n}", question="Wo läuft, was 😀 tönt?") for n in range(4)], ensure_ascii=False)
    body = text.encode().replace(b"moon", b"m\xffn", 1)
    body = b"t\xc3des".join(body.rsplit(b"tides", 1))
    found, said = parsed(tmp_path / "f.json", body, 100, step)
    assert [one for _, one in found] == json.loads(body.decode("utf-8", "replace"))
    assert said == [f"bytes near {body.index(0xFF)} are not UTF-8, and were replaced"]


LEFT_OUT: dict[str, tuple[Entry, str]] = {
    "field": (entry("bad", question=...), "has no question"),
    "fields": (entry("bad", answer=None, haystack_dates=...), "has no answer and no haystack_dates"),
    "type": (entry("bad", question_type="multi-sesion"), "did you mean 'multi-session'"),
    "empty question": (entry("bad", question=" "), "its question is empty"),
    "lengths": (entry("bad", haystack_dates=["2023/05/20 (Sat) 02:21"]), "have 2, 2 and 1 entries"),
    "no lists": (entry("bad", haystack_sessions="none"), "are not all lists"),
    "no dates": (entry("bad", haystack_dates=["soon", "later"]), "none of its sessions has a date"),
    "no history": (entry("bad", haystack_sessions=[[], []]), "no sessions with anything in them"),
    "no evidence": (
        entry("bad", answer_session_ids=["answer_9"], haystack_sessions=entry()["haystack_sessions"][:1] * 2),
        "nothing of its evidence",
    ),
    "when": (entry("bad", question_type="temporal-reasoning", question_date="05/06/2023"), "may hang on it"),
    "twice": (entry("good"), "question 'good': stands there twice"),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_cannot_be_asked_is_left_out_by_name(name: str, tmp_path: Path) -> None:
    bad, why = LEFT_OUT[name]
    episodes, problems = read_entries(tmp_path, entry("good"), bad, entry("last"))
    assert [episode.id for episode in episodes] == ["good", "last"]
    assert why in problems
    assert bad["question_id"] in problems


def sessions(**changes: Any) -> list[Any]:
    """The sessions of the usual question, with something in place of the first message of the first."""
    made = entry()["haystack_sessions"]
    made[0][0] = {"role": "user", "content": "How do tides work?", **changes}
    return [made[0], made[1]]


MENDED: dict[str, tuple[Entry, str]] = {
    "date": (
        entry("odd", haystack_dates=["soon", "2023/05/24 (Wed) 10:00"]),
        "'soon' of its session 'talk_1' can't be",
    ),
    "asked": (entry("odd", question_date=...), "has no question_date; it is taken to be asked at the end"),
    "early": (entry("odd", question_date="2023/05/24 (Wed) 09:59"), "before the end of its history"),
    "evidence": (entry("odd", answer_session_ids=["answer_1", "answer_2"]), "its evidence 'answer_2' is not in"),
    "unnamed": (entry("odd", answer_session_ids=...), "taken from its sessions' ids: answer_1"),
    "order": (entry("odd", haystack_dates=["2023/05/25 (Thu) 02:21", "2023/05/24 (Wed) 10:00"]), "were sorted"),
    "empty": (
        entry("odd", haystack_sessions=[[{"role": "user", "content": " "}], entry()["haystack_sessions"][1]]),
        "session 'talk_1' is empty",
    ),
    "blank": (entry("odd", haystack_sessions=sessions(content="")), "empty messages"),
    "role": (
        entry("odd", haystack_sessions=sessions(role="narrator")),
        "message 1 of 'talk_1' has the role 'narrator'",
    ),
    "same id": (entry("odd", haystack_session_ids=["answer_1", "answer_1"]), "one is called 'answer_1#2'"),
    "unmarked": (
        json.loads(json.dumps(entry("odd")).replace(', "has_answer": true', "")),
        "no message of its evidence 'answer_1' has_answer",
    ),
    "number": (entry("odd", answer=4), "answers that are numbers"),
}


@pytest.mark.parametrize("name", MENDED)
def test_what_can_be_mended_is_kept_and_named(name: str, tmp_path: Path) -> None:
    bad, why = MENDED[name]
    episodes, problems = read_entries(tmp_path, entry("good"), bad, entry("last"))
    assert [episode.id for episode in episodes] == ["good", "odd", "last"]
    assert why in problems
    assert "'odd'" in problems
    assert "'good'" not in problems
    (needed,) = episodes[1].probes[0].sufficient
    assert needed


def test_clean_files_and_usual_oddities_are_not_complained_about(tmp_path: Path) -> None:
    made = entry("q2", haystack_sessions=[list(reversed(session)) for session in entry()["haystack_sessions"]])
    assert read_entries(tmp_path, entry(), made)[1] == ""


def test_troubles_that_many_questions_share_make_one_line(tmp_path: Path) -> None:
    many = [entry(f"q{n}", question_date="2023/05/01 (Mon) 00:00") for n in range(40)]
    episodes, problems = read_entries(tmp_path, *many)
    assert len(episodes) == 40
    assert len(problems.splitlines()) == 1
    assert "40 questions ('q0', 'q1'," in problems


def test_sessions_are_sorted_and_those_without_a_date_stay_beside_their_neighbour() -> None:
    made = entry(
        haystack_dates=["2023/05/26 (Fri) 10:00", "?", "2023/05/24 (Wed) 10:00"],
        haystack_session_ids=["late", "beside", "answer_1"],
        haystack_sessions=[entry()["haystack_sessions"][n] for n in (0, 0, 1)],
    )
    assert [(dated.chat.id, dated.at[:10]) for dated in question(made).history] == [
        ("answer_1", "2023-05-24"),
        ("late", "2023-05-26"),
        ("beside", "2023-05-26"),
    ]


def test_evidence_that_a_generated_file_brings_is_taken_as_it_is(tmp_path: Path) -> None:
    said = "By the way, I took up the bassoon."
    own = {
        "evidence": [{"chat": "answer_1", "message": 0, "texts": [said], "details": ["took up"]}],
        "tags": {"a": "b"},
    }
    (evidence,) = question(entry(memtriage=own)).evidence
    assert (evidence.texts, evidence.details, evidence.outdated) == ((said,), ("took up",), False)
    assert question(entry(memtriage=own)).tags == {"a": "b"}
    own["evidence"][0]["message"] = 9  # type: ignore[index]
    episodes, problems = read_entries(tmp_path, entry("q9", memtriage=own))
    assert "has no message 9" in problems
    assert episodes[0].facts[0].details == ("bassoon", "took") or "bassoon" in episodes[0].facts[0].details[0]


# ------------------------------------------------------------------ dates


@given(st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31)))
def test_dates_are_read_in_every_accepted_form(when: datetime) -> None:
    day = when.replace(second=0, microsecond=0)
    iso = day.isoformat(timespec="minutes")
    for form in (
        f"{day:%Y/%m/%d} ({day:%a}) {day:%H:%M}",
        iso,
        f"{day.isoformat()}Z",
        f"{day:%Y-%m-%d %H:%M}",
        f"{day:%B} {day.day}, {day:%Y} {day:%I:%M %p}",
        f"{day.day} {day:%b} {day:%Y}, {day:%H:%M}",
        f"{day:%I:%M %p} on {day.day} {day:%B}, {day:%Y}",
        f"{day:%d.%m.%Y %H:%M}",
    ):
        assert parse_date(form) == iso, form


@pytest.mark.parametrize(
    "text", ["05/06/2023", "2023/02/30 (Thu) 10:00", "soon", "", "2023", "25:00", None, True, [], 7]
)
def test_what_is_no_date_or_could_be_two_is_not_guessed(text: object) -> None:
    assert parse_date(text) is None


def test_dates_that_can_only_be_read_one_way_are_read() -> None:
    assert parse_date("30/05/2023") == parse_date("05/30/2023") == parse_date("2023-05-30") == "2023-05-30T00:00"
    assert parse_date(1685490000) == "2023-05-30T23:40"


ALMOST = r"20[0-9]{2}[/-][01][0-9][/-][0-3][0-9] \([A-Za-z)]{3}\)[ T][0-2][0-9]:[0-6][0-9]"


@given(st.from_regex(ALMOST, fullmatch=True))
@example("2023/05/20 (Sat) 24:00")
@example("2023/02/30 (Thu) 10:00")
@example("2023-05/20 (Sat) 10:00")
def test_the_dates_of_sessions_are_read_like_any_other(text: str) -> None:
    later = "2023/05/24 (Wed) 10:00"
    history = question(entry(haystack_dates=[text, later])).history
    (at,) = (dated.at for dated in history if dated.chat.id == "talk_1")
    assert at == (parse_date(text) or parse_date(later))


# ------------------------------------------------------------------ options


def test_options_are_checked(tmp_path: Path) -> None:
    path = save(tmp_path, entry())
    with pytest.raises(BadInput, match="brings its own histories; leave out the option sessions"):
        read(path, sessions="50")
    with pytest.raises(BadInput, match="unknown option of suite longmemeval 'errate'; did you mean 'errata'"):
        read(path, errate="on")
    with pytest.raises(BadInput, match="unknown way to use errata 'of'"):
        read(path, errata="of")


# ------------------------------------------------------------------ downloading


def serve(site: Site, split: str, body: bytes) -> None:
    name = RELEASED[split]  # type: ignore[index]
    site.files[f"/datasets/xiaowu0162/longmemeval-cleaned/resolve/main/{name}"] = body


def notes(out: Path) -> Iterator[tuple[str, int]]:
    for file in json.loads((out / "pull.json").read_text())["files"]:
        assert file["sha256"] == hashlib.sha256((out / file["path"]).read_bytes()).hexdigest()
        yield file["path"], file["questions"]


def test_splits_are_pulled_one_by_one_and_noted_together(site: Site, tmp_path: Path) -> None:
    bodies = {split: json.dumps([entry(f"{split}{n}") for n in range(3)]).encode() for split in ("s", "oracle")}
    for split, body in bodies.items():
        serve(site, split, body)
    assert pull_longmemeval(tmp_path, mirror=site.url) == tmp_path
    assert list(notes(tmp_path)) == [("longmemeval_s_cleaned.json", 3)]
    seen: list[tuple[str, int, int | None]] = []
    pull_longmemeval(tmp_path, mirror=site.url, splits=("oracle",), progress=lambda *step: seen.append(step))
    assert list(notes(tmp_path)) == [("longmemeval_s_cleaned.json", 3), ("longmemeval_oracle.json", 3)]
    assert seen[-1] == ("longmemeval_oracle.json", len(bodies["oracle"]), len(bodies["oracle"]))
    assert [episode.id for episode in read(tmp_path)[0]] == ["s0", "s1", "s2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "longmemeval_oracle.json",
        "longmemeval_s_cleaned.json",
        "pull.json",
    ]


def test_a_pull_that_broke_off_is_continued(site: Site, tmp_path: Path) -> None:
    body = json.dumps([entry(f"q{n}") for n in range(50)]).encode()
    serve(site, "s", body)
    site.cut_after = [1000]
    pull_longmemeval(tmp_path, mirror=site.url)
    assert [wanted for _, wanted in site.asked] == [None, "bytes=1000-"]
    assert (tmp_path / "longmemeval_s_cleaned.json").read_bytes() == body


@pytest.mark.parametrize("body", [b"<html>log in</html>", b"[]", b'[{"question_id": "q"}]', b'[{"question_id": "q'])
def test_what_arrives_but_is_no_such_file_leaves_the_old_one(site: Site, tmp_path: Path, body: bytes) -> None:
    serve(site, "s", json.dumps([entry()]).encode())
    pull_longmemeval(tmp_path, mirror=site.url)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    serve(site, "s", body)
    with pytest.raises(BadInput, match="arrived, but is not a file of LongMemEval"):
        pull_longmemeval(tmp_path, mirror=site.url)
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_splits_are_named() -> None:
    assert splits_of({"split": "all"}) == ("s", "m", "oracle")
    assert splits_of({"split": "oracle, m"}) == ("m", "oracle")
    assert splits_of(None) == ("s",)
    with pytest.raises(BadInput, match="unknown split 'orcale'; did you mean 'oracle'"):
        splits_of({"split": "orcale"})
    with pytest.raises(BadInput, match="did you mean 'split'"):
        splits_of({"splits": "s"})
