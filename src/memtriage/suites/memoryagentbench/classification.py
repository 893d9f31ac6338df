"""Test-time learning: sentences with numbered labels to learn from, and new sentences to label in the same way.

They come from a labelled file, or from made-up intents that can be put in words without end.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memtriage.core.errors import BadInput
from memtriage.suites.kit.options import count_of
from memtriage.suites.memoryagentbench import label_pools
from memtriage.suites.memoryagentbench.context import Context, Passage, Query, length_label
from memtriage.suites.memoryagentbench.labelled import Example, Labelled, read
from memtriage.text.labels import BY_LABEL, LABEL_LINE, TAG
from memtriage.text.tokens import count_tokens

OPTIONS: Mapping[str, str] = {
    "from": "a labelled file to learn from (default: made-up intents)",
    "test": "a labelled file to ask from (default: sentences of the same file that are not shown)",
    "shots": "how many examples (default: as many as the length holds)",
    "text": "the column of the sentences",
    "label": "the column of the labels",
    "fine": "yes: TREC's fine labels",
}

_TOKENS_EACH = 24
_LEAST_EACH = 4
"""Fewer made-up labels for short contexts, so that each has some examples."""
_PATIENCE = 100
_GAP = "\n\n"

Pools = Mapping[str, Iterator[Example]]
"""Examples yet to be drawn, by label."""


@dataclass(frozen=True, slots=True)
class _Material:
    """What to draw from: examples to show, those to ask about, and what they are called."""

    name: str
    shown: Pools
    asked: Pools


def contexts(length: int, rows: int, seed: int, options: Mapping[str, str]) -> Iterator[Context]:
    """One context of about so many tokens, or of so many `shots`, with so many sentences to label."""
    rng = random.Random(f"classification/{seed}/{length}")
    shots = count_of(options, "shots")
    material = _of_file(options, rows, rng) if options.get("from") else _made_up(length, rows, shots, rng)
    labels = rng.sample(sorted(material.shown), len(material.shown))
    numbers = {label: number for number, label in enumerate(labels)}
    asked = list(islice(_dealt(material.asked, rng), rows))
    shown = _drawn(material, numbers, length, shots, rng)
    text = _GAP.join(_block(example, numbers) for example in _spread(shown, rng))
    size = count_tokens(text)
    source = f"icl_{material.name}_{len(shown)}shot_balance"
    questions = [(example.text, (str(numbers[example.label]),), {"class": example.label}) for example in asked]
    tags = {"length": length_label(length if abs(size - length) <= 0.03 * length else size)}
    yield _assembled(f"{source}_{seed}", source, text, questions, tags)


def blocks(text: str) -> Iterator[tuple[int, str, str]]:
    """The labelled sentences of a context: where each begins, what it says, and its label.

    >>> list(blocks("Is it far?\\nLabel: 4\\n\\nIt hurts.\\nlabel: 2"))
    [(0, 'Is it far?', '4'), (21, 'It hurts.', '2')]
    """
    return ((start, text[start:end].rstrip(), label) for start, end, label, _ in _blocks(text))


def released(
    id: str, source: str, text: str, asked: Iterable[tuple[str, str, tuple[str, ...]]], tags: Mapping[str, str]
) -> Context:
    """A released context with its questions (id, sentence, gold labels): any example of the gold label is enough."""
    questions = list(asked)
    made = _assembled(id, source, text, [(words, golds, {}) for _, words, golds in questions], tags)
    queries = (
        Query(own, q.text, q.golds, q.scoring, q.needed, tags=q.tags)
        for (own, _, _), q in zip(questions, made.queries, strict=True)
    )
    return Context(id, "icl", source, text, made.passages, tuple(queries), tags)


def _assembled(
    id: str,
    source: str,
    text: str,
    questions: Sequence[tuple[str, tuple[str, ...], Mapping[str, str]]],
    tags: Mapping[str, str],
) -> Context:
    """A context from its text alone, with its questions (sentence, gold labels, tags)."""
    wanted = {gold for _, golds, _ in questions for gold in golds}
    passages: list[Passage] = []
    by_label: dict[str, list[tuple[str]]] = {}
    for number, (start, middle, label, end) in enumerate(_blocks(text)):
        by_label.setdefault(label, []).append((f"example/{number}",))
        if label in wanted:
            details = (text[start:middle].rstrip(), text[middle:end].strip())
            passages.append(Passage(f"example/{number}", text[start:end], start, details))
    queries = []
    for number, (words, golds, own) in enumerate(questions):
        needed = tuple(ids for gold in golds for ids in by_label.get(gold, ()))
        if not needed:
            raise BadInput(f"{source}, context {id}, question {number + 1} has the label {golds}, which no example has")
        query = Query(f"{id}/q{number}", words, golds, "exact", needed, tags={TAG: BY_LABEL, **own})
        queries.append(query)
    return Context(id, "icl", source, text, tuple(passages), tuple(queries), tags)


def _blocks(text: str) -> Iterator[tuple[int, int, str, int]]:
    """Where each sentence begins and ends, its label, and where that ends."""
    before = 0
    for found in LABEL_LINE.finditer(text):
        said = text[before : found.start()]
        head = said.rstrip().rfind(_GAP)  # what stands before it, such as a heading, belongs to no example
        start = before + (head + len(_GAP) if head >= 0 else 0)
        start += len(text[start : found.start()]) - len(text[start : found.start()].lstrip())
        if start < found.start():
            yield start, found.start(), found[1], found.end()
        before = found.end()


# ------------------------------------------------------------------ which examples


def _drawn(
    material: _Material, numbers: Mapping[str, int], length: int, shots: int | None, rng: random.Random
) -> list[Example]:
    """So many examples, or as many as fit into the length: of every label as many, as far as it has them."""
    dealt = _dealt(material.shown, rng)
    shown = list(islice(dealt, shots)) if shots else list(_fitting(dealt, numbers, length))
    if shots and len(shown) < shots:
        raise BadInput(f"{material.name} has only {len(shown)} examples to show, not {shots} shots")
    if len({example.label for example in shown}) < len(numbers):
        raise BadInput(
            f"{material.name} has {len(numbers)} labels, but only {len(shown)} examples would be shown; "
            "ask for a greater length or more shots"
        )
    return shown


def _fitting(examples: Iterator[Example], numbers: Mapping[str, int], length: int) -> Iterator[Example]:
    used = 0
    for example in examples:
        used += count_tokens(_block(example, numbers) + _GAP)
        if used > length:
            return
        yield example


def _dealt(pools: Pools, rng: random.Random) -> Iterator[Example]:
    """One example of every label after the other, round by round, until all are used up."""
    left = dict(pools)
    while left:
        for label in rng.sample(sorted(left), len(left)):
            example = next(left[label], None)
            if example is None:
                del left[label]
            else:
                yield example


def _spread(examples: Sequence[Example], rng: random.Random) -> list[Example]:
    """The examples in an order in which those of each label are spread over the whole."""
    by_label: dict[str, list[Example]] = {}
    for example in examples:
        by_label.setdefault(example.label, []).append(example)
    placed = [
        ((number + rng.random()) / len(alike), example)
        for alike in by_label.values()
        for number, example in enumerate(alike)
    ]
    return [example for _, example in sorted(placed, key=lambda place: place[0])]


def _block(example: Example, numbers: Mapping[str, int]) -> str:
    return f"{example.text}\nLabel: {numbers[example.label]}"


# ------------------------------------------------------------------ from a file


def _of_file(options: Mapping[str, str], rows: int, rng: random.Random) -> _Material:
    fine = options.get("fine", "").lower() in ("yes", "true", "1")
    columns = options.get("text", ""), options.get("label", "")
    labelled = read(Path(options["from"]), *columns, fine)
    shown = _by_label(_told_once(labelled.to_learn), rng)
    if options.get("test"):
        other = read(Path(options["test"]), *columns, fine)
        asked = _apart(shown, other.test + other.train, rng)
    elif labelled.train and labelled.test:
        asked = _apart(shown, labelled.test, rng)
    else:
        asked = _held_out(shown, rows)
    return _Material(_name(labelled, fine), _pools(shown), _pools(asked))


def _apart(shown: Mapping[str, Sequence[Example]], tests: Iterable[Example], rng: random.Random) -> _Lists:
    """The sentences to test with that are not among those to learn from."""
    known = {example.words for examples in shown.values() for example in examples}
    for example in tests:
        if example.label not in shown:
            raise BadInput(f"{example.where} has the label {example.label!r}, which no example to learn from has")
    return _by_label([example for example in _told_once(tests) if example.words not in known], rng)


def _held_out(shown: _Lists, rows: int) -> _Lists:
    """As many of each label's examples as it takes for the questions, at most half, taken away from those shown."""
    each = -(-rows // len(shown))
    for label, examples in shown.items():
        if len(examples) < 2:
            raise BadInput(
                f"{examples[0].where} is the only example of {label!r}; it takes one to learn from and one to ask about"
            )
    return {label: [examples.pop() for _ in range(min(each, len(examples) // 2))] for label, examples in shown.items()}


_Lists = dict[str, list[Example]]


def _by_label(examples: Iterable[Example], rng: random.Random) -> _Lists:
    found: _Lists = {}
    for example in examples:
        found.setdefault(example.label, []).append(example)
    for alike in found.values():
        rng.shuffle(alike)
    return found


def _pools(lists: _Lists) -> Pools:
    return {label: iter(examples) for label, examples in lists.items()}


def _told_once(examples: Iterable[Example]) -> list[Example]:
    """Every sentence once; one that has several labels can't be learned from."""
    found: dict[str, Example] = {}
    torn: set[str] = set()
    for example in examples:
        first = found.setdefault(example.words, example)
        if first.label != example.label:
            torn.add(example.words)
    return [example for words, example in found.items() if words not in torn]


def _name(labelled: Labelled, fine: bool) -> str:
    return re.sub(r"\W+", "_", labelled.name.lower()).strip("_") + ("_fine" if fine else "")


# ------------------------------------------------------------------ made up


def _made_up(length: int, rows: int, shots: int | None, rng: random.Random) -> _Material:
    count = max(2, min(len(label_pools.INTENTS), (shots or length // _TOKENS_EACH) // _LEAST_EACH))
    intents = sorted(rng.sample(sorted(label_pools.INTENTS), count))
    said = {intent: list(islice(_said(intent, rng), -(-rows // count))) for intent in intents}
    asked = {intent: [Example(words, intent, intent) for _, words in said[intent]] for intent in intents}
    return _Material("made_up", {intent: _others(intent, said[intent], rng) for intent in intents}, _pools(asked))


def _others(intent: str, asked: Sequence[tuple[str, str]], rng: random.Random) -> Iterator[Example]:
    """Ever new sentences of an intent that are not asked about, nor, while there are others, ask the same at heart."""
    hearts, sentences = {heart for heart, _ in asked}, {words for _, words in asked}
    passed = 0
    for heart, words in _said(intent, rng):
        if words in sentences or (heart in hearts and passed < _PATIENCE):
            passed += 1
        else:
            passed = 0
            yield Example(words, intent, intent)


def _said(intent: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Ever new sentences of an intent, each with what it says at heart."""
    seen: set[str] = set()
    while True:
        heart, words = label_pools.sentence(intent, rng)
        if words not in seen:
            seen.add(words)
            yield heart, words
