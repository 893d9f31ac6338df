# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A list of sessions in the usual form, read from JSON; compiled.

Whatever is not in that form, or breaks off, is left to the parsers that take and complain about everything.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy

cdef extern from "Python.h":
    object PyUnicode_New(Py_ssize_t size, uint32_t largest)
    void *PyUnicode_DATA(object text)
    bint Py_UNICODE_ISSPACE(uint32_t letter)

cdef extern from *:
    """
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* Where the first quotation mark, backslash or control character is, or the end. Sets `other` if there is anything
       but ASCII before it. Writes what is before it to `to`, if that is not NULL, and up to 15 bytes more. */
    static inline const unsigned char *plain_until(
        const unsigned char *at, const unsigned char *end, unsigned char *to, int *other
    ) {
        int bits = 0;
    #if defined(__SSE2__)
        const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\\\'), control = _mm_set1_epi8(31);
        while (end - at >= 16) {
            __m128i bytes = _mm_loadu_si128((const __m128i *) at);
            __m128i special = _mm_or_si128(
                _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash)),
                _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes)
            );
            unsigned found = (unsigned) _mm_movemask_epi8(special), high = (unsigned) _mm_movemask_epi8(bytes);
            if (to != NULL) {
                _mm_storeu_si128((__m128i *) to, bytes);
                to += 16;
            }
            if (found) {
                int place = __builtin_ctz(found);
                *other |= bits | ((high & ((1u << place) - 1)) != 0);
                return at + place;
            }
            bits |= high != 0;
            at += 16;
        }
    #endif
        while (at < end && *at != '"' && *at != '\\\\' && *at >= 32) {
            bits |= *at > 127;
            if (to != NULL) *to++ = *at;
            at++;
        }
        *other |= bits;
        return at;
    }
    """
    const uint8_t *plain_until(const uint8_t *at, const uint8_t *end, uint8_t *to, int *other) noexcept nogil

cdef enum:
    ROOM = 64  # there is half as much behind what is written at once, for a letter and what is written too much

cdef str USER = "user", ASSISTANT = "assistant"


cdef class Unusual(Exception):
    """What is read is not in the usual form."""


@cython.final
cdef class _Reader:
    cdef const uint8_t *at
    cdef const uint8_t *end
    cdef uint8_t *written
    cdef Py_ssize_t room, unread

    def __dealloc__(self):
        free(self.written)

    cdef int skip(self) except -1:
        """Go on to what is no blank."""
        while self.at < self.end and (self.at[0] == 32 or 9 <= self.at[0] <= 10 or self.at[0] == 13):
            self.at += 1
        if self.at == self.end:
            raise EOFError
        return self.at[0]

    cdef int expect(self, uint8_t byte) except -1:
        if self.skip() != byte:
            raise Unusual
        self.at += 1
        return 0

    cdef bint take(self, const char *word, Py_ssize_t length) noexcept:
        """Go on behind a word, if it stands here."""
        if self.end - self.at < length or memcmp(self.at, word, length):
            return False
        self.at += length
        return True

    cdef object session(self, list roles, list marks):
        """The texts of a session, the list that begins here."""
        cdef const uint8_t *start = self.at
        cdef list texts = []
        self.unread = 0
        self.expect(b"[")
        if self.skip() == b"]":
            raise Unusual  # one without messages has something to be said about
        while True:
            self.message(start, roles, texts, marks)
            if self.skip() == b"]":
                self.at += 1
                break
            self.expect(b",")
        if not self.unread:
            return texts
        return unread_texts(PyBytes_FromStringAndSize(<const char *> start, self.at - start), texts)

    cdef int message(self, const uint8_t *start, list roles, list texts, list marks) except -1:
        cdef str role = None
        cdef object text = None  # or where it begins
        cdef bint told = False, mark = False
        self.expect(b"{")
        while True:
            self.skip()
            if role is None and self.take(b'"role"', 6):
                self.expect(b":")
                self.skip()
                if self.take(b'"user"', 6):
                    role = USER
                elif self.take(b'"assistant"', 11):
                    role = ASSISTANT
                else:
                    raise Unusual
            elif text is None and self.take(b'"content"', 9):
                self.expect(b":")
                self.expect(b'"')
                text = self.at - start
                if role is ASSISTANT and self.left_unread():
                    self.unread += 1
                else:
                    text = self.text()
            elif not told and self.take(b'"has_answer"', 12):
                told = True
                self.expect(b":")
                self.skip()
                mark = self.take(b"true", 4)
                if not mark and not self.take(b"false", 5):
                    raise Unusual
            else:
                raise Unusual
            if self.skip() == b"}":
                self.at += 1
                break
            self.expect(b",")
        if role is None or text is None or (type(text) is str and not says_anything(text)):
            raise Unusual
        if mark:
            marks.append(len(texts))
        roles.append(role)
        texts.append(text)
        return 0

    cdef bint left_unread(self) except -1:
        """Go on behind the text that begins here, if it surely says something and is easy to read later."""
        cdef const uint8_t *at = self.at
        cdef int other = 0
        if at < self.end and (at[0] <= 32 or at[0] > 126 or at[0] == b"\\" or at[0] == b'"'):
            return False
        while True:
            at = plain_until(at, self.end, NULL, &other)
            if other:
                return False
            if at == self.end:
                raise EOFError
            if at[0] == b'"':
                self.at = at + 1
                return True
            if at[0] != b"\\":
                raise Unusual
            if self.end - at < 2:
                raise EOFError
            if at[1] == b"u":
                return False
            unescaped(at[1])
            at += 2

    cdef str text(self):
        """The text that begins here, and go on behind its end."""
        cdef const uint8_t *start = self.at
        cdef int other = 0
        cdef const uint8_t *at = plain_until(start, self.end, NULL, &other)
        if at == self.end:
            raise EOFError
        if at[0] == b'"':
            self.at = at + 1
            return decoded(start, at - start, other)
        return self.escaped(start, at, other)

    cdef str escaped(self, const uint8_t *start, const uint8_t *at, int other):
        """A text with something escaped in it, the first at a place."""
        cdef Py_ssize_t length = at - start
        cdef const uint8_t *before
        cdef const uint8_t *stop
        cdef uint32_t letter
        self.make_room(length + ROOM)
        memcpy(self.written, start, length)
        while True:
            self.make_room(length + ROOM)
            before, stop = at, at + min(self.end - at, self.room - length - ROOM // 2)
            at = plain_until(at, stop, self.written + length, &other)
            length += at - before
            if at == stop:
                if at == self.end:
                    raise EOFError
            elif at[0] == b'"':
                self.at = at + 1
                return decoded(self.written, length, other)
            elif at[0] != b"\\":
                raise Unusual
            elif self.end - at < 2:
                raise EOFError
            elif at[1] != b"u":
                self.written[length] = unescaped(at[1])
                length += 1
                at += 2
            elif self.end - at < 6:
                raise EOFError
            else:
                letter = hexadecimal(at + 2)
                at += 6
                if 0xD800 <= letter < 0xDC00 and self.end - at >= 6 and at[0] == b"\\" and at[1] == b"u":
                    letter = joined(letter, hexadecimal(at + 2))
                    at += 6
                length += encode(letter, self.written + length)
                other |= letter > 127

    cdef int make_room(self, Py_ssize_t size) except -1:
        cdef uint8_t *grown
        if size > self.room:
            grown = <uint8_t *> realloc(self.written, 2 * size)
            if grown == NULL:
                raise MemoryError
            self.written, self.room = grown, 2 * size
        return 0


@cython.final
cdef class Texts:
    """The texts of a session; those that weren't read yet are when somebody looks at them. A sequence, as a list is."""

    cdef bytes _session  # as it stands in the file; None when all is read
    cdef list _texts  # of what was not read yet, where it begins

    @property
    def size(self):
        """About how many characters they have."""
        return sum(map(len, self._texts)) if self._session is None else len(self._session)

    def __len__(self):
        return len(self._texts)

    def __getitem__(self, place):
        cdef object text = None if isinstance(place, slice) else self._texts[place]
        if type(text) is str:
            return text
        if text is None:
            return self._all()[place]
        return self._read(text, place)

    def __iter__(self):
        return iter(self._all())

    def __eq__(self, other):
        return self._all() == (other[:] if isinstance(other, Texts) else other)

    __hash__ = None

    def __reduce__(self):
        return list, (self._all(),)

    cdef list _all(self):
        for place, text in enumerate(self._texts):
            if type(text) is not str:
                self._read(text, place)
        self._session = None
        return self._texts

    cdef str _read(self, Py_ssize_t begin, place):
        cdef bytes session = self._session
        cdef _Reader reader
        if session is not None:  # or else another thread was as fast
            reader = _Reader()
            reader.at = <const uint8_t *> PyBytes_AS_STRING(session) + begin
            reader.end = <const uint8_t *> PyBytes_AS_STRING(session) + PyBytes_GET_SIZE(session)
            self._texts[place] = reader.text()
        return self._texts[place]


cdef Texts unread_texts(bytes session, list texts):
    cdef Texts made = Texts.__new__(Texts)
    made._session, made._texts = session, texts
    return made


def read_sessions(const uint8_t[::1] held not None, Py_ssize_t at, Py_ssize_t end, ids not None, known not None):
    """The sessions of the list whose first one begins at a place, and where the comma or brace is that follows it.

    None if it looks unusual; EOFError if it goes on behind `end`.
    A session is one that `known` has for its id, if it stands there byte for byte. Else it is its roles, its texts, the
    places of what is marked in it, where it begins and where it ends. The user's texts are read, most of the
    assistant's only when somebody looks at them.
    """
    cdef _Reader reader = _Reader()
    cdef const uint8_t *start
    cdef const uint8_t *begin
    cdef bytes raw
    cdef Py_ssize_t count = len(ids), length
    cdef list sessions = [], roles, marks
    if not 0 <= at <= end <= held.shape[0] or at == held.shape[0]:
        return None
    begin = &held[0]
    reader.at, reader.end = begin + at, begin + end
    try:
        while True:
            reader.skip()
            start = reader.at
            same = None
            if len(sessions) < count:
                for raw, session in known(ids[len(sessions)]) or ():
                    length = PyBytes_GET_SIZE(raw)
                    if length <= reader.end - start and not memcmp(start, PyBytes_AS_STRING(raw), length):
                        same = session
                        reader.at += length
                        break
            if same is None:
                roles, marks = [], []
                same = roles, reader.session(roles, marks), marks, start - begin, reader.at - begin
            sessions.append(same)
            if reader.skip() == b"]":
                reader.at += 1
                if reader.skip() != b"," and reader.at[0] != b"}":
                    raise Unusual
                return sessions, reader.at - begin
            reader.expect(b",")
    except Unusual:
        return None


cdef inline str decoded(const uint8_t *start, Py_ssize_t length, bint other):
    """A text of so many bytes; `other` if not all of them are ASCII."""
    if length and not other:
        text = PyUnicode_New(length, 127)
        memcpy(PyUnicode_DATA(text), start, length)
        return text
    try:
        return PyUnicode_DecodeUTF8(<const char *> start, length, NULL)
    except UnicodeDecodeError:
        raise Unusual


cdef bint says_anything(str text):
    cdef Py_UCS4 letter
    for letter in text:
        if not Py_UNICODE_ISSPACE(letter):
            return True
    return False


cdef uint32_t hexadecimal(const uint8_t *digits) except? 0:
    """A number of four digits."""
    cdef uint32_t number = 0
    cdef int place
    cdef uint8_t digit
    for place in range(4):
        digit = digits[place]
        if 48 <= digit <= 57:
            number = number << 4 | (digit - 48)
        elif 65 <= digit <= 70 or 97 <= digit <= 102:
            number = number << 4 | ((digit | 32) - 87)
        else:
            raise Unusual
    return number


cdef uint32_t joined(uint32_t high, uint32_t low) except 0:
    if not 0xDC00 <= low < 0xE000:
        raise Unusual
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)


cdef Py_ssize_t encode(uint32_t letter, uint8_t *to) except -1:
    """Write a letter as UTF-8, and return how many bytes it has."""
    if letter < 0x80:
        to[0] = letter
        return 1
    if letter < 0x800:
        to[0], to[1] = 0xC0 | letter >> 6, 0x80 | (letter & 63)
        return 2
    if letter < 0x10000:
        if 0xD800 <= letter < 0xE000:
            raise Unusual  # half of a letter
        to[0], to[1], to[2] = 0xE0 | letter >> 12, 0x80 | (letter >> 6 & 63), 0x80 | (letter & 63)
        return 3
    to[0], to[1] = 0xF0 | letter >> 18, 0x80 | (letter >> 12 & 63)
    to[2], to[3] = 0x80 | (letter >> 6 & 63), 0x80 | (letter & 63)
    return 4


cdef int unescaped(uint8_t letter) except -1:
    """What a letter behind a backslash stands for."""
    if letter == b'"' or letter == b"\\" or letter == b"/":
        return letter
    if letter == b"n":
        return 10
    if letter == b"t":
        return 9
    if letter == b"r":
        return 13
    if letter == b"b":
        return 8
    if letter == b"f":
        return 12
    raise Unusual
