"""The turns of a session that a memory reads."""

from __future__ import annotations

from memtriage.core.episode import Session, Turn


def spoken(session: Session) -> tuple[Turn, ...]:
    """The turns that say something."""
    return tuple(turn for turn in session.turns if turn.text.strip())


def turns_by_round(session: Session) -> list[tuple[Turn, ...]]:
    """The rounds of a session: a user's turn and the answers to it; answers that open it are a round of their own."""
    found: list[list[Turn]] = []
    for turn in spoken(session):
        if by_user(turn) or not found:
            found.append([])
        found[-1].append(turn)
    return [tuple(each) for each in found]


def by_user(turn: Turn) -> bool:
    """Whether a turn is the user's side of a conversation."""
    return turn.role != "assistant"
