"""Files of questions: found, and read one entry at a time however large they are.

The official files are JSON lists of up to several gigabytes; JSON lines are read too. Only the entry at hand, a few
megabytes around it and the sessions seen lately are held.

Sessions may recur in the histories of many questions. One that stands there byte for byte as it did before is not
parsed again: comparing takes a fraction of the time. Only those whose id comes a third time are held for that, as in
many files hardly any does, and holding them all would take longer than parsing. Sessions in the usual form are read by
compiled code, where it could be built.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.options import SIZES, Size
from memtriage.suites.longmemeval.question import Chat
from memtriage.suites.longmemeval.released.chats import plain_chat
from memtriage.suites.longmemeval.released.recent import RecentCache
from memtriage.suites.longmemeval.released.stream import BrokenJson, JsonStream

if TYPE_CHECKING:
    from memtriage.suites.longmemeval.released._sessions import Parsed
try:
    from memtriage.suites.longmemeval.released._sessions import read_sessions
except ImportError:  # without a compiler, nothing of it was built
    read_sessions = None  # type: ignore[assignment]

_NAME = re.compile(r"longmemeval_(s|m|oracle)(?![a-z0-9])[\w.-]*", re.IGNORECASE)
_TYPES = ("", ".json", ".jsonl", ".ndjson")
_ID = re.compile(rb'"question_id"\s*:\s*"([^"\\]{1,80})"')
_START = re.compile(rb'\{\s*"question_id"\s*:')
_BETWEEN = re.compile(rb"[\s,]*")
_SPACE = rb"[ \t\n\r]*"  # what JSON takes for such
_SESSIONS = re.compile(rb'"haystack_sessions"%b:%b\[%b' % (_SPACE, _SPACE, _SPACE))
_NEXT = re.compile(rb"%b(?:,%b(?=\[)|\]%b(?=[,}]))" % (_SPACE, _SPACE, _SPACE))
"""What leads from one session to the next, or out of the list to what follows it."""

_USUAL_GAP = b", ["
"""The same as most writers have it."""

_HEAD = 1 << 20
"""So far into an entry, its sessions should have begun."""

_WINDOW = 1 << 15
"""How much of a session is looked at first; most are shorter."""

_TAIL = 1 << 12
"""How much of what follows the sessions is looked at first."""

_HELD = 1 << 26
"""Bytes of sessions that are remembered: some five thousand sessions."""

_MOST_IDS = 1 << 20
"""So many ids of sessions are remembered."""

_VARIANTS = 4
"""So many sessions with one id are remembered: the evidence of a question may stand elsewhere without its marks."""

_MOST_UNUSUAL = 8
"""After so many entries of an unusual form in a row, no other is expected."""


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """A file of questions, and of which size its histories are."""

    path: Path
    size: Size


def find(data: Path, asked: Size) -> QuestionFile:
    """The file that a path names: itself, or in a folder the one of the size asked for, the cleaned one first."""
    if not data.exists():
        raise BadInput(f"{data} does not exist; give a file such as longmemeval_{asked}_cleaned.json or its folder")
    if not data.is_dir():
        return QuestionFile(data, size_of(data) or asked)
    there = [path for path in sorted(data.iterdir()) if path.is_file() and size_of(path)]
    fitting = [path for path in there if size_of(path) == asked]
    if not fitting:
        others = f"there are {', '.join(path.name for path in there)}; name the task (longmemeval/m) or the file"
        raise BadInput(f"{data} has no longmemeval_{asked}*.json: {others if there else 'nor any other such file'}")
    return QuestionFile(
        min(fitting, key=lambda path: ("cleaned" not in path.name.lower(), len(path.name), path.name)), asked
    )


def size_of(path: Path) -> Size | None:
    """The size in a file's name.

    >>> size_of(Path("longmemeval_s_cleaned.json")), size_of(Path("longmemeval_oracle")), size_of(Path("mine.json"))
    ('s', 'oracle', None)
    """
    found = _NAME.fullmatch(path.name)
    if found is None or path.suffix.lower() not in _TYPES:
        return None
    return next(size for size in SIZES if size == found[1].lower())


class ParsedSession(list[Any]):
    """A session as it was parsed; from the second time on that it comes under the same id, the same object."""

    __slots__ = ()


class Entries:
    """The entries of one file, in order, each with its number from 1; `complain` is called with what can't be read.

    Sessions that recur are the same objects in all entries: don't change them. With `chats`, those in the usual form
    are chats: what was just parsed is still in the processor's cache.

    >>> entries = Entries(Path("longmemeval_s.json"), print)     # doctest: +SKIP
    >>> for number, entry in entries: ...                        # doctest: +SKIP
    """

    def __init__(self, path: Path, complain: Callable[[str], None], chats: bool = False) -> None:
        self.path = path
        self._chats = chats
        self._complain = complain
        self._stream = JsonStream(path, complain)
        self._sessions_seen: RecentCache[str, tuple[tuple[bytes, ParsedSession | Chat], ...]] = RecentCache(_HELD)
        self._came_once: set[str] = set()
        self._came_twice: set[str] = set()
        self._usual = 0
        self._unusual = 0
        self._cut = False

    @property
    def bytes_read(self) -> int:
        """How much of the file was read so far."""
        return self._stream.bytes

    def __iter__(self) -> Iterator[tuple[int, object]]:
        try:
            yield from self._entries()
        finally:
            self._stream.close()

    def _entries(self) -> Iterator[tuple[int, object]]:
        opening = self._next()
        if opening not in ("[", "{"):
            what = "is empty" if not opening else "is no JSON list of questions, nor JSON lines"
            raise BadInput(f"{self.path} {what}; give one of LongMemEval's files, or one in their format")
        self._stream.skip(self._stream.at + (opening == "["))
        number = 0
        while (following := self._next()) not in ("", "]"):
            number += 1
            if following == "{":
                yield from ((number, entry) for entry in self._parse_entry(number))
            else:
                self._complain(f"entry {number} is no object, and was skipped")
                self._skip_value()
        if opening == "[" and not following and not self._cut:
            self._complain(f"the list is not closed: the file is cut off after entry {number}")

    def _skip_value(self) -> None:
        """Go on behind a value that is no entry, or with the next entry where it is no value either."""
        try:
            self._stream.skip(self._stream.value(self._stream.at, _WINDOW)[1])
        except BrokenJson:
            self._resume(self._stream.at + 1)

    def _next(self) -> str:
        """The character with which the next entry, or the end, begins; the stream is then at that place."""
        stream = self._stream
        while True:
            found = _BETWEEN.match(stream.held, stream.at, stream.end)
            stream.skip(found.end() if found else stream.at)
            if stream.at < stream.end or not stream.more():
                return chr(stream.held[stream.at]) if stream.at < stream.end else ""

    def _parse_entry(self, number: int) -> Iterator[object]:
        """The entry that begins here, if it is whole."""
        stream = self._stream
        try:
            found, end = self._parse_in_pieces() or self._parse_whole()
        except BrokenJson as error:
            self._skip_broken(number, error)
            return
        self._usual = (end - stream.at) * 5 // 4
        stream.skip(end)
        yield found

    def _skip_broken(self, number: int, error: BrokenJson) -> None:
        if error.cut:
            found = _ID.search(self._stream.held, self._stream.at, self._stream.end)
            named = f" (question {found[1].decode(errors='replace')!r})" if found else ""
            self._complain(f"entry {number}{named} breaks off: the file is cut; the {number - 1} before it are used")
            self._cut = True
            self._stream.skip(self._stream.end)
            return
        self._complain(f"entry {number} is no JSON ({error.why}), and was skipped")
        self._resume(max(self._stream.at + 1, error.at))

    def _resume(self, place: int) -> None:
        """Go on with the next entry that is recognised by its first field."""
        stream = self._stream
        stream.skip(place)
        while (found := _START.search(stream.held, stream.at, stream.end)) is None:
            stream.skip(max(stream.at, stream.end - 2 * len('{ "question_id" :')))
            if not stream.more():
                self._cut = True
                stream.skip(stream.end)
                return
        stream.skip(found.start())

    def _parse_whole(self) -> tuple[Any, int]:
        """The entry that begins here, parsed as one value, and where it ends."""
        self._stream.reach(self._stream.at + self._usual)  # a piece too short would be parsed for nothing
        return self._stream.value(self._stream.at, max(_WINDOW, self._usual))

    # An entry in pieces. What comes out is what a parser of the whole would give: before the sessions and after them
    # are the members of one object, and each session is a list that was parsed, or equals such a one byte for byte.

    def _parse_in_pieces(self) -> tuple[dict[str, Any], int] | None:
        """The entry that begins here and where it ends, new sessions alone parsed; None where it looks unusual."""
        if self._unusual >= _MOST_UNUSUAL:
            return None
        self._unusual += 1
        try:
            head, at = self._head()
            ids = head["haystack_session_ids"]
            sessions, at = self._chats_of_usual(ids, at) or self._sessions(ids, at)
            tail, at = self._tail(at)
        except (BrokenJson, ValueError, KeyError, RecursionError):
            return None
        self._unusual = 0
        return {**head, "haystack_sessions": sessions, **tail}, at

    def _head(self) -> tuple[dict[str, Any], int]:
        """What comes before the sessions, and where the first one begins."""
        stream = self._stream
        while (place := stream.held.find(b'"haystack_sessions"', stream.at, min(stream.at + _HEAD, stream.end))) < 0:
            if stream.end >= stream.at + _HEAD or not stream.more():
                raise ValueError("no sessions")
        stream.reach(place + _WINDOW)  # so that the match is not cut
        found = _SESSIONS.match(stream.held, place, stream.end)
        before = stream.held[stream.at : place].rstrip(b" \t\n\r")
        if found is None or not before.endswith(b","):
            raise ValueError("not a list after other members")
        before[-1:] = b"}"
        try:
            head: dict[str, Any] = from_json(before)
        except ValueError:  # as where it has lone surrogates
            head = json.loads(before.decode())
        return head, found.end()

    def _chats_of_usual(self, ids: Any, at: int) -> tuple[list[ParsedSession | Chat], int] | None:
        """The sessions, the first of which begins there, and where what follows them does; None if any is unusual."""
        if not self._chats or read_sessions is None or not _are_names(ids):
            return None
        stream = self._stream
        stream.reach(stream.at + self._usual)  # what must be read again was read for nothing
        while True:
            try:
                found = read_sessions(stream.held, at, stream.end, ids, self._sessions_seen.get)
                break
            except EOFError:
                if not stream.more():
                    return None
        if found is None or len(found[0]) != len(ids):
            return None
        often = self._came(ids)
        chats = [
            self._chat(id, session, often) if isinstance(session, tuple) else session
            for id, session in zip(ids, found[0], strict=True)
        ]
        return chats, found[1]

    def _chat(self, id: str, parsed: Parsed, often: set[str]) -> Chat:
        """The chat of a session that isn't remembered; if its id came often, it is from now on."""
        roles, texts, marked, begin, end = parsed
        chat = Chat.of_texts(id, roles, texts, marked)
        if id in often:
            self._remember(id, chat, begin, end)
        return chat

    def _sessions(self, ids: Any, at: int) -> tuple[list[ParsedSession | Chat], int]:
        """The sessions, the first of which begins there, and where what follows them does."""
        if not isinstance(ids, list):
            raise ValueError("no ids")
        stream, held, known = self._stream, self._stream.held, self._sessions_seen.get
        sessions: list[ParsedSession | Chat] = []
        for id in chain([id if type(id) is str else "" for id in ids], repeat("")):
            for raw, session in known(id) or ():  # noqa: B007 - the last one is the one that was found
                end = at + len(raw)
                if (end <= stream.end or stream.reach(end)) and held.startswith(raw, at):
                    break
            else:
                session, end = self._new(id, at)
            at = end
            sessions.append(session)
            if held.startswith(_USUAL_GAP, at) and at + len(_USUAL_GAP) <= stream.end:
                at += len(_USUAL_GAP) - 1
                continue
            found = _NEXT.match(held, at, stream.end)
            if found is None:
                stream.reach(at + _WINDOW)
                found = _NEXT.match(held, at, stream.end)
            if found is None:
                raise ValueError("not a list of lists")
            at = found.end()
            if held[at] != ord("["):
                break
        return sessions, at

    def _new(self, id: str, at: int) -> tuple[ParsedSession | Chat, int]:
        """A session that isn't remembered, and where it ends; if its id came before, it is remembered from now on."""
        stream = self._stream
        if stream.held[at : min(at + 1, stream.end)] != b"[":
            raise ValueError("no list")
        content, end = self._parse_fast(at) or stream.value(at, _WINDOW)
        chat = plain_chat(id, content) if self._chats and id and id.isascii() else None
        session = chat or ParsedSession(content)
        if self._came([id]):
            self._remember(id, session, at, end)
        return session, end

    def _came(self, ids: Sequence[str]) -> set[str]:
        """Which of these ids came twice before; from now on, all of them came once more."""
        often = self._came_twice.intersection(ids)
        if len(self._came_once) >= _MOST_IDS:
            self._came_once.clear()
            self._came_twice.clear()
        self._came_twice |= self._came_once.intersection(ids)
        self._came_once.update(ids)
        return often

    def _remember(self, id: str, session: ParsedSession | Chat, begin: int, end: int) -> None:
        """Remember a session by its bytes."""
        raw = bytes(memoryview(self._stream.held)[begin:end])
        known = ((raw, session), *(self._sessions_seen.get(id) or ())[: _VARIANTS - 1])
        self._sessions_seen.keep(id, known, sum([len(raw) for raw, _ in known]))

    def _parse_fast(self, at: int) -> tuple[list[Any], int] | None:
        """The list that begins there and where it ends, if it ends where most do and a faster parser takes it.

        What that parser takes, it reads as the other one does; lone surrogates and broken bytes it does not take.
        """
        self._stream.reach(at + _WINDOW)
        held, most = self._stream.held, min(at + _WINDOW, self._stream.end)
        end = held.find(b"]", at, most)  # a search for one byte is many times faster than one for "}]"
        while end > 0 and held[end - 1] != ord("}"):
            end = held.find(b"]", end + 1, most)
        if end < 0:
            return None
        try:
            content: list[Any] = from_json(bytes(memoryview(held)[at : end + 1]))
        except ValueError:
            return None
        return content, end + 1

    def _tail(self, at: int) -> tuple[dict[str, Any], int]:
        """What comes after the sessions, and where the entry ends."""
        if self._stream.held[at] == ord("}"):
            return {}, at + 1
        tail, end = self._stream.value(at, _TAIL, opening="{")
        if not tail:
            raise ValueError("a comma before the end")
        return tail, end


def _are_names(ids: Any) -> bool:
    """Whether these are ids in plain letters."""
    try:
        return all(ids) and "".join(ids).isascii()
    except TypeError:
        return False
