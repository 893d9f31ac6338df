"""The leaves of the tree: what was said, in chunks that end where a sentence ends."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from memtriage.core.episode import Session
from memtriage.core.memory import Memory
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import Granularity, cut
from memtriage.text.sentences import spans
from memtriage.text.tokens import chunks, count_tokens


def leaves(session: Session, granularity: Granularity) -> list[Memory]:
    """The leaves that a session gives, word for word."""
    if granularity.kind != "chunk":
        return cut(session, granularity)
    turns = spoken(session)
    if not turns:
        return []
    whole = replace(session, turns=turns)
    text = whole.text
    labels = len(turns) > 1
    starts = [0, *accumulate(len(f"{turn.role}: {turn.text}\n") for turn in turns)][:-1] if labels else [0]
    found = []
    for number, (start, end) in enumerate(_whole_sentences(text, granularity.tokens)):
        held = turns[bisect_right(starts, start) - 1 : bisect_left(starts, end)]
        sources = tuple(turn.id for turn in held)
        found.append(Memory(f"{session.id}#{number}", text[start:end], session.timestamp, sources))
    return found


def _whole_sentences(text: str, tokens: int) -> Iterator[tuple[int, int]]:
    """Where each chunk begins and ends: as many sentences as fit. Only a sentence that is too long by itself is cut."""
    begin = end = used = 0
    for start, stop in spans(text):
        size = count_tokens(text[start:stop])
        if used and used + size > tokens:
            yield begin, end
            used = 0
        if size > tokens:
            yield from _cut_up(text, start, stop, tokens)
            continue
        begin = begin if used else start
        end, used = stop, used + size
    if used:
        yield begin, end


def _cut_up(text: str, start: int, stop: int, tokens: int) -> Iterator[tuple[int, int]]:
    for piece in chunks(text[start:stop], tokens):
        if piece.strip():
            yield start, start + len(piece)
        start += len(piece)
