"""The lexical detector: whether memories hold a fact, by words alone, without guessing.

A fact is *found* where one memory sentence carries all of its critical details with the same
negation, in a memory that names its subject. It is *edited* where a memory repeats the fact but a detail
is gone, a number changed, a negation flipped. It is *absent* where nothing in the store can be it.
Everything between, above all a paraphrase, is *unsettled*: words can't decide it, so they don't.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Literal

from memtriage.diagnose.library import Library, Scope
from memtriage.episode import Fact
from memtriage.sentences import sentences
from memtriage.words import Words, is_number, vague_stems, words

NAME = "lexical/1"

State = Literal["found", "edited", "unsettled", "absent"]

_REPEATS = 0.75
"""From this share of a sentence's other words on, a memory repeats it rather than resembles it."""

_PIECE = 0.2
"""The smallest share of a sentence that still counts as a piece of it."""

_TITLES = frozenset("captain dr doctor mr mrs ms miss sir lady lord old aunt uncle professor sister brother".split())


@dataclass(frozen=True, slots=True)
class Finding:
    """What some memories hold of a fact, why, and the numbers of the memories it rests on."""

    state: State
    why: str
    memories: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """One evidence sentence with the details it carries."""

    said: Words
    details: tuple[str, ...]
    wanted: tuple[tuple[str, ...], ...]
    needed: frozenset[str]


def holds(fact: Fact, library: Library, scope: Scope, loose: bool = True) -> Finding:
    """What the memories in scope hold of a fact.

    `loose` also counts a free paraphrase as unsettled; asked of a handful of retrieved memories,
    after the store was found to hold the fact, it is switched off.
    """
    subject = subject_stems(fact.subject)
    findings = [_look(part, fact, subject, library, scope, loose) for part in _parts(fact)]
    for state in ("absent", "edited", "unsettled"):
        worst = next((f for f in findings if f.state == state), None)
        if worst is not None:
            return worst
    together = tuple(dict.fromkeys(m for f in findings for m in f.memories))
    if len(together) > 1 and not fact.split:
        return Finding("unsettled", "its parts stand in different memories", together)
    return Finding("found", findings[0].why if findings else "no detail asked for", together)


def subject_stems(subject: str) -> frozenset[str]:
    """The words by which a subject is known; a title alone names nobody."""
    return frozenset(s for s in words(subject).stems if s not in _TITLES)


def _parts(fact: Fact) -> Iterator[_Part]:
    """The evidence sentences that carry details. A detail belongs to the first sentence that has it."""
    left = list(fact.details)
    for sentence in (sentence for evidence in fact.evidence for sentence in sentences(evidence)):
        said = words(sentence)
        here = [d for d in left if set(words(d).stems) <= set(said.stems)]
        if here:
            left = [d for d in left if d not in here]
            yield _part(said, here)
    if left:
        yield _part(words(" ".join(left)), left)


def _part(said: Words, details: Iterable[str]) -> _Part:
    wanted = tuple(words(d).stems for d in details)
    return _Part(said, tuple(details), wanted, frozenset(stem for stems in wanted for stem in stems))


def _look(part: _Part, fact: Fact, subject: frozenset[str], library: Library, scope: Scope, loose: bool) -> Finding:
    best = Finding("absent", "no memory holds it")
    for finding in _complete(part, fact, subject, library, scope):
        if finding.state == "found":
            return finding
        best = _firmer(best, finding)
    cut = _cut(part, library, scope)
    if cut:
        return cut
    for finding in _repeated(part, fact, subject, library, scope):
        best = _firmer(best, finding)
    if best.state == "absent" and loose:
        return _paraphrased(part, subject, library, scope) or best
    return best


def _firmer(a: Finding, b: Finding) -> Finding:
    """Of two ways to miss a fact, the one that says more. An open question outweighs a loss: it may yet be found."""
    rank = {"absent": 0, "edited": 1, "unsettled": 2, "found": 3}
    return b if rank[b.state] > rank[a.state] else a


def _complete(part: _Part, fact: Fact, subject: frozenset[str], library: Library, scope: Scope) -> Iterator[Finding]:
    """Memories with a sentence that carries every detail. A copy of something else that was said is that, not this."""
    for number in library.using_all(part.needed, scope):
        memory, said = library.memory_of(number), library.kept.said[number]
        here = (memory,)
        named = not subject or library.names(memory, subject)
        if said == part.said:
            yield from _copy(fact, part, named, memory, library)
        elif (
            library.copied(number) or _from_elsewhere(number, part, library) or _of_others(fact, named, memory, library)
        ):
            continue
        elif not named:
            yield Finding("unsettled", f"its details are there, but not the name {fact.subject}", here)
        elif said.polarity != part.said.polarity and _repeats(said, part):
            yield Finding("edited", _flipped(part.said, said), here)
        elif said.polarity != part.said.polarity:
            yield Finding("unsettled", f"its details are there, but reworded: {_flipped(part.said, said)}", here)
        elif not _in_order(part, said):
            yield Finding("unsettled", "its details are there, but in another order", here)
        else:
            yield Finding("found", "every critical detail is kept", here)


def _copy(fact: Fact, part: _Part, named: bool, memory: int, library: Library) -> Iterator[Finding]:
    """A memory that has the very sentence. Where others said it too, the memory's other sentences tell whose it is."""
    others = library.told(part.said) - set(fact.turns) if fact.turns else set()
    home = library.home(memory) if others else set()
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


def _repeated(part: _Part, fact: Fact, subject: frozenset[str], library: Library, scope: Scope) -> Iterator[Finding]:
    """Memories that repeat the sentence without one of its details."""
    evidence = frozenset(part.said.stems)
    for detail, wanted in zip(part.details, part.wanted, strict=True):
        others = evidence.difference(wanted)
        if len(others) < 2:
            continue
        for number in library.covering(others, _REPEATS, scope):
            stems = set(library.kept.said[number].stems)
            missing = set(wanted) - stems
            if not missing or library.copied(number) or not _from_here(number, evidence, library):
                continue
            memory = library.memory_of(number)
            if not _of_others(fact, not subject or library.names(memory, subject), memory, library):
                yield _loss(detail, missing, stems - evidence - subject, memory)


def _loss(detail: str, missing: Set[str], new: Set[str], memory: int) -> Finding:
    """What it means that a repeated sentence lacks words of a detail and has these new ones."""
    if any(is_number(stem) for stem in missing):
        return Finding("edited", f"kept, but the number in {detail!r} is gone or changed", (memory,))
    if new <= vague_stems():
        return Finding("edited", f"kept without {detail!r}", (memory,))
    return Finding("unsettled", f"reworded: {detail!r} may survive in other words", (memory,))


def _cut(part: _Part, library: Library, scope: Scope) -> Finding | None:
    """A sentence cut apart, all of it there, but in different memories."""
    whole = set(part.said.stems)
    pieces = [n for n in library.covering(whole, _PIECE, scope) if _is_piece(library.kept.said[n].stems, part.said)]
    if whole.issubset(stem for n in pieces for stem in library.kept.said[n].stems):
        memories = tuple(dict.fromkeys(library.memory_of(n) for n in pieces))
        return Finding("unsettled", "cut apart: its details stand in different memories", memories)
    return None


def _paraphrased(part: _Part, subject: frozenset[str], library: Library, scope: Scope) -> Finding | None:
    """A rewritten sentence that comes from nowhere else and speaks of the same things."""
    stems = frozenset(part.said.stems) - subject
    for number in library.hinting(stems, subject, scope):
        if not library.copied(number) and library.origin(number).share < 0.6:
            memory = (library.memory_of(number),)
            return Finding("unsettled", "a reworded memory may hold it in other words", memory)
    return None


def _from_here(number: int, evidence: Set[str], library: Library) -> bool:
    """Whether a memory's sentence comes from this evidence rather than from something else that was said."""
    stems = set(library.kept.said[number].stems)
    return library.origin(number).share <= len(stems & evidence) / len(stems)


def _from_elsewhere(number: int, part: _Part, library: Library) -> bool:
    """Whether a rewritten sentence repeats something else that was said."""
    return library.origin(number).share >= _REPEATS and not _from_here(number, set(part.said.stems), library)


def _of_others(fact: Fact, named: bool, memory: int, library: Library) -> bool:
    """Whether a memory without the subject's name can only come from what was said about others."""
    home = set() if named else library.home(memory)
    return bool(home and fact.turns and home.isdisjoint(fact.turns))


def _repeats(said: Words, part: _Part) -> bool:
    mine, theirs = set(part.said.stems), set(said.stems)
    return len(mine & theirs) >= _REPEATS * max(len(mine), len(theirs))


def _in_order(part: _Part, said: Words) -> bool:
    def order(stems: tuple[str, ...]) -> list[int]:
        return sorted(range(len(part.wanted)), key=lambda i: min(stems.index(s) for s in part.wanted[i]))

    if len(part.wanted) < 2 or not part.needed <= set(part.said.stems):
        return True
    return order(part.said.stems) == order(said.stems)


def _is_piece(piece: tuple[str, ...], whole: Words) -> bool:
    size = len(piece)
    return 0 < size < len(whole.stems) and any(
        whole.stems[i : i + size] == piece for i in range(len(whole.stems) - size + 1)
    )


def _flipped(before: Words, after: Words) -> str:
    gone = [w for w in before.polarity if w not in after.polarity]
    new = [w for w in after.polarity if w not in before.polarity]
    parts = [f"{'/'.join(gone)!r} is gone"] if gone else []
    parts += [f"{'/'.join(new)!r} was added"] if new else []
    return " and ".join(parts) or "a negation was repeated or dropped"
