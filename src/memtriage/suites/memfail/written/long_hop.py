"""Long-Hop chains written by a model: proposed, audited against each other, deduplicated, given options, balanced.

Proposals come in waves, one batch per chain length at a time, and every wave sees summaries of the chains before it.
Chains that pass the local rules are audited all together and again in overlapping windows; then facts are
deduplicated, wrong options are written for each chain in parallel, and each length is cut to its share.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from memtriage.core.chat import ModelError
from memtriage.suites.kit.draw import deck
from memtriage.suites.kit.writing import ENDING, together
from memtriage.suites.memfail.dedup import deduplicate
from memtriage.suites.memfail.paper import chain_lengths
from memtriage.suites.memfail.released.rules import mentions, plain
from memtriage.suites.memfail.rows import LETTERS, LongHopRow
from memtriage.suites.memfail.written import prompts
from memtriage.suites.memfail.written.orders import (
    ROUNDS,
    Order,
    OrderWriter,
    Rejected,
    require_filled,
    too_few_rows,
    validated,
)

SPARE = 1.25
"""How many chains are proposed for each that is wanted, since audit and deduplication will cost some."""

SUMMARIES = 30
"""How many earlier chains, the latest ones, a proposal is shown so that it stays away from them."""

_VOICES = ("named",) * 3 + ("first",) * 4
_NO_OPTIONS_YET = frozenset({"five-choices"})


@dataclass(frozen=True, slots=True)
class ProposedChain:
    """A chain on its way: its number among all proposals, and its row, without options at first."""

    number: int
    row: LongHopRow

    @property
    def id(self) -> str:
        return f"c{self.number}"

    @property
    def summary(self) -> str:
        return f"{self.row.chain[0]} -> … -> {self.row.chain[-1]}"


async def write_chains(writer: OrderWriter, rows: int, seed: int) -> list[LongHopRow]:
    """So many chains, in the paper's mix of lengths."""
    rng = Random(f"written:long-hop:{seed}")
    wanted = chain_lengths(rows)
    proposals = _Proposals(writer, rng)
    done: list[ProposedChain] = []
    for round in range(ROUNDS):
        have = Counter(chain.row.hop_count for chain in done)
        missing = {hops: count - have[hops] for hops, count in wanted.items() if have[hops] < count}
        fresh = await proposals.more({hops: math.ceil(count * SPARE) for hops, count in missing.items()}, round)
        sound = await audited(writer, [*done, *fresh], round)
        done = await _with_options(writer, _distinct(writer, sound), round)
        have = Counter(chain.row.hop_count for chain in done)
        if all(have[hops] >= count for hops, count in wanted.items()):
            return _balanced(writer, done, wanted, rng)
        if not done:  # a model that got nothing right won't improve
            break
    raise too_few_rows(writer, sum(min(have[hops], count) for hops, count in wanted.items()), rows)


# --- proposal ----------------------------------------------------------------------------------------


class _Proposals:
    """Chains that pass the local rules, proposed with the latest ones before them in view."""

    def __init__(self, writer: OrderWriter, rng: Random) -> None:
        self._writer = writer
        self._voices = deck(rng, _VOICES)
        self._prior: list[str] = []
        self._number = 0

    async def more(self, wanted: Mapping[int, int], round: int) -> list[ProposedChain]:
        """About so many new chains of each length; those the model can't get right are missing."""
        left = dict(wanted)
        proposed: list[ProposedChain] = []
        while any(left.values()):
            orders = [self._orders(hops, min(count, self._writer.batch)) for hops, count in left.items() if count]
            prior = self._prior[-SUMMARIES:]
            found = await together(self._writer.write(prompts.CHAINS, batch, round, prior=prior) for batch in orders)
            fresh = [ProposedChain(number, row) for part in found for number, row in part.items()]
            self._prior += [chain.summary for chain in fresh]
            proposed += fresh
            left = {hops: max(0, count - self._writer.batch) for hops, count in left.items()}
        return proposed

    def _orders(self, hops: int, count: int) -> list[Order[LongHopRow]]:
        orders = []
        for _ in range(count):
            self._number += 1
            spec: dict[str, Any] = {"facts": hops + 1, "anchors": hops + 2, "voice": next(self._voices)}
            orders.append(Order(self._number, spec, _chain_reader(hops, spec["voice"] == "named")))
        return orders


def _chain_reader(hops: int, named: bool) -> Callable[[Mapping[str, Any]], LongHopRow]:
    def read(entry: Mapping[str, Any]) -> LongHopRow:
        require_filled(entry, "facts", "chain", "question")
        row = LongHopRow(
            id="",
            hop_count=hops,
            facts=tuple(entry["facts"]),
            chain=tuple(entry["chain"]),
            graded_question=entry["question"],
            ground_truth_answer=entry["chain"][-1],
            choices=(),
            correct_choice="",
        )
        validated(row, "long-hop", but=_NO_OPTIONS_YET)
        if all(mentions(fact, row.chain[0]) for fact in row.facts) != named:
            one = "one person, the first anchor, in every fact" if named else "the speaker, in the first person"
            raise Rejected("voice-ordered", f"the chain was ordered to be about {one}")
        return row

    return read


# --- audit -------------------------------------------------------------------------------------------


async def audited(writer: OrderWriter, chains: Sequence[ProposedChain], round: int) -> list[ProposedChain]:
    """The chains that don't get in each other's way: seen all together first, then window by window."""
    left = _without(writer, chains, await _conflicts(writer, chains, round))
    found = await together(_conflicts(writer, window, round) for window in windows(left, writer.batch))
    return _without(writer, left, [conflict for part in found for conflict in part])


def windows(chains: Sequence[ProposedChain], size: int) -> list[Sequence[ProposedChain]]:
    """Overlapping runs of chains, each beginning in the middle of the one before.

    >>> [list(window) for window in windows(range(7), 4)]          # type: ignore[arg-type]
    [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6]]
    """
    size = max(2, size)
    if len(chains) <= size:
        return []  # the pass over all of them has seen just this
    step = max(1, size // 2)
    return [chains[start : start + size] for start in range(0, len(chains) - size + step, step)]


@dataclass(frozen=True, slots=True)
class _Conflict:
    drop: str
    keep: str
    reason: str


async def _conflicts(writer: OrderWriter, chains: Sequence[ProposedChain], round: int) -> list[_Conflict]:
    if len(chains) < 2:
        return []
    data = {"chains": [{"id": chain.id, "facts": chain.row.facts} for chain in chains]}
    for attempt in range(writer.retries + 1):
        try:
            reply = await writer.ask(prompts.AUDIT, data, round)
        except ModelError as error:
            if error.trouble == "context" and len(chains) > writer.batch:
                middle = len(chains) // 2
                parts = (chains[:middle], chains[middle:])
                return [found for part in await together(_conflicts(writer, p, round) for p in parts) for found in part]
            # unaudited chains would spoil the dataset in silence, so the last error is the user's to see
            if error.trouble in ENDING or attempt == writer.retries:
                raise
            continue
        return [_Conflict(each["drop"], each["keep"], each["reason"]) for each in reply.get("conflicts", ())]
    return []


def _without(
    writer: OrderWriter, chains: Sequence[ProposedChain], conflicts: Sequence[_Conflict]
) -> list[ProposedChain]:
    """The chains that stay; among them is one that clashed only with a chain that was dropped before."""
    kept = {chain.id for chain in chains}
    for conflict in conflicts:
        if conflict.drop in kept and conflict.keep in kept and conflict.drop != conflict.keep:
            kept.remove(conflict.drop)
            writer.drop("conflict", f"a chain clashes with another: {conflict.reason}")
    return [chain for chain in chains if chain.id in kept]


def _distinct(writer: OrderWriter, chains: Sequence[ProposedChain]) -> list[ProposedChain]:
    found = deduplicate([chain.row for chain in chains], "long-hop")
    repeats = {id(removed.row) for removed in found.removed}
    for removed in found.removed:
        writer.drop("duplicate", f"a chain repeats a fact of another: {' '.join(removed.row.facts)}")
    return [chain for chain in chains if id(chain.row) not in repeats]


# --- options -----------------------------------------------------------------------------------------


async def _with_options(writer: OrderWriter, chains: Sequence[ProposedChain], round: int) -> list[ProposedChain]:
    """The chains for which four wrong options could be written, each asked for in a call of its own."""
    todo = [chain for chain in chains if not chain.row.choices]
    orders = [Order(chain.number, _options_spec(chain.row), _options_reader(chain.row)) for chain in todo]
    found = await together(writer.write(prompts.OPTIONS, [order], round) for order in orders)
    written = {number: row for part in found for number, row in part.items()}
    return [
        replace(chain, row=written.get(chain.number, chain.row))
        for chain in chains
        if chain.row.choices or chain.number in written
    ]


def _options_spec(row: LongHopRow) -> Mapping[str, Any]:
    return {"facts": row.facts, "question": row.graded_question, "answer": row.ground_truth_answer}


def _options_reader(row: LongHopRow) -> Callable[[Mapping[str, Any]], LongHopRow]:
    def read(entry: Mapping[str, Any]) -> LongHopRow:
        require_filled(entry, "options")
        options = entry["options"]
        if len(options) != len(LETTERS) - 1:
            raise Rejected("four-options", f"{len(options)} options; exactly {len(LETTERS) - 1} are wanted")
        for option in options:
            _apart_from_anchors(option, row)
        return validated(_lettered(row, row.graded_question, options, LETTERS[0]), "long-hop")

    return read


def _apart_from_anchors(option: str, row: LongHopRow) -> None:
    for anchor in row.chain:
        if mentions(option, anchor) or (plain(option) and mentions(anchor, option)):
            raise Rejected(
                "option-overlaps", f"the option {option!r} overlaps with {anchor!r}, which the chain speaks of"
            )


def _lettered(row: LongHopRow, question: str, options: Sequence[str], letter: str) -> LongHopRow:
    """The row with its options below the question, the answer under the given letter."""
    choices = list(options)
    choices.insert(LETTERS.index(letter), row.ground_truth_answer)
    listed = "\n".join(f"{each}. {choice}" for each, choice in zip(LETTERS, choices, strict=True))
    return replace(
        row, graded_question=f"{question}\n\nOptions:\n{listed}", choices=tuple(choices), correct_choice=letter
    )


# --- balance -----------------------------------------------------------------------------------------


def _balanced(
    writer: OrderWriter, chains: Sequence[ProposedChain], wanted: Mapping[int, int], rng: Random
) -> list[LongHopRow]:
    """Each length cut to its share, lengths in turn, and the right letters spread evenly."""
    kept = {hops: [chain.row for chain in chains if chain.row.hop_count == hops] for hops in wanted}
    surplus = sum(max(0, len(kept[hops]) - count) for hops, count in wanted.items())
    if surplus:
        writer.drop("surplus", "more chains than were wanted", surplus)
    letters = deck(rng, LETTERS)
    return [
        _final(row, f"longhop-{row.hop_count}hop-{number:03d}", next(letters), rng)
        for number, row in _in_turn({hops: kept[hops][:count] for hops, count in wanted.items()})
    ]


def _in_turn(kept: Mapping[int, Sequence[LongHopRow]]) -> Iterator[tuple[int, LongHopRow]]:
    for number in range(max(map(len, kept.values()))):
        yield from ((number, rows[number]) for rows in kept.values() if number < len(rows))


def _final(row: LongHopRow, id: str, letter: str, rng: Random) -> LongHopRow:
    options = [choice for place, choice in enumerate(row.choices) if LETTERS[place] != row.correct_choice]
    question = row.graded_question.partition("\n")[0]
    return _lettered(replace(row, id=id), question, rng.sample(options, len(options)), letter)
