"""What the memories that keep files have in common: who writes them, search by words, and how they are saved."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from memtriage.core.chat import SCRIPTED, Message, ModelError
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem, unknown
from memtriage.core.memory import Memory, Traits
from memtriage.core.trace import Usage
from memtriage.systems import saved_state
from memtriage.systems.designs.prompts import Ask, digest, prompts_of
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.bm25 import LexicalIndex
from memtriage.systems.retrieval.units import newest_first, whole
from memtriage.systems.saved_state import texts
from memtriage.systems.tool_loop import LoopResult, Tool, run_loop, told_as_data
from memtriage.text.words import well_formed

MODES = ("model", "verbatim")


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """When a line came to be, and the turns that were read for it."""

    created_at: str | None
    sources: tuple[str, ...]


class FileMemory(ABC):
    """A memory that is a set of markdown files, written by a model, or word for word where there is none.

    `summarise` is `model` or `verbatim`; left empty, it is `model` where an internal model is named. `prompts` are the
    instructions that the model gets, by stage; a JSON file may bring other ones, and they may be set before anything is
    stored.
    """

    name: ClassVar[str]
    traits: Traits

    def __init__(self, internal: str, summarise: str, repeat: int, usual: Mapping[str, str], prompts: str) -> None:
        self.summarise = summarise or ("model" if internal else "verbatim")
        if self.summarise not in MODES:
            raise BadInput(unknown("summarise step", str(summarise), MODES))
        if self.summarise == "model" and not internal:
            raise BadSystem(
                f"{self.name} was told to write with a model and has none; name one with --internal, "
                f"or let nobody write: {self.name}:summarise=verbatim"
            )
        self._usual = dict(usual)
        self.prompts = prompts_of(self.name, usual, prompts)
        repetition = whole("repeat", repeat, least=0)
        self._writer = None
        if self.summarise == "model":
            from memtriage.models.current import current_models

            self._writer = current_models().writer(internal, repeat=repetition)
        modelled = self._writer is not None  # only a model is worth waiting for, and brings what it sees fit
        self.traits = replace(self.traits, parallel=modelled, takes_native=modelled)
        self._search = WordSearch()
        self._cut_short = 0

    def usage(self) -> Usage:
        """What the model inside has taken so far; nothing where none writes."""
        return self._writer.usage if self._writer is not None else Usage()

    def notices(self) -> list[str]:
        """That no model wrote, or only a scripted one, and how often it was stopped before it was done."""
        if self._writer is None:
            return ["it ran without a model: turns are kept word for word, and words find them"]
        notices = [SCRIPTED] if self._writer.scripted else []
        if self._cut_short:
            notices.append(f"loops that ended before the model was done: {self._cut_short}")
        return notices

    def save(self, path: Path) -> None:
        """Write the files as they are into a directory, and beside them where their lines come from."""
        files = self._files()
        path.mkdir(parents=True, exist_ok=True)
        for obsolete in set(self._saved_before(path)) - set(files):
            (path / obsolete).unlink(missing_ok=True)
        for name, text in files.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(text.encode())
        saved_state.write(path, self._settings(), files=list(files), state=self._state())

    def load(self, path: Path) -> None:
        """Read back what `save` wrote; other settings than these are refused, and then nothing changes."""
        names, state = saved_state.read(path, self._settings(), "files", "state")
        with saved_state.damage_reported(path):
            try:
                files = {name: self._read(path, name) for name in texts(names)}
            except OSError as error:
                raise saved_state.damaged(path, error) from error
            self._restore(files, state)

    def _read(self, path: Path, name: str) -> str:
        if not self._owns(name) or (path / name).is_symlink():
            raise ValueError(f"{name!r} is no file of {self.name}")
        return (path / name).read_bytes().decode()

    def _saved_before(self, path: Path) -> list[str]:
        """The files that an earlier save in this place wrote."""
        try:
            names = texts(json.loads((path / saved_state.FILE).read_text(encoding="ascii"))["files"])
        except saved_state.UNREADABLE:
            return []
        return [name for name in names if self._owns(name)]

    def _settings(self) -> dict[str, str | int]:
        tuned = {} if self.prompts == self._usual else {"prompts": digest(self.prompts)}
        return {"system": self.name, "summarise": self.summarise, **tuned}

    @abstractmethod
    def _owns(self, name: str) -> bool:
        """Whether this is the name of one of its files."""

    @abstractmethod
    def _files(self) -> dict[str, str]:
        """Every file by its name."""

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """What the files don't say, as plain values."""

    @abstractmethod
    def _restore(self, files: Mapping[str, str], state: Mapping[str, Any]) -> None:
        """Take over what was saved, in place of everything kept now."""

    def _ask(self, ask: Ask) -> Mapping[str, Any]:
        """The JSON object in the model's reply; ModelError if there is none."""
        if self._writer is None:
            raise BadSystem(f"{self.name}:summarise={self.summarise} has no model to ask")
        reply = self._writer.ask(ask.messages, stage=ask.stage, schema=ask.schema)
        if not isinstance(reply.data, Mapping):
            raise ModelError("malformed", f"{self.name}: the reply to {ask.stage!r} holds no JSON object")
        return reply.data

    def _loop(self, opening: Ask, tools: Mapping[str, Tool], rounds: int) -> LoopResult:
        def ask(messages: tuple[Message, ...]) -> Mapping[str, Any]:
            return self._ask(replace(opening, messages=messages))

        ended = run_loop(ask, opening.messages, tools, told_as_data, rounds)
        self._cut_short += not ended.finished
        return ended


class WordSearch:
    """Finds memories by the words they share with a question (BM25 over stems)."""

    def __init__(self) -> None:
        self._index: LexicalIndex | None = None
        self._indexed: list[str] = []

    def best(self, query: str, memories: Sequence[Memory], k: int, first: Collection[str] = ()) -> list[Memory]:
        """The k best; those whose ids are in `first` before all others, and among equals the newest."""
        index = self._over(memories)
        scores = index.scores(query)
        order = sorted(newest_first(scores), key=lambda place: memories[place].id not in first)
        return [replace(memories[place], score=float(scores[place])) for place in order[:k]]

    def _over(self, memories: Sequence[Memory]) -> LexicalIndex:
        now = [memory.text for memory in memories]
        if self._index is None:
            self._index = LexicalIndex(1.5, 0.75, "english")
        if now[: len(self._indexed)] != self._indexed:
            self._index.clear()
        self._indexed = now
        self._index.catch_up(memories)
        return self._index


def people_turns(session: Session) -> list[Turn]:
    """The turns that say something and aren't the assistant's, with their texts as a file can hold them."""
    kept = (turn for turn in spoken(session) if turn.role != "assistant")
    return [replace(turn, text=well_formed(turn.text.strip())) for turn in kept]


def origins_to_json(origins: Mapping[str, LineOrigin]) -> dict[str, Any]:
    """Origins as they are saved."""
    return {id: [origin.created_at, list(origin.sources)] for id, origin in origins.items()}


def origins_from_json(saved: object) -> dict[str, LineOrigin]:
    """Origins as they were saved."""
    if not isinstance(saved, Mapping):
        raise ValueError("the origins are not a table")
    found = {}
    for id, (created_at, sources) in saved.items():
        if created_at is not None and not isinstance(created_at, str):
            raise ValueError(f"the origin of {id!r} has no time")
        found[str(id)] = LineOrigin(created_at, texts(sources))
    return found
