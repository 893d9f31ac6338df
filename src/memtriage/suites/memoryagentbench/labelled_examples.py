"""Labelled sentences as a context: read out of its text, which examples a question needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memtriage.core.errors import BadInput
from memtriage.suites.memoryagentbench.context import Context, Passage, Query
from memtriage.text.labels import BY_LABEL, LABEL_LINE, TAG

BLANK_LINE = "\n\n"

_DATASETS = {
    r"banking77|made_up_\d+shot": "banking77",
    r"clinc150|made_up_2": "clinc150",
    r"nlu|made_up_3": "nlu",
    r"trec_coarse|question_types_coarse": "trec_coarse",
    r"trec_fine|question_types_fine": "trec_fine",
}


def dataset(source: str) -> str:
    """Which of the paper's five datasets a source is, or stands in for; "" if none.

    >>> dataset("icl_trec_fine_6400shot_balance"), dataset("icl_made_up_2_240shot_balance"), dataset("icl_mine_9shot")
    ('trec_fine', 'clinc150', '')
    """
    return next((name for pattern, name in _DATASETS.items() if re.match(f"icl_(?:{pattern})", source)), "")


def blocks(text: str) -> Iterator[tuple[int, str, str]]:
    """The labelled sentences of a context: where each begins, what it says, and its label.

    >>> list(blocks("Is it far?\\nLabel: 4\\n\\nIt hurts.\\nlabel: 2"))
    [(0, 'Is it far?', '4'), (21, 'It hurts.', '2')]
    """
    return ((start, text[start:end].rstrip(), label) for start, end, label, _ in _blocks(text))


def example_context(
    id: str,
    source: str,
    text: str,
    questions: Sequence[tuple[str, tuple[str, ...], Mapping[str, str]]],
    tags: Mapping[str, str],
) -> Context:
    """A context with its questions (sentence, gold labels, tags): any example of a gold label is enough."""
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
        queries.append(Query(f"{id}/q{number}", words, golds, "exact", needed, tags={TAG: BY_LABEL, **own}))
    return Context(id, "icl", source, text, tuple(passages), tuple(queries), tags)


def released_context(
    id: str, source: str, text: str, asked: Iterable[tuple[str, str, tuple[str, ...]]], tags: Mapping[str, str]
) -> Context:
    """A released context with its questions (id, sentence, gold labels)."""
    questions = list(asked)
    context = example_context(id, source, text, [(words, golds, {}) for _, words, golds in questions], tags)
    queries = (replace(query, id=own) for (own, _, _), query in zip(questions, context.queries, strict=True))
    return replace(context, queries=tuple(queries))


def _blocks(text: str) -> Iterator[tuple[int, int, str, int]]:
    """Where each sentence begins and ends, its label, and where that ends."""
    before = 0
    for found in LABEL_LINE.finditer(text):
        block = text[before : found.start()]
        head = block.rstrip().rfind(BLANK_LINE)  # what stands before it, such as a heading, belongs to no example
        start = before + (head + len(BLANK_LINE) if head >= 0 else 0)
        start += len(text[start : found.start()]) - len(text[start : found.start()].lstrip())
        if start < found.start():
            yield start, found.start(), found[1], found.end()
        before = found.end()
