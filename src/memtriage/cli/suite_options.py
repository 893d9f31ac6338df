"""Suite options on the command line: each suite declares its own, and commands that run suites take them all.

`--filler 32k` is the same as `--option filler=32k`. Suites are only loaded if a command line has an option that the
command itself doesn't know, or asks for help.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import typer

from memtriage.cli.help import HelpCommand
from memtriage.core.errors import BadInput, MemtriageError

_META_KEY = "memtriage.suite_options"
FILE_KEY = "memtriage.file_options"


class SuiteCommand(HelpCommand):
    """A command that also takes the options of suites."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {flag for param in self.params for flag in (*param.opts, *param.secondary_opts)}
        flags = {arg.partition("=")[0] for arg in args if arg.startswith("--")}
        if flags - own - {"--", "--help"}:
            known = {_flag(option): option for option in all_options()}
            args = _extract(args, {flag: known[flag] for flag in known if flag not in own}, ctx.meta)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        super().format_options(ctx, formatter)
        own = {flag for param in self.params for flag in param.opts}
        options = {_flag(option): text for option, text in all_options().items()}
        with formatter.section("Options of suites"):
            formatter.write_dl([(f"{flag} TEXT", text) for flag, text in sorted(options.items()) if flag not in own])


def _extract(args: list[str], known: Mapping[str, str], meta: dict[str, Any]) -> list[str]:
    """The arguments without suite options, which are put into `meta`."""
    given: dict[str, str] = {}
    rest: list[str] = []
    remaining = iter(args)
    for arg in remaining:
        flag, equals, value = arg.partition("=")
        if flag not in known:
            rest.append(arg)
            continue
        text = value if equals else next(remaining, None)
        if text is None:
            raise typer.BadParameter(f"{flag} needs a value")
        given[known[flag]] = text
    meta[_META_KEY] = {option: given[option] for option in known.values() if option in given}
    return rest


def all_options(suites: Iterable[str] = ()) -> dict[str, str]:
    """The options that suites declare, in order of declaration, with their help texts: of these suites, or of all."""
    from memtriage import registry

    found: dict[str, list[str]] = {}
    for name in sorted(suites or registry.registered(registry.SUITES)):
        try:
            tasks = registry.suite(name).tasks
        except MemtriageError:  # a plug-in that can't be loaded is reported when it is used
            continue
        options = {option: meaning for task in tasks for option, meaning in task.options.items()}
        for option, meaning in options.items():
            found.setdefault(option, []).append(f"{name}: {meaning}")
    return {option: "; ".join(meanings) for option, meanings in found.items()}


def _flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def flags(context: typer.Context) -> dict[str, str]:
    """The suite options that were given as flags."""
    found: dict[str, str] = context.meta.get(_META_KEY, {})
    return found


def suite_options(context: typer.Context, pairs: Iterable[str] | None) -> dict[str, str]:
    """All suite options of a command: from a file, from `--option` and from flags, which come first."""
    found: dict[str, str] = context.meta.get(FILE_KEY, {})
    return found | named_options(pairs or ()) | flags(context)


def named_options(pairs: Iterable[str]) -> dict[str, str]:
    """Parse `--option name=value` pairs."""
    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"--option {pair!r}: write name=value")
        options[key.strip()] = value.strip()
    return options
