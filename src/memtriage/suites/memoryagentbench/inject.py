"""A long context told piece by piece: cut on sentence borders, each piece a message that asks to keep it in mind.

Piece sizes and answer lengths are the paper's (its tables 13 and 14); the wording is this project's own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.suites.memoryagentbench.context import Kind
from memtriage.text.sentences import spans
from memtriage.text.tokens import count_tokens

SMALL, LARGE = 512, 4096
CHUNK: Mapping[Kind, int] = {
    "sh-docqa": SMALL,
    "mh-docqa": SMALL,
    "longmemeval": SMALL,
    "factconsolidation-sh": SMALL,
    "factconsolidation-mh": SMALL,
    "eventqa": LARGE,
    "icl": LARGE,
    "recommendation": LARGE,
    "summarization": LARGE,
    "detective": LARGE,
}
MAX_TOKENS: Mapping[Kind, int] = {
    "sh-docqa": 50,
    "mh-docqa": 50,
    "longmemeval": 100,
    "eventqa": 40,
    "icl": 20,
    "recommendation": 300,
    "summarization": 1200,
    "detective": 500,
    "factconsolidation-sh": 10,
    "factconsolidation-mh": 10,
}

_WHAT: Mapping[Kind, tuple[str, str]] = {
    "sh-docqa": ("Here is a part of the documents I am working through.", "I will come back with questions about it"),
    "mh-docqa": ("Here is a part of the documents I am working through.", "I will come back with questions about it"),
    "longmemeval": ("Here is a part of my earlier chats with an assistant.", "I will ask about what was said in them"),
    "eventqa": ("Here is the next stretch of a novel I am reading.", "I will ask what happens when"),
    "icl": (
        "Here are sentences, each with the number of its label.",
        "I will give you new sentences to label in the same way",
    ),
    "recommendation": (
        "Here are some of the talks that people had with somebody who recommends films.",
        "I will ask you for recommendations",
    ),
    "summarization": ("Here is the next stretch of a novel I am reading.", "I will ask you to sum up the whole story"),
    "detective": (
        "Here is the next stretch of a detective story I am reading.",
        "I will ask questions that take the whole story to answer",
    ),
    "factconsolidation-sh": (
        "Here are numbered facts. Where two of them disagree, the one with the higher number holds.",
        "I will ask questions that go by the facts that hold",
    ),
    "factconsolidation-mh": (
        "Here are numbered facts. Where two of them disagree, the one with the higher number holds.",
        "I will ask questions that go by the facts that hold",
    ),
}
_WHOLE_BLOCKS: frozenset[Kind] = frozenset({"icl", "recommendation"})
"""Kinds whose units, an example or a talk, stand between blank lines and are not torn apart."""

_LAST, _FIRST, _WORD = re.compile(r"[^\w\s]*\Z"), re.compile(r"\S+"), 40
"""What a token may hold beside a space: the marks before a line's end, the word after a blank. So far is looked."""

_BEGIN = datetime(2024, 1, 1, 9, 0)
_EVERY = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text."""

    start: int
    end: int


def pieces(text: str, tokens: int, kind: Kind, where: str) -> list[Piece]:
    """A text in stretches of at most so many tokens that begin and end with a sentence (or an example, or a talk)."""
    if tokens < 1:
        raise BadInput(f"{where}: a chunk holds at least 1 token, not {tokens}")
    found: list[Piece] = []
    held = 0
    for unit, size in _units(text, tokens, kind, where):
        grown = held + size + _between(text, found[-1], unit) if found else 0
        if found and grown <= tokens:
            found[-1] = Piece(found[-1].start, unit.end)
            held = grown
        else:
            found.append(unit)
            held = size
    return found


def _between(text: str, before: Piece, unit: Piece) -> int:
    """How many tokens more two neighbours have together than each by itself: those of the space between them."""
    gap = text[before.end : unit.start]
    last = _LAST.search(text, max(before.start, before.end - _WORD), before.end)
    first = None if gap.endswith("\n") else _FIRST.match(text, unit.start, min(unit.end, unit.start + _WORD))
    return _joint(last[0] if last else "", gap, first[0] if first else "")


@lru_cache(maxsize=1 << 12)
def _joint(left: str, gap: str, right: str) -> int:
    return count_tokens(left + gap + right) - count_tokens(left) - count_tokens(right)


def _units(text: str, tokens: int, kind: Kind, where: str) -> Iterator[tuple[Piece, int]]:
    """What is not torn apart, with its size; a block that is larger than a chunk is cut into its sentences."""
    for block in _blocks(text) if kind in _WHOLE_BLOCKS else ():
        size = count_tokens(text[block.start : block.end])
        if size <= tokens:
            yield block, size
        else:
            yield from _sentences(text, block, tokens, where)
    if kind not in _WHOLE_BLOCKS:
        yield from _sentences(text, Piece(0, len(text)), tokens, where)


def _sentences(text: str, within: Piece, tokens: int, where: str) -> Iterator[tuple[Piece, int]]:
    for start, end in spans(text[within.start : within.end]):
        unit = Piece(within.start + start, within.start + end)
        sentence = text[unit.start : unit.end]
        size = count_tokens(sentence)
        if size > tokens:
            raise BadInput(
                f"{where}: a sentence of {size} tokens is longer than a chunk of {tokens} ({sentence[:60]!r}…); "
                "choose larger chunks"
            )
        yield unit, size


def _blocks(text: str) -> Iterator[Piece]:
    start = 0
    while start < len(text):
        end = text.find("\n\n", start)
        end = len(text) if end < 0 else end
        if text[start:end].strip():
            yield Piece(start, end)
        start = end + 2


class Telling:
    """A context told in pieces of one size: its sessions, and which turns tell a stretch of the text."""

    def __init__(self, context: str, text: str, kind: Kind, tokens: int, where: str) -> None:
        self._pieces = pieces(text, tokens, kind, where)
        self._starts = [piece.start for piece in self._pieces]
        self._ends = [piece.end for piece in self._pieces]
        self._turns = [f"{context}/{tokens}/{number}" for number in range(1, len(self._pieces) + 1)]
        self.sessions = tuple(
            _session(turn, number, text[piece.start : piece.end], kind)
            for number, (turn, piece) in enumerate(zip(self._turns, self._pieces, strict=True))
        )

    def turns(self, start: int, end: int) -> Sequence[str]:
        """The turns that tell the text between two places."""
        return [f"{turn}#0" for turn in self._turns[bisect_right(self._ends, start) : bisect_left(self._starts, end)]]


def _session(turn: str, number: int, chunk: str, kind: Kind) -> Session:
    lead, ask = _WHAT[kind]
    at = (_BEGIN + number * _EVERY).isoformat(timespec="minutes")
    return Session(turn, (Turn("user", f"{lead}\n\n{chunk}\n\nPlease keep this in mind: {ask}.", f"{turn}#0"),), at)
