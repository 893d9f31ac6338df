"""Known mistakes of the released questions, laid over them; the file itself stays as it is.

An entry of errata.json is used only where question, answer and evidence are those it was written about (`hash`), so
that a file that was mended at its source is left alone. An entry either gives the right `gold` answer or the right
`evidence`, or neither: then the question rests on something false, no answer to it is right, and it is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from memtriage.suites.locomo.conversation import Question


@dataclass(frozen=True, slots=True)
class Erratum:
    """One mistake: of which question, what it should be, why, and who found it."""

    question: str
    hash: str
    why: str
    source: str
    gold: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def void(self) -> bool:
        """Whether the question can't be asked at all."""
        return not self.gold and not self.evidence


@dataclass(frozen=True, slots=True)
class Errata:
    """All of them, of one version."""

    version: str
    applies_to: str
    entries: Mapping[str, Erratum]

    def entry(self, id: str, question: Question) -> Erratum | None:
        """The mistake of a question as it was released, if one is known."""
        found = self.entries.get(id)
        return found if found is not None and found.hash == question.digest else None

    def marked(self, id: str, question: Question) -> Question:
        """The question as it was released, tagged with the kind of its mistake, and with the right answer."""
        found = self.entry(id, question)
        if found is None:
            return question
        kind = "void" if found.void else "gold" if found.gold else "evidence"
        right = {"gold_corrected": found.gold} if found.gold else {}
        return replace(question, tags={"mistake": kind, **right})

    def applied(self, id: str, question: Question) -> Question | None:
        """The question with its mistake mended; None if it can't be asked."""
        found = self.entry(id, question)
        if found is None:
            return question
        if found.void:
            return None
        tags = {"errata": "gold", "gold_released": question.answer} if found.gold else {"errata": "evidence"}
        mended = replace(question, answer=found.gold or question.answer, tags=tags)
        return replace(mended, evidence=found.evidence, strangers=()) if found.evidence else mended


@lru_cache(maxsize=1)
def load() -> Errata:
    """The errata that come with this version."""
    record = json.loads(resources.files(__package__).joinpath("errata.json").read_text(encoding="utf-8"))
    entries = [Erratum(**{**entry, "evidence": tuple(entry.get("evidence", ()))}) for entry in record["entries"]]
    return Errata(record["version"], record["applies_to"], {entry.question: entry for entry in entries})
