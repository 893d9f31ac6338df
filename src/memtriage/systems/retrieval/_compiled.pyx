# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What takes most of the time where every question has a store of its own, compiled.

`word_table.py`, `bm25.py` and `blocks.py` have the same in Python, which stands in where there is no compiler.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.math cimport log
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

cimport cython

import secrets

from memtriage.text.words import well_formed

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    bint Py_UNICODE_ISSPACE(Py_UCS4 letter)

cdef extern from *:
    """
    #include <string.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* Which of 64 bytes are ASCII letters, digits, underscores or not ASCII; the lowest bit is that of the first. */
    static inline uint64_t inside_words(const unsigned char *at) {
        uint64_t inside = 0;
    #if defined(__SSE2__)
        for (int part = 0; part < 64; part += 16) {
            const __m128i bytes = _mm_loadu_si128((const __m128i *) (at + part));
            const __m128i from_a = _mm_sub_epi8(_mm_or_si128(bytes, _mm_set1_epi8(32)), _mm_set1_epi8('a'));
            const __m128i from_0 = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
            const __m128i letters = _mm_cmpeq_epi8(_mm_min_epu8(from_a, _mm_set1_epi8(25)), from_a);
            const __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(from_0, _mm_set1_epi8(9)), from_0);
            const __m128i lines = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_'));
            const __m128i any = _mm_or_si128(_mm_or_si128(letters, digits), _mm_or_si128(lines, bytes));
            inside |= (uint64_t) (unsigned) _mm_movemask_epi8(any) << part;
        }
    #else
        for (int place = 0; place < 64; place++) {
            const unsigned char byte = at[place], lower = byte | 32;
            const int is = byte > 127 || (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
            inside |= (uint64_t) is << place;
        }
    #endif
        return inside;
    }

    /* A run of up to sixteen letters as two numbers, alike in lower and in upper case; returns whether all are ASCII.
       Sixteen bytes must be there. */
    static inline int short_word(const unsigned char *at, size_t length, uint64_t *word) {
        static const unsigned char kept[32] = {
            255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
        };
        const uint64_t lower = 0x2020202020202020, high = 0x8080808080808080;
        uint64_t mask[2];
        memcpy(word, at, 16);
        memcpy(mask, kept + 16 - length, 16);
        word[0] = (word[0] | lower) & mask[0];
        word[1] = (word[1] | lower) & mask[1];
        return ((word[0] | word[1]) & high) == 0;
    }

    static inline int first_bit(uint64_t bits) {
    #if defined(__GNUC__)
        return __builtin_ctzll(bits);
    #else
        int place = 0;
        while (!(bits >> place & 1)) place++;
        return place;
    #endif
    }
    """
    uint64_t inside_words(const uint8_t *at) noexcept nogil
    bint short_word(const uint8_t *at, size_t length, uint64_t *word) noexcept nogil
    int first_bit(uint64_t bits) noexcept nogil

cdef enum:
    MOST_KEPT = 1 << 22
    LONGEST = 16  # bytes of a word that the table knows
    BLOCK = 64
    EMPTY = -2147483648

cdef struct Slot:
    uint64_t key
    int32_t number

@cython.final
cdef class WordTable:
    cdef Slot *_slots
    cdef Py_ssize_t _last, _count
    cdef int _shift
    cdef uint64_t _factors[4]
    cdef object _learn, _learn_odd
    cdef int32_t *_found
    cdef Py_ssize_t _size, _room

    def __cinit__(self, learn, learn_odd):
        # Nobody who writes a file can know which words would come to lie in one place.
        self._factors = [secrets.randbits(64) | 1 for _ in range(4)]
        self._learn, self._learn_odd = learn, learn_odd
        self._make(1 << 13)

    def __dealloc__(self):
        free(self._slots)
        free(self._found)

    def read(self, texts):
        cdef Py_ssize_t place, before, length
        cdef const char *data
        cdef int32_t *counts = <int32_t *> malloc(max(1, len(texts)) * sizeof(int32_t))
        if counts == NULL:
            raise MemoryError
        self._size = 0
        try:
            for place, text in enumerate(texts):
                before = self._size
                if not PyUnicode_IS_COMPACT_ASCII(text):
                    text = well_formed(text).lower()
                data = PyUnicode_AsUTF8AndSize(text, &length)
                self._read(<const uint8_t *> data, length)
                counts[place] = <int32_t> (self._size - before)
            return (
                PyBytes_FromStringAndSize(<char *> self._found, self._size * sizeof(int32_t)),
                PyBytes_FromStringAndSize(<char *> counts, len(texts) * sizeof(int32_t)),
            )
        finally:
            free(counts)
            if self._room > MOST_KEPT:
                free(self._found)
                self._found, self._room = NULL, 0

    cdef int _read(self, const uint8_t *data, Py_ssize_t length) except -1:
        cdef uint8_t last[BLOCK]  # of the end of the text, behind which nothing may be read
        cdef Py_ssize_t at = 0, start = -1, edge
        cdef uint64_t inside, edges, before = 0
        self._make_room(length // 2 + 2)
        while at < length:
            if length - at >= BLOCK:
                inside = inside_words(data + at)
            else:
                memset(last, 0, BLOCK)
                memcpy(last, data + at, length - at)
                inside = inside_words(last)
            edges = inside ^ (inside << 1 | before)
            before = inside >> (BLOCK - 1)
            while edges:
                edge = at + first_bit(edges)
                edges &= edges - 1
                if start < 0:
                    start = edge
                else:
                    self._take(data, start, edge, length)
                    start = -1
            at += BLOCK
        if start >= 0:
            self._take(data, start, length, length)
        return 0

    cdef inline int _take(self, const uint8_t *data, Py_ssize_t start, Py_ssize_t end, Py_ssize_t length) except -1:
        """Add the word, if it is one, that a run of letters is."""
        cdef uint8_t last[LONGEST]
        cdef uint64_t word[2]
        cdef const uint8_t *at = data + start
        cdef int32_t number
        if end - start == 1:  # no word has less than two letters
            return 0
        if end - start <= LONGEST:
            if length - start < LONGEST:
                memcpy(last, at, end - start)
                at = last
            if short_word(at, end - start, word):
                number = self._number(word[0] ^ self._mixed(word[1]), data + start, end - start)
                self._found[self._size] = number
                self._size += number >= 0  # which no processor has to guess
                return 0
        for number in self._learn_odd(PyBytes_FromStringAndSize(<const char *> data + start, end - start).lower()):
            self._make_room((length - end) // 2 + 2)
            self._found[self._size] = number
            self._size += 1
        return 0

    cdef inline int32_t _number(self, uint64_t key, const uint8_t *start, Py_ssize_t length) except? -7:
        cdef Slot *slot = self._slot(key)
        cdef int32_t number
        if slot.number != EMPTY:
            return slot.number
        number = self._learn(PyUnicode_DecodeASCII(<const char *> start, length, NULL).lower())
        self._add(key, number)
        return number

    cdef inline uint64_t _mixed(self, uint64_t rest) noexcept nogil:
        """An integer so changed that every bit of it bears on every bit; 0 stays 0."""
        cdef int each
        for each in range(1, 4):
            rest *= self._factors[each]
            rest ^= rest >> 32
        return rest

    cdef inline Slot *_slot(self, uint64_t key) noexcept nogil:
        """Where a key is, or else would be put."""
        cdef Py_ssize_t place = <Py_ssize_t> (key * self._factors[0] >> self._shift)
        while self._slots[place].number != EMPTY and self._slots[place].key != key:
            place = (place + 1) & self._last
        return self._slots + place

    cdef int _add(self, uint64_t key, int32_t number) except -1:
        cdef Slot *before = self._slots
        cdef Py_ssize_t size = self._last + 1, place
        self._count += 1
        if 2 * self._count > self._last:
            self._make(2 * size)
            for place in range(size):
                if before[place].number != EMPTY:
                    self._slot(before[place].key)[0] = before[place]
            free(before)
        cdef Slot *slot = self._slot(key)
        slot.key, slot.number = key, number
        return 0

    cdef int _make(self, Py_ssize_t size) except -1:
        cdef Slot *slots = <Slot *> malloc(size * sizeof(Slot))
        cdef Py_ssize_t place
        if slots == NULL:
            raise MemoryError
        for place in range(size):
            slots[place].number = EMPTY
        self._slots, self._last, self._shift = slots, size - 1, 64 - bit_length(size - 1)
        return 0

    cdef int _make_room(self, Py_ssize_t more) except -1:
        cdef int32_t *grown
        if self._size + more > self._room:
            grown = <int32_t *> realloc(self._found, 2 * (self._size + more) * sizeof(int32_t))
            if grown == NULL:
                raise MemoryError
            self._found, self._room = grown, 2 * (self._size + more)
        return 0


cdef int bit_length(Py_ssize_t number) noexcept nogil:
    cdef int bits = 0
    while number >> bits:
        bits += 1
    return bits


cdef struct Hit:
    int32_t text, times, word  # how often a text has a word; the place of the word in the list of different ones


def bm25_scores(const int32_t[::1] words not None, const int32_t[::1] counts not None, list query, double k1, double b):
    """One score per text, as bytes of float32.

    `words` are those of all texts end to end, `counts` how many each text has; no word of a query is negative.
    """
    cdef list different = list(dict.fromkeys(query))
    cdef dict numbers = {word: number for number, word in enumerate(different)}
    cdef Py_ssize_t texts = counts.shape[0], asked = len(query), last = 16, slot, text, place, end = 0, hits = 0, hit
    cdef Py_ssize_t room = 256
    cdef int32_t word, number
    cdef double length, mean = words.shape[0] / <double> texts
    while last < 4 * len(different):
        last *= 2
    last -= 1
    cdef int32_t *slots = <int32_t *> malloc((last + 1) * sizeof(int32_t))  # places of words in `different`, or -1
    cdef int32_t *wanted = <int32_t *> malloc((len(different) + 1) * sizeof(int32_t))
    cdef int32_t *order = <int32_t *> malloc((asked + 1) * sizeof(int32_t))
    cdef int32_t *times = <int32_t *> calloc(len(different) + 1, sizeof(int32_t))
    cdef int32_t *held_by = <int32_t *> calloc(len(different) + 1, sizeof(int32_t))
    cdef float *rarity = <float *> malloc((len(different) + 1) * sizeof(float))
    cdef float *scores = <float *> calloc(texts + 1, sizeof(float))
    cdef Hit *found = <Hit *> malloc(room * sizeof(Hit))
    cdef Hit *grown
    try:
        if not (slots and wanted and order and times and held_by and rarity and scores and found):
            raise MemoryError
        for slot in range(last + 1):
            slots[slot] = -1
        for number, word in enumerate(different):
            wanted[number] = word
            slot = word & last
            while slots[slot] >= 0:
                slot = (slot + 1) & last
            slots[slot] = number
        for place, word in enumerate(query):
            order[place] = numbers[word]
        place = 0
        for text in range(texts):
            end += counts[text]
            hit = hits  # the first of this text
            while place < end:
                word = words[place]
                place += 1
                slot = word & last
                while slots[slot] >= 0 and wanted[slots[slot]] != word:
                    slot = (slot + 1) & last
                if slots[slot] < 0:
                    continue
                number = slots[slot]
                times[number] += 1
                if times[number] > 1:
                    continue
                held_by[number] += 1
                if hits == room:
                    room *= 4
                    grown = <Hit *> realloc(found, room * sizeof(Hit))
                    if grown == NULL:
                        raise MemoryError
                    found = grown
                found[hits].text, found[hits].word = <int32_t> text, number
                hits += 1
            while hit < hits:
                found[hit].times = times[found[hit].word]
                times[found[hit].word] = 0
                hit += 1
        for number in range(len(different)):
            rarity[number] = <float> log(1 + (texts - held_by[number] + 0.5) / (held_by[number] + 0.5))
        hit = 0
        while hit < hits:
            text = found[hit].text
            length = k1 * ((1 - b) + b * counts[text] / mean)
            while hit < hits and found[hit].text == text:
                times[found[hit].word] = found[hit].times
                hit += 1
            for place in range(asked):  # in the order of the question, as a sum of floats depends on it
                number = order[place]
                if times[number]:
                    scores[text] += <float> (rarity[number] * (times[number] / (length + times[number])))
            for place in range(asked):
                times[order[place]] = 0
        return PyBytes_FromStringAndSize(<char *> scores, texts * sizeof(float))
    finally:
        free(slots)
        free(wanted)
        free(order)
        free(times)
        free(held_by)
        free(rarity)
        free(scores)
        free(found)


def said(list roles, texts, str by):
    """Where the turns are that a role said, and what they say; turns without text are left out."""
    cdef list places = [], kept = []
    cdef Py_ssize_t place
    for place in range(len(roles)):
        role = roles[place]
        if role is not by and role != by:
            continue
        text = <str?> texts[place]
        if says_anything(text):
            places.append(place)
            kept.append(text)
    return places, kept


cdef inline bint says_anything(str text):
    cdef Py_UCS4 letter
    for letter in text:
        if not Py_UNICODE_ISSPACE(letter):
            return True
    return False
