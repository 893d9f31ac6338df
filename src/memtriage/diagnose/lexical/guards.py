"""Guards: why a memory that has every critical detail of a fact may still say something else.

Negation, hedges, plans, other people, other numbers, who does what to whom: each turns a statement without touching the
words that matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memtriage.diagnose.lexical.alignment import weight
from memtriage.diagnose.lexical.comparison import compare
from memtriage.diagnose.lexical.lexicon import rarity, small_words
from memtriage.diagnose.lexical.reading import MEANING
from memtriage.diagnose.lexical.statement import Statement
from memtriage.text.language import english
from memtriage.text.words import stem, turning_stems

CLOSE = 0.42
"""Words this close in meaning count nearly as much as the same word."""

_NEAR_COPY = 0.75
"""With this share of the fact's words or more, a memory is nearly a copy, so that every `only` and `not` counts."""

_TELLING = 1.3
"""A word between two details that weighs as much says what one does to the other."""


class Guards:
    """What must be the same in a memory that has the details of a fact."""

    def __init__(
        self, whole: Statement, details: Sequence[Statement], subject: frozenset[str], one_sentence: bool
    ) -> None:
        self._whole = whole
        self._details = details
        self._subject = subject
        self._one_sentence = one_sentence

    def doubt(self, memory: Statement) -> str:
        """Why a memory with every critical detail may still say something else."""
        critical = frozenset(u.form for d in self._details for u in d.units)
        mine = frozenset(u.clause for u in self._whole.units if u.form in critical)
        theirs = frozenset(u.clause for u in memory.units if u.form in critical)
        if _is_denied(self._whole, mine) != _is_denied(memory, theirs):
            return "it is negated in one of them only"
        mine_denied, theirs_denied = _denied(self._whole, critical), _denied(memory, critical)
        if mine_denied and theirs_denied and mine_denied.isdisjoint(theirs_denied):
            return "the negation stands elsewhere"
        sentences = {memory.clauses[clause] for clause in theirs}
        around = frozenset(c for c, sentence in enumerate(memory.clauses) if sentence in sentences)
        for kind, why in (
            ("doubt", "it is hedged"),
            ("intent", "it may be only planned"),
            ("asked", "it may be only asked"),
        ):
            if memory.count(kind, around) and not self._whole.count(kind):
                return why
        fresh = {stem(english(u.surface.lower())) for u in memory.units if u.sentence in sentences}
        if (fresh - {stem(english(u.surface.lower())) for u in self._whole.units}) & (
            turning_stems() - small_words("harmless_turns")
        ):
            return "a word was added that may take it back"
        if self._whole.count("intent", mine) and not memory.count("plan", around):
            return "a plan may be told as done"
        if self._whole.count("condition", mine) and not any(
            memory.count(k, theirs) for k in ("condition", "exclusive", "compare", "time")
        ):
            return "the condition may be gone"
        other = self._other_person(memory, critical, sentences)
        if other:
            return f"it may be about {other}"
        f = compare(self._whole, memory).features
        if f["cover"] >= _NEAR_COPY and self._polarity(self._whole, mine) != self._polarity(memory, theirs):
            return "a negation or an only came or went"
        if f["number_moved"]:
            return "a number may belong to something else"
        if f["turned_names"]:
            return "who does what to whom may be turned round"
        return "" if not self._one_sentence or len(self._details) < 2 else self._torn(memory)

    def _other_person(self, memory: Statement, critical: frozenset[str], sentences: set[int]) -> str:
        """A name that was not said and stands nearest before the details, or anywhere if the subject's is missing."""
        said = {u.form for u in self._whole.units} | self._subject
        for sentence in sorted(sentences) if self._subject else ():
            here = [u for u in memory.units if u.sentence == sentence]
            first = next((i for i, u in enumerate(here) if u.form in critical), len(here))
            before = [u for u in here[:first] if u.kind == "name" or u.form in self._subject]
            if before and before[-1].form not in said:
                return before[-1].surface
            named = [u for u in here if u.form not in said and u.surface[:1].isupper() and u.kind in ("name", "word")]
            unnamed = not any(u.form in self._subject for u in here)
            if named and unnamed and (named[0].kind == "name" or rarity(named[0].surface) == 1.0):
                return named[0].surface
        return ""

    def _polarity(self, read: Statement, clauses: frozenset[int]) -> tuple[int, int, Counter[str]]:
        """How often these clauses deny or exclude something, and what they compare."""
        kinds = [read.count(kind, clauses) for kind in ("negation", "exclusive", "compare")]
        return kinds[0].total(), kinds[1].total(), kinds[2]

    def _torn(self, memory: Statement) -> str:
        """Whether the details of one sentence stand in several, were turned round, or are joined by something else."""
        places = [_places(detail, memory) for detail in self._details]
        shared = set.intersection(*({memory.units[j].sentence for j in p} for p in places)) if all(places) else set()
        if not shared:
            return "its details stand in different sentences"
        forms = Counter(u.form for detail in self._details for u in {u.form: u for u in detail.units}.values())
        mine, theirs = self._order(self._whole, forms, None), self._order(memory, forms, shared)
        if len(theirs) > len(mine) >= len(self._details):
            return "its details are mixed up"
        if not mine or not theirs:
            return ""
        passive = self._passive(memory, forms) and not any(u.link == "by" for u in self._whole.units)
        here = frozenset(clause for clause, sentence in enumerate(memory.clauses) if sentence in shared)
        turns = any(memory.count(kind, here) for kind in ("condition", "exclusive", "cause", "compare")) or any(
            u.link in ("from", "with", "for", "through", "by", "as") for u in memory.units if u.sentence in shared
        )
        if (mine == theirs and passive) or (mine != theirs and not turns):
            return "who does what to whom may be turned round"
        return self._unjoined(memory)

    def _order(self, read: Statement, forms: Counter[str], sentences: set[int] | None) -> list[int]:
        """The details in the order in which their own words stand in a statement; one that is mixed in comes twice."""
        order: list[int] = []
        for form in dict.fromkeys(u.form for u in read.units if sentences is None or u.sentence in sentences):
            if forms[form] != 1:
                continue
            detail = next(i for i, d in enumerate(self._details) if any(u.form == form for u in d.units))
            if order[-1:] != [detail]:
                order.append(detail)
        return order if set(order) == set(range(len(self._details))) else []

    def _passive(self, memory: Statement, forms: Counter[str]) -> bool:
        """Whether a whole detail follows `by`, as the one that does it to the other."""
        for j, unit in enumerate(memory.units):
            if unit.link == "by" and forms[unit.form] == 1:
                detail = next(d for d in self._details if any(u.form == unit.form for u in d.units))
                if not {u.form for u in detail.units} & {u.form for u in memory.units[:j]}:
                    return True
        return False

    def _unjoined(self, memory: Statement) -> str:
        """Whether a telling word between two details, what one does to the other, is gone."""
        critical = {u.form for detail in self._details for u in detail.units}
        inside = [i for i, u in enumerate(self._whole.units) if u.form in critical]
        between = [u for u in self._whole.units[inside[0] : inside[-1]] if u.form not in critical] if inside else []
        kept = {u.form for u in memory.units}
        gone = [u for u in between if u.kind == "word" and u.form not in kept and weight(u) >= _TELLING]
        others = [u.surface for u in memory.units if u.kind == "word"]
        likes = MEANING.likeness([u.surface for u in gone], others) if others else [0.0] * len(gone)
        return "what joined them is gone" if any(like < CLOSE for like in likes) else ""


def _is_denied(read: Statement, clauses: frozenset[int]) -> bool:
    """Whether these clauses are denied; `not until` and `not unless` mean `only`."""
    sentences = {read.clauses[clause] for clause in clauses}
    denied = bool(read.count("negation", clauses)) or any(
        u.form in small_words("denials") for u in read.units if u.clause in clauses
    )
    around = frozenset(c for c, sentence in enumerate(read.clauses) if sentence in sentences)
    return denied and not {"until", "unless", "except"} & read.count("exclusive", around).keys()


def _denied(read: Statement, critical: frozenset[str]) -> set[str]:
    """The critical forms in clauses with a negation."""
    clauses = {clause for kind, _, clause in read.marks if kind == "negation"}
    return {u.form for u in read.units if u.clause in clauses and u.form in critical}


def _places(detail: Statement, within: Statement) -> list[int]:
    """Where the units of a detail stand in a statement."""
    return list(compare(detail, within).places)
