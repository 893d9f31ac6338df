"""How sessions become memories: cut into units, kept in order, ranked by score."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import orjson
from numpy.typing import NDArray

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, unknown
from memtriage.core.memory import Memory
from memtriage.systems import saved_state
from memtriage.text.sentences import sentences
from memtriage.text.tokens import chunks

UnitKind = Literal["session", "turn", "paragraph", "sentence", "chunk"]
KINDS: tuple[UnitKind, ...] = get_args(UnitKind)
CHUNK_TOKENS = 128
SPELLINGS = (*KINDS, f"chunk:{CHUNK_TOKENS}")

_BLANK_LINE = re.compile(r"\n(?:[^\S\n]*\n)+")

Scores = NDArray[np.floating]
Settings = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Granularity:
    """How much one memory holds: a session, a turn, a paragraph, a sentence, or a chunk of so many tokens."""

    kind: UnitKind
    tokens: int = 0

    @classmethod
    def parse(cls, spelling: str | int | Granularity) -> Granularity:
        """The granularity that a text names.

        >>> Granularity.parse("64") == Granularity.parse("chunk:64")
        True
        """
        if isinstance(spelling, Granularity):
            return spelling
        text = str(spelling).strip().lower()
        for kind in KINDS:
            if text == kind:
                return cls(kind, CHUNK_TOKENS if kind == "chunk" else 0)
        number = text.removeprefix("chunk:")
        if not re.fullmatch(r"-?[0-9]+", number):
            raise BadInput(f"{unknown('granularity', text, SPELLINGS)}; a bare number is a chunk of so many tokens")
        if int(number) < 1:
            raise BadInput(f"granularity {text!r}: a chunk holds at least 1 token")
        return cls("chunk", int(number))

    def __str__(self) -> str:
        return f"chunk:{self.tokens}" if self.kind == "chunk" else self.kind


def cut(session: Session, granularity: Granularity) -> list[Memory]:
    """The memories a session gives, word for word; turns without text give none."""
    turns = tuple([turn for turn in session.turns if turn.text.strip()])
    if not turns:
        return []
    spoken = session if len(turns) == len(session.turns) else replace(session, turns=turns)
    match granularity.kind:
        case "session":
            return [Memory(session.id, spoken.text, session.timestamp, _ids(turns))]
        case "turn":
            return [_of_turn(session, turn, turn.text) for turn in turns]
        case "paragraph":
            return [
                _of_turn(session, turn, paragraph.strip(), f"#{i}")
                for turn in turns
                for i, paragraph in enumerate(filter(str.strip, _BLANK_LINE.split(turn.text)))
            ]
        case "sentence":
            return [
                _of_turn(session, turn, sentence, f"#{i}")
                for turn in turns
                for i, sentence in enumerate(sentences(turn.text))
            ]
        case "chunk":
            return _chunked(spoken, granularity.tokens)


@dataclass(slots=True)
class UnitStore:
    """Memories in the order in which they came; they can be saved and loaded."""

    granularity: Granularity
    memories: list[Memory] = field(default_factory=list)

    def put(self, session: Session) -> None:
        self.memories.extend(cut(session, self.granularity))

    def best(self, scores: Scores, k: int) -> list[Memory]:
        """The k memories with the highest scores; among equals, the newest first."""
        order = newest_first(scores, k)
        found = map(self.memories.__getitem__, order.tolist())
        # Written out, because `replace` takes four times as long, and a ranking may hold everything.
        return [
            Memory(memory.id, memory.text, memory.created_at, memory.sources, score)
            for memory, score in zip(found, scores[order].tolist(), strict=True)
        ]

    def save(self, path: Path, settings: Settings) -> None:
        """Write the memories, and the settings they were kept under, into a directory."""
        path.mkdir(parents=True, exist_ok=True)
        (path / "settings.json").write_text(json.dumps(self._stamp(settings), indent=1), encoding="ascii")
        with (path / "memories.jsonl").open("wb") as file:
            file.writelines(map(_line, self.memories))

    def load(self, path: Path, settings: Settings) -> None:
        """Read back what `save` wrote; other settings than these are refused."""
        try:
            stamp = json.loads((path / "settings.json").read_text(encoding="ascii"))
            with (path / "memories.jsonl").open(encoding="utf-8") as file:
                memories = list(_read(file, path / "memories.jsonl"))
        except (OSError, ValueError) as error:
            raise saved_state.not_saved(path, error) from error
        saved_state.refuse_other_settings(path, stamp, self._stamp(settings))
        self.memories = memories

    def _stamp(self, settings: Settings) -> dict[str, str | int | float]:
        return {"granularity": str(self.granularity), **settings}


def newest_first(scores: Scores, most: int | None = None) -> NDArray[np.intp]:
    """Positions by falling score, or the first so many of them; among equals the later one first.

    >>> newest_first(np.array([1.0, 3.0, 1.0, 2.0]), 3).tolist()
    [1, 3, 2]
    """
    count = len(scores)
    if most is None or 4 * most > count:
        order: NDArray[np.intp] = (count - 1 - np.argsort(-scores[::-1], kind="stable"))[:most]
        return order
    least = np.partition(scores, count - most)[count - most]
    above = np.flatnonzero(scores > least)
    level = np.flatnonzero(scores == least)[::-1]
    return np.concatenate([above[newest_first(scores[above])], level])[:most]


def whole(name: str, value: object, least: int = 1) -> int:
    """An argument as a whole number, wherever it was typed."""
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"-?[0-9]+", text) or int(text) < least:
        raise BadInput(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(text)


def number(name: str, value: object, least: float, most: float = math.inf) -> float:
    """An argument as a finite number within bounds, wherever it was typed."""
    try:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError
        parsed = float(value)
    except ValueError:
        parsed = math.nan
    if not (math.isfinite(parsed) and least <= parsed <= most):
        bounds = f"of at least {least:g}" if most == math.inf else f"from {least:g} to {most:g}"
        raise BadInput(f"{name} must be a number {bounds}, not {value!r}")
    return parsed


def turn_name(session: str, turn: str) -> str:
    """What a memory of a turn is called: by the turn's id, and by its session's where that doesn't say it."""
    return turn if turn.startswith(session) else f"{session}/{turn}"


def _of_turn(session: Session, turn: Turn, text: str, suffix: str = "") -> Memory:
    return Memory(turn_name(session.id, turn.id) + suffix, text, session.timestamp, (turn.id,))


def _ids(turns: Sequence[Turn]) -> tuple[str, ...]:
    return tuple(turn.id for turn in turns)


def _chunked(session: Session, tokens: int) -> list[Memory]:
    """Chunks run on from turn to turn; each names the turns it holds words of."""
    turn_starts = _turn_starts(session)
    memories = []
    start = 0
    for i, text in enumerate(chunks(session.text, tokens)):
        end = start + len(text)
        held = session.turns[bisect_right(turn_starts, start) - 1 : bisect_left(turn_starts, end)]
        if text.strip():
            memories.append(Memory(f"{session.id}#{i}", text, session.timestamp, _ids(held)))
        start = end
    return memories


def _turn_starts(session: Session) -> list[int]:
    """Where each turn begins in the session's text, its role included."""
    if len(session.turns) == 1:
        return [0]
    lines = (len(f"{turn.role}: {turn.text}\n") for turn in session.turns)
    return [0, *accumulate(lines)][: len(session.turns)]


def _line(memory: Memory) -> bytes:
    try:
        return orjson.dumps(memory, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # half a character, which is no UTF-8
        return json.dumps(asdict(memory)).encode() + b"\n"


def _read(lines: Iterator[str] | Sequence[str], file: Path) -> Iterator[Memory]:
    for row, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            yield Memory(**{**record, "sources": tuple(record["sources"])})
        except (ValueError, TypeError, KeyError) as error:
            raise BadInput(f"{file}, line {row} is not a memory: {error}") from error
