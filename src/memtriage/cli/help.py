"""How help looks: commands in groups with whole descriptions, and many options under headings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup

_MANY = 16
"""A command with fewer options than this lists them without headings."""

_VALUES = {"str": "TEXT", "int": "NUMBER", "float": "NUMBER", "Path": "PATH"}


class HelpGroup(TyperGroup):
    """A group of commands whose help tells each of them in a whole sentence."""

    groups: ClassVar[Mapping[str, Sequence[str]]] = {}
    """The names of commands by the heading that they are listed under; what is not named comes under `Commands`."""

    def list_commands(self, ctx: Any) -> list[str]:
        order = [name for names in self.groups.values() for name in names]
        return sorted(self.commands, key=lambda name: order.index(name) if name in order else len(order))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        heading_of = {name: heading for heading, names in self.groups.items() for name in names}
        listed: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            rows = listed.setdefault(heading_of.get(name, "Commands"), [])
            rows.append((name, self.commands[name].get_short_help_str(limit=1000)))
        width = max(len(name) for name in self.commands)
        for heading, rows in listed.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, text in rows])


class HelpCommand(TyperCommand):
    """A command whose help puts many options under headings: those that `rich_help_panel` names."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for heading, params in help_sections(self, ctx).items():
            with formatter.section(heading):
                formatter.write_dl([param.get_help_record(ctx) for param in params])


def help_sections(command: Any, ctx: Any) -> dict[str, list[Any]]:
    """The arguments and options of a command by the heading they stand under, in the order of the help."""
    params = [param for param in command.get_params(ctx) if param.get_help_record(ctx) is not None]
    many = sum(param.param_type_name == "option" for param in params) >= _MANY
    found: dict[str, list[Any]] = {"Arguments": []}
    for param in params:
        if param.param_type_name == "argument":
            found["Arguments"].append(param)
            continue
        if param.metavar is None and not param.is_flag:
            param.metavar = value_name(param)
        panel = (many and getattr(param, "rich_help_panel", None)) or "Options"
        found.setdefault(panel, []).append(param)
    last = found.pop("Options", [])  # those without a heading, such as --help, come last
    return {heading: each for heading, each in (*found.items(), ("Options", last)) if each}


def value_name(param: Any) -> str:
    """What stands for the value of an option in the help: TEXT rather than a Python type."""
    kind = param.bare_type().removeprefix("list[").removesuffix("]")
    return _VALUES.get(kind, "PATH" if "path" in kind.lower() else "TEXT")
