"""The majority label of the retrieved examples: an answer that needs no model.

It is measured for probes with the tag `vote=label`, whose gold answers are labels, from memories with lines such as
`Label: 43`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memtriage.core.episode import Probe
from memtriage.text.labels import BY_LABEL, LABEL_LINE, TAG

MEASURE = "Vote"
"""The name of the measure: 1 if the majority label is right, else 0."""


def votes(probe: Probe, memories: Iterable[str]) -> Mapping[str, float]:
    """The measure of a probe's retrieved texts (best first); empty if its answer can't be voted on."""
    if probe.tags.get(TAG) != BY_LABEL:
        return {}
    elected = majority([label for text in memories for label in labels(text)])
    return {MEASURE: float(elected is not None and elected in (probe.golds or (probe.gold,)))}


def labels(text: str) -> list[str]:
    """The labels in a text, in order.

    >>> labels("Where is my parcel?\\nLabel: 43\\n\\nWhat does it cost?\\nLabel: 7")
    ['43', '7']
    """
    return LABEL_LINE.findall(text)


def majority(ranked: Sequence[str]) -> str | None:
    """The most frequent label, the first of ties; None without labels.

    >>> majority(["7", "43", "43", "7", "9"])
    '7'
    """
    counted = Counter(ranked)  # keeps the order of the labels, so `max` takes the first of ties
    return max(counted, key=counted.__getitem__, default=None)
