"""Replies of the answering model that are stored with what users say, as the harness of a paper does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from memtriage.core.chat import Call, ChatModel, Message, ModelError
from memtriage.core.episode import REPLY, Episode, Session, Turn

Replier = Callable[[Episode, str], Episode]
"""Gives an episode with a reply after every turn of a user; the model is told the instruction."""

_AT_ONCE = 128
"""How many conversations are in progress at once."""


async def with_replies(episode: Episode, instruction: str, model: ChatModel) -> Episode:
    """The episode with the model's reply after every turn of a user.

    A conversation is held turn by turn, and knows nothing of other conversations or memories. Without all of the
    replies there is no episode: it would be another one than the manifest says.
    """
    sessions: list[Session] = []
    for start in range(0, len(episode.sessions), _AT_ONCE):
        some = episode.sessions[start : start + _AT_ONCE]
        sessions += await asyncio.gather(*(_held(session, instruction, model) for session in some))
    return replace(episode, sessions=tuple(sessions))


async def _held(session: Session, instruction: str, model: ChatModel) -> Session:
    said = [Message("system", instruction)]
    turns: list[Turn] = []
    for turn in session.turns:
        turns.append(turn)
        said.append(Message("user" if turn.role == "user" else "assistant", turn.text))
        if turn.role == "user":
            try:
                reply = await model.ask(Call("answer", "reply", tuple(said)))
            except ModelError as error:
                where = f"{model.name} did not reply to what is stored as {turn.id}"
                raise ModelError(error.trouble, f"{where}: {error}") from error
            said.append(Message("assistant", reply.text))
            turns.append(Turn("assistant", reply.text, f"{turn.id}{REPLY}"))
    return replace(session, turns=tuple(turns))
