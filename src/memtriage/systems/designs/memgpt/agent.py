"""What a MemGPT agent has: core blocks, recall memory, an archive, and the queue of messages in its context."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

from memtriage.core.memory import Memory
from memtriage.systems.designs.files.file_memory import LineOrigin, origins_from_json, origins_to_json
from memtriage.systems.designs.files.pages import FileLine, lines_of
from memtriage.systems.designs.layered import Layered
from memtriage.systems.saved_state import texts
from memtriage.systems.tool_loop import Action, RefusedAction, brief, text_of
from memtriage.text.sentences import spans
from memtriage.text.tokens import chunks, count_tokens
from memtriage.text.words import well_formed

PERSONA = "I keep what I am told exactly as it was said, so that I can answer questions about it later."
BLOCKS = ("persona", "human")
SUMMARY = "summary"

_SHOWN_OF_A_CALL = 400
"""So many characters of each text that the agent wrote are repeated in its queue; what was kept of it is in memory."""


@lru_cache(maxsize=16)  # a block is read several times for every change
def block_lines(text: str) -> tuple[FileLine, ...]:
    """The lines of a block."""
    return tuple(lines_of(text))


@dataclass(frozen=True, slots=True)
class Block:
    """A part of core memory: a text that is always in the context, and when each of its lines was written."""

    text: str = ""
    origins: Mapping[str, LineOrigin] = field(default_factory=dict)

    def written(self, text: str, origin: LineOrigin) -> Block:
        """The block with another text; lines that weren't in it before have this origin."""
        before = {line.id for line in block_lines(self.text)}
        after = [line.id for line in block_lines(text)]
        new = {id: origin for id in after if id not in before}
        return Block(text, {id: known for id in after if (known := new.get(id) or self.origins.get(id))})

    def memories(self, label: str) -> Iterator[Memory]:
        """What the agent wrote into it, line by line; what stood there from the start is no memory."""
        for line in block_lines(self.text):
            if origin := self.origins.get(line.id):
                yield Memory(f"{label}/{line.id}", line.in_context, origin.created_at, origin.sources)


@dataclass(frozen=True, slots=True)
class Passage:
    """A message in recall memory, or something in the archive, where nobody speaks."""

    id: str
    text: str
    created_at: str | None
    sources: tuple[str, ...]
    speaker: str = ""

    @property
    def memory(self) -> Memory:
        return Memory(self.id, self.text, self.created_at, self.sources)

    @property
    def line(self) -> str:
        """The passage as a search shows it."""
        when = f"[{self.created_at}] " if self.created_at else ""
        return f"{when}{self.speaker}: {self.text}" if self.speaker else f"{when}{self.text}"


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A message in the context: something said (`passage` is its id in recall memory), thought, done, or a warning."""

    speaker: str
    text: str
    when: str = ""
    result: str = ""
    passage: str = ""

    @property
    def shown(self) -> dict[str, Any]:
        """The message as the model sees it."""
        found = {"from": self.speaker, "when": self.when, "text": self.text, "result": self.result}
        return {key: value for key, value in found.items() if value}

    @property
    def tokens(self) -> int:
        return count_tokens(json.dumps(self.shown, ensure_ascii=False, separators=(",", ":")))


@dataclass(slots=True)
class Agent:
    """Everything that one agent holds. What it does is done on a copy, which is kept or thrown away as a whole."""

    blocks: dict[str, Block] = field(default_factory=lambda: {"persona": Block(PERSONA), "human": Block()})
    recall: MutableMapping[str, Passage] = field(default_factory=dict)
    archive: MutableMapping[str, Passage] = field(default_factory=dict)
    queue: list[QueueEntry] = field(default_factory=list)
    summary: str = ""
    summed_up_at: str | None = None
    warned: bool = False
    unread: int = 0  # so many entries at the end of the queue came since the model last saw it
    found: list[list[Memory]] = field(default_factory=list)  # what each search brought
    said: str = ""

    def copy(self) -> Agent:
        """The same, to work on: nothing that is done to it shows here, unless it is kept."""
        return replace(
            self,
            blocks=dict(self.blocks),
            recall=Layered(self.recall),
            archive=Layered(self.archive),
            queue=list(self.queue),
            found=[],
            said="",
        )

    @property
    def new(self) -> list[str]:
        """The passages that a copy has beside those it was made with."""
        return [id for part in (self.recall, self.archive) if isinstance(part, Layered) for id in part.new]

    def kept(self) -> Agent:
        """A copy as an agent of its own; what it was a copy of is no more."""
        recall, archive = (part.keep() if isinstance(part, Layered) else part for part in (self.recall, self.archive))
        return replace(self, recall=recall, archive=archive)

    def note(self, entry: QueueEntry) -> None:
        """Put something at the end of the queue."""
        self.queue.append(entry)
        self.unread += 1

    def remember(self, message: Passage) -> Passage:
        """Keep a message in recall memory, under a number of its own."""
        kept = replace(message, id=f"m{len(self.recall) + 1}")
        self.recall[kept.id] = kept
        return kept

    def hear(self, message: Passage) -> None:
        """Take in a message: it is in recall memory from now on, and in the queue for a while."""
        kept = self.remember(message)
        self.note(QueueEntry(kept.speaker, kept.text, kept.created_at or "", passage=kept.id))

    def core(self) -> list[Memory]:
        """What is in the context whatever is asked: core memory and the summary."""
        found = [memory for label in BLOCKS for memory in self.blocks[label].memories(label)]
        return found + ([Memory(SUMMARY, self.summary, self.summed_up_at)] if self.summary else [])

    def in_view(self) -> list[Memory]:
        """The messages that were said and are still in the queue."""
        return [self.recall[entry.passage].memory for entry in self.queue if entry.passage]

    def view(self, most: int) -> dict[str, Any]:
        """The context as the model sees it; blocks hold at most so many characters."""
        read = len(self.queue) - self.unread
        core = {
            label: {"text": block.text, "characters": len(block.text), "most": most}
            for label, block in self.blocks.items()
        }
        queue = [
            {**entry.shown, "new": True} if n >= read and entry.speaker != "thought" else entry.shown
            for n, entry in enumerate(self.queue)
        ]
        counts = {"recall_messages": len(self.recall), "archival_passages": len(self.archive)}
        return {"core": core, **counts, "summary": self.summary, "queue": queue}

    # Core memory

    def append_to_block(self, action: Action, most: int, origin: LineOrigin) -> str:
        """Add a line to a block."""
        label, text = self._label(action), well_formed(text_of(action)).strip()
        if not text:
            raise RefusedAction("`text` is empty; nothing was added")
        before = self.blocks[label].text
        return self._write(label, f"{before}\n{text}" if before else text, most, origin)

    def replace_in_block(self, action: Action, most: int, origin: LineOrigin) -> str:
        """Put a text in the place of another, wherever it stands in a block."""
        label, old = self._label(action), text_of(action, "old")
        before = self.blocks[label].text
        if not old or old not in before:
            raise RefusedAction(f"{brief(old)} does not stand in the block {label}; give `old` exactly as it is there")
        return self._write(label, before.replace(old, well_formed(text_of(action))).strip(), most, origin)

    def _label(self, action: Action) -> str:
        label = text_of(action, "block").strip()
        if label not in self.blocks:
            raise RefusedAction(f"there is no block {brief(label)}; there are {' and '.join(self.blocks)}")
        return label

    def _write(self, label: str, text: str, most: int, origin: LineOrigin) -> str:
        if len(text) > most:
            raise RefusedAction(
                f"{label} would have {len(text)} characters, and at most {most} fit; shorten it, or use the archive"
            )
        self.blocks[label] = self.blocks[label].written(text, origin)
        return f"{label} now has {len(text)} of {most} characters"

    # Disk

    def to_json(self) -> dict[str, Any]:
        """Everything but what only counts while it acts, as plain values."""
        return {
            "blocks": {
                label: {"text": block.text, "origins": origins_to_json(block.origins)}
                for label, block in self.blocks.items()
            },
            "recall": [asdict(passage) for passage in self.recall.values()],
            "archive": [asdict(passage) for passage in self.archive.values()],
            "queue": [asdict(entry) for entry in self.queue],
            "summary": [self.summary, self.summed_up_at],
            "warned": self.warned,
            "unread": self.unread,
        }

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Agent:
        """What `to_json` gave."""
        blocks = {label: saved["blocks"][label] for label in BLOCKS}
        summary, summed_up_at = saved["summary"]
        agent = cls(
            {label: Block(str(each["text"]), origins_from_json(each["origins"])) for label, each in blocks.items()},
            _passages(saved["recall"]),
            _passages(saved["archive"]),
            [QueueEntry(**record) for record in saved["queue"]],
            str(summary),
            summed_up_at,
            saved["warned"] is True,
            int(saved["unread"]),
        )
        if any(entry.passage and entry.passage not in agent.recall for entry in agent.queue):
            raise ValueError("the queue holds a message that is not in recall memory")
        return agent


def call_of(action: Action) -> str:
    """A call as it stands in the queue: the tool and what it was given, long texts cut short."""
    given = {
        key: f"{value[:_SHOWN_OF_A_CALL]}…" if isinstance(value, str) and len(value) > _SHOWN_OF_A_CALL else value
        for key, value in action.items()
        if key not in ("tool", "heartbeat") and value
    }
    return f"{text_of(action, 'tool')[:80]} {json.dumps(given, ensure_ascii=False)}"


def cut_into_passages(text: str, tokens: int) -> list[str]:
    """A text in passages of at most so many tokens, cut between sentences; a longer sentence is cut where it must be.

    >>> cut_into_passages("One is small. Two is as well. Three.", 9)
    ['One is small. Two is as well.', 'Three.']
    """
    text = text.strip()
    if count_tokens(text) <= tokens:
        return [text] if text else []
    found: list[str] = []
    start = end = 0
    for begins, ends in spans(text):
        if end > start and count_tokens(text[start:ends]) > tokens:
            found += chunks(text[start:end], tokens)
            start = begins
        end = ends
    found += chunks(text[start:end], tokens)
    return [piece.strip() for piece in found if piece.strip()]


def interleaved(rankings: Sequence[Sequence[Memory]]) -> list[Memory]:
    """The best of each ranking, then the second of each, and so on; each memory once.

    >>> a, b, c = (Memory(id, id) for id in "abc")
    >>> [memory.id for memory in interleaved([[a, b], [c, a]])]
    ['a', 'c', 'b']
    """
    longest = max(map(len, rankings), default=0)
    found = {
        memory.id: memory for place in range(longest) for ranking in rankings for memory in ranking[place : place + 1]
    }
    return list(found.values())


def _passages(saved: Sequence[Mapping[str, Any]]) -> dict[str, Passage]:
    return {record["id"]: Passage(**{**record, "sources": texts(record["sources"])}) for record in saved}
