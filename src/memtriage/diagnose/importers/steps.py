"""Telemetry as questions: the steps of a trace, whoever recorded them, as lines of the trace format."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memtriage.core.errors import BadInput
from memtriage.diagnose.importers.values import documents, said
from memtriage.diagnose.trace_format import Record

Kind = Literal["model", "search", "tool", "other"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trace: a call of a model, a search of a memory, a tool, or what holds such steps together.

    `start` and `end` are in seconds. `store` and `after` say which memory store was searched, and its state then.
    """

    where: str
    trace: str
    id: str
    parent: str | None
    kind: Kind
    name: str
    start: float
    end: float | None = None
    asked: Any = None
    answered: Any = None
    error: str | None = None
    k: int | None = None
    store: str | None = None
    after: str | None = None
    system: str = ""


def questions(
    path: Path, steps: Sequence[Step], searching: Collection[str], system: str, notes: list[str]
) -> Iterator[Record]:
    """A line for each trace: what was asked, what the searches brought back, what was answered.

    `searching` are the names of tools and other steps that count as searches.
    """
    named = {step.name for step in steps}
    if stray := next((name for name in searching if name not in named), None):
        raise BadInput(f"{path}: no step is called {stray!r}; its steps are {_few(named)}")
    if steps and not any(step.kind == "search" or step.name in searching for step in steps):
        tools = {step.name for step in steps if step.kind == "tool"}
        like = f"the tool that does with --searches ({_few(tools)})" if tools else "the step that does with --searches"
        raise BadInput(f"{path}: no step in it says that it searches a memory; name {like}")
    traces: dict[str, list[Step]] = {}
    for step in steps:
        traces.setdefault(step.trace, []).append(step)
    silent = 0
    for trace, inside in traces.items():
        record = _Trace(sorted(inside, key=lambda step: step.start), searching).record()
        if record is None:
            silent += 1
        else:
            name = system or next((step.system for step in inside if step.system), "system")
            yield inside[0].where, {"probe": trace, "system": name, **record}
    if silent:
        notes.append(
            f"{silent} of {len(traces)} traces have no question, or neither a search nor an answer, and were left out"
        )


class _Trace:
    """The steps of one trace, in the order in which they began."""

    def __init__(self, steps: Sequence[Step], searching: Collection[str]) -> None:
        self._steps = steps
        self._by_id = {step.id: step for step in steps}
        marked = {step.id for step in steps if step.kind == "search" or step.name in searching}
        # of a search within a search, the outer one says what came back in the end
        self._searches = [
            step for step in steps if step.id in marked and not any(up.id in marked for up in self._above(step))
        ]

    def _above(self, step: Step) -> Iterator[Step]:
        seen = {step.id}
        while (up := self._by_id.get(step.parent or "")) is not None and up.id not in seen:
            seen.add(up.id)
            yield up
            step = up

    def record(self) -> dict[str, Any] | None:
        question, answer = self._question(), self._answer()
        if question is None or (not self._searches and answer is None):
            return None
        found = [memory for step in self._searches for memory in documents(step.answered, step.where)]
        retrieved = {(memory.get("id"), memory.get("text")): memory for memory in reversed(found)}
        failed = next((step.error for step in self._steps if step.error), None) if answer is None else None
        timed = [step.end - step.start for step in self._searches if step.end is not None]
        asked_for = [step.k for step in self._searches if step.k]
        place = next((step for step in self._searches if step.store is not None), None)
        record = {
            "question": question,
            "retrieved": list(reversed(retrieved.values())),
            "answer": answer,
            "error": failed,
            "seconds": round(sum(timed), 6) if timed else None,
            "k": sum(asked_for) if asked_for and len(asked_for) == len(self._searches) else None,
            "store": place.store if place else None,
            "after": place.after if place else None,
        }
        return {key: value for key, value in record.items() if value is not None}

    def _question(self) -> str | None:
        """What was asked: of the whole, else of the memory, else of the model, whose prompt may hold much else."""
        above = [step for step in self._outermost() if step.kind == "other"]
        models = [step for step in self._steps if step.kind == "model"]
        searches = [step for step in self._searches if step.kind == "search"]
        order = [*above, *searches, *models, *self._searches]
        return next((text for step in order if (text := said(step.asked, "user"))), None)

    def _answer(self) -> str | None:
        """What was answered: by the whole, else by the last call of a model."""
        above = [step for step in self._outermost() if step.kind == "other"]
        models = [step for step in reversed(self._steps) if step.kind == "model"]
        return next((text for step in (*above, *models) if (text := said(step.answered, "assistant"))), None)

    def _outermost(self) -> list[Step]:
        return sorted(self._steps, key=lambda step: sum(1 for _ in self._above(step)))


def _few(names: Collection[str]) -> str:
    shown = sorted(names)
    return ", ".join(shown[:8]) + (", …" if len(shown) > 8 else "")
