"""Near duplicates go, first wins, and nothing unlike goes with them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
import rensa
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.errors import BadInput
from memtriage.suites.memfail.dedup import KEY, THRESHOLD, deduplicate, jaccard, word_set
from memtriage.suites.memfail.rows import DATASETS, CoexistingRow, ConditionalRow, LongHopRow, PersonaRow, Row


def row(dataset: str, text: str, *more: str) -> Row:
    """A row of which only the compared text matters."""
    if dataset == "coexisting":
        return CoexistingRow("foods", (), (), text, "")
    if dataset == "persona":
        return PersonaRow("Ada Moss", text, ())
    if dataset == "long-hop":
        return LongHopRow(text, len(more), (text, *more), (), "", "", (), "A")
    return ConditionalRow("Bram", "pet", "", "weather", "", text, "", "", "yes", "")


def words(start: int, count: int) -> str:
    return " ".join(f"w{i}" for i in range(start, start + count))


@pytest.mark.parametrize("dataset", DATASETS)
def test_exact_and_near_duplicates_go_and_the_rest_stays_in_order(dataset: str) -> None:
    first, unlike = row(dataset, words(0, 20)), row(dataset, words(50, 20))
    same, near = row(dataset, words(0, 20)), row(dataset, words(1, 19) + " New, NEW!")
    result = deduplicate([first, same, unlike, near], dataset)
    assert result.kept == (first, unlike)
    assert [r.row for r in result.removed] == [same, near]
    assert all(r.kept is first for r in result.removed)
    assert result.removed[0].similarity == 1
    assert result.removed[1].similarity == pytest.approx(19 / 21)


@pytest.mark.parametrize(
    ("dataset", "common", "kept"),
    # of 10 + 10 - common words: 8/10 and 7/10 by leaving words out, just under by putting others in
    [("conditional-easy", 8, 1), ("conditional-hard", 7, 2), ("coexisting", 7, 1), ("persona", 6, 2)],
)
def test_the_papers_thresholds_are_met_exactly(dataset: str, common: int, kept: int) -> None:
    pair = [row(dataset, words(0, 10)), row(dataset, words(0, common))]
    assert len(deduplicate(pair, dataset).kept) == kept


def test_a_chain_goes_as_a_whole_when_one_fact_collides_with_a_kept_chain() -> None:
    first = row("long-hop", words(0, 8), words(10, 8))
    collides = row("long-hop", words(30, 8), words(10, 8), words(40, 8))
    like_the_dropped = row("long-hop", words(40, 8), words(60, 8))
    within_itself = row("long-hop", words(80, 8), words(80, 8))
    result = deduplicate([first, collides, like_the_dropped, within_itself], "long-hop")
    # a fact of a dropped chain was never kept, so nothing collides with it
    assert result.kept == (first, like_the_dropped, within_itself)


SMALL = st.lists(st.lists(st.sampled_from("abcdefghijklmn"), min_size=1, max_size=12).map(" ".join), max_size=14)


@settings(max_examples=150, deadline=None)
@given(SMALL, st.sampled_from(["coexisting", "conditional-hard"]))
def test_it_agrees_with_comparing_every_pair(texts: list[str], dataset: str) -> None:
    rows = [row(dataset, text) for text in texts]
    assert list(deduplicate(rows, dataset).kept) == [rows[i] for i in brute_force(texts, THRESHOLD[dataset])]


def test_it_agrees_with_comparing_every_pair_on_texts_around_the_threshold() -> None:
    chance = random.Random(5)
    bases = [[f"b{n}x{i}" for i in range(30)] for n in range(20)]
    texts = [
        " ".join(chance.sample(base, chance.randint(20, 30)) + [f"n{chance.randrange(10**6)}" for _ in range(3)])
        for base in bases
        for _ in range(12)
    ]
    rows = [row("persona", text) for text in texts]
    expected = brute_force(texts, 0.7)
    assert 40 < len(expected) < 200  # both outcomes occur often
    assert list(deduplicate(rows, "persona").kept) == [rows[i] for i in expected]


def brute_force(texts: Sequence[str], threshold: float) -> list[int]:
    kept: list[int] = []
    for index, text in enumerate(texts):
        if all(jaccard(word_set(text), word_set(texts[other])) < threshold for other in kept):
            kept.append(index)
    return kept


def test_texts_without_words_are_compared_as_they_are() -> None:
    rows = [row("coexisting", text) for text in ("?!", "…", "?!", "")]
    assert deduplicate(rows, "coexisting").kept == (rows[0], rows[1], rows[3])


def test_every_dataset_has_the_papers_key_and_threshold() -> None:
    assert [THRESHOLD[d] for d in DATASETS] == [0.8, 0.8, 0.7, 0.7, 0.7]
    assert [KEY[d] for d in DATASETS] == ["essay", "essay", "question", "essay", "each fact"]
    with pytest.raises(BadInput, match="unknown dataset"):
        deduplicate([], "longhop")
    with pytest.raises(BadInput, match="threshold"):
        deduplicate([], "long-hop", threshold=0)


def test_each_of_ten_thousand_chains_is_compared_with_a_few_others(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    class CountingIndex:
        def __init__(self, **options: float) -> None:
            self._index = real(**options)
            self.insert = self._index.insert

        def query(self, hashes: rensa.RMinHash) -> list[int]:
            nonlocal compared
            found: list[int] = self._index.query(hashes)
            compared += len(found)
            return found

    real = rensa.RMinHashLSH
    monkeypatch.setattr(rensa, "RMinHashLSH", CountingIndex)
    chance = random.Random(1)
    rows = [
        row("long-hop", *(" ".join(f"v{chance.randrange(2000)}" for _ in range(9)) for _ in range(3)))
        for _ in range(10_000)
    ]
    result = deduplicate([*rows, *rows[:100]], "long-hop")
    assert len(result.kept) == 10_000
    assert 100 <= compared < 10 * len(rows)
