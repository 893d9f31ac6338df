"""An episode in words: its sessions, and where in them its statements are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memtriage.core.episode import Session, Turn
from memtriage.suites.kit.filler.chats import Talk


@dataclass(frozen=True, slots=True)
class Transcript:
    """An episode's sessions in order of time; which of them are evidence, and which turn says which statement.

    Statements go by their numbers in the episode. `dropped` counts the filler chats that were kept out, by the kind of
    their conflict with the episode.
    """

    sessions: tuple[Session, ...]
    evidence: tuple[str, ...]
    turns: Mapping[int, str]
    filler_tokens: int
    dropped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvidenceSession:
    """A session that tells facts, and the turn that says each of its statements, by their numbers in the episode."""

    session: Session
    turns: Mapping[int, str]


def session_of(id: str, talk: Talk, time: str) -> Session:
    """A talk as a session whose turns are numbered from 0."""
    return Session(id, tuple(Turn(role, text, f"{id}/{number}") for number, (role, text) in enumerate(talk)), time)
