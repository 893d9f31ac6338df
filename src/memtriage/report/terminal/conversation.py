"""Print a chat with a memory: what was retrieved, the answer, and what changed in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from memtriage.core.memory import Memory
from memtriage.core.trace import Usage
from memtriage.report.terminal.tables import plain
from memtriage.runner.conversation import Exchange
from memtriage.text.words import counted

_LONGEST = 300


def print_exchange(exchange: Exchange, console: Console) -> None:
    """Print one exchange, a line per memory."""
    console.print(plain(f"retrieved {len(exchange.retrieved)} in {1000 * exchange.retrieve_seconds:.0f} ms", "bold"))
    for rank, memory in enumerate(exchange.retrieved, start=1):
        score = "" if memory.score is None else f"  ({memory.score:.3f})"
        why = f"  ({memory.why})" if memory.why else ""
        console.print(plain(f"  {rank}. {_short(memory)}{score}{why}"))
    if exchange.answer:
        console.print(plain("answer", "bold"), plain(exchange.answer))
    if exchange.added is None:
        console.print(plain("stored; the system doesn't show its store", "bold"))
    else:
        held = counted(exchange.held or 0, "memory", "memories")
        held = f"stored in {1000 * exchange.store_seconds:.0f} ms; the store holds {held}"
        console.print(plain(held, "bold"))
        _print_memories(exchange.added, "+", "green", console)
        _print_memories(exchange.removed or (), "-", "red", console)
        if not exchange.added and not exchange.removed:
            console.print(plain("  nothing changed"))
    if exchange.usage is not None and (exchange.usage.calls or exchange.usage.cached):
        console.print(plain(_usage_line(exchange.usage), "dim"))
    for trouble in exchange.troubles:
        console.print(plain(f"hid an error: {trouble}", "red"))


def exchange_json(exchange: Exchange) -> dict[str, Any]:
    """One exchange as JSON."""
    return asdict(exchange, dict_factory=lambda pairs: {name: value for name, value in pairs if value or name != "why"})


def _print_memories(memories: Sequence[Memory], mark: str, style: str, console: Console) -> None:
    for memory in memories:
        console.print(plain(f"  {mark} {_short(memory)}", style))


def _short(memory: Memory) -> str:
    text = " ".join(memory.text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _usage_line(usage: Usage) -> str:
    dollars = "price unknown" if usage.dollars is None else f"${usage.dollars:.5f}"
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    return f"its models: {usage.calls} calls ({usage.cached} more from the cache), {tokens}, {dollars}"
