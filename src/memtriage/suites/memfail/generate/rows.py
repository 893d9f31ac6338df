"""Generated rows of any dataset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from memtriage.suites.memfail.dedup import deduplicate
from memtriage.suites.memfail.generate import coexisting, conditional, long_hop, persona
from memtriage.suites.memfail.paper import HOPS, chain_lengths
from memtriage.suites.memfail.rows import Row
from memtriage.text.language import ENGLISH


def generate_rows(
    dataset: str, seed: int, rows: int, like_released: bool = False, language: str = ENGLISH
) -> tuple[list[Row], int]:
    """So many rows without near duplicates, and how many had to be generated for that."""
    fresh = stream(dataset, seed, rows, like_released, language)
    generated = list(islice(fresh, rows))
    total = len(generated)
    kept = list(deduplicate(generated, dataset).kept)
    while len(kept) < rows:
        more = list(islice(fresh, max(8, 2 * (rows - len(kept)))))
        total += len(more)
        kept = list(deduplicate([*kept, *more], dataset).kept)
    return kept[:rows], total


def stream(dataset: str, seed: int, rows: int, like_released: bool = False, language: str = ENGLISH) -> Iterator[Row]:
    """Generated rows without end; `rows` only sets the mix of chain lengths.

    Shares are what the paper asks for; `like_released`, what its released rows have.
    """
    if language != ENGLISH:
        return _localized(language, dataset, seed, rows, like_released)
    match dataset:
        case "conditional-easy":
            return conditional.generate(seed, "easy", like_released)
        case "conditional-hard":
            return conditional.generate(seed, "hard", like_released)
        case "coexisting":
            return coexisting.generate(seed, like_released)
        case "persona":
            return persona.generate(seed, like_released)
        case _:
            return long_hop.generate(seed, _hop_counts(rows), like_released)


def _localized(language: str, dataset: str, seed: int, rows: int, like_released: bool) -> Iterator[Row]:
    """The same in another language."""
    from memtriage.suites.memfail.localized import coexisting, conditional, long_hop, persona

    match dataset:
        case "conditional-easy":
            return conditional.generate(language, seed, "easy", like_released)
        case "conditional-hard":
            return conditional.generate(language, seed, "hard", like_released)
        case "coexisting":
            return coexisting.generate(language, seed, like_released)
        case "persona":
            return persona.generate(language, seed)
        case _:
            return long_hop.generate(language, seed, _hop_counts(rows))


def _hop_counts(rows: int) -> Iterator[int]:
    """Hop counts in the paper's proportions, then on and on in turn."""
    left = chain_lengths(rows)
    while any(left.values()):
        for hops in left:
            if left[hops]:
                left[hops] -= 1
                yield hops
    while True:
        yield from HOPS
