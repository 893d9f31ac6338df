"""A long context in chunks: cut on sentence borders, each one a message that asks to keep it in mind."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.suites.memoryagentbench.kinds import SPECS, Kind
from memtriage.text.sentences import spans
from memtriage.text.tokens import count_tokens

_LAST, _FIRST = re.compile(r"[^\w\s]*\Z"), re.compile(r"\S+")
"""What may share a token with the space between two sentences: the marks before it and the word after it."""

_REACH = 40
"""How many characters before and after the space are looked at."""

_FIRST_DAY = datetime(2024, 1, 1, 9, 0)
_EVERY = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text."""

    start: int
    end: int


def chunks(text: str, tokens: int, kind: Kind, where: str) -> list[Span]:
    """A text in chunks of at most so many tokens that begin and end with a sentence (or an example, or a talk)."""
    if tokens < 1:
        raise BadInput(f"{where}: a chunk holds at least 1 token, not {tokens}")
    found: list[Span] = []
    tokens_held = 0
    for unit, size in _units(text, tokens, kind, where):
        grown = tokens_held + size + _between(text, found[-1], unit) if found else 0
        if found and grown <= tokens:
            found[-1] = Span(found[-1].start, unit.end)
            tokens_held = grown
        else:
            found.append(unit)
            tokens_held = size
    return found


def _between(text: str, before: Span, unit: Span) -> int:
    """How many tokens two neighbours have together beyond those of each: the space between them."""
    gap = text[before.end : unit.start]
    last = _LAST.search(text, max(before.start, before.end - _REACH), before.end)
    first = None if gap.endswith("\n") else _FIRST.match(text, unit.start, min(unit.end, unit.start + _REACH))
    return _joint(last[0] if last else "", gap, first[0] if first else "")


@lru_cache(maxsize=1 << 12)
def _joint(left: str, gap: str, right: str) -> int:
    return count_tokens(left + gap + right) - count_tokens(left) - count_tokens(right)


def _units(text: str, tokens: int, kind: Kind, where: str) -> Iterator[tuple[Span, int]]:
    """What is not split, with its size; a block that is larger than a chunk is cut into its sentences."""
    if not SPECS[kind].whole_blocks:
        yield from _sentences(text, Span(0, len(text)), tokens, where)
        return
    for block in _blocks(text):
        size = count_tokens(text[block.start : block.end])
        if size <= tokens:
            yield block, size
        else:
            yield from _sentences(text, block, tokens, where)


def _sentences(text: str, within: Span, tokens: int, where: str) -> Iterator[tuple[Span, int]]:
    for start, end in spans(text[within.start : within.end]):
        unit = Span(within.start + start, within.start + end)
        sentence = text[unit.start : unit.end]
        size = count_tokens(sentence)
        if size > tokens:
            raise BadInput(
                f"{where}: a sentence of {size} tokens is longer than a chunk of {tokens} ({sentence[:60]!r}…); "
                "choose larger chunks"
            )
        yield unit, size


def _blocks(text: str) -> Iterator[Span]:
    start = 0
    while start < len(text):
        end = text.find("\n\n", start)
        end = len(text) if end < 0 else end
        if text[start:end].strip():
            yield Span(start, end)
        start = end + 2


class ChunkedContext:
    """A context in chunks of one size: its sessions, and which turns hold a stretch of the text."""

    def __init__(self, context: str, text: str, kind: Kind, tokens: int, where: str) -> None:
        self._chunks = chunks(text, tokens, kind, where)
        self._starts = [chunk.start for chunk in self._chunks]
        self._ends = [chunk.end for chunk in self._chunks]
        self._turns = [f"{context}/{tokens}/{number}" for number in range(1, len(self._chunks) + 1)]
        self.sessions = tuple(
            _session(turn, number, text[chunk.start : chunk.end], kind)
            for number, (turn, chunk) in enumerate(zip(self._turns, self._chunks, strict=True))
        )

    def turns(self, start: int, end: int) -> Sequence[str]:
        """The turns that hold the text between two places."""
        return [f"{turn}#0" for turn in self._turns[bisect_right(self._ends, start) : bisect_left(self._starts, end)]]


def _session(turn: str, number: int, chunk: str, kind: Kind) -> Session:
    at = (_FIRST_DAY + number * _EVERY).isoformat(timespec="minutes")
    before, after = _around(kind)
    return Session(turn, (Turn("user", f"{before}{chunk}{after}", f"{turn}#0"),), at)


def _around(kind: Kind) -> tuple[str, str]:
    """What a message says before and after its chunk."""
    return f"{SPECS[kind].intro}\n\n", f"\n\nPlease keep this in mind: {SPECS[kind].purpose}."


def chunk_in(session: Session, kind: Kind) -> str:
    """The chunk in a session, without the words around it."""
    before, after = _around(kind)
    return session.turns[0].text.removeprefix(before).removesuffix(after)
