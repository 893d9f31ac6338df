"""Entries by their words and their sentences by their meaning. What is added never makes the past be read again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.designs.mosaic.kept import Column, Derived, Parts, Postings
from memtriage.systems.retrieval.dense import VectorIndex

Scores = NDArray[np.float32]
Places = NDArray[np.intp]
Stems = frozenset[str]

EXACT_UP_TO = 100_000
"""Sentences up to which every one is compared with a question."""
SKETCHED_FROM = 1_000
"""Sentences from which on it is known what all of them have in common."""
MOST_LATELY = 20_000
"""Entries whose vectors are held in memory after they were read."""
FREQUENT = 20_000
"""Entries that hold a word from which on, in a large store, it only counts where a rarer word of the question does."""


class WordIndex:
    """Which entries hold a stem, and how often; BM25 over entries and over whole sessions."""

    def __init__(self, stems_of: Callable[[int], Sequence[str]], parts: Parts | None = None) -> None:
        self.lengths = Column(np.int32)
        self.session_of = Column(np.int32)
        self.bags: Derived[Counter[str]] = Derived(self.__len__, lambda place: Counter(stems_of(place)))
        self.postings = Postings("words", parts, counted=True)
        self._session_lengths = Column(np.int64)
        self._rarities = _Rarities(self)
        self._common = _Common(self)
        self._every = 0.0
        self.unnumber()
        self._total = 0

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def sessions(self) -> int:
        """How many sessions there are."""
        return len(self._session_lengths)

    def taken(self) -> None:
        """Bring sums up to date, when the columns were read."""
        lengths, sessions = self.lengths.view, self.session_of.view
        self._total = int(lengths.sum())
        self._every = math.log(len(self) + 1)
        self._session_lengths = Column(np.int64)
        self._session_lengths.extend(np.bincount(sessions, lengths))

    def add(self, stems: Sequence[str], session: int) -> None:
        """Take in the next entry."""
        place = len(self)
        self._rarities.clear()
        self.lengths.append(len(stems))
        self._every = math.log(place + 2)
        self._total += len(stems)
        self.session_of.append(session)
        if session == self.sessions:
            self._session_lengths.append(0)
        self._session_lengths[session] = self._session_lengths[session] + len(stems)
        bag = Counter(stems)
        self.bags.put(place, bag)
        for stem, times in bag.items():
            self.postings.add(stem, place, times)
            self._common.pop(stem, None)
            number = self._numbers.get(stem)
            if number is not None and self._known[number] == self._known[number]:  # it was asked for
                self._known[number] = self._common[stem]

    def empty(self, place: int) -> None:
        """Count an entry as one without words; they have to be taken out of the postings."""
        length, session = self.lengths[place], self.session_of[place]
        self._rarities.clear()
        self._total -= length
        self._session_lengths[session] = self._session_lengths[session] - length
        self.lengths[place] = 0
        self.bags.drop(place)
        self._common.clear()
        self._known[:] = np.nan

    def holding(self, stem: str, last: int | None = None) -> list[int]:
        """The entries that hold a stem, oldest first; only so many of the latest, if told."""
        return self.postings.numbers(stem, last)

    def count(self, stem: str) -> int:
        """How many entries hold a stem."""
        return self.postings.count(stem)

    def rarity(self, stem: str) -> float:
        """How much a stem tells: BM25's idf."""
        return self._rarities[stem]

    def mass(self, stems: Iterable[str]) -> float:
        """How much several stems tell together, whatever their order."""
        return math.fsum(map(self._rarities.__getitem__, stems))

    def share(self, stems: Iterable[str], among: Iterable[str]) -> float:
        """How much of what some stems tell is told by others too, from 0 to 1."""
        wanted = frozenset(stems)
        shared = wanted.intersection(among)
        if not shared or len(shared) == len(wanted):  # most often; there is nothing to weigh
            return float(bool(shared))
        return self.mass(shared) / self.mass(wanted)

    def share_from(self, least: float, stems: Stems, among: Stems) -> float:
        """The same share where it is at least so much, and otherwise 0: much faster, as most are nowhere near."""
        shared = stems & among
        if not shared or len(shared) == len(stems):
            return float(bool(shared))
        every = self._every  # BM25's idf is about this less how common a stem is
        common = self._common.__getitem__
        mass = len(stems) * every - sum(map(common, stems))
        if len(shared) * every - sum(map(common, shared)) < (least - 1e-6) * mass:
            return 0.0
        exact = self.share(stems, among)
        return exact if exact >= least else 0.0

    def unnumber(self) -> None:
        """Give no stem a number any longer; 0 is nobody's, and tells nothing."""
        self._numbers: dict[str, int] = {}
        self._numbered = [""]
        self._known = np.full(64, np.nan)  # how common each of them is, as far as it was asked for
        self._marked = np.zeros(64, dtype=bool)

    def number(self, stem: str) -> int:
        """The number of a stem, by which `masses` and `are` look up many at once."""
        found = self._numbers.get(stem)
        if found is None:
            found = self._numbers[stem] = len(self._numbered)
            self._numbered.append(stem)
            if found == len(self._known):
                self._known = np.concatenate((self._known, np.full(found, np.nan)))
                self._marked = np.zeros(2 * found, dtype=bool)
        return found

    def masses(self, numbers: NDArray[np.int32]) -> NDArray[np.float64]:
        """About how much each of some numbered stems tells; the last digits may differ from `rarity`."""
        self._known[0] = self._every
        mass: NDArray[np.float64] = self._every - self._known[numbers]
        if (unknown := np.isnan(mass)).any():
            for number in set(numbers[unknown].tolist()):
                self._known[number] = self._common[self._numbered[number]]
            mass = self._every - self._known[numbers]
        return mass

    def are(self, numbers: NDArray[np.int32], among: Stems) -> NDArray[np.bool_]:
        """Which of some numbered stems are among others."""
        mine = [number for stem in among if (number := self._numbers.get(stem)) is not None]
        self._marked[mine] = True
        found = self._marked[numbers]
        self._marked[mine] = False
        return found

    def scores(self, asked: Iterable[str], large: bool = False) -> tuple[Scores, Scores]:
        """How well entries and whole sessions fit some stems, each about 0 to 1.

        In a large store frequent words only count for entries that hold a rarer one, if the question has one.
        """
        count, sessions = len(self), self.sessions
        by_entry = np.zeros(count, dtype=np.float32)
        by_session = np.zeros(sessions, dtype=np.float32)
        if not count:
            return by_entry, by_session
        lengths, session_of, session_lengths = self.lengths.view, self.session_of.view, self._session_lengths.view
        mean, session_mean = max(1.0, self._total / count), max(1.0, self._total / sessions)
        most = session_most = 0.0
        found: Places | None = None
        for stem in sorted(asked, key=self.count) if large else asked:
            holding = self.count(stem)
            if not holding:
                most += 0.5 * math.log(1.5 + count)
                session_most += 0.7 * math.log(1.5 + sessions)
                continue
            rarity = _rarity(count, holding)
            most += 0.7 * rarity
            places, times = self.postings.arrays(stem)
            if large and holding > FREQUENT and (found is not None or by_entry.any()):
                found = np.flatnonzero(by_entry) if found is None else found
                at = np.minimum(np.searchsorted(places, found), len(places) - 1)
                at = at[places[at] == found]
                places, times = places[at], times[at]
            times = times.astype(np.float32)
            by_entry[places] += rarity * times / (times + 1.2 * (0.4 + 0.6 * lengths[places] / mean))
            mine = session_of[places]
            if 8 * len(places) < sessions:
                touched, inverse = np.unique(mine, return_inverse=True)
                in_session = np.bincount(inverse, times)
                rarity = _rarity(sessions, len(touched))
                norm = 1.2 * (0.4 + 0.6 * session_lengths[touched] / session_mean)
                by_session[touched] += (rarity * in_session / (in_session + norm)).astype(np.float32)
            else:
                in_session = np.bincount(mine, times, sessions)
                rarity = _rarity(sessions, int(np.count_nonzero(in_session)))
                norm = 1.2 * (0.4 + 0.6 * session_lengths / session_mean)
                by_session += (rarity * in_session / (in_session + norm)).astype(np.float32)
            session_most += 0.7 * rarity
        by_entry /= most or 1.0
        by_session /= session_most or 1.0
        return by_entry, by_session


class _Rarities(dict[str, float]):
    """How much each stem tells, until the next entry comes."""

    def __init__(self, words: WordIndex) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, stem: str) -> float:
        self[stem] = found = _rarity(len(self._words), self._words.count(stem))
        return found


class _Common(dict[str, float]):
    """How common each stem is, as a logarithm; it stays until an entry comes that holds the stem."""

    def __init__(self, words: WordIndex) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, stem: str) -> float:
        self[stem] = found = math.log(self._words.count(stem) + 0.5)
        return found


VectorReader = Callable[[Sequence[int] | None], Iterable[tuple[int, bytes]]]
"""Reads the vectors of some entries, or of all in order, from a database."""


class SentenceVectors(VectorIndex):
    """Unit vectors of sentences, each belonging to an entry, compared without what all of them have in common.

    Those that stand in a database are read when all are needed, or one by one. In a large store a sketch of each, the
    signs of its numbers, says which to compare.
    """

    def __init__(self, embedder: Embedder, read: VectorReader | None = None) -> None:
        super().__init__(embedder)
        self._unit_length = True
        self.owner = Column(np.int32)
        self.sum = np.zeros(embedder.dimensions, dtype=np.float64)
        self.centre: Vectors = self._rows(0)  # what the sketches are taken without; chosen once
        self.sketches = [Column(np.uint64) for _ in range(-(-embedder.dimensions // 64))]
        self._reader = read or (lambda places: ())
        self._known_lengths: Scores | None = None
        self._by_session: tuple[Places, Places] | None = None
        self._firsts: tuple[int, Places, Places, Places, Places] | None = None
        """Of how many sentences: the first ones of entries, their entries, the other ones, theirs."""
        self._lately: dict[int, Vectors] = {}
        self._before = 0  # sentences whose vectors are only in the database

    def __len__(self) -> int:
        return len(self.owner)

    def embedded(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts; this may fail, and changes nothing."""
        return self._embed(texts) if texts else self._rows(0)

    def embedded_query(self, text: str) -> Vectors:
        """The unit vector of a question."""
        return self._embed_query(text)

    def add(self, owners: Sequence[int], vectors: Vectors) -> None:
        """Keep the vectors of sentences that belong to these entries."""
        self._make_room(self._count + len(owners))
        self._matrix[self._count : self._count + len(owners)] = vectors
        self._count += len(owners)
        self.owner.extend(owners)
        self.sum += vectors.sum(axis=0, dtype=np.float64)

    def taken(self, total: Sequence[float], centre: Sequence[float]) -> None:
        """Begin with the sentences whose columns were read; their vectors stay in the database."""
        self.sum = np.array(total, dtype=np.float64)
        self.centre = np.array(centre, dtype=np.float32)
        self._before = len(self.owner)

    def written(self) -> None:
        """Let go of vectors that stand in the database now, unless all of them are needed for every question."""
        if self._before or len(self) > EXACT_UP_TO:
            self._matrix, self._count, self._before = self._rows(0), 0, len(self)

    def empty(self, entry: int) -> None:
        """Make the vectors of an entry nothing."""
        rows = self.of_entry(entry)
        self.sum -= self.rows_at(rows).sum(axis=0, dtype=np.float64)
        self._known_lengths = None
        self._lately = {}  # those that were read together share their memory
        held = [row - self._before for row in rows if row >= self._before]
        self._matrix[held] = 0.0
        for sketch in self.sketches:
            for row in rows:
                if row < len(sketch):
                    sketch[row] = 0

    def of_entry(self, entry: int) -> range:
        """The sentences of an entry."""
        return self.owner.run(entry)

    def of_entries(self, entries: Places) -> Places:
        """The sentences of several entries, which are given in order."""
        wanted = entries.astype(np.int32)  # as the owners are: of another type, all of them would be converted first
        low, high = np.searchsorted(self.owner.view, wanted), np.searchsorted(self.owner.view, wanted, "right")
        counts = high - low
        rows: Places = np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        return rows

    def best_by_entry(self, values: Scores, entries: int) -> Scores:
        """The highest value of each entry's sentences; 0 where none is above."""
        owners = self.owner.view
        if self._firsts is None or self._firsts[0] != len(owners):  # an entry's sentences stand together
            begins = np.diff(owners, prepend=-1) > 0
            first, others = np.flatnonzero(begins), np.flatnonzero(~begins)
            self._firsts = len(owners), first, owners[first].astype(np.intp), others, owners[others].astype(np.intp)
        _, first, owner_of_first, others, owner_of_other = self._firsts
        found: Scores = values.take(first)
        if len(first) < entries:
            found, of_first = np.zeros(entries, dtype=np.float32), found
            found[owner_of_first] = of_first
        np.maximum.at(found, owner_of_other, values.take(others))
        return np.maximum(found, 0, out=found)

    def mean_by_session(self, values: Scores, words: WordIndex) -> Scores:
        """The mean of the values of each session's sentences."""
        if self._by_session is None or len(self._by_session[0]) != len(self):
            sessions = words.session_of.view[self.owner.view].astype(np.intp)
            self._by_session = sessions, np.bincount(sessions)
        sessions, counts = self._by_session
        found = np.zeros(words.sessions, dtype=np.float32)
        found[: len(counts)] = np.bincount(sessions, values) / np.maximum(counts, 1)
        return found

    @property
    def rows(self) -> Vectors:
        """All vectors, oldest first."""
        if self._before:
            self._read_all()
        return self._matrix[: self._count]

    def rows_at(self, rows: Sequence[int] | Places) -> Vectors:
        """The vectors of some sentences."""
        wanted = np.asarray(rows, dtype=np.intp)
        if not self._before:
            found: Vectors = self._matrix[wanted]
            return found
        found = self._rows(len(wanted))
        new = wanted >= self._before
        found[new] = self._matrix[wanted[new] - self._before]
        old = np.flatnonzero(~new)
        if not len(old):
            return found
        owners = self.owner.view[wanted[old]]
        entries, entry_of = np.unique(owners, return_inverse=True)
        places: list[int] = entries.tolist()
        if len(self._lately) > MOST_LATELY:
            self._lately = {}
        missing = [entry for entry in places if entry not in self._lately]
        if missing:
            read = list(self._reader(missing))
            whole = self._unpacked([data for _, data in read])
            stop = np.cumsum([len(data) // whole.itemsize // whole.shape[1] for _, data in read]).tolist()
            runs = zip(read, [0, *stop], stop, strict=False)
            self._lately |= {place: whole[begin:end] for (place, _), begin, end in runs}
        held = [self._lately[entry] for entry in places]
        lengths = [len(each) for each in held]
        first = np.searchsorted(self.owner.view, entries)  # where each entry's sentences begin, and below, in `held`
        begins = np.cumsum(lengths) - lengths
        found[old] = np.concatenate(held)[begins[entry_of] + wanted[old] - first[entry_of]]
        return found

    @property
    def owners(self) -> NDArray[np.int32]:
        """The entry that each vector belongs to."""
        return self.owner.view

    @property
    def mean(self) -> Vectors:
        """What all sentences have in common."""
        return (self.sum / max(1, len(self))).astype(np.float32)

    def likeness(self, vector: Vectors, only: Places | None = None) -> Scores:
        """The cosine of sentences with a vector, both taken without the mean of all sentences."""
        mean = self.mean
        rows = self.rows if only is None else self.rows_at(only)
        wanted = vector - mean
        wanted /= max(float(np.linalg.norm(wanted)), 1e-6)
        # Row by row: the last bit of a matrix product depends on where a row stands, and equal texts must tie.
        found: Scores = (np.vecdot(rows, wanted) - wanted @ mean) / self._lengths(rows, mean, only is None)
        return found

    def likenesses(self, vectors: Vectors, only: Places) -> Scores:
        """The same of some sentences with several vectors: a row for each vector."""
        mean, rows = self.mean, self.rows_at(only)
        wanted = vectors - mean
        wanted /= np.maximum(np.linalg.norm(wanted, axis=1, keepdims=True), 1e-6)
        found: Scores = np.vecdot(rows, wanted[:, None]) - np.vecdot(wanted, mean)[:, None]
        found /= self._lengths(rows, mean, False)
        return found

    def _lengths(self, rows: Vectors, mean: Vectors, all_of_them: bool) -> Scores:
        """The lengths of unit vectors without the mean; those of all are held until something is added."""
        if not all_of_them or self._known_lengths is None or len(self._known_lengths) != len(rows):
            found: Scores = np.sqrt(np.maximum(1 - 2 * np.vecdot(rows, mean) + mean @ mean, 1e-6))
            if not all_of_them:
                return found
            self._known_lengths = found
        return self._known_lengths

    def likely(self, vector: Vectors) -> Scores:
        """About how alike every sentence is to a vector, by the sketches alone."""
        self.sketch()
        signs = _signs((vector - self.centre)[None])[0]
        apart = np.bitwise_count(self.sketches[0].view ^ signs[0])
        if len(self.sketches) > 4:  # a byte would overflow; with four it only does if everything differs
            apart = apart.astype(np.uint16)
        for column, sign in zip(self.sketches[1:], signs[1:], strict=True):
            apart += np.bitwise_count(column.view ^ sign)
        dimensions = 64 * len(self.sketches)
        cosines = np.cos(np.pi * np.arange(dimensions + 1) / dimensions).astype(np.float32)
        likely: Scores = cosines[apart]
        return likely

    def sketch(self) -> None:
        """Make the sketches that are missing."""
        start = len(self.sketches[0])
        if start == len(self) or len(self) < SKETCHED_FROM:
            return
        if not start:
            self.centre = self.mean
        rows = self._matrix[start - self._before : self._count] if start >= self._before else self.rows[start:]
        for first in range(0, len(rows), 1 << 16):
            signs = _signs(rows[first : first + (1 << 16)] - self.centre)
            for n, column in enumerate(self.sketches):
                column.extend(signs[:, n])

    def _read_all(self) -> None:
        """Put all vectors that are only in the database before those in memory."""
        whole = self._rows(len(self))
        whole[: self._before] = self._unpacked([data for _, data in self._reader(None)])[: self._before]
        whole[self._before : len(self)] = self._matrix[: self._count]
        self._matrix, self._count, self._before = whole, len(self), 0


def _signs(vectors: Vectors) -> NDArray[np.uint64]:
    packed = np.packbits(vectors > 0, axis=1)
    width = -(-packed.shape[1] // 8) * 8
    return np.pad(packed, ((0, 0), (0, width - packed.shape[1]))).view(np.uint64)


def _rarity(count: int, holding: int) -> float:
    return math.log(1 + (count - holding + 0.5) / (holding + 0.5))


def best(scores: Scores, count: int) -> Places:
    """The places of the highest scores, in order of place."""
    looked_at = np.arange(len(scores))
    if len(scores) > 64 * count:  # a sample says which can't be among them
        sample = scores[::16]
        enough = np.partition(sample, len(sample) - count // 8)[len(sample) - count // 8]
        above = np.flatnonzero(scores >= enough)
        looked_at = above if len(above) >= count else looked_at
    if len(looked_at) <= count:
        return looked_at
    return np.sort(looked_at[np.argpartition(-scores[looked_at], count)[:count]])
