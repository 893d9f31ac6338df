"""The gold facts of MemFail's rows, with the critical details without which each is no longer the same.

Generated rows bring their evidence sentences and details along. Released rows don't, so both are
found by alignment: the essay sentence that shares most words with the rule or the gold answer, and in
it the runs of words that the condition, the behaviour or the answer names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memtriage.core.episode import Fact
from memtriage.core.errors import BadInput
from memtriage.suites.kit.localized import grammar, languages
from memtriage.suites.kit.phrases import TRIM, runs
from memtriage.suites.memfail.paper import PACKAGE
from memtriage.suites.memfail.rows import CoexistingRow, ConditionalRow, LongHopRow, PersonaQuestion, PersonaRow
from memtriage.text.language import spoken
from memtriage.text.sentences import sentences
from memtriage.text.words import words

_ENOUGH_WORDS = 2
"""With fewer words than this in common, the whole sentence counts as the detail."""


def conditional(row: ConditionalRow, id: str, turn: str, hard: bool) -> Fact:
    """The rule of one entity: the condition's details first, then the behaviour's."""
    if row.evidence and row.details:
        evidence, details = row.evidence, row.details
    elif hard:
        evidence, details = _hard_rule(row)
    else:
        evidence, details = _easy_rule(row)
    behaviour = [run for sentence in evidence for run in runs(sentence, row.behavior, but=details)]
    return Fact(
        id=id,
        text=_rule(row),
        turns=(turn,),
        details=_without_overlap((*details, *behaviour)),
        evidence=evidence,
        subject=row.entity,
        split=hard,
    )


def _rule(row: ConditionalRow) -> str:
    """The rule in one sentence."""
    language = spoken()
    if language is None or language.code not in languages(PACKAGE):
        return f"{row.entity} {row.behavior} {_exclusive(row.condition)}."
    template = str(grammar(PACKAGE, language.code, "conditional")["rule_text"])
    return template.format(entity=row.entity, behavior=row.behavior, condition=row.condition)


def _exclusive(condition: str) -> str:
    """The condition as the only one, which the gold answers take it to be.

    >>> _exclusive("whenever it rains"), _exclusive("only at noon"), _exclusive("at most twice a year")
    ('only when it rains', 'only at noon', 'at most twice a year')
    """
    first, _, rest = condition.partition(" ")
    match first.lower():
        case "only" | "unless":
            return f"{first.lower()} {rest}"
        case "whenever":
            return f"only when {rest}"
    return condition if condition.startswith("at most ") else f"only {condition}"


def coexisting(row: CoexistingRow, index: int, id: str, turn: str) -> Fact:
    """One preference; its name is what must survive."""
    if index >= len(row.preferences):
        raise BadInput(
            f"the row that asks {row.question!r} has {len(row.preference_facts)} facts for {len(row.preferences)} "
            "preferences; `memtriage data validate` names it"
        )
    text, preference = row.preference_facts[index], row.preferences[index]
    return Fact(id=id, text=text, turns=(turn,), details=_named(preference, text))


def persona(row: PersonaRow, question: PersonaQuestion, id: str, turn: str) -> Fact:
    """The idiosyncratic fact of the essay that a question is about, or, misleading, is shaped after."""
    if question.evidence and question.details:
        evidence, details = question.evidence, question.details
    else:
        evidence, details = _answering(row, question)
    return Fact(
        id=id,
        text=" ".join(evidence),
        turns=(turn,),
        details=details,
        evidence=evidence,
        subject=row.entity,
        split=True,
    )


def long_hop(row: LongHopRow, index: int, id: str, turn: str) -> Fact:
    """One link of a chain: both of its anchors must survive, in one memory."""
    text = row.facts[index]
    anchors = row.chain[index : index + 2]
    details = tuple(detail for anchor in anchors for detail in _named(anchor, text))
    named = row.chain[0] if row.chain[0][:1].isupper() and all(row.chain[0] in fact for fact in row.facts) else ""
    return Fact(id=id, text=text, turns=(turn,), details=_without_overlap(details), subject=named)


def _named(name: str, text: str) -> tuple[str, ...]:
    if set(words(name).stems) <= set(words(text).stems) and words(name).stems:
        return (name,)
    return runs(text, name) or (_trimmed(text),)


def _easy_rule(row: ConditionalRow) -> tuple[tuple[str, ...], tuple[str, ...]]:
    essay = sentences(row.essay)
    rule = _closest(essay, f"{row.behavior} {row.condition}")
    return (rule,), runs(rule, row.condition, but=(row.behavior, row.entity)) or (_trimmed(rule),)


def _hard_rule(row: ConditionalRow) -> tuple[tuple[str, ...], tuple[str, ...]]:
    essay = sentences(row.essay)
    behaviour = _closest(essay, row.behavior)
    others = [s for s in essay if s != behaviour]
    condition = _closest(others, row.condition)
    details = runs(condition, row.condition, but=(row.entity,))
    if len({stem for detail in details for stem in words(detail).stems}) < _ENOUGH_WORDS:
        details = (_trimmed(condition),)
    evidence = tuple(s for s in essay if s in (behaviour, condition))
    return evidence, details


def _answering(row: PersonaRow, question: PersonaQuestion) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sentences that hold the answer; for a misleading question, those it was shaped after."""
    sought = question.text if question.is_misleading else question.ground_truth_answer
    skip = (row.entity, question.distractor or "")
    essay = sentences(row.essay)
    evidence = _cover(essay, sought, skip, 1 if question.is_misleading else 3)
    details = _without_overlap(run for sentence in evidence for run in runs(sentence, sought, but=skip))
    stems = {stem for detail in details for stem in words(detail).stems}
    return evidence, details if len(stems) >= _ENOUGH_WORDS else (_trimmed(evidence[0]),)


def _cover(essay: Sequence[str], sought: str, skip: Iterable[str], most: int) -> tuple[str, ...]:
    """Few sentences that together use most of the sought words that the essay has at all."""
    left = set(words(sought).stems) - {s for text in skip for s in words(text).stems}
    left &= {stem for sentence in essay for stem in words(sentence).stems}
    enough = 0.2 * len(left)
    chosen: list[str] = []
    while len(chosen) < most and len(left) > enough:
        best = max(essay, key=lambda s: len(left & set(words(s).stems)))
        left -= set(words(best).stems)
        chosen.append(best)
    return tuple(s for s in essay if s in chosen) or (essay[0],)


def _closest(essay: Sequence[str], sought: str) -> str:
    """The sentence that uses most of the sought words; rare ones in the essay weigh more."""
    wanted = set(words(sought).stems)
    counts = {w: sum(w in words(s).stems for s in essay) for w in wanted}
    return max(essay, key=lambda s: sum(1 / counts[w] for w in wanted & set(words(s).stems)))


def _trimmed(sentence: str) -> str:
    return sentence.strip(TRIM)


def _without_overlap(details: Iterable[str]) -> tuple[str, ...]:
    """Each detail once, and none that a longer one before it already holds."""
    kept: list[str] = []
    for detail in details:
        if words(detail).stems and not any(_within(detail, other) for other in kept):
            kept.append(detail)
    return tuple(kept)


def _within(detail: str, other: str) -> bool:
    """Whether one phrase is in another, whole words only."""
    return re.search(rf"(?<!\w){re.escape(detail)}(?!\w)", other) is not None
