"""The lexical detector: whether memories hold a fact, by words alone, without guessing.

A fact is *found* where one memory sentence carries all of its critical details with the same
negation, in a memory that names its subject. It is *edited* where a memory repeats the fact but a detail
is gone, a number changed, a negation flipped. It is *absent* where nothing in the store can be it.
Everything between, above all a paraphrase, is *unsettled*: words can't decide it, so they don't.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from memtriage.core.episode import Fact
from memtriage.diagnose.lexical.sentence_index import Scope, SentenceIndex
from memtriage.text.sentences import sentences
from memtriage.text.words import Words, hinge_stems, is_number, turning_stems, vague_stems, words

NAME = "lexical/1"

State = Literal["found", "edited", "unsettled", "absent"]

_REPEATS = 0.75
"""From this share of a sentence's other words on, a memory repeats it rather than resembles it."""

_NEAR = 0.34
"""A reworded memory with this share of a sentence's words, brought back, may stand for it."""

_RARE = 3

_TITLES = frozenset("captain dr doctor mr mrs ms miss sir lady lord old aunt uncle professor sister brother".split())


@dataclass(frozen=True, slots=True)
class Finding:
    """What some memories hold of a fact, why, and the numbers of the memories it rests on.

    `missing` are the words whose loss makes it edited.
    """

    state: State
    why: str
    memories: tuple[int, ...] = ()
    missing: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Part:
    """One evidence sentence with the details it carries, and the words of all the evidence around it."""

    said: Words
    details: tuple[str, ...]
    wanted: tuple[tuple[str, ...], ...]
    needed: frozenset[str]
    around: frozenset[str]


def holds(fact: Fact, index: SentenceIndex, scope: Scope, loose: bool = True) -> Finding:
    """What the memories in scope hold of a fact.

    `loose` also counts a free paraphrase as unsettled; asked of a handful of retrieved memories,
    where the store is seen to hold the fact, it takes a paraphrase with some of its words.
    """
    subject = subject_stems(fact.subject)
    if fact.settled:
        return _outright(fact, index, scope)
    findings = [_look(part, fact, subject, index, scope, loose) for part in _parts(fact)]
    for state in ("absent", "edited", "unsettled"):
        worst = next((f for f in findings if f.state == state), None)
        if worst is not None:
            return worst
    together = tuple(dict.fromkeys(m for f in findings for m in f.memories))
    if len(together) > 1 and not fact.split:
        return Finding("unsettled", "its parts stand in different memories", together)
    return Finding("found", findings[0].why if findings else "no detail asked for", together)


def _outright(fact: Fact, index: SentenceIndex, scope: Scope) -> Finding:
    """A fact that follows from what was said but never was: a sentence must state it, and none that was said does.

    A condition that names it (if this happens, it will be that) is the rule from which it follows, not the fact. So may
    be a sentence that repeats more of what was said than the fact has: conditions need no `if`.
    """
    needed = frozenset(stem for detail in fact.details for stem in words(detail).stems)
    best = Finding("absent", "no memory states it outright")
    for number in index.using_all(needed, scope) if needed else ():
        if index.supposed(number):
            continue
        here = (index.memory_of(number),)
        more = set(index.kept.said[number].stems) - set(words(fact.text).stems)
        if more.isdisjoint(index.origin(number).stems):
            return Finding("found", "stated outright", here)
        best = Finding("unsettled", "stated, but perhaps only as what would be", here)
    return best


def subject_stems(subject: str) -> frozenset[str]:
    """The words by which a subject is known; a title alone names nobody."""
    return frozenset(s for s in words(subject).stems if s not in _TITLES)


def _parts(fact: Fact) -> Iterator[_Part]:
    """The evidence sentences that carry details. A detail belongs to the first sentence that has it.

    Without details, everything that was said is one; what has no words of its own (only, not) is none.
    """
    said = [words(sentence) for text in fact.evidence for sentence in sentences(text)]
    around = frozenset(stem for sentence in said for stem in sentence.stems)
    asked = [piece for d in fact.details or fact.evidence for piece in sentences(d)]
    left = [d for d in dict.fromkeys(asked) if words(d).stems]
    for sentence in said:
        here = [d for d in left if set(words(d).stems) <= set(sentence.stems)]
        if here:
            left = [d for d in left if d not in here]
            yield _part(sentence, here, around)
    if left or not any(words(d).stems for d in asked):
        yield _part(words(" ".join(left)), left, around)


def evidence_of(fact: Fact) -> Iterator[tuple[Words, frozenset[str]]]:
    """The sentences by which a fact is found, and the words of each that can't be missing."""
    return ((part.said, part.needed) for part in _parts(fact))


def _part(said: Words, details: Iterable[str], around: frozenset[str]) -> _Part:
    wanted = tuple(words(d).stems for d in details)
    return _Part(said, tuple(details), wanted, frozenset(stem for stems in wanted for stem in stems), around)


def _look(part: _Part, fact: Fact, subject: frozenset[str], index: SentenceIndex, scope: Scope, loose: bool) -> Finding:
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
    """Of two ways to miss a fact, the one that says more. An open question outweighs a loss: it may yet be found."""
    rank = {"absent": 0, "edited": 1, "unsettled": 2, "found": 3}
    return b if rank[b.state] > rank[a.state] else a


def _complete(
    part: _Part, fact: Fact, subject: frozenset[str], index: SentenceIndex, scope: Scope
) -> Iterator[Finding]:
    """Memories with a sentence that carries every detail. A copy of something else that was said is that, not this."""
    for number in index.using_all(part.needed, scope):
        memory, said = index.memory_of(number), index.kept.said[number]
        here = (memory,)
        named = not subject or index.names(memory, subject)
        if said == part.said:
            yield from _copy(fact, part, named, memory, index)
        elif index.spoken(part.said) and _of_something_else(number, part, fact, named, index):
            continue
        elif not named:
            yield Finding("unsettled", f"its details are there, but not the name {fact.subject}", here)
        elif said.polarity != part.said.polarity and _flips(said, part, subject):
            yield Finding("edited", _flipped(part.said, said), here)
        elif said.polarity != part.said.polarity:
            yield Finding("unsettled", f"its details are there, but reworded: {_flipped(part.said, said)}", here)
        elif doubt := _doubt(said, part, subject):
            yield Finding("unsettled", f"its details are there, but {doubt}", here)
        else:
            yield Finding("found", "every critical detail is kept", here)


def _copy(fact: Fact, part: _Part, named: bool, memory: int, index: SentenceIndex) -> Iterator[Finding]:
    """A memory that has the very sentence. Where others said it too, the memory's other sentences tell whose it is."""
    others = index.told(part.said) - set(fact.turns) if fact.turns else set()
    home = index.home(memory) if others else set()
    if home and home.isdisjoint(fact.turns):
        return
    if named:
        yield Finding("found", "kept word for word", (memory,))
    elif others and not home:
        yield Finding(
            "unsettled", f"kept, but it was said of others too, and the name {fact.subject} is missing", (memory,)
        )
    else:
        yield Finding("edited", f"kept, but nothing in the memory says that it is about {fact.subject}", (memory,))


def _repeated(
    part: _Part, fact: Fact, subject: frozenset[str], index: SentenceIndex, scope: Scope
) -> Iterator[Finding]:
    """Memories that repeat the sentence without one of its details."""
    evidence = frozenset(part.said.stems)
    for detail, wanted in zip(part.details, part.wanted, strict=True):
        others = evidence.difference(wanted)
        if len(others) < 2:
            continue
        for number in index.covering(others, _REPEATS, scope):
            stems = set(index.kept.said[number].stems)
            missing = set(wanted) - stems
            if not missing or index.copied(number) or not _from_here(number, evidence, index):
                continue
            memory = index.memory_of(number)
            named = subject <= set(wanted) or index.names(memory, subject)
            if _of_others(fact, named, memory, index):
                continue
            why = _loss(detail, wanted, missing, _new(index.kept.said[number], part, subject)) if named else None
            if why:
                yield Finding("edited", why, (memory,), frozenset(missing))
            else:
                yield Finding("unsettled", f"reworded: {detail!r} may survive in other words", (memory,))


def _loss(detail: str, wanted: Iterable[str], missing: Set[str], new: Set[str]) -> str | None:
    """What a repeated sentence lost that lacks these words of a detail and has these new ones, if that is clear.

    Part of a detail may go unharmed (the temperature falls below 10 - below 10), and a number may come back in
    other units (5 pm - 17:00) or as an article (one - a).
    """
    numbers = {stem for stem in missing if is_number(stem)}
    changed = {stem for stem in new if is_number(stem)}
    told = numbers if new else numbers - {"1"}
    if told and (new <= vague_stems() or (missing == numbers and new - changed <= vague_stems())):
        return f"kept, but the number in {detail!r} is gone or changed"
    if new <= vague_stems() and missing >= set(wanted) and missing != {"1"}:
        return f"kept without {detail!r}"
    return None


def _rest_elsewhere(
    part: _Part, missing: Set[str], fact: Fact, subject: frozenset[str], index: SentenceIndex, scope: Scope
) -> Finding | None:
    """Another reworded sentence that may hold what the repeated one lacks."""
    for number in index.using_any(missing, scope):
        memory = index.memory_of(number)
        named = not subject or index.names(memory, subject)
        if named and _open(number, part, fact, named, index):
            return Finding("unsettled", "kept without a detail, which another sentence may hold", (memory,))
    return None


def _cut(part: _Part, index: SentenceIndex, scope: Scope) -> Finding | None:
    """A sentence cut apart, all of it there, but in different memories; a cut may go through a word."""
    whole = frozenset(part.said.stems)
    if not _pieces(index.rarest(whole, _RARE), part, index, scope):
        return None  # without these words, more would be missing than a cut can tear
    pieces = _pieces(whole, part, index, scope)
    have = {stem for n in pieces for stem in index.kept.said[n].stems}
    torn = len(pieces) - 1 if have - whole else 0
    if pieces and len(whole - have) <= torn:
        memories = tuple(dict.fromkeys(index.memory_of(n) for n in pieces))
        return Finding("unsettled", "cut apart: its details stand in different memories", memories)
    return None


def _pieces(stems: Set[str], part: _Part, index: SentenceIndex, scope: Scope) -> list[int]:
    """The sentences that use one of these words and are a run of the part's, but no copy of something said."""
    return [
        n
        for n in index.using_any(stems, scope)
        if _is_piece(index.kept.said[n].stems, part.said) and not index.copied(n)
    ]


def _paraphrased(
    part: _Part, fact: Fact, subject: frozenset[str], index: SentenceIndex, scope: Scope, loose: bool
) -> Finding | None:
    """A rewritten sentence that comes from nowhere else and speaks of the same things."""
    stems = frozenset(part.said.stems) - subject
    candidates = index.hinting(stems, subject, scope) if loose else index.covering(stems, _NEAR, scope)
    for number in candidates:
        memory = index.memory_of(number)
        if _open(number, part, fact, not subject or index.names(memory, subject), index):
            return Finding("unsettled", "a reworded memory may hold it in other words", (memory,))
    if loose and not subject:
        for number in index.reworded(scope):
            why = "a memory that nothing else accounts for may hold it in other words"
            return Finding("unsettled", why, (index.memory_of(number),))
    return None


def _open(number: int, part: _Part, fact: Fact, named: bool, index: SentenceIndex) -> bool:
    """Whether a memory's sentence may be a rewording of this part: neither a copy nor clearly of something else."""
    if not index.kept.said[number].stems:
        return False
    if not index.spoken(part.said):
        return index.kept.said[number] != part.said
    if index.copied(number) or _of_others(fact, named, index.memory_of(number), index):
        return False
    return not index.accounted(number) or _from_here(number, set(part.said.stems), index)


def _from_here(number: int, evidence: Set[str], index: SentenceIndex) -> bool:
    """Whether a memory's sentence comes from this evidence rather than from something else that was said."""
    stems = set(index.kept.said[number].stems)
    return index.origin(number).share <= len(stems & evidence) / len(stems)


def _from_elsewhere(number: int, part: _Part, index: SentenceIndex) -> bool:
    """Whether a rewritten sentence repeats something else that was said."""
    return index.origin(number).share >= _REPEATS and not _from_here(number, set(part.said.stems), index)


def _of_something_else(number: int, part: _Part, fact: Fact, named: bool, index: SentenceIndex) -> bool:
    """Whether a memory's sentence is a copy or a repetition of something else that was said."""
    return (
        index.copied(number)
        or _from_elsewhere(number, part, index)
        or _of_others(fact, named, index.memory_of(number), index)
    )


def _of_others(fact: Fact, named: bool, memory: int, index: SentenceIndex) -> bool:
    """Whether a memory without the subject's name can only come from what was said about others."""
    home = set() if named else index.home(memory)
    return bool(home and fact.turns and home.isdisjoint(fact.turns))


def _flips(said: Words, part: _Part, subject: Set[str]) -> bool:
    """Whether a sentence is this part but for one negation or exclusive that came or went.

    Where one marker replaced another (never … except - only) the two may say the same.
    """
    before, after = Counter(part.said.polarity), Counter(said.polarity)
    mine, theirs = set(part.said.stems), set(said.stems)
    one = (before - after).total() + (after - before).total() == 1
    return one and len(mine & theirs) >= _REPEATS * len(mine) and _new(said, part, subject) <= vague_stems()


def _doubt(said: Words, part: _Part, subject: Set[str]) -> str | None:
    """Why a reworded sentence with every detail may still say something else."""
    mine, theirs = set(part.said.stems), set(said.stems)
    new = _new(said, part, subject)
    if subject and subject.isdisjoint(theirs) and not new <= vague_stems():
        return "the sentence doesn't say of whom"
    if new & turning_stems():
        return "a word was added that may take them back"
    if any(map(is_number, mine - theirs)) and any(map(is_number, new)):
        return "another number stands there"
    if (theirs - part.around) & hinge_stems() or (mine - theirs) & hinge_stems():
        return "it compares otherwise"
    if said.links - part.said.links or part.said.links - said.links:
        return "who does what to whom may be turned round"
    if _attached(said) != _attached(part.said):
        return "the negation stands elsewhere"
    if not _in_order(part, said):
        return "in another order"
    between = _between(part)
    if len(between & theirs) < 0.5 * len(between):
        return "what joined them is gone"
    others = mine - subject - part.needed
    if len(others & theirs) < 0.5 * len(others):
        return "most of what was said around them is gone"
    return None


def _new(said: Words, part: _Part, subject: Set[str]) -> set[str]:
    """The words that a sentence has and the evidence has not, or has less often."""
    more = Counter(said.stems) - Counter(part.said.stems)
    return {stem for stem in more if stem not in part.around or stem in part.said.stems} - subject


def _attached(said: Words) -> list[tuple[str, str]]:
    """Each negation or exclusive with the word it stands before."""
    marks = (mark.split("@") for mark in said.frame)
    ends = (*said.stems, "")
    return sorted((marker, ends[int(at)]) for marker, at in marks if marker in said.polarity)


def _places(part: _Part, stems: Sequence[str]) -> list[int]:
    """Where each detail stands, told by a word that no other detail has."""
    shared = Counter(stem for wanted in part.wanted for stem in set(wanted))
    return [min(stems.index(s) for s in ([w for w in wanted if shared[w] == 1] or wanted)) for wanted in part.wanted]


def _in_order(part: _Part, said: Words) -> bool:
    if len(part.wanted) < 2 or not part.needed <= set(part.said.stems):
        return True
    before, after = _places(part, part.said.stems), _places(part, said.stems)
    return sorted(range(len(before)), key=before.__getitem__) == sorted(range(len(after)), key=after.__getitem__)


def _between(part: _Part) -> set[str]:
    """The words that stand between the details and belong to none."""
    inside = [i for i, stem in enumerate(part.said.stems) if stem in part.needed]
    if not inside:
        return set()
    return set(part.said.stems[inside[0] : inside[-1]]) - part.needed


def _is_piece(piece: tuple[str, ...], whole: Words) -> bool:
    """Whether a sentence is a run of another's words, give or take a torn word at either end."""
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
