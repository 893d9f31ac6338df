"""Names cut to the room there is."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtriage.report.labels import short_labels

LME = [f"lme:value={value},key={key},expand=true" for value in ("session", "round") for key in ("value", "value+fact")]
PARTS = st.sampled_from(["lme", "full-context", "value", "session", "round", "50", "500", "…", "メモリ", "\U0001f469"])
VARIANTS = [st.lists(PARTS, max_size=8).map(between.join) for between in (":", ",")]
NAMES = st.lists(st.one_of(st.text(max_size=40), *VARIANTS), max_size=12)


@given(NAMES, st.integers(8, 30))
@example(LME, 16)
@example(["a" * 30 + "…" + "b" * n for n in range(9)], 8)
def test_labels_fit_stay_distinct_and_leave_alone_what_fits(names: list[str], most: int) -> None:
    labels = short_labels(names, most)
    assert list(labels) == list(dict.fromkeys(names))
    assert len(set(labels.values())) == len(labels)
    for name, label in labels.items():
        assert cell_len(label) <= most
        assert label == name or cell_len(name) > most


def test_a_name_that_nothing_resembles_loses_its_end() -> None:
    assert short_labels(["bm25", "my-summariser-of-2026"], 16)["my-summariser-of-2026"] == "my-summariser-o…"


def test_variants_keep_what_they_differ_in() -> None:
    newest = [f"full-context:newest={n}" for n in (50, 500)]
    assert list(short_labels(["full-context", *newest], 16).values()) == [
        *("full-context", "full-context:50", "full-context:500"),
    ]
    assert list(short_labels(newest, 14).values()) == ["full-contex…50", "full-conte…500"]
    # What they share is dropped, then the names of options, then as much of their values as need be.
    assert list(short_labels(LME, 26).values()) == [
        *("lme:session,value", "lme:session,value+fact", "lme:round,value", "lme:round,value+fact"),
    ]
    assert list(short_labels(LME, 16).values()) == [
        *("lme:sess…,value", "lme:sess…,v…fa…", "lme:round,value", "lme:round,v…fa…"),
    ]


def test_addresses_and_files_keep_their_ends() -> None:
    ports = short_labels(["http://127.0.0.1:9000", "http://127.0.0.1:9001"], 16)
    assert list(ports.values()) == ["http://127.…9000", "http://127.…9001"]


def test_what_tells_a_system_apart_is_kept() -> None:
    assert short_labels(["bm25", "bm25:granularity=sentence"], 18)["bm25:granularity=sentence"] == "bm25:sentence"
    assert short_labels(["bm25", "my_memory.py:MyMemory"], 18)["my_memory.py:MyMemory"] == "MyMemory"
    two = short_labels(["my_memory.py:MyMemory", "my_memory.py:MyOtherMemory"], 18)
    assert list(two.values()) == ["MyMemory", "MyOtherMemory"]
    # two files have a class of this name
    assert len(set(short_labels(["my_memory.py:MyMemory", "old_memory.py:MyMemory"], 18).values())) == 2
