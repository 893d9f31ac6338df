"""Looks for a fact among memories that were rewritten: whether one states it, alters it, or none tells it.

For facts with critical details, each detail is looked for in any form, in a memory about the right subject, and nothing
may turn it (`guards.py`). Where that doesn't settle it, the fact is read as a whole (`reading.py`), and only a sure
reading counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from memtriage.core.episode import Fact
from memtriage.diagnose.lexical.alignment import weight
from memtriage.diagnose.lexical.comparison import Comparison, compare
from memtriage.diagnose.lexical.evidence import evidence_of, subject_stems
from memtriage.diagnose.lexical.finding import Finding
from memtriage.diagnose.lexical.guards import CLOSE, Guards
from memtriage.diagnose.lexical.lexicon import rivals
from memtriage.diagnose.lexical.reading import MEANING, read
from memtriage.diagnose.lexical.sentence_index import SentenceIndex
from memtriage.diagnose.lexical.statement import Statement, Unit, statement
from memtriage.text.words import Words, words

SURE = 0.92
"""The least confidence at which a reading counts."""

_OTHERWISE = "a memory may hold it in other words"

_CANDIDATES = 8

# Shares of the weight of critical details.
_ENOUGH = 0.6  # of all details together, for the fact to be there
_KEPT, _PART, _HINT = 0.7, 0.45, 0.3  # of one detail: kept, at least in part, less than a hint
_BOTH, _FEW_WORDS = 0.65, 2  # of a detail of so few words
_NEARLY = 0.8  # what a word close in meaning counts, compared with the same word

# Shares of the whole fact.
_TOLD, _AROUND = 0.25, 0.5  # its matter is told at all; it is told, though its details are gone
_WHOLE = 0.9  # details with so much of its words are no details

# Weights of details: one common word weighs about 1.
_HEAVY, _MISSED, _THIN = 1.1, 2.0, 3.0  # says something; its loss counts; less proves nothing by itself
_LONG, _FEW_GONE = 8, 3

_SAME_TOPIC = 0.5

# Shares of a memory's sentence that repeats something else.
_MERGED = 0.5  # less of it than this, and it may be a rewriting of anything
_OWN = 0.34  # of the words that only the fact has, for it to be told there as well


def critical_details(fact: Fact, said: str = "") -> tuple[Statement, ...]:
    """The critical details of a fact, if they are less than the whole of it."""
    whole = {unit.form for unit in statement(" ".join(fact.evidence), said).units}
    read = tuple(statement(detail, said) for detail in fact.details)
    forms = {unit.form for detail in read for unit in detail.units}
    if forms and (len(read) > 1 or len(forms) < _WHOLE * len(whole)):
        return read
    return _clauses(read[0]) if fact.subject and read else ()


def _clauses(sentence: Statement) -> tuple[Statement, ...]:
    """The clauses of a sentence that say enough to be missed, as details of their own."""
    parts = []
    for clause in dict.fromkeys(unit.clause for unit in sentence.units):
        units = tuple(u for u in sentence.units if u.clause == clause and u.kind != "self")
        if sum(map(weight, units)) >= _MISSED:
            parts.append(replace(sentence, units=units))
    return tuple(parts) if len(parts) > 1 else ()


class Look:
    """One fact, looked for among rewritten memories."""

    def __init__(self, fact: Fact, index: SentenceIndex, said: str = "") -> None:
        self._fact = fact
        self._index = index
        self._store = index.statements
        self._whole = statement(" ".join(fact.evidence), said)
        self._details = critical_details(fact, said)
        self._subject = (
            frozenset(u.form for u in statement(f"is {fact.subject}").units) if fact.subject else frozenset()
        )

    @property
    def has_details(self) -> bool:
        """Whether some of the fact matters more than the rest."""
        return bool(self._details)

    @cached_property
    def _evidence(self) -> list[Words]:
        return [sentence for sentence, _ in evidence_of(self._fact)]

    @cached_property
    def _guards(self) -> Guards:
        return Guards(self._whole, self._details, self._subject, one_sentence=not self._fact.split)

    def among(self, scope: Iterable[int]) -> Finding:
        """What the memories in scope do with the fact."""
        within = list(scope)
        if not self._whole.units:
            return Finding("unsettled", "it has no words to look for", firm=True)
        near = [n for n in self._store.near(self._whole, within) if self._may_be_about(n)][:_CANDIDATES]
        found = Finding("absent", "no memory shares a word with it")
        if near:
            found = self._by_details(near) if self._details else self._by_reading(near)
        return self._unless_close(found, within) if found.state == "absent" and found.confidence is None else found

    def _unless_close(self, absent: Finding, scope: Iterable[int]) -> Finding:
        """A memory without any of its words may still mean it, if it is close in meaning."""
        said = _text(self._whole)
        close = next(
            (
                n
                for n in scope
                if MEANING.closeness(said, _text(self._store[n])) >= _SAME_TOPIC and self._may_be_about(n)
            ),
            None,
        )
        return absent if close is None else Finding("unsettled", _OTHERWISE, (close,))

    def _may_be_about(self, memory: int) -> bool:
        """Whether a memory may be a rewriting of the fact: what it repeats of something else must not account for it.

        A merged memory repeats several things. It may be about each of which it has a word that the others lack.
        """
        index = self._index
        evidence = frozenset(stem for sentence in self._evidence for stem in sentence.stems)
        stems = index.stems_of(memory)
        for number in index.sentences_of(memory):
            if index.copied(number) or not index.kept.sentences[number].stems:
                continue
            origin = index.origin(number)
            if origin.share < _MERGED or not origin.turns.isdisjoint(self._fact.turns):
                return True
            own = evidence - set(origin.stems)
            if index.comes_from(number, evidence) or len(own & stems) >= _OWN * len(own) > 0:
                return True
        return False

    def _by_details(self, near: Sequence[int]) -> Finding:
        about = [n for n in near if not self._subject or self._names(n)]
        if not about:
            return self._of_another(near)
        kept = {n: [self._share(i, n) for i in range(len(self._details))] for n in about}
        best = max(about, key=lambda n: self._total(kept[n]))
        together = [max(kept[n][i] for n in about) for i in range(len(self._details))]
        shares = kept[best]
        rests_on: tuple[int, ...] = (best,)
        if self._fact.split:
            each = (max(about, key=lambda n: kept[n][i]) for i in range(len(self._details)))
            shares, rests_on = together, tuple(dict.fromkeys(each))
        enough = self._total(shares) >= _ENOUGH and all(
            s >= self._part(i) for i, s in enumerate(shares) if self._heavy[i]
        )
        if enough or self._total(shares) >= _KEPT:
            changed = next(
                (why for n in rests_on for detail in self._details if (why := self._changed(detail, n, rests_on))), ""
            )
            if changed:
                return Finding("edited", changed, (best,))
        if enough:
            exact = self._exact_gone(rests_on)
            if exact:
                return Finding("unsettled", f"its critical details are there, but not {exact!r}", rests_on, firm=True)
            thin = (
                len(self._details) == 1
                and sum(self._weights) < _THIN
                and not any(self._tells_more(n) for n in rests_on)
            )
            doubt = "little else of what was said" if thin else self._doubt(rests_on)
            if doubt:
                return Finding("unsettled", f"its critical details are there, but {doubt}", rests_on, firm=True)
            return Finding("found", "its critical details are there, in other words", rests_on)
        lost = [i for i, heavy in enumerate(self._heavy) if heavy and together[i] < self._hint(i)]
        if len(lost) == sum(self._heavy):
            return self._without_details(about)
        rest = [i for i, heavy in enumerate(self._heavy) if heavy and i not in lost]
        missed = [i for i in lost if self._weights[i] >= _MISSED]
        if missed and all(together[i] >= _KEPT for i in rest) and self._around(best) >= _TOLD:
            return Finding("edited", f"told without {self._detail(missed[0])!r}", (best,))
        reading = self._by_reading(near)
        return reading if reading.state in ("found", "edited") else Finding("unsettled", _OTHERWISE, (best,))

    def _doubt(self, memories: Sequence[int]) -> str:
        """Why one of the memories that hold the details between them may still say something else."""
        return next((doubt for n in memories if (doubt := self._guards.doubt(self._store[n]))), "")

    def _exact_gone(self, memories: Sequence[int]) -> str:
        """A number, day or time of a detail that is in none of these memories."""
        for detail in self._details:
            gone = [{u.form for u in compare(detail, self._store[n]).gone} for n in memories]
            for unit in detail.units:
                if unit.kind in ("number", "date", "time") and unit.form != "1" and all(unit.form in g for g in gone):
                    return unit.surface
        return ""

    def _of_another(self, near: Sequence[int]) -> Finding:
        """The fact may have been told of somebody else, if no memory names its subject."""
        total = {n: self._total([self._share(i, n) for i in range(len(self._details))]) for n in near}
        best = max(total, key=lambda n: total[n])
        if total[best] >= _ENOUGH:
            return Finding(
                "edited", f"told, but nothing in the memory says that it is about {self._fact.subject}", (best,)
            )
        return Finding("absent", f"no memory about {self._fact.subject} tells it")

    def _changed(self, detail: Statement, number: int, rests_on: Sequence[int]) -> str:
        """What stands in a memory where a word of a detail was said and rules it out: another number, day or unit."""
        memory = self._store[number]
        compared = compare(detail, memory)
        if len(compared.gone) > _FEW_GONE or len(compared.gone) == len(detail.units):
            return ""
        if any(u.form in {v.form for v in self._store[n].units} for u in compared.gone for n in rests_on):
            return ""
        said = {u.form for u in self._whole.units}
        here = {memory.units[j].sentence for j in compared.places}
        others = [u for u in memory.units if u.form not in said and u.sentence in here]
        for gone in compared.gone:
            other = next((u for u in others if u.form in rivals(gone.form) or _as_exact(gone, u)), None)
            if other:
                return f"told, but with {other.surface!r} where {gone.surface!r} was said"
        return ""

    def _without_details(self, about: Sequence[int]) -> Finding:
        """The fact may still be there without its details, if a memory has most of what was said around them."""
        cover = {n: self._around(n) for n in about}
        best = max(cover, key=lambda n: cover[n])
        if cover[best] >= _AROUND:
            return Finding("edited", f"told without {self._detail(0)!r}", (best,))
        if cover[best] >= _HINT:
            return Finding("unsettled", _OTHERWISE, (best,))
        return Finding("absent", "none of its critical details is in any memory")

    def _tells_more(self, number: int) -> bool:
        """Whether a memory has some of what was said beside the details and the subject, or nothing was."""
        known = {u.form for detail in self._details for u in detail.units} | self._subject
        rest = [u for u in self._whole.units if u.form not in known and u.kind != "self" and weight(u) >= 1]
        if not rest:
            return True
        memory = self._store[number].units
        others = [u.surface for u in memory if u.kind == "word" and u.form not in known]
        words = [u.surface for u in rest if u.kind == "word"]
        near = max(MEANING.likeness(words, others), default=0.0) if words and others else 0.0
        return near >= _SAME_TOPIC or not {u.form for u in rest}.isdisjoint(u.form for u in memory)

    def _part(self, detail: int) -> float:
        """The share that makes a detail recognisable; of two words both are needed."""
        return _PART if len(self._details[detail].units) > _FEW_WORDS else _BOTH

    def _around(self, number: int) -> float:
        """The share of the whole fact that one sentence of a memory has."""
        return compare(self._whole, self._store[number]).features["cover_best"]

    def _hint(self, detail: int) -> float:
        """Of a long detail, even little is a hint."""
        return _HINT if len(self._details[detail].units) < _LONG else _HINT / 2

    def _detail(self, number: int) -> str:
        """A detail as it was said, as far as it carries meaning."""
        given = self._fact.details
        return (
            given[number]
            if len(given) == len(self._details)
            else " ".join(u.surface for u in self._details[number].units)
        )

    @cached_property
    def _weights(self) -> list[float]:
        return [sum(weight(u) for u in detail.units) for detail in self._details]

    @cached_property
    def _heavy(self) -> list[bool]:
        """Whether each detail says enough to be missed: more than one common word."""
        heavy = [w >= _HEAVY for w in self._weights]
        return heavy if any(heavy) else [True] * len(heavy)

    def _total(self, shares: Sequence[float]) -> float:
        whole = sum(self._weights) or 1.0
        return sum(w * s for w, s in zip(self._weights, shares, strict=True)) / whole

    def _by_reading(self, near: Sequence[int]) -> Finding:
        readings = {n: read(self._whole, self._store[n]) for n in near}
        best = max(readings, key=lambda n: readings[n].chances["states"])
        top = readings[best]
        if top.label == "states" and top.confidence >= SURE:
            return Finding("found", "a memory says the same in other words", (best,), confidence=top.confidence)
        if top.chances["states"] < 1 - SURE:
            changed = max(readings, key=lambda n: readings[n].chances["alters"])
            found = readings[changed]
            if found.chances["alters"] >= SURE and not _as_percent(found.comparison):
                return Finding("edited", _change(found.comparison), (changed,), confidence=found.chances["alters"])
            least = min(r.chances["lacks"] for r in readings.values())
            if least >= SURE:
                return Finding("absent", "no memory tells it", confidence=least)
        return Finding("unsettled", _OTHERWISE, (best,), confidence=top.confidence)

    def _names(self, number: int) -> bool:
        """Whether a memory mentions the subject, if only in a sentence that was copied."""
        subject = subject_stems(self._fact.subject)
        named = any(u.form in self._subject for u in self._store[number].units)
        return named or (bool(subject) and self._index.names(number, subject))

    def _copied(self, number: int, detail: str) -> bool:
        """Whether a memory has the very sentence that told a detail."""
        stems = set(words(detail).stems)
        return any(stems <= set(told.stems) and self._index.has(number, told) for told in self._evidence)

    def _share(self, place: int, number: int) -> float:
        """The share of a detail's weight that a memory has, words close in meaning counting nearly as much."""
        detail = self._details[place]
        if len(self._fact.details) == len(self._details) and self._copied(number, self._fact.details[place]):
            return 1.0
        gone = compare(detail, self._store[number]).gone
        whole = sum(weight(u) for u in detail.units) or 1.0
        missing = sum(weight(u) for u in gone)
        memory = self._store[number].units
        words = [u for u in gone if u.kind == "word" and rivals(u.form).isdisjoint(v.form for v in memory)]
        others = [u.surface for u in memory if u.kind == "word"]
        if words and others:
            likes = MEANING.likeness([u.surface for u in words], others)
            missing -= sum(_NEARLY * weight(u) for u, like in zip(words, likes, strict=True) if like >= CLOSE)
        return 1 - missing / whole


def _text(read: Statement) -> str:
    return " ".join(unit.surface for unit in read.units if unit.kind != "self")


def _as_exact(gone: Unit, other: Unit) -> bool:
    """Whether one number, day or time stands for another of its kind."""
    return gone.kind == other.kind and gone.kind in ("number", "time", "date")


def _as_percent(comparison: Comparison) -> bool:
    """Whether a share may have been told in percent, or the other way round."""
    gone, new = ({u.form for u in units} for units in (comparison.gone, comparison.new))
    return ("percent" in gone) != ("percent" in new) and any(u.kind == "number" for u in comparison.gone)


def _change(comparison: Comparison) -> str:
    """What a memory changed, as far as one word says it."""
    gone = [u.surface for u in comparison.gone if u.kind != "word"] or [u.surface for u in comparison.gone]
    new = [u.surface for u in comparison.new if u.kind != "word"] or [u.surface for u in comparison.new]
    if gone and new:
        return f"told, but with {new[0]!r} where {gone[0]!r} was said"
    if gone:
        return f"told without {gone[0]!r}"
    return f"told, but with {new[0]!r} added" if new else "told, but turned round"
