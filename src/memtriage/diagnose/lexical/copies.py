"""Looks for a fact among memories that keep its words: copied whole, cut apart, or with a part changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set

from memtriage.core.episode import Fact
from memtriage.diagnose.lexical.evidence import Part, parts, subject_stems
from memtriage.diagnose.lexical.finding import Finding
from memtriage.diagnose.lexical.sentence_index import Scope, SentenceIndex
from memtriage.diagnose.lexical.statement import statement
from memtriage.text.words import EXCLUSIVES, Words, hinge_stems, is_number, turning_stems, vague_stems

_REPEATS = 0.75
"""A memory with this share of a sentence's other words or more repeats it."""

_NEAR = 0.34
"""A reworded, retrieved memory with this share of a sentence's words or more may be a paraphrase of it."""

_RARE = 3


def by_words(fact: Fact, index: SentenceIndex, scope: Scope, loose: bool) -> Finding:
    """What the words of the memories in scope say of a fact; `loose` as in `detector.holds`."""
    subject = subject_stems(fact.subject)
    findings = [_look(part, fact, subject, index, scope, loose) for part in parts(fact)]
    for state in ("absent", "edited", "unsettled"):
        worst = next((f for f in findings if f.state == state), None)
        if worst is not None:
            return worst
    together = tuple(dict.fromkeys(m for f in findings for m in f.memories))
    if len(together) > 1 and not fact.split:
        return Finding("unsettled", "its parts stand in different memories", together)
    reworded = next((f for f in findings if not f.firm), None)
    if reworded is not None or not findings:
        return Finding("found", reworded.why if reworded else "no detail asked for", together)
    if _lost_condition(fact, together, index):
        return Finding("unsettled", "kept, but the condition may be gone", together, firm=True)
    return Finding("found", findings[0].why, together, firm=True)


def _lost_condition(fact: Fact, memories: Iterable[int], index: SentenceIndex) -> bool:
    """Whether memories with the words of a fact no longer say when it holds: if and when are no content words."""
    texts = [index.text(memory) for memory in memories]
    if any(evidence in text for evidence in fact.evidence for text in texts):
        return False
    conditional = any(statement(evidence).count("condition") for evidence in fact.evidence)
    return conditional and not any(statement(text).count("condition") for text in texts)


def _look(part: Part, fact: Fact, subject: frozenset[str], index: SentenceIndex, scope: Scope, loose: bool) -> Finding:
    best = Finding("absent", "no memory holds it")
    if not part.needed:
        return Finding("unsettled", "it has no words to look for") if scope else best
    for finding in _complete(part, fact, subject, index, scope):
        if finding.state == "found":
            return finding
        best = _firmer(best, finding)
    cut = _cut(part, index, scope)
    if cut:
        return cut
    for finding in _repeated(part, fact, subject, index, scope):
        best = _firmer(best, finding)
    if best.state == "edited" and best.missing:
        return _rest_elsewhere(part, best.missing, fact, subject, index, scope) or best
    if best.state == "absent":
        return _paraphrased(part, fact, subject, index, scope, loose) or best
    return best


def _firmer(a: Finding, b: Finding) -> Finding:
    """The stronger of two findings. Unsettled outweighs edited, as the fact may still be there."""
    rank = {"absent": 0, "edited": 1, "unsettled": 2, "found": 3}
    return b if rank[b.state] > rank[a.state] else a


def _complete(part: Part, fact: Fact, subject: frozenset[str], index: SentenceIndex, scope: Scope) -> Iterator[Finding]:
    """Memories with a sentence that has every detail; copies of something else that was said don't count."""
    for number in index.using_all(part.needed, scope):
        memory, sentence = index.memory_of(number), index.kept.sentences[number]
        here = (memory,)
        named = not subject or index.names(memory, subject)
        if sentence == part.sentence:
            yield from _copy(fact, part, named, memory, index)
        elif index.spoken(part.sentence) and _of_something_else(number, part, fact, named, index):
            continue
        elif not named:
            yield Finding("unsettled", f"its details are there, but not the name {fact.subject}", here)
        elif sentence.polarity != part.sentence.polarity and _flips(sentence, part, subject):
            yield Finding("edited", _flipped(part.sentence, sentence), here, firm=_exclusive(part.sentence, sentence))
        elif sentence.polarity != part.sentence.polarity:
            yield Finding(
                "unsettled", f"its details are there, but reworded: {_flipped(part.sentence, sentence)}", here
            )
        elif doubt := _doubt(sentence, part, subject):
            firm = _other_number(sentence, part, subject)
            yield Finding("unsettled", f"its details are there, but {doubt}", here, firm=firm)
        else:
            yield Finding("found", "every critical detail is kept", here)


def _copy(fact: Fact, part: Part, named: bool, memory: int, index: SentenceIndex) -> Iterator[Finding]:
    """A memory with exactly this sentence. If other turns say it too, its other sentences show where it comes from."""
    others = index.turns_with(part.sentence) - set(fact.turns) if fact.turns else set()
    sure_turns = index.sure_turns(memory) if others else set()
    if sure_turns and sure_turns.isdisjoint(fact.turns):
        return
    if named:
        yield Finding("found", "kept word for word", (memory,), firm=True)
    elif others and not sure_turns:
        yield Finding(
            "unsettled", f"kept, but it was said of others too, and the name {fact.subject} is missing", (memory,)
        )
    else:
        yield Finding("edited", f"kept, but nothing in the memory says that it is about {fact.subject}", (memory,))


def _repeated(part: Part, fact: Fact, subject: frozenset[str], index: SentenceIndex, scope: Scope) -> Iterator[Finding]:
    """Memories that repeat the sentence but lack one of its details."""
    evidence = frozenset(part.sentence.stems)
    for detail, wanted in zip(part.details, part.wanted, strict=True):
        others = evidence.difference(wanted)
        if len(others) < 2:
            continue
        for number in index.covering(others, _REPEATS, scope):
            stems = set(index.kept.sentences[number].stems)
            missing = set(wanted) - stems
            if not missing or index.copied(number) or not index.comes_from(number, evidence):
                continue
            memory = index.memory_of(number)
            named = subject <= set(wanted) or index.names(memory, subject)
            if _of_others(fact, named, memory, index):
                continue
            why = _loss(detail, wanted, missing, _new(index.kept.sentences[number], part, subject)) if named else None
            if why:
                yield Finding("edited", why, (memory,), frozenset(missing), firm=True)
            else:
                yield Finding("unsettled", f"reworded: {detail!r} may survive in other words", (memory,))


def _loss(detail: str, wanted: Iterable[str], missing: Set[str], new: Set[str]) -> str | None:
    """What was lost in a repeated sentence that lacks these words of a detail and has these new ones; None if unclear.

    Part of a detail may go without harm (the temperature falls below 10 - below 10), and a number may be written in
    other units (5 pm - 17:00) or as an article (one - a).
    """
    numbers = {stem for stem in missing if is_number(stem)}
    changed = {stem for stem in new if is_number(stem)}
    lost = numbers if new else numbers - {"1"}
    if lost and (new <= vague_stems() or (missing == numbers and new - changed <= vague_stems())):
        return f"kept, but the number in {detail!r} is gone or changed"
    if new <= vague_stems() and missing >= set(wanted) and missing != {"1"}:
        return f"kept without {detail!r}"
    return None


def _rest_elsewhere(
    part: Part, missing: Set[str], fact: Fact, subject: frozenset[str], index: SentenceIndex, scope: Scope
) -> Finding | None:
    """Another reworded sentence that may hold the missing detail."""
    for number in index.using_any(missing, scope):
        memory = index.memory_of(number)
        named = not subject or index.names(memory, subject)
        if named and _may_reword(number, part, fact, named, index):
            return Finding("unsettled", "kept without a detail, which another sentence may hold", (memory,))
    return None


def _cut(part: Part, index: SentenceIndex, scope: Scope) -> Finding | None:
    """A sentence that was cut apart and is spread over several memories; a cut may go through a word."""
    whole = frozenset(part.sentence.stems)
    if not _pieces(index.rarest(whole, _RARE), part, index, scope):
        return None  # without these words, more is missing than a cut can explain
    pieces = _pieces(whole, part, index, scope)
    have = {stem for n in pieces for stem in index.kept.sentences[n].stems}
    torn = len(pieces) - 1 if have - whole else 0
    if pieces and len(whole - have) <= torn:
        memories = tuple(dict.fromkeys(index.memory_of(n) for n in pieces))
        return Finding("unsettled", "cut apart: its details stand in different memories", memories, firm=True)
    return None


def _pieces(stems: Set[str], part: Part, index: SentenceIndex, scope: Scope) -> list[int]:
    """The sentences that use one of these words and are a piece of the part's sentence, but were not said like that."""
    return [
        n
        for n in index.using_any(stems, scope)
        if _is_piece(index.kept.sentences[n].stems, part.sentence) and not index.copied(n)
    ]


def _paraphrased(
    part: Part, fact: Fact, subject: frozenset[str], index: SentenceIndex, scope: Scope, loose: bool
) -> Finding | None:
    """A reworded sentence about the same things that comes from nothing else that was said."""
    stems = frozenset(part.sentence.stems) - subject
    candidates = index.hinting(stems, subject, scope) if loose else index.covering(stems, _NEAR, scope)
    for number in candidates:
        memory = index.memory_of(number)
        if _may_reword(number, part, fact, not subject or index.names(memory, subject), index):
            return Finding("unsettled", "a reworded memory may hold it in other words", (memory,))
    if loose and not subject:
        for number in index.reworded(scope):
            why = "a memory that nothing else accounts for may hold it in other words"
            return Finding("unsettled", why, (index.memory_of(number),))
    return None


def _may_reword(number: int, part: Part, fact: Fact, named: bool, index: SentenceIndex) -> bool:
    """Whether a memory's sentence may be a rewording of this part: not a copy, and not clearly about something else."""
    if not index.kept.sentences[number].stems:
        return False
    if not index.spoken(part.sentence):
        return index.kept.sentences[number] != part.sentence
    if index.copied(number) or _of_others(fact, named, index.memory_of(number), index):
        return False
    return not index.explained(number) or index.comes_from(number, set(part.sentence.stems))


def _from_elsewhere(number: int, part: Part, index: SentenceIndex) -> bool:
    """Whether a reworded sentence repeats something else that was said."""
    return index.origin(number).share >= _REPEATS and not index.comes_from(number, set(part.sentence.stems))


def _of_something_else(number: int, part: Part, fact: Fact, named: bool, index: SentenceIndex) -> bool:
    """Whether a memory's sentence copies or repeats something else that was said."""
    return (
        index.copied(number)
        or _from_elsewhere(number, part, index)
        or _of_others(fact, named, index.memory_of(number), index)
    )


def _of_others(fact: Fact, named: bool, memory: int, index: SentenceIndex) -> bool:
    """Whether a memory without the subject's name can only come from other turns."""
    sure_turns = set() if named else index.sure_turns(memory)
    return bool(sure_turns and fact.turns and sure_turns.isdisjoint(fact.turns))


def _flips(sentence: Words, part: Part, subject: Set[str]) -> bool:
    """Whether a sentence is this part except for one negation or exclusive that was added or dropped.

    If one marker replaced another (never … except - only), both may mean the same. One that was added may come from
    another sentence that told the fact (… and not beyond), if the memory joins them.
    """
    before, after = Counter(part.sentence.polarity), Counter(sentence.polarity)
    if part.denied.intersection(after - before):
        return False
    mine, theirs = set(part.sentence.stems), set(sentence.stems)
    one = (before - after).total() + (after - before).total() == 1
    return one and len(mine & theirs) >= _REPEATS * len(mine) and _new(sentence, part, subject) <= vague_stems()


def _exclusive(before: Words, after: Words) -> bool:
    """Whether a word such as `only` came or went, which no other reading of a negation explains."""
    changed = (Counter(before.polarity) - Counter(after.polarity)) + (
        Counter(after.polarity) - Counter(before.polarity)
    )
    return not EXCLUSIVES.isdisjoint(changed)


def _doubt(sentence: Words, part: Part, subject: Set[str]) -> str | None:
    """Why a reworded sentence with every detail may still mean something else; None if nothing suggests it."""
    mine, theirs = set(part.sentence.stems), set(sentence.stems)
    new = _new(sentence, part, subject)
    if subject and subject.isdisjoint(theirs) and not new <= vague_stems():
        return "the sentence doesn't say of whom"
    if new & turning_stems():
        return "a word was added that may take them back"
    if _other_number(sentence, part, subject):
        return "another number stands there"
    if (theirs - part.around) & hinge_stems() or (mine - theirs) & hinge_stems():
        return "it compares otherwise"
    if sentence.links - part.sentence.links or part.sentence.links - sentence.links:
        return "who does what to whom may be turned round"
    if _attached(sentence) != _attached(part.sentence):
        return "the negation stands elsewhere"
    if not _in_order(part, sentence) or not all(_runs(wanted, part.sentence, sentence) for wanted in part.wanted):
        return "in another order"
    between = _between(part)
    if len(between & theirs) < 0.5 * len(between):
        return "what joined them is gone"
    others = mine - subject - part.needed
    if len(others & theirs) < 0.5 * len(others):
        return "most of what was said around them is gone"
    return None


def _other_number(sentence: Words, part: Part, subject: Set[str]) -> bool:
    """Whether a number is gone and another one came."""
    gone = set(part.sentence.stems) - set(sentence.stems)
    return any(map(is_number, gone)) and any(map(is_number, _new(sentence, part, subject)))


def _new(sentence: Words, part: Part, subject: Set[str]) -> set[str]:
    """The words that a sentence has and the evidence doesn't have, or has less often."""
    more = Counter(sentence.stems) - Counter(part.sentence.stems)
    return {stem for stem in more if stem not in part.around or stem in part.sentence.stems} - subject


def _attached(sentence: Words) -> list[tuple[str, str]]:
    """Each negation or exclusive with the word that follows it."""
    marks = (mark.split("@") for mark in sentence.frame)
    ends = (*sentence.stems, "")
    return sorted((marker, ends[int(at)]) for marker, at in marks if marker in sentence.polarity)


def _places(part: Part, stems: Sequence[str]) -> list[int]:
    """The position of each detail, by a word that no other detail has."""
    shared = Counter(stem for wanted in part.wanted for stem in set(wanted))
    return [min(stems.index(s) for s in ([w for w in wanted if shared[w] == 1] or wanted)) for wanted in part.wanted]


def _in_order(part: Part, sentence: Words) -> bool:
    if len(part.wanted) < 2 or not part.needed <= set(part.sentence.stems):
        return True
    before, after = _places(part, part.sentence.stems), _places(part, sentence.stems)
    return sorted(range(len(before)), key=before.__getitem__) == sorted(range(len(after)), key=after.__getitem__)


def _runs(wanted: tuple[str, ...], before: Words, after: Words) -> bool:
    """Whether the words of a detail stand in the same order as they were said."""
    if len(set(wanted)) < len(wanted) or not set(wanted) <= set(before.stems):
        return True
    return sorted(wanted, key=before.stems.index) == sorted(wanted, key=after.stems.index)


def _between(part: Part) -> set[str]:
    """The words between the details that belong to none."""
    inside = [i for i, stem in enumerate(part.sentence.stems) if stem in part.needed]
    if not inside:
        return set()
    return set(part.sentence.stems[inside[0] : inside[-1]]) - part.needed


def _is_piece(piece: tuple[str, ...], whole: Words) -> bool:
    """Whether a sentence is a run of another's words, apart from a torn word at either end."""
    size = len(piece)
    if not 0 < size < len(whole.stems):
        return False
    runs = [piece] if size < 3 else [piece, piece[1:], piece[:-1], piece[1:-1]]
    return any(whole.stems[i : i + len(run)] == run for run in runs for i in range(len(whole.stems) - len(run) + 1))


def _flipped(before: Words, after: Words) -> str:
    gone = [w for w in before.polarity if w not in after.polarity]
    new = [w for w in after.polarity if w not in before.polarity]
    parts = [f"{'/'.join(gone)!r} is gone"] if gone else []
    parts += [f"{'/'.join(new)!r} was added"] if new else []
    return " and ".join(parts) or "a negation was repeated or dropped"
