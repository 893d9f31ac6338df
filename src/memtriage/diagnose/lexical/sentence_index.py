"""An index of the sentences in a store's memories, by the words they use.

It also holds the sentences of the conversations, so that a memory's sentence can be traced to the one it came from: a
copy of something else can't be a paraphrase of the fact in question.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from memtriage.diagnose.lexical.statements import Statements
from memtriage.text.sentences import sentences
from memtriage.text.words import Words, words

Scope = Set[int]
"""The numbers of the memories to search."""

_FEW = 64
_LONG = 16
"""If memories have more sentences than this on average, they are searched by the index, not one by one."""
_EXPLAINED = 0.6


@dataclass(frozen=True, slots=True)
class Origin:
    """The source sentence most like a memory's sentence, the share of the words found in it, and its turns."""

    stems: tuple[str, ...]
    share: float
    turns: Set[str] = frozenset()


class _Stems(dict[int, frozenset[str]]):
    """The words of sentences by their numbers; a set is made of them when one is first looked at, as few ever are."""

    def __init__(self, sentences: Sequence[Words]) -> None:
        self._sentences = sentences

    def __missing__(self, number: int) -> frozenset[str]:
        stems = self[number] = frozenset(self._sentences[number].stems)
        return stems


class Sentences:
    """Numbered sentences, and for each word the sentences that use it."""

    def __init__(self) -> None:
        self.sentences: list[Words] = []
        self.stems = _Stems(self.sentences)
        """The words of each sentence."""
        self._using: dict[str, array[int]] = {}

    def __len__(self) -> int:
        return len(self.sentences)

    def add(self, sentence: Words) -> int:
        number = len(self.sentences)
        self.sentences.append(sentence)
        using = self._using
        for stem in set(sentence.stems):
            numbers = using.get(stem)
            if numbers is None:
                numbers = using[stem] = array("L")
            numbers.append(number)
        return number

    def using(self, stem: str) -> array[int]:
        """The sentences that use a word, oldest first."""
        return self._using.get(stem, _NONE)

    def using_all(self, stems: Iterable[str]) -> list[int]:
        """The sentences that use every one of these words."""
        rarest_first = sorted((self.using(stem) for stem in set(stems)), key=len)
        if not rarest_first:
            return []
        found = set(rarest_first[0])
        for numbers in rarest_first[1:]:
            if not found:
                break
            found.intersection_update(numbers)
        return sorted(found)

    def covering(self, stems: Set[str], share: float) -> list[int]:
        """The sentences that use at least this share of the words.

        Such a sentence can miss only so many of them, so it uses at least one of the rarest few.
        """
        if not stems:
            return []
        rarest = sorted(stems, key=lambda stem: (len(self.using(stem)), stem))[: int((1 - share) * len(stems)) + 1]
        candidates = {number for stem in rarest for number in self.using(stem)}
        return sorted(n for n in candidates if len(stems & self.stems[n]) >= share * len(stems))


_NONE: array[int] = array("L")


_STAMP = re.compile(r"^[\s*•-]*(?:\[[^\]]{1,40}\]|\d{4}[-/]\d\d[-/]\d\d\S*?:?)\s+(?:user|assistant)?:?\s*")
_CONDITION = re.compile(
    r"\b(?:if|unless|would|will|should|in case|in the event|contingen\w*|depend\w*|once|when|whenever|as soon as|upon"
    r"|lined up|next in line|planned|fallback|backup)\b",
    re.IGNORECASE,
)

_ROLE = re.compile(r"\s*(?:user|assistant|system)\s*:(?:\s+|$)", re.IGNORECASE)


def _without_role(sentence: str) -> str:
    """A sentence without its speaker: sessions stored as one text have a role before each turn.

    >>> _without_role("user: I drive a van.")
    'I drive a van.'
    """
    label = _ROLE.match(sentence)
    return sentence[label.end() :] if label else sentence


class SentenceIndex:
    """All memories that a store ever held or returned, and the sentences of the conversations, by turn."""

    def __init__(self, sources: Iterable[tuple[str, str]], gold: Iterable[tuple[str, str]] = ()) -> None:
        self.kept = Sentences()
        self.keys: list[str] = []
        self._number: dict[str, int] = {}
        self._first: list[int] = []  # each memory's first sentence
        self._memory: array[int] = array("L")  # each sentence's memory
        self._supposed: set[int] = set()
        self._sources = Sentences()
        self._turns_of: dict[Words, set[str]] = {}  # each source sentence, and the turns it is in
        self._origins: dict[int, Origin] = {}
        self._texts: list[str] = []
        self.statements = Statements()
        self._reworded: list[int] = []
        self._checked = 0
        self._rewritten: list[int] = []
        self._read = 0
        self._searched: tuple[Scope, list[int]] = (frozenset(), [])  # the last scope, and its sentences
        for turn, text in sources:
            self._add_sources(turn, text)
        self._spoken = frozenset(self._turns_of)
        for turn, text in gold:
            self._add_sources(turn, text)

    def _add_sources(self, turn: str, text: str) -> None:
        for sentence in sentences(text):
            self._add_source(turn, words(_without_role(sentence)))

    def _add_source(self, turn: str, sentence: Words) -> None:
        if sentence.stems and sentence not in self._turns_of:
            self._turns_of[sentence] = set()
            self._sources.add(sentence)
        if sentence.stems:
            self._turns_of[sentence].add(turn)

    def add(self, key: str, text: str) -> int:
        """Add a memory if it is new, and give its number."""
        if key in self._number:
            return self._number[key]
        number = len(self.keys)
        self._number[key] = number
        self.keys.append(key)
        self._first.append(len(self.kept))
        self._texts.append(text)
        for sentence in sentences(text):
            if _CONDITION.search(sentence) or words(_STAMP.sub("", sentence)) in self._spoken:
                self._supposed.add(len(self.kept))
            self.kept.add(words(_without_role(sentence)))
            self._memory.append(number)
        return number

    def __contains__(self, key: str) -> bool:
        return key in self._number

    def number(self, key: str) -> int:
        """The number of a memory in the index."""
        return self._number[key]

    def text(self, memory: int) -> str:
        """The text of a memory."""
        return self._texts[memory]

    def memory_of(self, sentence: int) -> int:
        """The memory that a sentence belongs to."""
        return self._memory[sentence]

    def supposed(self, sentence: int) -> bool:
        """Whether a sentence only repeats one that was said (maybe with a date before it) or states a condition."""
        return sentence in self._supposed

    def sentences_of(self, memory: int) -> range:
        """The sentences of a memory."""
        end = self._first[memory + 1] if memory + 1 < len(self._first) else len(self.kept)
        return range(self._first[memory], end)

    def names(self, memory: int, subject: Set[str]) -> bool:
        """Whether a memory mentions the subject anywhere."""
        return any(not subject.isdisjoint(self.kept.stems[n]) for n in self.sentences_of(memory))

    def rarest(self, stems: Set[str], most: int) -> frozenset[str]:
        """The `most` words that are used by the fewest sentences."""
        return frozenset(sorted(stems, key=lambda stem: (len(self.kept.using(stem)), stem))[:most])

    def using_any(self, stems: Set[str], scope: Scope) -> list[int]:
        """The sentences within the scope that use at least one of these words."""
        if self._few_but_long(scope):
            return sorted(self._uses(stems, scope))
        if len(scope) <= _FEW:
            return [n for n in self._within(scope) if not stems.isdisjoint(self.kept.stems[n])]
        found = {n for stem in stems for n in self.kept.using(stem)}
        return sorted(n for n in found if self._memory[n] in scope)

    def using_all(self, stems: Set[str], scope: Scope) -> Iterator[int]:
        """The sentences within the scope that use every one of these words."""
        if stems and self._few_but_long(scope):
            return iter(sorted(n for n, used in self._uses(stems, scope).items() if used == len(stems)))
        if len(scope) <= _FEW:
            rarest = min(map(self.kept.using, stems), key=len) if stems else self._within(scope)
            return (n for n in rarest if self._memory[n] in scope and stems <= self.kept.stems[n])
        return (n for n in self.kept.using_all(stems) if self._memory[n] in scope)

    def covering(self, stems: Set[str], share: float, scope: Scope) -> Iterator[int]:
        """The sentences within the scope that use at least this share of the words."""
        least = share * len(stems)
        if stems and self._few_but_long(scope):
            return iter(sorted(n for n, used in self._uses(stems, scope).items() if used >= least))
        if len(scope) <= _FEW:
            return (n for n in self._within(scope) if len(stems & self.kept.stems[n]) >= least)
        return (n for n in self.kept.covering(stems, share) if self._memory[n] in scope)

    def hinting(self, stems: Set[str], subject: Set[str], scope: Scope) -> Iterator[int]:
        """The sentences within the scope that use a rare word of the fact, or are in a memory about its subject."""
        rare = max(2, len(self.kept) // 100)
        for stem in sorted(stems):
            using = self.kept.using(stem)
            if len(using) <= rare:
                yield from (n for n in using if self._memory[n] in scope)
        for stem in sorted(subject):
            memories = {self._memory[n] for n in self.kept.using(stem)}
            for memory in sorted(memories & scope):
                yield from self.sentences_of(memory)

    def spoken(self, sentence: Words) -> bool:
        """Whether exactly this sentence is in a conversation, not only in the gold evidence."""
        return sentence in self._spoken

    def reworded(self, scope: Scope) -> Iterator[int]:
        """The sentences within the scope that don't come from anything said."""
        for sentence in range(self._checked, len(self.kept)):
            if self.kept.sentences[sentence].stems and not self.explained(sentence):
                self._reworded.append(sentence)
        self._checked = len(self.kept)
        return (n for n in self._reworded if self._memory[n] in scope)

    def reworded_memories(self, scope: Scope) -> list[int]:
        """The memories within the scope with a sentence that was not said; statements are made of such sentences."""
        for memory in range(self._read, len(self.keys)):
            if any(self.kept.sentences[n].stems and not self.copied(n) for n in self.sentences_of(memory)):
                self._rewritten.append(memory)
        self._read = len(self.keys)
        found = [memory for memory in self._rewritten if memory in scope]
        for memory in found:
            if memory not in self.statements:
                own = zip(self.sentences_of(memory), sentences(self._texts[memory]), strict=True)
                self.statements.add(memory, "\n".join(text for n, text in own if not self.copied(n)))
        return found

    def has(self, memory: int, sentence: Words) -> bool:
        """Whether a memory has exactly this sentence."""
        return any(self.kept.sentences[n] == sentence for n in self.sentences_of(memory))

    def stems_of(self, memory: int) -> set[str]:
        """The words of a memory."""
        return {stem for n in self.sentences_of(memory) for stem in self.kept.sentences[n].stems}

    def explained(self, sentence: int) -> bool:
        """Whether a memory's sentence was said, or repeats most of one that was."""
        return self.copied(sentence) or self.origin(sentence).share >= _EXPLAINED

    def copied(self, sentence: int) -> bool:
        """Whether exactly this sentence is in a conversation or in the gold evidence."""
        return self.kept.sentences[sentence] in self._turns_of

    def turns_with(self, sentence: Words) -> Set[str]:
        """The turns that contain exactly this sentence."""
        return self._turns_of.get(sentence, frozenset())

    def sure_turns(self, memory: int) -> Set[str]:
        """The turns a memory must come from: those that are the only ones with one of its sentences."""
        each = (self.turns_with(self.kept.sentences[n]) for n in self.sentences_of(memory))
        return {turn for turns in each if len(turns) == 1 for turn in turns}

    def origin(self, sentence: int) -> Origin:
        """The source sentence most like a memory's sentence."""
        if sentence not in self._origins:
            self._origins[sentence] = self._closest(self.kept.sentences[sentence])
        return self._origins[sentence]

    def comes_from(self, sentence: int, evidence: Set[str]) -> bool:
        """Whether a memory's sentence comes from this evidence rather than from something else that was said."""
        stems = self.kept.stems[sentence]
        return self.origin(sentence).share <= len(stems & evidence) / len(stems)

    def _closest(self, sentence: Words) -> Origin:
        if sentence in self._turns_of:
            return Origin(sentence.stems, 1.0, self._turns_of[sentence])
        stems = set(sentence.stems)
        best = Origin((), 0.0)
        for number in self._sources.covering(stems, 0.5):
            source = self._sources.sentences[number]
            share = len(stems & self._sources.stems[number]) / len(stems)
            if share > best.share:
                best = Origin(source.stems, share, self._turns_of[source])
        return best

    def _few_but_long(self, scope: Scope) -> bool:
        return len(scope) <= _FEW and len(self._within(scope)) > _LONG * len(scope)

    def _uses(self, stems: Set[str], scope: Scope) -> Counter[int]:
        """How many of these words each sentence within the scope uses, for those that use any."""
        counted: Counter[int] = Counter()
        ranges = [self.sentences_of(memory) for memory in scope]
        for stem in stems:
            using = self.kept.using(stem)
            for numbers in ranges:
                counted.update(using[bisect_left(using, numbers.start) : bisect_left(using, numbers.stop)])
        return counted

    def _within(self, scope: Scope) -> list[int]:
        """The sentences of the memories in scope, in order; several facts are looked for in the same scope."""
        if self._searched[0] is not scope:
            found = [sentence for memory in sorted(scope) for sentence in self.sentences_of(memory)]
            if not isinstance(scope, frozenset):  # it may change
                return found
            self._searched = (scope, found)
        return self._searched[1]
