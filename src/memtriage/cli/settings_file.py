"""`memtriage run -c run.toml`: options from a file. What the command line says comes first.

Keys are the names of the options, with `_` or `-`; options of suites stand in a table `[option]`. Every run writes such
a file into its directory.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from memtriage.cli.app import WHAT
from memtriage.cli.suite_options import FILE_KEY, all_options
from memtriage.core.errors import BadInput, unknown

_NOT_IN_FILES = frozenset({"config", "yes", "option", "help"})
_WANTED = {bool: "true or false", int: "a whole number", float: "a number", list: "a list of texts", str: "a text"}
_HIDDEN = ("***", "[key]")
"""What stands where a password or a key was."""


def _load(context: typer.Context, path: Path | None) -> Path | None:
    """Make the options of a file the defaults of the command."""
    if path is not None and not context.resilient_parsing:
        try:
            found = _read(path)
            given = found.pop("option", {})
            context.meta[FILE_KEY] = _suite_options(path, given)
            context.default_map = dict(_options(context, path, found))
        except BadInput as error:
            context.fail(str(error))
    return path


ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        callback=_load,
        is_eager=True,
        help="Take options from this TOML file, such as a run's own run.toml; the command line comes first.",
        rich_help_panel=WHAT,
    ),
]


def from_file(context: typer.Context, name: str) -> bool:
    """Whether the value of an option comes from the file."""
    source: Any = context.get_parameter_source(name)
    return source is not None and source.name == "DEFAULT_MAP"


def _read(path: Path) -> dict[str, Any]:
    from memtriage.host.inputs import read_text

    if path.is_dir():
        hint = f"; did you mean {path / 'run.toml'}?" if (path / "run.toml").is_file() else ""
        raise BadInput(f"{path} is a folder, not a TOML file{hint}")
    try:
        return tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{path} is no TOML: {error or 'it is nested too deeply'}") from error


def _options(context: typer.Context, path: Path, found: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """The options in the file by the names of the command's parameters; each is checked as on the command line."""
    names = ((opt, param) for param in context.command.params for opt in param.opts if opt.startswith("--"))
    params = {opt.lstrip("-").replace("-", "_"): param for opt, param in names}
    known = params.keys() - _NOT_IN_FILES
    for written, value in found.items():
        key = written.replace("-", "_")
        if key not in known:
            raise BadInput(f"{path}: {_unknown(written, known)}")
        param: Any = params[key]
        converted = _converted(param, value)
        if converted is None:
            raise BadInput(f"{path}: {key} must be {_WANTED[_kind(param)]}, not {_shown(value)}")
        for text in converted if isinstance(converted, list) else [converted]:
            if isinstance(text, str) and any(mark in text for mark in _HIDDEN):
                where = f"leave {key} out of the file and give it as --{key.replace('_', '-')}"
                raise BadInput(f"{path}: {key} has no password or key in it ({text!r}); {where}")
        try:
            param.process_value(context, converted)
        except typer.BadParameter as error:
            raise BadInput(f"{path}: {key}: {error.message}") from error
        assert param.name is not None
        yield param.name, converted


def _unknown(key: str, known: Iterable[str]) -> str:
    name = key.replace("-", "_")
    if name in all_options():
        return f"{key!r} is an option of a suite; put it below a line [option]"
    return unknown("key", key, known)


def _suite_options(path: Path, given: Any) -> dict[str, str]:
    if not isinstance(given, dict):
        raise BadInput(f'{path}: option must be a table, as in [option] and below it filler = "32k"')
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise BadInput(f"{path}: option.{name} must be a text or a number, not {_shown(value)}")
    return {name.replace("-", "_"): str(value) for name, value in given.items()}


def _kind(param: Any) -> type:
    if param.multiple:
        return list
    if param.is_flag:
        return bool
    kind = param.type_descriptor.annotation
    return kind if kind in (int, float) and param.metavar != "TIME" else str


def _converted(param: Any, value: Any) -> Any:
    """The value as the command line would have it; None if it is of another kind."""
    kind = _kind(param)
    if kind is bool:
        return value if isinstance(value, bool) else None
    if kind is list:
        values = value if isinstance(value, list) else [value]
        return [str(each) for each in values] if all(map(_is_text, values)) else None
    if kind is str:
        return str(value) if _is_text(value) else None
    return value if isinstance(value, int | kind) and not isinstance(value, bool) else None


def _is_text(value: Any) -> bool:
    """Whether a value can stand for a text: numbers need no quotes."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
