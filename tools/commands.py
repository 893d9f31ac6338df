"""Write docs/commands.md, the reference of all commands and their options: `python tools/commands.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from memtriage.cli.app import EXIT_CODES, Commands
from memtriage.cli.help import help_sections
from memtriage.cli.main import app
from memtriage.cli.show import ViewCommand
from memtriage.cli.suite_options import SuiteCommand, all_options
from memtriage.report.terminal.show import VIEWS

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
SUITES = ("beam", "halumem", "locomo", "longmemeval", "meme", "memfail", "memoryagentbench", "personamem", "talk")


def page() -> str:
    """The whole page."""
    root: Any = get_command(app)
    blocks = [
        "# Commands",
        "All commands and their options, as `--help` prints them. This page is written by `python tools/commands.py`.",
        *_options(root, typer.Context(root)),
    ]
    for heading, names in Commands.groups.items():
        blocks.append(f"## {heading}")
        for name in names:
            blocks += _command(root.commands[name], f"memtriage {name}")
    rows = [(f"`--{name.replace('_', '-')} TEXT`", text) for name, text in all_options(SUITES).items()]
    blocks += [
        "## Options of suites",
        "Commands that run or generate a suite take its options as flags, and as `--option name=value`.",
        _table("option", sorted(rows)),
        "## Exit codes",
        _table("code", [(f"`{code}`", meaning) for code, meaning in EXIT_CODES.items()]),
    ]
    return "\n\n".join(blocks) + "\n"


def _command(command: Any, name: str, depth: int = 3) -> Iterator[str]:
    context = typer.Context(command, info_name=name)
    yield f"{'#' * depth} {name}"
    yield _cell(" ".join((command.help or "").split()))
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    yield f"```console\n$ {usage}\n```"
    yield from _options(command, context)
    if isinstance(command, ViewCommand):
        yield _table("value of --by", [(f"`{view.by}`", view.what) for view in VIEWS.values()])
    if isinstance(command, SuiteCommand):
        yield "And the [options of suites](#options-of-suites)."
    for sub, found in getattr(command, "commands", {}).items():
        yield from _command(found, f"{name} {sub}", depth + 1)


def _options(command: Any, context: Any) -> Iterator[str]:
    for heading, params in help_sections(command, context).items():
        records = (param.get_help_record(context) for param in params if "--help" not in param.opts)
        if rows := [(f"`{option}`", text) for option, text in records]:
            yield _table(heading.lower(), rows)


def _table(heading: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"| {heading} | |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| {name.replace('|', chr(92) + '|')} | {_cell(text)} |" for name, text in rows)])


def _cell(text: str) -> str:
    for character in "\\|<*_":
        text = text.replace(character, f"\\{character}")
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
