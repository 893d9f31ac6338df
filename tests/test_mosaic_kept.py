"""mosaic's lists look at no more of the past than they are asked for, and find the same as looking at all of it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np

from memtriage.systems.designs.mosaic.kept import LATEST, Postings, Recent
from memtriage.systems.designs.mosaic.records import Entry, Record, Records, packed
from memtriage.systems.designs.mosaic.statements import statements
from memtriage.systems.designs.mosaic.text_index import WordIndex


class Shelf:
    """Parts as a database keeps them, which counts the bytes that are read."""

    def __init__(self) -> None:
        self.parts: dict[tuple[str, bytes], list[bytes]] = {}
        self.bytes_read = 0

    def put(self, rows: Iterator[tuple[str, bytes, int, bytes | None]]) -> None:
        for kind, key, _, data in rows:
            assert data is not None
            self.parts.setdefault((kind, key), []).append(data)

    def read(self, kind: str, key: bytes) -> list[tuple[int, bytes]]:
        found = self.parts.get((kind, key), [])
        self.bytes_read += sum(map(len, found))
        return list(enumerate(found))

    def read_latest(self, kind: str, key: bytes, size: int) -> list[bytes]:
        found: list[bytes] = []
        for data in reversed(self.parts.get((kind, key), [])):
            if sum(map(len, found)) >= size:
                break
            found.insert(0, data)
        self.bytes_read += sum(map(len, found))
        return found

    def size(self, kind: str, key: bytes) -> int:
        return sum(map(len, self.parts.get((kind, key), [])))


def filled(shelf: Shelf, parts: int, each: int) -> Postings:
    """A list of even numbers in so many parts, and one more that is not written yet."""
    postings = Postings("words", shelf)
    for part in range(parts + 1):
        for n in range(part * each, (part + 1) * each):
            postings.add("rye", 2 * n)
        if part < parts:
            shelf.put(postings.unwritten(part))
    return postings


def test_the_latest_of_a_long_list_are_found_without_reading_the_rest() -> None:
    shelf = Shelf()
    postings = filled(shelf, parts=200, each=100)
    assert postings.numbers("rye", 150) == list(range(2 * 20_100 - 300, 2 * 20_100, 2))
    assert shelf.bytes_read <= 4 * (LATEST + 100)
    assert postings.numbers("rye")[-150:] == postings.numbers("rye", 150)


def test_what_was_written_meanwhile_is_among_the_latest() -> None:
    shelf = Shelf()
    postings = filled(shelf, parts=50, each=100)
    before = postings.numbers("rye", 20)
    shelf.put(postings.unwritten(51))
    assert postings.numbers("rye", 20) == before
    postings.add("rye", 99_999)
    assert postings.numbers("rye", 20) == [*before[1:], 99_999]


def test_membership_is_that_of_the_whole_list_and_the_list_can_grow_afterwards() -> None:
    postings = filled(Shelf(), parts=3, each=100)
    some = np.array([0, 1, 599, 600, 601, 798, 800], dtype=np.int32)
    assert postings.among("rye", some).tolist() == [True, False, False, True, False, True, False]
    postings.add("rye", 800)
    assert postings.among("rye", some)[-1]
    assert not postings.among("hythe", some).any()


def test_what_is_asked_for_again_and_again_stays_and_the_rest_is_let_go() -> None:
    recent: Recent[int, str] = Recent(10)
    for n in range(100):
        recent.put(n, str(n))
        assert recent.get(0) == "0"
    assert len(recent) <= 10
    assert recent.get(50) is None


def test_a_share_that_is_enough_is_exact_and_any_other_is_nothing() -> None:
    rng = random.Random(7)
    vocabulary = [f"w{n}" for n in range(60)]
    words = WordIndex(lambda place: ())
    reached = 0
    for place in range(200):
        words.add([vocabulary[int(60 * rng.random() ** 2)] for _ in range(8)], place)
        stems, among = (frozenset(rng.sample(vocabulary, size)) for size in (3, 30))
        exact = words.share(stems, among)
        assert words.share_from(0.6, stems, among) == (exact if exact >= 0.6 else 0.0)
        reached += exact >= 0.6
    assert 0 < reached < 200


class Cupboard:
    """Records as a database keeps them, which counts how often it is asked."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.kept = [
            packed(Record(Entry(f"e{n}", text, at="2026-03-01"), tuple(statements(text))))
            for n, text in enumerate(texts)
        ]
        self.asked = 0

    def record(self, place: int) -> str:
        self.asked += 1
        return self.kept[place]

    def records_at(self, places: Sequence[int]) -> list[tuple[int, str]]:
        self.asked += 1
        return [(place, self.kept[place]) for place in places]

    def records(self, start: int = 0) -> list[str]:
        return self.kept[start:]


def test_entries_are_read_together_and_their_statements_when_they_are_asked_for() -> None:
    texts = [f'The "keeper" of Rye has {n} boats, because of the tides.' for n in range(40)]
    cupboard = Cupboard(texts)
    records = Records(cupboard)
    records.taken(len(texts))
    records.look_ahead(range(10, 30))
    assert [records.entry(place) for place in range(10, 30)] == [
        Entry(f"e{n}", texts[n], at="2026-03-01") for n in range(10, 30)
    ]
    records.look_ahead(range(10, 30))
    assert cupboard.asked == 1
    assert records[12].said == tuple(statements(texts[12]))
    assert records.entry(35).text == texts[35]
    assert cupboard.asked == 3


def test_an_entry_that_was_read_ahead_and_then_forgotten_is_gone() -> None:
    records = Records(Cupboard(["Rye has a harbour.", "Hythe has none."]))
    records.taken(2)
    records.look_ahead([0, 1])
    records.overwrite(0, Record(Entry("", ""), (), gone=True))
    assert records.entry(0).text == ""
    assert "harbour" not in repr(vars(records._entries))
