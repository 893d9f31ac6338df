"""One markdown file that an agent keeps with four tools: the MD-flat of MEME's paper."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.systems.designs.files.file_memory import (
    FileMemory,
    LineOrigin,
    origins_from_json,
    origins_to_json,
    people_turns,
)
from memtriage.systems.designs.files.pages import FileLine, ItemFile, PageReader, Pages, TextFile, day, lines_of
from memtriage.systems.designs.files.prompts import MDFILE, file_keeping, file_reading
from memtriage.systems.designs.replies import numbers
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import whole

PATH = "memory.md"
_ONLY = re.compile(re.escape(PATH))


class MdFile(FileMemory):
    """Keeps one markdown file: an agent reads each conversation and writes, and reads the file when it is asked.

    Summarise: the internal model gets a session and decides what to write, with the tools list, read, write and append.
    Store: the file `memory.md`; every line that says something is a memory, told with the headings above it.
    Retrieve: the model reads the file, can do nothing else, and names the lines that bear on the question; the first
    k of them count. It isn't told k, so that one reading serves every k.

    Each loop takes at most `rounds` rounds; what the model did until then counts. Without a model
    (`summarise=verbatim`) every turn but the assistant's is appended, dated and word for word, and words find lines.
    """

    name = "mdfile"
    traits = Traits(
        family="agentic",
        architecture=(
            "summarise: an agent writes what it finds worth keeping (or turns verbatim); "
            "store: one markdown file, kept with list, read, write and append; "
            "retrieve: the agent reads the file and names lines (or BM25)"
        ),
    )

    def __init__(
        self, internal: str = "", rounds: int = 5, summarise: str = "", repeat: int = 0, prompts: str = ""
    ) -> None:
        super().__init__(internal, summarise, repeat, MDFILE, prompts)
        self.rounds = whole("rounds", rounds)
        self.reset()

    def reset(self) -> None:
        self._file: ItemFile | TextFile = self._opened("")
        self._origins: dict[str, LineOrigin] = {}
        self._listed: list[Memory] = []
        self._cut_short = 0

    @property
    def text(self) -> str:
        """The file as it stands."""
        return self._file.text

    def store_conversation(self, conversation: Session) -> None:
        if not spoken(conversation):
            return
        if isinstance(self._file, ItemFile):
            self._append(self._file, conversation)
        else:
            self._keep(self._written(conversation), conversation)

    def retrieve_memories(self, query: str, conversation: Session, k: int | None) -> list[Memory]:
        most = None if k is None else whole("k", k)
        if self.summarise == "model":
            return [self._memory(line) for line in self._named(query)[:most]]
        return self._search.best(query, self.get_all_memories(), whole("k", most))

    def get_all_memories(self) -> list[Memory]:
        self._listed += [self._memory(line) for line in self._file.lines[len(self._listed) :]]
        return list(self._listed)

    # Summarise and store

    def _written(self, session: Session) -> str:
        """The file as the model leaves it."""
        pages = Pages({PATH: self.text} if self.text else {}, _ONLY, usual=PATH)
        opening = file_keeping(self.prompts["ingest"], spoken(session), session.timestamp, self.rounds)
        self._loop(opening, pages.tools("list", "read", "write", "append"), self.rounds)
        return pages.files.get(PATH, "")

    def _keep(self, text: str, session: Session) -> None:
        """Take over a file; lines that weren't there before come from this session."""
        new = LineOrigin(session.timestamp, tuple(turn.id for turn in spoken(session)))
        self._file, self._listed = self._opened(text), []
        self._origins = {line.id: self._origins.get(line.id, new) for line in self._file.lines}

    def _append(self, file: ItemFile, session: Session) -> None:
        for turn in people_turns(session):
            line = file.append(turn.text, day(session.timestamp))
            self._origins[line.id] = LineOrigin(session.timestamp, (turn.id,))

    def _opened(self, text: str) -> ItemFile | TextFile:
        return TextFile(text, lines_of) if self.summarise == "model" else ItemFile(text)

    # Retrieve

    def _named(self, query: str) -> list[FileLine]:
        """The lines that the model names, out of those it has read."""
        if not self._file.lines:
            return []
        reader = PageReader(Pages({PATH: self.text}, _ONLY, usual=PATH))
        ended = self._loop(
            file_reading(self.prompts["retrieve"], query, self.rounds), reader.tools("read"), self.rounds
        )
        standing = {number: line for line in self._file.lines for number in line.numbers}
        shown = (n for n in numbers(ended.reply, "lines", self.text.count("\n") + 1) if reader.shown(PATH, n))
        return list(dict.fromkeys(standing[number] for number in shown if number in standing))

    def _memory(self, line: FileLine) -> Memory:
        origin = self._origins.get(line.id, LineOrigin(None, ()))
        return Memory(line.id, line.in_context, origin.created_at, origin.sources)

    # Disk

    def _settings(self) -> dict[str, str | int]:
        return {**super()._settings(), "rounds": self.rounds}

    def _owns(self, name: str) -> bool:
        return name == PATH

    def _files(self) -> dict[str, str]:
        return {PATH: self.text}

    def _state(self) -> dict[str, Any]:
        return {"origins": origins_to_json(self._origins)}

    def _restore(self, files: Mapping[str, str], state: Mapping[str, Any]) -> None:
        text, origins = files[PATH], origins_from_json(state["origins"])
        self._file, self._origins, self._listed = self._opened(text), origins, []
