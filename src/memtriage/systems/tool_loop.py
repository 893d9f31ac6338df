"""An agent's loop: the model asks for actions, gets the result of each, and goes on until it is done.

A round is one reply with the actions in it, however the model was asked for them: bound to a schema, as memtriage's
own designs do, or as calls of functions. Whatever is wrong with an action (no such tool, a path outside the files, a
text too long) is told to the model as its result and nothing is done; it can never leave what the tools were given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from memtriage.core.chat import Message
from memtriage.models.prompt_data import prompt_data
from memtriage.systems.designs.replies import records

MOST_ACTIONS = 20
"""How many actions of one round are carried out."""

MOST_SHOWN = 400_000
"""How many characters of results one round may bring."""

_ECHO = 2_000
"""What is refused is repeated to the model up to so many characters."""


class RefusedAction(Exception):
    """An action that is not carried out; the model is told why."""


Action = Mapping[str, Any]
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that the model may have done. One that `shows` something is worth another round."""

    run: Callable[[Action], str]
    shows: bool = False


@dataclass(frozen=True, slots=True)
class LoopResult:
    """The last reply of a loop, how many there were, and whether the model was done by then."""

    reply: Mapping[str, Any]
    rounds: int
    finished: bool


@dataclass(frozen=True, slots=True)
class ActionResult:
    """What came of one action."""

    action: Action
    text: str
    refused: bool
    shows: bool


def run_loop(
    ask: Callable[[tuple[M, ...]], Mapping[str, Any]],
    opening: Sequence[M],
    tools: Mapping[str, Tool],
    tell: Callable[[Mapping[str, Any], list[ActionResult], int], tuple[M, ...]],
    rounds: int = 5,
) -> LoopResult:
    """Let the model act until it is done, at most so many rounds.

    `ask` gets the messages so far and returns the reply, with its `actions` and, if it says so, `done`. `tell` turns a
    reply, what came of its actions and the rounds left into the messages that go on. The model is done when it says so
    in a round in which nothing was refused and nothing shown, or when it asks for nothing more. A ModelError of any
    round is the caller's: what the tools work on should be a draft until then.
    """
    messages = tuple(opening)
    for number in range(1, max(rounds, 1) + 1):
        reply = ask(messages)
        results = _results(reply, tools)
        if not results or (reply.get("done") is True and not any(each.refused or each.shows for each in results)):
            return LoopResult(reply, number, True)
        messages += tell(reply, results, rounds - number)
    return LoopResult(reply, rounds, False)


def told_as_data(reply: Mapping[str, Any], results: list[ActionResult], left: int) -> tuple[Message, ...]:
    """The reply as the model gave it, and the results as a block of data."""
    return Message("assistant", _echo(reply, results)), Message("user", _results_message(results, left))


def text_of(action: Action, key: str = "text") -> str:
    """One of an action's texts."""
    value = action.get(key)
    return value if isinstance(value, str) else ""


def _results(reply: Mapping[str, Any], tools: Mapping[str, Tool]) -> list[ActionResult]:
    results: list[ActionResult] = []
    for number, action in enumerate(records(reply, "actions"), 1):
        tool = tools.get(text_of(action, "tool"))
        try:
            if number > MOST_ACTIONS:
                raise RefusedAction(f"only the first {MOST_ACTIONS} actions of a round are carried out")
            if tool is None:
                raise RefusedAction(f"there is no tool {brief(text_of(action, 'tool'))}; there are {', '.join(tools)}")
            text = tool.run(action)
            if tool.shows and sum(len(each.text) for each in results) + len(text) > MOST_SHOWN:
                raise RefusedAction("this round has brought too much to read; ask for it in the next one")
        except RefusedAction as why:
            results.append(ActionResult(action, str(why), refused=True, shows=False))
        else:
            results.append(ActionResult(action, text, refused=False, shows=tool.shows))
    return results


def brief(text: str) -> str:
    """A text of the model's as a message may quote it."""
    return repr(text if len(text) <= 80 else f"{text[:77]}...")


def _echo(reply: Mapping[str, Any], results: list[ActionResult]) -> str:
    """The model's reply as it stands in the conversation from now on; refused texts are cut short."""
    actions = [_shortened(each.action) if each.refused else dict(each.action) for each in results[:MOST_ACTIONS]]
    return json.dumps({**reply, "actions": actions}, ensure_ascii=False)


def _shortened(action: Action) -> dict[str, Any]:
    return {key: value[:_ECHO] if isinstance(value, str) else value for key, value in action.items()}


def _results_message(results: list[ActionResult], left: int) -> str:
    listed = [
        {
            "action": number,
            "tool": text_of(each.action, "tool")[:80],
            "refused" if each.refused else "result": each.text,
        }
        for number, each in enumerate(results[: MOST_ACTIONS + 1], 1)
    ]
    return prompt_data({"task": "results", "results": listed, "rounds_left": left})
