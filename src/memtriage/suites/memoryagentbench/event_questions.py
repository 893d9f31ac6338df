"""EventQA's questions: what has happened so far is given, and what happens next is one of six options."""

from __future__ import annotations

from collections.abc import Sequence

from memtriage.suites.memoryagentbench.context import Query

PREVIOUS = 5
"""How many events a question gives at the most."""

OPTIONS = 6


def event_query(
    id: str, character: str, before: Sequence[str], right: str, options: Sequence[str], event: int, to: str = ""
) -> Query:
    """The question after these events; `event` is the number of the right one, by which its passage is called."""
    return Query(
        id=id,
        text=question(before, to),
        golds=(right,),
        scoring="contains",
        needed=((f"e{event}",),),
        options=tuple(options),
        tags={"character": character, "previous": str(len(before))},
    )


def question(before: Sequence[str], to: str = "") -> str:
    """What is asked after these events.

    >>> print(question(["Ivo buys a hat.", "Ivo loses it."], " to Ivo"))
    In the novel, this is what happens to Ivo, in order:
    1. Ivo buys a hat.
    2. Ivo loses it.
    Which event happens to Ivo next?
    """
    listed = "\n".join(f"{n}. {event}" for n, event in enumerate(before, 1))
    return f"In the novel, this is what happens{to}, in order:\n{listed}\nWhich event happens{to} next?"
