"""Places of memories by content key: a dict by other means."""

from __future__ import annotations

import hashlib
import random

from memtriage.record.memory_places import MemoryPlaces


def key(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:20]


def test_places_are_those_of_a_dict() -> None:
    rng = random.Random(5)
    places, expected = MemoryPlaces(), dict[str, int]()
    for place in range(5_000):
        written = rng.choice([key(rng.randrange(4_000)), key(place), f"odd {place % 3}", "ü" * 10])
        places[written] = expected[written] = place << 20
    assert list(places.items()) == sorted(expected.items(), key=lambda item: len(item[0].encode()) != 20)
    assert len(places) == len(expected)
    assert all(each in places and places[each] == place for each, place in expected.items())
    unknown = [*map(key, range(10_000, 11_000)), "", "odd", "x" * 20, "\ud800"]
    assert not any(each in places or places.get(each) is not None for each in unknown)
