"""Known wrong gold answers of the released files, laid over them; the files themselves stay as they are.

An entry of errata.json is used only where the answer loaded is the one it corrects, so that a file that was mended at
its source is left alone. What was corrected is tagged (`errata=corrected`, `gold_released=<the answer as released>`):
scores without the errata take the released answer from the tag.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from memtriage.suites.longmemeval.question import Question


@dataclass(frozen=True, slots=True)
class Erratum:
    """One wrong answer: what it was, what it should be, why, and who found it."""

    question_id: str
    was: str
    gold: str
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Errata:
    """All of them, of one version."""

    version: str
    applies_to: str
    entries: Mapping[str, Erratum]

    def applied(self, question: Question) -> Question:
        """The question with its answer corrected and tagged, or as it was."""
        erratum = self.entries.get(question.id)
        if erratum is None or question.answer.strip() != erratum.was:
            return question
        tags = {**question.tags, "errata": "corrected", "gold_released": question.answer}
        return replace(question, answer=erratum.gold, tags=tags)


@lru_cache(maxsize=1)
def load() -> Errata:
    """The errata that come with this version."""
    record = json.loads(resources.files(__package__).joinpath("errata.json").read_text(encoding="utf-8"))
    entries = [Erratum(**entry) for entry in record["entries"]]
    return Errata(record["version"], record["applies_to"], {entry.question_id: entry for entry in entries})
