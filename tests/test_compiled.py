"""Compiled code and the Python that stands in for it come to the same, to the last bit."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.episode import Turns
from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.question import Question
from memtriage.suites.longmemeval.released import files
from memtriage.suites.longmemeval.released import stream as stream_module
from memtriage.suites.longmemeval.released.complaints import Complaints
from memtriage.suites.longmemeval.released.files import Entries
from memtriage.suites.longmemeval.released.reading import QuestionReader
from memtriage.systems.retrieval import blocks, word_table
from memtriage.systems.retrieval import bm25 as bm25_module
from memtriage.systems.retrieval.blocks import Packed
from memtriage.systems.retrieval.bm25 import Corpus
from same_files import assert_same
from test_longmemeval_files import AWKWARD, FORMS, TEXTS, entry, histories

compiled = pytest.importorskip("memtriage.systems.retrieval._compiled", reason="there is no compiler here")
sessions_module = pytest.importorskip("memtriage.suites.longmemeval.released._sessions")

PLAIN = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": TEXTS}, optional={"has_answer": st.booleans()}
)


# ------------------------------------------------------------------ sessions from JSON


def questions(path: Path, block: int) -> tuple[list[Question | None], list[str]]:
    """The questions of a file that is read in blocks of some bytes, and what is said of it."""
    complaints = Complaints(path)
    reader = QuestionReader(complaints)
    with mock.patch.object(stream_module, "_BLOCK", block):
        try:
            found = [reader.question(n, one) for n, one in Entries(path, complaints.of_file, chats=True)]
        except BadInput as error:
            return [], [str(error)]
    return found, complaints.lines()


def assert_read_alike(path: Path, block: int) -> None:
    with mock.patch.object(files, "read_sessions", None):
        expected = questions(path, block)
    assert questions(path, block) == expected


@st.composite
def usual_files(draw: st.DrawFn) -> bytes:
    """Entries whose sessions are in the usual form, or nearly."""
    pool = draw(st.lists(st.lists(PLAIN, min_size=1, max_size=4), min_size=1, max_size=4))
    made = []
    for number in range(draw(st.integers(1, 5))):
        drawn = draw(st.lists(st.integers(0, len(pool) - 1), min_size=2, max_size=2))
        ids = [f"talk_{place}" for place in drawn]
        made.append(
            entry(f"q{number}", haystack_session_ids=ids, haystack_sessions=[pool[place] for place in drawn])
            | {"answer_session_ids": ids[-1:]}
        )
    return json.dumps(made, **draw(st.sampled_from(FORMS))).encode("utf-8", "replace")


@given(body=usual_files(), block=st.sampled_from([16, 50, 300, 5000]))
@settings(max_examples=150, deadline=None)
def test_usual_sessions_are_read_alike(body: bytes, block: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("usual") / "f.json"
    path.write_bytes(body)
    assert_read_alike(path, block)


@given(made=histories(), block=st.sampled_from([16, 50, 300, 5000]))
@settings(max_examples=100, deadline=None)
def test_odd_entries_are_read_alike(made: Any, block: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("odd") / "f.json"
    path.write_bytes(made[1])
    assert_read_alike(path, block)


@given(body=usual_files(), block=st.sampled_from([16, 50, 5000]), data=st.data())
@settings(max_examples=150, deadline=None)
def test_broken_files_are_read_alike(
    body: bytes, block: int, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = data.draw(st.integers(0, len(body) - 1))
    gone = data.draw(st.sampled_from([0, 1, 2, 9, len(body)]))
    put = data.draw(st.sampled_from([b"", b'"', b"\\", b"\\u", b"\\ud83d", b"\x00", b"]", b"}", b"\xff", b"\xc3"]))
    path = tmp_path_factory.mktemp("broken") / "f.json"
    path.write_bytes(body[:place] + put + body[place + gone :])
    assert_read_alike(path, block)


def test_what_stands_between_sessions_and_what_follows_is_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    one = json.dumps(entry("q1"))
    for between in ("x", " ", ":", "]", "{", ", ,", "", " \n,", ",", "}", "\t}", "\x0b,", "]}"):
        path.write_text(f"[{one}, {one.replace(']], ', f']]{between}', 1)}, {one}]")
        assert_read_alike(path, 5000)


def test_sessions_are_read_alike_wherever_what_was_read_ends(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    made = entry("q1", haystack_sessions=[[{"role": "user", "content": "a" * 2 * files._WINDOW}]] * 2)
    body = json.dumps(made).replace("]], ", "]] \n , ").encode()
    path.write_bytes(body)
    end = body.index(b"]] \n")
    for block in range(end - 2, end + 8):
        assert_read_alike(path, block)


@pytest.mark.parametrize("form", FORMS)
def test_texts_that_are_read_late_are_what_stands_there_wherever_they_end(form: dict[str, Any]) -> None:
    told = ["said\n", 'said "', "\\", "said /", "\ttab", "half an ü", "all 😀", *(text for text in AWKWARD if text)]
    told = [text for text in told if text.isascii() or text.encode("utf-8", "replace").decode() == text]
    for text in told:
        session = [{"role": "user", "content": "tell"}, {"role": "assistant", "content": text}]
        body = json.dumps([session], **form).encode() + b"\n}"
        read = sessions_module.read_sessions(body, 1, len(body), ["a"], lambda id: None)
        if not text.strip():
            continue
        ((roles, texts, marks, begin, end),), behind = read
        assert (roles, marks, behind) == (["user", "assistant"], [], len(body) - 1)
        assert json.loads(body[begin:end]) == session
        again = pickle.loads(pickle.dumps(texts))
        assert [texts[1], texts[-1], texts[0:2], list(texts), again] == [text, text, *[["tell", text]] * 3]


@given(made=st.lists(st.lists(PLAIN, min_size=1, max_size=3), min_size=1, max_size=3), form=st.sampled_from(FORMS))
@settings(max_examples=60, deadline=None)
def test_a_list_that_is_cut_anywhere_asks_for_more_or_is_left_to_others(made: list[Any], form: dict[str, Any]) -> None:
    body = json.dumps(made, **form).encode("utf-8", "replace")
    ids = [f"s{number}" for number in range(len(made))]
    for end in range(1, len(body)):
        try:
            found = sessions_module.read_sessions(body[:end] + b"\xff" * 64, 1, end, ids, lambda id: None)
        except EOFError:
            continue
        assert found is None


# ------------------------------------------------------------------ words, scores, what somebody said

LETTERS = st.text(alphabet=[*"aAbZ0_9 -'\n.,", "ä", "ß", "İ", "\u2028", "日", "😀", "\ud83d"], max_size=90) | st.text()


def table(kind: Any) -> Any:
    """A table that numbers words as they come; of what is odd, words of up to five letters have none."""
    numbers: dict[str, int] = {"the": word_table.NONE}

    def learn(word: str) -> int:
        return numbers.setdefault(word, len(numbers))

    def learn_odd(run: bytes) -> list[int]:
        return [learn(part) for part in run.decode().split("_") if len(part) > 5]

    return kind(learn, learn_odd)


@given(st.lists(st.lists(LETTERS | st.sampled_from(["the", "x" * 16, "X" * 17, "abcdefgh" * 8])), max_size=4))
@settings(max_examples=200, deadline=None)
def test_words_have_the_same_numbers(lots: list[list[str]]) -> None:
    one, other = table(compiled.WordTable), table(word_table.WordTable)
    for texts in lots:
        read, expected = (each.read(texts) for each in (one, other))
        assert [np.frombuffer(part, dtype=np.int32).tolist() for part in read] == [
            np.frombuffer(part, dtype=np.int32).tolist() for part in expected
        ]


def test_many_words_have_the_same_numbers() -> None:
    one, other = table(compiled.WordTable), table(word_table.WordTable)
    texts = [" ".join(f"{'word' * (n % 5)}{n}" for n in range(start, start + 3000)) for start in range(0, 30_000, 2500)]
    for _ in range(2):
        assert one.read(texts) == other.read(texts)


@given(
    texts=st.lists(st.lists(st.integers(0, 30), max_size=12), min_size=1, max_size=12),
    query=st.lists(st.integers(0, 40), min_size=1, max_size=12),
    k1=st.sampled_from([0.0, 1.2, 1.5]),
    b=st.sampled_from([0.0, 0.75, 1.0]),
)
@settings(max_examples=200, deadline=None)
def test_scores_are_the_same(texts: list[list[int]], query: list[int], k1: float, b: float) -> None:
    if not any(texts):
        return
    data = np.array([word for text in texts for word in text], dtype=np.int32).tobytes()
    corpus = Corpus([Packed(data, np.array([4 * len(text) for text in texts], dtype=np.int32).tobytes())])
    words = np.array(query, dtype=np.int32)
    found = corpus.scores(words, k1, b, 41)
    with mock.patch.object(bm25_module, "bm25_scores", None):
        assert corpus.scores(words, k1, b, 41).tolist() == found.tolist()


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), LETTERS | st.sampled_from(["", " \n", "\u2003"]))))
def test_the_same_was_said(told: list[tuple[str, str]]) -> None:
    turns = Turns("s", range(len(told)), [role for role, _ in told], [text for _, text in told])
    found = blocks._said(turns, "user")
    with mock.patch.object(blocks, "said", None):
        places, texts = blocks._said(turns, "user")
    assert (list(found[0]), found[1]) == (list(places), texts)


# ------------------------------------------------------------------ without a compiler


WITHOUT = """
import sys

sys.modules["memtriage.systems.retrieval._compiled"] = None
sys.modules["memtriage.suites.longmemeval.released._sessions"] = None
from memtriage.cli.main import main

main()
"""


def test_a_run_without_compiled_code_comes_to_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "longmemeval_s.json").write_text(json.dumps([entry(f"q{n}") for n in range(6)]))
    command = ["run", "--suite", "longmemeval", "--data", str(tmp_path / "longmemeval_s.json")]
    command += ["--system", "bm25", "--system", "dense", "--jobs", "1"]
    for name, start in (("with", ["-m", "memtriage"]), ("without", ["-c", WITHOUT])):
        run = [sys.executable, *start, *command, "--out", str(tmp_path / name)]
        done = subprocess.run(run, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert_same(tmp_path / "with", tmp_path / "without")
