"""Seals: what was changed, moved, doubled or cut does not open."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.host.sealed import BrokenSeal, check_line, open_document, open_line, seal_document, seal_line
from memtriage.record.files import Damaged, FileSeal
from memtriage.record.journal import json_line, records, sealed_lines
from memtriage.record.seal import LineSeal

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


def test_a_file_whose_hash_fits_is_not_checked_line_by_line_and_what_follows_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "journal.jsonl"
    seal = LineSeal()
    lines = [*seal.over(sealed_lines(json_line({"n": n}) for n in range(3)))]
    sealed = seal.file()
    assert sealed == FileSeal(3, len(b"".join(lines)), hashlib.sha256(b"".join(lines)).hexdigest())
    lines.append(seal_line(b'{"n":3}\n', sealed.bytes))
    checked: list[int] = []
    monkeypatch.setattr(
        "memtriage.record.journal.check_line", lambda line, at: (checked.append(at), check_line(line, at))
    )

    def read(*lines: bytes) -> list[int]:
        file.write_bytes(b"".join(lines))
        return [record["n"] for _, record in records(file, {file.name: sealed})]

    assert read(*lines) == [0, 1, 2, 3]
    assert checked == [sealed.bytes]
    with pytest.raises(Damaged, match=r"line 4 .*its seal does not fit"):
        read(*lines[:3], lines[3].replace(b"3", b"4", 1))
    with pytest.raises(Damaged, match=r"line 2 .*its seal does not fit"):
        read(lines[0], lines[1].replace(b"1", b"7", 1), *lines[2:])
    with pytest.raises(Damaged, match="has another hash for it"):
        read(lines[0], seal_line(b'{"n":7}\n', len(lines[0])), *lines[2:])
    with pytest.raises(Damaged, match="has another hash for it"):
        read(*lines[:2])
