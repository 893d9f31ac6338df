"""Seals: what was changed, moved, doubled or cut does not open."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.host.sealed import BrokenSeal, open_document, open_line, seal_document, seal_line

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text('aé"\\,}\n'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text("abc", max_size=3), VALUES, max_size=4)


@given(OBJECTS, st.integers(0, 10**9))
def test_a_sealed_line_opens_where_it_was_written_and_nowhere_else(content: dict[str, Any], start: int) -> None:
    line = json.dumps(content, separators=(",", ":")).encode() + b"\n"
    sealed = seal_line(line, start)
    assert open_line(sealed, start) == line
    assert json.loads(sealed).keys() == {*content, "seal"}
    with pytest.raises(BrokenSeal):
        open_line(sealed, start + 1)


@given(OBJECTS, st.data())
def test_a_line_with_any_other_byte_does_not_open(content: dict[str, Any], data: st.DataObject) -> None:
    sealed = bytearray(seal_line(json.dumps(content).encode() + b"\n", 7))
    place = data.draw(st.integers(0, len(sealed) - 1))
    sealed[place] = data.draw(st.integers(0, 255).filter(lambda byte: byte != sealed[place]))
    with pytest.raises(BrokenSeal):
        open_line(bytes(sealed), 7)


@given(OBJECTS)
def test_a_document_opens_and_another_content_does_not(content: dict[str, Any]) -> None:
    raw = seal_document(content)
    assert open_document(raw) == content
    changed = json.dumps({**json.loads(raw), "another": 1}).encode()
    with pytest.raises(BrokenSeal):
        open_document(changed)


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b"{", b'{"seal": 1}', b"[" * 100_000])
def test_what_was_never_sealed_does_not_open(raw: bytes) -> None:
    with pytest.raises(BrokenSeal):
        open_document(raw)
