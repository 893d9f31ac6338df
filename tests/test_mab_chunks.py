"""A long context in chunks: as large as asked for, on sentence borders, wrapped and dated, nothing lost."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.errors import BadInput
from memtriage.core.suite import Request
from memtriage.suites.memoryagentbench.chunks import chunks
from memtriage.suites.memoryagentbench.context import Context
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.generate.plan import Plan, generated
from memtriage.suites.memoryagentbench.kinds import KINDS, SPECS, Kind
from memtriage.suites.memoryagentbench.suite import load
from memtriage.text.sentences import spans
from memtriage.text.tokens import count_tokens

EVERY = pytest.mark.parametrize("kind", KINDS)
BLOCKS = ("icl", "recommendation")


def generate(kind: Kind) -> Context:
    return next(generated(Plan.of(kind, 3, {"length": "12k"}), seed=5))


@EVERY
@pytest.mark.parametrize("tokens", [512, 4096])
def test_chunks_hold_what_was_asked_for_and_could_not_hold_more(kind: Kind, tokens: int) -> None:
    text = generate(kind).text
    cut = chunks(text, tokens, kind, "here")
    sizes = [count_tokens(text[chunk.start : chunk.end]) for chunk in cut]
    assert max(sizes) <= tokens
    borders = [end for _, end in spans(text)]
    for chunk, size in zip(cut[:-1], sizes, strict=False):
        units = [m.start() for m in re.finditer(r"\n\n|\Z", text)] if kind in BLOCKS else borders
        more = next(end for end in units if end > chunk.end)
        larger = count_tokens(text[chunk.start : more])
        if kind not in BLOCKS or larger - size <= tokens:  # a talk larger than a chunk is cut into its sentences
            assert larger > tokens


@EVERY
def test_nothing_is_lost_and_no_sentence_is_torn(kind: Kind) -> None:
    text = generate(kind).text
    cut = chunks(text, 512, kind, "here")
    assert "".join(text.split()) == "".join("".join(text[chunk.start : chunk.end].split()) for chunk in cut)
    starts, ends = {start for start, _ in spans(text)}, {end for _, end in spans(text)}
    assert all(chunk.start in starts and chunk.end in ends for chunk in cut)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["Ada swims.", "12. Bo is 3.", "No!", '"So?"', "Über Ähren…", "漢字です。"]), min_size=1),
    st.sampled_from([" ", "\n", "\n\n", " \n", "  "]),
    st.integers(12, 40),
)
def test_no_chunk_is_too_large_whatever_stands_between_sentences(lines: list[str], gap: str, tokens: int) -> None:
    text = gap.join(lines)
    for chunk in chunks(text, tokens, "eventqa", "here"):
        assert count_tokens(text[chunk.start : chunk.end]) <= tokens


@EVERY
def test_every_chunk_is_a_dated_message_that_asks_to_keep_it_in_mind(kind: Kind) -> None:
    context = generate(kind)
    told = episode(context)
    cut = chunks(context.text, SPECS[kind].chunk, kind, "here")
    assert len(told.sessions) == len(cut)
    for session, chunk in zip(told.sessions, cut, strict=True):
        [turn] = session.turns
        assert turn.role == "user"
        assert f"\n\n{context.text[chunk.start : chunk.end]}\n\nPlease keep this in mind" in turn.text
    times = [datetime.fromisoformat(str(session.timestamp)) for session in told.sessions]
    assert all(later - earlier == timedelta(minutes=10) for earlier, later in pairwise(times))
    assert bool(told.coarse) is (SPECS[kind].chunk == 512)
    assert len(told.coarse) < len(told.sessions)


def test_a_chunk_smaller_than_a_sentence_is_refused_with_its_place() -> None:
    with pytest.raises(BadInput, match=r"a_novel: a sentence of \d+ tokens is longer than a chunk of 3 \('Ada swims"):
        chunks("Go. Ada swims across the lake at night.", 3, "eventqa", "a_novel")
    with pytest.raises(BadInput, match="at least 1 token, not 0"):
        chunks("Go.", 0, "eventqa", "a_novel")


def test_fewer_questions_than_asked_for_are_reported() -> None:
    few = load("longmemeval", Request(rows=40, options={"length": "6k"}))
    asked = sum(len(each.probes) for each in few.episodes)
    assert few.provenance["rows"] == asked
    assert 0 < asked < 40
    told = f"longmemeval: 6000 tokens hold {asked} questions, not the 40 asked for"
    assert told in str(few.provenance["problems"])
    enough = load("sh-docqa", Request(rows=3, options={"length": "6k"}))
    assert sum(len(each.probes) for each in enough.episodes) == enough.provenance["rows"] == 3
    assert "problems" not in enough.provenance


def test_a_book_without_a_model_is_refused() -> None:
    with pytest.raises(BadInput, match="eventqa takes a book and a model"):
        Plan.of("eventqa", 3, {"from": "book.txt"})
