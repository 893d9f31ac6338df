"""What the examples that came back would say if each had a vote: the label that most of them carry.

Where a question is to be labelled as its nearest examples are, this is the answer that needs no reader. It is taken of
probes with the tag `vote=label`, whose gold answers are labels, from memories with lines such as `Label: 43`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memtriage.core.episode import Probe
from memtriage.text.labels import BY_LABEL, LABEL_LINE, TAG

MEASURE = "Vote"
"""The name of the measure: 1 where the majority's label is the right one, else 0."""


def votes(probe: Probe, memories: Iterable[str]) -> Mapping[str, float]:
    """The measure of what a probe brought (texts, the best first), if its answer can be voted on; else nothing."""
    if probe.tags.get(TAG) != BY_LABEL:
        return {}
    elected = majority([label for text in memories for label in labels(text)])
    return {MEASURE: float(elected is not None and elected in (probe.golds or (probe.gold,)))}


def labels(text: str) -> list[str]:
    """The labels that a text's lines give, in order.

    >>> labels("Where is my parcel?\\nLabel: 43\\n\\nWhat does it cost?\\nLabel: 7")
    ['43', '7']
    """
    return LABEL_LINE.findall(text)


def majority(ranked: Sequence[str]) -> str | None:
    """The label that occurs most often; among equals, the one that comes first. None where there is none.

    >>> majority(["7", "43", "43", "7", "9"])
    '7'
    """
    counted = Counter(ranked)  # keeps the order in which labels came, and so does `max` among equals
    return max(counted, key=counted.__getitem__, default=None)
