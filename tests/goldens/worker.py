"""Runs memtriage commands, each in a fork of one process that has imported everything already.

Requests and replies are JSON lines. A command is what `python -m memtriage ARGUMENTS` would do, a script what
`python FILE` would. One that stays is a server, and lives as long as this process.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NoReturn

LONGEST = 900
"""Seconds until a command is killed."""

HEAVY = (
    *("memtriage", "numpy", "openai", "pydantic", "rich", "scipy", "typer", "bm25s", "plotly", "wordllama", "httpx"),
    *("anyio", "babel", "dateparser", "genai_prices", "h11", "httpcore2", "httpx2", "rensa"),
)


def main() -> None:
    """Serve requests until there are none."""
    asked, told = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    servers = []
    for line in asked:
        request = json.loads(line)
        if request.get("here"):
            code = _here(request)
        else:
            gc.freeze()  # so that children leave untouched, and share, what is there already
            child = os.fork()
            if child == 0:
                _become(request)
            if request.get("stays"):
                servers.append(child)
                code = 0
            else:
                code = _code(child)
        for name in request.get("learn", ()):
            _import(Path(name))
        told.write(json.dumps(code) + "\n")
        told.flush()
    for child in servers:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _code(child: int) -> int:
    """How a command ended; minus the signal where it was killed."""

    def kill(*_: object) -> None:
        os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.alarm(LONGEST)
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    return os.waitstatus_to_exitcode(status)


def _here(request: dict[str, Any]) -> int:
    """Run a command in this very process, for what it loads to be there for all later ones."""
    os.chdir(request["cwd"])
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        code = _run(request)
    _put_together()
    return code


def _put_together() -> None:
    """Put the command line together, which takes longer than most commands, once for all later ones."""
    from typer.main import Typer, get_command

    from memtriage.cli import main

    if isinstance(main.app, Typer):
        main.app = get_command(main.app)  # type: ignore[assignment]


def _become(request: dict[str, Any]) -> NoReturn:
    code = 70
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        for number, (name, flags) in enumerate(
            (
                (request["in"], os.O_RDONLY),
                (request["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
                (request["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            )
        ):
            os.dup2(os.open(name, flags), number)
        os.chdir(request["cwd"])
        os.environ["MEMTRIAGE_CACHE"] = str(Path(request["cwd"], "calls.sqlite"))  # what others asked is not known
        code = _run(request)
        sys.stdout.flush()
        sys.stderr.flush()
        for name in request.get("learn", ()):
            Path(name).write_text("\n".join(sorted(sys.modules)))
    finally:
        os._exit(code)


def _run(request: dict[str, Any]) -> int:
    try:
        if "script" in request:
            sys.argv = [request["script"]]
            sys.path.insert(0, request["cwd"])
            runpy.run_path(request["script"], run_name="__main__")
        else:
            sys.argv = ["memtriage", *request["arguments"]]
            runpy.run_module("memtriage", run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException:
        traceback.print_exc()
        return 70
    return 0


def _import(names: Path) -> None:
    """Import what a command imported, so that the next one need not."""
    for name in names.read_text().split("\n") if names.exists() else ():
        if name.split(".")[0] in HEAVY and not name.endswith("__main__"):
            with suppress(Exception):
                importlib.import_module(name)


if __name__ == "__main__":
    main()
